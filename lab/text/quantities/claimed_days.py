"""Dates and times in a text: their places, each with a comparable value, however it is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lab.patterns import lazy_pattern
from lab.text.quantities.claims import Found, Reading
from lab.text.quantities.dates import AFTER_NOON, MONTHS, SHORT_WEEKDAY, WEEKDAY_NUMBERS, clock_time
from lab.text.quantities.numbers import HAN_DIGIT, ORDINALS, UP_TO_99, whole_number
from lab.text.quantities.units import NAMES, alternatives
from lab.text.word_lists import UP_TO_TWELVE, WEEKDAYS

_CENTURIES = "|".join(word for word, value in ORDINALS.items() if value <= 21)
_DAYS = "|".join(word.replace("-", "[ -]") for word, value in sorted(ORDINALS.items(), reverse=True) if value <= 31)
_MONTH_NAMES = f"(?:{'|'.join(sorted(map(str.capitalize, MONTHS), key=len, reverse=True))})"
_MONTH = rf"\b(?P<month>{_MONTH_NAMES})\b\.?"
_NO_NUMBER = "%|[⁰¹²³⁴⁵⁶⁷⁸⁹^]|[eE]\\d|\\s?[×·*]\\s?10|[.,’']\\d|[ \u00a0\u202f\u2009]\\d{3}(?!\\d)"
"""What makes the digits before it another number."""
_YEAR = rf"(?P<year>(?<![\d.,$€£¥’'])(?:1\d{{3}}|20\d\d)(?!\d|{_NO_NUMBER}))"
_DAY = r"(?<!\d)(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_WORDS = alternatives(unit for unit in NAMES if len(unit) > 1 or not unit.isascii())
_UNIT_FOLLOWS = rf"(?i:{_WORDS})|[ghlmstvw](?![A-Za-z0-9])|[WV](?![A-Za-z0-9.])"
_SEASON = r"(?P<year>(?<![\d.,/-])(?:1\d{3}|20\d\d))(?P<joint>[-–—/])(?P<last>\d\d)(?![\d./-]|\s?(?:%|[A-Za-z°]))"
_SHORT_WEEKDAYS = "Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun"
_NO_DURATION = r"(?!\s?(?:h|hrs?|hours?)\b|\s?小时)"
_YEAR_HAN = f"{HAN_DIGIT}{{4}}"
_MONTH_DAY_HAN = rf"(?P<month>\d{{1,2}}|{UP_TO_99})\s?月(?!球)(?:份)?(?:\s?(?P<day>\d{{1,2}}|{UP_TO_99})\s?[日号])?"
_TWO_DIGITS = lazy_pattern(r"\d\d")
_IN_DIGITS = [
    lazy_pattern(pattern)
    for pattern in (
        r"(?<!\d)(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)",
        r"(?<![\d.,/-])(?P<first>\d{1,2})(?P<mark>[-/.])\s?(?P<second>\d{1,2})(?P=mark)\s?(?P<year>(?:1[5-9]|20)\d\d)(?![\d./-]\d|\d)",
        r"(?<![\d.,/-])(?P<first>\d{1,2})(?P<mark>/)(?P<second>\d{1,2})/(?P<short>\d\d)(?![\d/-])",
        rf"{_DAY}[-./ ]{_MONTH}[-./ ]{_YEAR}",
        rf"{_MONTH}-{_DAY}-{_YEAR}",
        r"(?<![\d.,-])(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])(?![\d.,-])",
        r"(?<![\d.,/-])(?P<year>(?:1[5-9]|20)\d\d)[-/](?P<month>0[1-9]|1[0-2])(?![\d/-]|[.,]\d)",
        r"(?<![\d.,/-])(?P<month>0?[1-9]|1[0-2])[-/.](?P<year>(?:19|20)\d\d)(?![\d/-]|[.,]\d|\s?[%A-Za-z°])",
    )
]
"""Dates of digits and names of months with a year; looked for first, and only in a text with digits."""
_DATES = [
    lazy_pattern(pattern)
    for pattern in (
        r"(?P<era>民国)(?P<year>\d{1,3}|" + UP_TO_99 + rf")\s?年(?:\s?{_MONTH_DAY_HAN})?",
        rf"(?P<era>公元前|前)(?P<year>\d{{1,4}}|{UP_TO_99})\s?年",
        r"公元(?P<year>\d{1,4})\s?年",
        rf"(?<![\d.])(?P<year>[12]\d{{3}}|\d{{2,4}}(?=\s?年\s?\d{{1,2}}\s?月)|{_YEAR_HAN})\s?年(?P<decade>代)?"
        rf"(?:\s?{_MONTH_DAY_HAN})?",
        rf"(?<![\d个])(?=1[0-2]|[1-9]\s?月|{UP_TO_99}){_MONTH_DAY_HAN}",
        rf"{_DAY} (?:of )?{_MONTH},? {_YEAR}",
        rf"\b(?P<day>(?i:{_DAYS})) (?:of )?{_MONTH}(?:,? {_YEAR})?",
        rf"{_MONTH} (?:the )?(?P<day>(?i:{_DAYS}))\b(?:,? {_YEAR})?",
        rf"{_MONTH} {_DAY}(?!\d)(?:,? {_YEAR})?",
        rf"{_DAY} (?:of )?{_MONTH}(?!\w)",
        rf"{_MONTH},? (?:of )?{_YEAR}",
        r"(?:(?<=[Ii]n )|(?<=[Ss]ince )|(?<=[Uu]ntil )|(?<=[Bb]y )|(?<=early )|(?<=late ))" + _MONTH,
        r"(?<![\d.,])(?P<decade>(?:1\d|20)\d0)s\b",
        r"(?:(?<=[Tt]he )|(?<=[Ee]arly )|(?<=[Ll]ate )|(?<=[Mm]id-)|(?<=['’]))(?P<decade>\d0)s\b",
        r"\b(?P<century>\d{1,2})(?:st|nd|rd|th)[\s-][Cc]entur(?:y|ies)",
        rf"\b(?P<century>(?i:{_CENTURIES}))[\s-][Cc]entur(?:y|ies)",
        rf"(?P<century>(?<!\d)\d{{1,2}}|{UP_TO_99})\s?世纪(?:(?P<decade>\d0|[二三四五六七八九]十)年代)?",
        r"(?P<decade>(?<!\d)\d0|[二三四五六七八九]十)年代",
        r"(?:星期|周|礼拜)(?P<weekday>[一二三四五六日天])(?![年月天日周])",
        rf"\b(?P<weekday>{_SHORT_WEEKDAYS})(?:\.|(?=,\s|\s?[-–]\s?(?:{_SHORT_WEEKDAYS})\b|\s\d{{1,2}}\s|\s{_MONTH_NAMES}))",
        rf"\b(?P<weekday>{WEEKDAYS.title()})s?\b",
        r"(?P<part>上午|下午|中午|晚上|凌晨|早上|傍晚|夜里)?\s?"
        r"(?P<hour>(?<!\d)\d{1,2}|(?<=[午上晨晚里])[一二两三四五六七八九十]{1,3})(?:点(?!\d*[万亿%])钟?|时(?!速))"
        r"(?:(?P<minute>\d{1,2}|[一二三四五]?十[一二三四五六七八九]?)分?|(?P<half>半))?",
        rf"\b(?P<half>[Hh]alf) past (?P<hour>\d{{1,2}}(?!\d)|(?:{UP_TO_TWELVE})\b)",
        r"(?<![\d:.])(?P<hour>1[0-2]|0?[1-9])\.(?P<minute>[0-5]\d)\s?(?P<noon>[AaPp])\.?[Mm]\b\.?",
        r"(?<![\d:.])(?P<hour>[01]?\d|2[0-4])[.:](?P<minute>[0-5]\d)\s?Uhr\b",
        r"(?<![\d:])(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?!\d)(?:\s?(?P<noon>[AaPp])\.?[Mm]\b\.?)?"
        + _NO_DURATION,
        r"(?<![\d:.])(?P<hour>1[0-2]|[1-9])\s?(?P<noon>[AaPp])\.?[Mm]\b\.?",
        r"(?<![\d.,])(?P<year>\d{1,4})\s?(?P<era>BCE?\b|B\.C\.|AD\b|CE\b)",
        r"\bAD (?P<year>\d{1,4})",
        _SEASON,
        rf"{_YEAR}(?!\s?(?:{_UNIT_FOLLOWS}|[万亿千百]|Mio\b|[Mm]illion|[Tt]housand))(?![-\w]*[a-zA-Z])",
    )
]


# -------------------------------------------------------------------------------------------------- dates


def dates(text: str) -> Iterator[Found]:
    """Yields the dates and times of a text in half width with its capitals; they may overlap, the better one first."""
    for pattern in (*_IN_DIGITS, *_DATES) if _TWO_DIGITS.search(text) else _DATES:
        for m in pattern.finditer(text):
            yield from _facts(m)


def _facts(m: re.Match[str]) -> Iterator[Found]:
    """Yields the dates of a match: two years of 2019–21, one day of 31/01/2024, with another reading if it has two."""
    parts = {k: v for k, v in m.groupdict().items() if v}
    if "last" in parts:
        first, last = int(parts["year"]), int(parts["year"][:2] + parts["last"])
        if last > first and (last - first == 1 or parts["joint"] != "/"):
            yield Found("date", parts["year"], "", *m.span("year"))
            yield Found("date", str(last), "", *m.span("last"))
        return
    if "first" in parts:
        full = parts.get("year") or f"20{parts['short']}"
        orders = [(parts["first"], parts["second"]), (parts["second"], parts["first"])]
        orders = orders[:1] if parts["mark"] == "." else orders  # no country writes month.day.year
        dates = [_date_value({"year": full, "month": month, "day": day}) for day, month in orders]
        values = list(dict.fromkeys(date for date in dates if date))
    else:
        values = [value] if (value := _date_value(parts)) else []
    if values:
        others = tuple(Reading("date", value, "") for value in values[1:])
        yield Found("date", values[0], "", *m.span(), readings=others)


def _date_value(parts: Mapping[str, str]) -> str:
    """Returns the value of a date from its parts; empty if they are not a date (a 13th month)."""
    if "weekday" in parts:
        word = parts["weekday"].lower()
        return f"d{WEEKDAY_NUMBERS.get(word) or 1 + SHORT_WEEKDAY.split('|').index(word[:3])}"
    if "hour" in parts:
        return _time_value(parts)
    if "century" in parts:
        century = whole_number(parts["century"])
        decade = whole_number(parts["decade"]) if "decade" in parts else None
        return "" if century is None else f"c{century}" if decade is None else f"{century - 1}{decade:02}s"
    year = parts.get("year", "")
    if "decade" in parts and not year:
        return f"{whole_number(parts['decade'])}s"
    month, day = parts.get("month", ""), parts.get("day", "")
    m = MONTHS.get(month.lower()) or (whole_number(month) if month else 0)
    d = whole_number(day) if day else 0
    if m is None or d is None or m > 12 or d > 31:
        return ""
    y = whole_number(year) if year else None
    if year and y is None:
        return ""
    if parts.get("era") == "民国" and y is not None:
        y, year = y + 1911, "1911"
    before = "-" if parts.get("era", "")[:1] in ("公", "前", "B") else ""
    full = year if len(year) == 2 and m else f"{y or 0:04}"  # 98年3月 may be of any century
    date = "-" if y is None else before + full + ("s" if "decade" in parts else "")
    return date + (f"-{m:02}" if m else "") + (f"-{d:02}" if d else "")


def _time_value(parts: Mapping[str, str]) -> str:
    hour, minute = whole_number(parts["hour"]), whole_number(parts.get("minute", "30" if "half" in parts else "0"))
    if hour is None or minute is None:
        return ""
    late = parts.get("part", "") in AFTER_NOON or parts.get("noon", "").lower() == "p"
    time = clock_time(hour, minute, before_noon=parts.get("noon", "").lower() == "a", after_noon=late)
    return time and f"T{time}"
