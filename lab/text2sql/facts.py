"""What phrases of a question say, before they are put together: conditions, measures, groups, top lists, nouns.

Where a phrase can mean several columns, a fact holds one `Option` for each; which of them is meant depends on the
table that the whole question is about, and is settled in `assembling`; `Facts` are those of a question on one table.
"""

from __future__ import annotations

import datetime as dt
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from lab.text2sql import tree
from lab.text2sql.hints import known_word, singular, words_of
from lab.text2sql.lexicon import flows
from lab.text2sql.linking import Links
from lab.text2sql.schema import Column
from lab.text2sql.tree import Aggregate, Condition, Expr, Field, Ref, Related, Select, Test, refs, tables

Meant = TypeVar("Meant", covariant=True)


class Option(NamedTuple, Generic[Meant]):
    """One thing that words can mean, how far-fetched it is, and how it was found where it was not named."""

    of: Meant
    cost: float = 0.0
    why: str = ""


Options = tuple[Option[Condition], ...]
Exprs = tuple[Option[Expr], ...]
Refs = Iterable[tuple[Ref, float]]


def fields(named: Refs, more: float = 0.0, why: str = "") -> Exprs:
    """Columns as options."""
    return tuple(Option(Field(r), c + more, why) for r, c in named)


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

    start: int = field(default=0, kw_only=True)
    end: int = field(default=0, kw_only=True)


@dataclass(frozen=True)
class Meaning(Fact):
    """What can mean several conditions or expressions; once one of them is chosen, it is ``meant``."""

    options: tuple[Option[Any], ...]

    @property
    def meant(self) -> Any:
        return self.options[0].of


@dataclass(frozen=True)
class Where(Meaning):
    """A condition."""

    listed: Listed | None = None
    among: str = ""  # of all rows of something: "none" holds it (without, 没有), "only" or "all" that do


@dataclass(frozen=True)
class Counted(Fact):
    """A condition on a number of rows: more than 6 orders, 三次以上.  ``of`` is their table, "" for rows in general."""

    of: str
    quantity: Quantity


@dataclass(frozen=True)
class Bounded(Meaning):
    """A condition on a measure: an average fare of over 60."""

    quantity: Quantity


@dataclass(frozen=True)
class Measured(Meaning):
    """A measure: an average, a sum …; ``guessed`` where only a unit was said: how many kilos."""

    guessed: bool = False


@dataclass(frozen=True)
class HowMany(Fact):
    """A count was asked for; ``different`` of different values; ``people`` of people."""

    different: bool = False
    people: bool = False
    times: bool = False


class Shared(Fact):
    """A share was asked for."""


@dataclass(frozen=True)
class By(Meaning):
    """A group: per city, by month."""

    loose: bool = False  # "by" may also be an order
    listed: bool = False  # only named before a number: members and the number of their loans


@dataclass(frozen=True)
class Top(Meaning):
    """The first by something: ``options`` () where it is not said, ``many`` the number of rows."""

    descending: bool
    n: int | None = None
    offset: int = 0
    many: bool = False
    about: str = ""
    asked: bool = False  # who, which of them
    ahead: bool | None = None  # only of days that are to come, or that are over


@dataclass(frozen=True)
class Sorted(Meaning):
    """An order; ``options`` () where only the direction was said, ``descending`` None where only the column was."""

    descending: bool | None = None
    many: bool = False
    of: str = ""  # the table whose rows are counted
    alpha: bool = False  # by the alphabet: of what is shown, where that is one column


@dataclass(frozen=True)
class Noun(Fact):
    """A table was named."""

    of: str


class Named(Meaning):
    """A column was named."""


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


_WHICH = re.compile(r"\b(which|who)\b|哪|谁")
_BY_KEY = re.compile(r"\b(ids?|codes?|numbers?|no)$|编号$|号$|代码$")
COUNT = Aggregate("count")
_OF_PEOPLE = ("姓名", "性别", "surname", "last_name", "gender")
_NEVER_SUMMED = {"each", "age", "rating", "salary", "experience", "percent", "key"}
_F = TypeVar("_F", bound=Fact)


def aggregates(measures: Iterable[Expr], *fns: str) -> list[Aggregate]:
    """The measures that are made by one of these functions."""
    return [m for m in measures if isinstance(m, Aggregate) and m.fn in fns]


def op_of(c: object) -> str:
    """The comparison of a test; "" for all else."""
    return c.op if isinstance(c, Test) else ""


class Misfit(Exception):
    """The facts do not come together on this table."""


@dataclass
class Facts(ABC):
    """One choice of options on one table while its tree is made; ``left`` are the facts that found no place."""

    facts: tuple[Fact, ...]
    main: str
    links: Links
    among: bool = False  # a share is one among those that hold the other conditions
    before: Select | None = None  # the tree that stands, where the question edits it
    cost: float = 0.0
    where: tuple[Condition, ...] = ()
    by: list[Expr] = field(default_factory=list)
    measures: list[Expr] = field(default_factory=list)
    left: list[Fact] = field(default_factory=list)
    apart: list[Expr] = field(default_factory=list)  # whose values are shown, each once
    _counts_used: set[Count] = field(default_factory=set)
    _answered: list[Mark] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.text, self.language, self.schema = self.links.text, self.links.language, self.links.vocabulary.schema
        self.named, self.nouns, self.wheres = self.of(Named), self.of(Noun), self.of(Where)
        self.others = [n for n in self.nouns if n.of != self.main]
        self.headed = len(self.others) < len(self.nouns)  # the table itself was named
        rows = (c.of if isinstance(c, tree.Not) else c for c in (w.meant for w in self.wheres))
        done = {c.table for c in rows if isinstance(c, Related)}.union(*(cue.tables for cue in self.of(Cue)))
        # what was done, of rows that point here
        self.deeds = [t for t in sorted(done) if self.schema.path(t, self.main)]

    @staticmethod
    def unfit(when: object) -> None:
        if when:
            raise Misfit

    def of(self, kind: type[_F]) -> list[_F]:
        return [f for f in self.facts if isinstance(f, kind)]

    def marks(self, *roles: str) -> list[Mark]:
        return [m for m in self.of(Mark) if m.role in roles]

    @property
    def numbers_asked(self) -> bool:
        return any(isinstance(f, (Measured, HowMany)) for f in self.facts)

    @property
    def has_children(self) -> bool:
        return any(f.parent == self.main for f in self.schema.foreign_keys)

    def column(self, e: Expr) -> Column | None:
        return self.schema.column(e.ref) if isinstance(e, Field) else None

    def _tells_apart(self, e: Expr) -> bool:
        """Whether every row is a group of its own."""
        c = self.column(e)
        return c is not None and c.ref.table == self.main and (c.unique or c.key)

    def _title_of(self, table: str) -> Field:
        return Field(self.schema.table(table).title.ref)

    @abstractmethod
    def _conditions(self, among: Sequence[Where] | None = None) -> tuple[Condition, ...]:
        """The conditions of these facts, or of all."""

    @abstractmethod
    def _of_parent(self, c: Condition) -> Condition:
        """A condition on what a row points to."""

    def label(self, f: Fact) -> str:
        return self.text[f.start : f.end].strip()

    def _has(self, e: Expr, *kinds: str) -> bool:
        """Whether an expression is a column of one of these kinds."""
        return (c := self.column(e)) is not None and c.kind in kinds

    def tags_of(self, e: Expr) -> frozenset[str]:
        return c.tags if (c := self.column(e)) is not None else frozenset()

    def _repeats(self, e: Expr, *kinds: str) -> bool:
        """Whether an expression is a column of one of these kinds, or of texts that several rows have."""
        return self._has(e, *kinds) or ((c := self.column(e)) is not None and c.kind == "text" and not c.unique)

    def _is_number(self, e: Expr) -> bool:
        c = self.column(e)
        if isinstance(e, tree.Arithmetic):
            return True
        return c is not None and c.kind == "number" and not c.is_year and "key" not in c.tags

    def _beside(self, a: Fact, b: Fact) -> bool:
        """Whether two facts stand side by side, with nothing but words without weight between."""
        if self.language == "en" and a.start > b.start:
            return False
        low, high = (a, b) if a.start < b.start else (b, a)
        return not any(low.end <= f.start < high.start for f in self.facts if not isinstance(f, (Mark, Cue)))

    def _follows(self, a: Fact, b: Fact) -> bool:
        return b.start >= a.end and not self.text[a.end : b.start].strip()

    def _titled(self, where: tuple[Condition, ...]) -> bool:
        """Whether the conditions single out a row by its name."""
        return any(c.unique or c.key or "label" in c.tags for c in map(self.schema.column, refs(where)))

    def named_group(self, e: Expr) -> Expr:
        """The name of what a key stands for."""
        return Field(self.schema.name_of(e.ref)) if isinstance(e, Field) else e

    def _group_named(self, *, besides: str = "") -> list[Expr]:
        """The group that a question names without "per": a column, another table, or who."""
        said = {r for w in self.wheres for r in refs(w.meant)}  # that year
        found = [n for n in self.named if not refs(n.meant) & said]
        found = [n for n in found if not self._is_number(n.meant) and not self._has(n.meant, "date")]
        last = max((n.start for n in self.others if n.of != besides), default=-1) if self.language == "zh" else -1
        if found and (last < found[-1].start or not self.marks("who", "which")):  # 借书最多的读者是谁: who, not what
            group = found[-1 if self.language == "zh" else 0]
            self.named.remove(group)
            c, called = self.column(group.meant), _BY_KEY.search(self.label(group).lower())
            # which customer, not: which customer number
            own = c is not None and c.key and not called
            return [self._title_of(c.table) if own and c is not None else self.named_group(group.meant)]
        asked = [n for n in self.others if any(self._follows(m, n) for m in self.marks("which"))]
        for n in self.others if self.language == "en" else (*asked, *reversed(self.others)):
            if n.of != besides and self.schema.path(self.main, n.of):
                return [self._title_of(n.of)]
        if not self.marks("who"):
            return []
        near = [self.main, *(f.parent for f in self.schema.parents(self.main))]
        columns = [c for t in near for c in self.schema.table(t).columns if c.kind in ("text", "category")]
        people = [c for c in columns if c.name.endswith(("姓名", "名字")) or c.hint.zh.endswith("姓名")]
        people += [c for c in columns if "person" in c.tags or c.name.endswith(("人", "员", "者"))]
        return [Field(c.ref) for c in people[:1]] or list(self._parents_people())

    def _people(self, table: str = "") -> bool:
        """Whether the rows of a table are people, as far as its columns tell."""
        name = table or self.main
        words = words_of(name) if name.isascii() else []
        known = [w for one in (words, [*map(singular, words)]) if one and (w := known_word(one)) is not None]
        if known:
            return any("person" in word.tags for word in known)  # pets have birthdays, too
        return any(c.tags & {"birth", "age"} or c.name.endswith(_OF_PEOPLE) for c in self.schema.table(name).columns)

    def _parents_people(self) -> tuple[Expr, ...]:
        """The names of the people that the rows belong to, where these are no people themselves."""
        parents = () if self._people() else self.schema.parents(self.main)
        return tuple(self._title_of(f.parent) for f in parents if self._people(f.parent))[:1]

    def _in_time(self, key: Expr | None, top: Top) -> tuple[Condition, ...]:
        """The next is one that is to come, the last one that is over, where some days are still to come."""
        today, c = self.links.as_of, self.column(key) if key is not None else None
        if top.ahead is None or key is None or c is None or c.kind != "date" or str(c.high) <= today.isoformat():
            return ()
        tomorrow = (today + dt.timedelta(1)).isoformat()
        return (Test(key, "during", (today.isoformat(), None) if top.ahead else (None, tomorrow)),)

    def _sums(self, key: Expr, about: Set[str] = frozenset({"money", "piece"})) -> bool:
        """Whether a column is one whose sums are asked for: amounts and pieces, not prices and ages."""
        if self._flows():
            return True
        c = self.column(key)
        if c is None or c.kind != "number" or c.tags & _NEVER_SUMMED:
            return False
        return bool(c.about & about) or c.hint.unit.lower() in ("公斤", "kg", "kwh", "件", "吨", "斤")

    def _flows(self) -> bool:
        """Whether the first by something that adds up was asked for: the highest revenue."""
        return any(t.about == "sold" or any(w in self.label(t).lower() for w in flows()) for t in self.of(Top))

    def _child(self, c: Condition | Expr) -> str | None:
        """The child table that a condition or an expression is on, if any: what was done is told by its own table."""
        below = (t for t in sorted(tables(c)) if self.schema.path(self.main, t) is None)
        return self._deed(c) or next(below, None)

    def _deed(self, c: Condition | Expr) -> str | None:
        """The table of what was done that leads to what an expression is on, if any."""
        others = tables(c) - {self.main}
        ways = ((deed, [self.schema.path(deed, t) for t in others]) for deed in self.deeds if others)
        return next((d for d, w in ways if not any(x is None or self.main in {f.parent for f in x} for x in w)), None)
