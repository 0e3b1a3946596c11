"""Texts, what is missing, rows without others, and what is not so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lab.text import is_han
from lab_packs.text2sql.filling.fitting import Fitting
from lab_packs.text2sql.hints import words_of
from lab_packs.text2sql.schema import says
from lab_packs.text2sql.slots import Keep, Noun, Option, Slot
from lab_packs.text2sql.tagging import Span
from lab_packs.text2sql.tree import AnyOf, Field, Ref, Test


class Texts(Fitting):
    """Texts, what is missing, rows without others, and what is not so."""

    def texts(self, i: int) -> int:
        """Reads contains, starts with, ends with: [column] contains text."""
        s = self.spans[i]
        role = s.role("contains", "starts", "ends")
        if role is None or (s.links and self.best(s) == "value"):
            return i
        surname = s.text == "姓"
        j = i + 1 if surname else self.skip(i + 1)  # 姓张: 张 is no measure word
        t = self.at(j)
        if t is None or (t.is_("count", "which", "much") and not t.unknown and not t.quoted):
            return i
        searched = t.quoted or t.text
        end = j + 1
        previous = self.last_named(i, "text", "category", "list")
        if role.name == "contains" and not previous and not t.quoted:
            values = [k.thing.ref for k in t.links if k.thing.kind == "value" and k.how == "name"]
            if values and (prose := self.prose(values)):
                self.keep(s.start, t.end, self.any_text(searched, prose))
                return end
            if not t.unknown and not all(k.how == "part" for k in t.links):
                return i
        if s.text == "以":  # 以 … 开头
            tail = self.at(end)
            if tail is None or not tail.is_("starts", "ends"):
                return i
            end += 1
        options = (
            previous.options
            if previous
            else tuple(
                Option(Field(c.ref), c.ref, 0.2 if "label" in c.tags or c is self.schema.table(c.table).title else 0.4)
                for c in self.schema.columns()
                if c.kind in ("text", "category")
                and not c.is_key
                and (not surname or "person" in c.tags or "label" in c.tags)
            )
        )
        k = self.skip(end)
        ahead = self.columns(self.at(k), "text", "category", "list", cues=False)
        if not previous and ahead and role.name == "contains":  # with the word parcel in the subject
            options, end = ahead, k + 1
        op = {"contains": "contains", "starts": "starts", "ends": "ends"}[role.name]
        tests_of_options = tuple(
            replace(
                o, of=Test(Field(o.ref), "has" if op == "contains" and self.kind(o.ref) == "list" else op, (searched,))
            )
            for o in options
            if o.ref
        )
        self.keep(previous.start if previous else s.start, self.spans[end - 1].end, tests_of_options)
        return end

    def prose(self, values: Sequence[Ref]) -> tuple[Option, ...]:
        """The columns of whole sentences, else those of these values: where a word is mentioned."""
        of = {ref.table for ref in values}
        texts = [c for c in self.schema.columns() if c.table in of and c.kind in ("text", "category")]
        long = [c for c in texts if any(v.count(" ") > 1 or (is_han(v) and len(v) > 8) for v in c.values)]
        chosen = long or [c for c in texts if c.ref in values]
        return tuple(Option(Field(c.ref), c.ref, 0.1) for c in chosen)

    def any_text(self, searched: str, options: Sequence[Option]) -> tuple[Option, ...]:
        """Returns tests of a text in the names of each table, if no column is named."""
        alternatives = []
        for table in self.schema.tables:
            options_of_table = [o for o in options if o.ref and o.ref.table == table.name and o.link <= 0.2] or [
                o for o in options if o.ref and o.ref.table == table.name
            ]
            tests = [Test(Field(o.ref), "contains", (searched,)) for o in options_of_table if o.ref]
            if tests:
                alternatives.append(
                    replace(options_of_table[0], of=tests[0] if len(tests) == 1 else AnyOf(tuple(tests)))
                )
        return tuple(alternatives)

    def emptied(self, i: int) -> int:
        """Reads is missing, 没填, with the column before it (or after it: missing email)."""
        s = self.spans[i]
        role = s.role("empty", "filled")
        if role is None or (s.links and self.best(s) == "value" and not s.text.startswith("没")):
            return i
        previous = self.last_named(i)
        j = i + 1
        options = previous.options if previous else ()
        if not options:
            k = self.skip(j)
            options = self.columns(self.at(k))
            j = k + 1 if options else j
        tests = self.tests(options, "empty")
        if not tests:
            return i
        self.keep(
            previous.start if previous else s.start,
            self.spans[j - 1].end,
            tests,
            negated=(role.name == "filled") != self.negate,
        )
        return j

    def overdue(self, i: int) -> int:
        """Reads overdue (due before today, and not done) and out of stock (zero left)."""
        s = self.spans[i]
        if s.is_("gone", "stocked"):
            numbers = [c for c in self.schema.columns() if c.kind == "number"]
            words = ("库存", "存量")
            stock = [
                c for c in numbers if {"stock", "inventory"} & {*words_of(c.name)} or any(w in c.name for w in words)
            ]
            op = "=" if s.is_("gone") else ">"
            self.keep(s.start, s.end, self.tests((Option(Field(c.ref), c.ref, 0.1) for c in stock), op, 0))
            return i + 1 if stock else i
        if not s.is_("overdue"):
            return i
        due = [c for c in self.schema.columns() if c.kind == "date" and says(c, "due")]
        if not due:
            return i
        days = [c for t in {c.table for c in due} for c in self.schema.table(t).columns if c.kind == "date" and c.empty]
        done = [c for c in days if says(c, "done")]
        for columns, op, values in ((due, "during", (None, self.as_of.isoformat())), (done, "empty", ())):
            options = self.tests((Option(Field(c.ref), c.ref, 0.1) for c in columns), op, *values)
            self.keep(s.start, s.end, options, negated=False)
        return i + 1

    def related(self, i: int) -> int:
        """Reads missing rows and values: without orders, 没有订单, have no email."""
        s = self.spans[i]
        if not s.is_("none") or (s.links and self.best(s) == "value"):
            return i
        j, t = self.ahead(i + 1)

        def passes(n: int, t: Span) -> bool:
            if t.is_("all", "light", "have", "deed", "sort", "to") and not t.links:
                return True
            if any(x.thing.kind == "table" for x in t.links):
                return False
            verb = (t.links and all(x.how == "cue" for x in t.links)) and not any(
                self.kind(x.thing.ref) == "date" for x in t.links if x.thing.kind == "column"
            )
            return bool(verb) and any(self.tables(x) for x in self.spans[n + 1 : n + 5])

        while t is not None and passes(j, t):
            j, t = self.ahead(j + 1)
        if t is not None and (
            "的" in self.text[s.end : t.start] or ("过" in t.text[1:-1] and self.columns(t, "number"))
        ):
            return self.negation(i)
        if t is None or not t.links:
            return i
        values = [k for k in t.links if k.thing.kind == "value"]
        best = self.best(t)
        cues = list(self.columns(t))
        nullable_dates = [
            o for o in cues if o.ref and self.schema.column(o.ref).kind in ("date",) and self.schema.column(o.ref).empty
        ]
        tables = self.tables(t)
        if best == "value" and values:
            return i if s.is_("not") else self.negation(i)
        if nullable_dates and (not tables or tables[0].link >= nullable_dates[0].link):
            self.keep(s.start, t.end, self.tests(nullable_dates, "empty"), negated=False)
            return j + 1
        if tables and (
            not cues or tables[0].link <= cues[0].link + 0.001 or not any(self.nullable(o.ref) for o in cues)
        ):
            self.add(Noun(s.start, t.end, tables, "without", columns=tuple(o for o in cues if self.nullable(o.ref))))
            return j + 1
        deeds = self.deed_tables(t)
        if deeds:
            self.add(Noun(s.start, t.end, deeds, "without"))
            return j + 1
        names = self.columns(t, cues=False)
        empties = self.tests((o for o in names if self.nullable(o.ref)), "empty")
        zeros = self.tests((o for o in names if o.ref and self.counts(o.ref)), "=", 0)
        if empties or zeros:
            self.keep(s.start, t.end, (*empties, *zeros), negated=False)
            return j + 1
        return i

    def counts(self, ref: Ref) -> bool:
        """Whether a column counts things, so that none is 0: sailings without stops."""
        return self.pieces(ref) and self.schema.column(ref).low == 0

    def negation(self, i: int) -> int:
        s = self.spans[i]
        if s.is_("beyond"):  # 东坡以外
            for k in range(len(self.out.slots) - 1, -1, -1):
                slot = self.out.slots[k]
                if isinstance(slot, Keep) and self.near(slot.end, s.start):
                    self.out.slots[k] = replace(slot, negated=True, end=s.end)
                    while k and isinstance(before := self.out.slots[k - 1], Keep) and self.joined_to(before, slot):
                        self.out.slots[k - 1] = replace(before, negated=True)
                        k -= 1
                        slot = before
                    return i + 1
                break
        if not s.is_("not", "none") or (s.links and self.best(s) == "value"):
            return i
        self.negate = True
        self.negated_from = i
        return i + 1

    def joined_to(self, a: Slot, b: Slot) -> bool:
        return all(x.is_("and", "or", "light") or x.mark for x in self.spans if x.start >= a.end and x.end <= b.start)
