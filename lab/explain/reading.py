"""How the built-in cross-encoder reads one pair: the attention between its tokens, and the score without each of them.

Attention is no explanation of a score (S. Jain and B. C. Wallace, *Attention is not Explanation*, 2019).  The score
without a token is measured: the pair is read again without it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.models.pair_reader import QUESTION, PairReader

BATCH = 32
"""Pairs that are read at once."""


@dataclass(frozen=True, eq=False)
class PairReading:
    """One pair as the model reads it: the tokens of the question and of the part of the passage that the layers see.

    ``attention`` [question, passage] is the mean over layers and heads; ``without`` has the score without each token,
    first the question's, then the passage's.
    """

    score: float
    question: tuple[str, ...]
    passage: tuple[str, ...]
    attention: NDArray[np.float32]
    without: tuple[float, ...]

    @property
    def changes(self) -> list[tuple[bool, int, str, float]]:
        """Returns (in the question, place, token, change of the score without it), the largest change first."""
        words = [*((True, *x) for x in enumerate(self.question, 1)), *((False, *x) for x in enumerate(self.passage, 1))]
        rows = [(*word, score - self.score) for word, score in zip(words, self.without, strict=True)]
        return sorted(rows, key=lambda row: -abs(row[3]))


def read(reader: PairReader, query: str, text: str) -> PairReading:
    """Reads the pair once as it is, and once without each token."""
    question, passage = reader.encoder.numbers([query, text])
    inputs, scores, layers = reader.read([question], [passage])
    q, p = len(question[:QUESTION]), int(inputs.known[0, inputs.weights.shape[1] :].sum())
    places = inputs.places[0, :p].tolist()
    variants = [(question[:i] + question[i + 1 :], passage) for i in range(q)]
    variants += [(question, passage[:i] + passage[i + 1 :]) for i in places]
    without: list[float] = []
    for i in range(0, len(variants), BATCH):
        without += reader.read(*zip(*variants[i : i + BATCH], strict=True)).scores.tolist()
    start = 1 + inputs.weights.shape[1]
    attention = np.mean([layer[0, :, 1 : 1 + q, start : start + p].mean(axis=0) for layer in layers], axis=0)
    names, _ = reader.encoder.named([*question[:q], *(passage[i] for i in places)])
    return PairReading(float(scores[0]), tuple(names[:q]), tuple(names[q:]), attention, tuple(without))
