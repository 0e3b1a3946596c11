"""What the reader promises on whole sets of questions: enough right, hardly any rows of another question."""

from __future__ import annotations

import collections
import sqlite3
from contextlib import closing

import pytest
from night import NIGHT, for_each
from sets import APART, FOLDER, gold, judged, load, opened, play, verdict

STEP = 1 if NIGHT else 5
SETS = APART if NIGHT else APART[::4]
"""Of the sets that were written apart, those whose databases are opened."""
ASIDE = ("examination", "patterns", "further") if NIGHT else ()


def shares(names: tuple[str, ...], *, step: int = 1) -> tuple[float, float, list[str]]:
    """The shares of right answers and of other rows, and the questions that were answered by other rows."""
    found, wrong = collections.Counter[str](), list[str]()
    for name in names:
        for question in load(name)[::step]:
            said = verdict(name, question, play(name, question))
            found[said] += 1
            wrong += [f"{name}: {question}"] if said == "other" else []
    n = found.total()
    return found["right"] / n, found["other"] / n, wrong


@for_each("name", ("bundled", "reports", *SETS, *ASIDE))
def test_every_reference_query_runs_on_its_database(name: str) -> None:
    for question in load(name)[::STEP]:
        if question.sql:
            gold(opened(name, question.database), question.sql)


def test_the_sets_have_databases_and_questions_in_both_languages() -> None:
    for name in APART:
        folder = FOLDER / "databases" / name
        assert {q.database for q in load(name)} <= {p.stem for p in folder.glob("*.sql")}
        assert len(load(name)) >= 108
        assert any("一" <= c <= "鿿" for q in load(name) for c in str(q))
        assert any(str(q).isascii() for q in load(name))


def test_four_of_five_questions_on_the_bundled_databases_are_right() -> None:
    right, other, wrong = shares(("bundled",), step=STEP)
    assert right >= 0.8
    assert other <= 0.04, wrong


def test_over_half_of_the_questions_that_were_written_apart_are_right_and_hardly_any_by_other_rows() -> None:
    right, other, wrong = shares(SETS, step=STEP)
    assert right >= (0.55 if NIGHT else 0.5)
    assert other <= (0.06 if NIGHT else 0.1), wrong


def test_a_sample_of_the_questions_that_reports_ask() -> None:
    right, other, wrong = shares(("reports",), step=5)
    assert right >= 0.55
    assert other <= 0.12, wrong


@pytest.mark.nightly
def test_the_sets_that_the_first_rules_were_written_beside() -> None:
    right, other, wrong = shares(("examination", "further"))
    assert right >= 0.65
    assert other <= 0.08, wrong


@pytest.mark.nightly
def test_no_question_breaks_the_reader() -> None:
    for name in (*APART, *ASIDE, "reports", "bundled"):
        for question, turn, _ in judged(name):
            assert turn.answer, str(question)


def test_a_database_is_the_one_that_was_dumped() -> None:
    with closing(sqlite3.connect(opened("one", "vetclinic").path)) as base, base:
        assert base.execute("SELECT count(*) FROM pets").fetchone()[0] > 0
