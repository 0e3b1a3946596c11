"""What other software does with a single result and with equal scores, as Fusion's guide says: the packages are run.

`make peers` installs LlamaIndex and Haystack; Qdrant's client is in the extra “test”.
"""

from __future__ import annotations

import pytest

ONE, EQUAL, OTHER = [("x", 7.0)], [("x", 7.0), ("w", 7.0)], [("y", 0.5), ("z", 0.3)]
Scored = list[tuple[str, float]]


def llama_index(mode: str, *lists: Scored) -> dict[str, float]:
    retrievers = pytest.importorskip("llama_index.core.retrievers", reason="make peers installs llama-index-core")
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.llms import MockLLM
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

    class Given(BaseRetriever):
        def __init__(self, scored: Scored) -> None:
            super().__init__()
            self.scored = scored

        def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            return [NodeWithScore(node=TextNode(id_=i, text=i), score=s) for i, s in self.scored]

    fusion = retrievers.QueryFusionRetriever(
        [Given(scored) for scored in lists], mode=mode, num_queries=1, use_async=False, llm=MockLLM()
    )
    fusion.similarity_top_k = 10
    return {node.node.node_id: node.score for node in fusion.retrieve("q")}


def haystack(mode: str, *lists: Scored) -> dict[str, float]:
    joiners = pytest.importorskip("haystack.components.joiners", reason="make peers installs haystack-ai")
    from haystack import Document

    joined = joiners.DocumentJoiner(join_mode=mode).run(
        documents=[[Document(id=i, content=i, score=s) for i, s in scored] for scored in lists]
    )
    return {document.id: document.score for document in joined["documents"]}


def qdrant(fusion: str, *lists: Scored) -> dict[str, float]:
    client = pytest.importorskip("qdrant_client", reason="the extra “test” has qdrant-client")
    from qdrant_client import models

    store = client.QdrantClient(":memory:")
    line = models.VectorParams(size=1, distance=models.Distance.DOT)
    store.create_collection("c", vectors_config={str(i): line for i in range(len(lists))})
    vectors: dict[str, dict[str, list[float]]] = {}
    for i, scored in enumerate(lists):
        for name, score in scored:
            vectors.setdefault(name, {})[str(i)] = [score]
    names = list(vectors)
    store.upsert("c", [models.PointStruct(id=i, vector=vectors[name]) for i, name in enumerate(names)])
    asked = [models.Prefetch(query=[1.0], using=str(i), limit=10) for i in range(len(lists))]
    found = store.query_points("c", prefetch=asked, query=models.FusionQuery(fusion=models.Fusion(fusion)), limit=10)
    store.close()
    return {names[point.id]: point.score for point in found.points}


@pytest.mark.nightly
def test_a_single_result_and_equal_scores_in_llamaindex() -> None:
    for scored in (ONE, EQUAL):
        fused = llama_index("relative_score", scored, OTHER)
        assert [fused[name] * 2 for name, _ in scored] == pytest.approx([1.0] * len(scored))  # each list weighs a half
    assert llama_index("relative_score", [("x", 0.0)], OTHER)["x"] == 0.0
    assert llama_index("reciprocal_rerank", ONE, OTHER)["x"] == pytest.approx(1 / 60)


@pytest.mark.nightly
def test_a_single_result_and_equal_scores_in_haystack() -> None:
    for scored in (ONE, EQUAL):
        fused = haystack("distribution_based_rank_fusion", scored, OTHER)
        assert [fused[name] for name, _ in scored] == [7.0] * len(scored)
    assert haystack("reciprocal_rank_fusion", ONE, OTHER)["x"] == pytest.approx(1 / 2)
    assert haystack("reciprocal_rank_fusion", ONE, [("x", 0.5)])["x"] == pytest.approx(1.0)


def test_a_single_result_and_equal_scores_in_qdrants_client() -> None:
    for scored in (ONE, EQUAL):
        fused = qdrant("dbsf", scored, OTHER)
        assert [fused[name] for name, _ in scored] == pytest.approx([0.5] * len(scored))
    assert qdrant("rrf", ONE, OTHER)["x"] == pytest.approx(1 / 2)
