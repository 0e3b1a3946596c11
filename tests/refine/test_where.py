"""Conditions on metadata: how they are written, what they mean, and what they say of what they remove."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import for_each

from lab import formats
from lab.algebra import Corpus, Document, Hit, Ranking
from lab.corpus.conditions import (
    DEEPEST,
    LONGEST,
    MOST,
    All,
    AnyOf,
    Condition,
    Test,
    combine,
    each_test,
    parse,
    without,
)
from lab.corpus.fields import field_reading, read_number
from lab.errors import ParameterError
from lab.refine.where import NO, UNKNOWN, YES, Checked, Where
from lab.retrieve.lexical import BM25


def ranking(*metadata: dict[str, Any]) -> Ranking:
    corpus = Corpus("made up", tuple(Document(f"d{i}", "x", metadata=fields) for i, fields in enumerate(metadata)))
    return Ranking("x", tuple(Hit(d, 1.0) for d in corpus), BM25(), corpus=corpus)


def kept(condition: str, *metadata: dict[str, Any], **how: Any) -> list[str]:
    return list(Where(condition, **how)(ranking(*metadata)).ids)


def reason(condition: str, **fields: Any) -> str:
    (drop,) = Where(condition)(ranking(fields)).dropped
    return str(drop.reason)


# ------------------------------------------------------------------------------------------ the language


@for_each(
    "text, written",
    [
        ("views>1000", "views > 1000"),
        ("views > 1,000 and category = HR", "views > 1,000 and category = HR"),
        ("a = 1 or b = 2 and c = 3", "a = 1 or (b = 2 and c = 3)"),
        ("(a = 1 or b = 2) and c = 3", "(a = 1 or b = 2) and c = 3"),
        ("((a = 1)) and (b = 2 and c = 3)", "a = 1 and b = 2 and c = 3"),
        ("not (a = 1 and b > 2)", "a != 1 or not b > 2"),
        ("not not a is missing", "a is missing"),
        ("not a in (x, y)", "a not in (x, y)"),
        ("a is not null", "a is present"),
        ("a not contains x", "a not contains x"),
        ("a not between 1 and 2", "a not between 1 and 2"),
        ("a == 1 AND b <> 2", "a = 1 and b != 2"),
        ("浏览量＞1000 且 分类＝“人事”", "浏览量 > 1000 and 分类 = 人事"),
        ("标签 属于（甲、乙） 或 负责人 缺失", "标签 in (甲, 乙) or 负责人 is missing"),
        ("价格 介于 10 和 20 且 备注 不包含 草稿", "价格 between 10 and 20 and 备注 not contains 草稿"),
        ("日期 ≥ 2024年5月", "日期 >= 2024年5月"),
        ('"last update" >= 2024-05-01', '"last update" >= 2024-05-01'),
        ('a = "say ""no"""', 'a = "say ""no"""'),
        ("a = 'and'", 'a = "and"'),
        ("country = IN or status = missing", 'country = "IN" or status = missing'),
        ("a in (1,000)", "a in (1, 000)"),
        ('a in ("1,000", 2)', 'a in ("1,000", 2)'),
        ("file = handbook/leave.v2.md", "file = handbook/leave.v2.md"),
        ("email contains @example.com", "email contains @example.com"),
    ],
)
def test_a_condition_is_read_and_has_one_spelling(text: str, written: str) -> None:
    assert Where(text).condition == written
    assert parse(written) == parse(text)
    assert hash(Where(text)) == hash(Where(written))


@for_each(
    "text, said",
    [
        ("views >", "A value is expected at the end"),
        ("views", "A comparison is expected after “views” at the end"),
        ("views > and a = b", "A value is expected in place of “and” at character 9"),
        ("a = Human Resources", "“and” or “or” is expected in place of “Resources” at character 11"),
        ("(a = 1 or b = 2", "The bracket at character 1 is not closed"),
        ("a = 1)", "“and” or “or” is expected in place of “)” at character 6"),
        ("a in b", "An opening bracket is expected after “in” in place of “b” at character 6"),
        ("a in (b c)", "A comma or a closing bracket is expected in place of “c” at character 9"),
        ("a in ()", "A value is expected in place of “)” at character 7"),
        ("a between 5 to", "“and” is expected between the two limits in place of “to” at character 13"),
        ("a between 5 and 1", "5 is above 1"),
        ("a between 2024-05 and 2024-01", "2024-05 is above 2024-01"),
        ("a > soon", "“soon” at character 5 is neither a number nor a date"),
        ("a = 'x", "The quotation mark at character 5 is not closed"),
        ("a like b", "A comparison is expected after “a” in place of “like” at character 3"),
        ("a is 3", "“missing” or “present” is expected in place of “3” at character 6"),
        ("a =! 3", "“=!” at character 3 is not a comparison"),
        ('a = ""', "is empty"),
        ("and", "The name of a field is expected in place of “and” at character 1"),
        ("not", "The name of a field is expected at the end"),
        ("= 3", "The name of a field is expected in place of “=” at character 1"),
        ("分类 = ", "A value is expected at the end"),
        ("(" * 500 + "a = 1" + ")" * 500, f"nested more than {DEEPEST} deep"),
        ("not " * 500 + "a = 1", f"nested more than {DEEPEST} deep"),
        (" or ".join(["a = 1"] * (MOST + 1)), f"more than {MOST} comparisons"),
        ("a = " + "x" * LONGEST, f"at most {LONGEST} are read"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Where(text)
    assert said in str(caught.value)
    assert caught.value.remedy


@given(st.text(alphabet="ab1 =<>!()\"'“”,，、and or not in is 且或非.", max_size=30))
def test_any_text_is_a_condition_or_refused(text: str) -> None:
    try:
        condition = parse(text)
    except ParameterError:
        return
    assert parse(str(condition)) == condition


@given(
    st.recursive(
        st.builds(
            Test,
            st.text(min_size=1, max_size=8).filter(str.strip),
            st.sampled_from(["=", "in", "contains"]),
            st.text(min_size=1, max_size=8).filter(str.strip).map(lambda word: (word,)),
            st.booleans(),
        ),
        lambda inner: st.builds(
            lambda word, parts: combine(AnyOf if word == "or" else All, *parts),
            st.sampled_from(["and", "or"]),
            st.lists(inner, min_size=1, max_size=3),
        ),
        max_leaves=6,
    )
)
def test_whatever_a_tree_says_its_text_says_too(condition: Condition) -> None:
    assert parse(str(condition)) == condition


def test_a_comparison_is_taken_out_by_its_number() -> None:
    condition = parse("a = 1 and (b = 2 or c = 3) and d = 4")
    assert [str(x) for x in each_test(condition)] == ["a = 1", "b = 2", "c = 3", "d = 4"]
    assert str(without(condition, 1)) == "a = 1 and c = 3 and d = 4"
    assert str(without(condition, 3)) == "a = 1 and (b = 2 or c = 3)"
    assert without(parse("a = 1"), 0) is None


def test_files_links_and_expressions_hold_it() -> None:
    search = BM25() >> Where(
        'views > 1,000 and "last update" >= 2024年5月 or owner = "O\'Neill ""x"""', undecided="keep"
    )
    for write, read in (
        (formats.to_toml, formats.from_toml),
        (formats.expression, formats.parse),
        (formats.to_link, formats.from_link),
    ):
        assert read(write(search)) == search


# ------------------------------------------------------------------------------------------- what it means


def test_several_fields_are_combined() -> None:
    rows = [
        {"category": "HR", "views": 2500, "updated": "2024-03-01"},
        {"category": "HR", "views": 312, "updated": "2024-03-01"},
        {"category": "IT", "views": 2500, "updated": "2024年12月31日"},
        {"category": "hr", "views": "3,000", "updated": "December 31, 2023"},
    ]
    assert kept("category = HR and views > 1000 and updated >= 2024", *rows) == ["d0"]
    assert kept("category = HR and views > 1000", *rows) == ["d0", "d3"]
    assert kept("category = IT or updated < 2024", *rows) == ["d2", "d3"]
    assert kept("", *rows) == ["d0", "d1", "d2", "d3"]


@for_each(
    "condition, fields, text",
    [
        ("views > 1000", {"views": 312}, "views 312 is not above 1,000."),
        ("views >= 1000", {"views": 312.5}, "views 312.5 is below 1,000."),
        ("views < 1000", {"views": 1_000_000}, "views 1,000,000 is not below 1,000."),
        ("views <= 1,000", {"views": "1,200"}, "views 1,200 is above 1,000."),
        ("not views > 1000", {"views": 1001}, "views 1,001 is above 1,000."),
        ("views between 10 and 20", {"views": 30}, "views 30 is not between 10 and 20."),
        ("price > 10", {"price": "$9.50"}, "price $9.50 is not above 10."),
        ("share > 20%", {"share": "15%"}, "share 15% is not above 20%."),
        ("date >= 2024-05", {"date": "2024-04-30"}, "date 2024-04-30 is before 2024-05."),
        ("date > 2024", {"date": "2024-12-31"}, "date 2024-12-31 is not after 2024."),
        ("date <= 2024-05", {"date": "2024年6月1日"}, "date 2024年6月1日 is after 2024-05."),
        ("category = HR", {"category": "IT"}, "category is “IT”, not “HR”."),
        ("category in (HR, IT)", {"category": "财务"}, "category is “财务”; allowed: HR, IT."),
        ("category not in (HR, IT)", {"category": "it"}, "category is “it”; excluded: HR, IT."),
        ("tags != draft", {"tags": ["new", "Draft"]}, "tags is “new, Draft”."),
        ("title contains leave", {"title": "Pay"}, "title, “Pay”, does not contain “leave”."),
        ("owner is present", {"x": 1}, "The field “owner” is missing."),
        ("owner is missing", {"owner": "Li"}, "The field “owner” has a value: “Li”."),
        ("views > 1000", {"views": " "}, "The field “views” is missing."),
        ("views > 1000", {"views": "many"}, "views is “many”, which is not a number."),
        ("date > 2024-01", {"date": "soon"}, "date is “soon”, which is not a date."),
        ("a = 1 and b = 2", {"a": 3, "b": 4}, "a is “3”, not “1”. b is “4”, not “2”."),
        ("a = 1 and (b = 2 or c = 3)", {"a": 1, "b": 4, "c": 5}, "b is “4”, not “2”. c is “5”, not “3”."),
    ],
)
def test_the_reason_has_the_numbers_of_the_case(condition: str, fields: dict[str, Any], text: str) -> None:
    assert reason(condition, **fields) == text


def test_each_comparison_says_how_many_it_removes() -> None:
    rows = [
        {"views": 5, "category": "HR"},
        {"views": 500, "category": "IT"},
        {"views": "?"},
        {"views": 900, "category": "HR"},
    ]
    tested = Where("views > 100 and category = HR")(ranking(*rows)).evidence
    assert isinstance(tested, Checked)
    assert [list(row) for row in tested.holds] == [[NO, YES, UNKNOWN, YES], [YES, NO, UNKNOWN, YES]]
    assert [(tested.failed(i), tested.undecided(i)) for i in (0, 1)] == [(1, 1), (1, 1)]


def test_a_missing_value_decides_nothing_and_the_knob_does() -> None:
    rows = [{"a": "x"}, {"a": "y"}, {}]
    for condition, plain, keeping in (
        ("a = x", ["d0"], ["d0", "d2"]),
        ("a != x", ["d1"], ["d1", "d2"]),
        ("a = x or a is missing", ["d0", "d2"], ["d0", "d2"]),
        ("a = x and a is missing", [], ["d2"]),
    ):
        assert kept(condition, *rows) == plain
        assert kept(condition, *rows, undecided="keep") == keeping


def test_of_several_values_one_must_fit_and_none_for_a_negation() -> None:
    rows = [{"tags": ["a", "b"]}, {"tags": ["b"]}, {"tags": []}]
    assert kept("tags = a", *rows) == ["d0"]
    assert kept("tags != a", *rows) == ["d1"]
    assert kept("tags in (a, c)", *rows) == ["d0"]
    assert kept("tags is missing", *rows) == ["d2"]


def test_codes_are_no_quantities_and_numbers_are_one_number_in_every_writing() -> None:
    assert kept("id = 7", {"id": "007"}, {"id": "7"}, {"id": 7}) == ["d1", "d2"]
    assert kept("id = 007", {"id": "007"}, {"id": "7"}) == ["d0"]
    assert kept("n = 1,000", {"n": 1000}, {"n": "1000.0"}, {"n": "１，０００"}, {"n": "100"}) == ["d0", "d1", "d2"]
    assert kept("on = true", {"on": True}, {"on": False}) == ["d0"]
    assert kept("on = 否", {"on": True}, {"on": False}) == ["d1"]


def test_a_field_is_found_in_any_case_and_one_that_nobody_has_is_said() -> None:
    assert kept("Views > 1", {"views": 2}) == ["d0"]
    rows = ranking({"views": 2}, {"Views": 0})
    assert Where("VIEWS > 1")(rows).evidence.unknown == ("VIEWS",), "two are meant"
    assert Where("veiws > 1")(ranking({"views": 2})).evidence.unknown == ("veiws",)


@for_each(
    "dates, order, remark",
    [
        (["01/05/2024", "25/04/2024"], "2024-05-01", "day/month/year, as 25/04/2024 must be"),
        (["01/05/2024", "04/25/2024"], "2024-01-05", "month/day/year, as 04/25/2024 must be"),
        (["01/05/2024"], "2024-05-01", "have two readings; they are read as day/month/year"),
        (["01/05/2024", "25/04/2024", "04/25/2024"], "2024-05-01", "have two readings"),
        (["05/05/2024"], "2024-05-05", ""),
    ],
)
def test_a_day_with_two_readings_is_read_as_its_field_shows_and_that_is_said(
    dates: list[str], order: str, remark: str
) -> None:
    rows = ranking(*({"date": day} for day in dates))
    after = Where(f"date = {order}")(rows)
    assert after.ids[:1] == ["d0"]
    assert remark in " ".join(after.evidence.remarks)
    assert bool(after.evidence.remarks) == bool(remark)
    assert not Where("date is present")(rows).evidence.remarks, "nothing was read"


def test_the_order_of_day_and_month_can_be_chosen() -> None:
    rows = [{"date": "01/05/2024"}, {"date": "25/04/2024"}]
    assert kept("date = 2024-01-05", *rows, day_order="month") == ["d0"]
    assert reason("date > 2025", date="01/05/2024") == "date 01/05/2024 (2024-05-01) is not after 2025."


@for_each(
    "values, kind",
    [
        ([1, 2.5], "number"),
        (["1,000", "$3", "n/a"], "number"),
        ([2019, 2020], "number"),
        (["2024-05", "2024年6月"], "day"),
        ([20240501, 20240502], "day"),
        (["a", "b", "3"], "text"),
        ([["2024-05-01", "2024-05-02"]], "day"),
        ([True, False], "text"),
    ],
)
def test_a_field_is_what_most_of_its_values_are(values: list[Any], kind: str) -> None:
    assert field_reading(ranking(*({"f": value} for value in values)).corpus, "f").kind == kind


@for_each(
    "value, number",
    [
        (3, 3.0), ("1,234,567.5", 1234567.5), ("-0.5", -0.5), ("¥1,200", 1200.0), ("15%", 15.0), ("1e3", 1000.0),
        ("1,23", None), ("3.9mm", None), ("", None), (True, None), (float("nan"), None), (10**400, None),
        ("1_000", None),
    ],
)  # fmt: skip
def test_numbers_are_read_as_tables_have_them(value: Any, number: float | None) -> None:
    assert read_number(value) == number
