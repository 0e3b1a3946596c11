"""What a question comes down to: typed slots.

A question is a table, filters on columns, and what to make of the rows that pass (columns to show, measures,
groups, an order, a limit).  Slots are frozen and comparable, so that the state before and after every turn of
a conversation can be shown, and one slot can be taken out again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

Scalar = str | int | float | bool | None
Kind = Literal["text", "category", "list", "number", "date", "boolean"]

OPS = ("=", "<", "<=", ">", ">=", "between", "during", "has", "contains", "starts", "ends", "empty", "linked")
FUNCTIONS = ("count", "avg", "sum", "min", "max")
PARTS = ("", "year", "quarter", "month", "day", "weekday")


class Ref(NamedTuple):
    """A column by its names; ``str(ref)`` is ``table.column``."""

    table: str
    column: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column}"


@dataclass(frozen=True)
class Filter:
    """One condition.  Several ``values`` mean any of them; ``between`` has two, both included.

    ``during`` is a stretch of days ``(first, first after)`` as ISO dates, either may be None; ``has`` is for
    columns that hold lists; ``linked`` says that a row of that table belongs to the row (no values).
    Rows without a value pass neither a condition nor its negation, except ``empty``.
    ``said`` are the words it came from, ``why`` how the column was found where it was not named.
    """

    column: Ref
    op: str
    values: tuple[Scalar, ...] = ()
    negated: bool = False
    said: str = field(default="", compare=False)
    why: str = field(default="", compare=False)

    @property
    def key(self) -> str:
        return f"filter {self.column} {'not ' if self.negated else ''}{self.op} {list(self.values)}"


@dataclass(frozen=True)
class Measure:
    """``count`` counts rows (of ``column``: its different values); the others need a column."""

    fn: str
    column: Ref | None = None

    @property
    def key(self) -> str:
        return f"measure {self.fn} {self.column or ''}"


@dataclass(frozen=True)
class Group:
    """Group by a column, or by a part of a date."""

    column: Ref
    part: str = ""

    @property
    def key(self) -> str:
        return f"group {self.column} {self.part}"


@dataclass(frozen=True)
class Having:
    """A condition on a group: its measure against a number."""

    measure: Measure
    op: str
    values: tuple[float, ...]

    @property
    def key(self) -> str:
        return f"having {self.measure.key} {self.op} {list(self.values)}"


@dataclass(frozen=True)
class Sort:
    """An order by a column or by a measure."""

    by: Ref | Measure
    descending: bool = False

    @property
    def key(self) -> str:
        by = self.by.key if isinstance(self.by, Measure) else self.by
        return f"sort {by} {'desc' if self.descending else 'asc'}"


@dataclass(frozen=True)
class Limit:
    """At most ``n`` rows."""

    n: int

    @property
    def key(self) -> str:
        return f"limit {self.n}"


@dataclass(frozen=True)
class Shown:
    """A column that was asked for."""

    column: Ref

    @property
    def key(self) -> str:
        return f"show {self.column}"


Slot = Filter | Measure | Group | Having | Sort | Limit | Shown


@dataclass(frozen=True)
class Slots:
    """The state of a conversation: everything that the next query is made of."""

    table: str | None = None
    filters: tuple[Filter, ...] = ()
    show: tuple[Shown, ...] = ()
    measures: tuple[Measure, ...] = ()
    groups: tuple[Group, ...] = ()
    having: tuple[Having, ...] = ()
    sorts: tuple[Sort, ...] = ()
    limit: Limit | None = None

    def __iter__(self) -> Iterator[Slot]:
        yield from self.filters
        yield from self.show
        yield from self.measures
        yield from self.groups
        yield from self.having
        yield from self.sorts
        if self.limit is not None:
            yield self.limit

    def __bool__(self) -> bool:
        return self.table is not None or any(True for _ in self)

    @property
    def has_output(self) -> bool:
        """True where more than the plain rows is asked for."""
        return bool(self.show or self.measures or self.groups or self.having or self.sorts or self.limit)

    def without(self, key: str) -> Slots:
        """The same slots less the one with this key; what hung on it (a group's order) goes too."""
        out = replace(
            self,
            filters=tuple(s for s in self.filters if s.key != key),
            show=tuple(s for s in self.show if s.key != key),
            measures=tuple(s for s in self.measures if s.key != key),
            groups=tuple(s for s in self.groups if s.key != key),
            having=tuple(s for s in self.having if s.key != key),
            sorts=tuple(s for s in self.sorts if s.key != key),
            limit=None if self.limit is not None and self.limit.key == key else self.limit,
        )
        if not out.measures:
            out = replace(out, having=(), sorts=tuple(s for s in out.sorts if not isinstance(s.by, Measure)))
        if not out.groups:
            out = replace(out, having=(), sorts=tuple(s for s in out.sorts if not isinstance(s.by, Measure)))
        return out

    def refs(self) -> Iterator[Ref]:
        """Every column that takes part."""
        for slot in self:
            if isinstance(slot, (Filter, Group, Shown, Measure)) and slot.column is not None:
                yield slot.column
            elif isinstance(slot, Sort) and isinstance(slot.by, Ref):
                yield slot.by
            elif isinstance(slot, Sort) and isinstance(slot.by, Measure) and slot.by.column is not None:
                yield slot.by.column
