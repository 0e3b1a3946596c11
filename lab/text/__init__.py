"""Text: its folded form, its tokens, its language.

`folding`: characters that are compared as equal; `analyzer`: from text to tokens; `borders`: sentences and pieces;
`writing`: variants of writing; `quantities`: numbers, units, dates; `word_lists` and `asking`: words that several know.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import accumulate

from lab.patterns import lazy_pattern
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
    jieba_dictionary,
    joined,
    known_word,
    matches,
    surface,
    whole_words,
)
from lab.text.asking import HAN_QUESTION, QUESTIONS
from lab.text.folding import UNSEEN, Folded, fold, folded, half_width, is_han, one_spelling, unified
from lab.text.writing import HAN

__all__ = [
    "ANALYZER",
    "BLANK_TERM",
    "HAN",
    "HAN_QUESTION",
    "JIEBA",
    "MODES",
    "PAIRS",
    "QUESTIONS",
    "STEMS",
    "WHOLE_WORDS",
    "Analyzer",
    "Folded",
    "Pairs",
    "Token",
    "count_tokens",
    "cut",
    "cutting",
    "jieba_dictionary",
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
    "one_spelling",
    "plain",
    "rearm",
    "script",
    "surface",
    "unified",
    "well_formed",
    "width",
    "whole_words",
]

_HAN_RUN = lazy_pattern(f"[{HAN}]+")
_LETTERS = lazy_pattern(rf"(?P<han>[{HAN}]+)|[^\W\d_{HAN}]+")
_NO_WORDS = lazy_pattern(
    r"""^[ ]{0,3}(```+|~~~+).*?(?:^[ ]{0,3}\1[`~]*[ \t]*$|\Z)      # a block of code
    | ^[^\n]*(?:[{}]|=>|->)[ \t]*$                               # a line of code
    | ^(?![^\n]*\b[a-z]+[ ][a-z]+[ ][a-z]+[ ][a-z]+\b)[^\n]*(?:=|\w[(\[])[^\n]*;[ \t]*$
    | `[^`\n]+` | <!--.*?--> | </?[a-zA-Z][^<>]*>                # code inside a line, comments, tags
    | \b[a-zA-Z][a-zA-Z+.-]{1,15}://\S+ | \bwww\.\S+ | \S+@\S+\.\w+  # addresses""",
    re.DOTALL | re.MULTILINE | re.VERBOSE | re.ASCII,
)
_IDENTIFIERS = lazy_pattern(
    r"(?<![\w./\\-])(?=[A-Za-z0-9.-]*[\\/_][./\\-]*\w)[\w./\\-]*\w"
    r"|\b[a-z]+(?:[A-Z][a-z]*)+\b|\b\w+(?:\.\w+)+|\b[a-zA-Z_]+\d\w*\b",
    re.ASCII,
)
"""Paths, names_like_this, namesLikeThis, names.like.this, v2."""
_CODE_SIGNS = lazy_pattern(r"[`<{};\\/_@]|->|\w\.\w|[a-z][A-Z]|[a-zA-Z]\d", re.ASCII)
"""A text without any of these has no links, code or identifiers."""
_TOKEN = lazy_pattern(rf"[{HAN}]|[^\W{HAN}]{{1,6}}|[^\w\s]")

_BREAKS = r"\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029"
_BLANKS = rf"[\s\x00-\x1f\x7f-\x9f{''.join(map(chr, UNSEEN))}]"
_FORMULA = lazy_pattern(rf"'*(?:[{_BREAKS}]|{_BLANKS}*[=+\-@＝＋－＠﹦﹢﹣﹫−])")
"""The start of a cell that a spreadsheet may compute: a sign of a formula (also full width) after whitespace, or a tab
or line break.  Preceding apostrophes belong to it: otherwise reading would remove an author's own."""
_QUOTED = lazy_pattern(r"[\"“「《][^\"“”「」《》\n]*[\"”」》]")


def disarm(value: object) -> object:
    """Returns a cell, with an apostrophe before it if it is a text that a spreadsheet may take for a formula."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def rearm(field: str) -> str:
    """Returns a field without the apostrophe that `disarm` added."""
    return field[1:] if field.startswith("'") and _FORMULA.match(field, 1) else field


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


def short(text: str, length: int) -> str:
    """Returns a text as it is, truncated to this number of characters."""
    return text if len(text) <= length else text[: length - 1] + "…"


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
