"""Whether a difference between two runs is more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lab.errors import EvaluationError
from lab.evaluate.measures import Scores
from lab.words import N_, Said


@dataclass(frozen=True)
class Difference:
    """The second against the first, over the same queries: mean of second minus first, and how it came about.

    ``low`` and ``high`` bound the mean with 95 % confidence; ``p`` is of the paired t-test (two-sided).  All
    three are None where they cannot be computed: fewer than two queries.
    """

    first: str
    second: str
    measure: str
    mean: float
    better: int
    equal: int
    worse: int
    low: float | None
    high: float | None
    p: float | None


def compare(first: Scores, second: Scores, measure: str) -> Difference:
    """The paired difference of two runs in one measure.  Raises `EvaluationError` unless both have the same queries."""
    a, b = first.per_query.get(measure), second.per_query.get(measure)
    if a is None or b is None or a.keys() != b.keys():
        apart = N_("{first} and {second} were not measured by {measure} over the same queries.")
        said = Said(apart, first=first.name, second=second.name, measure=measure)
        raise EvaluationError(said, Said("Evaluate both with the same judgments."))
    away = np.array([b[q] - a[q] for q in a])
    mean, low, high, p = float(away.mean()), None, None, None
    if len(away) > 1:
        if np.ptp(away) < 1e-12:  # no spread: the t-test would divide by zero
            low, high, p = mean, mean, 1.0 if abs(mean) < 1e-12 else 0.0
        else:
            from scipy import stats

            test = stats.ttest_1samp(away, 0.0)
            interval = test.confidence_interval(0.95)
            low, high, p = float(interval.low), float(interval.high), float(test.pvalue)
    better, worse = int((away > 1e-12).sum()), int((away < -1e-12).sum())
    equal = len(away) - better - worse
    return Difference(first.name, second.name, measure, mean, better, equal, worse, low, high, p)


def holm(values: Sequence[float | None]) -> list[float | None]:
    """The p-values of one family of comparisons, corrected for their number; None stays None and is none of them.

    From the smallest, each is multiplied by how many are not smaller, and never falls below the one before.
    Source: S. Holm, *A Simple Sequentially Rejective Multiple Test Procedure*, Scandinavian Journal of Statistics 6,
    1979.
    """
    known = sorted((p, at) for at, p in enumerate(values) if p is not None)
    corrected: list[float | None] = [None] * len(values)
    highest = 0.0
    for smaller, (p, at) in enumerate(known):
        highest = max(highest, min(1.0, p * (len(known) - smaller)))
        corrected[at] = highest
    return corrected
