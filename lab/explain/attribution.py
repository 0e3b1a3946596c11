"""What each rewording really did: the hits that only it found, those it brought, those it pushed out."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from lab.core import Query, QueryVariant, Ranking, Rewrite, at_least
from lab.pipeline import Pipeline, Runner


@dataclass(frozen=True)
class Credit:
    """What one wording did to the first k of the merged list (document ids, best rank first).

    ``only``: hits that no other list has among its first k, the raw query's included.  ``brought`` and
    ``pushed_out``: what would be missing and what would be there in its place, had this wording not been asked.
    ``relevant`` are those ids of these that were judged relevant; None where there are no judgments.
    """

    wording: QueryVariant | None
    only: tuple[str, ...]
    brought: tuple[str, ...]
    pushed_out: tuple[str, ...]
    relevant: frozenset[str] | None = None


@dataclass(frozen=True)
class Attribution:
    """The credits of all wordings, and what the whole rewrite gained and lost against the raw query's first k."""

    k: int
    rewrite: Rewrite
    credits: tuple[Credit, ...]
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    relevant: frozenset[str] | None = None


def attribute(
    search: Pipeline, query: str | Query, runner: Runner, *, k: int = 10, relevant: Collection[str] | None = None
) -> Attribution:
    """Take a rewritten search of one searcher apart, by the lists that the runner has made for it.

    ``relevant`` are the ids judged relevant, None where nobody judged.
    """
    at_least("k", k, 1)
    assert search.rewrite is not None
    query, searcher = Query.of(query), search.retrieve[0]
    rewrite = runner.rewrite(search.rewrite, query)
    whole = runner.node(search, query, search.asks)
    before = runner.node(searcher, query, search.asks)
    lists = [runner.node(searcher, w, search.asks) for w in rewrite.wordings] if rewrite.queries else [before]
    variants = rewrite.variants if rewrite.queries else (None,)
    merged, raw, firsts = _first(whole, k), _first(before, k), [_first(r, k) for r in lists]
    credits = []
    for i, variant in enumerate(variants):
        others = set(raw if variant is not None else ()).union(*(f for j, f in enumerate(firsts) if j != i))
        only = tuple(d for d in firsts[i] if d in merged and d not in others)
        without = _without(search, rewrite, lists, i, runner, before, k)
        brought, pushed = _minus(merged, without), _minus(without, merged)
        credits.append(Credit(variant, only, brought, pushed, _judged((*only, *brought, *pushed), relevant)))
    gained, lost = _minus(merged, raw), _minus(raw, merged)
    return Attribution(k, rewrite, tuple(credits), gained, lost, _judged((*gained, *lost), relevant))


def _without(
    search: Pipeline, rewrite: Rewrite, lists: list[Ranking], i: int, runner: Runner, before: Ranking, k: int
) -> tuple[str, ...]:
    """The first k of the merged list, had wording ``i`` not been asked; the raw ranking where none is left."""
    assert search.rewrite is not None
    left = [r for j, r in enumerate(lists) if j != i]
    variants = tuple(v for j, v in enumerate(rewrite.variants) if j != i and v is not None)
    if not left or not variants:
        return _first(before, k)
    searcher = search.retrieve[0]
    index = None if isinstance(searcher, Pipeline) else runner.index(searcher)
    rest = replace(rewrite, queries=variants)
    return _first(search.rewrite.merge(rest, left, index, search.merge, search.asks), k)


def _first(ranking: Ranking, k: int) -> tuple[str, ...]:
    return tuple(ranking.ids[:k])


def _minus(one: Iterable[str], other: Collection[str]) -> tuple[str, ...]:
    return tuple(d for d in one if d not in other)


def _judged(ids: Iterable[str], relevant: Collection[str] | None) -> frozenset[str] | None:
    return None if relevant is None else frozenset(d for d in ids if d in relevant)
