"""Techniques of packs for tests of the core: none where the pack, or a package that it needs, is left out."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from lab import catalog

MISSING = [name for name in ("pymilvus", "milvus_lite") if find_spec(name) is None]
"""The packages that Milvus needs and that are not installed."""


def packed(name: str, *values: Any, **knobs: Any) -> list[Any]:
    """Returns a list with this technique; empty where it is not at hand."""
    missing = MISSING if name.startswith("Milvus") else []
    return [cls(*values, **knobs) for known, cls in catalog.operators().items() if known == name and not missing]
