"""What a search costs as a value: 1,000 searches of ``BM25() >> MMR(k=8)`` through the runner, and by hand.

    python -m benchmarks.runner [collection] [--searches 1000] [--rounds 7] [--write]

By hand are the same two calls: ``index.search(question, k=100)`` and ``MMR(k=8)`` of its list; as on a page, with
reasons, and as in an evaluation, without.  Both ways have the index and the documents' vectors already and give the
same list; the runner is a fresh one for every question.  They take turns question by question; a round's figures are
its sums, the ratio is the median of the rounds.  Processor times, one thread, without the garbage collector.  The
collection is a sample corpus by name (devices) or a folder in LAB_COLLECTIONS; its questions are asked over and over
until there are enough.  Ends with status 1 where the runner takes more than 1.05 times as long (`PROMISE`).
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Callable
from itertools import cycle, islice

from benchmarks import common
from lab.algebra import DEPTH, Env, Query, Ranking, Runner
from lab.corpus.beir import Collection
from lab.models.embedders import vectors_of
from lab.models.static import BuiltIn
from lab.refine.diversity import MMR
from lab.retrieve.lexical import BM25

PROMISE = 1.05
HEADING = "What a search costs as a value"
SEARCH = BM25() >> MMR(k=8)


def rounds(collection: Collection, explain: bool, searches: int, number: int) -> list[tuple[float, float]]:
    """(seconds by hand, seconds by the runner) of so many rounds."""
    corpus = collection.corpus
    index, mmr, env = BM25().index(corpus), MMR(k=8), Env(explain=explain)
    vectors_of(BuiltIn(), corpus)

    def by_hand(query: Query) -> Ranking:
        return mmr(index.search(query, k=DEPTH, explain=explain), env)

    def by_runner(query: Query) -> Ranking:
        return Runner(corpus, explain=explain)(SEARCH, query)

    ways: tuple[Callable[[Query], Ranking], ...] = (by_hand, by_runner)
    for query in collection.queries:  # what loads is loaded, and both answer the same
        if by_hand(query) != by_runner(query):
            sys.exit(f"The two answers to “{query}” differ.")
    out = []
    gc.disable()  # it would strike the one or the other as chance has it
    for _ in range(number):
        spent = [0.0, 0.0]
        gc.collect()
        for turn, query in enumerate(islice(cycle(collection.queries), searches)):
            for way in (0, 1) if turn % 2 else (1, 0):
                start = time.process_time()
                answer = ways[way](query)
                spent[way] += time.process_time() - start
                del answer  # nobody's time
        out.append((spent[0], spent[1]))
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection", nargs="?", default="devices")
    parser.add_argument("--searches", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/results")
    options = parser.parse_args()
    common.one_thread()
    collection = common.load(options.collection)
    lines = [
        f"`python -m benchmarks.runner`: {options.searches:,} searches of `BM25() >> MMR(k=8)` on {collection.name} "
        f"({len(collection.corpus)} documents), by hand (`index.search`,",
        "then the stage) and with a fresh `Runner` each, alternating. Processor milliseconds per search, "
        f"median of {options.rounds} rounds.",
        f"Promise: at most {PROMISE} times. {common.machine()}.\n",
        "| | by hand, ms | runner, ms | ratio | rounds from | to |\n|---|--:|--:|--:|--:|--:|",
    ]
    held = True
    for name, explain in (("with reasons, as on a page", True), ("without, as in an evaluation", False)):
        found = rounds(collection, explain, options.searches, options.rounds)
        hand, runner = (1000 * statistics.median(column) / options.searches for column in zip(*found, strict=True))
        ratios = sorted(runner / hand for hand, runner in found)
        ratio = statistics.median(ratios)
        lines.append(f"| {name} | {hand:.3f} | {runner:.3f} | {ratio:.3f} | {ratios[0]:.3f} | {ratios[-1]:.3f} |")
        held = held and ratio <= PROMISE
    print("\n".join(lines))
    if options.write:
        common.write(HEADING, "\n".join(lines))
    if not held:
        print(f"Does not hold: at most {PROMISE} times as long as by hand.", file=sys.stderr)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
