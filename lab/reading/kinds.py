"""What a file is: by its content, and not by its name.

A Word file named ``report.pdf`` is read as a Word file, a web page named ``report.xls`` as a web page.  Formats that
are not read are refused with what to do instead, also those that are text or an archive underneath.
"""

from __future__ import annotations

import re
from contextlib import suppress

from lab.reading import archive, formats
from lab.reading.encodings import decode, is_binary
from lab.reading.format import Format, Sample
from lab.reading.html import is_page, root_name
from lab.reading.uploads import SAVE_AGAIN, Reading
from lab.words import N_, Said

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
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_SAVE_AS, _AS_PDF = Said("Save it as docx, xlsx or PDF and upload that."), Said("Save it as PDF and upload that.")
_PACKED: tuple[tuple[re.Pattern[str], str, Said | None], ...] = (
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
    (re.compile(r"META-INF/MANIFEST\.MF|AndroidManifest\.xml"), N_("“{file}” is a program, not a text."), None),
)
_MAIL = re.compile(r"(?:[A-Za-z][\w-]*:[^\n]*\n(?:[ \t][^\n]*\n)*){2,}")
_FLAT_OFFICE = re.compile(
    r"<\?mso-application|<(?:\w+:)?(?:Workbook|wordDocument|package|document-content)\b[^>]{0,200}xmlns"
)
_MIME = re.compile(r"^MIME-Version:", re.IGNORECASE | re.MULTILINE)
_NOT_READ = {"xls": "xls", "doc": "doc", "zip": "zip"}
"""Endings that promise no format of the list."""
_SAMPLE = 1 << 16


def format_of(reading: Reading, data: bytes) -> Format | None:
    """Returns the format of the file, None for an archive, and notes if its name says another.

    Raises `UploadError` for formats that are not read.
    """
    sample = _sample(reading, data)
    found = _recognised(reading, sample)
    by_ending = _by_ending(sample.ending)
    if found is None and sample.is_archive and sample.expected not in ("docx", "xlsx"):
        kind = "zip"
    elif found is None:
        promised = sample.expected
        if promised in ("docx", "xlsx") and data.startswith(_OLD_OFFICE):
            remedy = Said("Save it as {kind} without a password.", kind=promised)
            raise reading.refuse("“{file}” is protected by a password, or in a format from before 2007.", remedy)
        raise reading.refuse("“{file}” is not a {kind} file, or it is damaged.", SAVE_AGAIN, kind=promised)
    else:
        kind = found.name
    if kind != sample.expected and (by_ending or sample.ending in _NOT_READ):
        other = N_("The file has the extension .{extension} but is {kind}; it was read as {kind}.")
        remedy = Said("Give it the extension .{kind}.", kind=kind)
        reading.problem(Said(other, extension=sample.ending, kind=kind), remedy)
    return found


def _by_ending(ending: str) -> Format | None:
    return next((format for format in formats.every() if ending in format.endings), None)


def _sample(reading: Reading, data: bytes) -> Sample:
    name = reading.file.rsplit("/", 1)[-1]
    ending = name.rsplit(".", 1)[-1].lower() if "." in name else ""
    by_ending = _by_ending(ending)
    expected = by_ending.name if by_ending else _NOT_READ.get(ending, "txt")
    begin = ""
    with suppress(LookupError):  # an encoding that does not exist is refused when the text is read
        decoded = decode(data[:_SAMPLE], encoding=reading.wanted_encoding)
        begin = decoded.text if decoded else ""
    return Sample(data, begin, ending, expected)


def _recognised(reading: Reading, sample: Sample) -> Format | None:
    """Returns the format that a file has by its content, or else by its name; None for an archive and damaged files.

    Formats of plug-ins are asked first, then what is not read is refused.
    """
    brought = formats.brought()
    promised = _by_ending(sample.ending)
    if found := next((f for f in brought if f.looks_like(sample)), None):
        return found
    if promised in brought:
        return promised
    built_in = formats.built_in()
    if found := next((f for f in built_in if not f.is_text and f.looks_like(sample)), None):
        return found
    if sample.is_archive:
        _refuse_packed(reading, sample)
        return None
    _refuse_binary(reading, sample)
    if sample.data.startswith(_OLD_OFFICE):
        return None
    _refuse_text(reading, sample)
    if found := next((f for f in built_in if f.is_text and f.looks_like(sample)), None):
        return found
    if promised is not None and promised.is_text:
        return promised
    otherwise = {"ipynb": "json", "txt": "txt", "doc": "txt"}.get(sample.expected)
    return formats.named(otherwise) if otherwise else None


# ---------------------------------------------------------------------------------------------- not read


def _refuse_binary(reading: Reading, sample: Sample) -> None:
    """Raises `UploadError` for files of other programs."""
    data = sample.data
    if data.startswith(_OLD_OFFICE) and not reading.file.lower().endswith((".docx", ".xlsx")):
        old = N_("Office files from before 2007 (doc, xls, ppt) are not supported: “{file}”.")
        raise reading.refuse(old, _SAVE_AS)
    if data.startswith(b"{\\rtf"):
        remedy = Said("Save it as docx or txt and upload that.")
        raise reading.refuse("“{file}” is a rich text file (RTF), which is not read.", remedy)
    if data.lstrip(b"\x04")[:4] == b"%!PS":
        raise reading.refuse("“{file}” is a PostScript file, which is not read.", _AS_PDF)
    no_text = N_("“{file}” is {what}, not a text.")
    for description, marks in _FOREIGN:
        for name, mark in marks.items():
            # where the mark is letters a text can begin with them as well: then what follows must not look like text
            if data.startswith(mark) and (not mark.isalnum() or b"\0" in data[:1024] or is_binary(data)):
                raise reading.refuse(no_text, formats.supported(), what=Said(description, format=name))
    if data[4:8] == b"ftyp":
        raise reading.refuse(no_text, formats.supported(), what=Said("a video or a picture"))


def _refuse_packed(reading: Reading, sample: Sample) -> None:
    """Raises `UploadError` for an archive that another program made of one document."""
    names = archive.member_names(sample.data)
    for pattern, message, remedy in _PACKED:
        if any(map(pattern.fullmatch, names)):
            raise reading.refuse(message, remedy or formats.supported())
    if "mimetype" in names and "content.xml" in names:
        raise reading.refuse("“{file}” is an OpenDocument file, which is not read.", _SAVE_AS)


def _refuse_text(reading: Reading, sample: Sample) -> None:
    """Raises `UploadError` for texts that only other programs read."""
    begin, first = sample.text, sample.first
    if first == "<" and sample.expected != "md" and not is_page(begin):
        if root_name(begin) == "svg" and sample.expected != "html":
            picture = Said("a picture ({format})", format="SVG")
            raise reading.refuse("“{file}” is {what}, not a text.", formats.supported(), what=picture)
        if _FLAT_OFFICE.search(begin[: _SAMPLE // 8]):
            raise reading.refuse("“{file}” is an office file in XML, which is not read.", _SAVE_AS)
    elif first not in ("<", "{", "[") and _MAIL.match(begin) and _MIME.search(begin[: _SAMPLE // 4]):
        remedy = Said("Open it, save it as PDF or html, and upload that.")
        raise reading.refuse("“{file}” is a mail or a saved web page (EML, MHT), which is not read.", remedy)
