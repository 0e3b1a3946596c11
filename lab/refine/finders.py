"""Finds a word or phrase in a text: as it is written, in its variants of spelling, in its other forms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from lab.patterns import lazy_pattern
from lab.text import Analyzer, Folded, is_han, one_spelling
from lab.text.writing import HAN

_STEMS = Analyzer(bigrams=False, characters=False, numbers=False)
_LETTER = lazy_pattern(rf"[^\W_{HAN}]")
_RUN = lazy_pattern(rf"[{HAN}]+|[^\s{HAN}]+")


@dataclass(frozen=True, slots=True)
class _Pattern:
    """Matches a word or phrase in folded text that has ``needle``; with a ``stem``, every word that has it."""

    pattern: re.Pattern[str]
    needle: str
    stem: str = ""

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        for found in self.pattern.finditer(text) if self.needle in text else ():
            if not self.stem or stem_of(found[0]) == self.stem:
                yield found.span()


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds one word or phrase as it is written, or as a variant of it in a text of one spelling.

    ``text`` is the word or phrase in folded form, ``spelled`` the same in one spelling.  A Latin letter or digit at its
    edge must not continue outside.
    """

    text: str
    spelled: str
    written: _Pattern
    variant: _Pattern

    @staticmethod
    def of(text: str, stems: bool = False, *, as_written: bool = False) -> Finder:
        """Returns the finder of a folded text; ``as_written``: with its own whitespace."""
        spelled = one_spelling(text).text
        return Finder(text, spelled, *(_pattern(word, stems, as_written) for word in (text, spelled)))

    def places(self, text: str, spelled: Folded | None) -> Iterator[tuple[int, int]]:
        """Yields the matches in a folded text as they are written, then those of ``spelled``: it in one spelling."""
        yield from self.written.places(text)
        if spelled and (self.spelled != self.text or spelled.text != text):
            variants = (spelled.place(*found) for found in self.variant.places(spelled.text))
            yield from (found for found in variants if not _touched(text, *found))


def _touched(text: str, start: int, end: int) -> bool:
    """Returns whether a Latin letter or digit at an edge of ``text[start:end]`` continues outside: 5 in 5l."""
    left = start and _LETTER.match(text, start) and _LETTER.match(text, start - 1)
    return bool(left or (_LETTER.match(text, end - 1) and _LETTER.match(text, end)))


def _pattern(text: str, stems: bool, as_written: bool) -> _Pattern:
    letter = rf"[^\W_{HAN}]"
    if stems and text.isascii() and text.isalpha():
        return _Pattern(re.compile(rf"(?<!{letter}){text[0]}[a-z]*(?!{letter})"), text[0], stem_of(text))
    runs = [text] if as_written else _RUN.findall(text)
    pattern = re.escape(runs[0]) if runs else ""
    for before, run in pairwise(runs):
        pattern += (r"\s*" if is_han(before[-1]) or is_han(run[0]) else r"\s+") + re.escape(run)
    left = rf"(?<!{letter})" if _LETTER.match(text[:1]) else ""
    right = rf"(?!{letter})" if _LETTER.match(text[-1:]) else ""
    return _Pattern(re.compile(left + pattern + right), runs[0] if runs else "")


@lru_cache(maxsize=1 << 14)
def stem_of(word: str) -> str:
    """Returns the stem of a word that stands alone; a question word stays as it is."""
    found = _STEMS.tokens(word)
    return found[0] if found else word
