"""Shares, ratios, conditions on groups, top lists and orders, and whether every fact has found a place in the tree."""

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

    def _grouped(self, *measures: tree.Expr, **parts: Any) -> tree.Select:
        """The groups of the question (or all of its rows) with these numbers."""
        return replace(tree.Select(self.main, by=tuple(self.by), measures=measures, where=self.where), **parts)

    def _share(self) -> tree.Select:
        sums = [m for m in self.measures if isinstance(m, tree.Aggregate) and m.fn == "sum"]
        whole, where = tree.Aggregate("sum", sums[0].of) if sums else facts.COUNT, self.where
        out_of = next((s.start for s in self.of(facts.Shared) if self.label(s).lower().startswith("out of")), -1)
        inside = [f for f in self.wheres if f.start < out_of]
        if inside:  # paid orders out of all orders in May
            rest, held = self._conditions([f for f in self.wheres if f not in inside]), self._conditions(inside)
        elif self.by and (not where or self.among or whole != facts.COUNT):
            self.cost += 0.3 * (bool(where) and not all(map(_on_days, where)))  # of each, those that are remote
            return self._grouped(tree.Share(whole.of))
        elif not where or (self.among and len(where) < 2):
            raise facts.Misfit
        else:
            self.cost += 0.3 * (bool(self.by) and all(map(_on_days, where)))
            # of two conditions, the last may be the share of those that hold the first
            rest, held = (where[:-1], where[-1:]) if self.among else ((), where)
        return self._grouped(tree.Arithmetic("/", replace(whole, where=held), whole), where=rest)

    def _sides(self) -> tuple[int, int] | None:
        """Where the two sides of a ratio begin: behind "ratio of", and behind the "to" (与) between them."""
        marks = self.marks("ratio")
        if not marks:
            return None
        if self.label(marks[0]).lower() in ("除以", "divided by"):
            return 0, marks[0].end
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

    def _ratio(self, sides: tuple[int, int]) -> tree.Select:
        """The ratio of two counts: of rows that hold this to rows that hold that; of one table to another."""
        wheres = [f for f in self.wheres if f.start >= sides[0]]
        left, right = [f for f in wheres if f.start < sides[1]], [f for f in wheres if f.start >= sides[1]]
        numbers = [n for n in self.named if n.start >= sides[0] and self._is_number(n.meant)]
        if [n.start < sides[1] for n in numbers] == [True, False]:
            return self._of_numbers([n.meant for n in numbers], left, right)
        named = {r for f in left for r in tree.refs(f.meant)}
        shared = [f for f in right if left and not tree.refs(f.meant) & named and len(right) > 1]
        shared = shared if len(shared) < len(right) else []
        mains = [n.of for n in self.nouns if n.start >= sides[0]]
        if not left and not right and self.by and len(mains) > 1 and set(mains) == {self.main}:
            return self._grouped(tree.Share())  # of each state, to all of them
        if not left and not right and len(set(mains)) == 2 and mains[0] == self.main and not self.by:
            counts = [tree.Inner(tree.Select(t, measures=(facts.COUNT,))) for t in dict.fromkeys(mains)]
            return self._grouped(tree.Arithmetic("/", *counts), limit=1)
        if not left or not (right or len(mains) > 1) or any(t != self.main for t in mains):  # else to all of them
            raise facts.Misfit
        common = [f for f in self.wheres if f not in wheres or f in shared]
        sorts = (self._conditions(side) for side in (left, [f for f in right if f not in shared]))
        ratio = tree.Arithmetic("/", *(tree.Aggregate("count", None, held) for held in sorts))
        return self._grouped(ratio, where=self._conditions(common))

    def _of_numbers(
        self, two: Sequence[tree.Expr], left: Sequence[facts.Where], right: Sequence[facts.Where]
    ) -> tree.Select:
        """The ratio of two numbers: of one row to that of another, or of two columns of every row."""
        self.named = [n for n in self.named if n.meant not in two]
        sides = [self._conditions(side) for side in (left, right)]
        if left and right:
            if self.by or not all(map(self._titled, sides)):
                raise facts.Misfit
            tables = [next(iter(tree.tables(e))) for e in two]
            rows = zip(tables, two, sides, strict=True)
            each = (tree.Inner(tree.Select(t, (e,), where=held, limit=1, distinct=True)) for t, e, held in rows)
            return tree.Select(self.main, measures=(tree.Arithmetic("/", *each),), limit=1)
        if right or tree.tables(tuple(two)) != {self.main} or any(not self._tells_apart(e) for e in self.by):
            raise facts.Misfit
        return tree.Select(self.main, show=(*self.by, tree.Arithmetic("/", *two)), where=sides[0])

    def _having(self, f: facts.Counted | facts.Bounded) -> tree.Select:
        if not self.of(facts.By) and (bool(self.marks("much")) or bool(self.of(facts.HowMany))):
            raise facts.Misfit  # how many groups: a count of counts
        if isinstance(f, facts.Counted) and f.of not in ("", self.main):
            raise facts.Misfit
        measure = facts.COUNT if isinstance(f, facts.Counted) else f.meant
        by = self.by = self.by or self._group_named()
        few = f.quantity.op in ("<", "<=") if not f.quantity.negated else f.quantity.op in (">", ">=")
        titled = len(by) == 1 and isinstance(by[0], tree.Field) and by[0] == self._title_of(by[0].ref.table)
        if not by or (isinstance(f, facts.Counted) and few and titled and by[0].ref.table != self.main):  # type: ignore[union-attr]
            raise facts.Misfit  # customers with fewer than 2 orders: those with none have no group
        if measure == facts.COUNT and all(map(self._tells_apart, by)):
            raise facts.Misfit  # each is one
        shown = dict.fromkeys([m for m in self.measures if m != facts.COUNT] + [measure])
        return self._grouped(*shown, having=(numeric(measure, f.quantity, f.quantity.values),))

    def _top(self, top: facts.Top) -> tree.Select:
        key, stands, measures = top.meant if top.options else None, self.before, self.measures
        counting = top.many or any(s.many and s.of in ("", self.main) for s in self.of(facts.Sorted))
        if key is None and not counting:
            key = self._loose_key()
        if key is None and not counting and not self.by and not measures and stands is not None and stands.measures:
            self.by = list(stands.by)
            return self._grouped_top(stands.measures, top)
        if isinstance(key, tree.Aggregate):
            self.by = self.by or self._group_named() or (list(stands.by) if stands is not None else [])
            return self._grouped_top([key, *(m for m in measures if m != key)], top)
        if key is None and counting:
            return self._most(top)
        if key is None:
            return self._grouped_top(measures, top)
        headed = any(m.of == self.main for m in self.nouns)
        of_others = [n for n in self.others if self.schema.path(self.main, n.of)]
        if top.about == "rating" and of_others and not (headed or self.by or measures) and self._has(key, "number"):
            self.by = [self._title_of(of_others[0].of)]  # the best rated talk, of the ratings of talks
            self.cost -= 1.0  # the other noun has found its place
            return self._grouped_top([tree.Aggregate("avg", key)], top)
        if self.by and measures or measures not in ([], [facts.COUNT]):
            raise facts.Misfit
        order = (tree.Order(key, top.descending),)
        if self.by and not self.of(facts.By) and self._side_by_side_groups():
            total = tree.Aggregate("sum" if self._sums(key) else "avg", key)
            return self._grouped(total, order=(replace(order[0], of=total),))
        title = self.schema.table(self.main).title
        if headed and not self.by and self._flows() and not (title.unique or title.key):
            self.by = [tree.Field(title.ref)]  # 销量最高的商品, of a table of what was sold
            return self._grouped_top([tree.Aggregate("sum", key)], top)
        most = tree.Aggregate("max" if top.descending else "min", key)
        if self.by and not headed and self._flows():
            return self._grouped_top([tree.Aggregate("sum", key)], top)
        if self.by and not headed and not top.many and top.n is None:
            return self._grouped(most)
        if self.by:
            return tree.Select(self.main, where=self.where, order=order, each=tuple(self.by), **self._first(top))
        heads = [h for h in self.named if not self._is_number(h.meant) and h.meant != key]
        others = [o for o in self.others if self.schema.path(self.main, o.of)]
        if not headed and (heads or others or self.marks("who")) and (top.many or self._sums(key)):
            self.by = self._group_named()
            if self.by and self.by != [self._title_of(self.main)]:
                return self._grouped_top([tree.Aggregate("sum", key)], top)
            self.by = []
        show = tuple(h.meant for h in self.named if h.meant != key)
        self.named = []
        said = self.text[top.start : top.end]  # the highest fare is a number, the fare that is the highest a row
        ahead = bool(said) and not is_han(said[0]) and top.about in ("any", "size", "rating")
        ahead |= said.startswith(("最高", "最低", "最大", "最小", "最多", "最少"))
        before = ahead and not any(self.text[top.end : f.start] == "的" for f in self.wheres)  # 最高的女生
        asked = top.n is not None or self.of(facts.Count) or self.marks("which", "who")
        if before and not headed and not show and not asked:
            return self._grouped(most)
        whose = self._parents_people() if self.marks("who") and not show else ()  # whose score it is
        show = (*whose, *show, key) if show or whose else ()
        return tree.Select(self.main, show=show, where=self.where, order=order, **self._first(top))

    def _side_by_side_groups(self) -> bool:
        return any(f.listed and tree.Field(f.listed.of) in self.by for f in self.wheres)

    def _first(self, top: facts.Top) -> dict[str, Any]:
        """How many, from which on, and whether equals of the last are shown too."""
        counts, n = self.of(facts.Count), top.n
        if n is None and counts:
            near = min(counts, key=lambda c: min(abs(c.start - top.end), abs(top.start - c.end)))
            n, self._counts_used = near.n, {near}
        return {"limit": 1 if n is None else n, "offset": top.offset, "ties": n is None and top.offset == 0}

    def _loose_key(self) -> tree.Expr | None:
        loose = [f.meant for f in self.of(facts.By) if f.loose and self._is_order(f.meant)]
        return next(iter([*loose, *(s.meant for s in self.of(facts.Sorted) if s.options)]), None)

    def _most(self, top: facts.Top) -> tree.Select:
        """The group with the most rows."""
        if not self.by and self.language == "en" and self.nouns and self.nouns[0].of == self.main and self.others:
            raise facts.Misfit  # which towns have the most shops: towns are not grouped by their shops
        of_these = any(self._follows(top, n) for n in self.nouns)  # wrote the most books
        done = bool(self.marks("verb")) and not self.others and not of_these
        if done and any(f.parent == self.main for f in self.schema.foreign_keys):
            self.cost += 1.5  # which genre is borrowed most: not of the books, but of what happened to them
        self.by = self.by or self._group_named(besides=self.main)
        counted = [m for m in self.measures if isinstance(m, tree.Aggregate) and m.fn in ("count", "distinct")]
        if self.by and not counted and all(map(self._tells_apart, self.by)):
            raise facts.Misfit  # the guest with the most guests
        return self._grouped_top(list(dict.fromkeys([*(counted[:1] or [facts.COUNT]), *self.measures])), top)

    def _grouped_top(self, shown: Sequence[tree.Expr], top: facts.Top) -> tree.Select:
        """The first groups by the first of these numbers."""
        if not self.by or not shown:
            raise facts.Misfit
        both = top.n is None and self._side_by_side_groups()  # who of these two: both are shown
        first = {} if both else self._first(top)
        return self._grouped(*shown, order=(tree.Order(shown[0], top.descending),), **first)

    def _is_order(self, e: tree.Expr) -> bool:
        c = self.column(e)
        ranked = bool(self.of(facts.Top) or [s for s in self.of(facts.Sorted) if not s.options])
        plain = not any(isinstance(x, (facts.Measured, facts.HowMany)) for x in self.facts)
        ordered = c is not None and not c.is_key and (c.kind == "number" and not c.is_year or c.kind == "date")
        return ordered and (plain or ranked)

    def _ordered(self, made: tree.Select) -> tree.Select:
        stands = self.before
        for s in self.of(facts.Sorted):
            if s.many:
                key: tree.Expr = facts.COUNT
                if not made.by:
                    raise facts.Misfit
            elif s.options:
                key = s.meant
            elif made.measures and made.by:
                key = made.measures[0]
            elif stands is not None and ((stands.by and stands.measures) or stands.order):
                of = stands.measures[0] if stands.by and stands.measures else stands.order[0].of
                made = replace(made, order=(tree.Order(of, bool(s.descending)),))
                continue
            else:
                loose = [f.meant for f in self.of(facts.By) if f.loose and self._is_order(f.meant)]
                if not loose and made.order and made.ties and s.descending is not None:
                    made = replace(
                        made, order=(replace(made.order[0], descending=s.descending),), limit=None, ties=False
                    )
                    continue  # the longest, from longest to shortest: all of them
                alone = made.show if len(made.show) == 1 and self._is_order(made.show[0]) else ()  # 租金从低到高
                if not loose and not alone:
                    if not made.order:
                        self.left.append(s)
                    continue
                key = (*loose, *alone)[0]
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
        places = tree.tables(made)
        keys = [f for t in sorted(places) for f in self.schema.way(self.main, t) or ()]
        places |= {t for f in keys for t in (f.table, f.parent)}
        headed, today = any(n.of == self.main for n in self.nouns), self.links.as_of.isoformat()
        days = {
            c.ref
            for t in places
            for c in self.schema.table(t).columns
            if c.kind == "date" and not c.empty and str(c.high) <= today
        }
        tests = [c for c in made.where if isinstance(c, tree.Test) and c.values == (False,)]
        used = tree.refs(replace(made, where=tuple(c for c in made.where if c not in tests)))  # members and non-members
        unused = [cue for cue in self.of(facts.Cue) if not (cue.refs & used or cue.tables & places)]
        self.cost += 0.3 * sum(bool(cue.refs & days) for cue in unused)  # sold, in a table of sales, says nothing
        people = any("person" in self.schema.column(r).tags for r in used if r.table == self.main)  # led by Rita
        if self.marks("verb") and any(f.parent == self.main for f in self.schema.foreign_keys):
            own = {r for c in made.where for r in tree.refs(c) if r.table == self.main}
            self.cost += 0.5 * any(self.schema.column(r).kind == "date" for r in own)  # borrowed in March, not joined
        self.left += [n for n in self.named if not tree.refs(n.meant) <= used]
        self.left += [n for n in self.nouns if n.of not in places and (headed or not self.schema.path(self.main, n.of))]
        self.left += [cue for cue in unused if not cue.refs & days]
        self.left += [c for c in self.of(facts.Count) if c not in self._counts_used]
        taken = {*(o.of for o in made.order), *made.by, *made.each}
        loose = [f for f in self.of(facts.By) if f.loose and self._is_order(f.meant)]
        self.left += [f for f in loose if f.meant not in taken]
        counts = facts.COUNT in made.measures or any(facts.COUNT in tree.walk(h) for h in made.having)
        counts = counts and (len(self.schema.tables) == 1 or bool(made.by))
        distinct = any(isinstance(x, tree.Aggregate) and x.fn == "distinct" for x in made.measures)
        served = {
            "other": any(isinstance(w, tree.Not) for w in made.where),
            "different": made.distinct or distinct or bool(made.by),
            "much": bool(made.measures) or (self.language == "zh" and any(map(self._is_number, made.show))),
            "whole": any(isinstance(m, tree.Aggregate) and m.fn in ("count", "sum") for m in made.measures),
            "worth": made.plain,
            "when": made.plain,
            "where": False,
            "verb": people
            or len(places) > 1
            or counts
            or len(self.schema.tables) == 1
            or bool(self.schema.parents(self.main)),
            "split": bool(made.by) or len(made.measures) + len(made.show) > 1,
        }
        by = [w for w in self.wheres if self.label(w).lower().startswith("by ")]  # offered by the department of …
        for m in self.of(facts.Mark):
            whose = self.wheres if self.label(m).endswith(" by") else by  # owned by Rita
            done = m.role == "verb" and any(self._follows(m, w) for w in whose)
            if not (served.get(m.role, True) or m in self._answered or done):
                self.left.append(m)


def _on_days(c: tree.Condition) -> bool:
    return isinstance(c, tree.Test) and c.op == "during"
