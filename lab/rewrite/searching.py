"""Searching with rewrites: one ranking per generated query, merged by best score, by RRF, or by any fusion.

Scores of different queries are not comparable: with `BestScore` the vaguest rewording can win, which is shown
here so that it can be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lab.core import Contribution, Fusion, Hit, Index, Operator, Ranking, at_least, in_order
from lab.fuse import RRF, list_names
from lab.numeric import unit
from lab.retrieve.vector import VectorIndex
from lab.rewrite.base import QueryVariant, Rewrite
from lab.rewrite.hyde import HyDE
from lab.rewrite.step_back import StepBack
from lab.words import Said

DEPTH = 100
"""So many documents of each list take part in the merging."""


@dataclass(frozen=True)
class Asked(Operator):
    """Who made one list: a retriever, asked with one wording (``kind`` says which, ``number`` from 1 among its kind)."""

    retriever: Operator
    text: str
    kind: str
    number: int = 1

    @property
    def label(self) -> str:
        return f"{self.kind} {self.number}" if self.number else self.kind


@dataclass(frozen=True)
class BestScore(Fusion):
    """Every document with the best score that any list gives it.  Meant for lists of one retriever."""

    @property
    def label(self) -> str:
        return "Best score"

    def fuse(self, rankings: Sequence[Ranking]) -> Sequence[Hit]:
        best: dict[str, Hit] = {}
        for name, ranking in zip(list_names(rankings), rankings, strict=True):
            for hit in ranking.hits:
                known = best.get(hit.document.id)
                if known is None or hit.score > known.score:
                    best[hit.document.id] = Hit(hit.document, hit.score, (Contribution(name, hit.score),))
        return in_order(list(best.values()), rankings[0].corpus, before=rankings)


@dataclass(frozen=True)
class MeanVector(Operator):
    """Who made a list: the mean of the vectors of the query and of its hypothetical documents."""

    retriever: Operator

    @property
    def label(self) -> str:
        return "Mean vector"


@dataclass(frozen=True)
class Searched:
    """A rewrite at work: ``before`` is the raw query's ranking, ``lists`` one per wording that was asked (the
    original is the first where the technique keeps it), ``merged`` what came of them.

    ``wordings`` are the generated queries of the lists, None for the original.
    """

    rewrite: Rewrite
    before: Ranking
    lists: tuple[Ranking, ...]
    wordings: tuple[QueryVariant | None, ...]
    merged: Ranking


DEFAULT = RRF()


def search(
    rewrite: Rewrite, index: Index, *, k: int = 10, fusion: Fusion = DEFAULT, depth: int = DEPTH, explain: bool = True
) -> Searched:
    """The raw ranking, one ranking per wording, and the merged one (each ``max(k, depth)`` deep; merged: ``k``).

    Hypothetical documents on a vector index are searched by their mean with the query.  Step back takes its
    ``concrete_k`` and ``abstract_k`` first documents of the two lists.  A rewrite without queries gives the raw ranking.
    """
    at_least("k", k, 1)
    depth = max(k, depth)
    raw = index.search(rewrite.original, k=depth, explain=explain)
    original = replace(raw, made_by=Asked(index.operator, rewrite.original, "original", 0))
    if not rewrite.queries:
        return Searched(rewrite, raw, (original,), (None,), fusion([original]).top(k))
    lists: list[Ranking] = [original] if rewrite.made_by.keeps_original else []
    wordings: list[QueryVariant | None] = [None] if rewrite.made_by.keeps_original else []
    seen: dict[str, int] = {}
    for made in rewrite.queries:
        seen[made.kind] = seen.get(made.kind, 0) + 1
        found = index.search(made.query, k=depth, explain=explain)
        lists.append(replace(found, made_by=Asked(index.operator, made.text, made.kind, seen[made.kind])))
        wordings.append(made)
    merged = merge(rewrite, index, lists, fusion, k)
    return Searched(rewrite, raw, tuple(lists), tuple(wordings), merged)


def merge(rewrite: Rewrite, index: Index, lists: Sequence[Ranking], fusion: Fusion, k: int) -> Ranking:
    """The ``k`` best of the lists together, in the way of the rewrite's technique; the original's list comes first."""
    technique = rewrite.made_by
    if isinstance(technique, HyDE) and isinstance(index, VectorIndex):
        hits = index.nearest(mean_vector(index, [rewrite.original, *(g.text for g in rewrite.queries)]), k)
        return Ranking(rewrite.original, hits, MeanVector(index.operator), parents=tuple(lists), corpus=index.corpus)
    if isinstance(technique, StepBack) and len(lists) == 2:
        concrete, abstract = lists
        cut = replace(concrete, hits=concrete.hits[: technique.concrete_k]), abstract.top(technique.abstract_k)
        return replace(fusion(cut), query=rewrite.original).top(k)
    return replace(fusion(list(lists)), query=rewrite.original).top(k)


def mean_vector(index: VectorIndex, texts: Sequence[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """The mean of the vectors of a query (the first) and of hypothetical documents, shape [d]; in the cosine space of unit vectors."""
    query = np.asarray(index.encoder.queries([texts[0]]), dtype=np.float64)
    documents = np.asarray(index.encoder.documents(list(texts[1:])), dtype=np.float64).reshape(-1, query.shape[1])
    rows = np.concatenate([query, documents])
    if index.operator.space == "cosine":
        return np.asarray(unit(unit(rows).mean(0)[None])[0])
    return np.asarray(rows.mean(0))


def origin(searched: Searched, doc_id: str) -> str:
    """In words, which wordings found this document: for marks beside the hits of step back."""
    names = [r.made_by.label for r in searched.merged.parents if r.rank(doc_id) is not None]
    return Said("{lists}", lists=" + ".join(names)) if names else ""
