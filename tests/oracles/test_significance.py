"""Differences against scipy, Holm against statsmodels, the randomisation test against every combination of signs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from night import for_each, seeds, spread

from lab.evaluate.measures import Scores
from lab.evaluate.significance import compare, holm, interval


def scores(name: str, values: np.ndarray) -> Scores:
    return Scores(name, {"AP": float(values.mean())}, {"AP": {f"q{i}": float(v) for i, v in enumerate(values)}})


def some_values(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Values of a measure: many of them equal, as they are where most questions have one answer."""
    rng = np.random.default_rng(seed)
    first = rng.choice([0.0, 0.5, 1.0, rng.random()], n)
    return first, np.where(rng.random(n) < 0.6, first, rng.random(n))


@pytest.mark.parametrize("seed", seeds(40))
def test_the_paired_t_test_and_its_interval_are_scipys(seed: int) -> None:
    from scipy import stats

    a, b = some_values(seed, 5 + 7 * seed)
    found, theirs = compare(scores("a", a), scores("b", b), "AP"), stats.ttest_rel(b, a)
    assert found.p == pytest.approx(theirs.pvalue)
    assert (found.low, found.high) == pytest.approx(tuple(theirs.confidence_interval(0.95)))
    assert found.mean == pytest.approx((b - a).mean())
    assert found.spread == pytest.approx((b - a).std(ddof=1))
    assert (found.better, found.worse, found.equal) == ((b > a).sum(), (b < a).sum(), (b == a).sum())
    one = stats.ttest_1samp(b, 0).confidence_interval(0.95)
    assert interval(b) == pytest.approx(tuple(one))


@for_each("seed", range(8))
def test_the_randomisation_test_is_the_share_of_all_signs_that_give_so_large_a_mean(seed: int) -> None:
    a, b = some_values(seed, 9)
    found = compare(scores("a", a), scores("b", b), "AP")
    away = [x for x in b - a if x]
    totals = [abs(np.dot(signs, away)) for signs in itertools.product((1, -1), repeat=len(away))]
    share = np.mean([total >= abs(sum(away)) - 1e-9 for total in totals])
    assert found.randomised == pytest.approx(share)
    assert found.randomised >= found.least == min(1.0, 2 / 2 ** len(away))


def test_with_many_questions_the_two_tests_agree() -> None:
    rng = np.random.default_rng(3)
    a = rng.random(300)
    for shift in (0.0, 0.01, 0.02):
        found = compare(scores("a", a), scores("b", a + shift + rng.normal(0, 0.2, 300)), "AP")
        assert found.randomised == pytest.approx(found.p, abs=0.02)


@pytest.mark.parametrize("seed", spread(seeds(40), 1))
def test_holm_is_that_of_statsmodels(seed: int) -> None:
    from statsmodels.stats.multitest import multipletests

    rng = np.random.default_rng(seed)
    ps = rng.choice([*rng.random(6) ** 4, 0.01, 1.0], size=int(rng.integers(1, 9))).tolist()
    assert holm(ps) == pytest.approx(multipletests(ps, method="holm")[1])
