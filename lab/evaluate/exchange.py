"""Judgments and questions for other tools: Quepid and OpenSearch's Search Relevance Workbench.

`lab.reading.ratings` describes the formats, cites their sources and reads them again.  Both name a question by its
text.  A grade below 0 (a junk document in TREC files) is written as 0, since they know no such rating.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from lab.algebra import Query
from lab.corpus.beir import Collection
from lab.errors import EvaluationError
from lab.evaluate.judging import qrels_text, queries_text
from lab.reading.ratings import ANSWERED, NEEDED, RATED, same
from lab.text import cut
from lab.words import N_, Said

LONGEST_NAME, LONGEST_DESCRIPTION, LONGEST_TEXT = 50, 250, 2000
"""Characters that OpenSearch allows."""
SHOWN = 3
REFUSED = '"\\<>\r\n'
"""Characters that OpenSearch allows in no name, question or reference answer of a query set: it refuses the whole set
(search-relevance, `TextValidationUtil`)."""
Say = Callable[[str], str]
_FORMULA = ("=", "+", "-", "@")


def quepid_csv(c: Collection) -> str:
    """Ratings as Quepid imports them; a question that begins like a formula gets a space, as in Quepid's own files."""
    rows: list[tuple[str, ...]] = [RATED]
    for query, grades in _graded(c):
        text = _csv_text(query.text)
        rows += [(text, document, str(grade)) for document, grade in grades.items()] or [(text,)]
    return _csv(rows)


def quepid_json(c: Collection) -> str:
    """Ratings as Quepid exports them."""
    return _json({"queries": [{"query": q.text, "ratings": grades} for q, grades in _graded(c)]})


def quepid_needs(c: Collection) -> str:
    """Questions with their information needs, as Quepid imports them."""
    rows = [(_csv_text(q.text), _csv_text(str(q.metadata.get(NEEDED, "")))) for q, _ in _graded(c)]
    return _csv([("query", NEEDED), *rows])


def opensearch_judgments(c: Collection, say: Say = str) -> str:
    """The body of a request that imports judgments."""
    ratings = [
        {"query": q.text, "ratings": [{"docId": d, "rating": f"{grade:.3f}"} for d, grade in grades.items()]}
        for q, grades in _graded(c)
        if grades
    ]
    return _json({**_named(c, say), "type": "IMPORT_JUDGMENT", "judgmentRatings": ratings})


def opensearch_queries(c: Collection, say: Say = str) -> str:
    """The body of a request that uploads a query set, with the reference answers that the questions have.

    Raises `EvaluationError` for a question or answer for which OpenSearch would refuse the whole set.
    """
    queries = [
        {"queryText": q.text} | ({"referenceAnswer": answer} if (answer := _answer(q)) else {}) for q, _ in _graded(c)
    ]
    if refused := [q["queryText"] for q in queries if not all(map(_allowed, q.values()))]:
        message = N_(
            "OpenSearch refuses a query set with these questions ({n}): {questions}. "
            "No question or reference answer may have {signs}, a line break or more than {limit} characters."
        )
        listed = ", ".join(f"“{cut(text, 60)}”" for text in refused[:SHOWN]) + (", …" if len(refused) > SHOWN else "")
        values = {"n": len(refused), "questions": listed, "signs": '" \\ < >', "limit": LONGEST_TEXT}
        raise EvaluationError(Said(message, **values), Said("Change their wording, or choose another format."))
    return _json({**_named(c, say), "sampling": "manual", "querySetQueries": queries})


WRITERS: Mapping[str, tuple[Callable[..., str], str]] = MappingProxyType(
    {
        "trec": (lambda c: qrels_text(c.qrels), ".qrels"),
        "beir": (lambda c: qrels_text(c.qrels, beir_layout=True), ".tsv"),
        "queries": (lambda c: queries_text(c.queries), "-queries.jsonl"),
        "quepid": (quepid_csv, "-quepid.csv"),
        "quepid-json": (quepid_json, "-quepid.json"),
        "quepid-needs": (quepid_needs, "-information-needs.csv"),
        "opensearch": (opensearch_judgments, "-opensearch.json"),
        "opensearch-queries": (opensearch_queries, "-query-set.json"),
    }
)
"""By the name of a format, its writer and the end of a file's name."""


def _answer(question: Query) -> str:
    """The reference answer of a question; of several, the first."""
    answer = question.metadata.get(ANSWERED, "")
    return str(answer[0]) if isinstance(answer, list) and answer else str(answer)


def _graded(c: Collection) -> Iterator[tuple[Query, dict[str, int]]]:
    """Yields every question with its grades.  Raises `EvaluationError` for texts and ids that the formats cannot hold.

    Questions with the same text are one there; if both grade a document, the higher grade counts.
    """
    first, grades_by_text = dict[str, Query](), dict[str, dict[str, int]]()
    for query in c.queries:
        if not query.text.strip():
            message = Said("The question “{id}” has no text, which these files name it by.", id=query.id)
            raise EvaluationError(message, Said("Write a text, or choose the TREC or BEIR format."))
        grades = grades_by_text.setdefault(same(query.text), {})
        first.setdefault(same(query.text), query)
        for document, grade in c.qrels.get(query.id, {}).items():
            if document != document.strip() or not document or any(sign in document for sign in "\r\n"):
                message = Said("The id “{id}” has whitespace at an end or a line break.", id=document)
                raise EvaluationError(message, Said("Rename it in the corpus."))
            grades[document] = max(grade, 0, grades.get(document, 0))
    for text, query in first.items():
        yield query, grades_by_text[text]


def _allowed(text: str) -> bool:
    return len(text) <= LONGEST_TEXT and not any(sign in text for sign in REFUSED)


def _named(c: Collection, say: Say) -> dict[str, str]:
    """Returns a list's name and its description as ``say`` puts it, with the characters that OpenSearch allows."""
    n = sum(bool(grades) for grades in c.qrels.values())
    name = "".join(" " if sign in REFUSED else sign for sign in c.name)
    message = N_("{name}: grades from 0 (not relevant) to 3 (the answer); judged questions: {n}")
    description = say(Said(message, name=name, n=n))
    return {"name": name[:LONGEST_NAME], "description": description[:LONGEST_DESCRIPTION]}


def _csv(rows: Iterable[Iterable[str]]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue()


def _csv_text(text: str) -> str:
    text = " ".join(text.split())
    return f" {text}" if text.startswith(_FORMULA) else text


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
