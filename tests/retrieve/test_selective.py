"""A step only where it pays: what is decided and why, what is searched, and what does not depend on k."""

from __future__ import annotations

import random
import statistics

import pytest
from night import for_each

from lab import formats
from lab.algebra import Corpus, Document, Fallback, Runner
from lab.corpus import samples
from lab.errors import ParameterError
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import run_many
from lab.explain.decisions import decisions
from lab.explain.saving import saving
from lab.explain.trace import trace
from lab.refine.coverage import MaxSim
from lab.retrieve.given import Given
from lab.retrieve.lexical import BM25
from lab.retrieve.selective import Predicted, Selective, gap, spread
from lab.retrieve.vector import Vector

CORPUS = samples.load("devices").corpus
SEARCH = Selective(BM25(), BM25() >> MaxSim(), minimum=0.4)


def given(scores: list[float]) -> Given:
    return Given(rows=tuple(f"d{i} {score!r}" for i, score in enumerate(scores)))


@for_each("seed", range(40))
def test_the_second_search_runs_if_the_predictor_by_its_definition_is_low(seed: int) -> None:
    rng = random.Random(seed)
    scores = sorted((rng.uniform(0.1, 9) for _ in range(rng.randint(0, 130))), reverse=True)
    corpus = Corpus("scored", tuple(Document(f"d{i}", "x") for i in range(max(1, len(scores)))))
    first = scores[:100]
    values = {
        "spread": statistics.pstdev(first[:10]) / statistics.mean(first) if len(first) > 1 else None,
        "gap": (first[0] - first[1]) / first[0] if len(first) > 1 else None,
    }
    minimum = rng.choice([0.1, 0.3, 0.6])
    for by, value in values.items():
        search = Selective(given(scores) if scores else BM25(), given([5.0]), by=by, minimum=minimum)
        for k in (3, 100, 500):
            found = Runner(corpus)(search, "q", k)
            choice = found.evidence
            assert isinstance(choice, Predicted)
            assert choice.value == (None if value is None else pytest.approx(value))
            assert choice.relaxed == (value is None or value < minimum)
            assert found.ids == (["d0"] if choice.relaxed else [f"d{i}" for i in range(min(k, len(scores)))])


def test_the_list_is_that_of_the_search_that_was_chosen_and_the_first_ten_are_the_first_of_a_hundred() -> None:
    runner = Runner(CORPUS)
    decided = set()
    for query in samples.load("devices").judged[:40]:
        found = runner(SEARCH, query)
        choice = found.evidence_as(Predicted)
        decided.add(choice.relaxed)
        assert found.hits == runner(SEARCH.then if choice.relaxed else SEARCH.first, query).hits
        assert Runner(CORPUS)(SEARCH, query, 10).hits == found.hits[:10]
        assert (len(found.parents) == 2) == choice.relaxed
    assert decided == {True, False}


def test_the_first_list_is_searched_once_for_both(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    runner = Runner(CORPUS)
    index = runner.index(BM25())
    search = type(index).search
    monkeypatch.setattr(type(index), "search", lambda self, *a, **b: calls.append(1) or search(self, *a, **b))
    runner(Selective(BM25(), BM25() >> MaxSim(), minimum=10), "reset router", 10)
    assert len(calls) == 1


def test_the_decision_is_said_with_its_numbers_in_both_cases() -> None:
    runner = Runner(CORPUS)
    for minimum, words in (
        (0.0, "at least 0, so the second search was skipped."),
        (10, "below 10, so the second search ran."),
    ):
        found = runner(Selective(BM25(), Vector(), minimum=minimum), "reset router")
        (sentence,) = decisions(found)
        value = spread([hit.score for hit in runner(BM25(), "reset router").hits])
        assert sentence == f"spread of the scores: {value:.3f}, {words}"
    nothing = runner(Selective(BM25(), Vector()), "zyzzyva")
    assert list(decisions(nothing)) == ["The first list has no spread of the scores, so the second search ran."]


def test_it_is_a_fallback_with_another_condition_in_files_traces_and_ablation() -> None:
    assert isinstance(SEARCH, Fallback)
    assert formats.parse(formats.expression(SEARCH)) == SEARCH
    assert formats.from_toml(formats.to_toml(SEARCH)) == SEARCH
    assert SEARCH.without("then.refine.0") == Selective(BM25(), SEARCH.then.without("refine.0"))
    for query in ("reset router", "PX-3310DN", "手表怎么充电"):
        traced = trace(Runner(CORPUS), SEARCH, query, 10)
        assert traced.ranking == Runner(CORPUS)(SEARCH, query, 10)
        relaxed = traced.ranking.evidence_as(Predicted).relaxed
        assert any(path.startswith("then") for path in traced.steps) == relaxed
    with pytest.raises(ParameterError, match="minimum"):
        Selective(BM25(), Vector(), minimum=-1)


def test_lists_without_two_scores_or_with_a_mean_of_0_have_no_predictor() -> None:
    for scores in ([], [1.0], [0.0, 0.0]):
        assert spread(scores) is gap(scores) is None
    assert spread([1.0, -1.0]) is None
    assert gap([2.0, 1.0]) == 0.5


def test_the_saving_is_that_of_the_runs_question_by_question() -> None:
    c = samples.load("staff")
    search = Selective(BM25(), Vector(), by="gap", minimum=0.1)
    result = saving(search, c)
    assert result
    runs = run_many({"first": search.first, "then": search.then, "whole": search}, c.corpus, c.judged)
    qrels = {q.id: c.qrels[q.id] for q in c.judged}
    gains = {name: measure_run(run, qrels, ["nDCG@10"]).per_query["nDCG@10"] for name, run in runs.items()}
    skipped = [q for q in gains["first"] if runs["whole"].results[q] == runs["first"].results[q]]
    assert result.skipped == len(skipped)
    assert 0 < len(skipped) < len(c.judged)
    mixed = [gains["first" if q in skipped else "then"][q] for q in qrels]
    assert result.selective == pytest.approx(statistics.mean(mixed))
    rng = random.Random(1)
    drawn = []
    for _ in range(2000):
        lucky = set(rng.sample(sorted(qrels), len(skipped)))
        drawn.append(statistics.mean(gains["first" if q in lucky else "then"][q] for q in qrels))
    assert result.by_chance == pytest.approx(statistics.mean(drawn), abs=0.005)
    assert saving(search, type(c)(c.corpus, (), {})) is None
