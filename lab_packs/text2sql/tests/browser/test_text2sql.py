"""The Text2SQL page in a real browser: a conversation typed by hand, chips, rows, narrow windows, hostile tables."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable

import pytest
from browser.test_history import act
from browser.test_lessons import plays_to_its_result, wrong
from browser.visitor import Visitor, expect, unharmed

from lab_packs.text2sql import lessons

pytestmark = pytest.mark.browser


def say(me: Visitor, text: str) -> None:
    """Type a sentence and press Enter; wait for its answer."""
    field = me.page.get_by_test_id("stChatInputTextArea")
    field.fill(text)
    field.press("Enter")
    shown = text.replace("//", "//\u2060")  # a sign that nobody sees: no address becomes a link
    expect(me.page.get_by_test_id("stChatMessage").filter(has_text=shown).first).to_be_visible()
    me.settle()


def answers(me: Visitor) -> list[str]:
    """What was answered, without the questions, from the first turn to the last."""
    return [
        str(x)
        for x in me.page.get_by_test_id("stChatMessage")
        .filter(has=me.page.get_by_test_id("stExpander"))
        .all_inner_texts()
    ]


def chips(me: Visitor) -> list[str]:
    return [
        str(x).removesuffix("✕").strip() for x in me.page.locator(".st-key-text2sql-chips button").all_inner_texts()
    ]


def count(me: Visitor) -> int:
    """The number of rows that the page names above the table."""
    line = me.page.get_by_text(re.compile(r"^\d+ rows · [\d.]+ ms$"))
    expect(line).to_be_visible()
    return int(line.inner_text().split()[0])


@pytest.mark.nightly
def test_a_question_with_fewer_parts_causes_no_error_in_the_browser(visit: Callable[..., Visitor]):
    me, errors = visit(width=1100), list[str]()
    me.page.on("pageerror", lambda error: errors.append(str(error)))
    me.open("text2sql", **{"text2sql.db": "candidates"})
    for text in ("三年以上经验、期望薪资不超过2万、必须能远程的候选人", "有多少候选人", "杭州的候选人"):
        say(me, text)
        for width in (900, 1100):  # the lines are drawn again
            me.page.set_viewport_size({"width": width, "height": 1000})
            me.page.wait_for_timeout(150)
    assert errors == []


@pytest.mark.nightly
def test_three_turns_typed_by_hand_narrow_and_a_chip_taken_away_widens(visit: Callable[..., Visitor]):
    me = visit().open("text2sql", **{"text2sql.db": "candidates"})
    found = []
    for text in ("三年以上经验的候选人", "期望薪资不超过2万", "必须能远程"):
        say(me, text)
        found.append(count(me))
    assert found == [46, 13, 8]
    assert [re.search(r"共 (\d+) ?[个位]", a)[1] for a in answers(me)] == ["46", "13", "8"]  # type: ignore[index]
    assert chips(me) == ["工作年限 ≥ 3 年", "期望薪资 ≤ 20,000 元", "工作方式是远程"]
    sql = me.page.locator(".alignment .code").inner_text()
    assert re.findall(r":p\d", sql) == [":p1", ":p2", ":p3"], "three values, none of them in the text"
    assert "20000" not in sql
    table = me.page.locator(".st-key-text2sql-rows-box canvas").first
    expect(table).to_be_visible()

    me.click(
        me.page.locator(".st-key-text2sql-chips button").filter(has_text="期望薪资"),
        expect(me.page.locator(".st-key-text2sql-chips button")).to_have_count,
        2,
    )
    me.settle()
    wider = count(me)
    assert 8 < wider < 46
    assert "text2sql.said" in me.parameters()

    other = visit(locale="zh-CN").open(me.page.url)
    expect(other.page.get_by_text(re.compile(rf"^{wider} 行 · [\d.]+ 毫秒$"))).to_be_visible()
    assert chips(other) == ["工作年限 ≥ 3 年", "工作方式是远程"]


@pytest.mark.nightly
def test_five_turns_with_an_edit_by_click_and_a_word_that_lights_up_what_it_became(visit: Callable[..., Visitor]):
    me = visit(locale="zh-CN").open("text2sql", **{"text2sql.db": "candidates"})
    holds = ["技能含Python"]
    say(me, "会 Python 的候选人")
    assert chips(me) == holds
    say(me, "会弹钢琴的")
    expect(me.page.locator(".alignment .unknown")).to_have_text("弹钢琴")
    assert chips(me) == holds, "what is not understood changes nothing"
    say(me, "期望薪资不超过2万5")  # of the pianists, or of those that stand?
    me.click(
        me.page.get_by_test_id("stChatMessage").get_by_role("button", name="期望薪资 ≤ 25,000 元"),
        expect(me.page.locator(".st-key-text2sql-chips button")).to_have_count,
        2,
    )
    me.settle()
    holds += ["期望薪资 ≤ 25,000 元", "工作方式是远程", "按期望薪资从高到低", "前 3 个"]
    say(me, "必须能远程")
    assert chips(me) == holds[:3]
    say(me, "按期望薪资从高到低，只看前三名")
    assert chips(me) == holds
    expect(me.page.get_by_text(re.compile(r"^3 行"))).to_be_visible()
    me.click(
        me.page.locator(".st-key-text2sql-chips button").filter(has_text="工作方式"),
        expect(me.page.locator(".st-key-text2sql-chips button")).to_have_count,
        4,
    )
    me.settle()
    assert me.page.locator(".alignment .word").count() == 0, "an edit by hand has no words"

    say(me, "在上海的")
    word = me.page.locator(".alignment .word").filter(has_text="上海")
    me.click(word, expect(word).to_have_attribute, "aria-pressed", "true")
    lit = me.page.locator(".alignment .sql.on")
    expect(lit).to_have_count(1)
    expect(lit).to_contain_text("city")
    expect(me.page.locator(".alignment .part.on")).to_contain_text("城市是上海")
    expect(me.page.locator(".alignment path.on")).to_have_count(2)
    word.press("Escape")
    expect(lit).to_have_count(0)


@pytest.mark.nightly
def test_a_question_back_is_answered_by_its_button(visit: Callable[..., Visitor]):
    me = visit().open("text2sql", **{"text2sql.db": "shop"})
    say(me, "sports products")
    say(me, "over 30")
    expect(me.page.get_by_text("A clarification is needed")).to_be_visible()
    me.click(
        me.page.get_by_test_id("stChatMessage").get_by_role("button", name="stock > 30"),
        expect(me.page.get_by_text("A clarification is needed")).to_have_count,
        0,
    )
    me.settle()
    assert count(me) == 2
    assert chips(me) == ["category is sports", "stock > 30"]


@pytest.mark.nightly
def test_a_word_is_taught_by_the_keyboard_and_the_question_is_answered(visit: Callable[..., Visitor]):
    me = visit().open("text2sql", **{"text2sql.db": "shop"})
    say(me, "how many gizmos per category")
    expect(me.page.get_by_text("Not understood, so no query was run: gizmos")).to_be_visible()
    assert me.findings() == []
    meaning = me.page.get_by_role("combobox", name="“gizmos” means …")
    meaning.fill("the rows: products")
    meaning.press("Enter")
    expect(me.page.get_by_text("now means")).to_be_visible()
    me.settle()
    assert count(me) == 5
    assert me.page.get_by_role("combobox", name="“gizmos” means …").count() == 0
    assert me.parameters()["text2sql.said"].startswith("≔gizmos→products→")


@pytest.mark.nightly
def test_in_a_narrow_window_the_state_stands_below_the_chat(visit: Callable[..., Visitor]):
    me = visit(width=700).open("text2sql", **{"text2sql.lesson": "three-turns"})
    chat, state = (
        me.page.locator(".st-key-text2sql-chat").bounding_box(),
        me.page.locator(".st-key-text2sql-chips").bounding_box(),
    )
    assert chat
    assert state
    assert state["y"] > chat["y"] + chat["height"]
    assert abs(state["width"] - chat["width"]) < 40
    assert count(me) == 46  # of the first turn: a link to a lesson begins it


MARKUP = [
    "<b data-hostile>hostile</b><script>window.__pwned = 1</script>",
    "**hostile** `hostile`",
    "[hostile](javascript:window.__pwned=1)",
    "![hostile](/hostile)",
    r"$\Omega\Omega$ :red[hostile]",
    "https://hostile.example/page",
    "<img src=/hostile onerror=window.__pwned=1>",
]


@pytest.mark.nightly
def test_tables_whose_names_and_values_are_markup_are_shown_as_they_are(visit: Callable[..., Visitor]):
    out = io.StringIO()
    csv.writer(out).writerows([[*MARKUP, "size"], *([*(f"{m} {i}" for m in MARKUP), i] for i in range(4))])
    me = visit().open("text2sql")
    me.page.get_by_role("button", name="Upload").click()
    me.upload({"<b data-hostile>hostile **hostile**.csv": out.getvalue().encode()})
    expect(me.page.get_by_text(re.compile(r"^\d+ rows? ·")).first).to_be_visible()  # the answer of an example
    me.settle()
    unharmed(me)
    for text in (
        "how many rows?",
        f"{MARKUP[1]} is {MARKUP[1]} 2",
        "average size per " + MARKUP[0],
        "number of rows per " + MARKUP[5],
        MARKUP[5],
        MARKUP[2],
    ):
        say(me, text[:60])
        unharmed(me)
    for expander in me.page.get_by_test_id("stExpander").all():
        expander.locator("summary").click()
    me.settle()
    unharmed(me)
    me.click(
        me.page.get_by_role("button", name="Schema"),
        expect(me.page.get_by_role("button", name="Use these names")).to_be_visible,
    )
    unharmed(me)


@pytest.mark.nightly
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_picture_of_a_question_has_no_barrier_and_is_never_wider_than_the_window(
    scheme: str, language: str, visit: Callable[..., Visitor]
):
    me = visit()
    me.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    said = "orders since March\nonly those in Berlin" if language == "en" else "三年以上经验的候选人\n会弹钢琴的"
    link = {"text2sql.db": "shop" if language == "en" else "candidates", "text2sql.said": said}
    me.open("text2sql", lang=language, **link, **{"text2sql.fold.readings": "1"})
    expect(me.page.locator(".alignment")).to_be_visible()
    for width in (1400, 1024, 390):
        me.page.set_viewport_size({"width": width, "height": 900})
        assert me.overflow() <= 1
        assert me.findings() == []


@pytest.mark.nightly
def test_back_takes_back_what_was_said_to_a_table_turn_by_turn_and_a_chip_that_was_taken_away(
    visit: Callable[..., Visitor],
):
    me = visit()
    me.page.goto("about:blank")
    me.open("text2sql", **{"text2sql.db": "candidates"})

    def stands(*wanted: str) -> None:
        expect(me.page.locator(".st-key-text2sql-chips button")).to_have_count(len(wanted))
        for i, chip in enumerate(wanted):
            expect(me.page.locator(".st-key-text2sql-chips button").nth(i)).to_contain_text(chip)
        me.settle()

    years, pay, remote = "工作年限 ≥ 3 年", "期望薪资 ≤ 20,000 元", "工作方式是远程"
    for text in ("三年以上经验的候选人", "期望薪资不超过2万", "必须能远程"):
        act(me)
        say(me, text)
    stands(years, pay, remote)
    act(me)
    me.page.locator(".st-key-text2sql-chips button").filter(has_text="期望薪资").click()
    stands(years, remote)

    me.page.go_back()
    stands(years, pay, remote)
    me.page.go_back()
    stands(years, pay)
    me.page.go_forward()
    stands(years, pay, remote)
    me.page.go_back()
    me.page.go_back()
    stands(years)
    act(me)
    say(me, "必须能远程")  # and it goes on from there
    stands(years, remote)
    me.page.go_back()
    stands(years)
    me.page.go_back()
    stands()
    me.page.go_back()
    assert me.page.url == "about:blank"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.nightly
def test_every_turn_of_every_conversation_with_a_database_holds_and_is_in_sight(
    language: str, visit: Callable[..., Visitor]
):
    me, found = visit(), []
    for lesson in lessons.read():
        me.open("text2sql", lang=language)
        found += wrong(me, "text2sql", lesson, language)
    assert not found, "\n".join(found)


@pytest.mark.nightly
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_sample_of_the_lessons_is_played_from_its_first_turn_to_its_result(
    language: str, visit: Callable[..., Visitor]
):
    lesson = next(x for x in lessons.read() if x.database == {"en": "applicants", "zh": "candidates"}[language])
    plays_to_its_result(visit().open("text2sql", lang=language), "text2sql", lesson, language)
