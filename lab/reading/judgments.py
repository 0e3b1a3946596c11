"""Relevance judgments: from which file, and what its lines say.

The reader knows BEIR's three columns with their header, TREC's four columns, the same as csv, and a header with other
usual names in any order, and the ratings of Quepid and OpenSearch (`lab.reading.ratings`).  A file is known by its
content, or by its name and place; of several, the test split counts.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Container, Iterable, Iterator, Sequence

from lab.reading import ratings
from lab.reading.encodings import clean, decode
from lab.reading.known import JUDGED
from lab.reading.tables import OnProblem
from lab.words import N_, Said

HEADER = ("query-id", "corpus-id", "score")
SUBTOPICS_HEADER = ("query-id", "subtopic", "corpus-id", "score")
JUDGED_TURNS = "qrels/conversations.tsv"
SUBTOPICS = "qrels/subtopics.tsv"
_ENDINGS = ("tsv", "txt", "csv", "tab", "qrels", "qrel", "trec", "json", "jsonl")
_QRELS = re.compile(r"(?:^|[/._-])qrels?(?:[/._-]|$)", re.IGNORECASE)
_NAMED = re.compile(r"(?:^|[/._-])(?:qrels?|judge?ments?|relevance)(?:[/._-]|$)", re.IGNORECASE)
_GRADE = re.compile(r"[+-]?[0-9]{1,9}(?:\.0+)?")
_SAMPLE, _LINES = 1 << 14, 20
Lines = Iterable[tuple[int, str]]


def judgments(lines: Lines, on_problem: OnProblem) -> dict[str, dict[str, int]]:
    """Grades by query id and document id, from the lines of a file; a header is missed in three columns only."""
    qrels: dict[str, dict[str, int]] = {}
    shape = Said("Write three columns separated by tabs: {header}.", header=", ".join(HEADER))
    places, width = None, 0
    for at, (number, line) in enumerate(lines):
        cells = _cells(line)
        if at == 0 and (places := _header(cells)) is not None:
            width = len(cells)
            continue
        if places is not None and len(cells) == width:
            cells = [cells[i] for i in places]
        elif len(cells) == 4:  # query, iteration, document, grade
            del cells[1]
        elif at == 0:
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
    shape = Said("Write four columns separated by tabs: {header}.", header=", ".join(SUBTOPICS_HEADER))
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
    """The fields of a line, separated by tabs, commas or whitespace, or of a JSON object."""
    if line.lstrip().startswith("{"):
        return _of_object(line)
    if "\t" in line:
        return [cell.strip() for cell in line.split("\t")]
    cells = line.split()
    mark = next((mark for mark in (",", ";") if mark in line), "")
    if mark and (len(cells) < 3 or any(cell.endswith(mark) for cell in cells)):
        return [cell.strip() for cell in next(csv.reader([line], delimiter=mark, skipinitialspace=True), [])]
    return cells


def _of_object(line: str) -> list[str]:
    """Query, document and grade of a JSON object with the usual names."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return []
    names = {str(k).lower(): str(v) for k, v in value.items()} if isinstance(value, dict) else {}
    return [next((v for k, v in names.items() if k in known), "") for known in JUDGED]


def of_json(text: str) -> dict[str, dict[str, int]]:
    """Grades of a JSON object by query id and document id; nothing if it is of another form."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    nested = isinstance(value, dict) and all(isinstance(grades, dict) for grades in value.values())
    if not nested or not all(_GRADE.fullmatch(str(grade)) for grades in value.values() for grade in grades.values()):
        return {}
    return {query: {document: _grade(str(grade)) for document, grade in row.items()} for query, row in value.items()}


def _header(cells: Sequence[str]) -> list[int] | None:
    """The places of query, document and grade that a header gives; None if the line is not a header."""
    names = [cell.lower() for cell in cells]
    places = [next((i for i, name in enumerate(names) if name in known), -1) for known in JUDGED]
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
    rows = list(_first_rows(data))
    if not rows:
        return False
    usual_name = _NAMED.search(name) is not None
    if ending in ("json", "jsonl"):
        return usual_name and all(len(row) == 3 and row[0] and row[1] and _GRADE.fullmatch(row[2]) for row in rows)
    places = _header(rows[0])
    if places is not None:
        below = [[row[i] for i in places] for row in rows[1:] if len(row) > max(places)]
        usual = tuple(cell.lower() for cell in rows[0]) == HEADER
        return usual or (bool(below) and all(_GRADE.fullmatch(row[2]) and " " not in row[1] for row in below))
    if ending != "csv" and all(len(row) == 4 and row[1] in ("0", "Q0") and _GRADE.fullmatch(row[3]) for row in rows):
        return True
    graded = all(len(row) in (3, 4) and _GRADE.fullmatch(row[-1]) for row in rows[1:] or rows)
    return graded and (usual_name or all(row[0] in queries for row in rows[1:] or rows))


def is_rated(name: str, data: bytes) -> bool:
    """Whether a file holds ratings of Quepid or OpenSearch."""
    ending = name.rsplit(".", 1)[-1].lower()
    decoded = decode(data[:_SAMPLE]) if ending in ("csv", "json") else None
    return decoded is not None and ratings.is_rated(decoded.text)


def _first_rows(data: bytes) -> Iterator[list[str]]:
    decoded = decode(data[:_SAMPLE])
    lines = decoded.text.splitlines() if decoded else []
    if len(data) > _SAMPLE:
        lines = lines[:-1]
    filled = [line for line in lines if line.strip()][:_LINES]
    yield from map(_cells, filled)


def preferred(names: Iterable[str]) -> list[str]:
    """Returns the names of files with judgments, the test split first."""

    def order(name: str) -> tuple[bool, bool, bool, str]:
        file = name.rsplit("/", 1)[-1].lower()
        return "test" not in file, "/qrels/" not in f"/{name}", not _NAMED.search(file), name

    return sorted(names, key=order)
