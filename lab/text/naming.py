"""Short names that tell the documents of a corpus apart, and the lists of a page."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from lab.algebra import Document, Label
from lab.text import cut, language_of, width

BETWEEN = " › "
"""Stands between the parts of a title that is a path."""
STEP = " · "
"""Stands between the parts of the name of a search."""
VISIBLE = 13
"""Columns of a name that the narrowest list shows."""
SHARED = 8
"""Columns that a shared beginning of all names must have to be left out."""
MANY = 5
"""From this many passages on, the title they share does not describe one of them."""
_BEGINNING = 36
"""Columns of the first words of a passage that stand for its title."""
_LOOKED_AT = 200
"""Characters of a text in which its first words are."""
_LETTER = re.compile(r"[^\W\d_]")
_ENDS = re.compile(r"(?:[:：|·,，;；/_》]|\s[-–—])\s*|\s+(?=[§(（\d])|(?=第)")
"""Places at which the shared beginning of names may end."""
_BORDER = re.compile(f"{BETWEEN}|{_ENDS.pattern}")
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")


def name_documents(documents: Iterable[Document]) -> tuple[Document, ...]:
    """Returns the documents, each with the name that tells it apart from the others of its corpus.

    A title that is a path keeps only the last parts, which no other title has; a beginning that all names share is
    left out.  Passages that share a title are named by their first words and their place.
    """
    documents = tuple(documents)
    paths = _paths(documents)
    endings = Counter(tuple(path[-n:]) for path, _least in paths for n in range(1, len(path) + 1))
    names = []
    for path, least in paths:
        length = next((n for n in range(max(least, 1), len(path)) if endings[tuple(path[-n:])] == 1), len(path))
        names.append(BETWEEN.join(path[-length:]))
    shared = _shared(names) if all(least for _path, least in paths) else 0
    names = [name[shared:] for name in names]
    return tuple(
        document if label == document.label and not label.start else replace(document, name=label)
        for document, label in zip(documents, distinct(names), strict=True)
    )


def distinct(names: Sequence[str]) -> list[Label]:
    """Returns the names as labels that know where they begin to differ from the one most like them.

    A name that already differs in its first columns starts at 0: it may be cut at its end.
    """
    order = sorted(set(names))
    shared = dict.fromkeys(order, 0)
    for before, after in zip(order, order[1:], strict=False):
        length = len(os.path.commonprefix([before, after]))
        for name in (before, after):
            shared[name] = max(shared[name], length)
    return [Label(name, _start(name, shared[name])) for name in names]


def shorten(names: Sequence[str], columns: int) -> list[str]:
    """Returns the names of searches, long ones without the words in the middle if they stay different names."""
    short = [name if width(name) <= columns else _without_middle(name, columns) for name in names]
    times = Counter(short)
    return [cut_name if times[cut_name] == 1 else name for name, cut_name in zip(names, short, strict=True)]


def _without_middle(name: str, columns: int) -> str:
    head = name.partition(STEP)[0]
    starts = [m.start() for m in _WORD.finditer(name) if m.start() > len(head)]
    tail = next((name[i:] for i in starts if width(head) + 1 + width(name[i:]) <= columns), "")
    return f"{head}…{tail}" if tail else name


def shared_title(documents: Iterable[Document]) -> str:
    """Returns the beginning that the titles of all these documents share and their names leave out."""
    left_out = [_left_out(document) for document in documents]
    if len(left_out) < 2:
        return ""
    low, high = min(left_out), max(left_out)
    if low != high:
        beginning = os.path.commonprefix([low, high])
        low = low[: max((m.end() for m in _BORDER.finditer(low) if m.end() <= len(beginning)), default=0)]
    return low.strip().removesuffix(BETWEEN.strip()).strip()


def _left_out(document: Document) -> str:
    """Returns the beginning of the title that the name of the document does not have."""
    title, name = " ".join(document.title.split()), document.label
    parts = name.split(BETWEEN)
    kept = (BETWEEN.join(parts[:n]) for n in range(len(parts), 0, -1))
    return next((title.removesuffix(part) for part in kept if title.endswith(part)), title)


def _start(name: str, at: int) -> int:
    """Returns the start of the word at this place, or 0 if the place is in the first columns of the name."""
    if width(name[: at + 1]) <= VISIBLE:
        return 0
    word = next((m.start() for m in _WORD.finditer(name) if m.start() < at < m.end()), at)
    start = word if width(name[word:at]) <= VISIBLE // 2 else at
    return start - 1 if name[start - 1] in "(（[【《“‘#" else start


def _paths(documents: Sequence[Document]) -> list[tuple[list[str], int]]:
    """Returns the parts of each title and how many of the last ones its name has at least, 0 for the text alone.

    The last part of passages that share a title is their first words and their place.
    """
    groups = defaultdict(list)
    for i, document in enumerate(documents):
        title = " ".join(document.title.split())
        groups[title or cut(document.text[:_LOOKED_AT], _BEGINNING) or document.id].append(i)
    paths: list[tuple[list[str], int]] = [([], 1)] * len(documents)
    for title, members in groups.items():
        parts = title.split(BETWEEN)
        describes = len(parts) > 1 or len(members) < min(MANY, len(documents))
        for n, i in enumerate(members, 1):
            if len(members) == 1:
                paths[i] = parts, min(len(documents[i].title), 1)
            elif not documents[i].title:
                paths[i] = [f"{title} ({_place(documents[i], n, len(members))})"], 0
            else:
                begin, place = cut(documents[i].text[:_LOOKED_AT], _BEGINNING), _place(documents[i], n, len(members))
                paths[i] = [*parts, f"{begin} ({place})"], 2 if describes else 0
    return paths


def _place(document: Document, n: int, total: int) -> str:
    """Returns the page of a passage, if it is known, and its number among those that share its title."""
    page, number = document.metadata.get("page"), f"{n}/{total}"
    if not isinstance(page, int):
        return number
    return f"第 {page} 页，{number}" if language_of(document.text) == "zh" else f"p. {page}, {number}"


def _shared(names: Sequence[str]) -> int:
    """Returns the length of the beginning that all names share, if it is long and a word is left of every name."""
    if len(names) < 3:
        return 0
    beginning = os.path.commonprefix([min(names), max(names)])
    ends = [m.end() for m in _ENDS.finditer(min(names)) if m.end() <= len(beginning)]
    end = ends[-1] if ends else 0
    return end if width(beginning[:end]) >= SHARED and all(_LETTER.search(name, end) for name in names) else 0
