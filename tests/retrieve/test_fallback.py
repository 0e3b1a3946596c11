"""Strict first, another way only where nothing passes, and it says so (RAGFlow's adaptive fallback as a search)."""

from __future__ import annotations

import pytest

from lab import presets
from lab.algebra import Corpus, Document, Fallback, Hit, Pipeline, Query, Ranking, Relaxed, Runner, Searcher
from lab.errors import ParameterError, PipelineError
from lab.fuse import WeightedSum
from lab.refine.filters import MinimumMatch, ScoreThreshold
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector

TEXTS = ["red apple pie", "green pear tart", "blue plum jam", "red pear jam", "yellow lemon cake"]
CORPUS = Corpus("kitchen", tuple(Document(f"d{i}", t) for i, t in enumerate(TEXTS)))
RUNNER = Runner(CORPUS)
ONE_OF_NINE = "apple one two three four five six seven eight"


def both(match: float, similarity: float) -> Pipeline:
    """Words and vectors, each with a limit of its own."""
    lists = (BM25() >> MinimumMatch(match, asked="chinese"), Vector() >> ScoreThreshold(similarity))
    return WeightedSum((0.05, 0.95))(*lists)


def fallback(
    match: float = 0.3, similarity: float = 0.2, relaxed_match: float = 0.1, relaxed_similarity: float = 0.17
) -> Fallback:
    return Fallback(both(match, similarity), both(relaxed_match, relaxed_similarity))


def lists(ranking: Ranking) -> tuple[Ranking, Ranking]:
    """What words and vectors found, behind the answer."""
    lexical, vector = ranking.parents[-1].parents
    return lexical, vector


def test_what_passes_the_first_limits_is_not_relaxed() -> None:
    found = RUNNER(fallback(), "red pear")
    assert isinstance(found.evidence, Relaxed)
    assert not found.evidence.relaxed
    assert len(found.parents) == 1
    lexical, _ = lists(found)
    assert lexical.ids[0] == "d3"
    assert set(lexical.ids) == {"d0", "d1", "d3"}  # one of two terms is more than 0.3 of them
    assert found.hits == RUNNER(both(0.3, 0.2), "red pear").hits


def test_a_document_with_too_few_of_the_terms_is_dropped_with_the_numbers() -> None:
    lexical, _ = lists(RUNNER(fallback(match=0.6), "red pear"))
    assert lexical.ids == ["d3"]
    assert {d.reason for d in lexical.dropped} == {"Query terms found: 1 of 2; required: 2."}
    assert lexical.parents[0].made_by == BM25()


def test_where_nothing_passes_the_second_search_answers_and_says_so() -> None:
    strict, loose = BM25() >> MinimumMatch(0.3), BM25() >> MinimumMatch(0.1)
    found = RUNNER(Fallback(strict, loose), ONE_OF_NINE)
    assert found.evidence.relaxed
    assert found.ids == ["d0"]  # 1 of 9 terms: less than 0.3, more than 0.1
    assert found.parents[0].dropped[0].reason == "Query terms found: 1 of 9; required: 3."
    assert [d.document.id for d in found.parents[0].dropped] == ["d0"], "what was too little for the first is there"


def test_where_even_that_finds_nothing_it_says_that() -> None:
    found = RUNNER(fallback(similarity=1.0, relaxed_similarity=1.0), "zzz")
    assert found.hits == ()
    assert (found.evidence.relaxed, len(found)) == (True, 0)


def test_far_documents_are_dropped_with_their_similarity() -> None:
    _, vector = lists(RUNNER(fallback(similarity=0.5, relaxed_similarity=0.5), "red apple pie"))
    assert all(h.score >= 0.5 for h in vector)
    assert all("limit 0.5" in d.reason for d in vector.dropped)
    assert len(vector) + len(vector.dropped) == len(vector.parents[0])


@pytest.mark.parametrize("query", ["red pear", ONE_OF_NINE, "zzz", "", "red apple pie jam cake"])
@pytest.mark.parametrize("k", [1, 3, 100])
def test_no_hit_is_lost_without_a_word(query: str, k: int) -> None:
    found = RUNNER(fallback(0.6, 0.5, 0.4, 0.3), query, k)
    for ranking in found.lineage():
        if ranking.made_by in (fallback(0.6, 0.5, 0.4, 0.3), *both(0.6, 0.5).retrieve):
            continue
        for parent in ranking.parents:
            gone = {d.document.id for d in ranking.dropped}
            assert set(parent.ids) <= set(ranking.ids) | gone or ranking.asked
    for ranking in found.lineage():
        if isinstance(ranking.made_by, MinimumMatch | ScoreThreshold):
            (parent,) = ranking.parents
            assert sorted(ranking.ids + [d.document.id for d in ranking.dropped]) == sorted(parent.ids)


def test_documents_that_match_enough_are_found_behind_many_that_do_not() -> None:
    # short texts with one rare word outrank a long text that has both
    corpus = Corpus(
        "long", (*(Document(f"s{i}", "rare") for i in range(30)), Document("both", "rare common " + "filler " * 200))
    )
    found = Runner(corpus)(Fallback(BM25() >> MinimumMatch(1.0), Vector()), "rare common", 2)
    assert found.ids == ["both"]


def test_both_lists_are_fused() -> None:
    found = RUNNER(fallback(), "red pear")
    assert found.ids[0] == "d3"
    assert [c.source for c in found.hits[0].why] == [
        f"{BM25().label} rank 1",
        "Vector · Built-in bilingual rank 1",
    ]


def test_the_preset_is_ragflows_way() -> None:
    preset = presets.find("ragflow")
    assert preset == fallback()
    assert RUNNER(preset, "red pear").hits == RUNNER(fallback(), "red pear").hits


def test_limits_have_their_ranges_and_both_ways_are_searches() -> None:
    with pytest.raises(ParameterError):
        MinimumMatch(1.1)
    for bad in ((BM25(), MinimumMatch()), ("bm25", BM25()), (BM25(), None)):
        with pytest.raises(PipelineError, match="cannot hold"):
            Fallback(*bad)  # type: ignore[arg-type]


def test_a_fallback_stands_wherever_a_search_does() -> None:
    inner: Searcher = Fallback(BM25() >> MinimumMatch(0.9), Vector())
    nested = WeightedSum((1.0, 1.0))(inner, BM25()) >> MinimumMatch(0.1)
    found = RUNNER(Fallback(nested, inner), Query("red pear"))
    assert found.made_by == Fallback(nested, inner)
    assert all(isinstance(h, Hit) for h in found)
