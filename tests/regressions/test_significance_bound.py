"""The smallest p that the randomization test could give is the one that Holm's correction would show."""

from __future__ import annotations

import re
from typing import Any

import pytest
from regressions import load_cases

from lab.algebra import Corpus, Document, Query
from lab.corpus.beir import Collection
from lab.evaluate.experiments import Experiment, evaluate
from lab.evaluate.runs import Run

FILLERS = tuple(Document(f"filler{i}", f"filler {i}") for i in range(9))


def run_with(name: str, ranks: list[int]) -> Run:
    """Returns a run that has the relevant document of question i at ``ranks[i]`` (0: not at all)."""
    results = {}
    for i, rank in enumerate(ranks):
        documents = [d.id for d in FILLERS]
        documents.insert(rank - 1 if rank else len(documents), f"relevant{i}" if rank else "filler0")
        results[f"q{i}"] = tuple((doc, 100.0 - at) for at, doc in enumerate(dict.fromkeys(documents)))
    return Run(name, results)


def experiment_of(ranks: dict[str, list[int]]) -> Experiment:
    n = len(ranks["base"])
    relevant = tuple(Document(f"relevant{i}", f"relevant {i}") for i in range(n))
    queries = tuple(Query(f"question {i}", id=f"q{i}") for i in range(n))
    collection = Collection(Corpus("c", FILLERS + relevant), queries, {f"q{i}": {f"relevant{i}": 1} for i in range(n)})
    runs = {name: run_with(name, own) for name, own in ranks.items()}
    return evaluate(runs, collection, ["RR@10"], baseline="base")


@pytest.mark.parametrize("case", load_cases("significance_bound"))
def test_what_is_said_of_the_smallest_p_agrees_with_the_table(case: dict[str, Any]) -> None:
    experiment, run = experiment_of(case["ranks"]), case["run"]
    text = " ".join(experiment.told(run, "RR@10"))
    assert all(part in text for part in case["said"]), text
    assert not any(part in text for part in case["not_said"]), text
    by_t_test, by_randomization = experiment.corrected[run, "RR@10"]
    bound = re.search(r"could not get below p = ([\d.]+\d)", text)
    if bound:
        assert 0.05 < float(bound[1]) <= by_randomization
        assert ("although the t-test" in text) == (by_t_test <= 0.05)
