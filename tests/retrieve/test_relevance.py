"""LangChain's relevance scores: the same functions, the threshold, and where they go wrong."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import for_each

from lab import samples
from lab.algebra import Corpus, Document, Runner
from lab.errors import ParameterError
from lab.retrieve.chroma import ChromaVector
from lab.retrieve.store import ExactVector, neighbours, relevance
from lab.retrieve.vector import SPACES

CORPUS = Corpus(
    "relevance",
    tuple(
        Document(f"d{i}", text)
        for i, text in enumerate(["battery", "battery charger", "noise and headphones " * 9, "年假", "电池 充电"])
    ),
)


@given(distance=st.floats(-5, 5))
def test_the_functions_are_langchains(distance: float) -> None:
    stores = pytest.importorskip("langchain_core.vectorstores").VectorStore
    assert relevance("cosine", distance) == stores._cosine_relevance_score_fn(distance)
    assert relevance("l2", distance) == stores._euclidean_relevance_score_fn(distance)
    assert relevance("ip", distance) == stores._max_inner_product_relevance_score_fn(distance)


def test_one_cosine_has_three_relevances_and_a_better_product_a_worse_one() -> None:
    cosine = 0.6  # of vectors of length 1
    assert relevance("cosine", 1 - cosine) == pytest.approx(0.6)
    assert relevance("ip", 1 - cosine) == pytest.approx(0.6)
    assert relevance("l2", 2 - 2 * cosine) == pytest.approx(1 - 0.8 / math.sqrt(2))
    assert relevance("l2", 2 - 2 * 0.29) < 0 < relevance("l2", 2 - 2 * 0.30)
    assert relevance("ip", 1 - 0.99) == pytest.approx(0.99)
    assert relevance("ip", 1 - 1.01) == pytest.approx(0.01)


@pytest.mark.parametrize("space", SPACES)
def test_the_threshold_keeps_what_is_at_least_that_relevant(space: str) -> None:
    found = ChromaVector(space=space).index(CORPUS).search("battery", k=5)
    limit = sorted(relevance(space, near.distance) for near in found.evidence)[2]
    limit = min(max(limit, 0.0), 1.0)
    ranking = ChromaVector(space=space, min_relevance=limit).index(CORPUS).search("battery", k=5)
    told = {near.document.id: relevance(space, near.distance) for near in ranking.evidence}
    assert ranking.evidence == found.evidence
    assert ranking.ids == [d for d, own in told.items() if own >= limit]
    assert [drop.document.id for drop in ranking.dropped] == [d for d, own in told.items() if own < limit]
    for drop in ranking.dropped:
        assert drop.reason == f"Relevance {told[drop.document.id]:.4f} is below the threshold {limit:.4f}."


@for_each("limit", [-0.1, 1.1, math.nan, "x"])
def test_a_relevance_lies_between_0_and_1(limit: object) -> None:
    with pytest.raises(ParameterError, match="min_relevance"):
        ChromaVector(min_relevance=limit)  # type: ignore[arg-type]


@pytest.mark.parametrize("space", ["cosine", "ip", "l2"])
@pytest.mark.parametrize("gap", [1e-7, 3e-5, 1e-3])
def test_the_reason_shows_so_many_digits_that_the_number_differs_from_the_threshold(space, gap):
    corpus, query = samples.load("staff").corpus, "How many days of leave do I have?"
    found = neighbours(Runner(corpus)(ExactVector(space=space, scale="unit"), query, 10))
    near = found[3]
    limits = {"max_distance": near.distance - gap}
    if 0 <= relevance(space, near.distance) + gap <= 1:
        limits["min_relevance"] = relevance(space, near.distance) + gap
    for name, limit in limits.items():
        ranking = Runner(corpus)(ExactVector(space=space, scale="unit", **{name: limit}), query, 10)
        (reason,) = (str(d.reason) for d in ranking.dropped if d.document.id == near.document.id)
        value, threshold = re.findall(r"-?\d+\.\d+", reason)
        assert float(value) != float(threshold), reason
        assert (float(value) > float(threshold)) == (name == "max_distance")
        assert min(len(x.partition(".")[2]) for x in (value, threshold)) >= 4
