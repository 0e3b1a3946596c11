"""Reading lists and passages out of what language models write, strictly: text in, clean items out, or `Unreadable`.

Models number, quote and fence as they like, think aloud, and add polite lines before and after; all of that goes.
No item is ever empty, and nothing is raised but `Unreadable`.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable
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
      | [(（\[【]\s*(?:\d{1,2}|[一二三四五六七八九十]{1,3}|[a-zA-Z]|[ivxIVX]{2,4})\s*[)）\]】]
      | (?:Q|q|问题?|子问题|改写|[Qq]uery|[Qq]uestion)\s*\d{1,2}\s*[.:：、)）]
      | \d{1,2}\s*[.．:：](?!\d)                # 1.5 is a number
      | \d{1,2}\s*[、)）](?!\d+\s*[、)）])      # 1、2、3 are several
      | [一二三四五六七八九十]{1,3}\s*[、.．:：)）]
      | 第[一二三四五六七八九十]{1,3}[，,、.：:]
      | [①-⑳❶-❿⑴-⒇]
      | [Ⅰ-Ⅻⅰ-ⅻ]\s*[.．、:：)）]
      | [a-zA-Z][)）](?=\s)
      | \#{1,6}(?=\s)
      | >(?=\s)
    )\s*""",
    re.X,
)
_THOUGHTS = re.compile(r"^[ \t]*(?:<(think(?:ing)?)>.*?(?:</\1>\s*|\Z))+", re.DOTALL | re.MULTILINE)
_JSON_BEGINS = re.compile(r"^\s*(?:\{|\[\s*[\[{\"'])", re.MULTILINE)
_LABEL = re.compile(
    r"""^[*_]*(?:(?:re(?:written|worded|phrased|formulated)\s+)?(?:quer(?:y|ies)|(?:sub-?)?question|version)
        | answer | output | wording | alternative | rewording | re(?:write|written|worded|phrased|formulated)
        | 改写后?的?(?:问题|查询)? | 查询 | 子?问题 | 问法 | 说法 | 答案?)
      \s*\d{0,2}[*_]*\s*[:：][*_]*\s*""",
    re.X | re.I,
)
_ORIGINAL = re.compile(r"^[*_]*(?:original|原始?)(?:\s*(?:query|question|问题|问句|查询|句))?[*_]*\s*[:：]", re.I)
_LETTER = re.compile(r"^\s*([a-zA-Z]|[ivx]{2,4}|[IVX]{2,4})\s*[.．、:：]\s+")
_SERIES = [*"abcdefghijklmnopqrstuvwxyz"], ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"]
_NOTHING = re.compile(r"(?:none|na|null|nil|nothing|answer|output|query|queries|questions?|没有|无|空|暂无|\d{1,2})?")
_POLITE = re.compile(
    r"""
      (?:i\s+)?hope\s+(?:this|these|that|it)\b.*\bhelp
    | (?:please\s+)?(?:let\s+me\s+know|feel\s+free)\b
    | (?:these|the\s+above)\s+(?:quer(?:y|ies)|questions|re\w+|wordings)\s+(?:should|will|can|may|cover|are)\b
    | done[.!]?$
    | 希望(?:这些|以上|上述|能|可以)?.{0,8}(?:帮助|帮到|有用)
    | 以上(?:就?是|为|这?些).{0,12}(?:改写|查询|问题|问法|表述|说法)
    | 如(?:果|有).{0,20}(?:告诉我|告知我|随时)
    """,
    re.X | re.I,
)
_TAGGED, _BREAK = re.compile(r"<(\w+)>\s*(.*?)\s*</\1>", re.DOTALL), re.compile(r"(?<=\S)<br\s*/?>\s*")
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
_LEAD, _MINUS = re.compile(r"[:：]\s*$"), re.compile(r"(?<![\w-])-(?=\d)")
_QUESTION_END = re.compile(rf"(?<=[{QUESTION_MARKS}])(?![{QUESTION_MARKS}{CLOSING}`*])\s*")


def items(text: str, n: int, *, questions: bool = False) -> tuple[str, ...]:
    """At most ``n`` items, one a line or as a JSON list; with ``questions``, a line with two is two.

    Nothing is read behind the last of them: an answer may have a hundred thousand lines.  Raises `Unreadable` where
    there is none, where the answer is a refusal, and where it is JSON that does not hold.
    """
    answer = without_thoughts(text)
    listed = _listed(answer)
    lines = _lines(_BREAK.sub("\n", answer)) if listed is None else listed
    found: dict[str, str] = {}
    broken = listed is None and _JSON_BEGINS.match("\n".join(islice(lines, 2)))
    lines = [] if broken or refuses(answer) else _unlettered(lines) if listed is None else listed
    parts = chain.from_iterable(map(_QUESTION_END.split, lines)) if questions else lines
    for part in islice(parts, 100 * n):
        item = clean(part) if len(part) <= 2 * LONGEST else ""
        if says(item) and len(item) <= LONGEST:
            found.setdefault(sameness(item), item)
        if len(found) >= n:
            break
    if not found:
        raise Unreadable(text, Said("up to {n} lines, one query each", n=n))
    return tuple(found.values())


def passage(text: str, *, longest: int = 4000) -> str:
    """One text without fences and surrounding quotes, blanks in a row made one.  Raises `Unreadable` for nothing."""
    answer = without_thoughts(text)
    whole = _unquoted(" ".join(" ".join(_lines(answer)).split()))[:longest].strip()
    if refuses(answer) or _NOTHING.fullmatch(plain(whole)):
        raise Unreadable(text, Said("a short passage"))
    return whole


def json_object(text: str) -> dict[str, Any]:
    """The first whole JSON object in an answer: alone, fenced, or with words around it.  Raises `Unreadable`."""
    at, answer = 0, without_thoughts(text)
    while found := _JSON_START.search(answer, at):
        try:
            value, at = _DECODER.raw_decode(answer, found.start())
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


def says(item: str) -> bool:
    """Whether an item is one: not nothing in words, nor the heading of what does not follow."""
    return not _NOTHING.fullmatch(plain(item)) and not _LEAD.search(item) and not _ORIGINAL.match(item)


def sameness(text: str) -> str:
    """What is equal of two texts that say the same: case, blanks and punctuation do not count, but a minus does."""
    return plain(_MINUS.sub("minus", text))


def _lines(text: str) -> list[str]:
    """The lines that are not blank, of all fences, without the polite ones at the beginning and at the end."""
    lines = [line for part in unfenced(text) for line in part.splitlines() if line.strip()]
    lines = lines[1:] if len(lines) > 1 and _LEAD.search(lines[0]) else lines  # "Here are four rewordings:"
    return lines[:-1] if len(lines) > 1 and _POLITE.match(lines[-1].strip()) else lines


def _unlettered(lines: list[str]) -> list[str]:
    """Lines without their letters, or small Roman numbers, where these count: “a. m.” alone is no number."""
    marks = [_LETTER.match(line) for line in lines[:27]]
    counted = [mark[1].lower() for mark in marks if mark]
    if len(lines) < 2 or len(counted) < len(lines) or not any(counted == s[: len(counted)] for s in _SERIES):
        return lines
    return [line[mark.end() :] for line, mark in zip(lines, marks, strict=True) if mark]


def clean(line: str) -> str:
    """One item without its number, label, quotes and emphasis."""
    while True:
        bare = _unquoted(line.strip())  # first: the stars around a line are no bullets
        if tagged := _TAGGED.fullmatch(bare):
            bare = tagged[2]
        if len(bare) > 1 and bare[0] == bare[-1] == "|":  # a row of a table: what it says stands in the longest cell
            bare = max(bare.split("|"), key=len).strip()
        shorter = _unquoted(_LABEL.sub("", _MARK.sub("", bare, count=1).strip(), count=1)).strip()
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


def _listed(text: str) -> list[str] | None:
    """The items of a list in JSON, or in Python, that is the answer or stands on lines of its own in it; None: none."""
    whole = "\n".join(unfenced(text))
    begins = _JSON_BEGINS.search(whole)
    if begins is None:
        return None
    try:
        found, end = _DECODER.raw_decode(whole, begins.end() - len(begins[0].lstrip()))
        if whole[end:].partition("\n")[0].strip():
            return None
    except (ValueError, RecursionError):
        try:
            found = ast.literal_eval(whole.strip()) if whole.lstrip().startswith("['") else None
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return None
    items = [" ".join(item.split()) for item in _strings(found)]
    return items or None


def _strings(found: Any) -> Iterable[str]:
    """The texts of a list, or of the list in an object: that of the queries, or its first, or its values."""
    if isinstance(found, dict):
        lists = {str(key).lower(): value for key, value in found.items() if isinstance(value, list)}
        named = (lists[key] for key in ("queries", "questions", "wordings") if lists.get(key))
        found = next(chain(named, filter(None, lists.values())), [] if lists else list(found.values()))
    for item in found if isinstance(found, list) else []:
        text = (
            next((value for value in item.values() if isinstance(value, str)), None) if isinstance(item, dict) else item
        )
        if isinstance(text, str):
            yield text
