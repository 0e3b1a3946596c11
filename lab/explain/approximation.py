"""What an approximate search misses, and what it saves: a store's graph or cells against the exact search."""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from lab.algebra import NONE, Corpus, Models, Progress, Ranking, Runner, Searcher, counted
from lab.numeric import unit
from lab.retrieve.chroma_server import PAGE, connect, delete
from lab.retrieve.milvus_notes import Graph, indexed, make, schema_of
from lab.retrieve.milvus_server import LOADING, LONG, Engine
from lab.retrieve.store import neighbours
from lab.retrieve.vector import Vector


@dataclass(frozen=True, slots=True)
class Speed:
    """HNSW against the exact search on ``n`` vectors: the share of the true first k that it finds, and median times."""

    n: int
    ef_search: int
    recall: float
    hnsw_ms: float
    exact_ms: float
    build_seconds: float
    store: str = "Chroma"


def hnsw_against_exact(
    *,
    sizes: Sequence[int] = (1_000, 5_000, 20_000),
    ef_search: Sequence[int] = (10, 50, 200),
    queries: int = 50,
    milvus: Engine | None = None,
    progress: Progress | None = None,
) -> tuple[Speed, ...]:
    """Measures Recall@10 and milliseconds per query on growing synthetic data, one row per size and breadth.

    The vectors are normally distributed without clusters, a hard case for a graph, in cosine space, in this process.
    Chroma takes a change of ``ef_search`` only when a store is opened again, so each row builds its own collection:
    about three seconds for 20,000 vectors.  With a ``milvus`` its graph (M 16, efConstruction 200) is measured as well,
    in a temporary collection per size.  Raises `ParameterError` for a size below 10, the number of neighbours to find.

    Source of HNSW: Y. Malkov and D. Yashunin, *Efficient and Robust Approximate Nearest Neighbor Search Using
    Hierarchical Navigable Small World Graphs*, IEEE TPAMI 42 (4), 2020, doi:10.1109/TPAMI.2018.2889473.
    """
    k, rng = 10, np.random.default_rng(0)
    for name, values, least in (("sizes", sizes, k), ("ef_search", ef_search, 1), ("queries", (queries,), 1)):
        counted(name, min(values, default=0), least)
    cloud = rng.normal(size=(max(sizes), 32)).astype(np.float32)
    query_vectors = rng.normal(size=(queries, 32)).astype(np.float32)
    client = connect()
    rows, steps = list[Speed](), len(sizes) * len(ef_search) * (1 if milvus is None else 2)
    for size in sizes:
        vectors = cloud[:size]
        exact = np.asarray(unit(vectors), dtype=np.float32)
        truth, exact_ms = _timed(lambda q, rows=exact: np.argpartition(-(rows @ q), k - 1)[:k].tolist(), query_vectors)
        for ef in ef_search:
            start = time.perf_counter()
            configuration = {"hnsw": {"space": "cosine", "ef_search": ef}}
            name = f"lab-cloud-{uuid.uuid4().hex}"
            collection = client.create_collection(name, configuration=configuration, embedding_function=None)
            try:
                for at in range(0, size, PAGE):
                    part = vectors[at : at + PAGE]
                    collection.add(ids=[str(at + i) for i in range(len(part))], embeddings=part)
                built = time.perf_counter() - start
                query = partial(collection.query, n_results=k, include=[])
                answers, hnsw_ms = _timed(lambda q, ask=query: ask(query_embeddings=q[None])["ids"][0], query_vectors)
            finally:
                delete(client, name)
            right = sum(len(set(map(int, f)) & set(t)) for f, t in zip(answers, truth, strict=True))
            rows.append(Speed(size, ef, right / (k * queries), hnsw_ms, exact_ms, built))
            if progress:
                progress(len(rows), steps)
        for ef, answers, ms, built in (
            _in_milvus(milvus, vectors, query_vectors, ef_search, k) if milvus is not None else ()
        ):
            right = sum(len(set(f) & set(t)) for f, t in zip(answers, truth, strict=True))
            rows.append(Speed(size, ef, right / (k * queries), ms, exact_ms, built, "Milvus"))
            if progress:
                progress(len(rows), steps)
    return tuple(rows)


def _in_milvus(
    engine: Engine, vectors: NDArray[np.float32], query_vectors: NDArray[np.float32], ef_search: Sequence[int], k: int
) -> Iterator[tuple[int, list[list[int]], float, float]]:
    """Yields, per breadth of Milvus's search: the breadth, the ids found, milliseconds, seconds of building."""
    from pymilvus import DataType

    name, start = f"lab_cloud_{uuid.uuid4().hex}", time.perf_counter()
    fields = [
        ("place", DataType.INT64, {"is_primary": True}),
        ("vector", DataType.FLOAT_VECTOR, {"dim": vectors.shape[1]}),
    ]
    graph = Graph("HNSW", "COSINE", (("M", 16), ("efConstruction", 200)))
    make(engine, name, schema_of(fields), {"vector": graph})
    try:
        for at in range(0, len(vectors), PAGE):
            rows = [{"place": at + i, "vector": row} for i, row in enumerate(vectors[at : at + PAGE])]
            engine.call("insert", name, rows, timeout=LONG)
        engine.call("flush", name, timeout=LOADING)
        indexed(engine, name)
        built = time.perf_counter() - start
        for ef in ef_search:
            how = {"anns_field": "vector", "limit": k, "search_params": {"params": {"ef": max(ef, k)}}}

            def ask(query: NDArray[np.float32], how: Mapping[str, Any] = how) -> list[int]:
                return [int(hit["place"]) for hit in engine.call("search", name, data=[query], **how)[0]]

            ids, ms = _timed(ask, query_vectors)
            yield ef, ids, ms, built
    finally:
        engine.call("drop_collection", name, timeout=LONG)


@dataclass(frozen=True, slots=True)
class StoreResult:
    """A store on a corpus: the share of the exact first ``k`` that it finds, and the median time of a query."""

    name: str
    recall: float
    ms: float
    questions: int


def compare_stores(
    corpus: Corpus,
    stores: Mapping[str, Searcher],
    exact: Searcher,
    questions: Sequence[str],
    *,
    k: int = 10,
    models: Models = NONE,
    progress: Progress | None = None,
) -> tuple[StoreResult, ...]:
    """Compares every store with the exact search on the same questions, without score components.

    Raises `ParameterError` without a question, `ModelError` if a store fails.
    """
    counted("questions", len(questions))
    runner = Runner(corpus, models=models, explain=False, progress=progress)
    truth = [set(runner(exact, text, k).ids) for text in questions]
    whole = sum(map(len, truth))
    rows = []
    for name, store in stores.items():
        lists = [runner(store, text, k) for text in questions]
        right = sum(len(set(ranking.ids) & true) for ranking, true in zip(lists, truth, strict=True))
        ms = float(np.median([ranking.seconds for ranking in lists]) * 1000)
        rows.append(StoreResult(name, right / whole if whole else 1.0, ms, len(questions)))
    return tuple(rows)


ROUNDING = 1e-5
"""Distances in float32 are right to this share of their size, and to this amount below 1."""


@dataclass(frozen=True, slots=True)
class Misses:
    """Documents of an exact list that an approximate search of the same vectors did not reach.

    ``ranks`` are their ranks in the exact list, by id, best first; ``of`` is the length of that list.
    """

    ranks: Mapping[str, int]
    of: int

    @property
    def n_reached(self) -> int:
        """The number of documents of the exact list that the store reached."""
        return self.of - len(self.ranks)


def misses(exact: Ranking, approximate: Ranking) -> Misses:
    """Returns the documents of the exact list that the store missed; both have the same vectors and depth.

    A document below a threshold is not a miss, and neither is a document that the store ranks behind the end of its
    list: distances that differ by less than a rounding error may be in either order.
    """
    distances = {near.document.id: near.distance for near in neighbours(exact)}
    reached = {near.document.id: near.distance for near in neighbours(approximate)}
    # a store that has returned as many results as it was asked for may have more behind the end of its list
    end = max(reached.values(), default=-math.inf) if approximate.asked else math.inf
    margin = ROUNDING * max(1.0, abs(end)) if math.isfinite(end) else 0.0
    # in these spaces a score of 0 is not a match, and a store may round a score near 0 to it
    least = 0.0 if cast(Vector, exact.made_by).space == "l2" else ROUNDING
    ranks = {
        hit.document.id: rank
        for rank, hit in enumerate(exact.hits, 1)
        if hit.document.id not in reached and distances[hit.document.id] < end - margin and abs(hit.score) > least
    }
    return Misses(ranks, len(exact))


def _timed(search: Any, queries: NDArray[np.float32]) -> tuple[list[Any], float]:
    """Returns all answers, and the median milliseconds of one."""
    search(queries[0])  # warm up: the first search loads modules and data
    answers, times = [], []
    for query in queries:
        start = time.perf_counter()
        answers.append(search(query))
        times.append(time.perf_counter() - start)
    return answers, float(np.median(times) * 1000)
