"""Numbers, units, ranges and days are read as they were written, in both languages."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.text.quantities import (
    UNITS,
    convert,
    english_number,
    han_number,
    measure,
    quantities,
    read_days,
    read_number,
    read_quantity,
)

TODAY = dt.date(2025, 9, 17)
ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()  # noqa: SIM905
ONES += "sixteen seventeen eighteen nineteen".split()  # noqa: SIM905
TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
HAN = "零一二三四五六七八九"


def in_english(n: int) -> str:
    if n < 20:
        return ONES[n]
    if n < 100:
        return TENS[n // 10] + (f"-{ONES[n % 10]}" if n % 10 else "")
    for size, name in ((1_000_000, "million"), (1000, "thousand"), (100, "hundred")):
        if n >= size:
            rest = n % size
            joint = " and " if rest < 100 else " "
            return f"{in_english(n // size)} {name}" + (joint + in_english(rest) if rest else "")
    raise AssertionError(n)


def in_chinese(n: int) -> str:
    """With a 零 for every gap, as it is written in full."""
    if n >= 10_000:
        rest = n % 10_000
        return in_chinese(n // 10_000) + "万" + (("零" if rest < 1000 else "") + in_chinese(rest) if rest else "")
    said, gap = "", False
    for size, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, n = divmod(n, size)
        if digit:
            said += ("零" if gap and said else "") + HAN[digit] + name
            gap = False
        else:
            gap = True
    return said


@given(st.integers(0, 999_999_999))
def test_an_english_number_in_words_comes_back(n: int) -> None:
    said = in_english(n)
    assert english_number(said) == (len(said), n)


@given(st.integers(1, 99_999_999))
def test_a_chinese_number_comes_back(n: int) -> None:
    assert han_number(in_chinese(n)) == n


@given(st.integers(0, 10**12), st.booleans())
def test_digits_come_back_with_and_without_separators(n: int, grouped: bool) -> None:
    said = f"{n:,}" if grouped else str(n)
    found = read_number(said, 0)
    assert found is not None
    assert (found.end, found.value) == (len(said), n)


@given(st.integers(1, 500), st.integers(501, 9000), st.sampled_from(["3 to 5", "到", "-", " to ", "至", "~"]))
def test_a_range_has_both_its_ends(low: int, high: int, joint: str) -> None:
    joint = " to " if joint == "3 to 5" else joint
    found = read_quantity(f"{low}{joint}{high} kg", 0)
    assert found is not None
    assert (found.values, found.measure) == ((low, high), "weight")


WORDS = [(named.rstrip(" 0123456789"), w.replace("_", " ")) for named, words in UNITS.items() for w in words.split()]


@pytest.mark.parametrize(("named", "word"), [w for w in WORDS if w[1] not in ("万", "k", "w")])
def test_every_unit_is_known_by_its_words(named: str, word: str) -> None:
    assert measure(word)[0] == named


@pytest.mark.parametrize(
    ("said", "values", "of"),
    [
        ("两万五", (25_000,), ""),
        ("2万5", (25_000,), ""),
        ("一百五到三百块", (150, 300), "money"),
        ("1到2万", (10_000, 20_000), ""),
        ("20-30k", (20_000, 30_000), ""),
        ("¥18,000", (18_000,), "money"),
        ("百分之二十", (20,), "percent"),
        ("三成", (30,), "percent"),
        ("两三年", (2, 3), "years"),
        ("三个半小时", (3.5,), "hours"),
        ("2小时30分钟", (2.5,), "hours"),
        ("1 hour 30 minutes", (1.5,), "hours"),
        ("an hour and a half", (1.5,), "hours"),
        ("1米8", (1.8,), "metre"),
        ("半年", (0.5,), "years"),
        ("half a million", (500_000,), ""),
        ("a dozen", (12,), ""),
        ("a hundred and fifty", (150,), ""),
        ("1 234 567 eur", (1_234_567,), "money"),
        ("twenty-five percent", (25,), "percent"),
        ("1.5万元", (15_000,), "money"),
        ("-3.5 degrees", (-3.5,), "temperature"),
    ],
)
def test_quantities_are_read_with_their_units(said: str, values: tuple[float, ...], of: str) -> None:
    found = read_quantity(said, 0)
    assert found is not None
    assert (found.values, found.measure, found.end) == (pytest.approx(values), of, len(said))


@pytest.mark.parametrize("word", ["3d", "1password", "iphone15pro", "a house", "someone", "weight"])
def test_a_number_inside_a_word_is_none(word: str) -> None:
    assert quantities(word) == []


@pytest.mark.parametrize(
    ("value", "said", "stored", "result"),
    [(2, "hours", "minutes", 120), (2, "metre", "cm", 200), (1, "years", "months", 12), (3, "hours", "weight", None)],
)
def test_measures_convert_where_they_measure_the_same(value: float, said: str, stored: str, result: float) -> None:
    assert convert(value, said, stored) == result


@given(st.dates(dt.date(1950, 1, 1), dt.date(2090, 12, 31)))
def test_a_day_comes_back_however_it_is_written(day: dt.date) -> None:
    ways = (
        f"{day:%Y-%m-%d}", f"{day:%Y/%m/%d}", f"{day.year}年{day.month}月{day.day}日",
        f"{day:%B} {day.day}, {day.year}".lower(),
        f"{day.day} {day:%B} {day.year}".lower(),
    )  # fmt: skip
    for said in ways:
        found = read_days(said, 0, TODAY)
        assert found is not None, said
        assert (found.first, found.after, found.end) == (day, day + dt.timedelta(1), len(said)), said


@given(st.integers(1, 60), st.dates(dt.date(2000, 1, 1), dt.date(2050, 1, 1)))
def test_recent_days_count_back_from_today(n: int, today: dt.date) -> None:
    for said in (f"近{n}天", f"last {n} days", f"past {n} days"):
        found = read_days(said, 0, today)
        assert found is not None, said
        assert found.after - found.first == dt.timedelta(n)
        assert found.after == today + dt.timedelta(1)


@pytest.mark.parametrize(
    ("said", "first", "after"),
    [
        ("last month", "2025-08-01", "2025-09-01"),
        ("上个月", "2025-08-01", "2025-09-01"),
        ("this week", "2025-09-15", "2025-09-22"),
        ("去年下半年", "2024-07-01", "2025-01-01"),
        ("the 1950s", "1950-01-01", "1960-01-01"),
        ("yesterday", "2025-09-16", "2025-09-17"),
        ("q2 2024", "2024-04-01", "2024-07-01"),
        ("2024 h2", "2024-07-01", "2025-01-01"),
        ("last quarter of 2023", "2023-10-01", "2024-01-01"),
        ("last september", "2024-09-01", "2024-10-01"),
        ("the year before last", "2023-01-01", "2024-01-01"),
        ("the start of may 2023", "2023-05-01", "2023-05-01"),
        ("20世纪90年代", "1990-01-01", "2000-01-01"),
        ("最近半年", "2025-03-18", "2025-09-18"),
        ("半年前", "2025-03-17", "2025-03-18"),
        ("half a year ago", "2025-03-17", "2025-03-18"),
        ("过去半个月", "2025-09-03", "2025-09-18"),
    ],
)
def test_stretches_of_days(said: str, first: str, after: str) -> None:
    found = read_days(said, 0, TODAY)
    assert found is not None
    assert (found.first.isoformat(), found.after.isoformat()) == (first, after)


@pytest.mark.parametrize("said", ["2025-02-30", "31 november 2024", "13月"])
def test_what_is_no_day_is_not_read_as_one(said: str) -> None:
    found = read_days(said, 0, TODAY)
    assert found is None or found.end < len(said)
