"""The part of the grammar that reads numbers and days with what is said about them, and makes tests of them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from lab.text2sql.dates import Stretch
from lab.text2sql.facts import Option, Options, Quantity, Refs
from lab.text2sql.hints import converted, words_of
from lab.text2sql.lexicon import in_names, word_lists, words_in
from lab.text2sql.measured import fits_tags, in_units
from lab.text2sql.numbers import Number, measure_of
from lab.text2sql.reader import Finds, Found, Parser, Piece, Reader, Way, is_dated, remembered, ways
from lab.text2sql.schema import Column, says
from lab.text2sql.tree import Condition, Expr, Field, Not, Part, Ref, Scalar, Test

AROUND = 0.1
"""How much of a number "about" allows on either side."""
FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_VAGUE = ("any", "size", "length", "height")
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
GUESSED = 0.45
"""What it costs that a column was found by a unit or an adjective, and not named."""

ABOUT = {adjective: tuple(map(words_in, said.split(";"))) for adjective, said in word_lists()["about"].items()}
_DAYS_EN = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_WEEKDAY = re.compile(
    rf"(?:a )?({'|'.join(_DAYS_EN)})s?(?![a-z])|(?:每个?)?(?:周|星期|礼拜)([一二三四五六日天])(?![一-鿿]?[会报])"
)
_ON = re.compile(r" on(?=\W*$|,)")
_LATELY = re.compile(r"from (the )?(last|this|previous|yesterday|today)\b")
Role = tuple[str, ...]


class Period(NamedTuple):
    """A stretch of days, half-open; an end may be None; or a set of days of the week."""

    first: dt.date | None
    after: dt.date | None
    weekdays: tuple[int, ...] = ()
    month: int = 0  # a month said without its year
    yearless: bool = False


def is_stamp(column: Column) -> bool:
    """Whether a day is that of the row in the database, not of what the row is about: created at."""
    return column.kind == "date" and not in_names("stamped").isdisjoint(words_of(column.name))


def about(column: Column, adjective: str) -> tuple[int, bool] | None:
    """How well a column is what an adjective is about (0 is best), and whether its order is the other way round."""
    dated = is_dated(column)
    made = dated and (column.is_year or not in_names("made").isdisjoint(words_of(column.name)))
    kind = "stamp" if is_stamp(column) else "date" if dated else column.kind
    measured = {*(column.about - {"date"}), measure_of(column.hint.unit), kind, "made" if made else ""}
    said = ((place, tag) for place, tags in enumerate(ABOUT.get(adjective, ((adjective,),))) for tag in tags if tag)
    return next(((place, tag[0] == "-") for place, tag in said if tag.removeprefix("-") in measured), None)


class Quantities(Reader):
    """Numbers, days, and the tests that they make of columns."""

    @remembered
    @ways
    def quantity(self) -> Iterator[Way]:
        """A number, or two, with what is said about it: `Quantity`."""
        yield (self._plain_quantity,), lambda q: q
        yield ("not", self.only(self._plain_quantity, lambda q: q.op)), lambda q: q._replace(negated=not q.negated)

    @remembered
    @ways
    def _plain_quantity(self) -> Iterator[Way]:
        before, after = self.opt(self.word("cmp", "around")), self.opt(self.word("post", "around"))
        yield (before, self.number, after), _single
        yield ("aged", before, self.number, after), lambda b, n, a: _single(b, n._replace(unit="years old"), a)
        for parts in self._ranges(self.number):
            yield parts, _double
        yield (self.word("lone"),), lambda role: Quantity(role[1], (1,))  # a single one, several
        yield (self.number, "or", self.number), lambda a, b: Quantity("=", (a.value, b.value), b.unit or a.unit)

    def _ranges(self, one: Parser) -> Iterator[tuple[Piece, ...]]:
        """Between two, from one to the other."""
        yield "between", one, self.either("to", "and"), one, self.opt("closed")
        yield self.opt("since", "during", "from"), one, "to", one, self.opt("closed")

    def tests(self, refs: Refs, q: Quantity) -> Options:
        """The tests that a quantity makes of those columns that it can be about."""
        made = ((self.test(self.column_of(ref), q), cost) for ref, cost in refs)
        return tuple(Option(test[0], cost + test[1]) for test, cost in made if test is not None)

    def test(self, c: Column, q: Quantity) -> tuple[Condition, float] | None:
        """A quantity as a condition on a column, and how far-fetched that is; None where it cannot be about it."""
        of = Field(c.ref)
        if c.is_key and (q.op not in ("", "=") or q.unit or q.about):
            return None
        if _is_age(c, q):
            return self._born(c, q), 0.1
        if c.kind != "number":
            exact = q.op in ("", "=") and not q.unit and c.kind in ("text", "category") and (c.key or c.unique)
            named = tuple(str(int(v)) for v in q.values if v == int(v))
            return (Test(of, "=", named), 0.1) if exact and named and set(named) <= set(c.values) else None
        if q.unit in ("time", "times") and {"times", "time", "count"}.isdisjoint(words_of(c.name)):
            return None  # late at least six times is not six minutes late
        if q.unit in _EVENTS and c.hint.unit != q.unit and not c.name.endswith(("次数", q.unit)):
            return None
        fits = (0, False) if q.about in ("", "any") else about(c, q.about)
        if fits is None and q.about not in _VAGUE:
            return None
        if fits is not None and fits[1]:
            q = q._replace(op=FLIPPED.get(q.op, q.op))
        made = in_units(c, q)
        return (numeric(of, q, made[0]), made[1]) if made is not None else None

    def _born(self, c: Column, q: Quantity) -> Condition:
        """An age as a condition on the year or the day of birth: over 40 is born more than 40 years ago."""
        low, high, today = min(q.values), max(q.values), self.links.as_of
        if c.is_year:
            years = sorted(today.year - v for v in q.values)
            return numeric(Field(c.ref), q._replace(op=FLIPPED.get(q.op, q.op)), years)
        after = {"<": low, "=": low + 1, "": low + 1, "between": high + 1, "<=": low}.get(q.op)
        before = {">": low, ">=": low, "=": low, "": low, "between": low}.get(q.op)
        ends = ((after, q.op != "<="), (before, q.op != ">"))  # years ago, and whether that day itself is left out
        days = ((y, _in_year(today, today.year - int(y or 0)) + dt.timedelta(out)) for y, out in ends)
        test = Test(Field(c.ref), "during", tuple(None if y is None else day.isoformat() for y, day in days))
        return Not(test) if q.negated else test

    def unnamed(self, q: Quantity, *, aged: bool = False) -> Options:
        """The tests of a number whose column was not named: of its unit, its adjective, or an age (over 40)."""
        said, out = measure_of(q.unit), list[Option[Condition]]()
        why = "unit" if said else "adjective" if q.about not in ("", "any") else "bare"
        for c in self.schema.columns():
            bare = aged and "birth" in c.tags and q.op and not (q.unit or q.about)
            if _is_age(c, q._replace(about="age") if bare else q):
                out.append(Option(self._born(c, q), GUESSED + 0.1, why))
            if c.kind != "number" or c.is_key or c.is_year:
                continue
            fits = about(c, q.about) if q.about not in _VAGUE else None
            if fits is None and q.about not in ("", "any") and not said:
                continue  # longer than 45 is no price
            own = measure_of(c.hint.unit)
            known = bool(said) and (own == said or converted(1.0, said, own) is not None or fits_tags(c, said))
            ranged = isinstance(c.low, (int, float)) and isinstance(c.high, (int, float))
            within = ranged and any(c.low <= v / c.unit[1] <= c.high for v in q.values)  # type: ignore[operator]
            if not known and (said or (fits is None and not within)):
                continue  # ages of 15,000
            if made := self.test(c, q):
                cost = GUESSED + (0.2 * fits[0] if fits else 0.0 if known else 0.6)
                cost += 0.5 if said and own not in (said, "") else 0.0
                cost += 0.3 * (said == "money" and self.costs(c))
                values = made[0].values if isinstance(made[0], Test) and made[0].op == "=" and ranged else ()
                cost += 1.0 * (bool(values) and not any(c.low <= v <= c.high for v in values))  # type: ignore[operator]
                out.append(Option(made[0], made[1] + cost, why))
        return tuple(out)

    def costs(self, c: Column) -> bool:
        """Whether a column is what a thing has cost, beside the price that it is sold for; a fee beside an amount."""
        table = self.schema.table(c.table)
        prices = (x for x in table.columns if x.tags >= {"price", "each"} and not says(x, "costs"))
        other = "price" not in c.tags or says(c, "costs")
        return ("each" in c.tags and other and any(prices)) or c.is_aside(table)

    @remembered
    def period(self, at: int) -> Finds:
        """Days with what is said about them: `Period`."""
        prefix = self.word("since", "past", "before", "until", "during", "between", "cmp")
        suffix = self.word("since", "past", "before", "until", "closed", "post", "part", "within")
        for end, (pre, d, post), cost in self.seq(at, self.opt(prefix), self.date, self.opt(suffix)):
            said, after = self.text[:end], post[0] if post else ""
            if pre is not None and pre[2:] == ("old",):  # older than 2010
                pre = (pre[0], FLIPPED.get(pre[1], pre[1]))
            if after == "since" and said.endswith((" from", " since", " as of", " starting")):
                continue  # in 2023 from Berlin
            if pre == ("since",) and _LATELY.match(self.text, at):
                continue  # jobs from last month are those in it
            if pre == ("since",) and d.after.year - d.first.year == 10:
                continue  # from the 1990s
            if after == "until" and said.endswith(" by"):
                continue  # in April by members
            if after == "past" and said.endswith("以后"):  # with that year, or after it
                if (d.first.month, d.first.day, d.after.year - d.first.year) != (1, 1, 1):
                    continue
                cost += 0.1
            end += 3 * bool(pre == ("since",) and _ON.match(self.text, end))  # from August on
            if made := _placed(d, pre, post, ago=self.text[at : d.end].endswith(("ago", "前"))):
                yield end, made, cost
        yield from self._days(at)

    @ways
    def _days(self) -> Iterator[Way]:
        yield (self.opt("during", "per"), self.weekdays), lambda days: Period(None, None, days)
        yield ("weekend",), lambda: Period(None, None, (0, 6))
        yield ("workdays",), lambda: Period(None, None, (1, 2, 3, 4, 5))
        for parts in (*self._ranges(self.date), (self.opt("since", "from"), self.date, "until", self.date)):
            yield parts, _from_to

    def weekdays(self, at: int) -> list[Found]:
        """Days of the week: Sundays, on a Monday, 周三."""
        days = (*_DAYS_EN, *"日一二三四五六天")
        stored = 0.5 * any(self.value(at))  # where that is a value: the weekday of a class
        return [(m.end(), (days.index(m[1] or m[2]) % 7,), stored) for m in [_WEEKDAY.match(self.text, at)] if m]

    def during(self, refs: Refs | None, p: Period) -> Options:
        """The tests that a period makes of columns of days: of all where none was named."""
        why, out = "" if refs else "day", list[Option[Condition]]()
        years = not p.weekdays and all(d is None or (d.month, d.day) == (1, 1) for d in (p.first, p.after))
        guessed = () if refs else self.every_date()
        births = {r for r, _ in guessed if "birth" in self.column_of(r).tags}
        births = births if len(births) < len(guessed) else set()  # absent yesterday: nobody's birthday
        for ref, cost in refs or ((r, c + (2.5 if self.language == "zh" else 0.5) * (r in births)) for r, c in guessed):
            c = self.column_of(ref)
            if not is_dated(c) or (c.is_year and not years):
                continue
            if p.weekdays:
                test = Test(Part(Field(ref), "weekday"), "=", tuple(map(str, p.weekdays)))
            elif p.month and "birth" in c.tags:
                test = Test(Part(Field(ref), "month of year"), "=", (p.month,))
            else:
                test = Test(Field(ref), "during", _bounds(c, p))
            out.append(Option(test, cost, why))
        return tuple(out)

    def every_date(self) -> tuple[tuple[Ref, float], ...]:
        """All columns of days: the fullest and, of equals, the first of each table is the likeliest."""
        dated = [[c for c in t.columns if is_dated(c)] for t in self.schema.tables]
        due = {c.ref for dates in dated for c in dates if any(w in c.name for w in in_names("due"))}
        due = due if self.language == "zh" and any(c.ref not in due for dates in dated for c in dates) else set()
        days = ([c for c in dates if c.ref not in due] for dates in dated)
        ranked = (
            sorted(dates, key=lambda c: (is_stamp(c), c.is_year, "birth" in c.tags, c.empty > 0)) for dates in days
        )
        return tuple((c.ref, GUESSED / 2 + 0.5 * (i > 0)) for dates in ranked for i, c in enumerate(dates))


def _from_to(a: Stretch, b: Stretch) -> Period | None:
    """From one stretch to another; a month without its year has that of the other."""
    first, after = a.first, b.after
    if b.yearless and not a.yearless:
        after = _in_year(after, after.year + a.first.year - b.first.year)
        if after <= first:
            after = _in_year(after, after.year + 1)
    if a.yearless and not b.yearless:
        first = _in_year(first, b.first.year)
    if a.yearless and first >= after:
        first = _in_year(first, first.year - 1)
    return Period(first, after, yearless=a.yearless and b.yearless) if first < after else None


def _in_year(day: dt.date, year: int) -> dt.date:
    return day.replace(year=year, day=min(day.day, 28) if day.month == 2 else day.day)


def _bounds(column: Column, p: Period) -> tuple[Scalar, ...]:
    """First day and first day after; a month said without its year is the coming one where only that has data."""
    first, after = (d.isoformat() if d else None for d in (p.first, p.after))
    low, high = column.low, column.high
    if p.yearless and isinstance(low, str) and isinstance(high, str):

        def met(a: str | None, b: str | None) -> bool:
            return (b is None or str(low) < b) and (a is None or str(high) >= a)

        later = tuple(f"{int(d[:4]) + 1}{d[4:]}" if d else None for d in (first, after))
        idle = after is None and first is not None and first <= low  # a condition that everything meets
        if (idle or not met(first, after)) and met(*later) and "-02-29" not in f"{first}{after}":
            return later
    return first, after


_EVENTS = ("次", "趟", "回", "场")
"""What happens so often is no number of pieces."""


def _is_age(c: Column, q: Quantity) -> bool:
    """Whether a number is an age, and the column what it can be told by."""
    span, said = min(q.values) >= 0 and max(q.values) < 150, measure_of(q.unit)
    if c.is_year and "birth" not in c.tags:  # ferries older than 20 years
        return span and q.about in ("old", "age") and said in ("", "age", "years")
    return span and "birth" in c.tags and is_dated(c) and (said == "age" or (not said and q.about in ("old", "age")))


def _single(before: Role | None, n: Number, after: Role | None) -> Quantity | None:
    """A number with what stands before or behind it."""
    role = before or after
    if before and after and before != after:
        return None
    if role is None:
        return Quantity("", (n.value,), n.unit)
    if role[0] == "around":
        return Quantity("between", tuple(sorted(round(n.value * x, 6) for x in (1 - AROUND, 1 + AROUND))), n.unit)
    if role[1] == "!=":
        return Quantity("=", (n.value,), n.unit, negated=True)
    return Quantity(role[1], (n.value,), n.unit, "".join(role[2:3]))


def _double(a: Number, b: Number) -> Quantity:
    thousands = a.scale == 1.0 and b.scale > 1.0 and a.value < b.value / b.scale and a.value < 1000  # 15-20k
    ends = sorted((a.value * b.scale if thousands else a.value, b.value))
    return Quantity("between", tuple(ends), b.unit or a.unit)


def numeric(of: Expr, q: Quantity, values: Sequence[float]) -> Condition:
    """What a quantity says of an expression."""
    test = Test(of, q.op or "=", tuple(int(v) if v == int(v) else v for v in values))
    return negated(test) if q.negated else test


_PLACES = {">": "past", ">=": "since", "<": "before", "<=": "until"}
_AGO = {"past": "before", "since": "until", "before": "past", "until": "since"}


def _placed(d: Stretch, pre: Role | None, post: Role | None, *, ago: bool) -> Period | None:
    """Days with what stands before and behind them; None where the two do not go together."""
    if (pre and pre[0] == "between") or (post and post[0] == "part" and post[1] != "year"):
        return None  # one day is no range
    places = set[str]()
    for role, *op in (role for role in (pre, post) if role and role[0] not in ("during", "closed", "part", "within")):
        place = _PLACES.get(op[0], "") if role in ("cmp", "post") else role
        places.add(_AGO.get(place, "") if ago and role == "cmp" else place)  # more than 2 months ago is before that day
    if len(places) > 1:
        return None
    place = next(iter(places), "")
    first = {"": d.first, "since": d.first, "past": d.after}.get(place)
    after = {"": d.after, "before": d.first, "until": d.after}.get(place)
    month = d.first.month if d.yearless and not place and (d.after - d.first).days > 27 else 0
    return Period(first, after, (), month, d.yearless)


def negated(c: Condition) -> Condition:
    """The opposite of a condition, as plainly as it can be said."""
    if isinstance(c, Not):
        return c.of
    return replace(c, op=OPPOSITE[c.op]) if isinstance(c, Test) and c.op in OPPOSITE else Not(c)
