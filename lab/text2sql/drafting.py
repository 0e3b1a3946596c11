"""From the facts of a question on one table to its tree; a fact that finds no place is left over, and counts as words
that were not understood."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from lab.text2sql import facts, tree
from lab.text2sql.amounts import IN_ALL, Amounts, flat
from lab.text2sql.facts import COUNT, By, Cue, HowMany, Listed, Measured, Named, Sorted, Top, Where, aggregates, op_of
from lab.text2sql.lacking import Lacking
from lab.text2sql.naming import stem
from lab.text2sql.tree import Condition, Expr, Field, Not, Ref, Related, Select, Test


class Draft(Lacking, Amounts):
    """A tree while it is made."""

    def select(self) -> Select:
        """The tree of these facts; raises `Misfit`."""
        self.unfit(self._other_kind())
        self.cost += self._table_cost()
        self.unfit(self.language == "zh" and any(map(self._of_others, self.wheres)))
        sides = self._sides()
        apart = self._counts_apart() if sides is None else []
        self.where = self._conditions() if sides is None else ()
        self.by = self._groups()
        tops, counted = self.of(Top), self.of(facts.Counted) + self.of(facts.Bounded)
        if len(tops) == 2 and tops[0].n and tops[1].n is None and not (tops[0].options or tops[0].many):
            tops = [replace(tops[1], n=tops[0].n, start=tops[0].start)]  # the top 3 with the highest score
        if len(tops) == 2 and (tops[0].options[:1], tops[0].descending) == (tops[1].options[:1], tops[1].descending):
            tops = tops[1:]  # the fastest, in the fewest days
        self.unfit(len(tops) + len(counted) > 1)
        self.measures = apart or self._measured()
        self.unfit(apart and (tops or counted))
        means = bool(self.of(Measured) or self.marks("mean")) and aggregates(self.measures, "avg") == self.measures
        if means:  # the average number of nights per booking: of all, or of those of each country
            self.by = [e for e in self.by if not self._tells_apart(e)]
        if sides is not None:
            made = self._ratio(sides)
        elif self.of(facts.Shared) or self.marks("ratio"):
            self.unfit(not self.of(facts.Shared))
            made = self._share(*tops)
        elif counted:
            made = self._having(counted[0])
        elif tops:
            made = self._top(tops[0])
        elif self.measures or self.by:
            self.cost += self._group_cost()
            made = self._grouped(*self.measures or [COUNT])
        else:
            made = self._rows(self.where)
        made = self._ordered(self._described(made))
        self.unfit(any(map(self._deed, (*made.by, *made.show))))
        self.unfit(self.language == "en" and any(map(self._led_or_joined, made.where)))
        self._settle(made)
        return made

    def _of_others(self, f: Where) -> bool:
        """Whether an age, said of people, is that of other people: 30岁以上的教练, where only the pupils have one."""
        whose = [n.of for n in self.nouns if self.text[f.end : n.start] in ("", "的") and n.start >= f.end]
        aged = [r.table for r in tree.refs(f.meant) if self.schema.column(r).tags & {"age", "birth"}]
        return f.options[0].why == "unit" and any(t not in aged and self._people(t) for t in whose if aged)

    def _counts_apart(self) -> list[Expr]:
        """Two counts of rows that hold opposite things, 卖掉几台、还剩几台: each has its conditions for itself."""
        counts = sorted(self.of(HowMany), key=lambda h: h.start)
        ends = [-1, *(h.start for h in counts), len(self.text)]
        between = [[w for w in self.wheres if a < w.start < b] for a, b in itertools.pairwise(ends)]
        # 修好了几单、还有几单没修好
        sides = [side or behind for side, behind in itertools.pairwise(between)] if between[0] else []
        if len(counts) == 1:
            pairs = itertools.combinations(self.wheres, 2)
            sides = [[a, b] for a, b in pairs if a.meant == Not(b.meant) or b.meant == Not(a.meant)][:1]
            sides = [[w] for side in sides for w in side]
        shared = set[Ref].intersection(*(tree.refs(tuple(w.meant for w in side)) for side in sides)) if sides else set()
        sides = [[w for w in side if tree.refs(w.meant) <= shared] for side in sides]
        if len(sides) < 2 or not all(sides):
            return []
        made: list[Expr] = [tree.Aggregate("count", None, self._conditions(side)) for side in sides]
        self.wheres = [w for w in self.wheres if not any(w in side for side in sides)]
        return made if len({*made}) > 1 else []

    def _group_cost(self) -> float:
        """How far-fetched it is that groups with numbers are asked for."""
        last, chinese, who = self.of(Measured)[-1:], self.language == "zh", self.marks("who")
        extremes, numbers = aggregates(self.measures, "min", "max"), self.measures not in ([], [COUNT])
        behind = any(n.of == self.main and n.start >= m.end for n in self.nouns for m in last)
        valued = any(f.start >= m.end and self.text[m.end : f.start] == "的" for f in self.wheres for m in last)
        tests = [c for c in self.where if isinstance(c, Test)]
        limited = {c.of for c in tests if c.op in tree.COMPARISONS[1:]}
        one = {c.of for c in tests if c.op == "=" and len(c.values) == 1}
        apart, asked = any(map(self._tells_apart, self.by)), self.marks("who", "which")
        dated = any(self._is_row(f.meant) for f in self.of(By))  # on which day
        far_fetched = (
            # average minutes by station: of each
            (0.3, numbers and not self.by and any(self.label(n).lower().startswith("by ") for n in self.nouns)),
            (1.0 if who else 0.35, extremes and (((asked or dated) and not self.by) or (behind and chinese))),
            (0.6, extremes and self.by and chinese and self._one_asked()),  # 每班工资最高的是谁: who
            (0.7, extremes and valued),  # 售价最高的蛋奶: the one, not the price
            (0.4, any(isinstance(m, tree.Aggregate) and m.of in limited for m in self.measures)),
            (1.2, extremes and self.others and not self.by and chinese),  # 挂号费最高的科室: the one, not the fee
            (0.6, one & {*self.by, *map(self.named_group, self.by)}),  # of one group there is nothing to compare
            (1.0, (apart and not numbers) or any(f.loose and self._tells_apart(f.meant) for f in self.of(By))),
        )
        return sum(cost for cost, when in far_fetched if when)

    def _described(self, made: Select) -> Select:
        """Groups with what else was named of them: the id of each customer, beside the name."""
        groups = {e.ref.table for e in made.by if isinstance(e, Field) and e == self._title_of(e.ref.table)}
        named = [(n.meant, c) for n in self.named if (c := self.column(n.meant)) is not None]
        more = [e for e, c in named if c.table in groups and e not in made.by and (c.table != self.main or c.key)]
        if made.having:  # Anna has two, and another Anna three
            others = (self.schema.table(t) for t in groups if t != self.main)
            keys = {t.name: t.keys for t in others if not t.title.unique}
            more += [Field(k[0].ref) for k in keys.values() if len(k) == 1 and Field(k[0].ref) not in made.by]
        return replace(made, by=(*made.by, *dict.fromkeys(more))) if more else made

    def _table_cost(self) -> float:
        """How well the table fits what is named: the counted noun, the first in English, the last in Chinese."""
        self.unfit(any(map(self._counts_others, [*self.of(HowMany), *self.marks("much")])))
        if not self.nouns:
            said = [t for f in self.facts for o in getattr(f, "options", ()) if (t := tree.tables(o.of))]
            others = sum(self.main not in t for t in said)
            whom = self.marks("who") and self.marks("verb") and not self.schema.parents(self.main)  # who borrowed it
            done = self.language == "zh" and self.marks("verb") and any(self._child(w.meant) for w in self.wheres)
            far = 0.3 * bool(done) - 0.5 * bool(whom)
            return far + (0.5 * others / len(said) if said and not self.of(Measured) else 0.0)
        last = max(self.wheres, key=lambda w: w.start, default=None)
        of = self.language == "zh" and last and op_of(last.meant) == "=" and self.text[: last.start].endswith("的")
        if of and last and last.start > self.nouns[-1].end:
            return 1.2 * (self.main not in tree.tables(last.meant))  # 供应商供应的电子设备: the goods
        mine = [i for i, n in enumerate(self.nouns) if n.of == self.main]
        if not mine:
            counted = any(f.of == self.main for f in self.of(facts.Counted))
            asked = bool(self.marks("who")) and self._people()
            return 0.0 if self.of(Measured) or counted else 0.4 if asked else 1.2
        if self.language != "en":
            asked = any(self._follows(m, self.nouns[i]) for m in self.marks("which") for i in mine)
            return 0.2 * (len(self.nouns) - 1 - mine[-1]) - 0.5 * (asked and len(self.nouns) > 1)
        # readers who have lost a book are asked for, not the book
        whose = mine[0] and _WHO.search(self.text[self.nouns[0].end : self.nouns[mine[0]].start])
        return 0.2 * mine[0] + 0.2 * bool(whose)

    def _led_or_joined(self, c: Condition) -> bool:
        """Whether it is not said if those are meant whom the rows of a child name, or those who are paired with them."""
        of = c.of if isinstance(c, Not) else c
        child = of.table if isinstance(of, Related) else ""
        own = [f for f in self.schema.parents(child) if f.parent == self.main]
        pairs = (t for t in self.schema.names if {child, self.main} <= {f.parent for f in self.schema.parents(t)})
        said = (self.links.vocabulary.stems.get(stem(w), ()) for w in re.findall("[a-z]+", self.text.lower()))
        return bool(own) and any(pairs) and not any(Ref(f.table, f.column) in refs for refs in said for f in own)

    def _other_kind(self) -> bool:
        """Whether it is a kind of other rows that did something with these: clubs that placed an order."""
        w = self.wheres[0] if self.wheres and self.language == "en" else None
        if w is None or op_of(w.meant) != "=" or self.main in tree.tables(w.meant) or self.of(HowMany):
            return False
        first = not any(n.start < w.start or self._follows(w, n) for n in self.nouns) and _DID.search(self.text, w.end)
        return bool(first) and self.label(w).endswith("s") and self.label(w) not in map(str.lower, w.meant.values)

    def _counts_others(self, h: facts.Fact) -> bool:
        """Whether it is rows of another table that are counted: 跑了多少单, 有几个男孩."""
        if self.language != "zh":
            return False
        behind = next((f for f in self.facts if f.start >= h.end), None)
        last = not any(n.start > h.start for n in self.nouns)
        if isinstance(behind, Where) and op_of(behind.meant) == "=" and self.label(behind)[0] in "男女" and last:
            return self.main not in tree.tables(behind.meant)
        beside = (self.label(h)[-1:], self.text[h.end : h.end + 1])
        word = next((w for w in beside if w and w in "单票笔趟次场件份"), "")
        named = [t for t in self.schema.names if word and word in (t[0], t[-1])]
        bare = (
            self.has_children
            and not self.schema.parents(self.main)
            and not any(self._follows(h, n) for n in self.nouns)
        )
        mine = (bare or self._people()) if word not in "件份" else self._people() and self.has_children
        return (bool(named) and self.main not in named) or (word not in ("", "票", "场") and mine)

    def _conditions(self, among: Sequence[Where] | None = None) -> tuple[Condition, ...]:
        """All conditions; those on a child table as one of its rows that holds them."""
        own: list[Condition] = []
        children: dict[str, list[Condition]] = {}
        numbers: dict[str, tuple[str, int]] = {}
        said = self.wheres if among is None else among
        none, inside = self._none(said)
        for f in said:
            own += none.get(f, ())
            for one in () if f in none or f in inside else self._parts(f.meant):
                child = self._child(one)
                if child is None:
                    days = [day for r in tree.refs(one) if (day := self.schema.column(r)).kind == "date"]
                    self.unfit(op_of(one) == "empty" and days and not days[0].empty)  # every row has one
                    own.append(self._of_parent(one))
                elif leads := self._leads(child, one):  # never a soloist: no concert is theirs
                    own.append(Not(Related(child)) if leads == "empty" else Related(child))
                elif isinstance(one, Test) and f.options[0].why == "none" and one.values == (0,):
                    own.append(Not(Related(child, (replace(one, op=">"),))))  # without absences: none at all
                elif isinstance(one, Not):
                    of = replace(one.of, table=child) if isinstance(one.of, Related) else Related(child, (one.of,))
                    own.append(Not(of))
                elif op_of(one) == "empty" and not any(self.schema.column(r).empty for r in tree.refs(one)):
                    own.append(Not(Related(child)))  # every row of it has one: who never visited has no visit
                elif isinstance(one, Related):
                    self.unfit(one.many is not None and numbers.setdefault(child, one.many) != one.many)
                    children.setdefault(child, [])
                else:
                    children.setdefault(child, []).append(one)
        for child, several in self._together(children, numbers).items():
            groups: list[list[Condition]] = [[]]  # two facts about one column are about two rows
            for c in several:
                free = (g for g in groups if child in numbers or not tree.refs(c) & tree.refs(tuple(g)))
                if (place := next(free, None)) is None:
                    groups.append(place := [])
                place.append(c)
            own += [Related(child, tuple(g), numbers.get(child)) for g in groups]
        spoken = {n.of for n in self.others}.union(*map(tree.tables, own))
        keys = (Field(Ref(f.table, f.column)) for f in self.schema.parents(self.main) if f.parent in spoken)
        self.unfit(any(Test(key, "empty") in own for key in keys))  # without a soloist, and of soloists
        one_of: dict[Expr, Condition] = {}
        for c in own:  # no row is in two places at once: two values of one column, side by side, were meant otherwise
            self.unfit(isinstance(c, Test) and c.op == "=" and one_of.setdefault(c.of, c) != c)
        lasted = {r for c in own if isinstance(c, Test) and isinstance(c.of, tree.Arithmetic) for r in tree.refs(c)}
        self.unfit(any(Test(Field(r), "empty") in own for r in lasted))  # what is not over has no length
        return tuple(dict.fromkeys(own))

    def _leads(self, child: str, c: Condition) -> str:
        """Whether a condition says that the key of a child that leads here is "empty", or "filled"; "" for all else."""
        of = c.of if isinstance(c, Not) else c
        keys = (Field(Ref(f.table, f.column)) for f in self.schema.parents(child) if f.parent == self.main)
        leads = any(of == Test(key, "empty") for key in keys)
        return ("empty" if c == of else "filled") if leads else ""

    def _of_parent(self, c: Condition) -> Condition:
        """Without a club, of a table that points to clubs: its key is empty."""
        inner = c.of if isinstance(c, Not) else c
        if not isinstance(inner, Related):
            return c
        way = self.schema.path(self.main, inner.table) or ()
        self.unfit(len(way) != 1 or inner.where or inner.many is not None)
        key = Ref(way[0].table, way[0].column)
        self.unfit(not self.schema.column(key).empty)  # every row has one
        empty = Test(Field(key), "empty")
        return empty if isinstance(c, Not) else Not(empty)

    def _parts(self, c: Condition) -> tuple[Condition, ...]:
        """The parts of a condition; two days of one column are two rows of a child, and either of them here."""
        both = isinstance(c, tree.AllOf)
        several = c.of if isinstance(c, (tree.AllOf, tree.AnyOf)) and len(tree.refs(c)) == 1 else ()
        self.unfit(several and all(op_of(x) == "during" for x in several) and both == (self._child(c) is None))
        return c.of if isinstance(c, tree.AllOf) else (c,)

    def _groups(self) -> list[Expr]:
        """What is grouped by; an order that is said with "by" is none."""
        said = self.of(By)
        self.cost += 1.5 * ((len(said) > 1 or bool(self.marks("split"))) and any(f.listed for f in said))
        if days := [f for f in said if self._is_row(f.meant)]:  # on which day, where each row is one
            said, self.headed = [f for f in said if f not in days], True
        kept = [f.meant for f in said if not (f.loose and self._is_order(f.meant))]
        sides = (Field(w.listed.of) for w in self.wheres if w.listed is not None and self._side_by_side(w, w.listed))
        return list(dict.fromkeys([*map(self._own_side, flat(kept)), *sides]))

    def _is_row(self, e: Expr) -> bool:
        """Whether an expression is the day of a row, of rows that each have their own."""
        c = self.column(e.of) if isinstance(e, tree.Part) and e.part == "day" else None
        return c is not None and c.unique and c.table == self.main

    def _own_side(self, e: Expr) -> Expr:
        """The key of another table's row where this table has it itself."""
        own = {Field(Ref(f.parent, f.key)): f for f in reversed(self.schema.parents(self.main))}
        return Field(Ref(own[e].table, own[e].column)) if e in own else e

    def _side_by_side(self, f: Where, listed: Listed) -> bool:
        """Whether several values of a column are groups to be compared: asked for, or all that there are."""
        column, tops = self.schema.column(listed.of), self.of(Top)
        whole = isinstance(f.meant, Test) and column.complete and set(f.meant.values) == set(column.values)
        whole = whole or any(t.asked for t in tops) or bool(tops and self.marks("who", "which"))
        return listed.split or bool(self.marks("split")) or (whole and (self.numbers_asked or bool(tops)))

    def _rows(self, where: tuple[Condition, ...]) -> Select:
        """Rows, columns of rows, or the different values of a column."""
        used, show = tree.refs(where), list[Expr]()
        for n in self.named:  # 其他地块: only named along with its condition
            inside = self.marks("other") or any(f.start <= n.start < f.end for f in self.wheres)
            show += [] if inside and isinstance(n.meant, Field) and n.meant.ref in used else [n.meant]
        if self.language == "en" and self.marks("what", "much") and not show:  # what does a mug cost
            show += [e for e in self._cued() if self._is_number(e)][:1]
            self._answered += self.marks("much") if show else []
            self.unfit(show and _TOGETHER.search(self.text))  # their sum
        for m in self.marks("worth", "when"):
            columns = self._worth_of(m)
            self.unfit(not columns)
            show += map(Field, columns)
        if self.marks("who"):  # who teaches it: the teacher
            cued = sorted(r for cue in self.of(Cue) for r in cue.refs if r.table == self.main)
            people = [
                Field(r) for r in cued if "person" in (own := self.schema.column(r)).tags and own.kind != "boolean"
            ]
            self.cost += 0.9 * (not people and not self._people() and any(map(self._people, self.schema.names)))
            show += people
        self.named = []
        # 一共有多少个座位: their sum, not those of each
        numbers = self.language == "zh" and any(map(self._is_number, show))
        self.cost += 0.8 * (numbers and bool(IN_ALL.search(self.text)))
        asked = self.marks("what", "which")
        self.unfit(not show and not where and not self.nouns and not any(s.options for s in self.of(Sorted)))
        if show and self.headed and not asked and not self.marks("show", "all", "worth", "when"):
            self.cost += 0.2
        beside = any(self._follows(m, n) for m in self.marks("which") for n in self.of(Named)) or not self.headed
        repeated = bool(show) and all(self._repeats(e, "category", "boolean", "list") for e in show)
        values = repeated and beside and not self._titled(where)
        kinds = bool(show) and not self.headed and not where and any(c in "种哪" for m in asked for c in self.label(m))
        kinds = kinds and all(map(self._is_number, show))
        distinct = values or bool(self.apart) or kinds or bool(self.marks("different"))
        if distinct and len(show) == 1 and (c := self.column(show[0])) is not None and c.empty and c.ref not in used:
            where = (*where, Not(Test(show[0], "empty")))  # nobody is no potter
        return Select(self.main, show=tuple(dict.fromkeys(show)), where=where, distinct=distinct)


_TOGETHER = re.compile(r"\b(together|combined|all of)\b")
_WHO = re.compile(r"\b(who|whose|whom)\b")
_DID = re.compile(r"\b(who|that|which|[a-z]+ed|have|has|had|made|took|got|gave|went)\b")
