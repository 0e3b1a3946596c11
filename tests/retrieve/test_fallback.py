"""The adaptive fallback: strict first, relaxed only where nothing passes, and it says so."""

from __future__ import annotations

import pytest
from lab.retrieve.fallback import AdaptiveFallback, matched_terms

from lab.core import Corpus, Document
from lab.errors import ParameterError
from lab.fuse import WeightedSum
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector

TEXTS = ["red apple pie", "green pear tart", "blue plum jam", "red pear jam", "yellow lemon cake"]
CORPUS = Corpus("kitchen", tuple(Document(f"d{i}", t) for i, t in enumerate(TEXTS)))
BM, VEC = BM25().index(CORPUS), Vector().index(CORPUS)

ONE_OF_NINE = "apple one two three four five six seven eight"


def ids(ranking) -> list[str]:
    return [h.document.id for h in ranking]


def test_matched_terms_are_counted_once_each() -> None:
    assert matched_terms(BM, "red red pear unknown").tolist() == [1, 1, 0, 2, 0]


def test_what_passes_the_first_limits_is_not_relaxed() -> None:
    found = AdaptiveFallback()(BM, VEC, "red pear")
    assert not found.relaxed
    assert ids(found.lexical)[0] == "d3"
    assert set(ids(found.lexical)) == {"d0", "d1", "d3"}  # one of two terms is more than 0.3 of them


def test_a_document_with_too_few_of_the_terms_is_dropped_with_the_numbers() -> None:
    found = AdaptiveFallback(match=0.6)(BM, VEC, "red pear")
    assert ids(found.lexical) == ["d3"]
    assert {d.reason for d in found.lexical.dropped} == {"It has 1 of 2 query terms; 2 are asked for."}
    assert found.lexical.parents[0].made_by == BM25()


def test_where_nothing_passes_the_limits_are_lowered_once_and_the_answer_says_so() -> None:
    fallback = AdaptiveFallback(similarity=1.0, relaxed_similarity=0.99)
    found = fallback(BM, VEC, ONE_OF_NINE)
    assert found.relaxed
    assert ids(found.lexical) == ["d0"]  # 1 of 9 terms: less than 0.3, more than 0.1
    assert found.said == (
        "Nothing passed 0.30 of the query terms or a similarity of 1.00. With 0.10 and 0.99: 1 documents."
    )


def test_where_even_that_finds_nothing_it_says_that() -> None:
    found = AdaptiveFallback(similarity=1.0, relaxed_similarity=1.0)(BM, VEC, "zzz")
    assert found.relaxed
    assert found.said.startswith("Nothing passed 0.30 of the query terms or a similarity of 1.00, nor 0.10 and 1.00")


def test_far_documents_are_dropped_with_their_similarity() -> None:
    found = AdaptiveFallback(similarity=0.5, relaxed_similarity=0.5)(BM, VEC, "red apple pie")
    assert all(h.score >= 0.5 for h in found.vector)
    assert all("is below 0.50" in d.reason for d in found.vector.dropped)
    assert len(found.vector) + len(found.vector.dropped) == len(found.vector.parents[0])


def test_documents_that_match_enough_are_found_behind_many_that_do_not() -> None:
    # short texts with one rare word outrank a long text that has both
    corpus = Corpus(
        "long", (*(Document(f"s{i}", "rare") for i in range(30)), Document("both", "rare common " + "filler " * 200))
    )
    found = AdaptiveFallback(match=1.0)(BM25().index(corpus), Vector().index(corpus), "rare common", k=2)
    assert ids(found.lexical) == ["both"]


def test_both_lists_can_be_fused() -> None:
    found = AdaptiveFallback()(BM, VEC, "red pear")
    fused = WeightedSum(WeightedSum.MOSTLY_VECTOR)(found.rankings)
    assert fused.hits[0].document.id == "d3"
    assert [c.source for c in fused.hits[0].why] == ["BM25 rank 1", "Vector · Built-in bilingual rank 1"]


def test_relaxed_limits_cannot_be_stricter() -> None:
    with pytest.raises(ParameterError):
        AdaptiveFallback(match=0.1, relaxed_match=0.2)
    with pytest.raises(ParameterError):
        AdaptiveFallback(similarity=0.1)
