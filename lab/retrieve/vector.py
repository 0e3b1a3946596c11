"""Vector search: every document whose vector is near the query's.

`Vector` takes any embedder and one of three spaces.  The store here is exact: one pass over a matrix.
With a static embedder and the cosine, `Hit.why` names the token pairs that the score is the sum of.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab import core
from lab.core import Contribution, Corpus, Hit, Index, Later, Models, Progress, Query, Ranking, Retriever, knob
from lab.errors import QueryError
from lab.models.embedders import Embedder, Encoder, encoder_of, vectors_of
from lab.models.static import EMBEDDER, StaticEncoder
from lab.numeric import Floats, pair_table, unit
from lab.words import Said

SPACES = {"cosine": Said("cosine"), "ip": Said("inner product"), "l2": Said("L2, squared")}
SCALES = {"as they are": Said("as they are"), "unit": Said("of length 1"), "by length": Said("by text length")}
STRONGEST = 5
"""So many token pairs are named in `Hit.why`; the others are summed up."""


@dataclass(frozen=True)
class Vector(Retriever):
    """Nearest documents by the vectors of an embedder.

    ``space``: ``cosine`` (score in -1..1), ``ip`` (the inner product) or ``l2``, where the score is
    ``1 / (1 + squared Euclidean distance)``: the order of the distance, turned so that more is better.
    ``scale`` says what is stored: the vectors as the embedder gives them, brought to length 1 (then the three spaces
    agree on the order), or with lengths in proportion to the length of the text (then ip and l2 visibly part from
    cosine).  The query is as the embedder gives it, or of length 1 in the other cases.
    """

    technique = Said("Vector")
    family = "vector"
    about = Said("Meaning: what is near the question in an embedder's space.")

    embedder: Embedder = EMBEDDER()
    space: str = knob(
        "cosine",
        choices=SPACES,
        label=Said("Space"),
        help=Said("Cosine, inner product, or Euclidean distance turned into a score."),
    )
    scale: str = knob(
        "as they are",
        choices=SCALES,
        label=Said("Stored vectors"),
        help=Said(
            "Of length 1, the three spaces agree. Scaled by the text length, inner product and L2 part from the cosine."
        ),
        kw_only=True,
    )

    @property
    def label(self) -> str:
        return Said("Vector · {embedder}", embedder=self.embedder.label)

    def index(self, corpus: Corpus, *, models: Models = core.NONE, progress: Progress | None = None) -> VectorIndex:
        rows = self.scaled(vectors_of(self.embedder, corpus, progress=progress), corpus, corpus.documents)
        wide = unit(rows) if self.space == "cosine" else np.asarray(rows, dtype=np.float64)
        return VectorIndex(self, corpus, encoder_of(self.embedder, corpus), wide)

    def scaled(self, vectors: NDArray[Any], corpus: Corpus, documents: Sequence[core.Document]) -> NDArray[Any]:
        """The rows of these documents as they are stored."""
        if self.scale == "as they are":
            return vectors
        if self.scale == "unit":
            return unit(vectors)
        average = sum(len(d.content) for d in corpus) / max(len(corpus), 1) or 1.0
        return np.asarray(unit(vectors) * np.array([len(d.content) / average for d in documents])[:, None])


@dataclass(eq=False)
class VectorIndex(Index):
    """The exact store: document vectors as the rows of a matrix."""

    operator: Vector
    corpus: Corpus
    encoder: Encoder
    vectors: Floats

    def __post_init__(self) -> None:
        self._narrow = np.ascontiguousarray(self.vectors, dtype=np.float32)
        self._squares = np.einsum("ij,ij->i", self._narrow, self._narrow)
        self._longest = float(np.sqrt(self._squares.max(initial=0.0)))

    def query_vector(self, query: str | Query) -> Floats:
        """The query as a vector, shape [dimensions]; of length 1 in the cosine space."""
        query = Query.of(query)
        if not query.weights:
            vector = np.asarray(self.encoder.queries([query.text])[0], dtype=np.float64)
        elif isinstance(self.encoder, StaticEncoder):
            vector = self._tokens(query)[1].sum(0) / (sum(abs(weight) for _, weight in query.weights) or 1.0)
        else:
            said = Said("{name} reads a text as a whole: its words cannot have weights.", name=self.operator.label)
            raise QueryError(said, Said("Ask without weights, or by BM25, TF-IDF or a static embedder."))
        own = self.operator.space != "cosine" and self.operator.scale == "as they are"
        return vector if own else np.asarray(unit(vector[None])[0])

    def _tokens(self, query: Query) -> tuple[list[str], Floats]:
        """The distinct tokens of the query with their (weighted) vectors, [n, dimensions], under a static embedder."""
        assert isinstance(self.encoder, StaticEncoder)
        sums: dict[str, Floats] = {}
        for text, weight in query.weights or ((query.text, 1.0),):
            for name, row in zip(*self.encoder.merged(text), strict=True):
                sums[name] = sums.get(name, 0.0) + weight * row
        return list(sums), np.array(list(sums.values())).reshape(-1, self.encoder.dimensions)

    def search(self, query: str | Query, *, k: int = 100, explain: bool = True) -> Ranking:
        """See `Index.search`.  A query without a known token gives an empty ranking."""
        start = time.perf_counter()
        core.at_least("k", k, 1)
        query = Query.of(query)
        hits = self.nearest(self.query_vector(query), k) if len(self.corpus) and not query.blank else ()
        seconds = time.perf_counter() - start
        asked = k if k == len(hits) < len(self.corpus) else 0
        hits = self.explained(query, hits) if explain else hits
        return Ranking(query, hits, self.operator, seconds=seconds, asked=asked, corpus=self.corpus)

    def explained(self, query: Query, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """The hits with their token pairs as why (made when read), where the score is a sum of such pairs."""
        encoder = self.encoder
        if self.operator.space != "cosine" or not isinstance(encoder, StaticEncoder) or not hits:
            return tuple(hits)
        own = cache(lambda: self._tokens(query))  # for all hits once

        def why(hit: Hit) -> Later[Contribution]:
            return Later(lambda: _why(encoder, *own(), hit))

        return tuple(Hit(h.document, h.score, why(h)) for h in hits)

    def nearest(self, vector: Floats, k: int) -> tuple[Hit, ...]:
        """The best ``k`` documents for a query vector; nothing for a vector of zeros."""
        if not vector.any():
            return ()
        places = self._candidates(vector, k)
        scores = self._scores(self.vectors[places], vector)
        found = ((-s, i) for s, i in zip(scores.tolist(), places.tolist(), strict=True) if s != 0)
        return tuple(Hit(self.corpus.documents[i], -away) for away, i in sorted(found)[:k])

    def _scores(self, rows: Floats, vector: Floats) -> Floats:
        # einsum adds up row by row: equal documents get exactly equal scores, and their tie is a tie
        if self.operator.space == "l2":
            away = rows - vector
            return np.asarray(1 / (1 + np.einsum("ij,ij->i", away, away)))
        return np.asarray(np.einsum("ij,j->i", rows, vector))

    def _candidates(self, vector: Floats, k: int) -> NDArray[np.int64]:
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


def _why(encoder: StaticEncoder, names: list[str], rows: Floats, hit: Hit) -> tuple[Contribution, ...]:
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
