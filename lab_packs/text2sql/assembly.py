"""Readings: the slots of a question on each table that they can be about, and what speaks for each.

For every table of the schema the slots are settled: each takes the column that is nearest, by its name, by its kind and
along the foreign keys.  A reading's score is a sum of the components that `Weights` names; the highest one runs, unless
another is close and brings other rows.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from lab.algebra import Contribution
from lab.words import Said
from lab_packs.text2sql.assembling.rows import Rows
from lab_packs.text2sql.assembling.sides import SIDES, Sides
from lab_packs.text2sql.assembling.weights import GOES_ON, NEARBY, Reading, Weights
from lab_packs.text2sql.schema import Schema, Table
from lab_packs.text2sql.slots import COUNT, Filled, Group, Measure, Noun, Option, Show, Sort
from lab_packs.text2sql.tree import Aggregate, Condition, Expr, Field, Not, Ref, Select, Test, refs
from lab_packs.text2sql.turns import dropped, merged, place_of, rebased, without

__all__ = ["Reading", "Weights", "readings"]


def readings(
    filled: Filled, schema: Schema, as_of: dt.date, *, before: Select | None = None, weights: Weights | None = None
) -> list[Reading]:
    """Returns all readings of a question, likeliest first; with ``before``, as changes to the current question."""
    weights = weights or Weights()
    by_select: dict[Select, Reading] = {}
    base, columns, conditions, everything = before, set[Ref](), list[Condition](), False
    if before is not None:
        filled, columns, conditions, everything = dropped(filled)
        if columns or conditions or everything or any(m.name == "drop" for m in filled.moves):
            base = without(before, columns, conditions, everything)
            if base is None and before is not None and conditions:  # without the cancelled ones
                base = replace(before, where=(*before.where, *(Not(c) for c in conditions[:1])))
            if base is None:
                return []
    if place_of(frozenset(m.name for m in filled.moves)) and not (base is not None and base.order):
        return []
    for table in schema.tables:
        base_here = rebased(base, table.name, schema) if base is not None else None
        if before is not None and (
            base_here is None or (table.name != before.table and not _needs(table.name, filled))
        ):
            continue
        for reading in _on(table, filled, schema, as_of, weights, base_here is not None):
            reading_here = reading
            if base_here is not None:
                moves = frozenset(m.name for m in filled.moves)
                reading_here = replace(reading, select=merged(base_here, reading.select, filled.slots, moves))
                if before is not None and table.name == before.table:
                    goes_on = Contribution(GOES_ON, weights.subject)
                    reading_here = replace(
                        reading_here, score=reading_here.score + weights.subject, why=(*reading_here.why, goes_on)
                    )
            old = by_select.get(reading_here.select)
            if old is None or reading_here.score > old.score:
                by_select[reading_here.select] = reading_here
    return sorted(by_select.values(), key=lambda r: -r.score)


def _needs(table: str, filled: Filled) -> bool:
    """Whether a turn counts or measures rows of this table."""
    nouns = [s.noun for s in filled.slots if isinstance(s, Measure) and s.noun is not None]
    nouns += [s for s in filled.slots if isinstance(s, Noun) and s.use == "what"]
    measured = [o.ref for s in filled.slots if isinstance(s, Measure) for o in s.options]
    return any(o.of == table for n in nouns for o in n.tables) or any(
        r is not None and r.table == table for r in measured
    )


MOST_CHOICES = 12
"""Combinations of columns that are tried on one table."""


def _on(
    table: Table, filled: Filled, schema: Schema, as_of: dt.date, weights: Weights, follows: bool = False
) -> Iterator[Reading]:
    """The readings on one table: the nearest choice for every slot, and those that are nearly as near."""
    several: list[tuple[int, list[Option]]] = []
    slots = list(filled.slots)
    for n, slot in enumerate(slots):
        options = getattr(slot, "options", ())
        if not options:
            continue
        near = _nearest(table.name, options, schema, weights)
        if not near:
            return
        several.append((n, near))
    for choice in list(product(*(options for _, options in several)))[:MOST_CHOICES]:
        chosen = list(slots)
        for (n, _), option in zip(several, choice, strict=True):
            chosen[n] = replace(chosen[n], options=(option,))  # type: ignore[call-arg]
        reading = Assembly(table, chosen, schema, as_of, weights, follows=follows).reading()
        if reading is not None:
            yield reading


def _cost(table: str, option: Option, schema: Schema, weights: Weights) -> float | None:
    """How far an option is: by its name, its kind and along the keys; None where it cannot be reached."""
    away = 0.0
    other = option.ref.table if option.ref else ""
    if other and other != table:
        way = schema.way(table, other)
        if way is None:
            return None
        away = weights.joins * len(way) + weights.inside + (0.1 if schema.path(table, other) is None else 0.0)
    return weights.links * option.link + weights.fit * max(0.0, option.fit) + away


def _nearest(table: str, options: Sequence[Option], schema: Schema, weights: Weights) -> list[Option]:
    """The nearest options on a table, those within the margin of the nearest."""
    priced = [(c, o) for o in options if (c := _cost(table, o, schema, weights)) is not None]
    if not priced:
        return []
    priced.sort(key=lambda x: x[0])
    least = priced[0][0]
    return [o for c, o in priced if c < least + NEARBY][:3]


class Assembly(Sides, Rows):
    """One choice of columns on one table, made into a tree."""

    def reading(self) -> Reading | None:
        """The tree of these slots on this table; None where they do not fit together."""
        select = self.sides() if self.flags & SIDES else self.plain()
        if select is None or self.left:
            return None
        self.subject()
        names = {
            "subject": Said("Rows of the question"),
            "inside": Said("In the table"),
            "joins": Said("Joins"),
            "links": Said("Indirect names"),
            "fit": Said("Range and unit"),
            "unused": Said("Unused words"),
        }
        why = tuple(Contribution(names[k], round(v, 4)) for k, v in self.sums.items() if v)
        reading = Reading(select, sum(c.value for c in why), why, tuple(self.slots), tuple(self.made))
        return None if reading.unplaced() else reading

    def plain(self) -> Select | None:
        """Returns the tree of rows, numbers or groups with their conditions."""
        measures = self.measures()
        where = self.conditions() if measures is not None else None
        if measures is None or where is None:
            return None
        self.where = where
        by = self.groups()
        return None if by is None else self.shaped(measures, self.told_by_values(by))

    def extreme_of(self, sorts: list[Sort], measured: list[Expr]) -> list[Expr] | None:
        """Returns the highest number for “how much is the highest …”; None if rows and a number are asked for at once."""
        if not sorts or sorts[0].limit is None or not sorts[0].options:
            return measured
        option = sorts[0].options[0]
        alone = sorts[0].limit == 1 and not sorts[0].offset and "much" in self.flags
        if not alone or option.ref is None or measured != [Aggregate("sum", Field(option.ref))]:
            return None
        extreme = Aggregate("max" if sorts[0].descending else "min", Field(option.ref))
        self.note(sorts[0], extreme)
        return [extreme]

    def subject(self) -> None:
        """Whether the table is what is asked for: named first, counted or measured."""
        counted = [s.noun for s in self.of(Measure) if s.noun is not None]
        first = counted[:1] or [n for n in self.nouns if n.head]
        if not first and "who" in self.flags and self.are_people() and not self.of(Measure):
            self.sums["subject"] += self.w.subject * 0.6
        if not first:
            return
        link = min((o.link for o in first[0].tables if o.of == self.main), default=None)
        if link is not None:
            self.sums["subject"] += self.w.subject - link

    def shaped(self, measures: list[tuple[Measure, Expr]], by: list[Expr]) -> Select | None:
        """Returns the tree of rows, numbers or groups, with their order."""
        sorts = self.of(Sort)
        shows = list(self.of(Show))
        if "share" in self.flags:
            self.flags.discard("much")
        if "much" in self.flags and not any(m.fn in ("sum", "avg") for m, _ in measures):
            measures = [*measures, *self.how_much(shows)]
        measured = [m for _, m in measures]
        plain_sort = next((s for s in sorts if not s.options), None)
        if by and not measured and plain_sort is not None and not plain_sort.many:
            return None
        if "share" in self.flags:
            return self.share(measured, by, sorts)
        if "average count" in self.flags:
            return self.mean_count(measured, by)
        bounds = [(m, e) for m, e in measures if m.bound is not None]
        if plain_sort is not None and plain_sort.many and not measured:
            nxt = next(
                (
                    n
                    for n in self.nouns
                    if n.use == "what" and plain_sort.end <= n.start and n.start - plain_sort.end < 3
                ),
                None,
            )
            if nxt is not None and not any(o.of == self.main for o in nxt.tables):
                measured = self.many_of(nxt)
                if not measured:
                    return None
        ranks = plain_sort is not None and (measured or plain_sort.many or by)
        if (ranks or bounds) and not by:
            by = self.told_apart(shows)
            if not by and not measured:
                return None
        if (by or (plain_sort is not None and plain_sort.many)) and not measured and (pointed := self.spent(shows)):
            measured = pointed
        if by and not measured and (numbers := self.summed(shows)):
            measured = numbers
        if by and not measured and (plain_sort is not None or not sorts or not sorts[0].limit):
            measured = [COUNT]
            if not ("split" in self.flags or self.of(Group) or plain_sort is not None):
                self.sums["unused"] -= 0.2
        if measured and not by and not any(s.limit for s in sorts) and (categories := self.beside(shows)):
            by = categories
        for slot, e in measures:
            self.note(slot, e)
        if measured and by and sorts and sorts[0].limit and self.of(Group):
            inner = [e for e in self.told_apart([s for s in shows if s.asked]) if e not in by]
            if inner:
                shows[:] = [s for s in shows if s.options[0].of not in inner]
                order, limit, ties = self.order_of(sorts, measured)
                return Select(
                    self.main,
                    by=(*by, *inner),
                    measures=tuple(measured),
                    where=tuple(self.where),
                    order=order,
                    limit=limit,
                    ties=ties,
                    each=tuple(by),
                )
        if measured and by:
            return self.grouped(measures, measured, by, sorts, bounds, shows)
        if by and sorts and sorts[0].options:
            return self.first_of_each(by, sorts[0], shows)
        if (
            not measured
            and not by
            and not sorts
            and self.where
            and not [n for n in self.nouns if n.use == "what"]
            and not self.one_row()
        ):
            rest = [s for s in shows if not s.cue]
            days = any(isinstance(c, Test) and c.op == "during" for c in self.where)
            used = {r for c in self.where for r in refs(c)}
            if (
                days
                and len(rest) == 1
                and not rest[0].asked
                and rest[0].options[0].ref not in used
                and (summed := self.summed(shows))
            ):
                measured = summed
        if measured:
            if sorts and sorts[0].limit and any(m.fn in ("max", "min") for m, _ in measures):
                return None
            extreme = self.extreme_of(sorts, measured)
            if extreme is None:
                return None
            measured = extreme
            for s in shows:
                self.leave(s)
            if plain_sort is not None or bounds:
                return None
            return Select(self.main, measures=tuple(dict.fromkeys(measured)), where=tuple(self.where))
        return self.rows(sorts, shows)
