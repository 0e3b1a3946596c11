"""The app as it opens: at any page, in the visitor's language, in narrow windows, from the command line."""

from __future__ import annotations

import re
from collections.abc import Callable

import places
import pytest
from browser.visitor import ROOT, Visitor, expect, serving, unharmed
from night import NIGHT, sample

from lab.ui.i18n import translate

pytestmark = pytest.mark.browser

PAGES = sorted(path.parent.name for path in places.PAGES)


AS_WIDE = """() => [...document.querySelectorAll('[data-testid="stElementContainer"]')].every(box => {
    const drawn = box.querySelector('svg.main-svg, [data-testid="stDataFrameResizable"]');
    return !drawn || Math.abs(drawn.getBoundingClientRect().width - box.getBoundingClientRect().width) <= 1;
})"""
"""Whether every chart and every grid has the width of its place."""
OUTSIDE = """box => {
    const edge = box.querySelector('svg.main-svg').getBoundingClientRect();
    return [...box.querySelectorAll('svg.main-svg text')].filter(text => {
        const at = text.getBoundingClientRect();
        return at.width && (at.left < edge.left - 1 || at.right > edge.right + 1);
    }).map(text => text.textContent);
}"""
"""The texts of a chart that reach beyond its drawing."""


def test_a_page_opens_with_the_frame_and_without_an_error(visit: Callable[..., Visitor]):
    me = visit()
    titles = set()
    pages = sample(PAGES, 4)
    for page in pages:
        path = "" if page == "home" else page
        me.open(path) if NIGHT or page in (pages[0], "home") else me.go(path)
        assert me.page.get_by_role("dialog").count() == 0, page
        assert me.page.get_by_test_id("stAlertContentError").count() == 0, page
        assert me.overflow() <= 1, f"{page} is wider than a wide window"
        titles.add(me.heading.inner_text())
        expect(me.picker("Corpus")).to_be_visible()
        expect(me.picker("Corpus")).not_to_have_value("")
    assert len(titles) == len(pages), "every address leads to a page of its own"


@pytest.mark.nightly
@pytest.mark.parametrize("page", PAGES)
def test_a_page_fits_a_narrow_window_and_a_wide_one_again(page: str, visit: Callable[..., Visitor]):
    me = visit(width=700).open("" if page == "home" else page)
    assert me.page.get_by_test_id("stAlertContentError").count() == 0
    assert me.overflow() <= 1, "wider than a narrow window"
    if not me.picker("Corpus").is_visible():  # in narrow windows the side is folded at first
        me.click(me.page.get_by_test_id("stExpandSidebarButton"), expect(me.picker("Corpus")).to_be_visible)
    me.page.set_viewport_size({"width": 1400, "height": 1000})
    me.page.wait_for_function(AS_WIDE)
    me.settle()
    assert me.overflow() <= 1, "wider than a wide window"


@pytest.mark.nightly
def test_what_a_narrow_window_cuts_is_there_to_be_seen(visit: Callable[..., Visitor]):
    me = visit(width=390).open("fusion")
    me.page.get_by_text("All tipping points").click()
    box = me.page.locator(".st-key-fusion-tips")
    left, right = box.evaluate("e => [e.clientWidth, e.scrollWidth]")
    assert right > left, "a chart that needs room scrolls sideways"
    assert me.overflow() <= 1, "and the page does not"
    outside = box.evaluate(OUTSIDE)
    assert outside == [], "no title and no number is cut by the edge of the drawing"
    me.page.set_viewport_size({"width": 1024, "height": 1000})
    me.open()
    links = me.page.get_by_test_id("stMain").get_by_test_id("stPageLink").locator("p")
    expect(links.first).to_be_visible()
    assert links.count() == 3  # the fourth door is a button: it starts a class
    cut_off = "all => all.map(p => p.parentElement.scrollWidth - p.parentElement.clientWidth)"
    assert set(links.evaluate_all(cut_off)) == {0}
    assert set(links.evaluate_all("all => all.map(p => getComputedStyle(p).whiteSpace)")) == {"normal"}


@pytest.mark.nightly
def test_the_language_of_the_browser_comes_first_and_a_switch_keeps_the_experiment(visit: Callable[..., Visitor]):
    chinese = visit(locale="zh-CN").open()
    expect(chinese.heading).to_have_text(translate("Retrieval Lab", "zh"))
    assert re.search("[一-鿿]", chinese.page.locator(".st-key-menu-path").inner_text())

    me = visit(locale="en-US").open("compare")
    expect(me.heading).to_have_text("Compare")
    me.ask("battery empty in the morning")
    me.slider("BM25 · b").press("Home")
    me.says("compare.bm25.b", "0")
    me.settle()
    chosen = "new URLSearchParams(location.search).has('doc')"
    me.click(me.cards(1).nth(2), me.page.wait_for_function, chosen)
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
    shown = name.replace("//", "//\u2060")  # a sign that nobody sees: no address becomes a link
    expect(me.page.get_by_test_id("stAlertContentWarning")).to_contain_text(shown)
    unharmed(me)


@pytest.mark.nightly
@pytest.mark.parametrize("script", ["", "app.py"], ids=["retrieval-lab", "streamlit run app.py"])
def test_a_link_is_the_first_thing_that_a_new_server_is_asked(script: str, arrive: Callable[..., Visitor]):
    link = {"corpus": "handbook", "q": "冷气几点停", "compare.bm25.b": "0", "compare.k": "3"}
    with serving(ROOT, script) as url:
        me = arrive(url).open("compare", **link)
        expect(me.heading).to_have_text("Compare")
        expect(me.field).to_have_value(link["q"])
        expect(me.page.get_by_role("slider", name="BM25 · b")).to_have_value("0")
        expect(me.picker("Corpus")).to_have_value(re.compile("handbook|Staff", re.IGNORECASE))
        assert {name: me.parameters()[name] for name in link} == link, "and the address stays what it was"
        assert me.page.locator("section.list").count() == 3
        me.go("fusion")
        expect(me.field).to_have_value(link["q"])
