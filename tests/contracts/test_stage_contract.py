"""What every stage keeps to, those to come included."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import for_each
from specimens import TINY, all_of, corpora, queries

from lab import catalog
from lab.algebra import Corpus, Document, Drop, Env, Hit, Outcome, Ranking, Stage, knob
from lab.contracts import checks
from lab.contracts.specimens import Case
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


@pytest.fixture(params=STAGES)
def stage(request: pytest.FixtureRequest) -> Stage:
    op: Stage = request.param
    return op


@given(corpus=corpora(), query=queries(), k=st.integers(1, 9))
def test_a_stage_gives_a_proper_ranking(stage: Stage, corpus: Corpus, query: str, k: int) -> None:
    checks.check_stage(stage, Case(corpus, query), (k,))


@given(corpus=corpora(), query=queries())
def test_a_stage_takes_what_a_stage_gives_and_repeats_it(stage: Stage, corpus: Corpus, query: str) -> None:
    checks.check_stage_twice(stage, Case(corpus, query))
    after = stage(Vector().index(corpus).search(query))
    assert dataclasses.replace(after, seconds=after.seconds + 1) == after


def test_nothing_in_nothing_out_and_stages_apply_from_left_to_right(stage: Stage) -> None:
    checks.check_stage_of_nothing(stage, Case(TINY, "battery 充电"))
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
        checks.check_refined(Faulty(fault), BM25(variant="lucene").index(TINY).search("battery"))
