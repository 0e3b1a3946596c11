"""The examination sets: questions as JSON lines, their databases as SQL dumps, and what an answer is worth.

``sets/NAME.jsonl`` has one question a line: its database, what "today" means, its turns, and the SQL whose rows the last
turn should bring; ``sets/databases/NAME/`` has the databases that it is asked on.
"""

from __future__ import annotations

import collections
import datetime as dt
import itertools
import json
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lab_packs.text2sql.database import Database, open_sample, sample_folder, samples
from lab_packs.text2sql.dialogue import Reader, Turn, by_rules, say
from lab_packs.text2sql.guard import Limits
from lab_packs.text2sql.upload import open_upload

FOLDER = Path(__file__).with_name("sets")
APART = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
"""Twelve sets that were written apart, each on databases of its own; the last two were never looked at."""
Row = tuple[object, ...]
TODAY = dt.date(2024, 6, 15)
"""What "today" means on the bundled databases."""


@dataclass(frozen=True)
class Question:
    """The turns of one question, and the SQL whose rows the last should bring ("": it should be asked back)."""

    database: str
    today: dt.date
    turns: tuple[str, ...]
    sql: str

    def __str__(self) -> str:
        return " >> ".join(self.turns)


@cache
def load(name: str) -> tuple[Question, ...]:
    """The questions of a set, in its order."""
    path = sample_folder() / "questions.jsonl" if name == "bundled" else FOLDER / f"{name}.jsonl"
    lines = map(json.loads, path.read_text("utf-8").splitlines())
    return tuple(
        Question(line["database"], dt.date.fromisoformat(line["today"]), tuple(line["turns"]), line["sql"])
        for line in lines
    )


@cache
def opened(name: str, database: str) -> Database:
    """A database of a set, as the upload of a visitor."""
    if name == "bundled" and database in samples():
        return open_sample(database)
    folder = "examination" if name == "patterns" else name
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / f"{database}.sqlite"
        with closing(sqlite3.connect(path)) as base, base:
            base.executescript((FOLDER / "databases" / folder / f"{database}.sql").read_text("utf-8"))
        base.close()
        return open_upload(path.name, path.read_bytes())


def play(name: str, question: Question, *, reader: Reader = by_rules) -> Turn:
    """The last turn of a question."""
    turn: Turn | None = None
    for text in question.turns:
        db = opened(name, question.database)
        turn = say(db, text, as_of=question.today, before=turn, limits=Limits(rows=1000), reader=reader)
    assert turn is not None
    return turn


def verdict(name: str, question: Question, turn: Turn) -> str:
    """right, other (rows), asked (back), or none."""
    if turn.result is None:
        return "right" if not question.sql else "asked" if turn.asks else "none"
    if not question.sql:
        return "other"
    return "right" if right(opened(name, question.database), question, turn.result.rows) else "other"


def judged(name: str) -> Iterator[tuple[Question, Turn, str]]:
    """Every question of a set with its last turn and the verdict."""
    for question in load(name):
        turn = play(name, question)
        yield question, turn, verdict(name, question, turn)


def gold(db: Database, sql: str) -> tuple[list[Row], bool]:
    """The rows of a reference query, and whether their order counts."""
    with closing(sqlite3.connect(f"file:{db.path}?mode=ro", uri=True)) as reference, reference:
        return reference.execute(sql).fetchall(), "ORDER BY" in sql.rsplit(")", 1)[-1] and "LIMIT 1" not in sql


def right(db: Database, question: Question, found: Sequence[Row]) -> bool:
    """Whether rows are those of the reference query; a key stands for its row's name, and some rows for a yes."""
    rows, ordered = gold(db, question.sql)
    if holds(found, rows, ordered=ordered):
        return True
    if question.sql.upper().startswith("SELECT EXISTS") and not (len(found) == len(found[0]) == 1 if found else False):
        return bool(found) == bool(rows[0][0])
    for t in db.schema.tables:
        for names in _names(db, t.name, t.keys[0].name, t.title.name) if len(t.keys) == 1 else ():
            for i in range(len(rows[0]) if rows else 0):
                if all(r[i] in names for r in rows):
                    called = [(*r[:i], names[r[i]], *r[i + 1 :]) for r in rows]
                    if holds(found, called, ordered=ordered):
                        return True
    return False


def _names(db: Database, table: str, key: str, title: str) -> list[dict[object, object]]:
    """The names of rows by their keys, and the keys by their names, where each has its own."""
    with closing(sqlite3.connect(db.path)) as base, base:
        pairs = base.execute(f'SELECT "{key}", "{title}" FROM "{table}"').fetchall()
    both = [dict(pairs), {name: k for k, name in pairs}]
    return both if all(len(one) == len(pairs) for one in both) else []


def holds(found: Sequence[Row], expected: Sequence[Row], *, ordered: bool) -> bool:
    """Whether rows, on some choice of their columns, are the expected ones (a share may be written as a percentage)."""
    if len(found) != len(expected):
        return False
    if not expected:
        return True
    have, want = [[plain(v) for v in r] for r in found], [[plain(v) for v in r] for r in expected]
    width = range(len(want[0]))
    counted = [collections.Counter(r[i] for r in want) for i in width]
    fitting = [[c for c in range(len(have[0])) if collections.Counter(r[c] for r in have) == w] for w in counted]
    if len(want) == 1 and len(want[0]) == 1 and not fitting[0]:
        return any(_share(v, expected[0][0]) for v in found[0])
    for choice in itertools.islice(itertools.product(*fitting), 200):
        rows = [[r[c] for c in choice] for r in have]
        if rows == want or (not ordered and sorted(rows, key=repr) == sorted(want, key=repr)):
            return True
    return False


def _share(a: object, b: object) -> bool:
    if not isinstance(a, float) or not isinstance(b, float):
        return False
    return any(abs(x - y) < 1e-3 * abs(x) for x, y in ((a, b), (a, 100 * b), (100 * a, b)))


def plain(value: object) -> object:
    return round(float(value), 3) if isinstance(value, (int, float)) else value
