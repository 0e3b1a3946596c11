"""What if one weight of a learned mix were another: the exact values at which the first places change.

A score is linear in each weight, so every document is a straight line: see `lab.explain.tipping`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from lab.algebra import Corpus, one_of
from lab.explain.tipping import Straight, Tipping, along
from lab.refine.features import FEATURES
from lab.refine.learned import Mix, Weights


@dataclass(frozen=True)
class Weighs:
    """What a feature weighs in one list, w + v c, from 0 to ``high``."""

    feature: str
    high: float

    def __post_init__(self) -> None:
        one_of("feature", self.feature, tuple(FEATURES))

    @property
    def range(self) -> tuple[float, float]:
        return 0.0, self.high

    def at(self, weights: Weights, covered: float, value: float) -> Weights:
        """The weights under which the feature weighs ``value`` in this list: w is moved, v stays."""
        moved = getattr(weights, self.feature) + value - weights.at(covered)[self.feature]
        return replace(weights, **{self.feature: moved})


def tipping(mix: Mix, weights: Weights, axis: Weighs, corpus: Corpus, *, n: int = 5) -> Tipping:
    """The first ``n`` of the mix over the whole range of one weight, the others as they are."""
    mix = mix.sorted(corpus)
    own = list(FEATURES).index(axis.feature)
    none = Fraction(0)
    starts, slopes = [], []
    for row in mix.table.tolist():
        others = zip(row, weights.vector.tolist(), strict=True)
        addends = [Fraction(x) * Fraction(w) for i, (x, w) in enumerate(others) if i % len(FEATURES) != own]
        starts.append(sum(addends, none))
        slopes.append(Fraction(row[own]))
    curves = Straight(starts, [a + b for a, b in zip(starts, slopes, strict=True)])
    return along(curves, mix.documents, axis, weights.at(mix.covered)[axis.feature], n=n)
