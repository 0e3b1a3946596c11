"""Estimates the bytes of a value, by which caches are bounded."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

SAMPLE = 64
"""Number of members sampled from longer containers."""
_LOOKED_INTO = ("builtins", "collections", "lab", "lab_packs", "numpy", "scipy", "mappingproxy")
_NOT = (type, type(sys), type(len), type(lambda: 0))


def footprint(value: object, *, without: Callable[[Any], bool] = lambda _: False) -> int:
    """Estimates the bytes of a value and everything it refers to, each once, without objects that ``without`` excludes.

    Objects of other libraries (loaded models) are not inspected, and objects of a class with ``shared`` are left out,
    because they have many owners.
    """
    seen: set[int] = set()
    total, todo = 0.0, [(value, 1.0)]
    while todo:
        item, times = todo.pop()
        if id(item) in seen or isinstance(item, _NOT) or getattr(type(item), "shared", False) or without(item):
            continue
        seen.add(id(item))
        base = getattr(item, "base", None)
        if isinstance(getattr(item, "nbytes", None), int) and base is not None:  # a view keeps the whole array alive
            todo.append((base, times))
            continue
        total += times * sys.getsizeof(item, 64)
        if type(item).__module__.partition(".")[0] in _LOOKED_INTO:
            inner = gc.get_referents(item)
            step = max(1, len(inner) // SAMPLE)
            todo += [(x, times * len(inner) / len(inner[::step])) for x in inner[::step]]
    return round(total)
