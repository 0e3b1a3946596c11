"""From the facts of a question on one table to its tree; a fact that finds no place is left over, and counts as words
that were not understood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lab.text2sql import facts, tree
from lab.text2sql.lacking import Lacking
from lab.text2sql.numbers import measure_of
from lab.text2sql.quantities import about
from lab.text2sql.ranking import Ranking


class Draft(Ranking, Lacking):
    """A tree while it is made."""

    def select(self) -> tree.Select:
        """The tree of these facts; raises `Misfit`."""
        self.cost += self._table_cost()
        sides = self._sides()
        self.where = self._conditions() if sides is None else ()
        self.by = self._groups()
        tops, counted = self.of(facts.Top), self.of(facts.Counted) + self.of(facts.Bounded)
        if len(tops) == 2 and tops[0].n and tops[1].n is None and not (tops[0].options or tops[0].many):
            tops = [replace(tops[1], n=tops[0].n, start=tops[0].start)]  # the top 3 with the highest score
        if len(tops) > 1 or len(counted) > 1 or (tops and counted):
            raise facts.Misfit
        self.measures = self._measured()
        means = [m for m in self.measures if isinstance(m, tree.Aggregate) and m.fn == "avg"]
        if means == self.measures and self.of(facts.Measured) and self.by and all(map(self._tells_apart, self.by)):
            self.by = []  # the average number of nights per booking: of all
        if sides is not None:
            made = self._ratio(sides)
        elif self.marks("ratio") and not self.of(facts.Shared):
            raise facts.Misfit
        elif self.of(facts.Shared):
            made = self._share()
        elif counted:
            made = self._having(counted[0])
        elif tops:
            made = self._top(tops[0])
        elif self.measures or self.by:
            self.cost += self._group_cost()
            made = self._grouped(*self.measures or [facts.COUNT])
        else:
            made = self._rows(self.where)
        made = self._ordered(self._described(made))
        self._settle(made)
        return made

    def _group_cost(self) -> float:
        """How far-fetched it is that groups with numbers are asked for."""
        cost, last = 0.0, self.of(facts.Measured)[-1:]
        extremes = [m for m in self.measures if isinstance(m, tree.Aggregate) and m.fn in ("min", "max")]
        behind = any(n.of == self.main and n.start >= m.end for n in self.nouns for m in last)
        numbers = self.measures not in ([], [facts.COUNT])
        if numbers and not self.by and any(self.label(n).lower().startswith("by ") for n in self.nouns):
            cost += 0.3  # average minutes by station: of each
        if extremes and ((self.marks("which", "who") and not self.by) or (behind and self.language == "zh")):
            cost += 1.0 if self.marks("who") else 0.35
        valued = any(f.start >= m.end and self.text[m.end : f.start] == "的" for f in self.wheres for m in last)
        cost += 0.7 * bool(extremes and valued)  # 售价最高的蛋奶: the one, not the price
        limited = {c.of for c in self.where if isinstance(c, tree.Test) and c.op in tree.COMPARISONS[1:]}
        cost += 0.4 * any(isinstance(m, tree.Aggregate) and m.of in limited for m in self.measures)
        if extremes and self.others and not self.by and self.language == "zh":
            cost += 1.2  # 挂号费最高的科室: the one, not the fee
        one = {c.of for c in self.where if isinstance(c, tree.Test) and c.op == "=" and len(c.values) == 1}
        if one & {*self.by, *map(self.named_group, self.by)}:
            cost += 0.6  # of one group there is nothing to compare
        loose = any(f.loose and self._tells_apart(f.meant) for f in self.of(facts.By))
        if loose or (not numbers and any(map(self._tells_apart, self.by))):
            cost += 1.0
        return cost

    def _described(self, made: tree.Select) -> tree.Select:
        """Groups with what else was named of them: the id of each customer, beside the name."""
        groups = {e.ref.table for e in made.by if isinstance(e, tree.Field) and e == self._title_of(e.ref.table)}
        more: list[tree.Expr] = []
        for n in self.named:
            e = n.meant
            own = isinstance(e, tree.Field) and e.ref.table == self.main and not self.schema.column(e.ref).key
            if isinstance(e, tree.Field) and e.ref.table in groups and e not in made.by and not own:
                more.append(e)
        return replace(made, by=(*made.by, *dict.fromkeys(more))) if more else made

    def _table_cost(self) -> float:
        """How well the table fits what is named: the counted noun, the first in English, the last in Chinese."""
        if not self.nouns:
            said = [tree.tables(o.of) for f in self.facts for o in getattr(f, "options", ())]
            said = [] if self.of(facts.Measured) else [t for t in said if t]
            whom = bool(self.marks("who") and self.marks("verb")) and not self.schema.parents(self.main)
            others = sum(self.main not in t for t in said)  # what is about others; who borrowed it: people
            return (0.5 * others / len(said) if said else 0.0) - 0.5 * whom
        mine = [i for i, n in enumerate(self.nouns) if n.of == self.main]
        if not mine:
            counted = any(f.of == self.main for f in self.of(facts.Counted))
            asked = bool(self.marks("who")) and self._people()
            return 0.0 if self.of(facts.Measured) or counted else 0.4 if asked else 1.2
        return 0.2 * (mine[0] if self.language == "en" else len(self.nouns) - 1 - mine[-1])

    def _conditions(self, among: Sequence[facts.Where] | None = None) -> tuple[tree.Condition, ...]:
        """All conditions; those on a child table as one of its rows that holds them."""
        own: list[tree.Condition] = []
        children: dict[str, list[tree.Condition]] = {}
        numbers: dict[str, tuple[str, int]] = {}
        said = self.wheres if among is None else among
        none, inside = self._none(said)
        for f in said:
            own += none.get(f, ())
            for one in () if f in none or f in inside else self._parts(f.meant):
                child, empty = self._child(one), isinstance(one, tree.Test) and one.op == "empty"
                if child is None:
                    own.append(self._of_parent(one))
                elif isinstance(one, tree.Test) and f.options[0].why == "none" and one.values == (0,):
                    own.append(tree.Not(tree.Related(child, (replace(one, op=">"),))))  # without absences: none at all
                elif isinstance(one, tree.Not):
                    own.append(one if isinstance(one.of, tree.Related) else tree.Not(tree.Related(child, (one.of,))))
                elif isinstance(one, tree.Related):
                    if one.many is not None and numbers.setdefault(child, one.many) != one.many:
                        raise facts.Misfit
                    children.setdefault(child, [])
                elif empty and not any(self.schema.column(r).empty for r in tree.refs(one)):
                    own.append(tree.Not(tree.Related(child)))  # every row of it has one: who never visited has no visit
                else:
                    children.setdefault(child, []).append(one)
        for child, several in children.items():
            if child in numbers:  # more than 6 orders in May: so many that hold it all
                own.append(tree.Related(child, tuple(several), numbers[child]))
                continue
            taken: list[list[tree.Condition]] = [[]]
            for c in several:  # two facts about one column are about two rows
                place = next((g for g in taken if not tree.refs(c) & tree.refs(tuple(g))), None)
                if place is None:
                    taken.append(place := [])
                place.append(c)
            own += [tree.Related(child, tuple(g)) for g in taken]
        one_of: dict[tree.Expr, tree.Condition] = {}
        for c in own:  # no row is in two places at once: two values of one column, side by side, were meant otherwise
            if isinstance(c, tree.Test) and c.op == "=" and one_of.setdefault(c.of, c) != c:
                raise facts.Misfit
        return tuple(dict.fromkeys(own))

    def _of_parent(self, c: tree.Condition) -> tree.Condition:
        """Without a club, of a table that points to clubs: its key is empty."""
        inner = c.of if isinstance(c, tree.Not) else c
        if not isinstance(inner, tree.Related):
            return c
        way = self.schema.path(self.main, inner.table)
        if way is None or len(way) != 1 or inner.where or inner.many is not None:
            raise facts.Misfit
        empty = tree.Test(tree.Field(tree.Ref(way[0].table, way[0].column)), "empty")
        return empty if isinstance(c, tree.Not) else tree.Not(empty)

    def _parts(self, c: tree.Condition) -> tuple[tree.Condition, ...]:
        """The parts of a condition; two days of one column are two rows of a child, and either of them here."""
        several = c.of if isinstance(c, (tree.AllOf, tree.AnyOf)) else ()
        days = bool(several) and all(isinstance(x, tree.Test) and x.op == "during" for x in several)
        days = days and len(tree.refs(c)) == 1
        if days and isinstance(c, tree.AllOf) == (self._child(c) is None):
            raise facts.Misfit
        return c.of if isinstance(c, tree.AllOf) else (c,)

    def _groups(self) -> list[tree.Expr]:
        """What is grouped by; an order that is said with "by" is none."""
        by: list[tree.Expr] = []
        said = self.of(facts.By)
        self.cost += 1.5 * ((len(said) > 1 or bool(self.marks("split"))) and any(f.listed for f in said))
        for f in said:
            e = f.meant
            several = e if isinstance(e, tuple) else (e,)
            if not (f.loose and self._is_order(several[0])):
                by += map(self._own_side, several)
        for w in self.wheres:
            if w.listed is not None and self._side_by_side(w):
                by.append(tree.Field(w.listed.of))
        return list(dict.fromkeys(by))

    def _own_side(self, e: tree.Expr) -> tree.Expr:
        """The key of another table's row where this table has it itself."""
        own = {tree.Field(tree.Ref(f.parent, f.key)): f for f in reversed(self.schema.parents(self.main))}
        return tree.Field(tree.Ref(own[e].table, own[e].column)) if e in own else e

    def _side_by_side(self, f: facts.Where) -> bool:
        """Whether several values of a column are groups to be compared: asked for, or all that there are."""
        assert f.listed is not None
        if f.listed.split or self.marks("split"):
            return True
        if not any(isinstance(x, (facts.Measured, facts.HowMany, facts.Top)) for x in self.facts):
            return False
        column = self.schema.column(f.listed.of)
        test = f.meant
        whole = isinstance(test, tree.Test) and column.complete and set(test.values) == set(column.values)
        tops = self.of(facts.Top)
        return whole or any(t.asked for t in tops) or bool(tops and self.marks("who", "which"))

    def _measured(self) -> list[tree.Expr]:
        measured, counts, spent = self.of(facts.Measured), self.of(facts.HowMany), self._spent()
        # an average, and how many of its unit: the unit says nothing new
        said = [f.meant for f in measured if not f.guessed or len(measured) == 1]
        measures = [m for e in said for m in (e if isinstance(e, tuple) else (e,))] or spent
        orders = [s.meant for s in self.of(facts.Sorted) if s.options]
        if self.by and not measures and not counts:
            measures += [e for e in orders if isinstance(e, tree.Aggregate)][:1]
            if not measures and not self.of(facts.Top) and not self.marks("ratio"):
                measures += self._summed(orders)
        counted = (next((n.of for n in self.nouns if n.start >= h.end), "") for h in counts)
        if len({*counted} - {""}) > 1:
            raise facts.Misfit  # how many merchants, and the number of coupons
        if measures and counts and not any(self._beside(h, f) for h in counts for f in (*self.nouns, *self.named)):
            self.cost += 0.6
        return list(dict.fromkeys([*measures, *map(self._count, counts)]))

    def _summed(self, orders: Sequence[tree.Expr]) -> list[tree.Expr]:
        """The numbers that are named beside groups: amount by city in sum, 各科室的月薪 on average, as far as that goes."""
        taken = (*self.by, *orders)
        found = [n for n in self.named if self._is_number(e := n.meant) and e not in taken]
        if any(tree.tables(n.meant) != {self.main} for n in found):
            raise facts.Misfit  # the amount of an order, of each of its items
        self.named = [n for n in self.named if n not in found]
        sums = [self._sums(n.meant, _ADDS_UP) for n in found]
        self.cost += 0.4 * (not all(sums))
        columns = [self.column(n.meant) for n in found]
        self.cost += 0.4 * any(c is not None and c.unique and not c.about for c in columns)  # 1, 2, 3: no amounts
        return [tree.Aggregate("sum" if add else "avg", n.meant) for n, add in zip(found, sums, strict=True)]

    def _spent(self) -> list[tree.Expr]:
        """How much did they spend: the sum of the number that a word points to."""
        asked = [m for m in self.marks("much", "worth") if m.of in ("", "price")]
        cued = [r for cue in self.of(facts.Cue) for r in sorted(cue.refs) if asked and r.table == self.main]
        if asked and asked[0].role == "worth" and self.language == "zh" and self.marks("verb"):  # 卖了多少钱
            cued += [c.ref for c in self.schema.table(self.main).columns if "spent" in c.hint.cues]
        columns = [c for r in cued if (c := self.schema.column(r)).kind == "number" and not c.key]
        flows = [c.ref for c in columns if c.about & {"money", "piece"} and "each" not in c.tags]
        self._answered += asked if flows else []
        return [tree.Aggregate("sum", tree.Field(r)) for r in flows[:1]]

    def _count(self, h: facts.HowMany) -> tree.Expr:
        """What is counted: the rows, or the different values of the column that is named beside."""
        beside = [n for n in self.named if self._beside(h, n)]
        beside = [n for n in beside if n.start >= h.end] or beside
        if beside and not h.people:
            e = beside[0].meant
            c = self.column(e)
            if c is not None and c.kind in ("category", "text", "number", "boolean", "date"):
                mine = [n for n in self.nouns if self._beside(h, n) and not (beside[0].start >= h.end > n.start)]
                if not mine or h.different:
                    self.named.remove(beside[0])
                    if c.kind in ("date", "number") and not h.different:
                        self.cost += 0.6
                        measured = {*c.tags, measure_of(c.hint.unit)}
                        if measured & _COUNTED and not self.label(beside[0]).endswith("number"):
                            return tree.Aggregate("sum", e)  # how many docks does each district have
                    return tree.Aggregate("distinct", e)
        units = set(self.text[h.end - 1 : h.end + 1])  # 多少件
        pieces = [c for c in self.schema.table(self.main).columns if c.kind == "number" and c.hint.unit in units]
        counted = [n for n in self.nouns if self._beside(h, n)]
        if pieces and not counted:
            self.cost += 0.8  # 卖了多少件: pieces, not rows
        if counted and counted[0].of != self.main:
            self.cost += 0.5
        if h.different:
            self.cost += 0.2
        if h.times and any(self._child(c.of) for f in self.wheres for c in f.options):
            self.cost += 2.0  # how often: the events are counted, not whom they happened to
        return facts.COUNT

    def _listed(self, e: tree.Expr) -> bool:
        c = self.column(e)
        return c is not None and (c.kind in ("category", "boolean", "list") or (c.kind == "text" and not c.unique))

    def _rows(self, where: tuple[tree.Condition, ...]) -> tree.Select:
        """Rows, columns of rows, or the different values of a column."""
        used = tree.refs(where)
        show: list[tree.Expr] = []
        for n in self.named:
            e = n.meant
            inside = self.marks("other") or any(f.start <= n.start < f.end for f in self.wheres)
            if not (
                isinstance(e, tree.Field) and e.ref in used and inside
            ):  # 其他地块: only named along with its condition
                show.append(e)
        for m in self.marks("worth", "when"):
            meant = m.of or ("date" if m.role == "when" else "price")
            columns = [c for c in self.schema.table(self.main).columns if c.kind in ("number", "date")]
            best = [(fits[0], c.ref) for c in columns if (fits := about(c, meant))]
            if not best or (m.role == "when" and len(best) > 1):
                raise facts.Misfit
            show.append(tree.Field(min(best, key=lambda x: x[0])[1]))
        if self.marks("who"):  # who teaches it: the teacher
            cued = sorted(r for cue in self.of(facts.Cue) for r in cue.refs if r.table == self.main)
            people = [tree.Field(r) for r in cued if "person" in self.schema.column(r).tags]
            self.cost += 0.6 * (not people and not self._people() and any(map(self._people, self.schema.names)))
            show += people
        self.named = []
        show = list(dict.fromkeys(show))
        headed = any(n.of == self.main for n in self.nouns)
        beside = any(self._follows(m, n) for m in self.marks("which") for n in self.of(facts.Named))
        listed = bool(show) and not self._titled(where) and all(map(self._listed, show)) and (beside or not headed)
        listed = listed or bool(self.apart)
        asked = {c for m in self.marks("what", "which") for c in self.label(m)} & set("种哪") or self.marks("different")
        kinds = bool(show) and not headed and not where and bool(asked) and all(map(self._is_number, show))
        if show and headed and not self.marks("what", "which", "show", "all", "worth", "when"):
            self.cost += 0.2
        if not show and not where and not self.nouns and not any(s.options for s in self.of(facts.Sorted)):
            raise facts.Misfit
        distinct = listed or kinds or bool(self.marks("different"))
        return tree.Select(self.main, show=tuple(show), where=where, distinct=distinct)


_COUNTED = frozenset({"piece", "minutes", "hours", "days", "weeks", "months"})
"""What a number is about, or counts, of which it is asked how many there are in all."""
_ADDS_UP = frozenset({"money", "piece", "distance", "km", "metre", "mile", "duration", "minutes", "hours", "seconds"})
"""What a number beside groups is about, where its sum is meant; of others it is the average."""
