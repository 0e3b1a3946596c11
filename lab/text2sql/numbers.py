"""Numbers as people write and say them: 2万, 1.5万, 两万五, 20k, ¥18,000, 三十五, half a year, a dozen.

`read_number` reads one number at a place of a text that was folded to half-width lower case.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from lab.reading.numbers import DIGITS, LARGE, SMALL, han_value, read_english
from lab.text2sql.hints import UNITS

_HAN_NUMBER = re.compile("[零〇一二两俩三四五六七八九十百千万亿半]+")
_ARABIC = re.compile(
    r"(?P<sign>[-+](?=[\d.]))?(?P<money>[¥￥$€£]\s?)?(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
)
_SCALE = re.compile(
    r"\s?(?:(?P<han>百万|千万|十万|百|千(?![瓦克米卡])|万|亿)|(?P<letter>k|w|m|bn|thousand|million|billion|hundred|grand|dozen)(?![a-z0-9²³]))"
)
_SCALES = {
    "百": 1e2, "千": 1e3, "万": 1e4, "十万": 1e5, "百万": 1e6, "千万": 1e7, "亿": 1e8,
    "k": 1e3, "w": 1e4, "m": 1e6, "bn": 1e9, "hundred": 1e2, "thousand": 1e3, "grand": 1e3, "dozen": 12, "million": 1e6, "billion": 1e9,
}  # fmt: skip
_OVER = re.compile("(过|破|超|满|不到|上|近)$")
"""Behind what 万 is ten thousand: 过万."""
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
    inside = before.isascii() and (before.isalnum() or before == "_") and text[at : at + 1].isascii()
    found = (None if inside else _arabic(text, at)) or _han(text, at)
    spoken = None if found else read_english(text, at)
    found = Number(*spoken) if spoken else found
    return _with_unit(text, found) if found else None


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
    behind = text[end : end + 1]
    if scale == 1.0 and behind.isascii() and (behind.isalpha() or behind == "_") and not unit_at(text, end):
        return None  # the beginning of a word such as 3d or 1password
    unit = _CURRENCY.get((m["money"] or "").strip(), "")
    sign = -1 if m["sign"] == "-" else 1
    return Number(end, sign * round(value * scale, 6), unit, scale if scale != 12 else 1.0)


def _han(text: str, at: int) -> Number | None:
    m = _HAN_NUMBER.match(text, at)
    if not m:
        return None
    run, value = m.group(), han_value(m.group())
    if value is None:  # 两三年 and the like: the range is read elsewhere
        run, value = run[0], han_value(run[0])
    if m.group() in _SCALES:  # 过万
        return Number(m.end(), _SCALES[run], scale=_SCALES[run]) if _OVER.search(text[:at]) else None
    if value is None:
        return None
    end = at + len(run)
    if run[-1] not in "半万千百亿十" and (point := re.match("点([零〇一二三四五六七八九]+)([万千亿]?)", text[end:])):
        value += float("0." + "".join(str(DIGITS[c]) for c in point[1]))
        value *= LARGE.get(point[2], SMALL.get(point[2], 1))
        end += point.end()
    scale = next((float(v) for k, v in (*LARGE.items(), *SMALL.items()) if k in run and k != "十"), 1.0)
    half = re.match("(个?)半(?=[年月天小])", text[end:]) is not None and not run.startswith("半")
    return Number(end, round(value, 6), scale=scale, half=half)


_UNIT_WORDS = sorted(
    (u for u in UNITS if u not in ("万", "千", "k", "w", "$", "¥", "€", "£", "in")), key=len, reverse=True
)


def unit_at(text: str, at: int) -> str:
    """The unit that stands at a place (with a plural s in English), or ""."""
    for unit in _UNIT_WORDS:
        if text.startswith(unit, at):
            end = at + len(unit)
            if unit[-1].isascii() and unit[-1].isalpha():
                end += text.startswith("s", end)
                if end < len(text) and text[end].isascii() and text[end].isalnum():
                    continue
            return text[at:end]
    return ""


def _with_unit(text: str, n: Number) -> Number:
    end = n.end
    if text.startswith(" and a half", end):
        end, n = end + 11, n._replace(value=n.value + 0.5 * n.scale)
    if n.half and (m := re.match("(个?)半", text[end:])):  # 一个半月
        end, n = end + m.end(), n._replace(value=n.value + 0.5 * n.scale)
    gap = 1 if text[end : end + 1] in (" ", "-") else 0
    unit = unit_at(text, end + gap)
    if unit in ("m", "h", "w", "l", "min") and gap:
        unit = ""
    if not unit:
        return n._replace(end=end)
    end += gap + len(unit)
    if unit in ("年", "个月", "天", "小时") and text[end : end + 1] == "半":
        n, end = n._replace(value=n.value + 0.5), end + 1
    return n._replace(end=end, unit=n.unit or unit)


def unit_kind(unit: str) -> str:
    """What a unit measures: money, years, age, piece, ...; "" where it is not known."""
    unit = unit.lower()
    for form in (unit, unit.removesuffix("s"), unit.replace("s old", " old").replace("years", "year")):
        if form in UNITS:
            return UNITS[form][0]
    return ""


def measure_of(unit: str) -> str:
    """What a unit measures, as far as it can be compared: the unit itself where nobody knows it."""
    per_piece = "/" in unit and unit_kind(unit.partition("/")[0]) == "money"
    return unit_kind(unit) or ("money" if per_piece else unit.lower())
