"""Hand-written patterns: RE2 with Python's classes of characters, and the place of a fault."""

from __future__ import annotations

import re

from lab.errors import ParameterError
from lab.words import N_, Said

_BRACKETS = re.compile(r"\\.|\[\^?+\]?+(?>(?:\\.|[^\\\]])*)\]|[()\[]", re.DOTALL)
"""Signs after a backslash and whole sets, to be passed over; brackets of groups; the beginning of a set without end."""

_PIECE = re.compile(r"\\Q.*?(?:\\E|\Z)|\\[pP]\{\w*\}?|\\.|\[:\^?\w+:\]|\[\^?\]?|.", re.DOTALL)
"""A quoted text, a property, an escape, a named class, the beginning of a set, or a character."""
_SPACE = r"\t-\r\x1c-\x20\x85\p{Z}"
_PUNCTUATION = r"\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}\x{203f}\x{2040}\x{2054}\x{fe33}\x{fe34}\x{fe4d}-\x{fe4f}\x{ff3f}"
"""Punctuation without the underscore."""
_CLASSES = {
    r"\w": r"\p{L}\p{N}_",
    r"\d": r"\p{Nd}",
    r"\s": _SPACE,
    r"\W": r"\p{M}\p{S}\p{Z}\p{C}" + _PUNCTUATION,
    r"\D": r"\P{Nd}",
    r"\S": r"\x00-\x08\x0e-\x1b\x21-\x{84}\x{86}-\x{9f}\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}\p{Co}",
}
"""The Unicode classes inside a set for those of RE2, which know only ASCII."""
_BORDER = re.compile(r"[^\W\x00-\x7f]\\[bB]|\\[bB][^\W\x00-\x7f]")


def with_unicode(pattern: str) -> str:
    r"""Returns a pattern whose \w, \d, \s and their opposites have the same meaning in RE2 as in Python.

    RE2 has no border of a word but the one between an ASCII letter and something else; next to another letter, \b would
    never match what it is meant to, so it raises `ParameterError`.
    """
    if border := _BORDER.search(pattern):
        only = Said("In “{part}”, the word boundary \\b knows only ASCII letters.", part=border[0])
        raise ParameterError(only, Said("Leave it out, or write (^|\\W) or (\\W|$) instead."))
    pieces, in_set = list[str](), False
    for m in _PIECE.finditer(pattern):
        piece = m[0]
        if piece in _CLASSES:
            wide = _CLASSES[piece] if in_set or piece.islower() else _CLASSES[piece.lower()]
            piece = wide if in_set else f"[^{wide}]" if piece.isupper() else f"[{wide}]"
        elif piece[0] == "[" and not piece.startswith("[:"):
            in_set = True
        elif piece == "]":
            in_set = False
        pieces.append(piece)
    return "".join(pieces)


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
