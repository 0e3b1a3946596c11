"""The nouns, the knobs and the bases of the verbs."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import json
import math
import pickle
import threading
import time
from contextlib import suppress
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import for_each

from lab.algebra import (
    Contribution,
    Corpus,
    Document,
    Drop,
    Env,
    Hit,
    Later,
    Operator,
    Outcome,
    Progress,
    Query,
    Ranking,
    Stage,
    Top,
    Turn,
    at_least,
    at_most,
    knob,
    one_of,
    within,
)
from lab.derive.chunk import Chunk
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
    free: float = knob(0.2, step=0.05)
    switch: bool = knob(False)


@dataclasses.dataclass(frozen=True)
class Without(Stage):
    """Drops one document."""

    name: str = "a"

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        kept = [h for h in ranking if h.document.id != self.name]
        return Outcome(
            kept,
            [Drop(h.document, f"its id is {self.name}", "Without") for h in ranking if h.document.id == self.name],
        )


def ranking(*pairs: tuple[Document, float]) -> Ranking:
    return Ranking(Query("q"), tuple(Hit(d, s) for d, s in pairs), Made(), corpus=CORPUS)


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


@for_each(
    "document, said",
    [
        (Document(5, "x"), "id of document “5” is 5"),  # type: ignore[arg-type]
        (Document("a", None), "text of document “a” is None"),  # type: ignore[arg-type]
        (Document("a", "x", 7), "title of document “a” is 7"),  # type: ignore[arg-type]
        (Document("a", "x", metadata={"when": date(2024, 5, 1)}), "metadata “when”"),  # type: ignore[dict-item]
        (Document("a", "x", metadata={"deep": {"x": 1}}), "metadata “deep”"),  # type: ignore[dict-item]
        (Document("a", "x", metadata={"list": [1]}), "metadata “list”"),  # type: ignore[list-item]
        (Document("a", "x", metadata={5: "x"}), "metadata “5”"),  # type: ignore[dict-item]
    ],
)
def test_what_no_corpus_can_hold_is_refused_when_it_is_made(document: Document, said: str) -> None:
    with pytest.raises(CorpusError, match=said) as caught:
        Corpus("odd", (A, document))
    assert caught.value.remedy


def test_metadata_has_one_form() -> None:
    given = {"t": ("x", "y"), "none": None, "n": 10**400}
    (document,) = Corpus("c", (Document("a", "x", metadata=given),))  # type: ignore[arg-type]
    assert document.metadata == {"t": ["x", "y"], "n": 10**400}
    assert document == Document("a", "x", metadata={"t": ["x", "y"], "n": 10**400})
    assert Corpus("c", (document,)).fingerprint


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


@given(st.lists(st.tuples(st.text(), st.text(), st.dictionaries(st.text(), st.text() | st.floats() | st.booleans()))))
def test_the_fingerprint_is_the_sha256_of_what_json_writes(drawn: list[tuple[str, str, dict[str, Any]]]) -> None:
    documents = tuple(Document(f"{i}/{title}", text, title, more) for i, (text, title, more) in enumerate(drawn))
    lines = [
        json.dumps([d.id, d.title, d.text, dict(d.metadata)], ensure_ascii=False, sort_keys=True) + "\n"
        for d in documents
    ]
    told = hashlib.sha256("".join(lines).encode("utf-8", "surrogatepass")).hexdigest()
    assert Corpus("c", documents).fingerprint == told


def test_the_fingerprint_takes_broken_characters() -> None:
    one, two = (Corpus("c", (Document("a", text),)).fingerprint for text in ("\ud83d", "\ud83e"))
    assert one != two


def test_a_corpus_knows_places_and_documents() -> None:
    assert dict(CORPUS.positions) == {"a": 0, "b": 1, "c": 2}
    assert CORPUS.get("b") is B
    assert CORPUS.get("z") is None
    assert len(CORPUS) == 3
    assert list(CORPUS) == [A, B, C]


def test_what_is_derived_is_made_once() -> None:
    corpus, calls = Corpus("c", (A,)), list[int]()

    def make(i: int) -> int:
        return corpus.once(("square", i), lambda: calls.append(i) or i * i)

    assert make(3) == make(3) == 9
    assert calls == [3]


def test_what_is_derived_is_made_once_by_many_threads() -> None:
    corpus, calls = Corpus("c", (A,)), list[int]()
    threads = [threading.Thread(target=lambda: corpus.once("x", lambda: calls.append(1))) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert calls == [1]


def test_who_waits_for_long_work_is_told_how_far_it_is_and_may_leave_it() -> None:
    corpus, told, seen = Corpus("c", (A,)), list[tuple[int, int]](), threading.Event()
    begun, go_on = threading.Event(), threading.Event()

    def make(progress: Progress | None) -> int:
        assert progress is not None
        progress(3, 8)
        begun.set()
        assert go_on.wait(20)
        return 7

    def wait(done: int, total: int) -> None:
        told.append((done, total))
        seen.set()

    def leave(done: int, total: int) -> None:
        raise InterruptedError

    made = list[int]()
    maker = threading.Thread(target=lambda: made.append(corpus.awaited("x", make, None)))
    maker.start()
    assert begun.wait(20)
    waiter = threading.Thread(target=lambda: made.append(corpus.awaited("x", make, wait)))
    waiter.start()
    assert seen.wait(20)
    with pytest.raises(InterruptedError):
        corpus.awaited("x", make, leave)
    assert not made, "who leaves stops nobody else"
    go_on.set()
    for thread in (maker, waiter):
        thread.join(20)
    assert made == [7, 7]
    assert set(told) == {(3, 8)}
    assert not corpus._memo.making


def test_when_the_maker_stops_one_of_those_who_wait_makes_it_and_the_others_go_on_waiting() -> None:
    corpus, calls, gone = Corpus("c", (A,)), list[int](), threading.Event()

    def make(progress: Progress | None) -> int:
        calls.append(1)
        if len(calls) == 1:
            assert gone.wait(20)
            raise InterruptedError
        time.sleep(0.05)  # meanwhile the others wait, and somebody new comes
        return 7

    def ask() -> None:
        with suppress(InterruptedError):
            made.append(corpus.awaited("x", make, None))

    made = list[int]()
    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads[:4]:
        thread.start()
    gone.set()
    for thread in threads[4:]:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert (len(calls), made) == (2, [7] * 5)


def test_what_is_kept_with_a_corpus_is_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.algebra.nouns.ROOM", 3_000_000)
    corpus = Corpus("c", (A,))
    part = Corpus("p", (A,), made_by=Chunk(), parents=(corpus,))
    for i in range(1000):
        corpus.once(i, lambda: "small")
    assert all(map(corpus.holds, range(1000)))
    rows = corpus.once("rows", lambda: np.zeros(250_000))
    corpus.once("view of the rows", lambda: {"rows": rows[:9]})  # weighs nothing: the rows are there already
    part.once("rows", lambda: np.ones(60_000))
    assert corpus.holds("rows")
    assert not part.holds("view of the rows")
    corpus.once("rows", list)
    part.once("more", lambda: np.ones(1_000_000))  # alone it is too much, and is kept
    assert part.holds("more")
    assert not corpus.holds("rows")
    assert corpus._memo.total == sum(corpus._memo.weights.values()) > 3_000_000
    corpus.forget()
    assert not part.holds("more")
    assert corpus._memo.total == 0


def test_what_could_not_be_made_is_tried_again() -> None:
    corpus, calls = Corpus("c", (A,)), list[int]()

    def make() -> int:
        calls.append(1)
        if len(calls) == 1:
            raise InterruptedError
        return 7

    with pytest.raises(InterruptedError):
        corpus.once("x", make)
    assert not corpus.holds("x")
    assert not corpus._memo.making, "what failed leaves nothing behind"
    assert corpus.once("x", make) == 7


def test_a_derived_corpus_keeps_its_origins_when_it_is_copied() -> None:
    derived = Corpus(
        "parts", (Document("a#1", "fir"), Document("a#2", "st")), parents=(CORPUS,), origins={"a#1": "a", "a#2": "a"}
    )
    for again in (pickle.loads(pickle.dumps(derived)), copy.deepcopy(derived)):
        assert again == derived
        assert again.parents == (CORPUS,)
        assert dict(again.origins) == {"a#1": "a", "a#2": "a"}


# -------------------------------------------------------------------------------------------- rankings


def test_ranks_start_at_one() -> None:
    r = ranking((B, 2.0), (A, 1.0))
    assert [r.rank(i) for i in "bac"] == [1, 2, None]
    assert r.hit("a") == Hit(A, 1.0)
    assert r.hit("c") is None


def test_top_cuts_with_the_ranks_as_reasons_and_leaves_a_trace() -> None:
    r = ranking((B, 2.0), (A, 1.0), (C, 0.5))
    cut = r.then(Top(1))
    assert cut.hits == (Hit(B, 2.0),)
    assert (cut.made_by, cut.parents) == (Top(1), (r,))
    assert [(d.document, d.reason) for d in cut.dropped] == [
        (A, "Rank 2: only the first 1 are passed on."),
        (C, "Rank 3: only the first 1 are passed on."),
    ]
    assert r.then(Top(9)).hits == r.hits
    assert r.then(Top(9)).dropped == ()
    assert r.then(Top(0)).hits == ()
    for bad in (-1, 1.5, "1", True, None):
        with pytest.raises(ParameterError):
            r.then(Top(bad))  # type: ignore[arg-type]


def test_first_is_as_if_only_so_many_had_been_asked_for_and_refuses_zero() -> None:
    r = ranking((B, 2.0), (A, 1.0))
    for bad in (1.5, "1", True, None, math.inf):
        with pytest.raises(ParameterError, match="k is"):
            r.first(bad)  # type: ignore[arg-type]
    assert r.first(1).hits == (Hit(B, 2.0),)
    assert (r.first(1).made_by, r.first(1).parents, r.first(1).dropped, r.first(1).asked) == (Made(), (), (), 1)
    assert r.first(2) is r.first(9) is r
    with pytest.raises(ParameterError):
        r.first(0)


def test_seconds_corpus_depth_and_evidence_are_not_compared() -> None:
    r = ranking((A, 1.0))
    assert dataclasses.replace(r, seconds=9.0, asked=3, evidence="x", corpus=Corpus("none", ())) == r
    assert dataclasses.replace(r, query="other") != r
    assert dataclasses.replace(r, query="q") == r, "a text is a query wherever one is wanted"
    with pytest.raises(TypeError):
        Ranking(Query("q"), (), Made())  # type: ignore[call-arg]  # nothing was searched


def test_a_ranking_as_plain_values_is_ready_for_json() -> None:
    plain = ranking((B, 2.0)).then(Without("b")).to_dict()
    assert plain["hits"] == []
    assert plain["dropped"] == [{"id": "b", "by": "Without", "reason": "its id is b"}]
    hit = Hit(B, 0.75, (Contribution("x", 0.5), Contribution("y", 0.25)))
    (told,) = Ranking(Query("q"), (hit,), Made(), corpus=CORPUS).to_dict()["hits"]
    assert told["why"] == [{"source": "x", "value": 0.5}, {"source": "y", "value": 0.25}]
    assert json.loads(json.dumps(plain)) == plain


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
    both = Ranking(Query("q"), (), Made(), parents=(left, right), corpus=CORPUS)
    assert [id(r) for r in both.lineage()] == [id(first), id(left), id(right), id(both)]


def test_the_frame_has_one_row_a_hit_with_the_addends_in_words() -> None:
    hit = Hit(B, 0.75, (Contribution("x", 0.5), Contribution("y", 0.25)))
    frame = Ranking(Query("q"), (hit, Hit(A, 0.5)), Made(), corpus=CORPUS).to_frame()
    assert list(frame.columns) == ["rank", "id", "title", "score", "why", "text"]
    assert frame.iloc[0].tolist() == [1, "b", "Title", 0.75, "x 0.5 + y 0.25", "second"]
    assert frame["rank"].tolist() == [1, 2]
    assert Ranking(Query("q"), (), Made(), corpus=CORPUS).to_frame().empty


# ------------------------------------------------------------------------------------------- questions


def test_queries_are_equal_by_text_turns_and_weights() -> None:
    one = Query("q", id="1", metadata={"type": "x"}, kind="original", made_from=Query("p"))
    assert one == Query("q")
    assert hash(one) == hash(Query("q"))
    assert Query("q", turns=(Turn("before"),)) != Query("q")
    assert Query("q", weights=(("w", 2),)) != Query("q")
    assert Query("q", weights=(("w", 2),)) == Query("q", weights=[("w", 2.0)])  # type: ignore[arg-type]
    assert str(one) == "q"
    assert Query.of(one) is one
    assert Query.of("q") == one
    assert len({one, Query("q")}) == 1


def test_a_query_is_frozen_with_its_metadata_and_survives_pickling_and_copying() -> None:
    given = {"type": "x"}
    query = Query("q", id="1", turns=[Turn("a", "assistant", ("d1",))], metadata=given, kind="k", made_from=Query("p"))  # type: ignore[arg-type]
    given["type"] = "y"
    assert query.metadata == {"type": "x"}
    with pytest.raises(TypeError):
        query.metadata["type"] = "y"  # type: ignore[index]
    for again in (pickle.loads(pickle.dumps(query)), copy.deepcopy(query)):
        assert again == query
        assert (again.id, again.metadata, again.kind, again.made_from) == ("1", {"type": "x"}, "k", Query("p"))


def test_blank_is_what_has_nothing_to_search_for() -> None:
    assert Query(" \n").blank
    assert not Query("x").blank
    assert not Query("", weights=(("x", 1),)).blank


@for_each("pair", [("", 1.0), ("w", math.nan), ("w", math.inf), ("w", 10**400), ("w", "1")])
def test_a_weight_is_finite_and_has_a_word(pair: tuple[str, float]) -> None:
    with pytest.raises(ParameterError, match="must be finite"):
        Query("q", weights=(pair,))


# --------------------------------------------------------------------------------------- made when read


def test_reasons_that_nobody_reads_are_not_made() -> None:
    calls: list[int] = []

    def make() -> list[Contribution]:
        calls.append(1)
        return [Contribution("x", 1.0)]

    later = Later(make)
    hit = Hit(A, 1.0, later)
    assert (hit.score, hit.document) == (1.0, A)
    assert calls == []
    assert len(hit.why) == 1
    assert list(hit.why) == [Contribution("x", 1.0)]
    assert hit.why[0].value == 1.0
    assert hit.why == (Contribution("x", 1.0),)
    assert hit == Hit(A, 1.0, (Contribution("x", 1.0),))
    assert hash(later) == hash((Contribution("x", 1.0),))
    assert pickle.loads(pickle.dumps(hit)) == hit
    assert calls == [1]


# ----------------------------------------------------------------------------------------------- knobs


@for_each(
    "name, value, message",
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
        ("free", "1", "free is “1”, but must be a number."),
        ("free", None, "free is “None”, but must be a number."),
        ("free", float("inf"), "free is inf, but must be a finite number."),
        ("free", float("nan"), "free is nan, but must be a finite number."),
        ("switch", "no", "switch is “no”, but must be true or false."),
        ("switch", 1, "switch is “1”, but must be true or false."),
    ],
)
def test_a_knob_says_what_it_takes(name: str, value: object, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        dataclasses.replace(Made(), **{name: value})
    assert str(caught.value) == message


def test_a_number_that_python_does_not_write_is_said_by_its_size() -> None:
    huge = 10**5000
    for name, value, message in (
        ("real", huge, "real is 10^5000, but must be a finite number."),
        ("whole", -huge, "whole is -10^5000, but must lie between 1 and 10."),
        ("word", huge, "word is “10^5000”, but must be one of: a, b."),
        ("switch", [huge], "switch is “list”, but must be true or false."),
    ):
        with pytest.raises(ParameterError) as caught:
            dataclasses.replace(Made(), **{name: value})
        assert str(caught.value) == message
    with pytest.raises(ParameterError, match=r"10\^5000"):
        Query("q", weights=(("w", huge),))
    odd = Document("a", "x", metadata={"n": huge})
    with pytest.raises(CorpusError, match="metadata “n”"):
        Corpus("odd", (odd,))


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


def test_an_untitled_document_is_called_by_whole_words_and_what_is_cut_says_so():
    called = {text: Document("id", text).label for text in ("", "short\n one", "x" * 50)}
    assert called == {"": "id", "short\n one": "short one", "x" * 50: "x" * 39 + "…"}
    long = "The lighthouse was built in 1871 and its lamp is seen for eighteen miles."
    assert Document("d", long).label == "The lighthouse was built in 1871 and…"
    assert Document(
        "d", "渡轮每天早上七点从港口出发，星期天除外；灯塔建于一八七一年，灯光在十八海里以外都能看见，冬天也亮。"
    ).label == ("渡轮每天早上七点从港口出发，星期天除外；灯塔建于一八七一年…")
