"""The schema of a database: tables, columns with their kinds, values and ranges, and the links between tables.

Nothing has to be declared: kinds are found from the values (a text column of ISO days is a date, one of
"Python, SQL" is a list), keys by their names and uniqueness, foreign keys by names and by inclusion of values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from lab.text.quantities import measure
from lab_packs.text2sql.hints import Hint, Hints, known_word, singular, words_of
from lab_packs.text2sql.lexicon import in_names, word_lists, words_in
from lab_packs.text2sql.tree import Kind, Ref, Scalar


@dataclass(frozen=True)
class Column:
    """One column.

    ``kind`` is what it holds; ``values`` are its different values where they are few enough to be known by heart
    (elements for lists); ``low`` and ``high`` its range (numbers, or ISO days); ``style`` how it is stored
    (dates: iso, slash, compact, us, eu, epoch, epoch ms; times of the day: clock; numbers in text: text; lists: the
    separator);
    ``truth`` the stored true and false of a boolean; ``tags`` what it is about (money, age, label, ...).
    """

    table: str
    name: str
    declared: str
    kind: Kind
    hint: Hint = Hint()
    key: bool = False
    unique: bool = False
    values: tuple[str, ...] = ()
    complete: bool = True
    low: Scalar = None
    high: Scalar = None
    style: str = ""
    truth: tuple[Scalar, Scalar] = (1, 0)
    tags: frozenset[str] = frozenset()
    empty: int = 0
    blank: bool = False
    """Whether empty texts stand for missing values."""
    distinct: int = 0
    is_year: bool = False
    ambiguous: bool = False
    """Whether its days can be read as day/month and as month/day alike."""

    @property
    def ref(self) -> Ref:
        return Ref(self.table, self.name)

    def label(self, language: str) -> str:
        return self.hint.label(language) or self.name

    @property
    def is_key(self) -> bool:
        """Whether its values stand for rows, of this table or of the one that it points to."""
        return self.key or "key" in self.tags

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers that stand for no row."""
        return self.kind == "number" and not self.is_key

    @property
    def is_summed(self) -> bool:
        """Whether its numbers are added up where a question names them without a measure."""
        single = self.tags & {"rating", "percent", "age", "price", "each"}
        return self.is_number and not self.is_year and not single

    def is_aside(self, table: Table) -> bool:
        """Whether it is a secondary amount of its table: a fee, a tip, a deposit."""
        return "money" in self.about and says(self, "aside") and any(not says(c, "aside") for c in table.amounts)

    @property
    def unit(self) -> tuple[str, float]:
        """What the numbers measure, and the scale of the unit: ("money", 10000.0) for 万元; ("", 1.0) if unknown."""
        return measure(self.hint.unit)

    @property
    def about(self) -> frozenset[str]:
        """Tags and what the unit measures."""
        return self.tags | {kind for kind in self.unit[:1] if kind}


def says(c: Column, group: str) -> bool:
    """Whether the name of a column marks it as one of a group of `in_names`."""
    words = in_names(group)
    return not words.isdisjoint(words_of(c.name)) or any(w in c.name for w in words if not w.isascii())


_FIRST_NAMES = frozenset({"first", "given", "forename", "firstname", "fname"})
_LAST_NAMES = frozenset({"last", "surname", "family", "lastname", "lname"})


@dataclass(frozen=True)
class Table:
    """One table or view, its columns in order, its number of rows."""

    name: str
    columns: tuple[Column, ...]
    rows: int
    hint: Hint = Hint()
    view: bool = False

    def label(self, language: str) -> str:
        return self.hint.label(language) or self.name

    @property
    def amounts(self) -> list[Column]:
        return [c for c in self.columns if c.is_number and "money" in c.about]

    @cached_property
    def keys(self) -> tuple[Column, ...]:
        """The columns that tell rows apart: the primary key."""
        return tuple(c for c in self.columns if c.key)

    @cached_property
    def names(self) -> tuple[Column, ...]:
        """The columns that a row is called by: the title, and the surname where that is a first name."""
        texts = [c for c in self.columns if c.kind in ("text", "category")]
        first = [c for c in texts if set(words_of(c.name)) & _FIRST_NAMES]
        last = [c for c in texts if set(words_of(c.name)) & _LAST_NAMES]
        if self.title not in (*first, *last):
            return (self.title,)
        return (*first[:1], *last[:1])

    @cached_property
    def title(self) -> Column:
        """The column whose value a person would use as the name of a row."""
        plain_words = {*map(singular, words_of(self.name)), "name", "title", "full"}
        strange = {c.name: not set(map(singular, words_of(c.name))) <= plain_words for c in self.columns}
        labels = [c for c in self.columns if "label" in c.tags and c.kind in ("text", "category")]
        labels.sort(key=lambda c: (c.kind == "category", strange[c.name]))
        texts = sorted((c for c in self.columns if c.kind == "text"), key=lambda c: c.key or strange[c.name])
        return (labels or texts or self.keys or self.columns)[0]


@dataclass(frozen=True)
class ForeignKey:
    """``table.column`` of a child points to ``parent.key``; ``declared`` or found by names and values."""

    table: str
    column: str
    parent: str
    key: str
    declared: bool = True


Keys = tuple[ForeignKey, ...]


@dataclass(frozen=True)
class Schema:
    """All of it.  ``skipped`` names what could not be read, with the reason."""

    tables: tuple[Table, ...]
    foreign_keys: tuple[ForeignKey, ...] = ()
    skipped: Mapping[str, str] = field(default_factory=dict, hash=False)

    @cached_property
    def _by_name(self) -> dict[str, Table]:
        return {t.name: t for t in self.tables}

    @cached_property
    def _columns(self) -> dict[Ref, Column]:
        return {c.ref: c for t in self.tables for c in t.columns}

    def table(self, name: str) -> Table:
        """The table with this name; KeyError otherwise."""
        return self._by_name[name]

    def column(self, ref: Ref) -> Column:
        """The column with this name; KeyError otherwise."""
        return self._columns[ref]

    def has(self, ref: Ref) -> bool:
        return ref in self._columns

    def columns(self) -> Iterator[Column]:
        return iter(self._columns.values())

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._by_name)

    def hints(self) -> dict[str, Hint]:
        """Returns the hint of every table and column, by ``table`` or ``table.column``, for an editor."""
        by_name: dict[str, Hint] = {}
        for t in self.tables:
            by_name |= {t.name: t.hint} | {str(c.ref): c.hint for c in t.columns}
        return by_name

    def with_hints(self, hints: Hints) -> Schema:
        """Returns the schema with these hints instead of its own; others stay."""
        tables = []
        for t in self.tables:
            columns = tuple(replace(c, hint=hints.get(str(c.ref), c.hint)) for c in t.columns)
            tables.append(replace(t, hint=hints.get(t.name, t.hint), columns=columns))
        return replace(self, tables=tuple(tables))

    def name_of(self, ref: Ref) -> Ref:
        """The name of the row that a foreign key stands for; other columns as they are."""
        parents = (f.parent for f in self.foreign_keys if (f.table, f.column) == ref)
        return next((self.table(p).title.ref for p in parents), ref)

    def parents(self, table: str) -> Keys:
        """Foreign keys that lead from a table to its parents (never to itself)."""
        return tuple(f for f in self.foreign_keys if f.table == table and f.parent != table)

    def path(self, child: str, parent: str) -> Keys | None:
        """Returns the shortest way up from child to parent; () if they are the same, None if they are not linked."""
        ways: dict[str, Keys] = {child: ()}
        queue = [child]
        for reached in queue:
            for f in self.parents(reached):
                if f.parent not in ways:
                    ways[f.parent] = (*ways[reached], f)
                    queue.append(f.parent)
        return ways.get(parent)

    def link(self, main: str, other: str) -> tuple[str, Keys, Keys] | None:
        """The table through which rows of ``other`` belong to rows of ``main``: (table, way to main, way to other)."""
        ways = ((t.name, self.path(t.name, main), self.path(t.name, other)) for t in self.tables)
        linked = [(t, up, to) for t, up, to in ways if up and to is not None and len(up) + len(to) <= 3]
        return min(linked, key=lambda way: len(way[1]) + len(way[2]), default=None)

    def way(self, main: str, other: str) -> Keys | None:
        """Returns the keys that link rows of ``other`` to rows of ``main``; None if they are not linked."""
        if (up := self.path(main, other)) is not None:
            return up
        if (linked := self.link(main, other)) is not None:
            return (*linked[1], *linked[2])
        chains = [(near, far, *up, *to) for near, far, (_, up, to) in self.chains(main, other)]
        for far in self.parents(main):
            if far.parent != other and (linked := self.link(far.parent, other)) is not None:
                chains.append((far, *linked[1], *linked[2]))
        return min(chains, key=len, default=None)

    def chains(self, main: str, other: str) -> Iterator[tuple[ForeignKey, ForeignKey, tuple[str, Keys, Keys]]]:
        """Ways over two pairings: people, their projects, the topics of these; (to main, to the middle, its link)."""
        for near in self.foreign_keys:
            if near.parent != main or near.table == main:
                continue
            for far in self.parents(near.table):
                if far.parent not in (main, other) and (link := self.link(far.parent, other)) is not None:
                    yield near, far, link


def is_file_name(name: str) -> bool:
    """Whether a table is called like a file, so that its name says nothing of its rows: orders_2024, 花名册_gbk, data."""
    words = words_of(name)
    mixed = not name.isascii() and any(c.isascii() and c.isalnum() for c in name)
    coded = len(words) > 1 and any(len(w) < 3 or not w.isalpha() for w in words)
    listed = not name.isascii() and name.endswith(words_in(word_lists()["counters"]["lists"]))
    return len(name) == 1 or mixed or coded or listed or name[-1:].isdigit()


def is_nameless(table: Table) -> bool:
    """Whether a table is called like a file or one of its columns, so that its name is no noun of its rows."""
    word = known_word(words_of(table.name))
    numbers = [known_word(words_of(c.name)) for c in table.columns if c.kind == "number"]
    return is_file_name(table.name) or (word is not None and word in numbers)
