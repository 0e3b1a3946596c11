"""Lists on the screen: how many cards are shown, how many more there are, how that ends, and which are hidden."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from night import spread
from streamlit.testing.v1 import AppTest

from lab.algebra import DEPTH, Corpus, Document, Hit, Query, Ranking
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector
from lab.ui import components
from lab.ui.layout import frame
from lab.ui.layout.talk import Line, written
from lab.ui.lists import facets, show, sources
from lab.ui.lists.show import MORE, Panel, _Columns
from lab.ui.people.visitor import Visitor
from lab.ui.study.evaluating import Elsewhere

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
        self.app.switch_page(f"pages/{page}/page.py")
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


@pytest.mark.nightly
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


@pytest.mark.nightly
def test_a_list_that_was_asked_for_no_more_says_so(cards: Cards):
    cards.open("retrieve/compare", corpus="many", **{"compare.k": "50"})
    for _ in range(5):
        cards.click("more")
    assert cards.below() == ("", f"{DEPTH} of {DEPTH}: the search requested no more.")


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


def moved(left: list[dict[str, Any]], card: dict[str, Any], otherwise: str) -> str:
    """What a row says of its movement; ``left`` are all rows of the list at its left."""
    before, rank = {hit["id"]: hit["rank"] for hit in left}.get(card["id"]), card["rank"]
    if before is None:
        return otherwise
    return f"▲ {before - rank}" if before > rank else f"▼ {rank - before}" if before < rank else "＝"


LINKED = {
    "retrieve/compare": {"compare.embedders": "builtin"},
    "retrieve/vector_store": {},
    "combine/mmr": {"mmr.fetch_k": "27"},
    "refine/rerank": {},
}


@pytest.mark.parametrize("page", spread(LINKED, 2))
def test_rows_move_against_the_list_at_their_left_and_know_its_rank_below_the_shown_ones(cards: Cards, page: str):
    name = page.split("/")[1]
    link = {"corpus": "devices", "q": "battery does not charge", **LINKED[page]}
    whole = cards.open(page, **link, **{f"{name}.k": "20" if name == "mmr" else "50"}).lists
    cards.open(page, **link, **{f"{name}.k": "4"})
    assert "▲▼ against the list on the left" in cards.data["moves"]
    assert {hit["move"] for hit in cards.lists[0]["hits"]} == {""}
    for left, own in zip(whole, cards.lists[1:], strict=False):
        known = {hit["id"] for hit in left["hits"]}
        for hit in own["hits"]:
            if hit["id"] in known:
                assert hit["move"] == moved(left["hits"], hit, "")
            else:
                assert hit["move"].startswith(("> #", "▲", "new"))


def test_a_fused_row_says_the_ranks_that_were_fused_and_nothing_moves(cards: Cards):
    cards.open("combine/fusion", corpus="devices", q="firmware 2.4.1")
    vectors, fused, words = cards.lists
    assert fused["title"].startswith("Fused")
    ranks = [{hit["id"]: str(hit["rank"]) for hit in own["hits"]} for own in (words, vectors)]
    for hit in fused["hits"]:
        for (rank, _colour), own in zip(hit["ranks"], ranks, strict=True):
            assert rank == own.get(hit["id"], rank)
    assert {hit["move"] for own in cards.lists for hit in own["hits"]} == {""}
    assert cards.data["moves"].endswith("5 + 1: the ranks that were fused")
    assert cards.data["lead"] == 1  # the rank of the fused list is open


def test_every_row_knows_the_ranks_of_its_document_in_all_lists(cards: Cards):
    cards.open("retrieve/compare", corpus="devices", q="battery does not charge", **{"compare.k": "50"})
    ranks = [{hit["id"]: hit["rank"] for hit in own["hits"]} for own in cards.lists]
    for i, own in enumerate(cards.lists):
        for hit in own["hits"][:8]:
            assert hit["ways"][i] == hit["rank"]
            assert all(way == ranks[j].get(hit["id"], way) for j, way in enumerate(hit["ways"]))
            assert hit["after"] == (hit["ways"][i + 1] if i + 1 < len(ranks) else None)
            assert hit["before"] == (hit["ways"][i - 1] if i else None)


def test_what_stages_have_picked_is_never_new(cards: Cards):
    for page in ("combine/mmr", "refine/rerank"):
        cards.open(page, corpus="devices", q="battery does not charge")
        told = [hit["move"] for own in cards.lists[1:2] for hit in own["hits"]]
        assert any(move.startswith("▲") for move in told)
        assert not {"new", ""} & set(told)


def test_nothing_is_new_against_an_empty_list(cards: Cards):
    cards.open("retrieve/compare", corpus="own", q="pelican")
    assert not cards.lists[0]["hits"]
    assert cards.data["moves"] == ""
    assert {hit["move"] for own in cards.lists for hit in own["hits"]} == {""}
    assert any(own["hits"] for own in cards.lists)


def test_a_list_that_was_asked_for_no_more_does_not_call_the_rest_new():
    documents = [Document(str(i), "x") for i in range(4)]
    corpus = Corpus("own", tuple(documents))
    base = Ranking(Query("x"), tuple(Hit(d, 1.0) for d in documents[:3]), Elsewhere("a"), asked=3, corpus=corpus)
    own = Ranking(Query("x"), tuple(Hit(d, 1.0) for d in documents[::-1]), Elsewhere("b"), corpus=corpus)
    left = Panel(base, "A", "", lambda _: [])
    make = _Columns(corpus, 2, "", {}, False, facets.Facets("compare", "", ""))
    moves = [hit["move"] for hit in make.column(Panel(own, "B", "", lambda _: []), left)["hits"]]
    assert moves == ["> #3", "▲ 1"]
    ended = replace(left, ranking=replace(base, asked=0))
    moves = [hit["move"] for hit in make.column(Panel(own, "B", "", lambda _: []), ended)["hits"]]
    assert moves == ["new", "▲ 1"]


@pytest.mark.parametrize("order", ["long-context", "sides", "best first"])
def test_a_place_in_the_context_is_no_rank_that_rose_or_fell(cards: Cards, order: str):
    link = {"reorder.longcontextreorder.order": order, "reorder.n": "5"}
    cards.open("refine/reorder", corpus="devices", q="battery does not charge", **link)
    before, placed = cards.lists
    ranks = {hit["id"]: hit["rank"] for hit in before["hits"]}
    assert cards.data["moves"] == ""
    assert {hit["move"] for hit in placed["hits"]} == {""}
    for hit in placed["hits"]:
        assert hit["reason"] == f"rank {ranks[hit['id']]} → position {hit['rank']} of 5"


ONE = {"compare.counts": "topic", "compare.only": "clay"}


def test_every_value_has_the_number_of_its_documents_in_the_lists(cards: Cards):
    cards.open("retrieve/compare")
    assert cards.data["only"]["fields"] == [["topic", "topic"]]
    assert cards.data["only"]["values"] == [["", "All", 27], *([topic, topic, 9] for topic in sorted(TOPICS))]
    assert "compare.counts" not in cards.app.query_params  # nothing was chosen yet


@pytest.mark.parametrize("names", [("team", "2024", "2023"), ("2", "a", "1", "0")])
def test_fields_keep_the_order_of_the_file_although_their_names_are_whole_numbers(names: tuple[str, ...]):
    corpus = Corpus("c", tuple(Document(str(i), "x", "", dict.fromkeys(names, str(i % 2))) for i in range(6)))
    row = facets.Facets("compare", "", "").row(corpus, corpus)
    assert row is not None
    assert row["fields"] == [[name, name] for name in names], "a browser orders the names of an object"


def test_cards_of_one_value_keep_rank_and_movement_and_say_how_many_are_hidden(cards: Cards):
    cards.open("retrieve/compare", **{"compare.k": "27", "compare.bm25.b": "0"})
    every = [{hit["id"]: hit for hit in own["hits"]} for own in cards.lists]
    cards.click("only", "topic", "clay")
    for own, before in zip(cards.lists, every, strict=True):
        assert [hit["id"] for hit in own["hits"]] == [doc for doc in before if int(doc[1:]) % 3 == 1]
        for hit in own["hits"]:
            assert {**hit, "text": ""} == {**before[hit["id"]], "text": ""}
        assert own["end"].endswith(" · 18 hidden")
        assert own["end"].startswith("9 of 9")
    assert cards.app.query_params["compare.only"] in ("clay", ["clay"])
    assert len(cards.click("only", "topic", "").docs()) == 27
    assert "compare.only" not in cards.app.query_params


def test_of_one_value_as_many_cards_are_shown_as_of_all_and_there_are_more(cards: Cards):
    cards.open("retrieve/compare", **ONE, **{"compare.k": "3"})
    assert [hit["rank"] % 3 for hit in cards.lists[0]["hits"][:3]] == [2] * 3  # d1, d4, d7: the shorter the better
    assert cards.below() == ("6 more", "3 of 9 · 18 hidden")
    assert cards.click("more").below() == ("", "9 of 9: there are no more. · 18 hidden")


def test_a_link_opens_with_one_value_and_another_corpus_without(cards: Cards):
    cards.open("retrieve/compare", **ONE)
    assert cards.data["only"]["value"] == "clay"
    cards.app.selectbox(key="corpus").set_value("many")
    assert cards.run().data["only"] is None
    assert cards.below()[1] == f"8 of {DEPTH}"
    assert not {"compare.only", "compare.counts"} & set(cards.app.query_params)


def test_a_value_that_no_hit_has_stays_to_be_taken_back(cards: Cards):
    cards.open("retrieve/compare", **{**ONE, "compare.only": "<b>tiles</b>"})
    assert cards.data["only"]["values"][-1] == ["<b>tiles</b>", "<b>tiles</b>", 0]
    assert cards.lists[0]["note"] == "All results of this list are hidden."
    assert cards.below() == ("", "27 hidden")
    assert cards.lists[0]["hits"] == []


def test_a_field_is_offered_where_several_documents_share_its_values():
    def documents(**fields: Any) -> list[Document]:
        return [Document(str(i), "x", metadata={k: v[i] for k, v in fields.items()}) for i in range(4)]

    assert facets.offered(documents(topic=list("aabb"))) == ["topic"]
    assert facets.offered(documents(name=list("abcd"), same=list("aaaa"), three=list("aabc"), none=[""] * 4)) == []
    assert facets.offered(documents(tags=[["a", "b"], ["a"], ["b"], ["b", "b"]], page=[1, 1, 2, 2])) == ["tags"]
    assert facets.offered(documents(topic=list("aabb"), source=list("abab"))) == ["source", "topic"]
    assert facets.offered([]) == []


def test_parts_of_documents_are_counted_by_what_the_document_is_called():
    whole = Document("a", "x", "Kiln hours")
    parts = [Document(f"{of}#{n}", "x", metadata={"parent": of}) for of in ("a", "gone") for n in (1, 2)]
    row = facets.Facets("compare", "", "").row(parts, Corpus("own", (whole,)))
    assert row is not None
    assert row["values"][1:] == [["a", "Kiln hours", 2], ["gone", "gone", 2]]


def test_of_many_values_the_most_common_have_a_button_and_the_chosen_one():
    own = [Document(f"{i}.{n}", "x", metadata={"topic": f"t{i:02}"}) for i in range(60) for n in range(2 + (i == 59))]
    row = facets.Facets("compare", "topic", "t58").row(own, Corpus("own", ()))
    assert row is not None
    assert [value for value, *_ in row["values"]] == ["", "t59", *(f"t{i:02}" for i in range(facets.MOST - 1)), "t58"]


def test_what_a_filter_removed_is_hidden_with_the_rest(cards: Cards):
    cards.open("refine/filter", corpus="handbook", q="住宿费")
    kept, removed = cards.lists
    sources = {d.id: d.metadata.get("source") for d in samples.load("handbook").corpus}
    own = Counter(sources[hit["id"]] for hit in removed["hits"])
    assert own
    cards.click("only", "source", next(iter(own)))
    assert [hit["id"] for hit in cards.lists[1]["hits"]] == [
        hit["id"] for hit in removed["hits"] if sources[hit["id"]] == next(iter(own))
    ]
    cards.click("only", "source", "nowhere")
    assert [column["hits"] for column in cards.lists] == [[], []]
    assert cards.lists[1]["note"] == "All passages of this list are hidden."
    assert [hit["rank"] for hit in kept["hits"]] == [*range(1, len(kept["hits"]) + 1)]


def test_the_pairs_and_characters_beside_the_words_are_counted_and_can_be_left_out(cards: Cards) -> None:
    counted = {
        "机器人与人工智能": "besides the words: 14 pairs and characters",
        "WR-5E 充电": "besides the words: 3 pairs and characters",
        "annual leave": "",
    }
    for question, note in counted.items():
        assert sources.added_terms(TFIDF(), Query(question)) == note
        assert sources.added_terms(Vector(), Query(question)) == ""
    only_words = replace(BM25().analyzer, bigrams=False, characters=False)
    assert sources.added_terms(BM25(analyzer=only_words), Query("机器人与人工智能")) == ""

    cards.open("start/tokenizer", q="机器人", **{"tokenizer.analyzer.characters": "0"})
    for page in ("combine/fusion", "query/dialogue", "retrieve/compare"):
        cards.app.switch_page(f"pages/{page}/page.py")
        cards.app.query_params["dialogue.said"] = written([Line("机器人")])
        cards.run()
        name = page.split("/")[1]
        assert cards.app.session_state[f"{name}.analyzer.characters"] is False, "as on the page before"
        if name != "dialogue":
            assert "besides the words: 2 pairs and characters" in str(cards.lists)
    cards.app.toggle("compare.analyzer.characters").set_value(True).run()
    cards.app.switch_page("pages/combine/fusion/page.py")
    cards.run()
    assert cards.app.session_state["fusion.analyzer.characters"] is True, "on again, also where it was off before"
    cards.open("combine/fusion", q="oven")
    assert "fusion.analyzer.characters" not in cards.app.session_state, "no switch for a question without Chinese"


def test_a_score_below_zero_has_as_many_digits_as_one_above() -> None:
    assert [show.number(x) for x in (-12345.6, -12.346, -0.5, 12.346)] == ["-12346", "-12.35", "-0.500", "12.35"]
