"""Two raters judge a pool with nothing but the keyboard; what they typed is what the files and the figures say."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from browser.visitor import Visitor, expect
from night import NIGHT

pytestmark = pytest.mark.browser

QUESTION = "how long does the battery of a watch last"
DEPTH, POOL = (18, 30) if NIGHT else (3, 5)
"""How many of each list are judged, and at least so many that are together."""


def named(who: Visitor, rater: str) -> None:
    """Type the name under which one judges."""
    field = who.page.get_by_role("textbox", name="Rater name")
    field.focus()
    who.page.keyboard.type(rater)
    who.page.keyboard.press("Enter")
    who.page.wait_for_function("r => new URLSearchParams(location.search).get('judge.rater') === r", arg=rater)
    who.settle()


def typed(who: Visitor, grades: dict[str, int] | None, rng: random.Random) -> dict[str, int]:
    """Judge the whole pool by key, as fast as it goes: by these grades, or by others; gives what was typed."""
    pool = who.page.locator(".judge")
    pool.focus()
    n, out = pool.locator(".step").count(), dict[str, int]()
    assert n >= POOL
    for i in range(n):
        doc = pool.get_attribute("data-doc")
        assert doc is not None
        assert doc not in out
        grade = rng.randrange(4)
        if grades is not None and rng.random() < 0.6:
            grade = grades[doc]
        if i == 3:  # a slip, and undone
            who.page.keyboard.press("0")
            who.page.keyboard.press("u")
            assert pool.get_attribute("data-doc") == doc
        who.page.keyboard.press(str(grade))
        out[doc] = grade
    expect(pool.locator(".progress")).to_have_text(f"{n} of {n} judged")
    return out


def saved(who: Visitor, rater: str) -> dict[str, int]:
    """What the file of a rater says."""
    files = who.page.get_by_test_id("stExpander").filter(has_text="Export and import grades")
    files.get_by_role("radio", name=rater).click()
    who.settle()
    lines = who.download(who.page.get_by_role("button", name="qrels (TREC)")).path().read_text("utf-8").splitlines()
    assert {line.split()[1] for line in lines} == {"0"}
    return {line.split()[2]: int(line.split()[3]) for line in lines}


@pytest.mark.nightly
def test_two_raters_judge_a_pool_by_keyboard_and_the_files_say_what_they_typed(visit: Callable[..., Visitor]) -> None:
    from sklearn.metrics import cohen_kappa_score

    rng = random.Random(7)
    who = visit().open("judge", lang="en", corpus="devices", q=QUESTION, v="2", **{"judge.k": str(DEPTH)})
    named(who, "ann")
    ann = typed(who, None, rng)
    who.page.reload()  # at once after the last key
    who.settle()
    assert who.page.get_by_role("textbox", name="Rater name").input_value() == "ann"
    expect(who.page.locator(".judge .progress")).to_have_text(f"{len(ann)} of {len(ann)} judged")
    who.page.get_by_role("textbox", name="Rater name").fill("")
    named(who, "bo")
    expect(who.page.locator(".judge .progress")).to_have_text(f"0 of {len(ann)} judged")
    bo = typed(who, ann, rng)
    assert bo.keys() == ann.keys()
    who.settle()
    kappa = cohen_kappa_score([ann[d] for d in ann], [bo[d] for d in ann], weights="quadratic")
    equal = sum(ann[d] == bo[d] for d in ann)
    told = f"Grades on which ann and bo agree: {equal} of {len(ann)}; kappa is {kappa:.2f}"
    expect(who.page.get_by_text(re.compile(re.escape(told)))).to_be_visible()
    who.page.get_by_text("Export and import grades").click()
    who.settle()
    assert saved(who, "ann") == ann
    assert saved(who, "bo") == bo
    # a card of another page shows the grade, and a key changes it
    who.go("compare")
    card = who.cards().first
    doc = str(card.get_attribute("data-doc"))
    for grade in (3, 0) if bo[doc] not in (0, 3) else (3 - bo[doc],):
        card.focus()
        who.page.keyboard.press(str(grade))
        expect(card.locator("xpath=..").locator('.grade[aria-pressed="true"]')).to_have_text(str(grade))
        bo[doc] = grade
    who.go("judge")
    expect(who.page.locator('.step[data-grade="0"]')).to_have_count(sum(grade == 0 for grade in bo.values()))


def next_is(who: Visitor, n: int) -> None:
    """Wait until n passages of the pool are graded."""
    expect(who.page.locator(".judge .progress")).to_have_text(re.compile(f"^{n} of "))


def test_the_keys_judge_wherever_the_focus_is_and_say_where_they_do_not(visit: Callable[..., Visitor]) -> None:
    who = visit().open("judge", lang="en", corpus="devices", q=QUESTION, **{"judge.k": "6"})
    pool, press = who.page.locator(".judge"), who.page.keyboard.press
    n = 0

    def grades(*keys: str) -> None:
        nonlocal n
        for key in keys:
            press(key)
            n += 1
            next_is(who, n)

    pool.locator(".text").click()  # to read, or to scroll
    grades("0", "1")
    press("Tab")  # to a button of the pool
    grades("2", "0")
    pool.get_by_role("button", name="Next").focus()
    grades("3")
    who.page.get_by_role("heading", name="Judge", exact=True).click()  # beside the pool
    grades("1")
    # what is sent at once after a click can end the run that the click began, before its click is heard: grades wait
    pool.evaluate("root => { clearTimeout(root.soon); root.soon = 0; }")
    guide = who.page.locator(".st-key-judge-guide button").element_handle()
    assert pool.evaluate("(root, guide) => { guide.click(); root.send(); return Boolean(root.soon); }", guide)
    close = who.page.locator(".st-key-judge-guide-close button")
    expect(close).to_be_visible()
    who.settle()
    grades("0")
    who.click(close, expect(close).to_have_count, 0)
    who.settle()
    fold = who.page.get_by_test_id("stExpander").filter(has_text="Export and import grades")
    who.click(fold.locator("summary"), expect(fold.get_by_role("button", name="qrels (TREC)")).to_be_visible)
    who.settle()
    grades("2")
    press("ArrowLeft")  # the focus is on the fold: an arrow is not the pool's
    expect(who.page.locator(".judge .progress")).to_have_text(re.compile(f"^{n} of "))
    # in a field a digit is text, and the pool says so
    rater = who.page.get_by_role("textbox", name="Rater name")
    keys = pool.locator(".keys")
    expect(keys).to_have_text("Keys: 0 to 3 judge, ← → move, U undoes")
    rater.focus()
    expect(keys).to_have_text("The keys do not work at the moment. Click here to judge with them.")
    press("3")
    expect(rater).to_have_value("3")
    next_is(who, n)
    press("Backspace")
    who.click(keys, expect(keys).to_have_text, "Keys: 0 to 3 judge, ← → move, U undoes")
    grades("1")
    # a list of choices has the keys as long as it is open
    who.click(
        who.picker("Corpus"),
        expect(keys).to_have_text,
        "The keys do not work at the moment. Click here to judge with them.",
    )
    press("2")
    next_is(who, n)
    press("Escape")
    who.page.reload()
    who.settle()
    next_is(who, n)
    grades("3")


@pytest.mark.nightly
@pytest.mark.parametrize(("width", "locale"), [(1024, "zh-CN")])
def test_an_undone_grade_and_a_hurried_hand_leave_what_was_pressed(
    visit: Callable[..., Visitor], width: int, locale: str
) -> None:
    who = visit(width=width, locale=locale).open("judge", corpus="handbook", q="病假工资怎么算")
    pool = who.page.locator(".judge")
    pool.locator(".text").click()
    typed, graded = "0123210", dict[str, str]()
    for key in typed:
        graded[str(pool.get_attribute("data-doc"))] = key
        who.page.keyboard.press(key)
        pool.locator(".heading").click()
    who.page.keyboard.press("u")
    graded.popitem()
    who.settle()
    who.page.reload()
    who.settle()
    marks = pool.locator(".step").evaluate_all("steps => steps.map(s => s.dataset.grade).filter(Boolean)")
    assert sorted(marks) == sorted(graded.values())


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("width", "locale", "dark"),
    [(390, "zh-CN", True), (1400, "en-US", False), (1024, "zh-CN", False), (1024, "en-US", True)],
)
def test_what_is_measured_and_judged_is_for_everybody_at_every_width(
    visit: Callable[..., Visitor], width: int, locale: str, dark: bool
) -> None:
    me = visit(locale=locale, width=width)
    me.page.emulate_media(color_scheme="dark" if dark else "light")
    few = {"corpus": "devices", "evaluate.searches": "bm25,hybrid", "evaluate.n": "12"}
    folds = {f"evaluate.fold.{name}": "1" for name in ("types", "files", "settings")}
    pages = {
        "compare": ("evaluate", few | folds),
        "sweep": ("evaluate", few | folds | {"evaluate.tab": "sweep", "evaluate.values.b": "0,0.5,1"}),
        "talk": ("evaluate", few | folds | {"evaluate.tab": "talk"}),
        "judge": ("judge", {"corpus": "devices", "judge.fold.files": "1"}),
    }
    found = {}
    for name in pages:
        page, params = pages[name]
        me.open(page, **params)
        found[name] = me.findings()
        assert me.overflow() <= 0, name
        if name == "compare":  # a click on a bar opens its question, with its two lists
            chosen = "location.search.includes('evaluate.question')"
            me.click(me.page.locator(".square").last, me.page.wait_for_function, chosen)
            me.settle()
    assert found == {name: [] for name in found}


@pytest.mark.nightly
def test_a_square_opens_its_question_and_the_arrows_go_from_one_to_the_next(visit: Callable[..., Visitor]) -> None:
    few = {"corpus": "devices", "evaluate.searches": "bm25,hybrid", "evaluate.n": "12"}
    me = visit().open("evaluate", lang="en", **few)
    squares, question = me.page.locator(".square"), me.page.locator(".st-key-evaluate-question input")
    expect(squares).to_have_count(12)

    def opens(square: Any) -> None:
        expect(square).to_have_attribute("aria-pressed", "true")
        expect(question).to_have_value(str(square.get_attribute("aria-label")))

    squares.last.click()
    opens(squares.last)
    me.settle()
    squares.last.press("ArrowLeft")
    before = squares.nth(10)
    expect(before).to_be_focused()
    expect(me.page.locator(".squares .told")).to_have_text(str(before.get_attribute("aria-label")))
    before.press("Enter")
    opens(before)
    me.settle()
    expect(before).to_be_focused()
    assert me.findings() == []
