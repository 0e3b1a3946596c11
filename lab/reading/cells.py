"""Cells of tables and fields of records: their plain text, the visible text of html in them, several tags in one."""

from __future__ import annotations

import ast
import html
import math
import re

from lab.reading.html import text_of
from lab.reading.known import ERRORS
from lab.reading.uploads import Reading

_TAG_BORDER, _COMMA = re.compile(r"[;；|\n]"), re.compile("[,，、]")
_SENTENCE_END = tuple("。.！!？?…")
_LONGEST_TAG, _TAG_WORDS, _LONGEST_LIST = 40, 4, 10_000
_CLAUSE = re.compile(
    r"(?:which|who|that|is|are|was|were|but|when|while|because|if|it|they|we|you|has|have)\b|但|因为|所以|如果"
)
"""How a clause of a sentence begins."""
_TAG = re.compile(
    r"""<(?P<close>/?)(?P<name>a|abbr|article|aside|audio|b|blockquote|body|br|button|caption|center|cite|code|col
    |colgroup|dd|del|details|div|dl|dt|em|figcaption|figure|font|footer|form|h[1-6]|header|hr|i|iframe|img|input|ins
    |kbd|label|li|main|mark|nav|ol|p|picture|pre|q|s|samp|script|section|small|source|span|strike|strong|style|sub
    |summary|sup|table|tbody|td|tfoot|th|thead|time|tr|tt|u|ul|var|video)(?:\s+[\w:-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?)*\s*(?P<empty>/?)>""",
    re.IGNORECASE | re.VERBOSE,
)
_OPENED = re.compile(r"<(?=[a-z/@#!])", re.IGNORECASE)
"""What may begin a tag: more than there are known tags is another notation, such as <https://example.org|a link>."""
_COMMENT = re.compile("<!--.*?-->", re.DOTALL)
_PAGE = re.compile(r"\s*<(?:!doctype html|html|body|head)\b", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|[a-z]{2,8}|#\d{1,7}|#x[0-9a-f]{1,6});", re.IGNORECASE)
_VOID = frozenset(("br", "col", "hr", "img", "input", "source"))
_OPTIONAL = frozenset(("p", "li", "dt", "dd", "td", "th", "tr", "tbody", "thead", "tfoot"))
"""Elements whose end html lets a writer leave out."""
_BLOCK = re.compile(
    r"\s*<(?:script|style|p|div|ul|ol|h[1-6]|table|section|article|blockquote|dl|pre|span)\b", re.IGNORECASE
)
_ABOUT = re.compile(
    r"(?<![<&/])\b(?:html|xml|tags?|markup|elements?|entit(?:y|ies)|escap\w+|ampersand)\b|标签|标记|元素|实体|转义|標籤|尖括号",
    re.IGNORECASE,
)
"""Words of a text that is about html."""
_NAMED = re.compile(r"<(\w+)>\s*(?:and|or|und|oder|to|和|与|或|到|…|\.\.\.)\s*</\1>", re.IGNORECASE)
"""An element that is named and not used: <b> and </b>."""


def plain(value: object) -> str | None:
    """Returns a cell as text; None if it is empty, not a number (NaN, infinity), a spreadsheet's error or nested."""
    if isinstance(value, str):
        return value if value.strip() and value.strip().lower() not in ERRORS else None
    if value is None or isinstance(value, dict | list) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return str(value)


def split_tags(text: str) -> list[str]:
    """Returns the tags of a cell: a list in brackets, or parts between ; or |, or commas unless it is a sentence."""
    text = text.strip()
    if text[:1] == "[" and text[-1:] == "]":
        listed = _literal(text)
        if listed is not None:
            return [tag for part in listed if (tag := str(part).strip())]
        text = text[1:-1]
    parts = [part.strip() for part in _TAG_BORDER.split(text) if part.strip()]
    if len(parts) > 1:
        return parts
    if text.startswith("#") and len(words := text.split()) > 1 and all(word.startswith("#") for word in words):
        return [word.strip("#,，、") for word in words if word.strip("#,，、")]
    parts = [part.strip() for part in _COMMA.split(text) if part.strip()]
    return parts if all(map(_is_tag, parts)) and not text.endswith(_SENTENCE_END) else [text]


def _literal(text: str) -> list[object] | None:
    """The list that a text is, as Python writes it; None for anything else."""
    try:
        listed = ast.literal_eval(text) if len(text) <= _LONGEST_LIST else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return listed if isinstance(listed, list) else None


def _is_tag(part: str) -> bool:
    return len(part) <= _LONGEST_TAG and not _CLAUSE.match(part) and len(part.split()) <= _TAG_WORDS


def visible_cell(reading: Reading, text: str) -> str:
    """Returns what a reader sees of a cell that is html; a text about html, and a < b, stay as they are."""
    if not ("<" in text or "&" in text) or not is_html(text):
        return text
    return text_of(reading, text) if "<" in text else html.unescape(text).replace("\xa0", " ")


def is_html(text: str) -> bool:
    """Whether a text is a fragment of html: its elements begin and end as html has it, and it is not about html."""
    if _PAGE.match(text):
        return True
    tags = list(_TAG.finditer(text))
    if "```" in text:
        return False
    if not tags:
        entity = _ENTITY.search(text) and "<" not in text and " &nbsp; " not in text
        return bool(entity) and not _ABOUT.search(_ENTITY.sub(" ", text))
    if not _balanced(tags):
        return False
    if _BLOCK.match(text) and text.rstrip().endswith(">"):
        return True
    if len(tags) < len(_OPENED.findall(_COMMENT.sub("", text))):
        return False
    apart = [_apart(text, tag) for tag in tags]
    if all(apart) or _NAMED.search(text):
        return False
    breaks = any(tag["name"].lower() == "br" and not alone for tag, alone in zip(tags, apart, strict=True))
    return breaks or not _ABOUT.search(_TAG.sub(" ", text))


def _apart(text: str, tag: re.Match[str]) -> bool:
    """Whether a tag is between the words of a sentence, as a word does: a <br> makes a line break."""
    before, behind = text[max(0, tag.start() - 20) : tag.start()], text[tag.end() : tag.end() + 1]
    return before[-1:] == " " and behind in ("", " ", ",", ".", "，", "。") and before.rstrip()[-1:].isalnum()


def _balanced(tags: list[re.Match[str]]) -> bool:
    """Whether every element ends, apart from those whose end may be left out, and something is one."""
    waiting, ended = list[str](), False
    for tag in tags:
        name = tag["name"].lower()
        if name in _VOID or tag["empty"]:
            ended = True
        elif not tag["close"]:
            waiting.append(name)
        else:
            while waiting and waiting[-1] != name and waiting[-1] in _OPTIONAL:
                waiting.pop()
            if not waiting or waiting.pop() != name:
                return name in _OPTIONAL and ended
            ended = True
    return (ended or len(tags) > 1) and all(name in _OPTIONAL for name in waiting)
