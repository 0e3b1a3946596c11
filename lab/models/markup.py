"""Markup in what language models write: emphasis and lists in HTML become plain text.

Other signs are kept: 2 * 3 * 4, snake_case_name, *.txt, what does <b> mean.
"""

from __future__ import annotations

import html
import re

__all__ = ["unemphasised", "without_tags"]

_OPENS = r"[^\W_]|[\"'“‘「『《(（\[【{$#@&<?¿¡`~+-]"
_CLOSES = r"[^\W_]|[\"'”’」』》)）\]】}>.?!…。？！:：;；,，%°`~+-]"
_STARS = re.compile(
    rf"(?<![A-Za-z0-9*/\\])(\*{{1,3}})(?={_OPENS})((?:(?!\1).)+?)(?<={_CLOSES})\1(?!\*|(?<=[^*]\*)[A-Za-z0-9])"
)
_LINES = re.compile(rf"(?<!\w)(_{{1,3}})(?={_OPENS})((?:(?!\1).)+?)(?<={_CLOSES})\1(?!\w)")
_IDENTIFIER = re.compile(r"[a-z0-9_]+")
_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)([^`\n]+)\1(?!`)")
_TAGS = re.compile(r"<(b|strong|i|em|u|mark|code|kbd)>([^<]*)</\1>", re.IGNORECASE)
_END_OF_BLOCK = re.compile(r"</(?:li|[uo]l|p|div|h[1-6])>", re.IGNORECASE)
_ITEM = re.compile(r"<li(?:\s[^<>]*)?>", re.IGNORECASE)
_BLOCK = re.compile(r"</?(?:li|[uo]l|p|div|h[1-6])(?:\s[^<>]*)?>", re.IGNORECASE)
_BREAK = re.compile(r"(?<=\S)<br\s*/?>\s*", re.IGNORECASE)
_ELEMENTS = re.compile(r"^[ \t]*<\w.*>[ \t]*$", re.MULTILINE)
_TAG_ALONE = re.compile(r"^[ \t]*</?\w+(?:\s[^<>\n]*)?/?>[ \t]*$", re.MULTILINE)


def unemphasised(line: str) -> str:
    """A line without the marks of bold, italic and code, anywhere in it."""
    while True:
        bare = _TAGS.sub(r"\2", _CODE.sub(r"\2", line))
        bare = _LINES.sub(_without_lines, _STARS.sub(r"\2", bare))
        if bare == line:
            return line
        line = bare


def _without_lines(m: re.Match[str]) -> str:
    return m[0] if len(m[1]) > 1 and _IDENTIFIER.fullmatch(m[2]) else m[2]  # __init__ is a name


def without_tags(text: str) -> str:
    """A text with each element of HTML or XML on a line of its own and a hyphen before each item of a list."""
    text = _BREAK.sub("\n", text)
    if _END_OF_BLOCK.search(text):
        text = html.unescape(_BLOCK.sub("\n", _ITEM.sub("\n- ", text)))
    return _TAG_ALONE.sub("", _ELEMENTS.sub(lambda m: re.sub(r">[ \t]*<", ">\n<", m[0]), text))
