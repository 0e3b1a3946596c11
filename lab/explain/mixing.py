"""The exact values of one weight of a learned mix at which the first ranks change, the other weights fixed.

A score is linear in each weight, so every document is a straight line: see `lab.explain.tipping`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from lab.algebra import one_of
from lab.explain.tipping import Straight, Tipping, along
from lab.refine.features import FEATURES
from lab.refine.learned import Mix, Weights


@dataclass(frozen=True)
class Weighs:
    """The weight of a feature in one list, w + v c, from 0 to ``high``."""

    feature: str
    high: float

    def __post_init__(self) -> None:
        one_of("feature", self.feature, tuple(FEATURES))

    @property
    def range(self) -> tuple[float, float]:
        return 0.0, self.high

    def with_value(self, weights: Weights, covered: float, value: float) -> Weights:
        """Returns weights that give the feature ``value`` in this list: w moves, v stays."""
        moved = getattr(weights, self.feature) + value - weights.at(covered)[self.feature]
        return replace(weights, **{self.feature: moved})


def tipping(mix: Mix, weights: Weights, axis: Weighs, *, n: int = 5) -> Tipping:
    """Returns the first ``n`` of the mix over the whole range of one weight, the others as they are."""
    column = list(FEATURES).index(axis.feature)
    zero = Fraction(0)
    starts, slopes = [], []
    for row in mix.table.tolist():
        pairs = zip(row, weights.vector.tolist(), strict=True)
        components = [Fraction(x) * Fraction(w) for i, (x, w) in enumerate(pairs) if i % len(FEATURES) != column]
        starts.append(sum(components, zero))
        slopes.append(Fraction(row[column]))
    curves = Straight(starts, [a + b for a, b in zip(starts, slopes, strict=True)])
    return along(curves, mix.documents, axis, weights.at(mix.covered)[axis.feature], n=n)
