"""What of a text is a number, a date or a name, and what a question asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import for_each, spread

from lab.answer.kinds import ASKED, KINDS, asked, every, fits, found


def told(text: str, kind: str) -> list[tuple[float | str, str]]:
    return [(one.value, one.unit) for one in found(text) if one.kind == kind]


@for_each(
    "text, value, unit",
    [
        ("within 14 days", 14, "day"),
        ("within fourteen days", 14, "day"),
        ("须在十四天内", 14, "day"),
        ("须在１４天内", 14, "day"),
        ("7个工作日", 7, "working day"),
        ("10 working days", 10, "working day"),
        ("it takes twenty-four hours", 24, "hour"),
        ("24小时", 24, "hour"),
        ("运费1,200.5元", 1200.5, "yuan"),
        ("a fee of ¥1,200.50", 1200.5, "yuan"),
        ("$5 million", 5 * 10**6, "usd"),
        ("两万人", 20_000, "person"),
        ("20,000 people", 20_000, "person"),
        ("2.5万", 25_000, ""),
        ("三十", 30, ""),
        ("一百零五", 105, ""),
        ("a dozen", 12, ""),
        ("15%", 15, "percent"),
        ("百分之十五", 15, "percent"),
        ("约为八成", 80, "percent"),
        ("15 percent", 15, "percent"),
        ("三分之一", round(1 / 3, 9), ""),
        ("one third", round(1 / 3, 9), ""),
        ("6½", 6.5, ""),
        ("300年历史", 300, "year"),
        ("两年半", 2.5, "year"),
        ("第三", 3, "ordinal"),
        ("the 3rd", 3, "ordinal"),
        ("5kg", 5, "kg"),
        ("-5", -5, ""),
    ],
)
def test_a_number_has_one_value_and_one_unit_however_it_is_written(text: str, value: float, unit: str) -> None:
    assert told(text, "number") == [(value, unit)]


@for_each(
    "text, value",
    [
        ("2019年3月", "2019-03"),
        ("in March 2019", "2019-03"),
        ("二〇一九年三月", "2019-03"),
        ("2019-03-05", "2019-03-05"),
        ("2019/3/5", "2019-03-05"),
        ("5 March 2019", "2019-03-05"),
        ("March 5th, 2019", "2019-03-05"),
        ("2019年3月5日", "2019-03-05"),
        ("3月5日", "--03-05"),
        ("March 5", "--03-05"),
        ("since 1850", "1850"),
        ("1850年", "1850"),
        ("公元前221年", "-0221"),
        ("221 BC", "-0221"),
        ("the 1980s", "1980s"),
        ("二十世纪八十年代", "1980s"),
        ("19th century", "c19"),
        ("十九世纪", "c19"),
        ("the nineteenth century", "c19"),
        ("three days ago", "3 day ago"),
        ("三天前", "3 day ago"),
        ("on Monday", "d1"),
        ("星期一", "d1"),
        ("周日", "d7"),
        ("下午三点半", "T15:30"),
        ("15:30", "T15:30"),
        ("3 p.m.", "T15:00"),
        ("12 a.m.", "T00:00"),
    ],
)
def test_a_date_has_one_value_however_it_is_written(text: str, value: str) -> None:
    assert told(text, "date") == [(value, "")]
    assert told(text, "number") == []


@for_each(
    "text, names",
    [
        ("Then Kawann Short led the team.", ["Kawann Short"]),
        ("The Bank of England raised it.", ["Bank of England"]),
        ("Nothing here is one.", []),
        ("I think so.", []),
        ("the WH-1000XM5 is new", ["WH-1000XM5"]),
        ("卡万·肖特来到四川", ["卡万·肖特", "四川"]),
        ("读过《红楼梦》吗", ["《红楼梦》"]),
        ("他说“光荣”很好", ["“光荣”"]),
        ("一个国家", []),
    ],
)
def test_names_are_what_capitals_marks_and_the_dictionary_show(text: str, names: list[str]) -> None:
    assert [text[one.start : one.end] for one in found(text) if one.kind == "name"] == names


@for_each("text", ["一个人", "三国时代", "one of them", "万一", "version v2", "几乎", "十几个"])
def test_what_only_looks_like_a_number_is_none(text: str) -> None:
    assert told(text, "number") == []


@for_each(
    "question, kind",
    [
        ("How many points did they score?", "number"),
        ("What is the population of Fresno?", "number"),
        ("How many days do I have?", "duration"),
        ("How long does it take?", "duration"),
        ("When was it built?", "date"),
        ("In which year was it built?", "date"),
        ("Who built it?", "person"),
        ("Where is it?", "place"),
        ("Which city is it in?", "place"),
        ("What company built it?", "name"),
        ("What happens when it rains?", None),
        ("Why?", None),
        ("有多少人", "number"),
        ("退货要几天？", "duration"),
        ("要提前几天申请", "duration"),
        ("How old is she?", "age"),
        ("她今年多大", "age"),
        ("校长几岁了", "age"),
        ("How much does a room cost?", "money"),
        ("What is the price of a ticket?", "money"),
        ("换屏多少钱", "money"),
        ("How tall is the tower?", "length"),
        ("塔有多高？", "length"),
        ("How much does it weigh?", "weight"),
        ("手表多重", "weight"),
        ("有效期多长", "number"),
        ("How many times did it rain?", "number"),
        ("发生在哪一年", "date"),
        ("任何人都可以吗", None),
        ("需要多长时间", "duration"),
        ("哪一年成立的", "date"),
        ("什么时候开始", "date"),
        ("是谁发明的", "person"),
        ("首都在哪里", "place"),
        ("哪个城市最大", "place"),
        ("这部小说叫什么", "name"),
        ("怎么退货", None),
        ("几乎所有人都来了吗", None),
        ("《谁的歌》怎么样", None),
        ("", None),
    ],
)
def test_the_question_word_says_what_is_asked_for(question: str, kind: str | None) -> None:
    assert asked(question) == kind


def test_a_question_may_ask_for_several_things() -> None:
    assert every("护理假多少天，生育津贴由谁支付") == ("duration", "person")
    assert every("有多少人，多少天") == ("number", "duration")
    assert every("How many people were there when it began?") == ("number",)
    assert every("怎么退货") == ()


def test_a_question_for_a_time_is_answered_by_a_number_of_time_alone() -> None:
    days, people = *found("14 days"), *found("14 people")
    assert fits(days, "duration")
    assert not fits(people, "duration")
    assert fits(people, "number")
    assert not fits(people, "person")


def test_a_person_is_no_place_where_the_dictionary_tells_them_apart() -> None:
    person, place = (next(iter(found(text))) for text in ("曹雪芹", "南京市"))
    assert fits(person, "person")
    assert not fits(person, "place")
    assert fits(place, "place")
    assert not fits(place, "person")


@given(
    st.text(st.characters(codec=None), max_size=80)
    | st.text('一二十万点第分之年月日0123456789.,:-/ 个人APapm·《》"', max_size=40)
)
def test_any_text_is_read_and_what_is_found_stands_in_it_in_order(text: str) -> None:
    told, kind = found(text), asked(text)
    assert kind is None or kind in ASKED
    assert all(0 <= one.start < one.end <= len(text) and one.kind in KINDS for one in told)
    assert [one.start for one in told] == sorted(one.start for one in told)
    figures = [one for one in told if one.kind != "name"]
    assert all(a.end <= b.start for a, b in zip(figures, figures[1:], strict=False))


@pytest.mark.parametrize(
    "text", spread(["A " * 50_000, "一" * 100_000, "9" * 100_000, "A.B-" * 25_000, "《" * 100_000], 1)
)
def test_a_long_text_of_one_kind_is_read_in_good_time(text: str) -> None:
    assert len(found(text)) < 10
    assert asked(text) is None


@pytest.mark.parametrize(
    ("kind", "text", "answers"),
    [
        ("age", "She is 43 years old.", True),
        ("age", "他今年 43 岁。", True),
        ("age", "Her extension is 4350.", False),
        ("money", "It costs £40.", True),
        ("money", "每次 20 元。", True),
        ("money", "It climbs 20 mm.", False),
        ("length", "门宽 80 厘米。", True),
        ("length", "The lift takes 8 people.", False),
        ("weight", "It weighs 400 g.", True),
        ("weight", "它有 24 个刷子。", False),
        ("person", "The WR-5S needs a phone.", False),
    ],
)
def test_a_measure_is_answered_by_its_units_and_a_person_not_by_a_code(kind: str, text: str, answers: bool) -> None:
    assert any(fits(fact, kind) for fact in found(text)) is answers
