"""What each part of a search is worth: the search is measured as a whole, and again without each part in turn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lab.core import NONE, Corpus, Models, Operator, Progress, Query, Searcher
from lab.errors import LabError, PipelineError
from lab.evaluate.measures import Qrels, measure_run
from lab.evaluate.runs import run_many
from lab.evaluate.significance import Difference, compare
from lab.pipeline import Pipeline, Runner
from lab.words import Said


@dataclass(frozen=True)
class Variant:
    """A search that lacks one part, and its mean and its milliseconds per query.

    ``difference`` is this search against the whole one, so that its ``better`` questions are won by leaving the part
    out, and its ``worse`` ones lost.
    """

    path: str
    part: Operator
    search: Pipeline
    value: float
    query_ms: float
    difference: Difference

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain values."""
        d = self.difference
        own = {"without": self.path, "part": self.part.label, "value": self.value, "query_ms": self.query_ms}
        counts = {"difference": d.mean, "won": d.better, "equal": d.equal, "lost": d.worse}
        return {**own, **counts, "low": d.low, "high": d.high, "p": d.p}


@dataclass(frozen=True)
class Ablation:
    """The whole search in one measure over ``queries`` questions, and its variants in the order of its parts.

    ``kept`` are the parts that cannot be left out: path, operator, and why.
    """

    search: Pipeline
    measure: str
    queries: int
    value: float
    query_ms: float
    variants: tuple[Variant, ...]
    kept: tuple[tuple[str, Operator, Said], ...]

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain values, ready for JSON."""
        whole = {"measure": self.measure, "value": self.value, "query_ms": self.query_ms}
        kept = [{"path": path, "part": part.label, "reason": reason} for path, part, reason in self.kept]
        return {**whole, "variants": [v.to_dict() for v in self.variants], "kept": kept}


def ablate(
    search: Searcher,
    corpus: Corpus,
    queries: Iterable[Query],
    qrels: Qrels,
    *,
    measure: str = "nDCG@10",
    k: int = 100,
    models: Models = NONE,
    progress: Progress | None = None,
) -> Ablation:
    """Measure a search whole and without each of its parts, in one run: what the variants share is made once.

    A part cannot be left out where nothing would be left, and where the list would no longer be one of documents of
    the corpus that the whole search answers from.  Raises `PipelineError` for a search that has no parts,
    `EvaluationError` as `measure_run` does.
    """
    if not isinstance(search, Pipeline):
        said = Said("{name} has no parts that could be left out.", name=type(search).__name__)
        raise PipelineError(said, Said("Give a pipeline."))
    asked = [q for q in queries if any(grade > 0 for grade in qrels.get(q.id, {}).values())]
    searches, kept = {"": search}, list[tuple[str, Operator, Said]]()
    runner = Runner(corpus, models=models, explain=False)  # what loads is loaded before anything is measured
    first = [(query, runner(search, query, k).corpus.fingerprint) for query in asked[:1]]
    for path, part in search.parts():
        try:
            less = search.without(path)
            if any(runner(less, query, k).corpus.fingerprint != whole for query, whole in first):
                raise PipelineError(Said("The list would be one of other documents."))
            searches[path] = less
        except LabError as error:
            kept.append((path, part, error.message))
    runs = run_many(searches, corpus, asked, k=k, models=models, progress=progress)
    counted = {q.id: qrels[q.id] for q in asked}
    scores = {path: measure_run(run, counted, (measure,)) for path, run in runs.items()}
    means = {path: own.means[measure] for path, own in scores.items()}
    ms = {path: 1000 * run.seconds / max(1, len(run)) for path, run in runs.items()}
    variants = tuple(
        Variant(path, part, searches[path], means[path], ms[path], compare(scores[""], scores[path], measure))
        for path, part in search.parts()
        if path in searches
    )
    return Ablation(search, measure, len(asked), means[""], ms[""], variants, tuple(kept))
