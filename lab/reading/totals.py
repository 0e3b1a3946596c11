"""How many hits an answer of a search engine counts: more than it holds if only its first page was saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lab.reading.known import COUNTED, COUNTS, PAGED

_DEEPEST = 4


class Total(NamedTuple):
    """The number of hits that an answer names, and the path to it."""

    name: str
    records: int


def total_of(value: object, records: Sequence[object], path: str = "", depth: int = 0) -> Total | None:
    """Returns the number of hits that a JSON value names beside these records or above them; None if there is none."""
    if not isinstance(value, dict) or depth > _DEEPEST:
        return None
    for key, inner in value.items():
        if inner is records:
            return _named(value, path)
        if (total := total_of(inner, records, f"{path}{key}.", depth + 1)) is not None:
            return total if total.name else _named(value, path)
    return None


def _named(value: Mapping[str, object], path: str) -> Total:
    """Returns the total in an object, or in one of the objects in it; one without a name if it has none."""
    names = {key: _bare(key) for key in value}
    is_page = any(name in PAGED for name in names.values())
    for key, name in names.items():
        inner = value[key]
        if name in COUNTED or (is_page and name in COUNTS):
            number = inner.get("value") if isinstance(inner, dict) else inner
            if isinstance(number, int) and not isinstance(number, bool):
                return Total(f"{path}{key}", number)
        elif isinstance(inner, dict) and _is_flat(inner) and (total := _named(inner, f"{path}{key}.")).name:
            return total
    return Total("", 0)


def _is_flat(value: Mapping[str, object]) -> bool:
    return not any(isinstance(inner, list | dict) for inner in value.values())


def _bare(key: str) -> str:
    return "".join(c for c in key.lower() if c.isalpha())
