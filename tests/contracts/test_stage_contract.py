"""What every stage keeps to, those to come included."""

from __future__ import annotations

import dataclasses

import laws
import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import for_each
from specimens import TINY, all_of, corpora, queries

from lab import catalog
from lab.algebra import Corpus, Document, Drop, Env, Hit, Outcome, Ranking, Retriever, Stage, knob
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector


@dataclasses.dataclass(frozen=True)
class AtMost(Stage):
    """Keeps the first few: the smallest stage there is, so that these tests always have one."""

    count: int = knob(2, low=1, high=100)

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        late = [
            Drop(h.document, f"rank {i} is below {self.count}", "AtMost")
            for i, h in enumerate(ranking, 1)
            if i > self.count
        ]
        return Outcome(ranking.hits[: self.count], late)


STAGES = all_of({"AtMost": AtMost, **catalog.stages()}, working=True, varied=7)
RETRIEVERS: list[Retriever] = [BM25(), Vector()]


@pytest.fixture(params=STAGES)
def stage(request: pytest.FixtureRequest) -> Stage:
    op: Stage = request.param
    return op


def check(stage: Stage, before: Ranking) -> Ranking:
    copy = laws.frozen_copy(before)
    after = stage(before)
    assert laws.frozen_copy(before) == copy
    assert after.query == before.query
    assert after.made_by == stage
    assert after.parents == (before,)
    assert after.parents[0] is before
    assert after.corpus is before.corpus
    assert after.seconds >= 0
    laws.ranks_from_one(after)
    laws.scores_are_numbers(after.hits)
    laws.each_document_once(after.hits)
    laws.addends_sum_to_the_score(after.hits)
    laws.parents_before_children(after)
    if not stage.makes_documents:
        laws.nothing_lost_nothing_invented(before, after)
    return after


@given(corpus=corpora(), query=queries(), retriever=st.sampled_from(RETRIEVERS), k=st.integers(1, 9))
def test_a_stage_gives_a_proper_ranking(stage: Stage, corpus: Corpus, query: str, retriever: Retriever, k: int) -> None:
    check(stage, retriever.index(corpus).search(query, k=k))


@given(corpus=corpora(), query=queries())
def test_a_stage_takes_what_a_stage_gives(stage: Stage, corpus: Corpus, query: str) -> None:
    after = check(stage, check(stage, BM25().index(corpus).search(query)))
    assert len(list(after.lineage())) == 3


@given(corpus=corpora(), query=queries())
def test_two_runs_are_equal_whatever_time_they_took(stage: Stage, corpus: Corpus, query: str) -> None:
    before = Vector().index(corpus).search(query)
    after = stage(before)
    assert stage(before) == after
    assert dataclasses.replace(after, seconds=after.seconds + 1) == after


@pytest.mark.parametrize("corpus", [TINY, Corpus("empty", ())], ids=["some documents", "no documents"])
def test_nothing_in_nothing_out(stage: Stage, corpus: Corpus) -> None:
    after = check(stage, BM25().index(corpus).search(""))
    assert after.hits == ()
    assert after.dropped == ()


def test_then_applies_stages_from_left_to_right(stage: Stage) -> None:
    before = Vector().index(TINY).search("battery 充电")
    after = before.then(stage, AtMost(1))
    assert after == AtMost(1)(stage(before))
    assert [r.made_by for r in after.lineage()] == [before.made_by, stage, AtMost(1)]


# ------------------------------------------------------------------ the laws themselves catch what they are for


@dataclasses.dataclass(frozen=True)
class Faulty(Stage):
    """Breaks one law at a time."""

    fault: str = knob("loses", choices=("loses", "invents", "doubles", "no reason"))

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        hits = ranking.hits
        return Outcome(
            *{
                "loses": (hits[1:], []),
                "invents": ((*hits, Hit(Document("new", "new"), 1.0)), []),
                "doubles": ((*hits, hits[0]), []),
                "no reason": (hits[1:], [Drop(hits[0].document, "", "Faulty")]),
            }[self.fault]
        )


@for_each("fault", ["loses", "invents", "doubles", "no reason"])
def test_a_faulty_stage_is_caught(fault: str) -> None:
    with pytest.raises(AssertionError):
        check(Faulty(fault), BM25(variant="lucene").index(TINY).search("battery"))
