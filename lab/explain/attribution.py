"""What each rewording really did: the hits that only it found, those it brought, those it pushed out."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from lab.algebra import Pipeline, Query, QueryVariant, Rewrite, Runner, counted


@dataclass(frozen=True)
class Credit:
    """What one wording did to the first k of the merged list (document ids, best rank first).

    ``only``: hits that no other list has among its first k, the raw query's included.  ``brought`` and
    ``pushed_out``: what would be missing and what would be there in its place, had this wording not been asked.
    """

    wording: QueryVariant | None
    only: tuple[str, ...]
    brought: tuple[str, ...]
    pushed_out: tuple[str, ...]


@dataclass(frozen=True)
class Attribution:
    """The credits of all wordings, and what the whole rewrite gained and lost against the raw query's first k.

    ``relevant`` are the ids judged relevant, None where nobody judged.
    """

    rewrite: Rewrite
    credits: tuple[Credit, ...]
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    relevant: Collection[str] | None = None


def attribute(
    search: Pipeline, query: str | Query, runner: Runner, *, k: int = 10, relevant: Collection[str] | None = None
) -> Attribution:
    """Take a rewritten search of one searcher apart, by the lists that the runner has made for it."""
    counted("k", k)
    assert search.rewrite is not None
    query, searcher, rewriter = Query.of(query), search.retrieve[0], search.rewrite
    before, found = (runner.node(one, query, search.asks) for one in (searcher, search))
    rewrite = found.evidence_as(Rewrite)
    merged, raw = found.ids[:k], before.ids[:k]
    lists = [runner.node(searcher, w, search.asks) for w in rewrite.wordings] if rewrite.queries else [before]
    variants = rewrite.variants if rewrite.queries else (None,)
    index = None if isinstance(searcher, Pipeline) else runner.index(searcher)

    def without(i: int) -> list[str]:
        """The first k of the merged list, had wording ``i`` not been asked; of the raw one where none is left."""
        queries = tuple(v for j, v in enumerate(variants) if j != i and v is not None)
        if not queries:
            return raw
        rest, left = replace(rewrite, queries=queries), lists[:i] + lists[i + 1 :]
        return rewriter.merge(rest, left, index, search.merging, search.asks).ids[:k]

    credits = []
    for i, variant in enumerate(variants):
        others = {d for j, r in enumerate(lists) if j != i for d in r.ids[:k]}
        if variant is not None:
            others.update(raw)
        only = tuple(d for d in lists[i].ids[:k] if d in merged and d not in others)
        less = without(i)
        credits.append(Credit(variant, only, _minus(merged, less), _minus(less, merged)))
    return Attribution(rewrite, tuple(credits), _minus(merged, raw), _minus(raw, merged), relevant)


def _minus(one: Iterable[str], other: Collection[str]) -> tuple[str, ...]:
    return tuple(d for d in one if d not in other)
