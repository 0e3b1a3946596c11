"""Memory and time of vector search in large corpora, and the effect of smaller numbers on the lists.

    LAB_COLLECTIONS=... python -m benchmarks.vectors [--sizes 100000 1000000] [--random 1000000] [--write]

Each size has its own process, with one thread: first with whole passages, then with the best sentences as well.
``index`` is the processor time from the documents to the first possible question; ``memory`` the peak resident memory
minus the memory before (documents and model loaded); ``query`` the median over 20 questions for the best 10, the
fastest of three, explained and not.  The texts are chunks of 120 characters; above 100,000 each consists of two halves
of 60 characters from two random chunks, because the collections do not have enough.  For the sizes after ``--random``
the rows are random numbers, which saves minutes of embedding; candidates are still embedded.  The same rows in float32
are then searched by a product of numpy and by faiss (flat and 8 bits a number), in the same process and thread.

The lists: for every question of every collection, the best 10 by float32 rows, compared with those by smaller numbers
alone and with those of `Vector`, which compares the candidates exactly.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import common
from lab.algebra import Corpus, Document
from lab.corpus import beir
from lab.models import rows as small
from lab.models.embedders import encoder_of, vectors_of
from lab.models.static import BuiltIn
from lab.numeric import Floats, unit
from lab.retrieve.vector import MANY, Vector, VectorIndex

HEADING = "Vectors: memory, time, and small numbers"
SIZES = (100_000, 1_000_000)
CHOICES = ("whole", "best+whole")
REAL = 100_000
LIMIT = 1200
"""Megabytes that the vectors of a million passages may take."""


def documents(n: int) -> Corpus:
    """Chunks, and above `REAL` halves of two chunks."""
    texts = common.chunks(min(n, REAL))
    half, draw = common.LENGTH // 2, random.Random(0)
    more = (draw.choice(texts)[:half] + draw.choice(texts)[-half:] for _ in range(n - len(texts)))
    return Corpus("benchmark", tuple(Document(str(i), text) for i, text in enumerate([*texts, *more])))


def at_random(n: int) -> small.Rows:
    """``n`` rows of two bytes a number, in any direction."""
    draw = np.random.default_rng(0)
    high = draw.integers(-128, 128, (n, 256), np.int8)
    low = draw.integers(0, small.BYTE, (n, 256), np.uint8)
    steps, coarse = np.empty(n, np.float32), 0.0
    for i in range(0, n, small.AT_ONCE):
        some = slice(i, i + small.AT_ONCE)
        whole, off = high[some] * np.float64(small.BYTE) + low[some], low[some] - small.MIDDLE
        steps[some] = 1 / np.linalg.norm(whole, axis=1)
        coarse = max(coarse, float((np.linalg.norm(off, axis=1) * steps[some]).max()))
    return small.Rows(high, steps, np.ones(n, np.float32), 5e-5, low, coarse)


def peers(index: VectorIndex, questions: list[str]) -> dict[str, float]:
    """Milliseconds of the same rows in float32: a product with a vector, and faiss with all and with 8 bits."""
    import faiss

    faiss.omp_set_num_threads(1)
    rows = np.empty((len(index.rows), 256), np.float32)
    for i in range(0, len(rows), small.AT_ONCE):
        places = np.arange(i, min(i + small.AT_ONCE, len(rows)))
        rows[places] = index.rows.numbers(places) * index.rows.steps[places, None]
    flat = faiss.IndexFlatIP(256)
    bytes_ = faiss.IndexScalarQuantizer(256, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)
    bytes_.train(rows[:20_000])
    for peer in (flat, bytes_):
        peer.add(rows)
    asked = [index.query_vector(q).astype(np.float32) for q in questions]
    asks: dict[str, Callable[[NDArray[np.float32]], object]] = {
        "product": lambda x: rows @ x,
        "flat": lambda x: flat.search(x[None], 10),
        "sq8": lambda x: bytes_.search(x[None], 10),
    }
    return {
        name: 1000 * statistics.median(min(spent(ask, x) for _ in range(3)) for x in asked)
        for name, ask in asks.items()
    }


def spent(ask: Callable[[Any], object], asked: object) -> float:
    """Returns the seconds of the processor for one question."""
    start = time.process_time()
    ask(asked)
    return time.process_time() - start


def measured(n: int, rows_at_random: bool) -> list[dict[str, Any]]:
    """One size, every choice, in this process."""
    common.one_thread()
    corpus, questions = documents(n), common.queries(20)
    encoder_of(BuiltIn(), corpus).documents(["warm"])
    before, seconds, out = common.peak_megabytes(), 0.0, []
    if rows_at_random:
        corpus.once(("rows", BuiltIn()), lambda: at_random(n))
    for pieces in CHOICES:
        start = time.process_time()
        index = Vector(pieces=pieces).index(corpus)
        seconds += time.process_time() - start

        def median(index: VectorIndex, explain: bool) -> float:
            def once(question: str) -> float:
                begin = time.process_time()
                found = index.search(question, k=10, explain=explain)
                assert all(len(hit.why) for hit in found) == explain
                return time.process_time() - begin

            return 1000 * statistics.median(min(once(q) for _ in range(3)) for q in questions)

        told = {"query": median(index, explain=False), "explained": median(index, explain=True)}
        head = {"n": n, "pieces": pieces, "random": rows_at_random, "index": seconds}
        out.append({**head, **told, "memory": common.peak_megabytes() - before})
        last = index
    others = peers(last, questions)
    return [{**row, **others} for row in out]


# ------------------------------------------------------------------------------------------------- lists


def float16(rows: Floats) -> Floats:
    return rows.astype(np.float16).astype(np.float64)


def whole_numbers(last: int) -> Callable[[Floats], Floats]:
    """Every row as whole numbers up to ``last``, times one step per row."""

    def kept(rows: Floats) -> Floats:
        step = np.abs(rows).max(axis=1, keepdims=True, initial=1e-30) / last
        return np.asarray(np.rint(rows / step) * step)

    return kept


KINDS: dict[str, Callable[[Floats], Floats]] = {
    "float16": float16, "int8": whole_numbers(127), "int16": whole_numbers(small.LAST)
}  # fmt: skip


def lists() -> list[dict[str, Any]]:
    """Per collection how many questions have another top 10."""
    small.FEW = 0  # so that collections of any size are kept in two bytes
    out = []
    for folder in sorted(p.parent for p in common.collections().glob("*/corpus.jsonl")):
        collection = beir.load(folder)
        corpus = collection.corpus
        index, encoder = Vector(pieces="whole").index(corpus), encoder_of(BuiltIn(), corpus)
        assert not index.rows.whole
        rows = unit(vectors_of(BuiltIn(), corpus))
        kept = {name: of(rows) for name, of in KINDS.items()}
        differ = dict.fromkeys([*KINDS, "Vector"], 0)
        compared = []
        for query in collection.queries:
            asked = unit(encoder.queries([query.text]))[0]
            best = top(rows, asked)
            for name, own in kept.items():
                differ[name] += top(own, asked) != best
            differ["Vector"] += [corpus.positions[i] for i in index.search(query, k=10, explain=False).ids] != best
            compared.append(len(index._candidates(asked, 10)))
        head = {"name": folder.name, "n": len(corpus), "questions": len(collection.queries)}
        out.append({**head, **differ, "compared": statistics.mean(compared)})
        print(out[-1])
    return out


def top(rows: Floats, asked: Floats) -> list[int]:
    """The places of the best 10 in float64, ties in corpus order."""
    cosines = np.einsum("ij,j->i", rows, asked).round(12)
    order = np.argsort(-cosines, kind="stable")[:10]
    return [int(i) for i in order if cosines[i] != 0]


# ------------------------------------------------------------------------------------------------ report


def report(sizes: list[int], found: list[dict[str, Any]], compared: list[dict[str, Any]]) -> str:
    lines = [(__doc__ or "").strip(), "", f"Measured on {common.machine()}.", ""]
    head = "| passages | compared is | index, s | query, ms | explained, ms | memory, MB |"
    lines += [f"{head} float32 product, ms | faiss flat, ms | faiss SQ8, ms |", "|--:|---|" + "--:|" * 7]
    for row in found:
        index = "random rows" if row["random"] else f"{row['index']:.1f}"
        numbers = f"{index} | {row['query']:.1f} | {row['explained']:.1f} | {row['memory']:.0f}"
        numbers += f" | {row['product']:.1f} | {row['flat']:.1f} | {row['sq8']:.1f}"
        lines.append(f"| {row['n']:,} | {row['pieces']} | {numbers} |")
    lines += ["", f"Above {MANY:,} passages, sentences are embedded only for the candidates of a question.", ""]
    if max(sizes) >= 1_000_000:
        worst = max(row["memory"] for row in found if row["n"] >= 1_000_000)
        said = "reached" if worst <= LIMIT else "missed"
        lines += ["| aim | | |", "|---|---|---|"]
        lines += [f"| a million passages in {LIMIT} MB, texts not counted | {worst:.0f} MB | {said} |", ""]
    lines += ["Questions whose best 10 differ from those by float32, or are in another order:", ""]
    lines += ["| collection | passages | questions | float16 alone | int8 alone | int16 alone | Vector | compared |"]
    lines += ["|---|--:|--:|--:|--:|--:|--:|--:|"]
    for row in compared:
        numbers = " | ".join(str(row[name]) for name in (*KINDS, "Vector"))
        lines.append(f"| {row['name']} | {row['n']:,} | {row['questions']:,} | {numbers} | {row['compared']:.1f} |")
    lines += ["", "*compared*: average number of passages embedded again for the best 10."]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--random", type=int, nargs="*", default=[], help="sizes with random rows")
    parser.add_argument("--write", action="store_true", help="put the tables into benchmarks/results")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measured(given.one, given.one in given.random)))
        return 0
    found = []
    for n in given.sizes:
        command = [sys.executable, "-m", "benchmarks.vectors", "--one", str(n), "--random", *map(str, given.random)]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found += json.loads(told.splitlines()[-1])
        print(found)
    compared = lists()
    text = report(given.sizes, found, compared)
    print(text)
    if given.write:
        common.write(HEADING, text, peers=("numpy", "faiss-cpu", "simsimd"))
    too_much = any(row["memory"] > LIMIT for row in found)
    return 1 if too_much or any(row["Vector"] for row in compared) else 0


if __name__ == "__main__":
    sys.exit(main())
