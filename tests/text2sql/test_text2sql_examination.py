"""Questions on databases that the lab does not know: right, or not answered; hardly ever rows of another question."""

from __future__ import annotations

import collections
import datetime as dt
from functools import cache
from pathlib import Path

import apart_databases
import exam_databases
import further_databases
import invented
import pytest
from examination import FILE, Question, gold, holds, questions, split
from night import spread

from lab.text2sql.database import Database
from lab.text2sql.dialogue import Turn, say
from lab.text2sql.guard import Limits

PATTERNS, FURTHER = FILE.with_name("patterns.txt"), FILE.with_name("further.txt")


@cache
def opened(name: str) -> Database:
    return invented.build(name) if name in invented.ALL else exam_databases.build(name)


def verdict(question: Question, today: dt.date = exam_databases.TODAY) -> str:
    further, turn = further_databases.build(), None
    db = further.get(question.database) or opened(question.database)
    for said in question.turns:
        turn = say(db, said, as_of=today, before=turn, limits=Limits(rows=1000))
    assert isinstance(turn, Turn)
    if turn.result is None:
        return "asked" if turn.asks else "none"
    rows, ordered = gold(db, question.sql)
    return "right" if holds(turn.result.rows, rows, ordered=ordered) else "wrong"


def test_the_examination_is_what_it_should_be() -> None:
    asked = questions()
    seen, unseen = split(asked)
    assert len(seen) == len(unseen) == 100
    assert len({q.database for q in asked}) == 8
    assert sum(any("一" <= c <= "鿿" for c in q.turns[0]) for q in asked) == 100
    for q in asked:
        rows, _ = gold(opened(q.database), q.sql)
        assert rows, q


@pytest.mark.parametrize("half", spread([0, 1], 1), ids=["seen", "unseen"])
def test_two_of_three_are_right_and_hardly_any_are_answered_with_other_rows(half: int) -> None:
    found = collections.Counter(verdict(q) for q in split(questions())[half])
    assert found["right"] >= 65
    assert found["wrong"] <= 5


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(4))
def test_plain_questions_on_further_databases_are_right_or_not_answered(part: int) -> None:
    asked = questions(FURTHER)[part::4]
    found = collections.Counter(verdict(q, further_databases.TODAY) for q in asked)
    assert found["right"] >= 0.7 * len(asked)
    assert found["wrong"] <= 0.05 * len(asked)


def test_patterns_that_are_easily_misread_are_answered_rightly_or_not_at_all() -> None:
    found = {" >> ".join(q.turns): verdict(q) for q in questions(Path(PATTERNS))}
    assert [q for q, v in found.items() if v == "wrong"] == []
    assert sum(v == "right" for v in found.values()) >= len(found) / 2


@pytest.mark.parametrize("question", ["各队的平均速度", "mean hourly price by cat"])
def test_what_is_said_shortly_is_understood(question: str) -> None:
    """The end of a name (队), and a price for each hour."""
    (asked,) = [q for q in questions(Path(PATTERNS)) if q.turns == (question,)]
    assert verdict(asked) == "right"


@pytest.mark.nightly
@pytest.mark.parametrize("name", [*apart_databases.SETS, *apart_databases.COUNTED])
def test_questions_that_were_written_apart_are_right_or_not_answered(name: str) -> None:
    found, databases = collections.Counter[str](), apart_databases.build(name)
    for question in apart_databases.asked(name):
        db = databases[question.database]
        turn = say(db, question.turns[0], as_of=apart_databases.TODAY, limits=Limits(rows=1000))
        rows = turn.result.rows if turn.result is not None else None
        found["none" if rows is None else "right" if apart_databases.right(db, question, rows) else "wrong"] += 1
    assert found.total() >= 108
    assert found["right"] >= 65
    assert found["wrong"] <= 8
