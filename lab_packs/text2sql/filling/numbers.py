"""Reads a number with its comparison, on the neighbouring column or on all columns of its unit."""

from __future__ import annotations

from dataclasses import replace

from lab.text import is_han
from lab.text.quantities import Quantity, measure
from lab_packs.text2sql.filling.base import COUNTERS
from lab_packs.text2sql.filling.fitting import Fitting
from lab_packs.text2sql.filling.values import Values
from lab_packs.text2sql.slots import Flag, Measure, Missing, Noun, Option, Show
from lab_packs.text2sql.tree import Field, Test

ALTOGETHER = ("in total", "altogether", "overall", "combined", "in all", "总共", "合计", "共", "累计", "加起来")
"""Words behind a number that make it a bound of a sum: spent more than 2000 in total."""


def is_size(q: Quantity) -> bool:
    """Whether a number has a unit that no count has: 200 metres, 50 years old."""
    return bool(q.unit) and q.unit not in COUNTERS and measure(q.unit)[0] not in ("", "piece")


class Numbers(Values, Fitting):
    """Reads a number with its comparison, on the neighbouring column or on all columns of its unit."""

    def number(
        self, i: int, end: int, op: str, values: tuple[float, ...], q: Quantity, about: str, *, negated: bool
    ) -> int:
        """Reads a condition on a column of numbers: the neighbouring column, or all columns of its unit."""
        s = self.spans[i]
        start = s.start
        k, ahead = self.ahead(end)
        if ahead is not None and "的" in self.text[self.spans[end - 1].end : ahead.start]:
            k, ahead = len(self.spans), None
        previous = self.out.slots[-1] if self.out.slots else None
        if (
            isinstance(previous, Measure)
            and previous.bound is None
            and self.near(previous.end, s.start)
            and op
            and previous.fn in ("count", "sum", "avg", "distinct", "max", "min")
            and not (previous.fn in ("count", "distinct") and (about not in ("", "any", "many") or is_size(q)))
            and not (previous.fn == "count" and ahead is not None and ahead.links and not is_han(self.text))
        ):
            self.out.slots[-1] = replace(previous, bound=(op, values[0]), end=self.spans[end - 1].end)
            return end
        whole = len(values) == 1 and float(values[0]).is_integer()
        if (
            not op
            and whole
            and not q.unit
            and isinstance(previous, Noun)
            and previous.use == "what"
            and self.near(previous.end, start)
            and not self.tables(ahead)
        ):
            keys = [k for o in previous.tables for k in self.schema.table(str(o.of)).keys if k.kind == "number"]
            if keys:  # order 17
                self.keep(start, q.end, (Option(Test(Field(k.ref), "=", (int(values[0]),)), k.ref) for k in keys))
                return end
        if (
            op
            and whole
            and (q.unit in COUNTERS or not q.unit)
            and isinstance(previous, Noun)
            and previous.use == "what"
            and self.near(previous.end, start)
            and is_han(self.text)
            and not previous.columns
            and q.unit
        ):
            self.out.slots.pop()  # 候选人超过十个的城市
            self.add(
                Measure(
                    previous.start,
                    self.spans[end - 1].end,
                    "count",
                    noun=replace(previous, use="counted"),
                    bound=(op, values[0]),
                )
            )
            return end
        written = self.text[q.start : q.end].lower()
        if (
            not op
            and values == (1,)
            and written.startswith(("a ", "an ", "one ", "一"))
            and measure(q.unit)[0]
            in ("hours", "days", "weeks", "months", "years", "nights", "liter", "weight", "km", "minutes")
        ):
            return end  # 6 a litre
        previous_named = self.last_named(i, "number", "year", "date")
        if (
            previous_named is not None
            and previous_named.cue
            and whole
            and not q.unit
            and ahead is not None
            and self.best(ahead) == "table"
        ):
            self.put_back()
            previous_named = None
        options = previous_named.options if previous_named else ()
        fits = self.fitting(options, op, values, q)
        if not fits and ahead is not None:
            columns = self.columns(ahead, "number", "year")
            tables = self.tables(ahead)
            behind = self.at(k + 1)
            after = self.tables(behind) if behind is not None and self.best(behind) == "table" else ()
            if op and whole and not q.unit and self.best(ahead) == "value" and after and behind is not None:
                self.add(Noun(start, behind.end, after, "with", bound=(op, int(values[0]))))
                stored = [x for x in ahead.links if x.thing.kind == "value"]
                self.value(ahead.start, ahead.end, stored, False, ahead)
                return k + 2  # more than 2 failed transactions
            if ahead.is_("different") or (q.unit in ("种", "类") and ahead.links):
                at = self.skip(k + 1) if ahead.is_("different") else k
                told = self.columns(self.at(at), "category", "text", cues=False) or tuple(
                    Option(Field(t.title.ref), t.title.ref, o.link)
                    for o in self.tables(self.at(at))
                    for t in [self.schema.table(str(o.of))]
                )
                if told:
                    self.add(Measure(start, self.spans[at].end, "distinct", told, bound=(op or "=", values[0])))
                    return at + 1
            if whole and q.unit in ("", *COUNTERS) and tables and (not columns or tables[0].link <= columns[0].link):
                if not op and not self.behind_have(i):
                    self.add(Missing(start, self.spans[end - 1].end, self.text[start : self.spans[end - 1].end]))
                    return end
                bound = (op or "=", int(values[0]))
                self.add(Noun(start, ahead.end, tables, "with", bound=bound, columns=columns))
                return k + 1
            if columns and not ahead.is_("count"):
                fits = self.fitting(columns, op, values, q)
                if fits:
                    end = k + 1
        if not fits and about and about not in ("any", "many"):
            told = self.about(">" + about)
            fits = self.fitting(told, op, values, q)
        if not fits and q.unit and measure(q.unit)[0] != "piece":
            fits = self.fitting(self.of_measure(q.measure), op, values, q)
        if not fits and whole and q.unit in ("次", "time", "times", "笔", "单", "场"):
            self.add(Measure(start, self.spans[end - 1].end, "count", bound=(op or "=", values[0])))
            return end
        if not fits and not q.unit and (op or len(values) == 2):
            fits = self.fitting(self.any_number(), op, values, q)
        near = self.at(self.skip(end))
        first = self.at(i - 1)
        if (
            fits
            and len(values) == 1
            and not op
            and ((near is not None and near.is_("around")) or (first is not None and first.is_("around")))
        ):
            end = self.skip(end) + 1 if near is not None and near.is_("around") else end
            fits = self.fitting(
                [replace(o, of=Field(o.ref)) for o in fits if o.ref],
                "",
                (round(values[0] * 0.9, 6), round(values[0] * 1.1, 6)),
                q,
            )
        if not fits:
            self.add(Missing(start, self.spans[end - 1].end, self.text[start : self.spans[end - 1].end]))
            return end
        total = self.at(self.skip(end))
        if op and total is not None and total.is_("sum") and total.text.lower() in ALTOGETHER and not total.links:
            sums = tuple(replace(o, of=Field(o.ref)) for o in fits if o.ref and self.kind(o.ref) == "number")
            if sums:
                self.add(Measure(start, total.end, "sum", sums, bound=(op, values[0])))
                return self.skip(end) + 1
        start = previous_named.start if previous_named else start
        if any(x.text in ("都", "均", "both") for x in self.spans[max(0, i - 2) : i]):
            start = self.all_of(start, op, values, q, negated=negated)
        self.keep(start, self.spans[end - 1].end, fits, negated=negated)
        return end

    def all_of(self, start: int, op: str, values: tuple[float, ...], q: Quantity, *, negated: bool) -> int:
        """Gives the condition to the columns before, too: 力量、耐力都不低于85.  Returns where the last one begins."""
        while self.out.slots and isinstance(flag := self.out.slots[-1], Flag) and flag.name == "both":
            self.out.slots.pop()
        while self.out.slots and isinstance(show := self.out.slots[-1], Show) and not show.cue:
            fits = self.fitting(show.options, op, values, q)
            self.out.slots.pop()
            self.keep(show.start, show.end, fits, negated=negated)
        return start

    def behind_have(self, i: int) -> bool:
        before = next(
            (self.spans[k] for k in range(i - 1, -1, -1) if not self.light(k) or self.spans[k].is_("have")), None
        )
        return before is not None and before.is_("have")
