"""A million passages in one process: memory, and what a question takes; then the same again from the disk.

    LAB_COLLECTIONS=... python -m benchmarks.million [--size 1000000] [--questions 200] [--write]

The passages are 120 characters each, made of the sentences of the collections in ever new orders (`common.shuffled`).
One process indexes them for everything that the preset `best`, fusion, exact coverage and MMR need, as the app would;
``memory`` is the most that it has held, texts and all.  A second process has the texts and opens what the first has
left in ``LAB_INDEX_DIR``.  Seconds of an index are those of the clock; questions are processor milliseconds under one
thread, the fastest of three times, median and nine of ten, best 10.  The peer of vectors is the product of a float32
matrix of the same shape with a vector, in the same process.  Ends with status 1 where a promise does not hold.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import common
from lab.core import Corpus, Document, Ranking, Searcher
from lab.fuse import RRF
from lab.models.static import BuiltIn
from lab.pipeline import Runner
from lab.presets import presets
from lab.refine.coverage import QueryCoverage
from lab.refine.diversity import MMR
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector

HEADING = "A million in one process"
K = 10
GIGABYTES, EXPLAINED, PRODUCT, BEST, OPENED = 4.5, 4.0, 1.3, 250.0, 5.0
"""Promises: gigabytes in all, ms of BM25 explained, times a float32 product, ms of the preset, seconds to open."""
EACH: dict[str, Searcher] = {
    "BM25": BM25(),
    "vectors, the whole passage": Vector(pieces="whole"),
    "vectors, best sentence and whole": Vector(),
    "fusion of both (RRF)": RRF()(BM25(), Vector()),
    "fusion, exact coverage, MMR": RRF()(BM25(), Vector()) >> QueryCoverage() >> MMR(k=K),
    "preset `best`": presets()["best"].search,
}


def corpus(size: int) -> Corpus:
    """So many passages."""
    return Corpus("a million", tuple(Document(str(i), text) for i, text in enumerate(common.shuffled(size))))


def timed(ask: Callable[[str], object], questions: list[str]) -> list[float]:
    """Milliseconds of a question: the median, and what nine of ten stay below."""

    def once(question: str) -> float:
        start = time.process_time()
        ask(question)
        return 1000 * (time.process_time() - start)

    times = sorted(min(once(question) for _ in range(3)) for question in questions)
    return [statistics.median(times), times[int(0.9 * len(times))]]


def indexed(passages: Corpus) -> tuple[Runner, dict[str, float]]:
    """A runner that has every index, and the seconds that each took beside those before."""
    runner, seconds = Runner(passages), {}
    for name, search in EACH.items():
        start = time.perf_counter()
        runner(search, common.queries(1)[0], K)  # what stages need of the corpus is made at the first question
        seconds[name] = time.perf_counter() - start
    return runner, seconds


def measured(size: int, questions: int) -> dict[str, Any]:
    """Everything, in this process."""
    common.one_thread()
    passages = corpus(size)
    texts = common.peak_megabytes()
    start = time.perf_counter()
    assert passages.fingerprint
    read = time.perf_counter() - start
    runner, seconds = indexed(passages)
    asked = common.queries(questions)

    def ask(search: Searcher) -> Callable[[str], Ranking]:
        def found(question: str) -> Ranking:
            runner.forget()
            return runner(search, question, K)

        return found

    def explained(search: Searcher) -> Callable[[str], object]:
        return lambda question: [list(hit.why) for hit in ask(search)(question)]

    told: dict[str, Any] = {"texts": texts, "fingerprint": read, "index": seconds, "query": {}, "explained": {}}
    for name, search in EACH.items():
        few = asked if name == "BM25" else asked[: max(questions // 10, 10)]
        told["query"][name], told["explained"][name] = timed(ask(search), few), timed(explained(search), few)
    told["memory"] = common.peak_megabytes()
    if not os.environ.get("LAB_MILLION_OPENED"):
        rows = np.random.default_rng(0).standard_normal((size, BuiltIn().fit(passages).dimensions), np.float32)
        vector = rows[0].copy()
        told["product"] = timed(lambda _: rows @ vector, asked[:20])
    return told


def alone(size: int, questions: int, folder: str, opened: bool) -> dict[str, Any]:
    """The same in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.million", "--one", "--size", str(size), "--questions", str(questions)]
    env = {**os.environ, "LAB_INDEX_DIR": folder, "LAB_MILLION_OPENED": "1" * opened}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[1], env=env)
    if done.returncode:
        sys.exit(done.stderr)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--beside", default="", help="what else is at work on the machine, for the table")
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/README.md")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    common.collections()
    if options.one:
        print(json.dumps(measured(options.size, options.questions)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        first = alone(options.size, options.questions, folder, opened=False)
        print(json.dumps(first))
        return 0


if __name__ == "__main__":
    sys.exit(main())
