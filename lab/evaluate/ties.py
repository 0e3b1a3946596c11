r"""Measures of lists with equal scores: the mean over all orders of each tied group, and the range.

Which of two results with the same score comes first is arbitrary, so a measure of one order is partly chance.  The mean
over all orders is not.  Documents with the same judgment are interchangeable, so only orders that differ in judgments
are computed, and only down to the cutoff of the measure, each with its probability.  The value of a measure changes by
the sum of what each group changes, as the state in which a group is entered depends only on which documents are before
it (`SEPARABLE`); other measures are computed for the groups together.  Groups with more than `MOST` orders use
that a sum over ranks has the same mean over the rotations of a group (`SUMS`), that the reciprocal rank and success
depend only on the first relevant document (`FIRST`), and for average precision, with r relevant documents of n in a
group after s results with R relevant ones among them,

.. math:: \sum_{i=1}^{n} \frac{r}{n} \frac{1}{s+i} \left(R + 1 + (i - 1) \frac{r - 1}{n - 1}\right).

For other measures such a group has the mean of `DRAWS` random orders, which are always the same.

Source: F. McSherry, M. Najork, *Computing Information Retrieval Performance Measures Efficiently in the Presence of
Tied Scores*, ECIR 2008, doi:10.1007/978-3-540-78646-7_38.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, product
from typing import Any

SUMS = frozenset({"nDCG", "P", "R", "Rprec", "RBP"})
FIRST = frozenset({"RR", "Success"})
SEPARABLE = SUMS | FIRST | {"AP", "Bpref", "infAP", "Judged", "ERR", "ERR_IA", "alpha_nDCG", "alpha_DCG", "StRecall"}
MOST = 500
"""Maximum number of different orders of a group that are all computed."""
DRAWS = 500
"""Number of random orders of a group that has more of them, for measures without a formula."""

Weighted = tuple[float, list[str]]
"""An order of a group with its probability; 0 for an order that only belongs to the range."""
Grades = Mapping[str, int]
Measured = Callable[[Sequence[tuple[str, Sequence[str]]]], Sequence[float]]
"""Returns the measure of several lists of ids, each for a query."""


@dataclass(frozen=True)
class Ties:
    """The tied groups of one list, as (start, end), and how its documents are judged."""

    ids: Sequence[str]
    groups: Sequence[tuple[int, int]]
    grades: Grades
    judged: Callable[[str], Hashable]

    def mixed(self, cutoff: int) -> list[tuple[int, int]]:
        """Returns the groups that begin before a cutoff and have documents with different judgments."""
        return [(a, b) for a, b in self.groups if a < cutoff and len(set(map(self.judged, self.ids[a:b]))) > 1]


@dataclass(frozen=True)
class Spread:
    """The mean of a measure over the orders of tied results, its lowest and its highest value."""

    mean: float
    low: float
    high: float


def spread_values(
    wanted: Any, lists: Mapping[str, Ties], values: Mapping[str, float], measured: Measured
) -> dict[str, Spread]:
    """Returns the mean and range of a measure for the queries whose tied results are judged differently.

    ``values`` are the measure of the lists as they are, by query.
    """
    params = wanted.params  # without unjudged documents, a cutoff is further down
    cutoff = 10**9 if params.get("judged_only") else int(params.get("cutoff", 10**9))
    variants, entries = list[tuple[str, Sequence[str]]](), list[tuple[str, int, list[float]]]()
    exact = dict[str, float]()  # what a formula adds to the mean, by query
    for query, ties in lists.items():
        groups = ties.mixed(cutoff)
        if not groups:
            continue
        exact[query] = 0.0
        for start, orders in _alternatives(wanted, ties, groups, cutoff):
            if wanted.NAME == "AP" and not any(p for p, _ in orders):
                exact[query] += _precision_change(wanted, ties, start, start + len(orders[0][1]), cutoff)
            entries.append((query, len(variants), [p for p, _ in orders]))
            before, after = ties.ids[:start], ties.ids[start + len(orders[0][1]) :]
            variants += [(query, [*before, *order, *after]) for _, order in orders]
    found = measured(variants) if variants else ()
    changes = {query: (change, 0.0, 0.0) for query, change in exact.items()}
    for query, first, shares in entries:
        moved = [value - values[query] for value in found[first : first + len(shares)]]
        mean, low, high = changes[query]
        mean += math.fsum(p * move for p, move in zip(shares, moved, strict=True))
        changes[query] = mean, low + min(moved), high + max(moved)
    return {q: Spread(values[q] + mean, values[q] + low, values[q] + high) for q, (mean, low, high) in changes.items()}


def _alternatives(
    wanted: Any, ties: Ties, groups: Sequence[tuple[int, int]], cutoff: int
) -> Iterator[tuple[int, list[Weighted]]]:
    """Yields the orders of each group, or those of all groups together, and where they begin in the list."""
    each = [(a, _orders(wanted, ties, a, b, min(b, cutoff) - a)) for a, b in groups]
    if len(groups) == 1 or (wanted.NAME in SEPARABLE and not wanted.params.get("judged_only")):
        yield from each
        return
    start, end = groups[0][0], groups[-1][1]
    number = math.prod(len(orders) for _, orders in each)
    rng = random.Random(0)
    together = list[Weighted]()
    for picks in product(*(orders for _, orders in each)) if number <= MOST else _draws(rng, each):
        ids = list(ties.ids)
        for (a, _), (_, order) in zip(each, picks, strict=True):
            ids[a : a + len(order)] = order
        together.append((math.prod(p for p, _ in picks) if number <= MOST else 1 / DRAWS, ids[start:end]))
    yield start, together


def _draws(rng: random.Random, each: Sequence[tuple[int, list[Weighted]]]) -> Iterator[list[Weighted]]:
    for _ in range(DRAWS):
        yield [rng.choices(orders, [p for p, _ in orders])[0] for _, orders in each]


def _orders(wanted: Any, ties: Ties, start: int, end: int, length: int) -> list[Weighted]:
    """Returns the orders of a group that differ in the judgments of its first ``length`` documents."""
    group = ties.ids[start:end]
    pools = dict[Hashable, list[str]]()
    for doc_id in group:
        pools.setdefault(ties.judged(doc_id), []).append(doc_id)
    by_judgment = [pools[key] for key in sorted(pools, key=repr)]  # the same whatever the order of the list
    every = list(islice(_prefixes(by_judgment, length), MOST + 1))
    if len(every) <= MOST:
        return every
    ids = [*chain.from_iterable(by_judgment)]
    worst_first = sorted(ids, key=lambda d: ties.grades.get(d, 0))
    ends = [(0.0, worst_first), (0.0, worst_first[::-1])]
    n = len(ids)
    if wanted.NAME in SUMS:
        return [*ends, *((1 / n, ids[i:] + ids[:i]) for i in range(n))]
    if wanted.NAME in FIRST:
        least = int(wanted.params.get("rel", 1))
        good = [d for d in ids if ties.grades.get(d, 0) >= least]
        rest = [d for d in ids if d not in set(good)]
        ways = math.comb(n, len(good))
        shares = (math.comb(n - i - 1, len(good) - 1) / ways if good else 0.0 for i in range(len(rest) + 1))
        return [*ends, *((p, rest[:i] + good + rest[i:]) for i, p in enumerate(shares))]
    if wanted.NAME == "AP":
        return ends
    rng = random.Random(0)
    return [*ends, *((1 / DRAWS, rng.sample(ids, n)) for _ in range(DRAWS))]


def _prefixes(pools: Sequence[Sequence[str]], length: int) -> Iterator[Weighted]:
    """Yields an order for each sequence of judgments of the first ``length`` documents, with its probability."""
    size = sum(map(len, pools))

    def extend(order: list[str], used: tuple[int, ...], probability: float) -> Iterator[Weighted]:
        if len(order) == length:
            yield probability, [*order, *chain.from_iterable(pool[n:] for pool, n in zip(pools, used, strict=True))]
            return
        for i, (pool, n) in enumerate(zip(pools, used, strict=True)):
            if n < len(pool):
                share = (len(pool) - n) / (size - len(order))
                yield from extend([*order, pool[n]], (*used[:i], n + 1, *used[i + 1 :]), probability * share)

    return extend([], (0,) * len(pools), 1.0)


def _precision_change(wanted: Any, ties: Ties, start: int, end: int, cutoff: int) -> float:
    """Returns the mean average precision over the orders of a group, less that of the list as it is."""
    least = int(wanted.params.get("rel", 1))
    good = [ties.grades.get(d, 0) >= least for d in ties.ids[:end]]
    before, r, n = sum(good[:start]), sum(good[start:]), end - start
    relevant = sum(grade >= least for grade in ties.grades.values())
    now = math.fsum(sum(good[: i + 1]) / (i + 1) for i in range(start, min(end, cutoff)) if good[i])
    mean = math.fsum(
        r / n / (start + i) * (before + 1 + (i - 1) * (r - 1) / (n - 1)) for i in range(1, min(end, cutoff) - start + 1)
    )
    return (mean - now) / relevant if relevant else 0.0
