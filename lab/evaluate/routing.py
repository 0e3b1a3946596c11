"""Evaluates a router: it routes every judged question of every route, and its decisions are compared with the truth.

A question belongs to the route in whose corpus it is judged.  The curve shows what a margin costs and saves: the share
of confident decisions, and their accuracy.
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
    """One question, the route that it belongs to, and the router's decision."""

    query: Query
    right: str
    decision: Decision

    @property
    def hit(self) -> bool:
        """Whether the best route is the right one, confident or not."""
        return self.decision.route == self.right

    @property
    def lead(self) -> float:
        """The margin above which the decision is not confident; infinite if a model or a table decided."""
        rule = self.decision.by == "rule" and self.decision.scores
        return self.decision.margin if rule else float("inf")


def decide_all(
    route: Route, questions: Mapping[str, Sequence[Query]], runner: Runner, *, progress: Progress | None = None
) -> tuple[Routed, ...]:
    """Routes every question of every route, by its name; ``progress`` is called after each, and may raise to stop."""
    total, routed = sum(map(len, questions.values())), list[Routed]()
    for right, queries in questions.items():
        for query in queries:
            routed.append(Routed(query, right, route.decided(runner, query)))
            runner.forget()
            if progress is not None:
                progress(len(routed), total)
    return tuple(routed)


def confusion(routed: Sequence[Routed], names: Sequence[str]) -> NDArray[np.int64]:
    """Counts questions by true route (rows) and decision (columns; the last one: not confident), [names, names + 1]."""
    table = np.zeros((len(names), len(names) + 1), np.int64)
    for question in routed:
        column = names.index(question.decision.route) if question.decision.sure else len(names)
        table[names.index(question.right), column] += 1
    return table


def accuracy(routed: Sequence[Routed]) -> float:
    """Returns the share of questions whose best route is the right one; NaN without questions."""
    return sum(question.hit for question in routed) / len(routed) if routed else float("nan")


@dataclass(frozen=True, eq=False)
class Curve:
    """For each margin, the share of confident decisions and their accuracy; all of shape [points].

    Margins rise from 0; every distinct lead of a question is one, so that each question is confident up to its own.  A
    lead of 0 is never confident: if the best routes are equal, nothing was decided.
    """

    margins: Floats
    shares: Floats
    accuracies: Floats


def curve(routed: Sequence[Routed]) -> Curve:
    """Returns the share of confident decisions and their accuracy for every margin."""
    leads, hits = (
        np.array([question.lead for question in routed]),
        np.array([question.hit for question in routed], np.float64),
    )
    margins = np.unique([0.0, *leads[np.isfinite(leads)].tolist()])
    sure = (leads >= margins[:, None]) & (leads > 0)
    count = sure.sum(axis=1)
    reached = count > 0
    accuracies = (sure * hits).sum(axis=1)[reached] / count[reached]
    return Curve(margins[reached], count[reached] / max(1, len(routed)), accuracies)


@dataclass(frozen=True)
class Balance:
    """The number of questions that a margin costs and saves.

    ``saved`` would have been sent to a wrong route, ``cost`` to the right one: each of these is searched in all routes.
    ``missed`` were sure and wrong.
    """

    asked: int
    sure: int
    missed: int
    saved: int
    cost: int


def balance(routed: Sequence[Routed]) -> Balance:
    """Returns how many of these questions the margin cost and saved."""
    sure = [question for question in routed if question.decision.sure]
    unsure = [question for question in routed if not question.decision.sure]
    saved, missed = sum(not question.hit for question in unsure), sum(not question.hit for question in sure)
    return Balance(len(routed), len(sure), missed, saved, len(unsure) - saved)
