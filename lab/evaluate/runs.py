"""What searches answer to every query of a collection."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from lab.algebra import NONE, Corpus, Models, Progress, Query, Ranking, Rewrite, Runner, Searcher, counted

BEAT = 0.2
"""Seconds after which work within one question says that it is alive, so that it can be stopped."""


@dataclass(frozen=True)
class Run:
    """Per query the (document id, score) pairs, best first; an empty tuple where nothing was found.

    ``times`` are the seconds that a query took with all its parts, whether other searches shared them or not;
    ``problems`` are, by query, the models that failed to rewrite it.  Neither takes part in comparisons.
    """

    name: str
    results: Mapping[str, tuple[tuple[str, float], ...]] = field(hash=False)
    times: Mapping[str, float] = field(default_factory=dict, compare=False, repr=False)
    problems: Mapping[str, Exception] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "results", MappingProxyType({q: tuple(hits) for q, hits in self.results.items()}))

    def __len__(self) -> int:
        return len(self.results)

    @property
    def seconds(self) -> float:
        """The time that all queries took."""
        return sum(self.times.values())

    @property
    def ms(self) -> tuple[float, float] | None:
        """Milliseconds per query, median and 95th percentile; None for a run that was made elsewhere."""
        if not self.times:
            return None
        from numpy import percentile

        median, late = percentile(list(self.times.values()), [50, 95])
        return 1000 * float(median), 1000 * float(late)

    @staticmethod
    def of(name: str, rankings: Mapping[str, Ranking]) -> Run:
        """A run from rankings by query id."""
        grown = _Grown({}, {}, {})
        for q, ranking in rankings.items():
            grown.add(q, ranking)
        return Run(name, *grown)


class _Grown(NamedTuple):
    """What a run is made of, by query: results, times, problems."""

    results: dict[str, tuple[tuple[str, float], ...]]
    times: dict[str, float]
    problems: dict[str, Exception]

    def add(self, query_id: str, ranking: Ranking) -> None:
        self.results[query_id] = tuple((h.document.id, h.score) for h in ranking.hits)
        self.times[query_id] = 0.0
        for step in ranking.lineage():
            self.times[query_id] += step.seconds
            if isinstance(step.evidence, Rewrite) and step.evidence.problem is not None:
                self.problems.setdefault(query_id, step.evidence.problem)


class Gathered:
    """Runs as they grow, question by question: what a stopped run leaves, and where it goes on."""

    def __init__(self, searchers: Mapping[str, Searcher]) -> None:
        self.searchers = dict(searchers)
        self.done = 0
        """How many questions every search has answered."""
        self._grown = {name: _Grown({}, {}, {}) for name in searchers}

    def add(self, query: Query, rankings: Mapping[str, Ranking]) -> None:
        """What every search answered to a question."""
        for name, ranking in rankings.items():
            self._grown[name].add(query.id, ranking)
        self.done += 1

    def take(self, runs: Mapping[str, Run]) -> None:
        """Go on from these runs, by the names of the searches."""
        for name, run in runs.items():
            grown = self._grown[name]
            grown.results.update(run.results)
            grown.times.update(run.times)
            grown.problems.update(run.problems)

    def holds(self, query: Query) -> bool:
        """Whether this question is answered already."""
        return all(query.id in grown.results for grown in self._grown.values())

    def ids(self, name: str, query_id: str) -> tuple[str, ...]:
        """The documents that a search has found for a question, best first."""
        return tuple(document for document, _ in self._grown[name].results[query_id])

    def runs(self) -> dict[str, Run]:
        """The runs so far, by the names of their searches."""
        return {name: Run(name, *grown) for name, grown in self._grown.items()}


def each(
    searchers: Mapping[str, Searcher],
    corpus: Corpus,
    queries: Iterable[Query],
    *,
    k: int = 100,
    models: Models = NONE,
    progress: Progress | None = None,
    ask: Callable[[str, Query], Query] | None = None,
) -> Iterator[tuple[Query, dict[str, Ranking]]]:
    """Every query with its ranking by every search; what the searches have in common is made once per query.

    Indexes are kept, rankings are not.  ``ask`` gives the query as the search of a name is asked it, which may hang on
    what was found before.  ``progress`` is called with (done, total) after each query, in the midst of one that takes
    long as well, and may raise to stop.  Raises `ParameterError` for k < 1.
    """
    counted("k", k)
    asked, done, told = list(queries), 0, time.monotonic()

    def beat(*_: int) -> None:
        nonlocal told
        if progress and time.monotonic() - told > BEAT:
            told = time.monotonic()
            progress(done, len(asked))

    def answered(name: str, query: Query) -> Ranking:
        beat()
        return runner(searchers[name], ask(name, query) if ask else query, k)

    runner = Runner(corpus, models=models, explain=False, patient=True, progress=beat)
    for done, query in enumerate(asked):
        yield query, {name: answered(name, query) for name in searchers}
        runner.forget()
        if progress:
            progress(done + 1, len(asked))


def run_many(
    searchers: Mapping[str, Searcher],
    corpus: Corpus,
    queries: Iterable[Query],
    *,
    k: int = 100,
    models: Models = NONE,
    progress: Progress | None = None,
    into: Gathered | None = None,
    ask: Callable[[str, Query], Query] | None = None,
) -> dict[str, Run]:
    """One run per search, by its name: see `each`.

    What ``into`` has gathered already is not asked again; it keeps what is done where the work is stopped.
    """
    into = Gathered(searchers) if into is None else into
    asked = list(queries)
    left = [query for query in asked if not into.holds(query)]
    before = len(asked) - len(left)

    def told(done: int, _: int) -> None:
        if progress:
            progress(before + done, len(asked))

    for query, rankings in each(searchers, corpus, left, k=k, models=models, progress=told, ask=ask):
        into.add(query, rankings)
    return into.runs()
