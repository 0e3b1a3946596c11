"""What a difference says: counts, power, how many questions are needed, and sentences true at their corners."""

from __future__ import annotations

import math
import statistics

import pytest

from lab.evaluate.measures import Scores, measure_run
from lab.evaluate.runs import Run
from lab.evaluate.significance import ALPHA, Difference, compare, decide, describe_difference, holm


def between(*away: float) -> Difference:
    ids = [f"q{i}" for i in range(len(away))]
    first = Scores("one", {"AP": 0.0}, {"AP": dict.fromkeys(ids, 0.0)})
    second = Scores("two", {"AP": statistics.fmean(away)}, {"AP": dict(zip(ids, away, strict=True))})
    return compare(first, second, "AP")


def said(d: Difference, family: int = 1) -> str:
    """The sentences where every comparison of the family has the same p."""
    (corrected, *_), (randomised, *_) = (holm([p] * family) for p in (d.p, d.randomised))
    return " ".join(describe_difference(d, corrected, randomised, [d.randomised] * (family - 1)))


def test_so_many_questions_would_show_the_difference():
    d = between(*[0.1, -0.1, 0.3] * 10)
    spread, mean = statistics.stdev(d.away.values()), 0.1
    assert d.needed() == math.ceil(((1.96 + 0.84) * spread / mean) ** 2)
    assert d.needed(0.02) == math.ceil(((1.96 + 0.84) * spread / 0.02) ** 2)
    assert between(0.1, 0.1).needed() is None
    assert between(0.1, -0.1).needed() is None
    assert between(0.1).needed() is None


def test_as_many_questions_as_are_needed_have_a_power_of_four_in_five():
    once = [0.5, -0.4, 0.1, 0.0]
    n = between(*once * 20).needed()
    assert n > 80
    assert between(*once * (n // 4)).power == pytest.approx(0.8, abs=0.02)
    assert between(*once * 5).power < 0.2


def test_one_question_makes_no_test():
    assert said(between(0.5)) == "One question is not enough for a test."


def test_equal_lists_are_called_equal_and_nothing_else():
    assert said(between(0, 0, 0)) == "two and one have the same AP on every question (3)."


def test_where_most_questions_are_alike_and_few_differ_nothing_can_be_significant():
    text = said(between(*[0.2] * 4, *[0.0] * 96))
    assert "Equal on 96 of 100 questions; questions that differ: 4" in text
    assert "could not get below p = 0.12: no difference can be significant" in text
    assert "a significant difference" not in text
    assert "could not get below p = 1.00, Holm-corrected: no difference" in said(
        between(*[0.2] * 4, *[0.0] * 96), family=9
    )


@pytest.mark.parametrize(("mean", "side"), [(0.2, "two is better than one by 0.200"), (-0.2, "two is worse than one")])
def test_a_difference_that_is_more_than_chance_says_which_is_better(mean, side):
    text = said(between(*[mean - 0.01, mean + 0.01] * 20))
    assert side in text
    assert "a significant difference (p < 0.0001)" in text
    assert "alike" not in text


def test_what_may_be_chance_says_how_many_questions_would_show_it():
    d = between(*[0.4, -0.3] * 10)
    text = said(d)
    assert "is not significant" in text
    assert f"about {d.needed():,}." in text
    assert f"Power with the present 20: {round(100 * d.power)}%" in text


def test_a_correction_turns_significant_into_chance():
    d = between(*[0.3, -0.1, 0.3, 0.2, -0.1] * 3)
    assert d.p < ALPHA < 20 * d.p
    assert "a significant difference" in said(d)
    assert "is not significant" in said(d, family=20)


def test_tests_that_disagree_are_told_apart():
    d = between(0.1, 0.1, 0.1, 0.1, 0.1, 0.9)
    (sentence,) = describe_difference(d, 0.09, 0.03)
    assert "disagree: p = 0.090 in the t-test, p = 0.030" in sentence


def test_a_difference_that_the_order_of_equal_scores_can_turn_is_none():
    """Two searches with the same documents, one of which has them all tied: one order is better, one is worse."""
    questions = [f"q{i}" for i in range(12)]
    first = Run("first", dict.fromkeys(questions, (("a", 3.0), ("b", 2.0), ("c", 1.0))))
    tied = Run("tied", dict.fromkeys(questions, (("a", 1.0), ("b", 1.0), ("c", 1.0))))
    verdicts = {}
    for relevant in "abc":
        scores = [measure_run(run, dict.fromkeys(questions, {relevant: 1}), ["RR"]) for run in (first, tied)]
        verdicts[relevant] = compare(*scores, "RR")
    assert verdicts["b"].ties == pytest.approx((1 / 3 - 1 / 2, 1 - 1 / 2))
    assert [d.within_ties for d in verdicts.values()] == [False, True, False]
    assert [d.significant for d in verdicts.values()] == [True, False, True]
    (sentence,) = describe_difference(verdicts["b"], 0.001, 0.001)
    assert "Within the ties" in sentence
    assert "between -0.167 and +0.500" in sentence


def named(first: str, second: str, *away: float) -> Difference:
    return Difference(first, second, "AP", {f"q{i}": x for i, x in enumerate(away)}, 3)


@pytest.mark.parametrize("away", [(), (1.0,), (0.0, 0.0, 0.0), (0.1, -0.1), (1.0, 1.0)])
def test_questions_that_decide_nothing_say_so(away):
    assert decide([named("a", "b", *away)]) == (f"These questions ({len(away)}) do not decide.",)


def test_the_verdict_names_the_better_searches_and_what_is_not_decided():
    clear, chance = [0.3, 0.2, 0.25] * 10, [0.1, -0.1] * 15
    pairs = [named("a", "b", *clear), named("a", "c", *clear), named("b", "c", *chance)]
    assert decide(pairs) == ("b, c: better than a on these questions (30).", "Not decided: c against b.")
    worse = [named("a", "b", *(-x for x in clear)), named("a", "c", *chance)]
    assert decide(worse) == ("a: better than b on these questions (30).", "Not decided: c against a.")
    both = [named("a", "c", *clear), named("b", "c", *clear)]
    assert decide(both) == ("c: better than a, b on these questions (30).",)


def test_a_verdict_is_corrected_for_the_number_of_pairs():
    mixed = (named("a", "b", *[0.1] * n, *[-0.1] * 12) for n in range(12, 60))
    edge = next(d for d in mixed if d.significant and d.p > ALPHA / 3)
    assert decide([edge])[0].startswith("b: better than a")
    assert "do not decide" in decide([edge] * 3)[0]
