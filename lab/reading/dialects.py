"""Dialects of Markdown as their reader sees them: Obsidian, Logseq, Docusaurus, MkDocs, Hugo, Jekyll, Pandoc, Quarto.

The signs that only a program reads go: attributes, shortcodes, imports, comments, ids of blocks.  What it shows stays:
names of links, titles of boxes and of tabs, captions.  Code is never changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from lab.reading.sections import is_file_name
from lab.reading.uploads import Reading

_SIGNS = (
    "[[", "((", "{", "^", "~", "==", "%%", "::", "[!", "!!!", "???", "import ", "export ", "[TOC", "[toc", "--8<", "![",
    ":material-", ":fontawesome-", ":octicons-", ":simple-", ":fa-", ":bi-",
)  # fmt: skip
"""A text without any of these, and without a component, is common Markdown."""
_COMPONENT_BEGINS = re.compile("<[A-Z]")
_LONG, _LONGEST = 1000, 20_000
"""Characters of a line at which the time is checked, and above which nothing in it is changed."""
_FENCE = re.compile(r"[ \t>]*(?:[-*+] +)?(```+|~~~+)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")
_CODE_SPAN = re.compile(
    r"\$(?![\s$])[^$\n]{1,300}(?<![\s\\])\$(?![\d$])|(?<!`)(`+)(?!`)(?:[^`]|(?!(?<!`)\1(?!`))`){1,1000}(?<!`)\1(?!`)"
)
_BOX = re.compile(
    r"(?:!!!|\?\?\?\+?)[ \t]*+(?P<type>[\w-]++)?(?>(?:[ \t]++[\w-]++)*)[ \t]*+(?P<title>\"[^\"\n]*+\")?[ \t]*+"
    r"(?:\{[^{}]*+\})?\s*+$"
)
_TAB = re.compile(r"===[!+]*\s+\"(?P<title>[^\"\n]+)\"\s*$")
_DIV = re.compile(r":{3,}\s*(?P<rest>[^:\n].*)?$")
_DIV_TITLE = re.compile(r"(?:title|label|caption|header|content|text)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'{}>]+))")
_CALLOUT = re.compile(r"(?P<quote>[ \t]*(?:>[ \t]?)+)\[!(?P<type>[\w-]+)(?:\|[^\]\n]*)?\][+-]?[ \t]*(?P<title>.*)$")
_TYPES = re.compile(
    r"note|tip|info|warning|danger|caution|important|abstract|summary|example|question|success|failure|bug|quote|hint"
    r"|attention|seealso|todo|error|details|help|faq|cite|check|done|fail|missing|security|secondary|callout"
)
"""Types of boxes whose name is shown if they have no title."""
_LIQUID_CODE = re.compile(
    r"\s*(?:\{%-?\s*(?P<end>end)?(?:highlight|codeblock|code)\b\s*+(?P<language>[\w+#-]*+).*-?%\}"
    r"|\{\{[<%]\s*+(?P<close>/)?\s*+(?:highlight|code)\b\s*+\"?(?P<lang>[\w+#-]*+).*[>%]\}\})\s*$"
)
_LIQUID_FENCE = "`````"
_IMPORT = re.compile(r"import\s+(?:[\w*{][^\n]*\sfrom\s+)?(?:\"[^\"\n]*\"|'[^'\n]*');?\s*$")
_EXPORT = re.compile(r"export\s+(?:const|let|var|default|function|async)\b")
_HIDDEN_PROPERTY = re.compile(
    r"(?:id:: +[0-9a-f]{8}-|(?:collapsed|heading):: +(?:true|false|\d)"
    r"|(?:background-color|logseq\.[\w.-]+|card-[\w-]+)::)"
)
_PROPERTY = re.compile(r"(?P<key>[A-Za-z][\w-]{0,40}):: +(?P<value>\S.*)$")
_BLOCK = re.compile(r"\s*(?:[-*+]\s+)?(?P<text>.*?)\s*$")
_BLOCK_ID = re.compile(r"\s*id:: +(?P<id>[0-9a-f]{8}-[0-9a-f-]{27})\s*$")
_GONE = re.compile(r"\[TOC\]|\[\[_?TOC_?\]\]|\{:[^{}]*\}|\{::?/?[a-z][^{}]*\}|--8<--.*", re.IGNORECASE)
_ATTRIBUTE = r"(?:[#.][\w:./-]+|-|[\w:@-]+=(?:\"[^\"]*\"|'[^']*'|[^\s}\"']+))"
_BRACES = rf"\{{:?[ \t]*{_ATTRIBUTE}(?:[ \t]+{_ATTRIBUTE})*[ \t]*\}}"
_ATTRIBUTES = re.compile(
    rf"[ \t]*{_BRACES}(?=[ \t]*+(?:#++[ \t]*+)?$)|(?<=[)\]\x00]){_BRACES}|(?<=[*_])\{{:?[#.][\w-]+\}}"
)
_TARGET = re.compile(r"\]\((?:[^()\s]*\{[{%][^()\n]*?[}%]\}[^()\s]*|\(\([0-9a-f-]+\)\))(?:\s+\"[^\"\n]*\")?\s*\)")
_SHORTCODE = re.compile(r"\{\{(?:<(?!/\*)(?P<inside>.{0,500}?)>|%(?!/\*)(?P<other>.{0,500}?)%)\}\}")
_SHOWN_SHORTCODE = re.compile(r"\{\{([<%])/\*(.{0,500}?)\*/([>%])\}\}")
_BOX_TITLE = re.compile(
    r"(?:tab|details|expand|accordion|notice|alert|admonition|callout|note|tip|info|warning|hint)\b[^\"]*\"([^\"]+)\"\s*$"
)
_TAB_NAME = re.compile(r"(?:title|label|name|header)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_LIQUID = re.compile(r"\{%(?!\s*raw)-?(?P<inside>.{0,500}?)-?%\}")
_RAW = re.compile(r"\{%-?\s*(?:end)?raw\s*-?%\}")
_MACRO = re.compile(
    r"\{\{\s*+(?P<name>query|embed|renderer|video|youtube|tweet|twitter|cloze|namespace|runpage|#\w+)\b"
    r"(?P<inside>[^{}\n]*+)\}\}"
)
_MDX_COMMENT = re.compile(r"\{/\*.{0,500}?\*/\}")
_COMMENT = re.compile(
    r"(?<![\d%])%%.{0,1000}?%%|\{%-?\s*comment\s*-?%\}.{0,1000}?\{%-?\s*endcomment\s*-?%\}|\{::comment\}.{0,1000}?\{:/(?:comment)?\}"
)
_COMMENT_SIGNS = re.compile(
    r"^(?:%%|\{%-?\s*comment\s*-?%\}|\{::comment\}|\{/\*)"
    r"|(?:%%|\{%-?\s*endcomment\s*-?%\}|\{:/(?:comment)?\}|\*/\})$"
)
_LINK = re.compile(
    r"(?P<shown>!?)\[\[(?P<target>(?![\s\d,.;-]*[\]|\\])[^\s\[\]|\\][^\[\]|\\\n]*?)?(?:\\?\|(?P<name>[^\[\]\n]*))?\]\]"
)
_MEDIA = re.compile(
    r"\.(?:mp4|webm|mov|mkv|ogv|mp3|wav|ogg|m4a|flac|3gp|avif|heic|canvas|base|excalidraw)$", re.IGNORECASE
)
_SIZE = re.compile(r"(!\[[^\[\]\n]*?)\|\d+(?:x\d+)?(?=\])")
_BLOCK_REFERENCE = re.compile(r"\(\((?P<id>[0-9a-f]{8}-[0-9a-f-]{27})\)\)")
_ANCHOR = re.compile(r"(?:^|(?<=\s))\^(?:(?=[\w-]*[A-Za-z-])[A-Za-z0-9][A-Za-z0-9-]+|\d{6})\s*$")
_SUPER = re.compile(r"(?<=[\w)\]])\^([\w+\-−.,]{1,12})\^(?!\^)")
_SUB = re.compile(r"(?<=[\w)])(?<!~)~([\w+\-−.]{1,12})~(?!~)")
_HIGHLIGHT = re.compile(r"(?<![=<>!])==(?![\s=])([^=\n]+?)(?<![\s=])==(?!=)")
_ICON = re.compile(r":(?:material|fontawesome|octicons|simple|fa|bi)-[a-z0-9-]+:(?:\{[^{}]*\})?[ \t]?")
_COMPONENT = re.compile(r"<(?:[A-Z][\w.]*)\s[^<>]*>")
_SPAN_ATTRIBUTE = r"(?:(?>(?:[#.][\w-]++)+)|[\w-]++=(?:\"[^\"\n]*+\"|'[^'\n]*+'|[^\s}\"']++))"
_SPAN = re.compile(rf"(?<![\]!])\[([^\[\]\n]+)\]\{{[ \t]*+{_SPAN_ATTRIBUTE}(?>(?:[ \t]++{_SPAN_ATTRIBUTE})*)[ \t]*+\}}")
_OUTLINE = re.compile(r"^[*-] [^\n]*\n(?=\{:\s*toc\b)", re.MULTILINE)
_LOGBOOK = re.compile(r"^[ \t]*:LOGBOOK:\n(?:.*\n)*?[ \t]*:END:[ \t]*\n?", re.MULTILINE)


def plain(reading: Reading, text: str) -> str:
    """Returns a text in any dialect as common Markdown."""
    if not _has_signs(text):
        return text
    if "{:" in text or ":LOGBOOK:" in text:
        text = _LOGBOOK.sub("", _OUTLINE.sub("", text))
    return "\n".join(_Dialect(reading, text).lines(text.split("\n")))


def _has_signs(text: str) -> bool:
    return any(sign in text for sign in _SIGNS) or ("<" in text and _COMPONENT_BEGINS.search(text) is not None)


class _Dialect:
    """Reads line by line; ``blocks`` are the texts that references name."""

    def __init__(self, reading: Reading, text: str) -> None:
        self.reading, self.blocks = reading, _named_blocks(text)
        self.step = 0

    def lines(self, lines: list[str], depth: int = 0) -> Iterator[str]:
        """Yields the lines without the signs of a dialect; code and what may be code stays."""
        fence, at, code_at, blank = "", 0, 4, True
        while at < len(lines):
            line, at, self.step = lines[at], at + 1, self.step + 1
            self.reading.hurry(self.step)
            liquid = None if fence and fence != _LIQUID_FENCE else _LIQUID_CODE.match(line)
            if liquid:
                ends = bool(liquid["end"] or liquid["close"])
                fence = "" if ends else _LIQUID_FENCE
                yield _LIQUID_FENCE + ("" if ends else liquid["language"] or liquid["lang"] or "")
                continue
            mark = _FENCE.match(line)
            if fence or mark:
                closes = bool(fence) and line.strip(" \t>").startswith(fence) and not line.strip(" \t>").strip(fence[0])
                fence = "" if closes else fence or (mark[1] if mark else "")
                yield line
                continue
            indent = len(line) - len(line.lstrip())
            if line.strip() and blank and (indent >= code_at or (line[0] == "\t" and code_at == 4)):
                yield line
                continue
            if item := _ITEM.match(line):
                code_at = item.end() + 4
            elif line.strip() and not indent:
                code_at = 4
            blank = not line.strip()
            if end := _end_of_comment(lines, at - 1):
                yield from self._comment("\n".join(lines[at - 1 : end])).split("\n")
                at = end
                continue
            box = (_BOX.match(line.lstrip()) or _TAB.match(line.lstrip())) if depth < 20 else None
            inside, end = _indented(lines, at, indent + 4) if box else ([], at)
            if box and any(inside):
                at, title = end, _title_of(box)
                yield from ("", f"**{title}**", "") if title else ("",)
                yield from self.lines(inside, depth + 1)
                continue
            after = next((after for after in lines[at : at + 3] if after.strip()), "")
            yield from self._line(line, after)

    def _line(self, line: str, after: str) -> Iterator[str]:
        """The lines for a line outside of code; ``after`` is the next one."""
        bare = line.strip()
        if div := _DIV.match(bare):
            title = "" if after.startswith("#") else _title_of_div(div["rest"] or "")
            yield from ("", title, "") if title else ("",)
        elif callout := _CALLOUT.match(line):
            yield f"{callout['quote']}**{self._inline(callout['title']) or callout['type'].capitalize()}**"
            yield callout["quote"].rstrip()
        elif _IMPORT.match(line) or _EXPORT.match(line) or _GONE.fullmatch(bare) or _HIDDEN_PROPERTY.match(bare):
            return
        elif field := _PROPERTY.match(bare):
            yield f"{line[: len(line) - len(line.lstrip())]}{field['key']}: {self._inline(field['value'])}"
        else:
            yield self._inline(line)

    def _inline(self, line: str) -> str:
        """A line, with all but its code changed."""
        if len(line) > _LONGEST or not _has_signs(line):
            return line
        if len(line) > _LONG:
            self.reading.hurry()
        spans: list[str] = []

        def kept(span: re.Match[str]) -> str:
            spans.append(span[0])
            return "\x00"

        line = _CODE_SPAN.sub(kept, line)
        for pattern in (_COMMENT, _MDX_COMMENT):
            line = pattern.sub(lambda comment: self._comment(comment[0]), line)
        for pattern, by in _INLINE:
            line = pattern.sub(by, line)
        line = _BLOCK_REFERENCE.sub(lambda m: self.blocks.get(m["id"], ""), line)
        line = _LINK.sub(_name_of_link, line)
        parts = line.split("\x00")
        return "".join(part + span for part, span in zip(parts, [*spans, ""], strict=False))

    def _comment(self, comment: str) -> str:
        """A comment as html writes it, if comments are taken in; else nothing."""
        return f"<!--{_COMMENT_SIGNS.sub('', comment.strip())}-->" if self.reading.takes_in("comments") else ""


def _named_blocks(text: str) -> dict[str, str]:
    """The texts of blocks by their ids, as Logseq writes them: the id is a line below the text."""
    blocks: dict[str, str] = {}
    before = ""
    for line in text.split("\n") if "id:: " in text else ():
        if named := _BLOCK_ID.match(line):
            blocks[named["id"]] = before
        elif block := _BLOCK.match(line):
            before = block["text"]
    return blocks


def _end_of_comment(lines: list[str], at: int) -> int:
    """The line behind a comment of several lines that begins at a line; 0 if none does."""
    begin = lines[at].strip()
    if begin.startswith("%%") and begin.count("%%") == 1:
        end = "%%"
    elif re.fullmatch(r"\{%-?\s*comment\s*-?%\}", begin):
        end = "{% endcomment %}"
    elif begin == "{::comment}":
        end = "{:/comment}"
    elif begin.startswith("{/*") and "*/}" not in begin:
        end = "*/}"
    else:
        return 0
    return next((i + 1 for i in range(at + 1, min(len(lines), at + 500)) if lines[i].strip().endswith(end)), 0)


def _indented(lines: list[str], at: int, indent: int) -> tuple[list[str], int]:
    """The lines that belong to a box, without their indent, and the place of the next line."""
    inside: list[str] = []
    while at < len(lines):
        line = lines[at].replace("\t", "    ", 1) if lines[at].startswith("\t") else lines[at]
        if line.strip() and len(line) - len(line.lstrip()) < indent:
            break
        inside.append(line[indent:])
        at += 1
    return [*inside, ""], at


def _title_of(box: re.Match[str]) -> str:
    """The title of a box or of a tab; without one, a box is named by its type."""
    title, groups = box["title"], box.groupdict()
    return title.strip('"') if title is not None else (groups.get("type") or "").capitalize()


def _title_of_div(rest: str) -> str:
    """The text for the line that opens a block between colons: its title, else its type."""
    rest = rest.strip()
    if named := _DIV_TITLE.search(rest):
        return f"**{named[1] or named[2] or named[3]}**"
    opened = re.match(r"\{?[.]?(?:callout-)?(?P<type>[\w-]+)\}?(?P<title>.*)$", rest)
    if opened is None:
        return ""
    title = re.sub(r"\{[^{}]*\}", "", opened["title"]).strip()
    title = title[1:-1] if title.startswith("[") and title.endswith("]") else title
    known = _TYPES.fullmatch(opened["type"].lower()) is not None
    if rest.startswith("{") and not rest.startswith(("{.callout-", "{" + opened["type"] + "}")):
        return ""
    return f"**{title or opened['type'].capitalize()}**" if known else ""


def _shown(match: re.Match[str]) -> str:
    """What a shortcode shows by itself: its title and its caption."""
    inside = next(filter(None, match.groups()), "").strip()
    if inside.startswith(("/", "end")):
        return ""
    named = _TAB_NAME if inside.startswith("tab") else _DIV_TITLE
    texts = [next(filter(None, groups), "") for groups in named.findall(inside)]
    box = _BOX_TITLE.match(inside)
    return f" {'. '.join([box[1]] if box and not texts else texts)} "


def _macro(match: re.Match[str]) -> str:
    return match["inside"].strip() if match["name"] in ("embed", "cloze") else ""


def _label(match: re.Match[str]) -> str:
    """A component, behind the title that it shows."""
    texts = [next(filter(None, groups), "") for groups in _DIV_TITLE.findall(match[0])]
    return (f"<p>{texts[0]}</p>" if texts else "") + match[0]


def _name_of_link(link: re.Match[str]) -> str:
    """The name of a link to a page; nothing for a picture."""
    target, name = (link["target"] or "").strip(), link["name"]
    page, _, part = target.partition("#")
    if link["shown"] and (is_file_name(page) or _MEDIA.search(page)):
        return "" if name is None or re.fullmatch(r"[\dx\s]*|center|left|right", name) else name.split("|")[0]
    if name:
        return str(name)
    if not target or target.lower() in ("toc", "_toc_"):
        return "" if target else link[0]
    return " > ".join(filter(None, [page, *(p for p in part.split("#") if not p.startswith("^"))]))


_INLINE: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (_TARGET, "](#)"),
    (_RAW, ""),
    (_SHORTCODE, _shown),
    (_SHOWN_SHORTCODE, r"{{\1\2\3}}"),
    (_LIQUID, _shown),
    (_MACRO, _macro),
    (_SPAN, r"\1"),
    (_ATTRIBUTES, ""),
    (_SIZE, r"\1"),
    (_ANCHOR, ""),
    (_SUPER, r"<sup>\1</sup>"),
    (_SUB, r"<sub>\1</sub>"),
    (_HIGHLIGHT, r"\1"),
    (_ICON, ""),
    (_COMPONENT, _label),
)
