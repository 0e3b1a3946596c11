"""Questions without an answer: how many of them a search refuses, and what a threshold for that costs the others.

A question is refused if its list is empty.  A threshold refuses a question if no result reaches it, and keeps an
answerable one if a relevant result does.  A value is chosen on one half of the questions and reported on the other.

Sources: P. Rajpurkar, R. Jia, P. Liang, *Know What You Don't Know*, ACL 2018, doi:10.18653/v1/P18-2124; T. Fawcett, *An
introduction to ROC analysis*, 2006, doi:10.1016/j.patrec.2005.10.010.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from lab.algebra import NONE, Env, Query, Runner
from lab.corpus.beir import Collection
from lab.evaluate.learning import FEW, halves
from lab.evaluate.runs import Run
from lab.evaluate.thresholds import DEPTH, Result, measured, ranking_of, separation, shortest
from lab.refine.filters import ALIKE
from lab.words import N_, Said

REFUSED = "Refused"
"""The name of the share of questions without an answer whose list is empty, among the measures."""
SHOWN = 10
"""Number of first results that count as shown."""


class Refusals(NamedTuple):
    """Of ``n`` questions without an answer, how many have an empty list, and the mean of the first results shown."""

    n: int
    empty: int
    shown: float

    @property
    def share(self) -> float:
        """The share of questions with an empty list."""
        return self.empty / self.n


def refusals(run: Run, queries: Iterable[Query]) -> Refusals | None:
    """Returns how a run treats questions without an answer; None if it has not searched any of them."""
    lists = [run.results[q.id] for q in queries if q.id in run.results]
    if not lists:
        return None
    shown = sum(min(SHOWN, len(hits)) for hits in lists) / len(lists)
    return Refusals(len(lists), sum(not hits for hits in lists), shown)


class Probe(NamedTuple):
    """A question: the highest number of its results, and of its relevant ones; minus infinity if there are none."""

    query: str
    answerable: bool
    value: float
    relevant: float


class Point(NamedTuple):
    """What a threshold refuses of the ``unanswerable`` questions, and keeps of the ``answerable`` ones."""

    value: float
    refused: int
    unanswerable: int
    kept: int
    answerable: int

    @property
    def refused_share(self) -> float:
        """The share of the questions without an answer that it refuses."""
        return self.refused / max(1, self.unanswerable)

    @property
    def kept_share(self) -> float:
        """The share of the answerable questions that keep a relevant result."""
        return self.kept / max(1, self.answerable)


def probes(run: Run, collection: Collection, queries: Iterable[Query], kind: str, depth: int = DEPTH) -> list[Probe]:
    """Returns these questions, each with its numbers; a question with a relevant document is answerable."""
    env, rows = Env(explain=False, runner=Runner(collection.corpus, models=NONE, explain=False)), list[Probe]()
    for query in queries:
        ranking, good = ranking_of(run, collection.corpus, query), collection.relevant(query.id)
        values = list(zip(ranking.hits, measured(kind, ranking, env), strict=True))[:depth]
        relevant = max((value for hit, value in values if hit.document.id in good), default=-math.inf)
        highest = max((value for _, value in values), default=-math.inf)
        rows.append(Probe(query.id, bool(good), highest, relevant))
    return rows


@dataclass(frozen=True)
class Refusing:
    """Answerable questions and others, from which a threshold is chosen that refuses the ``wanted`` share of these."""

    probes: tuple[Probe, ...]
    wanted: float = 0.5

    @cached_property
    def answerable(self) -> list[Probe]:
        """The questions with a relevant document."""
        return [p for p in self.probes if p.answerable]

    @cached_property
    def unanswerable(self) -> list[Probe]:
        """The questions without one."""
        return [p for p in self.probes if not p.answerable]

    @cached_property
    def points(self) -> list[Point]:
        """The two-sided curve: every threshold that makes a difference, the lowest first."""
        return curve(self.probes)

    @property
    def separation(self) -> float | None:
        """The share of pairs in which the answerable question has the higher number; equal ones count half (AUC)."""
        return separation([Result(p.query, p.value, p.answerable, True) for p in self.probes])

    def pick(self, probes: Sequence[Probe]) -> Point | None:
        """Returns the lowest threshold that refuses the wanted share of these questions; None if none does."""
        below = -math.inf
        for point in curve(probes):
            if point.refused_share >= self.wanted - ALIKE:
                return point._replace(value=shortest(below, point.value))
            below = point.value
        return None

    def choose(self, seed: int = 0) -> tuple[Point, Point] | None:
        """Returns the threshold of the tuning half, there and on the held-out half; None if there is none."""
        if min(len(self.answerable), len(self.unanswerable)) < 4:
            return None
        tuning, held_out = (
            [*a, *u] for a, u in zip(halves(self.answerable, seed), halves(self.unanswerable, seed), strict=True)
        )
        there = self.pick(tuning)
        return None if there is None else (there, at(held_out, there.value))

    def describe(self, seed: int = 0) -> tuple[Said, ...]:
        """Describes what a threshold refuses and keeps, and on how many questions this rests."""
        if not self.unanswerable:
            return (Said("The corpus has no question without an answer: a threshold cannot show what it is for."),)
        now = at(self.probes, -math.inf)
        values: dict[str, Any] = {"n": now.unanswerable, "refused": now.refused, "kept": f"{now.kept_share:.0%}"}
        message = N_("Questions without an answer: {n}. Without a threshold, {refused} of them have an empty list.")
        sentences = [Said(message, **values)]
        if self.separation is not None:
            message = N_("In {share} of all pairs, the answerable question has the higher number; 50% would be chance.")
            sentences.append(Said(message, share=f"{self.separation:.0%}"))
        choice = self.choose(seed)
        if choice is None:
            message = N_("No threshold is chosen: it takes four questions of each kind, and one that refuses {wanted}.")
            return (*sentences, Said(message, wanted=f"{self.wanted:.0%}"))
        there, here = choice
        message = N_(
            "Chosen on the tuning half: {value}. It refuses {a} there and {b} on the held-out half, and keeps a "
            "relevant result for {c} and {d} of the answerable questions; without a threshold {kept}."
        )
        shares = [f"{x:.0%}" for p in (there, here) for x in (p.refused_share, p.kept_share)]
        figures = dict(zip(("a", "c", "b", "d"), shares, strict=True))
        sentences.append(Said(message, value=f"{there.value:g}", **figures, kept=values["kept"]))
        if len(self.unanswerable) < FEW:
            sentences.append(Said("This is a direction only: it takes at least {few} of them for more.", few=FEW))
        return tuple(sentences)


def curve(probes: Sequence[Probe]) -> list[Point]:
    """Returns what every threshold refuses and keeps, the lowest first; the last one refuses everything."""
    values = sorted({x for p in probes for x in (p.value, p.relevant) if x > -math.inf})
    return [at(probes, x) for x in (*values, math.nextafter(values[-1], math.inf) + 2 * ALIKE)] if values else []


def at(probes: Sequence[Probe], value: float) -> Point:
    """Returns what any threshold refuses and keeps of these questions."""
    answerable, others = [p for p in probes if p.answerable], [p for p in probes if not p.answerable]
    least = value - ALIKE
    refused = sum(p.value == -math.inf or p.value < least for p in others)
    kept = sum(p.relevant > -math.inf and p.relevant >= least for p in answerable)
    return Point(value, refused, len(others), kept, len(answerable))
