"""Given scores: an existing list as one of the lab's own.

The scores are in a metadata field of the documents, in a TREC run, or in a table of results from elsewhere.  The lab
does not compute them: it reads them, so that another engine's output, or the numbers of a textbook, can be reranked,
filtered, reordered, fused and measured like any list.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

from lab.algebra import (
    NONE,
    Contribution,
    Corpus,
    Hit,
    Index,
    Models,
    Progress,
    Query,
    Ranking,
    Retriever,
    counted,
    in_order,
    knob,
)
from lab.corpus.fields import field_name, field_reading, read_number
from lab.errors import ParameterError
from lab.formula import Formula, n, number
from lab.reading.delimited import find_delimiter, widths
from lab.retrieve.explaining import Explanation, Marker, word_marker
from lab.retrieve.foreign import LOWER, disagreement, first_names, out_of_order, outside
from lab.text import Analyzer, fold
from lab.text.quantities.numbers import read_decimal
from lab.words import N_, Said, joined

MOST = 200_000
"""Rows of one list: about two thousand questions with a hundred documents each."""
SHOWN = 60
"""Maximum characters of a row in an error message."""
_COLUMNS = {
    "query": ("query", "qid", "query_id", "query-id", "queryid", "question", "topic", "问题", "查询", "问题编号"),
    "document": (
        *("document", "doc", "docno", "docid", "doc_id", "doc-id", "document_id", "document-id", "corpus-id"),
        *("id", "_id", "文档", "编号", "文档编号"),
    ),
    "score": (
        *("score", "scores", "similarity", "relevance", "relevance_score", "rerank_score", "value", "distance"),
        *("得分", "分数", "相似度", "距离"),
    ),
    "rank": ("rank", "position", "place", "名次", "排名", "位置"),
}
_WITHOUT_HEADER = {1: ("document",), 2: ("document", "score"), 3: ("query", "document", "score")}
_TREC = ("query", "", "document", "rank", "score", "")


class Row(NamedTuple):
    """One row of a list: the id or text of its question (empty: every question), a document's id, score and rank.

    If it has no score, it has the rank: as written (``ranked``), or its position among the rows of its question.
    """

    query: str
    document: str
    score: float | None
    rank: float
    ranked: bool = False


def read_rows(lines: Sequence[str]) -> list[Row]:
    """Reads a TREC run, a table with a header, or lines of ``document``, ``document score``, ``query document score``.

    Raises `ParameterError` that names the line: for a score that is not a number, a document that is twice in a list.
    """
    table = list(_cells(lines))
    if not table:
        return []
    line, text, first = table[0]
    header = _header(first)
    columns = header or (_TREC if len(first) == len(_TREC) else _WITHOUT_HEADER.get(len(first)))
    if columns is None:
        message = N_("Line {line}, without a header that names its columns ({n}): “{text}”.")
        raise _wrong(message, line, text, n=len(first))
    rows, places, seen = list[Row](), dict[str, int](), set[tuple[str, str]]()
    for line, text, cells in table[1:] if header else table:
        if len(rows) == MOST:
            message = Said("There are more than {n} rows.", n=MOST)
            raise ParameterError(message, Said("Keep the first rows of each question."))
        if len(cells) != len(columns):
            message = N_("Line {line}, columns: {n} of {columns}, “{text}”.")
            raise _wrong(message, line, text, n=len(cells), columns=len(columns))
        by_column = {name: cell.strip() for name, cell in zip(columns, cells, strict=True) if name}
        query, document = by_column.get("query", ""), by_column["document"]
        if not document:
            raise _wrong(N_("Line {line} names no document: “{text}”."), line, text)
        if (query, document) in seen:
            raise _wrong(N_("Line {line}: “{document}” is in this list already."), line, text, document=document)
        seen.add((query, document))
        places[query] = places.get(query, 0) + 1
        score = _number(by_column["score"], line, text) if "score" in by_column else None
        rank = _number(by_column["rank"], line, text) if "rank" in by_column else float(places[query])
        if score is None and rank < 1:
            raise _wrong(N_("Line {line}: a rank must be at least 1: “{text}”."), line, text)
        rows.append(Row(query, document, score, rank, "rank" in by_column))
    return rows


def _cells(lines: Sequence[str]) -> Iterator[tuple[int, str, list[str]]]:
    """Yields number, text and cells of every row that is not blank, by the delimiter that fits the first lines."""
    lines = [line.lstrip("\ufeff") for line in lines]
    filled = [line + "\n" for line in lines if line.strip()]
    delimiter = find_delimiter(filled)
    if widths(filled, delimiter)[1] < 0.5:
        yield from ((at, line, line.split()) for at, line in enumerate(lines, 1) if line.strip())
        return
    reader = csv.reader([line + "\n" for line in lines], delimiter=delimiter)  # a quoted cell may have several lines
    at = 0
    for cells in reader:
        if any(cell.strip() for cell in cells):
            yield at + 1, lines[at], cells
        at = reader.line_num


def _header(cells: Sequence[str]) -> tuple[str, ...] | None:
    """Returns the content of each column, by a header; None if it is not one.  Repeated columns are ignored."""
    kinds, plain = list[str](), [fold(cell.strip()) for cell in cells]
    for cell in plain:
        kind = next((kind for kind, names in _COLUMNS.items() if cell in names), "")
        kinds.append("" if kind in kinds else kind)
    return tuple(kinds) if "document" in kinds else None


def _number(text: str, line: int, row: str) -> float:
    value = read_decimal(text)
    if value is None:
        raise _wrong(N_("Line {line}: “{value}” is not a number."), line, row, value=text[:SHOWN])
    return value


def _wrong(template: str, line: int, text: str, **values: object) -> ParameterError:
    remedy = N_(
        "Write a TREC run (query Q0 document rank score tag), a table whose header names document and score, or one "
        "document per line, best first."
    )
    return ParameterError(Said(template, line=line, text=" ".join(text.split())[:SHOWN], **values), Said(remedy))


@dataclass(frozen=True)
class Given(Retriever):
    """A list with existing scores: a metadata field, a TREC run, or a table of results.

    ``rows`` are the lines of a run or table (`read_rows`).  A row that names a question, by its id or its text, is for
    that question; one without is for every question.  Without scores, the score is 1 / rank.  With ``lower`` the
    lowest number is best (distances), and the score is its negative.  The order is that of the scores, equal ones in
    corpus order; a column of ranks, none of them twice, goes before the scores.
    """

    technique = Said("Given scores")
    about = Said("Takes a list as it is: scores of a metadata field, a TREC run or a table of results.")
    family = "given"
    settled = True
    compares = False
    required_knobs: ClassVar[tuple[str, ...]] = ("field", "rows", "lower")

    field: str = knob(
        "", Said("Field with scores"), Said("Name of a metadata field that holds a number. Empty: the rows are used.")
    )
    rows: tuple[str, ...] = knob(
        (),
        Said("Rows"),
        Said(
            "A TREC run, a table with a header (query, document, score, rank), or one document per line, best first. "
            "Without a query column the rows hold for every question."
        ),
        kind="lines",
    )
    lower: bool = LOWER()

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "field", self.field.strip())
        if self.field and self.rows:
            both = Said("Given scores have a field (“{field}”) and rows.", field=self.field)
            raise ParameterError(both, Said("Give one of the two, and empty the other."))
        read_rows(self.rows)

    @property
    def label(self) -> str:
        return Said("Given · {field}", field=self.field) if self.field else Said("Given scores")

    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> GivenIndex:
        return GivenIndex(self, corpus)


@dataclass(frozen=True)
class Supplied:
    """The evidence of a given list: how many rows or fields were read, and which of them were not used.

    ``total`` counts the rows for this question (of a field: the documents of the corpus), ``used`` those in the list;
    ``unknown`` are the ids that are not in the corpus.  ``queries`` are the questions that the rows name.
    ``ranked`` tells that the rows have ranks, which are the order; ``disagrees`` has two ranks, of which the later
    scores more.
    """

    field: str
    total: int
    used: int
    unknown: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    ranked: bool = False
    disagrees: tuple[int, int] | None = None

    @property
    def note(self) -> str:
        """Says which part of the given list is left out; empty if all of it is used."""
        if self.field and self.used < self.total:
            message = N_("Documents without a number in “{field}”, which are not in the list: {n} of {total}.")
            return Said(message, n=self.total - self.used, total=self.total, field=self.field)
        return joined(filter(None, (outside(self.unknown, self.total), out_of_order(self.disagrees))), " ")

    @property
    def reason(self) -> str:
        """Says why the list is empty, and what to do."""
        if self.field:
            message = N_("No document has a number in “{field}”. Choose another field, or give rows.")
            return Said(message, field=self.field)
        if self.unknown:
            message = N_("No row names a document of this corpus (rows: {total}); they name: {ids}.")
            return Said(message, total=self.total, ids=first_names(self.unknown))
        if self.queries:
            message = N_(
                "The rows are for other questions: {queries}. Ask one of these, or leave out the column of the query."
            )
            return Said(message, queries=first_names(self.queries))
        return Said("No scores are given yet. Choose a metadata field, paste rows, or upload a file with a run.")


class GivenIndex(Index):
    """A given list for one corpus."""

    operator: Given

    def __init__(self, operator: Given, corpus: Corpus) -> None:
        self.operator, self.corpus = operator, corpus
        self._field = field_name(corpus, operator.field) if operator.field else ""
        self._rows: dict[str, list[Row]] = {}
        for row in read_rows(operator.rows):
            self._rows.setdefault(fold(row.query), []).append(row)

    def search(self, query: str | Query, *, k: int = 100, explain: bool = True) -> Ranking:
        """See `Index.search`; a document is in the list because it is given, regardless of the question's words."""
        start = time.perf_counter()
        counted("k", k)
        query = Query.of(query)
        scores, evidence = self._scores(query)
        hits = [Hit(self.corpus.documents[self.corpus.positions[i]], score.value) for i, score in scores.items()]
        ordered = tuple(hits) if evidence.ranked else in_order(hits)
        requested = k if len(ordered) > k else 0
        explained = (
            [replace(h, why=(Contribution(self._name, h.score),)) for h in ordered[:k]] if explain else ordered[:k]
        )
        seconds = time.perf_counter() - start
        return Ranking(
            query,
            tuple(explained),
            self.operator,
            seconds=seconds,
            asked=requested,
            evidence=evidence,
            corpus=self.corpus,
        )

    @property
    def _name(self) -> str:
        return self._field or Said("given")

    def _scores(self, query: Query) -> tuple[dict[str, Formula], Supplied]:
        """Returns the score of every document that has one for this question, by its id."""
        if query.blank:
            return {}, Supplied("", 0, 0)
        if self._field:
            comma = field_reading(self.corpus, self._field).comma
            numbers = {d.id: read_number(d.metadata.get(self._field, ""), comma=comma) for d in self.corpus}
            scores = {i: self._signed(value) for i, value in numbers.items() if value is not None}
            return scores, Supplied(self._field, len(self.corpus), len(scores))
        rows = [*self._rows_of(query), *self._rows.get("", ())]
        rows_by_id: dict[str, Row] = {}
        for row in rows:
            rows_by_id.setdefault(row.document, row)
        known = [row for i, row in rows_by_id.items() if i in self.corpus.positions]
        ranked = all(row.ranked for row in known) and len({row.rank for row in known}) == len(known)
        if ranked:
            known.sort(key=lambda row: row.rank)
        disagrees = disagreement([self._of_row(row).value for row in known]) if ranked else None
        scores_by_id = {row.document: self._of_row(row) for row in known}
        unknown = tuple(i for i in rows_by_id if i not in self.corpus.positions)
        names = tuple(dict.fromkeys(row.query for some in self._rows.values() for row in some if row.query))
        others = () if rows else names
        used = len(scores_by_id)
        return scores_by_id, Supplied("", len(rows_by_id), used, unknown, others, ranked, disagrees)

    def _rows_of(self, query: Query) -> list[Row]:
        """Returns the rows of a question, or of the question that it is a rewrite of."""
        source: Query | None = query
        while source is not None:
            for name in (source.id, source.text):
                if name and (rows := self._rows.get(fold(name.strip()))):
                    return rows
            source = source.made_from
        return []

    def _of_row(self, row: Row) -> Formula:
        return n(1) / n(row.rank) if row.score is None else self._signed(row.score)

    def _signed(self, value: float) -> Formula:
        return Formula(0.0 - value, number(0.0 - value)) if self.operator.lower else n(float(value))

    # ------------------------------------------------------------------------- see `lab.retrieve.explaining.Explains`

    def names(self, query: str | Query) -> Mapping[str, str]:
        return {"given": self._name}

    def explanation(self, query: Query, doc_id: str) -> Explanation:
        scores, _ = self._scores(query)
        note = Said("The score is given. The lab did not compute it.")
        if doc_id in scores:
            return Explanation({self._name: scores[doc_id]}, (), self.operator, note)
        missing = Said("It has no given score for this question.")
        return Explanation({}, (), self.operator, note, missing)

    def marker(self, query: Query) -> Marker:
        return word_marker(query.text, Analyzer())

    def reading(self, query: str | Query) -> str:
        return self._scores(Query.of(query))[1].note

    def reason(self, query: Query) -> str:
        return self._scores(query)[1].reason
