"""The base of vector stores: an approximate search with a filter and a threshold, with raw distances."""

from __future__ import annotations

import dataclasses
import math
import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.algebra import (
    NONE,
    Corpus,
    Document,
    Drop,
    Hit,
    Index,
    Models,
    Progress,
    Query,
    Ranking,
    counted,
    fraction,
    from_json,
    knob,
)
from lab.errors import QueryError
from lab.models.embedders import encoder_of, rows_for
from lab.models.rows import rows_of
from lab.numeric import Floats
from lab.retrieve.vector import PIECES, Vector, VectorIndex
from lab.retrieve.where import filter_test
from lab.words import Said

Rows = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """One answer of a store: the raw distance, and the score computed from it (more is better)."""

    rank: int
    document: Document
    distance: float
    score: float


def neighbours(ranking: Ranking) -> tuple[Neighbour, ...]:
    """Returns the documents that a store found near the question: the evidence of its list."""
    return ranking.evidence_as(tuple)


def ef_knob(default: int, **options: Any) -> Any:
    """Returns the parameter for the breadth of a search in a graph."""
    return knob(
        default,
        low=1,
        high=32_768,
        step=10,
        label=Said("HNSW: ef"),
        help=Said("Number of candidates kept while searching the graph: more candidates find more and take longer."),
        kw_only=True,
        **options,
    )


@dataclass(frozen=True)
class StoreVector(Vector):
    """Finds the nearest documents by the vectors of an embedding model, kept in a store.

    ``where`` is a filter on metadata as JSON; ``max_distance`` keeps distances up to that value (a threshold on a
    distance keeps values *below* it), ``min_relevance`` keeps relevances from that value on (see `relevance`); removed
    documents are in `Ranking.dropped`.  A distance is 1 - cosine, 1 - inner product, or the *squared* Euclidean one;
    the scores are 1 - distance for the first two and 1 / (1 + distance) for the third.
    """

    approximate = True
    role = "store"
    settled = False

    pieces: str = knob(
        "whole",
        Said("Compared text"),
        Said("A collection holds one vector per passage; only the exact store also compares sentences."),
        choices={"whole": PIECES["whole"]},
        rare=True,
        kw_only=True,
    )
    where: str = knob(
        "",
        Said("Filter"),
        Said("A Chroma `where` filter on metadata, as JSON."),
        kind="prompt",
        search_time=True,
        kw_only=True,
    )
    max_distance: float | None = knob(
        None,
        Said("Keep distances up to"),
        Said("A threshold on a distance keeps smaller values. The same number means something else in each space."),
        low=0.0,
        high=1e9,
        search_time=True,
        kw_only=True,
    )

    min_relevance: float | None = fraction(
        None,
        Said("Minimum relevance"),
        Said(
            "LangChain's score_threshold: each space converts its distance to 0–1 by its own function; documents "
            "below the threshold are removed. The numbers of two spaces are not comparable."
        ),
        search_time=True,
        kw_only=True,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        filter_of(self.where)  # rejects a filter that is not a JSON object

    @property
    def filtered(self) -> bool:
        return bool(self.filter)

    @property
    def filter(self) -> dict[str, Any] | None:
        """``where`` as a mapping; None if there is no filter."""
        return filter_of(self.where)

    @property
    def exact(self) -> ExactVector:
        """This search without a store, in one pass over all vectors: a fallback and a reference."""
        names = ("scale", "pieces", "where", "max_distance", "min_relevance")
        return ExactVector(self.embedder, self.space, **{name: getattr(self, name) for name in names})

    def rows(self, corpus: Corpus, places: Sequence[int]) -> Rows:
        """Returns the vectors of the documents at these positions as they are stored, shape [n, dimensions]."""
        documents = [corpus.documents[i] for i in places]
        rows = rows_for(self.embedder, documents, corpus)
        return np.asarray(self.scaled(rows, corpus, documents), dtype=np.float32)

    def score(self, distance: float) -> float:
        """Returns the score of a distance; more is better."""
        return 1 / (1 + distance) if self.space == "l2" else 1 - distance

    def too_far(self, near: Neighbour) -> Said | None:
        """Says why a document does not pass the thresholds; None if it passes."""
        if self.max_distance is not None and near.distance > self.max_distance:
            distance, limit = _told_apart(near.distance, self.max_distance)
            return Said("Distance {distance} is above the threshold {limit}.", distance=distance, limit=limit)
        relevance_score = relevance(self.space, near.distance)
        if self.min_relevance is not None and relevance_score < self.min_relevance:
            score, limit = _told_apart(relevance_score, self.min_relevance)
            return Said("Relevance {relevance} is below the threshold {limit}.", relevance=score, limit=limit)
        return None

    def distance(self, score: float) -> float:
        """Returns the distance from which a score was computed."""
        return 1 / score - 1 if self.space == "l2" else 1 - score


class StoreIndex(VectorIndex):
    """A collection of a store as an index."""

    operator: StoreVector
    within = Index.within

    @property
    def remarks(self) -> tuple[Said, ...]:
        """What the collection lacked, or had of another model, when it was opened."""
        return ()

    def search(self, query: str | Query, *, k: int = 100, explain: bool = True) -> Ranking:
        """See `Index.search`.  The evidence is the `Neighbour` of every document found, including removed ones.

        Raises `QueryError` for a filter that the store does not accept, `ModelError` if the server fails.
        """
        start = time.perf_counter()
        counted("k", k)
        query, operator = Query.of(query), self.operator
        neighbours_found = (
            self.near(self.query_vector(query), k, operator.filter) if len(self.corpus) and not query.blank else ()
        )
        reasons = [operator.too_far(n) for n in neighbours_found]
        each = list(zip(neighbours_found, reasons, strict=True))
        dropped = tuple(Drop(n.document, reason, operator.label) for n, reason in each if reason)
        hits = tuple(Hit(n.document, n.score) for n, reason in each if not reason)
        hits = self.explained(query, hits) if explain else hits
        seconds, requested = time.perf_counter() - start, k if len(neighbours_found) == k < len(self.corpus) else 0
        return Ranking(
            query, hits, operator, (), dropped, seconds, requested, evidence=neighbours_found, corpus=self.corpus
        )

    def nearest(self, vector: Floats, k: int) -> tuple[Hit, ...]:
        """The best ``k`` documents for a query vector; nothing for a vector of zeros."""
        return tuple(Hit(n.document, n.score) for n in self.near(vector, k, None))

    def stored(self, places: Sequence[int], where: dict[str, Any] | None) -> set[int]:
        """Returns those of these positions whose documents are stored and pass a filter, as the store itself says."""
        return set(places)

    def absences(self, ids: Sequence[str]) -> dict[str, str]:
        """Returns why the store cannot find documents: ``missing`` or ``filtered``; others are left out."""
        places = {self.corpus.positions[doc]: doc for doc in ids}
        there = self.stored([*places], None)
        where = self.operator.filter
        passing = self.stored(sorted(there), where) if where and there else there
        return {doc: "filtered" if i in there else "missing" for i, doc in places.items() if i not in passing}

    @abstractmethod
    def near(self, vector: Floats, k: int, where: dict[str, Any] | None) -> tuple[Neighbour, ...]:
        """Returns the nearest ``k`` documents that do not score 0, nearest first."""


@dataclass(frozen=True)
class ExactVector(StoreVector):
    """Finds the nearest documents by comparing every vector, with the filters and thresholds of a store.

    The reference for a store's approximate search: the same vectors, distances, scores and reasons, without missing
    any.  ``where`` is read as Chroma and Milvus read it (`lab.retrieve.where`).
    """

    approximate = False
    settled = True
    technique = Said("Exact search")
    about = Said("Compares all vectors to find the nearest, with the filters and thresholds of a vector store.")

    @property
    def label(self) -> str:
        return Said("Exact · {embedder}", embedder=self.embedder.label)

    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> ExactVectorIndex:
        rows = rows_of(self.embedder, corpus, progress=progress)
        return ExactVectorIndex(self, corpus, encoder_of(self.embedder, corpus), rows)


class ExactVectorIndex(StoreIndex):
    """The rows of a matrix as an index with filters and thresholds."""

    operator: ExactVector
    within = VectorIndex.within

    def near(self, vector: Floats, k: int, where: dict[str, Any] | None) -> tuple[Neighbour, ...]:
        """See `StoreIndex.near`.  Raises `QueryError` for anything that is not a filter."""
        fits = filter_test(where) if where else None
        passing = None if fits is None else np.array([fits(d.metadata) for d in self.corpus], dtype=bool)
        hits, _ = self._search(vector, k, passing)
        distance = self.operator.distance
        return tuple(Neighbour(rank, h.document, distance(h.score), h.score) for rank, h in enumerate(hits, 1))


def _told_apart(value: float, limit: float) -> tuple[str, str]:
    """Returns two numbers with four decimals, or with as many more as show that they differ."""
    digits = next((n for n in range(4, 17) if f"{value:.{n}f}" != f"{limit:.{n}f}"), 17)
    return f"{value:.{digits}f}", f"{limit:.{digits}f}"


def relevance(space: str, distance: float) -> float:
    r"""Returns LangChain's relevance score of a distance, which is meant to be between 0 and 1 (`score_threshold`).

    There is one function per space: ``cosine`` 1 - d; ``l2`` 1 - d/sqrt(2), meant for the Euclidean distance of vectors
    of length 1, although most stores pass the *squared* one; ``ip`` 1 - d if d > 0, else -d, which falls from 1 to 0
    where the inner product passes 1.

    Source: langchain_core.vectorstores.base.VectorStore, ``_cosine_relevance_score_fn`` and its neighbours.
    """
    if space == "l2":
        return 1 - distance / math.sqrt(2)
    return -distance if space == "ip" and distance <= 0 else 1 - distance


def filter_of(where: str) -> dict[str, Any] | None:
    """Parses a filter on metadata from JSON; None if there is no filter.  Raises `QueryError`."""
    if not where.strip():
        return None
    try:
        parsed = from_json(where, 200)
        reason = "" if isinstance(parsed, dict) else type(parsed).__name__
    except ValueError as error:
        reason = " ".join(str(error).split())[:80] or "?"
    if reason:
        remedy = Said("Write it in braces, with names in double quotes: {example}", example='{"lang": "en"}')
        raise QueryError(Said("The filter is not a JSON object ({reason}).", reason=reason), remedy)
    return dict(parsed)


def spelled(value: object) -> str:
    """Returns a specification as text that is equal in every process (sets have no fixed order)."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = (f"{f.name}={spelled(getattr(value, f.name))}" for f in dataclasses.fields(value))
        return f"{type(value).__name__}({', '.join(fields)})"
    if isinstance(value, (frozenset, set)):
        return f"{{{', '.join(sorted(map(spelled, value)))}}}"
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(spelled, value))}]"
    return repr(value)
