"""What has changed since an earlier run: the questions lost and won, and whether the difference is significant.

The earlier run is a TREC file, for instance that of the last release.  A run has no lines for a question without
results, and none for a question that is new since: only the questions that it has results for are compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lab.algebra import Query
from lab.corpus.beir import Collection
from lab.errors import EvaluationError
from lab.evaluate.experiments import Experiment
from lab.evaluate.measures import measure
from lab.evaluate.runs import Run
from lab.evaluate.significance import ALPHA, SAME
from lab.words import N_, Said


@dataclass(frozen=True)
class Limits:
    """The lowest permitted differences from the earlier run; what is not limited may fall freely.

    ``means`` has one for the mean of a measure, ``question`` is one for the first measure of every single question.
    With ``significant``, no measure may be significantly worse.
    """

    means: Mapping[str, float] = field(default_factory=dict, hash=False)
    question: float | None = None
    significant: bool = False


@dataclass(frozen=True)
class Change:
    """The value of a question before and now, and the rank of its first relevant result (None: none in the list)."""

    query: Query
    before: float
    now: float
    rank_before: int | None
    rank_now: int | None

    @property
    def difference(self) -> float:
        """The value now minus the value before."""
        return self.now - self.before

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain values."""
        values = {"before": self.before, "now": self.now, "difference": self.difference}
        ranks = {"rank_before": self.rank_before, "rank_now": self.rank_now}
        return {"query": self.query.id, "text": self.query.text, **values, **ranks}


@dataclass(frozen=True)
class Regression:
    """An experiment whose baseline is the earlier run, and the limits that its other runs must keep."""

    experiment: Experiment
    limits: Limits = Limits()

    @property
    def earlier(self) -> str:
        return str(self.experiment.baseline)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name in self.experiment.runs if name != self.experiment.baseline)

    @property
    def measure(self) -> str:
        """The measure by which single questions are compared: the first one."""
        return self.experiment.measures[0]

    def changes(self, name: str) -> tuple[Change, ...]:
        """Returns every question in the order of the collection."""
        e = self.experiment
        before, now = (e.scores[run].per_query[self.measure] for run in (self.earlier, name))
        return tuple(Change(q, before[q.id], now[q.id], *self._ranks(q, name)) for q in e.queries)

    def _ranks(self, query: Query, name: str) -> tuple[int | None, int | None]:
        e = self.experiment
        relevant = {d for d, grade in e.collection.qrels[query.id].items() if grade > 0}
        lists = (e.runs[run].results.get(query.id, ()) for run in (self.earlier, name))
        ranks = [next((i for i, (d, _) in enumerate(hits, 1) if d in relevant), None) for hits in lists]
        return ranks[0], ranks[1]

    def lost(self, name: str) -> tuple[Change, ...]:
        """Returns the questions that are worse than before, the largest loss first."""
        return tuple(sorted((c for c in self.changes(name) if c.difference < -SAME), key=lambda c: c.difference))

    def won(self, name: str) -> tuple[Change, ...]:
        """Returns the questions that are better than before, the largest gain first."""
        return tuple(sorted((c for c in self.changes(name) if c.difference > SAME), key=lambda c: -c.difference))

    def failed_measures(self, name: str) -> dict[str, tuple[Said, ...]]:
        """Returns the measures of a search that break a limit, each with the reasons."""
        failed = dict[str, tuple[Said, ...]]()
        for m in self.experiment.measures:
            d, reasons = self.experiment.differences[name, m], list[Said]()
            names = {"name": name, "measure": m, "earlier": self.earlier, "difference": f"{d.mean:+.4f}"}
            limit = self.limits.means.get(m)
            if limit is not None and d.mean < limit - SAME:
                below = N_("{name}: the difference in {measure} from {earlier} is {difference}, below {limit}.")
                reasons.append(Said(below, limit=f"{limit:g}", **names))
            if self.limits.significant and d.mean < 0 and self._is_significant(name, m):
                worse = N_("{name} is significantly worse than {earlier} in {measure} ({difference}).")
                reasons.append(Said(worse, **names))
            if reasons:
                failed[m] = tuple(reasons)
        return failed

    def failed_questions(self, name: str) -> dict[str, Said]:
        """Returns the ids of the questions that break the limit for a single question, each with the reason."""
        if self.limits.question is None:
            return {}
        message = N_("{name}: the difference in {measure} on “{query}” is {difference}, below {limit}.")
        names = {"name": name, "measure": self.measure, "limit": f"{self.limits.question:g}"}
        return {
            c.query.id: Said(message, query=c.query.id, difference=f"{c.difference:+.4f}", **names)
            for c in self.lost(name)
            if c.difference < self.limits.question - SAME
        }

    def _is_significant(self, name: str, m: str) -> bool:
        """Whether both tests, corrected for the number of searches, find a difference."""
        return all(p is not None and p <= ALPHA for p in self.experiment.corrected[name, m])

    @property
    def failures(self) -> tuple[Said, ...]:
        """Every broken limit of every search."""
        by_search = [(self.failed_measures(name), self.failed_questions(name)) for name in self.names]
        return tuple(
            reason
            for measures, questions in by_search
            for reason in (*(r for reasons in measures.values() for r in reasons), *questions.values())
        )

    @property
    def notes(self) -> tuple[Said, ...]:
        """Remarks on runs whose lists have different lengths, if a measure looks deeper than the shorter ones."""
        notes = []
        lengths = {name: max(map(len, run.results.values()), default=0) for name, run in self.experiment.runs.items()}
        for name in self.names:
            before, now = lengths[self.earlier], lengths[name]
            cutoffs = {m: measure(m).params.get("cutoff") for m in self.experiment.measures}
            deep = [m for m, cutoff in cutoffs.items() if cutoff is None or int(cutoff) > min(before, now)]
            if deep and before != now and _is_cut(self.experiment.runs[self.earlier if before < now else name]):
                message = N_(
                    "Length of the longest list: {before} in {earlier}, {now} in {name}. Measures that look deeper "
                    "than the shorter lists: {measures}."
                )
                values = {"earlier": self.earlier, "name": name, "before": before, "now": now}
                notes.append(Said(message, measures=[*deep], **values))
        return tuple(notes)

    def to_dict(self) -> dict[str, Any]:
        """The questions lost and won by search, and the broken limits, as plain values."""
        searches = {
            name: {
                "lost": [c.to_dict() for c in self.lost(name)],
                "won": [c.to_dict() for c in self.won(name)],
                "equal": len(self.experiment.queries) - len(self.lost(name)) - len(self.won(name)),
            }
            for name in self.names
        }
        return {"against": self.earlier, "measure": self.measure, "changes": searches, "failures": list(self.failures)}


def _is_cut(run: Run) -> bool:
    """Whether lists seem to end at a depth: several have the greatest length, and none a greater one."""
    lengths = [len(hits) for hits in run.results.values()]
    return lengths.count(max(lengths, default=0)) > 1 or len(lengths) == 1


def comparable(
    earlier: Run, collection: Collection, questions: Sequence[Query]
) -> tuple[Collection, tuple[Query, ...], tuple[Said, ...]]:
    """Returns the collection with those of the questions that an earlier run has results for, these, and notes.

    The notes name the questions that are not compared.  Raises `EvaluationError` if there is none to compare, and if
    the run has no document of the corpus.
    """
    common = tuple(q for q in questions if q.id in earlier.results)
    if not common:
        message = Said("{run} and the judgments have no query in common.", run=earlier.name)
        raise EvaluationError(message, Said("Check that both use the same query ids."))
    documents = {d for q in common for d, _ in earlier.results[q.id]}
    if not any(collection.corpus.get(d) for d in documents):
        message = Said("{run} has no document of {corpus}.", run=earlier.name, corpus=collection.name)
        raise EvaluationError(message, Said("Check that the run was made from the same corpus."))
    known = {q.id for q in collection.queries}
    notes = []
    if missing := [q.id for q in questions if q.id not in earlier.results]:
        text = N_(
            "{run}: questions without results: {n} of {asked}, the first: {id}. They are new or had no results then, "
            "and are not compared."
        )
        notes.append(Said(text, run=earlier.name, n=len(missing), asked=len(questions), id=missing[0]))
    if strange := [q for q in earlier.results if q not in known]:
        text = N_("Questions of {run} that {corpus} does not have: {n}, the first: {id}. They are not compared.")
        notes.append(Said(text, run=earlier.name, corpus=collection.name, n=len(strange), id=strange[0]))
    return replace(collection, queries=common), common, tuple(notes)
