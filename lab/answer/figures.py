"""Numbers with their units, dates and times: where they stand in a text, each with a value that can be compared.

Numbers and words of several writings have one value (14, fourteen, 十四); so have units (天, 日, days) and dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from lab.reading.numbers import DIGITS, LARGE, han_value, read_english


class Found(NamedTuple):
    """A number, a date or a name: ``text[start:end]``.

    ``kind`` is one of ``number``, ``date`` and ``name``.  ``value`` can be compared: a number as a float; a date as
    year-month-day as far as it is said (``2019-03``; ``--03-05`` without a year, ``T15:30``, ``1990s``, ``c19`` for a
    century, ``d1`` for Monday, ``3 day ago``, ``-0221`` before our era); a name as its letters without case and
    punctuation.  ``unit`` is that of a number by one name for each (``day`` for 天, 日 and days), of a name ``person``
    or ``place`` where the dictionary says so; empty where none is known.

    A number from 1000 to 2099 without comma and unit is a year, unless something says otherwise.
    """

    kind: str
    value: float | str
    unit: str
    start: int
    end: int


_UNITS: Mapping[str, str] = {
    spelled: name
    for name, spellings in {
        "second": "秒 秒钟 second seconds sec",
        "minute": "分钟 minute minutes min mins",
        "hour": "小时 个小时 钟头 个钟头 hour hours hr hrs",
        "day": "天 日 day days",
        "working day": "个工作日 工作日 working_day working_days business_day business_days",
        "week": "周 星期 个星期 礼拜 个礼拜 week weeks",
        "month": "个月 month months",
        "year": "年 周年 year years yr yrs",
        "century": "个世纪 century centuries",
        "age": "岁 周岁 years_old year_old year-old",
        "percent": "% percent per_cent 个百分点",
        "yuan": "元 块 块钱 元人民币 人民币 yuan rmb cny",
        "usd": "美元 美金 dollar dollars usd",
        "eur": "欧元 euro euros eur",
        "gbp": "英镑 pound pounds gbp",
        "km": "公里 千米 km kilometre kilometres kilometer kilometers",
        "m": "米 m metre metres meter meters",
        "cm": "厘米 公分 cm centimetre centimetres centimeter centimeters",
        "mm": "毫米 mm millimetre millimetres millimeter millimeters",
        "mile": "英里 mile miles",
        "foot": "英尺 foot feet ft",
        "inch": "英寸 寸 inch inches",
        "km2": "平方公里 平方千米 km² km2 square_kilometres square_kilometers",
        "m2": "平方米 m² m2 square_metres square_meters",
        "kg": "公斤 千克 kg kilogram kilograms",
        "g": "克 g gram grams",
        "t": "吨 tonne tonnes ton tons",
        "l": "升 litre litres liter liters",
        "ml": "毫升 ml",
        "degree": "度 摄氏度 ℃ °c ° degrees degree",
        "person": "人 名 位 people persons person",
        "time": "次 回 times",
        "w": "瓦 w watt watts",
        "v": "伏 v volt volts",
        "hz": "赫兹 hz",
        "mah": "毫安 毫安时 mah",
        "gb": "gb",
        "mb": "mb",
    }.items()
    for spelled in spellings.split()
}
DURATIONS = frozenset({"second", "minute", "hour", "day", "working day", "week", "month", "year", "century", "age"})
_COUNTERS = "类个件本台只条张家所座项种支部场届场队辆架艘幅首篇页章节层级倍股套间颗粒枚门户集期卷份点字票局分组队轮艘"
_CURRENCY = {"¥": "yuan", "$": "usd", "€": "eur", "£": "gbp"}
_SCALES = {
    "十万": 1e5, "百万": 1e6, "千万": 1e7, "百亿": 1e10, "千亿": 1e11, "万亿": 1e12, "万": 1e4, "亿": 1e8, "千": 1e3,
    "百": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0, "k": 1e3,
}  # fmt: skip


def _any(words: Mapping[str, object]) -> str:
    longest = sorted(words, key=lambda w: (-len(w), w))
    return "|".join(re.escape(w).replace("_", " ") + ("(?![a-z0-9])" if w[-1].isascii() else "") for w in longest)


UNIT = re.compile(rf"[\s-]?(?P<unit>{_any(_UNITS)})(?P<half>半(?!个|天|年|月|小时))?")
_SCALE = re.compile(rf"\s?(?P<scale>{_any(_SCALES)})")
_ARABIC = re.compile(
    r"(?<![a-z0-9_])(?<!\d[.,])(?:(?P<money>[¥$€£])\s?)?(?P<sign>[-+−](?=\d))?"
    r"(?:(?P<top>\d{1,3})/(?P<bottom>\d{1,3})(?![\d/])|(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,15}(?:\.\d{1,9})?(?!\d))"
    r"(?P<ordinal>(?:st|nd|rd|th)\b)?)(?P<half>½)?"
)
_HAN_NUMERAL = "零〇一二两三四五六七八九十百千万亿"
_HAN_NUMBER = re.compile(
    rf"(?P<percent>百分之)?(?P<ordinal>第)?(?P<run>[{_HAN_NUMERAL}]+|半(?=个?(?:年|月|天|日|小时)))"
    rf"(?:点(?P<point>[零〇一二三四五六七八九]+)(?P<large>[万亿]?))?(?:分之(?P<top>[{_HAN_NUMERAL}]+))?(?P<vague>[几多余]?)"
)
_ENGLISH = re.compile(
    r"(?<![\w-])(?:(?P<part>half|(?P<n>one|two|three|four|five|a|[1-9])[\s-](?P<of>half|third|quarter|fourth|fifth|tenth)"
    r"s?)(?![\w-])|(?=(?P<word>a (?:dozen|hundred|thousand|million)|half a (?:million|thousand)|[a-z]+)))"
)
_AGO = re.compile(r"\s?(?:ago\b|之?以?前(?!往|进|后|面|锋|者))")
_NOT_TENTHS = re.compile("成(?:为|立|长|员|功|就|果|本|年|人)")
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "tenth": 10}

_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October"),
    *("November", "December"),
)
MONTH_OF = {name: i for i, word in enumerate(_MONTHS, 1) for name in (word.lower(), word[:3].lower())} | {"sept": 9}
"""The months and how they are shortened, to their numbers."""
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ORDINALS = (
    *(
        "First",
        "Second",
        "Third",
        "Fourth",
        "Fifth",
        "Sixth",
        "Seventh",
        "Eighth",
        "Ninth",
        "Tenth",
        "Eleventh",
        "Twelfth",
    ),
    *("Thirteenth", "Fourteenth", "Fifteenth", "Sixteenth", "Seventeenth", "Eighteenth", "Nineteenth", "Twentieth"),
    "Twenty-first",
)
_WEEKDAY = dict(zip((*WEEKDAYS, *"一二三四五六日天"), (1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 7), strict=True))
_MONTH = r"\b(?P<month>" + "|".join(sorted((w.capitalize() for w in MONTH_OF), key=len, reverse=True)) + r")\b\.?"
_YEAR = r"(?P<year>(?<![\d.,$€£¥])(?:1\d{3}|20\d\d)(?![\d]|[.,]\d|%))"
_DAY = r"(?<!\d)(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR_HAN = "[零〇一二三四五六七八九]{4}"
_SMALL_HAN = "[一二三四五六七八九十]{1,3}"
_MONTH_DAY_HAN = rf"(?P<month>\d{{1,2}}|{_SMALL_HAN})\s?月(?!球)(?:份)?(?:\s?(?P<day>\d{{1,2}}|{_SMALL_HAN})\s?[日号])?"
_DATES = [
    re.compile(pattern)
    for pattern in (
        r"(?<!\d)(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)",
        rf"(?P<era>公元前|前)(?P<year>\d{{1,4}}|{_SMALL_HAN})\s?年",
        r"公元(?P<year>\d{1,4})\s?年",
        rf"(?<![\d.])(?P<year>[12]\d{{3}}|\d{{2,4}}(?=\s?年\s?\d{{1,2}}\s?月)|{_YEAR_HAN})\s?年(?P<decade>代)?"
        rf"(?:\s?{_MONTH_DAY_HAN})?",
        rf"(?<![\d个])(?=1[0-2]|[1-9]\s?月|{_SMALL_HAN}){_MONTH_DAY_HAN}",
        rf"{_DAY} (?:of )?{_MONTH},? {_YEAR}",
        rf"{_MONTH} {_DAY}(?!\d)(?:,? {_YEAR})?",
        rf"{_DAY} (?:of )?{_MONTH}(?!\w)",
        rf"{_MONTH},? (?:of )?{_YEAR}",
        r"(?:(?<=[Ii]n )|(?<=[Ss]ince )|(?<=[Uu]ntil )|(?<=[Bb]y )|(?<=early )|(?<=late ))" + _MONTH,
        r"(?<![\d.,])(?P<decade>(?:1\d|20)\d0)s\b",
        r"\b(?P<century>\d{1,2})(?:st|nd|rd|th)[\s-][Cc]entur(?:y|ies)",
        rf"\b(?P<century>{'|'.join(f'(?i:{w})' for w in _ORDINALS)})[\s-][Cc]entur(?:y|ies)",
        rf"(?P<century>(?<!\d)\d{{1,2}}|{_SMALL_HAN})\s?世纪(?:(?P<decade>\d0|[二三四五六七八九]十)年代)?",
        r"(?P<decade>(?<!\d)\d0|[二三四五六七八九]十)年代",
        r"(?:星期|周|礼拜)(?P<weekday>[一二三四五六日天])(?![年月天日周])",
        r"\b(?P<weekday>" + "|".join(w.capitalize() for w in WEEKDAYS) + r")s?\b",
        r"(?P<part>上午|下午|中午|晚上|凌晨|早上|傍晚|夜里)?\s?"
        r"(?P<hour>(?<!\d)\d{1,2}|(?<=[午上晨晚里])[一二两三四五六七八九十]{1,3})(?:点(?!\d*[万亿%])钟?|时(?!速))"
        r"(?:(?P<minute>\d{1,2}|[一二三四五]?十[一二三四五六七八九]?)分?|(?P<half>半))?",
        r"(?<![\d:])(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?!\d)(?:\s?(?P<noon>[AaPp])\.?[Mm]\b\.?)?",
        r"(?<![\d:.])(?P<hour>1[0-2]|[1-9])\s?(?P<noon>[AaPp])\.?[Mm]\b\.?",
        r"(?<![\d.,])(?P<year>\d{1,4})\s?(?P<era>BCE?\b|B\.C\.|AD\b|CE\b)",
        r"\bAD (?P<year>\d{1,4})",
        rf"{_YEAR}(?!\s?(?:{_any(_UNITS)}))(?![-\w]*[a-zA-Z])",
    )
]


# -------------------------------------------------------------------------------------------------- dates


def dates(text: str) -> Iterator[Found]:
    """The dates and times of a text in half width, capitals as they stand; they may overlap, the better one first."""
    for pattern in _DATES:
        for m in pattern.finditer(text):
            value = _date_value({k: v for k, v in m.groupdict().items() if v})
            if value:
                yield Found("date", value, "", *m.span())


def _whole(digits: str) -> int | None:
    """A whole number in digits, Arabic or Han (a year digit by digit)."""
    if digits.isdecimal():
        return int(digits)
    if digits.capitalize() in _ORDINALS:
        return _ORDINALS.index(digits.capitalize()) + 1
    value = han_value(digits)
    return None if value is None else int(value)


def _date_value(said: Mapping[str, str]) -> str:
    """The value of a date by its parts; empty where they are none (a 13th month)."""
    if "weekday" in said:
        return f"d{_WEEKDAY[said['weekday'].lower()]}"
    if "hour" in said:
        return _time_value(said)
    if "century" in said:
        century = _whole(said["century"])
        decade = _whole(said["decade"]) if "decade" in said else None
        return "" if century is None else f"c{century}" if decade is None else f"{century - 1}{decade:02}s"
    year = said.get("year", "")
    if "decade" in said and not year:
        return f"{_whole(said['decade'])}s"
    month, day = said.get("month", ""), said.get("day", "")
    m = MONTH_OF.get(month.lower()) or (_whole(month) if month else 0)
    d = _whole(day) if day else 0
    if m is None or d is None or m > 12 or d > 31:
        return ""
    y = _whole(year) if year else None
    if year and y is None:
        return ""
    before = "-" if said.get("era", "")[:1] in ("公", "前", "B") else ""
    full = year if len(year) == 2 and m else f"{y or 0:04}"  # 98年3月 may be of any century
    out = "-" if y is None else before + full + ("s" if "decade" in said else "")
    return out + (f"-{m:02}" if m else "") + (f"-{d:02}" if d else "")


def _time_value(said: Mapping[str, str]) -> str:
    hour, minute = _whole(said["hour"]), _whole(said.get("minute", "0"))
    if hour is None or minute is None or hour > 24 or minute > 59:
        return ""
    late = said.get("part", "") in ("下午", "晚上", "傍晚") or said.get("noon", "").lower() == "p"
    early = said.get("noon", "").lower() == "a" and hour == 12
    hour = hour + 12 if late and hour < 12 else 0 if early else hour
    return f"T{hour:02}:{30 if 'half' in said else minute:02}"


# ------------------------------------------------------------------------------------------------ numbers


def numbers(text: str) -> Iterator[Found]:
    """The numbers of a text in half width and lower case; they may overlap, the better one first."""
    for m in _ARABIC.finditer(text):
        if m["digits"]:
            value = float(m["digits"].replace(",", "")) + (0.5 if m["half"] else 0.0)
        elif float(m["bottom"]) == 0:
            continue
        else:
            value = float(m["top"]) / float(m["bottom"])
        value = -value if m["sign"] in ("-", "−") else value
        if m["ordinal"]:
            yield Found("number", value, "ordinal", *m.span())
            continue
        yield from _measured(text, m.start(), m.end(), value, _CURRENCY.get(m["money"] or "", ""))
    for m in _HAN_NUMBER.finditer(text):
        yield from _of_han(text, m)
    for m in _ENGLISH.finditer(text):
        if m["part"]:
            top = {"one": 1, "a": 1, "two": 2, "three": 3, "four": 4, "five": 5}.get(m["n"] or "a") or int(m["n"])
            yield Found("number", round(top / _PARTS[m["of"] or "half"], 9), "", m.start(), m.end())
        elif spoken := read_english(text, m.start()):
            end, value = spoken
            if value == 1 and not UNIT.match(text, end):
                continue  # one as a pronoun
            if not text[end : end + 1].isalnum():
                yield from _measured(text, m.start(), end, value, "")


def _of_han(text: str, m: re.Match[str]) -> Iterator[Found]:
    run, top, end = m["run"], m["top"], m.end()
    value = han_value(run)
    if value is None or run[0] in "百千万亿" or m["vague"] == "几":
        return
    if m["point"]:
        value += float("0." + "".join(str(DIGITS[c]) for c in m["point"]))
        value *= LARGE.get(m["large"], 1)
    if top is not None:
        above = han_value(top)
        if above is not None and value:
            yield Found("number", round(above / value, 9), "", m.start(), m.end())
        return
    if m["percent"] or m["ordinal"]:
        yield Found("number", value, "percent" if m["percent"] else "ordinal", m.start(), end)
        return
    if text[end : end + 1] == "成" and not _NOT_TENTHS.match(text, end):
        yield Found("number", 10 * value, "percent", m.start(), end + 1)
        return
    unit, next_one = UNIT.match(text, end), text[end : end + 1]
    counted = bool(next_one) and next_one in _COUNTERS
    if len(run) == 1 and not m["point"] and (not unit and (not counted or run == "一")):
        return  # 一个 is an article, 三国 and 四川 are names
    if run == "一" and unit and unit["unit"] in ("人", "名", "位", "度", "块", "日", "天", "次", "回"):
        return
    yield from _measured(text, m.start(), end, value, "")


def _measured(text: str, start: int, end: int, value: float, unit: str) -> Iterator[Found]:
    """A number with the scale and the unit that follow it; none where it is the beginning of a word."""
    if (m := _SCALE.match(text, end)) and not (
        m["scale"] in ("百", "千") and text[m.end() : m.end() + 1] in "分米克瓦"
    ):
        value, end = value * _SCALES[m["scale"]], m.end()
    if text[end : end + 1] in ("多", "余", "几"):
        end += 1
    m = UNIT.match(text, end)
    if m and not (m["unit"] in ("m", "g", "w", "v", "t") and text[end : end + 1] == " "):
        unit, end = unit or _UNITS[m["unit"].replace(" ", "_")], m.end()
        value += 0.5 if m["half"] else 0.0
    elif re.match(r"[a-z_]", text[end : end + 1]) and text[end - 1].isascii():
        return
    if unit in DURATIONS and (m := _AGO.match(text, end)):
        yield Found("date", f"{value:g} {unit} ago", "", start, m.end())
    else:
        yield Found("number", round(value, 9), unit, start, end)
