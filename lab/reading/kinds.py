"""What a file is: by its content, and not by its name.

A Word file named ``report.pdf`` is read as a Word file, a web page named ``report.xls`` as a web page.  Formats that
are not read are refused with what to do instead, also those that are text or an archive underneath.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress

from lab.reading import archive
from lab.reading.delimited import widths
from lab.reading.encodings import decode, is_binary
from lab.reading.uploads import Reading
from lab.words import N_, Said

EXTENSIONS = ("txt", "md", "html", "xml", "ipynb", "pdf", "docx", "xlsx", "csv", "tsv", "json", "jsonl", "zip")
"""What is promised; plain text under other names is read too."""

_KINDS = {
    "txt": "txt", "text": "txt", "md": "md", "markdown": "md", "mdx": "md",
    "html": "html", "htm": "html", "xhtml": "html", "shtml": "html",
    "xml": "xml", "rss": "xml", "atom": "xml", "rdf": "xml",
    "pdf": "pdf", "docx": "docx", "docm": "docx", "xlsx": "xlsx", "xlsm": "xlsx", "xls": "xls", "doc": "doc",
    "csv": "csv", "tsv": "tsv", "tab": "tsv", "ipynb": "ipynb",
    "json": "json", "geojson": "json", "jsonl": "jsonl", "ndjson": "jsonl", "zip": "zip",
}  # fmt: skip
_TEXTS = ("txt", "md", "html", "xml", "csv", "tsv", "json", "jsonl")
_OFFICE = ("docx", "xlsx", "doc", "xls")
_PICTURE, _ARCHIVE = N_("a picture ({format})"), N_("an archive ({format})")
_FOREIGN: tuple[tuple[str, dict[str, bytes]], ...] = (
    (_PICTURE, {"PNG": b"\x89PNG", "JPEG": b"\xff\xd8\xff", "GIF": b"GIF8", "BMP": b"BM"}),
    (_PICTURE, {"TIF": b"II*\0", "TIFF": b"MM\0*"}),
    (N_("a picture, a sound or a video"), {"RIFF": b"RIFF"}),
    (N_("a sound ({format})"), {"MP3": b"ID3", "OGG": b"OggS"}),
    (_ARCHIVE, {"gzip": b"\x1f\x8b", "bzip2": b"BZh", "xz": b"\xfd7zXZ\0", "7z": b"7z\xbc\xaf\x27\x1c"}),
    (_ARCHIVE, {"rar": b"Rar!", "zstd": b"\x28\xb5\x2f\xfd"}),
    (N_("a program"), {"ELF": b"\x7fELF", "EXE": b"MZ"}),
    (N_("a database ({format})"), {"SQLite": b"SQLite format 3\0"}),
    (N_("a Parquet file"), {"Parquet": b"PAR1"}),
)
SUPPORTED = Said("Upload one of: {formats}.", formats=", ".join(EXTENSIONS))
SAVE_AGAIN = Said("Open it in the program that made it, save it again, and upload that.")
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_SAVE_AS, _AS_PDF = Said("Save it as docx, xlsx or PDF and upload that."), Said("Save it as PDF and upload that.")
_WORD, _EXCEL = re.compile(r"word/document\d*\.xml", re.IGNORECASE), re.compile(r"xl/workbook\d*\.xml", re.IGNORECASE)
_PACKED: tuple[tuple[re.Pattern[str], str, Said], ...] = (
    (re.compile(r"ppt/presentation\.xml"), N_("“{file}” is a presentation (PowerPoint), which is not read."), _AS_PDF),
    (re.compile(r"xl/workbook\.bin"), N_("“{file}” is a binary workbook (xlsb), which is not read."), _SAVE_AS),
    (re.compile(r"META-INF/container\.xml"), N_("“{file}” is an e-book (EPUB), which is not read."), _AS_PDF),
    (
        re.compile(r"(Index/.*|index)\.(iwa|apxl|zip)"),
        N_("“{file}” is an Apple document, which is not read."),
        _SAVE_AS,
    ),
    (re.compile(r"visio/document\.xml"), N_("“{file}” is a drawing (Visio), which is not read."), _AS_PDF),
    (re.compile(r"FixedDoc(ument)?Seq(uence)?\.fdseq"), N_("“{file}” is an XPS document, which is not read."), _AS_PDF),
    (re.compile(r"META-INF/MANIFEST\.MF|AndroidManifest\.xml"), N_("“{file}” is a program, not a text."), SUPPORTED),
)
_ROOT = re.compile(
    r"(?>\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>)*+<(?:[\w.-]+:)?([\w.-]+)",
    re.DOTALL | re.IGNORECASE,
)
_DOCTYPE = re.compile(r"\s*(?><\?xml.*?\?>\s*|<!--.*?-->\s*)*+<!doctype\s+html", re.DOTALL | re.IGNORECASE)
_MAIL = re.compile(r"(?:[A-Za-z][\w-]*:[^\n]*\n(?:[ \t][^\n]*\n)*){2,}")
_FLAT_OFFICE = re.compile(
    r"<\?mso-application|<(?:\w+:)?(?:Workbook|wordDocument|package|document-content)\b[^>]{0,200}xmlns"
)
_SAMPLE = 1 << 16


def kind_of(reading: Reading, data: bytes) -> str:
    """Returns the kind of the file, and notes if its name says another.  Raises `UploadError` for foreign formats."""
    extension = reading.file.rsplit(".", 1)[-1].lower() if "." in reading.file.rsplit("/", 1)[-1] else ""
    expected = _KINDS.get(extension, "txt")
    kind = _binary(reading, data)
    if kind is None and not data.startswith(_OLD_OFFICE):
        kind = _text(reading, data, expected, extension)
    if kind is None and expected in ("docx", "xlsx") and data.startswith(_OLD_OFFICE):
        remedy = Said("Save it as {kind} without a password.", kind=expected)
        raise reading.refuse("“{file}” is protected by a password, or in a format from before 2007.", remedy)
    if kind is None or (kind == "zip" and expected in ("docx", "xlsx")):
        raise reading.refuse("“{file}” is not a {kind} file, or it is damaged.", SAVE_AGAIN, kind=expected)
    if kind != expected and extension in _KINDS:
        other = N_("The file has the extension .{extension} but is {kind}; it was read as {kind}.")
        reading.problem(Said(other, extension=extension, kind=kind), Said("Give it the extension .{kind}.", kind=kind))
    return kind


# ------------------------------------------------------------------------------------------------- binary


def _binary(reading: Reading, data: bytes) -> str | None:
    """pdf, docx, xlsx or zip by the first bytes; None for what may be text.  Raises `UploadError` for the rest."""
    if b"%PDF-" in data[:1024] and not data.startswith(b"PK"):
        return "pdf"
    if data.startswith((b"PK\3\4", b"PK\5\6")):
        return _packed(reading, archive.member_names(data))
    if data.startswith(_OLD_OFFICE) and not reading.file.lower().endswith((".docx", ".xlsx")):
        old = N_("Office files from before 2007 (doc, xls, ppt) are not supported: “{file}”.")
        raise reading.refuse(old, _SAVE_AS)
    if data.startswith(b"{\\rtf"):
        remedy = Said("Save it as docx or txt and upload that.")
        raise reading.refuse("“{file}” is a rich text file (RTF), which is not read.", remedy)
    if data.lstrip(b"\x04")[:4] == b"%!PS":
        raise reading.refuse("“{file}” is a PostScript file, which is not read.", _AS_PDF)
    for description, marks in _FOREIGN:
        for name, mark in marks.items():
            # where the mark is letters a text can begin with them as well: then what follows must not look like text
            if data.startswith(mark) and (not mark.isalnum() or b"\0" in data[:1024] or is_binary(data)):
                raise reading.refuse("“{file}” is {what}, not a text.", SUPPORTED, what=Said(description, format=name))
    if data[4:8] == b"ftyp":
        raise reading.refuse("“{file}” is {what}, not a text.", SUPPORTED, what=Said("a video or a picture"))
    return None


def _packed(reading: Reading, names: frozenset[str]) -> str:
    """What an archive is, by the names in it."""
    if any(map(_WORD.fullmatch, names)):
        return "docx"
    if any(map(_EXCEL.fullmatch, names)):
        return "xlsx"
    for pattern, message, remedy in _PACKED:
        if any(map(pattern.fullmatch, names)):
            raise reading.refuse(message, remedy)
    if "mimetype" in names and "content.xml" in names:
        raise reading.refuse("“{file}” is an OpenDocument file, which is not read.", _SAVE_AS)
    return "zip"


# --------------------------------------------------------------------------------------------------- text


def _text(reading: Reading, data: bytes, expected: str, extension: str) -> str | None:
    """The kind of a text; None if its name promises another file and the text has no form of its own."""
    begin, other = "", None
    with suppress(LookupError):  # an encoding that does not exist is refused when the text is read
        decoded = decode(data[:_SAMPLE], encoding=reading.wanted_encoding)
        begin = decoded.text if decoded else ""
    if begin.lstrip().startswith("<"):
        other = _markup(reading, begin, expected)
    elif begin.lstrip()[:1] in ("{", "["):
        other = _json(data, expected)
    elif _MAIL.match(begin) and re.search(r"^MIME-Version:", begin[: _SAMPLE // 4], re.IGNORECASE | re.MULTILINE):
        remedy = Said("Open it, save it as PDF or html, and upload that.")
        raise reading.refuse("“{file}” is a mail or a saved web page (EML, MHT), which is not read.", remedy)
    elif expected in _OFFICE or expected in ("json", "jsonl", "ipynb") or extension in ("", "txt", "dat", "asc", "prn"):
        other = _delimited(begin, strict=expected not in _OFFICE)
    if other is not None:
        return other
    return expected if expected in _TEXTS else "txt" if expected == "doc" else "json" if expected == "ipynb" else None


def _markup(reading: Reading, begin: str, expected: str) -> str | None:
    """html or xml by the first element; None if it decides nothing: a plain text may begin with a tag."""
    root = match[1].lower() if (match := _ROOT.match(begin)) else ""
    if expected == "md":
        return None
    if root == "html" or _DOCTYPE.match(begin):
        return "html"
    if root == "svg" and expected != "html":
        raise reading.refuse(
            "“{file}” is {what}, not a text.", SUPPORTED, what=Said("a picture ({format})", format="SVG")
        )
    if _FLAT_OFFICE.search(begin[: _SAMPLE // 8]):
        raise reading.refuse("“{file}” is an office file in XML, which is not read.", _SAVE_AS)
    if begin.lstrip().lower().startswith("<?xml") or root in ("rss", "feed", "rdf", "urlset", "opml"):
        return "xml"
    return "html" if expected in _OFFICE and root else None


def _json(data: bytes, expected: str) -> str | None:
    """ipynb, json or jsonl if the text is that; None if its name says so already, or it is not JSON."""
    if b'"nbformat"' in data and (b'"cells"' in data or b'"worksheets"' in data):
        return "ipynb"
    if expected in ("json", "jsonl", "md", "html", "xml"):
        return None
    text = decode(data)
    lines = [line for line in text.text.split("\n", 3) if line.strip()][:2] if text else []
    try:
        if len(lines) == 2 and all(isinstance(json.loads(line), dict) for line in lines):
            return "jsonl"
    except (ValueError, RecursionError):
        pass
    try:
        value = json.loads(text.text) if text else None
    except (ValueError, RecursionError):
        return None
    return (
        "json"
        if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(v, dict | list) for v in value))
        else None
    )


def _delimited(begin: str, *, strict: bool) -> str | None:
    """csv or tsv if the first lines are rows of a table.

    ``strict``: a text may have commas, too: then all lines must have the same number of fields, below short names.
    """
    lines = [line + "\n" for line in begin.split("\n")]
    if len(begin) >= _SAMPLE // 4 and len(lines) > 2:
        lines.pop()  # it may be cut
    filled = [line for line in lines if line.strip()]
    for delimiter, fewest in (("\t", 2), (",", 3), (";", 3)):
        width, share = widths(filled, delimiter)
        if not strict and width > 1 and share >= 0.5:
            return "tsv" if delimiter == "\t" else "csv"
        if width > 1 and share == 1.0 and len(filled) >= fewest and _has_names(filled, delimiter):
            return "tsv" if delimiter == "\t" else "csv"
    return None


def _has_names(lines: list[str], delimiter: str) -> bool:
    """Whether the first line holds short names, and no field begins with a space, as after a comma in a text."""
    names = [name.strip().strip('"') for name in lines[0].split(delimiter)]
    short = all(0 < len(name) <= 30 and not name[0].isdigit() and name[-1] not in ".。!！?？" for name in names)
    return short and len(set(names)) == len(names) and not any(f"{delimiter} " in line for line in lines[:30])
