"""Judgments and questions of Quepid, OpenSearch, Elasticsearch and RRE, which name a question by its text.

Quepid (https://github.com/o19s/quepid, ``app/views/api/v1/export``): the ratings of a case as csv with the header
``query,docid,rating`` (its basic format; a query without ratings is alone in its row, a rating may be empty), as JSON
``{"queries": [{"query": …, "ratings": {doc: rating}}]}`` and within the whole case (``query_text``); the information
needs as csv with the header ``query_id,query,information_need``, or without ids for its import.  It writes a space
before a text that begins like a formula.

OpenSearch's Search Relevance Workbench
(https://docs.opensearch.org/latest/search-plugins/search-relevance/judgments/ and ``query-sets/``): judgments as the
body of a request, ``{"judgmentRatings": [{"query": …, "ratings": [{"docId": …, "rating": "0.8"}]}]}``, or the answer to
one (below ``hits.hits._source``); query sets as ``{"querySetQueries": [{"queryText": …, "referenceAnswer": …}]}`` or as
one object per line.

Elasticsearch's Ranking Evaluation API
(https://www.elastic.co/docs/api/doc/elasticsearch/operation/operation-rank-eval): the body of a request,
``{"requests": [{"id": …, "request": {"query": …}, "ratings": [{"_index": …, "_id": …, "rating": 3}]}]}``, with a query
or with the parameters of a template.  The Rated Ranking Evaluator
(https://github.com/SeaseLtd/rated-ranking-evaluator): ``{"topics": [{"query_groups": [{"queries": [{"placeholders":
{"$query": …}}], "relevant_documents": {"3": [doc, …]}}]}]}``, or a gain for each document.

Ratings become grades from 0 to 3 (`scaled`).  `settled` finds out which questions a collection has already.
"""

from __future__ import annotations

import bisect
import csv
import io
import json
import json.scanner
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from lab.algebra import Query
from lab.reading.tables import OnProblem
from lab.text.quantities.numbers import read_decimal
from lab.words import N_, Said

RATED = ("query", "docid", "rating")
NEEDS = ("query", "information_need")
NEEDED, ANSWERED = "information_need", "reference_answer"
"""Fields of a question's metadata."""
HIGHEST, LARGEST = 3, 1000
"""The highest grade, and the largest rating that is read as one."""
_SAMPLE = 1 << 14
_SETTINGS = (
    "fields", "field", "type", "operator", "default_operator", "default_field", "fuzziness", "analyzer", "model_id",
    "minimum_should_match", "inference_id", "boost", "lang", "source", "rewrite", "zero_terms_query",
)  # fmt: skip
"""Names in the body of a query whose texts are not searched for."""
_JSON_RATINGS = re.compile(
    r'"judgmentRatings"\s*:|"query_groups"\s*:\s*\[|^\s*\{\s*"queries"\s*:\s*\[\s*(?:\]|\{\s*"query"\s*:)'
)
_REQUESTS, _RATINGS = re.compile(r'"requests"\s*:\s*\['), re.compile(r'"ratings"\s*:\s*\[')
_CASE = re.compile(r'"case_name"\s*:.*"queries"\s*:\s*\[', re.DOTALL)
_QUERY_SET = re.compile(r'"querySetQueries"\s*:|^\s*\{\s*"queryText"\s*:')


class Rating(NamedTuple):
    """A row: the line that it begins in, the text of the query, and a document with its rating, or neither.

    ``notes`` are fields of the question's metadata, ``query_id`` its id, if the file has one.
    """

    line: int
    query: str
    document: str = ""
    rating: object = None
    query_id: str = ""
    notes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Rated:
    """Questions with ids of their own, their grades by id, and a note on the ratings (may be empty)."""

    queries: tuple[Query, ...] = ()
    qrels: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    remark: Said = Said()


def same(text: str) -> str:
    """Returns a question for comparison: whitespace and case do not count."""
    return " ".join(text.split()).casefold()


def question_id(text: str, taken: Iterable[str]) -> str:
    """Returns an id for a question: its first words, with a number if that is taken."""
    used, base = set(taken), "-".join(text.split())[:40] or "q"
    return next(name for n in range(1, len(used) + 3) if (name := base if n == 1 else f"{base}-{n}") not in used)


# --------------------------------------------------------------------------------------------- recognised


def is_rated(text: str) -> bool:
    """Whether a file begins as ratings in one of the formats do."""
    begin = text[:_SAMPLE]
    return (
        _header(begin) == RATED or bool(_JSON_RATINGS.search(begin)) or bool(_CASE.search(begin) or _is_request(begin))
    )


def _is_request(begin: str) -> bool:
    """Whether a text is a request to Elasticsearch that measures with ratings."""
    return begin.lstrip()[:1] == "{" and bool(_REQUESTS.search(begin) and _RATINGS.search(begin))


def is_questions(text: str) -> bool:
    """Whether a file begins as information needs or a query set do."""
    begin = text[:_SAMPLE]
    return _header(begin)[-2:] == NEEDS or bool(_QUERY_SET.search(begin))


def _header(text: str) -> tuple[str, ...]:
    """The names in the first line, in lower case."""
    line = text.lstrip("\ufeff\r\n ").partition("\n")[0]
    return tuple(name.strip().strip('"').lower() for name in line.split(","))


# --------------------------------------------------------------------------------------------------- read


def read(
    text: str, on_problem: OnProblem, *, tidy: Callable[[str], str] = str, as_id: Callable[[str], str] = str
) -> Rated:
    """Returns what a file contains; each row that cannot be read is passed to ``on_problem`` with its line.

    ``tidy`` is called with every text of a question, ``as_id`` with every id.
    """
    text = text.removeprefix("\ufeff")
    rows = list(_of_csv(text, on_problem) if "{" not in text.lstrip()[:2] else _of_json(text, on_problem))
    values = list(_values(rows, on_problem))
    grade, remark = scaled([value for _, value in values])
    queries, ids, qrels = list[Query](), dict[str, str](), dict[str, dict[str, int]]()
    for row in rows:
        question = " ".join(tidy(row.query).split())
        if question and same(question) not in ids:
            wanted = as_id(row.query_id.strip())
            used = set(ids.values())
            ids[same(question)] = wanted if wanted and wanted not in used else question_id(question, used)
            notes = {name: note for name, value in row.notes if (note := " ".join(tidy(value).split()))}
            queries.append(Query(question, id=ids[same(question)], metadata=notes))
    for row, value in values:
        query = ids.get(same(tidy(row.query)))
        if query is None:
            continue
        grades, document = qrels.setdefault(query, {}), as_id(row.document.strip())
        if grades.setdefault(document, grade(value)) != grade(value):
            twice = N_("“{document}” is judged twice for “{query}”, with different grades.")
            on_problem(row.line, Said(twice, document=document, query=row.query.strip()), Said("Keep one of the two."))
    return Rated(tuple(queries), qrels, remark)


def _values(rows: Iterable[Rating], on_problem: OnProblem) -> Iterator[tuple[Rating, float]]:
    """Yields the rows that have a rating, with its number."""
    for row in rows:
        if not row.query.strip():
            on_problem(row.line, Said("The query is empty."), Said("Write the text of the question."))
        elif row.document.strip() and row.rating is not None and str(row.rating).strip():
            value = _number(row.rating)
            if value is not None and 0 <= value <= LARGEST:
                yield row, value
                continue
            names = {"rating": str(row.rating)[:40], "document": row.document[:80], "highest": LARGEST}
            wrong = N_("The rating “{rating}” of “{document}” is not a number from 0 to {highest}.")
            remedy = Said("Grades go from 0, not relevant, to 3, the answer.")
            on_problem(row.line, Said(wrong, **names), remedy)
        elif not row.document.strip() and row.rating is not None:
            on_problem(row.line, Said("The document is missing."), Said("Write the id of the document."))


def _number(rating: object) -> float | None:
    if isinstance(rating, bool) or not isinstance(rating, int | float | str):
        return None
    if isinstance(rating, str):
        return read_decimal(rating.strip())
    return float(rating) if abs(rating) <= LARGEST else None


def scaled(values: Sequence[float]) -> tuple[Callable[[float], int], Said]:
    """Returns the grade of a rating, and a sentence on what was done to the ratings; it is empty for nothing.

    Whole numbers from 0 to 3 are grades.  Ratings of which the highest is above 3 are scaled so that it becomes 3;
    fractions up to 1 are multiplied by 3; other fractions are rounded, halves up.
    """
    top = max(values, default=0.0)
    whole = all(value == int(value) for value in values)
    if top > HIGHEST:
        told = N_("The ratings go up to {top}; they were scaled to grades from 0 to 3 and rounded.")
        return lambda value: _rounded(value * HIGHEST / top), Said(told, top=f"{top:g}")
    if whole:
        return int, Said()
    if top <= 1:
        told = N_(
            "The ratings are fractions up to 1; they were multiplied by 3 and rounded, since grades go from 0 to 3."
        )
        return lambda value: _rounded(value * HIGHEST), Said(told)
    return _rounded, Said("The ratings have fractions; they were rounded, since grades are whole numbers.")


def _rounded(value: float) -> int:
    return int(value + 0.5)


def _of_csv(text: str, on_problem: OnProblem) -> Iterator[Rating]:
    header = _header(text)
    shape = Said("Write three columns separated by commas: {header}.", header=[*RATED])
    lines = csv.reader(io.StringIO(text.lstrip("\r\n "), newline=""), strict=True)
    before = text[: len(text) - len(text.lstrip("\r\n "))].count("\n")
    line, begin = 0, 1
    while True:
        begin = before + lines.line_num + 1
        try:
            cells = next(lines)
        except StopIteration:
            return
        except csv.Error as error:
            on_problem(begin, Said("The row is not CSV ({reason}).", reason=str(error)), shape)
            continue
        line += 1
        if line == 1 or not any(cell.strip() for cell in cells):
            continue
        if header[-2:] == NEEDS:
            yield from _need(begin, header, cells, on_problem)
        elif len(cells) == 1:  # a query without ratings
            yield Rating(begin, cells[0])
        elif len(cells) != len(RATED):
            on_problem(begin, Said("Columns in the line: {n}; 3 are required.", n=len(cells)), shape)
        else:
            yield Rating(begin, cells[0], cells[1], cells[2])


def _need(line: int, header: Sequence[str], cells: Sequence[str], on_problem: OnProblem) -> Iterator[Rating]:
    if len(cells) != len(header):
        message = Said("Columns in the line: {n}; required: {wanted}.", n=len(cells), wanted=len(header))
        on_problem(line, message, Said("Write the columns {header}, separated by commas.", header=[*header]))
        return
    row = dict(zip(header, cells, strict=True))
    yield Rating(line, row["query"], query_id=row.get("query_id", ""), notes=((NEEDED, row[NEEDED]),))


# --------------------------------------------------------------------------------------------------- JSON


class _Object(dict[str, Any]):
    """A JSON object with the line that it begins in."""

    line = 1


def _parsed(text: str) -> Any:
    """Returns a JSON value whose objects are `_Object`.  Raises `ValueError` if the text is not JSON."""
    ends = [match.start() for match in re.finditer("\n", text)]
    decoder: Any = json.JSONDecoder()
    scanner: Any = json.scanner  # the one in Python calls the function that reads an object, the one in C its own
    plain = decoder.parse_object

    def located(start: tuple[str, int], *rest: Any) -> tuple[_Object, int]:
        value, end = plain(start, *rest)
        found = _Object(value)
        found.line = bisect.bisect_left(ends, start[1]) + 1
        return found, end

    decoder.parse_object = located
    decoder.scan_once = scanner.py_make_scanner(decoder)
    try:
        return decoder.decode(text)
    except RecursionError:
        raise ValueError("too deep") from None


def _of_json(text: str, on_problem: OnProblem) -> Iterator[Rating]:
    try:
        values = [_parsed(text)]
    except json.JSONDecodeError as error:
        values = _by_line(text, on_problem) if "Extra data" in str(error) else []
        if not values:
            wrong = Said("The line is not valid JSON ({reason}).", reason=error.msg)
            on_problem(error.lineno, wrong, Said("Check it with a JSON validator."))
    except ValueError as error:
        on_problem(
            1,
            Said("The line is not valid JSON ({reason}).", reason=str(error)),
            Said("Check it with a JSON validator."),
        )
        return
    for value in values:
        for record in _records(value):
            yield from _of_record(record, on_problem)


def _by_line(text: str, on_problem: OnProblem) -> list[Any]:
    """The objects of a file with one per line."""
    values = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = _parsed(line)
        except ValueError as error:
            wrong = Said("The line is not valid JSON ({reason}).", reason=str(error))
            on_problem(number, wrong, Said("Write one JSON object per line."))
            continue
        if isinstance(value, _Object):
            value.line = number
        values.append(value)
    return values


def _records(value: Any) -> Iterator[Any]:
    """The records of questions in a value: of a list, or below the names that the formats have."""
    if isinstance(value, list):
        for item in value:
            yield from _records(item)
    elif (
        isinstance(value, dict)
        and isinstance(value.get("query_groups", value.get("queries")), list)
        and ("query_groups" in value or "relevant_documents" in value)
    ):
        for group in value.get("query_groups", [value]):
            yield from _records_of_group(group)
    elif isinstance(value, dict) and ("queryText" in value or "query" in value or "query_text" in value):
        yield value
    elif isinstance(value, _Object) and "ratings" in value and ("request" in value or "params" in value):
        yield _request(value)
    elif isinstance(value, dict):
        for name in ("judgmentRatings", "querySetQueries", "queries", "requests", "topics", "hits", "_source"):
            if isinstance(value.get(name), list | dict):
                for item in value[name] if isinstance(value[name], list) else [value[name]]:
                    yield from _records(item) if isinstance(item, dict) else [item]


def _request(value: _Object) -> _Object:
    """A request of Elasticsearch as a record of a question."""
    asked = _strings(value.get("request", {}).get("query") if isinstance(value.get("request"), dict) else None)
    text = max(asked or _strings(value.get("params")), key=len, default=str(value.get("id", "")))
    record = _Object(query=text, query_id=str(value.get("id", "")), ratings=value["ratings"])
    record.line = value.line
    return record


def _strings(value: Any, name: str = "") -> list[str]:
    """The texts in the body of a query, but for names of fields, operators and settings."""
    if isinstance(value, str):
        return [value] if name not in _SETTINGS else []
    inner = value.items() if isinstance(value, dict) else ((name, v) for v in value) if isinstance(value, list) else ()
    return [text for key, v in inner for text in _strings(v, key)]


def _records_of_group(group: Any) -> Iterator[Any]:
    """The questions of a group of RRE, each with the ratings of the group."""
    if not isinstance(group, _Object) or not isinstance(group.get("queries"), list):
        yield group
        return
    relevant, ratings = group.get("relevant_documents"), _Object()
    for name, value in relevant.items() if isinstance(relevant, dict) else ():
        if isinstance(value, list):
            ratings |= {str(document): name for document in value}
        else:
            ratings[name] = value.get("gain") if isinstance(value, dict) else value
    ratings.line = group.line
    for query in group["queries"]:
        placeholders = query.get("placeholders") if isinstance(query, dict) else query
        texts = [placeholders] if isinstance(placeholders, str) else _strings(placeholders)
        record = _Object(query=max(texts, key=len, default=""), ratings=ratings)
        record.line = group.line
        yield record


def _of_record(record: Any, on_problem: OnProblem) -> Iterator[Rating]:
    """The ratings of a question: a list of objects, or an object with the document ids as names."""
    if not isinstance(record, _Object):
        on_problem(1, Said("A question is not a JSON object."), Said("Write it in braces."))
        return
    query = next((record[name] for name in ("query", "query_text", "queryText") if name in record), None)
    if not isinstance(query, str):
        on_problem(record.line, Said("The query is not a text."), Said("Write it in quotes."))
        return
    named = ((NEEDED, record.get("information_need")), (ANSWERED, record.get("referenceAnswer")))
    notes = tuple((name, note) for name, note in named if isinstance(note, str))
    yield Rating(record.line, query, query_id=str(record.get("query_id", "")), notes=notes)
    ratings = record.get("ratings")
    if isinstance(ratings, _Object):
        for document, rating in ratings.items():
            yield Rating(ratings.line, query, document, rating)
    elif isinstance(ratings, list):
        for item in ratings:
            named_document = _document(item)
            if named_document is None:
                line = item.line if isinstance(item, _Object) else record.line
                missing = Said("A rating of “{query}” has no “docId”.", query=query[:80])
                on_problem(line, missing, Said("Write the id of the document."))
            else:
                yield Rating(item.line, query, named_document, item.get("rating"))
    elif ratings is not None:
        on_problem(
            record.line,
            Said("The ratings of “{query}” are not a list.", query=query[:80]),
            Said("Write them in brackets."),
        )


def _document(item: Any) -> str | None:
    """The id of the document that an object rates; None if there is none."""
    if not isinstance(item, _Object):
        return None
    value = item.get("docId", item.get("doc_id", item.get("_id")))
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None


# ------------------------------------------------------------------------------------------------ settled


def settled(
    known: Sequence[Query], read_queries: Sequence[Query], qrels: Mapping[str, Mapping[str, int]]
) -> tuple[list[Query], dict[str, dict[str, int]]]:
    """Returns the questions of a collection with those of a file, and the file's grades by the ids of these.

    A question is the collection's if it has the same text, or if its “text” is an id there.  If some are ids, the
    others are ids, too, of questions that the collection lacks; else they are new questions.
    """
    by_text = {same(q.text): q.id for q in reversed(known)}
    queries = {q.id: q for q in known}
    are_ids = any(q.text in queries and same(q.text) not in by_text for q in read_queries)
    grades_by_id = dict[str, dict[str, int]]()
    for q in read_queries:
        target = by_text.get(same(q.text)) or (q.text if q.text in queries or are_ids else "")
        if not target:
            target = q.id if q.id not in queries else question_id(q.text, queries)
            queries[target] = replace(q, id=target)
        elif q.metadata and target in queries:
            old = queries[target]
            queries[target] = replace(old, metadata={**q.metadata, **old.metadata})
        if q.id in qrels:
            grades_by_id.setdefault(target, {}).update(qrels[q.id])
    return list(queries.values()), grades_by_id
