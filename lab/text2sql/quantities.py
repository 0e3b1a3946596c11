"""The part of the grammar that reads numbers and days with what is said about them, and makes tests of them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from lab.text2sql.dates import Stretch
from lab.text2sql.facts import Option, Quantity
from lab.text2sql.hints import converted, words_of
from lab.text2sql.naming import cut, is_han
from lab.text2sql.numbers import Number, measure_of
from lab.text2sql.reader import Found, Parser, Reader, is_dated, remembered
from lab.text2sql.schema import Column
from lab.text2sql.tree import Condition, Expr, Field, Not, Part, Ref, Scalar, Test

AROUND = 0.1
"""How much of a number "about" allows on either side."""
FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_VAGUE = ("any", "size", "length", "height")
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
GUESSED = 0.45
"""What it costs that a column was found by a unit or an adjective, and not named."""

# what an adjective is about -> tags of columns, what their units measure, or words in their names; "-" where more of
# the column is less of the adjective (born later is younger)
ABOUT: dict[str, tuple[tuple[str, ...], ...]] = {
    "price": (("price",), ("money",)),
    "old": (("-birth",), ("age",), ("-date",)),
    "age": (("age",), ("-birth",)),
    "date": (("date",),),
    "length": (("length", "duration", "km", "metre", "cm", "mile", "minutes", "hours", "days", "seconds"),),
    "distance": (("distance", "km", "metre", "mile"), ("length",)),
    "height": (("height",), ("metre", "cm", "foot")),
    "weight": (("weight", "weight g", "weight t"),),
    "temperature": (("temperature",),),
    "size": (("size",), ("amount",)),
    "speed": (("speed",), ("-duration",)),
    "rating": (("rating",), ("points",)),
    "value": (("value",), ("price",), ("money",)),
    "salary": (("salary",),),
    "experience": (("experience",),),
    "sold": (("piece",),),
}


_DAYS_EN = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_WEEKDAY = re.compile(
    rf"(?:a )?({'|'.join(_DAYS_EN)})s?(?![a-z])|(?:每个?)?(?:周|星期|礼拜)([一二三四五六日天])(?![一-鿿]?[会报])"
)


class Period(NamedTuple):
    """A stretch of days, half-open; an end may be None; or a set of days of the week."""

    first: dt.date | None
    after: dt.date | None
    weekdays: tuple[int, ...] = ()
    month: int = 0  # a month said without its year
    yearless: bool = False

    @property
    def whole_years(self) -> bool:
        return all(d is None or (d.month, d.day) == (1, 1) for d in (self.first, self.after)) and not self.weekdays


def about(column: Column, adjective: str) -> tuple[int, bool] | None:
    """How well a column is what an adjective is about (0 is best), and whether its order is the other way round."""
    measured = {*column.about, measure_of(column.hint.unit), "date" if column.is_year else column.kind}
    said = ((place, tag) for place, tags in enumerate(ABOUT.get(adjective, ())) for tag in tags)
    return next(((place, tag[0] == "-") for place, tag in said if tag.removeprefix("-") in measured), None)


class Quantities(Reader):
    """Numbers, days, and the tests that they make of columns."""

    @remembered
    def quantity(self, at: int) -> Iterator[Found]:
        """A number, or two, with what is said about it: `Quantity`."""
        yield from self._plain_quantity(at)
        for end, (_, q), cost in self.seq(at, self.word("not"), self._compared):
            yield end, q._replace(negated=not q.negated), cost

    @remembered
    def _plain_quantity(self, at: int) -> Iterator[Found]:
        before, after = self.opt(self.word("cmp", "around")), self.opt(self.word("post", "around"))
        for end, (op, n, post), cost in self.seq(at, before, self.number, after):
            if post in (None, op) or op is None:
                yield end, _single(n, op or post), cost
        for end, (a, b), cost in self._range(at, self.number):
            yield end, _double(a, b), cost
        for end, (a, _, b), cost in self.seq(at, self.number, self.word("or"), self.number):
            yield end, Quantity("=", (a.value, b.value), b.unit or a.unit), cost

    def _range(self, at: int, one: Parser) -> Iterator[Found]:
        """Between two, from one to the other: both."""
        before, closed = self.opt(self.word("since", "during", "from")), self.opt(self.word("closed"))
        for begin, joint in ((self.word("between"), self.word("to", "and")), (before, self.word("to"))):
            for end, (_, a, _, b, _), cost in self.seq(at, begin, one, joint, one, closed):
                yield end, (a, b), cost

    def _compared(self, at: int) -> list[Found]:
        return [f for f in self._plain_quantity(at) if f[1].op]

    def tests(self, refs: Iterable[tuple[Ref, float]], q: Quantity) -> tuple[Option[Condition], ...]:
        """The tests that a quantity makes of those columns that it can be about."""
        made = ((self.test(self.column_of(ref), q), cost) for ref, cost in refs)
        return tuple(Option(test[0], cost + test[1]) for test, cost in made if test is not None)

    def test(self, c: Column, q: Quantity) -> tuple[Condition, float] | None:
        """A quantity as a condition on a column, and how far-fetched that is; None where it cannot be about it."""
        if c.is_key and (q.op not in ("", "=") or q.unit or q.about):
            return None
        if _is_age(c, q):
            return self._born(c, q), 0.1
        if c.kind != "number":
            exact = q.op in ("", "=") and not q.unit and c.kind in ("text", "category") and (c.key or c.unique)
            named = [str(int(v)) for v in q.values if v == int(v)]
            known = all(v in c.values for v in named) and bool(named)
            return (Test(Field(c.ref), "=", tuple(named)), 0.1) if exact and known else None
        fits = (0, False) if q.about in ("", "any") else about(c, q.about)
        if fits is None and q.about not in _VAGUE:
            return None
        if fits is not None and fits[1]:
            q = q._replace(op=FLIPPED.get(q.op, q.op))
        if not q.unit:  # under 20 million, of a column in millions
            scale, high = c.unit[1], c.high
            beyond = scale > 1 and isinstance(high, (int, float)) and min(q.values) > 10 * high >= min(q.values) / scale
            return numeric(Field(c.ref), q, [v / scale for v in q.values] if beyond else q.values), 0.0
        said, own = measure_of(q.unit), measure_of(c.hint.unit)
        if own in ("", said):
            if own == "" and said in _OF_SEVERAL and "age" not in c.tags:
                return None  # what the column counts is not known: 2 hours may be 2 or 120
            if own == "" and said == "percent" and isinstance(c.high, (int, float)) and c.high > 100:
                return None  # 15 % of salary
            cost = 0.0 if own else 0.05 if fits_tags(c, said) else 0.3
            part = said == "percent" and not own and isinstance(c.high, (int, float)) and 0 < c.high <= 1
            scale = 100 if part else c.unit[1]  # 10 % is 0.1 where 1 is all
            return numeric(Field(c.ref), q, [round(v / scale, 9) for v in q.values]), cost
        values = [v for n in q.values if (v := converted(n, said, own)) is not None]
        if values:
            return numeric(Field(c.ref), q, values), 0.0
        alike = {own, said} <= {"years", "age"} or (said == "piece" and own not in ("money", "points"))
        return (numeric(Field(c.ref), q, q.values), 0.2) if alike else None

    def _born(self, c: Column, q: Quantity) -> Condition:
        """An age as a condition on the year or the day of birth: over 40 is born more than 40 years ago."""
        low, high = min(q.values), max(q.values)
        if c.is_year:
            year = self.links.as_of.year
            return numeric(Field(c.ref), q._replace(op=FLIPPED.get(q.op, q.op)), sorted(year - v for v in q.values))
        after = {"<": low, "=": low + 1, "": low + 1, "between": high + 1, "<=": low}.get(q.op)
        before = {">": low, ">=": low, "=": low, "": low, "between": low}.get(q.op)
        first = self._years_ago(after, q.op != "<=") if after is not None else None
        last = self._years_ago(before, q.op != ">") if before is not None else None
        test = Test(Field(c.ref), "during", (first, last))
        return Not(test) if q.negated else test

    def _years_ago(self, years: float, next_day: bool) -> str:
        day = self.links.as_of
        ago = _in_year(day, day.year - int(years))
        return (ago + dt.timedelta(int(next_day))).isoformat()

    def unnamed(self, q: Quantity) -> tuple[Option[Condition], ...]:
        """The tests of a number whose column was not named: those of its unit, or of what its adjective is about."""
        said = measure_of(q.unit)
        out: list[Option[Condition]] = []
        for c in self.schema.columns():
            if _is_age(c, q):
                out.append(Option(self._born(c, q), GUESSED + 0.1, "unit" if said else "adjective"))
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
            made = self.test(c, q)
            if made is not None:
                cost = GUESSED + (0.0 if fits or known else 0.6) + (0.2 * fits[0] if fits else 0.0)
                cost += 0.5 if said and own not in (said, "") else 0.0
                out.append(Option(made[0], made[1] + cost, "unit" if said else "adjective"))
        return tuple(out)

    @remembered
    def period(self, at: int) -> Iterator[Found]:
        """Days with what is said about them: `Period`."""
        prefix = self.word("since", "past", "before", "until", "during", "between", "cmp")
        suffix = self.word("since", "past", "before", "until", "closed", "post", "part", "within")
        for end, (pre, d, post), cost in self.seq(at, self.opt(prefix), self.date, self.opt(suffix)):
            said = self.text[at : d.end]
            if post == ("since",) and self.text[:end].endswith((" from", " since", " as of", " starting")):
                continue  # in 2023 from Berlin
            if pre == ("since",) and d.after.year - d.first.year == 10:
                continue  # from the 1990s
            if post == ("until",) and self.text[:end].endswith(" by"):
                continue  # in April by members
            if post == ("past",) and self.text[:end].endswith("以后"):  # with that year, or after it
                if (d.first.month, d.first.day, d.after.year - d.first.year) != (1, 1, 1):
                    continue
                cost += 0.1
            made = _placed(d, pre, post, ago=said.endswith(("ago", "前")))
            if made is not None:
                yield end, made, cost
        for end, (_, days), cost in self.seq(at, self.opt(self.word("during", "per")), self.weekdays):
            yield end, Period(None, None, days), cost
        for role, days in (("weekend", (0, 6)), ("workdays", (1, 2, 3, 4, 5))):
            yield from ((end, Period(None, None, days), cost) for end, _, cost in self.word(role)(at))
        for end, (a, b), cost in self._range(at, self.date):
            first, after = _ends(a, b)
            if first < after:
                yield end, Period(first, after, yearless=a.yearless and b.yearless), cost

    def weekdays(self, at: int) -> list[Found]:
        """Days of the week: Sundays, on a Monday, 周三."""
        m = _WEEKDAY.match(self.text, at)
        if m is None:
            return []
        day = _DAYS_EN.index(m[1]) if m[1] else "日一二三四五六".index(m[2].replace("天", "日"))
        return [(m.end(), (day,), 0.0)]

    def during(self, refs: Iterable[tuple[Ref, float]], p: Period) -> tuple[Option[Condition], ...]:
        """The tests that a period makes of columns of days."""
        why = "day" if refs == self.every_date() else ""
        out = []
        for ref, cost in refs:
            c = self.column_of(ref)
            if not is_dated(c) or (c.is_year and not p.whole_years):
                continue
            if p.weekdays:
                test = Test(Part(Field(ref), "weekday"), "=", tuple(map(str, p.weekdays)))
            elif p.month and "birth" in c.tags:
                test = Test(Part(Field(ref), "month of year"), "=", (p.month,))
            else:
                test = Test(Field(ref), "during", _bounds(c, p))
            out.append(Option[Condition](test, cost, why))
        return tuple(out)

    def every_date(self) -> tuple[tuple[Ref, float], ...]:
        """All columns of days: the fullest and, of equals, the first of each table is the likeliest."""
        out: list[tuple[Ref, float]] = []
        for t in self.schema.tables:
            dates = [c for c in t.columns if is_dated(c)]
            ranked = sorted(dates, key=lambda c: (c.is_year, bool("birth" in c.tags), c.empty > 0))
            out += [(c.ref, GUESSED / 2 + (0.0 if i == 0 else 0.5)) for i, c in enumerate(ranked)]
        return tuple(out)


def _ends(a: Stretch, b: Stretch) -> tuple[dt.date, dt.date]:
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
    return first, after


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


_OF_SEVERAL = (
    "hours", "days", "weeks", "seconds", "weight t", "mile", "speed", "speed mph", "temperature f"
)  # fmt: skip


def _is_age(c: Column, q: Quantity) -> bool:
    """Whether a number is an age, and the column what it can be told by."""
    born = "birth" in c.tags and is_dated(c) and min(q.values) >= 0 and max(q.values) < 150
    return born and (measure_of(q.unit) == "age" or (not q.unit and q.about in ("old", "age")))


_TAGS = {
    "money": "money", "age": "age", "years": "years experience age", "points": "rating", "piece": "piece",
    "minutes": "duration", "weight": "weight", "km": "length", "metre": "length height", "percent": "percent",
    "months": "months", "floor": "floor floors storey storeys 楼层 层数 层", "temperature": "temperature",
}  # fmt: skip


def fits_tags(c: Column, said: str) -> bool:
    """Whether a column without a unit is known by its name to measure that."""
    named = {*c.tags, *words_of(c.name), *(cut(c.name) if is_han(c.name) else ())}
    return not named.isdisjoint(_TAGS.get(said, "").split())


def _single(n: Number, role: tuple[str, ...] | None) -> Quantity:
    if role is None:
        return Quantity("", (n.value,), n.unit)
    if role[0] == "around":
        low, high = sorted((round(n.value * (1 - AROUND), 6), round(n.value * (1 + AROUND), 6)))
        return Quantity("between", (low, high), n.unit)
    adjective = role[2] if len(role) > 2 else ""
    if role[1] == "!=":
        return Quantity("=", (n.value,), n.unit, negated=True)
    return Quantity(role[1], (n.value,), n.unit, adjective)


def _double(a: Number, b: Number) -> Quantity:
    low, high = a.value, b.value
    if a.scale == 1.0 and b.scale > 1.0 and low < high / b.scale and low < 1000:
        low *= b.scale  # 15-20k
    return Quantity("between", (min(low, high), max(low, high)), b.unit or a.unit)


def numeric(of: Expr, q: Quantity, values: Sequence[float]) -> Condition:
    """What a quantity says of an expression."""
    test = Test(of, q.op or "=", tuple(int(v) if v == int(v) else v for v in values))
    return negated(test) if q.negated else test


_PLACES = {">": "past", ">=": "since", "<": "before", "<=": "until"}
_AGO = {"past": "before", "since": "until", "before": "past", "until": "since"}


def _placed(d: Stretch, pre: tuple[str, ...] | None, post: tuple[str, ...] | None, *, ago: bool) -> Period | None:
    """Days with what stands before and behind them; None where the two do not go together."""
    if (pre and pre[0] == "between") or (post and post[0] == "part" and post[1] != "year"):
        return None  # one day is no range
    places = set[str]()
    for role in (pre, post):
        if role is not None and role[0] not in ("during", "closed", "part", "within"):
            place = _PLACES.get(role[1], "") if role[0] in ("cmp", "post") else role[0]
            # more than two months ago is before that day
            places.add(_AGO.get(place, "") if ago and role[0] == "cmp" else place)
    if len(places) > 1:
        return None
    place = next(iter(places), "")
    first = {"": d.first, "since": d.first, "past": d.after}.get(place)
    after = {"": d.after, "before": d.first, "until": d.after}.get(place)
    month = d.first.month if d.yearless and not place and (d.after - d.first).days > 27 else 0
    return Period(first, after, (), month, d.yearless)


def negated(c: Condition) -> Condition:
    """The opposite of a condition, as plainly as it can be said."""
    return replace(c, op=OPPOSITE[c.op]) if isinstance(c, Test) and c.op in OPPOSITE else Not(c)
