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
from collections.abc import Callable
from contextlib import suppress

from lab.reading.encodings import decode
from lab.reading.format import Sample
from lab.reading.uploads import IN_PARTS, MB, Reading
from lab.words import N_, Said

_BLOCK = 1 << 16
_JUNK = re.compile(r"(^|/)(__MACOSX/|\.[^./]|Thumbs\.db$|desktop\.ini$)", re.IGNORECASE)
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
"""Namespaces of the strict form of office files, which differ from the usual ones by their addresses only."""
_UNPACK = Said("Unpack it and upload the files themselves.")
# What zipfile and the decompressors raise on damaged or unsupported archives.
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError, RuntimeError)


def open_zip(reading: Reading, data: bytes) -> zipfile.ZipFile:
    """Opens the archive in these bytes if its declared sizes are within the limits.  Raises `UploadError`."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = archive.infolist()
    except _DAMAGED as error:
        remedy = Said("Create it again; perhaps the transfer was interrupted.")
        raise reading.refuse("“{file}” is a damaged archive: it cannot be opened.", remedy) from error
    limits = reading.limits
    if len(members) > limits.max_files:
        many = N_("“{file}” contains {n} files; at most {limit} are read.")
        raise reading.refuse(many, IN_PARTS, n=len(members), limit=limits.max_files)
    declared = sum(m.file_size for m in members)
    packed = min(max(1, sum(m.compress_size for m in members)), len(data))
    reading.check_unpacked(declared)
    if declared > max(MB, limits.max_ratio * packed):
        bomb = N_("“{file}” unpacks to {ratio} times its size, as only a decompression bomb does; it was not opened.")
        raise reading.refuse(bomb, _UNPACK, ratio=round(declared / packed))
    return archive


def member_bytes(reading: Reading, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Returns the bytes of a member, counted while read.  Raises `UploadError` past a limit or for a wrong checksum."""
    if member.flag_bits & 0x1:
        raise reading.locked()
    content, ratio = bytearray(), reading.limits.max_ratio
    try:
        with archive.open(member) as stream:
            while block := stream.read(_BLOCK):
                reading.check_unpacked(len(block))
                reading.outer.unpacked += len(block)
                content += block
                if len(content) > max(MB, ratio * max(1, member.compress_size)):
                    bomb = N_("“{file}” unpacks to over {ratio} times its size, as only a decompression bomb does.")
                    raise reading.refuse(bomb, _UNPACK, ratio=round(ratio))
                reading.hurry()
    except NotImplementedError as error:
        method = N_("“{file}” is packed by a method that is not supported here.")
        raise reading.refuse(method, Said("Pack it again as an ordinary zip (deflate).")) from error
    except _DAMAGED as error:
        remedy = Said("Create the archive again.")
        raise reading.refuse("“{file}” is damaged; its contents cannot be restored.", remedy) from error
    return bytes(content)


def beginning(archive: zipfile.ZipFile, member: zipfile.ZipInfo, size: int) -> bytes:
    """Returns the first bytes of a member; none if it cannot be opened."""
    try:
        with archive.open(member) as stream:
            return stream.read(size)
    except _DAMAGED:
        return b""


def repacked(reading: Reading, data: bytes, kind: str) -> bytes:
    """Repacks an office file (a zip of XML) as a plain zip of exactly the bytes that were counted.

    The libraries that read these formats unpack members in one go and trust their sizes; they get this copy
    instead, in which nothing can expand.  Documents with a DTD are refused: office files never have one, and
    entities are how an XML text explodes.
    """
    if reading.plain_archive:
        return reading.plain_archive
    archive = open_zip(reading, data)
    copy = io.BytesIO()
    with archive, zipfile.ZipFile(copy, "w", zipfile.ZIP_STORED) as plain:
        for member in archive.infolist():
            name = member.filename.replace("\\", "/")
            if member.is_dir() or name in plain.NameToInfo:
                continue
            content = member_bytes(reading, archive, member)
            is_xml = name.lower().endswith((".xml", ".rels"))
            if is_xml and b"<!DOCTYPE" in content[:_BLOCK].replace(b"\0", b"").upper():
                entities = N_("“{file}” contains XML entities, which no {kind} file should have; it was not opened.")
                raise reading.refuse(entities, Said("Save it again from an office program."), kind=kind)
            if is_xml and b"purl.oclc.org/ooxml" in content:
                content = _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", content)
            plain.writestr(zipfile.ZipInfo(name), content)
    reading.plain_archive = copy.getvalue()
    return reading.plain_archive


def member_names(data: bytes) -> frozenset[str]:
    """Returns the names in an archive; empty if it cannot be opened."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return frozenset(name.replace("\\", "/") for name in archive.namelist())
    except _DAMAGED:
        return frozenset()


def has_member(pattern: str) -> Callable[[Sample], bool]:
    """Returns a function that recognises an archive by the name of one of its files."""
    name = re.compile(pattern, re.IGNORECASE)
    return lambda sample: sample.is_archive and any(map(name.fullmatch, member_names(sample.data)))


def is_junk(name: str) -> bool:
    """Whether a file is hidden, or a by-product of a desktop."""
    return _JUNK.search(name) is not None


def files(
    reading: Reading, archive: zipfile.ZipFile
) -> tuple[dict[str, zipfile.ZipInfo], list[tuple[str, zipfile.ZipInfo]]]:
    """Returns the files that may be read, by name, and those that a later one of the same name replaces.

    Others are reported, except by-products of desktops.  The last of two files with one name counts, as after files
    were appended to an archive.
    """
    by_name: dict[str, zipfile.ZipInfo] = {}
    replaced = list[tuple[str, zipfile.ZipInfo]]()
    for member in archive.infolist():
        name = _name(member)
        if member.is_dir() or is_junk(name):
            continue
        place = Said("{member}", member=reading.clean(name)[:200])
        if name.startswith("/") or re.match(r"[A-Za-z]:", name) or ".." in name.split("/"):
            why = Said("The name points outside the archive; the file was left out.")
            remedy = Said("Pack the folder again from inside.")
        elif stat.S_ISLNK(member.external_attr >> 16):
            why = Said("This is a link, not a file; it was left out.")
            remedy = Said("Pack the file that the link points to.")
        elif member.flag_bits & 0x1:
            why, remedy = Said("The file is protected by a password."), Said("Pack it without a password.")
        elif name in by_name:
            why = Said("The archive has several files with this name; only the last one was read.")
            remedy = Said("Pack the folder again, or give every file a name of its own.")
            replaced.append((name, by_name[name]))
            by_name[name] = member
        else:
            by_name[name] = member
            continue
        reading.problem(why, remedy, place=place)
    return dict(sorted(by_name.items(), key=lambda item: item[0])), replaced


def _name(member: zipfile.ZipInfo) -> str:
    """Returns the member's name with ``/``; names that are not marked as UTF-8 are often in a Chinese encoding."""
    name = member.filename
    if not member.flag_bits & 0x800:
        with suppress(UnicodeEncodeError):
            decoded = decode(name.encode("cp437"))
            name = decoded.text if decoded and not decoded.bad else name
    return name.replace("\\", "/").removeprefix("./")
