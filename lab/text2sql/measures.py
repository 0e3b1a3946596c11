"""The part of the grammar that reads measures: averages, sums, counts, shares, and conditions on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lab.text2sql.conditions import Conditions
from lab.text2sql.dictionary import UNITS, converted
from lab.text2sql.facts import Bounded, Counted, Fact, HowMany, Measured, Option, Shared
from lab.text2sql.lexicon import roles_of
from lab.text2sql.numbers import measure_of
from lab.text2sql.quantities import GUESSED
from lab.text2sql.reader import Found
from lab.text2sql.tree import Aggregate, Arithmetic, Expr, Field, Ref

Exprs = tuple[Option[Expr], ...]
Refs = Sequence[tuple[Ref, float]]
_AGGREGATES = ("avg", "sum", "max", "min", "median")


def _exprs(end: int, options: Exprs, cost: float) -> Iterator[Found]:
    if options:
        yield end, options, cost


class Measures(Conditions):
    """Phrases of measures."""

    # ---------------------------------------------------------------------------------------- conditions on groups

    def _counted(self, at: int) -> Iterator[tuple[int, Fact, float]]:
        """More than 6 orders, 采摘次数超过30次, at least 6 readings."""
        for end, (q, t), cost in self.seq(at, self._said, self.table):
            if q.op and (not q.unit or measure_of(q.unit) == "piece") and not q.about:
                yield end, Counted(at, end, t, q), cost
        for end, (t, _, q), cost in self.seq(at, self.table, self.opt(self.word("count")), self._said):
            if self.language == "zh" and q.op and (not q.unit or measure_of(q.unit) == "piece") and not q.about:
                yield end, Counted(at, end, t, q), cost + 0.02
        counting, times = self.opt(self.word("count")), self.opt(self.word("times"))
        for end, (many, q, often), cost in self.seq(at, counting, self._said, times):
            said = many or often or q.unit in ("次", "笔", "单", "场", "times", "time")
            if q.op and said and (not q.unit or measure_of(q.unit) == "piece"):
                yield end, Counted(at, end, "", q), cost

    def _bounded(self, at: int) -> Iterator[tuple[int, Fact, float]]:
        """An average fare over 60, 总额超过五千."""
        for end, (options, q), cost in self.seq(at, self.measure, self._said):
            if q.op:
                fitting = tuple(o for o in options if not q.unit or self._fits(o.of, q.unit))
                if fitting:
                    yield end, Bounded(at, end, fitting, q), cost

    def _fits(self, e: Expr, unit: str) -> bool:
        if not isinstance(e, Aggregate) or not isinstance(e.of, Field):
            return True
        c = self.column_of(e.of.ref)
        own, said = measure_of(c.hint.unit), measure_of(unit)
        return not own or own == said or (converted(1.0, said, own) or 0.0) == 1.0

    # ------------------------------------------------------------------------------------------------ measures

    def measure(self, at: int) -> list[Found]:
        """An aggregate of a column: its options."""
        return self.memo("measure", at, self._measure)

    def _measure(self, at: int) -> Iterator[Found]:
        aggregate = self.word(*_AGGREGATES)
        for end, (fn, _, refs), cost in self.seq(
            at, aggregate, self.opt(self.word("per")), self.columns("number", "boolean")
        ):
            yield from _exprs(end, self.aggregates(fn[0], refs), cost)
        for end, (refs, fn), cost in self.seq(at, self.columns("number"), aggregate):
            yield from _exprs(end, self.aggregates(fn[0], refs), cost + 0.05)
        for end, (fn, _, t, refs), cost in self.seq(
            at, self.word("avg"), self.word("per"), self.table, self.columns("number")
        ):  # 平均每个订单的金额
            own = [(r, c) for r, c in refs if r.table == t]
            yield from _exprs(end, self.aggregates(fn[0], own), cost)
        for end, _, cost in self.word("meanof")(at):
            points = [(c.ref, 0.2) for c in self.schema.columns() if c.about & {"rating", "points"}]
            yield from _exprs(end, self.aggregates("avg", points), cost)
        for end, _, cost in self.word("sumof")(at):
            yield from _exprs(end, self.by_kind("money"), cost)
        for end, (fn, refs), cost in self.seq(at, self.word("avg", "sum"), self._number_cue):
            yield from _exprs(end, self.aggregates(fn[0], refs), cost + 0.2)
        for end, (_, left, _, right), cost in self.seq(
            at, self.opt(self.word("avg")), self.columns("number"), self._times, self.columns("number")
        ):
            pairs = [(a, b) for a in left for b in right if a[0].table == b[0].table and a[0] != b[0]]
            of = [
                Option[Expr](Aggregate("sum", Arithmetic("*", Field(a), Field(b))), x + y) for (a, x), (b, y) in pairs
            ]
            yield from _exprs(end, tuple(of), cost)

    def _times(self, at: int) -> list[Found]:
        return [
            (at + len(w), w, 0.0)
            for w in ("times", "multiplied by", "乘以", "乘", "×", "*")
            if self.text.startswith(w, at)
        ]

    def by_kind(self, kind: str) -> Exprs:
        """The sums of the columns that measure that."""
        return tuple(
            Option[Expr](Aggregate("sum", Field(c.ref)), 0.2, "unit")
            for c in self.schema.columns()
            if c.kind == "number" and kind in c.about and not c.key and "price" not in c.tags
        )

    def _number_cue(self, at: int) -> list[Found]:
        """A verb that stands for a number by a hint: spent."""
        return [f for f in self._cued(("number",), at) if f[2] <= 0.2]

    def aggregates(self, fn: str, refs: Refs) -> Exprs:
        """An aggregate of each column that numbers can be made of: no keys."""
        out = []
        for r, cost in refs:
            c = self.column_of(r)
            if not c.is_key and not (c.is_year and fn in ("sum", "avg")) and c.kind == "number":
                out.append(Option[Expr](Aggregate(fn, Field(r)), cost))
        return tuple(out)

    def _measures(self, at: int) -> Iterator[tuple[int, Fact, float]]:
        for end, options, cost in self.measure(at):
            yield end, Measured(at, end, options), cost
        # the average and the maximum of one column
        lists = self.many(self.word(*_AGGREGATES), self.word("and"), most=3)
        for end, (fns, refs), cost in self.seq(at, lists, self.columns("number")):
            if len(fns[0]) > 1:
                yield from self._several(at, end, fns[0], refs, cost)
        for end, (refs, fns), cost in self.seq(at, self.columns("number"), lists):
            if len(fns[0]) > 1:
                yield from self._several(at, end, fns[0], refs, cost)
        columns = self.many(self.columns("number"), self.word("and"), most=3)
        for end, (fn, named), cost in self.seq(at, self.word(*_AGGREGATES), columns):
            if len(named[0]) > 1:
                both = [self.aggregates(fn[0], refs) for refs in named[0]]
                if all(both):
                    yield end, Measured(at, end, (Option[Any](tuple(b[0].of for b in both), cost),)), cost
        # 一共采了多少公斤: the sum of the column with that unit; how much did they spend
        for end, (_, _, unit), cost in self.seq(
            at, self.opt(self.word("sum")), self.word("much", "count", "what"), self.unit
        ):
            options = self.by_unit(unit)
            if options:
                yield end, Measured(at, end, options, guessed=True), cost
        for end, refs, cost in self.columns("number")(at):
            if any(role[0] == "flow" for role in roles_of(self.text[at:end])):  # sales: what is asked for is their sum
                yield from self._measured(at, end, self.aggregates("sum", refs), cost + 0.1)

    @staticmethod
    def _measured(at: int, end: int, options: Exprs, cost: float) -> Iterator[tuple[int, Fact, float]]:
        if options:
            yield end, Measured(at, end, options), cost

    def _several(
        self, at: int, end: int, fns: Sequence[Any], refs: Refs, cost: float
    ) -> Iterator[tuple[int, Fact, float]]:
        columns = [(r, c) for r, c in refs if self.aggregates("avg", [(r, c)])]
        options = tuple(Option[Any](tuple(Aggregate(fn[0], Field(r)) for fn in fns), c) for r, c in columns)
        if options:
            yield end, Measured(at, end, options), cost

    def unit(self, at: int) -> list[Found]:
        """A unit of some column here."""
        known = [(at + width, unit, 0.0) for unit, width in self.links.units(at)]
        for u in UNITS:
            if len(u) > 0 and self.text.startswith(u, at) and measure_of(u) not in ("piece", "age"):
                known.append((at + len(u), u, 0.0))
        return known

    def by_unit(self, unit: str) -> Exprs:
        """The sums of the columns with that unit."""
        kind = measure_of(unit)
        return tuple(
            Option[Expr](Aggregate("sum", Field(c.ref)), GUESSED, "unit")
            for c in self.schema.columns()
            if c.kind == "number" and measure_of(c.hint.unit) == kind and not c.key
        )

    def _how_many(self, at: int) -> Iterator[tuple[int, Fact, float]]:
        for end, (role, different, _), cost in self.seq(
            at, self.word("count", "people"), self.opt(self.word("different")), self.opt(self.word("classifier"))
        ):
            times = "次" in self.text[at : end + 1] or "times" in self.text[at:end] or "often" in self.text[at:end]
            yield end, HowMany(at, end, different is not None, role[0] == "people", times), cost

    def _share(self, at: int) -> Iterator[tuple[int, Fact, float]]:
        for end, _, cost in self.seq(at, self.opt(self.word("share")), self.word("share")):
            yield end, Shared(at, end), cost
