"""Judgments written for Quepid and OpenSearch, and read again."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import examples

from lab.algebra import Corpus, Document, Query
from lab.corpus.beir import Collection
from lab.errors import EvaluationError
from lab.evaluate.exchange import WRITERS
from lab.evaluate.judging import read_rated, with_judgments
from lab.reading import ratings
from lab.reading.ratings import same
from lab.reading.read import read_files

CORPUS = Corpus("shoes", (Document("s1", "red shoes"), Document("s-2,x", "boots"), Document("三", "靴子")))
COLLECTION = Collection(
    CORPUS,
    (
        Query("red shoes", id="q1", metadata={"information_need": "for a party, not for sport"}),
        Query("-size 42", id="q2", metadata={"reference_answer": "none"}),
        Query("靴子多少钱？", id="q3"),
    ),
    {"q1": {"s1": 3, "s-2,x": 0}, "q2": {"三": 1}},
)
JUDGED = ("quepid", "quepid-json", "opensearch")


def written(name: str, c: Collection = COLLECTION) -> str:
    return WRITERS[name][0](c)


def test_quepid_s_csv_is_what_quepid_writes_and_imports():
    assert written("quepid") == (
        'query,docid,rating\nred shoes,s1,3\nred shoes,"s-2,x",0\n -size 42,三,1\n靴子多少钱？\n'
    )
    assert written("quepid-needs") == (
        'query,information_need\nred shoes,"for a party, not for sport"\n -size 42,\n靴子多少钱？,\n'
    )


def test_quepid_s_json_has_an_object_of_ratings_per_query():
    assert json.loads(written("quepid-json")) == {
        "queries": [
            {"query": "red shoes", "ratings": {"s1": 3, "s-2,x": 0}},
            {"query": "-size 42", "ratings": {"三": 1}},
            {"query": "靴子多少钱？", "ratings": {}},
        ]
    }


def test_opensearch_gets_the_bodies_of_its_requests():
    body = json.loads(written("opensearch"))
    assert body["judgmentRatings"] == [
        {"query": "red shoes", "ratings": [{"docId": "s1", "rating": "3.000"}, {"docId": "s-2,x", "rating": "0.000"}]},
        {"query": "-size 42", "ratings": [{"docId": "三", "rating": "1.000"}]},
    ]
    assert (body["name"], body["type"]) == ("shoes", "IMPORT_JUDGMENT")
    queries = json.loads(written("opensearch-queries"))
    assert queries["querySetQueries"] == [
        {"queryText": "red shoes"},
        {"queryText": "-size 42", "referenceAnswer": "none"},
        {"queryText": "靴子多少钱？"},
    ]
    assert queries["sampling"] == "manual"
    long = Collection(Corpus("n" * 300, CORPUS.documents), COLLECTION.queries, COLLECTION.qrels)
    assert len(json.loads(written("opensearch", long))["name"]) == 50
    assert len(json.loads(written("opensearch", long))["description"]) == 250


@pytest.mark.parametrize("name", ["quepid-needs", "opensearch-queries"])
def test_questions_are_read_again_with_what_is_known_of_them(name):
    read = ratings.read(written(name), lambda *problem: pytest.fail(str(problem)))
    assert [q.text for q in read.queries] == [q.text for q in COLLECTION.queries]
    kept = "information_need" if name == "quepid-needs" else "reference_answer"
    assert [q.metadata.get(kept) for q in read.queries] == [q.metadata.get(kept) for q in COLLECTION.queries]


IDS = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=6)
TEXTS = st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=20).filter(str.strip)


@st.composite
def collections(draw):
    documents = draw(st.lists(IDS, min_size=1, max_size=5, unique=True))
    texts = draw(st.lists(TEXTS.map(lambda t: " ".join(t.split())), min_size=1, max_size=5, unique_by=same))
    queries = tuple(Query(text, id=f"q{i}") for i, text in enumerate(texts))
    grades = st.dictionaries(st.sampled_from(documents), st.integers(0, 3), max_size=4)
    corpus = Corpus("drawn", tuple(Document(d, f"text of {d}") for d in documents))
    return Collection(corpus, queries, {q.id: draw(grades) for q in queries})


@pytest.mark.parametrize("name", JUDGED)
@examples(150)
@given(c=collections())
def test_what_is_written_is_read_again(name, c):
    wanted = {q.text: dict(c.qrels[q.id]) for q in c.queries if c.qrels[q.id]}
    text = written(name, c)
    if not any(c.qrels.values()) and name == "opensearch":
        return
    read = ratings.read(text, lambda *problem: pytest.fail(str(problem)))
    assert {q.text: dict(read.qrels[q.id]) for q in read.queries if q.id in read.qrels} == wanted
    given_again, unknown, remark = read_rated(text, Collection(c.corpus, c.queries), "rater")
    assert (unknown, remark) == ((), "")
    again = with_judgments(Collection(c.corpus, c.queries), given_again)
    assert {q.text: dict(again.qrels[q.id]) for q in again.queries if again.qrels.get(q.id)} == wanted
    corpus = "".join(json.dumps({"_id": d.id, "text": d.text}) + "\n" for d in c.corpus)
    files = [("corpus.jsonl", corpus), (f"r{WRITERS[name][1]}", text)]
    uploaded = read_files([(file, content.encode()) for file, content in files])
    assert {q.text: dict(uploaded.qrels[q.id]) for q in uploaded.queries if q.id in uploaded.qrels} == wanted
    assert uploaded.problems == ()


def test_questions_of_the_same_text_are_one_and_the_higher_grade_counts():
    c = Collection(CORPUS, (Query("a  b", id="1"), Query("A b", id="2")), {"1": {"s1": 1}, "2": {"s1": 2, "三": -1}})
    for name in JUDGED:
        read = ratings.read(written(name, c), lambda *problem: pytest.fail(str(problem)))
        assert [dict(grades) for grades in read.qrels.values()] == [{"s1": 2, "三": 0}]


@pytest.mark.parametrize("name", JUDGED)
def test_what_a_file_cannot_hold_is_refused_in_words(name):
    for query, document, said in (
        (Query(" ", id="q9"), "s1", "The question “q9” has no text"),
        (Query("a", id="q"), " s1", "The id “ s1” has whitespace at an end or a line break"),
        (Query("a", id="q"), "s\n1", "whitespace at an end or a line break"),
    ):
        with pytest.raises(EvaluationError, match=said):
            written(name, Collection(CORPUS, (query,), {query.id: {document: 1}}))


def test_no_question_becomes_a_formula():
    c = Collection(CORPUS, tuple(Query(f"{sign}1+1", id=sign) for sign in "=+-@"), {s: {"s1": 1} for s in "=+-@"})
    for name in ("quepid", "quepid-needs"):
        rows = list(csv.reader(io.StringIO(written(name, c))))
        assert all(row[0].startswith(" ") for row in rows[1:])
        assert [q.text for q in ratings.read(written(name, c), pytest.fail).queries] == [q.text for q in c.queries]


@pytest.mark.parametrize("text", ['what does "E203" mean', "battery < 20 %", r"path C:\lab", "one\ntwo", "x" * 2001])
def test_a_query_set_that_opensearch_would_refuse_is_not_written(text):
    (asked, *others), grades = COLLECTION.queries, COLLECTION.qrels
    with pytest.raises(EvaluationError, match=r"OpenSearch refuses a query set with these questions \(1\)"):
        written("opensearch-queries", Collection(CORPUS, (Query(text, id="q1"), *others), grades))
    answered = Query("red shoes", id="q1", metadata={"reference_answer": text})
    with pytest.raises(EvaluationError, match="“red shoes”"):
        written("opensearch-queries", Collection(CORPUS, (answered, *others), grades))
    assert json.loads(written("opensearch", Collection(CORPUS, (Query(text, id="q1"), asked), grades)))


def test_a_name_that_opensearch_would_refuse_is_written_without_these_characters():
    named = Collection(Corpus('shoes <"2026">', CORPUS.documents), COLLECTION.queries, COLLECTION.qrels)
    for form in ("opensearch", "opensearch-queries"):
        body = json.loads(written(form, named))
        assert not set('"<>') & set(body["name"] + body["description"])
        assert body["name"].startswith("shoes")
