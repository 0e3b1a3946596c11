"""An experiment in a real browser: questions, knobs, cards, lessons, charts, and the link that is all of it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from browser.visitor import Visitor, expect
from night import NIGHT

from lab import lessons
from lab.corpus import samples

pytestmark = pytest.mark.browser


@pytest.mark.nightly
def test_a_copied_link_is_the_experiment_in_another_browser_and_language(visit: Callable[..., Visitor]):
    me = visit(locale="en-US").open("compare")
    me.ask("battery empty in the morning")
    button = me.page.get_by_role("button", name="Search", exact=True)
    expect(button).to_have_css("background-color", "rgb(51, 65, 85)")  # #334155, the theme's primary colour
    b = me.slider("BM25 · b")
    b.press("Home")
    me.says("compare.bm25.b", "0")
    me.settle()
    card = me.cards(1).nth(2)
    doc, title = card.get_attribute("data-doc"), card.locator(".title").inner_text()
    me.click(card, me.says, "doc", doc)
    me.settle()
    assert me.selected() == {doc}
    expect(me.why).to_contain_text(title[:20])
    link = me.copied()
    assert link == me.page.url

    other = visit(locale="zh-CN").open(link)
    expect(other.heading).not_to_have_text("Compare")  # their browser speaks Chinese
    expect(other.field).to_have_value("battery empty in the morning")
    expect(other.page.get_by_role("slider").nth(1)).to_have_value("0")
    expect(other.picker(re.compile("语料"))).to_have_value(re.compile(str(len(samples.load("staff").corpus))))
    assert other.selected() == {doc}
    assert other.tops() == me.tops()
    assert other.parameters() == me.parameters()


@pytest.mark.nightly
def test_a_question_goes_along_and_one_of_before_or_of_the_corpus_is_asked_by_a_click(visit: Callable[..., Visitor]):
    me = visit(width=390).open("compare", corpus="devices", lang="en")
    me.ask("battery empty in the morning")
    me.ask("battery empty at noon")
    me.settle()
    suggestions = me.page.get_by_role("combobox", name="Suggestions")
    judged = samples.load("devices").queries[0].text
    me.click(suggestions, expect(me.page.get_by_role("option", name=judged)).to_be_visible)
    me.click(
        me.page.get_by_role("option", name="battery empty in the morning"), me.says, "q", "battery empty in the morning"
    )
    expect(me.field).to_have_value("battery empty in the morning")
    me.settle()
    me.open("fusion?" + me.page.url.partition("?")[2])
    expect(me.field).to_have_value("battery empty in the morning")
    option = me.page.get_by_role("option", name="battery empty at noon")
    me.click(suggestions, expect(option).to_be_visible)  # a reload forgets nothing of the visit
    me.click(option, me.says, "q", "battery empty at noon")


@pytest.mark.nightly
def test_a_lesson_sets_corpus_and_question_and_says_what_to_see_until_the_visitor_goes_on(
    visit: Callable[..., Visitor],
):
    lesson = next(x for x in lessons.read(samples.folder("handbook")) if x.page == "compare" and x.select)
    me = visit().open("compare", corpus="devices")
    me.play(lesson.title["en"])
    expect(me.field).to_have_value(lesson.query)
    expect(me.picker("Corpus")).to_have_value(re.compile("Staff handbook"))
    claim = me.page.locator(".st-key-claim-compare")
    expect(claim).to_contain_text(lesson.claim["en"].split("“")[0].strip()[:40])
    me.says("compare.lesson", f"handbook/{lesson.id}")
    me.settle()
    assert me.selected() == {lesson.select}

    me.ask("something else entirely")
    expect(claim).to_have_count(0)
    me.says("compare.lesson", None)
    expect(me.picker("Corpus")).to_have_value(re.compile("Staff handbook"))


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
