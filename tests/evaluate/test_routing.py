"""What a router does to many questions: its table of confusion, its curve, what not being sure costs and saves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from night import for_each

from lab.algebra import Corpus, Document, Query, Runner
from lab.evaluate.routing import Balance, Routed, accuracy, balance, confusion, curve, decide_all
from lab.retrieve.lexical import BM25
from lab.rewrite.routing import CollectionRouter, Decision, Destination, Route, Scored, WordTable

NAMES = ["a", "b", "c"]


def routed(right: str, best: str, lead: float, least: float = 0.1, by: str = "rule") -> Routed:
    """A question whose best route is ahead by this much, where so much is enough."""
    other = next(name for name in NAMES if name != best)
    scores = (Scored(best, 0.5 + lead), Scored(other, 0.5))
    return Routed(Query("?"), right, Decision(best, "", lead >= least or by == "model", scores, by))  # type: ignore[arg-type]


def by_chance(seed: int, n: int = 60) -> list[Routed]:
    rng = np.random.default_rng(seed)
    pick = lambda: NAMES[int(rng.integers(3))]  # noqa: E731
    return [routed(pick(), pick(), float(rng.choice([0.03125, 0.0625, 0.125, 0.25]))) for _ in range(n)]


@for_each("seed", range(20))
def test_the_table_of_confusion_is_scikit_learns(seed: int) -> None:
    from sklearn.metrics import confusion_matrix

    told = by_chance(seed)
    sent = [one.decision.route if one.decision.sure else "?" for one in told]
    theirs = confusion_matrix([one.right for one in told], sent, labels=[*NAMES, "?"])
    assert (confusion(told, NAMES) == theirs[:-1]).all()
    assert not theirs[-1].any(), "no question belongs to nowhere"


@for_each("seed", range(5))
def test_every_point_of_the_curve_is_what_that_margin_leaves(seed: int) -> None:
    told = by_chance(seed)
    points = curve(told)
    assert points.margins.tolist() == [0.0, 0.03125, 0.0625, 0.125, 0.25]
    for margin, share, right in zip(points.margins, points.shares, points.accuracies, strict=True):
        sure = [one for one in told if one.lead >= margin]
        assert share == len(sure) / len(told)
        assert right == pytest.approx(accuracy(sure))
    assert (np.diff(points.shares) <= 0).all()


def test_equal_routes_are_sure_by_no_margin_and_a_model_by_every() -> None:
    points = curve([routed("a", "a", 0.0), routed("a", "a", 0.25), routed("b", "a", 0.0, by="model")])
    assert points.margins.tolist() == [0.0, 0.25]
    assert points.shares.tolist() == [2 / 3, 2 / 3]
    assert points.accuracies.tolist() == [1 / 2, 1 / 2]
    assert math.isinf(routed("a", "a", 0.0, by="model").lead)


def test_nothing_asked_is_no_point_and_no_accuracy() -> None:
    assert len(curve([]).margins) == 0
    assert math.isnan(accuracy([]))
    assert balance([]) == Balance(0, 0, 0, 0, 0)
    assert confusion([], NAMES).sum() == 0
    assert len(curve([routed("a", "a", 0.0)]).margins) == 0, "no margin makes it sure"


def test_not_being_sure_saves_the_wrong_ones_and_costs_the_right_ones() -> None:
    told = [
        routed("a", "a", 0.25),
        routed("a", "b", 0.25),
        routed("b", "b", 0.0625),
        routed("b", "c", 0.0625),
        routed("c", "c", 0.0625),
    ]
    assert balance(told) == Balance(asked=5, sure=2, missed=1, saved=1, cost=2)
    assert accuracy(told) == 3 / 5
    assert confusion(told, NAMES).tolist() == [[1, 1, 0, 0], [0, 0, 0, 2], [0, 0, 0, 1]]


def test_every_question_is_decided_once_in_a_corpus_of_its_own_and_progress_may_stop_it() -> None:
    one, two = Corpus("one", (Document("x", "apple pear"),)), Corpus("two", (Document("y", "cherry plum"),))
    route = Route(CollectionRouter(best=1), (Destination("one", BM25()), Destination("two", BM25(), "two")))
    asked = {"one": [Query("pear"), Query("plum")], "two": [Query("plum"), Query("zebra")]}
    seen: list[tuple[int, int]] = []
    runner = Runner(one, others={"two": two})
    told = decide_all(route, asked, runner, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert [(t.right, t.decision.route, t.decision.sure) for t in told] == [
        ("one", "one", True), ("one", "two", True), ("two", "two", True), ("two", "one", False)
    ]  # fmt: skip
    assert balance(told) == Balance(asked=4, sure=3, missed=1, saved=1, cost=0)

    def stop(done: int, total: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        decide_all(route, asked, runner, progress=stop)


def test_what_a_table_decides_is_always_sure() -> None:
    told = Routed(Query("x"), "a", WordTable().decide(Query("x"), [Destination("a", BM25())], lambda name: None))  # type: ignore[arg-type,return-value]
    assert math.isinf(told.lead)
    assert told.hit
