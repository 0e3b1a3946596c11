"""Questions on a lone table that is called like a file: who, surnames, round numbers, places in an order, negations."""

from __future__ import annotations

import pytest
from night import for_each
from sets import TODAY

from lab_packs.text2sql.database import Database
from lab_packs.text2sql.dialogue import Turn, say
from lab_packs.text2sql.upload import open_upload

PAYS = """name,city,salary
Ann,Oslo,5000
Bob,Rome,7000
Cy,Oslo,6000
Fay,Rome,9000
"""
WAGES = """姓名,城市,工资
李明,北京,8000
王红,上海,12000
李娜,北京,9000
张伟,广州,15000
"""
STATES = """单号,状态,金额
D1,未发货,5
D2,已发货,6
D3,部分发货,7
"""


@pytest.fixture(scope="module")
def pays() -> Database:
    return open_upload("pays.csv", PAYS.encode())


@pytest.fixture(scope="module")
def wages() -> Database:
    return open_upload("薪资.csv", WAGES.encode())


def names(turn: Turn) -> list[object]:
    assert turn.result is not None, turn.answer
    return [row[0] for row in turn.result.rows]


@for_each(
    "words, expected",
    [
        ("who has the highest salary", ["Fay"]), ("who earns the most", ["Fay"]), ("whose salary is lowest", ["Ann"]),
        ("who has the lowest salary in Rome", ["Bob"]), ("anyone but Ann", ["Bob", "Cy", "Fay"]),
        ("who is not from Oslo", ["Bob", "Fay"]), ("pays over 6000", ["Bob", "Fay"]),
    ],
)  # fmt: skip
def test_a_name_column_says_who_the_rows_are(pays: Database, words: str, expected: list[str]) -> None:
    turn = say(pays, words, as_of=TODAY)
    assert names(turn) == expected
    assert "pay" not in turn.answer.lower()


@for_each("words", ["who is oldest", "谁最重"])
def test_a_superlative_without_its_column_is_asked_about(pays: Database, wages: Database, words: str) -> None:
    assert say(pays if words.isascii() else wages, words, as_of=TODAY).result is None


@pytest.mark.parametrize("name", ["stock.csv", "products.csv"])
def test_things_are_no_answer_to_who(name: str) -> None:
    db = open_upload(name, b"name,price,quantity\nlamp,5,3\ndesk,50,1\n")
    assert say(db, "who has the highest price", as_of=TODAY).result is None


@for_each(
    "words, expected",
    [
        ("谁的工资最高", ["张伟"]), ("工资最高的是谁", ["张伟"]),
        ("姓李的", ["李明", "李娜"]), ("姓张的有哪些", ["张伟"]), ("姓王的工资", ["王红"]), ("姓赵的", []),
        ("工资过万", ["王红", "张伟"]), ("工资过万的人", ["王红", "张伟"]), ("工资上万的", ["王红", "张伟"]),
        ("工资超万的", ["王红", "张伟"]), ("工资过5000的人", ["李明", "王红", "李娜", "张伟"]),
        ("工资没过万的", ["李明", "李娜"]), ("工资不过万的", ["李明", "李娜"]),
        ("不是北京的", ["王红", "张伟"]), ("非北京的", ["王红", "张伟"]), ("北京以外的人", ["王红", "张伟"]),
    ],
)  # fmt: skip
def test_a_surname_a_round_number_and_a_negation_are_conditions(
    wages: Database, words: str, expected: list[str]
) -> None:
    turn = say(wages, words, as_of=TODAY)
    assert names(turn) == expected
    assert "薪资" not in turn.answer


def test_a_place_goes_on_in_the_order_of_the_last_question(wages: Database, pays: Database) -> None:
    turn = say(wages, "工资最高的是谁", as_of=TODAY)
    for words, expected in (("第二个呢", "王红"), ("第三名呢", "李娜")):
        turn = say(wages, words, as_of=TODAY, before=turn)
        assert names(turn) == [expected]
    turn = say(pays, "who earns the most", as_of=TODAY)
    assert names(say(pays, "and the second one?", as_of=TODAY, before=turn)) == ["Bob"]


def test_a_place_without_an_order_is_asked_about(wages: Database) -> None:
    turn = say(wages, "北京的人", as_of=TODAY)
    assert say(wages, "第二个呢", as_of=TODAY, before=turn).result is None


@for_each(
    "words, expected",
    [
        ("未发货的", ["D1"]), ("没发货的", ["D1"]), ("没有发货的", ["D1"]), ("还没发货的", ["D1"]), ("已发货的", ["D2"]),
        ("接受已发货的", ["D2"]), ("不接受已发货的", ["D1", "D3"]), ("不是未发货的", ["D2", "D3"]), ("不是已发货的", ["D1", "D3"]),
    ],
)  # fmt: skip
def test_a_state_with_its_negation_beside_it(words: str, expected: list[str]) -> None:
    db = open_upload("订单.csv", STATES.encode())
    assert names(say(db, words, as_of=TODAY)) == expected


@for_each(
    "words, assumed, expected",
    [
        ("orders from Rome", "orders", ["Bob", "Fay"]), ("clerks over 6000", "clerks", ["Bob", "Fay"]),
        ("北京的员工", "员工", ["李明", "李娜"]), ("工资过万的伙计", "伙计", ["王红", "张伟"]),
    ],
)  # fmt: skip
def test_the_unknown_noun_of_a_lone_table_is_its_rows_and_the_answer_says_so(
    pays: Database, wages: Database, words: str, assumed: str, expected: list[str]
) -> None:
    turn = say(pays if words.isascii() else wages, words, as_of=TODAY)
    assert names(turn) == expected
    assert turn.assumed == assumed
    assert assumed in turn.answer


def test_no_noun_is_taken_for_rows_beside_another_table(shop: Database) -> None:
    assert say(shop, "clerks over 6000", as_of=TODAY).result is None
