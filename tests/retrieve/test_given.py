"""Given scores: a metadata field, a TREC run or a table of results as a list of the lab."""

from __future__ import annotations

import csv
import io
import random

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from lab import catalog, formats
from lab.algebra import Corpus, Document, Query, Runner
from lab.errors import ParameterError
from lab.evaluate.runs import Run
from lab.evaluate.trec import trec_text
from lab.fuse import RRF
from lab.refine.filters import ScoreThreshold
from lab.refine.reorder import LongContextReorder
from lab.retrieve.given import Given, Supplied, read_rows
from lab.retrieve.lexical import BM25

SCORES = {"a": 0.9, "b": 0.4, "c": 0.7, "e": 0.4}
TEXTS = {"a": "sugar", "b": "salt", "c": "flour", "d": "yeast", "e": "sugar and salt"}
CORPUS = Corpus(
    "pantry",
    tuple(Document(i, text, metadata={"grade": SCORES[i]} if i in SCORES else {}) for i, text in TEXTS.items()),
)
BY_SCORE = ["a", "c", "e", "b"]  # b and e tie: see lab.algebra.order


def listed(search: Given, question: str | Query = "anything") -> list[tuple[str, float]]:
    return [(hit.document.id, hit.score) for hit in search.index(CORPUS).search(question)]


def test_a_field_is_a_list_whatever_is_asked() -> None:
    for question in ("sugar", "nothing of this is there"):
        assert listed(Given("grade"), question) == [(i, SCORES[i]) for i in BY_SCORE]
    found = Given("grade").index(CORPUS).search("sugar")
    assert found.evidence.note == "Documents without a number in “grade”, which are not in the list: 1 of 5."


def test_distances_are_turned_round() -> None:
    assert listed(Given("grade", lower=True)) == [("e", -0.4), ("b", -0.4), ("c", -0.7), ("a", -0.9)]


def test_numbers_that_are_written_as_text_are_read() -> None:
    values: dict[str, object] = {"a": "15%", "b": "1,200", "c": "n/a", "d": True, "e": ["3"]}
    corpus = Corpus("x", tuple(Document(i, "t", metadata={"n": v}) for i, v in values.items()))  # type: ignore[dict-item]
    assert [(h.document.id, h.score) for h in Given("N").index(corpus).search("q")] == [("b", 1200.0), ("a", 15.0)]


TREC = ("q1 Q0 a 1 0.9 engine", "q1 Q0 c 2 0.7 engine", "q1 Q0 zz 3 0.5 engine", "q2 Q0 d 1 3.5 engine")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (TREC, [("a", 0.9), ("c", 0.7)]),
        (tuple(line.replace(" ", "\t") for line in TREC), [("a", 0.9), ("c", 0.7)]),
        (("query,document,score", "q1,c,.7", "q1,a,9e-1", "q2,b,1"), [("a", 0.9), ("c", 0.7)]),
        (("docno;score;extra", "c;0.7;x", "a;0.9;y"), [("a", 0.9), ("c", 0.7)]),
        (("得分\t文档", "0.7\tc", "0.9\ta"), [("a", 0.9), ("c", 0.7)]),
        (("rank,id", "3,a", "1,d"), [("d", 1.0), ("a", 1 / 3)]),
        (("e", "", "b", "a"), [("e", 1.0), ("b", 1 / 2), ("a", 1 / 3)]),
        (("d 2", "a -1"), [("d", 2.0), ("a", -1.0)]),
        (("q2 a 1", "q1 c 2", "q1 b 3"), [("b", 3.0), ("c", 2.0)]),
        (("\ufeffa",), [("a", 1.0)]),
        ((), []),
    ],
)
def test_runs_and_tables_are_read(lines: tuple[str, ...], expected: list[tuple[str, float]]) -> None:
    assert listed(Given(rows=lines), Query("some question", id="q1")) == expected


def test_rows_may_name_the_question_by_its_text_and_rewrites_have_its_rows() -> None:
    table = ("query\tdocument\tscore", "Where is the salt?\tb\t1")
    asked = Query("where is the salt?")
    assert listed(Given(rows=table), asked) == [("b", 1.0)]
    assert listed(Given(rows=table), Query("salt place", made_from=asked)) == [("b", 1.0)]
    assert listed(Given(rows=table), Query("salt place")) == []


def test_ids_that_are_not_in_the_corpus_and_other_questions_are_said() -> None:
    index = Given(rows=TREC).index(CORPUS)
    some = index.search(Query("x", id="q1"))
    assert some.evidence.note == "Results outside this corpus: 1 of 3 (zz)."
    assert index.reading(Query("x", id="q1")) == some.evidence.note
    assert index.reading(Query("x", id="q2")) == ""
    assert "other questions: q1, q2." in index.reason(Query("x", id="q3"))
    assert "no number" not in index.reason(Query("x", id="q3"))
    unknown = Given(rows=("y", "zz")).index(CORPUS)
    assert "No row names a document of this corpus (rows: 2)" in unknown.reason(Query("x"))
    assert "No document has a number in “text”" in Given("text").index(CORPUS).reason(Query("x"))
    assert "No scores are given yet" in Given().index(CORPUS).reason(Query("x"))


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (("a b c d",), ("Line 1", "its columns (4)")),
        (("a", "b", "a"), ("Line 3", "“a” is in this list already")),
        (("a 0.5", "b high"), ("Line 2", "“high” is not a number")),
        (("a 0.5", "b inf"), ("Line 2", "“inf” is not a number")),
        (("document,score", "a,1", "b"), ("Line 3, columns", "1 of 2")),
        (("document,score", "a,1", ",2"), ("Line 3", "names no document")),
        (("id,rank", "a,0"), ("Line 2", "at least 1")),
        (("q Q0 a 1 x tag",), ("Line 1", "“x” is not a number")),
    ],
)
def test_bad_rows_are_refused_with_their_line(lines: tuple[str, ...], words: tuple[str, ...]) -> None:
    with pytest.raises(ParameterError) as refused:
        Given(rows=lines)
    assert all(word in str(refused.value) for word in (*words, "TREC run"))


def test_a_field_and_rows_are_not_both_given() -> None:
    with pytest.raises(ParameterError, match="Give one of the two"):
        Given("grade", rows=("a",))


@drawn(st.lists(st.tuples(st.sampled_from("abcde"), st.floats(-1e6, 1e6)), unique_by=lambda x: x[0]), st.booleans())
def test_any_run_that_the_lab_writes_is_read_as_it_was(hits: list[tuple[str, float]], trec: bool) -> None:
    hits.sort(key=lambda hit: (-hit[1], hit[0]))
    if trec:
        rows = trec_text(Run("engine", {"q": tuple(hits)})).splitlines()
    else:
        text = io.StringIO(newline="")
        csv.writer(text).writerows([["id", "text", "score"], *[[i, 'many\n"lines"', repr(s)] for i, s in hits]])
        rows = text.getvalue().splitlines()
    found = [i for i, _ in listed(Given(rows=tuple(rows)), Query("x", id="q"))]
    assert found == [i for i, _ in hits]


def test_it_is_a_list_among_others_in_every_form_of_a_search() -> None:
    search = RRF()(Given("grade"), BM25()) >> ScoreThreshold(0.01) >> LongContextReorder()
    assert formats.read(formats.to_toml(search)) == search
    assert formats.read(formats.expression(search)) == search
    assert formats.read(formats.to_link(search)) == search
    rows = Given(rows=TREC, lower=True) % 3
    assert formats.read(formats.to_toml(rows)) == rows
    assert Given in catalog.with_role(catalog.retrievers, "list")
    reordered = Runner(CORPUS)(Given(rows=("a", "b", "c", "d")) >> LongContextReorder(), "any")
    assert set(reordered.ids) == set("abcd")
    assert reordered.ids != list("abcd")


def test_a_long_run_is_read_and_a_too_long_one_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"q{q} Q0 d{d} {d} {-d} x" for q in range(200) for d in range(1, 101)]
    random.Random(0).shuffle(lines)
    assert len(read_rows(lines)) == 20_000
    monkeypatch.setattr("lab.retrieve.given.MOST", 500)
    with pytest.raises(ParameterError, match="more than 500 rows"):
        read_rows(lines)


def test_a_column_of_ranks_is_the_order_and_a_disagreement_is_said() -> None:
    rows = ("q1 Q0 d 1 0.5 mmr", "q1 Q0 a 2 0.9 mmr", "q1 Q0 c 3 0.9 mmr")
    query = Query("any", id="q1")
    assert listed(Given(rows=rows), query) == [("d", 0.5), ("a", 0.9), ("c", 0.9)]
    note = Runner(CORPUS)(Given(rows=rows), query).evidence_as(Supplied).note
    assert note.startswith("The order is not that of the scores: result 2 scores more than result 1.")
    same = tuple(row.replace(" 1 ", " 0 ").replace(" 2 ", " 0 ").replace(" 3 ", " 0 ") for row in rows)
    assert listed(Given(rows=same), query) == [("c", 0.9), ("a", 0.9), ("d", 0.5)]
