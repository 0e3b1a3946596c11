"""Chroma's order against the exact store's: both sample corpora, all three spaces, every query.

Ties: Chroma computes in float32; documents whose exact scores differ by less than 1e-5 of the score are one group,
which both must have at the same places, in any order.  The last group may be cut by the end of the list:
there, Chroma's documents must have the group's score.

Chroma's graph is drawn anew at every fill, and once in thousands a document is reached by no edge: what the graph
misses is counted, and what it finds must stand in the exact order.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from night import spread

from lab.corpus import samples
from lab.retrieve.chroma import ChromaVector
from lab.retrieve.vector import SPACES, Vector

K = 20

Scored = Sequence[tuple[str, float]]


def missed(ours: Sequence[str], exact: Scored, k: int) -> set[str]:
    """What ``ours`` lacks of the first ``k`` of ``exact``; fails where what it has is not the rest in exact order."""
    border = exact[: k + 1][-1][1] + 1e-5 * abs(exact[0][1])
    lacking = {name for name, score in exact[:k] if score > border} - set(ours)
    true = [(name, score) for name, score in exact if name not in lacking][:k]
    assert len(ours) == len(true)
    score, top, start = dict(exact), abs(true[0][1]), 0
    for end in range(1, len(true) + 1):
        if end < len(true) and true[end - 1][1] - true[end][1] <= 1e-5 * top:
            continue
        if end < len(true):
            assert set(ours[start:end]) == {name for name, _ in true[start:end]}
        assert [score[name] for name in ours[start:end]] == pytest.approx(
            [own for _, own in true[start:end]], abs=1e-4 * top
        )
        start = end
    return lacking


@pytest.mark.parametrize("space", spread(SPACES, 1))
@pytest.mark.parametrize("name", spread(["devices", "handbook"], 1))
def test_chroma_orders_like_the_exact_store(name: str, space: str) -> None:
    collection = samples.load(name)
    corpus = collection.corpus
    chroma = ChromaVector(space=space).index(corpus)
    exact = Vector(space=space, pieces="whole").index(corpus)
    compared = lacking = 0
    for query in collection.queries:
        ours = [h.document.id for h in chroma.search(query.text, k=K, explain=False).hits]
        every = [(h.document.id, h.score) for h in exact.search(query.text, k=len(corpus), explain=False).hits]
        lacking += len(missed(ours, every, K))
        compared += 1
    assert compared >= 100
    assert lacking <= 0.02 * K * compared


EXACT = [("a", 0.9), ("b", 0.8), ("c", 0.5), ("d", 0.5), ("e", 0.4), ("f", 0.3)]


@pytest.mark.parametrize(
    ("ours", "lacking"),
    [("abc", ""), ("abd", ""), ("bcd", "a"), ("acd", "b"), ("bce", None), ("bac", None), ("abe", None), ("ab", None)],
)
def test_what_is_missed_is_told_from_what_is_disordered(ours: str, lacking: str | None) -> None:
    if lacking is None:
        with pytest.raises(AssertionError):
            missed(list(ours), EXACT, 3)
    else:
        assert missed(list(ours), EXACT, 3) == set(lacking)
