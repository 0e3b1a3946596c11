"""Rows with the columns that are named."""

from __future__ import annotations

from lab_packs.text2sql.assembling.base import Base
from lab_packs.text2sql.slots import Noun, Show, Sort
from lab_packs.text2sql.tree import Aggregate, Arithmetic, Expr, Field, Order, Select, refs


class Rows(Base):
    """Rows with the columns that are named."""

    def rows(self, sorts: list[Sort], shows: list[Show]) -> Select | None:
        """Returns a tree of rows with the named columns."""
        order: list[Order] = []
        limit: int | None = None
        if (summed := self.ranked_sums(sorts, shows)) is not None:
            return summed
        whats = [(n, t) for n in self.nouns if n.use == "what" and (t := self.noun_table(n))]
        show: list[Expr] = []
        for s in sorts:
            if not s.options:
                return None
            option = s.options[0]
            if option.ref is None or not self.above(option.ref.table):
                return None
            self.price(option)
            of = option.of if isinstance(option.of, Arithmetic) else Field(option.ref)
            condition_refs = {r for c in self.where for r in refs(c)}
            if s.limit and (
                option.ref in condition_refs
                or (s.about[1:] and option.ref.table != self.main and self.nouns_of(self.main))
            ):
                self.sums["unused"] -= self.w.unused  # the longest rentals, where only cars have a length
            here = Order(of, s.descending != (option.fit < 0))
            order += [] if here in order else [here]
            limit = s.limit if s.limit is not None else limit
            self.note(s, here)
        noun_tables = [t for _, t in whats]
        asked_tables = [s.options[0].ref.table for s in shows if s.asked and not s.cue and s.options[0].ref]
        if (
            order
            and limit
            and self.main not in noun_tables
            and any(t != self.main for t in (*noun_tables, *asked_tables))
        ):
            self.sums["unused"] -= self.w.unused  # the best rated session: of one rating, or of all on the average?
        parents = [(n, t) for n, t in whats if t != self.main and self.above(t)]
        head = next((t for n, t in whats if n.head), None)
        if head is not None and not self.follows and head != self.main and not (order and self.above(head)):
            return None
        if (
            "who" in self.flags
            and not order
            and not self.are_people()
            and (self.done_elsewhere() or not (whats or (self.where and self.own_person())))
        ):
            return None
        if parents and self.main not in noun_tables and not self.follows and (order or whats[0][1] != self.main):
            noun, t = parents[0]
            show.append(Field(self.schema.table(t).title.ref))
            self.note(noun, show[-1])
        asked_only = True
        for column in shows:
            option = column.options[0]
            assert option.ref is not None
            if column.cue:
                continue
            if not self.above(option.ref.table):
                self.leave(column)
                continue
            listed = any(x.asked for x in shows) and len(shows) > 1
            if option.ref in {r for c in self.where for r in refs(c)} and not column.asked and not listed:
                self.note(column, option.of)
                continue
            self.price(option)
            c = self.schema.column(option.ref)
            name = Field(self.schema.name_of(option.ref)) if c.is_key and not c.key else option.of
            show.append(name)  # type: ignore[arg-type]
            self.note(column, name)
            asked_only = asked_only and (column.asked or "distinct" in self.flags)
        if "who" in self.flags and not order and whats and not self.persons():
            return None
        if "who" in self.flags and not whats:
            persons = self.persons()
            if not persons:
                return None
            show = [*persons, *show] if order and not self.are_people() else show
        distinct = self.is_distinct(show, shows, whats, order, asked_only)
        away = any(isinstance(e, Field) and e.ref.table != self.main for e in show)
        if away and not distinct and head == self.main:
            show = [*self.whole_names(Field(self.table.title.ref)), *show]
        if not (self.where or show or order or whats or self.follows):
            return None
        return Select(
            self.main,
            show=tuple(dict.fromkeys(show)),
            where=tuple(self.where),
            order=tuple(order),
            limit=limit,
            ties=limit == 1,
            distinct=distinct,
            offset=sorts[0].offset if sorts else 0,
        )

    def ranked_sums(self, sorts: list[Sort], shows: list[Show]) -> Select | None:
        """Ranks groups by the sum of their rows' amounts: which department took the most."""
        if (
            len(sorts) != 1
            or not sorts[0].options
            or sorts[0].limit is None
            or sorts[0].about[1:] in ("price", "date", "old")
        ):
            return None
        option = sorts[0].options[0]
        c = self.schema.column(option.ref) if option.ref else None
        if (
            c is None
            or c.table != self.main
            or c.kind != "number"
            or not (c.about & {"piece", "money", "weight"})
            or c.tags & {"each", "price", "rating"}
        ):
            return None
        nouns = [(n, t) for n in self.nouns if n.use == "what" and (t := self.noun_table(n))]
        if any(t == self.main for _, t in nouns) or ("who" in self.flags and self.are_people()):
            return None
        categories = [
            s
            for s in shows
            if s.options[0].ref
            and not s.cue
            and self.schema.column(s.options[0].ref).kind in ("category", "text")
            and not self.schema.column(s.options[0].ref).unique
        ]
        if not (any(self.above(t) for _, t in nouns) or categories or "who" in self.flags):
            return None
        by = self.told_apart(shows)
        if not by or any(not s.cue for s in shows):
            return None
        self.price(option)
        of = Aggregate("sum", Field(c.ref))
        order = Order(of, sorts[0].descending)
        self.note(sorts[0], order)
        return Select(
            self.main,
            by=tuple(by),
            measures=(of,),
            where=tuple(self.where),
            order=(order,),
            limit=sorts[0].limit,
            ties=sorts[0].limit == 1,
            offset=sorts[0].offset,
        )

    def is_distinct(
        self, show: list[Expr], shows: list[Show], whats: list[tuple[Noun, str]], order: list[Order], asked_only: bool
    ) -> bool:
        """Whether the question is for different values: which cities, 有哪些水果."""
        if not show or order:
            return False
        if "distinct" in self.flags:
            return True
        columns = [self.schema.column(e.ref) for e in show if isinstance(e, Field)]
        repeatable = all(c.kind in ("category", "text", "list", "boolean") and not c.unique for c in columns)
        titled = any(c.ref == self.table.title.ref and c.tags & {"label", "person"} for c in columns)
        return (
            bool(shows)
            and asked_only
            and repeatable
            and not titled
            and not self.one_row()
            and ("show" not in self.flags or not whats)
        )
