"""Judgments: the last click counts, a grade keeps its place when documents are cut anew, nothing is lost silently."""

from __future__ import annotations

from dataclasses import replace

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.algebra import Corpus, Document, Query
from lab.corpus.beir import Collection
from lab.derive.chunk import Chunk
from lab.errors import EvaluationError, ParameterError
from lab.evaluate import evaluate
from lab.evaluate.judging import (
    Judgment,
    Judgments,
    Place,
    place,
    pool,
    qrels_text,
    queries_text,
    read_qrels,
    unjudged,
    with_judgments,
)
from lab.retrieve.lexical import BM25, TFIDF

TEXT = " ".join(
    f"Sentence {i} is about {word}."
    for i, word in enumerate(["foxes", "birds", "snow", "rain", "wind", "trees", "sky"])
)
LONG = Document("long", TEXT * 3, "Long")
SHORT = Document("short", "red fox")
WHOLE = (LONG, SHORT)


def cut(size: int, overlap: int = 0, documents=WHOLE) -> Corpus:
    return Corpus("cut", tuple(Chunk(size=size, overlap=overlap).chunk_all(documents)))


def only(corpus: Corpus, judgments: Judgments, question: str = "foxes") -> dict[str, int]:
    return dict(judgments.on(corpus).of(question, ""))


# ------------------------------------------------------------------------------------------------- clicks


def test_the_last_click_counts_and_can_be_taken_back():
    corpus = Corpus("c", WHOLE)
    made = Judgments().given("Foxes", SHORT, 1).given(" foxes ", SHORT, 3).given("foxes", SHORT, 0, "bo")
    assert only(corpus, made) == {"short": 3}
    assert only(corpus, made.given("foxes", SHORT, None)) == {}
    assert (len(made), made.raters, made.without("").raters) == (2, ("", "bo"), ("bo",))


@pytest.mark.parametrize("grade", [-2, 1001])
def test_a_grade_out_of_range_is_refused(grade):
    with pytest.raises(ParameterError, match="grade"):
        Judgments().given("foxes", SHORT, grade)


def test_judgments_survive_a_file_and_a_bad_line_is_named():
    made = Judgments().given("狐狸", LONG, 2, "安").given("狐狸", LONG, None, "安").given("b", SHORT, 0)
    assert Judgments.from_jsonl(made.to_jsonl()) == made
    for bad in (
        "{}",
        "[1]",
        "no json",
        "[" * 9000 + "]" * 9000,
        '{"question": 3, "place": ["a", 0, 1], "quote": "", "grade": 1, "rater": ""}',
    ):
        with pytest.raises(EvaluationError, match="Line 2 is not a judgment"):
            Judgments.from_jsonl(Judgments().given("b", SHORT, 0).to_jsonl() + bad)


# ------------------------------------------------------------------------------------------------ cut anew


@given(st.integers(20, 300), st.integers(0, 19), st.integers(20, 300), st.integers(0, 19), st.data())
def test_a_grade_follows_to_the_passage_that_holds_its_place(size, overlap, other, again, data):
    before, after = cut(size, overlap), cut(other, again)
    judged = data.draw(st.sampled_from(before.documents))
    made = Judgments().given("foxes", judged, 2)
    assert only(before, made) == {judged.id: 2}
    (found,) = only(after, made)
    there, spot = place(after.get(found)), place(judged)
    assert there.origin == spot.origin
    held = there.start <= spot.middle < there.end
    assert held or not LONG.text[spot.middle].strip()  # a blank between two passages
    assert made.on(after).lost == ()


def test_small_passages_in_one_large_one_give_it_the_best_grade():
    parts = cut(40).documents
    made = Judgments().given("foxes", parts[0], 0).given("foxes", parts[1], 3).given("foxes", parts[2], 1)
    assert only(Corpus("whole", WHOLE), made) == {"long": 3}


def test_where_the_text_has_changed_the_passage_with_the_same_words_has_the_grade_or_it_is_listed():
    made = Judgments().given("foxes", cut(40).documents[1], 2)
    longer = Document("long", "A new beginning stands here. " * 3 + LONG.text)
    (found,) = only(cut(40, documents=(longer,)), made)
    assert made.history[0].quote in cut(40, documents=(longer,)).get(found).text
    gone = cut(40, documents=(Document("long", "Nothing of it is left in here, not a word, in no place at all. " * 4),))
    assert only(gone, made) == {}
    assert made.on(gone).lost == made.history
    assert made.on(Corpus("moved", (Document("other", LONG.text),))).of("foxes", "") == {"other": 2}


def test_a_passage_without_a_text_can_be_judged():
    corpus = Corpus("c", (Document("empty", "", "Only a title"), SHORT))
    assert only(corpus, Judgments().given("foxes", corpus.documents[0], 1)) == {"empty": 1}


def test_metadata_that_only_looks_like_a_chunk_is_no_place():
    assert place(Document("d", "text", metadata={"parent": "p"})) == ("d", 0, 4)


@pytest.mark.parametrize("start", [-1, True, 1.0, 10**400, "0", None])
def test_a_start_in_the_metadata_that_is_no_place_in_a_document_is_none(start):
    document = Document("d", "text", metadata={"chunk": 1, "parent": "p", "start": start})
    assert place(document) == ("d", 0, 4)
    made = Judgments().given("q", document, 2)
    assert Judgments.from_jsonl(made.to_jsonl()) == made
    assert only(Corpus("c", (document,)), made, "q") == {"d": 2}


def test_half_characters_of_broken_files_are_judged_like_others():
    document = Document("id\ud800", "a kiln \udc00 fires", metadata={"chunk": 1, "parent": "whole\ud800", "start": 3})
    for judged in (document, Document("id\ud800", document.text)):
        made = Judgments().given("how\ud83d?", judged, 2, "ann\udfff")
        assert Judgments.from_jsonl(made.to_jsonl()) == made
        assert made.on(Corpus("c", (judged,))).grades == {"ann?": {"how??": {judged.id: 2}}}


@pytest.mark.parametrize(
    ("field", "value"),
    [("question", 3), ("question", " "), ("place", ("d", 5, 0)), ("quote", None), ("grade", True), ("rater", {})],
)
def test_a_judgment_with_a_field_that_it_cannot_have_is_refused_wherever_it_is_made(field, value):
    fields = {"question": "q", "place": ("d", 0, 5), "quote": "x", "grade": 1, "rater": "r"}
    Judgment(**fields)
    with pytest.raises(ParameterError):
        Judgment(**{**fields, field: value})


# --------------------------------------------------------------------------------------- pools and raters


def test_a_pool_holds_the_first_of_every_list_once_and_its_order_tells_nothing():
    corpus = Corpus("c", tuple(Document(f"d{i}", f"red fox {'snow ' * i}") for i in range(12)))
    lists = [search.index(corpus).search("red snow") for search in (BM25(b=0), TFIDF(), BM25(b=1))]
    found = pool(lists, 5, seed="red snow")
    assert {d.id for d in found} == {i for r in lists for i in r.ids[:5]}
    assert len(found) == len({d.id for d in found})
    assert found == pool(reversed(lists), 5, seed="red snow")
    assert len({pool(lists, 5, seed=n) for n in range(5)}) > 1


def test_raters_together_have_the_median_and_apart_their_disagreements():
    documents = [Document(f"d{i}", f"text {i}") for i in range(4)]
    corpus, made = Corpus("c", tuple(documents)), Judgments()
    for rater, grades in (("ann", (0, 1, 3, 2)), ("bo", (3, 1, 2, 2)), ("cy", (0, 1))):
        for document, grade in zip(documents, grades, strict=False):
            made = made.given("q", document, grade, rater)
    found = made.on(corpus)
    assert found.together() == {"q": {"d0": 0, "d1": 1, "d2": 3, "d3": 2}}
    assert found.together("bo") == {"q": {"d0": 3, "d1": 1, "d2": 2, "d3": 2}}
    both = found.agreement("ann", "bo")
    assert (both.equal, both.apart) == (2, (("q", "d0"), ("q", "d2")))
    assert "agree: 2 of 4;" in both.told()


def test_kappa_that_is_not_defined_is_said_to_be():
    corpus = Corpus("c", (SHORT,))
    one = Judgments().given("q", SHORT, 1, "ann")
    assert one.on(corpus).agreement("ann", "bo").told() == "ann and bo have not judged any passage in common."
    both = one.given("q", SHORT, 1, "bo").on(corpus).agreement("ann", "bo")
    assert both.kappa is None
    assert "every passage the same grade (1): kappa is not defined" in both.told()


# ---------------------------------------------------------------------------------------------------- qrels


def test_the_agreement_of_a_group_is_that_of_every_two_raters_who_have_passages_in_common():
    documents = [Document(f"d{i}", f"text {i}") for i in range(6)]
    grades = {"ann": [0, 1, 2, 3, None, None], "bo": [0, 1, 3, 3, 1, None], "cy": [None, None, None, None, 2, 3]}
    judged = Judgments()
    for rater, row in grades.items():
        for document, grade in zip(documents, row, strict=True):
            judged = judged if grade is None else judged.given("why", document, grade, rater)
    placed = judged.on(Corpus("c", tuple(documents)))
    group = placed.group(judged.raters)
    assert [(a.one, a.other) for a in group.agreements] == [("ann", "bo"), ("bo", "cy")]
    assert group.equal == (3, 5)
    ann_bo = placed.agreement("ann", "bo").kappa
    bo_cy = placed.agreement("bo", "cy").kappa
    assert group.kappas == tuple(sorted(k for k in (ann_bo, bo_cy) if k is not None))
    told = " ".join(group.told())
    assert "3 of 5 (60%)" in told
    median = sum(group.kappas) / 2
    assert f"median: {median:.2f}" in told


def test_a_group_without_common_passages_or_with_one_grade_has_no_kappa():
    document = Document("d", "text")
    corpus = Corpus("c", (document,))
    one = Judgments().given("why", document, 2, "ann")
    assert one.on(corpus).group(["ann"]).told() == ("No passage has been judged by two raters yet.",)
    both = one.given("why", document, 2, "bo").on(corpus).group(["ann", "bo"])
    assert both.kappas == ()
    assert "1 of 1 (100%)" in both.told()[0]
    assert "not defined" in both.told()[1]


def test_own_grades_come_before_the_collections_and_make_an_upload_measurable():
    bare = Collection(Corpus("c", WHOLE), (Query("foxes", id="q1"),), {"q1": {"long": 1}})
    made = Judgments().given("Foxes", SHORT, 2, "ann").given("what of  birds", LONG, 3, "ann").given("foxes", LONG, 0)
    own = with_judgments(bare, made)
    assert own.qrels == {"q1": {"long": 0, "short": 2}, "what-of-birds": {"long": 3}}
    assert [q.text for q in own.queries] == ["foxes", "what of birds"]
    assert with_judgments(bare, made, "ann").qrels["q1"] == {"long": 1, "short": 2}
    assert (
        evaluate([BM25()], with_judgments(Collection(bare.corpus), made), ["Success@2"]).mean("BM25", "Success@2") > 0
    )
    assert with_judgments(bare, Judgments()) is bare


@pytest.mark.parametrize("beir_layout", [False, True])
def test_qrels_are_written_read_and_mean_the_same_to_ir_measures(beir_layout):
    collection = Collection(Corpus("c", WHOLE), (Query("foxes", id="q1"), Query("birds", id="q2")))
    made = Judgments().given("foxes", SHORT, 2, "ann").given("birds", LONG, 0, "ann").given("birds", SHORT, 3, "ann")
    qrels = with_judgments(collection, made).qrels
    text = qrels_text(qrels, beir_layout=beir_layout)
    back, unknown = read_qrels("\ufeff" + text, collection, "ann")
    assert (back.current.keys(), unknown) == (made.current.keys(), ())
    assert with_judgments(collection, back).qrels == qrels
    if not beir_layout:
        lines = {(q.query_id, q.doc_id, q.relevance) for q in ir_measures.read_trec_qrels(text)}
        assert lines == {(q, d, g) for q, own in qrels.items() for d, g in own.items()}


def test_what_a_qrels_file_names_that_is_not_here_is_listed_and_a_bad_line_stops():
    collection = Collection(Corpus("c", WHOLE), (Query("foxes", id="q1"),))
    made, unknown = read_qrels("q1 0 short 1\nq9 0 short 1\nq1 0 gone 2\n", collection, "file")
    assert (len(made), unknown) == (1, (("q1", "gone"), ("q9", "short")))
    for bad, said in (
        ("q1 0 short high", "Line 1: The score"),
        ("q1 0 short 1\nq1 0 short 2", "Line 2: .*judged twice"),
    ):
        with pytest.raises(EvaluationError, match=said):
            read_qrels(bad, collection, "file")
    assert read_qrels("", collection, "file") == (Judgments(), ())


def test_an_id_with_a_blank_is_refused():
    for qrels, layout in (({"a b": {"d": 1}}, False), ({"a\tb": {"d": 1}}, True)):
        with pytest.raises(EvaluationError, match="contains whitespace"):
            qrels_text(qrels, beir_layout=layout)
    assert qrels_text({"a b": {"d": 1}}, beir_layout=True).endswith("a b\td\t1\n")
    assert qrels_text({"a b": {"my  file": 1}}, on_blank="_") == "a_b 0 my_file 1\n"


def test_questions_without_judgments_can_be_taken_along():
    collection = Collection(
        Corpus("c", WHOLE),
        (Query("foxes", id="q1"), Query("birds", id="q2", metadata={"type": "x"})),
        {"q1": {"long": 1}},
    )
    assert [q.id for q in unjudged(collection)] == ["q2"]
    assert queries_text(unjudged(collection)) == '{"_id": "q2", "text": "birds", "metadata": {"type": "x"}}\n'
    assert unjudged(with_judgments(collection, Judgments().given("birds", SHORT, 0))) == ()


def test_a_question_or_a_rater_of_a_million_characters_is_a_bad_line() -> None:
    good = Judgment("why?", Place("d", 0, 4), "text", 1, "me")
    for wrong in ({"question": "a" * 10_001}, {"rater": "b" * 1_000_000}):
        with pytest.raises(ParameterError, match="longer than any real one"):
            replace(good, **wrong)
    replace(good, question="a" * 10_000, rater="b" * 1000)
