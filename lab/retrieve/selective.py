"""A step only where it pays: an expensive search runs only if a predictor says that the cheap list is poor.

A predictor is a number of one list that is higher where the list should be better; it needs no judgments.  Whether it
knows anything on a corpus is another question: `lab.explain.saving` compares it with skipping by chance.

- ``spread``: the standard deviation of the first `FIRST` scores, divided by the absolute mean of the list's scores.
  NQC (Shtok et al. 2012) divides by the score of the whole corpus as one document, which fused and reranked lists lack.
- ``gap``: how far the second score is below the first, as a share of the first.

Sources: A. Shtok, O. Kurland, D. Carmel, F. Raiber, G. Markovits, *Predicting Query Performance by Query-Drift
Estimation*, ACM TOIS 2012, doi:10.1145/2180868.2180873; selective expansion: G. Amati, C. Carpineto, G. Romano, *Query
Difficulty, Robustness, and Selective Application of Query Expansion*, ECIR 2004.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lab.algebra import DEPTH, Fallback, Ranking, Relaxed, Searcher, knob
from lab.words import N_, Said

PREDICTORS = {"spread": Said("spread of the scores"), "gap": Said("gap between ranks 1 and 2")}
"""What each predictor is called."""
FIRST = 10
"""Number of results that have a spread."""
SAME = 1e-12


def spread(scores: Sequence[float]) -> float | None:
    """Returns the spread of a list's scores; None for fewer than two, and if their mean is 0."""
    mean = abs(sum(scores) / len(scores)) if scores else 0.0
    return float(np.std(scores[:FIRST])) / mean if len(scores) > 1 and mean > SAME else None


def gap(scores: Sequence[float]) -> float | None:
    """Returns how far the second score is below the first; None for fewer than two, and if the first is 0."""
    return (scores[0] - scores[1]) / abs(scores[0]) if len(scores) > 1 and abs(scores[0]) > SAME else None


@dataclass(frozen=True)
class Predicted(Relaxed):
    """Whether a `Selective` needed its second search: the predictor's value (None: the list has none) and its limit."""

    by: str
    value: float | None
    minimum: float

    @property
    def sentence(self) -> Said:
        """Says what was decided, with the numbers of this list."""
        told = {"name": PREDICTORS[self.by], "value": self.value, "minimum": self.minimum}
        if self.value is None:
            return Said("The first list has no {name}, so the second search ran.", name=told["name"])
        if self.relaxed:
            return Said(N_("{name}: {value:.3f}, below {minimum:g}, so the second search ran."), **told)
        return Said(N_("{name}: {value:.3f}, at least {minimum:g}, so the second search was skipped."), **told)


@dataclass(frozen=True)
class Selective(Fallback):
    """Runs a cheap search, and an expensive one only if the predictor of the first list is below ``minimum``.

    The predictor reads the first hundred results, however many are shown.  A list of fewer than two results has no
    predictor, and the second search runs.  Lists that both searches share are searched once: in
    ``Selective(BM25(), BM25() >> MaxSim())`` the second search only adds the reranking.  The evidence is a `Predicted`.
    """

    technique = Said("Selective search")
    about = Said("Reranks or rewrites only if the scores of the first list look poor.")

    first: Searcher = knob(kind="spec", label=Said("First search"), help=Said("The cheap search, which always runs."))
    then: Searcher = knob(
        kind="spec",
        label=Said("Expensive search"),
        help=Said("Runs if the first list looks poor, for instance to rerank it."),
    )
    by: str = knob(
        "spread",
        Said("Predictor"),
        Said("A figure of the first list that should be higher for better lists."),
        choices=PREDICTORS,
    )
    minimum: float = knob(
        0.4,
        Said("Runs below"),
        Said("0: only without a predictor. Choose it by a sweep on judged questions."),
        low=0.0,
        high=10.0,
        step=0.05,
    )

    @property
    def label(self) -> str:
        return Said("{first}; if poor, {then}", first=self.first.label, then=self.then.label)

    def first_depth(self, k: int) -> int:
        return max(k, DEPTH)

    def choose(self, first: Ranking) -> Relaxed:
        scores = [hit.score for hit in first.hits[:DEPTH]]
        value = spread(scores) if self.by == "spread" else gap(scores)
        return Predicted(value is None or value < self.minimum - SAME, self.by, value, self.minimum)
