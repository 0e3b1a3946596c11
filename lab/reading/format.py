"""A format of uploads as one object: how its files are called and recognised, and how they are read.

    FORMATS = (Format("subtitles", ("srt", "vtt"), read_subtitles, looks_like=is_subtitles),)

`lab.reading.formats` finds the formats of every module of this package, and of plug-ins, by this name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lab.reading.account import Statement, Statements
from lab.reading.uploads import Columns, Reading

Reader = Callable[[Reading, bytes, Columns | None], None]
"""Adds what a file says to a reading; ``columns`` are the chosen ones of a table, None if they are to be guessed."""

OFFICE = ("docx", "xlsx", "doc", "xls")
"""Names of office formats, under which programs save web pages and tables as well."""


@dataclass(frozen=True)
class Sample:
    """The beginning of a file: its bytes, and as text, which is empty if they are not text.

    ``ending`` is the file name's ending in lower case; ``expected`` the name of the format that has this ending,
    ``txt`` if there is none.
    """

    data: bytes
    text: str
    ending: str
    expected: str

    @property
    def is_archive(self) -> bool:
        """Whether the file is a zip, as office files are underneath."""
        return self.data.startswith((b"PK\3\4", b"PK\5\6"))

    @property
    def first(self) -> str:
        """The first sign of the text that is not blank."""
        return self.text.lstrip()[:1]


def by_its_ending(sample: Sample) -> bool:
    """Recognises no file: only its ending says that a file has the format."""
    return False


def say_lines(reading: Reading, data: bytes) -> Iterator[Statement]:
    yield Statement("text", "", reading.text_again(data).split("\n"))


@dataclass(frozen=True)
class Format:
    """One format: the name that people see, the endings of its files, the usual one first, and its reader.

    ``looks_like`` recognises a file by its beginning, under any ending; ``is_text``: a file with such an ending that
    looks like no other format is read as this one.  ``statements`` counts what a file says, apart from ``read``: see
    `lab.reading.account`.
    """

    name: str
    endings: tuple[str, ...]
    read: Reader
    looks_like: Callable[[Sample], bool] = by_its_ending
    is_text: bool = True
    statements: Statements | None = say_lines
