"""The benchmark of routing: what its tables are made of, and, where the collections are there, its promises."""

from __future__ import annotations

import os

import pytest

from benchmarks import routing
from lab.algebra import Query
from lab.evaluate.routing import Routed, accuracy
from lab.rewrite.routing import Decision, Scored


def routed(right: bool, lead: float) -> Routed:
    scores = (Scored("a", 0.5 + lead), Scored("b", 0.5))
    return Routed(Query("?"), "a" if right else "b", Decision("a", "", True, scores))


def test_a_cell_has_the_whole_and_both_halves():
    assert routing._halves([True, False, True, True]) == "0.750 (1.000 / 0.500)"


def test_the_sure_ones_are_those_that_reach_the_margin_and_a_draw_is_none():
    told = [routed(True, 0.25), routed(False, 0.125), routed(True, 0.0625), routed(True, 0.0)]
    assert routing.sure_at(told, 0.125) == (1 / 2, 2 / 4)
    assert routing.sure_at(told, 0.0) == (2 / 3, 3 / 4)
    assert routing._sure(told, 0.125) == "0.500 of 0.50 (1.000 of 0.50 / 0.000 of 0.50)"


@pytest.mark.nightly
@pytest.mark.skipif(not os.environ.get("LAB_COLLECTIONS"), reason="LAB_COLLECTIONS names no folder of collections")
@pytest.mark.parametrize("name", list(routing.LEAST))
def test_the_promises_hold_on_a_part_of_the_questions(name: str):
    one = routing.Measured(name, 200)
    assert not {q.text for asked in one.asked.values() for q in asked} & {
        x for own in one.examples.values() for x in own
    }
    assert accuracy(one.routed(routing.ROUTER, examples=False)) >= routing.LEAST[name]
    right, share = routing.sure_at(one.routed(routing.ROUTER, examples=True), routing.ROUTER.margin)
    assert right >= routing.SURE
    assert share >= routing.SHARE
