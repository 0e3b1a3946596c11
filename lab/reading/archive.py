"""Archives: zip files, and the office formats that are zip files underneath, without trust.

Nothing is ever written to disk.  Sizes that an archive declares are checked first, and the bytes that come out
are counted while they come out; names that lead elsewhere, links, passwords and archives inside archives are
reported and left alone.
"""

from __future__ import annotations

import io
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator

from lab.errors import UploadError
from lab.reading.encodings import decode
from lab.reading.tables import add_table, json_lines
from lab.reading.uploads import MB, Reading
from lab.words import Said

_BLOCK = 1 << 16
_JUNK = re.compile(r"(^|/)(__MACOSX/|\.[^./]|Thumbs\.db$|desktop\.ini$)", re.IGNORECASE)
_UNPACK = Said("Unpack it and upload the files themselves.")
# What zipfile and the decompressors raise on damaged or unsupported archives.
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError, RuntimeError)


def open_zip(reading: Reading, data: bytes) -> zipfile.ZipFile:
    """The archive in these bytes, if its declared sizes are within the limits.  Raises `UploadError`."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = archive.infolist()
    except _DAMAGED as error:
        raise reading.refuse(
            "“{file}” is a damaged archive: it cannot be opened.",
            Said("Make it again; perhaps it was cut off on its way."),
        ) from error
    limits = reading.limits
    if len(members) > limits.max_files:
        raise reading.refuse(
            "“{file}” holds {n} files; at most {limit} are read.",
            Said("Upload it in parts."),
            n=len(members),
            limit=limits.max_files,
        )
    declared, packed = sum(m.file_size for m in members), max(1, sum(m.compress_size for m in members))
    if declared > reading.budget.left:
        raise _too_much(reading)
    if declared > MB and (declared > limits.max_ratio * min(packed, len(data))):
        raise reading.refuse(
            "“{file}” unpacks to {ratio} times its size, as only a decompression bomb does; it was not opened.",
            _UNPACK,
            ratio=round(declared / min(packed, len(data))),
        )
    return archive


def _too_much(reading: Reading) -> UploadError:
    return reading.refuse(
        "“{file}” unpacks to more than {limit} MB.", Said("Upload it in parts."), limit=round(reading.budget.total / MB)
    )


def member_bytes(reading: Reading, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """What a member holds, counted while it is read.  Raises `UploadError` where the limits or the checksum are hurt."""
    if member.flag_bits & 0x1:
        raise reading.refuse(
            "“{file}” is protected by a password.", Said("Save it without a password and upload it again.")
        )
    out = bytearray()
    try:
        with archive.open(member) as stream:
            while block := stream.read(_BLOCK):
                if not reading.budget.spend(len(block)):
                    raise _too_much(reading)
                out += block
                if len(out) > MB and len(out) > reading.limits.max_ratio * max(1, member.compress_size):
                    raise reading.refuse(
                        "“{file}” unpacks to over {ratio} times its size, as only a decompression bomb does.",
                        _UNPACK,
                        ratio=round(reading.limits.max_ratio),
                    )
                reading.hurry()
    except _DAMAGED as error:
        raise reading.refuse(
            "“{file}” is damaged: what was packed cannot be restored.", Said("Make the archive again.")
        ) from error
    return bytes(out)


def repacked(reading: Reading, data: bytes, kind: str) -> bytes:
    """An office file (a zip of XML) as a plain zip of exactly the bytes that were counted.

    The libraries that read these formats unpack members in one go and trust their sizes; they get this copy
    instead, in which nothing can expand.  Documents with a DTD are refused: office files have none, and
    entities are how an XML text explodes.
    """
    archive = open_zip(reading, data)
    copy = io.BytesIO()
    with archive, zipfile.ZipFile(copy, "w", zipfile.ZIP_STORED) as plain:
        for member in archive.infolist():
            if member.is_dir() or member.filename in plain.NameToInfo:
                continue
            content = member_bytes(reading, archive, member)
            if (
                member.filename.lower().endswith((".xml", ".rels"))
                and b"<!DOCTYPE" in content[:_BLOCK].replace(b"\0", b"").upper()
            ):
                raise reading.refuse(
                    "“{file}” holds XML entities, which no {kind} file has; it was not opened.",
                    Said("Save it again from an office program."),
                    kind=kind,
                )
            plain.writestr(zipfile.ZipInfo(member.filename), content)
    return copy.getvalue()


def member_names(data: bytes) -> frozenset[str]:
    """The names in an archive; none where it cannot be opened."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return frozenset(archive.namelist())
    except _DAMAGED:
        return frozenset()


def files(reading: Reading, archive: zipfile.ZipFile) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    """(name, member) of the files that may be read; the others are reported, the junk of desktops is not."""
    for member in archive.infolist():
        name = _name(member)
        if member.is_dir() or _JUNK.search(name):
            continue
        if name.startswith("/") or re.match(r"[A-Za-z]:", name) or ".." in name.split("/"):
            _left(
                reading,
                name,
                Said("The name leads out of the archive; the file was left out."),
                Said("Pack the folder again from inside."),
            )
        elif stat.S_ISLNK(member.external_attr >> 16):
            _left(
                reading,
                name,
                Said("This is a link, not a file; it was left out."),
                Said("Pack the file that it points to."),
            )
        elif member.flag_bits & 0x1:
            _left(reading, name, Said("The file is protected by a password."), Said("Pack it without a password."))
        else:
            yield name, member


def _left(reading: Reading, name: str, message: Said, remedy: Said) -> None:
    reading.problem(message, remedy, place=Said("{member}", member=reading.clean(name)[:200]))


def _name(member: zipfile.ZipInfo) -> str:
    """The member's name with ``/``; names that are not marked as UTF-8 are often in a Chinese encoding."""
    name = member.filename
    if not member.flag_bits & 0x800:
        try:
            decoded = decode(name.encode("cp437"))
            name = decoded.text if decoded and not decoded.bad else name
        except UnicodeEncodeError:
            pass
    return name.replace("\\", "/").removeprefix("./")


# ---------------------------------------------------------------------------------------------------- BEIR


def beir_folder(names: Iterator[str] | list[str]) -> str | None:
    """The folder (with its slash, or "") that holds a ``corpus.jsonl``: the one nearest to the top; None: there is none."""
    homes = [n.removesuffix("corpus.jsonl") for n in names if n == "corpus.jsonl" or n.endswith("/corpus.jsonl")]
    return min(homes, key=lambda h: (h.count("/"), h)) if homes else None


def read_beir(reading: Reading, archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo], home: str) -> None:
    """Documents, queries and judgments of a BEIR folder; of several ``qrels`` files the test split, else the first.

    An upload keeps its good lines and reports the others; `lab.corpus.beir` reads the same layout from disk, and
    stops at the first bad line.
    """

    def part(name: str) -> Reading:
        inner = Reading(
            f"{reading.file}/{name}", reading.limits, budget=reading.budget, encoding=reading.wanted_encoding, name=name
        )
        inner.deadline, inner.problems, inner.encodings = reading.deadline, reading.problems, reading.encodings
        return inner

    corpus = part(f"{home}corpus.jsonl")
    add_table(
        corpus, json_lines(corpus, corpus.decode(member_bytes(corpus, archive, members[f"{home}corpus.jsonl"]))), None
    )
    reading.documents, reading.tables, reading.names = corpus.documents, corpus.tables, corpus.names
    splits = sorted(
        (n for n in members if n.startswith(f"{home}qrels/") and n.endswith(".tsv")),
        key=lambda n: (not n.endswith("/test.tsv"), n),
    )
    inner = [corpus]
    for name, read in ((f"{home}queries.jsonl", add_queries), *((s, add_qrels) for s in splits[:1])):
        if name in members:
            found = part(name)
            inner.append(found)
            try:
                read(found, member_bytes(found, archive, members[name]))
            except UploadError as error:  # the documents are good without them
                found.problem(error.message, error.remedy)
            reading.queries += found.queries
            reading.qrels.update(found.qrels)
    reading.unlisted += sum(r.unlisted for r in inner)
    reading.removed += sum(r.removed for r in inner)
    reading.left_out += sum(r.left_out for r in inner)


def add_queries(reading: Reading, data: bytes) -> None:
    """Queries from ``queries.jsonl``: one object with ``_id`` and ``text`` a line."""
    table, seen = json_lines(reading, reading.decode(data)), set[str]()
    for number, row in table.rows:
        key, text = row.get("_id", row.get("id")), row.get("text")
        if not isinstance(key, str | int) or isinstance(key, bool) or not isinstance(text, str) or not text.strip():
            reading.problem(
                Said("A query needs an “_id” and a “text”."), Said("Write: _id, text."), place=table.place(number)
            )
        elif str(key) in seen:
            reading.problem(
                Said("The query id “{id}” occurs again; the line was left out.", id=str(key)),
                Said("Give every query an id of its own."),
                place=table.place(number),
            )
        else:
            seen.add(str(key))
            reading.queries.append((str(key), " ".join(reading.clean(text).split())))


def add_qrels(reading: Reading, data: bytes) -> None:
    """Judgments from ``qrels/*.tsv``: query id, document id, grade; a header; also TREC's four columns."""
    for number, line in enumerate(reading.decode(data).split("\n"), 1):
        if not line.strip():
            continue
        if number % 1000 == 0:
            reading.hurry()
        cells = [c.strip() for c in (line.split("\t") if "\t" in line else line.split())]
        if len(cells) == 4:
            del cells[1]
        if len(cells) == 3 and re.fullmatch(r"[+-]?\d{1,6}", cells[2]) and cells[0] and cells[1]:
            reading.qrels.setdefault(cells[0], {})[cells[1]] = int(cells[2])
        elif number > 1 or len(cells) != 3:  # the first line is the header
            reading.problem(
                Said("A judgment needs a query id, a document id and a whole number."),
                Said("Separate the three by tabs."),
                place=Said("line {n}", n=number),
            )


def is_qrels(text: bytes) -> bool:
    """True where the first line is the header of a judgments file."""
    return text[:60].lstrip(b"\xef\xbb\xbf").lower().split(b"\n")[0].split() == [b"query-id", b"corpus-id", b"score"]
