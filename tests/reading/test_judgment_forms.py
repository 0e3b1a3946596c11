"""Judgments beside a corpus in every usual form: JSON, blanks and tabs, search engines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lab.reading.read import ReadResult, read_files

CORPUS = [
    {"_id": "d1", "title": "", "text": "Tents are aired in May."},
    {"_id": "d2", "title": "", "text": "The ferry leaves at noon."},
]
QUERIES = [{"_id": "q1", "text": "when are tents aired"}, {"_id": "q2", "text": "when does the ferry leave"}]


def lines(values: list[Any]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def read(name: str, form: object, queries: list[Any] = QUERIES) -> ReadResult:
    text = form if isinstance(form, str) else json.dumps(form)
    files = {"corpus.jsonl": lines(CORPUS), **({"queries.jsonl": lines(queries)} if queries else {}), name: text}
    return read_files([(file, content.encode()) for file, content in files.items()])


def official(query: str, document: str, grade: float) -> dict[str, object]:
    return {"query-id": query, "corpus-id": document, "score": grade}


def request(key: str, text: str, document: str, grade: int) -> dict[str, object]:
    query = {"match": {"text": text}}
    return {"id": key, "request": {"query": query}, "ratings": [{"_index": "c", "_id": document, "rating": grade}]}


FORMS: dict[str, tuple[str, object]] = {
    "official names, line by line": ("default.jsonl", lines([official("q1", "d1", 1.0), official("q2", "d2", 2.0)])),
    "official names, a list": ("default.json", [official("q1", "d1", 1), official("q2", "d2", 2)]),
    "usual names, a list": (
        "qrels.json",
        [{"query_id": "q1", "doc_id": "d1", "relevance": 1}, {"query_id": "q2", "doc_id": "d2", "relevance": 2}],
    ),
    "other names, line by line": (
        "graded.jsonl",
        lines([{"qid": "q1", "docid": "d1", "rel": 1}, {"qid": "q2", "docid": "d2", "rel": 2}]),
    ),
    "by query, a list of objects": (
        "judgments.json",
        {"q1": [{"doc_id": "d1", "relevance": 1}], "q2": [{"doc_id": "d2", "relevance": 2}]},
    ),
    "below a name": ("gold.json", {"qrels": {"q1": {"d1": 1}, "q2": {"d2": 2}}}),
    "by column": (
        "frame.json",
        {"query_id": {"0": "q1", "1": "q2"}, "doc_id": {"0": "d1", "1": "d2"}, "relevance": {"0": 1, "1": 2}},
    ),
    "questions by their texts": (
        "labels.json",
        [
            {"query": "when are tents aired", "doc_id": "d1", "relevance": 1},
            {"query": "when does the ferry leave", "doc_id": "d2", "relevance": 2},
        ],
    ),
    "blanks and a tab": ("test.txt", "q1 0\td1 1\nq2\t0 d2\t2\n"),
    "blanks of any number": ("runs.txt", "q1  0   d1\t 1\n q2 Q0 d2  2\n"),
    "the passage before its document": ("dev.tsv", "qid\tdocid\tpid\trelevance\nq1\tD7\td1\t1\nq2\tD8\td2\t2\n"),
    "Elasticsearch": (
        "rank_eval.json",
        {
            "requests": [
                request("a", "when are tents aired", "d1", 1),
                request("b", "when does the ferry leave", "d2", 2),
            ],
            "metric": {"precision": {"k": 20}},
        },
    ),
    "Elasticsearch with a template": (
        "evaluation.json",
        {
            "templates": [{"id": "t", "template": {"source": {"query": {"match": {"text": "{{words}}"}}}}}],
            "requests": [
                {
                    "id": "a",
                    "template_id": "t",
                    "params": {"words": "when are tents aired"},
                    "ratings": [{"_index": "c", "_id": "d1", "rating": 1}],
                },
                {
                    "id": "b",
                    "template_id": "t",
                    "params": {"words": "when does the ferry leave"},
                    "ratings": [{"_index": "c", "_id": "d2", "rating": 2}],
                },
            ],
        },
    ),
    "Solr's evaluator": (
        "ratings.json",
        {
            "topics": [
                {
                    "query_groups": [
                        {"queries": ["when are tents aired"], "relevant_documents": {"1": ["d1"]}},
                        {
                            "queries": [{"placeholders": {"$query": "when does the ferry leave"}}],
                            "relevant_documents": {"d2": {"gain": 2}},
                        },
                    ]
                }
            ]
        },
    ),
    "learning to rank": (
        "sample.txt",
        "# grade, query, document\n1 qid:q1 1:0.5 2:7 # d1 tents\n2 qid:q2 1:0.1 # d2\n",
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_judgments_are_read_in_this_form_and_are_never_documents(name: str) -> None:
    result = read(*FORMS[name])
    assert {q: dict(grades) for q, grades in result.qrels.items()} == {"q1": {"d1": 1}, "q2": {"d2": 2}}
    assert [d.id for d in result] == ["d1", "d2"]
    assert [q.id for q in result.queries] == ["q1", "q2"]
    assert result.problems == ()


@pytest.mark.parametrize("form", [{"q1": ["d1"], "q2": ["d2"]}, [{"id": "q1", "relevant_ids": ["d1"]}]])
def test_lists_of_relevant_documents_are_judgments(form: object) -> None:
    assert dict(read("relevant_docs.json", form).qrels["q1"]) == {"d1": 1}


def test_a_request_brings_its_questions_where_the_collection_has_none() -> None:
    query = {"multi_match": {"query": "when are tents aired", "fields": ["title^2"], "type": "best_fields"}}
    ratings = [{"_index": "c", "_id": "d1", "rating": 3}, {"_index": "c", "_id": "d2", "rating": 0}]
    form = {"requests": [{"id": "tents", "request": {"query": query}, "ratings": ratings}]}
    result = read("rank_eval.json", form, [])
    assert [(q.id, q.text) for q in result.queries] == [("tents", "when are tents aired")]
    assert dict(result.qrels["tents"]) == {"d1": 3, "d2": 0}


@pytest.mark.parametrize(
    "form",
    [
        [{"query": "when are tents aired", "passage": "Tents are aired in May.", "label": 1}],
        [{"id": "a", "text": "Tents are aired in May.", "score": 1}],
        {"requests": [{"id": "a", "text": "Please air the tents in May."}]},
    ],
)
def test_texts_with_a_number_are_no_judgments(form: object) -> None:
    result = read("notes.json", form)
    assert "d1" not in result.qrels.get("when are tents aired", {})
    assert any("tents" in d.text.lower() for d in result.documents[2:]) or len(result.queries) > 2
