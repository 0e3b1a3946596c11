"""Differences against scipy, Holm against statsmodels, the randomisation test against every combination of signs."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from night import NIGHT, for_each, sample, seeds, spread

from lab.evaluate.measures import Scores
from lab.evaluate.significance import DRAWS, compare, describe_difference, holm, interval


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


@for_each("seed", range(12))
def test_the_randomisation_test_draws_the_signs_of_scipy_and_gives_the_same_p(seed: int) -> None:
    from scipy import stats

    a, b = some_values(seed, 4 + 5 * seed)
    away = (b - a)[a != b]
    theirs = stats.permutation_test(
        (away,), lambda x, axis: x.sum(axis=axis), batch=1000, vectorized=True, permutation_type="samples",
        n_resamples=DRAWS, rng=0,
    )  # fmt: skip
    assert compare(scores("a", a), scores("b", b), "AP").randomised == theirs.pvalue


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


def sign_flip_p(values: np.ndarray) -> float:
    """The two-sided p of the randomization test, over all combinations of signs."""
    away = values[values != 0]
    signs = np.array(list(itertools.product((1, -1), repeat=len(away))))
    return float(np.mean(np.abs(signs @ away) >= abs(away.sum()) - 1e-9)) if len(away) else 1.0


@for_each("seed", range(40) if NIGHT else range(1))
def test_the_bound_that_is_said_is_the_p_of_the_same_family_where_all_differences_favour_one_side(seed: int) -> None:
    from statsmodels.stats.multitest import multipletests

    rng = np.random.default_rng(seed)
    n, runs = int(rng.integers(5, 11)), int(rng.integers(1, 9))
    shares = rng.choice([0.2, 0.6, 0.8, 1.0], runs)
    away = [np.where(rng.random(n) < share, rng.choice([0.5, 1.0, 1.0, -1.0], n), 0.0) for share in shares]
    family = [compare(scores("base", np.zeros(n)), scores(f"run{i}", x), "AP") for i, x in enumerate(away)]
    ps = np.array([sign_flip_p(x) for x in away])
    by_t_test = holm([d.p for d in family])
    shown = multipletests(ps, method="holm")[1]
    for i, d in enumerate(family):
        if not away[i].any():
            continue
        best = multipletests([sign_flip_p(np.abs(x)) if i == j else ps[j] for j, x in enumerate(away)], method="holm")
        bound = best[1][i]
        others = [other.randomised for other in family if other is not d]
        text = " ".join(describe_difference(d, by_t_test[i], shown[i], others))
        assert ("no difference can be significant" in text) == (bound > 0.05)
        if found := re.search(r"could not get below p = ([\d.]+\d)", text):
            assert 0.05 < float(found[1]) <= bound < float(found[1]) + 0.01
            assert float(found[1]) <= shown[i]


@for_each("family", sample([1, 2, 3, 5, 20], 2))
def test_as_many_questions_as_are_needed_show_the_difference_four_times_in_five(family: int) -> None:
    from scipy import stats

    rng = np.random.default_rng(family)
    away = rng.normal(0.04, 0.2, 30)
    d = compare(scores("a", np.zeros(30)), scores("b", away), "AP", family=family)
    n = d.needed()
    assert n is not None
    drawn = rng.normal(d.mean, d.spread, (4000, n))
    share = float(np.mean(stats.ttest_1samp(drawn, 0.0, axis=1).pvalue <= 0.05 / family))
    assert share == pytest.approx(0.8, abs=0.04)


@for_each("seed", range(60))
def test_a_difference_that_is_not_significant_in_its_family_needs_more_questions_than_there_are(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, family = int(rng.integers(15, 60)), int(rng.integers(1, 9))
    away = [rng.normal(rng.uniform(0, 0.2), 0.25, n) for _ in range(family)]
    made = [compare(scores("a", np.zeros(n)), scores("b", x), "AP", family=family) for x in away]
    for d, shown in zip(made, holm([d.p for d in made]), strict=True):
        needed = d.needed()
        assert shown is not None
        assert needed is not None
        assert shown <= 0.05 or needed > n
