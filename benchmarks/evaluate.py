"""A thousand questions: how long the page Evaluate and the command line take for them, with all their figures.

    LAB_COLLECTIONS=... python -m benchmarks.evaluate [--write]

The first 1,000 judged questions of cmrc2018 (1,104 passages) are asked of the preset ``best``, and measured: nDCG@10,
RR@10, R@10, AP, what is judged, and the measures over judged hits only; with loading and indexing, in one process.
Then it and BM25 are compared: intervals, both tests, Holm, the sentences.  ``--write`` puts the table into
benchmarks/results.  Ends with status 1 where the thousand questions take longer than
25 seconds, or where a stop is answered later than within a second.
"""

from __future__ import annotations

import argparse
import sys
import time

from benchmarks import common
from lab.evaluate.experiments import evaluate, of_runs
from lab.evaluate.runs import Gathered, answered
from lab.presets import find
from lab.retrieve.lexical import BM25

LIMIT, QUESTIONS, SOON = 25.0, 1000, 1.0
HEADING = "Evaluate: a thousand questions"


class Stopped(Exception):
    """What a visitor's click comes to."""


def measured() -> tuple[list[tuple[str, str]], bool]:
    """The rows of the table, and whether all of them are as they should be."""
    collection, rows = common.load("cmrc2018"), list[tuple[str, str]]()
    asked = collection.judged[:QUESTIONS]
    told, wanted = [time.perf_counter()], 0.0

    def stopping(done: int, total: int) -> None:
        nonlocal wanted
        told.append(time.perf_counter())
        if wanted:
            raise Stopped
        if done >= 50:
            wanted = time.perf_counter()

    searches = {"best": find("best")}
    into = Gathered(searches)
    start = time.perf_counter()
    try:
        evaluate(searches, collection, limit=QUESTIONS, progress=stopping, into=into)
    except Stopped:
        late = time.perf_counter() - wanted
    done, runs = answered(into.runs(), collection.judged[:QUESTIONS]), into.runs()
    part = of_runs(runs, collection, ["nDCG@10"], done, QUESTIONS)
    rows.append((f"stopped after {len(part.queries)} questions: seconds until it stood", f"{late:.2f}"))
    made = evaluate(searches, collection, limit=QUESTIONS, into=into)
    made.table()
    whole = time.perf_counter() - start
    rows.append(
        (f"best, {len(asked):,} questions, indexes included, gone on with after the stop: seconds", f"{whole:.1f}")
    )
    median, tail = made.runs["best"].ms or (0.0, 0.0)
    rows.append(("milliseconds of a question: median, 95th percentile", f"{median:.1f}, {tail:.1f}"))
    rows.append(("nDCG@10", f"{made.mean('best', 'nDCG@10'):.4f}"))
    start = time.perf_counter()
    both = evaluate({"BM25": BM25(), "best": made.runs["best"]}, collection, limit=QUESTIONS, baseline="BM25")
    both.table()
    rows.append(("BM25 beside it, with all tests: seconds", f"{time.perf_counter() - start:.1f}"))
    d = both.differences["best", "nDCG@10"]
    rows.append(("best against BM25, nDCG@10: better, equal, worse", f"{d.better}, {d.equal}, {d.worse}"))
    return rows, whole <= LIMIT and late <= SOON


def main() -> int:
    """Measure, print, and write where that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/results")
    options = parser.parse_args()
    rows, well = measured()
    machine = f"`python -m benchmarks.evaluate`. {common.machine()}."
    lines = [machine, "", "| what | figure |", "|---|---:|", *(f"| {name} | {figure} |" for name, figure in rows)]
    print("\n".join(lines))
    if options.write:
        common.write(HEADING, "\n".join(lines))
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
