"""Predictors of a list's quality against numpy, and Kendall's tau against scipy and against every pair."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from night import seeds
from scipy.stats import kendalltau

from lab.explain.predicting import FIRST, NEAR, Predictor, gap, overlap, spread


def some_scores(seed: int) -> list[float]:
    rng = np.random.default_rng(seed)
    return sorted((rng.gamma(2, 3, int(rng.integers(2, 120))) - rng.choice([0, 4])).tolist(), reverse=True)


@pytest.mark.parametrize("seed", seeds(40))
def test_spread_and_gap_are_numpys(seed: int) -> None:
    scores = np.array(some_scores(seed))
    assert spread(scores.tolist()) == pytest.approx(scores[:FIRST].std() / abs(scores.mean()))
    assert gap(scores.tolist()) == pytest.approx(-np.diff(scores)[0] / abs(scores[0]))


@pytest.mark.parametrize("seed", seeds(40))
def test_the_overlap_is_numpys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = ([str(x) for x in rng.permutation(30)[: rng.integers(1, 25)]] for _ in range(2))
    assert overlap(a, b) == len(np.intersect1d(a[:FIRST], b[:FIRST])) / max(len(a[:FIRST]), len(b[:FIRST]))


@pytest.mark.parametrize("seed", seeds(60))
def test_tau_is_scipys_and_that_of_every_pair(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, digits = int(rng.integers(2, 60)), int(rng.integers(0, 3))
    values = rng.random(n).round(digits)
    gains = (0.5 * values + rng.random(n)).round(digits)
    found = Predictor("gap", 0.5, tuple(zip(values.tolist(), gains.tolist(), strict=True)))
    theirs = kendalltau(values, gains)
    if len(set(values)) < 2 or len(set(gains)) < 2:
        assert found.tau is None
        assert found.p is None
        return
    pairs = list(combinations(range(n), 2))
    signs = [np.sign(values[i] - values[j]) * np.sign(gains[i] - gains[j]) for i, j in pairs]
    apart = [sum(x[i] != x[j] for i, j in pairs) for x in (values, gains)]
    assert found.tau == pytest.approx(sum(signs) / math.sqrt(apart[0] * apart[1]))
    assert (found.tau, found.p) == pytest.approx((theirs.statistic, theirs.pvalue))


@pytest.mark.parametrize("seed", seeds(30))
def test_the_place_and_the_nearest_are_those_of_a_sorted_array(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.random(int(rng.integers(1, 60))).round(int(rng.integers(1, 4)))
    value = float(rng.choice(values))
    found = Predictor("gap", value, tuple((v, float(i)) for i, v in enumerate(values.tolist())))
    assert found.below == np.searchsorted(np.sort(values), value - 1e-12)
    away = np.abs(values - value)
    limit = np.sort(away)[min(NEAR, len(away)) - 1]
    assert {int(gain) for _v, gain in found.neighbours} == set(np.flatnonzero(away <= limit + 1e-12).tolist())
