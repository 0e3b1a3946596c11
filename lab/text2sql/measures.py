"""The part of the grammar that reads measures (averages, counts, shares, conditions on them), top lists and orders."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from lab.text2sql.conditions import Conditions
from lab.text2sql.facts import Bounded, Counted, Fact, HowMany, Measured, Option, Shared
from lab.text2sql.hints import converted
from lab.text2sql.lexicon import roles_of
from lab.text2sql.naming import Value
from lab.text2sql.numbers import measure_of, unit_at
from lab.text2sql.quantities import GUESSED
from lab.text2sql.reader import Found, as_count, remembered
from lab.text2sql.schema import Column
from lab.text2sql.tree import Aggregate, Arithmetic, Expr, Field, Ref

Exprs = tuple[Option[Expr], ...]
Facts = Iterator[tuple[int, Fact, float]]
Refs = Sequence[tuple[Ref, float]]
_TIMES = ("times", "multiplied by", "乘以", "乘", "×", "*")
_AGGREGATES = ("avg", "sum", "max", "min", "median")


class Measures(Conditions):
    """Phrases of measures."""

    def _bounds(self, at: int) -> Facts:
        """More than 6 orders, 采摘次数超过30次, at least 6 readings; an average fare over 60, 总额超过五千."""
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
        kinds, other = self.columns("category", "text"), self.opt(self.word("different"))
        for end, (q, _, refs), cost in self.seq(at, self._said, other, kinds):  # at least two different species
            several = tuple(Option[Expr](Aggregate("distinct", Field(r)), c) for r, c in refs)
            if q.op and not q.unit and not q.about:
                yield end, Bounded(at, end, several, q), cost + 0.1
        numbers = self.opt(self.either(self.columns("number"), self._number_cue))
        for end, (refs, q, _), cost in self.seq(at, numbers, self._said, self.word("sum")):  # more than 100 in total
            money = ((c.ref, GUESSED) for c in self.schema.columns() if "money" in c.about)
            added = [
                x for x in refs or money if not self.column_of(x[0]).about & {"rating", "points", "percent", "age"}
            ]
            options = self.aggregates("sum", added)
            if q.op and options:
                yield end, Bounded(at, end, options, q), cost
        for end, (options, q), cost in self.seq(at, self.measure, self._said):
            fitting = tuple(o for o in options if not q.unit or self._fits(o.of, q.unit))
            if q.op and fitting:
                yield end, Bounded(at, end, fitting, q), cost

    def _fits(self, e: Expr, unit: str) -> bool:
        if not isinstance(e, Aggregate) or not isinstance(e.of, Field):
            return True
        own, said = measure_of(self.column_of(e.of.ref).hint.unit), measure_of(unit)
        return not own or own == said or (converted(1.0, said, own) or 0.0) == 1.0

    def measure(self, at: int) -> list[Found]:
        """An aggregate of a column: its options."""
        return [f for f in self._measure(at) if f[1]]

    @remembered
    def _measure(self, at: int) -> Iterator[Found]:
        aggregate, numbers, per = self.word(*_AGGREGATES), self.columns("number"), self.word("per")
        for end, (fn, _, refs), cost in self.seq(at, self.word("avg"), self.word("count"), numbers):
            yield end, self.aggregates(fn[0], refs), cost  # the average number of nights
        for end, (fn, _, refs), cost in self.seq(at, aggregate, self.opt(per), numbers):
            yield end, self.aggregates(fn[0], refs), cost
        for end, (fn, unit), cost in self.seq(at, aggregate, self.unit):  # total kWh
            counted = [
                (c.ref, 0.1) for c in self.schema.columns() if c.hint.unit and c.hint.unit.lower() == unit.lower()
            ]
            yield end, self.aggregates(fn[0], counted), cost
        for end, (refs, fn), cost in self.seq(at, numbers, aggregate):
            yield end, self.aggregates(fn[0], refs), cost + 0.05
        # average invoice amount
        for end, (fn, t, refs), cost in self.seq(at, aggregate, self.table, numbers):
            yield end, self.aggregates(fn[0], [(r, c) for r, c in refs if r.table == t]), cost + 0.05
        # 平均每个订单的金额
        for end, (fn, _, t, refs), cost in self.seq(at, self.word("avg"), per, self.table, numbers):
            yield end, self.aggregates(fn[0], [(r, c) for r, c in refs if r.table == t]), cost
        number = self.opt(self.word("count"))
        for end, (_, many, t, _, of), cost in self.seq(at, self.word("avg"), number, self.table, per, self.table):
            if many is not None or re.search(r"s (per|for|of) ", self.text[at:end]):  # not the average rating
                yield end, self._per(t, of), cost  # the average number of visits per pet
        for end, (_, _, of, _, t, _), cost in self.seq(
            at, self.word("avg"), per, self.table, self.opt(self.word("have", "verb")), self.table, self.word("count")
        ):  # 平均每只宠物就诊几次
            yield end, self._per(t, of), cost
        for end, (fn, t), cost in self.seq(
            at, self.word("avg"), self.table
        ):  # the average rating, of a table of ratings
            rated = [(c.ref, 0.1) for c in self.schema.table(t).columns if c.about & {"rating", "points"}]
            yield end, self.aggregates(fn[0], rated) if len(rated) == 1 else (), cost
        for end, _, cost in self.word("meanof")(at):
            points = [(c.ref, 0.2) for c in self.schema.columns() if c.about & {"rating", "points"}]
            yield end, self.aggregates("avg", points), cost
        for end, _, cost in self.word("sumof")(at):
            money = (c for c in self.schema.columns() if "money" in c.about and "each" not in c.tags)
            yield end, self.sums(money, 0.2), cost
        for end, _, cost in self.word("earned")(at):
            yield end, self.sums((c for c in self.schema.columns() if "spent" in c.hint.cues), 0.3), cost + 0.1
        for end, (fn, refs), cost in self.seq(at, self.word("avg", "sum"), self._number_cue):
            yield end, self.aggregates(fn[0], refs), cost + 0.2
        behind = self.opt(self.word("sum"))
        for end, (_, left, _, right, _), cost in self.seq(
            at, self.opt(self.word("avg")), numbers, self._times, numbers, behind
        ):
            pairs = [(a, b, x + y) for a, x in left for b, y in right if a.table == b.table and a != b]
            products = ((Arithmetic("*", Field(a), Field(b)), c) for a, b, c in pairs)
            yield end, tuple(Option[Expr](Aggregate("sum", of), c) for of, c in products), cost

    def _per(self, rows: str, of: str) -> Exprs:
        """How many rows of a table there are for each row of its parent that has any."""
        keys = [Field(Ref(f.table, f.column)) for f in self.schema.parents(rows) if f.parent == of]
        return tuple(Option[Expr](Arithmetic("/", Aggregate("count"), Aggregate("distinct", k))) for k in keys[:1])

    def _times(self, at: int) -> list[Found]:
        return [(at + len(w), w, 0.0) for w in _TIMES if self.text.startswith(w, at)]

    def sums(self, columns: Iterable[Column], cost: float) -> Exprs:
        """The sums of the columns that have one."""
        numbers = (c.ref for c in columns if c.kind == "number" and not c.key)
        return tuple(Option[Expr](Aggregate("sum", Field(r)), cost, "unit") for r in numbers)

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

    def _measures(self, at: int) -> Facts:
        numbers = self.columns("number")(at)  # sales: what is asked for is their sum
        flows = [(end, refs, cost) for end, refs, cost in numbers if ("flow",) in roles_of(self.text[at:end])]
        sums = ((end, self.aggregates("sum", refs), cost + 0.1) for end, refs, cost in flows)
        gap = self.word("gap")
        less = ((end, options, cost) for end, (_, options), cost in self.seq(at, gap, self._apart))
        behind = ((end, options, cost) for end, (options, _), cost in self.seq(at, self._apart, gap))
        for end, options, cost in (*self.measure(at), *self._lists(at), *sums, *less, *behind):
            if options:
                yield end, Measured(at, end, options), cost
        # 一共采了多少公斤: the sum of the column with that unit
        much = self.word("much", "count", "what")
        for end, (_, _, unit), cost in self.seq(at, self.opt(self.word("sum")), much, self.unit):
            counted = (c for c in self.schema.columns() if measure_of(c.hint.unit) == measure_of(unit))
            if options := self.sums(counted, GUESSED):
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

    @remembered
    def _apart(self, at: int) -> Iterator[Found]:
        """One number less another: the highest and the lowest salary, an average in two cities, 男生和女生的平均分."""
        numbers, both = self.columns("number"), self.word("and")
        fns, part = self.many(self._fn, both, most=2), self.either(self.measure, self._extreme)
        turned = ((end, (of, refs), cost) for end, (refs, of), cost in self.seq(at, numbers, fns))
        for end, (of, refs), cost in (*self.seq(at, fns, numbers), *turned):
            if len(of[0]) == 2:
                yield end, _less(*(self.aggregates(fn[0], refs) for fn in of[0])), cost
        for end, (a, _, b), cost in self.seq(at, part, both, part):
            yield end, _less(a, b), cost
        way, two = self.opt(self.word("during", "between", "from")), self.many(self._a_row, both, most=2)
        behind = ((end, (values, of), cost) for end, (of, _, values), cost in self.seq(at, part, way, two))
        for end, (values, of), cost in (*self.seq(at, two, part), *behind):
            yield end, self._in_two(of, values[0]), cost
        for end, (v, a, _, w, b), cost in self.seq(at, self._a_row, part, both, self._a_row, part):
            yield end, self._in_two(a, (v, w)) if a == b else (), cost
        for end, (a, _, v, _, b, _, w), cost in self.seq(at, part, way, self._a_row, both, part, way, self._a_row):
            yield end, self._in_two(a, (v, w)) if a == b else (), cost

    def _fn(self, at: int) -> list[Found]:
        return [*self.word(*_AGGREGATES)(at), *self._highest(at)]

    def _highest(self, at: int) -> list[Found]:
        """The highest, the lowest: of numbers, not of rows."""
        said = self.word("super")(at)
        return [(end, ("max" if role[1] == ">" else "min",), c) for end, role, c in said if role[2] in ("any", "size")]

    def _extreme(self, at: int) -> list[Found]:
        found = self.seq(at, self._highest, self.columns("number"))
        return [(end, self.aggregates(fn[0], refs), cost) for end, (fn, refs), cost in found]

    def _in_two(self, of: Exprs, values: Sequence[Sequence[tuple[Value, float]]]) -> Exprs:
        """A number among the rows of one value less that among those of another of the same column."""
        if len(values) != 2:
            return ()
        a, b = ({v.ref: (v.value, cost) for v, cost in meant} for meant in values)
        out: list[Option[Expr]] = []
        for o, ref in ((o, ref) for o in of for ref in a if ref in b):
            if isinstance(o.of, Aggregate):
                of_a, of_b = (replace(o.of, where=(self.equal(ref, [s[ref][0]], any_of=True),)) for s in (a, b))
                out += _less((Option(of_a, o.cost + a[ref][1]),), (Option(of_b, b[ref][1]),))
        return tuple(out)

    def unit(self, at: int) -> list[Found]:
        """A unit, of some column here or any."""
        known = unit_at(self.text, at)
        return [(at + width, u, 0.0) for u, width in self.links.units(at)] + (
            [(at + len(known), known, 0.05)] if known else []
        )

    def _how_many(self, at: int) -> Facts:
        for end, (role, different, _), cost in self.seq(
            at, self.word("count", "people"), self.opt(self.word("different")), self.opt(self.word("classifier"))
        ):
            times = "次" in self.text[at : end + 1] or "times" in self.text[at:end] or "often" in self.text[at:end]
            yield end, HowMany(at, end, different is not None, role[0] == "people", times), cost
        for end, _, cost in self.seq(at, self.opt(self.word("share")), self.word("share")):
            yield end, Shared(at, end), cost

    def count(self, at: int) -> list[Found]:
        """A number of things: three, 三个."""
        return [
            (end, n, cost)
            for end, number, cost in self.number(at)
            if (n := as_count(number)) is not None and (not number.unit or measure_of(number.unit) == "piece")
        ]


def _less(left: Exprs, right: Exprs) -> Exprs:
    """Of every two options the one less the other; of the highest and the lowest, the lowest is taken away."""
    out: list[Option[Expr]] = []
    for a, b in ((a, b) for a in left for b in right if a.of != b.of):
        if isinstance(a.of, Aggregate) and isinstance(b.of, Aggregate) and "median" not in (a.of.fn, b.of.fn):
            turned = (a.of.fn, b.of.fn) == ("min", "max")
            out.append(Option(Arithmetic("-", *((b.of, a.of) if turned else (a.of, b.of))), a.cost + b.cost))
    return tuple(out)
