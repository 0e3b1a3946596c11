"""The biography of a document: every station on its way, and where it fell out."""

from __future__ import annotations

from lab.algebra import Corpus, Document, Top
from lab.explain.biography import biography
from lab.fuse import RRF
from lab.refine.coverage import QueryCoverage
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
    answer = RRF()(lists).then(QueryCoverage(), KeywordExclusion(("beta",)))
    told = biography("c", answer)
    assert [s.stage for s in told] == ["BM25", "Vector · Built-in bilingual", "RRF", "Coverage", "Keywords"]
    assert [s.rank for s in told] == [r.rank("c") for r in answer.lineage()]
    assert [s.ranking for s in told] == list(answer.lineage())
    assert [s.event for s in told[:2]] == ["found", "found"]
    assert told[2].before == min(r.rank("c") or 99 for r in lists)
    end = told[-1]
    assert (end.event, end.rank) == ("dropped", None)
    assert end.drop is not None
    assert end.drop.reason == "It contains the word “beta” at character 13."


def test_a_document_that_only_one_list_has() -> None:
    lists = [BM25(variant="lucene").index(CORPUS).search(QUERY), Vector().index(CORPUS).search(QUERY)]
    answer = RRF()(lists)
    told = biography("d", answer)
    assert [s.event for s in told[:2]] == ["not found", "found"]
    assert told[2].before == lists[1].rank("d")
    assert (told[2].event, told[2].rank) != ("gone", None)


def test_moves_are_named_by_their_direction() -> None:
    before = BM25(variant="lucene").index(CORPUS).search(QUERY)
    after = QueryCoverage(weight=1.0)(before)
    for hit in before:
        old, new = before.rank(hit.document.id), after.rank(hit.document.id)
        assert old is not None
        assert new is not None
        station = biography(hit.document.id, after)[-1]
        assert station.event == ("stayed" if new == old else "rose" if new < old else "fell")
        assert station.before == old


def test_a_cut_is_a_stage_that_says_so() -> None:
    found = BM25(variant="lucene").index(CORPUS).search(QUERY)
    answer = QueryCoverage()(found)
    lost = answer.hits[-1].document.id
    last = biography(lost, answer.then(Top(1)))[-1]
    assert (last.stage, last.event, last.before) == ("Top 1", "dropped", len(answer))
    assert last.drop is not None
    assert last.drop.reason == f"Rank {len(answer)}: only the first 1 are passed on."
    later = biography(lost, QueryCoverage()(answer.then(Top(1))))
    assert [s.event for s in later][-2:] == ["dropped", "gone"]
    before = biography(found.hits[-1].document.id, QueryCoverage()(found.then(Top(1))))
    assert [s.event for s in before] == ["found", "dropped", "gone"], "it was found, and then it was cut"


def test_what_a_list_was_not_asked_for_is_beyond_its_end() -> None:
    index = BM25(variant="lucene").index(CORPUS)
    whole = index.search(QUERY)
    last = whole.ids[-1]
    (step,) = biography(last, index.search(QUERY, k=1))
    assert (step.event, step.rank, step.ranking.asked) == ("beyond", None, 1)
    assert biography("d", whole)[0].event == "not found", "this list is whole"


def test_the_first_loss_counts_not_the_stages_after_it() -> None:
    answer = (
        BM25(variant="lucene")
        .index(CORPUS)
        .search(QUERY)
        .then(KeywordExclusion(("beta",)), ScoreThreshold(0.0), QueryCoverage())
    )
    told = biography("c", answer)
    assert [s.event for s in told] == ["found", "dropped", "gone", "gone"]
    assert told[1].drop is not None
    assert [s.drop for s in told[2:]] == [None, None]


def test_who_was_never_found_is_gone_without_a_reason() -> None:
    answer = BM25(variant="lucene").index(CORPUS).search("battery").then(QueryCoverage())
    assert [s.event for s in biography("d", answer)] == ["not found", "gone"]
