"""A conversation about a table: every turn changes the tree, and says how.

`say` takes a question and the turn before it and returns a `Turn`: the tree before and after, added and removed parts,
clarifications and unknown words, the query, its rows and the answer.  A turn without a result leaves the tree unchanged,
and a follow-up behind it goes on from the last tree that ran, and says so.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import ClassVar

from lab.errors import LabError, QueryError
from lab.text import language_of
from lab.words import Said, ngettext
from lab_packs.text2sql.answer import (
    asking,
    asks_overview,
    not_understood,
    overview,
    read_as,
    read_as_rows,
    read_days,
    resumed,
    sentence,
    ties,
    trouble,
    understood_only,
    whether,
)
from lab_packs.text2sql.assembly import Reading, Weights
from lab_packs.text2sql.database import Database
from lab_packs.text2sql.guard import Limits, Result
from lab_packs.text2sql.question import Read, read
from lab_packs.text2sql.schema import Column
from lab_packs.text2sql.slots import Flag, Slot
from lab_packs.text2sql.sql import Query, build
from lab_packs.text2sql.tree import Field, Piece, Select, Test, pieces, refs, without
from lab_packs.text2sql.turns import contradiction
from lab_packs.text2sql.wording import Words

MOST = 3
"""Readings that are offered when the lab asks back."""
MAX_QUESTION = 1000
"""Characters of a question."""

Tree = Select | None
Rows = Callable[[Select], Sequence[tuple[object, ...]]]


@dataclass(frozen=True)
class Understood:
    """What a reader makes of a question: a tree, or choices, or the words that it does not understand."""

    language: str
    kind: str = "fresh"
    select: Tree = None
    choices: tuple[Select, ...] = ()
    unknown: tuple[str, ...] = ()
    slots: tuple[Slot, ...] = ()
    readings: tuple[Reading, ...] = ()
    refers: bool = False  # it refers to an earlier turn
    assumed: str = ""  # the word that is taken for the rows of the only table
    rest: Tree = None  # what the understood words ask for, beside unknown ones
    restates: bool = False  # the only reading, which is said since it is over joins
    late: tuple[Column, ...] = ()  # columns whose search for unknown words ran out of time


def decide(reading_of_question: Read, rows: Rows, *, weights: Weights) -> Understood:
    """Returns the tree to run, the trees to choose from, or the unknown words; ``rows`` may raise `LabError`."""
    message = Understood(
        reading_of_question.language,
        slots=reading_of_question.slots,
        readings=reading_of_question.readings[:8],
        late=reading_of_question.late,
        assumed=reading_of_question.assumed,
        rest=reading_of_question.rest,
    )
    if not reading_of_question.readings:
        return replace(message, unknown=reading_of_question.unknown)
    choices: list[tuple[Select, object]] = []
    near = reading_of_question.near(weights.margin)
    for reading in near if len(near) > 1 else ():  # one alone is run only once, with its answer
        s = reading.select
        try:  # compare which rows they are, not the columns shown
            matches = rows(replace(s, show=()) if s.plain and not s.distinct else s)
            seen = list(matches) if s.order else Counter(matches)
        except LabError:
            if not choices:  # it runs again later and reports the error
                return replace(message, select=s)
            continue
        if all(seen != other for _, other in choices):
            choices.append((s, seen))
    best = reading_of_question.readings[0]
    if len(choices) > 1:
        return replace(message, choices=tuple(s for s, _ in choices[:MOST]))
    if best.doubt(weights) > weights.doubt and not best.is_far_but_whole(weights):
        return replace(message, choices=(near[0].select,))
    return replace(message, select=best.select, restates=best.doubt(weights) > weights.doubt)


Reader = Callable[[str, Database, Tree, dt.date, bool | None], Understood]
"""Reads a question: (question, database, the tree that stands, today, whether it is new) -> what it says."""


@dataclass(frozen=True)
class Turn:
    """One turn.

    ``kind``: fresh (a new question), follow-up, reset, edit (by hand), overview (what there is to be asked about),
    nothing (not understood; ``late`` are columns that there was no time to search).  ``asks`` are the trees that it may
    mean, or beside unknown words what the others ask for: until one is chosen there is no query.
    ``assumed`` is a word that is taken for the rows of the only table.
    ``slots`` are the words as they were read, ``readings`` all that they can come to, the likeliest first.
    ``total`` is the number of rows without the row limit (None if counting took too long); if nothing matched,
    ``relaxed`` has the number of rows without each condition.
    """

    question: str
    language: str
    kind: str
    before: Tree
    after: Tree
    unknown: tuple[str, ...] = ()
    late: tuple[str, ...] = ()
    assumed: str = ""
    asks: tuple[Select, ...] = ()
    query: Query | None = None
    result: Result | None = None
    total: int | None = None
    relaxed: tuple[tuple[Piece, int], ...] = ()
    answer: str = ""
    error: LabError | None = None
    by: str = "rules"
    slots: tuple[Slot, ...] = ()
    readings: tuple[Reading, ...] = ()

    @property
    def new(self) -> tuple[Piece, ...]:
        had = pieces(self.before)
        return tuple(p for p in pieces(self.after) if p not in had)

    @property
    def removed(self) -> tuple[Piece, ...]:
        has = pieces(self.after)
        return tuple(p for p in pieces(self.before) if p not in has)

    @property
    def is_open(self) -> bool:
        """Whether it was asked and not answered: what follows goes on from the last query that ran, and says so."""
        return bool(self.question) and self.result is None and self.kind not in ("reset", "overview")


@dataclass(frozen=True)
class Rules:
    """The reader that needs no model: by retrieval and slots (`lab_packs.text2sql.question`)."""

    weights: Weights = Weights()
    takes_rows: bool = True
    by: ClassVar[str] = "rules"

    def __call__(self, question: str, db: Database, before: Tree, as_of: dt.date, fresh: bool | None) -> Understood:
        return _by_rules(question, db, before, as_of, fresh, self)


by_rules = Rules()


def _by_rules(
    question: str, db: Database, before: Tree, as_of: dt.date, fresh: bool | None, rules: Rules
) -> Understood:
    weights, takes_rows = rules.weights, rules.takes_rows
    kind, reading = "fresh", read(question, db, as_of, weights=weights, takes_rows=takes_rows)
    if "reset" in reading.moves:
        kind = "reset"
        if all(isinstance(s, Flag) for s in reading.slots):
            return Understood(reading.language, kind)
    elif before is not None and fresh is not True:
        edit = read(question, db, as_of, before=before, weights=weights, takes_rows=takes_rows)
        refers = bool(edit.moves & {"follow", "replace", "also", "drop"})
        goes_on = fresh is False or refers or not reading.names_rows
        if goes_on and (edit.readings or refers or fresh is False or not reading.readings):
            kind, reading = "follow-up", edit
    message = decide(reading, lambda s: db.run(build(s, db.schema), limits=Limits()).rows, weights=weights)
    if message.select is not None and (excluded := contradiction(message.select.where)) is not None:
        words = Words(db.schema, message.language, main=message.select.table)
        a, b = map(words.condition, excluded)
        reason = Said("No row can meet both: {a}; {b}", a=a, b=b)
        raise QueryError(reason, Said("Leave one of the two out."))
    return replace(message, kind=kind, refers=kind == "follow-up")


def say(
    db: Database,
    question: str,
    *,
    as_of: dt.date,
    before: Turn | Tree = None,
    fresh: bool | None = None,
    reader: Reader = by_rules,
    limits: Limits | None = None,
) -> Turn:
    """One turn of a conversation.

    ``as_of`` is the date of "today"; ``before`` the turn before it, or the current tree; ``fresh`` overrules whether
    this is a new question (None: detected); ``reader`` is the rules, or a model.  ``turn.error`` has the error, if any.
    """
    stands = before.after if isinstance(before, Turn) else before
    if stands is None and isinstance(before, Turn) and before.kind == "nothing":
        stands = next(iter(before.asks), None)  # what was understood of it
    language, by = language_of(question[:MAX_QUESTION]), getattr(reader, "by", "model")
    if asks_overview(question):
        return Turn(question, language, "overview", stands, stands, answer=overview(db.schema, language))
    try:
        if len(question) > MAX_QUESTION:
            remedy = Said("Ask in at most {n} characters.", n=MAX_QUESTION)
            raise QueryError(
                ngettext("The question has {n} character.", "The question has {n} characters.", len(question)), remedy
            )
        understood = reader(question, db, stands, as_of, fresh)
    except LabError as error:  # a model that does not answer, or not in the form that was asked for
        turn = Turn(question[:MAX_QUESTION], language, "nothing", stands, stands, by=by)
        return replace(turn, error=error, answer=trouble(error, language))
    language = understood.language
    turn = Turn(
        question, language, understood.kind, stands, stands, by=by, slots=understood.slots, readings=understood.readings
    )
    if understood.kind == "reset" and understood.select is None and not understood.choices:
        answer = "好的，重新开始。" if language == "zh" else "All right, from the beginning."
        return replace(turn, after=None, answer=answer)
    if understood.choices:
        return replace(turn, asks=understood.choices, answer=asking(understood.choices, db.schema, language))
    if understood.select is None:
        late = tuple(column.label(language) for column in understood.late)
        rest = (understood.rest,) if understood.rest is not None else ()
        answer = not_understood(understood.unknown, language, late)
        answer += "".join(understood_only(select, db.schema, language) for select in rest)
        return replace(turn, kind="nothing", unknown=understood.unknown, late=late, asks=rest, answer=answer)
    answered = _answered(db, replace(turn, after=understood.select), limits)
    if answered.result is None:
        return answered
    said = read_as(understood.select, db.schema, language) if understood.restates else ""
    said += read_as_rows(understood.assumed, language) if understood.assumed else ""
    if isinstance(before, Turn) and before.is_open and understood.refers and stands is not None:
        said = resumed(stands, db.schema, language) + said
    return replace(answered, assumed=understood.assumed, answer=said + answered.answer)


def choose(db: Database, turn: Turn, choice: int, *, limits: Limits | None = None) -> Turn:
    """Returns the turn with one of its offered readings chosen, and runs it."""
    kind = "fresh" if turn.kind == "nothing" else turn.kind
    return _answered(db, replace(turn, kind=kind, after=turn.asks[choice], asks=(), unknown=()), limits)


def edit(db: Database, before: Tree, after: Tree, *, language: str, limits: Limits | None = None) -> Turn:
    """Returns a turn made by hand: a chip removed (`lab_packs.text2sql.tree.without`) or changed."""
    return _answered(db, Turn("", language, "edit", before, after), limits)


def _answered(db: Database, turn: Turn, limits: Limits | None) -> Turn:
    """The turn with its query run and its answer said."""
    limits = limits or Limits()
    if turn.after is None:
        return turn
    try:
        query = build(turn.after, db.schema, rows=limits.rows)
        result = db.run(query, limits=limits)
        total = len(result.rows) if not result.more else db.count(query, limits=limits)
    except LabError as error:
        return replace(turn, after=turn.before, error=error, answer=trouble(error, turn.language))
    relaxed = _relaxed(db, turn.after, limits) if not result.rows else ()
    text = whether(turn.question, turn.after, result, turn.language)
    text += sentence(turn.after, query, result, total, db.schema, turn.language)
    columns = [db.schema.column(r) for r in sorted(refs(turn.after)) if db.schema.has(r)]
    text += read_days([c for c in columns if c.ambiguous], turn.language)
    if n := _ties(db, turn.after, query, result, limits):
        text += ties(n, turn.language)
    return replace(turn, query=query, result=result, total=total, relaxed=relaxed, answer=text)


def _up_to_the_last(db: Database, select: Select, query: Query, result: Result) -> Select | None:
    """The rows from the first to those that are equal to the last one shown, without ranking all of them."""
    order = select.order[0]
    if not select.plain or select.distinct or len(select.order) > 1 or not isinstance(order.of, Field):
        return None
    place = next((n for n, output in enumerate(query.outputs) if output.of == order.of), None)
    last = result.rows[-1][place] if place is not None else None
    if db.schema.column(order.of.ref).kind != "number" or not isinstance(last, int | float):
        return None
    bound = Test(order.of, ">=" if order.descending else "<=", (last,))
    return Select(select.table, where=(*select.where, bound))


def _ties(db: Database, select: Select, query: Query, result: Result, limits: Limits) -> int:
    """How many rows behind the cut of a top list are equal to its last one."""
    if select.limit is None or select.ties or select.offset or not select.order or len(result.rows) < select.limit:
        return 0
    with suppress(LabError):
        same = _up_to_the_last(db, select, query, result) or replace(select, ties=True)
        whole = db.count(build(same, db.schema), limits=replace(limits, seconds=1.0))
        return max(0, (whole or 0) - len(result.rows))
    return 0


def _relaxed(db: Database, select: Select, limits: Limits) -> tuple[tuple[Piece, int], ...]:
    """Returns the number of rows without each condition, most first, if there are any."""
    rows, short, counts = (
        Select(select.table, where=select.where),
        replace(limits, seconds=min(limits.seconds, 1.0)),
        [],
    )
    for piece in pieces(rows) if len(rows.where) > 1 else ():
        with suppress(LabError):
            if n := db.count(build(without(rows, piece), db.schema), limits=short):
                counts.append((piece, n))
    return tuple(sorted(counts, key=lambda x: -x[1]))
