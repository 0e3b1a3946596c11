"""Removes the operators of a question before lists see it: an excluded word would otherwise be searched for."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from lab.algebra import (
    ALONE,
    Corpus,
    Env,
    Fallback,
    Lift,
    Pipeline,
    Query,
    QueryVariant,
    Retriever,
    Rewrite,
    Rewriter,
    Searcher,
    Stage,
)
from lab.fuse import RRF
from lab.refine.boolean import ONLY_EXCLUDES
from lab.refine.operators import Operators, read
from lab.rewrite.routing import Route
from lab.words import Said


@dataclass(frozen=True)
class StripOperators(Rewriter):
    """Searches the words of a question without its operators; `lab.refine.operators.Operators` keeps to these.

    Excluded words and the words of metadata fields are left out, since they do not say what a passage is about.
    """

    label = Said("Operators removed")
    about = Said("Searches the words of a question without quotation marks, +, -, AND, OR, NOT and excluded words.")
    merged_by = RRF()
    keeps_original = False
    keeps_list = True

    def rewrite(self, query: Query, corpus: Corpus, env: Env = ALONE) -> Rewrite:
        start, boolean_query = time.perf_counter(), read(query, corpus)
        if not boolean_query.signs or boolean_query.only_excludes:
            unchanged = ONLY_EXCLUDES if boolean_query.only_excludes else Said("The question has no operators.")
            return Rewrite(query, (), self, "rule", unchanged=unchanged, seconds=time.perf_counter() - start)
        variants = (QueryVariant(boolean_query.words, Said("words"), boolean_query.reading if env.explain else ""),)
        return Rewrite(query, variants, self, "rule", evidence=boolean_query, seconds=time.perf_counter() - start)


def with_operators(searcher: Searcher, *, strip: bool = True) -> Searcher:
    """Returns the search with each of its lists searched within what fits the operators of the question.

    Fusions and steps see only what fits; parts of documents are first aggregated, as another part may hold an excluded
    word.  ``strip=False``: the question comes with its operators removed.
    """
    return with_condition(searcher, Operators(), StripOperators() if strip else None)


def with_condition(searcher: Searcher, condition: Stage, rewrite: Rewriter | None = None) -> Searcher:
    """Returns the search with each of its lists searched within a condition, for a question rewritten before."""
    return _with(searcher, rewrite, (condition,))


def _with(searcher: Searcher, rewrite: Rewriter | None, keep: tuple[Stage, ...]) -> Searcher:
    if isinstance(searcher, Retriever) and not (rewrite or keep):
        return searcher
    if isinstance(searcher, Pipeline):
        lifts = [i for i, stage in enumerate(searcher.refine, 1) if isinstance(stage, Lift)]
        at = max(lifts, default=0)
        inner = () if lifts else keep
        lists = tuple(_with(inner_search, rewrite, inner) for inner_search in searcher.retrieve)
        if not lifts:
            return replace(searcher, retrieve=lists)
        refine = (*searcher.refine[:at], *keep, *searcher.refine[at:])
        return replace(searcher, retrieve=lists, refine=refine)
    if isinstance(searcher, Fallback):
        return replace(searcher, **{n: _with(getattr(searcher, n), rewrite, keep) for n in ("first", "then")})
    if isinstance(searcher, Route):
        routes = [replace(route, search=_with(route.search, rewrite, keep)) for route in searcher.routes]
        return replace(searcher, routes=tuple(routes))
    return Pipeline((searcher,), rewrite=rewrite, refine=keep)
