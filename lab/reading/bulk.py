"""Lines of a bulk request to Elasticsearch or OpenSearch: an action, and the record that it is about.

The records are as they are after the request: a later action with an id replaces, changes or deletes what an earlier
one has indexed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lab.reading.uploads import Reading
from lab.words import Said, ngettext

_ACTIONS = frozenset(("index", "create", "update", "delete"))
_ABOUT = frozenset(
    ("_index", "_id", "_type", "_routing", "routing", "parent", "version", "version_type", "if_seq_no")
    + ("if_primary_term", "retry_on_conflict", "pipeline", "require_alias", "dynamic_templates", "op_type")
)
_NAMED = 3
"""Deleted ids that are named."""
Numbered = tuple[int, Any]


def is_bulk(values: Sequence[Numbered]) -> bool:
    """Whether the first of these values is an action."""
    return bool(values) and _action(values[0][1]) is not None


def bulk_records(reading: Reading, values: Sequence[Numbered]) -> list[Numbered]:
    """Returns the records of a bulk request, with their ids; deletions and changes by a script are reported."""
    records, deleted, scripts = dict[str, Numbered](), list[str](), 0
    waiting = list(reversed(values))
    while waiting:
        number, value = waiting.pop()
        action = _action(value)
        if action is None:
            missing = Said("The action before this record is missing.")
            reading.wrong_line(number, missing, Said("Write an action such as index before every record."))
            continue
        name, about = action
        identity = str(about["_id"]) if about.get("_id") is not None else ""
        key = identity or f" {number}"
        if name == "delete":
            deleted.append(identity)
            records.pop(key, None)
            continue
        number, record = waiting.pop() if waiting and _action(waiting[-1][1]) is None else (number, None)
        if name == "update" and isinstance(record, dict):
            change = record.get("doc", record.get("upsert"))
            scripts += not isinstance(change, dict)
            before = records[key][1] if key in records else {}
            record = {**before, **change} if isinstance(change, dict) else before or None
        if isinstance(record, dict):
            records[key] = number, {"_id": identity, **record} if identity else record
    if deleted:
        names = [*(f"“{name}”" for name in deleted[:_NAMED]), *["…"][: len(deleted) - _NAMED]]
        fact = ngettext(
            "without {n:,} deleted record: {names}", "without {n:,} deleted records: {names}", len(deleted), names=names
        )
        reading.fact(fact)
    if scripts:
        reading.fact(ngettext("{n:,} change by a script not made", "{n:,} changes by scripts not made", scripts))
    return list(records.values())


def _action(value: Any) -> tuple[str, dict[str, Any]] | None:
    """The name of an action and what it is about; None for another value."""
    if not isinstance(value, dict) or len(value) != 1:
        return None
    ((name, about),) = value.items()
    is_action = name in _ACTIONS and isinstance(about, dict) and about.keys() <= _ABOUT
    return (name, about) if is_action else None
