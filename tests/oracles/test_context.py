"""The passages of a context against a greedy choice that is written down from its definition."""

from __future__ import annotations

import numpy as np
import pytest
from night import for_each, seeds

from lab import samples
from lab.algebra import Corpus, Document, Hit, Query, Ranking
from lab.answer.context import Context, Sent, taken
from lab.models.embedders import rows_for
from lab.models.static import BuiltIn
from lab.retrieve.lexical import BM25

SENTENCES = (
    "The battery lasts thirty hours.",
    "Charge it with the cable.",
    "Returns are accepted within two weeks.",
    "电池可用三十小时。",
    "退货须在十四天内。",
)


def unit_rows(ranking: Ranking) -> np.ndarray:
    rows = np.asarray(rows_for(BuiltIn(), [hit.document for hit in ranking.hits], ranking.corpus), dtype=float)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def greedy(ranking: Ranking, context: Context) -> list[int]:
    """The places of the passages that are sent: each must fit, and be unlike all that are sent already."""
    rows, sent, left = unit_rows(ranking), list[int](), context.budget
    for i, hit in enumerate(ranking.hits):
        alike = any(rows[i] @ rows[j] >= context.duplicates - 1e-6 for j in sent)
        if len(sent) < context.most and not alike and taken(hit.document) <= left:
            sent.append(i)
            left -= taken(hit.document)
    return sent


def check(ranking: Ranking, context: Context) -> None:
    chosen = context(ranking)
    evidence: Sent = chosen.evidence
    assert sorted(evidence.ranks) == [i + 1 for i in greedy(ranking, context)]
    rows, places = unit_rows(ranking), ranking.corpus.positions
    at = {hit.document.id: i for i, hit in enumerate(ranking.hits)}
    before = {d.id: rank for d, rank in zip(evidence.passages, evidence.ranks, strict=True)}
    for drop in chosen.dropped:
        assert drop.document.id in places
        if "Cosine" in drop.reason:
            place = at[drop.document.id]
            near = [d for d in evidence.passages if d.label == drop.reason.values["document"]]
            found = [float(rows[place] @ rows[at[d.id]]) for d in near if before[d.id] <= place]
            assert max(found) == pytest.approx(drop.reason.values["cosine"], abs=1e-5)
            assert max(found) >= context.duplicates - 1e-6


@for_each("seed", range(60))
def test_a_context_is_the_greedy_choice_within_budget_without_near_duplicates(seed: int) -> None:
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(SENTENCES[: rng.integers(1, 6)], rng.integers(1, 9))) for _ in range(12)]
    corpus = Corpus("drawn", tuple(Document(f"d{i}", text) for i, text in enumerate(texts)))
    ranking = Ranking(Query("battery"), tuple(Hit(d, 1.0) for d in corpus), BM25(), corpus=corpus)
    order = str(rng.choice(["best first", "long-context", "by document"]))
    duplicates = float(rng.choice([0.5, 0.8, 0.95, 1.0]))
    check(ranking, Context(int(rng.choice([30, 60, 120, 400])), int(rng.integers(1, 9)), order, duplicates))


@pytest.mark.parametrize("corpus", ["devices", "handbook"])
def test_no_passage_of_a_sample_is_a_copy_of_one_that_is_not_sent(corpus: str) -> None:
    collection = samples.load(corpus)
    index = BM25().index(collection.corpus)
    for i in seeds(len(collection.judged)):
        ranking = index.search(collection.judged[i], k=20)
        for budget in (150, 300, 1500):
            if ranking.hits:
                check(ranking, Context(budget))
