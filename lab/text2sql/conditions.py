"""The part of the grammar that reads conditions: a column with a number, a value, a day, a text, or with nothing in it.

Each phrase gives its options, one for every column that it can be about.  A negation is part of the phrase that it
denies; one that no phrase takes is left over, and what is left over stops the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial, reduce

from lab.text2sql.facts import Option, Options, Quantity, Refs, Where
from lab.text2sql.hints import bare_name, words_of
from lab.text2sql.lexicon import roles_of, word_lists, words_in
from lab.text2sql.naming import stem
from lab.text2sql.numbers import measure_of
from lab.text2sql.partners import WHO, Partners
from lab.text2sql.quantities import GUESSED, Period, negated
from lab.text2sql.reader import PASSED, Finds, Found, Parser, Piece, Way, remembered, ways
from lab.text2sql.schema import Column
from lab.text2sql.spans import same_test
from lab.text2sql.tree import AllOf, AnyOf, Condition, Field, Not, Ref, Related, Test

_NOUN = re.compile(r"(ed|ions?|ances?|ments?|als?|s)$")
_NAMING = {"took", "verb", "did", "unit", "classifier", "adj", "comp", "assigned"}
"""What a single character may be besides that may stand in a name: 名字里带花的."""
_AGED = re.compile(
    "(over|under|above|below|between|past|more than|less than|older|younger)(?![a-z])(?! (half )?a dozen)"
)
_WHOSE = re.compile(r"\b(who|that|which|whose)\b")
_WITH = re.compile(r"\b(with|have|has|had) $")
_OF_OURS = re.compile(r" ?(of (our|the|their|my|your|these|those) |different |distinct )")
_FALLS = re.compile("下过?([雨雪雹])了?")


class Conditions(Partners):
    """All phrases that are conditions: `condition` and `of_all` find `Where`, the others their options."""

    @remembered
    @ways
    def condition(self) -> Iterator[Way]:
        """One condition, or several joined by "or"."""
        single = self.single
        yield (single,), lambda a: a
        yield (single, "omitted"), lambda a: Where(_denied(a.options)), 0.1  # cancelled ones left out
        yield (single, "or", single), lambda a, b: Where(_joined(a.options, b.options, AnyOf)), 0.05
        neither = "nor", single, self.either("nor", "or"), single
        yield neither, lambda a, b: Where(_joined(_denied(a.options), _denied(b.options), AllOf))

    @remembered
    def single(self, at: int) -> Finds:
        """One condition."""
        yield from self.of_value(at)
        for phrase in (
            self.of_number, self.of_truth, self.of_text, self.of_presence, self.of_partner, self.of_day,
            self.of_now, self.of_comparison, self.of_key, self.of_level, self.of_clock, self.of_span,
        ):  # fmt: skip
            yield from ((end, Where(options), cost) for end, options, cost in phrase(at))

    @remembered
    def of_number(self, at: int) -> Finds:
        """运费50块以下, a fare under 2, more than 800 kWh, 比200元便宜, longer than 10 km, 力量、耐力都不低于85."""
        cued = self.cued("number")
        column = self.either(self.columns("number", "text"), cued)
        for end, (refs, verb, q), cost in self.seq(at, column, self.opt(self.word("is", "every")), self.quantity):
            if q.op and not q.unit and self.stands(self.table, end) and not self.column(at):
                continue  # who gave us more than five cameras
            if q.op or q.unit or verb or (cost < 2 * PASSED and " in " not in self.text[at:end]):
                yield end, self.tests(refs, q), cost
        for end, (refs, n), cost in self.seq(at, cued, self.number, tight=True):  # rated 5, aged 50
            another = self.stands(self.numeric, end)  # earning 2,000 bonus
            if not another and (not n.unit or measure_of(n.unit) == "age"):
                yield end, self.tests(refs, Quantity("", (n.value,), n.unit)), cost + 0.1
        for end, (q, refs), cost in self.seq(at, self._said, column):
            other = _WHOSE.search(self.text[at:end])  # over 65 who owe money; more than 3 orders
            if not other and (measure_of(q.unit) not in ("", "piece") or not self.behind("table", end)):
                yield end, self.tests(refs, q), cost + 0.15
        for end, q, cost in self.quantity(at):
            theirs = _OF_OURS.match(self.text, end)
            # more than 3 (of our) orders is no price
            counted = not q.unit and self.stands(self.table, theirs.end() if theirs else end)
            few = not (q.unit or q.about) and max(q.values) < 1000  # with at least 6 works
            counted |= few and _WITH.search(self.text[:at]) is not None
            if (q.op or measure_of(q.unit) in _EXACT) and not counted:
                aged = _AGED.match(self.text, at) is not None
                # 总课时超过8: no other number
                yield end, self.unnamed(q, aged=aged), cost + 0.5 * self.behind("column", at)
        compared, adjective = self.only(self._plain_quantity, lambda q: q.op), self.word("adj", "comp")
        for end, (several, q), cost in self.seq(at, self.many(self.numeric, "and"), self.opt("all"), compared):
            yield end, self._each(several[0], q), cost
        for end, (refs, q), cost in self.seq(at, "not", column, compared):
            yield end, self.tests(refs, q._replace(negated=True)), cost
        for end, (refs, q, role), cost in self.seq(at, self.opt(self.numeric), "than", self.quantity, adjective):
            q = q._replace(op=role[1], about="" if refs or role[2] == "many" else role[2])
            yield end, self.tests(refs, q) if refs else self.unnamed(q), cost
        for end, (q, role), cost in self.seq(at, self._said, self.word("base")):  # 10 m tall
            yield end, self.unnamed(q._replace(about=role[1])), cost

    def _each(self, several: Iterable[Refs], q: Quantity) -> Options:
        """The same of several columns."""
        tests = [self.tests(refs, q) for refs in several]
        return reduce(lambda a, b: _joined(a, b, AllOf), tests) if len(tests) > 1 and all(tests) else ()

    @remembered
    def of_truth(self, at: int) -> Finds:
        """保价的, not on loan, uninsured, 是否冷藏为否."""
        no, there = self.opt(self.word("not")), self.opt("have", "exists", "did")
        said = self.opt(self.matched("(yes|true|是)|no|false|否"))
        of = self.opt(self.cued("boolean"))  # 学费没缴清, of 学费是否缴清
        for end, (part, denied, refs, is_), cost in self.seq(at, of, no, there, self.columns("boolean"), said):
            kept = [(r, c) for r, c in refs if part is None or r in dict(part)]
            yield end, same_test(kept, "=", (is_ is not False) == (denied is None)), cost - 0.3 * (part is not None)
        for end, (refs,), cost in self.seq(at, self.opt("by"), self.negative):  # by non-members
            flags = ((Field(r), c, self.column_of(r).kind == "boolean") for r, c in refs)
            tests = ((Test(of, "=", (False,)) if flag else Test(of, "empty"), c) for of, c, flag in flags)
            yield end, tuple(Option(test, c) for test, c in tests), cost
        for end, (denied, _, refs), cost in self.seq(at, no, self.opt(self.word("have", "exists")), self._state):
            if denied is not None or _NOUN.search(self.text[at:end]) or WHO.search(self.text[:at]):
                yield end, same_test(refs, "=", denied is None), cost
        rated = [f for f in self.cue(at) if re.match(r" rates?(?![a-z])", self.text[f[0] :])]  # the cancellation rate
        for end, refs, cost in self.fitting(rated, lambda c: c.kind == "boolean"):
            yield end, same_test(refs, "=", True), cost + 0.1

    def _state(self, at: int) -> list[Found]:
        """What has the stem of the state that a yes-no column is named after: insurance, refunds, to pay."""

        def named(word: str) -> Callable[[Column], bool]:
            root = stem(word)
            return lambda c: c.kind == "boolean" and stem(words_of(bare_name(c.name)[0])[-1]) == root

        found = [(self.text[at : f[0]], f) for f in self.cue(at)]
        return [g for word, f in found if word.isascii() for g in self.fitting([f], named(word))]

    @remembered
    def of_text(self, at: int) -> Finds:
        """片名里有深, whose name contains Mask, mentioning "leak", 姓陈, 名字以“陶”开头."""
        texts, op = self.columns("text", "category", "list"), self.word("contains", "starts", "ends")
        no, several, held = self.opt(self.word("not")), self.many(self.said, "or", most=3), self._held
        for end, (refs, deny, way, said), cost in self.seq(at, self.opt("during"), self.opt(texts), no, op, several):
            yield end, held(refs, way[0], said[0], deny=deny is not None), cost
        for end, (text, refs), cost in self.seq(at, self.either("have", "contains"), self.quote, "during", texts):
            yield end, held(refs, "contains", (text,)), cost  # with 'M5' in its number
        for end, (refs, text, way), cost in self.seq(at, self.opt(texts), self.opt("by"), self.said, self.word("tail")):
            yield end, held(refs, way[1], (text,)), cost
        if m := _FALLS.match(self.text, at):  # 下雨: of 小雨, 雷阵雨
            kinds = (c for c in self.schema.columns() if c.kind == "category")
            known = [c for c in kinds if c.name == "天气" or sum(m[1] in v for v in c.values) > 1]
            yield m.end(), held([(c.ref, GUESSED) for c in known], "contains", (m[1],)), 0.0
        for end, refs, cost in self._kind("within", at):  # ThinkPads
            yield end, held(refs, "contains", (re.sub("(?<=[a-rt-z])s$", "", self.links.text[at:end]),)), cost
        for end, (refs,), cost in self.seq(at, self.opt(texts)):
            if self.text.startswith("姓", end) and end + 1 < len(self.text) and self.text[end + 1] not in "名氏":
                yield end + 2, held(refs, "starts", (self.links.text[end + 1],)), cost

    def said(self, at: int) -> list[Found]:
        """A text that is quoted, or the next word."""
        if quoted := self.quote(at):
            return [(end + self.text.startswith("字", end), said, cost) for end, said, cost in quoted]
        links = self.links.links(at)
        if any(x.kind in ("table", "column") and x.cost < 0.3 for x in links):
            return []  # that include children: no text
        ends = self.text.startswith(("的", "字"), at + 1) and {r[0] for r in roles_of(self.text[at])} <= _NAMING
        words = [x for x in links if x.kind in ("unknown", "value")]
        words = [x for x in words if (ends and x.end == at + 1) or not roles_of(self.text[x.start : x.end])]
        own = re.match(r"[A-Z]\w*|\d+[一-鿿]?", self.links.text[at:])
        if not words and own:  # titles starting with The, 包含2室
            return [(at + own.end(), own[0], 0.4)]
        return [(x.end, self.links.text[x.start : x.end], 0.3) for x in words]

    def _held(self, refs: Refs | None, op: str, said: tuple[str, ...], *, deny: bool = False) -> Options:
        """The columns that are to hold a text; where none was named, names of rows before others."""
        if refs is None:
            texts = [c for c in self.schema.columns() if c.kind in ("text", "category")]
            titles = [c for c in texts if c is self.schema.table(c.table).title]
            fits = {"contains": str.__contains__, "starts": str.startswith, "ends": str.endswith}[op]
            if any(self.vocabulary.entries[s].tables for s in map(str.lower, said) if s in self.vocabulary.entries):
                return ()  # 她带的学生
            held = [c for c in texts if any(fits(v.lower(), s.lower()) for v in c.values for s in said)]
            refs = [(c.ref, GUESSED) for c in [c for c in titles if c in held] or held or titles]
        columns = ((r, c) for r, c in refs if self.column_of(r).kind != "date" and not self.column_of(r).is_key)
        options = same_test(columns, op, *said)
        return _denied(options) if deny else options

    @remembered
    @ways
    def of_presence(self) -> Iterator[Way]:
        """没有评分的, without an email, whose remarks are missing, never checked, 有邮箱的."""
        column = self.columns("text", "category", "number", "date", "list")
        lacking = partial(self._lacking, self.cued("date", "text", "category"))
        pointed = self.either(column, lacking)
        held = ("have", "filled") if self.language == "en" else ("have", "filled", "assigned")
        yield (partial(self._without, pointed, held),), self._absent, 0.05
        yield (partial(self._without, pointed, ("tell",)),), self._absent, 0.05  # don't state a price
        yield (partial(self._without, pointed, held), "told"), self._absent, -0.05  # no reason was given
        if self.language == "zh":  # 没养宠物
            yield ("not", "verb", partial(self._lacking, column)), self._absent, 0.05
        yield ("not", "verb", self.columns("number")), self._none_of, 0.05  # who has not sold any tickets
        served = "serve", partial(self._leading, column)  # never served as a soloist: no concert is theirs
        yield served, lambda refs: tuple(Option(Related(r.table), c) for r, c in refs)
        yield ("not", *served), lambda refs: tuple(Option(Not(Related(r.table)), c) for r, c in refs)
        yield (partial(self._lacking, self.cued("date")),), lambda refs: _denied(self._absent(refs)), 0.1  # sold, 卖出
        yield ("gone",), self._gone  # out of stock
        yield ("free",), self._free
        yield ("left",), self._left
        yield (column, "empty"), self._absent
        yield ("empty", column), self._absent
        for parts, vague in (((column, "filled"), 0.0), (("filled", column), 0.0), (("have", column), 0.05)):
            yield parts, lambda refs: _denied(self._absent(refs)), vague

    def _free(self) -> Options:
        """Prices of nothing, where there are any."""
        said = (c for c in self.schema.columns() if c.kind == "number" and "price" in c.tags and c.low == 0)
        return tuple(Option(Test(Field(c.ref), "=", (0,)), GUESSED + 0.3 * self.costs(c), "unit") for c in said)

    def _none_of(self, refs: Refs) -> Options:
        """No pieces."""
        return self._absent([(r, c) for r, c in refs if "piece" in self.column_of(r).tags])

    def _without(self, pointed: Parser, held: Iterable[str], at: int) -> list[Found]:
        """Not, and a column; but of 没有人的部门 there is a department."""
        found, english = self.seq(at, "not", self.opt(*held), pointed), self.language == "en"
        return [(end, refs, c) for end, (refs,), c in found if english or "的" not in self.text[at : end - 1]]

    def _gone(self) -> Options:
        """Numbers of things of which there are none left."""
        said = [c for c in self.schema.columns() if c.kind == "number" and "piece" in c.about and not c.is_key]
        stock = [c for c in said if "存" in c.name or not {"stock", "inventory"}.isdisjoint(words_of(c.name))]
        return tuple(Option(Test(Field(c.ref), "=", (0,)), GUESSED, "unit") for c in stock or said)

    def _left(self) -> Options:
        """What is still there of things that have one day on which they go, and are not counted in pieces: 还剩几台."""
        numbers = (c for c in self.schema.columns() if c.kind == "number" and "length" not in c.tags)
        pieces = {c.table for c in numbers if "piece" in c.about}
        tables = (t for t in self.schema.tables if t.name not in pieces)
        days = ([c for c in t.columns if c.kind == "date" and c.empty] for t in tables)
        return tuple(Option(Test(Field(own[0].ref), "empty"), GUESSED) for own in days if len(own) == 1)

    def _lacking(self, found: Parser, at: int) -> list[Found]:
        """Columns that some rows have nothing in."""
        return self.fitting(found(at), lambda c: bool(c.empty))

    def _leading(self, found: Parser, at: int) -> list[Found]:
        """Columns that point to rows of another table: what those can be."""
        keys = {Ref(f.table, f.column) for f in self.schema.foreign_keys}
        return self.fitting(found(at), lambda c: c.ref in keys)

    def _absent(self, refs: Refs) -> Options:
        """Columns with nothing in them: no value, or where every row has one, 0."""
        out = list[Option[Condition]]()
        for r, cost in refs:
            c = self.column_of(r)
            if not c.empty and (c.is_key or (self.language == "zh" and "money" in c.about and c.low != 0)):
                continue  # 没交学费: who has not paid, not what has no price
            zero = c.kind == "number" and c.low == 0
            if zero:
                out.append(Option(Test(Field(r), "=", (0,)), cost, "none"))
            if c.empty or not zero:
                out.append(Option(Test(Field(r), "empty"), cost + (0.0 if c.empty else 0.5)))
        return tuple(out)

    @remembered
    def of_all(self, at: int) -> Finds:
        """What all rows of something hold: only dogs, all of whose pets are neutered, 只有男员工, 员工都在杭州.

        It is among "all" where that may also be said of rows in general: all visits in May.
        """
        is_, some = self.either("is", "have"), self.opt(self.word("have", "verb"), self.cue)
        whole = self.only(self.word("every"), lambda role: role == ("every",))
        told: list[tuple[str, tuple[Piece, ...]]] = [("only", ("only", some))]
        if self.language == "zh":
            told += [("only", (self.opt("all", "per"), self.table, "every"))]
        else:
            told += [("only", ("every", self.opt(self.table), is_)), ("only", (is_, whole))]
            told += [("only", (self.table, self.opt("is", "have"), whole)), ("all", (whole, self.table))]
        for among, parts in told:
            for end, (*_, one), cost in self.seq(at, *parts, self.single):
                if not re.search(r"\b(that|who|which)\b", self.text[at:end]):  # all those that are neutered
                    yield end, Where(one.options, among=among), cost

    @remembered
    @ways
    def of_day(self) -> Iterator[Way]:
        """去年, since March, born after 2000, 2023年6月之后注册的, on Sundays; overdue, 已到期."""
        dated, during = self.opt(self.dated), self.during
        yield (dated, self.period), during
        yield ("not", dated, self.period), lambda refs, p: tuple(map(self.or_never, _denied(during(refs, p))))
        named = self.dated, self.cued("date"), self.period  # whose next visit is due in May
        yield named, lambda refs, said, p: during([(r, c) for r, c in refs if r in dict(said)], p)
        yield (self.generation,), self.of_birth
        yield (self.period, self.dated), lambda p, refs: during(refs, p), 0.05
        yield (dated, self.period, self.either("and", "or"), self.period), self._two
        yield (self.word("coming", "bygone"),), lambda role: self.days_ahead(role[0] == "coming"), -0.1
        yield ("overdue", self.dated), self._past_due, -0.4
        yield ("lapsed",), lambda: tuple(o for t in self.schema.tables for o in self._overdue(t))

    @remembered
    def of_now(self, at: int) -> Finds:
        """Currently open, have closed, 正在开放的, 已经结束的: where days are still to come."""
        for end, _, cost in (*self.seq(at, "now", self.opt(self.dated)), *self.seq(at, self.dated, "now")):
            yield end, tuple(o for t in self.schema.tables for o in self._running(t)), cost + 0.1
        for end, (refs,), cost in self.seq(at, self.opt("have", "is"), self._ahead):
            if re.match(r"\W*$|的", self.text[end:]):
                yield end, same_test(refs, "during", None, self.links.as_of.isoformat()), cost

    def _ahead(self, at: int) -> list[Found]:
        """What points to days of which some are still to come."""
        today, endings = self.links.as_of.isoformat(), ("ed", "en", "un", "n") if self.language == "en" else ""
        verbs = [f for f in self.cue(at) if self.text[at : f[0]].endswith(endings)]
        return self.fitting(verbs, lambda c: c.kind == "date" and isinstance(c.high, str) and c.high > today)

    def _two(self, refs: Refs | None, a: Period, b: Period) -> Options:
        """Two stretches of days of one column: either of them, or of a child, a row in each."""
        out = list[Option[Condition]]()
        for x, y in zip(self.during(refs, a), self.during(refs, b), strict=False):
            both = (x.of, y.of)
            out += [Option(AllOf(both), x.cost, x.why), Option(AnyOf(both), x.cost + 0.01, x.why)]
        return tuple(out)

    @remembered
    def of_key(self, at: int) -> Finds:
        """Rows called by a number: order 17, 订单17."""
        for end, (t, n), cost in self.seq(at, self.table, self.number, tight=True):
            keys = [(c.ref, 0.0) for c in self.schema.table(t).keys if c.kind == "number"]
            if len(keys) == 1 and not n.unit and n.value == int(n.value):
                yield end, same_test(keys, "=", int(n.value)), cost + 0.25


def _denied(options: Options) -> Options:
    return tuple(Option(negated(o.of), o.cost, o.why) for o in options)


def _joined(a: Options, b: Options, kind: type[AnyOf] | type[AllOf]) -> Options:
    """Two conditions as one, for every two options that can stand together."""
    out = (Option(_as_one(x.of, y.of, kind), x.cost + y.cost) for x in a for y in b)
    return tuple(sorted(out, key=lambda o: o.cost)[:6])


def _as_one(a: Condition, b: Condition, kind: type[AnyOf] | type[AllOf]) -> Condition:
    """Two conditions joined; two values of one column are a list of values."""
    if kind is AnyOf and isinstance(a, Test) and isinstance(b, Test) and a.of == b.of and a.op == b.op in ("=", "has"):
        return Test(a.of, a.op, tuple(dict.fromkeys((*a.values, *b.values))))
    return kind((*(a.of if isinstance(a, kind) else (a,)), b))


_EXACT = frozenset(words_in(word_lists()["known by"]["exact"]))  # 5 star hotels, 10 km runs
