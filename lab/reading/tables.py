"""Tables: from rows to documents, whatever file they are in (csv, workbooks, JSON, feeds).

A table is column names and rows; the use of each column is guessed from the names and the values, and the guess is
shown, so that a person can choose otherwise.  A bad row is reported with its number and the others are kept.  Row
numbers count as a spreadsheet does.  Only an empty cell is missing: NA, None and null are words.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import TypeVar

from lab.algebra import Value
from lab.errors import UploadError
from lab.reading.cells import plain, split_tags, visible_cell
from lab.reading.header import SAMPLE, asks, find_header
from lab.reading.known import CONTEXT, ID, LISTS, OTHERS, QUESTION, REPLY, STRONG, TEXT, TITLE, bare_name
from lab.reading.names import Names
from lab.reading.sections import is_file_name
from lab.reading.uploads import Columns, Metadata, Reading, TablePreview
from lab.text.naming import BETWEEN
from lab.text.quantities.dates import MONTH_NAME, SHORT_WEEKDAY, read_date
from lab.words import N_, Said

_INT = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{0,20})?|\.[0-9]{1,20})(?:[eE][+-]?[0-9]{1,3})?")
_BOOL = re.compile("true|false", re.IGNORECASE)
_PREVIEW_ROWS, _PREVIEW_CELL = 5, 200
_LONG = 200
"""Mean characters of a column beyond which it is no metadata."""
MOST_STRAYS = 10
"""Cells of a row beyond the last column that is read; if there are more, they are columns and no slip."""
_OWN_ID = Said("Give every row an id of its own.")
_WORDLESS = re.compile(
    r"""
    (?: [a-z][a-z0-9+.-]*://\S+ | (?:mailto|tel|data|urn|doi):\S+ | www\.\S+      # addresses
      | [\w.+-]+@[\w-]+\.[\w.-]+
      | [{(]?[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}[)}]? | [0-9a-f]{8,}     # identifiers
      | (?-i:(?=\S*\d)(?=\S*[A-Z])(?=\S*[a-z])[A-Za-z0-9+/_-]{32,}={0,2})         # encoded data
      | (?:[a-z]:)?[\\/]\S* | (?:[\w.-]+[\\/]){2,}[\w.-]*                         # paths
      | [A-Za-z_#-]*\d[\w.#:/-]*                                                 # codes
    )""",
    re.IGNORECASE | re.VERBOSE,
)

ROW = N_("row {n}")
T = TypeVar("T")
OnProblem = Callable[[int, Said, Said], None]
"""Called for a bad line with its number, the problem and a remedy; records them, or raises."""


@dataclass
class Table:
    """Column names and numbered rows; ``unit`` is the name of a place: a row, a line, an item.

    ``raw`` tables hold strings only (csv): their metadata gets types by column.  ``formulas`` finds the rows whose cell
    in a column is a formula without a stored result.  ``repeated`` are the columns of a row that only have a value
    because a merged cell reaches into them.  ``above`` is the name of the whole, above the titles of the rows.
    ``named``: the file names its columns.
    """

    unit: str = ROW
    columns: list[str] = field(default_factory=list)
    rows: list[tuple[int, dict[str, object]]] = field(default_factory=list)
    sheet: str = ""
    raw: bool = False
    formulas: Callable[[str], set[int]] = field(default=lambda _: set())
    repeated: dict[int, set[str]] = field(default_factory=dict)
    above: str = ""
    named: bool = True

    def place(self, number: int) -> Said:
        """Returns the name of a row's place."""
        if not self.sheet:
            return Said(self.unit, n=number)
        template = N_("sheet “{sheet}”, row {n}") if self.unit == ROW else N_("list “{sheet}”, item {n}")
        return Said(template, sheet=self.sheet, n=number)

    def within(self, reading: Reading, rows: Iterable[tuple[int, T]]) -> Iterator[tuple[int, T]]:
        """Yields the rows that this table has room for; reports if there are more."""
        for number, row in rows:
            if len(self.rows) >= reading.limits.max_rows:
                few = Said("Only the first {limit} rows were read.", limit=reading.limits.max_rows)
                reading.problem(few, Said("Upload the rest as a separate file."), place=self.place(number))
                return
            yield number, row

    def under_header(self, reading: Reading, rows: Iterator[tuple[int, list[T]]]) -> Iterator[tuple[int, list[T]]]:
        """`within`, after the row of names (`lab.reading.header`) has given the columns; nothing if there is no row."""
        first = list(islice(rows, SAMPLE))
        if not first:
            return
        header = find_header([row for _, row in first])
        number, row = first[header.row]
        self.named = header.named
        self.columns = column_names(reading, row, self.place(number)) if header.named else _numbered(reading, row)
        if header.row:
            reading.fact(Said("column names in row {n}", n=number))
        if remark := header.remark:
            reading.problem(*remark, place=self.place(number))
        yield from self.within(reading, chain(first[header.row + header.named :], rows))


# ------------------------------------------------------------------------------------------- to documents


def add_tables(reading: Reading, tables: Sequence[Table], columns: Columns | None) -> None:
    """Adds the tables of a file.  Raises `UploadError` if none has a text; one alone without a text is reported."""
    refused: list[UploadError] = []
    for table in tables:
        try:
            add_table(reading, table, columns)
        except UploadError as error:  # a sheet of numbers next to a sheet of texts is common
            refused.append(error)
            place = Said("sheet “{sheet}”", sheet=table.sheet) if table.sheet else None
            reading.problem(error.message, error.remedy, place=place)
    if len(refused) == len(tables):
        raise refused[0]


def add_table(reading: Reading, table: Table, columns: Columns | None) -> None:
    """Adds the documents of a table to a reading, under the chosen or else the guessed columns.

    Raises `UploadError` if a chosen column does not exist, or no column holds text.
    """
    if not table.rows:
        remedy = Said("Add a row for every document.")
        raise reading.nothing(N_("“{file}” has column names but no rows under them."), remedy)
    guessed, first = guess(table), table.rows[:_PREVIEW_ROWS]
    rows = tuple(tuple(_preview_text(row.get(c)) for c in table.columns) for _, row in first)
    preview = TablePreview(
        reading.file, tuple(table.columns), rows, len(table.rows), guessed or Columns(""), table.sheet
    )
    chosen = columns or reading.chosen.get(preview.name) or guessed
    if chosen is None:
        remedy = Said("Give one column the name “text” and put the text of every document into it.")
        none = N_("“{file}” has no column with text; its columns are: {columns}.")
        raise reading.refuse(none, remedy, columns=_names(table.columns))
    for name in (chosen.text, chosen.title, chosen.id, *chosen.metadata, *chosen.more):
        if name is not None and name not in table.columns:
            known = Said("Its columns are: {columns}.", columns=_names(table.columns))
            raise reading.refuse("“{file}” has no column “{name}”.", known, name=name)
    reading.tables.append(preview if guessed else replace(preview, guess=chosen))
    if chosen == guessed:
        _name_left_out(reading, table, chosen)
    texts = [c for c in table.columns if c in (chosen.text, *chosen.more)]
    only = chosen.text if chosen.text.strip().lower() in TEXT else ""
    if chosen.more:
        reading.fact(Said("text from {columns}", columns=_names(texts)))
    metadata = {c: _typed_column(table, c) for c in chosen.metadata}
    source: Metadata = {} if any(c.strip().lower() == "source" for c in table.columns) else {"source": reading.source}
    for step, (number, row) in enumerate(table.rows):
        reading.hurry(step)
        text = reading.clean(_text(reading, row, texts, only))
        if not text.strip() or chosen.text in table.repeated.get(number, ()):
            _no_text(reading, table, number, row, chosen.text)
            continue
        name = _row_id(reading, table, number, row, chosen.id)
        title = visible_cell(reading, (plain(row.get(chosen.title)) if chosen.title else None) or "")
        values = {c: v for c in chosen.metadata if (v := metadata[c](row.get(c))) is not None}
        title = BETWEEN.join(filter(None, (table.above, title)))
        reading.add(text, id=name, title=title, metadata={**source, **values}, place=table.place(number))
    reading.rows += len(table.rows)


def _text(reading: Reading, row: Mapping[str, object], columns: Sequence[str], only: str) -> str:
    """The text of a row: of several columns, each under its name, unless it is ``only`` a name for the text."""
    texts = [visible_cell(reading, plain(row.get(c)) or "") for c in columns]
    if len(texts) == 1:
        return texts[0]
    parts = (t if c == only else _labelled(c, t) for c, t in zip(columns, texts, strict=True))
    return "\n\n".join(filter(None, parts))


def _labelled(name: str, text: str) -> str:
    border = "：" if name[-1:] >= "\u2e80" else ": "
    return f"{name}{border}{text}" if text.strip() else ""


def _row_id(reading: Reading, table: Table, number: int, row: Mapping[str, object], column: str | None) -> str:
    """Returns the id of a row, or else its file, sheet and number; reports a missing or a repeated id."""
    stem = f"{reading.name}/{'_'.join(table.sheet.split())}" if table.sheet else reading.name
    default = f"{stem}/{number}"
    if column is None:
        return default
    row_id = " ".join(reading.clean(plain(row.get(column)) or "").split())
    if not row_id:
        missing = Said("The id is missing; the document is now “{id}”.", id=default)
        reading.problem(missing, _OWN_ID, place=table.place(number))
    elif row_id in reading.names.taken:
        again, row_id = row_id, reading.names.free(row_id)
        repeated = Said("The id “{id}” occurs again; this document is now “{new}”.", id=again, new=row_id)
        reading.problem(repeated, _OWN_ID, place=table.place(number))
    return row_id or default


def _no_text(reading: Reading, table: Table, number: int, row: Mapping[str, object], column: str) -> None:
    """Reports why a row gave no document; nothing if it is blank as a whole."""
    if number in table.formulas(column):
        message = Said("“{column}” is a formula whose result is not stored in the file.", column=column)
        remedy = Said("Open the file in a spreadsheet program, save it there, and upload it again.")
    elif isinstance(row.get(column), dict | list):
        message = Said("“{column}” is not a text but a nested value.", column=column)
        remedy = Said("Write the text as one string.")
    elif column in table.repeated.get(number, ()):
        message = Said("“{column}” belongs to the merged cell above; the row was left out.", column=column)
        remedy = Said("Split the cell if every row is a document.")
    elif all(plain(v) is None and not isinstance(v, dict | list) for v in row.values()):
        return
    else:
        message = Said("“{column}” is empty; the row was left out.", column=column)
        remedy = Said("Fill it in, or choose another column for the text.")
    reading.problem(message, remedy, place=table.place(number))


def _preview_text(value: object) -> str:
    text = (_dumped(value) or "…") if isinstance(value, dict | list) else "" if value is None else str(value)
    return text if len(text) <= _PREVIEW_CELL else text[: _PREVIEW_CELL - 1] + "…"


def _names(columns: Sequence[str]) -> str:
    return ", ".join(f"“{c}”" for c in columns[:30]) + (" …" if len(columns) > 30 else "")


# ------------------------------------------------------------------------------------------------ columns


@dataclass(frozen=True)
class _Sample:
    """The first thousand rows of a table: the texts of each column, their mean length, and the columns of words."""

    rows: Sequence[Mapping[str, object]]
    values: Mapping[str, Sequence[str]]
    mean: Mapping[str, float]
    wordy: Sequence[str]

    def named(self, names: Iterable[str], fits: Callable[[str], bool]) -> str | None:
        """Returns the first column that has one of these names and fits."""
        by_name = {bare_name(c): c for c in reversed(list(self.values))}
        by_name |= {c.strip().lower(): c for c in reversed(list(self.values))}
        return next((by_name[n] for n in names if n in by_name and fits(by_name[n])), None)

    def filled(self, column: str) -> bool:
        """Whether a column has a text or a number."""
        return bool(self.values[column])


def _sample(table: Table) -> _Sample:
    rows = [row for _, row in islice(table.rows, 1000)]
    values = {c: [v for row in rows if (v := plain(row.get(c))) is not None] for c in table.columns}
    mean = {c: sum(map(len, vs)) / len(vs) if vs else 0.0 for c, vs in values.items()}
    return _Sample(rows, values, mean, _wordy(table.columns, rows))


def guess(table: Table) -> Columns | None:
    """Guesses the use of the columns from their names and their first thousand rows; None if none has text.

    Text: of a question and its answer the answer, a column of words with a telling name, or else the one with the
    longest strings on average.  Title and id: by name; an id must be nearly always there and different.  Metadata: the
    others that are short; long ones with words are joined to the text.
    """
    sample = _sample(table)
    text, title = _pair(sample) or _text_and_title(sample)
    if text is None:
        return None
    rest = [c for c in table.columns if c not in (text, title)]
    key = sample.named(ID, lambda c: c in rest and 2 * len(set(sample.values[c])) > len(sample.rows))
    if key is None and not table.named and rest and rest[0] == table.columns[0] and _are_ids(sample, rest[0]):
        key = rest[0]
    nested = {c for c in rest if any(isinstance(row.get(c), list | dict) and row[c] for row in sample.rows)}
    rest = [c for c in rest if c != key]
    more = tuple(c for c in rest if c in sample.wordy and c not in nested and sample.mean[c] > _LONG)
    metadata = tuple(
        c for c in rest if c in nested or (sample.mean[c] <= _LONG and (sample.filled(c) or _ever_filled(table, c)))
    )
    return Columns(text, title, key, metadata, more)


def _pair(sample: _Sample) -> tuple[str, str] | None:
    """The columns of answers and of short questions, by their names, unless a column holds passages."""
    question = sample.named(QUESTION, lambda c: sample.filled(c) and sample.mean[c] <= _LONG)
    reply = sample.named(REPLY, sample.filled)
    if not question or not reply or sample.named((*CONTEXT, *STRONG), lambda c: c in sample.wordy):
        return None
    return reply, question


def _text_and_title(sample: _Sample) -> tuple[str | None, str | None]:
    """The columns of the text and of the title, by their names or else by their lengths and questions."""
    if not sample.wordy:
        return None, None
    longest = max(sample.wordy, key=lambda c: sample.mean[c])
    text = sample.named(TEXT, lambda c: c in sample.wordy and 4 * sample.mean[c] >= sample.mean[longest])
    asking = None
    if text is None:
        asking = sample.named(QUESTION, lambda c: c in sample.wordy) or _asking(sample)
        others = [c for c in sample.wordy if c != asking and _may_answer(sample, c)]
        text = max(others, key=lambda c: sample.mean[c]) if asking and others else longest
    title = sample.named(TITLE, lambda c: c != text and sample.filled(c))
    return text, title or (asking if asking != text else None)


def _asking(sample: _Sample) -> str | None:
    """The only column whose cells are mostly questions."""
    asking = [c for c in sample.wordy if 2 * sum(map(asks, sample.values[c])) > len(sample.values[c])]
    return asking[0] if len(asking) == 1 else None


def _may_answer(sample: _Sample, column: str) -> bool:
    """Whether a column beside questions may hold their answers: it is not a category and names no title."""
    name, values = column.strip().lower(), sample.values[column]
    return name not in TITLE and name not in LISTS and name not in OTHERS and 2 * len(set(values)) > len(values)


def _are_ids(sample: _Sample, column: str) -> bool:
    """Whether the cells of a column without a name are ids: all there and different, with digits and without spaces."""
    values = sample.values[column]
    if len(values) < len(sample.rows) or len(set(values)) < len(values):
        return False
    return all(map(_is_id, values))


def _is_id(text: str) -> bool:
    """Whether a text may be an id: a number other than a year, or letters and digits without a space."""
    if text.isdecimal():
        return not (len(text) == 4 and text[:2] in ("18", "19", "20", "21"))
    return len(text) <= 64 and not any(map(str.isspace, text)) and any(map(str.isdigit, text)) and not _is_measure(text)


def _is_measure(text: str) -> bool:
    return _is_date(text) or _FLOAT.fullmatch(text) is not None


def _ever_filled(table: Table, column: str) -> bool:
    """Whether a column has a value after the sample."""
    return any(plain(row.get(column)) is not None for _, row in islice(table.rows, 1000, None))


def _name_left_out(reading: Reading, table: Table, columns: Columns) -> None:
    """Reports the columns that are neither text nor field, with their characters."""
    for column in table.columns:
        if column in (columns.text, columns.title, columns.id, *columns.metadata, *columns.more):
            continue
        lengths = [len(v) for _, row in table.rows if (v := plain(row.get(column))) is not None]
        if lengths:
            template = N_("Column “{column}”: characters in no document: {n}, rows: {rows}; it has no words.")
            message = Said(template, column=column, n=sum(lengths), rows=len(lengths))
            place = Said("sheet “{sheet}”", sheet=table.sheet) if table.sheet else None
            reading.problem(message, Said("Choose it as metadata if you need it."), place=place)


def _wordy(columns: Sequence[str], rows: Sequence[Mapping[str, object]]) -> list[str]:
    """The columns with words in half of their cells or more; a column that is called a text needs one such cell.

    If there are none, those with other letters than in addresses and identifiers.
    """
    share = dict[str, float]()
    for column in columns:
        cells = [row[column] for row in rows if plain(row.get(column)) is not None]
        share[column] = sum(map(has_words, cells)) / len(cells) if cells else 0.0
    usual = frozenset((*TEXT, *TITLE))
    return [c for c in columns if share[c] >= 0.5 or (share[c] and bare_name(c) in usual)]


def has_words(value: object) -> bool:
    """Whether a cell is a text with words, and not an address, an identifier, a file, a date or encoded data."""
    text = value[:1000].strip() if isinstance(value, str) else ""
    if not any(c.isalpha() for c in text) or _FLOAT.fullmatch(text) or is_file_name(text) or _is_date(text):
        return False
    return not all(_WORDLESS.fullmatch(part.strip(".,;:()[]<>\"'")) for part in text.split())


_DATE_TOKEN = re.compile(r"\d+|[^\W\d]+")
_DATE_WORD = re.compile(rf"\d+|(?:{SHORT_WEEKDAY}|{MONTH_NAME})[a-z]*|[ap]m|gmt|utc|t|z|st|nd|rd|th", re.IGNORECASE)


def _is_date(text: str) -> bool:
    """Whether a text is a day or a time, in digits or with the name of a month."""
    if len(text) > 40 or not any(c.isdigit() for c in text):
        return False
    return bool(read_date(text)) or all(map(_DATE_WORD.fullmatch, _DATE_TOKEN.findall(text)))


def _typed_column(table: Table, column: str) -> Callable[[object], Value | None]:
    """Returns the function that converts the values of a column to metadata; in a csv, *all* values decide the type."""
    if column.strip().lower() in LISTS:
        return _to_list
    if not table.raw:
        return to_value
    seen = {v.strip() for _, row in table.rows if (v := plain(row.get(column))) is not None}
    numbers = {v for v in seen if v.lower() != "nan"}  # how programs write a missing number
    kinds: tuple[tuple[re.Pattern[str], set[str], Callable[[str], Value]], ...]
    kinds = (_INT, numbers, int), (_FLOAT, numbers, float), (_BOOL, seen, lambda text: text.lower() == "true")
    for pattern, texts, make in kinds:
        if texts and all(pattern.fullmatch(v) and math.isfinite(float(v) if make is float else 0) for v in texts):
            return lambda v: to_value(make(text)) if (text := (plain(v) or "").strip()) in texts else None
    return lambda v: None if (text := plain(v)) is None else text.strip()


def to_value(value: object) -> Value | None:
    """Converts a typed cell or a JSON value to metadata: lists of strings, objects as JSON; None if missing."""
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
    return None if text is None else split_tags(text)


def column_names(reading: Reading, first: Sequence[object], place: Said) -> list[str]:
    """Returns the names of the columns; empty ones are numbered, repeated ones too, and reported.

    Raises `UploadError` if there are too many.
    """
    reading.check_columns(len(first))
    free, names = Names(pattern="{} ({})"), list[str]()
    for i, name in enumerate(first, 1):
        proposed = " ".join(reading.clean("" if name is None else str(name)).split()) or f"column {i}"
        names.append(free.fresh(proposed))
        if names[-1] != proposed:
            twice = Said("Two columns are named “{name}”; one is now “{new}”.", name=proposed, new=names[-1])
            reading.problem(twice, Said("Give every column a name of its own."), place=place)
    return names


def _numbered(reading: Reading, first: Sequence[object]) -> list[str]:
    reading.check_columns(len(first))
    return [f"column {i}" for i in range(1, len(first) + 1)]
