"""Reading uploads: one call for every format, safe on hostile files, and a bad file never loses the good ones.

    result = read_files([("notes.md", data), ("faq.xlsx", more)])
    result.documents, result.problems

What a file *is* decides, not what it is called: a Word file named ``report.pdf`` is read as a Word file, and a
picture named ``notes.txt`` is refused as a picture.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from lab.algebra import Progress
from lab.errors import UploadError
from lab.reading import archive, beir, prose, tables
from lab.reading.encodings import clean, is_binary
from lab.reading.names import Names
from lab.reading.uploads import Columns, Limits, Problem, Reading, ReadResult, TablePreview, left_out
from lab.words import N_, Said

__all__ = ["Columns", "Limits", "Problem", "ReadResult", "TablePreview", "paste", "read_file", "read_files"]

EXTENSIONS = ("txt", "md", "html", "pdf", "docx", "xlsx", "csv", "tsv", "json", "jsonl", "zip")
"""What is promised; plain text under other names is read too."""

_KINDS = {
    "md": "md", "markdown": "md", "mdx": "md",
    "html": "html", "htm": "html", "xhtml": "html", "xml": "html",
    "pdf": "pdf", "docx": "docx", "xlsx": "xlsx", "xlsm": "xlsx",
    "csv": "csv", "tsv": "tsv", "tab": "tsv",
    "json": "json", "jsonl": "jsonl", "ndjson": "jsonl", "zip": "zip",
}  # fmt: skip
_TEXT_KINDS = ("txt", "md", "html", "csv", "tsv", "json", "jsonl")
_PICTURE, _ARCHIVE = N_("a picture ({format})"), N_("an archive ({format})")
_FOREIGN: tuple[tuple[str, dict[str, bytes]], ...] = (
    (_PICTURE, {"PNG": b"\x89PNG", "JPEG": b"\xff\xd8\xff", "GIF": b"GIF8", "BMP": b"BM"}),
    (_PICTURE, {"TIF": b"II*\0", "TIFF": b"MM\0*"}),
    (N_("a picture, sound or film"), {"RIFF": b"RIFF"}),
    (N_("a sound ({format})"), {"MP3": b"ID3", "OGG": b"OggS"}),
    (_ARCHIVE, {"gzip": b"\x1f\x8b", "bzip2": b"BZh", "xz": b"\xfd7zXZ\0", "7z": b"7z\xbc\xaf\x27\x1c"}),
    (_ARCHIVE, {"rar": b"Rar!", "zstd": b"\x28\xb5\x2f\xfd"}),
    (N_("a program"), {"ELF": b"\x7fELF", "EXE": b"MZ"}),
    (N_("a database ({format})"), {"SQLite": b"SQLite format 3\0"}),
    (N_("a Parquet file"), {"Parquet": b"PAR1"}),
)
LIMITS = Limits()
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_SUPPORTED = Said("Upload one of: {formats}.", formats=", ".join(EXTENSIONS))
_SAVE_AS = Said("Save it as docx, xlsx or PDF and upload that.")
_SAVE_AGAIN = Said("Open it in the program that made it, save it again, and upload that.")


def read_file(
    name: str, data: bytes, *, limits: Limits = LIMITS, columns: Columns | None = None, encoding: str | None = None
) -> ReadResult:
    """The documents of one file, with everything that was wrong in it.

    ``columns`` chooses the columns of a table (else they are guessed), ``encoding`` the encoding of a text (else
    it is found).  Raises `UploadError` where nothing of the file can be read.
    """
    reading = Reading(_display(name), limits, encoding=encoding)
    _read(reading, data, columns)
    return reading.done()


def _read(reading: Reading, data: bytes, columns: Columns | None, *, inside: bool = False) -> None:
    reading.check_size(data, inside=inside)
    kind = _kind(reading, data)
    if kind == "zip":
        if inside:
            remedy = Said("Unpack it and upload the files themselves.")
            raise reading.refuse("“{file}” is an archive inside an archive; it was not opened.", remedy)
        _read_zip(reading, data, columns)
        return
    try:
        _READERS[kind](reading, data, columns)
    except UploadError:
        raise
    except Exception as error:  # parsers of foreign formats trip in countless ways over broken files
        raise reading.refuse("“{file}” cannot be read as {kind}: it is damaged.", _SAVE_AGAIN, kind=kind) from error


_READERS: Mapping[str, Callable[[Reading, bytes, Columns | None], None]] = {
    "txt": lambda r, d, _: prose.read_txt(r, d),
    "md": lambda r, d, _: prose.read_md(r, d),
    "html": lambda r, d, _: prose.read_html(r, d),
    "pdf": lambda r, d, _: prose.read_pdf(r, d),
    "docx": lambda r, d, _: prose.read_docx(r, d),
    "xlsx": lambda r, d, c: tables.read_xlsx(r, archive.repacked(r, d, "xlsx"), c),
    "csv": tables.read_csv,
    "tsv": lambda r, d, c: (
        beir.add_qrels(r, d) if beir.is_qrels(r.file, d) else tables.read_csv(r, d, c, delimiter="\t")
    ),
    "json": tables.read_json,
    "jsonl": lambda r, d, c: (
        beir.add_queries(r, d)
        if r.file.rsplit("/", 1)[-1] == "queries.jsonl"
        else beir.add_turns(r, d)
        if beir.is_turns(r.file, d)
        else tables.read_jsonl(r, d, c)
    ),
}


def _kind(reading: Reading, data: bytes) -> str:
    """What the file is; a note where its name says something else.  Raises `UploadError` for foreign formats."""
    extension = reading.file.rsplit(".", 1)[-1].lower() if "." in reading.file else ""
    named = _KINDS.get(extension, "txt")
    kind = _by_content(reading, data)
    if kind is None and named in _TEXT_KINDS:
        return named
    if kind is None and named in ("docx", "xlsx") and data.startswith(_OLD_OFFICE):
        remedy = Said("Save it as {kind} without a password.", kind=named)
        raise reading.refuse("“{file}” is protected by a password, or in the format of before 2007.", remedy)
    if kind is None or (kind == "zip" and named in ("docx", "xlsx")):
        raise reading.refuse("“{file}” is no {kind} file, or it is damaged.", _SAVE_AGAIN, kind=named)
    if kind != named and (extension in _KINDS or extension == "txt"):
        other = N_("The file is called .{extension} but is {kind}; it was read as {kind}.")
        reading.problem(Said(other, extension=extension, kind=kind), Said("Give it the extension .{kind}.", kind=kind))
    return kind


def _by_content(reading: Reading, data: bytes) -> str | None:
    """pdf, docx, xlsx or zip by the first bytes; None for what may be text.  Raises `UploadError` for the rest."""
    if b"%PDF-" in data[:1024] and not data.startswith(b"PK"):
        return "pdf"
    if data.startswith((b"PK\3\4", b"PK\5\6")):
        names = archive.member_names(data)
        if "word/document.xml" in names:
            return "docx"
        if "xl/workbook.xml" in names:
            return "xlsx"
        if "ppt/presentation.xml" in names:
            remedy = Said("Save it as PDF and upload that.")
            raise reading.refuse("“{file}” is a presentation (PowerPoint), which is not read.", remedy)
        if "mimetype" in names and "content.xml" in names:
            raise reading.refuse("“{file}” is an OpenDocument file, which is not read.", _SAVE_AS)
        return "zip"
    if data.startswith(_OLD_OFFICE) and not reading.file.lower().endswith((".docx", ".xlsx")):
        old = N_("“{file}” is an office file of before 2007 (doc, xls, ppt), which is not read.")
        raise reading.refuse(old, _SAVE_AS)
    if data.startswith(b"{\\rtf"):
        remedy = Said("Save it as docx or txt and upload that.")
        raise reading.refuse("“{file}” is a rich text file (RTF), which is not read.", remedy)
    for what, marks in _FOREIGN:
        for name, mark in marks.items():
            # where the mark is letters a text can begin with them as well: then what follows must not look like text
            if data.startswith(mark) and (not mark.isalnum() or b"\0" in data[:1024] or is_binary(data)):
                raise reading.refuse("“{file}” is {what}, not a text.", _SUPPORTED, what=Said(what, format=name))
    if data[4:8] == b"ftyp":
        raise reading.refuse("“{file}” is {what}, not a text.", _SUPPORTED, what=Said("a film or a picture"))
    return None


def _read_zip(reading: Reading, data: bytes, columns: Columns | None) -> None:
    with archive.open_zip(reading, data) as opened:
        members = dict(archive.files(reading, opened))
        if not members:
            raise reading.nothing(N_("“{file}” is an archive with nothing to read in it."), _SUPPORTED)
        results, bad = [], list[Problem]()
        for name in beir.members(members) or members:
            inner = reading.inside(reading.clean(name))
            try:
                reading.hurry()
                _read(inner, archive.member_bytes(inner, opened, members[name]), columns, inside=True)
                results.append(inner.done())
            except UploadError as error:
                bad.append(Problem(inner.file, Said(), error.message, error.remedy))
    # Few words per archive: its own problems (names, passwords), then files that cannot be read, then places.
    reading.problems += [*bad, *_merge(reading, results)]


def read_files(
    files: Iterable[tuple[str, bytes]],
    *,
    limits: Limits = LIMITS,
    columns: Mapping[str, Columns] = MappingProxyType({}),
    encoding: str | None = None,
    progress: Progress | None = None,
) -> ReadResult:
    """All files together; a file that cannot be read becomes a `Problem`.

    ``columns`` are by `TablePreview.name`.  Ids that several files use are made different, in the judgments too.
    ``progress`` is told of bytes, and may raise to stop.
    """
    results, bad, files, begin = [], list[Problem](), list(files), 0
    for name, data in files:
        try:
            reading = Reading(_display(name), limits, encoding=encoding)
            reading.chosen = columns
            if progress:
                reading.pulse = _told(progress, data, begin, sum(len(one) for _, one in files))
            _read(reading, data, None)
            results.append(reading.done())
        except UploadError as error:
            bad.append(Problem(_display(name), Said(), error.message, error.remedy))
        begin += len(data)
    together = Reading("", limits)
    problems = [*bad, *_merge(together, results)]
    # of the judgments, those whose query or document was not read
    there = {d.id for d in together.documents}
    unknown = beir.unknown((q.id for q in together.queries), there, together.qrels)
    unknown += beir.unknown((t.id for t in together.turns), there, together.turn_qrels)
    if unknown:
        lost = N_(
            "{n} judgments name a query or a document that is not there; the first is “{document}” for “{query}”."
        )
        said = Said(lost, n=len(unknown), query=unknown[0][0], document=unknown[0][1])
        remedy = Said("Upload corpus, queries and judgments of the same collection together.")
        file = next((f for f in reversed(tuple(together.encodings)) if f.endswith(".tsv")), "")
        problems.append(Problem(file, Said(), said, remedy))
    return together.result(problems)


def _told(progress: Progress, data: bytes, begin: int, total: int) -> Callable[[int], None]:
    """What tells of a file that begins at so many bytes: by its line, where the reader knows one."""
    lines, far = data.count(b"\n") + 1, 0

    def tell(step: int) -> None:
        nonlocal far
        far = max(far, min(len(data), len(data) * step // lines))
        progress(begin + far, total)

    return tell


def _merge(into: Reading, results: list[ReadResult]) -> list[Problem]:
    """Add what the files hold; gives what there is to say of them, and of ids that several use."""
    problems, more = list[Problem](), 0
    query_names, turn_names, conversations = Names(), Names(), Names()
    for result in results:
        room = into.limits.max_documents - len(into.documents)
        more += max(0, len(result) - room)
        new = {d.id: into.names.fresh(d.id) for d in result.documents[:room]}
        into.documents += [d if new[d.id] == d.id else replace(d, id=new[d.id]) for d in result.documents[:room]]
        asked = {q.id: query_names.fresh(q.id) for q in result.queries}
        into.queries += [replace(q, id=asked[q.id]) for q in result.queries]
        spoken = {t.id: turn_names.fresh(t.id) for t in result.turns}
        of = {c: conversations.fresh(c) for c in dict.fromkeys(str(t.metadata["conversation"]) for t in result.turns)}
        for turn in result.turns:
            noted = {**turn.metadata, "conversation": of[str(turn.metadata["conversation"])]}
            into.turns.append(replace(turn, id=spoken[turn.id], metadata=noted))
        for qrels, told, ids in ((into.qrels, result.qrels, asked), (into.turn_qrels, result.turn_qrels, spoken)):
            for query, grades in told.items():
                own = qrels.setdefault(ids.get(query, query), {})
                own.update({new.get(document, document): grade for document, grade in grades.items()})
        into.tables += result.tables
        into.encodings |= result.encodings
        problems += result.problems
        renamed = [(old, now) for old, now in new.items() if old != now]
        if renamed:
            again = N_(
                "{n} ids are used by an earlier file too; these documents got new ones (“{old}” is now “{new}”)."
            )
            said = Said(again, n=len(renamed), old=renamed[0][0], new=renamed[0][1])
            remedy = Said("Give every document an id of its own where the ids matter.")
            problems.append(Problem(_file(result), Said(), said, remedy))
    if more:
        problems.append(Problem("", Said(), left_out(into.limits, more), Said("Upload a smaller part.")))
    return problems


def _file(result: ReadResult) -> str:
    sources = (str(d.metadata.get("source", "")) for d in result.documents[:1])
    return next(iter((*(t.file for t in result.tables), *result.encodings, *sources)), "")


def _display(name: str) -> str:
    """A file's name as it may be shown and made part of an id: forward slashes, no control characters, not endless."""
    parts = clean(name)[0].replace("\n", " ").replace("\\", "/").split("/")
    shown = "/".join(p for p in parts if p.strip() not in ("", ".", "..")) or "upload"
    return shown if len(shown) <= 200 else "…" + shown[-199:]


def paste(
    text: str, *, lines: bool = False, headings: bool = False, name: str = "pasted", limits: Limits = LIMITS
) -> ReadResult:
    """Pasted text as documents: a paragraph each (parted by blank lines), or with ``lines`` a line each.

    With ``headings`` it is a section each, with the path of its headings as the title.

    Raises `UploadError` where there is no text, or more than the limits allow.
    """
    if not text.strip():
        raise UploadError(Said("There is no text."), Said("Paste a text; blank lines part it into documents."))
    reading = Reading(name, limits)
    reading.check_size(text.encode("utf-8", "replace"))
    if headings:
        prose.add_sections(reading, prose.titled(reading.clean(text)))
        return reading.done()
    pieces = reading.clean(text).split("\n") if lines else re.split(r"\n[^\S\n]*\n\s*", reading.clean(text))
    for i, piece in enumerate((p for p in pieces if p.strip()), 1):
        reading.add(piece.strip(), id=f"{reading.name}/{i}")
    return reading.done()
