"""Shares, conditions on groups, and top lists: the outputs that are more than a measure by a group."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lab.text2sql import facts, tree
from lab.text2sql.naming import is_han
from lab.text2sql.quantities import numeric


class Ranking(facts.Facts):
    """The trees of shares, of groups that hold a condition, and of the first by something."""

    def _share(self, where: tuple[tree.Condition, ...], by: list[tree.Expr], measures: list[tree.Expr]) -> tree.Select:
        sums = [m for m in measures if isinstance(m, tree.Aggregate) and m.fn == "sum"]
        whole = tree.Aggregate("sum", sums[0].of) if sums else facts.COUNT
        out_of = next((s.start for s in self.of(facts.Shared) if self.label(s).lower().startswith("out of")), -1)
        inside = [f for f in self.of(facts.Where) if f.start < out_of]
        if inside:  # paid orders out of all orders in May
            rest = self._conditions([f for f in self.of(facts.Where) if f not in inside])
            held = self._conditions(inside)
        elif by and (not where or self.among or whole != facts.COUNT):
            return tree.Select(self.main, by=tuple(by), measures=(tree.Share(whole.of),), where=where)
        elif not where or (self.among and len(where) < 2):
            raise facts.Misfit
        else:  # of two conditions, the last may be the share of those that hold the first
            rest, held = (where[:-1], where[-1:]) if self.among else ((), where)
        part = tree.Arithmetic("/", replace(whole, where=held), whole)
        return tree.Select(self.main, by=tuple(by), measures=(part,), where=rest)

    def _sides(self) -> tuple[int, int] | None:
        """Where the two sides of a ratio begin: behind "ratio of", and behind the "to" (与) between them."""
        marks = self.marks("ratio")
        if not marks:
            return None
        said = [(f.start, f.end) for f in self.facts if f.end > f.start]
        if self.language == "zh":  # A与B之比
            start, end, words = 0, marks[0].start, "与|和|对|比"
        else:
            start, end, words = marks[0].end, len(self.text), r"\bto\b|\band\b"
        for m in re.finditer(words, self.text[start:end].lower()):
            at = start + m.start()
            if not any(a <= at < b for a, b in said) and any(start <= a < at for a, _ in said):
                return start, start + m.end()
        return None

    def _ratio(self, by: Sequence[tree.Expr], sides: tuple[int, int]) -> tree.Select:
        """The ratio of two counts: of rows that hold this to rows that hold that; of one table to another."""
        wheres = [f for f in self.of(facts.Where) if f.start >= sides[0]]
        left, right = [f for f in wheres if f.start < sides[1]], [f for f in wheres if f.start >= sides[1]]
        named = {r for f in left for r in tree.refs(f.options[0].of)}
        shared = [f for f in right if left and not tree.refs(f.options[0].of) & named and len(right) > 1]
        shared = shared if len(shared) < len(right) else []
        whole = not right
        right = [f for f in right if f not in shared]
        tables_ = [n.of for n in self.nouns if n.start >= sides[0]]
        numbers = [n for n in self.named if n.start >= sides[0] and self._is_number(n.options[0].of)]
        if [n.start < sides[1] for n in numbers] == [True, False]:
            return self._of_numbers(numbers[0].options[0].of, numbers[1].options[0].of, left, right, by)
        if not left and not right and by and len(tables_) > 1 and set(tables_) == {self.main}:
            return tree.Select(self.main, by=tuple(by), measures=(tree.Share(),))  # of each state, to all of them
        if not left and not right and len(set(tables_)) == 2 and tables_[0] == self.main and not by:
            whole_tables = [tree.Inner(tree.Select(t, measures=(facts.COUNT,))) for t in dict.fromkeys(tables_)]
            return tree.Select(self.main, measures=(tree.Arithmetic("/", *whole_tables),), limit=1)
        whole = whole and len(tables_) > 1  # to all of them
        if not left or not (right or whole) or any(t != self.main for t in tables_):
            raise facts.Misfit
        before = [f for f in self.of(facts.Where) if f not in wheres]
        common = self._conditions([*before, *shared])
        counts = [tree.Aggregate("count", None, self._conditions(side)) for side in (left, right)]
        return tree.Select(self.main, by=tuple(by), measures=(tree.Arithmetic("/", *counts),), where=common)

    def _of_numbers(
        self,
        a: tree.Expr,
        b: tree.Expr,
        left: Sequence[facts.Where],
        right: Sequence[facts.Where],
        by: Sequence[tree.Expr],
    ) -> tree.Select:
        """The ratio of two numbers: of one row to that of another, or of two columns of every row."""
        self.named = [n for n in self.named if n.options[0].of not in (a, b)]
        if left and right:
            if by or not all(self._titled(self._conditions(side)) for side in (left, right)):
                raise facts.Misfit
            each = []
            for e, side in ((a, left), (b, right)):
                where = self._conditions(side)
                each.append(
                    tree.Inner(tree.Select(next(iter(tree.tables(e))), (e,), where=where, limit=1, distinct=True))
                )
            return tree.Select(self.main, measures=(tree.Arithmetic("/", *each),), limit=1)
        if right or tree.tables((a, b)) != {self.main} or any(not self._tells_apart(e) for e in by):
            raise facts.Misfit
        return tree.Select(self.main, show=(*by, tree.Arithmetic("/", a, b)), where=self._conditions(left))

    def _having(
        self,
        f: facts.Counted | facts.Bounded,
        where: tuple[tree.Condition, ...],
        by: list[tree.Expr],
        measures: list[tree.Expr],
    ) -> tree.Select:
        if not self.of(facts.By) and (bool(self.marks("much")) or bool(self.of(facts.HowMany))):
            raise facts.Misfit  # how many groups: a count of counts
        if isinstance(f, facts.Counted) and f.of not in ("", self.main):
            raise facts.Misfit
        measure = facts.COUNT if isinstance(f, facts.Counted) else f.options[0].of
        by = by or self._group_named()
        few = f.quantity.op in ("<", "<=") if not f.quantity.negated else f.quantity.op in (">", ">=")
        titled = len(by) == 1 and isinstance(by[0], tree.Field) and by[0] == self._title_of(by[0].ref.table)
        if not by or (isinstance(f, facts.Counted) and few and titled and by[0].ref.table != self.main):  # type: ignore[union-attr]
            raise facts.Misfit  # customers with fewer than 2 orders: those with none have no group
        shown = tuple(dict.fromkeys([m for m in measures if m != facts.COUNT] + [measure]))
        having = (numeric(measure, f.quantity, f.quantity.values),)
        return tree.Select(self.main, by=tuple(by), measures=shown, where=where, having=having)

    def _top(
        self, top: facts.Top, where: tuple[tree.Condition, ...], by: list[tree.Expr], measures: list[tree.Expr]
    ) -> tree.Select:
        key, stands = top.options[0].of if top.options else None, self.before
        counting = [s for s in self.of(facts.Sorted) if s.many and s.of in ("", self.main)]
        if key is None and not counting:
            key = self._loose_key()
        if key is None and not counting and not by and not measures and stands is not None and stands.measures:
            return self._grouped_top(where, stands.by, stands.measures, stands.measures[0], top)
        if isinstance(key, tree.Aggregate):
            by = by or self._group_named() or (list(stands.by) if stands is not None else [])
            return self._grouped_top(where, by, [key, *(m for m in measures if m != key)], key, top)
        if key is None and (top.many or counting):
            return self._most(top, where, by, measures)
        if key is None:
            return self._grouped_top(where, by if measures else (), measures, next(iter(measures), facts.COUNT), top)
        headed = any(m.of == self.main for m in self.nouns)
        if by and measures or measures not in ([], [facts.COUNT]):
            raise facts.Misfit
        order = (tree.Order(key, top.descending),)
        if (
            by
            and not self.of(facts.By)
            and any(f.listed and tree.Field(f.listed.of) in by for f in self.of(facts.Where))
        ):
            total = tree.Aggregate("sum" if self._sums(key) else "avg", key)
            return tree.Select(
                self.main, by=tuple(by), measures=(total,), where=where, order=(replace(order[0], of=total),)
            )
        most = tree.Aggregate("max" if top.descending else "min", key)
        if by and not headed and not top.many and top.n is None:
            return tree.Select(self.main, by=tuple(by), measures=(most,), where=where)
        if by:
            return tree.Select(self.main, where=where, order=order, each=tuple(by), **self._first(top))
        heads = [h for h in self.named if not self._is_number(h.options[0].of) and h.options[0].of != key]
        others = [o for o in self.others if self.schema.path(self.main, o.of)]
        if not headed and (heads or others or self.marks("who")) and (top.many or self._sums(key)):
            by = self._group_named()
            if by and by != [self._title_of(self.main)]:
                total = tree.Aggregate("sum", key)
                return self._grouped_top(where, by, [total], total, top)
        show = tuple(h.options[0].of for h in self.named if h.options[0].of != key)
        self.named = []
        valued = (
            not headed and not show and top.n is None and not self.of(facts.Count) and not self.marks("which", "who")
        )
        if valued and top.start < self._key_start(top):
            return tree.Select(self.main, measures=(most,), where=where)
        return tree.Select(self.main, show=(*show, key) if show else (), where=where, order=order, **self._first(top))

    def _key_start(self, top: facts.Top) -> int:
        """Where the key of a top list stands: behind its superlative in "the highest fare"."""
        said = self.text[top.start : top.end]
        return top.end if said and not is_han(said[0]) and top.about in ("any", "size", "rating") else top.start

    def _first(self, top: facts.Top) -> dict[str, Any]:
        """How many, from which on, and whether equals of the last are shown too."""
        counts, n = self.of(facts.Count), top.n
        if n is None and counts:
            near = min(counts, key=lambda c: min(abs(c.start - top.end), abs(top.start - c.end)))
            n, self._counts_used = near.n, {near}
        ties = n is None and top.offset == 0
        return {"limit": 1 if n is None else n, "offset": top.offset, "ties": ties}

    def _loose_key(self) -> tree.Expr | None:
        for f in self.of(facts.By):
            if f.loose and self._is_order(f.options[0].of):
                return f.options[0].of
        for s in self.of(facts.Sorted):
            if s.options:
                return s.options[0].of
        return None

    def _most(
        self, top: facts.Top, where: tuple[tree.Condition, ...], by: list[tree.Expr], measures: list[tree.Expr]
    ) -> tree.Select:
        """The group with the most rows."""
        if not by and self.language == "en" and self.nouns and self.nouns[0].of == self.main and self.others:
            raise facts.Misfit  # which towns have the most shops: towns are not grouped by their shops
        by = by or self._group_named(besides=self.main)
        counted = [m for m in measures if isinstance(m, tree.Aggregate) and m.fn in ("count", "distinct")]
        key = counted[0] if counted else facts.COUNT
        return self._grouped_top(where, by, [key, *(m for m in measures if m != key)], key, top)

    def _grouped_top(
        self,
        where: tuple[tree.Condition, ...],
        by: Sequence[tree.Expr],
        shown: Sequence[tree.Expr],
        key: tree.Expr,
        top: facts.Top,
    ) -> tree.Select:
        if not by:
            raise facts.Misfit
        first = self._first(top)
        if top.n is None and any(f.listed and tree.Field(f.listed.of) in by for f in self.of(facts.Where)):
            first = {}  # who of these two: both are shown
        order = (tree.Order(key, top.descending),)
        return tree.Select(self.main, by=tuple(by), measures=tuple(shown), where=where, order=order, **first)

    def _is_order(self, e: tree.Expr) -> bool:
        c = self.column(e)
        ranked = bool(self.of(facts.Top) or [s for s in self.of(facts.Sorted) if not s.options])
        plain = not any(isinstance(x, (facts.Measured, facts.HowMany)) for x in self.facts)
        if c is not None and c.is_key:
            return False
        numeric = c is not None and (c.kind == "number" and not c.is_year or c.kind == "date")
        return numeric and (plain or ranked)

    def _ordered(self, made: tree.Select) -> tree.Select:
        stands = self.before
        for s in self.of(facts.Sorted):
            if s.many:
                key: tree.Expr = facts.COUNT
                if not made.by:
                    raise facts.Misfit
            elif s.options:
                key = s.options[0].of
            elif made.measures and made.by:
                key = made.measures[0]
            elif stands is not None and ((stands.by and stands.measures) or stands.order):
                of = stands.measures[0] if stands.by and stands.measures else stands.order[0].of
                made = replace(made, order=(tree.Order(of, bool(s.descending)),))
                continue
            else:
                loose = [f.options[0].of for f in self.of(facts.By) if f.loose and self._is_order(f.options[0].of)]
                if not loose and made.order and made.ties and s.descending is not None:
                    made = replace(
                        made, order=(replace(made.order[0], descending=s.descending),), limit=None, ties=False
                    )
                    continue  # the longest, from longest to shortest: all of them
                if not loose:
                    if not made.order:
                        self.left.append(s)
                    continue
                key = loose[0]
            if (
                made.by
                and isinstance(key, tree.Field)
                and self._title_of(key.ref.table) in made.by
                and key not in made.by
            ):
                made = replace(made, by=(*made.by, key))  # by the number of each customer
            if made.by and isinstance(key, tree.Field) and key not in made.by:
                wanted = [m for m in made.measures if isinstance(m, tree.Aggregate) and m.of == key]
                if not wanted:
                    raise facts.Misfit
                key = wanted[0]
            if made.measures and not made.by:
                raise facts.Misfit
            if made.order:
                if made.order[0].of == key and made.ties and s.descending is not None:
                    made = replace(made, limit=None, ties=False)  # the most, ordered by how many: all of them
                continue
            descending = s.descending if s.descending is not None else isinstance(key, tree.Aggregate)
            made = replace(made, order=(tree.Order(key, descending),))
        return made

    def _settle(self, made: tree.Select) -> None:
        """Every fact must have found a place; those that have none are left over."""
        used, places = tree.refs(made), tree.tables(made)
        keys = [f for t in sorted(places) for f in self.schema.way(self.main, t) or ()]
        places |= {t for f in keys for t in (f.table, f.parent)}
        headed = any(n.of == self.main for n in self.nouns)
        days = {c.ref for t in places for c in self.schema.table(t).columns if c.kind == "date" and not c.empty}
        unused = [cue for cue in self.of(facts.Cue) if not (cue.refs & used or cue.tables & places)]
        self.cost += 0.3 * sum(bool(cue.refs & days) for cue in unused)  # sold, in a table of sales, says nothing
        self.left += [n for n in self.named if not tree.refs(n.options[0].of) <= used]
        self.left += [n for n in self.nouns if n.of not in places and (headed or not self.schema.path(self.main, n.of))]
        self.left += [cue for cue in unused if not cue.refs & days]
        self.left += [c for c in self.of(facts.Count) if c not in self._counts_used]
        counts = facts.COUNT in made.measures or any(facts.COUNT in tree.walk(h) for h in made.having)
        counts = counts and (len(self.schema.tables) == 1 or bool(made.by))
        distinct = any(isinstance(x, tree.Aggregate) and x.fn == "distinct" for x in made.measures)
        served = {
            "other": any(isinstance(w, tree.Not) for w in made.where),
            "different": made.distinct or distinct or bool(made.by),
            "much": bool(made.measures),
            "worth": made.plain,
            "when": made.plain,
            "where": False,
            "verb": len(places) > 1 or counts or bool(self.schema.parents(self.main)),
            "split": bool(made.by) or len(made.measures) + len(made.show) > 1,
        }
        by = [
            w for w in self.of(facts.Where) if self.label(w).lower().startswith("by ")
        ]  # offered by the department of …
        for m in self.of(facts.Mark):
            done = m.role == "verb" and any(self._follows(m, w) for w in by)
            if not (served.get(m.role, True) or m in self._answered or done):
                self.left.append(m)
