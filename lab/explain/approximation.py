"""How much a graph of neighbours misses, and what it saves: HNSW against the exact search."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.core import Progress, counted
from lab.numeric import unit
from lab.retrieve.chroma_server import PAGE, connect, delete


@dataclass(frozen=True, slots=True)
class Speed:
    """HNSW against the exact search on ``n`` vectors: the share of the true first k that it finds, and median times."""

    n: int
    ef_search: int
    recall: float
    hnsw_ms: float
    exact_ms: float
    build_seconds: float


def hnsw_against_exact(
    *,
    sizes: Sequence[int] = (1_000, 5_000, 20_000),
    ef_search: Sequence[int] = (10, 50, 200),
    queries: int = 50,
    progress: Progress | None = None,
) -> tuple[Speed, ...]:
    """Recall@10 and milliseconds per query as a synthetic cloud grows, one row per size and breadth.

    The cloud is normally distributed without clusters, a hard case for a graph, cosine space, in this
    process.  Chroma takes ``ef_search`` when a collection is created, so each row builds its own: about
    three seconds for 20,000 vectors.  Raises `ParameterError` for a size below the 10 that are looked for.
    """
    k, rng = 10, np.random.default_rng(0)
    for name, values, least in (("sizes", sizes, k), ("ef_search", ef_search, 1), ("queries", (queries,), 1)):
        counted(name, min(values, default=0), least)
    cloud = rng.normal(size=(max(sizes), 32)).astype(np.float32)
    asked = rng.normal(size=(queries, 32)).astype(np.float32)
    client = connect()
    rows = []
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
                progress(len(rows), len(sizes) * len(ef_search))
    return tuple(rows)


def _timed(search: Any, queries: NDArray[np.float32]) -> tuple[list[Any], float]:
    """All answers, and the median milliseconds of one."""
    search(queries[0])  # the first one loads things
    answers, times = [], []
    for query in queries:
        start = time.perf_counter()
        answers.append(search(query))
        times.append(time.perf_counter() - start)
    return answers, float(np.median(times) * 1000)
