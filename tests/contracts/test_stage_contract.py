"""What every stage keeps to, those to come included."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import for_each
from specimens import TINY, all_of, corpora, queries

from lab import catalog
from lab.algebra import NEEDS, Corpus, Document, Drop, Env, Hit, Outcome, Ranking, Stage, Top, knob
from lab.contracts import checks, laws
from lab.contracts.specimens import Case
from lab.errors import PipelineError
from lab.refine.diversity import MMR
from lab.refine.llm_filter import LanguageModelJudge
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


STAGES = all_of({"AtMost": AtMost, **catalog.stages()}, working=True, varied=4)


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


@given(corpus=corpora(), query=queries())
def test_a_stage_reads_what_it_says_and_nothing_else(stage: Stage, corpus: Corpus, query: str) -> None:
    checks.check_stage_inputs(stage, Case(corpus, query))


@pytest.mark.parametrize("cls", [cls for cls in catalog.stages().values() if cls.__module__.startswith("lab.")])
def test_every_stage_of_the_lab_says_what_it_reads(cls: type[Stage]) -> None:
    assert cls.inputs is not None
    assert set(cls.inputs) <= set(NEEDS)


def test_a_stage_needs_vectors_with_an_embedder_and_a_model_once_it_names_one() -> None:
    assert MMR().needs == ("question", "scores", "texts", "vectors")
    assert LanguageModelJudge(model="").needs == ("question", "texts")
    assert LanguageModelJudge(model="chat").needs == ("question", "texts", "model")
    assert Top(3).needs == ()


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
    with pytest.raises((AssertionError, PipelineError)):
        checks.check_refined(Faulty(fault), BM25(variant="lucene").index(TINY).search("battery"))


@dataclasses.dataclass(frozen=True)
class ByTitle(Stage):
    """Says that it reads metadata alone, and reads titles."""

    inputs = ("metadata",)

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        return Outcome(sorted(ranking.hits, key=lambda hit: hit.document.title, reverse=True))


def test_a_stage_that_reads_more_than_it_says_breaks_a_law() -> None:
    corpus = Corpus("titles", tuple(Document(f"d{i}", "battery", f"title {9 - i}") for i in range(4)))
    before = Vector().index(corpus).search("battery")
    assert ByTitle()(before).ids != before.ids
    with pytest.raises(laws.BrokenLaw, match="depends on texts"):
        checks.check_stage_inputs(ByTitle(), Case(corpus, "battery"))
