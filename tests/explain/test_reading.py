"""How the built-in cross-encoder reads one pair."""

from __future__ import annotations

import pytest

from lab.explain.reading import read
from lab.models.cross_encoders import load_textbook

QUESTION = "who chased the cat"


def test_the_score_without_a_word_is_that_of_the_text_without_it() -> None:
    model = load_textbook()
    pair = read(model, QUESTION, "The dog chased the cat.")
    assert pair.score == pytest.approx(model.scores(QUESTION, ["The dog chased the cat."])[0], abs=1e-4)
    without = dict(zip(pair.question + pair.passage[:2], pair.without, strict=False))
    expected = [
        model.scores("who chased the", ["The dog chased the cat."]),
        model.scores(QUESTION, ["The chased the cat."]),
    ]
    assert [without["cat"], without["dog"]] == pytest.approx([scores[0] for scores in expected], abs=1e-4)
    assert abs(pair.changes[0][3]) == pytest.approx(max(abs(score - pair.score) for score in pair.without))


@pytest.mark.parametrize("text", ["The dog chased the cat. " * 80, "狗追猫。", "!?", ""])
def test_each_word_that_the_layers_read_has_its_attention_and_its_score(text: str) -> None:
    pair = read(load_textbook(), QUESTION, text)
    assert pair.attention.shape == (len(pair.question), len(pair.passage))
    assert len(pair.without) == len(pair.question) + len(pair.passage)
    assert len({row[:2] for row in pair.changes}) == len(pair.without)
    assert (pair.attention.sum(axis=1) <= 1 + 1e-5).all()
