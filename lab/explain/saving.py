"""What a `Selective` search saves on the judged questions, what that costs, and whether its predictor knows anything.

The cost is compared with skipping as many questions by chance: its expected measure lies between those of the two
searches, in proportion.  A predictor that is not better than that only skips, and a coin would do.
"""

from __future__ import annotations

from dataclasses import dataclass

from lab.algebra import NONE, Models, Progress, Ranking, Runner, Searcher
from lab.corpus.beir import Collection
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import Run
from lab.retrieve.selective import Predicted, Selective
from lab.words import N_, Said

MEASURE = "nDCG@10"


@dataclass(frozen=True)
class Saving:
    """The means of the first search, of the second, and of the selective one, over ``questions`` judged questions.

    ``skipped`` counts the questions without the second search; ``first_ms``, ``then_ms`` and ``ms`` are mean
    milliseconds per question.
    """

    questions: int
    skipped: int
    first: float
    then: float
    selective: float
    first_ms: float
    then_ms: float
    ms: float

    @property
    def by_chance(self) -> float:
        """The expected measure if as many questions were skipped by chance."""
        share = self.skipped / self.questions
        return share * self.first + (1 - share) * self.then

    @property
    def sentences(self) -> tuple[Said, ...]:
        """Describes what is saved, what it costs, and what chance would cost."""
        told = {"measure": MEASURE, "n": self.skipped, "total": self.questions}
        saved = N_(
            "Judged questions that skip the second search: {n} of {total}; "
            "{ms:.2f} ms per question in place of {then:.2f}."
        )
        cost = N_(
            "{measure} {selective:.3f}; always {always:.3f}, never {never:.3f}, as many skipped by chance {chance:.3f}."
        )
        numbers = {"selective": self.selective, "always": self.then, "never": self.first, "chance": self.by_chance}
        sentences = [Said(saved, ms=self.ms, then=self.then_ms, **told), Said(cost, **numbers, **told)]
        if 0 < self.skipped < self.questions and self.selective <= self.by_chance:
            sentences.append(Said("On these questions the predictor is no better than chance."))
        return tuple(sentences)


def saving(
    search: Selective, collection: Collection, *, models: Models = NONE, progress: Progress | None = None
) -> Saving | None:
    """Runs both searches and the selective one on all judged questions; None without any.

    The runner shares what the searches have in common, so their times differ only by the steps that they skip.
    """
    queries = collection.judged
    if not queries:
        return None
    searches: tuple[Searcher, ...] = (search.first, search.then, search)
    runner = Runner(collection.corpus, models=models, explain=False, patient=True)
    rows: tuple[dict[str, Ranking], ...] = ({}, {}, {})
    for searcher in searches:
        runner(searcher, queries[0])  # work that is done only once has no typical time
    for n, query in enumerate(queries, 1):
        runner.forget()
        for row, searcher in zip(rows, searches, strict=True):
            row[query.id] = runner(searcher, query)
        if progress:
            progress(n, len(queries))
    runs = [Run.of(str(i), row) for i, row in enumerate(rows)]
    qrels = {query.id: collection.qrels[query.id] for query in queries}
    first, then, selective = (measure_run(run, qrels, [MEASURE]).means[MEASURE] for run in runs)
    first_ms, then_ms, ms = (1000 * run.seconds / len(queries) for run in runs)
    skipped = sum(not ranking.evidence_as(Predicted).relaxed for ranking in rows[2].values())
    return Saving(len(queries), skipped, first, then, selective, first_ms, then_ms, ms)
