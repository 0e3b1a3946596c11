"""The part of the grammar that reads top lists and orders: the first by something, 按产量从高到低."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lab.text2sql.facts import Option, Sorted, Top
from lab.text2sql.hints import words_of
from lab.text2sql.lexicon import flows, in_names
from lab.text2sql.measures import Exprs, Facts, Measures
from lab.text2sql.naming import is_han
from lab.text2sql.quantities import GUESSED, about
from lab.text2sql.reader import Found
from lab.text2sql.schema import Column
from lab.text2sql.tree import Aggregate, Expr, Field


class Tops(Measures):
    """Phrases of top lists and orders."""

    def _tops(self, at: int) -> Facts:
        number, best, nth = self.opt(self.count), self.word("super"), self.opt(self.word("nth"))
        ranked = self.either(self.measure, self.column_key)
        key, per, asks = self.opt(ranked), self.opt(self.word("per")), self.word("who", "which")
        for end, (before, nth_, role, _, what, after), cost in self.seq(at, number, nth, best, per, key, number):
            yield from self._top(at, end, role, what, before or after, nth_, cost)
        added = self.opt(self.word("avg", "sum"))
        for end, (what, nth_, role, after, fn), cost in self.seq(at, ranked, nth, best, number, added):
            if fn is not None:  # costs the most on average, in total
                fields = ((o.of.ref, o.cost) for o in what if isinstance(o.of, Field))
                what = self.aggregates(fn[0], list(fields))
            if fn is None or what:
                yield from self._top(at, end, role, what, after, nth_, cost)
        for end, (what, nth_), cost in self.seq(at, self.column_key, self.word("nth"), tight=True):
            if is_han(self.text[end - 1]):  # 力量第一名
                yield end, Top(at, end, what, True, 1, int(nth_[1]) - 1), cost + 0.1
        for end, (what, nth_, adj), cost in self.seq(at, key, self.word("nth"), self.word("adj")):
            yield from self._top(at, end, ("super", adj[1], adj[2]), what, None, nth_, cost)
        for end, (before, role, _), cost in self.seq(at, number, best, self.word("count")):
            if role[2] in ("any", "many", "size"):
                yield end, Top(at, end, (), role[1] == ">", before, many=True), cost
        # top 5 by score, 前三名, 期望薪资前十
        rest = [c for c in self.schema.columns() if c.kind in ("number", "date") and not c.is_key and not c.is_year]
        for end, (what, role, n), cost in self.seq(at, key, self.word("top"), self.count):
            yield end, Top(at, end, what or (), role[1] == ">", n), cost
            if what is None:
                every = tuple(Option[Expr](Field(c.ref), 0.0, "day") for c in rest)
                yield end, Top(at, end, every, role[1] == ">", n), cost + 0.9
        for end, role, cost in self.word("edge")(at):  # the last booking
            if any(self.table(place) for place, _ in self.gaps(end, most=0)):
                yield from self._top(at, end, ("super", role[1], "date"), None, None, None, cost + 0.1)
        # who has the most; 谁的产量高, 谁的借阅多
        for end, (_, _, adj), cost in self.seq(at, asks, self.table, self.word("adj", "comp")):
            if adj[2] in ("many", "any"):
                yield end, Top(at, end, (), adj[1] == ">", None, many=True, asked=True), cost + 0.2
        for end, (_, what, adj), cost in self.seq(at, asks, self.column_key, self.word("adj", "comp")):
            if what := tuple(o for o in what if self.fits_adjective(o.of, adj[2])):
                yield end, Top(at, end, what, adj[1] == ">", None, asked=True), cost + 0.2

    def _top(self, at: int, end: int, role: Any, what: Exprs | None, n: int | None, nth: Any, cost: float) -> Facts:
        """The facts of one superlative: with its key, with none, or with what its adjective is about."""
        up, adjective = role[1] == ">", role[2]
        n, offset = (1, int(nth[1]) - 1) if nth is not None else (n, 0)
        found: Iterable[tuple[Exprs, bool]] = [((), False)]
        far = 0.05 if adjective == "any" and what is None else 0.0
        if what is not None:
            what = tuple(o for o in what if self.fits_adjective(o.of, adjective))
            flow = any(word in self.text[at:end] for word in flows())
            far = 0.9 if adjective == "rating" and not flow and not any(self._rated(o.of) for o in what) else 0.0
            found = [(what, False)] if what else []
        elif adjective == "any":
            found = [((), False), *self.by_adjective("height")]  # the highest mountain
        elif adjective != "many":
            found = [*self.by_adjective(adjective)]
            if not found and adjective in ("size", "rating", "height", "value"):  # the largest sales by amount
                found, far = [((), False)], 0.05
        for options, reverse in found:
            yield end, Top(at, end, options, up != reverse, n, offset, adjective == "many", adjective), cost + far

    def _rated(self, e: Expr) -> bool:
        of = e.of if isinstance(e, Aggregate) else e
        return isinstance(of, Field) and about(self.column_of(of.ref), "rating") is not None

    def fits_adjective(self, e: Expr, adjective: str) -> bool:
        of = e.of if isinstance(e, Aggregate) else e
        if not isinstance(of, Field):
            return True
        c = self.column_of(of.ref)
        if adjective == "length" and c.kind == "number":
            return True  # 学时最长
        plain = ("date", "old") if c.kind == "date" or c.is_year else ("any", "many", "size", "rating", "height")
        return adjective in plain or about(c, adjective) is not None

    def by_adjective(self, adjective: str) -> Iterator[tuple[Exprs, bool]]:
        """The columns that an adjective is about, and whether their order is the other way round."""
        out: dict[bool, list[Option[Expr]]] = {False: [], True: []}
        firsts = [next((c for c in t.columns if c.kind == "date"), None) for t in self.schema.tables]
        for c in self.schema.columns():
            fits = about(c, adjective) if c.kind in ("number", "date") and not c.key else None
            if fits is not None and not (c.is_year and fits[1] and "birth" not in c.tags and not _made(c)):
                lone = 0.3 * (any(firsts) if c.is_year else c.kind == "date" and c not in firsts)
                why = "day" if c.kind == "date" else "adjective"
                if adjective == "sold" and not self.schema.parents(c.ref.table):
                    continue
                out[fits[1]].append(Option[Expr](Field(c.ref), GUESSED + 0.3 * fits[0] + lone, why))
        return ((tuple(options), reverse) for reverse, options in out.items() if options)

    def column_key(self, at: int) -> list[Found]:
        """A column that rows can be put in order by."""
        out: list[Found] = []
        for end, refs, cost in self.fitting(self.columns("number", "date", "category")(at), _ordered):
            out.append((end, tuple(Option[Expr](Field(r), c) for r, c in refs), cost))
        for end, refs, cost in self._cued(("number", "date"), at):
            out.append((end, tuple(Option[Expr](Field(r), c + 0.1) for r, c in refs), cost))
        return out

    def _orders(self, at: int) -> Facts:
        way = self.word("desc", "asc")
        key = self.either(self.measure, self.order_key)
        by, sort = self.word("by", "sort"), self.opt(self.word("sort"))
        for end, (first, role, what, up, last), cost in self.seq(at, sort, by, key, self.opt(way), sort):
            plain = all(not isinstance(o.of, Field) or self.ranked(o.of) for o in what)
            told = first is not None or last is not None or role[0] == "sort"
            vague = 0.0 if up is not None else 0.1 if plain else 0.4 if told else 0.9
            if self.language == "en" and any(self.table(place) for place, _ in self.gaps(end, most=0)):
                continue  # by finished jobs: how many of them
            yield end, Sorted(at, end, what, None if up is None else up[0] == "desc"), cost + vague
        for end, (_, up, what), cost in self.seq(at, sort, way, key):
            if self.language == "en":  # from highest to lowest altitude
                yield end, Sorted(at, end, what, up[0] == "desc"), cost + 0.1
        for end, (_, up, _), cost in self.seq(at, sort, way, sort):
            yield end, Sorted(at, end, (), up[0] == "desc"), cost
        for end, (_, _, t, up), cost in self.seq(at, by, self.word("count"), self.opt(self.table), self.opt(way)):
            down = up[0] == "desc" if up is not None else True if t is not None else None
            yield end, Sorted(at, end, (), down, True, t or ""), cost + (0.1 if down is None else 0.0)
        for end, _, cost in self.seq(at, sort, self.word("alpha")):
            titles = tuple(Option[Expr](Field(t.title.ref), 0.0, "day") for t in self.schema.tables)
            yield end, Sorted(at, end, titles, False), cost
        for end, (what, role, _), cost in self.seq(at, self.opt(key), self.word("super"), self.word("first")):
            if what is not None or role[2] in ("any", "many", "size", "rating"):
                yield end, Sorted(at, end, what or (), role[1] == ">", role[2] == "many" and what is None), cost
            else:
                for options, reverse in self.by_adjective(role[2]):
                    yield end, Sorted(at, end, options, (role[1] == ">") != reverse), cost
        first = self.opt(self.word("first"))
        for end, (sorted_, role, what, ahead), cost in self.seq(at, self.opt(by), self.word("super"), key, first):
            if sorted_ is not None or ahead is not None:  # ordered by the highest score first
                yield end, Sorted(at, end, what, role[1] == ">"), cost

    def order_key(self, at: int) -> list[Found]:
        out: list[Found] = []
        for end, refs, cost in self.columns()(at):
            keyed = self.text[at:end].endswith(("id", "ids", "code", "codes", "编号", "号", "代码"))
            kept = [(r, c) for r, c in refs if keyed or not self.column_of(r).is_key]
            out.append((end, tuple(Option[Expr](Field(r), c) for r, c in kept), cost))
        return [f for f in out if f[1]]

    def ranked(self, e: Expr) -> bool:
        """Whether an expression is a column that rows are often put in order by."""
        return isinstance(e, Field) and self.column_of(e.ref).kind in ("number", "date")


def _made(c: Column) -> bool:
    """Whether a year says since when there is a thing: opened, founded, published."""
    return not in_names("made").isdisjoint(words_of(c.name)) or c.name.removesuffix("年份").removesuffix(
        "年"
    ) in in_names("made")


def _ordered(c: Column) -> bool:
    """Whether the values of a column have an order."""
    return not c.is_key and (c.kind != "category" or bool(c.hint.order))
