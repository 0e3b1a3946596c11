"""Workbooks (xlsx) by openpyxl: the visible sheets as they are seen, with the results of formulas.

A merged cell has its value in every row that it reaches over, as the sheet shows it; further columns stay empty.
"""

from __future__ import annotations

import datetime
import io
import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from html import unescape
from typing import Any

from lab.reading.account import HIDDEN, HIDDEN_CELLS, HIDDEN_SHEETS, NUMBER, Statement
from lab.reading.archive import has_member, repacked
from lab.reading.delimited import NAMES_FIRST
from lab.reading.encodings import clean
from lab.reading.format import Format
from lab.reading.number_formats import Show, shows
from lab.reading.tables import MOST_STRAYS, Table, add_tables
from lab.reading.uploads import SAVE_AGAIN, Columns, Reading
from lab.words import N_, Said, ngettext

_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*?\bref=[\"']([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})[\"']")
_HIDDEN = re.compile(rb"""\bhidden=["'](?:1|true)["']""")
_ROW = re.compile(rb"""<(?:\w+:)?row\s(?=[^>]*\bhidden=["'](?:1|true))[^>]*?\br=["'](\d{1,7})["']""")
_COLUMN = re.compile(rb"<(?:\w+:)?col\s[^>]*>")
_FORMULA = re.compile(
    rb"""<(?:\w+:)?c\s(?P<cell>[^>]*)>\s*<(?:\w+:)?f\b(?:[^>]*/>|[^>]*>[^<]*</(?:\w+:)?f>)\s*+
    (?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*+</(?:\w+:)?c>""",
    re.VERBOSE,
)
"""A formula without a stored result."""
_PLACE = re.compile(rb"""\br=["']([A-Z]{1,3})(\d{1,7})["']""")
_NAMED = 10
"""Number of hidden rows and columns that a remark names."""
_OPEN_AND_SAVE = Said("Open the file in a spreadsheet program, save it there, and upload it again.")
_UNHIDE = Said("Unhide what you want to load, and upload the file again.")
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 16_384
"""Rows and columns of the format: what is beyond them (below 1048576, right of XFD) was written by no program."""
_MOST_MERGED, _LONGEST_REPEATED = 100_000, 1000
"""Merged areas of a sheet, and characters of a value that is repeated."""


@dataclass
class Sheet:
    """A visible sheet: its title and the (number, cells) of its rows that are not blank.

    ``repeated`` has, once a row was given, the columns (from 0) that only have a value because of a merged cell.
    ``unstored`` are the (row, column from 0) of formulas without a stored result.
    """

    title: str
    rows: Iterator[tuple[int, list[Any]]]
    repeated: dict[int, set[int]] = field(default_factory=dict)
    unstored: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True)
class _Layout:
    """What the file of a sheet has beside its values: merged areas, as `_Areas` takes them, what is hidden, formulas.

    Rows are from 1, columns from 0.
    """

    merged: Sequence[tuple[int, int, int]] = ()
    rows: frozenset[int] = frozenset()
    columns: frozenset[int] = frozenset()
    unstored: frozenset[tuple[int, int]] = frozenset()


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
        table.formulas = cache(partial(_unstored, sheet.unstored, table.columns))
    add_tables(reading, [table for _, table in filled], columns)
    if len(filled) > 1:
        reading.fact(ngettext("{n:,} sheet", "{n:,} sheets", len(filled)))


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
    """Returns the visible sheets of a workbook; reports hidden ones and formulas without a result."""
    book = _workbook(data)
    visible = [s for s in book.worksheets if s.sheet_state == "visible" or reading.takes_in("hidden")]
    hidden = [unescaped(str(sheet.title)) for sheet in book.worksheets if sheet not in visible]
    if hidden and visible:
        reading.problem(Said("Hidden sheets were left out: {names}.", names=_some(hidden)), _UNHIDE)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        layouts = _layouts(reading, archive, [str(sheet.title) for sheet in visible])
        formats = shows(archive)
    result = []
    for sheet in visible:
        entry, layout = Sheet(str(sheet.title), iter(())), layouts.get(str(sheet.title), _Layout())
        entry.rows = _rows(reading, sheet, layout, entry.repeated, formats)
        entry.unstored = frozenset((row, _shifted(column, layout)) for row, column in layout.unstored)
        result.append(entry)
    return result


def _shifted(column: int, layout: _Layout) -> int:
    """The place of a column among those that are not hidden."""
    return column - sum(hidden < column for hidden in layout.columns)


def _some(names: Sequence[object]) -> str:
    return ", ".join(map(str, names[:_NAMED])) + (" …" if len(names) > _NAMED else "")


def _workbook(data: bytes) -> Any:
    import openpyxl

    return openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)


def _rows(
    reading: Reading, sheet: Any, layout: _Layout, repeated: dict[int, set[int]], formats: Mapping[str, Show]
) -> Iterator[tuple[int, list[Any]]]:
    """(row number, cells) of the rows that are not blank and not hidden.

    A cell far to the right of everything is a slip: it is left out and reported, and the table is read.
    """
    limit, areas = reading.limits.max_columns, _Areas(layout.merged, repeated)
    hidden_rows, hidden_columns = list[int](), set[int]()
    sheet.reset_dimensions()  # some programs write a wrong size into the file; what is there decides
    for number, cells in enumerate(sheet.iter_rows(values_only=not formats), 1):
        reading.hurry(number)
        if number > _MOST_ROWS or len(cells) > _MOST_COLUMNS:
            beyond = N_("“{file}” is damaged: the sheet “{sheet}” has a cell beyond row {rows} or column XFD.")
            raise reading.refuse(beyond, SAVE_AGAIN, sheet=unescaped(str(sheet.title)), rows=_MOST_ROWS)
        if not cells:
            continue
        if formats:
            cells = [_shown(cell, formats) for cell in cells]
        if len(cells) > limit:
            cells = _without_strays(reading, sheet, number, cells)
        values = [*cells] if formats else [_cell(v) for v in cells]
        if layout.merged:
            areas.fill(number, values)
        if number in layout.rows:
            if any(value is not None for value in values):
                hidden_rows.append(number)
            continue
        if layout.columns:
            hidden_columns |= {i for i in layout.columns if i < len(values) and values[i] is not None}
            values = [value for i, value in enumerate(values) if i not in layout.columns]
            if number in repeated:
                repeated[number] = {_shifted(i, layout) for i in repeated[number] if i not in layout.columns}
        while values and values[-1] is None:
            values.pop()
        if values:
            yield number, values
    _name_hidden(reading, sheet, hidden_rows, sorted(hidden_columns))


def _name_hidden(reading: Reading, sheet: Any, rows: Sequence[int], columns: Sequence[int]) -> None:
    """Reports the hidden rows and columns that have values."""
    from openpyxl.utils import get_column_letter

    place = Said("sheet “{sheet}”", sheet=unescaped(str(sheet.title)))
    if rows:
        reading.problem(Said("Hidden rows were left out: {rows}.", rows=_some(rows)), _UNHIDE, place=place)
    if columns:
        letters = _some([get_column_letter(i + 1) for i in columns])
        reading.problem(Said("Hidden columns were left out: {columns}.", columns=letters), _UNHIDE, place=place)


def _shown(cell: Any, formats: Mapping[str, Show]) -> object:
    """The value of a cell as `_cell` gives it, or as its format shows it where that changes what is meant."""
    value = cell.value
    if value is None or isinstance(value, str) or (show := formats.get(cell.number_format)) is None:
        return _cell(value)
    shown = show(value)
    return shown if isinstance(shown, str) else _cell(shown)


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


def _layouts(reading: Reading, archive: zipfile.ZipFile, titles: Sequence[str]) -> dict[str, _Layout]:
    """The layouts of the sheets with these titles; reports too many merged cells, and formulas without a result."""
    layout_of = {}
    for title, part in _parts(archive).items():
        if title not in titles or part not in archive.NameToInfo:
            continue
        xml, place = archive.read(part), Said("sheet “{sheet}”", sheet=unescaped(title))
        unstored = _unstored_places(xml) if b"<f" in xml or b":f" in xml else []
        if unstored:
            message = Said(
                "Formulas without a stored result: {n}, the first in {cell}.", n=len(unstored), cell=unstored[0][0]
            )
            reading.problem(message, _OPEN_AND_SAVE, place=place)
        rows, columns = _hidden(reading, xml)
        if reading.takes_in("hidden"):
            rows, columns = frozenset(), frozenset()
        layout_of[title] = _Layout(
            _merged(reading, xml, place), rows, columns, frozenset(where for _, where in unstored)
        )
    return layout_of


def _hidden(reading: Reading, xml: bytes) -> tuple[frozenset[int], frozenset[int]]:
    """The hidden rows, from 1, and the hidden columns, from 0."""
    columns = (column for column in _COLUMN.findall(xml) if _HIDDEN.search(column))
    return frozenset(map(int, _ROW.findall(xml))), frozenset(i for each in columns for i in _reach(reading, each))


def _unstored_places(xml: bytes) -> list[tuple[str, tuple[int, int]]]:
    """The cells with a formula and no result, by name and as (row, column); an empty text is a result."""
    cells = (m["cell"] for m in _FORMULA.finditer(xml) if b't="str"' not in m["cell"])
    places = (m for cell in cells if (m := _PLACE.search(cell)))
    return [((m[1] + m[2]).decode(), (int(m[2]), _column(m[1]))) for m in places]


def _reach(reading: Reading, column: bytes) -> range:
    """The columns, from 0, of an entry of the list of columns."""
    least, most = (
        int(m[1]) if (m := re.search(rb"""\b%b=["'](\d{1,5})["']""" % name, column)) else 0 for name in (b"min", b"max")
    )
    return range(max(0, least - 1), min(most, reading.limits.max_columns))


def _merged(reading: Reading, xml: bytes, place: Said) -> list[tuple[int, int, int]]:
    """The merged areas of a sheet that reach over rows."""
    rows = ((int(a), int(b), _column(x)) for x, a, b in _MERGED.findall(xml))
    areas = [area for area in rows if area[1] > area[0] and area[2] < reading.limits.max_columns]
    if len(areas) <= _MOST_MERGED:
        return areas
    many = ngettext(
        "The sheet has {n} merged cell; its value is only in its first cell.",
        "The sheet has {n} merged cells; their values are only in their first cells.",
        len(areas),
    )
    reading.problem(many, Said("Split the cells."), place=place)
    return []


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
            "The cell {cell} is far away from the table; it was left out.", cell=f"{get_column_letter(far[0])}{number}"
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
    if isinstance(value, datetime.time) and not value.second:
        return value.isoformat(timespec="minutes")
    if isinstance(value, str):
        text = clean(unescaped(value))[0]
        return text if text.strip() else None
    return value if value is None or isinstance(value, int | float) else str(value)


def _unstored(places: frozenset[tuple[int, int]], columns: Sequence[str], name: str) -> set[int]:
    """The rows whose cell in this column is a formula without a result."""
    column = columns.index(name)
    return {row for row, at in places if at == column}


# ------------------------------------------------------------------------------------------- what is said


_CELL = re.compile(
    rb"<(?:\w+:)?c(?=[\s>])([^>]*)(?<!/)>\s*+(?>(?:<(?:\w+:)?f(?:[\s>][^<]*+(?:</(?:\w+:)?f>)?|/>))?)"
    rb"\s*+(?:<(?:\w+:)?v>([^<]*)</|<(?:\w+:)?is>(.*?)</(?:\w+:)?is>)",
    re.DOTALL,
)
_LETTERS, _TYPE = re.compile(rb"""\br=["']([A-Z]+)"""), re.compile(rb"""\bt=["'](\w+)""")
_STRING = re.compile(rb"<(?:\w+:)?t(?:\s[^>]*)?>([^<]*)</")
_UNSEEN = b"hidden"
"""In the place of the letters of a column: cells of hidden rows and columns."""
_PHONETIC = re.compile(rb"<(?:\w+:)?rPh\b.*?</(?:\w+:)?rPh>", re.DOTALL)


def say_cells(reading: Reading, data: bytes) -> Iterator[Statement]:
    """Yields the cells of all sheets by their columns, from the XML of the workbook."""
    with zipfile.ZipFile(io.BytesIO(repacked(reading, data, "xlsx"))) as archive:
        states, path_of = _states(archive), _parts(archive)
        strings = _shared_strings(archive)
        for title, part in path_of.items():
            if part not in archive.NameToInfo:
                continue
            for column, (raw_texts, numbers) in _cells_by_column(reading, archive.read(part), strings).items():
                texts = _tidy_lines(b"\n".join(raw_texts))
                name = " ".join((texts if raw_texts else numbers)[0].split())[:100]
                place = f"{unescaped(title)}: {name}" if len(path_of) > 1 else name
                if states.get(title, "visible") != "visible" or column == _UNSEEN:
                    named = HIDDEN_CELLS if states.get(title, "visible") == "visible" else HIDDEN_SHEETS
                    yield Statement(HIDDEN, named, [*texts, *numbers])
                    continue
                yield Statement("column", place, texts)
                yield Statement(NUMBER, place, numbers)


def _cells_by_column(
    reading: Reading, xml: bytes, strings: Sequence[bytes]
) -> dict[bytes, tuple[list[bytes], list[str]]]:
    """The texts and the numbers of the cells as the XML has them, by the letters of the columns."""
    if b"<!--" in xml or b"<![CDATA[" in xml:  # no program writes them, and they may hide what looks like cells
        raise ValueError("a sheet with comments or CDATA is not counted")
    columns: dict[bytes, tuple[list[bytes], list[str]]] = {}
    rows_hidden, columns_hidden = _hidden(reading, xml)
    for step, (attributes, value, inline) in enumerate(_CELL.findall(xml)):
        reading.hurry(step)
        at, kind = _LETTERS.search(attributes), _TYPE.search(attributes)
        column = at[1] if at else b""
        if (rows_hidden or columns_hidden) and (cell := _PLACE.search(attributes)):
            column = _UNSEEN if int(cell[2]) in rows_hidden or _column(cell[1]) in columns_hidden else column
        texts, numbers = columns.setdefault(column, ([], []))
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
