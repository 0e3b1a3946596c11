"""Notes (bytes by name) on the collections of Milvus, and functions that make a collection.

One collection holds the notes on all others: the head and the term counts of each.  Milvus' own descriptions are too
short for them, and Milvus Lite does not store descriptions.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.corpus import disk
from lab.errors import ModelError
from lab_packs.milvus.server import FIELD, LOADING, LONG, Engine, retried_after_loading

NOTES = "lab_notes"


@dataclass(frozen=True)
class Graph:
    """How the vectors are indexed: Milvus' name of the index, its metric, and what both are made with."""

    kind: str
    metric: str
    options: tuple[tuple[str, int], ...] = ()


class Notes:
    """Reads and writes notes: the heads and term counts of all collections, as bytes by name."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def open(self) -> None:
        """Loads the collection of notes; makes it first if it does not exist."""
        engine = self.engine
        if not engine.call("has_collection", NOTES):
            from pymilvus import DataType

            schema = schema_of([("name", DataType.VARCHAR, {"is_primary": True, "max_length": 512})])
            schema.add_field("value", DataType.VARCHAR, max_length=FIELD)
            schema.add_field("nothing", DataType.FLOAT_VECTOR, dim=2)  # a collection without vectors is refused
            make(engine, NOTES, schema, {"nothing": Graph("FLAT", "L2")})
        engine.call("load_collection", NOTES, timeout=LONG)

    def put(self, notes: Iterable[tuple[str, bytes]]) -> None:
        batch = list[dict[str, Any]]()
        for name, value in notes:
            batch.append({"name": name, "value": base64.b85encode(value).decode(), "nothing": [0.0, 0.0]})
            if len(batch) == 100:
                self.engine.call("upsert", NOTES, batch, timeout=LONG)
                batch = []
        if batch:
            self.engine.call("upsert", NOTES, batch, timeout=LONG)

    def get(self, names: Sequence[str]) -> dict[str, bytes]:
        """Returns the notes with these names; missing names are left out."""
        engine, ask = self.engine, dict[str, Any](ids=list(names), output_fields=["name", "value"])
        rows = retried_after_loading(engine, NOTES, lambda: engine.call("get", NOTES, **ask)) if names else []
        return {row["name"]: _decoded(row["value"]) for row in rows}

    def delete(self, names: Sequence[str]) -> None:
        for start in range(0, len(names), 1000):
            self.engine.call("delete", NOTES, ids=list(names[start : start + 1000]), timeout=LONG)


def _decoded(value: str) -> bytes:
    """Returns the bytes of a note, b"" if it is damaged."""
    try:
        return base64.b85decode(value)
    except ValueError:
        return b""


def read_head(note: bytes) -> dict[str, Any]:
    """Returns the head of a collection; {} if it is damaged, so that the collection counts as missing."""
    try:
        head = json.loads(note)
        whole = type(head["documents"]) is int and isinstance(head["source"], str) and "made" in head
    except disk.DAMAGE:
        return {}
    return head if whole else {}


def schema_of(fields: Iterable[tuple[str, Any, Mapping[str, Any]]]) -> Any:
    from pymilvus import MilvusClient

    schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
    for name, kind, options in fields:
        schema.add_field(name, kind, **options)
    return schema


def make(engine: Engine, name: str, schema: Any, graphs: Mapping[str, Graph]) -> None:
    """Make a collection with its indexes.  Another process may have made it at the same moment."""
    from pymilvus import MilvusClient

    indexes = MilvusClient.prepare_index_params()
    for field, graph in graphs.items():
        # one by one Milvus Lite does not see them; a server takes both
        options = {"params": dict(graph.options)} if graph.options else {}
        indexes.add_index(field, index_type=graph.kind, metric_type=graph.metric, params=options)
    try:
        engine.call("create_collection", name, schema=schema, consistency_level="Strong", timeout=LONG)
    except ModelError:
        if not engine.call("has_collection", name):
            raise
    engine.call("create_index", name, index_params=indexes, sync=False, timeout=LONG)


def indexed(engine: Engine, name: str) -> None:
    """Hold a collection ready that was just filled, with the indexes of all that is in it.

    Milvus Lite takes a collection for loaded before it has anything, and then makes no index of what comes.
    """
    if engine.late:
        engine.call("release_collection", name, timeout=LONG)
    engine.call("load_collection", name, timeout=LOADING)
