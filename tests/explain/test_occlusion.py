"""Occlusion: the cosine without each sentence is that of the text without it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import examples

from lab.algebra import Corpus, Document
from lab.explain.occlusion import left_out, occlusion
from lab.models.static import BuiltIn
from lab.text.borders import sentences

ENCODER = BuiltIn().fit(Corpus("nobody", ()))
SENTENCES = [
    "The red fox runs.",
    "A dog sleeps near the house.",
    "充电要两个小时。",
    "It is quick!",
    "Nothing else matters.",
]


def cosine(query: str, text: str) -> float:
    a, b = (np.asarray(x, np.float64)[0] for x in (ENCODER.queries([query]), ENCODER.documents([text])))
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


@examples(30)
@given(st.lists(st.sampled_from(SENTENCES), min_size=2, max_size=5, unique=True), st.sampled_from(["", "Animals"]))
def test_every_cosine_is_that_of_the_text_without_the_sentence(parts: list[str], title: str) -> None:
    document = Document("d", " ".join(parts), title)
    found = occlusion(ENCODER, np.asarray(ENCODER.queries(["a fox"])[0], np.float64), document)
    whole = [title, *parts] if title else parts
    assert [document.content[a:b] for a, b in (one.span for one in found.without)] == whole
    assert found.cosine == pytest.approx(cosine("a fox", document.content), abs=1e-6)
    for one, change in zip(found.without, found.changes, strict=True):
        a, b = one.span
        rest = (document.content[:a] + document.content[b:]).strip()
        assert one.cosine == pytest.approx(cosine("a fox", rest), abs=1e-6)
        assert change == pytest.approx(found.cosine - one.cosine)


def test_a_passage_of_one_sentence_has_none_that_could_be_missing() -> None:
    vector = np.asarray(ENCODER.queries(["fox"])[0], np.float64)
    for text in ("The red fox runs.", "", "fox"):
        assert occlusion(ENCODER, vector, Document("d", text)).without == ()


def test_of_a_long_passage_the_first_sentences_are_left_out() -> None:
    text = " ".join(f"Sentence number {i} is here." for i in range(60))
    vector = np.asarray(ENCODER.queries(["number"])[0], np.float64)
    assert len(sentences(text)) == 60
    assert len(occlusion(ENCODER, vector, Document("d", text), most=7).without) == 7
    assert left_out("abc", (1, 2)) == "ac"
