"""What servers say when they refuse a request: their words, wherever they stand, and the way out that they name."""

from __future__ import annotations

import html
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
    return re.match(r"\s{0,99}<(?:!doctype\b|html\b|\?xml|head\b|body\b|h1\b)", text, re.I) is not None


def names_stream(words: str) -> bool:
    """Whether a refusal is about streaming: the answer exists in a stream only, or never in one."""
    return re.search(r"(?<![\w])(?:non-?)?stream(?:ing|ed|s)?(?!\w)|流式", words, re.I) is not None


_BATCH = re.compile(r"batch|too many (?:inputs?|texts?|items?)|(?:input|array|list).{0,40}\bitems\b|批", re.I)


def names_batch(words: str, n: int) -> int | None:
    """Returns the batch below ``n`` that a refusal of too many texts allows; 0 if it names none, None without one."""
    if not _BATCH.search(words):
        return None
    return max((int(number) for number in _numbers(words) if 1 <= number < n), default=0)


# ---------------------------------------------------------------------------------------------- parameters

_UNKNOWN = re.compile(
    r"un(?:supported|known|recogni[sz]ed|expected)"
    r"|(?:not|n't)\s+(?:be\s+)?(?:support|accept|allow|permit|recogni|know|available)|unavailable"
    r"|extra (?:inputs?|fields?)|additional propert|deprecated|no such|not (?:a )?valid (?:parameter|argument|field)"
    r"|invalid (?:parameter|argument|field)\b|default .{0,30}value is supported|不支持|未知|不存在|无法识别",
    re.I,
)
_NOT_LIMITS = re.compile(r"https?://\S+|\b[a-z][\w.]*-[\w.-]+|\d{9,}", re.I)
"""Numbers in addresses, in names of models and of requests."""
_NUMBER = re.compile(r"(?<![A-Za-z0-9_])(?<!\d\.)-?(?:\d{1,3}(?:[,_]\d{3})+(?!\d)|\d+)(?:\.\d+)?")
_INTERVAL = re.compile(r"([\[(])\s?(-?\d+(?:\.\d+)?)\s?[,，~–-]\s?(-?\d[\d_]*(?:\.\d+)?)\s?([\])])")
_LIMIT = re.compile(
    r"\b(?:range|between|most|max(?:imum)?|min(?:imum)?|least|less|greater|more|larger|smaller|positive|above|below"
    r"|up to|within|exceeds?|limit(?:ed)?|must be in)\b|[<≤≥~～]|[^\d\s]\s?>"
    r"|范围|之间|最大|最小|超过|大于|小于|正数",
    re.I,
)
_OPEN = re.compile(r"(?:greater than|above|larger than|[^\d\s]\s?>|大于)\s?0(?![\d.]*[1-9])|\bpositive\b|正数", re.I)
"""A smallest value that is itself excluded: 0."""
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
    if value is not None and (nearest := _in_range(words[at:], value) or _in_range(words, value)) is not None:
        return Change(name, nearest)
    return Change("") if _UNKNOWN.search(words) else None


def _in_range(words: str, value: float) -> float | None:
    """Returns the nearest value to this one between the numbers of a message on limits; None if none excludes it."""
    if room := _ROOM.search(words):
        left = int(room[1]) - int(room[2])
        return float(left) if 0 < left < value else None
    words = _NOT_LIMITS.sub("", re.sub("[`'\"]", "", words))
    step = 1.0 if value == int(value) and abs(value) > 2 else 0.01
    if m := _INTERVAL.search(words):
        limits = [float(m[2]) + step * (m[1] == "("), float(m[3].replace("_", "")) - step * (m[4] == ")")]
    elif _LIMIT.search(words):
        limits = [number for number in _numbers(words) if number != value]
        if value <= 0 and _OPEN.search(words):
            limits = [step]
        elif re.search(rf"(?:less than|below|<|小于)\s?{value:g}(?:\.0+)?(?!\.?\d)", words, re.I):
            limits.append(value - step)
    else:
        return None
    nearest = min(max(value, min(limits, default=value)), max(limits, default=value))
    return nearest if nearest != value else None


def _numbers(words: str) -> list[float]:
    return [float(re.sub("[,_]", "", number)) for number in _NUMBER.findall(words)]
