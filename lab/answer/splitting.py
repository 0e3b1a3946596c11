"""Splits an answer into pieces that are checked one by one: sentences, and whole blocks of Markdown.

Language models answer in Markdown.  A citation mark in the middle of a block of code or a table breaks it, so each of
these, and each heading, is one piece without citations.  A list item is one piece, however many sentences it has: the
items of a list have different sources.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lab.text.borders import sentences
from lab.text.quantities.numbers import UP_TO_99

_FENCE = re.compile(r"[ \t]*(```+|~~~+)")
_ROW = re.compile(r"\|.*\|")
_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]+\S")
_NUMBER = rf"(?:\d{{1,3}}|{UP_TO_99})"
_ITEM = re.compile(rf"[ \t]*(?:(?:[-*+•·]|{_NUMBER}[.．)）])[ \t]+|{_NUMBER}、|[(（]{_NUMBER}[)）])[ \t]*\S")
_INDENTED = re.compile(r"[ \t]+\S")


def pieces(text: str) -> list[tuple[int, int]]:
    """Returns the (start, end) of every piece of an answer in order, without surrounding whitespace."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    spans, i, prose = list[tuple[int, int]](), 0, 0
    while i < len(lines):
        j = _end(lines, i)
        if j > i:
            spans += _sentences(text, starts[prose], starts[i])
            block = text[starts[i] : starts[j] - 1]
            spans.append((starts[i] + len(block) - len(block.lstrip()), starts[i] + len(block.rstrip())))
            prose = j
        i = max(i + 1, j)
    return spans + _sentences(text, starts[prose], len(text))


def kind(piece: str) -> str:
    """Returns the kind of a piece: ``code``, ``table``, ``heading`` or ``item``; empty for a sentence."""
    return _begins(piece.split("\n", 2), 0)


def _begins(lines: Sequence[str], i: int) -> str:
    """Returns the kind of the block that begins in this line; empty if none does."""
    line, after = lines[i].strip(), lines[i + 1].strip() if i + 1 < len(lines) else ""
    if _FENCE.match(line):
        return "code"
    if _ROW.fullmatch(line) or ("|" in line and "|" in after and _RULE.fullmatch(after)):
        return "table"
    return "heading" if _HEADING.match(line) else "item" if _ITEM.match(line) else ""


def _end(lines: Sequence[str], i: int) -> int:
    """Returns the line after the block that begins in line ``i``; ``i`` itself if none does."""
    block, j = _begins(lines, i), i + 1
    if block == "code":
        fence = lines[i].strip()[:3]
        while j < len(lines) and not (lines[j].strip().startswith(fence) and not lines[j].strip().strip(fence[0])):
            j += 1
        return min(j + 1, len(lines))
    if block == "table":
        while j < len(lines) and "|" in lines[j]:
            j += 1
    if block == "item":
        while j < len(lines) and _INDENTED.match(lines[j]) and not _begins(lines, j):
            j += 1
    return j if block else i


def _sentences(text: str, start: int, end: int) -> list[tuple[int, int]]:
    return [(start + a, start + b) for a, b in sentences(text[start:end])]
