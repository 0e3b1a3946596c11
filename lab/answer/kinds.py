"""The numbers, dates and names of a text, with their places; and whether one could answer a question.

All by rules, in Chinese and English.  Equal things have equal values however they are written: 14, fourteen and 十四;
1,200 and 1200; 2019年3月 and March 2019.  Chinese names are those that jieba's tags call names of persons, places and
organisations, names with a dot between their parts, and text in 《》 or quotation marks.  Other Chinese names, which
neither the dictionary nor a mark shows, are not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.answer.asking import ASKED, asked, every
from lab.answer.base import Found
from lab.text import fold, is_han, jieba_dictionary, plain, well_formed
from lab.text.quantities.claimed_days import dates
from lab.text.quantities.claimed_numbers import numbers
from lab.text.quantities.dates import MONTHS, WEEKDAY_NUMBERS
from lab.text.quantities.units import CURRENCY, DURATIONS, SIZES
from lab.text.writing import QUOTES
from lab.words import Said

__all__ = ["ASKED", "KINDS", "Found", "asked", "every", "fits", "found"]

KINDS = {"number": Said("number"), "date": Said("date or time"), "name": Said("name")}
"""The kinds of facts that are read, and their names."""
_FITS = {"number": "number", "date": "date", "person": "name", "place": "name", "name": "name"}
_OTHERS = {"person": ("place", "version", "code"), "place": ("person", "version", "code")}
_UNITS = {
    "age": frozenset(["age", "year", "month", "decade", "century"]),
    "money": frozenset([*CURRENCY.values(), "cent", "p", "percent", ""]),
    "length": frozenset([*SIZES["length"], *SIZES["length in feet"]]),
    "weight": frozenset([*SIZES["weight"], *SIZES["pounds"]]),
    "duration": DURATIONS,
}
"""The units of the kinds that are told by them."""
_CODE = re.compile(
    r"(?<![A-Za-z0-9_.-])(?:(?=[A-Za-z0-9-]*\d)(?=[A-Za-z0-9-]*[A-Z])[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*|[a-z]+\d+[a-z0-9]*)(?:\.\d+)*(?![A-Za-z0-9_-])"
)
_NUMBER_AND_UNIT = re.compile(r"\d+(?:[A-Za-z]{1,4}|[eE]\d{1,3}|x\d+[a-z]{0,2}|[dhms]\d+[ms]?(?:in)?(?:\d+s)?)")
_VERSION = re.compile(
    r"(?<![A-Za-z0-9_.])(?:(?i:(?:(?:firmware|software|app|driver)\s)?(?:versions?|ver\.?|rev\.?|revision)\s?|v\.?\s?)(?=\d)"
    r"|版本(?:[号是为：:]|\s){0,4}[vV]?(?=\d)|(?i:(?:firmware|release|build)\s|固件[是为：:]?\s?|v)(?=\d+\.\d))?"
    r"(?P<digits>\d{1,5}(?:\.\d{1,5})*(?:-?(?:alpha|beta|rc|a|b)\d{0,2}(?![A-Za-z0-9]))?)(?![A-Za-z0-9_]|\.\d|,\d{3})(?P<after>\s?版)?"
)
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:\.\d{3}){2,}")
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
NAME_VERB = re.compile(
    r"\s(?P<verb>is|was|has|had|will|would|can|could|may|might|must|should|does|did|lies|lives|works|worked|makes|made|won|wins"
    r"|wrote|writes|founded|built|builds|became|becomes|began|begins|remains|stands|sells|sold|produces|offers|supports"
    r"|costs|plays|runs|says|said|takes|took|gives|gave|comes|came|goes|went|grew|left|led|leads|lost|met|paid|pays|got"
    r"|gets|needs|wants|contains|provides|bought|buys|spoke|speaks|held|holds|keeps|kept|belongs|owns|signs|signed|joined"
    r"|[a-z]{3,}ed|[a-z]{3,}s(?=\s(?:the|an?|its|his|her|their|many|most|more|some|all|every|over|about|\d)))\b"
    r"|,\s(?P<clause>who|which|where|whose|born|founded|located)\b"
)
"""The verbs before which a word at the beginning of a sentence may be a name."""
_COMMON = """absence access adherence admission advice air alcohol anyone assistance attendance balance battery bread
breakfast brightness business cash charge clearance clothing coffee compliance condensation content
cooperation correspondence cost data delivery dinner distance dust electricity electronics energy entry
everyone evidence experience exposure fire food fuel glass gold guidance half hardware health heat help
homework insurance interference internet knowledge lack laundry leave let light luggage lunch mail
maintenance milk moisture money mould music neither news nobody noise none nothing oil other overtime
paper pay performance permission plastic please power price progress rain rent repair research residence
room rubbish rust safety salt sand security service silence smoke snow someone space speed staff steam
storage success sugar support surface tax tea time today tomorrow tonight traffic transport travel
tuition usage use vacation ventilation voltage volume wage warranty waste water weather whatever whoever
wine wood yesterday"""
_COMMON_WORDS = frozenset(_COMMON.split())
"""Words that begin sentences without an article, but are not names."""
_COMMON_END = ("ing", "tion", "sion", "ment", "ness", "ity", "ship", "ism", "ware", "body", "thing", "work", "ly")
_DOTS = frozenset("·•・‧")
_TAGS = ("nr", "ns", "nt", "nz")


def found(text: str, *, unsure: bool = False) -> tuple[Found, ...]:
    """Returns the numbers, dates and names of a text by position; dates and numbers do not overlap.

    With ``unsure``, also doubtful ones (`Found.sure`).
    """
    cased = _cased(well_formed(text))
    occupied, sure = bytearray(len(text)), bytearray(len(text))
    facts = list[Found]()
    for reader in (dates, _versions, _codes, numbers):
        left = (
            "".join("\ufffc" if used else c for c, used in zip(cased, occupied, strict=True))
            if any(occupied)
            else cased
        )
        for fact in reader(left):
            if not any(occupied[fact.start : fact.end]):
                for marks in (occupied, sure) if fact.sure else (occupied,):
                    marks[fact.start : fact.end] = b"\1" * (fact.end - fact.start)
                facts.append(fact)
    facts += (
        fact for fact in _names(cased) if not any(sure[fact.start : fact.end]) or "《" in text[fact.start : fact.end]
    )
    return tuple(sorted((fact for fact in facts if fact.sure or unsure), key=lambda fact: (fact.start, -fact.end)))


def fits(fact: Found, kind: str) -> bool:
    """Whether a fact could answer a question for this kind (of `ASKED`)."""
    if kind in _UNITS:
        dated = fact.kind == "date" if kind == "age" else kind == "duration" and str(fact.value).endswith(" ago")
        return fact.unit in _UNITS[kind] or dated
    return fact.kind == _FITS[kind] and fact.unit not in _OTHERS.get(kind, ())


def _cased(text: str) -> str:
    """Converts letters and digits to half width and keeps their case, unlike `half_width`."""
    return "".join(chr(ord(c) - 0xFEE0) if "\uff10" <= c <= "\uff5a" and c.isalnum() else c for c in text)


# -------------------------------------------------------------------------------------------------- names


def _versions(text: str) -> Iterator[Found]:
    """Versions: v2.2, version 2, 2.2.1; their value has no zeros at the end (2.0 is 2)."""
    for m in _VERSION.finditer(text):
        marked = m.start() < m.start("digits")
        dots = m["digits"].count(".")
        if not marked and dots > 1 and _GROUPED.fullmatch(m["digits"]):
            continue  # 1.234.567
        if marked or dots > 1 or (dots and m["after"]):
            start = m.start("digits") - (text[m.start("digits") - 1] in "vV" and marked)
            value = re.sub(r"(?:\.0+)+(?![.\d])", "", fold(m["digits"]))
            yield Found("name", value, "version", start, m.end("digits"))


def _codes(text: str) -> Iterator[Found]:
    """Product codes: letters and digits in one word, a capital among the letters or letters before the digits."""
    for m in _CODE.finditer(text):
        if not _NUMBER_AND_UNIT.fullmatch(m[0]):
            yield Found("name", fold(m[0]), "code", *m.span())


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
        plain_words = [re.sub(r"['’]s$", "", w.lower()) for w in words]
        skipped = next((i for i, w in enumerate(plain_words) if w not in _FUNCTION_WORDS), len(words))
        start, words = start + sum(len(w) + 1 for w in words[:skipped]), words[skipped:]
        first = _BEGIN.search(text[max(0, m.start() - 8) : m.start()]) and start == m.start()
        if not words or start >= end or (len(words) == 1 and words[0].lower() in (*MONTHS, *WEEKDAY_NUMBERS, "i")):
            continue
        sure = not first or len(words) > 1 or bool(re.search(r"[A-Z].*[A-Z]", words[0]))
        if (sure or _may_be_name(text, words[0], end)) and free(start, end):
            yield Found("name", plain(fold(text[start:end])), "", start, end, sure)
    yield from (name for name in _tagged(text) if free(name.start, name.end))


def _may_be_name(text: str, word: str, end: int) -> bool:
    """Whether the word that begins a sentence may be a name: one that does something, and is not often used so."""
    possessive = word.endswith(("'s", "’s"))
    word = word.lower().removesuffix("'s").removesuffix("’s")
    if word in _FUNCTION_WORDS or word in _COMMON_WORDS or word.endswith(_COMMON_END):
        return False
    return possessive or bool(NAME_VERB.match(text, end))


def _tagged(text: str) -> Iterator[Found]:
    """Yields the names by jieba's dictionary and model; parts with a dot between them are one name (卡万·肖特)."""
    at, begin, joins, kind = 0, -1, False, ""
    before = ""
    for word, tag in (*jieba_dictionary().tag(text), ("", "")):
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
