"""The slots of a question: rows, columns, measures, conditions, groups, order.

A slot keeps every column that it can be about, each with how far-fetched it is; which one it is, and on which table, is
settled when all slots are known (`lab_packs.text2sql.assembly`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lab_packs.text2sql.tree import Aggregate, Ref

COUNT = Aggregate("count")


@dataclass(frozen=True)
class Slot:
    """What some words of the question, ``text[start:end]``, are there for."""

    start: int
    end: int


@dataclass(frozen=True)
class Option:
    """One thing that a slot can be about, and how far-fetched that is: ``link`` by its name, ``fit`` by its kind or unit."""

    of: object
    ref: Ref | None = None
    link: float = 0.0
    fit: float = 0.0


@dataclass(frozen=True)
class Noun(Slot):
    """Mentioned rows.  ``use``: what (requested), counted, per, with, without, most; ``bound``: (op, n)."""

    tables: tuple[Option, ...]
    use: str = "what"
    bound: tuple[str, int] | None = None
    columns: tuple[Option, ...] = ()
    """Columns of that name, where the rows cannot be meant."""
    head: bool = False
    """Whether the question asks for these rows."""


@dataclass(frozen=True)
class Keep(Slot):
    """A condition."""

    options: tuple[Option, ...]
    negated: bool = False
    joint: str = ""
    """or: joined to the condition before it by this word."""
    around: str = ""
    """The words right before and behind it, in small letters: from, arriving in, 出发."""


@dataclass(frozen=True)
class Measure(Slot):
    """A number of all rows or of each group."""

    fn: str
    options: tuple[Option, ...] = ()
    noun: Noun | None = None
    bound: tuple[str, float] | None = None
    about: str = ""
    """What is counted or added up, whatever the rows are: people (几个人), money (总额)."""


@dataclass(frozen=True)
class Group(Slot):
    """A grouping."""

    options: tuple[Option, ...]


@dataclass(frozen=True)
class Sort(Slot):
    """An order.  Without options: by the measure, or by the number of rows (``many``)."""

    options: tuple[Option, ...]
    descending: bool
    limit: int | None = None
    offset: int = 0
    many: bool = False
    about: str = ""


@dataclass(frozen=True)
class Show(Slot):
    """A column that is named: shown, unless another slot is about it."""

    options: tuple[Option, ...]
    asked: bool = False
    """Whether a question word asks for it: which cities."""
    cue: bool = False
    """Whether it only points to a column without naming it."""
    adjective: str = ""
    """What an adjective without a comparison is about: ">price"."""


@dataclass(frozen=True)
class Flag(Slot):
    """A word for the whole question: distinct, exists, share, all, much, who, when, split …"""

    name: str


@dataclass(frozen=True)
class Missing(Slot):
    """Words that nobody knows."""

    text: str


@dataclass
class Filled:
    """All slots of a question, in order, and its moves in the conversation."""

    slots: list[Slot] = field(default_factory=list)
    moves: list[Flag] = field(default_factory=list)


GLUE = frozenset(
    "light deed and or have by day is to kinds also limits split beyond sort show which all people drop follow not".split()  # noqa: SIM905
)
"""Roles of words that say nothing where no rule reads them; every other known word that no slot took is unknown."""
MOVES = ("follow", "replace", "also", "drop", "limits", "reset")
