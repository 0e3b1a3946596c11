"""A search step by step: what every part of it gave, and where it failed.

The parts are named as in `Composed.parts`: ``retrieve.0``, ``fuse``, ``retrieve.0.first.refine.1``.  The runner makes
each of them once, from the first to the last; where one fails, what was made before it is there all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from lab.algebra import DEPTH, Fallback, Operator, Pipeline, Query, Ranking, Rewrite, Runner, Searcher
from lab.errors import LabError
from lab.rewrite.routing import Route

Check = Callable[[Operator], object]
"""Asked before a part works; it may raise a `LabError`, which is then that part's."""


@dataclass(frozen=True)
class Trace:
    """What the parts of a search gave for one question.

    ``steps`` are the rankings of every part by its path: one, or one per wording where the question was rewritten (of
    ``merge`` one per list); what was not reached is not there.  ``rewrites`` are what rewriters made of the question.
    ``ranking`` is the whole search's; None where the part at ``failed`` raised ``error``.
    """

    steps: Mapping[str, tuple[Ranking, ...]]
    rewrites: Mapping[str, Rewrite]
    ranking: Ranking | None = None
    failed: str | None = None
    error: LabError | None = None

    @property
    def seconds(self) -> float:
        """What all parts took together; a list that two parts use counts once."""
        made = {id(r): r for rankings in self.steps.values() for r in rankings}
        return sum(map(seconds_of, made.values())) + sum(r.seconds for r in self.rewrites.values())


def seconds_of(ranking: Ranking) -> float:
    """What a part took itself: a list that was merged of wordings, without the time of the rewriting."""
    told = ranking.evidence
    return ranking.seconds - told.seconds if isinstance(told, Rewrite) else ranking.seconds


def trace(runner: Runner, search: Searcher, query: str | Query, k: int, *, check: Check | None = None) -> Trace:
    """The first ``k`` of a search, with the ranking of every part on the way; an error of a part ends it there."""
    way = _Way(check or (lambda _operator: None))
    try:
        found = way.walk(runner, search, Query.of(query), k, "").first(k)
    except LabError as error:
        return Trace(way.told, way.rewrites, None, way.failed, error)
    return Trace(way.told, way.rewrites, found)


@dataclass
class _Way:
    check: Check
    steps: dict[str, list[Ranking]] = field(default_factory=dict)
    rewrites: dict[str, Rewrite] = field(default_factory=dict)
    failed: str | None = None

    @property
    def told(self) -> dict[str, tuple[Ranking, ...]]:
        return {path: tuple(rankings) for path, rankings in self.steps.items()}

    @contextmanager
    def at(self, path: str, operator: Operator | None = None) -> Iterator[None]:
        """What goes wrong in this block is this part's, unless it was one's within it."""
        try:
            if operator is not None:
                self.check(operator)
            yield
        except LabError:
            self.failed = path if self.failed is None else self.failed
            raise

    def made(self, path: str, *rankings: Ranking) -> Ranking:
        self.steps.setdefault(path, []).extend(rankings)
        return rankings[-1]

    def walk(self, runner: Runner, search: Searcher, query: Query, k: int, path: str) -> Ranking:
        if isinstance(search, Pipeline):
            return self.pipeline(runner, search, query, k, f"{path}." if path else "")
        with self.at(path, None if isinstance(search, Fallback | Route) else search):
            if isinstance(search, Fallback):
                if not self.walk(runner, search.first, query, k, f"{path}.first".lstrip(".")).hits:
                    self.walk(runner, search.then, query, k, f"{path}.then".lstrip("."))
            elif isinstance(search, Route):
                told = search.decided(runner, query)
                for i in search.taken(told):
                    there, place = runner.elsewhere(search.routes[i].collection), f"{path}.routes.{i}".lstrip(".")
                    self.walk(there, search.routes[i].asked, query, k if told.sure else DEPTH, place)
            return self.made(path, runner.node(search, query, k))

    def pipeline(self, runner: Runner, p: Pipeline, query: Query, k: int, at: str) -> Ranking:
        over, deep = runner, k if p.bare else p.asks
        wordings: list[tuple[Query, ...]] = [(query,)] * len(p.retrieve)
        for i, derivation in enumerate(p.derive):
            with self.at(f"{at}derive.{i}", derivation):
                over = runner.derived(p.derive[: i + 1])
        if p.rewrite is not None:
            with self.at(f"{at}rewrite", p.rewrite):
                rewrites = [p.rewritten(over, searcher, query) for searcher in p.retrieve]
            wordings = [told.wordings if told.queries else wordings[0] for told in rewrites]
            self.rewrites[f"{at}rewrite"] = max(rewrites, key=lambda told: len(told.queries))
        for i, searcher in enumerate(p.retrieve):
            for wording in wordings[i]:
                self.walk(over, searcher, wording, deep, f"{at}retrieve.{i}")
        one = p.fuse or (p.merging if p.rewrite else None)
        with self.at(f"{at}fuse" if p.fuse else f"{at}merge", one):
            ranking = over.whole(p.listed, query, deep)
        if p.rewrite is not None:
            self.made(f"{at}merge", *(ranking.parents if p.fuse else (ranking,)))
        if p.fuse is not None:
            self.made(f"{at}fuse", ranking)
        for i, stage in enumerate(p.refine):
            with self.at(f"{at}refine.{i}", stage):
                whole = runner.whole(replace(p, refine=p.refine[: i + 1]), query, deep)
                ranking = self.made(f"{at}refine.{i}", whole)
        return ranking
