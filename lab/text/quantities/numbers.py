"""Numbers: in the cells of files, in digits in a text, and in words: 三万二千, 两万五, thirty-five, half a million.

The readers of words take lower-case text of half width.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import NamedTuple

from lab.patterns import lazy_pattern
from lab.text import fold
from lab.text.quantities.notation import read_digits
from lab.text.quantities.units import SCALES, read_unit
from lab.text.word_lists import ONES, ORDINALS_TO_19, TEENS, TENS

# ------------------------------------------------------------------------------------------------------ cells

_DECIMAL = lazy_pattern(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_CURRENCY = r"(?:[¥$€£]|USD|EUR|GBP|CNY|RMB|元)"
_GROUPS = r"\d{1,3}(?:[, \u202f]\d{3})+"
_AMOUNT = lazy_pattern(
    rf"(?:{_CURRENCY}\s*)?(?P<sign>[+-]?)(?:{_CURRENCY}\s*)?(?P<whole>{_GROUPS}|\d+)(?P<rest>\.\d+)?\s*(?:%|{_CURRENCY})?",
    re.IGNORECASE | re.ASCII,
)
_COMMA_AMOUNT = lazy_pattern(
    r"(?:[€£]\s*)?(?P<number>[-+]?\d{1,3}(?:[. ]?\d{3})*,\d{1,2})\s*(?:€|EUR|%)?", re.IGNORECASE
)


def read_decimal(text: str) -> float | None:
    """Returns the number in a text such as ``3``, ``-0.75`` or ``1e-3``; None for anything else.

    Python's `float` also takes ``1_0``, ``inf``, ``nan`` and the digits of other scripts, which other tools read
    otherwise or not at all.  A number beyond double precision is None, too.
    """
    value = float(text) if _DECIMAL.fullmatch(text) else math.inf
    return value if math.isfinite(value) else None


def plain_digits(cell: str) -> str | None:
    """Returns the number of a cell (1,200, -0.5, $1,200, 1 200 EUR, 15%) in plain digits; None for anything else.

    Raised, circled and other digits are not plain: 10⁶ is not 106.
    """
    if not cell.isascii() and any((c.isnumeric() and not c.isdecimal()) or c in "©®™℠" for c in cell):
        return None
    m = _AMOUNT.fullmatch(fold(cell).strip())
    return f"{m['sign']}{re.sub('[^0-9]', '', m['whole'])}{m['rest'] or ''}" if m else None


def comma_digits(cell: str) -> str | None:
    """Returns the number of a cell with a comma before its decimals (1.234,50 €) in plain digits; None for others."""
    m = _COMMA_AMOUNT.fullmatch(cell)
    return re.sub("[. ]", "", m["number"]).replace(",", ".") if m else None


def has_decimal_commas(cells: Iterable[str]) -> bool:
    """Returns whether a column has commas, and all of them before decimals: 2,50 and 1.234,50 €, but not 1,200."""
    commas = [cell for cell in cells if "," in cell]
    return bool(commas) and all(comma_digits(cell.strip()) for cell in commas)


def cell_digits(cell: str, *, comma: bool) -> str | None:
    """Returns the number in plain digits, of a column with a decimal ``comma`` or without; None for others."""
    return (comma_digits(cell.strip()) if comma else None) or plain_digits(cell)


# ------------------------------------------------------------------------------------------------ Han numbers

DIGITS = {
    c: i for i, group in enumerate(["零〇", "一", "二两俩", "三", "四", "五", "六", "七", "八", "九"]) for c in group
}
SMALL = {"十": 10, "百": 100, "千": 1000}
LARGE = {"万": 10_000, "亿": 100_000_000}
HAN_DIGIT = "[零〇一二三四五六七八九]"
HAN_NUMERAL = "零〇一二两三四五六七八九十百千万亿"
UP_TO_99 = "[一二三四五六七八九十]{1,3}"
"""A month, a day, the number of an item in Han characters."""
_HAN = lazy_pattern(f"[{HAN_NUMERAL}俩]+")
_HAN_POINT = lazy_pattern(f"点({HAN_DIGIT}+)([万千亿]?)")


def han_number(run: str) -> float | None:
    """三万二千 -> 32000, 两万五 -> 25000, 二〇二三 -> 2023; None for what is not one number (两三)."""
    if not run or any(c not in DIGITS and c not in SMALL and c not in LARGE for c in run):
        return None
    if all(c in DIGITS for c in run):
        if len(run) == 1:
            return float(DIGITS[run])
        return float("".join(str(DIGITS[c]) for c in run)) if len(run) == 4 else None
    if run[0] in "百千万亿":
        return None
    total, section, digit, last = 0.0, 0.0, None, 0
    for c in run:
        if c in DIGITS:
            if digit not in (None, 0):
                return None
            digit = DIGITS[c]
            last = 0 if digit == 0 else last  # 一千零五 is 1005, not 1500
        elif c in SMALL:
            section += (1 if digit is None else digit) * SMALL[c]
            digit, last = None, SMALL[c]
        else:
            total = (total + section + (digit or 0)) * LARGE[c] if c == "亿" else total + (section + (digit or 0)) * 1e4
            section, digit, last = 0.0, None, LARGE[c]
    if digit:  # 两万五 is 25000
        section += digit * (last // 10 if last >= 100 else 1)
    return total + section


_LARGER = lazy_pattern(r"零?(\d{1,4})个?([亿万千百])")
_REST = lazy_pattern(r"(\d{4})(?![\d.,年])")
_NEXT_DIGIT = lazy_pattern(r"(\d)(?![\d.,:万千百亿年个月天岁]|\s?[a-z])")


def more_of_han(text: str, end: int, value: float, last: float) -> tuple[float, int, float]:
    """Adds what follows a number scaled by 亿, 万, 千 or 百: 1亿2000万, 12亿3456万, 3万6千, 2万5, 3万5000.

    Returns the number, its end, and what its last digit counts.
    """
    while last >= 100 and (more := _LARGER.match(text, end)) and SCALES[more[2]] < last:
        last = SCALES[more[2]]
        value, end = value + int(more[1]) * last, more.end()
    if last == 1e4 and (more := _REST.match(text, end)):
        return value + int(more[1]), more.end(), 1.0
    if last in (1e4, 1e3, 1e2) and text[end - 1 : end] in ("万", "千", "百") and (more := _NEXT_DIGIT.match(text, end)):
        return value + int(more[1]) * last / 10, more.end(), last / 10
    return value, end, last


# ------------------------------------------------------------------------------------------------ English numbers

_NUMERALS = {word: i for i, word in enumerate(f"zero|{ONES}|{TEENS}".split("|"))} | {"a": 1, "an": 1}
_NUMERALS |= {word: 10 * i for i, word in enumerate(TENS.split("|"), 2)}
_SCALES = {"hundred": 100.0, "thousand": 1e3, "grand": 1e3, "million": 1e6, "billion": 1e9, "dozen": 12.0}
_BELOW_100 = rf"(?:(?:{TENS})(?:[- ](?:{ONES}))?|(?:zero|{TEENS}|{ONES}))(?![a-z])"
_BELOW_1000 = rf"(?:(?:a |{_BELOW_100} )hundred(?:,? (?:and )?{_BELOW_100}(?! hundred))?|{_BELOW_100})"
_WHOLE = rf"(?:{_BELOW_1000}|a(?= (?:thousand|million|billion|dozen)))"
_SCALED_PARTS = rf"(?:(?:,? (?:and )?(?:{_BELOW_1000} )?|-)(?:thousand|million|billion|dozen)(?![a-z]))*"
_SPOKEN = lazy_pattern(rf"{_WHOLE}{_SCALED_PARTS}(?:,? (?:and )?{_BELOW_1000})?")
_SCALE_WORDS = "|".join(_SCALES)
_PARTS = {"half": 0.5, "quarter": 0.25, "quarters": 0.25, "third": 1 / 3, "thirds": 1 / 3}
FRACTION_OF_SCALE = lazy_pattern(
    r"(?:(?P<top>an?|one|two|three) )?(?P<of>half|quarters?|thirds?)(?: of)?(?: an?)? "
    rf"(?P<scale>{_SCALE_WORDS})(?![a-z])"
)
_AND_PART = lazy_pattern(
    r"[ -]and[ -](?:(?:a|one)[ -](?P<part>half|quarter|third)|three[ -]quarters|(?P<two>two)[ -]thirds)(?![a-z])"
)
_SCALE_BEHIND = lazy_pattern(rf" (?P<scale>{_SCALE_WORDS})(?![a-z])")
_DECIMALS = lazy_pattern(rf" point((?: (?:zero|{ONES})(?![a-z]))+)(?: (?P<scale>{_SCALE_WORDS})(?![a-z]))?")


class AndPart(NamedTuple):
    """A part of 1 after a number: “and a half”."""

    value: float
    end: int


def and_part(text: str, at: int) -> AndPart | None:
    """Returns the part of 1 that “and a half”, “and three quarters” or the like adds to a number before it."""
    m = _AND_PART.match(text, at)
    if m is None:
        return None
    return AndPart(_PARTS[m["part"]] if m["part"] else 2 / 3 if m["two"] else 0.75, m.end())


def english_number(text: str, at: int = 0) -> tuple[int, float] | None:
    """Where the number in English words at ``text[at]`` ends, and its value: thirty-five, a dozen, half a million."""
    if at and text[at - 1].isalnum() and text[at - 1].isascii():
        return None
    if m := FRACTION_OF_SCALE.match(text, at):
        top = {"two": 2, "three": 3}.get(m["top"] or "", 1)
        return m.end(), round(top * _PARTS[m["of"]] * _SCALES[m["scale"]], 6)
    m = _SPOKEN.match(text, at)
    if m is None:
        return None
    total, section, last, end = 0.0, 0.0, 0.0, at
    for word in re.finditer("[a-z]+", m[0]):
        scale = _SCALES.get(word[0], 0.0)
        if word[0] in _NUMERALS:
            if last in (1.0, 9.0):  # one two: two numbers
                break
            section, last = section + _NUMERALS[word[0]], 10.0 if _NUMERALS[word[0]] >= 20 else 1.0
        elif scale in (100.0, 12.0):
            section, last = (section or 1.0) * scale, scale
        elif scale:
            total, section, last = total + (section or 1.0) * scale, 0.0, scale
        else:
            continue  # and
        end = at + word.end()
    return _with_part(text, end, total + section, last)


def _with_part(text: str, end: int, value: float, scale: float) -> tuple[int, float]:
    """Adds a part: a million and a half, two and a half thousand, two point five thousand."""
    if m := _DECIMALS.match(text, end):
        digits = "".join(str(_NUMERALS[word]) for word in m[1].split())
        return m.end(), round((value + float(f"0.{digits}")) * _SCALES.get(m["scale"], 1.0), 9)
    part = and_part(text, end)
    if part and scale >= 12:
        return part.end, value + part.value * scale
    if part and (m := _SCALE_BEHIND.match(text, part.end)):
        return m.end(), (value + part.value) * _SCALES[m["scale"]]
    return end, value


_BELOW_20, _BY_TEN = ORDINALS_TO_19.split("|"), [*enumerate(TENS.split("|"), 2)]
ORDINALS = {
    **{word: i for i, word in enumerate(_BELOW_20, 1)},
    **{f"{word[:-1]}ieth": 10 * n for n, word in _BY_TEN},
    **{f"{word}-{unit}": 10 * n + i for n, word in _BY_TEN for i, unit in enumerate(_BELOW_20[:9], 1)},
    **{"hundredth": 100, "thousandth": 1000},
}
"""Ordinals in words: first to ninety-ninth, hundredth, thousandth."""


def whole_number(word: str) -> int | None:
    """Returns the whole number of a word: 14, fourteen, fourteenth, 十四; None for a word that is none."""
    word = word.lower()
    if word.isdecimal():
        return int(word)
    spoken = english_number(word)
    value = ORDINALS.get(word.replace(" ", "-")) or (spoken[1] if spoken else han_number(word))
    return None if value is None else int(value)


# ------------------------------------------------------------------------------------------ digits and words

_ARABIC = lazy_pattern(r"[-+](?=[\d.])")
_COMMA = lazy_pattern(r"\d+,\d{1,2}(?![\d,.])")
_POINT_FIRST, _FIRST_OF_LIST = re.compile(r"\.\d+"), re.compile(r"\d+(?=(?:,\d+)+(?![\d.]))")
_SCALE = lazy_pattern(
    r"(?:\s?|[个多余](?=[万亿]))(?P<han>百万|千万|十万|百(?!分)|千(?![瓦克米卡])|万|亿)"
    r"|(?P<letter>k|w|m|bn|\s?(?:thousand|million|billion|hundred|grand|dozen))(?![a-z0-9²³])"
)
_SCALED = {**SCALES, **_SCALES, "w": 1e4, "m": 1e6}


MOST_DIGITS = 20
"""Longer runs of digits are codes."""


class Number(NamedTuple):
    """A number at ``text[start:end]``; ``scale`` is what its last digit counts (10,000 for 2万)."""

    start: int
    end: int
    value: float
    scale: float = 1.0


def read_number(text: str, at: int) -> Number | None:
    """The number that begins at ``text[at]``, without its unit: 1,876, 1.5万, 20k, 两千三, half a million."""
    before = text[at - 1] if at else " "
    if text[at : at + 1].isascii() and before.isascii() and (before.isalnum() or before in "_."):
        return None
    return _arabic(text, at) or _han(text, at) or _english(text, at)


def _value_in_digits(text: str, at: int) -> tuple[float, int] | None:
    """Returns the value of the digits at ``text[at]`` and their end; for a list such as 3,5, the first number."""
    if m := _POINT_FIRST.match(text, at):
        return float(m[0]), m.end()
    comma = _COMMA.match(text, at)
    unit_follows = comma is not None and bool(read_unit(text, comma.end()) or read_unit(text, comma.end() + 1))
    digits = read_digits(text, at, unit_follows=unit_follows, spaces=True)
    if digits is None or digits.end - at > MOST_DIGITS:
        return None
    if digits.value is not None:
        return digits.value, digits.end
    first = _FIRST_OF_LIST.match(text, at)
    return (float(first[0]), first.end()) if first else None


def _arabic(text: str, at: int) -> Number | None:
    sign = -1.0 if text[at : at + 1] == "-" else 1.0
    start = _value_in_digits(text, at + bool(_ARABIC.match(text, at)))
    if start is None:
        return None
    value, end = start
    scale = 1.0
    if (part := and_part(text, end)) and (s := _SCALE.match(text, part.end)) and s["letter"]:
        value, end = value + part.value, part.end
    if s := _SCALE.match(text, end):
        scale, end = _SCALED[(s["han"] or s["letter"]).strip()], s.end()
        value *= scale
        if s["han"]:
            value, end, scale = more_of_han(text, end, value, scale)
        elif part := and_part(text, end):
            value, end = value + part.value * scale, part.end
    behind = text[end : end + 1]
    if scale == 1.0 and behind.isascii() and (behind.isalpha() or behind == "_") and not read_unit(text, end):
        return None  # the beginning of a word: 3d, 1password
    return Number(at, end, sign * round(value, 6), scale)


def _han(text: str, at: int) -> Number | None:
    m = _HAN.match(text, at)
    run = m[0] if m else ""
    value = han_number(run)
    while value is None and len(run) > 1:
        run = run[:-1]
        value = han_number(run)
    if value is None:
        return None
    end = at + len(run)
    if run[-1] in DIGITS and (point := _HAN_POINT.match(text, end)):
        value += float("0." + "".join(str(DIGITS[c]) for c in point[1]))
        value, end = value * LARGE.get(point[2], SMALL.get(point[2], 1)), point.end()
    if text[end : end + 1] in ("多", "余") and text[end + 1 : end + 2] in LARGE:  # 三千多万
        run += text[end + 1]
        value, end = value * LARGE[text[end + 1]], end + 2
    scale = next((float(v) for c, v in (*reversed(LARGE.items()), ("千", 1e3), ("百", 1e2)) if c in run), 1.0)
    return Number(at, end, round(value, 6), scale)


def _english(text: str, at: int) -> Number | None:
    spoken = english_number(text, at)
    return Number(at, *spoken) if spoken else None
