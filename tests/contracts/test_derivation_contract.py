"""What every derivation keeps to, those to come included."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from night import NIGHT, for_each
from specimens import all_of, corpora, queries

from lab import catalog
from lab.algebra import Corpus, Derivation, Document, Env, Lift, Runner
from lab.derive.chunk import Parts
from lab.retrieve.lexical import BM25

DERIVATIONS = all_of(catalog.derivations(), working=True, varied=2)


@pytest.fixture(params=DERIVATIONS)
def derivation(request: pytest.FixtureRequest) -> Derivation:
    op: Derivation = request.param
    return op


def solid(text: str) -> str:
    return "".join(text.split())


def check(derivation: Derivation, corpus: Corpus) -> Corpus:
    derived = derivation(corpus)
    assert derived.parents == (corpus,)
    assert derived.made_by == derivation
    assert set(derived.origins) == {d.id for d in derived}, "a child without a parent, or a parent without a child"
    assert set(derived.origins.values()) <= set(corpus.positions)
    places = [corpus.positions[derived.origins[d.id]] for d in derived]
    assert places == sorted(places), "the children of a document do not stand together in its place"
    for d in derived:
        origin = corpus.get(derived.origins[d.id])
        assert origin is not None
        assert d.title == (origin.title if d == origin or getattr(derivation, "titles", True) else "")
        assert d.id not in corpus.positions or d == origin, "a child has the id of a document"
        assert d == origin or d.metadata["parent"] == origin.id
    if isinstance(derivation, Parts):
        restated(derivation, corpus, derived)
    again = derivation.derive(Corpus(corpus.name, corpus.documents), Env())
    assert [(d, derived.origins[d.id]) for d in derived] == list(again), "deriving twice differs"
    return derived


def restated(derivation: Parts, corpus: Corpus, derived: Corpus) -> None:
    """Every part stands where it says, and together, without what is repeated, they have the whole text."""
    for origin in corpus:
        at, text = 0, ""
        for part in (d for d in derived if derived.origins[d.id] == origin.id):
            start = part.metadata["start"] if part != origin else 0
            assert isinstance(start, int)
            assert origin.text[start : start + len(part.text)] == part.text
            text += origin.text[max(at, start) : start + len(part.text)]
            at = max(at, start + len(part.text))
        assert solid(text) == solid(origin.text) or (not text and not origin.text.strip())


@given(corpus=corpora())
def test_a_derivation_gives_a_proper_corpus(derivation: Derivation, corpus: Corpus) -> None:
    check(derivation, corpus)


@given(corpus=corpora(), query=queries())
def test_what_is_lifted_is_a_list_of_the_corpus(derivation: Derivation, corpus: Corpus, query: str) -> None:
    for by in ("best", "sum"):
        search = dataclasses.replace(derivation(BM25()), refine=(Lift(by=by),))
        found = Runner(corpus)(search, query, 5)
        assert found.corpus is corpus
        assert len(set(found.ids)) == len(found.ids)
        for hit in found.hits:
            assert corpus.get(hit.document.id) == hit.document
            assert sum(addend.value for addend in hit.why) == pytest.approx(hit.score, abs=1e-9)


CORNERS = [
    (),
    (Document("a", ""),),
    (Document("a", " \n "), Document("a#1", "x" * 500)),
    (Document("a", "电" * (100_000 if NIGHT else 30_000)),),
    (Document("a", "one two. " * 60), Document("a#1", "one two. " * 60), Document("a#1-2", "三。四。" * 60)),
    (Document("a", "第一句。第二句！ Third one. " * 40, "Title", {"parent": "elsewhere", "chunk": 7, "start": 3}),),
]


@pytest.mark.parametrize(
    "documents", CORNERS, ids=["none", "empty", "blank", "one sentence", "names", "parts of parts"]
)
def test_corners(derivation: Derivation, documents: tuple[Document, ...]) -> None:
    check(derivation, Corpus("corner", documents))


# --------------------------------------------------------------------------- the laws catch what breaks them


@dataclasses.dataclass(frozen=True)
class Faulty(Derivation):
    """Derives what a function says."""

    label = "faulty"
    make: Callable[[Corpus], Sequence[tuple[Document, str]]] = lambda corpus: [(d, d.id) for d in corpus]

    def derive(self, corpus: Corpus, env: Env) -> Sequence[tuple[Document, str]]:
        return self.make(corpus)


@dataclasses.dataclass(frozen=True)
class Forgetful(Parts):
    """Leaves out the last character of every text."""

    label = "forgetful"

    def cut(self, text: str) -> list[tuple[int, int, dict[str, object]]]:
        return [(0, len(text) - 1, {})]

    def stays(self, document: Document) -> bool:
        return False


PAIR = Corpus("pair", (Document("a", "one two"), Document("b", "three")))
WRONG = {
    "no such parent": Faulty(lambda corpus: [(d, "nobody") for d in corpus]),
    "in another order": Faulty(lambda corpus: [(d, d.id) for d in reversed(corpus.documents)]),
    "the id of another": Faulty(lambda corpus: [(dataclasses.replace(corpus.documents[0], id="b"), "a")]),
    "another title": Faulty(lambda corpus: [(dataclasses.replace(d, title="!"), d.id) for d in corpus]),
    "never twice the same": Faulty(
        lambda corpus: [(dataclasses.replace(d, id=f"{d.id}{id(object())}{len(corpus.name)}"), d.id) for d in corpus]
    ),
    "something lost": Forgetful(),
}


@for_each("wrong", WRONG.values())
def test_the_laws_catch_what_breaks_them(wrong: Derivation) -> None:
    with pytest.raises((AssertionError, KeyError)):
        check(wrong, PAIR)
