"""Rows with and without partners in another table, whose day is meant, and what a row is called."""

from __future__ import annotations

import datetime as dt
import sqlite3

import pytest
from made_of import made_of
from night import for_each

from lab.text2sql.database import Database
from lab.text2sql.dialogue import Understood, decide
from lab.text2sql.forms import row_noun
from lab.text2sql.guard import Limits
from lab.text2sql.reading import read
from lab.text2sql.schema import Column
from lab.text2sql.sql import build

GYM = """
CREATE TABLE members(member_id INTEGER PRIMARY KEY, name TEXT, city TEXT, joined_on TEXT);
CREATE TABLE visits(visit_id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES members(member_id), visit_date TEXT,
  activity TEXT);
INSERT INTO members VALUES (1,'Ada Frost','Leeds','2025-02-01'),(2,'Ben Okafor','York','2024-03-05'),
  (3,'Cleo Ruiz','Hull','2023-07-09'),(4,'Dina Weiss','York','2025-05-20');
INSERT INTO visits VALUES (1,1,'2024-11-02','yoga'),(2,2,'2025-01-12','yoga'),(3,2,'2025-02-11','spin'),
  (4,3,'2024-12-24','swim'),(5,1,'2025-03-03','swim');
"""


@pytest.fixture(scope="module")
def gym(tmp_path_factory: pytest.TempPathFactory) -> Database:
    return made_of(GYM, tmp_path_factory.mktemp("gym"), "gym")


def asked(gym: Database, question: str) -> tuple[Understood, list[set[object]]]:
    """What is decided, and the names in the rows of the tree, or of every reading that is offered."""

    def rows(select: object) -> list[tuple[object, ...]]:
        return gym.run(build(select, gym.schema, rows=100), limits=Limits()).rows

    told = decide(read(question, gym.vocabulary, as_of=dt.date(2025, 6, 18), look_up=gym.look_up), rows)
    trees = [told.select] if told.select is not None else list(told.choices)
    names = {name for (name,) in sqlite3.connect(gym.path).execute("SELECT name FROM members")}
    return told, [{cell for row in rows(tree) for cell in row if cell in names} for tree in trees]


@pytest.mark.parametrize(
    "question", ["members who never visited", "members without visits", "members who have no visits"]
)
def test_who_never_came_has_no_row_there_at_all(gym: Database, question: str):
    told, (found,) = asked(gym, question)
    assert told.select is not None
    assert found == {"Dina Weiss"}


def test_a_day_beside_what_another_table_knows_is_asked_back(gym: Database):
    told, found = asked(gym, "members who did yoga in 2025")
    assert told.select is None, "joined in 2025, or did yoga in 2025?"
    assert {"Ben Okafor"} in found
    assert {"Ada Frost"} in found


@for_each(
    "name, noun",
    [
        ("书名", "书"),
        ("菜名", "菜"),
        ("产品名称", "产品"),
        ("员工姓名", "员工"),
        ("姓名", ""),
        ("排名", ""),
        ("名", ""),
    ],
)
def test_a_row_is_called_after_the_column_that_names_it(name: str, noun: str):
    assert row_noun(Column("t", name, "TEXT", "text")) == noun
