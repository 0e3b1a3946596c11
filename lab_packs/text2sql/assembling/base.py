"""Reads the slots with one choice of columns on one table: reachable tables, and the cost of every slot."""

from __future__ import annotations

import datetime as dt

from lab_packs.text2sql.assembling.weights import Weights
from lab_packs.text2sql.filling.base import WAYS, names_way
from lab_packs.text2sql.hints import known_word, words_of
from lab_packs.text2sql.schema import ForeignKey, Schema, Table, is_nameless
from lab_packs.text2sql.slots import Flag, Noun, Option, Show, Slot, Sort
from lab_packs.text2sql.tree import Condition, Expr, Field, Test, refs


class Base:
    """Reads the slots with one choice of columns on one table: reachable tables, and the cost of every slot."""

    def __init__(
        self,
        table: Table,
        slots: list[Slot],
        schema: Schema,
        as_of: dt.date,
        weights: Weights,
        *,
        follows: bool = False,
    ) -> None:
        self.follows = follows
        self.table, self.slots, self.schema, self.as_of, self.w = table, slots, schema, as_of, weights
        self.main = table.name
        self.sums: dict[str, float] = dict.fromkeys(("subject", "inside", "joins", "links", "fit", "unused"), 0.0)
        self.made: list[tuple[Slot, object]] = []
        self.left = False
        self.where: list[Condition] = []
        self.flags = {s.name for s in slots if isinstance(s, Flag)}
        self.nouns = [s for s in slots if isinstance(s, Noun)]

    def reach(self, other: str) -> int | None:
        """Returns the number of joins to another table; None if they are not linked."""
        if other == self.main:
            return 0
        way = self.schema.way(self.main, other)
        return None if way is None else len(way)

    def above(self, other: str) -> bool:
        """Whether a table is this one, or one that its rows belong to."""
        return self.schema.path(self.main, other) is not None

    def noun_table(self, noun: Noun) -> str | None:
        """The table of these that the rows are of, the nearest one."""
        near = [
            (o.link + 0.3 * (self.reach(str(o.of)) or 0), o.link, str(o.of))
            for o in noun.tables
            if self.reach(str(o.of)) is not None
        ]
        return min(near)[2] if near else None

    def of(self, kind: type) -> list:  # type: ignore[type-arg]
        return [s for s in self.slots if isinstance(s, kind)]

    def price(self, option: Option, *, chosen: bool = False) -> None:
        """Account for the column that a slot has taken; ``chosen``: by a key that the question names."""
        self.sums["links"] -= self.w.links * option.link
        self.sums["fit"] -= self.w.fit * max(0.0, option.fit)
        if option.ref is not None:
            if option.ref.table == self.main:
                self.sums["inside"] += self.w.inside
            else:
                if not chosen:
                    self.forked(option.ref.table)
                self.sums["joins"] -= self.w.joins * (self.reach(option.ref.table) or 0)
                self.sums["joins"] -= 0.1 if not self.above(option.ref.table) else 0.0

    def forks(self, other: str) -> list[ForeignKey]:
        """Returns the keys that compete for a table (origin and destination are both airports); [] if there is only one."""
        for f in self.schema.way(self.main, other) or ():
            same = [g for g in self.schema.foreign_keys if g.table == f.table and g.parent == f.parent]
            if len(same) > 1:
                return same
        return []

    def forked(self, other: str) -> None:
        """Leave a reading that does not say which of several keys it takes."""
        self.left = self.left or bool(self.forks(other))

    def note(self, slot: Slot, value: object) -> None:
        self.made.append((slot, value))

    def one_row(self) -> bool:
        """Whether the conditions tell one row by its name or key."""
        return any(
            isinstance(c, Test) and c.op == "=" and isinstance(c.of, Field) and c.of.ref.table == self.main
            and (self.schema.column(c.of.ref).unique or c.of.ref == self.table.title.ref)
            for c in self.where
        )  # fmt: skip

    def leave(self, slot: Show) -> None:
        """Notes a named column that the query does not use: such a reading would ignore words of the question."""
        if slot.cue or slot.options[0].ref in {r for c in self.where for r in refs(c)}:
            return
        self.sums["unused"] -= self.w.unused
        self.left = True

    def told_apart(self, shows: list[Show]) -> list[Expr]:
        """Returns the groups of “which has the most …”: the requested column, the named rows, or people."""
        candidates = [
            s
            for s in shows
            if s.options[0].ref
            and self.above(s.options[0].ref.table)
            and not s.cue
            and self.schema.column(s.options[0].ref).kind in ("category", "text", "boolean", "date")
        ]
        candidates.sort(key=lambda s: not s.asked)
        nouns = [(n, t) for n in self.nouns if n.use == "what" and (t := self.noun_table(n))]
        above = [(n, t) for n, t in nouns if t != self.main and self.above(t)]
        sort = min((s.start for s in self.of(Sort)), default=0)
        who = next((s.start for s in self.of(Flag) if s.name == "who"), -1)
        named = any(s.asked for s in candidates) or any(sort < n.start < who for n, _ in above)  # 最高的三位阿姨是谁
        if who >= 0 and not named:
            self.left = self.left or self.done_elsewhere() or ("whose" in self.flags and bool(above))
            if people := self.people():
                return people
        if candidates and (candidates[0].asked or not above):
            shows.remove(candidates[0])
            option = candidates[0].options[0]
            self.price(option)
            if above and option.ref is not None and option.ref.table not in (self.main, *(t for _, t in above)):
                self.sums["unused"] -= self.w.unused  # names of other rows than the question mentions
            c = self.schema.column(option.ref)  # type: ignore[arg-type]
            of: Expr = Field(self.schema.name_of(c.ref)) if c.is_key else option.of  # type: ignore[assignment]
            self.note(candidates[0], of)
            exprs = [of, *self.named_beside(candidates[1:], c.table, shows)]
            return [*exprs, *(e for e in self.whole_names(of) if e not in exprs)]
        if above:
            noun, t = above[0]
            title = Field(self.schema.table(t).title.ref)
            self.sums["subject"] += self.w.subject * 0.5
            self.sums["joins"] -= self.w.joins * ((self.reach(t) or 1) - 1)
            self.note(noun, title)
            return self.whole_names(title)
        if "who" in self.flags:
            return self.whoever()
        return []

    def named_beside(self, named: list[Show], table: str, shows: list[Show]) -> list[Expr]:
        """Returns further columns of the grouped rows: return their names and emails."""
        further = [s for s in named if s.options[0].ref and s.options[0].ref.table == table != self.main]
        for s in further:
            shows.remove(s)
            self.price(s.options[0])
            self.note(s, s.options[0].of)
        return [s.options[0].of for s in further]  # type: ignore[misc]

    def whole_names(self, e: object) -> list[Expr]:
        """A first name with its surname; other expressions as they are."""
        if isinstance(e, Field) and e.ref == self.schema.table(e.ref.table).title.ref:
            return [Field(c.ref) for c in self.schema.table(e.ref.table).names]
        return [e]  # type: ignore[list-item]

    def people(self) -> list[Expr]:
        """Returns the names of the people in a table that rows belong to."""
        tables = (self.schema.table(f.parent) for f in self.schema.parents(self.main))
        return next(([Field(c.ref) for c in t.names] for t in tables if is_people(t)), [])

    def whoever(self) -> list[Expr]:
        """Returns the people that rows belong to: from a parent table, or a column."""
        if people := self.people():
            return people
        if "who" in self.flags:
            texts = [c for c in self.table.columns if c.kind in ("text", "category")]
            persons = [c for c in texts if "person" in c.tags]
            sides = [c for c in persons if any(names_way(c.name, way) for way in WAYS)]
            self.left = self.left or bool(sides)  # senders or recipients?
            if persons := persons or [c for c in texts if "label" in c.tags and not c.unique]:
                return [Field(persons[0].ref)]
            for f in self.schema.parents(self.main):
                self.sums["unused"] -= 0.3
                return [Field(c.ref) for c in self.schema.table(f.parent).names]
        return []

    def done_elsewhere(self) -> bool:
        """Whether a verb is about rows of a table below: who borrowed a book is not who wrote it."""
        tables = [s.options[0].ref.table for s in self.of(Show) if s.cue and s.options[0].ref]
        tables += [t for n in self.nouns if n.use == "without" and (t := self.noun_table(n))]
        return not all(map(self.above, tables))

    def own_person(self) -> bool:
        """Whether rows name a person themselves."""
        return not self.done_elsewhere() and any(
            c.tags & {"person"} for c in self.table.columns if c.kind in ("text", "category")
        )

    def persons(self) -> list[Expr]:
        if self.are_people() or self.table.title.tags & {"person"}:
            return [Field(self.table.title.ref)]
        return self.whoever()

    def are_people(self) -> bool:
        """Whether the rows are people: by the table's noun, or in a lone table that names its rows and has no noun."""
        lone = len(self.schema.tables) == 1 and "label" in self.table.title.tags
        return is_people(self.table) or (lone and is_nameless(self.table))

    def nouns_of(self, table: str) -> bool:
        """Whether the question mentions rows of a table."""
        return any(o.of == table for n in self.nouns for o in n.tables)


def whole(v: float) -> int | float:
    return int(v) if float(v).is_integer() else v


def is_people(table: Table) -> bool:
    words = words_of(table.name)
    names = (words, words[-1:], [table.hint.zh], [table.hint.en])
    return any(known is not None and "person" in known.tags for known in map(known_word, names))
