"""The nouns, the knobs and the bases of the verbs."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import threading
from collections.abc import Sequence

import numpy as np
import pytest

from lab.core import (
    Contribution,
    Corpus,
    Document,
    Drop,
    Hit,
    Operator,
    Ranking,
    Stage,
    at_least,
    at_most,
    in_order,
    knob,
    one_of,
    within,
)
from lab.errors import CorpusError, LabError, ParameterError

A, B, C = (
    Document("a", "first"),
    Document("b", "second", "Title"),
    Document("c", "third", metadata={"n": 1, "tags": ["x", "y"]}),
)
CORPUS = Corpus("abc", (A, B, C))


@dataclasses.dataclass(frozen=True)
class Made(Operator):
    """Makes nothing."""

    whole: int = knob(5, low=1, high=10)
    real: float = knob(0.5, low=0.0)
    upper: float = knob(0.5, high=1.0)
    open: int | None = knob(None, low=1)
    word: str = knob("a", choices=("a", "b"))


@dataclasses.dataclass(frozen=True)
class Without(Stage):
    """Drops one document."""

    name: str = "a"

    def refine(self, ranking: Ranking) -> tuple[Sequence[Hit], Sequence[Drop]]:
        kept = [h for h in ranking if h.document.id != self.name]
        return kept, [
            Drop(h.document, f"its id is {self.name}", "Without") for h in ranking if h.document.id == self.name
        ]


def ranking(*pairs: tuple[Document, float]) -> Ranking:
    return Ranking("q", tuple(Hit(d, s) for d, s in pairs), Made(), corpus=CORPUS)


# ------------------------------------------------------------------------------------------- documents


def test_a_document_is_frozen_with_its_metadata() -> None:
    given = {"n": 1}
    document = Document("a", "text", metadata=given)
    given["n"] = 2
    assert document.metadata == {"n": 1}
    with pytest.raises(TypeError):
        document.metadata["n"] = 3  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        document.text = "other"  # type: ignore[misc]


def test_the_title_is_searched_with_the_text() -> None:
    assert B.content == "Title\nsecond"
    assert A.content == "first"


def test_a_document_is_called_by_its_title_else_by_its_beginning_else_by_its_id() -> None:
    assert B.label == "Title"
    assert Document("x", "one\n two  three").label == "one two three"
    assert len(Document("x", "word " * 50).label) <= 40
    assert Document("x", "  \n").label == "x"


def test_documents_are_equal_by_value_and_hashable_with_lists_inside() -> None:
    twin = Document("c", "third", metadata={"n": 1, "tags": ["x", "y"]})
    assert twin == C
    assert hash(twin) == hash(C)
    assert Document("c", "third") != C


@pytest.mark.parametrize("thing", [C, CORPUS, ranking((A, 1.0))], ids=["document", "corpus", "ranking"])
def test_nouns_survive_pickling_and_copying(thing: object) -> None:
    CORPUS.once("something derived", lambda: threading.Lock())  # what cannot be pickled stays behind
    assert CORPUS.positions["c"] == 2
    assert pickle.loads(pickle.dumps(thing)) == thing
    assert copy.deepcopy(thing) == thing


# --------------------------------------------------------------------------------------------- corpora


@pytest.mark.parametrize("ids", [("a", "a"), ("",), ("a", "b", "a")], ids=repr)
def test_ids_must_be_unique_and_not_empty(ids: tuple[str, ...]) -> None:
    with pytest.raises(CorpusError, match="empty or occurs twice in broken"):
        Corpus("broken", tuple(Document(i, "text") for i in ids))


def test_the_fingerprint_is_that_of_the_content_not_of_the_name() -> None:
    assert Corpus("other", CORPUS.documents).fingerprint == CORPUS.fingerprint
    changes = [
        (B, A, C),
        (A, B),
        (A, B, Document("c", "third!", metadata=C.metadata)),
        (A, B, Document("c", "third", "t", metadata=C.metadata)),
        (A, B, Document("c", "third", metadata={"n": 2, "tags": ["x", "y"]})),
    ]
    prints = {Corpus("abc", documents).fingerprint for documents in changes}
    assert len(prints | {CORPUS.fingerprint}) == len(changes) + 1


def test_the_fingerprint_takes_broken_characters() -> None:
    one, two = (Corpus("c", (Document("a", text),)).fingerprint for text in ("\ud83d", "\ud83e"))
    assert one != two


def test_a_corpus_knows_places_and_documents() -> None:
    assert dict(CORPUS.positions) == {"a": 0, "b": 1, "c": 2}
    assert CORPUS.get("b") is B
    assert CORPUS.get("z") is None
    assert len(CORPUS) == 3
    assert list(CORPUS) == [A, B, C]


def test_what_is_derived_is_made_once_and_the_oldest_is_forgotten() -> None:
    corpus, calls = Corpus("c", (A,)), list[int]()

    def make(i: int) -> int:
        return corpus.once(("square", i), lambda: calls.append(i) or i * i)

    assert make(3) == make(3) == 9
    assert calls == [3]
    for i in range(100, 132):  # 32 others
        make(i)
    assert make(3) == 9
    assert calls.count(3) == 2


def test_what_is_derived_is_made_once_by_many_threads() -> None:
    corpus, calls = Corpus("c", (A,)), list[int]()
    threads = [threading.Thread(target=lambda: corpus.once("x", lambda: calls.append(1))) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert calls == [1]


# -------------------------------------------------------------------------------------------- rankings


def test_ranks_start_at_one() -> None:
    r = ranking((B, 2.0), (A, 1.0))
    assert [r.rank(i) for i in "bac"] == [1, 2, None]
    assert r.hit("a") == Hit(A, 1.0)
    assert r.hit("c") is None


def test_top_cuts_and_refuses_zero() -> None:
    r = ranking((B, 2.0), (A, 1.0))
    assert r.top(1).hits == (Hit(B, 2.0),)
    assert r.top(9) == r
    with pytest.raises(ParameterError):
        r.top(0)


def test_seconds_and_corpus_are_not_compared() -> None:
    r = ranking((A, 1.0))
    assert dataclasses.replace(r, seconds=9.0, corpus=None) == r
    assert dataclasses.replace(r, query="other") != r


def test_then_keeps_the_way_in_the_lineage() -> None:
    first = ranking((A, 2.0), (B, 1.0))
    last = first.then(Without("a"), Without("b"))
    assert last.hits == ()
    assert [d.document for d in last.dropped] == [B]
    assert [r.made_by for r in last.lineage()] == [Made(), Without("a"), Without("b")]
    assert list(last.lineage())[0] is first


def test_a_ranking_with_two_ways_to_the_same_parent_names_it_once() -> None:
    first = ranking((A, 2.0), (B, 1.0))
    left, right = Without("a")(first), Without("b")(first)
    both = Ranking("q", (), Made(), parents=(left, right))
    assert [id(r) for r in both.lineage()] == [id(first), id(left), id(right), id(both)]


def test_the_frame_has_one_row_a_hit_with_the_addends_in_words() -> None:
    hit = Hit(B, 0.75, (Contribution("x", 0.5), Contribution("y", 0.25)))
    frame = Ranking("q", (hit, Hit(A, 0.5)), Made()).to_frame()
    assert list(frame.columns) == ["rank", "id", "title", "score", "why", "text"]
    assert frame.iloc[0].tolist() == [1, "b", "Title", 0.75, "x 0.5 + y 0.25", "second"]
    assert frame["rank"].tolist() == [1, 2]
    assert Ranking("q", (), Made()).to_frame().empty


def test_in_order_breaks_ties_by_the_corpus_or_by_first_appearance() -> None:
    hits = [Hit(C, 1.0), Hit(A, 1.0), Hit(B, 2.0)]
    assert [h.document.id for h in in_order(hits, CORPUS)] == ["b", "a", "c"]
    seen = ranking((C, 5.0), (B, 4.0), (A, 3.0))
    assert [h.document.id for h in in_order(hits, None, before=[seen])] == ["b", "c", "a"]


# ----------------------------------------------------------------------------------------------- knobs


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("whole", 0, "whole is 0, but must lie between 1 and 10."),
        ("whole", 11, "whole is 11, but must lie between 1 and 10."),
        ("whole", 2.5, "whole is 2.5, but must be a whole number."),
        ("whole", "3", "whole is “3”, but must be a number."),
        ("whole", True, "whole is “True”, but must be a number."),
        ("real", -0.1, "real is -0.1, but must be at least 0.0."),
        ("real", float("nan"), "real is nan, but must be at least 0.0."),
        ("upper", 1.5, "upper is 1.5, but must be at most 1.0."),
        ("open", 0, "open is 0, but must be at least 1."),
        ("word", "c", "word is “c”, but must be one of: a, b."),
    ],
)
def test_a_knob_says_what_it_takes(name: str, value: object, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        dataclasses.replace(Made(), **{name: value})
    assert str(caught.value) == message


def test_a_knob_may_be_left_open_only_where_its_default_is() -> None:
    assert Made(open=None).open is None
    with pytest.raises(ParameterError):
        Made(whole=None)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [7.0, np.float64(7), np.int64(7)], ids=["float", "numpy float", "numpy integer"])
def test_a_whole_number_in_other_clothes_becomes_an_int(value: float) -> None:
    made = Made(whole=value)  # type: ignore[arg-type]
    assert made == Made(whole=7)
    assert type(made.whole) is int


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_an_endless_whole_number_is_refused(value: float) -> None:
    @dataclasses.dataclass(frozen=True)
    class Unbounded(Operator):
        k: int = knob(1, low=1)

    with pytest.raises(ParameterError):
        Unbounded(value)  # type: ignore[arg-type]


def test_the_checks_take_their_limits() -> None:
    at_least("k", 1, 1)
    at_most("k", 1, 1)
    within("k", 1, 1, 1)
    one_of("k", "a", ("a",))


def test_every_refusal_is_a_lab_error_and_a_value_error() -> None:
    with pytest.raises(ParameterError) as caught:
        at_least("k", 0, 1)
    assert isinstance(caught.value, LabError)
    assert isinstance(caught.value, ValueError)
    assert pickle.loads(pickle.dumps(caught.value)).message == caught.value.message
