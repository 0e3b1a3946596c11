"""The graph and the cells of a corpus: what a question's search in them finds, compares and loses.

The exact search of the same vectors is the reference, with the same distances and the same order of ties.  A filter
works in one of two ways: in the search, where only passages that pass are kept, or after the cut, where the nearest ten
are filtered and nothing takes the place of what goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import cast

import numpy as np

from lab.algebra import Corpus, Document, Progress, Query
from lab.explain.graph import Cells, Graph, Probe, Walk, apart, build, cells_of, probe, walk
from lab.numeric import Floats, Ints, unit
from lab.retrieve.store import ExactVector, ExactVectorIndex, Rows
from lab.retrieve.where import filter_test

MOST = 2_000
"""Passages in the graph at most: it is built in Python."""
K = 10
"""The nearest passages that a search is cut to, and that are compared with the exact ones."""
FILTERS = ("none", "search", "after")
"""No filter, a filter in the search, a filter after the cut."""
BREADTHS = (10, 16, 24, 32, 50, 100, 200, 500, 1000)
"""Values of ef in the curve, below the number of passages."""
KINDS = ("graph", "cells")


@dataclass(frozen=True, eq=False)
class Structures:
    """The graph and the cells of a corpus.

    ``places`` are the positions of the nodes in the corpus: all passages with a vector, or a sample of `MOST`, drawn
    from ``total``.  ``search`` is the exact search without filter and thresholds.  ``rows`` are the vectors of the
    nodes, and ``equal`` says whether they are all the same.
    """

    search: ExactVector
    corpus: Corpus
    places: Ints
    graph: Graph
    cells: Cells
    total: int
    equal: bool
    rows: Rows

    def __len__(self) -> int:
        return len(self.places)

    @cached_property
    def documents(self) -> tuple[Document, ...]:
        """The passage of every node."""
        return tuple(self.corpus.documents[place] for place in self.places.tolist())

    def breadths(self, kind: str) -> tuple[int, ...]:
        """Returns the values of ef, or of nprobe, that a search can have here; the last looks at everything."""
        if kind == "cells":
            last = max(len(self.cells), 1)
            return (*(1 << i for i in range(last.bit_length()) if 1 << i < last), last)
        return (*(ef for ef in BREADTHS if ef < len(self)), max(len(self), 1))

    def ask(self, query: str | Query, where: str = "") -> Asked | None:
        """Returns the search of a question; None without a vector to compare.  Raises `QueryError` for the filter."""
        index = cast(ExactVectorIndex, self.corpus.index(self.search))
        query = Query.of(query)
        vector = index.query_vector(query) if len(self) and not query.blank else np.zeros(0)
        if not vector.any():
            return None
        scores = index.scores(self.places, vector).tolist()
        distances = np.array([self.search.distance(score) if score else np.inf for score in scores])
        condition, allowed = replace(self.search, where=where).filter, None
        if condition:
            passing = filter_test(condition)
            allowed = frozenset(node for node, d in enumerate(self.documents) if passing(d.metadata))
        return Asked(self, vector, distances, apart(self.search.space, self.cells.centres, vector), allowed)


def structures_of(
    search: ExactVector, corpus: Corpus, *, seed: int = 0, progress: Progress | None = None
) -> Structures:
    """Returns the graph and the cells of the vectors of a search, in its space; made once, kept with the corpus.

    ``seed`` draws the layers, the first centres, and the sample of a corpus with more than `MOST` passages.
    """
    search = replace(search, where="", max_distance=None, min_relevance=None)

    def make(report: Progress | None) -> tuple[Ints, Graph, Cells, int, bool, Rows]:
        index = search.index(corpus, progress=report)
        there = np.flatnonzero(index.rows.lengths)
        places = there
        if len(there) > MOST:
            places = np.sort(np.random.default_rng(seed).choice(there, MOST, replace=False))
        rows = np.asarray(search.rows(corpus, places.tolist()), dtype=np.float64)
        rows = unit(rows) if search.space == "cosine" else rows
        graph = build(rows, search.space, seed=seed, beat=report or (lambda *_: None))
        equal = len(rows) > 0 and bool((rows == rows[0]).all())
        return places, graph, cells_of(rows, seed=seed), len(there), equal, rows.astype(np.float32)

    return Structures(search, corpus, *corpus.awaited(("structures", search, seed), make, progress))


@dataclass(frozen=True)
class Loss:
    """A node of the exact first ten that a search does not find: its exact ``rank``.

    ``cut`` is its exact rank without the filter if that is behind the cut, so that no search could keep it; else 0.
    """

    node: int
    rank: int
    cut: int


@dataclass(frozen=True)
class Outcome:
    """What a search finds: up to ten nodes, nearest first, the exact first ten, and what of these is lost."""

    found: tuple[int, ...]
    exact: tuple[int, ...]
    losses: tuple[Loss, ...]

    @property
    def hits(self) -> int:
        """How many of the exact first ten are found."""
        return len(self.exact) - len(self.losses)

    @property
    def recall(self) -> float | None:
        """The share of the exact first ten that is found; None if there are none to find."""
        return self.hits / len(self.exact) if self.exact else None


@dataclass(frozen=True, eq=False)
class Asked:
    """One question: its vector, its distances from nodes and centres, and the nodes that pass a filter (None: all).

    A node whose score is 0 shares nothing with the question and is infinitely far away.
    """

    structures: Structures
    vector: Floats
    distances: Floats
    to_centres: Floats
    allowed: frozenset[int] | None

    def filtered(self, how: str) -> frozenset[int] | None:
        """The nodes that pass if the filter works in this way (`FILTERS`); None without a filter."""
        return None if how == "none" else self.allowed

    def walk(self, ef: int, how: str = "none") -> Walk:
        return walk(self.structures.graph, self.distances, ef, self.filtered(how) if how == "search" else None)

    def probe(self, nprobe: int, how: str = "none") -> Probe:
        """The search in the nearest cells."""
        allowed = self.filtered(how) if how == "search" else None
        return probe(self.structures.cells, self.to_centres, self.distances, nprobe, allowed)

    def visit(self, kind: str, breadth: int, how: str = "none") -> Walk | Probe:
        """The search in the graph or in the cells (`KINDS`)."""
        return self.walk(breadth, how) if kind == "graph" else self.probe(breadth, how)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """All nodes that share something with the question, nearest first."""
        order = np.lexsort((np.arange(len(self.distances)), self.distances))
        return tuple(order[np.isfinite(self.distances[order])].tolist())

    def outcome(self, searched: Walk | Probe, how: str = "none") -> Outcome:
        """Cuts what a search has kept to ten, filters it if that comes after, and compares it with the exact list."""
        allowed = self.filtered(how)
        kept = tuple(node for node in searched.kept if np.isfinite(self.distances[node]))[:K]
        found = kept if allowed is None else tuple(node for node in kept if node in allowed)
        passing = self.order if allowed is None else tuple(node for node in self.order if node in allowed)
        exact, losses = passing[:K], list[Loss]()
        for rank, node in enumerate(exact, 1):
            if node not in found:
                without = self.order.index(node) + 1
                losses.append(Loss(node, rank, without if how == "after" and without > K else 0))
        return Outcome(found, exact, tuple(losses))


@dataclass(frozen=True)
class Point:
    """Means over questions: the recall of a search of this breadth, and the share of the vectors it compares."""

    breadth: int
    recall: float
    share: float


def curve(asked: Sequence[Asked], kind: str, how: str, *, progress: Progress | None = None) -> tuple[Point, ...]:
    """Returns a point for every breadth; questions of which nothing can be found are left out."""
    points = list[Point]()
    if not asked:
        return ()
    structures = asked[0].structures
    breadths = structures.breadths(kind)
    for i, breadth in enumerate(breadths):
        recalls, shares = list[float](), list[float]()
        for case in asked:
            searched = case.visit(kind, breadth, how)
            recall = case.outcome(searched, how).recall
            if recall is not None:
                recalls.append(recall)
                shares.append(len(searched.compared()) / len(structures))
        if recalls:
            points.append(Point(breadth, fmean(recalls), fmean(shares)))
        if progress:
            progress(i + 1, len(breadths))
    return tuple(points)
