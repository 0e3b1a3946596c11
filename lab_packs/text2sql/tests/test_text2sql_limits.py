"""Time limits, and tables that are large."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from sets import TODAY

from lab.errors import ParameterError
from lab_packs.text2sql.database import Database, open_database
from lab_packs.text2sql.dialogue import say
from lab_packs.text2sql.guard import Limits, TimeLimit
from lab_packs.text2sql.tree import Ref

ROWS = 300_000


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Database:
    path: Path = tmp_path_factory.mktemp("large") / "large.sqlite"
    with closing(sqlite3.connect(path)) as plain, plain:
        plain.execute(
            "CREATE TABLE sales (id INTEGER PRIMARY KEY, customer TEXT, city TEXT, amount REAL, sold_on DATE)"
        )
        plain.execute(
            f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS}) "
            "INSERT INTO sales SELECT i, 'customer ' || i,"
            " CASE i % 4 WHEN 0 THEN 'Berlin' WHEN 1 THEN 'Paris' WHEN 2 THEN 'Rome' ELSE 'Oslo' END,"
            " (i * 7919 % 100000) / 100.0, date('2020-01-01', '+' || (i % 1500) || ' days') FROM n"
        )
    return open_database(path)


def test_a_query_that_would_run_for_minutes_ends_at_its_limit(shop: Database) -> None:
    start = time.monotonic()
    with pytest.raises(TimeLimit, match="0.4 seconds") as caught:
        shop.select(
            "SELECT count(*) FROM order_items a, order_items b, order_items c, order_items d, order_items e",
            limits=Limits(seconds=0.4),
        )
    assert time.monotonic() - start < 2
    assert "time limit" in caught.value.remedy


@pytest.mark.nightly
def test_a_large_table_is_opened_and_asked_in_reasonable_time(large: Database) -> None:
    assert large.schema.table("sales").rows == ROWS
    assert large.schema.column(Ref("sales", "city")).kind == "category"
    assert large.schema.column(Ref("sales", "customer")).values == ()
    start = time.monotonic()
    turn = say(large, "sales in Berlin over 900", as_of=TODAY, limits=Limits(seconds=5))
    expected = sum(1 for i in range(1, ROWS + 1) if i % 4 == 0 and (i * 7919 % 100_000) / 100 > 900)
    assert turn.total == expected
    assert turn.result is not None
    assert turn.result.more
    grouped = say(large, "average amount per city", as_of=TODAY, limits=Limits(seconds=5))
    assert grouped.result is not None
    assert len(grouped.result.rows) == 4
    assert time.monotonic() - start < 10


def test_a_value_that_is_not_known_by_heart_is_looked_up_in_the_database(large: Database) -> None:
    turn = say(large, "sales of customer 777", as_of=TODAY, limits=Limits(seconds=5))
    assert turn.result is not None
    assert [r[0] for r in turn.result.rows] == [777]


def test_a_question_on_200_000_rows_takes_under_a_second_of_the_processor(large: Database) -> None:
    say(large, "sales in Rome", as_of=TODAY)
    for question in (
        "sales in Berlin over 900",
        "average amount per city",
        "the 5 largest sales by amount",
        "2021年的sales",
    ):
        start = time.process_time()
        say(large, question, as_of=TODAY)
        assert time.process_time() - start < 1, question


def test_limits_outside_their_range_are_refused() -> None:
    with pytest.raises(ParameterError):
        Limits(seconds=0)
    with pytest.raises(ParameterError):
        Limits(rows=0)


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """A table with more names than are known by heart."""
    path: Path = tmp_path_factory.mktemp("names") / "names.sqlite"
    with closing(sqlite3.connect(path)) as plain, plain:
        plain.execute("CREATE TABLE sales (id INTEGER PRIMARY KEY, customer TEXT, amount REAL)")
        plain.executemany("INSERT INTO sales VALUES (?, ?, ?)", [(i, f"Quiverly {i}", i / 7) for i in range(9000)])
    return open_database(path)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("sales of customer Quiverly 8000", ("“customer”", "Quiverly", "1 s", "Ask once more")),
        ("客户是Quiverly 8000的销售", ("“客户”", "Quiverly", "1 秒", "再问一次")),
    ],
)
def test_a_value_that_was_not_looked_up_to_the_end_is_told(
    names: Database, monkeypatch: pytest.MonkeyPatch, question: str, told: tuple[str, ...]
):
    monkeypatch.setattr("lab_packs.text2sql.database.LOOK_UP", 0)
    monkeypatch.setattr("lab_packs.text2sql.guard.STEPS", 1)
    turn = say(names, question, as_of=TODAY)
    assert turn.result is None
    assert turn.kind == "nothing"
    assert turn.unknown
    for part in told:
        assert part in turn.answer
    monkeypatch.undo()
    found = say(names, question, as_of=TODAY).result
    assert found is not None
    assert len(found.rows) == 1
    nobody = say(names, "sales of customer Quixotic", as_of=TODAY)
    assert nobody.kind == "nothing"
    assert "once more" not in nobody.answer, "it was looked for, and is not there"


def test_a_question_whose_rows_take_too_long_was_understood(names: Database, monkeypatch: pytest.MonkeyPatch):
    def slow(*_args: object, **_how: object) -> object:
        raise TimeLimit(3.0)

    monkeypatch.setattr("lab_packs.text2sql.database.run_select", slow)
    turn = say(names, "average amount", as_of=TODAY)
    assert isinstance(turn.error, TimeLimit)
    assert turn.unknown == ()
    assert "3 seconds" in turn.answer
    assert "understand" not in turn.answer


@pytest.mark.parametrize(("rows", "more"), [(2, True), (3, False)])
def test_a_table_of_as_many_rows_as_are_shown_has_no_more(candidates: Database, rows: int, more: bool) -> None:
    assert candidates.select("SELECT 1 UNION SELECT 2 UNION SELECT 3", limits=Limits(rows=rows)).more == more
