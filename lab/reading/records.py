"""JSON and JSON lines: records wherever they are in the file, each a row of a table."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from lab.reading.account import Statement
from lab.reading.bulk import bulk_records, is_bulk
from lab.reading.cells import plain
from lab.reading.chats import spoken
from lab.reading.encodings import decode
from lab.reading.format import Format, Sample
from lab.reading.known import ASKED, BESIDE, ID, LINES, STRONG, TEXT, TITLE, bare_name, known_name
from lab.reading.shapes import DEEPEST, Found, Length, find_records, is_lines, joined, length_of
from lab.reading.tables import OnProblem, Table, add_table, add_tables, has_words
from lab.reading.testsets import add_test_set, test_set
from lab.reading.totals import total_of
from lab.reading.typed import is_typed, untyped
from lab.reading.uploads import Columns, Reading
from lab.words import N_, Said

_DECODER = json.JSONDecoder(parse_int=lambda s: int(s) if len(s) < 19 else s, parse_constant=lambda _: None)
"""One for all texts: to make it takes longer than to read a short line."""
_NESTED = (dict, list)
_MORE = 4
"""How many times as long a list of lines must be as the other words of its record to be its text."""
_UNTIDY = re.compile(
    "[\x7f-\x9f\u2028-\u202e\u2066-\u2069\u2e80-\u2fdf\uf900-\ufaff\ufeff\ufffe\uffff\U0002f800-\U0002fa1f]|\\\\[ur]"
)
"""Signs in a JSON text for which its strings must be cleaned one by one."""


def parse_json(text: str, tidy: Callable[[str], str] | None = None) -> Any:
    """JSON in which no number is too big: integers beyond 18 digits stay strings, NaN and infinity become None.

    ``tidy`` is called with every string of a text that holds signs to be cleaned, or escapes, which can hide them.
    Raises ValueError with a short reason.
    """
    try:
        value = _DECODER.decode(text)
        if tidy and is_typed(text):
            value = untyped(value)
        return tidied(value, tidy) if tidy and _UNTIDY.search(text) else value
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise ValueError(f"{error.msg}, {line}column {error.colno}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


def tidied(value: Any, tidy: Callable[[str], str]) -> Any:
    """Returns a JSON value with every string and name of it as ``tidy`` returns it."""
    if isinstance(value, str):
        return tidy(value)
    if isinstance(value, list):
        return [tidied(v, tidy) for v in value]
    if isinstance(value, dict):
        return {tidy(k): tidied(v, tidy) for k, v in value.items()}
    return value


def json_values(
    lines: Iterable[tuple[int, str]], on_problem: OnProblem, tidy: Callable[[str], str] | None = None
) -> Iterator[tuple[int, Any]]:
    """Yields (line number, value) of the lines that are JSON."""
    for number, line in lines:
        try:
            value = parse_json(line, tidy)
        except ValueError as error:
            wrong = Said("The line is not valid JSON ({reason}).", reason=str(error))
            on_problem(number, wrong, Said("Write one JSON object per line."))
        else:
            yield number, value


def json_text(reading: Reading, data: bytes) -> str:
    """Returns the text of a JSON file, whose strings are not cleaned yet: a line separator inside one ends no line."""
    text = reading.decode(data, tidy=False)
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\x1e", "")  # RFC 7464 begins a text with that sign


def read_jsonl(reading: Reading, data: bytes, columns: Columns | None) -> None:
    """Adds the objects (or strings) of a file, one a line; a file that is one JSON value is read as such.

    The records may be inside the objects, as they may in one JSON value.
    """
    text = json_text(reading, data)
    if (value := _whole(text)) is not None:
        _add_value(reading, value, columns)
        return
    values = list(json_values(reading.lines(text), reading.wrong_line, reading.clean))
    if is_bulk(values):
        values = bulk_records(reading, values)
    lines = [value for _, value in values]
    whole = spoken(reading, lines[0] if len(lines) == 1 else lines)
    if asked := test_set(whole):
        add_test_set(reading, asked)
        return
    result = find_records(whole)
    if not result.lists or result.lists[0].records == lines:
        _add_records(reading, values, Table(N_("line {n}")), columns)
    else:
        _add_found(reading, result, whole, columns)


def _whole(text: str) -> Any:
    """The JSON value that a text is over several lines, or in its only line a list; None if a line is a value."""
    lines = [line for line in text.split("\n", 20) if line.strip()]
    try:
        first = parse_json(lines[0])
        return first if len(lines) == 1 and isinstance(first, list) else None
    except ValueError:
        pass
    try:
        return parse_json(text) if len(lines) > 1 else None
    except ValueError:
        return None


def read_json(reading: Reading, data: bytes, columns: Columns | None) -> None:
    """Adds the records of a file: a list of objects, of strings or of rows, however deep it lies; objects by id."""
    text = json_text(reading, data)
    try:
        value = parse_json(text, reading.clean)
    except ValueError as error:
        if "Extra data" in str(error) and text.lstrip().startswith(("{", "[", '"')):  # JSON lines under another name
            read_jsonl(reading, data, columns)
            return
        remedy = Said("Check it with a JSON validator; one object per line belongs in a .jsonl file.")
        raise reading.refuse("“{file}” is not valid JSON ({reason}).", remedy, reason=str(error)) from None
    _add_value(reading, value, columns)


def _add_value(reading: Reading, value: object, columns: Columns | None) -> None:
    if asked := test_set(value):
        add_test_set(reading, asked)
        return
    value = spoken(reading, value)
    _add_found(reading, find_records(value), value, columns)


def _add_found(reading: Reading, result: Found, value: object, columns: Columns | None) -> None:
    """Adds the lists of records of a file: one is a table, each of several a table with its name."""
    if result.left_out:
        reading.fact(Said("without {names}", names=[f"“{name}”" for name in result.left_out]))
    for listed in result.lists:
        _tell_total(reading, value, listed.records)
    if len(result.lists) < 2:
        above, records = (result.lists[0].above, result.lists[0].records) if result.lists else ("", [])
        _add_records(reading, enumerate(records, 1), Table(N_("item {n}"), above=above), columns)
        return
    tables = [Table(N_("item {n}"), above=listed.above, sheet=listed.name) for listed in result.lists]
    for table, listed in zip(tables, result.lists, strict=True):
        _put_records(reading, enumerate(listed.records, 1), table)
    add_tables(reading, [table for table in tables if table.rows], columns)


def _tell_total(reading: Reading, value: object, records: Sequence[object]) -> None:
    """Notes that a file has fewer records than its search had hits."""
    total = total_of(value, records)
    if total is not None and total.records > len(records):
        few = Said("Records in the file: {n:,} of {total:,}.", n=len(records), total=total.records)
        reading.problem(
            few, Said("Export all of them if all are to be searched."), place=Said("{member}", member=total.name)
        )


def _add_records(reading: Reading, values: Iterable[tuple[int, object]], table: Table, columns: Columns | None) -> None:
    """Adds numbered values, each an object or a text; others are reported."""
    _put_records(reading, values, table)
    if not table.rows:
        remedy = Said("Write a list of objects, each with a “text”.")
        raise reading.nothing(N_("“{file}” is JSON, but not a list of documents."), remedy)
    add_table(reading, table, columns)


def _put_records(reading: Reading, values: Iterable[tuple[int, object]], table: Table) -> None:
    """Puts the values into the table, each an object or a text; others are reported."""
    for number, value in table.within(reading, values):
        record = {"text": value} if isinstance(value, str) else value
        if not isinstance(record, dict):
            remedy = Said("Write every document as an object with a “text”.")
            reading.problem(Said("This is not a JSON object."), remedy, place=table.place(number))
            continue
        table.rows.append((number, record))
    _open_envelopes(table)
    _join_lines(table)
    names = list(dict.fromkeys(k for _, row in table.rows for k in row))
    limit = reading.limits.max_columns
    if len(names) > limit:
        many = Said("There are {n} different keys; only the first {limit} are read.", n=len(names), limit=limit)
        reading.problem(many, Said("Leave out keys that are not needed."))
    table.columns = names[:limit]


# ----------------------------------------------------------------------------------------------- envelopes


def _open_envelopes(table: Table) -> None:
    """Puts the fields of an object inside the records into the records, if the records have their text in there.

    ``metadata`` is opened beside a text as well, as the BEIR layout has it.
    """
    for _ in range(DEEPEST):
        envelope = _envelope([row for _, row in table.rows])
        if envelope is None:
            return
        table.rows = [(number, _opened(row, envelope)) for number, row in table.rows]


def _opened(row: dict[str, object], envelope: str) -> dict[str, object]:
    """The record with the fields of this object instead of it; a name that is taken gets the object's before it.

    A name whose value is a list, an object or nothing is not taken by it.
    """
    inner = row.get(envelope)
    if not isinstance(inner, dict):
        return row
    outer = {k: v for k, v in row.items() if k != envelope}
    if known_name(envelope) in BESIDE:
        return {k: v for k, v in inner.items() if plain(outer.get(k)) is None} | outer
    renamed = dict[str, object]()
    for name, value in inner.items():
        if name in outer and plain(outer[name]) is None and plain(value) is not None:
            renamed |= {f"{envelope}.{name}": outer.pop(name), name: value}
        else:
            renamed[f"{envelope}.{name}" if name in outer else name] = value
    return outer | renamed


def _envelope(rows: Sequence[Mapping[str, object]]) -> str | None:
    """The key of the object that holds the fields of the records; None if the records hold them themselves."""
    beside = (
        key for row in rows for key, value in row.items() if isinstance(value, dict) and known_name(key) in BESIDE
    )
    if (key := next(beside, None)) is not None:
        return key
    sample = rows[:1000]
    inside, outside = dict[str, Length](), Length()
    for row in sample:
        for key, value in row.items():
            if bare_name(key) in STRONG and (has_words(value) or is_lines(key, value)):
                return None
            length = length_of(value, key)
            if isinstance(value, dict):
                inside[key] = _sum(inside.get(key, Length()), length)
            else:
                outside = _sum(outside, length)
    best, length = max(inside.items(), key=lambda item: item[1].rank, default=("", Length()))
    return best if length.rank > outside.rank and any(length) else None


def _sum(one: Length, other: Length) -> Length:
    return Length(*map(sum, zip(one, other, strict=True)))


def _join_lines(table: Table) -> None:
    """Joins texts that are lists of lines, and takes titles and ids out of lists that hold nothing else.

    If no column is a text, the longest list of lines is.
    """
    lists = {k for _, row in table.rows for k, v in row.items() if isinstance(v, list)}
    texts = {k for k in lists if bare_name(k) in TEXT}
    alone = {k for k in lists if bare_name(k) in (*TITLE, *ID)}
    if longest := _longest_lines([row for _, row in table.rows[:1000]], lists - texts - alone):
        texts.add(longest)
    for _, row in table.rows if texts or alone else ():
        for name in texts:
            value = row.get(name)
            if isinstance(value, list) and (text := joined(value)):
                row[name] = text
        for name in alone:
            value = row.get(name)
            if isinstance(value, list) and len(value) == 1:
                row[name] = value[0]


def _longest_lines(rows: Sequence[Mapping[str, object]], names: set[str]) -> str | None:
    """The name of the list of lines that is longer than all other words of the rows but their titles."""
    if not names:
        return None
    lengths, outside, titles = dict.fromkeys(sorted(names), Length()), Length(), Length()
    for row in rows:
        for name, value in row.items():
            if name in lengths:
                lengths[name] = _sum(lengths[name], length_of(value, name))
            elif bare_name(name) in TITLE:
                titles = _sum(titles, length_of(value, name))
            else:
                outside = _sum(outside, length_of(value, name))
    longest = max(lengths, key=lambda name: sum(lengths[name]))
    if bare_name(longest) in ASKED["answer"] and not any(titles):
        return None  # answers whose questions are in another file
    usual = next((name for name in lengths if bare_name(name) in LINES and any(lengths[name])), None)
    if usual and not outside.text:
        return usual
    return longest if not outside.text and sum(lengths[longest]) > _MORE * sum(outside) else None


# --------------------------------------------------------------------------------------------- recognition


def _nameless(sample: Sample) -> bool:
    """Whether a text begins as JSON, and its name promises nothing of that kind."""
    kept = ("json", "jsonl", "md", "html", "xml")
    return sample.first in ("{", "[") and sample.expected not in kept and not is_notebook(sample)


def is_notebook(sample: Sample) -> bool:
    has_cells = b'"cells"' in sample.data or b'"worksheets"' in sample.data
    return sample.first in ("{", "[") and has_cells and b'"nbformat"' in sample.data


def is_jsonl(sample: Sample) -> bool:
    """Whether the first two lines of a text that is named as another one are objects."""
    decoded = decode(sample.data) if _nameless(sample) else None
    lines = [line for line in decoded.text.split("\n", 3) if line.strip()][:2] if decoded else []
    try:
        return len(lines) == 2 and all(isinstance(json.loads(line), dict) for line in lines)
    except (ValueError, RecursionError):
        return False


def is_json(sample: Sample) -> bool:
    """Whether a text that is named as another one is one JSON value with objects or lists."""
    decoded = decode(sample.data) if _nameless(sample) and not is_jsonl(sample) else None
    try:
        value = json.loads(decoded.text) if decoded else None
    except (ValueError, RecursionError):
        return False
    nested = isinstance(value, list) and any(isinstance(v, dict | list) for v in value)
    return isinstance(value, dict) or nested


# ------------------------------------------------------------------------------------------- what is said


def say_values(reading: Reading, data: bytes) -> Iterator[Statement]:
    """Yields the strings and numbers of JSON by the names above them, whatever they are used for."""
    text = reading.text_again(data, tidy=False)
    try:
        value = json.loads(text)
    except ValueError:
        value = _values_of_lines(text.replace("\x1e", ""))
    lines_of = defaultdict[str, list[str]](list)
    waiting: list[tuple[str, object]] = [("", value)]
    while waiting:
        name, inner = waiting.pop()
        if isinstance(inner, list):
            waiting += [(name, v) for v in inner]
        elif isinstance(inner, dict):
            for key, v in inner.items():
                path = f"{name}.{key}" if name else key
                if isinstance(v, str):
                    lines_of[path] += v.split("\n") if "\n" in v else (v,)
                elif isinstance(v, _NESTED):
                    waiting.append((path, v))
                elif v is not None:
                    lines_of[path].append(str(v))
        elif inner is not None:
            lines_of[name] += str(inner).split("\n")
    # the most values first: the records' values, not a number beside them that equals one
    for name, lines in sorted(lines_of.items(), key=lambda item: -len(item[1])):
        yield Statement("field", name, lines)


def _values_of_lines(text: str) -> list[object]:
    lines, values = [line for line in text.split("\n") if line.strip()], list[object]()
    with suppress(ValueError):
        return list(json.loads(f"[{','.join(lines)}]"))
    for line in lines:
        with suppress(ValueError):
            values.append(json.loads(line))
    return values


FORMATS = (
    Format("json", ("json", "geojson"), read_json, is_json, statements=say_values),
    Format("jsonl", ("jsonl", "ndjson"), read_jsonl, is_jsonl, statements=say_values),
)
