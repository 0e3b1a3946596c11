"""A question read by retrieval and slots: its readings, its moves in the conversation, and unknown words.

The way of a question: `tagging` cuts it into spans that the schema's documents, the key words and the reader of
quantities know; `slots` opens the slots; `assembly` settles them on every table and adds up what speaks for each.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab.text import language_of
from lab.text2sql.assembly import Reading, Weights, readings
from lab.text2sql.database import Database
from lab.text2sql.documents import Thing
from lab.text2sql.filling import fill
from lab.text2sql.guard import TimeLimit
from lab.text2sql.schema import Column
from lab.text2sql.slots import Filled, Flag, Measure, Missing, Noun, Slot
from lab.text2sql.tagging import Span, tag
from lab.text2sql.tree import Select


@dataclass(frozen=True)
class Read:
    """What a question can mean: its readings, the likeliest first.

    ``unknown`` are the words that nobody knows, or that have no place in any reading; ``late`` are columns that there
    was no time to search for them; ``moves`` say what it does with the question before it.
    """

    language: str
    spans: tuple[Span, ...]
    filled: Filled
    readings: tuple[Reading, ...]
    unknown: tuple[str, ...] = ()
    late: tuple[Column, ...] = ()

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots and moves of the question, in the order of its words."""
        return tuple(sorted((*self.filled.slots, *self.filled.moves), key=lambda s: s.start))

    @property
    def moves(self) -> frozenset[str]:
        """What it does with the question before it: follow, replace, also, drop, reset."""
        return frozenset(m.name for m in self.filled.moves)

    @property
    def names_rows(self) -> bool:
        """Whether it says itself what rows it is about."""
        nouns = [s for s in self.slots if isinstance(s, Noun) and s.use == "what"]
        counted = [s for s in self.slots if isinstance(s, Measure) and s.noun is not None]
        return bool(nouns or counted)

    def near(self, margin: float) -> list[Reading]:
        """The best reading and those that score nearly as much."""
        return [r for r in self.readings if r.score >= self.readings[0].score - margin] if self.readings else []


class Searched:
    """Looks words up in columns whose values are not all in memory, and notes the columns that ran out of time."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.late: list[Column] = []

    def __call__(self, words: Sequence[str]) -> Mapping[str, Sequence[Thing]]:
        by_word: dict[str, list[Thing]] = {}
        columns = [c for c in self.db.schema.columns() if c.kind in ("text", "category") and not c.complete]
        for column in columns:
            try:
                for value in self.db.look_up(column, words):
                    word = next((w for w in words if w.lower() == value.lower()), value)
                    by_word.setdefault(word, []).append(Thing(*column.ref, value))
            except TimeLimit:
                self.late.append(column)
        return by_word


def read(
    text: str,
    db: Database,
    as_of: dt.date,
    *,
    before: Select | None = None,
    weights: Weights | None = None,
) -> Read:
    """Returns all readings of a question; with ``before``, readings as a follow-up on the current question."""
    searched = Searched(db)
    spans = tag(text, db.documents, as_of, look_up=searched)
    filled = fill(text, spans, db.schema, as_of, follows=before is not None)
    unknown = tuple(dict.fromkeys(s.text.strip() for s in filled.slots if isinstance(s, Missing)))
    found_readings: list[Reading] = []
    if not unknown and (filled.moves or any(not isinstance(s, Flag) for s in filled.slots)):
        found_readings = readings(filled, db.schema, as_of, weights=weights, before=before)
        if not found_readings:
            unknown = tuple(dict.fromkeys(_unplaced(text, filled)))
    late = tuple(searched.late) if unknown else ()
    return Read(language_of(text), tuple(spans), filled, tuple(found_readings), unknown, late)


def _unplaced(text: str, filled: Filled) -> list[str]:
    """Returns the words of a question whose slots do not fit together on any table."""
    texts = [text[s.start : s.end].strip() for s in filled.slots if not isinstance(s, Flag)]
    return [w for w in texts if w]
