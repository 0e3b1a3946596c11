"""Every measure that Evaluate accepts, against the program that ir-measures asks for it, on drawn judgments."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping

import ir_measures
import pytest
from night import seeds

from lab.errors import EvaluationError
from lab.evaluate.measures import measure, measure_run
from lab.evaluate.runs import Run

MEASURES = {
    "pytrec_eval": (
        "nDCG", "nDCG@3", "nDCG(gains={1:2,2:5})@10", "AP", "AP@5", "AP(rel=2)", "RR", "P@1", "P(rel=2)@5", "R@5",
        "Rprec", "Bpref", "infAP", "Success@2", "IPrec@0.3", "SetP", "SetR", "SetF(beta=2.0)", "SetAP",
        "P(judged_only=True)@3",
    ),
    "cwl_eval": ("SDCG(max_rel=3)@5", "INST(T=2.0,max_rel=3)", "INSQ(T=2.0,max_rel=3)", "BPM(T=2.0,max_rel=3)@5"),
    "compat": ("Compat(p=0.8)",),
    "judged": ("Judged@5",),
    "msmarco": ("RR@5",),
}  # fmt: skip
MISSING = {"cwl_eval": "cwl", "compat": "ir_measures", "judged": "ir_measures", "msmarco": "ir_measures"}


def drawn(seed: int) -> tuple[dict[str, dict[str, int]], Run]:
    """Grades from -1 to 3 and lists of judged and unjudged documents; some questions have no list, some no answer."""
    rng = random.Random(seed)
    documents = [f"d{i:02}" for i in range(rng.choice([3, 12, 30]))]
    qrels, results = {}, {}
    for i in range(rng.choice([1, 5])):
        judged = rng.sample(documents, rng.randint(1, len(documents)))
        qrels[f"q{i}"] = {d: rng.choice([-1, 0, 0, 1, 1, 2, 3]) for d in judged}
        found = rng.sample(documents, rng.randint(0, len(documents)))
        results[f"q{i}"] = tuple((d, float(len(found) - rank)) for rank, d in enumerate(found))
    qrels["q0"][documents[0]] = 2
    results["q0"] = results["q0"] or ((documents[0], 1.0),)
    return qrels, Run("r", results)


def counted(qrels: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    return {q: dict(grades) for q, grades in qrels.items() if any(g > 0 for g in grades.values())}


@pytest.mark.parametrize("seed", seeds(30))
@pytest.mark.parametrize("provider", MEASURES)
def test_measures_are_those_of_their_program(provider: str, seed: int) -> None:
    pytest.importorskip(MISSING.get(provider, "pytrec_eval"))
    qrels, run = drawn(seed)
    judged, lists = counted(qrels), {q: dict(found) for q, found in run.results.items() if found}
    measured = measure_run(run, qrels, MEASURES[provider])
    for name in MEASURES[provider]:
        expected = dict.fromkeys(judged, 0.0)
        for metric in getattr(ir_measures, provider).iter_calc([measure(name)], judged, lists):
            if metric.query_id in expected:
                expected[metric.query_id] = metric.value
        assert measured.per_query[name] == pytest.approx(expected, abs=1e-9), name
        assert measured.means[name] == pytest.approx(math.fsum(expected.values()) / len(expected), abs=1e-9)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_measure_is_the_same_whatever_is_measured_with_it(seed: int) -> None:
    qrels, run = drawn(seed)
    names = ["nDCG(gains={1:1,2:3,3:7})", "nDCG", "nDCG(dcg='exp-log2')", "nDCG@5", "nDCG(gains={3:30})@5", "AP(rel=2)"]
    for order in (names, names[::-1]):
        together = measure_run(run, qrels, order).per_query
        assert together == {name: measure_run(run, qrels, [name]).per_query[name] for name in order}


@pytest.mark.parametrize("seed", seeds(30))
def test_exponential_gains_are_two_to_the_grade_less_one(seed: int) -> None:
    """Burges et al., Learning to rank using gradient descent, ICML 2005: gain 2^g - 1, discount log2(1 + rank)."""
    qrels, run = drawn(seed)
    name = "nDCG(dcg='exp-log2')@5"
    measured = measure_run(run, qrels, [name, "nDCG(gains={1:1,2:3,3:7})@5"])

    def gain(grades: list[int]) -> float:
        return math.fsum((2 ** max(g, 0) - 1) / math.log2(rank + 1) for rank, g in enumerate(grades[:5], 1))

    for query, grades in counted(qrels).items():
        listed = [grades.get(document, 0) for document, _ in run.results[query]]
        ideal = gain(sorted(grades.values(), reverse=True))
        assert measured.per_query[name][query] == pytest.approx(gain(listed) / ideal)
    assert measured.means[name] == measured.means["nDCG(gains={1:1,2:3,3:7})@5"]


@pytest.mark.parametrize("name", ["NumRet", "NumRel", "NumQ", "NumRet(rel=1)"])
def test_counts_are_no_measures(name: str) -> None:
    with pytest.raises(EvaluationError, match="is a count and not a measure of quality"):
        measure(name)
