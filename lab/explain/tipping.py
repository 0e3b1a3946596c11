"""The tipping points of a fused ranking: the exact values of a weight, or of k, at which two documents change ranks.

Along a weight w every document's score is a straight line; along RRF's k it is a sum of w / (k + rank), along a
weight of RRF in Qdrant's form one of w / (rank + w (k - 1)).  So the difference of two documents is a fraction with a
positive denominator, and they change places where its numerator, a polynomial, changes its sign.  Those roots are
isolated in rational arithmetic: nothing is sampled, and a line that only touches another one does not cross it.

    tips = tipping(RRF(), [bm25, vector], Weight(0))
    tips.crossings      # Crossing(value=0.705, upper_before=..., upper_after=..., rank=1), ...
    tips.intervals      # which documents are first from where to where
    tips.lines()        # one curve per document, for the chart
"""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from itertools import product
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Document, Hit, Ranking, at_least, comparable, counted, in_order, within
from lab.errors import EvaluationError, ParameterError
from lab.evaluate.measures import measure as measure_named
from lab.fuse import RRF, ShareSum
from lab.numeric import Floats
from lab.words import N_, Said

Polynomial = tuple[int, ...]
"""Integer coefficients, the constant first."""

CELLS = 256
"""Number of cells of the range: in each, the few documents that matter can be found with certainty."""
SAME = 1e-12
"""Crossings closer than this (relative to 1 + value) are one: no float setting lies between them."""


# ------------------------------------------------------------------------------------------------- axes


# An axis is the knob that is moved: its range, its value in an operator, and the operator with another value.


@dataclass(frozen=True)
class Weight:
    """The weight w of one list (from 0, as in the sequence of rankings), from 0 to 1.

    The other lists share 1 - w in the proportion of their own weights.  If the size of all weights matters (RRF in
    Qdrant's form), w is a share of their sum, which stays.
    """

    list: int = 0

    @property
    def range(self) -> tuple[float, float]:
        return 0.0, 1.0

    def split(self, fusion: ShareSum, lists: int) -> tuple[Fraction, ...]:
        """Returns the share of 1 - w that each list gets; 0 for the list that is moved."""
        within("list", self.list, 0, lists - 1)
        weights = [Fraction(w) for w in fusion.weights_for(lists)]
        weights[self.list] = Fraction(0)
        if not any(weights):
            weights = [Fraction(i != self.list) for i in range(lists)]
        total = sum(weights)
        return tuple(w / total for w in weights)

    def with_value(self, fusion: ShareSum, lists: int, value: float) -> ShareSum:
        within("weight", value, 0, 1)
        split, size = self.split(fusion, lists), float(self.size(fusion, lists))
        shares = (value if i == self.list else (1 - value) * float(s) for i, s in enumerate(split))
        return fusion.weighted(tuple(size * share for share in shares))

    def size(self, fusion: ShareSum, lists: int) -> Fraction:
        """Returns the sum of the weights if it matters; else 1."""
        matters = isinstance(fusion, RRF) and fusion.form != "paper"
        return sum(map(Fraction, fusion.weights_for(lists)), Fraction(0)) if matters else Fraction(1)

    def current(self, fusion: ShareSum, lists: int) -> float:
        weights = fusion.weights_for(lists)
        return weights[self.list] / sum(weights)


@dataclass(frozen=True)
class Constant:
    """The k of RRF.  Crossings lie at real numbers; the knob takes whole ones, so the order changes at the next."""

    low: float = 1.0
    high: float = 1000.0

    def __post_init__(self) -> None:
        within("low", self.low, 0, 1000)
        within("high", self.high, self.low, 1000)

    @property
    def range(self) -> tuple[float, float]:
        return self.low, self.high

    def with_value(self, fusion: ShareSum, lists: int, value: float) -> ShareSum:
        return replace(_rrf(fusion), k=round(value))

    def current(self, fusion: ShareSum, lists: int) -> float:
        return float(_rrf(fusion).k)


Axis = Weight | Constant


class Ranged(Protocol):
    """Any axis: it begins and ends somewhere."""

    @property
    def range(self) -> tuple[float, float]: ...


def _rrf(fusion: ShareSum) -> RRF:
    if not isinstance(fusion, RRF):
        raise ParameterError(Said("Only RRF has a constant k."), Said("Change a weight instead."))
    return fusion


# ----------------------------------------------------------------------------------------------- curves


class Straight:
    """Scores ``a + b w``."""

    def __init__(self, starts: Sequence[Fraction], ends: Sequence[Fraction]) -> None:
        self.a = starts
        self.b = [end - start for start, end in zip(starts, ends, strict=True)]
        self._a = np.array([float(a) for a in self.a])
        self._b = np.array([float(b) for b in self.b])

    def values(self, x: Floats) -> Floats:
        return np.asarray(self._a[:, None] + self._b[:, None] * x)

    def exact(self, i: int, x: Fraction) -> Fraction:
        return self.a[i] + self.b[i] * x

    def crossings(self, i: int, j: int, low: float, high: float) -> list[float]:
        slope = self.b[i] - self.b[j]
        if not slope:
            return []
        root = (self.a[j] - self.a[i]) / slope
        return [float(root)] if low < root < high else []


Factor = tuple[int, int]
"""``a + b x``, as (a, b)."""


class Quotients:
    """Scores that are sums of ``(a + b x) / (c + d x)``, each with a positive denominator all over the range."""

    def __init__(self, terms: Sequence[Sequence[tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]]]) -> None:
        self.terms: list[tuple[tuple[Factor, Factor], ...]] = []
        for fractions in terms:
            whole = []
            for (a, b), (c, d) in fractions:
                common = math.lcm(*(x.denominator for x in (a, b, c, d)))
                above, below = ((int(x * common), int(y * common)) for x, y in ((a, b), (c, d)))
                whole.append((above, below))
            self.terms.append(tuple(whole))

    def values(self, x: Floats) -> Floats:
        zero = np.zeros(len(x))
        return np.array([sum(self._parts(i, x), zero) for i in range(len(self.terms))]).reshape(-1, len(x))

    def _parts(self, i: int, x: Floats) -> list[Floats]:
        # integers may be too large for floats: each is divided by the size of its own fraction first
        parts = []
        for above, below in self.terms[i]:
            size = max(map(abs, (*above, *below)))
            a, b, c, d = (number / size for number in (*above, *below))
            parts.append((a + b * x) / (c + d * x))
        return parts

    def bounds(self, x: Floats) -> tuple[Floats, Floats]:
        """Returns the lowest and highest score between neighbours of ``x``: each summand is monotonic there."""
        low, high = np.zeros((len(self.terms), len(x) - 1)), np.zeros((len(self.terms), len(x) - 1))
        for i in range(len(self.terms)):
            for part in self._parts(i, x):
                low[i] += np.minimum(part[:-1], part[1:])
                high[i] += np.maximum(part[:-1], part[1:])
        return low, high

    def exact(self, i: int, x: Fraction) -> Fraction:
        return sum(((a + b * x) / (c + d * x) for (a, b), (c, d) in self.terms[i]), Fraction(0))

    def crossings(self, i: int, j: int, low: float, high: float) -> list[float]:
        left: dict[tuple[Factor, Factor], int] = {}
        for terms, sign in ((self.terms[i], 1), (self.terms[j], -1)):
            for term in terms:
                left[term] = left.get(term, 0) + sign
        parts = tuple(sorted((term, sign) for term, sign in left.items() if sign))
        return list(_sign_changes(_numerator(parts), low, high))


class Curves(Protocol):
    """The score of every document along an axis; between two neighbours of a fine grid each runs one way.

    ``values`` has the shape [documents, len(x)]; ``exact`` can be compared without rounding; ``crossings`` are the
    values at which document i passes document j, inside the open range.
    """

    def values(self, x: Floats) -> Floats: ...

    def exact(self, i: int, x: Fraction) -> Fraction | float: ...

    def crossings(self, i: int, j: int, low: float, high: float) -> list[float]: ...


@lru_cache(maxsize=4096)
def _numerator(parts: tuple[tuple[tuple[Factor, Factor], int], ...]) -> Polynomial:
    """Returns the numerator of the sum of ``times * (a + b x) / (c + d x)``: each times the other denominators."""
    total = [0] * (len(parts) + 1)
    for n, ((above, _), times) in enumerate(parts):
        term = [times * above[0], times * above[1]]
        for m, ((_, (c, d)), _) in enumerate(parts):
            if m != n:
                term = [c * p + d * q for p, q in zip([*term, 0], [0, *term], strict=True)]
        total = [t + p for t, p in zip(total, term, strict=True)] if parts else total
    while len(total) > 1 and not total[-1]:
        total.pop()
    return tuple(total)


@lru_cache(maxsize=4096)
def _sign_changes(p: Polynomial, low: float, high: float) -> tuple[float, ...]:
    """Finds the sign changes of a polynomial in the open range: at most one between two of its slope's."""
    if len(p) < 2:
        return ()
    slope = tuple(n * c for n, c in enumerate(p))[1:]
    roots = []
    last, at = 0, low
    for x in (low, *_sign_changes(slope, low, high), high):
        sign = _sign(p, x)
        if sign and last and sign != last:
            roots.append(bisected(partial(_sign, p), at, x))
        if sign:
            last, at = sign, x
    return tuple(roots)


def _between(a: float, b: float) -> float:
    return a + (b - a) / 2


def _sign(p: Polynomial, x: float) -> int:
    """Returns the exact sign of p(x): x is a fraction n/d, so d^degree p(n/d) is an integer."""
    n, d = x.as_integer_ratio()
    total, power = 0, 1
    for c in reversed(p):
        total, power = total * n + c * power, power * d
    return (total > 0) - (total < 0)


def bisected(side: Callable[[float], float], a: float, b: float) -> float:
    """Returns the one value between a and b at which ``side`` changes its sign, as exactly as a float can be."""
    before = side(a) > 0
    while a < (middle := _between(a, b)) < b:
        at_middle = side(middle)
        if not at_middle:
            return middle
        a, b = (middle, b) if (at_middle > 0) == before else (a, middle)
    return b


# ---------------------------------------------------------------------------------------------- results


@dataclass(frozen=True, slots=True)
class Crossing:
    """At ``value`` two documents change ranks: one is above before, the other after; ``rank`` is the upper rank."""

    value: float
    upper_before: Document
    upper_after: Document
    rank: int


@dataclass(frozen=True, slots=True)
class Interval:
    """From ``low`` to ``high`` these are the first documents, best first, and nothing moves."""

    low: float
    high: float
    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class Stretch:
    """From ``low`` to ``high`` this document is first."""

    low: float
    high: float
    document: Document


@dataclass(frozen=True, slots=True)
class Line:
    """The fused score of one document along the axis."""

    document: Document
    x: tuple[float, ...]
    y: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Tipping:
    """The first ``n`` of a fused ranking along an axis.

    ``intervals`` cover the whole range without a gap; ``crossings`` are at their borders, one per pair of
    documents that changes ranks there.  ``current`` is the value of the operator.
    """

    axis: Ranged
    n: int
    current: float
    intervals: tuple[Interval, ...]
    curves: Curves
    documents: tuple[Document, ...]  # everything that was fused, in corpus order: the rows of the curves

    @cached_property
    def crossings(self) -> tuple[Crossing, ...]:
        """Every change of ranks among the first n, in the order of the axis."""
        crossings = []
        for left, right in zip(self.intervals, self.intervals[1:], strict=False):
            before = {d.id: i for i, d in enumerate(left.documents)}
            after = {d.id: i for i, d in enumerate(right.documents)}
            for x, y in product(left.documents, right.documents):
                above = before[x.id] < before.get(y.id, self.n)
                below = after[y.id] < after.get(x.id, self.n)
                if above and below:
                    crossings.append(Crossing(right.low, x, y, 1 + min(before[x.id], after[y.id])))
        return tuple(crossings)

    @cached_property
    def winners(self) -> tuple[Stretch, ...]:
        """The document ranked first, stretch by stretch: the whole range without a gap, neighbours differ."""
        stretches: list[Stretch] = []
        for interval in self.intervals:
            first = interval.documents[0] if interval.documents else None
            if first is None:
                continue
            if stretches and stretches[-1].document.id == first.id:
                stretches[-1] = replace(stretches[-1], high=interval.high)
            else:
                stretches.append(Stretch(interval.low, interval.high, first))
        return tuple(stretches)

    def interval_at(self, value: float) -> Interval:
        """Returns the interval that contains this value (the right one, at a border)."""
        within("value", value, *self.axis.range)
        return self.intervals[max(bisect([i.low for i in self.intervals], value) - 1, 0)]

    @property
    def contenders(self) -> tuple[Document, ...]:
        """Every document that is among the first n somewhere, beginning with the current order."""
        order = [*self.interval_at(min(max(self.current, self.axis.range[0]), self.axis.range[1])).documents]
        order += [d for interval in self.intervals for d in interval.documents]
        return tuple({d.id: d for d in order}.values())

    def lines(self, *, points: int = 200, relative: bool = False) -> tuple[Line, ...]:
        """Returns one curve per document of `contenders`; straight ones need two points only.

        ``relative`` divides by the best score at each value, which makes the curves along k comparable.
        """
        counted("points", points, 2)
        low, high = self.axis.range
        bent = relative or not isinstance(self.curves, Straight)
        grid = _grid(low, high, points - 1) if bent else np.array([low, high])
        x = np.unique(np.concatenate([grid, [i.low for i in self.intervals]])) if bent else grid
        y = self.curves.values(x)
        if relative:
            best = y.max(axis=0, initial=0.0)
            y = y / np.where(best > 0, best, 1.0)
        place = {d.id: i for i, d in enumerate(self.documents)}
        return tuple(Line(d, tuple(x.tolist()), tuple(y[place[d.id]].tolist())) for d in self.contenders)


@dataclass(frozen=True, slots=True)
class Step:
    """From ``low`` to ``high`` the measure has this value."""

    low: float
    high: float
    value: float


# ------------------------------------------------------------------------------------------ computation


def tipping(fusion: ShareSum, rankings: Sequence[Ranking], axis: Axis | None = None, *, n: int = 5) -> Tipping:
    """Returns the first ``n`` of the fused ranking over the whole axis (default: the first list's weight).

    Needs at least two rankings; raises `ParameterError` otherwise, for an axis that the operator does not
    have, and for weights that do not fit.
    """
    at_least("lists", len(rankings), 2)
    counted("n", n)
    comparable(rankings)
    axis = axis or Weight()
    documents = _documents(rankings)
    curves = _curves(fusion, rankings, documents, axis)
    return along(curves, documents, axis, axis.current(fusion, len(rankings)), n=n)


def along(curves: Curves, documents: Sequence[Document], axis: Ranged, current: float, *, n: int = 5) -> Tipping:
    """Returns the first ``n`` of these documents (in corpus order, as the rows of the curves) over the axis."""
    orders = _orders(curves, *axis.range, n) if documents else [(*axis.range, ())]
    intervals = tuple(Interval(a, b, tuple(documents[i] for i in top)) for a, b, top in orders)
    return Tipping(axis, n, current, intervals, curves, tuple(documents))


def quality(
    fusion: ShareSum,
    queries: Sequence[tuple[Sequence[Ranking], Mapping[str, int]]],
    axis: Axis | None = None,
    *,
    measure: str = "nDCG@10",
) -> tuple[Step, ...]:
    """Returns the mean of a measure over queries along the axis: a staircase, equal neighbours joined.

    It is evaluated once per interval and query.

    ``queries`` holds, per query, its rankings and its judgments (document id to grade).  ``measure`` is an
    ir-measures name with a cutoff.  Raises `EvaluationError` for a measure without a cutoff, and without a query.
    """
    import ir_measures

    resolved = measure_named(measure)
    try:
        depth = int(resolved["cutoff"])
    except (KeyError, TypeError):
        template, remedy = (
            N_("“{measure}” is not a measure with a cutoff."),
            Said("Write it like nDCG@10, RR@10 or R@5."),
        )
        raise EvaluationError(Said(template, measure=measure), remedy) from None
    if not queries:
        remedy = Said("Choose a corpus that has queries and judgments.")
        raise EvaluationError(Said("There is no query with judgments."), remedy)
    axis = axis or Weight()
    tips = [tipping(fusion, rankings, axis, n=depth) for rankings, _ in queries]
    # every interval of every query is evaluated as a query, so that one call is enough
    qrels, run = {}, {}
    for q, (tip, (_, grades)) in enumerate(zip(tips, queries, strict=True)):
        for i, interval in enumerate(tip.intervals):
            qrels[f"{q}/{i}"] = dict(grades) or {"": 0}
            run[f"{q}/{i}"] = {d.id: float(depth - r) for r, d in enumerate(interval.documents)}
    value = {m.query_id: float(m.value) for m in ir_measures.iter_calc([resolved], qrels, run)}
    edges = sorted({i.low for tip in tips for i in tip.intervals})
    ends = [*edges[1:], axis.range[1]]
    lows = [[i.low for i in tip.intervals] for tip in tips]
    steps: list[Step] = []
    for a, b in zip(edges, ends, strict=True):
        mean = math.fsum(
            value.get(f"{q}/{bisect(interval_lows, a) - 1}", 0.0) for q, interval_lows in enumerate(lows)
        ) / len(tips)
        if steps and steps[-1].value == mean:
            steps[-1] = Step(steps[-1].low, b, mean)
        else:
            steps.append(Step(a, b, mean))
    return tuple(steps)


def _documents(rankings: Sequence[Ranking]) -> tuple[Document, ...]:
    """Returns every document of the lists, in the order that decides ties."""
    documents = {hit.document.id: hit.document for ranking in reversed(rankings) for hit in ranking.hits}
    order = dict.fromkeys(hit.document.id for ranking in rankings for hit in ranking.hits)
    return tuple(h.document for h in in_order([Hit(documents[i], 0.0) for i in order], *rankings))


def _curves(fusion: ShareSum, rankings: Sequence[Ranking], documents: Sequence[Document], axis: Axis) -> Curves:
    ranks = [[ranking.rank(d.id) for ranking in rankings] for d in documents]
    qdrant = isinstance(fusion, RRF) and fusion.form == "qdrant"
    if isinstance(axis, Constant):  # w / (k + rank), or 1 / (k + rank / w - 1)
        zero, unit = Fraction(0), Fraction(1)
        weights = [Fraction(w) for w in _rrf(fusion).weights_for(len(rankings))]
        return Quotients(
            [
                [
                    ((unit, zero), (r / w - 1, unit)) if qdrant else ((w, zero), (Fraction(r), unit))
                    for w, r in zip(weights, document_ranks, strict=True)
                    if r and w
                ]
                for document_ranks in ranks
            ]
        )
    split = axis.split(fusion, len(rankings))
    if qdrant:
        return _stretched(cast(RRF, fusion), ranks, split, axis)
    shares = fusion.exact_shares(rankings)
    zero = Fraction(0)
    share_rows = [
        [zero if r is None else list_shares[r - 1] for r, list_shares in zip(places, shares, strict=True)]
        for places in ranks
    ]
    starts = [sum((s * x for s, x in zip(split, row, strict=True)), zero) for row in share_rows]
    return Straight(starts, [row[axis.list] for row in share_rows])


def _stretched(
    fusion: RRF, ranks: Sequence[Sequence[int | None]], split: Sequence[Fraction], axis: Weight
) -> Quotients:
    """Returns RRF in Qdrant's form along a weight: ``w / (rank + w (k - 1))``, w straight in x."""
    size, k = axis.size(fusion, len(split)), fusion.constant
    lines = [(Fraction(0), size) if i == axis.list else (size * s, -size * s) for i, s in enumerate(split)]
    return Quotients(
        [
            [((a, b), (r + k * a, k * b)) for (a, b), r in zip(lines, document_ranks, strict=True) if r and (a or b)]
            for document_ranks in ranks
        ]
    )


def _orders(curves: Curves, low: float, high: float, n: int) -> list[tuple[float, float, tuple[int, ...]]]:
    """Returns (from, to, rows of the first n) over the whole range, neighbours with the same order joined."""
    grid = _grid(low, high, CELLS)
    possible = _possible(*_bounds(curves, grid), n)
    events = _events(curves, possible, grid)
    orders: list[tuple[float, float, tuple[int, ...]]] = []
    for a, b in zip([low, *events], [*events, high], strict=True):
        middle = _between(a, b)
        rows = np.flatnonzero(possible[:, _cell(grid, middle)]).tolist()
        exact = Fraction(middle)
        top = tuple(sorted(rows, key=lambda i: (-curves.exact(i, exact), i))[:n])
        if orders and orders[-1][2] == top:
            orders[-1] = (orders[-1][0], b, top)
        else:
            orders.append((a, b, top))
    return orders


def _grid(low: float, high: float, cells: int) -> Floats:
    """Returns borders of cells: even for a weight, geometric for a constant (1 to 2 changes more than 900 to 901)."""
    if high <= 1:
        return np.linspace(low, high, cells + 1)
    grid = np.geomspace(low + 1, high + 1, cells + 1) - 1
    grid[0], grid[-1] = low, high
    return np.asarray(grid)


def _cell(grid: Floats, x: float) -> int:
    return int(np.clip(np.searchsorted(grid, x, side="right") - 1, 0, len(grid) - 2))


def _bounds(curves: Curves, grid: Floats) -> tuple[Floats, Floats]:
    """Returns the lowest and highest score of every document in every cell, shape [documents, cells]."""
    if isinstance(curves, Quotients):
        return curves.bounds(grid)
    y = curves.values(grid)  # scores are monotonic between the borders of a cell
    return np.minimum(y[:, :-1], y[:, 1:]), np.maximum(y[:, :-1], y[:, 1:])


def _possible(worst: Floats, best: Floats, n: int) -> NDArray[np.bool_]:
    """Returns which documents can be among the first n in which cell, shape [documents, cells].

    A document is ruled out if n others at their worst are above it at its best, so no document that matters is lost.
    """
    if len(worst) <= n:
        return np.ones(best.shape, dtype=bool)
    bar = np.partition(worst, len(worst) - n, axis=0)[len(worst) - n]
    return np.asarray(best >= bar - 1e-9 * np.abs(bar))


def _events(curves: Curves, possible: NDArray[np.bool_], grid: Floats) -> list[float]:
    """Returns the values at which two possible documents of the first n change ranks, ascending, each once."""
    low, high = float(grid[0]), float(grid[-1])
    rows = np.flatnonzero(possible.any(axis=1))
    together = np.triu(possible[rows].astype(np.float32) @ possible[rows].astype(np.float32).T > 0, 1)
    crossing_values = []
    for i, j in zip(*(rows[side].tolist() for side in np.nonzero(together)), strict=True):
        for x in curves.crossings(i, j, low, high):
            cell = _cell(grid, x)
            near = slice(max(cell - 1, 0), cell + 2)
            if (possible[i, near] & possible[j, near]).any():
                crossing_values.append(x)
    distinct: list[float] = []
    for x in sorted(crossing_values):
        if not distinct or x - distinct[-1] > SAME * (1 + x):
            distinct.append(x)
    return [x for x in distinct if x - low > SAME and high - x > SAME * (1 + high)]
