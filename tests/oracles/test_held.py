"""How much of a question the best passage holds, against the formula in plain loops, on random corpora."""

from __future__ import annotations

import math
import random

import pytest
from night import seeds

from lab.algebra import Corpus, Document
from lab.rewrite.base import STEMS, held


def made_up(seed: int) -> tuple[Corpus, str]:
    """A corpus of up to 30 texts of frequent and rare words, and a question of one to nine, some of them unknown."""
    rng = random.Random(seed)
    words = ["".join(rng.choices("bdfgklmnprtvz", k=5)) for _ in range(rng.choice([3, 12, 60]))]
    often = [1 / (i + 1) for i in range(len(words))]
    texts = [" ".join(rng.choices(words, often, k=rng.randint(0, 20))) for _ in range(rng.randint(0, 30))]
    documents = tuple(Document(f"d{i}", text) for i, text in enumerate(texts))
    return Corpus("made up", documents), " ".join(rng.choices([*words, "qqqqq", "xxxxx"], k=rng.randint(1, 9)))


@pytest.mark.parametrize("seed", seeds(60))
def test_the_best_passage_holds_what_the_formula_says(seed: int) -> None:
    corpus, question = made_up(seed)
    terms = [set(STEMS.tokens(document.content)) for document in corpus.documents]
    n = len(corpus)
    df = {t: sum(t in own for own in terms) for t in STEMS.tokens(question)}
    idf = {t: math.log(1 + (n - own + 0.5) / (own + 0.5)) for t, own in df.items()}
    sums = [sum(w for t, w in idf.items() if t in own) for own in terms]
    whole, length = sum(idf.values()), math.sqrt(sum(w * w for w in idf.values()))
    found = held(question, corpus)
    assert found.words == pytest.approx((whole / length) ** 2)
    if not any(sums):
        assert (found.share, found.document) == (0.0, None)
        return
    assert found.share == pytest.approx(max(sums) / whole)
    assert found.reached == pytest.approx(max(sums) / length)
    best = next(i for i, own in enumerate(sums) if own == pytest.approx(max(sums)))
    assert found.document == corpus.documents[best]
