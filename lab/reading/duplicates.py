"""Documents that several files of an upload contain, such as a table that is there as csv and as a workbook."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from lab.algebra import Document
from lab.reading.uploads import ReadResult
from lab.text import plain

_TELLING = 20
"""Letters and digits of a text that says enough by itself; a shorter one is a duplicate only under the same title."""


def repeated_documents(result: ReadResult) -> dict[int, int]:
    """Returns the places of documents that an earlier file contains as well, each with the place of the earlier one.

    Case, punctuation and whitespace do not count, and neither does the name of the document above its title.  A test
    collection has no duplicates: judgments name its documents.
    """
    if result.qrels or result.turn_qrels:
        return {}
    first: dict[tuple[str, str], tuple[int, int]] = {}
    repeats: dict[int, int] = {}
    for number, file in enumerate(result.files):
        for place in range(file.start, file.end):
            key = _key(result.documents[place])
            where, original = first.setdefault(key, (number, place))
            if where < number:
                repeats[place] = original
    return repeats


def _key(document: Document) -> tuple[str, str]:
    text = plain(document.text)
    return (text, "") if len(text) >= _TELLING else (text, plain(document.title.rsplit(" › ", 1)[-1]))


def without_documents(result: ReadResult, places: Collection[int]) -> ReadResult:
    dropped = set(places)
    remaining = [place for place in range(len(result.documents)) if place not in dropped]
    before = {place: i for i, place in enumerate(remaining)}

    def moved(start: int, end: int) -> tuple[int, int]:
        places_after = [before[place] for place in range(start, end) if place in before]
        return (places_after[0], places_after[-1] + 1) if places_after else (0, 0)

    files = []
    for file in result.files:
        start, end = moved(file.start, file.end)
        files.append(replace(file, start=start, end=end))
    return replace(result, documents=tuple(result.documents[place] for place in remaining), files=tuple(files))


def shared_files(result: ReadResult, repeated: Mapping[int, int]) -> dict[tuple[str, str], int]:
    """Returns the number of repeated documents by (their file, the earlier file)."""
    names = [file.file for file in result.files for _ in range(file.start, file.end)]
    counts: dict[tuple[str, str], int] = {}
    for place, original in repeated.items():
        pair = names[place], names[original]
        counts[pair] = counts.get(pair, 0) + 1
    return counts
