"""Filters and rerankers beside the libraries that they are named after."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import tiny_cross_encoder
from hypothesis import given
from hypothesis import strategies as st

from lab.algebra import Corpus, Document, Hit, Ranking
from lab.models.static import BuiltIn
from lab.refine.filters import EmbeddingsFilter, RedundancyFilter
from lab.refine.rerank import CrossEncoderReranker
from lab.retrieve.lexical import BM25

WORDS = [
    "battery",
    "headphones",
    "cable",
    "red",
    "blue",
    "long",
    "hours",
    "charge",
    "leave",
    "salary",
    "tea",
    "耳机",
    "充电",
    "电池",
    "年假",
    "申请",
    "蓝牙",
    "断开",
    "重启",
    "加班",
    "工资",
    "退货",
]
texts = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join),
    min_size=1,
    max_size=12,
    unique_by=lambda t: tuple(sorted(t.split())),
)


def ranking(found: list[str], query: str) -> Ranking:
    corpus = Corpus("made up", tuple(Document(f"d{i}", t) for i, t in enumerate(found)))
    return Ranking(query, tuple(Hit(d, float(-i)) for i, d in enumerate(corpus)), BM25(), corpus=corpus)


def langchain(found: list[str]) -> tuple[Any, list[Any]]:
    """Our built-in model as an embedding of LangChain's, and its documents."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        pytest.importorskip("langchain_community")
        from langchain_core.documents import Document as Theirs
        from langchain_core.embeddings import Embeddings

    encoder = BuiltIn().fit(Corpus("none", ()))

    class Ours(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return encoder.documents(texts).astype(float).tolist()  # type: ignore[no-any-return]

        def embed_query(self, text: str) -> list[float]:
            return encoder.queries([text])[0].astype(float).tolist()  # type: ignore[no-any-return]

    return Ours(), [Theirs(page_content=text, metadata={"id": f"d{i}"}) for i, text in enumerate(found)]


@given(
    found=texts,
    query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join),
    k=st.integers(0, 8),
    threshold=st.none() | st.floats(-0.2, 0.9),
)
def test_the_embeddings_filter_keeps_what_langchains_keeps(
    found: list[str], query: str, k: int, threshold: float | None
) -> None:
    pytest.importorskip("langchain_classic")
    from langchain_classic.retrievers.document_compressors import EmbeddingsFilter as Theirs

    if not k and threshold is None:
        k = 1
    embeddings, documents = langchain(found)
    theirs = Theirs(embeddings=embeddings, k=k or None, similarity_threshold=threshold).compress_documents(
        documents, query
    )
    after = EmbeddingsFilter(k, threshold)(ranking(found, query))
    assert {h.document.id for h in after} == {d.metadata["id"] for d in theirs}


@given(found=texts, threshold=st.floats(0.05, 0.95))
def test_the_redundancy_filter_keeps_what_langchains_keeps_in_its_order(found: list[str], threshold: float) -> None:
    embeddings, documents = langchain(found)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from langchain_community.document_transformers import EmbeddingsRedundantFilter

    theirs = EmbeddingsRedundantFilter(embeddings=embeddings, similarity_threshold=threshold).transform_documents(
        documents
    )
    after = RedundancyFilter(threshold)(ranking(found, "battery"))
    assert [h.document.id for h in after] == [d.metadata["id"] for d in theirs]


@pytest.fixture(scope="module")
def their_model() -> Any:
    folder = tiny_cross_encoder.folder()
    from sentence_transformers import CrossEncoder

    return CrossEncoder(folder, local_files_only=True)


@given(
    found=texts,
    query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join),
    top=st.integers(1, 8),
    activation=st.sampled_from(["logit", "sigmoid"]),
)
def test_the_cross_encoder_ranks_as_sentence_transformers_does(
    their_model: Any, found: list[str], query: str, top: int, activation: str
) -> None:
    from torch.nn import Identity, Sigmoid

    theirs = their_model.rank(query, found, top_k=top, activation_fn=Identity() if activation == "logit" else Sigmoid())
    after = CrossEncoderReranker(tiny_cross_encoder.folder(), top_n=top, activation=activation)(ranking(found, query))
    assert [h.document.id for h in after] == [f"d{row['corpus_id']}" for row in theirs]
    assert [h.score for h in after] == pytest.approx([row["score"] for row in theirs], rel=1e-6)
