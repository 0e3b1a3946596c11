"""Finds the JSON in an answer of a language model, wherever it stands: alone, fenced, within a sentence.

Values are read strictly, then as Python, then by json-repair (single quotes, missing commas, comments).  A value that
does not end is not read: the rest of the answer is missing, and what stands inside it is not the answer.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import json_repair

__all__ = ["Found", "is_json", "json_values", "strings_in"]

_DECODER = json.JSONDecoder()
_START = re.compile(r"[{\[]")
_LOOKS = re.compile(r"\{\s*(?:[\"'“”‘’]|\w+\s*[:：])|\[\s*[\"'“‘{\[]")
"""The beginning of a value that is meant as JSON: not {curly} or [1]."""
_QUOTES = {'"': '"', "“": "”"}
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
    at, looked_at = 0, 0
    while (match := _START.search(text, at)) and looked_at < MOST:
        looked_at += 1
        found = _strict(text, match.start()) or _repaired(text, match.start())
        if found is None:
            at = match.end()
            continue
        yield found
        if found.value is None:
            return
        at = found.end


def _strict(text: str, start: int) -> Found | None:
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return Found(value, start, end)


def _repaired(text: str, start: int) -> Found | None:
    """Reads a value that is nearly JSON; None if the text at this place is not meant as JSON."""
    if not _LOOKS.match(text, start):
        return None
    end = _end_of(text, start)
    if end is None:
        return Found(None, start, len(text))
    region = text[start:end]
    for read in (ast.literal_eval, json_repair.loads):
        try:
            value = read(region)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        if isinstance(value, list | dict) and value and not _NO_VALUE.search(region):
            return Found(value, start, end)
    return Found(None, start, end)


def _end_of(text: str, start: int) -> int | None:
    """Returns the end of a value: where its brackets are closed, outside of quotation marks if those are paired."""
    for quoted in (True, False):
        open_brackets, closing_quote, escaped = list[str](), "", False
        for at in range(start, min(len(text), start + LONGEST)):
            sign = text[at]
            if escaped or (closing_quote and sign not in (closing_quote, "\\")):
                escaped = False
            elif sign == "\\":
                escaped = True
            elif closing_quote:
                closing_quote = ""
            elif quoted and sign in _QUOTES:
                closing_quote = _QUOTES[sign]
            elif sign in _CLOSES:
                open_brackets.append(_CLOSES[sign])
            elif sign in "}]":
                if not open_brackets or open_brackets.pop() != sign:
                    break
                if not open_brackets:
                    return at + 1
    return None


def is_json(text: str) -> bool:
    """Whether a text is a JSON object or list as a whole, or has a piece of one: such a text is never a query."""
    bare = text.strip().rstrip(",;")
    if re.search(r"[\"'”’]\s*[:：]\s*[\[{]", bare):
        return True
    if bare[:1] not in _CLOSES or bare[-1:] != _CLOSES[bare[0]]:
        return False
    found = next(json_values(bare), None)
    return found is not None and found.value is not None and found.start == 0 and found.end == len(bare)


_QUERY_KEYS = ("query", "question", "wording", "rewrite", "text")
_LIST_KEYS = ("queries", "questions", "wordings")
_ASIDE = re.compile(
    r"original|thoughts?|thinking|reason|analysis|explanation|notes?|comments?|原|思考|说明|解释|理由|备注", re.I
)
"""Keys whose values are not items."""


def strings_in(value: Any) -> list[str]:
    """Returns the texts of a list; of an object, those of its list; for an item that is an object, its query."""
    texts: list[str] = []
    for item in _list_in(value) if isinstance(value, dict) else value:
        if isinstance(item, dict):
            by_key = {str(key).lower(): text for key, text in item.items() if isinstance(text, str)}
            item = next(chain((by_key[key] for key in _QUERY_KEYS if key in by_key), by_key.values()), None)
        if isinstance(item, str):
            texts.append(item)
    return texts


def _list_in(table: dict[str, Any], depth: int = 4) -> list[Any]:
    """Returns the list in an object: the queries, its first list, a list in an inner object, or its values."""
    answers = {str(key).lower(): value for key, value in table.items() if not _ASIDE.match(str(key))}
    query_values = [answers[key] for key in _LIST_KEYS if answers.get(key)]
    lists = [[value] if isinstance(value, str) else value for value in query_values if isinstance(value, str | list)]
    lists += [value for value in answers.values() if isinstance(value, list)]
    lists += [_list_in(value, depth - 1) for value in answers.values() if isinstance(value, dict) and depth]
    return next(filter(None, lists), [] if lists else [*(answers or table).values()])


def strings_of_all(values: Iterable[Any]) -> list[str]:
    """Returns the texts of the first value that has some; of objects that follow each other, the text of each."""
    listed = [value for value in values if isinstance(value, dict | list)]
    if len(listed) > 1 and all(isinstance(value, dict) for value in listed):
        return strings_in(listed)
    return next(filter(None, map(strings_in, listed)), [])
