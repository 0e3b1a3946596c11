"""An uploaded file becomes a SQLite file of our own, which is then only read.

SQLite files are copied and checked; CSV and XLSX become tables: the encoding and the separator are found out,
the first row gives the names, numbers lose their thousands separators and currency signs, days become ISO.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
import sqlite3
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import PurePath

from lab.errors import LabError, QueryError, UploadError
from lab.text2sql.database import Database, Folder
from lab.text2sql.guard import connection, quoted
from lab.text2sql.hints import Hints
from lab.text2sql.inspecting import inspect
from lab.text2sql.slots import Scalar
from lab.words import Said

MAX_BYTES = 50_000_000
MAX_ROWS = 1_000_000
MAX_COLUMNS = 300
MAX_CELL = 10_000

SUFFIXES = (".csv", ".tsv", ".txt", ".xlsx", ".sqlite", ".sqlite3", ".db")


def open_upload(name: str, data: bytes, *, hints: Hints | None = None) -> Database:
    """A database from an uploaded file (its name and its bytes).  Raises `UploadError`."""
    suffix = PurePath(name).suffix.lower()
    if len(data) > MAX_BYTES:
        raise _problem(
            Said("{name} has {mb} MB.", name=name, mb=round(len(data) / 1e6)),
            Said("At most {mb} MB can be read.", mb=MAX_BYTES // 10**6),
        )
    if not data:
        raise _problem(Said("{name} is empty.", name=name), Said("Export it again."))
    folder = Folder()
    path = folder.path / "upload.sqlite"
    if suffix in (".sqlite", ".sqlite3", ".db") or data.startswith(b"SQLite format 3\x00"):
        path.write_bytes(_sqlite(name, data))
        path.chmod(0o444)
        _check(name, path)
    elif suffix == ".xlsx":
        _store(name, path, _sheets(name, data))
    elif suffix in (".csv", ".tsv", ".txt"):
        _store(name, path, {_plain(PurePath(name).stem, "table"): _csv_rows(name, data)})
    else:
        raise _problem(
            Said("{name} is not a kind of file that holds tables.", name=name),
            Said("Use one of: {kinds}.", kinds=", ".join(SUFFIXES)),
        )
    try:
        schema = inspect(path, hints)
    except QueryError as error:
        raise UploadError(Said("{name}: {why}", name=name, why=error.message), error.remedy) from error
    return Database(PurePath(name).stem, path, schema, "upload", folder)


def _problem(message: Said, remedy: Said) -> UploadError:
    return UploadError(message, remedy)


# -------------------------------------------------------------------------------------------- SQLite files


def _sqlite(name: str, data: bytes) -> bytes:
    if not data.startswith(b"SQLite format 3\x00") or len(data) < 512:
        raise _problem(
            Said("{name} is not a SQLite database.", name=name), Said("Check which file it is, or upload a CSV.")
        )
    if data[18:20] == b"\x02\x02":  # written with a log beside it, which was not uploaded: read it without
        data = data[:18] + b"\x01\x01" + data[20:]
    return data


def _check(name: str, path: object) -> None:
    from pathlib import Path

    try:
        with connection(Path(str(path)), tables=None, seconds=20, inspect=True) as db:
            said = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    except LabError as error:
        raise _problem(
            Said("{name} cannot be read: {why}", name=name, why=error.message),
            Said("Export it again and upload the new file."),
        ) from error
    if said != "ok":
        raise _problem(
            Said("{name} is damaged: {why}.", name=name, why=said), Said("Export it again and upload the new file.")
        )


# --------------------------------------------------------------------------------------------------- tables


def _csv_rows(name: str, data: bytes) -> list[list[Scalar]]:
    from charset_normalizer import from_bytes

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        try:
            text = data.decode("gb18030")  # what Chinese spreadsheets write when it is not UTF-8
        except UnicodeDecodeError:
            best = from_bytes(data[:200_000]).best()
            if best is None:
                raise _problem(
                    Said("The encoding of {name} is not clear.", name=name), Said("Save it as UTF-8.")
                ) from None
            text = data.decode(best.encoding, "replace")
    if "\x00" in text:
        raise _problem(Said("{name} is not a text file.", name=name), Said("Save the table as CSV in UTF-8."))
    head = [line for line in text.splitlines()[:20] if line.strip()]
    separator = max(",\t;|，", key=lambda s: min((line.count(s) for line in head), default=0))
    old = csv.field_size_limit(MAX_CELL * 10)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        rows: list[list[Scalar]] = []
        for row in reader:
            if any(c.strip() for c in row):
                rows.append(list(row))
            if len(rows) > MAX_ROWS + 1:
                raise _problem(
                    Said("{name} has more than {n} rows.", name=name, n=MAX_ROWS), Said("Upload a part of it.")
                )
    except csv.Error as error:
        raise _problem(
            Said("Line {n} of {name}: {error}.", n=reader.line_num, name=name, error=error), Said("Correct that line.")
        ) from error
    finally:
        csv.field_size_limit(old)
    return rows


def _sheets(name: str, data: bytes) -> dict[str, list[list[Scalar]]]:
    import openpyxl

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(i.file_size for i in archive.infolist()) > 10 * MAX_BYTES:
                raise _problem(Said("{name} is too large when unpacked.", name=name), Said("Upload a part of it."))
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    except UploadError:
        raise
    except Exception as error:  # openpyxl lets many kinds of errors through for damaged files
        raise _problem(
            Said("{name} is not an Excel workbook that can be read.", name=name), Said("Save it as .xlsx or CSV.")
        ) from error
    sheets: dict[str, list[list[Scalar]]] = {}
    for sheet in book.worksheets:
        rows = []
        for row in sheet.iter_rows(values_only=True, max_row=MAX_ROWS + 1, max_col=MAX_COLUMNS):
            cells = [_cell(v) for v in row]
            while cells and cells[-1] in (None, ""):  # openpyxl fills up to the widest allowed row
                cells.pop()
            if any(c not in (None, "") for c in cells):
                rows.append(cells)
        if len(rows) > 1:
            sheets[_plain(sheet.title, f"sheet{len(sheets) + 1}", sheets)] = rows
    book.close()
    if not sheets:
        raise _problem(
            Said("{name} has no sheet with a header and rows.", name=name), Said("Put the names in the first row.")
        )
    return sheets


def _cell(value: object) -> Scalar:
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == dt.time() else value.isoformat(" ", "seconds")
    if isinstance(value, dt.date):
        return value.isoformat()
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)


def _plain(name: str, otherwise: str, taken: Iterable[str] = ()) -> str:
    """A name without control characters, not empty, not SQLite's own, not taken."""
    name = re.sub(r"[\x00-\x1f]", " ", name).strip()[:80] or otherwise
    if name.lower().startswith("sqlite_"):
        name = "t_" + name
    base, n = name, 2
    lower = {t.lower() for t in taken}
    while name.lower() in lower:
        name, n = f"{base} {n}", n + 1
    return name


def _store(name: str, path: object, tables: dict[str, list[list[Scalar]]]) -> None:
    """Write the tables; the file is not writable afterwards."""
    from pathlib import Path

    target = Path(str(path))
    db = sqlite3.connect(target)
    try:
        for table, rows in tables.items():
            if len(rows) < 2:
                raise _problem(
                    Said("{name} has no rows under its header.", name=name), Said("Put the names in the first row.")
                )
            header: list[str] = []
            width = max(len(r) for r in rows[:MAX_ROWS])
            if width > MAX_COLUMNS:
                raise _problem(
                    Said("{name} has {n} columns.", name=name, n=width), Said("At most {n} can be read.", n=MAX_COLUMNS)
                )
            for i in range(width):
                said = rows[0][i] if i < len(rows[0]) else ""
                header.append(_plain(str(said if said is not None else ""), f"column {i + 1}", header))
            columns = [_typed([r[i] if i < len(r) else None for r in rows[1:]]) for i in range(width)]
            # without a declared type every value keeps its own
            db.execute(f"CREATE TABLE {quoted(table)} ({', '.join(map(quoted, header))})")
            db.executemany(f"INSERT INTO {quoted(table)} VALUES ({', '.join('?' * width)})", zip(*columns, strict=True))
        db.commit()
    finally:
        db.close()
    target.chmod(0o444)


_MONEY = re.compile(
    r"([¥￥$€£]\s*)?([-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-+]?\d+(?:\.\d+)?)(\s*(?:元|USD|EUR|CNY|RMB))?", re.I
)
_DAY = re.compile(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?:[ T](\d{1,2}:\d{2}(?::\d{2})?))?")


def _typed(cells: Sequence[Scalar]) -> list[Scalar]:
    """A column's cells with their types: all days, all numbers, or as they are (empty ones are NULL)."""
    cleaned: list[Scalar] = []
    for c in cells:
        if isinstance(c, str):
            c = c.strip()
            if len(c) > MAX_CELL:
                c = c[:MAX_CELL]
        cleaned.append(None if c == "" else int(c) if isinstance(c, bool) else c)
    texts = [c for c in cleaned if isinstance(c, str)]
    if not texts:
        return cleaned
    if all(isinstance(c, str) for c in cleaned if c is not None):
        days = [_day(t) for t in texts]
        if all(days):
            return [_day(c) if isinstance(c, str) else None for c in cleaned]
    numbers = [_number(t) for t in texts]
    if all(n is not None for n in numbers) and not any(re.match(r"0\d", t) for t in texts):
        if any(len(t) >= 11 and t.isdigit() for t in texts):  # telephone and account numbers
            return cleaned
        return [_number(c) if isinstance(c, str) else c for c in cleaned]
    return cleaned


def _day(text: str) -> str | None:
    m = _DAY.fullmatch(text)
    if not m:
        return None
    try:
        day = dt.date(int(m[1]), int(m[2]), int(m[3]))
    except ValueError:
        return None
    return f"{day} {m[4].zfill(5)}" if m[4] else day.isoformat()


def _number(text: str) -> float | int | None:
    m = _MONEY.fullmatch(text)
    if not m:
        return None
    digits = m[2].replace(",", "")
    return float(digits) if "." in digits else int(digits)
