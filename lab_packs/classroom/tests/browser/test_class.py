"""A class in real browsers: begun by one click, joined by its code, projected."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from browser.test_course import OPTION, SMALL, guess, slide
from browser.visitor import Visitor, expect

pytestmark = pytest.mark.browser


@pytest.mark.nightly
def test_a_rehearsed_class_is_begun_by_one_click_and_sees_the_result_when_it_is_shown(visit: Callable[..., Visitor]):
    teacher, pupil = visit(), visit(width=390)
    teacher.open("course", lang="en")
    guess(teacher, 0)
    expect(teacher.page.locator(".st-key-course-head")).to_contain_text("predicted correctly")
    teacher.open("", lang="en")
    teacher.click(
        teacher.page.get_by_role("button", name="Start a class"), teacher.page.wait_for_url, re.compile("course.class=")
    )
    teacher.settle()
    digits = teacher.page.locator(".join-code").inner_text()
    assert re.fullmatch(r"\d{3} \d{3}", digits), "the code is in sight"
    assert teacher.page.locator(".st-key-course-ask [data-testid='stAlert']").count() == 0
    pupil.open("course", lang="en")
    code = pupil.page.get_by_role("textbox", name="Join code")
    pupil.click(pupil.page.get_by_role("button", name="Class"), expect(code).to_be_visible)
    code.fill(digits)
    pupil.page.keyboard.press("Enter")
    pupil.page.wait_for_url(re.compile("course.class="))
    expect(pupil.page.locator("[data-testid=stPopoverBody]")).to_have_count(0)
    pupil.settle()
    assert pupil.overflow() <= 1
    expect(pupil.page.get_by_role("heading", name="You are in.")).to_be_visible()
    teacher.page.keyboard.press("Escape")
    teacher.page.get_by_role("button", name="Open the question").click()
    for option in (0, 1):
        pupil.click(
            pupil.page.locator(OPTION).nth(option),
            expect(pupil.page.locator(OPTION).nth(option)).to_have_attribute,
            "kind",
            "primary",
        )
    for me in (teacher, pupil):
        expect(me.page.locator(".st-key-course-class")).to_contain_text("Predictions in the class: 1 of 1")
        assert me.page.locator("ul.verdicts").count() == 0
        assert me.page.locator(".st-key-course-ask [data-testid='stAlert']").count() == 0
    show = teacher.page.get_by_role("button", name="Show the result")
    teacher.click(show, expect(teacher.page.locator("ul.verdicts").first).to_be_visible)
    for me in (teacher, pupil):
        expect(me.page.locator("ul.verdicts").first).to_be_visible()
        expect(me.page.locator(".st-key-course-class .bartext")).to_have_text(["0", "1", "0"])
    teacher.settle()
    teacher.click(
        teacher.page.get_by_role("button", name="Next step"),
        expect(pupil.page.get_by_role("heading", name=re.compile("^2 · "))).to_be_visible,
    )
    expect(pupil.page.locator(OPTION).first).to_be_visible()


@pytest.mark.nightly
def test_a_class_is_shown_on_the_projector_and_follows_its_keys(visit: Callable[..., Visitor]):
    teacher, pupil = visit().open("", lang="en"), visit(width=390)
    teacher.click(
        teacher.page.get_by_role("button", name="Start a class"), teacher.page.wait_for_url, re.compile("course.class=")
    )
    teacher.settle()
    digits = teacher.page.locator(".join-code").inner_text()
    pupil.open("course", lang="en", join=digits.replace(" ", ""))
    teacher.open("course", lang="en", **teacher.parameters(), **{"course.projector": "1"})
    corner, foot = teacher.page.locator(".st-key-course-corner"), teacher.page.locator(".st-key-course-foot")
    teacher.page.keyboard.press("ArrowRight")
    option = pupil.page.locator(OPTION).nth(1)
    pupil.click(option, expect(option).to_have_attribute, "kind", "primary")
    pupil.settle()
    expect(corner).to_contain_text(digits)
    expect(foot).to_contain_text("Predictions in the class: 1 of 1")
    expect(teacher.page.locator(".choices span")).to_have_text(["ABM25", "BVectors", "CNo difference"])
    slide(teacher)
    teacher.page.keyboard.press("ArrowRight")
    expect(foot.locator(".shares b")).to_have_text(["0", "1", "0"])
    expect(pupil.page.locator("ul.verdicts").first).to_be_visible()
    expect(pupil.page.locator(".numerals b")).to_have_text(["67", "1"])
    assert pupil.page.locator(".st-key-course-fold-lists").is_visible()
    teacher.click(corner.locator("button").first, expect(teacher.page.locator(".join-code")).to_have_text, digits)
    assert teacher.page.evaluate(SMALL) == []
