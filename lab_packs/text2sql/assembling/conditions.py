"""The conditions of a reading: on the table, its parents, and rows of other tables that belong to it."""

from __future__ import annotations

from dataclasses import replace

from lab_packs.text2sql.assembling.base import Base
from lab_packs.text2sql.calling import stem
from lab_packs.text2sql.hints import words_of
from lab_packs.text2sql.keywords import keywords
from lab_packs.text2sql.lexicon import in_names
from lab_packs.text2sql.schema import ForeignKey
from lab_packs.text2sql.slots import Group, Keep, Noun, Show, Sort
from lab_packs.text2sql.tree import AnyOf, Condition, Field, Inner, Not, Ref, Related, Select, Test, Versus, refs


def is_joined(slot: Keep) -> bool:
    """Whether a value is joined to the one before it: cash or card; of "Italian restaurants" both hold."""
    words = {role.name for word in slot.around.split() for role in keywords().get(word, ())}
    marked = any(mark in slot.around for mark in ",、，;/") or not slot.around.isascii()
    return bool(slot.joint) or marked or bool(words & {"and", "or", "not", "none", "to", "sum", "other"})


class Conditions(Base):
    """The conditions of a reading: on the table, its parents, and rows of other tables that belong to it."""

    def conditions(self) -> list[Condition] | None:
        """Returns the conditions on rows: on their columns, on columns of their parents, and on rows that belong to them."""
        conditions: list[Condition] = []
        of_other_tables: list[tuple[Keep, Condition, str]] = []
        previous: Keep | None = None
        for slot in self.of(Keep):
            option = slot.options[0]
            condition = option.of
            assert isinstance(condition, Condition)
            key = self.key_of(slot)
            self.price(option, chosen=key is not None)
            if key is not None:
                rows = Select(key.parent, show=(Field(Ref(key.parent, key.key)),), where=(condition,), distinct=True)
                condition = Versus(Field(Ref(key.table, key.column)), "in", Inner(rows))
            if slot.negated:
                condition = condition.of if isinstance(condition, Not) else Not(condition)
            ref_table = key.table if key is not None else option.ref.table if option.ref else self.main
            if (
                not self.above(ref_table)
                and isinstance(option.of, Test)
                and option.of.op == "empty"
                and not slot.negated
                and not self.nouns_of(ref_table)
            ):
                return None
            if self.above(ref_table):
                self.note(slot, self.join(conditions, condition, slot, previous))
            else:
                of_other_tables.append((slot, condition, ref_table))
            previous = slot
        self.deeds(conditions, of_other_tables)
        if not self.related(conditions, of_other_tables):
            return None
        empties = {r for c in conditions if isinstance(c, Test) and c.op == "empty" for r in refs(c)}
        if any(isinstance(c, Not) and c.of in conditions for c in conditions) or any(
            refs(c) & empties for c in conditions if not (isinstance(c, Test) and c.op == "empty")
        ):
            return None
        return conditions

    def key_of(self, slot: Keep) -> ForeignKey | None:
        """Returns the key that a condition is about, if several lead to its table: from Oslo, 到上海, the home team."""
        ref = slot.options[0].ref
        keys = self.forks(ref.table) if ref is not None else []
        if ref is None or not keys or any(f.parent != ref.table for f in keys):
            return None
        around = slot.around.split()
        for key in keys:
            words = {*words_of(key.column)} - {*words_of(key.parent), "id", "code"}
            key_words = {*words}
            for way in ("origin", "destination"):
                key_words |= in_names(way) if words & in_names(way) or key.column[:1] in in_names(way) else set()
            other_words = {w for f in keys if f != key for w in words_of(f.column)}
            stems = {stem(w) for w in key_words - other_words if w.isascii()}
            if any(word in key_words - other_words or (len(word) > 3 and stem(word) in stems) for word in around):
                return key
        return None

    def deeds(self, conditions: list[Condition], of_other_tables: list[tuple[Keep, Condition, str]]) -> None:
        """Adds conditions for verbs that point to a day: rows of another table exist, or an optional day is filled in."""
        for s in self.of(Show):
            ref = s.options[0].ref
            c = self.schema.column(ref) if ref is not None else None
            if c is None or not s.cue or c.kind != "date":
                continue
            if c.table == self.main:
                self.sums["inside"] += self.w.inside * 0.5
            if self.above(c.table):
                if (
                    c.empty
                    and c.table == self.main
                    and not any(
                        isinstance(x, (Group, Sort)) and x.options and x.options[0].ref == c.ref for x in self.slots
                    )
                    and c.ref not in {r for w in conditions for r in refs(w)}
                ):
                    conditions.append(Not(Test(Field(c.ref), "empty")))
                    self.note(s, conditions[-1])
            elif not any(
                t == c.table or self.schema.path(c.table, t) is not None for _, _, t in of_other_tables
            ) and not self.nouns_of(c.table):
                link = self.schema.link(self.main, c.table)
                if link is not None and not any(isinstance(x, Noun) and x.use == "without" for x in self.slots):
                    conditions.append(Related(c.table))
                    self.note(s, conditions[-1])

    def join(self, conditions: list[Condition], new: Condition, slot: Keep, previous: Keep | None) -> Condition:
        """Adds a condition: several values of one column are alternatives; "or" joins conditions on two columns."""
        for n, old in enumerate(conditions):
            a, b = (x.of if isinstance(x, Not) else x for x in (old, new))
            if isinstance(old, Not) != isinstance(new, Not) or not (isinstance(a, Test) and isinstance(b, Test)):
                continue
            if (a.of, a.op) != (b.of, b.op):
                continue
            if a.op == "=":
                both = "both" in self.flags and not isinstance(old, Not) and slot.joint != "or"
                self.left = self.left or both or not is_joined(slot)
            if a.op in ("=", "contains") or (a.op == "has" and slot.joint == "or"):
                merged = replace(a, values=tuple(dict.fromkeys((*a.values, *b.values))))
                conditions[n] = Not(merged) if isinstance(old, Not) else merged
                self.made = [(s, conditions[n] if v == old else v) for s, v in self.made]
                return conditions[n]
        if slot.joint == "or" and conditions:
            old = conditions[-1]
            conditions[-1] = AnyOf((*old.of, new) if isinstance(old, AnyOf) else (old, new))
            self.made = [(s, conditions[-1] if v == old else v) for s, v in self.made]
            return conditions[-1]
        if new not in conditions:
            conditions.append(new)
        return new

    def related(self, conditions: list[Condition], of_other_tables: list[tuple[Keep, Condition, str]]) -> bool:
        """Adds conditions on rows of other tables: one row must meet all of them."""
        positive = [(s, c.of if isinstance(c, Not) else c, t, isinstance(c, Not)) for s, c, t in of_other_tables]
        nouns: list[tuple[Noun, str]] = []
        for noun in self.nouns:
            if noun.bound is not None and self.noun_table(noun) == self.main:
                continue
            table = self.noun_table(noun)
            if table is None:
                if noun.use == "cue":
                    continue
                return False
            if table != self.main and not self.above(table) or noun.use == "without" and table != self.main:
                nouns.append((noun, table))
        if not self.absent(conditions, nouns, positive):
            return False
        bounds = [(n, t) for n, t in nouns if n.bound is not None]
        for noun, t in bounds:
            link = self.through({t, *(x[2] for x in positive)}) or t
            if self.schema.link(self.main, t) is None:
                return False
            inner = [c for _, c, u, no in positive if not no and self.schema.path(link, u) is not None]
            bound = Related(t if not inner else link, tuple(inner), noun.bound)
            conditions.append(bound)
            self.note(noun, bound)
            positive = [x for x in positive if x[1] not in inner]
            self.sums["joins"] -= self.w.joins
        rest = [x for x in positive if not x[3]]
        seen: set[frozenset[Ref]] = set()
        first: list[tuple[Keep, Condition, str]] = []
        again: list[tuple[Keep, Condition, str]] = []
        for s, c, t, _ in rest:
            key = frozenset(refs(c))
            (again if key in seen and s.joint != "or" else first).append((s, c, t))
            seen.add(key)
        unbound = [(n, t) for n, t in nouns if n.bound is None and n.use != "without"]
        spoken = [(n, t) for n, t in unbound if n.use in ("what", "with", "cue")]
        if first:
            own_tables = {t for _, _, t in first}
            shared = self.through(own_tables | {t for _, t in spoken if self.schema.link(self.main, t)})
            shared = shared or self.through(own_tables)
            joined: list[Condition] = []
            for s, c, _ in first:
                self.join(joined, c, s, None)
            chain = Related(shared, tuple(joined)) if shared else self.chained(first[0][2], tuple(joined))
            if chain is None:
                return False
            conditions.append(chain)
            for slot in (*(s for s, _, _ in first), *(n for n, _ in unbound)):
                self.note(slot, chain)
        for n, t in spoken if not first else ():
            if self.schema.link(self.main, t) is None:
                return False
            bound = Related(t)
            if bound not in conditions:
                conditions.append(bound)
            self.note(n, bound)
            self.sums["unused"] -= 0.1 if n.use == "with" else 0.3
        for s, c, t, no in [*((*x, False) for x in again), *(x for x in positive if x[3])]:  # both A and B; not C
            other = self.through({t})
            if other is None:
                return False
            of_rows = Not(Related(other, (c,))) if no else Related(other, (c,))
            conditions.append(of_rows)
            self.note(s, of_rows)
        return True

    def chained(self, other: str, conditions: tuple[Condition, ...]) -> Related | Versus | None:
        """Returns a condition over two pairings: people in projects about a topic; None if there is no such chain."""
        spoken = {t for n in self.nouns if (t := self.noun_table(n))}
        chains: list[tuple[bool, int, Related]] = []
        for near, far, (start, up, to) in self.schema.chains(self.main, other):
            middle = Select(
                far.parent, show=(Field(Ref(far.parent, far.key)),), where=(Related(start, conditions),), distinct=True
            )
            among = Versus(Field(Ref(far.table, far.column)), "in", Inner(middle))
            chains.append((far.parent not in spoken, len(up) + len(to), Related(near.table, (among,))))
        if not chains:
            return None
        self.sums["joins"] -= 2 * self.w.joins
        return min(chains, key=lambda x: x[:2])[2]

    def absent(self, conditions: list[Condition], nouns: list[tuple[Noun, str]], positive: list) -> bool:  # type: ignore[type-arg]
        """Adds conditions for rows without any of another table; conditions after "never" are on those missing rows."""
        for noun in self.nouns:
            table = self.noun_table(noun) if noun.use == "without" else None
            if noun.use == "without" and (table is None or table == self.main):
                return False
            if noun.use == "without" and table is not None and self.above(table):  # orders without a customer
                way = self.schema.path(self.main, table) or ()
                if len(way) != 1 or not self.schema.column(Ref(way[0].table, way[0].column)).empty:
                    return False
                conditions.append(Test(Field(Ref(way[0].table, way[0].column)), "empty"))
                self.note(noun, conditions[-1])
        for noun, t in [x for x in nouns if x[0].use == "without" and not self.above(x[1])]:
            behind = [x for x in positive if not x[3] and (x[0].start >= noun.end or x[2] == t)]
            for other, u in [
                x for x in nouns if x[0] is not noun and x[0].use in ("what", "cue") and x[0].start >= noun.end
            ]:
                if self.schema.path(t, u) is not None or self.schema.path(u, t) is not None:
                    nouns.remove((other, u))
            link = self.through({t, *(x[2] for x in behind)}) if behind else t
            if self.schema.link(self.main, t) is None:
                continue
            inner = tuple(x[1] for x in behind) if link is not None else ()
            condition = Not(Related(link or t, inner))
            conditions.append(condition)
            self.note(noun, condition)
            for x in behind if link is not None else ():
                self.note(x[0], condition)
                positive.remove(x)
            nouns.remove((noun, t))
        nouns[:] = [x for x in nouns if x[0].use != "without"]
        return True

    def through(self, tables: set[str]) -> str | None:
        """Returns the nearest table whose rows belong to rows of this table and of all given tables."""
        best: tuple[int, str] | None = None
        for t in self.schema.tables:
            up = self.schema.path(t.name, self.main)
            ways = [self.schema.path(t.name, u) for u in tables]
            if t.name == self.main or up is None or any(w is None for w in ways):
                continue
            length = len(up) + sum(len(w or ()) for w in ways)
            if best is None or length < best[0]:
                best = (length, t.name)
        return best[1] if best and best[0] <= 6 else None
