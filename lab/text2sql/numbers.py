"""Numbers as people write and say them: 2万, 1.5万, 两万五, 20k, ¥18,000, 三十五, half a year, a dozen.

`read_number` reads one number at a place of a text that was folded to half-width lower case.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from lab.text2sql.hints import UNITS

_DIGITS = {
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
_SMALL = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10_000, "亿": 100_000_000}
_HAN_NUMBER = re.compile("[零〇一二两俩三四五六七八九十百千万亿半]+")
_ARABIC = re.compile(
    r"(?P<sign>[-+](?=[\d.]))?(?P<money>[¥￥$€£]\s?)?(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
)
_SCALE = re.compile(
    r"\s?(?:(?P<han>百万|千万|十万|百|千|万|亿)|(?P<letter>k|w|m|bn|thousand|million|billion|hundred|grand)(?![a-z0-9]))"
)
_SCALES = {
    "百": 1e2, "千": 1e3, "万": 1e4, "十万": 1e5, "百万": 1e6, "千万": 1e7, "亿": 1e8,
    "k": 1e3, "w": 1e4, "m": 1e6, "bn": 1e9, "hundred": 1e2, "thousand": 1e3, "grand": 1e3, "million": 1e6, "billion": 1e9,
}  # fmt: skip
_ENGLISH = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
    "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    "dozen": 12,
}  # fmt: skip
_ENGLISH_LARGE = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_ENGLISH_WORD = re.compile(r"[a-z]+")
_CURRENCY = {"¥": "元", "￥": "元", "$": "usd", "€": "eur", "£": "gbp"}


class Number(NamedTuple):
    """A number: where it ends, its value, its unit as written ("" if none), and whether it has a scale (万, k)."""

    end: int
    value: float
    unit: str = ""
    scale: float = 1.0
    half: bool = False


def read_number(text: str, at: int) -> Number | None:
    """The number that begins at ``text[at]``, with its unit; None where there is none."""
    before = text[at - 1] if at else " "
    found = (
        _arabic(text, at)
        if not (before.isascii() and (before.isalnum() or before == "_")) or not text[at : at + 1].isascii()
        else None
    )
    found = found or _han(text, at) or _english(text, at)
    if found is None:
        return None
    return _with_unit(text, found)


def _arabic(text: str, at: int) -> Number | None:
    m = _ARABIC.match(text, at)
    if not m:
        return None
    value, end, scale = float(m["digits"].replace(",", "")), m.end(), 1.0
    if value >= 1e15:  # no quantity, and more than SQLite's integers can compare exactly
        return None
    if s := _SCALE.match(text, end):
        scale, end = _SCALES[s["han"] or s["letter"]], s.end()
        # 2万5 is 25000, as 两万五 is
        if s["han"] in ("万", "千", "百") and (tail := re.match(r"\d(?!\d|\.\d|[万千百亿年个月天岁])", text[end:])):
            value += int(tail.group()) / 10
            end += 1
    if (
        scale == 1.0
        and (end < len(text) and text[end].isascii() and (text[end].isalpha() or text[end] == "_"))
        and not _unit_at(text, end)
    ):
        return None  # the beginning of a word such as 3d or 1password
    unit = _CURRENCY.get((m["money"] or "").strip(), "")
    return Number(end, (-1 if m["sign"] == "-" else 1) * round(value * scale, 6), unit, scale)


def _han(text: str, at: int) -> Number | None:
    m = _HAN_NUMBER.match(text, at)
    if not m:
        return None
    run = m.group()
    if run in ("万", "千", "百", "亿"):
        return None
    value = _han_value(run)
    if value is None:  # 两三年 and the like: the range is read elsewhere
        value = _han_value(run[0])
        run = run[0]
        if value is None:
            return None
    end = at + len(run)
    if run[-1] not in "半万千百亿十" and (point := re.match("点([零〇一二三四五六七八九]+)([万千亿]?)", text[end:])):
        value += float("0." + "".join(str(_DIGITS[c]) for c in point[1]))
        value *= _LARGE.get(point[2], _SMALL.get(point[2], 1))
        end += point.end()
    scale = next((float(v) for k, v in (*_LARGE.items(), *_SMALL.items()) if k in run and k != "十"), 1.0)
    if (half := re.match("(个?)半(?=[年月天小])", text[end:])) and not run.startswith("半"):
        return Number(end, value, scale=scale, half=bool(half))
    return Number(end, round(value, 6), scale=scale)


def _han_value(run: str) -> float | None:
    """三万二千 -> 32000; 两万五 -> 25000; 二〇二三 -> 2023; 半 -> .5; None where it is no one number."""
    if run == "半":
        return 0.5
    if "半" in run:
        return None
    if all(c in _DIGITS for c in run):
        if len(run) == 1:
            return float(_DIGITS[run])
        return float("".join(str(_DIGITS[c]) for c in run)) if len(run) == 4 else None
    total, section, digit, last_unit = 0.0, 0.0, None, 0
    for c in run:
        if c in _DIGITS:
            if digit not in (None, 0):
                return None
            digit = _DIGITS[c]
            if digit == 0:
                last_unit = 0  # 一千零五 is 1005, not 1500
        elif c in _SMALL:
            section += (1 if digit is None else digit) * _SMALL[c]
            digit, last_unit = None, _SMALL[c]
        else:
            total = (
                (total + section + (digit or 0)) * _LARGE[c]
                if total == 0 or c == "亿"
                else total + (section + (digit or 0)) * _LARGE[c]
            )
            section, digit, last_unit = 0.0, None, _LARGE[c]
    if digit:
        section += digit * (last_unit // 10 if last_unit >= 100 else 1)
    return total + section


def _english(text: str, at: int) -> Number | None:
    if at and (text[at - 1].isalnum() and text[at - 1].isascii()):
        return None
    if m := re.compile(r"(?:a )?half (?:a )?(?=million|year|thousand)|a (?=hundred|thousand|million|dozen)").match(
        text, at
    ):
        rest = _ENGLISH_WORD.match(text, m.end())
        word = rest.group() if rest else ""
        value = 0.5 if "half" in m.group() else 1.0
        if word in _ENGLISH_LARGE or word == "dozen":
            value, end = value * _ENGLISH_LARGE.get(word, 12), m.end() + len(word)
            more = re.compile(r" (thousand|million|billion)(?![a-z])").match(text, end)  # a hundred thousand
            return (
                Number(more.end(), value * _ENGLISH_LARGE[more[1]]) if more and word != more[1] else Number(end, value)
            )
        return Number(m.end(), value)
    total, section, end, seen = 0.0, 0.0, at, False
    here = at
    while m := _ENGLISH_WORD.match(text, here):
        word = m.group()
        if word in _ENGLISH:
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
    return Number(end, total + section) if seen else None


_UNIT_WORDS = sorted((u for u in UNITS if u not in ("万", "千", "k", "w", "$", "¥", "€", "£")), key=len, reverse=True)


def _unit_at(text: str, at: int) -> str:
    """The unit that stands at a place (with a plural s in English), or ""."""
    for unit in _UNIT_WORDS:
        if text.startswith(unit, at):
            end = at + len(unit)
            if unit[-1].isascii() and unit[-1].isalpha():
                if text[end : end + 1] == "s":
                    end += 1
                elif unit.endswith(" old") is False and text.startswith("s old", end):
                    end += 5
                if end < len(text) and text[end].isascii() and text[end].isalnum():
                    continue
            return text[at:end]
    return ""


def _with_unit(text: str, n: Number) -> Number:
    end = n.end
    if n.half:  # 两年半 is written 两年半, 一个半月 as 一个半月
        m = re.match("(个?)半", text[end:])
        if m:
            end += m.end()
            n = n._replace(value=n.value + 0.5 * n.scale)
    gap = 1 if text[end : end + 1] == " " else 0
    unit = _unit_at(text, end + gap)
    if unit and unit in ("m", "h", "w", "min") and gap:
        unit = ""
    if not unit:
        return n._replace(end=end)
    end += gap + len(unit)
    if unit in ("年", "个月", "天", "小时") and text[end : end + 1] == "半":
        n, end = n._replace(value=n.value + 0.5), end + 1
    return n._replace(end=end, unit=n.unit or unit)


def unit_kind(unit: str) -> str:
    """What a unit measures: money, years, age, piece, ...; "" where it is not known."""
    for form in (unit, unit.removesuffix("s"), unit.replace("s old", " old").replace("years", "year")):
        if form in UNITS:
            return UNITS[form][0]
    return ""
