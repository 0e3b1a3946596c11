"""The examination: questions on databases that the lab does not know, their gold SQL, and what an answer is worth.

Half of the questions may be looked at while building (`split`); the other half is only counted.
"""

from __future__ import annotations

import collections
import hashlib
import itertools
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.text2sql.database import Database

FILE = Path(__file__).with_name("questions.txt")
Row = tuple[object, ...]


@dataclass(frozen=True)
class Question:
    """The turns of one question, and the SQL whose rows the last of them should bring."""

    database: str
    turns: tuple[str, ...]
    sql: str

    @property
    def lot(self) -> str:
        return hashlib.sha256(" >> ".join(self.turns).encode()).hexdigest()


def split(asked: Sequence[Question]) -> tuple[list[Question], list[Question]]:
    """The seen half and the unseen one, drawn by lot."""
    drawn = sorted(asked, key=lambda q: q.lot)
    half = {q.lot for q in drawn[: len(drawn) // 2]}
    return [q for q in asked if q.lot in half], [q for q in asked if q.lot not in half]


def questions(file: Path = FILE) -> list[Question]:
    """All questions of a file, in its order."""
    out: list[Question] = []
    name = ""
    for line in file.read_text("utf-8").splitlines():
        if line.startswith("= "):
            name = line[2:]
        elif line.startswith("  "):
            out[-1] = Question(name, out[-1].turns, line.strip())
        elif line and not line.startswith("#"):
            out.append(Question(name, tuple(line.split(" >> ")), ""))
    return out


def gold(db: Database, sql: str) -> tuple[list[Row], bool]:
    """The rows of a reference query, and whether their order counts."""
    with sqlite3.connect(f"file:{db.path}?mode=ro", uri=True) as reference:
        return reference.execute(sql).fetchall(), "ORDER BY" in sql.rsplit(")", 1)[-1] and "LIMIT 1" not in sql


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
