"""Measures of diversity against pyndeval, RBP against cwl-eval (both by ir-measures), ERR by hand."""

from __future__ import annotations

import random

import ir_measures
import pytest
from ir_measures import Qrel
from night import seeds

from lab.evaluate.measures import measure, measure_run
from lab.evaluate.runs import Run

Case = tuple[dict[str, dict[str, dict[str, int]]], dict[str, dict[str, int]], Run]


def some_case(seed: int) -> Case:
    """Questions with subtopics, the grades of their documents, and lists in which some documents are unjudged."""
    rng = random.Random(seed)
    subtopics, qrels, results = {}, {}, {}
    documents = [f"d{i:02}" for i in range(rng.choice([4, 12, 30]))]
    for i in range(rng.choice([1, 4])):
        topics = [f"s{j}" for j in range(rng.choice([1, 2, 5]))]
        own = {s: {d: rng.choice([0, 1, 1, 2, 3]) for d in rng.sample(documents, rng.randint(1, 4))} for s in topics}
        own["s0"][documents[0]] = 3
        subtopics[f"q{i}"] = own
        qrels[f"q{i}"] = {d: max(own[s].get(d, 0) for s in topics) for d in {d for s in topics for d in own[s]}}
        hits = rng.sample(documents, rng.randint(0, len(documents)))
        results[f"q{i}"] = tuple((d, float(len(hits) - rank)) for rank, d in enumerate(hits))
    results["q0"] = results["q0"] or ((documents[0], 1.0),)
    return subtopics, qrels, Run("r", results)


def theirs(names: list[str], case: Case, provider: str) -> dict[str, dict[str, float]]:
    subtopics, qrels, run = case
    lists = {q: dict(hits) for q, hits in run.results.items() if hits}
    judged = [Qrel(q, d, g, s) for q, own in subtopics.items() for s, x in own.items() for d, g in x.items()]
    values: dict[str, dict[str, float]] = {name: dict.fromkeys(subtopics, 0.0) for name in names}
    for name in names:  # one by one: of several with different parameters, pyndeval measures the others on no list
        given = judged if provider == "pyndeval" else qrels
        for found in getattr(ir_measures, provider).iter_calc([measure(name)], given, lists):
            values[name][found.query_id] = found.value
    return values


@pytest.mark.parametrize("seed", seeds(60))
def test_alpha_ndcg_err_ia_and_subtopic_recall_are_pyndevals(seed: int) -> None:
    pytest.importorskip("pyndeval")
    subtopics, qrels, run = case = some_case(seed)
    names = ["alpha_nDCG@3", "alpha_nDCG@10", "alpha_nDCG(alpha=0.9)@5", "ERR_IA@3", "ERR_IA@10", "StRecall@2"]
    names += ["StRecall@10", "alpha_nDCG(rel=2)@10", "StRecall(rel=2)@10"]
    own, expected = measure_run(run, qrels, names, subtopics), theirs(names, case, "pyndeval")
    for name in names:
        known = {q: expected[name][q] for q in own.per_query[name]}
        assert own.per_query[name] == pytest.approx(known, abs=2e-6), name
        assert not any(value for q, value in expected[name].items() if q not in known)


@pytest.mark.parametrize("seed", seeds(40))
def test_other_measures_of_diversity_are_pyndevals(seed: int) -> None:
    pytest.importorskip("pyndeval")
    subtopics, qrels, run = case = some_case(seed)
    names = ["P_IA@2", "P_IA(rel=2)@5", "MAP_IA", "NRBP", "NRBP(alpha=0.2,beta=0.8)", "nNRBP", "nERR_IA@3"]
    names += ["alpha_DCG@5", "alpha_DCG(alpha=0.9)@3"]
    measured, expected = measure_run(run, qrels, names, subtopics), theirs(names, case, "pyndeval")
    for name in names:
        known = {q: expected[name][q] for q in measured.per_query[name]}
        assert measured.per_query[name] == pytest.approx(known, abs=1e-12), name
        assert not any(value for q, value in expected[name].items() if q not in known)


@pytest.mark.parametrize("seed", seeds(40))
def test_rbp_is_cwl_evals(seed: int) -> None:
    pytest.importorskip("cwl")
    _subtopics, qrels, run = case = some_case(seed)
    names = ["RBP(p=0.8,rel=1)", "RBP(p=0.5,rel=2)"]
    own, expected = measure_run(run, qrels, names), theirs(names, case, "cwl_eval")
    for name in names:
        answered = [q for q, hits in run.results.items() if hits]
        assert [own.per_query[name][q] for q in answered] == pytest.approx([expected[name][q] for q in answered]), name


def test_the_worked_example_of_the_module() -> None:
    """Documents a and b are about s1, c is about s2, in the order a, b, c."""
    subtopics = {"q": {"s1": {"a": 1, "b": 1}, "s2": {"c": 1}}}
    run = Run("r", {"q": (("a", 3.0), ("b", 2.0), ("c", 1.0))})
    names = ["alpha_nDCG@3", "ERR_IA@3", "StRecall@2", "RBP(p=0.8,rel=1)"]
    means = measure_run(run, {"q": {"a": 1, "b": 1, "c": 1}}, names, subtopics).means
    log3 = 1.5849625007211562
    assert means["alpha_nDCG@3"] == pytest.approx((1 + 0.5 / log3 + 1 / 2) / (1 + 1 / log3 + 0.5 / 2))
    assert means["ERR_IA@3"] == pytest.approx((1 + 0.5 / 2 + 1 / 3) / 2 / (1 + 0.5 / 2 + 0.25 / 3))
    assert means["StRecall@2"] == 1 / 2
    assert means["RBP(p=0.8,rel=1)"] == pytest.approx(0.2 * (1 + 0.8 + 0.64))


def test_err_is_the_sum_over_the_places_where_a_reader_may_stop() -> None:
    """Grades 1, 0, 2 with 2 the highest: the reader stops with probability 1/4, 0 and 3/4."""
    run = Run("r", {"q": (("a", 3.0), ("b", 2.0), ("c", 1.0))})
    qrels = {"q": {"a": 1, "c": 2}}
    means = measure_run(run, qrels, ["ERR@3", "ERR@2", "ERR@1"]).means
    assert means["ERR@3"] == pytest.approx(1 / 4 + (1 - 1 / 4) * (3 / 4) / 3)
    assert means["ERR@2"] == means["ERR@1"] == 1 / 4
    of_three = {"q": {"a": 3, "b": 3}, "q2": {"x": 3}}
    assert measure_run(run, of_three, ["ERR@2"]).per_query["ERR@2"]["q"] == pytest.approx(7 / 8 + 1 / 8 * 7 / 8 / 2)
