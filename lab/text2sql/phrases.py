"""The part of the grammar that reads what is wanted of the rows: measures, shares, groups, top lists, orders, nouns.

Every phrase gives facts (`lab.text2sql.facts`); what they come to together is settled in `assembling`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lab.text2sql.conditions import Conditions
from lab.text2sql.facts import (
    Bounded,
    By,
    Count,
    Counted,
    Cue,
    Fact,
    HowMany,
    Mark,
    Measured,
    Named,
    Noun,
    Option,
    Shared,
    Sorted,
    Top,
    Turn,
    Where,
)
from lab.text2sql.hints import UNITS, converted
from lab.text2sql.lexicon import roles_of
from lab.text2sql.naming import is_han
from lab.text2sql.numbers import measure_of
from lab.text2sql.quantities import GUESSED, about
from lab.text2sql.reader import Found, as_count
from lab.text2sql.tree import Aggregate, Arithmetic, Expr, Field, Part, Ref

Exprs = tuple[Option[Expr], ...]
Refs = Sequence[tuple[Ref, float]]
_AGGREGATES = ("avg", "sum", "max", "min", "median")


class Phrases(Conditions):
    """All phrases of a question: `facts` gives those that begin at a place."""

    def facts(self, at: int) -> Iterator[tuple[int, Fact, float]]:
        """All facts that can begin at a place."""
        for end, (options, listed), cost in self.condition(at):
            yield end, Where(at, end, options, listed), cost
        for phrase in (
            self._counted, self._bounded, self._measures, self._how_many, self._share, self._groups, self._tops,
            self._orders, self._nouns, self._marks,
        ):  # fmt: skip
            yield from phrase(at)

    # ---------------------------------------------------------------------------------------- conditions on groups

    def _counted(self, at: int) -> Iterator[tuple[int, Fact, float]]:
        """More than 6 orders, 采摘次数超过30次, at least 6 readings."""
        for end, (q, t), cost in self.seq(at, self._said, self.table):
            if q.op and (not q.unit or measure_of(q.unit) == "piece") and not q.about:
                yield end, Counted(at, end, t, q), cost
        for end, (t, _, q), cost in self.seq(at, self.table, self.opt(self.word("count")), self._said):
            if self.language == "zh" and q.op and (not q.unit or measure_of(q.unit) == "piece") and not q.about:
                yield end, Counted(at, end, t, q), cost + 0.02
        for end, (_, q, _), cost in self.seq(at, self.word("count"), self._said, self.opt(self.word("times"))):
            if q.op and (not q.unit or measure_of(q.unit) == "piece"):
                yield end, Counted(at, end, "", q), cost
        for end, (q, _), cost in self.seq(at, self._said, self.word("times")):
            if q.op:
                yield end, Counted(at, end, "", q), cost
        for end, q, cost in self.quantity(at):
            if q.op and measure_of(q.unit) == "piece" and q.unit in ("次", "笔", "单", "场", "times", "time"):
                yield end, Counted(at, end, "", q), cost + 0.1

    def _bounded(self, at: int) -> Iterator[tuple[int, Fact, float]]:
        """An average fare over 60, 总额超过五千."""
        for end, (options, q), cost in self.seq(at, self.measure, self._said):
            if q.op:
                fitting = tuple(o for o in options if not q.unit or self._fits(o.of, q.unit))
                if fitting:
                    yield end, Bounded(at, end, fitting, q), cost
        for end, (q, options), cost in self.seq(at, self._said, self.measure):
            if q.op:
                yield end, Bounded(at, end, options, q), cost + 0.1

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
        for end, (refs, role), cost in self.seq(at, self.columns("date"), self.word("super")):
            if role[2] == "date":
                fn = "max" if role[1] == ">" else "min"
                yield from _exprs(end, tuple(Option(Aggregate(fn, Field(r)), c) for r, c in refs), cost + 0.6)
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
            if not (c.key or "key" in c.tags) and not (c.is_year and fn in ("sum", "avg")) and c.kind == "number":
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
                    yield end, Measured(at, end, (Option(_pair([b[0].of for b in both]), cost),)), cost
        # 一共采了多少公斤: the sum of the column with that unit; how much did they spend
        for end, (_, _, unit), cost in self.seq(
            at, self.opt(self.word("sum")), self.word("much", "count", "what"), self.unit
        ):
            options = self.by_unit(unit)
            if options:
                yield end, Measured(at, end, options, guessed=True), cost
        for end, (_, much, refs), cost in self.seq(at, self.opt(self.word("sum")), self.word("much"), self._number_cue):
            if much[0] == "much":
                yield from self._measured(at, end, self.aggregates("sum", refs), cost + 0.3)
        for end, (refs, total, _), cost in self.seq(
            at, self.columns("number"), self.opt(self.word("sum")), self.word("much")
        ):
            if total is not None:
                yield from self._measured(at, end, self.aggregates("sum", refs), cost)
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
        options = tuple(Option(_pair([Aggregate(fn[0], Field(r)) for fn in fns]), c) for r, c in columns)
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
        for end, (_, role), cost in self.seq(at, self.opt(self.word("share")), self.word("share")):
            _ = role
            yield end, Shared(at, end), cost

    # -------------------------------------------------------------------------------------------------- groups

    def _groups(self, at: int) -> Iterator[tuple[int, Fact, float]]:
        for end, (role, what), cost in self.seq(at, self.word("per", "by"), self.groupable):
            by = role[0] == "by"
            noun = by and self.language == "en" and any(self.table(place) for place, _ in self.gaps(end, most=0))
            if noun:  # by finished jobs: how many of them
                what = tuple(o for o in what if not self._ranked(o.of))
            if what:
                yield end, By(at, end, what, by), cost + (0.5 if noun else 0.0)
        for end, role, cost in self.word("part")(at):
            dates = tuple(Option[Expr](Part(Field(r), role[1]), c, "day") for r, c in self.every_date())
            if dates:
                yield end, By(at, end, dates), cost
        for end, (refs, role), cost in self.seq(at, self.dated, self.word("part")):
            yield end, By(at, end, tuple(Option(Part(Field(r), role[1]), c) for r, c in refs)), cost
        for end, (role, refs), cost in self.seq(at, self.word("part"), self.dated):
            yield end, By(at, end, tuple(Option(Part(Field(r), role[1]), c) for r, c in refs)), cost + 0.1
        # per location and culture
        joint = self.either(self.word("and"), self.comma)
        for end, (_, several), cost in self.seq(at, self.word("per", "by"), self.many(self.groupable, joint, most=3)):
            if len(several[0]) > 1:
                options = [Option(_pair([w[0].of for w in several[0]]), sum(w[0].cost for w in several[0]))]
                yield end, By(at, end, tuple(options)), cost

    def groupable(self, at: int) -> list[Found]:
        """What rows can be grouped by: a column, a table (by the names of its rows), a part of a day."""
        out: list[Found] = []
        for end, refs, cost in self.columns("text", "category", "boolean", "number", "date")(at):
            said = self.text[at:end].rsplit(" ", 1)[-1]
            by_key = said in ("id", "ids", "code", "codes", "number", "numbers") or said.endswith(
                ("编号", "号", "代码")
            )
            meant = [(Field(r) if by_key else self._group(r), c) for r, c in refs]
            out.append((end, tuple(Option[Expr](e, c) for e, c in meant), cost))
        for end, t, cost in self.table(at):
            out.append((end, (Option[Expr](Field(self.schema.table(t).title.ref)),), cost + 0.05))
        return out or self._last_of_name(at)

    def _ranked(self, e: Expr) -> bool:
        return isinstance(e, Field) and self.column_of(e.ref).kind in ("number", "date")

    def _last_of_name(self, at: int) -> list[Found]:
        """各队 for 球队: the last character of the only name of a column that ends with it."""
        said = self.text[at : at + 1]
        columns = [c for c in self.schema.columns() if c.kind in ("category", "text") and is_han(c.name)]
        ending = [c for c in columns if len(c.name) < 4 and said and c.name.endswith(said)]
        if len(ending) != 1 or not is_han(said):
            return []
        return [(at + 1, (Option[Expr](Field(ending[0].ref), 0.5),), 0.0)]

    def _group(self, ref: Ref) -> Expr:
        """A column as a group; the number of a row of another table stands for its name."""
        for f in self.schema.foreign_keys:
            if (f.table, f.column) == (ref.table, ref.column):
                return Field(self.schema.table(f.parent).title.ref)
        if self.column_of(ref).key and len(self.schema.tables) > 1:
            return Field(self.schema.table(ref.table).title.ref)
        return Field(ref)

    # ----------------------------------------------------------------------------------------------- top lists

    def every_rank(self) -> Exprs:
        """All columns that rows may be put in order by, none likelier than the others."""
        kinds = ("number", "date")
        found = [c for c in self.schema.columns() if c.kind in kinds and not self._is_key(c.ref) and not c.is_year]
        return tuple(Option[Expr](Field(c.ref), 0.0, "day") for c in found)

    def count(self, at: int) -> list[Found]:
        """A number of things: three, 三个."""
        return [
            (end, n, cost)
            for end, number, cost in self.number(at)
            if (n := as_count(number)) is not None and (not number.unit or measure_of(number.unit) == "piece")
        ]

    def _tops(self, at: int) -> Iterator[tuple[int, Fact, float]]:
        number = self.opt(self.count)
        best = self.word("super")
        nth = self.opt(self.word("nth"))
        key = self.opt(self.either(self.measure_key, self.column_key))
        for end, (before, nth_, role, _, what, after), cost in self.seq(
            at, number, nth, best, self.opt(self.word("per")), key, number
        ):
            if before is not None and after is not None:
                continue
            yield from self._top(at, end, role, what, before or after, nth_, cost)
        for end, (what, nth_, role, after), cost in self.seq(
            at, self.either(self.measure_key, self.column_key), nth, best, number
        ):
            yield from self._top(at, end, role, what, after, nth_, cost)
        for end, (what, nth_), cost in self.seq(at, self.column_key, self.word("nth"), tight=True):
            if is_han(self.text[end - 1]):  # 力量第一名
                yield end, Top(at, end, what, True, 1, int(nth_[1]) - 1), cost + 0.1
        for end, (what, nth_, adj), cost in self.seq(
            at, self.opt(self.either(self.measure_key, self.column_key)), self.word("nth"), self.word("adj")
        ):
            yield from self._top(at, end, ("super", adj[1], adj[2]), what, None, nth_, cost)
        for end, (before, role, _), cost in self.seq(at, number, best, self.word("count")):
            if role[2] in ("any", "many", "size"):
                yield end, Top(at, end, (), role[1] == ">", before, many=True), cost
        # top 5 by score, 前三名, 期望薪资前十
        by = self.opt(self.word("by", "sort"))
        for end, (what, role, n), cost in self.seq(
            at, self.opt(self.either(self.measure_key, self.column_key)), self.word("top"), self.count
        ):
            yield end, Top(at, end, what or (), role[1] == ">", n), cost
            if what is None:
                yield end, Top(at, end, self.every_rank(), role[1] == ">", n), cost + 0.9
        for end, (n, role), cost in self.seq(at, self.count, self.word("top")):
            if role[1] == ">" and self.text[at : at + 1].isascii():
                yield end, Top(at, end, (), True, n), cost + 0.5
        for end, (_, what, _, role, n), cost in self.seq(
            at, self.word("by"), self.either(self.measure_key, self.column_key), by, self.word("top"), self.count
        ):
            yield end, Top(at, end, what, role[1] == ">", n), cost
        # who has the most; 谁的产量高, 谁的借阅多
        for end, (_, _, adj), cost in self.seq(at, self.word("who", "which"), self.table, self.word("adj", "comp")):
            if adj[2] in ("many", "any"):
                yield end, Top(at, end, (), adj[1] == ">", None, many=True, asked=True), cost + 0.2
        for end, (_, what, adj), cost in self.seq(
            at, self.word("who", "which"), self.opt(self.column_key), self.word("adj", "comp")
        ):
            what = tuple(o for o in what or () if self.fits_adjective(o.of, adj[2]))
            if what:
                yield end, Top(at, end, what, adj[1] == ">", None, asked=True), cost + 0.2

    def _top(
        self,
        at: int,
        end: int,
        role: tuple[str, ...],
        what: Exprs | None,
        n: int | None,
        nth: tuple[str, ...] | None,
        cost: float,
    ) -> Iterator[tuple[int, Fact, float]]:
        up, adjective = role[1] == ">", role[2] if len(role) > 2 else "any"
        offset = int(nth[1]) - 1 if nth is not None else 0
        if nth is not None and n is not None:
            return
        n = 1 if nth is not None else n
        if what is not None:
            what = tuple(o for o in what if self.fits_adjective(o.of, adjective))
            if what:
                far = 0.9 if adjective == "rating" and not any(self._rated(o.of) for o in what) else 0.0
                yield end, Top(at, end, what, up, n, offset, adjective == "many", adjective), cost + far
            return
        if adjective == "many":
            yield end, Top(at, end, (), up, n, offset, True, adjective), cost
        elif adjective == "any":
            yield end, Top(at, end, (), up, n, offset, False, adjective), cost + 0.05
        else:
            options = self.by_adjective(adjective)
            same = tuple(o for o, reverse in options if not reverse)
            other = tuple(o for o, reverse in options if reverse)
            if same:
                yield end, Top(at, end, same, up, n, offset, False, adjective), cost
            if other:
                yield end, Top(at, end, other, not up, n, offset, False, adjective), cost
            if not options and adjective in ("size", "rating", "height", "value"):  # the largest sales by amount
                yield end, Top(at, end, (), up, n, offset, False, adjective), cost + 0.05

    def _rated(self, e: Expr) -> bool:
        of = e.of if isinstance(e, Aggregate) else e
        return isinstance(of, Field) and about(self.column_of(of.ref), "rating") is not None

    def fits_adjective(self, e: Expr, adjective: str) -> bool:
        of = e.of if isinstance(e, Aggregate) else e
        if not isinstance(of, Field):
            return True
        c = self.column_of(of.ref)
        plain = ("date", "old") if c.kind == "date" or c.is_year else ("any", "many", "size", "rating", "height")
        return adjective in plain or about(c, adjective) is not None

    def by_adjective(self, adjective: str) -> list[tuple[Option[Expr], bool]]:
        """The columns that an adjective is about, and whether their order is the other way round."""
        out = []
        for c in self.schema.columns():
            fits = about(c, adjective) if c.kind in ("number", "date") and not c.key else None
            if fits is not None and not (c.is_year and fits[1]):
                first = c.kind == "date" and not any(x.kind == "date" for x in self._before(c.ref))
                lone = 0.0 if first or c.kind != "date" else 0.3
                why = "day" if c.kind == "date" else "adjective"
                if adjective == "sold" and not self.schema.parents(c.ref.table):
                    continue
                out.append((Option[Expr](Field(c.ref), GUESSED + 0.3 * fits[0] + lone, why), fits[1]))
        return out

    def _before(self, ref: Ref) -> list[Any]:
        columns = self.schema.table(ref.table).columns
        at = next(i for i, c in enumerate(columns) if c.ref == ref)
        return list(columns[:at])

    def measure_key(self, at: int) -> list[Found]:
        return [(end, options, cost) for end, options, cost in self.measure(at)]

    def column_key(self, at: int) -> list[Found]:
        """A column that rows can be put in order by."""
        out: list[Found] = []
        for end, refs, cost in self.columns("number", "date", "category")(at):
            kept = [(r, c) for r, c in refs if self.column_of(r).kind != "category" or self.column_of(r).hint.order]
            kept = [(r, c) for r, c in kept if not self.column_of(r).key and "key" not in self.column_of(r).tags]
            if kept:
                out.append((end, tuple(Option[Expr](Field(r), c) for r, c in kept), cost))
        for end, refs, cost in self._cued(("number", "date"), at):
            out.append((end, tuple(Option[Expr](Field(r), c + 0.1) for r, c in refs), cost))
        return out

    # -------------------------------------------------------------------------------------------------- orders

    def _orders(self, at: int) -> Iterator[tuple[int, Fact, float]]:
        way = self.either(self.word("desc"), self.word("asc"))
        key = self.either(self.measure_key, self.order_key)
        sort = self.opt(self.word("sort"))
        for end, (_, _, what, up, _), cost in self.seq(
            at, self.opt(self.word("sort")), self.word("by", "sort"), key, self.opt(way), sort
        ):
            vague = 0.0 if up is not None else 0.1 if all(self._ranks(o.of) for o in what) else 0.4
            if self.language == "en" and any(self.table(place) for place, _ in self.gaps(end, most=0)):
                continue  # by finished jobs: how many of them
            yield end, Sorted(at, end, what, None if up is None else up[0] == "desc"), cost + vague
        for end, (what, up, _), cost in self.seq(at, key, way, sort):
            yield end, Sorted(at, end, what, up[0] == "desc"), cost
        for end, (_, up, _), cost in self.seq(at, sort, way, sort):
            yield end, Sorted(at, end, (), up[0] == "desc"), cost
        for end, (_, _, t), cost in self.seq(at, self.word("by", "sort"), self.word("count"), self.table):
            yield end, Sorted(at, end, (), True, True, t), cost
        for end, (_, _, t, up), cost in self.seq(
            at, self.word("by", "sort"), self.word("count"), self.opt(self.table), way
        ):
            yield end, Sorted(at, end, (), up[0] == "desc", True, t or ""), cost
        for end, (_, _), cost in self.seq(at, self.word("by", "sort"), self.word("count")):
            yield end, Sorted(at, end, (), None, True), cost + 0.1
        for end, _, cost in self.seq(at, sort, self.word("alpha")):
            yield end, Sorted(at, end, self.titles(), False), cost
        for end, (what, role, _), cost in self.seq(at, self.opt(key), self.word("super"), self.word("first")):
            if what is not None or role[2] in ("any", "many", "size", "rating"):
                yield end, Sorted(at, end, what or (), role[1] == ">", role[2] == "many" and what is None), cost
            else:
                for o, reverse in self.by_adjective(role[2]):
                    yield end, Sorted(at, end, (o,), (role[1] == ">") != reverse), cost
        for end, (role, what, _), cost in self.seq(at, self.word("super"), key, self.word("first")):
            yield end, Sorted(at, end, what, role[1] == ">"), cost
        for end, (what, adj, _), cost in self.seq(at, self.opt(key), self.word("adj"), self.word("first")):
            if what is not None:
                yield end, Sorted(at, end, what, adj[1] == ">"), cost

    def titles(self) -> Exprs:
        """The names of the rows of every table."""
        return tuple(Option[Expr](Field(t.title.ref), 0.0, "day") for t in self.schema.tables)

    def order_key(self, at: int) -> list[Found]:
        out: list[Found] = []
        for end, refs, cost in self.columns()(at):
            said = self.text[at:end]
            kept = [(r, c) for r, c in refs if not self._is_key(r) or said.endswith(("id", "ids", "编号", "号"))]
            if kept:
                out.append((end, tuple(Option[Expr](Field(r), c) for r, c in kept), cost))
        return out

    def _ranks(self, e: Expr) -> bool:
        return not isinstance(e, Field) or self.column_of(e.ref).kind in ("number", "date")

    # --------------------------------------------------------------------------------------- nouns and the rest

    def _nouns(self, at: int) -> Iterator[tuple[int, Fact, float]]:
        for end, t, cost in self.table(at):
            yield end, Noun(at, end, t), cost
        for end, (_, t), cost in self.seq(at, self.word("by"), self.table):
            if self.language == "en":  # bought by customers
                yield end, Noun(at, end, t), cost + 0.25
        for end, refs, cost in self.column(at):
            flow = 0.5 if any(role[0] == "flow" for role in roles_of(self.text[at:end])) else 0.0
            options = tuple(Option[Expr](Field(r), c + flow + self._rarely(r, cost)) for r, c in refs)
            yield end, Named(at, end, options), cost + 0.15
        for end, refs, cost in self.cue(at):
            yield end, Cue(at, end, frozenset(r for r, _ in refs)), cost
        for end, t, cost in self.table_cue(at):
            yield end, Cue(at, end, frozenset(), frozenset({t})), cost
        for end, n, cost in self.count(at):
            yield end, Count(at, end, n), cost + 0.1

    def _rarely(self, ref: Ref, cost: float) -> float:
        """Numbers of rows and yes-no columns are seldom asked for by themselves."""
        c = self.column_of(ref)
        if self.schema.table(ref.table).title.ref == ref and cost > 0.05 and len(self.schema.tables) > 1:
            return 0.25  # the name of rows, where the rows themselves were called
        return 0.5 if c.key or "key" in c.tags else 0.4 if c.kind == "boolean" else 0.0

    def _marks(self, at: int) -> Iterator[tuple[int, Fact, float]]:
        for end, role, cost in self.word(
            "which",
            "what",
            "who",
            "where",
            "when",
            "exists",
            "split",
            "other",
            "records",
            "all",
            "worth",
            "different",
            "show",
            "find",
            "much",
            "verb",
            "ratio",
        )(at):
            yield end, Mark(at, end, role[0], role[1] if len(role) > 1 else ""), cost
        for end, role, cost in self.word("follow", "replace", "also", "drop", "undo", "limits", "reset")(at):
            yield end, Turn(at, end, role[0]), cost


class Pair(tuple[Expr, ...]):
    """Several expressions that one phrase names: the average and the maximum."""


def _pair(of: Sequence[Expr]) -> Any:
    return Pair(of)


def _exprs(end: int, options: Exprs, cost: float) -> Iterator[Found]:
    if options:
        yield end, options, cost
