"""A whole search as a value: which lists, how deep, merged how, then what.

    search = RRF(k=60)(BM25(), Vector() >> ScoreThreshold(0.3)) >> MaxSim(0.4) >> MMR(k=8)
    ranking = search.index(corpus).search("how long does a refund take")

A `Pipeline` is a `Searcher` like a retriever, so it may stand wherever one does: as a list of another pipeline, under a
rewriter, in a `Fallback` or a `Route`.  A `Runner` makes every node of every search once per question; it is the only
caller of `Index.search`.

Two depths are told apart.  ``depth`` is how many documents every list is *asked* for before anything is made of the
lists; it belongs to the specification and never depends on how many hits somebody wants to see, so the first ten of a
search are the first ten of its first hundred.  `Top` (``%``) drops what is behind the first k of a list that is there.
"""

from __future__ import annotations

import copy
import dataclasses
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeVar, cast

from lab import notebook
from lab.core import (
    NONE,
    Corpus,
    Derivation,
    Document,
    Env,
    Fusion,
    Index,
    Models,
    Operator,
    Progress,
    Query,
    Ranking,
    Retriever,
    Rewrite,
    Rewriter,
    Searcher,
    Stage,
    Stages,
    Weighted,
    counted,
    knob,
    listed,
)
from lab.errors import LabError, ModelError, ParameterError, PipelineError, UnknownName
from lab.fuse import RRF
from lab.refine.lift import Lift
from lab.rewrite.routing import Decision, Destination, Router, fits
from lab.words import Said, joined

T = TypeVar("T")
DEPTH = 100
"""How many documents every list is asked for, where a pipeline does not say it and something is made of the lists."""


# --------------------------------------------------------------------------------------------- the value


class Part(NamedTuple):
    """One operator of a pipeline and where it stands: ``refine.1``, ``retrieve.0.refine.0``."""

    path: str
    operator: Operator


@dataclass(frozen=True)
class Composed(Searcher, ABC):
    """What is made of other searchers; their indexes are kept with the corpus."""

    family = "fused"

    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> PipelineIndex:
        return PipelineIndex(self, corpus, models, progress)

    def parts(self, *, branches: bool = False) -> tuple[Part, ...]:
        """Every operator with its path, in the order in which it works.

        With ``branches`` also every composed search in it, before its own parts.
        """
        return tuple(part for path, one in self._held() for part in _told(path, one, branches))

    def without(self, path: str | int) -> Searcher:
        """The same search without this part (its path, or its number as `parts` lists it).

        Without a list its weight goes too, without a route what leads to it, and of a fallback the other search is
        left.  Raises `UnknownName` for a path that is not there, `PipelineError` for a part that it cannot lack.
        """
        if isinstance(path, int):
            told = self.parts()
            if not -len(told) <= path < len(told):
                raise UnknownName(Said("There is no part {n}.", n=path), Said("There are {n} parts.", n=len(told)))
            path = told[path].path
        return self._changed(path.split("."), path, None)

    def replace(self, path: str, operator: Operator) -> Searcher:
        """The same search with another operator at this path.  Raises `UnknownName`, `PipelineError`."""
        return self._changed(path.split("."), path, operator)

    def _repr_html_(self) -> str:
        return notebook.page(self._picture())

    def _picture(self) -> str:
        """Its parts from left to right, searches below each other."""
        told, lists = list[str](), list[str]()
        for path, part in self._held():
            if not isinstance(part, Searcher):
                told.append(notebook.box(part.label, notebook.knobs(part), getattr(part, "family", "")))
                continue
            if lists:
                told.pop()
            own = part._picture() if isinstance(part, Composed) else ""
            own = own or notebook.box(part.label, notebook.knobs(part), part.family)
            lists.append(own if "." in path else notebook.named(path, own))
            told.append(notebook.stack(lists))
        return notebook.row(told)

    @abstractmethod
    def _held(self) -> Iterator[Part]:
        """What it is made of, with its path."""

    @abstractmethod
    def _changed(self, steps: list[str], path: str, operator: Operator | None) -> Searcher:
        """The same search with another operator at these steps of a path, or with none."""

    def _place(self, steps: list[str], among: Sequence[Any], path: str) -> int:
        """The number at the head of these steps, if it is one of a sequence.  Raises `UnknownName`."""
        places = [str(i) for i in range(len(among))]
        if not steps or steps[0] not in places:
            raise self._unknown(path)
        return places.index(steps[0])

    def _within(self, held: Operator, steps: list[str], path: str, operator: Operator | None) -> Searcher:
        """A search that is held in this one, changed at the rest of a path.  Raises `UnknownName`."""
        if not isinstance(held, Composed):
            raise self._unknown(path)
        try:
            return held._changed(steps, path, operator)
        except UnknownName:
            raise self._unknown(path) from None

    def _unknown(self, path: str) -> UnknownName:
        names = ", ".join(part.path for part in self.parts())
        said = Said("This pipeline has no part “{path}”.", path=path)
        return UnknownName(said, Said("It has: {names}.", names=names))

    def _passed_on(self, found: Ranking, parents: tuple[Ranking, ...], evidence: Any) -> Ranking:
        """Another searcher's ranking as one of this one's."""
        return replace(found, made_by=self, parents=parents, dropped=(), seconds=0.0, evidence=evidence)


@dataclass(frozen=True)
class Pipeline(Composed):
    """Lists of searchers, what is searched in the place of the documents, how a question is worded, and what follows.

    In this order: ``derive`` makes the corpus that is searched; ``rewrite`` words the question, every searcher of
    ``retrieve`` is asked every wording ``depth`` deep, and ``merge`` (or the rewriter's own way) makes one list of each
    searcher's; ``fuse`` makes one of several searchers'; ``refine`` are the stages after that.

    Raises `PipelineError` for no list, for several without a fusion, for weights that do not fit the lists.
    """

    about = Said("A whole search: lists, rewriting, fusion, stages.")

    retrieve: tuple[Searcher, ...] = knob(
        (), kind="spec", label=Said("Lists"), help=Said("What searches: one list, or several that are fused.")
    )
    derive: tuple[Derivation, ...] = knob(
        (),
        kind="spec",
        label=Said("Index side"),
        help=Said("What is searched in the place of the corpus, chunks for instance."),
    )
    rewrite: Rewriter | None = knob(
        None, kind="spec", label=Said("Rewriting"), help=Said("Asks every list in several wordings.")
    )
    merge: Fusion = knob(
        RRF(),
        kind="spec",
        label=Said("Wordings merged by"),
        help=Said("How the lists of the wordings of one question become one list."),
    )
    fuse: Fusion | None = knob(None, kind="spec", label=Said("Fusion"), help=Said("How several lists become one."))
    refine: tuple[Stage, ...] = knob(
        (), kind="spec", label=Said("Stages"), help=Said("What is done with the list, in this order.")
    )
    depth: int | None = knob(
        None,
        low=1,
        high=100_000,
        label=Said("Depth"),
        help=Said("So many hits each list is asked for; none: the usual depth."),
    )
    name: str = knob("", label=Said("Name"), help=Said("What this search is called."))

    def __post_init__(self) -> None:
        if isinstance(self.depth, float) and self.depth.is_integer():
            object.__setattr__(self, "depth", int(self.depth))
        fits("merge", (self.merge,), Fusion)
        super().__post_init__()
        for name, kind in (("retrieve", Searcher), ("derive", Derivation), ("refine", Stage)):
            parts = listed(name, getattr(self, name))
            object.__setattr__(self, name, parts)
            fits(name, parts, kind)
        fits("rewrite", () if self.rewrite is None else (self.rewrite,), Rewriter)
        fits("fuse", () if self.fuse is None else (self.fuse,), Fusion)
        if self.depth is not None and not isinstance(self.depth, int):
            raise ParameterError(Said("{name} is {value}, but must be a whole number.", name="depth", value=self.depth))
        n, given = len(self.retrieve), len(getattr(self.fuse, "weights", ()))
        _must(n > 0, Said("A pipeline has no list to search."), Said("Give at least one retriever."))
        alone = Said("{n} lists are searched, and nothing makes one of them.", n=n)
        _must(n == 1 or self.fuse is not None, alone, Said("Add a fusion, for instance RRF."))
        uneven = Said("{given} weights were given for {lists} lists.", given=given, lists=n)
        _must(given in (0, n), uneven, Said("Give one weight per list, or none at all."))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self._values)

    @property
    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, f.name) for f in dataclasses.fields(self))

    def __reduce__(self) -> tuple[object, ...]:  # without its hash, which another process reckons otherwise
        return Pipeline, self._values

    @property
    def label(self) -> str:
        if self.name:
            return self.name
        head = joined((s.label for s in self.retrieve), " + ")
        if self.rewrite is not None:
            head = Said("{rewriter} ({searches})", rewriter=self.rewrite.label, searches=head)
        return joined([*(d.label for d in self.derive), head, *(s.label for s in self.refine)], " → ")

    @cached_property
    def bare(self) -> bool:
        """Whether nothing is made of its one list: then it is asked for what the caller wants."""
        return self.depth is None and not (self.fuse or self.rewrite or self.refine or self.derive)

    @cached_property
    def asks(self) -> int:
        """How many documents every list is asked for."""
        return DEPTH if self.depth is None else self.depth

    # -------------------------------------------------------------------------------------- taking apart

    def _held(self) -> Iterator[Part]:
        yield from (Part(f"derive.{i}", d) for i, d in enumerate(self.derive))
        if self.rewrite is not None:
            yield Part("rewrite", self.rewrite)
        yield from (Part(f"retrieve.{i}", searcher) for i, searcher in enumerate(self.retrieve))
        if self.rewrite is not None:
            yield Part("merge", self.merge)
        if self.fuse is not None:
            yield Part("fuse", self.fuse)
        yield from (Part(f"refine.{i}", stage) for i, stage in enumerate(self.refine))

    def reordered(self, paths: Sequence[str]) -> Pipeline:
        """The same search with its stages in the order of these paths (``refine.1``, ``refine.0``, ...)."""
        known = {f"refine.{i}": stage for i, stage in enumerate(self.refine)}
        wrong = Said("{paths} is no order of the stages.", paths=", ".join(paths) or "–")
        _must(sorted(paths) == sorted(known), wrong, Said("Name each once: {names}.", names=", ".join(known) or "–"))
        return replace(self, refine=tuple(known[path] for path in paths))

    def prefixes(self) -> Iterator[Pipeline]:
        """The search after its lists are one, then after every stage; the last is the whole."""
        for n in range(len(self.refine) + 1):
            yield replace(self, refine=self.refine[:n])

    def _changed(self, steps: list[str], path: str, operator: Operator | None) -> Pipeline:
        head, rest = steps[0], steps[1:]
        if head in ("rewrite", "merge", "fuse"):
            if rest or getattr(self, head) is None:
                raise self._unknown(path)
            needed = Said("“{path}” cannot be left out.", path=path)
            _must(operator is not None or head == "rewrite", needed, Said("Replace it, or leave out lists."))
            return _made(self, **{head: operator})
        if head not in ("derive", "retrieve", "refine"):
            raise self._unknown(path)
        own, i = list(getattr(self, head)), self._place(rest, getattr(self, head), path)
        if rest[1:]:
            own[i] = self._within(own[i], rest[1:], path, operator)
        elif operator is not None:
            own[i] = operator
        else:
            del own[i]
        changes: dict[str, Any] = {head: tuple(own)}
        if operator is None and not rest[1:]:
            if head == "retrieve":
                changes["fuse"] = self._fusion_without(i) if len(own) > 1 else None
            if head == "derive" and not own:
                changes["refine"] = tuple(s for s in self.refine if not isinstance(s, Lift))
        return _made(self, **changes)

    def _fusion_without(self, i: int) -> Fusion | None:
        weights = getattr(self.fuse, "weights", ())
        left = [w for j, w in enumerate(weights) if j != i]
        return self.fuse.weighted(left if any(left) else ()) if self.fuse is not None and weights else self.fuse

    # --------------------------------------------------------------------------------------------- at work

    @cached_property
    def before(self) -> Pipeline:
        """The search without its last stage."""
        return replace(self, refine=self.refine[:-1])

    @cached_property
    def listed(self) -> Pipeline:
        """The search over the derived corpus, without derivation and stages; where that is of pieces, for more."""
        times = math.prod(getattr(derivation, "fetch", 1) for derivation in self.derive)
        return replace(self, derive=(), refine=(), depth=self.depth if times == 1 else times * self.asks)

    @cached_property
    def _each(self) -> tuple[Pipeline, ...]:
        """For each of its lists the search that is this list alone, asked every wording."""
        return tuple(Pipeline((s,), rewrite=self.rewrite, merge=self.merge, depth=self.depth) for s in self.retrieve)

    def run(self, runner: Runner, query: Query, k: int) -> Ranking:
        if self.refine:
            ranking = runner.whole(self.before, query, self.asks)
            return self.refine[-1](ranking, runner.env)
        if self.derive:
            return runner.derived(self.derive).whole(self.listed, query, self.listed.asks)
        deep = k if self.bare else self.asks
        lists = [self._list(runner, i, query, deep) for i in range(len(self.retrieve))]
        return lists[0] if self.fuse is None else self.fuse(lists, query=query)

    def _list(self, runner: Runner, i: int, query: Query, deep: int) -> Ranking:
        """One searcher's list: of the query, or of all its wordings."""
        searcher = self.retrieve[i]
        if self.rewrite is None:
            return runner.node(searcher, query, deep)
        rewrite = self.rewritten(runner, searcher, query)
        if not rewrite.queries:
            plain = runner.node(searcher, query, deep)
            if isinstance(plain.evidence, Decision | Relaxed):  # which is told on the way
                return replace(plain, parents=(plain,), dropped=(), evidence=rewrite, seconds=rewrite.seconds)
            return replace(plain, evidence=rewrite, seconds=plain.seconds + rewrite.seconds)
        lists = [runner.node(searcher, wording, deep) for wording in rewrite.wordings]
        index = None if isinstance(searcher, Pipeline) else runner.index(searcher)
        start = time.perf_counter() - rewrite.seconds  # the lists have seconds of their own
        merged = self.rewrite.merge(rewrite, lists, index, self.merge, deep)
        return replace(merged, made_by=self._each[i], evidence=rewrite, seconds=time.perf_counter() - start)

    def rewritten(self, runner: Runner, searcher: Searcher, query: Query) -> Rewrite:
        """What one of its searchers is asked: every wording, or the query alone where the rewriter declines it."""
        assert self.rewrite is not None
        parts = searcher.parts() if isinstance(searcher, Composed) else (Part("", searcher),)
        alone = self.rewrite.declines(part.operator for part in parts if isinstance(part.operator, Retriever))
        if alone:
            return Rewrite(query, (), self.rewrite, "rule", unchanged=alone)
        return runner.rewrite(self.rewrite, query)

    # ------------------------------------------------------------------------------------- files and code

    def to_toml(self) -> str:
        """The search as a TOML file: see `lab.formats`.  Raises `PipelineError` for what a file must not hold."""
        from lab import formats

        return formats.to_toml(self)

    @staticmethod
    def from_toml(text: str) -> Searcher:
        """The search in a TOML file.  Raises `PipelineError`, which names the line and the nearest known name."""
        from lab import formats

        return formats.from_toml(text)


def _must(held: bool, what: Said, remedy: Said) -> None:
    if not held:
        raise PipelineError(what, remedy)


def _told(path: str, held: Operator, branches: bool) -> Iterator[Part]:
    """What stands at this path: an operator, or the parts of a search."""
    if not isinstance(held, Composed):
        yield Part(path, held)
        return
    if branches:
        yield Part(path, held)
    yield from (Part(f"{path}.{part.path}", part.operator) for part in held.parts(branches=branches))


def _made(held: T, **changes: Any) -> T:
    """A specification with these changes.  Raises `PipelineError` for what does not fit together."""
    try:
        made: T = replace(cast(Any, held), **changes)
        return made
    except PipelineError:
        raise
    except LabError as error:
        raise PipelineError(error.message, error.remedy) from error


@dataclass(frozen=True)
class Relaxed:
    """Whether a `Fallback` had to ask its second search; `lab.explain.decisions` says why, and what that allows."""

    relaxed: bool


@dataclass(frozen=True)
class Fallback(Composed):
    """Ask strictly first, and another way where that finds nothing: RAGFlow's adaptive fallback.

    The evidence of the ranking is a `Relaxed`; its parents are the list of the first search and, where that is empty,
    of the second.
    Source: RAGFlow, its search with ``min_match`` 0.3 (then 0.1) and ``similarity`` 0.2 (then 0.17).
    """

    technique = Said("Fallback")
    about = Said("Asks strictly first, and another way where that finds nothing.")

    first: Searcher = knob(kind="spec", label=Said("First"), help=Said("Asked first, and strictly."))
    then: Searcher = knob(kind="spec", label=Said("Then"), help=Said("Asked where the first finds nothing."))

    def __post_init__(self) -> None:
        super().__post_init__()
        fits("first", (self.first,), Searcher)
        fits("then", (self.then,), Searcher)

    @property
    def label(self) -> str:
        return Said("{first}, else {then}", first=self.first.label, then=self.then.label)

    def _held(self) -> Iterator[Part]:
        yield from (Part(name, getattr(self, name)) for name in ("first", "then"))

    def _changed(self, steps: list[str], path: str, operator: Operator | None) -> Searcher:
        head, rest = steps[0], steps[1:]
        if head not in ("first", "then"):
            raise self._unknown(path)
        if rest:
            operator = self._within(getattr(self, head), rest, path, operator)
        elif operator is None:
            return self.then if head == "first" else self.first
        return _made(self, **{head: operator})

    def run(self, runner: Runner, query: Query, k: int) -> Ranking:
        strict = runner.node(self.first, query, k)
        if strict.hits:
            return self._passed_on(strict, (strict,), Relaxed(False))
        other = runner.node(self.then, query, k)
        return self._passed_on(other, (strict, other), Relaxed(True))


@dataclass(frozen=True)
class Route(Composed):
    """Sends a question to one of several searches, or to all where the router is not sure.

    The evidence of the ranking is the `Decision`.  The lists of all routes, each ``DEPTH`` deep, become one by
    ``merge``; where they are of several corpora, the ranking's corpus is what they found (see `gathered`).
    """

    technique = Said("Route")
    about = Said("Sends a question to one of several searches, or to all where that is not certain.")

    router: Router = knob(kind="spec", label=Said("Router"), help=Said("What decides where a question is sent."))
    routes: tuple[Destination, ...] = knob(
        kind="spec", label=Said("Routes"), help=Said("The searches that a question can be sent to, each with a name.")
    )
    merge: Fusion = knob(
        RRF(),
        kind="spec",
        label=Said("All routes merged by"),
        help=Said("How the lists of all routes become one list where the router is not sure."),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "routes", listed("routes", self.routes))
        fits("router", (self.router,), Router)
        fits("routes", self.routes, Destination)
        names = [r.name for r in self.routes]
        told = ", ".join(names)
        own = bool(names) and len(set(names)) == len(names) and all(names)
        remedy = Said("Give at least one route, and every route a name of its own.")
        _must(own, Said("The names of the routes are: {names}.", names=told or "–"), remedy)
        asked = [name for _, name in getattr(self.router, "table", ())] + [getattr(self.router, "otherwise", "")]
        for name in asked:
            missing = Said("The router names a route “{name}” that is not there.", name=name)
            _must(not name or name in names, missing, Said("Known are: {names}.", names=told))

    @property
    def label(self) -> str:
        return " | ".join(r.name for r in self.routes)

    def renamed(self, route: str, name: str) -> Route:
        """The same with another name for a route, in its router too."""
        routes = tuple(replace(x, name=name) if x.name == route else x for x in self.routes)
        return replace(self, router=self.router.renamed(route, name), routes=routes)

    def _held(self) -> Iterator[Part]:
        yield Part("router", self.router)
        yield from (Part(f"routes.{i}", route.asked) for i, route in enumerate(self.routes))

    def _changed(self, steps: list[str], path: str, operator: Operator | None) -> Searcher:
        head, rest = steps[0], steps[1:]
        router, routes = self.router, list(self.routes)
        if head == "router" and not rest:
            needed = Said("“{path}” cannot be left out.", path=path)
            _must(operator is not None, needed, Said("Replace it, or leave out routes."))
            return _made(self, router=operator)
        if head != "routes":
            raise self._unknown(path)
        i = self._place(rest, routes, path)
        if rest[1:]:
            operator = self._within(routes[i].asked, rest[1:], path, operator)
        if operator is None:
            router = router.without(routes.pop(i).name)
        else:
            routes[i] = _made(routes[i], search=operator, rewriting=None)
        return _made(self, router=router, routes=tuple(routes))

    def decided(self, runner: Runner, query: Query) -> Decision:
        """Where this question is sent; decided once in a run."""

        def make() -> Decision:
            return self.router.decide(query, self.routes, lambda name: runner.elsewhere(name).corpus, runner.env)

        return runner.once((Route, self.router, self.routes, query), make)

    def taken(self, told: Decision) -> list[int]:
        """The places of the routes that are asked: the chosen one, or all where the decision is not sure."""
        return [i for i, route in enumerate(self.routes) if route.name == told.route or not told.sure]

    def run(self, runner: Runner, query: Query, k: int) -> Ranking:
        told = self.decided(runner, query)
        taken = [self.routes[i] for i in self.taken(told)]
        deep = k if told.sure else DEPTH
        lists = [runner.elsewhere(route.collection).node(route.asked, query, deep) for route in taken]
        found = lists[0] if len(lists) == 1 else self.merge(gathered(lists), query=query)
        return self._passed_on(found, tuple(lists), told)


def gathered(lists: Sequence[Ranking]) -> list[Ranking]:
    """Lists of several corpora over one corpus: that of the documents in them, in the order of the lists.

    A document whose id another of the corpora has as well gets the name of its corpus before it.
    """
    corpora = list({id(ranking.corpus): ranking.corpus for ranking in lists}.values())
    if len(corpora) == 1:
        return list(lists)

    def renamed(document: Document, corpus: Corpus) -> Document:
        twice = any(other.get(document.id) for other in corpora if other is not corpus)
        return replace(document, id=f"{corpus.name}/{document.id}") if twice else document

    rows = [tuple(replace(h, document=renamed(h.document, r.corpus)) for h in r.hits) for r in lists]
    documents = {hit.document.id: hit.document for row in rows for hit in row}
    corpus = Corpus(" + ".join(corpus.name for corpus in corpora), tuple(documents.values()))
    return [replace(ranking, hits=row, corpus=corpus) for ranking, row in zip(lists, rows, strict=True)]


# ------------------------------------------------------------------------------------------------ at work


class Runner:
    """One corpus, any searches: each node of each search once per question.

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
        self._rewrites: dict[Any, Rewrite] = {}
        self._kept: dict[Hashable, list[Any]] = {}
        self._runners: dict[Any, Runner] = {}
        self._indexes: dict[int, tuple[Searcher, Index]] = {}
        self._before: dict[Any, list[Ranking]] = {}
        self._known: Set[Any] = frozenset()

    def follow(self, before: Runner) -> None:
        """Have the lists that a runner before has found, where nothing can have changed (`Retriever.settled`).

        Each is searched twice: the first time prepares what all searches have, and its seconds are not a search's.
        """
        same = before.corpus is self.corpus and before.models == self.models and before.explain == self.explain
        if same and not self.corpus.elsewhere:
            lists = ((key, made) for key, made in before._made.items() if isinstance(key[0], Retriever))
            found = {key: made for key, made in lists if key[0].settled}
            self._before = {key: made for key, made in found.items() if key in before._known}
            self._known = found.keys()

    @property
    def env(self) -> Env:
        """What the operators are given.  It is not kept: a runner that holds itself is freed late."""
        return Env(self.models, self.explain, self.progress, self)

    def __call__(self, searcher: Searcher, query: str | Query, k: int = DEPTH) -> Ranking:
        """The best ``k`` documents.  Raises `ParameterError` for k < 1."""
        counted("k", k)
        return self.node(searcher, Query.of(query), k)

    def node(self, searcher: Searcher, query: Query, k: int) -> Ranking:
        """The first ``k`` of one node, made once."""
        return self.whole(searcher, query, k).first(k)

    def whole(self, searcher: Searcher, query: Query, k: int) -> Ranking:
        """All of one node, made once; ``k`` is what a bare list is asked for, and cuts nothing that was composed."""
        while type(searcher) is Pipeline and searcher.bare:  # nothing is made of its one list
            searcher = searcher.retrieve[0]
        key = searcher, query, query.kind, 0 if type(searcher) is Pipeline else k
        made = self._made.setdefault(key, [])  # one hash: they take long
        if not made:
            made += (self._before and self._before.get(key)) or [searcher.run(self, query, k)]
        return made[0]

    def rewrite(self, rewriter: Rewriter, query: Query) -> Rewrite:
        """What a rewriter makes of a query, made once."""
        key = (rewriter, query)
        if key not in self._rewrites:
            try:
                made = rewriter.rewrite(query, self.corpus, self.env)
            except ModelError as error:
                if not self.patient:
                    raise
                made = Rewrite(query, (), rewriter, "model", problem=error)
            self._rewrites[key] = made
        return self._rewrites[key]

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What operators keep for the question that is asked: see `Env.once`."""
        made = self._kept.setdefault(key, [])  # one hash here, too
        if not made:
            made.append(make())
        return cast(T, made[0])

    def index(self, searcher: Searcher) -> Index:
        """The index of a retriever: kept with the corpus, and found again by everybody who has this corpus."""
        made = self._indexes.get(id(searcher))  # by itself, which is quick; whoever is like it has the same index
        if made is None:
            index = index_of(searcher, self.corpus, models=self.models, progress=self.progress)
            self._indexes[id(searcher)] = made = searcher, index
        return made[1]

    def derived(self, derivations: Sequence[Derivation]) -> Runner:
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
                Said("Known are: {names}.", names=", ".join([self.corpus.name, *self.others])),
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


def index_of(searcher: Searcher, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> Index:
    """The index of a searcher, made once and kept with the corpus; ``search_time`` knobs need no new one."""
    searcher = corpus.instead(searcher)
    rest = at_rest(searcher)
    key = ("index", rest, *[(name, models.get(name)) for name in searcher.settings])
    index: Index = corpus.awaited(key, lambda told: corpus.index(rest, models=models, progress=told), progress)
    if index.operator is not searcher and index.operator != searcher:
        index = copy.copy(index)
        index.operator = searcher
    return index


def at_rest(searcher: Searcher) -> Searcher:
    """The searcher with its ``search_time`` knobs at their defaults: what its index depends on."""
    later = _search_time(type(searcher))
    changed = {name: default for name, default in later if getattr(searcher, name) != default} if later else {}
    return replace(searcher, **changed) if changed else searcher


@cache
def _search_time(cls: type[Searcher]) -> tuple[tuple[str, Any], ...]:
    """The ``search_time`` knobs of a class with their defaults."""
    return tuple((f.name, f.default) for f in dataclasses.fields(cls) if f.metadata.get("search_time"))


class PipelineIndex(Index):
    """A composed search at work on one corpus; the indexes of its retrievers are kept with the corpus."""

    def __init__(self, operator: Searcher, corpus: Corpus, models: Models, progress: Progress | None) -> None:
        self.operator, self.corpus = operator, corpus
        self._models, self._progress = models, progress

    def search(self, query: str | Query, *, k: int = 100, explain: bool = True) -> Ranking:
        runner = Runner(self.corpus, models=self._models, explain=explain, progress=self._progress)
        return runner(self.operator, query, k)


# ------------------------------------------------------------------------- what >>, %, * and calls stand for


def appended(searcher: Searcher, stage: Stage | Stages) -> Pipeline:
    """A search and then a stage, or several."""
    stages = stage.stages if isinstance(stage, Stages) else (stage,)
    fits("refine", stages, Stage)
    if isinstance(searcher, Pipeline):
        return replace(searcher, refine=(*searcher.refine, *stages))
    return Pipeline((searcher,), refine=stages)


def fused(fusion: Fusion, searchers: Sequence[Searcher | Weighted], depth: int | None = None) -> Pipeline:
    """Searchers under a fusion; weighted ones give it their weights (the others weigh 1)."""
    if any(isinstance(s, Weighted) for s in searchers):
        fusion = fusion.weighted([s.weight if isinstance(s, Weighted) else 1.0 for s in searchers])
    lists = tuple(s.searcher if isinstance(s, Weighted) else s for s in searchers)
    return Pipeline(lists, fuse=fusion, depth=depth)
