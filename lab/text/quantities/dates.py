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
from lab.text.quantities.numbers import UP_TO_99, whole_number
from lab.text.word_lists import MONTH_NAMES, WEEKDAYS
from lab.words import Said

DAY_FIRST, MONTH_FIRST = "day", "month"
MONTHS: Mapping[str, int] = MappingProxyType(
    {name: i for i, word in enumerate(MONTH_NAMES.split("|"), 1) for name in (word, word[:3])} | {"sept": 9}
)
"""The months and their short forms, to their numbers."""
MONTH_NAME = "|".join(sorted(MONTHS, key=len, reverse=True))
WEEKDAY_NUMBERS: Mapping[str, int] = MappingProxyType(
    {name: i for names in (WEEKDAYS.split("|"), "一二三四五六日") for i, name in enumerate(names, 1)} | {"天": 7}
)
"""The days of the week, in Chinese by their last character, to their numbers: Monday is 1."""
AFTER_NOON = ("下午", "晚上", "傍晚")
"""Words before an hour which mean that it is one of 12 to 24."""
SHORT_WEEKDAY = "|".join(name[:3] for name in WEEKDAYS.split("|"))
_MONTH, _YEAR = rf"(?P<month>{MONTH_NAME})\.?", r"(?P<year>\d{4})"
_WEEKDAY = rf"(?:(?:{SHORT_WEEKDAY})[a-z]*\.?,?\s+)?"
_DAY, _NUMBER = r"(?P<day>\d{1,2})", r"(?P<month>\d{1,2})"
_HAN_YEAR, _HAN_MONTH = "(?P<year>[〇零○一二三四五六七八九]{4})年", f"(?P<month>{UP_TO_99})月"
_SHORT = lazy_pattern(r"(?P<one>\d{1,2})\s*([-/.])\s*(?P<two>\d{1,2})\s*\2\s*(?P<year>\d{4})(?!\d)")
_FORMS = (
    lazy_pattern(rf"{_YEAR}\s*[-/.年]\s*{_NUMBER}\s*[-/.月]\s*{_DAY}(?!\d)"),
    _SHORT,
    *map(
        lazy_pattern,
        (
            rf"{_YEAR}(?P<month>\d{{2}})(?P<day>\d{{2}})\Z",
            rf"{_WEEKDAY}{_DAY}(?:st|nd|rd|th)?\.?(?:\s+of)?[\s-]*{_MONTH},?[\s-]+{_YEAR}(?!\d)",
            rf"{_WEEKDAY}{_MONTH}\s+{_DAY}(?:st|nd|rd|th)?,?\s+{_YEAR}(?!\d)",
            rf"{_HAN_YEAR}{_HAN_MONTH}(?P<day>{UP_TO_99})[日号]",
            rf"{_YEAR}\s*[-/.年]\s*{_NUMBER}\s*月?份?\Z",
            rf"{_NUMBER}\s*[-/.]\s*{_YEAR}\Z",
            rf"{_MONTH},?[\s-]+{_YEAR}\Z",
            rf"{_HAN_YEAR}(?:{_HAN_MONTH})?份?\Z",
            rf"{_YEAR}\s*年?\Z",
        ),
    ),
)
"""Days, then months and years; behind a day, a time may follow."""


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
    text = _text_of(value)
    written = next((m for form in _FORMS if (m := form.match(text))), None)
    try:
        return _period(written.groupdict(), first) if written else None
    except ValueError:  # the 30th of February, the 13th month
        return None


def _text_of(value: Value) -> str:
    return "" if isinstance(value, list | bool | float) else fold(str(value)).strip()


def _period(parts: Mapping[str, str], first: str) -> Period:
    """Returns the period of the parts of a date: a day, or else the whole month or year."""
    year, month, day = (_number(parts.get(name)) for name in ("year", "month", "day"))
    if "one" in parts:
        pair = int(parts["one"]), int(parts["two"])
        day, month = pair if first == DAY_FIRST else pair[::-1]
        day, month = (day, month) if month <= 12 else (month, day)
    begin = date(year or 0, 1 if month is None else month, 1 if day is None else day)
    last_month = begin.replace(month=month or 12)
    return Period(begin, begin if day else last_month.replace(day=monthrange(begin.year, last_month.month)[1]))


def _number(text: str | None) -> int | None:
    """Reads a part of a date: digits, the name of a month or a Han number.  Raises `ValueError` if it is none."""
    if text is None:
        return None
    value = MONTHS.get(text) or whole_number(text.replace("○", "〇"))
    if value is None:
        raise ValueError(text)
    return value


def reference_date(value: str) -> date | None:
    """Returns the day from which others count, None if it is empty.  Raises `ParameterError` if it is not one day."""
    if value.strip() and (read_date(value) is None or has_two_readings(value)):
        message = Said("as_of is “{value}”, which is not one day.", value=value)
        raise ParameterError(message, Said("Write it as 2025-06-30."))
    return read_date(value)


def has_two_readings(value: Value) -> bool:
    """Returns whether day and month of this value could be exchanged, as in 01/05/2024."""
    m = _SHORT.match(_text_of(value))
    return m is not None and m[1].lstrip("0") != m[3].lstrip("0") and 1 <= int(m[1]) <= 12 and 1 <= int(m[3]) <= 12


def find_order(values: Iterable[Value]) -> DayOrder:
    """Returns the order of the days of a field, as its unambiguous values show; day first if they show none or both."""
    deciding_values, two = dict[str, str](), ""
    for value in values:
        m = _SHORT.match(_text_of(value))
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
