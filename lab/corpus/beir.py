"""Test collections in the BEIR layout: ``corpus.jsonl``, ``queries.jsonl``, ``qrels/test.tsv``.

Source of the layout: N. Thakur et al., *BEIR: A Heterogeneous Benchmark for Zero-shot Evaluation of
Information Retrieval Models*, 2021.  Keys that the layout does not know are ignored; ids may be numbers and
become strings.  Every complaint names the file, the line and what to do.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lab.core import Corpus, Document, Query, Value
from lab.errors import CorpusError
from lab.words import Said

HEADER = ("query-id", "corpus-id", "score")


@dataclass(frozen=True)
class Collection:
    """A corpus with questions and judgments; both may be empty.

    ``qrels[query id][document id]`` is the grade: above 0 relevant, more is better, 0 judged as not relevant.
    ``unknown`` are (query id, document id) pairs of judgments that name something the collection lacks.
    Those of unknown queries are left out of ``qrels`` (they belong to another split); those of unknown
    documents stay (nobody can find these, and everybody's figures count them).  ``problems`` are the sentences
    about what could not be read of a file that is no ``.jsonl``.
    """

    corpus: Corpus
    queries: tuple[Query, ...] = ()
    qrels: Mapping[str, Mapping[str, int]] = field(default_factory=dict, hash=False)
    unknown: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        frozen = {q: MappingProxyType(dict(grades)) for q, grades in self.qrels.items()}
        object.__setattr__(self, "queries", tuple(self.queries))
        object.__setattr__(self, "qrels", MappingProxyType(frozen))

    @property
    def name(self) -> str:
        """The corpus's name."""
        return self.corpus.name

    def relevant(self, query_id: str) -> Mapping[str, int]:
        """The documents with a grade above 0, best grade first; empty where nothing was judged relevant."""
        grades = self.qrels.get(query_id, {})
        return {d: g for d, g in sorted(grades.items(), key=lambda item: -item[1]) if g > 0}

    @property
    def judged(self) -> tuple[Query, ...]:
        """The queries with at least one relevant document, in order."""
        return tuple(q for q in self.queries if self.relevant(q.id))

    @cached_property
    def _by_text(self) -> dict[str, Query]:
        return {_plain(q.text): q for q in reversed(self.queries)}

    def query_by_text(self, text: str) -> Query | None:
        """The query with this wording (blanks and case do not count), or None; the first where several have it."""
        return self._by_text.get(_plain(text))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


# -------------------------------------------------------------------------------------------------- read


def load(where: str | Path, *, queries: str = "queries.jsonl", qrels: str = "qrels/test.tsv") -> Collection:
    """The collection in this folder, or the corpus in this file.

    A folder needs ``corpus.jsonl``; its queries and judgments may be missing, unless they were asked for by
    another name than the usual one.  A ``.jsonl`` file is a corpus in the same layout; any other file is read
    as an upload would be.  Raises `CorpusError`.
    """
    path = Path(where).expanduser()
    if path.is_dir():
        return _load_folder(path, queries, qrels)
    if not path.is_file():
        raise CorpusError(
            Said("There is no file or folder “{path}”.", path=str(path)),
            Said("Give a folder with a corpus.jsonl, or a file."),
        )
    if path.suffix.lower() == ".jsonl":
        return Collection(read_corpus(path, name=path.stem))
    from lab.reading.read import read_file

    read = read_file(path.name, path.read_bytes())
    corpus = Corpus(path.stem, read.documents)
    queries_read = tuple(Query(text, id=query_id) for query_id, text in read.queries)
    return Collection(corpus, queries_read, read.qrels, problems=tuple(map(str, read.problems)))


def _load_folder(folder: Path, queries: str, qrels: str) -> Collection:
    file = folder / "corpus.jsonl"
    if not file.is_file():
        raise CorpusError(
            Said("The folder “{folder}” has no corpus.jsonl.", folder=str(folder)),
            Said("Put one JSON object per document into it, each with “_id” and “text”."),
        )
    corpus = read_corpus(file, name=folder.resolve().name)
    asked = read_queries(folder / queries) if _there(folder / queries, queries != "queries.jsonl") else ()
    judged = read_qrels(folder / qrels) if _there(folder / qrels, qrels != "qrels/test.tsv") else {}
    known = {q.id for q in asked}
    unknown = tuple(
        (q, d) for q, grades in judged.items() for d in grades if q not in known or d not in corpus.positions
    )
    return Collection(corpus, asked, {q: grades for q, grades in judged.items() if q in known}, unknown)


def _there(file: Path, wanted: bool) -> bool:
    if wanted and not file.is_file():
        raise CorpusError(Said("There is no file “{path}”.", path=str(file)), Said("Check the name."))
    return file.is_file()


def read_corpus(file: Path, *, name: str) -> Corpus:
    """The corpus in a ``corpus.jsonl``: ``_id``, ``text``, optionally ``title`` and ``metadata``."""
    documents, seen = [], dict[str, int]()
    for number, record in _records(file):
        doc_id = _identity(file, number, record, seen)
        text, title = _text(file, number, record), record.get("title") or ""
        if not isinstance(title, str):
            raise _wrong(file, number, Said("“title” is no string"), Said("Write it in quotes."))
        documents.append(Document(doc_id, text, title, _metadata(file, number, record)))
    if not documents:
        raise CorpusError(Said("{file} has no documents.", file=str(file)), Said("Write one JSON object per line."))
    return Corpus(name, tuple(documents))


def read_queries(file: Path) -> tuple[Query, ...]:
    """The queries in a ``queries.jsonl``: ``_id``, ``text``, optionally ``metadata``."""
    seen: dict[str, int] = {}
    return tuple(
        Query(
            id=_identity(file, number, record, seen),
            text=_text(file, number, record),
            metadata=_metadata(file, number, record),
        )
        for number, record in _records(file)
    )


def read_qrels(file: Path) -> dict[str, dict[str, int]]:
    """The judgments in a ``qrels/*.tsv``: a header, then query id, document id and grade, parted by tabs."""
    qrels: dict[str, dict[str, int]] = {}
    shape = Said("Write three columns parted by tabs: {header}.", header=", ".join(HEADER))
    for number, line in _lines(file):
        cells = tuple(cell.strip() for cell in line.split("\t"))
        if number == 1:
            if cells != HEADER:
                raise _wrong(
                    file,
                    number,
                    Said("the header is missing"),
                    Said("Write as the first line, parted by tabs: {header}.", header=" ".join(HEADER)),
                )
            continue
        if len(cells) != 3 or not cells[0] or not cells[1]:
            raise _wrong(
                file, number, Said("there are {n} columns where 3 are needed", n=len([c for c in cells if c])), shape
            )
        query, document, grade = cells
        try:
            value = int(grade)
        except ValueError:
            raise _wrong(file, number, Said("the score “{score}” is no whole number", score=grade), shape) from None
        grades = qrels.setdefault(query, {})
        if grades.setdefault(document, value) != value:
            raise _wrong(
                file,
                number,
                Said("“{document}” is judged twice for “{query}”, and not alike", document=document, query=query),
                Said("Keep one of the two."),
            )
    return qrels


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    """(line number from 1, line) of the lines that are not blank; UTF-8, with or without a byte order mark."""
    with file.open("rb") as stream:
        for number, raw in enumerate(stream, 1):
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                raise _wrong(file, number, Said("the line is not UTF-8"), Said("Save the file as UTF-8.")) from None
            if line.strip():
                yield number, line


def _records(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in _lines(file):
        try:
            record = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            reason = getattr(error, "msg", "nested too deeply")
            raise _wrong(
                file,
                number,
                Said("the line is no JSON ({reason})", reason=reason),
                Said("Write one JSON object per line."),
            ) from None
        if not isinstance(record, dict):
            raise _wrong(
                file, number, Said("the line is no JSON object"), Said("Write one JSON object per line, in braces.")
            )
        yield number, record


def _identity(file: Path, number: int, record: Mapping[str, Any], seen: dict[str, int]) -> str:
    value = record.get("_id")
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise _wrong(file, number, Said("“_id” is missing"), Said("Give every line an “_id” of its own."))
    identity = str(value)
    if identity in seen:
        raise _wrong(
            file,
            number,
            Said("the “_id” “{id}” stands in line {first} already", id=identity, first=seen[identity]),
            Said("Give every line an “_id” of its own."),
        )
    seen[identity] = number
    return identity


def _text(file: Path, number: int, record: Mapping[str, Any]) -> str:
    value = record.get("text")
    if not isinstance(value, str):
        raise _wrong(file, number, Said("“text” is missing"), Said("Give every line a “text”, a string."))
    return value


def _metadata(file: Path, number: int, record: Mapping[str, Any]) -> dict[str, Value]:
    value = record.get("metadata") or {}
    if not isinstance(value, dict):
        raise _wrong(file, number, Said("“metadata” is no JSON object"), Said("Write it in braces, or leave it out."))
    return {str(k): _value(v) for k, v in value.items() if v is not None}


def _value(value: Any) -> Value:
    """Lists become lists of strings, objects become their JSON text, the rest stays."""
    if isinstance(value, str | int | float):
        return value
    if isinstance(value, list):
        return [v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in value]
    return json.dumps(value, ensure_ascii=False)


def _wrong(file: Path, number: int, what: Said, remedy: Said) -> CorpusError:
    return CorpusError(Said("{file}, line {line}: {what}.", file=str(file), line=number, what=what), remedy)


# ------------------------------------------------------------------------------------------------- write


def write(collection: Collection, folder: str | Path) -> None:
    """Write a collection in the BEIR layout; `load` gives it back (under the folder's name).

    Raises `CorpusError` for an id that a tab-separated file cannot hold.
    """
    home = Path(folder)
    home.mkdir(parents=True, exist_ok=True)
    _write_lines(
        home / "corpus.jsonl",
        ({"_id": d.id, "title": d.title, "text": d.text, **_note(d.metadata)} for d in collection.corpus),
    )
    if collection.queries:
        _write_lines(
            home / "queries.jsonl", ({"_id": q.id, "text": q.text, **_note(q.metadata)} for q in collection.queries)
        )
    if collection.qrels:
        (home / "qrels").mkdir(exist_ok=True)
        rows = [HEADER] + [(q, d, str(grade)) for q, grades in collection.qrels.items() for d, grade in grades.items()]
        for identity in (cell for row in rows for cell in row[:2]):
            if identity != identity.strip() or any(c in identity for c in "\t\r\n"):
                raise CorpusError(
                    Said("The id “{id}” has a tab, a line break or a blank at its end.", id=identity),
                    Said("Rename it."),
                )
        (home / "qrels" / "test.tsv").write_text(
            "".join("\t".join(row) + "\n" for row in rows), encoding="utf-8", newline="\n"
        )


def _note(metadata: Mapping[str, Value]) -> dict[str, Any]:
    return {"metadata": dict(metadata)} if metadata else {}


def _write_lines(file: Path, records: Iterator[dict[str, Any]]) -> None:
    with file.open("w", encoding="utf-8", newline="\n") as stream:
        for record in records:
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")
