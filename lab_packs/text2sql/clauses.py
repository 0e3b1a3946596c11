"""The clauses of one SELECT as sqlglot's nodes: columns and the tables that they join, expressions, conditions.

Names come from the schema; values are always named parameters.
"""

from __future__ import annotations

import calendar
import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import reduce
from typing import Any, Self

from sqlglot import exp

from lab.errors import QueryError
from lab.words import Said
from lab_packs.text2sql import tree
from lab_packs.text2sql.moments import ORDERS
from lab_packs.text2sql.schema import Column, ForeignKey, Schema


class Clauses(ABC):
    """One SELECT while it is made: its table, the tables that it joins, the parameters of all of them."""

    def __init__(self, select: tree.Select, schema: Schema, values: dict[str, tree.Scalar], depth: int = 0) -> None:
        self.select, self.schema, self.values, self.depth = select, schema, values, depth
        self.joins: dict[ForeignKey, str] = {}
        self.parts: list[tuple[tree.Piece, str]] = []

    def write(self, kind: str, value: object, node: exp.Expression) -> exp.Expression:
        """A node, noted as the SQL of that piece of the tree."""
        self.parts.append((tree.Piece(kind, value), node.sql("sqlite", identify=True, comments=False)))
        return node

    @abstractmethod
    def query(self) -> tuple[exp.Select, Sequence[object]]:
        """The whole SELECT, and what it shows."""

    def name(self, table: str) -> str:
        return table if not self.depth else f"{table} {self.depth}"

    def column(self, ref: tree.Ref, *, optional: bool = False) -> exp.Expression:
        self.expect(ref.table, optional=optional)
        return self.named(ref.table, ref.column)

    def named(self, table: str, column: str) -> exp.Expression:
        return exp.column(column, self.name(table), quoted=True)

    def expect(self, table: str, *, optional: bool = False) -> None:
        """Join the way to a parent table; inner where a condition needs it, left where it is only shown."""
        if table == self.select.table:
            return
        way = self.schema.path(self.select.table, table)
        if way is None:
            raise self.unlinked(table)
        for f in way:
            if not optional or f not in self.joins:
                self.joins[f] = "LEFT" if optional else ""

    def unlinked(self, other: str) -> QueryError:
        message = Said("{other} and {main} are not linked by a foreign key.", other=other, main=self.select.table)
        return QueryError(message, Said("Ask about one of them."))

    def from_(self, query: exp.Select) -> exp.Select:
        table = self.table(self.select.table)
        self.write("table", self.select.table, exp.From(this=table))
        query = query.from_(table)
        for f, side in self.joins.items():
            keys = _binary("=", self.named(f.parent, f.key), self.named(f.table, f.column))
            query = query.join(self.table(f.parent), on=keys, join_type=side)
        return query

    def table(self, table: str) -> exp.Expression:
        identifier = exp.to_identifier(table, quoted=True)
        alias = exp.TableAlias(this=exp.to_identifier(self.name(table), quoted=True)) if self.depth else None
        return exp.Table(this=identifier, alias=alias)

    def value(self, value: tree.Scalar) -> exp.Expression:
        name = f"p{len(self.values) + 1}"
        self.values[name] = int(value) if isinstance(value, bool) else value
        return exp.Placeholder(this=name)

    def inside(self, select: tree.Select) -> Self:
        """A SELECT within this one."""
        return type(self)(select, self.schema, self.values, self.depth + 1)

    def expression(self, e: tree.Expr, *, optional: bool = False) -> exp.Expression:
        if isinstance(e, tree.Field):
            sql = self.column(e.ref, optional=optional)
            return _call("nullif", sql, "") if self.schema.column(e.ref).blank else sql
        if isinstance(e, tree.Part):
            return self.part(e, optional=optional)
        if isinstance(e, tree.Aggregate):
            return self.aggregate(e)
        if isinstance(e, tree.Arithmetic):
            return self.arithmetic(e)
        inner, _ = self.inside(e.select).query()  # also of a group: it takes the numbers of its parameters
        if e.alike:
            return self.of_group(e)
        return (inner.limit(e.select.limit) if e.select.limit else inner).subquery()

    def of_group(self, e: tree.Inner) -> exp.Expression:
        """Returns the number of a row's group; all groups are computed once."""
        inner, name = self.inside(e.select), f"groups {self.depth + 1}"
        groups = {f"g{i}": (of, inner.expression(of)) for i, of in enumerate(e.alike)}
        columns = {g: sql for g, (_, sql) in groups.items()} | {"n": inner.expression(e.select.measures[0])}
        query = inner.from_(exp.select(*(exp.alias_(sql, g, quoted=True) for g, sql in columns.items())))
        query = query.group_by(*(sql.copy() for _, sql in groups.values()))
        same = [_binary("=", exp.column(g, name, quoted=True), self.expression(of)) for g, (of, _) in groups.items()]
        rows = query.subquery(exp.to_identifier(name, quoted=True))
        return exp.select(exp.column("n", name, quoted=True)).from_(rows).where(*same).subquery()

    def key(self, e: tree.Expr) -> exp.Expression:
        """Returns an expression as sortable numbers or days, however it is stored."""
        if not isinstance(e, tree.Field):
            return self.expression(e)
        column, sql = self.schema.column(e.ref), self.column(e.ref)
        if column.kind == "date":
            return day(column, sql)
        if column.kind == "number" and column.style == "text":
            return exp.cast(sql, "REAL")
        if column.hint.order and column.kind == "category":
            places = ((_binary("=", sql, self.value(v)), _literal(i)) for i, v in enumerate(column.hint.order))
            return exp.Case(ifs=[exp.If(this=is_value, true=place) for is_value, place in places])
        return sql

    def part(self, e: tree.Part, *, optional: bool = False) -> exp.Expression:
        column, sql = self.schema.column(e.of.ref), self.column(e.of.ref, optional=optional)
        if column.kind != "date":
            return sql
        text = day(column, sql)
        if e.part == "weekday":
            return _call("strftime", "%w", _call("substr", text, 1, 10))
        if e.part == "time":
            return _call("substr", text, 12, 5)
        month = exp.cast(_call("substr", text, 6, 2), "INTEGER")
        if e.part == "month of year":
            return month
        if e.part == "quarter":
            third = exp.Div(this=exp.paren(_binary("+", month, 2)), expression=_literal(3), typed=True)
            return _joined(_call("substr", text, 1, 4), "-Q", exp.paren(third))
        return _call("substr", text, 1, {"year": 4, "month": 7, "day": 10}[e.part])

    def aggregate(self, e: tree.Aggregate) -> exp.Expression:
        of: exp.Expression = exp.Literal.number(1)
        if e.of is not None:
            of = self.expression(e.of) if e.fn == "distinct" else self.key(e.of)
        if e.where:
            of = exp.Case(ifs=[exp.If(this=exp.and_(*(self.condition(c) for c in e.where)), true=of)])
        elif e.of is None:
            of = exp.Star()
        if e.fn == "distinct":
            return exp.Count(this=exp.Distinct(expressions=[of]))
        maker: Any = {"count": exp.Count, "avg": exp.Avg, "sum": exp.Sum, "min": exp.Min, "max": exp.Max}[e.fn]
        aggregate: exp.Expression = maker(this=of)
        return aggregate

    def arithmetic(self, e: tree.Arithmetic) -> exp.Expression:
        left, right = self.key(e.left), self.key(e.right)
        if e.op == "-" and isinstance(e.left, tree.Field) and self.schema.column(e.left.ref).kind == "date":
            left, right = self.julian(e.left), self.julian(e.right)
        if e.op == "/":
            return _quotient(exp.paren(left), _call("nullif", right, 0))
        return exp.paren(_binary(e.op, left, right))

    def julian(self, e: tree.Expr) -> exp.Expression:
        """Returns a day as a number of days; a time stamp with its zone."""
        column = self.schema.column(e.ref) if isinstance(e, tree.Field) else None
        if isinstance(e, tree.Field) and column is not None and has_stamps(column):
            return _call("instant", self.column(e.ref), ORDERS[column.style])
        return _call("julianday", self.key(e))

    def condition(self, c: tree.Condition) -> exp.Expression:
        if isinstance(c, tree.Not):
            of = self.condition(c.of)
            if not isinstance(c.of, tree.Test) or c.of.op != "=":
                return exp.Not(this=exp.paren(of))
            return exp.NEQ(this=of.this, expression=of.expression) if isinstance(of, exp.EQ) else exp.Not(this=of)
        if isinstance(c, (tree.AllOf, tree.AnyOf)):
            joined = exp.and_ if isinstance(c, tree.AllOf) else exp.or_
            return exp.paren(joined(*map(self.condition, c.of)))
        if isinstance(c, tree.Related):
            return self.exists(c)
        if isinstance(c, tree.Versus) and c.op == "in":
            return exp.In(this=self.expression(c.left), query=self.expression(c.right))
        if isinstance(c, tree.Versus):
            return _binary(c.op, self.key(c.left), self.key(c.right))
        return self.test(c)

    def test(self, c: tree.Test) -> exp.Expression:
        column = self.schema.column(c.of.ref) if isinstance(c.of, tree.Field) else None
        if c.op == "empty":
            of = self.expression(c.of)
            return exp.paren(exp.or_(exp.Is(this=of, expression=exp.Null()), _binary("=", of, "")))
        if c.op == "during" and column is not None:
            return self.during(c, column)
        if c.op == "=":
            of = self.key(c.of) if column is not None and column.kind == "number" else self.expression(c.of)
            truth = column.truth if column is not None and column.kind == "boolean" else None
            if truth is not None and truth[1] is None and c.values == (False,):  # no mark says no
                return exp.paren(exp.or_(exp.Is(this=of, expression=exp.Null()), _binary("=", of, "")))
            marks = [self.value(truth[0 if v else 1] if truth else v) for v in c.values]
            return exp.In(this=of, expressions=marks) if len(marks) > 1 else _binary("=", of, marks[0])
        if c.op in tree.COMPARISONS:
            return _binary(c.op, self.key(c.of), self.value(c.values[0]))
        if c.op == "between":
            low, high = map(self.value, c.values)
            return exp.Between(this=self.key(c.of), low=low, high=high)
        each = [self.text(c.op, self.expression(c.of), str(v), column) for v in c.values]
        return each[0] if len(each) == 1 else exp.paren(exp.or_(*each))

    def text(self, op: str, of: exp.Expression, value: str, column: Column | None) -> exp.Expression:
        # SQLite's lower() knows ASCII only, and is much faster
        cased = any(not ch.isascii() and ch.lower() != ch.upper() for ch in value)
        folded = _call("casefold" if cased else "lower", of)
        mark = self.value(value.casefold() if cased else value.lower())
        if op == "has":
            separator = (column.style if column else "") or ","
            listed = _call("replace", _call("replace", folded, separator + " ", ","), separator, ",")
            folded, mark = _joined(",", listed, ","), _joined(",", mark, ",")
        if op in ("has", "contains"):
            return _binary(">", _call("instr", folded, mark), 0)
        length = _call("length", mark)
        cut = (1, length) if op == "starts" else (exp.Neg(this=length),)
        return _binary("=", _call("substr", folded, *cut), mark)

    def during(self, c: tree.Test, column: Column) -> exp.Expression:
        sql = self.expression(c.of)
        if column.style in ("us", "eu", "stamp") or column.style in _LOOSE:
            sql = day(column, sql)
        bounds = ((op, _moment(column, d)) for op, d in zip((">=", "<"), c.values, strict=True) if d is not None)
        parts = [_binary(op, sql, self.value(moment)) for op, moment in bounds]
        return exp.paren(exp.and_(*parts)) if len(parts) > 1 else parts[0]

    def exists(self, c: tree.Related) -> exp.Expression:
        way = self.schema.link(self.select.table, c.table)
        if way is None:
            raise self.unlinked(c.table)
        start, to_main, to_table = way
        inner = self.inside(tree.Select(start))
        for f in (*to_main[:-1], *to_table):
            inner.joins[f] = ""
        last = to_main[-1]
        bound = _binary("=", inner.named(last.table, last.column), self.named(self.select.table, last.key))
        conditions = [inner.condition(x) for x in c.where]
        if c.many is None:
            return exp.Exists(this=inner.from_(exp.select(_literal(1)).where(bound, *conditions)))
        key = self.schema.table(c.table).keys
        paired = bool(to_table) and len(key) == 1  # one may be paired with a row several times
        of = exp.Distinct(expressions=[inner.column(key[0].ref)]) if paired else exp.Star()
        counted = inner.from_(exp.select(exp.Count(this=of)).where(bound, *conditions)).subquery()
        return _binary(c.many[0], counted, self.value(c.many[1]))


_COMPARED: dict[str, Any] = {"=": exp.EQ, "<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE}
_KINDS = _COMPARED | {"+": exp.Add, "-": exp.Sub, "*": exp.Mul}


def _literal(value: exp.Expression | str | int) -> exp.Expression:
    """A text or a number as a node; a node as one of its own."""
    if isinstance(value, exp.Expression):
        return value.copy()
    return exp.Literal.string(value) if isinstance(value, str) else exp.Literal.number(value)


def _binary(op: str, left: exp.Expression, right: exp.Expression | str | int) -> exp.Expression:
    binary: exp.Expression = _KINDS[op](this=_literal(left), expression=_literal(right))
    return binary


def _quotient(left: exp.Expression, right: exp.Expression) -> exp.Expression:
    return exp.Div(this=exp.Mul(this=exp.Literal.number("1.0"), expression=left), expression=right, typed=False)


def _call(name: str, *arguments: exp.Expression | str | int) -> exp.Expression:
    return exp.Anonymous(this=name, expressions=[_literal(a) for a in arguments])


def _joined(*parts: exp.Expression | str) -> exp.Expression:
    return reduce(lambda a, b: exp.DPipe(this=a, expression=b), map(_literal, parts))


def has_stamps(column: Column) -> bool:
    """Whether a column has times that SQLite does not read."""
    return column.style == "stamp" or ("timed" in column.tags and column.style in ORDERS)


def day(column: Column, sql: exp.Expression) -> exp.Expression:
    """A date column as ISO text, however it is stored."""
    style = column.style
    if has_stamps(column):
        return _call("moment", sql, ORDERS[style])
    if style == "slash":
        return _call("replace", sql, "/", "-")
    if style in ("epoch", "epoch ms"):
        seconds = sql if style == "epoch" else exp.Div(this=sql, expression=_literal(1000), typed=True)
        return _call("datetime", seconds, "unixepoch")
    if style in _LOOSE:
        return _put_in_order(sql, _LOOSE[style])
    places = {"compact": (1, 5, 7), "us": (7, 1, 4), "eu": (7, 4, 1)}.get(style)
    if places is None:
        return sql
    year, month, date = (_call("substr", sql, at, n) for at, n in zip(places, (4, 2, 2), strict=True))
    return exp.paren(_joined(year, "-", month, "-", date))


_LOOSE = {"loose": (0, 1, 2), "loose us": (2, 0, 1), "loose eu": (2, 1, 0)}
"""Where year, month and day stand in days that are written without zeros: 2025/3/1, 2025年3月1日, 3/14/2025."""


def _put_in_order(sql: exp.Expression, places: tuple[int, ...]) -> exp.Expression:
    """Three numbers between marks as an ISO day."""
    for mark in "年月-.":
        sql = _call("replace", sql, mark, "/")
    parts, rest = list[exp.Expression](), sql
    for _ in range(2):
        at = _call("instr", rest, "/")
        parts.append(_call("substr", rest, 1, _binary("-", at, 1)))
        rest = _call("substr", rest, _binary("+", at, 1))
    year, month, date = ([exp.cast(part, "INTEGER") for part in (*parts, rest)][place] for place in places)
    # two digits of each; text after the last number is ignored
    padded = [_call("substr", _joined("0", n), exp.Neg(this=_literal(2))) for n in (month, date)]
    return exp.paren(_joined(year, "-", padded[0], "-", padded[1]))


def _moment(column: Column, iso_day: tree.Scalar) -> tree.Scalar:
    """Converts an ISO day to the column's own format, so that an index on it can be used."""
    date = dt.date.fromisoformat(str(iso_day))
    if column.is_year:  # whole years only; the grammar sees to that
        return date.year
    midnight = calendar.timegm(date.timetuple())
    textual = any(kind in column.declared.lower() for kind in ("char", "text"))
    stored: dict[str, tree.Scalar] = {
        "slash": f"{date:%Y/%m/%d}",
        "compact": f"{date:%Y%m%d}" if textual else int(f"{date:%Y%m%d}"),
        "epoch": midnight,
        "epoch ms": midnight * 1000,
    }
    return stored.get(column.style, date.isoformat())
