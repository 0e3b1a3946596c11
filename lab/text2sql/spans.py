"""The part of the grammar that reads times of the day, how long it was from one day of a row to another, and what is over.

早上9点之前开始的, between 9 and 11 am; 住了几天, 从入库到卖出的天数, 借了超过两周.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from functools import partial

from lab.reading.numbers import han_value
from lab.text2sql.dates import back
from lab.text2sql.facts import Exprs, Option, Options, Quantity, Refs
from lab.text2sql.hints import words_of
from lab.text2sql.numbers import measure_of
from lab.text2sql.quantities import GUESSED, Period, Role, is_stamp, numeric
from lab.text2sql.reader import Finds, Found, Way, is_dated, remembered, ways
from lab.text2sql.schema import Column, Table, says
from lab.text2sql.tree import Aggregate, AllOf, AnyOf, Arithmetic, Condition, Expr, Field, Not, Part, Ref, Scalar, Test
from lab.text2sql.values import Values

_CLOCK = re.compile(
    r"(?P<part>凌晨|清早|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里)?的?(?P<hour>\d{1,2}|[一二两三四五六七八九十]{1,2})"
    r"(?:(?P<point>[点時时])(?:钟|整)?(?:(?P<half>半)|(?P<quarter>[一三])刻|(?P<minute>\d{1,2})分?)?|:(?P<minutes>\d\d))"
    r"(?!\d|小)|(?P<en>\d{1,2})(?::(?P<min>\d\d))? ?(?P<m>[ap])\.?m\b\.?|(?P<noon>noon|midday)"
)
_GENERATION = re.compile("([5-9]0|[01]0|[五六七八九零一]零)后")
_LATER = ("下午", "傍晚", "晚上", "夜里")


def read_clock(text: str, at: int, *, later: bool = False) -> tuple[int, str] | None:
    """Where the time of the day ends that is said at a place, and it as HH:MM; ``later`` takes 3 for 15:00.

    >>> read_clock("下午3点半", 0), read_clock("at 9 am", 3)
    ((5, '15:30'), (7, '09:00'))
    """
    m = _CLOCK.match(text, at)
    if m is None or (at and text[at - 1].isdigit()):
        return None
    if m["noon"]:
        return m.end(), "12:00"
    said = m["hour"] or m["en"]
    hour = int(said) if said.isdigit() else int(han_value(said) or 0)
    minute = int(m["minute"] or m["minutes"] or m["min"] or 0)
    minute = 30 if m["half"] else 15 * (3 if m["quarter"] == "三" else 1) if m["quarter"] else minute
    pm = m["part"] in _LATER or m["m"] == "p" or (m["part"] == "中午" and hour < 3) or later
    hour = hour % 12 + 12 if pm and hour <= 12 else 0 if m["m"] == "a" and hour == 12 else hour
    return (m.end(), f"{hour:02}:{minute:02}") if hour < 25 and minute < 60 else None


_LEVELS = frozenset({"floor", "storey", "level", "grade", "round", "semester", "term", "week", "year"})
_PIECES = re.compile(r"(\d+|one|two|three|four|five|six|seven|eight|nine|ten)-(?=[a-z])")


class Spans(Values):
    """Phrases of times of the day and of stretches between two days."""

    @remembered
    @ways
    def span(self) -> Iterator[Way]:
        """How long it was from one day to another: two that are named, or that in which something went on (住, 卖)."""
        took = self.opt(self.word("took"))
        yield (self.opt("from"), self._day, "to", self._day, took), lambda a, b, _: _between(a, b), -0.3
        yield (self._done_on, took), lambda refs, _: tuple(o for r, c in refs for o in self._about(r, c))

    def _day(self, at: int) -> list[Found]:
        return self.fitting([*self.column(at), *self.cue(at)], lambda c: c.kind == "date")

    def _done_on(self, at: int) -> list[Found]:
        """A verb of a day: no name of its column."""
        return self.fitting(self.cue(at), lambda c: c.kind == "date" and not c.is_key)

    def _about(self, ref: Ref, cost: float) -> Exprs:
        """From the day that a verb points to until the next of the row; to a day that not every row has, from the last."""
        days = [c for c in self.schema.table(ref.table).columns if c.kind == "date" and not is_stamp(c)]
        days = [c for c in days if "birth" not in c.tags and not says(c, "due")]
        at = next((i for i, c in enumerate(days) if c.ref == ref), 0)
        at -= bool(days) and at > 0 and (bool(days[at].empty) or at == len(days) - 1)
        return tuple(_between([(days[at].ref, 0.0)], [(days[at + 1].ref, cost)])) if at + 1 < len(days) else ()

    @remembered
    @ways
    def days_of(self) -> Iterator[Way]:
        """A span whose days are asked for or named: 住了几天, 从入库到卖出的天数."""
        yield (self.span, self.opt("sum"), "days"), lambda of: of

    @remembered
    @ways
    def mean_days(self) -> Iterator[Way]:
        """平均住了几天, 从下单到发货平均多久, 平均几天还."""
        took, mean = self.opt(self.word("took")), partial(aggregated, "avg")
        yield ("avg", self.span, "days"), mean
        yield (self.span, "avg", took, "days"), lambda of, _: mean(of)
        done = "avg", took, "days", self._done_on
        yield done, lambda _, refs: mean(tuple(o for r, c in refs for o in self._about(r, c)))
        yield (self._done_on, "avg", took, "days", self._done_on), lambda a, _, b: mean(_between(a, b)), -0.3
        summed = partial(aggregated, "sum")
        yield (self.word("sum"), self.span, "days"), lambda _, of: summed(of), 0.1

    @remembered
    @ways
    def of_span(self) -> Iterator[Way]:
        """住了超过4天, 从入库到卖出不到一个月; 入库超过半年: since then."""
        long = self.only(self.quantity, lambda q: measure_of(q.unit) in _DAYS)
        yield (self.span, self.opt("days"), long), self._lasting
        yield (self._day, long), self._since, 0.25
        # 三天之内修好的
        done = long, self._done_on
        yield done, lambda q, refs: self._lasting(tuple(o for r, c in refs for o in self._about(r, c)), q)

    def _lasting(self, of: Exprs, q: Quantity) -> Options:
        days = [v * _DAYS[measure_of(q.unit)] for v in q.values]
        return tuple(Option(numeric(o.of, q, days), o.cost) for o in of) if q.op else ()

    def _since(self, refs: Refs, q: Quantity) -> Options:
        """A day so long ago, or longer."""
        unit = measure_of(q.unit)
        some = 0 < q.values[0] * _DAYS[unit] < 1e5 and unit != "nights"
        if q.op not in ("<", "<=", ">", ">=") or q.negated or not some:
            return ()
        day = back(self.links.as_of, q.values[0], unit.removesuffix("s"))
        day += dt.timedelta(q.op in (">=", "<"))
        ends = (None, day.isoformat()) if q.op[0] == ">" else (day.isoformat(), None)
        known = ((r, c) for r, c in refs if "birth" not in self.column_of(r).tags)
        return tuple(Option(Test(Field(r), "during", ends), c) for r, c in known)

    def or_never(self, o: Option[Condition]) -> Option[Condition]:
        """What was not inspected since May may never have been."""
        of = o.of.of.of if isinstance(o.of, Not) and isinstance(o.of.of, Test) else None
        if not isinstance(of, Field) or o.why == "day" or "birth" in self.column_of(of.ref).tags:
            return o
        return o._replace(of=AnyOf((o.of, Test(of, "empty")))) if self.column_of(of.ref).empty else o

    def days_ahead(self, coming: bool) -> Options:
        """What is still to come, or is over, where some days are still to come."""
        today, days = self.links.as_of.isoformat(), self.every_date()
        ahead = [(r, c) for r, c in days if str(self.column_of(r).high or "") > today and not self.column_of(r).is_year]
        return same_test(ahead, "during", *((today, None) if coming else (None, today)))

    def generation(self, at: int) -> list[Found]:
        """90后, 零零后: who was born in those ten years."""
        m = _GENERATION.match(self.text, at)
        if m is None or self.text[at - 1 : at].isdigit():
            return []
        tens = int(m[1][0]) if m[1][0].isdigit() else int(han_value(m[1][0]) or 0)
        year = (1900 if tens > 4 else 2000) + 10 * tens
        return [(m.end(), Period(dt.date(year, 1, 1), dt.date(year + 10, 1, 1)), 0.0)]

    def of_birth(self, p: Period) -> Options:
        births = [(c.ref, GUESSED / 2) for c in self.schema.columns() if "birth" in c.tags and is_dated(c)]
        return self.during(births, p) if births else ()

    @remembered
    @ways
    def of_clock(self) -> Iterator[Way]:
        """Before 9 am, 下午三点以后, 9点到11点; the column named before or behind."""
        named, opt, word = self._timed, self.opt, self.word
        before, between = word("before", "past", "since", "until", "during", "between", "cmp"), self.either("to", "and")
        after = opt(word("before", "past", "since", "until", "post", "closed"))
        later = opt(named), opt(before), self._clock, after, opt(named)
        yield later, lambda a, pre, t, post, b: self._at(a or b, t, pre, post)
        two = opt(named), opt("between", "from"), self._clock, between, self._clock, opt("closed"), opt(named)
        yield two, lambda a, t, u, b: self._at(a or b, t, None, None, u)

    def _clock(self, at: int) -> list[Found]:
        found = read_clock(self.text, at)
        return [(*found, 0.0)] if found is not None and self._clocks() else []

    def _clocks(self) -> list[Column]:
        return [c for c in self.schema.columns() if _timed(c)]

    def _timed(self, at: int) -> list[Found]:
        return self.fitting([*self.column(at), *self.cue(at)], _timed)

    def _at(self, refs: Refs | None, t: str, pre: Role | None, post: Role | None, until: str = "") -> Options:
        out, why = list[Option[Condition]](), "" if refs else "unit"
        said = {_SIDES.get(role[-1], "") or _SIDES.get(role[0], "") for role in (pre, post) if role} - {""}
        for ref, cost in refs or [(c.ref, GUESSED / 2) for c in self._clocks()]:
            c = self.column_of(ref)
            of: Expr = Part(Field(ref), "time") if c.kind == "date" else Field(ref)
            seconds = ":00" * (max(map(len, c.values), default=0) > 5)
            if until:
                end = until if until > t else f"{int(until[:2]) + 12:02}{until[2:]}"
                out.append(Option(Test(of, "between", (t + seconds, end + seconds)), cost, why))
            elif len(said) < 2:
                op = next(iter(said), "=")
                op = ">=" if op == ">" and self.language == "zh" else op
                out.append(Option(Test(of, op, (t + seconds,)), cost + 0.1 * (op == "="), why))
        return tuple(out)

    def _running(self, table: Table) -> Options:
        """What has begun and is not over."""
        days = [c for c in table.columns if c.kind == "date"]
        today, tomorrow = ((self.links.as_of + dt.timedelta(n)).isoformat() for n in (0, 1))
        out = list[Option[Condition]]()
        for a, b in ((a, b) for a in days for b in days if says(a, "begin") and says(b, "finish") and a != b):
            begun, goes_on = Test(Field(a.ref), "during", (None, tomorrow)), Test(Field(b.ref), "during", (today, None))
            out.append(Option(AllOf((begun, AnyOf((goes_on, Test(Field(b.ref), "empty"))) if b.empty else goes_on))))
        return tuple(out)

    @remembered
    def of_level(self, at: int) -> Finds:
        """The third floor or higher, a 2-room flat, four-door cars."""
        steps = self.opt(self.word("cmp")), self.word("nth"), self.columns("number"), self.opt(self.word("post"))
        for end, (before, nth, refs, after), cost in self.seq(at, *steps):
            level = [(r, c) for r, c in refs if not _LEVELS.isdisjoint(words_of(self.column_of(r).hint.en))]
            op = (before or after or ("", ""))[1]
            if not (before and after):
                yield end, self.tests(level, Quantity(op, (float(nth[1]),))), cost
        if m := _PIECES.match(self.text, at):
            for end, refs, cost in self.columns("number")(m.end()):
                for n in (n for e, n, _ in self.number(at) if e == m.end() - 1 and not n.unit):
                    yield end, self.tests(refs, Quantity("", (n.value,))), cost

    def _past_due(self, refs: Refs) -> Options:
        """已经过了应还日期: that day is over."""
        due = [(r, c) for r, c in refs if says(self.column_of(r), "due")]
        return same_test(due, "during", None, self.links.as_of.isoformat())

    def _overdue(self, table: Table) -> Options:
        """A day that is over, of what is not yet done."""
        days = [c for c in table.columns if c.kind == "date"]
        open_ = [Test(Field(c.ref), "empty") for c in days if c.empty and says(c, "done")]
        over = same_test([(c.ref, 0.0) for c in days if says(c, "due")], "during", None, self.links.as_of.isoformat())
        return tuple(Option(AllOf((o.of, *open_)) if open_ else o.of, 0.3 * i + 0.1) for i, o in enumerate(over))


def same_test(refs: Refs, op: str, *values: Scalar) -> Options:
    """The same test of several columns."""
    return tuple(Option(Test(Field(r), op, values), c) for r, c in refs)


def _timed(c: Column) -> bool:
    """Whether a column holds times of the day, or days with them."""
    return c.style == "clock" or "timed" in c.tags


def _between(first: Refs, last: Refs) -> Exprs:
    """The days from one column to another of the same table."""
    pairs = ((a, b, x + y) for a, x in first for b, y in last if a.table == b.table and a != b)
    return tuple(Option(Arithmetic("-", Field(b), Field(a)), c) for a, b, c in pairs)


def aggregated(fn: str, of: Exprs) -> Exprs:
    return tuple(Option(Aggregate(fn, o.of), o.cost) for o in of)


_DAYS = {"days": 1, "nights": 1, "weeks": 7, "months": 30, "years": 365}
_SIDES = {"before": "<", "past": ">", "since": ">=", "until": "<=", ">=": ">=", ">": ">", "<": "<", "<=": "<="}
"""What the words around a time make of it."""
