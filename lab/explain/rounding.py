"""Rounding in a store: when a distance that is not 0 is 0 except for the precision of its numbers.

A store keeps vectors as float32 numbers and adds up their products in float32.  Such a number has 24 binary digits, so
every product and every sum is rounded by up to 2^-24 of its value.  For two equal vectors the errors remain: the
distance is a few times 1e-07, above or below 0.

Source of the bound: N. Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, section 3.1: the error of an
inner product of n terms is at most n u / (1 - n u) times the sum of the absolute terms, whatever their order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lab.numeric import Floats

PRECISION = 2.0**-24
"""Maximum relative error of rounding to float32."""
NOTHING = 1e-12
"""The exact search rounds its scores to about 12 decimals: a smaller distance is 0."""
STEPS = 4
"""Operations beyond the sum over the dimensions: a square root, a division, rounding both vectors to float32."""


@dataclass(frozen=True)
class Rounding:
    """A distance that is 0 except for rounding: ``bound`` is the largest that rounding can make it."""

    distance: float
    bound: float
    dimensions: int


def rounding(space: str, distance: float, exact: float, query: Floats, row: Floats) -> Rounding | None:
    """Returns what rounding made of a distance of 0; None if it is 0, or if it is another distance.

    ``exact`` is the distance in the space (``cosine``, ``ip`` or ``l2``), computed with 64 bits.
    """
    if distance == 0.0 or abs(exact) > NOTHING:
        return None
    bound = largest(space, query, row)
    return Rounding(distance, bound, len(row)) if abs(distance) <= bound else None


def largest(space: str, query: Floats, row: Floats) -> float:
    """Returns the largest error that rounding to float32 can make in the distance of two vectors."""
    q, d = np.asarray(query, np.float64), np.asarray(row, np.float64)
    terms = float(np.abs(q) @ np.abs(d))
    if space == "cosine":
        terms /= float(np.linalg.norm(q) * np.linalg.norm(d)) or 1.0
        terms = 2 * terms + 1  # the lengths are inner products, too
    elif space == "ip":
        terms += 1  # 1 - the inner product
    else:
        terms = float((np.abs(q) + np.abs(d)) @ (np.abs(q) + np.abs(d)))
    steps = (len(d) + STEPS) * PRECISION
    return steps / (1 - steps) * terms
