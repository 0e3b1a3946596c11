"""MMR against LangChain's ``maximal_marginal_relevance``, pick by pick, on 1,000 random inputs.

Ties: the peer computes cosines with BLAS, whose last bit depends on the shape, so it breaks ties (equal or
opposite vectors) by rounding; ours go to the earlier document.  Where the picks part, both must have the same
value within 1e-12, and what follows such a tie is not compared.  That happens only where vectors repeat.
"""

from __future__ import annotations

import numpy as np
import pytest

from lab.numeric import cosines
from lab.refine.diversity import picks


def some_input(seed: int) -> tuple[np.ndarray, np.ndarray, float, int, bool]:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 30)), int(rng.integers(1, 40))
    rows = rng.normal(size=(n, d)) + rng.choice([0, 1.5]) * rng.normal(size=d)
    repeats = seed % 4 == 0
    if repeats:  # copies, a vector of zeros, opposites
        rows[rng.integers(n)] = rows[rng.integers(n)]
        rows[rng.integers(n)] = 0
        rows[rng.integers(n)] = -rows[rng.integers(n)]
    share = float(rng.choice([0.0, 1.0, 0.5, rng.random()]))
    return rng.normal(size=d), rows, share, int(rng.integers(1, 12)), repeats or d <= 2


@pytest.mark.parametrize("block", range(4))
def test_the_picks_are_langchains(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from langchain_core.vectorstores import utils

    theirs = utils.maximal_marginal_relevance
    monkeypatch.setattr(utils, "_HAS_SIMSIMD", False)  # it gives two vectors of zeros the cosine 1
    parted = 0
    for seed in range(block, 1000, 4):
        query, rows, share, k, may_tie = some_input(seed)
        ours = picks(*cosines(query, rows), share, k)
        try:
            peer = theirs(query, rows.tolist(), share, k)
        except ValueError:  # it refuses where every cosine is undefined: one document, a vector of zeros
            assert not rows.any()
            continue
        assert len(ours) == len(peer) == min(k, len(rows))
        if ours == peer:
            continue
        parted += 1
        assert may_tie, "without repeated vectors there is no tie"
        relevance, similarity = cosines(query, rows)
        step = next(i for i, (a, b) in enumerate(zip(ours, peer, strict=True)) if a != b)
        before = ours[:step]
        value = relevance if not step else share * relevance - (1 - share) * similarity[:, before].max(axis=1)
        assert value[ours[step]] == pytest.approx(value[peer[step]], abs=1e-12)
    assert parted < 125, "ties are rare"
