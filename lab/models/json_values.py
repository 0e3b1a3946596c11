"""Finds the JSON in an answer of a language model, wherever it stands: alone, fenced, within a sentence.

Values are read strictly, then by json-repair (single quotes, missing commas, comments).  A value that does not end is
not read: the rest of the answer is missing, and what stands inside it is not the answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import json_repair

_DECODER = json.JSONDecoder()
_START = re.compile(r"[{\[]")
_LOOKS = re.compile(r"\{\s*(?:[\"'“”‘’]|\w+\s*[:：])|\[\s*[\"'“‘{\[]")
"""The beginning of a value that is meant as JSON: not {curly} or [1]."""
_CLOSES = {"{": "}", "[": "]"}
_NO_VALUE = re.compile(r"[:：]\s*[,}\]]")
LONGEST = 200_000
"""Maximum characters of a value that is repaired."""
MOST = 500
"""Maximum number of values and of places where one may begin."""


class Found(NamedTuple):
    """A JSON value, and where it begins and ends in the answer; ``value`` is None if it cannot be read."""

    value: Any
    start: int
    end: int


def json_values(text: str) -> Iterator[Found]:
    """Yields the objects and lists of an answer in order; one that is meant as JSON and cannot be read is the last."""
    at = 0
    for _ in range(MOST):
        if (match := _START.search(text, at)) is None:
            return
        start, at = match.start(), match.end()
        try:
            value, at = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            if not _LOOKS.match(text, start):
                continue
            at = text.rfind(_CLOSES[match[0]], start, start + LONGEST) + 1 or len(text)
            value = _repaired(text[start:at])
        yield Found(value, start, at)
        if value is None:
            return


def _repaired(region: str) -> Any:
    """Reads a value that is nearly JSON; None if it cannot be read, does not end, or has a key without a value."""
    ends = all(region.count(opening) == region.count(closing) for opening, closing in _CLOSES.items())
    try:
        value = json_repair.loads(region) if ends and not _NO_VALUE.search(region) else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list | dict) and value else None


def first_object(text: str) -> dict[str, Any] | None:
    """Returns the first complete JSON object in an answer; None if it has none."""
    return next((found.value for found in json_values(text) if isinstance(found.value, dict)), None)


_NAMED = re.compile(
    r"(?:(?:(?:search|rewritten|alternative|sub|step|back|general)[\s_-]?){0,3}"
    r"(?:quer(?:y|ies)|q|questions?|wordings?|rewrites?|rewritten|rewordings?|keywords?|items?|text|output|answers?|results?|passage|summary|document)"
    r"|(?:子|检索)?(?:问题|查询|改写|问法|关键词))?[\s_#-]*\d*",
    re.I,
)
"""Keys of items and of their lists, which may be numbers."""
_ASIDE = re.compile(
    r"original|thoughts?|thinking|reason|analysis|explanation|notes?|comments?|原|思考|说明|解释|理由|备注", re.I
)
"""Keys whose values are not items."""


def strings_in(value: Any, depth: int = 4) -> list[str]:
    """Returns the texts of a list or of an object's only list; none if it is not sure which texts are meant."""
    if isinstance(value, dict):
        answers = {str(key): inner for key, inner in value.items() if inner and not _ASIDE.match(str(key))}
        named = {key: inner for key, inner in answers.items() if _NAMED.fullmatch(key)}
        lists = [inner for inner in (named or answers).values() if isinstance(inner, list | dict)]
        if lists:
            return strings_in(lists[0], depth - 1) if depth and len(lists) == 1 else []
        value = [*named.values()]
    texts = [next(iter(strings_in(item, 0)), None) if isinstance(item, dict) else item for item in value]
    read = [text for text in texts if isinstance(text, str)]
    return read if len(read) == len(texts) else []
