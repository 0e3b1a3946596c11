"""Reads lists and passages in the answers of language models, strictly: returns clean items or raises `Unreadable`.

JSON is read wherever it stands, and plain lines in the usual forms (`lab.models.lines`).  What could mean two things is
not read.  No item is ever empty, and nothing is raised but `Unreadable`.
"""

from __future__ import annotations

import re
from itertools import chain, islice
from typing import Any

from lab.errors import ModelError
from lab.models.json_values import first_object, is_json, json_values, strings_in
from lab.models.lines import (
    clean,
    content_lines,
    greets,
    is_item,
    is_nothing,
    item_lines,
    says,
    unemphasised,
    without_label,
    without_remark,
)
from lab.models.thoughts import labels_thoughts, without_thoughts
from lab.patterns import lazy_pattern
from lab.text import plain
from lab.text.borders import CLOSING, QUESTION_MARKS
from lab.words import N_, Said

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

_THOUGHT = lazy_pattern(
    r"^[^\w\n]*_*(?:thoughts?|thinking|reasoning|analysis|rationale|思考|思路|推理|分析)[*_]*\s*[:：]", re.I | re.M
)
_ANSWER = lazy_pattern(
    r"^[^\w\n]*_*(?:final\s+)?(?:answers?|output|response|results?|queries|questions|(?:最终)?答案|回答|结果|输出|改写)"
    r"[*_]*\s*[:：][*_]*",
    re.I | re.M,
)
_ELEMENT = lazy_pattern(r"<(passage|answer|text|document|output|response|summary)>(.*)</\1>", re.DOTALL | re.IGNORECASE)
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
_MINUS = lazy_pattern(r"(?<![\w-])-(?=\d)")
_QUESTION_END = lazy_pattern(rf"(?<=[{QUESTION_MARKS}])(?![{QUESTION_MARKS}{CLOSING}`*])\s*")


def items(text: str, n: int, *, questions: bool = False) -> tuple[str, ...]:
    """Reads up to ``n`` items: a list in JSON, or one per line; with ``questions``, a line may have several.

    Reading stops after the last item: an answer may have a hundred thousand lines.  Raises `Unreadable` if there is no
    item, if it is not sure which lines are items, and for a refusal and broken JSON.
    """
    answer = _answer_in(without_thoughts(text))
    lines = [] if refuses(answer) or labels_thoughts(answer) else _listed(answer)
    if lines is None or (len(lines) == 1 and "\n" in lines[0]):  # no JSON, or a list in a string of JSON
        lines = item_lines(content_lines(answer if lines is None else lines[0])[:99])
        if not all(map(is_item, map(clean, [line[: 2 * LONGEST] for line in lines[: 9 * n]]))):
            lines = []
    parts = chain.from_iterable(map(_QUESTION_END.split, lines)) if questions else lines
    by_sameness: dict[str, str] = {}
    for part in islice(parts, 100 * n):
        item = clean(" ".join(part.split())) if len(part) <= 2 * LONGEST else ""
        if says(item) and len(item) <= LONGEST and not is_json(item):
            by_sameness.setdefault(sameness(item), item)
        if len(by_sameness) >= n:
            break
    if not by_sameness:
        raise Unreadable(text, Said("up to {n} lines, one query each", n=n))
    return tuple(by_sameness.values())


def passage(text: str, *, longest: int = 4000) -> str:
    """Reads one text without fences and surrounding quotes, with single spaces.

    Raises `Unreadable` if it is empty, and if words to the reader stand in the same line.
    """
    answer = _answer_in(without_thoughts(text))
    listed = _listed(answer) if is_json(answer) else None
    lines = content_lines(answer) if listed is None else listed[:1]
    whole = " ".join(" ".join(unemphasised(line.lstrip("# ")) for line in lines).split())[: 2 * longest]
    whole = without_label(without_remark(without_label(whole)))[:longest].strip()
    if refuses(answer) or labels_thoughts(answer) or greets(whole) or is_nothing(whole) or whole[:1] in "<{[|":
        raise Unreadable(text, Said("a short passage"))
    return whole


def json_object(text: str) -> dict[str, Any]:
    """Reads the first complete JSON object in an answer: alone, fenced, or within text.  Raises `Unreadable`."""
    value = first_object(without_thoughts(text))
    if value is None:
        raise Unreadable(text, Said("a JSON object"))
    return value


def refuses(text: str) -> bool:
    """Whether an answer refuses: “I'm sorry, but I can't help with that.”"""
    return _REFUSAL.match(text.lstrip("\"'“*_ \n")) is not None


def sameness(text: str) -> str:
    """Returns a key that is equal for equal items: case, spaces and punctuation do not count, but a minus does."""
    return plain(_MINUS.sub("minus", text))


def _answer_in(text: str) -> str:
    """Returns what is in <answer>, or follows “Thought: … Answer:”; nothing if it is not sure where thoughts end."""
    if element := _ELEMENT.search(text):
        return element[2]
    thoughts = [*_THOUGHT.finditer(text)]
    if not thoughts:
        return text
    answer = _ANSWER.search(text, thoughts[-1].end())
    return text[answer.end() :].lstrip() if answer else ""


def _listed(text: str) -> list[str] | None:
    """Reads the list in JSON anywhere in an answer; None if there is no JSON, empty if it is not a list of texts.

    JSON behind the words of an item (“1. parse ["a"] in Python”) belongs to the item.
    """
    values = [value for value in islice(json_values(text), 100) if not _in_an_item(text, value.start)]
    if any(value.value is None for value in values):
        return []
    found = [value.value for value in values]
    meant = [x for x in found if isinstance(x, dict) or any(isinstance(y, str | list | dict) for y in x)]
    if len(meant) > 1 and all(isinstance(value, dict) for value in meant):
        return strings_in(meant)
    return next(filter(None, map(strings_in, meant)), []) if meant else None


def _in_an_item(text: str, start: int) -> bool:
    """Whether words and a list mark before them stand before this place of its line."""
    return _ITEM_WORDS.match(text[text.rfind("\n", 0, start) + 1 : start]) is not None
