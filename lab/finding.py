"""Finds techniques, parameters and whatever else has names, by any name that others give them.

The names are those of `lab.catalog.other_names` and `absent_names`.  Misspelt ones are found by edit distance, and
else by shared n-grams (`CharNgram`), over names that are split at their capitals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from lab import catalog
from lab.algebra import Corpus, Derivation, Document, Fusion, Operator, Retriever, Rewriter
from lab.models.embedders import Embedder
from lab.retrieve.ngrams import CharNgram
from lab.rewrite.nearest import edit_distances, syllable_of
from lab.text import folded
from lab.text.writing import HAN
from lab.words import LANGUAGES

KINDS = ("page", "technique", "parameter", "lesson", "guide")
"""What has names, in the order of results that match equally well."""
ROLES = {
    "filter": "filter", "access": "filter", "rerank": "rerank", "compress": "compress", "dialogue": "dialogue",
    "store": "vector_store", "context": "answer",
}  # fmt: skip
"""The page of each role."""
BASES: Mapping[type, str] = {
    Fusion: "fusion", Rewriter: "rewrite", Derivation: "granularity", Retriever: "compare", Embedder: "vocabulary",
}  # fmt: skip
"""The page of each kind of technique whose role has none."""
LONGEST = 100
"""Characters of a question that are read."""
PER_KIND = 4
"""Results of one kind: the many lessons must not hide the others."""
NEAR, LEAST = 0.85, 0.6
"""Similar names: shares of the best score that count as equal and as a result."""
COSINE = 0.4
"""Least cosine of the n-grams of a similar name."""
EDITS, HAN_EDITS = (4, 8, 14), (3, 6)
"""Letters, and Han characters, from which a name may be one, two and three edits away."""
WORD = 7
"""Letters of a word that is also found without the rest of its name."""
_CAPITALS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SIGNS = re.compile(rf"[^\w{HAN}]|_")


class Name(NamedTuple):
    """A name with the software that uses it, if it is not a usual term.

    ``passed``: it is the name of a part; ``absent``: the lab does not have it, and the entry is the nearest.
    """

    text: str
    origin: str = ""
    passed: bool = False
    absent: bool = False


@dataclass(frozen=True)
class Entry:
    """Something that can be found: its key, and title and remark by language; ``page`` is where it is shown.

    ``language`` is the only language in which it is useful, if there is one.
    """

    kind: str
    key: str
    page: str
    title: Mapping[str, str]
    about: Mapping[str, str]
    names: tuple[Name, ...]
    language: str = ""


@dataclass(frozen=True)
class Match:
    """A result with the name that it was found by: ``exact``, ``part`` of the name, or ``similar`` to it."""

    entry: Entry
    name: Name
    how: str


def page_of(cls: type[Operator]) -> str:
    """Returns the name of the page that shows this technique; the pipeline can hold every one."""
    own = catalog.names_of(cls).get("page") or ROLES.get(getattr(cls, "role", ""))
    return own or next((page for base, page in BASES.items() if issubclass(cls, base)), "pipeline")


def names_of(table: Mapping[str, Iterable[str]]) -> Iterator[Name]:
    """Yields the names in the form of `lab.catalog.other_names`."""
    for origin, names in table.items():
        yield from (Name(text, "" if origin in LANGUAGES else origin) for text in names)


def all_names(owner: type[Operator] | str) -> Iterator[Name]:
    """Yields the names that others give to a technique or page, and those to which it is the nearest."""
    yield from names_of(catalog.other_names(owner))
    yield from (Name(text, absent=True) for text in catalog.absent_names(owner))


def names_label(name: Name) -> str:
    """Returns a name with its software: ``EnsembleRetriever, LangChain``."""
    return f"{name.text}, {name.origin}" if name.origin else name.text


def techniques(speak: Callable[[str], Mapping[str, str]]) -> list[Entry]:
    """Returns every technique, and every parameter with a label; ``speak`` gives a text by language."""
    entries, knobs = list[Entry](), list[Entry]()
    for cls in catalog.operators().values():
        title, page = speak(catalog.title(cls)), page_of(cls)
        names = (*map(Name, (*title.values(), cls.__name__)), *all_names(cls))
        entries.append(Entry("technique", cls.__name__, page, title, speak(cls.about), names))
        for row in catalog.describe_knobs(cls):
            key, label = f"{cls.__name__}.{row['name']}", speak(row["label"])
            choices = cls.__dataclass_fields__[row["name"]].metadata.get("called", {}).values()
            words = (word for choice in choices for word in speak(choice).values() if len(word) > 1)
            names = (*map(Name, (*label.values(), key)), *names_of(catalog.other_names(cls, row["name"])))
            names += tuple(Name(word, passed=True) for word in dict.fromkeys(words))
            knobs.append(Entry("parameter", key, page, label, title, names))
    return [*entries, *knobs]


def split_name(name: str) -> str:
    """Returns a name as words: ``EnsembleRetriever.weights`` is “Ensemble Retriever weights”."""
    return " ".join(_SIGNS.sub(" ", _CAPITALS.sub(" ", name)).split())


def plain(name: str) -> str:
    """Returns the letters and digits of a name, folded."""
    return "".join(c for c in folded(name).text if c.isalnum())


class Finder:
    """Finds entries by their names; making it indexes all of them."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = tuple(entries)
        self._lacking = frozenset(map(plain, catalog.absent_names("none")))
        self.owners: dict[str, list[tuple[Entry, Name]]] = {}
        for entry in self.entries:
            for name in entry.names:
                if plain(name.text):
                    self.owners.setdefault(name.text, []).append((entry, name))
        self._texts = list(self.owners)
        self._plain = [plain(text) for text in self._texts]
        self._words = [f" {split_name(text).casefold()}" for text in self._texts]
        documents = (Document(str(i), f"{text} {split_name(text)}") for i, text in enumerate(self._texts))
        corpus = Corpus("names", tuple(documents))
        self._ngrams = CharNgram().index(corpus)
        self._forms: dict[int, list[tuple[str, int]]] = {}
        for i, (whole, words) in enumerate(zip(self._plain, self._words, strict=True)):
            for form in dict.fromkeys((whole, *(word for word in words.split() if len(word) >= WORD))):
                self._forms.setdefault(len(form), []).append((form, i))

    def find(self, text: str, language: str = "en", limit: int = 12) -> list[Match]:
        """Returns the entries for a question, the best first: the same name, then part of one, else similar ones.

        Of equal ones, those for another language come last.
        """
        text = text.strip()[:LONGEST]
        if self.lacks(text):
            return []
        levels = self._same(text) or self._misspelt(text) or self._similar(text)
        best: dict[tuple[str, str], tuple[Any, ...]] = {}
        for order, (i, (level, score)) in enumerate(levels.items()):
            for entry, name in self.owners[self._texts[i]]:
                foreign, likeness = entry.language not in ("", language), score if level > 1 else 1.0
                rank = (level, KINDS.index(entry.kind), -likeness, name.passed, foreign, -score, order)
                how = "similar" if level > 1 else "part" if level else "exact"
                known = best.get((entry.kind, entry.key))
                if known is None or rank < known[0]:
                    best[entry.kind, entry.key] = rank, Match(entry, name, how)
        number, matches = dict.fromkeys(KINDS, 0), list[Match]()
        for _rank, match in sorted(best.values(), key=lambda pair: pair[0]):
            number[match.entry.kind] += 1
            if number[match.entry.kind] <= PER_KIND or match.how == "exact" and match.entry.kind != "lesson":
                matches.append(match)
        return matches[:limit]

    def lacks(self, text: str) -> bool:
        """Returns whether this is a known name, or one edit away from one, of which the lab has nothing near."""
        name, most = plain(text), len(plain(text)) >= EDITS[1]
        near = (other for other in self._lacking if abs(len(other) - len(name)) <= most)
        return any(_edits(name, [other]) <= [most] for other in near) and not (most and self._same(text))

    def _same(self, text: str) -> dict[int, tuple[int, float]]:
        """Returns level and closeness of the names that are this text (level 0) or have it at a word's start (1)."""
        wanted, words = plain(text), f" {split_name(text).casefold()}"
        if not wanted:
            return {}
        is_han, levels = re.search(f"[{HAN}]", wanted), dict[int, tuple[int, float]]()
        for i, (name, parts) in enumerate(zip(self._plain, self._words, strict=True)):
            if name == wanted:
                levels[i] = 0, 1.0
            elif name.startswith(wanted) or words in parts or (is_han and wanted in name):
                levels[i] = 1, len(wanted) / len(name)
        return levels

    def _misspelt(self, text: str) -> dict[int, tuple[int, float]]:
        """Returns level and closeness of names that are a few edits away, or of Han characters of the same sound."""
        wanted, levels = plain(text), dict[int, tuple[int, float]]()
        is_han = bool(re.search(f"[{HAN}]", wanted))
        most = sum(len(wanted) >= size for size in (HAN_EDITS if is_han else EDITS))
        for size in range(max(1, len(wanted) - most), len(wanted) + most + 1):
            forms = self._forms.get(size, [])
            edits = _edits(wanted, [form for form, _ in forms])
            sounds = _edits(_sounds(wanted), [_sounds(form) for form, _ in forms]) if is_han else edits
            for (form, i), letters, heard in zip(forms, edits, sounds, strict=True):
                if letters <= most or is_han and not heard:
                    near = 2 if form == self._plain[i] else 3, 1 - (letters + heard) / 2 / len(wanted)
                    levels[i] = min(near, levels.get(i, near))
        return levels

    def _similar(self, text: str) -> dict[int, tuple[int, float]]:
        """Returns level and score of names that share many n-grams with a text."""
        cosines = {int(i): float(x) for i, x in zip(*self._ngrams.totals(split_name(text)), strict=True) if x >= COSINE}
        top = max(cosines.values(), default=0.0)
        return {i: (2 if x >= NEAR * top else 3, x) for i, x in cosines.items() if x >= LEAST * top}


def _edits(word: str, others: Sequence[str]) -> list[int]:
    """Returns the edit distances of a word to words of one length."""
    codes = np.array([[ord(letter) for letter in other] for other in others], np.uint32)
    return edit_distances(word, codes.T).tolist() if others else []


@cache
def _sounds(text: str) -> str:
    """Returns a text with a private character of its syllable for each common Han character."""
    return "".join(chr(0xE000 + syllable) if (syllable := syllable_of(letter)) else letter for letter in text)
