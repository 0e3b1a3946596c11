"""A question read by retrieval and slots: its readings, its moves in the conversation, and unknown words.

The way of a question: `tagging` cuts it into spans that the schema's documents, the key words and the reader of
quantities know; `slots` opens the slots; `assembly` settles them on every table and adds up what speaks for each.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab.text import is_han, language_of
from lab.text.quantities import is_unit, read_number
from lab_packs.text2sql.assembly import Reading, Weights, readings
from lab_packs.text2sql.database import Database
from lab_packs.text2sql.documents import Thing
from lab_packs.text2sql.filling import fill
from lab_packs.text2sql.guard import TimeLimit
from lab_packs.text2sql.hints import singular
from lab_packs.text2sql.schema import Column, Schema
from lab_packs.text2sql.slots import Filled, Flag, Group, Keep, Measure, Missing, Noun, Option, Slot, Sort
from lab_packs.text2sql.tagging import Span, tag
from lab_packs.text2sql.tree import Select


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
    assumed: str = ""
    """The word that is taken for the rows of the only table."""
    rest: Select | None = None
    """What the understood words of a question with unknown ones ask for."""

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
    takes_rows: bool = True,
) -> Read:
    """Returns all readings of a question; with ``before``, readings as a follow-up on the current question.

    ``takes_rows``: whether the only unknown word of a question on the only table is taken for its rows.
    """
    searched = Searched(db)
    spans = tag(text, db.documents, as_of, look_up=searched)
    filled = fill(text, spans, db.schema, as_of, follows=before is not None)
    assumed = take_rows(text, filled, db.schema) if takes_rows else ""
    unknown = tuple(dict.fromkeys(s.text.strip() for s in filled.slots if isinstance(s, Missing)))
    found_readings: list[Reading] = []
    if not unknown and (filled.moves or any(not isinstance(s, Flag) for s in filled.slots)):
        found_readings = readings(filled, db.schema, as_of, weights=weights, before=before)
        if not found_readings:
            unknown = tuple(dict.fromkeys(_unplaced(text, filled)))
    late = tuple(searched.late) if unknown else ()
    rest = understood_part(filled, db.schema, as_of, before, weights) if unknown and not late else None
    language = language_of(text)
    return Read(language, tuple(spans), filled, tuple(found_readings), unknown, late, assumed, rest)


_SAYS_SOMETHING = (Keep, Group, Sort)


def take_rows(text: str, filled: Filled, schema: Schema) -> str:
    """Takes the only unknown word of a question, where it is its noun, for the rows of the only table.

    Returns the word; "" if there is another table, another unknown word, or nothing else that is understood.
    """
    missing = [s for s in filled.slots if isinstance(s, Missing)]
    if len(schema.tables) != 1 or len(missing) != 1 or any(isinstance(s, Noun) for s in filled.slots):
        return ""
    word = missing[0]
    others = [s for s in filled.slots if not isinstance(s, (Missing, Flag))]
    counted = [s for s in others if isinstance(s, Measure) and s.fn == "count" and not s.options]
    if not any(isinstance(s, _SAYS_SOMETHING) for s in others):
        return ""
    if (
        read_number(word.text.lower(), 0)
        or is_unit(singular(word.text.lower()))
        or word.text[1:] != word.text[1:].lower()
    ):
        return ""  # 两居室, kilometres, ThinkPads
    before = [s for s in others if s.end <= word.start]
    behind = [s for s in others if s.start >= word.end and s not in counted]
    if is_han(word.text):
        of_all = text[: word.start].rstrip().endswith(("的", "多少", "个", "位", "名", "条")) or bool(before)
        is_head = of_all and not behind and 2 <= len(word.text) <= 6
    else:
        words = word.text.lower().split()
        is_head = len(words) <= 2 and word.text.isalpha() and (words[-1].endswith("s") or bool(counted)) and not before
        is_head = is_head or (len(words) == 1 and words[0].endswith("s") and not behind)
    if not is_head:
        return ""
    rows = Option(schema.tables[0].name, None, 0.0)
    filled.slots[filled.slots.index(word)] = Noun(word.start, word.end, (rows,), head=True)
    return word.text.strip()


def understood_part(
    filled: Filled, schema: Schema, as_of: dt.date, before: Select | None, weights: Weights | None
) -> Select | None:
    """Returns the likeliest reading of a question without its unknown words; None if they leave nothing to ask."""
    if not any(isinstance(s, Missing) for s in filled.slots) or "reset" in {m.name for m in filled.moves}:
        return None
    slots = [s for s in filled.slots if not isinstance(s, Missing)]
    if not any(isinstance(s, _SAYS_SOMETHING) for s in slots):
        return None
    rest = readings(Filled(slots, filled.moves), schema, as_of, weights=weights, before=before)
    return rest[0].select if rest and rest[0].select != before else None


def _unplaced(text: str, filled: Filled) -> list[str]:
    """Returns the words of a question whose slots do not fit together on any table."""
    texts = [text[s.start : s.end].strip() for s in filled.slots if not isinstance(s, Flag)]
    return [w for w in texts if w]
