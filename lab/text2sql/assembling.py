"""From facts to trees: what the phrases of a question come to together, for every table that it can be about.

The table is chosen by the whole: each table that is named or pointed to is tried, and a tree costs what its facts cost,
how far its columns lie from the table, and what had to be guessed.  A fact that finds no place in the tree counts as
words that were not understood.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lab.text2sql.drafting import Draft
from lab.text2sql.facts import (
    Bounded,
    By,
    Counted,
    Cue,
    Fact,
    HowMany,
    Mark,
    Measured,
    Misfit,
    Named,
    Noun,
    Shared,
    Sorted,
    Top,
    Where,
)
from lab.text2sql.linking import Links, cheapest
from lab.text2sql.phrases import UNKNOWN, Account
from lab.text2sql.schema import Schema
from lab.text2sql.tree import Aggregate, Arithmetic, Part, Ref, Related, Select, refs, tables

CLOSE = 0.3
"""Options that cost so little more than the best are readings of their own."""


@dataclass(frozen=True)
class Reading:
    """One tree that a question can mean, what it costs, and the words that it does not account for."""

    select: Select
    cost: float
    unknown: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = field(default=(), compare=False, repr=False)


def assemble(account: Account, facts: Sequence[Fact], links: Links) -> list[Reading]:
    """All readings of one account as a question of its own, the cheapest first."""
    return cheapest_readings(
        reading for main in _mains(facts, links.vocabulary.schema) for _, reading in trees(account, facts, main, links)
    )


def cheapest_readings(readings: Iterable[Reading]) -> list[Reading]:
    """Every tree once, the cheapest first."""
    return cheapest(readings, lambda r: r.select, lambda r: r.cost)


def trees(
    account: Account, facts: Sequence[Fact], main: str, links: Links, before: Select | None = None
) -> Iterator[tuple[tuple[Fact, ...], Reading]]:
    """The trees of these facts on one table, with the facts as they were meant."""
    for choice, cost in placed(facts, main, links.vocabulary.schema):
        for among in (False, True) if any(isinstance(f, Shared) for f in choice) else (False,):
            made = Draft(choice, main, links, among, before)
            try:
                select = made.select()
            except Misfit:
                continue
            price = account.cost + cost + made.cost + UNKNOWN * len(made.left)
            yield choice, Reading(select, price, (*account.unknown, *map(made.label, made.left)), account.facts)


def _mains(facts: Sequence[Fact], schema: Schema) -> list[str]:
    """The tables that a question can be about."""
    named: list[str] = []
    for f in facts:
        named += [f.table, f.of if isinstance(f, Counted) else ""]
        named += [t for o in getattr(f, "options", ()) for t in sorted(tables(o.of))]
        named += sorted({*(r.table for r in f.refs), *f.tables}) if isinstance(f, Cue) else []
    if len(schema.tables) == 1:
        return [schema.tables[0].name]
    if any(isinstance(f, Mark) and f.role == "verb" for f in facts):
        counted = any(isinstance(f, (Top, Counted)) or (isinstance(f, HowMany) and f.times) for f in facts)
        done = [f.table for f in schema.foreign_keys if f.parent in named]
        if counted or not any(isinstance(f, Noun) for f in facts):  # which genre is borrowed most
            named += done
        if any(isinstance(f, Mark) and f.role == "who" for f in facts):  # who borrowed it: those of the loans
            named += [f.parent for f in schema.foreign_keys if f.table in done]
    if any(isinstance(f, Mark) and f.role == "who" for f in facts):
        named += [f.parent for f in schema.foreign_keys if f.table in named]
    different = [t for t in dict.fromkeys(named) if t]
    apart = [x for x in itertools.combinations(different[:6], 2) if schema.path(*x) is None is schema.path(*x[::-1])]
    # tables of pairs, for two tables that only hang together through them: writes, of authors and papers
    return list(dict.fromkeys([*different, *(way[0] for a, b in apart if (way := schema.link(a, b)) is not None)]))


def placed(facts: Sequence[Fact], main: str, schema: Schema) -> Iterator[tuple[tuple[Fact, ...], float]]:
    """The facts with one option each, for all options that are about as likely as the best on this table."""
    cued = {r for f in facts if isinstance(f, Cue) for r in f.refs}
    titles = {schema.table(f.table).title.ref for f in facts if f.table}  # the names of the lakes
    headed = {f.table for f in facts if f.table}
    headed |= {t for f in facts if isinstance(f, By) for o in f.options for t in tables(o.of)}
    lacking = {t for g in facts if isinstance(g, Where) and g.among for o in g.options for t in tables(o.of)}
    paired = _is_pair(main, facts, schema)
    sides: list[list[tuple[Fact, float]]] = []
    for f in facts:
        options = getattr(f, "options", None)
        if not options:
            sides.append([(f, 0.0)])
            continue
        priced = []
        near_by = _neighbours(facts, f)
        beside = {t for g in near_by for t in _named_tables(g)}
        partners = [o.of for g in near_by if isinstance(g, Where) for o in g.options if isinstance(o.of, Related)]
        counted = 0.3 if any(p.many is not None for p in partners) else 0.0  # more than 3 orders in May
        meant = [(o, refs(o.of)) for o in options]
        own = {r.column for _, columns in meant for r in columns if r.table == main}
        guessed = ("unit", "adjective")
        near_own = any(o.why in guessed and {r.table for r in columns} == {main} for o, columns in meant)
        for o, columns in meant:
            measured = isinstance(f, (Measured, Bounded)) and not paired
            of, held = (_bare(o.of), refs(o.of) - refs(_bare(o.of))) if measured else (o.of, set[Ref]())
            far = _far(of, main, schema, measured=measured, shown=isinstance(f, (Named, By, Top, Sorted)))
            if any(schema.path(main, r.table) is None for r in held):
                far = None  # a difference between two groups of a table that has many of these rows
            if far is not None:
                if o.why == "day" and isinstance(o.of, tuple):  # by hotel and month
                    days = tuple(e for e in o.of if isinstance(e, Part))
                    far += 5.0 * (_far(days, main, schema, measured=False, shown=True) or 0.0)
                elif o.why == "day":
                    far = 0.05 if tables(o.of) <= (lacking or beside) else far * 5.0 + counted + 0.5 * bool(lacking)
                if any(r.column in own and r.table not in (main, *headed) for r in columns):
                    far += CLOSE  # the area of a lake, before that of its state
                if near_own and o.why in guessed and main not in {r.table for r in columns}:
                    far += CLOSE  # tickets under 10 euros, before their exhibitions
                titled = isinstance(f, Named) and columns <= titles
                named = titled and o.why == "name" and bool(beside & tables(o.of))
                near = 0.35 if cued & columns else 0.3 * (titled + named)
                priced.append((o, o.cost + far - near))
        if not priced:
            return
        priced.sort(key=lambda x: x[1])
        kept = [(replace(f, options=(o._replace(cost=0.0),)), c) for o, c in priced if c <= priced[0][1] + CLOSE]  # type: ignore[call-arg]
        sides.append(kept[:4])
    for chosen in itertools.islice(itertools.product(*sides), 24):
        named = [tables(f.meant) for f, _ in chosen if isinstance(f, Named)]
        scattered = 0.3 * max(0, len(set().union(*named)) - 1)  # first and last names are those of one table
        yield tuple(f for f, _ in chosen), sum(c for _, c in chosen) + scattered


def _is_pair(main: str, facts: Sequence[Fact], schema: Schema) -> bool:
    """Whether a table only pairs two others that are named: each of its rows is one of the other's numbers, once."""
    table = schema.table(main)
    keys = {f.column for f in schema.parents(main)}
    pairs = len(keys) >= 2 and all(c.name in keys or c.key for c in table.columns)
    return pairs and any(isinstance(f, By) for f in facts)


def _neighbours(facts: Sequence[Fact], f: Fact) -> list[Fact]:
    """The facts before and behind one."""
    ordered = sorted((g for g in facts if not isinstance(g, Mark)), key=lambda g: g.start)
    at = ordered.index(f) if f in ordered else 0
    return [ordered[i] for i in (at - 1, at + 1) if 0 <= i < len(ordered)]


def _named_tables(f: Fact) -> set[str]:
    """The table that a fact names, asks for partners in, or speaks of alone: that of yoga, where one table has it."""
    said = set().union(*(tables(o.of) for o in f.options)) if isinstance(f, Where) else {f.table} - {""}
    return said if len(said) == 1 else set()


def _bare(e: Any) -> Any:
    """A difference of numbers without the groups that they are of."""
    if isinstance(e, Arithmetic) and isinstance(e.left, Aggregate) and isinstance(e.right, Aggregate):
        return replace(e, left=replace(e.left, where=()), right=replace(e.right, where=()))
    return e


def _far(of: Any, main: str, schema: Schema, *, measured: bool, shown: bool) -> float | None:
    """How far the columns of an expression lie from a table; None where they are not linked."""
    far = 0.0
    for t in tables(of) - {main}:
        way = schema.path(main, t)
        if measured or (way is None and (shown or schema.link(main, t) is None)):
            return None  # a number of another table would be counted more than once
        far = max(far, 0.3 if way is None else 0.1 * len(way))
    return far
