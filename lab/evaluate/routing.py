"""How good a router is: every judged question of every route is decided, and compared with the route that it is of.

A question belongs to the route in whose corpus it is judged.  What a margin costs and saves is read off the curve: the
share of the questions of which the router is sure, and how many of those it sends to the right place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Progress, Query, Runner
from lab.numeric import Floats
from lab.rewrite.routing import Decision, Route


@dataclass(frozen=True)
class Routed:
    """One question, the route that it belongs to, and what was decided."""

    query: Query
    right: str
    decision: Decision

    @property
    def hit(self) -> bool:
        """Whether the best route is the right one, sure or not."""
        return self.decision.route == self.right

    @property
    def lead(self) -> float:
        """From which margin on the decision is not sure; endless where a model, or a table, decided."""
        rule = self.decision.by == "rule" and self.decision.scores
        return self.decision.margin if rule else float("inf")


def decide_all(
    route: Route, questions: Mapping[str, Sequence[Query]], runner: Runner, *, progress: Progress | None = None
) -> tuple[Routed, ...]:
    """Every question of every route, by the route's name; ``progress`` is told of each, and may raise to stop."""
    total, out = sum(map(len, questions.values())), list[Routed]()
    for right, asked in questions.items():
        for query in asked:
            out.append(Routed(query, right, route.decided(runner, query)))
            runner.forget()
            if progress is not None:
                progress(len(out), total)
    return tuple(out)


def confusion(routed: Sequence[Routed], names: Sequence[str]) -> NDArray[np.int64]:
    """How many questions of each route (rows) were sent where (columns; the last one: not sure), [names, names + 1]."""
    table = np.zeros((len(names), len(names) + 1), np.int64)
    for one in routed:
        column = names.index(one.decision.route) if one.decision.sure else len(names)
        table[names.index(one.right), column] += 1
    return table


def accuracy(routed: Sequence[Routed]) -> float:
    """The share of questions whose best route is the right one; not a number where there is none."""
    return sum(one.hit for one in routed) / len(routed) if routed else float("nan")


@dataclass(frozen=True, eq=False)
class Curve:
    """For each margin the share of questions that are sure by it, and the accuracy of those; all of shape [points].

    Margins rise from 0; every distinct lead of a question is one, so each question is sure up to its own.  A lead of 0
    is never sure: where the best routes are equal, nothing was decided.
    """

    margins: Floats
    shares: Floats
    accuracies: Floats


def curve(routed: Sequence[Routed]) -> Curve:
    """What every margin does to these questions."""
    leads, hits = np.array([one.lead for one in routed]), np.array([one.hit for one in routed], np.float64)
    margins = np.unique([0.0, *leads[np.isfinite(leads)].tolist()])
    sure = (leads >= margins[:, None]) & (leads > 0)
    count = sure.sum(axis=1)
    kept = count > 0
    accuracies = (sure * hits).sum(axis=1)[kept] / count[kept]
    return Curve(margins[kept], count[kept] / max(1, len(routed)), accuracies)


@dataclass(frozen=True)
class Balance:
    """What not being sure costs and saves, in questions.

    ``saved`` would have been sent to a wrong route, ``cost`` to the right one: each of these is searched in all routes.
    ``missed`` were sure and wrong.
    """

    asked: int
    sure: int
    missed: int
    saved: int
    cost: int


def balance(routed: Sequence[Routed]) -> Balance:
    """What not being sure cost and saved over these questions."""
    sure = [one for one in routed if one.decision.sure]
    unsure = [one for one in routed if not one.decision.sure]
    saved, missed = sum(not one.hit for one in unsure), sum(not one.hit for one in sure)
    return Balance(len(routed), len(sure), missed, saved, len(unsure) - saved)
