"""Locates the fault in a hand-written pattern."""

from __future__ import annotations

import re

from lab.errors import ParameterError
from lab.words import N_, Said

_BRACKETS = re.compile(r"\\.|\[\^?+\]?+(?:\\.|[^\\\]])*+\]|[()\[]", re.DOTALL)
"""Signs after a backslash and whole sets, to be passed over; brackets of groups; the beginning of a set without end."""


def fault(pattern: str, error: Exception) -> ParameterError:
    """Builds the error for a faulty pattern, with the position (RE2 names the faulty part, not its place)."""
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
    said = N_("The pattern “{pattern}” is invalid at character {position} ({reason}).")
    remedy = Said(
        "Patterns use RE2 syntax: like Python's, without look-around and back-references. Put a backslash before "
        "a special character to match it literally."
    )
    short = pattern if len(pattern) <= 200 else pattern[:200] + "…"
    return ParameterError(Said(said, pattern=short, position=max(at, 0) + 1, reason=reason), remedy)


def _odd_bracket(pattern: str) -> int:
    """Returns the position of an unmatched bracket."""
    open_at: list[int] = []
    for m in _BRACKETS.finditer(pattern):
        if m.group() == "[" or (m.group() == ")" and not open_at):
            return m.start()
        if m.group() == "(":
            open_at.append(m.start())
        elif m.group() == ")":
            open_at.pop()
    return open_at[-1] if open_at else 0
