"""Applies a turn to the current question: conditions are added, replaced or removed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from lab_packs.text2sql.schema import Schema
from lab_packs.text2sql.slots import Filled, Flag, Group, Keep, Measure, Show, Slot, Sort
from lab_packs.text2sql.tree import Aggregate, Condition, Field, Not, Ref, Related, Scalar, Select, Test, refs, tables


def dropped(filled: Filled) -> tuple[Filled, set[Ref], list[Condition], bool]:
    """Returns the slots of a turn without its removals: columns, conditions, and whether everything is removed."""
    moves = [m for m in filled.moves if m.name == "drop"]
    slots, columns, conditions = list(filled.slots), set[Ref](), list[Condition]()
    everything = False
    for move in moves:
        slots = [s for s in slots if not (isinstance(s, Flag) and s.start == move.start)]
        targets = [s for s in slots if isinstance(s, (Show, Keep, Group, Sort))]
        if not targets:
            everything = (
                everything
                or any(m.name == "limits" for m in filled.moves)
                or any(isinstance(s, Flag) and s.name == "all" for s in slots)
            )
            continue
        near = min(targets, key=lambda s: s.start - move.end if s.start >= move.end else move.start - s.end)
        slots.remove(near)
        options = getattr(near, "options", ())
        if isinstance(near, Keep):
            conditions += [o.of for o in options if isinstance(o.of, Condition)]
        columns |= {o.ref for o in options if o.ref is not None}
    return Filled(slots, filled.moves), columns, conditions, everything


def without(before: Select, columns: set[Ref], conditions: Sequence[Condition], everything: bool) -> Select | None:
    """Returns the current question without the removals of a turn; None if it has nothing to remove."""
    if everything:
        return replace(before, where=(), having=())
    where = list(before.where)
    if conditions:
        left = [x for c in where if (x := less(c, conditions)) is not None]
    else:
        left = [c for c in where if not refs(c) & columns]
    show = tuple(e for e in before.show if not refs(e) & columns) if not conditions else before.show
    order = tuple(o for o in before.order if not refs(o) & columns) if not conditions else before.order
    reduced = replace(before, where=tuple(left), show=show, order=order)
    if order != before.order and not order:
        reduced = replace(reduced, limit=None, ties=False, offset=0, each=())
    return reduced if reduced != before else None


def less(c: Condition, removed: Sequence[Condition]) -> Condition | None:
    """Returns a condition without the removed values; None if nothing remains."""
    for g in removed:
        if c == g or (isinstance(c, Not) and c.of == g):
            return None
        if isinstance(c, Test) and isinstance(g, Test) and c.of == g.of:
            values = tuple(v for v in c.values if v not in g.values)
            return replace(c, values=values) if values and values != c.values else None if not values else c
    return c


def rebased(before: Select, main: str, schema: Schema) -> Select | None:
    """Moves the current question to another table; None if its conditions do not apply there."""
    if main == before.table:
        return before
    where: list[Condition] = []
    for c in before.where:
        if isinstance(c, Related) and c.table == main:
            where += c.where
        elif all(t == main or schema.path(main, t) is not None for t in tables(c)):
            where.append(c)
        else:
            return None
    return Select(main, where=tuple(where))


def merged(base: Select, delta: Select, slots: Sequence[Slot], moves: frozenset[str]) -> Select:
    """Merges a turn into the current question."""
    where = reduce(lambda conditions, c: joined(conditions, c, moves), delta.where, list(base.where))
    result = replace(base, where=tuple(where))
    if place := place_of(moves):
        return replace(result, limit=1, offset=place - 1, ties=False)
    rows = replace(result, by=(), measures=(), having=())
    top = {k: getattr(delta, k) for k in ("order", "limit", "offset", "ties", "each")}
    explicit = any(isinstance(s, Measure) for s in slots)
    if delta.by or delta.measures or delta.having:
        measures = base.measures if delta.by and base.measures and not explicit else delta.measures
        by = delta.by or (base.by if explicit and base.by and "also" in moves else ())
        return replace(result, by=by, measures=measures, show=(), having=delta.having, distinct=False, **top)
    if delta.order and base.by and any(o.of in base.measures for o in delta.order):
        return replace(result, **top)
    if delta.order:
        show = delta.show or (base.show if base.plain else ())
        return replace(rows, distinct=False, show=show, **top)
    if delta.show:
        return replace(rows, show=delta.show, distinct=delta.distinct)
    listed = any(isinstance(s, Flag) and s.name == "show" for s in slots)
    if listed and not base.plain:
        order = tuple(o for o in base.order if not isinstance(o.of, Aggregate))
        return replace(rows, order=order, limit=None, ties=False)
    return result


def place_of(moves: frozenset[str]) -> int:
    """Returns the place in the order that a turn asks for: 2 for “and the second one?”; 0 if it asks for none."""
    return next((int(m.split()[1]) for m in moves if m.startswith("place ")), 0)


def joined(where: Sequence[Condition], new: Condition, moves: frozenset[str]) -> list[Condition]:
    """Adds a condition: it replaces conditions on the same column, or completes them to a range."""
    conditions: list[Condition] = []
    for old in where:
        if not refs(new) or refs(old) != refs(new) or old == new:
            conditions += [old] if old != new else []
        elif isinstance(old, Test) and isinstance(new, Test) and "also" in moves and old.op == new.op in ("=", "has"):
            new = replace(new, values=tuple(dict.fromkeys((*old.values, *new.values))))
        elif isinstance(new, Not) and isinstance(new.of, Test) and isinstance(old, Test) and old.op == new.of.op == "=":
            conditions += [remaining for remaining in [less(old, [new.of])] if remaining is not None]
        elif "replace" not in moves and completes(old, new):
            conditions.append(old)
    return [*conditions, new]


def completes(old: Condition, new: Condition) -> bool:
    """Whether two conditions on one column hold together: a lower and an upper bound, two skills, two exclusions."""
    if isinstance(old, Not) and isinstance(new, Not):
        return True
    if not isinstance(old, Test) or not isinstance(new, Test):
        return not (isinstance(old, Not) or isinstance(new, Not)) and type(old) is not type(new)
    if {old.op[0], new.op[0]} == {"<", ">"}:
        low, high = (old, new) if old.op[0] == ">" else (new, old)
        return _number(low.values[0]) <= _number(high.values[0])
    if old.op == new.op == "during" and None in old.values and None in new.values:
        return old.values.index(None) != new.values.index(None)
    if old.op == new.op == "has":
        return not set(old.values) & set(new.values)
    return old.op != new.op and bool({"contains", "starts", "ends"} & {old.op, new.op})


def _number(value: Scalar) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


def contradiction(where: Sequence[Condition]) -> tuple[Condition, Condition] | None:
    """Two conditions that no row can hold at once, if there are any."""
    tests = [c for c in where if isinstance(c, Test) and isinstance(c.of, Field)]
    for n, a in enumerate(tests):
        for b in tests[n + 1 :]:
            if a.of == b.of and _exclude(a, b):
                return a, b
    for n, c in enumerate(where):
        for d in where[n + 1 :]:
            if (isinstance(c, Not) and c.of == d) or (isinstance(d, Not) and d.of == c):
                return c, d
    return None


def _exclude(a: Test, b: Test) -> bool:
    if a.op == b.op == "=":
        return not set(a.values) & set(b.values)
    low_a, high_a = _range(a)
    low_b, high_b = _range(b)
    if None not in (low_a, high_b) and low_a > high_b:  # type: ignore[operator]
        return True
    return None not in (low_b, high_a) and low_b > high_a  # type: ignore[operator]


def _range(t: Test) -> tuple[float | str | None, float | str | None]:
    """The lowest and the highest value that a test lets through, of numbers or of ISO days."""
    v = [x for x in t.values if x is None or (isinstance(x, (int, float, str)) and not isinstance(x, bool))]
    if t.op in (">", ">="):
        return v[0], None
    if t.op in ("<", "<="):
        return None, v[0]
    if t.op in ("between", "during") and len(v) == 2:
        return v[0], v[1]
    if t.op == "=" and len(v) == 1 and isinstance(v[0], (int, float)):
        return v[0], v[0]
    return None, None
