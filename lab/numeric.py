"""Numbers that several techniques share: vectors of length 1, cosines, tables of pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
DIGITS = 12
"""Cosines are rounded to so many: what differs behind them is rounding. Equal rows have exactly 1, ties are ties."""


def unit(vectors: NDArray[Any]) -> NDArray[np.float64]:
    """Every row divided by its length (rows of zeros stay), in float64."""
    wide = np.asarray(vectors, dtype=np.float64)
    length = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    return np.asarray(wide / np.where(length > 0, length, 1.0)[:, None])


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
