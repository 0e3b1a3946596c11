"""A language model that takes its time: what the rules have is there meanwhile, and nothing is asked twice."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

import pytest
from browser.test_answer import QUESTION, sentences
from browser.visitor import LIMIT, ROOT, Visitor, expect, serving
from models.server import Server

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def model() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture(scope="module")
def url(model: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A lab whose owner has set up a model, started by plain `streamlit run`."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"BASE_URL": model.url, "KEY": "", "MODEL": "slow-model"}.items():
            patch.setenv(f"LAB_LLM_{name}", value)
        with serving(tmp_path_factory.mktemp("slow_model"), str(ROOT / "app.py")) as address:
            yield address


@pytest.mark.nightly
def test_the_rules_results_stand_before_the_model_has_said_a_word(
    arrive: Callable[..., Visitor], url: str, model: Server
):
    model.answer = "reset a router"
    model.then(*["holds"] * 4).release.clear()  # whichever of the four comes first
    model.requests.clear()
    me = arrive(url).open("rewrite", corpus="devices", q="wifi drops", **{"rewrite.techniques": "multiquery,hyde"})
    expect(me.heading).to_have_text("Rewrite")  # a server that has just begun knows every page by its address
    assert me.page.get_by_role("dialog").count() == 0
    page, tabs = me.page, me.page.get_by_test_id("stMain").get_by_role("tab")
    stop = page.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True)
    assert not model.requests
    me.click(page.get_by_role("button", name="Ask the model"), expect(stop).to_be_visible)
    expect(tabs).to_have_text([re.compile("^Multi-query · rule"), re.compile("documents · rule$")])
    expect(me.cards(0).first).to_be_visible()  # the rules found the same list, which is drawn once
    end = time.monotonic() + LIMIT / 1000
    while len(model.requests) < 1 + 3:  # all techniques are asked at once
        assert time.monotonic() < end, f"{len(model.requests)} requests"
        page.wait_for_timeout(100)

    doc = str(me.cards(0).nth(2).get_attribute("data-doc"))
    me.click(me.cards(0).nth(2), me.says, "doc", doc)  # the page answers meanwhile
    expect(stop).to_be_visible()
    assert me.selected() == {doc}
    assert len(model.requests) == 4, "what is with the model is not asked again"

    me.click(stop, expect(page.get_by_text("Stopped.")).to_be_visible)
    expect(tabs).to_have_count(2)
    me.settle()
    me.click(page.get_by_role("button", name="Continue"), expect(stop).to_be_visible)
    model.release.set()
    expect(tabs).to_have_count(4)
    expect(tabs.nth(1)).to_have_text("Multi-query · slow-model")
    me.settle()
    assert len(model.requests) == 4
    expect(stop).to_have_count(0)


@pytest.mark.nightly
def test_a_model_writes_as_it_comes_is_stopped_and_what_had_come_is_kept(
    arrive: Callable[..., Visitor], url: str, model: Server
):
    model.requests.clear()
    model.answer = "护理假期间工资照发。\n公司在月球上设有办事处。\n"
    model.then("endless")
    me = arrive(url).open("answer", corpus="handbook", lang="en", q=QUESTION)
    expect(sentences(me).first).to_be_visible()
    me.settle()
    assert not model.requests, "nobody is asked without a click"
    main = me.page.get_by_test_id("stMain")
    me.click(
        main.get_by_role("button", name=re.compile("Answer with slow-model")),
        expect(main.get_by_text("The language model is writing")).to_be_visible,
    )
    expect(main.get_by_text("护理假期间工资照发。").last).to_be_visible()
    expect(sentences(me).first).to_be_visible()  # those of the passages stand meanwhile
    me.click(
        main.get_by_role("button", name="Stop", exact=True),
        expect(me.page.locator(".answers .answer")).to_have_count,
        2,
    )
    expect(me.page.locator(".answers .banner")).to_contain_text("The answer is incomplete")
    assert len(model.requests) == 1
    # asked again it is whole, and each of its sentences is looked at
    model.then("answer")
    me.settle()
    me.click(
        main.get_by_role("button", name=re.compile("Ask slow-model again")),
        expect(me.page.locator(".answers .banner")).to_have_count,
        0,
    )
    expect(sentences(me).last).to_have_text("公司在月球上设有办事处。")
    expect(me.page.locator(".answers .lone")).to_have_text("no source")
    assert len(model.requests) == 2


@pytest.mark.parametrize(
    ("page", "link"),
    [("filter", {"chain": "languagemodeljudge", "depth": "3"}), ("compress", {"by": "modelextractor", "n": "3"})],
)
@pytest.mark.nightly
def test_passages_stand_while_the_model_reads_them(
    page: str, link: dict[str, str], arrive: Callable[..., Visitor], url: str, model: Server
):
    model.then("holds").release.clear()
    model.requests.clear()
    model.answer = '{"relevant": false, "reason": "off topic", "extracts": []}'
    knobs = {f"{page}.{name}": value for name, value in link.items()}
    me = arrive(url).open(page, corpus="devices", q="battery", **knobs)
    main = me.page.get_by_test_id("stMain")
    shown = me.cards() if page == "filter" else me.page.locator(".st-key-compress-1, .st-key-compress-2")
    me.click(
        me.page.get_by_role("button", name="Ask the model"),
        expect(main.get_by_role("button", name="Stop", exact=True)).to_be_visible,
    )
    expect(shown.first).to_be_visible()
    model.release.set()
    expect(main.get_by_role("button", name="Stop", exact=True)).to_have_count(0)
    me.settle()
    assert "off topic" in me.text() or "found no relevant sentence" in me.text()
    assert len(model.requests) == 3, "one request per passage"
