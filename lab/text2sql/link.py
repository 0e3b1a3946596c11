"""What a run of characters can be: one link, and the cheapest of several."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class Link(NamedTuple):
    """``text[start:end]`` can be this.

    ``kind``: word (``of`` is a role and its arguments), table and table cue (its name), column, cue, negative (refs with
    costs; a negative one is denied), within (columns with values that hold it), value (`Value`s with costs), number,
    date, quote, unknown, break.
    """

    start: int
    end: int
    kind: str
    of: Any
    cost: float = 0.0


def cheapest(found: Iterable[T], key: Callable[[T], Hashable], cost: Callable[[T], Any]) -> list[T]:
    """The cheapest of every key, the cheapest first."""
    best: dict[Hashable, T] = {}
    for one in sorted(found, key=cost):
        best.setdefault(key(one), one)
    return list(best.values())


def several(at: int, end: int, kind: str, found: Mapping[Any, float], more: float = 0.0) -> list[Link]:
    """One link to several columns or values, by how much each is more far-fetched than the likeliest."""
    least = min(found.values(), default=0.0)
    return [Link(at, end, kind, tuple((k, c - least) for k, c in found.items()), least + more)] if found else []
