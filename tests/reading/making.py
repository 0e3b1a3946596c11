"""Files for the tests, made in memory: small, real, and broken in known ways."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Callable, Mapping
from typing import Any


def zipped(files: Mapping[str, bytes | str], *, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name) if compression == zipfile.ZIP_STORED else name, content)
    return out.getvalue()


def changed(archive: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    """The archive with one member replaced."""
    with zipfile.ZipFile(io.BytesIO(archive)) as old:
        return zipped({m: change(old.read(m)) if m == name else old.read(m) for m in old.namelist()})


def flagged_as_encrypted(archive: bytes) -> bytes:
    """The encryption bit set in every local and central header, as a password-protected archive has it."""
    out = bytearray(archive)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = out.find(mark)
        while at >= 0:
            out[at + offset] |= 1
            at = out.find(mark, at + 4)
    return bytes(out)


def lying(archive: bytes, size: int) -> bytes:
    """Every member declares this unpacked size, whatever it holds."""
    out = bytearray(archive)
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = out.find(mark)
        while at >= 0:
            out[at + offset : at + offset + 4] = size.to_bytes(4, "little")
            at = out.find(mark, at + 4)
    return bytes(out)


def docx(*paragraphs: str, title: str = "", change: Callable[[Any], None] | None = None) -> bytes:
    """Paragraphs; those that begin with # are headings."""
    import docx as library

    document = library.Document()
    document.core_properties.title = title
    for text in paragraphs:
        level = len(text) - len(text.lstrip("#"))
        document.add_heading(text.lstrip("# "), level) if level else document.add_paragraph(text)
    if change:
        change(document)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def xlsx(sheets: Mapping[str, list[list[object]]], *, change: Callable[[Any], None] | None = None) -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    if change:
        change(book)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def pdf(*pages: str, title: str = "", content: bytes | None = None, packed: bool = False) -> bytes:
    """A PDF by hand, in latin letters: a page for every text, a line for every line; ``content`` instead of streams."""
    objects: list[bytes] = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        f"<</Title({title})>>".encode(),
    ]
    kids = []
    for text in pages:
        lines = "".join(f"({line}) Tj 0 -14 Td " for line in text.split("\n"))
        stream = content if content is not None else f"BT /F1 12 Tf 50 700 Td {lines}ET".encode()
        stream, how = (zlib.compress(stream, 9), b"/Filter/FlateDecode") if packed else (stream, b"")
        objects.append(b"<</Length %d%s>>stream\n%s\nendstream" % (len(stream), how, stream))
        kids.append(len(objects) + 1)
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>"
            % len(objects)
        )
    objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), b" ".join(b"%d 0 R" % k for k in kids))
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj" % number + body + b"endobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + b"".join(b"%010d 00000 n \n" % p for p in places)
    out += b"trailer<</Size %d/Root 1 0 R/Info 4 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start)
    return bytes(out)


def locked_pdf(text: str) -> bytes:
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf(text)))
    writer.encrypt("secret", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def jsonl(*records: object) -> bytes:
    return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records).encode()
