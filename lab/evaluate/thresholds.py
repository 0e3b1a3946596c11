"""A threshold from judgments: precision and recall over every value, chosen on one half of the questions.

Every result of every judged question has a number (its score, its share of the best score, its share of the question's
words).  A threshold keeps the results whose number reaches it.  Precision is the share of the kept results that are
relevant, recall the share of the listed relevant results that are kept; both count all questions together, and unjudged
results count as not relevant.  The value that reaches a wanted precision on the questions where it was chosen may miss
it elsewhere, so it is chosen on a tuning half and reported on the held-out half.

Sources: C. J. van Rijsbergen, *Information Retrieval*, 1979, chapter 7 (precision, recall, F); T. Fawcett, *An
introduction to ROC analysis*, 2006, doi:10.1016/j.patrec.2005.10.010 (the share of pairs in the right order).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lab.algebra import NONE, Corpus, Env, Hit, Query, Ranking, Runner
from lab.corpus.beir import Collection
from lab.errors import ParameterError
from lab.evaluate.learning import FEW, halves
from lab.evaluate.runs import Run
from lab.numeric import Floats
from lab.refine.coverage import Words
from lab.refine.filters import ALIKE, Filter, MinimumMatch, ScoreThreshold
from lab.words import N_, Said

KINDS = {
    "score": Said("score"),
    "best": Said("share of the best score"),
    "coverage": Said("share of the question's words"),
}
"""The numbers that a threshold may compare, by the name of each."""
DEPTH = 20
"""Default number of results per question that count."""
LEAST = 10
"""Minimum number of kept results for a precision to count: that of fewer is mostly chance."""
SPLITS = 100
"""Number of random splits."""
COMMON = 0.05
"""Share of the results from which on results with one number are mentioned."""
SATURATED = 0.1
"""Share of the results from which on numbers within a thousandth of the range are mentioned."""


class Result(NamedTuple):
    """One result of a question: its number, and whether it is judged relevant, or judged at all."""

    query: str
    value: float
    relevant: bool
    judged: bool


class Point(NamedTuple):
    """What a threshold keeps of some results: how many, and how many of the ``total`` relevant ones."""

    value: float
    kept: int
    relevant: int
    total: int

    @property
    def precision(self) -> float | None:
        """The share of the kept results that are relevant; None if it keeps none."""
        return self.relevant / self.kept if self.kept else None

    @property
    def recall(self) -> float | None:
        """The share of the relevant results that are kept; None if there are none."""
        return self.relevant / self.total if self.total else None

    @property
    def f(self) -> float:
        """The harmonic mean of precision and recall; 0 if it keeps no relevant result."""
        return 2 * self.relevant / (self.kept + self.total) if self.relevant else 0.0


def measured(kind: str, ranking: Ranking, env: Env) -> Sequence[float]:
    """Returns the number of every result of a list.  Raises `ParameterError` for an unknown kind."""
    if kind not in KINDS:
        remedy = Said("Valid names: {names}.", names=[*KINDS])
        raise ParameterError(Said("There is no number “{name}”.", name=kind), remedy)
    if not ranking.hits:
        return ()
    if kind == "coverage":
        words = Words.of(MinimumMatch().analyzer, ranking, env)
        contained = (words.held([hit.document for hit in ranking.hits]) > 0).sum(axis=1)
        return [float(n) / max(1, len(words.tokens)) for n in contained.tolist()]
    return tuple(ScoreThreshold(0.0, of=kind).judge(ranking, env).evidence.values)


def results_of(
    run: Run, collection: Collection, queries: Iterable[Query], kind: str, depth: int = DEPTH
) -> list[Result]:
    """Returns the first ``depth`` results of every question with their numbers.

    Documents that are not in the corpus are left out.
    """
    corpus, results = collection.corpus, list[Result]()
    env = Env(explain=False, runner=Runner(corpus, models=NONE, explain=False))
    for query in queries:
        ranking = ranking_of(run, corpus, query)
        values = measured(kind, ranking, env)
        grades = collection.qrels.get(query.id, {})
        for hit, value in list(zip(ranking.hits, values, strict=True))[:depth]:
            grade = grades.get(hit.document.id)
            results.append(Result(query.id, value, (grade or 0) > 0, grade is not None))
    return results


def ranking_of(run: Run, corpus: Corpus, query: Query) -> Ranking:
    """Returns the list of a run for a question, without documents that are not in the corpus."""
    pairs = ((corpus.get(doc), score) for doc, score in run.results.get(query.id, ()))
    hits = tuple(Hit(document, score) for document, score in pairs if document is not None)
    return Ranking(query, hits, ScoreThreshold(), corpus=corpus)


def stage(kind: str, value: float) -> Filter:
    """Returns the filter that keeps the results whose number reaches a value."""
    return MinimumMatch(value) if kind == "coverage" else ScoreThreshold(value, of=kind)


def points(results: Sequence[Result]) -> list[Point]:
    """Returns every threshold: the distinct numbers, the lowest (which keeps everything) first."""
    if not results:
        return []
    values, kept, relevant = _counts(*_columns(results))
    total = int(relevant[0])
    rows = zip(values.tolist(), kept.tolist(), relevant.tolist(), strict=True)
    return [Point(value, n, hits, total) for value, n, hits in rows]


def _columns(results: Sequence[Result]) -> tuple[Floats, Floats]:
    return np.array([r.value for r in results], float), np.array([r.relevant for r in results], float)


def _counts(values: Floats, relevant: Floats) -> tuple[Floats, Floats, Floats]:
    """Returns the distinct values, upwards, and how many results, and relevant ones, reach each."""
    distinct, first = np.unique(values, return_inverse=True)
    each = np.bincount(first, minlength=len(distinct))
    good = np.bincount(first, weights=relevant, minlength=len(distinct))
    return distinct, each[::-1].cumsum()[::-1], good[::-1].cumsum()[::-1].astype(int)


def at(results: Sequence[Result], value: float) -> Point:
    kept = [r for r in results if r.value >= value - ALIKE]
    return Point(value, len(kept), sum(r.relevant for r in kept), sum(r.relevant for r in results))


def separation(results: Sequence[Result]) -> float | None:
    """Returns the share of pairs in which the relevant result has the higher number; equal ones count half (AUC).

    None if all results are relevant, or none is.
    """
    good, other = ([r.value for r in results if r.relevant == kind] for kind in (True, False))
    if not good or not other:
        return None
    lower, not_higher = (np.searchsorted(np.sort(other), good, side).sum() for side in ("left", "right"))
    return float(lower + not_higher) / (2 * len(good) * len(other))


def shortest(low: float, high: float) -> float:
    """Returns the number with the fewest decimals in (low, high]; ``high`` if only it fits."""
    for digits in range(7):
        value: float = math.floor(high * 10**digits) / 10**digits
        if low + ALIKE < value <= high:
            return value
    return high


class Choice(NamedTuple):
    """A threshold chosen on the tuning half: what it keeps there and on the held-out half."""

    there: Point
    here: Point
    silent: int
    """Questions of the held-out half of which it keeps no result."""
    asked: int
    """Questions of the held-out half."""
    needless: bool
    """Whether it keeps everything: the wanted precision is reached without a threshold."""


class Splits(NamedTuple):
    """Of all random splits, how many find a threshold, and its precision on their held-out halves.

    ``low`` and ``high`` are the limits of nine tenths of them; all three are None if no held-out half has a precision.
    """

    found: int
    precision: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Threshold:
    """A wanted precision, and the results of the judged questions from which a threshold for it is chosen.

    ``queries`` are the ids of all questions, also of those without results.
    """

    kind: str
    results: tuple[Result, ...]
    queries: tuple[str, ...]
    wanted: float

    @cached_property
    def points(self) -> list[Point]:
        """Every threshold over all questions."""
        return points(self.results)

    @cached_property
    def _by_query(self) -> dict[str, list[Result]]:
        by_query: dict[str, list[Result]] = {q: [] for q in self.queries}
        for result in self.results:
            by_query[result.query].append(result)
        return by_query

    def _of(self, ids: Iterable[str]) -> list[Result]:
        return [result for q in ids for result in self._by_query[q]]

    @property
    def enough(self) -> bool:
        """Whether there are enough questions for a choice."""
        return len(self.queries) >= FEW

    def pick(self, ids: Sequence[str]) -> Point | None:
        """Returns the lowest threshold that reaches the wanted precision on these questions; None if none does.

        Only thresholds that keep at least `LEAST` results count.  Its value is the shortest number with this effect.
        """
        every = points(self._of(ids))
        for i, point in enumerate(every):
            if point.kept >= LEAST and (point.precision or 0.0) >= self.wanted - ALIKE:
                below = every[i - 1].value if i else -math.inf
                return point._replace(value=shortest(below, point.value))
        return None

    def highest(self, ids: Sequence[str]) -> float | None:
        """Returns the highest precision of a threshold on these questions that keeps at least `LEAST` results."""
        every = [p.precision or 0.0 for p in points(self._of(ids)) if p.kept >= LEAST]
        return max(every, default=None)

    def choose(self, seed: int = 0) -> Choice | None:
        """Returns the threshold of the tuning half, on both halves; None without one, or with too few questions."""
        if not self.enough:
            return None
        tuning, held_out = halves(self.queries, seed)
        there = self.pick(tuning)
        if there is None:
            return None
        silent = sum(not at(self._by_query[q], there.value).kept for q in held_out)
        needless = there.kept == len(self._of(tuning))
        return Choice(there, at(self._of(held_out), there.value), silent, len(held_out), needless)

    @cached_property
    def repeated(self) -> Splits:
        """The choice on every random split."""
        found = [choice for choice in map(self.choose, range(SPLITS)) if choice]
        kept = [choice.here.precision for choice in found if choice.here.precision is not None]
        low, high = np.percentile(kept, [5, 95]).tolist() if kept else (None, None)
        return Splits(len(found), sum(kept) / len(kept) if kept else None, low, high)

    def told(self, seed: int = 0) -> tuple[Said, ...]:
        """Describes what the numbers separate, and what the chosen threshold promises and keeps."""
        n, name = len(self.results), KINDS[self.kind]
        good = sum(r.relevant for r in self.results)
        if not good:
            return (Said("None of these results ({n}) is judged relevant: there is nothing to separate.", n=n),)
        if good == n:
            return (Said("All of these results ({n}) are judged relevant: there is nothing to separate.", n=n),)
        if len(self.points) == 1:
            same = N_("All results ({n}) have the same number, {value}: no threshold separates here.")
            return (Said(same, n=n, value=f"{self.results[0].value:.4g}"),)
        pairs = N_(
            "In {share} of all pairs, the relevant result has the higher {number}; 50% would be chance, 100% a perfect "
            "separation."
        )
        share = separation(self.results)
        sentences = [Said(pairs, share=f"{share:.0%}", number=name), *self._ties()]
        if not self.enough:
            few = N_("Judged questions: {n}. A threshold is chosen from at least {few}.")
            return (*sentences, Said(few, n=len(self.queries), few=FEW))
        return (*sentences, *self._chosen(seed))

    def _ties(self) -> list[Said]:
        """Describes the largest group of equal numbers, and numbers that hardly differ."""
        n, exact = len(self.results), Counter(r.value for r in self.results)
        value, count = exact.most_common(1)[0]
        sentences = []
        if count > max(1, COMMON * n):
            good = sum(r.relevant for r in self.results if r.value == value)
            tied = N_(
                "Results with exactly {value}: {count} of {n}; relevant among them: {good}. A threshold keeps all of "
                "them or none."
            )
            sentences.append(Said(tied, count=count, n=n, value=f"{value:.4g}", good=good))
        low, high = self.points[0].value, self.points[-1].value
        steps = Counter(round(1000 * (r.value - low) / (high - low)) for r in self.results)
        step, similar = steps.most_common(1)[0]
        near = [r.value for r in self.results if round(1000 * (r.value - low) / (high - low)) == step]
        if similar > SATURATED * n and min(near) < max(near):
            saturated = N_(
                "Saturated: from {low} to {high}, a thousandth of the whole range. Results there: {count} of {n}."
            )
            sentences.append(Said(saturated, count=similar, n=n, low=f"{min(near):.6g}", high=f"{max(near):.6g}"))
        return sentences

    def _chosen(self, seed: int) -> list[Said]:
        choice, wanted = self.choose(seed), f"{self.wanted:.2f}"
        if choice is None:
            tuning, _held_out = halves(self.queries, seed)
            highest = self.highest(tuning)
            if highest is None:
                none = N_("No threshold separates here: the tuning half has fewer than {least} results.")
                sentences = [Said(none, least=LEAST)]
            else:
                none = N_(
                    "No threshold separates here: with at least {least} results kept, the highest precision on the "
                    "tuning half is {highest}; the target is {wanted}."
                )
                sentences = [Said(none, least=LEAST, highest=f"{highest:.3f}", wanted=wanted)]
        elif choice.needless:
            already = N_(
                "No threshold is needed: without one, precision on the tuning half is {there}; the target is {wanted}."
            )
            sentences = [Said(already, there=_two(choice.there.precision), wanted=wanted)]
        else:
            there, here = choice.there, choice.here
            kept = N_(
                "Chosen on the tuning half: {value}. Precision there {there}, on the held-out half {here} (wanted: "
                "{wanted}); recall {recall} and {recalled}."
            )
            if here.precision is None:
                kept = N_(
                    "Chosen on the tuning half: {value}. Precision there {there}; on the held-out half it keeps no "
                    "result (wanted: {wanted})."
                )
            figures = {"there": _two(there.precision), "here": _two(here.precision)}
            recalls = {"recall": _two(there.recall), "recalled": _two(here.recall)}
            sentences = [Said(kept, value=f"{there.value:g}", wanted=wanted, **figures, **recalls)]
            if choice.silent:
                silent = N_("Held-out questions of which it keeps no result: {silent} of {asked}.")
                sentences.append(Said(silent, silent=choice.silent, asked=choice.asked))
        found, mean, low, high = self.repeated
        if mean is None:
            splits = N_("Random splits that find a threshold: {found} of {splits}.")
        elif found < FEW:
            splits = N_(
                "Random splits that find a threshold: {found} of {splits}. Its precision on their held-out halves is "
                "{mean} on average."
            )
        else:
            splits = N_(
                "Random splits that find a threshold: {found} of {splits}. Its precision on their held-out halves is "
                "{mean} on average, and from {low} to {high} in 90% of them."
            )
        ends = {"mean": _two(mean), "low": _two(low), "high": _two(high)}
        sentences.append(Said(splits, splits=SPLITS, found=found, **ends))
        return sentences


def _two(share: float | None) -> str:
    return "–" if share is None else f"{share:.2f}"
