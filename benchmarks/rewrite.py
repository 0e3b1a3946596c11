"""What the offline rules of query rewriting gain and lose: recall@10 of every query, raw and rewritten.

    python -m benchmarks.rewrite [handbook devices stard_pool cast_conv] [--every 1]

The sample corpora are there; of the other collections those that LAB_COLLECTIONS leads to are used.  Lists of several
wordings are merged by RRF (k = 60) where the row does not say otherwise, 100 deep.  A cell is recall@10 raw →
rewritten, and in brackets how many queries got better and how many worse; milliseconds are those of the rewriting and
of all its searches.  ``--every n`` takes every n-th query of the large collections.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection as Ids
from collections.abc import Mapping

from benchmarks import common
from lab.corpus import samples
from lab.errors import LabError
from lab.evaluate.measures import Scores, measure_run
from lab.evaluate.runs import run_many
from lab.evaluate.significance import compare
from lab.fuse import BestScore
from lab.pipeline import Pipeline
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.rewrite.domain import DomainVocabulary, adapters
from lab.rewrite.hyde import HyDE
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.query2doc import Query2Doc
from lab.rewrite.step_back import StepBack
from lab.rewrite.sub_questions import SubQuestions

MEASURE = "R@10"
SEARCHES: dict[str, Pipeline] = {
    "multi-query, RRF": MultiQuery()(BM25()),
    "multi-query, best score": MultiQuery()(BM25(), merge=BestScore()),
    "sub-questions, RRF": SubQuestions()(BM25()),
    "step back, 5 + 3 documents": StepBack()(BM25()),
    "step back, whole lists": StepBack(abstract_k=50, concrete_k=50)(BM25()),
    "query to document": Query2Doc()(BM25()),
    "hypothetical documents, RRF": HyDE()(BM25()),
    **{f"industry: {name}": DomainVocabulary(adapter)(BM25()) for name, adapter in adapters().items()},
    "hypothetical documents, mean vector (over vectors)": HyDE()(Vector()),
    "multi-query, RRF (over vectors)": MultiQuery()(Vector()),
}
TYPES = ("colloquial", "synonym", "crosslingual", "plain", "code", "multi", "negation", "ambiguous")
"""Of the questions of the sample corpora."""


def cell(before: Scores, after: Scores, queries: Ids[str]) -> str:
    """``0.354 → 0.437 (3 ↑, 1 ↓)`` over these queries."""
    raw, rewritten = (
        Scores(scores.name, {}, {MEASURE: {q: scores.per_query[MEASURE][q] for q in queries}})
        for scores in (before, after)
    )
    d = compare(raw, rewritten, MEASURE)
    first = sum(raw.per_query[MEASURE].values()) / len(queries)
    return f"{first:.3f} → {first + d.mean:.3f} ({d.better} ↑, {d.worse} ↓)"


def table(name: str, every: int) -> str:
    """The table of one collection, as Markdown."""
    collection = common.load(name)
    sample = name in samples.names()
    asked = collection.judged if sample else collection.judged[::every]
    groups: Mapping[str, list[str]] = {
        **{kind: [q.id for q in asked if q.metadata.get("type") == kind] for kind in TYPES if sample},
        "all": [q.id for q in asked],
    }
    raw = {path.retrieve[0]: path.without("rewrite") for path in SEARCHES.values()}
    plain = {searcher.label: search for searcher, search in raw.items()}
    runs = run_many({**plain, **SEARCHES}, collection.corpus, asked, k=100)
    qrels = {q.id: collection.qrels[q.id] for q in asked}
    scores = {system: measure_run(run, qrels, [MEASURE]) for system, run in runs.items()}
    lines = [
        f"**{name}**, {len(collection.corpus)} documents\n",
        "| technique | " + " | ".join(f"{kind} ({len(ids)})" for kind, ids in groups.items()) + " | ms per query |",
        "|---|" + "---|" * (len(groups) + 1),
    ]
    for label, search in SEARCHES.items():
        before, after = scores[search.retrieve[0].label], scores[label]
        cells = [cell(before, after, ids) for ids in groups.values()]
        lines.append(f"| {label} | " + " | ".join(cells) + f" | {1000 * runs[label].seconds / len(asked):.0f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="*", default=[*samples.names()[::-1], "stard_pool", "cast_conv"])
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    for name in options.collections:
        try:
            print(f"\n{table(name, options.every)}", flush=True)
        except LabError as error:
            print(f"\n{name}: {error}")


if __name__ == "__main__":
    main()
