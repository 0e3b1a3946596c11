"""Whether the numbers, dates and names of a sentence stand in passages, and what stands there in their place.

Equal is what means the same: 14 days, fourteen days and two weeks; March 2019 for a passage that says 5 March 2019.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lab.algebra import Document
from lab.answer.base import Place
from lab.answer.kinds import Found, found
from lab.text import HAN, cutting, fold, is_han, plain
from lab.words import N_, Said

_WORDS = cutting(mode="character", stem="snowball", simplified=True)
_PARTS = re.compile(rf"[{HAN}]+|[^\W_{HAN}]+")
_DIGITS = "0-9a-z零〇一二两三四五六七八九十百千万亿"
_DIGIT = re.compile(r"\d")
_SAME: Mapping[str, tuple[str, float]] = {
    **{"second": ("time", 1), "minute": ("time", 60), "hour": ("time", 3600), "day": ("time", 86400)},
    **{"week": ("time", 7 * 86400), "month": ("months", 1), "year": ("months", 12), "century": ("months", 1200)},
    **{"mm": ("length", 1), "cm": ("length", 10), "m": ("length", 1000), "km": ("length", 1_000_000)},
    **{"g": ("weight", 1), "kg": ("weight", 1000), "t": ("weight", 1_000_000)},
    **{"ml": ("volume", 1), "l": ("volume", 1000), "inch": ("feet", 1), "foot": ("feet", 12)},
}
"""Units that measure the same, and how much of the smallest each is."""
MOST = 3
"""So many of what the passages say instead are named."""


@dataclass(frozen=True)
class Flag:
    """A number, a date or a name of a sentence that stands in none of the passages.

    ``text`` is what is missing (of a name the words that are), ``instead`` where the passages have one of the same
    unit, ``told`` says it.
    """

    found: Found
    text: str
    instead: tuple[Place, ...]
    told: str


def facts(sentence: str) -> tuple[Found, ...]:
    """What of a sentence is looked for: its numbers, dates and names, but for numbers inside a name."""
    every = found(sentence)
    names = [(one.start, one.end) for one in every if one.kind == "name"]
    return tuple(
        one for one in every if one.kind == "name" or not any(a <= one.start and one.end <= b for a, b in names)
    )


class _Read(NamedTuple):
    """What is read of a passage: its numbers, dates and names, itself folded, the stems of its words, its letters."""

    found: tuple[Found, ...]
    folded: str
    words: frozenset[str]
    letters: str


class Facts:
    """The numbers, dates and names of passages; each passage is read when it is first asked for."""

    def __init__(self, passages: Sequence[Document]) -> None:
        self.passages = passages
        self._kept: dict[int, _Read] = {}

    def _read(self, passage: int) -> _Read:
        if passage not in self._kept:
            content = self.passages[passage].content
            letters = plain(_WORDS.read(content).text)
            self._kept[passage] = _Read(found(content), fold(content), frozenset(_WORDS.tokens(content)), letters)
        return self._kept[passage]

    def flags(self, sentence: str, places: Sequence[Place], *, names: bool = True) -> tuple[Flag, ...]:
        """What of a sentence stands in none of the passages that are opened at these places.

        Without ``names`` only numbers and dates are looked for: another language writes a name in another way.
        """
        own = facts(sentence) if places else ()
        told = (
            self._number(one, own, sentence, places) if one.kind != "name" else self._name(one, sentence, places)
            for one in own
            if names or one.kind != "name"
        )
        return tuple(flag for flag in told if flag)

    def _stands(self, text: str, places: Sequence[Place]) -> bool:
        """Whether a text stands in the passages as it is written, and not as a part of a longer number or word."""
        literal = re.compile(rf"(?<![{_DIGITS}.,]){re.escape(fold(text))}(?![{_DIGITS}]|[.,]\d)")
        return any(literal.search(self._read(p.passage).folded) for p in places)

    def _name(self, one: Found, sentence: str, places: Sequence[Place]) -> Flag | None:
        read = [self._read(p.passage) for p in places]
        if self._stands(sentence[one.start : one.end], places):
            return None

        def there(word: str) -> bool:
            """Whether a passage has a part of a name: Han characters in a row, or a word by its stem."""
            if is_han(word):
                return any(_WORDS.read(word).text in r.letters for r in read)
            return any(r.words.issuperset(_WORDS.tokens(word)) for r in read)

        cut = ((m, sentence[max(m.start(), one.start) : min(m.end(), one.end)]) for m in _PARTS.finditer(sentence))
        parts = [inside if is_han(m[0]) else m[0] for m, inside in cut if inside]  # whole words, of Han what is named
        text = " ".join(part for part in parts if not there(part))
        return Flag(one, text, (), Said("“{text}” stands in no cited passage.", text=text)) if text else None

    def _number(self, one: Found, own: Sequence[Found], sentence: str, places: Sequence[Place]) -> Flag | None:
        text = sentence[one.start : one.end]
        if any(same(one, other) for p in places for other in self._read(p.passage).found) or self._stands(text, places):
            return None
        instead = self._instead(one, own, places)
        if not instead:
            return Flag(one, text, (), Said("“{text}” stands in no cited passage.", text=text))
        others = ", ".join(dict.fromkeys(p.read(self.passages) for p in instead))
        said = N_("“{text}” stands in no cited passage. Of the same kind there: {others}.")
        return Flag(one, text, instead, Said(said, text=text, others=others))

    def _instead(self, one: Found, own: Sequence[Found], places: Sequence[Place]) -> tuple[Place, ...]:
        """What can be compared with it, in the sentences at which the passages are opened, else anywhere in them."""
        told = [
            (not (p.start <= other.start and other.end <= p.end), i, Place(p.passage, other.start, other.end))
            for i, p in enumerate(places)
            for other in self._read(p.passage).found
            if comparable(one, other) and not any(same(said, other) for said in own)
        ]
        near = [t for t in told if not t[0]] or told
        return tuple(place for *_, place in near)[:MOST]


def same(one: Found, other: Found) -> bool:
    """Whether what the other says covers the one: an equal number, or a date that says at least as much."""
    if one.kind != other.kind:
        return False
    if one.kind == "date":
        own, whole = str(one.value), str(other.value)
        decade = own.endswith("0s") and whole[:3] == own[:3]
        return whole == own or whole.startswith(f"{own}-") or decade or (own[:2] == "--" and whole.endswith(own[1:]))
    if one.kind == "name":
        return one.value == other.value
    (measure, value), (others, size) = _measured(one), _measured(other)
    if measure == others:
        return math.isclose(value, size, rel_tol=1e-9)
    return "" in (one.unit, other.unit) and one.value == other.value


def comparable(one: Found, other: Found) -> bool:
    """Whether the other could stand in the place of the one: a number of the same unit, a date said as exactly."""
    if one.kind != other.kind or one.kind == "name":
        return False
    if one.kind == "date":
        return _DIGIT.sub("0", str(one.value)) == _DIGIT.sub("0", str(other.value))
    return bool(one.unit) and _measured(one)[0] == _measured(other)[0]


def _measured(one: Found) -> tuple[str, float]:
    """What a number measures, and how much of the smallest unit of that it is."""
    measure, size = _SAME.get(one.unit, (one.unit, 1.0))
    return measure, size * float(one.value)
