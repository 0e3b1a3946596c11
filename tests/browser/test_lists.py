"""Lists in a real browser: more cards come where the reader is, and those of one value are shown by a click."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from browser.visitor import Visitor, expect
from night import NIGHT

pytestmark = pytest.mark.browser


FORMULAS = "scrollable-region-focusable"
"""What is wider than the window, on this page and others."""


def ranks(me: Visitor) -> list[str]:
    """The ranks of the cards of the first list."""
    return [text.split("\n")[0] for text in me.cards(0).all_inner_texts()]


def test_ten_more_cards_leave_the_reader_where_they_are_and_those_of_one_value_are_shown_by_a_key(
    visit: Callable[..., Visitor],
):
    me = visit().open("compare", corpus="devices", q="printer code", **{"compare.counts": "topic"})
    me.click(me.cards(1).nth(4), me.says, "doc", me.cards(1).nth(4).get_attribute("data-doc"))
    me.settle()
    chosen, first, every = me.selected(), me.cards(0).all_inner_texts()[:8], ranks(me)
    more = me.page.locator("section.list").nth(1).locator("button.more")
    more.scroll_into_view_if_needed()
    scrolled = "document.querySelector('[data-testid=stMain]').scrollTop"
    before, eighth = me.page.evaluate(scrolled), me.cards(1).nth(7).bounding_box()
    more.press("Enter")
    expect(me.cards(1).nth(17)).to_be_attached()
    me.settle()
    expect(me.cards(1).nth(8)).to_be_focused()  # the keyboard goes on with the first of them
    assert me.page.evaluate(scrolled) == before
    assert me.cards(1).nth(7).bounding_box() == eighth
    assert (me.selected(), me.cards(0).all_inner_texts()[:8]) == (chosen, first)

    me.page.reload()
    me.settle()
    expect(me.cards(1).nth(7)).to_be_attached()
    assert me.cards(1).nth(9).count() == 0
    assert me.selected() == chosen
    assert ranks(me) == every

    value = me.page.get_by_role("button", name="printers", exact=False).and_(me.page.locator(".value"))
    me.page.locator(".only summary").click()
    value.focus()
    value.press("Enter")
    me.says("compare.only", "printers")
    me.settle()
    expect(value).to_have_attribute("aria-pressed", "true")
    expect(value).to_be_focused()
    expect(me.page.locator(".rest").first).to_contain_text("hidden")
    found = ranks(me)
    assert found[: len(set(every) & set(found))] == [rank for rank in every if rank in found]  # the ranks of before
    if NIGHT:
        assert [told for told in me.findings() if told[0] != FORMULAS] == []

    if NIGHT:
        me.page.reload()
        me.settle()
        expect(value).to_have_attribute("aria-pressed", "true")
        assert ranks(me) == found
    me.click(value, me.says, "compare.only", None)
    me.settle()
    assert ranks(me) == every
