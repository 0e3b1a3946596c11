"""Back and forward: one press for one thing that the visitor did, and out of the lab where nothing was done."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from browser.visitor import Visitor, expect

pytestmark = pytest.mark.browser


def act(me: Visitor, *, at_once: bool = False) -> None:
    """What is done next is something new, or comes within a second of what was done before, however slow this is."""
    me.page.evaluate(f"window.__lab_history.input = {'Infinity' if at_once else '0'}")


def test_one_press_of_back_undoes_one_thing_and_then_leaves_the_page(visit: Callable[..., Visitor], server: str):
    me = visit()
    page = me.page
    page.goto("about:blank")
    me.open("fusion", corpus="devices")
    weight = me.slider("Weight of BM25")

    def stands(value: str, question: str | None = None) -> None:
        expect(weight).to_have_value(re.compile(rf"^{value}0*$"))
        me.says("fusion.weight", None if value == "0.5" else value)
        if question is not None:
            expect(me.field).to_have_value(question)
        me.settle()

    stands("0.5")
    showcase = me.field.input_value()
    weight.focus()
    for i in range(3):  # in quick succession: one thing
        act(me, at_once=i > 0)
        weight.press("ArrowRight")
    stands("0.515")
    act(me)
    weight.press("ArrowRight")
    stands("0.52")
    act(me)
    me.ask("battery empty")
    stands("0.52", "battery empty")
    act(me)
    me.go("compare")
    expect(me.field).to_have_value("battery empty")

    page.go_back()
    page.wait_for_url(re.compile("/fusion"))
    stands("0.52", "battery empty")
    page.go_back()
    stands("0.52", showcase)
    page.go_back()
    stands("0.515", showcase)
    page.go_forward()
    stands("0.52", showcase)
    page.go_back()
    page.go_back()
    stands("0.5", showcase)
    act(me)
    weight.press("ArrowRight")  # and it goes on from there
    stands("0.505", showcase)
    page.go_back()
    stands("0.5", showcase)
    page.go_back()
    assert page.url == "about:blank", "the address that the page gave itself is no entry of its own"


def test_a_page_on_which_nothing_was_done_is_left_by_one_press(visit: Callable[..., Visitor]):
    me = visit().open("fusion", corpus="devices", **{"fusion.weight": "0.75"})
    me.go("compare")
    me.go("mmr")
    me.page.go_back()
    me.page.wait_for_url(re.compile("/compare"))
    expect(me.heading).to_have_text("Compare")
    me.settle()
    me.page.go_back()
    me.page.wait_for_url(re.compile("/fusion"))
    expect(me.slider("Weight of BM25")).to_have_value(re.compile("^0.750*$"))
    me.says("fusion.weight", "0.75")
    me.settle()
