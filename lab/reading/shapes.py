"""Where the records of a JSON value are: in lists, by their keys, or column by column, however deep they lie.

A record is an object with a text.  Where its text is, is decided after the objects around it are opened, and a name of
a text counts more than a long list of words beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from lab.reading.header import score
from lab.reading.known import (
    ASKED,
    BESIDE,
    ID,
    LINES,
    LISTS,
    PARTS,
    QUESTION,
    REPLY,
    SHOWN,
    STRONG,
    TEXT,
    TITLE,
    WORDS,
    bare_name,
    known_name,
)
from lab.reading.tables import has_words

DEEPEST = 8
"""Levels of objects and lists around the records."""
SAMPLE = 20
"""Records of a list that are sampled to find their text."""
_SHORT = 5
"""Maximum characters of a text that is only a state, such as “ok”."""
_SHARE = 0.2
"""Minimum mean length of the records of a further list, as a share of the longest mean."""
_WORDS, _SIGNS = 3, 5
"""Minimum mean number of words, or of Chinese characters, of a line that is more than a keyword."""
_ALIKE = 0.8
"""Minimum share of the records by key that have a text, and a key in common."""
_MORE = 4
"""How many times as long lists must be as a description beside them to hold the records."""
_HEADERS = ("columns", "names", "header", "headers", "fields", "meta")
_DESCRIBED = (*_HEADERS, "schema", "features")
_ROWS = ("data", "rows", "values", "dataarray", "result", "results")
_NAMES = frozenset((*TEXT, *TITLE, *ID, *LISTS, *BESIDE, *ASKED["text"], *ASKED["id"], *ASKED["answer"]))


class Listed(NamedTuple):
    """The name of a list, the title above it, its records, whether only their keys make them records, or it is one."""

    name: str
    above: str
    records: Sequence[object]
    is_weak: bool = False
    is_single: bool = False


@dataclass(frozen=True)
class Found:
    """The lists of records in a JSON value, and the names of lists that hold something else."""

    lists: Sequence[Listed] = ()
    left_out: Sequence[str] = ()


class Length(NamedTuple):
    """The characters of a text under the name of one, of a description, and of other words."""

    text: int = 0
    described: int = 0
    words: int = 0

    @property
    def rank(self) -> tuple[int, int]:
        """The best kind of text, and its length, for comparison."""
        place = next((i for i, length in enumerate(self) if length), len(self))
        return len(self) - place, sum(self)


def find_records(value: object) -> Found:
    """Returns the records of a JSON value: the lists in it, however deep, whose records are texts.

    An object with a text of its own is one record, and the lists in it belong to it.  Without lists, the objects or
    texts of an object are records by their keys.
    """
    if isinstance(value, str):
        return _one_list([value] if value.strip() else [])
    if isinstance(value, dict) and _has_text(value, STRONG) and not column_rows(value):
        return _one_list([value])
    lists = [(listed, mean_length(listed.records)) for listed in _lists(value, "", "", 0) if listed.records]
    usual = max((mean for listed, mean in lists if not listed.is_weak), default=0.0)
    lists = [(listed, mean) for listed, mean in lists if not listed.is_weak or mean > 2 * usual]
    has_records = any(_has_objects(listed.records) for listed, _ in lists)
    described = isinstance(value, dict) and (
        _has_text(value, TEXT) or (not lists and length_of(value).text) or (title_of(value) and _is_of_lines(lists))
    )
    if described and not has_records:
        return _one_list([value])
    lists = _without_words(lists)
    most = max((mean for _, mean in lists), default=0.0)
    if not most:
        return Found([listed for listed, _ in lists])
    least = min(most, max(_SHARE * most, _SHORT))
    left_out = [listed.name for listed, mean in lists if mean < least and _has_objects(listed.records) and listed.name]
    return Found([listed for listed, mean in lists if mean >= least], left_out)


def _is_of_lines(lists: list[tuple[Listed, float]]) -> bool:
    """Whether the only text below an object is one list of lines."""
    texts = [listed for listed, mean in lists if mean and known_name(listed.name) not in WORDS]
    return len(texts) == 1 and known_name(texts[0].name) not in PARTS and is_lines(texts[0].name, texts[0].records)


def _without_words(lists: list[tuple[Listed, float]]) -> list[tuple[Listed, float]]:
    """The lists, without those of words alone if there is another."""
    texts = [
        (listed, mean)
        for listed, mean in lists
        if _has_objects(listed.records) or is_lines(listed.name, listed.records)
    ]
    return texts if any(mean for _, mean in texts) else lists


def _one_list(records: Sequence[object]) -> Found:
    return Found([Listed("", "", records)] if records else [])


def _has_objects(records: Sequence[object]) -> bool:
    return any(isinstance(record, dict) for record in records)


def _has_text(record: Mapping[str, object], names: Collection[str]) -> bool:
    return any(has_words(v) for k, v in record.items() if bare_name(k) in names)


def _has_own_text(record: Mapping[str, object]) -> bool:
    return _has_text(record, STRONG) or any(bare_name(k) in STRONG and is_lines(k, v) for k, v in record.items())


def title_of(record: Mapping[str, object], default: str = "") -> str:
    """Returns the title of a record, by the names that titles have."""
    return next((str(v) for k, v in record.items() if bare_name(k) in TITLE and has_words(v)), default)


# -------------------------------------------------------------------------------------------------- length


def mean_length(records: Sequence[object]) -> float:
    """Returns the usual length of the text of a record; of texts alone only if they are more than words."""
    sample = records[:1000]
    mean = sum(map(text_length, sample)) / len(sample)
    return mean if _has_objects(records) or mean > _SHORT else 0.0


def text_length(value: object, depth: int = 0) -> int:
    """Returns the number of characters in texts with words; a long list is estimated from its beginning."""
    if isinstance(value, str):
        return len(value) if has_words(value) else 0
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(text_length(v, depth + 1) for v in islice(inner, 1000)) if depth < DEEPEST else 0


def length_of(record: object, name: str = "", depth: int = 0) -> Length:
    """Returns how much text a record has itself and in the objects in it, and not in lists of records or of words."""
    known = bare_name(name)
    if known in SHOWN:
        return Length()
    if isinstance(record, str) or is_lines(name, record):
        length = text_length(record)
        if known in STRONG:
            return Length(text=length)
        return Length(described=length) if known in TEXT else Length(words=length)
    if not isinstance(record, dict) or depth >= DEEPEST:
        return Length()
    lengths = [length_of(v, k, depth + 1) for k, v in islice(record.items(), 1000)]
    return Length(*map(sum, zip(*lengths, strict=True))) if lengths else Length()


def is_lines(name: str, value: object) -> bool:
    """Whether a list of strings is a text, line by line, or the parts of a message, and not a list of words."""
    if not isinstance(value, list) or not value:
        return False
    if parts := _parts(value):
        return known_name(name) in (*TEXT, "parts") and bool(parts)
    known = bare_name(name)
    if known in WORDS or not all(isinstance(v, str) for v in value[:1000]):
        return False
    if known in TEXT or known in PARTS or known in LINES:
        return any(map(has_words, value[:1000]))
    sample = [v for v in value[:SAMPLE] if has_words(v)]
    words = sum(len(v.split()) for v in sample)
    signs = sum("\u3400" <= c <= "\u9fff" for v in sample for c in v)
    return 2 * len(sample) >= len(value[:SAMPLE]) and (words >= _WORDS * len(sample) or signs >= _SIGNS * len(sample))


def _parts(value: list[object]) -> list[str]:
    """The texts of the parts of a message, which has strings and objects with a “text” or a “content”."""
    if not all(isinstance(v, str) or (isinstance(v, dict) and "type" in v and len(v) < 6) for v in value[:1000]):
        return []
    if not _has_objects(value):
        return []
    texts = (v if isinstance(v, str) else v.get("text", v.get("content")) for v in value if isinstance(v, str | dict))
    return [text for text in texts if isinstance(text, str)]


def joined(value: list[object]) -> str:
    """Returns the text of lines, or of the parts of a message, some of which are only words inside a line."""
    if parts := _parts(value):
        return ("" if any(isinstance(v, str) for v in value) else "\n").join(parts)
    return "\n".join(v for v in value if isinstance(v, str))


# --------------------------------------------------------------------------------------------------- lists


def _lists(value: object, name: str, above: str, depth: int) -> Iterator[Listed]:
    """The lists of records inside a value; lists in a list are one list, or rows below their names."""
    if depth > DEEPEST or known_name(name) in SHOWN:
        return
    if isinstance(value, dict):
        yield from _of_object(value, name, above, depth)
    elif isinstance(value, list):
        rows = [v for v in value if isinstance(v, list)]
        if not rows or _has_objects(value):
            yield from _deeper(value, name, above, depth) or [Listed(name, above, value)]
        elif table := _rows(rows):
            yield Listed(name, above, table)
        else:
            yield from _lists([v for row in rows for v in row], name, above, depth + 1)


def _of_object(value: Mapping[str, object], name: str, above: str, depth: int) -> Iterator[Listed]:
    """The lists inside an object: its columns, its records by key, or what its fields hold."""
    title = title_of(value, above)
    if (rows := column_rows(value)) or (rows := _by_key(value)):
        yield Listed(name, title, rows)
        return
    described = _has_rows(value)
    fields = ((k, v) for k, v in value.items() if not (described and known_name(k) in _DESCRIBED))
    inner = [listed for k, v in fields for listed in _lists(v, k, title, depth + 1)]
    if depth and _has_text(value, STRONG):
        length = sum(length_of(r).text for listed in inner for r in listed.records[:1000])
        if sum(len(str(v)) for k, v in value.items() if known_name(k) in STRONG and has_words(v)) >= length:
            yield Listed(name, above, [_keyed(name, value) if any(map(str.isdigit, name)) else value], is_single=True)
            return
    rows = [] if any(not listed.is_weak for listed in inner) else _weak_by_key(value, depth)
    if not rows or not _share_a_key(value):  # records by key have no records in them
        yield from inner
    if rows:
        yield Listed(name, above, rows, is_weak=True)


def _deeper(value: Sequence[object], name: str, above: str, depth: int) -> list[Listed]:
    """The lists inside the objects of a list, if they have more text than the objects themselves, as one list per name.

    The records without a title get the title of the object that they are in.
    """
    objects = [v for v in value if isinstance(v, dict)]
    first = objects[:SAMPLE]
    if not first or any(map(_has_own_text, first)):
        return []
    own_length = Length(*map(sum, zip(*map(length_of, first), strict=True)))
    inside = [_inside(record, name, depth) for record in first]
    if not _holds_more([listed for lists in inside for listed in lists], own_length):
        return []
    by_name: dict[str, list[object]] = {}
    for record in objects:
        title = title_of(record)
        for listed in _inside(record, name, depth):
            by_name.setdefault(listed.name, []).extend(_titled(r, title) for r in listed.records)
    return [Listed(inner, above, records) for inner, records in by_name.items()]


def _inside(record: Mapping[str, object], name: str, depth: int) -> list[Listed]:
    """The lists of records inside a record, without its own lines and lists of words."""
    lists = [listed for listed in _lists(record, name, "", depth + 1) if listed.records]
    lists = [listed for listed in lists if not (listed.is_weak or listed.is_single)]
    return [listed for listed in lists if _has_objects(listed.records) or known_name(listed.name) in PARTS]


def _holds_more(lists: Sequence[Listed], outside: Length) -> bool:
    """Whether lists hold the records, and not the objects around them with this much text."""
    records = [record for listed in lists for record in listed.records]
    lengths = [length_of(r) if isinstance(r, dict) else Length(text=text_length(r)) for r in records]
    inside = Length(*map(sum, zip(*lengths, strict=True))) if lengths else Length()
    if outside.text:
        return inside.text > outside.text
    if outside.described and not (outside.text or inside.text or inside.described):
        return sum(inside) > _MORE * sum(outside)
    if not outside.text and not inside.text:
        return sum(text_length(list(listed.records)) for listed in lists) > sum(outside)
    return inside.rank > outside.rank


def _titled(record: object, title: str) -> object:
    """A record with this title, unless it has a title; a text becomes a record."""
    if not title:
        return record
    if isinstance(record, str):
        return {"title": title, "text": record}
    return {"title": title, **record} if isinstance(record, dict) else record


# ------------------------------------------------------------------------------------------------- by key


def _by_key(value: Mapping[str, object]) -> list[object]:
    """The objects of an object with their keys as ids, if they are alike and each has a text."""
    inner = {k: v for k, v in value.items() if isinstance(v, dict) and known_name(k) not in SHOWN}
    if len(inner) < 2 or any(isinstance(v, list | str) and len(v) > 200 for v in value.values()):
        return []
    sample = list(islice(inner.values(), SAMPLE))
    strong = sum(length_of(v).text > 0 for v in sample)
    if strong < _ALIKE * len(sample) or any(map(_is_map, sample)):
        return []
    common = Counter(k for v in sample for k in v)
    direct = sum(_has_text(v, STRONG) for v in sample)
    if direct < _ALIKE * len(sample) and max(common.values()) < _ALIKE * len(sample):
        return []
    return [_keyed(k, v) for k, v in inner.items()]


def _is_map(value: Mapping[str, object]) -> bool:
    """Whether an object holds records by key itself."""
    inner = [v for v in islice(value.values(), SAMPLE) if isinstance(v, dict)]
    return len(inner) > 1 and not _has_text(value, STRONG) and sum(_has_text(v, STRONG) for v in inner) > 1


def _share_a_key(value: Mapping[str, object]) -> bool:
    """Whether most objects in an object have a key in common."""
    sample = [v for v in islice(value.values(), SAMPLE) if isinstance(v, dict)]
    common = Counter(k for v in sample for k in v)
    return bool(common) and max(common.values()) >= _ALIKE * len(sample)


def _weak_by_key(value: Mapping[str, object], depth: int) -> list[object]:
    """The objects or the texts of an object, with their keys as ids, if it has nothing else."""
    inner = list(value.values())
    if len(inner) > 1 and all(isinstance(v, dict) for v in inner):
        return [_keyed(k, v) for k, v in value.items() if isinstance(v, dict)]
    if len(inner) > (depth > 0) and all(isinstance(v, str) and has_words(v) and len(v) > _SHORT for v in inner):
        names = {known_name(k) for k in value}
        if names & {*TITLE, *LISTS} or (names & set(QUESTION) and names & set(REPLY)):
            return [dict(value)]
        return [{"id": k, "text": v} for k, v in value.items()]
    return []


def _keyed(key: object, record: Mapping[str, object]) -> dict[str, object]:
    return {"id": key, **record}


# ------------------------------------------------------------------------------------------------ columns


def column_rows(value: Mapping[str, object]) -> list[object]:
    """Returns the rows of a table that is written by column, or as rows beside their names; else nothing."""
    return _split_rows(value) or _rows_of_objects(value) or _rows_of_lists(value)


def _split_rows(value: Mapping[str, object]) -> list[object]:
    """The rows of lists beside the names of their columns, as pandas and servers of databases write them."""
    by_name = {known_name(k): v for k, v in value.items()}
    names = next((v for n in _HEADERS if isinstance(v := by_name.get(n), list) and v), None)
    rows = next((v for n in _ROWS if isinstance(v := by_name.get(n), list) and v), None)
    if names is None or rows is None or not all(isinstance(row, list) and len(row) == len(names) for row in rows):
        return []
    columns = [n.get("name", n.get("id")) if isinstance(n, dict) else n for n in names]
    if not all(isinstance(column, str) for column in columns):
        return []
    table: list[object] = [dict(zip(map(str, columns), row, strict=True)) for row in rows]
    index = by_name.get("index")
    if isinstance(index, list) and len(index) == len(table) and index != list(range(len(index))):
        return [_keyed(key, row) for key, row in zip(index, table, strict=True) if isinstance(row, dict)]
    return table


def _has_rows(value: Mapping[str, object]) -> bool:
    """Whether an object holds rows that are objects, beside which the names and types of its columns may stand."""
    return any(known_name(k) in _ROWS and isinstance(v, list) and _has_objects(v) for k, v in value.items())


def _rows_of_objects(value: Mapping[str, object]) -> list[object]:
    """The rows of columns that are objects with the same keys."""
    columns = list(value.values())
    if not columns or not all(isinstance(column, dict) and column for column in columns):
        return []
    keys = list(columns[0])  # type: ignore[call-overload]
    if any(len(column) != len(keys) or column.keys() != columns[0].keys() for column in columns):  # type: ignore[arg-type, attr-defined]
        return []
    outer, inner = (sum(known_name(k) in _NAMES for k in names) for names in (value, keys))
    numbered = keys == [str(i) for i in range(len(keys))]
    if inner or not (outer or (numbered and len(columns) > 1)):
        return []
    if not outer and _has_objects([v for column in columns for v in islice(column.values(), SAMPLE)]):  # type: ignore[attr-defined]
        return []
    ids = {} if numbered or any(known_name(k) in ID for k in value) else {k: {"id": k} for k in keys}
    return [ids.get(k, {}) | {name: column[k] for name, column in value.items()} for k in keys]  # type: ignore[index]


def _rows_of_lists(value: Mapping[str, object]) -> list[object]:
    """The rows of columns that are lists of one length."""
    usual_names = {k: v for k, v in value.items() if known_name(k) not in SHOWN}
    lists = {_singular(k): v for k, v in usual_names.items() if isinstance(v, list) and v}
    if lists and all(len(v) == 1 and isinstance(v[0], list) for v in lists.values() if v) and len(lists) > 1:
        lists = {k: v[0] for k, v in lists.items()}
    usual = next(
        (k for k in lists if known_name(k) in (*TEXT, *TITLE) and any(map(has_words, lists[k][:SAMPLE]))), None
    )
    if usual is not None:
        columns = {k: v for k, v in lists.items() if len(v) == len(lists[usual])}
        if any(not isinstance(v, str | None) for v in lists[usual][:SAMPLE]):
            return []
    else:
        columns = lists if len({len(v) for v in lists.values()}) == 1 and not _alike(lists) else {}
    size = len(next(iter(columns.values()), []))
    is_record = any(known_name(k) in ID and isinstance(v, str | int) for k, v in value.items())
    own = [k for k in columns if known_name(k) not in LISTS]
    if is_record or len(own) < 2 or size < (1 if sum(k in _NAMES for k in own) > 1 else 2):
        return []
    return [{name: column[i] for name, column in columns.items()} for i in range(size)]


def _singular(name: str) -> str:
    """The name of a column of values, each of which the name without its s fits."""
    known = known_name(name)
    return known[:-1] if known.endswith("s") and known[:-1] in _NAMES and known not in _NAMES else name


def _alike(lists: Mapping[str, Sequence[object]]) -> bool:
    """Whether all lists hold texts, or one holds objects: then each is a list of its own."""
    if any(isinstance(v, dict | list) for values in lists.values() for v in values[:SAMPLE]):
        return True
    return all(all(has_words(v) for v in values[:SAMPLE]) for values in lists.values())


def _rows(rows: Sequence[Sequence[object]]) -> list[object]:
    """The rows of a table of one width, below their names or with numbers for names; nothing if these are texts."""
    width = len(rows[0])
    if len(rows) < 2 or width < 2 or any(len(row) != width for row in rows):
        return []
    if any(isinstance(v, list | dict) for row in rows for v in row):
        return []
    has_names = all(isinstance(name, str) for name in rows[0]) and len(set(map(str, rows[0]))) == width
    if has_names and score(rows[0], rows[1:50]) > 0:
        return [dict(zip(map(str, rows[0]), row, strict=True)) for row in rows[1:]]
    lengths = [sum(text_length(row[i]) for row in rows[:SAMPLE]) for i in range(width)]
    if _MORE * min(lengths) > max(lengths):
        return []
    return [{f"column {i}": cell for i, cell in enumerate(row, 1)} for row in rows]
