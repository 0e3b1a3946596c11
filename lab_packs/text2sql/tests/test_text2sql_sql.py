"""From a tree to SQL, and to rows that a plain loop finds too."""

from __future__ import annotations

import collections
import random
import sqlite3
import statistics
from contextlib import closing

import pytest
from night import seeds

from lab.errors import QueryError
from lab_packs.text2sql.database import Database
from lab_packs.text2sql.guard import Limits
from lab_packs.text2sql.sql import build
from lab_packs.text2sql.tree import (
    Aggregate,
    AnyOf,
    Arithmetic,
    Condition,
    Field,
    Inner,
    Not,
    Order,
    Ref,
    Related,
    Select,
    Versus,
)
from lab_packs.text2sql.tree import Test as Compared

ALL = Limits(rows=1000)


def c(name: str) -> Field:
    return Field(Ref("candidates", name))


def rows(db: Database, select: Select) -> list[tuple[object, ...]]:
    return list(db.run(build(select, db.schema, rows=1000), limits=ALL).rows)


def table(db: Database, name: str) -> list[dict[str, object]]:
    with closing(sqlite3.connect(db.path)) as plain, plain:
        plain.row_factory = sqlite3.Row
        return [dict(r) for r in plain.execute(f"SELECT * FROM {name}")]


def test_values_are_parameters_and_never_text(candidates: Database) -> None:
    evil = "'; DROP TABLE candidates; --"
    query = build(Select("candidates", where=(Compared(c("name"), "=", (evil,)),)), candidates.schema)
    assert evil not in query.sql
    assert evil in query.parameters.values()
    assert "'''; DROP TABLE candidates; --'" in query.bound


def test_what_is_bound_for_reading_is_the_query_itself(candidates: Database) -> None:
    where = (Compared(c("city"), "=", ("上海", "北京")), Compared(c("years"), ">=", (3,)))
    query = build(Select("candidates", where=where, order=(Order(c("age"), True),), limit=5), candidates.schema)
    with closing(sqlite3.connect(candidates.path)) as plain, plain:
        assert plain.execute(query.bound).fetchall() == plain.execute(query.sql, dict(query.parameters)).fetchall()


_COMPARE = {"<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__}


@pytest.mark.parametrize("seed", seeds(80))
def test_conditions_mean_what_a_loop_means(candidates: Database, seed: int) -> None:
    r = random.Random(seed)
    years, op, skill = r.randrange(16), r.choice(list(_COMPARE)), r.choice(["Python", "SQL", "Go"])
    a: Condition = Compared(c("years"), op, (years,))
    b: Condition = Compared(c("skills"), "has", (skill,))
    deny_a, deny_b, either = r.random() < 0.4, r.random() < 0.4, r.random() < 0.4
    first, second = Not(a) if deny_a else a, Not(b) if deny_b else b
    where: tuple[Condition, ...] = (AnyOf((first, second)),) if either else (first, second)
    expected = []
    for row in table(candidates, "candidates"):
        x = _COMPARE[op](int(str(row["years"])), years) != deny_a
        y = (skill in str(row["skills"]).split("、")) != deny_b
        if (x or y) if either else (x and y):
            expected.append(row["id"])
    assert [row[0] for row in rows(candidates, Select("candidates", where=where))] == expected


def test_the_first_of_each_group_are_all_that_no_other_of_their_group_beats(candidates: Database) -> None:
    best = Select("candidates", order=(Order(c("age"), True),), limit=1, ties=True, each=(c("city"),))
    people = table(candidates, "candidates")
    oldest = {p["city"]: max(int(str(q["age"])) for q in people if q["city"] == p["city"]) for p in people}
    expected = {p["id"] for p in people if p["age"] == oldest[p["city"]]}
    assert {row[0] for row in rows(candidates, best)} == expected


def test_a_median_is_the_middle_of_each_group(candidates: Database) -> None:
    found = dict(rows(candidates, Select("candidates", by=(c("city"),), measures=(Aggregate("median", c("age")),))))
    ages = collections.defaultdict(list)
    for p in table(candidates, "candidates"):
        ages[p["city"]].append(int(str(p["age"])))
    assert found == {city: statistics.median(of) for city, of in ages.items()}


def test_a_share_is_a_part_of_the_whole(candidates: Database) -> None:
    women = (Compared(c("gender"), "=", ("女",)),)
    share = Arithmetic("/", Aggregate("count", None, women), Aggregate("count"))
    people = table(candidates, "candidates")
    expected = sum(p["gender"] == "女" for p in people) / len(people)
    assert rows(candidates, Select("candidates", measures=(share,))) == [(pytest.approx(expected),)]


def test_rows_without_a_partner_and_rows_above_the_average(shop: Database) -> None:
    orders = table(shop, "orders")
    without = {p["id"] for p in table(shop, "customers")} - {o["customer_id"] for o in orders}
    assert {row[0] for row in rows(shop, Select("customers", where=(Not(Related("orders")),)))} == without
    total = Field(Ref("orders", "total"))
    above = Versus(total, ">", Inner(Select("orders", measures=(Aggregate("avg", total),))))
    mean = statistics.mean(float(str(o["total"])) for o in orders)
    expected = {o["id"] for o in orders if float(str(o["total"])) > mean}
    assert {row[0] for row in rows(shop, Select("orders", where=(above,)))} == expected


def test_tables_that_do_not_hang_together_are_refused(candidates: Database) -> None:
    with pytest.raises(QueryError, match="not linked"):
        build(Select("candidates", show=(Field(Ref("interviews", "score")),)), candidates.schema)
