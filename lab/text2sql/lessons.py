"""Lessons of the Text2SQL page: a conversation with a sample database, and the counts that it must come to.

``sample_corpora/databases/lessons.toml`` holds ``[[lesson]]`` tables: id, title in both languages, database, today
(what "today" means), and a ``[[lesson.step]]`` for each turn: what is said, the number of ``rows`` that it comes to (-1
where a question is asked back), the words that are ``unknown``, if any, and what is to be seen, in both languages.  A
test checks all of it.
"""

from __future__ import annotations

import datetime as dt
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab.text2sql.database import Database, sample_folder
from lab.text2sql.dialogue import Turn, say
from lab.words import LANGUAGES, Said

ASKED_BACK = -1


@dataclass(frozen=True)
class Step:
    """One turn: what is said, the rows that it comes to, what is not understood, and a text on it by language."""

    turn: str
    rows: int
    text: Mapping[str, str] = field(hash=False)
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lesson:
    """One conversation.  ``title`` is keyed by language."""

    id: str
    database: str
    title: Mapping[str, str] = field(hash=False)
    today: dt.date
    steps: tuple[Step, ...]

    @property
    def turns(self) -> tuple[str, ...]:
        """What is said, turn by turn."""
        return tuple(step.turn for step in self.steps)

    @property
    def expect(self) -> tuple[int, ...]:
        """The rows after each turn."""
        return tuple(step.rows for step in self.steps)


def read(folder: Path | None = None) -> tuple[Lesson, ...]:
    """The lessons in the order of the file; none where there is no file."""
    file = (folder or sample_folder()) / "lessons.toml"
    if not file.is_file():
        return ()
    return tuple(
        Lesson(t["id"], t["database"], t["title"], dt.date.fromisoformat(t["today"]), tuple(map(_step, t["step"])))
        for t in tomllib.loads(file.read_text("utf-8")).get("lesson", [])
    )


def _step(table: Mapping[str, Any]) -> Step:
    texts = {language: table[language] for language in LANGUAGES}
    return Step(table["turn"], table["rows"], texts, tuple(table.get("unknown", ())))


def play(db: Database, turns: tuple[str, ...] | list[str], *, today: dt.date) -> tuple[Turn, ...]:
    """The turns of a conversation, each on the one before."""
    out: list[Turn] = []
    for text in turns:
        out.append(say(db, text, as_of=today, before=out[-1] if out else None))
    return tuple(out)


def counts(turns: tuple[Turn, ...]) -> tuple[int, ...]:
    """Rows after each turn, as in ``expect``."""
    return tuple(
        ASKED_BACK if t.asks else t.total if t.total is not None else len(t.result.rows) if t.result else 0
        for t in turns
    )


def check(step: Step, turn: Turn) -> tuple[bool, Said]:
    """Whether the turn came to what the step says, and what it came to."""
    (rows,) = counts((turn,))
    told = Said("asked back, nothing runs") if rows == ASKED_BACK else Said("{n} rows", n=rows)
    if turn.unknown:
        told = Said("not understood, nothing runs: {words}", words=", ".join(turn.unknown))
    return (rows, turn.unknown) == (step.rows, step.unknown), told
