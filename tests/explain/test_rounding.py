"""Rounding in a store: a passage searched with its own text has a distance that is 0 except for float32."""

from __future__ import annotations

import numpy as np
import pytest

from lab import samples
from lab.algebra import Runner
from lab.explain.rounding import PRECISION, largest, rounding
from lab.models.embedders import encoder_of
from lab.models.lsa import LSA
from lab.models.static import BuiltIn
from lab.retrieve.chroma import ChromaVector
from lab.retrieve.store import neighbours


def test_the_precision_is_that_of_float32():
    assert np.finfo(np.float32).eps / 2 == PRECISION
    assert np.float32(1 + PRECISION) == 1 < np.float32(1 + 3 * PRECISION)


@pytest.mark.parametrize("embedder", [BuiltIn(), LSA()])
@pytest.mark.parametrize("space", ["cosine", "ip", "l2"])
def test_a_passage_searched_with_its_own_text_is_at_0_except_for_rounding(embedder, space):
    corpus = samples.load("staff").corpus
    store = ChromaVector(embedder, space, scale="unit")
    runner = Runner(corpus)
    exact, approximate = runner.index(store.exact), runner.index(store)
    encoder, negative, nonzero = encoder_of(embedder, corpus), 0, 0
    for place, document in enumerate(corpus.documents[:60]):
        near = {n.document.id: n.distance for n in neighbours(approximate.search(document.content, k=5))}
        true = {n.document.id: n.distance for n in neighbours(exact.search(document.content, k=5))}
        query, row = encoder.queries([document.content])[0], store.rows(corpus, [place])[0]
        query = query / np.linalg.norm(query)
        assert true[document.id] == pytest.approx(0, abs=1e-12)
        distance = near[document.id]
        found = rounding(space, distance, true[document.id], query, row)
        assert (found is None) == (distance == 0.0), document.id
        nonzero, negative = nonzero + (distance != 0.0), negative + (distance < 0)
        for other in set(near) - {document.id}:  # no other passage is excused by rounding
            assert rounding(space, near[other], true.get(other, 1.0), query, row) is None
    assert (nonzero > 0) == (negative > 0) == (space != "l2")


@pytest.mark.parametrize("space", ["cosine", "ip", "l2"])
def test_the_bound_holds_for_sums_of_float32_in_any_order(space):
    rng = np.random.default_rng(7)
    worst = 0.0
    for _ in range(300):
        n = int(rng.integers(1, 400))
        q, d = rng.normal(size=(2, n)) * rng.choice([1e-3, 1.0, 50.0])
        a, b = q.astype(np.float32), d.astype(np.float32)

        def total(x, y):
            out = np.float32(0)
            for value in x * y:
                out = np.float32(out + value)
            return out

        if space == "l2":
            made, true = total(a - b, a - b), (q - d) @ (q - d)
        elif space == "ip":
            made, true = np.float32(1) - total(a, b), 1 - q @ d
        else:
            made = np.float32(1) - total(a, b) / (np.sqrt(total(a, a)) * np.sqrt(total(b, b)))
            true = 1 - q @ d / (np.linalg.norm(q) * np.linalg.norm(d))
        share = abs(float(made) - true) / largest(space, q, d)
        worst = max(worst, share)
    assert 0.001 < worst <= 1


def test_a_distance_that_is_far_from_0_or_wrong_is_not_called_rounding():
    q = np.array([1.0, 0.0])
    assert rounding("cosine", 0.0, 0.0, q, q) is None
    assert rounding("cosine", 1e-7, 1e-7, q, q) is None, "a true distance"
    assert rounding("cosine", 1e-3, 0.0, q, q) is None, "more than rounding can make"
    assert rounding("cosine", -PRECISION, 0.0, q, q) is not None
