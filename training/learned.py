"""The weights of `lab.refine.learned.Learned`, from judged collections.

    python -m training.learned --work WORK [--set built-in|neural] [--collections FOLDER] [NAME ...] [--write]

Of every collection (BEIR layout) up to 400 judged questions, chosen by their checksum, each with the union of the
first 50 of BM25 and of the vectors (whole passage and best sentence).  The table tells nDCG@10 of
every collection under weights that were learned without it.  `--write` leaves weights of all collections with where
they come from in ``lab/refine/learned.json``.

The set ``neural`` has the cosine under multilingual-e5-small (extra ``e5``) as one more feature, and its first 50 among
the candidates: every passage is read once, some six a second.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import time
import zlib
from collections.abc import Mapping, Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from lab import formats
from lab.algebra import Query, Searcher
from lab.corpus import beir
from lab.corpus.beir import Collection
from lab.evaluate.learning import STRENGTH, Example, examples, fit
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import Run, run_many
from lab.fuse import RRF, WeightedSum
from lab.models.embedders import neural_model
from lab.refine import learned
from lab.refine.coverage import MaxSim
from lab.refine.learned import BUILT_IN, Learned, Weights
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.text import Analyzer

ANALYZER = Analyzer(bigrams=True, stem="snowball", simplified=True)
"""How the words of all features and searches are cut: the weights that ship were learned under these."""
FIRST: Searcher = RRF()(BM25(variant="lucene", analyzer=ANALYZER), Vector(pieces="best+whole"), depth=50)
BASELINES: Mapping[str, Searcher] = {
    "BM25": BM25(variant="lucene", analyzer=ANALYZER),
    "two lists and soft coverage": WeightedSum((2 / 3, 1 / 3))(
        BM25(variant="lucene", analyzer=ANALYZER), Vector(), depth=50
    )
    >> MaxSim(0.4, normalisation="none"),
}
LINEAR = Weights(bm25=0.4, whole=0.2, maxsim=0.4)
PRIOR = Weights(bm25=0.5, bm25_covered=5, pairs_covered=1, whole=1.6, sentence=1, maxsim=3)
"""What the weights are held at: a mix by hand that was good on seventeen collections in two languages and across them
(3 BM25, 1.6 cosine, 1 best sentence, 3 soft coverage, 0.5 neighbours); words have those weights where the best passage
covers half of the question, less where it covers less."""
NEURAL = Weights(bm25=0.1, bm25_covered=1.5, pairs_covered=0.4, whole=0.6, sentence=0.6, maxsim=2.5, neural=8)
"""The same with a neural feature, which has most of the weight; words as far as they cover.  Chosen from some thousand
that were drawn around a mix by hand, with an eye on the same collections: the means over them of the 529 that are good
on conversations and in English lie between .847 and .851."""
E5 = Vector(neural_model(), pieces="whole")
MEASURE = "nDCG@10"


class Set(NamedTuple):
    """One set of weights: its prior, from which its features are known, where its candidates come from, and what it is
    held against."""

    prior: Weights
    first: Searcher
    mixes: Mapping[str, Weights]
    baselines: Mapping[str, Searcher]


SETS: Mapping[str, Set] = {
    BUILT_IN: Set(PRIOR, FIRST, {"linear mix": LINEAR, "prior": PRIOR}, BASELINES),
    "neural": Set(
        NEURAL,
        RRF()(BM25(variant="lucene", analyzer=ANALYZER), Vector(pieces="best+whole"), E5, depth=50),
        {"without the neural feature": Weights.named(BUILT_IN), "prior": NEURAL},
        {"BM25": BASELINES["BM25"], "multilingual-e5-small": E5},
    ),
}


class Judged(NamedTuple):
    """A collection: its examples, the judgments of their questions, and the means of the baselines."""

    examples: list[Example]
    qrels: Mapping[str, Mapping[str, int]]
    baselines: dict[str, float]


def chosen(collection: Collection, most: int) -> list[Query]:
    """So many judged questions, in the order of the checksum of their ids."""
    return sorted(collection.judged, key=lambda q: zlib.crc32(q.id.encode()))[:most]


def read(folder: Path, work: Path, most: int, of: Set = SETS[BUILT_IN]) -> Judged:
    """The examples of a collection: made once and kept in ``work``, as long as collection and searches are the same."""
    collection = beir.load(folder)
    about = repr((collection.fingerprint, of.first, [*of.baselines.items()], ANALYZER, most)).encode()
    file = work / f"{folder.name}-{zlib.crc32(about):08x}.pickle"
    if not file.exists():
        start, queries = time.perf_counter(), chosen(collection, most)
        found = examples(of.first, Learned(of.prior, analyzer=ANALYZER), collection, queries)
        qrels = {q.id: collection.qrels[q.id] for q in queries}
        runs = run_many(of.baselines, collection.corpus, queries)
        means = {name: measure_run(run, qrels, [MEASURE]).means[MEASURE] for name, run in runs.items()}
        work.mkdir(parents=True, exist_ok=True)
        plain = {q: dict(grades) for q, grades in qrels.items()}
        file.write_bytes(pickle.dumps(Judged(found, plain, means)))
        print(f"{folder.name}: {len(queries)} questions, {time.perf_counter() - start:.0f} s", flush=True)
    made: Judged = pickle.loads(file.read_bytes())
    return made


def quality(judged: Judged, weights: Weights) -> float:
    """The mean of the measure over the questions of a collection."""
    run = Run("learned", {e.query: e.ranked(weights) for e in judged.examples})
    return measure_run(run, judged.qrels, [MEASURE]).means[MEASURE]


def left_out(found: Mapping[str, Judged], strength: float, of: Set = SETS[BUILT_IN]) -> dict[str, dict[str, float]]:
    """By collection: the baselines, the mixes by hand, and the weights learned from the other collections."""
    table = {}
    for name, judged in found.items():
        others = fit([j.examples for other, j in found.items() if other != name], start=of.prior, strength=strength)
        mixes = {**of.mixes, "learned": others}
        own = {column: quality(judged, weights) for column, weights in mixes.items()}
        table[name] = {column: round(value, 4) for column, value in (judged.baselines | own).items()}
    return table


def shown(table: Mapping[str, Mapping[str, float]]) -> str:
    """The table in Markdown, the mean last."""
    columns = list(next(iter(table.values())))
    mean = {c: sum(row[c] for row in table.values()) / len(table) for c in columns}
    rows = [f"| {name} | " + " | ".join(f"{row[c]:.4f}" for c in columns) + " |" for name, row in table.items()]
    head = f"| left out | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}"
    return "\n".join([head, *rows, "| mean | " + " | ".join(f"{mean[c]:.4f}" for c in columns) + " |"])


def write(file: Path, weights: Weights, provenance: Mapping[str, object], name: str = BUILT_IN) -> None:
    """Leave the weights under a name, beside the others that are there."""
    numbers = {name: round(value, 3) for name, value in vars(weights).items() if name != "vector" and round(value, 3)}
    told = json.loads(file.read_text("utf-8")) if file.exists() else {}
    told[name] = {"weights": numbers, "provenance": provenance}
    file.write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", "utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="the collections (default: all)")
    parser.add_argument("--set", choices=list(SETS), default=BUILT_IN, help="which weights")
    parser.add_argument("--work", type=Path, required=True, help="folder for the features")
    parser.add_argument("--collections", type=Path, default=os.environ.get("LAB_COLLECTIONS"))
    parser.add_argument("--questions", type=int, default=400, help="so many of every collection at most")
    parser.add_argument("--strength", type=float, default=STRENGTH, help="how strongly the prior holds them")
    parser.add_argument("--write", action="store_true", help="leave the weights in lab/refine/learned.json")
    told = parser.parse_args(arguments)
    folders = sorted(f.parent.parent for f in Path(told.collections).glob("*/qrels/test.tsv"))
    of = SETS[told.set]
    used = [folder for folder in folders if not told.names or folder.name in told.names]
    found = {folder.name: read(folder, told.work, told.questions, of) for folder in used}
    table = left_out(found, told.strength, of)
    print(shown(table))
    weights = fit([j.examples for j in found.values()], start=of.prior, strength=told.strength)
    print(formats.expression(weights))
    if told.write:
        provenance = {
            "collections": {name: len(judged.examples) for name, judged in found.items()},
            "date": date.today().isoformat(),
            "versions": {name: version(name) for name in ("numpy", "scipy")},
            "strength": told.strength,
            "prior": formats.expression(of.prior),
            "candidates": formats.expression(of.first),
            "analyzer": formats.expression(ANALYZER),
            "left out": table,
        }
        write(Path(learned.__file__).with_suffix(".json"), weights, provenance, told.set)


if __name__ == "__main__":
    main()
