"""The part of the grammar that reads measures: averages, sums, counts, shares, and conditions on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
_TIMES = ("times", "multiplied by", "乘以", "乘", "×", "*")
_AGGREGATES = ("avg", "sum", "max", "min", "median")


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
        return [f for f in self.memo("measure", at, self._measure) if f[1]]

    def _measure(self, at: int) -> Iterator[Found]:
        aggregate, numbers, per = self.word(*_AGGREGATES), self.columns("number"), self.word("per")
        for end, (fn, _, refs), cost in self.seq(at, aggregate, self.opt(per), numbers):
            yield end, self.aggregates(fn[0], refs), cost
        for end, (refs, fn), cost in self.seq(at, numbers, aggregate):
            yield end, self.aggregates(fn[0], refs), cost + 0.05
        for end, (fn, _, t, refs), cost in self.seq(
            at, self.word("avg"), per, self.table, numbers
        ):  # 平均每个订单的金额
            yield end, self.aggregates(fn[0], [(r, c) for r, c in refs if r.table == t]), cost
        for end, _, cost in self.word("meanof")(at):
            points = [(c.ref, 0.2) for c in self.schema.columns() if c.about & {"rating", "points"}]
            yield end, self.aggregates("avg", points), cost
        for end, _, cost in self.word("sumof")(at):
            yield end, self.by_kind("money"), cost
        for end, (fn, refs), cost in self.seq(at, self.word("avg", "sum"), self._number_cue):
            yield end, self.aggregates(fn[0], refs), cost + 0.2
        for end, (_, left, _, right), cost in self.seq(at, self.opt(self.word("avg")), numbers, self._times, numbers):
            pairs = [(a, b, x + y) for a, x in left for b, y in right if a.table == b.table and a != b]
            products = ((Arithmetic("*", Field(a), Field(b)), c) for a, b, c in pairs)
            yield end, tuple(Option[Expr](Aggregate("sum", of), c) for of, c in products), cost

    def _times(self, at: int) -> list[Found]:
        return [(at + len(w), w, 0.0) for w in _TIMES if self.text.startswith(w, at)]

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
        for end, options, cost in (*self.measure(at), *self._lists(at), *self._flows(at)):
            if options:
                yield end, Measured(at, end, options), cost
        # 一共采了多少公斤: the sum of the column with that unit
        much = self.word("much", "count", "what")
        for end, (_, _, unit), cost in self.seq(at, self.opt(self.word("sum")), much, self.unit):
            if options := self.by_unit(unit):
                yield end, Measured(at, end, options, guessed=True), cost

    def _lists(self, at: int) -> Iterator[Found]:
        """The average and the maximum of one column, the average of two."""
        numbers, aggregate, both = self.columns("number"), self.word(*_AGGREGATES), self.word("and")
        fns, columns = self.many(aggregate, both, most=3), self.many(numbers, both, most=3)
        turned = ((end, (of, refs), cost) for end, (refs, of), cost in self.seq(at, numbers, fns))
        for end, (of, refs), cost in (*self.seq(at, fns, numbers), *turned):
            kept = [(r, c) for r, c in refs if len(of[0]) > 1 and self.aggregates("avg", [(r, c)])]
            yield end, tuple(Option(tuple(Aggregate(fn[0], Field(r)) for fn in of[0]), c) for r, c in kept), cost
        for end, (fn, named), cost in self.seq(at, aggregate, columns):
            each = [self.aggregates(fn[0], refs) for refs in named[0]]
            if len(each) > 1 and all(each):
                yield end, (Option(tuple(options[0].of for options in each), cost),), cost

    def _flows(self, at: int) -> Iterator[Found]:
        """Sales: what is asked for is their sum."""
        for end, refs, cost in self.columns("number")(at):
            if any(role[0] == "flow" for role in roles_of(self.text[at:end])):
                yield end, self.aggregates("sum", refs), cost + 0.1

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
