"""Days in a question, some relative to today: last month, 去年下半年, the 1950s, in the next three weeks."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from lab.patterns import lazy_pattern
from lab.text.folding import is_han
from lab.text.quantities.dates import MONTH_NAME, MONTHS, WEEKDAY_NUMBERS
from lab.text.quantities.numbers import whole_number
from lab.text.word_lists import MONTH_NAMES, TENS, UP_TO_TWELVE


class Days(NamedTuple):
    """The days from ``first`` up to, not including, ``after``, named in ``text[start:end]``, perhaps without a year."""

    start: int
    end: int
    first: dt.date
    after: dt.date
    yearless: bool = False


Span = tuple[dt.date, dt.date]
Rule = tuple[Callable[..., Span], re.Pattern[str]]

_DECADES = {f"{ten[:-1]}ies": 10 * i for i, ten in enumerate(TENS.split("|"), 2) if i > 2}
_COUNTS = {"a": 1.0, "few": 3.0, "half": 0.5, "half a": 0.5, "半": 0.5, "上": 1.0, "下": 2.0, **_DECADES}
_CALENDAR_UNITS = {
    "天": "day", "日": "day", "周": "week", "星期": "week", "个星期": "week", "礼拜": "week", "月": "month",
    "个月": "month", "年": "year", "季度": "quarter", "个季度": "quarter",
}  # fmt: skip
_MONTHS_OF = {"month": 1, "quarter": 3, "year": 12}
_DAYS_OF = {"day": 1, "week": 7, "month": 30}
_AWAY = {
    "今": 0, "本": 0, "这": 0, "当": 0, "昨": -1, "去": -1, "上": -1, "上一": -1, "前": -2, "明": 1, "下": 1,
    "上上": -2, "下下": 2, "后": 2, "before yesterday": -2, "after tomorrow": 2,
    "this": 0, "current": 0, "last": -1, "next": 1, "yesterday": -1, "today": 0, "now": 0,
    "tomorrow": 1, "before last": -2, "previous": -1, "preceding": -1, "prior": -1, "before": -1, "following": 1,
    "subsequent": 1, "after": 1, "same": 0, "that": 0,
    "前一": -1, "后一": 1, "下一": 1, "次": 1, "翌": 1, "同": 0, "那": 0,
}  # fmt: skip
"""The number of days, weeks, months … between now and what a word means."""


def _count(word: str) -> float:
    value = _COUNTS.get(word) or whole_number(word)
    if value is None:
        raise ValueError(word)
    return value


def _days(first: dt.date, n: int = 1) -> Span:
    return first, first + dt.timedelta(n)


def _months(y: int, m: int, n: int = 1) -> Span:
    """Returns ``n`` months from the m-th of a year on, which may be in another year."""
    first, after = (divmod(12 * y + m - 1 + more, 12) for more in (0, n))
    return dt.date(first[0], first[1] + 1, 1), dt.date(after[0], after[1] + 1, 1)


def back(today: dt.date, n: float, unit: str) -> dt.date:
    """Returns the day ``n`` days, weeks, months, quarters or years ago."""
    unit = _CALENDAR_UNITS.get(unit, unit)
    months = n * _MONTHS_OF.get(unit, 0)
    if not months or months % 1:  # half a month
        days = n * _DAYS_OF[unit]
        if days % 1:
            raise ValueError(unit)  # half a day
        return today - dt.timedelta(days)
    first, after = _months(today.year, today.month - int(months))
    return first.replace(day=min(today.day, (after - first).days))


def _year(phrase: str, today: dt.date) -> int:
    """Reads a year in any form: 2023, 二〇二三, 去年, last year."""
    word = phrase.removesuffix("年").removesuffix(" year").strip()
    return today.year + _AWAY[word] if word in _AWAY else int(_count(word))


def _date(
    today: dt.date, year: str = "", month: str = "", day: str | None = None, quarter: str = "", half: str = ""
) -> Span:
    """Returns a year or a part of it; a month or a day without a year is the last one that has begun."""
    y = _year(year, today) if year else today.year
    if quarter:
        return _months(y, 3 * int(_count(quarter)) - 2 if quarter != "last" else 10, 3)
    if half:
        return _months(y, 6 * int(_count(half)) - 5 if half != "last" else 7, 6)
    if not month:
        return _months(y, 1, 12)
    m = MONTHS.get(month) or int(_count(month))
    if not 1 <= m <= 12:
        raise ValueError(month)
    if day is None:
        return _months(y - (not year and m > today.month), m)
    first = dt.date(y, m, int(_count(day)))
    return _days(first if year or first <= today else dt.date(y - 1, m, first.day))


def _past_month(today: dt.date, month: str) -> Span:
    """Returns the last month of this name that is over."""
    return _date(today.replace(day=1) - dt.timedelta(1), month=month)


def _decade(_: dt.date, decade: str, century: str = "20") -> Span:
    year = int(_count(decade))
    return _months(year + (100 * (int(_count(century)) - 1) if year < 100 else 0), 1, 120)


def _century(today: dt.date, century: str) -> Span:
    number = (today.year - 1) // 100 + 1 + _AWAY[century] if century in _AWAY else int(_count(century))
    return _months(100 * (number - 1) + 1, 1, 1200)


def _week(today: dt.date, week: str, year: str = "") -> Span:
    """Returns the n-th week of a year as ISO 8601 counts: the first one has the first Thursday."""
    return _days(dt.date.fromisocalendar(_year(year, today) if year else today.year, int(_count(week)), 1), 7)


def _edge(today: dt.date, edge: str, year: str = "", month: str = "") -> Span:
    """Returns the start or end of a month or year as an empty stretch: before and after it are unambiguous."""
    first, after = _date(today, year or str(today.year), month)
    return (first, first) if edge in ("start", "beginning") else (after, after)


def _end(today: dt.date, unit: str, away: str = "this") -> Span:
    """Returns the end of this year, month or week as an empty stretch."""
    after = _calendar(today, away, unit)[1]
    return after, after


def _rest(today: dt.date, unit: str) -> Span:
    return today, _calendar(today, "this", unit)[1]


def _so_far(today: dt.date, unit: str) -> Span:
    return _calendar(today, "this", unit)[0], today + dt.timedelta(1)


def _calendar(today: dt.date, away: str, unit: str = "day") -> Span:
    """Returns the day, week, month, quarter or year that is ``away`` from this one."""
    unit, n = _CALENDAR_UNITS.get(unit, unit), _AWAY[away]
    if unit == "day":
        return _days(today + dt.timedelta(n))
    if unit == "week":
        return _days(today + dt.timedelta(7 * n - today.weekday()), 7)
    many = _MONTHS_OF[unit]
    return _months(today.year, (today.month - 1) // many * many + 1 + n * many, many)


def _weekday(as_of: dt.date, away: str, weekday: str = "") -> Span:
    """Returns a day of this week, the last or the next; without a day, Saturday and Sunday."""
    monday, _ = _calendar(as_of, away, "week")
    return _days(monday + dt.timedelta(WEEKDAY_NUMBERS[weekday or "六"] - 1), 1 if weekday else 2)


def _recent(today: dt.date, unit: str, n: str = "a") -> Span:
    tomorrow = today + dt.timedelta(1)
    return back(tomorrow, _count(n), unit), tomorrow


def _ago(today: dt.date, n: str, unit: str) -> Span:
    return _days(back(today, _count(n), unit))


def _coming(today: dt.date, n: str, unit: str) -> Span:
    return today, back(today, -_count(n), unit) + dt.timedelta(1)


def _beside(base: Days, away: str, unit: str) -> Span:
    """Returns the day, week, month, quarter or year before or after these days, or that contains them."""
    return _calendar(base.first if _AWAY[away] <= 0 else base.after - dt.timedelta(1), away, unit)


def _shift(base: Days, n: str, unit: str, way: str) -> Span:
    """Returns these days so many days, weeks, months … earlier or later; whole months stay whole."""
    many = _count(n) * (1 if way in ("earlier", "before", "前") else -1)
    first = back(base.first, many, unit)
    if (base.after - base.first).days > 20 and first.day != base.first.day:
        raise ValueError(unit)  # three days, or half a month, before May is not 31 days long
    months = 12 * (base.after.year - base.first.year) + base.after.month - base.first.month
    whole = base.first.day == base.after.day == 1 and first.day == 1
    return _months(first.year, first.month, months) if whole else (first, first + (base.after - base.first))


def written_days(first: dt.date, after: dt.date, *, chinese: bool) -> str:
    """Writes a stretch of days as people do: Q2 2024, 2024年5月, 6 May 2024."""
    months, last = 12 * (after.year - first.year) + after.month - first.month, after - dt.timedelta(1)
    form = _FORMS.get(months, ("", ""))[chinese]
    if form and first.day == after.day == 1 and (first.month - 1) % months == 0:
        n = (first.month - 1) // months
        names = {"month": _MONTH_NAMES[first.month - 1], "half": "上下"[n % 2], "han": "一二三四"[n % 4]}
        return form.format(n=n + 1, year=first.year, **names)
    days = (
        f"{d.year}年{d.month}月{d.day}日" if chinese else f"{d.day} {_MONTH_NAMES[d.month - 1]} {d.year}"
        for d in (first, last)
    )
    return ("至" if chinese else " to ").join(dict.fromkeys(days))


_FORMS = {
    12: ("{year}", "{year}年"),
    6: ("H{n} {year}", "{year}年{half}半年"),
    3: ("Q{n} {year}", "{year}年第{han}季度"),
    1: ("{month} {year}", "{year}年{n}月"),
}
"""How a year and its parts are written, by their number of months."""
_MONTH_NAMES = MONTH_NAMES.title().split("|")
_M, _ZHM = rf"(?P<month>{MONTH_NAME})", r"(?P<month>\d{1,2}|十[一二]?|[一二三四五六七八九])月"
_D, _ZHD = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?", r"(?P<day>\d{1,2}|[一二三]?十?[一二三四五六七八九]?)[日号]"
_Y, _THAT_YEAR = r"(?P<year>(?:1[5-9]|20)\d{2})", r"(?P<year>(?:1[5-9]|20)\d{2}|last year|this year)"
_ZHY = r"(?P<year>(?:(?:19|20)\d{2}|[一二][〇零一二三四五六七八九]{3})\s?年|今年|去年|前年|明年|上一年|本年)"
_N = rf"(?P<n>\d+|[一二两三四五六七八九十]{{1,3}}|half a|(?<!half )a|{UP_TO_TWELVE}|eighteen|few)"
_N_ZH = r"(?P<n>\d+|[一二两三四五六七八九十]{1,3}|半)\s?"
_CALENDAR = "(?P<unit>week|month|quarter|year)"
_UNITS, _UNITS_ZH = "(?P<unit>day|week|month|year)s?", f"(?P<unit>{'|'.join(_CALENDAR_UNITS)})"
_DURING, _EDGE = "(?:in |over |within |during )?(?:the )?", r"(?!\d)"
_ONLY = r"(?! (?:of|after|before|following|when|last|this|next)\b)"
"""Not the last week of a month or the next year after an event."""
_RULES: tuple[tuple[Callable[..., Span], str], ...] = (
    (_date, rf"{_Y}[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}}){_EDGE}"),
    (_date, rf"{_Y}-(?P<month>0[1-9]|1[0-2])(?![\d-])"),
    (_date, rf"(?:{_ZHY}的?)?{_ZHM}{_ZHD}"),
    (_date, rf"{_ZHY}的?{_ZHM}份?"),
    (_date, rf"{_ZHM}份?(?![薪天])"),
    (_date, rf"{_ZHY}的?第?(?P<quarter>[一二三四1-4])季度?"),
    (_date, rf"{_ZHY}的?q(?P<quarter>[1-4])"),
    (_date, r"第(?P<quarter>[一二三四1-4])季度"),
    (_date, rf"(?:{_ZHY}的?)?(?P<half>[上下])半年"),
    (_date, rf"{_ZHY}(?:年?度)?"),
    (_date, rf"{_M}\.? {_D},? {_Y}{_EDGE}"),
    (_date, rf"(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.{_Y}{_EDGE}"),
    (_date, rf"{_D} (?:of )?{_M}\.?,? {_Y}{_EDGE}"),
    (_date, rf"{_M}\.?,? (?:of )?{_THAT_YEAR}{_EDGE}"),
    (_date, rf"{_M} {_D}(?![\d.,%a-z])"),
    (_date, rf"q(?P<quarter>[1-4])(?:,? (?:of )?{_THAT_YEAR})?"),
    (_date, rf"(?:the )?(?P<quarter>first|second|third|fourth) quarter(?:,? (?:of )?{_THAT_YEAR})?"),
    (_date, rf"(?:the )?(?P<quarter>last) quarter of {_THAT_YEAR}"),
    (_date, rf"(?:the )?(?P<half>first|second|last) half (?:of )?{_THAT_YEAR}"),
    (_date, rf"h(?P<half>[12]),? (?:of )?{_THAT_YEAR}"),
    (_date, rf"{_Y}[ /-]?(?:q(?P<quarter>[1-4])|h(?P<half>[12]))"),
    (_date, rf"(?:the )?year {_Y}{_EDGE}"),
    (_edge, rf"(?:{_ZHY})?的?{_ZHM}份?(?P<edge>[底末])(?=之前|前|以前|之后|以后|后)"),
    (_edge, rf"(?:the )?(?P<edge>end|start|beginning) of {_M}(?:,? {_Y})?{_EDGE}"),
    (_edge, rf"(?:the )?(?P<edge>end|start|beginning) of {_Y}{_EDGE}"),
    (_past_month, rf"last {_M}(?![a-z])"),
    (_end, rf"(?:the )?end of (?:the )?(?:(?P<away>this|next|last) )?{_CALENDAR}\b"),
    (_rest, rf"(?:during |for |over )?(?:the )?(?:rest|remainder) of (?:the|this) {_CALENDAR}\b"),
    (_rest, rf"later this {_CALENDAR}\b"),
    (_so_far, rf"this {_CALENDAR} (?:so far|to date)"),
    (_so_far, rf"so far this {_CALENDAR}\b"),
    (_so_far, rf"{_CALENDAR} to date"),
    (_calendar, r"(?P<away>now)(?= (?:and|until|till|to|through|up to)\b)"),
    (_decade, r"(?:the )?(?P<decade>(?:19|20)\d0)s"),
    (_decade, r"(?:the |')(?P<decade>[3-9]0)s"),
    (_decade, rf"the (?P<decade>{'|'.join(_DECADES)})"),
    (_decade, r"(?P<decade>(?:19|20)\d0|[3-9]0|[三四五六七八九]十)年代"),
    (_decade, r"(?P<century>20|21|二十一?)世纪(?P<decade>[1-9]0|[一二三四五六七八九]十)年代"),
    (
        _century,
        r"(?:the )?(?P<century>19(?=th)|20(?=th)|21(?=st)|nineteenth|twentieth|twenty-first)(?:st|th)?[- ]century",
    ),
    (_century, r"(?P<century>19|20|21|十九|二十一?|[本上])个?世纪"),
    (_century, r"(?:the )?(?P<century>this|last) century"),
    (
        _week,
        rf"{_ZHY}的?第(?P<week>\d{{1,2}}|[一二三四五]?十?[一二三四五六七八九]?)个?(?:周(?!末)|星期(?![一二三四五六日天])|礼拜)",
    ),
    (_week, rf"(?:the )?(?P<week>first|second|third|fourth) week of {_THAT_YEAR}{_EDGE}"),
    (_week, rf"(?:calendar )?week (?P<week>\d{{1,2}})(?:,? (?:of )?|/){_THAT_YEAR}{_EDGE}"),
    (_week, rf"{_Y}[- ]?w(?P<week>\d{{2}}){_EDGE}"),
    (_recent, rf"(?:最近|近|过去)(?:的)?{_N_ZH}{_UNITS_ZH}(?:内|里|以来|之内)?"),
    (_recent, rf"{_DURING}(?:last|past|previous) {_N} (?P<unit>day|week|month|quarter|year)s?\b{_ONLY}"),
    (_recent, rf"{_DURING}past (?P<unit>day|week|month|quarter|year)s?\b"),
    (_recent, r"(?:the )?(?:last|past) (?P<n>half)[- ](?P<unit>year)"),
    (_calendar, r"(?P<away>上上|下下|[本这上下当])个?(?P<unit>周|星期|礼拜|月|季度)"),
    (_weekday, r"(?P<away>上上|下下|[本这上下])个?(?:周|星期|礼拜)(?P<weekday>一(?![共直起些])|[二三四五六日天])"),
    (_calendar, r"(?P<away>[今昨明])[天日]"),
    (_calendar, r"(?P<away>前|(?<![天日周月年])后)天"),
    (_calendar, r"(?:the )?day (?P<away>before yesterday|after tomorrow)"),
    (_calendar, rf"(?P<away>this|last|next) (?P<unit>week|month|quarter|year){_ONLY}"),
    (_calendar, r"(?:the )?(?P<unit>week|month|quarter|year) (?P<away>before last)"),
    (_calendar, r"(?:the )?(?P<away>previous|current(?! week| quarter)) (?P<unit>week|month|quarter|year)"),
    (_calendar, r"(?P<away>yesterday|today|tomorrow)"),
    (_weekday, r"(?:on |over |at )?(?P<away>this|last|next) weekend"),
    (_weekday, r"(?P<away>上上|下下|[本这上下])个?周末"),
    (_ago, rf"{_N} {_UNITS} ago"),
    (_ago, rf"(?!\d{{4}}年){_N_ZH}(?P<unit>天|日|周|星期|个星期|礼拜|个月|年)(?:以|之)?前"),
    (_coming, rf"(?:in |within |over )?(?:the )?next {_N} {_UNITS}\b"),
    (_coming, rf"(?:未来|今后|接下来)(?:的)?{_N_ZH}{_UNITS_ZH}(?:内|里)?"),
)
_BARE = (  # only after a word that requires a date
    (_date, rf"{_M}(?![a-z])"),
    (_date, rf"{_Y}(?![\d.,%]*\d|[a-z%元])"),
)
_UNIT, _UNIT_ZH = "(?P<unit>day|week|month|quarter|year)", "(?P<unit>年|月|季度|周|星期|天|日)"
_ALONE = r"(?: (?:that|then|this))?(?=\s*(?:$|[^\w\s]|and\b|or\b))"
_SHIFTS = (  # by their distance to days named before
    (_shift, rf"{_N} {_UNIT}s? (?P<way>earlier|later|(?:before|after)(?={_ALONE}))(?:{_ALONE})?"),
    (_shift, rf"(?<![一-鿿])(?:[那再在比到]|那么)?(?!\d{{4}}年){_N_ZH}{_UNITS_ZH}(?:之|以)?(?P<way>前|后)"),
    (_beside, rf"the {_UNIT} (?P<away>before|after){_ALONE}"),
    (
        _beside,
        rf"(?:that|the) (?P<away>previous|preceding|prior|following|subsequent|next|same(?! day)) {_UNIT}\b{_ONLY}",
    ),
    (_beside, rf"(?P<away>that) {_UNIT}\b"),
    (
        _beside,
        rf"之?(?P<away>[前上后下]一|[次翌](?=[年月日周])|当(?=[月周季])|同(?=[年月日季])|那(?=[年月季个]))个?{_UNIT_ZH}(?![底初末假终级薪])",
    ),
)
_COMPILED, _COMPILED_BARE, _COMPILED_SHIFTS = (
    [(make, lazy_pattern(pattern)) for make, pattern in rules] for rules in (_RULES, _BARE, _SHIFTS)
)
ANY_DAYS = lazy_pattern(
    "|".join(re.sub(r"\(\?P<\w+>", "(?:", pattern) for _, pattern in (*_RULES, *_BARE, *_SHIFTS)),
)
"""Matches where days may be named: looking for it takes less time than reading at each place."""
_YEARLESS = lazy_pattern(
    rf"(?:{_ZHM}|(?:{MONTH_NAME}))(?:份|.{{0,3}}[日号]| \d{{1,2}}(?:st|nd|rd|th)?)?"
    r"|q[1-4]|(?:the )?(?:first|second|third|fourth) quarter|第[一二三四1-4]季度|[上下]半年"
)


def read_days(text: str, at: int, as_of: dt.date, *, bare: bool = False) -> Days | None:
    """Returns the longest stretch of days named at ``text[at]`` (folded text); ``bare`` also accepts May and 2023."""
    before = text[at - 1] if at else " "
    inside = before.isascii() and before.isalnum()
    return _longest(text, at, as_of, _COMPILED + (_COMPILED_BARE if bare else []), inside=inside)


def read_shift(text: str, at: int, base: Days) -> Days | None:
    """Returns the stretch of days that is named at ``text[at]`` by its distance to others: three months earlier."""
    return _longest(text, at, base, _COMPILED_SHIFTS)


def _splits_word(text: str, match: re.Match[str]) -> bool:
    """Returns whether a match begins or ends inside a Chinese word: 日本月饼, 下周一直."""
    import rjieba

    start, end = match.span()
    weekday, at = match.lastgroup == "weekday", max(0, start - 8)
    if not weekday and not (start and is_han(text[start]) and is_han(text[start - 1])):
        return False
    edges = {*accumulate(map(len, rjieba.cut(text[at : end + 4])), initial=at)}
    joined = (
        text[start - 1 : start] in ("至", "从", "比", "到", "自") and end in edges
    )  # 至今年, for which jieba has 至今
    return (start not in edges and not joined) or (weekday and end not in edges)


def _longest(text: str, at: int, base: Any, rules: Sequence[Rule], *, inside: bool = False) -> Days | None:
    best: Days | None = None
    for make, pattern in rules:
        m = pattern.match(text, at)
        if m is None or (inside and m[0][0].isascii()) or (best and m.end() <= best.end) or _splits_word(text, m):
            continue
        joint = m[0][-1] + text[m.end() : m.end() + 1]
        if len(joint) == 2 and joint.isascii() and joint.isalpha():
            continue
        try:
            days = make(base, **{name: value for name, value in m.groupdict().items() if value is not None})
        except (ValueError, KeyError, OverflowError):  # the 31st of February
            continue
        best = Days(at, m.end(), *days, _YEARLESS.fullmatch(m[0]) is not None)
    return best
