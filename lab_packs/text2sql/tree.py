"""What a question comes down to: a small tree, of which SQL, the sentence and the chips of the page are made.

A `Select` takes the rows of one table, keeps those that hold its conditions, and shows rows, groups or numbers.
Expressions and conditions are frozen values: two readings are the same question exactly where they are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, cast

Scalar = str | int | float | bool | None
Kind = Literal["text", "category", "list", "number", "date", "boolean"]

FUNCTIONS = ("count", "distinct", "avg", "sum", "min", "max", "median")
PARTS = ("year", "quarter", "month", "day", "weekday", "month of year", "time")
COMPARISONS = ("=", "<", "<=", ">", ">=")
OPS = (*COMPARISONS, "between", "during", "has", "contains", "starts", "ends", "empty")


class Ref(NamedTuple):
    """A column by its names; ``str(ref)`` is ``table.column``."""

    table: str
    column: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column}"


@dataclass(frozen=True)
class Field:
    """A column."""

    ref: Ref


@dataclass(frozen=True)
class Part:
    """A part of a day, one of `PARTS`: 2024, 2024-Q1, 2024-05, 2024-05-31, 0 (Sunday), 5 (May of any year), 20:30."""

    of: Field
    part: str


@dataclass(frozen=True)
class Aggregate:
    """One of `FUNCTIONS` over the rows that hold ``where``; ``of`` is None where rows are counted."""

    fn: str
    of: Expr | None = None
    where: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class Arithmetic:
    """``left op right``, with *, / or -."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Inner:
    """The one number (or text) that another query gives; with ``alike``, over the rows that are the same in these."""

    select: Select
    alike: tuple[Expr, ...] = ()


Expr = Field | Part | Aggregate | Arithmetic | Inner


@dataclass(frozen=True)
class Test:
    """``of op values``, with several values any of them.

    ``between`` has two values, both included; ``during`` is a stretch of days (first, first after), either may be None;
    ``has`` is for columns of lists.  A row without a value passes neither a test nor its negation, except ``empty``.
    """

    of: Expr
    op: str
    values: tuple[Scalar, ...] = ()


@dataclass(frozen=True)
class Versus:
    """Two expressions side by side: ``left op right``; ``in``: the left is among those that the right one gives."""

    left: Expr
    op: str
    right: Expr


@dataclass(frozen=True)
class Related:
    """A row of another table that meets ``where`` belongs to the row; with ``many``, (op, n), a number of rows do."""

    table: str
    where: tuple[Condition, ...] = ()
    many: tuple[str, int] | None = None


@dataclass(frozen=True)
class Not:
    of: Condition


@dataclass(frozen=True)
class AllOf:
    of: tuple[Condition, ...]


@dataclass(frozen=True)
class AnyOf:
    of: tuple[Condition, ...]


Condition = Test | Versus | Related | Not | AllOf | AnyOf


@dataclass(frozen=True)
class Order:
    of: Expr
    descending: bool = False


@dataclass(frozen=True)
class Select:
    """A question.

    Without ``show``, ``by`` and ``measures``: the rows themselves.  ``by`` groups, ``measures`` are numbers of each
    group (or of all rows).  ``limit`` keeps the first after ``offset``, with ``ties`` also those that are equal to the
    last; with ``each``, of every group.  ``distinct`` shows every different row once.
    """

    table: str
    show: tuple[Expr, ...] = ()
    by: tuple[Expr, ...] = ()
    measures: tuple[Expr, ...] = ()
    where: tuple[Condition, ...] = ()
    having: tuple[Condition, ...] = ()
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0
    ties: bool = False
    each: tuple[Expr, ...] = ()
    distinct: bool = False

    @property
    def plain(self) -> bool:
        """Whether rows are shown, and neither groups nor numbers."""
        return not self.by and not self.measures


Node = Expr | Condition | Order | Select


def walk(node: object) -> Iterator[Node]:
    """Yields a node and everything in it, outermost first."""
    if isinstance(node, tuple) and not isinstance(node, Ref):
        for child in node:
            yield from walk(child)
    elif (names := getattr(node, "__dataclass_fields__", None)) is not None:
        yield node  # type: ignore[misc]
        for name in names:
            yield from walk(getattr(node, name))


def refs(node: object) -> set[Ref]:
    return {n.ref for n in walk(node) if isinstance(n, Field)}


def tables(node: object) -> set[str]:
    own_tables = {n.table for n in walk(node) if isinstance(n, (Select, Related))}
    return own_tables | {r.table for r in refs(node)}


class Piece(NamedTuple):
    """A part of a question that can be removed by itself: the name of its field in `Select`, and its value."""

    kind: str
    value: object


def pieces(select: Select | None) -> tuple[Piece, ...]:
    """Returns the parts of a question, in the order of the page."""
    kinds = ("where", "show", "measures", "by", "each", "having", "order")
    parts = [Piece(kind, value) for kind in kinds for value in getattr(select, kind, ())]
    if select is not None and select.limit is not None:
        parts.append(Piece("limit", (select.limit, select.offset, select.ties)))
    return tuple(parts)


def without(select: Select, piece: Piece) -> Select:
    """Returns the question without one piece and its dependent parts (a group's order, a top list's number)."""
    if piece.kind == "limit":
        return replace(select, limit=None, offset=0, ties=False, each=())
    left = tuple(part for part in getattr(select, piece.kind) if part != piece.value)
    reduced: Select = replace(cast(Any, select), **{piece.kind: left})
    if piece.kind in ("by", "measures") and not reduced.measures:
        reduced = replace(reduced, having=(), order=tuple(o for o in reduced.order if not isinstance(o.of, Aggregate)))
    if piece.kind == "by" and not reduced.by:
        reduced = replace(reduced, having=(), order=(), limit=None, offset=0, ties=False)
    if piece.kind == "order" and not reduced.order:
        reduced = replace(reduced, limit=None, offset=0, ties=False, each=())
    return reduced
