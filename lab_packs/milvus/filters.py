"""Filters on metadata for Milvus: the same JSON that Chroma takes, written as an expression of Milvus.

No input of a visitor enters the expression unchanged: names and texts become string literals with every quotation
mark, backslash and control character escaped, and Python formats the numbers.  (Milvus Lite has neither templates with
parameters nor ``in`` on a path into JSON.)  In Milvus Lite true equals 1: `milvus_metadata` lists the fields that are
truth values, so that both are told apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.corpus.conditions import CONTAINS, EQUAL, IN, AnyOf, Condition, Test, children
from lab.retrieve.where import chroma_metadata, conditions
from lab.text import well_formed

LONGEST = 10_000
"""Maximum number of positions in an expression."""
TRUTHS = "$truth"
"""The stored list of the fields that are truth values; no document has a field of this name."""
_COMPARE = {EQUAL: "==", IN: "=="}
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def milvus_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a document's metadata in the form that is stored in Milvus."""
    stored = chroma_metadata(metadata) or {}
    return {**stored, TRUTHS: [name for name, value in stored.items() if isinstance(value, bool)]}


def expression(where: Mapping[str, Any] | None) -> str:
    """A filter such as ``{"year": {"$gte": 2023}}`` as an expression; empty for none.  Raises `QueryError`."""
    return _written(conditions(where)) if where else ""


def positions_in(rows: NDArray[np.bool_]) -> str | None:
    """Returns the expression for a set of passages by their positions; None if both it and its rest are too long."""
    fitting, rest = np.flatnonzero(rows), np.flatnonzero(~rows)
    if len(fitting) <= LONGEST:
        return f"place in {fitting.tolist()}"
    return f"place not in {rest.tolist()}" if len(rest) <= LONGEST else None


def both(*expressions: str) -> str:
    """Returns the expression that holds where all of these hold; empty ones always hold."""
    return " and ".join(filter(None, expressions))


def _written(condition: Condition) -> str:
    if not isinstance(condition, Test):
        parts = [_written(part) for part in children(condition)]
        return parts[0] if len(parts) == 1 else f"({(' or ' if isinstance(condition, AnyOf) else ' and ').join(parts)})"
    path = f"metadata[{literal(condition.field)}]"
    tests = [_test(condition.field, path, condition.op, value) for value in condition.values]
    some = tests[0] if len(tests) == 1 else f"({' or '.join(tests)})"
    return f"(not exists {path} or not {some})" if condition.negated else some


def _test(name: str, path: str, op: str, value: Any) -> str:
    """One comparison, of a truth value or of a number only with its own kind."""
    if op == CONTAINS and not isinstance(value, str | bool) and value < 0:
        return f"(exists {path} and not exists {path})"  # stored lists have texts, and Milvus takes no minus here
    if op == CONTAINS:
        return f"json_contains({path}, {literal(value)})"
    test, truths = f"{path} {_COMPARE.get(op, op)} {literal(value)}", f"metadata[{literal(TRUTHS)}]"
    is_truth = f"(exists {truths} and json_contains({truths}, {literal(name)}))"
    if isinstance(value, bool):  # a collection that was filled elsewhere has no such list
        return f"({test} and (not exists {truths} or {is_truth}))"
    return test if isinstance(value, str) else f"({test} and not {is_truth})"


def literal(value: Any) -> str:
    """A text, a number or a truth value as Milvus reads it."""
    if isinstance(value, str):
        return '"' + "".join(_ESCAPES.get(c, c) for c in well_formed(value)) + '"'
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)
