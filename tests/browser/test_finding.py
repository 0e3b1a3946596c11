"""The field that finds, in the sidebar: by keyboard, by mouse, and on a phone."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from browser.visitor import Visitor, expect
from night import NIGHT

pytestmark = pytest.mark.browser


def test_a_name_leads_to_its_page_and_to_a_lesson_from_the_keyboard(visit: Callable[..., Visitor]) -> None:
    me = visit().open("compare", lang="en", corpus="staff")
    panel, field = me.page.locator(".find-panel"), me.page.locator(".find-panel input")
    me.page.keyboard.press("/")
    expect(field).to_be_focused()
    field.press("Escape")
    me.field.press("/")
    expect(me.field).to_have_value(re.compile("/"))
    expect(panel).to_be_hidden()
    me.field.press("Control+k")
    expect(field).to_be_focused()
    field.press_sequentially("ensamble")
    expect(panel.locator(".find-row").first).to_contain_text("EnsembleRetriever")
    expect(panel).to_contain_text("LangChain · similar name")
    me.page.keyboard.press("ArrowDown")
    expect(panel.locator(".find-row").first).to_be_focused()
    me.page.keyboard.press("Enter")
    me.page.wait_for_url("**/fusion?*")
    me.settle()
    me.page.keyboard.press("Control+k")
    field.fill("Ranks 1 and 2 in swapped order")
    lesson = panel.locator(".find-row").filter(has_text="Ranks 1 and 2 in swapped order").first
    link = str(lesson.get_attribute("href"))
    lesson.click()
    claim = me.page.locator('[class*="st-key-claim-"]')
    expect(claim).to_contain_text("Ranks 1 and 2 in swapped order")
    me.page.keyboard.press("Control+k")
    field.press("Escape")
    expect(panel).to_be_hidden()
    if NIGHT:  # in the suite tests/ui/test_lesson_pages.py opens a lesson by its link
        other = visit().open(me.url + link.removeprefix("./"))
        expect(other.page.locator('[class*="st-key-claim-"]')).to_contain_text("Ranks 1 and 2 in swapped order")


@pytest.mark.nightly
def test_on_a_phone_the_field_is_in_the_menu_and_a_result_closes_it(visit: Callable[..., Visitor]) -> None:
    me = visit(width=390, locale="zh-CN").open("course", lang="zh")
    me.page.get_by_test_id("stExpandSidebarButton").click()
    me.page.locator(".find-button").click()
    me.page.locator(".find-panel input").fill("假设文挡")
    first = me.page.locator(".find-row").first
    expect(first).to_contain_text("假设文档")
    box = first.bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    first.click()
    me.page.wait_for_url("**/rewrite?*")
    me.settle()
    expect(me.page.get_by_test_id("stExpandSidebarButton")).to_be_visible()
    me.open("course", lang="zh").page.keyboard.press("/")
    expect(me.page.locator(".find-panel")).to_be_visible()
