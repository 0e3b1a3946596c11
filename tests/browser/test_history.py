"""Back and forward: one press for one thing that the visitor did, and out of the lab where nothing was done."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from browser.test_pipeline import part, press
from browser.visitor import Visitor, expect
from night import NIGHT

from lab import packs

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
    for i in range(5):  # in quick succession: one thing, and a run takes nothing back that came after it began
        act(me, at_once=i > 0)
        weight.press("ArrowRight")
        page.wait_for_timeout(200)
    stands("0.525")
    act(me)
    weight.press("ArrowRight")
    stands("0.53")
    act(me)
    me.ask("battery empty")
    stands("0.53", "battery empty")
    act(me)
    me.go("compare")
    expect(me.field).to_have_value("battery empty")

    page.go_back()
    page.wait_for_url(re.compile("/fusion"))
    stands("0.53", "battery empty")
    page.go_back()
    stands("0.53", showcase)
    page.go_back()
    stands("0.525", showcase)
    page.go_forward()
    stands("0.53", showcase)
    page.go_back()
    page.go_back()
    stands("0.5", showcase)
    if NIGHT:  # and it goes on from there
        act(me)
        weight.press("ArrowRight")
        stands("0.505", showcase)
        page.go_back()
        stands("0.5", showcase)
    page.go_back()
    assert page.url == "about:blank", "the address that the page gave itself is no entry of its own"


@pytest.mark.nightly
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


@pytest.mark.nightly
def test_back_takes_back_a_step_of_a_pipeline_and_a_knob_of_it(visit: Callable[..., Visitor]):
    me = visit()
    me.page.goto("about:blank")
    me.open("pipeline", corpus="devices", q="battery empty in the morning")

    def stands(stages: int, diverse: str = "") -> None:
        expect(me.page.locator('.flow button[data-at^="b/refine."]:not([data-at*="+"])')).to_have_count(stages)
        if diverse:
            expect(me.slider("λ")).to_have_value(re.compile(rf"^{diverse}0*$"))
        me.settle()

    before = me.page.locator('.flow button[data-at^="b/refine."]:not([data-at*="+"])').count()
    act(me)
    part(me, "b/refine.+0").click()
    me.settle()
    act(me)
    press(me, "MMR")
    stands(before + 1, "0.5")
    for value in ("0.55", "0.6"):
        act(me)
        me.slider("λ").press("ArrowRight")
        stands(before + 1, value)
    act(me)
    press(me, "Off")
    expect(part(me, "b/refine.0")).to_contain_text("off")

    me.page.go_back()
    expect(part(me, "b/refine.0")).not_to_contain_text("off")
    stands(before + 1, "0.6")
    me.page.go_back()
    stands(before + 1, "0.55")
    me.page.go_forward()
    stands(before + 1, "0.6")
    me.page.go_back()
    me.page.go_back()
    stands(before + 1, "0.5")
    me.page.go_back()
    me.says("pipeline.at", "b/refine.+0")  # to choose a place was a thing done, too
    stands(before)
    me.page.go_back()
    me.says("pipeline.at", None)
    stands(before)
    me.page.go_back()
    assert me.page.url == "about:blank"


@pytest.mark.nightly
@pytest.mark.parametrize("page", [*({"text2sql"} - packs.missing().keys()), "pipeline"])
def test_one_press_leaves_text2sql_and_pipeline_where_nothing_was_changed(page: str, visit: Callable[..., Visitor]):
    me = visit()
    me.page.goto("about:blank")
    me.open(page)
    me.go("compare")
    me.page.go_back()
    me.page.wait_for_url(re.compile(f"/{page}"))
    me.settle()
    me.page.go_back()
    assert me.page.url == "about:blank"


@pytest.mark.nightly
def test_a_question_that_is_typed_and_not_sent_survives_another_language(visit: Callable[..., Visitor]):
    me = visit().open("fusion", corpus="devices")
    me.field.fill("paper jam in tray 2")
    me.choose(re.compile("Language"), "中文")
    expect(me.heading).to_have_text("RRF 与加权")
    expect(me.field).to_have_value("paper jam in tray 2")
    me.says("q", "paper jam in tray 2")
