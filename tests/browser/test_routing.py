"""The Routing page in a browser: not being sure, in both languages."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from browser.visitor import Visitor, expect

pytestmark = pytest.mark.browser
QUESTION = "怎样才能升职"


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("locale", "words"),
    [("en-US", ("Not confident", "All routes are searched")), ("zh-CN", ("没把握", "因此检索全部路线"))],
)
def test_what_is_not_sure_is_seen_as_not_sure(visit: Callable[..., Visitor], locale: str, words: tuple[str, str]):
    me = visit(locale=locale).open("routing", corpus="handbook", q=QUESTION)
    box = me.page.get_by_test_id("stAlert").filter(has_text=words[0])
    expect(box).to_be_visible()
    expect(box).to_contain_text(words[1])
    unsure = _colour(box.screenshot())
    assert unsure[0] > unsure[2] + 20, "the box of the unsure is yellow, not green"
    first = [me.cards(0).nth(i).get_attribute("data-doc") for i in range(3)]
    assert {doc[:2] for doc in first if doc} > {"hb"}, "of several corpora, whose first results have equal scores"
    me.open("routing", corpus="handbook", q=QUESTION, **{"routing.collectionrouter.margin": "0"})
    expect(me.page.get_by_test_id("stAlert").filter(has_text=words[0])).to_have_count(0)
    sure = _colour(me.page.get_by_test_id("stAlert").first.screenshot())
    assert sure[1] > sure[0], "sure is green"
    assert sure != unsure


def _colour(png: bytes) -> tuple[int, int, int]:
    """The colour that most of a picture has."""
    import io

    from PIL import Image

    image = Image.open(io.BytesIO(png)).convert("RGB")
    _count, colour = max(image.getcolors(image.width * image.height))
    return colour
