"""What servers say when they refuse a request: their words, wherever they stand, and the way out that they name."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

FIELDS = (
    *("message", "detail", "error_msg", "error_message", "status_msg", "msg", "error", "errors", "base_resp", "header"),
    *("reason", "title", "description"),
)
"""Where servers put their words, the best first."""
_TITLE = re.compile(r"<(?:title|h1)\b[^<>]{0,80}>([^<]{1,300})<", re.I)


def words_of(error: Any, depth: int = 5) -> str:
    """Returns the words of an error: a text, a page, an object, or a list of problems with their places (FastAPI)."""
    if isinstance(error, bytes):
        error = error.decode("utf-8", "replace")
    if isinstance(error, str):
        if is_page(error):
            title = _TITLE.search(error)
            return html.unescape(" ".join(title[1].split())) if title else ""
        return " ".join(error.split())
    if not depth:
        return ""
    if isinstance(error, list):
        return "; ".join(filter(None, (words_of(part, depth - 1) for part in error[:5])))
    if isinstance(error, Mapping):
        words = next(filter(None, (words_of(error.get(field), depth - 1) for field in FIELDS)), "")
        place = ".".join(str(step) for step in error.get("loc") or () if step != "body")
        return f"{place}: {words}" if place and words else words
    return ""


def error_in(reply: Any) -> Any:
    """Returns the error in an answer of status 200, or None: beside its choices, in one, or alone."""
    choices = reply.get("choices") or reply.get("data") if isinstance(reply, Mapping) else None
    if choices:
        first = choices[0] if isinstance(choices, list) else None
        return reply.get("error") or (first.get("error") if isinstance(first, Mapping) else None)
    return reply if words_of(reply) and not _succeeds(reply) else None


def _succeeds(reply: Any) -> bool:
    """Whether an answer without content says that all is well: “code”: 0, “message”: “Success”."""
    parts = [reply, *(reply.get(name) for name in ("base_resp", "header"))] if isinstance(reply, Mapping) else []
    codes = [
        part[name] for part in parts if isinstance(part, Mapping) for name in ("code", "status_code") if name in part
    ]
    return bool(codes) and all(str(code).lower() in ("0", "200", "ok", "success") for code in codes)


def is_page(text: str) -> bool:
    """Whether a text is a web page."""
    return re.match(r"\s{0,99}<(?:!doctype\b|html\b|\?xml|head\b|body\b|h1\b)", text, re.I) is not None


def names_stream(words: str) -> bool:
    """Whether a refusal is about streaming: the answer exists in a stream only, or never in one."""
    return re.search(r"(?<![\w])(?:non-?)?stream(?:ing|ed|s)?(?!\w)|流式", words, re.I) is not None


_BATCH = re.compile(r"batch|too many (?:inputs?|texts?|items?)|(?:input|array|list).{0,40}\bitems\b|批", re.I)


def names_batch(words: str) -> int | None:
    """Returns the largest batch that a refusal of too many texts allows; 0 if it names no number, None without one."""
    if not _BATCH.search(words):
        return None
    low, high, _ = _range(words, 0)
    return int(high) if 1 <= high < math.inf else 0


# ---------------------------------------------------------------------------------------------- parameters

_UNKNOWN = re.compile(
    r"un(?:supported|known|recogni[sz]ed|expected)"
    r"|(?:not|n't)\s+(?:be\s+)?(?:support|accept|allow|permit|recogni|know|available)|unavailable"
    r"|extra (?:inputs?|fields?)|additional propert|deprecated|no such|not (?:a )?valid (?:parameter|argument|field)"
    r"|invalid (?:parameter|argument|field)\b|default .{0,30}value is supported|不支持|未知|不存在|无法识别",
    re.I,
)
_NUMBER = r"(?<![\d.])(-?\d[\d_,]{0,24}(?:\.\d{1,20})?)"
_INTERVAL = re.compile(rf"([\[(])\s?{_NUMBER}\s?[,，~–]\s?{_NUMBER}\s?([\])])")
_BETWEEN = re.compile(
    rf"between\s{_NUMBER}\s(?:and|to)\s{_NUMBER}|{_NUMBER}\s?(?:to|~|–|到|至|-)\s?{_NUMBER}(?:\s?之间)?", re.I
)
_CHAIN = re.compile(rf"{_NUMBER}\s?(<=?|≤)\s?[\w` '\"]{{1,40}}\s?(<=?|≤)\s?{_NUMBER}")
_AT_MOST = re.compile(
    rf"(?:less than or equal(?: to)?|no (?:more|larger|greater) than|at most|up to|<=|≤"
    rf"|not (?:be )?(?:larger|greater|more|exceed)(?: than)?"
    rf"|max(?:imum)?(?: \w+){{0,4}}?(?: is| of|:| allowed){{0,2}}|exceeds? (?:the )?(?:\w+ ){{0,4}}?(?:of )?"
    rf"|limit(?:ed)?(?: (?:is|of|to))?|不(?:能)?(?:超过|大于)|小于等于|最大(?:值)?为?)\s?[:=(]?\s?{_NUMBER}",
    re.I,
)
_BELOW = re.compile(rf"(?:less than|below|smaller than|<|小于)\s?{_NUMBER}", re.I)
_AT_LEAST = re.compile(
    rf"(?:greater than or equal(?: to)?|at least|no less than|>=|≥|min(?:imum)?(?: (?:is|of))?|大于等于)\s?{_NUMBER}",
    re.I,
)
_ABOVE = re.compile(
    rf"(?:greater than|above|larger than|>|大于)\s?{_NUMBER}|(?P<positive>strictly positive|be positive|正数)", re.I
)
_EXCEEDS = re.compile(rf"{_NUMBER}\s?>\s?{_NUMBER}")
_ROOM = re.compile(r"\(\s?\d+\s?>\s?(\d+)\s?-\s?(\d+)\s?\)")
"""vLLM's “(1024 > 512 - 200)”: what remains for the answer."""


class Change(NamedTuple):
    """How to send a refused parameter: as ``name`` (empty: not at all), with ``value`` unless it is None."""

    name: str
    value: float | None = None


def change_for(words: str, name: str, value: float | None) -> Change | None:
    """Returns the change that a refusal asks for; None if it does not say that this parameter is at fault, and how.

    A parameter is left out only if the server says that it does not know it; a value out of range becomes the nearest
    value in the range.
    """
    at = words.lower().find(name.lower())
    if at < 0:
        return None
    if name == "max_tokens" and "max_completion_tokens" in words and _UNKNOWN.search(words):
        return Change("max_completion_tokens")
    if value is not None and (nearest := in_range(words[at:], value) or in_range(words, value)) is not None:
        return Change(name, nearest)
    return Change("") if _UNKNOWN.search(words) else None


def in_range(words: str, value: float) -> float | None:
    """Returns the nearest value to this one in the range that a message names; None if none excludes it."""
    if room := _ROOM.search(words):
        left = int(room[1]) - int(room[2])
        return float(left) if 0 < left < value else None
    low, high, (low_open, high_open) = _range(words, value)
    step = 1.0 if value == int(value) and abs(value) > 2 else 0.01
    nearest = value
    if value > high or (high_open and value == high):
        nearest = high - step if high_open else high
    elif value < low or (low_open and value == low):
        nearest = low + step if low_open else low
    fits = nearest != value and low <= nearest <= high
    return nearest if fits else None


def _range(words: str, value: float) -> tuple[float, float, tuple[bool, bool]]:
    """Returns the smallest and the largest value that a message allows, and whether each is itself excluded."""
    words = re.sub("[`'\"]", "", words)
    for pair in _EXCEEDS.finditer(words):
        if _value(pair[1]) == value and re.search(r"\bmax(?:imum)?\b", words, re.I):
            return -math.inf, _value(pair[2]), (False, False)
    if m := _INTERVAL.search(words):
        return _value(m[2]), _value(m[3]), (m[1] == "(", m[4] == ")")
    if m := _CHAIN.search(words):
        return _value(m[1]), _value(m[4]), (m[2] == "<", m[3] == "<")
    if m := _BETWEEN.search(words):
        low, high = (group for group in m.groups() if group)
        return _value(low), _value(high), (False, False)
    low, high, low_open, high_open = -math.inf, math.inf, False, False
    if m := _AT_MOST.search(words):
        high = _value(m[1])
    elif m := _BELOW.search(words):
        high, high_open = _value(m[1]), True
    if m := _AT_LEAST.search(words):
        low = _value(m[1])
    elif m := _ABOVE.search(words):
        low, low_open = (0.0 if m["positive"] else _value(m[1])), True
    return low, high, (low_open, high_open)


def _value(text: str) -> float:
    return float(text.replace(",", "").replace("_", "").rstrip("."))
