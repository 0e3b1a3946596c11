"""Numbers and dates in running text: the same in every notation, another never, and what cannot be read is told."""

from __future__ import annotations

import datetime as dt
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import for_each, seeds

from lab.algebra import Document
from lab.answer.base import Place
from lab.answer.facts import Facts
from lab.text.quantities import quantities
from lab.text.quantities.notation import read_digits


def checked(sentence: str, passage: str) -> str:
    """Returns how a passage supports the numbers and dates of a sentence: supported, missing or unread."""
    details = Facts((Document("p", passage),)).check(sentence, [Place(0, 0, len(passage))])
    return "missing" if details.missing else "unread" if details.unread else "supported"


SAME = """1,000,000 drops|10⁶ drops
a million drops|10⁶ drops
1,000,000 visitors|10^6 visitors
1,000,000 visitors|1e6 visitors
1,500,000 kg|1.5×10⁶ kg
1500 kg|1.5×10³ kg
1500 kg|1.5 x 10^3 kg
0.001 g|10⁻³ g
1000 seats|1’000 seats
1,000 seats|1'000 seats
1,234,567 rupees|12,34,567 rupees
3.5 kg|3,5 kg
1234.50 €|1.234,50 €
€3.50|3,50 €
1,234,567 pixels|1 234 567 pixels
1,234,567 pixels|1.234.567 pixels
1,234,567 pixels|1 234 567 pixels
1.2亿人|全省有1亿2000万人
全省有一亿二千万人|全省有1亿2000万人
5公里|十里
5公里|10里
25%|增长两成半
1.5 million people|1,5 Mio. people
90 minutes|1:30 h
250,000 users|a quarter of a million users
750,000 users|three quarters of a million users
1.5 million users|a million and a half users
1.5 million users|one and a half million users
2,500 users|two and a half thousand users
2500 users|2½ thousand users
3万5千元|35000元
12亿3456万元|1234560000元
三万五元|35000元
1h30|90 minutes
500 ml|half a litre
1 km|1,000 m
3.5 inches|3½ inches
3.5 inches|3 1/2 inches
5 ml|5 cm³
-5 °C|minus five degrees
百分之五|5%
五成|50%
$2bn|2 billion dollars
2 lakh rupees|200,000 rupees
31 January 2024|31.1.2024
31 January 2024|31.01.2024
31 January 2024|31/01/2024
31 January 2024|1/31/2024
31 January 2024|31-Jan-2024
31 January 2024|20240131
2024年1月31日|on 31.1.2024
January 2024|01/2024
January 2024|2024-01
2024年|民国113年
at 21:30|at 9.30pm
at 21:30|at 21.30 h
at 21:30|晚上9点半
at 9:30 p.m.|at 21:30
in 2021|2019–21
in 2019|2019–21
on Monday|on Mon. there
It was released in 2024-05.|It was released in May 2024.
It was released in May 2024.|It was released in 2024-05.
2024年5月发布。|发布于 2024-05。
from 2023-11 to 2024-02|from November 2023 to February 2024
from November 2023 to February 2024|from 2023/11 to 2024/02
05/2024|May 2024
ratio 16:9|ratio 16:9
8.2 billion|8,2 Mrd.
10,000,000 cells|10⁷ cells
0.0025 mol|2.5×10⁻³ mol
1,234.5 CHF|1’234.50 CHF
12,345,678|1,23,45,678
45000元|4万5千元
123,000,000人|1亿2300万人
15%|一成半
35%|三成半
10公里|二十里
1.75 million|one and three quarters million
750 people|three quarters of a thousand people
3,500 users|three and a half thousand users
18 eggs|a dozen and a half eggs
$3.2 million|3,2 Mio. $
2.25 cups|2¼ cups
7.5 cm|7½ cm
150 minutes|2:30 h
5 July 2023|5.7.2023
5 July 2023|2023/07/05
14 July 2023|14-07-2023
14 July 2023|7/14/2023
14 July 2023|20230714
14 July 2023|14-Jul-2023
2023年7月14日|Jul 14, 2023
July 2023|2023-07
July 2023|07/2023
2021年|民国110年
at 17:45|at 5.45pm
at 17:45|下午5点45分
in 2024|2023–24
Friday|Fri. 5 May
Sunday|on Sun., 5 May
20 m³|20立方米
3 m²|3 square metres
3万6千人|36000人
5,500元|5千5百元
3000多万人|三千多万人
30,000,000|3000万"""
OTHER = """10 drops|10⁶ drops
106 drops|10⁶ drops
10 visitors|10^6 visitors
6 visitors|10^6 visitors
1.5 kg|1.5×10⁶ kg
10 kg|1.5×10⁶ kg
1 seat|1’000 seats
12 rupees|12,34,567 rupees
3 kg|3,5 kg
5 kg|3,5 kg
1.234 €|1.234,50 €
50 €|1.234,50 €
234 pixels|1 234 567 pixels
567 pixels|1 234 567 pixels
全省有1亿人|全省有1亿2000万人
2000万人|全省有1亿2000万人
10公里|10里
增长两成|增长两成半
5 cm|5 cm³
score 3|3:1
1 million users|a quarter of a million users
1,000,000 users|a quarter of a million users
1,000,000 users|a million and a half users
two users|two and a half thousand users
113年|民国113年
9:30|9:30 p.m.
9点半|晚上9点半
It was -5 degrees.|Released in 2024-05.
in May 2024|2024-06
1e5 users|1e6 users
31 January 2024|13.1.2024
2 February 2024|31/01/2024
Tuesday|on Mon. there
in 2022|2019–21
60 minutes|1:30 h
2 kg|2⅔ kg
4:3|16:9
8 billion|8,2 Mrd.
2 billion|8,2 Mrd.
10 cells|10⁷ cells
7 cells|10⁷ cells
107 cells|10⁷ cells
200 people|1 200 people there
1 Franken|1’234.50 CHF
1,23|1,23,45,678 rupees
4万元|4万5千元
1亿人|1亿2300万人
一成|一成半
3 m|3 m²
1 million|one and three quarters million
3 users|three and a half thousand users
7 cm|7½ cm
2 hours|2:30 h
4 July 2023|14-07-2023
110年|民国110年
5:45|5:45 p.m.
5点|下午5点45分
2 people|1:2
in 2025|2023–24
Saturday|Fri. 5 May
2009 visitors|2009³ visitors"""
UNREAD = """3 pages|pages 3,5
1 February 2024|01/02/2024
4 March 2024|03/04/2024
1,200 people|1 200 people
2019 visitors|2019³ visitors
1234567 users|1,23,4567 users"""


@pytest.mark.parametrize("line", SAME.splitlines())
def test_a_number_or_a_date_is_supported_however_it_is_written(line: str) -> None:
    sentence, passage = line.split("|")
    assert checked(sentence, passage) == "supported"


@pytest.mark.parametrize("line", OTHER.splitlines())
def test_a_part_of_a_number_or_another_one_does_not_support_it(line: str) -> None:
    sentence, passage = line.split("|")
    assert checked(sentence, passage) != "supported"


@pytest.mark.parametrize("line", UNREAD.splitlines())
def test_what_can_be_read_in_several_ways_is_neither_supported_nor_missing(line: str) -> None:
    sentence, passage = line.split("|")
    assert checked(sentence, passage) == "unread"


def notations(n: int) -> list[str]:
    """A whole number from 1,000,000 on in many notations."""
    groups = f"{n:,}"
    indian = str(n)[:-3]
    indian = f"{n % 1000:03}" if not indian else ",".join([*_twos(indian), f"{n % 1000:03}"])
    ways = [str(n), groups, indian, *(groups.replace(",", sign) for sign in "’'.\u202f\u00a0\u2009 ")]
    digits = str(n).rstrip("0")
    zeros = len(str(n)) - len(digits)
    if len(digits) <= 3:
        power = str(zeros).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
        ways += [f"{digits}×10{power}", f"{digits} x 10^{zeros}", f"{digits}e{zeros}", f"{digits}E{zeros}"]
        ways += [f"{digits}·10^{{{zeros}}}"]
    ways += [f"{n / 1e6:.9f}".rstrip("0").rstrip(".") + " million"] if n % 1000 == 0 else []
    yi, rest = divmod(n, 10**8)
    wan, rest = divmod(rest, 10**4)
    if not rest:
        ways.append((f"{yi}亿" if yi else "") + (f"{wan}万" if wan else ""))
    return ways


def _twos(digits: str) -> list[str]:
    first = len(digits) % 2
    return [part for part in [digits[:first], *(digits[i : i + 2] for i in range(first, len(digits), 2))] if part]


@pytest.mark.parametrize("seed", seeds(300))
def test_a_drawn_number_is_the_same_in_all_notations_and_another_is_not(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.choice([rng.randint(10**6, 10**9), rng.randint(1, 999) * 10 ** rng.randint(6, 8)])
    other = n + rng.choice([n // 1000, 10**6, n, 9 * n])
    said, there, wrong = rng.choice(notations(n)), rng.choice(notations(n)), rng.choice(notations(other))
    assert checked(f"It has {said} users.", f"There are {there} users.") == "supported", (said, there)
    assert checked(f"It has {said} users.", f"There are {wrong} users.") == "missing", (said, wrong)


def ways_of_a_day(year: int, month: int, day: int) -> list[str]:
    name = dt.date(year, month, day).strftime("%B")
    ways = [f"{day} {name} {year}", f"{name} {day}, {year}", f"{day}-{name[:3]}-{year}", f"{day} {name[:3]}. {year}"]
    ways += [f"{year}-{month:02}-{day:02}", f"{year}{month:02}{day:02}", f"{year}年{month}月{day}日"]
    ways += [
        f"{day}.{month}.{year}",
        f"{day:02}.{month:02}.{year}",
        f"民国{year - 1911}年{month}月{day}日",
        f"{year}/{month}/{day}",
    ]
    return ways + (
        [f"{day}/{month}/{year}", f"{month}/{day}/{year}", f"{day:02}-{month:02}-{year}"] if day > 12 else []
    )


@pytest.mark.parametrize("seed", seeds(200))
def test_a_drawn_day_is_the_same_in_all_forms_and_another_is_not(seed: int) -> None:
    rng = random.Random(seed)
    day = rng.randint(1950, 2049), rng.randint(1, 12), rng.randint(1, 28)
    other = day[0], day[1], day[2] % 28 + 1
    said, there, wrong = (rng.choice(ways_of_a_day(*some)) for some in (day, day, other))
    assert checked(f"It opened on {said} there.", f"Opening: {there}; all came.") == "supported", (said, there)
    assert checked(f"It opened on {said} there.", f"Opening: {wrong}; all came.") == "missing", (said, wrong)


@for_each(
    "text, value",
    [
        ("人口超过1亿2000万的城市", 120_000_000),
        ("12亿3456万", 1_234_560_000),
        ("少于3万6千", 36_000),
        ("2个亿", 200_000_000),
        ("5千5百", 5500),
        ("三千多万", 30_000_000),
        ("over a million and a half", 1_500_000),
        ("one and a half million", 1_500_000),
        ("two and a half thousand", 2500),
        ("a quarter of a million", 250_000),
        ("two point five thousand", 2500),
        ("more than 1e6", 1_000_000),
        ("above 20'000", 20_000),
        ("at least 3½", 3.5),
        ("over 2,5 kg", 2.5),
        ("8,2 km", 8.2),
    ],
)
def test_a_question_has_one_number(text: str, value: float) -> None:
    assert [q.low for q in quantities(text)] == [pytest.approx(value)]


@given(st.text(alphabet="0123456789.,'’ ^eE×⁶½:/-", max_size=14))
def test_digits_are_read_or_refused_but_never_fail(text: str) -> None:
    for at in range(len(text)):
        read = read_digits(text, at)
        assert (read is None) == (text[at] not in "0123456789")
        assert read is None or at < read.end <= len(text)


def test_a_number_that_fits_no_form_has_no_value() -> None:
    read = read_digits("1,23,4567", 0)
    assert read is not None
    assert read.value is None
