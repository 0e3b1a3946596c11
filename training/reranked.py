"""Step 3 of the cross-encoder: what it does to BM25's first 50, held against soft word matching.

    LAB_COLLECTIONS=COLLECTIONS python -m training.reranked --model READER.npz [--questions N] [NAME ...]

nDCG@10 on every collection and on the samples, paired over the questions, p by Student's t corrected by Holm for the
collections; and on `order_pairs` how often the passage that answers scores higher than the same words in another order.
It trains nothing, and no training reads any of these questions.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lab.algebra import Pipeline, Searcher
from lab.corpus import beir, samples
from lab.evaluate.measures import Scores, measure_run
from lab.evaluate.runs import Run, each
from lab.evaluate.significance import compare, holm
from lab.fuse import normalise
from lab.models.pair_reader import PairReader
from lab.refine.coverage import MaxSim
from lab.retrieve.lexical import BM25
from training.order_pairs import order_pairs
from training.weights import rarity

MEASURE, DEPTH = "nDCG@10", 50
SOFT = "soft coverage"
SEARCHES: Mapping[str, Searcher] = {"BM25": BM25(), SOFT: Pipeline((BM25(),), depth=DEPTH) >> MaxSim()}
WEIGHTS = {"model": 1.0, "half model": 0.5, "0.3 model": 0.3, "0.2 model": 0.2}
"""Of the model beside BM25's score, both by min-max over the list; soft coverage has a half."""
SETS_BETTER, PAIRS_RIGHT = 4, 0.75
"""To ship, a model is better than soft coverage on so many sets, worse on none, and right on so many order pairs."""


class Row(NamedTuple):
    """One way of reranking on one collection."""

    collection: str
    questions: int
    mean: float
    difference: float
    p: float
    """Corrected by Holm; 1 where nothing differs."""


def scored(name: str, model: PairReader, most: int | None, *, rare: bool = True) -> dict[str, Scores]:
    """Returns the measure of every way, question by question; ``rare``: the model knows how rare words are."""
    collection = (
        samples.load(name) if name in samples.names() else beir.load(Path(os.environ["LAB_COLLECTIONS"]) / name)
    )
    asked = sorted(collection.judged, key=lambda q: zlib.crc32(q.id.encode()))[:most]
    if rare:
        numbers = model.encoder.numbers([document.content for document in collection.corpus])
        model.rare = rarity(numbers, len(model.rare))
    results: dict[str, dict[str, tuple[tuple[str, float], ...]]] = {way: {} for way in (*SEARCHES, *WEIGHTS)}
    for query, rankings in each(SEARCHES, collection.corpus, asked, k=DEPTH):
        for way, ranking in rankings.items():
            results[way][query.id] = tuple((hit.document.id, hit.score) for hit in ranking.hits[:10])
        hits = rankings["BM25"].hits[:DEPTH]
        scores = model.scores(query.text, [hit.document.content for hit in hits])
        both = [np.asarray(normalise(list(s), "min-max")) for s in (scores, [hit.score for hit in hits])]
        for way, weight in WEIGHTS.items():
            mixed = weight * both[0] + (1 - weight) * both[1]
            best = np.argsort(-mixed, kind="stable")[:10]
            results[way][query.id] = tuple((hits[i].document.id, float(mixed[i])) for i in best)
    qrels = {q.id: collection.qrels[q.id] for q in asked}
    return {way: measure_run(Run(way, result), qrels, [MEASURE]) for way, result in results.items()}


def rows(found: Mapping[str, Mapping[str, Scores]], way: str) -> list[Row]:
    """Returns a way of reranking beside soft coverage, collection by collection."""
    away = {name: compare(scores[SOFT], scores[way], MEASURE) for name, scores in found.items()}
    ps = [1.0 if d.p is None else d.p for d in away.values()]
    corrected = zip(away.items(), holm(ps), strict=True)
    return [Row(n, len(d), found[n][way].means[MEASURE], d.mean, 1.0 if p is None else p) for (n, d), p in corrected]


def verdict(table: Sequence[Row]) -> tuple[int, int]:
    """Returns on how many collections a way is better than soft coverage, and on how many worse, both beyond chance."""
    sure = [row for row in table if row.p < 0.05]
    return sum(row.difference > 0 for row in sure), sum(row.difference < 0 for row in sure)


def ordered(model: PairReader) -> dict[str, float]:
    """Returns by language how often the right one of two passages of the same words scores higher."""
    shares = {}
    for language in ("en", "zh"):
        scores = [model.scores(pair.question, pair[1:]) for pair in order_pairs(language)]
        shares[language] = float(np.mean([right > wrong for right, wrong in scores]))
    return shares


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="collections and samples (default: all)")
    parser.add_argument("--model", type=Path, required=True, help="what training.cross_encoder left: reader.npz")
    parser.add_argument("--questions", type=int, help="so many of each at most")
    parser.add_argument("--textbook", action="store_true", help="a model that is trained without rarity")
    parser.add_argument("--write", type=Path, help="leave the rows in this JSON file")
    options = parser.parse_args(arguments)
    model, start = PairReader(options.model), time.perf_counter()
    pairs = ordered(model)
    print("order pairs right: " + ", ".join(f"{language} {share:.2f}" for language, share in pairs.items()), flush=True)
    folders = sorted(Path(os.environ["LAB_COLLECTIONS"]).glob("*/qrels/test.tsv"))
    found = {}
    for name in options.names or [*(folder.parent.parent.name for folder in folders), *samples.names()]:
        found[name] = scored(name, model, options.questions, rare=not options.textbook)
        means = ", ".join(f"{way} {scores.means[MEASURE]:.4f}" for way, scores in found[name].items())
        print(f"{name}: {means} ({time.perf_counter() - start:.0f} s)", flush=True)
    tables = {way: rows(found, way) for way in WEIGHTS}
    for way, table in tables.items():
        better, worse = verdict(table)
        enough = better >= SETS_BETTER and not worse and np.mean([*pairs.values()]) >= PAIRS_RIGHT
        print(f"\n| {way} | questions | nDCG@10 | from soft coverage | p (Holm) |\n|---|---|---|---|---|")
        print(
            "\n".join(
                f"| {r.collection} | {r.questions} | {r.mean:.4f} | {r.difference:+.4f} | {r.p:.3f} |" for r in table
            )
        )
        print(f"better on {better}, worse on {worse}: {'ships' if enough else 'does not ship'}")
    if options.write:
        written = {way: [row._asdict() for row in table] for way, table in tables.items()}
        options.write.write_text(json.dumps({"order pairs": pairs, **written}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
