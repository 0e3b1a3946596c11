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
    """A PDF by hand, in latin letters: a page for every text, a line for every line; ``content`` instead of streams.

    Lines that begin with # are larger: ``# Title`` has 20 points, ``## Chapter`` 16, the text 12.
    """
    objects: list[bytes] = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        f"<</Title({title})>>".encode(),
    ]
    kids = []
    for text in pages:
        lines = "".join(
            f"/F1 {(12, 20, 16)[len(line) - len(line.lstrip('#'))]} Tf ({line.lstrip('# ')}) Tj 0 -24 Td "
            if line.startswith("#")
            else f"/F1 12 Tf ({line}) Tj 0 -14 Td "
            for line in text.split("\n")
        )
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


W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_WORD_SPACES = (
    f'xmlns:w="{W}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:v="urn:schemas-microsoft-com:vml"'
)


def word(body: str, *, styles: str = "", parts: Mapping[str, str] | None = None) -> bytes:
    """A Word file of this XML inside its body, with these styles and further parts (footnotes, for instance)."""
    files = {
        "[Content_Types].xml": "<Types/>",
        "word/document.xml": f"<w:document {_WORD_SPACES}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": f"<w:styles {_WORD_SPACES}>{styles}</w:styles>",
    }
    more = {name: xml.replace(" W>", f" {_WORD_SPACES}>", 1) for name, xml in (parts or {}).items()}
    return zipped({**files, **more})


def p(*runs: str, style: str = "", more: str = "") -> str:
    """A paragraph of runs, each a text or XML."""
    looks = f'<w:pStyle w:val="{style}"/>' if style else ""
    inside = "".join(run if run.startswith("<") else r(run) for run in runs)
    return f"<w:p><w:pPr>{looks}{more}</w:pPr>{inside}</w:p>"


def r(text: str, looks: str = "") -> str:
    """A run of text."""
    return f'<w:r><w:rPr>{looks}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def style(id: str, name: str, *, based_on: str = "", more: str = "") -> str:
    """A paragraph style."""
    base = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    return f'<w:style w:type="paragraph" w:styleId="{id}"><w:name w:val="{name}"/>{base}{more}</w:style>'


def tbl(*rows: str) -> str:
    """A table of rows."""
    return f"<w:tbl>{''.join(rows)}</w:tbl>"


def tr(*cells: str, more: str = "") -> str:
    """A row of cells, each a text or XML."""
    inside = "".join(cell if cell.startswith("<") else tc(cell) for cell in cells)
    return f"<w:tr>{f'<w:trPr>{more}</w:trPr>' if more else ''}{inside}</w:tr>"


def tc(text: str = "", more: str = "") -> str:
    """A cell."""
    return f"<w:tc><w:tcPr>{more}</w:tcPr>{p(text) if text else p()}</w:tc>"


def owner_locked_pdf(text: str, *, algorithm: str) -> bytes:
    """A PDF that is encrypted, and that everybody may open: only printing is locked."""
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf(text)))
    writer.encrypt("", "owner", algorithm=algorithm)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def strict(office: bytes) -> bytes:
    """An office file in the strict form of the standard."""
    usual, own = b"http://schemas.openxmlformats.org/", b"http://purl.oclc.org/ooxml/"
    with zipfile.ZipFile(io.BytesIO(office)) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    for name, xml in parts.items():
        for room in (b"spreadsheetml", b"wordprocessingml", b"drawingml", b"officeDocument"):
            xml = xml.replace(usual + room + b"/2006/", own + room + b"/")
        parts[name] = xml
    return zipped(parts)
