"""Questions to begin with, made from the schema of whatever is loaded; each is asked first, and kept if it is understood.

A template says a tree in words; what reading it back gives must be that tree, and bring rows.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from lab.errors import LabError
from lab.text2sql.database import Database
from lab.text2sql.dialogue import by_rules
from lab.text2sql.guard import Limits
from lab.text2sql.schema import Column, Schema, Table
from lab.text2sql.sql import build
from lab.text2sql.tree import Aggregate, Expr, Field, Order, Select, Test
from lab.text2sql.wording import noun, spoken

MOST = 4
COUNT = Aggregate("count")


def suggestions(db: Database, language: str, *, as_of: dt.date, most: int = MOST) -> tuple[str, ...]:
    """Up to ``most`` questions about a database, of different kinds, that are read as they are meant and bring rows."""
    kept: list[str] = []
    for kind in zip(*(_of_table(t, db.schema, language == "zh") for t in _first(db.schema)), strict=False):
        for question, meant in kind:
            if question and len(kept) < most and _works(db, question, meant, as_of):
                kept.append(question)
                break  # one of a kind
    return tuple(kept)


def _works(db: Database, question: str, meant: Select, as_of: dt.date) -> bool:
    said = by_rules(question, db, None, as_of, None)
    if said.select != meant:
        return False
    try:
        return bool(db.run(build(meant, db.schema), limits=Limits(rows=5)).rows)
    except LabError:
        return False


def _first(schema: Schema) -> list[Table]:
    """The tables that people ask about: those with most to say, no pairs of keys."""
    told = [t for t in schema.tables if t.rows and any(not c.is_key for c in t.columns)]
    return sorted(told, key=lambda t: (len(schema.parents(t.name)) * 2 >= len(t.columns), -len(t.columns)))[:3]


def _of_table(t: Table, schema: Schema, zh: bool) -> Iterator[tuple[str, Select]]:
    """One question of each kind, "" where the table has nothing for it."""
    language = "zh" if zh else "en"
    rows = noun(t.name, schema, language)
    numbers = [c for c in t.columns if c.kind == "number" and not c.is_key and not c.is_year]
    numbers = [c for c in numbers if c.low != c.high] or numbers
    groups = [c for c in t.columns if c.kind == "category" and 1 < len(c.values) <= 12]
    groups.sort(key=lambda c: -len(c.values))
    number, group = next(reversed(numbers), None), next(iter(groups), None)
    none = ("", Select(t.name))

    def name(c: Column) -> str:
        return c.label(language)

    def of(c: Column) -> Expr:
        return Field(c.ref)

    if group is None:
        yield none
    else:
        value = group.values[0]
        said = spoken(value, group, language)
        where = (Test(of(group), "=", (value,)),)
        yield (
            (f"{name(group)}是{said}的{rows}" if zh else f"{rows} with {name(group)} {said}"),
            Select(t.name, where=where),
        )
    if number is None:
        yield none
    else:
        top = Select(t.name, order=(Order(of(number), True),), limit=3)
        yield (f"{name(number)}最高的3个{rows}" if zh else f"the 3 {rows} with the highest {name(number)}"), top
    if number is None or group is None:
        yield none
    else:
        average = Select(t.name, by=(of(group),), measures=(Aggregate("avg", of(number)),))
        yield (f"每个{name(group)}的平均{name(number)}" if zh else f"average {name(number)} per {name(group)}"), average
    parents = [schema.table(f.parent) for f in schema.parents(t.name)]
    each = [(p.title, noun(p.name, schema, language, 1)) for p in parents] + [
        (c, name(c)) for c in groups[1:] + groups[:1]
    ]
    if not each:
        yield (f"一共有多少{rows}" if zh else f"how many {rows} are there?"), Select(t.name, measures=(COUNT,))
    else:
        column, called = each[0]
        by = Select(t.name, by=(of(column),), measures=(COUNT,))
        yield (f"每个{called}有多少{rows}" if zh else f"number of {rows} per {called}"), by
