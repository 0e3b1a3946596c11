"""The part of the grammar that reads measures: averages, counts, shares, differences, and conditions on them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from lab.text2sql.conditions import Conditions
from lab.text2sql.facts import Bounded, Counted, Exprs, HowMany, Measured, Option, Quantity, Refs, Shared
from lab.text2sql.hints import words_of
from lab.text2sql.lexicon import roles_of
from lab.text2sql.measured import in_units
from lab.text2sql.numbers import measure_of, unit_at
from lab.text2sql.quantities import GUESSED, Role
from lab.text2sql.reader import Finds, Found, Way, remembered, ways
from lab.text2sql.schema import Column
from lab.text2sql.spans import aggregated
from lab.text2sql.tree import Aggregate, Arithmetic, Expr, Field, Ref, tables
from lab.text2sql.values import Meant, products

_AGGREGATES = ("avg", "sum", "max", "min", "median")
_OF_EACH = {"rating", "points", "percent", "age"}


class Measures(Conditions):
    """Phrases of measures."""

    @ways
    def _bounds(self) -> Iterator[Way]:
        """More than 6 orders, 采摘次数超过30次, at least 6 readings; an average fare over 60, 总额超过五千."""
        compared = self.only(self._said, lambda q: q.op)
        pieces = self.only(compared, lambda q: not q.unit or measure_of(q.unit) == "piece")
        rows = self.only(pieces, lambda q: not q.about)
        yield (rows, self.table), lambda q, t: Counted(t, q)
        if self.language == "zh":
            yield (self.table, self.opt("count"), rows), Counted, 0.02
        often = self.opt(self.word("count")), pieces, self.opt(self.word("times"))
        times = ("次", "笔", "单", "场", "times", "time")
        yield often, lambda many, q, again: Counted("", q) if many or again or q.unit in times else None
        bare = self.only(rows, lambda q: not q.unit)  # at least two different species
        said = self.either("different") if self.language == "zh" else self.opt("different")  # 超过4件的收件人
        different = bare, said, self.columns("category", "text")
        yield different, lambda q, refs: Bounded(_each("distinct", refs), q), 0.1
        if self.language == "zh":  # 至少买过三种水果
            kinds = self.only(self.number, lambda n: "种" in self.text[n.end - 1 : n.end + 1])
            several = self.word("cmp"), self.word("verb", "did"), kinds, self._things
            yield several, lambda op, _, n, refs: Bounded(_each("distinct", refs), Quantity(op[1], (n.value,)))
        total = self.opt(self.numeric, self._number_cue), compared, "sum"  # more than 100 in total
        yield total, lambda refs, q: Bounded(added, q) if (added := self._in_total(refs)) else None
        unit = self.only(compared, lambda q: q.unit)  # 累计加油超过1000升, 总共花了超过200元
        yield (self.word("sum"), self.opt(self.cue), unit), lambda _, cue, q: self._sum_over(cue or (), q)
        yield (self.word("sum"), self.word("took", "verb", "did"), unit), lambda _, did, q: self._sum_over((), q), -0.7
        yield (self.measure, compared), lambda of, q: Bounded(fit, q) if (fit := self._fitting(of, q.unit)) else None

    def _things(self, at: int) -> list[Found]:
        """Columns of texts, and those that point to a table that is named."""
        keys, tables = self.schema.foreign_keys, self.table(at)
        found = [(e, [(Ref(f.table, f.column), 0.05) for f in keys if f.parent == t], c) for e, t, c in tables]
        return [*found, *self.columns("category", "text")(at)]

    def _sum_over(self, cue: Refs, q: Quantity) -> Bounded | None:
        """The sum of what has that unit, in the table that a verb points to."""
        tables, said = {r.table for r, _ in cue}, measure_of(q.unit)

        def fits(c: Column) -> bool:
            alike = "money" in c.about if said == "money" else measure_of(c.hint.unit) == said
            return alike and not c.about & _OF_EACH and (not tables or c.table in tables)

        return Bounded(added, q) if (added := self.sums(fits, 0.1)) else None

    def _in_total(self, refs: Refs | None) -> Exprs:
        named = refs or self._all(lambda c: "money" in c.about, GUESSED)
        return self.aggregates(("sum",), [(r, c) for r, c in named if not self.column_of(r).about & _OF_EACH])

    def _fitting(self, options: Exprs, unit: str) -> Exprs:
        """Those that are of a unit."""

        def fits(e: Expr) -> bool:
            if not unit or not isinstance(e, Aggregate) or not isinstance(e.of, Field):
                return True
            return in_units(self.column_of(e.of.ref), Quantity("", (1.0,), unit)) is not None

        return tuple(o for o in options if fits(o.of))

    @remembered
    def measure(self, at: int) -> Finds:
        """An aggregate of a column: its options."""
        yield from self._measure(at)
        counted = self.opt(self.word("count"))
        for end, (many, t, of), cost in self.seq(at, "avg", counted, self.table, "per", self.table):
            if many is not None or re.search(r"s (per|for|of) ", self.text[at:end]):  # not the average rating
                yield end, self._per(t, of), cost  # the average number of visits per pet

    @ways
    def _measure(self) -> Iterator[Way]:
        fn, numbers, table, made = self.word(*_AGGREGATES), self.numeric, self.table, self.aggregates
        yield (self.word("avg"), "count", numbers), made  # the average number of nights
        yield (fn, self.opt("per"), numbers), made
        yield (fn, self.unit), lambda fn, unit: made(fn, self._all(_counts(unit), 0.1))
        yield (numbers, fn), lambda refs, fn: made(fn, refs), 0.05
        yield (fn, table, numbers), lambda fn, t, refs: made(fn, _within(refs, t)), 0.05  # average invoice amount
        yield ("avg", "per", table, numbers), lambda t, refs: made(("avg",), _within(refs, t))  # 平均每个订单的金额
        # 平均每只宠物就诊几次
        yield ("avg", "per", table, self.opt("have", "verb"), table, "count"), lambda of, t: self._per(t, of)
        yield ("avg", table), self._rating  # the average rating, of a table of ratings
        mean_of = self.only(self.word("avg"), lambda role: len(role) > 1)  # 平均分, 均价
        yield (mean_of,), lambda role: made(role, [m[:2] for m in self._meant_by(role[1], self.schema.columns())])
        price = self.only(self.word("worth"), lambda role: role[1] == "price")
        # 一共多少钱
        yield ((self.word("sum"), price), lambda *_: self.sums(lambda c: "spent" in c.hint.cues, 0.3))
        # 平均停机多少小时: of the number that the verb is a part of
        yield (self.word("avg", "sum"), self.cue, self.either("much", "count"), self.unit), self._so_many_units
        yield ("sumof",), lambda: self.sums(lambda c: "money" in c.about and "each" not in c.tags, 0.2)
        worth = aggregated("sum", self.revenue())
        yield ("earned",), lambda: worth or self.sums(lambda c: "spent" in c.hint.cues, 0.3), 0.1
        yield (self.word("avg", "sum"), self._number_cue), made, 0.2
        times = r"times|multiplied by|乘以?|×|\*"
        factors = self.opt("avg"), numbers, self.matched(times), numbers, self.opt("sum")
        yield factors, lambda a, _, b: aggregated("sum", products(a, b))

    def _so_many_units(self, fn: Role, refs: Refs, unit: str) -> Exprs:
        measured = measure_of(unit)
        return self.aggregates(fn, [(r, c) for r, c in refs if measure_of(self.column_of(r).hint.unit) == measured])

    def _all(self, fits: Callable[[Column], object], cost: float) -> list[tuple[Ref, float]]:
        return [(c.ref, cost) for c in self.schema.columns() if fits(c)]

    def _rating(self, table: str) -> Exprs:
        rated = self._all(lambda c: c.table == table and _is_rating(c), 0.1)
        return self.aggregates(("avg",), rated) if len(rated) == 1 else ()

    def _per(self, rows: str, of: str) -> Exprs:
        """How many rows of a table there are for each row of its parent that has any."""
        keys = [Field(Ref(f.table, f.column)) for f in self.schema.parents(rows) if f.parent == of]
        return tuple(Option(Arithmetic("/", Aggregate("count"), Aggregate("distinct", k))) for k in keys[:1])

    def sums(self, fits: Callable[[Column], object], cost: float) -> Exprs:
        """The sums of the columns that fit and have one."""
        numbers = (c for c in self.schema.columns() if c.kind == "number" and not c.key and fits(c))
        return tuple(Option(Aggregate("sum", Field(c.ref)), cost + 0.4 * self.costs(c), "unit") for c in numbers)

    def _number_cue(self, at: int) -> list[Found]:
        """A verb that stands for a number by a hint: spent."""
        return [f for f in self.cued("number")(at) if f[2] <= 0.2]

    def aggregates(self, fn: Role, refs: Refs) -> Exprs:
        """An aggregate of each column that numbers can be made of: no keys."""
        columns = (((r, cost), self.column_of(r)) for r, cost in refs)
        numbers = ((one, c) for one, c in columns if c.kind == "number" and not c.is_key)
        numbers = ((one, c) for one, c in numbers if fn[1:] != ("money",) or "money" in c.about)  # 库存总金额
        return _each(fn[0], [one for one, c in numbers if not (c.is_year and fn[0] in ("sum", "avg"))])

    @ways
    def _measures(self) -> Iterator[Way]:
        yield (self.measure,), Measured
        yield (self._lists,), Measured
        yield (self._flow,), Measured, 0.1
        yield ("gap", self._apart), Measured
        yield (self._apart, "gap"), Measured
        yield (self._more,), Measured
        yield (self.mean_days,), Measured
        # 一共采了多少公斤: the sum of the column with that unit
        yield (self.opt("sum"), self.either("much", "count", "what"), self.unit), self._so_much

    @remembered
    def _flow(self, at: int) -> Finds:
        """Sales: what is asked for is their sum."""
        for end, refs, cost in self.numeric(at):
            if ("flow",) in roles_of(self.text[at:end]):
                yield end, self.aggregates(("sum",), refs), cost

    def _so_much(self, unit: str) -> Measured | None:
        measure = measure_of(unit)
        called = any(unit in words_of(c.name) for c in self.schema.columns())  # minutes stayed
        far = GUESSED + 1.5 * (called and self.language == "en")
        alike = "" if unit in ("个", "人", "位", "名", "单", "笔", "次") else measure  # 多少个 are no 件
        options = self.sums(lambda c: c.hint.unit == unit or (alike and measure_of(c.hint.unit) == alike), far)
        return Measured(options, guessed=True) if options else None

    @remembered
    def _lists(self, at: int) -> Finds:
        """The average and the maximum of one column, the average of two."""
        numbers, aggregate = self.numeric, self.word(*_AGGREGATES)
        fns, columns = self.many(aggregate, "and", most=3), self.many(numbers, "and", most=3)
        turned = ((end, (of, refs), cost) for end, (refs, of), cost in self.seq(at, numbers, fns))
        for end, ((of, _), refs), cost in (*self.seq(at, fns, numbers), *turned):
            kept = [(Field(r), c) for r, c in refs if len(of) > 1 and self.aggregates(("avg",), [(r, c)])]
            yield end, tuple(Option(tuple(Aggregate(fn[0], field) for fn in of), c) for field, c in kept), cost
        for end, (fn, (several, _)), cost in self.seq(at, aggregate, columns):
            each = [self.aggregates(fn, refs) for refs in several]
            if len(each) > 1 and all(each):
                yield end, (Option(tuple(options[0].of for options in each), cost),), cost

    @remembered
    @ways
    def _apart(self) -> Iterator[Way]:
        """One number less another: the highest and the lowest salary, an average in two cities, 男生和女生的平均分."""
        numbers, row, part = self.numeric, self._a_row, self.either(self.measure, self._extreme)
        fns = self.many(self.either(self.word(*_AGGREGATES), self._highest), "and", most=2)
        rows = self.many(row, "and", most=2)
        within, in_two = self.opt("during", "between", "from"), self._in_two
        yield (fns, numbers), self._of_two
        yield (numbers, fns), lambda refs, of: self._of_two(of, refs)
        yield (part, "and", part), _less
        yield (rows, part), lambda several, of: in_two(of, several[0])
        yield (part, within, rows), lambda of, several: in_two(of, several[0])
        yield (row, part, "and", row, part), lambda v, a, w, b: in_two(a, (v, w)) if a == b else ()
        twice = part, within, row, "and", part, within, row
        yield twice, lambda a, v, b, w: in_two(a, (v, w)) if a == b else ()

    @remembered
    @ways
    def _more(self) -> Iterator[Way]:
        """How much more: 研发的平均月薪比市场高多少, 山地车比公路车便宜多少钱, 男生比女生多几个."""
        row, part, adjective = self._their_row, self.either(self.measure, self._extreme), self.word("adj", "comp")
        much, rate = (self.either("much", "worth", "count", "people"), self.opt(self.unit)), self.opt(self.cue)
        taken = row, part, "than", row, self.opt(part), adjective, *much
        yield (
            taken,
            lambda a, of, b, again, op, _: (
                self._in_two(of, (a, b) if op[1] == ">" else (b, a)) if again in (None, of) else ()
            ),
        )
        late = row, "than", row, part, adjective, *much
        yield late, lambda a, b, of, op, _: self._in_two(of, (a, b) if op[1] == ">" else (b, a))
        of_row = row, self.opt(self.numeric), "than", row, self.opt(self.numeric), rate, adjective, *much
        yield of_row, lambda a, x, b, y, rate, op, _: self._of_rows(x or y or rate, (a, b), op)

    def _their_row(self, at: int) -> list[Found]:
        """物理的同学, as well as 物理."""
        rows = self.seq(at, self._a_value, self.table)
        of = ((end, tuple((v, c) for v, c in values if v.ref.table == t), cost) for end, (values, t), cost in rows)
        return [*self._a_row(at), *(found for found in of if found[1])]

    def _of_rows(self, refs: Refs | None, two: tuple[Meant, Meant], op: Role) -> Exprs:
        """The number of one row, called by its name, less that of another; of more rows, how many more they are."""
        if refs is None and op[2] == "many":
            of: Exprs = (Option(Aggregate("count")),)
        else:
            named = self.aggregates(
                ("avg",), refs or [(r, c) for r, c, _ in self._meant_by(op[2], self.schema.columns())]
            )
            titles = {v.ref.table for v, _ in two[0] if self.column_of(v.ref).unique}
            of = tuple(o for o in named if isinstance(o.of, Aggregate) and tables(o.of) <= titles)
        return self._in_two(of, two if op[1] == ">" else two[::-1])

    def _highest(self, at: int) -> list[Found]:
        """The highest, the lowest: of numbers, not of rows."""
        said = self.word("super")(at)
        return [(end, ("max" if role[1] == ">" else "min",), c) for end, role, c in said if role[2] in ("any", "size")]

    def _extreme(self, at: int) -> list[Found]:
        found = self.seq(at, self._highest, self.numeric)
        return [(end, self.aggregates(fn, refs), cost) for end, (fn, refs), cost in found]

    def _of_two(self, several: tuple[tuple[Role, ...], Any], refs: Refs) -> Exprs:
        fns, _ = several
        return _less(*(self.aggregates(fn, refs) for fn in fns)) if len(fns) == 2 else ()

    def _in_two(self, of: Exprs, values: Sequence[Meant]) -> Exprs:
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
        own = [(at + width, u, 0.0) for u, width in self.links.units(at)]
        return own + ([(at + len(known), known, 0.05)] if known else [])

    def _how_many(self, at: int) -> Finds:
        different = self.opt(self.word("different"))
        for end, (role, of), cost in self.seq(at, self.word("count", "people"), different, self.opt("classifier")):
            if self.text[at - 1 : at] == "哪":
                continue  # 哪几家
            times = "次" in self.text[at : end + 1] or any(word in self.text[at:end] for word in ("times", "often"))
            yield end, HowMany(of is not None, role[0] == "people", times), cost
        if self.text[at] in "量数" and self.behind("table", at):
            yield at + 1, HowMany(), 0.1  # 订单量
        for end, _, cost in self.seq(at, self.opt("share"), "share"):
            yield end, Shared(), cost

    def count(self, at: int) -> list[Found]:
        """A number of things, from 1 to 1000: three, 三个."""
        whole = self.only(self.number, lambda n: n.value == int(n.value) and 0 < n.value <= 1000 and n.scale == 1.0)
        pieces = self.only(whole, lambda n: not n.unit or measure_of(n.unit) == "piece")
        return [(end, int(n.value), cost) for end, n, cost in pieces(at)]


def _counts(unit: str) -> Callable[[Column], object]:
    """Whether a column is in a unit, however that is written: total litres, of a volume in l."""
    measure = measure_of(unit)
    known = measure not in ("piece", "money")
    return lambda c: c.hint.unit.lower() == unit.lower() or (known and measure_of(c.hint.unit) == measure)


def _is_rating(c: Column) -> bool:
    return not c.about.isdisjoint({"rating", "points"})


def _within(refs: Refs, table: str) -> Refs:
    return [(r, c) for r, c in refs if r.table == table]


def _each(fn: str, refs: Refs) -> Exprs:
    return tuple(Option(Aggregate(fn, Field(r)), c) for r, c in refs)


def _less(left: Exprs, right: Exprs) -> Exprs:
    """Of every two options the one less the other; of the highest and the lowest, the lowest is taken away."""
    out: list[Option[Expr]] = []
    for a, b in ((a, b) for a in left for b in right if a.of != b.of):
        if isinstance(a.of, Aggregate) and isinstance(b.of, Aggregate) and "median" not in (a.of.fn, b.of.fn):
            turned = (a.of.fn, b.of.fn) == ("min", "max")
            out.append(Option(Arithmetic("-", *((b.of, a.of) if turned else (a.of, b.of))), a.cost + b.cost))
    return tuple(out)
