"""csv and tsv: rows of fields, in the dialect that fits the file as a whole."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice, zip_longest
from typing import Any

from lab.reading.account import Statement
from lab.reading.format import OFFICE, Format, Sample
from lab.reading.tables import Table, add_table
from lab.reading.uploads import Columns, Reading
from lab.text import rearm
from lab.words import N_, Said

DELIMITERS = (",", "\t", ";", "|", "，")
NAMES_FIRST = Said("Write the column names into the first row and a document into every other.")
_SINGLE_QUOTED = re.compile(r"(?m)(?:^|[,;|\t])'[^'\n]*'(?:[,;|\t]|$)")
_NULL = re.compile(r"\\N")
"""How databases export a value that is missing."""
Dialect = dict[str, Any]
_SAMPLE = 1 << 16

# Python's csv refuses fields over 131,072 characters; a document may well be longer.  The limit is the process's, so it
# is set once for all readers: one that moved it would break another's file.  Our own limit on a file's size holds.
csv.field_size_limit(2**31 - 1)


def read_csv(reading: Reading, data: bytes, columns: Columns | None, *, delimiter: str | None = None) -> None:
    """Adds the rows of a csv or tsv file; the delimiter is found if it is not given."""
    delimiter, records = csv_rows(reading, reading.decode(data), delimiter)
    table, mark = Table(raw=True), "tab" if delimiter == "\t" else delimiter
    for number, fields in table.under_header(reading, records):
        width = len(table.columns)
        while len(fields) > width and not fields[-1].strip():
            fields.pop()
        count = {"n": len(fields), "columns": width}
        if len(fields) > width:
            long = Said("Fields in the row: {n}, columns in the table: {columns}. The row was left out.", **count)
            remedy = Said("Put fields that contain “{delimiter}” into quotation marks.", delimiter=mark)
            reading.problem(long, remedy, place=table.place(number))
            continue
        if len(fields) < width:
            short = N_("Fields in the row: {n}, columns in the table: {columns}. The missing fields count as empty.")
            reading.problem(Said(short, **count), Said("Complete the row."), place=table.place(number))
        table.rows.append((number, dict(zip(table.columns, fields, strict=False))))
    if not table.columns:
        raise reading.nothing(N_("“{file}” is an empty table."), NAMES_FIRST)
    add_table(reading, table, columns)


def csv_rows(reading: Reading, text: str, delimiter: str | None = None) -> tuple[str, Iterator[tuple[int, list[str]]]]:
    """Returns the delimiter, found if it is not given, and (row number, fields) of every row that is not blank."""
    lines = [line + "\n" for line in text.split("\n")]
    if lines[0].lower().startswith("sep=") and len(lines[0].strip()) == 5:  # written by spreadsheet programs
        delimiter, lines[0] = lines[0][4], "\n"
    delimiter = delimiter or find_delimiter(lines)
    return delimiter, _records(reading, lines, _dialect(reading, text, lines, delimiter))


def find_delimiter(lines: list[str]) -> str:
    """Returns the delimiter under which most of the first records have the same number of fields, and over one."""

    def score(delimiter: str) -> tuple[bool, float, int]:
        width, share = widths(lines, delimiter)
        return share >= 0.5, share, width

    return max(DELIMITERS, key=score)


def widths(lines: list[str], delimiter: str) -> tuple[int, float]:
    """Returns the usual number of fields of the first records, and the share of the records that have it."""
    try:
        records = [r for r in islice(csv.reader(iter(lines[:200]), delimiter=delimiter), 30) if any(map(str.strip, r))]
    except csv.Error:
        return 0, 0.0
    width, often = max(Counter(map(len, records)).items(), key=lambda item: (item[1], item[0]), default=(0, 0))
    return width, often / len(records) if width > 1 else 0.0


def _dialect(reading: Reading, text: str, lines: list[str], delimiter: str) -> Dialect:
    """The dialect of the file: the usual one, unless another one fits every row and the usual one does not."""
    usual: Dialect = {"delimiter": delimiter, "strict": True}
    known = [usual]
    if '\\"' in text:
        known.append({**usual, "escapechar": "\\"})
    if delimiter == "\t" and '"' in text:
        known.append({**usual, "quoting": csv.QUOTE_NONE})
    if _SINGLE_QUOTED.search(text):
        single = [{**usual, "quotechar": "'"}, {**usual, "quotechar": "'", "escapechar": "\\"}]
        first = [line for line in lines[:30] if line.strip()]
        mostly = 2 * sum(_SINGLE_QUOTED.search(line) is not None for line in first) > len(first)
        known = [*single, *known] if mostly else [*known, *single]
    if len(known) == 1:
        return usual
    return next((dialect for dialect in known if _fits(reading, lines, dialect)), usual)


def _fits(reading: Reading, lines: list[str], dialect: Dialect) -> bool:
    """Whether no record breaks the quoting and all have the same number of fields."""
    widths_seen = set[int]()
    try:
        for number, fields in enumerate(csv.reader(iter(lines), **dialect)):
            reading.hurry(number)
            if fields:
                widths_seen.add(len(fields))
    except csv.Error:
        return False
    return len(widths_seen) == 1


def _tidied(field: str) -> str:
    """A field without the apostrophe that exports put before a formula; nothing for the mark of a missing value."""
    return "" if field == r"\N" else rearm(field)


def _records(reading: Reading, lines: list[str], dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """(row number, fields) of every record.  A record that breaks the quoting is reported and left out.

    An unclosed quotation mark would swallow the rest of the file: reading continues in the line after it.
    """
    if "escapechar" in dialect:
        lines = [_NULL.sub(r"\\\\N", line) for line in lines]
    at = number = 0  # the lines and the records that are done with
    while at < len(lines):
        begin, reader = at, csv.reader((lines[i] for i in range(at, len(lines))), **dialect)
        try:
            for fields in reader:
                reading.hurry(number)
                number, at = number + 1, begin + reader.line_num
                if any(f.strip() for f in fields):
                    yield number, [_tidied(f) for f in fields]
        except csv.Error as error:
            reading.hurry()
            number, at = number + 1, at + 1
            wrong = Said("The quotation marks do not match; the row was left out.")
            if "unexpected end" in str(error):
                wrong = Said("A quotation mark is opened and never closed; the line was left out.")
            remedy = N_(
                "Double every quotation mark inside a field, and end every field that begins with one with another."
            )
            reading.problem(wrong, Said(remedy), place=Said("row {n} (line {line})", n=number, line=at))


# --------------------------------------------------------------------------------------------- recognition


def _is_table(sample: Sample, names: tuple[str, ...], delimiters: tuple[tuple[str, int], ...]) -> bool:
    """Whether the first lines of a text that is named as another one are rows of a table."""
    office = sample.expected in OFFICE
    nameless = sample.ending in ("", "txt", "dat", "asc", "prn") or sample.expected in ("json", "jsonl", "ipynb")
    if sample.expected in names or not (office or nameless) or sample.first in ("<", "{", "["):
        return False
    return _delimiter_of(sample.text, delimiters, strict=not office)


def _delimiter_of(begin: str, delimiters: tuple[tuple[str, int], ...], *, strict: bool) -> bool:
    """Whether the first lines are rows of a table with one of these delimiters and at least this number of rows.

    ``strict``: a text may have commas, too: then all lines must have the same number of fields, below short names.
    """
    lines = [line + "\n" for line in begin.split("\n")]
    if len(begin) >= _SAMPLE // 4 and len(lines) > 2:
        lines.pop()  # it may be cut
    filled = [line for line in lines if line.strip()]
    for delimiter, fewest in delimiters:
        width, share = widths(filled, delimiter)
        if not strict and width > 1 and share >= 0.5:
            return True
        if width > 1 and share == 1.0 and len(filled) >= fewest and _has_names(filled, delimiter):
            return True
    return False


def _has_names(lines: list[str], delimiter: str) -> bool:
    """Whether the first line holds short names, and no field begins with a space, as after a comma in a text."""
    names = [name.strip().strip('"') for name in lines[0].split(delimiter)]
    short = all(0 < len(name) <= 30 and not name[0].isdigit() and name[-1] not in ".。!！?？" for name in names)
    return short and len(set(names)) == len(names) and not any(f"{delimiter} " in line for line in lines[:30])


def is_tsv(sample: Sample) -> bool:
    """Whether a text that is named as another one is a table with tabs."""
    return _is_table(sample, ("csv", "tsv"), (("\t", 2),))


def is_csv(sample: Sample) -> bool:
    """Whether a text that is named as another one is a table with commas or semicolons."""
    return _is_table(sample, ("csv", "tsv"), ((",", 3), (";", 3))) and not is_tsv(sample)


# ------------------------------------------------------------------------------------------- what is said


def say_cells(reading: Reading, data: bytes) -> Iterator[Statement]:
    """Yields the cells of a table by their columns, counted by commas and quotation marks alone."""
    text = reading.text_again(data)
    lines = [line + "\n" for line in text.split("\n")]
    if lines[0].lower().startswith("sep=") and len(lines[0].strip()) == 5:
        delimiter, lines = lines[0][4], lines[1:]
    else:
        delimiter = find_delimiter(lines)
    rows = list(csv.reader(iter(lines), delimiter=delimiter))
    for number, column in enumerate(zip_longest(*rows, fillvalue=""), 1):
        reading.hurry()
        whole = "\n".join(column)
        cells = whole.split("\n")
        if "\n'" in whole:
            cells = [rearm(cell) for cell in cells]
        yield Statement("column", column[0].strip() or f"column {number}", cells)


FORMATS = (
    Format("csv", ("csv",), read_csv, is_csv, statements=say_cells),
    Format("tsv", ("tsv", "tab"), lambda r, d, c: read_csv(r, d, c, delimiter="\t"), is_tsv, statements=say_cells),
)
