"""What an approximate search misses, and what it saves: a store's graph or cells against the exact search."""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Corpus, Progress, Ranking, counted
from lab.models.embedders import Embedder, encoder_of, rows_for
from lab.numeric import unit
from lab.retrieve.chroma_server import PAGE, connect, delete
from lab.retrieve.distinct import Distinct
from lab.retrieve.store import neighbours
from lab.retrieve.vector import Vector


@dataclass(frozen=True)
class Cloud:
    """Vectors to search, [n, d], and the vectors of questions, [m, d]; ``corpus`` is empty for random vectors."""

    corpus: str
    vectors: NDArray[np.float32]
    queries: NDArray[np.float32]


def corpus_cloud(corpus: Corpus, embedder: Embedder, questions: Sequence[str], *, most: int = 5_000) -> Cloud:
    """Returns the vectors of a corpus and of questions; of more than ``most`` distinct texts, an even sample.

    Raises `ParameterError` without a question.
    """
    counted("questions", len(questions))
    encoder, firsts = encoder_of(embedder, corpus), Distinct.of(corpus).firsts
    places = firsts[np.linspace(0, len(firsts) - 1, min(most, len(firsts))).astype(int)]
    rows = rows_for(embedder, [corpus.documents[i] for i in places.tolist()], corpus)
    rows, asked = (np.asarray(x, np.float32) for x in (rows, encoder.queries(questions)))
    return Cloud(corpus.name or "–", rows[rows.any(axis=1)], asked[asked.any(axis=1)])


def random_cloud(n: int, queries: int = 50) -> Cloud:
    """Returns normally distributed vectors of 32 numbers, without clusters."""
    rng = np.random.default_rng(0)
    vectors, asked = (rng.normal(size=(size, 32)).astype(np.float32) for size in (n, queries))
    return Cloud("", vectors, asked)


@dataclass(frozen=True, slots=True)
class Speed:
    """HNSW against the exact search on ``n`` vectors: the share of the true first k that it finds, and median times.

    The vectors are those of the corpus with this name; random if it is empty.
    """

    corpus: str
    n: int
    ef_search: int
    recall: float
    hnsw_ms: float
    exact_ms: float
    build_seconds: float
    store: str = "Chroma"


Answers = tuple[int, list[list[int]], float, float, str]
"""The breadth of a search, the positions found, milliseconds per query, seconds of building, the store."""
Measured = Callable[[Cloud, Sequence[int], int], Iterator[Answers]]
"""Measures a graph of vectors: their cloud, the breadths, the number of neighbours."""


def hnsw_against_exact(
    clouds: Sequence[Cloud],
    *,
    ef_search: Sequence[int] = (10, 50, 200),
    others: Sequence[Measured] = (),
    progress: Progress | None = None,
) -> tuple[Speed, ...]:
    """Measures Recall@10 and milliseconds per query by the cosine, in this process: one row per cloud and breadth.

    Chroma takes a change of ``ef_search`` only when a store is opened again, so each row builds its own collection:
    about three seconds for 20,000 vectors.  The graphs of ``others`` are measured as well.  Raises `ParameterError`
    for fewer than 10 vectors, the number of neighbours to find, and without queries.

    Source of HNSW: Y. Malkov and D. Yashunin, *Efficient and Robust Approximate Nearest Neighbor Search Using
    Hierarchical Navigable Small World Graphs*, IEEE TPAMI 42 (4), 2020, doi:10.1109/TPAMI.2018.2889473.
    """
    k, client = 10, connect()
    for cloud in clouds:
        counted("vectors", len(cloud.vectors), k)
        counted("queries", len(cloud.queries))
    counted("ef_search", min(ef_search, default=0))
    rows, steps = list[Speed](), len(clouds) * len(ef_search) * (1 + len(others))
    for cloud in clouds:
        exact = np.asarray(unit(cloud.vectors), dtype=np.float32)
        truth, exact_ms = timed(lambda q, rows=exact: np.argpartition(-(rows @ q), k - 1)[:k].tolist(), cloud.queries)
        built = (_in_chroma(client, cloud, ef, k) for ef in ef_search)
        more = (other(cloud, ef_search, k) for other in others)
        for ef, answers, ms, seconds, store in chain(built, *more):
            right = sum(len(set(f) & set(t)) for f, t in zip(answers, truth, strict=True)) / (k * len(truth))
            rows.append(Speed(cloud.corpus, len(exact), ef, right, ms, exact_ms, seconds, store))
            if progress:
                progress(len(rows), steps)
    return tuple(rows)


def _in_chroma(client: Any, cloud: Cloud, ef: int, k: int) -> Answers:
    name, start = f"lab-cloud-{uuid.uuid4().hex}", time.perf_counter()
    configuration = {"hnsw": {"space": "cosine", "ef_search": ef}}
    collection = client.create_collection(name, configuration=configuration, embedding_function=None)
    try:
        for at in range(0, len(cloud.vectors), PAGE):
            part = cloud.vectors[at : at + PAGE]
            collection.add(ids=[str(at + i) for i in range(len(part))], embeddings=part)
        built = time.perf_counter() - start

        def ask(query: NDArray[np.float32]) -> list[int]:
            return [*map(int, collection.query(query_embeddings=query[None], n_results=k, include=[])["ids"][0])]

        return ef, *timed(ask, cloud.queries), built, "Chroma"
    finally:
        delete(client, name)


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


def timed(search: Any, queries: NDArray[np.float32]) -> tuple[list[Any], float]:
    """Returns all answers, and the median milliseconds of one."""
    search(queries[0])  # warm up: the first search loads modules and data
    answers, times = [], []
    for query in queries:
        start = time.perf_counter()
        answers.append(search(query))
        times.append(time.perf_counter() - start)
    return answers, float(np.median(times) * 1000)
