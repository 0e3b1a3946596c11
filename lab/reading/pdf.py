"""PDF files by pypdf, a document per page and section: whole words and sentences, without the lines that frame pages.

Streams may not unpack to more than a fifth of the archive limit each, and time is checked at every operator.
"""

from __future__ import annotations

import io
import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any

from lab.errors import UploadError
from lab.reading.account import FRAME, PAGE_FRAME, Statement
from lab.reading.format import Format
from lab.reading.headings import is_heading
from lab.reading.hyphens import rejoined
from lab.reading.pdf_headings import Sizes, headings, outline
from lab.reading.sections import Piece, document_name, honest, name_and_pieces
from lab.reading.uploads import IN_PARTS, NO_TEXT, Metadata, Reading
from lab.text.borders import CLOSING, STOPS
from lab.text.naming import BETWEEN
from lab.words import N_, Said, ngettext

_FULL_STOPS = STOPS + CLOSING + ".:：…"
_OCR = Said("Run text recognition (OCR) over the file first.")
_NEW_PDF = Said("Save or print the file as a new PDF.")
_MARGIN = 3
"""Lines at the top and at the bottom of a page that may be its header and its footer."""
_FEWEST = 3
"""Pages on which a line must be repeated to be a header or a footer."""
_PAIR, _LONGEST_FRAME = 2, 60
"""Two pages have a header or a footer if it is the outermost line of both, and no longer than this."""
_SHARE = 0.45
"""Share of such pages: books have one header on even pages and another on odd ones."""
_DIGITS = re.compile(r"\d+")
_HAN_NUMBER = re.compile(r"(?<=第)\s*[零〇一二三四五六七八九十百]+\s*(?=页|頁)")
_MOVED = 4
"""Lines in which a sentence ends that began on the page before."""
_SENTENCE_END = re.compile(
    rf"[{re.escape(STOPS)}…][{re.escape(CLOSING)}]*(?=\s|$|[\u2e80-\u9fff])|\.[{re.escape(CLOSING)}]*(?=\s|$)"
)
_WORD = re.compile(r"[^\W\d_]+(?:[-‐][^\W\d_]+)*")


def read_pdf(reading: Reading, data: bytes) -> None:
    """Adds a document per page with text, below the title of the file.  Raises `UploadError` if there is none."""
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
            count = len(pdf.pages)
        except DependencyError as error:
            remedy = Said(
                "Install it where the lab runs (pip install cryptography), or save the file without encryption."
            )
            missing = N_("“{file}” is encrypted, and this installation lacks the package that decrypts it.")
            raise reading.refuse(missing, remedy) from error
        except FileNotDecryptedError as error:
            raise reading.locked() from error
        except Exception as error:  # hostile bytes: whatever a parser trips over means the same to the visitor
            remedy = Said("Open it in a PDF viewer, save or print it as a new PDF, and upload that.")
            raise reading.refuse("“{file}” is a damaged PDF: it cannot be opened.", remedy) from error
        if not count:
            raise reading.refuse("“{file}” has no pages.", NO_TEXT)
        pages = list(_pages(reading, pdf, count))
        title, bookmarks = _title(pdf), outline(pdf)
    _add(reading, pages, title, bookmarks, count)
    if not reading.documents and any(not page.lines for page in pages):
        raise reading.refuse("“{file}” has no text on any of its pages ({n}); perhaps it is a scan.", _OCR, n=count)
    if not reading.documents:
        raise reading.nothing(N_("“{file}” has no text."), NO_TEXT)
    limit = reading.limits.max_pages
    if count > limit:
        few = Said("The file has {n} pages; only the first {limit} were read.", n=count, limit=limit)
        reading.problem(few, IN_PARTS)


@dataclass
class _Page:
    """A page: its number, the lines of its text with the sizes of their letters, and the number of its pictures."""

    number: int
    lines: list[str]
    pictures: int
    sizes: list[float]


def _title(pdf: Any) -> str:
    """The title of the file, if it is one."""
    with suppress(Exception):  # a title is not worth losing the file
        title = pdf.metadata.title
        return honest(title) if isinstance(title, str) else ""
    return ""


def _pages(reading: Reading, pdf: Any, count: int) -> Iterator[_Page]:
    """The pages that can be read; the others are reported."""
    from pypdf.errors import LimitReachedError

    for number in range(1, min(count, reading.limits.max_pages) + 1):
        place = Said("page {n}", n=number)
        try:
            page = pdf.pages[number - 1]
            sizes = Sizes()
            text = page.extract_text(visitor_operand_before=lambda *_: reading.hurry(), visitor_text=sizes)
            text = reading.clean(text)
        except UploadError as error:  # the time is over: the pages until here are good
            reading.problem(error.message, error.remedy, place=place)
            return
        except Exception as error:  # as above, for one page
            full = Said("The page is larger than any normal page; it was left out.")
            damaged = Said("The page is damaged and was left out.")
            reading.problem(full if isinstance(error, LimitReachedError) else damaged, _NEW_PDF, place=place)
            continue
        reading.raw_pages.append(text)
        lines = [line.rstrip() for line in text.split("\n")] if text.strip() else []
        points = sizes.of_lines()
        yield _Page(number, lines, _pictures(page), points if len(points) == len(lines) else [0.0] * len(lines))


def _pictures(page: Any) -> int:
    with suppress(Exception):  # a count is not worth losing the page
        objects = page["/Resources"]["/XObject"].get_object()
        return sum(objects[name].get_object().get("/Subtype") == "/Image" for name in objects)
    return 0


def _add(
    reading: Reading, pages: Sequence[_Page], title: str, bookmarks: Sequence[tuple[int, int, str]], count: int
) -> None:
    """Adds the pages with text, split at headings, without the lines that frame them; says what was left out."""
    frame = _frame([page.lines for page in pages])
    shown = [_without(page, frame) for page in pages]
    _complete(shown)
    words = Counter(_WORD.findall("\n".join(line for page in pages for line in page.lines).lower()))
    parts = Counter[int]()
    for titles, number, lines in _sections(shown, title, document_name(reading), bookmarks):
        parts[number] += 1
        id = f"{reading.name}/{number}" if count > 1 else reading.name
        id = f"{id}.{parts[number]}" if parts[number] > 1 else id
        source: Metadata = {"source": reading.source, "page": number}
        place = Said("page {n}", n=number)
        reading.add(_unwrapped(lines, words), id=id, title=BETWEEN.join(titles), metadata=source, place=place)
    empty = [page for page in pages if not page.lines]
    for page in empty if len(empty) < count else ():
        place = Said("page {n}", n=page.number)
        reading.problem(Said("The page has no text; perhaps it is a scan."), _OCR, place=place)
    if frame and reading.documents:
        some = "”, “".join(list(frame.values())[:_MARGIN])
        left = Said("Repeated lines at page edges were left out, such as “{line}”.", line=some)
        reading.problem(left, Said("They are headers, footers or page numbers."))
    reading.fact(ngettext("{n:,} page", "{n:,} pages", len(pages)))
    if pictures := sum(page.pictures for page in pages):
        reading.fact(ngettext("{n:,} picture without text", "{n:,} pictures without text", pictures))


def _sections(
    pages: Sequence[_Page], title: str, file: str, bookmarks: Sequence[tuple[int, int, str]]
) -> Iterator[tuple[list[str], int, list[str]]]:
    """Yields the path of headings, the page and the lines of every part: a section, or what of it is on a page."""
    index = {page.number - 1: i for i, page in enumerate(pages)}
    marks = [(level, index[at], name) for level, at, name in bookmarks if at in index]
    names = headings([(page.lines, page.sizes) for page in pages], marks)
    pieces: list[tuple[int, Piece]] = []
    for i, page in enumerate(pages):
        at = 0
        while at < len(page.lines):
            level, text, count = names.get((i, at), (0, page.lines[at], 1))
            pieces.append((page.number, (level, text)))
            at += count
    name, below = name_and_pieces([piece for _, piece in pieces], title, file)
    parts: list[tuple[list[Piece], int, list[str]]] = []
    path, number = list[Piece](), 0
    for page_number, (level, text) in pieces[len(pieces) - len(below) :]:
        if level:
            path = [*(above for above in path if above[0] < level), (level, text)]
        if level or page_number != number:
            parts.append((path, page_number, []))
        if not level:
            parts[-1][2].append(text)
        number = page_number
    for i, (above, page_number, lines) in enumerate(parts):
        if not any(lines):
            following = parts[i + 1][0] if i + 1 < len(parts) else []
            lines = [above[-1][1]] if above and following[: len(above)] != above else []
        titles = [text for _, text in above]
        if any(lines):
            yield (titles if titles[:1] == [name] else [name, *titles]), page_number, lines


# ------------------------------------------------------------------------------------------------- lines


def _edge(lines: Sequence[str]) -> set[int]:
    """The places of the first and of the last lines of a page that are not blank."""
    filled = [i for i, line in enumerate(lines) if line.strip()]
    return {*filled[:_MARGIN], *filled[-_MARGIN:]}


def _without(page: _Page, frame: Mapping[str, str]) -> _Page:
    """A page without the lines that frame it."""
    edge = _edge(page.lines) if frame else set()
    kept = [i for i, line in enumerate(page.lines) if i not in edge or _shape(line) not in frame]
    return replace(page, lines=[page.lines[i] for i in kept], sizes=[page.sizes[i] for i in kept])


def _complete(pages: Sequence[_Page]) -> None:
    """Moves the end of a sentence from the beginning of a page to the page on which the sentence begins."""
    for page, following in pairwise(pages):
        last = next((i for i in range(len(page.lines) - 1, -1, -1) if page.lines[i].strip()), None)
        first = next((i for i, line in enumerate(following.lines) if line.strip()), None)
        if last is None or first is None or page.sizes[last] != following.sizes[first]:
            continue
        line, rest = page.lines[last].rstrip(), following.lines[first].lstrip()
        full = len(line) >= 0.7 * max(map(len, page.lines)) and line[-1] not in _FULL_STOPS and "|" not in line
        if not full or is_heading(rest) or not (rest[0].islower() or (rest[0] > "\u2e7f" and line[-1] > "\u2e7f")):
            continue
        for at in range(first, min(first + _MOVED, len(following.lines))):
            if end := _SENTENCE_END.search(following.lines[at]):
                page.lines[last + 1 :] = [*following.lines[first:at], following.lines[at][: end.end()]]
                page.sizes[last + 1 :] = [page.sizes[last]] * (at - first + 1)
                following.lines[: at + 1] = [following.lines[at][end.end() :].lstrip()]
                following.sizes[: at + 1] = [following.sizes[at]]
                if not following.lines[0]:
                    del following.lines[0], following.sizes[0]
                break


def _shape(line: str) -> str:
    """A line without the numbers in it, which change from page to page."""
    return " ".join(_DIGITS.sub("0", _HAN_NUMBER.sub("0", line)).split())


def _frame(pages: Sequence[Sequence[str]]) -> dict[str, str]:
    """The lines, by their shape, at the edge of most pages: headers, footers, page numbers.

    A line whose numbers do not count the pages is text, and so is all that most pages have.
    """
    filled = [lines for lines in pages if lines]
    lines_of: dict[str, dict[int, str]] = {}
    for i, lines in enumerate(filled):
        for at in _edge(lines):
            lines_of.setdefault(_shape(lines[at]), {}).setdefault(i, lines[at].strip())
    often = {shape: next(iter(on.values())) for shape, on in lines_of.items() if _repeats(on, len(filled))}
    if len(filled) == _PAIR:
        often |= {_shape(line): line for line in _outermost(filled)}
    bare = sum(all(_shape(lines[i]) in often for i in _edge(lines)) for lines in filled)
    return {} if 2 * bare >= len(filled) else often


def _outermost(pages: Sequence[Sequence[str]]) -> Iterator[str]:
    """The first and the last line of two pages, if both have it and it is not a sentence."""
    for at in (0, -1):
        line, other = ([line.strip() for line in page if line.strip()][at] for page in pages)
        if line == other and len(line) <= _LONGEST_FRAME and line[-1] not in _FULL_STOPS:
            yield line


def _repeats(on: dict[int, str], pages: int) -> bool:
    """Whether a line, by the places of its pages, is on enough of them, and all its numbers are equal or count them."""
    numbers = [[int(n[:9]) for n in _DIGITS.findall(_HAN_NUMBER.sub("0", line))] for line in on.values()]
    columns = list(zip(*numbers, strict=True))
    equal = [len(set(column)) == 1 for column in columns]
    counting = [len({n - i for n, i in zip(column, on, strict=True)}) <= 2 for column in columns]
    if not all(a or b for a, b in zip(equal, counting, strict=True)):
        return False
    counts = len(on) > 1 and any(not a and b for a, b in zip(equal, counting, strict=True))
    return len(on) >= max(_FEWEST, _SHARE * pages) or (counts and len(on) == pages)


def _unwrapped(lines: Sequence[str], words: Counter[str]) -> str:
    """Lines of a page joined where a full line breaks inside a sentence, or a word was cut at the end of a line."""
    lengths = sorted(map(len, lines))
    full = 0.7 * lengths[int(0.9 * (len(lengths) - 1))] if lengths else 0
    paragraphs = list(lines[:1])
    for before, line in zip(lines, lines[1:], strict=False):
        start = line.lstrip()
        whole = rejoined(paragraphs[-1], start, words)
        if whole is not None:
            paragraphs[-1] = whole
            continue
        ends = not before or not start or len(before) < full or before[-1] in _FULL_STOPS
        if ends or not (start[0] > "\u2e7f" or start[0].islower()):
            paragraphs.append(line)
        elif before[-1] > "\u2e7f" and start[0] > "\u2e7f":
            paragraphs[-1] += start
        else:
            paragraphs[-1] += " " + start
    return "\n".join(paragraphs)


_JOINT = re.compile(r"(?<=\w)[-‐\u00ad][ \t]*\n[ \t]*(?=\w)")
"""A word that is divided at the end of a line."""


def say_pages(reading: Reading, data: bytes) -> Iterator[Statement]:
    """Yields the lines of all pages as they were extracted; those that frame several pages are counted apart."""
    pages = [[line for line in _JOINT.sub("", text).split("\n") if line.strip()] for text in reading.raw_pages]
    margins = Counter(key for lines in pages for key in {_DIGITS.sub("", line) for line in lines[:3] + lines[-3:]})
    lines = list(chain.from_iterable(pages))  # sentences continue on the next page
    framed = [margins[_DIGITS.sub("", line)] > 1 or line.strip().isdecimal() for line in lines]
    yield Statement("text", "", [line for line, frame in zip(lines, framed, strict=True) if not frame])
    yield Statement(FRAME, PAGE_FRAME, [line for line, frame in zip(lines, framed, strict=True) if frame])


FORMATS = (
    Format(
        "pdf",
        ("pdf",),
        lambda r, d, _: read_pdf(r, d),
        lambda sample: b"%PDF-" in sample.data[:1024] and not sample.data.startswith(b"PK"),
        is_text=False,
        statements=say_pages,
    ),
)
