"""Compressed vectors beside faiss: the time to make codes and to compare them, and what the lists keep.

    LAB_COLLECTIONS=... python -m benchmarks.codes [--size 20000] [--questions 400] [--write]

The vectors are those of the built-in model for chunks of 120 characters; both sides have one thread and the same
vectors.  ``index`` is the processor time from vectors to codes, k-means included (ten rounds here, 25 in faiss);
``query`` the median over 50 questions for the best 10 of all codes; ``recall`` the share of the exact first ten.

The second section is the table by size of the guide of Compression: nDCG@10 of whole passages of `GROWN`, alone, with
the passages of the other Chinese collections, and with their sentences instead; in brackets the share of the exact ten.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks import common, lengths
from lab.algebra import Corpus, Document
from lab.models.embedders import encoder_of
from lab.models.static import BuiltIn
from lab.numeric import Floats, unit
from lab_packs.inside.codes import Coder, Product, Signs, Steps
from lab_packs.inside.compressed import Compressed
from lab_packs.inside.compression import exact_lists, quality_of

HEADING = "Compressed vectors: beside faiss"
SIZES = "Compressed vectors: quality by size"
GROWN = "xquad_zh"
BYTES, K = 32, 10
CODES = {
    "first 64": Compressed(kind="first", n=64),
    "first 128": Compressed(kind="first", n=128),
    "int8": Compressed(kind="int8"),
    "binary": Compressed(kind="binary"),
    "binary on both sides": Compressed(kind="hamming"),
    "PQ 8": Compressed(kind="pq", bytes=8),
    "PQ 32": Compressed(kind="pq"),
    "PQ 64": Compressed(kind="pq", bytes=64),
    "PQ 32, first 20 rescored": Compressed(kind="pq", rescore=20),
    "binary on both sides, first 50 rescored": Compressed(kind="hamming", rescore=50),
}
FULL = CODES["int8"].full
"""Searches of the table by size."""

Search = Callable[[Floats], list[int]]


class Row(NamedTuple):
    """One kind by one library: seconds to make the codes, milliseconds of a question, recall@10."""

    kind: str
    library: str
    index: float
    query: float
    recall: float


def ours(make: Callable[[Floats], Coder], rows: Floats) -> Search:
    """The codes of the lab, searched as `Compressed` does."""
    coder = make(rows)
    codes = coder.encode(rows)
    return lambda asked: [int(i) for i in np.argsort(-coder.scores(codes, asked), kind="stable")[:K]]


def theirs(kind: str, rows: Floats, signs: Signs) -> Search:
    """An index of faiss; the signs are those of the lab, since faiss has none of its own."""
    import faiss

    faiss.omp_set_num_threads(1)
    narrow = rows.astype(np.float32)
    if kind == "hamming":
        index = faiss.IndexBinaryFlat(rows.shape[1])
        index.add(signs.encode(rows))
        return lambda asked: [int(i) for i in index.search(signs.encode(asked[None]), K)[1][0]]
    inner = faiss.METRIC_INNER_PRODUCT
    if kind == "pq":
        index = faiss.IndexPQ(rows.shape[1], BYTES, 8, inner)
    else:
        index = faiss.IndexScalarQuantizer(rows.shape[1], faiss.ScalarQuantizer.QT_8bit, inner)
    index.train(narrow)
    index.add(narrow)
    return lambda asked: [int(i) for i in index.search(asked[None].astype(np.float32), K)[1][0]]


def measured(kind: str, library: str, make: Callable[[], Search], asked: Floats, exact: list[set[int]]) -> Row:
    start = common.processor()
    search = make()
    index, times, found = common.processor() - start, list[float](), 0
    for question, best in zip(asked, exact, strict=True):
        began = time.perf_counter()
        own = search(question)
        times.append(time.perf_counter() - began)
        found += len(set(own) & best)
    return Row(kind, library, index, 1000 * statistics.median(times), found / (K * len(asked)))


def compare(size: int) -> list[Row]:
    corpus = Corpus("benchmark", tuple(Document(str(i), text) for i, text in enumerate(common.chunks(size))))
    encoder = encoder_of(BuiltIn(), corpus)
    rows = unit(encoder.documents([d.content for d in corpus]))
    rows = rows[rows.any(axis=1)]
    asked = unit(encoder.queries(common.queries()))
    exact = [set(np.argsort(-(rows @ question), kind="stable")[:K].tolist()) for question in asked]
    signs = Signs.of(rows.mean(axis=0), 0)
    makers: dict[str, Callable[[Floats], Coder]] = {
        "pq": lambda x: Product.learned(x, BYTES, 0),
        "int8": lambda x: Steps.of(np.abs(x).max(axis=0)),
        "hamming": lambda x: Signs(signs.mean, signs.rotation, both=True),
    }
    found = []
    for kind, make in makers.items():
        found.append(measured(kind, "lab", lambda make=make: ours(make, rows), asked, exact))
        found.append(measured(kind, "faiss", lambda kind=kind: theirs(kind, rows, signs), asked, exact))
        print(*found[-2:], sep="\n")
    return found


def report(size: int, found: list[Row]) -> str:
    lines = [(__doc__ or "").strip(), "", f"{size:,} passages, measured on {common.machine()}.", ""]
    lines += ["| kind | library | index, s | query, ms | recall@10 | index / faiss | query / faiss |"]
    lines += ["|---|---|--:|--:|--:|--:|--:|"]
    for row in found:
        peer = next(x for x in found if x.kind == row.kind and x.library == "faiss")
        ratios = f"{row.index / max(peer.index, 1e-3):.1f} | {row.query / peer.query:.1f}"
        lines.append(
            f"| {row.kind} | {row.library} | {row.index:.2f} | {row.query:.2f} | {row.recall:.3f} | {ratios} |"
        )
    return "\n".join(lines)


def grown(questions: int) -> str:
    """Returns the table of the quality of codes by the size of the corpus."""
    collection = common.load(GROWN)
    asked = random.Random(0).sample(list(collection.judged), min(questions, len(collection.judged)))
    grades = {q.id: {f"{GROWN}/{d}/0": g for d, g in collection.qrels[q.id].items()} for q in asked}
    corpora = lengths.corpora(GROWN, lengths.GROUPS[0]).values()
    cells = dict[str, list[str]]()
    for corpus in corpora:
        exact = exact_lists(corpus, FULL, asked)
        for name, search in {"full": FULL, **CODES}.items():
            found = quality_of(search, corpus, asked, grades, exact)
            cells.setdefault(name, []).append(f"{found.gain:.3f} ({found.recall:.2f})")
            print(name, len(corpus), cells[name][-1], flush=True)
    head = f"| | {' | '.join(f'{len(corpus):,}' for corpus in corpora)} |"
    return "\n".join([head, "|---|--:|--:|--:|", *(f"| {name} | {' | '.join(row)} |" for name, row in cells.items())])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=20_000)
    parser.add_argument("--questions", type=int, default=400, help="questions of the table by size")
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/results")
    given = parser.parse_args()
    common.one_thread()
    found = compare(given.size)
    text, by_size = report(given.size, found), grown(given.questions)
    print(text, by_size, sep="\n\n")
    if given.write:
        common.write(HEADING, text, peers=("faiss-cpu",))
        common.write(SIZES, by_size)
    by = {(row.kind, row.library): row for row in found}
    return int(by["pq", "lab"].recall < by["pq", "faiss"].recall - 0.02)


if __name__ == "__main__":
    sys.exit(main())
