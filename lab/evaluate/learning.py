"""Learning the weights of `lab.refine.learned.Learned` from judged questions.

Of every question, each pair of candidates of which one has the better grade is a case: the weights should give it the
higher score.  The loss is logistic, the mean over the pairs of a question, then over the questions, then over the
groups (collections), so that neither long questions nor large collections count more::

    mean of ln(1 + exp(-(score of the better - score of the other))) + strength / 2 * |theta - start|^2

Two numbers per feature are learned: what it weighs in a list whose best passage covers no word of the question (a),
and where one covers them all (b).  Between them it weighs a (1 - c) + b c, which is w + v c with w = a, v = b - a.
Neither is negative: of no feature less is better, while v may well be below 0 (meaning may count less where the words
say it all).  The a of the features that see equal words only stays where it begins: where little is covered, the best
of them is often an accident (a number, a name) that min-max makes as large as any, and few questions tell.

Source: T. Joachims, *Optimizing Search Engines using Clickthrough Data*, 2002; C. Burges et al., *Learning to Rank
using Gradient Descent*, 2005.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

import numpy as np

from lab.algebra import NONE, Models, Progress, Query, Searcher
from lab.corpus.beir import Collection
from lab.errors import EvaluationError
from lab.evaluate.measures import Scores, measure_run
from lab.evaluate.runs import Run, each
from lab.evaluate.significance import Difference, compare
from lab.numeric import Floats, Ints
from lab.refine.features import FEATURES, WORDS
from lab.refine.learned import Learned, Mix, Weights
from lab.words import Said

STRENGTH = 0.003
"""How strongly the weights are held at where they start from."""
FEW = 20
"""Fewer judged questions than this teach and tell next to nothing."""
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Example:
    """The candidates of one question: their features, and the grade of each, shape [documents]."""

    query: str
    mix: Mix
    grades: Ints

    @property
    def teaches(self) -> bool:
        """Whether some candidate is better than another."""
        return bool(len(self.grades)) and bool(self.grades.min() < self.grades.max())

    def ranked(self, weights: Weights) -> tuple[tuple[str, float], ...]:
        """The (id, score) pairs under these weights, best first; ties in the order of the candidates' corpus."""
        scores = self.mix.scores(weights)
        order = sorted(range(len(scores)), key=lambda i: -scores[i])
        return tuple((self.mix.documents[i].id, scores[i]) for i in order)


def examples(
    search: Searcher,
    learned: Learned,
    collection: Collection,
    queries: Sequence[Query],
    *,
    models: Models = NONE,
    progress: Progress | None = None,
) -> list[Example]:
    """The candidates of every question, in corpus order, with the features that ``learned`` gives them."""
    out = []
    for query, found in each({"": search}, collection.corpus, queries, models=models, progress=progress):
        ranking = found[""]
        mix = learned.mix(ranking).sorted(ranking.corpus)
        grades = collection.qrels.get(query.id, {})
        out.append(Example(query.id, mix, np.array([grades.get(d.id, 0) for d in mix.documents], np.int64)))
    return out


def fit(groups: Sequence[Sequence[Example]], *, start: Weights | None = None, strength: float = STRENGTH) -> Weights:
    """The weights that order the pairs of these examples best; see the module.

    Raises `EvaluationError` where no question has a candidate that is better than another.
    """
    from scipy.optimize import minimize

    told = [group for group in ([e for e in group if e.teaches] for group in groups) if group]
    if not told:
        said = Said("No question has both a relevant and a non-relevant passage among its candidates.")
        raise EvaluationError(said, Said("Judge more questions, or rerank more candidates."))
    rows, shares = zip(*(pairs(e, 1 / len(told) / len(group)) for group in told for e in group), strict=True)
    x, share = np.concatenate(rows), np.concatenate(shares)
    begin = ends(start.vector) if start else np.zeros(x.shape[1])

    def loss(theta: Floats) -> tuple[float, Floats]:
        return objective(theta, x, share, begin, strength)

    held = [name in WORDS for name in FEATURES] + [False for _ in FEATURES]
    bounds = [(x, x) if fixed else (0, None) for x, fixed in zip(np.maximum(begin, 0), held, strict=True)]
    found = minimize(loss, begin, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-12})
    a, b = np.split(found.x, 2)
    return Weights.of(np.round([*a, *(b - a)], 4).tolist())  # more digits than matter, and a table that can be read


def objective(theta: Floats, x: Floats, share: Floats, begin: Floats, strength: float) -> tuple[float, Floats]:
    """The loss and its gradient: ``x`` [pairs, n] are the better minus the other, ``share`` [pairs] sums to 1."""
    margin, away = x @ theta, theta - begin
    loss = share @ np.logaddexp(0, -margin) + strength / 2 * away @ away
    wrong = 1 / (1 + np.exp(np.clip(margin, -500, 500)))
    return float(loss), np.asarray(strength * away - (share * wrong) @ x)


def ends(vector: Floats) -> Floats:
    """(w, v) as (a, b): what every feature weighs at coverage 0 and at coverage 1."""
    w, v = np.split(vector, 2)
    return np.concatenate([w, w + v])


def pairs(example: Example, weight: float) -> tuple[Floats, Floats]:
    """The better minus the other for every pair of candidates, as features of (a, b), and every pair's share."""
    plain, covered = np.split(example.mix.table, 2, axis=1)
    table = np.concatenate([plain - covered, covered], axis=1)
    better, other = np.nonzero(example.grades[:, None] > example.grades)
    return table[better] - table[other], np.full(len(better), weight / len(better))


def halves(queries: Sequence[T], seed: int) -> tuple[list[T], list[T]]:
    """The questions in two halves by chance: to learn from, and to report on (which gets the odd one)."""
    shuffled = Random(seed).sample(list(queries), len(queries))
    return shuffled[: len(shuffled) // 2], shuffled[len(shuffled) // 2 :]


@dataclass(frozen=True)
class Trained:
    """What was learned from the questions ``taught``; on the other half both weights' scores and their difference."""

    weights: Weights
    taught: tuple[str, ...]
    before: Scores
    after: Scores
    difference: Difference


def learn(
    found: Sequence[Example],
    qrels: Mapping[str, Mapping[str, int]],
    start: Weights,
    *,
    seed: int = 0,
    measure: str = "nDCG@10",
) -> Trained:
    """Weights from half of these questions, beginning at ``start``, and both measured on the other half.

    Raises `EvaluationError` for fewer than two questions, and where there is nothing to learn from.
    """
    teach, report = halves(found, seed)
    weights = fit([teach], start=start)
    told = {e.query: qrels[e.query] for e in report}
    runs = [Run(name, {e.query: e.ranked(w) for e in report}) for name, w in (("before", start), ("after", weights))]
    before, after = (measure_run(run, told, [measure]) for run in runs)
    return Trained(weights, tuple(e.query for e in teach), before, after, compare(before, after, measure))
