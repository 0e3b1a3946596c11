"""The clauses of one SELECT as sqlglot's nodes: columns and the tables that they join, expressions, conditions.

Names come from the schema; values are always named parameters.
"""

from __future__ import annotations

import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from lab.errors import QueryError
from lab.text2sql import tree
from lab.text2sql.schema import Column, ForeignKey, Schema
from lab.words import Said


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
        return exp.column(ref.column, self.name(ref.table), quoted=True)

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
        what = Said("{other} and {main} are not linked by a foreign key.", other=other, main=self.select.table)
        return QueryError(what, Said("Ask about one of them."))

    def from_(self, made: exp.Select) -> exp.Select:
        table = self.table(self.select.table)
        self.write("table", self.select.table, exp.From(this=table))
        made = made.from_(table)
        for f, side in self.joins.items():
            made = made.join(self.table(f.parent), on=self.link(f), join_type=side)
        return made

    def table(self, table: str) -> exp.Expression:
        named = exp.to_identifier(table, quoted=True)
        alias = exp.TableAlias(this=exp.to_identifier(self.name(table), quoted=True)) if self.depth else None
        return exp.Table(this=named, alias=alias)

    def link(self, f: ForeignKey) -> exp.Expression:
        key = exp.column(f.key, self.name(f.parent), quoted=True)
        return exp.EQ(this=key, expression=exp.column(f.column, self.name(f.table), quoted=True))

    def value(self, value: tree.Scalar) -> exp.Expression:
        name = f"p{len(self.values) + 1}"
        self.values[name] = int(value) if isinstance(value, bool) else value
        return exp.Placeholder(this=name)

    def expression(self, e: tree.Expr, *, optional: bool = False) -> exp.Expression:
        if isinstance(e, tree.Field):
            return self.column(e.ref, optional=optional)
        if isinstance(e, tree.Part):
            return self.part(e, optional=optional)
        if isinstance(e, tree.Aggregate):
            return self.aggregate(e)
        if isinstance(e, tree.Share):
            return self.share(e)
        if isinstance(e, tree.Inner):
            inner, _ = type(self)(e.select, self.schema, self.values, self.depth + 1).query()
            if e.alike:
                return self.of_group(e)
            return (inner.limit(e.select.limit) if e.select.limit else inner).subquery()
        return self.arithmetic(e)

    def of_group(self, e: tree.Inner) -> exp.Expression:
        """The number of the group that a row is in; all groups are made once."""
        inner = type(self)(e.select, self.schema, self.values, self.depth + 1)
        groups, number = [inner.expression(of) for of in e.alike], inner.expression(e.select.measures[0])
        shown = [exp.alias_(of, f"g{i}", quoted=True) for i, of in enumerate(groups)]
        made = inner.from_(exp.select(*shown, exp.alias_(number, "n", quoted=True))).group_by(
            *(g.copy() for g in groups)
        )
        name = f"groups {self.depth + 1}"
        same = [
            exp.EQ(this=exp.column(f"g{i}", name, quoted=True), expression=self.expression(of))
            for i, of in enumerate(e.alike)
        ]
        rows = made.subquery(exp.to_identifier(name, quoted=True))
        return exp.select(exp.column("n", name, quoted=True)).from_(rows).where(*same).subquery()

    def key(self, e: tree.Expr) -> exp.Expression:
        """An expression as numbers or days that can be put in order, whatever it is stored as."""
        if not isinstance(e, tree.Field):
            return self.expression(e)
        column, sql = self.schema.column(e.ref), self.column(e.ref)
        if column.kind == "date":
            return day(column, sql)
        if column.kind == "number" and column.style == "text":
            return exp.cast(sql, "REAL")
        if column.hint.order and column.kind == "category":
            whens = [
                exp.If(this=exp.EQ(this=sql.copy(), expression=self.value(v)), true=exp.Literal.number(i))
                for i, v in enumerate(column.hint.order)
            ]
            return exp.Case(ifs=whens)
        return sql

    def part(self, e: tree.Part, *, optional: bool = False) -> exp.Expression:
        column, sql = self.schema.column(e.of.ref), self.column(e.of.ref, optional=optional)
        if column.kind != "date":
            return sql
        text = day(column, sql)
        if e.part == "weekday":
            return _call("strftime", exp.Literal.string("%w"), text)
        if e.part == "month of year":
            return exp.cast(_cut(text, 6, 2), "INTEGER")
        if e.part == "quarter":
            month = exp.Add(this=exp.cast(_cut(text.copy(), 6, 2), "INTEGER"), expression=exp.Literal.number(2))
            third = exp.Div(this=exp.paren(month), expression=exp.Literal.number(3), typed=True)
            label = exp.DPipe(this=_cut(text, 1, 4), expression=exp.Literal.string("-Q"))
            return exp.DPipe(this=label, expression=exp.paren(third))
        return _cut(text, 1, {"year": 4, "month": 7, "day": 10}[e.part])

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
        made: exp.Expression = maker(this=of)
        return made

    def share(self, e: tree.Share) -> exp.Expression:
        part = self.aggregate(tree.Aggregate("count") if e.of is None else tree.Aggregate("sum", e.of))
        whole = exp.Window(this=exp.Sum(this=part.copy()))
        return exp.Div(this=exp.Mul(this=exp.Literal.number("1.0"), expression=part), expression=whole, typed=False)

    def arithmetic(self, e: tree.Arithmetic) -> exp.Expression:
        left, right = self.key(e.left), self.key(e.right)
        if e.op in ("*", "-"):
            joined = exp.Mul if e.op == "*" else exp.Sub
            return exp.paren(joined(this=left, expression=right))
        left = exp.Mul(this=exp.Literal.number("1.0"), expression=exp.paren(left))
        return exp.Div(this=left, expression=_call("nullif", right, exp.Literal.number(0)), typed=False)

    def condition(self, c: tree.Condition) -> exp.Expression:
        if isinstance(c, tree.Not):
            if isinstance(c.of, tree.Test) and c.of.op == "=":
                return self.equals(c.of, negated=True)
            return exp.Not(this=exp.paren(self.condition(c.of)))
        if isinstance(c, (tree.AllOf, tree.AnyOf)):
            joined = exp.and_ if isinstance(c, tree.AllOf) else exp.or_
            return exp.paren(joined(*map(self.condition, c.of)))
        if isinstance(c, tree.Related):
            return self.exists(c)
        if isinstance(c, tree.Versus) and c.op == "in":
            return exp.In(this=self.expression(c.left), query=self.expression(c.right))
        if isinstance(c, tree.Versus):
            return _compare(c.op, self.key(c.left), self.key(c.right))
        return self.test(c)

    def equals(self, c: tree.Test, *, negated: bool = False) -> exp.Expression:
        column = self.schema.column(c.of.ref) if isinstance(c.of, tree.Field) else None
        values: list[tree.Scalar] = list(c.values)
        if column is not None and column.kind == "boolean":
            values = [column.truth[0] if v else column.truth[1] for v in values]
        of = self.key(c.of) if column is not None and column.kind == "number" else self.expression(c.of)
        marks = [self.value(v) for v in values]
        if len(marks) > 1:
            inside = exp.In(this=of, expressions=marks)
            return exp.Not(this=inside) if negated else inside
        return (exp.NEQ if negated else exp.EQ)(this=of, expression=marks[0])

    def test(self, c: tree.Test) -> exp.Expression:
        column = self.schema.column(c.of.ref) if isinstance(c.of, tree.Field) else None
        if c.op == "=":
            return self.equals(c)
        if c.op == "empty":
            of = self.expression(c.of)
            nothing = exp.Is(this=of, expression=exp.Null())
            return exp.paren(exp.or_(nothing, exp.EQ(this=of.copy(), expression=exp.Literal.string(""))))
        if c.op == "during" and column is not None:
            return self.during(c, column)
        if c.op == "between":
            low, high = (self.value(v) for v in c.values)
            return exp.Between(this=self.key(c.of), low=low, high=high)
        if c.op in ("<", "<=", ">", ">="):
            return _compare(c.op, self.key(c.of), self.value(c.values[0]))
        each = [self.text(c.op, self.expression(c.of), str(v), column) for v in c.values]
        return each[0] if len(each) == 1 else exp.paren(exp.or_(*each))

    def text(self, op: str, of: exp.Expression, value: str, column: Column | None) -> exp.Expression:
        folded = _call("lower", of)
        mark = self.value("".join(ch.lower() if ch.isascii() else ch for ch in value))  # as SQLite's lower() does
        if op == "has":
            separator = (column.style if column else "") or ","
            comma = exp.Literal.string(",")
            listed = _call("replace", folded, exp.Literal.string(separator + " "), comma)
            listed = _call("replace", listed, exp.Literal.string(separator), comma.copy())
            folded, mark = _between_commas(listed), _between_commas(mark)
        if op in ("has", "contains"):
            return exp.GT(this=_call("instr", folded, mark), expression=exp.Literal.number(0))
        length = _call("length", mark.copy())
        start = exp.Literal.number(1) if op == "starts" else exp.Neg(this=length)
        cut = [start, length.copy()] if op == "starts" else [start]
        return exp.EQ(this=_call("substr", folded, *cut), expression=mark)

    def during(self, c: tree.Test, column: Column) -> exp.Expression:
        sql = self.expression(c.of)
        bounds = [None if d is None else _moment(column, d) for d in c.values]
        if column.style in ("us", "eu") or column.style in _LOOSE:
            sql = day(column, sql)
        parts = [
            _compare(op, sql.copy(), self.value(b)) for op, b in zip((">=", "<"), bounds, strict=True) if b is not None
        ]
        return exp.paren(exp.and_(*parts)) if len(parts) > 1 else parts[0]

    def exists(self, c: tree.Related) -> exp.Expression:
        way = self.schema.link(self.select.table, c.table)
        if way is None:
            raise self.unlinked(c.table)
        start, to_main, to_table = way
        inner = type(self)(tree.Select(start), self.schema, self.values, self.depth + 1)
        for f in (*to_main[:-1], *to_table):
            inner.joins[f] = ""
        last = to_main[-1]
        bound = exp.EQ(
            this=exp.column(last.column, inner.name(last.table), quoted=True),
            expression=exp.column(last.key, self.name(self.select.table), quoted=True),
        )
        conditions = [inner.condition(x) for x in c.where]
        if c.many is None:
            return exp.Exists(this=inner.from_(exp.select(exp.Literal.number(1)).where(bound, *conditions)))
        key = self.schema.table(c.table).keys
        paired = bool(to_table) and len(key) == 1  # one may be paired with a row several times
        of = exp.Distinct(expressions=[inner.column(key[0].ref)]) if paired else exp.Star()
        counted = inner.from_(exp.select(exp.Count(this=of)).where(bound, *conditions)).subquery()
        return _compare(c.many[0], counted, self.value(c.many[1]))


def _compare(op: str, left: exp.Expression, right: exp.Expression) -> exp.Expression:
    kinds: dict[str, Any] = {"=": exp.EQ, "<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE}
    made: exp.Expression = kinds[op](this=left, expression=right)
    return made


def _call(name: str, *arguments: exp.Expression) -> exp.Expression:
    return exp.Anonymous(this=name, expressions=list(arguments))


def _cut(text: exp.Expression, start: int, length: int | exp.Expression) -> exp.Expression:
    many = exp.Literal.number(length) if isinstance(length, int) else length
    return _call("substr", text, exp.Literal.number(start), many)


def _between_commas(text: exp.Expression) -> exp.Expression:
    comma = exp.Literal.string(",")
    return exp.DPipe(this=exp.DPipe(this=comma, expression=text), expression=comma.copy())


def day(column: Column, sql: exp.Expression) -> exp.Expression:
    """A date column as ISO text, however it is stored."""
    style = column.style
    if style == "slash":
        return _call("replace", sql, exp.Literal.string("/"), exp.Literal.string("-"))
    if style in ("epoch", "epoch ms"):
        seconds = sql if style == "epoch" else exp.Div(this=sql, expression=exp.Literal.number(1000), typed=True)
        return _call("datetime", seconds, exp.Literal.string("unixepoch"))
    if style in _LOOSE:
        return _put_in_order(sql, _LOOSE[style])
    places = {"compact": (1, 5, 7), "us": (7, 1, 4), "eu": (7, 4, 1)}.get(style)
    if places is None:
        return sql
    dash = exp.Literal.string("-")
    year, month, date = (_cut(sql.copy(), at, n) for at, n in zip(places, (4, 2, 2), strict=True))
    whole = exp.DPipe(this=exp.DPipe(this=year, expression=dash), expression=month)
    return exp.paren(exp.DPipe(this=exp.DPipe(this=whole, expression=dash.copy()), expression=date))


_LOOSE = {"loose": (0, 1, 2), "loose us": (2, 0, 1), "loose eu": (2, 1, 0)}
"""Where year, month and day stand in days that are written without zeros: 2025/3/1, 2025年3月1日, 3/14/2025."""


def _put_in_order(sql: exp.Expression, places: tuple[int, ...]) -> exp.Expression:
    """Three numbers between marks as an ISO day."""
    slash = exp.Literal.string("/")
    for mark in "年月-.":
        sql = _call("replace", sql, exp.Literal.string(mark), slash.copy())
    parts, rest = list[exp.Expression](), sql
    for _ in range(2):
        at = _call("instr", rest.copy(), slash.copy())
        parts.append(_cut(rest.copy(), 1, exp.Sub(this=at.copy(), expression=exp.Literal.number(1))))
        rest = _call("substr", rest.copy(), exp.Add(this=at, expression=exp.Literal.number(1)))
    numbers = [exp.cast(part, "INTEGER") for part in (*parts, rest)]  # whatever stands behind the last is left out
    zero, dash, two = exp.Literal.string("0"), exp.Literal.string("-"), exp.Neg(this=exp.Literal.number(2))
    padded = [_call("substr", exp.DPipe(this=zero.copy(), expression=n), two.copy()) for n in numbers]
    year, month, date = numbers[places[0]], padded[places[1]], padded[places[2]]
    made: exp.Expression = year
    for part in (dash, month, dash.copy(), date):
        made = exp.DPipe(this=made, expression=part)
    return exp.paren(made)


def _moment(column: Column, said: tree.Scalar) -> tree.Scalar:
    """An ISO day as the column stores days, so that an index on it can be used."""
    date = dt.date.fromisoformat(str(said))
    if column.is_year:  # whole years only; the grammar sees to that
        return date.year
    midnight = int(dt.datetime(date.year, date.month, date.day, tzinfo=dt.UTC).timestamp())
    textual = any(kind in column.declared.lower() for kind in ("char", "text"))
    stored: dict[str, tree.Scalar] = {
        "slash": f"{date:%Y/%m/%d}",
        "compact": f"{date:%Y%m%d}" if textual else int(f"{date:%Y%m%d}"),
        "epoch": midnight,
        "epoch ms": midnight * 1000,
    }
    return stored.get(column.style, date.isoformat())
