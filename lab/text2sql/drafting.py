"""From the facts of a question on one table to its tree; a fact that finds no place is left over, and counts as words
that were not understood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lab.text2sql.facts import (
    COUNT,
    Bounded,
    By,
    Counted,
    Cue,
    HowMany,
    Mark,
    Measured,
    Misfit,
    Named,
    Noun,
    Shared,
    Sorted,
    Top,
    Where,
)
from lab.text2sql.quantities import about
from lab.text2sql.ranking import Ranking
from lab.text2sql.tree import (
    Aggregate,
    AllOf,
    AnyOf,
    Condition,
    Expr,
    Field,
    Not,
    Ref,
    Related,
    Select,
    Test,
    refs,
    tables,
)


class Draft(Ranking):
    """A tree while it is made."""

    def select(self) -> Select:
        """The tree of these facts; raises `Misfit`."""
        self.named = self.of(Named)
        self.nouns = self.of(Noun)
        self.others = [n for n in self.nouns if n.of != self.main]
        self.cost += self._table_cost()
        sides = self._sides()
        where = self._conditions() if sides is None else ()
        by = self._groups()
        tops, counted = self.of(Top), self.of(Counted) + self.of(Bounded)
        if len(tops) == 2:
            tops = _one_top(*tops)
        if len(tops) > 1 or len(counted) > 1 or (tops and counted):
            raise Misfit
        measures = self._measures(by)
        if sides is not None:
            made = self._ratio(by, sides)
        elif self.marks("ratio") and not self.of(Shared):
            raise Misfit
        elif self.of(Shared):
            made = self._share(where, by, measures)
        elif counted:
            made = self._having(counted[0], where, by, measures)
        elif tops:
            made = self._top(tops[0], where, by, measures)
        elif measures or by:
            extremes = [m for m in measures if isinstance(m, Aggregate) and m.fn in ("min", "max")]
            behind = any(n.of == self.main and n.start >= m.end for n in self.nouns for m in self.of(Measured)[-1:])
            if extremes and ((self.marks("which", "who") and not by) or (behind and self.language == "zh")):
                self.cost += 0.35
            one = {c.of for c in where if isinstance(c, Test) and c.op == "=" and len(c.values) == 1}
            if one & {*by, *map(self.named_group, by)}:
                self.cost += 0.6  # of one group there is nothing to compare
            loose = any(f.loose and self._tells_apart(f.options[0].of) for f in self.of(By))
            if loose or (measures in ([], [COUNT]) and any(self._tells_apart(e) for e in by)):
                self.cost += 1.0
            made = Select(self.main, by=tuple(by), measures=tuple(measures) or (COUNT,), where=where)
            self._left_named()
        else:
            made = self._rows(where)
        made = self._described(made)
        made = self._ordered(made)
        self._settle(made)
        return made

    def _described(self, made: Select) -> Select:
        """Groups with what else was named of them: the id of each customer, beside the name."""
        groups = {e.ref.table for e in made.by if isinstance(e, Field) and e == self._title_of(e.ref.table)}
        more: list[Expr] = []
        for n in self._unless_used:
            e = n.options[0].of
            own = isinstance(e, Field) and e.ref.table == self.main and not self.schema.column(e.ref).key
            if isinstance(e, Field) and e.ref.table in groups and e not in made.by and not own:
                more.append(e)
        return replace(made, by=(*made.by, *dict.fromkeys(more))) if more else made

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
        said = [tables(o.of) for f in self.facts for o in getattr(f, "options", ()) if not isinstance(o.of, tuple)]
        said = [t for t in said if t]
        return sum(self.main not in t for t in said) / len(said) if said else 0.0

    def _conditions(self, among: Sequence[Where] | None = None) -> tuple[Condition, ...]:
        """All conditions; those on a child table as one of its rows that holds them."""
        own: list[Condition] = []
        children: dict[str, list[Condition]] = {}
        numbers: dict[str, tuple[str, int]] = {}
        for f in self.of(Where) if among is None else among:
            c = f.options[0].of
            for one in self._parts(c):
                child = self._child(one)
                if self._of_itself(one):
                    raise Misfit
                if child is None:
                    own.append(self._of_parent(one))
                elif isinstance(one, Not):
                    own.append(one if isinstance(one.of, Related) else Not(Related(child, (one.of,))))
                elif isinstance(one, Related):
                    if one.many is not None and numbers.setdefault(child, one.many) != one.many:
                        raise Misfit
                    children.setdefault(child, [])
                elif isinstance(one, Test) and one.op == "empty" and not any(map(self._has_gaps, refs(one))):
                    own.append(Not(Related(child)))  # every row of it has one: who never visited has no visit
                else:
                    children.setdefault(child, []).append(one)
        for child, several in children.items():
            if child in numbers:  # more than 6 orders in May: so many that hold it all
                own.append(Related(child, tuple(several), numbers[child]))
                continue
            taken: list[list[Condition]] = [[]]
            for c in several:  # two facts about one column are about two rows
                place = next((g for g in taken if not refs(c) & refs(tuple(g))), None)
                if place is None:
                    taken.append([c])
                else:
                    place.append(c)
            own += [Related(child, tuple(g)) for g in taken]
        self._consistent(own)
        return tuple(dict.fromkeys(own))

    def _has_gaps(self, ref: Ref) -> bool:
        return self.schema.column(ref).empty > 0

    def _of_parent(self, c: Condition) -> Condition:
        """Without a club, of a table that points to clubs: its key is empty."""
        inner = c.of if isinstance(c, Not) else c
        if not isinstance(inner, Related):
            return c
        way = self.schema.path(self.main, inner.table)
        if way is None or len(way) != 1 or inner.where or inner.many is not None:
            raise Misfit
        empty = Test(Field(Ref(way[0].table, way[0].column)), "empty")
        return empty if isinstance(c, Not) else Not(empty)

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

    def _groups(self) -> list[Expr]:
        """What is grouped by; an order that is said with "by" is none."""
        by: list[Expr] = []
        for f in self.of(By):
            e = f.options[0].of
            several = e if isinstance(e, tuple) else (e,)
            if not (f.loose and self._is_order(several[0])):
                by += map(self._own_side, several)
        if any(self._child(e) for e in by):
            raise Misfit
        for w in self.of(Where):
            if w.listed is not None and self._side_by_side(w):
                by.append(Field(w.listed.of))
        return list(dict.fromkeys(by))

    def _own_side(self, e: Expr) -> Expr:
        """The key of another table's row where this table has it itself."""
        for f in self.schema.parents(self.main):
            if e == Field(Ref(f.parent, f.key)):
                return Field(Ref(f.table, f.column))
        return e

    def _side_by_side(self, f: Where) -> bool:
        """Whether several values of a column are groups to be compared: asked for, or all that there are."""
        assert f.listed is not None
        if f.listed.split or self.marks("split"):
            return True
        if not any(isinstance(x, (Measured, HowMany, Top)) for x in self.facts):
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
            measures += list(e) if isinstance(e, tuple) else [e]
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
        columns = [self.schema.column(r) for cue in self.of(Cue) for r in sorted(cue.refs) if r.table == self.main]
        flows = [c for c in columns if c.kind == "number" and not c.key and c.about & {"money", "piece"}]
        spent = next((Field(c.ref) for c in flows if "price" not in c.tags), None)
        if not asked or spent is None:
            return None
        self._answered += asked
        return Aggregate("sum", spent)

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
        units = set(self.text[h.end - 1 : h.end + 1])  # 多少件
        pieces = [c for c in self.schema.table(self.main).columns if c.kind == "number" and c.hint.unit in units]
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
        if self.marks("when"):
            dates = [c for c in self.schema.table(self.main).columns if c.kind == "date"]
            if len(dates) != 1 and not any(self.column(e) in dates for e in show):
                raise Misfit
            show += [Field(c.ref) for c in dates if not any(self.column(e) in dates for e in show)]
        self.named = []
        show = list(dict.fromkeys(show))
        headed = any(n.of == self.main for n in self.nouns)
        beside = any(self._follows(m, n) for m in self.marks("which") for n in self.of(Named))
        listed = bool(show) and not self._titled(where) and all(map(self._listed, show)) and (beside or not headed)
        kinds = bool(show) and not headed and not where and self._kinds() and all(map(self._is_number, show))
        if show and headed and not self.marks("what", "which", "show", "all", "worth", "when"):
            self.cost += 0.2
        if not show and not where and not self.nouns:
            raise Misfit
        distinct = listed or kinds or bool(self.marks("different"))
        return Select(self.main, show=tuple(show), where=where, distinct=distinct)

    def _spoken_for(self, n: Named) -> bool:
        """Whether a column was only named along with its condition: 其他地块, or again."""
        return bool(self.marks("other")) or any(isinstance(f, Where) and f.start <= n.start < f.end for f in self.facts)

    def _worth(self, m: Mark) -> Expr | None:
        columns = [c for c in self.schema.table(self.main).columns if c.kind in ("number", "date")]
        best = [(fits[0], c.ref) for c in columns if (fits := about(c, m.of or "price"))]
        return Field(min(best, key=lambda x: x[0])[1]) if best else None


def _one_top(a: Top, b: Top) -> list[Top]:
    """The top 3 with the highest score: one says how many, the other by what."""
    if not a.options and not a.many and a.n is not None and b.n is None:
        return [replace(b, n=a.n, start=a.start)]
    if not b.options and not b.many and b.n is not None and a.n is None:
        return [replace(a, n=b.n)]
    if not a.options and not a.many and a.n is not None and a.n == b.n:
        return [b]
    return [a, b]
