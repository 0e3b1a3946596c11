"""Reads orders: the most expensive, 前三名, sorted by price, highest first."""

from __future__ import annotations

from dataclasses import replace

from lab.text.quantities import measure
from lab_packs.text2sql.calling import SYNONYM
from lab_packs.text2sql.filling.durations import Durations
from lab_packs.text2sql.slots import Flag, Measure, Noun, Show, Sort


class Orders(Durations):
    """Reads orders: the most expensive, 前三名, sorted by price, highest first."""

    def ranked(self, i: int) -> int:
        s = self.spans[i]
        if s.is_("best_selling", "worst_selling") and (goods := self.of_pieces("件")):
            q = self.quantity(self.skip(i + 1))
            n = (
                int(q.low)
                if q is not None and q.high is None and measure(q.unit)[0] in ("", "piece")
                else self.limit or 1
            )
            self.add(Sort(s.start, s.end, goods, s.is_("best_selling"), n))
            return self.skip(i + 1) + 1 if q is not None else i + 1
        descending, j = self.direction(i)
        if descending is not None:
            return self.directed(i, j, descending)
        if s.is_("sort"):
            return self.sorted(i)
        if s.is_("first") and not s.links and (days := self.last_named(i, "date", "year")) is not None:
            self.add(Sort(days.start, s.end, days.options, False, 1))
            return i + 1
        nxt = self.at(self.skip(i + 1))
        many, k = self.numbered_top(i)
        if k > i:
            return k
        sup = s.role("super")
        if sup is None and s.is_("nth") and (nxt := self.at(i + 1)) is not None and nxt.is_("super"):
            return self.superlative(i + 1, start=s.start)
        if self.follows and (place := s.role("nth")) is not None:  # 第二个呢
            self.out.moves.append(Flag(s.start, s.end, f"place {place.of}"))
            return i + 2 if (after := self.at(i + 1)) is not None and after.text in ("one", "ones") else i + 1
        if sup is None and many is None:
            return i
        return self.superlative(i)

    def directed(self, i: int, j: int, descending: bool) -> int:
        """Reads a direction, by the previous column or by the measure: highest first, 从高到低."""
        start = self.spans[i].start
        about = next((r.of for s in self.spans[i:j] for r in s.roles if r.name == "super"), "")
        ordered = next((slot for slot in reversed(self.out.slots) if isinstance(slot, Sort) and not slot.limit), None)
        previous = self.last_named(i, "number", "date", "year", "category")
        if ordered is not None and (previous is None or previous.start < ordered.end):
            if previous is not None:
                self.put_back()
            self.out.slots[self.out.slots.index(ordered)] = replace(
                ordered, descending=descending, end=self.spans[j - 1].end
            )
            return j
        if previous is None and about[1:] not in ("", "any", "many"):
            options = self.about(about)
            flip = any(o.fit < 0 for o in options)
            self.add(Sort(start, self.spans[j - 1].end, options, descending, about=about if not flip else about))
        elif previous is None:
            ahead = self.columns(self.at(self.skip(j)), "number", "date", "year")
            self.add(Sort(start, self.spans[j - 1].end, ahead, descending))
            return self.skip(j) + 1 if ahead else j
        else:
            self.add(Sort(previous.start, self.spans[j - 1].end, previous.options, descending))
        return j

    def extreme(self, i: int, begin: int, n: int | None, k: int) -> int:
        """Reads an extreme as a number, not as rows: the largest order amount for each category, the shortest duration."""
        ahead, behind = self.at(k), self.at(k + 1)
        rows = [x for x in self.out.slots if isinstance(x, (Noun, Show)) or (isinstance(x, Flag) and x.name == "who")]
        which = any(x.is_("which") and not x.text.lower().startswith("what") for x in self.spans[:i])
        if n or rows or which or ahead is None or self.spans[i].is_("nth"):
            return i
        noun = self.tables(ahead) if self.best(ahead) == "table" else ()
        column_span = behind if noun and behind is not None else ahead
        options = self.columns(column_span, "number", cues=False)
        own_tables = {str(o.of) for o in noun}
        options = tuple(o for o in options if not own_tables or (o.ref and o.ref.table in own_tables))
        role = self.spans[i].role("super")
        if not options or role is None or self.best(column_span) != "column":
            return i
        by_adjective = {
            o.ref for r in self.spans[i].roles if r.of[1:] not in ("any", "many", "size") for o in self.about(r.of)
        }
        vague = {r.of[1:] for r in self.spans[i].roles} & {"any", "many", "size"}
        if not vague and not by_adjective & {o.ref for o in options}:
            return i
        if self.opposite is not None:
            self.add(Measure(self.opposite[0], begin, "max" if self.opposite[1] else "min", options))
        self.add(Measure(begin, column_span.end, "max" if role.of[0] == ">" else "min", options))
        return k + 1 + (column_span is behind)

    def sorted(self, i: int) -> int:
        """Reads sorting by a column: 按 … 排序, sorted by price descending."""
        s = self.spans[i]
        j = self.skip(i + 1)
        options = self.columns(self.at(j), "number", "date", "year", "category", "text")
        if options:
            down, k = self.direction(self.skip(j + 1))
            self.add(Sort(s.start, self.spans[k - 1 if down is not None else j].end, options, bool(down)))
            return k if down is not None else j + 1
        down, k = self.direction(j)
        previous = self.last_named(i, "number", "date", "year", "category", "text")
        if down is not None or previous is not None:
            options_before = previous.options if previous else ()
            start, end = previous.start if previous else s.start, self.spans[max(k, i + 1) - 1].end
            self.add(Sort(start, end, options_before, bool(down)))
            return k if down is not None else i + 1
        return i + 1 if s.is_("light") or any(isinstance(x, Sort) for x in self.out.slots) else i

    def numbered_top(self, i: int) -> tuple[int | None, int]:
        """The top 3, 前三名, the first five, the last 3: (n, end)."""
        s = self.spans[i]
        if not s.is_("top", "bottom"):
            return None, i
        j, q = self.ahead(i + 1)
        if q is None or not q.quantity or q.quantity.high is not None or not float(q.quantity.low).is_integer():
            return None, i
        unit = measure(q.quantity.unit)[0]
        if unit not in ("", "piece") and q.quantity.unit not in ("名", "位", "个"):
            return None, i
        n, descending = int(q.quantity.low), s.is_("top")
        column = self.last_named(i, "number", "date", "year")
        if column is not None and not column.cue and not any(isinstance(x, Sort) for x in self.out.slots):
            self.add(Sort(column.start, q.end, column.options, descending, n))
            return n, j + 1
        j += 1
        self.add(Sort(s.start, q.end, (), descending, n))
        return n, j

    def superlative(self, i: int, *, n: int | None = None, start: int = -1) -> int:
        """Reads superlatives: the most expensive, 最贵的三个, highest salary, most pets."""
        s = self.spans[i]
        role = s.role("super")
        if role is None:
            return i
        begin = start if start >= 0 else s.start
        roles = [r for r in s.roles if r.name == "super"]
        descending = role.of[0] == ">"
        # the number is before or after it
        previous = self.out.slots[-1] if self.out.slots else None
        pending = self.pending
        if n is None and pending is not None and pending[1] == i:
            n, begin = pending[0], pending[2]
        j = i + 1
        k, q = self.ahead(j)
        if (
            (
                n is None
                and q is not None
                and q.quantity
                and q.quantity.high is None
                and measure(q.quantity.unit)[0] in ("", "piece")
            )
            and float(q.quantity.low).is_integer()
            and 0 < q.quantity.low <= 1000
        ):
            n, j = int(q.quantity.low), k + 1
        before = self.at(i - 1)
        nth = s.role("nth") or (before.role("nth") if before is not None else None)
        self.offset = int(nth.of) - 1 if nth else 0
        if n is None and self.limit:
            n, self.limit = self.limit, 0
        limit = n or 1
        any_ = {r.of[1:] for r in roles} & {"any", "many", "size", "rating", "value"}
        ahead_at, ahead = self.ahead(j)
        # a column right before it: 薪资最高, or right behind it: the highest salary
        previous_column = (
            self.last_named(i, "number", "date", "year") if any_ or s.text.startswith(("最", "第")) else None
        )
        numbers = self.columns(ahead, "number", cues=False)
        if (
            previous_column is not None
            and previous_column.cue
            and numbers
            and all(self.kind(o.ref) == "date" for o in previous_column.options)
        ):
            self.put_back()  # awarded the largest amount
            previous_column = None
        if (
            previous_column is not None
            and (previous_column.cue or any(isinstance(x, Noun) for x in [previous]))
            and "many" in any_
            and not any(
                self.pieces(o.ref) and o.link <= SYNONYM and not isinstance(previous, Noun)
                for o in previous_column.options
            )
        ):
            self.put_back()
            previous_column = None
        later = next((n for n in range(j, min(j + 3, len(self.spans))) if self.spans[n].is_("first")), 0)
        if later and not n and (previous_column is None):
            named = any_ and ahead is not None
            targets = self.columns(ahead, "number", "date", "year", cues=False) if named else self.about(role.of)
            self.add(Sort(begin, self.spans[later].end, targets, descending))
            return later + 1
        measured = previous if isinstance(previous, Measure) and self.near(previous.end, s.start) else None
        if measured is not None and any_ and previous_column is None:
            self.add(Sort(begin, self.spans[j - 1].end, (), descending, limit, self.offset))
            return j
        if previous_column is not None:
            flipped = {o.ref for r in roles if r.of[1:] not in ("any", "many") for o in self.about(r.of) if o.fit < 0}
            if any(o.ref in flipped for o in previous_column.options):
                descending = not descending
            end, options = self.spans[j - 1].end, previous_column.options
            self.add(Sort(previous_column.start, end, options, descending, limit, self.offset))
            return j
        joint, last = self.at(ahead_at), self.at(self.skip(ahead_at + 1))
        self.opposite: tuple[int, bool] | None = None
        if joint is not None and joint.is_("and") and last is not None and last.is_("super"):
            self.opposite = (begin, descending)  # the highest and lowest rate
            again = self.skip(ahead_at + 1)
            if (end := self.extreme(again, last.start, n, self.skip(again + 1))) > again:
                return end
            self.opposite = None
        if (largest := self.extreme(i, begin, n, ahead_at)) > i:
            return largest
        if any_ and ahead is not None:
            if ahead.is_("avg", "sum", "count", "share") and not (ahead.links and self.best(ahead) == "column"):
                self.add(Sort(begin, self.spans[j - 1].end, (), descending, limit, self.offset))
                return j
            options = self.columns(ahead, "number", "date", "year", cues=False)
            table = self.tables(ahead)
            if options and not (table and table[0].link < options[0].link):
                self.add(Sort(begin, ahead.end, options, descending, limit, self.offset))
                return ahead_at + 1
        many = any(r.of[1:] == "many" for r in roles)
        if many:
            self.add(Sort(begin, self.spans[j - 1].end, (), descending, limit, self.offset, many=True))
            return j
        abouts = [r for r in roles if r.of[1:] not in ("any", "many")] or roles
        options = self.about(abouts[0].of)
        options += self.lasting() if abouts[0].of[1:] == "length" else ()
        named_refs = {o.ref for x in self.spans[ahead_at : ahead_at + 2] for o in self.columns(x)}
        options = tuple(o for o in options if o.ref in named_refs) or options  # the latest session start
        self.add(Sort(begin, self.spans[j - 1].end, options, descending, limit, self.offset, about=abouts[0].of))
        return j
