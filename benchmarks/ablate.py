"""What an ablation costs: every part off and every part alone, in one run, against the search run once.

    python -m benchmarks.ablate [collection] [--questions 100] [--rounds 5] [--write]

The peer is who runs every variant by itself, as one would by hand.  Everything is loaded before, and both ways give
the same lists.  Processor times, one thread, without the garbage collector; a round measures the three in turn, the
figures are medians over the rounds.  The collection is a sample corpus by name (devices) or a folder in
LAB_COLLECTIONS.  Ends with status 1 where the ablation of a pipeline of four stages (`FOUR`) takes more than twice the
time of running it once (`PROMISE`).
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Mapping

from benchmarks import common
from lab import formats
from lab.algebra import Searcher
from lab.evaluate.ablation import WHOLE, plan
from lab.evaluate.runs import Run, run_many
from lab.presets import presets

PROMISE = 2.0
HEADING = "Ablation"
FOUR: Mapping[str, Searcher] = {
    "four stages": formats.parse("RRF()(BM25(), Vector()) >> MaxSim(0.4) >> MMR(k=8) >> LongContextReorder()"),
    "the same, cut before": formats.parse(
        "RRF()(BM25(), Vector()) % 50 >> MaxSim(0.4) >> MMR(k=8) >> LongContextReorder()"
    ),
    "one list, four stages": formats.parse(
        "BM25() >> MinimumMatch(0.2) >> QueryCoverage(0.5) >> MMR(k=8) >> LongContextReorder()"
    ),
}
SEARCHES = {**FOUR, **{f"preset {name}": presets()[name].search for name in ("best", "ragflow")}}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection", nargs="?", default="devices")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/results")
    options = parser.parse_args()
    common.one_thread()
    collection = common.load(options.collection)
    corpus, asked = collection.corpus, collection.judged[: options.questions]

    def timed(searches: Mapping[str, Searcher]) -> tuple[float, dict[str, Run]]:
        """Milliseconds per question, and the runs."""
        start = time.process_time()
        runs = run_many(searches, corpus, asked)
        return 1000 * (time.process_time() - start) / len(asked), runs

    lines = [
        f"`python -m benchmarks.ablate`: {len(asked)} questions on {collection.name} ({len(corpus)} documents). "
        "Processor milliseconds per question: the search run once;",
        "its ablation, with every part off and every part alone, in one run; and every variant run separately. "
        f"Median of {options.rounds} rounds.",
        f"Promise: the ablation of a pipeline of four stages takes at most {PROMISE:.0f} times as long as running it "
        f"once: the first {len(FOUR)}. "
        f"{common.machine()}.\n",
        "| search | searches | once, ms | ablation, ms | each by itself, ms | ablation / once | by itself / once |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    found = dict[str, float]()
    gc.disable()  # it would strike the one or the other as chance has it
    for title, search in SEARCHES.items():
        searches = plan(search, corpus, asked).searches
        run_many(searches, corpus, asked)  # what loads is loaded
        rounds = list[tuple[float, float, float]]()
        for _ in range(options.rounds):
            gc.collect()
            once, _runs = timed({WHOLE: search})
            together, runs = timed(searches)
            apart = [timed({name: own}) for name, own in searches.items()]
            if {name: run for _, own in apart for name, run in own.items()} != runs:
                sys.exit(f"{title}: a search by itself gives other lists.")
            rounds.append((once, together, sum(ms for ms, _ in apart)))
        once, together, peer = (statistics.median(column) for column in zip(*rounds, strict=True))
        found[title] = statistics.median(two / one for one, two, _ in rounds)
        cells = [f"{x:.2f}" for x in (once, together, peer, found[title], peer / once)]
        lines.append(f"| {title} | {len(searches)} | {' | '.join(cells)} |")
    told = [f"{title}: `{formats.expression(search)}`." for title, search in FOUR.items()]
    lines += ["", *told]
    print("\n".join(lines))
    if options.write:
        common.write(HEADING, "\n".join(lines))
    missed = [title for title in FOUR if found[title] > PROMISE]
    for title in missed:
        print(f"Does not hold: {title}, at most {PROMISE:.0f} times as long as running it once.", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
