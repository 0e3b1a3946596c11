"""Lists of other programs: one reader of their results, and one report of what is not in the corpus.

Read are ids, texts, pairs with a score, dictionaries and objects (hits, points, nodes, documents of LangChain,
LlamaIndex, Haystack, Qdrant, Weaviate, Milvus, pyserini), data frames (PyTerrier), answers that hold one of these,
tables of columns (Chroma), and scores by id.
"""

from __future__ import annotations

import inspect
import math
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from itertools import chain, islice
from numbers import Integral, Real
from typing import Any, NamedTuple
from uuid import UUID

from lab.algebra import Corpus, Document, knob
from lab.errors import ModelError
from lab.words import N_, Said

LOWER = partial(
    knob, False, label=Said("Lower is better"), help=Said("For distances: the smallest number comes first.")
)
"""The field that tells that scores are distances."""
MOST = 10_000
"""Maximum number of results that are read from one answer."""
NAMED = 5
"""Maximum number of ids in a sentence."""
SHOWN = 60
"""Maximum characters of an id or a text in a sentence."""
IDS = (
    *("id", "_id", "docno", "doc_id", "docid", "document_id", "doc-id", "document-id", "node_id", "id_", "uuid", "pid"),
    *("passage_id", "chunk_id", "point_id", "ref_doc_id"),
)
TEXTS = ("text", "page_content", "content", "contents", "content_with_weight", "passage", "body", "document", "chunk")
SCORES = (
    *("score", "_score", "similarity", "relevance_score", "relevance", "distance", "_distance", "_rankingScore"),
    *("text_match", "@search.score"),
)
RANKS = ("rank", "position")
METADATA = ("metadata", "payload", "_source", "meta", "entity", "fields", "properties")
"""The names under which a result has its id, its text, its score, its rank and its metadata."""
_INNER = ("node", "document", "doc", "segment", *METADATA)
_LISTS = (
    *("hits", "points", "source_nodes", "documents", "matches", "objects", "results", "nodes", "docs", "children"),
    *("chunks", "records", "value"),
)
_AROUND = ("response", "root", "hits", "result", "data", "body")
"""The names of the list in an answer, and of objects around it."""
_COLUMNS = {
    "id": ("ids", "_ids"),
    "text": ("documents", "texts"),
    "score": ("distances", "scores"),
    "metadata": ("metadatas",),
}


class Result(NamedTuple):
    """One result of an answer: the ids that may name its document, the first that is in the corpus counts; or a text.

    Without a score, the rank counts.
    """

    ids: tuple[str, ...] = ()
    text: str = ""
    score: float | None = None

    @property
    def name(self) -> str:
        return next((i for i in self.ids if i), " ".join(self.text.split()))[:SHOWN]


_FORMS = N_("Return a list of ids or texts, of pairs (id, score), or of dictionaries with id, text and score.")


def read_results(returned: Any, name: str = "") -> list[Result]:
    """Reads what a retriever returned, best first.  Raises `ModelError` if it is not a list of results."""
    if inspect.iscoroutine(returned):
        returned.close()
        message = Said("The retriever “{name}” is asynchronous.", name=name)
        raise ModelError(message, Said("Give a function that returns its results, not a coroutine."))
    while isinstance(returned, Mapping) and len(returned) == 1:  # a pipeline with one step, a run with one question
        (inner,) = returned.values()
        if not isinstance(inner, Mapping):
            break
        returned = inner
    if hasattr(returned, "to_dict") and not hasattr(returned, "columns") and hasattr(returned, "index"):
        returned = returned.to_dict()  # a series of pandas
    if isinstance(returned, Mapping) and all(map(is_number, returned.values())):
        by_score = sorted(returned.items(), key=lambda item: -float(item[1]))
        return [Result((str(i),), "", float(score)) for i, score in by_score[:MOST]]
    rows = _rows(returned)
    if rows is None:
        message = Said("The retriever “{name}” returned {kind}, not a list.", name=name, kind=type(returned).__name__)
        raise ModelError(message, Said(_FORMS))
    return [_result(item, at, name) for at, item in enumerate(islice(rows, MOST), 1)]


def _rows(returned: Any, depth: int = 4) -> Iterable[Any] | None:
    """Returns the results in an answer: itself, its list, the rows of its table; None if it has none."""
    if hasattr(returned, "columns") and (hasattr(returned, "to_dicts") or hasattr(returned, "to_dict")):
        return _frame(returned)
    if isinstance(returned, str | bytes) or not depth:
        return None
    if isinstance(returned, list | tuple) and len(returned) == 1 and _is_batch(returned[0]):
        return _rows(returned[0], depth - 1)
    if isinstance(returned, Mapping):
        return _table(returned) or _inside(returned, depth)
    if isinstance(returned, tuple | list) and len(returned) == 2 and (pairs := _pairs(*returned)):
        return pairs
    if isinstance(returned, Sequence):
        return returned
    inside = _inside(_attributes(returned, (*_LISTS, *_AROUND)), depth)
    return inside if inside is not None else returned if isinstance(returned, Iterable) else None


def _pairs(names: Any, scores: Any) -> list[tuple[Any, Any]]:
    """Returns the results of an answer that has their names in one list or array and their scores in another.

    None if that is not sure: two pairs of numbers are two results.
    """
    columns = [column.tolist() if hasattr(column, "tolist") else column for column in (names, scores)]
    first, second = (c[0] if isinstance(c, list) and len(c) == 1 and isinstance(c[0], list) else c for c in columns)
    if not (isinstance(first, list) and isinstance(second, list) and len(first) == len(second)):
        return []
    named = all(isinstance(name, str) for name in first) or (len(first) > 2 and all(map(is_number, first)))
    return list(zip(first, second, strict=True)) if named and all(map(is_number, second)) else []


def _is_batch(first: Any) -> bool:
    """Whether the only part of an answer is the list for one question of several, and not a pair with a score."""
    is_list = isinstance(first, Sequence) and not isinstance(first, str | bytes)
    is_pair = is_list and len(first) == 2 and is_number(first[1])
    return is_list and not is_pair and not hasattr(first, "_fields")


def _inside(answer: Mapping[str, Any], depth: int) -> Iterable[Any] | None:
    """Returns the list in an answer, also within an object around it."""
    for key in _LISTS:
        value = answer.get(key)
        if isinstance(value, Sequence) and not isinstance(value, str | bytes):
            return _rows(value, depth - 1)
    around = (_rows(value, depth - 1) for key in _AROUND if (value := answer.get(key)) is not None)
    return next((rows for rows in around if rows is not None), None)


def _frame(frame: Any) -> list[dict[str, Any]]:
    """Returns the rows of a data frame; a column of ranks gives their order."""
    if hasattr(frame, "to_dicts"):
        rows = frame.to_dicts()
    else:
        named = [name for name in getattr(frame.index, "names", ()) if name is not None]
        rows = (frame.reset_index() if named else frame).to_dict("records")
    rank = next((name for name in RANKS if rows and name in rows[0]), "")
    return sorted(rows, key=lambda row: row[rank]) if rank and all(is_number(row[rank]) for row in rows) else rows


def _table(answer: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Returns the rows of a table of columns, as Chroma returns them; None if the answer is not one."""
    columns = dict[str, Any]()
    for kind, names in _COLUMNS.items():
        column = next((answer[name] for name in names if isinstance(answer.get(name), list)), None)
        if column and len(column) == 1 and isinstance(column[0], list):
            column = column[0]
        if column is not None:
            columns[kind] = column
    if "id" not in columns:
        return None
    n = len(columns["id"])
    return [{kind: column[i] for kind, column in columns.items() if len(column) == n} for i in range(n)]


def _result(item: Any, at: int, name: str) -> Result:
    """Reads one result; the second part of a pair is its score."""
    if isinstance(item, Result):
        return item
    if isinstance(item, tuple | list) and len(item) == 2 and is_number(item[1]):
        return _result(item[0], at, name)._replace(score=float(item[1]))
    if isinstance(item, str):
        return Result((item,), item)
    if id_ := _id(item):
        return Result((id_,), id_)
    layers = [*_layers(item)]
    text = next((layer[key] for layer in layers for key in TEXTS if _is_text(layer.get(key))), "")
    ids = tuple(dict.fromkeys(i for layer in layers for i in _ids(layer)))
    if not ids and not text:
        message = Said("Result {at} of “{name}” has neither an id nor a text.", at=at, name=name)
        raise ModelError(message, Said(_FORMS))
    score = next((layers[0][key] for key in SCORES if layers[0].get(key) is not None), None)
    if score is None and not isinstance(item, Mapping):  # Weaviate has it in an object of metadata
        inner = (value for key in METADATA if not isinstance(value := getattr(item, key, None), Mapping | None))
        score = next((x for value in inner for key in SCORES if (x := getattr(value, key, None)) is not None), None)
    if score is not None and not is_number(score):
        values = {"at": at, "name": name, "value": str(score)[:SHOWN]}
        raise ModelError(Said("The score of result {at} of “{name}” is “{value}”, not a number.", **values))
    return Result(ids, text, None if score is None else float(score))


def _layers(item: Any, depth: int = 2) -> Iterator[Mapping[str, Any]]:
    """Yields the fields of a result, then those of its node, its document and its metadata."""
    fields = item if isinstance(item, Mapping) else _attributes(item, (*IDS, *TEXTS, *SCORES, *_INNER))
    yield fields
    for key in _INNER if depth else ():
        value = fields.get(key)
        if value is not None and not isinstance(value, str | bytes | list | tuple | Real):
            yield from _layers(value, depth - 1)


def ids_in(fields: Mapping[str, Any], *more: str) -> list[str]:
    """Returns the ids in the fields of a result and in its metadata: under the names ``more``, then the usual ones."""
    metadata = (value for key in METADATA if isinstance(value := fields.get(key), Mapping))
    return list(dict.fromkeys(chain.from_iterable(_ids(place, *more) for place in (fields, *metadata))))


def _ids(fields: Mapping[str, Any], *more: str) -> list[str]:
    return [i for key in (*more, *IDS) if (i := _id(fields.get(key)))]


def _id(value: Any) -> str:
    """Returns a value as an id; empty if it is not one."""
    if isinstance(value, str | UUID) or (isinstance(value, Integral) and not isinstance(value, bool)):
        return str(value)
    number = float(value) if is_number(value) else math.nan
    return str(int(number)) if math.isfinite(number) and number == int(number) else ""


def _attributes(item: Any, names: Sequence[str]) -> dict[str, Any]:
    """Returns those attributes of an object that are values."""
    values = dict[str, Any]()
    for name in names:
        try:
            value = getattr(item, name, None)
        except Exception:  # a stranger's property may raise anything
            continue
        if value is not None and not callable(value):
            values[name] = value
    return values


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def is_number(value: object) -> bool:
    """Whether a value is a number, and not a truth value."""
    return isinstance(value, Real | Decimal) and not isinstance(value, bool)


# ------------------------------------------------------------------------------------------------- matching


class Found(NamedTuple):
    """The document of a result, and whether only its text told which one it is; None if it is not in the corpus."""

    document: Document | None
    by_text: bool = False


def find_document(result: Result, corpus: Corpus) -> Found:
    """Returns the document of a result: by one of its ids, else the first document with the same text."""
    for i in result.ids:
        if document := corpus.get(i):
            return Found(document)
    if not result.text.strip() or corpus.elsewhere:
        return Found(None)
    same: Mapping[str, Document] = corpus.once("documents by text", lambda: _by_text(corpus))
    return Found(same.get(_plain(result.text)), True)


def _by_text(corpus: Corpus) -> dict[str, Document]:
    documents: dict[str, Document] = {}
    for document in corpus:
        for text in (document.text, document.content):
            if text.strip():
                documents.setdefault(_plain(text), document)
    return documents


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


# -------------------------------------------------------------------------------------------------- reports


def first_names(names: Sequence[str]) -> str:
    """Returns the first ids of a report."""
    return ", ".join(name[:SHOWN] for name in names[:NAMED]) + (" …" if len(names) > NAMED else "")


def outside(unknown: Sequence[str], total: int) -> Said:
    """Returns the sentence on results that are not in the corpus; empty if there are none."""
    if not unknown:
        return Said()
    message = N_("Results outside this corpus: {n} of {total} ({ids}).")
    return Said(message, n=len(unknown), total=total, ids=first_names(unknown))


def disagreement(scores: Sequence[float]) -> tuple[int, int] | None:
    """Returns two ranks, of which the later has the higher score; None if the scores never rise."""
    return next(((i, i + 1) for i in range(1, len(scores)) if scores[i] > scores[i - 1]), None)


def out_of_order(pair: tuple[int, int] | None) -> Said:
    """Returns the sentence on a list whose order is not that of its scores; empty for one in their order."""
    if pair is None:
        return Said()
    message = N_(
        "The order is not that of the scores: result {later} scores more than result {earlier}. "
        "The list keeps the order in which it came."
    )
    return Said(message, earlier=pair[0], later=pair[1])
