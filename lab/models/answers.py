"""Reading lists and passages out of what language models write, strictly: text in, clean items out, or `Unreadable`.

Models number, quote and fence as they like, and add a polite first line; all of that goes.  No item is ever
empty, and nothing is raised but `Unreadable`.
"""

from __future__ import annotations

import json
import re
from typing import Any

from lab.models.prompting import Unreadable
from lab.text import CLOSING, QUESTION_MARKS, plain
from lab.words import Said

LONGEST = 500
"""A query longer than this is no query: such an item is left out."""

_FENCED = re.compile(r"(```|~~~)(?:[\w-]*[ \t]*\r?\n|sqlite\b|sql\b|json\b)?(.*?)(?:\1|\Z)", re.DOTALL | re.IGNORECASE)
_MARK = re.compile(
    r"""^\s*(?:
        [-*+•·●▪◦‣–—]+(?=\s|[^\d\s-])           # bullets; a minus before a number is a minus
      | [(（\[【]\s*(?:\d{1,2}|[一二三四五六七八九十]{1,3}|[a-zA-Z])\s*[)）\]】]
      | (?:Q|q|问题?|子问题|改写|[Qq]uery|[Qq]uestion)\s*\d{1,2}\s*[.:：、)）]
      | \d{1,2}\s*[.．、:：)）](?!\d)             # 1.5 is a number
      | [一二三四五六七八九十]{1,3}\s*[、.．:：)）]
      | [①-⑳❶-❿⑴-⒇]
      | \#{1,6}(?=\s)
      | >(?=\s)
    )\s*""",
    re.X,
)
_PAIRS = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "『": "』", "`": "`", "*": "*", "_": "_", "《": "》"}
_DECODER, _JSON_START = json.JSONDecoder(), re.compile(r"[{\[]")
_LEAD = re.compile(r"[:：]\s*$")
_QUESTION_END = re.compile(rf"(?<=[{QUESTION_MARKS}])(?![{QUESTION_MARKS}{CLOSING}`*])\s*")


def items(text: str, n: int, *, questions: bool = False) -> tuple[str, ...]:
    """At most ``n`` items, one a line or as a JSON list; with ``questions``, a line with two is two.

    Raises `Unreadable` where there is none.
    """
    lines = _json_list(text)
    if lines is None:
        lines = _lines(text)
    found: dict[str, str] = {}
    for line in lines:
        for part in _QUESTION_END.split(line) if questions else (line,):
            item = clean(part)
            if plain(item) and len(item) <= LONGEST:
                found.setdefault(plain(item), item)
    if not found:
        raise Unreadable(text, Said("up to {n} lines, one query each", n=n))
    return tuple(found.values())[:n]


def passage(text: str, *, longest: int = 4000) -> str:
    """One text without fences and surrounding quotes, blanks in a row made one.  Raises `Unreadable` for nothing."""
    whole = _unquoted(" ".join(" ".join(_lines(text)).split()))[:longest].strip()
    if not plain(whole):
        raise Unreadable(text, Said("a short passage"))
    return whole


def json_object(text: str) -> dict[str, Any]:
    """The first whole JSON object in an answer: alone, fenced, or with words around it.  Raises `Unreadable`."""
    at = 0
    while found := _JSON_START.search(text, at):
        try:
            value, at = _DECODER.raw_decode(text, found.start())
        except json.JSONDecodeError as error:
            at = max(error.pos, found.end())  # what stands inside a broken value is no answer
        except (ValueError, RecursionError):
            break
        else:
            if isinstance(value, dict):
                return value
    raise Unreadable(text, Said("a JSON object"))


def unfenced(text: str) -> list[str]:
    """What stands in each code fence of an answer; the answer as a whole where there is none."""
    return [m[2] for m in _FENCED.finditer(text)] or [text]


def _lines(text: str) -> list[str]:
    """The lines that are not blank, of all fences, without the polite one at the beginning."""
    lines = [line for part in unfenced(text) for line in part.splitlines() if line.strip()]
    return lines[1:] if len(lines) > 1 and _LEAD.search(lines[0]) else lines  # "Here are four rewordings:"


def clean(line: str) -> str:
    """One item without its number, quotes and emphasis."""
    while True:
        shorter = _unquoted(_MARK.sub("", line.strip(), count=1).strip()).strip()
        shorter = re.sub(r"[,，]$", "", shorter) if shorter[:1] in _PAIRS else shorter
        if shorter == line:
            return line
        line = shorter


def _unquoted(text: str) -> str:
    if len(text) > 1 and _PAIRS.get(text[0]) == text[-1]:
        inner = re.sub(r"(?<=\w)['’](?=\w)", "", text[1:-1])  # an apostrophe is no quote
        if text[-1] not in inner:
            return text[1:-1]
    if len(text) > 4 and text[:2] == text[-2:] == "**":
        return text[2:-2]
    return text


def _json_list(text: str) -> list[str] | None:
    """The strings of a JSON list (or of the only list in a JSON object), or None where the answer is none."""
    try:
        found = json.loads("\n".join(unfenced(text)))
    except (ValueError, RecursionError):
        return None
    if isinstance(found, dict):
        lists = [v for v in found.values() if isinstance(v, list)]
        found = lists[0] if len(lists) == 1 else None
    return [" ".join(item.split()) for item in found if isinstance(item, str)] if isinstance(found, list) else None
