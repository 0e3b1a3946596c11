"""Conversations: what the turns before a question are worth, and what they cost.

    LAB_COLLECTIONS=... python -m benchmarks.dialogue [quality | time] [--write]

``quality``: nDCG@10 over all raw turns of cast_conv (``queries_raw.jsonl``), and over both halves of its conversations
(the first, the third, ... and the others); the thresholds of HQE, the decay and what a shown passage
loses were chosen on the first half.  Every
turn is asked with all turns before it, and told of the first passages that this very search has shown for them; in
the second table branches of one conversation do not see each other (see `lab.corpus.conversations.by_ids`).
`Unseen` also with the passages that were judged for a turn in the place of those that were shown: that is no search,
because nobody knows them; it says what the stage would be worth if every turn showed what it asks for.

``time``: the last question of a conversation of 20 turns over cast_conv, with the list of the raw turn beside it,
against the same search of the question without its conversation: processor milliseconds, medians.

``--write`` puts the tables into benchmarks/results.  Ends with status 1 where a promise does not hold.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from benchmarks import common
from lab.algebra import Pipeline, Query, Runner, Searcher, Turn
from lab.corpus import beir
from lab.corpus.beir import Collection
from lab.corpus.conversations import Conversation, by_ids
from lab.evaluate.conversations import earlier, run_many
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import Run
from lab.fuse import WeightedSum
from lab.refine.unseen import Unseen
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.rewrite.contextual import Contextual

HEADING, TIMES = "Conversations", "Conversations: time"
MEASURE, NAME, TURNS, TIMES_OVER, MS = "nDCG@10", "cast_conv", 20, 3.0, 30.0
HALF = WeightedSum((0.5, 0.5))
HYBRID = HALF(BM25(), Vector())
TOLD = Pipeline((BM25(), Vector()), rewrite=Contextual(), fuse=HALF)
SHOWN_LESS = "BM25, with the conversation, shown passages penalised"
BOTH_LESS = "BM25 and vectors, with the conversation, shown passages penalised"
SYSTEMS: Mapping[str, Searcher] = {
    "BM25, the turn alone": BM25(),
    "BM25, with the conversation": Contextual()(BM25()),
    "BM25, by HQE": Contextual(rule_of="hqe")(BM25()),
    "BM25 and vectors, the turn alone": HYBRID,
    "BM25 and vectors, with the conversation": TOLD,
    SHOWN_LESS: Contextual()(BM25()) >> Unseen(),
    BOTH_LESS: TOLD >> Unseen(),
    "BM25, with the conversation, the first 1 shown hidden": Contextual()(BM25()) >> Unseen(1, how="drop"),
    "BM25, with the conversation, the first 3 shown hidden": Contextual()(BM25()) >> Unseen(3, how="drop"),
}
KNOWN: Mapping[str, Searcher] = {
    "BM25, with the conversation, judged passages hidden": Contextual()(BM25()) >> Unseen(50, how="drop"),
    "BM25 and vectors, with the conversation, judged passages hidden": TOLD >> Unseen(50, how="drop"),
}
"""Asked with what was judged for the turns before."""
PROMISES = {
    "BM25, with the conversation": 0.53,
    "BM25, by HQE": 0.48,
    "BM25 and vectors, with the conversation": 0.53,
    SHOWN_LESS: 0.555,
    BOTH_LESS: 0.565,
}


def talks(apart: bool) -> tuple[Collection, tuple[Conversation, ...]]:
    """The collection with its raw turns as questions, and its conversations."""
    found = beir.load(common.collections() / NAME, queries="queries_raw.jsonl")
    return found, by_ids(found.queries, apart=apart)


def with_judged(found: Collection, spoken: Sequence[Conversation], search: Searcher) -> Run:
    """A run in which the turns before have shown what was judged relevant for them."""
    runner, results = Runner(found.corpus, explain=False), {}
    for query, before in ((q, earlier(spoken)[q.id]) for talk in spoken for q in talk):
        if query.id in found.qrels:
            turns = tuple(Turn(t.text, shown=tuple(found.relevant(t.id))) for t in before)
            results[query.id] = runner(search, replace(query, turns=turns), 10)
            runner.forget()
    return Run.of("", results)


def quality(apart: bool) -> dict[str, tuple[float, float, float]]:
    """Per system the mean over all turns, over the first half of the conversations, over the other."""
    found, spoken = talks(apart)
    runs = run_many(SYSTEMS, found.corpus, spoken, k=10)
    runs |= {name: with_judged(found, spoken, search) for name, search in KNOWN.items()}
    topics = sorted({"_".join(q.id.split("_")[:2]) for q in found.queries})
    first = set(topics[::2])
    out = {}
    for name, run in runs.items():
        scores = measure_run(run, found.qrels, [MEASURE]).per_query[MEASURE]
        halves = [
            [x for q, x in scores.items() if ("_".join(q.split("_")[:2]) in first) is own] for own in (True, False)
        ]
        out[name] = (statistics.mean(scores.values()), *map(statistics.mean, halves))
    return out


def table(told: Mapping[str, Sequence[float]]) -> str:
    lines = ["| | all turns | first half | other half |", "|---|--:|--:|--:|"]
    return "\n".join(
        [*lines, *(f"| {name} | " + " | ".join(f"{x:.3f}" for x in row) + " |" for name, row in told.items())]
    )


def timed(raw: Searcher, search: Searcher) -> tuple[float, float]:
    """Processor milliseconds of the same search without its conversation, and with it and the raw list beside it."""
    found, spoken = talks(False)
    runner = Runner(found.corpus)
    long = [talk for talk in spoken if len(talk) >= 5]
    said = [turn for talk in long for turn in talk]
    alone, with_it = list[float](), list[float]()
    for start in range(0, len(said) - TURNS, 7):
        own = said[start : start + TURNS]
        shown = tuple(runner(BM25(), turn.text, 10).ids[:3] for turn in own[:-1])
        turns = tuple(Turn(t.text, shown=tuple(ids)) for t, ids in zip(own, shown, strict=False))
        query, text = Query(own[-1].text, turns=turns), Query(own[-1].text)
        for times, asked in ((alone, ((search, text),)), (with_it, ((search, query), (raw, text)))):
            best = []
            for _ in range(3):
                runner.forget()
                begin = time.process_time()
                for searcher, question in asked:
                    runner(searcher, question, 10)
                best.append(1000 * (time.process_time() - begin))
            times.append(min(best))
    return statistics.median(alone), statistics.median(with_it)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=("quality", "time"), help="default: both")
    parser.add_argument("--write", action="store_true", help="put the tables into benchmarks/results")
    options = parser.parse_args(arguments)
    common.one_thread()
    missed = list[str]()
    if options.what != "time":
        whole, apart = quality(False), quality(True)
        missed += [f"{name}: {whole[name][0]:.3f}" for name, least in PROMISES.items() if whole[name][0] < least]
        text = (
            f"`LAB_COLLECTIONS=... python -m benchmarks.dialogue --write`: {MEASURE} over the 438 raw turns of {NAME}, "
            "and over both halves\nof its conversations; the decay, the thresholds of "
            "HQE and the penalty for shown passages\nwere chosen on the first half. "
            "Rows with “judged” are not real searches: they know\nthe judgments of earlier turns, and are better in "
            f"this collection by construction.\n\n{table(whole)}\n\n"
            f"Branches of a conversation separated:\n\n{table(apart)}"
        )
        print(text)
        if options.write:
            common.write(HEADING, text)
    if options.what != "quality":
        rows = []
        for name, raw, told in (("BM25", BM25(), Contextual()(BM25())), ("BM25 and vectors", HYBRID, TOLD)):
            alone, both = timed(raw, told >> Unseen())
            rows.append(f"| {name} | {alone:.2f} | {both:.2f} | {both / alone:.2f} |")
            missed += [f"{name}: {both:.1f} ms"] if both > MS else []
            missed += [f"{name}: {both / alone:.1f} times"] if both > TIMES_OVER * alone else []
        heads = "| | without its conversation | with it, and the list of the raw turn | times |"
        text = (
            f"Turn {TURNS} of a conversation over {NAME}, shown passages penalised: median processor milliseconds;\n"
            f"the list of the raw turn is computed as well. {common.machine()}.\n\n"
            + "\n".join([heads, "|---|--:|--:|--:|", *rows])
        )
        print(text)
        if options.write:
            common.write(TIMES, text)
    return common.verdict(missed)


if __name__ == "__main__":
    sys.exit(main())
