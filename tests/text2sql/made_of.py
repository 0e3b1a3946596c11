"""Databases that a test makes of a script of SQL, uploaded like a visitor's."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from lab.text2sql.database import Database
from lab.text2sql.upload import open_upload


def made_of(script: str, folder: Path, name: str) -> Database:
    """The database of this script, as the lab opens the file that a visitor uploads."""
    path = folder / f"{name}.sqlite"
    with sqlite3.connect(path) as base:
        base.executescript(script)
    base.close()
    opened = open_upload(path.name, path.read_bytes())
    return opened[0] if isinstance(opened, tuple) else opened
