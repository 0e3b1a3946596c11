"""Whether a difference between two runs is significant, and how many questions could show that it is.

The unit is the question: both searches answer every one, and the test is on their differences per question.  Sources:
M. D. Smucker, J. Allan, B. Carterette, *A comparison of statistical significance tests for information retrieval
evaluation*, CIKM 2007, doi:10.1145/1321440.1321528 (paired t-test and randomization test); S. Holm, *A simple
sequentially rejective multiple test procedure*, Scandinavian Journal of Statistics, 1979; J. Cohen, *Statistical power
analysis for the behavioral sciences*, 1988.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_DOWN, Decimal
from functools import cached_property
from statistics import NormalDist
from types import MappingProxyType
from typing import Any

import numpy as np

from lab.errors import EvaluationError
from lab.evaluate.measures import Scores
from lab.numeric import Floats
from lab.words import N_, Said

ALPHA = 0.05
"""The significance level: the highest significant p, corrected for the number of comparisons."""
SAME = 1e-12
"""Values that differ by less than this are equal: the rest is rounding."""
DRAWS, BLOCK = 4_999, 1000
"""Random sign vectors per randomization test; if there are no more combinations than these, all are tried."""


@dataclass(frozen=True)
class Difference:
    """The second run against the first over the same questions: ``away`` is second minus first, by question.

    ``low`` and ``high`` are the 95% CI of the mean, ``p`` is of the paired t-test, ``randomised`` of the randomization
    test (both two-sided).  All four are None for fewer than two questions, and uncorrected.  ``family`` is the number
    of comparisons made together: the number of questions needed depends on it.  ``ties`` are the lowest and the highest
    mean difference that the orders of results with equal scores can give.
    """

    first: str
    second: str
    measure: str
    away: Mapping[str, float] = field(hash=False, repr=False)
    family: int = 1
    ties: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "away", MappingProxyType(dict(self.away)))

    @cached_property
    def _values(self) -> Floats:
        return np.fromiter(self.away.values(), float, len(self.away))

    def __len__(self) -> int:
        return len(self.away)

    @cached_property
    def mean(self) -> float:
        """The mean difference; positive if the second run is better."""
        return float(self._values.mean())

    @cached_property
    def better(self) -> int:
        """The number of questions on which the second run is better."""
        return int((self._values > SAME).sum())

    @cached_property
    def worse(self) -> int:
        """The number of questions on which the second run is worse."""
        return int((self._values < -SAME).sum())

    @property
    def equal(self) -> int:
        """The number of questions on which both runs are equal."""
        return len(self) - self.better - self.worse

    @cached_property
    def spread(self) -> float | None:
        """The standard deviation of the differences; None for fewer than two questions."""
        if len(self) < 2:
            return None
        return 0.0 if np.ptp(self._values) < SAME else float(self._values.std(ddof=1))

    @cached_property
    def _test(self) -> tuple[float | None, float | None, float | None]:
        """Interval and p of the paired t-test."""
        if self.spread is None:
            return None, None, None
        if not self.spread:  # the t-test would divide by zero
            return self.mean, self.mean, 1.0 if abs(self.mean) < SAME else 0.0
        from scipy.special import stdtr  # scipy.stats would take 35 MB

        t, ends = self.mean * math.sqrt(len(self)) / self.spread, interval(self._values) or (None, None)
        return *ends, float(2 * stdtr(len(self) - 1, -abs(t)))

    @property
    def low(self) -> float | None:
        return self._test[0]

    @property
    def high(self) -> float | None:
        """The upper bound of the mean."""
        return self._test[1]

    @property
    def p(self) -> float | None:
        """The p of the paired t-test: the probability of so large a mean if neither run is better."""
        return self._test[2]

    @cached_property
    def randomised(self) -> float | None:
        """The p of the randomization test: the share of random signs of the differences that give so large a mean."""
        if len(self) < 2:
            return None
        unequal = self._values[np.abs(self._values) > SAME]  # a zero is a zero under either sign
        if len(unequal) < 2:
            return 1.0  # with a single difference, either sign gives the same mean
        totals, mean = _totals(unequal), unequal.sum()
        # of random signs, those that were observed count as one more draw
        drawn, rounding = int(len(totals) == DRAWS), 100 * np.finfo(float).eps * abs(mean)
        count = drawn + min((totals <= mean + rounding).sum(), (totals >= mean - rounding).sum())
        return min(1.0, 2 * float(count) / (len(totals) + drawn))

    @property
    def pair(self) -> Said:
        return Said("{second} against {first}", first=self.first, second=self.second)

    @property
    def significant(self) -> bool:
        """Whether both tests find the difference significant, as a single comparison, and ties cannot turn it."""
        return (
            not self.within_ties
            and None not in (self.p, self.randomised)
            and max(self.p or 0.0, self.randomised or 0.0) <= ALPHA
        )

    @property
    def within_ties(self) -> bool:
        """Whether the order of results with equal scores alone can turn the difference."""
        return self.ties is not None and self.ties[0] < -SAME and self.ties[1] > SAME

    @property
    def least(self) -> float:
        """The smallest p that the randomization test could give, if all differences favoured one side."""
        return min(1.0, 2.0 ** (1 - self.better - self.worse))

    @property
    def _z(self) -> float:
        """The normal quantile, to two decimals, of the level that each comparison of the family is tested at.

        1.96 for one comparison; Holm's test of the smallest p divides `ALPHA` by the number of comparisons.
        """
        return round(NormalDist().inv_cdf(1 - ALPHA / (2 * self.family)), 2)

    def needed(self, effect: float | None = None) -> int | None:
        """Returns how many questions show a difference of this size (the one found) with 80% power.

        ``n = ((z + 0.84) s / effect)^2`` with s the spread, and z = 1.96 for one comparison; None without a spread or
        an effect.
        """
        effect = self.mean if effect is None else effect
        if not self.spread or abs(effect) < SAME:
            return None
        return max(2, math.ceil(((self._z + 0.84) * self.spread / effect) ** 2))

    @property
    def power(self) -> float | None:
        """The probability that this number of questions shows a difference of the size found.  None as `needed`."""
        if not self.spread or abs(self.mean) < SAME:
            return None
        return 0.5 * math.erfc((self._z - abs(self.mean) * math.sqrt(len(self)) / self.spread) / math.sqrt(2))

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain values."""
        figures = ("mean", "low", "high", "p", "randomised", "better", "equal", "worse", "power")
        names = {"first": self.first, "second": self.second, "measure": self.measure}
        return {**names, **{name: getattr(self, name) for name in figures}, "needed": self.needed()}


def compare(first: Scores, second: Scores, measure: str, family: int = 1) -> Difference:
    """Returns the paired difference of two runs in one measure, one of ``family`` comparisons.

    Raises `EvaluationError` unless both have the same queries.
    """
    a, b = first.per_query.get(measure), second.per_query.get(measure)
    if a is None or b is None or a.keys() != b.keys():
        apart = N_("{first} and {second} were not measured by {measure} over the same queries.")
        message = Said(apart, first=first.name, second=second.name, measure=measure)
        raise EvaluationError(message, Said("Evaluate both with the same judgments."))
    ties = None
    if first.spreads.get(measure) or second.spreads.get(measure):
        (low, high), (low_2, high_2) = first.range(measure), second.range(measure)
        ties = low_2 - high, high_2 - low
    return Difference(first.name, second.name, measure, {q: b[q] - a[q] for q in a}, family, ties)


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Corrects the p of several comparisons for their number: p_(i) (m - i + 1), never below the previous one.

    Entries without a p (None) do not count as comparisons.
    """
    known = sorted((p, i) for i, p in enumerate(ps) if p is not None)
    corrected: list[float | None] = [None] * len(ps)
    reached = 0.0
    for rank, (p, i) in enumerate(known):
        reached = max(reached, min(1.0, p * (len(known) - rank)))
        corrected[i] = reached
    return corrected


def _totals(values: Floats) -> Floats:
    """Returns the sum of values for each of `DRAWS` random vectors of signs, or for each that there is, if fewer."""
    pairs, random = np.tile(np.array([1, -1], np.int8), (BLOCK, len(values), 1)), np.random.default_rng(0)
    draws = (random.permuted(pairs, axis=-1)[..., 0] for _ in range(0, DRAWS, BLOCK))
    signs = [np.array([*itertools.product((1, -1), repeat=len(values))])] if 2 ** len(values) <= DRAWS else draws
    # added one by one, as scipy.stats.permutation_test does, so that even the rounding is the same
    return np.concatenate([np.multiply(values[:, None], some.T, order="C").sum(axis=0) for some in signs])[:DRAWS]


def interval(values: Iterable[float]) -> tuple[float, float] | None:
    """The 95 % interval of a mean (Student's t); None for fewer than two values."""
    x = np.array(list(values))
    if len(x) < 2:
        return None
    from scipy.special import stdtrit

    half = float(stdtrit(len(x) - 1, 0.975) * x.std(ddof=1) / math.sqrt(len(x)))
    return float(x.mean()) - half, float(x.mean()) + half


def bounds(values: Collection[float]) -> tuple[float, float] | None:
    """The `interval` of a mean, cut off at 0 and, if no value exceeds 1, at 1."""
    ends = interval(values)
    return None if ends is None else (max(0.0, ends[0]), min(max(1.0, *values), ends[1]))


def describe_difference(
    d: Difference, corrected: float | None, randomised: float | None, others: Sequence[float | None] = ()
) -> tuple[Said, ...]:
    """Returns in sentences what a difference shows and what it does not show.

    ``corrected`` and ``randomised`` are its p by both tests, corrected by Holm for the family of comparisons that it
    belongs to.  ``others`` are the p of the family's other comparisons by the randomization test, uncorrected: with
    them Holm's correction gives the smallest p that this comparison could have.
    """
    n, apart = len(d), d.better + d.worse
    names = {"first": d.first, "second": d.second, "measure": d.measure, "n": n, "apart": apart, "equal": d.equal}
    if corrected is None or randomised is None:
        return (Said("One question is not enough for a test."),)
    if not apart:
        return (Said("{second} and {first} have the same {measure} on every question ({n}).", **names),)

    def of_family(p: str) -> str:
        return Said("{p}, Holm-corrected", p=p) if others else p

    sentences = []
    if d.ties is not None and d.within_ties:
        within = N_(
            "Within the ties: the order of results with equal scores alone moves the difference of {size} in {measure} "
            "between {low} and {high}. It is not a difference between the searches."
        )
        low, high = (f"{value:+.3f}" for value in d.ties)
        return (Said(within, size=f"{abs(d.mean):.3f}", low=low, high=high, **names),)
    if d.equal > n / 2:
        most = N_("Equal on {equal} of {n} questions; questions that differ: {apart}.")
        sentences.append(Said(most, **names))
    least = holm([d.least, *others])[0]
    if least is not None and least > ALPHA:
        few = N_(
            "Questions that differ: {apart} of {n}. Even if all of these favoured one side, the randomization "
            "test could not get below p = {p}: no difference can be significant here."
        )
        if corrected <= ALPHA:
            few = N_(
                "Questions that differ: {apart} of {n}. Even if all of these favoured one side, the randomization "
                "test could not get below p = {p}: no difference can be significant here, although the t-test "
                "gives p {other}."
            )
        return (*sentences, Said(few, p=of_family(_bound(least)), other=of_family(told_p(corrected)), **names))
    size, p = f"{abs(d.mean):.3f}", of_family(told_p(corrected))
    if (corrected <= ALPHA) != (randomised <= ALPHA):
        split = N_(
            "The two tests disagree: p {p} in the t-test, p {other} in the randomization test. Do not rely on "
            "the result."
        )
        sentences.append(Said(split, p=p, other=of_family(told_p(randomised))))
    elif corrected <= ALPHA:
        side = N_("{second} is better than {first} by {size} in {measure}: a significant difference (p {p}).")
        if d.mean < 0:
            side = N_("{second} is worse than {first} by {size} in {measure}: a significant difference (p {p}).")
        sentences.append(Said(side, size=size, p=p, **names))
    else:
        sentences.append(
            Said("The difference of {size} in {measure} is not significant (p {p}).", size=size, p=p, **names)
        )
        if (needed := d.needed()) and d.power is not None and needed > n:
            more = N_(
                "Questions needed to detect a difference of this size with 80% power: about {needed}. Power with "
                "the present {n}: {power}%."
            )
            sentences.append(Said(more, needed=f"{needed:,}", n=n, power=round(100 * d.power)))
    return tuple(sentences)


def decide(pairs: Sequence[Difference]) -> tuple[Said, ...]:
    """Returns which searches are better than which by both tests, each Holm-corrected over these pairs.

    A pair without a significant difference is named as not decided.
    """
    tests = zip(holm([d.p for d in pairs]), holm([d.randomised for d in pairs]), strict=True)
    worse_by_better, undecided = dict[str, list[str]](), list[Said]()
    for d, ps in zip(pairs, tests, strict=True):
        if not d.within_ties and all(p is not None and p <= ALPHA for p in ps):
            better, worse = (d.second, d.first) if d.mean > 0 else (d.first, d.second)
            worse_by_better.setdefault(better, []).append(worse)
        else:
            undecided.append(d.pair)
    n = max(map(len, pairs), default=0)
    if not worse_by_better:
        return (Said("These questions ({n}) do not decide.", n=n),)
    sentences = []
    for losers in dict.fromkeys(map(tuple, worse_by_better.values())):
        winners = [name for name, worse in worse_by_better.items() if tuple(worse) == losers]
        better_than = N_("{winners}: better than {losers} on these questions ({n}).")
        sentences.append(Said(better_than, losers=list(losers), winners=winners, n=n))
    return (*sentences, Said("Not decided: {pairs}.", pairs=undecided)) if undecided else tuple(sentences)


def told_p(p: float) -> str:
    """Formats a p with its relation sign and the digits that matter: ``= 0.031``, ``< 0.0001``."""
    return "< 0.0001" if p < 0.0001 else f"= {p:.3f}" if p >= 0.001 else f"= {p:.4f}"


def _bound(p: float) -> str:
    """A lower bound of p above `ALPHA`, rounded down: rounded up it could exceed the p that it bounds.

    The result has two decimals, or as many as keep it above `ALPHA`.
    """
    rounded = (Decimal(p).quantize(Decimal(10) ** -places, ROUND_DOWN) for places in itertools.count(2))
    return str(next(x for x in rounded if x > Decimal(ALPHA)))
