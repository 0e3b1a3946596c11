"""Where the fault of a pattern lies, for people who wrote it by hand."""

from __future__ import annotations

import re

from lab.errors import ParameterError
from lab.words import N_, Said


def fault(pattern: str, error: Exception) -> ParameterError:
    """What is wrong with a pattern, and at which character (RE2 names the faulty part, not its place)."""
    raw = error.args[0] if error.args else ""
    message = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(error)
    reason, _, part = message.partition(": ")
    at = pattern.find(part) if part else 0
    if isinstance(error, UnicodeEncodeError):
        reason, at = "half of a character", error.start
    elif "missing" in reason or "unexpected" in reason:
        at = _odd_bracket(pattern)
    elif reason.startswith("trailing"):
        at = len(pattern) - 1
    elif reason.startswith("no argument"):
        m = re.search(r"(?:^|[(|]|\(\?:|\(\?P?<\w+>)([*+?{])", pattern)
        at = m.start(1) if m else at
    said = N_("The pattern “{pattern}” is wrong at character {position} ({reason}).")
    remedy = Said(
        "Patterns are RE2's: like Python's, without look-around and back-references. "
        "Put a backslash before a sign that is meant literally."
    )
    return ParameterError(Said(said, pattern=pattern, position=max(at, 0) + 1, reason=reason), remedy)


def _odd_bracket(pattern: str) -> int:
    """The place of a bracket without a partner."""
    open_at: list[int] = []
    i = 0
    while i < len(pattern):
        c = pattern[i]
        if c == "\\":
            i += 1
        elif c == "[":
            close = pattern.find("]", i + (3 if pattern[i + 1 : i + 2] == "^" else 2))
            while close > 0 and pattern[close - 1] == "\\":
                close = pattern.find("]", close + 1)
            if close < 0:
                return i
            i = close
        elif c == "(":
            open_at.append(i)
        elif c == ")":
            if not open_at:
                return i
            open_at.pop()
        i += 1
    return open_at[-1] if open_at else 0
