"""From a random schema and a random tree a question is said by templates; read back, it gives the same rows or none.

The words of the templates are written here, for each language, and not taken from the lab's lexicon; the names of
tables and columns are drawn from lists of plain nouns, so that no vocabulary can be learned by heart.
"""

from __future__ import annotations

import datetime as dt
import random
import sqlite3
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from night import seeds

from lab_packs.text2sql.database import Database, open_database
from lab_packs.text2sql.dialogue import say
from lab_packs.text2sql.guard import Limits
from lab_packs.text2sql.sql import build
from lab_packs.text2sql.tree import Aggregate, Condition, Field, Not, Order, Ref, Select
from lab_packs.text2sql.tree import Test as Compared
from lab_packs.text2sql.wording import many

TODAY = dt.date(2025, 6, 18)
_NOUNS = {
    "en": (["parcel", "lamp", "garden", "boat", "recipe", "concert"], ["width", "noise", "budget", "altitude"], ["colour", "owner", "harbour", "genre"], ["amber", "violet", "crimson", "teal"]),
    "zh": (["包裹", "台灯", "花园", "船只", "菜谱", "乐曲"], ["宽度", "噪音", "预算", "海拔"], ["颜色", "船主", "港口", "体裁"], ["琥珀", "紫罗兰", "绯红", "青绿"]),
}  # fmt: skip
_SAID = {
    "en": {
        ">": "{c} above {v}", "<": "{c} below {v}", ">=": "{c} of at least {v}", "<=": "{c} of at most {v}", "between": "{c} between {v} and {w}",
        "=": "{c} {v}", "not": "not {c} {v}", "and": " and ", "rows": "{t} with {where}", "all": "all {t}", "count": "how many {t} with {where} are there?",
        "count all": "how many {t} are there?", "avg": "average {m} of {t} with {where}", "avg all": "average {m} of all {t}", "by": "average {m} per {g}",
        "by count": "number of {t} per {g}", "top": "the {n} {t} with the highest {m}", "bottom": "the {n} {t} with the lowest {m}",
    },
    "zh": {
        ">": "{c}超过{v}", "<": "{c}低于{v}", ">=": "{c}至少{v}", "<=": "{c}不超过{v}", "between": "{c}在{v}到{w}之间",
        "=": "{c}是{v}", "not": "{c}不是{v}", "and": "、", "rows": "{where}的{t}", "all": "所有{t}", "count": "{where}的{t}有多少",
        "count all": "一共有多少{t}", "avg": "{where}的{t}的平均{m}", "avg all": "{t}的平均{m}", "by": "每个{g}的平均{m}",
        "by count": "每个{g}有多少{t}", "top": "{m}最高的{n}个{t}", "bottom": "{m}最低的{n}个{t}",
    },
}  # fmt: skip


def made(r: random.Random, language: str, folder: Path) -> tuple[Database, str, list[str], list[str]]:
    """A table of random name, two numbers and two categories, with 40 rows."""
    tables, numbers, words, values = _NOUNS[language]
    table = r.choice(tables) + ("s" if language == "en" else "")
    ms, gs = r.sample(numbers, 2), r.sample(words, 2)
    path = folder / f"{len(list(folder.iterdir()))}.sqlite"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            f'CREATE TABLE "{table}" (id INTEGER PRIMARY KEY, "{ms[0]}" INTEGER, "{ms[1]}" REAL, "{gs[0]}" TEXT, "{gs[1]}" TEXT)'
        )
        halves = values[:2], values[2:]
        for i in range(40):
            row = (i + 1, r.randrange(1, 500), r.randrange(1, 90) / 2, r.choice(halves[0]), r.choice(halves[1]))
            db.execute(f'INSERT INTO "{table}" VALUES (?, ?, ?, ?, ?)', row)
    return open_database(path), table, ms, gs


def condition(
    r: random.Random, db: Database, table: str, ms: list[str], gs: list[str], said: dict[str, str]
) -> tuple[Condition, str]:
    if r.random() < 0.55:
        m = r.choice(ms)
        op = r.choice([">", "<", ">=", "<=", "between"])
        v, w = sorted(r.sample(range(2, 300 if m == ms[0] else 40), 2))
        values = (v, w) if op == "between" else (v,)
        return Compared(Field(Ref(table, m)), op, values), said[op].format(c=m, v=v, w=w)
    g = r.choice(gs)
    value = r.choice(db.schema.column(Ref(table, g)).values)
    test = Compared(Field(Ref(table, g)), "=", (value,))
    if r.random() < 0.3:
        return Not(test), said["not"].format(c=g, v=value)
    return test, said["="].format(c=g, v=value)


def asked(
    r: random.Random, db: Database, table: str, ms: list[str], gs: list[str], language: str
) -> tuple[Select, str]:
    """A random tree, and the question that says it."""
    said = _SAID[language]
    t = many(table) if language == "en" else table
    found = [condition(r, db, table, ms, gs, said) for _ in range(r.randrange(0, 3))]
    found = found[:1] if len({str(c).split("column=")[1][:20] for c, _ in found}) < len(found) else found
    where, words = tuple(c for c, _ in found), said["and"].join(w for _, w in found)
    m, g, n = r.choice(ms), r.choice(gs), r.randrange(2, 6)
    shape = r.choice(["rows", "count", "avg", "by", "by count", "top", "bottom"])
    average = Aggregate("avg", Field(Ref(table, m)))
    if shape in ("rows", "count", "avg"):
        key = shape if words else {"rows": "all", "count": "count all", "avg": "avg all"}[shape]
        measures = {"rows": (), "count": (Aggregate("count"),), "avg": (average,)}[shape]
        return Select(table, where=where, measures=measures), said[key].format(t=t, where=words, m=m)
    if shape in ("by", "by count"):
        measure = average if shape == "by" else Aggregate("count")
        return Select(table, by=(Field(Ref(table, g)),), measures=(measure,)), said[shape].format(t=t, m=m, g=g)
    order = (Order(Field(Ref(table, m)), shape == "top"),)
    return Select(table, order=order, limit=n), said[shape].format(t=t, m=m, n=n)


@pytest.mark.parametrize(
    ("language", "question", "where"),
    [
        ("zh", "{g}不是{a}、{m}不超过150的{t}", "{g} <> {a} AND {m} <= 150"),
        ("zh", "{g}不是{a}且{h}是{b}的{t}", "{g} <> {a} AND {h} = {b}"),
        ("zh", "{g}不是{a}，{m}至少150的{t}", "{g} <> {a} AND {m} >= 150"),
        ("zh", "{m}超过150、{g}不是{a}的{t}", "{m} > 150 AND {g} <> {a}"),
        ("zh", "不要{a}、{b}的{t}", "{g} <> {a} AND {h} <> {b}"),
        ("en", "{t} with not {g} {a} and {m} of at least 150", "{g} <> {a} AND {m} >= 150"),
        ("en", "{t} with not {g} {a} and {h} {b}", "{g} <> {a} AND {h} = {b}"),
    ],
)
def test_a_negation_ends_where_another_column_begins(language: str, question: str, where: str, tmp_path: Path) -> None:
    db, t, ms, (g, h) = made(random.Random(language), language, tmp_path)
    a, b = (db.schema.column(Ref(t, c)).values[0] for c in (g, h))
    turn = say(db, question.format(t=t, m=ms[0], g=g, h=h, a=a, b=b), as_of=TODAY, limits=Limits(rows=1000))
    quoted = {"m": f'"{ms[0]}"', "g": f'"{g}"', "h": f'"{h}"', "a": f"'{a}'", "b": f"'{b}'"}
    with closing(sqlite3.connect(next(tmp_path.glob("*.sqlite")))) as connection:
        ids = {row[0] for row in connection.execute(f'SELECT id FROM "{t}" WHERE {where.format(**quoted)}')}
    assert turn.result is not None, turn.answer
    assert 0 < len(ids) < 40
    assert {row[0] for row in turn.result.rows} == ids, turn.answer


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_question_said_by_a_template_gives_its_own_rows_or_none(language: str) -> None:
    verdicts: Counter[str] = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds(1000):
            r = random.Random(f"{language}{seed // 8}")
            db, table, ms, gs = made(r, language, Path(folder))
            r = random.Random(f"{language} {seed}")
            select, question = asked(r, db, table, ms, gs, language)
            turn = say(db, question, as_of=TODAY, limits=Limits(rows=1000))
            if turn.result is None:
                verdicts["none"] += 1
                continue
            expected = db.run(build(select, db.schema, rows=1000), limits=Limits(rows=1000)).rows
            same = Counter(map(_first, expected)) == Counter(map(_first, turn.result.rows))
            verdicts["right" if same else "wrong"] += 1
            if not same:
                wrong.append(f"{question}: {turn.answer}")
    assert not wrong, wrong[:10]
    assert verdicts["right"] > 4 * verdicts["none"], verdicts


def _first(row: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(round(v, 6) if isinstance(v, float) else v for v in row[:2])
