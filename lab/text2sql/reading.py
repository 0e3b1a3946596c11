"""What a question was read as, and the row of items that the rules work on.

The rules (`rules_numbers`, `rules_output`, `rules_filters`) take turns on one `Reading`: each marks the items that
it has used; what nobody used at the end was not understood, and is named.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field

from lab.text2sql.scan import Item, Vocabulary
from lab.text2sql.schema import Column, Schema
from lab.text2sql.slots import Filter, Group, Having, Limit, Measure, Ref, Shown, Slot, Slots, Sort


@dataclass(frozen=True)
class Quantity:
    """A number with what was said about it: ``op`` ("" if nothing), one value or two, unit, what it is about."""

    op: str
    values: tuple[float, ...]
    unit: str = ""
    about: str = ""
    negated: bool = False


@dataclass(frozen=True)
class Period:
    """A stretch of days, half-open; an end may be None."""

    first: dt.date | None
    after: dt.date | None
    negated: bool = False
    yearless: bool = False

    @property
    def whole_years(self) -> bool:
        return all(d is None or (d.month, d.day) == (1, 1) for d in (self.first, self.after))


@dataclass(frozen=True)
class Ask:
    """A question back: what was said, and the slots it may mean."""

    words: str
    choices: tuple[Slot, ...]


@dataclass(frozen=True)
class Reading:
    """What one question says, before it meets the conversation.

    ``drops`` are columns whose conditions are to go, or the words "filters", "sort", "limit", "output" for a
    whole kind; ``dropped_values`` single values to go; ``unknown`` the words that were not understood.
    """

    language: str
    table: str | None = None
    named: bool = False
    slots: Slots = Slots()
    drops: tuple[Ref | str, ...] = ()
    dropped_values: tuple[tuple[Ref, str], ...] = ()
    reset: bool = False
    follow: bool = False
    opening: bool = False
    replaces: bool = False
    also: bool = False
    plain_rows: bool = False
    counts: bool = False  # a count was asked for in so many words
    asks: tuple[Ask, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass
class Board:
    """The items of one question while the rules work on them, and what they have found so far."""

    items: list[Item]
    vocabulary: Vocabulary
    language: str
    before: Slots
    as_of: dt.date
    main: str | None = None
    named: bool = False
    filters: list[Filter] = field(default_factory=list)
    show: list[Shown] = field(default_factory=list)
    measures: list[Measure] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    having: list[Having] = field(default_factory=list)
    sorts: list[Sort] = field(default_factory=list)
    limit: Limit | None = None
    places: dict[str, int] = field(default_factory=dict)  # key of a measure -> where it was said
    drops: list[Ref | str] = field(default_factory=list)
    dropped_values: list[tuple[Ref, str]] = field(default_factory=list)
    asks: list[Ask] = field(default_factory=list)
    quantities: dict[int, Quantity] = field(default_factory=dict)  # index of an item -> what it says
    periods: dict[int, Period] = field(default_factory=dict)
    counted: bool = False
    wants_values: bool = False  # "what is the price": columns that are named are to be shown

    @property
    def schema(self) -> Schema:
        return self.vocabulary.schema

    # ------------------------------------------------------------------------------------- walking the row

    def next(self, i: int, step: int = 1, *, over: Sequence[str] = (), stops_at_break: bool = True) -> int | None:
        """The nearest item from ``i`` in a direction that is not idle and not used; None at a break or the end.

        ``over`` are further kinds of speech to pass.
        """
        j = i + step
        while 0 <= j < len(self.items):
            item = self.items[j]
            if item.breaks and stops_at_break:
                return None
            if not item.breaks and not (item.idle or item.used or (over and item.says(*over) and not item.term)):
                return j
            j += step
        return None

    def near(self, i: int, step: int = 1) -> int | None:
        """The next item itself, used or not, where only idle words stand between; None at a break."""
        j = i + step
        while 0 <= j < len(self.items):
            if self.items[j].breaks:
                return None
            if not self.items[j].idle:
                return j
            j += step
        return None

    def use(self, *indices: int) -> None:
        for i in indices:
            self.items[i].used = True

    def span(self, first: int, last: int) -> str:
        """The words from one item to another, as they were written."""
        a, b = sorted((first, last))
        text, end = "", self.items[a].start
        for item in self.items[a : b + 1]:
            gap = " " if item.start > end else ""
            text += gap + item.text
            end = item.end
        return text

    # ------------------------------------------------------------------------------------ choosing columns

    def prefer(self, refs: Sequence[Ref]) -> list[Ref]:
        """Of several columns, those that the question can mean best: in its table, else nearest to it."""
        refs = list(dict.fromkeys(refs))
        if len(refs) < 2 or self.main is None:
            return refs
        here = [r for r in refs if r.table == self.main]
        if here:
            return here
        ways = {r: self.schema.path(self.main, r.table) for r in refs}
        near = [r for r in refs if ways[r] is not None]
        if near:
            shortest = min(len(ways[r] or ()) for r in near)
            return [r for r in near if len(ways[r] or ()) == shortest]
        linked = [r for r in refs if self.schema.reachable(self.main, r.table)]
        return linked or refs

    def columns(self, refs: Sequence[Ref], *kinds: str) -> list[Column]:
        found = [self.schema.column(r) for r in refs]
        return [c for c in found if not kinds or c.kind in kinds]

    def in_use(self, refs: Sequence[Ref]) -> list[Ref]:
        """Those columns that the conversation already has conditions on."""
        used = {f.column for f in self.before.filters}
        return [r for r in refs if r in used]

    def one(self, refs: Sequence[Ref]) -> Ref | None:
        """The column that is meant, or None where several are as good."""
        best = self.prefer(refs)
        if len(best) > 1:
            best = self.in_use(best) or best
        return best[0] if len(best) == 1 else None

    def measure(self, m: Measure, i: int) -> None:
        """Note a measure that was said at an item."""
        self.measures.append(m)
        self.places.setdefault(m.key, i)

    def slots(self) -> Slots:
        return Slots(
            table=self.main,
            filters=tuple(dict.fromkeys(self.filters)),
            show=tuple(dict.fromkeys(self.show)),
            measures=tuple(sorted(dict.fromkeys(self.measures), key=lambda m: self.places.get(m.key, 0))),
            groups=tuple(dict.fromkeys(self.groups)),
            having=tuple(dict.fromkeys(self.having)),
            sorts=tuple(dict.fromkeys(self.sorts)),
            limit=self.limit,
        )
