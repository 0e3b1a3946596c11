"""Keys that nobody declared: which table a column points to, and what is said of such tables."""

from __future__ import annotations

import datetime as dt

import pytest
from made_of import made_of

from lab.text2sql.database import Database
from lab.text2sql.dialogue import Turn, say

DEPOT = """
CREATE TABLE link_depot(lid INTEGER, did INTEGER);
CREATE TABLE route(rid INTEGER, did INTEGER, lid INTEGER, title TEXT);
CREATE TABLE depot(did INTEGER, name TEXT, town TEXT);
CREATE TABLE line(lid INTEGER, name TEXT);
CREATE TABLE tram(tid INTEGER, tram_id TEXT, make TEXT, model TEXT, year INTEGER, top_speed INTEGER, fleet_code TEXT);
CREATE TABLE ride(eid INTEGER, tram_id TEXT, seats INTEGER);
CREATE TABLE plate(number INTEGER, tram_id TEXT, colour TEXT);
INSERT INTO link_depot VALUES (7, 2), (8, 1);
INSERT INTO route VALUES (1, 1, 7, 'North loop'), (2, 1, 8, 'Harbour'), (3, 3, 7, 'Ring'), (4, 1, 9, 'Hill');
INSERT INTO depot VALUES (1, 'Mill', 'Leeds'), (2, 'Yard', 'York'), (3, 'Quay', 'Hull');
INSERT INTO line VALUES (7, 'red'), (8, 'green'), (9, 'blue');
INSERT INTO tram VALUES (1, 'ab1', 'Tatra', 'T3', 1980, 65, 'F2'), (2, 'ab2', 'Skoda', 'S5', 1999, 80, 'F1'),
  (3, 'ab3', 'Duewag', 'M6', 1990, 70, 'F3');
INSERT INTO ride VALUES (1, 'ab1', 30), (2, 'ab1', 31), (3, 'ab2', 12);
INSERT INTO plate VALUES (5, 'ab1', 'white'), (5, 'ab2', 'black'), (6, 'ab3', 'white');
"""


@pytest.fixture(scope="module")
def trams(tmp_path_factory: pytest.TempPathFactory) -> Database:
    return made_of(DEPOT, tmp_path_factory.mktemp("trams"), "trams")


def told(trams: Database, question: str) -> Turn:
    return say(trams, question, as_of=dt.date(2025, 6, 18))


def rows(trams: Database, question: str) -> set[tuple[object, ...]]:
    turn = told(trams, question)
    assert turn.result is not None, (turn.unknown, turn.answer)
    return set(map(tuple, turn.result.rows))


def test_a_key_points_to_the_table_that_begins_like_it_and_holds_its_values(trams: Database):
    found = {(f.table, f.column): (f.parent, f.key) for f in trams.schema.foreign_keys}
    assert found["route", "did"] == ("depot", "did")
    assert found["route", "lid"] == ("line", "lid")
    assert found["ride", "tram_id"] == ("tram", "tram_id")
    assert found["plate", "tram_id"] == ("tram", "tram_id"), "its own key, and one row for one tram"
    assert rows(trams, "number of routes per depot") == {("Mill", 3), ("Quay", 1)}


@pytest.mark.parametrize(
    "question",
    ["trams that have not been used in any rides", "trams without rides", "trams that have never been used in a ride"],
)
def test_what_has_not_been_used_has_no_row_there(trams: Database, question: str):
    assert {row[0] for row in rows(trams, question)} & {"ab1", "ab2", "ab3", "T3", "S5", "M6", "Duewag"} <= {
        "ab3", "M6", "Duewag"
    }  # fmt: skip
    assert len(rows(trams, question)) == 1


def test_in_a_list_of_columns_a_verb_is_a_column(trams: Database):
    assert rows(trams, "Return the tram id, make, model and year for trams without rides") == {
        ("ab3", "Duewag", "M6", 1990)
    }


def test_how_the_tables_are_to_be_joined_changes_nothing(trams: Database):
    plain = rows(trams, "Return the tram id, make, model and year for trams without rides")
    way = "by doing a left join from the tram to ride table"
    assert rows(trams, f"Return the tram id, make, model and year for trams without rides, {way}.") == plain


def test_rows_are_put_in_the_order_of_a_code_that_is_named(trams: Database):
    turn = told(trams, "fleet codes of trams with a top speed over 66; sort the fleet codes in ascending order")
    assert turn.result is not None, (turn.unknown, turn.answer)
    assert ["F1" in turn.result.rows[0], "F3" in turn.result.rows[1], len(turn.result.rows)] == [True, True, 2]
    assert turn.query is not None
    assert '"fleet_code" ASC' in turn.query.bound


def test_a_key_that_is_called_like_another_column_is_not_meant_by_its_name(trams: Database):
    assert rows(trams, "number of rides for each tram id") == {("ab1", 2), ("ab2", 1)}


def test_a_unit_that_the_column_does_not_say_is_not_passed_over(trams: Database):
    turn = told(trams, "trams with a top speed over 66 mph")
    assert turn.result is None, "it may be kilometres that are stored"
    assert turn.unknown == ("mph",)
