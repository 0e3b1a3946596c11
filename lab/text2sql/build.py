"""From slots to one parameterised SELECT.

Names come from the schema and are quoted; values are always parameters.  Conditions on a parent table become
joins along foreign keys, conditions on a child table an EXISTS (so that no row is counted twice).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from lab.errors import QueryError
from lab.text2sql.guard import quoted
from lab.text2sql.schema import Column, ForeignKey, Schema
from lab.text2sql.slots import Filter, Group, Having, Measure, Ref, Scalar, Slots
from lab.words import Said


@dataclass(frozen=True)
class Output:
    """A column of the answer: where it comes from (None for a count of rows)."""

    name: str
    ref: Ref | None = None
    fn: str = ""
    part: str = ""


@dataclass(frozen=True)
class Query:
    """SQL with its parameters.  ``count_sql`` counts what the query would give without its row limit."""

    sql: str
    parameters: tuple[Scalar, ...]
    outputs: tuple[Output, ...]
    count_sql: str
    count_parameters: tuple[Scalar, ...]
    joins: tuple[ForeignKey, ...] = ()

    @property
    def bound(self) -> str:
        """The SQL with its values written in: for reading only, it is never run."""
        out, values = [], iter(self.parameters)
        inside = False
        for c in self.sql:
            inside ^= c == '"'
            out.append(_literal(next(values)) if c == "?" and not inside else c)
        return "".join(out)


def _literal(value: Scalar) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (int, float)):
        return (
            f"{value:g}"
            if isinstance(value, float) and abs(value) < 1e6
            else str(int(value) if value == int(value) else value)
        )
    return "NULL" if value is None else "'" + value.replace("'", "''") + "'"


def build(slots: Slots, schema: Schema, *, rows: int = 200) -> Query:
    """The query of these slots, for at most ``rows`` rows (one more is asked for, to know of the rest).

    Raises `QueryError` where slots name no table, or tables that do not hang together.
    """
    return _Builder(slots, schema).query(rows)


class _Builder:
    def __init__(self, slots: Slots, schema: Schema) -> None:
        if slots.table is None:
            raise QueryError(Said("No table is meant."), Said("Name one of: {tables}.", tables=", ".join(schema.names)))
        self.slots, self.schema, self.main = slots, schema, slots.table
        self.joins: dict[ForeignKey, str] = {}  # foreign key -> JOIN or LEFT JOIN
        self.parameters: list[Scalar] = []

    def query(self, rows: int) -> Query:
        s = self.slots
        where = self.where(s.filters)
        from_filters = tuple(self.parameters)
        self.parameters = []
        outputs, selected, grouped = self.select()
        order = self.order(grouped)
        having = self.having(s.having)
        from_having = tuple(self.parameters)
        body = f"FROM {quoted(self.main)}{self.join_sql()}"
        if where:
            body += "\nWHERE " + "\n  AND ".join(where)
        if grouped:
            body += "\nGROUP BY " + ", ".join(grouped)
        if having:
            body += "\nHAVING " + " AND ".join(having)
        sql = f"SELECT {', '.join(selected)}\n{body}"
        if order:
            sql += "\nORDER BY " + ", ".join(order)
        sql += "\nLIMIT ?"
        n = min(s.limit.n, rows + 1) if s.limit else rows + 1
        parameters = from_filters + from_having
        counted = f"SELECT count(*) FROM (SELECT 1 {body})"
        return Query(sql, (*parameters, n), tuple(outputs), counted, parameters, tuple(self.joins))

    # ------------------------------------------------------------------------------------- what is shown

    def select(self) -> tuple[list[Output], list[str], list[str]]:
        s = self.slots
        outputs: list[Output] = []
        selected: list[str] = []
        grouped: list[str] = []

        def put(output: Output, sql: str) -> None:
            outputs.append(output)
            selected.append(f"{sql} AS {quoted(output.name)}")

        for g in s.groups:
            sql = self.group_sql(g)
            put(Output(f"{g.column.column} ({g.part})" if g.part else g.column.column, g.column, part=g.part), sql)
            column = self.schema.column(g.column)
            keys = self.schema.table(g.column.table).keys
            if g.column.table != self.main and "label" in column.tags and len(keys) == 1:
                grouped.append(self.name(keys[0].ref))  # two customers may have one name
            grouped.append(sql)
        for m in s.measures:
            put(Output(_measure_name(m), m.column, fn=m.fn), self.measure_sql(m))
        if not s.groups and not s.measures:
            refs = [shown.column for shown in s.show]
            table = self.schema.table(self.main)
            if not refs:
                refs = [c.ref for c in table.columns]
            elif all(r.table == self.main for r in refs) and table.title.ref not in refs:
                refs = [table.title.ref, *refs]
            names = [r.column for r in refs]
            for r in refs:
                put(Output(r.column if names.count(r.column) == 1 else str(r), r), self.name(r, optional=True))
        return outputs, selected, grouped

    def measure_sql(self, m: Measure) -> str:
        if m.column is None:
            return "count(*)"
        sql = self.number(m.column) if m.fn != "count" else self.name(m.column)
        return f"count(DISTINCT {sql})" if m.fn == "count" else f"{m.fn}({sql})"

    def group_sql(self, g: Group) -> str:
        column = self.schema.column(g.column)
        if not g.part:
            return self.name(g.column)
        if column.kind != "date":
            return self.name(g.column)
        day = self.day(column)
        parts = {
            "year": f"substr({day}, 1, 4)",
            "month": f"substr({day}, 1, 7)",
            "day": f"substr({day}, 1, 10)",
            "quarter": f"substr({day}, 1, 4) || '-Q' || ((CAST(substr({day}, 6, 2) AS INTEGER) + 2) / 3)",
            "weekday": f"strftime('%w', {day})",
        }
        return parts[g.part]

    def order(self, grouped: Sequence[str]) -> list[str]:
        s = self.slots
        out = []
        for sort in s.sorts:
            direction = "DESC" if sort.descending else "ASC"
            if isinstance(sort.by, Measure):
                sql = self.measure_sql(sort.by)
            else:
                column = self.schema.column(sort.by)
                sql = (
                    self.day(column)
                    if column.kind == "date"
                    else self.number(sort.by)
                    if column.kind == "number"
                    else self.name(sort.by)
                )
                order = column.hint.order
                if order and column.kind == "category":
                    sql = "CASE " + sql + "".join(f" WHEN {_literal(v)} THEN {i}" for i, v in enumerate(order)) + " END"
            out.append(f"{sql} IS NULL, {sql} {direction}" if not grouped else f"{sql} {direction}")
        if grouped:
            return out + list(grouped)
        if s.measures:
            return []
        return out + [self.name(k.ref) for k in self.schema.table(self.main).keys]

    def having(self, conditions: Sequence[Having]) -> list[str]:
        out = []
        for h in conditions:
            sql = self.measure_sql(h.measure)
            self.parameters += h.values
            out.append(f"{sql} BETWEEN ? AND ?" if h.op == "between" else f"{sql} {h.op} ?")
        return out

    # ------------------------------------------------------------------------------------------ conditions

    def where(self, filters: Sequence[Filter]) -> list[str]:
        out = []
        children: dict[str, list[Filter]] = {}
        for f in filters:
            if f.column.table == self.main or self.schema.path(self.main, f.column.table) is not None:
                if f.op == "linked":
                    self.expect(f.column.table)
                else:
                    out.append(self.condition(f))
            elif f.negated:  # no row there may match, so each negation stands alone
                out.append("NOT " + self.exists(f.column.table, [Filter(f.column, f.op, f.values)]))
            else:
                children.setdefault(f.column.table, []).append(f)
        for table, several in children.items():
            out.append(self.exists(table, several))
        return out

    def exists(self, table: str, filters: Sequence[Filter]) -> str:
        way = self.schema.link(self.main, table)
        if way is None:
            raise _apart(self.main, table)
        start, to_main, to_table = way
        joins = ""
        for f in (*to_main[:-1], *to_table):
            joins += (
                f" JOIN {quoted(f.parent)} ON {quoted(f.parent)}.{quoted(f.key)} = {quoted(f.table)}.{quoted(f.column)}"
            )
        last = to_main[-1]
        inside = [f"{quoted(last.table)}.{quoted(last.column)} = {quoted(self.main)}.{quoted(last.key)}"]
        inside += [self.condition(f, inside=True) for f in filters if f.op != "linked"]
        return f"EXISTS (SELECT 1 FROM {quoted(start)}{joins} WHERE {' AND '.join(inside)})"

    def condition(self, f: Filter, *, inside: bool = False) -> str:
        """One filter as SQL; its values go to the parameters in the order of their marks."""
        column = self.schema.column(f.column)
        sql = f"{quoted(column.table)}.{quoted(column.name)}" if inside else self.name(f.column)
        if f.op == "=":
            values = [(column.truth[0] if v else column.truth[1]) if column.kind == "boolean" else v for v in f.values]
            self.parameters += values
            sql = f"CAST({sql} AS REAL)" if column.style == "text" and column.kind == "number" else sql
            one, many = ("<>", "NOT IN") if f.negated else ("=", "IN")
            return f"{sql} {one} ?" if len(values) == 1 else f"{sql} {many} ({', '.join('?' * len(values))})"
        positive, values = _positive(f, column, sql)
        self.parameters += values
        return f"NOT ({positive})" if f.negated else positive

    # ------------------------------------------------------------------------------------------------ names

    def expect(self, table: str, *, optional: bool = False) -> None:
        """Join the way to a parent table; inner where a condition needs it, left where it is only shown."""
        if table == self.main:
            return
        way = self.schema.path(self.main, table)
        if way is None:
            raise _apart(self.main, table)
        for f in way:
            if not optional or f not in self.joins:
                self.joins[f] = "LEFT JOIN" if optional else "JOIN"

    def join_sql(self) -> str:
        return "".join(
            f"\n{kind} {quoted(f.parent)} ON {quoted(f.parent)}.{quoted(f.key)} = {quoted(f.table)}.{quoted(f.column)}"
            for f, kind in self.joins.items()
        )

    def name(self, ref: Ref, *, optional: bool = False) -> str:
        self.expect(ref.table, optional=optional)
        return f"{quoted(ref.table)}.{quoted(ref.column)}"

    def number(self, ref: Ref) -> str:
        column, sql = self.schema.column(ref), self.name(ref)
        return f"CAST({sql} AS REAL)" if column.style == "text" else sql

    def day(self, column: Column) -> str:
        return day_sql(column, self.name(column.ref))


def _apart(main: str, other: str) -> QueryError:
    return QueryError(
        Said("{other} and {main} are not linked by a foreign key.", other=other, main=main),
        Said("Ask about one of them."),
    )


def _measure_name(m: Measure) -> str:
    return m.fn if m.column is None else f"{m.fn} {m.column.column}"


def day_sql(column: Column, sql: str) -> str:
    """A date column as ISO text, however it is stored."""
    return {
        "iso": sql,
        "slash": f"replace({sql}, '/', '-')",
        "compact": f"(substr({sql}, 1, 4) || '-' || substr({sql}, 5, 2) || '-' || substr({sql}, 7, 2))",
        "us": f"(substr({sql}, 7, 4) || '-' || substr({sql}, 1, 2) || '-' || substr({sql}, 4, 2))",
        "eu": f"(substr({sql}, 7, 4) || '-' || substr({sql}, 4, 2) || '-' || substr({sql}, 1, 2))",
        "epoch": f"datetime({sql}, 'unixepoch')",
        "epoch ms": f"datetime({sql} / 1000, 'unixepoch')",
    }.get(column.style, sql)


def _moment(column: Column, day: Scalar) -> Scalar:
    """An ISO day as the column stores days, so that an index on it can be used."""
    date = dt.date.fromisoformat(str(day))
    midnight = int(dt.datetime(date.year, date.month, date.day, tzinfo=dt.UTC).timestamp())
    stored: dict[str, Scalar] = {
        "slash": f"{date:%Y/%m/%d}",
        "compact": int(f"{date:%Y%m%d}")
        if "char" not in column.declared.lower() and "text" not in column.declared.lower()
        else f"{date:%Y%m%d}",
        "epoch": midnight,
        "epoch ms": midnight * 1000,
    }
    return stored.get(column.style, date.isoformat())


def _positive(f: Filter, column: Column, sql: str) -> tuple[str, list[Scalar]]:
    values: list[Scalar] = list(f.values)
    if f.op == "empty":
        return f"{sql} IS NULL OR {sql} = ''" if f.negated else f"({sql} IS NULL OR {sql} = '')", []
    if f.op == "during":
        return _during(values, column, sql)
    if column.style == "text" and column.kind == "number":
        sql = f"CAST({sql} AS REAL)"
    if f.op == "between":
        return f"{sql} BETWEEN ? AND ?", values
    if f.op in ("<", "<=", ">", ">="):
        return f"{sql} {f.op} ?", values
    folded = f"lower({sql})"
    lowered: list[Scalar] = [str(v).lower() if str(v).isascii() else _ascii_lower(str(v)) for v in values]
    if f.op == "has":
        separator = column.style.replace("'", "''") or ","
        listed = f"replace(replace({folded}, '{separator} ', ','), '{separator}', ',')"
        each = [f"instr(',' || {listed} || ',', ',' || ? || ',') > 0"] * len(values)
    elif f.op == "contains":
        each = [f"instr({folded}, ?) > 0"] * len(values)
    elif f.op == "starts":
        each = [f"substr({folded}, 1, length(?)) = ?"] * len(values)
        lowered = [v for v in lowered for _ in (1, 2)]
    elif f.op == "ends":
        each = [f"substr({folded}, -length(?)) = ?"] * len(values)
        lowered = [v for v in lowered for _ in (1, 2)]
    else:
        raise QueryError(Said("“{op}” is no condition.", op=f.op))
    return (each[0] if len(each) == 1 else "(" + " OR ".join(each) + ")"), lowered


def _ascii_lower(text: str) -> str:
    """What SQLite's lower() does: A to Z only."""
    return "".join(c.lower() if c.isascii() else c for c in text)


def _during(values: list[Scalar], column: Column, sql: str) -> tuple[str, list[Scalar]]:
    first, after = values
    if column.is_year:  # whole years only; the rules see to that
        bounds: list[Scalar] = [int(str(d)[:4]) if d is not None else None for d in (first, after)]
    elif column.style in ("us", "eu"):
        sql = day_sql(column, sql)
        bounds = [first, after]
    else:
        bounds = [None if d is None else _moment(column, d) for d in (first, after)]
    parts = [f"{sql} {op} ?" for op, b in zip((">=", "<"), bounds, strict=True) if b is not None]
    both = " AND ".join(parts)
    return (f"({both})" if len(parts) == 2 else both), [b for b in bounds if b is not None]
