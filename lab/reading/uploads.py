"""What reading an upload gives, within which limits, and how its complaints are collected.

A complaint is a `Problem`: file, place, what is wrong, what to do.  A file of which nothing can be read raises
`UploadError` instead; where several files are read together, that becomes a `Problem` too, so that a bad file
never loses the good ones.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType

from lab.core import Document, Value, at_least
from lab.errors import UploadError
from lab.reading.encodings import clean, decode
from lab.words import Said

MB = 1 << 20
SHOWN = 20
"""How many problems of one file are listed; the rest is counted."""


@dataclass(frozen=True)
class Limits:
    """How much an upload may hold.

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
    """Which columns of a table hold what.  ``id`` and ``title`` may be missing."""

    text: str
    title: str | None = None
    id: str | None = None
    metadata: tuple[str, ...] = ()


@dataclass(frozen=True)
class TablePreview:
    """A table of an upload: its column names, its first rows as text, its size, and what its columns seem to be.

    ``chosen`` is what was read: the choice given, or else the guess.
    """

    file: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    count: int
    guess: Columns
    chosen: Columns


@dataclass(frozen=True)
class Problem:
    """Something in an upload that could not be read, or not as it stands.  ``place`` may be empty."""

    file: str
    place: Said
    message: Said
    remedy: Said

    def __str__(self) -> str:
        where = f"{self.file}, {self.place}" if self.place else self.file
        return f"{where}: {self.message} {self.remedy}".strip()


@dataclass(frozen=True)
class ReadResult:
    """Documents with unique ids, and everything that there is to say about them; iterating gives the documents.

    ``queries`` are (id, text) pairs and ``qrels`` grades by query id and document id, where the upload is a test
    collection; ``encodings`` names the encoding of every text file.
    """

    documents: tuple[Document, ...] = ()
    problems: tuple[Problem, ...] = ()
    tables: tuple[TablePreview, ...] = ()
    encodings: Mapping[str, str] = field(default_factory=dict)
    queries: tuple[tuple[str, str], ...] = ()
    qrels: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "encodings", MappingProxyType(dict(self.encodings)))
        object.__setattr__(
            self, "qrels", MappingProxyType({q: MappingProxyType(dict(g)) for q, g in self.qrels.items()})
        )

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def table(self) -> TablePreview | None:
        """The first table, or None."""
        return self.tables[0] if self.tables else None

    @property
    def encoding(self) -> str:
        """The encodings of the text files, each once."""
        return ", ".join(dict.fromkeys(self.encodings.values()))


class Budget:
    """The bytes that archives may still unpack to; shared by an archive and the archives inside it."""

    def __init__(self, total: int) -> None:
        self.total = self.left = total

    def spend(self, size: int) -> bool:
        """Take ``size`` bytes; False where there are not so many."""
        self.left -= size
        return self.left >= 0


class Reading:
    """One file on its way to a `ReadResult`: what was found so far.  Readers write into it.

    ``file`` is the name that people see, ``name`` the stem of the document ids.
    """

    def __init__(
        self,
        file: str,
        limits: Limits,
        *,
        budget: Budget | None = None,
        encoding: str | None = None,
        name: str | None = None,
    ) -> None:
        self.file = file
        self.name = "_".join((name or file).split()) or "upload"
        self.limits = limits
        self.budget = budget or Budget(limits.max_total_expanded)
        self.wanted_encoding = encoding
        self.documents: list[Document] = []
        self.tables: list[TablePreview] = []
        self.encodings: dict[str, str] = {}
        self.queries: list[tuple[str, str]] = []
        self.qrels: dict[str, dict[str, int]] = {}
        self.problems: list[Problem] = []
        self.unlisted = 0
        self.removed = 0
        self.left_out = 0
        self.names = Names()
        self.deadline = time.monotonic() + limits.max_seconds

    # ---------------------------------------------------------------------------------------- complaints

    def problem(self, message: Said, remedy: Said, *, place: Said | None = None) -> None:
        """Note a problem; from the twenty-first on they are only counted."""
        if len(self.problems) < SHOWN:
            self.problems.append(Problem(self.file, place or Said(""), message, remedy))
        else:
            self.unlisted += 1

    def refuse(self, template: str, remedy: Said, **values: object) -> UploadError:
        """The error of a file that cannot be read at all; ``{file}`` in the template is its name."""
        return UploadError(Said(template, file=self.file, **values), remedy)

    def nothing(self, template: str, remedy: Said) -> UploadError:
        """`refuse` for a file in which nothing was good; says the first thing that was bad."""
        if not self.problems:
            return self.refuse(template, remedy)
        first = self.problems[0]
        reason = Said("{place}: {message}", place=first.place, message=first.message) if first.place else first.message
        count = len(self.problems) + self.unlisted
        if count == 1:
            return self.refuse("“{file}”: nothing in it can be read. {reason}", first.remedy, reason=reason)
        return self.refuse(
            "“{file}”: nothing in it can be read. The first of {n} problems: {reason}",
            first.remedy,
            n=count,
            reason=reason,
        )

    def hurry(self) -> None:
        """Raise `UploadError` where the time for this file is over."""
        if time.monotonic() > self.deadline:
            raise self.refuse(
                "“{file}” takes longer to read than {seconds} seconds.",
                Said("Upload it in smaller parts."),
                seconds=self.limits.max_seconds,
            )

    # ------------------------------------------------------------------------------------------- content

    def decode(self, data: bytes) -> str:
        """The text of these bytes, cleaned.  Raises `UploadError` where they are not text."""
        try:
            decoded = decode(data, encoding=self.wanted_encoding)
        except LookupError:
            raise self.refuse(
                "There is no encoding “{encoding}”.",
                Said("Choose UTF-8, GB18030, Big5 or UTF-16."),
                encoding=self.wanted_encoding,
            ) from None
        if decoded is None:
            raise self.refuse(
                "“{file}” is not text: it holds bytes that no text has, or is in no known encoding.",
                Said("Upload a text, a table, a PDF or a Word file; save texts as UTF-8."),
            )
        self.encodings[self.file] = decoded.encoding
        if decoded.bad:
            self.problem(
                Said(
                    "Characters that are not valid {encoding} are shown as � ({n} in all).",
                    n=decoded.bad,
                    encoding=decoded.encoding,
                ),
                Said("Save the file as UTF-8 where the text looks wrong."),
            )
        return self.clean(decoded.text)

    def clean(self, text: str) -> str:
        """The text without what no page should show; `done` reports how many characters those were."""
        text, removed = clean(text)
        self.removed += removed
        return text

    def add(
        self,
        text: str,
        *,
        id: str,
        title: str = "",
        metadata: Mapping[str, Value] | None = None,
        place: Said | None = None,
    ) -> bool:
        """Add a document, in parts where it is longer than the limit; False where its text is blank."""
        text = self.clean(text).strip("\n").rstrip()
        if not text.strip():
            return False
        title = " ".join(self.clean(title).split())
        parts = split(text, self.limits.max_chars)
        if len(parts) > 1:
            self.problem(
                Said(
                    "The text is {n} characters long; it was split into {parts} documents.",
                    n=len(text),
                    parts=len(parts),
                ),
                Said("Nothing is lost; split the text yourself where you want other borders."),
                place=place,
            )
        for i, part in enumerate(parts, 1):
            if len(self.documents) >= self.limits.max_documents:
                self.left_out += 1
            else:
                wanted = self.clean(id) if len(parts) == 1 else f"{self.clean(id)}/{i}"
                self.documents.append(Document(self.names.fresh(wanted), part, title, metadata or {}))
        return True

    def done(self) -> ReadResult:
        """The result.  Raises `UploadError` where there is neither a document nor a query nor a judgment."""
        if not (self.documents or self.queries or self.qrels):
            raise self.nothing("“{file}” holds no text.", Said("Upload a file with text in it."))
        if self.removed:
            self.problem(
                Said(
                    "Control characters and broken characters were taken out of the text ({n} in all).", n=self.removed
                ),
                Said("Usually nothing needs to be done; check the text where it matters."),
            )
        if self.left_out:
            self.problem(
                Said(
                    "Only the first {limit} documents were read; {n} were left out.",
                    limit=self.limits.max_documents,
                    n=self.left_out,
                ),
                Said("Upload a smaller part."),
            )
        return ReadResult(
            tuple(self.documents),
            summary(self.file, self.problems, self.unlisted),
            tuple(self.tables),
            self.encodings,
            tuple(self.queries),
            self.qrels,
        )


class Names:
    """Ids that are taken, and the next free number behind each of those that were wanted again."""

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self.next: dict[str, int] = {}

    def free(self, wanted: str) -> str:
        """``wanted``, or the first of ``wanted-2``, ``wanted-3``, ... that is not taken."""
        if wanted and wanted not in self.taken:
            return wanted
        n = self.next.get(wanted, 2)
        while f"{wanted}-{n}" in self.taken:
            n += 1
        self.next[wanted] = n
        return f"{wanted}-{n}"

    def fresh(self, wanted: str) -> str:
        """`free`, and it is taken now."""
        found = self.free(wanted)
        self.taken.add(found)
        return found


def summary(file: str, problems: list[Problem], unlisted: int = 0) -> tuple[Problem, ...]:
    """The first twenty problems of a file, and one line that counts the rest."""
    more = unlisted + max(0, len(problems) - SHOWN)
    if not more:
        return tuple(problems)
    last = Problem(
        file,
        Said(""),
        Said("And {n} more problems.", n=more),
        Said("Mend the first ones; the others are often of the same kind."),
    )
    return (*problems[:SHOWN], last)


_BORDERS = ("\n\n", "\n", "。", "！", "？", ". ", "; ", "；", "，", ", ", " ")


def split(text: str, size: int) -> list[str]:
    """The text in parts of at most ``size`` characters, cut after the best border in the second half of each part."""
    parts, at = [], 0
    while len(text) - at > size:
        end = at + size
        for border in _BORDERS:
            found = text.rfind(border, at + size // 2, at + size)
            if found >= 0:
                end = found + len(border)
                break
        parts.append(text[at:end])
        at = end
    parts.append(text[at:])
    return [p for p in parts if p.strip()]
