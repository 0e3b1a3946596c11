"""Thresholds against scikit-learn: precision and recall of each, and the share of pairs in the right order."""

from __future__ import annotations

import numpy as np
import pytest
from night import seeds
from sklearn.metrics import f1_score, precision_recall_curve, roc_auc_score

from lab.evaluate.thresholds import Result, at, points, separation


def some_results(seed: int) -> list[Result]:
    """Results with numbers that are all different, or rounded so that many are equal."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 200))
    values = rng.normal(size=n) * 10.0 ** rng.integers(-3, 3)
    if seed % 2:
        values = values.round(int(rng.integers(0, 3)))
    relevant = rng.random(n) < rng.choice([0.02, 0.3, 0.7])
    relevant[:2] = True, False
    return [Result(f"q{i % 7}", float(v), bool(r), True) for i, (v, r) in enumerate(zip(values, relevant, strict=True))]


@pytest.mark.parametrize("seed", seeds(60))
def test_every_point_is_scikit_learns(seed: int) -> None:
    results = some_results(seed)
    truth, values = [r.relevant for r in results], [r.value for r in results]
    precision, recall, thresholds = precision_recall_curve(truth, values)
    own = points(results)
    assert [p.value for p in own] == thresholds.tolist()
    assert [p.precision for p in own] == pytest.approx(precision[:-1])  # the last point keeps nothing
    assert [p.recall for p in own] == pytest.approx(recall[:-1])
    for p in own:
        assert p.f == pytest.approx(f1_score(truth, [v >= p.value for v in values], zero_division=0))
    assert separation(results) == pytest.approx(roc_auc_score(truth, values))


@pytest.mark.parametrize("seed", seeds(20))
def test_a_value_keeps_of_other_results_those_that_reach_it(seed: int) -> None:
    results, others = some_results(seed), some_results(seed + 1000)
    for p in points(results):
        assert at(results, p.value) == p
        kept = [r for r in others if r.value >= p.value - 1e-9]
        assert at(others, p.value)[1:3] == (len(kept), sum(r.relevant for r in kept))
