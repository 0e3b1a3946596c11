"""The part of the grammar that reads conditions: a column with a number, a value, a day, a text, or with nothing in it.

Each phrase gives its options, one for every column that it can be about.  A negation is part of the phrase that it
denies; one that no phrase takes is left over, and what is left over stops the answer.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from functools import partial, reduce

from lab.text2sql.facts import Option, Quantity
from lab.text2sql.hints import words_of
from lab.text2sql.lexicon import in_names, roles_of
from lab.text2sql.naming import is_han
from lab.text2sql.numbers import measure_of
from lab.text2sql.quantities import GUESSED, Period, negated
from lab.text2sql.reader import PASSED, Found, Parser, remembered
from lab.text2sql.schema import Column, Table
from lab.text2sql.tree import AllOf, AnyOf, Condition, Field, Not, Related, Test
from lab.text2sql.values import Options, Refs, Values, found

_YES, _NO = ("yes", "true", "是"), ("no", "false", "否")


class Conditions(Values):
    """All phrases that are conditions: `condition` gives ``(end, (options, list_of), cost)``."""

    @remembered
    def condition(self, at: int) -> Iterator[Found]:
        """One condition, or several joined by "or"."""
        yield from self.single(at)
        for end, (a, _, b), cost in self.seq(at, self.single, self.word("or"), self.single):
            both = _joined(a[0], b[0], AnyOf)
            if both:
                yield end, (both, None), cost + 0.05
        for end, (_, a, _, b), cost in self.seq(
            at, self.word("nor"), self.single, self.either(self.word("nor"), self.word("or")), self.single
        ):
            both = _joined(_denied(a[0]), _denied(b[0]), AllOf)
            if both:
                yield end, (both, None), cost

    @remembered
    def single(self, at: int) -> Iterator[Found]:
        """One condition."""
        for phrase in (
            self.of_number, self.of_value, self.of_truth, self.of_text, self.of_presence, self.of_partner, self.of_day, self.of_due, self.of_now,
            self.of_comparison, self.of_same, self.of_rank,
        ):  # fmt: skip
            yield from phrase(at)

    @remembered
    def of_number(self, at: int) -> Iterator[Found]:
        """运费50块以下, a fare under 2, more than 800 kWh, 比200元便宜, longer than 10 km, 力量、耐力都不低于85."""
        named = self.columns("number", "text")
        cued = partial(self._cued, ("number",))
        for end, (refs, verb, q), cost in self.seq(
            at, self.either(named, cued), self.opt(self.word("is", "every")), self.quantity
        ):
            if q.op or q.unit or verb or (cost < 2 * PASSED and " in " not in self.text[at:end]):
                yield from found(end, self.tests(refs, q), cost)
        for end, (refs, n), cost in self.seq(at, cued, self.number, tight=True):  # rated 5, aged 50
            other = any(self.numeric(place) for place, _ in self.gaps(end, most=0))  # earning 2,000 bonus
            if (not n.unit or measure_of(n.unit) == "age") and not other:
                yield from found(end, self.tests(refs, Quantity("", (n.value,), n.unit)), cost + 0.1)
        both = self.many(self.numeric, self.word("and"))
        for end, (columns, _, q), cost in self.seq(at, both, self.opt(self.word("all")), self._compared):
            if len(columns[0]) > 1:
                tests = [self.tests(refs, q) for refs in columns[0]]
                if all(tests):
                    yield from found(end, reduce(lambda a, b: _joined(a, b, AllOf), tests), cost)
        for end, (_, refs, q), cost in self.seq(at, self.word("not"), self.either(named, cued), self._compared):
            yield from found(end, self.tests(refs, q._replace(negated=True)), cost)
        for end, (q, refs), cost in self.seq(at, self._said, self.either(named, cued)):
            if q.unit or not any(e == end for i in range(at, end) for e, _, _ in self.table(i)):  # more than 3 orders
                yield from found(end, self.tests(refs, q), cost + 0.15)
        for end, (refs, _, q, adj), cost in self.seq(
            at, self.opt(self.numeric), self.word("than"), self.quantity, self.word("adj", "comp")
        ):
            q = q._replace(op=adj[1], about=adj[2] if adj[2] != "many" and refs is None else "")
            yield from found(end, self.tests(refs, q) if refs else self.unnamed(q), cost)
        for end, q, cost in self.quantity(at):
            counted = not q.unit and any(self.table(place) for place, _ in self.gaps(end, most=0))
            exact = measure_of(q.unit) in (_EXACT if self.language == "en" else ("floor", "points"))
            if (q.op or exact) and not counted:  # more than 3 orders is no price
                yield from found(end, self.unnamed(q), cost)

    def _said(self, at: int) -> list[Found]:
        return [f for f in self.quantity(at) if f[1].op or f[1].unit]

    @remembered
    def of_truth(self, at: int) -> Iterator[Found]:
        """保价的, not on loan, uninsured, 是否冷藏为否."""
        truth = self.columns("boolean")
        no = self.opt(self.word("not"))
        yes = self.opt(self.word("have", "exists"))
        for end, (denied, _, refs, within), cost in self.seq(at, no, yes, truth, self.opt(self._yes_no)):
            value = (within is not False) == (denied is None)
            yield from found(end, tuple(Option(Test(Field(r), "=", (value,)), c) for r, c in refs), cost)
        for end, refs, cost in self.fitting(self.cue(at), lambda c: c.kind == "boolean"):
            if re.match(r" rates?(?![a-z])", self.text[end:]):  # the cancellation rate
                yield from found(end, tuple(Option(Test(Field(r), "=", (True,)), c) for r, c in refs), cost + 0.1)
        for end, (_, refs), cost in self.seq(at, self.opt(self.word("by")), self.negative):  # by non-members
            options = ((r, c, self.column_of(r).kind == "boolean") for r, c in refs)
            tests = ((Test(Field(r), *(("=", (False,)) if flag else ("empty",))), c) for r, c, flag in options)
            yield from found(end, tuple(Option[Condition](test, c) for test, c in tests), cost)

    def _yes_no(self, at: int) -> list[Found]:
        said = ((word, word in _YES) for word in (*_YES, *_NO) if self.text.startswith(word, at))
        return [(at + len(word), value, 0.05) for word, value in said]

    @remembered
    def of_text(self, at: int) -> Iterator[Found]:
        """片名里有深, whose name contains Mask, mentioning "leak", 姓陈, 名字以“陶”开头."""
        texts = self.columns("text", "category", "list")
        op = self.word("contains", "starts", "ends")
        no = self.opt(self.word("not"))
        for end, (_, refs, deny, role, said), cost in self.seq(
            at, self.opt(self.word("during")), self.opt(texts), no, op, self.many(self.said, self.word("or"), most=3)
        ):
            yield from self._texts(end, refs, role[0], said[0], deny is not None, cost)
        for end, (_, said, _, refs), cost in self.seq(
            at, self.word("have", "contains"), self.quote, self.word("during"), texts
        ):
            yield from self._texts(end, refs, "contains", (said,), False, cost)  # with 'M5' in its number
        for end, (refs, _, said, role), cost in self.seq(
            at, self.opt(texts), self.opt(self.word("by")), self.said, self.word("tail")
        ):
            yield from self._texts(end, refs, role[1], (said,), False, cost)
        for end, (refs,), cost in self.seq(at, self.opt(texts)):
            if self.text.startswith("姓", end) and end + 1 < len(self.text) and self.text[end + 1] not in "名氏":
                yield from self._texts(end + 2, refs, "starts", (self.links.text[end + 1],), False, cost)

    def said(self, at: int) -> list[Found]:
        """A text that is quoted, or the next word."""
        quoted = self.quote(at)
        if quoted:
            return quoted
        links = self.links.links(at)
        words = [x for x in links if x.kind in ("unknown", "value") and not roles_of(self.text[x.start : x.end])]
        own = re.match(r"[A-Z]\w*|\d+[一-鿿]?", self.links.text[at:])
        if not words and own:  # titles starting with The, 包含2室
            return [(at + own.end(), own[0], 0.4)]
        return [(x.end, self.links.text[x.start : x.end], 0.3) for x in words]

    def _texts(
        self, end: int, refs: Refs | None, op: str, said: tuple[str, ...], deny: bool, cost: float
    ) -> Iterator[Found]:
        if refs is None:
            texts = [c for c in self.schema.columns() if c.kind in ("text", "category")]
            titles = [c for c in texts if c is self.schema.table(c.table).title]
            fits = {"contains": str.__contains__, "starts": str.startswith, "ends": str.endswith}[op]
            held = [c for c in texts if any(fits(v.lower(), s.lower()) for v in c.values for s in said)]
            refs = tuple((c.ref, GUESSED) for c in [c for c in titles if c in held] or held or titles)
        columns = [(self.column_of(r), c) for r, c in refs]
        held_by = [(c, x) for c, x in columns if c.kind != "date" and not c.is_key]
        options: Options = tuple(Option(Test(Field(c.ref), op, said), x) for c, x in held_by)
        yield from found(end, _denied(options) if deny else options, cost)

    @remembered
    def of_presence(self, at: int) -> Iterator[Found]:
        """没有评分的, without an email, whose remarks are missing, never checked, 有邮箱的."""
        any_column = self.columns("text", "category", "number", "date", "list")
        pointed = partial(self._cued, ("date",))
        there, absent = self.opt(self.word("have", "filled")), self.either(any_column, pointed)
        for end, (_, _, refs), cost in self.seq(at, self.word("not"), there, absent):
            yield from found(end, self._absent(refs), cost + 0.05)
        for end, (refs, role), cost in self.seq(at, any_column, self.word("empty", "filled")):
            options = self._absent(refs)
            yield from found(end, _denied(options) if role[0] == "filled" else options, cost)
        for end, (role, refs), cost in self.seq(at, self.word("empty", "filled", "have"), any_column):
            options, vague = self._absent(refs), 0.05 if role[0] == "have" else 0.0
            yield from found(end, options if role[0] == "empty" else _denied(options), cost + vague)

    def _absent(self, refs: Refs) -> Options:
        """Columns with nothing in them: no value, or where every row has one, 0."""
        out: list[Option[Condition]] = []
        for r, cost in refs:
            c = self.column_of(r)
            zero = c.kind == "number" and c.low == 0
            if zero:
                out.append(Option(Test(Field(r), "=", (0,)), cost, "none"))
            if c.empty or not zero:
                out.append(Option(Test(Field(r), "empty"), cost + (0.0 if c.empty else 0.5)))
        return tuple(out)

    @remembered
    def of_partner(self, at: int) -> Iterator[Found]:
        """没有下过单的, without any orders, who never made a trip, with interviews."""
        table = self.either(self.table, self.table_cue)
        for end, (role, _, t), cost in self.seq(at, self.word("not", "have"), self.opt(self._cue_or_have), table):
            related: Condition = Related(t)
            if role[0] != "not" or "的" not in self.text[at:end]:  # 没有下单的用户 are users
                yield from found(end, (Option(Not(related) if role[0] == "not" else related),), cost + 0.1)
        for end, _, cost in self.seq(at, self.word("not"), self.word("verb")):  # never borrowed
            events = [] if self._by_whom(end) else dict.fromkeys(f.table for f in self.schema.foreign_keys)
            yield from found(end, tuple(Option[Condition](Not(Related(t))) for t in events), cost + 0.4)
        for end, (_, (q, t)), cost in self.seq(at, self.opt(self._cue_or_have), self._so_many):
            counted: Condition = Related(t, (), (q.op, int(q.values[0])))  # who have more than 6 orders
            yield from found(end, (Option(Not(counted) if q.negated else counted),), cost + 0.4)

    @remembered
    def of_all(self, at: int) -> Iterator[Found]:
        """What all rows of something hold: only dogs, all of whose pets are neutered, 只有男员工, 员工都在杭州.

        Gives ``(end, (options, among), cost)``; "all" where it may also be said of rows in general: all visits in May.
        """
        some, every, is_ = self.opt(self._cue_or_have), self.word("every"), self.word("is", "have")
        ways: list[tuple[str, tuple[Parser, ...]]] = [("only", (self.word("only"), some))]
        if self.language == "zh":
            ways += [("only", (self.opt(self.word("all", "per")), self.table, every))]
        else:
            ways += [("only", (every, self.opt(self.table), is_)), ("only", (self.table, self.opt(is_), self._whole))]
            ways += [("only", (is_, self._whole)), ("all", (self._whole, self.table))]
        for among, way in ways:
            for end, (*_, (options, _)), cost in self.seq(at, *way, self.single):
                if not re.search(r"\b(that|who|which)\b", self.text[at:end]):  # all those that are neutered
                    yield end, (options, among), cost

    def _whole(self, at: int) -> list[Found]:
        return [f for f in self.word("every")(at) if f[1] == ("every",)]

    def _so_many(self, at: int) -> list[Found]:
        """A number of rows, with nothing between: more than 6 orders, 超过3个订单."""
        out = [
            (last, (q, t), cost + c)
            for end, q, cost in self._said(at)
            if _is_count(q)
            for last, t, c in self.table(self.links.skip(end))
        ]
        if self.language == "zh":  # 订单少于2个
            out += [(end, (q, t), c) for end, (t, q), c in self.seq(at, self.table, self._said) if _is_count(q)]
        return out

    def _cue_or_have(self, at: int) -> list[Found]:
        return [*self.word("have", "verb")(at), *self.cue(at)]

    @remembered
    def of_day(self, at: int) -> Iterator[Found]:
        """去年, since March, born after 2000, 2023年6月之后注册的, on Sundays."""
        dated = self.opt(self.dated)
        for end, (deny, refs, p), cost in self.seq(at, self.opt(self.word("not")), dated, self.period):
            options = self.during(refs or self.every_date(), p)
            yield from found(end, _denied(options) if deny else options, cost)
        for end, (p, refs), cost in self.seq(at, self.period, self.dated):
            yield from found(end, self.during(refs, p), cost + 0.05)
        for end, (refs, a, _, b), cost in self.seq(at, dated, self.period, self.word("and", "or"), self.period):
            yield from found(end, self._two(refs or self.every_date(), a, b), cost)

    @remembered
    def of_due(self, at: int) -> Iterator[Found]:
        """Overdue, 已到期: a day that is over, of what is not yet done."""
        for end, _, cost in self.word("lapsed")(at):
            over = tuple(Option(test, c + 0.1) for t in self.schema.tables for test, c in self._overdue(t))
            yield from found(end, over, cost)

    @remembered
    def of_now(self, at: int) -> Iterator[Found]:
        """Currently open, have closed, 正在开放的, 已经结束的: where days are still to come."""
        now = self.word("now")
        for end, _, cost in (*self.seq(at, now, self.opt(self.dated)), *self.seq(at, self.dated, now)):
            yield from found(end, tuple(o for t in self.schema.tables for o in self._running(t)), cost + 0.1)
        done = self.seq(at, self.opt(self.word("have", "is")), self._ahead)
        for end, (_, refs), cost in (f for f in done if re.match(r"\W*$|的", self.text[f[0] :])):
            over = (None, self.links.as_of.isoformat())
            yield from found(end, tuple(Option(Test(Field(r), "during", over), c) for r, c in refs), cost)

    def _ahead(self, at: int) -> list[Found]:
        """What points to days of which some are still to come."""
        today = self.links.as_of.isoformat()
        verbs = [
            f for f in self.cue(at) if self.text[at : f[0]].endswith(("ed", "en", "un", "n")) or self.language == "zh"
        ]
        return self.fitting(verbs, lambda c: c.kind == "date" and isinstance(c.high, str) and c.high > today)

    def _running(self, table: Table) -> Iterator[Option[Condition]]:
        """What has begun and is not over."""
        days = [c for c in table.columns if c.kind == "date"]
        today, tomorrow = (self.links.as_of + dt.timedelta(n) for n in (0, 1))
        for a, b in ((a, b) for a in days for b in days if _says(a, "begin") and _says(b, "finish") and a != b):
            goes_on: Condition = Test(Field(b.ref), "during", (today.isoformat(), None))
            goes_on = AnyOf((goes_on, Test(Field(b.ref), "empty"))) if b.empty else goes_on
            yield Option(AllOf((Test(Field(a.ref), "during", (None, tomorrow.isoformat())), goes_on)))

    def _overdue(self, table: Table) -> Iterator[tuple[Condition, float]]:
        days = [c for c in table.columns if c.kind == "date"]
        done = [Test(Field(c.ref), "empty") for c in days if c.empty and _says(c, "done")]
        for i, c in enumerate(c for c in days if _says(c, "due")):
            over: Condition = Test(Field(c.ref), "during", (None, self.links.as_of.isoformat()))
            yield AllOf((over, *done)) if done else over, 0.3 * i

    def _two(self, refs: Refs, a: Period, b: Period) -> Options:
        """Two stretches of days of one column: either of them, or of a child, a row in each."""
        out: list[Option[Condition]] = []
        for x, y in zip(self.during(refs, a), self.during(refs, b), strict=False):
            out += [x._replace(of=AllOf((x.of, y.of))), x._replace(of=AnyOf((x.of, y.of)), cost=x.cost + 0.01)]
        return tuple(out)

    @remembered
    def of_rank(self, at: int) -> Iterator[Found]:
        """Rows called by a number: order 17, 订单17."""
        for end, (t, n), cost in self.seq(at, self.table, self.number, tight=True):
            keys = [c for c in self.schema.table(t).keys if c.kind == "number"]
            if len(keys) == 1 and not n.unit and n.value == int(n.value):
                yield from found(end, (Option[Condition](Test(Field(keys[0].ref), "=", (int(n.value),))),), cost + 0.25)


def _denied(options: Options) -> Options:
    return tuple(Option(negated(o.of), o.cost, o.why) for o in options)


def _joined(a: Options, b: Options, kind: type[AnyOf] | type[AllOf]) -> Options:
    """Two conditions as one, for every two options that can stand together."""
    out = (Option[Condition](_as_one(x.of, y.of, kind), x.cost + y.cost) for x in a for y in b)
    return tuple(sorted(out, key=lambda o: o.cost)[:6])


def _as_one(a: Condition, b: Condition, kind: type[AnyOf] | type[AllOf]) -> Condition:
    """Two conditions joined; two values of one column are a list of values."""
    if kind is AnyOf and isinstance(a, Test) and isinstance(b, Test) and a.of == b.of and a.op == b.op in ("=", "has"):
        return Test(a.of, a.op, tuple(dict.fromkeys((*a.values, *b.values))))
    return kind((*(a.of if isinstance(a, kind) else (a,)), b))


def _is_count(q: Quantity) -> bool:
    """Whether a quantity may be a number of rows."""
    plain = q.op in ("<", "<=", ">", ">=", "=") and len(q.values) == 1 and q.values[0] == int(q.values[0])
    return plain and not q.about and (not q.unit or measure_of(q.unit) == "piece")


def _says(c: Column, what: str) -> bool:
    words = in_names(what)
    return not words.isdisjoint(words_of(c.name)) or any(w in c.name for w in words if is_han(w))


_EXACT = frozenset(
    {
        "floor",
        "points",
        "minutes",
        "hours",
        "km",
        "metre",
        "mile",
        "cm",
        "weight",
        "weight g",
        "weight t",
        "power",
        "power mw",
        "kcal",
        "liter",
        "liter ml",
        "hectare",
    }
)
"""Measures of numbers that say by themselves what is meant: 5 star hotels, 10 km runs."""
