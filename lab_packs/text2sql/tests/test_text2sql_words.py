"""Known words have a place in the query, or are asked about: none is dropped in silence."""

from __future__ import annotations

import pytest
from night import for_each
from sets import APART, TODAY, load, opened, play

from lab_packs.text2sql.database import Database
from lab_packs.text2sql.dialogue import Turn, say
from lab_packs.text2sql.filling.filler import Filler
from lab_packs.text2sql.slots import GLUE
from lab_packs.text2sql.tagging import tag
from lab_packs.text2sql.upload import open_upload

SALES = """订单号,客户,产品,数量,单价,下单日期,状态,地区
D1,华信贸易,路由器X1,5,299,2024-01-12,待付款,华东
D2,东方电子,路由器X2,7,399,2024-02-13,已发货,华东
D3,华信贸易,智能门锁,9,899,2024-03-14,已完成,华北
D4,蓝海科技,路由器X1,2,299,2024-04-15,已取消,华东
D5,东方电子,网线,40,29,2024-05-16,待付款,华南
"""
PURCHASES = """id,customer,product,quantity,unit price,ordered,status
1,Ann,lamp,2,10,2024-01-02,not shipped
2,Bob,desk,1,200,2024-01-03,shipped
3,Cy,lamp,5,10,2024-02-02,cancelled
4,Ann,chair,3,50,2024-02-05,not shipped
"""


@pytest.fixture(scope="module")
def sales() -> Database:
    return open_upload("订单.csv", SALES.encode())


@pytest.fixture(scope="module")
def purchases() -> Database:
    return open_upload("orders.csv", PURCHASES.encode())


def cell(db: Database, words: str) -> object:
    """The only value of the answer."""
    turn = say(db, words, as_of=TODAY)
    assert turn.result is not None, turn.answer
    assert len(turn.result.rows) == 1, turn.answer
    return turn.result.rows[0][-1]


def first(turn: Turn) -> str:
    assert turn.result is not None, turn.answer
    return str(turn.result.rows[0])


@for_each(
    "words, value",
    [
        ("卖了多少台路由器X1", 7), ("路由器X2卖了多少台", 7), ("网线卖出多少条", 40), ("卖了多少智能门锁", 9),
        ("下了多少单", 5), ("华信贸易下了多少单", 2), ("订单有多少个", 5), ("有多少订单买了网线", 1),
        ("华东的订单总额是多少", 5 * 299 + 7 * 399 + 2 * 299), ("智能门锁的销售总额", 9 * 899),
    ],
)  # fmt: skip
def test_the_unit_that_is_counted_is_counted(sales: Database, words: str, value: int) -> None:
    assert cell(sales, words) == value


@for_each(
    "words, value",
    [
        ("how many lamps were sold", 7), ("how many items were sold", 11), ("how many orders did Ann place", 2),
        ("how many customers bought lamps", 2), ("number of orders", 4),
    ],
)  # fmt: skip
def test_goods_that_were_sold_are_added_up_and_orders_are_counted(purchases: Database, words: str, value: int) -> None:
    assert cell(purchases, words) == value


@for_each("words, value", [("上个月面试了几个人", 13), ("面试了多少人", 31), ("秦老师面试了多少人", 10)])
def test_people_on_the_other_side_of_a_key_are_counted_once(candidates: Database, words: str, value: int) -> None:
    assert cell(candidates, words) == value


def test_orders_of_customers_are_counted_and_not_the_customers(shop: Database) -> None:
    assert cell(shop, "北京的客户下了多少单") == 22
    assert cell(shop, "北京的客户一共下了几单") == 22
    assert cell(shop, "北京的客户有多少") == 8


@for_each(
    "words, top",
    [
        ("哪个产品卖得最好", "网线"), ("最畅销的产品", "网线"), ("卖得最差的产品", "路由器X"), ("总额最高的客户", "华信贸易"),
    ],
)  # fmt: skip
def test_what_sells_best_is_told_by_its_pieces(sales: Database, words: str, top: str) -> None:
    assert top in first(say(sales, words, as_of=TODAY))


@for_each("words, top", [("which product sold best", "lamp"), ("best-selling product", "lamp"), ("worst-selling product", "desk")])  # fmt: skip
def test_best_selling_goods_in_english(purchases: Database, words: str, top: str) -> None:
    assert top in first(say(purchases, words, as_of=TODAY))


def test_what_cannot_sell_is_asked_about(candidates: Database) -> None:
    turn = say(candidates, "哪个城市卖得最好", as_of=TODAY)
    assert turn.result is None
    assert "卖得最好" in turn.unknown


@for_each("words", ["工资要求最高的五个人", "薪资要求最高的5个人", "期望薪资最高的五个候选人"])
def test_the_named_column_is_the_key_of_its_superlative(candidates: Database, words: str) -> None:
    turn = say(candidates, words, as_of=TODAY)
    assert "梁家辉" in first(turn)
    assert "期望薪资从高到低" in turn.answer


@for_each("words, told", [("年龄要求最大的", "年龄从高到低"), ("年龄要求最小的3个人", "年龄从低到高"), ("薪资要求最低的3个人", "期望薪资从低到高")])  # fmt: skip
def test_a_word_between_a_column_and_its_superlative_changes_nothing(
    candidates: Database, words: str, told: str
) -> None:
    assert told in say(candidates, words, as_of=TODAY).answer


def test_two_orders_of_the_same_rows_are_two_readings(candidates: Database) -> None:
    turn = say(candidates, "最高的五个人", as_of=TODAY)
    assert turn.result is None
    assert len(turn.asks) == 3


@for_each(
    "words, told",
    [
        ("便宜的商品有哪些", "跳绳"),
        ("贵的商品", "智能手表"),
        ("cheap products", "跳绳"),
        ("expensive products", "智能手表"),
    ],
)
def test_an_adjective_alone_puts_rows_in_order_and_says_so(shop: Database, words: str, told: str) -> None:
    turn = say(shop, words, as_of=TODAY)
    assert told in first(turn)
    assert "价格从" in turn.answer or "price" in turn.answer


@for_each("words", ["未付款的订单", "没付款的订单有多少", "还没有付款的订单"])
def test_a_negation_that_is_a_value_of_its_own_is_asked_about(sales: Database, words: str) -> None:
    turn = say(sales, words, as_of=TODAY)
    assert turn.result is None
    assert "待付款" in turn.answer


def test_a_negation_whose_readings_agree_runs(purchases: Database) -> None:
    turn = say(purchases, "orders that are not shipped", as_of=TODAY)
    assert turn.result is not None
    assert [r[0] for r in turn.result.rows] == [1, 4]


PLAYERS = """name,born,strength,speed
Ann,1990-05-03,90,88
Bob,1991-06-03,80,95
Cyd,1995-05-30,86,60
"""


@for_each(
    "words, names",
    [
        ("players born in May", ["Ann", "Cyd"]), ("players born in June", ["Bob"]), ("players born in May 1990", ["Ann"]),
        ("players whose strength and speed are both over 85", ["Ann"]),
        ("players with strength and speed both at least 80", ["Ann", "Bob"]),
    ],
)  # fmt: skip
def test_a_month_of_birth_is_of_any_year_and_both_columns_are_compared(words: str, names: list[str]) -> None:
    turn = say(open_upload("players.csv", PLAYERS.encode()), words, as_of=TODAY)
    assert turn.result is not None, turn.answer
    assert [r[0] for r in turn.result.rows] == names


@for_each("words, value", [("上海候选人的最高期望薪资是多少", 41000), ("上海候选人的最低期望薪资是多少", 12000)])
def test_the_highest_number_is_no_sum(candidates: Database, words: str, value: int) -> None:
    assert cell(candidates, words) == value


def test_times_are_of_what_happens_and_not_of_people(candidates: Database) -> None:
    turn = say(candidates, "上海的候选人一共面试了多少次", as_of=TODAY)
    tree = turn.after or turn.asks[0]
    assert tree.table == "interviews"


@pytest.mark.parametrize("step", [pytest.param(63, id="drawn"), pytest.param(1, id="all", marks=pytest.mark.nightly)])
def test_every_word_of_a_question_is_in_its_query_or_asked_about(step: int) -> None:
    """The law of the reader, on questions of all sets: what a rule read is in the tree, and all else is glue."""
    for name in ("bundled", "examination", "patterns", "further", "reports", *APART):
        for question in load(name)[::step]:
            turn = play(name, question)
            if turn.result is None:
                continue
            reading = next((r for r in turn.readings if r.select == turn.after), None)
            assert reading is not None, str(question)
            assert reading.unplaced() == (), str(question)
            db = opened(name, question.database)
            spans = tag(turn.question, db.documents, question.today)
            filler = Filler(turn.question, spans, db.schema, question.today, follows=turn.before is not None)
            filler.fill()
            for span in filler.dropped:
                assert {r.name for r in span.roles} <= GLUE or span.is_("light"), (span.text, str(question))


@for_each(
    "name, script, words",
    [
        ("flights", "flight,delay minutes\nF1,12\nF2,0\nF3,\n", "flights without a delay"),
        ("orders", "order,discount\nA1,5\nA2,0\nA3,\n", "orders without a discount"),
        ("订单", "订单号,折扣\nD1,5\nD2,0\nD3,\n", "没有折扣的订单"),
    ],
)
def test_without_a_number_that_can_be_zero_or_missing_is_asked_about(name: str, script: str, words: str) -> None:
    turn = say(open_upload(f"{name}.csv", script.encode()), words, as_of=TODAY)
    assert turn.result is None
    assert len(turn.asks) == 2


STATES = {
    "parcels.csv": "id,city,overweight kg\n1,Rome,0\n2,Oslo,4\n3,Rome,2\n",
    "flights.csv": "id,number,late minutes\n1,A1,0\n2,B2,30\n3,C3,5\n",
    "letters.csv": "id,sender,recipient\n1,Ann,Bob\n2,Ann,Bob\n3,Ann,Cy\n4,Cy,Bob\n",
}


@for_each(
    "file, words",
    [
        ("flights.csv", "late flights"), ("flights.csv", "how many late flights"), ("flights.csv", "which flights were late"),
        ("parcels.csv", "overweight parcels in Rome"), ("letters.csv", "who received the most letters"), ("letters.csv", "who sent the most letters"),
    ],
)  # fmt: skip
def test_a_state_or_a_side_that_no_column_says_is_asked_about(file: str, words: str) -> None:
    assert say(open_upload(file, STATES[file].encode()), words, as_of=TODAY).result is None


@for_each("words, value", [("有多少人面试过", 31), ("有几个人被面试了", 31), ("有多少个人面试过", 31)])
def test_people_who_did_something_are_counted_once(candidates: Database, words: str, value: int) -> None:
    assert cell(candidates, words) == value
