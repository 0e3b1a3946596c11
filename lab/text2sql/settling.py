"""The order of a tree, and whether every fact of its question has found a place in it."""

from __future__ import annotations

from dataclasses import replace

from lab.text2sql.facts import By, Count, Cue, Mark, Sorted, Where
from lab.text2sql.places import COUNT, Misfit
from lab.text2sql.ranking import Ranking
from lab.text2sql.tree import Aggregate, Expr, Field, Not, Order, Select, refs, tables, walk


class Settling(Ranking):
    """The last steps of a draft."""

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
                if not loose and made.order and made.ties and s.descending is not None:
                    made = replace(
                        made, order=(replace(made.order[0], descending=s.descending),), limit=None, ties=False
                    )
                    continue  # the longest, from longest to shortest: all of them
                if not loose:
                    if not made.order:
                        self.leave(s)
                    continue
                key = loose[0]
            if made.by and isinstance(key, Field) and self._title_of(key.ref.table) in made.by and key not in made.by:
                made = replace(made, by=(*made.by, key))  # by the number of each customer
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

    def _settle(self, made: Select) -> None:
        """Every fact must have found a place; those that have none are left over."""
        used, places = refs(made), tables(made)
        keys = [f for t in sorted(places) for f in self.schema.way(self.main, t) or ()]
        places |= {t for f in keys for t in (f.table, f.parent)}
        headed = any(n.of == self.main for n in self.nouns)
        for n in self._unless_used:
            if not refs(n.options[0].of) <= used:
                self.leave(n)
        for noun in self.nouns:
            if noun.of not in places and (headed or not self.schema.path(self.main, noun.of)):
                self.leave(noun)
        for cue in self.of(Cue):
            if not (cue.refs & used or cue.tables & places):
                if any(r.table in places and self._idle(r) for r in cue.refs):
                    self.cost += 0.3
                else:
                    self.leave(cue)
        for c in self.of(Count):
            if c not in self._counts_used:
                self.leave(c)
        counts = COUNT in made.measures or any(COUNT in walk(h) for h in made.having)
        counts = counts and (len(self.schema.tables) == 1 or bool(made.by))
        distinct = any(isinstance(x, Aggregate) and x.fn == "distinct" for x in made.measures)
        served = {
            "other": any(isinstance(w, Not) for w in made.where),
            "different": made.distinct or distinct or bool(made.by),
            "much": bool(made.measures),
            "worth": made.plain,
            "when": made.plain,
            "where": False,
            "verb": len(places) > 1 or counts or bool(self.schema.parents(self.main)),
            "split": bool(made.by) or len(made.measures) + len(made.show) > 1,
        }
        for m in self.of(Mark):
            by = m.role == "verb" and any(self._follows(m, w) and self._by(w) for w in self.of(Where))
            if not (served.get(m.role, True) or m in self._answered or by):
                self.leave(m)

    def _by(self, w: Where) -> bool:
        """Whether a condition names who did it: offered by the department of …"""
        return self.label(w).lower().startswith("by ")
