"""Ablation: a search as a whole, and without each of its parts."""

from __future__ import annotations

import json
import math
import time

import pytest

from lab.core import Corpus, Document, Query
from lab.derive.chunk import Chunk
from lab.errors import EvaluationError, ParameterError, PipelineError
from lab.evaluate.ablation import ablate
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import run_many
from lab.evaluate.significance import compare
from lab.fuse import RRF
from lab.pipeline import Fallback, Pipeline
from lab.presets import presets
from lab.refine.diversity import MMR
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector
from lab.rewrite.multi_query import MultiQuery

CORPUS = Corpus(
    "animals",
    (
        Document("fox", "a red fox in the snow"),
        Document("bird", "a blue bird and a red bird"),
        Document("other", "the fox and the bird and the snow and the rain, red, blue"),
        Document("rain", "rain and wind"),
        Document("none", "nothing at all"),
    ),
)
QUERIES = (Query("red fox", id="q1"), Query("blue bird", id="q2"), Query("wind", id="q3"), Query("nobody", id="q4"))
QRELS = {"q1": {"fox": 1}, "q2": {"bird": 1, "fox": 0}, "q3": {"rain": 1}, "q4": {"fox": 0}}
SEARCH = RRF()(BM25(), Vector()) >> MMR(k=2)


def test_the_figures_are_those_of_each_search_measured_on_its_own():
    found = ablate(SEARCH, CORPUS, QUERIES, QRELS)
    parts = {"retrieve.0": Vector(), "retrieve.1": BM25()}
    alone = {path: Pipeline((kept,), refine=(MMR(k=2),)) for path, kept in parts.items()}
    alone |= {"": SEARCH, "refine.0": RRF()(BM25(), Vector())}
    judged = QUERIES[:3]
    scores = {
        path: measure_run(run, QRELS, ("nDCG@10",)) for path, run in run_many(alone, CORPUS, judged, k=100).items()
    }
    assert (found.search, found.measure, found.queries) == (SEARCH, "nDCG@10", 3)
    assert found.value == scores[""].means["nDCG@10"]
    assert [v.path for v in found.variants] == ["retrieve.0", "retrieve.1", "refine.0"]
    for v in found.variants:
        assert v.search == SEARCH.without(v.path)
        assert v.value == scores[v.path].means["nDCG@10"]
        assert v.difference == compare(scores[""], scores[v.path], "nDCG@10")
        assert v.query_ms > 0


def test_what_the_variants_share_is_made_once(monkeypatch):
    asked = []

    def count(self, runner, query, k):
        asked.append((self, query.id))
        return runner.index(self).search(query, k=k, explain=False)

    monkeypatch.setattr(BM25, "run", count)
    ablate(SEARCH >> MMR(k=1), CORPUS, QUERIES, QRELS)
    # once where everything is loaded, by the first question, and once per question
    assert sorted(q for _, q in asked) == ["q1", "q1", "q2", "q3"]


def test_a_part_that_a_search_cannot_lack_is_said_with_its_reason():
    found = ablate(MultiQuery()(BM25()), CORPUS, QUERIES, QRELS)
    assert [v.path for v in found.variants] == ["rewrite"]
    assert [(path, reason) for path, _, reason in found.kept] == [
        ("retrieve.0", "A pipeline has no list to search."),
        ("merge", "“merge” cannot be left out."),
    ]


def test_a_list_of_other_documents_is_no_variant():
    lifted = Chunk(size=20, overlap=0)(BM25())
    found = ablate(lifted, CORPUS, QUERIES, QRELS)
    assert [v.path for v in found.variants] == ["derive.0"]
    assert {path: reason for path, _, reason in found.kept}["refine.0"] == "The list would be one of other documents."
    inside = ablate(RRF()(BM25(), lifted), CORPUS, QUERIES, QRELS)
    assert [v.path for v in inside.variants] == ["retrieve.0", "retrieve.1.derive.0"]
    assert "of several corpora" in {path: reason for path, _, reason in inside.kept}["retrieve.1.refine.0"]


def test_a_part_that_does_nothing_makes_no_difference():
    found = ablate(RRF()(BM25(), BM25(k1=1.2)), CORPUS, QUERIES, QRELS, measure="RR@10")
    for v in found.variants:
        assert (v.difference.mean, v.difference.better, v.difference.equal, v.difference.worse) == (0, 0, 3, 0)
        assert v.difference.p == 1


def test_the_figures_are_ready_for_json():
    found = ablate(SEARCH, CORPUS, QUERIES, QRELS)
    told = json.loads(json.dumps(found.to_dict()))
    assert told["value"] == found.value
    assert [row["without"] for row in told["variants"]] == [v.path for v in found.variants]
    assert all(row["won"] + row["equal"] + row["lost"] == 3 for row in told["variants"])
    assert all(math.isclose(row["difference"], row["value"] - told["value"]) for row in told["variants"])
    assert told["kept"] == [{"path": "fuse", "part": "RRF", "reason": "“fuse” cannot be left out."}]


@pytest.mark.parametrize("name", [n for n, preset in presets().items() if isinstance(preset.search, Pipeline)])
def test_every_preset_that_has_parts_can_be_ablated(name):
    search = presets()[name].search
    found = ablate(search, CORPUS, QUERIES, QRELS)
    assert {v.path for v in found.variants} | {path for path, _, _ in found.kept} == {p.path for p in search.parts()}


def test_progress_is_told_and_may_stop():
    seen = []
    ablate(SEARCH, CORPUS, QUERIES, QRELS, progress=lambda *step: seen.append(step))
    assert seen == [(1, 3), (2, 3), (3, 3)]

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ablate(SEARCH, CORPUS, QUERIES, QRELS, progress=stop)


def test_what_has_no_parts_and_what_nobody_judged_is_an_error():
    with pytest.raises(PipelineError, match="BM25 has no parts"):
        ablate(BM25(), CORPUS, QUERIES, QRELS)
    with pytest.raises(PipelineError, match="Fallback has no parts"):
        ablate(Fallback(BM25(), TFIDF()), CORPUS, QUERIES, QRELS)
    with pytest.raises(EvaluationError, match="no judgments"):
        ablate(SEARCH, CORPUS, QUERIES, {})
    with pytest.raises(EvaluationError, match="no measure"):
        ablate(SEARCH, CORPUS, QUERIES, QRELS, measure="nothing")
    with pytest.raises(ParameterError, match="k is 0"):
        ablate(SEARCH, CORPUS, QUERIES, QRELS, k=0)


def test_a_search_that_cannot_run_is_an_error_and_not_a_reason_to_keep_its_parts():
    broken = Pipeline((BM25(), Chunk(size=20, overlap=0)(BM25()).without("refine.0")), fuse=RRF())
    with pytest.raises(ParameterError, match="of several corpora"):
        ablate(broken, CORPUS, QUERIES, QRELS)


@pytest.mark.parametrize(
    "search",
    [MultiQuery()(BM25()), Fallback(BM25() >> MMR(k=2), TFIDF()), Fallback(BM25(k1=9) % 0, TFIDF()), SEARCH],
    ids=["rewritten", "enough", "relaxed", "fused"],
)
def test_the_time_of_a_run_is_no_longer_than_the_clock_says(search):
    for _ in range(2):  # what loads is loaded the first time
        start = time.perf_counter()
        run = run_many({"": search}, CORPUS, QUERIES * 20)[""]
        spent = time.perf_counter() - start
    assert 0 < run.seconds <= spent
