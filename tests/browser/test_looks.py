"""How every page looks to a program that looks for barriers: contrast, names, roles, what the keyboard cannot reach."""

from __future__ import annotations

from collections.abc import Callable

import places
import pytest
from browser.visitor import Visitor, expect
from night import NIGHT, sample

pytestmark = pytest.mark.browser

PAGES = sorted(path.parent.name for path in places.PAGES)
CUT = """() => [...document.querySelectorAll('[data-testid="stMain"] :is(button, label, [role=tab], [role=radio])')]
    .filter(x => x.getClientRects().length).flatMap(x => [x, ...x.querySelectorAll('*')])
    .filter(x => x.scrollWidth > x.clientWidth + 1 && getComputedStyle(x).overflow !== 'visible' && x.innerText?.trim())
    .filter(x => !x.closest('[data-baseweb=select]')).map(x => x.innerText.trim())"""
"""The labels of buttons, fields and tabs that do not stand whole in their places."""
SAID = """() => [...document.querySelectorAll('[data-testid="stMain"] .js-plotly-plot')]
    .every(plot => plot.querySelector('.main-svg')?.getAttribute('aria-label'))"""
DRAWN = """() => {
    window.drawn = [];
    const key = plot => plot.closest('[class*=st-key-fusion-]').className.match(/st-key-fusion-(\\w+)/)[1];
    const told = records => records.map(x => x.target).filter(x => x.matches('.js-plotly-plot'));
    const watcher = new MutationObserver(records => window.drawn.push(...told(records).map(key)));
    watcher.observe(document.body, { subtree: true, attributeFilter: ['class'] });
}"""
"""Keeps the charts of Fusion that plotly draws, which begins with setting its class."""
REACHED = """() => [...document.querySelectorAll('[data-testid="stMain"] .katex-display')]
    .every(x => x.scrollWidth <= x.clientWidth + 1 || x.tabIndex === 0)"""


@pytest.mark.parametrize(
    ("scheme", "language"),
    [
        ("light", "en"),
        pytest.param("light", "zh", marks=pytest.mark.nightly),
        pytest.param("dark", "en", marks=pytest.mark.nightly),
        pytest.param("dark", "zh", marks=pytest.mark.nightly),
    ],
)
def test_no_page_has_a_barrier_or_a_label_that_is_cut(scheme: str, language: str, visit: Callable[..., Visitor]):
    me, found = visit(), []
    me.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    for page in sample(PAGES, 1):
        me.page.set_viewport_size({"width": 1400, "height": 900})
        me.open("" if page == "home" else page, lang=language)
        for width, height in ((1400, 900), (1024, 768), (390, 844)):
            me.page.set_viewport_size({"width": width, "height": height})
            assert me.overflow() <= 1, f"{page} is wider than {width}"
            me.page.wait_for_function(SAID)
            me.page.wait_for_function(REACHED)
            barriers = me.findings() if NIGHT or width == 1400 else []
            found += [(page, width, told) for told in (*barriers, *me.page.evaluate(CUT))]
    assert not found


STOP = """() => {
    let at = document.activeElement;
    while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    if (at === document.body) return null;
    const seen = at.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && at.getClientRects().length;
    return [Boolean(seen), at.tagName, at.ariaLabel || at.innerText || at.value || ''];
}"""
"""Whether what has the focus can be seen, and what it is; null after the last stop."""


@pytest.mark.nightly
@pytest.mark.parametrize("width", [1400, 1024])
def test_the_tab_key_stops_only_where_something_is_seen_and_leaves_every_page(
    width: int, visit: Callable[..., Visitor]
):
    me, wrong = visit(width=width), []
    for page in sample(PAGES, 2):
        me.open("" if page == "home" else page)
        for _ in range(250):
            me.page.keyboard.press("Tab")
            me.page.wait_for_timeout(20)  # a row of tools takes a moment to be seen
            stop = me.page.evaluate(STOP)
            if stop is None:
                break
            wrong += [] if stop[0] else [(page, *stop)]
        else:
            wrong.append((page, "does not leave"))
    assert wrong == []


FOLDED = {
    "granularity": {
        "granularity.indexes": "whole,parentchild,sentences,questions,beside-parentchild",
        "granularity.lift.by": "mean",
        "q": "How deep can the ACT-8 go?",
    },
    "routing": {f"routing.fold.{name}": "1" for name in ("routes", "file", "why")} | {"q": "怎样才能升职"},
}
"""Pages that open with less than they have, and the link to all of it."""


@pytest.mark.nightly
@pytest.mark.parametrize("page", FOLDED)
@pytest.mark.parametrize(
    ("width", "locale", "dark"), [(1024, "en-US", True), (390, "zh-CN", False), (1400, "zh-CN", True)]
)
def test_all_of_a_page_is_for_everybody_at_every_width(
    page: str, width: int, locale: str, dark: bool, visit: Callable[..., Visitor]
):
    me = visit(locale=locale, width=width)
    me.page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
    me.open(page, corpus={"routing": "handbook"}.get(page, "devices"), **FOLDED[page])
    if page == "routing":
        me.page.locator(".st-key-routing-measure button, .st-key-routing\\.measure button").first.click()
        me.settle()
        expect(me.page.get_by_test_id("stMetric")).to_have_count(3)
    assert me.overflow() <= 0
    assert me.findings() == []


STAGED = sorted(path.parent.name for path in places.PAGES if ".stage()" in path.read_text("utf-8"))
SHARE = """() => {
    const stage = document.querySelector('[class*=st-key-stage-]');
    const lists = [...stage.querySelectorAll('*')].find(x => x.shadowRoot?.querySelector('.grid'));
    const columns = [...lists.shadowRoot.querySelectorAll('.grid > section')];
    const shown = columns.filter(x => x.getBoundingClientRect().width > 150).length;
    return [lists.getBoundingClientRect().width / stage.getBoundingClientRect().width, shown, columns.length];
}"""
"""The share of the stage that the lists have, and how many of them are shown."""


@pytest.mark.nightly
@pytest.mark.parametrize("width", [1680, 1920, 2560])
def test_in_a_wide_window_the_lists_have_most_of_the_stage(width: int, visit: Callable[..., Visitor]):
    me, crushed = visit(width=width), []
    assert len(STAGED) > 10
    for page in [*sample([name for name in STAGED if name != "vector_store"], 1), "vector_store"]:
        me.open(page, lang="zh" if page == "fusion" else "en")
        share, shown, lists = me.page.evaluate(SHARE)
        if share < 0.6 or shown < lists:
            crushed.append((page, share, shown, lists))
    assert crushed == []


@pytest.mark.nightly
def test_a_picture_says_what_it_shows_as_soon_as_it_is_drawn(visit: Callable[..., Visitor]):
    me = visit()
    me.page.add_init_script("const later = setInterval; setInterval = (f, ms) => ms === 500 ? -1 : later(f, ms)")
    me.open("fusion")
    me.page.wait_for_function(SAID)
    me.page.get_by_role("slider").first.press("ArrowRight")
    me.settle()
    assert me.page.evaluate(SAID)


@pytest.mark.nightly
def test_what_a_knob_changes_is_drawn_once_and_the_rest_stays(visit: Callable[..., Visitor]):
    me = visit(width=1400).open("fusion", corpus="devices", lang="en")
    me.page.wait_for_function(SAID)
    me.page.evaluate(DRAWN)
    lists = me.page.locator("section.list")
    same = lists.nth(0).locator(".card").nth(2)  # of one search, its rank in the fused list stays
    changed = lists.nth(1).locator(".card").nth(1)  # fused
    for card in (same, changed):
        card.evaluate("x => { x.old = 1 }")
    me.page.get_by_role("slider", name="Weight of BM25").press("ArrowRight")
    me.says("fusion.weight", "0.505")
    me.settle()
    assert me.page.evaluate("window.drawn") == []  # the arithmetic of the list that changed is in its card
    assert (same.evaluate("x => x.old"), changed.evaluate("x => x.old ?? 0")) == (1, 0)
    me.click(same, me.says, "doc", same.get_attribute("data-doc"))  # what stayed is at work


@pytest.mark.nightly
def test_only_a_long_run_fades_what_stands(visit: Callable[..., Visitor]):
    me = visit()
    stubbed = "const later = setTimeout; setTimeout = (f, ms) => ms === 500 ? ((window.late = f), 1) : later(f, ms)"
    faded = "e => { window.faded ||= e.target.matches('.stElementContainer') && e.propertyName === 'opacity' }"
    me.page.add_init_script(f"{stubbed}; addEventListener('transitionrun', {faded}, true)")
    me.open("fusion", lang="en").settle()  # what still runs of the start is another run
    me.page.evaluate("delete window.late; window.faded = false")
    me.page.get_by_role("slider", name="Weight of BM25").press("ArrowRight")
    me.says("fusion.weight", "0.505")
    me.settle()
    assert me.page.evaluate("!!window.late && !window.faded")
    stands = "document.querySelector('.stElementContainer:has(h1)')"
    me.page.evaluate(f"late(); {stands}.dataset.stale = true")
    me.page.wait_for_function(f"getComputedStyle({stands}).opacity === '0.33'")
    me.page.get_by_role("slider", name="Weight of BM25").press("ArrowRight")
    me.says("fusion.weight", "0.51")
    me.settle()
    assert me.page.evaluate("!document.body.classList.contains('lab-late')")
