"""Two models in one index, a mistake that no error shows: some passages have the vectors of another model.

The other model is the built-in one in rotated space: every vector is multiplied by one orthogonal matrix.  It is as
good by itself, since a rotation changes no cosine between its own vectors, and it has vectors of the same length.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from lab.algebra import Corpus, Progress, fraction
from lab.models.embedders import Embedder, Encoder, Vectors
from lab.models.static import load_built_in
from lab.numeric import Floats
from lab.words import Said


@cache
def rotation(dimensions: int) -> Floats:
    """Returns an orthogonal matrix drawn at random, always the same, [d, d]."""
    return np.asarray(np.linalg.qr(np.random.default_rng(0).normal(size=(dimensions, dimensions)))[0])


class MixedEncoder(Encoder):
    """The built-in model, but a share of the passages, chosen by a checksum of their texts, in rotated space."""

    quick = True

    def __init__(self, share: float) -> None:
        self.share, self.model = share, load_built_in()
        self.dimensions, self.limit = self.model.dimensions, self.model.limit

    def truncates(self, text: str) -> bool:
        return self.model.truncates(text)

    def documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        rows = self.model.documents(texts, progress=progress)
        other = np.array([self.is_other(text) for text in texts], dtype=bool)
        if other.any():
            rows[other] = rows[other] @ rotation(self.dimensions)
        return rows

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self.model.queries(texts)

    def is_other(self, text: str) -> bool:
        """Returns whether a passage has a vector of the other model."""
        return zlib.crc32(text.encode("utf-8", "replace")) < self.share * 2**32


@dataclass(frozen=True)
class MixedModels(Embedder):
    """Embeds questions and some passages with the built-in model, and a ``share`` of the passages with a rotated copy.

    It shows what happens if an index was filled with one model, and a part of it, or the questions, with another.
    """

    name = "mixed"
    pieces = "whole"
    label = Said("Two models mixed (a mistake)")
    about = Said("A share of the passages has vectors of another model of the same length: no error shows it.")

    share: float = fraction(
        0.5,
        Said("Share of the other model"),
        Said("Share of the passages with vectors of the other model. 1: all passages, but not the question."),
        step=0.1,
    )

    def fit(self, corpus: Corpus) -> MixedEncoder:
        return MixedEncoder(self.share)
