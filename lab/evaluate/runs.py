"""The results of searches for every query of a collection."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Collection as Ids
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from lab.algebra import (
    NONE,
    Corpus,
    Models,
    Progress,
    Query,
    Ranking,
    Rewrite,
    Runner,
    Searcher,
    counted,
    tied_groups,
    ties,
)
from lab.models.costs import Usage, mean_usage, usage_behind
from lab.retrieve.external import Answered

LONGEST = 10**9
"""A depth that no list exceeds."""
BEAT = 0.2
"""Seconds between progress reports within one question, so that it can be stopped."""


@dataclass(frozen=True)
class Run:
    """Per query the (document id, score) pairs, best first; an empty tuple for no results.

    ``times`` are the seconds that a query took with all its parts, whether other searches shared them or not;
    ``problems`` are, by query, the models that failed to rewrite it, ``failures`` the external retrievers that gave no
    list for it; ``usage`` is what its language models cost.  In the lists for the
    queries ``by_rank``, the order of equal scores has a meaning.  None of them takes part in comparisons.
    """

    name: str
    results: Mapping[str, tuple[tuple[str, float], ...]] = field(hash=False)
    times: Mapping[str, float] = field(default_factory=dict, compare=False, repr=False)
    problems: Mapping[str, Exception] = field(default_factory=dict, compare=False, repr=False)
    failures: Mapping[str, Exception] = field(default_factory=dict, compare=False, repr=False)
    usage: Mapping[str, Usage] = field(default_factory=dict, compare=False, repr=False)
    by_rank: Ids[str] = field(default=frozenset(), compare=False, repr=False)

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

    @property
    def asked_models(self) -> bool:
        """Whether a language model was asked for any query."""
        return any(usage.requests for usage in self.usage.values())

    @property
    def per_query(self) -> tuple[float, float | None]:
        """Tokens of language models and their cost per query, on average; without prices the cost is None."""
        return mean_usage([*self.usage.values()])

    @staticmethod
    def of(name: str, rankings: Mapping[str, Ranking]) -> Run:
        """A run from rankings by query id."""
        grown = _Grown({}, {}, {}, {}, {}, set())
        for q, ranking in rankings.items():
            grown.add(q, ranking)
        return Run(name, *grown)


class _Grown(NamedTuple):
    """What a run is made of, by query: results, times, problems, failures, usage of models, meaningful orders."""

    results: dict[str, tuple[tuple[str, float], ...]]
    times: dict[str, float]
    problems: dict[str, Exception]
    failures: dict[str, Exception]
    usage: dict[str, Usage]
    by_rank: set[str]

    def add(self, query_id: str, ranking: Ranking) -> None:
        self.results[query_id] = tuple((h.document.id, h.score) for h in ranking.hits)
        self.usage[query_id] = usage_behind(ranking)
        self.times[query_id] = 0.0
        if tied_groups([hit.score for hit in ranking.hits]) and not ties(ranking):
            self.by_rank.add(query_id)
        for step in ranking.lineage():
            self.times[query_id] += step.seconds
            if isinstance(step.evidence, Rewrite) and step.evidence.problem is not None:
                self.problems.setdefault(query_id, step.evidence.problem)
            if isinstance(step.evidence, Answered) and step.evidence.problem is not None:
                self.failures.setdefault(query_id, step.evidence.problem)


class Gathered:
    """Runs as they grow, question by question, so that a stopped evaluation can be reported and continued."""

    def __init__(self, searchers: Mapping[str, Searcher]) -> None:
        self.done = 0
        """How many questions every search has answered."""
        self._grown = {name: _Grown({}, {}, {}, {}, {}, set()) for name in searchers}

    def add(self, query: Query, rankings: Mapping[str, Ranking]) -> None:
        for name, ranking in rankings.items():
            self._grown[name].add(query.id, ranking)
        self.done += 1

    def take(self, runs: Mapping[str, Run]) -> None:
        """Continues from these runs, by the names of the searches."""
        for name, run in runs.items():
            for column, values in self._grown[name]._asdict().items():
                values.update(getattr(run, column))

    def holds(self, query: Query) -> bool:
        """Whether this question is answered already."""
        return all(query.id in grown.results for grown in self._grown.values())

    def ids(self, name: str, query_id: str) -> tuple[str, ...]:
        """The documents that a search has found for a question, best first."""
        return tuple(document for document, _ in self._grown[name].results[query_id])

    def runs(self) -> dict[str, Run]:
        """The runs so far, by the names of their searches."""
        return {name: Run(name, *grown) for name, grown in self._grown.items()}


def prepare(searchers: Mapping[str, Searcher], runner: Runner, query: Query, k: int) -> dict[str, float]:
    """Answers one question with every search, so that models and indexes load; returns the seconds of each."""
    seconds = dict[str, float]()
    for name, searcher in searchers.items():
        start = time.perf_counter()
        runner(searcher, query, k)
        seconds[name] = time.perf_counter() - start
    return seconds


def answered(runs: Mapping[str, Run], queries: Iterable[Query]) -> tuple[Query, ...]:
    return tuple(q for q in queries if all(q.id in run.results for run in runs.values()))


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
    """Yields every query with its ranking by every search; work that the searches share is done once per query.

    Indexes are kept, rankings are not.  ``ask`` returns the query for the search of a name, which may depend on earlier
    results.  ``progress`` is called with (done, total) after each query, before it is yielded, and also during a slow
    one.  It may raise to stop: then this query is not yielded.  Raises `ParameterError` for k < 1.
    """
    counted("k", k)
    questions, answered_count, last_beat = list(queries), 0, time.monotonic()

    def beat(*_: int) -> None:
        nonlocal last_beat
        if progress and time.monotonic() - last_beat > BEAT:
            last_beat = time.monotonic()
            progress(answered_count, len(questions))

    def rank(name: str, query: Query) -> Ranking:
        beat()
        return runner(searchers[name], ask(name, query) if ask else query, k)

    runner = Runner(corpus, models=models, explain=False, patient=True, progress=beat)
    for answered_count, query in enumerate(questions):
        rankings = {name: rank(name, query) for name in searchers}
        runner.forget()
        if progress:
            progress(answered_count + 1, len(questions))
        yield query, rankings


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
    """Returns one run per search, by its name: see `each`.

    Questions that ``into`` has already gathered are skipped; if the work is stopped, it keeps the finished ones.
    """
    into = Gathered(searchers) if into is None else into
    questions = list(queries)
    left = [query for query in questions if not into.holds(query)]
    before = len(questions) - len(left)

    def report(done: int, _: int) -> None:
        if progress:
            progress(before + done, len(questions))

    for query, rankings in each(searchers, corpus, left, k=k, models=models, progress=report, ask=ask):
        into.add(query, rankings)
    return into.runs()
