"""Reads comparisons: over 30, between 3 and 5, 比平均高, more expensive than the sourdough loaf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lab.text.quantities import Quantity, measure
from lab_packs.text2sql.filling.base import FLIPPED
from lab_packs.text2sql.filling.numbers import Numbers
from lab_packs.text2sql.keywords import keywords
from lab_packs.text2sql.lexicon import words_in
from lab_packs.text2sql.slots import Keep, Option
from lab_packs.text2sql.tagging import OVER
from lab_packs.text2sql.tree import Aggregate, Condition, Expr, Field, Inner, Select, Test, Versus, refs

THEIR_OWN = words_in("their, its, own, same, his, her, 本, 所在, 自己, 同, the same")
"""What says that an average is over similar rows."""


class Comparing(Numbers):
    """Reads comparisons: over 30, between 3 and 5, 比平均高, more expensive than the sourdough loaf."""

    def compared(self, i: int) -> int:
        """A number with its comparison: over 30, 30岁以上, between 3 and 5, older than 30."""
        s = self.spans[i]
        op, about, j = "", "", i
        if (adjective := s.role("compare adjective")) is not None:
            op, about = adjective.of[: 2 if adjective.of[1] == "=" else 1], adjective.of.lstrip("<>=")
            plain = s.role("compare")
            j = self.skip(i + 1)
        elif (plain := s.role("compare")) is not None and not (
            plain.of == "<=" and s.is_("super") and not self.quantity(self.skip(i + 1))
        ):
            op, j = plain.of, self.skip(i + 1)
        elif s.text[-1:] in OVER and self.quantity(i + 1) and self.behind_number(i):
            op, j = "<=" if s.text[0] in "不没未" else ">", i + 1  # 工资过万, 工资不过万
        elif s.is_("between"):
            j = self.skip(i + 1)
        elif s.text == "比":
            return self.than(i)
        q = self.at(j)
        if q is None:
            return i
        if op and (average := self.average_ahead(j)) and not q.quantity:
            return self.against_average(i, j, op, about, average)
        ranked = [
            k.thing.value in self.schema.column(k.thing.ref).hint.order for k in q.links if k.thing.kind == "value"
        ]
        if op and any(ranked):
            return j
        if op and q.links and self.best(q) == "value" and (end := self.against_row(i, j, op, about)):
            return end
        if not q.quantity:
            return i
        quantity = q.quantity
        if q.days and not quantity.unit and (not op or self.near_date(i, j)):
            return i
        if not op and q.links and self.best(q) == "value":
            return i  # 007 is a code
        if not op and self.number_of_top(i, j):
            return j + 1
        end = j + 1
        if quantity.high is None:
            quantity, end = self.second_number(quantity, end, between=s.is_("between"))
        values: tuple[float, ...] = quantity.values
        k = self.skip(end)
        behind = self.at(end) if self.at(end) is not None and not self.light(end) else self.at(k)
        if behind is not None and (role := behind.role("behind")) and not op:
            op, end = role.of, (k if behind is self.at(k) else end) + 1
        elif behind is not None and behind.is_("inside"):
            end = k + 1
        return self.number(i, end, op, values, quantity, about, negated=self.negate)

    def behind_number(self, i: int) -> bool:
        """Whether a column of numbers is named right before a span, or before a negation there: 工资没过万."""
        k = i - 1
        while (s := self.at(k)) is not None and s.is_("not", "none", "light"):
            k -= 1
        return bool(self.columns(s, "number"))

    def than(self, i: int) -> int:
        """Reads comparisons whose adjective comes last: 比平均月薪高, 比红楼梦贵."""
        for k in range(i + 2, min(i + 9, len(self.spans))):
            of = next(
                (r.of for r in keywords().get(" ".join(("最", *self.spans[k].text)), ()) if r.name == "super"), ""
            )
            if of and not self.spans[k].is_("avg", "sum"):
                op, about, j = of[0], of[1:], self.skip(i + 1)
                alike, has_own = self.own_before(i + 1, k)
                average = next((n for n in range(i + 1, k) if self.spans[n].is_("avg")), -1)
                if average >= 0:
                    links = (x for t in self.spans[i + 1 : average] for x in t.links if x.how == "name")
                    among = [x.thing for x in links if x.thing.kind == "value"]
                    self.among = tuple(Test(Field(x.ref), "=", (x.value,)) for x in among[:1])
                    self.against_average(i, average, op, about, average + 1)
                    self.among = ()
                    last = self.out.slots[-1] if self.out.slots else None
                    if has_own and isinstance(last, Keep):
                        grouped = [
                            replace(o, of=replace(o.of, right=replace(o.of.right, alike=alike)))
                            for o in last.options
                            if isinstance(o.of, Versus) and isinstance(o.of.right, Inner)
                        ]
                        self.out.slots[-1] = replace(last, options=tuple(grouped))
                    return k + 1
                q = self.at(j)
                if q is not None and q.quantity and q.quantity.high is None:
                    options = self.about(">" + about)
                    fits = self.fitting(options, op, q.quantity.values, q.quantity) if options else ()
                    if fits:
                        self.keep(self.spans[i].start, self.spans[k].end, fits)
                        return k + 1
                if q is not None and q.links and self.best(q) == "value" and self.against_row(i, j, op, about):
                    return k + 1
                return i
        return i

    def own_before(self, i: int, k: int) -> tuple[tuple[Expr, ...], bool]:
        """Finds the group of a comparison with its own average: 本部门平均."""
        for n in range(i, k):
            if self.spans[n].text in ("本", "自己", "同", "所在", "同一") or self.spans[n].is_("same"):
                for t in self.spans[n + 1 : k]:
                    groupings = self.grouping(t) if t.links else ()
                    if groupings:
                        return (groupings[0].of,), True  # type: ignore[return-value]
        return (), False

    def near_date(self, i: int, j: int) -> bool:
        """Whether a number that may be a year is next to a column of days or years."""
        neighbours = [*self.spans[max(0, i - 3) : i], *self.spans[j + 1 : j + 4]]
        return any(self.columns(s, "date", "year") for s in neighbours) or not any(
            self.columns(s, "number") for s in neighbours
        )

    def second_number(self, first: Quantity, end: int, *, between: bool) -> tuple[Quantity, int]:
        """Between 3 and 5: the other end."""
        k, joint = self.ahead(end)
        after = self.quantity(self.skip(k + 1)) if joint is not None else None
        if (
            after is not None
            and joint is not None
            and (joint.is_("to") or (between and joint.is_("and")))
            and after.high is None
        ):
            low = first.low * (
                after.scale if first.scale == 1 and after.scale > 1 and not first.unit and first.low < 1000 else 1
            )
            if after.low >= low:
                return Quantity(
                    first.start, after.end, low, after.low, after.unit or first.unit, after.scale
                ), self.skip(k + 1) + 1
        return first, end

    def number_of_top(self, i: int, j: int) -> bool:
        """Three oldest: the number belongs to a superlative behind it."""
        q = self.spans[j].quantity
        if q is None or q.high is not None or not float(q.low).is_integer() or measure(q.unit)[0] not in ("", "piece"):
            return False
        k, nxt = self.ahead(j + 1)
        noun = self.at(self.skip(k + 1))
        if nxt is not None and nxt.is_("super"):
            self.pending = (int(q.low), k, self.spans[i].start)
        elif nxt is not None and nxt.links and self.tables(nxt) and self.superlative_near(k + 1):
            self.limit = int(q.low)
        else:
            return False
        return noun is not None or True

    def superlative_near(self, k: int) -> bool:
        """Whether an order is said behind the rows: three products with the highest price."""
        return any(
            s.is_("super") or self.direction(n)[0] is not None for n, s in list(enumerate(self.spans))[k : k + 4]
        )

    def average_ahead(self, j: int) -> int:
        """Returns the end of "the average" in a comparison; 0 if there is no average."""
        k, s = self.ahead(j)
        while s is not None and s.is_("all", "per"):
            k, s = self.ahead(k + 1)
        return k + 1 if s is not None and s.is_("avg") else 0

    def against_average(self, i: int, j: int, op: str, about: str, end: int) -> int:
        """Compares with the mean of the same column: more expensive than average, 高于平均水平."""
        k, ahead = self.ahead(end)
        options = self.columns(ahead, "number", cues=False) if ahead is not None else ()
        alike: tuple[Condition, ...] = self.among
        if ahead is not None and ahead.links and self.best(ahead) == "value":
            thing = next(x.thing for x in ahead.links if x.thing.kind == "value")
            alike = (Test(Field(thing.ref), "=", (thing.value,)),)
            end = k + 1
        previous = self.last_named(i, "number")
        if previous is not None:
            options, end = previous.options, (k + 1 if options else end)
        elif options:
            end = k + 1
        else:
            options = self.about(">" + about) if about not in ("", "any", "many") else self.any_number()
        groups, end = self.own_group(end, options)
        alike_in = {ref.table for ref in refs(groups)}
        options = tuple(o for o in options if not groups or (o.ref and o.ref.table in alike_in))
        versus = tuple(
            replace(
                o,
                of=Versus(
                    Field(o.ref),
                    FLIPPED.get(op, op) if o.fit < 0 else op,
                    Inner(Select(o.ref.table, measures=(Aggregate("avg", Field(o.ref)),), where=alike), groups),
                ),
                fit=0.0,
            )
            for o in options
            if o.ref
        )
        self.keep(previous.start if previous else self.spans[i].start, self.spans[end - 1].end, versus)
        tail = self.at(end)
        return end + 1 if tail is not None and tail.text in ("水平", "值", "线") else end

    def own_group(self, end: int, options: Sequence[Option]) -> tuple[tuple[Expr, ...], int]:
        """Reads the group of an average over similar rows: the average of their own district."""
        k, is_own = end, False
        while (t := self.at(k)) is not None and (
            self.is_light(t) or t.text.lower() in ("own", "same", "for", "of", "本", "所在", "自己", "同")
        ):
            is_own = is_own or t.text.lower() in THEIR_OWN
            k += 1
        if t is not None and is_own and options:
            reached = {o.ref.table for o in options if o.ref}
            columns = [o for o in self.columns(t, cues=False) if o.ref and o.ref.table in reached]
            if columns and columns[0].ref:
                return (self.group_expr(columns[0].ref),), k + 1
        return (), end

    def against_row(self, i: int, j: int, op: str, about: str) -> int:
        """Compares with the same column of a named row: more expensive than the sourdough loaf."""
        rows = [k.thing for k in self.spans[j].links if k.thing.kind == "value" and k.how == "name"]
        titles = [t for t in rows if self.schema.table(t.table).title.ref == t.ref]
        if not titles:
            return 0
        thing = titles[0]
        previous = self.last_named(i, "number", "date", "year")
        options = previous.options if previous else self.about(">" + about) if about not in ("", "any", "many") else ()
        versus = []
        for o in options:
            if o.ref is None or o.ref.table != thing.table:
                continue
            way = FLIPPED[op] if o.fit < 0 else op
            row = Select(
                thing.table, show=(Field(o.ref),), where=(Test(Field(thing.ref), "=", (thing.value,)),), distinct=True
            )
            versus.append(replace(o, of=Versus(Field(o.ref), way, Inner(row)), fit=0.0))
        if not versus:
            return 0
        self.keep(previous.start if previous else self.spans[i].start, self.spans[j].end, versus)
        return j + 1
