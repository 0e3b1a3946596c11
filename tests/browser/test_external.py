"""A run of another tool, and a search engine behind an address, beside BM25 in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import Any

import pytest
from browser.visitor import LIMIT, Visitor, expect
from rank_bm25 import BM25Okapi
from search_server import SearchServer

from lab.corpus import samples
from lab.retrieve.lexical import BM25

pytestmark = pytest.mark.browser

CORPUS = samples.load("devices").corpus
QUESTION = "battery empty in the morning"
SHOWN = 8


def ids(me: Visitor, which: int) -> list[str]:
    """The documents of the first cards of a list."""
    cards = me.cards(which)
    return [str(cards.nth(n).get_attribute("data-doc")) for n in range(min(SHOWN, cards.count()))]


@pytest.mark.nightly
def test_another_tools_run_and_an_engine_by_its_address_stand_beside_bm25(visit: Callable[..., Visitor]) -> None:
    scores = BM25Okapi([d.content.casefold().split() for d in CORPUS]).get_scores(QUESTION.split())
    order = sorted(range(len(CORPUS)), key=lambda i: (-scores[i], i))[:20]
    rows = "\n".join(f"{CORPUS.documents[i].id} {scores[i]:.6f}" for i in order)

    def engine(question: str, k: int) -> list[dict[str, Any]]:
        return [{"id": CORPUS.documents[i].id, "score": float(-n)} for n, i in enumerate(reversed(order))]

    lab = BM25().index(CORPUS).search(QUESTION).ids
    with SearchServer(engine) as server:
        link = {"compare.lists": "given,bm25", "compare.embedders": "", "compare.given.rows": rows}
        me = visit().open("compare", corpus="devices", q=QUESTION, **link)
        me.settle()
        assert ids(me, 0) == [CORPUS.documents[i].id for i in order[:SHOWN]]
        assert ids(me, 1) == lab[:SHOWN]

        dialog = me.page.get_by_role("dialog")
        me.click(me.page.get_by_role("button", name="Add an external retriever"), expect(dialog).to_be_visible)
        for label, text in {"Name": "mine", "Address": server.url}.items():
            dialog.get_by_role("textbox", name=label, exact=True).fill(text)
            dialog.get_by_role("textbox", name=label, exact=True).press("Tab")
        me.click(
            dialog.get_by_role("button", name="Try", exact=True),
            expect(dialog.get_by_text("Results: 20, in this corpus: 20", exact=False)).to_be_visible,
        )
        me.click(dialog.get_by_role("button", name="Add", exact=True), expect(dialog).to_have_count, 0)
        expect(me.page.get_by_role("button", name="External retrievers: 1")).to_be_visible()
        me.settle()
        for wait in (4000, 4000, LIMIT):  # a click is lost where the list is drawn anew under it
            me.page.get_by_role("combobox", name="Lists").first.click()
            me.page.get_by_role("option", name="External · mine").click()
            me.page.keyboard.press("Escape")
            with suppress(AssertionError) if wait < LIMIT else nullcontext():
                expect(me.page.get_by_test_id("stMultiSelect").first).to_contain_text("External · mine", timeout=wait)
                break
        me.settle()
        expect(me.cards(2).first).to_be_visible()
        assert ids(me, 2) == [CORPUS.documents[i].id for i in reversed(order)][:SHOWN]
        assert ids(me, 1) == lab[:SHOWN]
        assert server.root not in me.page.url
