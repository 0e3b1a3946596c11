"""An uploaded file becomes a SQLite file of our own, which is then only read.

SQLite files are copied and checked; CSV and XLSX, read by `lab.reading.delimited` and `lab.reading.workbook`, become
tables: the first row gives the names, numbers lose their thousands separators and currency signs, days become ISO.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path, PurePath

from lab.algebra import Corpus, Progress, Value
from lab.errors import LabError, QueryError, UploadError
from lab.reading import archive, delimited, workbook
from lab.reading.encodings import decode
from lab.reading.header import SAMPLE, find_header
from lab.reading.names import Names
from lab.reading.uploads import MB, Limits, Problem, Reading
from lab.words import Said
from lab_packs.text2sql.cells import find_totals, typed
from lab_packs.text2sql.database import Database, Folder
from lab_packs.text2sql.guard import connection, quoted
from lab_packs.text2sql.hints import Hint, Hints
from lab_packs.text2sql.inspecting import inspect
from lab_packs.text2sql.tree import Scalar

Rows = list[list[Scalar]]
LIMITS = Limits(max_bytes=50 * MB, max_total_expanded=500 * MB, max_rows=1_000_000, max_columns=300, max_seconds=300)
READ = 40
"""Percent of the work until the rows of a table are read."""
TEXTS = (".csv", ".tsv", ".txt")
SUFFIXES = (*TEXTS, ".xlsx", ".sqlite", ".sqlite3", ".db")
_SQLITE = b"SQLite format 3\x00"
_EXPORT_AGAIN = Said("Export it again and upload the new file.")
_FIRST_ROW = Said("Put the names in the first row.")


def open_upload(
    name: str,
    data: bytes,
    *,
    hints: Hints | None = None,
    remarks: list[Problem] | None = None,
    encoding: str | None = None,
    progress: Progress | None = None,
) -> Database:
    """A database from an uploaded file (its name and its bytes).  Raises `UploadError`.

    Omissions and unreadable characters are appended to ``remarks``.  ``encoding`` sets the encoding of a text instead of
    detecting it.  ``progress`` is called with (percent, 100), and may raise to stop the work.
    """
    suffix, stem = PurePath(name).suffix.lower(), PurePath(name).stem
    reading = Reading(name, LIMITS, encoding=encoding)
    if progress:
        lines = data.count(b"\n") + 1 if suffix in TEXTS else 0
        reading.pulse = lambda step: progress(min(READ, READ * step // lines) if lines else 0, 100)
    reading.check_size(data)
    folder = Folder()
    path = folder.path / "upload.sqlite"
    if suffix in (".sqlite", ".sqlite3", ".db") or data.startswith(_SQLITE):
        _copy(reading, path, data)
    elif suffix == ".xlsx":
        _store(reading, path, _sheets(reading, data), progress)
    elif suffix in TEXTS:
        _store(reading, path, {_clean_name(stem, "table"): _csv(reading, data)}, progress)
    else:
        kinds = Said("Use one of: {kinds}.", kinds=[*SUFFIXES])
        raise UploadError(Said("{name} is not a kind of file that holds tables.", name=name), kinds)
    if remarks is not None:
        remarks += reading.problems
    path.chmod(0o444)
    try:
        schema = inspect(path, hints)
    except QueryError as error:
        raise UploadError(Said("{name}: {why}", name=name, why=error.message), error.remedy) from error
    return Database(stem, path, schema, "upload", folder)


def of_passages(corpus: Corpus, fields: Sequence[str]) -> Database:
    """The passages of a corpus as a table: id, title, text, and a column for each of these metadata fields.

    If none has a title, they are named by their first words and place.  A list of values is one text.  Raises
    `UploadError`.
    """
    reading, folder = Reading(corpus.name, LIMITS), Folder()
    reading.check_columns(3 + len(fields))
    if len(corpus) > LIMITS.max_rows:
        remedy = Said("Upload a part of it.")
        raise UploadError(Said("{name} has more than {n} rows.", name=corpus.name, n=LIMITS.max_rows), remedy)
    titled = any(document.title for document in corpus)
    rows: Rows = [["id", "title" if titled else "name", "text", *fields]]
    rows += [
        [d.id, d.title if titled else str(d.label), d.text, *(_of_field(d.metadata.get(field)) for field in fields)]
        for d in corpus
    ]
    path = folder.path / "passages.sqlite"
    _store(reading, path, {"passages": rows}, None)
    path.chmod(0o444)
    return Database(corpus.name, path, inspect(path, _HINTS), "upload", folder)


_HINTS = {
    "passages": Hint("段落", "passages", ("段", "文档", "资料", "chunk", "document", "text")),
    "passages.name": Hint("名称", "name", ("名字",)),
    "passages.title": Hint("标题", "title", ("题目", "headline")),
    "passages.text": Hint("正文", "text", ("内容", "content")),
    "passages.source": Hint("来源", "source", ("出处", "origin")),
    "passages.date": Hint("日期", "date", ("时间", "day")),
    "passages.tags": Hint("标签", "tags"),
}
"""What people call the passages and the fields that many corpora have."""


def _of_field(value: Value | None) -> Scalar:
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def _copy(reading: Reading, path: Path, data: bytes) -> None:
    name = reading.file
    if not data.startswith(_SQLITE) or len(data) < 512:
        remedy = Said("Check which file it is, or upload a CSV.")
        raise UploadError(Said("{name} is not a SQLite database.", name=name), remedy)
    # marked as written with a log beside it, which was not uploaded: read it without
    logged = data[18:20] == b"\x02\x02"
    path.write_bytes(data[:18] + b"\x01\x01" + data[20:] if logged else data)
    if logged:
        message = Said("The database keeps its latest changes in a file of its own (-wal): rows may be missing here.")
        reading.problem(message, Said("Close the program that writes it, then upload it again."))
    try:
        with connection(path, tables=None, seconds=20, inspect=True) as db:
            verdict = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    except LabError as error:
        raise UploadError(Said("{name} cannot be read: {why}", name=name, why=error.message), _EXPORT_AGAIN) from error
    if verdict != "ok":
        raise UploadError(Said("{name} is damaged: {why}.", name=name, why=verdict), _EXPORT_AGAIN)


def _csv(reading: Reading, data: bytes) -> Rows:
    """Returns the rows of a text; any problem is an error, since a sum over the rest would silently be wrong."""
    if decode(data) is None:
        remedy = Said("Save the table as CSV in UTF-8.")
        raise UploadError(Said("{name} is not a text file.", name=reading.file), remedy)
    text = reading.decode(data)
    earlier = len(reading.problems)  # of characters that are not of the encoding
    rows = _within(reading, delimited.csv_rows(reading, text)[1])
    if wrong := reading.problems[earlier:]:
        first = wrong[0]
        where = Said("{name}: {why}", name=reading.file, why=first.place) if first.place else Said(reading.file)
        raise UploadError(Said("{name}: {why}", name=where, why=first.message), first.remedy)
    return _named(reading, rows)


def _sheets(reading: Reading, data: bytes) -> dict[str, Rows]:
    names, tables = Names(key=str.lower, pattern="{} {}"), dict[str, Rows]()
    message = Said("{name} is not an Excel workbook that can be read.", name=reading.file)
    unreadable = UploadError(message, Said("Save it as .xlsx or CSV."))
    if "xl/workbook.xml" not in archive.member_names(data):
        raise unreadable
    try:
        for sheet in workbook.sheets(reading, archive.repacked(reading, data, "xlsx")):
            table = _named(reading, _within(reading, sheet.rows), sheet.title)
            if len(table) > 1:
                tables[names.fresh(_clean_name(workbook.unescaped(sheet.title), f"sheet{len(tables) + 1}"))] = table
    except UploadError:
        raise
    except Exception as error:  # openpyxl lets many kinds of errors through for damaged files
        raise unreadable from error
    if not tables:
        raise UploadError(Said("{name} has no sheet with a header and rows.", name=reading.file), _FIRST_ROW)
    return tables


def _within(reading: Reading, rows: Iterable[tuple[int, Sequence[Scalar]]]) -> Rows:
    """Returns the rows that are not blank.  Raises `UploadError` if there are too many."""
    limit = reading.limits.max_rows
    table = [list(cells) for _, cells in islice(rows, limit + 2)]
    if len(table) > limit + 1:
        remedy = Said("Upload a part of it.")
        raise UploadError(Said("{name} has more than {n} rows.", name=reading.file, n=limit), remedy)
    reading.check_columns(max(map(len, table), default=0))
    return table


def _named(reading: Reading, table: Rows, place: str = "") -> Rows:
    """Returns the rows from the names of the columns on; they are numbered if the table has none."""
    if not table:
        return table
    header = find_header(table[:SAMPLE])
    if header.remark:
        reading.problem(*header.remark, place=Said(place) if place else None)
    names: Rows = [] if header.named else [[f"column {i}" for i in range(1, max(map(len, table)) + 1)]]
    return [*names, *table[header.row :]]


def _clean_name(name: str, otherwise: str) -> str:
    """Returns a name without control characters, not empty, and not reserved by SQLite."""
    name = re.sub(r"[\x00-\x1f]", " ", name).strip()[:80] or otherwise
    return f"t_{name}" if name.lower().startswith("sqlite_") else name


def _without_totals(reading: Reading, rows: Rows) -> Rows:
    """Returns the rows without those that are totals of others, which are named."""
    totals = find_totals(rows[1:])
    for n, label in totals.items():
        message = Said("Row {row} (“{label}”) is the sum of other rows and is left out.", row=n + 2, label=label or "–")
        reading.problem(message, Said("Rename it if it is a row of its own."))
    return [row for n, row in enumerate(rows) if n - 1 not in totals]


def _store(reading: Reading, path: Path, tables: dict[str, Rows], progress: Progress | None) -> None:
    total, columns_done = sum(max(map(len, rows), default=0) for rows in tables.values()), 0

    def column(rows: Rows, i: int) -> list[Scalar]:
        nonlocal columns_done
        reading.pulse = None
        reading.hurry()
        if progress:
            progress(READ + (100 - READ) * columns_done // total, 100)
        columns_done += 1
        cells, left_out = typed([r[i] if i < len(r) else None for r in rows[1:]])
        if left_out:
            name = str(rows[0][i]) if i < len(rows[0]) else str(i + 1)
            message = Said("Column “{name}”: {marks} counts as no value.", name=name, marks=left_out[:5])
            reading.problems.append(
                Problem(reading.file, Said(name), message, Said("Write the values in if they are known."))
            )
        return cells

    with closing(sqlite3.connect(path)) as db:
        for table, all_rows in tables.items():
            rows = _without_totals(reading, all_rows)
            if len(rows) < 2:
                raise UploadError(Said("{name} has no rows under its header.", name=reading.file), _FIRST_ROW)
            width, names = max(map(len, rows)), Names(key=str.lower, pattern="{} {}")
            header_cells = [*rows[0], *[""] * (width - len(rows[0]))]
            header = [
                names.fresh(_clean_name("" if s is None else str(s), f"column {i}"))
                for i, s in enumerate(header_cells, 1)
            ]
            columns = [column(rows, i) for i in range(width)]
            # without a declared type every value keeps its own
            db.execute(f"CREATE TABLE {quoted(table)} ({', '.join(map(quoted, header))})")
            db.executemany(f"INSERT INTO {quoted(table)} VALUES ({', '.join('?' * width)})", zip(*columns, strict=True))
        db.commit()
