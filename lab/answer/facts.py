"""Whether passages contain the numbers, dates and names of a sentence, and what they state instead.

Values are equal if they mean the same: 14 days, fourteen days and two weeks; March 2019 is supported by 5 March 2019.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lab.algebra import Document
from lab.answer.base import Found, Place
from lab.answer.kinds import NAME_VERB, found
from lab.text import Folded, cutting, fold, folded, is_han, plain
from lab.text.quantities.claims import comparable, meanings, same
from lab.text.quantities.notation import RAISED
from lab.text.quantities.numbers import HAN_NUMERAL, UP_TO_99
from lab.text.quantities.units import DURATIONS
from lab.text.writing import HAN
from lab.words import N_, Said

_WORDS = cutting(mode="character", stem="snowball", simplified=True)
_PARTS = re.compile(rf"[{HAN}]+|[^\W_{HAN}]+")
_DIGITS = f"0-9a-z{HAN_NUMERAL}"
_LETTERS_AND_NUMBER = re.compile(r"(?<![A-Za-z0-9-])[A-Za-z]{1,20}[ -]\d+(?:\.\d+)*(?![A-Za-z0-9])")
_NAME_AND_DECIMAL = re.compile(r"\b[A-Z][A-Za-z0-9-]{2,20} (\d+\.\d+)(?![\d.])")
_SIGN = re.compile(
    r"\A\s*(?:[-*+•·]\s+)?\**(?:(?:[Ss]tep|步骤|第)\s?)?[(（【]?\s?(?:\d{1,2}|" + UP_TO_99 + r")\s?[步点]?"
    r"[.．、)）】:：](?!\d)|[\[【]\^?\d{1,3}(?:[,，、\s-]+\d{1,3})*[\]】]"
)
_RUN = re.compile("[0-9]+")
_CODE_PART = re.compile(r"[a-z]+|\d+(?:\.\d+)*")
_COUNTED = re.compile(rf"\s?-?(?:(?P<han>[{HAN}]{{1,3}})|(?P<word>[a-z]+))")
NOUN_TELLS = ("", "ordinal", "person")
"""Units of numbers that can only be compared if the same word follows."""
MOST = 3
"""Maximum number of alternatives from the passages that are named."""


@dataclass(frozen=True)
class Flag:
    """A number, a date or a name of a sentence that no passage contains.

    ``text`` is the missing part (of a name, its missing words), ``instead`` the places of values of the same unit in
    the passages, ``told`` the message for the reader.
    """

    found: Found
    text: str
    instead: tuple[Place, ...]
    told: str


class Checked(NamedTuple):
    """The details of a sentence that no passage contains, and those that could not be checked."""

    missing: tuple[Flag, ...]
    unread: tuple[Flag, ...]


def facts(sentence: str, *, unsure: bool = False) -> tuple[Found, ...]:
    """Returns the numbers, dates and names of a sentence to look up, without the numbers inside a name.

    The number of an item and the signs of citations, 1. and [2], are not looked up.
    """
    every = found(sentence, unsure=unsure)
    inside = [(fact.start, fact.end) for fact in every if fact.kind == "name" and fact.sure]
    inside += [m.span() for m in _SIGN.finditer(sentence)]
    return tuple(
        fact for fact in every if fact.kind == "name" or not any(a <= fact.start and fact.end <= b for a, b in inside)
    )


class _Read(NamedTuple):
    """A passage as it was read: its numbers, dates and names, its folded text, its word stems, and its letters."""

    found: tuple[Found, ...]
    folded: Folded
    words: frozenset[str]
    letters: str


class Facts:
    """The numbers, dates and names of passages; each passage is read when it is first needed."""

    def __init__(self, passages: Sequence[Document]) -> None:
        self.passages = passages
        self._kept: dict[int, _Read] = {}

    def _read(self, passage: int) -> _Read:
        if passage not in self._kept:
            content = self.passages[passage].content
            letters, read = plain(_WORDS.read(content).text), found(content, unsure=True)
            self._kept[passage] = _Read(read, folded(content), frozenset(_WORDS.tokens(content)), letters)
        return self._kept[passage]

    def flags(self, sentence: str, places: Sequence[Place], *, names: bool = True) -> tuple[Flag, ...]:
        """Returns the details of a sentence that none of the passages at these places contains."""
        return self.check(sentence, places, names=names).missing

    def check(self, sentence: str, places: Sequence[Place], *, names: bool = True) -> Checked:
        """Looks for the details of a sentence in the passages at these places.

        Without ``names`` only numbers and dates are checked: another language spells a name in another way.
        """
        stated = facts(sentence, unsure=True) if places else ()
        missing, unread = list[Flag](), list[Flag]()
        for fact in stated:
            if self._stands_as_code(_code(fact, sentence), places):
                continue
            if fact.kind != "name" or fact.unit == "version":
                support = self._support(fact, sentence, places)
                if support == "unread":
                    text = sentence[fact.start : fact.end]
                    message = N_("“{text}” is not checked: it or the passage can be read in several ways.")
                    unread.append(Flag(fact, text, (), Said(message, text=text)))
                elif not support and (flag := self._figure(fact, stated, sentence, places)):
                    missing.append(flag)
            elif names and (flag := self._name(fact, sentence, places)):
                missing.append(flag)
        return Checked(tuple(missing), tuple(unread))

    def _stands(self, text: str, places: Sequence[Place]) -> bool:
        """Whether the passages contain a text verbatim, not within a longer number or word."""
        joined = "" if text[:1].isalpha() else ".,⁄"
        literal = re.compile(rf"(?<![{_DIGITS}{joined}]){re.escape(fold(text))}(?![{_DIGITS}]|[.,'’^]\d)")
        return any(
            self._whole(passage, *self._read(passage).folded.place(*m.span()))
            for passage in dict.fromkeys(p.passage for p in places)
            for m in literal.finditer(self._read(passage).folded.text)
        )

    def _whole(self, passage: int, start: int, end: int) -> bool:
        """Whether a part of a passage is not within a longer number or date, and has no exponent or fraction."""
        figures = (fact for fact in self._read(passage).found if fact.kind != "name")
        inside = any(f.start < end and start < f.end and (f.start < start or end < f.end) for f in figures)
        return not inside and RAISED.isdisjoint(self.passages[passage].content[start : end + 1])

    def _stands_as_code(self, text: str, places: Sequence[Place]) -> bool:
        """Whether the passages contain a code, with or without a space or a hyphen between its parts."""
        if not text:
            return False
        parts = r"[\s-]?".join(map(re.escape, _CODE_PART.findall(fold(text))))
        spelled = re.compile(rf"(?<![0-9a-z]){parts}(?![0-9a-z]|[.,'’^]\d)")
        return any(
            self._whole(passage, *self._read(passage).folded.place(*m.span()))
            for passage in dict.fromkeys(p.passage for p in places)
            for m in spelled.finditer(self._read(passage).folded.text)
        )

    def _name(self, fact: Found, sentence: str, places: Sequence[Place]) -> Flag | None:
        read = [self._read(p.passage) for p in places]
        written = sentence[fact.start : fact.end]
        if self._stands(written, places) or (not fact.sure and not self._another_name(fact, sentence, places)):
            return None
        if fact.unit == "code":
            message = Said("“{text}” is not in any cited passage.", text=written)
            return Flag(fact, written, (), message)

        def appears(word: str) -> bool:
            """Whether a passage has a part of a name: Han characters in a row, or a word by its stem."""
            if is_han(word):
                return any(_WORDS.read(word).text in r.letters for r in read)
            return any(r.words.issuperset(_WORDS.tokens(word)) for r in read)

        cut = ((m, sentence[max(m.start(), fact.start) : min(m.end(), fact.end)]) for m in _PARTS.finditer(sentence))
        # whole words, but only the named part of a run of Han
        parts = [inside if is_han(m[0]) else m[0] for m, inside in cut if inside]
        text = " ".join(part for part in parts if not appears(part))
        return Flag(fact, text, (), Said("“{text}” is not in any cited passage.", text=text)) if text else None

    def _another_name(self, fact: Found, sentence: str, places: Sequence[Place]) -> bool:
        """Whether the passages have another name with the verb of this one, which begins a sentence."""
        verb = NAME_VERB.match(sentence, fact.end)
        for place in places:
            content = self.passages[place.passage].content
            for other in self._read(place.passage).found:
                if other.kind != "name" or fold(content[other.start : other.end]) in fold(sentence):
                    continue
                does = NAME_VERB.match(content, other.end)
                if verb is None:
                    does_the_same = content[: other.end].endswith(("'s", "’s"))
                else:
                    behind = (f" {verb['verb']} ", f" {verb['verb']} by ")  # the capital is Paris, founded by Maria
                    does_the_same = bool(does and does.groups() == verb.groups()) or content.endswith(
                        behind, 0, other.start
                    )
                if does_the_same:
                    return True
        return False

    def _figure(self, fact: Found, stated: Sequence[Found], sentence: str, places: Sequence[Place]) -> Flag | None:
        """Returns the flag of a number or date that no passage supports; None for an unsure one without comparison."""
        text = sentence[fact.start : fact.end]
        instead = self._instead(fact, stated, sentence, places)
        if not instead and not fact.sure:
            return None
        if not instead:
            return Flag(fact, text, (), Said("“{text}” is not in any cited passage.", text=text))
        alternatives = [*dict.fromkeys(p.read(self.passages) for p in instead)]
        message = N_("“{text}” is not in any cited passage. These of the same kind are: {others}.")
        return Flag(fact, text, instead, Said(message, text=text, others=alternatives))

    def _support(self, fact: Found, sentence: str, places: Sequence[Place]) -> str:
        """Returns how the passages support a number or date: “yes”, “unread” if one cannot be read surely, or “”.

        A number in the passages that cannot be read blocks only those that share its digits.
        """
        if self._stands(sentence[fact.start : fact.end], places):
            return "yes"
        others = [(other, place.passage) for place in places for other in self._read(place.passage).found]
        matches = (
            _is_sure(fact) and _is_sure(other)
            for other, passage in others
            for a in meanings(fact)
            for b in meanings(other)
            if self._supports(a, sentence, b, passage)
        )
        if match := sorted(matches):
            return "yes" if match[-1] else "unread"
        if fact.kind == "unread":
            return "unread"
        digits = _digit_runs(sentence[fact.start : fact.end])
        unread = ((other, self.passages[passage].content) for other, passage in others if other.kind == "unread")
        return "unread" if any(digits & _digit_runs(text[u.start : u.end]) for u, text in unread) else ""

    def _supports(self, fact: Found, sentence: str, other: Found, passage: int) -> bool:
        """Whether a value in a passage supports the number or date of the sentence."""
        if not same(fact, other) or (fact.unit and not other.unit and not other.sure):
            return False
        release, other_release = _release(fact, sentence), _release(other, self.passages[passage].content)
        return not (release and other_release and release != other_release)

    def _instead(
        self, fact: Found, stated: Sequence[Found], sentence: str, places: Sequence[Place]
    ) -> tuple[Place, ...]:
        """Returns the places of comparable values: in the sentences at ``places``, or else anywhere in their passages.

        For an unsure number only these sentences count.
        """
        alternatives = [
            (not (p.start <= other.start and other.end <= p.end), i, Place(p.passage, other.start, other.end))
            for i, p in enumerate(places)
            for other in self._read(p.passage).found
            if not any(same(known, other) for known in stated)
            and (
                (comparable(fact, other) and (fact.sure or fact.unit not in NOUN_TELLS))
                or (not fact.sure and fact.unit in DURATIONS and other.kind == "number" and other.unit in DURATIONS)
                or counts_alike(fact, sentence, other, self.passages[p.passage].content)
            )
        ]
        near = [t for t in alternatives if not t[0]] or (alternatives if fact.sure else [])
        return tuple(place for *_, place in near)[:MOST]


def _is_sure(fact: Found) -> bool:
    """Whether a number or date has one reading, or one of each kind, of which the other value then decides."""
    kinds = [reading.kind for reading in meanings(fact)]
    return len(set(kinds)) == len(kinds)


def _digit_runs(text: str) -> set[str]:
    """Returns the runs of digits of a number, and all its digits as one run."""
    runs = _RUN.findall("".join(" " if c in RAISED else c for c in text))
    return {*runs, "".join(runs)} - {""}


def counts_alike(number: Found, text: str, other: Found, passage: str) -> bool:
    """Whether two numbers without a unit count the same thing: one lamp and two lamps, 一台设备 and 两台设备."""
    if (number.kind, other.kind) != ("number", "number") or number.unit != other.unit or number.unit not in NOUN_TELLS:
        return False
    if not (number.unit or number.sure or other.sure):
        return False  # 一方面, 两方面
    noun, other_noun = (_COUNTED.match(fold(t), n.end) for t, n in ((text, number), (passage, other)))
    if not noun or not other_noun:
        return False
    if noun["han"] and other_noun["han"]:
        return noun["han"] == other_noun["han"] or noun["han"][:2] == other_noun["han"][:2] != noun["han"][:1]
    if noun["han"] or other_noun["han"] or noun["word"] == "of":
        return False
    return _WORDS.tokens(noun["word"]) == _WORDS.tokens(other_noun["word"])


def _release(fact: Found, text: str) -> str:
    """The digits of a decimal behind a name, where 3.10 is not 3.1: Python 3.10; empty for other numbers."""
    if fact.kind == "number" and not fact.unit:
        for m in _NAME_AND_DECIMAL.finditer(text, max(0, fact.start - 24), fact.end):
            if m.start(1) == fact.start:
                return m[1].removesuffix(".0")
    return ""


def _code(fact: Found, sentence: str) -> str:
    """The code that contains a name or number: WH-1000XM5, USB 3.0; empty if there is none."""
    if fact.unit == "code":
        return sentence[fact.start : fact.end]
    for m in _LETTERS_AND_NUMBER.finditer(sentence, max(0, fact.start - 40), fact.end + 12):
        if m.start() <= fact.start and fact.end <= m.end():
            return m[0]
    return ""
