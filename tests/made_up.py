"""Searches made up by chance from everything that the catalogue knows, and the composition by hand."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st
from specimens import ELSEWHERE

from lab import catalog
from lab.algebra import (
    DEPTH,
    Composed,
    Corpus,
    Derivation,
    Fallback,
    Fusion,
    Lift,
    Operator,
    Pipeline,
    Query,
    Ranking,
    Retriever,
    Rewriter,
    Searcher,
    Stage,
)
from lab.errors import ParameterError
from lab.models.embedders import Embedder
from lab.refine.tags import Tags
from lab.rewrite.routing import Destination, Route, WordTable
from lab.text import MODES, STEMS, Analyzer

SLOW = {"ChromaVector", "LanguageModelJudge", "MilvusBM25", "MilvusVector", "ModelExtractor"}
"""What is only written and read again here; it works in tests of its own."""
COMPOSED = {"Pipeline", "Fallback", "Route", "Selective"}
NAMES = [
    "",
    "hybrid",
    "混合 检索",
    'a "quoted" name',
    "back\\slash",
    "two\nlines",
    "tab\there",
    "\x7f",
    "]]",
    "'''",
    "# no",
]


@st.composite
def analyzers(draw: st.DrawFn) -> Analyzer:
    words = st.frozensets(st.sampled_from(["的", "了", "the", "of"]), max_size=3)
    mode, stem = draw(st.sampled_from(list(MODES))), draw(st.sampled_from(list(STEMS)))
    single, pairs, bigrams, *others = (draw(st.booleans()) for _ in range(7))
    return Analyzer(mode, single, draw(words), (), pairs, bigrams, stem, *others)


def classes(found: Mapping[str, type[Operator]], *, working: bool) -> list[type[Any]]:
    """The classes of a kind that can be put into a file (and to work, without a model)."""
    return [
        c
        for name, c in found.items()
        if c.portable and name not in COMPOSED and not (working and name in ELSEWHERE | SLOW)
    ]


@st.composite
def operators(draw: st.DrawFn, kind: Any, *, working: bool = False) -> Any:
    """An operator of this kind (a function of the catalogue), its knobs drawn within their ranges."""
    cls = draw(st.sampled_from(classes(kind(), working=working)))
    return draw(knobs(cls, working=working))


@st.composite
def knobs(draw: st.DrawFn, cls: type[Any], *, working: bool = False) -> Any:
    values: dict[str, Any] = {}
    for f in dataclasses.fields(cls):
        default = f.default_factory() if f.default_factory is not dataclasses.MISSING else f.default
        if draw(st.booleans()):
            continue
        value = draw(_value(f, default, working))
        if value is not None:
            values[f.name] = value
    if cls.__name__ == "KeywordExclusion":
        values["words"] = tuple(draw(st.lists(st.sampled_from(["beta", "电池", 'quo"te', "a\\b"]), max_size=2)))
    if cls.__name__ == "Where":
        written = ["", "n > 1,000 and a = b", 'not ("x y" in (甲, "it\'s")) or d is missing']
        values["condition"] = draw(st.sampled_from(written))
    if cls.__name__ == "MetadataFilter" and "max_age_days" in values:
        values["as_of"] = "2025-06-30"
    if cls.__name__ == "Compressed" and working:
        values.pop("bytes", None)  # it must divide the number of dimensions
    try:
        return cls(**values)
    except ParameterError:  # two knobs that do not agree
        assume(False)


def _value(f: dataclasses.Field[Any], default: Any, working: bool) -> st.SearchStrategy[Any]:
    meta = f.metadata
    if meta.get("choices"):
        return st.sampled_from(meta["choices"])
    if isinstance(default, bool):
        return st.booleans()
    if meta.get("kind") == "number":
        low, high = meta["low"], meta["high"]
        if isinstance(default, int) or (default is None and isinstance(low, int)):
            low = low or 0
            return st.integers(low, min(high if high is not None else low + 40, low + 40))
        low, high = (-5.0 if low is None else low), (5.0 if high is None else high)
        return st.floats(low, high, allow_nan=False).filter(math.isfinite)
    if isinstance(default, Analyzer):
        return analyzers()
    if isinstance(default, Embedder):
        return operators(catalog.embedders, working=working) if not working else st.just(default)
    if isinstance(default, Tags) and not working:
        return knobs(Tags)
    if f.name == "learns_from" and not working:
        return searches(most=1)
    if f.name == "weights":
        return st.none()  # they belong to a number of lists
    if f.name == "template" and not working:
        return st.sampled_from(['say {question} in "other" words', "换一种说法：{question}\n{n}"])
    return st.none()


@st.composite
def searches(draw: st.DrawFn, *, most: int = 3, working: bool = False) -> Searcher:
    """A retriever, or a search composed of searches, at most so deep."""
    retrievers = operators(catalog.retrievers, working=working)
    if most <= 0:
        return draw(retrievers)
    inner = searches(most=most - 1, working=working)
    shape = draw(st.sampled_from(["retriever", "pipeline", "pipeline", "pipeline", "fallback", "route"]))
    if shape == "retriever":
        return draw(retrievers)
    if shape == "fallback":
        return Fallback(draw(inner), draw(inner))
    if shape == "route":
        table = (("battery", "one"), ("电池", "two"))[: draw(st.integers(0, 2))]
        routes = (Destination("one", draw(inner)), Destination("two", draw(inner)))
        return Route(WordTable(table, draw(st.sampled_from(["", "one", "two"]))), routes)
    lists = tuple(draw(st.lists(inner, min_size=1, max_size=3 if most > 1 else 2)))
    fuse = draw(operators(catalog.fusions)) if len(lists) > 1 or draw(st.booleans()) else None
    if fuse is not None and hasattr(fuse, "weights") and draw(st.booleans()):
        weights = draw(st.lists(st.floats(0.015625, 8), min_size=len(lists), max_size=len(lists)))
        fuse = fuse.weighted(weights)
    derived = st.lists(operators(catalog.derivations, working=working), max_size=1)
    derive = tuple(draw(derived)) if not draw(st.integers(0, 3)) else ()
    drawn = draw(st.lists(operators(catalog.stages, working=working), max_size=2))
    stages = [s for s in drawn if not isinstance(s, Lift)]
    return Pipeline(
        lists,
        derive=derive,
        rewrite=draw(operators(catalog.rewriters, working=working)) if not draw(st.integers(0, 3)) else None,
        merge=draw(operators(catalog.fusions)),
        fuse=fuse,
        refine=(*([Lift()] if derive else []), *stages),
        depth=draw(st.sampled_from([None, None, 1, 3, 7, 100])),
        name=draw(st.sampled_from(NAMES)),
    )


def by_hand(search: Searcher, corpus: Corpus, query: Query, k: int) -> Ranking:
    """The same without a runner: search each list at its depth, merge the wordings, fuse, apply the stages, cut."""
    if isinstance(search, Fallback):
        first = by_hand(search.first, corpus, query, k)
        found = first if first.hits else by_hand(search.then, corpus, query, k)
        return dataclasses.replace(found, made_by=search)
    if isinstance(search, Route):
        told = search.router.decide(query, search.routes, lambda _name: corpus)
        chosen = next(r for r in search.routes if r.name == told.route)
        return dataclasses.replace(by_hand(chosen.asked, corpus, query, k), made_by=search)
    if not isinstance(search, Pipeline):
        return search.index(corpus).search(query, k=k)
    bare = not (search.fuse or search.rewrite or search.refine or search.derive) and search.depth is None
    depth = k if bare else DEPTH if search.depth is None else search.depth
    for derivation in search.derive:
        assert isinstance(derivation, Derivation)
        corpus = derivation(corpus)
    times = math.prod(getattr(derivation, "fetch", 1) for derivation in search.derive)  # pieces, not documents
    depth, given = times * depth, search.depth if times == 1 else times * depth
    lists = []
    for one in search.retrieve:
        made = search.rewrite.rewrite(query, corpus) if isinstance(search.rewrite, Rewriter) else None
        held = [part.operator for part in one.parts()] if isinstance(one, Composed) else [one]
        left = made and made.made_by.declines(r for r in held if isinstance(r, Retriever))
        if made is None or not made.queries or left:
            lists.append(by_hand(one, corpus, query, depth))
            continue
        found = [by_hand(one, corpus, wording, depth) for wording in made.wordings]
        index = None if isinstance(one, Pipeline | Fallback | Route) else one.index(corpus)
        own = Pipeline((one,), rewrite=search.rewrite, merge=search.merge, depth=given)
        lists.append(dataclasses.replace(made.made_by.merge(made, found, index, search.merging, depth), made_by=own))
    assert search.fuse is None or isinstance(search.fuse, Fusion)
    ranking = lists[0] if search.fuse is None else search.fuse(lists, query=query)
    for stage in search.refine:
        assert isinstance(stage, Stage)
        ranking = stage(ranking)
    return ranking.first(k)
