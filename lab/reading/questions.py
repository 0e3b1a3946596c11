"""Questions beside a corpus and its judgments, under any usual name and in any usual form.

They are tables of an id and a text (tabs, commas, or spaces behind the id), with or without a header; JSON by id, as a
list or line by line; and TREC's topics (``<top>``, or ``<topic number="…">`` in XML).  A file is known by the ids in
the judgments, or by its name.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import unescape
from typing import Any

from lab.algebra import Query, Value
from lab.reading.encodings import decode
from lab.reading.judgments import as_id
from lab.reading.known import ASKED
from lab.reading.ratings import ANSWERED, NEEDED
from lab.reading.shapes import column_rows
from lab.reading.tables import has_words
from lab.reading.testsets import Asked, Fields, answers_of, squeezed, test_set

_USUAL = re.compile(
    r"(?:^|[/._-])(?:queries|query|questions?|topics?|searches|search[_-]?(?:terms|queries)|utterances|问题|查询|提问)(?=[/._-]|$|\d)",
    re.IGNORECASE,
)
_ENDINGS = ("tsv", "txt", "csv", "tab", "xml", "json", "jsonl", "ndjson", "trec", "topics", "sgml", "")
_TEXTS = (*ASKED["text"], "text", "title", "content", "body", "description", "utterance", "prompt", "文本", "内容")
_AROUND = ("queries", "questions", "topics", "data", "rows", "query", "topic", "question")
_TOPIC = re.compile(r"<(top|topic|query|question)\b([^>]*)>(.*?)(?=</\1\s*>|<\1\b|\Z)", re.IGNORECASE | re.DOTALL)
_ATTRIBUTE = re.compile(r"""(?:number|num|id|qid)\s*=\s*["']([^"']*)["']""", re.IGNORECASE)
_ELEMENT = re.compile(r"<(\w+)\b[^>]*>([^<]*)", re.DOTALL)
_LABEL = re.compile(r"^\s*(?:number|topic|description|narrative)\s*:\s*", re.IGNORECASE)
_NUMBERED = re.compile(r"(?=(?>(?:[^\W\d]|[.-])*)\d)([\w.-]++)\s*+:\s*+(\S.*)")
_LONGEST, _SAMPLE = 1000, 200
"""Maximum mean characters of a question, and the questions that are looked at."""


def is_usual(name: str) -> bool:
    return _USUAL.search(name.rsplit(".", 1)[0]) is not None or name.lower().endswith(".topics")


def may_hold(name: str) -> bool:
    file = name.rsplit("/", 1)[-1].lower()
    return (file.rsplit(".", 1)[-1] if "." in file else "") in _ENDINGS


def is_topics(data: bytes) -> bool:
    """Whether a file holds TREC's topics, which no other text looks like."""
    begin = data[: 1 << 12].lower()
    return (b"<top>" in begin and b"<num>" in begin) or (b"<topics" in begin and b"<topic " in begin)


def is_questions(name: str, asked: Sequence[Query], judged: Mapping[str, Collection[str]]) -> bool:
    """Whether these are questions: their ids are in the judgments, or there are none and the name is a usual one."""
    sample = asked[:_SAMPLE]
    if not sample or sum(len(q.text) for q in sample) > _LONGEST * len(sample):
        return False
    if not judged:
        return is_usual(name)
    known = sum(q.id in judged for q in sample)
    if is_usual(name):
        return known > 0
    documents = {document for row in judged.values() for document in row}
    return 2 * known >= min(len(sample), len(judged)) and known > sum(q.id in documents for q in sample)


def beginning(data: bytes, limit: int) -> list[Query]:
    decoded = decode(data[:limit])
    if decoded is None:
        return []
    whole = len(data) < limit
    return parse(decoded.text if whole else decoded.text.rpartition("\n")[0])


def parse(text: str) -> list[Query]:
    """Returns the questions of a text with their ids; nothing if it is of another form."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    begin = text.lstrip()[:1]
    if begin == "<":
        return _queries(_topics(text))
    if begin in ("{", "[") and (turns := conversations(text)):
        return [Query(asked.text, id=asked.id) for asked in turns]
    return _queries(_of_json(text) if begin in ("{", "[") else _of_table(text))


def conversations(text: str) -> list[Asked]:
    """Returns the turns of conversations in a JSON text, or the questions of a test set."""
    value = [record for _, record in _records(text)]
    return [asked for asked in test_set(value) if asked.is_asked]


def answers(text: str) -> dict[str, list[str]]:
    """Returns the answers of questions by their ids, of JSON without the questions."""
    records = [record for _, record in _records(text) if isinstance(record, dict)]
    found = dict[str, list[str]]()
    for fields in map(Fields, records):
        key, given = _identity(fields), answers_of(fields)
        if key and given and not any(isinstance(fields.get(name), str) for name in _TEXTS):
            found[key] = given
    return found if len(found) == len(records) else {}


def _queries(rows: Iterable[tuple[str, str, Mapping[str, Value]]]) -> list[Query]:
    """The queries of ids and texts; nothing if one has no id, no words, or an id occurs again."""
    asked = dict[str, Query]()
    for key, text, notes in rows:
        identity, words = as_id(key.strip()), " ".join(text.split())
        if not identity or not words or identity in asked:
            return []
        asked[identity] = Query(words, id=identity, metadata=notes)
    return list(asked.values())


# --------------------------------------------------------------------------------------------------- forms


def _topics(text: str) -> Iterator[tuple[str, str, Mapping[str, Value]]]:
    """The topics of TREC, as a list of marks or as XML."""
    for match in _TOPIC.finditer(text):
        parts = dict[str, str]()
        for name, value in _ELEMENT.findall(match[3]):
            parts.setdefault(name.lower(), " ".join(_LABEL.sub("", unescape(value)).split()))
        attribute = _ATTRIBUTE.search(match[2])
        key = attribute[1] if attribute else next((parts[n] for n in ("num", "number", "id", "qid") if n in parts), "")
        names = ("query", "title", "text", "question", "desc", "description")
        asked = next((parts[name] for name in names if parts.get(name)), "")
        if not parts:
            asked = unescape(match[3])
        need = " ".join(parts[n] for n in ("desc", "description", "narr", "narrative") if parts.get(n))
        if key or asked.strip():
            yield key, asked, {NEEDED: need} if need and need != asked else {}


def _records(text: str) -> Iterator[tuple[str, Any]]:
    """The records of JSON with their keys: of an object by id, of a list, or line by line; an empty key for none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        try:
            yield from (("", json.loads(line)) for line in text.split("\n") if line.strip())
        except (ValueError, RecursionError):
            yield "", None
        return
    for _ in range(2):
        if isinstance(value, dict):
            around = [v for k, v in value.items() if squeezed(k) in _AROUND and isinstance(v, dict | list)]
            value = around[0] if len(around) == 1 else value
    if isinstance(value, dict) and _identity(Fields(value)):
        yield "", value
    elif isinstance(value, dict):
        rows = column_rows(value)
        yield from (("", row) for row in rows) if rows else value.items()
    else:
        yield from (("", record) for record in value) if isinstance(value, list) else [("", None)]


def _of_json(text: str) -> Iterator[tuple[str, str, Mapping[str, Value]]]:
    for key, record in _records(text):
        if isinstance(record, str):
            yield key, record, {}
            continue
        fields = Fields(record)
        asked = next((v for name in _TEXTS if isinstance(v := fields.get(name), str) and v.strip()), "")
        given = answers_of(fields)
        notes: dict[str, Value] = {ANSWERED: given[0] if len(given) == 1 else given} if given else {}
        yield key or _identity(fields), asked, notes


def _identity(fields: Fields) -> str:
    values = (fields.get(name) for name in ASKED["id"])
    return next((str(v) for v in values if isinstance(v, str | int) and not isinstance(v, bool)), "")


def _of_table(text: str) -> Iterator[tuple[str, str, Mapping[str, Value]]]:
    """The rows of a table of ids and texts, with or without a header."""
    rows = _rows([line for line in text.split("\n") if line.strip()])
    if not rows:
        return
    names = [squeezed(name) for name in rows[0]]
    key = next((names.index(name) for name in ASKED["id"] if name in names), None)
    asked = next((names.index(name) for name in _TEXTS if name in names and names.index(name) != key), None)
    if asked is not None and (key is not None or len(names) > 1):
        rows, key = rows[1:], 0 if key is None else key
    else:
        key, asked = 0, 1
    answer = next((names.index(name) for name in ASKED["answer"] if name in names), None)
    for row in rows:
        if max(key, asked) >= len(row) or not has_words(row[asked]):
            yield "", "", {}
            return
        given = row[answer].strip() if answer is not None and answer < len(row) else ""
        yield row[key], row[asked], {ANSWERED: given} if given else {}


def _rows(lines: list[str]) -> list[list[str]]:
    """The cells of lines: between tabs, between commas, or an id and the rest of the line."""
    if not lines:
        return []
    if all("\t" in line for line in lines):
        return [[cell.strip() for cell in line.split("\t")] for line in lines]
    for mark in (",", ";"):
        try:
            rows = [row for row in csv.reader(lines, delimiter=mark, skipinitialspace=True, strict=True) if row]
        except csv.Error:
            continue
        if len(rows[0]) > 1 and all(len(row) == len(rows[0]) and " " not in row[0] for row in rows):
            return rows
    if all(match := [_NUMBERED.fullmatch(line.strip()) for line in lines]):
        return [[m[1], m[2]] for m in match if m]
    return [line.split(None, 1) for line in lines]
