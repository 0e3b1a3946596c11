"""Where sentences end, and the other borders at which a text may be split.

A full stop ends a sentence unless `lab.text.abbreviations` says otherwise; every user of sentences decides by this
module: answers and citations, extracts, passages of single sentences, the borders of chunks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from lab.patterns import lazy_pattern
from lab.text.abbreviations import full_stop
from lab.text.writing import HAN, WORD

QUESTION_MARKS = "?？"
STOPS = QUESTION_MARKS + "。！!；;"
"""Characters that end a sentence; ASCII ones not inside an address (?id=3).  A full stop ends one only before
whitespace (v2.1, 3.5 mm), and not behind an abbreviation, an initial or the number of an item."""
CLOSING = "”’」』）)】》\"'"
"""Quotation marks and brackets that belong to the sentence before them."""
_SMALL = r"[^\S\n]+[a-z](?![A-Z])"
_ASKED = rf"[{HAN}]{{0,5}}?(?:问|说|道|喊|叫|答)(?:道|着|了|我|他|她)?[。，：,.]"
# each alternative begins with a required sign, so the search skips other characters quickly
_STOP = (
    rf"[{STOPS}]++(?!》)(?!(?<=[?!;])[a-z0-9_=&/#%+-])"
    rf"(?!(?<=[?!？！])[”’\"']+{_SMALL}|(?<=!){_SMALL})(?!(?<=[?!？！])[”’」』](?:{_ASKED}|[，,、]))[{CLOSING}]*+"
)
"""A run of stops; not inside the title of a book, nor before the words that name the speaker: “Why?” she asked."""
SENTENCE_END = rf"(?:{_STOP}|{full_stop(CLOSING)})"
CLAUSE_END = r"(?:[，、：]|…+|[,:](?=\s))"
_JOINED = (
    rf"{WORD}(?:[-_.,:'’]{WORD})*"  # a word or a number with the signs that join its parts: 3.14, 10:30, PX-3310DN
)
_LINE_END = rf"\n(?![ \t]*[a-z{HAN}])|(?<![{HAN}])\n(?![ \t]*[a-z])"
BORDERS = (r"\n\s*\n", _LINE_END, SENTENCE_END, r"\n", CLAUSE_END, r"\s", rf"(?s:{_JOINED}|.)", "")
"""Patterns of positions where a text may be split, best first: paragraph, line, sentence, the end of a line inside a
sentence (before a small letter, between Han characters), clause, whitespace, anywhere."""
_ANYWHERE = 6
"""From this pattern on, a position may be inside a character as people see it: see `whole_signs`."""
_SENTENCE = lazy_pattern(rf"{SENTENCE_END}|\n+")
_WITHOUT_CAPITALS = lazy_pattern(rf"{_STOP}|{full_stop(CLOSING, small_letters=False)}|\n+")
_HAN = lazy_pattern(f"[{HAN}]")
_SOLID = lazy_pattern(r"\S")
_WHOLE_WORD = lazy_pattern(_JOINED)
_LONGEST_WORD = 100
SLICE = 1 << 19
"""Number of characters searched at once."""


def sentences(text: str) -> list[tuple[int, int]]:
    """Returns (start, end) of every sentence, in Chinese or English, without whitespace around; see `SENTENCE_END`.

    A straight quotation mark closes the sentence before it, unless it opens the next: no other is open on its line, and
    a character follows directly.
    """
    ends, at, quotes = list[int](), 0, 0
    for m in (_WITHOUT_CAPITALS if text.islower() else _SENTENCE).finditer(text):
        end = m.end()
        quotes = 0 if m[0].startswith("\n") else quotes + text.count('"', at, end)
        at = end
        opens = m[0].endswith('"') and quotes % 2 == 1 and end < len(text) and not text[end].isspace()
        ends.append(end - opens)
    spans = []
    for a, b in zip([0, *ends], [*ends, len(text)], strict=True):
        piece = text[a:b]
        if piece.strip():
            spans.append((a + len(piece) - len(piece.lstrip()), a + len(piece.rstrip())))
    return spans


def pieces(text: str, size: int, *, length: Callable[[str], int] = len, borders: Sequence[str] = BORDERS) -> list[str]:
    """Returns the text in parts of at most ``size``, split at its best borders; joined, they are the text again.

    The method of LangChain's `RecursiveCharacterTextSplitter`: split at every border of the best kind that occurs,
    split the parts that are still too long at weaker borders, and join neighbours while they fit.
    """
    if length(text) <= size or not borders:
        return [text]
    best = next(i for i, border in enumerate(borders) if _occurs(border, text))
    ends = border_ends(text, borders[best], size if length is len else 1)
    parts: list[str] = []
    begin = at = filled = 0  # text[begin:at] waits for neighbours
    for end in (*ends, len(text)):
        part = text[at:end]
        room = max(1, length(part)) if part else 0  # whitespace has no tokens, but must not make a part endless
        if begin < at and (filled + room > size or room >= size):
            parts.append(text[begin:at])
            begin, filled = at, 0
        if room >= size:
            parts += pieces(part, size, length=length, borders=borders[best + 1 :])
            begin = end
        else:
            filled += room
        at = end
    return [*parts, text[begin:]] if begin < len(text) else parts


_CONTINUING = r"[\p{M}\p{GCB=EX}\p{GCB=ZWJ}\p{GCB=RI}\p{GCB=L}\p{GCB=V}\p{GCB=T}\p{GCB=PP}\p{EMod}]"
"""Characters that may be part of a sign, in the notation of `regex`."""


def whole_signs(text: str, places: list[int]) -> list[int]:
    """Returns the positions that are not inside a character as people see it: a letter with marks, a composed emoji.

    Source: Unicode Standard Annex 29, *Unicode Text Segmentation* (grapheme clusters), by `regex`.
    """
    if text.isascii():
        return places
    import regex

    if not regex.search(_CONTINUING, text):
        return places
    ends = {0, *(m.end() for m in regex.finditer(r"\X", text))}
    return [place for place in places if place in ends]


def border_ends(text: str, border: str, size: int) -> list[int]:
    """Returns the positions of borders of this kind; borders of the last kind are ``size`` apart, or everywhere."""
    if border:
        ends = [m.end() for m in re.finditer(border, text)]
        return whole_signs(text, ends) if border == BORDERS[_ANYWHERE] else ends
    even = list(range(0, len(text), size))
    return even if len(whole_signs(text, even)) == len(even) else whole_signs(text, list(range(len(text)))) or even


def next_word_border(text: str, at: int) -> int:
    """Returns the first position from ``at`` on outside words, numbers and signs (words end after 100 letters)."""
    begin = at
    while begin > max(0, at - _LONGEST_WORD) and not (text[begin - 1].isspace() or _HAN.match(text[begin - 1])):
        begin -= 1
    for m in _WHOLE_WORD.finditer(text, begin, at + _LONGEST_WORD):
        if m.end() > at:
            at = m.end() if m.start() < at and m.end() - m.start() <= _LONGEST_WORD else at
            break
    near = range(at - begin, min(len(text), at + _LONGEST_WORD) - begin + 1)
    return begin + next(iter(whole_signs(text[begin : at + _LONGEST_WORD], list(near))), at - begin)


def _occurs(border: str, text: str) -> bool:
    """Returns whether a border occurs in a text.  It searches slices, since a search of megabytes blocks other threads.

    A slice ends before a character that is not whitespace, so that no border of whitespace is split between two; a
    match that exists only because the slice ends, although the text continues, does not count.
    """
    pattern, at = re.compile(border), 0
    while at < len(text):
        solid = _SOLID.search(text, at + SLICE)
        end = solid.start() if solid else len(text)
        match = pattern.search(text, at, end)
        if match and (match.end() < end or pattern.match(text, match.start())):
            return True
        at = end
    return not text and bool(pattern.search(text))


_NO_BLANK = re.compile(rf"(?<=[\u3000-\u303f\uff00-\uffef])\0|(?<=\W)\0(?=[{HAN}])")


def run_on(texts: Iterable[str]) -> str:
    """Returns sentences as one text, without a blank beside the full-width sign that ends a sentence."""
    return _NO_BLANK.sub("", "\0".join(texts)).replace("\0", " ")
