"""Numbers in files (plain decimals) and in words: 三万二千, 两万五, thirty-five, a dozen, half a million.

The readers of words take lower-case text of half width; where a number may stand, and what its unit is, the caller
knows.
"""

from __future__ import annotations

import math
import re

DIGITS = {
    "零": 0,
    "〇": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "俩": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
SMALL = {"十": 10, "百": 100, "千": 1000}
LARGE = {"万": 10_000, "亿": 100_000_000}
_ENGLISH = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "dozen": 12,
}  # fmt: skip
_ENGLISH_LARGE = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_ENGLISH_WORD = re.compile(r"[a-z]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def read_decimal(text: str) -> float | None:
    """Returns the number in a text such as ``3``, ``-0.75`` or ``1e-3``; None for anything else.

    Python's `float` also takes ``1_0``, ``inf``, ``nan`` and the digits of other scripts, which other tools read
    otherwise or not at all.  A number beyond double precision is None, too.
    """
    value = float(text) if _DECIMAL.fullmatch(text) else math.inf
    return value if math.isfinite(value) else None


def han_value(run: str) -> float | None:
    """三万二千 -> 32000; 两万五 -> 25000; 二〇二三 -> 2023; 半 -> .5; None where it is no one number."""
    if run == "半":
        return 0.5
    if "半" in run:
        return None
    if all(c in DIGITS for c in run):
        if len(run) == 1:
            return float(DIGITS[run])
        return float("".join(str(DIGITS[c]) for c in run)) if len(run) == 4 else None
    total, section, digit, last_unit = 0.0, 0.0, None, 0
    for c in run:
        if c in DIGITS:
            if digit not in (None, 0):
                return None
            digit = DIGITS[c]
            if digit == 0:
                last_unit = 0  # 一千零五 is 1005, not 1500
        elif c in SMALL:
            section += (1 if digit is None else digit) * SMALL[c]
            digit, last_unit = None, SMALL[c]
        else:
            total = (
                (total + section + (digit or 0)) * LARGE[c]
                if total == 0 or c == "亿"
                else total + (section + (digit or 0)) * LARGE[c]
            )
            section, digit, last_unit = 0.0, None, LARGE[c]
    if digit:
        section += digit * (last_unit // 10 if last_unit >= 100 else 1)
    return total + section


def read_english(text: str, at: int) -> tuple[int, float] | None:
    """Where the number in words that begins at ``text[at]`` ends, and its value; None where there is none."""
    if at and (text[at - 1].isalnum() and text[at - 1].isascii()):
        return None
    if m := re.compile(
        r"(?:a )?half (?:a )?(?=million|year|thousand|dozen)|a (?=hundred|thousand|million|dozen)"
    ).match(text, at):
        rest = _ENGLISH_WORD.match(text, m.end())
        word = rest.group() if rest else ""
        value = 0.5 if "half" in m.group() else 1.0
        if word in _ENGLISH_LARGE or word == "dozen":
            value, end = value * _ENGLISH_LARGE.get(word, 12), m.end() + len(word)
            more = re.compile(r" (thousand|million|billion)(?![a-z])").match(text, end)  # a hundred thousand
            if text.startswith(" and ", end) and (tens := read_english(text, end + 5)) and tens[1] < min(100, value):
                return tens[0], value + tens[1]  # a hundred and fifty
            return (more.end(), value * _ENGLISH_LARGE[more[1]]) if more and word != more[1] else (end, value)
        return m.end(), value
    total, section, end, seen = 0.0, 0.0, at, False
    here = at
    while m := _ENGLISH_WORD.match(text, here):
        word = m.group()
        if word == "dozen" and seen:
            section *= 12
        elif word in _ENGLISH:
            if seen and section % 10 and _ENGLISH[word] < 20 or (seen and section % 100 and _ENGLISH[word] >= 20):
                break
            section += _ENGLISH[word]
        elif word in _ENGLISH_LARGE and seen:
            if _ENGLISH_LARGE[word] == 100:
                section *= 100
            else:
                total, section = total + section * _ENGLISH_LARGE[word], 0.0
        elif (
            word == "and"
            and seen
            and section >= 100
            and (n := re.match(r"and ([a-z]+)", text[here:]))
            and n[1] in _ENGLISH
        ):
            here = m.end() + 1
            continue
        else:
            break
        seen, end = True, m.end()
        here = end + 1 if end < len(text) and text[end] in " -" else end
        if here == end:
            break
    return (end, total + section) if seen else None
