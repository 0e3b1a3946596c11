"""Milvus' graph on vectors, measured beside Chroma's: see `lab.explain.approximation.hnsw_against_exact`."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.algebra import NONE
from lab.explain.approximation import Answers, Cloud, timed
from lab.retrieve.chroma_server import PAGE
from lab_packs.milvus.notes import Graph, indexed, make, schema_of
from lab_packs.milvus.server import LOADING, LONG, engine_of


def graph_answers(cloud: Cloud, ef_search: Sequence[int], k: int) -> Iterator[Answers]:
    """Measures the graph (M 16, efConstruction 200) of some vectors, in a temporary collection."""
    from pymilvus import DataType

    engine, name, start = engine_of(NONE), f"lab_cloud_{uuid.uuid4().hex}", time.perf_counter()
    fields = [
        ("place", DataType.INT64, {"is_primary": True}),
        ("vector", DataType.FLOAT_VECTOR, {"dim": cloud.vectors.shape[1]}),
    ]
    graph = Graph("HNSW", "COSINE", (("M", 16), ("efConstruction", 200)))
    make(engine, name, schema_of(fields), {"vector": graph})
    try:
        for at in range(0, len(cloud.vectors), PAGE):
            rows = [{"place": at + i, "vector": row} for i, row in enumerate(cloud.vectors[at : at + PAGE])]
            engine.call("insert", name, rows, timeout=LONG)
        engine.call("flush", name, timeout=LOADING)
        indexed(engine, name)
        built = time.perf_counter() - start
        for ef in ef_search:
            how = {"anns_field": "vector", "limit": k, "search_params": {"params": {"ef": max(ef, k)}}}

            def ask(query: NDArray[np.float32], how: Mapping[str, Any] = how) -> list[int]:
                return [int(hit["place"]) for hit in engine.call("search", name, data=[query], **how)[0]]

            yield ef, *timed(ask, cloud.queries), built, "Milvus"
    finally:
        engine.call("drop_collection", name, timeout=LONG)
