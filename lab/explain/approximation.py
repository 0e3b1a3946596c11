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
    """Recall@10 and milliseconds per query as a synthetic cloud grows, one row per size and breadth.

    The cloud is normally distributed without clusters, a hard case for a graph, cosine space, in this
    process.  Chroma takes ``ef_search`` when a collection is created, so each row builds its own: about
    three seconds for 20,000 vectors.  With a ``milvus`` its graph (M 16, efConstruction 200) is measured as well, a
    collection of its own per size, which is taken away again.  Raises `ParameterError` for a size below the 10 that are
    looked for.
    """
    k, rng = 10, np.random.default_rng(0)
    for name, values, least in (("sizes", sizes, k), ("ef_search", ef_search, 1), ("queries", (queries,), 1)):
        counted(name, min(values, default=0), least)
    cloud = rng.normal(size=(max(sizes), 32)).astype(np.float32)
    asked = rng.normal(size=(queries, 32)).astype(np.float32)
    client = connect()
    rows, steps = list[Speed](), len(sizes) * len(ef_search) * (1 if milvus is None else 2)
    for size in sizes:
        own = cloud[:size]
        exact = np.asarray(unit(own), dtype=np.float32)
        truth, exact_ms = _timed(lambda q, rows=exact: np.argpartition(-(rows @ q), k - 1)[:k].tolist(), asked)
        for ef in ef_search:
            start = time.perf_counter()
            configuration = {"hnsw": {"space": "cosine", "ef_search": ef}}
            name = f"lab-cloud-{uuid.uuid4().hex}"
            collection = client.create_collection(name, configuration=configuration, embedding_function=None)
            try:
                for at in range(0, size, PAGE):
                    part = own[at : at + PAGE]
                    collection.add(ids=[str(at + i) for i in range(len(part))], embeddings=part)
                built = time.perf_counter() - start
                query = partial(collection.query, n_results=k, include=[])
                found, hnsw_ms = _timed(lambda q, ask=query: ask(query_embeddings=q[None])["ids"][0], asked)
            finally:
                delete(client, name)
            right = sum(len(set(map(int, f)) & set(t)) for f, t in zip(found, truth, strict=True))
            rows.append(Speed(size, ef, right / (k * queries), hnsw_ms, exact_ms, built))
            if progress:
                progress(len(rows), steps)
        for ef, found, ms, built in _in_milvus(milvus, own, asked, ef_search, k) if milvus is not None else ():
            right = sum(len(set(f) & set(t)) for f, t in zip(found, truth, strict=True))
            rows.append(Speed(size, ef, right / (k * queries), ms, exact_ms, built, "Milvus"))
            if progress:
                progress(len(rows), steps)
    return tuple(rows)


def _in_milvus(
    engine: Engine, own: NDArray[np.float32], asked: NDArray[np.float32], ef_search: Sequence[int], k: int
) -> Iterator[tuple[int, list[list[int]], float, float]]:
    """The same cloud in Milvus: of every breadth what is found, the milliseconds, the seconds that it took to build."""
    from pymilvus import DataType

    name, start = f"lab_cloud_{uuid.uuid4().hex}", time.perf_counter()
    fields = [("place", DataType.INT64, {"is_primary": True}), ("vector", DataType.FLOAT_VECTOR, {"dim": own.shape[1]})]
    graph = Graph("HNSW", "COSINE", (("M", 16), ("efConstruction", 200)))
    make(engine, name, schema_of(fields), {"vector": graph})
    try:
        for at in range(0, len(own), PAGE):
            rows = [{"place": at + i, "vector": row} for i, row in enumerate(own[at : at + PAGE])]
            engine.call("insert", name, rows, timeout=LONG)
        engine.call("flush", name, timeout=LOADING)
        indexed(engine, name)
        built = time.perf_counter() - start
        for ef in ef_search:
            how = {"anns_field": "vector", "limit": k, "search_params": {"params": {"ef": max(ef, k)}}}

            def ask(query: NDArray[np.float32], how: Mapping[str, Any] = how) -> list[int]:
                return [int(hit["place"]) for hit in engine.call("search", name, data=[query], **how)[0]]

            found, ms = _timed(ask, asked)
            yield ef, found, ms, built
    finally:
        engine.call("drop_collection", name, timeout=LONG)


@dataclass(frozen=True, slots=True)
class Beside:
    """A store on a corpus: the share of the exact first ``k`` that it finds, and the median time of a question."""

    name: str
    recall: float
    ms: float
    questions: int


def beside(
    corpus: Corpus,
    stores: Mapping[str, Searcher],
    exact: Searcher,
    questions: Sequence[str],
    *,
    k: int = 10,
    models: Models = NONE,
    progress: Progress | None = None,
) -> tuple[Beside, ...]:
    """Every store against the exact search on the same questions, without reasons; the median time of a question.

    Raises `ParameterError` without a question, `ModelError` where a store fails.
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
        rows.append(Beside(name, right / whole if whole else 1.0, ms, len(questions)))
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
    """Returns what the store lost of the exact list; both are asked for the same number, with the same vectors.

    A threshold that cuts a document is not a loss, and neither is a document that the store ranks behind the end of
    its list: distances that differ by less than a rounding error may be in either order.
    """
    distances = {near.document.id: near.distance for near in neighbours(exact)}
    reached = {near.document.id: near.distance for near in neighbours(approximate)}
    # a store that has returned all it was asked for may have more behind the end of its list
    end = max(reached.values(), default=-math.inf) if approximate.asked else math.inf
    margin = ROUNDING * max(1.0, abs(end)) if math.isfinite(end) else 0.0
    # in these spaces a score of 0 is no match, and a store may round a score near 0 to it
    least = 0.0 if cast(Vector, exact.made_by).space == "l2" else ROUNDING
    ranks = {
        hit.document.id: rank
        for rank, hit in enumerate(exact.hits, 1)
        if hit.document.id not in reached and distances[hit.document.id] < end - margin and abs(hit.score) > least
    }
    return Misses(ranks, len(exact))


def _timed(search: Any, queries: NDArray[np.float32]) -> tuple[list[Any], float]:
    """All answers, and the median milliseconds of one."""
    search(queries[0])  # the first one loads things
    answers, times = [], []
    for query in queries:
        start = time.perf_counter()
        answers.append(search(query))
        times.append(time.perf_counter() - start)
    return answers, float(np.median(times) * 1000)
