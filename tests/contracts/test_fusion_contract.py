"""What every fusion keeps to, those to come included."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import laws
import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import for_each
from specimens import all_of, corpora, queries

from lab import catalog
from lab.algebra import Contribution, Corpus, Fusion, Hit, Query, Ranking, in_order
from lab.errors import ParameterError
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector


@dataclasses.dataclass(frozen=True)
class TotalScore(Fusion):
    """The sum of the raw scores: the smallest fusion there is, so that these tests always have one."""

    def fuse(self, rankings: Sequence[Ranking]) -> Sequence[Hit]:
        found = {h.document.id: h.document for r in rankings for h in r}
        hits = []
        for doc_id, document in found.items():
            why = tuple(Contribution(f"list {i}", h.score) for i, r in enumerate(rankings, 1) if (h := r.hit(doc_id)))
            hits.append(Hit(document, math.fsum(c.value for c in why), why))
        return in_order(hits, rankings[0].corpus)


@dataclasses.dataclass(frozen=True)
class RunningSum(TotalScore):
    """The same, added up one by one: documents that tie do not, depending on the order of their lists."""

    def fuse(self, rankings: Sequence[Ranking]) -> Sequence[Hit]:
        hits = [dataclasses.replace(h, score=sum((c.value for c in h.why), 0.0)) for h in super().fuse(rankings)]
        return in_order(hits, rankings[0].corpus)


FUSIONS = all_of({"TotalScore": TotalScore, **catalog.fusions()})
RETRIEVERS = [BM25(), TFIDF(), Vector(), BM25(variant="lucene", k1=0.0)]


def lists(corpus: Corpus, query: str, number: int) -> list[Ranking]:
    return [r.index(corpus).search(query, k=5) for r in RETRIEVERS[:number]]


@pytest.mark.parametrize("fusion", FUSIONS)
@given(corpus=corpora(), query=queries(), number=st.integers(1, 4))
def test_a_fusion_gives_a_proper_ranking(fusion: Fusion, corpus: Corpus, query: str, number: int) -> None:
    rankings = lists(corpus, query, number)
    before = [laws.frozen_copy(r) for r in rankings]
    fused = fusion(rankings)
    assert [laws.frozen_copy(r) for r in rankings] == before
    assert fused.query == Query(query)
    assert fused.made_by == fusion
    assert fused.parents == tuple(rankings)
    assert fused.corpus is corpus
    assert fused.seconds >= 0
    assert {h.document.id for h in fused} == {h.document.id for r in rankings for h in r}
    laws.ranks_from_one(fused)
    laws.scores_are_numbers(fused.hits)
    laws.each_document_once(fused.hits)
    laws.documents_of_the_corpus(fused.hits, corpus)
    laws.best_first_ties_in_corpus_order(fused.hits, corpus)
    laws.addends_sum_to_the_score(fused.hits)
    laws.parents_before_children(fused)
    assert {id(r) for r in fused.lineage()} == {id(fused), *map(id, rankings)}


@pytest.mark.parametrize("fusion", FUSIONS)
@given(corpus=corpora(), query=queries())
def test_two_fusions_are_equal_whatever_time_they_took(fusion: Fusion, corpus: Corpus, query: str) -> None:
    rankings = lists(corpus, query, 3)
    fused = fusion(rankings)
    assert fusion(rankings) == fused
    assert dataclasses.replace(fused, seconds=fused.seconds + 1) == fused


@pytest.mark.parametrize("fusion", FUSIONS)
@given(corpus=corpora(), query=queries())
def test_the_order_of_the_lists_does_not_matter_without_weights(fusion: Fusion, corpus: Corpus, query: str) -> None:
    if getattr(fusion, "weights", ()):
        pytest.skip("has weights, which belong to places")
    one, two, three = lists(corpus, query, 3)
    scores = [{h.document.id: h.score for h in fusion(rs)} for rs in ([one, two, three], [three, one, two])]
    assert scores[0] == pytest.approx(scores[1], rel=1e-12, abs=1e-12)


@for_each("fusion", FUSIONS)
def test_documents_with_the_same_places_and_scores_tie_exactly(fusion: Fusion) -> None:
    laws.places_that_are_exchanged_tie_exactly(fusion)


def test_a_fusion_that_adds_up_rounded_numbers_in_the_order_of_the_lists_is_found_out() -> None:
    with pytest.raises(AssertionError, match="tie"):
        laws.places_that_are_exchanged_tie_exactly(RunningSum())


@for_each("fusion", FUSIONS)
def test_empty_lists_make_an_empty_list(fusion: Fusion) -> None:
    corpus = Corpus("empty", ())
    fused = fusion(lists(corpus, "battery", 3))
    assert fused.hits == ()
    assert len(fused.parents) == 3


@for_each("fusion", FUSIONS)
def test_nothing_to_fuse_is_refused(fusion: Fusion) -> None:
    with pytest.raises(ParameterError, match="nothing to fuse"):
        fusion([])
