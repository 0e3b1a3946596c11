"""An embedder whose vectors stand in the texts, so that a test knows every distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Corpus, Document, Progress
from lab.models.embedders import Embedder, Encoder


@dataclass(frozen=True)
class Points(Embedder):
    """Texts are their own vectors: "3 4"."""

    def fit(self, corpus: Corpus) -> Encoder:
        return PointEncoder()


class PointEncoder(Encoder):
    dimensions = 2

    def documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> NDArray[np.float32]:
        return self.queries(texts)

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([[float(x) for x in text.split()] for text in texts], dtype=np.float32).reshape(-1, 2)


def corpus_of_points(points: Sequence[str], fields: Sequence[int]) -> Corpus:
    """Returns a corpus of these points; ``fields`` are the metadata "n" of each."""
    documents = (Document(f"d{i}", point, "", {"n": fields[i]}) for i, point in enumerate(points))
    return Corpus("points", tuple(documents))
