"""A conversation about a table: every turn changes the slots, and says how.

`say` takes a question and the slots so far and gives a `Turn`: slots before, new, removed and after, what was not
understood, what has to be asked back, the query, its rows and the answer.  Nothing is kept anywhere else: the next
turn starts from ``turn.after``.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lab.errors import LabError, QueryError
from lab.text import language_of
from lab.text2sql.answer import asking, not_understood, sentence, trouble
from lab.text2sql.build import Query, build
from lab.text2sql.database import Database
from lab.text2sql.guard import Limits, Result
from lab.text2sql.reading import Ask, Reading
from lab.text2sql.rules import read
from lab.text2sql.schema import Schema
from lab.text2sql.slots import Filter, Group, Measure, Ref, Scalar, Slot, Slots, Sort
from lab.words import Said

MAX_QUESTION = 1000
"""Characters of a question."""

Reader = Callable[[str, Database, Slots, dt.date], Reading]
"""Reads a question: (question, database, slots so far, today) -> what it says."""


@dataclass(frozen=True)
class Turn:
    """One turn.  ``kind`` is fresh (a new question), follow-up, reset, edit (by hand) or nothing (not understood).

    ``asks`` are open questions: until they are answered there is no query.  ``total`` is the number of rows
    without the row limit (None where counting took too long); ``relaxed`` says, where nothing matched, how
    many rows there would be without each condition.
    """

    question: str
    language: str
    kind: str
    before: Slots
    new: tuple[Slot, ...]
    removed: tuple[Slot, ...]
    after: Slots
    unknown: tuple[str, ...] = ()
    asks: tuple[Ask, ...] = ()
    query: Query | None = None
    result: Result | None = None
    total: int | None = None
    relaxed: tuple[tuple[Filter, int], ...] = ()
    answer: str = ""
    error: LabError | None = None
    by: str = "rules"
    reading_seconds: float = 0.0


def by_rules(question: str, db: Database, before: Slots, as_of: dt.date) -> Reading:
    """The reader that needs no model."""
    return read(question, db.vocabulary, as_of=as_of, before=before, look_up=db.look_up)


def say(
    db: Database,
    question: str,
    *,
    as_of: dt.date,
    before: Slots | None = None,
    fresh: bool | None = None,
    reader: Reader = by_rules,
    limits: Limits | None = None,
) -> Turn:
    """One turn of a conversation.

    ``as_of`` is what "today" means; ``fresh`` overrules whether this is a new question (None: found out);
    ``reader`` is the rules, or a model's reader.  Errors of the query stand in ``turn.error``.
    """
    start = time.perf_counter()
    before = before or Slots()
    if len(question) > MAX_QUESTION:
        language = language_of(question[:MAX_QUESTION])
        error = QueryError(
            Said("The question has {n} characters.", n=len(question)),
            Said("Ask in at most {n} characters.", n=MAX_QUESTION),
        )
        return Turn(
            question[:MAX_QUESTION],
            language,
            "nothing",
            before,
            (),
            (),
            before,
            error=error,
            answer=trouble(error, language),
        )
    try:
        reading = reader(question, db, before, as_of)
    except LabError as error:  # a model that does not answer, or not in the form that was asked for
        language = language_of(question)
        return Turn(
            question,
            language,
            "nothing",
            before,
            (),
            (),
            before,
            error=error,
            answer=trouble(error, language),
            by="model",
        )
    seconds = time.perf_counter() - start
    fresh = is_fresh(before, reading, db.schema) if fresh is None else fresh
    if fresh and before and not reading.reset and reader is by_rules:
        reading = read(question, db.vocabulary, as_of=as_of, look_up=db.look_up)
    said = reading.slots.has_output or _firm(reading) or reading.drops or reading.dropped_values or reading.asks
    nothing = (
        not said
        and not reading.reset
        and not (reading.plain_rows and not reading.unknown)
        and not (reading.named and reading.table)
    )
    if nothing:
        words = reading.unknown
        answer = not_understood(words, reading.language, nothing=True)
        return Turn(
            question, reading.language, "nothing", before, (), (), before, words, answer=answer, reading_seconds=seconds
        )
    kind = "reset" if reading.reset else "fresh" if fresh else "follow-up"
    after = merge(Slots() if fresh or reading.reset else before, reading, db.schema)
    if reading.reset and not said and not reading.named:
        after = Slots()
    turn = Turn(
        question=question,
        language=reading.language,
        kind=kind,
        before=before,
        new=_new(before, after),
        removed=_new(after, before),
        after=after,
        unknown=reading.unknown,
        asks=reading.asks,
        by="rules" if reader is by_rules else "model",
        reading_seconds=seconds,
    )
    if reading.reset and not after:
        return replace(
            turn, answer="好的，重新开始。" if reading.language == "zh" else "All right, from the beginning."
        )
    return _answered(db, turn, limits)


def _firm(reading: Reading) -> bool:
    """Whether there is a condition to go by: a day alone, among words that nobody understood, is none."""
    filters = reading.slots.filters
    return bool(filters) and not (
        reading.unknown and not reading.named and len(filters) == 1 and filters[0].op == "during"
    )


def choose(db: Database, turn: Turn, ask: int, choice: int, *, limits: Limits | None = None) -> Turn:
    """The same turn with one of its open questions answered; it runs when none is left."""
    slot = turn.asks[ask].choices[choice]
    asks = tuple(a for i, a in enumerate(turn.asks) if i != ask)
    slots = replace(_as_slots(slot), limit=turn.after.limit if isinstance(slot, Sort) else None)
    after = merge(turn.after, Reading(turn.language, turn.after.table or _table_of(slot), slots=slots), db.schema)
    turn = replace(turn, after=after, asks=asks, new=_new(turn.before, after), removed=_new(after, turn.before))
    return _answered(db, turn, limits)


def edit(db: Database, before: Slots, after: Slots, *, language: str, limits: Limits | None = None) -> Turn:
    """A turn made by hand: a chip taken away (``before.without(key)``) or a slot changed."""
    turn = Turn("", language, "edit", before, _new(before, after), _new(after, before), after)
    return _answered(db, turn, limits) if after.table else replace(turn, answer="")


def _as_slots(slot: Slot) -> Slots:
    if isinstance(slot, Filter):
        return Slots(filters=(slot,))
    if isinstance(slot, Sort):
        return Slots(sorts=(slot,))
    if isinstance(slot, Measure):
        return Slots(measures=(slot,))
    return Slots(groups=(slot,), measures=(Measure("count"),)) if isinstance(slot, Group) else Slots()


def _table_of(slot: Slot) -> str | None:
    return next((r.table for r in _as_slots(slot).refs()), None)


def _new(old: Slots, young: Slots) -> tuple[Slot, ...]:
    had = {s.key for s in old}
    return tuple(s for s in young if s.key not in had)


def _answered(db: Database, turn: Turn, limits: Limits | None) -> Turn:
    """The turn with its query run and its answer said."""
    limits = limits or Limits()
    language = turn.language
    note = not_understood(turn.unknown, language, nothing=False) if turn.unknown else ""
    if turn.asks:
        return replace(turn, answer=_joined(asking(turn.asks, db.schema, language), note), query=None, result=None)
    try:
        query = build(turn.after, db.schema, rows=limits.rows)
        result = db.run(query, limits=limits)
        total = len(result.rows) if not result.more else db.count(query, limits=limits)
    except LabError as error:
        return replace(turn, error=error, answer=_joined(trouble(error, language), note))
    relaxed = _relaxed(db, turn.after, limits) if not result.rows else ()
    text = sentence(turn.after, query, result, total, db.schema, language)
    return replace(turn, query=query, result=result, total=total, relaxed=relaxed, answer=_joined(text, note))


def _joined(*parts: str) -> str:
    return " ".join(p for p in parts if p)


def _relaxed(db: Database, slots: Slots, limits: Limits) -> tuple[tuple[Filter, int], ...]:
    """For every condition, how many rows there would be without it (those with rows, most first)."""
    out = []
    short = dataclasses.replace(limits, seconds=min(limits.seconds, 1.0))
    for f in slots.filters if len(slots.filters) > 1 else ():
        without = Slots(slots.table, tuple(g for g in slots.filters if g != f))
        try:
            n = db.count(build(without, db.schema), limits=short)
        except LabError:
            continue
        if n:
            out.append((f, n))
    return tuple(sorted(out, key=lambda x: -x[1]))


# ----------------------------------------------------------------------------------------------- the state


def is_fresh(before: Slots, reading: Reading, schema: Schema) -> bool:
    """Whether a question stands by itself: it names its table and opens like a question, or names another table."""
    if not before or reading.reset:
        return True
    if reading.follow or reading.drops or reading.dropped_values:
        return False
    if reading.named and reading.table is not None:
        return reading.opening or reading.table != before.table
    if reading.table is not None and before.table is not None and reading.table != before.table:
        return not (schema.reachable(reading.table, before.table) and reading.slots.measures)
    return False


def merge(before: Slots, reading: Reading, schema: Schema) -> Slots:
    """The slots after a turn: what was dropped goes, what is new replaces what it contradicts."""
    base = _without_dropped(before, reading)
    new = reading.slots
    table = reading.table or before.table or new.table
    if before.table and not reading.named and not new.measures and not new.groups:
        table = before.table
    filters = [f for f in base.filters if table is None or schema.reachable(table, f.column.table)]
    for f in new.filters:
        filters = _joined_filters(filters, f, reading, schema)
    after = replace(base, table=table, filters=tuple(filters))
    return _with_output(after, reading, schema)


def _without_dropped(before: Slots, reading: Reading) -> Slots:
    base = before
    drops = set(reading.drops)
    if "filters" in drops:
        base = replace(base, filters=(), having=())
    if "sort" in drops:
        base = replace(base, sorts=(), limit=None)
    columns = {d for d in drops if isinstance(d, Ref)}
    base = replace(
        base,
        filters=tuple(f for f in base.filters if f.column not in columns),
        sorts=tuple(
            s
            for s in base.sorts
            if not (isinstance(s.by, Ref) and s.by in columns and not any(f.column == s.by for f in before.filters))
        ),
        show=tuple(s for s in base.show if s.column not in columns),
    )
    for ref, value in reading.dropped_values:
        kept = []
        for f in base.filters:
            if f.column == ref and value in f.values:
                values = tuple(v for v in f.values if v != value)
                if values:
                    kept.append(replace(f, values=values))
            else:
                kept.append(f)
        base = replace(base, filters=tuple(kept))
    return base


def _joined_filters(filters: Sequence[Filter], new: Filter, reading: Reading, schema: Schema) -> list[Filter]:
    """The conditions with one more; those that it contradicts or replaces are gone."""
    out: list[Filter] = []
    for old in filters:
        if old.column != new.column or old.key == new.key:
            if old.key != new.key:
                out.append(old)
            continue
        if reading.also and old.op == new.op == "=" and not old.negated and not new.negated:
            new = replace(new, values=tuple(dict.fromkeys((*old.values, *new.values))))
        elif old.op == new.op == "=" and new.negated and not old.negated:
            left = tuple(v for v in old.values if v not in new.values)
            if left:
                out.append(replace(old, values=left))
        elif old.op == new.op == "during" and (both := _both_ends(old, new)):
            new = both
        elif not (_replaces(old, new) or reading.replaces):
            out.append(old)
    return [*out, new]


def _both_ends(old: Filter, new: Filter) -> Filter | None:
    """Since March, then before June: one stretch; None where they do not fit together."""
    if old.negated or new.negated:
        return None
    (a, b), (c, d) = old.values, new.values
    first, after = (a, d) if c is None and b is None else (c, b) if a is None and d is None else (None, None)
    return replace(new, values=(first, after)) if first and after and str(first) < str(after) else None


_LOW, _HIGH = {">", ">="}, {"<", "<="}


def _replaces(old: Filter, new: Filter) -> bool:
    """Whether a new condition on the same column takes the place of an old one."""
    if "empty" in (old.op, new.op) or "linked" in (old.op, new.op):
        return True
    if old.op in _LOW | _HIGH and new.op in _LOW | _HIGH and (old.op in _LOW) != (new.op in _LOW):
        low, high = (old, new) if old.op in _LOW else (new, old)
        return not _number(low.values[0]) <= _number(high.values[0])
    if old.op == "has" and new.op == "has":
        return bool(set(old.values) & set(new.values))
    if old.negated and new.negated:
        return False
    return not (old.op != new.op and {"contains", "starts", "ends"} & {old.op, new.op})


def _number(value: Scalar) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


def _with_output(after: Slots, reading: Reading, schema: Schema) -> Slots:
    """What is made of the rows after a turn: a new measure, order or list takes the place of the old one."""
    new = reading.slots
    if reading.plain_rows and not new.measures and not new.groups:
        after = replace(
            after, measures=(), groups=(), having=(), sorts=tuple(s for s in after.sorts if isinstance(s.by, Ref))
        )
    if new.groups or new.measures:
        implied = new.groups and new.measures == (Measure("count"),) and not new.having and not reading.counts
        measures = after.measures if implied and after.measures else new.measures
        groups = new.groups or (after.groups if reading.follow else ())
        after = replace(
            after, measures=measures, groups=groups, having=new.having, sorts=new.sorts, limit=new.limit, show=()
        )
    else:
        if new.show:
            after = replace(after, show=new.show, measures=(), groups=(), having=())
        if new.sorts:
            rows = any(isinstance(s.by, Ref) and s.by not in {g.column for g in after.groups} for s in new.sorts)
            after = replace(after, sorts=new.sorts, limit=new.limit)
            if rows:
                after = replace(after, measures=(), groups=(), having=())
        elif new.limit is not None:
            after = replace(after, limit=new.limit)
    if after.table is None:
        return after
    main = after.table

    said = {s.key for s in new}

    def stays(slot: Slot, ref: Ref) -> bool:  # what this turn asks for is never dropped: the query says if it cannot be
        return slot.key in said or schema.path(main, ref.table) is not None

    return replace(
        after,
        show=tuple(s for s in after.show if stays(s, s.column)),
        groups=tuple(g for g in after.groups if stays(g, g.column)),
        sorts=tuple(s for s in after.sorts if isinstance(s.by, Measure) or stays(s, s.by)),
    )
