"""Lists on the screen: how many cards are shown, how many more there are, and how that ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from lab.core import Corpus, Document
from lab.corpus.beir import Collection
from lab.pipeline import DEPTH
from lab.ui import components, frame
from lab.ui.show import MORE
from lab.ui.visitor import Visitor

ROOT = Path(__file__).parents[2]
TOPICS = ("kiln", "clay", "glaze")
OWN = Collection(
    Corpus("own", tuple(Document(f"d{i}", "oven " + "ash " * i, metadata={"topic": TOPICS[i % 3]}) for i in range(27)))
)
MANY = Collection(Corpus("many", tuple(Document(f"d{i}", "oven " + "ash " * i) for i in range(DEPTH + 1))))


class Cards:
    """A page, what its lists were given last, and what a visitor does with them."""

    def __init__(self) -> None:
        self.lists: list[dict[str, Any]] = []
        self.data: dict[str, Any] = {}
        self.do: Callable[[], None] | None = None

    def open(self, page: str, **params: str) -> Cards:
        self.app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        self.app.session_state[frame.VISITOR] = Visitor("")
        self.app.session_state[frame.VISITOR].store(frame.UPLOADS).update(own=OWN, many=MANY)
        for key, value in {"lang": "en", "corpus": "own", "q": "oven", **params}.items():
            self.app.query_params[key] = value
        self.app.switch_page(f"pages/{page}.py")
        return self.run()

    def run(self) -> Cards:
        self.app.run()
        assert not self.app.exception
        return self

    def click(self, name: str, *value: str) -> Cards:
        """What the component calls when the visitor clicks there; the page is drawn again after it."""
        self.app.session_state["click"] = (name, value)
        return self.run().run()

    def docs(self, which: int = 0) -> list[str]:
        """The cards of a list, without a selected one from further below."""
        return [hit["id"] for n, hit in enumerate(self.lists[which]["hits"], 1) if hit["rank"] == n]

    def below(self, which: int = 0) -> tuple[str, str]:
        return self.lists[which]["more"], self.lists[which]["end"]


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> Cards:
    last, own = Cards(), components.lists

    def listed(data: Any, *, key: str, **how: Any) -> None:
        if "click" in st.session_state:
            name, value = st.session_state.pop("click")
            how[name](*value)
        last.data, last.lists = data, data["lists"]
        own(data, key=key, **how)

    monkeypatch.setattr(components, "lists", listed)
    return last


def test_ten_more_cards_come_in_every_list_until_there_are_no_more(cards: Cards):
    cards.open("retrieve/compare", **{"compare.k": "8"})
    first = [cards.docs(i) for i in range(2)]
    assert [len(docs) for docs in first] == [8, 8]
    assert cards.below() == (f"{MORE} more", "8 of 27")
    cards.click("more")
    assert cards.below(1) == (f"{27 - 8 - MORE} more", f"{8 + MORE} of 27")
    assert [cards.docs(i)[:8] for i in range(2)] == first  # they stand where they stood
    assert len(cards.docs(1)) == 8 + MORE
    assert [card["more"] for card in cards.click("more").lists[:2]] == ["", ""]
    assert len(cards.docs()) == 27
    assert cards.below() == ("", "27 of 27: there are no more.")


def test_cards_that_are_not_shown_are_not_sent(cards: Cards):
    cards.open("retrieve/compare", **{"compare.k": "3"})
    assert max(len(own["hits"]) for own in cards.lists) <= 3 + 1  # and the selected one, wherever it is


def test_another_question_or_search_or_number_begins_at_the_start(cards: Cards):
    cards.open("retrieve/compare", **{"compare.k": "3"}).click("more")
    assert len(cards.docs()) == 3 + MORE
    assert len(cards.run().docs()) == 3 + MORE  # nothing else is asked
    cards.app.slider(key="compare.bm25.b").set_value(0.0)
    assert len(cards.run().docs()) == 3
    cards.click("more").app.session_state["q"] = "ash"
    assert len(cards.run().docs()) == 3
    cards.click("more").app.number_input(key="compare.k").set_value(4)
    assert len(cards.run().docs()) == 4
    cards.click("more").app.selectbox(key="corpus").set_value("many")
    assert len(cards.run().docs()) == 4


def test_a_list_that_was_asked_for_no_more_says_so(cards: Cards):
    cards.open("retrieve/compare", corpus="many", **{"compare.k": "50"})
    for _ in range(5):
        cards.click("more")
    assert cards.below() == ("", f"{DEPTH} of {DEPTH}: the search asked for no more.")


def test_an_empty_list_says_why_and_nothing_below(cards: Cards):
    cards.open("retrieve/compare", q="pelican")
    assert cards.lists[0]["note"]
    assert cards.below() == ("", "")


def test_a_card_below_those_that_are_shown_tells_by_how_much_it_moved(cards: Cards):
    cards.open("retrieve/compare", **{"compare.k": "3", "doc": "d20"})
    (*_, far), (*_, other) = (own["hits"] for own in cards.lists[:2])
    assert (far["id"], other["id"]) == ("d20", "d20")
    assert min(far["rank"], other["rank"]) > 3
    moved = far["rank"] - other["rank"]
    assert other["move"] == (f"▲ {moved}" if moved > 0 else f"▼ {-moved}" if moved else "＝")
