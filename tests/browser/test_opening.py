"""The app as it opens: at any page, in the visitor's language, in narrow windows, from the command line."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from browser.visitor import ROOT, Visitor, expect, unharmed
from night import NIGHT

from lab.ui.i18n import translate

pytestmark = pytest.mark.browser

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*/*.py"))


CROWDED = ["fusion", "rewrite"]
"""Pages with much in a row: the sample of those that are looked at in a narrow window, too."""
ADDRESSED = {"home", "compare", "text2sql"}
"""One page of the root and of two sections: the sample of those that are opened by their address; all are at night."""


def test_every_page_opens_with_the_frame_and_without_an_error(visit: Callable[..., Visitor]):
    me = visit().open()
    titles = set()
    for page in PAGES:
        path = "" if page == "home" else page
        me.open(path) if NIGHT or page in ADDRESSED else me.go(path)
        assert me.page.get_by_role("dialog").count() == 0, page
        assert me.page.get_by_test_id("stAlertContentError").count() == 0, page
        assert me.overflow() <= 1, f"{page} is wider than a wide window"
        titles.add(me.heading.inner_text())
        expect(me.picker("Corpus")).to_be_visible()
        expect(me.picker("Corpus")).not_to_have_value("")
    assert len(titles) == len(PAGES), "every address leads to a page of its own"
    me.open("compare")
    button = me.page.get_by_role("button", name="Search", exact=True)
    expect(button).to_have_css("background-color", "rgb(51, 65, 85)")  # #334155, the theme's primary colour


@pytest.mark.parametrize("page", [*CROWDED, *(pytest.param(p, marks=pytest.mark.nightly) for p in PAGES)])
def test_a_page_fits_a_narrow_window_and_a_wide_one_again(page: str, visit: Callable[..., Visitor]):
    me = visit(width=700).open("" if page == "home" else page)
    assert me.page.get_by_test_id("stAlertContentError").count() == 0
    assert me.overflow() <= 1, "wider than a narrow window"
    if not me.picker("Corpus").is_visible():  # in narrow windows the side is folded at first
        me.page.get_by_test_id("stExpandSidebarButton").click()
    expect(me.picker("Corpus")).to_be_visible()
    for width in (1380, 1400):  # after one jump charts and grids can keep the width without the side
        me.page.set_viewport_size({"width": width, "height": 1000})
        me.settle()
    assert me.overflow() <= 1, "wider than a wide window"


def test_the_language_of_the_browser_comes_first_and_a_switch_keeps_the_experiment(visit: Callable[..., Visitor]):
    chinese = visit(locale="zh-CN").open()
    expect(chinese.heading).to_have_text(translate("Retrieval Lab", "zh"))
    assert re.search("[一-鿿]", chinese.page.get_by_test_id("stSidebarNav").inner_text())

    me = visit(locale="en-US").open("compare")
    expect(me.heading).to_have_text("Compare")
    me.ask("battery empty in the morning")
    me.slider("BM25 · b").press("Home")
    me.says("compare.bm25.b", "0")
    me.settle()
    me.cards(1).nth(2).click()
    me.page.wait_for_function("new URLSearchParams(location.search).has('doc')")
    me.settle()
    before, tops, selected = me.parameters(), me.tops(), me.selected()

    me.choose(re.compile("Language"), "中文")
    expect(me.heading).to_have_text(translate("Compare", "zh"))
    me.settle()
    assert me.parameters() == before | {"lang": "zh"}
    expect(me.page.get_by_role("slider").nth(1)).to_have_value("0")
    assert (me.tops(), me.selected()) == (tops, selected)
    expect(me.field).to_have_value("battery empty in the morning")

    me.choose(translate("Language", "zh"), "English")
    expect(me.heading).to_have_text("Compare")
    me.settle()
    assert me.parameters() == before
    assert (me.tops(), me.selected()) == (tops, selected)


def test_a_link_cannot_bring_markup_in_the_name_of_a_corpus(visit: Callable[..., Visitor]):
    name = "[hostile](https://example.org/hostile) **hostile** <b data-hostile>"
    me = visit().open("", corpus=name)
    expect(me.page.get_by_test_id("stAlertContentWarning")).to_contain_text(name)
    unharmed(me)
