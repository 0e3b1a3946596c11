"""Reads groupings: per city, 每个部门, by month, and the column of a top list."""

from __future__ import annotations

from dataclasses import replace

from lab_packs.text2sql.calling import SYNONYM
from lab_packs.text2sql.filling.base import Base
from lab_packs.text2sql.hints import words_of
from lab_packs.text2sql.slots import Group, Noun, Option, Sort
from lab_packs.text2sql.tagging import Span
from lab_packs.text2sql.tree import Field

HAN_KINDS = ("类别", "类型", "种类", "分类", "品类", "品种")
KINDS = {"kind", "type", "category", "species", *HAN_KINDS}
"""What a column with the kind of the rows is called."""


class Groups(Base):
    """Reads groupings: per city, 每个部门, by month, and the column of a top list."""

    def grouped(self, i: int) -> int:
        s = self.spans[i]
        part = s.role("part")
        if part is not None and s.text.lower().startswith(("a ", "per ")) and i and self.spans[i - 1].quantity:
            return i + 1
        if part is not None and not (
            s.links and self.best(s) == "column" and not s.text.startswith(("每", "按", "各"))
        ):
            previous = self.last_named(i, "date", "year")
            options = previous.options if previous else self.date_columns()
            parts = tuple(replace(o, of=self.part_of(o.ref, part.of)) for o in options)
            self.add(Group(previous.start if previous else s.start, s.end, parts))
            return i + 1
        if not s.is_("per", "by", "split") or (s.is_("split") and not s.is_("per")):
            return i
        j = self.skip(i + 1)
        if s.is_("by") and not s.is_("per") and (end := self.ordered_by(i, j)):
            return end
        if s.is_("by") and not s.is_("per") and self.sorts_behind(j):
            return i
        count = 0
        kinds = s.text[-1:] in "种类"
        while (t := self.at(j)) is not None:
            if t.is_("kinds") and not self.columns(t, cues=False):
                kinds, j = True, self.skip(j + 1)
                continue
            if t.links and self.best(t) == "table" and (nxt := self.at(j + 1)) is not None and nxt.links:
                tables = {str(o.of) for o in self.tables(t)}
                named = (k for k in nxt.links if k.thing.kind == "column" and k.how == "name" and k.cost <= SYNONYM)
                if self.best(nxt) == "column" and any(k.thing.table in tables for k in named):
                    j += 1
                    continue
            if kinds and t.links and self.best(t) == "table" and (typed := self.kind_columns(t)):
                self.add(Group(s.start, t.end, typed))
                self.add(Noun(t.start, t.end, self.tables(t)))
                return j + 1
            if (unit := self.time_unit(t)) and (self.best(t) not in ("column", "table") or self.kind_of(t) == "year"):
                years = self.grouping(t) if t.links else ()
                days = tuple(replace(o, of=self.part_of(o.ref, unit)) for o in self.date_columns())
                others_by_day = tuple(o for o in days if o.ref not in {y.ref for y in years})
                self.add(Group(s.start if not count else t.start, t.end, (*years, *others_by_day)))
            elif t.links and self.best(t) != "value":
                options = self.grouping(t)
                if not options:
                    break
                self.add(Group(s.start if not count else t.start, t.end, options))
            else:
                break
            count += 1
            j += 1
            k, nxt = self.ahead(j)
            if nxt is not None and (nxt.is_("and", "per") or nxt.text in ("、", ",")):
                after = self.at(self.skip(k + 1))
                if (
                    after is not None
                    and (nxt.is_("per") or nxt.text == "、" or s.is_("by") or nxt.is_("and"))
                    and after.links
                    and self.best(after) != "value"
                    and not after.is_("avg", "sum", "count")
                ):
                    j = self.skip(k + 1)
                    continue
            break
        return j if count else i

    def kind_of(self, t: Span) -> str:
        """The kind of the columns that a span names, "" where they differ."""
        kinds = {self.kind(o.ref) for o in self.columns(t)}
        return kinds.pop() if len(kinds) == 1 else ""

    def kind_columns(self, t: Span) -> tuple[Option, ...]:
        """Returns the columns with the kind of the rows: 各类课程, each kind of animal."""
        options = []
        for o in self.tables(t):
            for c in self.schema.table(str(o.of)).columns:
                words = {*words_of(c.name)} | {w for w in HAN_KINDS if c.name.endswith(w)}
                if c.kind in ("category", "text") and words & KINDS:
                    options.append(Option(Field(c.ref), c.ref, o.link))
        return tuple(options)

    def ordered_by(self, i: int, j: int) -> int:
        """By a number or a measure, behind an order: the largest shop by floor area, top three by total price."""
        n = next((n for n in range(len(self.out.slots) - 1, -1, -1) if isinstance(self.out.slots[n], Sort)), -1)
        t = self.at(j)
        if n < 0 or t is None:
            return 0
        slot = self.out.slots[n]
        assert isinstance(slot, Sort)
        if t.is_("sum", "avg", "count", "max", "min", "median") and not (t.links and self.best(t) == "column"):
            self.out.slots[n] = replace(slot, options=(), many=False)
            return j
        options = self.columns(t, "number", "date", "year", cues=False)
        if options and self.best(t) == "column":
            if slot.options and not slot.about and not slot.limit:  # by age, then by salary
                self.add(Sort(t.start, t.end, options, False))
                return j + 1
            turned = {o.ref for o in self.about(slot.about) if o.fit < 0} if slot.about else set()
            options = tuple(replace(o, fit=-1.0) if o.ref in turned else o for o in options)  # oldest by birth year
            self.out.slots[n] = replace(slot, options=options, end=t.end, many=False)
            return j + 1
        return 0

    def sorts_behind(self, j: int) -> bool:
        """Whether 按 … is followed by an order: 按月薪从高到低."""
        by = self.at(j)
        options = self.columns(by, cues=False)
        measured = by is not None and by.is_("sum", "avg", "count", "base")
        if not measured and not any(self.kind(o.ref) in ("number", "date", "year") for o in options):
            return False
        for k in range(j, min(j + 4, len(self.spans))):
            t = self.spans[k]
            if t.is_("sort", "asc", "desc", "super") or self.direction(k)[1] > k:
                return True
        return False
