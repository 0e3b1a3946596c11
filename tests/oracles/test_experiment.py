"""Every figure of an experiment's table against ir-measures, scipy and statsmodels on the exported runs.

The columns are those that PyTerrier's ``Experiment`` gives with ``baseline`` and ``correction="holm"``.
"""

from __future__ import annotations

import ir_measures
import numpy as np
import pytest
from night import seeds

from lab.algebra import Corpus, Document, Query
from lab.corpus.beir import Collection
from lab.evaluate import evaluate
from lab.evaluate.measures import measure
from lab.evaluate.runs import Run
from lab.evaluate.trec import trec_text
from lab.fuse import RRF
from lab.retrieve.lexical import BM25, TFIDF

MEASURES = ("nDCG@5", "RR@10", "P(rel=2)@3", "AP")
WORDS = ["red", "blue", "green", "fox", "bird", "snow", "rain", "wind", "tree", "sky", "sun", "moon"]


def some_collection(seed: int) -> Collection:
    """Documents of a few words, questions of two, and grades from 0 to 3 for a third of the documents."""
    rng = np.random.default_rng(seed)
    documents = tuple(Document(f"d{i}", " ".join(rng.choice(WORDS, rng.integers(2, 9)))) for i in range(40))
    queries = tuple(Query(" ".join(rng.choice(WORDS, 2, replace=False)), id=f"q{i}") for i in range(25))
    grades = {q.id: {d.id: int(rng.integers(4)) for d in documents if rng.random() < 0.3} for q in queries}
    grades[queries[0].id] = {"d0": 0}  # nothing relevant: not counted
    return Collection(Corpus("words", documents), queries, {q: own for q, own in grades.items() if own})


def theirs(run: Run, collection: Collection, measures: list[str]) -> dict[str, dict[str, float]]:
    """By measure and query, from the file; what has no line counts 0."""
    qrels = {q.id: dict(collection.qrels[q.id]) for q in collection.judged}
    named = {measure(m): m for m in measures}
    out = {m: dict.fromkeys(qrels, 0.0) for m in measures}
    for found in ir_measures.iter_calc(list(named), qrels, ir_measures.read_trec_run(trec_text(run))):
        out[named[found.measure]][found.query_id] = found.value
    return out


@pytest.mark.parametrize("seed", seeds(8))
def test_the_figures_are_those_of_ir_measures_and_scipy_on_the_exported_runs(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scipy import stats
    from statsmodels.stats.multitest import multipletests

    monkeypatch.setattr("lab.evaluate.measures.tied_groups", lambda _scores: [])  # a file has one order of ties
    collection = some_collection(seed)
    searches = {"words": BM25(), "counts": TFIDF(), "flat": BM25(b=0, k1=0.1), "both": RRF()(BM25(), TFIDF())}
    table = evaluate(searches, collection, MEASURES, baseline="counts", k=30).table()
    found = table.experiment
    values = {name: theirs(run, collection, [*MEASURES, "Judged@5"]) for name, run in found.runs.items()}
    judged = {q.id: collection.qrels[q.id] for q in collection.judged}
    only = {
        name: theirs(
            Run(name, {q: tuple(h for h in hits if h[0] in judged.get(q, ())) for q, hits in run.results.items()}),
            collection,
            list(MEASURES),
        )
        for name, run in found.runs.items()
    }
    rows = table.set_index("name")
    others = ["words", "flat", "both"]
    for m in MEASURES:
        base = np.array(list(values["counts"][m].values()))
        ps = []
        for name in searches:
            own = np.array(list(values[name][m].values()))
            assert rows.loc[name, m] == pytest.approx(own.mean())
            assert rows.loc[name, f"{m} judged only"] == pytest.approx(np.mean(list(only[name][m].values())))
            if name == "counts":
                continue
            assert rows.loc[name, f"{m} +"] == (own > base + 1e-12).sum()
            assert rows.loc[name, f"{m} -"] == (own < base - 1e-12).sum()
            assert rows.loc[name, f"{m} ="] == (abs(own - base) < 1e-12).sum()
            test = stats.ttest_rel(own, base)
            if not np.ptp(own - base):  # scipy divides by zero: nothing differs
                assert rows.loc[name, f"{m} p-value"] == 1
                ps.append(1.0)
                continue
            assert rows.loc[name, f"{m} p-value"] == pytest.approx(test.pvalue)
            assert rows.loc[name, f"{m} low"] == pytest.approx(test.confidence_interval(0.95).low)
            assert rows.loc[name, f"{m} high"] == pytest.approx(test.confidence_interval(0.95).high)
            ps.append(test.pvalue)
        reject, corrected, *_ = multipletests(ps, method="holm")
        assert rows.loc[others, f"{m} p-value corrected"].to_list() == pytest.approx(corrected)
        assert rows.loc[others, f"{m} reject"].to_list() == reject.tolist()
    for name in searches:
        assert rows.loc[name, "Judged@5"] == pytest.approx(np.mean(list(values[name]["Judged@5"].values())))


def test_the_columns_are_those_of_pyterrier_and_then_ours() -> None:
    table = evaluate([BM25(), TFIDF()], some_collection(1), ("nDCG@10", "AP"), baseline=0).table()
    tested = ["+", "-", "p-value", "reject", "p-value corrected"]
    first = ["name", "nDCG@10", "AP", *(f"nDCG@10 {c}" for c in tested), *(f"AP {c}" for c in tested)]
    assert list(table.columns[: len(first)]) == first
    assert table.loc[0, first[3:]].isna().sum() == 2 * 4  # the baseline is compared with nothing
    assert table.loc[0, ["nDCG@10 reject", "AP reject"]].to_list() == [False, False]
    alone = evaluate([BM25()], some_collection(1), ("nDCG@10", "AP")).table()
    assert list(alone.columns[:3]) == ["name", "nDCG@10", "AP"]
    assert not [c for c in alone.columns if "p-value" in c]
    assert list(table.experiment.per_query().columns) == ["name", "qid", "measure", "value"]
