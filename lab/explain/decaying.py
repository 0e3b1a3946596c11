"""What if age counted more, or faded faster: the exact half-lives and weights at which the first places change.

Along the weight a score is a straight line.  Along the half-life h it is ``a + b * 2 ** (-age / h)``: see `Halving`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from lab.explain.tipping import Straight, Tipping, along, bisected
from lab.numeric import Floats
from lab.refine.decay import Ages, TimeDecay

LONGEST = 3650.0
"""The end of the axis of half-lives, in days: ten years."""


@dataclass(frozen=True)
class AgeWeight:
    """The weight of the age, from 0 to 1."""

    @property
    def range(self) -> tuple[float, float]:
        return 0.0, 1.0

    def current(self, stage: TimeDecay) -> float:
        return stage.weight


@dataclass(frozen=True)
class HalfLife:
    """The half-life, from one day to ``longest`` days."""

    longest: float = LONGEST

    @property
    def range(self) -> tuple[float, float]:
        return 1.0, self.longest

    def current(self, stage: TimeDecay) -> float:
        return float(min(stage.half_life, self.longest))


class Halving:
    """Scores ``a + b * 2 ** (-age / h)`` with b >= 0: each rises with the half-life h.

    A pair of documents with the same b can change places twice: with ``x = 2 ** (-1 / h)`` the lead of the younger is
    ``b * (x ** young - x ** old)``, which is 0 at both ends and has one top between, at
    ``x = (young / old) ** (1 / (old - young))``.
    """

    def __init__(self, fixed: Sequence[float], shares: Sequence[float], ages: Sequence[int | None]) -> None:
        self.a, self.b = np.array(fixed), np.array(shares)
        self.ages = np.array([0 if age is None else age for age in ages], float)

    def values(self, x: Floats) -> Floats:
        return np.asarray(self.a[:, None] + self.b[:, None] * np.exp2(-self.ages[:, None] / x))

    def exact(self, i: int, x: Fraction) -> float:
        """Returns a float, not a fraction: documents with equal components still have exactly equal scores."""
        return float(self.a[i] + self.b[i] * np.exp2(-self.ages[i] / float(x)))

    def crossings(self, i: int, j: int, low: float, high: float) -> list[float]:
        borders = [low, *self._tops(i, j, low, high), high]
        found = []
        for start, end in zip(borders, borders[1:], strict=False):
            before, after = self._lead(i, j, start), self._lead(i, j, end)
            if before * after < 0:
                found.append(bisected(partial(self._lead, i, j), start, end))
            elif not after and end < high and before:
                found.append(end)
        return found

    def _lead(self, i: int, j: int, h: float) -> float:
        gap = self.b[i] * np.exp2(-self.ages[i] / h) - self.b[j] * np.exp2(-self.ages[j] / h)
        return float(self.a[i] - self.a[j]) + float(gap)

    def _tops(self, i: int, j: int, low: float, high: float) -> list[float]:
        """Where the lead of i over j has a slope of 0: ``b_i p x^(p - 1) = b_j q x^(q - 1)``, at most once."""
        (p, b), (q, c) = (self.ages[i], self.b[i]), (self.ages[j], self.b[j])
        if p == q or not (p and q and b and c):
            return []
        exponent = np.log2((b * p) / (c * q)) / (q - p)  # log2 of x
        h = -1 / exponent if exponent < 0 else np.inf
        return [float(h)] if low < h < high else []


def tipping(stage: TimeDecay, ages: Ages, axis: AgeWeight | HalfLife, *, n: int = 5) -> Tipping:
    """The first ``n`` of a decayed list along the half-life or the weight; ``ages`` is the list's evidence."""
    firsts = ages.first
    bonus = firsts if stage.form == "product" else [1.0] * len(firsts)
    if isinstance(axis, HalfLife):
        rows = list(zip(firsts, bonus, ages.days, strict=True))
        undated = stage.weight * stage.decay(None)
        fixed = [(1 - stage.weight) * s + (undated * b if days is None else 0.0) for s, b, days in rows]
        shares = [0.0 if days is None else stage.weight * b for _, b, days in rows]
        return along(Halving(fixed, shares, ages.days), ages.documents, axis, axis.current(stage), n=n)
    ends = [Fraction(b) * Fraction(stage.decay(days)) for b, days in zip(bonus, ages.days, strict=True)]
    straight = Straight([Fraction(s) for s in firsts], ends)
    return along(straight, ages.documents, axis, axis.current(stage), n=n)
