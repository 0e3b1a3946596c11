"""A run: one corpus, any searches, every node of every search once per question.

A `Runner` is the only caller of `Index.search`.  The objects that it calls are known here by protocols (`Node`,
`Rewording`, `Deriving`); the searchers, rewriters and derivations themselves are in `lab.algebra.verbs`.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from lab.algebra.knobs import counted
from lab.algebra.nouns import NONE, Corpus, Index, Models, Query, Ranking, Searchable
from lab.errors import ModelError, UnknownName
from lab.kept import Progress
from lab.words import Said

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")
R = TypeVar("R", covariant=True)
N = TypeVar("N", bound="Node")
DEPTH = 100
"""Results requested from each list if a pipeline does not set the number and processes the lists further."""
FILTERED = 1_000
"""Results requested from each list before a condition, if the corpus is elsewhere and only a list can be filtered."""


class Node(Searchable, Protocol):
    """Anything that a run can search with: see `lab.algebra.verbs.Searcher`."""

    @property
    def settings(self) -> tuple[str, ...]: ...
    @property
    def settled(self) -> bool: ...
    @property
    def keeps_index(self) -> bool: ...
    @property
    def sets_depth(self) -> bool: ...
    @property
    def simplest(self) -> Node: ...
    def run(self, runner: Runner, query: Query, k: int) -> Ranking: ...
    def __hash__(self) -> int: ...


class Rewording(Protocol[R]):
    """Anything that rewrites a question in a run: see `lab.algebra.verbs.Rewriter`."""

    def rewrite(self, query: Query, corpus: Corpus, env: Env) -> R: ...
    def failed(self, query: Query, problem: ModelError) -> R: ...


class Deriving(Protocol):
    """Anything that derives a corpus from a corpus in a run: see `lab.algebra.verbs.Derivation`."""

    def __call__(self, first: Corpus, *, env: Env) -> Corpus: ...


@dataclass(frozen=True)
class Env:
    """What a run passes to its operators in addition to their input.

    ``models`` are loaded models, by the names of their settings (a specification contains only the name);
    ``explain=False`` is for bulk work, which needs no reasons; ``progress`` receives the progress of long work.
    `search` runs another searcher in the same run.
    """

    models: Models = field(default_factory=dict)
    explain: bool = True
    progress: Progress | None = None
    runner: Runner | None = None

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Returns a value that several searches share, computed once per key and question."""
        return make() if self.runner is None else self.runner.once(key, make)

    def search(self, searcher: Node, corpus: Corpus, query: str | Query, k: int) -> Ranking:
        """Returns the first ``k`` results of another searcher on this corpus."""
        runner = self.runner
        if runner is None or runner.corpus is not corpus:
            runner = Runner(corpus, models=self.models, explain=False)
        return runner(searcher, query, k)


ALONE = Env()


class Runner:
    """Runs any searches on one corpus; each node of each search runs once per question.

    ``others`` are other corpora, by the names that routes use for them.  ``models`` are loaded models by the names of
    their settings.  ``explain=False`` is for bulk work: no reasons, no evidence.  With ``patient=True`` a run continues
    with the original question if a model fails to rewrite it, and records this in the evidence.  ``progress`` receives
    the progress of indexing.  ``rows``: only documents at positions where it is true may be in a list.
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
        rows: NDArray[np.bool_] | None = None,
    ) -> None:
        self.corpus, self.others, self.models, self.rows = corpus, others, models, rows
        self.explain, self.patient, self.progress = explain, patient, progress
        self._made: dict[Any, list[Ranking]] = {}
        self._rewrites: dict[Any, Any] = {}
        self._kept: dict[Hashable, list[Any]] = {}
        self._runners: dict[Any, Runner] = {}
        self._indexes: dict[int, tuple[Node, Index]] = {}
        self._before: dict[Any, list[Ranking]] = {}
        self._known: Set[Any] = frozenset()

    def follow(self, before: Runner) -> None:
        """Takes over the lists of an earlier runner that cannot have changed (`Retriever.settled`).

        Each is searched twice: the first search also does work that all searches share, so its time is not typical.
        """
        same = before.corpus is self.corpus and before.models == self.models and before.explain == self.explain
        if same and not self.corpus.elsewhere:
            settled_rankings = {key: rankings for key, rankings in before._made.items() if key[0].settled}
            self._before = {key: made for key, made in settled_rankings.items() if key in before._known}
            self._known = settled_rankings.keys()

    @property
    def env(self) -> Env:
        """What the operators receive.  It is not stored: a runner that refers to itself is freed late."""
        return Env(self.models, self.explain, self.progress, self)

    def __call__(self, searcher: Node, query: str | Query, k: int = DEPTH) -> Ranking:
        """The best ``k`` documents.  Raises `ParameterError` for k < 1."""
        counted("k", k)
        return self.node(searcher, Query.of(query), k)

    def node(self, searcher: Node, query: Query, k: int) -> Ranking:
        """Returns the first ``k`` results of one node, computed once."""
        return self.whole(searcher, query, k).first(k)

    def whole(self, searcher: Node, query: Query, k: int) -> Ranking:
        """Returns the whole list of one node, computed once; only a bare list is truncated to ``k``."""
        searcher = searcher.simplest
        key = searcher, query, query.kind, query.made_from, 0 if searcher.sets_depth else k
        rankings = self._made.setdefault(key, [])  # hashed only once, because hashing a search is slow
        if not rankings:
            rankings += (self._before and self._before.get(key)) or [searcher.run(self, query, k)]
        return rankings[0]

    def rewrite(self, rewriter: Rewording[R], query: Query) -> R:
        """Returns the result of a rewriter for a query, computed once."""
        key = (rewriter, query)
        if key not in self._rewrites:
            try:
                rewrite_made = rewriter.rewrite(query, self.corpus, self.env)
            except ModelError as error:
                if not self.patient:
                    raise
                rewrite_made = rewriter.failed(query, error)
            self._rewrites[key] = rewrite_made
        return cast(R, self._rewrites[key])

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Returns a value that operators share for the current question: see `Env.once`."""
        values = self._kept.setdefault(key, [])  # hashed only once here, too
        if not values:
            values.append(make())
        return cast(T, values[0])

    def index(self, searcher: Node) -> Index:
        """Returns the index of a retriever; it is cached with the corpus and shared by all who use it."""
        if not searcher.keeps_index:
            return self._narrowed(index_of(searcher, self.corpus, models=self.models, progress=self.progress))
        entry = self._indexes.get(id(searcher))  # by identity, which is fast; equal searchers share one index anyway
        if entry is None:
            index = self._narrowed(index_of(searcher, self.corpus, models=self.models, progress=self.progress))
            self._indexes[id(searcher)] = entry = searcher, index
        return entry[1]

    def _narrowed(self, index: Index) -> Index:
        return index if self.rows is None else index.within(self.rows)

    def derived(self, derivations: Sequence[Deriving]) -> Runner:
        """Returns a runner over the corpus that these derivations make; of ``rows``, it has the parts."""
        corpora = [self.corpus]
        for derivation in derivations:
            corpora.append(derivation(corpora[-1], env=self.env))
        return self._over(corpora[-1], id(corpora[-1]), lambda: self._parts(corpora))

    def _parts(self, corpora: Sequence[Corpus]) -> NDArray[np.bool_] | None:
        """Returns which documents of the last of these corpora, each derived from the last, come from ``rows``."""
        import numpy as np  # not at the top, so that the command line can show its help without it

        rows = self.rows
        if rows is None:
            return None
        for parent, corpus in pairwise(corpora):
            places = [parent.positions.get(corpus.origins.get(document.id, ""), -1) for document in corpus]
            rows = np.append(rows, False)[places]
        return rows

    def within(self, rows: NDArray[np.bool_]) -> Runner:
        """Returns a runner over the same corpus whose lists have only documents of this set."""
        return self._over(self.corpus, ("within", id(rows)), lambda: rows if self.rows is None else rows & self.rows)

    def elsewhere(self, collection: str) -> Runner:
        """Returns a runner over another corpus by its name; the empty name means this corpus."""
        if not collection or collection == self.corpus.name:
            return self
        if collection not in self.others:
            raise UnknownName(
                Said("There is no collection “{name}” in this run.", name=collection),
                Said("Valid names: {names}.", names=[self.corpus.name, *self.others]),
            )
        return self._over(self.others[collection], collection)

    def _over(
        self, corpus: Corpus, key: Hashable, rows: Callable[[], NDArray[np.bool_] | None] = lambda: None
    ) -> Runner:
        if key not in self._runners:
            self._runners[key] = Runner(
                corpus,
                others=self.others,
                models=self.models,
                explain=self.explain,
                patient=self.patient,
                progress=self.progress,
                rows=rows(),
            )
        return self._runners[key]

    def forget(self) -> None:
        """Discards the rankings but not the indexes; called after each of many questions in a row."""
        self._made.clear()
        self._before.clear()
        self._rewrites.clear()
        self._kept.clear()
        self._runners = {key: runner for key, runner in self._runners.items() if runner.rows is None}
        for runner in self._runners.values():
            runner.forget()


def index_of(searcher: Node, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> Index:
    """Returns the index of a searcher, built once and cached with the corpus; ``search_time`` knobs need no new one."""
    searcher = corpus.instead(searcher)
    if not searcher.keeps_index:
        return corpus.index(searcher, models=models, progress=progress)
    rest = at_rest(searcher)
    key = ("index", rest, *[(name, models.get(name)) for name in searcher.settings])
    index: Index = corpus.awaited(key, lambda report: corpus.index(rest, models=models, progress=report), progress)
    if index.operator is not searcher and index.operator != searcher:
        index = copy.copy(index)
        index.operator = searcher
    return index


def at_rest(searcher: N) -> N:
    """Returns the searcher with its ``search_time`` parameters at their defaults; its index depends only on these."""
    later = _search_time(type(searcher))
    changed = {name: default for name, default in later if getattr(searcher, name) != default} if later else {}
    return replace(cast(Any, searcher), **changed) if changed else searcher


@cache
def _search_time(cls: type[Any]) -> tuple[tuple[str, Any], ...]:
    """Returns the ``search_time`` parameters of a class with their defaults."""
    return tuple((f.name, f.default) for f in dataclasses.fields(cls) if f.metadata.get("search_time"))
