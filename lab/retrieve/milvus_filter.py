"""Filters on metadata for Milvus: the same JSON that Chroma takes, written as an expression of Milvus.

No input of a visitor enters the expression unchanged: names and texts become string literals with every quotation
mark, backslash and control character escaped, and Python formats the numbers.  (Milvus Lite has neither templates with
parameters nor ``in`` on a path into JSON.)
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lab.algebra import is_finite
from lab.errors import QueryError
from lab.retrieve.milvus_server import FILTERS
from lab.text import well_formed
from lab.words import Said

_COMPARE = {"$eq": "==", "$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_DEEPEST = 20


def expression(where: Mapping[str, Any] | None, field: str = "metadata") -> str:
    """A filter such as ``{"year": {"$gte": 2023}}`` as an expression; empty for none.  Raises `QueryError`."""
    return _all(where, field, 0) if where else ""


def _all(where: Mapping[str, Any], field: str, depth: int) -> str:
    if not isinstance(where, Mapping) or not where or depth > _DEEPEST:
        raise _wrong(where)
    return " and ".join(_one(str(name), condition, field, depth) for name, condition in where.items())


def _one(name: str, condition: Any, field: str, depth: int) -> str:
    if name in ("$and", "$or"):
        if not isinstance(condition, list) or not condition:
            raise _wrong({name: condition})
        return f"({f' {name[1:]} '.join(_all(part, field, depth + 1) for part in condition)})"
    if name.startswith("$"):
        raise _wrong({name: condition})
    path = f"{field}[{literal(name)}]"
    if not isinstance(condition, Mapping):
        return f"({path} == {literal(condition)})"
    if not condition:
        raise _wrong({name: condition})
    return "(" + " and ".join(_test(path, operator, value) for operator, value in condition.items()) + ")"


def _test(path: str, operator: str, value: Any) -> str:
    """One comparison; what is *not* so is also what has no such field."""
    if operator in _COMPARE:
        return f"{path} {_COMPARE[operator]} {literal(value)}"
    if operator == "$contains":
        return f"json_contains({path}, {literal(value)})"
    if operator in ("$in", "$nin") and isinstance(value, list) and value:
        some = " or ".join(f"{path} == {literal(item)}" for item in value)
        return f"({some})" if operator == "$in" else f"(not exists {path} or not ({some}))"
    if operator == "$ne":
        return f"(not exists {path} or not ({path} == {literal(value)}))"
    if operator == "$not_contains":
        return f"(not exists {path} or not json_contains({path}, {literal(value)}))"
    raise _wrong({operator: value})


def literal(value: Any) -> str:
    """A text, a number or a truth value as Milvus reads it.  Raises `QueryError` for anything else."""
    if isinstance(value, str):
        return '"' + "".join(_ESCAPES.get(c, c) for c in well_formed(value)) + '"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if is_finite(value) and abs(value) < 2**63:
        return repr(value)
    raise _wrong(value)


def _wrong(part: Any) -> QueryError:
    reason = json.dumps(part, ensure_ascii=False, default=str)[:80]
    return QueryError(Said("Milvus does not take this filter: {reason}", reason=reason), Said(FILTERS))
