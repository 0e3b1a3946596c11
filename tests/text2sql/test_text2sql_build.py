"""From slots to SQL, and to rows that a plain loop finds too."""

from __future__ import annotations

import datetime as dt
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import examples

from lab.errors import QueryError
from lab.text2sql.build import build
from lab.text2sql.database import Database, open_database
from lab.text2sql.guard import Limits
from lab.text2sql.slots import Filter, Group, Having, Limit, Measure, Ref, Shown, Slots, Sort


def c(name: str) -> Ref:
    return Ref("candidates", name)


def rows(db: Database, slots: Slots, n: int = 1000) -> list[tuple[object, ...]]:
    return list(db.run(build(slots, db.schema, rows=n), limits=Limits(rows=n)).rows)


def table(db: Database, name: str) -> list[dict[str, object]]:
    with sqlite3.connect(db.path) as plain:
        plain.row_factory = sqlite3.Row
        return [dict(r) for r in plain.execute(f"SELECT * FROM {name}")]


def test_values_are_parameters_and_never_text(candidates: Database) -> None:
    evil = "'; DROP TABLE candidates; --"
    query = build(Slots("candidates", (Filter(c("name"), "=", (evil,)),)), candidates.schema)
    assert evil not in query.sql
    assert evil in query.parameters
    assert "'''; DROP TABLE candidates; --'" in query.bound


def test_what_is_bound_for_reading_is_the_query_itself(candidates: Database) -> None:
    slots = Slots(
        "candidates",
        (Filter(c("city"), "=", ("上海", "北京")), Filter(c("years"), ">=", (3,))),
        sorts=(Sort(c("age"), True),),
        limit=Limit(5),
    )
    query = build(slots, candidates.schema)
    with sqlite3.connect(candidates.path) as plain:
        assert plain.execute(query.bound).fetchall() == plain.execute(query.sql, query.parameters).fetchall()


@examples(60)
@given(
    st.integers(0, 15),
    st.sampled_from(["<", "<=", ">", ">="]),
    st.booleans(),
    st.sampled_from(["Python", "SQL", "Go"]),
    st.booleans(),
)
def test_conditions_mean_what_a_loop_means(years: int, op: str, negated: bool, skill: str, unskilled: bool) -> None:
    from lab.text2sql.database import open_sample

    db = _once(open_sample)
    slots = Slots(
        "candidates", (Filter(c("years"), op, (years,), negated), Filter(c("skills"), "has", (skill,), unskilled))
    )
    compare = {"<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__}[op]
    expected = [
        r["id"]
        for r in table(db, "candidates")
        if bool(compare(r["years"], years)) != negated and (skill in str(r["skills"]).split("、")) != unskilled
    ]  # type: ignore[arg-type]
    assert [r[0] for r in rows(db, slots)] == expected


_made: dict[str, Database] = {}


def _once(make: object) -> Database:
    if "db" not in _made:
        _made["db"] = make("candidates")  # type: ignore[operator]
    return _made["db"]


def test_rows_without_a_value_pass_neither_a_condition_nor_its_negation(candidates: Database) -> None:
    score = Ref("interviews", "score")
    all_rows = table(candidates, "interviews")
    yes = rows(candidates, Slots("interviews", (Filter(score, ">", (80,)),)))
    no = rows(candidates, Slots("interviews", (Filter(score, ">", (80,), True),)))
    empty = rows(candidates, Slots("interviews", (Filter(score, "empty"),)))
    assert len(yes) + len(no) + len(empty) == len(all_rows)
    assert len(empty) == sum(r["score"] is None for r in all_rows) > 0


def test_a_parent_is_joined_and_a_child_is_looked_for(shop: Database) -> None:
    of_parent = build(Slots("orders", (Filter(Ref("customers", "city"), "=", ("Berlin",)),)), shop.schema)
    of_child = build(Slots("customers", (Filter(Ref("orders", "status"), "=", ("已取消",)),)), shop.schema)
    assert 'JOIN "customers"' in of_parent.sql
    assert "EXISTS" in of_child.sql
    ids = [r[0] for r in shop.run(of_child).rows]
    assert len(ids) == len(set(ids))
    assert set(ids) == {r["customer_id"] for r in table(shop, "orders") if r["status"] == "已取消"}


def test_groups_of_a_parent_keep_rows_of_the_same_name_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript(
            "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT);"
            " CREATE TABLE buys (id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES people (id));"
            "INSERT INTO people VALUES (1, 'Kim'), (2, 'Kim'); INSERT INTO buys VALUES (1, 1), (2, 1), (3, 2);"
        )
    made = open_database(path)
    got = rows(made, Slots("buys", groups=(Group(Ref("people", "name")),), measures=(Measure("count"),)))
    assert sorted(got) == [("Kim", 1), ("Kim", 2)]


@pytest.mark.parametrize("part", ["year", "quarter", "month", "day", "weekday"])
def test_a_date_is_grouped_by_its_parts(shop: Database, part: str) -> None:
    def of(day: str) -> str:
        d = dt.date.fromisoformat(day)
        return {
            "year": day[:4],
            "quarter": f"{d.year}-Q{(d.month + 2) // 3}",
            "month": day[:7],
            "day": day,
            "weekday": str(d.isoweekday() % 7),
        }[part]

    expected: dict[str, int] = {}
    for r in table(shop, "orders"):
        expected[of(str(r["ordered_on"]))] = expected.get(of(str(r["ordered_on"])), 0) + 1
    got = rows(shop, Slots("orders", groups=(Group(Ref("orders", "ordered_on"), part),), measures=(Measure("count"),)))
    assert dict(got) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("style", ["iso", "slash", "compact", "us", "eu", "epoch", "epoch ms"])
def test_days_are_compared_however_they_are_stored(tmp_path: Path, style: str) -> None:
    days = [dt.date(2023, 12, 30) + dt.timedelta(i) for i in range(40)]

    def stored(d: dt.date) -> object:
        seconds = int(dt.datetime(d.year, d.month, d.day, 12, tzinfo=dt.UTC).timestamp())
        forms: dict[str, object] = {
            "iso": d.isoformat(),
            "slash": f"{d:%Y/%m/%d}",
            "compact": int(f"{d:%Y%m%d}"),
            "us": f"{d:%m/%d/%Y}",
            "eu": f"{d:%d.%m.%Y}",
            "epoch": seconds,
            "epoch ms": seconds * 1000,
        }
        return forms[style]

    path = tmp_path / "a.sqlite"
    with sqlite3.connect(path) as plain:
        plain.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, day)")
        plain.executemany("INSERT INTO t VALUES (?, ?)", [(i, stored(d)) for i, d in enumerate(days)])
    db = open_database(path)
    assert db.schema.column(Ref("t", "day")).style == style
    got = rows(db, Slots("t", (Filter(Ref("t", "day"), "during", ("2024-01-01", "2024-02-01")),)))
    assert [r[0] for r in got] == [i for i, d in enumerate(days) if (d.year, d.month) == (2024, 1)]
    by_month = rows(db, Slots("t", groups=(Group(Ref("t", "day"), "month"),), measures=(Measure("count"),)))
    assert dict(by_month) == {m: sum(d.isoformat()[:7] == m for d in days) for m in ("2023-12", "2024-01", "2024-02")}  # type: ignore[arg-type]


def test_names_with_quotes_spaces_and_signs_are_only_names(tmp_path: Path) -> None:
    table_name, column = 'my "best" table; --', 'a = ? OR 1=1 " IN ('
    path = tmp_path / "a.sqlite"
    q = column.replace('"', '""')
    with sqlite3.connect(path) as plain:
        plain.execute(f'CREATE TABLE "{table_name.replace(chr(34), chr(34) * 2)}" (id INTEGER PRIMARY KEY, "{q}" TEXT)')
        plain.executemany(
            f'INSERT INTO "{table_name.replace(chr(34), chr(34) * 2)}" VALUES (?, ?)', [(1, "x"), (2, "y"), (3, "x")]
        )
    db = open_database(path)
    ref = Ref(table_name, column)
    assert [r[0] for r in rows(db, Slots(table_name, (Filter(ref, "=", ("x",)),)))] == [1, 3]
    assert [r[0] for r in rows(db, Slots(table_name, (Filter(ref, "=", ("x",), True),)))] == [2]
    query = build(Slots(table_name, (Filter(ref, "=", ("x",)),)), db.schema)
    with sqlite3.connect(path) as plain:
        assert plain.execute(query.bound).fetchall() == [(1, "x"), (3, "x")]


def test_the_row_limit_shows_that_there_is_more(shop: Database) -> None:
    query = build(Slots("orders"), shop.schema, rows=50)
    result = shop.run(query, limits=Limits(rows=50))
    assert len(result.rows) == 50
    assert result.more
    assert shop.count(query) == len(table(shop, "orders"))
    exact = shop.run(build(Slots("orders", limit=Limit(50)), shop.schema, rows=50), limits=Limits(rows=50))
    assert not exact.more


def test_the_plan_is_shown(shop: Database) -> None:
    result = shop.run(build(Slots("orders", (Filter(Ref("orders", "id"), "=", (3,)),)), shop.schema))
    assert any("SEARCH" in line and "orders" in line for line in result.plan)


def test_having_limits_groups(candidates: Database) -> None:
    got = rows(
        candidates,
        Slots(
            "candidates",
            groups=(Group(c("city")),),
            measures=(Measure("count"),),
            having=(Having(Measure("count"), ">", (10,)),),
        ),
    )
    counts: dict[str, int] = {}
    for r in table(candidates, "candidates"):
        counts[str(r["city"])] = counts.get(str(r["city"]), 0) + 1
    assert dict(got) == {k: v for k, v in counts.items() if v > 10}  # type: ignore[arg-type]


def test_an_ordered_category_sorts_by_its_order(candidates: Database) -> None:
    got = rows(candidates, Slots("candidates", show=(Shown(c("education")),), sorts=(Sort(c("education")),)))
    order = ["大专", "本科", "硕士", "博士"]
    seen = [order.index(str(r[1])) for r in got]
    assert seen == sorted(seen)


def test_tables_that_do_not_hang_together_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with sqlite3.connect(path) as plain:
        plain.executescript(
            "CREATE TABLE a (x TEXT); CREATE TABLE b (y TEXT); INSERT INTO a VALUES ('p'); INSERT INTO b VALUES ('q');"
        )
    db = open_database(path)
    with pytest.raises(QueryError, match="not linked"):
        build(Slots("a", (Filter(Ref("b", "y"), "=", ("q",)),)), db.schema)
    with pytest.raises(QueryError, match="No table"):
        build(Slots(), db.schema)
