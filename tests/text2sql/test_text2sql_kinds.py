"""Kinds of questions on tables that no rule was written beside: each reads as its reference query, or is asked about."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_of import gives, made_of
from night import for_each
from sets import TODAY, Question, opened, right

from lab.text2sql.dialogue import say

RUN = [
    ("grants", "What is the ratio of completed projects to ongoing projects?",
     "SELECT 1.0 * sum(status = 'completed') / sum(status = 'ongoing') FROM project"),
    ("fleet", "What is the ratio of cash payments to card payments?",
     "SELECT 1.0 * sum(method = 'cash') / sum(method = 'card') FROM payments"),
    ("fleet", "What is the average number of days between pickup date and return date?",
     "SELECT avg(julianday(return_date) - julianday(pickup_date)) FROM rentals"),
    ("fleet", "How many rentals lasted more than 7 days?",
     "SELECT count(*) FROM rentals WHERE julianday(return_date) - julianday(pickup_date) > 7"),
    ("clinic", "What is the average number of treatments per patient?",
     "SELECT 1.0 * count(*) / count(DISTINCT pat_id) FROM treatments"),
    ("grants", "Show the average, minimum and maximum h-index for each department.",
     "SELECT d.dept_name, avg(h_index), min(h_index), max(h_index) FROM researcher JOIN department d USING (dept_id) "
     "GROUP BY d.dept_id"),
    ("fleet", "What is the highest and lowest daily rate per color?",
     "SELECT color, max(daily_rate), min(daily_rate) FROM vehicles GROUP BY color"),
    ("ferries", "Which sailings have no stops?", "SELECT sailing_id FROM sailing WHERE stops = 0"),
]  # fmt: skip
ASKED = [
    ("fleet", "Which makes have a highest daily rate above 100?"),
    ("loyalty", "How many transactions does each partner category have, including failed ones?"),
    ("loyalty", "How many successful orders are there?"),
    ("grants", "Which researchers are in the same department as Ada Brandt?"),
]


@for_each("database, words, sql", RUN)
def test_a_kind_of_question_brings_its_rows(database: str, words: str, sql: str) -> None:
    turn = say(opened("reports", database), words, as_of=TODAY)
    assert turn.result is not None, turn.answer
    assert right(opened("reports", database), Question(database, TODAY, (words,), sql), turn.result.rows)


@for_each("database, words", ASKED)
def test_what_has_no_place_is_asked_about_and_nothing_runs(database: str, words: str) -> None:
    turn = say(opened("reports", database), words, as_of=TODAY)
    assert turn.result is None, turn.answer
    assert turn.unknown or turn.asks


@pytest.mark.parametrize(("way", "column"), [("depart from", "from_port"), ("arrive in", "to_port")])
def test_of_two_keys_to_one_table_the_direction_that_is_said_is_taken(way: str, column: str) -> None:
    db = opened("reports", "ferries")
    turn = say(db, f"How many sailings {way} Oslo?", as_of=TODAY)
    runs = turn.query is not None
    tree = turn.after if runs else turn.asks[0]
    assert column in str(tree)
    assert len(turn.asks) == (0 if runs else 1)


ENDINGS = ("d", "ed", "red", "s", "es", "ing", "er", "ly")
"""Values that make another form of a column's name where they stand behind it: grade d, colour red, size ing."""


@pytest.mark.parametrize("column", ["grade", "colour", "size", "track"])
def test_a_value_behind_its_column_is_a_condition_whatever_word_both_would_make(column: str, tmp_path: Path) -> None:
    rows = ", ".join(f"({i}, 'n{i}', '{value}')" for i, value in enumerate((*ENDINGS, "blue", *ENDINGS[::2])))
    script = f"CREATE TABLE shirts(id INTEGER PRIMARY KEY, name TEXT, {column} TEXT); INSERT INTO shirts VALUES {rows};"
    db = made_of(script, tmp_path, column)
    for value in ENDINGS:
        for words in (f"shirts with {column} {value}", f"names of the shirts with {column} {value}"):
            gives(db, say(db, words, as_of=TODAY), f"SELECT name FROM shirts WHERE {column} = '{value}'")
