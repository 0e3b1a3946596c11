"""From a tree to one SELECT, made of sqlglot's nodes and printed for SQLite.

Names come from the schema; values are always named parameters.  Conditions on a parent table become joins along
foreign keys, conditions on a child table an EXISTS, so that no row is counted twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from sqlglot import exp

from lab.errors import QueryError
from lab.words import Said
from lab_packs.text2sql.clauses import Clauses
from lab_packs.text2sql.schema import ForeignKey, Schema
from lab_packs.text2sql.tree import Aggregate, Arithmetic, Expr, Field, Inner, Order, Part, Piece, Ref, Scalar, Select

RANK = "its rank"
"""The name of the column that top lists are cut by."""
_named, _as = partial(exp.column, quoted=True), partial(exp.alias_, quoted=True)


@dataclass(frozen=True)
class Output:
    """A column of the answer, and what it shows."""

    name: str
    of: Expr

    @property
    def ref(self) -> Ref | None:
        return self.of.ref if isinstance(self.of, Field) else None


@dataclass(frozen=True)
class Query:
    """SQL with its parameters by name; ``count_sql`` counts the rows that it would give without its limit.

    ``parts`` are the SQL of every piece of the tree, as in the whole query except for whitespace.
    """

    sql: str
    parameters: Mapping[str, Scalar]
    outputs: tuple[Output, ...]
    count_sql: str
    joins: tuple[ForeignKey, ...]
    tree: exp.Expression = field(repr=False, compare=False)
    parts: tuple[tuple[Piece, str], ...] = field(default=(), repr=False, compare=False)

    @cached_property
    def bound(self) -> str:
        """The SQL with its values written in: for reading only, it is never run."""
        return _print(self.tree.copy().transform(self._literal))

    def _literal(self, node: Any) -> Any:
        if isinstance(node, exp.Placeholder):
            value = self.parameters[node.name]
            return exp.Boolean(this=value) if isinstance(value, bool) else exp.convert(value)
        return node


def build(select: Select, schema: Schema, *, rows: int = 200) -> Query:
    """The query of a tree, for ``rows`` rows and one more.  Raises `QueryError` (tables apart, a median beside others)."""
    values: dict[str, Scalar] = {}
    scope = _Scope(select, schema, values)
    tree, outputs = scope.query()
    plain = tree.copy()
    plain.set("order", None)
    counted = exp.select(exp.Count(this=exp.Star())).from_(plain.subquery("counted"))
    n = rows + 1 if select.limit is None or select.each or select.ties else min(select.limit, rows + 1)
    tree = tree.limit(n)
    if select.offset and not select.each and not select.ties:
        tree = tree.offset(select.offset)
    if select.limit is not None:
        scope.write("limit", (select.limit, select.offset, select.ties), exp.Limit(expression=exp.Literal.number(n)))
    parts = tuple(dict.fromkeys(scope.parts))
    return Query(_print(tree), values, tuple(outputs), _print(counted), tuple(scope.joins), tree, parts)


def _print(tree: exp.Expression) -> str:
    return tree.sql("sqlite", pretty=True, identify=True, comments=False)


class _Scope(Clauses):
    """One SELECT while it is made: its table, the tables that it joins, the parameters of all of them."""

    def query(self) -> tuple[exp.Select, list[Output]]:
        s = self.select
        if any(isinstance(m, Aggregate) and m.fn == "median" for m in s.measures):
            return self.median()
        outputs = self.outputs()
        conditions = [self.write("where", c, self.condition(c)) for c in s.where]
        having = [self.write("having", c, self.condition(c)) for c in s.having]
        for kind in ("show", "by", "measures", "each"):
            for e in getattr(s, kind):
                self.write(kind, e, self.expression(e, optional=not s.by))
        aliased, order = [_as(self.expression(o.of, optional=not s.by), o.name) for o in outputs], self.order()
        tree = exp.select(*aliased).where(*conditions).group_by(*self.groups()).having(*having)
        tree = tree.distinct(distinct=s.distinct)
        if s.limit is not None and (s.each or s.ties):
            return self.ranked(tree, outputs), outputs
        order += self.then()
        return self.from_(tree.order_by(*order) if order else tree), outputs

    def ranked(self, tree: exp.Select, outputs: Sequence[Output]) -> exp.Select:
        """The first of each group, or the first with all that are equal to them: by their rank."""
        s, order = self.select, exp.Order(expressions=self.order())
        each, place = [self.expression(e) for e in s.each], _named(RANK)
        rank = exp.Window(this=exp.Anonymous(this="rank"), partition_by=each or None, order=order)
        tree = self.from_(tree.select(_as(rank, RANK)))
        outer = exp.select(*(_named(o.name) for o in outputs)).from_(tree.subquery("ranked"))
        for bound in (place > s.offset, place <= s.offset + (s.limit or 1)):
            outer = outer.where(self.write("limit", (s.limit, s.offset, s.ties), bound))
        return outer.order_by(*(_named(o.name) for o in outputs if o.of in s.each), place)

    def median(self) -> tuple[exp.Select, list[Output]]:
        """Returns the query of a median: the mean of the one or two rows in the middle of each group."""
        s, measure = self.select, self.select.measures[0]
        if len(s.measures) != 1 or not isinstance(measure, Aggregate) or measure.of is None or s.having or s.order:
            message = Said("A median cannot be combined with other measures.")
            raise QueryError(message, Said("Ask for the median alone."))
        outputs = [Output(self.label(e), e) for e in (*s.by, measure)]
        groups, value = [self.write("by", e, self.expression(e)) for e in s.by], self.key(measure.of)
        self.write("measures", measure, value)
        window = partial(exp.Window, partition_by=[g.copy() for g in groups] or None)
        place = window(this=exp.Anonymous(this="row_number"), order=exp.Order(expressions=[value.copy()]))
        many = window(this=exp.Count(this=exp.Star()))
        aliased = [_as(g, o.name) for g, o in zip(groups, outputs, strict=False)]
        aliased += [exp.alias_(sql, name) for name, sql in (("value", value), ("place", place), ("many", many))]
        where = [self.write("where", c, self.condition(c)) for c in s.where]
        inner = exp.select(*aliased).where(*where, value.is_(exp.Null()).not_())
        middle = (exp.column("place") * 2).between(exp.column("many"), exp.column("many") + 2)
        names = [_named(o.name) for o in outputs[:-1]]
        tree = exp.select(*names, _as(exp.Avg(this=exp.column("value")), outputs[-1].name))
        return tree.from_(self.from_(inner).subquery("middle")).where(middle).group_by(*names), outputs

    def outputs(self) -> list[Output]:
        """Returns the output columns: groups and their numbers, or columns; a row always has its name."""
        s = self.select
        own_fields = [Field(c.ref) for c in self.schema.table(s.table).columns]
        if not s.plain:
            exprs: list[Expr] = [*s.by, *s.measures]
            exprs += [o.of for o in s.order if s.by and o.of not in exprs]
        elif s.show:
            called_by = [Field(c.ref) for c in self.schema.table(s.table).names]
            adds_name = not s.distinct and all(e in own_fields for e in s.show)
            exprs = [*(n for n in called_by if adds_name and n not in s.show), *s.show]
        else:
            exprs = [*(e for e in s.each if e not in own_fields), *own_fields]
            exprs += [o.of for o in s.order if not isinstance(o.of, (Aggregate, Inner)) and o.of not in exprs]
        names = [self.label(e) for e in exprs]
        return [
            Output(n if names.count(n) == 1 else f"{n} {i}" if not isinstance(e, Field) else str(e.ref), e)
            for i, (n, e) in enumerate(zip(names, exprs, strict=True), 1)
        ]

    def label(self, e: Expr) -> str:
        if isinstance(e, Field):
            return e.ref.column
        if isinstance(e, Part):
            return f"{e.of.ref.column} ({e.part})"
        if isinstance(e, Aggregate):
            return f"{e.fn} {self.label(e.of)}" if e.of is not None else e.fn
        return "share" if isinstance(e, Arithmetic) and e.op == "/" else "value"

    def groups(self) -> list[exp.Expression]:
        """Returns the grouping keys; a row is grouped by key and name, since two customers may have the same name."""
        keys: list[exp.Expression] = []
        for e in self.select.by:
            table = self.schema.table(e.ref.table) if isinstance(e, Field) else None
            if table and table.name != self.select.table and len(table.keys) == 1 and Field(table.title.ref) == e:
                keys.append(self.column(table.keys[0].ref))
            keys.append(self.expression(e))
        return keys

    def order(self) -> list[exp.Expression]:
        """Returns the sort keys; missing values come last."""
        keys: list[exp.Expression] = []
        for o in self.select.order:
            key = self.key(o.of)
            counts = isinstance(o.of, Aggregate) and o.of.fn in ("count", "distinct")
            if self.select.plain or not (o.descending or counts):
                keys.append(key.copy().is_(exp.Null()))
            ordered = exp.Ordered(this=key, desc=o.descending, nulls_first=not o.descending)
            keys.append(self.write("order", o, ordered))
        return keys

    def then(self) -> list[exp.Expression]:
        """What settles equals: the groups, or the key of the table."""
        if self.select.by:
            return self.groups()
        if self.select.measures:
            return []
        if self.select.distinct:
            return [self.expression(e) for e in self.select.show if Order(e) not in self.select.order]
        return [self.column(k.ref) for k in self.schema.table(self.select.table).keys]
