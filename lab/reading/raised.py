"""Superscripts and subscripts as characters: 10⁵, m², H₂O, so that no exponent and no note makes another number.

Unicode has raised digits, signs and a few letters.  An exponent that it has not is written behind ``^``.
"""

from __future__ import annotations

import re

_SUPER = str.maketrans("0123456789+-−–=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿⁱ")
_SUB = str.maketrans("0123456789+-−–=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎")
_PLAIN = re.compile(r"[0-9+\-−–=()]+|[+\-−–]?(?:\d*[ni]|[ni][+\-−–]\d+)")
_NUMBERS = re.compile(r"\d+(?:\s*[,;，、–-]\s*\d+)+")
"""Several notes."""
_LETTERS = re.compile(r"[a-zA-Z](?:\s*[,;]\s*[a-zA-Z])+")
"""Several notes with letters."""
_MARK = re.compile(
    r"[([【]?\s*(\d{1,3}|[*†‡§¶]{1,3}|[a-zA-Z]{1,2}|[ivx]{1,5}"
    r"|(?:注|註|note|n\.|fn\.?)\s*\d{1,3})\s*[)\]】]?"
)
_SIGNS = {"TM": "™", "SM": "℠", "tm": "™", "(R)": "®"}
_ORDINAL = frozenset(["a", "e", "o", "º", "ª"])


def superscript(text: str, before: str) -> str:
    """Returns a raised text as it is written behind the character ``before`` (nothing: it begins its line)."""
    text = " ".join(text.split())
    if not before:
        return f"{text} " if text[-1:].isdigit() else text
    if _PLAIN.fullmatch(text):
        return text.translate(_SUPER)
    if _NUMBERS.fullmatch(text):
        return re.sub(r"\d+", lambda m: m[0].translate(_SUPER), text)
    signed = text[:1] in tuple("+-−–") and len(text) > 1
    if not (text[:1].isalnum() or signed) or not (before.isalnum() or before in ")]") or _LETTERS.fullmatch(text):
        return text
    if text in _SIGNS:
        return _SIGNS[text]
    if text.isalpha():  # 1st, 2e, Mme; 10^k
        return f"^{text}" if before.isdigit() and len(text) == 1 and text not in _ORDINAL else text
    return f"^{text}" if re.fullmatch(r"[\w.]+", text) else f"^({text})"


def subscript(text: str, before: str) -> str:
    """Returns a lowered text as it is written behind the character ``before``."""
    text = " ".join(text.split())
    if before and re.fullmatch(r"[0-9+\-−–=()]+", text):
        return text.translate(_SUB)
    return f"_{text}" if text[:1].isdigit() and before.isdigit() else text


def mark_of_a_note(text: str) -> str:
    """Returns a link to a note in brackets, as ``[3]``; another text as it is."""
    mark = _MARK.fullmatch(text.strip())
    return f"[{mark[1]}]" if mark else text
