"""Questions without an answer: their measures and the two-sided curve, held against scikit-learn on drawn scores."""

from __future__ import annotations

import math
from random import Random

import pytest
from sklearn.metrics import roc_auc_score, roc_curve

from lab.algebra import Corpus, Document, Query
from lab.cli import main
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.evaluate.experiments import evaluate
from lab.evaluate.health import near
from lab.evaluate.refusing import Probe, Refusals, Refusing, at, probes, refusals
from lab.evaluate.runs import Run, run_many
from lab.evaluate.sweeping import sweep
from lab.formats import parse


def _drawn(seed: int, n: int = 60, digits: int = 2) -> list[Probe]:
    """Returns questions whose first result is the relevant one, so that both sides are a ROC curve."""
    random = Random(seed)
    rows = []
    for i in range(n):
        answerable = random.random() < 0.6
        value = round(random.gauss(1.0 if answerable else 0.4, 0.5), digits)
        rows.append(Probe(f"q{i}", answerable, value, value if answerable else -math.inf))
    return rows


@pytest.mark.parametrize(("seed", "digits"), [(1, 2), (2, 1), (3, 0), (4, 6)])
def test_the_curve_is_that_of_scikit_learn(seed: int, digits: int) -> None:
    rows = _drawn(seed, digits=digits)
    refusing = Refusing(tuple(rows))
    truth, scores = [p.answerable for p in rows], [p.value for p in rows]
    assert refusing.separation == pytest.approx(roc_auc_score(truth, scores))
    false, true, values = roc_curve(truth, scores, drop_intermediate=False)
    ours = {round(p.value, 9): (1 - p.refused_share, p.kept_share) for p in refusing.points[:-1]}
    theirs = {round(float(v), 9): (f, t) for f, t, v in zip(false, true, values, strict=True) if math.isfinite(v)}
    assert ours.keys() == theirs.keys()
    assert all(ours[v] == pytest.approx(theirs[v]) for v in ours)
    last = refusing.points[-1]
    assert (last.refused_share, last.kept_share) == (1.0, 0.0)


def test_a_threshold_is_chosen_on_one_half_and_reported_on_the_other() -> None:
    refusing = Refusing(tuple(_drawn(5)), wanted=0.7)
    choice = refusing.choose()
    assert choice is not None
    there, here = choice
    assert there.refused_share >= 0.7
    assert there.unanswerable + here.unanswerable == len(refusing.unanswerable)
    assert there.answerable + here.answerable == len(refusing.answerable)
    assert here.value == there.value
    assert Refusing(tuple(_drawn(5)[:3])).choose() is None


def test_a_relevant_result_below_the_threshold_is_not_kept_and_an_empty_list_is_refused() -> None:
    rows = [
        Probe("first", True, 3.0, 3.0),
        Probe("deep", True, 3.0, 1.0),
        Probe("missed", True, 2.0, -math.inf),
        Probe("nonsense", False, 2.5, -math.inf),
        Probe("silent", False, -math.inf, -math.inf),
    ]
    assert at(rows, -math.inf)[1:] == (1, 2, 2, 3)
    assert at(rows, 1.0)[1:] == (1, 2, 2, 3)
    assert at(rows, 2.0)[1:] == (1, 2, 1, 3)
    assert at(rows, 2.6)[1:] == (2, 2, 1, 3)


def test_a_run_refuses_what_it_has_no_results_for() -> None:
    lists = {"a": (), "b": tuple((f"d{i}", -float(i)) for i in range(30)), "c": (("d1", 1.0),)}
    queries = [Query(x, id=x) for x in ("a", "b", "c", "never asked")]
    assert refusals(Run("", lists), queries) == Refusals(3, 1, 11 / 3)
    assert refusals(Run("", lists), queries[3:]) is None


def test_questions_on_other_topics_are_far_and_those_on_the_topic_near() -> None:
    c = samples.load("staff")
    far = (Query("recipe for a chocolate cake with cherries", id="x"), Query("goalkeeper of the cup final", id="y"))
    close = tuple(q for q in c.unanswered if "director" in q.text)
    assert close
    assert near(c, (*far, *close)) == close


def test_questions_with_grade_0_only_are_counted() -> None:
    corpus = Corpus("s", (Document("a", "pump"), Document("b", "hose")))
    queries = tuple(Query(x, id=x) for x in ("pump", "valve", "hose", "cable"))
    qrels = {"pump": {"a": 1}, "valve": {"a": 0, "b": 0}, "hose": {"b": -1}}
    c = Collection(corpus, (*queries, Query("wire", id="w", metadata={"type": "unanswerable"})), qrels)
    assert [q.id for q in c.unanswered] == ["valve", "hose", "w"]
    assert [len(samples.load(name).unanswered) for name in ("devices", "handbook", "staff")] == [6, 8, 2]


def test_refusing_half_of_the_questions_on_devices_costs_half_of_the_answers() -> None:
    c = samples.load("devices")
    every = (*c.judged, *c.unanswered)
    run = run_many({"v": parse("Vector()")}, c.corpus, every)["v"]
    refusing = Refusing(tuple(probes(run, c, every, "score", depth=10)))
    now, half = at(refusing.probes, -math.inf), refusing.pick(refusing.probes)
    assert half is not None
    assert now.kept_share > 0.9
    assert half.kept_share < 0.55


def test_an_evaluation_searches_the_questions_without_an_answer_too() -> None:
    c = samples.load("staff")
    searches = {"all": parse("Vector()"), "strict": parse("Vector() >> ScoreThreshold(minimum=0.6)")}
    e = evaluate(searches, c, ["nDCG@10"])
    assert len(e.queries) == len(c.judged)
    counts = {name: e.refusals(name) for name in searches}
    assert counts["all"] == Refusals(2, 0, 10.0)
    assert counts["strict"] is not None
    assert counts["strict"].share > 0
    assert evaluate(searches, c, ["nDCG@10"], limit=3).refusals("all") is None


def test_a_sweep_of_a_threshold_shows_what_it_is_for() -> None:
    c = samples.load("handbook")
    search = parse("Vector() >> ScoreThreshold(minimum=0.2)")
    swept = sweep(search, c, {"refine.0.minimum": [0.0, 0.4, 0.99]})
    shares = [p.refusals.share for p in swept.points if p.refusals]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert [row["refused"] for row in swept.to_dict()["settings"]] == shares


def test_the_current_value_of_a_sweep_has_a_floor_of_refusals(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["sweep", "--corpus", "staff", "--retriever", "Vector() >> ScoreThreshold(minimum=0.6)"]
    arguments += ["--knob", "refine.0.minimum=0.2", "--limit", "200"]
    assert main([*arguments, "--at-least", "Refused=0.9"]) == 0
    assert main([*arguments, "--at-least", "Refused=1.1"]) == 1
    assert "Refused is 1.0000, below 1.1" in capsys.readouterr().err
    assert main([*arguments, "--at-least", "AP=0.1"]) == 2
