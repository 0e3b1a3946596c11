"""Free SQL by a model, and slots by a model."""

from __future__ import annotations

import datetime as dt
import json
from contextlib import closing

import pytest
from models.test_thoughts import FORMS, THOUGHT
from night import for_each
from sets import TODAY

from lab.errors import ModelError, QueryError
from lab_packs.text2sql.database import Database, open_sample
from lab_packs.text2sql.dialogue import say
from lab_packs.text2sql.free import check_sql, describe_for_model, free_sql, link
from lab_packs.text2sql.guard import Limits
from lab_packs.text2sql.model_tree import ModelReader
from lab_packs.text2sql.tree import Aggregate, Field, Part, Ref


class Scripted:
    """A model that answers from a list, and keeps what it was asked."""

    def __init__(self, *replies: str) -> None:
        self.replies, self.prompts = list(replies), [""][:0]

    def ask(self, system: str, prompt: str) -> str:
        self.prompts.append(prompt)
        return self.replies.pop(0)


class Broken:
    def ask(self, system: str, prompt: str) -> str:
        raise ModelError("The model does not answer.", "Try again.")


def test_one_select_runs_as_it_is_written(shop: Database) -> None:
    model = Scripted("```sql\nSELECT city, count(*) AS n FROM customers GROUP BY city ORDER BY n DESC;\n```")
    answer = free_sql(shop, "customers per city", model, as_of=TODAY)
    assert answer.error is None
    assert answer.result is not None
    assert answer.result.columns == ("city", "n")
    assert answer.sql == "SELECT city, count(*) AS n FROM customers GROUP BY city ORDER BY n DESC"
    assert answer.result.plan


@for_each("limit, rows", [("LIMIT 5", 5), ("LIMIT 50", 50), ("LIMIT 10000", 100), ("", 100)])
def test_no_more_rows_come_back_than_the_limit_of_the_lab(shop: Database, limit: str, rows: int) -> None:
    answer = free_sql(shop, "orders", Scripted(f"SELECT id FROM orders {limit}"), as_of=TODAY, limits=Limits(rows=100))
    assert answer.result is not None
    assert len(answer.result.rows) == rows
    assert answer.result.more == (rows == 100)


@for_each(
    "sql",
    [
        "SELECT mod(total, 2.5) FROM orders", "SELECT CAST(id AS DECIMAL) / 2 FROM orders", "SELECT id / 2 FROM orders",
        "SELECT CAST(ordered_on AS DATE) FROM orders", "SELECT like('x%', status) || 'y' FROM orders",
        "select [id], `status` from orders -- all of them", "SELECT id FROM orders LIMIT 5, 10",
    ],
)  # fmt: skip
def test_what_sqlite_can_run_runs_as_it_is_written(shop: Database, sql: str) -> None:
    import sqlite3

    assert check_sql(sql + ";", shop.schema, today=TODAY) == sql or "--" in sql
    with closing(sqlite3.connect(shop.path)) as plain:
        assert list(shop.select(check_sql(sql, shop.schema, today=TODAY)).rows) == plain.execute(sql).fetchall()[:200]


@for_each(
    "sql",
    [
        "SELECT count(*) FROM orders WHERE ordered_on <= CURRENT_DATE",
        "SELECT count(*) FROM orders WHERE ordered_on <= date('now')",
        "SELECT count(*) FROM orders WHERE ordered_on <= DATE()",
        "SELECT count(*) FROM orders WHERE strftime('%Y-%m-%d', 'now') >= ordered_on",
        "SELECT count(*) FROM orders WHERE ordered_on <= CURRENT_TIMESTAMP",
        "SELECT count(*) FROM orders WHERE ordered_on <= NOW()",
        "SELECT count(*) FROM orders WHERE ordered_on <= CURDATE()",
    ],
)
def test_today_is_the_day_of_the_question(shop: Database, sql: str) -> None:
    import sqlite3

    with closing(sqlite3.connect(shop.path)) as plain:
        for day in ("2023-07-01", "2024-02-01"):
            wanted = plain.execute(f"SELECT count(*) FROM orders WHERE ordered_on <= '{day}'").fetchall()
            checked = check_sql(sql, shop.schema, today=dt.date.fromisoformat(day))
            assert list(shop.select(checked).rows) == wanted
            assert day in checked


def test_a_value_that_is_called_now_is_no_day(shop: Database) -> None:
    sql = "SELECT id FROM orders WHERE status = 'now'"
    assert check_sql(sql, shop.schema, today=TODAY) == sql


SINCE_MAY = "SELECT count(*) FROM orders WHERE ordered_on >= '2024-05-16'"


@for_each(
    "sql, same",
    [
        ("SELECT count(*) FROM orders WHERE ordered_on >= NOW() - INTERVAL '30 days'", SINCE_MAY),
        ("SELECT count(*) FROM orders WHERE ordered_on >= CURRENT_DATE - INTERVAL '30' DAY", SINCE_MAY),
        ("SELECT count(*) FROM orders WHERE ordered_on >= DATE_SUB(CURDATE(), INTERVAL 30 DAY)", SINCE_MAY),
        ("SELECT EXTRACT(YEAR FROM ordered_on), count(*) FROM orders GROUP BY 1",
         "SELECT CAST(substr(ordered_on, 1, 4) AS INTEGER), count(*) FROM orders GROUP BY 1"),
        ("SELECT YEAR(ordered_on), count(*) FROM orders GROUP BY 1",
         "SELECT CAST(substr(ordered_on, 1, 4) AS INTEGER), count(*) FROM orders GROUP BY 1"),
        ("SELECT TO_CHAR(ordered_on, 'YYYY-MM'), count(*) FROM orders GROUP BY 1",
         "SELECT substr(ordered_on, 1, 7), count(*) FROM orders GROUP BY 1"),
        ("SELECT DATE_FORMAT(ordered_on, '%Y-%m'), count(*) FROM orders GROUP BY 1",
         "SELECT substr(ordered_on, 1, 7), count(*) FROM orders GROUP BY 1"),
        ("SELECT DATE_TRUNC('month', ordered_on), count(*) FROM orders GROUP BY 1",
         "SELECT substr(ordered_on, 1, 7) || '-01', count(*) FROM orders GROUP BY 1"),
        ("SELECT id FROM orders WHERE ordered_on::date > '2024-06-01'", "SELECT id FROM orders WHERE ordered_on > '2024-06-01'"),
        ("SELECT name FROM products WHERE name_en ILIKE '%WATCH%'", "SELECT name FROM products WHERE name_en LIKE '%watch%'"),
        ("SELECT CONCAT(name, '-', city) FROM customers", "SELECT name || '-' || city FROM customers"),
        ("SELECT DATEDIFF('2024-06-15', ordered_on) FROM orders",
         "SELECT julianday('2024-06-15') - julianday(ordered_on) FROM orders"),
    ],
)  # fmt: skip
def test_postgresql_and_mysql_are_translated(shop: Database, sql: str, same: str) -> None:
    import sqlite3

    with closing(sqlite3.connect(shop.path)) as plain:
        wanted = plain.execute(same).fetchall()[:200]
    assert list(shop.select(check_sql(sql, shop.schema, today=dt.date(2024, 6, 15))).rows) == wanted


@for_each("sql, rule", [("SELECT generate_series(1, 5) FROM orders", "generate_series()"), ("SELECT regexp_replace(status, 'a', 'b') FROM orders", "regexp_replace()"), ("SELECT pg_sleep(9) FROM orders", "pg_sleep()"), ("SELECT id FROM orders FOR UPDATE", "")])  # fmt: skip
def test_what_has_no_counterpart_is_refused_by_its_name(shop: Database, sql: str, rule: str) -> None:
    with pytest.raises(QueryError) as caught:
        check_sql(sql, shop.schema, today=TODAY)
    assert rule in caught.value.message


def test_what_the_words_were_linked_to_is_shown(shop: Database) -> None:
    links = {(x.words, x.kind, x.target) for x in link(shop, "price of books in Berlin", as_of=TODAY)}
    assert ("price", "column", "products.price") in links
    assert ("books", "value", "products.category = 图书") in links
    assert ("Berlin", "value", "customers.city = Berlin") in links


def test_the_prompt_holds_the_schema_and_today(shop: Database) -> None:
    model = Scripted("SELECT id FROM orders")
    answer = free_sql(shop, "all orders", model, as_of=TODAY)
    assert model.prompts == [answer.prompt]
    assert "2024-06-15" in answer.prompt
    for t in shop.schema.tables:
        assert f'TABLE "{t.name}"' in describe_for_model(shop.schema)
    assert 'FOREIGN KEY "orders"."customer_id" -> "customers"."id"' in answer.prompt


def test_one_repair_round_gets_the_reason(shop: Database) -> None:
    model = Scripted("SELECT town FROM customers", "SELECT city FROM customers")
    answer = free_sql(shop, "cities", model, as_of=TODAY)
    assert answer.result is not None
    assert [a.refusal is None for a in answer.attempts] == [False, True]
    assert "town" in model.prompts[1]
    assert str(answer.attempts[0].refusal.message if answer.attempts[0].refusal else "") in model.prompts[1]


def test_an_error_of_the_database_is_repaired_too(shop: Database) -> None:
    model = Scripted("SELECT sum(DISTINCT total, id) FROM orders", "SELECT sum(total) FROM orders")
    answer = free_sql(shop, "revenue", model, as_of=TODAY)
    assert answer.result is not None
    assert len(answer.attempts) == 2


def test_after_two_refusals_it_says_why(shop: Database) -> None:
    answer = free_sql(shop, "cities", Scripted("DROP TABLE orders", "DELETE FROM orders"), as_of=TODAY)
    assert answer.result is None
    assert answer.error is not None
    assert "DELETE" in answer.error.message
    assert "Only one SELECT" in answer.error.remedy


def test_a_model_that_fails_is_an_error_and_no_crash(shop: Database) -> None:
    assert isinstance(free_sql(shop, "cities", Broken(), as_of=TODAY).error, ModelError)
    turn = say(shop, "cities", as_of=TODAY, reader=ModelReader(Broken()))
    assert turn.kind == "nothing"
    assert isinstance(turn.error, ModelError)


@pytest.mark.parametrize("reply", ["I'm sorry, but I can't help with that.", "抱歉，我无法回答。"])
def test_a_model_that_declines_is_not_asked_to_repair_its_query(shop: Database, reply: str) -> None:
    model = Scripted(reply)
    answer = free_sql(shop, "cities", model, as_of=TODAY)
    assert answer.error is not None
    assert str(answer.error).startswith(f"The model declines: “{reply}”")
    assert len(model.prompts) == 1


def test_what_a_model_thinks_before_is_no_part_of_its_query(shop: Database) -> None:
    reply = "<think>\nThey want ```sql\nDROP TABLE orders\n```\n</think>\nSELECT DISTINCT city FROM customers"
    answer = free_sql(shop, "cities", Scripted(reply), as_of=TODAY)
    assert answer.result is not None
    assert answer.error is None


@for_each(
    "sql, rule",
    [
        ("SELECT 1", "reads no table"),
        ("SELECT * FROM nothing", "no table “nothing”"),
        ("SELECT nothing FROM orders", "unknown column"),
        ("SELECT id FROM orders UNION SELECT id FROM customers", "UNION"),
        ("SELECT 1; SELECT 2", "statements: 2"),
        ("SELECT upper(hex(status)) FROM orders", "hex()"),
        ("DELETE FROM orders", "DELETE"),
        ("SELECT id FROM", "not valid SQL"),
    ],
)
def test_a_refusal_names_the_rule(shop: Database, sql: str, rule: str) -> None:
    with pytest.raises(QueryError) as caught:
        check_sql(sql, shop.schema)
    assert rule in caught.value.message


@for_each(
    "sql",
    [
        "WITH t AS (SELECT city, count(*) AS n FROM customers GROUP BY city) SELECT * FROM t WHERE n > 2",
        "SELECT o.id FROM orders AS o JOIN customers AS c ON c.id = o.customer_id WHERE c.city = 'Berlin'",
        "SELECT id FROM orders WHERE total > (SELECT avg(total) FROM orders)",
        "SELECT row_number() OVER (PARTITION BY category ORDER BY price DESC) AS r, name FROM products",
        "SELECT strftime('%Y', ordered_on) AS y, sum(total) FROM orders GROUP BY y HAVING sum(total) > 1",
        "SELECT CASE WHEN total > 100 THEN 'big' ELSE 'small' END AS size, count(*) FROM orders GROUP BY size",
        "SELECT c.name FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)",
        "SELECT DISTINCT city FROM customers WHERE email IS NULL ORDER BY city DESC",
    ],
)
def test_good_queries_give_what_they_give_without_the_check(shop: Database, sql: str) -> None:
    import sqlite3

    with closing(sqlite3.connect(shop.path)) as plain, plain:
        expected = plain.execute(sql).fetchall()
    assert list(shop.select(check_sql(sql, shop.schema)).rows) == expected


def test_a_model_can_write_the_tree(shop: Database) -> None:
    data = {
        "table": "orders",
        "filters": [
            {"column": "orders.status", "op": "=", "values": ["已完成"]},
            {"column": "orders.ordered_on", "op": "during", "values": ["2023-01-01", "2024-01-01"]},
        ],
        "measures": [{"fn": "sum", "column": "orders.total"}],
        "group": [{"column": "orders.ordered_on", "part": "month"}],
    }
    reader = ModelReader(Scripted("Here: " + json.dumps(data)))
    turn = say(shop, "completed sales per month in 2023", as_of=TODAY, reader=reader)
    assert turn.by == "model"
    assert turn.after is not None
    assert turn.after.measures == (Aggregate("sum", Field(Ref("orders", "total"))),)
    assert turn.after.by == (Part(Field(Ref("orders", "ordered_on")), "month"),)
    by_rules = say(shop, "completed sales per month in 2023", as_of=TODAY)
    assert turn.result is not None
    assert by_rules.result is not None
    assert turn.result.rows == by_rules.result.rows


def test_what_a_model_makes_up_is_named_and_nothing_runs(shop: Database) -> None:
    data = {
        "table": "orders",
        "filters": [
            {"column": "orders.colour", "op": "=", "values": ["red"]},
            {"column": "orders.status", "op": "=", "values": ["lost"]},
            {"column": "orders.total", "op": ">", "values": ["much"]},
            {"column": "orders.total", "op": ">", "values": [100]},
        ],
        "not_understood": ["roughly"],
    }
    turn = say(shop, "orders", as_of=TODAY, reader=ModelReader(Scripted(json.dumps(data), json.dumps(data))))
    assert turn.result is None
    assert turn.after is None
    assert not any("{" in word for word in turn.unknown), "no JSON on the screen"
    assert "roughly" in turn.unknown
    assert any("lost" in word for word in turn.unknown)
    assert any("much" in word for word in turn.unknown)


def test_a_tree_that_does_not_fit_is_repaired_once(shop: Database) -> None:
    wrong = {"table": "orders", "filters": [{"column": "orders.colour", "op": "=", "values": ["red"]}]}
    mended = {"table": "orders", "filters": [{"column": "orders.total", "op": ">", "values": [100]}]}
    model = Scripted(json.dumps(wrong), json.dumps(mended))
    turn = say(shop, "orders over 100", as_of=TODAY, reader=ModelReader(model))
    assert turn.result is not None
    assert "colour" in model.prompts[1]
    gone = say(shop, "orders", as_of=TODAY, reader=ModelReader(Scripted("no JSON here", json.dumps(mended))))
    assert gone.result is not None


def test_the_first_error_is_not_hidden_by_the_second(shop: Database) -> None:
    cut = '{"table": "orders", "filters": ['
    turn = say(shop, "orders", as_of=TODAY, reader=ModelReader(Scripted("nothing of use", cut)))
    first = say(shop, "orders", as_of=TODAY, reader=ModelReader(Scripted("nothing of use", "nothing of use")))
    assert turn.error is not None
    assert str(turn.error) == str(first.error)


def test_solved_questions_of_the_nearest_form_stand_in_the_prompt(shop: Database, candidates: Database) -> None:
    from lab_packs.text2sql.solved import nearest

    found = nearest("products cheaper than 80 yuan", shop.documents, TODAY)
    assert len(found) == 3
    assert all("<" in one.form for one in found)
    assert all(one.question != "products cheaper than 80 yuan" for one in found)
    model = Scripted("SELECT id FROM products")
    free_sql(shop, "products cheaper than 80 yuan", model, as_of=TODAY)
    assert f"Question: {found[0].question}" in model.prompts[0]


def test_of_thoughts_and_marks_only_the_query_stays() -> None:
    db = open_sample("shop")
    for form in FORMS.values():

        class Model:
            def ask(self, system: str, prompt: str, form: str = form) -> str:
                return form.format(t=THOUGHT, a="SELECT count(*) FROM " + "orders")

        answer = free_sql(db, "how many", Model(), as_of=dt.date(2026, 1, 1))
        assert answer.error is None, form
        assert len(answer.attempts) == 1
