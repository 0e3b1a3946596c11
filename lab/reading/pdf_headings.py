"""Headings of a PDF: what its outline names, else lines that are clearly larger than the text.

A PDF knows no headings.  Its outline (bookmarks) knows their names and their pages; sizes of letters show the rest.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from lab.reading.sections import honest

_LARGER = 1.15
"""How many times the size of the text a heading has at least."""
_LONGEST, _MOST_LINES, _MOST_ENTRIES, _LEVELS = 120, 3, 2000, 6
_SHARE = 0.25
"""Share of the characters of a file that may be headings; with more, sizes mean something else."""
_SENTENCE = tuple("。.；;，,：:、")
_NUMBERING = 12
"""Characters of the number before a heading."""
_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*[.、)]?|第.{1,6}[章节節条條]|[一二三四五六七八九十]+、)\s*")
Place = tuple[int, int]
"""A page, from 0, and a line on it."""


class Sizes:
    """The sizes of the letters of a page, line by line, collected while its text is read."""

    def __init__(self) -> None:
        self.lines: list[list[tuple[float, int]]] = [[]]

    def __call__(self, text: str, cm: Sequence[float], tm: Sequence[float], font: Any, size: float) -> None:
        if not text:
            return
        points = size * abs((tm[3] or tm[1]) * (cm[3] or cm[1]))
        if "\n" not in text:
            self.lines[-1].append((points, len(text)))
            return
        first, *others = text.split("\n")
        self.lines[-1].append((points, len(first)))
        self.lines += [[(points, len(part))] for part in others]

    def of_lines(self) -> list[float]:
        """The size of most letters of each line, to half a point; 0 for an empty one."""
        return [self._most(line) for line in self.lines]

    @staticmethod
    def _most(line: Sequence[tuple[float, int]]) -> float:
        if len(line) == 1:
            return round(2 * line[0][0]) / 2 if line[0][1] else 0.0
        letters = Counter[float]()
        for points, count in line:
            letters[round(2 * points) / 2] += count
        size, count = letters.most_common(1)[0] if letters else (0.0, 0)
        return size if count else 0.0


def outline(pdf: Any) -> list[tuple[int, int, str]]:
    """Returns level, page and title of the bookmarks of a file, in order."""
    with suppress(Exception):  # an outline is not worth losing the file
        return [entry for entry, _ in zip(_entries(pdf, pdf.outline, 1), range(_MOST_ENTRIES), strict=False)]
    return []


def _entries(pdf: Any, items: Sequence[Any], level: int) -> Iterator[tuple[int, int, str]]:
    for item in items:
        if isinstance(item, list):
            yield from _entries(pdf, item, level + 1)
        elif title := honest(str(item.title or "")):
            page = pdf.get_destination_page_number(item)
            if page is not None and page >= 0:
                yield min(level, _LEVELS), page, title


def headings(
    pages: Sequence[tuple[Sequence[str], Sequence[float]]], bookmarks: Sequence[tuple[int, int, str]]
) -> Mapping[Place, tuple[int, str, int]]:
    """Returns level, name and number of lines of each heading, by the place of its first line.

    ``pages`` are the lines that are not headers or footers, and their sizes.
    """
    named = dict(_named(pages, bookmarks))
    if len(named) > 1 and 2 * len(named) >= len(bookmarks):
        return named
    return dict(_larger(pages))


def _named(
    pages: Sequence[tuple[Sequence[str], Sequence[float]]], bookmarks: Sequence[tuple[int, int, str]]
) -> Iterator[tuple[Place, tuple[int, str, int]]]:
    """The lines that are the names of bookmarks, on the page of each or on the next one."""
    after: Place = (0, -1)
    for level, first, title in bookmarks:
        wanted = _bare(title)
        for page in range(first, min(first + 2, len(pages))):
            begin = after[1] + 1 if page == after[0] else 0
            if page < after[0] or not wanted:
                continue
            if match := _line_of(pages[page][0], begin, wanted):
                at, count = match
                after = page, at + count - 1
                yield (page, at), (level, " ".join(" ".join(pages[page][0][at : at + count]).split()), count)
                break


def _line_of(lines: Sequence[str], begin: int, wanted: str) -> tuple[int, int] | None:
    """The first line from a place, and the number of lines, that make this name."""
    for at in range(begin, len(lines)):
        for count in range(1, _MOST_LINES + 1):
            joined = " ".join(lines[at : at + count]).strip()
            if wanted in (_bare(joined), _bare(_NUMBER.sub("", joined))):
                return at, count
            if len(_bare(joined)) > len(wanted) + _NUMBERING:
                break
    return None


def _bare(text: str) -> str:
    """A text without spaces and in small letters, for comparisons."""
    return "".join(text.split()).lower()


def _larger(pages: Sequence[tuple[Sequence[str], Sequence[float]]]) -> Iterator[tuple[Place, tuple[int, str, int]]]:
    """The lines that are clearly larger than most of the text; the larger, the higher."""
    letters = Counter[float]()
    for lines, sizes in pages:
        for line, size in zip(lines, sizes, strict=True):
            letters[size] += len(line.strip())
    text = max(letters, key=lambda size: letters[size], default=0.0)
    places = list(_large_lines(pages, _LARGER * text)) if text > 0 else []
    total = sum(letters.values())
    if not places or sum(len(name) for *_, name, _ in places) > _SHARE * total:
        return
    levels = sorted({size for _, size, _, _ in places}, reverse=True)
    for place, size, name, count in places:
        yield place, (min(levels.index(size) + 1, _LEVELS), name, count)


def _large_lines(
    pages: Sequence[tuple[Sequence[str], Sequence[float]]], least: float
) -> Iterator[tuple[Place, float, str, int]]:
    """Lines of this size and above, with all lines of a heading together."""
    for page, (lines, sizes) in enumerate(pages):
        at = 0
        while at < len(lines):
            count = 1
            if sizes[at] >= least and lines[at].strip():
                while at + count < len(lines) and sizes[at + count] == sizes[at] and lines[at + count].strip():
                    count += 1
                name = " ".join(" ".join(lines[at : at + count]).split())
                words = any(c.isalpha() for c in name) and not name.endswith(_SENTENCE)
                if words and count <= _MOST_LINES and len(name) <= _LONGEST:
                    yield (page, at), sizes[at], name, count
            at += count
