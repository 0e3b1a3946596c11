"""Which words of a question became which of its parts, and which parts became which pieces of the SQL.

Nothing is guessed: a fact of the grammar knows the words that it was read from and what it may mean, the tree knows
which of its parts mean that, and `build` says in which SQL it wrote each part down.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, NamedTuple

from lab.text2sql import facts
from lab.text2sql.dialogue import Turn
from lab.text2sql.schema import ForeignKey, Schema
from lab.text2sql.tree import Piece, Ref, Select, pieces, refs, tables, walk

State = Literal["", "known", "light", "move", "unknown"]
_SHOWN = ("measures", "show")


class Span(NamedTuple):
    """A stretch of text, the parts that it belongs to (by number), and what it is where it belongs to none."""

    text: str
    parts: tuple[int, ...] = ()
    state: State = ""


@dataclass(frozen=True)
class Alignment:
    """The question word by word, its parts (first the table whose rows are meant), and the SQL piece by piece."""

    words: tuple[Span, ...]
    parts: tuple[Piece, ...]
    sql: tuple[Span, ...]


def align(turn: Turn, schema: Schema) -> Alignment:
    """The alignment of a turn.  Joined, the texts of ``words`` are the question and those of ``sql`` the query."""
    after = turn.after if turn.result is not None else None
    parts = (Piece("table", after.table), *pieces(after)) if after is not None else ()
    read = next((r.facts for r in turn.readings if r.select == after), turn.facts)
    return Alignment(tuple(_words(turn, read, parts, schema)), parts, tuple(_sql(turn, parts, schema)))


def joins(select: Select, schema: Schema) -> tuple[ForeignKey, ...]:
    """The keys along which the tables of a tree hang together, those of conditions on other rows among them."""
    return tuple(dict.fromkeys(f for t in sorted(tables(select)) for f in schema.way(select.table, t) or ()))


def _words(turn: Turn, read: Sequence[facts.Fact], parts: Sequence[Piece], schema: Schema) -> Iterator[Span]:
    text, at = turn.question, 0
    for f in sorted(read, key=lambda f: f.start):
        if f.start < at or f.end > len(text):
            continue  # what stands without words
        if f.start > at:
            yield Span(text[at : f.start], (), "light")
        at, said = f.end, text[f.start : f.end]
        if isinstance(f, facts.Unknown) or said.strip() in turn.unknown:
            yield Span(said, (), "unknown")
        elif isinstance(f, facts.Turn):
            yield Span(said, (), "move")
        else:
            meant = _meant(f, parts, schema)
            found = tuple(i for i, p in enumerate(parts) if p in meant)
            yield Span(said, found, "" if found else "light" if parts or isinstance(f, facts.Mark) else "known")
    if at < len(text):
        yield Span(text[at:], (), "light")


def _meant(f: facts.Fact, parts: Sequence[Piece], schema: Schema) -> list[Piece]:
    """The parts that a fact has become."""

    def of(*kinds: str) -> list[Piece]:
        return [p for p in parts if p.kind in kinds]

    def about(columns: Iterable[Ref], among: Sequence[Piece]) -> list[Piece]:
        wanted = set(columns)
        return [p for p in among if refs(p.value) & wanted]

    def on(wanted: Iterable[str]) -> list[Piece]:
        return [p for p in others if tables(p.value) & {*wanted}]

    others = [p for p in parts if p.kind != "table"]
    meant = [o.of for o in getattr(f, "options", ())]
    columns = {r for m in meant for r in refs(m)}
    exactly = [p for p in parts if p.value in meant or any(isinstance(m, tuple) and p.value in m for m in meant)]
    if isinstance(f, facts.Noun):
        return [p for p in of("table") if p.value == f.of] or on({f.of}) or of("table")
    if isinstance(f, facts.Where):
        held = exactly or about(columns, of("where", "having"))
        held = held or [p for p in on(tables(tuple(meant))) if p.kind in ("where", "measures")]
        return held + about(columns, of("by"))
    if isinstance(f, (facts.Measured, facts.Named)):
        named = {f.parent for f in schema.foreign_keys if Ref(f.table, f.column) in columns}  # a key stands for a name
        return exactly or about(columns, others) or on(named)
    if isinstance(f, facts.By):
        return [p for p in exactly if p.kind in ("by", "each")] or about(columns, of("by", "each", "order"))
    if isinstance(f, facts.Cue):
        return about(f.refs, others) or on(f.tables) or of("table")
    if isinstance(f, facts.Mark):
        return of(*_MARKS.get(f.role, ()))
    kinds, ranks, otherwise = _KINDS.get(type(f), ((), False, ()))
    ranked = [p for p in of("measures") if any(n == p.value for x in of("order", "having") for n in walk(x.value))]
    return of(*kinds) + ranked * ranks or of(*otherwise)


_MARKS = {
    "worth": ("show", "order"),
    "when": ("show",),
    "much": ("measures",),
    "other": ("where",),
    "different": _SHOWN,
}
_KINDS: dict[type, tuple[tuple[str, ...], bool, tuple[str, ...]]] = {
    facts.Counted: (("having",), True, ("where",)),
    facts.Bounded: (("having",), True, ("where",)),
    facts.HowMany: (("measures",), False, ("having",)),
    facts.Shared: (("measures",), False, ("having",)),
    facts.Top: (("order", "limit"), True, _SHOWN),
    facts.Sorted: (("order",), True, ()),
    facts.Count: (("limit",), False, ()),
}
"""The kinds of parts that a fact becomes, whether also the measures that they go by, and the kinds if there are none."""


def _sql(turn: Turn, parts: Sequence[Piece], schema: Schema) -> Iterator[Span]:
    if turn.query is None:
        return
    sql, main = turn.query.sql, str(parts[0].value)
    written: dict[str, set[int]] = {}
    for piece, text in turn.query.parts:
        if piece in parts:
            written.setdefault(_flat(text), set()).add(parts.index(piece))
    for f in turn.query.joins:
        on = {i for i, p in enumerate(parts) if i and any(f in (schema.path(main, t) or ()) for t in tables(p.value))}
        for side in ("LEFTJOIN", "JOIN"):
            written.setdefault(_flat(f'{side}"{f.parent}"'), set()).update(on)
    places = [i for i, c in enumerate(sql) if not c.isspace()]
    flat, owner = _flat(sql), [frozenset[int]()] * len(sql)
    for text in sorted(filter(None, written), key=len, reverse=True):
        for m in re.finditer(f"(?={re.escape(text)})", flat):
            stretch = places[m.start() : m.start() + len(text)]
            if not any(owner[i] for i in stretch):
                for i in range(stretch[0], stretch[-1] + 1):
                    owner[i] = frozenset(written[text])
    for owned, run in groupby(range(len(sql)), owner.__getitem__):
        yield Span("".join(sql[i] for i in run), tuple(sorted(owned)))


def _flat(text: str) -> str:
    return "".join(text.split())
