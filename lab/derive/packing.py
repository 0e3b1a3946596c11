"""Splits a text into pieces at its best borders, as long as allowed, and without crumbs.

This is `lab.text.borders.pieces` with four more rules.  A table row or a block of code that fits stays whole.  A piece
shorter than a crumb is joined to its neighbour.  A piece may be longer than the others, up to the size, if that avoids
a crumb or keeps a row whole; it then repeats less of the previous text.  A heading begins a piece, and never ends one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from lab.reading.headings import is_heading
from lab.text.borders import BORDERS, border_ends

CRUMB = 20
"""A shorter piece is a crumb; for small sizes, the limit is a fifth of the size."""
_BLOCK = re.compile(r"^[ ]{0,3}(```+|~~~+)[^\n]*\n(?:.*?\n)?[ ]{0,3}\1[`~]*[ \t]*$", re.DOTALL | re.MULTILINE)
_LINE = re.compile(r"[^\n]+")
_LINES_OF_TABLE = re.compile(r"[\s|:-]+")
_SENTENCES, _WORDS = 3, 5
"""The number of kinds of borders that keep sentences whole, and that keep words whole."""
_MASK = "X"
Span = tuple[int, int]


class Packing:
    """Splits a text into pieces of at most ``size``, of which ``overlap`` is left for the previous text."""

    def __init__(self, text: str, size: int, overlap: int, length: Callable[[str], int]) -> None:
        self.text, self.size, self.length = text, size, length
        self.limit, self.crumb = size - overlap, min(CRUMB, size // 5)
        self.whole = [(a, b) for a, b in rows_and_blocks(text, size, length) if length(text[a:b]) <= size]
        self.begins = [a for a, _ in self.whole]
        self.masked = _masked(text, self.whole)

    def pieces(self) -> list[Span]:
        """Returns (start, end) of the pieces, which join up to the text."""
        return self._with_headings(self._without_crumbs(self._cut(0, len(self.text), 0)))

    def inside(self, place: int) -> bool:
        """Whether a place is inside a row or a block that stays whole."""
        i = bisect_right(self.begins, place) - 1
        return i >= 0 and self.whole[i][0] < place < self.whole[i][1]

    def _measure(self, start: int, end: int) -> int:
        return self.length(self.text[start:end])

    def _is_whole(self, start: int, end: int) -> bool:
        """Whether this range is one row or one block, with the whitespace around it."""
        a, b = solid(self.text, start, end)
        i = bisect_right(self.begins, a) - 1
        return a < b and i >= 0 and b <= self.whole[i][1]

    def _is_crumb(self, start: int, end: int) -> bool:
        return self.length(_LINES_OF_TABLE.sub(" ", self.text[start:end]).strip()) < self.crumb

    def _cut(self, start: int, end: int, kind: int) -> list[Span]:
        """Splits this range of the text at borders of this kind and at weaker ones."""
        if self._measure(start, end) <= self.limit or self._is_whole(start, end) or kind == len(BORDERS):
            return [(start, end)]
        part = self.masked[start:end]
        step = self.limit if self.length is len else 1
        ends = [start + at for at in border_ends(part, BORDERS[kind], step)]
        pieces = list[Span]()
        begin = at = start  # text[begin:at] waits for neighbours
        filled = 0
        for stop in (*ends, end):
            # whitespace has no tokens, but must belong to a piece
            room = max(1, self._measure(at, stop)) if at < stop else 0
            if begin < at and (filled + room > self.limit or room >= self.limit):
                takes = kind < _WORDS and room > self.limit and not self._is_whole(at, stop)
                if takes and self._is_crumb(begin, at):
                    at = begin  # the long neighbour is cut in any case, so it takes the crumb
                else:
                    pieces.append((begin, at))
                    begin, filled = at, 0
            if room >= self.limit:
                pieces += self._cut(at, stop, kind + 1)
                begin, filled = stop, 0
            else:
                filled += room
            at = stop
        return [*pieces, (begin, end)] if begin < end else pieces

    # ------------------------------------------------------------------------------------------------ crumbs

    def _without_crumbs(self, parts: Sequence[Span]) -> list[Span]:
        """Returns the pieces with each crumb joined to a neighbour, or extended by some of the neighbour's text."""
        pieces, left = list[Span](), list(reversed(parts))
        while left:
            start, end = left.pop()
            if not self._is_crumb(start, end):
                pieces.append((start, end))
                continue
            before, after = (pieces[-1] if pieces else None), (left[-1] if left else None)
            leads = self.text[start:end].rstrip().endswith((":", "："))  # it introduces the next piece
            if after and (leads or not before) and self._fits(start, after[1]):
                left[-1] = (start, after[1])
            elif before and self._fits(before[0], end):
                pieces[-1] = (before[0], end)
            elif after and self._fits(start, after[1]):
                left[-1] = (start, after[1])
            elif before and (at := self._border(before[0], end)) is not None:
                pieces[-1:] = [(before[0], at), (at, end)]
            elif after and (at := self._border(start, after[1])) is not None:
                pieces.append((start, at))
                left[-1] = (at, after[1])
            else:
                pieces.append((start, end))
        return pieces

    def _with_headings(self, pieces: list[Span]) -> list[Span]:
        """Returns the pieces with a heading at the end of one moved to the next, where it fits."""
        for i in range(len(pieces) - 1):
            (start, end), (_, stop) = pieces[i : i + 2]
            at = end
            while (line := self._last_line(start, at)) > start and self._is_heading(line, at):
                at = line
            if at < end and self._fits(at, stop):
                pieces[i : i + 2] = [(start, at), (at, stop)]
        return pieces

    def _last_line(self, start: int, end: int) -> int:
        """The beginning of the last line with a text in a range."""
        _, solid_end = solid(self.text, start, end)
        return max(start, self.text.rfind("\n", start, solid_end) + 1)

    def _is_heading(self, start: int, end: int) -> bool:
        return not self.inside(start) and is_heading(self.text[start:end].rstrip())

    def _fits(self, start: int, end: int) -> bool:
        return self._measure(*solid(self.text, start, end)) <= self.size

    def _border(self, start: int, end: int) -> int | None:
        """Returns the last border of a sentence, or a better one, that leaves two fitting pieces without crumbs."""
        for border in BORDERS[:_SENTENCES]:
            for at in reversed(border_ends(self.masked[start:end], border, 1)):
                parts = (start, start + at), (start + at, end)
                if all(self._fits(*part) and not self._is_crumb(*part) for part in parts):
                    return start + at
        return None


def rows_and_blocks(text: str, size: int, length: Callable[[str], int]) -> Iterator[Span]:
    """Yields (start, end) of table rows and blocks of code, in order; a long block yields its lines."""
    at = 0
    for block in (*_BLOCK.finditer(text), None):
        yield from _rows(text, at, block.start() if block else len(text))
        if block:
            if length(block[0]) <= size:
                yield block.span()
            else:
                yield from (line.span() for line in _LINE.finditer(text, *block.span()))
            at = block.end()


def _rows(text: str, start: int, end: int) -> Iterator[Span]:
    """Yields the lines with bars that begin with one, or are next to another line with bars."""
    lines = [m.span() for m in _LINE.finditer(text, start, end)]
    bars = ["|" in text[a:b] for a, b in lines]
    for i, (a, b) in enumerate(lines):
        has_neighbour = (i > 0 and bars[i - 1]) or (i + 1 < len(lines) and bars[i + 1])
        if bars[i] and (has_neighbour or text[a:b].lstrip().startswith("|")):
            yield a, b


def _masked(text: str, whole: Sequence[Span]) -> str:
    """Masks the parts of the text that stay whole, so that they have no borders inside."""
    parts, at = list[str](), 0
    for a, b in whole:
        parts += [text[at:a], _MASK * (b - a)]
        at = b
    return "".join([*parts, text[at:]])


def solid(text: str, start: int, end: int) -> Span:
    """Returns the range without whitespace at its ends; an empty range if it is all whitespace."""
    piece = text[start:end]
    if not piece.strip():
        return end, end
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
