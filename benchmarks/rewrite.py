"""What the offline rules of query rewriting gain and lose: where they always rewrite, and as shipped.

    LAB_COLLECTIONS=... python -m benchmarks.rewrite [handbook devices ...] [--most 1700] [--write]

The sample corpora and every folder of LAB_COLLECTIONS with judgments, unless some are named.  Every n-th question is
asked, the n such that there are ``--most`` of them at most.  Lists of several wordings are merged by RRF (k = 60) where
the row does not say otherwise, 100 deep.  ``--write`` puts the tables into benchmarks/results.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection as Ids
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from benchmarks import common, quality
from lab.algebra import Pipeline, Searcher
from lab.corpus import samples
from lab.evaluate.measures import Scores, measure_run
from lab.evaluate.runs import run_many
from lab.fuse import BestScore
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.rewrite.base import PromptRewriter
from lab.rewrite.domain import DomainVocabulary, adapters
from lab.rewrite.hyde import HyDE
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.query2doc import Query2Doc
from lab.rewrite.step_back import StepBack
from lab.rewrite.sub_questions import SubQuestions

HEADING = "Query rewriting by rule: what it gains and what it costs"
MEASURES = ("nDCG@10", "R@10")
SEARCHES: dict[str, Pipeline] = {
    "multi-query": MultiQuery()(BM25()),
    "multi-query, best score": MultiQuery()(BM25(), merge=BestScore()),
    "sub-questions": SubQuestions()(BM25()),
    "step back, 5 + 3 documents": StepBack()(BM25()),
    "step back, whole lists": StepBack(abstract_k=50, concrete_k=50)(BM25()),
    "query to document": Query2Doc()(BM25()),
    "hypothetical documents": HyDE()(BM25()),
    **{f"industry: {name}": DomainVocabulary(adapter=adapter)(BM25()) for name, adapter in adapters().items()},
    "multi-query over vectors": MultiQuery()(Vector()),
    "hypothetical documents over vectors, their mean": HyDE()(Vector()),
}
TYPES = ("colloquial", "synonym", "crosslingual", "plain", "code", "multi", "negation", "ambiguous")
"""Of the questions of the sample corpora."""
INTRODUCTION = """\
`LAB_COLLECTIONS=... python -m benchmarks.rewrite --most {most} --write`. The change that each rule makes to the
result of the unchanged question: always rewriting → as shipped. As shipped, a rule abstains if the question's own words
find enough (`enough` {enough:g}, see `lab/rewrite/base.py`), and leaves lists that search by meaning unchanged. No
language model is used; rules learn from the first results of the built-in vectors. The lists of all rewrites and of the
question itself, 100 results each, are merged by RRF (k = 60) unless the row says best score; query to document is a
single query. In brackets: the number of questions, every n-th of the larger collections. {machine}."""
HALVES = """\
**Two halves.** With `enough` up to 0.75 (0.5, 0.55, … 1.0 were tried, on up to 300 questions of each collection), no
rule loses 0.01 on the first half, every second question. On the other half, hypothetical documents then lose 0.017 on
xquad_zh. So `enough` is 0.65, chosen on both halves, with a margin."""
LEAST = -0.01
"""A rule as shipped, by a fusion that compares what can be compared, must not change nDCG@10 by less than this."""


def always(search: Pipeline) -> Pipeline:
    """The same where the rule abstains from nothing."""
    assert isinstance(search.rewrite, PromptRewriter)
    return replace(search, rewrite=replace(search.rewrite, abstains=False))


@dataclass(frozen=True)
class Told:
    """One collection: the scores of every search by its name, raw, always rewritten, as shipped."""

    name: str
    documents: int
    groups: Mapping[str, Sequence[str]]
    raw: Mapping[str, Scores]
    always: Mapping[str, Scores]
    shipped: Mapping[str, Scores]
    asked: Mapping[str, float]
    ms: Mapping[str, float]

    @property
    def head(self) -> str:
        return f"{self.name} ({len(self.groups['all'])})"

    def mean(self, scores: Scores, measure: str, ids: Ids[str]) -> float:
        return sum(scores.per_query[measure][q] for q in ids) / len(ids)

    def change(self, search: str, scores: Scores, measure: str, ids: Ids[str]) -> float:
        """What rewriting adds to the mean of these questions."""
        return self.mean(scores, measure, ids) - self.mean(self.raw[search], measure, ids)


def measured(name: str, most: int) -> Told:
    """Every search on one collection."""
    collection = common.load(name)
    asked = collection.judged[:: -(-len(collection.judged) // most)]
    kinds = TYPES if name in samples.names() else ()
    groups = {kind: [q.id for q in asked if q.metadata.get("type") == kind] for kind in kinds}
    groups = {kind: ids for kind, ids in groups.items() if ids} | {"all": [q.id for q in asked]}
    searches: dict[str, Searcher] = {}
    for row, search in SEARCHES.items():
        searches |= {f"{row}/raw": search.without("rewrite"), f"{row}/always": always(search), row: search}
    runs = run_many(searches, collection.corpus, asked, k=100)
    qrels = {q.id: collection.qrels[q.id] for q in asked}
    scores = {row: measure_run(run, qrels, list(MEASURES)) for row, run in runs.items()}
    raw, always_, shipped = ({row: scores[row + how] for row in SEARCHES} for how in ("/raw", "/always", ""))
    other = {row: sum(runs[row].results[q.id] != runs[f"{row}/raw"].results[q.id] for q in asked) for row in SEARCHES}
    return Told(
        name,
        len(collection.corpus),
        groups,
        raw,
        always_,
        shipped,
        {row: n / len(asked) for row, n in other.items()},
        {row: 1000 * runs[row].seconds / len(asked) for row in SEARCHES},
    )


def _table(heads: Sequence[str], rows: Mapping[str, Sequence[str]]) -> str:
    lines = ["| | " + " | ".join(heads) + " |", "|---|" + "--:|" * len(heads)]
    return "\n".join([*lines, *(f"| {row} | " + " | ".join(cells) + " |" for row, cells in rows.items())])


def _raw(found: Sequence[Told], measure: str, groups: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The rows of the question as it is, by words and by vectors."""
    first = {search.retrieve[0]: row for row, search in reversed(SEARCHES.items())}
    return {
        f"as it is, {searcher.label}": [
            f"{one.mean(one.raw[row], measure, one.groups[kind]):.3f}" for one in found for kind in groups[one.name]
        ]
        for searcher, row in reversed(first.items())
    }


def changes(found: Sequence[Told], measure: str, kinds: Sequence[str] = ("all",)) -> str:
    """Per rule what it changes: always rewriting → as shipped."""
    groups = {one.name: [kind for kind in kinds if kind in one.groups] for one in found}
    heads = [
        one.head if kinds == ("all",) else f"{one.name}: {kind} ({len(one.groups[kind])})"
        for one in found
        for kind in groups[one.name]
    ]
    rows = _raw(found, measure, groups)
    for row in SEARCHES:
        rows[row] = [
            " → ".join(
                f"{one.change(row, scores[row], measure, one.groups[kind]):+.3f}"
                for scores in (one.always, one.shipped)
            )
            for one in found
            for kind in groups[one.name]
        ]
    return _table(heads, rows)


def halves(found: Sequence[Told]) -> str:
    """What the rules as shipped change on every other question, from the first and from the second on."""
    rows = {
        row: [
            " / ".join(
                f"{one.change(row, one.shipped[row], MEASURES[0], one.groups['all'][half::2]):+.3f}" for half in (0, 1)
            )
            for one in found
        ]
        for row in SEARCHES
    }
    return _table([one.head for one in found], rows)


def effort(found: Sequence[Told]) -> str:
    """How often the list is another one as shipped, and what a question takes."""
    cells = {row: [f"{100 * one.asked[row]:.0f}%, {one.ms[row]:.0f} ms" for one in found] for row in SEARCHES}
    return _table([one.head for one in found], cells)


def report(found: Sequence[Told], most: int) -> str:
    """The section for benchmarks/results."""
    sampled = [one for one in found if one.name in samples.names()]
    parts = [
        INTRODUCTION.format(most=most, enough=MultiQuery().enough, machine=common.machine()),
        f"**{MEASURES[0]}**",
        changes(found, MEASURES[0]),
        f"**{MEASURES[1]}**",
        changes(found, MEASURES[1]),
    ]
    if sampled:
        for measure in MEASURES:
            parts += [f"**{measure}, by the type of the question**"]
            parts += [changes([x], measure, tuple(kind for kind in TYPES if kind in x.groups)) for x in sampled]
    parts += [
        f"{HALVES} {MEASURES[0]} as shipped on the first half / on the other:",
        halves(found),
        "**How often the list changes, as shipped,** and the milliseconds per question with all its searches:",
        effort(found),
    ]
    return "\n\n".join(parts)


def broken(found: Sequence[Told]) -> list[str]:
    """Where a rule as shipped does harm."""
    return [
        f"{row} changes {MEASURES[0]} by {change:+.4f} on {one.name}"
        for one in found
        for row, search in SEARCHES.items()
        if not isinstance(search.merge, BestScore)
        if (change := one.change(row, one.shipped[row], MEASURES[0], one.groups["all"])) < LEAST
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="*", help="names (default: the samples and all of LAB_COLLECTIONS)")
    parser.add_argument("--most", type=int, default=1700, metavar="N", help="so many questions of each at most")
    parser.add_argument("--write", action="store_true", help="put the tables into benchmarks/results")
    options = parser.parse_args(arguments)
    common.one_thread()
    found = []
    for name in options.collections or dict.fromkeys([*samples.names()[::-1], *quality.names()]):
        found.append(measured(name, options.most))
        print(name, file=sys.stderr, flush=True)
    if options.write:
        common.write(HEADING, report(found, options.most))
    print(report(found, options.most))
    missed = broken(found)
    return common.verdict(missed)


if __name__ == "__main__":
    sys.exit(main())
