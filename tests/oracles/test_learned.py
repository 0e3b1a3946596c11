"""The learned mix against plain numpy, and its training against scikit-learn's logistic regression."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.algebra import Document
from lab.evaluate.learning import Example, fit, objective, pairs
from lab.refine.features import FEATURES
from lab.refine.learned import Mix, Weights

N = len(FEATURES)


def made(seed: int, documents: int, covered: float) -> Mix:
    raw = np.random.default_rng(seed).normal(size=(documents, N))
    return Mix(tuple(Document(f"d{i}", "") for i in range(documents)), tuple(FEATURES), raw, covered)


@given(
    seed=st.integers(0, 10_000),
    documents=st.integers(1, 12),
    covered=st.floats(0, 1),
    band=st.just(0.0) | st.floats(0.01, 2),
)
def test_a_score_is_the_sum_of_weights_times_scaled_features(
    seed: int, documents: int, covered: float, band: float
) -> None:
    mix = replace(made(seed, documents, covered), band=band)
    w, v = np.random.default_rng(seed + 1).normal(size=(2, N))
    low, width = mix.raw.min(axis=0), np.ptp(mix.raw, axis=0)
    if band:
        own = list(FEATURES).index("neural")
        width[own] = (width[own] + band) / 2
    scaled = np.divide(mix.raw - low, width, out=np.zeros_like(mix.raw), where=width > 0)
    expected = (scaled * (w + covered * v)).sum(axis=1)
    weights = Weights.of([*w, *v])
    np.testing.assert_allclose(mix.scores(weights), expected, atol=1e-12)
    np.testing.assert_allclose(mix.addends(weights).sum(axis=1), expected, atol=1e-12)


def test_the_weights_are_those_of_scikit_learn_on_the_same_pairs() -> None:
    from sklearn.linear_model import LogisticRegression

    strength, truth, told = 0.05, np.linspace(1, 3, N), []
    for seed in range(60):  # covered is 1: only b can be learned, and its features are the scaled ones
        mix = made(seed, 12, 1.0)
        noise = np.random.default_rng(seed + 999).normal(size=12)
        grades = (mix.scaled @ truth + 0.7 * noise > np.quantile(mix.scaled @ truth, 0.7)).astype(np.int64)
        told.append(Example(f"q{seed}", mix, grades))
    told = [e for e in told if e.teaches]
    rows, shares = zip(*(pairs(e, 1 / len(told)) for e in told), strict=True)
    x, share = np.concatenate(rows)[:, N:], np.concatenate(shares)
    model = LogisticRegression(C=1 / strength, fit_intercept=False, tol=1e-10, max_iter=10_000)
    model.fit(np.concatenate([x, -x]), np.repeat([1, 0], len(x)), np.concatenate([share, share]) / 2)
    assert model.coef_.min() > 0.1  # no bound is met, so both look for the same
    found = fit([told], strength=strength).at(1.0)
    np.testing.assert_allclose(list(found.values()), model.coef_[0], atol=2e-3)


def test_the_gradient_is_that_of_the_loss() -> None:
    r = np.random.default_rng(7)
    x, theta, begin = r.normal(size=(40, 6)), r.normal(size=6), r.normal(size=6)
    share = r.random(40) / 40
    _, gradient = objective(theta, x, share, begin, 0.2)
    for i, step in enumerate(1e-6 * np.eye(6)):
        up, down = (objective(theta + sign * step, x, share, begin, 0.2)[0] for sign in (1, -1))
        assert gradient[i] == pytest.approx((up - down) / 2e-6, abs=1e-7)
