"""Learning the weights of `lab.refine.learned.Learned` from judged questions.

Each pair of a question's candidates with different grades is a case: the weights should give the better one the higher
score.  The loss is logistic, the mean over the pairs of a question, then over the questions, then over the
groups (collections), so that neither long questions nor large collections count more::

    mean of ln(1 + exp(-(score of the better - score of the other))) + strength / 2 * |theta - start|^2

Two weights per feature are learned: for a list whose best passage covers no word of the question (a), and for one that
covers them all (b).  At coverage c the weight is a (1 - c) + b c, which is w + v c with w = a, v = b - a.  Neither is
negative, since less of a feature is never better, while v may be below 0 (meaning may count less if all words match).
The a of features that only compare equal words keeps its start value: at low coverage, the best match is often an
accident (a number, a name) that min-max normalisation makes as large as any, and few questions have such lists.

Sources: T. Joachims, *Optimizing Search Engines using Clickthrough Data*, KDD 2002, doi:10.1145/775047.775067;
C. Burges et al., *Learning to Rank using Gradient Descent*, ICML 2005, doi:10.1145/1102351.1102363.
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
"""Strength of the penalty for leaving the start weights."""
FEW = 20
"""With fewer judged questions than this, learning and testing are unreliable."""
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
        """The (id, score) pairs under these weights, best first; equal scores in the order of the candidates."""
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
    """The candidates of every question, in the order of their list, with the features that ``learned`` gives them."""
    candidates = []
    for query, rankings in each({"": search}, collection.corpus, queries, models=models, progress=progress):
        ranking = rankings[""]
        mix = learned.mix(ranking)
        grades = collection.qrels.get(query.id, {})
        candidates.append(Example(query.id, mix, np.array([grades.get(d.id, 0) for d in mix.documents], np.int64)))
    return candidates


def fit(groups: Sequence[Sequence[Example]], *, start: Weights | None = None, strength: float = STRENGTH) -> Weights:
    """Returns the weights that order the pairs of these examples best; see the module.

    Raises `EvaluationError` if no question has candidates of different grades.
    """
    from scipy.optimize import minimize

    teaching = [group for group in ([e for e in group if e.teaches] for group in groups) if group]
    if not teaching:
        message = Said("No question has both a relevant and a non-relevant passage among its candidates.")
        raise EvaluationError(message, Said("Judge more questions, or rerank more candidates."))
    rows, shares = zip(*(pairs(e, 1 / len(teaching) / len(group)) for group in teaching for e in group), strict=True)
    x, share = np.concatenate(rows), np.concatenate(shares)
    begin = ends(start.vector) if start else np.zeros(x.shape[1])

    def loss(theta: Floats) -> tuple[float, Floats]:
        return objective(theta, x, share, begin, strength)

    is_fixed = [name in WORDS for name in FEATURES] + [False for _ in FEATURES]
    bounds = [(x, x) if fixed else (0, None) for x, fixed in zip(np.maximum(begin, 0), is_fixed, strict=True)]
    result = minimize(loss, begin, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-12})
    a, b = np.split(result.x, 2)
    # four digits are more than enough, and keep the table readable
    return Weights.of(np.round([*a, *(b - a)], 4).tolist())


def objective(theta: Floats, x: Floats, share: Floats, begin: Floats, strength: float) -> tuple[float, Floats]:
    """Returns the loss and its gradient: ``x`` [pairs, n] is better minus worse, ``share`` [pairs] sums to 1."""
    margin, away = x @ theta, theta - begin
    loss = share @ np.logaddexp(0, -margin) + strength / 2 * away @ away
    wrong = 1 / (1 + np.exp(np.clip(margin, -500, 500)))
    return float(loss), np.asarray(strength * away - (share * wrong) @ x)


def ends(vector: Floats) -> Floats:
    """Converts (w, v) to (a, b): the weight of every feature at coverage 0 and at coverage 1."""
    w, v = np.split(vector, 2)
    return np.concatenate([w, w + v])


def pairs(example: Example, weight: float) -> tuple[Floats, Floats]:
    """Returns better minus worse for every pair of candidates, as features of (a, b), and the share of each pair."""
    plain, covered = np.split(example.mix.table, 2, axis=1)
    table = np.concatenate([plain - covered, covered], axis=1)
    better, other = np.nonzero(example.grades[:, None] > example.grades)
    return table[better] - table[other], np.full(len(better), weight / len(better))


def halves(queries: Sequence[T], seed: int) -> tuple[list[T], list[T]]:
    """Splits the questions at random into a tuning half and a held-out half, which gets the odd one."""
    shuffled = Random(seed).sample(list(queries), len(queries))
    return shuffled[: len(shuffled) // 2], shuffled[len(shuffled) // 2 :]


@dataclass(frozen=True)
class Trained:
    """Weights learned from the questions ``taught``, and the scores of old and new weights on the held-out half."""

    weights: Weights
    taught: tuple[str, ...]
    before: Scores
    after: Scores
    difference: Difference


def learn(
    candidates: Sequence[Example],
    qrels: Mapping[str, Mapping[str, int]],
    start: Weights,
    *,
    seed: int = 0,
    measure: str = "nDCG@10",
) -> Trained:
    """Learns weights from half of these questions, beginning at ``start``, and measures both on the held-out half.

    Raises `EvaluationError` for fewer than two questions, and if there is nothing to learn from.
    """
    teach, report = halves(candidates, seed)
    weights = fit([teach], start=start)
    held_out = {e.query: qrels[e.query] for e in report}
    runs = [Run(name, {e.query: e.ranked(w) for e in report}) for name, w in (("before", start), ("after", weights))]
    before, after = (measure_run(run, held_out, [measure]) for run in runs)
    return Trained(weights, tuple(e.query for e in teach), before, after, compare(before, after, measure))
