"""The part of the grammar that reads top lists and orders: the first by something, 按产量从高到低."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.text2sql.facts import Exprs, Option, Sorted, Top, fields
from lab.text2sql.forms import is_han
from lab.text2sql.hints import words_of
from lab.text2sql.lexicon import flows, in_names
from lab.text2sql.measures import Measures
from lab.text2sql.quantities import GUESSED, Role, about, is_stamp
from lab.text2sql.reader import Finds, Found, Way, is_dated, remembered, ways
from lab.text2sql.schema import Column
from lab.text2sql.tree import Aggregate, Expr, Field

_LAST = re.compile(r"(the )?(last|latest|most recent)|最近一|上一")
_LOWEST, _HIGHEST = re.compile("最低|(?<![a-z])(min|low)"), re.compile("最高|(?<![a-z])(max|high)")
_DAY_OF = re.compile(r"(date|day|time|year) of (the )?")


class Tops(Measures):
    """Phrases of top lists and orders."""

    def _tops(self, at: int) -> Finds:
        number, best, nth = self.opt(self.count), self.word("super"), self.opt(self.word("nth"))
        ranked = self.either(self.measure, self.column_key)
        key, added = self.opt(ranked), self.opt(self.word("avg", "sum"))
        parts = number, nth, best, self.opt("per"), key, number, added
        for end, (before, th, role, what, after, fn), cost in self.seq(at, *parts):
            if fn is None or what:
                yield from self._top(at, end, role, self._added(what, fn), before or after, th, cost)
        for end, (what, th, role, after, fn), cost in self.seq(at, ranked, nth, best, number, added):
            yield from self._top(at, end, role, self._added(what, fn), after, th, cost)
        for end, (what, th), cost in self.seq(at, self.column_key, self.word("nth"), tight=True):
            if is_han(self.text[end - 1]):  # 力量第一名
                yield end, Top(what, True, 1, int(th[1]) - 1), cost + 0.1
        for end, (what, th, adjective), cost in self.seq(at, key, self.word("nth"), self.word("adj")):
            yield from self._top(at, end, adjective, what, None, th, cost)
        lasting = self.only(best, lambda role: role[2] in ("speed", "length", "any", "many"))
        for end, (of, named, role), cost in self.seq(at, self.span, self.opt(self.word("days")), lasting):
            if named is not None or role[2] in ("speed", "length"):  # 卖得最快, 住的天数最多
                yield end, Top(of, (role[1] == ">") != (role[2] == "speed")), cost
        for end, role, cost in self.word("edge")(at):  # the last booking
            if self.stands(self.table, end):
                yield from self._top(at, end, ("super", role[1], "date"), None, None, None, cost + 0.1)
        for end, (n,), cost in self.seq(at, "next", number):  # the next two concerts
            if any(True for _ in self.seq(self.links.skip(end), self.opt(self.value), self.table)):
                for options, _ in self.by_adjective("date"):
                    yield end, Top(options, False, n, about="date", ahead=True), cost
        yield from self._listed(at)

    def _added(self, what: Exprs | None, fn: Role | None) -> Exprs | None:
        """What is the most on average, altogether: costs the most in total, the most tickets altogether."""
        if fn is None or what is None:
            return what
        return self.aggregates(fn, [(o.of.ref, o.cost) for o in what if isinstance(o.of, Field)])

    @ways
    def _listed(self) -> Iterator[Way]:
        """Top 5 by score, 前三名, 期望薪资前十; who has the most; 谁的产量高, 谁的借阅多."""
        number, key, top = self.opt(self.count), self.opt(self.measure, self.column_key), self.word("top")
        kinds, adjective = ("any", "many", "size"), self.word("adj", "comp")
        done = self.dated, self.word("edge")  # who registered first
        yield done, lambda refs, role: Top(fields(refs), role[1] == ">"), 0.3
        longest = self.only(self.word("super"), lambda role: role[2] == "length")
        yield ("tenure", number, longest), lambda n, role: Top(self._there_since(), role[1] == "<", n)
        most = number, self.word("super"), "count"
        yield most, lambda n, role: role[2] in kinds and Top((), role[1] == ">", n, many=True)
        yield (key, top, self.count), lambda what, role, n: Top(what or (), role[1] == ">", n)
        rest = (c for c in self.schema.columns() if c.kind in ("number", "date") and not c.is_key and not c.is_year)
        every = fields(((c.ref, 0.0) for c in rest), why="day")
        yield (top, self.count), lambda role, n: Top(every, role[1] == ">", n), 0.9
        asks = self.either("who", "which")
        lot = asks, self.table, adjective
        yield lot, lambda _, role: role[2] in kinds[:2] and Top((), role[1] == ">", many=True, asked=True), 0.2
        yield (asks, self.column_key, adjective), self._asked, 0.2

    def _asked(self, what: Exprs, role: Role) -> Top | None:
        fitting = tuple(o for o in what if self.fits_adjective(o.of, role[2]))
        return Top(fitting, role[1] == ">", asked=True) if fitting else None

    def _top(
        self, at: int, end: int, role: Role, what: Exprs | None, n: int | None, nth: Role | None, cost: float
    ) -> Finds:
        """The facts of one superlative: with its key, with none, or with what its adjective is about."""
        up, adjective = role[1] == ">", role[2]
        n, offset = (1, int(nth[1]) - 1) if nth is not None else (n, 0)
        found: list[tuple[Exprs, bool]] = [((), False)]
        far = 0.05 if adjective == "any" and what is None else 0.0
        if what is not None:
            what = tuple(o for o in what if self.fits_adjective(o.of, adjective))
            flow = any(word in self.text[at:end] for word in flows())
            rated = any(about(c, "rating") for o in what if (c := self._ranked_by(o.of)) is not None)
            far = 0.9 if adjective == "rating" and not flow and not rated else 0.0
            keys = ((o, self._ranked_by(o.of)) for o in what if adjective == "old")
            days = tuple(o for o, c in keys if c is not None and is_dated(c))
            ranked = [c for o in what if adjective == "speed" and (c := self._ranked_by(o.of)) is not None]
            lasting = bool(ranked) and all(fits is not None and fits[1] for fits in (about(c, "speed") for c in ranked))
            found = [(days, True)] if days else [(what, lasting)] if what else []  # the oldest sale, by its date
        elif adjective == "any":
            found += self.by_adjective("height")  # the highest mountain
        elif adjective != "many":
            found = [(self._of_that_side(options, up), r) for options, r in self.by_adjective(adjective)]
            if not found and adjective in ("size", "rating", "height", "value"):  # the largest sales by amount
                found, far = [((), False)], 0.05
        ahead = False if adjective == "date" and up and _LAST.match(self.text, at) else None
        for options, reverse in found:
            yield end, Top(options, up != reverse, n, offset, adjective == "many", adjective, ahead=ahead), cost + far

    def _of_that_side(self, options: Exprs, up: bool) -> Exprs:
        """Of the highest and the lowest of a day, the hottest is told by the highest, the coldest by the lowest."""
        names = [(o, c.name.lower()) for o in options if (c := self._ranked_by(o.of)) is not None]
        other = _LOWEST if up else _HIGHEST
        return tuple(o._replace(cost=o.cost + 0.5 * bool(other.search(name))) for o, name in names)

    def _ranked_by(self, e: Expr) -> Column | None:
        """The column that an expression is about."""
        of = e.of if isinstance(e, Aggregate) else e
        return self.column_of(of.ref) if isinstance(of, Field) else None

    def fits_adjective(self, e: Expr, adjective: str) -> bool:
        c = self._ranked_by(e)
        if c is None or (adjective == "length" and c.kind == "number"):
            return True  # 学时最长
        plain = ("date", "old") if c.kind == "date" or c.is_year else ("any", "many", "size", "rating", "height")
        return adjective in plain or about(c, adjective) is not None

    def by_adjective(self, adjective: str) -> list[tuple[Exprs, bool]]:
        """The columns that an adjective is about, and whether their order is the other way round."""
        out: dict[bool, list[Option[Expr]]] = {False: [], True: []}
        days = ((t.name, (c for c in t.columns if c.kind == "date" and not is_stamp(c))) for t in self.schema.tables)
        firsts = {name: first for name, own in days if (first := next(own, None)) is not None}
        for c in self.schema.columns():
            fits = about(c, adjective) if c.kind in ("number", "date") and not c.key else None
            vague = c.is_year and "birth" not in c.tags and not _made(c) and c.ref.table in firsts
            if fits is None or (vague and fits[1]):
                continue
            if adjective != "sold" or self.schema.parents(c.ref.table):
                later = bool(firsts) and (adjective != "old" or not _made(c))
                lone = 0.3 * (later if c.is_year else c.kind == "date" and c not in firsts.values())
                why = "day" if c.kind == "date" else "adjective"
                lone += 0.6 * self.costs(c)
                out[fits[1]].append(Option(Field(c.ref), GUESSED + 0.3 * fits[0] + lone, why))
        return [(tuple(options), reverse) for reverse, options in out.items() if options]

    def column_key(self, at: int) -> list[Found]:
        """A column that rows can be put in order by."""
        columns = self.columns("number", "date", "category", keys=False)(at)
        named = self.fitting(columns, lambda c: c.kind != "category" or bool(c.hint.order))
        found = [(f, 0.0) for f in named] + [(f, 0.1) for f in self.cued("number", "date")(at)]
        return [(end, fields(refs, far), cost) for (end, refs, cost), far in found]

    def _orders(self, at: int) -> Finds:
        way, by, sort = self.word("desc", "asc"), self.word("by", "sort"), self.opt(self.word("sort"))
        key = self.either(self.measure, self.order_key)
        for end, (first, role, what, up, last), cost in self.seq(at, sort, by, key, self.opt(way), sort):
            plain = all(not isinstance(o.of, Field) or self.ranked(o.of) for o in what)
            told = first is not None or last is not None or role[0] == "sort"
            vague = 0.0 if up is not None else 0.1 if plain else 0.4 if told else 0.9
            if self.language != "en" or not self.stands(self.table, end):  # by finished jobs: how many of them
                yield end, Sorted(what, None if up is None else up[0] == "desc"), cost + vague
        for end, (t, up), cost in self.seq(at, self.either("by", "sort"), "count", self.opt(self.table), self.opt(way)):
            down = up[0] == "desc" if up is not None else True if t is not None else None
            yield end, Sorted((), down, True, t or ""), cost + (0.1 if down is None else 0.0)
        for end, (what, role), cost in self.seq(at, self.opt(key), self.word("super"), "first"):
            plain = what is not None or role[2] in ("any", "many", "size", "rating")
            for options, reverse in [(what or (), False)] if plain else self.by_adjective(role[2]):
                yield end, Sorted(options, (role[1] == ">") != reverse, what is None and role[2] == "many"), cost
        ends = self.word("super"), "to", self.word("super")
        # from cheapest to dearest
        for end, (_, role, other), cost in self.seq(at, sort, self.opt("from"), *ends):
            if role[1] != other[1] or role[2] != other[2]:
                for options, reverse in self.by_adjective(role[2]) or [((), False)]:
                    yield end, Sorted(options, (role[1] == ">") != reverse), cost
        yield from self._directed(at)

    def _there_since(self, *_: object) -> Exprs:
        """The days since when somebody is there."""
        days = (c for c in self.schema.columns() if is_dated(c) and not in_names("joined").isdisjoint(words_of(c.name)))
        return fields(((c.ref, GUESSED / 2) for c in days), why="day")

    @ways
    def _directed(self) -> Iterator[Way]:
        way, best, sort, first = self.word("desc", "asc"), self.word("super"), self.opt("sort"), self.opt("first")
        key = self.either(self.measure, self.order_key)
        if self.language == "en":  # from highest to lowest altitude
            yield (sort, way, key), lambda up, what: Sorted(what, up[0] == "desc"), 0.1
        yield (sort, way, sort), lambda up: Sorted((), up[0] == "desc")
        titles = fields(((t.title.ref, 0.0) for t in self.schema.tables), why="day")
        yield (sort, "alpha"), lambda: Sorted(titles, False, alpha=True)
        # ordered by the highest score first
        # by how long they have worked here, longest first
        longest = self.opt(self.only(self.word("super"), lambda role: role[2] == "length"))
        told = self.either("by", "sort"), "much", self.opt("follow"), "tenure", longest, first
        yield told, lambda role: Sorted(self._there_since(), role is not None and role[1] == "<")
        yield (self.either("by", "sort"), best, key, first), lambda role, what: Sorted(what, role[1] == ">")
        yield (best, key, "first"), lambda role, what: Sorted(what, role[1] == ">")

    @remembered
    def order_key(self, at: int) -> Finds:
        for end, refs, cost in self.either(self.cued("date"), self._day_of)(at):
            yield end, fields(refs), cost + 0.1  # in order of joining
        for end, refs, cost in self.columns()(at):
            keyed = self.text[at:end].endswith(("id", "ids", "code", "codes", "编号", "号", "代码"))
            yield end, fields((r, c) for r, c in refs if keyed or not self.column_of(r).is_key), cost

    def _day_of(self, at: int) -> list[Found]:
        """The date of joining, the year of birth."""
        m = _DAY_OF.match(self.text, at)
        return self.cued("date")(m.end()) if m else []

    def ranked(self, e: Expr) -> bool:
        """Whether an expression is a column that rows are often put in order by."""
        return isinstance(e, Field) and self.column_of(e.ref).kind in ("number", "date")


def _made(c: Column) -> bool:
    """Whether a year says since when there is a thing: opened, founded, published."""
    return not in_names("made").isdisjoint((*words_of(c.name), c.name.removesuffix("年份").removesuffix("年")))
