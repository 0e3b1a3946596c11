"""How many questions are answered right, and how many with the rows of another question; how long reading one takes.

    python -m benchmarks.text2sql [--write]             # the bundled questions, the examination sets, large tables
    LAB_COLLECTIONS=... python -m benchmarks.text2sql   # also the folder text2sql_defog, where it is

The sets are data (lab_packs/text2sql/tests/sets): JSON lines and SQL dumps. The foreign questions are those of
defog-ai/sql-eval (Apache 2.0) on the databases of defog-ai/defog-data. An answer counts as right if its rows hold the
rows of one of the reference queries (further columns are no mistake; the order counts where the reference has an order
and a limit). Where it is not right, the lab has asked back, or given no answer (words that it does not understand, a
query that could not run), or shown *other rows*. Milliseconds are the processor's, for a question with its rows.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import datetime as dt
import json
import os
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "lab_packs" / "text2sql" / "tests"))

import sqlglot  # noqa: E402
from sets import APART, TODAY, Row, holds, load, play, verdict  # noqa: E402
from sqlglot import exp  # noqa: E402

from benchmarks import common  # noqa: E402
from lab_packs.text2sql.database import Database, open_database, sha256  # noqa: E402
from lab_packs.text2sql.dialogue import Turn, say  # noqa: E402
from lab_packs.text2sql.guard import Limits, TimeLimit  # noqa: E402

HEADING = "Text2SQL"
INTRODUCTION = """`LAB_COLLECTIONS=... python -m benchmarks.text2sql --write`: answers by retrieval and slots, without
a model. An answer is right if its rows contain those of a reference query (additional columns are not a mistake).
Otherwise the lab asked for clarification, or gave no answer (words that it does not understand, a query that could not
run), or showed *other rows*. ms: of the processor, for a question with its rows, median. {machine}.

The sets are JSON lines and SQL dumps in `lab_packs/text2sql/tests/sets`, and
`lab_packs/text2sql/databases/questions.jsonl` for the bundled databases. The bundled questions, the first examination,
the further databases and ten of the twelve sets written apart were read while the rules were written; of the last two
sets, only the totals were seen."""
FOREIGN = """External databases: the questions of [defog-ai/sql-eval](https://github.com/defog-ai/sql-eval) on the
databases of [defog-ai/defog-data](https://github.com/defog-ai/defog-data) (both Apache 2.0), by type of reference
query. {opened} databases open: {tables} tables, {columns} columns, {keys} foreign keys found or declared. No hints were
written for them; files changed by the run: {changed}. Only these figures were seen, a few times, and how readily the
lab asks was set by them."""


class Tally:
    """What became of questions of one kind."""

    def __init__(self) -> None:
        self.counts, self.seconds = collections.Counter[str](), list[float]()

    def put(self, verdict: str, seconds: float) -> None:
        self.counts[verdict] += 1
        self.seconds.append(seconds)

    def row(self, name: str) -> str:
        n = len(self.seconds)
        shares = " | ".join(f"{self.counts[k] / n:.0%}" for k in ("right", "asked", "none", "other"))
        return f"| {name} | {n} | {shares} | {1000 * statistics.median(self.seconds):.0f} |"


HEAD = """| | questions | right | clarification | no answer | other rows | ms |
|---|--:|--:|--:|--:|--:|--:|"""


def show(name: str, question: str, turn: Turn, outcome: str) -> None:
    """What is looked at: VERBOSE names the lots and the verdicts."""
    wanted = os.environ.get("VERBOSE", "")
    if wanted and name in wanted and outcome in wanted:
        print(f"{outcome} | {name} | {question} | {turn.unknown} | {turn.answer[:200]}")


def examinations() -> Iterator[str]:
    """The bundled questions, and those on databases that the lab does not know."""
    lots = {
        "bundled databases": ("bundled",),
        "first examination": ("examination",),
        "easily misread": ("patterns",),
        "further databases": ("further",),
        "twelve sets, apart": APART,
        "of these never looked at": APART[-2:],
    }
    yield HEAD
    for name, sets in lots.items():
        tally = Tally()
        for of in sets:
            for question in load(of):
                start = time.process_time()
                turn = play(of, question)
                seconds = (time.process_time() - start) / len(question.turns)
                outcome = verdict(of, question, turn)
                tally.put(outcome, seconds)
                show(name, str(question), turn, outcome)
        yield tally.row(name)


def foreign_verdict(turn: Turn, references: Sequence[tuple[Sequence[Row], bool]]) -> str:
    """Right, asked, none or other; ``references``: rows of the reference queries, whether their order counts."""
    if turn.result is None:
        return "asked" if turn.asks else "none"
    return "right" if any(holds(turn.result.rows, rows, ordered=o) for rows, o in references) else "other"


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


def foreign(folder: Path) -> Iterator[str]:
    """The questions of others on their databases."""
    databases: dict[str, Database] = {}
    before = {p: sha256(p) for p in sorted((folder / "db").glob("*.sqlite"))}
    for path in before:
        databases[path.stem] = open_database(path)
    tables = sum(len(d.schema.tables) for d in databases.values())
    keys = sum(len(d.schema.foreign_keys) for d in databases.values())
    tallies: dict[str, Tally] = collections.defaultdict(Tally)
    today = dt.date.today()
    for line in (folder / "examples.jsonl").read_text("utf-8").splitlines():
        example = json.loads(line)
        db = databases[example["db_id"]]
        references = list[tuple[list[Row], bool]]()
        with closing(sqlite3.connect(f"file:{db.path}?mode=ro&immutable=1", uri=True)) as reference, reference:
            for sql in example["gold_sql_alternatives"]:
                ordered = "limit" in sql.lower() and "order by" in sql.lower()
                with contextlib.suppress(sqlite3.Error):
                    references.append((reference.execute(sql).fetchall(), ordered))
        kind, question = kind_of(example["gold_sql_alternatives"][0]), example["question_en"][:1000]
        start = time.process_time()
        turn = say(db, question, as_of=today, limits=Limits(rows=1000))
        seconds = time.process_time() - start
        said = foreign_verdict(turn, references)
        tallies[kind].put(said, seconds)
        tallies["all"].put(said, seconds)
        show(kind, f"{example['db_id']}: {question}", turn, said)
    changed = [p.name for p, digest in before.items() if sha256(p) != digest]
    columns = sum(len(list(d.schema.columns())) for d in databases.values())
    yield FOREIGN.format(
        opened=len(databases), tables=tables, columns=columns, keys=keys, changed=", ".join(changed) or "none"
    )
    yield ""
    yield HEAD.replace("| |", "| reference query |", 1)
    for kind in ("simple filters", "no filter", "grouped", "one join", "one join, grouped", "complex", "all"):
        yield tallies[kind].row("all foreign" if kind == "all" else kind)


def large(rows: int = 1_000_000) -> Iterator[str]:
    """Seconds of the clock on a table of so many rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.sqlite"
        with closing(sqlite3.connect(path)) as db, db:
            db.execute(
                "CREATE TABLE sales (id INTEGER PRIMARY KEY, customer TEXT, city TEXT, amount REAL, sold_on DATE)"
            )
            db.execute(
                f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) "
                "INSERT INTO sales SELECT i, 'customer ' || i, CASE i % 4 WHEN 0 THEN 'Berlin' WHEN 1 THEN 'Paris' "
                "WHEN 2 THEN 'Rome' ELSE 'Oslo' END,"
                " (i * 7919 % 100000) / 100.0, date('2020-01-01', '+' || (i % 1500) || ' days') FROM n"
            )
        yield f"A table of {rows:,} rows:\n\n| step | seconds |\n|---|--:|"
        start = time.perf_counter()
        opened = open_database(path)
        yield (f"| schema inference | {time.perf_counter() - start:.2f} |")
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
            yield (f"| {question} ({found} rows) | {time.perf_counter() - start:.2f} |")
        start = time.perf_counter()
        try:
            opened.select("SELECT count(*) FROM sales a, sales b WHERE a.amount < b.amount", limits=Limits(seconds=2))
        except TimeLimit as error:
            yield (
                f"| a join that would run for hours, at a limit of 2 s: “{error.message}” | "
                f"{time.perf_counter() - start:.2f} |"
            )


def wide(rows: int = 100_000) -> Iterator[str]:
    """How long a question takes on twelve columns: the first one, and those after it."""
    drawn = random.Random(1)
    began = dt.date(2023, 1, 1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wide.sqlite"
        with closing(sqlite3.connect(path)) as db, db:
            db.execute(
                "CREATE TABLE sales (id INTEGER PRIMARY KEY, customer TEXT, city TEXT, product TEXT, category TEXT, "
                "quantity INTEGER, unit_price REAL, discount INTEGER, status TEXT, channel TEXT, sold_on DATE, "
                "note TEXT)"
            )
            made = (
                (
                    i, f"customer {i % 5000}", drawn.choice(["Rome", "Oslo", "Bonn"]), f"product {i % 300}",
                    drawn.choice(["toys", "tools", "books"]), drawn.randrange(1, 9), drawn.randrange(1, 900) / 2,
                    drawn.randrange(30), drawn.choice(["open", "done"]), drawn.choice(["web", "shop"]),
                    str(began + dt.timedelta(i % 800)), "",
                )
                for i in range(rows)
            )  # fmt: skip
            db.executemany(f"INSERT INTO sales VALUES ({', '.join('?' * 12)})", made)
        opened = open_database(path)
        seconds = []
        for question in (
            "sales in Rome",
            "average unit price per city",
            "how many sales were done in 2024 via web",
            "the five sales with the highest unit price",
            "cities with more than 1000 sales",
            "toys in Oslo with a discount of at least 20",
            "total quantity per month in 2024",
            "which product has the most sales?",
        ):
            start = time.process_time()
            turn = say(opened, question, as_of=TODAY)
            seconds.append(time.process_time() - start)
            if turn.result is None:
                yield f"Not answered: {question}: {turn.answer}\n"
    later = sorted(seconds[1:])
    first, least, most = (1000 * x for x in (seconds[0], later[0], later[-1]))
    yield f"A question with its rows on {rows:,} rows of 12 columns: the first {first:.0f} processor ms,"
    yield f"the others {least:.0f} to {most:.0f} (median {1000 * statistics.median(later):.0f})."


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the tables into benchmarks/results")
    options = parser.parse_args()
    defog = Path(os.environ.get("LAB_COLLECTIONS") or "none") / "text2sql_defog"
    if options.write and not defog.is_dir():
        sys.exit("Set LAB_COLLECTIONS to a folder that holds text2sql_defog: what is written has its figures too.")
    lines = [INTRODUCTION.format(machine=common.machine())]
    for part in (examinations(), wide(), foreign(defog) if defog.is_dir() else (), large()):
        lines.append("")
        for line in part:
            print(line, flush=True)
            lines.append(line)
    if options.write:
        common.write(HEADING, "\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
