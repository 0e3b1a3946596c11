"""How many questions are answered right, per category; on foreign databases too; and how fast large tables are.

    python -m benchmarks.text2sql                       # our own questions, and a table of a million rows
    LAB_COLLECTIONS=... python -m benchmarks.text2sql   # also the folder text2sql_defog, where it is

The examination's questions stand on eight databases that no sample shares a table with (tests/text2sql/examination):
half of them may be looked at while building, the other half is only counted. The foreign questions are those of
defog-ai/sql-eval (Apache 2.0) on the databases of defog-ai/defog-data. An answer counts as right if its rows hold the
rows of one of the reference queries (further columns are no mistake; the order counts where the reference has an
order and a limit). "Not right, and said so" are answers that name words that were not understood, ask back, or say
why they could not run; "wrong" are those that say nothing of the kind.
"""

from __future__ import annotations

import collections
import datetime as dt
import itertools
import json
import os
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "text2sql"), str(ROOT / "tests" / "text2sql" / "examination")]

import exam_databases  # noqa: E402
import invented  # noqa: E402
import sqlglot  # noqa: E402
from examination import FILE, gold, holds, questions, split  # noqa: E402
from sqlglot import exp  # noqa: E402
from text2sql_cases import TODAY, judge, load  # noqa: E402

from lab.text2sql.database import Database, open_database, open_sample, sha256  # noqa: E402
from lab.text2sql.dialogue import Turn, say  # noqa: E402
from lab.text2sql.guard import Limits, TimeLimit  # noqa: E402

Row = tuple[object, ...]


def own() -> None:
    databases = {n: open_sample(n) for n in ("candidates", "shop")}
    right, total = collections.Counter[str](), collections.Counter[str]()
    seconds = 0.0
    print("Our own questions (tests/text2sql/cases.toml)\n")
    for case in load():
        for j in judge(case, databases[case["database"]]):
            total[j.category] += 1
            right[j.category] += not j.problem
            seconds += j.turn.reading_seconds
            if j.problem:
                print(f"  wrong: {j.question}: {j.problem}")
    print("| category | questions | right |\n|---|---|---|")
    for category, n in total.items():
        print(f"| {category} | {n} | {right[category] / n:.0%} |")
    n = sum(total.values())
    print(
        f"| all | {n} | {sum(right.values()) / n:.1%} |\n\nReading a question: {1000 * seconds / n:.1f} ms on "
        f"average.\n"
    )


def examination() -> None:
    """Questions on databases that the lab does not know: right, asked back, not answered, other rows."""
    opened = {n: exam_databases.build(n) for n in exam_databases.ALL} | {n: invented.build(n) for n in invented.ALL}
    seen, unseen = split(questions())
    lots = {"seen half": seen, "unseen half": unseen, "patterns": questions(FILE.with_name("patterns.txt"))}
    print("An examination on unknown databases\n\n| | questions | right | asked back | no answer | other rows | ms |")
    print("|---|---|---|---|---|---|---|")
    for name, lot in lots.items():
        counts, seconds = collections.Counter[str](), 0.0
        for question in lot:
            db, turn = opened[question.database], None
            for text in question.turns:
                turn = say(db, text, as_of=exam_databases.TODAY, before=turn, limits=Limits(rows=1000))
                seconds += turn.reading_seconds
            assert turn is not None
            rows, ordered = gold(db, question.sql)
            if turn.result is None:
                counts["asked" if turn.asks else "none"] += 1
            else:
                counts["right" if holds(turn.result.rows, rows, ordered=ordered) else "wrong"] += 1
        n = len(lot)
        shares = " | ".join(f"{counts[k] / n:.0%}" for k in ("right", "asked", "none", "wrong"))
        print(f"| {name} | {n} | {shares} | {1000 * seconds / n:.0f} |")
    print()


def kind_of(sql: str) -> str:
    """How simple a reference query is."""
    try:
        tree = sqlglot.parse_one(sql, read="sqlite")
    except sqlglot.errors.SqlglotError:
        return "complex"
    if (
        not isinstance(tree, exp.Select)
        or len(list(tree.find_all(exp.Select))) > 1
        or tree.find(exp.Case, exp.Window, exp.Div)
    ):
        return "complex"
    joins = len(tree.args.get("joins") or [])
    if joins > 1 or (
        tree.find(exp.Func)
        and any(
            isinstance(f, (exp.Anonymous, exp.TimeToStr, exp.Date, exp.TsOrDsToDate)) for f in tree.find_all(exp.Func)
        )
    ):
        return "complex"
    grouped = tree.args.get("group") is not None
    if joins:
        return "one join, grouped" if grouped else "one join"
    if grouped:
        return "grouped"
    return "simple filters" if tree.args.get("where") is not None else "no filter"


def matches(turn: Turn, expected: list[Row], *, ordered: bool) -> bool:
    """Whether the rows of an answer, on some choice of its columns, are the expected ones."""
    if turn.result is None or len(turn.result.rows) != len(expected):
        return False
    if not expected:
        return True
    width, found = len(expected[0]), [[plain(v) for v in r] for r in turn.result.rows]
    want = [tuple(plain(v) for v in r) for r in expected]
    columns = range(len(found[0]))
    wanted = [collections.Counter(r[i] for r in want) for i in range(width)]
    fitting = [[c for c in columns if collections.Counter(r[c] for r in found) == w] for w in wanted]
    for choice in itertools.islice(itertools.product(*fitting), 200):
        rows = [tuple(r[c] for c in choice) for r in found]
        if rows == want or (not ordered and sorted(rows, key=repr) == sorted(want, key=repr)):
            return True
    return False


def plain(value: object) -> object:
    return round(float(value), 3) if isinstance(value, (int, float)) else value


def foreign(folder: Path) -> None:
    databases: dict[str, Database] = {}
    before = {p: sha256(p) for p in sorted((folder / "db").glob("*.sqlite"))}
    for path in before:
        databases[path.stem] = open_database(path)
    tables = sum(len(d.schema.tables) for d in databases.values())
    keys = sum(len(d.schema.foreign_keys) for d in databases.values())
    print(
        f"Foreign databases: {len(databases)} opened, {tables} tables, "
        f"{sum(len(list(d.schema.columns())) for d in databases.values())} columns, {keys} foreign keys found or "
        f"declared.\n"
    )
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    today = dt.date.today()
    for line in (folder / "examples.jsonl").read_text("utf-8").splitlines():
        example = json.loads(line)
        db = databases[example["db_id"]]
        gold = []
        with sqlite3.connect(f"file:{db.path}?mode=ro&immutable=1", uri=True) as reference:
            for sql in example["gold_sql_alternatives"]:
                try:
                    gold.append(
                        (reference.execute(sql).fetchall(), "limit" in sql.lower() and "order by" in sql.lower())
                    )
                except sqlite3.Error:
                    continue
        kind = kind_of(example["gold_sql_alternatives"][0])
        turn = say(db, example["question_en"][:1000], as_of=today, limits=Limits(rows=1000))
        if any(matches(turn, rows, ordered=ordered) for rows, ordered in gold):
            verdict = "right"
        elif turn.unknown or turn.asks or turn.error is not None or turn.kind == "nothing":
            verdict = "said so"
        else:
            verdict = "wrong"
        counts[kind][verdict] += 1
        if os.environ.get("VERBOSE") and verdict != "right" and kind in os.environ["VERBOSE"]:
            print(
                f"{verdict} | {example['db_id']} | {example['question_en']} | {turn.unknown} "
                f"{[s.key for s in turn.after]} | {example['gold_sql_alternatives'][0]}"
            )
    print("| reference query | questions | right | not right, and said so | wrong |\n|---|---|---|---|---|")
    for kind in ("simple filters", "no filter", "grouped", "one join", "one join, grouped", "complex"):
        c = counts[kind]
        n = sum(c.values())
        print(f"| {kind} | {n} | {c['right'] / n:.0%} | {c['said so'] / n:.0%} | {c['wrong'] / n:.0%} |")
    everything = sum(counts.values(), collections.Counter())
    n = sum(everything.values())
    print(
        f"| all | {n} | {everything['right'] / n:.0%} | {everything['said so'] / n:.0%} | "
        f"{everything['wrong'] / n:.0%} |\n"
    )
    changed = [p.name for p, digest in before.items() if sha256(p) != digest]
    print(f"Files changed: {changed or 'none'}.\n")


def large(rows: int = 1_000_000) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.sqlite"
        with sqlite3.connect(path) as db:
            db.execute(
                "CREATE TABLE sales (id INTEGER PRIMARY KEY, customer TEXT, city TEXT, amount REAL, sold_on DATE)"
            )
            db.execute(
                f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) "
                "INSERT INTO sales SELECT i, 'customer ' || i, CASE i % 4 WHEN 0 THEN 'Berlin' WHEN 1 THEN 'Paris' "
                "WHEN 2 THEN 'Rome' ELSE 'Oslo' END,"
                " (i * 7919 % 100000) / 100.0, date('2020-01-01', '+' || (i % 1500) || ' days') FROM n"
            )
        print(f"A table of {rows:,} rows\n\n| step | seconds |\n|---|---|")
        start = time.perf_counter()
        opened = open_database(path)
        print(f"| schema inference | {time.perf_counter() - start:.2f} |")
        for question in (
            "sales in Berlin over 900",
            "average amount per city",
            "total amount per month in 2022",
            "the 5 largest sales by amount",
            "sales of customer 777777",
        ):
            start = time.perf_counter()
            turn = say(opened, question, as_of=TODAY, limits=Limits(seconds=10))
            found = turn.total if turn.result is not None else turn.answer
            print(f"| {question} ({found} rows) | {time.perf_counter() - start:.2f} |")
        start = time.perf_counter()
        try:
            opened.select("SELECT count(*) FROM sales a, sales b WHERE a.amount < b.amount", limits=Limits(seconds=2))
        except TimeLimit as error:
            print(
                f"| a join that would run for hours, at a limit of 2 s: “{error.message}” | "
                f"{time.perf_counter() - start:.2f} |"
            )


if __name__ == "__main__":
    own()
    examination()
    collections_folder = os.environ.get("LAB_COLLECTIONS")
    defog = Path(collections_folder or "") / "text2sql_defog"
    if collections_folder and defog.is_dir():
        foreign(defog)
    else:
        print("text2sql_defog: skipped, LAB_COLLECTIONS is not set or does not hold it.\n")
    large()
