"""Chroma's order against the exact store's: both sample corpora, all three spaces, every query.

Ties: Chroma computes in float32; documents whose exact scores differ by less than 1e-5 of the score are one group,
which both must have at the same places, in any order.  The last group may be cut by the end of the list:
there, Chroma's documents must have the group's score.
"""

from __future__ import annotations

import pytest
from night import turn_about

from lab.corpus import samples
from lab.retrieve.chroma import ChromaVector
from lab.retrieve.vector import SPACES, Vector

K = 20


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("name", turn_about(["devices", "handbook"], 1))
def test_chroma_orders_like_the_exact_store(name: str, space: str) -> None:
    collection = samples.load(name)
    corpus = collection.corpus
    chroma = ChromaVector(space=space).index(corpus)
    exact = Vector(space=space, pieces="whole").index(corpus)
    compared = 0
    for query in collection.queries:
        ours = chroma.search(query.text, k=K, explain=False)
        every = exact.search(query.text, k=len(corpus), explain=False)
        true = every.hits[:K]
        assert len(ours) == len(true)
        score = {h.document.id: h.score for h in every.hits}
        start = 0
        for end in range(1, len(true) + 1):
            if end < len(true) and true[end - 1].score - true[end].score <= 1e-5 * abs(true[0].score):
                continue
            found = [h.document.id for h in ours.hits[start:end]]
            if end < len(true):
                assert set(found) == {h.document.id for h in true[start:end]}, query.text
            assert [score[i] for i in found] == pytest.approx(
                [h.score for h in true[start:end]], abs=1e-4 * abs(true[0].score)
            )
            start = end
        compared += 1
    assert compared >= 100
