"""Whether the numbers, dates and names of a sentence stand in passages, and what stands there in their place.

Equal is what means the same: 14 days, fourteen days and two weeks; March 2019 for a passage that says 5 March 2019.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lab.algebra import Document
from lab.answer.amounts import numbers
from lab.answer.base import Found, Place
from lab.answer.kinds import NAME_VERB, found
from lab.text import HAN, cutting, fold, is_han, plain
from lab.text.quantities.numbers import HAN_NUMERAL, UP_TO_99
from lab.text.quantities.units import DURATIONS, sizes
from lab.words import N_, Said

_WORDS = cutting(mode="character", stem="snowball", simplified=True)
_PARTS = re.compile(rf"[{HAN}]+|[^\W_{HAN}]+")
_DIGITS = f"0-9a-z{HAN_NUMERAL}"
_DIGIT = re.compile(r"\d")
_LETTERS_AND_NUMBER = re.compile(r"(?<![A-Za-z0-9-])[A-Za-z]{1,20}[ -]\d+(?:\.\d+)*(?![A-Za-z0-9])")
_NAME_AND_DECIMAL = re.compile(r"\b[A-Z][A-Za-z0-9-]{2,20} (\d+\.\d+)(?![\d.])")
_SIGN = re.compile(
    r"\A\s*(?:[-*+•·]\s+)?\**(?:(?:[Ss]tep|步骤|第)\s?)?[(（【]?\s?(?:\d{1,2}|" + UP_TO_99 + r")\s?[步点]?"
    r"[.．、)）】:：](?!\d)|[\[【]\^?\d{1,3}(?:[,，、\s-]+\d{1,3})*[\]】]"
)
_CODE_PART = re.compile(r"[a-z]+|\d+(?:\.\d+)*")
_COUNTED = re.compile(rf"\s?-?(?:(?P<han>[{HAN}]{{1,3}})|(?P<word>[a-z]+))")
NOUN_TELLS = ("", "ordinal", "person")
"""Units of numbers that can only be compared if the same word follows."""
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


def facts(sentence: str, *, unsure: bool = False) -> tuple[Found, ...]:
    """The numbers, dates and names of a sentence that are looked up, without the numbers inside a name.

    The number of an item and the signs of citations, 1. and [2], are not looked up.
    """
    every = found(sentence, unsure=unsure)
    inside = [(one.start, one.end) for one in every if one.kind == "name" and one.sure]
    inside += [m.span() for m in _SIGN.finditer(sentence)]
    return tuple(
        one for one in every if one.kind == "name" or not any(a <= one.start and one.end <= b for a, b in inside)
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
        self._numbers: dict[int, Sequence[tuple[int, int]]] = {}

    def _read(self, passage: int) -> _Read:
        if passage not in self._kept:
            content = self.passages[passage].content
            letters, there = plain(_WORDS.read(content).text), found(content, unsure=True)
            self._kept[passage] = _Read(there, fold(content), frozenset(_WORDS.tokens(content)), letters)
        return self._kept[passage]

    def flags(self, sentence: str, places: Sequence[Place], *, names: bool = True) -> tuple[Flag, ...]:
        """What of a sentence stands in none of the passages that are opened at these places.

        Without ``names`` only numbers and dates are looked for: another language writes a name in another way.
        """
        own = facts(sentence, unsure=True) if places else ()
        looked = (one for one in own if names or one.kind != "name" or one.unit == "version")
        told = (
            self._figure(one, own, sentence, places)
            if one.kind != "name" or one.unit == "version"
            else self._name(one, sentence, places)
            for one in looked
            if not self._stands_as_code(_code(one, sentence), places)
        )
        return tuple(flag for flag in told if flag)

    def _stands(self, text: str, places: Sequence[Place]) -> bool:
        """Whether a text stands in the passages as it is written, and not as a part of a longer number or word."""
        joined = "" if text[:1].isalpha() else ".,⁄"
        literal = re.compile(rf"(?<![{_DIGITS}{joined}]){re.escape(fold(text))}(?![{_DIGITS}]|[.,]\d)")
        return any(
            not any(a < m.end() and m.start() < b and (a < m.start() or m.end() < b) for a, b in self._spans(passage))
            for passage in dict.fromkeys(p.passage for p in places)
            for m in literal.finditer(self._read(passage).folded)
        )

    def _spans(self, passage: int) -> Sequence[tuple[int, int]]:
        """Where the numbers of a folded passage stand."""
        if passage not in self._numbers:
            self._numbers[passage] = [(one.start, one.end) for one in numbers(self._read(passage).folded)]
        return self._numbers[passage]

    def _stands_as_code(self, text: str, places: Sequence[Place]) -> bool:
        """Whether the passages contain a code, with or without a space or a hyphen between its parts."""
        if not text:
            return False
        parts = r"[\s-]?".join(map(re.escape, _CODE_PART.findall(fold(text))))
        spelled = re.compile(rf"(?<![0-9a-z]){parts}(?![0-9a-z]|\.\d)")
        return any(spelled.search(self._read(p.passage).folded) for p in places)

    def _name(self, one: Found, sentence: str, places: Sequence[Place]) -> Flag | None:
        read = [self._read(p.passage) for p in places]
        written = sentence[one.start : one.end]
        if self._stands(written, places) or (not one.sure and not self._another_name(one, sentence, places)):
            return None
        if one.unit == "code":
            said = Said("“{text}” is not in any cited passage.", text=written)
            return Flag(one, written, (), said)

        def there(word: str) -> bool:
            """Whether a passage has a part of a name: Han characters in a row, or a word by its stem."""
            if is_han(word):
                return any(_WORDS.read(word).text in r.letters for r in read)
            return any(r.words.issuperset(_WORDS.tokens(word)) for r in read)

        cut = ((m, sentence[max(m.start(), one.start) : min(m.end(), one.end)]) for m in _PARTS.finditer(sentence))
        parts = [inside if is_han(m[0]) else m[0] for m, inside in cut if inside]  # whole words, of Han what is named
        text = " ".join(part for part in parts if not there(part))
        return Flag(one, text, (), Said("“{text}” is not in any cited passage.", text=text)) if text else None

    def _another_name(self, one: Found, sentence: str, places: Sequence[Place]) -> bool:
        """Whether in the passages another name does what this one, which begins a sentence, does in it."""
        verb = NAME_VERB.match(sentence, one.end)
        for place in places:
            content = self.passages[place.passage].content
            for other in self._read(place.passage).found:
                if other.kind != "name" or fold(content[other.start : other.end]) in fold(sentence):
                    continue
                does = NAME_VERB.match(content, other.end)
                if verb is None:
                    another = content[: other.end].endswith(("'s", "’s"))
                else:
                    behind = (f" {verb['verb']} ", f" {verb['verb']} by ")  # the capital is Paris, founded by Maria
                    another = bool(does and does.groups() == verb.groups()) or content.endswith(behind, 0, other.start)
                if another:
                    return True
        return False

    def _figure(self, one: Found, own: Sequence[Found], sentence: str, places: Sequence[Place]) -> Flag | None:
        text = sentence[one.start : one.end]
        if self._stands(text, places) or any(
            self._supports(one, sentence, other, place.passage)
            for place in places
            for other in self._read(place.passage).found
        ):
            return None
        instead = self._instead(one, own, sentence, places)
        if not instead and not one.sure:
            return None
        if not instead:
            return Flag(one, text, (), Said("“{text}” is not in any cited passage.", text=text))
        others = ", ".join(dict.fromkeys(p.read(self.passages) for p in instead))
        said = N_("“{text}” is not in any cited passage. These of the same kind are: {others}.")
        return Flag(one, text, instead, Said(said, text=text, others=others))

    def _supports(self, one: Found, sentence: str, other: Found, passage: int) -> bool:
        """Whether what is found in a passage says what the number or date of the sentence does."""
        if not same(one, other) or (one.unit and not other.unit and not other.sure):
            return False
        mine, others = _release(one, sentence), _release(other, self.passages[passage].content)
        return not (mine and others and mine != others)

    def _instead(self, one: Found, own: Sequence[Found], sentence: str, places: Sequence[Place]) -> tuple[Place, ...]:
        """What can be compared with it, in the sentences at which the passages are opened, else anywhere in them.

        For an unsure number only these sentences count.
        """
        told = [
            (not (p.start <= other.start and other.end <= p.end), i, Place(p.passage, other.start, other.end))
            for i, p in enumerate(places)
            for other in self._read(p.passage).found
            if not any(same(said, other) for said in own)
            and (
                (comparable(one, other) and (one.sure or one.unit not in NOUN_TELLS))
                or (not one.sure and one.unit in DURATIONS and other.kind == "number" and other.unit in DURATIONS)
                or counts_alike(one, sentence, other, self.passages[p.passage].content)
            )
        ]
        near = [t for t in told if not t[0]] or (told if one.sure else [])
        return tuple(place for *_, place in near)[:MOST]


def same(one: Found, other: Found) -> bool:
    """Whether what the other says covers the one: an equal number, or a date that says at least as much."""
    if one.kind != other.kind:
        return _plainly(one) == _plainly(other) != ""
    if one.kind == "date":
        own, whole = str(one.value), str(other.value)
        decade = own.endswith("0s") and (whole[:3] == own[:3] or whole[2:] == own)
        return whole == own or whole.startswith(f"{own}-") or decade or (own[:2] == "--" and whole.endswith(own[1:]))
    if one.kind == "name":
        return one.value == other.value
    mine, others = sizes(one.unit), sizes(other.unit)
    for measure in mine.keys() & others.keys():
        if math.isclose(mine[measure] * float(one.value), others[measure] * float(other.value), rel_tol=1e-9):
            return True
    if "" not in (one.unit, other.unit):
        return False
    share = {"percent": 0.01}
    value, size = (float(x.value) * share.get(x.unit, 1.0) for x in (one, other))
    return one.value == other.value or value == size


def comparable(one: Found, other: Found) -> bool:
    """Whether the other could stand in the place of the one: a number of the same unit, a date said as exactly."""
    if one.kind != other.kind:
        return False
    if one.kind == "name":
        return one.unit == other.unit == "version"
    if one.kind == "date":
        return _DIGIT.sub("0", str(one.value)) == _DIGIT.sub("0", str(other.value))
    return bool(one.unit) and not sizes(one.unit).keys().isdisjoint(sizes(other.unit))


def counts_alike(one: Found, text: str, other: Found, passage: str) -> bool:
    """Whether two numbers of no unit count the same thing: one lamp and two lamps, 一台设备 and 两台设备."""
    if (one.kind, other.kind) != ("number", "number") or one.unit != other.unit or one.unit not in NOUN_TELLS:
        return False
    if not (one.unit or one.sure or other.sure):
        return False  # 一方面, 两方面
    mine, others = (_COUNTED.match(fold(t), n.end) for t, n in ((text, one), (passage, other)))
    if not mine or not others:
        return False
    if mine["han"] and others["han"]:
        return mine["han"] == others["han"] or mine["han"][:2] == others["han"][:2] != mine["han"][:1]
    if mine["han"] or others["han"] or mine["word"] == "of":
        return False
    return _WORDS.tokens(mine["word"]) == _WORDS.tokens(others["word"])


def _release(one: Found, text: str) -> str:
    """The digits of a decimal behind a name, where 3.10 is not 3.1: Python 3.10; empty for other numbers."""
    if one.kind == "number" and not one.unit:
        for m in _NAME_AND_DECIMAL.finditer(text, max(0, one.start - 24), one.end):
            if m.start(1) == one.start:
                return m[1].removesuffix(".0")
    return ""


def _code(one: Found, sentence: str) -> str:
    """The code that contains a name or number: WH-1000XM5, USB 3.0; empty if there is none."""
    if one.unit == "code":
        return sentence[one.start : one.end]
    for m in _LETTERS_AND_NUMBER.finditer(sentence, max(0, one.start - 40), one.end + 12):
        if m.start() <= one.start and one.end <= m.end():
            return m[0]
    return ""


def _plainly(one: Found) -> str:
    """A number without unit, a year and a version as they may be mistaken for each other: 2048, 2.1."""
    if one.kind == "number":
        return f"{one.value:.15g}" if not one.unit else ""
    return str(one.value) if one.kind == "date" or one.unit == "version" else ""
