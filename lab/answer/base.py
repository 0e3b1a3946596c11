"""What the parts of this room share: the place of a sentence in a passage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lab.algebra import Document
from lab.text.quantities.claims import Found

__all__ = ["Found", "Place"]


class Place(NamedTuple):
    """A sentence of a passage: ``passages[passage].content[start:end]``; passages are counted from 0."""

    passage: int
    start: int
    end: int

    def read(self, passages: Sequence[Document]) -> str:
        """The sentence itself."""
        return passages[self.passage].content[self.start : self.end]
