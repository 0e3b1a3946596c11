"""An experiment in a real browser: questions, knobs, cards, lessons, charts, and the link that is all of it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from browser.visitor import Visitor, expect
from night import NIGHT

pytestmark = pytest.mark.browser


@pytest.mark.nightly
def test_a_card_is_selected_by_keys_its_curve_is_lit_and_the_guide_stands_beside_both(visit: Callable[..., Visitor]):
    me = visit(width=1400).open("compare", corpus="devices", lang="en", q="battery")
    first, second, third = (me.cards(0).nth(i) for i in range(3))
    first.focus()
    me.page.keyboard.press("ArrowDown")
    expect(second).to_be_focused()
    me.page.keyboard.press("Enter")
    expect(second).to_have_attribute("aria-pressed", "true")
    me.says("doc", second.get_attribute("data-doc"))
    me.settle()
    expect(second).to_be_focused()
    me.page.keyboard.press("ArrowRight")  # to the same document in the next list
    beside = me.cards(1).and_(me.page.locator(f'[data-doc="{second.get_attribute("data-doc")}"]'))
    expect(beside).to_be_focused()

    clicked = str(third.get_attribute("data-doc"))
    third.hover()
    lit = me.page.locator("svg.curves .lit")
    assert set(lit.evaluate_all("all => all.map(x => x.dataset.doc)")) == {clicked}
    me.click(third, me.says, "doc", clicked)
    me.settle()
    assert me.selected() == {clicked}
    thick = me.page.locator(f'svg.curves path[data-doc="{clicked}"]')
    assert {"6", "4"} & set(thick.evaluate_all("all => all.map(x => x.style.strokeWidth)"))

    guided(me)


def guided(me: Visitor) -> None:
    """The guide opens beside the page, which stays in use and is not covered."""
    page, drawer = me.page, me.page.locator(".st-key-guide-drawer")
    page.get_by_role("button", name="Guide", exact=True).press("Enter")
    expect(drawer).to_be_visible()
    me.settle()

    def edges() -> tuple[float, float]:
        last = max(box["x"] + box["width"] for x in page.locator("section.list").all() if (box := x.bounding_box()))
        at = drawer.bounding_box()
        assert at is not None
        return last, at["x"]

    last, left = edges()
    assert last <= left, "the guide covers a list"
    assert me.overflow() <= 1
    me.ask("battery empty")  # the page is in use beside it
    expect(drawer).to_be_visible()
    assert "guide" not in page.url
    if NIGHT:
        found = [x for x in me.findings() if "katex" not in str(x)]  # a long formula scrolls, as without the guide
        assert found == []
    page.set_viewport_size({"width": 1024, "height": 768})
    assert me.overflow() <= 1
    close = drawer.get_by_role("button", name="Close")
    close.focus()
    close.press("Enter")
    expect(drawer).to_have_count(0)


@pytest.mark.nightly
def test_a_slider_that_was_away_with_its_tab_shows_what_the_sentence_beside_it_says(visit: Callable[..., Visitor]):
    few = {"corpus": "devices", "lang": "en", "evaluate.searches": "bm25,hybrid", "evaluate.n": "12"}
    me = visit().open("evaluate", **few)
    size = re.compile(r"difference of 0\.020 with 80% power")
    for tab in ("Sweep", "Conversations", "Sweep", "Compare"):
        me.page.get_by_role("radio", name=tab).first.click()
        me.settle()
        if tab != "Sweep":
            expect(me.page.get_by_text(size)).to_be_visible()
            me.page.get_by_role("button", name="Questions needed").click()
            expect(me.slider("Smallest difference to detect")).to_have_attribute("aria-valuetext", "0.020")
            me.page.keyboard.press("Escape")
    assert me.parameters()["evaluate.n"] == "12"
