"""Relevance judgments: from which file, and what its lines say.

The reader knows BEIR's three columns with their header, TREC's four columns, the same as csv, a header with other usual
names in any order, the feature files of RankLib, JSON, and the ratings of Quepid, OpenSearch and Elasticsearch
(`lab.reading.ratings`).  A file is known by its content, or by its name and place; of several, the test split counts.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any

from lab.reading import ratings
from lab.reading.encodings import clean, decode
from lab.reading.known import JUDGED, known_name
from lab.reading.shapes import column_rows
from lab.reading.tables import OnProblem
from lab.words import N_, Said

HEADER = ("query-id", "corpus-id", "score")
SUBTOPICS_HEADER = ("query-id", "subtopic", "corpus-id", "score")
JUDGED_TURNS = "qrels/conversations.tsv"
SUBTOPICS = "qrels/subtopics.tsv"
_ENDINGS = ("tsv", "txt", "csv", "tab", "qrels", "qrel", "trec", "json", "jsonl", "ndjson", "dat")
_QRELS = re.compile(r"(?:^|[/._-])qrels?(?:[/._-]|$)", re.IGNORECASE)
_NAMED = re.compile(
    r"(?:^|[/._-])(?:qrels?|judge?ments?|relevance|relevant[_-]?(?:docs|documents|ids|passages))(?:[/._-]|$)",
    re.IGNORECASE,
)
_GRADE = re.compile(r"[+-]?[0-9]{1,9}(?:\.0+)?")
_RANKED = re.compile(
    r"([+-]?[0-9]{1,9}(?:\.0+)?)\s+qid:(\S+)\s(?:[^#]*)#\s*+(?:doc(?:id)?\s*+[=:]?\s*+)?(\S+)", re.IGNORECASE
)
"""A line of RankLib: grade, query, features, and the document behind a #."""
_RELEVANT = (
    "relevant_docs", "relevant_doc_ids", "relevant_documents", "relevant_ids", "relevant", "positives", "positive_ids",
    "doc_ids", "docids", "document_ids", "corpus_ids", "positive_passage_ids", "gold_ids", "expected_ids",
)  # fmt: skip
"""Names of lists of the ids of relevant documents, in lower case."""
_AROUND = ("qrels", "judgments", "judgements", "relevance", "relevant_docs", "data", "rows")
_SAMPLE, _LINES, _LARGEST, _MOST_FIELDS = 1 << 14, 20, 1 << 24, 6
_OFFICIAL = re.compile(
    rb'"(?:query[-_]?id|q[-_]?id|query|topic[-_]?id|question[-_]?id|relevant_docs|qrels)"\s*:', re.IGNORECASE
)
Lines = Iterable[tuple[int, str]]


def judgments(lines: Lines, on_problem: OnProblem) -> dict[str, dict[str, int]]:
    """Grades by query id and document id, from the lines of a file; a header is missed in three columns only."""
    qrels: dict[str, dict[str, int]] = {}
    shape = Said("Write three columns separated by tabs: {header}.", header=[*HEADER])
    places, width = None, 0
    for at, (number, line) in enumerate(lines):
        cells = _cells(line)
        if line.startswith("#"):
            continue
        if at == 0 and (places := _header(cells)) is not None:
            width = len(cells)
            continue
        if places is not None and len(cells) == width:
            cells = [cells[i] for i in places]
        elif len(cells) == 4:  # query, iteration, document, grade
            del cells[1]
        elif at == 0 and not line.lstrip().startswith("{") and not _RANKED.match(line):
            on_problem(number, Said("The header is missing."), shape)
        if len(cells) != 3 or not cells[0] or not cells[1]:
            count = len([c for c in cells if c])
            on_problem(number, Said("Columns in the line: {n}; 3 are required.", n=count), shape)
        elif not _GRADE.fullmatch(cells[2]):
            on_problem(number, Said("The score “{score}” is not a whole number.", score=cells[2]), shape)
        elif qrels.setdefault(as_id(cells[0]), {}).setdefault(as_id(cells[1]), _grade(cells[2])) != _grade(cells[2]):
            twice = N_("“{document}” is judged twice for “{query}”, with different grades.")
            on_problem(number, Said(twice, document=cells[1], query=cells[0]), Said("Keep one of the two."))
    return qrels


def subtopic_judgments(lines: Lines, on_problem: OnProblem) -> dict[str, dict[str, dict[str, int]]]:
    """Grades by query id, subtopic and document id: four columns separated by tabs, with or without a header.

    These are the columns of TREC's diversity judgments, too.
    """
    subtopics: dict[str, dict[str, dict[str, int]]] = {}
    shape = Said("Write four columns separated by tabs: {header}.", header=[*SUBTOPICS_HEADER])
    for at, (number, line) in enumerate(lines):
        cells = [cell.strip() for cell in line.split("\t")] if "\t" in line else line.split()
        if at == 0 and tuple(cell.lower() for cell in cells) == SUBTOPICS_HEADER:
            continue
        if len(cells) != 4 or not all(cells[:3]):
            count = len([c for c in cells if c])
            on_problem(number, Said("Columns in the line: {n}; 4 are required.", n=count), shape)
        elif not _GRADE.fullmatch(cells[3]):
            on_problem(number, Said("The score “{score}” is not a whole number.", score=cells[3]), shape)
        else:
            query, subtopic, document = map(as_id, cells[:3])
            grades = subtopics.setdefault(query, {}).setdefault(subtopic, {})
            if grades.setdefault(document, _grade(cells[3])) != _grade(cells[3]):
                twice = N_("“{document}” is judged twice for “{query}”, with different grades.")
                on_problem(number, Said(twice, document=document, query=query), Said("Keep one of the two."))
    return subtopics


def as_id(text: str) -> str:
    """Returns an id as it is, but for signs that no page should show."""
    return text if text.isprintable() else clean(text, breaks=False, ideographs=False)[0]


def _grade(text: str) -> int:
    return int(text.partition(".")[0])


def _cells(line: str) -> list[str]:
    """The fields of a line, separated by tabs, commas or white space, or of a JSON object."""
    if line.lstrip().startswith("{"):
        return _of_object(line)
    if ranked := _RANKED.match(line):
        return [ranked[2], ranked[3], ranked[1]]
    by_tab = [cell.strip() for cell in line.split("\t")]
    if "\t" in line and len(by_tab) > 2 and all(by_tab) and not (len(by_tab) == 3 and " " in line and _is_trec(line)):
        return by_tab
    cells = line.split()
    mark = next((mark for mark in (",", ";") if mark in line), "")
    if mark and "\t" not in line and (len(cells) < 3 or any(cell.endswith(mark) for cell in cells)):
        return [cell.strip() for cell in next(csv.reader([line], delimiter=mark, skipinitialspace=True), [])]
    return by_tab if "\t" in line and len(cells) not in (3, 4) else cells


def _is_trec(line: str) -> bool:
    """Whether a line has TREC's four columns, whatever white space is between them."""
    cells = line.split()
    return len(cells) == 4 and cells[1] in ("0", "Q0") and _GRADE.fullmatch(cells[3]) is not None


def _of_object(line: str) -> list[str]:
    """Query, document and grade of a JSON object with the usual names."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return []
    rows = _of_record(value) if isinstance(value, dict) else []
    return list(rows[0]) if len(rows) == 1 else []


def _of_record(record: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The judgments of an object: query, document and grade, or a query with its relevant documents."""
    names = {str(k).strip().lower(): v for k, v in record.items()}
    query, document, grade = (_scalar(names, known) for known in JUDGED)
    query = query or _scalar(names, ("id", "_id"))
    if document:
        return [(query, document, grade or "")]
    listed = next((names[name] for name in _RELEVANT if isinstance(names.get(name), list | dict)), None)
    return [(query, *pair) for pair in _pairs(listed)] if query else []


def _scalar(names: dict[str, Any], known: Sequence[str]) -> str:
    values = (names[name] for name in known if name in names)
    return next((str(v).strip() for v in values if isinstance(v, str | int | float)), "")


def _pairs(listed: object) -> list[tuple[str, str]]:
    """Documents and their grades: of an object, of a list of objects, or of a list of ids, which are relevant."""
    if isinstance(listed, dict):
        return [(str(document), str(grade)) for document, grade in listed.items()]
    pairs = []
    for item in listed if isinstance(listed, list) else ():
        if isinstance(item, dict):
            names = {str(k).strip().lower(): v for k, v in item.items()}
            document = _scalar(names, (*JUDGED[1], "_id", "id"))
            pairs.append((document, _scalar(names, JUDGED[2]) or "1"))
        elif isinstance(item, list) and len(item) == 2:
            pairs.append((str(item[0]), str(item[1])))
        else:
            pairs.append((str(item), "1"))
    return pairs


def of_json(text: str) -> dict[str, dict[str, int]]:
    """Grades of a JSON value by query id and document id; nothing if it is of another form.

    It is an object by query id and document id, one of lists of relevant documents, or a list of objects, each with
    the usual names; an object around it may name it.
    """
    try:
        rows = list(_rows_of(json.loads(text), 0))
    except (ValueError, RecursionError):
        return {}
    qrels: dict[str, dict[str, int]] = {}
    for query, document, grade in rows:
        if not query or not document or not _GRADE.fullmatch(grade):
            return {}
        qrels.setdefault(as_id(query), {})[as_id(document)] = _grade(grade)
    return qrels


def _rows_of(value: object, depth: int) -> Iterator[tuple[str, str, str]]:
    """Query, document and grade of each judgment in a JSON value; an empty query for another value."""
    if isinstance(value, dict):
        if any(known_name(k) in JUDGED[1] for k in value) and (rows := column_rows(value)):
            yield from _rows_of(rows, depth + 1)
            return
        inner = [k for k, v in value.items() if isinstance(v, dict | list)]
        around = value[inner[0]] if len(inner) == 1 and inner[0].lower() in _AROUND else None
        if around is not None and depth < 3:
            yield from _rows_of(around, depth + 1)
            return
        for query, listed in value.items():
            pairs = _pairs(listed)
            yield from ((query, *pair) for pair in pairs)
            if not isinstance(listed, dict | list):
                yield "", "", ""
    elif isinstance(value, list):
        for record in value:
            yield from (_of_record(record) if isinstance(record, dict) else []) or [("", "", "")]


def _header(cells: Sequence[str]) -> list[int] | None:
    """The places of query, document and grade that a header gives; None if the line is not a header."""
    names = [cell.lower() for cell in cells]
    places = [next((names.index(name) for name in known if name in names), -1) for known in JUDGED]
    return places if min(places) >= 0 else None


# -------------------------------------------------------------------------------------------------- files


def is_judgments(name: str, data: bytes, queries: Container[str] = ()) -> bool:
    """Whether a file holds judgments: by its header, by TREC's four columns, or by its name and a column of grades.

    A file with qrels in its name, or in the name of its folder, always does; and one whose lines begin with the ids of
    these ``queries`` and end with grades.
    """
    ending = name.rsplit(".", 1)[-1].lower() if "." in name.rsplit("/", 1)[-1] else ""
    if ending and ending not in _ENDINGS:
        return False
    if _QRELS.search(name) or is_rated(name, data):
        return True
    usual_name = _NAMED.search(name) is not None
    if ending in ("json", "jsonl", "ndjson"):
        return _is_json(data, usual_name)
    rows = [_cells(line) for line in _first_lines(data)]
    if not rows:
        return False
    places = _header(rows[0])
    if places is not None:
        below = [[row[i] for i in places] for row in rows[1:] if len(row) > max(places)]
        usual = tuple(cell.lower() for cell in rows[0]) == HEADER
        return usual or (bool(below) and all(_GRADE.fullmatch(row[2]) and " " not in row[1] for row in below))
    if ending != "csv" and all(len(row) == 4 and row[1] in ("0", "Q0") and _GRADE.fullmatch(row[3]) for row in rows):
        return True
    if all(_RANKED.match(line) for line in _first_lines(data)):
        return True
    graded = all(len(row) in (3, 4) and _GRADE.fullmatch(row[-1]) for row in rows[1:] or rows)
    return graded and (usual_name or all(row[0] in queries for row in rows[1:] or rows))


def is_named(name: str) -> bool:
    return _NAMED.search(name) is not None


def _is_json(data: bytes, usual_name: bool) -> bool:
    """Whether JSON holds judgments and no texts: a list or lines of objects, or, under a usual name, an object."""
    begin = data.lstrip()[:1]
    if begin not in (b"{", b"[") or not (usual_name or _OFFICIAL.search(data[:_SAMPLE])):
        return False
    if begin == b"{" and (lines := _first_lines(data)):
        try:
            records = [json.loads(line) for line in lines]
        except (ValueError, RecursionError):
            records = []
        if records and all(map(_is_judgment, records)):
            return True
    decoded = decode(data) if len(data) <= _LARGEST else None
    try:
        value = json.loads(decoded.text) if decoded else None
    except (ValueError, RecursionError):
        return False
    if isinstance(value, list):
        return bool(value) and all(map(_is_judgment, value[:_LINES]))
    return isinstance(value, dict) and any(of_json(decoded.text).values() if decoded else ())


def _is_judgment(record: object) -> bool:
    """Whether a JSON value is an object with a query, a document and a grade, and hardly anything else."""
    if not isinstance(record, dict) or len(record) > _MOST_FIELDS:
        return False
    rows = _of_record(record)
    texts = [k for k, v in record.items() if isinstance(v, str) and " " in v.strip()]
    bare = all(known_name(k) in JUDGED[0] for k in texts)
    return bool(rows) and bare and all(q and d and _GRADE.fullmatch(grade) for q, d, grade in rows)


def is_rated(name: str, data: bytes) -> bool:
    """Whether a file holds ratings of Quepid or OpenSearch."""
    ending = name.rsplit(".", 1)[-1].lower()
    decoded = decode(data[:_SAMPLE]) if ending in ("csv", "json") else None
    return decoded is not None and ratings.is_rated(decoded.text)


def _first_lines(data: bytes) -> list[str]:
    decoded = decode(data[:_SAMPLE])
    lines = decoded.text.splitlines() if decoded else []
    if len(data) > _SAMPLE:
        lines = lines[:-1]
    return [line for line in lines if line.strip() and not line.startswith("#")][:_LINES]


def preferred(names: Iterable[str]) -> list[str]:
    """Returns the names of files with judgments, the test split first."""

    def order(name: str) -> tuple[bool, bool, bool, str]:
        file = name.rsplit("/", 1)[-1].lower()
        return "test" not in file, "/qrels/" not in f"/{name}", not _NAMED.search(file), name

    return sorted(names, key=order)
