"""Twelve sets of questions on seventy-two databases that were written apart from the rules, each on databases of its own.

Ten were looked at after they had been asked once; the last two are only counted.
"""

from __future__ import annotations

import datetime as dt
import importlib.util
import sqlite3
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from examination import Question, Row, gold, holds, questions

from lab.text2sql.database import Database, open_database

FOLDER = Path(__file__).with_name("apart")
TODAY = dt.date(2025, 9, 17)
SETS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
COUNTED = ("eleven", "twelve")


@cache
def build(name: str) -> dict[str, Database]:
    """The databases of one set."""
    spec = importlib.util.spec_from_file_location(f"set_{name}", FOLDER / f"set_{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    folder = tempfile.TemporaryDirectory(prefix="apart_")
    before, tempfile.tempdir = tempfile.tempdir, folder.name
    try:
        spec.loader.exec_module(module)
        opened = {called: open_database(Path(path)) for called, path in module.build().items()}
    finally:
        tempfile.tempdir = before
    _KEPT.append(folder)
    return opened


_KEPT: list[tempfile.TemporaryDirectory[str]] = []


def asked(name: str) -> list[Question]:
    """The questions of one set."""
    return questions(FOLDER / f"set_{name}.txt")


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
    with sqlite3.connect(db.path) as opened:
        pairs = opened.execute(f'SELECT "{key}", "{title}" FROM "{table}"').fetchall()
    both = [dict(pairs), {name: k for k, name in pairs}]
    return both if all(len(one) == len(pairs) for one in both) else []
