"""What of a text is a number, a date or a name, with its place; and whether it could answer a question.

All by rules, in Chinese and English.  Equal things have equal values however they are written: 14, fourteen and 十四;
1,200 and 1200; 2019年3月 and March 2019.  Chinese names are those that jieba's tags call names of persons, places and
organisations, names with a dot between their parts, and what stands in 《》 or quotation marks: a name that neither
the dictionary nor a quotation mark shows is not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import rjieba

from lab.answer.asking import ASKED, QUOTES, asked, every
from lab.answer.figures import DURATIONS, MONTH_OF, UNIT, WEEKDAYS, Found, dates, numbers
from lab.text import fold, half_width, is_han, plain, well_formed
from lab.words import Said

__all__ = ["ASKED", "KINDS", "Found", "asked", "every", "fits", "found"]

KINDS = {"number": Said("number"), "date": Said("date or time"), "name": Said("name")}
"""What is found in a text."""
_FITS = {"number": "number", "date": "date", "person": "name", "place": "name", "name": "name"}
_CODE = re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Z])[A-Za-z0-9]+(?:[-][A-Za-z0-9]+)*(?![\w-])")
_CAPITAL = r"[A-ZÀ-ÖØ-Þ](?:\w|[-'’&.](?=\w))*"
_CAPITALS = re.compile(
    rf"{_CAPITAL}(?:\.?\s(?:(?:of|de|la|le|van|von|der|del|du|da|di|al|the|and) ){{0,2}}{_CAPITAL})*"
)
_BEGIN = re.compile(r"(?:^|[.!?。！？:：;；\n\"“”‘(（]|[•*-] )\s*$")
_FUNCTION = """a an the in on at of for from by to with as and or but if when while after before since during although
though because this that these those it its he she they his her their we our you your i there here what which who how
is are was were be has have had do does did not no yes all some most many several other another each both one two
three under over about into between among within however also then thus so such only even more less"""
_FUNCTION_WORDS = frozenset(_FUNCTION.split())
_DOTS = frozenset("·•・‧")
_TAGS = ("nr", "ns", "nt", "nz")


def found(text: str) -> tuple[Found, ...]:
    """The numbers, dates and names of a text in the order of their places; dates and numbers do not overlap."""
    wide = half_width(well_formed(text))
    cased = _cased(well_formed(text))
    taken = bytearray(len(text))
    out = list[Found]()
    for maker in (dates(cased), _codes(cased), numbers(wide)):
        for one in maker:
            if not any(taken[one.start : one.end]):
                taken[one.start : one.end] = b"\1" * (one.end - one.start)
                out.append(one)
    out += (one for one in _names(cased) if not any(taken[one.start : one.end]) or "《" in text[one.start : one.end])
    return tuple(sorted(out, key=lambda one: (one.start, -one.end)))


def fits(one: Found, kind: str) -> bool:
    """Whether what was found could answer a question for this kind (of `ASKED`)."""
    if kind == "duration":
        return one.unit in DURATIONS or str(one.value).endswith(" ago")
    return one.kind == _FITS[kind] and (kind, one.unit) not in (("person", "place"), ("place", "person"))


def _cased(text: str) -> str:
    """Half width as in `half_width`, but capitals stay."""
    return "".join(chr(ord(c) - 0xFEE0) if "\uff10" <= c <= "\uff5a" and c.isalnum() else c for c in text)


# -------------------------------------------------------------------------------------------------- names


def _codes(text: str) -> Iterator[Found]:
    """Product codes: letters, a capital among them, and digits in one word."""
    for m in _CODE.finditer(text):
        if not UNIT.fullmatch(re.sub(r"^\d+", "", m[0].lower())):
            yield Found("name", fold(m[0]), "", *m.span())


def _names(text: str) -> Iterator[Found]:
    seen = bytearray(len(text))

    def free(a: int, b: int) -> bool:
        if any(seen[a:b]):
            return False
        seen[a:b] = b"\1" * (b - a)
        return True

    for m in QUOTES.finditer(text):
        inner = next(g for g in m.groups() if g is not None)
        if plain(inner) and free(*m.span()):
            yield Found("name", plain(inner), "", *m.span())
    for m in _CAPITALS.finditer(text):
        start, end = m.span()
        words = m[0].split()
        skipped = next((i for i, w in enumerate(words) if w.lower() not in _FUNCTION_WORDS), len(words))
        start, words = start + sum(len(w) + 1 for w in words[:skipped]), words[skipped:]
        first = _BEGIN.search(text[max(0, m.start() - 8) : m.start()]) and start == m.start()
        if not words or start >= end or (len(words) == 1 and first and not re.search(r"[A-Z].*[A-Z]", words[0])):
            continue
        if len(words) == 1 and words[0].lower() in (*MONTH_OF, *WEEKDAYS, "i"):
            continue
        if free(start, end):
            yield Found("name", plain(fold(text[start:end])), "", start, end)
    yield from (one for one in _tagged(text) if free(one.start, one.end))


def _tagged(text: str) -> Iterator[Found]:
    """What jieba's dictionary and its model call names; parts with a dot between them are one (卡万·肖特)."""
    at, begin, joins, kind = 0, -1, False, ""
    before = ""
    for word, tag in (*rjieba.tag(text), ("", "")):
        name = tag.startswith(_TAGS) and is_han(word)
        dot = word in _DOTS and bool(before) and is_han(before)
        if dot and begin < 0:
            begin = at - len(before)
        kind = "person" if dot else kind
        goes_on = dot or (joins and is_han(word)) or (name and tag.startswith("ns"))
        if begin >= 0 and not goes_on:
            end = at - len(before) if joins else at
            if end - begin > 1:
                yield Found("name", plain(text[begin:end]), kind, begin, end)
            begin = -1
        if name and begin < 0:
            begin, kind = at, "place" if tag.startswith("ns") else "person" if tag.startswith("nr") else ""
        at, before, joins = at + len(word), word, dot
