"""JSON in which every value is beside its type, as databases and note programs export it, as plain JSON.

MongoDB writes ``{"$oid": "64f0"}``, DynamoDB ``{"S": "text"}``, Firestore ``{"stringValue": "text"}``, a SPARQL server
``{"type": "literal", "value": "text"}``, Notion a list of pieces with ``plain_text`` below the name of the type, and
LlamaIndex a node as a string in ``_node_content``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_MARKS = re.compile(r'"(?:plain_text|\$(?:oid|date|number\w+)|stringValue|S|literal|_node_content)"')
_MONGO = re.compile(r"\$(?:oid|date|number\w+|uuid)")
_DYNAMO = frozenset(("S", "N", "B", "BOOL", "SS", "NS", "L", "M"))
_FIRESTORE = re.compile(r"(?:string|integer|double|boolean|timestamp|reference|array|map)Value")
_SPARQL = frozenset(("literal", "uri", "bnode", "typed-literal"))
_NODE = "_node_content"


def is_typed(text: str) -> bool:
    """Whether a JSON text may have typed values."""
    return _MARKS.search(text) is not None


def untyped(value: Any) -> Any:
    """Returns a JSON value in which typed values are plain."""
    if isinstance(value, list):
        if value and all(isinstance(v, dict) and isinstance(v.get("plain_text"), str) for v in value):
            return "".join(v["plain_text"] for v in value)
        return [untyped(v) for v in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((name, inner),) = value.items()
        if _MONGO.fullmatch(name) or name in _DYNAMO:
            return untyped(inner)
        if _FIRESTORE.fullmatch(name):
            inner = untyped(inner)
            return inner.get("values", inner.get("fields", inner)) if isinstance(inner, dict) else inner
    kind = value.get("type")
    if isinstance(kind, str) and kind in _SPARQL and isinstance(value.get("value"), str):
        return value["value"]
    return {k: untyped(_node(v) if k == _NODE else _property(v)) for k, v in value.items()}


def _node(value: Any) -> Any:
    """The node that LlamaIndex writes as a string into the payload of a vector store."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _property(value: Any) -> Any:
    """The value of a property of Notion: below the name of its type; a choice is its name."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str) or value["type"] not in value:
        return value
    if "id" not in value and len(value) != 2:
        return value
    inner = value[value["type"]]
    if isinstance(inner, list) and inner and all(isinstance(v, dict) and "name" in v for v in inner):
        return [v["name"] for v in inner]
    if isinstance(inner, Mapping):
        return inner.get("name", inner.get("start", inner))
    return inner
