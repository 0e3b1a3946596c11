"""What a search answers to every query of a collection."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from lab.core import Index, Progress, Ranking, at_least
from lab.corpus.beir import Query

Results = Mapping[str, tuple[tuple[str, float], ...]]


@dataclass(frozen=True)
class Run:
    """Per query the (document id, score) pairs, best first; an empty tuple where nothing was found.

    ``seconds`` is the time all searches took; it does not take part in comparisons.
    """

    name: str
    results: Results = field(hash=False)
    seconds: float = field(default=0.0, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "results", MappingProxyType({q: tuple(hits) for q, hits in self.results.items()}))

    def __len__(self) -> int:
        return len(self.results)

    @staticmethod
    def of(name: str, rankings: Mapping[str, Ranking]) -> Run:
        """A run from rankings by query id."""
        results = {q: tuple((h.document.id, h.score) for h in ranking.hits) for q, ranking in rankings.items()}
        return Run(name, results, sum(ranking.seconds for ranking in rankings.values()))


def run(
    index: Index, queries: Iterable[Query], *, k: int = 100, name: str = "", progress: Progress | None = None
) -> Run:
    """Ask the index every query.  ``progress`` is called with (done, total) after each and may raise to stop.

    ``name`` is the retriever's label where it is not given.  Raises `ParameterError` for k < 1.
    """
    at_least("k", k, 1)
    asked = list(queries)
    results: dict[str, tuple[tuple[str, float], ...]] = {}
    start = time.perf_counter()
    for number, query in enumerate(asked, 1):
        ranking = index.search(query.text, k=k, explain=False)
        results[query.id] = tuple((hit.document.id, hit.score) for hit in ranking.hits)
        if progress:
            progress(number, len(asked))
    return Run(name or index.operator.label, results, time.perf_counter() - start)
