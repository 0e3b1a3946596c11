"""Numbers, units, ranges and days as people write them, in Chinese and English: 两万五, 20k, 三到五年, last month.

Everything here is a pure function of a text (and, for days, of what "today" is).  The text is read as `plain` gives it:
half-width lower case, character by character, so that places in it are places in the original.

`read_number` reads one number, `read_quantity` a number or a range with its unit, `read_days` a stretch of days; each
at one place, or None.  `quantities` reads a whole text.  `convert` turns a number of one measure into another.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

DIGITS = {
    c: i for i, group in enumerate(["零〇", "一", "二两俩", "三", "四", "五", "六", "七", "八", "九"]) for c in group
}
SMALL = {"十": 10, "百": 100, "千": 1000}
LARGE = {"万": 10_000, "亿": 100_000_000}
_HAN = re.compile("[零〇一二两俩三四五六七八九十百千万亿]+")
_HAN_POINT = re.compile("点([零〇一二三四五六七八九]+)([万千亿]?)")

# ------------------------------------------------------------------------------------------------------ numbers


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


_ONES = "one two three four five six seven eight nine"
_TEENS = "zero ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_NUMERALS = {w: i for i, w in enumerate(_ONES.split(), 1)} | {w: i for i, w in enumerate(_TEENS.split(), 9)}
_NUMERALS |= {w: 10 * i for i, w in enumerate(_TENS.split(), 2)} | {"zero": 0, "a": 1, "an": 1}
_SCALES = {"hundred": 100.0, "thousand": 1e3, "grand": 1e3, "million": 1e6, "billion": 1e9, "dozen": 12.0}


def _any(words: str) -> str:
    return "|".join(words.split())


_BELOW_100 = rf"(?:(?:{_any(_TENS)})(?:[- ](?:{_any(_ONES)}))?|(?:{_any(_TEENS)}|{_any(_ONES)}))(?![a-z])"
_BELOW_1000 = rf"(?:(?:a |{_BELOW_100} )hundred(?:,? (?:and )?{_BELOW_100}(?! hundred))?|{_BELOW_100})"
_WHOLE = rf"(?:{_BELOW_1000}|a(?= (?:thousand|million|billion|dozen)))"
_GROUPS = rf"(?:,? (?:and )?(?:{_BELOW_1000} )?(?:thousand|million|billion|dozen)(?![a-z]))*"
_SPOKEN = re.compile(rf"{_WHOLE}{_GROUPS}(?:,? (?:and )?{_BELOW_1000})?")
_FRACTION = re.compile(r"(?:half (?:of )?an? |an? half |half )(million|thousand|billion|dozen|hundred)(?![a-z])")


def english_number(text: str, at: int = 0) -> tuple[int, float] | None:
    """Where the number in English words at ``text[at]`` ends, and its value: thirty-five, a dozen, half a million."""
    if at and text[at - 1].isalpha() and text[at - 1].isascii():
        return None
    if m := _FRACTION.match(text, at):
        return m.end(), 0.5 * _SCALES[m[1]]
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
    return end, total + section


_ARABIC = re.compile(r"[-+](?=[\d.])")
_DIGITS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d{1,3}(?:[  ]\d{3})+(?:\.\d+)?(?![\d.])|\d+(?:\.\d+)?|\.\d+")
_SCALE = re.compile(
    r"\s?(?P<han>百万|千万|十万|百(?!分)|千(?![瓦克米卡])|万|亿)"
    r"|(?P<letter>k|w|m|bn|\s?(?:thousand|million|billion|hundred|grand|dozen))(?![a-z0-9²³])"
)
_SCALED = {"百": 1e2, "千": 1e3, "万": 1e4, "十万": 1e5, "百万": 1e6, "千万": 1e7, "亿": 1e8, "k": 1e3, "w": 1e4}
_SCALED |= {"m": 1e6, "bn": 1e9, **_SCALES}


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


def _arabic(text: str, at: int) -> Number | None:
    sign = -1.0 if text[at : at + 1] == "-" else 1.0
    m = _DIGITS.match(text, at + bool(_ARABIC.match(text, at)))
    if m is None or len(m[0]) > 15:
        return None
    value, end, scale = float(re.sub("[,  ]", "", m[0])), m.end(), 1.0
    if s := _SCALE.match(text, end):
        scale, end = _SCALED[(s["han"] or s["letter"]).strip()], s.end()
        if s["han"] in ("万", "千", "百") and re.match(r"\d(?![\d.万千百亿年个月天岁])", text[end : end + 2]):
            value, end = value + int(text[end]) / 10, end + 1  # 2万5 is 25000
    behind = text[end : end + 1]
    if scale == 1.0 and behind.isascii() and (behind.isalpha() or behind == "_") and not read_unit(text, end):
        return None  # the beginning of a word: 3d, 1password
    return Number(at, end, sign * round(value * scale, 6), scale)


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
    scale = next((float(v) for c, v in (*reversed(LARGE.items()), ("千", 1e3), ("百", 1e2)) if c in run), 1.0)
    return Number(at, end, round(value, 6), scale)


def _english(text: str, at: int) -> Number | None:
    spoken = english_number(text, at)
    return Number(at, *spoken) if spoken else None


# -------------------------------------------------------------------------------------------------------- units

UNITS: Mapping[str, str] = {
    "money": "元 块 块钱 人民币 rmb cny yuan usd dollar $ ¥ ￥ € £ eur euro gbp pound 美元 欧元 英镑 元/月 元/年",
    "money 10000": "万元 万 w 万元/年 万元/月",
    "money 1000": "千元 k kusd keur",
    "money 1000000": "百万元 musd meur",
    "years": "年 year yr",
    "age": "岁 周岁 years_old year_old years_of_age",
    "months": "个月 月 month",
    "weeks": "周 个星期 星期 个礼拜 week",
    "days": "天 日 day",
    "nights": "晚 night",
    "hours": "小时 个小时 钟头 个钟头 hour hr h",
    "minutes": "分钟 minute min",
    "seconds": "秒 秒钟 second sec",
    "percent": "% percent pct per_cent",
    "weight": "kg 公斤 千克 kilogram kilo",
    "weight g": "克 gram g",
    "weight t": "吨 ton tonne",
    "power": "kw 千瓦 kilowatt",
    "power mw": "mw 兆瓦 megawatt",
    "energy": "kwh 千瓦时 度电 kilowatt_hour",
    "energy mwh": "mwh 兆瓦时",
    "kcal": "kcal calorie cal 大卡 千卡 卡路里",
    "liter": "l 升 公升 liter litre",
    "liter ml": "ml 毫升 milliliter millilitre",
    "gigabyte": "gb gigabyte",
    "terabyte": "tb terabyte",
    "megabyte": "mb megabyte",
    "hectare": "ha 公顷 hectare",
    "mu": "亩",
    "area km": "平方公里 平方千米 square_kilometer square_kilometre sq_km km2",
    "area": "平方米 平米 ㎡ m² 平方 平 square_meter square_metre sqm m2",
    "km": "km 公里 千米 kilometer kilometre k",
    "km 10000": "万公里",
    "mile": "mile 英里",
    "metre": "m 米 metre meter",
    "cm": "cm 厘米 centimeter centimetre",
    "mm": "mm 毫米 millimeter millimetre",
    "foot": "ft foot feet 英尺",
    "inch": "inch inche 英寸 寸",
    "temperature": "°c ℃ 度 摄氏度 degree degrees_celsius degree_celsius celsius",
    "temperature f": "°f fahrenheit degrees_fahrenheit 华氏度",
    "speed": "km/h kmh kph 公里每小时",
    "speed mph": "mph miles_per_hour",
    "floor": "层 层楼",
    "points": "分 point 星 star",
    "piece": (
        "件 个 位 种 类 人 名 本 台 份 只 单 条 款 笔 辆 张 家 次 部 场 门 间 套 杯 瓶 箱 盒 包 袋 桶 株 匹 册 盘 碗 "
        "根 座 艘 架 节 "
        "pax piece unit pcs time person people cup bottle box bag"
    ),
}
"""Words for what a number counts, by the measure; a scale behind it says how much larger the spoken number is."""


def _by_word() -> Iterator[tuple[str, tuple[str, float]]]:
    for named, words in UNITS.items():
        m = re.fullmatch(r"(.*?)(?: (\d+))?", named)
        assert m is not None
        yield from ((w.replace("_", " "), (m[1], float(m[2] or 1))) for w in words.split())


_MEASURES = {**dict(_by_word()), "k": ("money", 1000.0)}
_SCALES_ALONE = {"万", "k", "w", "$", "¥", "￥", "€", "£"}
_WRITTEN = sorted((u for u in _MEASURES if u not in _SCALES_ALONE), key=len, reverse=True)


def measure(unit: str) -> tuple[str, float]:
    """What a unit measures and its scale: ("money", 10000.0) for 万元; ("", 1.0) for what is not known."""
    unit = unit.lower().strip()
    head = unit.partition("/")[0].strip() if "/" in unit and unit not in _MEASURES else unit
    for form in (unit, unit.removesuffix("s"), unit.replace("years", "year"), head, head.removesuffix("s")):
        if form in _MEASURES:
            return _MEASURES[form]
    return "", 1.0


def is_unit(word: str) -> bool:
    """Whether a word, as it is written, is a unit."""
    return word in _MEASURES


_DIMENSIONS: tuple[Mapping[str, float], ...] = (
    {"weeks": 10080.0, "days": 1440.0, "hours": 60.0, "minutes": 1.0, "seconds": 1 / 60},
    {"years": 12.0, "months": 1.0},
    {"weight t": 1e6, "weight": 1000.0, "weight g": 1.0},
    {"km": 1000.0, "metre": 1.0, "cm": 0.01, "mm": 0.001, "mile": 1609.344, "foot": 0.3048, "inch": 0.0254},
    {"area km": 1e6, "hectare": 1e4, "mu": 10000 / 15, "area": 1.0},
    {"power mw": 1000.0, "power": 1.0},
    {"energy mwh": 1000.0, "energy": 1.0},
    {"liter": 1000.0, "liter ml": 1.0},
    {"terabyte": 1024.0, "gigabyte": 1.0, "megabyte": 1 / 1024},
)


def convert(value: float, said: str, stored: str) -> float | None:
    """A number of one measure in another (2 hours: 120 minutes); None where the two do not measure the same."""
    if said == stored:
        return value
    scales = next((s for s in _DIMENSIONS if said in s and stored in s), None)
    return round(value * scales[said] / scales[stored], 9) if scales else None


def read_unit(text: str, at: int) -> int:
    """Where the unit that stands at a place ends; 0 where there is none."""
    for unit in _WRITTEN:
        if text.startswith(unit, at):
            end = at + len(unit)
            if unit[-1].isascii() and unit[-1].isalpha():
                end += text.startswith("s", end)
                if text[end : end + 1].isascii() and text[end : end + 1].isalnum():
                    continue
            return end
    return 0


# --------------------------------------------------------------------------------------------------- quantities


@dataclass(frozen=True)
class Quantity:
    """A number, or a range, at ``text[start:end]``: ``high`` is None for one number.

    ``unit`` is as written, "" for none; a currency sign in front counts.  ``scale`` as in `Number`.
    """

    start: int
    end: int
    low: float
    high: float | None = None
    unit: str = ""
    scale: float = 1.0

    @property
    def values(self) -> tuple[float, ...]:
        """The number, or both ends of the range."""
        return (self.low,) if self.high is None else (self.low, self.high)

    @property
    def measure(self) -> str:
        """What the unit measures; the unit itself where nobody knows it."""
        return measure(self.unit)[0] or self.unit.lower()


_CURRENCY = re.compile(r"[¥￥$€£]\s?|usd |eur |rmb |cny ")
_PERCENT = re.compile("百分之")
_TENTHS = re.compile("([一二两三四五六七八九])成(?![立为分员功])")
_TO = re.compile(r"\s*(?:-|–|—|~|〜|到|至| to )\s*")
_HALF_MORE = re.compile(r"个?半(?=[年月天小个])")
_NO_UNIT = {"m", "h", "w", "l", "g", "min", "cal", "k", "a", "in"}


def read_quantity(text: str, at: int) -> Quantity | None:
    """The number or range with its unit that begins at ``text[at]``; None where there is none."""
    if shared := _shared_end(text, at):
        return shared
    first = _single(text, at)
    if first is None:
        return None
    joint = _TO.match(text, first.end)
    currency = joint.end() if joint else 0
    second = _single(text, currency) if joint else None
    if joint is None or second is None or (first.unit and second.unit and first.measure != second.measure):
        return first
    if "-" in joint[0] and first.scale == 1 and first.low >= 1900:  # 2023-05
        return first
    low = first.low
    if not first.unit and second.scale > 1 == first.scale and low <= second.low / second.scale:  # 1到2万, 20-30k
        low *= second.scale
    if second.low <= low:
        return first
    return Quantity(first.start, second.end, low, second.low, second.unit or first.unit, second.scale)


def _shared_end(text: str, at: int) -> Quantity | None:
    """两三年, 七八个: both digits share what follows."""
    a, b = text[at : at + 1], text[at + 1 : at + 2]
    if a in DIGITS and b in DIGITS and DIGITS[b] == DIGITS[a] + 1 and (second := _single(text, at + 1)):
        low = second.low * DIGITS[a] / DIGITS[b]
        return Quantity(at, second.end, low, second.low, second.unit, second.scale)
    return None


def _single(text: str, at: int) -> Quantity | None:
    """One number with its unit."""
    if m := _TENTHS.match(text, at):
        return Quantity(at, m.end(), 10.0 * DIGITS[m[1]], None, "%")
    if m := _PERCENT.match(text, at):
        n = read_number(text, m.end())
        return Quantity(at, n.end, n.value, None, "%") if n else None
    if text.startswith("半", at) and (m := re.match("半个?(年|月|天|小时|钟头)", text[at:])):
        return Quantity(at, at + m.end(), 0.5, None, m[1] if m[1] != "月" else "个月")
    if m := re.match(r"half (?:an? )?(hour|year|day|kilo|mile|litre|liter|ton|tonne)\b", text[at:]):
        return Quantity(at, at + m.end(), 0.5, None, m[1])
    if (
        m := re.match(
            r"an? (hour|year|day|week|month|kilo|mile|litre|liter|ton|tonne|metre|meter|minute)\b( and a half)?",
            text[at:],
        )
    ) and (at == 0 or not text[at - 1].isalnum()):
        return Quantity(at, at + m.end(), 1.5 if m[2] else 1.0, None, m[1])
    money = _CURRENCY.match(text, at)
    n = read_number(text, money.end() if money else at)
    if n is None:
        return None
    value, end = n.value, n.end
    if text.startswith(" and a half", end):
        value, end = value + 0.5 * n.scale, end + 11
    if m := _HALF_MORE.match(text, end):  # 一个半月
        value, end = value + 0.5 * n.scale, m.end()
    gap = 1 if text[end : end + 1] in (" ", "-") else 0
    stop = read_unit(text, end + gap)
    unit = text[end + gap : stop] if stop else ""
    if not unit and text[end + gap : end + gap + 1] in ("€", "$", "£", "¥"):
        unit, stop = text[end + gap], end + gap + 1
    if unit in _NO_UNIT and gap and unit != "m":
        unit = ""
    if unit:
        end = stop
        if text[end : end + 1] == "半" and unit in ("年", "个月", "天", "小时"):
            value, end = value + 0.5, end + 1
        value, end = _and_smaller(text, end, value, unit)
    written = (money[0].strip() if money else "") or unit
    return Quantity(at, end, value, None, written, n.scale)


def _and_smaller(text: str, end: int, value: float, unit: str) -> tuple[float, int]:
    """1 hour 30 minutes, 1小时30分钟, 1米8: the smaller part added."""
    if measure(unit)[0] == "metre" and (m := re.match(r"(\d{1,2})(?![\d.])", text[end:])):
        return value + int(m[1]) / 10 ** len(m[1]), end + m.end()
    m = re.match(r" ?(?:and )?", text[end:])
    n = read_number(text, end + (m.end() if m else 0))
    if n is None:
        return value, end
    gap = 1 if text[n.end : n.end + 1] == " " else 0
    stop = read_unit(text, n.end + gap)
    small, large = measure(text[n.end + gap : stop])[0] if stop else "", measure(unit)[0]
    if large == "hours" and small == "minutes":
        return value + n.value / 60, stop
    return value, end


def quantities(text: str) -> list[Quantity]:
    """All quantities of a text, from left to right, none inside another."""
    found: list[Quantity] = []
    at = 0
    while at < len(text):
        if (q := read_quantity(text, at)) is not None:
            found.append(q)
            at = q.end
        else:
            at += 1
    return found


# --------------------------------------------------------------------------------------------------------- days


class Days(NamedTuple):
    """The days from ``first`` up to, not including, ``after``, said by ``text[start:end]``, perhaps without a year."""

    start: int
    end: int
    first: dt.date
    after: dt.date
    yearless: bool = False


Span = tuple[dt.date, dt.date]

_NAMES = [*enumerate(calendar.month_name), *enumerate(calendar.month_abbr), (9, "sept")]
_MONTHS = {name.lower(): i for i, name in _NAMES if name}
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
_COUNTS = {w: float(i) for i, w in enumerate(_WORDS)} | {"a": 1, "few": 3, "eighteen": 18, "half": 0.5}
_COUNTS |= {"first": 1, "second": 2, "third": 3, "fourth": 4, "上": 1, "下": 2}
_CALENDAR_UNITS = {
    "天": "day", "日": "day", "周": "week", "星期": "week", "个星期": "week", "礼拜": "week", "月": "month",
    "个月": "month", "年": "year", "季度": "quarter", "个季度": "quarter",
}  # fmt: skip
_MONTHS_OF = {"month": 1, "quarter": 3, "year": 12}
_AWAY = {
    "今": 0, "本": 0, "这": 0, "当": 0, "昨": -1, "去": -1, "上": -1, "上一": -1, "前": -2, "明": 1, "下": 1,
    "this": 0, "current": 0, "last": -1, "previous": -1, "next": 1, "yesterday": -1, "today": 0, "now": 0,
    "tomorrow": 1,
}  # fmt: skip
"""How many days, weeks, months … away a word is."""


def _count(said: str) -> float:
    value = int(said) if said.isdigit() else _COUNTS[said] if said in _COUNTS else han_number(said) if said else None
    if value is None:
        raise ValueError(said)
    return value


def _days(first: dt.date, n: int = 1) -> Span:
    return first, first + dt.timedelta(n)


def _months(y: int, m: int, n: int = 1) -> Span:
    """So many months from the m-th of a year on, which may lie in another year."""
    first, after = (divmod(12 * y + m - 1 + more, 12) for more in (0, n))
    return dt.date(first[0], first[1] + 1, 1), dt.date(after[0], after[1] + 1, 1)


def back(today: dt.date, n: float, unit: str) -> dt.date:
    """The day so many days, weeks, months, quarters or years ago."""
    unit = _CALENDAR_UNITS.get(unit, unit)
    if unit not in _MONTHS_OF:
        return today - dt.timedelta(round(n * (7 if unit == "week" else 1)))
    first, after = _months(today.year, today.month - round(n * _MONTHS_OF[unit]))
    return first.replace(day=min(today.day, (after - first).days))


def _year(said: str, today: dt.date) -> int:
    """A year in any form: 2023, 二〇二三, 去年, last year."""
    word = said.removesuffix("年").removesuffix(" year").strip()
    return today.year + _AWAY[word] if word in _AWAY else int(_count(word))


def _date(
    today: dt.date, year: str = "", month: str = "", day: str | None = None, quarter: str = "", half: str = ""
) -> Span:
    """A year or a part of it; a month or a day without a year is the last one that has begun."""
    y = _year(year, today) if year else today.year
    if quarter:
        return _months(y, 3 * int(_count(quarter)) - 2, 3)
    if half:
        return _months(y, 6 * int(_count(half)) - 5, 6)
    if not month:
        return _months(y, 1, 12)
    m = _MONTHS.get(month) or int(_count(month))
    if not 1 <= m <= 12:
        raise ValueError(month)
    if day is None:
        return _months(y - (not year and m > today.month), m)
    first = dt.date(y, m, int(_count(day)))
    return _days(first if year or first <= today else dt.date(y - 1, m, first.day))


def _decade(_: dt.date, decade: str) -> Span:
    return _months(int(_count(decade)) + (1900 if len(decade) < 4 else 0), 1, 120)


def _month_end(today: dt.date, month: str, year: str = "") -> Span:
    """The moment when a month is over, as an empty stretch: what is before it and what is after it is clear."""
    after = _date(today, year or str(today.year), month)[1]
    return after, after


def _end(today: dt.date, unit: str, away: str = "this") -> Span:
    """The moment when this year, month or week is over, as an empty stretch."""
    after = _calendar(today, away, unit)[1]
    return after, after


def _rest(today: dt.date, unit: str) -> Span:
    return today, _calendar(today, "this", unit)[1]


def _so_far(today: dt.date, unit: str) -> Span:
    return _calendar(today, "this", unit)[0], today + dt.timedelta(1)


def _calendar(today: dt.date, away: str, unit: str = "day") -> Span:
    """The day, week, month, quarter or year that is so many after this one."""
    unit, n = _CALENDAR_UNITS.get(unit, unit), _AWAY[away]
    if unit == "day":
        return _days(today + dt.timedelta(n))
    if unit == "week":
        return _days(today + dt.timedelta(7 * n - today.weekday()), 7)
    many = _MONTHS_OF[unit]
    return _months(today.year, (today.month - 1) // many * many + 1 + n * many, many)


def _weekend(as_of: dt.date, away: str) -> Span:
    """Saturday and Sunday of this week, the last or the next."""
    monday, _ = _calendar(as_of, away, "week")
    return monday + dt.timedelta(5), monday + dt.timedelta(7)


def _recent(today: dt.date, unit: str, n: str = "a") -> Span:
    tomorrow = today + dt.timedelta(1)
    return back(tomorrow, _count(n), unit), tomorrow


def _ago(today: dt.date, n: str, unit: str) -> Span:
    return _days(back(today, _count(n), unit))


def _coming(today: dt.date, n: str, unit: str) -> Span:
    return today, back(today, -_count(n), unit) + dt.timedelta(1)


_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_M, _ZHM = rf"(?P<month>{_MONTH})", r"(?P<month>\d{1,2}|十[一二]?|[一二三四五六七八九])月"
_D, _ZHD = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?", r"(?P<day>\d{1,2}|[一二三]?十?[一二三四五六七八九]?)[日号]"
_Y, _THAT_YEAR = r"(?P<year>(?:1[5-9]|20)\d{2})", r"(?P<year>(?:1[5-9]|20)\d{2}|last year|this year)"
_ZHY = r"(?P<year>(?:(?:19|20)\d{2}|[一二][〇零一二三四五六七八九]{3})\s?年|今年|去年|前年|明年|上一年|本年)"
_N = "(?P<n>" + r"\d+|[一二两三四五六七八九十]{1,3}|" + "|".join(("a", *_WORDS[1:], "eighteen", "few")) + ")"
_N_ZH = r"(?P<n>\d+|[一二两三四五六七八九十]{1,3}|半)\s?"
_CALENDAR = "(?P<unit>week|month|quarter|year)"
_UNITS, _UNITS_ZH = "(?P<unit>day|week|month|year)s?", f"(?P<unit>{'|'.join(_CALENDAR_UNITS)})"
_DURING, _EDGE = "(?:in |over |within |during )?(?:the )?", r"(?!\d)"
_RULES: tuple[tuple[Callable[..., Span], str], ...] = (
    (_date, rf"{_Y}[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}}){_EDGE}"),
    (_date, rf"{_Y}-(?P<month>0[1-9]|1[0-2])(?![\d-])"),
    (_date, rf"(?:{_ZHY}的?)?{_ZHM}{_ZHD}"),
    (_date, rf"{_ZHY}的?{_ZHM}份?"),
    (_date, rf"{_ZHM}份?(?!薪)"),
    (_date, rf"{_ZHY}的?第?(?P<quarter>[一二三四1-4])季度?"),
    (_date, rf"{_ZHY}的?q(?P<quarter>[1-4])"),
    (_date, r"第(?P<quarter>[一二三四1-4])季度"),
    (_date, rf"(?:{_ZHY}的?)?(?P<half>[上下])半年"),
    (_date, rf"{_ZHY}(?:年?度)?"),
    (_date, rf"{_M}\.? {_D},? {_Y}{_EDGE}"),
    (_date, rf"{_D} (?:of )?{_M}\.?,? {_Y}{_EDGE}"),
    (_date, rf"{_M}\.?,? (?:of )?{_THAT_YEAR}{_EDGE}"),
    (_date, rf"{_M} {_D}(?![\d.,%a-z])"),
    (_date, rf"q(?P<quarter>[1-4])(?:,? (?:of )?{_THAT_YEAR})?"),
    (_date, rf"(?:the )?(?P<quarter>first|second|third|fourth) quarter(?:,? (?:of )?{_THAT_YEAR})?"),
    (_date, rf"(?:the )?(?P<half>first|second) half of {_THAT_YEAR}"),
    (_date, rf"(?:the )?year {_Y}{_EDGE}"),
    (_month_end, rf"(?:{_ZHY})?的?{_ZHM}份?[底末](?=之前|前|以前|之后|以后|后)"),
    (_month_end, rf"(?:the )?end of {_M}(?:,? {_Y})?{_EDGE}"),
    (_end, rf"(?:the )?end of (?:the )?(?:(?P<away>this|next|last) )?{_CALENDAR}\b"),
    (_rest, rf"(?:during |for |over )?(?:the )?(?:rest|remainder) of (?:the|this) {_CALENDAR}\b"),
    (_rest, rf"later this {_CALENDAR}\b"),
    (_so_far, rf"this {_CALENDAR} (?:so far|to date)"),
    (_so_far, rf"so far this {_CALENDAR}\b"),
    (_so_far, rf"{_CALENDAR} to date"),
    (_calendar, r"(?P<away>now)(?= (?:and|until|till|to|through|up to)\b)"),
    (_decade, r"(?:the )?(?P<decade>(?:19|20)\d0)s"),
    (_decade, r"(?:the |')(?P<decade>[3-9]0)s"),
    (_decade, r"(?P<decade>(?:19|20)\d0|[3-9]0|[三四五六七八九]十)年代"),
    (_recent, rf"(?:最近|近|过去|前)(?:的)?{_N_ZH}{_UNITS_ZH}(?:内|里|以来|之内)?"),
    (_recent, rf"{_DURING}(?:last|past|previous) {_N} (?P<unit>day|week|month|quarter|year)s?\b"),
    (_recent, rf"{_DURING}past (?P<unit>day|week|month|quarter|year)s?\b"),
    (_recent, r"(?:the )?(?:last|past) (?P<n>half)[- ](?P<unit>year)"),
    (_recent, r"last (?P<n>half) a (?P<unit>year)"),
    (_calendar, r"(?P<away>[本这上下当])个?(?P<unit>周|星期|礼拜|月|季度)"),
    (_calendar, r"(?P<away>[今昨明])[天日]"),
    (_calendar, r"(?P<away>前)天"),
    (_calendar, r"(?P<away>this|last|next) (?P<unit>week|month|quarter|year)"),
    (_calendar, r"(?:the )?(?P<away>previous|current(?! week| quarter)) (?P<unit>week|month|quarter|year)"),
    (_calendar, r"(?P<away>yesterday|today|tomorrow)"),
    (_weekend, r"(?:on |over |at )?(?P<away>this|last|next) weekend"),
    (_weekend, r"(?P<away>[本这上下])个?周末"),
    (_ago, rf"{_N} {_UNITS} ago"),
    (_ago, rf"(?!\d{{4}}年){_N_ZH}(?P<unit>天|日|周|星期|个星期|礼拜|个月|年)(?:以|之)?前"),
    (_coming, rf"(?:in |within |over )?(?:the )?next {_N} {_UNITS}\b"),
    (_coming, rf"(?:未来|今后|接下来)(?:的)?{_N_ZH}{_UNITS_ZH}(?:内|里)?"),
)
_BARE = (  # only after a word that calls for a date
    (_date, rf"{_M}(?![a-z])"),
    (_date, rf"{_Y}(?![\d.,%]*\d|[a-z%元])"),
)
_COMPILED, _COMPILED_BARE = ([(make, re.compile(pattern)) for make, pattern in rules] for rules in (_RULES, _BARE))
_YEARLESS = re.compile(rf"(?:{_ZHM}|(?:{_MONTH}))(?:份|.{{0,3}}[日号]| \d{{1,2}}(?:st|nd|rd|th)?)?")


def read_days(text: str, at: int, as_of: dt.date, *, bare: bool = False) -> Days | None:
    """The longest stretch of days that is said at ``text[at]`` (folded text); ``bare`` also takes May and 2023."""
    before = text[at - 1] if at else " "
    inside = before.isascii() and before.isalnum()
    best: Days | None = None
    for make, pattern in _COMPILED + (_COMPILED_BARE if bare else []):
        m = pattern.match(text, at)
        if m is None or (inside and m[0][0].isascii()) or (best is not None and m.end() <= best.end):
            continue
        joint = m[0][-1] + text[m.end() : m.end() + 1]
        if len(joint) == 2 and joint.isascii() and joint.isalpha():
            continue
        try:
            days = make(as_of, **{name: said for name, said in m.groupdict().items() if said is not None})
        except (ValueError, KeyError, OverflowError):  # the 31st of February
            continue
        best = Days(at, m.end(), *days, _YEARLESS.fullmatch(m[0]) is not None)
    return best
