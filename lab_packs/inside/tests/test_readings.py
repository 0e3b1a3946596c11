"""Lessons can expect how many postings are read."""

from __future__ import annotations

from lab import lessons
from lab.algebra import Corpus, Document
from lab.corpus.beir import Collection
from tests.test_lessons import lesson


def test_what_is_read_of_the_postings_can_be_expected():
    texts = ["kiln the"] * 3 + ["the" + " clay" * i for i in range(30, 0, -1)]  # each better than the one before
    corpus = Corpus("kilns", tuple(Document(f"d{i}", text) for i, text in enumerate(texts)))
    told = lesson(
        {"list": "bm25", "reading": "postings_of", "of": [3, "the"], "is": 3},
        {"list": "bm25", "reading": "postings", "of": 3, "below": 0.2},
        {"list": "bm25", "reading": "postings", "of": 4, "is": 1},
        {"list": "bm25", "reading": "postings_of", "of": [3, "the"], "is": 33},
        {"list": "bm25", "reading": "postings_of", "of": [3, "zebra"], "is": 0},
        {"list": "bm25", "reading": "postings", "of": 3, "below": 0.1},
        {"list": "bm25", "reading": "postings", "of": 3, "is": 1},
        {"list": "vector", "reading": "postings", "of": 3, "is": 1},
        query="kiln the",
        lists={"bm25": "BM25()", "vector": "Vector()"},
    )
    assert [r.passed for r in lessons.check(told, Collection(corpus))] == [True] * 3 + [False] * 5
