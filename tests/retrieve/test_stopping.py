"""What is prepared for a corpus can be stopped between any two blocks, and leaves nothing half-made."""

from __future__ import annotations

import pytest
from night import spread

from lab import formats
from lab.algebra import Corpus, Document, Runner
from lab.models import lsa, pieces, token_store
from lab.retrieve import matrix


class Stopped(Exception):
    pass


def passages(n: int) -> Corpus:
    words = [f"w{i}" for i in range(997)]
    texts = (f"{words[i % 997]} {words[i * 7 % 997]} battery" for i in range(n))
    return Corpus("many", tuple(Document(str(i), text) for i, text in enumerate(texts)))


def stopped_at(corpus: Corpus, search: str, call: int) -> list[tuple[int, int]]:
    """What the work reported until it was stopped at its n-th report; nothing is left of what it was making."""
    told: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        told.append((done, total))
        if len(told) == call:
            raise Stopped

    with pytest.raises(Stopped):
        Runner(corpus, progress=progress)(formats.parse(search), "battery w7")
    return told


@pytest.mark.nightly
def test_a_stop_in_the_midst_of_100_000_passages_leaves_nothing_half_made_and_the_next_run_succeeds() -> None:
    n, search = 100_000, "BM25()"
    corpus = passages(n)
    told = stopped_at(corpus, search, 3)
    assert told[-1][0] < n / 2, "it was stopped on the way"
    assert all(b - a <= matrix.BLOCK for (a, _), (b, _) in zip(told, told[1:], strict=False))
    assert not corpus._memo.kept
    assert not corpus._memo.making
    found = Runner(corpus)(formats.parse(search), "w7 w49", 1_000)
    assert {int(i) % 997 for i in found.ids[: n // 997]} == {7}, "these have both words, wherever they stand"
    assert max(map(int, found.ids)) > n - 1_000


@pytest.mark.parametrize(
    "search",
    spread(
        (
            "BM25() >> Learned()",
            "TFIDF()",
            "BM25() >> MinimumMatch(0.2)",
            "BM25() >> QueryCoverage()",
            "BM25() >> MaxSim()",
            "BM25() >> HybridSimilarity()",
            "Vector(embedder=LSA(size=8))",
            "Vector()",
        ),
        1,
    ),
)
def test_whatever_a_search_prepares_can_be_stopped_at_every_report(
    search: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix, "LONG", 200)
    for module in (token_store, pieces, lsa):
        monkeypatch.setattr(module, "OFTEN", 20)
    monkeypatch.setattr(lsa, "DENSE", 0)
    corpus, reports = passages(60), list[tuple[int, int]]()
    whole = Runner(corpus, progress=lambda *now: reports.append(now))(formats.parse(search), "battery w7")
    assert reports, "nobody could stop it"
    for call in range(1, len(reports) + 1):
        half = passages(60)
        stopped_at(half, search, call)
        again = Runner(half)(formats.parse(search), "battery w7")
        assert [(h.document.id, h.score) for h in again] == [(h.document.id, h.score) for h in whole]


def test_a_block_ends_after_so_many_characters_so_that_long_texts_can_be_stopped_as_well() -> None:
    half = "x" * (matrix.LONG // 2)
    assert [len(block) for block in matrix._blocks([half, half, "", half, half])] == [2, 3]
    assert [len(block) for block in matrix._blocks(["x"] * (matrix.BLOCK + 1))] == [matrix.BLOCK, 1]
    assert [*matrix._blocks([])] == []
