"""An ablation in the browser: stopped at once, what was done is shown, and a part and a question are clicked."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from browser.visitor import LIMIT, Visitor, expect

from lab import formats


@pytest.mark.nightly
def test_an_ablation_is_stopped_shows_what_was_done_and_opens_the_two_lists_of_a_question(
    visit: Callable[..., Visitor],
):
    search = formats.to_link(formats.parse("RRF()(BM25(), Vector()) % 50 >> (Learned() >> MMR(k=8))"))
    given = {"a": search, "tab": "ablate", "ablate.part": "refine.1"}
    visitor = visit()
    page = visitor.page
    address_of = {f"pipeline.{name}": value for name, value in given.items()}
    visitor.open("pipeline", corpus="devices", lang="en", **address_of)
    main = page.get_by_role("main")
    stop = main.get_by_role("button", name="Stop", exact=True)
    start = main.get_by_role("button", name=re.compile(r"Measure all parts on 114 questions"))
    visitor.click(start, expect(stop).to_be_visible)
    bar = main.get_by_text(re.compile(r"in every variant … ([2-9]\d|\d{3}) / 114"))  # enough to differ
    expect(bar.first).to_be_visible()
    partly = main.get_by_text(re.compile(r"Questions done: \d+ of 114; figures so far."))
    visitor.click(stop, expect(partly).to_be_visible)
    visitor.settle()
    done = int(re.findall(r"\d+", partly.inner_text())[0])
    assert 0 < done < 114
    expect(main.get_by_role("heading", name="Learning to rank (LTR)")).to_be_visible()  # the part of the link
    visitor.click(
        main.locator(".st-key-pipeline-ablate-worths .scatterlayer .point").nth(1),
        expect(main.get_by_role("heading", name="Vector · Built-in bilingual")).to_be_visible,
        force=True,
    )
    visitor.says("pipeline.ablate.part", "retrieve.1")
    visitor.settle()
    lists = page.locator("section.list")
    assert lists.count() == 2
    square = main.locator(".square").last
    was = visitor.parameters().get("pipeline.ablate.question")
    square.scroll_into_view_if_needed()
    visitor.settle()
    square.click(force=True)
    page.wait_for_function(
        "was => new URLSearchParams(location.search).get('pipeline.ablate.question') !== was", arg=was, timeout=LIMIT
    )
    visitor.settle()
    asked = visitor.parameters()["pipeline.ablate.question"]
    assert asked
    assert lists.count() == 2
