"""Vector search: every document whose vector is near the query's.

`Vector` takes any embedder and one of three spaces.  The store here is exact: one pass over a matrix.
With a static embedder and the cosine, `Hit.why` names the token pairs that the score is the sum of.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lab.core import Contribution, Corpus, Hit, Index, Progress, Ranking, Retriever, at_least, knob
from lab.models.embedders import Embedder, Encoder, encoder_of, vectors_of
from lab.models.static import BuiltIn, StaticEncoder
from lab.numeric import pair_table, unit
from lab.words import Said

SPACES = ("cosine", "ip", "l2")
STRONGEST = 5
"""So many token pairs are named in `Hit.why`; the others are summed up."""


@dataclass(frozen=True)
class Vector(Retriever):
    """Nearest documents by the vectors of an embedder.

    ``space``: ``cosine`` (score in -1..1), ``ip`` (the inner product) or ``l2``, where the score is
    ``1 / (1 + squared Euclidean distance)``: the order of the distance, turned so that more is better.
    """

    family = "vector"

    embedder: Embedder = field(default_factory=BuiltIn)
    space: str = knob("cosine", choices=SPACES)

    @property
    def label(self) -> str:
        return f"Vector · {self.embedder.label}"

    def index(self, corpus: Corpus, *, progress: Progress | None = None) -> VectorIndex:
        vectors = vectors_of(self.embedder, corpus, progress=progress)
        wide = unit(vectors) if self.space == "cosine" else np.asarray(vectors, dtype=np.float64)
        return VectorIndex(self, corpus, encoder_of(self.embedder, corpus), wide)


@dataclass(eq=False)
class VectorIndex(Index):
    """The exact store: document vectors as the rows of a matrix."""

    operator: Vector
    corpus: Corpus
    encoder: Encoder
    vectors: NDArray[np.float64]

    def __post_init__(self) -> None:
        self._narrow = np.ascontiguousarray(self.vectors, dtype=np.float32)
        self._squares = np.einsum("ij,ij->i", self._narrow, self._narrow)
        self._longest = float(np.sqrt(self._squares.max(initial=0.0)))

    def query_vector(self, query: str) -> NDArray[np.float64]:
        """The query as a vector, shape [dimensions]; of length 1 in the cosine space."""
        vector = np.asarray(self.encoder.queries([query]), dtype=np.float64)
        return np.asarray(unit(vector)[0] if self.operator.space == "cosine" else vector[0])

    def search(self, query: str, *, k: int = 100, explain: bool = True) -> Ranking:
        """See `Index.search`.  A query without a known token gives an empty ranking."""
        start = time.perf_counter()
        at_least("k", k, 1)
        hits = self.nearest(self.query_vector(query), k) if query.strip() and len(self.corpus) else ()
        seconds = time.perf_counter() - start  # the explanation below is ours, not part of the search
        return Ranking(
            query, self.explained(query, hits) if explain else hits, self.operator, seconds=seconds, corpus=self.corpus
        )

    def explained(self, query: str, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        """The hits with their token pairs as why, where the score is a sum of such pairs."""
        if self.operator.space != "cosine" or not isinstance(self.encoder, StaticEncoder):
            return hits
        names, rows = self.encoder.merged(query)
        return tuple(Hit(h.document, h.score, _why(self.encoder, names, rows, h)) for h in hits)

    def nearest(self, vector: NDArray[np.float64], k: int) -> tuple[Hit, ...]:
        """The best ``k`` documents for a query vector; nothing for a vector of zeros."""
        if not vector.any():
            return ()
        places = self._candidates(vector, k)
        scores = self._scores(self.vectors[places], vector)
        keep = [(s, i) for s, i in zip(scores.tolist(), places.tolist(), strict=True) if s != 0]
        keep.sort(key=lambda pair: (-pair[0], pair[1]))
        return tuple(Hit(self.corpus.documents[i], s) for s, i in keep[:k])

    def _scores(self, rows: NDArray[np.float64], vector: NDArray[np.float64]) -> NDArray[np.float64]:
        # einsum adds up row by row: equal documents get exactly equal scores, and their tie is a tie
        if self.operator.space == "l2":
            away = rows - vector
            return np.asarray(1 / (1 + np.einsum("ij,ij->i", away, away)))
        return np.asarray(np.einsum("ij,j->i", rows, vector))

    def _candidates(self, vector: NDArray[np.float64], k: int) -> NDArray[np.int64]:
        """All documents that can be among the best ``k``: a quick pass in float32, with its rounding as margin."""
        n = len(self.vectors)
        if n <= max(4 * k, 512):
            return np.arange(n)
        quick = self._narrow @ vector.astype(np.float32)
        largest = float(np.linalg.norm(vector)) * self._longest  # no product is larger, so no rounding error is
        if self.operator.space == "l2":
            quick = 2 * quick - self._squares
            largest = 2 * largest + self._longest**2
        limit = np.partition(quick, n - k)[n - k]
        return np.flatnonzero(quick >= limit - 1e-4 * largest)


def _why(encoder: StaticEncoder, names: list[str], rows: NDArray[np.float64], hit: Hit) -> tuple[Contribution, ...]:
    """The strongest pairs of a query token and a document token, and the sum of all others."""
    others, columns = encoder.merged(hit.document.content)
    flat = pair_table(rows, columns).ravel()
    size = np.abs(flat)
    strongest = np.argpartition(-size, STRONGEST)[:STRONGEST] if len(flat) > STRONGEST else np.arange(len(flat))
    strongest = strongest[np.lexsort((strongest, -size[strongest]))]
    n = len(others)
    named = [Contribution(f"{names[i // n]} × {others[i % n]}", float(flat[i])) for i in strongest.tolist()]
    if len(flat) > STRONGEST:
        last: str = Said("{n} other pairs", n=len(flat) - STRONGEST)
    else:  # all are named: the last takes the rounding of the stored vectors (float32)
        last = named.pop().source
    return (*named, Contribution(last, hit.score - sum(c.value for c in named)))
