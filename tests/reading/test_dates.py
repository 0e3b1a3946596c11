"""Days, months and years as people write them."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st
from night import for_each

from lab.text.quantities.dates import DayOrder, Period, find_order, has_two_readings, read_date, read_period


@for_each(
    "text",
    [
        "2024-05-01", "2024/5/1", "2024.05.01", "2024年5月1日", "２０２４年５月１日", "二〇二四年五月一日", "20240501",
        "1 May 2024", "1st May 2024", "1st of May, 2024", "01-May-2024", "May 1, 2024", "May 1st 2024", "may 01 2024",
        "Wed, 01 May 2024 10:00:00 GMT", "Wednesday, May 1, 2024", "2024-05-01T23:59:00Z", "01/05/2024", "1.5.2024",
        "2024-05-01 08:30",
    ],
)  # fmt: skip
def test_a_day_is_read_in_every_usual_writing(text: str) -> None:
    assert read_date(text) == date(2024, 5, 1)


@for_each(
    "text, period",
    [
        ("2024-05", Period(date(2024, 5, 1), date(2024, 5, 31))),
        ("2024年2月", Period(date(2024, 2, 1), date(2024, 2, 29))),
        ("二〇二四年十一月", Period(date(2024, 11, 1), date(2024, 11, 30))),
        ("May 2024", Period(date(2024, 5, 1), date(2024, 5, 31))),
        ("Sept. 2024", Period(date(2024, 9, 1), date(2024, 9, 30))),
        ("05/2024", Period(date(2024, 5, 1), date(2024, 5, 31))),
        ("2024", Period(date(2024, 1, 1), date(2024, 12, 31))),
        ("2024年", Period(date(2024, 1, 1), date(2024, 12, 31))),
        (2024, Period(date(2024, 1, 1), date(2024, 12, 31))),
    ],
)
def test_months_and_years_are_periods_and_no_days(text: str | int, period: Period) -> None:
    assert read_period(text) == period
    assert read_date(text) is None


@for_each(
    "text",
    ["", "soon", "2024-02-30", "32 May 2024", "2024-13", "13/13/2024", "00/05/2024", "1.5", "3.1.2", "20241", "0000",
     "2024-05-011", "五月", "二〇二四年十三月", "Maybe 2024", 2024.5, True, ["2024-05-01"]],
)  # fmt: skip
def test_what_names_no_day_is_none(text: object) -> None:
    assert read_period(text) is None  # type: ignore[arg-type]


@given(st.dates(date(1000, 1, 1), date(9999, 12, 31)))
def test_every_day_is_read_in_both_orders(day: date) -> None:
    assert read_date(f"{day.day:02}/{day.month:02}/{day.year}", "day") == day
    assert read_date(f"{day.month}/{day.day}/{day.year}", "month") == day
    assert has_two_readings(f"{day.day}/{day.month}/{day.year}") == (day.day <= 12 and day.day != day.month)


def test_the_other_dates_of_a_field_decide_which_part_is_the_day() -> None:
    assert find_order(["01/05/2024", "25/04/2024", "x", 3]) == DayOrder("day", "25/04/2024", "01/05/2024")
    assert find_order(["01/05/2024", "4/25/2024"]) == DayOrder("month", "4/25/2024", "01/05/2024")
    assert find_order(["01/05/2024"]) == DayOrder("day", "", "01/05/2024")
    assert find_order(["25/04/2024", "04/25/2024"]) == DayOrder("day", "", "")
    assert find_order(["2024-05-01"]) == DayOrder()
    assert read_date("04/25/2024", "day") == date(2024, 4, 25), "one reading only"
