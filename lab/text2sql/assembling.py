"""From facts to trees: what the phrases of a question come to together, for every table that it can be about.

The table is chosen by the whole: each table that is named or pointed to is tried, and a tree costs what its facts cost,
how far its columns lie from the table, and what had to be guessed.  A fact that finds no place in the tree counts as
words that were not understood.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from lab.text2sql.facts import (
    Bounded,
    By,
    Count,
    Counted,
    Cue,
    Fact,
    HowMany,
    Mark,
    Measured,
    Named,
    Noun,
    Option,
    Quantity,
    Shared,
    Sorted,
    Top,
    Unknown,
    Where,
)
from lab.text2sql.grammar import UNKNOWN, Account
from lab.text2sql.lexicon import flows
from lab.text2sql.naming import Vocabulary, is_han
from lab.text2sql.phrases import Pair
from lab.text2sql.schema import Column, Schema
from lab.text2sql.tree import (
    Aggregate,
    AllOf,
    AnyOf,
    Arithmetic,
    Condition,
    Expr,
    Field,
    Inner,
    Not,
    Order,
    Part,
    Ref,
    Related,
    Select,
    Share,
    Test,
    refs,
    tables,
    walk,
)

CLOSE = 0.3
"""Options that cost so little more than the best are readings of their own."""
COUNT = Aggregate("count")
_F = TypeVar("_F", bound=Fact)


@dataclass(frozen=True)
class Reading:
    """One tree that a question can mean, what it costs, and the words that it does not account for."""

    select: Select
    cost: float
    unknown: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = field(default=(), compare=False, repr=False)


class Misfit(Exception):
    """The facts do not come together on this table."""


def assemble(
    account: Account, facts: Sequence[Fact], vocabulary: Vocabulary, text: str, language: str
) -> list[Reading]:
    """All readings of one account as a question of its own, the cheapest first."""
    found: dict[Select, Reading] = {}
    for main in _mains(facts, vocabulary.schema):
        for choice, cost in placed(facts, main, vocabulary):
            for among in (False, True) if any(isinstance(f, Shared) for f in choice) else (False,):
                made = draft(choice, main, vocabulary, text, language)
                made.among = among
                try:
                    select = made.select()
                except Misfit:
                    continue
                unknown = (*account.unknown, *made.unplaced(select))
                price = account.cost + cost + made.cost + UNKNOWN * len(made.left)
                if select not in found or price < found[select].cost:
                    found[select] = Reading(select, price, unknown, account.facts)
    return sorted(found.values(), key=lambda r: r.cost)


def _mains(facts: Sequence[Fact], schema: Schema) -> list[str]:
    """The tables that a question can be about."""
    named: dict[str, None] = {}
    for f in facts:
        if f.table:
            named[f.table] = None
        if isinstance(f, Counted) and f.of:
            named[f.of] = None
        for o in getattr(f, "options", ()):
            for t in tables(o.of):
                named[t] = None
        if isinstance(f, Cue):
            for r in f.refs:
                named[r.table] = None
            for t in f.tables:
                named[t] = None
    if len(schema.tables) == 1:
        return [schema.tables[0].name]
    return list(dict.fromkeys([*named, *_bridges(list(named), schema)]))


def _bridges(named: Sequence[str], schema: Schema) -> list[str]:
    """Tables of pairs, for two tables that only hang together through them: writes, of authors and papers."""
    found = []
    for a, b in itertools.combinations(named[:6], 2):
        if schema.path(a, b) is None and schema.path(b, a) is None and (way := schema.link(a, b)) is not None:
            found.append(way[0])
    return found


# ------------------------------------------------------------------------------------------------ options


def placed(facts: Sequence[Fact], main: str, vocabulary: Vocabulary) -> Iterator[tuple[tuple[Fact, ...], float]]:
    """The facts with one option each, for all options that are about as likely as the best on this table."""
    cued: set[Ref] = set()
    for f in facts:
        if isinstance(f, Cue):
            cued |= f.refs
    paired = _is_pair(main, facts, vocabulary.schema)
    sides: list[list[tuple[Fact, float]]] = []
    for f in facts:
        options = getattr(f, "options", None)
        if not options:
            sides.append([(f, 0.0)])
            continue
        priced = []
        beside = {t for g in _neighbours(facts, f) for t in _named_tables(g)}
        for o in options:
            measured = isinstance(f, (Measured, Bounded)) and not paired
            far = _far(o.of, main, vocabulary.schema, measured=measured)
            if far is not None:
                if o.why == "day":
                    far = 0.05 if beside & tables(o.of) else far * 5.0
                near = 0.35 if cued & refs(o.of) else 0.0
                priced.append((o, o.cost + far - near))
        if not priced:
            return
        priced.sort(key=lambda x: x[1])
        kept = [(replace(f, options=(o._replace(cost=0.0),)), c) for o, c in priced if c <= priced[0][1] + CLOSE]  # type: ignore[call-arg]
        sides.append(kept[:4])
    for chosen in itertools.islice(itertools.product(*sides), 24):
        yield tuple(f for f, _ in chosen), sum(c for _, c in chosen)


def _is_pair(main: str, facts: Sequence[Fact], schema: Schema) -> bool:
    """Whether a table only pairs two others that are named: each of its rows is one of the other's numbers, once."""
    table = schema.table(main)
    keys = {f.column for f in schema.parents(main)}
    pairs = len(keys) >= 2 and all(c.name in keys or c.key for c in table.columns)
    return pairs and any(isinstance(f, By) for f in facts)


def _neighbours(facts: Sequence[Fact], f: Fact) -> list[Fact]:
    """The facts before and behind one."""
    ordered = sorted((g for g in facts if not isinstance(g, Mark)), key=lambda g: g.start)
    at = ordered.index(f) if f in ordered else 0
    return [ordered[i] for i in (at - 1, at + 1) if 0 <= i < len(ordered)]


def _named_tables(f: Fact) -> set[str]:
    """The table that a fact names, or asks for partners in."""
    out = {f.table} if f.table else set[str]()
    if isinstance(f, Where):
        out |= {o.of.table for o in f.options if isinstance(o.of, Related)}
    return out


def _far(of: Any, main: str, schema: Schema, *, measured: bool) -> float | None:
    """How far the columns of an expression lie from a table; None where they are not linked."""
    far = 0.0
    for t in tables(of) if not isinstance(of, Pair) else set().union(*(tables(e) for e in of)):
        if t == main:
            continue
        if measured:
            return None  # a number of another table would be counted more than once
        way = schema.path(main, t)
        if way is not None:
            far = max(far, 0.1 * len(way))
        elif schema.link(main, t) is not None:
            far = max(far, 0.3)
        else:
            return None
    return far


# ------------------------------------------------------------------------------------------------- drafts


@dataclass
class _Draft:
    """One choice of options on one table while its tree is made; ``left`` are the facts that found no place."""

    facts: tuple[Fact, ...]
    main: str
    vocabulary: Vocabulary
    text: str
    language: str
    among: bool = False  # a share is one among those that hold the other conditions
    before: Select | None = None  # the tree that stands, where the question edits it
    cost: float = 0.0
    left: list[Fact] = field(default_factory=list)
    named: list[Named] = field(default_factory=list)
    nouns: list[Noun] = field(default_factory=list)
    others: list[Noun] = field(default_factory=list)
    _counts_used: set[Count] = field(default_factory=set)
    _answered: list[Mark] = field(default_factory=list)
    _unless_used: list[Named] = field(default_factory=list)

    @property
    def schema(self) -> Schema:
        return self.vocabulary.schema

    def of(self, kind: type[_F]) -> list[_F]:
        return [f for f in self.facts if isinstance(f, kind)]

    def marks(self, *roles: str) -> list[Mark]:
        return [m for m in self.of(Mark) if m.role in roles]

    def column(self, e: Expr) -> Column | None:
        return self.schema.column(e.ref) if isinstance(e, Field) else None

    def label(self, f: Fact) -> str:
        return self.text[f.start : f.end].strip()

    def leave(self, f: Fact) -> None:
        if f not in self.left:
            self.left.append(f)

    # --------------------------------------------------------------------------------------------- the tree

    def select(self) -> Select:
        """The tree of these facts; raises `Misfit`."""
        self.named = list(self.of(Named))
        self.nouns = [n for n in self.of(Noun)]
        self.others = [n for n in self.nouns if n.of != self.main]
        self.cost += self._table_cost()
        where = self._conditions()
        by = self._groups()
        tops, counted = self.of(Top), self.of(Counted) + self.of(Bounded)
        if len(tops) == 2:
            tops = _one_top(*tops)
        if len(tops) > 1 or len(counted) > 1:
            raise Misfit
        measures = self._measures(by)
        if any(m.role in ("who", "which") for m in self.of(Mark)) and measures and not by and not tops and not counted:
            self.cost += 0.3
        if self.of(Shared):
            made = self._share(where, by, measures)
        elif counted:
            made = self._having(counted[0], where, by, measures, tops)
        elif tops:
            made = self._top(tops[0], where, by, measures)
        elif measures or by:
            extremes = [m for m in measures if isinstance(m, Aggregate) and m.fn in ("min", "max")]
            behind = (
                any(n.of == self.main and n.start >= self.of(Measured)[-1].end for n in self.nouns)
                if extremes
                else False
            )
            if extremes and ((self.marks("which", "who") and not by) or (behind and self.language == "zh")):
                self.cost += 0.35
            if measures in ([], [COUNT]) and any(self._tells_apart(e) for e in by):
                self.cost += 1.0
            made = Select(self.main, by=tuple(by), measures=tuple(measures) or (COUNT,), where=where)
            self._left_named()
        else:
            made = self._rows(where)
        made = self._ordered(made)
        self._settle(made)
        return made

    def _tells_apart(self, e: Expr) -> bool:
        """Whether every row is a group of its own."""
        c = self.column(e)
        return c is not None and c.ref.table == self.main and (c.unique or c.key)

    def _table_cost(self) -> float:
        """How well the table fits what is named: the counted noun, the first in English, the last in Chinese."""
        if not self.nouns:
            measured = self.of(Measured)
            return 0.0 if measured else 0.5 * self._elsewhere()
        mine = [i for i, n in enumerate(self.nouns) if n.of == self.main]
        if not mine:
            counted = any(f.of == self.main for f in self.of(Counted))
            return 0.0 if self.of(Measured) or counted else 1.2
        place = mine[0] if self.language == "en" else len(self.nouns) - 1 - mine[-1]
        return 0.2 * place

    def _elsewhere(self) -> float:
        """The share of the facts that are about other tables."""
        said = [tables(o.of) for f in self.facts for o in getattr(f, "options", ()) if not isinstance(o.of, Pair)]
        said = [t for t in said if t]
        return sum(self.main not in t for t in said) / len(said) if said else 0.0

    # ------------------------------------------------------------------------------------------- conditions

    def _conditions(self) -> tuple[Condition, ...]:
        """All conditions; those on a child table as one of its rows that holds them."""
        own: list[Condition] = []
        children: dict[str, list[Condition]] = {}
        for f in self.of(Where):
            c = f.options[0].of
            for one in self._parts(c):
                child = self._child(one)
                if self._of_itself(one):
                    raise Misfit
                if child is None:
                    own.append(one)
                elif isinstance(one, Not):
                    inner = () if isinstance(one.of, Related) else (one.of,)
                    own.append(Not(Related(child, inner)))
                elif isinstance(one, Related):
                    children.setdefault(child, [])
                else:
                    children.setdefault(child, []).append(one)
        for child, several in children.items():
            taken: list[list[Condition]] = [[]]
            for c in several:  # two facts about one column are about two rows
                place = next((g for g in taken if not (refs(c) & set().union(*map(refs, g)))), None)
                if place is None:
                    taken.append([c])
                else:
                    place.append(c)
            own += [Related(child, tuple(g)) for g in taken]
        self._consistent(own)
        return tuple(dict.fromkeys(own))

    def _of_itself(self, c: Condition) -> bool:
        inner = c.of if isinstance(c, Not) else c
        return isinstance(inner, Related) and inner.table == self.main

    def _consistent(self, own: Sequence[Condition]) -> None:
        """No row is in two places at once: two values of one column, side by side, were meant otherwise."""
        said: dict[Expr, Condition] = {}
        for c in own:
            if isinstance(c, Test) and c.op == "=" and said.setdefault(c.of, c) != c:
                raise Misfit

    def _parts(self, c: Condition) -> tuple[Condition, ...]:
        """The parts of a condition; two days of one column are two rows of a child, and either of them here."""
        several = c.of if isinstance(c, (AllOf, AnyOf)) else ()
        days = bool(several) and all(isinstance(x, Test) and x.op == "during" for x in several)
        if days and isinstance(c, AllOf) == (self._child(c) is None):
            raise Misfit
        return c.of if isinstance(c, AllOf) else (c,)

    def _child(self, c: Condition) -> str | None:
        """The child table that a condition is on, if any."""
        for t in sorted(tables(c)):
            if t != self.main and self.schema.path(self.main, t) is None:
                return t
        return None

    # ------------------------------------------------------------------------------------ groups, measures

    def _groups(self) -> list[Expr]:
        """What is grouped by; an order that is said with "by" is none."""
        by: list[Expr] = []
        for f in self.of(By):
            e = f.options[0].of
            several = list(e) if isinstance(e, Pair) else [e]
            if f.loose and self._is_order(several[0]):
                continue
            for one in several:
                child = any(t != self.main and self.schema.path(self.main, t) is None for t in tables(one))
                if child:
                    raise Misfit
                by.append(one)
        for f in self.of(Where):
            if f.listed is not None and self._side_by_side(f):
                by.append(Field(f.listed.of))
        return list(dict.fromkeys(by))

    def _is_order(self, e: Expr) -> bool:
        c = self.column(e)
        ranked = bool(self.of(Top) or [s for s in self.of(Sorted) if not s.options])
        plain = not (self.of(Measured) or self.of(HowMany))
        if c is not None and (c.key or "key" in c.tags):
            return False
        numeric = c is not None and (c.kind == "number" and not c.is_year or c.kind == "date")
        return numeric and (plain or ranked)

    def _side_by_side(self, f: Where) -> bool:
        """Whether several values of a column are groups to be compared: asked for, or all that there are."""
        assert f.listed is not None
        if f.listed.split or self.marks("split"):
            return True
        if not (self.of(Measured) or self.of(HowMany) or self.of(Top)):
            return False
        column = self.schema.column(f.listed.of)
        test = f.options[0].of
        whole = isinstance(test, Test) and column.complete and set(test.values) == set(column.values)
        return whole or bool((self.marks("who", "which") or any(t.asked for t in self.of(Top))) and self.of(Top))

    def _measures(self, by: list[Expr]) -> list[Expr]:
        measures: list[Expr] = []
        for f in self.of(Measured):
            e = f.options[0].of
            if f.guessed and len(self.of(Measured)) > 1:
                continue  # an average, and how many of its unit: the unit says nothing new
            measures += list(e) if isinstance(e, Pair) else [e]
        spent = self._spent()
        if spent is not None and not measures:
            measures.append(spent)
        for s in self.of(Sorted):
            if by and not measures and not self.of(HowMany) and s.options and isinstance(s.options[0].of, Aggregate):
                measures.append(s.options[0].of)
        if measures and self.of(HowMany) and not any(self._counts_something(h) for h in self.of(HowMany)):
            self.cost += 0.6
        for h in self.of(HowMany):
            measures.append(self._count(h))
        return list(dict.fromkeys(measures))

    def _counts_something(self, h: HowMany) -> bool:
        return any(self._beside(h, f) for f in (*self.nouns, *self.named))

    def _spent(self) -> Expr | None:
        """How much did they spend: the sum of the number that a word points to."""
        asked = [m for m in self.marks("much", "worth") if m.of in ("", "price")]
        if not asked:
            return None
        for cue in self.of(Cue):
            for r in sorted(cue.refs):
                c = self.schema.column(r)
                if (
                    r.table == self.main
                    and c.kind == "number"
                    and not c.key
                    and c.about & {"money", "piece"}
                    and "price" not in c.tags
                ):
                    self._answered += asked
                    return Aggregate("sum", Field(r))
        return None

    def _count(self, h: HowMany) -> Expr:
        """What is counted: the rows, or the different values of the column that is named beside."""
        beside = [n for n in self.named if self._beside(h, n)]
        beside = [n for n in beside if n.start >= h.end] or beside
        if beside and not h.people:
            e = beside[0].options[0].of
            c = self.column(e)
            if c is not None and c.kind in ("category", "text", "number", "boolean", "date"):
                mine = [n for n in self.nouns if self._beside(h, n) and not (beside[0].start >= h.end > n.start)]
                if not mine or h.different:
                    self.named.remove(beside[0])
                    if c.kind in ("date", "number") and not h.different:
                        self.cost += 0.6
                    if c.unique and c.ref.table == self.main and not h.different:
                        return COUNT
                    return Aggregate("distinct", e)
        unit = self.label(h)[-1:]
        pieces = [c for c in self.schema.table(self.main).columns if c.kind == "number" and c.hint.unit == unit]
        counted = [n for n in self.nouns if self._beside(h, n)]
        if pieces and not counted:
            self.cost += 0.8  # 卖了多少件: pieces, not rows
        if counted and counted[0].of != self.main:
            self.cost += 0.5
        if h.different:
            self.cost += 0.2
        if h.times and any(self._child(c.of) for f in self.of(Where) for c in f.options):
            self.cost += 2.0  # how often: the events are counted, not whom they happened to
        return COUNT

    def _beside(self, a: Fact, b: Fact) -> bool:
        """Whether two facts stand side by side, with nothing but words without weight between."""
        low, high = (a, b) if a.start < b.start else (b, a)
        if self.language == "en" and a.start > b.start:
            return False
        return not any(low.end <= f.start < high.start for f in self.facts if not isinstance(f, (Mark, Cue)))

    # --------------------------------------------------------------------------------------- shares, having

    def _share(self, where: tuple[Condition, ...], by: list[Expr], measures: list[Expr]) -> Select:
        sums = [m for m in measures if isinstance(m, Aggregate) and m.fn == "sum"]
        of = sums[0].of if sums and isinstance(sums[0], Aggregate) else None
        if not by and not where and self.named:
            by = [self.named.pop(0).options[0].of]
        if by:
            self._left_named()
            return Select(self.main, by=tuple(by), measures=(Share(of),), where=where)
        if not where:
            raise Misfit
        if self.among != (len(where) > 1) and self.among:
            raise Misfit
        self._left_named()
        fn = "sum" if of is not None else "count"
        rest, last = (where[:-1], where[-1:]) if self.among else ((), where)
        part = Aggregate(fn, of, last)  # of two conditions, the last may be the share of those that hold the first
        return Select(self.main, measures=(Arithmetic("/", part, Aggregate(fn, of)),), where=rest)

    def _group_named(self, *, besides: str = "") -> list[Expr]:
        """The group that a question names without "per": a column, another table, or who."""
        if self.named:
            found = [
                n for n in self.named if not self._is_number(n.options[0].of) and not self._is_day(n.options[0].of)
            ]
            if found:
                self.named.remove(found[-1] if self.language == "zh" else found[0])
                return [self.named_group((found[-1] if self.language == "zh" else found[0]).options[0].of)]
        for n in self.others:
            if n.of != besides and self.schema.path(self.main, n.of):
                return [Field(self.schema.table(n.of).title.ref)]
        if self.marks("who"):
            person = self._person()
            if person is not None:
                return [Field(person)]
        return []

    def named_group(self, e: Expr) -> Expr:
        for f in self.schema.foreign_keys:
            if isinstance(e, Field) and (f.table, f.column) == (e.ref.table, e.ref.column):
                return Field(self.schema.table(f.parent).title.ref)
        return e

    def _is_number(self, e: Expr) -> bool:
        c = self.column(e)
        return c is not None and c.kind == "number" and not c.is_year and "key" not in c.tags

    def _is_day(self, e: Expr) -> bool:
        c = self.column(e)
        return c is not None and c.kind == "date"

    def _person(self) -> Ref | None:
        """The column that says who: a name of people in the table, or in one that it points to."""
        near = [self.main, *(f.parent for f in self.schema.parents(self.main))]
        for t in near:
            for c in self.schema.table(t).columns:
                if c.kind in ("text", "category") and (c.name.endswith(("姓名", "名字")) or c.hint.zh.endswith("姓名")):
                    return c.ref
        for t in near:
            title = self.schema.table(t).title
            if "label" in title.tags and t != self.main:
                return title.ref
        return None

    def _having(
        self,
        f: Counted | Bounded,
        where: tuple[Condition, ...],
        by: list[Expr],
        measures: list[Expr],
        tops: Sequence[Top],
    ) -> Select:
        if tops:
            raise Misfit
        if isinstance(f, Counted):
            if f.of and f.of != self.main:
                raise Misfit
            measure: Expr = COUNT
        else:
            measure = f.options[0].of
        by = by or self._group_named()
        if not by:
            raise Misfit
        self._left_named()
        condition = _bound(measure, f.quantity)
        shown = tuple(dict.fromkeys([m for m in measures if m != COUNT] + [measure]))
        made = Select(self.main, by=tuple(by), measures=shown, where=where, having=(condition,))
        if self.of(HowMany) and not self.of(By):
            raise Misfit  # how many groups: a count of counts
        return made

    # ------------------------------------------------------------------------------------------------ tops

    def _top(self, top: Top, where: tuple[Condition, ...], by: list[Expr], measures: list[Expr]) -> Select:
        n, ties = self._number(top)
        key = top.options[0].of if top.options else None
        counting = [s for s in self.of(Sorted) if s.many]
        if key is None and counting and (not counting[0].of or counting[0].of == self.main):
            return self._most(top, where, by, measures, n, ties)
        if key is None:
            key = self._loose_key()
        order_of = key
        if isinstance(key, Aggregate):
            by = by or self._group_named()
            if not by:
                if top.n is None and not self.of(Count):
                    raise Misfit
                raise Misfit
            shown = [key, *(m for m in measures if m != key)]
            return self._grouped_top(where, by, shown, key, top, n, ties)
        if top.many and key is None:
            return self._most(top, where, by, measures, n, ties)
        if key is None:
            if measures and by:
                return self._grouped_top(where, by, measures, measures[0], top, n, ties)
            raise Misfit
        assert order_of is not None
        if any(t != self.main and self.schema.path(self.main, t) is None for t in tables(key)):
            raise Misfit
        headed = any(m.of == self.main for m in self.nouns)
        if by and measures:
            raise Misfit
        listed = [f for f in self.of(Where) if f.listed is not None and Field(f.listed.of) in by]
        if listed and not self.of(By):
            total = Aggregate("sum" if self._sums(key) else "avg", key)
            self._left_named()
            return Select(
                self.main, by=tuple(by), measures=(total,), where=where, order=(Order(total, top.descending),)
            )
        if by and not headed and not top.many and top.n is None:
            measure = Aggregate("max" if top.descending else "min", key)
            self._left_named()
            return Select(self.main, by=tuple(by), measures=(measure,), where=where)
        if by:
            self._left_named()
            return Select(
                self.main,
                where=where,
                order=(Order(key, top.descending),),
                limit=n,
                offset=top.offset,
                ties=ties,
                each=tuple(by),
            )
        if measures and measures != [COUNT]:
            raise Misfit
        heads = [h for h in self.named if not self._is_number(h.options[0].of) and h.options[0].of != key]
        others = [o for o in self.others if self.schema.path(self.main, o.of)]
        if not headed and (heads or others or self.marks("who")) and (top.many or self._sums(key)):
            by = self._group_named()
            if by and by != [Field(self.schema.table(self.main).title.ref)]:
                total = Aggregate("sum", key)
                self.cost += 0.0 if top.many else 0.1
                return self._grouped_top(where, by, [total], total, top, n, ties)
        show = tuple(h.options[0].of for h in self.named if h.options[0].of != key)
        self.named = []
        if show and not headed and not self.marks("which", "what", "who"):
            self.cost += 0.15
        valued = not headed and not show and top.n is None and not self.of(Count) and not self.marks("which", "who")
        if valued and top.start < self._key_start(top):
            return Select(self.main, measures=(Aggregate("max" if top.descending else "min", key),), where=where)
        amount = any("多少" in self.label(m) for m in self.marks("what"))
        self.cost += 0.35 if (valued or amount) and top.about == "any" and n == 1 else 0.0
        if show and key not in show:
            show = (*show, key)
        return Select(
            self.main,
            show=show,
            where=where,
            order=(Order(key, top.descending),),
            limit=n,
            offset=top.offset,
            ties=ties,
        )

    def _key_start(self, top: Top) -> int:
        """Where the key of a top list stands: behind its superlative in "the highest fare"."""
        said = self.text[top.start : top.end]
        return top.end if said and not is_han(said[0]) and top.about in ("any", "size", "rating") else top.start

    def _sums(self, key: Expr) -> bool:
        """Whether a column is one whose sums are asked for: amounts and pieces, not prices and ages."""
        said = [self.text[t.start : t.end].lower() for t in self.of(Top)]
        if any(word in s for s in said for word in flows()):
            return True
        c = self.column(key)
        if (
            c is None
            or c.kind != "number"
            or c.tags & {"price", "age", "rating", "salary", "experience", "percent", "key"}
        ):
            return False
        return bool(c.tags & {"money", "piece"}) or c.hint.unit.lower() in ("公斤", "kg", "kwh", "件", "吨", "斤", "吨")

    def _number(self, top: Top) -> tuple[int, bool]:
        """How many, and whether equals of the last are shown too."""
        counts = self.of(Count)
        n = top.n
        if n is None and counts:
            near = min(counts, key=lambda c: min(abs(c.start - top.end), abs(top.start - c.end)))
            n = near.n
            self._counts_used = {near}
        return (n, False) if n is not None else (1, top.offset == 0)

    def _loose_key(self) -> Expr | None:
        for f in self.of(By):
            if f.loose and self._is_order(f.options[0].of):
                return f.options[0].of
        for s in self.of(Sorted):
            if s.options:
                return s.options[0].of
        return None

    def _most(
        self, top: Top, where: tuple[Condition, ...], by: list[Expr], measures: list[Expr], n: int, ties: bool
    ) -> Select:
        """The group with the most rows."""
        by = by or self._group_named(besides=self.main)
        if not by:
            raise Misfit
        counted = [m for m in measures if isinstance(m, Aggregate) and m.fn in ("count", "distinct")]
        key = counted[0] if counted else COUNT
        return self._grouped_top(where, by, [key, *(m for m in measures if m != key)], key, top, n, ties)

    def _grouped_top(
        self,
        where: tuple[Condition, ...],
        by: Sequence[Expr],
        shown: Sequence[Expr],
        key: Expr,
        top: Top,
        n: int,
        ties: bool,
    ) -> Select:
        self._left_named()
        if any(f.listed is not None and Field(f.listed.of) in by for f in self.of(Where)) and top.n is None:
            order = (Order(key, top.descending),)  # who of these two: both are shown
            return Select(self.main, by=tuple(by), measures=tuple(shown), where=where, order=order)
        return Select(
            self.main, by=tuple(by), measures=tuple(shown), where=where, order=(Order(key, top.descending),), limit=n,
            offset=top.offset, ties=ties,
        )  # fmt: skip

    # ------------------------------------------------------------------------------------------------- rows

    def _rows(self, where: tuple[Condition, ...]) -> Select:
        """Rows, columns of rows, or the different values of a column."""
        used = refs(where)
        show: list[Expr] = []
        for n in self.named:
            e = n.options[0].of
            if isinstance(e, Field) and e.ref in used and self._spoken_for(n):
                continue
            show.append(e)
        for m in self.marks("worth"):
            asked = self._worth(m)
            if asked is None:
                raise Misfit
            show.append(asked)
        for m in self.marks("when"):
            dates = [c for c in self.schema.table(self.main).columns if c.kind == "date"]
            if len(dates) != 1 and not any(self.column(e) in dates for e in show):
                raise Misfit
            show += [Field(c.ref) for c in dates if not any(self.column(e) in dates for e in show)]
        self.named = []
        show = list(dict.fromkeys(show))
        headed = any(n.of == self.main for n in self.nouns)
        if show and not headed and not self._titled(where) and all(self._listed(e) for e in show):
            return Select(self.main, show=tuple(show), where=where, distinct=True)
        asked = [m for m in self.marks("which") if any(self._follows(m, n) for n in self.of(Named))]
        if show and not headed and not where and self._kinds() and all(self._is_number(e) for e in show):
            return Select(self.main, show=tuple(show), where=where, distinct=True)
        if show and headed and not self.marks("what", "which", "show", "all", "worth", "when"):
            self.cost += 0.2
        if self.marks("different") or (
            asked and show and not self._titled(where) and all(self._listed(e) for e in show)
        ):
            return Select(self.main, show=tuple(show), where=where, distinct=True)
        if show and not headed and not where and not self.marks("what", "which", "show", "all"):
            self.cost += 0.4
        if not show and not where and not headed and not self.nouns:
            raise Misfit
        return Select(self.main, show=tuple(show), where=where)

    def _kinds(self) -> bool:
        """Whether kinds of something were asked for: 有哪几种, which, different."""
        return any("种" in self.label(m) or "哪" in self.label(m) for m in self.marks("what", "which")) or bool(
            self.marks("different")
        )

    def _follows(self, a: Fact, b: Fact) -> bool:
        return b.start >= a.end and not self.text[a.end : b.start].strip()

    def _spoken_for(self, n: Named) -> bool:
        """Whether a column was only named along with its condition: 其他地块, or again."""
        return bool(self.marks("other")) or any(isinstance(f, Where) and f.start <= n.start < f.end for f in self.facts)

    def _titled(self, where: tuple[Condition, ...]) -> bool:
        """Whether the conditions single out a row by its name."""
        columns = [self.schema.column(r) for r in refs(where)]
        return any(c.unique or c.key or "label" in c.tags for c in columns)

    def _listed(self, e: Expr) -> bool:
        c = self.column(e)
        return c is not None and (c.kind in ("category", "boolean", "list") or (c.kind == "text" and not c.unique))

    def _worth(self, m: Mark) -> Expr | None:
        from lab.text2sql.quantities import about

        best: list[tuple[int, Column]] = []
        for c in self.schema.table(self.main).columns:
            fits = about(c, m.of or "price")
            if fits is not None and c.kind in ("number", "date"):
                best.append((fits[0], c))
        best.sort(key=lambda x: x[0])
        return Field(best[0][1].ref) if best else None

    # ------------------------------------------------------------------------------------------ order, rest

    def _ordered(self, made: Select) -> Select:
        for s in self.of(Sorted):
            if s.many:
                key: Expr = COUNT
                if not made.by:
                    raise Misfit
            elif s.options:
                key = s.options[0].of
            elif made.measures and made.by:
                key = made.measures[0]
            elif self.before is not None and self.before.by and self.before.measures:
                made = replace(made, order=(Order(self.before.measures[0], bool(s.descending)),))
                continue
            elif self.before is not None and self.before.order:
                made = replace(made, order=(replace(self.before.order[0], descending=bool(s.descending)),))
                continue
            else:
                loose = [f.options[0].of for f in self.of(By) if f.loose and self._is_order(f.options[0].of)]
                if not loose:
                    if not made.order:
                        self.leave(s)
                    continue
                key = loose[0]
            if made.by and isinstance(key, Field) and key not in made.by:
                wanted = [m for m in made.measures if isinstance(m, Aggregate) and m.of == key]
                if not wanted:
                    raise Misfit
                key = wanted[0]
            if made.measures and not made.by:
                raise Misfit
            if made.order:
                if made.order[0].of == key and made.ties and s.descending is not None:
                    made = replace(made, limit=None, ties=False)  # the most, ordered by how many: all of them
                continue
            descending = s.descending if s.descending is not None else isinstance(key, Aggregate)
            made = replace(made, order=(Order(key, descending),))
        if not made.order and made.plain:
            for f in self.of(By):
                if f.loose and self._is_order(f.options[0].of):
                    made = replace(made, order=(Order(f.options[0].of, False),))
                    self.cost += 0.3
        return made

    def _left_named(self) -> None:
        """Columns that were named and are no part of the answer."""
        for n in self.named:
            self._unless_used.append(n)
        self.named = []

    def _ways(self, made: Select) -> set[str]:
        """The tables of a tree, and those on the ways between them."""
        places = tables(made)
        for t in sorted(places):
            way = self.schema.path(self.main, t)
            if way is None and (linked := self.schema.link(self.main, t)) is not None:
                way = (*linked[1], *linked[2])
            for f in way or ():
                places |= {f.table, f.parent}
        return places

    def _settle(self, made: Select) -> None:
        """Every fact must have found a place; those that have none are left over."""
        used, places = refs(made), self._ways(made)
        for n in self._unless_used:
            if not refs(n.options[0].of) <= used:
                self.leave(n)
        for noun in self.nouns:
            bridged = not any(n.of == self.main for n in self.nouns) and self.schema.path(self.main, noun.of)
            if noun.of not in places and not bridged:
                self.leave(noun)
        for cue in self.of(Cue):
            if cue.refs & used or cue.tables & places:
                continue
            idle = [r for r in cue.refs if r.table in places and self._idle(r)]
            if idle:
                self.cost += 0.3
            else:
                self.leave(cue)
        for c in self.of(Count):
            if c not in self._counts_used:
                self.leave(c)
        for m in self.marks("other"):
            if not any(isinstance(w, Not) for w in made.where):
                self.leave(m)
        for m in self.marks("different"):
            if (
                not made.distinct
                and not any(isinstance(x, Aggregate) and x.fn == "distinct" for x in made.measures)
                and not made.by
            ):
                self.leave(m)
        for m in self.marks("much"):
            if not made.measures:
                self.leave(m)
        for m in self.marks("worth"):
            if (made.measures or made.by) and m not in self._answered:
                self.leave(m)
        for m in self.marks("when", "where"):
            if m.role == "where" or made.measures or made.by:
                self.leave(m)
        for m in self.marks("verb"):
            counts = COUNT in made.measures or any(COUNT in walk(h) for h in made.having)
            counts = counts and len(self.schema.tables) == 1
            if len(places) < 2 and not self.schema.parents(self.main) and not counts:
                self.leave(m)
        for m in self.marks("split"):
            self.cost += 0.0 if made.by else 0.5

    def _idle(self, ref: Ref) -> bool:
        """A verb of a day that every row has says nothing: rows that were sold, in a table of sales."""
        c = self.schema.column(ref)
        return c.kind == "date" and c.empty == 0

    def unplaced(self, made: Select) -> list[str]:
        return [self.label(f) for f in self.left if not isinstance(f, Unknown)]


def _one_top(a: Top, b: Top) -> list[Top]:
    """The top 3 with the highest score: one says how many, the other by what."""
    if not a.options and not a.many and a.n is not None and b.n is None:
        return [replace(b, n=a.n, start=a.start)]
    if not b.options and not b.many and b.n is not None and a.n is None:
        return [replace(a, n=b.n)]
    if not a.options and not a.many and a.n is not None and a.n == b.n:
        return [b]
    return [a, b]


def draft(
    facts: tuple[Fact, ...], main: str, vocabulary: Vocabulary, text: str, language: str, before: Select | None = None
) -> _Draft:
    """A draft of a tree."""
    return _Draft(facts, main, vocabulary, text, language, before=before)


def _bound(measure: Expr, q: Quantity) -> Condition:
    values = tuple(int(v) if v == int(v) else v for v in q.values)
    test = Test(measure, q.op or "=", values)
    return Not(test) if q.negated else test


__all__ = ["AnyOf", "Inner", "Misfit", "Option", "Part", "Reading", "assemble", "draft", "placed"]
