"""A threshold from judgments: the filter keeps what was counted, and the sentences say what the choice is worth."""

from __future__ import annotations

import math
import random

import pytest
from night import spread

from lab import samples
from lab.algebra import Corpus, Document, Query, Runner
from lab.corpus.beir import Collection
from lab.errors import ParameterError
from lab.evaluate.learning import FEW, halves
from lab.evaluate.runs import Run, run_many
from lab.evaluate.thresholds import KINDS, LEAST, Result, Threshold, at, points, results_of, separation, shortest, stage
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector

NOTHING = ": there is nothing to separate."
QUESTIONS = tuple(f"q{i}" for i in range(40))


def threshold(results: list[Result], wanted: float = 0.5, queries: tuple[str, ...] = QUESTIONS) -> Threshold:
    return Threshold("score", tuple(results), queries, wanted)


def drawn(seed: int, share: float = 0.3) -> list[Result]:
    rng = random.Random(seed)
    return [
        Result(q, rng.gauss(1.0 if relevant else 0.0, 1.0), relevant, True)
        for q in QUESTIONS
        for relevant in [rng.random() < share for _ in range(rng.choice([0, 3, 6]))]
    ]


@pytest.mark.parametrize("kind", spread(KINDS, 3))
@pytest.mark.parametrize("search", [BM25(), Vector()], ids=["words", "meaning"])
def test_the_filter_keeps_what_the_threshold_counts(kind, search):
    c = samples.load("handbook")
    queries = c.judged[:8]
    run = run_many({"": search}, c.corpus, queries)[""]
    results = results_of(run, c, queries, kind, 100)
    assert len(results) == sum(len(run.results[q.id]) for q in queries)
    every = points(results)[1:]  # the lowest keeps everything: nobody sets it
    for low, point in random.Random(0).sample(list(zip(every, every[1:], strict=False)), 6):
        value = shortest(low.value, point.value)
        runner = Runner(c.corpus)
        kept = [runner(search >> stage(kind, value), q, 100) for q in queries]
        assert sum(map(len, kept)) == point.kept == at(results, value).kept
        relevant = sum(h.document.id in c.relevant(q.id) for q, r in zip(queries, kept, strict=True) for h in r.hits)
        assert relevant == point.relevant


def test_the_lists_are_read_to_a_depth_and_documents_from_elsewhere_are_left_out():
    corpus = Corpus("foxes", (Document("d1", "a red fox"), Document("d2", "a blue bird"), Document("d3", "snow")))
    c = Collection(corpus, (Query("fox", id="q1"),), {"q1": {"d1": 2, "d2": 0}})
    run = Run("", {"q1": (("d9", 9.0), ("d2", 4.0), ("d1", 3.0), ("d3", 1.0))})
    assert results_of(run, c, c.judged, "best", 2) == [
        Result("q1", 4 / 4, False, True),
        Result("q1", 3 / 4, True, True),
    ]
    assert results_of(run, c, c.judged, "coverage")[1:] == [
        Result("q1", 1.0, True, True),
        Result("q1", 0.0, False, False),
    ]
    with pytest.raises(ParameterError, match="There is no number “odds”"):
        results_of(run, c, c.judged, "odds")


@pytest.mark.parametrize("seed", range(20))
def test_the_lowest_threshold_that_reaches_the_precision_is_chosen_on_one_half(seed):
    made = threshold(drawn(seed), wanted=0.45)
    tuning, held_out = halves(QUESTIONS, seed)
    ours, theirs = ([r for r in made.results if r.query in half] for half in (tuning, held_out))
    reach = [p for p in points(ours) if p.kept >= LEAST and p.relevant / p.kept >= 0.45]
    choice = made.choose(seed)
    assert (choice is None) == (not reach)
    if choice is None:
        highest = max(p.relevant / p.kept for p in points(ours) if p.kept >= LEAST)
        assert f"No threshold separates here: with at least {LEAST} results kept" in " ".join(made.told(seed))
        assert f"{highest:.3f}; the target is 0.45" in " ".join(made.told(seed))
        return
    assert choice.there[1:] == reach[0][1:]
    here = [r for r in theirs if r.value >= choice.there.value]
    assert (choice.here.kept, choice.here.relevant) == (len(here), sum(r.relevant for r in here))
    assert choice.silent == len(set(held_out) - {r.query for r in here})
    assert f"on the held-out half {choice.here.relevant / choice.here.kept:.2f} (wanted: 0.45)" in " ".join(
        made.told(seed)
    )


def test_numbers_without_a_difference_have_no_threshold():
    rng = random.Random(1)
    some = [Result(q, rng.random(), i == 0, True) for q in QUESTIONS for i in range(10)]
    made = threshold(some, wanted=0.9)
    assert made.choose() is None
    assert made.repeated.found == 0
    assert made.repeated[1:] == (None, None, None)
    assert any(s.startswith("No threshold separates here") for s in made.told())
    assert made.told()[-1] == "Random splits that find a threshold: 0 of 100."


def test_a_precision_that_holds_without_a_threshold_needs_none():
    made = threshold(drawn(3, share=0.9), wanted=0.2)
    assert made.choose().needless
    assert any(
        s.startswith("No threshold is needed: without one, precision on the tuning half is") for s in made.told()
    )


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ([], f"None of these results (0) is judged relevant{NOTHING}"),
        (
            [Result("q0", 1.0, False, True)],
            "None of these results (1) is judged relevant: there is nothing to separate.",
        ),
        (
            [Result("q0", 1.0, True, True)],
            "All of these results (1) are judged relevant: there is nothing to separate.",
        ),
        (
            [Result(q, 0.25, i == 0, True) for q in QUESTIONS for i in range(2)],
            "All results (80) have the same number, 0.25: no threshold separates here.",
        ),
    ],
)
def test_what_cannot_be_separated_is_said(results, said):
    made = threshold(results)
    assert made.told() == (said,)
    assert made.choose() is None or made.choose().needless


def test_with_few_questions_nothing_is_chosen():
    queries = QUESTIONS[: FEW - 1]
    made = threshold([r for r in drawn(0) if r.query in queries], queries=queries)
    assert made.choose() is None
    assert made.told()[-1] == f"Judged questions: {FEW - 1}. A threshold is chosen from at least {FEW}."
    assert made.points


def test_half_a_handful_of_results_is_too_few():
    made = threshold([Result("q0", 1.0, True, True), Result("q1", 0.5, False, True)])
    assert "No threshold separates here: the tuning half has fewer than 10 results." in made.told()


def test_ties_and_saturated_scores_are_named():
    rng = random.Random(0)
    tied = [Result(q, 1.0, i == 0, True) for i, q in enumerate(QUESTIONS)]
    others = [Result(q, rng.random() / 2, False, True) for q in QUESTIONS for _ in range(3)]
    said = threshold(tied + others).told()
    assert "Results with exactly 1: 40 of 160; relevant among them: 1. A threshold keeps all of them or none." in said
    near = [Result(q, 1 - rng.random() / 10_000, i == 0, True) for i, q in enumerate(QUESTIONS)]
    said = " ".join(threshold(near + others).told())
    low, high = (end(r.value for r in near) for end in (min, max))
    assert (
        f"Saturated: from {low:.6g} to {high:.6g}, a thousandth of the whole range. Results there: 40 of 160." in said
    )
    assert "Saturated" not in " ".join(threshold(others + drawn(0)).told())


@pytest.mark.parametrize(
    ("low", "high", "value"),
    [(0.1, 0.95, 0.9), (0.61, 0.6249, 0.62), (-math.inf, 3.7, 3.0), (2.0, 2.0 + 1e-12, 2.0 + 1e-12), (0.2, 0.3, 0.3)],
)
def test_the_shortest_number_between_two(low, high, value):
    assert shortest(low, high) == value


def test_one_pair_is_in_the_right_order_or_not():
    def pair(a, b):
        return [Result("q", a, True, True), Result("q", b, False, True)]

    assert [separation(pair(*x)) for x in ((2, 1), (1, 1), (1, 2))] == [1.0, 0.5, 0.0]
    assert separation([Result("q", 1.0, True, True)]) is None
