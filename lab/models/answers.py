"""Reading lists and passages out of what language models write, strictly: text in, clean items out, or `Unreadable`.

Models number, quote and fence as they like, and add a polite first line; all of that goes.  No item is ever
empty, and nothing is raised but `Unreadable`.
"""

from __future__ import annotations

import json
import re
from itertools import chain, islice
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
_THOUGHTS = re.compile(r"^[ \t]*(?:<(think(?:ing)?)>.*?(?:</\1>\s*|\Z))+", re.DOTALL | re.MULTILINE)
_JSON_BEGINS = re.compile(r"\{|\[\s*[\[{\"]")
_REFUSAL = re.compile(
    r"""
      (?:i['’]m|i\s+am)\s+(?:very\s+|so\s+)?sorry(?=\s*(?:[,.;:!–—-]|but\b|i\b|$))
    | i\s+apologi[sz]e\b | my\s+apologies\b
    | sorry\s*[,.;:–—-]\s*(?:but\s+)?i\b
    | as\s+an?\s+(?:ai|artificial\s+intelligence|(?:large\s+)?language\s+model)\b
    | (?:unfortunately[\s,]+)?
      i\s*(?:can['’]?t | cannot | won['’]t | will\s+not | (?:am|['’]m)\s+(?:unable|not\s+able)\s+to
        | must\s+decline\s+to)
      \s+(?:help|assist|comply|answer|provide|do|fulfil+|engage|rewrite|write|create|generate)\b
      [^.!?\n]{0,30}\b(?:that|this|requests?|questions?|such|content)\b
    | (?:很|非常|十分|实在)?(?:抱歉|对不起|不好意思)[，,。！!\s]*(?:但是?|不过)?[，,\s]*
      (?:作为\S{0,12}[，,])?我?(?:们|还|暂时|目前)?(?:无法|不能|没办法|不可以|不会)
    | 我(?:无法|不能|没办法)(?:帮助|协助|提供|回答|满足|完成|处理|改写)
    | 作为(?:一[个名款位])?\s*(?:AI|人工智能|语言模型|大语言模型)
    """,
    re.X | re.I,
)
_PAIRS = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "『": "』", "`": "`", "*": "*", "_": "_", "《": "》"}
_DECODER, _JSON_START = json.JSONDecoder(), re.compile(r"[{\[]")
_LEAD = re.compile(r"[:：]\s*$")
_QUESTION_END = re.compile(rf"(?<=[{QUESTION_MARKS}])(?![{QUESTION_MARKS}{CLOSING}`*])\s*")


def items(text: str, n: int, *, questions: bool = False) -> tuple[str, ...]:
    """At most ``n`` items, one a line or as a JSON list; with ``questions``, a line with two is two.

    Nothing is read behind the last of them: an answer may have a hundred thousand lines.  Raises `Unreadable` where
    there is none, where the answer is a refusal, and where it is JSON that does not hold.
    """
    listed = _json_list(text)
    found: dict[str, str] = {}
    broken = listed is None and _JSON_BEGINS.match("\n".join(unfenced(text)).lstrip())
    lines = [] if broken or refuses(text) else _lines(text) if listed is None else listed
    parts = chain.from_iterable(map(_QUESTION_END.split, lines)) if questions else lines
    for part in islice(parts, 100 * n):
        item = clean(part) if len(part) <= 2 * LONGEST else ""
        if plain(item) and len(item) <= LONGEST:
            found.setdefault(plain(item), item)
        if len(found) >= n:
            break
    if not found:
        raise Unreadable(text, Said("up to {n} lines, one query each", n=n))
    return tuple(found.values())


def passage(text: str, *, longest: int = 4000) -> str:
    """One text without fences and surrounding quotes, blanks in a row made one.  Raises `Unreadable` for nothing."""
    whole = _unquoted(" ".join(" ".join(_lines(text)).split()))[:longest].strip()
    if refuses(text) or not plain(whole):
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


def refuses(text: str) -> bool:
    """Whether an answer says that there will be none: “I'm sorry, but I can't help with that.”"""
    return _REFUSAL.match(text.lstrip("\"'“*_ \n")) is not None


def without_thoughts(text: str) -> str:
    """An answer without what the model thought before it; thoughts that never end leave nothing after them.

    Some servers cut off the mark that opens the thoughts: then all before the closing one is thought.
    """
    before, closed, after = text.partition("</think>")
    return _THOUGHTS.sub("", after.lstrip() if closed and "<think" not in before else text)


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
        bare = _unquoted(line.strip())  # first: the stars around a line are no bullets
        shorter = _unquoted(_MARK.sub("", bare, count=1).strip()).strip()
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
