r"""Can a list be trusted?  Predictors of its quality that need no judgments, and how much each tells on this corpus.

Every predictor is a number of one list that is higher where the list should be better:

- ``spread`` and ``gap``, of its scores: see `lab.retrieve.selective`.
- ``overlap``: the share of common documents in the first `FIRST` of a list by words and of one by meaning.
- ``coverage``: the largest share of the question's words that one of the first `FIRST` contains.

None of them is a probability.  What one is worth on a corpus is shown by its judged questions: Kendall's tau-b with
the measure, and the measure of the questions whose predictor is nearest.

Source: M. Kendall, *The treatment of ties in ranking problems*, 1945.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from lab.algebra import Env, Query, Ranking
from lab.corpus.beir import Collection
from lab.evaluate.learning import FEW
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import Run
from lab.evaluate.significance import ALPHA, holm
from lab.evaluate.thresholds import measured, ranking_of
from lab.explain.agreement import shared
from lab.retrieve.selective import FIRST, SAME, gap, spread
from lab.retrieve.selective import PREDICTORS as SCORES
from lab.words import N_, Said

PREDICTORS = {
    **SCORES,
    "overlap": Said("overlap of words and meaning"),
    "coverage": Said("best share of the question's words"),
}
"""What each predictor is called."""
NEAR = 10
"""Number of judged questions with the nearest values; more if several are equally near."""
MEASURE = "nDCG@10"


def overlap(words: Sequence[str], meaning: Sequence[str]) -> float | None:
    """Returns the share of common ids among the first of two lists; None if both are empty."""
    length = max(len(words[:FIRST]), len(meaning[:FIRST]))
    return shared(words[:FIRST], meaning[:FIRST]) / length if length else None


def predictors(ranking: Ranking, words: Sequence[str], meaning: Sequence[str], env: Env) -> dict[str, float | None]:
    """Returns every predictor of a list; ``words`` and ``meaning`` are the ids of the two lists for the overlap.

    All are None for an empty list, which nothing can be said of.
    """
    if not ranking.hits:
        return dict.fromkeys(PREDICTORS)
    scores = [hit.score for hit in ranking.hits]
    values = {"spread": spread(scores), "gap": gap(scores), "overlap": overlap(words, meaning)}
    return values | {"coverage": max(measured("coverage", ranking.first(FIRST), env))}


def predictors_of_run(
    run: Run, words: Run, meaning: Run, collection: Collection, queries: Sequence[Query], env: Env
) -> dict[str, dict[str, float | None]]:
    """Returns every predictor of every question's list, by the question's id."""

    def ids(of: Run, query: Query) -> list[str]:
        return [doc for doc, _score in of.results.get(query.id, ())]

    corpus = collection.corpus
    return {q.id: predictors(ranking_of(run, corpus, q), ids(words, q), ids(meaning, q), env) for q in queries}


@dataclass(frozen=True)
class Predictor:
    """One predictor of a list among the judged questions.

    ``value`` is that of the list; ``points`` are (value, measure) of the judged questions that have one, the question
    itself left out.  ``p`` of Kendall's tau is two-sided.
    """

    key: str
    value: float | None
    points: tuple[tuple[float, float], ...] = field(repr=False)

    @property
    def label(self) -> Said:
        return PREDICTORS[self.key]

    @cached_property
    def _kendall(self) -> tuple[float | None, float | None]:
        values, gains = zip(*self.points, strict=True) if self.points else ((), ())
        if len(set(values)) < 2 or len(set(gains)) < 2:
            return None, None  # nothing to order
        from scipy.stats import kendalltau

        found = kendalltau(values, gains)
        return float(found.statistic), float(found.pvalue)

    @property
    def tau(self) -> float | None:
        """Kendall's tau-b with the measure; None if all values are equal, or all measures."""
        return self._kendall[0]

    @property
    def p(self) -> float | None:
        return self._kendall[1]

    @property
    def below(self) -> int:
        """How many judged questions have a lower value."""
        return sum(value < (self.value or 0.0) - SAME for value, _gain in self.points)

    @cached_property
    def neighbours(self) -> tuple[tuple[float, float], ...]:
        """The judged questions with the nearest values: `NEAR`, and those that are as near as the last of them."""
        if self.value is None or not self.points:
            return ()
        away = sorted(abs(value - self.value) for value, _gain in self.points)
        limit = away[min(NEAR, len(away)) - 1] + SAME
        return tuple(point for point in self.points if abs(point[0] - self.value) <= limit)


@dataclass(frozen=True)
class Outlook:
    """The predictors of a list for one question, and the judged questions of the same search.

    ``gains`` are the measures of all judged questions but this one, by their ids.
    """

    predictors: tuple[Predictor, ...]
    gains: Mapping[str, float] = field(hash=False)

    @cached_property
    def corrected(self) -> dict[str, float | None]:
        """The p of each predictor's tau, Holm-corrected."""
        return dict(zip([x.key for x in self.predictors], holm([x.p for x in self.predictors]), strict=True))

    @cached_property
    def telling(self) -> tuple[Predictor, ...]:
        """The predictors whose tau is above 0 and significant, the strongest first; none with few judged questions."""
        if len(self.gains) < FEW:
            return ()
        known = [(x, self.corrected[x.key]) for x in self.predictors if (x.tau or 0.0) > 0]
        return tuple(sorted((x for x, p in known if p is not None and p <= ALPHA), key=lambda x: -(x.tau or 0.0)))

    @property
    def mean(self) -> float:
        """The mean measure of the judged questions."""
        return math.fsum(self.gains.values()) / max(1, len(self.gains))

    def told(self) -> tuple[Said, ...]:
        """Describes what the predictors say of the list, and what they are worth here."""
        if not self.gains:
            message = N_(
                "This corpus has no judged questions, so nobody knows whether these figures say anything about its "
                "lists."
            )
            return (Said(message),)
        n = len(self.gains)
        if n < FEW:
            few = N_("Judged questions: {n}. Showing whether these figures say anything takes at least {few}.")
            return (Said(few, n=n, few=FEW),)
        if not self.telling:
            none = N_(
                "On this corpus none of them tells anything: no figure rises significantly with {measure} (judged "
                "questions: {n}). Do not trust or distrust the list because of them."
            )
            return (Said(none, n=n, measure=MEASURE),)
        sentences = []
        names = [x.label for x in self.telling]
        some = N_("These rise with {measure} here (judged questions: {n}): {names}. The others tell nothing.")
        if len(self.telling) == len(self.predictors):
            some = N_("All of them rise with {measure} here (judged questions: {n}), the strongest first: {names}.")
        sentences.append(Said(some, n=n, measure=MEASURE, names=names))
        best = next((x for x in self.telling if x.neighbours), None)
        if best is None:
            return (*sentences, Said("This list has none of them, so no prediction is possible."))
        gain = sum(gain for _value, gain in best.neighbours) / len(best.neighbours)
        values = {"k": len(best.neighbours), "number": best.label, "gain": f"{gain:.2f}", "mean": f"{self.mean:.2f}"}
        near = N_(
            "The judged questions nearest in {number} ({k}) reach {measure} {gain} on average; all judged questions "
            "{mean}."
        )
        weak = N_("Even so, τ is {tau}: single lists often differ from what it suggests.")
        return (*sentences, Said(near, measure=MEASURE, **values), Said(weak, tau=f"{best.tau:.2f}"))


def outlook(
    query: Query,
    values: Mapping[str, float | None],
    judged: Mapping[str, Mapping[str, float | None]],
    gains: Mapping[str, float],
) -> Outlook:
    """Returns the predictors of a list among the judged questions; a judged question is not compared with itself."""
    others = {q: gain for q, gain in gains.items() if q != query.id}
    rows = []
    for key in PREDICTORS:
        known = ((judged[q][key], gain) for q, gain in others.items() if q in judged)
        points = tuple((value, gain) for value, gain in known if value is not None)
        rows.append(Predictor(key, values[key], points))
    return Outlook(tuple(rows), others)


def gains_of(run: Run, collection: Collection, queries: Sequence[Query]) -> dict[str, float]:
    """Returns the measure of every judged question; empty without any."""
    qrels = {q.id: collection.qrels[q.id] for q in queries if collection.relevant(q.id)}
    if not qrels.keys() & run.results.keys():
        return {}
    return dict(measure_run(run, qrels, [MEASURE]).per_query[MEASURE])
