"""Filters on metadata in the lab itself: which documents pass the JSON that Chroma and Milvus take.

The metadata is compared in the form in which a store has it (`chroma_metadata`).  Numbers compare as numbers, and
neither a text nor a truth value is one; a missing field passes only the negations.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from operator import ge, gt, le, lt
from typing import Any

from lab.algebra import is_finite
from lab.errors import QueryError
from lab.text import well_formed
from lab.words import Said

_ORDERED: Mapping[str, Callable[[Any, Any], bool]] = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}
_DEEPEST = 20


class Filter:
    """A filter such as ``{"year": {"$gte": 2023}}``.  Raises `QueryError` if it is not one."""

    def __init__(self, where: Mapping[str, Any]) -> None:
        self._passes = _all(where, 0)

    def passes(self, metadata: Mapping[str, Any]) -> bool:
        """Returns whether a document with this metadata passes."""
        return self._passes(chroma_metadata(metadata) or {})


Test = Callable[[Mapping[str, Any]], bool]


def _all(where: Any, depth: int) -> Test:
    if not isinstance(where, Mapping) or not where or depth > _DEEPEST:
        raise _refused(where)
    tests = [_field(str(name), condition, depth) for name, condition in where.items()]
    return lambda stored: all(test(stored) for test in tests)


def _field(name: str, condition: Any, depth: int) -> Test:
    if name in ("$and", "$or"):
        if not isinstance(condition, list) or not condition:
            raise _refused({name: condition})
        parts, joined = [_all(part, depth + 1) for part in condition], all if name == "$and" else any
        return lambda stored: joined(part(stored) for part in parts)
    if name.startswith("$"):
        raise _refused({name: condition})
    name = well_formed(name)
    if not isinstance(condition, Mapping):
        condition = {"$eq": condition}
    if not condition:
        raise _refused({name: condition})
    tests = [_comparison(name, sign, value) for sign, value in condition.items()]
    return lambda stored: all(test(stored) for test in tests)


def _comparison(name: str, sign: str, value: Any) -> Test:
    """Returns one comparison of a field.  Without the field, only negations pass."""
    negated = sign in ("$ne", "$nin", "$not_contains")
    if sign in _ORDERED:
        limit, ordered = _scalar(value), _ORDERED[sign]
        if limit[0] != "number":
            raise _refused({sign: value})
        return lambda stored: _kind(number := stored.get(name)) == "number" and ordered(number, limit[1])
    if sign in ("$eq", "$ne"):
        equal = {_scalar(value)}
    elif sign in ("$in", "$nin") and isinstance(value, list) and value:
        equal = {_scalar(x) for x in value}
    elif sign in ("$contains", "$not_contains"):
        member = _scalar(value)

        def contains(stored: Mapping[str, Any]) -> bool:
            values = stored.get(name)
            return isinstance(values, list) and any((_kind(x), x) == member for x in values)

        return (lambda stored: not contains(stored)) if negated else contains
    else:
        raise _refused({sign: value})

    def equals(stored: Mapping[str, Any]) -> bool:
        present = stored.get(name)
        return present is not None and not isinstance(present, list) and (_kind(present), present) in equal

    return (lambda stored: not equals(stored)) if negated else equals


def _kind(value: Any) -> str:
    """Returns the kind as which a value is compared: True is not the number 1."""
    if isinstance(value, bool):
        return "truth"
    return "number" if isinstance(value, (int, float)) else type(value).__name__


def _scalar(value: Any) -> tuple[str, Any]:
    """A text, number or truth value with its kind.  Raises `QueryError` for anything else."""
    if isinstance(value, str):
        return "str", well_formed(value)
    if isinstance(value, bool) or (is_finite(value) and (isinstance(value, float) or abs(value) < 2**63)):
        return _kind(value), value
    raise _refused(value)


def _refused(part: Any) -> QueryError:
    reason = json.dumps(part, ensure_ascii=False, default=str)[:80]
    remedy = Said('Write it like {"year": {"$gte": 2023}} or {"tags": {"$contains": "battery"}}.')
    return QueryError(Said("This is not a filter on metadata: {reason}", reason=reason), remedy)


def chroma_metadata(metadata: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns a document's metadata in the form that Chroma accepts; None if nothing is left.

    None, empty lists, NaN, infinity and names reserved by Chroma are left out; whole numbers
    beyond 63 bits become floats.
    """
    stored: dict[str, Any] = {}
    for name, value in metadata.items():
        name = well_formed(name)
        if not name or name.startswith(("$", "#", "chroma:")):
            continue
        if isinstance(value, str):
            stored[name] = well_formed(value)
        elif isinstance(value, bool):
            stored[name] = value
        elif is_finite(value):
            stored[name] = float(value) if abs(value) >= 2**63 else value
        elif isinstance(value, (list, tuple)) and value:
            stored[name] = [well_formed(str(v)) for v in value]
    return stored or None
