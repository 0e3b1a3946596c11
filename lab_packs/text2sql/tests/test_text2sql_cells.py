"""Cells of uploads in all their writings: numbers, time stamps, yes and no, what is missing, and rows of totals."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_of import made_of
from night import for_each
from sets import TODAY

from lab.reading.uploads import Problem
from lab_packs.text2sql.cells import find_totals, read_cell, typed
from lab_packs.text2sql.database import Database
from lab_packs.text2sql.dialogue import say
from lab_packs.text2sql.moments import instant, moment
from lab_packs.text2sql.upload import open_upload


def table(text: str, name: str = "orders.csv") -> tuple[Database, list[Problem]]:
    remarks: list[Problem] = []
    return open_upload(name, text.encode(), remarks=remarks), remarks


def rows(db: Database, words: str) -> list[tuple[object, ...]]:
    turn = say(db, words, as_of=TODAY)
    assert turn.result is not None, turn.answer
    return list(turn.result.rows)


# ---------------------------------------------------------------------------------------------------- time stamps

STAMPS = [
    ("2024-01-31 10:30:00+00", "2024-02-03 23:30:00+00"), ("2024-01-31 10:30:00 UTC", "2024-02-03 23:30:00 UTC"),
    ("2024-01-31T10:30:00.000+0800", "2024-02-03T23:30:00.000+0800"), ("2024-01-31 10:30 AM", "2024-02-03 11:30 PM"),
    ("2024-01-31T10:30:00Z", "2024-02-03T23:30:00-05:00"), ("2024/01/31 10:30 AM", "2024/02/03 11:30 PM"),
    ("1/31/2024 10:30 AM", "2/3/2024 11:30 PM"), ("2024年1月31日 上午10:30", "2024年2月3日 下午11:30"),
    ("2024-01-31 10:30:00 +0100 CET", "2024-02-03 23:30:00 +0100 CET"),
]  # fmt: skip


@for_each("wednesday, saturday", STAMPS)
def test_time_stamps_of_any_writing_have_weekdays_hours_and_months(wednesday: str, saturday: str) -> None:
    db, _ = table(f"id,placed_at\n1,{wednesday}\n2,{saturday}\n")
    for words, ids in (
        ("orders placed on Wednesday", [1]), ("orders placed on weekends", [2]), ("orders placed after 11 pm", [2]),
        ("orders placed in January 2024", [1]), ("orders placed on 2024-02-03", [2]), ("latest order", [2]),
    ):  # fmt: skip
        assert [r[0] for r in rows(db, words)] == ids, words


@for_each(
    "first, last, days",
    [
        ("2024-01-31 10:30:00+00", "2024-02-01 22:30:00+00", 1.5), ("2024-01-31 23:00:00-05", "2024-02-01 05:00:00+00", 1 / 24),
        ("1/31/2024 10:30 AM", "1/31/2024 10:30 PM", 0.5), ("2024-01-31 08:00:00 UTC", "2024-02-02 08:00:00 UTC", 2),
    ],
)  # fmt: skip
def test_durations_are_computed_across_zones(first: str, last: str, days: float) -> None:
    db, _ = table(f"id,placed_at,shipped_at\n1,{first},{last}\n2,{first},{last}\n")
    ((value,),) = rows(db, "average days between placed at and shipped at")
    assert value == pytest.approx(days, abs=1e-4)


def test_what_is_no_time_stamp_is_none() -> None:
    for text in ("", "soon", "2024-13-01 10:00", "2024-01-31 13:00 PM", "2024-02-30", None, 5):
        assert moment(text, "ymd") is None
        assert instant(text, "ymd") is None
    assert moment("2024-01-31 12:05 AM", "ymd") == "2024-01-31 00:05:00"


# ------------------------------------------------------------------------------------------------------- numbers


@for_each(
    "text, value",
    [
        ("1.2E+03", 1200), ("3.5E-02", 0.035), ("1e+20", 1e20), ("(1,234)", -1234), ("1'170.50", 1170.5), ("70-", -70),
        ("−5", -5), ("12,34,567", 1234567), ("１２０", 120), ("$1,200", 1200), ("15%", 15), ("1.2万", 12000), ("3亿", 3e8),
    ],
)  # fmt: skip
def test_a_number_in_any_notation_is_a_number(text: str, value: float) -> None:
    assert read_cell(text) == pytest.approx(value)


@for_each("text", ["32E0134", "1E5", "007", "A001", "12-34", "1.2.3", "(abc)", "5 kg and more", "12345678901", "1e999"])
def test_a_code_stays_a_code(text: str) -> None:
    assert read_cell(text) is None


@for_each(
    "cells, total",
    [
        (["1.2E+03", "3.5E-02", "5"], 1205.035), (["1'170.50", "2'000", "-"], 3170.5), (["5 kg", "7 kg", "2.5 kg"], 14.5),
        (["120元", "80元", "99元"], 299), (["2,50", "12,75", "1.234,50 €"], 1249.75), (["(70)", "100", ""], 30),
    ],
)  # fmt: skip
def test_a_column_of_numbers_is_added_up(cells: list[str], total: float) -> None:
    values, _ = typed(cells)
    assert sum(v for v in values if isinstance(v, (int, float))) == pytest.approx(total)


@for_each("cells", [["A1", "B2", "C3"], ["5 kg", "7 g"], ["12A", "14B"], ["yes", "-", "maybe"], ["-", "n/a"]])
def test_what_is_not_all_numbers_stays_as_it_is(cells: list[str]) -> None:
    assert typed(cells) == (cells, [])


# -------------------------------------------------------------------------------------------------------- totals


@for_each(
    "text, left_out",
    [
        ("area,boats\nNorth,3\nSouth,4\nTotal,7\n", "Total"), ("area,boats\nTotal,7\nNorth,3\nSouth,4\n", "Total"),
        ("area,boats\nNorth,3\nSouth,4\n,7\n", "–"), ("area,boats\nNorth,3\nSouth,4\n合计,7\n", "合计"),
        ("area,boats\nNorth,3\nSouth,4\nGrand total:,7\n", "Grand total:"),
        ("area,boats\nNorth,1.5\nSouth,5.5\nSum,7.0\n", "Sum"),
    ],
)  # fmt: skip
def test_a_row_of_totals_is_left_out_and_named(text: str, left_out: str) -> None:
    db, remarks = table(text, "boats.csv")
    assert rows(db, "total boats") == [(7,)]
    assert rows(db, "area with most boats")[0][0] == "South"
    assert any(left_out in r.message for r in remarks)


def test_subtotals_are_sums_of_the_rows_since_the_last_one() -> None:
    text = (
        "area,town,boats\nNorth,a,3\nNorth,b,1\nNorth subtotal,,4\nSouth,c,5\nSouth,d,2\nSouth subtotal,,7\nTotal,,11\n"
    )
    db, remarks = table(text, "boats.csv")
    assert rows(db, "total boats") == [(11,)]
    assert len(remarks) == 3


@for_each(
    "text",
    [
        "brand,boats\nTotal,3\nShell,4\nEsso,9\n",  # a company of that name
        "area,boats\nNorth,3\nSouth,4\n,5\n",
        "area,boats\nNorth,3\nSouth,3\nEast,6\n",
        "part,boats\nrunning total,8\nother,1\n",
    ],
)
def test_a_row_that_is_no_sum_stays(text: str) -> None:
    table_rows = [line.split(",") for line in text.splitlines()[1:]]
    assert find_totals(table_rows) == {}


# ----------------------------------------------------------------------------------------------------- yes and no


@for_each(
    "yes, no, other",
    [("yes", "no", "unknown"), ("Yes", "No", ""), ("是", "否", "未知"), ("✓", "✗", "?"), ("true", "false", "n/a"), ("x", "", ""), ("√", "", "")],
)  # fmt: skip
def test_open_and_not_open_leave_out_what_is_not_known(yes: str, no: str, other: str) -> None:
    db, _ = table(f"town,open,boats\nOslo,{yes},3\nKiel,{no},5\nBergen,{yes},4\nHalle,{other},1\n", "towns.csv")
    names = [r[0] for r in rows(db, "towns that are open")]
    assert names == ["Oslo", "Bergen"]
    closed = [r[0] for r in rows(db, "towns that are not open")]
    assert closed == (["Kiel", "Halle"] if not no else ["Kiel"])


@for_each("other", ["partly", "sometimes", "ask"])
def test_a_state_beside_yes_and_no_is_a_condition(other: str) -> None:
    db, _ = table(f"town,open,boats\nOslo,yes,3\nKiel,no,5\nBergen,yes,4\nHalle,{other},1\n", "towns.csv")
    assert [r[0] for r in rows(db, "towns that are open")] == ["Oslo", "Bergen"]
    assert [r[0] for r in rows(db, "towns that are not open")] == ["Kiel"]


# ------------------------------------------------------------------------------------------------------- missing


def test_an_empty_text_is_missing_everywhere(tmp_path: Path) -> None:
    db = made_of(
        "CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT, city TEXT);"
        "INSERT INTO customers VALUES (1,'Ann','Bonn'),(2,'Bob',''),(3,'Cyd',NULL),(4,'Dan','Bonn'),(5,'Eve','Ulm');",
        tmp_path, "empty",
    )  # fmt: skip
    assert rows(db, "how many different cities") == [(2,)]
    assert rows(db, "number of customers per city") == [(None, 2), ("Bonn", 2), ("Ulm", 1)]
    assert [r[0] for r in rows(db, "customers without a city")] == [2, 3]


@for_each("words", ["customers whose name contains émile", "customers whose name contains ÉMILE", "customers whose name starts with Émile"])  # fmt: skip
def test_capital_letters_of_every_script_are_the_same(words: str) -> None:
    db, _ = table("id,name\n1,Émile Zola\n2,ÉMILE Kant\n3,Emil Nolde\n", "customers.csv")
    assert [r[0] for r in rows(db, words)] == [1, 2]


@for_each(
    "words, name",
    [("oldest customers by birth year", "Al"), ("youngest customers by birth year", "Bob"), ("oldest customer", "Al")],
)
def test_the_oldest_is_who_was_born_first(words: str, name: str) -> None:
    db, _ = table("id,name,birth year\n1,Bob,2001\n2,Eve,1980\n3,Al,1975\n", "customers.csv")
    assert name in map(str, rows(db, words)[0])


# ----------------------------------------------------------------------------------------------------- databases


def test_a_journal_that_is_missing_is_named(tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / "boats.db"
    base = sqlite3.connect(path)
    base.executescript("PRAGMA journal_mode=WAL; CREATE TABLE boats(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO boats VALUES (1,'a');")  # fmt: skip
    base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    base.close()
    remarks: list[Problem] = []
    open_upload("boats.db", path.read_bytes(), remarks=remarks)
    assert ["-wal" in r.message for r in remarks] == [True]


def test_the_tables_of_an_index_are_no_tables(tmp_path: Path) -> None:
    db = made_of(
        "CREATE TABLE boats(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO boats VALUES (1,'a');"
        "CREATE VIRTUAL TABLE notes USING fts5(body); INSERT INTO notes VALUES('hello');",
        tmp_path, "fts",
    )  # fmt: skip
    assert db.schema.names == ("boats",)
    assert set(db.schema.skipped) > {"notes", "notes_data"}


@for_each(
    "name, words, told",
    [
        ("orders_2024.csv", "all records of Ann", "records"), ("data.csv", "customer is Ann", "record"),
        ("订单明细_gbk.csv", "客户是Ann的", "条记录"), ("export.csv", "how many rows where customer is Ann", "record"),
    ],
)  # fmt: skip
def test_the_name_of_a_file_is_no_noun(name: str, words: str, told: str) -> None:
    heads = "编号,客户" if not name.isascii() else "id,customer"
    db, _ = table(f"{heads}\n1,Ann\n2,Bob\n3,Ann\n", name)
    turn = say(db, words, as_of=TODAY)
    assert told in turn.answer
    assert "gbk" not in turn.answer
    assert "2024" not in turn.answer
