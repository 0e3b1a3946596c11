"""Fusion against LangChain's EnsembleRetriever, ranx and Qdrant's client, on random inputs.

Ties: where our scores differ by less than 1e-12, the documents are one group, and the peer must have the same
group at the same places, in any order (LangChain keeps the order of first appearance, ranx sorts unstably by
rounded sums; ours is in `lab.algebra.order`).
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from night import seeds, spread

from lab.algebra import Corpus, Document, Hit, Ranking
from lab.fuse import ISR, RRF, Borda, CombMNZ, WeightedSum
from lab.retrieve.lexical import BM25

NAMES = [f"d{i:02}" for i in range(40)]
CORPUS = Corpus("forty", tuple(Document(name, f"text of {name}") for name in NAMES))
RANX_NAMES = {"min-max": "min-max", "z-score": "zmuv", "max": "max", "sum": "sum", "none": None}


@pytest.fixture(scope="module")
def ranx() -> Any:
    """Imported by who runs these tests alone: it takes seconds, and every process of the suite reads this file."""
    import numba

    if "ranx" not in sys.modules:
        numba.config.DISABLE_JIT = True  # ranx takes half a minute to compile, and a second to run as plain Python
    import ranx

    return ranx


def some_lists(rng: random.Random, count: int) -> list[Ranking]:
    """Lists of 1 to 20 documents, scores in falling order and all different, of very different sizes."""
    out = []
    for _ in range(count):
        ids = rng.sample(NAMES[: rng.choice([8, 20, 40])], rng.randint(1, 8))
        if rng.random() < 0.5:
            ids = rng.sample(NAMES, rng.randint(1, 20))
        size = rng.choice([0.01, 1.0, 50.0])
        scores = sorted((size * (0.01 + rng.random()) for _ in ids), reverse=True)
        out.append(
            Ranking("q", tuple(Hit(CORPUS.get(i), s) for i, s in zip(ids, scores, strict=True)), BM25(), corpus=CORPUS)
        )
    return out


def same_order(ours: Ranking, theirs: Sequence[str], tolerance: float = 1e-12) -> None:
    """Equal, group of ties by group of ties."""
    assert len(ours) == len(theirs)
    start = 0
    for end in range(1, len(ours) + 1):
        if end == len(ours) or ours.hits[end - 1].score - ours.hits[end].score > tolerance:
            assert {h.document.id for h in ours.hits[start:end]} == set(theirs[start:end])
            start = end


def test_rrf_orders_like_langchains_ensemble_retriever() -> None:
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_core.documents import Document as Theirs
    from langchain_core.runnables import RunnableLambda

    for seed in seeds(1000):
        rng = random.Random(seed)
        lists = some_lists(rng, rng.randint(1, 5))
        weights = tuple(rng.choice([0.1, 0.25, 0.5, 0.7, 1.0]) for _ in lists)
        k = rng.choice([0, 1, 10, 60, 1000])
        peer = EnsembleRetriever(retrievers=[RunnableLambda(str)] * len(lists), weights=list(weights), c=k, id_key="id")
        theirs = peer.weighted_reciprocal_rank(
            [[Theirs(page_content=h.document.text, metadata={"id": h.document.id}) for h in r] for r in lists]
        )
        same_order(RRF(k=k, weights=weights)(lists), [d.metadata["id"] for d in theirs])


def test_langchains_ensemble_merges_equal_texts_that_stay_two_here() -> None:
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_core.documents import Document as Theirs
    from langchain_core.runnables import RunnableLambda

    peer = EnsembleRetriever(retrievers=[RunnableLambda(str)] * 2)
    same = [[Theirs(page_content="same", metadata={"id": n})] for n in "ab"]
    assert [d.metadata["id"] for d in peer.weighted_reciprocal_rank(same)] == ["a"]
    few = Corpus("same", tuple(Document(n, "same") for n in "ab"))
    lists = [Ranking("q", (Hit(few.get(n), 1.0),), BM25(), corpus=few) for n in "ab"]
    assert sorted(RRF()(lists).ids) == ["a", "b"]


def as_runs(ranx: Any, many: Sequence[Sequence[Ranking]]) -> list[Any]:
    """One ranx run per list, with every input as a query."""
    lists = range(len(many[0]))
    runs = [{f"q{q:04}": {h.document.id: h.score for h in inputs[n]} for q, inputs in enumerate(many)} for n in lists]
    return [ranx.Run(run, name=str(n)) for n, run in enumerate(runs)]


@pytest.mark.parametrize(("lists", "k"), spread([(2, 60), (2, 1), (3, 60), (4, 10), (5, 1000)], 2))
def test_rrf_is_ranx_rrf(ranx: Any, lists: int, k: int) -> None:
    many = [some_lists(random.Random(f"{lists} {k} {n}"), lists) for n in seeds(200)]
    theirs = ranx.fuse(as_runs(ranx, many), norm=None, method="rrf", params={"k": k}).to_dict()
    for q, inputs in enumerate(many):
        ours, peer = RRF(k=k)(inputs), theirs[f"q{q:04}"]
        assert {h.document.id: h.score for h in ours} == pytest.approx(peer, rel=1e-12)
        same_order(ours, sorted(peer, key=lambda i: -peer[i]))


@pytest.mark.parametrize("normalisation", RANX_NAMES)
def test_the_weighted_sum_is_ranx_wsum_under_the_same_normalisation(ranx: Any, normalisation: str) -> None:
    weights = (0.2, 0.5, 0.3)
    many = [some_lists(random.Random(f"{normalisation} {n}"), len(weights)) for n in seeds(200)]
    theirs = ranx.fuse(
        as_runs(ranx, many), norm=RANX_NAMES[normalisation], method="wsum", params={"weights": list(weights)}
    ).to_dict()
    for q, inputs in enumerate(many):
        ours, peer = WeightedSum(weights, normalisation)(inputs), theirs[f"q{q:04}"]
        assert {h.document.id: h.score for h in ours} == pytest.approx(peer, rel=1e-9, abs=1e-9)
        same_order(ours, sorted(peer, key=lambda i: -peer[i]), tolerance=1e-9)


@pytest.mark.parametrize("normalisation", RANX_NAMES)
def test_comb_mnz_is_ranx_mnz_under_the_same_normalisation(ranx: Any, normalisation: str) -> None:
    many = [some_lists(random.Random(f"mnz {normalisation} {n}"), 3) for n in seeds(200)]
    theirs = ranx.fuse(as_runs(ranx, many), norm=RANX_NAMES[normalisation], method="mnz").to_dict()
    for q, inputs in enumerate(many):
        ours, peer = CombMNZ(normalisation=normalisation)(inputs), theirs[f"q{q:04}"]
        assert {h.document.id: h.score for h in ours} == pytest.approx(peer, rel=1e-9, abs=1e-9)
        same_order(ours, sorted(peer, key=lambda i: -peer[i]), tolerance=1e-9)


@pytest.mark.parametrize("lists", [2, 3, 5])
def test_isr_is_ranx_isr(ranx: Any, lists: int) -> None:
    many = [some_lists(random.Random(f"isr {lists} {n}"), lists) for n in seeds(200)]
    theirs = ranx.fuse(as_runs(ranx, many), norm=None, method="isr").to_dict()
    for q, inputs in enumerate(many):
        ours, peer = ISR()(inputs), theirs[f"q{q:04}"]
        assert {h.document.id: h.score for h in ours} == pytest.approx(peer, rel=1e-12)
        same_order(ours, sorted(peer, key=lambda i: -peer[i]))


def test_borda_count_scores_like_ranx_where_every_list_has_every_document(ranx: Any) -> None:
    """Elsewhere the two differ by design: ranx divides what is left of a list's points among those it has not."""
    for seed in seeds(1000):
        rng = random.Random(seed)
        ids = rng.sample(NAMES, rng.randint(1, 12))
        lists = []
        for _ in range(rng.randint(2, 4)):
            scores = sorted((rng.random() for _ in ids), reverse=True)
            order = rng.sample(ids, len(ids))
            hits = tuple(Hit(CORPUS.get(i), s) for i, s in zip(order, scores, strict=True))
            lists.append(Ranking("q", hits, BM25(), corpus=CORPUS))
        ours = Borda()(lists)
        runs = [ranx.Run({"q": {h.document.id: h.score for h in r.hits}}) for r in lists]
        theirs = ranx.fuse(runs=runs, norm=None, method="bordafuse").run["q"]
        factor = len(ids) * len(lists) / sum(theirs.values()) * (len(ids) + 1) / 2 / len(ids) if theirs else 1
        assert {h.document.id: h.score for h in ours} == pytest.approx({i: s * factor for i, s in theirs.items()})


def as_points(inputs: Sequence[Ranking]) -> list[list[Any]]:
    """The lists as Qdrant's client has them; its ids are numbers."""
    from qdrant_client.http.models import ScoredPoint

    return [
        [ScoredPoint(id=NAMES.index(h.document.id), version=0, score=h.score, payload=None) for h in r] for r in inputs
    ]


@pytest.mark.parametrize("k", [1, 2, 60])
def test_the_qdrant_form_is_what_its_client_computes(k: int) -> None:
    hybrid = pytest.importorskip("qdrant_client.hybrid.fusion", reason="the extra “test” has qdrant-client")
    for seed in seeds(300):
        rng = random.Random(f"{k} {seed}")
        inputs = some_lists(rng, rng.randint(1, 5))
        weights = tuple(rng.choice([0.1, 0.5, 1.0, 2.0, 7.0, rng.uniform(0.01, 3)]) for _ in inputs)
        theirs = hybrid.reciprocal_rank_fusion(as_points(inputs), 100, k, list(weights))
        ours = RRF(k=k, weights=weights, form="qdrant")(inputs)
        assert {h.document.id: h.score for h in ours} == pytest.approx(
            {NAMES[p.id]: p.score for p in theirs}, abs=1e-12
        )
        same_order(ours, [NAMES[p.id] for p in theirs])


def test_3_sigma_is_the_distribution_based_fusion_of_qdrants_client() -> None:
    hybrid = pytest.importorskip("qdrant_client.hybrid.fusion", reason="the extra “test” has qdrant-client")
    for seed in seeds(300):
        inputs = some_lists(random.Random(f"dbsf {seed}"), 1 + seed % 4)
        theirs = hybrid.distribution_based_score_fusion(as_points(inputs), 100)
        ours = WeightedSum((1.0,) * len(inputs), "3-sigma")(inputs)
        assert {h.document.id: h.score for h in ours} == pytest.approx(
            {NAMES[p.id]: p.score for p in theirs}, abs=1e-12
        )
        same_order(ours, [NAMES[p.id] for p in theirs])


def test_l2_is_scikit_learns_normalisation_of_each_list() -> None:
    from sklearn.preprocessing import normalize

    for seed in seeds(300):
        inputs = some_lists(random.Random(f"l2 {seed}"), 3)
        sums: dict[str, float] = {}
        for ranking in inputs:
            (row,) = normalize([[h.score for h in ranking]])
            for hit, share in zip(ranking, row.tolist(), strict=True):
                sums[hit.document.id] = sums.get(hit.document.id, 0.0) + share
        ours = WeightedSum((1.0,) * 3, "l2")(inputs)
        assert {h.document.id: h.score for h in ours} == pytest.approx(sums, rel=1e-12)
        same_order(ours, sorted(sums, key=lambda i: -sums[i]))
