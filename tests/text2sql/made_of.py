"""Databases that a test makes of a script of SQL, uploaded like a visitor's."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from lab.text2sql.database import Database
from lab.text2sql.dialogue import Turn
from lab.text2sql.upload import open_upload


def made_of(script: str, folder: Path, name: str) -> Database:
    """The database of this script, as the lab opens the file that a visitor uploads."""
    path = folder / f"{name}.sqlite"
    with sqlite3.connect(path) as base:
        base.executescript(script)
    base.close()
    opened = open_upload(path.name, path.read_bytes())
    return opened[0] if isinstance(opened, tuple) else opened


def gives(db: Database, turn: Turn, gold: str) -> None:
    """Assert that a turn shows the rows of this SQL, each perhaps with more than that asks for."""
    assert turn.result is not None, turn.answer
    wanted = sqlite3.connect(db.path).execute(gold).fetchall()
    cells = [{round(c, 6) if isinstance(c, float) else c for c in row} for row in turn.result.rows]
    assert len(cells) == len(wanted), turn.answer
    for row in wanted:
        told = {round(c, 6) if isinstance(c, float) else c for c in row}
        assert any(told <= have for have in cells), f"{told} is missing: {turn.answer}"
