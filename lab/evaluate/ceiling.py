"""The ceiling of a list: the measure if its candidates were in the best possible order.

No reranker brings back a passage that the first stage has missed, so the best order of the candidates limits them all.
The headroom is the distance from the measure now to this ceiling.  Its shares are computed from sums over all
questions: the mean of the questions' own shares would weigh a question with hardly any headroom like one with much, and
can have another sign than the difference of the means.

Best is the order by grade, which no other order exceeds in nDCG, RR, AP, P, R, ERR or RBP.  Measures of subtopics have
no ceiling here: their best order is not known without trying all.
"""

from __future__ import annotations

from collections.abc import Collection as Ids
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.algebra import at_least
from lab.evaluate import diverse
from lab.evaluate.measures import Qrels, Scores, measure, measure_run
from lab.evaluate.runs import Run
from lab.evaluate.significance import SAME
from lab.words import Said

CANDIDATES = 50
"""Default number of candidates."""
DEPTHS = (10, 20, 50, 100)
"""Numbers of candidates for which a table shows the ceiling."""


@dataclass(frozen=True)
class Ceiling:
    """A measure of a run by question: now, and with the first ``depth`` results of each list in the best order.

    ``empty`` are the unwinnable questions: those with no relevant document among these results.
    """

    measure: str
    depth: int
    now: Mapping[str, float] = field(hash=False, repr=False)
    best: Mapping[str, float] = field(hash=False, repr=False)
    empty: tuple[str, ...]

    @property
    def misordered(self) -> tuple[str, ...]:
        """The questions that another order of the same candidates would make better."""
        return tuple(q for q, value in self.best.items() if value > self.now[q] + SAME)

    @property
    def mean(self) -> float:
        """The mean of the best order."""
        return _mean(self.best)

    @property
    def mean_now(self) -> float:
        """The mean of the present order."""
        return _mean(self.now)

    def share(self, reranked: Scores, ids: Ids[str] | None = None) -> float | None:
        """Returns the share of the headroom that another order takes over these questions, or over all.

        It is below 0 for one that makes the measure worse, and None without headroom.
        """
        questions = self.best if ids is None else [q for q in ids if q in self.best]
        after = reranked.per_query[self.measure]
        headroom = sum(self.best[q] - self.now[q] for q in questions)
        return sum(after[q] - self.now[q] for q in questions) / headroom if headroom > SAME else None

    def describe(self, query_id: str) -> Said:
        """Returns a sentence on what a reranker could gain for a question."""
        values: dict[str, Any] = {"n": self.depth, "measure": self.measure, "best": f"{self.best[query_id]:.3f}"}
        if query_id in self.empty:
            return Said("Unwinnable: nothing relevant down to rank {n}, so no reranker helps.", **values)
        if query_id in self.misordered:
            return Said("Misordered: down to rank {n}, the best order has {measure} {best}.", **values)
        return Said("In the best order: down to rank {n}, no other order has a higher {measure}.", **values)

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain values."""
        counts = {"unwinnable": len(self.empty), "misordered": len(self.misordered), "queries": len(self.best)}
        return {"depth": self.depth, "now": self.mean_now, "best": self.mean, **counts}


def has_ceiling(name: str) -> bool:
    """Whether the best order for a measure is the order by grade."""
    return measure(name).NAME not in diverse.OF_SUBTOPICS


def ceiling(run: Run, qrels: Qrels, name: str = "nDCG@10", depth: int = CANDIDATES) -> Ceiling | None:
    """Returns the ceiling of a run over the judged questions; None for a measure of subtopics.

    Raises the errors of `measure_run`, and `ParameterError` for a depth below 1.
    """
    at_least("depth", depth, 1)
    if not has_ceiling(name):
        return None
    now = measure_run(run, qrels, (name,)).per_query[name]
    best = measure_run(best_order(run, qrels, name, depth), qrels, (name,)).per_query[name]
    candidates = {q: [d for d, _ in run.results.get(q, ())[:depth]] for q in now}
    least = int(measure(name).params.get("rel", 1))
    empty = tuple(q for q, ids in candidates.items() if not any(qrels[q].get(d, 0) >= least for d in ids))
    return Ceiling(name, depth, now, best, empty)


def best_order(run: Run, qrels: Qrels, name: str, depth: int) -> Run:
    """Returns the run with the first ``depth`` results of each list by their gain; equal ones keep their order."""
    gains = measure(name).params.get("gains") or {}

    def gain(query_id: str, document_id: str) -> float:
        grade = qrels.get(query_id, {}).get(document_id)
        return -0.5 if grade is None else float(gains.get(grade, grade))  # judged before unjudged, for Judged@10

    ordered = {
        q: (*sorted(hits[:depth], key=lambda hit: -gain(q, hit[0])), *hits[depth:]) for q, hits in run.results.items()
    }
    return Run(run.name, ordered, by_rank=ordered.keys())


def _mean(values: Mapping[str, float]) -> float:
    return sum(values.values()) / max(1, len(values))
