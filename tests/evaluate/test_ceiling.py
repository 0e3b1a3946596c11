"""The ceiling of a list, held against every order of its candidates and against other computations."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest
from ir_measures import calc_aggregate, parse_measure
from sklearn.metrics import ndcg_score

from lab import presets
from lab.corpus import samples
from lab.errors import ParameterError
from lab.evaluate.ceiling import best_order, ceiling
from lab.evaluate.experiments import evaluate
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import Run, run_many
from lab.formats import parse

MEASURES = ("nDCG@10", "nDCG@3", "RR@10", "AP", "P@2", "R@3", "ERR@5", "RBP(p=0.8,rel=1)", "AP(rel=2)", "Success@1")


def _drawn(seed: int, documents: int = 6, questions: int = 4) -> tuple[Run, dict[str, dict[str, int]]]:
    """Returns a run and judgments, some documents of which are unjudged or not retrieved."""
    random = Random(seed)
    ids = [f"d{i}" for i in range(documents)]
    qrels = {f"q{i}": {d: random.choice([0, 0, 1, 2, 3]) for d in random.sample(ids, 4)} for i in range(questions)}
    for grades in qrels.values():
        grades[random.choice(ids)] = 1
    lists = {q: tuple((d, -float(i)) for i, d in enumerate(random.sample(ids, 5))) for q in qrels}
    return Run("drawn", lists), qrels


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("seed", range(3))
def test_no_order_of_the_candidates_exceeds_the_ceiling_and_one_reaches_it(name: str, seed: int) -> None:
    run, qrels = _drawn(seed)
    top = ceiling(run, qrels, name, depth=4)
    assert top is not None
    for q in top.best:
        orders = (Run("", {**run.results, q: (*o, *run.results[q][4:])}) for o in permutations(run.results[q][:4]))
        values = [measure_run(other, qrels, (name,)).per_query[name][q] for other in orders]
        assert top.best[q] == pytest.approx(max(values))


def test_the_ceiling_agrees_with_scikit_learn_where_everything_relevant_is_listed() -> None:
    random = Random(7)
    for _ in range(10):
        grades = {f"d{i}": random.randint(0, 3) for i in range(8)} | {"d0": 2}
        hits = tuple((d, float(-i)) for i, d in enumerate(random.sample(sorted(grades), 8)))
        top = ceiling(Run("", {"q": hits}), {"q": grades}, "nDCG@5", depth=8)
        assert top is not None
        truth = [[grades[d] for d, _ in hits]]
        assert top.best["q"] == pytest.approx(ndcg_score(truth, truth, k=5)) == pytest.approx(1.0)
        assert top.now["q"] == pytest.approx(ndcg_score(truth, [[s for _, s in hits]], k=5))


def test_shares_come_from_sums_and_not_from_the_mean_of_shares() -> None:
    grades = {"a": {"x": 1}, "b": {"x": 1}}
    lists = {"a": (("n", 2.0), ("x", 1.0)), "b": tuple((c, -float(i)) for i, c in enumerate("nopqrstuvx"))}
    worse = {"a": (("n", 2.0), ("o", 1.5), ("p", 1.2), ("x", 1.0)), "b": (("x", 1.0), ("n", 0.5))}
    top = ceiling(Run("", lists), grades, "RR@10")
    assert top is not None
    # headroom .5 and .9; taken -.25 and .9
    assert top.share(measure_run(Run("", worse), grades, ("RR@10",))) == pytest.approx((-0.25 + 0.9) / (0.5 + 0.9))
    best = measure_run(best_order(Run("", lists), grades, "RR@10", 100), grades, ("RR@10",))
    assert top.share(best) == pytest.approx(1.0)
    same = ceiling(Run("", {"a": (("x", 1.0),)}), {"a": {"x": 1}}, "RR@10")
    assert same is not None
    assert same.share(measure_run(Run("", {"a": (("x", 1.0),)}), {"a": {"x": 1}}, ("RR@10",))) is None


def test_every_question_is_unwinnable_misordered_or_in_the_best_order() -> None:
    qrels = {"none": {"x": 1}, "wrong": {"x": 1, "y": 0}, "right": {"x": 1}, "beyond": {"x": 1}, "silent": {"x": 1}}
    lists = {
        "none": (("a", 1.0),),
        "wrong": (("y", 2.0), ("x", 1.0)),
        "right": (("x", 2.0), ("a", 1.0)),
        "beyond": (("a", 3.0), ("b", 2.0), ("x", 1.0)),
    }
    top = ceiling(Run("", lists), qrels, "nDCG@10", depth=2)
    assert top is not None
    assert top.empty == ("none", "beyond", "silent")
    assert top.misordered == ("wrong",)
    sentences = {q: top.describe(q) for q in qrels}
    assert sentences["none"].startswith("Unwinnable")
    assert sentences["wrong"].startswith("Misordered")
    assert "1.000" in sentences["wrong"]
    assert sentences["right"].startswith("In the best order")
    assert top.best["beyond"] == pytest.approx(top.now["beyond"])
    assert top.best["beyond"] > 0  # what lies deeper keeps its rank


def test_measures_of_subtopics_have_no_ceiling_and_a_depth_is_at_least_one() -> None:
    run, qrels = _drawn(1)
    assert ceiling(run, qrels, "alpha_nDCG@10") is None
    with pytest.raises(ParameterError):
        ceiling(run, qrels, depth=0)


def test_no_reranker_lifts_bm25_on_devices_above_what_the_vectors_own_list_could_give() -> None:
    c = samples.load("devices")
    searches = {"bm25": parse("BM25()"), "vector": parse("Vector()")}
    runs = run_many(searches, c.corpus, c.judged)
    words, meaning = (ceiling(runs[name], c.qrels, depth=50) for name in ("bm25", "vector"))
    assert words is not None
    assert meaning is not None
    assert words.mean < meaning.mean_now + 0.02 < meaning.mean - 0.2
    # the same by another way: trec_eval's figures for the run in grade order
    ideal = best_order(runs["bm25"], c.qrels, "nDCG@10", 50)
    rows = {q: {d: -float(i) for i, (d, _) in enumerate(hits)} for q, hits in ideal.results.items()}
    judged = {q.id: dict(c.qrels[q.id]) for q in c.judged}
    wanted = parse_measure("nDCG@10")
    assert calc_aggregate([wanted], judged, rows)[wanted] == pytest.approx(words.mean)


def test_no_reranker_of_the_presets_takes_more_than_the_headroom() -> None:
    c = samples.load("handbook")
    best = presets.find("best")
    e = evaluate({"without": best.without("refine.0"), "best": best}, c, ["nDCG@10"], limit=20)
    top = ceiling(e.runs["without"], {q.id: dict(c.qrels[q.id]) for q in e.queries})
    assert top is not None
    share = top.share(e.scores["best"])
    assert share is not None
    assert share <= 1
