"""Cohen's kappa of two raters against scikit-learn, and against its definition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from night import for_each

from lab.algebra import Corpus, Document
from lab.evaluate.judging import Judgments

DOCUMENTS = [Document(f"d{i}", f"text number {i}") for i in range(60)]


def by_definition(a: np.ndarray, b: np.ndarray) -> float:
    """1 - sum w o / sum w e with the weights (i - j)^2, over what was seen (o) and what chance would give (e)."""
    seen = np.zeros((4, 4))
    for i, j in zip(a, b, strict=True):
        seen[i, j] += 1 / len(a)
    chance = np.outer(seen.sum(1), seen.sum(0))
    weight = np.array([[(i - j) ** 2 for j in range(4)] for i in range(4)])
    return 1 - (weight * seen).sum() / (weight * chance).sum()


@for_each("seed", range(30))
def test_kappa_is_scikit_learns_with_quadratic_weights(seed: int) -> None:
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 60))
    a = rng.integers(0, 4, n)
    b = np.where(rng.random(n) < rng.random(), a, rng.integers(0, 4, n))
    given = Judgments()
    for (rater, grades), i in itertools.product((("ann", a), ("bo", b)), range(n)):
        given = given.given("why", DOCUMENTS[i], int(grades[i]), rater)
    found = given.on(Corpus("c", tuple(DOCUMENTS))).agreement("ann", "bo")
    assert len(found.pairs) == n
    assert found.equal == (a == b).sum()
    assert found.kappa == pytest.approx(cohen_kappa_score(a, b, weights="quadratic"))
    if set(a) | set(b) == {0, 1, 2, 3}:
        assert found.kappa == pytest.approx(by_definition(a, b))
