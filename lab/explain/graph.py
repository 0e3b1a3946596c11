"""What an approximate search looks at: a walk in a graph of neighbours, layer by layer, or the nearest cells.

`build` and `walk` are the textbook algorithms with every step kept for display; the stores of `lab.retrieve` have
their own graphs.  A node is the number of a row, and a distance is smaller for what is nearer, in each of three spaces:
1 - cosine, 1 - inner product, or the squared Euclidean distance.

Sources: Y. Malkov and D. Yashunin, *Efficient and Robust Approximate Nearest Neighbor Search Using Hierarchical
Navigable Small World Graphs*, IEEE TPAMI 42 (4), 2020, doi:10.1109/TPAMI.2018.2889473, algorithms 1, 2 and 4; a filter
in the walk as in hnswlib, which continues until ``ef`` nodes that pass are kept.  J. Sivic and A. Zisserman, *Video
Google*, ICCV 2003 (an inverted file of cells).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush

import numpy as np

from lab.algebra import counted
from lab.numeric import DIGITS, Floats, Ints, k_means, nearest, unit

M = 8
"""Neighbours that a new node is linked to on each layer; the lowest layer stores up to twice as many."""
EF_CONSTRUCTION = 64
"""Candidates kept while a new node looks for its neighbours."""
FEWEST = 3
"""With fewer nodes there is one layer."""

Links = Mapping[int, Sequence[int]]
Distances = Sequence[float] | memoryview
"""The distance of one vector from every node, by its number."""


def apart(space: str, rows: Floats, vector: Floats) -> Floats:
    """Returns the distance of every row from a vector, [n]; equal rows have exactly equal distances."""
    if space == "l2":
        away = rows - vector
        return np.asarray(np.einsum("ij,ij->i", away, away).round(DIGITS))
    if space == "cosine":
        rows, vector = unit(rows), unit(vector[None])[0]
    return np.asarray((1 - np.einsum("ij,j->i", rows, vector)).round(DIGITS))


def _table(space: str, rows: Floats) -> Floats:
    """Returns the distances of all rows from each other, [n, n]."""
    if space == "l2":
        squares = np.einsum("ij,ij->i", rows, rows)
        return np.asarray((squares[:, None] + squares - 2 * (rows @ rows.T)).round(DIGITS - 2))
    rows = unit(rows) if space == "cosine" else rows
    return np.asarray((1 - rows @ rows.T).round(DIGITS - 2))


# ------------------------------------------------------------------------------------------------------ the graph


@dataclass(frozen=True, eq=False)
class Graph:
    """``layers`` are the links of every node on each layer, the lowest first, on which all nodes are.

    A walk begins at ``entry``, on the highest layer; -1 in an empty graph.
    """

    layers: tuple[Links, ...]
    entry: int

    def __len__(self) -> int:
        return len(self.layers[0])

    @cached_property
    def links(self) -> int:
        """The number of links on all layers, counted from each node."""
        return sum(len(others) for layer in self.layers for others in layer.values())


def build(
    rows: Floats,
    space: str,
    *,
    m: int = M,
    ef_construction: int = EF_CONSTRUCTION,
    seed: int = 0,
    beat: Callable[[int, int], object] = lambda *_: None,
) -> Graph:
    """Returns the graph of these rows, [n, d], which are added one after the other.

    ``seed`` draws the highest layer of every node: each layer has one node in ``m`` of the layer below.  Fewer than
    three nodes, or equal ones only, have one layer.  ``beat(done, of)`` may raise to stop.
    """
    counted("m", m, 2)
    counted("ef_construction", ef_construction, 1)
    n = len(rows)
    if not n:
        return Graph(({},), -1)
    drawn = np.random.default_rng(seed).random(n)
    levels = [int(-math.log(1 - x) / math.log(m)) for x in drawn.tolist()]
    if n < FEWEST or bool((rows == rows[0]).all()):
        levels = [0] * n
    table, entry = [memoryview(row) for row in _table(space, rows)], 0
    layers: list[dict[int, list[int]]] = [{} for _ in range(max(levels) + 1)]
    for node, level in enumerate(levels):
        if node % 64 == 0:
            beat(node, n)
        if node:
            _insert(layers, node, level, (entry, levels[entry]), table, m, ef_construction)
        for links in layers[: level + 1]:
            links.setdefault(node, [])
        if level > levels[entry]:
            entry = node
    beat(n, n)
    return Graph(tuple({node: tuple(others) for node, others in links.items()} for links in layers), entry)


def _insert(
    layers: Sequence[dict[int, list[int]]],
    node: int,
    level: int,
    entry: tuple[int, int],
    table: Sequence[Distances],
    m: int,
    ef: int,
) -> None:
    """Links a new node on every layer up to ``level`` (algorithm 1); ``entry`` is a node and its highest layer."""
    away = table[node]
    near, top = entry
    for layer in range(top, -1, -1):
        found = _search(layers[layer], away, near, 1 if layer > level else ef)
        near = found[0]
        if layer > level:
            continue
        chosen = _diverse(node, found, table, m)
        layers[layer][node] = chosen
        most = m if layer else 2 * m
        for other in chosen:
            theirs = layers[layer][other]
            theirs.append(node)
            if len(theirs) > most:
                between = table[other]
                order = [x for _, x in sorted((between[x], x) for x in theirs)]
                layers[layer][other] = _diverse(other, order, table, most)


def _diverse(node: int, found: Sequence[int], table: Sequence[Distances], most: int) -> list[int]:
    """Returns up to ``most`` of the nodes found, nearest first, to link a node to (algorithm 4).

    A node that is nearer to one that is linked already is left out, so that links lead into all directions.
    """
    if len(found) < most:
        return list(found)
    away, chosen = table[node], list[int]()
    for other in found:
        between, limit = table[other], away[other]
        if all(between[x] >= limit for x in chosen):
            chosen.append(other)
            if len(chosen) == most:
                break
    return chosen


# ------------------------------------------------------------------------------------------------------- the walk


@dataclass(frozen=True, slots=True)
class Step:
    """One node of the walk, whose neighbours are compared with the question.

    ``compared`` are the neighbours that this layer had not compared before; of these, ``queued`` are near enough to be
    visited later, and ``entered`` are kept.  ``left`` are no longer kept.  In the first step on a layer, the node
    itself is compared, and no neighbour.
    """

    layer: int
    node: int
    compared: tuple[int, ...]
    queued: tuple[int, ...]
    entered: tuple[int, ...]
    left: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Walk:
    """A search in a graph, step by step.

    ``kept`` are the nodes kept in the end, nearest first, up to ``ef`` of them.  ``stop`` is the nearest node that was
    still waiting when the walk ended, since all that is kept is nearer; None if none was waiting.
    """

    steps: tuple[Step, ...]
    kept: tuple[int, ...]
    stop: int | None
    ef: int
    distances: Floats

    def compared(self, steps: int | None = None) -> dict[int, int]:
        """Returns the nodes compared in the first ``steps``: the highest layer on which each was compared."""
        layers = dict[int, int]()
        for step in self.steps[:steps]:
            for node in step.compared:
                layers.setdefault(node, step.layer)
        return layers

    def kept_after(self, steps: int) -> tuple[int, ...]:
        """Returns the nodes kept on the layer of this step (counted from 1), nearest first."""
        kept = set[int]()
        for step in self._layer(steps):
            kept |= set(step.entered)
            kept -= set(step.left)
        return self._in_order(kept)

    def waiting_after(self, steps: int) -> tuple[int, ...]:
        """Returns the nodes queued on the layer of this step (counted from 1) and not yet visited, nearest first."""
        waiting = set[int]()
        for step in self._layer(steps):
            waiting |= set(step.queued)
            waiting -= {step.node} if step.node not in step.compared else set()
        return self._in_order(waiting)

    def _layer(self, steps: int) -> list[Step]:
        layer = self.steps[steps - 1].layer
        return [step for step in self.steps[:steps] if step.layer == layer]

    def _in_order(self, nodes: Collection[int]) -> tuple[int, ...]:
        return tuple(sorted(nodes, key=lambda node: (self.distances[node], node)))


def walk(graph: Graph, distances: Floats, ef: int, allowed: Collection[int] | None = None) -> Walk:
    """Walks from the entry to the lowest layer, where the ``ef`` nearest are kept; one is kept above (algorithm 2).

    ``distances`` are those of the question from every node, of which the walk reads what it compares.  With ``allowed``
    only these nodes are kept, and the others lead the way: the walk continues until ``ef`` are kept.
    """
    counted("ef", ef, 1)
    if graph.entry < 0:
        return Walk((), (), None, ef, distances)
    away, near, steps = distances.tolist(), graph.entry, list[Step]()
    passing = None if allowed is None else frozenset(allowed)
    for layer in range(len(graph.layers) - 1, 0, -1):
        near = _search(graph.layers[layer], away, near, 1, steps=steps, layer=layer)[0]
    stop = list[int]()
    kept = _search(graph.layers[0], away, near, ef, passing, steps=steps, stop=stop)
    return Walk(tuple(steps), tuple(kept), stop[0] if stop else None, ef, distances)


def _search(
    links: Links,
    away: Distances,
    start: int,
    ef: int,
    allowed: Collection[int] | None = None,
    *,
    steps: list[Step] | None = None,
    layer: int = 0,
    stop: list[int] | None = None,
) -> list[int]:
    """Returns the ``ef`` nearest nodes that a walk on one layer finds, nearest first.

    ``steps`` gets every step, ``stop`` the nearest node that is not visited any more.  Of equally near nodes the first
    counts as nearer.
    """
    met, waiting = {start}, [(away[start], start)]
    kept = [(-away[start], -start)] if allowed is None or start in allowed else []  # the farthest first
    if steps is not None:
        entered = (start,) if kept else ()
        steps.append(Step(layer, start, (start,), (start,), entered, ()))
    while waiting:
        distance, node = heappop(waiting)
        if len(kept) >= ef and distance > -kept[0][0]:
            if stop is not None:
                stop.append(node)
            break
        compared = [other for other in links[node] if other not in met]
        met.update(compared)
        queued, entered_now, left = list[int](), list[int](), list[int]()
        for other in compared:
            entry = (away[other], other)
            if len(kept) >= ef and entry > (-kept[0][0], -kept[0][1]):
                continue
            heappush(waiting, entry)
            queued.append(other)
            if allowed is None or other in allowed:
                heappush(kept, (-entry[0], -other))
                entered_now.append(other)
                if len(kept) > ef:
                    left.append(-heappop(kept)[1])
        if steps is not None:
            steps.append(Step(layer, node, tuple(compared), tuple(queued), tuple(entered_now), tuple(left)))
    return [-node for _, node in sorted(kept, reverse=True)]


# ------------------------------------------------------------------------------------------------------- the cells


@dataclass(frozen=True, eq=False)
class Cells:
    """Groups of rows around ``centres`` [cells, d]; ``of`` [n] is the number of each row's cell."""

    centres: Floats
    of: Ints

    def __len__(self) -> int:
        return len(self.centres)

    @cached_property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """The nodes of every cell, in order."""
        return tuple(tuple(np.flatnonzero(self.of == cell).tolist()) for cell in range(len(self)))


def cells_of(rows: Floats, *, seed: int = 0) -> Cells:
    """Returns the cells of these rows by k-means, about as many as a cell has members; ``seed`` draws the beginning."""
    if not len(rows):
        return Cells(rows, np.zeros(0, np.int64))
    centres = k_means(rows, max(1, round(len(rows) ** 0.5)), np.random.default_rng(seed))
    used, numbers = np.unique(nearest(rows, centres)[0], return_inverse=True)  # equal rows share one cell
    return Cells(centres[used], numbers.astype(np.int64))


@dataclass(frozen=True, eq=False)
class Probe:
    """A search in the nearest cells: their numbers, ``visited``, and the nodes ``kept``, both nearest first."""

    cells: Cells
    visited: tuple[int, ...]
    kept: tuple[int, ...]

    def compared(self, steps: int | None = None) -> dict[int, int]:
        """Returns the nodes compared in the first ``steps`` cells, with the number of the cell of each."""
        kept = set(self.kept)  # all that are compared; others do not pass the filter
        return {node: cell for cell in self.visited[:steps] for node in self.cells.members[cell] if node in kept}


def probe(
    cells: Cells, to_centres: Floats, distances: Floats, nprobe: int, allowed: Collection[int] | None = None
) -> Probe:
    """Compares the question with the nodes of the ``nprobe`` nearest cells, or with those of them that are ``allowed``.

    ``to_centres`` are the distances of the question from the centres, ``distances`` those from the nodes.
    """
    counted("nprobe", nprobe, 1)
    visited = np.lexsort((np.arange(len(cells)), to_centres))[:nprobe].tolist()
    nodes = np.array([node for cell in visited for node in cells.members[cell]], np.int64)
    if allowed is not None:
        nodes = nodes[np.isin(nodes, np.array(list(allowed), np.int64))]
    kept = nodes[np.lexsort((nodes, distances[nodes]))]
    return Probe(cells, tuple(visited), tuple(kept.tolist()))
