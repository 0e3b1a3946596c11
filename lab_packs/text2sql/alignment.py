"""Which words of a question became which of its parts, and which parts became which pieces of the SQL.

Nothing is guessed: a slot knows the words that it was read from, a reading notes what it made of every slot, and
`build` notes in which SQL it wrote each part down.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, NamedTuple

from lab_packs.text2sql.assembly import Reading
from lab_packs.text2sql.dialogue import Turn
from lab_packs.text2sql.schema import ForeignKey, Schema
from lab_packs.text2sql.slots import MOVES, Flag, Missing, Noun, Slot
from lab_packs.text2sql.tree import Piece, Select, pieces, refs, tables, walk

State = Literal["", "known", "light", "move", "unknown"]


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
    """Returns the alignment of a turn.  Joined, the texts of ``words`` are the question, and the texts of ``sql`` the query."""
    after = turn.after if turn.result is not None else None
    parts = (Piece("table", after.table), *pieces(after)) if after is not None else ()
    reading = next((r for r in turn.readings if r.select == after), None)
    return Alignment(tuple(_words(turn, reading, parts)), parts, tuple(_sql(turn, parts, schema)))


def joins(select: Select, schema: Schema) -> tuple[ForeignKey, ...]:
    """Returns the keys that link the tables of a tree, including keys of conditions on other rows."""
    return tuple(dict.fromkeys(f for t in sorted(tables(select)) for f in schema.way(select.table, t) or ()))


def _words(turn: Turn, reading: Reading | None, parts: Sequence[Piece]) -> Iterator[Span]:
    text, at = turn.question, 0
    slots = reading.slots if reading is not None else ()
    moves = [s for s in turn.slots if isinstance(s, Flag) and s.name in MOVES]
    read = {(s.start, s.end): s for s in (*turn.slots, *moves, *slots)}
    for slot in sorted(read.values(), key=lambda s: (s.start, -s.end)):
        if slot.start < at or slot.end > len(text) or slot.end <= slot.start:
            continue
        if slot.start > at:
            yield Span(text[at : slot.start], (), "light")
        at, words = slot.end, text[slot.start : slot.end]
        if isinstance(slot, Missing) or words.strip() in turn.unknown:
            yield Span(words, (), "unknown")
        elif isinstance(slot, Flag) and slot.name in MOVES:
            yield Span(words, (), "move")
        else:
            indexes = tuple(dict.fromkeys(_parts_of(slot, reading, parts)))
            light = isinstance(slot, Flag) or bool(parts)
            yield Span(words, indexes, "" if indexes else "light" if light else "known")
    if at < len(text):
        yield Span(text[at:], (), "light")


def _parts_of(slot: Slot, reading: Reading | None, parts: Sequence[Piece]) -> Iterator[int]:
    """Yields the indexes of the parts that a slot has become."""
    values = [
        value
        for s, value in (reading.made if reading is not None else ())
        if (s.start, s.end) == (slot.start, slot.end)
    ]
    for n, part in enumerate(parts):
        if (
            any(
                part.value == value or (part.kind == "having" and value in tuple[object, ...](walk(part.value)))
                for value in values
            )
            or part.kind == "limit"
            and any(getattr(value, "descending", None) is not None for value in values)
            or (
                part.kind == "order"
                and values
                and any(value in tuple[object, ...](walk(part.value)) for value in values if value is not None)
            )
        ):
            yield n
    if isinstance(slot, Noun) and not values:
        yield from (n for n, p in enumerate(parts) if p.kind == "table" and any(o.of == p.value for o in slot.tables))
    if not values:
        columns = {o.ref for o in getattr(slot, "options", ()) if o.ref is not None}
        yield from (n for n, p in enumerate(parts) if p.kind != "table" and columns & refs(p.value))


def _sql(turn: Turn, parts: Sequence[Piece], schema: Schema) -> Iterator[Span]:
    if turn.query is None:
        return
    sql = turn.query.sql
    main = str(parts[0].value)
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
