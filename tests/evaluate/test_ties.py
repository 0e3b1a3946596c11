"""Measures of lists with equal scores: the mean over all orders, against brute force."""

import itertools
import math
import random

import pytest

from lab.algebra import Corpus, Document, Query, Ranking
from lab.evaluate import trec
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import Run
from lab.refine.reorder import LongContextReorder
from lab.retrieve.lexical import BM25

MEASURES = (
    "nDCG@3", "nDCG", "nDCG(dcg='exp-log2')@5", "RR@10", "RR", "RR(rel=2)", "R@3", "P@2", "AP", "AP@4", "AP(rel=2)",
    "Success@2", "Rprec", "ERR@5", "RBP(p=0.5)", "Judged@3", "Bpref", "infAP", "IPrec@0.1", "IPrec@0.5",
    "Compat(p=0.9)", "P(judged_only=True)@3",
)  # fmt: skip
OF_SUBTOPICS = ("alpha_nDCG@4", "ERR_IA@3", "StRecall@2", "NRBP", "alpha_DCG@4", "AP_IA", "P_IA@3")


def orders_of(results):
    """Yields every order of a list in which equal scores change places."""
    groups = [[*group] for _, group in itertools.groupby(results, key=lambda hit: hit[1])]
    for choice in itertools.product(*map(itertools.permutations, groups)):
        yield [doc for group in choice for doc, _ in group]


def brute_force(orders, qrels, measures, subtopics):
    """Returns the mean, the lowest and the highest value of each measure over these orders, one query for each."""
    lists = {str(i): tuple((doc, -float(rank)) for rank, doc in enumerate(order)) for i, order in enumerate(orders)}
    scores = measure_run(Run("r", lists), dict.fromkeys(lists, qrels), measures, dict.fromkeys(lists, subtopics))
    values = {name: scores.per_query[name].values() for name in measures}
    return {name: (math.fsum(v) / len(v), min(v), max(v)) for name, v in values.items()}


def check(results, orders, qrels, measures, subtopics=None):
    subtopics = subtopics or {}
    expected = brute_force(orders, qrels, measures, subtopics)
    scores = measure_run(Run("r", {"q": results}), {"q": qrels}, measures, {"q": subtopics})
    for name in measures:
        mean, low, high = expected[name]
        assert scores.means[name] == pytest.approx(mean, abs=1e-12), name
        assert scores.range(name) == pytest.approx((low, high), abs=1e-12), name


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.nightly) for n in range(1, 80))])
def test_a_measure_is_the_mean_over_all_orders_of_equal_scores(seed):
    rng = random.Random(seed)
    scores = sorted((rng.randint(0, 2) / 2 for _ in range(6)), reverse=True)
    results = tuple((f"d{i}", score) for i, score in enumerate(scores))
    qrels = {f"d{i}": rng.choice((0, 0, 1, 2)) for i in range(8) if rng.random() < 0.7} | {"other": 1}
    subtopics = {s: {f"d{i}": 1 for i in range(7) if rng.random() < 0.4} | {"other": 1} for s in "ab"}
    check(results, [*orders_of(results)], qrels, MEASURES + OF_SUBTOPICS, subtopics)


@pytest.mark.parametrize(("first", "size", "relevant"), [(1, 12, 5), (2, 11, 5)])
def test_a_large_group_has_the_mean_over_all_its_orders(first, size, relevant):
    """More orders than are computed one by one: all sets of ranks for the relevant documents, as a reference."""
    before, group = [f"b{i}" for i in range(first)], [f"d{i}" for i in range(size)]
    qrels = {"b0": 1, "elsewhere": 1} | dict.fromkeys(group[:relevant], 1)
    results = (*((doc, 2.0 - i / 10) for i, doc in enumerate(before)), *((doc, 1.0) for doc in group), ("z", 0.5))
    orders = []
    for ranks in itertools.combinations(range(size), relevant):
        good, rest = iter(group[:relevant]), iter(group[relevant:])
        orders.append([*before, *(next(good) if i in ranks else next(rest) for i in range(size)), "z"])
    measures = ("nDCG", "nDCG@9", "RR", "RR@3", "R@9", "P@12", "AP", "AP@10", "Success@2", "Rprec", "RBP(p=0.9)")
    check(results, orders, qrels, measures)
    del qrels["b0"]  # the group has the first relevant document
    check(results, orders, qrels, measures)


def test_an_order_that_has_a_meaning_is_measured_as_it_is():
    """Equal scores after a reordering stage are not interchangeable, and a list in another order than its scores."""
    documents = [Document(f"d{i}", "the same") for i in range(4)]
    corpus = Corpus("equal", tuple(documents))
    ranking = Ranking(Query("same"), BM25().index(corpus).search("same").hits, BM25(), corpus=corpus)
    last = ranking.ids[-1]
    runs = {"as found": ranking, "ends": LongContextReorder()(ranking)}
    values = {
        name: measure_run(Run.of(name, {"q": r}), {"q": {last: 1}}, ["RR"]).means["RR"] for name, r in runs.items()
    }
    assert values["as found"] == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)
    assert values["ends"] == 1 / runs["ends"].rank(last)
    rising = Run("r", {"q": (("a", 1.0), ("b", 1.0), ("c", 2.0))})
    assert measure_run(rising, {"q": {"b": 1}}, ["RR"]).means["RR"] == 1 / 2


def test_ties_survive_a_run_file_and_scores_that_only_look_equal_there_do_not_tie():
    hits = (("a", 0.5), ("b", 0.5), ("c", 0.5), ("d", 0.5 - 1e-15), ("e", 0.1), ("f", 0.1))
    run = Run("r", {"q": hits})
    read = trec.read_trec(trec_file(run))
    scores = [score for _, score in read.results["q"]]
    assert [a == b for a, b in itertools.pairwise(scores)] == [True, True, False, False, True]
    for measured in ({"c": 1}, {"d": 1}, {"f": 1, "a": 1}):
        before, after = (measure_run(x, {"q": measured}).means for x in (run, read))
        assert before == pytest.approx(after, abs=1e-12)


def trec_file(run):
    import io

    return io.StringIO(trec.trec_text(run))


def test_equal_lists_do_not_differ_however_their_ties_are_broken():
    one, other = (Run(name, {"q": tuple((d, 1.0) for d in name)}) for name in ("abc", "cab"))
    values = [measure_run(run, {"q": {"a": 1}}).means for run in (one, other)]
    assert values[0] == pytest.approx(values[1], abs=1e-15)
