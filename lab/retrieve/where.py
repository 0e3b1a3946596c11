"""Filters on metadata: one reading of the JSON that Chroma takes, for the lab itself and for every store.

The metadata is compared in the form in which a store has it (`chroma_metadata`).  Numbers compare as numbers, and
neither a text nor a truth value is one; a missing field passes only the negations.  `conditions` reads a filter,
`filter_test` tests documents, `chroma_where` and the pack of Milvus write it so that it means the same there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from lab.algebra import is_finite
from lab.corpus.conditions import CONTAINS, EQUAL, IN, ORDERED, All, AnyOf, Condition, Test, children, holds
from lab.errors import QueryError
from lab.text import well_formed
from lab.words import Said

_OPS = {"$eq": EQUAL, "$in": IN, "$contains": CONTAINS, "$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}
_NEGATED = {"$ne": EQUAL, "$nin": IN, "$not_contains": CONTAINS}
_SIGNS = {op: sign for sign, op in _OPS.items()}
_DEEPEST = 20


def conditions(where: Any, depth: int = 0) -> All:
    """Reads a filter such as ``{"year": {"$gte": 2023}}``.  Raises `QueryError` if it is not one."""
    if not isinstance(where, Mapping) or not where or depth > _DEEPEST:
        raise _refused(where)
    return All(tuple(_field(str(name), condition, depth) for name, condition in where.items()))


def _field(name: str, condition: Any, depth: int) -> All | AnyOf:
    if name in ("$and", "$or"):
        if not isinstance(condition, list) or not condition:
            raise _refused({name: condition})
        return (All if name == "$and" else AnyOf)(tuple(conditions(part, depth + 1) for part in condition))
    if name.startswith("$"):
        raise _refused({name: condition})
    tests = condition if isinstance(condition, Mapping) else {"$eq": condition}
    if not tests:
        raise _refused({name: condition})
    return All(tuple(_test(well_formed(name), sign, value) for sign, value in tests.items()))


def _test(name: str, sign: str, value: Any) -> Test:
    op = _NEGATED.get(sign) or _OPS.get(sign, "")
    several = op == IN
    if several != isinstance(value, list) or (several and not value):
        raise _refused({sign: value})
    values = tuple(_scalar(x) for x in (value if several else [value]))
    if not op or (op in ORDERED and _kind(values[0]) != "number"):
        raise _refused({sign: value})
    return Test(name, op, values, sign in _NEGATED)


def _scalar(value: Any) -> Any:
    """A text, a number or a truth value.  Raises `QueryError` for anything else."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, bool):
        return value
    if is_finite(value) and abs(value) < 2**63:
        value = stored_number(value)
        return int(value) if value == int(value) else value
    raise _refused(value)


def _refused(part: Any) -> QueryError:
    reason = json.dumps(part, ensure_ascii=False, default=str)[:80]
    remedy = Said('Write it like {"year": {"$gte": 2023}} or {"tags": {"$contains": "battery"}}.')
    return QueryError(Said("This is not a filter on metadata: {reason}", reason=reason), remedy)


def _kind(value: Any) -> str:
    """Returns the kind as which a value is compared: True is not the number 1."""
    if isinstance(value, bool):
        return "truth"
    return "number" if isinstance(value, (int, float)) else type(value).__name__


# ------------------------------------------------------------------------------------------------- the lab


def filter_test(where: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], bool]:
    """Returns whether metadata passes a filter such as ``{"year": {"$gte": 2023}}``, as a function."""
    condition = conditions(where)
    return lambda metadata: holds(condition, partial(_passes, stored=chroma_metadata(metadata) or {}))


def _passes(test: Test, stored: Mapping[str, Any]) -> bool:
    present, wanted = stored.get(test.field), {(_kind(value), value) for value in test.values}
    if test.op in ORDERED:
        return _kind(present) == "number" and ORDERED[test.op](present, test.values[0])
    members = present if isinstance(present, list) else [present]
    fits = isinstance(present, list) == (test.op == CONTAINS) and present is not None
    return (fits and any((_kind(value), value) in wanted for value in members)) != test.negated


# -------------------------------------------------------------------------------------------------- Chroma


def chroma_where(where: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a filter that means in Chroma what this one means in the lab.

    Chroma takes one condition per object and values of one kind per list, and compares a stored whole number with a
    fraction cut to a whole number, and a stored fraction with a large whole number rounded to a float.
    """
    return _chroma(conditions(where))


def _chroma(condition: Condition) -> dict[str, Any]:
    if not isinstance(condition, Test):
        return _join("$or" if isinstance(condition, AnyOf) else "$and", [_chroma(part) for part in children(condition)])
    name = f"#{condition.field}" if condition.field.startswith("#") else condition.field  # #document is Chroma's own
    if condition.op == CONTAINS:
        return {name: {"$not_contains" if condition.negated else "$contains": condition.values[0]}}
    if condition.op in ORDERED:
        return _ordered(name, condition.op, condition.values[0])
    joins = "$and" if condition.negated else "$or"
    return _join(joins, [_equal(name, value, condition.negated) for value in condition.values])


def _join(sign: str, parts: list[dict[str, Any]]) -> dict[str, Any]:
    return parts[0] if len(parts) == 1 else {sign: parts}


def _image(value: Any) -> Any:
    """Returns what Chroma compares with stored numbers of the other type: 4 for 4.5, a float for a whole number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return int(value) if isinstance(value, float) else float(value)


def _equal(name: str, value: Any, negated: bool) -> dict[str, Any]:
    image = _image(value)
    equal, other = ("$ne", "$eq") if negated else ("$eq", "$ne")
    if image == value:
        return {name: {equal: value}}
    return {"$or" if negated else "$and": [{name: {equal: value}}, {name: {other: image}}]}


def _ordered(name: str, op: str, limit: float) -> dict[str, Any]:
    """Returns an ordering that is right for the image of its limit, too: no stored value is between the two."""
    image, test = _image(limit), {name: {_SIGNS[op]: limit}}
    right, given = ORDERED[op](image, limit), op in (">=", "<=")
    if image == limit or right == given:
        return test
    return {"$or": [test, {name: {"$eq": image}}]} if right else {"$and": [test, {name: {"$ne": image}}]}


def stored_number(value: float) -> float:
    """Returns a number in the form in which all stores keep it: whole, or with 15 digits.

    Chroma changes the last digit of one random float in nine; it keeps 15 digits and at most 22 decimal places.
    """
    if abs(value) >= 2**63:
        return float(value)
    if value == int(value):
        return int(value) if abs(value) >= 2**53 else value
    rounded = float(f"{value:.15g}")
    return round(rounded, 22) if 1e-22 < abs(rounded) < 1e-7 else rounded


def chroma_metadata(metadata: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns a document's metadata in the form that Chroma accepts; None if nothing is left.

    None, empty lists, NaN, infinity and names reserved by Chroma are left out; see `stored_number` for numbers.
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
            stored[name] = stored_number(value)
        elif isinstance(value, (list, tuple)) and value:
            stored[name] = [well_formed(str(v)) for v in value]
    return stored or None
