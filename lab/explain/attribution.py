"""What each wording of a query contributed: results that only it found, results it added, results it displaced."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from lab.algebra import Pipeline, Query, QueryVariant, Rewrite, Runner, counted


@dataclass(frozen=True)
class Credit:
    """What one wording did to the first k of the merged list (document ids, best rank first).

    ``only``: results that no other list, the raw query's included, has among its first k.  ``brought`` and
    ``pushed_out``: results that would be missing, and results that would be there instead, without this wording.
    """

    wording: QueryVariant | None
    only: tuple[str, ...]
    brought: tuple[str, ...]
    pushed_out: tuple[str, ...]


@dataclass(frozen=True)
class Attribution:
    """The credits of all wordings, and the results that the whole rewrite gained and lost against the raw query.

    ``relevant`` are the ids judged relevant, None if there are no judgments.
    """

    rewrite: Rewrite
    credits: tuple[Credit, ...]
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    relevant: Collection[str] | None = None


def attribute(
    search: Pipeline, query: str | Query, runner: Runner, *, k: int = 10, relevant: Collection[str] | None = None
) -> Attribution:
    """Credits each wording of a rewritten search of one searcher, from the lists that the runner already has."""
    counted("k", k)
    assert search.rewrite is not None
    query, searcher, rewriter = Query.of(query), search.retrieve[0], search.rewrite
    before, after = (runner.node(part, query, search.asks) for part in (searcher, search))
    rewrite = after.evidence_as(Rewrite)
    merged, raw = after.ids[:k], before.ids[:k]
    lists = [runner.node(searcher, w, search.asks) for w in rewrite.wordings] if rewrite.queries else [before]
    variants = rewrite.variants if rewrite.queries else (None,)
    index = None if isinstance(searcher, Pipeline) else runner.index(searcher)

    def without(i: int) -> list[str]:
        """Returns the first k ids merged without wording ``i``; the raw query's if no wording remains."""
        queries = tuple(v for j, v in enumerate(variants) if j != i and v is not None)
        if not queries:
            return raw
        rest, left = replace(rewrite, queries=queries), lists[:i] + lists[i + 1 :]
        return rewriter.merge(rest, left, index, search.merging, search.asks).ids[:k]

    credits = []
    for i, variant in enumerate(variants):
        in_other_lists = {d for j, r in enumerate(lists) if j != i for d in r.ids[:k]}
        if variant is not None:
            in_other_lists.update(raw)
        only = tuple(d for d in lists[i].ids[:k] if d in merged and d not in in_other_lists)
        less = without(i)
        credits.append(Credit(variant, only, _minus(merged, less), _minus(less, merged)))
    return Attribution(rewrite, tuple(credits), _minus(merged, raw), _minus(raw, merged), relevant)


def _minus(ids: Iterable[str], other: Collection[str]) -> tuple[str, ...]:
    return tuple(d for d in ids if d not in other)
