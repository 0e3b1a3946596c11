"""From facts to trees: what the phrases of a question come to together, for every table that it can be about.

The table is chosen by the whole: each table that is named or pointed to is tried, and a tree costs what its facts cost,
how far its columns lie from the table, and what had to be guessed.  A fact that finds no place in the tree counts as
words that were not understood.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lab.text2sql import facts as said
from lab.text2sql.drafting import Draft
from lab.text2sql.facts import By, Cue, Fact, Mark, Meaning, Misfit, Named, Noun, Option, Where
from lab.text2sql.forms import is_han
from lab.text2sql.hints import words_of
from lab.text2sql.link import cheapest
from lab.text2sql.linking import Links
from lab.text2sql.phrases import UNKNOWN, Account
from lab.text2sql.schema import Schema
from lab.text2sql.tree import Aggregate, Arithmetic, Field, Part, Ref, Related, Select, refs, tables

CLOSE = 0.3
"""Options that cost so little more than the best are readings of their own."""
LINKED = 0.3
"""How far off the columns of a table are that belong to the rows by a third one, or of which a row has many."""


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
        for among in (False, True) if any(isinstance(f, said.Shared) for f in choice) else (False,):
            made = Draft(choice, main, links, among, before)
            try:
                select = made.select()
            except Misfit:
                continue
            titled = Field(links.vocabulary.schema.table(main).title.ref) in select.by[1:]
            best = titled and bool(said.aggregates(select.measures, "max", "min"))  # which shop of each town
            price = account.cost + cost + made.cost + 2 * CLOSE * best + UNKNOWN * len(made.left)
            yield choice, Reading(select, price, (*account.unknown, *map(made.label, made.left)), account.facts)


def _mains(facts: Sequence[Fact], schema: Schema) -> list[str]:
    """The tables that a question can be about."""
    if len(schema.tables) == 1:
        return [schema.tables[0].name]
    named: list[str] = []
    for f in facts:
        named += [f.of] if isinstance(f, (Noun, said.Counted)) else []
        named += [t for o in getattr(f, "options", ()) for t in sorted(tables(o.of))]
        named += sorted({*(r.table for r in f.refs), *f.tables}) if isinstance(f, Cue) else []
    roles = {f.role for f in facts if isinstance(f, Mark)}
    if "verb" in roles:
        counted = any(isinstance(f, (said.Top, said.Counted)) for f in facts)
        counted |= any(isinstance(f, said.HowMany) and f.times for f in facts)
        done = [f.table for f in schema.foreign_keys if f.parent in named]
        if counted or not any(isinstance(f, Noun) for f in facts):  # which genre is borrowed most
            named += done
        if "who" in roles:  # who borrowed it: those of the loans
            named += [f.parent for f in schema.foreign_keys if f.table in done]
    if "who" in roles:  # of the visits of their pets
        named += [t for t in schema.names if any(schema.path(n, t) for n in dict.fromkeys(named) if n)]
    different = [t for t in dict.fromkeys(named) if t]
    apart = [x for x in itertools.combinations(different[:6], 2) if schema.path(*x) is None is schema.path(*x[::-1])]
    # tables of pairs, for two tables that only hang together through them: writes, of authors and papers
    return list(dict.fromkeys([*different, *(way[0] for a, b in apart if (way := schema.link(a, b)) is not None)]))


def placed(facts: Sequence[Fact], main: str, schema: Schema) -> Iterator[tuple[tuple[Fact, ...], float]]:
    """The facts with one option each, for all options that are about as likely as the best on this table."""
    place = _Place(facts, main, schema)
    sides: list[Sequence[tuple[Fact, float]]] = []
    for f in facts:
        if not isinstance(f, Meaning) or not f.options:
            sides.append([(f, 0.0)])
            continue
        priced = sorted(place.priced(f), key=lambda x: x[1])
        if not priced:
            return
        kept = [(replace(f, options=(o._replace(cost=0.0),)), c) for o, c in priced if c <= priced[0][1] + CLOSE]
        sides.append(kept[:4])
    for chosen in itertools.islice(itertools.product(*sides), 24):
        named = [tables(f.meant) for f, _ in chosen if isinstance(f, Named)]
        scattered = 0.3 * max(0, len(set().union(*named)) - 1)  # first and last names are those of one table
        yield tuple(f for f, _ in chosen), sum(c for _, c in chosen) + scattered


class _Place:
    """What there is to say of the options of all facts on one table."""

    def __init__(self, facts: Sequence[Fact], main: str, schema: Schema) -> None:
        self.facts, self.main, self.schema = facts, main, schema
        self.cued = {r for f in facts if isinstance(f, Cue) for r in f.refs}
        nouns = {f.of for f in facts if isinstance(f, Noun)}
        self.titles = {schema.table(t).title.ref for t in nouns}  # the names of the lakes
        groups = {t for f in facts if isinstance(f, By) for o in f.options for t in tables(o.of)}
        self.headed = nouns | groups | {main}
        self.lacking = {t for g in facts if isinstance(g, Where) and g.among for o in g.options for t in tables(o.of)}
        # a table may only pair two others that are named: each of its rows is one of the other's numbers, once
        keys = {f.column for f in schema.parents(main)}
        pairs = len(keys) >= 2 and all(c.name in keys or c.key for c in schema.table(main).columns)
        self.paired = pairs and any(isinstance(f, By) for f in facts)
        equal = (f for f in facts if isinstance(f, Where) and f.options and said.op_of(f.meant) == "=")
        told = {t for f in equal for t in tables(f.meant) if is_han(main)}
        self.events = {t for t in told if t != main and schema.path(t, main)}  # 今天请病假的孩子: the day of the leave
        over = {t for f in facts for o in getattr(f, "options", ()) if o.why == "done" for t in tables(o.of)}
        self.events, self.over = self.events | over, bool(over)
        self.dated = any(c.kind == "date" for c in schema.table(main).columns)
        self.ordered = sorted((g for g in facts if not isinstance(g, Mark)), key=lambda g: g.start)
        children = {f.table for f in schema.foreign_keys if f.parent == main}
        deed = any(isinstance(g, Mark) and g.of == "deed" for g in facts)
        self.done = children if deed else set[str]()  # what a verb may speak of: came in last month

    def priced(self, f: Meaning) -> Iterator[tuple[Option[Any], float]]:
        """The options of a fact that can be meant on this table, and how far-fetched each is."""
        main, at = self.main, self.ordered.index(f)
        near_by = [self.ordered[i] for i in (at - 1, at + 1) if 0 <= i < len(self.ordered)]
        beside = {t for g in near_by for t in _named_tables(g)}
        # borrowed Emma in May: the day of the loan
        beside = {way[0] if (way := self._by_link(t)) is not None else t for t in beside}
        partners = [o.of for g in near_by if isinstance(g, Where) for o in g.options if isinstance(o.of, Related)]
        whose = {g.of for g in near_by if isinstance(g, Noun)} if isinstance(f, Where) else set[str]()
        values = [o for o in f.options if said.op_of(o.of) == "="]
        whose = whose if len(values) > 1 and any(tables(o.of) <= whose for o in values) else set()
        counted = 0.3 if any(p.many is not None for p in partners) else 0.0  # more than 3 orders in May
        meant = [(o, refs(o.of)) for o in f.options]
        own = {r.column for _, columns in meant for r in columns if r.table == main}
        near_own = any(o.why in _GUESSED and {r.table for r in columns} == {main} for o, columns in meant)
        measured = isinstance(f, (said.Measured, said.Bounded)) and not self.paired
        shown = isinstance(f, (Named, By, said.Top, said.Sorted))
        meant = [one for o, r in meant for one in self._ways(o, r)] if isinstance(f, By) else meant
        title = self.schema.table(main).title.ref
        for o, columns in meant:
            of = _bare(o.of) if measured else o.of
            far = self.far(of, measured=measured, shown=shown)
            # a difference between two groups of a table that has many of these rows
            if far is None or any(self.schema.path(main, r.table) is None for r in (columns - refs(of))):
                continue
            if o.why == "bare" and not tables(o.of) <= {main} | beside:
                continue  # at least 6: no number of anything else
            if o.why == "day" and isinstance(o.of, tuple):  # by hotel and month
                days = tuple(e for e in o.of if isinstance(e, Part))
                far += 5.0 * (self.far(days, measured=False, shown=True) or 0.0)
            elif o.why == "day":
                whose_day = self.lacking or (self.events if self.over else beside | self.events)
                near = tables(o.of) <= whose_day and not (self.dated and far and far < LINKED)
                below = not self.lacking and far == LINKED and any(map(self._events_of(o.of), beside))
                # whose Mazda was repaired in May: the day of the repair
                below |= not self.lacking and beside <= {main} and bool(tables(o.of)) and tables(o.of) <= self.done
                aside = 0.5 * bool(self.lacking)  # and the day of who only works with them
                aside += any(self._by_link(t) and not self.schema.path(t, main) for t in tables(o.of))
                aside += self.over
                far = 0.05 if near else far + counted if below else far * 5.0 + counted + aside
            if any(r.column in own and r.table not in self.headed for r in columns):
                far += CLOSE  # the area of a lake, before that of its state
            if near_own and o.why in _GUESSED and main not in {r.table for r in columns}:
                far += CLOSE  # tickets under 10 euros, before their exhibitions
            titled = any(r != title and r == self.schema.table(r.table).title.ref for r in columns)
            far += CLOSE * (titled and is_han(main) and any({title} == r for _, r in meant))  # their own names
            far += CLOSE * bool(whose and not tables(o.of) <= whose)  # helpers from Ebb: their town
            titled = isinstance(f, Named) and columns <= self.titles
            named = titled and o.why == "name" and bool(beside & tables(o.of))
            yield o, o.cost + far - (0.35 if self.cued & columns else 0.3 * (titled + named))

    def _ways(self, o: Option[Any], columns: set[Ref]) -> list[tuple[Option[Any], set[Ref]]]:
        """A group by another table that there are two ways to, once by each: goals at home, by the team at home."""
        keys = [f for f in self.schema.parents(self.main) if isinstance(o.of, Field) and f.parent == o.of.ref.table]
        if len(keys) < 2 or not isinstance(o.of, Field) or o.of.ref != self.schema.table(keys[0].parent).title.ref:
            return [(o, columns)]
        options = (x for f in self.facts if isinstance(f, Meaning) for x in f.options)
        said = {w for x in options for r in refs(x.of) for w in words_of(r.column)}
        ends = {f.column: {*words_of(f.column)} for f in keys}
        own = {c: len((words - set[str].intersection(*ends.values())) & said) for c, words in ends.items()}
        made = ((Ref(self.main, c), CLOSE * (n < max(own.values()))) for c, n in own.items())
        return [(o._replace(of=Field(r), cost=o.cost + far), {r}) for r, far in made]

    def _events_of(self, e: Any) -> Callable[[str], bool]:
        """Whether what an expression is on are events that rows of a table, itself below those asked for, have."""
        own = sorted(tables(e))
        return lambda t: t != self.main and self._by_link(t) is not None and any(self.schema.path(o, t) for o in own)

    def _by_link(self, table: str) -> tuple[str, object, object] | None:
        """How a table hangs together with the rows, where it does so by a third one."""
        return self.schema.link(self.main, table) if self.schema.path(self.main, table) is None else None

    def far(self, of: Any, *, measured: bool, shown: bool) -> float | None:
        """How far the columns of an expression lie from the table; None where they are not linked."""
        far = 0.0
        for t in tables(of) - {self.main}:
            way = self.schema.path(self.main, t)
            if measured or (way is None and (shown or self.schema.link(self.main, t) is None)):
                return None  # a number of another table would be counted more than once
            far = max(far, LINKED if way is None else 0.1 * len(way))
        return far


_GUESSED = ("unit", "adjective", "bare")


def _named_tables(f: Fact) -> set[str]:
    """The table that a fact names, asks for partners in, or speaks of alone: that of yoga, where one table has it."""
    if isinstance(f, Where):
        named = set().union(*(tables(o.of) for o in f.options))
        return named if len(named) == 1 else set()
    return {f.of} if isinstance(f, Noun) else set()


def _bare(e: Any) -> Any:
    """A difference of numbers without the groups that they are of."""
    if isinstance(e, Arithmetic) and isinstance(e.left, Aggregate) and isinstance(e.right, Aggregate):
        return replace(e, left=replace(e.left, where=()), right=replace(e.right, where=()))
    return e
