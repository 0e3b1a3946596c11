"""Reading documents: one reader for each format, the same for a file, a folder, a zip and a test collection.

    result = read_files([("notes.md", data), ("faq.xlsx", more)])
    result.documents, result.problems, result.files

It is safe on hostile files, and a bad file never loses the good ones.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from lab.algebra import Progress
from lab.errors import UploadError
from lab.reading import archive, beir, clipboard, delimited, questions, records
from lab.reading.account import REPLACED, account_of
from lab.reading.encodings import clean
from lab.reading.format import Format, Reader
from lab.reading.formats import extensions, supported
from lab.reading.judgments import is_judgments
from lab.reading.kinds import format_of
from lab.reading.names import Names
from lab.reading.ratings import settled
from lab.reading.sections import add_sections, titled
from lab.reading.uploads import (
    NOTHING_MORE,
    SAVE_AGAIN,
    Columns,
    FileSummary,
    Limits,
    Problem,
    Reading,
    ReadResult,
    TablePreview,
    TakeIn,
    left_out,
)
from lab.words import N_, Said

__all__ = [
    "LIMITS",
    "Columns",
    "FileSummary",
    "Limits",
    "Problem",
    "ReadResult",
    "TablePreview",
    "extensions",
    "paste",
    "read_file",
    "read_files",
    "read_folder",
]

LIMITS = Limits()
LOG = logging.getLogger("retrieval_lab")
File = tuple[str, Callable[[], bytes]]
"""A name, and a function that returns the bytes."""


def read_file(
    name: str,
    data: bytes,
    *,
    limits: Limits = LIMITS,
    columns: Columns | None = None,
    encoding: str | None = None,
    take_in: TakeIn = NOTHING_MORE,
) -> ReadResult:
    """Returns the documents of one file, with everything that was wrong in it.

    ``columns`` chooses the columns of a table (else they are guessed), ``encoding`` the encoding of a text (else it is
    found).  ``take_in`` names what is left out else.  Raises `UploadError` if nothing of the file can be read.
    """
    reading = Reading(display_name(name), limits, encoding=encoding)
    reading.take_in = take_in
    _read(reading, data, columns)
    return reading.done()


def _read(reading: Reading, data: bytes, columns: Columns | None, *, inside: bool = False) -> None:
    reading.check_size(data, inside=inside)
    format = format_of(reading, data)
    if format is None:
        if inside:
            remedy = Said("Unpack it and upload the files themselves.")
            raise reading.refuse("“{file}” is an archive inside an archive; it was not opened.", remedy)
        _read_zip(reading, data, columns)
        return
    try:
        _reader(reading, data, format)(reading, data, columns)
        _count(reading, data, format)
    except UploadError:
        raise
    except ImportError as error:
        missing, package = N_("“{file}” cannot be read here: the package “{package}” is missing."), error.name or ""
        remedy = Said("Install it where the lab runs (pip install {package}).", package=package)
        raise reading.refuse(missing, remedy, package=package) from error
    except Exception as error:  # parsers of foreign formats trip in countless ways over broken files
        LOG.warning("%s cannot be read as %s", reading.file, format.name, exc_info=error)
        damaged = N_("“{file}” cannot be read as {kind}: it is damaged.")
        raise reading.refuse(damaged, SAVE_AGAIN, kind=format.name) from error


def _count(reading: Reading, data: bytes, format: Format) -> None:
    """Adds the account of a file that was read; one that cannot be counted is read nevertheless, and says so."""
    if format.statements is None:
        return
    try:
        account = account_of(reading, format.statements(reading, data))
        if not account.said and any(document.content.strip() for document in reading.documents):
            raise ValueError("nothing was counted of a file that has texts")
        reading.account = account
    except Exception:
        LOG.warning("%s cannot be counted as %s", reading.file, format.name, exc_info=True)
        reading.fact(Said("not counted: parts that are missing are not named"))


def _reader(reading: Reading, data: bytes, format: Format) -> Reader:
    """Returns the reader for a file of this format, or for a file of a test collection."""
    name, kind = reading.source.rsplit("/", 1)[-1], format.name
    if format.is_text and (reading.is_asked or questions.is_topics(data)):
        return lambda r, d, _: beir.add_asked(r, d)
    if kind == "jsonl" and name == beir.QUERIES:
        return lambda r, d, _: beir.add_queries(r, d)
    if kind == "jsonl" and name == beir.CONVERSATIONS and beir.is_turns(data):
        return lambda r, d, _: beir.add_turns(r, d)
    if kind == "jsonl" and beir.is_corpus(name, data):
        return lambda r, d, _: beir.add_corpus(r, d)
    if kind in ("csv", "json", "jsonl") and beir.is_query_set(data):
        return lambda r, d, _: beir.add_rated(r, records.json_text(r, d))
    if kind in ("txt", "csv", "tsv", "json", "jsonl") and (reading.is_judged or is_judgments(reading.source, data)):
        return lambda r, d, _: beir.add_judgments(r, d)
    return format.read


# ------------------------------------------------------------------------------------------ several files


def read_files(
    files: Iterable[tuple[str, bytes]],
    *,
    limits: Limits = LIMITS,
    columns: Mapping[str, Columns] = MappingProxyType({}),
    encoding: str | None = None,
    take_in: TakeIn = NOTHING_MORE,
    progress: Progress | None = None,
    begin: Callable[[str], object] = lambda file: None,
) -> ReadResult:
    """Returns all files together; a file that cannot be read becomes a `Problem`.

    ``columns`` are by `TablePreview.name`, ``take_in`` by the names of files.  Ids that several files use are made
    different, in the judgments too.
    ``progress`` is called with bytes, and may raise to stop.  ``begin`` is called with the name of each file, also of
    those in archives, before it is read; an `UploadError` from it leaves the file out.
    """
    contents = [(display_name(name), data) for name, data in files]
    data_of, before, total = dict(contents), 0, sum(len(data) for _, data in contents)
    layout = beir.layout(data_of, lambda name: data_of[name])
    results, bad = list[ReadResult](), list[Problem]()
    for name, data in contents:
        reading = Reading(name, limits, encoding=encoding)
        reading.chosen, reading.begin, reading.take_in = columns, begin, take_in
        if progress:
            reading.pulse = _pulse(progress, data, before, total)
        _assign(reading, layout, name)
        if layout and name in layout.unused:
            results.append(_unused(reading, layout))
        else:
            _attempt(reading, partial(bytes, data), results, bad)
        before += len(data)
    return _together(Reading("", limits), results, bad)


def read_folder(folder: Path, *, limits: Limits = LIMITS) -> ReadResult:
    """Returns all files of a folder and of the folders in it, as those of a zip of it.

    Hidden files and links are left out.
    """
    files = {
        p.relative_to(folder).as_posix(): p for p in sorted(folder.rglob("*")) if p.is_file() and not p.is_symlink()
    }
    files = {name: path for name, path in files.items() if not archive.is_junk(name)}
    layout = beir.layout(files, lambda name: beir.beginning(files[name]))
    results, bad = list[ReadResult](), list[Problem]()
    names = layout.files if layout else list(files)
    for name in names[: limits.max_files]:
        reading = Reading(display_name(name), limits)
        _assign(reading, layout, name)
        _attempt(reading, files[name].read_bytes, results, bad)
    if len(names) > limits.max_files:
        many = Said(
            "The folder contains {n} files; only the first {limit} were read.", n=len(names), limit=limits.max_files
        )
        bad.append(Problem(folder.name, Said(), many, Said("Name a smaller folder.")))
    if layout:
        results += [_unused(Reading(name, limits), layout) for name in layout.unused]
    return _together(Reading("", limits), results, bad)


def _attempt(
    reading: Reading,
    content: Callable[[], bytes],
    results: list[ReadResult],
    bad: list[Problem],
    columns: Columns | None = None,
    *,
    inside: bool = False,
) -> None:
    """Reads a file; whatever is wrong with it becomes a problem, so that the other files are read."""
    try:
        reading.hurry()
        reading.begin(reading.file)
        _read(reading, content(), columns, inside=inside)
        results.append(reading.done())
    except UploadError as error:
        bad.append(Problem(reading.file, Said(), error.message, error.remedy))
    except Exception:
        LOG.exception("%s cannot be read", reading.file)
        message = Said("“{file}” cannot be read: the lab made an error. The other files were read.", file=reading.file)
        bad.append(Problem(reading.file, Said(), message, Said("Save it in another format, or as plain text.")))


def _assign(reading: Reading, layout: beir.Layout | None, name: str) -> None:
    """Tells the reading of a file whether the test collection has it as judgments or as questions."""
    reading.is_judged = layout is not None and name == layout.judgments
    reading.is_asked = layout is not None and name in layout.asked


def _unused(reading: Reading, layout: beir.Layout) -> ReadResult:
    """Returns the result of a file with judgments or questions that are not used, because another one counts."""
    if reading.source in layout.more_judgments or reading.file in layout.more_judgments:
        fact = Said("not used: the judgments of “{file}” count", file=layout.judgments)
    else:
        fact = Said("not used: the questions of “{file}” count", file=layout.queries or layout.asked[0])
    return ReadResult(files=(FileSummary(reading.file, 0, 0, (fact,)),))


def _together(into: Reading, results: Sequence[ReadResult], bad: list[Problem]) -> ReadResult:
    """Joins all results, with a problem for judgments whose query or document was not read."""
    problems = [*bad, *_merge(into, results)]
    document_ids = {d.id for d in into.documents}
    unknown = beir.unknown((q.id for q in into.queries), document_ids, into.qrels)
    unknown += beir.unknown((t.id for t in into.turns), document_ids, into.turn_qrels)
    if unknown:
        template = N_("Judgments of a missing query or document: {n}, the first: “{document}” for “{query}”.")
        message = Said(template, n=len(unknown), query=unknown[0][0], document=unknown[0][1])
        remedy = Said("Upload corpus, queries and judgments of the same collection together.")
        file = next((f.file for f in reversed(into.files) if f.judgments), "")
        problems.append(Problem(file, Said(), message, remedy))
    return into.result(problems)


def _pulse(progress: Progress, data: bytes, begin: int, total: int) -> Callable[[int], None]:
    """Returns a function that reports the bytes read of all files, from the line in the file that begins at a byte."""
    lines, far = data.count(b"\n") + 1, 0

    def report(step: int) -> None:
        nonlocal far
        far = max(far, min(len(data), len(data) * step // lines))
        progress(begin + far, total)

    return report


def _read_zip(reading: Reading, data: bytes, columns: Columns | None) -> None:
    with archive.open_zip(reading, data) as opened:
        members, replaced = archive.files(reading, opened)
        if not members:
            raise reading.nothing(N_("“{file}” is an archive with nothing to read in it."), supported())
        layout = beir.layout(members, lambda name: archive.beginning(opened, members[name], beir.BEGINNING))
        results, bad, root = list[ReadResult](), list[Problem](), _root(members)
        for name in layout.files if layout else members:
            inner = reading.inside(reading.clean(name), root)
            _assign(inner, layout, name)
            content = partial(archive.member_bytes, inner, opened, members[name])
            _attempt(inner, content, results, bad, columns, inside=True)
        if layout:
            results += [_unused(reading.inside(name), layout) for name in layout.unused]
        for name, member in replaced:
            inner, before = reading.inside(reading.clean(name), root), list[ReadResult]()
            _attempt(inner, partial(archive.member_bytes, inner, opened, member), before, [], columns, inside=True)
            results += [_left_out(file) for result in before for file in result.files]
    # Few words per archive: its own problems (names, passwords), then files that cannot be read, then places.
    reading.problems += [*bad, *_merge(reading, results)]


def _left_out(file: FileSummary) -> ReadResult:
    """Returns the result of a file that a later one of the same name replaces: all that it says is left out."""
    account = file.account and file.account.without(REPLACED)
    return ReadResult(files=(FileSummary(file.file, 0, 0, (REPLACED,), account=account),))


def _root(names: Iterable[str]) -> str:
    """Returns the folder that contains all files of an archive, with its slash; empty if there is none."""
    first = {name.partition("/")[0] + "/" if "/" in name else "" for name in names}
    return first.pop() if len(first) == 1 else ""


def _merge(into: Reading, results: Sequence[ReadResult]) -> list[Problem]:
    """Adds the content of the files; returns the remarks on them, and on ids that several use."""
    problems, more = list[Problem](), 0
    query_names, turn_names, conversations = Names(), Names(), Names()
    for result in sorted(results, key=lambda r: r.by_text):  # last, when the questions of the others are known
        begin, room = len(into.documents), into.limits.max_documents - len(into.documents)
        more += max(0, len(result) - room)
        new = {d.id: into.names.fresh(d.id) for d in result.documents[:room]}
        into.documents += [d if new[d.id] == d.id else replace(d, id=new[d.id]) for d in result.documents[:room]]
        ends = ((f, min(f.start, room), min(f.end, room)) for f in result.files)
        into.files += [replace(f, start=begin + start, end=begin + end) for f, start, end in ends]
        qrels_read = result.qrels
        if result.by_text:
            into.queries, qrels_read = settled(into.queries, result.queries, result.qrels)
            query_ids = dict[str, str]()
        else:
            query_ids = {q.id: query_names.fresh(q.id) for q in result.queries}
            into.queries += [replace(q, id=query_ids[q.id]) for q in result.queries]
        spoken = {t.id: turn_names.fresh(t.id) for t in result.turns}
        of = {c: conversations.fresh(c) for c in dict.fromkeys(str(t.metadata["conversation"]) for t in result.turns)}
        for turn in result.turns:
            noted = {**turn.metadata, "conversation": of[str(turn.metadata["conversation"])]}
            into.turns.append(replace(turn, id=spoken[turn.id], metadata=noted))
        for qrels, new_qrels, ids in (
            (into.qrels, qrels_read, query_ids),
            (into.turn_qrels, result.turn_qrels, spoken),
        ):
            for query, grades in new_qrels.items():
                grades_of_query = qrels.setdefault(ids.get(query, query), {})
                grades_of_query.update({new.get(document, document): grade for document, grade in grades.items()})
        for query, subtopics in result.subtopics.items():
            own = into.subtopics.setdefault(query_ids.get(query, query), {})
            for subtopic, grades in subtopics.items():
                own.setdefault(subtopic, {}).update({new.get(doc, doc): grade for doc, grade in grades.items()})
        into.tables += result.tables
        into.encodings |= result.encodings
        problems += result.problems
        renamed = [(old, now) for old, now in new.items() if old != now]
        if renamed:
            again = N_(
                "Ids already used by an earlier file: {n}. These documents have new ids (“{old}” is now “{new}”)."
            )
            message = Said(again, n=len(renamed), old=renamed[0][0], new=renamed[0][1])
            remedy = Said("If ids matter, give every document a different one.")
            problems.append(Problem(result.files[0].file if result.files else "", Said(), message, remedy))
    if more:
        problems.append(Problem("", Said(), left_out(into.limits, more), Said("Upload a smaller part.")))
    return problems


def display_name(name: str) -> str:
    """Returns a file's name for display and ids: forward slashes, no control characters, limited length."""
    parts = clean(name)[0].replace("\n", " ").replace("\\", "/").split("/")
    displayed = "/".join(p for p in parts if p.strip() not in ("", ".", "..")) or "upload"
    return displayed if len(displayed) <= 200 else "…" + displayed[-199:]


def paste(
    text: str,
    *,
    lines: bool = False,
    headings: bool = False,
    kind: str = "",
    columns: Mapping[str, Columns] = MappingProxyType({}),
    name: str = "pasted",
    limits: Limits = LIMITS,
) -> ReadResult:
    """Reads pasted text as a ``kind`` of `lab.reading.clipboard`, found if it is empty.

    Paragraphs (between blank lines) or ``lines`` are documents, or, with ``headings``, sections, with the path of their
    headings as the title; so are the items of Python lists, records of JSON and rows of tables, with their metadata.
    Raises `UploadError` if there is no text, or more than the limits allow.
    """
    if not text.strip():
        raise UploadError(Said("There is no text."), Said("Paste a text; blank lines separate documents."))
    reading = Reading(name, limits)
    reading.chosen = columns
    reading.check_size(text.encode("utf-8", "replace"))
    kind = kind or (clipboard.LINES if lines else clipboard.HEADINGS if headings else "")
    pasted = clipboard.recognise(text) if kind in ("", clipboard.PYTHON) else clipboard.Pasted(kind)
    if pasted.left_out:
        reading.fact(Said("without {names}", names=[f"“{left}”" for left in pasted.left_out]))
    if pasted.unknown:
        unknown = Said("Values that only running the code would give were left out: {n}.", n=pasted.unknown)
        reading.problem(unknown, Said("Paste the values themselves."))
    if pasted.kind in _PASTED:
        try:
            _PASTED[pasted.kind](reading, text, pasted)
            return reading.done()
        except UploadError:
            if kind:
                raise
        return paste(text, kind=clipboard.PARAGRAPHS, name=name, limits=limits)
    text = reading.clean(text)
    pieces = text.split("\n") if pasted.kind == clipboard.LINES else re.split(r"\n[^\S\n]*\n\s*", text)
    for i, piece in enumerate((p for p in pieces if p.strip()), 1):
        reading.add(piece.strip(), id=f"{reading.name}/{i}")
    return reading.done()


_PASTED: Mapping[str, Callable[[Reading, str, clipboard.Pasted], None]] = {
    clipboard.HEADINGS: lambda r, text, _: add_sections(r, titled(r.clean(text))),
    clipboard.JSON: lambda r, text, _: records.read_json(r, text.encode("utf-8", "replace"), None),
    clipboard.PYTHON: lambda r, _, pasted: records.read_json(r, pasted.as_json, None),
    clipboard.TABLE: lambda r, text, _: delimited.read_csv(
        r, text.encode("utf-8", "replace"), None, delimiter=clipboard.delimiter(text) or "\t"
    ),
}
