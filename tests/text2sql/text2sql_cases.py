"""The questions of cases.toml, and whether an answer to one is right.  Shared by the test and the benchmark."""

from __future__ import annotations

import datetime as dt
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.text2sql.database import Database
from lab.text2sql.dialogue import Turn, say
from lab.text2sql.guard import Limits

TODAY = dt.date(2024, 6, 15)
FILE = Path(__file__).with_name("cases.toml")


@dataclass(frozen=True)
class Judged:
    """One question with its verdict; ``problem`` is empty where the answer is right."""

    category: str
    question: str
    problem: str
    turn: Turn


def load() -> list[dict]:
    return tomllib.loads(FILE.read_text("utf-8"))["case"]


def judge(case: dict, db: Database) -> Iterator[Judged]:
    """Play the turns of a case, each on the one before."""
    turn: Turn | None = None
    for expected in case["turn"]:
        turn = say(db, expected["ask"], as_of=TODAY, before=turn, limits=Limits(rows=1000))
        yield Judged(case["category"], expected["ask"], problem(expected, turn), turn)


def problem(expected: dict, turn: Turn) -> str:
    """What is wrong with a turn, or "" if nothing is.  Wrong rows begin with "rows"."""
    if "asks" in expected:
        return "" if turn.asks else f"rows where it should ask: {turn.answer}"
    if "unknown" in expected:
        return "" if turn.result is None and turn.unknown else f"rows where words are unknown: {turn.answer}"
    if turn.result is None or turn.query is None:
        return f"no rows: {turn.answer}"
    if "ids" not in expected and "rows" not in expected:
        return ""
    if "ids" in expected:
        names = [o.name for o in turn.query.outputs]
        if "id" not in names:
            return f"rows with other columns: {names}"
        got: list = [r[names.index("id")] for r in turn.result.rows]
        want: list = list(expected["ids"])
    else:
        got, want = [_plain(r) for r in turn.result.rows], [_plain(r) for r in expected["rows"]]
    if not expected.get("ordered"):
        got, want = sorted(got, key=str), sorted(want, key=str)
    return "" if got == want else f"rows: {len(got)} where {len(want)} are right: {got[:3]}"


def _plain(row: object) -> tuple:
    return tuple(round(v, 3) if isinstance(v, float) else float(v) if isinstance(v, int) else v for v in row)  # type: ignore[attr-defined]
