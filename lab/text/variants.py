"""Chinese as Taiwan, Hong Kong and the mainland write it: one spelling stands for each class of variants.

Most traditional characters have one simplified form (`lab.text.folding`).  The others depend on the word: 瞭解 is
了解, 瞭望 stays; 著 is 着 in 看著 and stays in 著名.  ``variants.tsv`` has them, ``regional.tsv`` the words that
regions do not share (滑鼠, 鼠标); `maintenance.variants` makes both from OpenCC's tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import resources
from itertools import chain

LONGEST = 4
"""Characters of a word in ``variants.tsv``."""


@lru_cache(maxsize=2)
def lines(name: str) -> Mapping[str, str]:
    """Returns the entries of a table beside this module: a spelling, and the one that stands for its class."""
    text = resources.files("lab.text").joinpath(f"{name}.tsv").read_text("utf-8")
    return dict(line.split("\t") for line in text.splitlines())


class Variants:
    """Replaces characters by their variants, each by the longest word that contains it, or else by itself."""

    def __init__(self, table: Mapping[str, str], unsure: Iterable[str] = ()) -> None:
        words = {word: new for word, new in table.items() if len(word) > 1}
        self._sizes = {c: sorted({len(w) for w in words if c in w}, reverse=True) for c in table if len(c) == 1}
        changing = {*unsure, *chain.from_iterable(words)}
        self.characters = {c: new for c, new in table.items() if len(c) == 1 and c in changing}
        """The characters that depend on the word, and what each is by itself."""
        self.single = {c: new for c, new in table.items() if len(c) == 1 and c not in changing}
        self._words = words
        self._pattern = re.compile(f"[{''.join(self.characters)}]") if self.characters else None

    def put(self, text: str) -> str:
        """Returns the text in the spelling that stands for each class; no position changes."""
        if self._pattern is None:
            return text
        segments, at = list[str](), 0
        for m in self._pattern.finditer(text):
            if m.start() < at:
                continue
            start, end, new = self._longest(text, m.start(), at)
            segments += [text[at:start], new]
            at = end
        return "".join([*segments, text[at:]]) if segments else text

    def _longest(self, text: str, i: int, at: int) -> tuple[int, int, str]:
        """Returns the longest word around a character, not before ``at``, and its new spelling."""
        for size in self._sizes[text[i]]:
            for start in range(max(at, i - size + 1), i + 1):
                word = text[start : start + size]
                if word in self._words:
                    return start, start + size, self._words[word]
        return i, i + 1, self.characters[text[i]]


@lru_cache(maxsize=1)
def variants() -> Variants:
    return Variants(lines("variants"))


@lru_cache(maxsize=1)
def _regional() -> re.Pattern[str]:
    return re.compile("|".join(sorted(lines("regional"), key=len, reverse=True)))


def regional_words(text: str) -> list[tuple[int, int, str]]:
    """Returns the words of Taiwan and Hong Kong in a simplified text, and the mainland's: (start, end, the new one)."""
    return [(*m.span(), lines("regional")[m[0]]) for m in _regional().finditer(text)]
