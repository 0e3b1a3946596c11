"""Stored vectors of another model are noticed: none, half or all of them, also with vectors of the same length."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from packed import packed

from lab.algebra import Corpus, Document, index_of
from lab.errors import ModelError
from lab.models.embedders import Embedder, Encoder
from lab.retrieve.chroma import ChromaVector
from lab.retrieve.fingerprint import SAMPLED, agreement, check_model, same_model, sampled
from lab.retrieve.store import StoreVector
from lab.words import Said

TEXTS = [f"{i} {7 * i % 40 + 1} 3 {i % 5}" for i in range(1, 41)]
SERVED = {"share": 0.0}
"""The share of texts that the server of this test embeds with its new model."""


@dataclass(frozen=True)
class Served(Embedder):
    """A model behind a name: the same name stays when the server changes it."""

    def fit(self, corpus: Corpus) -> Encoder:
        return ServedEncoder()


class ServedEncoder(Encoder):
    dimensions = 4

    def documents(self, texts, *, progress=None):
        rows = np.array([[float(x) for x in text.split()] for text in texts], np.float32).reshape(-1, 4)
        turned = [int(text.split()[0]) % 10 < 10 * SERVED["share"] for text in texts]
        rows[turned] = rows[turned][:, ::-1] * [1, -1, 1, -1]
        return rows


def corpus() -> Corpus:
    return Corpus("served", tuple(Document(f"p{i}", text) for i, text in enumerate(TEXTS)))


@pytest.fixture(autouse=True)
def first_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SERVED, "share", 0.0)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("search", packed("MilvusVector", Served(), kind="FLAT"))
def test_milvus_refuses_a_collection_of_another_model(
    search: StoreVector, share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_MILVUS_URI", str(tmp_path / "milvus.db"))
    assert len(index_of(search, corpus()).search("1 8 3 1")) == len(TEXTS)
    SERVED["share"] = share
    if not share:
        assert len(index_of(search, corpus()).search("1 8 3 1")) == len(TEXTS)
        return
    with pytest.raises(ModelError, match="served has vectors of another model than Served") as raised:
        index_of(search, corpus())
    assert "Index again with this model" in str(raised.value)


@pytest.mark.parametrize("share", [0.1, 1.0])
def test_chroma_fills_a_collection_of_another_model_again(share: float) -> None:
    search = ChromaVector(Served())
    first = index_of(search, corpus())
    before = first.shelf.collection.get(ids=["9"], include=["embeddings"])["embeddings"][0]
    SERVED["share"] = share
    index = index_of(search, corpus())
    stored = index.shelf.collection.get(ids=["9"], include=["embeddings"])["embeddings"][0]
    assert list(stored) != list(before)
    after = index.search("1 8 3 1")
    exact = index_of(search.exact, corpus()).search("1 8 3 1")
    assert after.ids == exact.ids
    assert [hit.score for hit in after.hits] == pytest.approx([hit.score for hit in exact.hits], abs=1e-5)


def test_a_sample_is_spread_over_all_passages_and_knows_half_a_collection() -> None:
    assert sampled(0) == []
    assert sampled(3) == [0, 1, 2]
    assert len(sampled(1_000_000)) == SAMPLED
    assert sampled(1_000_000)[::15] == [0, 999_999]
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(16, 8))
    turned = np.where(np.arange(16)[:, None] < 8, rows, rows @ np.linalg.qr(rng.normal(size=(8, 8)))[0])
    with pytest.raises(ModelError, match="8 of 16") as raised:
        check_model(turned, rows, name="c", model="m", remedy=Said("Index again."))
    assert "lowest cosine -" in str(raised.value) or "lowest cosine 0." in str(raised.value)
    check_model(rows * 3, rows, name="c", model="m", remedy=Said("Index again."))  # scaled vectors are the same model's


def test_lengths_that_differ_and_missing_vectors_are_compared_without_an_error() -> None:
    rows = np.eye(3)
    assert agreement(rows[:, :2], rows) == [0.0, 0.0, 0.0]
    assert agreement(np.zeros((2, 3)), np.array([[0, 0, 0], [1, 0, 0]])) == [1.0, 0.0]
    assert not same_model([np.ones(2)], np.ones((1, 3)))
    assert same_model([row.astype(np.float16) for row in rows], rows)
