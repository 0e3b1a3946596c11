"""The index side: how good searches over pieces, summaries and questions are, and what deriving and lifting cost.

    LAB_COLLECTIONS=... python -m benchmarks.derive quality [--collections NAME ...] [--limit N] [--write]
    LAB_COLLECTIONS=... python -m benchmarks.derive time [--write]
    LAB_COLLECTIONS=... python -m benchmarks.derive          both

``quality``: nDCG@10 over all judged questions of every folder of LAB_COLLECTIONS, and the difference to the whole
passages under the same retriever; of what is returned for the first hit how often it holds the gold answer, where the
collection has answers.  The weight and the form of the fused index were chosen on the questions of even number (the
first, the third, ...); it is shown for both halves.  Figures are kept in derive.json beside this file.

``time``: 10,000 passages of about 480 characters into children, and what `Lift` adds to a search over them.

``--write`` puts the tables into benchmarks/results.  Ends with status 1 where a promise does not hold.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import common, quality
from lab import formats
from lab.algebra import DEPTH, Corpus, Document, Env, Lift, Pipeline, Runner, Searcher
from lab.corpus.beir import Collection
from lab.derive.parts import ParentChild, Sentences
from lab.derive.written import Keywords, Questions, Summaries
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import each, run_many
from lab.fuse import WeightedSum
from lab.refine.neighbours import Neighbours
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector

FILE = Path(__file__).with_name("derive.json")
HEADING, TIMES = "Index side: quality of other indexes", "Index side: time"
MEASURE = "nDCG@10"
Figures = dict[str, Any]

WORDS, WHOLE, USUAL = BM25(), Vector(pieces="whole"), Vector(pieces="best+whole")
CHILDREN = ParentChild(child=100)
FUSED = "best+whole, and children beside it"
FUSED_OF = WeightedSum((0.8, 0.2), normalisation="none")(
    USUAL, ParentChild(child=100, overlap=50)(Vector(pieces="whole"))
)
"""Chosen on the questions of even number: see `halves`."""
SYSTEMS: Mapping[str, Mapping[str, Searcher]] = {
    "BM25": {
        "whole passages": WORDS,
        "children of 100": CHILDREN(WORDS),
        "children of 50": ParentChild(child=50)(WORDS),
        "sentences": Sentences()(WORDS),
        "summaries": Summaries()(WORDS),
        "questions, sentences": Questions()(WORDS),
        "questions, templates": Questions(rule_of="templates")(WORDS),
        "keywords added": Keywords()(WORDS),
    },
    "one vector an entry": {
        "whole passages": WHOLE,
        "children of 100": CHILDREN(WHOLE),
        "children of 50": ParentChild(child=50)(WHOLE),
        "children of 50, without titles": ParentChild(child=50, titles=False)(WHOLE),
        "children of 100, the sum": Pipeline((WHOLE,), derive=(CHILDREN,), refine=(Lift(by="sum"),)),
        "children of 100, auto-merging": Pipeline((WHOLE,), derive=(CHILDREN,), refine=(Lift(by="auto-merging"),)),
        "sentences": Sentences()(WHOLE),
        "summaries": Summaries()(WHOLE),
        "questions, sentences": Questions()(WHOLE),
        "keywords added": Keywords()(WHOLE),
        "whole + summaries": WeightedSum((0.8, 0.2))(WHOLE, Summaries()(WHOLE)),
    },
    "Vector as it is": {
        "best sentence and whole": USUAL,
        FUSED: FUSED_OF,
    },
    "BM25 and vectors, 0.7 and 0.3": {
        "whole passages": WeightedSum((0.7, 0.3))(WORDS, WHOLE),
        "children of 50 for the vectors": WeightedSum((0.7, 0.3))(WORDS, ParentChild(child=50)(WHOLE)),
    },
}
"""By the retriever the systems; the first of each is what the others are compared with."""
WINDOWS: Mapping[str, Searcher] = {
    "the passage": Sentences()(WHOLE),
    **{
        f"the sentence, window {n}": Pipeline((WHOLE,), derive=(Sentences(),), refine=(Lift(), Neighbours(window=n)))
        for n in range(4)
    },
}
"""What is returned for the first hit."""
GAINS, LOSES, SECONDS, MS = ("cmrc2018", "xquad_zh"), 0.003, 2.0, 1.0
"""Where the fused index must win, what it may lose anywhere; seconds of deriving, milliseconds of lifting."""


# ------------------------------------------------------------------------------------------------ quality


def measure(name: str, limit: int | None) -> Figures:
    """The figures of one collection."""
    start, collection = time.perf_counter(), common.load(name)
    asked = collection.judged[:limit]
    qrels = {q.id: collection.qrels[q.id] for q in asked}
    flat = {f"{family} | {system}": s for family, own in SYSTEMS.items() for system, s in own.items()}
    runs = run_many(flat, collection.corpus, asked)
    scores = {key: measure_run(run, qrels, [MEASURE]).per_query[MEASURE] for key, run in runs.items()}
    values = {key: np.array([own[q.id] for q in asked]) for key, own in scores.items()}
    shares = quality.drawn(len(asked))
    told: Figures = {}
    for family, own in SYSTEMS.items():
        first = values[f"{family} | {next(iter(own))}"]
        for system in own:
            found = values[key := f"{family} | {system}"]
            told[key] = quality.interval(found, shares) | {"away": quality.interval(found - first, shares)}
            told[key]["halves"] = [float((found - first)[half::2].mean()) for half in (0, 1)]
    return {
        "questions": len(asked),
        "whole": limit is None or limit >= len(collection.judged),
        "systems": told,
        "windows": returned(name, collection, limit),
        "seconds": round(time.perf_counter() - start, 1),
    }


def returned(name: str, collection: Collection, limit: int | None) -> Figures:
    """How often what is returned for the first hit holds a gold answer, and how long it is; nothing without answers."""
    file = common.collections() / name / "answers.jsonl"
    if not file.is_file():
        return {}
    lines = map(json.loads, file.read_text("utf-8").splitlines())
    gold = {line["_id"]: line["answers"] for line in lines}
    asked = [q for q in collection.judged[:limit] if q.id in gold]
    held, size = dict.fromkeys(WINDOWS, 0), dict.fromkeys(WINDOWS, 0)
    for query, rankings in each(WINDOWS, collection.corpus, asked, k=1):
        for way, ranking in rankings.items():
            text = ranking.hits[0].document.text if ranking.hits else ""
            held[way] += any(answer in text for answer in gold[query.id])
            size[way] += len(text)
    n = max(1, len(asked))
    return {way: {"held": held[way] / n, "characters": size[way] / n} for way in WINDOWS}


def tables(kept: Figures) -> str:
    """The section for benchmarks/results."""
    found: dict[str, Figures] = kept["collections"]
    heads = " | ".join(f"{name} ({own['questions']})" for name, own in found.items())
    rule = "|---|" + "--:|" * len(found)
    parts = [
        f"`LAB_COLLECTIONS=... python -m benchmarks.derive quality --write`: {MEASURE} over all judged questions\n"
        "(number in brackets), then in brackets the difference from the first row of the table with its 95% CI.\n"
        f"Summaries, questions and keywords are written by the rules. {kept['machine']}. `derive.json` has the\n"
        "figures, with every system as an expression."
    ]
    for family, own in SYSTEMS.items():
        lines = [f"| {family} | {heads} |", rule]
        for i, system in enumerate(own):
            cells = [_cell(of["systems"][f"{family} | {system}"], i == 0) for of in found.values()]
            lines.append(f"| {system} | {' | '.join(cells)} |")
        parts.append("\n".join(lines))
    lines = [f"| {FUSED}, against it alone | {heads} |", rule]
    for half, said in enumerate(("questions it was chosen on (every second one)", "the others")):
        away = [of["systems"][f"Vector as it is | {FUSED}"]["halves"][half] for of in found.values()]
        lines.append(f"| {said} | {' | '.join(f'{x:+.4f}' for x in away)} |")
    parts.append(
        "The fused index is `" + formats.expression(FUSED_OF) + "`. Its children, overlap and weight were chosen on\n"
        "every second question, from children of 50, 100, 150, 200 and 300, overlaps of 0 and 50, with and without "
        "titles, and weights of\n0.1, 0.2, 0.3 and 0.5: the largest gain without losing more than 0.003 anywhere."
    )
    parts.append("\n".join(lines))
    answered = {name: of for name, of in found.items() if of["windows"]}
    if answered:
        lines = [f"| returned for the first hit | {' | '.join(answered)} |", "|---|" + "--:|" * len(answered)]
        for way in WINDOWS:
            cells = [
                f"{of['windows'][way]['held']:.3f} ({of['windows'][way]['characters']:.0f})" for of in answered.values()
            ]
            lines.append(f"| {way} | {' | '.join(cells)} |")
        parts.append(
            "Sentences are searched (one vector each). How often the text returned for the first result contains a "
            "gold answer, with its characters in brackets:"
        )
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _cell(of: Figures, first: bool) -> str:
    away = of["away"]
    return f"{of['mean']:.4f}" + ("" if first else f" ({away['mean']:+.4f}, {away['low']:+.3f} to {away['high']:+.3f})")


def broken(found: Mapping[str, Figures]) -> list[str]:
    """The promises that the fused index does not keep on what was measured whole."""
    out = []
    for name, own in found.items():
        away = own["systems"][f"Vector as it is | {FUSED}"]["away"]["mean"]
        if own["whole"] and away < (0 if name in GAINS else -LOSES):
            out.append(f"the fused index is {away:+.4f} on {name}")
    return out


# --------------------------------------------------------------------------------------------------- time


def _least(work: Callable[[], object], times: int) -> float:
    """The least processor seconds of so many times, as `timeit` recommends."""
    spent = []
    for _ in range(times):
        start = time.process_time()
        made = work()
        spent.append(time.process_time() - start)
        del made  # nobody's time
    return min(spent)


def timed(number: int = 10_000) -> tuple[Figures, str]:
    """Seconds of deriving so many passages, milliseconds of lifting one list; and the table."""
    texts = common.shuffled(4 * number)
    corpus = Corpus("passages", tuple(Document(f"d{i}", "".join(texts[4 * i : 4 * i + 4])) for i in range(number)))
    told: Figures = {"derive": {}, "lift": {}}
    gc.disable()  # it would strike the one or the other as chance has it
    for label, derivation in {"children of 100": CHILDREN, "sentences": Sentences()}.items():
        pairs = derivation.derive(corpus, Env())
        told["derive"][label] = (_least(lambda d=derivation: d.derive(corpus, Env()), 5), len(pairs))  # type: ignore[misc]
    derived = CHILDREN(corpus)
    runner = Runner(derived)
    lists = [runner(BM25(), query, 3 * DEPTH) for query in common.queries(200)]
    for by in ("best", "mean", "auto-merging", "first", "count", "sum"):
        stage = Lift(by=by)
        each_ms = [1000 * _least(lambda found=found, stage=stage: stage(found, Env()), 7) for found in lists]  # type: ignore[misc]
        told["lift"][by] = (statistics.median(each_ms), float(np.percentile(each_ms, 95)))
    lines = [
        f"`LAB_COLLECTIONS=... python -m benchmarks.derive time --write`: {number:,} passages of "
        f"{statistics.mean(len(d.text) for d in corpus):.0f} characters, the fastest of 5;",
        f"aggregating {len(lists)} lists of {statistics.mean(map(len, lists)):.0f} chunks, as on a page, each the "
        f"fastest of 7. Processor time, one thread. Promises: at most {SECONDS:.0f} s, and {MS:.0f} ms. "
        f"{common.machine()}.\n",
        "| derive | seconds | entries |\n|---|--:|--:|",
        *(f"| {label} | {seconds:.2f} | {n:,} |" for label, (seconds, n) in told["derive"].items()),
        "\n| lift by | median, ms | 95 %, ms |\n|---|--:|--:|",
        *(f"| {by} | {median:.3f} | {late:.3f} |" for by, (median, late) in told["lift"].items()),
    ]
    return told, "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=("quality", "time"), help="default: both")
    parser.add_argument("--collections", nargs="+", metavar="NAME", help="folders of LAB_COLLECTIONS (default: all)")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N judged questions of each")
    parser.add_argument("--write", action="store_true", help="put the tables into benchmarks/results")
    options = parser.parse_args(arguments)
    common.one_thread()
    missed = list[str]()
    if options.what != "quality":
        told, text = timed()
        missed += [f"{name}: {s:.2f} s" for name, (s, _) in told["derive"].items() if s > SECONDS]
        missed += [f"lifting by {by}: {ms:.2f} ms" for by, (ms, _) in told["lift"].items() if ms > MS]
        print(text)
        if options.write:
            common.write(TIMES, text)
    if options.what != "time":
        searches = {f"{family} | {x}": formats.expression(s) for family, own in SYSTEMS.items() for x, s in own.items()}
        kept: Figures = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
        if kept.get("searches") != searches:
            kept = {"searches": searches, "collections": {}}
        found = {}
        for name in options.collections or quality.names():
            found[name] = measure(name, options.limit)
            print(f"{name}: {found[name]['seconds']:.0f} s", file=sys.stderr, flush=True)
        before = kept["collections"] if options.write else {}
        kept |= {"collections": dict(sorted((before | found).items())), "machine": common.machine()}
        text = tables(kept)
        missed += broken(found)
        print(text)
        if options.write:
            FILE.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", "utf-8")
            common.write(HEADING, text)
    return common.verdict(missed)


if __name__ == "__main__":
    sys.exit(main())
