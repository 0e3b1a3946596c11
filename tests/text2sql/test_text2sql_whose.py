"""Whose column is meant where several tables have one of that name, and which rows a share is a share of."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections import Counter

import pytest
from made_of import made_of

from lab.text2sql.database import Database
from lab.text2sql.dialogue import say

ISLANDS = """
CREATE TABLE island(island_id INTEGER PRIMARY KEY, name TEXT, area REAL);
CREATE TABLE keeper(keeper_id INTEGER PRIMARY KEY, name TEXT, town TEXT);
CREATE TABLE lighthouse(lighthouse_id INTEGER PRIMARY KEY, island_id INTEGER REFERENCES island(island_id), name TEXT,
  area REAL, colour TEXT, lit INTEGER);
CREATE TABLE watch(watch_id INTEGER PRIMARY KEY, keeper_id INTEGER REFERENCES keeper(keeper_id),
  lighthouse_id INTEGER REFERENCES lighthouse(lighthouse_id), hours INTEGER);
INSERT INTO island VALUES (1,'Skerra',900),(2,'Holm',300),(3,'Vest',50);
INSERT INTO keeper VALUES (1,'Ida Bergs','Mo'),(2,'Ole Dahl','Vik'),(3,'Una Moen','Mo');
INSERT INTO lighthouse VALUES (1,1,'North Point',12,'red',1),(2,1,'Old Tower',40,'white',0),(3,2,'Gull Rock',25,'red',1),
  (4,3,'Far End',7,'white',1),(5,3,'Low Lamp',9,'red',0),(6,3,'Grey Head',30,'white',0);
INSERT INTO watch VALUES (1,1,1,8),(2,1,1,6),(3,1,1,7),(4,2,3,5),(5,2,4,9),(6,1,6,4);
"""


@pytest.fixture(scope="module")
def islands(tmp_path_factory: pytest.TempPathFactory) -> Database:
    return made_of(ISLANDS, tmp_path_factory.mktemp("islands"), "islands")


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "lighthouses ordered by area from largest to smallest",
            "SELECT name, area FROM lighthouse ORDER BY area DESC",
        ),
        ("which lighthouse has the largest area?", "SELECT name, area FROM lighthouse ORDER BY area DESC LIMIT 1"),
        ("lighthouses with an area over 20", "SELECT name FROM lighthouse WHERE area > 20"),
        (
            "lighthouses whose island area is over 200",
            "SELECT l.name FROM lighthouse l JOIN island i USING (island_id) WHERE i.area > 200",
        ),
        ("what are the names of the red lighthouses?", "SELECT name FROM lighthouse WHERE colour = 'red'"),
        (
            "what is the name of the lighthouse with the most watches, and how many watches?",
            "SELECT l.name, count(*) AS n FROM watch JOIN lighthouse l USING (lighthouse_id) GROUP BY 1 ORDER BY 2 DESC LIMIT 1",
        ),
        (
            'how many watches were kept by keepers with the name "Ida Bergs"?',
            "SELECT count(*) FROM watch JOIN keeper USING (keeper_id) WHERE name = 'Ida Bergs'",
        ),
        (
            "names and towns for keepers that have no watches",
            "SELECT name, town FROM keeper WHERE keeper_id NOT IN (SELECT keeper_id FROM watch)",
        ),
        (
            "what is the proportion of red lighthouses out of all lighthouses?",
            "SELECT avg(colour = 'red') FROM lighthouse",
        ),
        (
            "what is the ratio of red lighthouses out of all lighthouses in Vest?",
            "SELECT avg(colour = 'red') FROM lighthouse WHERE island_id = 3",
        ),
        (
            "the proportion of red lighthouses out of all lighthouses for each island",
            "SELECT i.name, avg(colour = 'red') FROM lighthouse JOIN island i USING (island_id) GROUP BY 1",
        ),
    ],
)
def test_the_rows_are_those_of_the_reference(islands: Database, question: str, sql: str):
    turn = say(islands, question, as_of=dt.date(2025, 6, 18))
    assert turn.result is not None, turn.answer
    expected = sqlite3.connect(islands.path).execute(sql).fetchall()
    found = [tuple(cell for cell in row) for row in turn.result.rows]
    cells = [Counter(_same(c) for c in row) for row in found]
    assert len(found) == len(expected)
    for row in expected:
        wanted = Counter(_same(c) for c in row)
        assert any(wanted <= have for have in cells), (row, found)


def _same(cell: object) -> object:
    return round(float(cell), 6) if isinstance(cell, int | float) else cell


@pytest.mark.parametrize(
    ("question", "op"),
    [
        *((f"watches with {less} than 7 hours", ">=") for less in ("not less", "no less")),
        ("watches whose hours are not under 7", ">="),
        ("watches with hours not at least 7", "<"),
        ("watches of no more than 7 hours", "<="),
        ("watches whose hours are not over 7", "<="),
        ("watches with hours not at most 7", ">"),
        *((f"hours {less} 7 的 watch", ">=") for less in ("不低于", "不小于")),
        *((f"hours {more} 7 的 watch", "<=") for more in ("不超过", "不大于")),
    ],
)
def test_not_turns_a_comparison_round_and_keeps_its_border(islands: Database, question: str, op: str):
    turn = say(islands, question, as_of=dt.date(2025, 6, 18))
    assert turn.result is not None, turn.answer
    expected = sqlite3.connect(islands.path).execute(f"SELECT watch_id FROM watch WHERE hours {op} 7").fetchall()
    assert sorted(row[0] for row in turn.result.rows) == sorted(i for (i,) in expected)
