"""Near-duplicates of a whole corpus: how many passages have a neighbour that says almost the same.

Every passage is compared with every other by the cosine of the model's vectors of whole passages, block by block, so
nothing is sampled and no pair is missed.  10,000 passages take about two seconds; `MOST` is the limit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lab.algebra import Corpus, Document, Progress
from lab.models.embedders import Embedder, Vectors, vectors_of
from lab.numeric import DIGITS, Floats, Ints, unit

MOST = 30_000
"""Passages of the largest corpus that is compared: nine times the pairs of 10,000."""
BLOCK = 1024
MARGIN = 1e-5
"""A generous bound of the error of a float32 cosine."""
MOST_PAIRS = 1000
"""Pairs that are listed, the most similar first."""


@dataclass(frozen=True)
class Pair:
    """Two passages, in corpus order, and their cosine."""

    first: Document
    second: Document
    cosine: float


@dataclass(frozen=True)
class NearDuplicates:
    """The passages of a corpus with a neighbour at ``threshold`` or more.

    ``pairs`` are the most similar ones, `MOST_PAIRS` at most of ``total_pairs``.  ``groups`` are the passages that are
    connected by pairs, the largest group first.
    """

    threshold: float
    passages: int
    total_pairs: int
    pairs: tuple[Pair, ...]
    groups: tuple[tuple[Document, ...], ...]

    @property
    def count(self) -> int:
        """Number of passages with a neighbour."""
        return sum(map(len, self.groups))


def near_duplicates(
    corpus: Corpus, embedder: Embedder, threshold: float = 0.9, *, progress: Progress | None = None
) -> NearDuplicates:
    """Returns all pairs of passages with a cosine of at least ``threshold``; a passage without a vector has none."""
    n, documents = len(corpus), corpus.documents
    vectors = vectors_of(embedder, corpus, progress=progress)
    narrow = unit(vectors).astype(np.float32)
    best, firsts, total = list[tuple[float, int, int]](), np.arange(n), 0
    for start in range(0, n, BLOCK):
        near = np.triu(narrow[start : start + BLOCK] @ narrow[start:].T, k=1)  # every pair once
        first, second = np.nonzero(near >= threshold - MARGIN)
        cosines = near[first, second].astype(np.float64)
        first, second = first + start, second + start
        close = np.flatnonzero(cosines < threshold + MARGIN)  # float32 cannot decide these
        cosines[close] = _exact(vectors, first[close], second[close])
        near_enough = cosines >= threshold
        first, second, cosines = first[near_enough], second[near_enough], cosines[near_enough]
        firsts, total = _joined(firsts, first, second), total + len(first)
        top = np.argpartition(-cosines, MOST_PAIRS)[:MOST_PAIRS] if len(cosines) > MOST_PAIRS else slice(None)
        exact = _exact(vectors, first[top], second[top])
        best += zip((-exact).tolist(), first[top].tolist(), second[top].tolist(), strict=True)
        best = sorted(best)[:MOST_PAIRS]
        if progress:
            progress(min(start + BLOCK, n), n)
    groups = dict[int, list[Document]]()
    for document, head in zip(documents, firsts.tolist(), strict=True):
        groups.setdefault(head, []).append(document)
    ordered = sorted((tuple(group) for group in groups.values() if len(group) > 1), key=len, reverse=True)
    pairs = tuple(Pair(documents[i], documents[j], -cosine) for cosine, i, j in best)
    return NearDuplicates(threshold, n, total, pairs, tuple(ordered))


def _exact(vectors: Vectors, first: Ints, second: Ints) -> Floats:
    """Returns the cosines of these pairs, computed in float64."""
    cosines = np.zeros(len(first))
    for start in range(0, len(first), BLOCK * 8):
        part = slice(start, start + BLOCK * 8)
        cosines[part] = np.einsum("ij,ij->i", unit(vectors[first[part]]), unit(vectors[second[part]]))
    return cosines.round(DIGITS)


def _joined(groups: Ints, first: Ints, second: Ints) -> Ints:
    """Returns the first passage of each one's group, by position, after these pairs have joined their groups."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(groups)
    rows, columns = np.concatenate([first, np.arange(n)]), np.concatenate([second, groups])
    labels = connected_components(coo_array((np.ones(len(rows), bool), (rows, columns)), shape=(n, n)), False)[1]
    return np.asarray(np.unique(labels, return_index=True)[1][labels])
