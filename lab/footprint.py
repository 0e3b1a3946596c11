"""About how many bytes a value takes: what is remembered is bounded by this."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

SAMPLE = 64
"""Of longer containers so many members are looked at, and stand for the others."""
_LOOKED_INTO = ("builtins", "collections", "lab", "numpy", "scipy", "mappingproxy")
_NOT = (type, type(sys), type(len), type(lambda: 0))


def footprint(value: object, *, without: Callable[[Any], bool] = lambda _: False) -> int:
    """Bytes of a value and of what it refers to, each once; what ``without`` says, and what hangs on it, is left out.

    Objects of other libraries (loaded models) are not looked into, and those of a class that says it is ``shared`` are
    left out: many hold them, and they belong to nobody.
    """
    seen: set[int] = set()
    total, todo = 0.0, [(value, 1.0)]
    while todo:
        one, times = todo.pop()
        if id(one) in seen or isinstance(one, _NOT) or getattr(type(one), "shared", False) or without(one):
            continue
        seen.add(id(one))
        base = getattr(one, "base", None)
        if isinstance(getattr(one, "nbytes", None), int) and base is not None:  # a view holds its whole
            todo.append((base, times))
            continue
        total += times * sys.getsizeof(one, 64)
        if type(one).__module__.partition(".")[0] in _LOOKED_INTO:
            inner = gc.get_referents(one)
            step = max(1, len(inner) // SAMPLE)
            todo += [(x, times * len(inner) / len(inner[::step])) for x in inner[::step]]
    return round(total)
