"""Can a list be trusted?  The predictors at the corners, and the sentences with what they are worth on a corpus."""

from __future__ import annotations

import pytest

from lab import samples
from lab.algebra import DEPTH, Corpus, Document, Env, Query, Runner
from lab.corpus.beir import Collection
from lab.evaluate.learning import FEW
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import run_many
from lab.explain.predicting import (
    NEAR,
    PREDICTORS,
    gains_of,
    gap,
    outlook,
    overlap,
    predictors,
    predictors_of_run,
    spread,
)
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector

NOTHING = dict.fromkeys(PREDICTORS)


@pytest.mark.parametrize("scores", [[], [3.0], [0.0, 0.0], [1.0, -1.0]])
def test_a_spread_without_a_mean_is_none(scores):
    assert spread(scores) is None


@pytest.mark.parametrize(("scores", "value"), [([], None), ([2.0], None), ([0.0, -1.0], None), ([-2.0, -3.0], 0.5)])
def test_a_gap_needs_two_scores_and_a_first_one(scores, value):
    assert gap(scores) == value
    assert gap([4.0, 3.0, 1.0]) == 0.25


def test_an_overlap_needs_a_list():
    assert overlap([], []) is None
    assert overlap(["a"], []) == 0.0
    assert overlap(["a", "b"], ["b", "c", "d"]) == 1 / 3


def test_an_empty_list_has_no_predictors_and_one_of_one_result_has_two():
    corpus = Corpus("foxes", (Document("d1", "a red fox"), Document("d2", "a blue bird")))
    runner = Runner(corpus)
    env = Env(runner=runner)
    assert predictors(runner(BM25(), Query("snow"), DEPTH), [], [], env) == NOTHING
    only = predictors(runner(BM25(), Query("red snow"), DEPTH), ["d1"], ["d2", "d1"], env)
    assert only == {"spread": None, "gap": None, "overlap": 0.5, "coverage": 0.5}


@pytest.fixture(scope="module")
def worth():
    """The predictors and the measure of every judged question of a sample."""
    c = samples.load("handbook")
    runs = run_many({"words": BM25(), "meaning": Vector()}, c.corpus, c.judged)
    env = Env(explain=False, runner=Runner(c.corpus, explain=False))
    return c, predictors_of_run(runs["words"], *runs.values(), c, c.judged, env), gains_of(runs["words"], c, c.judged)


def test_a_question_is_compared_with_the_others_and_not_with_itself(worth):
    c, values, gains = worth
    query = c.judged[3]
    found = outlook(query, values[query.id], values, gains)
    assert set(found.gains) == {q.id for q in c.judged} - {query.id}
    run = run_many({"": BM25()}, c.corpus, c.judged)[""]
    assert gains == measure_run(run, c.qrels, ["nDCG@10"]).per_query["nDCG@10"]
    for x in found.predictors:
        assert x.value == values[query.id][x.key]
        assert len(x.points) == sum(v[x.key] is not None for q, v in values.items() if q != query.id)
        assert len(x.neighbours) >= NEAR


def test_what_tells_something_is_told_with_the_measure_of_the_nearest(worth):
    c, values, gains = worth
    found = outlook(Query("x"), values[c.judged[0].id], values, gains)
    assert [x.key for x in found.telling] == ["coverage", "spread", "overlap", "gap"]
    first, near, weak = found.told()
    assert first.startswith(f"All of them rise with nDCG@10 here (judged questions: {len(gains)})")
    best = found.telling[0]
    mean = sum(gain for _v, gain in best.neighbours) / len(best.neighbours)
    assert f"reach nDCG@10 {mean:.2f} on average; all judged questions {sum(gains.values()) / len(gains):.2f}" in near
    assert f"τ is {best.tau:.2f}" in weak
    assert outlook(Query("x"), NOTHING, values, gains).told()[1].startswith("This list has none of them")


def test_figures_that_have_nothing_to_do_with_the_measure_tell_nothing(worth):
    c, values, gains = worth
    shifted = dict(zip(gains, [*list(gains.values())[37:], *list(gains.values())[:37]], strict=True))
    found = outlook(Query("x"), values[c.judged[0].id], values, shifted)
    assert found.telling == ()
    (only,) = found.told()
    assert only.startswith(
        "On this corpus none of them tells anything: no figure rises significantly with nDCG@10 (judged"
    )
    falling = {q: 1 - gain for q, gain in gains.items()}
    assert outlook(Query("x"), values[c.judged[0].id], values, falling).telling == ()


def test_without_enough_judgments_nothing_is_claimed(worth):
    c, values, gains = worth
    own = values[c.judged[0].id]
    assert outlook(Query("x"), own, {}, {}).told()[0].startswith("This corpus has no judged questions")
    few = dict(list(gains.items())[: FEW - 1])
    found = outlook(Query("x"), own, values, few)
    start = f"Judged questions: {FEW - 1}. Showing whether these figures say anything"
    assert found.told() == (f"{start} takes at least {FEW}.",)
    assert found.telling == ()
    assert gains_of(run_many({"": BM25()}, c.corpus, c.judged[:1])[""], Collection(c.corpus, c.queries), c.judged) == {}
