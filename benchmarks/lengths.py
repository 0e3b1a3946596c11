"""Lengths that spread: BM25's b and query likelihood where short and long passages lie together.

    LAB_COLLECTIONS=... python -m benchmarks.lengths [--questions 400] [--write]

nDCG@10 of each collection three times: alone; with the passages of the others in its language; with the sentences of
these passages instead, so that most passages are short and the judged ones are long.  ``spread`` is the mean number of
words in the longest tenth, divided by the median.  Three values of b that adapt are tried as well: b .75 divided by the
spread over that of usual passages (*spread*), or by one plus the variance of the lengths over their squared mean
(*variance*), and b .75 with a mean length for the passages of each collection (*kind*).  A value that adapts is worth
being the default only if it loses nowhere against b .75, b .25 and the likelihood; the program says where it does.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from benchmarks import common
from lab.algebra import NONE, Corpus, Document, Models, Progress, Searcher
from lab.corpus.beir import Collection
from lab.corpus.statistics import length_spread
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import run_many
from lab.evaluate.significance import compare
from lab.retrieve.lexical import BM25, LexicalIndex
from lab.retrieve.likelihood import QueryLikelihood
from lab.text.borders import sentences

HEADING, MEASURE = "Lengths that spread", "nDCG@10"
GROUPS = (("cmrc2018", "stard_pool", "xquad_zh"), ("cast_conv", "xquad_en"))
RIVALS = ("b .75", "b .25", "likelihood")
USUAL = 2.5
"""The spread of collections of one kind."""


@dataclass(frozen=True)
class Adaptive(BM25):
    """BM25 whose b depends on the lengths of the corpus (``by``: spread, variance), or a mean length per kind."""

    by: str = "spread"

    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> LexicalIndex:
        index = super().index(corpus, models=models, progress=progress)
        lengths, b = index.matrix.lengths, self.b
        means = np.full(len(lengths), lengths.mean())
        if self.by == "kind":
            kinds = np.array([d.metadata["kind"] for d in corpus])
            for kind in set(kinds.tolist()):
                means[kinds == kind] = lengths[kinds == kind].mean()
        elif self.by == "variance":
            b /= 1 + lengths.var() / lengths.mean() ** 2
        else:
            b /= max(1.0, length_spread(lengths.tolist()) / USUAL)
        return replace(index, norms=1 - b + b * lengths / means)


SEARCHES: dict[str, Searcher] = {
    "b .75": BM25(),
    "b .5": BM25(b=0.5),
    "b .25": BM25(b=0.25),
    "likelihood": QueryLikelihood(),
    **{f"adaptive, {by}": Adaptive(by=by) for by in ("spread", "variance", "kind")},
}


def documents(collection: Collection, *, cut: bool) -> list[Document]:
    """The passages of a collection, or their sentences, with the collection as their kind."""
    rows = list[Document]()
    for d in collection.corpus:
        texts = [d.content[a:b].strip() for a, b in sentences(d.content)] if cut else [d.content]
        rows += [
            Document(f"{collection.name}/{d.id}/{i}", text, metadata={"kind": f"{collection.name} {cut}"})
            for i, text in enumerate(texts)
            if text
        ]
    return rows


def corpora(name: str, group: tuple[str, ...]) -> dict[str, Corpus]:
    """The three corpora of a collection, by what was added."""
    own = documents(common.load(name), cut=False)
    others = [common.load(other) for other in group if other != name]
    whole, short = ([d for c in others for d in documents(c, cut=cut)] for cut in (False, True))
    added = {"alone": [], "with passages": whole, "with sentences": short}
    return {what: Corpus(what, (*own, *more)) for what, more in added.items()}


def measure(questions: int) -> tuple[list[str], list[str]]:
    """Returns the rows of the table, and where a value that adapts loses."""
    rows, losses = list[str](), list[str]()
    for name, group in [(name, names) for names in GROUPS for name in names]:
        collection = common.load(name)
        judged = list(collection.judged)
        asked = random.Random(0).sample(judged, min(questions, len(judged)))
        qrels = {q.id: {f"{name}/{d}/0": g for d, g in collection.qrels[q.id].items()} for q in asked}
        for what, corpus in corpora(name, group).items():
            runs = run_many(SEARCHES, corpus, asked, k=10)
            scores = {search: measure_run(run, qrels, [MEASURE]) for search, run in runs.items()}
            spread = length_spread(BM25().index(corpus).matrix.lengths.tolist())
            values = " | ".join(f"{score.means[MEASURE]:.3f}" for score in scores.values())
            rows.append(f"| {name}, {what} | {len(corpus):,} | {spread:.1f} | {values} |")
            print(rows[-1], flush=True)
            for rival, search in product(RIVALS, scores):
                difference = compare(scores[rival], scores[search], MEASURE)
                if search.startswith("adaptive") and (difference.high or 0.0) < 0:
                    losses.append(f"{search} against {rival}: {name}, {what} ({difference.mean:+.3f})")
    return rows, losses


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/results")
    given = parser.parse_args()
    common.one_thread()
    rows, losses = measure(given.questions)
    head = ["", f"| {MEASURE} | passages | spread | {' | '.join(SEARCHES)} |", f"|---|{'--:|' * (len(SEARCHES) + 2)}"]
    lost = [f"Significantly worse: {'; '.join(losses) or 'nowhere'}."]
    text = "\n".join([(__doc__ or "").strip(), *head, *rows, "", *lost])
    print(text)
    if given.write:
        common.write(HEADING, text, peers=())
    return 0


if __name__ == "__main__":
    sys.exit(main())
