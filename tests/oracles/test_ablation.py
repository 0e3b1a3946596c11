"""The figures of an ablation are those that ir-measures and scipy give for the exported runs."""

from __future__ import annotations

import ir_measures
import numpy as np
import pytest
from night import spread

from lab.corpus import samples
from lab.evaluate.ablation import WHOLE, ablate, plan
from lab.evaluate.measures import measure as named
from lab.evaluate.runs import run_many
from lab.evaluate.trec import write_trec
from lab.presets import presets
from lab.refine.coverage import QueryCoverage


@pytest.mark.parametrize("measure", spread(["nDCG@10", "RR@10", "AP(rel=2)"], 1))
@pytest.mark.nightly
def test_the_figures_are_those_of_the_exported_runs(tmp_path, measure, monkeypatch):
    from scipy import stats

    monkeypatch.setattr("lab.evaluate.measures.tied_groups", lambda _scores: [])  # a file has one order of ties

    data = samples.load("devices")
    search, asked = presets()["hybrid"].search >> QueryCoverage(0.5), data.judged[:40]
    found = ablate(search, data.corpus, asked, data.qrels, measure=measure)
    qrels = {q.id: dict(data.qrels[q.id]) for q in asked}
    parsed, values = named(measure), {}
    for name, run in run_many(plan(search, data.corpus, asked).searches, data.corpus, asked).items():
        file = tmp_path / f"{len(values)}.trec"
        write_trec(run, file)
        told = ir_measures.iter_calc([parsed], qrels, ir_measures.read_trec_run(str(file)))
        by_query = {metric.query_id: metric.value for metric in told}
        values[name] = np.array([by_query.get(q.id, 0.0) for q in asked])
    assert found.value == pytest.approx(values[WHOLE].mean())
    tests = {}
    for v in found.variants:
        own, whole, d = values[v.cut.run], values[WHOLE], v.difference
        assert v.value == pytest.approx(own.mean())
        assert d.mean == pytest.approx(own.mean() - whole.mean())
        assert (d.better, d.worse) == ((own > whole + 1e-12).sum(), (own < whole - 1e-12).sum())
        tests[v.cut.run] = test = stats.ttest_rel(own, whole)
        assert d.p == pytest.approx(test.pvalue)
        interval = test.confidence_interval(0.95)
        assert (d.low, d.high) == pytest.approx((interval.low, interval.high))
    assert len(found.variants) > len(tests) == len(values) - 1, "one search stands for two parts"
    # Holm: of the ordered p, the largest of (m - j + 1) p_j up to each
    order = sorted(tests, key=lambda name: tests[name].pvalue)
    steps = [(len(order) - j) * tests[name].pvalue for j, name in enumerate(order)]
    corrected = dict(zip(order, np.minimum(1, np.maximum.accumulate(steps)), strict=True))
    for v in found.variants:
        assert v.p == pytest.approx(corrected[v.cut.run])
