"""A pipeline built with the mouse and taken home in three ways; the page for everybody, at every width."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from browser.visitor import Visitor, api, expect
from night import NIGHT

from lab import cli, formats
from lab.corpus import samples
from lab.refine.learned import Learned, Weights
from lab.retrieve.lexical import BM25

pytestmark = pytest.mark.browser

ASKED = "battery empty in the morning"
WANTED = "RRF()(BM25(), Vector() >> ScoreThreshold()) >> MMR(lambda_mult=0.7)"


def part(me: Visitor, at: str) -> api.Locator:
    """A step, or a place for one, in the picture."""
    return me.page.locator(f'.flow button[data-at="{at}"]')


def press(me: Visitor, name: str) -> None:
    """A button of the selected step."""
    me.page.locator(".st-key-pipeline-part").get_by_role("button", name=name, exact=True).click()
    me.settle()


def ids(me: Visitor, title: str) -> list[str]:
    """The documents of the list with this title, as they stand at the end of the page."""
    cards = me.page.locator(f'.st-key-pipeline-cards section.list[aria-label="{title}"] .card')
    return [str(x) for x in cards.evaluate_all("cards => cards.map(c => c.dataset.doc)")]


def title_of(me: Visitor) -> str:
    """What the second pipeline is called."""
    return str(me.page.locator(".flow section").nth(1).get_attribute("aria-label"))


def told(run: Callable[[], object]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        run()
    return out.getvalue()


@pytest.mark.nightly
def test_a_pipeline_built_by_clicks_gives_the_same_list_as_a_file_a_program_and_a_link(
    visit: Callable[..., Visitor], tmp_path: Path
):
    me = visit().open("pipeline", corpus="devices", q=ASKED)
    part(me, "b/refine.+0").click()
    me.settle()
    press(me, "MMR")
    expect(part(me, "b/refine.0")).to_contain_text("10 results")
    slider = me.slider("λ")
    for _n in range(4):
        slider.press("ArrowRight")
    me.says("pipeline.b", formats.to_link(formats.parse("RRF()(BM25(), Vector()) >> MMR(lambda_mult=0.7)")))
    me.settle()
    part(me, "b/retrieve.1").focus()
    me.page.keyboard.press("Enter")
    me.settle()
    expect(part(me, "b/retrieve.1")).to_be_focused()
    press(me, "Own steps")
    press(me, "Score threshold")
    part(me, "b/refine.+1").click()
    me.settle()
    press(me, "Top")
    press(me, "Up")
    press(me, "Off")
    expect(part(me, "b/refine.0")).to_contain_text("off")
    title = title_of(me)
    shown = ids(me, title)
    assert len(shown) == 8

    code = me.page.locator('[data-testid="stPopoverBody"] [data-testid="stCode"]')
    me.click(
        me.page.get_by_role("button", name="Export"), expect(code).to_have_count, 5
    )  # the program, and of each search its file and its lines for LangChain
    me.settle()
    program, first, toml, *_retrievers = code.all_inner_texts()
    assert formats.expression(formats.from_toml(toml)) == WANTED
    assert first != toml
    file = tmp_path / "mine.toml"
    file.write_text(toml, "utf-8")
    line = ["search", ASKED, "--corpus", "devices", "--pipeline", str(file), "-k", "8", "--json"]
    assert [hit["id"] for hit in json.loads(told(lambda: cli.main(line)))["hits"]] == shown
    rows = told(lambda: exec(compile(program, "exported", "exec"), {})).partition(f"{title}\n")[2].splitlines()
    assert [row.split()[1] for row in rows[1:9]] == shown
    me.page.keyboard.press("Escape")

    if NIGHT:  # by day the link is that of tests/ui/test_pipeline_page.py
        other = visit(locale="zh-CN").open(me.copied())
        assert ids(other, title_of(other)) == shown, "its stages are called in the visitor's language"
        expect(part(other, "b/refine.0")).to_have_class("part off on")


@pytest.mark.nightly
def test_a_file_is_added_as_a_pipeline_and_those_that_are_removed_stay_away_after_a_reload(
    visit: Callable[..., Visitor], tmp_path: Path
):
    search = formats.parse(WANTED)
    file = tmp_path / "mine.toml"
    file.write_text(formats.to_toml(search), "utf-8")
    shown = [hit.document.id for hit in search.index(samples.load("devices").corpus).search(ASKED).hits][:8]
    link = {"pipeline.b": formats.to_link(search)}
    other = visit().open("pipeline", corpus="devices", q=ASKED, **link)
    other.page.get_by_role("button", name="Add a pipeline").click()
    other.page.locator('[data-testid="stFileUploader"] input[type="file"]').set_input_files(file)
    other.click(
        other.page.get_by_role("button", name="Use this search"),
        expect(other.page.locator(".flow section")).to_have_count,
        3,
    )
    expect(other.page.locator('[data-testid="stPopoverBody"]')).to_have_count(0)  # what it covers can be clicked
    other.settle()
    assert ids(other, str(other.page.locator(".flow section").nth(2).get_attribute("aria-label"))) == shown
    press(other, "Remove")
    expect(other.page.locator(".flow section")).to_have_count(2)
    other.click(
        part(other, "a/"),
        expect(other.page.locator(".st-key-pipeline-part")).to_contain_text,
        "A: the pipeline as a whole",
    )
    other.settle()
    press(other, "Remove")
    expect(other.page.locator(".flow section")).to_have_count(1)
    gone = "new URLSearchParams(location.search).get('pipeline.at') !== 'a/'"
    other.page.wait_for_function(gone)  # the address follows at the end of the run
    other.page.reload()
    other.settle()
    expect(other.page.locator(".flow section")).to_have_count(1)
    assert ids(other, str(other.page.locator(".flow section").get_attribute("aria-label"))) == shown


@pytest.mark.nightly
def test_weights_that_are_typed_in_quick_succession_are_all_kept(visit: Callable[..., Visitor]):
    search = BM25() >> Learned()
    link = {"pipeline.a": formats.to_link(search), "pipeline.b": "", "pipeline.at": "a/refine.0"}
    me = visit().open("pipeline", corpus="devices", q=ASKED, **link)
    me.page.get_by_text("One by one").click()
    me.settle()
    for label, value in (("BM25", "2"), ("best sentence", "1"), ("title coverage", "-0.5")):
        me.page.get_by_label(label, exact=True).fill(value)  # without waiting for what the one before does
    me.page.keyboard.press("Enter")
    own = dataclasses.replace(Weights.named("built-in"), bm25=2.0, sentence=1.0, title=-0.5)
    me.says("pipeline.a", formats.to_link(BM25() >> Learned(own)))


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("width", "locale", "dark", "at"),
    [
        (390, "zh-CN", True, "a/retrieve.0"),
        (1400, "en-US", False, "a/refine.+1"),
        (1024, "zh-CN", False, "a/"),
        (1024, "en-US", True, "b/fuse"),
    ],
)
def test_the_page_is_for_everybody_at_every_width(
    visit: Callable[..., Visitor], width: int, locale: str, dark: bool, at: str
):
    me = visit(locale=locale, width=width)
    me.page.emulate_media(color_scheme="dark" if dark else "light")
    me.open("pipeline", **{"pipeline.at": at})
    assert me.overflow() <= 0
    assert me.findings() == []
    tabs = me.page.locator(".flow .tab")
    if width == 390:
        expect(part(me, "b/")).to_be_hidden()
        me.click(tabs.nth(1), expect(part(me, "b/")).to_be_visible)
        me.click(
            part(me, "b/fuse"), expect(me.page.locator(".st-key-pipeline-part")).to_contain_text, "B · RRF"
        )  # and what it opens is in sight
        top = "document.querySelector('.st-key-pipeline-part').getBoundingClientRect().top"
        me.page.wait_for_function(f"{top} < 150")
    else:
        expect(part(me, "b/")).to_be_visible()
        expect(tabs.first).to_be_hidden()
