"""Search in Milvus: a file, a server or a cluster that holds what does not fit into one process.

`MilvusBM25` is `BM25` and `MilvusVector` is `Vector` with another store.  For every passage the engine stores
the parts of its score: the saturated frequency of each term, or the vector.  The engine finds the nearest passages, and
the lab computes their scores from the stored values, so that every score is the sum on the screen.  A collection is
named by its content, filled once and found again by everybody.  The engine keeps it.

The address of the engine is the setting ``milvus`` of a run, or else ``LAB_MILVUS_URI`` (see
`lab_packs.milvus.server`).
"""

from __future__ import annotations

import copy
import hashlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, ClassVar, cast

import numpy as np

from lab.algebra import (
    NONE,
    Contribution,
    Corpus,
    Document,
    Hit,
    Index,
    Later,
    Models,
    Progress,
    Query,
    Ranking,
    Retriever,
    counted,
    knob,
)
from lab.corpus.indexes import log
from lab.errors import QueryError
from lab.formula import Formula
from lab.models.embedders import Encoder, encoder_of
from lab.numeric import DIGITS, Floats, added, unit
from lab.retrieve.distinct import REFILLED, SEVERAL, Distinct, passing
from lab.retrieve.explaining import Explanation, Marker, word_marker
from lab.retrieve.fingerprint import check_model, sampled
from lab.retrieve.lexical import BM25, TermPart, counts, formulas_by_name, looked_up, names, numbers, split
from lab.retrieve.store import Neighbour, Rows, StoreIndex, StoreVector, ef_knob, filter_of, spelled
from lab.retrieve.vector import Passing
from lab.words import N_, Said
from lab_packs.milvus.filters import both, expression, literal, positions_in
from lab_packs.milvus.notes import Graph
from lab_packs.milvus.server import engine_of
from lab_packs.milvus.shelf import Contents, Held, Near, Shelf
from lab_packs.milvus.terms import Found, Reading, readings

Terms = list[tuple[str, int, float]]
"""(term, its dimension in the engine, its weight in the query)"""
METRICS = {"cosine": "COSINE", "ip": "IP", "l2": "L2"}


@dataclass(frozen=True)
class MilvusBM25(Retriever):
    """BM25 with weights stored in Milvus.

    The document's side of a sum (what a term's frequency comes to in this passage) is the value in a sparse field, the
    query's side is the IDF times the count: their inner product is the score of `BM25`, to the rounding of a float32.
    IDF and average length are frozen when the collection is filled.  ``where`` is a filter on metadata as JSON.

    `index` raises `MissingExtra` without pymilvus and `ModelError` for an engine that fails; a search raises
    `QueryError` for a word of negative weight, which no engine takes.
    """

    technique = Said("BM25 in Milvus")
    family = "lexical"
    role = "store"
    settings = ("milvus",)
    about = Said("BM25 with the lab's own weights, stored in Milvus: a file, a server or a cluster.")

    bm25: BM25 = knob(
        BM25(),
        Said("BM25"),
        Said("The search whose weights are stored. Other weights need another collection."),
        kind="spec",
    )
    where: str = knob(
        "",
        Said("Filter"),
        Said("A filter on metadata, as JSON; the engine itself leaves out the other documents."),
        kind="prompt",
        search_time=True,
        kw_only=True,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        filter_of(self.where)  # a filter that is not a JSON object should fail now, not at the first query

    @property
    def label(self) -> str:
        return Said("Milvus · {search}", search=self.bm25.label)

    @property
    def filtered(self) -> bool:
        return bool(self.where.strip())

    @property
    def exact(self) -> BM25:
        """Returns the equal search in memory, a fallback and a reference."""
        return self.bm25

    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> MilvusBM25Index:
        shelf = None
        if len(corpus):
            shelf = Shelf(engine_of(models), collection(corpus, self.bm25))
            shelf.fill(Held(corpus), Contents(spelled(self.bm25), self.bm25), None, progress)
        return MilvusBM25Index(self, corpus, shelf)


class MilvusBM25Index(Index):
    """Searches a sparse field.  ``shelf`` is None if there is nothing to search."""

    operator: MilvusBM25
    inside = ""
    """The expression for the set of passages that may be in a list."""

    def __init__(self, operator: MilvusBM25, corpus: Corpus, shelf: Shelf | None) -> None:
        self.operator, self.corpus, self.shelf = operator, corpus, shelf

    def within(self, rows: Passing) -> Index:
        """See `Index.within`: the engine itself leaves out the others, unless the list of them is too long."""
        return _within(self, rows)

    def search(self, query: str | Query, *, k: int = 100, explain: bool = True) -> Ranking:
        """See `Index.search`."""
        start = time.perf_counter()
        counted("k", k)
        query = Query.of(query)
        reading, terms = self._terms(query)
        parts = partial(self._parts, reading.field, terms)
        near = self._near(reading, terms, k, parts) if terms else []
        term_names = cache(lambda: names(query, reading.analyzer))
        hits = tuple(
            Hit(
                document_at(self.corpus, x),
                x.score,
                Later(partial(_why, parts(x.stored), term_names)) if explain else (),
            )
            for x in near
        )
        seconds, requested = time.perf_counter() - start, k if len(hits) == k < len(self.corpus) else 0
        return Ranking(query, hits, self.operator, seconds=seconds, asked=requested, corpus=self.corpus)

    def used(self, query: str | Query) -> BM25:
        """The BM25 that this query is looked up by: with question words or characters, where it has nothing else."""
        return replace(self.operator.bm25, analyzer=self._read(Query.of(query))[0].analyzer)

    def names(self, query: str | Query) -> dict[str, str]:
        """What each term of the query is called: see `lab.retrieve.lexical.names`."""
        return names(Query.of(query), self.used(query).analyzer)

    def explain(self, query: str | Query, doc_id: str) -> tuple[TermPart, ...]:
        """Returns one `TermPart` per query term, absent terms included, from a new count of the document's text."""
        query, document = Query.of(query), self.corpus.get(doc_id)
        if self.shelf is None or document is None:
            return ()
        (reading, known), bm25 = self._read(query), self.operator.bm25
        tokens, least = Counter(reading.analyzer.tokens(document.content)), self._least
        length, average = float(tokens.total()), float(self.shelf.head["fields"][reading.field]["average"])
        norm, parts = np.array(1 - bm25.b + bm25.b * length / average), []
        for term, count in counts(query, reading.analyzer).items():
            _, df, idf = known.get(term, (0, 0, 0.0))
            tf = float(tokens[term])
            factor = float(bm25.weigh(np.array(tf), norm, 1.0)) if tf else 0.0
            value = count * idf * (factor + least)
            parts.append(TermPart(term, count, tf, df, idf, length, average, factor, value))
        return tuple(parts)

    def formulas(self, query: str | Query, doc_id: str) -> dict[str, Formula]:
        """Returns the components of a document's score by name, as formulas with their numbers."""
        addends = self.operator.bm25.formula(self.explain(query, doc_id), len(self.corpus))
        return formulas_by_name(addends, self.names(query))

    def explanation(self, query: Query, doc_id: str) -> Explanation:
        """The arithmetic of a document's score: see `lab.retrieve.explaining.Explains`."""
        parts = self.explain(query, doc_id)
        note = numbers(parts, len(self.corpus), parts[0].average_length if parts else 0.0)
        return Explanation(*split(parts, self.names(query), self.formulas(query, doc_id)), self.used(query), note)

    def marker(self, query: Query) -> Marker:
        """Marks the words of the question in a text."""
        return word_marker(query.text, self.used(query).analyzer)

    def reading(self, query: Query) -> str:
        """Nothing: the engine does not tell how it looks a question up."""
        return ""

    @property
    def _least(self) -> float:
        """What a term adds to every document, as a part of its IDF (BM25 Plus)."""
        floor = self.operator.bm25.floor(np.ones(1))
        return 0.0 if floor is None else float(floor[0])

    def _read(self, query: Query) -> tuple[Reading, dict[str, Found]]:
        """Returns the reading of the query, and the statistics of its terms that occur in the passages."""
        every = readings(self.operator.bm25.analyzer)
        if self.shelf is None or query.blank:
            return every[0], {}
        known = self._known(every[0], query)
        used = looked_up(every[0].analyzer, " ".join(word for word, _ in query.weights) or query.text, known)
        reading = next((candidate for candidate in every if candidate.analyzer == used), every[0])
        return reading, known if reading is every[0] else self._known(reading, query)

    def _terms(self, query: Query) -> tuple[Reading, Terms]:
        """Returns the reading of the query, and its terms that occur in the passages, with number and weight."""
        reading, known = self._read(query)
        terms = []
        for term, count in counts(query, reading.analyzer).items():
            number, _, idf = known.get(term, (0, 0, 0.0))
            if count * idf < 0:
                message = N_("“{word}” has the weight {weight:.4g}, but an engine cannot add negative weights.")
                raise QueryError(Said(message, word=term, weight=count * idf), Said("Ask BM25 in memory."))
            if count * idf:
                terms.append((term, number, count * idf))
        return reading, terms

    def _known(self, reading: Reading, query: Query) -> dict[str, Found]:
        assert self.shelf is not None
        return self.shelf.terms(reading, list(counts(query, reading.analyzer)))

    def _parts(self, field: str, terms: Terms, stored: Mapping[str, Any]) -> list[tuple[str, float]]:
        """What every term adds to the score of a passage; the sum in this order is the score."""
        least, weights = self._least, stored[field]
        return [(t, w * (weights.get(number, 0.0) + least)) for t, number, w in terms if least or number in weights]

    def _near(
        self, reading: Reading, terms: Terms, k: int, parts: Callable[[Mapping[str, Any]], list[tuple[str, float]]]
    ) -> list[Near]:
        assert self.shelf is not None
        where = both(expression(filter_of(self.operator.where)), self.inside)
        return self.shelf.nearest(
            reading.field,
            {number: w for _, number, w in terms},
            k,
            lambda stored: added(value for _, value in parts(stored)),
            lambda near: document_at(self.corpus, near).id,
            filter=where,
        )


def _why(parts: Sequence[tuple[str, float]], term_names: Callable[[], Mapping[str, str]]) -> list[Contribution]:
    sums = defaultdict[str, float](float)
    for term, value in parts:
        sums[term_names()[term]] += value
    return [Contribution(name, value) for name, value in sums.items()]


# ------------------------------------------------------------------------------------------------ vectors

KINDS = {"HNSW": Said("graph (HNSW)"), "IVF_FLAT": Said("cells (IVF)"), "FLAT": Said("exact (FLAT)")}


@dataclass(frozen=True)
class MilvusVector(StoreVector):
    """Finds the nearest documents by the vectors of an embedding model, stored in Milvus.

    ``kind`` is Milvus' index: ``HNSW``, a graph of neighbours with ``m`` edges per node, built with ``ef_construction``
    candidates and searched with ``ef``; ``IVF_FLAT``, ``nlist`` cells of which the nearest ``nprobe`` are searched;
    ``FLAT``, all vectors.  Scores are computed from the stored vectors, as in `Vector`.

    Source: Y. Malkov and D. Yashunin, *Efficient and Robust Approximate Nearest Neighbor Search Using Hierarchical
    Navigable Small World Graphs*, 2018.  `index` raises as that of `MilvusBM25`.
    """

    technique = Said("Milvus")
    settings = ("milvus",)
    other_names: ClassVar[dict[str, Any]] = {
        "LangChain": ["MilvusRetriever"],
        "ef": {"en": ["ef_search", "efSearch"]},
        "ef_construction": {"en": ["efConstruction"]},
    }
    about = Said("Nearest vectors in Milvus: a file, a server or a cluster, with its filters.")

    kind: str = knob(
        "HNSW",
        Said("Index type"),
        Said("A graph and cells are fast and may miss a passage; exact search compares every one."),
        choices=KINDS,
        kw_only=True,
    )
    ef: int = ef_knob(200, search_time=True)
    nprobe: int = knob(
        16,
        Said("IVF: nprobe"),
        Said("Number of nearest cells to search."),
        low=1,
        high=65_536,
        search_time=True,
        kw_only=True,
    )
    m: int = knob(16, Said("HNSW: M"), Said("Edges per node of the graph."), low=2, high=2048, rare=True, kw_only=True)
    ef_construction: int = knob(
        200,
        Said("HNSW: efConstruction"),
        Said("Number of neighbours considered while the graph is built."),
        low=1,
        high=32_768,
        step=10,
        rare=True,
        kw_only=True,
    )
    nlist: int = knob(
        128,
        Said("IVF: nlist"),
        Said("Number of cells the vectors are grouped into; at most one per passage."),
        low=1,
        high=65_536,
        rare=True,
        kw_only=True,
    )

    @property
    def label(self) -> str:
        return Said("Milvus · {embedder}", embedder=self.embedder.label)

    def graph(self, documents: int) -> Graph:
        """Returns the settings of the Milvus index for this number of passages, which limits the number of cells."""
        metric = METRICS[self.space]
        if self.kind == "HNSW":
            return Graph("HNSW", metric, (("M", self.m), ("efConstruction", self.ef_construction)))
        return Graph(self.kind, metric, (("nlist", min(self.nlist, documents)),) if self.kind == "IVF_FLAT" else ())

    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> MilvusVectorIndex:
        encoder = encoder_of(self.embedder, corpus)
        shelf = None
        size = len(corpus) and (encoder.dimensions or encoder.documents([corpus.documents[0].content]).shape[1])
        if size:
            distinct = Distinct.of(corpus)
            graph = self.graph(len(distinct))
            embedding_and_graph = (self.embedder, self.scale, graph)
            shelf = Shelf(engine_of(models), collection(corpus, embedding_and_graph))
            if distinct.repeated and shelf.open() and shelf.head["source"] == corpus.fingerprint:
                shelf.drop()
                log(Said(REFILLED, name=shelf.name))

            def rows(documents: Sequence[Document]) -> Rows:
                return self.rows(corpus, [corpus.positions[d.id] for d in documents])

            contents = Contents(spelled(embedding_and_graph), graph=graph, dimensions=int(size))
            shelf.fill(Held(corpus, distinct), contents, rows, progress)
        return MilvusVectorIndex(self, corpus, encoder, shelf)


class MilvusVectorIndex(StoreIndex):
    """Searches a field of vectors.  ``shelf`` is None if there is nothing to search."""

    operator: MilvusVector
    inside = ""
    passing: Passing | None = None

    def __init__(self, operator: MilvusVector, corpus: Corpus, encoder: Encoder, shelf: Shelf | None) -> None:
        self.operator, self.corpus, self.encoder, self.shelf = operator, corpus, encoder, shelf
        self.distinct = Distinct.of(corpus)
        if shelf is not None and (vectors := shelf.vectors(sampled(shelf.documents))):
            fresh = encoder.documents([corpus.documents[self._first(number)].content for number in vectors])
            remedy = Said("Index again with this model (--replace), or choose the model that filled the collection.")
            names = {"name": corpus.name, "model": operator.embedder.label}
            check_model(np.array([*vectors.values()]), np.asarray(fresh), remedy=remedy, **names)

    def _first(self, number: int) -> int:
        """Returns the position of the first passage with a stored vector."""
        return int(self.distinct.firsts[number]) if self.distinct.repeated else number

    def within(self, rows: Passing) -> Index:
        return _within(self, rows)

    def _expression(self, where: dict[str, Any] | None) -> str:
        """Returns the expression for vectors of which one passage may pass a filter."""
        condition = expression(where)
        several = f"({condition} or exists metadata[{literal(SEVERAL)}])"
        return several if condition and self.distinct.repeated else condition

    def stored(self, places: Sequence[int], where: dict[str, Any] | None) -> set[int]:
        if self.shelf is None or not self.distinct.repeated:
            return set() if self.shelf is None else self.shelf.stored(places, expression(where))
        numbers, passes = self.distinct.numbers, passing(where, self.corpus)
        there = self.shelf.stored([*{int(numbers[place]) for place in places}], self._expression(where))
        return {place for place in places if numbers[place] in there and passes(place)}

    def near(self, vector: Floats, k: int, where: dict[str, Any] | None) -> tuple[Neighbour, ...]:
        operator, inside = self.operator, self.passing
        if self.shelf is None or not vector.any():
            return ()
        options = {"HNSW": {"ef": operator.ef}, "IVF_FLAT": {"nprobe": operator.nprobe}}.get(operator.kind, {})
        passes = passing(where, self.corpus)

        def passages(near: Near) -> list[Near]:
            places = self.distinct.passages(near.place)
            return [replace(near, place=i) for i in places if passes(i) and (inside is None or inside[i])]

        near_rows = self.shelf.nearest(
            "vector",
            np.asarray(vector, np.float32),
            k,
            lambda stored: score_of(operator.space, np.asarray(stored["vector"], np.float64), vector),
            lambda near: document_at(self.corpus, near).id,
            filter=both(self._expression(where), self.inside),
            options=options,
            without=0.0,
            **({"passages": passages} if self.distinct.repeated else {}),
        )
        return tuple(
            Neighbour(rank, document_at(self.corpus, x), operator.distance(x.score), x.score)
            for rank, x in enumerate(near_rows, 1)
        )


def _within(index: MilvusBM25Index | MilvusVectorIndex, rows: Passing) -> Index:
    stored_rows = rows
    if isinstance(index, MilvusVectorIndex) and index.distinct.repeated:
        stored_rows = np.isin(np.arange(len(index.distinct)), index.distinct.numbers[rows])
    inside = positions_in(stored_rows)
    if inside is None:
        return Index.within(index, rows)
    narrowed = copy.copy(index)
    narrowed.inside = inside
    if isinstance(narrowed, MilvusVectorIndex):
        narrowed.passing = rows
    return narrowed


def score_of(space: str, row: Floats, vector: Floats) -> float:
    """Returns the score of a stored vector for a query vector, as `Vector` computes it; 0 if the stored vector is 0."""
    if space == "l2":
        away = row - vector
        return 1 / (1 + float(away @ away)) if row.any() else 0.0
    if space == "cosine":
        row = unit(row[None])[0]
    return round(float(row @ vector), DIGITS)


def collection(corpus: Corpus, made_from: object) -> str:
    """The name of a collection: what is in it, and by what it was made."""
    digest = hashlib.sha256(spelled(made_from).encode("utf-8", "replace")).hexdigest()
    return f"lab_{corpus.fingerprint[:16]}_{digest[:12]}"


def document_at(corpus: Corpus, near: Near) -> Document:
    """The passage that was found: the corpus has it, or it came with the answer."""
    received = getattr(corpus, "received", None)
    return corpus.documents[near.place] if received is None else cast(Document, received(near))
