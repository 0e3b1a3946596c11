"""The graph of the lab beside faiss: the time to build it and to walk in it, and what the walks find and compare.

    LAB_COLLECTIONS=... python -m benchmarks.graph [--size 2000] [--sizes 1000 5000 20000] [--write]

The vectors are those of the built-in model for chunks of 120 characters, compared by the cosine; both graphs have M 8
and efConstruction 64, and one thread.  The lab's is made for watching: it is Python, and keeps every step.  ``build``
is processor time; ``walk`` the median over 50 questions; ``recall`` the share of the exact first ten, ``compared`` the
mean share of the vectors that a walk compares (faiss: distances computed, a vector on two layers counts twice).

The second table is the measurement of the page Vector store ("Measure now") in growing corpora: recall@10 of Chroma's
graph for the chunks with their questions, and for as many random vectors of 32 numbers.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks import common
from lab.algebra import Corpus, Document
from lab.explain.approximation import Speed, corpus_cloud, hnsw_against_exact, random_cloud
from lab.explain.graph import EF_CONSTRUCTION, M, apart, build, walk
from lab.models.embedders import encoder_of
from lab.models.static import BuiltIn
from lab.numeric import Floats, unit

HEADING = "A graph to watch: beside faiss"
K, BREADTHS = 10, (10, 16, 50)

Search = Callable[[Floats], tuple[list[int], int]]
"""Returns the first ten of a question, and how many vectors were compared."""


class Row(NamedTuple):
    """One library at one ef: seconds of building, milliseconds of a walk, recall@10, share compared."""

    library: str
    ef: int
    build: float
    walk: float
    recall: float
    compared: float


def ours(rows: Floats) -> Callable[[int], Search]:
    """The graph of the lab."""
    graph = build(rows, "cosine")

    def at(ef: int) -> Search:
        def search(question: Floats) -> tuple[list[int], int]:
            walked = walk(graph, apart("cosine", rows, question), ef)
            return list(walked.kept[:K]), len(walked.compared())

        return search

    return at


def theirs(rows: Floats) -> Callable[[int], Search]:
    """The graph of faiss."""
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexHNSWFlat(rows.shape[1], M, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = EF_CONSTRUCTION
    index.add(rows.astype(np.float32))
    statistics_of = faiss.cvar.hnsw_stats

    def at(ef: int) -> Search:
        def search(question: Floats) -> tuple[list[int], int]:
            index.hnsw.efSearch = ef
            statistics_of.reset()
            found = index.search(question[None].astype(np.float32), K)[1][0]
            return [int(i) for i in found], int(statistics_of.ndis)

        return search

    return at


def measured(
    library: str, make: Callable[[Floats], Callable[[int], Search]], rows: Floats, asked: Floats, exact: list[set[int]]
) -> list[Row]:
    start = common.processor()
    at = make(rows)
    seconds, results = common.processor() - start, list[Row]()
    for ef in BREADTHS:
        search, times, right, compared = at(ef), list[float](), 0, 0
        for question, best in zip(asked, exact, strict=True):
            began = time.perf_counter()
            found, n = search(question)
            times.append(time.perf_counter() - began)
            right += len(set(found) & best)
            compared += n
        shares = right / (K * len(asked)), compared / (len(rows) * len(asked))
        results.append(Row(library, ef, seconds, 1000 * statistics.median(times), *shares))
        print(results[-1])
    return results


def compare(size: int) -> list[Row]:
    corpus = Corpus("benchmark", tuple(Document(str(i), text) for i, text in enumerate(common.chunks(size))))
    encoder = encoder_of(BuiltIn(), corpus)
    rows = unit(encoder.documents([d.content for d in corpus]))
    rows = rows[rows.any(axis=1)]
    asked = unit(encoder.queries(common.queries()))
    exact = [set(np.argsort(apart("cosine", rows, question), kind="stable")[:K].tolist()) for question in asked]
    return [*measured("lab", ours, rows, asked, exact), *measured("faiss", theirs, rows, asked, exact)]


def by_size(sizes: list[int]) -> list[Speed]:
    """Chroma's graph on growing corpora, and on random vectors."""
    rows = list[Speed]()
    for size in sizes:
        corpus = Corpus("chunks", tuple(Document(str(i), text) for i, text in enumerate(common.chunks(size))))
        cloud = corpus_cloud(corpus, BuiltIn(), common.queries(200), most=size)
        rows += hnsw_against_exact([cloud, random_cloud(len(cloud.vectors), 200)])
        print(*rows[-6:], sep="\n")
    return rows


def size_table(rows: list[Speed]) -> list[str]:
    """The recall of each number of vectors by ef, as lines of Markdown."""
    lines = ["", "| vectors | ef 10 | ef 50 | ef 200 |", "|---|--:|--:|--:|"]
    for corpus, n in dict.fromkeys((row.corpus, row.n) for row in rows):
        recalls = " | ".join(f"{row.recall:.3f}" for row in rows if (row.corpus, row.n) == (corpus, n))
        lines.append(f"| {corpus or 'random'}, {n:,} | {recalls} |")
    return lines


def report(size: int, found: list[Row], grown: list[Speed]) -> str:
    lines = [(__doc__ or "").strip(), "", f"{size:,} passages, measured on {common.machine()}.", ""]
    lines += ["| library | ef | build, s | walk, ms | recall@10 | compared | build / faiss | walk / faiss |"]
    lines += ["|---|--:|--:|--:|--:|--:|--:|--:|"]
    for row in found:
        peer = next(x for x in found if x.ef == row.ef and x.library == "faiss")
        ratios = f"{row.build / max(peer.build, 1e-3):.1f} | {row.walk / peer.walk:.1f}"
        numbers = f"{row.build:.2f} | {row.walk:.2f} | {row.recall:.3f} | {100 * row.compared:.0f}%"
        lines.append(f"| {row.library} | {row.ef} | {numbers} | {ratios} |")
    return "\n".join([*lines, *size_table(grown)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=2_000)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000, 5_000, 20_000])
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/results")
    given = parser.parse_args()
    common.one_thread()
    found = compare(given.size)
    text = report(given.size, found, by_size(given.sizes))
    print(text)
    if given.write:
        common.write(HEADING, text, peers=("faiss-cpu", "chromadb"))
    by = {(row.library, row.ef): row for row in found}
    return int(any(by["lab", ef].recall < by["faiss", ef].recall - 0.05 for ef in BREADTHS))


if __name__ == "__main__":
    sys.exit(main())
