"""Lessons: claims about retrieval, sentence by sentence, with the expectations that make them true, as data."""

from typing import TYPE_CHECKING, Any

from lab.lessons.reading import FILE, read, spoken_of
from lab.lessons.values import Lesson, Step

if TYPE_CHECKING:
    from lab.lessons.checking import KINDS, Result, check

__all__ = ["FILE", "KINDS", "Lesson", "Result", "Step", "check", "read", "spoken_of"]


def __getattr__(name: str) -> Any:
    """Imports what checks lessons when it is first used: a menu of lessons does not need it."""
    if name in ("KINDS", "Result", "check"):
        from lab.lessons import checking

        return getattr(checking, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
