"""Near-duplicates of a corpus: held against every pair, one by one."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest
from night import for_each

from lab.algebra import Corpus, Document
from lab.explain import near_duplicates as module
from lab.explain.near_duplicates import near_duplicates
from lab.models.embedders import vectors_of
from lab.models.static import BuiltIn

WORDS = ["battery", "lamp", "refund", "年假", "电池", "meeting", "router", "lock"]


def drawn(seed: int, n: int = 30) -> Corpus:
    """A corpus with exact copies, near copies and empty texts."""
    rng = random.Random(seed)
    texts = [" ".join(rng.choices(WORDS, k=rng.randint(0, 5))) for _ in range(n)]
    return Corpus("drawn", tuple(Document(f"d{i}", text) for i, text in enumerate(texts)))


@for_each("seed", range(12))
def test_the_pairs_are_all_pairs_at_the_threshold(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 7)
    corpus, threshold = drawn(seed), [0.8, 0.9, 1.0][seed % 3]
    rows = np.asarray(vectors_of(BuiltIn(), corpus), np.float64)
    wanted = {}
    for i in range(len(corpus)):
        for j in range(i + 1, len(corpus)):
            lengths = np.linalg.norm(rows[i]) * np.linalg.norm(rows[j])
            cosine = round(float(rows[i] @ rows[j] / lengths), 9) if lengths else 0.0
            if cosine >= threshold:
                wanted[f"d{i}", f"d{j}"] = cosine
    report = near_duplicates(corpus, BuiltIn(), threshold)
    assert {(x.first.id, x.second.id): x.cosine for x in report.pairs} == pytest.approx(wanted, abs=1e-8)
    assert [x.cosine for x in report.pairs] == sorted((x.cosine for x in report.pairs), reverse=True)
    assert report.count == len({i for pair in wanted for i in pair})
    assert report.total_pairs == len(wanted)
    for pair in report.pairs:
        assert sum({pair.first, pair.second} <= set(group) for group in report.groups) == 1


def test_an_empty_corpus_and_a_single_passage_have_none() -> None:
    for n in (0, 1):
        assert near_duplicates(drawn(0, n), BuiltIn()).count == 0


@pytest.mark.nightly
def test_ten_thousand_passages_take_a_few_seconds() -> None:
    rng = random.Random(1)
    texts = (" ".join(rng.choices(WORDS, k=12)) + f" {i}" for i in range(10_000))
    corpus = Corpus("large", tuple(Document(str(i), text) for i, text in enumerate(texts)))
    vectors_of(BuiltIn(), corpus)
    start = time.perf_counter()
    near_duplicates(corpus, BuiltIn(), 0.99)
    assert time.perf_counter() - start < 20
