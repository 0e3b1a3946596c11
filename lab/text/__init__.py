"""Text: its folded form, its tokens, its sentences and pieces, its language.

`folding`: characters that are compared as equal; `analyzer`: from text to tokens; `writing`: variants of writing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import accumulate

from lab.text.analyzer import (
    ANALYZER,
    BLANK_TERM,
    JIEBA,
    MODES,
    PAIRS,
    STEMS,
    WHOLE_WORDS,
    Analyzer,
    Pairs,
    Token,
    cutting,
    joined,
    known_word,
    matches,
    surface,
)
from lab.text.asking import QUESTIONS
from lab.text.folding import UNSEEN, Folded, fold, folded, half_width, is_han, one_spelling, unified
from lab.text.writing import HAN, WORD

__all__ = [
    "ANALYZER",
    "BLANK_TERM",
    "BORDERS",
    "CLAUSE_END",
    "CLOSING",
    "HAN",
    "JIEBA",
    "MODES",
    "PAIRS",
    "QUESTIONS",
    "QUESTION_MARKS",
    "SENTENCE_END",
    "SLICE",
    "STEMS",
    "STOPS",
    "WHOLE_WORDS",
    "Analyzer",
    "Folded",
    "Pairs",
    "Token",
    "border_ends",
    "count_tokens",
    "cut",
    "cutting",
    "disarm",
    "fold",
    "folded",
    "half_width",
    "is_han",
    "joined",
    "known_word",
    "language_of",
    "matches",
    "mostly_han",
    "next_word_border",
    "one_spelling",
    "pieces",
    "plain",
    "rearm",
    "script",
    "sentences",
    "surface",
    "unified",
    "well_formed",
    "whole_signs",
    "width",
]

_HAN_RUN = re.compile(f"[{HAN}]+")
_LETTERS = re.compile(rf"(?P<han>[{HAN}]+)|[^\W\d_{HAN}]+")
_NO_WORDS = re.compile(
    r"""^[ ]{0,3}(```+|~~~+).*?(?:^[ ]{0,3}\1[`~]*[ \t]*$|\Z)      # a block of code
    | ^[^\n]*(?:[{}]|=>|->)[ \t]*$                               # a line of code
    | ^(?![^\n]*\b[a-z]+[ ][a-z]+[ ][a-z]+[ ][a-z]+\b)[^\n]*(?:=|\w[(\[])[^\n]*;[ \t]*$
    | `[^`\n]+` | <!--.*?--> | </?[a-zA-Z][^<>]*>                # code inside a line, comments, tags
    | \b[a-zA-Z][a-zA-Z+.-]{1,15}://\S+ | \bwww\.\S+ | \S+@\S+\.\w+  # addresses""",
    re.DOTALL | re.MULTILINE | re.VERBOSE | re.ASCII,
)
_IDENTIFIERS = re.compile(
    r"[\w./\\-]*[\\/_][\w./\\-]*\w|\b[a-z]+(?:[A-Z][a-z]*)+\b|\b\w+(?:\.\w+)+|\b[a-zA-Z_]+\d\w*\b", re.ASCII
)
"""Paths, names_like_this, namesLikeThis, names.like.this, v2."""
_CODE_SIGNS = re.compile(r"[`<{};\\/_@]|->|\w\.\w|[a-z][A-Z]|[a-zA-Z]\d", re.ASCII)
"""A text without any of these has no links, code or identifiers."""
_TOKEN = re.compile(rf"[{HAN}]|[^\W{HAN}]{{1,6}}|[^\w\s]")

_BREAKS = r"\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029"
_BLANKS = rf"[\s\x00-\x1f\x7f-\x9f{''.join(map(chr, UNSEEN))}]"
_FORMULA = re.compile(rf"'*(?:[{_BREAKS}]|{_BLANKS}*[=+\-@＝＋－＠﹦﹢﹣﹫−])")
"""The start of a cell that a spreadsheet may compute: a sign of a formula (also full width) after whitespace, or a tab
or line break.  Preceding apostrophes belong to it: otherwise reading would remove an author's own."""
QUESTION_MARKS = "?？"
STOPS = QUESTION_MARKS + "。！!；;"
"""Characters that always end a sentence; a full stop ends one only before whitespace (v2.1, 3.5 mm), and neither after
a title (Mr. Smith) nor after the number of an item that begins a line."""
CLOSING = "”’」』）)】》\"'"
"""Quotation marks and brackets that belong to the sentence before them."""
_ABBREVIATED = r"(?<!\b[DMS]r\.)(?<!\bM[sx]\.)(?<!\bSt\.)(?<!\bMrs\.)(?<!\bProf\.)(?<!\bvs\.)(?<!\be\.g\.)(?<!\bi\.e\.)"
_NUMBERED = r"(?m:(?<!^\d\.)(?<!^\d\d\.))"
# each alternative begins with a required sign, so the search skips other characters quickly
SENTENCE_END = rf"(?:[{STOPS}][{STOPS}]*[{CLOSING}]*|\.{_ABBREVIATED}{_NUMBERED}[{CLOSING}]*(?=\s|$))"
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
_SENTENCE = re.compile(rf"{SENTENCE_END}|\n+")
_SOLID = re.compile(r"\S")
_WHOLE_WORD = re.compile(_JOINED)
_LONGEST_WORD = 100
SLICE = 1 << 19
"""Number of characters searched at once."""
_QUOTED = re.compile(r"[\"“「《][^\"“”「」《》\n]*[\"”」》]")


def disarm(value: object) -> object:
    """Returns a cell, with an apostrophe before it if it is a text that a spreadsheet may take for a formula."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def rearm(field: str) -> str:
    """Returns a field without the apostrophe that `disarm` added."""
    return field[1:] if field.startswith("'") and _FORMULA.match(field, 1) else field


def sentences(text: str) -> list[tuple[int, int]]:
    """Returns (start, end) of every sentence, in Chinese or English, without whitespace around; see `SENTENCE_END`.

    A straight quotation mark closes the sentence before it, unless it opens the next: no other is open on its line, and
    a character follows directly.
    """
    ends, at, quotes = list[int](), 0, 0
    for m in _SENTENCE.finditer(text):
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
    while begin > max(0, at - _LONGEST_WORD) and not (text[begin - 1].isspace() or is_han(text[begin - 1])):
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


def count_tokens(text: str) -> int:
    """Returns about how many tokens a language model makes of a text; real tokenizers differ by a quarter either way.

    One per Han character, one per punctuation mark, and one per six letters begun of every other word.
    """
    return sum(1 for _ in _TOKEN.finditer(text))


def well_formed(text: str) -> str:
    """Returns the text without lone surrogates (half characters of broken files), which no tokenizer accepts."""
    return text.encode("utf-8", "replace").decode("utf-8")


def plain(text: str) -> str:
    """Returns a text in lower case without whitespace and punctuation, for comparisons."""
    return "".join(c for c in text.casefold() if c.isalnum())


def language_of(text: str) -> str:
    """Returns the language of a question's answer: ``zh`` if it has a Han character outside quotes, else ``en``.

    Questions in Chinese are full of other words (docker compose 部署), so `script`, which counts words, is for longer
    texts.
    """
    outside = _QUOTED.sub("", text)
    return "zh" if _HAN_RUN.search(outside if plain(outside) else text) else "en"


def script(text: str) -> str:
    """Returns the script of most of a text's words: ``zh`` (Han), ``en`` (Latin letters), ``other``; ``""``: no words.

    Links, code, tags and identifiers are not words, and neither are names in capitals in Chinese text.  A Han character
    counts half as much as a word of other letters: Chinese words have about two.
    """
    if _CODE_SIGNS.search(text):
        text = _NO_WORDS.sub(" ", text)
        without_names = _IDENTIFIERS.sub(" ", text)
        text = without_names if _LETTERS.search(without_names) else text  # a name alone is a word
    mixed = _HAN_RUN.search(text) is not None
    han = latin = other = 0
    for m in _LETTERS.finditer(text):
        if m.lastgroup == "han":
            han += len(m[0])
        elif "LATIN" in unicodedata.name(m[0][0], ""):
            latin += 2 if not mixed or m[0].islower() else 0
        else:
            other += 2
    most = max(han, latin, other)
    return "" if not most else "zh" if han == most else "en" if latin == most else "other"


def mostly_han(text: str) -> bool | None:
    """Returns whether a sentence has more Han characters than other words; None if it has neither.

    Every word counts here, names and code included, because two sentences are compared word by word.
    """
    han = other_words = 0
    for m in _LETTERS.finditer(text):
        if m.lastgroup == "han":
            han += len(m[0])
        else:
            other_words += 1
    return han > other_words if han or other_words else None


def width(text: str) -> int:
    """Returns the columns of a text in a fixed pitch: a wide character takes two, a combining one none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def cut(text: str, columns: int | None = None) -> str:
    """Returns a text on one line without control characters, truncated to this number of columns.

    A label (`lab.algebra.Label`) is truncated in the middle, before the part that tells it apart.
    """
    start: int = getattr(text, "start", 0)
    if start and columns is not None and width(text) > columns:
        tail = cut(text[start:], max(columns - 6, 1))
        return f"{cut(text[:start].rstrip() + '…' * columns, max(columns - width(tail), 1))}{tail}"
    if not text.isprintable():
        text = "".join(c for c in text if c.isspace() or unicodedata.category(c)[0] != "C")
    text = " ".join(text.split())
    if columns is None or width(text) <= columns:
        return text
    reached = accumulate(map(width, text))
    end = next(i for i, used in enumerate(reached) if used >= columns)  # the ellipsis takes a column as well
    return text[: max(end, 1)].rstrip() + "…"
