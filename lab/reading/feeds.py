"""XML: news feeds and other files of repeated elements are tables, other texts one document.

Every element is a border, CDATA is text (often html), and a name means nothing of what html means by it.  Files that
are almost XML (`lab.reading.sgml`) are read as what they mean: several roots, a bare ``&``, tags that are never closed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from html import escape, unescape
from itertools import chain, zip_longest
from typing import Any

from lab.errors import UploadError
from lab.reading.account import Statement, parted
from lab.reading.format import Format
from lab.reading.html import declared_encoding, is_markup, is_xml_text, text_of
from lab.reading.known import STRONG
from lab.reading.sections import add_sections, document_name, honest
from lab.reading.sgml import repaired
from lab.reading.tables import Table, add_table
from lab.reading.uploads import Columns, Reading
from lab.words import N_, Said

_RECORDS = frozenset(["item", "entry", "record", "row", "doc", "document", "article", "post", "page"])
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_NAMES = {"encoded": "content"}
"""RSS calls the whole text of an item so, beside its description."""
_HTML_FIELDS = ("description", "encoded")
"""Elements of RSS whose text is html."""
_XHTML = "{http://www.w3.org/1999/xhtml}"
_NEWSPAPER = {"head": "title", "hl": "title", "ttl": "title"}
"""Names of a title in the collections of TREC."""


def read_xml(reading: Reading, data: bytes, columns: Columns | None) -> None:
    """Adds the records of an XML file as rows of a table, below its title; one document if it has no records.

    Several roots are read one by one, roots of the same name together.
    """
    if reading.wanted_encoding is None:
        reading.wanted_encoding = declared_encoding(data)
    for root in _roots(reading, reading.decode(data)):
        _add(reading, root, columns)
    if not reading.documents:
        raise reading.refuse("“{file}” is XML without text.", Said("Upload a file with text in it."))


def _add(reading: Reading, root: Any, columns: Columns | None) -> None:
    records, before = _records(root), len(reading.documents)
    title = honest(_title(root)) or document_name(reading)
    if records:
        table = Table(N_("item {n}"), above=title)
        for number, element in table.within(reading, enumerate(records, 1)):
            reading.hurry(number)
            table.rows.append((number, _fields(reading, element)))
        _fill_contents([fields for _, fields in table.rows])
        table.columns = list(dict.fromkeys(name for _, row in table.rows for name in row))[: reading.limits.max_columns]
        try:
            add_table(reading, table, columns)
            return
        except UploadError:
            if len(reading.documents) > before:
                raise
    add_sections(reading, [(title, "\n".join(line for line in _lines(reading, root) if line))])


def _fill_contents(rows: list[dict[str, object]]) -> None:
    """Where some records have contents, a record without any has its summary as text."""
    if any("content" in row for row in rows):
        for row in rows:
            for name in ("summary", "description"):
                if "content" not in row and name in row:
                    row["content"] = row.pop(name)


def _roots(reading: Reading, text: str) -> Iterator[Any]:
    """The root of the XML; several roots of one name become one element."""
    from lxml import etree

    safe: dict[str, Any] = {"resolve_entities": False, "no_network": True, "remove_comments": True, "remove_pis": True}
    with suppress(etree.LxmlError, ValueError):
        yield etree.fromstring(_DECLARATION.sub("", text, count=1).encode("utf-8", "replace"), etree.XMLParser(**safe))
        return
    parser = etree.XMLParser(recover=True, **safe)
    try:
        whole = etree.fromstring(repaired(reading, text).encode("utf-8", "replace"), parser)
    except (etree.LxmlError, ValueError):
        whole = None
    if whole is None:
        remedy = Said("Open it in the program that made it, save it again, and upload that.")
        raise reading.refuse("“{file}” is not readable as XML.", remedy)
    if wrong := [error for error in parser.error_log if error.domain_name != "NAMESPACE"]:
        damaged = Said("The XML is damaged here; a part of the text may be missing.")
        reading.wrong_line(wrong[0].line, damaged, Said("Save it again with the program that made it."))
    roots, beside = dict[str, Any](), etree.Element(whole.tag)
    beside.text = "\n".join([whole.text or "", *(child.tail or "" for child in whole)])
    for child in _children(whole):
        child.tail = None
        roots.setdefault(_name(child), etree.Element(whole.tag)).append(child)
    for group in roots.values():
        yield group if len(group) > 1 else group[0]
    yield beside


def _name(element: Any) -> str:
    """The name of an element without its namespace; nothing for an entity."""
    return element.tag.rpartition("}")[2].rpartition(":")[2] if isinstance(element.tag, str) else ""


def _children(element: Any) -> list[Any]:
    return [child for child in element if isinstance(child.tag, str)]


def _title(root: Any) -> str:
    """The title of the whole: of the file, or of its only part."""
    children = _children(root)
    for element in (root, *(children if len(children) == 1 else ())):
        for child in _children(element):
            if _name(child).lower() in ("title", "name"):
                return "".join(child.itertext())
    return ""


def _records(root: Any) -> list[Any]:
    """The elements that repeat in one parent, have elements of their own and hold most of the text."""
    best: list[Any] = []
    length = 0
    for parent in root.iter():
        groups = Counter(_name(child) for child in _children(parent) if len(child) or len(child.attrib) > 1)
        for name, count in groups.items():
            if count < 2 and name.lower() not in _RECORDS:
                continue
            group = [child for child in parent if _name(child) == name]
            if any(_mixed(child) for child in group[:100]):
                continue
            size = sum(len(text) for child in group for text in (*child.itertext(), *child.attrib.values()))
            if size > length:
                best, length = group, size
    return best


def _mixed(element: Any) -> bool:
    """Whether an element contains text beside elements: then it is a text, and not a record."""
    return bool((element.text or "").strip()) or any((child.tail or "").strip() for child in element)


def _fields(reading: Reading, element: Any) -> dict[str, object]:
    """The fields of a record: attributes, elements, and elements inside these by both names."""
    values: dict[str, list[str]] = {}

    newspaper = any(_name(child).lower() == "docno" for child in element)
    names = _NAMES | _NEWSPAPER if newspaper else _NAMES

    def put(name: str, text: str) -> None:
        text = text.strip()
        if text:
            values.setdefault(names.get(name.lower(), name), []).append(text)

    for name, value in element.attrib.items():
        put(name.rpartition("}")[2], text_of(reading, value) if is_markup(value) else value)
    for child in _children(element):
        name = _name(child)
        nested = _children(child)
        if not nested or _mixed(child) or name.lower() in STRONG:
            put(name, _text(reading, child))
            if not len(child) and not (child.text or "").strip():
                put(name, child.get("href") or child.get("term") or child.get("url") or "")
        else:
            for inner in nested:
                put(f"{name}.{_name(inner)}", _text(reading, inner))
    return {name: "\n".join(texts) for name, texts in values.items()}


def _text(reading: Reading, element: Any) -> str:
    """The text of an element, with a border at each element inside; html that is written as text is read as html."""
    parts = (part for part in (" ".join(line.split()) for line in element.itertext()) if part)
    if any(isinstance(e.tag, str) and (e.tag.startswith(_XHTML) or _name(e) in ("sup", "sub")) for e in element.iter()):
        return _as_html(reading, element)
    text, direct = (" " if _mixed(element) else "\n").join(parts), element.text or ""
    markup = is_markup(direct) or element.get("type") == "html" or _name(element) in _HTML_FIELDS
    return text_of(reading, direct) if not len(element) and markup else text


def _as_html(reading: Reading, element: Any) -> str:
    from lxml import etree

    return text_of(reading, etree.tostring(element, encoding="unicode", with_tail=False)).strip()


def _lines(reading: Reading, element: Any) -> Iterator[str]:
    """The text of all elements, an element a line; text beside elements is one line with them."""
    if _mixed(element):
        yield " ".join(_text(reading, element).split())
    elif not len(element):
        yield _text(reading, element)
    else:
        for child in _children(element):
            yield from _lines(reading, child)


# ------------------------------------------------------------------------------------------- what is said

_MOST_PARTS = 2_000_000
_MARKUP = re.compile(r"<(?P<name>[\w:.-]++)(?P<attributes>[^<>]*+)>|<[^<>]*+>|(?P<text>[^<]++)")
_ATTRIBUTE = re.compile(r"([\w:.-]++)\s*+=\s*(?:\"([^\"<]*)\"|'([^'<]*)')")


def say_elements(reading: Reading, data: bytes) -> Iterator[Statement]:
    """Yields the texts between the tags, and attributes with several words, by the names of the elements."""
    outside, inside = parted(reading.text_again(data), "<![CDATA[", "]]>")
    text = "".join(chain.from_iterable(zip_longest(outside, map(escape, inside), fillvalue="")))
    for begin, end in (("<!--", "-->"), ("<?", "?>")):
        text = "".join(parted(text, begin, end)[0])
    name, lines_of = "", dict[str, list[str]]()
    for step, part in enumerate(_MARKUP.finditer(text)):
        reading.hurry(step)
        if step > _MOST_PARTS:
            raise ValueError("more tags and texts than are counted")
        if part["name"]:
            name = part["name"].rpartition(":")[2]
            for attribute, a, b in _ATTRIBUTE.findall(part["attributes"]):
                if " " in (value := (a or b).strip()) and not attribute.startswith("xmlns"):
                    lines_of.setdefault(f"{name}@{attribute}", []).append(unescape(value))
        elif part["text"] and (said := unescape(part["text"]).strip()):
            if "\n" in said:
                yield Statement("element", name, said.split("\n"))
            else:
                lines_of.setdefault(name, []).append(said)
    for name, lines in lines_of.items():
        yield Statement("element", name, lines)


FORMATS = (
    Format(
        "xml",
        ("xml", "rss", "atom", "rdf", "sgml", "sgm"),
        read_xml,
        lambda s: s.expected != "md" and is_xml_text(s.text),
        statements=say_elements,
    ),
)
