"""A database to ask questions to: a file that is only ever read, its schema, and a way to run queries."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from lab.errors import LabError, UnknownName
from lab.words import Said
from lab_packs.text2sql.documents import SchemaDocuments
from lab_packs.text2sql.guard import LOOK_UP, Limits, Result, TimeLimit, connection, quoted, run_select
from lab_packs.text2sql.hints import Hints, read_hints
from lab_packs.text2sql.inspecting import inspect
from lab_packs.text2sql.schema import Column, Schema
from lab_packs.text2sql.sql import Query
from lab_packs.text2sql.tree import Scalar


@dataclass(frozen=True, eq=False)
class Database:
    """A SQLite file with its schema.  ``origin`` is sample, upload or file."""

    name: str
    path: Path
    schema: Schema
    origin: str = "file"
    _folder: object = field(default=None, repr=False)

    @cached_property
    def fingerprint(self) -> str:
        return sha256(self.path)

    @cached_property
    def documents(self) -> SchemaDocuments:
        """The tables, columns and values as documents, to which words are linked."""
        return SchemaDocuments(self.schema)

    def with_hints(self, hints: Hints) -> Database:
        """Returns the database with other names for its tables, columns and values."""
        return replace(self, schema=self.schema.with_hints(hints))

    def run(self, query: Query, *, limits: Limits | None = None) -> Result:
        """The rows of a built query.  Raises `QueryError`, `TimeLimit`."""
        return self.select(query.sql, query.parameters, limits=limits)

    def select(
        self, sql: str, parameters: Sequence[Scalar] | Mapping[str, Scalar] = (), *, limits: Limits | None = None
    ) -> Result:
        """The rows of one SELECT, behind the guard.  Raises `QueryError`, `TimeLimit`."""
        return run_select(self.path, sql, parameters, tables=self.schema.names, limits=limits)

    def count(self, query: Query, *, limits: Limits | None = None) -> int | None:
        """How many rows the query has without a row limit; None where counting takes too long."""
        with suppress(LabError):
            return int(str(self.select(query.count_sql, query.parameters, limits=limits).rows[0][0]))
        return None

    def preview(self, table: str, n: int = 20) -> Result:
        self.schema.table(table)
        return self.select(f"SELECT * FROM {quoted(table)}", limits=Limits(rows=n))

    def look_up(self, column: Column, words: Sequence[str]) -> tuple[str, ...]:
        """Which of these words are values of a column too long to know by heart, in any case.  Raises `TimeLimit`."""
        if not words:
            return ()
        marks, table = ", ".join("?" * len(words)), quoted(column.table)
        name = f"{table}.{quoted(column.name)}"
        sql = f"SELECT DISTINCT {name} FROM {table} WHERE {name} COLLATE NOCASE IN ({marks}) LIMIT 50"
        try:
            with connection(self.path, tables=self.schema.names, seconds=LOOK_UP) as db:
                return tuple(str(r[0]) for r in db.execute(sql, list(words)))
        except TimeLimit:
            raise
        except LabError:
            return ()  # too strange: the words stay not understood, and are named


def sha256(path: Path) -> str:
    """sha256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Folder:
    """A temporary folder that is deleted with its database."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="retrieval-lab-"))
        self._gone = weakref.finalize(self, shutil.rmtree, str(self.path), True)


def open_database(path: Path) -> Database:
    """A SQLite file that nobody writes to while it is open.  Raises `QueryError`."""
    return Database(path.stem, path, inspect(path, None), "file")


def sample_folder() -> Path:
    """Where the sample databases stand, as SQL text with their hints."""
    return Path(__file__).with_name("databases")


def samples() -> tuple[str, ...]:
    return tuple(sorted(p.stem for p in sample_folder().glob("*.sql")))


def open_sample(name: str) -> Database:
    """Builds a sample database from its SQL text, in a temporary folder.  Raises `UnknownName`."""
    if name not in samples():
        known = Said("Available: {names}.", names=[*samples()])
        raise UnknownName(Said("There is no sample database “{name}”.", name=name), known)
    source, folder = sample_folder() / f"{name}.sql", Folder()
    path, hints_file = folder.path / f"{name}.sqlite", source.with_suffix(".hints.toml")
    with closing(sqlite3.connect(path)) as db:
        db.executescript(source.read_text("utf-8"))
        db.commit()
    path.chmod(0o444)
    hints = read_hints(hints_file.read_text("utf-8")) if hints_file.is_file() else None
    return Database(name, path, inspect(path, hints), "sample", folder)
