"""What a page shows is taken away by the browser itself: its pictures as files."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import pytest
from browser.visitor import Visitor, api, expect
from ui.test_downloads import PAGES, folds, read

pytestmark = pytest.mark.browser

TRIED = ("compare", "fusion", "rerank")
"""Pages that export what was tried."""

ASKED = "headset shows E21"
SVG = "{http://www.w3.org/2000/svg}"
PNG = b"\x89PNG\r\n\x1a\n"


def opened(me: Visitor) -> None:
    """Open what can be taken away."""
    me.click(
        me.page.get_by_role("button", name="Export"), expect(me.page.locator(".take .picture").first).to_be_visible
    )
    me.settle()


def taken(me: Visitor, name: str) -> tuple[str, bytes]:
    """Press a button; the name of the file that comes, and what is in it."""
    return downloaded(me, me.page.get_by_role("button", name=name, exact=True))


def downloaded(me: Visitor, button: api.Locator) -> tuple[str, bytes]:
    """Press this button; the name of the file that comes, and what is in it."""
    file = me.download(button)
    return file.suggested_filename, Path(file.path()).read_bytes()


@pytest.mark.nightly
def test_pictures_and_lists_are_taken_away(visit: Callable[..., Visitor]):
    me = visit().open("fusion", q=ASKED, corpus="devices")
    shown = me.page.locator(".st-key-fusion-strip .main-svg text").all_text_contents()
    opened(me)

    name, file = taken(me, "Fusion: SVG")
    assert name == "devices-fusion-strip.svg"
    texts = ["".join(x.itertext()) for x in ElementTree.fromstring(file).iter(f"{SVG}text")]
    assert {text for text in shown if text.strip()} <= set(texts), "the file has every text of the chart"

    name, file = taken(me, "Fusion: PNG")
    assert name == "devices-fusion-strip.png"
    assert file.startswith(PNG)
    width = int(me.page.locator(".st-key-fusion-strip .js-plotly-plot").evaluate("plot => plot.clientWidth"))
    assert int.from_bytes(file[16:20], "big") == 2 * width, "sharp on a projector"

    me.open("compare", q=ASKED, corpus="devices")
    first = me.cards(0).first.locator(".title").inner_text()
    opened(me)
    name, file = taken(me, "The lists: PNG")
    assert (name, file[:8]) == ("devices-compare-cards.png", PNG)

    name, file = taken(me, "The lists: SVG")
    assert name == "devices-compare-cards.svg"
    drawn = ElementTree.fromstring(file)
    kinds = {node.tag.removeprefix(SVG) for node in drawn.iter()}
    assert kinds == {"svg", "title", "rect", "text", "path", "circle"}, "shapes and words: every program opens it"
    dots = me.page.locator("svg.curves circle").count()
    assert sum(node.tag == f"{SVG}circle" for node in drawn.iter()) == dots > 0
    across, down = map(float, drawn.get("viewBox", "").split()[2:])
    boxes = [[float(node.get(name, "")) for name in ("x", "y", "width", "height")] for node in drawn.iter(f"{SVG}rect")]
    assert all(x >= -3 and y >= -3 and x + w <= across + 3 and y + h <= down + 3 for x, y, w, h in boxes)
    said = [node.text or "" for node in drawn.iter(f"{SVG}text")]
    for card in me.page.locator(".card").all():
        title, score = card.locator(".title").inner_text(), card.locator(".score").inner_text()
        at = next(i for i, text in enumerate(said) if title == text or text.endswith("…") and title[:8] == text[:8])
        assert score in said[at : at + 4], "each card with its score"
        del said[: at + 1]  # in their order

    name, file = downloaded(me, me.page.locator(".st-key-compare-md button"))  # what was tried has such a button, too
    assert name == "devices-compare.md"
    assert first in file.decode("utf-8").replace("\\", "")


@pytest.mark.nightly
@pytest.mark.parametrize(("page", "lang"), [*product(PAGES, ("en", "zh"))])
def test_every_download_button_of_a_page_gives_a_file_that_can_be_opened(
    page: str, lang: str, visit: Callable[..., Visitor]
):
    me = visit(locale={"en": "en-US", "zh": "zh-CN"}[lang])
    me.open("" if page == "home" else page, **{f"{page}.fold.{name}": "1" for name in folds(page)})
    box = me.page.locator('[data-testid="stPopoverBody"]')
    in_box = box.locator('[data-testid="stDownloadButton"] button:enabled, .pictures button')
    if page in TRIED:
        assert all(me.page.locator(f".st-key-{page}-tries-{end}").count() for end in ("csv", "md", "json"))
    pressed = press(me, in_box)
    if box.count():
        me.page.keyboard.press("Escape")
        expect(box).to_have_count(0)
    if page == "course":
        me.click(
            me.page.locator(".st-key-course-handout button").first,
            expect(me.page.locator(".st-key-course-handout-get button")).to_be_visible,
        )
        me.settle()
        pressed += press(me, in_box)
    pressed += press(me, me.page.locator('[data-testid="stMain"] [data-testid="stDownloadButton"] button:enabled'))
    assert pressed > 0


def press(me: Visitor, buttons: api.Locator) -> int:
    """Press each of these buttons and read the file that comes; gives their number.

    Chromium drops a page's eleventh download within a second without a word: no hand is as quick, this test is.
    """
    for i in range(buttons.count()):
        me.page.wait_for_timeout(110)
        file = me.download(buttons.nth(i))
        read(file.suggested_filename, Path(file.path()).read_bytes())
    return buttons.count()


@pytest.mark.nightly
def test_what_can_be_taken_away_fits_a_phone(visit: Callable[..., Visitor]):
    me = visit(width=390).open("fusion", corpus="devices", q=ASKED)
    opened(me)
    assert me.overflow() <= 1
    edge = me.page.locator('[data-testid="stPopoverBody"]').bounding_box()
    assert edge["x"] >= 0
    assert edge["x"] + edge["width"] <= 390
