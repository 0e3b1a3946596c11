"""A run: one corpus, any searches, every node of every search once per question.

A `Runner` is the only caller of `Index.search`.  What it asks is known here by protocols (`Node`, `Rewording`,
`Deriving`); the searchers, rewriters and derivations themselves are in `lab.algebra.verbs`.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Protocol, TypeVar, cast

from lab.algebra.knobs import counted
from lab.algebra.nouns import NONE, Corpus, Index, Models, Query, Ranking, Searchable
from lab.errors import ModelError, UnknownName
from lab.kept import Progress
from lab.words import Said

T = TypeVar("T")
R = TypeVar("R", covariant=True)
N = TypeVar("N", bound="Node")
DEPTH = 100
"""How many documents every list is asked for, where a pipeline does not say it and something is made of the lists."""


class Node(Searchable, Protocol):
    """What a run can ask: see `lab.algebra.verbs.Searcher`."""

    @property
    def settings(self) -> tuple[str, ...]: ...
    @property
    def settled(self) -> bool: ...
    @property
    def sets_depth(self) -> bool: ...
    @property
    def simplest(self) -> Node: ...
    def run(self, runner: Runner, query: Query, k: int) -> Ranking: ...
    def __hash__(self) -> int: ...


class Rewording(Protocol[R]):
    """What rewrites a question in a run: see `lab.algebra.verbs.Rewriter`."""

    def rewrite(self, query: Query, corpus: Corpus, env: Env) -> R: ...
    def failed(self, query: Query, problem: ModelError) -> R: ...


class Deriving(Protocol):
    """What makes another corpus of a corpus in a run: see `lab.algebra.verbs.Derivation`."""

    def __call__(self, first: Corpus, *, env: Env) -> Corpus: ...


@dataclass(frozen=True)
class Env:
    """What a run gives to its operators beside their input.

    ``models`` are models at work, by the names of their settings (a specification holds the name alone);
    ``explain=False`` is bulk work, where nobody reads reasons; ``progress`` is told how far long work is.  `search`
    asks another searcher in the course of the same run.
    """

    models: Models = field(default_factory=dict)
    explain: bool = True
    progress: Progress | None = None
    runner: Runner | None = None

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What several searches need for one question, made once per key and kept until the next question."""
        return make() if self.runner is None else self.runner.once(key, make)

    def search(self, searcher: Node, corpus: Corpus, query: str | Query, k: int) -> Ranking:
        """The first ``k`` of another searcher on this corpus."""
        runner = self.runner
        if runner is None or runner.corpus is not corpus:
            runner = Runner(corpus, models=self.models, explain=False)
        return runner(searcher, query, k)


ALONE = Env()


class Runner:
    """Runs any searches on one corpus; each node of each search runs once per question.

    ``others`` are further corpora, by the names that routes know them under.  ``models`` are at work by the names of
    their settings.  ``explain=False`` is bulk work: no reasons, no evidence.  ``patient=True`` goes on with the
    question as it is where a model fails to rewrite it, and says so in the evidence.  ``progress`` is told of the
    indexing.
    """

    def __init__(
        self,
        corpus: Corpus,
        *,
        others: Mapping[str, Corpus] = NONE,
        models: Models = NONE,
        explain: bool = True,
        patient: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self.corpus, self.others, self.models = corpus, others, models
        self.explain, self.patient, self.progress = explain, patient, progress
        self._made: dict[Any, list[Ranking]] = {}
        self._rewrites: dict[Any, Any] = {}
        self._kept: dict[Hashable, list[Any]] = {}
        self._runners: dict[Any, Runner] = {}
        self._indexes: dict[int, tuple[Node, Index]] = {}
        self._before: dict[Any, list[Ranking]] = {}
        self._known: Set[Any] = frozenset()

    def follow(self, before: Runner) -> None:
        """Have the lists that a runner before has found, where nothing can have changed (`Retriever.settled`).

        Each is searched twice: the first time prepares what all searches have, and its seconds are not a search's.
        """
        same = before.corpus is self.corpus and before.models == self.models and before.explain == self.explain
        if same and not self.corpus.elsewhere:
            found = {key: made for key, made in before._made.items() if key[0].settled}
            self._before = {key: made for key, made in found.items() if key in before._known}
            self._known = found.keys()

    @property
    def env(self) -> Env:
        """What the operators are given.  It is not kept: a runner that holds itself is freed late."""
        return Env(self.models, self.explain, self.progress, self)

    def __call__(self, searcher: Node, query: str | Query, k: int = DEPTH) -> Ranking:
        """The best ``k`` documents.  Raises `ParameterError` for k < 1."""
        counted("k", k)
        return self.node(searcher, Query.of(query), k)

    def node(self, searcher: Node, query: Query, k: int) -> Ranking:
        """The first ``k`` of one node, made once."""
        return self.whole(searcher, query, k).first(k)

    def whole(self, searcher: Node, query: Query, k: int) -> Ranking:
        """All of one node, made once; ``k`` is what a bare list is asked for, and cuts nothing that was composed."""
        searcher = searcher.simplest
        key = searcher, query, query.kind, query.made_from, 0 if searcher.sets_depth else k
        made = self._made.setdefault(key, [])  # one hash: they take long
        if not made:
            made += (self._before and self._before.get(key)) or [searcher.run(self, query, k)]
        return made[0]

    def rewrite(self, rewriter: Rewording[R], query: Query) -> R:
        """What a rewriter makes of a query, made once."""
        key = (rewriter, query)
        if key not in self._rewrites:
            try:
                made = rewriter.rewrite(query, self.corpus, self.env)
            except ModelError as error:
                if not self.patient:
                    raise
                made = rewriter.failed(query, error)
            self._rewrites[key] = made
        rewrite: R = self._rewrites[key]
        return rewrite

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What operators keep for the question that is asked: see `Env.once`."""
        made = self._kept.setdefault(key, [])  # one hash here, too
        if not made:
            made.append(make())
        value: T = made[0]
        return value

    def index(self, searcher: Node) -> Index:
        """The index of a retriever: kept with the corpus, and found again by everybody who has this corpus."""
        made = self._indexes.get(id(searcher))  # by itself, which is quick; whoever is like it has the same index
        if made is None:
            index = index_of(searcher, self.corpus, models=self.models, progress=self.progress)
            self._indexes[id(searcher)] = made = searcher, index
        return made[1]

    def derived(self, derivations: Sequence[Deriving]) -> Runner:
        """A runner over what these derivations make of the corpus."""
        corpus = self.corpus
        for derivation in derivations:
            corpus = derivation(corpus, env=self.env)
        return self._over(corpus)

    def elsewhere(self, collection: str) -> Runner:
        """A runner over another corpus by its name; the empty name is this one."""
        if not collection or collection == self.corpus.name:
            return self
        if collection not in self.others:
            raise UnknownName(
                Said("There is no collection “{name}” in this run.", name=collection),
                Said("Valid names: {names}.", names=", ".join([self.corpus.name, *self.others])),
            )
        return self._over(self.others[collection])

    def _over(self, corpus: Corpus) -> Runner:
        if id(corpus) not in self._runners:
            self._runners[id(corpus)] = Runner(
                corpus,
                others=self.others,
                models=self.models,
                explain=self.explain,
                patient=self.patient,
                progress=self.progress,
            )
        return self._runners[id(corpus)]

    def forget(self) -> None:
        """Let go of the rankings, and keep the indexes: what many questions in a row call after each."""
        self._made.clear()
        self._before.clear()
        self._rewrites.clear()
        self._kept.clear()
        for runner in self._runners.values():
            runner.forget()


def index_of(searcher: Node, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> Index:
    """The index of a searcher, made once and kept with the corpus; ``search_time`` knobs need no new one."""
    searcher = corpus.instead(searcher)
    rest = at_rest(searcher)
    key = ("index", rest, *[(name, models.get(name)) for name in searcher.settings])
    index: Index = corpus.awaited(key, lambda told: corpus.index(rest, models=models, progress=told), progress)
    if index.operator is not searcher and index.operator != searcher:
        index = copy.copy(index)
        index.operator = searcher
    return index


def at_rest(searcher: N) -> N:
    """The searcher with its ``search_time`` knobs at their defaults: what its index depends on."""
    later = _search_time(type(searcher))
    changed = {name: default for name, default in later if getattr(searcher, name) != default} if later else {}
    return replace(cast(Any, searcher), **changed) if changed else searcher


@cache
def _search_time(cls: type[Any]) -> tuple[tuple[str, Any], ...]:
    """The ``search_time`` knobs of a class with their defaults."""
    return tuple((f.name, f.default) for f in dataclasses.fields(cls) if f.metadata.get("search_time"))
