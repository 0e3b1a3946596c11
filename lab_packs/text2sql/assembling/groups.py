"""Groups, their numbers and their order."""

from __future__ import annotations

from lab_packs.text2sql.assembling.base import Base, whole
from lab_packs.text2sql.slots import COUNT, Group, Keep, Measure, Show, Sort
from lab_packs.text2sql.tree import Aggregate, Arithmetic, Expr, Field, Not, Order, Ref, Select, Test


class Groups(Base):
    """Groups, their numbers and their order."""

    def groups(self) -> list[Expr] | None:
        exprs: list[Expr] = []
        for slot in self.of(Group):
            option = slot.options[0]
            if option.ref is not None and not self.above(option.ref.table):
                return None
            by_title = option.of == Field(self.table.title.ref) and self.of(Measure)
            if by_title and all(m.fn in ("avg", "sum") for m in self.of(Measure)) and self.table.title.unique:
                continue  # the average price per product is the average over all products
            self.price(option)
            expr = option.of
            if expr not in exprs:
                exprs += [e for e in self.whole_names(expr) if e not in exprs]
            self.note(slot, expr)
        return exprs

    def told_by_values(self, by: list[Expr]) -> list[Expr]:
        """Groups by a column whose values are counted separately: how many boys and how many girls each."""
        fns = {m.fn for m in self.of(Measure)}
        each = "split" in self.flags or any(isinstance(s, Group) for s in self.slots)
        whole = fns & {"avg", "min", "max"}  # averages of men and women: one for each
        if not each and not whole:
            return by
        for c in list(self.where):
            several = (
                isinstance(c, Test)
                and c.op == "="
                and isinstance(c.of, Field)
                and len(c.values) > 1
                and ("split" in self.flags or self.of(Measure))
            )
            keeps = [s for s, v in self.made if v == c and isinstance(s, Keep)]
            if not each and isinstance(c, Test) and isinstance(c.of, Field):
                column = self.schema.column(c.of.ref)
                several = several and column.complete and set(column.values) == {str(v) for v in c.values}
            if (
                several
                and isinstance(c, Test)
                and c.of not in by
                and len(keeps) > 1
                and self.of(Measure)
                and not any(s.joint == "or" for s in keeps)
            ):
                by = [*by, c.of]
        return by

    def beside(self, shows: list[Show]) -> list[Expr]:
        """Returns groups for categories next to a measure: list the classes and their average price."""
        kinds = ("category", "text", "boolean")
        categories = [s for s in shows if not s.cue and s.options[0].ref and self.above(s.options[0].ref.table)]
        categories = [s for s in categories if self.schema.column(s.options[0].ref).kind in kinds]  # type: ignore[arg-type]
        measured = min((m.start for m in self.of(Measure)), default=0)
        if not categories or len(categories) < len([s for s in shows if not s.cue]) or categories[0].start > measured:
            return []
        exprs: list[Expr] = []
        for s in categories:
            shows.remove(s)
            self.price(s.options[0])
            exprs += [e for e in self.whole_names(s.options[0].of) if e not in exprs]
            self.note(s, s.options[0].of)
        self.sums["links"] -= 0.1
        return exprs

    def mean_count(self, measured: list[Expr], by: list[Expr]) -> Select | None:
        """Returns the average number of orders per customer: all orders divided by the customers with any."""
        keys = [f for f in self.schema.parents(self.main) if self.names_row(by, f.parent)]
        if len(keys) != 1 or not measured:
            return None
        each = Aggregate("distinct", Field(Ref(self.main, keys[0].column)))
        mean = Arithmetic("/", COUNT, each)
        return Select(self.main, measures=(mean,), where=tuple(self.where))

    def names_row(self, by: list[Expr], table: str) -> bool:
        return bool(by) and by == self.whole_names(Field(self.schema.table(table).title.ref))

    def grouped(
        self,
        measures: list[tuple[Measure, Expr]],
        measured: list[Expr],
        by: list[Expr],
        sorts: list[Sort],
        bounds: list[tuple[Measure, Expr]],
        shows: list[Show],
    ) -> Select:
        """Numbers of every group, perhaps the first ones only, or those that pass a bound."""
        having = []
        for slot, e in bounds:
            test = Test(e, slot.bound[0], (whole(self.in_unit(e, slot.bound[1])),))  # type: ignore[index]
            having.append(test)
            self.note(slot, test)
        order, limit, ties = self.order_of(sorts, measured)
        for e in by if limit else ():
            if isinstance(e, Field) and self.schema.column(e.ref).empty and e.ref.table == self.main:
                self.where.append(Not(Test(e, "empty")))
        for s in shows:
            self.leave(s)
        return Select(
            self.main,
            by=tuple(by),
            measures=tuple(dict.fromkeys(measured)),
            where=tuple(self.where),
            having=tuple(having),
            order=order,
            limit=limit,
            ties=ties,
            offset=self.offset,
        )

    def in_unit(self, e: Expr, value: float) -> float:
        """A bound in the unit of its column: 15 万 of a column in 万."""
        c = self.schema.column(e.of.ref) if isinstance(e, Aggregate) and isinstance(e.of, Field) else None
        if c is None or c.unit[1] <= 1 or not isinstance(c.high, (int, float)):
            return value
        most = c.high * (self.table.rows if isinstance(e, Aggregate) and e.fn == "sum" else 10)
        return value / c.unit[1] if value > most else value

    def order_of(self, sorts: list[Sort], measured: list[Expr]) -> tuple[tuple[Order, ...], int | None, bool]:
        self.offset = sorts[0].offset if sorts else 0
        for s in sorts:
            of: Expr = measured[0]
            if s.options and s.options[0].ref is not None:
                matching = [m for m in measured if isinstance(m, Aggregate) and m.of == Field(s.options[0].ref)]
                if not matching:
                    self.sums["unused"] -= self.w.unused
                else:
                    of = matching[0]
            order = Order(of, s.descending)
            self.note(s, order)
            return (order,), s.limit, s.limit == 1
        return (), None, False

    def first_of_each(self, by: list[Expr], sort: Sort, shows: list[Show]) -> Select | None:
        """Returns the first row of each group: the heaviest pet of each species."""
        option = sort.options[0]
        if option.ref is None or not self.above(option.ref.table):
            return None
        self.price(option)
        order = Order(Field(option.ref), sort.descending != (option.fit < 0))
        self.note(sort, order)
        refs_shown = [s.options[0].ref for s in shows if not s.cue and s.options[0].ref is not None]
        show = [Field(ref) for ref in refs_shown if self.above(ref.table)]
        title = Field(self.table.title.ref)
        columns: tuple[Expr, ...] = tuple(dict.fromkeys((*by, title, *show, Field(option.ref))))
        return Select(
            self.main,
            show=columns,
            where=tuple(self.where),
            order=(order,),
            limit=sort.limit or 1,
            ties=True,
            each=tuple(by),
        )

    def share(self, measured: list[Expr], by: list[Expr], sorts: list[Sort]) -> Select | None:
        """What part of the rows holds the last condition."""
        if not self.where:
            return None
        inner, outer = self.where[-1:], self.where[:-1]
        of = next((m.of for m in measured if isinstance(m, Aggregate) and m.fn == "sum"), None)
        for s in self.of(Show):
            ref = s.options[0].ref
            c = self.schema.column(ref) if ref is not None else None
            if c is not None and not s.cue:
                if not c.is_summed or c.table != self.main:
                    return None
                of = Field(c.ref)
        fn = "sum" if of is not None else "count"
        share = Arithmetic("/", Aggregate(fn, of, tuple(inner)), Aggregate(fn, of))
        order, limit, ties = self.order_of(sorts, [share]) if sorts and by else ((), None, False)
        return Select(
            self.main, by=tuple(by), measures=(share,), where=tuple(outer), order=order, limit=limit, ties=ties
        )
