"""What each rewording really did: the hits that only it found, those it brought, those it pushed out.

`attribute` takes one merged search apart; `gains` asks all queries of a collection with and without a technique.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from lab.core import Fusion, Index, Progress, at_least
from lab.corpus import beir
from lab.errors import ModelError
from lab.models.chat import LanguageModel
from lab.rewrite.base import QueryVariant, Rewrite, Rewriter, apply
from lab.rewrite.searching import DEFAULT, DEPTH, Searched, merge, search


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
    credits: tuple[Credit, ...]
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    relevant: frozenset[str] | None = None


def attribute(
    searched: Searched, index: Index, *, k: int = 10, fusion: Fusion = DEFAULT, relevant: Collection[str] | None = None
) -> Attribution:
    """Take a merged search apart.  ``relevant`` are the ids judged relevant, None where nobody judged.

    ``fusion`` is the one that `search` was called with: every wording is left out in turn and the rest merged anew.
    """
    at_least("k", k, 1)
    merged, raw = _first(searched.merged.hits, k), _first(searched.before.hits, k)
    firsts = [_first(r.hits, k) for r in searched.lists]
    credits = []
    for i, wording in enumerate(searched.wordings):
        others = set(raw if wording is not None else ()).union(*(f for j, f in enumerate(firsts) if j != i))
        only = tuple(d for d in firsts[i] if d in merged and d not in others)
        without = _without(searched, index, i, k, fusion)
        brought, pushed = _minus(merged, without), _minus(without, merged)
        credits.append(Credit(wording, only, brought, pushed, _judged((*only, *brought, *pushed), relevant)))
    gained, lost = _minus(merged, raw), _minus(raw, merged)
    return Attribution(k, tuple(credits), gained, lost, _judged((*gained, *lost), relevant))


def _without(searched: Searched, index: Index, i: int, k: int, fusion: Fusion) -> tuple[str, ...]:
    """The first k of the merged list, had the wording ``i`` not been asked; the raw ranking where none is left."""
    lists = [r for j, r in enumerate(searched.lists) if j != i]
    left = tuple(w for j, w in enumerate(searched.wordings) if j != i and w is not None)
    if not lists or not left:
        return _first(searched.before.hits, k)
    rest = Rewrite(searched.rewrite.original, left, searched.rewrite.made_by, searched.rewrite.by)
    return _first(merge(rest, index, lists, fusion, k).hits, k)


def _first(hits: Iterable[object], k: int) -> tuple[str, ...]:
    return tuple(h.document.id for h in list(hits)[:k])  # type: ignore[attr-defined]


def _minus(one: Iterable[str], other: Collection[str]) -> tuple[str, ...]:
    return tuple(d for d in one if d not in other)


def _judged(ids: Iterable[str], relevant: Collection[str] | None) -> frozenset[str] | None:
    return None if relevant is None else frozenset(d for d in ids if d in relevant)


# ------------------------------------------------------------------------------------------------ gains


@dataclass(frozen=True)
class Gain:
    """Recall@k of one query before and after; ``problem`` is why the model's rewrite is not there (then after = before)."""

    query: beir.Query
    before: float
    after: float
    queries: tuple[str, ...] = ()
    problem: ModelError | None = None


@dataclass(frozen=True)
class Gains:
    """All judged queries of a collection under one technique."""

    technique: Rewriter
    k: int
    each: tuple[Gain, ...]

    def mean(self, kind: str | None = None) -> tuple[float, float]:
        """Mean recall before and after, of all queries or of those of one type (nan, nan where there are none)."""
        chosen = [g for g in self.each if kind is None or g.query.metadata.get("type") == kind]
        if not chosen:
            return float("nan"), float("nan")
        return sum(g.before for g in chosen) / len(chosen), sum(g.after for g in chosen) / len(chosen)

    def counts(self, kind: str | None = None) -> tuple[int, int]:
        """How many queries got better and how many worse."""
        chosen = [g for g in self.each if kind is None or g.query.metadata.get("type") == kind]
        return sum(g.after > g.before for g in chosen), sum(g.after < g.before for g in chosen)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The types of the queries, in order of appearance."""
        return tuple(dict.fromkeys(str(g.query.metadata["type"]) for g in self.each if "type" in g.query.metadata))


def gains(
    collection: beir.Collection,
    technique: Rewriter,
    index: Index,
    *,
    k: int = 10,
    fusion: Fusion = DEFAULT,
    depth: int = DEPTH,
    model: LanguageModel | None = None,
    feedback: Index | None = None,
    queries: Iterable[beir.Query] | None = None,
    progress: Progress | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Gains:
    """Recall@k of every judged query, raw and rewritten; ``feedback`` is the index that rules learn from (see `apply`).

    ``progress`` is called with (done, total) after each query and may raise; where ``cancel`` turns true, what
    is done until then is returned.  A model that fails leaves its query as it was, with the problem told.
    """
    chosen = collection.judged if queries is None else tuple(q for q in queries if collection.relevant(q.id))
    out = []
    for done, query in enumerate(chosen, 1):
        if cancel and cancel():
            break
        relevant = collection.relevant(query.id)
        problem = None
        try:
            rewrite = apply(technique, query.text, collection.corpus, model=model, index=feedback)
        except ModelError as error:
            rewrite, problem = Rewrite(query.text.strip(), (), technique, "model"), error
        found = search(rewrite, index, k=k, fusion=fusion, depth=depth, explain=False)
        before = recall(relevant, _first(found.before.hits, k))
        after = recall(relevant, _first(found.merged.hits, k)) if rewrite.queries else before
        out.append(Gain(query, before, after, tuple(g.text for g in rewrite.queries), problem))
        if progress:
            progress(done, len(chosen))
    return Gains(technique, k, tuple(out))


def recall(relevant: Mapping[str, int], found: Collection[str]) -> float:
    """The share of the relevant documents that were found."""
    return sum(d in found for d in relevant) / len(relevant)
