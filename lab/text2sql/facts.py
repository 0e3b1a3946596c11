"""What phrases of a question say, before they are put together: conditions, measures, groups, top lists, nouns.

Where a phrase can mean several columns, a fact holds one `Option` for each; which of them is meant depends on the
table that the whole question is about, and is settled in `assembling`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from lab.text2sql.tree import Condition, Expr, Ref

Meant = TypeVar("Meant")


class Option(NamedTuple, Generic[Meant]):
    """One thing that words can mean, how far-fetched it is, and how it was found where it was not named."""

    of: Meant
    cost: float = 0.0
    why: str = ""


class Quantity(NamedTuple):
    """A number with what was said about it: ``op`` ("" if nothing), one value, two (between) or several (any of)."""

    op: str
    values: tuple[float, ...]
    unit: str = ""
    about: str = ""
    negated: bool = False


class Listed(NamedTuple):
    """Several values of one column, joined by "and", which may be groups; ``split`` where they are set side by side."""

    of: Ref
    split: bool = False


@dataclass(frozen=True)
class Fact:
    """What ``text[start:end]`` says."""

    start: int
    end: int

    @property
    def table(self) -> str:
        return ""


@dataclass(frozen=True)
class Where(Fact):
    """A condition."""

    options: tuple[Option[Condition], ...]
    listed: Listed | None = None


@dataclass(frozen=True)
class Counted(Fact):
    """A condition on a number of rows: more than 6 orders, 三次以上.  ``of`` is their table, "" for rows in general."""

    of: str
    quantity: Quantity


@dataclass(frozen=True)
class Bounded(Fact):
    """A condition on a measure: an average fare of over 60."""

    options: tuple[Option[Expr], ...]
    quantity: Quantity


@dataclass(frozen=True)
class Measured(Fact):
    """A measure: an average, a sum …; ``guessed`` where only a unit was said: how many kilos."""

    options: tuple[Option[Expr], ...]
    guessed: bool = False


@dataclass(frozen=True)
class HowMany(Fact):
    """A count was asked for; ``different`` of different values; ``people`` of people."""

    different: bool = False
    people: bool = False
    times: bool = False


@dataclass(frozen=True)
class Shared(Fact):
    """A share was asked for."""


@dataclass(frozen=True)
class By(Fact):
    """A group: per city, by month."""

    options: tuple[Option[Expr], ...]
    loose: bool = False  # "by" may also be an order


@dataclass(frozen=True)
class Top(Fact):
    """The first by something: ``key`` are its expressions, () where it is not said, ``many`` the number of rows."""

    options: tuple[Option[Expr], ...]
    descending: bool
    n: int | None = None
    offset: int = 0
    many: bool = False
    about: str = ""
    asked: bool = False  # who, which of them


@dataclass(frozen=True)
class Sorted(Fact):
    """An order; ``options`` () where only the direction was said, ``descending`` None where only the column was."""

    options: tuple[Option[Expr], ...]
    descending: bool | None = None
    many: bool = False
    of: str = ""  # the table whose rows are counted


@dataclass(frozen=True)
class Noun(Fact):
    """A table was named."""

    of: str

    @property
    def table(self) -> str:
        return self.of


@dataclass(frozen=True)
class Named(Fact):
    """A column was named."""

    options: tuple[Option[Expr], ...]


@dataclass(frozen=True)
class Cue(Fact):
    """A word that belongs to columns (or a table) and says nothing by itself."""

    refs: frozenset[Ref]
    tables: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Count(Fact):
    """A bare number of things: three of "the three cheapest books"."""

    n: int


@dataclass(frozen=True)
class Mark(Fact):
    """A word with a part to play in the whole: which, who, where, when, exists, split, other, much, records, all."""

    role: str
    of: str = ""


@dataclass(frozen=True)
class Turn(Fact):
    """A word that speaks of the conversation: follow, replace, also, drop, undo, limits, reset."""

    role: str


@dataclass(frozen=True)
class Unknown(Fact):
    """A word that nothing accounts for."""

    text: str
