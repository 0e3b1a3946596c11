"""Reads lists and passages in the answers of language models, strictly: returns clean items or raises `Unreadable`.

Models number, quote and fence as they like, think aloud, and add polite lines before and after; all of it is removed.
No item is ever empty, and nothing is raised but `Unreadable`.
"""

from __future__ import annotations

import re
from itertools import chain, islice
from typing import Any

from lab.errors import ModelError
from lab.models.json_values import is_json, json_values, strings_of_all
from lab.models.marks import clean, is_nothing, marked_lines, numbered, says, unquoted
from lab.models.markup import unemphasised, without_tags
from lab.models.remarks import announces, remarks, without_greeting, without_remark
from lab.models.thoughts import labels_thoughts, without_thoughts
from lab.patterns import lazy_pattern
from lab.text import plain
from lab.text.borders import CLOSING, QUESTION_MARKS
from lab.words import N_, Said

__all__ = [
    "LONGEST",
    "Unreadable",
    "beginning",
    "clean",
    "content_lines",
    "items",
    "json_object",
    "passage",
    "refuses",
    "sameness",
    "says",
    "unfenced",
]

LONGEST_SHOWN = 2000
"""Maximum characters of an answer to show: a page with megabytes of text freezes."""


def beginning(text: str) -> str:
    """Returns an answer for display: a very long one is cut to its beginning, with its length."""
    if len(text) <= LONGEST_SHOWN + 100:
        return text
    return f"{text[:LONGEST_SHOWN]} … [{LONGEST_SHOWN:,} / {len(text):,}]"


class Unreadable(ModelError):
    """An answer that the parser rejects: ``answer`` is its `beginning`, ``expected`` describes a readable one."""

    def __init__(self, answer: str, expected: str) -> None:
        self.answer, self.expected = beginning(answer), expected
        short = answer if len(answer) <= 300 else answer[:300] + "…"
        message = N_("The model's answer could not be read: “{answer}”. Expected: {expected}.")
        remedy = Said("Try again, change the prompt, or use the rule.")
        super().__init__(Said(message, answer=short, expected=expected), remedy)

    def __reduce__(self) -> tuple[object, ...]:
        return Unreadable, (self.answer, self.expected)


LONGEST = 500
"""Maximum characters of a query: a longer item is left out."""

_FENCED = lazy_pattern(
    r"(```|~~~)(?:[\w-]*[ \t]*\r?\n|sqlite\b|sql\b|json\b)?(.*?)(?:\1|\Z)", re.DOTALL | re.IGNORECASE
)
_THOUGHT = lazy_pattern(
    r"^[^\w\n]*_*(?:thoughts?|thinking|思考|思路|(?P<also>reasoning|analysis|rationale|推理|分析))[*_]*\s*[:：].*\n?",
    re.I | re.M,
)
_ANSWER = lazy_pattern(
    r"^[^\w\n]*_*(?:final\s+)?(?:answers?|output|response|results?|queries|questions|最终答案|答案|回答|结果|输出|改写)"
    r"[*_]*\s*[:：]",
    re.I | re.M,
)
_HEAD = lazy_pattern(
    r"""[*_\s]{0,9}(?:(?:hypothetical|short|the)\s+)*
      (?:passage|answer|text|paragraph|document|summary|response|output|result|excerpt|abstract
      | (?:假设性?|假想)?(?:短文|段落|文段|回答|答案?|文档|正文|文本|概要|摘要|总结|文章))
      \s?\d{0,2}(?P<colon>[*_\s]{0,9}[:：][*_\s]{0,9}|[*_\s]{0,9}$)""",
    re.X | re.I,
)
"""A label before a passage."""
_ITEM_WORDS = lazy_pattern(r"\s{0,20}(?:\d{1,2}[.)、）]|[-*•+])\s{1,9}(?=\S)(?!.{0,300}[:：=]\s{0,9}[`*]{0,3}$)")
_REFUSAL = lazy_pattern(
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
_HASHES = lazy_pattern(r"^\s*#{1,6}\s+")
_ELEMENT = lazy_pattern(r"<(passage|answer|text|document|output|response|summary)>(.*)</\1>", re.DOTALL | re.IGNORECASE)
_LEAD, _MINUS = re.compile(r"[:：]\s*$"), re.compile(r"(?<![\w-])-(?=\d)")
_QUESTION_END = lazy_pattern(rf"(?<=[{QUESTION_MARKS}])(?![{QUESTION_MARKS}{CLOSING}`*])\s*")


def items(text: str, n: int, *, questions: bool = False) -> tuple[str, ...]:
    """Reads up to ``n`` items, one per line or as a JSON list; with ``questions``, a line may have several.

    Reading stops after the last item: an answer may have a hundred thousand lines.  Raises `Unreadable` if there is no
    item, if the answer is a refusal, and if it is broken JSON.
    """
    answer = _without_reasons(without_thoughts(text))
    listed = _listed(answer)
    if listed is not None and len(listed) == 1 and "\n" in listed[0]:
        answer, listed = listed[0], None  # a list in a string of JSON
    lines = _lines(without_tags(answer)) if listed is None else [" ".join(item.split()) for item in listed]
    broken = listed is None and any(line.lstrip().startswith("{") for line in lines[:2])
    if broken or refuses(answer) or labels_thoughts(answer) or (len(lines) == 1 and announces(lines[0])):
        lines = []
    elif listed is None:
        lines = lines[: 100 * n]
        lines = marked_lines([line for line in lines if not _THOUGHT.match(line)] or lines, n)
    by_sameness: dict[str, str] = {}
    parts = chain.from_iterable(map(_QUESTION_END.split, lines)) if questions else lines
    for part in islice(parts, 100 * n):
        item = clean(without_greeting(part)) if len(part) <= 2 * LONGEST else ""
        if says(item) and len(item) <= LONGEST and not is_json(item):
            by_sameness.setdefault(sameness(item), item)
        if len(by_sameness) >= n:
            break
    if not by_sameness:
        raise Unreadable(text, Said("up to {n} lines, one query each", n=n))
    return tuple(by_sameness.values())


def passage(text: str, *, longest: int = 4000) -> str:
    """Reads one text without fences and surrounding quotes, with single spaces.  Raises `Unreadable` if it is empty."""
    answer = _without_reasons(without_thoughts(text))
    lines = [unemphasised(_HASHES.sub("", line)) for line in _lines(without_tags(_ELEMENT.sub(r"\2", answer)))]
    body = lines[1:] if len(lines) > 1 and _HEAD.fullmatch(lines[0]) else lines
    whole = unquoted(" ".join(" ".join(body).split()))[: 2 * longest]
    whole = without_remark(_without_head(whole))[:longest].strip()
    if refuses(answer) or labels_thoughts(answer) or announces(whole) or is_nothing(whole):
        raise Unreadable(text, Said("a short passage"))
    return whole


def _without_head(text: str) -> str:
    """Removes greeting, announcement and label: “Sure! Here is the passage: …”, “Passage: …”."""
    while True:
        bare = without_greeting(text)
        head = _HEAD.match(bare)
        bare = unquoted(bare[head.end() :] if head and head["colon"].strip() else bare)
        if bare == text:
            return text
        text = bare


def json_object(text: str) -> dict[str, Any]:
    """Reads the first complete JSON object in an answer: alone, fenced, or within text.  Raises `Unreadable`."""
    for found in json_values(without_thoughts(text)):
        if isinstance(found.value, dict):
            return found.value
    raise Unreadable(text, Said("a JSON object"))


def refuses(text: str) -> bool:
    """Whether an answer refuses: “I'm sorry, but I can't help with that.”"""
    return _REFUSAL.match(text.lstrip("\"'“*_ \n")) is not None


def unfenced(text: str) -> list[str]:
    """Returns the text in each code fence of an answer; the whole answer if there is no fence."""
    return [m[2] for m in _FENCED.finditer(text)] or [text]


def sameness(text: str) -> str:
    """Returns a key that is equal for equal items: case, spaces and punctuation do not count, but a minus does."""
    return plain(_MINUS.sub("minus", text))


def _lines(text: str) -> list[str]:
    """Returns the lines that are not blank, from all fences, without greetings before and remarks after them."""
    lines = [line for part in unfenced(text) for line in part.splitlines() if line.strip()]
    first, last = 0, len(lines)
    while first < last - 1 and (announces(lines[first]) or (not first and _leads(lines[0]))):
        first += 1
    while last - first > 1 and remarks(lines[last - 1]):
        last -= 1
    return lines[first:last]


def content_lines(text: str) -> list[str]:
    """Returns the lines of an answer without fences, tags, greetings and remarks."""
    return _lines(without_tags(text))


def _leads(line: str) -> bool:
    """Whether a line only introduces the next ones: “Here are four rewordings:”, but not the number of an item."""
    return bool(_LEAD.search(line)) and not numbered(line)


def _without_reasons(text: str) -> str:
    """Removes labelled thoughts from an answer: “Thought: … Answer: …” becomes the answer."""
    thoughts = [*_THOUGHT.finditer(text)]
    if not thoughts:
        return text
    answer = _ANSWER.search(text, thoughts[-1].end())
    bare = text[answer.end() :] if answer else _THOUGHT.sub(lambda m: m[0] if m["also"] else "", text)
    return bare if bare.strip() else text


def _listed(text: str) -> list[str] | None:
    """Reads the list in JSON or Python anywhere in an answer; None if there is none, empty if it cannot be read.

    JSON behind the words of an item (“1. parse ["a"] in Python”) belongs to the item.
    """
    values = [*islice(json_values(text), 100)]
    values = [value for value in values if not _in_an_item(text, value.start)]
    if not values:
        return None
    if values[-1].value is None:
        return [] if len(values) == 1 else [*strings_of_all(value.value for value in values[:-1])]
    return strings_of_all(value.value for value in values) or None


def _in_an_item(text: str, start: int) -> bool:
    """Whether words and a list mark before them stand before this place of its line."""
    return _ITEM_WORDS.match(text[text.rfind("\n", 0, start) + 1 : start]) is not None
