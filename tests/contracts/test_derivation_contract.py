"""What every derivation keeps to, those to come included."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from night import NIGHT, for_each
from specimens import all_of, corpora, queries

from lab import catalog
from lab.algebra import Corpus, Derivation, Document, Env
from lab.contracts import checks, laws
from lab.contracts.specimens import Case
from lab.derive.chunk import Parts

DERIVATIONS = all_of(catalog.derivations(), working=True, varied=2)


@pytest.fixture(params=DERIVATIONS)
def derivation(request: pytest.FixtureRequest) -> Derivation:
    op: Derivation = request.param
    return op


@given(corpus=corpora(), query=queries())
def test_a_derivation_gives_a_proper_corpus_and_what_is_lifted_is_a_list_of_it(
    derivation: Derivation, corpus: Corpus, query: str
) -> None:
    checks.check_derivation(derivation, Case(corpus, query))


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
    laws.check_derived(derivation, Corpus("corner", documents))


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
        laws.check_derived(wrong, PAIR)
