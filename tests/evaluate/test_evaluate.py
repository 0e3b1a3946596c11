"""Runs, TREC files and measures: our order of a list is the order that is measured and written."""

from __future__ import annotations

import io
import math
import statistics

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from models.scripted import ScriptedModel
from night import for_each

from lab.algebra import Corpus, Document, Query
from lab.catalog import from_text, retrievers
from lab.corpus import beir
from lab.errors import EvaluationError, ModelError, ParameterError
from lab.evaluate import measures, runs, significance, trec
from lab.evaluate.measures import MEASURES, Scores
from lab.evaluate.runs import Run
from lab.fuse import RRF
from lab.refine.coverage import QueryCoverage
from lab.retrieve.lexical import BM25, TFIDF
from lab.rewrite.multi_query import MultiQuery

CORPUS = Corpus(
    "c",
    tuple(
        Document(f"d{i}", text) for i, text in enumerate(["red fox", "red fox", "blue sky", "green tree", "red fox"])
    ),
)
QUERIES = (Query("red fox", id="q1"), Query("sky", id="q2"), Query("unknown", id="q3"))


def gained(rank: int, grade: int = 1) -> float:
    """The addend of DCG."""
    return grade / math.log2(rank + 1)


# --------------------------------------------------------------------------------------------------- run


def test_a_run_holds_every_query_also_those_without_a_hit():
    seen = []
    found = runs.run_many(
        {"BM25": BM25(variant="lucene")}, CORPUS, QUERIES, progress=lambda done, total: seen.append((done, total))
    )
    (run,) = found.values()
    assert [d for d, _ in run.results["q1"]] == ["d0", "d4", "d1"]
    assert [d for d, _ in run.results["q2"]] == ["d2"]
    assert run.results["q3"] == ()
    assert [step for step in dict.fromkeys(seen) if step[0]] == [(1, 3), (2, 3), (3, 3)]
    assert run.name == "BM25"


def test_a_run_is_what_single_searches_give():
    searches = {"plus": BM25(variant="plus"), "both": RRF()(BM25(), TFIDF()) >> QueryCoverage(0.4) % 2}
    found = runs.run_many(searches, CORPUS, QUERIES, k=2)
    for name, search in searches.items():
        index = search.index(CORPUS)
        assert found[name] == Run.of(name, {q.id: index.search(q, k=2, explain=False) for q in QUERIES})
    assert list(found) == list(searches)


def test_every_query_gives_all_its_rankings_at_once():
    searches = {"words": BM25(), "counts": TFIDF()}
    for query, rankings in runs.each(searches, CORPUS, QUERIES, k=1):
        assert {name: r.made_by for name, r in rankings.items()} == searches
        assert all(r.query == query and len(r) <= 1 for r in rankings.values())


def test_a_model_that_fails_on_one_query_leaves_it_as_it_was_and_is_told_of():
    model = ScriptedModel((("red fox", ModelError("no")), ("sky", "blue"), ("unknown", "fox")))
    search = MultiQuery(model="chat")(BM25(variant="lucene"))
    found = runs.run_many({"plain": BM25(variant="lucene"), "more": search}, CORPUS, QUERIES, models={"chat": model})
    assert list(found["more"].problems) == ["q1"]
    assert found["plain"].problems == {}
    assert [d for d, _ in found["more"].results["q1"]] == [d for d, _ in found["plain"].results["q1"]]
    assert [d for d, _ in found["more"].results["q3"]] == ["d0", "d4", "d1"]


def test_a_run_can_be_stopped_and_needs_a_depth_of_one():
    def stop(done, total):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        runs.run_many({"r": BM25()}, CORPUS, QUERIES, progress=stop)
    with pytest.raises(ParameterError):
        runs.run_many({"r": BM25()}, CORPUS, [], k=0)


def test_one_question_that_takes_long_can_be_stopped_and_what_was_done_is_kept(monkeypatch):
    class Slow(QueryCoverage):
        def refine(self, ranking, env):
            for step in range(1000 if ranking.query.text == "sky" else 0):
                env.progress(step, 1000)
            return super().refine(ranking, env)

    def stop(done, total):
        if before.count((1, 3)) == 10:  # once after the first question, and then in the midst of the second
            raise InterruptedError
        before.append((done, total))

    before, searches = [], {"words": BM25(), "slow": BM25() >> Slow(0.4)}
    kept = runs.Gathered(searches)
    monkeypatch.setattr(runs, "BEAT", -1)
    with pytest.raises(InterruptedError):
        runs.run_many(searches, CORPUS, QUERIES, progress=stop, into=kept)
    assert kept.done == 1
    assert {name: list(run.results) for name, run in kept.runs().items()} == {"words": ["q1"], "slow": ["q1"]}


def test_what_a_stopped_run_has_gathered_does_not_grow_while_the_page_already_shows_it():
    def stop(done, total):
        reports.append((done, gathered.done))
        if done == 2:
            raise InterruptedError

    reports, searches = [], {"words": BM25()}
    gathered = runs.Gathered(searches)
    with pytest.raises(InterruptedError):
        runs.run_many(searches, CORPUS, QUERIES, progress=stop, into=gathered)
    assert reports == [(1, 0), (2, 1)]  # a question is added only after nobody has stopped the run
    assert gathered.done == 1


# -------------------------------------------------------------------------------------------------- trec


def test_scores_without_ties_are_written_in_full_and_come_back():
    run = Run("my run", {"q1": (("b", 0.1 + 0.2), ("a", -1e-9)), "q2": (("a", 5.0),)})
    text = trec.trec_text(run)
    assert text.splitlines()[0] == f"q1 Q0 b 1 {0.1 + 0.2!r} my_run"
    back = trec.read_trec(io.StringIO(text))
    assert (back.name, back.results) == ("my_run", run.results)


scores = st.lists(
    st.sampled_from([3.0, 2.0, 1.0, 1.0 - 1e-12, 1e-30, 0.0, -1.0, 1e30]) | st.floats(-1e6, 1e6), max_size=30
)


@given(scores)
def test_ties_and_order_survive_a_file_whichever_way_a_tool_breaks_ties(values):
    hits = tuple((f"d{i * 7919 % 31:02d}", s) for i, s in enumerate(sorted(values, reverse=True)))
    text = trec.trec_text(Run("r", {"q": hits}))
    rows = [line.split() for line in text.splitlines()]
    single = [(np.float32(row[4]), row[2]) for row in rows]  # as trec_eval keeps them
    ours = [d for d, _ in hits]
    assert [d for _, d in sorted(single, key=lambda r: (-r[0], r[1]))] == ours
    assert [d for _, d in sorted(sorted(single, key=lambda r: r[1], reverse=True), key=lambda r: -r[0])] == ours
    assert [int(row[3]) for row in rows] == list(range(1, len(hits) + 1))
    for (_, true), row in zip(hits, rows, strict=True):
        assert float(row[4]) == pytest.approx(true, rel=1e-5, abs=1e-40)
    if hits:
        assert [d for d, _ in trec.read_trec(io.StringIO(text)).results["q"]] == ours


def test_a_tie_is_one_step_of_single_precision():
    assert trec.falling([1.0, 1.0, 0.5]) == [1.0, float(np.nextafter(np.float32(1), np.float32(0))), 0.5]


@for_each("score", [math.nan, math.inf, -math.inf, -1e39])
def test_a_score_that_a_file_cannot_hold_is_refused(score):
    with pytest.raises(EvaluationError, match="a TREC file cannot hold"):
        trec.trec_text(Run("r", {"q": (("a", 1.0), ("b", score))}))


def test_a_run_from_elsewhere_is_ordered_by_score_then_rank_then_line():
    text = "q 0 a 2 1.0 x\nq 0 b 1 1.0 x\n\nq 0 c 9 7 x\nq 0 d 2 1.0 x\n"
    assert trec.read_trec(io.StringIO(text)).results["q"] == (("c", 7.0), ("b", 1.0), ("a", 1.0), ("d", 1.0))


def test_a_file_is_written_and_read(tmp_path):
    run = runs.run_many({"bm25": BM25()}, CORPUS, QUERIES[1:2])["bm25"]
    trec.write_trec(run, tmp_path / "run.trec")
    assert trec.read_trec(tmp_path / "run.trec") == run
    assert trec.read_trec(tmp_path / "run.trec", name="mine").name == "mine"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("q Q0 d 1 2.0", "this line is not in TREC run format"),
        ("q Q0 d 1 high x", "this line is not in TREC run format"),
        ("q Q0 d one 1.0 x", "this line is not in TREC run format"),
        ("q Q0 d 1 nan x", "this line is not in TREC run format"),
        ("q Q0 a 2 1.0 x", "this query's list already contains"),
    ],
)
def test_a_malformed_line_is_named(tmp_path, line, words):
    file = tmp_path / "run.trec"
    file.write_text(f"q Q0 a 1 2.0 x\n{line}\n")
    with pytest.raises(EvaluationError, match=f"run.trec, line 2: .*{words}"):
        trec.read_trec(file)


def test_a_run_in_another_encoding_is_refused(tmp_path):
    (tmp_path / "run.trec").write_bytes("q Q0 文档 1 2.0 x\n".encode("gb18030"))
    with pytest.raises(EvaluationError, match="not UTF-8"):
        trec.read_trec(tmp_path / "run.trec")


def test_an_id_with_a_blank_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(EvaluationError, match="“my file” contains whitespace"):
        trec.write_trec(Run("r", {"q": (("a", 2.0), ("my file", 1.0))}), tmp_path / "run.trec")
    assert not (tmp_path / "run.trec").exists()


# ---------------------------------------------------------------------------------------------- measures


def test_measures_are_those_of_the_textbook():
    run = Run("r", {"q1": (("x", 9.0), ("a", 8.0), ("b", 7.0)), "q2": (("a", 1.0),)})
    found = measures.measure_run(run, {"q1": {"a": 1, "b": 2, "y": 1}, "q2": {"a": 1, "b": 0}})
    one, two = ({m: found.per_query[m][q] for m in MEASURES} for q in ("q1", "q2"))
    ideal = gained(1, 2) + gained(2) + gained(3)
    assert one["nDCG@10"] == pytest.approx((gained(2) + gained(3, 2)) / ideal)
    assert one["RR@10"] == pytest.approx(1 / 2)
    assert one["R@10"] == pytest.approx(2 / 3)
    assert one["AP"] == pytest.approx((1 / 2 + 2 / 3) / 3)
    assert set(two.values()) == {1.0}
    assert found.means["RR@10"] == pytest.approx((1 / 2 + 1) / 2)
    assert found.queries == 2


@pytest.mark.parametrize("names", [("a", "b", "c"), ("c", "b", "a")])
def test_an_order_of_equal_scores_that_has_a_meaning_counts_in_every_measure(names):
    """ir-measures breaks ties by document id: downwards in nDCG, upwards in RR."""
    run = Run("r", {"q": tuple((name, 1.0) for name in names)}, by_rank=["q"])
    found = measures.measure_run(run, {"q": {names[1]: 1}})
    assert found.means == pytest.approx({"nDCG@10": gained(2), "RR@10": 1 / 2, "R@10": 1.0, "AP": 1 / 2})


@given(st.integers(0, 10**6))
def test_ir_measures_on_the_written_file_agrees(seed):
    rng = np.random.default_rng(seed)
    documents = [f"d{i}" for i in range(12)]
    results = {}
    for q in range(4):
        values = sorted(rng.integers(0, 4, size=rng.integers(1, 13)) / 4.0, reverse=True)
        results[f"q{q}"] = tuple(zip(rng.permutation(documents).tolist(), map(float, values), strict=False))
    qrels = {
        f"q{q}": {d: int(g) for d, g in zip(documents, rng.integers(0, 3, size=12), strict=True)} for q in range(5)
    }
    qrels = {q: {**grades, "d0": 1} for q, grades in qrels.items()}
    run = Run("r", results, by_rank=results)  # tools see one order of equal scores
    mine = measures.measure_run(run, qrels)
    lines = ir_measures.read_trec_run(trec.trec_text(run))
    theirs = ir_measures.calc_aggregate([measures.measure(m) for m in MEASURES], qrels, lines)
    assert mine.means == pytest.approx({str(m): value for m, value in theirs.items()})


def test_a_query_without_an_answer_counts_zero():
    right = {"q1": (("a", 1.0),)}
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    for results in (right, {**right, "q2": ()}):
        found = measures.measure_run(Run("r", results), qrels)
        assert found.means == dict.fromkeys(MEASURES, (1 + 0) / 2)
        assert found.per_query["AP"] == {"q1": 1.0, "q2": 0.0}


def test_a_run_of_empty_lists_has_zeros():
    assert measures.measure_run(Run("r", {"q1": ()}), {"q1": {"a": 1}}).means == dict.fromkeys(MEASURES, 0.0)


def test_queries_that_nothing_answers_are_not_counted():
    found = measures.measure_run(Run("r", {"q1": (("a", 1.0),), "q2": (("a", 1.0),)}), {"q1": {"a": 1}, "q2": {"a": 0}})
    assert list(found.per_query["AP"]) == ["q1"]
    assert found.means["AP"] == 1.0


@for_each(
    "name",
    [
        "foo@10",
        "nDCG@ten",
        "ndcg@10",
        "__import__('os')",
        "nDCG@",
        "(",
        "INSQ",
        "nDCG@0",
        "nDCG@-1",
        "P@0",
        "R@0",
        "Success@0",
        "AP@0",
        "RR@0",
        "P",
        "R@10.5",
        "P@99999999999999999999",
        "nDCG(foo=1)@10",
    ],
)
def test_an_unknown_measure_is_answered_with_examples(name):
    with pytest.raises(EvaluationError, match="nDCG@10, RR@10, R@100"):
        measures.measure_run(Run("r", {"q": (("a", 1.0),)}), {"q": {"a": 1}}, [name])
    with pytest.raises(EvaluationError) as caught:  # before anything was retrieved
        measures.measures_in(f"nDCG@10 {name}")
    assert name.partition("(")[0] in str(caught.value)
    assert "object at" not in str(caught.value)


def test_measures_are_named_in_a_text_with_blanks_or_commas():
    assert measures.measures_in("nDCG@10, AP(rel=2)  P(rel=1, judged_only=False)@5 AP(rel=2)") == (
        "nDCG@10",
        "AP(rel=2)",
        "P(rel=1, judged_only=False)@5",
    )
    for empty in ("", " , "):
        with pytest.raises(EvaluationError, match="No measure"):
            measures.measures_in(empty)
    with pytest.raises(EvaluationError, match="No measure is given"):
        measures.measure_run(Run("r", {"q": (("a", 1.0),)}), {"q": {"a": 1}}, [])


def test_judgments_and_runs_that_do_not_meet_are_errors():
    with pytest.raises(EvaluationError, match="no judgments"):
        measures.measure_run(Run("r", {"q": ()}), {"q": {"a": 0}})
    with pytest.raises(EvaluationError, match="no query in common"):
        measures.measure_run(Run("r", {"q": ()}), {"p": {"a": 1}})


# -------------------------------------------------------------------------------------------- difference


def scored(name, values):
    return Scores(name, {"AP": statistics.fmean(values)}, {"AP": {f"q{i}": v for i, v in enumerate(values)}})


def test_a_paired_difference_counts_and_tests_query_by_query():
    a, b = [0.0, 0.5, 0.5, 1.0], [1.0, 0.5, 0.75, 0.5]
    found = significance.compare(scored("a", a), scored("b", b), "AP")
    away = [1.0, 0.0, 0.25, -0.5]
    mean, error = statistics.fmean(away), statistics.stdev(away) / math.sqrt(4)
    t = 3.182446305284263  # the 97.5 % point of Student's t with 3 degrees of freedom
    assert (found.better, found.equal, found.worse) == (2, 1, 1)
    assert found.mean == pytest.approx(mean)
    assert (found.low, found.high) == pytest.approx((mean - t * error, mean + t * error))
    assert 0.5 < found.p < 0.7  # t = 0.598 with 3 degrees of freedom


def test_a_difference_without_spread_or_with_one_query_is_told_plainly():
    same = significance.compare(scored("a", [0.5, 0.1]), scored("b", [0.5, 0.1]), "AP")
    assert (same.mean, same.low, same.high, same.p) == (0.0, 0.0, 0.0, 1.0)
    shifted = significance.compare(scored("a", [0.5, 0.25]), scored("b", [0.75, 0.5]), "AP")
    assert (shifted.mean, shifted.p) == (0.25, 0.0)
    one = significance.compare(scored("a", [0.5]), scored("b", [1.0]), "AP")
    assert (one.mean, one.low, one.high, one.p) == (0.5, None, None, None)
    with pytest.raises(EvaluationError, match="over the same queries"):
        significance.compare(scored("a", [0.5]), scored("b", [0.5, 0.5]), "AP")


def test_several_comparisons_are_corrected_by_holm():
    assert significance.holm([0.01, None, 0.04, 0.03, 0.005]) == pytest.approx(
        [3 * 0.01, None, 2 * 0.03, 2 * 0.03, 4 * 0.005]
    )
    assert significance.holm([0.6, 0.9]) == [1.0, 1.0]
    assert significance.holm([None]) == [None]
    assert significance.holm([]) == []


# ------------------------------------------------------------------------------------- real collections


@pytest.mark.parametrize(
    ("name", "retriever", "least"),
    [
        ("stard_pool", "bm25", 0.49),
        pytest.param("cmrc2018", "bm25", 0.97, marks=pytest.mark.nightly),
        pytest.param("stard_pool", "tfidf", 0.45, marks=pytest.mark.nightly),
        pytest.param("stard_pool", "vector", 0.46, marks=pytest.mark.nightly),
        pytest.param("xquad_en2zh", "vector", 0.5, marks=pytest.mark.nightly),
    ],
)
def test_retrievers_do_what_they_can_on_real_collections(collection, name, retriever, least):
    data = beir.load(collection(name))
    run = runs.run_many({retriever: from_text(retrievers, retriever)}, data.corpus, data.queries)[retriever]
    assert measures.measure_run(run, data.qrels, ["nDCG@10"]).means["nDCG@10"] >= least
