"""JSON and JSON lines: records wherever they are in the file, each a row of a table."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from lab.reading.account import Statement
from lab.reading.encodings import decode
from lab.reading.format import Format, Sample
from lab.reading.known import STRONG, TEXT, TITLE
from lab.reading.tables import OnProblem, Table, add_table, add_tables, has_words
from lab.reading.uploads import Columns, Reading
from lab.words import N_, Said

_DEEPEST = 8
"""Levels of objects and lists around the records."""
_LOOKED_AT = 20
"""Objects of a list that are sampled to find their text."""
_SHORT = 5
"""Maximum characters of a text that is only a state, such as “ok”."""
_SHARE = 0.2
"""Minimum mean length of the records of a further list, as a share of the longest mean."""
_METADATA = "metadata"
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
        value = json.loads(text, parse_int=lambda s: int(s) if len(s) < 19 else s, parse_constant=lambda _: None)
        return _tidied(value, tidy) if tidy and _UNTIDY.search(text) else value
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
    """Adds the objects (or strings) of a file, one a line; a file that is one JSON value is read as such."""
    text = json_text(reading, data)
    if (value := _whole(text)) is not None:
        _add_value(reading, value, columns)
        return
    values = json_values(reading.lines(text), reading.wrong_line, reading.clean)
    _add_records(reading, values, Table(N_("line {n}")), columns)


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
    result = find_records(value)
    if result.left_out:
        names = ", ".join(f"“{name}”" for name in result.left_out)
        reading.fact(Said("without {names}", names=names))
    if len(result.lists) < 2:
        _, above, records = result.lists[0] if result.lists else ("", "", [])
        _add_records(reading, enumerate(records, 1), Table(N_("item {n}"), above=above), columns)
        return
    tables = [Table(N_("item {n}"), above=above, sheet=name) for name, above, _ in result.lists]
    for table, (_, _, records) in zip(tables, result.lists, strict=True):
        _put_records(reading, enumerate(records, 1), table)
    add_tables(reading, [table for table in tables if table.rows], columns)


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
    names = list(dict.fromkeys(k for _, row in table.rows for k in row))
    limit = reading.limits.max_columns
    if len(names) > limit:
        many = Said("There are {n} different keys; only the first {limit} are read.", n=len(names), limit=limit)
        reading.problem(many, Said("Leave out keys that are not needed."))
    table.columns = names[:limit]


# ------------------------------------------------------------------------------------------------- records


Listed = tuple[str, str, Sequence[object]]
"""The name of a list, the title above it, and its records."""


@dataclass(frozen=True)
class Found:
    """The lists of records in a JSON value, and the names of lists that hold something else."""

    lists: Sequence[Listed] = ()
    left_out: Sequence[str] = ()


def find_records(value: object) -> Found:
    """Returns the records of a JSON value: the lists in it, however deep, whose records are texts.

    An object with a text of its own is one record, and the lists in it belong to it.  Without lists, the objects or
    texts of an object are records by their keys.
    """
    if isinstance(value, str):
        return _one_list([value] if value.strip() else [])
    if isinstance(value, dict) and _has_text(value, STRONG):
        return _one_list([value])
    lists = [(listed, _mean_length(listed[-1])) for listed in _lists(value, "", "", 0) if listed[-1]]
    described = isinstance(value, dict) and _has_text(value, frozenset(TEXT))
    if described and not any(_has_objects(listed[-1]) for listed, _ in lists):
        return _one_list([value])
    most = max((mean for _, mean in lists), default=0.0)
    if most:
        least = min(most, max(_SHARE * most, _SHORT))
        left_out = [listed[0] for listed, mean in lists if mean < least and _has_objects(listed[-1]) and listed[0]]
        return Found([listed for listed, mean in lists if mean >= least], left_out)
    if not isinstance(value, dict):
        return Found([listed for listed, _ in lists])
    return _one_list(_by_key(value, 0))


def _one_list(records: Sequence[object]) -> Found:
    return Found([("", "", records)] if records else [])


def _has_objects(records: Sequence[object]) -> bool:
    return any(isinstance(record, dict) for record in records)


def _mean_length(records: Sequence[object]) -> float:
    """The usual length of the text of a record; of texts alone only if they are more than words."""
    sample = records[:1000]
    mean = sum(map(text_length, sample)) / len(sample)
    return mean if _has_objects(records) or mean > _SHORT else 0.0


def _has_text(record: Mapping[str, object], names: Container[str]) -> bool:
    return any(k.strip().lower() in names and has_words(v) for k, v in record.items())


def text_length(value: object, depth: int = 0) -> int:
    """Returns the number of characters in texts with words; a long list is estimated from its beginning."""
    if isinstance(value, str):
        return len(value) if has_words(value) else 0
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(text_length(v, depth + 1) for v in islice(inner, 1000)) if depth < _DEEPEST else 0


def _lists(value: object, name: str, above: str, depth: int) -> Iterator[Listed]:
    """The lists inside a value; lists in a list are one list, or rows below their names."""
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        titles = (v for k, v in value.items() if k.strip().lower() in TITLE and has_words(v))
        title = next((str(v) for v in titles), above)
        for key, inner in value.items():
            yield from _lists(inner, key, title, depth + 1)
    elif isinstance(value, list):
        rows = [v for v in value if isinstance(v, list)]
        if not rows or _has_objects(value):
            yield from _deeper(value, name, above, depth) or [(name, above, value)]
        elif _has_names(rows):
            yield name, above, [dict(zip(map(str, rows[0]), row, strict=True)) for row in rows[1:]]
        else:
            yield from _lists([v for row in rows for v in row], name, above, depth + 1)


def _deeper(value: Sequence[object], name: str, above: str, depth: int) -> list[Listed]:
    """The lists inside the objects of a list, if they have more text than the objects themselves, as one list per name.

    The records without a title get the title of the object that they are in.
    """
    objects = [v for v in value if isinstance(v, dict)]
    first = objects[:_LOOKED_AT]
    if not first or any(_has_text(record, STRONG) for record in first):
        return []
    own_length = sum(text_length(v) for record in first for v in record.values() if isinstance(v, str))
    inside = [list(_lists(record, name, "", depth + 1)) for record in first]
    if sum(text_length(list(records)) for lists in inside for *_, records in lists) <= own_length:
        return []
    by_name: dict[str, list[object]] = {}
    for record in objects:
        title = next((v for k, v in record.items() if k.strip().lower() in TITLE and has_words(v)), "")
        for inner, _, records in _lists(record, name, "", depth + 1):
            titled = ({"title": title, **r} if title and isinstance(r, dict) else r for r in records)
            by_name.setdefault(inner, []).extend(titled)
    return [(inner, above, records) for inner, records in by_name.items()]


def _has_names(rows: Sequence[Sequence[object]]) -> bool:
    """Whether lists are the rows of a table, of one width, the first of which holds names."""
    if len(rows) < 2 or len(rows[0]) < 2 or not all(isinstance(name, str) for name in rows[0]):
        return False
    return all(len(row) == len(rows[0]) and not any(isinstance(v, list | dict) for v in row) for row in rows)


def _by_key(value: Mapping[str, object], depth: int) -> list[object]:
    """The objects or the texts of an object, with their keys as ids; an envelope is opened."""
    inner = list(value.values())
    if len(inner) > 1 and all(isinstance(v, dict) for v in inner):
        return [{"id": k, **v} for k, v in value.items() if isinstance(v, dict)]
    if inner and all(isinstance(v, str) and has_words(v) and len(v) > _SHORT for v in inner):
        return [{"id": k, "text": v} for k, v in value.items()]
    nested = [v for v in inner if isinstance(v, dict)]
    if len(nested) != 1 or depth > _DEEPEST:
        return []
    return [nested[0]] if _has_text(nested[0], frozenset(TEXT)) else _by_key(nested[0], depth + 1)


# ----------------------------------------------------------------------------------------------- envelopes


def _open_envelopes(table: Table) -> None:
    """Puts the fields of an object inside the records into the records, if the records have their text in there.

    ``metadata`` is opened beside a text as well, as the BEIR layout has it.
    """
    for _ in range(_DEEPEST):
        envelope = _envelope([row for _, row in table.rows])
        if envelope is None:
            return
        table.rows = [(number, _opened(row, envelope)) for number, row in table.rows]


def _opened(row: dict[str, object], envelope: str) -> dict[str, object]:
    """The record with the fields of this object instead of it; a name that is taken gets the object's before it."""
    inner = row.get(envelope)
    if not isinstance(inner, dict):
        return row
    outer = {k: v for k, v in row.items() if k != envelope}
    if envelope == _METADATA:
        return {k: v for k, v in inner.items() if k not in outer} | outer
    return outer | {(f"{envelope}.{k}" if k in outer else k): v for k, v in inner.items()}


def _envelope(rows: Sequence[Mapping[str, object]]) -> str | None:
    """The key of the object that holds the fields of the records; None if the records hold them themselves."""
    if any(isinstance(row.get(_METADATA), dict) for row in rows):
        return _METADATA
    sample = rows[:1000]
    values = (v for row in sample for k, v in row.items() if k.strip().lower() in STRONG)
    if any(has_words(v) or isinstance(v, dict | list) for v in values):
        return None
    inside = Counter[str]()
    outside = 0
    for row in sample:
        for key, value in row.items():
            if isinstance(value, dict):
                inside[key] += text_length(value)
            else:
                outside += text_length(value)
    best, length = max(inside.items(), key=lambda item: item[1], default=("", 0))
    return best if length > outside else None


# --------------------------------------------------------------------------------------------- recognition


def _nameless(sample: Sample) -> bool:
    """Whether a text begins as JSON, and its name promises nothing of that kind."""
    kept = ("json", "jsonl", "md", "html", "xml")
    return sample.first in ("{", "[") and sample.expected not in kept and not is_notebook(sample)


def is_notebook(sample: Sample) -> bool:
    """Whether a text is a notebook of Jupyter."""
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
    lines_of = dict[str, list[str]]()
    waiting: list[tuple[str, object]] = [("", value)]
    while waiting:
        name, inner = waiting.pop()
        if isinstance(inner, str):
            lines_of.setdefault(name, []).extend(inner.split("\n") if "\n" in inner else (inner,))
        elif isinstance(inner, dict):
            waiting += [(f"{name}.{key}" if name else key, v) for key, v in inner.items()]
        elif isinstance(inner, list):
            waiting += [(name, v) for v in inner]
        elif inner is not None:
            lines_of.setdefault(name, []).append(str(inner))
    for name, lines in lines_of.items():
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
