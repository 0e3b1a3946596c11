"""Numbers that several techniques share: vectors of length 1, cosines, tables of pairs, k-means."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
DIGITS = 12
"""Cosines are rounded to so many: what differs behind them is rounding. Equal rows have exactly 1, ties are ties."""
ROUNDS = 10
"""Rounds of k-means."""
TIED = 10
"""Decimals of squared distances: equal ones must not be told apart by the noise of a matrix product."""
_BLOCK = 4096
"""Points that are compared with the centres at a time."""


def added(values: Iterable[float]) -> float:
    """Adds up from left to right and rounds after each step, as numpy's `+` does; since Python 3.12 `sum` does not."""
    return reduce(operator.add, values, 0.0)


def unit(vectors: NDArray[Any]) -> NDArray[np.float64]:
    """Every row divided by its length (rows of zeros stay), in float64."""
    wide = np.asarray(vectors, dtype=np.float64)
    length = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    return np.asarray(wide / np.where(length > 0, length, 1.0)[:, None])


def kendall(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Returns Kendall's tau-b of two sequences; None if one of them has fewer than two different values.

    Source: M. Kendall, *A New Measure of Rank Correlation*, 1938; with ties, *The Treatment of Ties in Ranking
    Problems*, 1945.
    """
    x, y = (np.sign(np.subtract.outer(values, values)).astype(np.int8) for values in (one, other))
    pairs = float(np.count_nonzero(x)) * np.count_nonzero(y)
    return float(np.sum(x * y)) / pairs**0.5 if pairs else None


def pair_table(q: NDArray[np.float64], d: NDArray[np.float64]) -> NDArray[np.float64]:
    """What every pair of summed token vectors adds to the cosine of the sums, shape [query, document]."""
    length = float(np.linalg.norm(q.sum(0)) * np.linalg.norm(d.sum(0)))
    return np.asarray((q @ d.T) / (length or 1.0))


def cosines(query: NDArray[np.floating], vectors: NDArray[np.floating]) -> tuple[Floats, Floats]:
    """Cosines of the query with every row, [n], and of the rows with each other, [n, n]; 0 for vectors of zeros.

    einsum without BLAS, so that equal rows get exactly equal numbers and their ties are ties.
    """
    rows, q = unit(vectors), unit(np.asarray(query)[None])[0]
    return np.einsum("ij,j->i", rows, q).round(DIGITS), np.einsum("ik,jk->ij", rows, rows).round(DIGITS)


def nearest(points: Floats, centres: Floats) -> tuple[Ints, Floats]:
    """Returns the number of the nearest centre of every point, the first of equally near ones, and its distance."""
    squares = np.einsum("cj,cj->c", centres, centres)
    places, away = np.empty(len(points), np.int64), np.empty(len(points))
    for i in range(0, len(points), _BLOCK):
        block = points[i : i + _BLOCK]
        apart = (squares - 2 * (block @ centres.T)).round(TIED)
        places[i : i + _BLOCK] = best = apart.argmin(axis=1)
        away[i : i + _BLOCK] = apart[np.arange(len(block)), best] + np.einsum("ij,ij->i", block, block)
    return places, away


def k_means(
    points: Floats, count: int, rng: np.random.Generator, *, beat: Callable[[int], object] = lambda _: None
) -> Floats:
    """Returns ``count`` centres, [count, d], after ten rounds of Lloyd's algorithm from as many points drawn by chance.

    A centre without points moves to the point that is farthest from its own.  ``beat`` is called with the number of
    rounds that are done.
    """
    centres = np.array(points[rng.choice(len(points), count, replace=False)])
    for done in range(ROUNDS):
        beat(done)
        places, away = nearest(points, centres)
        sizes = np.bincount(places, minlength=count)
        for j in range(points.shape[1]):
            sums = np.bincount(places, weights=points[:, j], minlength=count)
            centres[:, j] = np.divide(sums, sizes, out=centres[:, j].copy(), where=sizes > 0)
        empty = np.flatnonzero(sizes == 0)
        if len(empty) and away.max(initial=0.0) > 10.0**-TIED:  # else every point is a centre already
            centres[empty] = points[np.argsort(-away, kind="stable")[: len(empty)]]
    return centres
