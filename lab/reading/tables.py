"""Tables: csv, tsv, xlsx, json and jsonl, from rows to documents.

A table is column names and rows; which column holds what is guessed from the names and the values, and the
guess is shown, so that a person can choose otherwise.  A bad row is reported with its number and the others
are kept.  Row numbers count as a spreadsheet does: the header is row 1.
"""

from __future__ import annotations

import csv
import datetime
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from lab.core import Value
from lab.errors import UploadError
from lab.reading.encodings import clean
from lab.reading.uploads import Columns, Reading, TablePreview
from lab.words import N_, Said

_TEXT = (
    "text",
    "content",
    "contents",
    "body",
    "passage",
    "document",
    "answer",
    "abstract",
    "description",
    "正文",
    "内容",
    "內容",
    "文本",
    "全文",
    "段落",
    "答案",
    "回答",
    "描述",
    "说明",
    "說明",
    "摘要",
)
_TITLE = (
    "title",
    "headline",
    "heading",
    "subject",
    "question",
    "name",
    "标题",
    "標題",
    "题目",
    "題目",
    "主题",
    "主題",
    "问题",
    "問題",
    "名称",
    "名稱",
)
_ID = (
    "_id",
    "id",
    "docid",
    "doc_id",
    "docno",
    "document_id",
    "doc-id",
    "key",
    "uuid",
    "编号",
    "編號",
    "序号",
    "序號",
    "文档编号",
)
LISTS = (
    "tags",
    "tag",
    "keywords",
    "keyword",
    "labels",
    "categories",
    "标签",
    "標籤",
    "关键词",
    "關鍵詞",
    "关键字",
    "關鍵字",
)
_INT = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{0,20})?|\.[0-9]{1,20})(?:[eE][+-]?[0-9]{1,3})?")
_MISSING = frozenset(
    (
        "",
        "nan",
        "null",
        "none",
        "n/a",
        "na",
        "inf",
        "-inf",
        "#n/a",
        "#ref!",
        "#value!",
        "#div/0!",
        "#name?",
        "#null!",
        "#num!",
    )
)
_LIST_BORDER = re.compile(r"[;；|]")
_DELIMITERS = (",", "\t", ";", "|")
_PREVIEW_ROWS, _PREVIEW_CELL = 5, 200
Row = tuple[int, dict[str, object]]


@dataclass
class Table:
    """Column names and numbered rows; ``unit`` is what a place is called (row, line, item).

    ``raw`` tables hold strings only (csv): their metadata gets types by column.  ``formulas`` finds the rows
    whose cell in a column is a formula without a stored result.
    """

    columns: list[str]
    rows: list[Row]
    unit: str = "row"
    sheet: str = ""
    raw: bool = False
    formulas: Callable[[str], set[int]] = field(default=lambda _: set())

    def place(self, number: int) -> Said:
        """The name of a row's place."""
        if self.sheet:
            return Said("sheet “{sheet}”, row {n}", sheet=self.sheet, n=number)
        places = {"row": N_("row {n}"), "line": N_("line {n}"), "item": N_("item {n}")}
        return Said(places[self.unit], n=number)


# ------------------------------------------------------------------------------------------- to documents


def add_table(reading: Reading, table: Table, columns: Columns | None) -> None:
    """Add the documents of a table to a reading, under the chosen or else the guessed columns.

    Raises `UploadError` where a chosen column does not exist, or no column holds text.
    """
    if not table.rows:
        raise reading.nothing(
            "“{file}” has column names but no rows under them.", Said("Add a row for every document.")
        )
    guessed = guess(table)
    chosen = columns or guessed
    if chosen is None:
        raise reading.refuse(
            "“{file}” has no column with text; its columns are: {columns}.",
            Said("Give one column the name “text” and put the text of every document into it."),
            columns=_names(table.columns),
        )
    for name in (chosen.text, chosen.title, chosen.id, *chosen.metadata):
        if name is not None and name not in table.columns:
            raise reading.refuse(
                "“{file}” has no column “{name}”.",
                Said("Its columns are: {columns}.", columns=_names(table.columns)),
                name=name,
            )
    preview = tuple(tuple(_shown(row.get(c)) for c in table.columns) for _, row in table.rows[:_PREVIEW_ROWS])
    reading.tables.append(
        TablePreview(reading.file, tuple(table.columns), preview, len(table.rows), guessed or chosen, chosen)
    )
    metadata = _typed_columns(table, chosen.metadata)
    stem = f"{reading.name}/{'_'.join(table.sheet.split())}" if table.sheet else reading.name
    formulas: set[int] | None = None
    for i, (number, row) in enumerate(table.rows):
        if i % 1000 == 0:
            reading.hurry()
        text = plain(row.get(chosen.text))
        if text is None:
            if formulas is None:
                formulas = table.formulas(chosen.text)
            _no_text(reading, table, number, row, chosen.text, formula=number in formulas)
            continue
        wanted = plain(row.get(chosen.id)) if chosen.id else None
        wanted = " ".join(reading.clean(wanted).split()) if wanted else None
        if chosen.id and not wanted:
            wanted = f"{stem}/{number}"
            reading.problem(
                Said("The id is missing; the document is called “{id}”.", id=wanted),
                Said("Give every row an id of its own."),
                place=table.place(number),
            )
        elif wanted and wanted in reading.names.taken:
            again, wanted = wanted, reading.names.free(wanted)
            reading.problem(
                Said("The id “{id}” occurs again; this document is called “{new}”.", id=again, new=wanted),
                Said("Give every row an id of its own."),
                place=table.place(number),
            )
        title = plain(row.get(chosen.title)) if chosen.title else None
        values = {c: v for c in chosen.metadata if (v := metadata[c](row.get(c))) is not None}
        place = table.place(number)
        if not reading.add(text, id=wanted or f"{stem}/{number}", title=title or "", metadata=values, place=place):
            _no_text(reading, table, number, row, chosen.text, formula=False)


def _no_text(
    reading: Reading, table: Table, number: int, row: Mapping[str, object], column: str, *, formula: bool
) -> None:
    if all(plain(v) is None and not isinstance(v, dict | list) for v in row.values()) and not formula:
        return  # a blank row: nothing is lost
    if formula:
        reading.problem(
            Said("“{column}” is a formula whose result is not stored in the file.", column=column),
            Said("Open the file in a spreadsheet program, save it there, and upload it again."),
            place=table.place(number),
        )
    elif isinstance(row.get(column), dict | list):
        reading.problem(
            Said("“{column}” is not a text but a nested value.", column=column),
            Said("Write the text as one string."),
            place=table.place(number),
        )
    else:
        reading.problem(
            Said("“{column}” is empty; the row was left out.", column=column),
            Said("Fill it in, or choose another column for the text."),
            place=table.place(number),
        )


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
    wordy = [
        c for c in table.columns if any(isinstance(row.get(c), str) and _is_wordy(row[c]) for row in rows) and values[c]
    ]
    if not wordy:
        return None
    by_name = {c.strip().lower(): c for c in reversed(table.columns)}
    longest = max(wordy, key=lambda c: mean[c])
    text = next(
        (by_name[n] for n in _TEXT if by_name.get(n) in wordy and 4 * mean[by_name[n]] >= mean[longest]), longest
    )
    title = next((by_name[n] for n in _TITLE if by_name.get(n) in wordy and by_name[n] != text), None)
    rest = [c for c in table.columns if c not in (text, title)]
    key = next(
        (
            by_name[n]
            for n in _ID
            if by_name.get(n) in rest and values[by_name[n]] and 2 * len(set(values[by_name[n]])) > len(rows)
        ),
        None,
    )
    nested = {c for c in rest if any(isinstance(row.get(c), list | dict) and row[c] for row in rows)}
    metadata = tuple(c for c in rest if c != key and (c in nested or (values[c] and mean[c] <= 200)))
    return Columns(text, title, key, metadata)


def _is_wordy(value: object) -> bool:
    text = str(value)[:1000].strip()
    return any(c.isalpha() for c in text) and _FLOAT.fullmatch(text) is None


def _typed_columns(table: Table, columns: Sequence[str]) -> dict[str, Callable[[object], Value | None]]:
    return {c: _typed_column(table, c) for c in columns}


def _typed_column(table: Table, column: str) -> Callable[[object], Value | None]:
    """How the values of this column become metadata: in a csv by what *all* its values look like."""
    if column.strip().lower() in LISTS:
        return _to_list
    if not table.raw:
        return to_value
    seen = {v.strip() for _, row in table.rows if (v := plain(row.get(column))) is not None}
    if all(_INT.fullmatch(v) for v in seen):
        return lambda v: None if (p := plain(v)) is None else int(p)
    if all(_FLOAT.fullmatch(v) for v in seen):
        return lambda v: None if (p := plain(v)) is None or not math.isfinite(float(p)) else float(p)
    if all(v.lower() in ("true", "false") for v in seen):
        return lambda v: None if (p := plain(v)) is None else p.strip().lower() == "true"
    return lambda v: None if (p := plain(v)) is None else p.strip()


def to_value(value: object) -> Value | None:
    """A typed cell or a JSON value as metadata: lists become lists of strings, objects their JSON; None: missing."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
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
    reported.
    """
    if any(
        isinstance(n, int | float) or (isinstance(n, str) and (len(n) > 100 or _FLOAT.fullmatch(n.strip())))
        for n in first
    ):
        reading.problem(
            Said("The first row looks like data; the columns are called “column 1”, “column 2” …"),
            Said("Write column names into the first row."),
            place=place,
        )
        return [f"column {i}" for i in range(1, len(first) + 1)], False
    count: Counter[str] = Counter()
    out: list[str] = []
    taken: set[str] = set()
    for i, raw in enumerate(first, 1):
        base = name = " ".join(reading.clean(str(raw if raw is not None else "")).split()) or f"column {i}"
        count[base] += 1
        while name in taken:
            name = f"{base} ({count[base]})"
            count[base] += 1
        if name != base:
            reading.problem(
                Said("Two columns are called “{name}”; one is now “{new}”.", name=base, new=name),
                Said("Give every column a name of its own."),
                place=place,
            )
        taken.add(name)
        out.append(name)
    return out, True


# ---------------------------------------------------------------------------------------------- csv, tsv


class _Lines:
    """Lines that a csv reader takes one by one, and that can be wound back after an unclosed quotation mark."""

    def __init__(self, lines: list[str]) -> None:
        self.lines, self.at = lines, 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self.at >= len(self.lines):
            raise StopIteration
        self.at += 1
        return self.lines[self.at - 1]


def read_csv(reading: Reading, data: bytes, columns: Columns | None, *, delimiter: str | None = None) -> None:
    """A csv or tsv file with a header; the delimiter is found where it is not given."""
    text = reading.decode(data)
    # Python's csv refuses fields over 131,072 characters; a document may well be longer.  The limit is the
    # process's, and raising it harms nobody: our own limit on the file's size holds.
    csv.field_size_limit(max(csv.field_size_limit(), reading.limits.max_bytes))
    lines = [line + "\n" for line in text.split("\n")]
    if lines[0].lower().startswith("sep=") and len(lines[0].strip()) == 5:  # written by spreadsheet programs
        delimiter, lines[0] = lines[0][4], "\n"
    delimiter = delimiter or _delimiter(lines)
    records = _records(reading, lines, delimiter)
    first = next(records, None)
    if first is None:
        raise reading.nothing(
            "“{file}” is an empty table.",
            Said("Write the column names into the first row and a document into every other."),
        )
    columns_named, is_header = header(reading, first[1], Said("row {n}", n=first[0]))
    if len(columns_named) > reading.limits.max_columns:
        raise reading.refuse(
            "“{file}” has {n} columns; at most {limit} are read.",
            Said("Leave out columns that are not needed."),
            n=len(columns_named),
            limit=reading.limits.max_columns,
        )
    table = Table(columns_named, [], raw=True)
    for number, fields in records if is_header else chain([first], records):
        if len(table.rows) >= reading.limits.max_rows:
            too_many_rows(reading, table.place(number))
            break
        while len(fields) > len(columns_named) and not fields[-1].strip():
            fields.pop()
        if len(fields) > len(columns_named):
            reading.problem(
                Said(
                    "The row has {n} fields where there are {columns} columns; it was left out.",
                    n=len(fields),
                    columns=len(columns_named),
                ),
                Said(
                    "Put fields that contain “{delimiter}” into quotation marks.",
                    delimiter="tab" if delimiter == "\t" else delimiter,
                ),
                place=table.place(number),
            )
            continue
        if len(fields) < len(columns_named) and any(f.strip() for f in fields):
            reading.problem(
                Said(
                    "The row has {n} fields where there are {columns} columns; the last ones are taken as empty.",
                    n=len(fields),
                    columns=len(columns_named),
                ),
                Said("Complete the row."),
                place=table.place(number),
            )
        table.rows.append((number, dict(zip(columns_named, fields, strict=False))))
    add_table(reading, table, columns)


def too_many_rows(reading: Reading, place: Said) -> None:
    """Note that reading stops here."""
    reading.problem(
        Said("Only the first {limit} rows were read.", limit=reading.limits.max_rows),
        Said("Upload the rest as a file of its own."),
        place=place,
    )


def _delimiter(lines: list[str]) -> str:
    """The delimiter under which the most of the first records have as many fields as the first (and over one)."""

    def score(delimiter: str) -> tuple[float, int]:
        try:
            records = [r for r in islice(csv.reader(iter(lines[:200]), delimiter=delimiter), 30) if r]
        except csv.Error:
            return 0.0, 0
        width = len(records[0]) if records else 0
        return (sum(len(r) == width for r in records) / len(records), width) if width > 1 else (0.0, 0)

    best = max(_DELIMITERS, key=lambda d: (score(d)[0] >= 0.5, *score(d)))
    return best if score(best)[0] > 0 else ","


def _records(reading: Reading, lines: list[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """(row number, fields) of every record.  A record that breaks the quoting is reported and left out.

    An unclosed quotation mark would swallow the rest of the file: reading goes on in the line after it.
    """
    source, number = _Lines(lines), 0
    reader = csv.reader(source, delimiter=delimiter, strict=True)
    while True:
        begin = source.at
        if number % 1000 == 0:
            reading.hurry()
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reading.hurry()
            number += 1
            unclosed = "unexpected end" in str(error)
            reading.problem(
                Said("A quotation mark is opened and never closed; the line was left out.")
                if unclosed
                else Said("The quotation marks do not fit; the row was left out."),
                Said("Write every quotation mark inside a field twice, and close every field that begins with one."),
                place=Said("row {n} (line {line})", n=number, line=begin + 1),
            )
            source.at = begin + 1
            reader = csv.reader(source, delimiter=delimiter, strict=True)
            continue
        number += 1
        if fields and any(f.strip() for f in fields):
            yield number, fields


# ---------------------------------------------------------------------------------------------- json, jsonl


def parse_json(reading: Reading, text: str) -> Any:
    """JSON in which no number is too big: integers beyond 18 digits stay strings, NaN and infinity become None.

    Escapes can smuggle in what `clean` took out of the text (lone surrogates, control characters): cleaned again.

    Raises ValueError with a short reason.
    """
    try:
        value = json.loads(text, parse_int=lambda s: int(s) if len(s) < 19 else s, parse_constant=lambda _: None)
        return _tidy(reading, value) if "\\u" in text else value
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise ValueError(f"{error.msg}, {line}column {error.colno}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _tidy(reading: Reading, value: Any) -> Any:
    if isinstance(value, str):
        return reading.clean(value)
    if isinstance(value, list):
        return [_tidy(reading, v) for v in value]
    if isinstance(value, dict):
        return {reading.clean(k): _tidy(reading, v) for k, v in value.items()}
    return value


def read_jsonl(reading: Reading, data: bytes, columns: Columns | None) -> None:
    """One JSON object (or string) a line."""
    add_table(reading, json_lines(reading, reading.decode(data)), columns)


def json_lines(reading: Reading, text: str) -> Table:
    """The good lines as a table; the bad ones are reported by their number."""
    table = Table([], [], unit="line")
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        if number % 1000 == 0:
            reading.hurry()
        if len(table.rows) >= reading.limits.max_rows:
            too_many_rows(reading, table.place(number))
            break
        try:
            record = parse_json(reading, line)
        except ValueError as error:
            reading.problem(
                Said("The line is not valid JSON ({reason}).", reason=str(error)),
                Said("Write one JSON object per line."),
                place=table.place(number),
            )
            continue
        _append(reading, table, number, record)
    return _with_columns(reading, table)


def _append(reading: Reading, table: Table, number: int, record: object) -> None:
    if isinstance(record, str):
        record = {"text": record}
    if not isinstance(record, dict):
        reading.problem(
            Said("This is not a JSON object."),
            Said("Write every document as an object with a “text”."),
            place=table.place(number),
        )
        return
    nested = record.get("metadata")
    if isinstance(nested, dict):  # the BEIR layout: what is in there counts as columns
        record = {
            **{k: v for k, v in nested.items() if k not in record},
            **{k: v for k, v in record.items() if k != "metadata"},
        }
    table.rows.append((number, record))


def _with_columns(reading: Reading, table: Table) -> Table:
    names = dict.fromkeys(k for _, row in table.rows for k in row)
    if len(names) > reading.limits.max_columns:
        reading.problem(
            Said(
                "There are {n} different keys; only the first {limit} are read.",
                n=len(names),
                limit=reading.limits.max_columns,
            ),
            Said("Leave out keys that are not needed."),
        )
    table.columns = list(names)[: reading.limits.max_columns]
    return table


def read_json(reading: Reading, data: bytes, columns: Columns | None) -> None:
    """A list of objects or of strings; an object that holds such a list; objects or strings by id; one object."""
    text = reading.decode(data)
    try:
        value = parse_json(reading, text)
    except ValueError as error:
        if "Extra data" in str(error) and text.lstrip().startswith("{"):  # JSON lines under another name
            add_table(reading, json_lines(reading, text), columns)
            return
        raise reading.refuse(
            "“{file}” is not valid JSON ({reason}).",
            Said("Check it with a JSON validator; one object per line belongs in a .jsonl file."),
            reason=str(error),
        ) from None
    items = _items(value)
    if not items:
        raise reading.refuse(
            "“{file}” is JSON, but not a list of documents.", Said("Write a list of objects, each with a “text”.")
        )
    table = Table([], [], unit="item")
    for number, item in enumerate(items[: reading.limits.max_rows], 1):
        _append(reading, table, number, item)
    if len(items) > reading.limits.max_rows:
        too_many_rows(reading, table.place(reading.limits.max_rows + 1))
    if not table.rows:
        raise reading.nothing(
            "“{file}” is JSON, but not a list of documents.", Said("Write a list of objects, each with a “text”.")
        )
    add_table(reading, _with_columns(reading, table), columns)


def _items(value: object) -> list[object]:
    if isinstance(value, list):
        return value
    if isinstance(value, str):
        return [value] if value.strip() else []
    if not isinstance(value, dict):
        return []
    lists = [v for v in value.values() if isinstance(v, list) and any(isinstance(x, dict | str) for x in v)]
    if any(isinstance(value.get(name), str) for name in _TEXT) or not value:
        return [value] if value else []
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
    import io

    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    sheets = [s for s in book.worksheets if s.sheet_state == "visible"]
    tables = [t for s in sheets if (t := _sheet(reading, s, data, alone=len(sheets) == 1)) is not None]
    if not tables:
        raise reading.nothing(
            "“{file}” has no sheet with a table in it.",
            Said("Write the column names into the first row and a document into every other."),
        )
    refused: list[UploadError] = []
    for table in tables:
        try:
            add_table(reading, table, columns)
        except UploadError as error:  # a sheet of numbers beside a sheet of texts is usual
            refused.append(error)
            reading.problem(
                error.message, error.remedy, place=Said("sheet “{sheet}”", sheet=table.sheet) if table.sheet else None
            )
    if len(refused) == len(tables):
        raise refused[0]


def _sheet(reading: Reading, sheet: Any, data: bytes, *, alone: bool) -> Table | None:
    title = str(sheet.title)
    table, limit = Table([], [], sheet="" if alone else title), reading.limits.max_columns
    sheet.reset_dimensions()  # some programs write a wrong size into the file; what is there decides
    for number, cells in enumerate(sheet.iter_rows(values_only=True), 1):
        if number % 200 == 0:
            reading.hurry()
        values = [_cell(v) for v in cells]
        while values and values[-1] is None:
            values.pop()
        if not values:
            continue
        if len(values) > limit:
            raise reading.refuse(
                "“{file}” has {n} columns; at most {limit} are read.",
                Said("Leave out columns that are not needed."),
                n=len(values),
                limit=limit,
            )
        if not table.columns:
            table.columns, is_header = header(reading, values, table.place(number))
            if is_header:
                continue
        if len(table.rows) >= reading.limits.max_rows:
            too_many_rows(reading, table.place(number))
            break
        while len(table.columns) < len(values):
            table.columns.append(f"column {len(table.columns) + 1}")
        table.rows.append((number, dict(zip(table.columns, values, strict=False))))
    table.formulas = lambda column: _formulas(data, title, table.columns.index(column))
    return table if table.columns else None


def _cell(value: object) -> object:
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(sep=" ")
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        return str(value)
    if isinstance(value, str):
        return clean(value)[0] if value.strip() else None
    return value if value is None or isinstance(value, int | float) else str(value)


def _formulas(data: bytes, sheet: str, column: int) -> set[int]:
    """The rows of a sheet whose cell in this column (from 0) is a formula: asked only where a text is missing."""
    import io

    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, keep_links=False)
    cells = book[sheet].iter_rows(min_col=column + 1, max_col=column + 1, max_row=10_000, values_only=True)
    return {i for i, row in enumerate(cells, 1) if row and isinstance(row[0], str) and row[0].startswith("=")}
