"""What searches answer to every query of a collection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from lab.core import NONE, Corpus, Models, Progress, Query, Ranking, Rewrite, Searcher, at_least
from lab.pipeline import Runner


@dataclass(frozen=True)
class Run:
    """Per query the (document id, score) pairs, best first; an empty tuple where nothing was found.

    ``seconds`` is the time that all its parts took, whether other searches shared them or not; ``problems`` are, by
    query, the models that failed to rewrite it.  Neither takes part in comparisons.
    """

    name: str
    results: Mapping[str, tuple[tuple[str, float], ...]] = field(hash=False)
    seconds: float = field(default=0.0, compare=False)
    problems: Mapping[str, Exception] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "results", MappingProxyType({q: tuple(hits) for q, hits in self.results.items()}))

    def __len__(self) -> int:
        return len(self.results)

    @staticmethod
    def of(name: str, rankings: Mapping[str, Ranking]) -> Run:
        """A run from rankings by query id."""
        results = {q: tuple((h.document.id, h.score) for h in ranking.hits) for q, ranking in rankings.items()}
        steps = [(q, step.evidence, step.seconds) for q, ranking in rankings.items() for step in ranking.lineage()]
        problems = {q: told.problem for q, told, _ in steps if isinstance(told, Rewrite) and told.problem}
        return Run(name, results, sum(seconds for *_, seconds in steps), problems)


def each(
    searchers: Mapping[str, Searcher],
    corpus: Corpus,
    queries: Iterable[Query],
    *,
    k: int = 100,
    models: Models = NONE,
    progress: Progress | None = None,
) -> Iterator[tuple[Query, dict[str, Ranking]]]:
    """Every query with its ranking by every search; what the searches have in common is made once per query.

    Indexes are kept, rankings are not.  ``progress`` is called with (done, total) after each query and may raise to
    stop.  Raises `ParameterError` for k < 1.
    """
    at_least("k", k, 1)
    asked = list(queries)
    runner = Runner(corpus, models=models, explain=False, patient=True)
    for number, query in enumerate(asked, 1):
        yield query, {name: runner(searcher, query, k) for name, searcher in searchers.items()}
        runner.forget()
        if progress:
            progress(number, len(asked))


def run_many(
    searchers: Mapping[str, Searcher],
    corpus: Corpus,
    queries: Iterable[Query],
    *,
    k: int = 100,
    models: Models = NONE,
    progress: Progress | None = None,
) -> dict[str, Run]:
    """One run per search, by its name: see `each`."""
    results: dict[str, dict[str, tuple[tuple[str, float], ...]]] = {name: {} for name in searchers}
    seconds, problems = dict.fromkeys(searchers, 0.0), dict[str, dict[str, Exception]]((n, {}) for n in searchers)
    for query, rankings in each(searchers, corpus, queries, k=k, models=models, progress=progress):
        for name, ranking in rankings.items():
            one = Run.of(name, {query.id: ranking})
            results[name] |= one.results
            seconds[name] += one.seconds
            problems[name] |= one.problems
    return {name: Run(name, results[name], seconds[name], problems[name]) for name in searchers}
