"""Stretches of days as people say them: 去年, 2023年5月, 上个月, 近30天, last quarter, May 2023, 2023-05-01.

What "today" is comes in as ``as_of``; nothing here looks at a clock.  A stretch is half-open: first day, first
day after.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Callable
from typing import NamedTuple

from lab.reading.numbers import han_value

_MONTHS = (
    {m.lower(): i for i, m in enumerate(calendar.month_name) if m}
    | {m.lower(): i for i, m in enumerate(calendar.month_abbr) if m}
    | {"sept": 9}
)
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_EN = "zero one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
_ENGLISH = {w: i for i, w in enumerate(_EN)} | {"a": 1, "few": 3, "eighteen": 18}
_N = (
    r"(\d+|[一二两三四五六七八九十]{1,3}|a|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|eighteen|few)"
)
_N_ZH = r"(\d+|[一二两三四五六七八九十]{1,3}|半)\s?"


class Stretch(NamedTuple):
    """``text[..end]`` said the days from ``first`` up to, not including, ``after``."""

    end: int
    first: dt.date
    after: dt.date
    yearless: bool = False


Span = tuple[dt.date, dt.date]


def _year(y: int) -> Span:
    return dt.date(y, 1, 1), dt.date(y + 1, 1, 1)


def _decade(y: int) -> Span:
    return dt.date(y, 1, 1), dt.date(y + 10, 1, 1)


def _month(y: int, m: int) -> Span:
    y, m = y + (m - 1) // 12, (m - 1) % 12 + 1
    return dt.date(y, m, 1), dt.date(y + m // 12, m % 12 + 1, 1)


def _quarter(y: int, q: int) -> Span:
    return _month(y, 3 * q - 2)[0], _month(y, 3 * q)[1]


def _half(y: int, h: int) -> Span:
    return _month(y, 6 * h - 5)[0], _month(y, 6 * h)[1]


def _day(y: int, m: int, d: int) -> Span:
    first = dt.date(y, m, d)
    return first, first + dt.timedelta(1)


def _calendar(today: dt.date, unit: str, n: int = 0) -> Span:
    """The day, week, month, quarter or year that is so many after this one."""
    if unit in ("day", "week"):
        first = today + dt.timedelta(n) if unit == "day" else today + dt.timedelta(7 * n - today.weekday())
        return first, first + dt.timedelta(1 if unit == "day" else 7)
    if unit == "month":
        return _month(today.year, today.month + n)
    return _year(today.year + n) if unit == "year" else _quarter(today.year, (today.month + 2) // 3 + n)


def _past_month(today: dt.date, m: int) -> Span:
    """A month without a year: the last one that has begun."""
    return _month(today.year if m <= today.month else today.year - 1, m)


def _back(today: dt.date, n: float, unit: str) -> dt.date:
    """The day so many days, weeks, months, quarters or years ago."""
    if unit in _MONTHS_OF:
        y, m = divmod(today.year * 12 + today.month - 1 - round(n * _MONTHS_OF[unit]), 12)
        return dt.date(y, m + 1, min(today.day, calendar.monthrange(y, m + 1)[1]))
    return today - dt.timedelta(round(n * (7 if unit == "week" else 1)))


_MONTHS_OF = {"month": 1, "quarter": 3, "year": 12}


def _count(said: str) -> float:
    if said.isdigit() or said in _ENGLISH:
        return _ENGLISH[said] if said in _ENGLISH else int(said)
    value = han_value(said) if said else None
    if value is None:
        raise ValueError(said)
    return value


_UNIT = {
    "天": "day", "日": "day", "周": "week", "星期": "week", "个星期": "week", "礼拜": "week", "月": "month", "个月": "month",
    "年": "year", "季度": "quarter", "个季度": "quarter",
}  # fmt: skip
_UNITS_ZH = "(" + "|".join(_UNIT) + ")"
_AWAY = {
    "今": 0, "本": 0, "这": 0, "当": 0, "昨": -1, "去": -1, "上": -1, "上一": -1, "前": -2, "明": 1, "下": 1,
    "this": 0, "current": 0, "last": -1, "previous": -1, "next": 1, "yesterday": -1, "today": 0, "tomorrow": 1,
}  # fmt: skip
"""How many days, weeks, months … away a word is."""


def _recent(today: dt.date, n: float, unit: str) -> Span:
    tomorrow = today + dt.timedelta(1)
    return _back(tomorrow, n, unit), tomorrow


def _y(said: str, today: dt.date) -> int:
    """A year in any form: 2023, 23, 二〇二三, 去年, last year."""
    word = said.removesuffix("年").removesuffix(" year")
    if word in _AWAY:
        return today.year + _AWAY[word]
    return int(_count(said)) + (2000 if len(said) < 4 else 0)


Maker = Callable[[re.Match[str], dt.date], Span]
_ZHY = r"((?:19|20)\d{2}|[一二][〇零一二三四五六七八九]{3})\s?年|(今年|去年|前年|明年|上一年|本年)"
_ZHM = r"(\d{1,2}|十[一二]?|[一二三四五六七八九])月"
_EDGE = r"(?![\d])"


def _zh_year(m: re.Match[str], today: dt.date) -> int:
    return _y(m[1] or m[2], today)


_RULES: tuple[tuple[str, Maker], ...] = (
    # ISO and numeric days, months
    (r"((?:19|20)\d{2})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)", lambda m, t: _day(int(m[1]), int(m[2]), int(m[3]))),
    (r"((?:19|20)\d{2})-(0[1-9]|1[0-2])(?![\d-])", lambda m, t: _month(int(m[1]), int(m[2]))),
    # Chinese, with a year
    (
        rf"(?:{_ZHY})的?{_ZHM}(\d{{1,2}}|[一二三]?十?[一二三四五六七八九]?)[日号]",
        lambda m, t: _day(_zh_year(m, t), int(_count(m[3])), int(_count(m[4]))),
    ),
    (rf"(?:{_ZHY})的?{_ZHM}份?", lambda m, t: _month(_zh_year(m, t), int(_count(m[3])))),
    (rf"(?:{_ZHY})的?第?([一二三四1-4])季度?", lambda m, t: _quarter(_zh_year(m, t), int(_count(m[3])))),
    (rf"(?:{_ZHY})的?q([1-4])", lambda m, t: _quarter(_zh_year(m, t), int(m[3]))),
    (rf"(?:{_ZHY})的?([上下])半年", lambda m, t: _half(_zh_year(m, t), 1 if m[3] == "上" else 2)),
    (rf"(?:{_ZHY})(?:年?度)?", lambda m, t: _year(_zh_year(m, t))),
    # Chinese, without
    (
        rf"{_ZHM}(\d{{1,2}}|[一二三]?十?[一二三四五六七八九]?)[日号]",
        lambda m, t: _named_day(t, int(_count(m[1])), int(_count(m[2]))),
    ),
    (
        rf"(?:{_ZHY})?的?{_ZHM}份?[底末](?=之前|前|以前|之后|以后|后)",
        lambda m, t: _month_end(t, _zh_year(m, t) if m[1] or m[2] else 0, int(_count(m[3]))),
    ),
    (rf"{_ZHM}份?(?!薪)", lambda m, t: _past_month(t, int(_count(m[1])))),
    (r"第([一二三四1-4])季度", lambda m, t: _quarter(t.year, int(_count(m[1])))),
    (r"([上下])半年", lambda m, t: _half(t.year, 1 if m[1] == "上" else 2)),
    (
        rf"(?:最近|近|过去|前)(?:的)?{_N_ZH}{_UNITS_ZH}(?:内|里|以来|之内)?",
        lambda m, t: _recent(t, _count(m[1]), _UNIT[m[2]]),
    ),
    (r"([本这上下当])个?(周|星期|礼拜|月|季度)", lambda m, t: _calendar(t, _UNIT[m[2]], _AWAY[m[1]])),
    (r"([今昨明])[天日]|(前)天", lambda m, t: _calendar(t, "day", _AWAY[m[1] or m[2]])),
    # English
    (
        rf"(?:the )?end of ({_MONTH})(?:,? ((?:19|20)\d{{2}}))?{_EDGE}",
        lambda m, t: _month_end(t, int(m[2] or 0), _MONTHS[m[1]]),
    ),
    (
        rf"({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?,? ((?:19|20)\d{{2}}){_EDGE}",
        lambda m, t: _day(int(m[3]), _MONTHS[m[1]], int(m[2])),
    ),
    (
        rf"(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?({_MONTH})\.?,? ((?:19|20)\d{{2}}){_EDGE}",
        lambda m, t: _day(int(m[3]), _MONTHS[m[2]], int(m[1])),
    ),
    (
        rf"({_MONTH})\.?,? (?:of )?((?:19|20)\d{{2}}|last year|this year){_EDGE}",
        lambda m, t: _month(_y(m[2], t), _MONTHS[m[1]]),
    ),
    (rf"({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?(?![\d.,%a-z])", lambda m, t: _named_day(t, _MONTHS[m[1]], int(m[2]))),
    (
        r"(?:q([1-4])|(?:the )?(first|second|third|fourth) quarter)(?:,? (?:of )?((?:19|20)\d{2}|last year|this year))?",
        lambda m, t: _quarter(
            _y(m[3], t) if m[3] else t.year,
            int(m[1]) if m[1] else 1 + ["first", "second", "third", "fourth"].index(m[2]),
        ),
    ),
    (
        r"(?:the )?(first|second) half of ((?:19|20)\d{2}|last year|this year)",
        lambda m, t: _half(_y(m[2], t), 1 if m[1] == "first" else 2),
    ),
    (r"(?:the )?((?:19|20)\d0)s|((?:19|20)\d0)年代", lambda m, t: _decade(int(m[1] or m[2]))),
    (r"(?:the |')([3-9]0)s", lambda m, t: _decade(1900 + int(m[1]))),
    (r"([3-9]0|[三四五六七八九]十)年代", lambda m, t: _decade(1900 + int(_count(m[1])))),
    (r"(?:the )?year ((?:19|20)\d{2})" + _EDGE, lambda m, t: _year(int(m[1]))),
    (
        r"(?:in |over |within |during )?(?:the )?(?:(?:last|past|previous) "
        rf"{_N}|past) (day|week|month|quarter|year)s?\b",
        lambda m, t: _recent(t, _count(m[1] or "a"), m[2]),
    ),
    (r"last half(?: a)? year|(?:the )?(?:last|past) half(?:-| )year", lambda m, t: _recent(t, 6, "month")),
    (
        r"(?:(this|last|next)|(?:the )?(previous|current(?! week| quarter))) (week|month|quarter|year)",
        lambda m, t: _calendar(t, m[3], _AWAY[m[1] or m[2]]),
    ),
    (_N + r" (day|week|month|year)s? ago", lambda m, t: _calendar(_back(t, _count(m[1]), m[2]), "day")),
    (
        rf"(?!\d{{4}}年){_N_ZH}(天|日|周|星期|个星期|礼拜|个月|年)(?:以|之)?前",
        lambda m, t: _calendar(_back(t, _count(m[1]), _UNIT[m[2]]), "day"),
    ),
    (
        r"(?:in |within |over )?(?:the )?next " + _N + r" (day|week|month|year)s?\b",
        lambda m, t: (t, _back(t, -_count(m[1]), m[2]) + dt.timedelta(1)),
    ),
    (
        rf"(?:未来|今后|接下来)(?:的)?{_N_ZH}{_UNITS_ZH}(?:内|里)?",
        lambda m, t: (t, _back(t, -_count(m[1]), _UNIT[m[2]]) + dt.timedelta(1)),
    ),
    (r"(yesterday|today|tomorrow)", lambda m, t: _calendar(t, "day", _AWAY[m[1]])),
)
_BARE = (
    # a bare month name or four digits: only after a word that calls for a date
    (rf"({_MONTH})(?![a-z])", lambda m, t: _past_month(t, _MONTHS[m[1]])),
    (r"((?:19|20)\d{2})(?![\d.,%]*\d|[a-z%元])", lambda m, t: _year(int(m[1]))),
)
_YEARLESS = re.compile(rf"(?:{_ZHM}|(?:{_MONTH}))(?:份|.{{0,3}}[日号]| \d{{1,2}}(?:st|nd|rd|th)?)?")
_COMPILED = [(re.compile(p), make) for p, make in _RULES]
_COMPILED_BARE = [(re.compile(p), make) for p, make in _BARE]


def _month_end(today: dt.date, year: int, month: int) -> Span:
    """The moment when a month is over, as an empty stretch: what is before it and what is after it is clear."""
    after = (_month(year, month) if year else _month(today.year, month))[1]
    return after, after


def _named_day(today: dt.date, m: int, d: int) -> Span:
    """A day without a year: the last one that is not in the future."""
    first, after = _day(today.year, m, d)
    return (first, after) if first <= today else _day(today.year - 1, m, d)


def read_date(text: str, at: int, as_of: dt.date, *, bare: bool = False) -> Stretch | None:
    """The longest stretch of days that is said at ``text[at]`` (folded text); ``bare`` also takes May and 2023."""
    before = text[at - 1] if at else " "
    ascii_word = before.isascii() and before.isalnum()
    best: Stretch | None = None
    for pattern, make in _COMPILED + (_COMPILED_BARE if bare else []):
        m = pattern.match(text, at)
        if m is None or (ascii_word and m.group()[0].isascii()):
            continue
        last = m.group()[-1]
        following = text[m.end() : m.end() + 1]
        if last.isascii() and last.isalpha() and following.isascii() and following.isalpha():
            continue
        try:
            first, after = make(m, as_of)
        except (ValueError, KeyError, OverflowError):  # the 31st of February
            continue
        if best is None or m.end() > best.end:
            best = Stretch(m.end(), first, after, _YEARLESS.fullmatch(m.group()) is not None)
    return best
