"""The walk in a graph and the search in cells against faiss: the same graph, the same cells, the same lists."""

from __future__ import annotations

from typing import Any

import faiss
import numpy as np
import pytest

from lab.explain.graph import Cells, Graph, apart, build, probe, walk
from lab.numeric import Floats, k_means, nearest

K = 10


def cloud(n: int, d: int, seed: int, questions: int) -> tuple[Floats, Floats]:
    """Vectors in loose groups, as those of passages are, and questions; float32 as faiss keeps them."""
    rng = np.random.default_rng(seed)
    middles = rng.normal(size=(12, d))
    rows = middles[rng.integers(12, size=n + questions)] + 0.8 * rng.normal(size=(n + questions, d))
    rows = rows.astype(np.float32).astype(np.float64)
    return rows[:n], rows[n:]


def graph_of(index: Any) -> Graph:
    """The graph of an ``IndexHNSWFlat``: for every node and layer the neighbours that faiss has stored."""
    hnsw = index.hnsw
    levels, offsets = faiss.vector_to_array(hnsw.levels), faiss.vector_to_array(hnsw.offsets)
    neighbours, sizes = (faiss.vector_to_array(hnsw.neighbors), faiss.vector_to_array(hnsw.cum_nneighbor_per_level))
    layers = []
    for layer in range(hnsw.max_level + 1):
        links = {}
        for node in np.flatnonzero(levels > layer).tolist():
            start = int(offsets[node])
            stored = neighbours[start + sizes[layer] : start + sizes[layer + 1]].tolist()
            links[node] = tuple(other for other in stored if other >= 0)
        layers.append(links)
    return Graph(tuple(layers), int(hnsw.entry_point))


@pytest.mark.parametrize("ef", [10, 16, 50])
@pytest.mark.parametrize("metric", ["l2", "ip"])
def test_the_walk_in_the_graph_of_faiss_finds_the_same_ten_for_every_question(metric: str, ef: int) -> None:
    rows, questions = cloud(1_500, 24, seed=0, questions=100)
    index = faiss.IndexHNSWFlat(24, 8, {"l2": faiss.METRIC_L2, "ip": faiss.METRIC_INNER_PRODUCT}[metric])
    index.hnsw.efConstruction = 64
    index.add(rows.astype(np.float32))
    index.hnsw.efSearch = ef
    graph = graph_of(index)
    _, found = index.search(questions.astype(np.float32), K)
    same = [
        set(walk(graph, apart(metric, rows, question), ef).kept[:K]) == set(theirs.tolist())
        for question, theirs in zip(questions, found, strict=True)
    ]
    assert sum(same) == len(questions) == 100


def test_our_graph_finds_as_much_as_that_of_faiss_with_the_same_parameters() -> None:
    rows, questions = cloud(1_000, 24, seed=1, questions=100)
    index = faiss.IndexHNSWFlat(24, 8)
    index.hnsw.efConstruction = 64
    index.add(rows.astype(np.float32))
    graphs = [graph_of(index), build(rows, "l2", m=8, ef_construction=64, seed=0)]
    recalls = []
    for graph in graphs:
        right = 0
        for question in questions:
            away = apart("l2", rows, question)
            exact = np.argsort(away, kind="stable")[:K].tolist()
            right += len(set(exact) & set(walk(graph, away, 16).kept[:K]))
        recalls.append(right / (K * len(questions)))
    theirs, ours = recalls
    assert 0.6 < theirs < 1
    assert ours >= theirs - 0.02


@pytest.mark.parametrize("nprobe", [1, 3, 8, 30])
def test_the_search_in_cells_finds_the_same_ten_as_faiss_with_the_same_centres(nprobe: int) -> None:
    rows, questions = cloud(900, 24, seed=2, questions=100)
    centres = k_means(rows, 30, np.random.default_rng(0)).astype(np.float32).astype(np.float64)
    quantiser = faiss.IndexFlatL2(24)
    quantiser.add(centres.astype(np.float32))
    index = faiss.IndexIVFFlat(quantiser, 24, 30)
    index.train(rows.astype(np.float32))  # trained already: the centres stay
    index.add(rows.astype(np.float32))
    index.nprobe = nprobe
    cells = Cells(centres, nearest(rows, centres)[0])
    _, found = index.search(questions.astype(np.float32), K)
    for question, theirs in zip(questions, found, strict=True):
        probed = probe(cells, apart("l2", centres, question), apart("l2", rows, question), nprobe)
        assert set(probed.kept[:K]) == {i for i in theirs.tolist() if i >= 0}
