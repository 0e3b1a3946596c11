"""The result of reading an upload, its limits, and the collection of its problems.

A `Problem` has a file, a place, a message and a remedy.  A file without anything readable raises `UploadError` instead;
if several files are read together, that becomes a `Problem`, too, so that a bad file never loses the good ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType

from lab.algebra import Document, Query, Value, at_least
from lab.errors import UploadError
from lab.reading.account import Account
from lab.reading.encodings import clean, decode
from lab.reading.names import Names
from lab.text.borders import pieces
from lab.words import N_, Said, joined, ngettext

MB = 1 << 20
Metadata = Mapping[str, Value]
NOTHING: Metadata = MappingProxyType({})
TakeIn = Mapping[str, frozenset[str]]
"""What is read beside the visible text, by the name of the file; the name "" is every file.

``hidden``: hidden text, sheets, rows and columns; ``comments``; ``outputs`` of notebooks.
"""
NOTHING_MORE: TakeIn = MappingProxyType({})
SHOWN = 20
"""Maximum number of problems listed per file; the rest is counted."""
IN_PARTS, NO_TEXT = Said("Upload it in parts."), Said("Upload a file with text in it.")
SAVE_AGAIN = Said("Open it in the program that made it, save it again, and upload that.")


@dataclass(frozen=True)
class Limits:
    """The limits of an upload.

    ``max_bytes``: one file; ``max_total_expanded``: all that an archive (docx and xlsx are archives) unpacks to,
    bytes; ``max_ratio``: unpacked to packed size, for what unpacks to over a megabyte; ``max_files``: in an
    archive; ``max_rows``, ``max_columns``: of a table; ``max_pages``: of a PDF; ``max_documents``: of an upload;
    ``max_chars``: of a document (a longer one is split); ``max_seconds``: for one file.
    Raises `ParameterError` for a limit below 1.
    """

    max_bytes: int = 25 * MB
    max_total_expanded: int = 100 * MB
    max_ratio: float = 200.0
    max_files: int = 5000
    max_rows: int = 200_000
    max_columns: int = 1000
    max_pages: int = 2000
    max_documents: int = 200_000
    max_chars: int = 100_000
    max_seconds: float = 60.0

    def __post_init__(self) -> None:
        for f in fields(self):
            at_least(f.name, getattr(self, f.name), 1)


@dataclass(frozen=True)
class Columns:
    """The columns of a table by their use: ``more`` are joined to the text; ``id`` and ``title`` may be missing."""

    text: str
    title: str | None = None
    id: str | None = None
    metadata: tuple[str, ...] = ()
    more: tuple[str, ...] = ()


@dataclass(frozen=True)
class TablePreview:
    """A table of an upload: its column names, its first rows as text, its size, and what its columns seem to be."""

    file: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    count: int
    guess: Columns
    sheet: str = ""

    @property
    def name(self) -> str:
        """The file's name, with the sheet's name if there are several."""
        return f"{self.file}, {self.sheet}" if self.sheet else self.file


@dataclass(frozen=True)
class Problem:
    """Something in an upload that could not be read, or only with a change.  ``place`` may be empty."""

    file: str
    place: Said
    message: Said
    remedy: Said

    def __str__(self) -> str:
        where = ", ".join(filter(None, (self.file, self.place)))
        return f"{where}{': ' if where else ''}{self.message} {self.remedy}".strip()


@dataclass(frozen=True)
class FileSummary:
    """A file of an upload: its documents are ``documents[start:end]`` of the result, ``facts`` say what was read.

    ``account`` compares the file with its documents; None if it could not be counted.
    """

    file: str
    start: int
    end: int
    facts: tuple[Said, ...] = ()
    judgments: int = 0
    account: Account | None = None

    @property
    def text(self) -> Said:
        return joined(self.facts, ", ")


@dataclass(frozen=True)
class ReadResult:
    """Documents with unique ids, and the facts and problems of reading them; iterating gives the documents.

    A test collection has ``queries`` and ``qrels`` (grades by query id and document id), one with conversations has
    ``turns`` and ``turn_qrels`` (see `lab.reading.beir.turns`); ``subtopics`` are grades by query id, subtopic and
    document id; ``encodings`` has the encoding of every text file; ``files`` are the files with content, in order;
    ``by_text``: the file names its questions by their texts, so that those of other files with these texts are the
    same (`lab.reading.ratings`).
    """

    documents: tuple[Document, ...] = ()
    problems: tuple[Problem, ...] = ()
    tables: tuple[TablePreview, ...] = ()
    encodings: Mapping[str, str] = field(default_factory=dict)
    queries: tuple[Query, ...] = ()
    qrels: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    turns: tuple[Query, ...] = ()
    turn_qrels: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    subtopics: Mapping[str, Mapping[str, Mapping[str, int]]] = field(default_factory=dict)
    files: tuple[FileSummary, ...] = ()
    by_text: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "encodings", MappingProxyType(dict(self.encodings)))
        for name in ("qrels", "turn_qrels"):
            qrels = {q: MappingProxyType(dict(grades)) for q, grades in getattr(self, name).items()}
            object.__setattr__(self, name, MappingProxyType(qrels))
        object.__setattr__(self, "subtopics", MappingProxyType(dict(self.subtopics)))

    def __reduce__(self) -> tuple[object, ...]:
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        plain = {name: _plain(value) if isinstance(value, Mapping) else value for name, value in values.items()}
        return ReadResult, tuple(plain.values())

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def remarks(self) -> list[Problem]:
        """The parts of the files that are in no document, place by place; parts left out on purpose are summed up."""
        accounts = [(file.file, file.account) for file in self.files if file.account is not None]
        found = [
            Problem(file, Said(), sentence, remedy)
            for file, account in accounts
            for sentence, remedy in account.remarks
        ]
        more = len(found) - SHOWN
        if more > 0:
            found = [*found[:SHOWN], Problem("", Said(), Said("More places with missing text: {n}.", n=more), Said())]
        sums: dict[str, list[int]] = {}
        for _, account in accounts:
            for place in account.left_out:
                sums.setdefault(place.name, []).append(place.characters)
        left_out_on_purpose = N_("{name}, left out. Characters: {chars:,}, files: {n}.")
        for name, counts in sums.items():
            message = Said(left_out_on_purpose, name=Said(name), chars=sum(counts), n=len(counts))
            found.append(Problem("", Said(), message, Said()))
        return found

    @property
    def encoding(self) -> str:
        """The encodings of the text files, each once."""
        return ", ".join(dict.fromkeys(self.encodings.values()))


def _plain(value: object) -> object:
    """Returns mappings as dictionaries, which can be pickled."""
    return {key: _plain(inner) for key, inner in value.items()} if isinstance(value, Mapping) else value


class Reading:
    """The state of reading one file, which becomes a `ReadResult`.  Readers write into it.

    ``file`` is the name that people see, ``source`` the file's name in its archive (else the same), ``name`` the stem
    of the document ids.
    """

    def __init__(self, file: str, limits: Limits, *, encoding: str | None = None, name: str | None = None) -> None:
        self.file = file
        self.source = name or file
        self.name = "_".join((name or file).split()) or "upload"
        self.limits = limits
        self.wanted_encoding = encoding
        self.outer = self
        self.unpacked = 0
        self.deadline = time.monotonic() + limits.max_seconds
        self.pulse: Callable[[int], object] | None = None
        self.begin: Callable[[str], object] = lambda file: None
        self.chosen: Mapping[str, Columns] = {}
        self.take_in = NOTHING_MORE
        self.documents: list[Document] = []
        self.tables: list[TablePreview] = []
        self.encodings: dict[str, str] = {}
        self.queries: list[Query] = []
        self.qrels: dict[str, dict[str, int]] = {}
        self.turns: list[Query] = []
        self.turn_qrels: dict[str, dict[str, int]] = {}
        self.subtopics: dict[str, dict[str, dict[str, int]]] = {}
        self.problems: list[Problem] = []
        self.facts: list[Said] = []
        self.account: Account | None = None
        self.raw_pages: list[str] = []
        self.decoded: tuple[bytes, str] | None = None
        self.tidied: tuple[str, str] | None = None
        self.plain_archive = b""
        self.rows = self.judgments = 0
        self.is_judged = self.is_asked = self.by_text = False
        self.files: list[FileSummary] = []
        self.unlisted = self.removed = self.left_out = 0
        self.names = Names()

    def inside(self, name: str, root: str = "") -> Reading:
        """Returns the reading of a file in this archive, within its limits; ``root`` is the folder of all files."""
        inner_name = name.removeprefix(root)
        inner = Reading(f"{self.file}/{name}", self.limits, encoding=self.wanted_encoding, name=inner_name)
        inner.outer, inner.deadline = self.outer, self.deadline
        inner.pulse, inner.begin, inner.chosen, inner.take_in = self.pulse, self.begin, self.chosen, self.take_in
        return inner

    def takes_in(self, kind: str) -> bool:
        """Whether hidden text, comments or outputs of this file are wanted: see `TakeIn`."""
        return any(kind in self.take_in.get(name, ()) for name in (self.file, ""))

    def fact(self, sentence: Said) -> None:
        self.facts.append(sentence)

    # ---------------------------------------------------------------------------------------- complaints

    def problem(self, message: Said, remedy: Said, *, place: Said | None = None) -> None:
        """Notes a problem; after the first twenty, problems are only counted."""
        if len(self.problems) < SHOWN:
            self.problems.append(Problem(self.file, place or Said(), message, remedy))
        else:
            self.unlisted += 1

    def wrong_line(self, number: int, message: Said, remedy: Said) -> None:
        """Notes a problem in a line: see `problem`."""
        self.problem(message, remedy, place=Said("line {n}", n=number))

    def refuse(self, template: str, remedy: Said, **values: object) -> UploadError:
        """Returns the error for a file that cannot be read at all; ``{file}`` in the template is its name."""
        return UploadError(Said(template, file=self.file, **values), remedy)

    def nothing(self, template: str, remedy: Said) -> UploadError:
        """Returns the error for a file without anything readable, with its first problem: see `refuse`."""
        if not self.problems:
            return self.refuse(template, remedy)
        first, count = self.problems[0], len(self.problems) + self.unlisted
        reason = Said("{place}: {message}", place=first.place, message=first.message) if first.place else first.message
        if count == 1:
            return self.refuse("“{file}” contains nothing readable. {reason}", first.remedy, reason=reason)
        several = N_("“{file}” contains nothing readable. Problems: {n}, the first: {reason}")
        return self.refuse(several, first.remedy, n=count, reason=reason)

    def locked(self) -> UploadError:
        """Returns the error for a file with a password."""
        remedy = Said("Save it without a password and upload it again.")
        return self.refuse("“{file}” is protected by a password.", remedy)

    def check_size(self, data: bytes, *, inside: bool = False) -> None:
        """Raises `UploadError` if the file is empty or too large (``inside`` an archive, only its budget counts)."""
        if not inside and len(data) > self.limits.max_bytes:
            sizes = {"size": round(len(data) / MB, 1), "limit": round(self.limits.max_bytes / MB, 1)}
            raise self.refuse("“{file}” is {size} MB; at most {limit} MB are read.", IN_PARTS, **sizes)
        if not data.strip(b" \t\r\n\0\xef\xbb\xbf\xfe\xff"):
            raise self.refuse("“{file}” is empty.", NO_TEXT)

    def check_unpacked(self, more: int) -> None:
        """Raises `UploadError` if this archive, with archives inside it and ``more`` bytes, unpacks to too much."""
        limit = self.limits.max_total_expanded
        if self.outer.unpacked + more > limit:
            raise self.refuse("“{file}” unpacks to more than {limit} MB.", IN_PARTS, limit=round(limit / MB))

    def check_columns(self, count: int) -> None:
        """Raises `UploadError` if a table has more columns than the limit."""
        limit = self.limits.max_columns
        if count > limit:
            remedy = Said("Leave out columns that are not needed.")
            raise self.refuse("“{file}” has {n} columns; at most {limit} are read.", remedy, n=count, limit=limit)

    def hurry(self, step: int = 0) -> None:
        """Raises `UploadError` if the time for this file is over; checks the clock only at every 200th step.

        Then ``pulse`` is called with the step, too, and may raise to stop the work.
        """
        if step % 200 == 0 and self.pulse:
            self.pulse(step)
        if step % 200 == 0 and time.monotonic() > self.deadline:
            late = N_("“{file}” takes longer to read than {seconds} seconds.")
            raise self.refuse(late, Said("Upload it in smaller parts."), seconds=self.limits.max_seconds)

    # ------------------------------------------------------------------------------------------- content

    def decode(self, data: bytes, *, tidy: bool = True) -> str:
        """Decodes bytes to text, cleaned if ``tidy``.  Raises `UploadError` if they are not text."""
        try:
            decoded = decode(data, encoding=self.wanted_encoding)
        except LookupError:
            remedy = Said("Choose UTF-8, GB18030, Big5 or UTF-16.")
            raise self.refuse("There is no encoding “{encoding}”.", remedy, encoding=self.wanted_encoding) from None
        if decoded is None:
            unknown = N_("“{file}” is not text: it contains bytes that no text contains, or its encoding is unknown.")
            raise self.refuse(unknown, Said("Upload a text, a table, a PDF or a Word file; save texts as UTF-8."))
        self.encodings[self.file] = decoded.encoding
        self.decoded = data, decoded.text
        if decoded.bad:
            template = N_("Characters that are not valid {encoding} are shown as � (total: {n}).")
            remedy = Said("If the text looks wrong, save the file as UTF-8.")
            self.problem(Said(template, n=decoded.bad, encoding=decoded.encoding), remedy)
        if tidy:
            self.tidied = decoded.text, self.clean(decoded.text)
            return self.tidied[1]
        return decoded.text

    def text_again(self, data: bytes, *, tidy: bool = True) -> str:
        """Decodes and cleans bytes once more, without remarks, for those who count what a file says."""
        if self.decoded is None or self.decoded[0] is not data:
            try:
                decoded = decode(data, encoding=self.wanted_encoding)
            except LookupError:
                decoded = None
            self.decoded = data, decoded.text if decoded else ""
        if not tidy:
            return self.decoded[1]
        if self.tidied is None or self.tidied[0] is not self.decoded[1]:
            self.tidied = self.decoded[1], clean(self.decoded[1])[0]
        return self.tidied[1]

    def lines(self, text: str) -> Iterator[tuple[int, str]]:
        """Yields (number from 1, line) of the lines that are not blank."""
        for number, line in enumerate(text.split("\n"), 1):
            self.hurry(number)
            if line.strip():
                yield number, line

    def clean(self, text: str) -> str:
        """Removes characters that no page should show; `done` reports how many they were."""
        text, removed = clean(text)
        self.removed += removed
        return text

    def clean_string(self, text: str) -> str:
        """Cleans a string of a test collection, whose line breaks stay: see `clean`."""
        text, removed = clean(text, breaks=False)
        self.removed += removed
        return text

    def add(
        self, text: str, *, id: str, title: str = "", metadata: Metadata = NOTHING, place: Said | None = None
    ) -> None:
        """Adds a document, in parts if it is longer than the limit; adds nothing for a blank text."""
        text = self.clean(text).strip("\n").rstrip()
        id, title = self.clean(id), " ".join(self.clean(title).split())
        parts = [part for part in pieces(text, self.limits.max_chars) if part.strip()]
        if len(parts) > 1:
            long = N_("The text was split into documents: {parts}. Characters: {n}.")
            remedy = Said("Nothing is lost; split the text yourself if you want other boundaries.")
            self.problem(Said(long, n=len(text), parts=len(parts)), remedy, place=place)
        for i, part in enumerate(parts, 1):
            if len(self.documents) >= self.limits.max_documents:
                self.left_out += 1
            else:
                document_id = id if len(parts) == 1 else f"{id}/{i}"
                self.documents.append(Document(self.names.fresh(document_id), part, title, metadata))

    def done(self) -> ReadResult:
        """Returns the result.  Raises `UploadError` if there is neither a document nor a question nor a judgment."""
        judged = self.qrels or self.turn_qrels or self.subtopics
        if not (self.documents or self.queries or self.turns or judged):
            raise self.nothing(N_("“{file}” holds no text."), NO_TEXT)
        if self.removed:
            template = N_("Control characters and broken characters were removed from the text (total: {n}).")
            remedy = Said("Usually you need not do anything; check the text if details matter.")
            self.problem(Said(template, n=self.removed), remedy)
        if self.left_out:
            self.problem(left_out(self.limits, self.left_out), Said("Upload a smaller part."))
        if self.rows:
            self.fact(ngettext("{n:,} row", "{n:,} rows", self.rows))
        if not self.files:
            self.files.append(
                FileSummary(self.file, 0, len(self.documents), tuple(self.facts), self.judgments, self.account)
            )
        problems, more = self.problems[:SHOWN], self.unlisted + max(0, len(self.problems) - SHOWN)
        if more:
            remedy = Said("Fix the first errors; the others are often of the same kind.")
            problems.append(Problem(self.file, Said(), Said("More problems: {n}.", n=more), remedy))
        return self.result(problems)

    def result(self, problems: Iterable[Problem]) -> ReadResult:
        """Returns all content read so far, with these problems."""
        documents, tables, queries = tuple(self.documents), tuple(self.tables), tuple(self.queries)
        spoken = tuple(self.turns), self.turn_qrels, self.subtopics
        files = tuple(self.files)
        read = documents, tuple(problems), tables, self.encodings, queries, self.qrels, *spoken, files
        return ReadResult(*read, by_text=self.by_text)


def left_out(limits: Limits, count: int) -> Said:
    """Returns the message for more documents than may be read."""
    few = N_("Only the first {limit} documents were read; left out: {n}.")
    return Said(few, limit=limits.max_documents, n=count)
