"""Cohen's kappa of two raters against scikit-learn, and against its definition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from night import for_each

from lab.algebra import Corpus, Document
from lab.evaluate.judging import Agreement, Judgments

DOCUMENTS = [Document(f"d{i}", f"text number {i}") for i in range(60)]
SCALES = ([0, 1, 2, 3], [0, 1, 3], [0, 2, 3], [0, 3], [0, 1, 4], [-1, 0, 2])


def by_definition(a: np.ndarray, b: np.ndarray) -> float:
    """1 - sum w o / sum w e with the weights (i - j)^2 of the grades: o what was given, e what chance would give."""
    given = np.mean([(i - j) ** 2 for i, j in zip(a, b, strict=True)])
    chance = np.mean([(i - j) ** 2 for i, j in itertools.product(a, b)])
    return float(1 - given / chance)


def agreement(a: np.ndarray, b: np.ndarray) -> Agreement:
    given = Judgments()
    for (rater, grades), i in itertools.product((("ann", a), ("bo", b)), range(len(a))):
        given = given.given("why", DOCUMENTS[i], int(grades[i]), rater)
    return given.on(Corpus("c", tuple(DOCUMENTS))).agreement("ann", "bo")


@for_each("seed", range(60))
def test_kappa_is_that_of_its_definition_and_of_scikit_learn_over_the_whole_scale(seed: int) -> None:
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 60)) if seed % 2 else int(rng.integers(2, 7))  # few judgments leave grades out
    scale = SCALES[seed % len(SCALES)]
    a = rng.choice(scale, n)
    b = np.where(rng.random(n) < rng.random(), a, rng.choice(scale, n))
    found = agreement(a, b)
    assert len(found.pairs) == n
    assert found.equal == (a == b).sum()
    if len({*a, *b}) < 2:
        assert found.kappa is None
        return
    assert found.kappa == pytest.approx(by_definition(a, b))
    labels = range(min(*a, *b), max(*a, *b) + 1)
    assert found.kappa == pytest.approx(cohen_kappa_score(a, b, labels=labels, weights="quadratic"))


def test_kappa_on_a_step_between_two_words_is_not_moved_by_rounding() -> None:
    pairs = {("q", str(i)): pair for i, pair in enumerate([(0, 0), (1, 1), (0, 1), (1, 0)])}
    assert Agreement("ann", "bo", pairs).kappa == 0
    assert "no better than chance" in Agreement("ann", "bo", pairs).told()
