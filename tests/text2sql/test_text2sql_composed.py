"""Questions that are put together: so many rows of another table, ratios, groups with their names, values with their rows."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import exam_databases
import pytest
from made_of import gives
from text2sql_cases import TODAY

from lab.text2sql.alignment import joins
from lab.text2sql.database import Database, open_database
from lab.text2sql.dialogue import say
from lab.text2sql.tree import Related, Select


def rows(db: Database, sql: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(f"file:{db.path}?mode=ro", uri=True) as reference:
        return reference.execute(sql).fetchall()


PER = "SELECT c.id, count(o.id) AS n FROM customers c LEFT JOIN orders o ON o.customer_id = c.id {} GROUP BY c.id"


@pytest.mark.parametrize(
    ("question", "having"),
    [
        ("how many customers have more than 3 orders?", "n > 3"),
        ("超过3个订单的客户有多少", "n > 3"),
        ("how many customers have at least 5 orders?", "n >= 5"),
        ("how many customers have fewer than 2 orders?", "n < 2"),
        ("how many customers do not have more than 3 orders?", "n <= 3"),
    ],
)
def test_rows_are_counted_by_how_many_of_another_table_belong_to_them(shop: Database, question: str, having: str):
    turn = say(shop, question, as_of=TODAY)
    assert turn.result is not None, turn.answer
    assert turn.result.rows[0][0] == rows(shop, f"SELECT count(*) FROM ({PER.format('')}) WHERE {having}")[0][0]


@pytest.mark.parametrize("question", ["customers with fewer than 2 orders", "订单少于2个的客户"])
def test_those_with_none_are_among_those_with_few(shop: Database, question: str):
    turn = say(shop, question, as_of=TODAY)
    assert turn.result is not None, turn.answer
    few = {row[0] for row in rows(shop, f"SELECT id FROM ({PER.format('')}) WHERE n < 2")}
    none = {row[0] for row in rows(shop, f"SELECT id FROM ({PER.format('')}) WHERE n = 0")}
    assert none
    assert {row[0] for row in turn.result.rows} == few


def test_what_is_said_of_the_counted_rows_is_counted_with_them(shop: Database):
    turn = say(shop, "how many customers have more than 3 orders placed since 2024?", as_of=TODAY)
    since = "AND o.ordered_on >= '2024-01-01'"
    expected = f"SELECT count(*) FROM ({PER.format(since)}) WHERE n > 3"
    assert turn.result is not None, turn.answer
    assert turn.result.rows[0][0] == rows(shop, expected)[0][0]
    select = turn.after
    assert isinstance(select, Select)
    (related,) = select.where
    assert isinstance(related, Related)
    assert related.many == (">", 3)
    assert len(related.where) == 1
    assert [f.table for f in joins(select, shop.schema)] == ["orders"]


@pytest.mark.parametrize(
    ("question", "a", "b"),
    [
        ("what is the ratio of gold customers to silver customers?", "金卡", "银卡"),
        ("金卡客户与银卡客户之比", "金卡", "银卡"),
    ],
)
def test_a_ratio_of_two_counts_is_said_as_one(shop: Database, question: str, a: str, b: str):
    turn = say(shop, question, as_of=TODAY)
    assert turn.result is not None, turn.answer
    (one,), (two,) = rows(
        shop, f"SELECT sum(level = '{a}') FROM customers UNION ALL SELECT sum(level = '{b}') FROM customers"
    )
    assert turn.result.rows[0][0] == pytest.approx(one / two)  # type: ignore[operator]
    assert ("ratio of the" in turn.answer) or ("之比" in turn.answer)
    assert "share" not in turn.answer
    assert "占比" not in turn.answer


def test_values_may_stand_with_their_rows(candidates: Database):
    turn = say(candidates, "男候选人和女候选人的平均期望薪资", as_of=TODAY)
    expected = rows(candidates, "SELECT gender, avg(expected_salary) FROM candidates GROUP BY gender")
    assert turn.result is not None, turn.answer
    assert sorted(turn.result.rows) == sorted(expected)


def test_a_year_and_later_is_asked_back(shop: Database):
    turn = say(shop, "2023年以后注册的客户", as_of=TODAY)
    days = {str(c) for s in turn.asks for c in s.where}
    assert len(turn.asks) == 2
    assert any("2023-01-01" in d for d in days)
    assert any("2024-01-01" in d for d in days)


def test_more_than_so_many_rows_is_no_price(shop: Database):
    turn = say(shop, "how many customers have more than 3 orders?", as_of=TODAY)
    assert "total" not in turn.answer
    assert all("total" not in str(r.select) for r in turn.readings)


def test_from_behind_a_year_belongs_to_the_place(shop: Database):
    turn = say(shop, "orders in 2023 from Berlin", as_of=TODAY)
    gives(
        shop,
        turn,
        "SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id WHERE city = 'Berlin' AND ordered_on LIKE '2023%'",
    )


def test_what_fits_no_column_is_named_and_not_put_on_another():
    turn = say(exam_databases.build("clinic"), "appointments longer than 45", as_of=exam_databases.TODAY)
    assert turn.unknown, turn.answer
    assert turn.result is None
    assert not turn.asks


def test_by_month_is_no_plan_that_is_monthly():
    bikes = exam_databases.build("bikes")
    turn = say(bikes, "distance by month in 2025", as_of=exam_databases.TODAY)
    months = "SELECT substr(trip_date, 1, 7), sum(distance_km) FROM trips WHERE trip_date LIKE '2025%' GROUP BY 1"
    assert turn.result is not None, turn.answer
    assert [tuple(r) for r in turn.result.rows] == [(m, pytest.approx(x)) for m, x in sorted(rows(bikes, months))]


@pytest.mark.parametrize("question", ["the 5 largest sales by amount", "the 5 best sales by amount"])
def test_an_adjective_that_fits_no_column_is_of_what_the_order_names(question: str, tmp_path: Path):
    with closing(sqlite3.connect(tmp_path / "sales.sqlite")) as db, db:
        db.execute("CREATE TABLE sales (id INTEGER PRIMARY KEY, customer TEXT, city TEXT, amount REAL)")
        rows = [(i, f"customer {i}", ("Berlin", "Paris")[i % 2], i * 7919 % 1000 / 10) for i in range(1, 60)]
        db.executemany("INSERT INTO sales VALUES (?, ?, ?, ?)", rows)
    turn = say(open_database(tmp_path / "sales.sqlite"), question, as_of=TODAY)
    assert turn.result is not None, turn.answer
    assert turn.total == 5
    best = sorted((row[3] for row in rows), reverse=True)[:5]
    assert [next(x for x in row if x in best) for row in turn.result.rows] == best


@pytest.mark.parametrize("question", ["orders in Berlin", "the 5 heaviest orders", "orders not from Paris"])
def test_one_word_of_a_long_table_name_stands_for_the_table(question: str, tmp_path: Path):
    with closing(sqlite3.connect(tmp_path / "lines.sqlite")) as db, db:
        db.execute("CREATE TABLE wholesale_order_lines (id INTEGER PRIMARY KEY, city TEXT, weight_kg REAL, paid TEXT)")
        rows = [(i, ("Berlin", "Paris")[i % 2], i * 31 % 50, ("已付", "未付")[i % 2]) for i in range(1, 20)]
        db.executemany("INSERT INTO wholesale_order_lines VALUES (?, ?, ?, ?)", rows)
    turn = say(open_database(tmp_path / "lines.sqlite"), question, as_of=TODAY)
    assert turn.result is not None, turn.answer
    assert turn.total == (5 if "5" in question else 9)
