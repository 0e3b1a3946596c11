"""A million passages in one process: memory, and what a question takes; then the same again from the disk.

    LAB_COLLECTIONS=... python -m benchmarks.million [--size 1000000] [--questions 200] [--write]

The passages are 120 characters each, made of the sentences of the collections in ever new orders (`common.shuffled`).
One process indexes them for everything that the preset `best`, fusion, exact coverage and MMR need, as the app would;
its memory is the most that it has held, texts, and those who count the words for it, and all.  A second process has
the texts and opens what the first has left in ``LAB_INDEX_DIR``, the fingerprint of the texts included.  To index takes
seconds on two cores (a process for each counts the words, the files are written) and of the processor, theirs included;
the other times are those of the processor, of a question under one thread, reasons read, the fastest of three times,
best 10.  The peers of vectors are the product of a float32 matrix of the same shape with a vector, and faiss, in the
same process.  The promise of vectors is that of a search without reasons: to read the high bytes of a million rows once
takes 0.31 of the product by itself, the whole search 0.44 (random rows, SimSIMD 6.5.16), so 0.3 is out of reach.  Tried
on a million mixtures of two vectors of the built-in model, where the two passes take 0.37: a limit kept while blocks
are scanned, 0.34; the high bytes of the first 192 dimensions, with the length of the rest as a bound, which leaves
11% of the rows, 0.43 (224 dimensions 0.36, 160 dimensions 0.70).  NumKong 7.8.6 takes 1.1 times as long as SimSIMD
with packed rows, 1.7 times row by row, and 2.1 times with a packed question.  None of these pays.  Ends with status 1
where a promise does not hold.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import faiss
import numpy as np
from numpy.typing import NDArray

from benchmarks import common
from lab.algebra import Corpus, Document, Runner, Searcher
from lab.corpus import indexes
from lab.fuse import RRF
from lab.models.embedders import encoder_of
from lab.models.rows import rows_of
from lab.models.static import BuiltIn
from lab.models.token_store import TokenStore
from lab.presets import presets
from lab.refine.coverage import QueryCoverage
from lab.refine.diversity import MMR
from lab.retrieve.lexical import BM25
from lab.retrieve.matrix import TermMatrix
from lab.retrieve.vector import Vector
from lab.ui.launch import frugal

HEADING = "A million in one process"
PRESET, UNREAD, SEARCHED = "preset `best`", "BM25, no reasons read", "vectors, the whole passage, no reasons read"
PRODUCT_OF = "a float32 product of the same shape"
FLAT, SQ8 = "faiss, flat, the same shape", "faiss, 8 bits a number, the same shape"
K = 10
ROOT = Path(__file__).parents[1]
SMALL = Corpus("small", (Document("1", "small"),))
GIGABYTES, PRODUCT, BEST, OPENED = 4.5, 0.5, 250.0, 5.0
"""Promises: gigabytes in all, times a float32 product, ms of the preset, seconds to open."""
INDEXED, POSTINGS, FOUND, EXPLAINED = 75.0, 2.6, 3.0, 4.0
"""Promises of BM25: seconds to index on two cores, gigabytes over the texts, ms of a question, explained as well."""
EACH: dict[str, Searcher] = {
    "BM25": BM25(),
    "vectors, the whole passage": Vector(pieces="whole"),
    "vectors, best sentence and whole": Vector(),
    "fusion of both (RRF)": RRF()(BM25(), Vector()),
    "fusion, exact coverage, MMR": RRF()(BM25(), Vector()) >> QueryCoverage() >> MMR(k=K),
    PRESET: presets()["best"].search,
}


def timed(questions: list[str], *asks: Callable[[str], object]) -> list[list[float]]:
    """Milliseconds of a question, of each way to ask it: the median, and what nine of ten stay below.

    All are asked in turns, question by question: what else the machine does meets them alike.
    """

    def once(ask: Callable[[str], object], question: str) -> float:
        start = time.process_time()
        ask(question)
        return 1000 * (time.process_time() - start)

    times = np.array([[[once(ask, question) for ask in asks] for _ in range(3)] for question in questions]).min(axis=1)
    return [[float(np.median(own)), float(np.sort(own)[int(0.9 * len(own))])] for own in times.T]


class Indexed(NamedTuple):
    """What an index took beside those before: seconds, of the processor too; the most gigabytes until then."""

    seconds: float
    processor: float
    gigabytes: float


def indexed(passages: Corpus) -> tuple[Runner, dict[str, Indexed]]:
    """A runner that has every index."""
    runner, took = Runner(passages), {}
    for name, search in EACH.items():
        start, used = time.perf_counter(), common.processor()
        runner(search, common.queries(1)[0], K)  # what stages need of the corpus is made at the first question
        took[name] = Indexed(time.perf_counter() - start, common.processor() - used, gigabytes())
        print(name, took[name], file=sys.stderr, flush=True)
    return runner, took


def gigabytes() -> float:
    """The most memory that this process has held so far, with those that it started."""
    return common.peak_megabytes() * 2**20 / 1e9


def measured(size: int, questions: int, *, again: bool) -> dict[str, Any]:
    """Everything, in this process; ``again``: of what lies on the disk only how long it takes to open it."""
    common.one_thread()
    frugal()  # as the app does
    common.watch()
    documents = tuple(Document(str(i), text) for i, text in enumerate(common.shuffled(size)))
    encoder_of(BuiltIn(), SMALL)  # the model is loaded
    passages = Corpus("a million", documents, keeper=indexes.keeper())
    told: dict[str, Any] = {"texts": gigabytes()}
    start = time.process_time()
    assert passages.fingerprint
    if again:
        TermMatrix.for_corpus(passages, BM25().analyzer)
        rows_of(BuiltIn(), passages)
        TokenStore.of(passages)
        return {"opened": time.process_time() - start}
    runner, told["index"] = indexed(passages)
    asked = common.queries(questions)

    def ask(search: Searcher) -> Callable[[str], object]:
        def found(question: str) -> object:
            runner.forget()
            return [list(hit.why) for hit in runner(search, question, K)]

        return found

    def unread(name: str, question: str) -> None:
        runner.forget()
        runner(EACH[name], question, K)

    told[UNREAD], told["BM25"] = timed(asked, partial(unread, "BM25"), ask(EACH["BM25"]))
    for name, search in EACH.items():
        if name not in told:
            (told[name],) = timed(asked[:20], ask(search))
        print(name, told[name], file=sys.stderr, flush=True)
    told["memory"] = gigabytes()
    rows = np.random.default_rng(0).standard_normal((size, encoder_of(BuiltIn(), SMALL).dimensions), np.float32)
    vector = rows[0].copy()
    searches: list[Callable[[str], object]] = [partial(unread, "vectors, the whole passage"), lambda _: rows @ vector]
    bytes_ = faiss.IndexScalarQuantizer(rows.shape[1], faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)
    bytes_.train(rows[:20_000])
    for peer in (faiss.IndexFlatIP(rows.shape[1]), bytes_):
        peer.add(rows)
        searches.append(partial(_nearest, peer, vector))
    told[SEARCHED], told[PRODUCT_OF], told[FLAT], told[SQ8] = timed(asked[:20], *searches)
    return told


def _nearest(peer: Any, vector: NDArray[np.float32], _: str) -> object:
    nearest = peer.search
    return nearest(vector[None], K)


def alone(size: int, questions: int, folder: str, *, again: bool) -> dict[str, Any]:
    """The same in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.million", "--one", "again" if again else "first"]
    command += ["--size", str(size), "--questions", str(questions)]
    env = {**os.environ, "LAB_INDEX_DIR": folder}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, cwd=ROOT, env=env)
    if done.returncode:
        sys.exit(done.returncode)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def table(first: dict[str, Any], opened: float) -> tuple[list[str], list[str]]:
    """The lines of the table, and what was promised and does not hold."""
    vectors, bm25 = first[SEARCHED][0] / first[PRODUCT_OF][0], Indexed(*first["index"]["BM25"])
    promises = (
        ("memory at most, texts and all, GB", first["memory"], GIGABYTES),
        ("BM25 indexed on two cores, s", bm25.seconds, INDEXED),
        ("BM25, memory over the texts, GB", bm25.gigabytes - first["texts"], POSTINGS),
        ("a question to BM25, ms", first[UNREAD][0], FOUND),
        ("a question to BM25, explained, ms", first["BM25"][0], EXPLAINED),
        ("exact vectors, times a float32 product", vectors, PRODUCT),
        ("a question to the preset `best`, explained, ms", first[PRESET][0], BEST),
        ("indexes opened from the disk, s", opened, OPENED),
    )
    lines = [
        "| | index, s | of the processor | most memory until then, GB | a question, ms | nine of ten within |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name in EACH:
        took = Indexed(*first["index"][name])
        lines.append(
            f"| {name} | {took.seconds:.0f} | {took.processor:.0f} | {took.gigabytes:.2f} "
            f"| {first[name][0]:.1f} | {first[name][1]:.1f} |"
        )
    for name in (UNREAD, SEARCHED, PRODUCT_OF, FLAT, SQ8):
        lines.append(f"| {name} | | | | {first[name][0]:.1f} | {first[name][1]:.1f} |")
    lines += [
        "",
        f"The texts alone take {first['texts']:.2f} GB.",
        "",
        "| promise | at most | measured | |\n|---|--:|--:|---|",
    ]
    for name, found, most in promises:
        lines.append(f"| {name} | {most:g} | {found:.2f} | {'holds' if found <= most else 'missed'} |")
    return lines, [f"{name}: {found:.2f}, at most {most:g}" for name, found, most in promises if found > most]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/results")
    parser.add_argument("--one", choices=("first", "again"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    common.collections()
    if options.one:
        print(json.dumps(measured(options.size, options.questions, again=options.one == "again")))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        first = alone(options.size, options.questions, folder, again=False)
        opened = min(alone(options.size, options.questions, folder, again=True)["opened"] for _ in range(2))
    lines, missed = table(first, opened)
    lines[:0] = [
        "`LAB_COLLECTIONS=... python -m benchmarks.million "
        f"--questions {options.questions}`: {options.size:,} passages of "
        f"{common.LENGTH} characters",
        "in one process: seconds to index anything that earlier rows did not, and processor milliseconds per",
        f"question with all reasons read. {common.machine()}.\n",
    ]
    print("\n".join(lines))
    if options.write:
        common.write(HEADING, "\n".join(lines), peers=("numpy", "faiss-cpu", "simsimd"))
    return common.verdict(missed)


if __name__ == "__main__":
    sys.exit(main())
