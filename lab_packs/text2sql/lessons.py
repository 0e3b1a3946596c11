"""Lessons of the Text2SQL page, conversations with the counts that they must come to; and questions to begin with.

``databases/lessons.toml`` holds ``[[lesson]]`` tables: id, title in both languages, database, what
"today" means, and a ``[[lesson.step]]`` for each turn: its text, the number of ``rows`` in its result (-1 if it needs a
clarification), ``unknown`` words, and an explanation in both languages.  A test checks all of it.
"""

from __future__ import annotations

import datetime as dt
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from lab.errors import LabError
from lab.words import LANGUAGES, Said, ngettext
from lab_packs.text2sql.database import Database, sample_folder
from lab_packs.text2sql.dialogue import Turn, by_rules, say
from lab_packs.text2sql.guard import Limits
from lab_packs.text2sql.schema import Table
from lab_packs.text2sql.slots import COUNT
from lab_packs.text2sql.sql import build
from lab_packs.text2sql.tree import Aggregate, Field, Order, Select, Test
from lab_packs.text2sql.wording import Words, spoken

ASKED_BACK = -1


@dataclass(frozen=True)
class Step:
    """One turn: its text, the rows of its result, unknown words, and an explanation by language."""

    turn: str
    rows: int
    text: Mapping[str, str] = field(hash=False)
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lesson:
    """One conversation.  ``title`` is keyed by language."""

    id: str
    database: str
    title: Mapping[str, str] = field(hash=False)
    today: dt.date
    steps: tuple[Step, ...]

    @property
    def turns(self) -> tuple[str, ...]:
        return tuple(step.turn for step in self.steps)

    @property
    def expect(self) -> tuple[int, ...]:
        """The rows after each turn."""
        return tuple(step.rows for step in self.steps)


def read(folder: Path | None = None) -> tuple[Lesson, ...]:
    """Returns the lessons in the order of the file; empty without a file."""
    file = (folder or sample_folder()) / "lessons.toml"
    if not file.is_file():
        return ()
    lessons = []
    for t in tomllib.loads(file.read_text("utf-8")).get("lesson", []):
        steps = tuple(
            Step(s["turn"], s["rows"], {lang: s[lang] for lang in LANGUAGES}, tuple(s.get("unknown", ())))
            for s in t["step"]
        )
        lessons.append(Lesson(t["id"], t["database"], t["title"], dt.date.fromisoformat(t["today"]), steps))
    return tuple(lessons)


def play(db: Database, turns: Sequence[str], *, today: dt.date) -> tuple[Turn, ...]:
    """Plays the turns of a conversation, each after the previous one."""
    turns_so_far: list[Turn] = []
    for text in turns:
        turns_so_far.append(say(db, text, as_of=today, before=turns_so_far[-1] if turns_so_far else None))
    return tuple(turns_so_far)


def counts(turns: tuple[Turn, ...]) -> tuple[int, ...]:
    """Rows after each turn, as in ``expect``."""
    ran = (t.total if t.total is not None else len(t.result.rows) if t.result else 0 for t in turns)
    return tuple(ASKED_BACK if t.asks and not t.unknown else n for t, n in zip(turns, ran, strict=True))


def check(step: Step, turn: Turn) -> tuple[bool, Said]:
    """Returns whether the turn has the result of the step, and a description of its result."""
    (rows,) = counts((turn,))
    outcome = (
        Said("clarification needed; no query run") if rows == ASKED_BACK else ngettext("{n:,} row", "{n:,} rows", rows)
    )
    if turn.unknown:
        outcome = Said("not understood, no query run: {words}", words=[*turn.unknown])
    return (rows, turn.unknown) == (step.rows, step.unknown), outcome


KINDS = (
    Said("Rows with a value"),
    Said("The first of an order"),
    Said("A number per group"),
    Said("How many there are"),
    Said("A comparison"),
    Said("A period"),
)
"""The kinds of questions that are read."""


def suggestions(db: Database, language: str, *, as_of: dt.date) -> tuple[tuple[Said, str], ...]:
    """Returns a question about a database of every kind that suits it, read correctly and with rows."""
    words, parents = Words(db.schema, language), db.schema.parents
    described = [t for t in db.schema.tables if t.rows and any(not c.is_key for c in t.columns)]
    # pairs of keys come last
    described.sort(key=lambda t: (len(parents(t.name)) * 2 >= len(t.columns), -len(t.columns)))
    candidates = (x for t in described[:3] for x in _of_table(t, words))
    by_kind: dict[int, str] = {}
    for kind, question, tree in sorted(candidates, key=lambda x: x[0]):
        if kind not in by_kind and by_rules(question, db, None, as_of, None).select == tree:
            with suppress(LabError):
                if db.run(build(tree, db.schema), limits=Limits(rows=5)).rows:
                    by_kind[kind] = question
    return tuple((KINDS[kind], question) for kind, question in by_kind.items())


def _of_table(t: Table, w: Words) -> Iterator[tuple[int, str, Select]]:
    """Yields one question of each kind that suits the table: (kind, question, tree)."""
    rows, language = w.noun(t.name), w.language
    numbers = [c for c in t.columns if c.is_number and not c.is_year]
    numbers = [c for c in numbers if c.low != c.high] or numbers
    groups = [c for c in t.columns if c.kind == "category" and 1 < len(c.values) <= 12]
    groups.sort(key=lambda c: -len(c.values))
    for c in groups[:1]:
        name, value = c.label(language), spoken(c.values[0], c, language)
        where = (Test(Field(c.ref), "=", c.values[:1]),)
        yield 0, w.of(f"{name}是{value}的{rows}", f"{rows} with {name} {value}"), Select(t.name, where=where)
    for c in numbers[-1:]:
        name, top = c.label(language), Select(t.name, order=(Order(Field(c.ref), True),), limit=3)
        yield 1, w.of(f"{name}最高的3个{rows}", f"the 3 {rows} with the highest {name}"), top
        for g in groups[:1]:
            group, average = g.label(language), (Aggregate("avg", Field(c.ref)),)
            question = w.of(f"每个{group}的平均{name}", f"average {name} per {group}")
            yield 2, question, Select(t.name, by=(Field(g.ref),), measures=average)
    for c in numbers[-1:]:
        if isinstance(c.low, float) and isinstance(c.high, float):
            middle = round((c.low + c.high) / 2) if c.high - c.low > 2 else round((c.low + c.high) / 2, 1)
            over = Select(t.name, where=(Test(Field(c.ref), ">", (middle,)),))
            name = c.label(language)
            yield 4, w.of(f"{name}超过{middle}的{rows}", f"{rows} with {name} over {middle}"), over
    for c in [c for c in t.columns if c.kind == "date" and isinstance(c.high, str)][:1]:
        year = int(str(c.high)[:4])
        during = Select(t.name, where=(Test(Field(c.ref), "during", (f"{year}-01-01", f"{year + 1}-01-01")),))
        yield 5, w.of(f"{year}年的{rows}", f"{rows} in {year}"), during
    parents = [w.schema.table(f.parent) for f in w.schema.parents(t.name)]
    each = [(p.title, w.noun(p.name, 1)) for p in parents]
    each += [(c, c.label(language)) for c in groups[1:] + groups[:1]]
    for column, column_name in each[:1]:
        counted = Select(t.name, by=(Field(column.ref),), measures=(COUNT,))
        yield 3, w.of(f"每个{column_name}有多少{rows}", f"number of {rows} per {column_name}"), counted
    if not each:
        yield 3, w.of(f"一共有多少{rows}", f"how many {rows} are there?"), Select(t.name, measures=(COUNT,))
