"""Reads short answers in any form: a verdict, a name, or copied sentences; with JSON or without.

The lab's own prompts ask for JSON.  Prompts that people bring ask for “True”, for the name of a class, for the
sentences themselves or for NO_OUTPUT.  All are read strictly: what could mean two things is `Unreadable`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any, TypeVar

from lab.models.answers import Unreadable, refuses
from lab.models.json_values import first_object, json_values
from lab.models.lines import clean, content_lines, is_nothing, unemphasised
from lab.models.thoughts import without_thoughts
from lab.text import plain
from lab.words import Said

T = TypeVar("T")
_VERDICT = re.compile(
    r"""(?: (?P<yes> true | yes | 是的? | 对的? | 真 | (?:relevant | 相关 | 有关 | 有帮助)(?!\s*[:：]) )
      | (?P<no> false | no | 否 | 不是? | 不对 | 假
          | (?:irrelevant | not\ relevant | 不相关 | 无关 | 没有?帮助 | 无帮助)(?!\s*[:：]) ) )
    (?=\s*(?:$|[.,;:!。，；：！、)）】\]–—-])) [\s.,;:!。，；：！、)）】\]–—-]*""",
    re.I | re.X,
)
"""A word for yes or no, and the punctuation behind it.  “Relevant:” is a label."""
_ASKED = re.compile(r"[^:：?？{}\"\n]{0,40}[:：?？]\s*")
"""A part of the question that an answer repeats: “Relevant (YES / NO):”."""
_BRACKETS = "[](（）)【】"
_NO_OUTPUT = re.compile(
    r"none|null|nil|na|n a|nothing|空|无|没有|暂无"
    r"|no ?(?:output|extracts?|(?:relevant )?(?:sentences?|content|information|text|parts?))"
    r"(?: (?:is |are |was |were )?found)?"
    r"|没有(?:任何)?(?:相关|有用)的?(?:内容|句子|信息|文本)|无(?:相关)?(?:内容|输出)|没有输出",
    re.I,
)


_GRADE = re.compile(
    r"""[^\w\n]{0,9}
      (?:(?:(?:final|overall|the|my|relevance|最终|相关性?)\s*){0,3}(?:grade|score|rating|等级|评分|得分|分数|o)
         [^\w:：=\n]{0,6}\s*(?:is|[:：=为是])\s*)?
      [^\w\n-]{0,4}(?<![-−])(?P<grade>\d)(?:\s*(?:/|out\s+of)\s*\d)?(?:\s*分)?(?![.,]?\d)
      [^\w\n]*(?:[-–—:：(（].{0,2000})?""",
    re.I | re.X,
)
"""A line with a grade: alone, with a label, or before an explanation."""


def read_verdict(answer: str) -> tuple[bool, str]:
    """Returns whether an answer says yes, and its reason.  Raises `Unreadable`."""
    return _choice(answer, "relevant", _verdict, Said('a JSON object with "relevant" (true or false) and "reason"'))


def _verdict(line: str) -> tuple[bool, str] | None:
    """Whether a line begins with yes or no, and the rest of it."""
    text = unemphasised(clean(line[:2000])).strip().lstrip(_BRACKETS)
    label = _ASKED.match(text)
    for rest in (text, text[label.end() :] if label else ""):
        if word := _VERDICT.match(unemphasised(rest).strip().lstrip(_BRACKETS)):
            return word["yes"] is not None, word.string[word.end() :]
    return None


def read_grade(answer: str, highest: int) -> int:
    """Returns the grade from 0 to ``highest`` that an answer gives.  Raises `Unreadable`."""

    def grade(text: str) -> tuple[int, str] | None:
        line = _GRADE.fullmatch(unemphasised(text).strip())
        return (int(line["grade"]), "") if line else None

    expected = Said('a JSON object with "grade", a whole number from 0 to {highest}', highest=highest)
    given, _ = _choice(answer, "grade", grade, expected)
    if given > highest:
        raise Unreadable(answer, expected)
    return given


def read_name(answer: str, names: Collection[str], key: str) -> str:
    """The one of these names that an answer gives, exactly: as a JSON object's ``key``, or alone.

    Raises `Unreadable` for anything else.
    """

    def name(line: str) -> tuple[str, str] | None:
        return next(((text, "") for text in _bare_names(line) if text in names), None)

    expected = Said('a JSON object with "{key}", one of: {names}', key=key, names=[*names])
    return _choice(answer, key, name, expected, alone=True)[0]


def _bare_names(line: str) -> tuple[str, ...]:
    """Returns readings of a line: unchanged, without marks and quotes, without a label, without a full stop."""
    text = clean(line[:500])
    label = _ASKED.match(text)
    unlabelled = clean(text[label.end() :]) if label else text
    return line.strip(), *(part.strip(end) for part in (text, unlabelled) for end in ("", " .。" + _BRACKETS))


def _choice(
    answer: str, key: str, read: Callable[[str], tuple[T, str] | None], expected: Said, *, alone: bool = False
) -> tuple[T, str]:
    """Returns the choice that ``read`` finds in an answer, and its reason.  Raises `Unreadable`.

    It is the value of ``key`` in a JSON object, or stands in the first or the last line, or ``alone`` in the only one.
    """
    table, lines = _read(answer, expected)
    if table is not None:
        found, given = read(str(table.get(key))), table.get("reason")
        if found is None or found[1]:
            raise Unreadable(answer, expected)
        return found[0], " ".join(given.split()) if isinstance(given, str) else ""
    ends = [(i, found) for i in sorted({0, len(lines) - 1}) if lines and (found := read(lines[i][:3000]))]
    if len({value for _, (value, _) in ends}) != 1 or (alone and len(lines) > 1):
        raise Unreadable(answer, expected)
    at, (value, rest) = ends[0]
    reason = " ".join(" ".join([rest, *lines[at + 1 :]] if at == 0 else lines[:at]).split())
    if refuses(reason):
        raise Unreadable(answer, expected)
    return value, reason


def read_extracts(answer: str, most: int) -> tuple[list[str], bool]:
    """The texts that an answer has copied, at most this many, and whether they are a list in JSON.

    Without JSON each line is a text; NO_OUTPUT and the like mean an empty list.  Raises `Unreadable` for anything else.
    """
    expected = Said("a list of sentences under “extracts”")
    value, lines = _read(answer, expected)
    bare = without_thoughts(answer)
    extracts = value.get("extracts") if value is not None else _list(bare)
    if value is not None or extracts is not None:
        if not isinstance(extracts, list) or not all(isinstance(text, str) for text in extracts):
            raise Unreadable(answer, expected)
        return [text for text in extracts[:most] if text.strip()], True
    if len(lines) == 1 and _NO_OUTPUT.fullmatch(plain(clean(lines[0]))):
        return [], False
    if all(is_nothing(clean(line)) for line in lines[:most]):  # nobody has said that there is nothing
        raise Unreadable(answer, expected)
    return lines[:most], False


def _read(answer: str, expected: Said) -> tuple[dict[str, Any] | None, list[str]]:
    """Returns the JSON object in an answer, or None and its lines.  Raises `Unreadable` for a refusal or half a one."""
    bare = without_thoughts(answer)
    table = first_object(bare)
    if refuses(bare) or (table is None and re.match(r"\W*\{", bare)):
        raise Unreadable(answer, expected)
    return table, [] if table is not None else content_lines(bare)


def _list(text: str) -> list[Any] | None:
    """Returns the JSON list that begins a line of an answer, or stands behind a colon, if there is one."""
    for value, start, _ in json_values(text):
        before = text[text.rfind("\n", 0, start) + 1 : start].strip()
        if isinstance(value, list) and (not before or before[-1] in ":："):
            return value
    return None
