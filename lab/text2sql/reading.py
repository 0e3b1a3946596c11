"""A question read: its readings with their costs, by itself or as a turn that is laid over the tree that stands."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from lab.text2sql.assembling import Reading, assemble, cheapest_readings, trees
from lab.text2sql.facts import Fact, HowMany, Mark, Measured, Named, Noun, Sorted, Turn, Where, op_of
from lab.text2sql.forms import fold
from lab.text2sql.guard import TimeLimit
from lab.text2sql.linking import Links, LookUp
from lab.text2sql.naming import Value, Vocabulary, grams
from lab.text2sql.phrases import Account, accounts
from lab.text2sql.schema import Column, Schema
from lab.text2sql.tree import Aggregate, Condition, Not, Ref, Related, Scalar, Select, Test, refs, tables


@dataclass
class Moves:
    """What a turn says about the conversation itself."""

    facts: tuple[Fact, ...]
    drops: set[Ref] = field(default_factory=set)
    dropped: list[Condition] = field(default_factory=list)
    everything: bool = False
    order: bool = False
    roles: frozenset[str] = frozenset()


def moves(facts: Sequence[Fact]) -> Moves:
    """The facts of a turn without those that take something away, and what they take away."""
    roles = frozenset(f.role for f in facts if isinstance(f, Turn))
    out = Moves(tuple(f for f in facts if not isinstance(f, Turn)), roles=roles)
    targets = [f for f in out.facts if isinstance(f, (Named, Where, Sorted))]
    for end in [f for f in facts if isinstance(f, Turn) and f.role in ("drop", "undo")]:
        if not targets:
            out.everything = out.everything or "limits" in roles
            continue
        target = min(targets, key=lambda f: abs(f.start - end.end if f.start >= end.end else end.start - f.end))
        targets.remove(target)
        out.facts = tuple(f for f in out.facts if f is not target)
        if isinstance(target, Named):
            out.drops |= {r for o in target.options for r in refs(o.of)}
        elif isinstance(target, Where):
            out.dropped += [o.of for o in target.options]
        else:
            out.order = True
    return out


def edits(account: Account, links: Links, before: Select) -> list[Reading]:
    """The trees that a turn makes of the one that stands, the cheapest first."""
    said = moves(account.facts)
    schema, found = links.vocabulary.schema, list[Reading]()
    for main in _mains(said.facts, before, schema):
        base = _rebased(_without(before, said), main, schema)
        if base is None:
            continue
        named = any(isinstance(f, Noun) and f.of == main for f in said.facts)
        facts = said.facts if named else (Noun(main, start=-1, end=-1), *said.facts)
        for meant, delta in trees(account, facts, main, links, base):
            found.append(replace(delta, select=merged(base, delta.select, meant, said)))
    return cheapest_readings(found)


def _mains(facts: Sequence[Fact], before: Select, schema: Schema) -> list[str]:
    """The table that stands; another where a measure of it or its rows are asked for."""
    counts = any(isinstance(f, HowMany) for f in facts)
    named = [t for f in facts if isinstance(f, Measured) for o in f.options for t in sorted(tables(o.of))]
    named += [f.of for f in facts if isinstance(f, Noun) and (counts or before.plain)]
    return [before.table, *(t for t in dict.fromkeys(named) if t != before.table and schema.way(t, before.table))]


def _without(before: Select, said: Moves) -> Select | None:
    """The tree that stands less what the turn takes away; None where it has nothing of the kind."""
    where = [c for c in before.where if not refs(c) & said.drops]
    for gone in said.dropped:
        where = [left for c in where if (left := _less(c, gone)) is not None]
    if said.dropped and not any(_less(c, gone) != c for c in before.where for gone in said.dropped):
        return None
    if said.everything:
        return replace(before, where=(), having=())
    lone = said.drops - refs(before.where)
    order = () if said.order else tuple(o for o in before.order if not refs(o) & lone)
    out = replace(before, where=tuple(where), order=order, show=tuple(e for e in before.show if not refs(e) & lone))
    return replace(out, limit=None, ties=False, offset=0, each=()) if not order and before.order else out


def _less(c: Condition, gone: Condition) -> Condition | None:
    """A condition without values that are taken away; None where nothing is left of it."""
    if c == gone or (isinstance(c, Not) and c.of == gone):
        return None
    if isinstance(c, Test) and isinstance(gone, Test) and c.of == gone.of:
        values = tuple(v for v in c.values if v not in gone.values)
        return replace(c, values=values) if values else None
    return c


def _rebased(base: Select | None, main: str, schema: Schema) -> Select | None:
    """The tree on another table, where its conditions can be put to that; None where they cannot."""
    if base is None or main == base.table:
        return base
    where: list[Condition] = []
    for c in base.where:
        if isinstance(c, Related) and c.table == main:
            where += c.where
        elif all(t == main or schema.path(main, t) is not None for t in tables(c)):
            where.append(c)
        else:
            return None
    return Select(main, where=tuple(where))


def merged(base: Select, delta: Select, facts: Sequence[Fact], said: Moves) -> Select:
    """What a turn says, laid over the tree that stands."""
    where = reduce(lambda joined, c: _joined(joined, c, said), delta.where, list(base.where))
    out = replace(base, where=tuple(where))
    rows = replace(out, by=(), measures=(), having=())
    top: dict[str, Any] = {k: getattr(delta, k) for k in ("order", "limit", "offset", "ties", "each")}
    explicit = any(isinstance(f, (Measured, HowMany)) for f in facts)
    if delta.by or delta.measures or delta.having:
        measures = base.measures if delta.by and base.measures and not explicit else delta.measures
        by = delta.by or (base.by if "follow" in said.roles and "also" in said.roles else ())
        return replace(out, by=by, measures=measures, show=(), having=delta.having, distinct=False, **top)
    if delta.order and base.by and any(o.of in base.measures for o in delta.order):
        return replace(out, **top)
    if delta.order:
        show = delta.show or (base.show if base.plain else ())
        return replace(rows, distinct=False, show=show, **top)
    if delta.show:
        return replace(rows, show=delta.show, distinct=delta.distinct)
    listed = any(isinstance(f, Mark) and f.role in ("show", "find") for f in facts)
    if listed and not base.plain:
        order = tuple(o for o in base.order if not isinstance(o.of, Aggregate))
        return replace(rows, order=order, limit=None, ties=False)
    return out


def _joined(where: Sequence[Condition], new: Condition, said: Moves) -> list[Condition]:
    """The conditions with one more; those that it contradicts or replaces are gone."""
    out, also = list[Condition](), "also" in said.roles
    for old in where:
        if refs(old) != refs(new) or old == new or not refs(new):
            out += [old] if old != new else []
        elif isinstance(old, Test) and isinstance(new, Test) and also and old.op == new.op in ("=", "has"):
            new = replace(new, values=tuple(dict.fromkeys((*old.values, *new.values))))
        elif isinstance(new, Not) and op_of(old) == op_of(new.of) == "=":
            out += filter(None, [_less(old, new.of)])
        elif not ("replace" in said.roles or _replaces(old, new)):
            out.append(old)
    return [*out, new]


def _replaces(old: Condition, new: Condition) -> bool:
    """Whether a new condition on the same column takes the place of an old one."""
    if not isinstance(old, Test) or not isinstance(new, Test):
        return not (isinstance(old, Not) and isinstance(new, Not))
    if {old.op[0], new.op[0]} == {"<", ">"}:
        low, high = (old, new) if old.op[0] == ">" else (new, old)
        return not _plain(low.values[0]) <= _plain(high.values[0])
    if old.op == new.op == "during" and None in old.values and None in new.values:  # since March, then before June
        return old.values.index(None) == new.values.index(None)
    if old.op == new.op == "has":
        return bool(set(old.values) & set(new.values))
    return not (old.op != new.op and {"contains", "starts", "ends"} & {old.op, new.op})


def _plain(value: Scalar) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


MARGIN = 0.25
"""A reading that costs so little more than the best one is as likely."""
ALONE = 0.3
"""What it costs that a question with "only" or "them" is read as standing by itself."""


@dataclass(frozen=True)
class Read:
    """What a question can mean: its readings, the likeliest first; ``late`` could not be searched for what is unknown."""

    language: str
    readings: tuple[Reading, ...]
    unknown: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    late: tuple[Column, ...] = ()

    @property
    def best(self) -> Reading | None:
        return self.readings[0] if self.readings and not self.readings[0].unknown else None

    @property
    def rivals(self) -> tuple[Reading, ...]:
        """Readings that are about as likely as the best."""
        near = self.best.cost + MARGIN if self.best is not None else 0.0
        return tuple(r for r in self.readings[1:] if not r.unknown and r.cost < near)

    @property
    def roles(self) -> set[str]:
        """What it says of the conversation: follow, reset …; "noun" where it names what it is about."""
        said = self.best.facts if self.best is not None else self.facts
        named = {"noun" for f in said if isinstance(f, Noun) and f.end - f.start > 1}
        return named | {f.role for f in said if isinstance(f, Turn)}

    @property
    def refers(self) -> bool:
        """Whether it speaks of what was said before: only, them, 换成, 不限."""
        return bool(self.roles & {"follow", "replace", "also", "drop", "undo"})


def read(
    text: str, vocabulary: Vocabulary, *, as_of: dt.date, look_up: LookUp | None = None, before: Select | None = None
) -> Read:
    """All readings of a question, as edits of ``before`` where it is given.

    ``look_up`` asks the database about words that nothing else explains.
    """
    found = _read(Links(text, vocabulary, as_of), before)
    if look_up is not None and vocabulary.incomplete and found.best is None:
        extra, late, words = dict[str, list[Value]](), list[Column](), grams(text, found.unknown)
        for column in vocabulary.incomplete:
            try:
                for value in look_up(column, words):
                    extra.setdefault(fold(value), []).append(Value(column.ref, value))
            except TimeLimit:
                late.append(column)
        found = replace(_read(Links(text, vocabulary, as_of, extra), before) if extra else found, late=tuple(late))
    return found


def _read(links: Links, before: Select | None) -> Read:
    found = accounts(links)
    readings = cheapest_readings(r for a in found for r in _readings(a, links, before))
    first = found[0] if found else Account(0.0)
    unknown = first.unknown or (readings[0].unknown if readings else ())
    if not readings and not unknown:
        unknown = tuple(links.text[f.start : f.end].strip() for f in first.facts)
    return Read(links.language, tuple(readings[:8]), unknown, first.facts)


def _readings(account: Account, links: Links, before: Select | None) -> list[Reading]:
    if before is not None:
        return edits(account, links, before) if account.facts else []
    said = moves(account.facts)
    if said.dropped or said.everything or said.order or "undo" in said.roles:
        return []  # there is nothing to take away from
    follows = ALONE * len(said.roles & {"follow", "also", "replace"})
    return assemble(replace(account, cost=account.cost + follows), said.facts, links)
