"""Tables and columns by their names, and words for the whole question."""

from __future__ import annotations

from lab_packs.text2sql.calling import PART, SYNONYM
from lab_packs.text2sql.filling.base import Base
from lab_packs.text2sql.lexicon import words_in
from lab_packs.text2sql.slots import Flag, Missing, Noun, Option, Show
from lab_packs.text2sql.tree import Field

FLAGS = words_in("exists, different, who, which, when, where, split, all, show")
"""Words for the whole question, in the order in which they are looked for."""


class Names(Base):
    """Tables and columns by their names, and words for the whole question."""

    def named(self, i: int) -> int:
        """Reads tables and columns by their names."""
        s = self.spans[i]
        if i in self.used:
            return i + 1
        if not s.links and not s.is_("base"):
            return i
        best = self.best(s)
        if not best and s.is_("light", "deed"):
            return i
        tables, columns = self.tables(s), self.columns(s)
        plural = s.text.isascii() and s.text.endswith("s") and tables and tables[0].link <= PART
        if (
            best == "column"
            and plural
            and any(
                self.kind(o.ref) in ("number", "key") and "piece" not in self.schema.column(o.ref).about
                for o in columns
                if o.ref
            )
        ):
            best = "table"  # readings, jobs: the rows
        if best == "table" and tables:
            nxt = self.at(i + 1)
            own_tables = {str(o.of) for o in tables}
            inside = [
                k
                for k in (nxt.links if nxt else ())
                if k.thing.kind == "column" and k.how == "name" and k.thing.table in own_tables and k.cost <= SYNONYM
            ]
            if (
                inside
                and nxt is not None
                and self.best(nxt) == "column"
                and not nxt.is_("count")
                and "的" not in nxt.text
            ):
                return i + 1 if nxt is self.at(i + 1) else i + 2  # product category
            if self.listed_beside(i):
                titles = [self.schema.table(str(o.of)).title.ref for o in tables]
                self.add(Show(s.start, s.end, columns or tuple(Option(Field(ref), ref, 0.1) for ref in titles)))
                return i + 1
            negated, self.negate = self.negate, False
            no = self.spans[self.negated_from]
            if negated and "的" in self.text[no.end : s.start]:  # 没缺席的球员: a deed is denied, not the rows
                self.add(Missing(no.start, s.start, self.text[no.start : s.start].rstrip("的")))
                negated = False
            use = "without" if negated else "with" if self.behind_with(i) else "what"
            by_name = self.columns(s, cues=False)
            self.add(Noun(s.start, s.end, tables, use, columns=tuple(o for o in by_name if o.link <= 0.2)))
            return i + 1
        if columns and s.is_("deed") and all(k.how == "cue" for k in s.links):  # treated: the treatments
            rows = min((k.cost for k in s.links if k.thing.kind == "table"), default=1.0)
            keys = all(self.kind(o.ref) == "key" for o in columns)
            columns = () if rows < 1.0 and (keys or rows < min(o.link for o in columns)) else columns
        if columns:
            cue = all(k.how == "cue" for k in s.links if k.thing.kind == "column")
            before = self.at(i - 1) or s
            asking = ("which", "show", "different", "when", "exists")
            before2 = next(
                (
                    self.spans[k]
                    for k in range(i - 1, -1, -1)
                    if self.spans[k].is_(*asking) or not (self.light(k) or self.spans[k].is_("all"))
                ),
                None,
            )
            is_asked = bool(before2 and before2.is_("which", "show", "different", "when", "exists"))
            after = self.at(self.skip(i + 1))
            is_asked = is_asked or bool(after and after.is_("which") and before is not None)
            negated = self.negate
            have = (before is not s and before.is_("have")) or bool(
                before2 and before2.is_("have", "deed") and not before2.is_("which")
            )
            there = [
                o for o in columns if have and not cue and not is_asked and self.nullable(o.ref) and o.link <= SYNONYM
            ]
            nxt2 = self.at(self.skip(i + 1))
            busy = nxt2 is not None and (
                nxt2.is_("compare", "is", "contains", "super", "compare adjective", "behind")
                or nxt2.quantity
                or nxt2.quoted
                or (nxt2.links and self.best(nxt2) == "value")
            )
            if there and not busy:
                self.keep(s.start, s.end, self.tests(there, "empty"), negated=not negated)
                self.negate = False
                return i + 1
            told = ("date", "text", "category") if cue else ("date",)
            done = [o for o in columns if negated and self.nullable(o.ref) and self.kind(o.ref) in told]
            if done:
                self.keep(s.start, s.end, self.tests(done, "empty"), negated=False)
                self.negate = False
                return i + 1
            self.add(Show(s.start, s.end, columns, asked=is_asked, cue=cue))
            return i + 1
        if not s.links and (base := s.role("base")) is not None and self.about(base.of):
            self.add(Show(s.start, s.end, self.about(base.of), cue=True, adjective=base.of))
            return i + 1
        deeds = tuple(Option(k.thing.table, None, k.cost) for k in s.links if k.thing.kind == "table")
        if deeds:
            self.add(Noun(s.start, s.end, deeds, "cue"))
            return i + 1
        return i

    def listed_beside(self, i: int) -> bool:
        """Whether rows are named in a list of columns: the names and operators of all ships."""
        last = self.out.slots[-1] if self.out.slots else None
        if not isinstance(last, Show) or last.cue:
            return False
        between = [x for x in self.spans[:i] if x.start >= last.end]
        joined = any(x.is_("and") or x.text in (",", "、") for x in between)
        later = [x for x in self.spans[i + 1 : i + 5] if self.best(x) == "table"]
        return joined and bool(later) and all(self.is_light(x) or x.is_("and") for x in between)

    def behind_with(self, i: int) -> bool:
        before = self.at(i - 1)
        k = i - 1
        while before is not None and self.light(k) and not before.is_("have"):
            k -= 1
            before = self.at(k)
        return (
            before is not None
            and before.is_("have")
            and before.text.lower() not in ("with",)
            and any(isinstance(x, Noun) for x in self.out.slots)
        )

    def flagged(self, i: int) -> int:
        s = self.spans[i]
        if s.text.lower() in ("both", "都", "既"):
            self.add(Flag(s.start, s.end, "both"))
            return i + 1
        last = self.out.slots[-1] if self.out.slots else None
        relative = isinstance(last, (Noun, Show)) and last.end == self.spans[i - 1].end and i > 0
        if s.is_("who") and s.is_("light") and relative and s.text.isascii():
            return i + 1  # the member who made it
        last_in_question = self.skip(i + 1) >= len(self.spans)
        if (s.text == "人" and last_in_question and self.text[: s.start].endswith("的")) or (
            s.text == "people" and not i
        ):
            self.add(Flag(s.start, s.end, "who"))  # 借书最多的人
            return i + 1
        if s.is_("who") and (s.text.lower() == "whose" or self.text[s.end :].startswith("的")):
            self.add(Flag(s.start, s.end, "whose"))
        for name in FLAGS:
            if s.is_(name) and not s.links:
                self.add(Flag(s.start, s.end, {"different": "distinct"}.get(name, name)))
                return i + 1
        return i
