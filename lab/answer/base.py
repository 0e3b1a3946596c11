"""What the parts of this room share: the place of a sentence in a passage, and the numbers, dates and names found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lab.algebra import Document


class Place(NamedTuple):
    """A sentence of a passage: ``passages[passage].content[start:end]``; passages are counted from 0."""

    passage: int
    start: int
    end: int

    def read(self, passages: Sequence[Document]) -> str:
        """The sentence itself."""
        return passages[self.passage].content[self.start : self.end]


class Found(NamedTuple):
    """A number, a date or a name: ``text[start:end]``.

    ``kind`` is one of ``number``, ``date`` and ``name``.  ``value`` can be compared: a number as a float; a date as
    year-month-day as far as it is said (``2019-03``; ``--03-05`` without a year, ``T15:30``, ``1990s``, ``c19`` for a
    century, ``d1`` for Monday, ``3 day ago``, ``-0221`` before our era); a name as its letters without case and
    punctuation.  ``unit`` has one name for each unit of a number (``day`` for 天, 日 and days); for a name it is
    ``person`` or ``place`` if the dictionary has it, ``code`` (WH-1000XM5) or ``version`` (v2.1, with the value
    ``2.1``); empty if none is known.  ``sure`` is False for what may also be an article, an idiom or a common word:
    one lamp, a week, once, 一天, a word that begins a sentence.

    A number from 1000 to 2099 without comma and unit is a year, unless something says otherwise.
    """

    kind: str
    value: float | str
    unit: str
    start: int
    end: int
    sure: bool = True
