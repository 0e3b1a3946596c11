"""Editions of one text: its title without year and version, and the names that make two similar texts different."""

from __future__ import annotations

import re
from collections import Counter

from lab.corpus.statistics import EMPTY
from lab.text import Analyzer, fold

YEARS_APART = 1
"""A year in a title names the edition if it is at most this far from the passage's own date: not so in Office 2016."""
_NUMBERED = re.compile(
    r"\b(?:version|ver\.?|v|edition|rev(?:ision)?\.?|issue)\s*\d+(?:\.\d+)*\b|\b\d+(?:st|nd|rd|th)\s+(?:edition|version)\b"
    r"|第\s*[\d一二三四五六七八九十]+\s*[版次]|\b(?:revised|updated|amended)\b|修订[版稿]?|修正[版案]?"
)
_YEAR = re.compile(
    r"(?:(?:since|from|of|valid)\s*+)?(?<!\d)((?:19|20)\d\d)(?!\d)"
    r"(?:\s*+年度?)?(?:\s*+(?:起|版|修订))?(?:\s*+(?:edition|version))?"
)
_CODE = re.compile(r"(?<![a-z])[a-z]++-?\d[a-z\d]*+(?>(?:-[a-z\d]++)*)")
_CAPITALISED = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}")
_NUMBER = re.compile(r"\d|^[一二三四五六七八九十百千两]")
_WORDS = Analyzer("precise", stem="none", bigrams=False, characters=False, pairs=False)


def title_without_edition(title: str, year: int) -> str:
    """Returns a title without its edition: a version, and a year near the one given; brackets and spaces are folded."""

    def without_year(match: re.Match[str]) -> str:
        return " " if abs(int(match.group(1)) - year) <= YEARS_APART else match.group()

    text = _YEAR.sub(without_year, _NUMBERED.sub(" ", fold(title)))
    return " ".join(re.sub(r"[^\w.+#/-]+", " ", text).split())


def names_differ(first: str, second: str) -> bool:
    """Returns whether each text has a name that the other lacks: a model number, a capitalised or a repeated word."""
    ours, theirs = _names(first), _names(second)
    return bool(ours - _words(second)) and bool(theirs - _words(first))


def _words(text: str) -> set[str]:
    text = fold(text)
    return {*_WORDS.tokens(text), *_CODE.findall(text)}


def _names(text: str) -> set[str]:
    """Returns the model numbers of a text, its words that are capitalised within a sentence, and those it repeats."""
    plain = fold(text)
    codes = {code for code in _CODE.findall(plain) if len(code) > 2}
    capitalised = {fold(word) for word in _CAPITALISED.findall(text)}
    counts = Counter(_WORDS.tokens(plain))
    repeated = {word for word, n in counts.items() if n > 1 and len(word) > 1 and not _NUMBER.search(word)}
    return codes | capitalised | repeated - EMPTY
