"""What the offline rules of query rewriting gain and lose: recall@10 of every query, raw and rewritten.

    python benchmarks/rewrite.py [handbook devices stard_pool cast_conv] [--every 1]

The sample corpora are there; of the other collections those that LAB_COLLECTIONS leads to are used.  Everything is
over BM25 with its defaults; lists of several wordings are merged by RRF (k = 60), 100 deep.  A cell is recall@10
raw → rewritten, and in brackets how many queries got better and how many worse.  ``--every n`` takes every n-th query
of the large collections.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from lab.rewrite.attribution import Gains, gains
from lab.rewrite.searching import BestScore

from lab.core import Fusion
from lab.corpus import beir, samples
from lab.errors import LabError
from lab.fuse import RRF
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.rewrite.base import Rewriter
from lab.rewrite.domain import DomainVocabulary, adapters
from lab.rewrite.hyde import HyDE
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.query2doc import Query2Doc
from lab.rewrite.step_back import StepBack
from lab.rewrite.sub_questions import SubQuestions

SAMPLES = ("handbook", "devices")
RUNS: tuple[tuple[str, Rewriter, Fusion, str], ...] = (
    ("multi-query, RRF", MultiQuery(), RRF(), "bm25"),
    ("multi-query, best score", MultiQuery(), BestScore(), "bm25"),
    ("sub-questions, RRF", SubQuestions(), RRF(), "bm25"),
    ("step back, 5 + 3 documents", StepBack(), RRF(), "bm25"),
    ("step back, whole lists", StepBack(abstract_k=50, concrete_k=50), RRF(), "bm25"),
    ("query to document", Query2Doc(), RRF(), "bm25"),
    ("hypothetical documents, RRF", HyDE(), RRF(), "bm25"),
    *((f"industry: {name}", DomainVocabulary(adapter), RRF(), "bm25") for name, adapter in adapters().items()),
    ("hypothetical documents, mean vector (over vectors)", HyDE(), RRF(), "vector"),
    ("multi-query, RRF (over vectors)", MultiQuery(), RRF(), "vector"),
)


def load(name: str) -> beir.Collection:
    """A sample corpus or a collection of LAB_COLLECTIONS."""
    return (
        samples.load(name)
        if name in samples.names()
        else beir.load(Path(os.environ.get("LAB_COLLECTIONS", ".")) / name)
    )


def cell(found: Gains, kind: str | None) -> str:
    """``0.354 → 0.437 (3 ↑, 1 ↓)``."""
    before, after = found.mean(kind)
    up, down = found.counts(kind)
    return f"{before:.3f} → {after:.3f} ({up} ↑, {down} ↓)"


def table(name: str, every: int) -> None:
    """The table of one collection, as Markdown."""
    collection = load(name)
    queries = collection.judged if name in SAMPLES else collection.judged[::every]
    indexes = {"bm25": BM25().index(collection.corpus), "vector": Vector().index(collection.corpus)}
    kinds: list[str | None] = [None]
    if name in SAMPLES:
        kinds = ["colloquial", "synonym", "crosslingual", "plain", "code", "multi", "negation", "ambiguous", None]
    counts = {kind: sum(kind is None or q.metadata.get("type") == kind for q in queries) for kind in kinds}
    print(f"\n**{name}**, {len(collection.corpus)} documents\n")
    print("| technique | " + " | ".join(f"{kind or 'all'} ({counts[kind]})" for kind in kinds) + " | ms per query |")
    print("|---|" + "---|" * (len(kinds) + 1))
    for label, technique, fusion, over in RUNS:
        start = time.perf_counter()
        found = gains(collection, technique, indexes[over], fusion=fusion, queries=queries)
        each = 1000 * (time.perf_counter() - start) / max(1, len(queries))
        print(f"| {label} | " + " | ".join(cell(found, kind) for kind in kinds) + f" | {each:.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collections", nargs="*", default=[*SAMPLES, "stard_pool", "cast_conv"])
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    for name in options.collections:
        try:
            table(name, options.every)
        except LabError as error:
            print(f"\n{name}: {error}")


if __name__ == "__main__":
    main()
