"""Numbers and days as they are said."""

from __future__ import annotations

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st
from night import for_each

from lab.text2sql.dates import read_date
from lab.text2sql.numbers import read_number, unit_kind

TODAY = dt.date(2024, 6, 15)


@for_each(
    "said, value, unit",
    [
        ("2万", 2 * 10_000, ""),
        ("1.5万", 1.5 * 10_000, ""),
        ("两万五", 20_000 + 5_000, ""),
        ("2万5", 20_000 + 5_000, ""),
        ("三千五", 3_000 + 500, ""),
        ("两百五", 200 + 50, ""),
        ("一千零五", 1_000 + 5, ""),
        ("一万二千", 12_000, ""),
        ("三点五万", 3.5 * 10_000, ""),
        ("1.2亿", 1.2 * 10**8, ""),
        ("十", 10, ""),
        ("三十五", 35, ""),
        ("一百二", 120, ""),
        ("20k", 20 * 1000, ""),
        ("20w", 20 * 10_000, ""),
        ("1.5 million", 1_500_000, ""),
        ("¥18,000", 18_000, "元"),
        ("$20", 20, "usd"),
        ("100元", 100, "元"),
        ("五百块", 500, "块"),
        ("三年半", 3.5, "年"),
        ("两年半", 2.5, "年"),
        ("半年", 0.5, "年"),
        ("一个半月", 1.5, "月"),
        ("三个半小时", 3.5, "小时"),
        ("5 years old", 5, "years old"),
        ("3 yrs", 3, "yrs"),
        ("twenty five", 25, ""),
        ("one hundred and five", 105, ""),
        ("two thousand", 2000, ""),
        ("half a million", 500_000, ""),
        ("a dozen", 12, ""),
        ("four dozen", 48, ""),
        ("2 dozen", 24, ""),
        ("half a dozen", 6, ""),
        ("50%", 50, "%"),
        ("三个", 3, "个"),
    ],
)
def test_a_number_is_read_as_it_is_said(said: str, value: float, unit: str) -> None:
    found = read_number(said, 0)
    assert found is not None
    assert (found.value, found.unit, found.end) == (value, unit, len(said))


@for_each("text", ["3d", "万", "百分", "kilo", "", "some", "1password"])
def test_what_is_no_number_is_not_read_as_one(text: str) -> None:
    assert read_number(text, 0) is None


_DIGITS = "零一二三四五六七八九"


def _spoken(n: int) -> str:
    """A whole number below ten thousand in Chinese numerals, by the book."""
    out, zero = "", False
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = n // unit % 10
        if digit:
            out += ("零" if zero and out else "") + _DIGITS[digit] + name
            zero = False
        else:
            zero = True
    return out


@given(st.integers(1, 9_999), st.integers(0, 9_999))
def test_every_chinese_numeral_below_a_hundred_million_is_read_back(high: int, low: int) -> None:
    tail = _spoken(low)
    said = _spoken(high) + "万" + ("零" if low and low < 1000 else "") + tail
    found = read_number(said, 0)
    assert found is not None
    assert found.value == high * 10_000 + low
    assert found.end == len(said)


@given(st.integers(0, 10**9))
def test_every_number_with_thousands_separators_is_read_back(n: int) -> None:
    found = read_number(f"{n:,}", 0)
    assert found is not None
    assert (found.value, found.end) == (n, len(f"{n:,}"))


@given(st.text(max_size=30), st.integers(0, 30))
def test_no_text_breaks_the_readers(text: str, at: int) -> None:
    if at < len(text):
        number, date = read_number(text, at), read_date(text, at, TODAY, bare=True)
        assert number is None or number.end > at
        assert date is None or date.end > at


def test_units_say_what_they_measure() -> None:
    assert [unit_kind(u) for u in ("元", "years", "years old", "个", "dollars", "?")] == [
        "money",
        "years",
        "age",
        "piece",
        "money",
        "",
    ]


@for_each(
    "said, first, last",
    [
        ("去年", "2023-01-01", "2023-12-31"),
        ("2023年", "2023-01-01", "2023-12-31"),
        ("2023年5月", "2023-05-01", "2023-05-31"),
        ("2023年5月3日", "2023-05-03", "2023-05-03"),
        ("去年第四季度", "2023-10-01", "2023-12-31"),
        ("今年上半年", "2024-01-01", "2024-06-30"),
        ("上个月", "2024-05-01", "2024-05-31"),
        ("本月", "2024-06-01", "2024-06-30"),
        ("上周", "2024-06-03", "2024-06-09"),
        ("近30天", "2024-05-17", "2024-06-15"),
        ("最近三个月", "2024-03-16", "2024-06-15"),
        ("八月", "2023-08-01", "2023-08-31"),
        ("三月", "2024-03-01", "2024-03-31"),
        ("昨天", "2024-06-14", "2024-06-14"),
        ("2023-05-01", "2023-05-01", "2023-05-01"),
        ("last year", "2023-01-01", "2023-12-31"),
        ("last 30 days", "2024-05-17", "2024-06-15"),
        ("may 2023", "2023-05-01", "2023-05-31"),
        ("may", "2024-05-01", "2024-05-31"),
        ("2022", "2022-01-01", "2022-12-31"),
        ("q1 2024", "2024-01-01", "2024-03-31"),
        ("the first half of 2023", "2023-01-01", "2023-06-30"),
        ("3 may 2023", "2023-05-03", "2023-05-03"),
        ("march 3", "2024-03-03", "2024-03-03"),
        ("last quarter", "2024-01-01", "2024-03-31"),
        ("next quarter", "2024-07-01", "2024-09-30"),
        ("下季度", "2024-07-01", "2024-09-30"),
        ("前天", "2024-06-13", "2024-06-13"),
        ("few days ago", "2024-06-12", "2024-06-12"),
        ("yesterday", "2024-06-14", "2024-06-14"),
        ("february 2024", "2024-02-01", "2024-02-29"),
    ],
)
def test_a_stretch_of_days_is_read_as_it_is_said(said: str, first: str, last: str) -> None:
    found = read_date(said, 0, TODAY, bare=True)
    assert found is not None
    assert (found.first.isoformat(), (found.after - dt.timedelta(1)).isoformat(), found.end) == (first, last, len(said))


def test_a_day_that_does_not_exist_is_no_date() -> None:
    assert read_date("2023-02-31", 0, TODAY) is None


def test_today_is_what_the_caller_says_it_is() -> None:
    first = read_date("去年", 0, dt.date(2001, 1, 1))
    assert first is not None
    assert first.first == dt.date(2000, 1, 1)


def test_a_bare_year_is_a_date_only_where_one_is_called_for() -> None:
    assert read_date("2022", 0, TODAY) is None
