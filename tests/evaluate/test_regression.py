"""Regressions: what is lost and won since an earlier run, which limits are broken, what cannot be compared."""

from __future__ import annotations

import random

import pytest
from night import seeds

from lab.algebra import Corpus, Document, Query
from lab.corpus.beir import Collection
from lab.errors import EvaluationError
from lab.evaluate.experiments import of_runs
from lab.evaluate.measures import measure_run
from lab.evaluate.regression import Limits, Regression, comparable
from lab.evaluate.runs import Run

CORPUS = Corpus("animals", tuple(Document(f"d{i}", f"text {i}") for i in range(12)))


def collection(n: int, grade=lambda i: {f"d{i % 12}": 1}) -> Collection:
    queries = tuple(Query(f"question {i}", id=f"q{i}") for i in range(n))
    return Collection(CORPUS, queries, {q.id: grade(i) for i, q in enumerate(queries)})


def ranked(c: Collection, rank_of) -> Run:
    """A run with the only relevant document of each question at a rank from 1; 0: it is not in the list."""

    def hits(i):
        others = [d.id for d in CORPUS if d.id != f"d{i % 12}"]
        rank = rank_of(i)
        ids = others[: rank - 1] + [f"d{i % 12}"] + others[rank - 1 :] if rank else others
        return tuple((d, 100.0 - at) for at, d in enumerate(ids[:10]))

    return Run("run", {q.id: hits(i) for i, q in enumerate(c.queries)})


def regression(before: Run, now: Run, c: Collection, measures=("RR@10",), limits=None, k=10) -> Regression:
    runs = {"before": before, "now": now}
    return Regression(of_runs(runs, c, measures, c.judged, len(c.judged), baseline="before", k=k), limits or Limits())


def test_questions_are_lost_and_won_with_their_values_and_ranks_the_largest_first():
    c = collection(5)
    before, now = [1, 1, 4, 2, 0], [2, 4, 1, 2, 5]
    r = regression(ranked(c, before.__getitem__), ranked(c, now.__getitem__), c)
    told = [(x.query.id, x.before, x.now, x.rank_before, x.rank_now) for x in r.lost("now")]
    assert told == [("q1", 1, 1 / 4, 1, 4), ("q0", 1, 1 / 2, 1, 2)]
    assert [(x.query.id, x.difference, x.rank_before, x.rank_now) for x in r.won("now")] == [
        ("q2", 1 - 1 / 4, 4, 1),
        ("q4", pytest.approx(1 / 5), None, 5),
    ]
    figures = r.to_dict()["changes"]["now"]
    assert figures["equal"] == 1
    assert figures["lost"][0] == {
        "query": "q1",
        "text": "question 1",
        "before": 1.0,
        "now": 0.25,
        "difference": -0.75,
        "rank_before": 1,
        "rank_now": 4,
    }


def test_every_question_is_lost_won_or_equal_and_the_differences_sum_to_that_of_the_means():
    for seed in seeds(60):
        draw = random.Random(seed)
        c = collection(draw.randint(2, 25))
        before, now = (ranked(c, [draw.randint(0, 10) for _ in c.queries].__getitem__) for _ in range(2))
        r = regression(before, now, c, ("nDCG@10", "AP"))
        changes, n = r.changes("now"), len(c.queries)
        assert {x.query.id for x in (*r.lost("now"), *r.won("now"))} <= {q.id for q in c.queries}
        assert len(r.lost("now")) + len(r.won("now")) + r.to_dict()["changes"]["now"]["equal"] == n
        means = [measure_run(run, c.qrels, ["nDCG@10"]).means["nDCG@10"] for run in (before, now)]
        assert sum(x.difference for x in changes) / n == pytest.approx(means[1] - means[0])
        assert r.experiment.differences["now", "nDCG@10"].worse == len(r.lost("now"))


def test_limits_are_broken_by_more_than_them_and_kept_by_just_as_much():
    c = collection(4)
    before, now = ranked(c, lambda i: 1), ranked(c, lambda i: 2 if i == 0 else 1)
    for limits, broken in (
        (Limits(), 0),
        (Limits({"RR@10": -0.125}), 0),  # the mean falls by (1 - 1/2) / 4
        (Limits({"RR@10": -0.12}), 1),
        (Limits(question=-0.5), 0),
        (Limits(question=-0.49), 1),
        (Limits({"RR@10": 0.0}, -0.1), 2),
        (Limits(significant=True), 0),
    ):
        r = regression(before, now, c, limits=limits)
        assert len(r.failures) == broken, limits
    assert r.failed_questions("now") == {}
    r = regression(before, now, c, limits=Limits({"RR@10": 0.0}, -0.1))
    assert r.failures == (
        "now: the difference in RR@10 from before is -0.1250, below 0.",
        "now: the difference in RR@10 on “q0” is -0.5000, below -0.1.",
    )
    assert list(r.failed_measures("now")) == ["RR@10"]
    assert list(r.failed_questions("now")) == ["q0"]


def test_a_limit_on_a_gain_is_broken_by_a_smaller_gain():
    c = collection(4)
    before, now = ranked(c, lambda i: 2), ranked(c, lambda i: 1)
    assert not regression(before, now, c, limits=Limits({"RR@10": 0.5})).failures
    assert regression(before, now, c, limits=Limits({"RR@10": 0.6})).failures


def test_only_a_significant_loss_breaks_the_limit_on_significance():
    c = collection(20)
    worse = regression(ranked(c, lambda i: 1), ranked(c, lambda i: 3), c, limits=Limits(significant=True))
    assert worse.failures == ("now is significantly worse than before in RR@10 (-0.6667).",)
    better = regression(ranked(c, lambda i: 3), ranked(c, lambda i: 1), c, limits=Limits(significant=True))
    assert better.failures == ()
    chance = regression(
        ranked(c, lambda i: 1 + i % 2), ranked(c, lambda i: 1 + (i + 1) % 2), c, limits=Limits(significant=True)
    )
    assert chance.failures == ()


# ------------------------------------------------------------------------------------ what cannot be compared


def test_only_questions_of_the_earlier_run_are_compared_and_the_others_are_named():
    c = collection(4)
    whole = ranked(c, lambda i: 1)
    earlier = Run("old.trec", {**{q: whole.results[q] for q in ("q0", "q2")}, "gone": whole.results["q1"]})
    narrowed, questions, notes = comparable(earlier, c, c.judged)
    assert [q.id for q in questions] == [q.id for q in narrowed.judged] == ["q0", "q2"]
    assert list(notes) == [
        "old.trec: questions without results: 2 of 4, the first: q1. They are new or had no results then, and are not "
        "compared.",
        "Questions of old.trec that animals does not have: 1, the first: gone. They are not compared.",
    ]
    r = Regression(
        of_runs({"old.trec": earlier, "now": ranked(c, lambda i: 2)}, narrowed, ["RR@10"], questions, 2, baseline=0)
    )
    assert [x.query.id for x in r.changes("now")] == ["q0", "q2"]
    assert r.experiment.scores["old.trec"].means["RR@10"] == 1


def test_a_question_of_the_earlier_run_without_results_now_counts_as_lost():
    c = collection(3)
    before, now = ranked(c, lambda i: 1), ranked(c, lambda i: 1)
    silent = Run("now", {q: hits for q, hits in now.results.items() if q != "q1"})
    r = regression(before, silent, c)
    assert [(x.query.id, x.now, x.rank_now) for x in r.lost("now")] == [("q1", 0, None)]


def test_judged_questions_that_were_not_asked_are_not_strange():
    c = collection(4)
    _, questions, notes = comparable(ranked(c, lambda i: 1), c, c.judged[:2])
    assert ([q.id for q in questions], notes) == (["q0", "q1"], ())


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ({"other": (("d1", 1.0),)}, "no query in common"),
        ({}, "no query in common"),
        ({"q0": (("x1", 1.0),), "q1": (("x2", 1.0),)}, "old.trec has no document of animals"),
    ],
)
def test_a_run_of_other_questions_or_another_corpus_is_refused_in_words(results, said):
    c = collection(3)
    with pytest.raises(EvaluationError, match=said):
        comparable(Run("old.trec", results), c, c.judged)


def test_lists_of_another_length_are_reported_if_a_measure_looks_deeper():
    c = collection(4)
    long = ranked(c, lambda i: 1)
    short = Run("short", {q: hits[:3] for q, hits in long.results.items()})
    assert regression(short, long, c, ("RR@3", "P@1")).notes == ()
    assert regression(long, long, c, ("AP",)).notes == ()
    for before, now, lengths in ((short, long, (3, 10)), (long, short, (10, 3))):
        (note,) = regression(before, now, c, ("RR@3", "R@5", "AP")).notes
        assert note == (
            f"Length of the longest list: {lengths[0]} in before, {lengths[1]} in now. Measures that look deeper "
            "than the shorter lists: R@5, AP."
        )
