"""A conversation on its page: asked, edited, a turn removed, reloaded, opened by its link in another browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from browser.visitor import Visitor, expect

pytestmark = pytest.mark.browser

ASKED = ["How loud is the RV-450W?", "What about the printer?", "and at night?"]


def turns(me: Visitor) -> Any:
    """The boxes of the turns."""
    return me.page.locator('[class*="st-key-dialogue-turn-"]')


def shown(me: Visitor) -> list[list[str]]:
    """The documents of every list of the turn that is looked at."""
    lists = me.page.locator(".st-key-dialogue-cards section.list")
    return [
        [str(x) for x in lists.nth(i).locator(".card").evaluate_all("cards => cards.map(c => c.dataset.doc)")]
        for i in range(lists.count())
    ]


def say(me: Visitor, text: str, nth: int) -> None:
    field = me.page.get_by_test_id("stChatInputTextArea")
    field.fill(text)
    field.press("Enter")
    expect(turns(me)).to_have_count(nth)
    expect(turns(me).nth(nth - 1)).to_contain_text(text)
    me.settle()


@pytest.mark.nightly
def test_a_conversation_is_asked_edited_shortened_and_is_the_same_after_a_reload_and_by_its_link(
    visit: Callable[..., Visitor],
):
    me = visit().open("dialogue", corpus="devices", lang="en")
    me.click(me.page.get_by_role("button", name="Clear"), expect(turns(me)).to_have_count, 0)
    me.settle()
    for n, text in enumerate(ASKED, 1):
        say(me, text, n)
    expect(turns(me).nth(2)).to_contain_text("printer 0.7")
    whole = shown(me)
    # the second turn is edited: the third follows
    field = me.page.get_by_role("textbox", name="Text of this turn")
    me.click(turns(me).nth(1).get_by_role("button", name="Edit"), expect(field).to_be_visible)
    field.fill("Does the lock beep?")
    field.press("Control+Enter")
    expect(turns(me).nth(2)).to_contain_text("lock 0.7")
    me.page.keyboard.press("Escape")
    me.settle()
    turns(me).nth(2).get_by_role("button", name=ASKED[2]).click()
    me.settle()
    assert shown(me) != whole
    # the third is removed: the second is the last
    remove = me.page.get_by_role("button", name="Remove this turn")
    me.click(turns(me).nth(2).get_by_role("button", name="Edit"), expect(remove).to_be_visible)
    me.click(remove, expect(turns(me)).to_have_count, 2)
    me.settle()
    now = shown(me)
    link = me.copied()
    other = visit(locale="zh-CN")
    me.page.reload()
    me.settle()
    expect(turns(me)).to_have_count(2)
    assert shown(me) == now
    other.open("dialogue", corpus="devices")
    assert "Does the lock beep?" not in other.text(), "nobody sees another's conversation"
    other.open(link)
    expect(turns(other)).to_have_count(2)
    assert shown(other) == now
