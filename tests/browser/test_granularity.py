"""The page of the index side in a browser: a lesson, a card, the picture of the cut."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from browser.visitor import Visitor, expect

pytestmark = pytest.mark.browser


@pytest.mark.nightly
def test_a_lesson_performs_and_a_card_shows_how_its_document_is_cut(visit: Callable[..., Visitor]):
    me = visit().open("granularity", corpus="devices")
    me.play("Summing chunk scores favours long documents")
    me.says("granularity.lift.by", "sum")
    me.settle()
    strip = me.page.locator(".cuts .row").first
    expect(strip.locator("mark.lit")).to_have_count(2)  # of both pieces the scores are added up
    expect(me.page.get_by_text("by its best chunk alone it would be at")).to_be_visible()
    assert me.cards(1).first.get_attribute("data-doc") == "dv-193"
    me.cards(1).first.click()
    me.settle()
    strip = me.page.locator(".cuts .strip").first
    assert strip.locator("mark.lit").count() > 5
    strip.scroll_into_view_if_needed()
    expect(strip.locator("mark.lit").first).to_be_in_viewport()  # the text is long: it is scrolled to what counts
    lifted = me.page.get_by_role("combobox", name=re.compile("Aggregated by"))
    lifted.scroll_into_view_if_needed()  # a list closes when the page moves below it
    me.settle()
    lifted.click()
    me.click(me.page.get_by_role("option", name="best chunk"), me.says, "granularity.lift.by", None)
    me.settle()
    assert me.cards(1).first.get_attribute("data-doc") == "dv-155"
    expect(strip.locator("mark.lit")).to_have_count(1)
    expect(me.page.locator(".cuts .label").first).to_contain_text(re.compile(r"rank \d+ among the chunks, score \d"))
    passage, lists = me.page.locator(".cuts").first.bounding_box(), me.page.locator(".lists").first.bounding_box()
    assert passage
    assert lists
    assert passage["x"] + passage["width"] <= lists["x"], "the passage is beside the lists"
    assert passage["y"] < lists["y"] + lists["height"]
