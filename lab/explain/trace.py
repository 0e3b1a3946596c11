"""A search step by step: the result of every part, and the part that failed.

The parts are named as in `Composed.parts`: ``retrieve.0``, ``fuse``, ``retrieve.0.first.refine.1``.  The runner runs
each of them once, from the first to the last; if one fails, the results before it are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from lab.algebra import DEPTH, Fallback, Operator, Pipeline, Query, Ranking, Rewrite, Runner, Searcher
from lab.errors import LabError
from lab.models.costs import Usage, usage_in
from lab.rewrite.routing import Route

Check = Callable[[Operator], object]
"""Called before a part works; it may raise a `LabError`, which then counts as an error of that part."""


@dataclass(frozen=True)
class Trace:
    """The results of the parts of a search for one question.

    ``steps`` are the rankings of every part by its path: one, or one per wording if the question was rewritten
    (``merge`` has one per list); parts that were not reached are missing.  ``rewrites`` are the results of rewriters.
    ``ranking`` is the whole search's; None if the part at ``failed`` raised ``error``.
    """

    steps: Mapping[str, tuple[Ranking, ...]]
    rewrites: Mapping[str, Rewrite]
    ranking: Ranking | None = None
    failed: str | None = None
    error: LabError | None = None

    @property
    def seconds(self) -> float:
        """The time of all parts together; a list that two parts use counts once."""
        distinct = {id(r): r for rankings in self.steps.values() for r in rankings}
        return sum(map(seconds_of, distinct.values())) + sum(r.seconds for r in self.rewrites.values())

    @property
    def usage(self) -> Usage:
        """What the language models of all parts cost."""
        evidences = [r.evidence for rankings in self.steps.values() for r in rankings]
        return usage_in([*evidences, *self.rewrites.values()])


def usage_at(*rankings: Ranking) -> Usage:
    """Returns what the language models of a part cost: for merged wordings, without the rewriting."""
    return usage_in(r.evidence for r in rankings if not isinstance(r.evidence, Rewrite))


def seconds_of(ranking: Ranking) -> float:
    """Returns the time of a part itself: for merged wordings, without the time of the rewriting."""
    rewrite = ranking.evidence
    return ranking.seconds - rewrite.seconds if isinstance(rewrite, Rewrite) else ranking.seconds


def trace(runner: Runner, search: Searcher, query: str | Query, k: int, *, check: Check | None = None) -> Trace:
    """Runs a search for its first ``k`` and keeps the ranking of every part; an error of a part ends it there."""
    way = _Way(check or (lambda _operator: None))
    try:
        ranking = way.walk(runner, search, Query.of(query), k, "").first(k)
    except LabError as error:
        return Trace(way.frozen_steps, way.rewrites, None, way.failed, error)
    return Trace(way.frozen_steps, way.rewrites, ranking)


@dataclass
class _Way:
    check: Check
    steps: dict[str, list[Ranking]] = field(default_factory=dict)
    rewrites: dict[str, Rewrite] = field(default_factory=dict)
    failed: str | None = None

    @property
    def frozen_steps(self) -> dict[str, tuple[Ranking, ...]]:
        return {path: tuple(rankings) for path, rankings in self.steps.items()}

    @contextmanager
    def errors_at(self, path: str, operator: Operator | None = None) -> Iterator[None]:
        """Blames this part for an error in the block, unless a part within it was blamed already."""
        try:
            if operator is not None:
                self.check(operator)
            yield
        except LabError:
            self.failed = path if self.failed is None else self.failed
            raise

    def record(self, path: str, *rankings: Ranking) -> Ranking:
        self.steps.setdefault(path, []).extend(rankings)
        return rankings[-1]

    def walk(self, runner: Runner, search: Searcher, query: Query, k: int, path: str) -> Ranking:
        if isinstance(search, Pipeline):
            return self.pipeline(runner, search, query, k, f"{path}." if path else "")
        with self.errors_at(path, None if isinstance(search, Fallback | Route) else search):
            if isinstance(search, Fallback):
                first = self.walk(runner, search.first, query, search.first_depth(k), f"{path}.first".lstrip("."))
                if search.choose(first).relaxed:
                    self.walk(runner, search.then, query, k, f"{path}.then".lstrip("."))
            elif isinstance(search, Route):
                decision = search.decided(runner, query)
                for i in search.taken(decision):
                    other_runner, place = (
                        runner.elsewhere(search.routes[i].collection),
                        f"{path}.routes.{i}".lstrip("."),
                    )
                    self.walk(other_runner, search.routes[i].asked, query, k if decision.sure else DEPTH, place)
            return self.record(path, runner.node(search, query, k))

    def pipeline(self, runner: Runner, p: Pipeline, query: Query, k: int, at: str) -> Ranking:
        over, deep = runner, k if p.open_ended else p.asks
        wordings: list[tuple[Query, ...]] = [(query,)] * len(p.retrieve)
        for i, derivation in enumerate(p.derive):
            with self.errors_at(f"{at}derive.{i}", derivation):
                over = runner.derived(p.derive[: i + 1])
        if p.rewrite is not None:
            with self.errors_at(f"{at}rewrite", p.rewrite):
                rewrites = [p.rewritten(over, searcher, query) for searcher in p.retrieve]
            wordings = [rewrite.wordings if rewrite.queries else wordings[0] for rewrite in rewrites]
            self.rewrites[f"{at}rewrite"] = max(rewrites, key=lambda rewrite: len(rewrite.queries))
        for i, searcher in enumerate(p.retrieve):
            for wording in wordings[i]:
                self.walk(over, searcher, wording, deep, f"{at}retrieve.{i}")
        merger = p.fuse or (p.merging if p.rewrite else None)
        with self.errors_at(f"{at}fuse" if p.fuse else f"{at}merge", merger):
            ranking = over.whole(p.listed, query, deep)
        if p.rewrite is not None:
            self.record(f"{at}merge", *(ranking.parents if p.fuse else (ranking,)))
        if p.fuse is not None:
            self.record(f"{at}fuse", ranking)
        for i, stage in enumerate(p.refine):
            with self.errors_at(f"{at}refine.{i}", stage):
                whole = runner.whole(replace(p, refine=p.refine[: i + 1]), query, deep)
                ranking = self.record(f"{at}refine.{i}", whole)
        return ranking
