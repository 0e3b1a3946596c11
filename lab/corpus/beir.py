"""Test collections in the BEIR layout: ``corpus.jsonl``, ``queries.jsonl``, ``qrels/test.tsv``.

A folder may also have conversations: see `lab.corpus.conversations`.

Source of the layout: N. Thakur et al., *BEIR: A Heterogeneous Benchmark for Zero-shot Evaluation of
Information Retrieval Models*, 2021.  Keys that the layout does not know are ignored; ids may be numbers and
become strings.  Every complaint names the file, the line and what to do.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

from lab.algebra import Corpus, Document, Query, Value
from lab.corpus import indexes
from lab.corpus.conversations import Conversation, grouped, lines
from lab.errors import CorpusError
from lab.reading import beir as reading
from lab.reading import ratings
from lab.reading.judgments import (
    HEADER,
    SUBTOPICS,
    SUBTOPICS_HEADER,
    as_id,
    is_rated,
    judgments,
    of_json,
    subtopic_judgments,
)
from lab.reading.questions import parse
from lab.reading.ratings import settled
from lab.text.naming import name_documents
from lab.words import N_, Said

if TYPE_CHECKING:
    from lab.reading.read import ReadResult


UNANSWERABLE = "unanswerable"
"""The type of questions that no document answers."""


@dataclass(frozen=True)
class Collection:
    """A corpus with questions and judgments; both may be empty.

    ``qrels[query id][document id]`` is the grade: above 0 relevant, more is better, 0 judged as not relevant.
    ``unknown`` are (query id, document id) pairs of judgments that name something the collection lacks.
    Judgments of unknown queries are left out of ``qrels`` (they belong to another split); judgments of unknown
    documents stay, since published figures count them, too.  ``problems`` are sentences about unreadable parts of
    files other than ``.jsonl``.  ``subtopics[query id][subtopic][document id]`` is the grade for a part of the
    question's answer, for measures of diversity.  ``conversations`` and the grades of their turns, ``turn_qrels``, are
    separate from the questions: see `spoken`.
    """

    corpus: Corpus
    queries: tuple[Query, ...] = ()
    qrels: Mapping[str, Mapping[str, int]] = field(default_factory=dict, hash=False)
    unknown: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()
    conversations: tuple[Conversation, ...] = ()
    turn_qrels: Mapping[str, Mapping[str, int]] = field(default_factory=dict, hash=False)
    subtopics: Mapping[str, Mapping[str, Mapping[str, int]]] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "queries", tuple(self.queries))
        for name in ("qrels", "turn_qrels"):
            frozen = {q: MappingProxyType(dict(grades)) for q, grades in getattr(self, name).items()}
            object.__setattr__(self, name, MappingProxyType(frozen))
        by_subtopic = {
            q: MappingProxyType({s: MappingProxyType(dict(grades)) for s, grades in own.items()})
            for q, own in self.subtopics.items()
        }
        object.__setattr__(self, "subtopics", MappingProxyType(by_subtopic))

    @property
    def name(self) -> str:
        return self.corpus.name

    @cached_property
    def fingerprint(self) -> str:
        """The hash of documents, questions and judgments, on which figures over all questions depend."""
        parts = [self.corpus.fingerprint, [(q.id, q.text) for q in self.queries], sorted(_grades(self.qrels))]
        if self.subtopics:
            parts.append(
                sorted((q, s, *g) for q, own in self.subtopics.items() for s, x in own.items() for g in x.items())
            )
        return hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogatepass")).hexdigest()

    @cached_property
    def spoken(self) -> Collection:
        """The collection with the turns of the conversations as its questions, and their judgments."""
        return collection(
            self.corpus, (turn for conversation in self.conversations for turn in conversation), self.turn_qrels
        )

    def relevant(self, query_id: str) -> Mapping[str, int]:
        """Returns the documents with a grade above 0, best grade first; empty if none was judged relevant."""
        grades = self.qrels.get(query_id, {})
        return {d: g for d, g in sorted(grades.items(), key=lambda item: -item[1]) if g > 0}

    @cached_property
    def judged(self) -> tuple[Query, ...]:
        """The queries with at least one relevant document, in order."""
        return tuple(q for q in self.queries if self.relevant(q.id))

    @cached_property
    def unanswered(self) -> tuple[Query, ...]:
        """The queries without an answer, in order: all their judged documents have grade 0, or their type says it."""
        empty = (q for q in self.queries if not self.relevant(q.id))
        return tuple(q for q in empty if self.qrels.get(q.id) or q.metadata.get("type") == UNANSWERABLE)

    @cached_property
    def answering(self) -> int:
        """The lowest grade of a document that answers: 1 if all relevant documents have grade 1, else 2."""
        best = max((grade for qrels in (self.qrels, self.turn_qrels) for *_, grade in _grades(qrels)), default=2)
        return 1 if best == 1 else 2

    @cached_property
    def _by_text(self) -> dict[str, Query]:
        return {_normalised(q.text): q for q in reversed(self.queries)}

    def query_by_text(self, text: str) -> Query | None:
        """Returns the first query with this text (whitespace and case do not count), or None."""
        return self._by_text.get(_normalised(text))


def types_of(queries: Sequence[Query]) -> dict[str, tuple[str, ...]]:
    """Returns the ids of the questions by their type, without those that have none."""
    kinds = dict.fromkeys(str(q.metadata["type"]) for q in queries if "type" in q.metadata)
    return {kind: tuple(q.id for q in queries if str(q.metadata.get("type")) == kind) for kind in kinds}


def _grades(qrels: Mapping[str, Mapping[str, int]]) -> Iterator[tuple[str, str, int]]:
    return ((q, d, g) for q, grades in qrels.items() for d, g in grades.items())


def _normalised(text: str) -> str:
    return " ".join(text.split()).casefold()


# -------------------------------------------------------------------------------------------------- read


_TEST = "qrels/test.tsv"
_NOTE = "about.json"
"""Marks a collection that the lab keeps (`lab.corpus.keeping`): its texts were tidied when first read."""


def load(where: str | Path, *, queries: str = reading.QUERIES, qrels: str = _TEST) -> Collection:
    """The collection in this folder, or the corpus in this file.

    A folder with ``corpus.jsonl`` may lack conversations, and also queries and judgments, unless another name than the
    default is given for them.  The judgments of the test split count, or else the ones that
    `lab.reading.beir.layout` finds.  A ``.jsonl`` file in that layout is a corpus.  Any other folder or file is read as
    an upload.  Indexes of the corpus are kept in ``LAB_INDEX_DIR``, if that names a folder.  Raises `CorpusError`.
    """
    path = Path(where).expanduser()
    if path.is_dir():
        return _load_folder(path, queries, qrels)
    if not path.is_file():
        remedy = Said("Give a folder or a file.")
        raise CorpusError(Said("There is no file or folder “{path}”.", path=str(path)), remedy)
    from lab.reading.read import read_file

    if path.suffix.lower() == ".jsonl" and reading.is_corpus(path.name, reading.beginning(path)):
        corpus = _corpus(path, path.stem)
        return Collection(corpus, problems=_missing(path, corpus))
    return _uploaded(path.stem, read_file(path.name, path.read_bytes()))


def _uploaded(name: str, read: ReadResult) -> Collection:
    """The documents, questions and judgments of files, as a collection."""
    corpus = Corpus(name, name_documents(read.documents), keeper=indexes.keeper())
    with_questions = collection(corpus, read.queries, read.qrels, map(str, (*read.problems, *read.remarks)))
    with_questions = with_subtopics(with_questions, read.subtopics)
    return with_conversations(with_questions, read.turns, read.turn_qrels)


def _load_folder(folder: Path, queries: str, qrels: str) -> Collection:
    file = folder / reading.CORPUS
    if not file.is_file():
        return _documents(folder)
    corpus = _corpus(file, folder.resolve().name)
    problems = () if (folder / _NOTE).is_file() else _missing(file, corpus)
    judged = collection(corpus, *questions(folder, queries, qrels), problems)
    return _with_conversations_of(folder, _with_subtopics_of(folder, judged))


def _missing(file: Path, corpus: Corpus) -> tuple[str, ...]:
    """Returns what a file of passages says and the corpus has not; a larger file than an upload is not counted."""
    from lab.reading.account import account_of
    from lab.reading.records import say_values
    from lab.reading.uploads import Limits, Problem, Reading

    counted = Reading(file.name, Limits())
    if file.stat().st_size > counted.limits.max_bytes:
        return ()
    counted.documents = list(corpus.documents)
    remarks = account_of(counted, say_values(counted, file.read_bytes())).remarks
    return tuple(str(Problem(file.name, Said(), sentence, remedy)) for sentence, remedy in remarks)


def _with_subtopics_of(folder: Path, collected: Collection) -> Collection:
    file = folder / SUBTOPICS
    return with_subtopics(collected, subtopic_judgments(_lines(file, required=False), partial(_stop, file)))


def with_subtopics(collected: Collection, subtopics: Mapping[str, Mapping[str, Mapping[str, int]]]) -> Collection:
    """Returns the collection with these grades by subtopic; grades of unknown questions are left out."""
    known = {q.id for q in collected.queries}
    return replace(collected, subtopics={q: own for q, own in subtopics.items() if q in known})


def _documents(folder: Path) -> Collection:
    """The documents of a folder without ``corpus.jsonl``.  Raises `CorpusError` if there are none."""
    from lab.reading.read import read_folder

    read = read_folder(folder)
    if not read.documents:
        remedy = Said("Put files with text into it, or a corpus.jsonl: one JSON object with “_id” and “text” per line.")
        none = N_("The folder “{folder}” has no corpus.jsonl, and no other file that can be read.")
        raise CorpusError(Said(none, folder=str(folder)), remedy)
    return _uploaded(folder.resolve().name, read)


def questions(
    folder: Path, queries: str = reading.QUERIES, qrels: str = _TEST
) -> tuple[list[Query], dict[str, dict[str, int]]]:
    """The questions of a folder and their judgments, without its corpus; see `load`.  Raises `CorpusError`."""
    file = folder / queries
    lines = _lines(file, required=queries != reading.QUERIES)
    texts = list(reading.questions(lines, partial(_stop, file), tidy=_tidy(folder)))
    required = qrels != _TEST
    if not required and not ((folder / qrels).is_file() and (file.is_file() or queries != reading.QUERIES)):
        paths = {path.relative_to(folder).as_posix(): path for path in folder.glob("**/*") if path.is_file()}
        layout = reading.layout(paths, lambda name: reading.beginning(paths[name]))
        qrels = layout.judgments if layout and not (folder / qrels).is_file() else qrels
        texts = texts or [q for name in (layout.asked if layout else ()) for q in parse(_text(folder / name))]
    file = folder / qrels
    if qrels and file.is_file() and is_rated(qrels, reading.beginning(file)):
        rated = ratings.read(_text(file), partial(_stop, file), tidy=_tidy(folder), as_id=as_id)
        return settled(texts, rated.queries, rated.qrels)
    if qrels and file.suffix == ".json" and file.is_file() and (grades := of_json(_text(file))):
        return texts, grades
    return texts, judgments(_lines(file, required=required), partial(_stop, file)) if qrels else {}


def _text(file: Path) -> str:
    """The text of a file.  Raises `CorpusError` if it is not UTF-8."""
    try:
        return file.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise CorpusError(Said("{file} is not UTF-8.", file=str(file)), Said("Save the file as UTF-8.")) from None


def stream(file: Path) -> Iterator[tuple[Document, int]]:
    """Yields the documents of a ``.jsonl`` file, each with the number of bytes read so far.

    Raises `CorpusError` for the first line that is not a document, or that repeats an id.
    """
    read = 0

    def lines() -> Iterator[tuple[int, str]]:
        nonlocal read
        for number, line in _lines(file, required=True):
            read += len(line.encode("utf-8", "surrogatepass")) + 1
            yield number, line

    for document in reading.records(lines(), partial(_stop, file)):
        yield document, read


def _with_conversations_of(folder: Path, collected: Collection) -> Collection:
    file, graded = folder / "conversations.jsonl", folder / "qrels" / "conversations.tsv"
    read = tuple(reading.turns(_lines(file, required=False), partial(_stop, file), tidy=_tidy(folder)))
    turn_judgments = judgments(_lines(graded, required=False), partial(_stop, graded))
    ids = {turn.id for turn in read}
    if strange := next((turn_id for turn_id in turn_judgments if turn_id not in ids), None):
        message = Said(
            "{file} contains a judgment for “{id}”, which is not a turn of a conversation.",
            file=str(graded),
            id=strange,
        )
        raise CorpusError(message, Said("Check the ids in conversations.jsonl."))

    def stop(problem: Said, remedy: Said) -> NoReturn:
        raise CorpusError(Said("{path}: {what}", path=str(file), what=problem), remedy)

    return with_conversations(collected, read, turn_judgments, stop)


def collection(
    corpus: Corpus, queries: Iterable[Query], qrels: Mapping[str, Mapping[str, int]], problems: Iterable[str] = ()
) -> Collection:
    """Returns a corpus with the questions and judgments that were read with it."""
    questions = tuple(queries)
    known = {q.id for q in questions}
    judged = {q: grades for q, grades in qrels.items() if q in known}
    return Collection(corpus, questions, judged, reading.unknown(known, corpus.positions, qrels), tuple(problems))


def with_conversations(
    collected: Collection,
    read: Iterable[Query],
    qrels: Mapping[str, Mapping[str, int]],
    on_problem: Callable[[Said, Said], object] | None = None,
) -> Collection:
    """Returns the collection with the conversations of these turns and their judgments.

    Problems found by `grouped` are passed to ``on_problem``; without it, they are added to the collection's problems.
    Judgments of other turns are left out.
    """
    problems = list(collected.problems)

    def note(problem: Said, _: Said) -> None:
        problems.append(Said("{what} The turns after it are left out.", what=problem))

    conversations = grouped(read, on_problem or note)
    known = {turn.id for conversation in conversations for turn in conversation}
    judged = {turn_id: grades for turn_id, grades in qrels.items() if turn_id in known}
    return replace(collected, problems=tuple(problems), conversations=conversations, turn_qrels=judged)


def _corpus(file: Path, name: str) -> Corpus:
    documents = tuple(_records(file))
    if not documents:
        raise CorpusError(Said("{file} has no documents.", file=str(file)), Said("Write one JSON object per line."))
    return Corpus(name, name_documents(documents), keeper=indexes.keeper())


def _records(file: Path) -> Iterator[Document]:
    return reading.records(_lines(file, required=True), partial(_stop, file), tidy=_tidy(file.parent))


def _tidy(folder: Path) -> reading.Tidy:
    """The function that tidies the texts of a collection in this folder."""
    return str if (folder / _NOTE).is_file() else reading.harmless


def _lines(file: Path, *, required: bool) -> Iterator[tuple[int, str]]:
    """(line number from 1, line) of the lines that are not blank; UTF-8, with or without a byte order mark.

    A missing file has no lines; if it is ``required``, raises `CorpusError`.
    """
    if not file.is_file():
        if required:
            raise CorpusError(Said("There is no file “{path}”.", path=str(file)), Said("Check the name."))
        return
    with file.open("rb") as stream:
        for number, raw in enumerate(stream, 1):
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                _stop(file, number, Said("The line is not UTF-8."), Said("Save the file as UTF-8."))
            if line.strip():
                yield number, line


def _stop(file: Path, number: int, message: Said, remedy: Said) -> NoReturn:
    """Raises the error for a bad line of a file."""
    raise CorpusError(Said("{file}, line {line}: {what}", file=str(file), line=number, what=message), remedy)


# ------------------------------------------------------------------------------------------------- write


def write(collection: Collection, folder: str | Path) -> None:
    """Write a collection in the BEIR layout; `load` gives it back (under the folder's name).

    Raises `CorpusError` for an id that a tab-separated file cannot hold.
    """
    home = Path(folder)
    home.mkdir(parents=True, exist_ok=True)
    documents = ({"_id": d.id, "title": d.title, "text": d.text} | _note(d.metadata) for d in collection.corpus)
    _write_lines(home / "corpus.jsonl", documents)
    if collection.queries:
        queries = ({"_id": q.id, "text": q.text} | _note(q.metadata) for q in collection.queries)
        _write_lines(home / "queries.jsonl", queries)
    if collection.conversations:
        _write_lines(home / "conversations.jsonl", lines(collection.conversations))
    _write_qrels(home / "qrels" / "test.tsv", collection.qrels)
    _write_qrels(home / "qrels" / "conversations.tsv", collection.turn_qrels)
    rows = ((q, s, d, g) for q, own in collection.subtopics.items() for s, x in own.items() for d, g in x.items())
    _write_table(home / SUBTOPICS, SUBTOPICS_HEADER, [(*ids, str(grade)) for *ids, grade in rows])


def _write_qrels(file: Path, qrels: Mapping[str, Mapping[str, int]]) -> None:
    _write_table(file, HEADER, [(q, d, str(grade)) for q, d, grade in _grades(qrels)])


def _write_table(file: Path, header: tuple[str, ...], grades: list[tuple[str, ...]]) -> None:
    """Writes ids and a grade, separated by tabs; no file without grades."""
    if not grades:
        return
    file.parent.mkdir(exist_ok=True)
    rows = [header, *grades]
    for identity in (cell for row in rows for cell in row[:-1]):
        if identity != identity.strip() or any(c in identity for c in "\t\r\n"):
            wrong = Said("The id “{id}” contains a tab or a line break, or ends with whitespace.", id=identity)
            raise CorpusError(wrong, Said("Rename it."))
    table = "".join("\t".join(row) + "\n" for row in rows)
    file.write_text(table, encoding="utf-8", newline="\n")


def _note(metadata: Mapping[str, Value]) -> dict[str, Any]:
    return {"metadata": dict(metadata)} if metadata else {}


def _write_lines(file: Path, records: Iterator[dict[str, Any]]) -> None:
    with file.open("w", encoding="utf-8", newline="\n") as stream:
        for record in records:
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")
