"""The visible text of html: headings with their levels, rows of tables, lines of code.

Other readers use it as well: Word files and Markdown become html first, and feeds contain html.  lxml parses, and
`_Visible` collects what a reader of the page sees: no scripts, no styles, no hidden text.  Navigation and footers frame
every page of a site and are collected apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.patterns import lazy_pattern
from lab.reading.account import COMMENTS, FRAME, HIDDEN, HIDDEN_TEXT, PAGE_FRAME, Statement
from lab.reading.format import OFFICE, Format, Sample
from lab.reading.frames import is_copy_button, is_frame
from lab.reading.numbering import letters, roman
from lab.reading.raised import mark_of_a_note, subscript, superscript
from lab.reading.sections import Piece, add_sections, document_name, honest, name_and_pieces, split
from lab.reading.uploads import Reading
from lab.words import Said, ngettext

_TAGS = (
    "script style noscript template head iframe frame frameset object embed select canvas audio video datalist meter "
    "progress annotation annotation-xml rp title desc metadata defs symbol",
    "address article aside blockquote body br caption center dd details dialog div dl dt fieldset figcaption figure "
    "footer form hr li main menu nav ol p section summary tbody text tfoot thead ul",
)
_UNSEEN, _BLOCK = (frozenset(tags.split()) for tags in _TAGS)
_FORMATTING = (
    "a abbr b big body br cite code del div em font h1 h2 h3 h4 h5 h6 hr html i img ins kbd li mark ol p pre q s small "
    "span strike strong sub sup table td th tr tt u ul var wbr"
)
_MARKUP = lazy_pattern(
    rf"</(?:{'|'.join(_FORMATTING.split())})\s*>|<(?:p|br|hr|img|li)(?:\s[^<>]{{0,2000}})?/?>|&(?:nbsp|#\d{{1,6}});",
    re.IGNORECASE,
)
_APART = frozenset(["p", "section", "article"])
"""Elements with a blank line before them."""
_CODE_TAGS, _TABLE_TAGS = ("pre", "textarea", "listing", "xmp"), ("table", "tr", "td", "th")
_LISTS = ("ul", "ol", "menu")
_HEADING = lazy_pattern("h[1-9]")
_NOTE_LINK = lazy_pattern(
    r"[^#]*#_?(?!\w*ref)(?:fn|ftnt?|edn|note|footnote|endnote|cite[-_]?note|bib|cmnt)[-_:.\w]*", re.I
)
_NOTE_CLASS = lazy_pattern(r"(?:^|[\s_-])(?:footnote|noteref|footnote-ref|reference|doc-noteref)(?:$|[\s_-])", re.I)
_LIST_STYLE = lazy_pattern(r"list-style(?:-type)?:(?:[^;]*\s)?([a-z-]+)")
_LIST_TYPES = {
    "a": "a", "A": "A", "i": "i", "I": "I", "lower-alpha": "a", "lower-latin": "a", "upper-alpha": "A",
    "upper-latin": "A", "lower-roman": "i", "upper-roman": "I", "none": "",
}  # fmt: skip
_NOT_DISPLAYED, _VISIBILITY = re.compile(r"(?:^|;)display:none"), re.compile(r"(?:^|;)visibility:(\w+)")
_OWNERS = frozenset(["article", "aside", "section", "main", "blockquote", "details", "dialog", "figure", "td", "th"])
"""Elements whose footer belongs to them, and not to the page."""
_MARK, _CODE, _ROW = "\x00", "\x01", "\x02"
"""Begin the line of a heading (with its level), of code, of a table; no text that was read has these characters."""
_MARKS = lazy_pattern("[\x00-\x02]")
_DEEPEST = 5000
_BEFORE_TITLE = 50
"""Blank parts of a page before its title, at most."""
_STEP = 1 << 16
_WIDEST, _LONGEST_REPEATED, _TO_THE_END = 1000, 1000, 1 << 16
"""Columns of a table, characters of a cell that is repeated in the rows that it reaches over, most rows of a cell."""
_SPACES, _BLANKS = re.compile(r"\s+"), re.compile(r"[ \t\u00a0]+")
_CJK = "\u2e80-\u303f\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
_BROKEN_LINE = lazy_pattern(rf"(?<=[{_CJK}])[ \t]*\n\s*(?=[{_CJK}])")
"""A line break of the source inside Chinese, where it means no blank."""


class _TooDeep(Exception):
    """The page has more open elements than any real page."""


@dataclass(frozen=True)
class Page:
    """What a page shows: its <title>, its first <h1> and its pieces.

    ``framed``: navigation or another frame was left out; ``tables`` is their number.
    """

    title: str
    heading: str
    pieces: tuple[Piece, ...]
    framed: bool = False
    tables: int = 0

    @property
    def text(self) -> str:
        """All of the text, with the headings."""
        return re.sub(r"\n{3,}", "\n\n", "\n".join(text for _, text in self.pieces)).strip("\n")


def visible(
    reading: Reading, markup: Iterable[str], *, bullets: bool = False, fences: bool = False, flat: bool = False
) -> Page:
    """Returns what the html shows, which is parsed part by part.

    ``bullets``: items of lists without numbers begin with ``-``.  ``fences``: code is fenced as in Markdown.  ``flat``:
    a table inside a cell becomes text of the cell.  Raises `UploadError` if nothing of it is html.
    """
    from lxml import etree

    target = _Visible(bullets=bullets, fences=fences, flat=flat, hidden=reading.takes_in("hidden"))
    silent = not reading.takes_in("comments")
    parser: Any = etree.HTMLParser(
        target=target, encoding="utf-8", no_network=True, remove_comments=silent, remove_pis=True, huge_tree=True
    )
    try:
        for part in markup:
            raw = part.encode("utf-8", "replace")
            for at in range(0, len(raw), _STEP):
                reading.hurry()
                parser.feed(raw[at : at + _STEP])
        parser.close()
    except _TooDeep:
        deep = Said("The elements are nested too deeply; the text after this point is missing.")
        reading.problem(deep, Said("Copy the text from a browser and paste it."))
    except (etree.LxmlError, AssertionError) as error:
        if not target.page:
            remedy = Said("Open it in a browser, and save or copy its text.")
            raise reading.refuse("“{file}” is not readable as html.", remedy) from error
    return target.finished()


def text_of(reading: Reading, markup: str) -> str:
    return visible(reading, [markup]).text if "<" in markup or "&" in markup else markup


def is_markup(text: str) -> bool:
    """Whether a text is a fragment of html: a tag of html is closed, or a paragraph, a line or a picture begins."""
    return _MARKUP.search(text) is not None


def read_html(reading: Reading, data: bytes) -> None:
    """Adds the visible text under the path of its headings, below the <title>, else below the file's name.

    With fewer than two headings that have a text, it is one document.
    """
    if reading.wanted_encoding is None:
        reading.wanted_encoding = declared_encoding(data)
    page = visible(reading, [reading.decode(data)])
    if not page.text:
        remedy = Said("Open it in a browser; upload or paste the text that you see.")
        raise reading.refuse("“{file}” has no visible text: scripts and styles do not count.", remedy)
    title, file = honest(page.title), document_name(reading)
    whole, _ = name_and_pieces(page.pieces, title, file)
    parts = split(page.pieces, title, file)
    if sum(bool(text) and not name.endswith(text) for name, text in parts if name != whole) < 2:
        parts = [(title or page.heading or file, page.text)]
    add_sections(reading, parts)
    if page.tables:
        reading.fact(ngettext("{n:,} table", "{n:,} tables", page.tables))
    if page.framed:
        reading.fact(Said("without the page frame (navigation, footer, metadata)"))


def declared_encoding(data: bytes) -> str | None:
    """Returns the encoding that a <meta> or an XML declaration names, if the bytes obey it and are not UTF-8."""
    pattern = rb"<(?:meta[^>]{0,200}charset|\?xml[^>]{0,100}encoding)\s*=\s*[\"']?([\w-]{2,20})"
    match = re.search(pattern, data[:4096], re.IGNORECASE)
    if not match:
        return None
    name = match.group(1).decode("ascii", "replace").lower()
    name = "gb18030" if name in ("gb2312", "gbk", "gb_2312-80") else name
    return name if _obeys(data, name) and not _obeys(data, "utf-8") else None


def _obeys(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except (LookupError, ValueError):
        return False
    return True


# ------------------------------------------------------------------------------------------------- elements


@dataclass
class _Element:
    """An open element: how its text is read, and the buffer to return to when it ends."""

    tag: str
    unseen: bool = False
    invisible: bool = False
    framed: bool = False
    owner: bool = False
    pre: bool = False
    raised: str = ""
    note: bool = False
    parts: int = 0
    before: list[str] | None = None


@dataclass
class _List:
    """An open list: the next number (None: no numbers), how it is written, and its items if they count backwards."""

    number: int | None = None
    type: str = "1"
    items: list[tuple[list[str], int]] | None = None

    def written(self, number: int) -> str:
        """A number in the type of the list."""
        text = {"a": letters, "i": roman}.get(self.type.lower(), str)(number)
        return f"{text.upper() if self.type.isupper() else text}. "


@dataclass
class _Table:
    """An open table: the cells of its open row, and the cells of former rows that reach into later ones."""

    into: list[str]
    row: list[str] = field(default_factory=list)
    spans: dict[int, tuple[int, str]] = field(default_factory=dict)
    cell: tuple[int, int] = (1, 1)
    layout: bool = False
    rows: int = 0


def _whole(written: str) -> int | None:
    """A whole number as an attribute has it."""
    return int(written) if re.fullmatch(r"\s*-?\d{1,9}\s*", written) else None


class _Visible:
    """Collects the visible text of an html stream (an lxml parser target)."""

    def __init__(self, *, bullets: bool, fences: bool, flat: bool, hidden: bool) -> None:
        self.bullets, self.fences, self.flat, self.hidden = bullets, fences, flat, hidden
        self.page: list[str] = []
        self.frame: list[str] = []
        self.out = self.page
        self.open = [_Element("")]
        self.tables: list[_Table] = []
        self.lists: list[_List] = []
        self.ruby: list[str] = []
        self.title: list[str] = []
        self.heading = self.pending = ""
        self.language, self.repeated, self.read, self.count = "", 0, 0, 0
        self.unread = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if len(self.open) > _DEEPEST:  # a wrong end tag makes the parser search all open elements: with many, for hours
            raise _TooDeep
        above = self.open[-1]
        if tag == "p" and self._is_title(attributes):
            tag = "h1"
        element = _Element(tag, above.unseen, above.invisible, above.framed, above.owner or tag in _OWNERS, above.pre)
        self._hide(element, above, attributes)
        self.open.append(element)
        if element.unseen:
            return
        if element.framed and not above.framed:
            element.before, self.out = self.out, self.frame
        elif element.raised:
            self._begin_item()
            element.before, self.out = self.out, []
        elif _HEADING.fullmatch(tag) or tag in ("rt", "button"):
            element.before, self.out = self.out, []
        elif tag in _CODE_TAGS:
            element.pre = True
            if not above.pre:
                element.before, self.out, self.language = self.out, [], ""
        elif tag == "code" and above.tag == "pre":
            self.language = next(iter(re.findall(r"language-([\w+#-]{1,30})", attributes.get("class", ""))), "")
        elif tag == "input" and attributes.get("type", "").lower() == "checkbox":
            self.out.append("☑ " if "checked" in attributes else "☐ ")
        elif tag in _TABLE_TAGS:
            self._start_of_table(element, attributes)
        elif tag in _BLOCK:
            self._break(2 if tag in _APART or (tag in _LISTS and not self.lists) else 1)
            if tag in _LISTS:
                self.lists.append(self._list(element, attributes))
            elif tag == "li":
                self._item(attributes.get("value", ""))

    def _is_title(self, attributes: Mapping[str, str]) -> bool:
        """Whether a paragraph is the title of the document, as word processors export it: before any text."""
        looks = attributes.get("class", "").lower().split()
        begins = len(self.page) < _BEFORE_TITLE and not any(part.strip() for part in self.page)
        return begins and ("title" in looks or "msotitle" in looks)

    def _hide(self, element: _Element, above: _Element, attributes: Mapping[str, str]) -> None:
        """Marks what is not seen, and what frames the page."""
        tag, style = element.tag, "".join(attributes["style"].split()).lower() if "style" in attributes else ""
        hidden = "hidden" in attributes or _NOT_DISPLAYED.search(style) is not None
        hidden |= tag == "dialog" and "open" not in attributes
        element.unseen |= tag in _UNSEEN or (hidden and not self.hidden)
        if tag == "title" and above.tag in ("head", "", "html", "body") and not any(self.title):
            element.unseen = above.tag != "head" and above.unseen
            element.before, self.out = self.out, self.title
        if not self.hidden and (visibility := _VISIBILITY.search(style)):
            element.invisible = visibility[1] not in ("visible", "inherit", "initial")
        element.pre |= "white-space:pre" in style and tag not in ("td", "th")
        self._raise(element, above, attributes, style)
        element.framed |= not above.framed and is_frame(tag, attributes, owned=above.owner)
        if element.framed and not above.framed and (tag in _TABLE_TAGS or _HEADING.fullmatch(tag)):
            element.unseen = True  # it cannot be collected apart

    def _raise(self, element: _Element, above: _Element, attributes: Mapping[str, str], style: str) -> None:
        """Marks superscripts, subscripts and links to notes."""
        tag, linked = element.tag, attributes.get("href", "")
        element.note = above.note and above.tag == "a"
        looks = attributes.get("class", "") if tag == "span" else ""
        if tag == "sup" or "vertical-align:super" in style or looks in ("sup", "superscript", "exponent"):
            element.raised = "sup"
        elif tag == "sub" or "vertical-align:sub" in style or looks in ("sub", "subscript"):
            element.raised = "sub"
        elif tag == "a" and linked:
            role = attributes.get("role", "") == "doc-noteref" or "noteref" in attributes.get("epub:type", "")
            element.note = role or _NOTE_LINK.fullmatch(linked) is not None
            inside = next((outer for outer in reversed(self.open) if outer.raised), None)
            if inside is not None and "#" in linked:
                inside.note = True
            elif element.note:
                element.raised = "note"
        elif above.tag in ("msup", "msub", "msubsup") and above.parts:
            element.raised = "sup" if above.tag == "msup" or above.parts == 2 else "sub"
        above.parts += 1
        element.note |= bool(element.raised) and _NOTE_CLASS.search(attributes.get("class", "")) is not None

    def _list(self, element: _Element, attributes: Mapping[str, str]) -> _List:
        """A list that begins."""
        style = _LIST_STYLE.search("".join(attributes.get("style", "").lower().split(" ")).replace("!important", ""))
        type = _LIST_TYPES.get(style[1] if style else attributes.get("type", "1"), "1")
        if element.tag != "ol" or not type or element.pre:
            return _List()
        start = _whole(attributes.get("start", ""))
        if "reversed" in attributes and start is None:
            return _List(0, type, [])
        return _List(1 if start is None else start, type, None if "reversed" not in attributes else [])

    def _start_of_table(self, element: _Element, attributes: Mapping[str, str]) -> None:
        if element.tag == "table":
            self._break(2)
            element.before, self.out = self.out, []
            self.tables.append(_Table(self.out))
            return
        if not self.tables:  # a cell without a table
            self._break(1)
            return
        table = self.tables[-1]
        if element.tag == "tr":
            self._end_of_row(table)
            return
        spans = (attributes.get(name, "") for name in ("colspan", "rowspan"))
        across, down = (int(n) if n.isdecimal() and len(n) < 9 else 1 for n in spans)
        table.cell = min(max(1, across), _WIDEST), down or _TO_THE_END
        element.before, self.out = self.out, []

    def _item(self, value: str) -> None:
        """Remembers the bullet or the number of an item of a list, to be put before its first text."""
        opened = self.lists[-1] if self.lists else _List()
        if opened.number is None:
            self.pending = "- " if self.bullets else self.pending
            return
        number = _whole(value)
        opened.number = opened.number if number is None else number
        self.pending = opened.written(opened.number)
        opened.number += 1 if opened.items is None else -1

    def _begin_item(self) -> None:
        """Puts the bullet or the number of an item before its text."""
        if self.pending:
            self.out.append(self.pending)
            self.pending = ""
            if self.lists and self.lists[-1].items is not None:
                self.lists[-1].items.append((self.out, len(self.out) - 1))

    def _end_of_list(self) -> None:
        """Ends a list; one that counts backwards without a start ends with 1."""
        ended = self.lists.pop()
        for at, (out, place) in enumerate(ended.items or ()):
            if out[place : place + 1] == [ended.written(-at)]:
                out[place] = ended.written(len(ended.items or ()) - at)

    def end(self, tag: str) -> None:
        if len(self.open) == 1:
            return
        element = self.open.pop()
        if element.before is not None:
            if element.tag == "table":
                self._end_of_row(self.tables[-1])
            text, self.out = self.out, element.before
            if text is not self.frame and text is not self.title:
                self._ended(element, "".join(text))
        elif not element.unseen:
            if tag == "tr" and self.tables:
                self._end_of_row(self.tables[-1])
            elif tag == "ruby" and self.ruby:
                self.out.append(f"（{''.join(self.ruby)}）")
                self.ruby = []
            elif tag in _BLOCK and tag not in ("br", "hr"):
                if tag in _LISTS and self.lists:
                    self._end_of_list()
                self._break(2 if tag in _LISTS and not self.lists else 1)

    def _ended(self, element: _Element, text: str) -> None:
        """Puts the text of an element that was collected apart to its place."""
        tag = element.tag
        if tag in ("td", "th"):
            self._end_of_cell(self.tables[-1], text)
        elif tag == "table":
            self.count += bool(self.tables.pop().rows)
            self.out.append(f"{text}\n\n")
        elif tag == "rt":
            self.ruby.append(text.strip())
        elif element.raised:
            self._end_of_raised(element, text)
        elif tag == "button":
            self.unread |= is_copy_button(text)
            self.out += [] if is_copy_button(text) else [text]
        elif _HEADING.fullmatch(tag):
            heading = " ".join(_MARKS.sub("", text).split())
            self.heading = self.heading or (heading if tag == "h1" else "")
            self.out.append(f"\n\n{_MARK}{tag[1]}{heading}\n" if heading else "\n")
        else:
            self.out.append(self._code(text))

    def _end_of_raised(self, element: _Element, text: str) -> None:
        """Puts a superscript, a subscript or the mark of a note behind the text before it."""
        mark = mark_of_a_note(text) if element.note else text
        if mark != text or element.raised == "note" or not text.strip():
            self.out.append(mark)
            return
        if element.tag in ("mn", "mi", "mo", "mrow", "mtext"):  # in a formula, spaces are around each part
            while self.out and not self.out[-1].strip():
                self.out.pop()
            self.out[-1:] = [part.rstrip() for part in self.out[-1:]]
        line = "".join(self.out[-3:]).rpartition("\n")[2].rstrip()
        self.out.append((superscript if element.raised == "sup" else subscript)(text, line[-1:]))

    def _code(self, text: str) -> str:
        """A block of code, each line marked, so that its whitespace stays."""
        lines = text.removeprefix("\n").rstrip().split("\n")
        if self.fences and any(lines):
            fence = "```"
            while fence in text:
                fence += "`"
            lines = [fence + self.language, *lines, fence]
        return "\n\n" + "".join(f"{_CODE}{line.rstrip()}\n" for line in lines) + "\n"

    # ------------------------------------------------------------------------------------------------ tables

    def _end_of_cell(self, table: _Table, text: str) -> None:
        """Adds a cell to the open row; one that reaches over columns leaves them empty, over rows it is repeated."""
        across, down = table.cell
        nested = _ROW in text and not self.flat and len(text) > _LONGEST_REPEATED
        table.layout |= _MARK in text or _CODE in text or nested
        if not table.layout:
            lines = (line[1:].replace(" | ", " ") if line.startswith(_ROW) else line for line in text.split("\n"))
            text = " ".join(" ".join(lines).split())
        self._reach(table)
        across = min(across, _WIDEST - len(table.row)) if self._repeats(across - 1) else 1
        for i in range(across):
            if down > 1:
                table.spans[len(table.row)] = down - 1, "" if i else text
            table.row.append("" if i else text)

    def _reach(self, table: _Table) -> None:
        """Fills the next columns of the open row, if cells of former rows reach into them."""
        while (span := table.spans.get(len(table.row))) is not None:
            left, text = span
            column = len(table.row)
            if left > 1 and self._repeats(len(text)):
                table.spans[column] = left - 1, text
            else:
                del table.spans[column]
            table.row.append(text if len(text) <= _LONGEST_REPEATED else "")

    def _repeats(self, characters: int) -> bool:
        """Whether this number of characters may be repeated: a hostile page claims millions of rows and columns."""
        self.repeated += 3 + characters
        return self.repeated <= 4 * self.read + (1 << 20)

    def _end_of_row(self, table: _Table) -> None:
        """Writes the open row: a line with bars between the cells, or their blocks if the table serves the layout."""
        if not table.row:
            return
        last = max(table.spans, default=-1)
        while len(table.row) <= last:
            before = len(table.row)
            self._reach(table)
            if len(table.row) == before:
                table.row.append("")
        row, table.row = table.row, []
        if table.layout:
            table.into.append("\n\n" + "\n\n".join(filter(None, row)) + "\n\n")
        elif any(row):
            table.rows += len(row) > 1
            table.into.append(f"{_ROW}{' | '.join(row)}\n")

    # -------------------------------------------------------------------------------------------------- text

    def _break(self, lines: int) -> None:
        """Ends the line, and leaves an empty one for ``lines`` 2, unless that is done already."""
        last = self.out[-1] if self.out else ""
        present = 2 if last.endswith("\n\n") else last.endswith("\n")
        if present < lines:
            self.out.append("\n" * (lines - present))

    def data(self, data: str) -> None:
        element = self.open[-1]
        blank = not data.strip()
        if element.unseen or element.invisible:
            self.unread |= element.framed and not blank
            return
        self.read += len(data)
        if not blank:
            self._begin_item()
        if element.pre:
            self.out.append(data)
        elif element.tag in ("mi", "mn", "mo", "mtext"):
            self.out.append(f" {data} ")
        elif element.tag != "svg" and not (blank and self.out and self.out[-1].endswith("\n")):
            is_plain = data.isprintable() and "  " not in data
            self.out.append(data if is_plain else _SPACES.sub(" ", _BROKEN_LINE.sub("", data)))

    def comment(self, text: str) -> None:
        """Adds a comment, if comments are taken in: each of its lines by itself."""
        if self.open[-1].tag in _NO_WORDS or _IS_CONDITION.match(text):
            return
        self._break(1)
        self.out += [f"{line.strip()}\n" for line in _MARKS.sub("", text).split("\n") if line.strip()]

    def close(self) -> None:
        return None

    def finished(self) -> Page:
        """The page, when all is parsed; open elements end here."""
        while len(self.open) > 1:
            self.end(self.open[-1].tag)
        pieces, framed = _pieces("".join(self.page)), _pieces("".join(self.frame))
        if not pieces:
            pieces, framed = framed, ()
        left_out = bool(framed) or self.unread
        return Page(" ".join("".join(self.title).split()), self.heading, pieces, left_out, self.count)


def _pieces(marked: str) -> tuple[Piece, ...]:
    """The lines of a marked text: level and name of a heading, 0 and the line of anything else."""
    pieces: list[Piece] = []
    for line in marked.split("\n"):
        text = line if line.isprintable() else _MARKS.sub("", line)
        if line.startswith(_CODE):
            pieces.append((0, text))
        elif line.startswith(_MARK):
            pieces.append((int(text[:1]), text[1:].strip()))
        elif line.startswith(_ROW):
            pieces.append((0, text.strip()))
        else:
            text = _BLANKS.sub(" ", text).strip()
            if text or (pieces and pieces[-1][1]):  # one blank line instead of several
                pieces.append((0, text))
    return tuple(pieces) if any(text for _, text in pieces) else ()


# --------------------------------------------------------------------------------------------- recognition

_ROOT = lazy_pattern(
    r"(?>(?:\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>)*)<(?:[\w.-]+:)?([\w.-]+)",
    re.DOTALL | re.IGNORECASE,
)
_DOCTYPE = lazy_pattern(r"\s*(?>(?:<\?xml.*?\?>\s*|<!--.*?-->\s*)*)<!doctype\s+html", re.DOTALL | re.IGNORECASE)


def root_name(text: str) -> str:
    """Returns the name of the first element of a text, in lower case; empty if there is none."""
    return match[1].lower() if (match := _ROOT.match(text)) else ""


def is_page(text: str) -> bool:
    """Whether a text that begins with an element is a whole web page."""
    return root_name(text) == "html" or _DOCTYPE.match(text) is not None


def is_xml_text(text: str) -> bool:
    """Whether a text that begins with an element is XML, and not html."""
    root = root_name(text)
    declared = text.lstrip()[:5].lower() == "<?xml" or root in ("rss", "feed", "rdf", "urlset", "opml")
    of_trec = root == "doc" and "<docno>" in text[:2000].lower()
    return (declared or of_trec) and not is_page(text)


def is_html(sample: Sample) -> bool:
    """Whether a file begins as a web page, or is a part of one under the name of an office file."""
    if sample.first != "<" or sample.expected == "md":
        return False
    saved_as_office = sample.expected in OFFICE and bool(root_name(sample.text)) and not is_xml_text(sample.text)
    return is_page(sample.text) or saved_as_office


# ------------------------------------------------------------------------------------------- what is said

_NO_WORDS = frozenset(["script", "style", "template", "noscript", "svg", "canvas", "object", "iframe"])
_IS_CONDITION = lazy_pattern(r"\s*\[if\b|\s*<!\[endif\]|\s*\[endif\]", re.IGNORECASE)
"""A comment that holds markup for one browser."""
_BORDERS = (*_BLOCK, *_TABLE_TAGS, *_CODE_TAGS, "title", "h1", "h2", "h3", "h4", "h5", "h6", "option", "button")
_BORDER = lazy_pattern(rf"<(?=/?(?:{'|'.join(sorted(_BORDERS))})[\s/>])", re.IGNORECASE)
"""The beginning of a tag that ends a line."""
_FRAME_TAGS = frozenset(["nav", "footer", "header", "aside", "form", "select", "button", "dialog", "menu"])
_FRAME_NAME = lazy_pattern(
    r"nav|menu|foot|head|crumb|sidebar|banner|cookie|toolbar|search|skip|toc|lineno", re.IGNORECASE
)


def say_blocks(reading: Reading, data: bytes) -> Iterator[Statement]:
    """Yields the text of all blocks of a page; scripts and styles say nothing."""
    if reading.wanted_encoding is None:
        reading.wanted_encoding = declared_encoding(data)
    yield from said_in(reading, reading.text_again(data))


def said_in(reading: Reading, markup: str) -> Iterator[Statement]:
    """Yields the text of all blocks of html."""
    from lxml import etree

    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_pis=True, huge_tree=True)
    try:
        root = etree.fromstring(_BORDER.sub("\n<", markup).encode("utf-8", "replace"), parser)
    except (etree.LxmlError, ValueError):
        return
    if root is None:
        return
    etree.strip_elements(root, *_NO_WORDS, with_tail=False)
    comments = [c for c in root.xpath("//comment()") if not _IS_CONDITION.match(c.text or "")]
    yield Statement(HIDDEN, COMMENTS, "\n".join(comment.text or "" for comment in comments).split("\n"))
    etree.strip_elements(root, etree.Comment, with_tail=False)
    marked = (*root.xpath("//*[@hidden or @style or @class or @id or @role]"), *root.iter(*_FRAME_TAGS))
    apart = [(element, place) for element in marked if (place := _place(element)) is not None]
    for element, place in apart:
        if element is not root and element.getroottree().getroot() is root:  # not inside of one that went before
            yield Statement(*place, _text_in(element).split("\n"))
            element.text = None
            for child in list(element):
                element.remove(child)
    yield Statement("text", "", _text_in(root).split("\n"))


def _text_in(element: Any) -> str:
    """Returns all text in an element, without the text behind it."""
    from lxml import etree

    return str(etree.tostring(element, method="text", encoding="unicode", with_tail=False))


def _place(element: Any) -> tuple[str, str] | None:
    """The kind and the name of the place of an element whose text is not that of the page."""
    if not isinstance(element.tag, str):
        return None
    if element.attrib:
        style = "".join((element.get("style") or "").lower().split())
        if "hidden" in element.attrib or _NOT_DISPLAYED.search(style) or "visibility:hidden" in style:
            return HIDDEN, HIDDEN_TEXT
        names = f"{element.get('class') or ''} {element.get('id') or ''} {element.get('role') or ''}"
        named = element.tag not in ("html", "body") and len(names) > 2 and _FRAME_NAME.search(names[:500])
        if named or is_frame(element.tag, element.attrib, owned=False):
            return FRAME, PAGE_FRAME
    return (FRAME, PAGE_FRAME) if element.tag in _FRAME_TAGS else None


FORMATS = (
    Format("html", ("html", "htm", "xhtml", "shtml"), lambda r, d, _: read_html(r, d), is_html, statements=say_blocks),
)
