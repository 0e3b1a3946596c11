"""The numbers that are asked for, on one table."""

from __future__ import annotations

from dataclasses import replace

from lab_packs.text2sql.assembling.base import Base, is_people
from lab_packs.text2sql.schema import Column
from lab_packs.text2sql.slots import COUNT, Flag, Keep, Measure, Noun, Option, Show, Sort
from lab_packs.text2sql.tree import Aggregate, Arithmetic, Expr, Field, Ref, Test


class Measures(Base):
    """The numbers that are asked for, on one table."""

    def measures(self) -> list[tuple[Measure, Expr]] | None:
        """Returns the requested numbers; None if this table cannot give one of them."""
        measures: list[tuple[Measure, Expr]] = []
        for noun in self.nouns:
            if noun.bound is not None and self.noun_table(noun) == self.main:  # mechanics with more than 25 jobs
                measures.append((Measure(noun.start, noun.end, "count", bound=noun.bound), COUNT))
        for slot in self.of(Measure):
            if slot.fn == "count":
                if slot.noun is None:
                    if slot.about == "times" and is_people(self.table) and len(self.schema.tables) > 1:
                        return None  # people are not what happens
                    expr = self.headcount() if slot.about == "people" else self.pieces_of_one()
                    if expr is None:
                        return None
                    measures.append((slot, expr))
                    continue
                table = self.noun_table(slot.noun)
                if table == self.main or table is None:
                    if table is None:
                        return None
                    measures.append((slot, COUNT))
                elif self.above(table):  # how many customers, per product
                    key = self.schema.table(table).keys
                    if len(key) != 1:
                        return None
                    self.sums["joins"] -= 0.4
                    measures.append((slot, Aggregate("distinct", Field(key[0].ref))))
                else:
                    return None
                continue
            if not slot.options:
                expr = self.default_measure(slot)
                if expr is None:
                    return None
                measures.append((slot, expr))
                continue
            option = slot.options[0]
            assert option.ref is not None
            if option.ref.table != self.main and slot.fn in ("sum", "avg", "median"):
                return None
            if not self.above(option.ref.table):
                return None
            self.price(option)
            fn = slot.fn
            c = self.schema.column(option.ref)
            if fn == "distinct":
                measures.append((slot, Aggregate("distinct", Field(option.ref))))
            elif c.kind == "date" and fn in ("sum", "avg"):
                return None
            else:
                measures.append((slot, Aggregate(fn, Field(option.ref))))
        return measures

    def headcount(self) -> Expr | None:
        """Counts people: the rows, or the different people that they belong to; None if there are neither."""
        if is_people(self.table):
            return COUNT
        for f in self.schema.parents(self.main):
            if is_people(self.schema.table(f.parent)):
                self.sums["joins"] -= self.w.joins
                return Aggregate("distinct", Field(Ref(f.table, f.column)))
        persons = [c for c in self.table.columns if "person" in c.tags and c.kind in ("text", "category")]
        if self.done_elsewhere():
            return None  # how many people borrowed Emma: not its authors
        if len(persons) == 1 and not persons[0].unique:
            return Aggregate("distinct", Field(persons[0].ref))
        return COUNT if len(self.schema.tables) == 1 else None

    def many_of(self, noun: Noun) -> list[Expr]:
        """Counts the different parents of rows: treatments with the most patients."""
        table = self.noun_table(noun)
        keys = self.schema.table(table).keys if table is not None and self.above(table) else ()
        if len(keys) != 1:
            return []
        self.sums["joins"] -= 0.4 + self.w.joins * ((self.reach(table or "") or 1) - 1)
        count = Aggregate("distinct", Field(keys[0].ref))
        self.note(noun, count)
        self.nouns = [n for n in self.nouns if n is not noun]
        return [count]

    def pieces_of_one(self) -> Expr | None:
        """How many baguettes were sold: of one named thing its pieces are added up; a thing itself is not counted."""
        for s in self.of(Keep):
            test = s.options[0].of
            if not isinstance(test, Test) or test.op != "=" or s.negated or not isinstance(test.of, Field):
                continue
            c = self.schema.column(test.of.ref)
            if c.unique and self.schema.table(c.table).title.ref == c.ref and not is_people(self.schema.table(c.table)):
                if c.table == self.main:
                    return None
                pieces = [x for x in self.table.columns if x.is_number and "piece" in x.about]
                return Aggregate("sum", Field(pieces[0].ref)) if len(pieces) == 1 else COUNT
        return COUNT

    def default_measure(self, slot: Measure) -> Expr | None:
        """Returns the measure of a total or average without a column: of a column in the question, or the only amount."""
        for n, other in enumerate(self.slots):
            if (
                isinstance(other, Sort)
                and other.options
                and other.options[0].ref
                and other.options[0].ref.table == self.main
                and slot.fn == "sum"
            ):
                self.slots[n] = replace(other, options=())
                self.price(other.options[0])
                return Aggregate("sum", other.options[0].of)  # type: ignore[arg-type]
        shows = [s for s in self.of(Show) if s.options and s.options[0].ref and s.options[0].ref.table == self.main]
        numbers = [s for s in shows if self.schema.column(s.options[0].ref).kind == "number"]
        if numbers:
            number = numbers[0]
            self.price(number.options[0])
            self.note(number, None)
            self.slots = [s for s in self.slots if s is not number]
            return Aggregate(slot.fn, number.options[0].of)
        money = [c for c in self.table.amounts if "each" not in c.tags and not c.is_aside(self.table)]
        if "much" in self.flags or slot.fn in ("sum", "avg"):
            if slot.about == "money" and not money:
                return self.turnover()
            if slot.fn == "sum" and not money and "much" not in self.flags:
                return COUNT if self.of(Noun) else None
            money = self.pointed(money or self.table.amounts, self.of(Show))
            if money:
                self.sums["links"] -= 0.3 + 0.1 * (len(money) - 1)
                return Aggregate(slot.fn, Field(money[0].ref))
        return None

    def pointed(self, money: list[Column], shows: list[Show]) -> list[Column]:
        """Returns the columns that a verb points to, else those that verbs can point to, and prices and amounts."""
        cues = {s.options[0].ref for s in shows if s.cue and s.options[0].ref}
        numbers = {ref for ref in cues if ref is not None and self.schema.column(ref).kind == "number"}
        return [c for c in money if (c.ref in numbers if numbers else c.hint.cues or c.tags & {"amount", "price"})]

    def turnover(self) -> Expr | None:
        """Returns the sum of number times price, if the rows have one column of each."""
        numbers = [c for c in self.table.columns if c.is_number]
        pieces = [c for c in numbers if "piece" in c.tags]
        prices = [c for c in numbers if "each" in c.tags]
        if len(pieces) != 1 or len(prices) != 1:
            return None
        return Aggregate("sum", Arithmetic("*", Field(pieces[0].ref), Field(prices[0].ref)))

    def spent(self, shows: list[Show]) -> list[Expr]:
        """Returns the sum for a verb of money with a group or "most": who spends the most, spending by month."""
        for s in shows:
            ref = s.options[0].ref
            c = self.schema.column(ref) if ref is not None else None
            if (
                s.cue
                and c is not None
                and c.kind == "number"
                and c.table == self.main
                and not c.tags & {"each", "price"}
            ):
                self.price(s.options[0])
                total = Aggregate("sum", Field(c.ref))
                self.note(s, total)
                return [total]
        return []

    def summed(self, shows: list[Show]) -> list[Expr]:
        """Returns sums for numbers with a group but without a measure: costs per month."""
        sums: list[Expr] = []
        for s in list(shows):
            ref = s.options[0].ref
            c = self.schema.column(ref) if ref is not None else None
            if c is not None and c.is_summed and not s.cue and c.table == self.main:
                shows.remove(s)
                self.price(s.options[0])
                sums.append(Aggregate("sum", Field(c.ref)))
                self.note(s, sums[-1])
        return sums

    def how_much(self, shows: list[Show]) -> list[tuple[Measure, Expr]]:
        """Returns the measure of “how much …”: the sum of a column, or the column itself for a single row."""
        flag = next(s for s in self.slots if isinstance(s, Flag) and s.name == "much")
        numbers = [
            s
            for s in shows
            if s.options[0].ref
            and self.schema.column(s.options[0].ref).kind == "number"
            and s.options[0].ref.table == self.main
        ]
        is_one_row = self.one_row()
        if numbers:
            ref = numbers[0].options[0].ref
            assert ref is not None
            c = self.schema.column(ref)
            if is_one_row or "each" in c.tags or c.tags & {"percent", "rating", "age"}:
                return []
            self.price(numbers[0].options[0])
            shows.remove(numbers[0])
            self.note(numbers[0], Aggregate("sum", Field(c.ref)))
            return [(Measure(flag.start, flag.end, "sum"), Aggregate("sum", Field(c.ref)))]
        money = self.pointed([c for c in self.table.amounts if not c.is_aside(self.table)], shows)
        if not money:
            self.left = True
            return []
        self.sums["links"] -= 0.2
        if is_one_row or "each" in money[0].tags:
            shows.append(Show(flag.start, flag.end, (Option(Field(money[0].ref), money[0].ref),), asked=True))
            return []
        return [(Measure(flag.start, flag.end, "sum"), Aggregate("sum", Field(money[0].ref)))]
