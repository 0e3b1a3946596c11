"""Two numbers side by side: the ratio of completed to open orders, the difference of two scores, days between two days."""

from __future__ import annotations

from dataclasses import replace

from lab_packs.text2sql.assembling.conditions import Conditions
from lab_packs.text2sql.assembling.groups import Groups
from lab_packs.text2sql.assembling.measures import Measures
from lab_packs.text2sql.slots import COUNT, Flag, Group, Keep, Measure, Show
from lab_packs.text2sql.tree import Aggregate, Arithmetic, Condition, Expr, Field, Ref, Select, Test

SIDES = frozenset({"ratio", "difference", "days between"})


class Sides(Measures, Conditions, Groups):
    """What two numbers of a table come to."""

    def sides(self) -> Select | None:
        """Returns the tree of a ratio or a difference; None if its two sides are not on this table."""
        op = "/" if "ratio" in self.flags else "-"
        pair = self.pair()
        if pair is not None:
            self.slots = [s for s in self.slots if s not in pair]
        columns = [] if pair is not None else self.two_columns()
        if columns:
            self.slots = [s for s in self.slots if s not in columns]
        fn = next((m.fn for m in self.of(Measure) if not m.options and m.fn != "count"), "")
        if columns:
            self.slots = [s for s in self.slots if not (isinstance(s, Measure) and s.fn == fn and not s.options)]
        measures = self.measures()
        where = self.conditions() if measures is not None else None
        if measures is None or where is None:
            return None
        self.where = where
        title = Field(self.table.title.ref)
        each = any(g.options[0].of == title for g in self.of(Group))
        by = [e for e in self.groups() or [] if e != title]
        if pair is not None:
            quotient: Expr | None = self.of_pair(pair, [m for _, m in measures], op)
        elif columns:
            return self.of_columns(columns, fn, op, by, each=each)
        else:
            two = [m for _, m in measures]
            quotient = Arithmetic(op, two[0], two[1]) if len(two) == 2 else None
        if quotient is None:
            return None
        return Select(self.main, by=tuple(by), measures=(quotient,), where=tuple(self.where))

    def pair(self) -> tuple[Keep, Keep] | None:
        """Two values of one column behind the word: completed to ongoing, between Wellcome and DFG."""
        flag = next(s for s in self.slots if isinstance(s, Flag) and s.name in SIDES)
        keeps = [s for s in self.of(Keep) if s.start > flag.start and not s.negated and self.equals(s)]
        pairs = zip(keeps, keeps[1:], strict=False)
        return next(((a, b) for a, b in pairs if a.options[0].ref == b.options[0].ref), None)

    @staticmethod
    def equals(slot: Keep) -> bool:
        test = slot.options[0].of
        return isinstance(test, Test) and test.op in ("=", "has")

    def of_pair(self, pair: tuple[Keep, Keep], measured: list[Expr], op: str) -> Expr | None:
        """One number twice: for rows with the one value, and for rows with the other."""
        of = next((m for m in measured if isinstance(m, Aggregate)), COUNT)
        numbers = [s for s in self.of(Show) if self.is_number(s)]
        if not measured and numbers:
            of = Aggregate("sum", numbers[0].options[0].of)
        sides = []
        for slot in pair:
            option = slot.options[0]
            if option.ref is None or not self.above(option.ref.table):
                return None
            self.price(option)
            condition = option.of
            assert isinstance(condition, Condition)
            sides.append(replace(of, where=(condition,)))
            self.note(slot, sides[-1])
        return Arithmetic(op, *sides)

    def is_number(self, slot: Show) -> bool:
        """Whether a column of numbers of this table is named."""
        ref = slot.options[0].ref
        return ref is not None and ref.table == self.main and self.schema.column(ref).kind == "number" and not slot.cue

    def two_columns(self) -> list[Show]:
        """Returns two named columns of numbers, or two of days."""
        numbers = [s for s in self.of(Show) if self.is_number(s)]
        days = [s for s in self.of(Show) if self.is_day(s.options[0].ref) and not s.cue]
        return next((pair for pair in (numbers, days) if len(pair) == 2), [])

    def is_day(self, ref: Ref | None) -> bool:
        return ref is not None and ref.table == self.main and self.schema.column(ref).kind == "date"

    def of_columns(self, columns: list[Show], fn: str, op: str, by: list[Expr], *, each: bool) -> Select | None:
        """Divides or subtracts two columns: in every row, in the sums of groups, or in one number over the rows."""
        left, right = (s.options[0].of for s in columns)
        days = self.is_day(columns[0].options[0].ref)
        if days and op == "/":
            return None
        if days:
            left, right = right, left  # from the first day to the second
        for s in columns:
            self.price(s.options[0])
        row = Arithmetic(op, left, right)  # type: ignore[arg-type]
        where = tuple(self.where)
        if fn in ("avg", "max", "min", "sum"):
            of = Aggregate(fn, row)
            self.note(columns[0], of)
            return Select(self.main, by=tuple(by), measures=(of,), where=where)
        if by and not days:
            sums = (Aggregate("sum", left), Aggregate("sum", right))  # type: ignore[arg-type]
            quotient = Arithmetic(op, *sums)
            self.note(columns[0], quotient)
            return Select(self.main, by=tuple(by), measures=(quotient,), where=where)
        if by or not (each or days or self.one_row()):
            return None
        self.note(columns[0], row)
        names = self.whole_names(Field(self.table.title.ref))
        return Select(self.main, show=(*names, row), where=where)
