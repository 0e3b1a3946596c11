"""What fewer bits cost: the quality of compressed vectors over the questions of a corpus, beside their size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from lab.algebra import Corpus, Document, Hit, Progress, Query, Ranking, Runner
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import Run
from lab.retrieve.vector import Vector
from lab_packs.inside.compressed import Compressed

K = 10
"""Results that are compared with those of the exact list."""
MEASURE = f"nDCG@{K}"
RECALL = f"recall@{K}"
"""The share of the first results of the exact list that a list has among its own first ones."""


@dataclass(frozen=True)
class Quality:
    """How good the lists of one search are: ``gain`` is nDCG@10, None without judgments; ``recall`` is recall@10.

    ``bytes`` is the index size per passage, ``ms`` the median time per question.
    """

    search: Compressed | Vector
    bytes: int
    gain: float | None
    recall: float
    ms: float

    def value(self, measure: str) -> float | None:
        return self.gain if measure == MEASURE else self.recall


def exact_lists(corpus: Corpus, exact: Vector, questions: Sequence[Query], *, progress: Progress | None = None) -> Run:
    """Returns the first ten of the exact list for every question."""
    return _lists(exact, corpus, "exact", questions, progress)


def quality_of(
    search: Compressed | Vector,
    corpus: Corpus,
    questions: Sequence[Query],
    grades: Mapping[str, Mapping[str, int]],
    exact: Run,
    *,
    progress: Progress | None = None,
) -> Quality:
    """Returns the quality of a search over these questions, against judgments and against the exact lists."""
    if isinstance(search, Vector):
        lists, size = exact, 4 * search.index(corpus, progress=progress).encoder.dimensions
    else:
        index = search.index(corpus, progress=progress)
        lists, size = _lists(search, corpus, "own", questions, progress), index.sizes.bytes
    judged = {
        query.id: grades[query.id] for query in questions if any(g > 0 for g in grades.get(query.id, {}).values())
    }
    gain = None
    if judged:
        own = Run("own", {i: lists.results.get(i, ()) for i in judged})
        gain = measure_run(own, judged, [MEASURE]).means[MEASURE]
    shares = [
        len({d for d, _ in lists.results[query.id]} & {d for d, _ in found}) / len(found)
        for query in questions
        if (found := exact.results[query.id])
    ]
    times = lists.ms
    return Quality(search, size, gain, fmean(shares) if shares else 1.0, times[0] if times else 0.0)


def _lists(
    search: Compressed | Vector, corpus: Corpus, name: str, questions: Sequence[Query], progress: Progress | None
) -> Run:
    runner, rankings = Runner(corpus, explain=False, progress=progress), {}
    for i, query in enumerate(questions):
        rankings[query.id] = runner(search, query, K)
        if progress:
            progress(i + 1, len(questions))
    return Run.of(name, rankings)


# ------------------------------------------------------------------------------------------------------ one question


@dataclass(frozen=True)
class Loss:
    """A document among the first ten of the exact list that another list does not have there.

    ``rank`` and ``cosine`` are the exact ones; ``coded`` is the rank in the other list, None where that ends before.
    ``score`` is what the document has there.
    """

    document: Document
    rank: int
    cosine: float
    coded: int | None
    score: float | None


def losses(exact: Ranking, own: Ranking, k: int = K) -> tuple[Loss, ...]:
    """Returns what the first ``k`` of ``own`` lack of the first ``k`` of the exact list, best first."""
    first = set(own.ids[:k])

    def one(rank: int, hit: Hit) -> Loss:
        there = own.hit(hit.document.id)
        return Loss(hit.document, rank, hit.score, own.rank(hit.document.id), there.score if there else None)

    hits = enumerate(exact.hits[:k], 1)
    return tuple(one(rank, hit) for rank, hit in hits if hit.document.id not in first)
