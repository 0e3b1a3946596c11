"""Markdown as its reader sees it: markdown-it makes html of it, whose visible text is read.

Tags, comments, link targets and the syntax of pictures are not text; code and tables stay as they are.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import suppress
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from lab.algebra import Value
from lab.reading.account import BINARY, COMMENTS, HIDDEN, MARKS, PICTURES, Statement, parted
from lab.reading.dialects import plain
from lab.reading.format import Format
from lab.reading.html import Page, visible
from lab.reading.known import LISTS
from lab.reading.sections import add_sections, document_name, is_file_name, split
from lab.reading.tables import to_value
from lab.reading.uploads import NOTHING, Metadata, Reading
from lab.words import ngettext

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

_FRONT = re.compile(r"---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_TOML_FRONT = re.compile(r"\+\+\+[ \t]*\n(.{0,20000}?)\n\+\+\+[ \t]*(?:\n|$)", re.DOTALL)
_PROPERTIES = re.compile(r"(?:[A-Za-z][\w-]{0,40}:: +\S[^\n]*(?:\n|$))+")
"""The properties of a page, as Logseq writes them."""
_DEFINITION = re.compile(r"^ {0,3}\[(?!\^)[^\]\n]+\]:[ \t]*\S.*$", re.MULTILINE)
_COMMENT = re.compile(r"^<!--", re.MULTILINE)
_MARKUP = re.compile(r"[\n*_`\[\]<>!&~\\]")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_NESTED = 100
"""Levels of quotations and lists that are read."""
_SLICE = 1 << 17
"""Characters that are parsed at once, so that the time can be checked in between."""


def read_md(reading: Reading, data: bytes) -> None:
    """Adds a document per section; its title is the path of headings.  Simple front matter becomes metadata."""
    metadata, text = _front_matter(reading.decode(data))
    title = metadata.pop("title", "")
    add_markdown(reading, text, title if isinstance(title, str) else "", metadata)


def add_markdown(reading: Reading, text: str, title: str = "", metadata: Metadata = NOTHING) -> None:
    """Adds the sections of a Markdown text, below its ``title`` if it has one."""
    text = plain(reading, text)
    page = _page(reading, text)
    if any(body.strip() for level, body in page.pieces if not level):
        add_sections(reading, split(page.pieces, title, document_name(reading)), metadata)
    elif page.pieces:  # nothing but headings: they are the text
        add_sections(reading, [(title or document_name(reading), text.strip())], metadata)
    if page.tables:
        reading.fact(ngettext("{n:,} table", "{n:,} tables", page.tables))


def _page(reading: Reading, text: str) -> Page:
    return visible(reading, _html(reading, text), bullets=True, fences=True)


def _html(reading: Reading, text: str) -> Iterator[str]:
    markdown = _parser()
    opened = list(_COMMENT.finditer(text))
    if opened and text.find("-->", opened[-1].end()) < 0:  # never closed: it would hide the rest of the text
        text = f"{text[: opened[-1].start()]}&lt;!--{text[opened[-1].end() :]}"
    known: MutableMapping[str, Any] = {}
    slices = list(_slices(text))
    if len(slices) > 1:  # a link may be defined in another part
        markdown.parse("\n".join(_DEFINITION.findall(text)), known)
    for part in slices:
        reading.hurry()
        yield markdown.render(part, known)


def _slices(text: str) -> Iterator[str]:
    """A long text in parts that begin with a heading after a blank line, outside of code and of comments."""
    begin = at = 0
    fence, blank = "", True
    while len(text) - begin > _SLICE and at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        line = text[at:end]
        mark = _FENCE.match(line)
        if fence:
            closes = line.strip().startswith(fence) and set(line.strip()) == {fence[0]}
            fence = "" if closes else fence
        elif mark:
            fence = mark[1]
        elif line.startswith("<!--"):
            close = text.find("-->", at)
            end = max(end, close + 3) if close >= 0 else len(text)
        elif blank and line.startswith("#") and at - begin > _SLICE // 2:
            yield text[begin:at]
            begin = at
        at, blank = end, not line.strip()
    yield text[begin:]


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import reference

    class Markdown(MarkdownIt):
        """Where a link leads is not read, so that nothing needs to be encoded, and every link is one."""

        def validateLink(self, url: str) -> bool:
            return True

        def normalizeLink(self, url: str) -> str:
            return ""

        def normalizeLinkText(self, link: str) -> str:
            return link

    def no_footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        first = state.bMarks[start] + state.tShift[start]
        return not state.src.startswith("[^", first) and reference(state, start, end, silent)

    markdown = Markdown("commonmark", {"html": True, "breaks": True, "maxNesting": _NESTED})
    markdown.enable(["table", "strikethrough"])
    markdown.core.ruler.at("inline", _inline)
    markdown.block.ruler.at("reference", no_footnote)
    markdown.add_render_rule("image", _picture)
    return markdown


def _picture(renderer: Any, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
    """The words that describe a picture, unless they are the name of its file."""
    words = str(renderer.renderInlineAsText(tokens[i].children or [], options, env))
    return "" if is_file_name(words) or "://" in words else escape(words)


def _inline(state: StateCore) -> None:
    """Parses lines with markup only: most lines do not have any, and parsing takes long."""
    from markdown_it.token import Token

    for token in state.tokens:
        if token.type != "inline":
            continue
        if token.children is None:
            token.children = []
        if _MARKUP.search(token.content):
            state.md.inline.parse(token.content, state.md, state.env, token.children)
        else:
            token.children.append(Token("text", "", 0, content=token.content))


# ------------------------------------------------------------------------------------------------ front matter


def _front_matter(text: str) -> tuple[dict[str, Value], str]:
    """The fields between lines of three hyphens or plus signs at the beginning of a text, and the text behind them."""
    metadata = dict[str, Value]()
    if toml := _TOML_FRONT.match(text):
        with suppress(tomllib.TOMLDecodeError):
            fields = ((key, to_value(value)) for key, value in tomllib.loads(toml[1]).items())
            return {key: value for key, value in fields if value is not None}, text[toml.end() :]
    if properties := _PROPERTIES.match(text):
        for line in properties[0].strip().split("\n"):
            key, _, value = (part.strip() for part in line.partition("::"))
            metadata[key] = _list(value.replace("[[", "").replace("]]", "")) if key.lower() in LISTS else value
        return metadata, text[properties.end() :]
    front = _FRONT.match(text)
    if front is None:
        return metadata, text
    _add_fields(metadata, front.group(1).split("\n"))
    return metadata, text[front.end() :]


def _add_fields(metadata: dict[str, Value], lines: Sequence[str], depth: int = 0) -> None:
    """Adds the fields of simple YAML: values, lists and blocks of lines; fields below a field by their own names."""
    for key, value, below in _fields(lines):
        below = [line for line in below if line.strip()]
        listed = bool(below) and below[0].lstrip().startswith("- ")
        items = [item[1] for line in below if (item := re.fullmatch(r"\s*-\s+(.*)", line))] if listed else []
        if not value and items:
            metadata[key] = [_bare(item) for item in items]
        elif not value and depth < 5:
            _add_fields(metadata, [line.strip() for line in below], depth + 1)
        elif re.fullmatch(r"[|>][+-]?\d?", value):  # a block of lines, folded or not
            between = " " if value[0] == ">" else "\n"
            metadata[key] = between.join(line.strip() for line in below).strip()
        elif value:
            value = " ".join(filter(None, [value, *(line.strip() for line in below)]))
            metadata[key] = _list(value) if key.lower() in LISTS or value.startswith("[") else _bare(value)


def _fields(lines: Sequence[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Yields the name of each field, the value in its line, and the lines below that belong to it."""
    field: tuple[str, str, list[str]] | None = None
    for line in lines:
        begins = re.match(r"([\w-]{1,50})\s*:\s*(.*)$", line)
        if begins:
            if field:
                yield field
            field = begins[1], begins[2].strip(), []
        elif field and (line[:1] in (" ", "\t", "-") or not line):
            field[2].append(line)
    if field:
        yield field


def _bare(value: str) -> str:
    return value.strip().strip("\"'")


def _list(value: str) -> list[str]:
    return [_bare(v) for v in re.split("[,;|，；]", _bare(value).strip("[]")) if v.strip()]


# ------------------------------------------------------------------------------------------- what is said

_SAID_PICTURE = re.compile(r"!\[([^\[\]\n]{0,300})\](?:\([^()\n]{0,1000}\))?")
_SAID_LINK = re.compile(r"\[([^\[\]\n]{0,300})\](?:\([^()\n]{0,1000}\)|\[[^\[\]\n]{0,300}\])")


_SAID_MARK = re.compile(r"!\[\[[^\[\]\n]{1,300}\]\]|\{\{[<%].{0,500}?[%>]\}\}|\{%.{0,500}?%\}|\{[#.:][^{}\n]{0,300}\}")
_SAID_FENCE = re.compile(r"^([ \t>]*(?:```+|~~~+)[ \t]*[\w+#.-]*)[ \t]+([^\n`]{1,500})$", re.MULTILINE)
"""What stands behind the language of a block of code: a title, or options of a program."""
_SAID_PAGE = re.compile(r"\[\[([^\[\]|\n]{1,300})(?:\|([^\[\]\n]{0,300}))?\]\]")


def say_markdown(reading: Reading, data: bytes) -> Iterator[Statement]:
    """Yields the lines of a text without comments and the targets of links, and the words of its pictures."""
    yield from said_in(reading.text_again(data))


def said_in(text: str) -> Iterator[Statement]:
    outside, comments = parted(text, "<!--", "-->")
    outside, remarks = parted("".join(outside), "%%", "%%")
    text = "".join(outside)
    yield Statement(HIDDEN, COMMENTS, "\n".join((*comments, *remarks)).split("\n"))
    if "{" in text or "[[" in text:
        yield Statement(HIDDEN, MARKS, _SAID_MARK.findall(text))
        text = _SAID_PAGE.sub(lambda link: link[2] or link[1], _SAID_MARK.sub("", text))
    if "```" in text or "~~~" in text:
        yield Statement(HIDDEN, MARKS, [options for _, options in _SAID_FENCE.findall(text)])
        text = _SAID_FENCE.sub(r"\1", text)
    if "[" in text:
        yield Statement(BINARY, PICTURES, _SAID_PICTURE.findall(text))
        text = _SAID_LINK.sub(r"\1", _SAID_PICTURE.sub("", _DEFINITION.sub("", text)))
    yield Statement("text", "", text.split("\n"))


FORMATS = (Format("md", ("md", "markdown", "mdx"), lambda r, d, _: read_md(r, d), statements=say_markdown),)
