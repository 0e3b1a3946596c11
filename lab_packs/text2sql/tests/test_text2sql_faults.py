"""Faults that are gone: each a kind, with further inputs of the kind in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_of import STAFF, VETS, gives, made_of, play
from night import for_each
from sets import TODAY

from lab_packs.text2sql.database import Database
from lab_packs.text2sql.dialogue import say
from lab_packs.text2sql.tree import Field, Not
from lab_packs.text2sql.upload import open_upload

DESTRUCTIVE = [
    "delete all orders", "drop the orders table", "delete them", "remove all orders", "remove the customers",
    "clear all products", "删除所有订单", "把这些订单删掉", "清空订单表", "去掉所有订单", "drop table orders", "update the price to 0",
    "truncate orders", "删除这些客户", "insert an order",
]  # fmt: skip


@for_each("words", DESTRUCTIVE)
def test_words_that_destroy_are_refused_in_a_dialogue_as_at_its_beginning(shop: Database, words: str) -> None:
    first = say(shop, "orders in 2023", as_of=TODAY)
    for before in (None, first):
        turn = say(shop, words, as_of=TODAY, before=before)
        assert turn.result is None, (words, turn.answer)
        assert turn.after == (before.after if before else None)


@for_each(
    "first, second, rows",
    [
        ("上海的候选人", "北京的候选人有多少", 1),
        ("candidates in Shanghai", "how many candidates are in Beijing?", 1),
        ("三年以上经验的候选人", "经验不到两年的候选人", 14),
        ("candidates younger than 25", "candidates older than 30", 25),
    ],
)
def test_a_complete_question_inherits_nothing(candidates: Database, first: str, second: str, rows: int) -> None:
    before = say(candidates, first, as_of=TODAY)
    turn, alone = say(candidates, second, as_of=TODAY, before=before), say(candidates, second, as_of=TODAY)
    assert turn.kind == "fresh"
    assert turn.after == alone.after
    assert turn.result is not None
    assert len(turn.result.rows) == rows


@for_each("words", ["candidates older than 40 and younger than 30", "年龄大于40岁、小于30岁的候选人"])
def test_conditions_that_exclude_each_other_are_refused_with_the_reason(candidates: Database, words: str) -> None:
    turn = say(candidates, words, as_of=TODAY)
    assert turn.result is None
    assert turn.error is not None
    assert "40" in turn.answer
    assert "30" in turn.answer


@for_each("words", ["一共卖出多少件机械键盘", "机械键盘卖了多少件", "how many units of 机械键盘 were sold?"])
def test_units_are_added_up_and_rows_are_not_counted_instead(shop: Database, words: str) -> None:
    turn = say(shop, words, as_of=TODAY)
    if turn.result is None:
        assert turn.unknown or turn.asks
        return
    (row,) = shop.select(
        "SELECT sum(quantity) FROM order_items i JOIN products p ON p.id = i.product_id WHERE p.name = '机械键盘'"
    ).rows
    assert turn.result.rows[0] == row


TESTS = "id,tester,outcome,part\n" + "".join(
    f"{i},{('Tom Baker', 'Ann Miller', 'Kim Cook')[i % 3]},{('fail', 'pass')[i % 2]},{('lock', 'hinge')[i % 2]}\n"
    for i in range(12)
)


@for_each(
    "words",
    ["tests that failed", "passing tests", "tests by bakers", "tests of a cook", "tests by millers", "locked parts"],
)
def test_a_verb_or_a_trade_is_no_stored_value(words: str) -> None:
    turn = say(open_upload("tests.csv", TESTS.encode()), words, as_of=TODAY)
    assert turn.result is None, turn.answer


@for_each("words, name", [("tests by Baker", "Tom Baker"), ("tests of Ann Miller", "Ann Miller")])
def test_a_surname_with_its_capital_letter_is_found(words: str, name: str) -> None:
    turn = say(open_upload("tests.csv", TESTS.encode()), words, as_of=TODAY)
    assert turn.result is not None, turn.answer
    assert {r[1] for r in turn.result.rows} == {name}


CREW = """
CREATE TABLE crew(id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, age INTEGER);
CREATE TABLE shifts(id INTEGER PRIMARY KEY, crew_id INTEGER REFERENCES crew(id), hours REAL);
INSERT INTO crew VALUES (1,'Ada','Stone',31),(2,'Ada','Brook',44),(3,'Ben','Field',28);
INSERT INTO shifts VALUES (1,1,8),(2,1,6),(3,2,9),(4,3,4),(5,2,7),(6,2,7);
"""


@for_each("words", ["who is the oldest?", "crew older than 40", "which crew has the most shifts?"])
def test_people_are_named_whole(tmp_path_factory: pytest.TempPathFactory, words: str) -> None:
    db = made_of(CREW, tmp_path_factory.mktemp("crew"), "crew")
    turn = say(db, words, as_of=TODAY)
    assert turn.result is not None, turn.answer
    assert "Ada" in turn.answer
    assert "Brook" in turn.answer


@for_each("words, more", [("the 3 oldest pets", 1), ("年龄最大的3个宠物", 1), ("the 2 oldest pets", 0)])
def test_ties_at_the_cut_are_said(words: str, more: int) -> None:
    db = open_upload("pets.csv", ("pet,age\n" + "".join(f"p{i},{a}\n" for i, a in enumerate([9, 8, 7, 7, 3]))).encode())
    turn = say(db, words.replace("宠物", "pets"), as_of=TODAY)
    assert turn.result is not None, turn.answer
    assert len(turn.result.rows) == int(words[4] if words.isascii() else 3)
    assert (" equal to the last" in turn.answer or "并列" in turn.answer) == bool(more)


GRADES = "编号,供应商,信用等级\n" + "".join(f"{i},厂{i},{'ABC'[i % 3]}\n" for i in range(9))


@for_each("words, grade", [("A级的供应商", "A"), ("信用等级是B的供应商", "B"), ("C级供应商有哪些", "C")])
def test_a_grade_may_be_said_with_its_word(words: str, grade: str) -> None:
    turn = say(open_upload("供应商.csv", GRADES.encode()), words, as_of=TODAY)
    assert turn.result is not None, turn.answer
    assert {r[2] for r in turn.result.rows} == {grade}


APPLICANTS = """
CREATE TABLE candidates(id INTEGER PRIMARY KEY, name TEXT, skills TEXT, experience_years INTEGER, expected_salary INTEGER,
  work_mode TEXT, languages TEXT);
INSERT INTO candidates VALUES (1,'张三','Java, Spring',5,25000,'现场','中文, 英语'),(2,'李四','Java, Python',3,18000,'远程','中文'),
  (3,'王五','Java, SQL',4,20000,'远程','中文, 英语'),(4,'赵六','Python, SQL',2,15000,'现场','中文'),
  (5,'钱七','Go, Linux',1,12000,'混合','英语');
"""


@pytest.mark.parametrize("name", ["sample", "own"])
def test_the_two_dialogues_of_the_course(name: str, candidates: Database, tmp_path: Path) -> None:
    db = candidates if name == "sample" else made_of(APPLICANTS, tmp_path, "applicants")
    language = "Python" if name == "sample" else "Java"
    first = play(db, f"请帮我查找有三年以上{language}开发经验的候选人", "期望薪资不超过2万元", "必须能远程办公")
    second = play(db, "期望薪资不超过2万", "必须能远程办公")
    for turns in (first, second):
        for turn in turns:
            assert turn.result is not None, turn.answer
            assert turn.result.rows
        assert len(turns[0].result.rows) > len(turns[-1].result.rows)  # type: ignore[union-attr]
    if name == "own":
        assert [len(t.result.rows) for t in (*first, *second)] == [3, 2, 2, 4, 2]  # type: ignore[union-attr]


def test_a_bare_condition_is_added_or_takes_the_place_of_the_one_on_its_column(candidates: Database) -> None:
    turns = play(candidates, "上海的候选人", "三年以上经验", "五年以上经验", "去掉经验的条件", "不要现场的")
    assert all(t.result is not None for t in turns), [t.answer for t in turns]
    where = [{(c.of.of if isinstance(c, Not) else c.of).ref.column for c in t.after.where} for t in turns]  # type: ignore[union-attr]
    assert where == [{"city"}, {"city", "years"}, {"city", "years"}, {"city"}, {"city", "work_mode"}]
    assert isinstance(turns[2].after.where[-1].of, Field)  # type: ignore[union-attr]
    assert turns[2].after.where[-1].values == (5,)  # type: ignore[union-attr]


def test_rows_without_others_and_days_that_are_missing(tmp_path: Path) -> None:
    vets = made_of(VETS, tmp_path, "vets")
    gives(
        vets,
        say(vets, "owners without pets", as_of=TODAY),
        "SELECT name FROM owners WHERE id NOT IN (SELECT owner_id FROM pets)",
    )
    staff = made_of(STAFF, tmp_path, "staff")
    gives(staff, say(staff, "没有邮箱的员工", as_of=TODAY), "SELECT 姓名 FROM 员工 WHERE 邮箱 IS NULL")


STUDENTS = "id,name,major,minor\n" + "".join(
    f"{i},Person {i},{('Physics', 'Law', 'Music')[i % 3]},{('Law', 'Music', 'Physics')[i % 3]}\n" for i in range(12)
)


@for_each("words, major", [("students with the Physics major", True), ("students with the Physics minor", False)])
def test_a_column_that_is_named_behind_a_value_decides_whose_value_it_is(words: str, major: bool) -> None:
    turn = say(open_upload("students.csv", STUDENTS.encode()), words, as_of=TODAY)
    assert turn.result is not None, turn.answer
    assert {r[2 if major else 3] for r in turn.result.rows} == {"Physics"}
