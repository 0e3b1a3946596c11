"""Shares, ratios, conditions on groups, top lists and orders, and whether every fact has found a place in the tree."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lab.text2sql import facts, tree
from lab.text2sql.facts import COUNT, By, Count, Sorted, Top, Where, aggregates, op_of
from lab.text2sql.hints import words_of
from lab.text2sql.lexicon import roles_of
from lab.text2sql.measured import in_units
from lab.text2sql.quantities import numeric
from lab.text2sql.schema import Column
from lab.text2sql.tree import Aggregate, Arithmetic, Condition, Expr, Field, Inner, Not, Order, Ref, Select, Share, Test

_WHICH = re.compile(r"((in|on|during) )?(which|what)\b")
_COPULA = re.compile(r"(?<=\bof ).* (is|are|was|were|has|have|had|got)(?![a-z])")
"""What parts those of which there is a share from what is said of them."""


class Ranking(facts.Facts):
    """The trees of shares, of groups that hold a condition, and of the first by something."""

    def _grouped(self, *measures: Expr, **parts: Any) -> Select:
        """The groups of the question (or all of its rows) with these numbers."""
        return replace(Select(self.main, by=tuple(self.by), measures=measures, where=self.where), **parts)

    def _share(self, top: Top | None = None) -> Select:
        """A share; with a top list, the groups that have the highest: 取消率最高的场地."""
        if top is not None:
            self.by = self.by or self._group_named()
            self.unfit(top.options or not self.by or all(map(self._tells_apart, self.by)))
            made = self._share()
            self.unfit(not made.by)
            return replace(made, order=(Order(made.measures[0], top.descending),), **self._first(top))
        sums, where, dated = aggregates(self.measures, "sum"), self.where, all(op_of(c) == "during" for c in self.where)
        whole = Aggregate("sum", sums[0].of) if sums else COUNT
        out_of = next((s.start for s in self.of(facts.Shared) if self.label(s).lower().startswith("out of")), -1)
        inside = [f for f in self.wheres if f.start < out_of]
        if inside:  # paid orders out of all orders in May
            rest, held = self._conditions([f for f in self.wheres if f not in inside]), self._conditions(inside)
        elif self.by and (not where or self.among or whole != COUNT):
            self.cost += 0.3 * (not dated)  # of each, those that are remote
            return self._grouped(Share(whole.of))
        else:
            self.unfit(not where or (self.among and len(where) < 2))
            self.cost += 0.3 * (bool(self.by) and dated)
            related = any(isinstance(c, tree.Related) for c in where)
            self.unfit(related and self.nouns and not self.headed)
            self.cost += 0.4 * related  # 取消率: of the orders, not of who has one
            two = self.wheres[:2] if self.language == "zh" else []
            told = any(self.label(s).startswith("率") for s in self.of(facts.Shared))
            told |= len(two) > 1 and re.search("[里中]", self.text[two[0].end : two[1].start]) is not None
            self.cost += 0.4 * (told and len(where) > 1 and not self.among)  # 内推的人里录用的占多少
            # of two conditions, the last may be the share of those that hold the first
            rest, held = (where[:-1], where[-1:]) if self.among else ((), where)
            is_ = max((m.start(1) for m in _COPULA.finditer(self.text)), default=0)  # of the flats in Ely are let
            behind = [f.start >= is_ for f in self.wheres]
            self.cost += 0.4 * (not self.among and is_ > 0 and any(behind) and not all(behind))
        return self._grouped(Arithmetic("/", replace(whole, where=held), whole), where=rest)

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

    def _ratio(self, sides: tuple[int, int]) -> Select:
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
        if not wheres and self.by and len(mains) > 1 and set(mains) == {self.main}:
            return self._grouped(Share())  # of each state, to all of them
        if not wheres and len(set(mains)) == 2 and mains[0] == self.main and not self.by:
            counts = [Inner(Select(t, measures=(COUNT,))) for t in dict.fromkeys(mains)]
            return self._grouped(Arithmetic("/", *counts), limit=1)
        self.unfit(not left or not (right or len(mains) > 1) or {*mains} - {self.main})
        common = [f for f in self.wheres if f not in wheres or f in shared]
        sorts = (self._conditions(side) for side in (left, [f for f in right if f not in shared]))
        ratio = Arithmetic("/", *(Aggregate("count", None, held) for held in sorts))
        return self._grouped(ratio, where=self._conditions(common))

    def _of_numbers(self, two: Sequence[Expr], left: Sequence[Where], right: Sequence[Where]) -> Select:
        """The ratio of two numbers: of one row to that of another, or of two columns of every row."""
        self.named = [n for n in self.named if n.meant not in two]
        sides = [self._conditions(side) for side in (left, right)]
        if left and right:
            self.unfit(self.by or not all(map(self._titled, sides)))
            rows = ((next(iter(tree.tables(e))), e, held) for e, held in zip(two, sides, strict=True))
            each = (Inner(Select(t, (e,), where=held, limit=1, distinct=True)) for t, e, held in rows)
            return Select(self.main, measures=(Arithmetic("/", *each),), limit=1)
        self.unfit(right or tree.tables(tuple(two)) != {self.main} or not all(map(self._tells_apart, self.by)))
        return Select(self.main, show=(*self.by, Arithmetic("/", *two)), where=sides[0])

    def _having(self, f: facts.Counted | facts.Bounded) -> Select:
        numbers = self.marks("much") or any(not self.label(h).endswith(("数", "量")) for h in self.of(facts.HowMany))
        self.unfit(not self.of(By) and numbers and not self.marks("split"))  # how many groups there are
        self.unfit(isinstance(f, facts.Counted) and f.of not in ("", self.main))
        measure = f.meant if isinstance(f, facts.Bounded) else COUNT
        by = self.by = self.by or self._group_named()
        # pets that were here six times: it is their visits that are counted
        self.unfit(isinstance(f, facts.Counted) and by == [self._title_of(self.main)] and self.has_children)
        few = f.quantity.op in ((">", ">=") if f.quantity.negated else ("<", "<="))
        tables = [e.ref.table for e in by if isinstance(e, Field) and e == self._title_of(e.ref.table)]
        # customers with fewer than 2 orders: those with none have no group
        self.unfit(isinstance(f, facts.Counted) and few and len(by) == 1 and tables not in ([], [self.main]))
        self.unfit(not by or (measure == COUNT and all(map(self._tells_apart, by))))  # each is one
        shown = dict.fromkeys([m for m in self.measures if m != COUNT] + [measure])
        values: Sequence[float] = f.quantity.values
        if isinstance(measure, Aggregate) and isinstance(measure.of, Field) and measure.fn not in ("count", "distinct"):
            c = self.schema.column(measure.of.ref)
            rows = self.schema.table(c.table).rows if measure.fn == "sum" else 1
            made = in_units(c, f.quantity, rows)  # an average of over 150,000 yuan, of a column in ten thousands
            self.unfit(made is None)
            values = made[0] if made is not None else values
        return self._grouped(*shown, where=self._of_known(), having=(numeric(measure, f.quantity, values),))

    def _top(self, top: Top) -> Select:
        stands, measures = self.before, self.measures
        ways = [s.descending for s in self.of(Sorted) if s.descending is not None and not (top.options or top.about)]
        top = replace(top, descending=ways[0]) if ways else top  # 从轻到重排，只看前三个
        counting = top.many or any(s.many and s.of in ("", self.main) for s in self.of(Sorted))
        loose = [] if counting else [*self.loose, *(s.meant for s in self.of(Sorted) if s.options)]
        key = top.meant if top.options else next(iter(loose), None)
        if key is None and not (counting or self.by or measures) and stands is not None and stands.measures:
            self.by = list(stands.by)
            return self._grouped_top(stands.measures, top)
        self.where += self._in_time(key, top)
        groups = [n for n in self.named if self._repeats(n.meant, "category") and not self._tells_apart(n.meant)]
        if isinstance(key, Arithmetic) and self._one_asked() and groups and not (self.by or self.headed):
            self.by = self._group_named()  # 哪个师傅修得最快: on average
            key = Aggregate("avg", key)
        if isinstance(key, Aggregate):
            self.by = self.by or self._group_named() or (list(stands.by) if stands is not None else [])
            return self._grouped_top([key, *(m for m in measures if m != key)], top)
        if key is None:
            return self._most(top) if counting else self._grouped_top(measures, top)
        # the biggest harvest is not that of the biggest plot
        self.unfit(top.about == "size" and self.headed and tree.tables(key) != {self.main})
        others = [n for n in self.others if self.schema.path(self.main, n.of)]
        rated = self._has(key, "number") and (top.about == "rating" or "rating" in self.tags_of(key))
        people = [n for n in self.named if "person" in self.tags_of(n.meant) and self.marks("who", "which")]
        if rated and (others or people) and not (self.headed or self.by or measures):
            self.named = [n for n in self.named if n not in people[:1]]  # 满意度最低的维修员是谁
            # the best rated talk, of its ratings
            self.by = [self._title_of(others[0].of) if others else people[0].meant]
            self.cost -= 1.0 * bool(others)  # the other noun has found its place
            return self._grouped_top([Aggregate("avg", key)], top)
        self.unfit((self.by and measures) or measures not in ([], [COUNT]) or key in self.by)
        order = (Order(key, top.descending),)
        if self.by and not self.of(By) and any(f.listed and Field(f.listed.of) in self.by for f in self.wheres):
            total = Aggregate("sum" if self._sums(key) else "avg", key)
            return self._grouped(total, order=(Order(total, top.descending),))
        title = self.schema.table(self.main).title
        if self.headed and not self.by and self._flows() and not (title.unique or title.key):
            self.by = [Field(title.ref)]  # 销量最高的商品, of a table of what was sold
            return self._grouped_top([Aggregate("sum", key)], top)
        asked_for = any(_WHICH.match(self.label(f).lower()) for f in self.of(By))
        added_up = self._flows() or (asked_for and self._sums(key))
        if self.by and not self.headed and added_up:  # the month that sold most
            return self._grouped_top([Aggregate("sum", key)], top)
        most = Aggregate("max" if top.descending else "min", key)
        whose = self._parents_people() if self.marks("who") else ()  # whose score it is
        one = self._one_asked() and (self._people() or bool(whose) or not self.marks("who")) and not self.named
        if self.by and not self.headed and not top.many and top.n is None and not one:
            return self._grouped(most)
        if self.by:
            c, shown = self.column(key), (*self.by, *whose, key) if whose and not self.headed else ()
            where = (*self.where, Not(Test(key, "empty"))) if c is not None and c.empty else self.where
            return Select(self.main, shown, where=where, order=order, each=tuple(self.by), **self._first(top))
        heads = any(not self._is_number(n.meant) and n.meant != key for n in self.named)
        spender = "花" in self.label(top) and self._one_asked() and heads  # 花钱最多的是哪位患者
        if (spender or not self.headed) and (heads or others or self.marks("who")) and (top.many or self._sums(key)):
            self.by = self._group_named()
            if self.by and self.by != [self._title_of(self.main)]:
                return self._grouped_top([Aggregate("sum", key)], top)
            self.by = []
        show, self.named = tuple(n.meant for n in self.named if n.meant != key), []
        said = self.text[top.start : top.end]  # the highest fare is a number, the fare that is the highest a row
        ahead = said.isascii() and top.about in ("any", "size", "rating") and bool(said)
        ahead = ahead or said.startswith(("最高", "最低", "最大", "最小", "最多", "最少"))
        ahead = ahead and not any(self.text[top.end : f.start] == "的" for f in self.wheres)  # 最高的女生
        asked = top.n is not None or self.of(Count) or self.marks("which", "who")
        if ahead and not self.headed and not show and not asked:
            return self._grouped(most)
        whose = () if show else whose
        self.cost += 0.9 * bool(self.marks("who") and not (show or whose or self._people()))
        show = (*whose, *show, key) if show or whose else ()
        return Select(self.main, show=show, where=self.where, order=order, **self._first(top))

    def _first(self, top: Top) -> dict[str, Any]:
        """How many, from which on, and whether equals of the last are shown too."""
        counts, n = self.of(Count), top.n
        if n is None and counts:
            near = min(counts, key=lambda c: min(abs(c.start - top.end), abs(top.start - c.end)))
            n, self._counts_used = near.n, {near}
        return {"limit": 1 if n is None else n, "offset": top.offset, "ties": n is None and top.offset == 0}

    def _most(self, top: Top) -> Select:
        """The group with the most rows."""
        english = self.language == "en"  # which towns have the most shops: towns are not grouped by their shops
        self.unfit(english and not self.by and self.nouns and self.nouns[0].of == self.main and self.others)
        of_these = any(self._follows(top, n) for n in self.nouns)  # wrote the most books
        if english and not of_these and self._speaks_of_paying():  # owes us the most: money, not rows
            self.by = self.by or self._group_named(besides=self.main)
            return self._grouped_top([Aggregate("sum", Field(c.ref)) for c in self._money()], top)
        if self.marks("verb") and not self.others and not of_these and self.has_children:
            self.cost += 1.5  # which genre is borrowed most: not of the books, but of what happened to them
        self.cost += 0.5 * (self.text.lower().startswith("who ") and not self.marks("who"))
        if self.marks("who"):  # who has taken care of the most gardens: not the gardens
            self.named = [n for n in self.named if not self._follows(top, n)]
            self.others = [n for n in self.others if not self._follows(top, n)]
        most = {self.named_group(n.meant) for n in self.named if self._follows(top, n)}
        most |= {self._title_of(n.of) for n in self.nouns if self._follows(top, n)}
        self.by = self.by or self._group_named(besides=self.main)
        self.unfit(any(self._title_of(n.of) in most & {*self.by} for n in self.nouns))
        # 库存加起来最多: the most pieces, not the most rows
        self.cost += 0.4 * any(self._follows(m, top) for m in self.of(facts.Measured))
        counted = aggregates(self.measures, "count", "distinct")
        self.unfit(self.by and not counted and all(map(self._tells_apart, self.by)))  # the guest with the most guests
        return self._grouped_top(list(dict.fromkeys([*(counted[:1] or [COUNT]), *self.measures])), top)

    def _speaks_of_paying(self) -> bool:
        """Whether a condition says what is paid, or is not."""
        own = (words_of(r.column) for r in tree.refs(self.where) if r.table == self.main)
        return any("paid" in words or "settled" in words for words in own)

    def _money(self) -> list[Column]:
        """The column of the money that is spent by a row of the table, where there is one only."""
        columns = [c for c in self.schema.table(self.main).columns if "spent" in c.hint.cues and not c.is_key]
        return columns if len(columns) == 1 else []

    def _grouped_top(self, shown: Sequence[Expr], top: Top) -> Select:
        """The first groups by the first of these numbers."""
        told = any(not (f.loose or f.listed) for f in self.of(By))
        each, inner = tuple(self.by), self._group_named(besides=self.main) if told and self._one_asked() else []
        self.by += [e for e in inner if e not in self.by]  # 每个车间产量最高的是哪台设备
        each = each if len(self.by) > len(each) else ()
        self.unfit(not self.by or not shown)
        beside = any(f.listed and Field(f.listed.of) in self.by for f in self.wheres)
        both = top.n is None and beside  # who of these two: both are shown
        order, first = (Order(shown[0], top.descending),), {} if both else self._first(top)
        return self._grouped(*shown, where=self._of_known(), order=order, each=each, **first)

    def _of_known(self) -> tuple[Condition, ...]:
        """The conditions of groups that have a name."""
        own = (e for e in self.by if isinstance(e, Field) and self.schema.column(e.ref).empty)
        return (*self.where, *(Not(Test(e, "empty")) for e in own))

    def _one_asked(self) -> bool:
        """Whether it is asked who, or which one."""
        return any("哪" in self.label(m) for m in self.marks("which", "what")) or bool(self.marks("who"))

    def _is_order(self, e: Expr) -> bool:
        c = self.column(e)
        ordered = c is not None and not c.is_key and (c.kind == "number" and not c.is_year or c.kind == "date")
        return ordered and (not self.numbers_asked or bool(self.of(Top)) or any(not s.options for s in self.of(Sorted)))

    @property
    def loose(self) -> list[Expr]:
        """What "by" may be an order by."""
        return [f.meant for f in self.of(By) if f.loose and self._is_order(f.meant)]

    def _ordered(self, made: Select) -> Select:
        stands = self.before
        for s in self.of(Sorted):
            one = len(made.show) == 1 and self._is_order(made.show[0])
            alone: tuple[Expr, ...] = made.show if one else ()  # 租金从低到高
            held = [e for e in map(Field, tree.refs(made.where)) if made.plain and self._is_number(e)]
            alone = alone or (tuple(held) if len(held) == 1 else ())  # 高于平均水平的，从高到低
            if s.many:
                self.unfit(not made.by)
                key: Expr = COUNT
            elif s.options:
                key = made.show[0] if s.alpha and len(made.show) == 1 else s.meant
            elif made.measures and made.by:
                key = made.measures[0]
            elif stands is not None and ((stands.by and stands.measures) or stands.order):
                of = stands.measures[0] if stands.by and stands.measures else stands.order[0].of
                made = replace(made, order=(Order(of, bool(s.descending)),))
                continue
            elif not self.loose and made.order and made.ties and s.descending is not None:
                first = replace(made.order[0], descending=s.descending)
                made = replace(made, order=(first,), limit=None, ties=False)
                continue  # the longest, from longest to shortest: all of them
            elif self.loose or alone:
                key = (*self.loose, *alone)[0]
            else:
                self.left += [] if made.order else [s]
                continue
            if made.by and isinstance(key, Field) and key not in made.by:
                if self._title_of(key.ref.table) in made.by:
                    made = replace(made, by=(*made.by, key))  # by the number of each customer
                else:
                    wanted = [m for m in made.measures if isinstance(m, Aggregate) and m.of == key]
                    self.unfit(not wanted)
                    key = wanted[0]
            self.unfit((made.measures or isinstance(key, Aggregate)) and not made.by)
            if not made.order:
                # by fare, highest first
                said = [x.descending for x in (s, *self.of(Sorted)) if x.descending is not None]
                descending = said[0] if said else isinstance(key, Aggregate)
                made = replace(made, order=(Order(key, descending),))
            elif made.order[0].of == key and made.ties and s.descending is not None:
                made = replace(made, limit=None, ties=False)  # the most, ordered by how many: all of them
        return made

    def _settle(self, made: Select) -> None:
        """Every fact must have found a place; those that have none are left over."""
        places = tree.tables(made)
        keys = [f for t in sorted(places) for f in self.schema.way(self.main, t) or ()]
        places |= {t for f in keys for t in (f.table, f.parent)}
        ways = [f for f in self.schema.foreign_keys for k in keys if (f.table, f.parent) == (k.table, k.parent)]
        self.unfit(len({*ways}) > len({*keys}))  # the home team or the guests: it is not said which
        today, columns = self.links.as_of.isoformat(), (c for t in places for c in self.schema.table(t).columns)
        days = {c.ref for c in columns if c.kind == "date" and not c.empty and str(c.high) <= today}
        denied = [c for c in made.where if isinstance(c, Test) and c.values == (False,)]
        # members and non-members
        used = tree.refs(replace(made, where=tuple(c for c in made.where if c not in denied)))
        unused = [cue for cue in self.of(facts.Cue) if not (cue.refs & tree.refs(made) or cue.tables & places)]
        self.cost += 0.3 * sum(bool(cue.refs & days) for cue in unused)  # sold, in a table of sales, says nothing
        people = any("person" in self.schema.column(r).tags for r in used if r.table == self.main)  # led by Rita
        cued = [{*cue.tables, *(r.table for r in cue.refs)} for cue in self.of(facts.Cue)]
        children = any(t != self.main and self.schema.path(t, self.main) for tables in cued for t in tables)
        told = {t for w in self.wheres if op_of(w.meant) == "=" for t in tree.tables(w.meant)}
        days_of = {t for w in self.wheres if w.options[0].why == "day" for t in tree.tables(w.meant)}
        events = ((t, d) for t in told for d in days_of if self.language == "zh" and t != d)
        self.cost += 0.9 * any(self.schema.path(t, d) for t, d in events)  # 今天请病假的孩子: the day of the leave
        if (self.marks("verb") or children) and self.has_children:
            own = {r for c in made.where for r in tree.refs(c) if r.table == self.main}
            self.cost += 0.5 * any(self.schema.column(r).kind == "date" for r in own)  # borrowed in March, not joined
        self.left += [n for n in self.named if not tree.refs(n.meant) <= used]
        surely = (f for f in self.schema.foreign_keys if not self.schema.column(Ref(f.table, f.column)).empty)
        # a loan is of a book
        implied = {f.parent for f in surely if f.table in places - {self.main} and f.parent != f.table}
        first = min((n.start for n in self.nouns if n.of == self.main), default=len(self.text))
        far = [n for n in self.nouns if n.of not in places]
        idle = [n for n in far if n.of in implied and (n.start > first) == (self.language == "en")]
        self.cost += 0.3 * bool(idle)
        far = [n for n in far if n not in idle]
        self.left += [n for n in far if self.headed or not self.schema.path(self.main, n.of)]
        self.left += [cue for cue in unused if not cue.refs & days]
        self.left += [c for c in self.of(Count) if c not in self._counts_used]
        taken = {*(o.of for o in made.order), *made.by, *made.each}
        self.left += [f for f in self.of(By) if f.loose and f.meant in self.loose and f.meant not in taken]
        counts = COUNT in made.measures or any(COUNT in tree.walk(h) for h in made.having)
        counts = counts and (len(self.schema.tables) == 1 or bool(made.by))
        lone, zh = len(self.schema.tables) == 1, self.language == "zh"
        much = (bool(made.measures) and not self.of(facts.HowMany)) or any(map(self._is_number, made.show))
        served = {
            "other": any(isinstance(w, Not) for w in made.where),
            "different": made.distinct or bool(aggregates(made.measures, "distinct")) or bool(made.by),
            "much": made.measures not in ((), (COUNT,)) or (zh and much),
            "whole": bool(aggregates(made.measures, "count", "sum")),
            "worth": made.plain or any(("earned",) in roles_of(self.label(m)) for m in self.of(facts.Measured)),
            "sort": bool(made.order),
            "when": made.plain,
            "where": False,
            "mean": False,
            "verb": people or len(places) > 1 or counts or lone or bool(self.schema.parents(self.main)),
            "split": bool(made.by or made.each) or len(made.measures) + len(made.show) > 1,
        }
        by = [w for w in self.wheres if self.label(w).lower().startswith("by ")]  # offered by the department of …
        by += [w for w in self.wheres if zh and op_of(w.meant) == "="]  # 养猫的, but not 养过猫的
        for m in self.of(facts.Mark):
            whose = self.wheres if self.label(m).endswith(" by") else by  # owned by Rita
            done = m.role == "verb" and self.label(m)[-1:] not in "过了" and any(self._follows(m, w) for w in whose)
            fit = len(places) > 1 if m.of == "deed" else served.get(m.role, True)
            self.left += [] if fit or m in self._answered or done else [m]
