"""Reads the answers of language models, strictly: each reader returns what was asked for or raises `Unreadable`.

An answer has one of two forms: JSON, wherever it stands (`lab.models.json_values`), or plain lines
(`lab.models.lines`).  There is one reader for each kind of answer: a list of texts, a passage, an object, a verdict, a
grade, a name, extracts and an order.  What could mean two things is not read, and nothing is raised but `Unreadable`.

The rules of an order are those of RankGPT: the numbers count in their order, a repeated number counts once, an unknown
one not at all, and missing ones follow in their former order.  Source: W. Sun et al., *Is ChatGPT Good at Search?
Investigating Large Language Models as Re-Ranking Agents*, EMNLP 2023, arXiv:2304.09542.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, TypeVar

from lab.errors import ModelError
from lab.models.chat import Shape
from lab.models.json_values import first_object, json_values, strings_in
from lab.models.lines import (
    clean,
    content_lines,
    greets,
    is_item,
    is_nothing,
    item_lines,
    says,
    unemphasised,
    unfenced,
    without_label,
    without_remark,
)
from lab.models.thoughts import labels_thoughts, without_thoughts
from lab.patterns import lazy_pattern
from lab.text import plain
from lab.text.borders import CLOSING, QUESTION_MARKS
from lab.words import N_, Said

T = TypeVar("T")
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


LONGEST, LONGEST_PASSAGE = 500, 4000
"""Maximum characters of a query (a longer item is left out) and of a passage, which is cut."""

_THOUGHT = lazy_pattern(
    r"[\s*_#]*(?:thoughts?|thinking|reasoning|analysis|rationale|思考|思路|推理|分析)[*_]*\s?[:：]", re.I
)
_FINAL = lazy_pattern(
    r"^[^\w\n]*(?:final )?(?:answers?|output|response|results?|queries|(?:最终)?答案|回答|结果|改写)[*_]*\s?[:：][*_]*",
    re.I | re.M,
)
"""The labels of “Thought: … Answer: …”."""
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
_PIECE = lazy_pattern(r"[\"'”’]\s?[:：]\s?[\[{]|^\[[\d\s,]*\]$")
"""A piece of JSON, or a list of numbers."""
_MINUS = lazy_pattern(r"(?<![\w-])-(?=\d)")
_QUESTION_END = lazy_pattern(rf"(?<=[{QUESTION_MARKS}])(?![{QUESTION_MARKS}{CLOSING}`*])\s*")


def items(text: str, n: int, *, questions: bool = False) -> tuple[str, ...]:
    """Reads up to ``n`` items: a list in JSON, or one per line; with ``questions``, a line may have several.

    Reading stops after the last item: an answer may have a hundred thousand lines.  Raises `Unreadable` if there is no
    item, if it is not sure which lines are items, and for a refusal and broken JSON.
    """
    answer = _answer_in(text)
    lines = [] if refuses(answer) or labels_thoughts(answer) else _listed(answer)
    if lines is None or (len(lines) == 1 and "\n" in lines[0]):  # no JSON, or a list in a string of JSON
        lines = item_lines(content_lines(answer if lines is None else lines[0])[:99])
        if not all(map(is_item, map(clean, [line[: 2 * LONGEST] for line in lines[: 9 * n]]))):
            lines = []
    parts = chain.from_iterable(map(_QUESTION_END.split, lines)) if questions else lines
    by_sameness: dict[str, str] = {}
    for part in islice(parts, 100 * n):
        item = clean(" ".join(part.split())) if len(part) <= 2 * LONGEST else ""
        if says(item) and len(item) <= LONGEST and not _PIECE.search(item):
            by_sameness.setdefault(sameness(item), item)
        if len(by_sameness) >= n:
            break
    if not by_sameness:
        raise Unreadable(text, Said("up to {n} lines, one query each", n=n))
    return tuple(by_sameness.values())


def passage(text: str) -> str:
    """Reads one text without fences and surrounding quotes, with single spaces.

    Raises `Unreadable` if it is empty, and if words to the reader stand in the same line.
    """
    answer = _answer_in(text)
    bare = unfenced(answer)[0].strip()
    listed = _listed(answer) if bare.startswith(("{", "[")) or _PIECE.search(answer) else None
    lines = content_lines(answer) if listed is None else listed * (len(listed) == 1)
    whole = " ".join(" ".join(unemphasised(line.lstrip("# ")) for line in lines).split())[: 2 * LONGEST_PASSAGE]
    whole = without_label(without_remark(without_label(whole)))[:LONGEST_PASSAGE].strip()
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
    """Returns an answer without thoughts and its element; nothing if it is not sure where labelled thoughts end."""
    answer = without_thoughts(text)
    if element := _ELEMENT.search(answer):
        return element[2]
    if not _THOUGHT.match(answer):
        return answer
    final = _FINAL.search(answer)
    return answer[final.end() :].lstrip() if final else ""


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


# ------------------------------------------------------------------------------------ verdicts, grades, names

_BRACKETS = "[](（）)【】"
_VERDICT = lazy_pattern(
    r"""(?: (?P<yes> true | yes | 是的? | 对的? | 真 | (?:relevant | 相关 | 有关 | 有帮助)(?!\s*[:：]) )
      | (?P<no> false | no | 否 | 不是? | 不对 | 假
          | (?:irrelevant | not\ relevant | 不相关 | 无关 | 没有?帮助 | 无帮助)(?!\s*[:：]) ) )
    (?=\s*(?:$|[.,;:!。，；：！、)）】\]–—-])) [\s.,;:!。，；：！、)）】\]–—-]*""",
    re.I | re.X,
)
"""A word for yes or no, and the punctuation behind it.  “Relevant:” is a label."""
_GRADE = lazy_pattern(
    r"[^\w\n-]{0,9}(?<![-−])(?P<grade>\d)(?:\s*(?:/|out\s+of)\s*\d)?(?:\s*分)?(?![.,]?\d)"
    r"[^\w\n]*(?:[-–—:：(（].{0,2000})?",
    re.I,
)
"""A grade, alone or before an explanation."""
_GRADE_LABEL = lazy_pattern(
    r"[^\n\d]{0,40}(?:grade|score|rating|relevance|answer|相关性?|等级|评分|得分|分数|答案|回答)"
    r"[^\w\n]{0,6}(?:\bis\b|[:：=为是])",
    re.I,
)
_LABEL = lazy_pattern(r"[^:：?？{}\"\n]{0,40}[:：?？]\s*")
"""A part of the question that an answer repeats: “Relevant (YES / NO):”."""
_NO_OUTPUT = lazy_pattern(
    r"none|null|nil|na|n a|nothing|空|无|暂无"
    r"|no ?(?:output|extracts?|(?:relevant )?(?:sentences?|content|information|text|parts?))"
    r"(?: (?:is |are |was |were )?found)?"
    r"|(?:没有?|无)(?:任何)?(?:相关|有用)?的?(?:内容|句子|信息|文本|输出)?",
    re.I,
)


def read_verdict(answer: str) -> tuple[bool, str]:
    """Returns whether an answer says yes, and its reason.  Raises `Unreadable`."""

    def verdict(reading: str) -> tuple[bool, str] | None:
        word = _VERDICT.match(unemphasised(clean(reading)).lstrip(_BRACKETS))
        return (word["yes"] is not None, word.string[word.end() :]) if word else None

    return _choice(answer, "relevant", verdict, Said('a JSON object with "relevant" (true or false) and "reason"'))


def read_grade(answer: str, highest: int) -> int:
    """Returns the grade from 0 to ``highest`` that an answer gives.  Raises `Unreadable`."""

    def grade(reading: str) -> tuple[int, str] | None:
        line = _GRADE.fullmatch(reading.strip())
        return (int(line["grade"]), "") if line else None

    expected = Said('a JSON object with "grade", a whole number from 0 to {highest}', highest=highest)
    given, _ = _choice(answer, "grade", grade, expected, label=_GRADE_LABEL)
    if given > highest:
        raise Unreadable(answer, expected)
    return given


def read_name(answer: str, names: Collection[str], key: str) -> str:
    """The one of these names that an answer gives, exactly: as a JSON object's ``key``, or alone.

    Raises `Unreadable` for anything else.
    """

    def name(reading: str) -> tuple[str, str] | None:
        texts = (reading, clean(reading), clean(reading).strip(" .。" + _BRACKETS))
        return next(((text, "") for text in texts if text in names), None)

    expected = Said('a JSON object with "{key}", one of: {names}', key=key, names=[*names])
    return _choice(answer, key, name, expected, alone=True)[0]


def _choice(
    answer: str,
    key: str,
    read: Callable[[str], tuple[T, str] | None],
    expected: Said,
    *,
    label: re.Pattern[str] = _LABEL,
    alone: bool = False,
) -> tuple[T, str]:
    """Returns the choice that ``read`` finds in an answer, and its reason.  Raises `Unreadable`.

    It is the value of ``key`` in a JSON object, or stands in the first or the last line, or ``alone`` in the only one.
    """
    table, lines = _table_or_lines(answer, expected)
    given = [str(table.get(key))] if table is not None else lines

    def first_read(line: str) -> tuple[T, str] | None:
        """Returns the choice in a line: of the line as it is, without emphasis, or without a label."""
        bare = unemphasised(line[:2000]).strip()
        labelled = label.match(bare)
        readings = line.strip(), bare, bare[labelled.end() :] if labelled else ""
        return next(filter(None, map(read, readings)), None)

    ends = {i: choice for i in {0, len(given) - 1} if given and (choice := first_read(given[i]))}
    if len({value for value, _ in ends.values()}) != 1 or (alone and len(given) > 1):
        raise Unreadable(answer, expected)
    at = min(ends)
    value, rest = ends[at]
    if table is not None and rest:
        raise Unreadable(answer, expected)
    others = [table.get("reason")] if table is not None else [rest, *lines[1:]] if at == 0 else lines[:at]
    reason = " ".join(" ".join(text for text in others if isinstance(text, str)).split())
    if table is None and refuses(reason):
        raise Unreadable(answer, expected)
    return value, reason


def read_extracts(answer: str, most: int) -> tuple[list[str], bool]:
    """The texts that an answer has copied, at most this many, and whether they are a list in JSON.

    Without JSON each line is a text; NO_OUTPUT and the like mean an empty list.  Raises `Unreadable` for anything else.
    """
    expected = Said("a list of sentences under “extracts”")
    table, lines = _table_or_lines(answer, expected)
    bare = without_thoughts(answer)
    lists = (found.value for found in json_values(bare) if _stands_alone(bare, found.start))
    extracts = next((x for x in lists if isinstance(x, list)), None) if table is None else table.get("extracts")
    if table is not None or extracts is not None:
        if not isinstance(extracts, list) or not all(isinstance(text, str) for text in extracts):
            raise Unreadable(answer, expected)
        return [text for text in extracts[:most] if text.strip()], True
    if len(lines) == 1 and _NO_OUTPUT.fullmatch(plain(clean(lines[0]))):
        return [], False
    if all(is_nothing(clean(line)) for line in lines[:most]):  # nobody has said that there is nothing
        raise Unreadable(answer, expected)
    return lines[:most], False


def _stands_alone(text: str, start: int) -> bool:
    """Whether a place is at the beginning of its line, or behind a colon."""
    before = text[text.rfind("\n", 0, start) + 1 : start].strip()
    return not before or before[-1] in ":："


def _table_or_lines(answer: str, expected: Said) -> tuple[dict[str, Any] | None, list[str]]:
    """Returns the JSON object in an answer, or None and its lines.  Raises `Unreadable` for a refusal or half a one."""
    bare = without_thoughts(answer)
    table = first_object(bare)
    if refuses(bare) or (table is None and re.match(r"\W*\{", bare)):
        raise Unreadable(answer, expected)
    return table, [] if table is not None else content_lines(bare)


# -------------------------------------------------------------------------------------------------- orders

_NUMBER = r"(?:\[\s{0,3}\d{1,6}\s{0,3}\]|【\s{0,3}\d{1,6}\s{0,3}】)"
_BETWEEN = r"[\s>＞≻→,，、;；]{1,9}"
_LISTED = lazy_pattern(rf"^[ \t]{{0,9}}(?:\d{{1,4}}[.)、]|[-*•])[ \t]{{1,9}}(?={_NUMBER})", re.MULTILINE)
"""A list mark before a number in brackets."""
_CHAIN = lazy_pattern(rf"{_NUMBER}(?:{_BETWEEN}{_NUMBER})*")
_BARE = lazy_pattern(rf"\[?\s{{0,9}}\d{{1,6}}(?:{_BETWEEN}\d{{1,6}})*\s{{0,9}}\]?[.。]?")
"""Numbers without brackets each, if the answer has nothing else."""
_DIGITS = re.compile(r"\d+")
ORDER = Shape.of("order", order={"type": "array", "items": {"type": "integer"}})
"""The shape of an order: the numbers of the passages, best first."""


@dataclass(frozen=True)
class Order:
    """An order of passages 1 to n, and what was wrong with the answer.

    ``numbers`` has every passage once: those of the answer, then the ``missing`` ones in their former order.
    ``repeated`` and ``unknown`` are the numbers of the answer that were left out, each once.
    """

    numbers: tuple[int, ...]
    repeated: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether the answer had every passage once and nothing else."""
        return not (self.repeated or self.unknown or self.missing)


def read_order(answer: str, n: int) -> Order:
    """Returns the order of passages 1 to ``n`` in an answer.  Raises `Unreadable`.

    The answer is a JSON object with a list of numbers, or has one chain of numbers in brackets, among other words or
    alone, or nothing but numbers.  Several chains (a comparison passage by passage) could mean several orders.
    """
    expected = Said("numbers in order, as in [2] > [1]")
    bare = without_thoughts(answer)
    if refuses(bare):
        raise Unreadable(answer, expected)
    chains = _orders_in(first_object(bare) or {}) or [m[0] for m in _CHAIN.finditer(_LISTED.sub("", bare))]
    if not chains:
        text = " > ".join(content_lines(bare)[: 100 * n]).strip()
        chains = [text] if _BARE.fullmatch(text) else []
    if len(chains) > 1 or len(set(_DIGITS.findall(bare))) > 1:  # one number beside others is a mention, not an order
        chains = [chain for chain in chains if len(_DIGITS.findall(chain)) > 1]
    orders = {tuple(map(int, _DIGITS.findall(chain)[: 100 * n])) for chain in chains}
    given = orders.pop() if len(orders) == 1 else ()
    numbers = tuple(number for number in dict.fromkeys(given) if 1 <= number <= n)
    if not numbers:
        raise Unreadable(answer, expected)
    counts = Counter(given)
    missing = tuple(number for number in range(1, n + 1) if number not in counts)
    repeated = tuple(number for number in numbers if counts[number] > 1)
    unknown = tuple(number for number in counts if not 1 <= number <= n)
    return Order((*numbers, *missing), repeated, unknown, missing)


def _orders_in(table: dict[str, Any]) -> list[str]:
    """Returns the first list of an object that has only numbers, or objects with a number, as a chain."""
    for listed in (table.get("order"), *table.values()):
        fields = [x if isinstance(x, dict) else {"id": x} for x in listed] if isinstance(listed, list) else []
        numbers = [str(next((x[key] for key in ("id", "number", "index", "passage") if key in x), "")) for x in fields]
        if numbers and all(_DIGITS.fullmatch(number.strip("[]【】 ")) for number in numbers):
            return [" ".join(numbers)]
    return []
