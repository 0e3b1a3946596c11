"""What a fallback says of itself: what its first search lacked, what the second one allows, in both languages."""

from __future__ import annotations

import pytest
from night import for_each

from lab.algebra import Corpus, Document, Ranking, Runner
from lab.explain.decisions import decisions
from lab.explain.differences import moved
from lab.formats import parse
from lab.ui import i18n

TEXTS = ["red apple pie", "green pear tart", "blue plum jam", "red pear jam", "yellow lemon cake"]
CORPUS = Corpus("kitchen", tuple(Document(f"d{i}", t) for i, t in enumerate(TEXTS)))
ONE_OF_NINE = "apple one two three four five six seven eight"
BOTH = "RRF()(BM25() >> MinimumMatch({}), Vector() >> ScoreThreshold({}))"
BEST = "0.5, of='best'"
SHARE, LEAST = "Minimum match · Share of the question's words", "Score threshold · Minimum"


def found(search: str, query: str = ONE_OF_NINE) -> Ranking:
    return Runner(CORPUS)(parse(search), query)


CASES = [
    (  # one list, one knob
        "Fallback(BM25() >> MinimumMatch(0.3), BM25() >> MinimumMatch(0.1))",
        "The first search has no results left: Minimum match removed 1 of 1. "
        f"Searched again with {SHARE} 0.3 → 0.1. Hits now: 1.",
    ),
    (  # two lists: whose stage it was; several knobs of one stage
        f"Fallback({BOTH.format(0.3, 0.99)}, {BOTH.format(0.1, BEST)})",
        "The first search has no results left: Minimum match removed 1 of 1 (BM25); Score threshold removed 5 of 5 "
        f"(Vector). Searched again with BM25: {SHARE} 0.3 → 0.1; Vector: {LEAST} 0.99 → 0.5; Vector: Score threshold · "
        "Score scale raw score → share of the best score. Hits now: {n}.",
    ),
    (  # one stage after the other: each with what it was given
        "Fallback(Vector() % 3 >> ScoreThreshold(0.99), Vector() % 2 >> ScoreThreshold(0.99))",
        "The first search has no results left: Top 3 removed 2 of 5; Score threshold removed 3 of 3. "
        "Searched again with Top · Number of results 3 → 2. That finds nothing either.",
    ),
    (  # a list that itself found nothing has no stage to blame
        "Fallback(BM25() >> LengthFilter(900), Vector())",
        "BM25 → Length has no results left: Length removed 1 of 1. Vector · Built-in bilingual was used instead. "
        "Hits now: 5.",
    ),
    (
        "Fallback(BM25() % 0, BM25() % 0)",
        "The first search has no results left: Top 0 removed 1 of 1. The second search is identical. "
        "That finds nothing either.",
    ),
]


@for_each("search, said", CASES)
def test_a_fallback_says_what_was_lacking_and_what_it_allows(search: str, said: str) -> None:
    ranking = found(search)
    assert list(decisions(ranking)) == [said.replace("{n}", str(len(ranking)))]
    assert ranking.evidence.relaxed


def test_a_list_that_found_nothing_is_told_from_one_whose_hits_were_removed() -> None:
    search = f"Fallback({BOTH.format(0.3, 0.99)}, {BOTH.format(0.3, 0.0)})"
    (said,) = decisions(found(search, "zzz qqq"))
    assert "BM25 found nothing; Score threshold removed 5 of 5 (Vector)." in said


def test_where_the_first_search_was_enough_nothing_is_said() -> None:
    ranking = found("Fallback(BM25() >> MinimumMatch(0.3), Vector())", "red pear")
    assert ranking.hits
    assert list(decisions(ranking)) == []


def test_where_nothing_is_asked_nothing_is_said() -> None:
    ranking = found("Fallback(BM25(), Vector())", " ")
    assert ranking.evidence.relaxed
    assert list(decisions(ranking)) == []


def test_the_hits_that_stages_removed_are_those_of_the_lists() -> None:
    ranking = found(f"Fallback({BOTH.format(0.3, 0.99)}, BM25())")
    strict = ranking.parents[0]
    (said,) = decisions(ranking)
    for step in strict.lineage():
        if step.dropped:
            assert f"removed {len(step.dropped)} of {len(step.parents[0])}" in said


@for_each("way", ["{} >> MMR(k=3)", "Contextual()({})", "RRF()({}, Vector())", "Fallback({}, TFIDF())"])
def test_a_fallback_within_a_search_says_so_too(way: str) -> None:
    inner = "Fallback(BM25() >> MinimumMatch(0.3), BM25() >> MinimumMatch(0.1))"
    (said,) = decisions(found(way.format(inner)))
    assert said == CASES[0][1]


@pytest.mark.parametrize("margin", [0, 1])
def test_where_all_routes_are_asked_a_fallback_says_whose_it_is(margin: int) -> None:
    inner = "Fallback(BM25() >> MinimumMatch(0.3), BM25() >> MinimumMatch(0.1))"
    places = ", ".join(f"Destination('{name}', {inner}, '{name}')" for name in ("kitchen", "cellar"))
    other = Corpus("cellar", (Document("c0", "apple wine"), Document("c1", "pear cider")))
    search = parse(f"Route(CollectionRouter(margin={margin}), ({places},))")
    ranking = Runner(CORPUS, others={"cellar": other})(search, ONE_OF_NINE)
    routed, *fallbacks = decisions(ranking)
    assert routed == ranking.evidence.said
    assert fallbacks == [f"{name}: {CASES[0][1]}" for name in ("kitchen", "cellar")] if margin else [CASES[0][1]]


def test_the_time_of_a_fallback_under_a_rewriter_is_counted_once() -> None:
    ranking = found("Contextual()(Fallback(BM25(), Vector()))")
    assert ranking.seconds == ranking.evidence.seconds
    assert ranking.parents[0].evidence.relaxed is False


def test_searches_of_another_shape_have_no_knobs_that_moved() -> None:
    assert moved(parse("BM25(k1=0.9)"), parse("BM25()")) != ()
    assert moved(parse("BM25() % 3"), parse("BM25() % 3")) == ()
    for other in ("TFIDF()", "BM25() % 3", "Fallback(BM25(), Vector())"):
        assert moved(parse("BM25()"), parse(other)) is None


def test_the_chinese_sentence_has_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(i18n, "language", lambda: "zh")
    (said,) = decisions(found(CASES[1][0]))
    told = i18n.say(said)
    for number in ("1", "5", "0.3", "0.1", "0.99", "0.5"):
        assert number in told
    assert not any(word in told for word in ("search", "removed", "Asked", "Hits"))
