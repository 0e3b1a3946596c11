"""Lessons of the Text2SQL page: a conversation with a sample database, and the counts that it must come to.

``sample_corpora/databases/lessons.toml`` holds ``[[lesson]]`` tables: id, title and claim in both languages,
database, today (what "today" means), turns (what is said), expect: the number of rows after each turn (-1 where a
question is asked back), and unknown: the words that are not understood, if any; all checked by a test.
"""

from __future__ import annotations

import datetime as dt
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lab.text2sql.database import Database, sample_folder
from lab.text2sql.dialogue import Turn, say

ASKED_BACK = -1


@dataclass(frozen=True)
class Lesson:
    """One conversation.  ``title`` and ``claim`` are keyed by language."""

    id: str
    database: str
    title: Mapping[str, str] = field(hash=False)
    claim: Mapping[str, str] = field(hash=False)
    turns: tuple[str, ...]
    expect: tuple[int, ...]
    today: dt.date
    unknown: tuple[str, ...] = ()


def read(folder: Path | None = None) -> tuple[Lesson, ...]:
    """The lessons in the order of the file; none where there is no file."""
    file = (folder or sample_folder()) / "lessons.toml"
    if not file.is_file():
        return ()
    tables = tomllib.loads(file.read_text("utf-8")).get("lesson", [])
    return tuple(
        Lesson(
            t["id"],
            t["database"],
            t["title"],
            t["claim"],
            tuple(t["turns"]),
            tuple(t["expect"]),
            dt.date.fromisoformat(t["today"]),
            tuple(t.get("unknown", ())),
        )
        for t in tables
    )


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
