"""Test collections of ir_datasets by their names, if that package is installed and their data is on the disk.

Nothing is downloaded: an error names missing data, and the command that fetches it.  Source: S. MacAvaney, A. Yates,
S. Feldman, D. Downey, A. Cohan, N. Goharian, *Simplified Data Wrangling with ir_datasets*, 2021,
https://doi.org/10.1145/3404835.3463254.
"""

from __future__ import annotations

import difflib
import errno
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain
from typing import Any

from lab.algebra import Corpus, Document, Progress, Query, Value
from lab.corpus.beir import Collection, collection
from lab.errors import CorpusError, MissingExtra, UnknownName
from lab.reading.beir import harmless
from lab.text.naming import name_documents
from lab.words import Said, ngettext

PREFIX = "ir_datasets:"
"""The prefix of such a name among the names of other corpora."""
MOST = 1_000_000
"""Maximum number of documents to read."""
_TOLD, _SHORT = 512, 200
_REFUSED: ContextVar[list[bool] | None] = ContextVar("_REFUSED", default=None)
"""While `load` runs, one entry for each refused download."""


class _Away(Exception):
    """Something is not on the disk."""


def installed() -> bool:
    """Whether the package is installed."""
    from importlib.util import find_spec

    return find_spec("ir_datasets") is not None


def load(name: str, *, most: int = MOST, progress: Progress | None = None) -> Collection:
    """Loads the collection of this name, such as ``beir/scifact/test``: documents, questions and graded judgments.

    A document has its ``title`` and ``text``, or, without a ``text``, the default text of the package; a question has
    its default text.  Other short fields are metadata, so that the ``type`` of a question is its type.  A document that
    is judged for several aspects of a question keeps the highest grade.  ``progress`` is called with (documents read,
    total) and may raise to stop.  Raises `MissingExtra`, `UnknownName`, and `CorpusError` for data that is missing or
    too large.
    """
    package = _package()
    try:
        dataset = package.load(name)
    except KeyError:
        near = difflib.get_close_matches(name, package.registry, 3)
        remedy = Said("Did you mean one of these: {names}?", names=[*near]) if near else _names()
        raise UnknownName(Said("ir_datasets has no collection “{name}”.", name=name), remedy) from None
    if not dataset.has_docs():
        raise CorpusError(Said("{name} of ir_datasets has no documents.", name=name), _names())
    count = _count(dataset)
    if count is not None and count > most:
        raise _too_many(
            ngettext("{name} has {n} document", "{name} has {n} documents", count, name=name, n=f"{count:,}"), most
        )
    with _nothing_downloaded():
        rows = _begun(name, dataset)
        qrels: dict[str, dict[str, int]] = {}
        for query, doc, grade in rows["qrels"]:
            grades = qrels.setdefault(query, {})
            grades[doc] = max(grade, grades.get(doc, grade))
        queries, documents = list(rows["queries"]), list[Document]()
        for document in rows["docs"]:
            if len(documents) == most:
                raise _too_many(Said("{name} has more than {n} documents", name=name, n=f"{most:,}"), most)
            documents.append(document)
            if progress and len(documents) % _TOLD == 0:
                progress(len(documents), count or most)
    return collection(Corpus(name, name_documents(documents)), queries, qrels, _lacking(name, dataset, package))


def _lacking(name: str, dataset: Any, package: Any) -> list[str]:
    """Returns the problem that a collection has no judged questions, and names its parts that have them."""
    if dataset.has_queries() and dataset.has_qrels():
        return []
    parts = (other for other in package.registry if other.startswith(f"{name}/"))
    whole = [x for x in parts if package.load(x).has_queries() and package.load(x).has_qrels()]
    if not whole:
        return [Said("{name} has no judged questions.", name=name)]
    return [Said("{name} has no judged questions; these have: {names}.", name=name, names=[*whole])]


def _package() -> Any:
    """Returns the package, which downloads nothing while `load` runs."""
    try:
        import ir_datasets
    except ImportError:
        raise MissingExtra("datasets", "ir_datasets") from None
    libraries = ir_datasets.lazy_libs
    if not hasattr(libraries.requests, "asked"):  # the only place where the package reaches the network
        original = libraries.requests

        def requests() -> Any:
            if (refused := _REFUSED.get()) is not None:
                refused.append(True)
                raise _Away
            return original()

        requests.asked = original  # type: ignore[attr-defined]
        libraries.requests = requests
    return ir_datasets


@contextmanager
def _nothing_downloaded() -> Iterator[None]:
    """Makes every download in the block an error, and silences the package's own log."""
    token, logger = _REFUSED.set([]), logging.getLogger("ir_datasets")
    silent = logger.disabled
    logger.disabled = True
    try:
        yield
    finally:
        logger.disabled = silent
        _REFUSED.reset(token)


def _begun(name: str, dataset: Any) -> dict[str, Iterator[Any]]:
    """Returns the rows of every part, empty for one that does not exist.  Raises `CorpusError` if data is missing."""
    begun, away = dict[str, Iterator[Any]](), list[str]()
    for part, make in {"docs": _document, "queries": _query, "qrels": _judgment}.items():
        rows = _read(name, getattr(dataset, f"{part}_iter") if getattr(dataset, f"has_{part}")() else tuple, make)
        try:
            begun[part] = chain([row for row in (next(rows, None),) if row is not None], rows)
        except _Away:
            away.append(part)
    if away:
        commands = " && ".join(f"ir_datasets export {name} {part} > {os.devnull}" for part in away)
        remedy = Said("This command fetches it, or tells you where to get it: {commands}", commands=commands)
        raise CorpusError(Said("{name} is not on this machine, or incomplete.", name=name), remedy)
    return begun


def _read(name: str, rows: Callable[[], Iterable[Any]], make: Callable[[Any], Any]) -> Iterator[Any]:
    """Yields ``make`` of every row.  Any exception of the package becomes `_Away` if data is missing."""
    refused = _REFUSED.get()
    try:
        for row in rows():
            yield make(row)
    except Exception as error:
        if refused or isinstance(error, OSError) and error.errno in (None, errno.ENOENT):
            del (refused or [])[:]
            raise _Away from None
        reason = " ".join(str(error).split()) or type(error).__name__
        message = Said("The data of {name} cannot be read ({reason}).", name=name, reason=reason)
        raise CorpusError(message, Said("Delete the copy stored by ir_datasets, and fetch it again.")) from error


def _document(row: Any) -> Document:
    if "text" not in row._fields:
        return Document(row.doc_id, harmless(row.default_text()).strip(), metadata=_short_fields(row, {"doc_id"}))
    title, text = (harmless(getattr(row, name, "") or "").strip() for name in ("title", "text"))
    return Document(row.doc_id, text, title, _short_fields(row, {"doc_id", "text", "title"}))


def _query(row: Any) -> Query:
    text = " ".join(harmless(row.default_text()).split())
    return Query(text, id=row.query_id, metadata=_short_fields(row, {"query_id", "text"}))


def _judgment(row: Any) -> tuple[str, str, int]:
    return row.query_id, row.doc_id, int(row.relevance)


def _short_fields(row: Any, used: set[str]) -> Mapping[str, Value]:
    """Returns the other short fields of a row."""
    fields = {name: value for name, value in zip(row._fields, row, strict=True) if name not in used}
    return {
        n: v for n, v in fields.items() if isinstance(v, int | float) or (isinstance(v, str) and 0 < len(v) < _SHORT)
    }


def _count(dataset: Any) -> int | None:
    """Returns the number of documents according to the package; None if it does not know."""
    known = dataset.docs_metadata() if hasattr(dataset, "docs_metadata") else None
    return (known or {}).get("count")


def _too_many(problem: Said, most: int) -> CorpusError:
    message = Said("{what}; at most {most} are read.", what=problem, most=f"{most:,}")
    return CorpusError(message, Said("Choose a smaller collection."))


def _names() -> Said:
    return Said("“ir_datasets list” shows all names.")
