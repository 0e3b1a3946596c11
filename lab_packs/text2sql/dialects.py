"""SQL of PostgreSQL and MySQL, which language models write, as SQL that SQLite runs; and the day that "today" is.

A translation is by sqlglot, with the functions of days that SQLite has under other names.  What has no counterpart stays
as it is, and the check of `lab_packs.text2sql.free` refuses it by its name.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import sqlglot
from sqlglot import TokenType, exp

DIALECTS = {"postgres": "PostgreSQL", "mysql": "MySQL"}
_PARTS = {"YEAR": "%Y", "MONTH": "%m", "DAY": "%d", "HOUR": "%H", "MINUTE": "%M", "DOW": "%w", "DOY": "%j"}
_BEGINNINGS = {"YEAR": "%Y-01-01", "MONTH": "%Y-%m-01", "DAY": "%Y-%m-%d"}
_OF_DAYS = ("date", "datetime", "julianday", "unixepoch", "time")
_UNITS = ("day", "month", "year", "week", "quarter", "hour", "minute")
"""Units of a stretch of time."""


def with_today(sql: str, today: dt.date) -> str:
    """Returns SQL with the day of the question in place of the clock's: CURRENT_DATE, date('now'), date()."""
    tokens, changed = sqlglot.tokenize(sql, read="sqlite"), sql
    day, second = f"'{today}'", f"'{today} 00:00:00'"
    for n in range(len(tokens) - 1, -1, -1):
        token, before = tokens[n], tokens[max(0, n - 4) : n]
        names = [t.text.lower() for t in before]
        text = ""
        if token.token_type is TokenType.CURRENT_DATE:
            text = day
        elif token.token_type in (TokenType.CURRENT_TIMESTAMP, TokenType.CURRENT_DATETIME):
            text = second
        elif token.token_type is TokenType.STRING and token.text.lower() == "now":
            called = names[-1:] == ["("] and names[-2:-1] and names[-2] in _OF_DAYS
            formatted = names[-1:] == [","] and names[-4:-2] == ["strftime", "("]
            text = second if called or formatted else ""
        elif token.text == ")" and names[-1:] == ["("] and names[-2:-1] and names[-2] in _OF_DAYS:
            changed = changed[: token.start] + second + changed[token.start :]
        if text:
            changed = changed[: token.start] + text + changed[token.end + 1 :]
    return changed


def translated(sql: str, dialect: str, today: dt.date, check: Callable[[Any], None]) -> str:
    """Returns the SQL of a dialect as SQL of SQLite; ``check`` sees every node of what is written, and may raise.

    Raises `sqlglot.errors.SqlglotError`.
    """
    statements = [s for s in sqlglot.parse(sql, read=dialect) if s is not None]
    if len(statements) != 1:
        raise ValueError("one statement is translated")
    for node in (node for s in statements for node in s.walk()):
        check(node)
    rewritten = [s.transform(lambda node: _of_sqlite(node, today)) for s in statements]
    texts = (s.sql(dialect="sqlite", unsupported_level=sqlglot.ErrorLevel.IGNORE) for s in rewritten)
    return with_today("; ".join(texts), today)


def _of_sqlite(node: Any, today: dt.date) -> Any:
    """Returns a node with functions that SQLite has; other nodes as they are."""
    if isinstance(node, exp.CurrentDate):
        return exp.Literal.string(str(today))
    if isinstance(node, (exp.CurrentTimestamp, exp.CurrentDatetime)) or _is_call(node, "now"):
        return exp.Literal.string(f"{today} 00:00:00")
    if isinstance(node, exp.Extract):
        return _number(_PARTS.get(node.name.upper()), node.expression) or node
    for kind, part in ((exp.Year, "YEAR"), (exp.Month, "MONTH"), (exp.Day, "DAY")):
        if isinstance(node, kind):
            return _number(_PARTS[part], _bare(node.this))
    if isinstance(node, (exp.TimestampTrunc, exp.DateTrunc)):
        unit = node.args["unit"].name.upper() if node.args.get("unit") else ""
        return _format(_BEGINNINGS[unit], _bare(node.this)) if unit in _BEGINNINGS else node
    if isinstance(node, exp.TimeToStr):
        pattern = node.args["format"].name
        return _format(pattern, _bare(node.this))
    if isinstance(node, exp.Cast) and node.to.this in (exp.DataType.Type.DATE, exp.DataType.Type.TIMESTAMP):
        return _call("date" if node.to.this is exp.DataType.Type.DATE else "datetime", node.this)
    if isinstance(node, exp.Cast) and node.to.this in (exp.DataType.Type.DECIMAL, exp.DataType.Type.DOUBLE):
        return exp.cast(node.this, "REAL")
    if isinstance(node, exp.DateDiff) and not isinstance(node.this, exp.Literal):
        return exp.paren(
            exp.Sub(this=_call("julianday", _bare(node.this)), expression=_call("julianday", _bare(node.expression)))
        )
    if isinstance(node, (exp.TsOrDsToDate, exp.Date)):
        return _call("date", node.this)
    return _moved(node)


def _moved(node: Any) -> Any:
    """Returns a day moved by an interval: date(day, '-30 days')."""
    sign = "-" if isinstance(node, (exp.DateSub, exp.Sub)) else "+"
    if isinstance(node, (exp.DateAdd, exp.DateSub)):
        amount, unit = node.expression, node.args.get("unit")
        number, word = getattr(amount, "this", amount), unit.name.lower() if unit is not None else ""
        amount_text = number.name if isinstance(number, exp.Literal) else amount.name
    elif isinstance(node, (exp.Add, exp.Sub)) and isinstance(node.expression, exp.Interval):
        interval = node.expression
        amount_text = interval.this.name if interval.this is not None else ""
        word = interval.args["unit"].name.lower() if interval.args.get("unit") else ""
    else:
        return node
    number_text, _, own_word = amount_text.partition(" ")
    word = (own_word or word).rstrip("s")
    weeks = 7 if word == "week" else 3 if word == "quarter" else 1
    if not number_text.lstrip("+-").isdigit() or word not in _UNITS:
        return node
    stored = {"week": "day", "quarter": "month"}.get(word, word)
    shift = exp.Literal.string(f"{sign}{int(number_text) * weeks} {stored}s".replace("--", "+").replace("+-", "-"))
    return _call("datetime" if word in ("hour", "minute") else "date", _bare(node.this), shift)


def _bare(node: Any) -> Any:
    """Returns what a conversion to a day is of: SQLite's functions read the stored text."""
    while isinstance(node, (exp.TsOrDsToDate, exp.TsOrDsToTimestamp, exp.Cast)) or _is_call(node, "date"):
        node = node.expressions[0] if isinstance(node, exp.Anonymous) else node.this
    return node


def _is_call(node: Any, name: str) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.lower() == name


def _call(name: str, *arguments: Any) -> Any:
    return exp.Anonymous(this=name, expressions=[a.copy() for a in arguments])


def _format(pattern: str, of: Any) -> Any:
    return _call("strftime", exp.Literal.string(pattern), of)


def _number(pattern: str | None, of: Any) -> Any:
    return exp.cast(_format(pattern, _bare(of)), "INTEGER") if pattern else None
