"""The only door to a database file: read-only, supervised, with a time limit.

Four locks stand one behind the other: the file is opened through a URI with ``mode=ro`` (and ``immutable``:
it is our own copy), ``PRAGMA query_only`` is on, an authorizer lets nothing through but reading known tables
with known functions, and a progress handler ends what takes too long.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lab.algebra import at_least
from lab.errors import QueryError
from lab.words import Said
from lab_packs.text2sql.moments import casefold, instant, moment

FUNCTIONS = frozenset(
    """
    abs avg ceil ceiling coalesce count date datetime floor glob group_concat ifnull iif instr julianday length
    like lower ltrim max min mod nullif replace round rtrim sign sqrt strftime substr substring sum time total
    trim unicode unixepoch upper row_number rank dense_rank ntile lag lead first_value last_value percent_rank
    cume_dist nth_value power pow exp ln log log10 likely unlikely cast
    """.split()  # noqa: SIM905
)
"""Functions that a query may call: they read their arguments, and none makes a value much larger than those."""

LOCAL_FUNCTIONS: Mapping[str, tuple[int, Callable[..., Any]]] = {
    "moment": (2, moment),
    "instant": (2, instant),
    "casefold": (1, casefold),
}
"""Functions of the lab that its own queries call, with the number of their arguments."""

_PRAGMAS = frozenset({"table_xinfo", "foreign_key_list", "index_list", "index_info", "quick_check"})


@dataclass(frozen=True)
class Limits:
    """How long a query may take (seconds) and how many rows come back."""

    seconds: float = 3.0
    rows: int = 200

    def __post_init__(self) -> None:
        at_least("seconds", self.seconds, 0.01)
        at_least("rows", self.rows, 1)


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


class Refusals:
    """The authorizer: remembers what it refused, so that the error can say it."""

    def __init__(self, tables: Iterable[str] | None, *, inspect: bool = False) -> None:
        self.tables = None if tables is None else frozenset(t.lower() for t in tables)
        self.inspect = inspect
        self.refused: str = ""

    def __call__(
        self, action: int, first: str | None, second: str | None, database: str | None, source: str | None
    ) -> int:
        if action == sqlite3.SQLITE_SELECT:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ:
            table = (first or "").lower()
            # a subquery has no database; its own columns were asked for where it reads its table
            if not database or self.tables is None or table in self.tables:
                return sqlite3.SQLITE_OK
            if self.inspect and table in ("sqlite_master", "sqlite_schema"):
                return sqlite3.SQLITE_OK
            return self._deny(Said("the table “{table}”", table=first))
        if action == sqlite3.SQLITE_FUNCTION:
            if (second or "").lower() in FUNCTIONS or second in LOCAL_FUNCTIONS:
                return sqlite3.SQLITE_OK
            return self._deny(Said("the function {name}()", name=second))
        if self.inspect and action == sqlite3.SQLITE_PRAGMA and (first or "").lower() in _PRAGMAS:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_RECURSIVE:
            return self._deny(Said("a recursive query"))
        return self._deny(Said("anything but reading"))

    def _deny(self, reason: str) -> int:
        self.refused = self.refused or reason
        return sqlite3.SQLITE_DENY


LOOK_UP = 1.0
"""How long a column is searched for words of a question, in seconds."""
STEPS = 5000
"""SQLite calls home every so many steps of its machine; a nonzero answer ends the statement."""


@contextmanager
def connection(
    path: Path, *, tables: Iterable[str] | None, seconds: float, inspect: bool = False
) -> Iterator[sqlite3.Connection]:
    """A supervised connection to a file; SQLite's errors come out as `QueryError`.

    ``tables`` are those that may be read (None: all); ``inspect`` also allows the catalogue and the pragmas
    that describe tables.
    """
    uri = f"file:{quote(str(path))}?mode=ro&immutable=1"
    guard = Refusals(tables, inspect=inspect)
    deadline = time.monotonic() + seconds
    late: Callable[[], int] = lambda: int(time.monotonic() > deadline)  # noqa: E731
    try:
        db = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise _explained(error, guard, deadline, seconds) from error
    try:
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 10_000_000)
        db.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, 100_000)
        db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        db.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000)
        db.setlimit(sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0)
        db.text_factory = lambda raw: raw.decode("utf-8", "replace")
        for name, (arguments, function) in LOCAL_FUNCTIONS.items():
            db.create_function(name, arguments, function, deterministic=True)
        db.execute("PRAGMA query_only = ON")
        db.execute("PRAGMA trusted_schema = OFF")
        db.execute("PRAGMA cell_size_check = ON")
        db.set_authorizer(guard)
        db.set_progress_handler(late, STEPS)
        yield db
    except (sqlite3.Error, sqlite3.Warning, OverflowError, UnicodeError) as error:  # UnicodeError: damaged names
        raise _explained(error, guard, deadline, seconds) from error
    finally:
        db.close()


def _explained(error: Exception, guard: Refusals, deadline: float, seconds: float) -> QueryError:
    text = str(error)
    if "interrupted" in text or time.monotonic() > deadline:
        return TimeLimit(seconds)
    if guard.refused or "not authorized" in text or "prohibited" in text:
        return QueryError(
            Said("The query was refused: it uses {what}.", what=guard.refused or text),
            Said("Only SELECT over the tables of this database is allowed."),
        )
    if isinstance(error, UnicodeError) or "malformed" in text or "not a database" in text or "corrupt" in text:
        return QueryError(
            Said("The database file is damaged: {error}.", error=text), Said("Export it again and upload the new file.")
        )
    return QueryError(
        Said("The database could not run the query: {error}.", error=text), Said("Rephrase the question.")
    )


class TimeLimit(QueryError):
    """A query that was ended at its time limit."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(
            Said("The query was ended after {seconds:g} seconds.", seconds=seconds),
            Said("Add a condition, request fewer groups, or raise the time limit."),
        )

    def __reduce__(self) -> tuple[object, ...]:
        return TimeLimit, (self.seconds,)


@dataclass(frozen=True)
class Result:
    """Rows of a query.  ``more``: there were more than the row limit; ``plan``: what SQLite does, line by line."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    more: bool
    plan: tuple[str, ...]
    seconds: float


def run_select(
    path: Path,
    sql: str,
    parameters: Sequence[object] | Mapping[str, object] = (),
    *,
    tables: Iterable[str],
    limits: Limits | None = None,
) -> Result:
    """Run one SELECT on a file, read-only.  Raises `QueryError`, `TimeLimit` where it took too long."""
    limits = limits or Limits()
    start = time.perf_counter()
    with connection(path, tables=tables, seconds=limits.seconds) as db:
        steps = db.execute("EXPLAIN QUERY PLAN " + sql, parameters).fetchall()
        cursor = db.execute(sql, parameters)
        if cursor.description is None:
            raise QueryError(Said("The query returned no table."), Said("Only SELECT is allowed."))
        rows = cursor.fetchmany(limits.rows + 1)
        columns = tuple(d[0] for d in cursor.description)
    return Result(
        columns=columns,
        rows=tuple(tuple(r) for r in rows[: limits.rows]),
        more=len(rows) > limits.rows,
        plan=_indented(steps),
        seconds=time.perf_counter() - start,
    )


def _indented(steps: Sequence[Sequence[object]]) -> tuple[str, ...]:
    """SQLite gives (id, parent, unused, text); children are set in under their parents."""
    depth: dict[object, int] = {0: -1}
    lines = []
    for node, parent, _, text in steps:
        depth[node] = depth.get(parent, -1) + 1
        lines.append("  " * depth[node] + str(text))
    return tuple(lines)
