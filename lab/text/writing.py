"""Variants of writing: Wi-Fi and wifi, 1,000 and 1000, 3.5mm and 3.5 mm, café and cafe.

Two of the four change the text before it is cut (`changes`), two add terms beside a word (`parts`).  All take folded
text: lower case, half width.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from lab.patterns import lazy_pattern

HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
WORD = rf"[^\W_{HAN}]+"
QUOTES = lazy_pattern('《([^《》\n]{1,60})》|「([^「」\n]{1,60})」|“([^“”\n]{1,60})”|"([^"\n]{1,60})"')
"""A title or a name in quotation marks."""
_IN_WORD = rf"[^\W_{HAN}]"
_LETTER = rf"[^\W\d_{HAN}]"
_NUMBER = r"\d+(?:\.\d+)?"

_JOINT = lazy_pattern(rf"{WORD}[-_.]")
_PART = lazy_pattern(WORD)
_RUN = lazy_pattern(r"\d{2,}|[^\W\d_]{2,}")
_HYPHENED = lazy_pattern(rf"(?<!{_IN_WORD})(?<!\d[._]){WORD}(?:-{WORD})+(?!{_IN_WORD}|[._]\d)")
_INITIALS = lazy_pattern(rf"(?<![\w.]){_LETTER}(?:\.{_LETTER})+(?!\.?\w)")
_SEGMENT = lazy_pattern(rf"{WORD}(?:\.{WORD})*")
_MEASURES = lazy_pattern(rf"(?:{_NUMBER}{_LETTER}+){{1,3}}(?:[23]|\d+\.\d+|\d{{2,}})?")
_NUMBER_OR_UNIT = lazy_pattern(rf"{_NUMBER}|{_LETTER}+(?:[23]\Z)?")

_HYPHENS = lazy_pattern(rf"(?<!{_IN_WORD})(?=\d[\d.]*{_LETTER}|{WORD}[-.]){WORD}(?:[-.]{WORD})*")
"""Words that may have a hyphen or a unit: few, so that the others cost nothing."""
_WITH_UNIT = lazy_pattern(rf"\d{_LETTER}|\d-{_LETTER}")

_GROUPED = lazy_pattern(r"(?<!\d)(?<!\d[.,])[1-9]\d{0,2}(?:,\d{3})+(?!\d|,\d)")
_MARKS = "[\u0300-\u036f\u1dc0-\u1dff]"
_ACCENTED = lazy_pattern(f"[a-z\u00df-\u024f\u1e00-\u1eff]{_MARKS}+|[\u00df-\u024f\u1e00-\u1eff]")
_PLAIN = {**dict(zip("øđðħıłŧ", "oddhilt", strict=True)), "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th"}
"""Latin letters that Unicode does not decompose, and how people type them (Lucene's ASCIIFoldingFilter)."""


class Part(NamedTuple):
    """A term added to a word, at ``word[start:end]``; ``kind`` is ``part`` or ``joined`` (the word without joints)."""

    text: str
    start: int
    end: int
    kind: str = "part"


def parts(word: str, *, numbers: bool = False, joined: bool = False, units: bool = False) -> Iterator[Part]:
    """Yields the terms added to a word: first the parts that ``-``, ``_`` and ``.`` join.

    ``numbers``: the runs of letters and of digits as well, where they meet (1000 and xm of 1000xm5), because one letter
    or digit alone means little.  ``units``: a number and the following unit, each whole (3.5 and mm of 3.5mm, 2, h, 30
    and min of 2h30min), unless anything but numbers precedes them: the 450w of rv-450w is not a power.  ``joined``: a
    word without its hyphens (wifi), and initials without their full stops (us of u.s); numbers are not joined, because
    1-2 is not 12.
    """
    joint = _JOINT.match(word)
    yielded = set[tuple[int, int]]()
    for part in _PART.finditer(word) if joint or numbers else ():
        runs = _RUN.finditer(part[0]) if numbers else ()
        for m, at in [*([(part, 0)] if joint else []), *((run, part.start()) for run in runs if run[0] != part[0])]:
            yielded.add((at + m.start(), at + m.end()))
            yield Part(m[0], at + m.start(), at + m.end())
    for segment in _SEGMENT.finditer(word) if units else ():
        if not _MEASURES.fullmatch(segment[0]):
            if segment[0].isdecimal():
                continue
            break
        for m in _NUMBER_OR_UNIT.finditer(segment[0]):
            place = segment.start() + m.start(), segment.start() + m.end()
            if place not in yielded:
                yield Part(m[0], *place)
    for m in (*_HYPHENED.finditer(word), *_INITIALS.finditer(word)) if joined and joint else ():
        if any(map(str.isalpha, m[0])):
            yield Part(without_joints(m[0]), *m.span(), "joined")


def without_joints(word: str) -> str:
    """Returns a word without its hyphens and full stops."""
    return word.replace("-", "").replace(".", "")


def respelled(text: str) -> list[tuple[int, int, str]]:
    """What becomes of hyphens and units of a text, so that their variants are one: (start, end, the new characters).

    A hyphen beside a letter goes (wi-fi: wifi); a number and its unit have one blank between them (3.5mm and 5-inch:
    3.5 mm, 5 inch).  1-2 stays, because it is not 12, and so does the hyphen behind a unit (1.5m-cable).
    """
    found = list[tuple[int, int, str]]()
    if "-" not in text and not _WITH_UNIT.search(text):
        return found
    for m in _HYPHENS.finditer(text):
        segments, at, measured = m[0].split("-"), m.start(), True
        for segment, after in zip(segments, [*segments[1:], ""], strict=True):
            number, unit = re.fullmatch(_NUMBER, segment), measured and _MEASURES.fullmatch(segment)
            if unit:
                pieces = [*_NUMBER_OR_UNIT.finditer(segment)]
                found += [(at + p.end() - 1, at + p.end(), f"{segment[p.end() - 1]} ") for p in pieces[:-1]]
            hyphen = at + len(segment)
            if after and not unit and (segment[-1].isalpha() or after[0].isalpha()):
                found.append((hyphen, hyphen + 1, " " if measured and number and after.isalpha() else ""))
            measured, at = measured and bool(unit or number), hyphen + 1
    return found


def changes(text: str, *, separators: bool, accents: bool) -> list[tuple[int, int, str]]:
    """Returns the replacements in a text, in their order: (start, end, the new characters).

    ``separators``: commas between groups of three digits are removed, unless the number begins with 0 or has other
    groups (0,125 and 2019,2020 stay).  ``accents``: Latin letters lose their accents and strokes (NFD without marks).
    """
    replacements = list[tuple[int, int, str]]()
    if separators and "," in text:
        replacements += [(i, i + 1, "") for m in _GROUPED.finditer(text) for i in range(*m.span()) if text[i] == ","]
    if accents and not text.isascii():
        bare = ((m.start(), m.end(), _without_accents(m[0])) for m in _ACCENTED.finditer(text))
        replacements += [change for change in bare if change[2] != text[change[0] : change[1]]]
    return sorted(replacements)


def changed(text: str, places: list[tuple[int, int, str]]) -> str:
    """Returns the text with these replacements."""
    segments, at = list[str](), 0
    for start, end, new in places:
        segments += [text[at:start], new]
        at = end
    return "".join([*segments, text[at:]])


@lru_cache(maxsize=4096)
def _without_accents(cluster: str) -> str:
    """Returns a letter without its marks."""
    apart = unicodedata.normalize("NFD", cluster)
    return "".join(_PLAIN.get(c, c) for c in apart if unicodedata.category(c)[0] != "M")
