"""How good the rankings are: every system on every collection, with intervals, and each step of the analyzer alone.

    LAB_COLLECTIONS=... python -m benchmarks.quality [--collections NAME ...] [--systems TEXT ...] [--limit N] [--write]
        [--json]

nDCG@10 over all judged questions of every folder of LAB_COLLECTIONS, with 95 % intervals, and the difference of each
system to the first row with its own.  ``--write`` keeps the figures of what was measured in quality.json beside this
file, from where guides take theirs, and puts the tables into benchmarks/results; ``--systems`` measures those alone
that have one of the texts in their names, and leaves the figures of the others; ``--json`` prints the figures.
What needs the extra ``e5`` is measured where that is installed.
Ends with status 1 where a promise about a collection that was measured whole does not hold.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import common
from lab import catalog, formats, packs, presets
from lab.algebra import Operator, Pipeline, Searcher
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import run_many
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.likelihood import InL2, QueryLikelihood
from lab.retrieve.store import spelled
from lab.retrieve.vector import Vector
from lab.text import Analyzer

FILE = Path(__file__).with_name("quality.json")
LONG = ("cmrc2018",)
"""Collections that a neural model would read for an hour: it does where ``--systems`` names it."""
HEADING = "Quality"
MEASURE = "nDCG@10"
RESAMPLES = 2000
"""So many times the questions are drawn anew (bootstrap), each time the same ones for every system: pairs stay."""
PREFIXES = {"query": "“query: ” before both", "swapped": "its prefixes the wrong way round"}
Figures = dict[str, Any]

# every knob that a default may change is named: a row is the same in every version of the lab
OFF = ("bigrams", "simplified", "numbers", "questions", "characters", "joined", "separators", "units", "asker")
PLAIN = Analyzer(stem="none", **dict.fromkeys(OFF, False))
STEPS: Mapping[str, Mapping[str, Any]] = {
    "stems": {"stem": "snowball"},
    "pairs": {"bigrams": True},
    "simplified": {"simplified": True},
    "letters and digits apart": {"numbers": True},
    "question-word filter": {"questions": True},
    "asker-word filter": {"asker": True},
    "single characters": {"characters": True},
    "hyphenated words joined": {"joined": True},
    "no thousands separators": {"separators": True},
    "numbers and units apart": {"units": True},
}
FULL = replace(PLAIN, **{knob: value for step in STEPS.values() for knob, value in step.items()})
FIRST, ALL, BEST = "BM25, plain words", "BM25, all steps", "best offline"
E5 = "multilingual-e5-small"
E5_PIECES = f"{E5}, best+whole"

PROMISES: Mapping[str, Mapping[str, float]] = {
    ALL: {"cmrc2018": 0.978, "stard_pool": 0.523, "xquad_en": 0.970, "cast_conv": 0.620},
    BEST: {"cmrc2018": 0.988, "stard_pool": 0.548, "xquad_en": 0.982, "cast_conv": 0.652, "xquad_en2zh": 0.85},
    E5: {"stard_pool": 0.55, "xquad_en": 0.97, "xquad_en2zh": 0.845, "cast_conv": 0.71, "xquad_zh": 0.945},
    E5_PIECES: {"stard_pool": 0.55, "xquad_en": 0.97, "xquad_en2zh": 0.86, "cast_conv": 0.71, "xquad_zh": 0.945},
    "preset best-neural": {
        "stard_pool": 0.575,
        "xquad_en": 0.986,
        "xquad_en2zh": 0.91,
        "cast_conv": 0.71,
        "xquad_zh": 0.974,
    },
    "preset best-neural-all": {
        "stard_pool": 0.585,
        "xquad_en": 0.989,
        "xquad_en2zh": 0.92,
        "cast_conv": 0.724,
        "xquad_zh": 0.976,
    },
}
"""System to collection to what it reaches at least, over all judged questions."""


def systems() -> dict[str, Searcher]:
    """Every system by its name: words step by step, vectors, the presets, the learned mix where there is one."""
    lucene = BM25(analyzer=PLAIN, variant="lucene")
    found: dict[str, Searcher] = {
        FIRST: lucene,
        "BM25 of Okapi, plain words": replace(lucene, variant="okapi"),
        **{f"BM25, + {name}": replace(lucene, analyzer=replace(PLAIN, **step)) for name, step in STEPS.items()},
        ALL: replace(lucene, analyzer=FULL),
        "TF-IDF, plain words": TFIDF(analyzer=PLAIN),
        "TF-IDF, all steps": TFIDF(analyzer=FULL),
        "query likelihood, Dirichlet": QueryLikelihood(analyzer=FULL),
        "query likelihood, Jelinek–Mercer": QueryLikelihood("jelinek-mercer", analyzer=FULL),
        "DFR InL2": InL2(analyzer=FULL),
        **{f"vectors, {pieces}": Vector(pieces=pieces) for pieces in ("whole", "best", "best+whole")},
    }
    if neural_model := catalog.embedders().get("E5Small"):  # of a pack, which may be left out
        found |= {E5: Vector(neural_model(), pieces="whole"), E5_PIECES: Vector(neural_model(), pieces="best+whole")}
        found |= {f"{E5}, {own}": Vector(neural_model(p), pieces="whole") for p, own in PREFIXES.items()}
    best = presets.find("best")
    others = {f"preset {name}": known.search for name, known in presets.presets().items() if name != "best"}
    found |= {BEST: best} | {n: x for n, x in others.items() if not any(map(asks, catalog.inside(x)))}
    learned = catalog.stages().get("Learned")
    used = {type(x) for search in found.values() for x in catalog.inside(search)}
    if learned is not None and learned not in used and isinstance(best, Pipeline):
        found["best offline, learned mix as its stage"] = replace(best, refine=(learned(),), name="")
    return found


def asks(part: Operator) -> bool:
    """Whether a language model is needed."""
    return part.asks_model and bool(getattr(part, "model", ""))


def measurable(name: str) -> bool:
    """Whether what this system needs is installed."""
    return not neural(name) or not obstacle()


def obstacle() -> object:
    """Returns why the neural model cannot read here; None if it can."""
    if not packs.is_installed("e5"):
        return "the pack is left out"
    from lab_packs.e5.embedder import obstacle

    return obstacle()


def names() -> list[str]:
    """The staff handbook and every folder of LAB_COLLECTIONS that holds documents and judgments."""
    root = Path(os.environ.get("LAB_COLLECTIONS", ""))
    judged = ("corpus.jsonl", "qrels/test.tsv")
    folders = [p.name for p in root.iterdir() if all((p / f).is_file() for f in judged)] if root.name else []
    return sorted([*folders, "staff"]) if folders else []


def neural(system: str) -> bool:
    """Whether a system has the neural model read the corpus, each sentence of it."""
    return system.startswith(E5) or "neural" in system


# ------------------------------------------------------------------------------------------------- measuring


def drawn(n: int) -> NDArray[np.float64]:
    """How often each of ``n`` questions is taken in each resample, as shares, shape [RESAMPLES, n]; always the same."""
    return np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=RESAMPLES) / n


def interval(values: NDArray[np.float64], shares: NDArray[np.float64]) -> Figures:
    """The mean with the bounds of its 95 % interval, by the percentiles of the resamples' means."""
    low, high = np.percentile(shares @ values, (2.5, 97.5))
    return {"mean": float(values.mean()), "low": float(low), "high": float(high)}


def measure(name: str, limit: int | None, wanted: Mapping[str, Searcher]) -> Figures:
    """The figures of one collection: per system nDCG@10, and its difference to the first, each with its interval."""
    start = time.perf_counter()
    collection = common.load(name)
    asked = collection.judged[:limit]
    qrels = {q.id: collection.qrels[q.id] for q in asked}
    runs = run_many(wanted, collection.corpus, asked)
    scores = {system: measure_run(run, qrels, [MEASURE]).per_query[MEASURE] for system, run in runs.items()}
    order = list(scores[FIRST])
    values = {system: np.array([own[q] for q in order]) for system, own in scores.items()}
    shares = drawn(len(order))
    return {
        "questions": len(order),
        "whole": limit is None or limit >= len(collection.judged),
        "documents": len(collection.corpus),
        "seconds": round(time.perf_counter() - start, 1),
        "systems": {
            system: interval(own, shares) | {"away": interval(own - values[FIRST], shares)}
            for system, own in values.items()
        },
    }


# ---------------------------------------------------------------------------------------------------- report


def table(kept: Figures, *, away: bool) -> str:
    """One row per system, one column per collection: the mean, or its difference to the first row, and the bounds."""
    found: dict[str, Figures] = kept["collections"]
    heads = [f"{name} ({own['questions']})" for name, own in found.items()]
    form = "+.3f" if away else ".3f"
    lines = ["| system | " + " | ".join(heads) + " |", "|---|" + "--:|" * len(heads)]
    for system in kept["searches"]:
        measured = [of["systems"].get(system) for of in found.values()]
        own = [x["away"] if x and away else x for x in measured]
        cells = [f"{x['mean']:{form}} ({x['low']:{form}} to {x['high']:{form}})" if x else "–" for x in own]
        if any(own) and (not away or system != FIRST):
            lines.append(f"| {system} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def report(kept: Figures) -> str:
    """The section for benchmarks/results."""
    parts = [name for name, own in kept["collections"].items() if not own["whole"]]
    introduction = (
        f"`LAB_COLLECTIONS=... python -m benchmarks.quality --write`: {MEASURE} over all judged questions "
        f"(number in brackets),\nwith the 95% CI from {RESAMPLES} resamples of the questions."
        + (f" Only the first questions of {', '.join(parts)} were run." if parts else "")
        + f" {kept['machine']}.\nThe built-in vectors were trained on about 72% of the statutes behind stard_pool, "
        "not on its questions.\n`quality.json` has the figures, with every system as an expression."
    )
    return "\n\n".join(
        [
            introduction,
            table(kept, away=False),
            f"The difference from “{FIRST}”, question by question:",
            table(kept, away=True),
        ]
    )


def broken(found: Mapping[str, Figures]) -> list[str]:
    """The promises that do not hold on the collections that were measured whole."""
    return [
        f"{system} reaches {least} on {name} ({reached:.4f})"
        for system, wanted in PROMISES.items()
        for name, least in wanted.items()
        if name in found and found[name]["whole"] and system in found[name]["systems"]
        if round(reached := found[name]["systems"][system]["mean"], 3) < least
    ]


def remembered() -> Figures:
    """What is kept, as far as it was measured with the systems of today."""
    searches = {name: formats.expression(search) for name, search in systems().items()}
    settings = {name: fingerprint(search) for name, search in systems().items()}
    today: Figures = {"searches": searches, "settings": settings}
    kept: Figures = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    before = kept.get("settings", {})
    same = {name for name, own in settings.items() if before.get(name) == own}
    collections = {}
    for name, own in kept.get("collections", {}).items() if FIRST in same else ():
        collections[name] = own | {"systems": {x: y for x, y in own["systems"].items() if x in same}}
    machine = {"machine": kept["machine"]} if collections else {}
    return today | {"collections": collections} | machine


def fingerprint(search: Searcher) -> str:
    """Returns a mark of all parameters of a search; an expression leaves out those that have their default."""
    return hashlib.sha256(spelled(search).encode("utf-8")).hexdigest()[:16]


def joined(before: Figures | None, now: Figures) -> Figures:
    """The figures of a collection with those that were measured now, where the same questions were asked."""
    if before is None or before["questions"] != now["questions"]:
        return now
    return before | {"systems": before["systems"] | now["systems"]}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collections", nargs="+", metavar="NAME", help="folders of LAB_COLLECTIONS (default: all)")
    parser.add_argument("--systems", nargs="+", metavar="TEXT", help="only those with one of these in their names")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N judged questions of each")
    parser.add_argument("--write", action="store_true", help="keep the figures; put the tables into benchmarks/results")
    parser.add_argument("--json", action="store_true", help="print the figures instead of the tables")
    options = parser.parse_args(arguments)
    common.one_thread()
    wanted = options.collections or names()
    if not wanted:
        sys.exit("Set LAB_COLLECTIONS to the folder of the test collections (see benchmarks/README.md).")
    found = {}
    parts = [FIRST, *(options.systems or [""])]
    searches = {n: s for n, s in systems().items() if measurable(n) and any(part in n for part in parts)}
    for name in wanted:
        own = {n: s for n, s in searches.items() if options.systems or name not in LONG or not neural(n)}
        found[name] = measure(name, options.limit, own)
        print(f"{name}: {found[name]['seconds']:.0f} s", file=sys.stderr, flush=True)
    kept = remembered()
    before = kept["collections"] if options.write else {}
    now = {name: joined(before.get(name), own) for name, own in found.items()}
    kept["collections"] = dict(sorted((before | now).items()))
    kept["machine"] = kept.get("machine") if options.systems and kept.get("machine") else common.machine()
    if options.write:
        FILE.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", "utf-8")
        common.write(HEADING, report(kept))
    print(json.dumps(kept, ensure_ascii=False, indent=1) if options.json else report(kept))
    missed = broken(found)
    return common.verdict(missed)


if __name__ == "__main__":
    sys.exit(main())
