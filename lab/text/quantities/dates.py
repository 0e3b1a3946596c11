"""Days, months and years as people write them, in Chinese and in English.

Days: ``2024-05-01``, ``2024/5/1``, ``2024年5月1日``, ``二〇二四年五月一日``, ``20240501``, ``1 May 2024``,
``Wed, 1st of May 2024``, ``May 1, 2024``, ``01/05/2024``; a time may follow.  Months: ``2024-05``, ``2024年5月``,
``May 2024``, ``05/2024``.  Years: ``2024``, ``2024年``.

``01/05/2024`` has two readings: the other dates of its field decide which is meant (`find_order`), or the caller.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable, Mapping
from datetime import date
from types import MappingProxyType
from typing import NamedTuple

from lab.algebra import Value
from lab.errors import ParameterError
from lab.patterns import lazy_pattern
from lab.text import fold
from lab.text.quantities.numbers import UP_TO_99, han_number
from lab.words import Said

DAY_FIRST, MONTH_FIRST = "day", "month"
MONTH_NAMES = tuple("january february march april may june july august september october november december".split())  # noqa: SIM905
MONTHS: Mapping[str, int] = MappingProxyType(
    {name: i for i, word in enumerate(MONTH_NAMES, 1) for name in (word, word[:3])} | {"sept": 9}
)
"""The months and their short forms, to their numbers."""
MONTH_NAME = "|".join(sorted(MONTHS, key=len, reverse=True))
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEKDAY_NUMBERS: Mapping[str, int] = MappingProxyType(
    {name: i for i, name in enumerate(WEEKDAYS, 1)} | {c: i for i, c in enumerate("一二三四五六日", 1)} | {"天": 7}
)
"""The days of the week, in Chinese by their last character, to their numbers: Monday is 1."""
AFTER_NOON = ("下午", "晚上", "傍晚")
"""Words before an hour which mean that it is one of 12 to 24."""
SHORT_WEEKDAY = "|".join(name[:3] for name in WEEKDAYS)
_MONTH = rf"({MONTH_NAME})\.?"
_WEEKDAY = rf"(?:(?:{SHORT_WEEKDAY})[a-z]*\.?,?\s+)?"
_HAN_DIGIT, _HAN_SMALL = "[〇零○一二三四五六七八九]", f"({UP_TO_99})"
_ISO = lazy_pattern(r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?!\d)")
_DIGITS = lazy_pattern(r"(\d{4})(\d{2})(\d{2})")
_SHORT = lazy_pattern(r"(\d{1,2})\s*([-/.])\s*(\d{1,2})\s*\2\s*(\d{4})(?!\d)")
_DAY_MONTH = lazy_pattern(rf"{_WEEKDAY}(\d{{1,2}})(?:st|nd|rd|th)?\.?(?:\s+of)?[\s-]*{_MONTH},?[\s-]+(\d{{4}})(?!\d)")
_MONTH_DAY = lazy_pattern(rf"{_WEEKDAY}{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})(?!\d)")
_HAN = lazy_pattern(rf"({_HAN_DIGIT}{{4}})年(?:{_HAN_SMALL}月(?:{_HAN_SMALL}[日号])?)?份?")
_YEAR_MONTH = lazy_pattern(r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*月?份?")
_MONTH_YEAR = lazy_pattern(r"(\d{1,2})\s*[-/.]\s*(\d{4})")
_NAMED_MONTH = lazy_pattern(rf"{_MONTH},?[\s-]+(\d{{4}})")
_YEAR = lazy_pattern(r"(\d{4})\s*年?")


class Period(NamedTuple):
    """A day, a month or a year: its first and its last day."""

    first: date
    last: date


class DayOrder(NamedTuple):
    """How ambiguous days of a field are read: with the day or the month first.

    ``shown_by`` is an unambiguous value that decides; ``open`` is an ambiguous one.  Empty: there is none.
    """

    first: str = DAY_FIRST
    shown_by: str = ""
    open: str = ""


def read_date(value: Value, first: str = DAY_FIRST) -> date | None:
    """Returns the day that a value names, or None; if it is ambiguous, day or month comes ``first``."""
    period = read_period(value, first)
    return period.first if period is not None and period.first == period.last else None


def read_period(value: Value, first: str = DAY_FIRST) -> Period | None:
    """Returns the day, month or year that a value names, or None; ``first`` is as for `read_date`."""
    if isinstance(value, list | bool | float):
        return None
    text = fold(str(value)).strip()
    try:
        return _day(text, first) or _longer(text)
    except ValueError:  # the 30th of February, the 13th month
        return None


def _day(text: str, first: str) -> Period | None:
    if m := _ISO.match(text) or _DIGITS.fullmatch(text):
        day = date(*map(int, m.groups()))
    elif m := _SHORT.match(text):
        first_part, _mark, second_part, year = m.groups()
        days, months = (
            (int(first_part), int(second_part)) if first == DAY_FIRST else (int(second_part), int(first_part))
        )
        day = date(int(year), months, days) if months <= 12 else date(int(year), days, months)
    elif m := _DAY_MONTH.match(text):
        day = date(int(m[3]), MONTHS[m[2]], int(m[1]))
    elif m := _MONTH_DAY.match(text):
        day = date(int(m[3]), MONTHS[m[1]], int(m[2]))
    elif (m := _HAN.match(text)) and m[3]:
        day = date(_han(m[1]), _han(m[2]), _han(m[3]))
    else:
        return None
    return Period(day, day)


def _longer(text: str) -> Period | None:
    if m := _YEAR_MONTH.fullmatch(text):
        year, month = int(m[1]), int(m[2])
    elif m := _MONTH_YEAR.fullmatch(text):
        year, month = int(m[2]), int(m[1])
    elif m := _NAMED_MONTH.fullmatch(text):
        year, month = int(m[2]), MONTHS[m[1]]
    elif (m := _HAN.fullmatch(text)) and m[2]:
        year, month = _han(m[1]), _han(m[2])
    elif m := _YEAR.fullmatch(text) or _HAN.fullmatch(text):
        year = int(m[1]) if m[1].isascii() else _han(m[1])
        return Period(date(year, 1, 1), date(year, 12, 31))
    else:
        return None
    return Period(date(year, month, 1), date(year, month, monthrange(year, month)[1]))


def _han(digits: str) -> int:
    value = han_number(digits.replace("○", "〇"))
    if value is None:
        raise ValueError(digits)
    return int(value)


def reference_date(value: str) -> date | None:
    """Returns the day from which others count, None if it is empty.  Raises `ParameterError` if it is not one day."""
    if value.strip() and (read_date(value) is None or has_two_readings(value)):
        message = Said("as_of is “{value}”, which is not one day.", value=value)
        raise ParameterError(message, Said("Write it as 2025-06-30."))
    return read_date(value)


def has_two_readings(value: Value) -> bool:
    """Returns whether day and month of this value could be exchanged, as in 01/05/2024."""
    m = None if isinstance(value, list | bool | float) else _SHORT.match(fold(str(value)).strip())
    return m is not None and m[1].lstrip("0") != m[3].lstrip("0") and 1 <= int(m[1]) <= 12 and 1 <= int(m[3]) <= 12


def find_order(values: Iterable[Value]) -> DayOrder:
    """Returns the order of the days of a field, as its unambiguous values show; day first if they show none or both."""
    deciding_values, two = dict[str, str](), ""
    for value in values:
        m = None if isinstance(value, list | bool | float) else _SHORT.match(fold(str(value)).strip())
        if m is None:
            continue
        if has_two_readings(value):
            two = two or str(value)
        elif int(m[1]) > 12 >= int(m[3]):
            deciding_values.setdefault(DAY_FIRST, str(value))
        elif int(m[3]) > 12 >= int(m[1]):
            deciding_values.setdefault(MONTH_FIRST, str(value))
    if len(deciding_values) == 1:
        ((first, witness),) = deciding_values.items()
        return DayOrder(first, witness, two)
    return DayOrder(open=two)


def clock_time(hour: int, minute: int = 0, *, before_noon: bool = False, after_noon: bool = False) -> str:
    """Returns a time as ``15:30``, empty for an impossible one; ``after_noon`` for 3 pm, ``before_noon`` for 12 am."""
    if hour > 24 or minute > 59:
        return ""
    hour = hour + 12 if after_noon and hour < 12 else 0 if before_noon and hour == 12 else hour
    return f"{hour:02}:{minute:02}"
