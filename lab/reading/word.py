"""Word files: mammoth makes html of them, whose visible text is read under its headings.

mammoth accepts tracked changes and knows content controls, tags and cells that reach over others.  `_prepared` first
rewrites in the XML what it passes over: fields, formulas, text boxes, notes, hidden text, the numbers of lists, and
headings that are one by their outline level or by the style that theirs is based on.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lab.errors import UploadError
from lab.reading.account import COMMENTS, DELETED, FRAME, HIDDEN, HIDDEN_TEXT, PAGE_FRAME, Statement
from lab.reading.archive import has_member, repacked
from lab.reading.encodings import clean
from lab.reading.format import Format
from lab.reading.html import visible
from lab.reading.known import HEADING_STYLE, TITLE_STYLES
from lab.reading.sections import Piece, add_sections, document_name, honest, split
from lab.reading.uploads import NO_TEXT, Reading
from lab.reading.word_lists import Lists
from lab.words import N_, Said, ngettext

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_V = "{urn:schemas-microsoft-com:vml}"
_MAIN = re.compile(r"word/document\d*\.xml", re.IGNORECASE)
_DEEPEST_STYLE, _MOST_SKIPPED = 30, 63
_BLOCKS = 200
"""Paragraphs and tables that mammoth is given at once, so that the time can be checked in between."""
_STYLES = "\n".join([*(f"p.LabHeading{n} => h{n}:fresh" for n in range(1, 10)), "p => div:fresh"])
_AGAIN = Said("Open it in a word processor, save it again, and upload that.")


def read_docx(reading: Reading, data: bytes) -> None:
    """Adds paragraphs, tables, notes and text boxes, split at headings; the name is the paragraph styled as title."""
    content = repacked(reading, data, "docx")
    try:
        document = _prepared(reading, content)
    except UploadError:
        raise
    except Exception as error:  # hostile bytes: whatever a parser trips over means the same to the visitor
        raise reading.refuse("“{file}” is a damaged Word file: it cannot be opened.", _AGAIN) from error
    pieces, tables = list[Piece](), 0
    for markup in _converted(reading, document.blocks):
        page = visible(reading, [markup], flat=True)
        pieces += page.pieces
        tables += page.tables
    if document.embedded:
        message = Said("A part of the document is embedded in another format and was not read.")
        reading.problem(message, Said("Open it in Word, save it again, and upload that."))
    if any(text.strip() for level, text in pieces if not level):
        add_sections(reading, split(pieces, document.title, document_name(reading)))
    else:  # nothing but headings: they are the text
        lines = [document.styled_title, *(text for _, text in pieces)]
        add_sections(reading, [(document.title or document_name(reading), "\n".join(filter(None, lines)))])
    if not reading.documents:
        raise reading.nothing(N_("“{file}” has no text; pictures are not read."), NO_TEXT)
    if tables:
        reading.fact(ngettext("{n:,} table", "{n:,} tables", tables))
    if document.pictures:
        reading.fact(ngettext("{n:,} picture without text", "{n:,} pictures without text", document.pictures))


def _converted(reading: Reading, blocks: list[Any]) -> Iterator[str]:
    """The html that mammoth makes of the blocks, some at a time."""
    import mammoth
    from lxml import etree

    for at in range(0, len(blocks), _BLOCKS):
        reading.hurry()
        root = etree.Element(f"{_W}document", nsmap={"w": _W[1:-1], "v": _V[1:-1]})
        etree.SubElement(root, f"{_W}body").extend(blocks[at : at + _BLOCKS])
        part = io.BytesIO()
        with zipfile.ZipFile(part, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr("word/document.xml", etree.tostring(root))
        yield mammoth.convert_to_html(part, style_map=_STYLES, include_default_style_map=False).value


# -------------------------------------------------------------------------------------------------- the XML


@dataclass
class _Document:
    """The blocks of a document, as mammoth reads them, and its titles."""

    blocks: list[Any]
    title: str
    styled_title: str
    pictures: int
    embedded: bool


def _prepared(reading: Reading, content: bytes) -> _Document:
    """The document with its text where mammoth finds it."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        main = next(name for name in names if _MAIN.fullmatch(name))
        body = _parsed(archive.read(main)).find(f"{_W}body")
        notes = {kind: _notes(archive, names, kind) for kind in ("footnote", "endnote")}
        notes["comment"] = _notes(archive, names, "comment") if reading.takes_in("comments") else {}
        styles = _Styles(_parsed(archive.read("word/styles.xml")) if "word/styles.xml" in names else None)
        lists = Lists(_parsed(archive.read("word/numbering.xml")) if "word/numbering.xml" in names else None)
        core_title = _core_title(archive.read("docProps/core.xml")) if "docProps/core.xml" in names else ""
    pictures = sum(1 for _ in body.iter("{*}blip", "{*}imagedata"))
    embedded = next(body.iter(f"{_W}altChunk"), None) is not None
    for part in (body, *(note for of_kind in notes.values() for note in of_kind.values())):
        reading.hurry()
        _mend(part, styles, hidden=reading.takes_in("hidden"))
    _put_notes(body, notes)
    title = _mark_headings(body, styles, lists)
    return _Document(list(body), title or honest(core_title), title, pictures, embedded)


def _parsed(xml: bytes) -> Any:
    from lxml import etree

    return etree.fromstring(xml, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))


def _core_title(xml: bytes) -> str:
    title = _parsed(xml).find("{http://purl.org/dc/elements/1.1/}title")
    return "" if title is None else str(title.text or "")


def _notes(archive: zipfile.ZipFile, names: list[str], kind: str) -> dict[str, Any]:
    """Footnotes or endnotes by their ids."""
    name = f"word/{kind}s.xml"
    if name not in names:
        return {}
    return {str(note.get(f"{_W}id")): note for note in _parsed(archive.read(name)).findall(f"{_W}{kind}")}


class _Styles:
    """What the styles of a document say, also by the styles that they are based on: level, title, hidden text."""

    def __init__(self, root: Any) -> None:
        styles = [] if root is None else root.findall(f"{_W}style")
        self.styles: Mapping[str, Any] = {str(style.get(f"{_W}styleId")): style for style in styles}
        self.levels: dict[str, int] = {}
        self.hidden: dict[str, bool] = {}

    def _chain(self, style: str) -> Iterator[Any]:
        """The style and those that it is based on, nearest first."""
        for _ in range(_DEEPEST_STYLE):
            element = self.styles.get(style)
            if element is None:
                return
            yield element
            style = _value(element.find(f"{_W}basedOn"))

    def level(self, style: str) -> int:
        """The level of a heading, 0 for a text, -1 for the title of the document."""
        if style not in self.levels:
            self.levels[style] = self._level(style)
        return self.levels[style]

    def _level(self, style: str) -> int:
        for element in self._chain(style):
            name = _value(element.find(f"{_W}name")).strip()
            outline = _outline(element.find(f"{_W}pPr"))
            if name.lower() in TITLE_STYLES:
                return -1
            if outline is not None:
                return outline
            if heading := HEADING_STYLE.fullmatch(name):
                return int(heading[1])
        heading = HEADING_STYLE.fullmatch(style) if style not in self.styles else None
        return int(heading[1]) if heading else 0

    def hides(self, style: str) -> bool:
        if style not in self.hidden:
            marks = (element.find(f"{_W}rPr/{_W}vanish") for element in self._chain(style))
            self.hidden[style] = next((_on(mark) for mark in marks if mark is not None), False)
        return self.hidden[style]

    def raised(self, style: str) -> str:
        """Whether text in this style is a superscript or a subscript, as Word calls it."""
        marks = (element.find(f"{_W}rPr/{_W}vertAlign") for element in self._chain(style))
        return next((_value(mark) for mark in marks if mark is not None), "")

    def numbering(self, style: str) -> tuple[str, Any]:
        """The style that numbers paragraphs in this style, and how; an empty one if none does."""
        for element in self._chain(style):
            numbering = element.find(f"{_W}pPr/{_W}numPr")
            if numbering is not None:
                return str(element.get(f"{_W}styleId")), numbering
        return "", None


def _value(element: Any) -> str:
    return "" if element is None else str(element.get(f"{_W}val") or "")


def _on(element: Any) -> bool:
    return element is not None and _value(element).lower() not in ("0", "false", "off")


def _outline(properties: Any) -> int | None:
    """The level that an outline level gives, 0 for body text; None if there is none."""
    level = _value(properties.find(f"{_W}outlineLvl")) if properties is not None else ""
    return None if not level.isdecimal() else 0 if int(level) > 8 else int(level) + 1


_DROPPED = (
    *(f"{_W}{name}" for name in ("del", "moveFrom", "bookmarkStart", "bookmarkEnd", "proofErr")),
    *(f"{_W}{name}" for name in ("commentRangeStart", "commentRangeEnd", "annotationRef", "lastRenderedPageBreak")),
    *(f"{_W}{name}" for name in ("rubyPr", "rt", "altChunk", "sectPr")),
)
_UNWRAPPED = (
    *(f"{_W}{name}" for name in ("fldSimple", "hyperlink", "bdo", "dir", "ruby", "rubyBase", "customXml", "smartTag")),
    *(f"{_W}{name}" for name in ("ins", "moveTo")),
    f"{_M}oMathPara",
)


def _mend(body: Any, styles: _Styles, *, hidden: bool) -> None:
    """Changes a part in place, so that mammoth reads all of its visible text and nothing else."""
    for element in list(body.iter(f"{_MC}AlternateContent")):
        _choose(element)
    for element in list(body.iter(*_DROPPED)):
        if element.getparent() is not None and element.getparent().tag not in (f"{_W}rPr", f"{_W}trPr"):
            _remove(element)
    for element in list(body.iter(f"{_M}oMath")):
        _replace(element, _run(_formula(element)))
    for element in list(body.iter(f"{_W}drawing", f"{_W}pict", f"{_W}object")):
        _box(element)
    for run in list(body.iter(f"{_W}r")):
        _mend_run(run, styles, hidden=hidden)
    for element in list(body.iter(f"{_W}tr", f"{_W}tc")):
        properties = element.find(f"{element.tag}Pr")
        if properties is None:
            continue
        skipped = _value(properties.find(f"{_W}gridBefore"))
        if any(properties.find(f"{_W}{mark}") is not None for mark in ("del", "moveFrom", "cellDel")):
            _remove(element)
        elif skipped.isdecimal():
            for _ in range(min(int(skipped), _MOST_SKIPPED)):
                element.insert(0, _empty_cell())
    for element in list(body.iter(*_UNWRAPPED)):
        _unwrap(element)


def _mend_run(run: Any, styles: _Styles, *, hidden: bool) -> None:
    """Removes a hidden run unless ``hidden``; one that is read loses its looks, and gets signs that mammoth knows."""
    looks = run.find(f"{_W}rPr")
    vanish = None if looks is None else looks.find(f"{_W}vanish")
    style = _value(looks.find(f"{_W}rStyle")) if looks is not None else ""
    paragraph = next(run.iterancestors(f"{_W}p"), None)
    paragraph_style = _value(paragraph.find(f"{_W}pPr/{_W}pStyle")) if paragraph is not None else ""
    is_hidden = _on(vanish) if vanish is not None else styles.hides(style) or styles.hides(paragraph_style)
    if is_hidden and not hidden:
        run.getparent().remove(run)
        return
    if looks is not None:
        raised = looks.find(f"{_W}vertAlign")
        align = _value(raised) if raised is not None else styles.raised(style)
        run.remove(looks)
        if align in ("superscript", "subscript"):
            _raise(run, align)
    for sign in list(run.iter(f"{_W}cr", f"{_W}ptab", f"{_W}sym")):
        code = str(sign.get(f"{_W}char") or "")
        if sign.tag == f"{_W}cr":
            sign.tag = f"{_W}br"
        elif sign.tag == f"{_W}ptab":
            sign.tag = f"{_W}tab"
        elif not re.fullmatch("[0-9A-Fa-f]{1,4}", code):
            _remove(sign)
        elif not 0xD800 <= int(code, 16) <= 0xF8FF:  # others are signs of a font, of which mammoth knows some
            _replace(sign, _text(chr(int(code, 16))))


def _raise(run: Any, align: str) -> None:
    from lxml import etree

    looks = etree.Element(f"{_W}rPr")
    etree.SubElement(looks, f"{_W}vertAlign").set(f"{_W}val", align)
    run.insert(0, looks)


def _choose(element: Any) -> None:
    """Of alternatives, the one with more text: programs write it twice, for new versions and for old ones."""
    best = max(element, key=lambda choice: sum(len(text.text or "") for text in choice.iter(f"{_W}t")), default=None)
    for child in [] if best is None else list(best):
        element.addprevious(child)
    _remove(element)


def _box(element: Any) -> None:
    """A picture goes; the text of a text box stays, in a form that mammoth reads."""
    boxes = list(element.iter(f"{_W}txbxContent"))
    texts = [box for box in boxes if not set(boxes).intersection(box.iterancestors())]
    if not texts:
        _remove(element)
        return
    from lxml import etree

    picture = etree.Element(f"{_W}pict")
    for text in texts:
        box = etree.SubElement(etree.SubElement(picture, f"{_V}shape"), f"{_V}textbox")
        box.append(text)
    _replace(element, picture)


def _put_notes(body: Any, notes: Mapping[str, Mapping[str, Any]]) -> None:
    """The text of footnotes, endnotes and comments, each behind the paragraph that refers to it."""
    for kind, known in notes.items():
        for reference in list(body.iter(f"{_W}{kind}Reference")):
            note = known.get(str(reference.get(f"{_W}id")))
            paragraph = next(reference.iterancestors(f"{_W}p"), None)
            _remove(reference)
            if note is None or paragraph is None:
                continue
            for block in reversed(note):
                for mark in list(block.iter(f"{_W}footnoteRef", f"{_W}endnoteRef")):
                    _remove(mark)
                paragraph.addnext(block)


def _mark_headings(body: Any, styles: _Styles, lists: Lists) -> str:
    """Gives headings the styles that `_STYLES` maps, and paragraphs of lists their numbers.

    Removes the title from the beginning, and returns it.
    """
    title, begun = list[str](), False
    for paragraph in list(body.iter(f"{_W}p")):
        properties = paragraph.find(f"{_W}pPr")
        style = _value(properties.find(f"{_W}pStyle")) if properties is not None else ""
        outline = _outline(properties)
        level = styles.level(style)
        level = level if outline is None or level < 0 else outline
        text = "".join(t.text or "" for t in paragraph.iter(f"{_W}t")).strip()
        number = lists.next(properties, styles.numbering(style)) if _is_there(properties, text) else ""
        if properties is not None:
            for part in list(properties):
                if part.tag != f"{_W}rPr" or part.find(f"{_W}del") is None:  # the mark of a joined paragraph
                    properties.remove(part)
        if number and text:
            paragraph.insert(0 if properties is None else 1, _run(number))
        inside = next(paragraph.iterancestors(f"{_W}tbl", f"{_W}txbxContent"), None) is not None
        if not text or inside or not level:
            begun |= bool(text)
            continue
        if level < 0 and not begun:
            title.append(" ".join(f"{number} {text}".split()))
            _remove(paragraph)
            continue
        begun = True
        _set_style(paragraph, f"LabHeading{max(1, level)}")
    return " ".join(title)


def _is_there(properties: Any, text: str) -> bool:
    """Whether a paragraph is counted: not if it was joined to the next one while changes were tracked."""
    return bool(text) or properties is None or properties.find(f"{_W}rPr/{_W}del") is None


def _set_style(paragraph: Any, style: str) -> None:
    from lxml import etree

    properties = paragraph.find(f"{_W}pPr")
    if properties is None:
        properties = etree.Element(f"{_W}pPr")
        paragraph.insert(0, properties)
    etree.SubElement(properties, f"{_W}pStyle").set(f"{_W}val", style)


def _formula(element: Any) -> str:
    """A formula in one line: a fraction with a slash, an exponent with ^, a root with its sign."""
    name = element.tag.removeprefix(_M)
    if name == "t":
        return str(element.text or "")
    parts = [_formula(child) for child in element if isinstance(child.tag, str)]
    between = {"f": "/", "sSup": "^", "sSub": "_"}.get(name, "")
    inside = between.join(filter(None, parts))
    return f"√({inside})" if name == "rad" else f"({inside})" if name == "d" else inside


def _empty_cell() -> Any:
    from lxml import etree

    cell = etree.Element(f"{_W}tc")
    etree.SubElement(cell, f"{_W}p")
    return cell


def _run(text: str) -> Any:
    from lxml import etree

    run = etree.Element(f"{_W}r")
    run.append(_text(text))
    return run


def _text(text: str) -> Any:
    from lxml import etree

    element = etree.Element(f"{_W}t")
    element.text = text
    return element


def _remove(element: Any) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def _replace(element: Any, by: Any) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.replace(element, by)


def _unwrap(element: Any) -> None:
    """Puts the children of an element into its place."""
    parent = element.getparent()
    if parent is None:
        return
    for child in list(element):
        element.addprevious(child)
    parent.remove(element)


# ------------------------------------------------------------------------------------------- what is said

_SAID_IN = (
    (re.compile(r"word/(document\d*|footnotes|endnotes)\.xml", re.IGNORECASE), "text", ""),
    (re.compile(r"word/comments\.xml", re.IGNORECASE), HIDDEN, COMMENTS),
    (re.compile(r"word/(header|footer)\d*\.xml", re.IGNORECASE), FRAME, PAGE_FRAME),
)


def say_paragraphs(reading: Reading, data: bytes) -> Iterator[Statement]:
    """Yields the text of all paragraphs of the body, the notes, the comments, headers and footers."""
    with zipfile.ZipFile(io.BytesIO(repacked(reading, data, "docx"))) as archive:
        for name in archive.namelist():
            place = next(((kind, at) for pattern, kind, at in _SAID_IN if pattern.fullmatch(name)), None)
            if place is not None:
                yield from _paragraph_texts(reading, _parsed(archive.read(name)), *place)


def _paragraph_texts(reading: Reading, root: Any, kind: str, name: str) -> Iterator[Statement]:
    places = (kind, name), (HIDDEN, HIDDEN_TEXT), (HIDDEN, DELETED)
    parts: tuple[list[str], ...] = [], [], []
    run, hidden, is_fallback, is_deleted = None, False, False, False
    for step, element in enumerate(root.iter("{*}t", "{*}p")):
        reading.hurry(step)
        if element.tag.endswith("}p"):
            for lines in parts:
                lines.append("\n")
            continue
        if element.getparent() is not run:
            run = element.getparent()
            above = frozenset(a.tag.rpartition("}")[2] for a in element.iterancestors())
            is_fallback, is_deleted = "Fallback" in above, not above.isdisjoint(("del", "moveFrom"))
            vanish = run.find("{*}rPr/{*}vanish") if run is not None else None
            hidden = vanish is not None and _on(vanish)
        if not is_fallback:
            parts[2 if is_deleted else 1 if hidden else 0].append(element.text or "")
    for place, lines in zip(places, parts, strict=True):
        yield Statement(*place, clean("".join(lines))[0].split("\n"))


FORMATS = (
    Format(
        "docx",
        ("docx", "docm"),
        lambda r, d, _: read_docx(r, d),
        has_member(r"word/document\d*\.xml"),
        is_text=False,
        statements=say_paragraphs,
    ),
)
