"""Workbooks (xlsx) by openpyxl: the visible sheets as they are seen, with the results of formulas.

A merged cell has its value in every row that it reaches over, as the sheet shows it; further columns stay empty.
"""

from __future__ import annotations

import datetime
import io
import posixpath
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from html import unescape
from typing import Any

from lab.reading.account import HIDDEN, HIDDEN_SHEETS, NUMBER, Statement
from lab.reading.archive import has_member, repacked
from lab.reading.delimited import NAMES_FIRST
from lab.reading.encodings import clean
from lab.reading.format import Format
from lab.reading.tables import MOST_STRAYS, Table, add_tables
from lab.reading.uploads import SAVE_AGAIN, Columns, Reading
from lab.words import N_, Said, ngettext

_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*?\bref=[\"']([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})[\"']")
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 16_384
"""Rows and columns of the format: what is beyond them (below 1048576, right of XFD) was written by no program."""
_MOST_MERGED, _LONGEST_REPEATED = 100_000, 1000
"""Merged areas of a sheet, and characters of a value that is repeated."""


@dataclass
class Sheet:
    """A visible sheet: its title and the (number, cells) of its rows that are not blank.

    ``repeated`` has, once a row was given, the columns (from 0) that only have a value because of a merged cell.
    """

    title: str
    rows: Iterator[tuple[int, list[Any]]]
    repeated: dict[int, set[int]] = field(default_factory=dict)


def read_xlsx(reading: Reading, data: bytes, columns: Columns | None) -> None:
    """Adds the rows of the visible sheets of a workbook that `lab.reading.archive.repacked` has checked."""
    visible = sheets(reading, data)
    if not visible:
        remedy = Said("Unhide the sheets that you want to load.")
        raise reading.refuse("All sheets of “{file}” are hidden.", remedy)
    tables = [(sheet, _table(reading, sheet, only_one=len(visible) == 1)) for sheet in visible]
    filled = [(sheet, table) for sheet, table in tables if table.columns]
    if not filled:
        raise reading.nothing(N_("“{file}” has no sheet with a table in it."), NAMES_FIRST)
    for sheet, table in filled:
        table.formulas = cache(partial(_formulas, data, sheet.title, table.columns))
    add_tables(reading, [table for _, table in filled], columns)
    if len(filled) > 1:
        reading.fact(ngettext("{n:,} sheet", "{n:,} sheets", len(filled), n=len(filled)))


def _table(reading: Reading, sheet: Sheet, *, only_one: bool) -> Table:
    table = Table(sheet="" if only_one else unescaped(sheet.title))
    for number, values in table.under_header(reading, sheet.rows):
        while len(table.columns) < len(values):
            table.columns.append(f"column {len(table.columns) + 1}")
        table.rows.append((number, dict(zip(table.columns, values, strict=False))))
        if number in sheet.repeated:
            table.repeated[number] = {table.columns[i] for i in sheet.repeated[number] if i < len(table.columns)}
    return table


def sheets(reading: Reading, data: bytes) -> list[Sheet]:
    """Returns the visible sheets of a workbook."""
    book = _workbook(data, data_only=True)
    visible = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
    merged = _merged(reading, data, [str(sheet.title) for sheet in visible])
    result = []
    for sheet in visible:
        entry = Sheet(str(sheet.title), iter(()))
        entry.rows = _rows(reading, sheet, merged.get(entry.title, []), entry.repeated)
        result.append(entry)
    return result


def _workbook(data: bytes, *, data_only: bool) -> Any:
    import openpyxl

    return openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=data_only, keep_links=False)


def _rows(
    reading: Reading, sheet: Any, merged: Sequence[tuple[int, int, int]], repeated: dict[int, set[int]]
) -> Iterator[tuple[int, list[Any]]]:
    """(row number, cells) of the rows that are not blank.

    A cell far to the right of everything is a slip: it is left out and reported, and the table is read.
    """
    limit, areas = reading.limits.max_columns, _Areas(merged, repeated)
    sheet.reset_dimensions()  # some programs write a wrong size into the file; what is there decides
    for number, cells in enumerate(sheet.iter_rows(values_only=True), 1):
        reading.hurry(number)
        if number > _MOST_ROWS or len(cells) > _MOST_COLUMNS:
            beyond = N_("“{file}” is damaged: the sheet “{sheet}” has a cell beyond row {rows} or column XFD.")
            raise reading.refuse(beyond, SAVE_AGAIN, sheet=unescaped(str(sheet.title)), rows=_MOST_ROWS)
        if not cells:
            continue
        if len(cells) > limit:
            cells = _without_strays(reading, sheet, number, cells)
        values = [_cell(v) for v in cells]
        if merged:
            areas.fill(number, values)
        while values and values[-1] is None:
            values.pop()
        if values:
            yield number, values


class _Areas:
    """The merged areas of a sheet, as (first row, last row, column from 0), while its rows go by."""

    def __init__(self, merged: Sequence[tuple[int, int, int]], repeated: dict[int, set[int]]) -> None:
        self.coming = sorted(merged, reverse=True)
        self.open: list[tuple[int, int, object]] = []
        self.repeated = repeated

    def fill(self, number: int, values: list[Any]) -> None:
        """Puts the values of areas from above into this row, unless it has no value of its own."""
        self.open = [area for area in self.open if area[0] >= number]
        begun = []
        while self.coming and self.coming[-1][0] <= number:
            top, bottom, column = self.coming.pop()
            value = values[column] if column < len(values) else None
            if top == number and value is not None and len(str(value)) <= _LONGEST_REPEATED:
                begun.append((bottom, column, value))
        if any(value is not None for value in values):
            for _, column, value in self.open:
                values += [None] * (column + 1 - len(values))
                if values[column] is None:
                    values[column] = value
                    self.repeated.setdefault(number, set()).add(column)
        self.open += begun


def _merged(reading: Reading, data: bytes, titles: Sequence[str]) -> dict[str, list[tuple[int, int, int]]]:
    """The merged areas of the sheets with these titles, as `_Areas` takes them, that reach over rows."""
    areas_of = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for title, part in _parts(archive).items():
            if title not in titles or part not in archive.NameToInfo:
                continue
            rows = ((int(a), int(b), _column(x)) for x, a, b in _MERGED.findall(archive.read(part)))
            areas = [area for area in rows if area[1] > area[0] and area[2] < reading.limits.max_columns]
            if len(areas) > _MOST_MERGED:
                many = ngettext(
                    "The sheet has {n} merged cell; its value is only in its first cell.",
                    "The sheet has {n} merged cells; their values are only in their first cells.",
                    len(areas),
                    n=len(areas),
                )
                reading.problem(many, Said("Split the cells."), place=Said("sheet “{sheet}”", sheet=title))
                areas = []
            areas_of[title] = areas
    return areas_of


def _parts(archive: zipfile.ZipFile) -> dict[str, str]:
    """The files of the sheets by their titles."""
    from lxml import etree

    main = next((name for name in archive.namelist() if re.fullmatch(r"xl/workbook\d*\.xml", name)), "")
    relations = f"xl/_rels/{posixpath.basename(main)}.rels"
    if relations not in archive.NameToInfo:
        return {}
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    targets = {r.get("Id"): str(r.get("Target")) for r in etree.fromstring(archive.read(relations), parser)}
    path_of = {}
    for sheet in etree.fromstring(archive.read(main), parser).iter("{*}sheet"):
        target = targets.get(next((v for k, v in sheet.attrib.items() if k.endswith("}id")), None), "")
        path_of[str(sheet.get("name"))] = (
            target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")
        )
    return path_of


def _column(letters: bytes) -> int:
    """The number of a column, from 0."""
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number - 1


def _without_strays(reading: Reading, sheet: Any, number: int, cells: Sequence[object]) -> Sequence[object]:
    """A row within the limit of columns.  Raises `UploadError` if it is a whole row that is too long."""
    from openpyxl.utils import get_column_letter

    limit = reading.limits.max_columns
    filled = [i for i, value in enumerate(cells, 1) if _cell(value) is not None]
    far = [i for i in filled if i > limit]
    if len(filled) > limit or len(far) > MOST_STRAYS:
        reading.check_columns(filled[-1])
    if far:
        message = Said(
            "The cell {cell} is far away from the table; it was left out.",
            cell=f"{get_column_letter(far[0])}{number}",
        )
        place = Said("sheet “{sheet}”, row {n}", sheet=unescaped(str(sheet.title)), n=number)
        reading.problem(message, Said("Delete it, or move it into a column of the table."), place=place)
    return cells[:limit]


def unescaped(text: str) -> str:
    """Returns a text with the characters that the format writes as ``_x000D_``.

    Source: ECMA-376, part 1, 22.4.2.4; a pair of surrogates is one character.
    """
    if "_x" not in text:
        return text
    plain = _ESCAPED.sub(lambda m: chr(int(m[1], 16)), text)
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _cell(value: object) -> object:
    if isinstance(value, datetime.datetime):
        day = value.time() == datetime.time()
        return value.date().isoformat() if day else value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, str):
        text = clean(unescaped(value))[0]
        return text if text.strip() else None
    return value if value is None or isinstance(value, int | float) else str(value)


def _formulas(data: bytes, sheet: str, columns: Sequence[str], name: str) -> set[int]:
    """The rows of a sheet whose cell in this column is a formula: asked only if a text is missing."""
    column = columns.index(name) + 1
    area = {"min_col": column, "max_col": column, "max_row": 10_000}
    rows = _workbook(data, data_only=False)[sheet].iter_rows(**area, values_only=True)
    return {i for i, row in enumerate(rows, 1) if row and isinstance(row[0], str) and row[0].startswith("=")}


# ------------------------------------------------------------------------------------------- what is said


_CELL = re.compile(
    rb"<(?:\w+:)?c(?=[\s>])([^>]*)(?<!/)>\s*(?:<(?:\w+:)?f(?:[\s>][^<]*(?:</(?:\w+:)?f>)?|/>))?"
    rb"\s*(?:<(?:\w+:)?v>([^<]*)</|<(?:\w+:)?is>(.*?)</(?:\w+:)?is>)",
    re.DOTALL,
)
_PLACE, _TYPE = re.compile(rb"""\br=["']([A-Z]+)"""), re.compile(rb"""\bt=["'](\w+)""")
_STRING = re.compile(rb"<(?:\w+:)?t(?:\s[^>]*)?>([^<]*)</")
_PHONETIC = re.compile(rb"<(?:\w+:)?rPh\b.*?</(?:\w+:)?rPh>", re.DOTALL)


def say_cells(reading: Reading, data: bytes) -> Iterator[Statement]:
    """Yields the cells of all sheets by their columns, from the XML of the workbook."""
    with zipfile.ZipFile(io.BytesIO(repacked(reading, data, "xlsx"))) as archive:
        states, path_of = _states(archive), _parts(archive)
        strings = _shared_strings(archive)
        for title, part in path_of.items():
            if part not in archive.NameToInfo:
                continue
            for raw_texts, numbers in _cells_by_column(reading, archive.read(part), strings).values():
                texts = _tidy_lines(b"\n".join(raw_texts))
                name = " ".join((texts if raw_texts else numbers)[0].split())[:100]
                place = f"{unescaped(title)}: {name}" if len(path_of) > 1 else name
                if states.get(title, "visible") != "visible":
                    yield Statement(HIDDEN, HIDDEN_SHEETS, [*texts, *numbers])
                    continue
                yield Statement("column", place, texts)
                yield Statement(NUMBER, place, numbers)


def _cells_by_column(
    reading: Reading, xml: bytes, strings: Sequence[bytes]
) -> dict[bytes, tuple[list[bytes], list[str]]]:
    """The texts of the cells as they stand in the XML, and the numbers, by the letters of the columns."""
    if b"<!--" in xml or b"<![CDATA[" in xml:  # no program writes them, and they may hide what looks like cells
        raise ValueError("a sheet with comments or CDATA is not counted")
    columns: dict[bytes, tuple[list[bytes], list[str]]] = {}
    for step, (attributes, value, inline) in enumerate(_CELL.findall(xml)):
        reading.hurry(step)
        at, kind = _PLACE.search(attributes), _TYPE.search(attributes)
        texts, numbers = columns.setdefault(at[1] if at else b"", ([], []))
        name = kind[1] if kind else b"n"
        if inline:
            texts.append(_strings_in(inline))
        elif name == b"s" and value.isdigit() and int(value) < len(strings):
            texts.append(strings[int(value)])
        elif name in (b"str", b"d"):
            texts.append(value)
        elif name == b"b":
            texts.append(b"True" if value == b"1" else b"False")
        elif name == b"n" and value:
            numbers.append(value.decode("utf-8", "replace"))
    return {column: entry for column, entry in columns.items() if any(entry)}


def _strings_in(xml: bytes) -> bytes:
    return b"".join(_STRING.findall(_PHONETIC.sub(b"", xml) if b"rPh" in xml else xml))


def _tidy_lines(xml: bytes) -> list[str]:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    try:
        text = etree.fromstring(b"<t>" + xml + b"</t>", parser).text or ""
    except etree.XMLSyntaxError:
        text = unescape(xml.decode("utf-8", "replace"))
    return clean(unescaped(text))[0].split("\n")


def _states(archive: zipfile.ZipFile) -> dict[str, str]:
    """The states of the sheets by their titles: visible, hidden …"""
    from lxml import etree

    main = next((name for name in archive.namelist() if re.fullmatch(r"xl/workbook\d*\.xml", name)), "")
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    sheets_in = etree.fromstring(archive.read(main), parser).iter("{*}sheet") if main else ()
    return {str(sheet.get("name")): sheet.get("state", "visible") for sheet in sheets_in}


def _shared_strings(archive: zipfile.ZipFile) -> list[bytes]:
    """The strings that cells name by their numbers, without their phonetic readings."""
    part = next((name for name in archive.namelist() if name.lower().endswith("xl/sharedstrings.xml")), "")
    if part and b"<!--" in archive.read(part):
        raise ValueError("strings with comments are not counted")
    items = re.split(rb"<(?:\w+:)?si(?:\s[^>]*)?>", archive.read(part))[1:] if part else []
    return [_strings_in(item) for item in items]


FORMATS = (
    Format(
        "xlsx",
        ("xlsx", "xlsm"),
        lambda r, d, c: read_xlsx(r, repacked(r, d, "xlsx"), c),
        has_member(r"xl/workbook\d*\.xml"),
        is_text=False,
        statements=say_cells,
    ),
)
