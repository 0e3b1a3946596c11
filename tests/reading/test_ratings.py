"""Judgments and questions of Quepid and OpenSearch: what their files say, what is wrong in them, and grades."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import examples

from lab.corpus import beir
from lab.errors import CorpusError
from lab.reading import ratings
from lab.reading.read import read_file, read_files

CSV = """\
query,docid,rating
red shoes,s1,3
red shoes,s2,0
"a ""wide"" boot, black",s3,1
" -size 42",s1,2
only asked
"""
QUEPID = {
    "queries": [
        {"query": "red shoes", "ratings": {"s1": 3, "s2": 0}},
        {"query": 'a "wide" boot, black', "ratings": {"s3": 1}},
        {"query": "-size 42", "ratings": {"s1": 2}},
        {"query": "only asked", "ratings": {}},
    ]
}
CASE = {
    "case_name": "Shoes",
    "queries": [
        {"arranged_next": None, "query_text": q["query"], "information_need": "", "ratings": q["ratings"]}
        for q in QUEPID["queries"]
    ],
}
RATINGS = [
    {"query": q["query"], "ratings": [{"docId": d, "rating": f"{g:.3f}"} for d, g in q["ratings"].items()]}
    for q in QUEPID["queries"]
]
OPENSEARCH = {"name": "ours", "description": "", "type": "IMPORT_JUDGMENT", "judgmentRatings": RATINGS}
ANSWER = {"took": 36, "hits": {"total": {"value": 1}, "hits": [{"_id": "j", "_source": {**OPENSEARCH, "id": "j"}}]}}
FORMS = {
    "ratings.csv": CSV,
    "quepid.json": json.dumps(QUEPID),
    "case.json": json.dumps(CASE, indent=2),
    "opensearch.json": json.dumps(OPENSEARCH),
    "answer.json": json.dumps(ANSWER, indent=1),
}
GRADES = {"red shoes": {"s1": 3, "s2": 0}, 'a "wide" boot, black': {"s3": 1}, "-size 42": {"s1": 2}}
CORPUS = "".join(json.dumps({"_id": f"s{i}", "title": "", "text": f"shoe {i}"}) + "\n" for i in (1, 2, 3))


def by_text(queries, qrels):
    return {q.text: dict(qrels[q.id]) for q in queries if q.id in qrels}


def read_texts(*files: tuple[str, str]):
    return read_files([(name, text.encode()) for name, text in files])


def problems_of(text: str) -> list[tuple[int, str]]:
    found = []
    ratings.read(text, lambda number, message, remedy: found.append((number, str(message))))
    return found


# ------------------------------------------------------------------------------------------------- read


@pytest.mark.parametrize("name", FORMS)
def test_every_form_gives_the_same_questions_and_grades(name):
    found = ratings.read(FORMS[name], lambda *problem: pytest.fail(str(problem)))
    assert [q.text for q in found.queries] == ["red shoes", 'a "wide" boot, black', "-size 42", "only asked"]
    assert by_text(found.queries, found.qrels) == GRADES
    assert found.remark == ""
    assert ratings.is_rated(FORMS[name])


@pytest.mark.parametrize("name", FORMS)
def test_an_upload_has_them_beside_its_documents_and_alone(name):
    for files in ([("corpus.jsonl", CORPUS), (name, FORMS[name])], [(name, FORMS[name]), ("corpus.jsonl", CORPUS)]):
        read = read_files([(file, text.encode()) for file, text in files])
        assert read.problems == ()
        assert by_text(read.queries, read.qrels) == GRADES
        assert [d.id for d in read] == ["s1", "s2", "s3"]
    alone = read_file(name, FORMS[name].encode())
    assert by_text(alone.queries, alone.qrels) == GRADES
    assert "4 judgments" in alone.files[0].text


def test_a_zip_and_a_folder_have_them_too(tmp_path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("shop/corpus.jsonl", CORPUS)
        file.writestr("shop/ratings.csv", CSV)
    read = read_file("shop.zip", packed.getvalue())
    assert by_text(read.queries, read.qrels) == GRADES
    (tmp_path / "corpus.jsonl").write_text(CORPUS, "utf-8")
    (tmp_path / "judgments.json").write_text(FORMS["opensearch.json"], "utf-8")
    loaded = beir.load(tmp_path)
    assert by_text(loaded.queries, loaded.qrels) == GRADES
    assert loaded.unknown == ()


QUERIES = '{"_id": "q7", "text": "Red  shoes", "metadata": {"type": "plain"}}\n{"_id": "q8", "text": "boots"}\n'


def test_a_question_that_the_collection_has_keeps_its_id_and_new_ones_get_one(tmp_path):
    files = [("a.csv", CSV), ("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES)]
    read = read_files([(name, text.encode()) for name, text in files])
    assert [q.id for q in read.queries] == ["q7", "q8", 'a-"wide"-boot,-black', "-size-42", "only-asked"]
    assert read.qrels["q7"] == {"s1": 3, "s2": 0}
    assert read.queries[0].metadata == {"type": "plain"}
    for name, text in files:
        (tmp_path / name).write_text(text, "utf-8")
    loaded = beir.load(tmp_path)
    assert ([q.id for q in loaded.queries], loaded.qrels["q7"]) == ([q.id for q in read.queries], {"s1": 3, "s2": 0})


def test_a_column_of_ids_stays_one_and_its_unknown_ids_are_no_questions():
    text = "query,docid,rating\nq7,s1,1\nq99,s2,1\n"
    read = read_texts(("r.csv", text), ("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES))
    assert [q.id for q in read.queries] == ["q7", "q8"]
    assert read.qrels["q7"] == {"s1": 1}
    assert [str(p.message) for p in read.problems] == [
        "Judgments of a missing query or document: 1, the first: “s2” for “q99”."
    ]


def test_unknown_documents_are_counted_and_the_first_is_named():
    text = CSV + "red shoes,gone-1,2\nred shoes,gone-2,2\n"
    read = read_files([("corpus.jsonl", CORPUS.encode()), ("r.csv", text.encode())])
    (problem,) = read.problems
    assert str(problem.message) == "Judgments of a missing query or document: 2, the first: “gone-1” for “red-shoes”."


# ----------------------------------------------------------------------------------------- what is wrong


def test_bad_rows_of_csv_are_named_with_their_lines_and_the_others_are_read():
    text = (
        "query,docid,rating\n"
        "red shoes,s1,high\n"
        '"two\nlines",s2,1\n'
        "red shoes,s1,-1\n"
        "red shoes,s1,1,2\n"
        ",s1,1\n"
        "red shoes,s3,2\n"
        "red shoes,s3,1\n"
        "red shoes,,1\n"
        "red shoes,s9,\n"
        "red shoes,s2,1e9\n"
    )
    assert problems_of(text) == [
        (5 + 1, "Columns in the line: 4; 3 are required."),
        (2, "The rating “high” of “s1” is not a number from 0 to 1000."),
        (5, "The rating “-1” of “s1” is not a number from 0 to 1000."),
        (7, "The query is empty."),
        (10, "The document is missing."),
        (12, "The rating “1e9” of “s2” is not a number from 0 to 1000."),
        (9, "“s3” is judged twice for “red shoes”, with different grades."),
    ]
    found = ratings.read(text, lambda *_: None)
    assert by_text(found.queries, found.qrels) == {"two lines": {"s2": 1}, "red shoes": {"s3": 2}}


def test_bad_ratings_of_json_are_named_with_their_lines():
    text = """\
{"judgmentRatings": [
  {"query": "red shoes",
   "ratings": [
     {"docId": "s1", "rating": "good"},
     {"docId": "s2", "rating": true},
     {"rating": 1},
     {"docId": "s3", "rating": "2.000"}
   ]},
  {"query": 5, "ratings": []},
  {"query": "boots", "ratings": 7}
]}
"""
    assert sorted(problems_of(text)) == [
        (4, "The rating “good” of “s1” is not a number from 0 to 1000."),
        (5, "The rating “True” of “s2” is not a number from 0 to 1000."),
        (6, "A rating of “red shoes” has no “docId”."),
        (9, "The query is not a text."),
        (10, "The ratings of “boots” are not a list."),
    ]
    found = ratings.read(text, lambda *_: None)
    assert by_text(found.queries, found.qrels) == {"red shoes": {"s3": 2}}


def test_a_folder_stops_at_the_first_bad_row(tmp_path):
    (tmp_path / "corpus.jsonl").write_text(CORPUS, "utf-8")
    (tmp_path / "ratings.csv").write_text("query,docid,rating\nred,s1,1\nred,s2,many\n", "utf-8")
    with pytest.raises(CorpusError, match="ratings.csv, line 3: The rating “many” of “s2” is not a number"):
        beir.load(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        '{"judgmentRatings": [',
        '{"judgmentRatings": 3}',
        '{"queries": [{"query": "a", "ratings": {"d": [1]}}]}',
        '{"judgmentRatings": ' + "[" * 5000,
        '{"judgmentRatings": [[[[]]]]}',
        '{"queryText": 1}',
        "query,docid,rating\n" + '"' + "x" * 200_000,
        "query,docid,rating\na,b\n",
    ],
)
def test_a_broken_file_is_refused_or_named_and_never_a_crash(text):
    found: list[tuple[int, str]] = []
    read = ratings.read(text, lambda number, message, remedy: found.append((number, message)))
    assert read.qrels == {}
    assert found or not read.queries
    assert all(1 <= number <= text.count("\n") + 1 for number, _ in found)


KEYS = ["query", "ratings", "docId", "rating", "judgmentRatings", "queries", "queryText", "hits", "x"]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


@examples(300)
@given(ANYTHING, st.integers(0, 2))
def test_no_json_breaks_the_reader(value, indent):
    text = json.dumps({"judgmentRatings": value}, indent=indent or None)
    found = []
    read = ratings.read(text, lambda number, message, remedy: found.append(number))
    assert all(1 <= number <= text.count("\n") + 1 for number in found)
    assert all(0 <= g <= 3 for grades in read.qrels.values() for g in grades.values())
    assert {q.id for q in read.queries} >= set(read.qrels)


@examples(200)
@given(st.text(st.sampled_from('",\n\r ab=-12.5\x00\ufeff'), max_size=80))
def test_no_csv_breaks_the_reader(body):
    text = "query,docid,rating\n" + body
    found = []
    read = ratings.read(text, lambda number, message, remedy: found.append(number))
    assert all(1 <= number <= len(text.splitlines()) + text.count("\r") + 1 for number in found)
    assert all(0 <= g <= 3 for grades in read.qrels.values() for g in grades.values())


# ------------------------------------------------------------------------------------------------ grades


@pytest.mark.parametrize(
    ("values", "grades", "said"),
    [
        ([0, 1, 2, 3], [0, 1, 2, 3], ""),
        ([0, 1], [0, 1], ""),
        ([], [], ""),
        (
            [0.0, 0.2, 0.5, 1.0],
            [0, 1, 2, 3],  # 0.6 and 1.5 rounded
            "The ratings are fractions up to 1; they were multiplied by 3 and rounded, since grades go from 0 to 3.",
        ),
        (
            [0, 5, 10],
            [0, 2, 3],  # 5 * 3 / 10 = 1.5
            "The ratings go up to 10; they were scaled to grades from 0 to 3 and rounded.",
        ),
        ([0.4, 2.5], [0, 3], "The ratings have fractions; they were rounded, since grades are whole numbers."),
        ([3.6], [3], "The ratings go up to 3.6; they were scaled to grades from 0 to 3 and rounded."),
    ],
)
def test_ratings_become_grades_and_what_was_done_is_said(values, grades, said):
    grade, remark = ratings.scaled(values)
    assert ([grade(value) for value in values], remark) == (grades, said)


@given(st.lists(st.floats(0, 1000), min_size=1, max_size=20))
def test_grades_keep_the_order_of_the_ratings_and_are_0_to_3(values):
    grade, _ = ratings.scaled(values)
    ordered = [grade(value) for value in sorted(values)]
    assert ordered == sorted(ordered)
    assert set(ordered) <= {0, 1, 2, 3}


def test_an_upload_says_that_its_ratings_were_scaled():
    text = "query,docid,rating\nred,s1,10\nred,s2,4\n"
    read = read_files([("corpus.jsonl", CORPUS.encode()), ("r.csv", text.encode())])
    assert [str(p.message) for p in read.problems] == [
        "The ratings go up to 10; they were scaled to grades from 0 to 3 and rounded."
    ]
    assert read.qrels == {"red": {"s1": 3, "s2": 1}}


# --------------------------------------------------------------------------------------------- questions

NEEDS = 'query_id,query,information_need\n12,red shoes,"for a party, not for sport"\n13,boots,\n'
BASIC = 'query,information_need\nred shoes,"for a party, not for sport"\nboots,\n'
SET = {
    "name": "shop",
    "sampling": "manual",
    "querySetQueries": [{"queryText": "red shoes", "referenceAnswer": "the ones of 2024"}, {"queryText": "boots"}],
}


def test_information_needs_and_query_sets_are_questions():
    for name, text, ids in (("needs.csv", NEEDS, ["12", "13"]), ("basic.csv", BASIC, ["red-shoes", "boots"])):
        read = read_file(name, text.encode())
        assert [q.id for q in read.queries] == ids
        assert [dict(q.metadata) for q in read.queries] == [{"information_need": "for a party, not for sport"}, {}]
    lines = "".join(json.dumps(row) + "\n" for row in SET["querySetQueries"])
    for name, text in (("set.json", json.dumps(SET)), ("set.jsonl", lines), ("lines.txt.json", lines)):
        read = read_file(name, text.encode())
        assert [q.text for q in read.queries] == ["red shoes", "boots"]
        assert read.queries[0].metadata == {"reference_answer": "the ones of 2024"}


def test_an_information_need_joins_the_question_that_is_there():
    read = read_texts(("needs.csv", NEEDS), ("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES))
    assert {q.id: dict(q.metadata) for q in read.queries} == {
        "q7": {"type": "plain", "information_need": "for a party, not for sport"},
        "q8": {},
    }


def test_a_table_of_documents_stays_one():
    for name, text in (
        ("faq.csv", "id,title,text\n1,red,shoes are red\n2,boots,boots are wet\n"),
        ("faq.json", json.dumps([{"id": "1", "text": "what queries: are"}, {"id": "2", "text": "b"}])),
        ("log.json", json.dumps({"queries": [{"text": "a b"}, {"text": "c d"}]})),
    ):
        read = read_file(name, text.encode())
        assert len(read) >= 1
        assert read.queries == ()
