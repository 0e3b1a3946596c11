"""Running text: txt, markdown, html, pdf and docx, from a file to titled sections.

Only what a reader of the file sees becomes text: no scripts, no styles, no markup of html and docx.  Markdown,
docx and html are cut at their headings, a PDF at its pages; a txt file is one document.
"""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from lab.algebra import Value
from lab.errors import UploadError
from lab.reading.archive import repacked
from lab.reading.headings import sections
from lab.reading.tables import LISTS
from lab.reading.uploads import IN_PARTS, NO_TEXT, NOTHING, Metadata, Reading
from lab.text import CLOSING, STOPS
from lab.words import N_, Said

_FULL_STOPS = STOPS + CLOSING + ".:：…"
_OCR = Said("Run text recognition (OCR) over the file first.")
_NEW_PDF = Said("Save or print the file as a new PDF.")


def add_sections(reading: Reading, parts: Iterable[tuple[str, str]], metadata: Metadata = NOTHING) -> None:
    """Add a document for each (title, text) with a text."""
    found = [(title, text) for title, text in parts if text.strip()]
    alone, source = len(found) == 1, {"source": reading.file, **metadata}
    for i, (title, text) in enumerate(found, 1):
        id, place = (reading.name, None) if alone else (f"{reading.name}/{i}", Said("section {n}", n=i))
        reading.add(text, id=id, title=title, metadata=source, place=place)


def _cut(pieces: Iterable[tuple[int, str]], title: str, *, above: str = "") -> list[tuple[str, str]]:
    """(title, text) of the sections that pieces make: a heading has its level, a text level 0.

    The title of a section is the path of headings down to it, under what stands ``above`` all of them; that of what
    comes before the first heading is given.
    """
    path, found = [(0, above)] if above else [], [(title, list[str]())]
    for level, piece in pieces:
        if level:
            path = [heading for heading in path if heading[0] < level] + [(level, piece)]
            found.append((" › ".join(name for _, name in path), []))
        else:
            found[-1][1].append(piece)
    return [(name, "\n".join(body)) for name, body in found]


# ----------------------------------------------------------------------------------------------- txt, md


def read_txt(reading: Reading, data: bytes) -> None:
    """The whole file as one document; its paragraphs and headings are the chunker's business.

    One that is too long for one document is parted at its headings: no border stands inside a chapter that fits.
    """
    text = reading.decode(data)
    parts = [("", text)] if len(text) <= reading.limits.max_chars else titled(text)
    add_sections(reading, parts)


def titled(text: str) -> list[tuple[str, str]]:
    """(title, text) of the sections of a plain text: see `lab.reading.headings`."""
    return [(section.title, text[section.start : section.end]) for section in sections(text)]


_FENCE = re.compile(r"\s{0,3}(```+|~~~+)")
_ATX = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$")
_FRONT = re.compile(r"---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)


def read_md(reading: Reading, data: bytes) -> None:
    """One document per section; its title is the path of headings.  Simple front matter becomes metadata."""
    text, metadata, title = reading.decode(data), dict[str, Value](), ""
    front = _FRONT.match(text)
    if front:
        for line in front.group(1).split("\n"):
            key, colon, value = (part.strip() for part in line.partition(":"))
            if colon and value and re.fullmatch(r"[\w-]{1,50}", key):
                metadata[key] = _list(value) if key.lower() in LISTS else _bare(value)
        title = str(metadata.pop("title", ""))
        text = text[front.end() :]
    found = _cut(_pieces(text), title, above=title)
    if not any(body.strip() for _, body in found):  # nothing but headings: they are the text
        found = [("", text)]
    add_sections(reading, found, metadata)


def _bare(value: str) -> str:
    return value.strip().strip("\"'")


def _list(value: str) -> list[str]:
    return [_bare(v) for v in re.split("[,;|，；]", _bare(value).strip("[]")) if v.strip()]


def _pieces(text: str) -> list[tuple[int, str]]:
    """The lines of a markdown text: level and name of a heading, 0 and the line itself of anything else."""
    pieces, fence = list[tuple[int, str]](), ""

    def border(back: int) -> bool:
        """Whether so many lines back there is a heading, a blank line, or nothing any more."""
        return len(pieces) < back or pieces[-back][0] > 0 or not pieces[-back][1].strip()

    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark.group(1)
        found = None if fence or mark else _ATX.match(line)
        if found and found.group(2):
            pieces.append((len(found.group(1)), found.group(2)))
        elif not fence and re.fullmatch(r"=+\s*|--+\s*", line) and border(2) and not border(1):
            pieces[-1] = (1 if line[0] == "=" else 2, pieces[-1][1].strip())  # underlined with === or ---
        else:
            pieces.append((0, line))
    return pieces


# ------------------------------------------------------------------------------------------------- html

_TAGS = (
    "script style noscript template head iframe object embed svg math select textarea canvas audio video",
    "address article aside blockquote body br caption center dd details dialog div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody tfoot thead tr ul",
    "area base br col embed hr img input link meta param source track wbr",
)
_UNSEEN, _BLOCK, _VOID = (frozenset(tags.split()) for tags in _TAGS)
_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_MARK = "\x00"
"""Stands before the level of a heading, on a line of its own with it: no text that was read has this character."""
_DEEPEST = 5000
_STEP = 1 << 16


class _TooDeep(Exception):
    """More open elements than any page has."""


class _Visible:
    """Collects the visible text of an html stream, its <title> and its first <h1> (an lxml parser target)."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.title: list[str] = []
        self.heading: list[str] = []
        self.unseen: list[str] = []
        self.inside = ""
        self.depth = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:  # a wrong end tag makes the parser search all open elements: with many, for hours
            raise _TooDeep
        style = attributes.get("style", "").replace(" ", "").lower()
        if self.unseen or tag in _UNSEEN or "hidden" in attributes or "display:none" in style:
            if tag == "title" and self.unseen == ["head"]:
                self.inside = "title"
            if tag not in _VOID:
                self.unseen.append(tag)
            return
        if tag == "title":  # a title outside of a head
            self.inside = "title"
        elif tag == "h1" and not any(self.heading):
            self.inside = "h1"
        if tag in _HEADINGS:
            self.out.append(f"\n\n{_MARK}{tag[1]}")
        elif tag in ("td", "th"):
            self.out.append(" | " if self.out and not self.out[-1].endswith("\n") else "")
        elif tag in _BLOCK:
            self.out.append("\n\n" if tag in ("p", "h1", "h2", "h3", "section", "article", "table") else "\n")

    def end(self, tag: str) -> None:
        self.depth -= 1
        if tag == self.inside:
            self.inside = ""
        if self.unseen:
            if self.unseen[-1] == tag:
                self.unseen.pop()
        elif tag in _BLOCK and tag not in _VOID:
            self.out.append("\n")

    def data(self, data: str) -> None:
        if self.inside == "title":
            self.title.append(data)
        elif not self.unseen:
            if self.inside == "h1":
                self.heading.append(data)
            self.out.append(re.sub(r"\s+", " ", data))

    def close(self) -> None:
        return None


def read_html(reading: Reading, data: bytes) -> None:
    """The visible text; the title is its <title>, else its first <h1>.

    With two headings or more that have a text under them it is one document per section, as Markdown is.
    """
    from lxml import etree

    if reading.wanted_encoding is None:
        reading.wanted_encoding = _declared(data)
    text = reading.decode(data)
    visible = _Visible()
    parser: Any = etree.HTMLParser(
        target=visible, encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=True
    )
    raw = text.encode("utf-8")
    try:
        for at in range(0, len(raw), _STEP):
            reading.hurry()
            parser.feed(raw[at : at + _STEP])
        parser.close()
    except _TooDeep:
        deep = Said("The elements are nested too deeply; the text behind that place is missing.")
        reading.problem(deep, Said("Copy the text out of a browser and paste it."))
    except (etree.LxmlError, AssertionError) as error:
        if not visible.out:
            remedy = Said("Open it in a browser, and save or copy its text.")
            raise reading.refuse("“{file}” is not readable as html.", remedy) from error
    lines = (re.sub(r"[ \t\u00a0]+", " ", line).strip() for line in "".join(visible.out).split("\n"))
    marked = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    body = re.sub(rf"{_MARK}\d", "", marked).strip()
    if not body:
        remedy = Said("Open it in a browser; upload or paste the text that you see.")
        raise reading.refuse("“{file}” has no visible text: scripts and styles do not count.", remedy)
    named = " ".join("".join(visible.title).split())
    title = named or "".join(visible.heading).strip()
    pieces = [(int(x[1]), x[2:].strip()) if x.startswith(_MARK) else (0, x) for x in marked.split("\n")]
    parts = _cut([(level, text) for level, text in pieces if text or not level], named, above=named)
    several = sum(bool(text.strip()) for name, text in parts if name != named) > 1
    add_sections(reading, parts if several else [(title, body)])


def _declared(data: bytes) -> str | None:
    """The encoding that a <meta> declares, if the bytes obey it and are not UTF-8."""
    found = re.search(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([\w-]{2,20})", data[:4096], re.IGNORECASE)
    if not found:
        return None
    name = found.group(1).decode("ascii", "replace").lower()
    name = "gb18030" if name in ("gb2312", "gbk", "gb_2312-80") else name
    return name if _obeys(data, name) and not _obeys(data, "utf-8") else None


def _obeys(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except (LookupError, ValueError):
        return False
    return True


# -------------------------------------------------------------------------------------------------- pdf


def read_pdf(reading: Reading, data: bytes) -> None:
    """One document per page with text; the title is the file's own.  Scans have no text: the message says so.

    Streams may not unpack to more than a fifth of the archive limit each, and time is checked at every operator.
    """
    import pypdf
    from pypdf.errors import DependencyError, FileNotDecryptedError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # its remarks on damaged files are ours to make, in words
    stream = max(1 << 20, reading.limits.max_total_expanded // 5)
    with pypdf.apply_configuration(
        zlib_maximum_output_length=stream,
        lzw_maximum_output_length=stream,
        run_length_maximum_output_length=stream,
        array_based_stream_maximum_output_length=stream,
        stream_parsing_work_maximum_count=400_000,  # a page of dense text has some 20,000
    ):
        try:
            pdf = pypdf.PdfReader(io.BytesIO(data))
            if pdf.is_encrypted and not pdf.decrypt(""):
                raise FileNotDecryptedError
            pages = len(pdf.pages)
        except (DependencyError, FileNotDecryptedError) as error:
            raise reading.locked() from error
        except Exception as error:  # hostile bytes: whatever a parser trips over means the same to the visitor
            remedy = Said("Open it in a PDF viewer, save or print it as a new PDF, and upload that.")
            raise reading.refuse("“{file}” is a damaged PDF: it cannot be opened.", remedy) from error
        if not pages:
            raise reading.refuse("“{file}” has no pages.", NO_TEXT)
        empty = _read_pages(reading, pdf, pages)
    if empty and not reading.documents:
        scan = N_("“{file}” has no text on any of its {n} pages; perhaps it is a scan.")
        raise reading.refuse(scan, _OCR, n=pages)
    if not reading.documents:
        raise reading.nothing(N_("“{file}” has no text."), NO_TEXT)
    limit = reading.limits.max_pages
    if pages > limit:
        few = Said("The file has {n} pages; only the first {limit} were read.", n=pages, limit=limit)
        reading.problem(few, IN_PARTS)


def _read_pages(reading: Reading, pdf: Any, pages: int) -> int:
    """Add a document for every page with text; how many pages have none."""
    from pypdf.errors import LimitReachedError

    title, empty = "", 0
    with suppress(Exception):  # a title is not worth losing the file
        found = pdf.metadata.title
        title = found if isinstance(found, str) and len(found) <= 300 else ""
    for number in range(1, min(pages, reading.limits.max_pages) + 1):
        place = Said("page {n}", n=number)
        try:
            text = pdf.pages[number - 1].extract_text(visitor_operand_before=lambda *_: reading.hurry())
        except UploadError as error:  # the time is over: what was read so far is good
            reading.problem(error.message, error.remedy, place=place)
            break
        except Exception as error:  # as above, for one page
            full = Said("The page holds more than any page should; it was left out.")
            damaged = Said("The page is damaged and was left out.")
            reading.problem(full if isinstance(error, LimitReachedError) else damaged, _NEW_PDF, place=place)
            continue
        if text.strip():
            id = f"{reading.name}/{number}" if pages > 1 else reading.name
            source: Metadata = {"source": reading.file, "page": number}
            reading.add(_unwrapped(text), id=id, title=title, metadata=source, place=place)
            continue
        empty += 1
        if empty < pages:
            reading.problem(Said("The page has no text; perhaps it is a scan."), _OCR, place=place)
    return empty


def _unwrapped(text: str) -> str:
    """Lines of a page joined again where a full line breaks inside a sentence (words must not be cut in two)."""
    lines = [line.rstrip() for line in text.split("\n")]
    full = 0.7 * max(map(len, lines))
    out = lines[:1]
    for before, line in zip(lines, lines[1:], strict=False):
        start = line.lstrip()
        ends = not before or not start or len(before) < full or before[-1] in _FULL_STOPS
        if ends or not (start[0] > "\u2e7f" or start[0].islower()):
            out.append(line)
        elif before[-1] > "\u2e7f" and start[0] > "\u2e7f":
            out[-1] += start
        else:
            out[-1] += " " + start
    return "\n".join(out)


# ------------------------------------------------------------------------------------------------- docx


def read_docx(reading: Reading, data: bytes) -> None:
    """Paragraphs and tables in their order, cut at headings; the title is the path of headings."""
    import docx
    from docx.table import Table
    from docx.text.paragraph import Paragraph

    content = repacked(reading, data, "docx")
    try:
        document = docx.Document(io.BytesIO(content))
        parts = list(document.iter_inner_content())
    except Exception as error:  # hostile bytes, as with PDF
        remedy = Said("Open it in a word processor, save it again, and upload that.")
        raise reading.refuse("“{file}” is a damaged Word file: it cannot be opened.", remedy) from error
    title = str(document.core_properties.title or "").strip()
    pieces, headings = list[tuple[int, str]](), dict[str | None, int]()
    for i, part in enumerate(parts):
        reading.hurry(i)
        if isinstance(part, Table):
            pieces.append((0, "\n".join(_table_rows(reading, part))))
        elif isinstance(part, Paragraph) and part.text.strip():
            style = part._p.style  # the style's id; its name is a slow look-up, so each is made once
            if style not in headings:
                headings[style] = _heading_level(part)
            pieces.append((headings[style], part.text.strip() if headings[style] else part.text))
    found = _cut(pieces, title)
    if not any(body.strip() for _, body in found):
        found = [(title, "\n".join(name for name, _ in found))]
    add_sections(reading, found)
    if not reading.documents:
        raise reading.nothing(N_("“{file}” has no text; pictures and text boxes are not read."), NO_TEXT)


def _heading_level(paragraph: Any) -> int:
    """1 to 9 for headings, 1 for the title, 0 for everything else."""
    try:
        name = str(paragraph.style.name or "")
    except Exception:  # a style that is not in the file
        return 0
    found = re.fullmatch(r"(?:Heading|heading|标题|標題) ?(\d)", name)
    return int(found.group(1)) if found else 1 if name == "Title" else 0


def _table_rows(reading: Reading, table: Any, depth: int = 0) -> Iterator[str]:
    """The rows of a table, cells parted by a bar; a merged cell once; tables inside cells too.

    Cells are taken from the XML: ``row.cells`` repeats a cell for every column that it claims to span, and a
    hostile file claims millions.
    """
    from docx.table import _Cell

    for row in table.rows:
        reading.hurry()
        cells = []
        for tc in row._tr.tc_lst:
            if tc.vMerge == "continue":
                continue
            cell = _Cell(tc, table)
            inner = (r for t in cell.tables for r in _table_rows(reading, t, depth + 1)) if depth < 3 else ()
            cells.append(" ".join((" ".join(cell.text.split()), *inner)).strip())
        if any(cells):
            yield " | ".join(filter(None, cells))
