"""What every fusion keeps to, those to come included."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import for_each
from specimens import all_of, corpora, queries

from lab import catalog
from lab.algebra import Contribution, Corpus, Fusion, Hit, Ranking, in_order
from lab.contracts import checks, laws
from lab.contracts.laws import BrokenLaw
from lab.contracts.specimens import Case
from lab.errors import ParameterError
from lab.numeric import added


@dataclasses.dataclass(frozen=True)
class TotalScore(Fusion):
    """The sum of the raw scores: the smallest fusion there is, so that these tests always have one."""

    def fuse(self, rankings: Sequence[Ranking]) -> Sequence[Hit]:
        found = {h.document.id: h.document for r in rankings for h in r}
        hits = []
        for doc_id, document in found.items():
            why = tuple(Contribution(f"list {i}", h.score) for i, r in enumerate(rankings, 1) if (h := r.hit(doc_id)))
            hits.append(Hit(document, math.fsum(c.value for c in why), why))
        return in_order(hits, *rankings)


@dataclasses.dataclass(frozen=True)
class RunningSum(TotalScore):
    """The same, added up one by one: documents that tie do not, depending on the order of their lists."""

    def fuse(self, rankings: Sequence[Ranking]) -> Sequence[Hit]:
        hits = [dataclasses.replace(h, score=added(c.value for c in h.why)) for h in super().fuse(rankings)]
        return in_order(hits, *rankings)


FUSIONS = all_of({"TotalScore": TotalScore, **catalog.fusions()})


@pytest.mark.parametrize("fusion", FUSIONS)
@given(corpus=corpora(), query=queries(), number=st.integers(1, 4))
def test_a_fusion_gives_a_proper_ranking(fusion: Fusion, corpus: Corpus, query: str, number: int) -> None:
    checks.check_fusion(fusion, Case(corpus, query), (number,))


@pytest.mark.parametrize("fusion", FUSIONS)
@given(corpus=corpora(), query=queries())
def test_two_fusions_are_equal_whatever_time_they_took(fusion: Fusion, corpus: Corpus, query: str) -> None:
    checks.check_fusion_repeats(fusion, Case(corpus, query))
    fused = fusion(checks.lists(Case(corpus, query), 3))
    assert dataclasses.replace(fused, seconds=fused.seconds + 1) == fused


@pytest.mark.parametrize("fusion", FUSIONS)
@given(corpus=corpora(), query=queries())
def test_the_order_of_the_lists_does_not_matter_without_weights(fusion: Fusion, corpus: Corpus, query: str) -> None:
    checks.check_turns(fusion, Case(corpus, query))


@for_each("fusion", FUSIONS)
def test_documents_with_the_same_places_and_scores_tie_exactly(fusion: Fusion) -> None:
    laws.check_exact_ties(fusion)


def test_a_fusion_that_adds_up_rounded_numbers_in_the_order_of_the_lists_is_found_out() -> None:
    with pytest.raises(BrokenLaw, match="do not tie"):
        laws.check_exact_ties(RunningSum())


@for_each("fusion", FUSIONS)
def test_empty_lists_make_an_empty_list_and_nothing_to_fuse_is_refused(fusion: Fusion) -> None:
    checks.check_empty_lists(fusion, Case(Corpus("empty", ()), "battery"))
    with pytest.raises(ParameterError, match="nothing to fuse"):
        fusion([])
