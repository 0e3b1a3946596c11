"""BM25 in Milvus against BM25 in memory, HNSW against the exact search: the samples, and the collections at hand.

The same top 10 in the same order, but between documents whose scores differ by less than 1e-5 of them (an engine keeps
float32), and scores within 1e-4 of them; the first 100 questions here, all of them in ``benchmarks/engine.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from milvus_at_hand import needs_milvus
from night import spread

from lab.algebra import Ranking
from lab.corpus import beir, samples
from lab.retrieve.lexical import BM25
from lab_packs.milvus.searches import MilvusBM25, MilvusVector

pytestmark = needs_milvus
K, FIRST = 10, 100
COLLECTIONS = ["cast_conv", "cmrc2018", "stard_pool", "xquad_en", "xquad_en2zh", "xquad_zh"]


@pytest.fixture(autouse=True, scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LAB_MILVUS_URI", str(tmp_path_factory.mktemp("parity") / "lab.db"))
        yield


def same(ours: Ranking, true: Ranking) -> None:
    """Whether two lists are the same but for scores that nobody can tell apart."""
    assert len(ours) == len(true)
    scores = {h.document.id: h.score for h in true}
    for mine, theirs in zip(ours, true, strict=True):
        assert mine.score == pytest.approx(theirs.score, rel=1e-4)
        if mine.document.id != theirs.document.id:
            assert scores.get(mine.document.id, theirs.score) == pytest.approx(theirs.score, rel=1e-5)


def compared(found: beir.Collection) -> None:
    ours, true = MilvusBM25().index(found.corpus), BM25().index(found.corpus)
    questions = [q.text for q in found.queries][:FIRST]
    assert questions
    for text in questions:
        # one more of the true list: what stands in the place of the last one may tie with it
        whole, mine = true.search(text, k=K + 1, explain=False), ours.search(text, k=K)
        same(mine, whole.first(K))
    exact, near = MilvusVector().exact.index(found.corpus), MilvusVector(ef=200).index(found.corpus)
    hits = [
        (set(near.search(t, k=K, explain=False).ids), set(exact.search(t, k=K, explain=False).ids)) for t in questions
    ]
    assert sum(len(a & b) for a, b in hits) >= 0.99 * sum(len(b) for _, b in hits)


@pytest.mark.nightly
@pytest.mark.parametrize("name", spread(samples.names(), 1))
def test_on_a_sample_the_engine_gives_what_memory_gives(name: str) -> None:
    compared(samples.load(name))


@pytest.mark.parametrize("name", spread(COLLECTIONS, 1))
def test_on_a_collection_the_engine_gives_what_memory_gives(name: str, collection: Callable[[str], Path]) -> None:
    compared(beir.load(collection(name)))
