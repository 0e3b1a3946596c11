"""Words that a printer cut at the end of a line: whole again, while a hyphen that belongs to the word stays.

Which of the two it is, the text itself knows best, then a list of common words: the vocabulary of the built-in model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container
from functools import cache
from importlib.resources import files

_CUT = re.compile(r"(?P<head>(?:[^\W_]+[-‐])*)(?P<begin>[^\W_]+)(?P<hyphen>[-‐\u00ad])$")
_REST = re.compile(r"(?P<end>[^\W_]+)(?P<more>(?:[-‐][^\W_]+)*)")
_HYPHENS = ("-", "‐", "\u00ad")
_LONGEST = 100
"""Characters at the end of a line that are looked at."""
_RAREST = -12.0
"""Logarithm of the share of a word in the model's list; below it are pieces of words."""
_JOINERS = frozenset(["and", "or", "to", "und", "oder", "bis", "et", "ou", "y", "o", "e"])
"""Words behind a hyphen that stands for a part left out: “pre- and post-processing”."""


def rejoined(line: str, following: str, words: Container[str]) -> str | None:
    """Returns two lines in one if the first ends with a hyphen inside a word, else None.

    ``words`` has the words of the whole text in lower case, hyphenated ones included.
    """
    line = line.rstrip()
    if not line.endswith(_HYPHENS):
        return None
    cut, rest = _CUT.search(line[-_LONGEST:]), _REST.match(following)
    if cut is None or rest is None:
        return None
    begin, end = cut["begin"], rest["end"]
    before = line[:-1]
    if cut["hyphen"] == "\u00ad":
        return before + following
    if end in _JOINERS:
        return f"{before}{cut['hyphen']} {following}"
    whole = begin + end
    keeps = not begin.isalpha() or not end.isalpha() or (end[0].isupper() and not begin.isupper())
    keeps |= bool(cut["head"] or rest["more"]) or max(whole) > "\u2e7f"  # state-of-the-art, A-线
    keeps |= f"{begin}-{end}".lower() in words
    if not keeps and whole.lower() not in words:
        common = _common_words()
        parts = begin.lower() in common and end.lower() in common and min(len(begin), len(end)) > 1
        keeps = parts and whole.lower() not in common
    return before + (cut["hyphen"] if keeps else "") + following


@cache
def _common_words() -> frozenset[str]:
    tokenizer = json.loads(files("lab").joinpath("models/built_in/tokenizer.json").read_text("utf-8"))
    return frozenset(piece for piece, score in tokenizer["model"]["vocab"] if score > _RAREST)
