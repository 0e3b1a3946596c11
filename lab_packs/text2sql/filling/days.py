"""Days and times: since March, 去年, before 9 am, on weekends."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import replace

from lab_packs.text2sql.filling.base import WEEKDAYS, shifted
from lab_packs.text2sql.filling.fitting import Fitting
from lab_packs.text2sql.slots import Flag, Option
from lab_packs.text2sql.tree import Field, Part, Ref, Scalar, Test


class Dates(Fitting):
    """Days and times: since March, 去年, before 9 am, on weekends."""

    def dated(self, i: int) -> int:
        """Reads days: since March, 去年, from May to July, before 2020."""
        s = self.spans[i]
        way, j = "", i
        if (role := s.role("day")) is not None and (not s.links or s.text.isascii()):
            way, j = role.of, self.skip(i + 1)
        elif s.is_("between"):
            way, j = "in", self.skip(i + 1)
        if any(x.text.lower() in ("both", "都", "既") for x in self.spans[i + 1 : j]):
            self.add(Flag(s.start, s.end, "both"))
        d = self.at(j)
        if d is None or not d.days or (d.quantity and not way and d.quantity.unit and not d.days):
            return i
        first, after = d.days.first, d.days.after
        end = j + 1
        k, joint = self.ahead(end)
        second = (
            self.at(self.skip(k + 1))
            if joint is not None and (joint.is_("to", "and") or joint.text in ("-", "–", "~") or joint.role("day"))
            else None
        )
        if second is not None and second.days and second.days.yearless != d.days.yearless:
            first, after, moved = self.same_year(d.days, second.days)
            second = replace(second, days=moved)
        if (
            second is not None
            and second.days
            and (joint is not None and (joint.is_("to") or s.is_("between") or way in ("from", "in")))
            and second.days.after > first
        ):
            after, end, way = second.days.after, self.skip(k + 1) + 1, "in"
        tail = self.at(end)
        grouped = tail is not None and tail.is_("by")
        if tail is not None and not grouped and (role := tail.role("day")) and way in ("", "in") and role.of != "in":
            if not (role.of == "from" and tail.text.lower() == "from"):
                way, end = role.of, end + 1
        elif tail is not None and tail.is_("inside"):
            end += 1
        bounds: tuple[dt.date | None, dt.date | None] = {
            "after": (after, None), "from": (first, None), "before": (None, first), "until": (None, after),
        }.get(way, (first, after))  # fmt: skip
        kinds = ("date", "year")
        previous = self.last_named(i, *kinds)
        options = previous.options if previous else ()
        if not options:
            ahead_at, ahead = self.ahead(end)
            options = self.columns(ahead, *kinds) if ahead is not None else ()
            if options:
                end = ahead_at + 1
        options = options or self.date_columns()
        values: tuple[Scalar, ...] = tuple(b.isoformat() if b else None for b in bounds)
        ahead_of: tuple[Scalar, ...] = values
        if d.days.yearless:
            later = shifted(d.days, 1)
            coming: dict[str, tuple[dt.date | None, dt.date | None]] = {
                "after": (later.after, None),
                "from": (later.first, None),
                "before": (None, later.first),
                "until": (None, later.after),
            }
            ahead_of = tuple(b.isoformat() if b else None for b in coming.get(way, (later.first, later.after)))
        months = d.days.yearless and way in ("in", "") and d.days.first.month == (d.days.after - dt.timedelta(1)).month
        made = tuple(
            replace(o, of=t)
            for o in options
            if o.ref
            and (
                t := self.born_in(o.ref, d.days.first.month)
                if months and d.days.first.day == 1 and "birth" in self.schema.column(o.ref).tags
                else self.during(o.ref, ahead_of if self.not_before(o.ref, d.days) else values)
            )
            is not None
        )
        self.keep(previous.start if previous else s.start, self.spans[end - 1].end, made)
        return end

    def born_in(self, ref: Ref, month: int) -> Test | None:
        """Returns the condition of a birthday in a month, of whatever year; None for a column of years."""
        if self.schema.column(ref).kind != "date":
            return None
        return Test(Part(Field(ref), "month of year"), "=", (month,))

    def on_weekdays(self, options: Iterable[Option], days: tuple[Scalar, ...]) -> tuple[Option, ...]:
        """Returns the columns of days, on some days of the week."""
        dated = (o for o in options if o.ref and self.kind(o.ref) == "date")
        return tuple(replace(o, of=Test(Part(Field(o.ref), "weekday"), "=", days)) for o in dated if o.ref)

    def clocked(self, i: int) -> int:
        """Reads a time of the day, a weekday, a weekend, a month of any year."""
        s = self.spans[i]
        if s.is_("weekend", "workdays") and not (s.links and self.best(s) == "value"):
            days: tuple[Scalar, ...] = ("0", "6") if s.is_("weekend") else ("1", "2", "3", "4", "5")
            previous = self.last_named(i, "date")
            options = previous.options if previous else self.date_columns()
            self.keep(s.start, s.end, self.on_weekdays(options, days))
            return i + 1
        j, way = i, ""
        if (role := s.role("day")) is not None:
            way, j = role.of, self.skip(i + 1)
        t = self.at(j)
        if (
            t is not None
            and (day := WEEKDAYS.get(t.text.lower().removesuffix("s") if t.text.isascii() else t.text)) is not None
            and not t.links
        ):
            self.keep(s.start, t.end, self.on_weekdays(self.date_columns(), (str(day),)))
            return j + 1
        if t is None or not t.clock or (t.days and not way):
            return i
        end = j + 1
        tail = self.at(end)
        if tail is not None and (role := tail.role("day")) and not way:
            way, end = role.of, end + 1
        ops = {"before": "<", "until": "<=", "after": ">", "from": ">=", "in": "=", "": "="}
        timed = []
        for c in self.schema.columns():
            if c.style == "clock":
                timed.append(Option(Test(Field(c.ref), ops[way], (t.clock,)), c.ref, 0.1))
            elif c.kind == "date" and "timed" in c.tags:
                timed.append(Option(Test(Part(Field(c.ref), "time"), ops[way], (t.clock,)), c.ref, 0.15))
        if not timed:
            return i
        previous = self.last_named(i)
        ahead = self.at(self.skip(end))
        refs = {o.ref for o in (*(previous.options if previous else ()), *self.columns(ahead))}
        near = [o for o in timed if o.ref in refs]
        self.keep(previous.start if previous else s.start, self.spans[end - 1].end, near or timed)
        return end
