"""Of what there is to be nothing at all: pupils without a mark below 40, 没有女员工的部门, cities where nobody is remote.

A denial that begins with a word for none (without, never, 没有) is about all rows that belong to something: rows of a
child table, or where the rows are to be told by a column, all that have the same value in it.  What else is said of
these rows stands inside of the denial.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from lab.text2sql import tree
from lab.text2sql.facts import By, Facts, Misfit, Named, Option, Top, Where, op_of
from lab.text2sql.hints import words_of
from lab.text2sql.lexicon import in_names
from lab.text2sql.quantities import OPPOSITE, negated
from lab.text2sql.tree import AllOf, Condition, Inner, Not, Related, Select, Test, Versus

_EVER = re.compile(r"\bnever\b|从来?[没未]")
_OF = re.compile(r"\bof\b")
_AT_ALL = re.compile(r"\b(never|without|no|nobody|any|lacking)\b|从|无|任何|过")
_WITHIN = re.compile(r"\b(in|from|of|at|with|where|whose)\b")


class Lacking(Facts):
    """The conditions of which no row may hold."""

    def _none(self, said: Sequence[Where]) -> tuple[dict[Where, tuple[Condition, ...]], set[Where]]:
        """What words for none and all come to, and the conditions that say of which rows; raises `Misfit`."""
        found: dict[Where, tuple[Condition, ...]] = {}
        inside: set[Where] = set()
        for f in said:
            every = self.language == "zh" and self.links.holds("都", f.start, f.end)
            if every and not f.among and self._head(f) is not None:
                self.cost += 0.5  # 月薪都不低于15000的部门: all of its rows
            of = None if f in inside or not f.among or self._is_open(f) else self._meant(f)
            head = self._head(f) if of is not None else None
            filled = isinstance(of, Not) and op_of(of.of) == "empty"  # only that there is a value
            if of is None or (head is None and (f.among == "all" or self._child(of) is None or filled)):
                # users who never wrote praise are not the rows of another kind
                self.unfit(f.among in ("only", "all") or (op_of(of) == "=" and _EVER.search(self.label(f))))
                # without a vaccination: no visit of another kind
                self.cost += 0.5 * (not self.headed and op_of(of) == "=")
                continue
            scope = self._scope(f, of, said, head)
            inside.update(scope)
            parts = [p for c in (of, *(g.meant for g in scope)) for p in (c.of if isinstance(c, AllOf) else (c,))]
            some: tuple[Condition, ...] = ()
            if f.among != "none":
                some = () if head is not None else (self._of_child(parts),)
                self.cost -= 0.25  # said with a word that would have no part to play otherwise
                parts = [opposite(parts[0] if len(parts) == 1 else AllOf(tuple(parts)))]
            found[f] = (*some, Not(self._of_child(parts) if head is None else self._of_group(head, parts)))
        return found, inside

    def _is_open(self, f: Where) -> bool:
        """Whether something ought to have been done, and was not: who has not paid has something to pay."""
        columns = [self.schema.column(r) for r in tree.refs(f.meant)]
        state = op_of(f.meant) == "empty" or all(c.kind == "boolean" for c in columns)
        due = bool(columns) and state and all(not in_names("done").isdisjoint(words_of(c.name)) for c in columns)
        return due and not _AT_ALL.search(self.text[max(0, f.start - 6) : f.end + 5])

    def _meant(self, f: Where) -> Condition | None:
        """What all rows are to hold, or none of them; None where that is more than one thing."""
        if f.among == "none":
            return self._affirmed(f.options[0])
        of: Condition = f.meant
        plain = isinstance(of.of if isinstance(of, Not) else of, Test)
        return of if plain and self.before is None else None

    def _affirmed(self, o: Option[Condition]) -> Condition | None:
        """What a condition denies; None where it denies nothing, or more than one thing."""
        c = o.of
        if isinstance(c, Not):
            return c.of if isinstance(c.of, Test) or _bare(c.of) else None
        if not isinstance(c, Test):
            return None
        if o.why == "none":
            return replace(c, op=">")
        if c.op in OPPOSITE or (c.values and c.values[0] is False):
            return opposite(c)
        if c.op != "empty":
            return None
        child, columns = self._child(c), map(self.schema.column, tree.refs(c))
        # every row has one: who never visited has no visit
        return Related(child) if child is not None and not any(x.empty for x in columns) else Not(c)

    def _head(self, f: Where) -> Named | None:
        """The column whose values are told apart by rows that they have none of: forms without girls."""
        heads = self.of(Named)
        if len(heads) == 2 and self.language == "zh" and self._follows(f, heads[0]):
            heads = heads[1:]  # 只供应有机菜的供应商
        if len(heads) != 1 or not self._told(heads[0], f):
            return None
        (head,) = heads
        mine = [n for n in self.nouns if n.of == self.main and n.end > n.start]
        if self.language == "zh":
            owned = [n for n in mine if f.end <= n.start < head.start and "的" in self.text[f.end : n.start]]
            return None if owned and op_of(f.meant) == "empty" else head
        if head.end > f.start or any(head.end <= n.start < f.start for n in mine):
            return None
        within = all(_WITHIN.search(self.text[n.end : head.start]) for n in mine if n.start < head.start)
        return head if within and not _OF.search(self.text[head.end : f.start]) else None  # the towns of all owners

    def _told(self, n: Named, f: Where) -> bool:
        of = tree.refs(n.meant)
        return self._repeats(n.meant, "category") and not of & tree.refs(f.meant) and self._child(n.meant) is None

    def _scope(self, f: Where, of: Condition, said: Sequence[Where], head: Named | None) -> list[Where]:
        """The other conditions on the rows that there are to be none of: those behind it, and days before it."""
        tables, scope = self._passed(of), list[Where]()

        def same(g: Where) -> bool:
            child = self._child(g.meant)
            return bool(self._passed(g.meant) & tables) if child is not None else head is not None

        for g in sorted(self.facts, key=lambda g: g.start):
            before = g.start < f.start
            if isinstance(g, Where) and g in said and g is not f:
                if not same(g) or g.among:
                    if before:
                        continue
                    break
                if not before or op_of(g.meant) == "during":
                    scope.append(g)
                else:
                    self.unfit(_bare(of) and head is None)  # none of the rows of which there is one
            elif not before and isinstance(g, (Named, By, Top)):
                break
        return scope

    def _passed(self, c: Condition) -> Set[str]:
        """The tables on the way from a condition on a child to the rows."""
        child = self._child(c)
        way = self.schema.link(self.main, child) if child is not None else None
        return {way[0], *(f.table for f in (*way[1], *way[2]))} if way is not None else set()

    def _together(
        self, children: Mapping[str, list[Condition]], numbers: Mapping[str, object]
    ) -> Mapping[str, list[Condition]]:
        """The conditions on child tables, those of one row together: who borrowed Emma in May has one loan of both."""
        out = dict(children)
        starts = {t: way[0] for t in children if (way := self.schema.link(self.main, t)) is not None}
        for a, b in itertools.permutations(starts, 2):
            beside = starts[a] == starts[b]
            if a in out and b in out and a not in numbers and (beside or self._passed_by(a, b)):
                both = [*out.pop(a), *out.pop(b)]
                of = b if b in numbers or starts[b] == b or not beside else starts[b]
                out[of] = [*out.pop(of, ()), *both]
        return out

    def _passed_by(self, a: str, b: str) -> bool:
        """Whether a table lies on the way from another to the rows."""
        way = self.schema.link(self.main, b)
        return way is not None and a in {f.parent for f in way[1]}

    def _of_child(self, parts: Sequence[Condition]) -> Condition:
        """A row of a child table that holds it all."""
        asked = tuple(p for p in parts if not _bare(p))
        children = dict.fromkeys(t for p in (*asked, *parts) if (t := self._child(p)) is not None)
        for child in children:
            start = (self.schema.link(self.main, child) or (child,))[0]
            if all(self.schema.path(start, t) is not None for t in children):
                return Related(child, asked)
        raise Misfit

    def _of_group(self, head: Named, parts: Sequence[Condition]) -> Condition:
        """A row with the same value in a column that holds it all."""
        e = head.meant
        parts = [p for p in parts if p != Related(self.main)]
        where = tuple(Related(t, (p,)) if (t := self._child(p)) and not _bare(p) else self._of_parent(p) for p in parts)
        self.unfit(not where)
        if not any(n.of == self.main and n.start < head.start and self.language == "en" for n in self.nouns):
            self.unfit(tree.tables(e) != {self.main})  # a town without pets has no row among the pets
            self.apart.append(e)
            self.named = [n for n in self.named if n is head]
        rows = Select(self.main, (e,), where=(*where, Not(Test(e, "empty"))), distinct=True)
        return Versus(e, "in", Inner(rows))


def _bare(c: Condition) -> bool:
    """Whether a condition only says that there is a row."""
    return isinstance(c, Related) and not c.where and c.many is None


def opposite(c: Condition) -> Condition:
    """What holds where a condition does not, as plainly as it can be said."""
    if isinstance(c, Not):
        return c.of
    if isinstance(c, Test) and len(c.values) == 1 and isinstance(c.values[0], bool):
        return replace(c, values=(not c.values[0],))
    return negated(c)
