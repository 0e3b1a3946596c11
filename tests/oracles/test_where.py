"""Where beside pandas: random metadata, random conditions, and Kleene's logic as pandas' nullable types have it."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from lab.algebra import Corpus, Document, Hit, Ranking
from lab.corpus.conditions import parse
from lab.refine.where import Where
from lab.retrieve.lexical import BM25

CATEGORIES = ("HR", "Human Resources", "人事", "and", "I'T")
TAGS = ("new", "draft", "internal use")
DAYS = [date(2023, 12, 30) + timedelta(days=n) for n in range(0, 500, 41)]
SIGNS = {">": "gt", ">=": "ge", "<": "lt", "<=": "le", "=": "eq", "!=": "ne"}


def written(day: date, way: int) -> str:
    """A day with one reading, in one of the ways in which people write it."""
    ways = (
        day.isoformat(),
        f"{day.year}年{day.month}月{day.day}日",
        f"{day.year}/{day.month}/{day.day} 08:30",
        f"{day:%d %B %Y}",
        f"{day:%B %d, %Y}",
        f"{day:%Y%m%d}",
    )
    return ways[way % len(ways)]


@st.composite
def metadata(draw: st.DrawFn) -> dict[str, Any]:
    """The fields of a passage, each of which may be missing or blank."""
    day = draw(st.sampled_from(DAYS))
    every = {
        "views": draw(st.integers(-5, 3000)),
        "price": draw(st.floats(-10, 10, width=16)),
        "category": draw(st.sampled_from(CATEGORIES)),
        "tags": draw(st.lists(st.sampled_from(TAGS), max_size=3)),
        "last update": written(day, draw(st.integers(0, 5))),
    }
    kept = {name: value for name, value in every.items() if draw(st.integers(0, 4))}
    if "category" in kept and not draw(st.integers(0, 5)):
        kept["category"] = "  "
    if "last update" in kept:
        kept["_day"] = day
    return kept


def quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


@st.composite
def comparisons(draw: st.DrawFn) -> tuple[Any, ...]:
    """A comparison: field, relation, values, and whether it is negated."""
    name = draw(st.sampled_from(["views", "price", "category", "tags", "last update"]))
    if not draw(st.integers(0, 6)):
        return name, "missing", (), draw(st.booleans())
    if name in ("views", "price"):
        number = st.integers(-5, 3000) if name == "views" else st.integers(-80, 80).map(lambda n: n / 8)
        if draw(st.booleans()):
            return name, draw(st.sampled_from(list(SIGNS))), (draw(number),), False
        return name, "between", tuple(sorted((draw(number), draw(number)))), draw(st.booleans())
    if name == "last update":
        one, other = sorted((draw(st.sampled_from(DAYS)), draw(st.sampled_from(DAYS))))
        if draw(st.booleans()):
            return name, draw(st.sampled_from(list(SIGNS))), (one,), False
        return name, "between", (one, other), draw(st.booleans())
    known = CATEGORIES if name == "category" else TAGS
    words = tuple(draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True)))
    relation = draw(st.sampled_from(["=", "in", "contains"]))
    if relation == "contains":
        words = (words[0][draw(st.integers(0, 1)) :].swapcase(),)
    return name, relation, words if relation == "in" else words[:1], draw(st.booleans())


def text_of(test: tuple[Any, ...]) -> str:
    name, relation, values, negated = test
    field, not_ = quoted(name), "not " if negated else ""
    own = [f"{v:,}" if isinstance(v, int) else v.isoformat() if isinstance(v, date) else str(v) for v in values]
    if not all(isinstance(v, str) for v in values):
        words = own
    else:
        words = [quoted(v) for v in own]
    if relation == "missing":
        return f"{field} is {'not ' if negated else ''}missing"
    if relation == "between":
        return f"{field} {not_}between {words[0]} and {words[1]}"
    if relation == "in":
        return f"{field} {not_}in ({', '.join(words)})"
    if relation == "contains":
        return f"{field} {not_}contains {words[0]}"
    return f"{field} {'!=' if negated else relation} {words[0]}"


def column(test: tuple[Any, ...], table: pd.DataFrame) -> pd.Series:
    """What pandas says of a comparison: true, false or missing for every passage."""
    name, relation, values, negated = test
    own = table[name]
    there = own.map(lambda v: bool(v) if isinstance(v, list) else not pd.isna(v) and str(v).strip() != "")
    if relation == "missing":
        return (there if negated else ~there).astype("boolean")
    if relation in ("in", "contains") or isinstance(values[0], str):

        def fits(value: Any) -> bool:
            words = [w.casefold() for w in (value if isinstance(value, list) else [value])]
            if relation == "contains":
                return any(values[0].casefold() in word for word in words)
            return any(word == v.casefold() for v in values for word in words)

        found = pd.Series([fits(v) if t else pd.NA for v, t in zip(own, there, strict=True)], dtype="boolean")
    else:
        numbers = pd.to_datetime(table["_day"]) if name == "last update" else own.astype("Float64")
        values = [pd.Timestamp(v) for v in values] if name == "last update" else values
        if relation == "between":
            found = (numbers >= values[0]) & (numbers <= values[1])
        else:
            found = getattr(numbers, SIGNS[relation])(values[0])
        found = found.astype("boolean").mask(~there, pd.NA)
    return ~found if negated else found


@st.composite
def conditions(draw: st.DrawFn, depth: int = 3) -> tuple[str, Any]:
    """A condition as text, and a function that gives pandas' column for it."""
    kind = draw(st.sampled_from(["test", "test", "and", "or", "not"])) if depth else "test"
    if kind == "test":
        test = draw(comparisons())
        return text_of(test), lambda table: column(test, table)
    text, of = draw(conditions(depth - 1))
    if kind == "not":
        return f"{draw(st.sampled_from(['not', '非']))} ({text})", lambda table: ~of(table)
    other_text, other = draw(conditions(depth - 1))
    word = draw(st.sampled_from({"and": ["and", "且", "AND"], "or": ["or", "或"]}[kind]))
    joined = f"({text}) {word} ({other_text})"
    return joined, (lambda table: of(table) & other(table)) if kind == "and" else (
        lambda table: of(table) | other(table)
    )


@given(st.lists(metadata(), min_size=1, max_size=12), conditions(), st.sampled_from(["drop", "keep"]))
def test_what_is_kept_is_what_pandas_keeps(
    rows: list[dict[str, Any]], condition: tuple[str, Any], undecided: str
) -> None:
    text, of = condition
    own = [{name: value for name, value in row.items() if name != "_day"} for row in rows]
    documents = tuple(Document(f"d{i}", "battery", metadata=fields) for i, fields in enumerate(own))
    # the corpus says what kind of field each is, whatever a drawn row lacks
    sure = [Document("all", "x", metadata={"views": 1, "price": 1.0, "category": "HR", "last update": "2024-01-01"})]
    corpus = Corpus("made up", (*documents, *sure))
    ranking = Ranking("battery", tuple(Hit(d, 1.0) for d in documents), BM25(), corpus=corpus)
    columns = ["views", "price", "category", "tags", "last update", "_day"]
    table = pd.DataFrame(own_rows(rows, columns), columns=columns, dtype=object)
    after = Where(text, undecided=undecided)(ranking)
    wanted = of(table).fillna(undecided == "keep")
    assert after.ids == [f"d{i}" for i, keep in enumerate(wanted) if keep], (text, json.dumps(own, default=str))
    assert {drop.document.id for drop in after.dropped} == {f"d{i}" for i, keep in enumerate(wanted) if not keep}
    assert all(drop.reason for drop in after.dropped)
    assert parse(str(parse(text))) == parse(text)


def own_rows(rows: list[dict[str, Any]], columns: list[str]) -> list[list[Any]]:
    return [[row.get(name) for name in columns] for row in rows]
