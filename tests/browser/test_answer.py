"""An answer on its page: its sources opened by a click and by key, and kept by the link."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from browser.visitor import Visitor, expect
from night import NIGHT

pytestmark = pytest.mark.browser

QUESTION = "护理假多少天，生育津贴由谁支付"
OWN = "护理假期间工资照发。护理假是 20 天。公司在月球上设有办事处。"


def sentences(me: Visitor) -> Any:
    return me.page.locator(".answers .said")


def marked(me: Visitor) -> Any:
    """What is marked in the passage that is open."""
    return me.page.locator(".st-key-answer-passage .here")


@pytest.mark.nightly
def test_a_click_and_a_key_open_the_passage_at_the_sentence_and_the_link_holds_it(visit: Callable[..., Visitor]):
    me = visit().open("answer", corpus="handbook", lang="en", q=QUESTION, **{"answer.text": OWN})
    expect(sentences(me).first).to_be_visible()
    me.settle()
    texts = [str(x) for x in sentences(me).all_text_contents()]
    plain = [x.removeprefix("best") for x in texts[:-3]]
    assert texts[-3:] == ["护理假期间工资照发。", "护理假是 20 天。", "公司在月球上设有办事处。"]
    for i, text in enumerate(plain):
        me.click(sentences(me).nth(i), expect(marked(me)).to_have_text, text)
        me.says("answer.at", f"a/{i}")
    # by keyboard
    sentences(me).nth(len(plain)).focus()
    me.page.keyboard.press("Enter")
    expect(marked(me)).to_have_text("护理假期间工资照发。")
    me.says("answer.at", "t/0")
    expect(sentences(me).nth(len(plain))).to_be_focused()  # and not the cell of the strip
    expect(me.page.locator(".answers mark.flag")).to_have_text("20 天")
    expect(me.page.locator(".answers .lone")).to_have_text("no source")
    if NIGHT:  # in the suite a copied link is opened in test_experiment.py
        me.settle()
        other = visit(locale="zh-CN").open(me.copied())
        expect(marked(other)).to_have_text("护理假期间工资照发。")
        assert [str(x).removeprefix("最佳").removeprefix("best") for x in sentences(other).all_text_contents()] == [
            *plain,
            *texts[-3:],
        ]


@pytest.mark.nightly
@pytest.mark.parametrize(("width", "dark", "lang"), [(390, True, "zh"), (1024, False, "en"), (1400, True, "en")])
def test_the_page_fits_and_can_be_read_by_everybody(visit: Callable[..., Visitor], width: int, dark: bool, lang: str):
    me = visit(width=width)
    me.page.emulate_media(color_scheme="dark" if dark else "light")
    me.open("answer", corpus="handbook", lang=lang, q=QUESTION, **{"answer.text": OWN, "answer.again": "1"})
    expect(sentences(me).first).to_be_visible()
    me.settle()
    assert me.overflow() <= 1
    assert me.findings() == []
