"""The biography of a document: every station on its way, and where it fell out."""

from __future__ import annotations

from lab.core import Corpus, Document
from lab.explain.biography import biography, fate
from lab.fuse import RRF
from lab.refine.coverage import Coverage
from lab.refine.filters import KeywordExclusion, ScoreThreshold
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector

CORPUS = Corpus(
    "devices",
    (
        Document("a", "battery battery battery"),
        Document("b", "the battery of the headphones"),
        Document("c", "headphones, beta version"),
        Document("d", "电池和耳机"),
    ),
)
QUERY = "battery headphones"


def test_one_station_per_ranking_with_the_rank_in_each() -> None:
    lists = [BM25(variant="lucene").index(CORPUS).search(QUERY), Vector().index(CORPUS).search(QUERY)]
    answer = RRF()(lists).then(Coverage(), KeywordExclusion(("beta",)))
    told = biography("c", answer)
    assert [s.stage for s in told] == ["BM25 Lucene", "Vector · Built-in bilingual", "RRF", "Coverage", "Keywords"]
    assert [s.rank for s in told] == [r.rank("c") for r in answer.lineage()]
    assert [s.of for s in told] == [len(r) for r in answer.lineage()]
    assert [s.event for s in told[:2]] == ["found", "found"]
    assert told[2].before == min(r.rank("c") or 99 for r in lists)
    end = told[-1]
    assert (end.event, end.rank, end.score) == ("dropped", None, None)
    assert end.drop is not None
    assert end.drop.reason == "It has the word “beta” at character 13."
    assert fate("c", answer) == end


def test_a_document_that_only_one_list_has() -> None:
    lists = [BM25(variant="lucene").index(CORPUS).search(QUERY), Vector().index(CORPUS).search(QUERY)]
    answer = RRF()(lists)
    told = biography("d", answer)
    assert [s.event for s in told[:2]] == ["not found", "found"]
    assert told[2].before == lists[1].rank("d")
    assert fate("d", answer) is None


def test_moves_are_named_by_their_direction() -> None:
    before = BM25(variant="lucene").index(CORPUS).search(QUERY)
    after = Coverage(weight=1.0)(before)
    for hit in before:
        old, new = before.rank(hit.document.id), after.rank(hit.document.id)
        assert old is not None
        assert new is not None
        station = biography(hit.document.id, after)[-1]
        assert station.event == ("stayed" if new == old else "rose" if new < old else "fell")
        assert station.before == old


def test_cut_short_is_gone_without_a_rule() -> None:
    answer = Coverage()(BM25(variant="lucene").index(CORPUS).search(QUERY))
    lost = answer.hits[-1].document.id
    station = fate(lost, answer.top(1))
    assert station is not None
    assert (station.event, station.drop) == ("gone", None)


def test_the_first_loss_counts_not_the_stages_after_it() -> None:
    answer = (
        BM25(variant="lucene")
        .index(CORPUS)
        .search(QUERY)
        .then(KeywordExclusion(("beta",)), ScoreThreshold(0.0), Coverage())
    )
    told = biography("c", answer)
    assert [s.event for s in told] == ["found", "dropped", "gone", "gone"]
    assert fate("c", answer) == told[1]


def test_who_was_never_found_has_no_fate() -> None:
    answer = BM25(variant="lucene").index(CORPUS).search("battery").then(Coverage())
    assert [s.event for s in biography("d", answer)] == ["not found", "gone"]
    assert fate("d", answer) is None
