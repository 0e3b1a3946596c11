"""The history of a page in a browser: keys on a slider are one try, a click brings a search back, a reload keeps it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from browser.visitor import expect

if TYPE_CHECKING:
    from browser.visitor import Visitor


@pytest.mark.nightly
def test_searches_are_listed_brought_back_and_kept(visit: Callable[..., Visitor]) -> None:
    me = visit().open("compare", corpus="devices", lang="en", q="firmware 2.4.1")
    button = me.page.locator(".st-key-tries-button-compare button")
    k1 = me.slider("BM25 · k₁")
    for _ in range(3):
        k1.press("ArrowLeft")
    me.settle()
    expect(button).to_contain_text("Tries 2")
    me.page.wait_for_timeout(3_200)  # a further change of the same parameter is a try of its own
    k1.press("Home")
    expect(button).to_contain_text("Tries 3")
    low = k1.input_value()

    rows = me.page.locator(".tries .try")
    me.click(button, expect(rows).to_have_count, 3)
    expect(rows.first).to_contain_text(f"→ {float(low):g}")
    me.click(rows.last.locator(".go"), me.says, "compare.bm25.k1", None)
    expect(k1).to_have_value("1.5")
    expect(rows.last.locator(".go")).to_have_attribute("aria-current", "true")
    me.settle()
    me.page.reload()
    me.settle()
    me.page.set_viewport_size({"width": 390, "height": 900})
    me.click(button, expect(rows).to_have_count, 3)
    panel = me.page.locator(".tries").bounding_box()
    assert panel is not None
    assert panel["x"] >= 0
    assert panel["x"] + panel["width"] <= 390
    me.click(rows.first.locator(".go"), me.says, "compare.bm25.k1", low)

    clear = me.page.locator(".tries .clear")
    me.click(clear, expect(rows).to_have_count, 3)  # it asks first
    me.click(clear, expect(button).not_to_contain_text, "3")
