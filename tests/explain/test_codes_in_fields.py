"""Codes that only fields hold: named with the field and the passages."""

from __future__ import annotations

import pytest

from lab.algebra import Corpus, Document
from lab.explain.codes_in_fields import codes_in_fields

CORPUS = Corpus(
    "orders",
    (
        Document("a", "The parcel was damaged.", metadata={"order": "A-10293", "days": 2024}),
        Document("b", "The refund was paid.", metadata={"order": "a-10293", "parts": ["X77/3", "Q9"]}),
        Document("c", "Order B-20001 is late.", metadata={"order": "B-20001"}),
    ),
)


@pytest.mark.parametrize(
    ("question", "field", "ids"),
    [
        ("A-10293", "order", "2 (a, b)"),
        ("订单A-10293在哪", "order", "2 (a, b)"),
        ("does x77/3 fit?", "parts", "1 (b)"),
        ("is Q9 in stock", "parts", "1 (b)"),
    ],
)
def test_a_code_of_a_field_is_named(question: str, field: str, ids: str) -> None:
    (sentence,) = codes_in_fields(question, CORPUS)
    assert f"the field “{field}”" in sentence
    assert sentence.endswith(f"Passages: {ids}.")


@pytest.mark.parametrize("question", ["B-20001", "in 2024", "A-10294", "the parcel", ""])
def test_a_code_of_a_text_a_year_and_an_unknown_code_are_not(question: str) -> None:
    assert not codes_in_fields(question, CORPUS)
