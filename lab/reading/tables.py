"""Tables: csv, tsv, xlsx, json and jsonl, from rows to documents.

A table is column names and rows; which column holds what is guessed from the names and the values, and the
guess is shown, so that a person can choose otherwise.  A bad row is reported with its number and the others
are kept.  Row numbers count as a spreadsheet does: the header is row 1.  `csv_rows` and `sheets` give the bare
rows; Text2SQL takes its tables from them.
"""

from __future__ import annotations

import csv
import datetime
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain, islice
from typing import Any, TypeVar

from lab.algebra import Value
from lab.errors import UploadError
from lab.reading.encodings import clean
from lab.reading.names import Names
from lab.reading.uploads import Columns, Reading, TablePreview
from lab.text import rearm
from lab.words import N_, Said

_TEXT, _TITLE, _ID, LISTS, _MISSING = map(
    str.split,
    (
        "text content contents body passage document answer abstract description "
        "正文 内容 內容 文本 全文 段落 答案 回答 描述 说明 說明 摘要",
        "title headline heading subject question name 标题 標題 题目 題目 主题 主題 问题 問題 名称 名稱 品名",
        "_id id docid doc_id docno document_id doc-id key uuid 编号 編號 序号 序號 文档编号",
        "tags tag keywords keyword labels categories 标签 標籤 关键词 關鍵詞 关键字 關鍵字",
        "nan null none n/a na inf -inf #n/a #ref! #value! #div/0! #name? #null! #num!",
    ),
)
_INT = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{0,20})?|\.[0-9]{1,20})(?:[eE][+-]?[0-9]{1,3})?")
_BOOL = re.compile("true|false", re.IGNORECASE)
_LIST_BORDER = re.compile(r"[;；|]")
_DELIMITERS = (",", "\t", ";", "|", "，")
_PREVIEW_ROWS, _PREVIEW_CELL = 5, 200
MOST_STRAYS = 10
"""Cells of a row beyond the last column that is read; where there are more, they are columns and no slip."""
_NAMES_FIRST = Said("Write the column names into the first row and a document into every other.")
_OWN_ID = Said("Give every row an id of its own.")

# Python's csv refuses fields over 131,072 characters; a document may well be longer.  The limit is the process's, so it
# is set once for all readers: one that moved it would break another's file.  Our own limit on a file's size holds.
csv.field_size_limit(2**31 - 1)

T = TypeVar("T")
OnProblem = Callable[[int, Said, Said], None]
"""What is told of a bad line: its number, what is wrong and what to do.  It takes a note, or raises."""


@dataclass
class Table:
    """Column names and numbered rows; ``unit`` is what a place is called: a row, a line, an item.

    ``raw`` tables hold strings only (csv): their metadata gets types by column.  ``formulas`` finds the rows
    whose cell in a column is a formula without a stored result.
    """

    unit: str = N_("row {n}")
    columns: list[str] = field(default_factory=list)
    rows: list[tuple[int, dict[str, object]]] = field(default_factory=list)
    sheet: str = ""
    raw: bool = False
    formulas: Callable[[str], set[int]] = field(default=lambda _: set())

    def place(self, number: int) -> Said:
        """The name of a row's place."""
        return Said("sheet “{sheet}”, row {n}", sheet=self.sheet, n=number) if self.sheet else Said(self.unit, n=number)

    def within(self, reading: Reading, rows: Iterable[tuple[int, T]]) -> Iterator[tuple[int, T]]:
        """The rows that this table has room for; where there are more, that is reported."""
        for number, row in rows:
            if len(self.rows) >= reading.limits.max_rows:
                few = Said("Only the first {limit} rows were read.", limit=reading.limits.max_rows)
                reading.problem(few, Said("Upload the rest as a file of its own."), place=self.place(number))
                return
            yield number, row

    def under_header(self, reading: Reading, rows: Iterator[tuple[int, list[T]]]) -> Iterator[tuple[int, list[T]]]:
        """`within`, after the first row has given the columns; nothing where there is no row at all."""
        first = next(rows, None)
        if first is not None:
            self.columns, is_header = header(reading, first[1], self.place(first[0]))
            yield from self.within(reading, rows if is_header else chain([first], rows))


# ------------------------------------------------------------------------------------------- to documents


def add_table(reading: Reading, table: Table, columns: Columns | None) -> None:
    """Add the documents of a table to a reading, under the chosen or else the guessed columns.

    Raises `UploadError` where a chosen column does not exist, or no column holds text.
    """
    if not table.rows:
        remedy = Said("Add a row for every document.")
        raise reading.nothing(N_("“{file}” has column names but no rows under them."), remedy)
    guessed, first = guess(table), table.rows[:_PREVIEW_ROWS]
    rows = tuple(tuple(_shown(row.get(c)) for c in table.columns) for _, row in first)
    shown = TablePreview(reading.file, tuple(table.columns), rows, len(table.rows), guessed or Columns(""), table.sheet)
    chosen = columns or reading.chosen.get(shown.name) or guessed
    if chosen is None:
        remedy = Said("Give one column the name “text” and put the text of every document into it.")
        none = N_("“{file}” has no column with text; its columns are: {columns}.")
        raise reading.refuse(none, remedy, columns=_names(table.columns))
    for name in (chosen.text, chosen.title, chosen.id, *chosen.metadata):
        if name is not None and name not in table.columns:
            known = Said("Its columns are: {columns}.", columns=_names(table.columns))
            raise reading.refuse("“{file}” has no column “{name}”.", known, name=name)
    reading.tables.append(shown if guessed else replace(shown, guess=chosen))
    metadata = {c: _typed_column(table, c) for c in chosen.metadata}
    for step, (number, row) in enumerate(table.rows):
        reading.hurry(step)
        text = reading.clean(plain(row.get(chosen.text)) or "")
        if not text.strip():
            _no_text(reading, table, number, row, chosen.text)
            continue
        name = _row_id(reading, table, number, row, chosen.id)
        title = plain(row.get(chosen.title)) if chosen.title else None
        values = {c: v for c in chosen.metadata if (v := metadata[c](row.get(c))) is not None}
        reading.add(text, id=name, title=title or "", metadata=values, place=table.place(number))


def _row_id(reading: Reading, table: Table, number: int, row: Mapping[str, object], column: str | None) -> str:
    """The id of a row, else its file, sheet and number; a missing or a repeated one is reported."""
    stem = f"{reading.name}/{'_'.join(table.sheet.split())}" if table.sheet else reading.name
    own = f"{stem}/{number}"
    if column is None:
        return own
    wanted = " ".join(reading.clean(plain(row.get(column)) or "").split())
    if not wanted:
        missing = Said("The id is missing; the document is called “{id}”.", id=own)
        reading.problem(missing, _OWN_ID, place=table.place(number))
    elif wanted in reading.names.taken:
        again, wanted = wanted, reading.names.free(wanted)
        repeated = Said("The id “{id}” occurs again; this document is called “{new}”.", id=again, new=wanted)
        reading.problem(repeated, _OWN_ID, place=table.place(number))
    return wanted or own


def _no_text(reading: Reading, table: Table, number: int, row: Mapping[str, object], column: str) -> None:
    """Say why a row gave no document; nothing where it is blank as a whole."""
    if number in table.formulas(column):
        message = Said("“{column}” is a formula whose result is not stored in the file.", column=column)
        remedy = Said("Open the file in a spreadsheet program, save it there, and upload it again.")
    elif isinstance(row.get(column), dict | list):
        message = Said("“{column}” is not a text but a nested value.", column=column)
        remedy = Said("Write the text as one string.")
    elif all(plain(v) is None and not isinstance(v, dict | list) for v in row.values()):
        return
    else:
        message = Said("“{column}” is empty; the row was left out.", column=column)
        remedy = Said("Fill it in, or choose another column for the text.")
    reading.problem(message, remedy, place=table.place(number))


def plain(value: object) -> str | None:
    """A cell as text; None where it is missing, not a number (NaN, infinity), or a nested value."""
    if isinstance(value, str):
        return value if value.strip() and value.strip().lower() not in _MISSING else None
    if value is None or isinstance(value, dict | list) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return str(value)


def _shown(value: object) -> str:
    text = (_dumped(value) or "…") if isinstance(value, dict | list) else "" if value is None else str(value)
    return text if len(text) <= _PREVIEW_CELL else text[: _PREVIEW_CELL - 1] + "…"


def _names(columns: Sequence[str]) -> str:
    return ", ".join(f"“{c}”" for c in columns[:30]) + (" …" if len(columns) > 30 else "")


# ------------------------------------------------------------------------------------------------ columns


def guess(table: Table) -> Columns | None:
    """What the columns seem to be, from their names and their first thousand rows; None where none holds text.

    Text: a column with a telling name, else the one with the longest strings on average.  Title and id: by name;
    an id must be nearly always there and different.  Metadata: what is left, is short and is not always empty.
    """
    rows = [row for _, row in islice(table.rows, 1000)]
    values = {c: [v for row in rows if (v := plain(row.get(c))) is not None] for c in table.columns}
    mean = {c: sum(map(len, vs)) / len(vs) if vs else 0.0 for c, vs in values.items()}
    wordy = [c for c in table.columns if values[c] and any(_is_wordy(row.get(c)) for row in rows)]
    if not wordy:
        return None
    by_name = {c.strip().lower(): c for c in reversed(table.columns)}

    def called(names: Iterable[str], fits: Callable[[str], bool]) -> str | None:
        return next((by_name[n] for n in names if n in by_name and fits(by_name[n])), None)

    longest = max(wordy, key=lambda c: mean[c])
    text = called(_TEXT, lambda c: c in wordy and 4 * mean[c] >= mean[longest]) or longest
    title = called(_TITLE, lambda c: c in wordy and c != text)
    rest = [c for c in table.columns if c not in (text, title)]
    key = called(_ID, lambda c: c in rest and 2 * len(set(values[c])) > len(rows))
    nested = {c for c in rest if any(isinstance(row.get(c), list | dict) and row[c] for row in rows)}
    metadata = tuple(c for c in rest if c != key and (c in nested or (values[c] and mean[c] <= 200)))
    return Columns(text, title, key, metadata)


def _is_wordy(value: object) -> bool:
    text = value[:1000].strip() if isinstance(value, str) else ""
    return any(c.isalpha() for c in text) and _FLOAT.fullmatch(text) is None


def _typed_column(table: Table, column: str) -> Callable[[object], Value | None]:
    """How the values of this column become metadata: in a csv by what *all* its values look like."""
    if column.strip().lower() in LISTS:
        return _to_list
    if not table.raw:
        return to_value
    seen = {v.strip() for _, row in table.rows if (v := plain(row.get(column))) is not None}
    kinds: tuple[tuple[re.Pattern[str], Callable[[str], Value]], ...]
    kinds = (_INT, int), (_FLOAT, float), (_BOOL, lambda text: text.lower() == "true")
    typed = next((make for pattern, make in kinds if all(pattern.fullmatch(v) for v in seen)), str)
    return lambda v: None if (text := plain(v)) is None else to_value(typed(text.strip()))


def to_value(value: object) -> Value | None:
    """A typed cell or a JSON value as metadata: lists become lists of strings, objects their JSON; None: missing."""
    if isinstance(value, int):  # a bool is one
        return value if abs(value) < 2**63 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [p for v in value if (p := _dumped(v) if isinstance(v, dict | list) else plain(v)) is not None]
    if isinstance(value, dict):
        return _dumped(value)
    text = plain(value)
    return None if text is None else text.strip()


def _dumped(value: object) -> str | None:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return None


def _to_list(value: object) -> Value | None:
    if isinstance(value, list):
        return to_value(value)
    text = plain(value)
    return None if text is None else [part.strip() for part in _LIST_BORDER.split(text) if part.strip()]


def header(reading: Reading, first: Sequence[object], place: Said) -> tuple[list[str], bool]:
    """Column names from the first row, and whether it is a header at all.

    Where a number or a long text stands in it, it is data.  Empty names are numbered; repeated ones too, and
    reported.  Raises `UploadError` where there are too many.
    """
    reading.check_columns(len(first))
    texts = ["" if name is None else str(name) for name in first]
    numbers = (isinstance(name, int | float) for name in first)
    if any(numbers) or any(len(text) > 100 or _FLOAT.fullmatch(text.strip()) for text in texts):
        nameless = Said("The first row looks like data; the columns are called “column 1”, “column 2” …")
        reading.problem(nameless, Said("Write column names into the first row."), place=place)
        return [f"column {i}" for i in range(1, len(first) + 1)], False
    free, names = Names(pattern="{} ({})"), list[str]()
    for i, text in enumerate(texts, 1):
        wanted = " ".join(reading.clean(text).split()) or f"column {i}"
        names.append(free.fresh(wanted))
        if names[-1] != wanted:
            twice = Said("Two columns are called “{name}”; one is now “{new}”.", name=wanted, new=names[-1])
            reading.problem(twice, Said("Give every column a name of its own."), place=place)
    return names, True


# ---------------------------------------------------------------------------------------------- csv, tsv


def read_csv(reading: Reading, data: bytes, columns: Columns | None, *, delimiter: str | None = None) -> None:
    """A csv or tsv file with a header; the delimiter is found where it is not given."""
    delimiter, records = csv_rows(reading, reading.decode(data), delimiter)
    table, mark = Table(raw=True), "tab" if delimiter == "\t" else delimiter
    for number, fields in table.under_header(reading, records):
        width = len(table.columns)
        while len(fields) > width and not fields[-1].strip():
            fields.pop()
        count = {"n": len(fields), "columns": width}
        if len(fields) > width:
            long = Said("The row has {n} fields where there are {columns} columns; it was left out.", **count)
            remedy = Said("Put fields that contain “{delimiter}” into quotation marks.", delimiter=mark)
            reading.problem(long, remedy, place=table.place(number))
            continue
        if len(fields) < width:
            short = N_("The row has {n} fields where there are {columns} columns; the last ones are taken as empty.")
            reading.problem(Said(short, **count), Said("Complete the row."), place=table.place(number))
        table.rows.append((number, dict(zip(table.columns, fields, strict=False))))
    if not table.columns:
        raise reading.nothing(N_("“{file}” is an empty table."), _NAMES_FIRST)
    add_table(reading, table, columns)


def csv_rows(reading: Reading, text: str, delimiter: str | None = None) -> tuple[str, Iterator[tuple[int, list[str]]]]:
    """The delimiter, found where it is not given, and (row number, fields) of every row that is not blank."""
    lines = [line + "\n" for line in text.split("\n")]
    if lines[0].lower().startswith("sep=") and len(lines[0].strip()) == 5:  # written by spreadsheet programs
        delimiter, lines[0] = lines[0][4], "\n"
    delimiter = delimiter or _delimiter(lines)
    return delimiter, _records(reading, lines, delimiter)


def _delimiter(lines: list[str]) -> str:
    """The delimiter under which the most of the first records have as many fields as the first (and over one)."""

    def score(delimiter: str) -> tuple[bool, float, int]:
        try:
            records = [r for r in islice(csv.reader(iter(lines[:200]), delimiter=delimiter), 30) if r]
        except csv.Error:
            return False, 0.0, 0
        width = len(records[0]) if records else 0
        share = sum(len(r) == width for r in records) / len(records) if width > 1 else 0.0
        return share >= 0.5, share, width

    return max(_DELIMITERS, key=score)


def _records(reading: Reading, lines: list[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """(row number, fields) of every record.  A record that breaks the quoting is reported and left out.

    An unclosed quotation mark would swallow the rest of the file: reading goes on in the line after it.
    """

    at = number = 0  # the lines and the records that are done with
    while at < len(lines):
        begin, reader = at, csv.reader((lines[i] for i in range(at, len(lines))), delimiter=delimiter, strict=True)
        try:
            for fields in reader:
                reading.hurry(number)
                number, at = number + 1, begin + reader.line_num
                if any(f.strip() for f in fields):
                    yield number, [rearm(f) for f in fields]
        except csv.Error as error:
            reading.hurry()
            number, at = number + 1, at + 1
            wrong = Said("The quotation marks do not fit; the row was left out.")
            if "unexpected end" in str(error):
                wrong = Said("A quotation mark is opened and never closed; the line was left out.")
            remedy = N_("Write every quotation mark inside a field twice, and close every field that begins with one.")
            reading.problem(wrong, Said(remedy), place=Said("row {n} (line {line})", n=number, line=at))


# ---------------------------------------------------------------------------------------------- json, jsonl


def parse_json(text: str, tidy: Callable[[str], str] | None = None) -> Any:
    """JSON in which no number is too big: integers beyond 18 digits stay strings, NaN and infinity become None.

    Escapes can smuggle in what `clean` took out of a text (lone surrogates, control characters): ``tidy`` is called
    with every string of a text with escapes.  Raises ValueError with a short reason.
    """
    try:
        value = json.loads(text, parse_int=lambda s: int(s) if len(s) < 19 else s, parse_constant=lambda _: None)
        return _tidied(value, tidy) if tidy and "\\u" in text else value
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise ValueError(f"{error.msg}, {line}column {error.colno}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _tidied(value: Any, tidy: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return tidy(value)
    if isinstance(value, list):
        return [_tidied(v, tidy) for v in value]
    if isinstance(value, dict):
        return {tidy(k): _tidied(v, tidy) for k, v in value.items()}
    return value


def json_values(
    lines: Iterable[tuple[int, str]], on_problem: OnProblem, tidy: Callable[[str], str] | None = None
) -> Iterator[tuple[int, Any]]:
    """(line number, value) of the lines that are JSON."""
    for number, line in lines:
        try:
            value = parse_json(line, tidy)
        except ValueError as error:
            wrong = Said("The line is not valid JSON ({reason}).", reason=str(error))
            on_problem(number, wrong, Said("Write one JSON object per line."))
        else:
            yield number, value


def read_jsonl(reading: Reading, data: bytes, columns: Columns | None) -> None:
    """One JSON object (or string) a line."""
    text = reading.decode(data)
    values = json_values(reading.lines(text), reading.wrong_line, reading.clean)
    _add_json(reading, values, Table(N_("line {n}")), columns)


def read_json(reading: Reading, data: bytes, columns: Columns | None) -> None:
    """A list of objects or of strings; an object that holds such a list; objects or strings by id; one object."""
    text = reading.decode(data)
    try:
        value = parse_json(text, reading.clean)
    except ValueError as error:
        if "Extra data" in str(error) and text.lstrip().startswith("{"):  # JSON lines under another name
            read_jsonl(reading, data, columns)
            return
        remedy = Said("Check it with a JSON validator; one object per line belongs in a .jsonl file.")
        raise reading.refuse("“{file}” is not valid JSON ({reason}).", remedy, reason=str(error)) from None
    _add_json(reading, enumerate(_items(value), 1), Table(N_("item {n}")), columns)


def _add_json(reading: Reading, values: Iterable[tuple[int, object]], table: Table, columns: Columns | None) -> None:
    """Add numbered values, each an object or a text; others are reported."""
    for number, value in table.within(reading, values):
        record = {"text": value} if isinstance(value, str) else value
        if not isinstance(record, dict):
            remedy = Said("Write every document as an object with a “text”.")
            reading.problem(Said("This is not a JSON object."), remedy, place=table.place(number))
            continue
        nested = record.get("metadata")
        if isinstance(nested, dict):  # the BEIR layout: what is in there counts as columns
            own = {k: v for k, v in record.items() if k != "metadata"}
            record = {k: v for k, v in nested.items() if k not in record} | own
        table.rows.append((number, record))
    if not table.rows:
        remedy = Said("Write a list of objects, each with a “text”.")
        raise reading.nothing(N_("“{file}” is JSON, but not a list of documents."), remedy)
    names = list(dict.fromkeys(k for _, row in table.rows for k in row))
    limit = reading.limits.max_columns
    if len(names) > limit:
        many = Said("There are {n} different keys; only the first {limit} are read.", n=len(names), limit=limit)
        reading.problem(many, Said("Leave out keys that are not needed."))
    table.columns = names[:limit]
    add_table(reading, table, columns)


def _items(value: object) -> list[object]:
    if isinstance(value, list):
        return value
    if isinstance(value, str):
        return [value] if value.strip() else []
    if not isinstance(value, dict) or not value:
        return []
    lists = [v for v in value.values() if isinstance(v, list) and any(isinstance(x, dict | str) for x in v)]
    if any(isinstance(value.get(name), str) for name in _TEXT):
        return [value]
    if len(lists) == 1:
        return list(lists[0])
    if all(isinstance(v, dict) for v in value.values()):
        return [{"id": k, **v} for k, v in value.items()]
    if all(isinstance(v, str) for v in value.values()):
        return [{"id": k, "text": v} for k, v in value.items()]
    return [value] if any(isinstance(v, str) for v in value.values()) else []


# ---------------------------------------------------------------------------------------------------- xlsx


def read_xlsx(reading: Reading, data: bytes, columns: Columns | None) -> None:
    """The visible sheets of a workbook that `lab.reading.archive.repacked` has checked; results, not formulas."""
    visible = sheets(reading, data)
    tables = [_sheet(reading, "" if len(visible) == 1 else title, rows) for title, rows in visible]
    found = [(title, table) for (title, _), table in zip(visible, tables, strict=True) if table.columns]
    if not found:
        raise reading.nothing(N_("“{file}” has no sheet with a table in it."), _NAMES_FIRST)
    refused: list[UploadError] = []
    for title, table in found:
        table.formulas = cache(lambda column, t=title, names=table.columns: _formulas(data, t, names.index(column)))
        try:
            add_table(reading, table, columns)
        except UploadError as error:  # a sheet of numbers beside a sheet of texts is usual
            refused.append(error)
            place = Said("sheet “{sheet}”", sheet=title) if table.sheet else None
            reading.problem(error.message, error.remedy, place=place)
    if len(refused) == len(found):
        raise refused[0]


def sheets(reading: Reading, data: bytes) -> list[tuple[str, Iterator[tuple[int, list[Any]]]]]:
    """The titles of a workbook's visible sheets, and (row number, cells) of their rows that are not blank."""
    book = _workbook(data, data_only=True)
    return [(str(s.title), _rows(reading, s)) for s in book.worksheets if s.sheet_state == "visible"]


def _workbook(data: bytes, *, data_only: bool) -> Any:
    import openpyxl

    return openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=data_only, keep_links=False)


def _rows(reading: Reading, sheet: Any) -> Iterator[tuple[int, list[Any]]]:
    """(row number, cells) of the rows that are not blank.

    A cell far to the right of everything is a slip: it is left out and reported, and the table is read.
    """
    limit = reading.limits.max_columns
    sheet.reset_dimensions()  # some programs write a wrong size into the file; what is there decides
    for number, cells in enumerate(sheet.iter_rows(values_only=True), 1):
        reading.hurry(number)
        if not cells:
            continue
        if len(cells) > limit:
            cells = _without_strays(reading, sheet, number, cells)
        values = [_cell(v) for v in cells]
        while values and values[-1] is None:
            values.pop()
        if values:
            yield number, values


def _without_strays(reading: Reading, sheet: Any, number: int, cells: Sequence[object]) -> Sequence[object]:
    """A row within the limit of columns.  Raises `UploadError` where it is a whole row that is too long."""
    from openpyxl.utils import get_column_letter

    limit = reading.limits.max_columns
    filled = [i for i, value in enumerate(cells, 1) if _cell(value) is not None]
    far = [i for i in filled if i > limit]
    if len(filled) > limit or len(far) > MOST_STRAYS:
        reading.check_columns(filled[-1])
    if far:
        said = Said(
            "The cell {cell} stands far away from the table; it was left out.",
            cell=f"{get_column_letter(far[0])}{number}",
        )
        place = Said("sheet “{sheet}”, row {n}", sheet=str(sheet.title), n=number)
        reading.problem(said, Said("Delete it, or move it into a column of the table."), place=place)
    return cells[:limit]


def _sheet(reading: Reading, title: str, rows: Iterator[tuple[int, list[Any]]]) -> Table:
    table = Table(sheet=title)
    for number, values in table.under_header(reading, rows):
        while len(table.columns) < len(values):
            table.columns.append(f"column {len(table.columns) + 1}")
        table.rows.append((number, dict(zip(table.columns, values, strict=False))))
    return table


def _cell(value: object) -> object:
    if isinstance(value, datetime.datetime):
        day = value.time() == datetime.time()
        return value.date().isoformat() if day else value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, str):
        return clean(value)[0] if value.strip() else None
    return value if value is None or isinstance(value, int | float) else str(value)


def _formulas(data: bytes, sheet: str, column: int) -> set[int]:
    """The rows of a sheet whose cell in this column (from 0) is a formula: asked only where a text is missing."""
    here = {"min_col": column + 1, "max_col": column + 1, "max_row": 10_000}
    rows = _workbook(data, data_only=False)[sheet].iter_rows(**here, values_only=True)
    return {i for i, row in enumerate(rows, 1) if row and isinstance(row[0], str) and row[0].startswith("=")}
