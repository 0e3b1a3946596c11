"""An answer on its page: its sources opened by a click and by key, written by a model as it comes, stopped, kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from browser.visitor import ROOT, Visitor, expect, serving
from models.server import Server
from night import spread

pytestmark = pytest.mark.browser

QUESTION = "护理假多少天，生育津贴由谁支付"
OWN = "护理假期间工资照发。护理假是 20 天。公司在月球上设有办事处。"


@pytest.fixture(scope="module")
def model() -> Iterator[Server]:
    with Server("护理假期间工资照发。\n公司在月球上设有办事处。\n") as running:
        yield running


@pytest.fixture(scope="module")
def url(model: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A lab whose owner has set up a model."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"BASE_URL": model.url, "KEY": "", "MODEL": "writer"}.items():
            patch.setenv(f"LAB_LLM_{name}", value)
        with serving(tmp_path_factory.mktemp("answer"), str(ROOT / "app.py")) as address:
            yield address


def sentences(me: Visitor) -> Any:
    return me.page.locator(".answers .said")


def marked(me: Visitor) -> Any:
    """What is marked in the passage that is open."""
    return me.page.locator(".st-key-answer-passage .here")


def test_a_click_and_a_key_open_the_passage_at_the_sentence_and_the_link_holds_it(visit: Callable[..., Visitor]):
    me = visit().open("answer", corpus="handbook", lang="en", q=QUESTION, **{"answer.text": OWN})
    expect(sentences(me).first).to_be_visible()
    me.settle()
    texts = [str(x) for x in sentences(me).all_text_contents()]
    plain = [x.removeprefix("best") for x in texts[:-3]]
    assert texts[-3:] == ["护理假期间工资照发。", "护理假是 20 天。", "公司在月球上设有办事处。"]
    for i, text in enumerate(plain):
        sentences(me).nth(i).click()
        expect(marked(me)).to_have_text(text)
        me.says("answer.at", f"a/{i}")
    # by keyboard
    sentences(me).nth(len(plain)).focus()
    me.page.keyboard.press("Enter")
    expect(marked(me)).to_have_text("护理假期间工资照发。")
    me.says("answer.at", "t/0")
    expect(me.page.locator(".answers mark.flag")).to_have_text("20 天")
    expect(me.page.locator(".answers .lone")).to_have_text("no source")
    me.settle()
    link = me.copied()
    other = visit(locale="zh-CN").open(link)
    expect(marked(other)).to_have_text("护理假期间工资照发。")
    assert [str(x).removeprefix("最佳").removeprefix("best") for x in sentences(other).all_text_contents()] == [
        *plain,
        *texts[-3:],
    ]


def test_a_model_writes_as_it_comes_is_stopped_and_what_had_come_is_kept(
    arrive: Callable[..., Visitor], url: str, model: Server
):
    model.requests.clear()
    model.then("endless")
    me = arrive(url).open("answer", corpus="handbook", lang="en", q=QUESTION)
    expect(sentences(me).first).to_be_visible()
    me.settle()
    assert not model.requests, "nobody is asked without a click"
    main = me.page.get_by_test_id("stMain")
    main.get_by_role("button", name=re.compile("Answer with writer")).click()
    expect(main.get_by_text("The language model writes")).to_be_visible()
    expect(main.get_by_text("护理假期间工资照发。").last).to_be_visible()
    expect(sentences(me).first).to_be_visible()  # those of the passages stand meanwhile
    main.get_by_role("button", name="Stop", exact=True).click()
    expect(me.page.locator(".answers .answer")).to_have_count(2)
    expect(me.page.locator(".answers .banner")).to_contain_text("This is not the whole answer")
    assert len(model.requests) == 1
    # asked again it is whole, and each of its sentences is looked at
    model.then("answer")
    me.settle()
    main.get_by_role("button", name=re.compile("Ask writer again")).click()
    expect(me.page.locator(".answers .banner")).to_have_count(0)
    expect(sentences(me).last).to_have_text("公司在月球上设有办事处。")
    expect(me.page.locator(".answers .lone")).to_have_text("no source")
    assert len(model.requests) == 2


@pytest.mark.parametrize(
    ("width", "dark", "lang"), spread([(390, True, "zh"), (1024, False, "en"), (1400, True, "en")], 1)
)
def test_the_page_fits_and_can_be_read_by_everybody(visit: Callable[..., Visitor], width: int, dark: bool, lang: str):
    me = visit(width=width)
    me.page.emulate_media(color_scheme="dark" if dark else "light")
    me.open("answer", corpus="handbook", lang=lang, q=QUESTION, **{"answer.text": OWN, "answer.again": "1"})
    expect(sentences(me).first).to_be_visible()
    me.settle()
    assert me.overflow() <= 1
    assert me.findings() == []
