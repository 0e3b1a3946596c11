"""What every page opens with: a judged question of the visitor's language, whose answer is marked and moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import places
import pytest
from night import spread
from streamlit.testing.v1 import AppTest

from lab.algebra import Corpus, Document, Query
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.text import script
from lab.text.naming import name_documents
from lab.ui import components
from lab.ui.layout import frame
from lab.ui.lists import show
from lab.ui.people import keeping
from lab.ui.people.visitor import Visitor
from pages.query.routing import parts as routing

ROOT = Path(__file__).parents[2]
LISTS = places.there(
    "retrieve/compare",
    "combine/fusion",
    "combine/mmr",
    "refine/rerank",
    "refine/filter",
    "index/granularity",
    "index/inside",
    "query/rewrite",
    "query/routing",
    "whole/pipeline",
    "start/home",
    "start/tokenizer",
    "retrieve/compression",
    "retrieve/vector_store",
    "refine/reorder",
    "whole/evaluate",
)
"""Pages whose opening is lists side by side; Reorder moves no rank: there it is the position in the prompt."""

SAMPLE = {"en": "staff", "zh": "handbook"}
"""The corpus with which a language opens."""
SEEN: list[dict[str, Any]] = []
ASKED: list[Query] = []
"""The questions of the lists that were drawn last."""


def watch_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps what lists are drawn with, and their questions."""
    SEEN.clear()
    draw, of_panels = components.lists, show.lists

    def listed(data: Any, *, key: str, **how: Any) -> None:
        SEEN.append(data)
        draw(data, key=key, **how)

    def of_questions(page: str, panels: Any, *args: Any, **how: Any) -> None:
        ASKED[:] = [panel.ranking.query for panel in panels]
        of_panels(page, panels, *args, **how)

    monkeypatch.setattr(components, "lists", listed)
    monkeypatch.setattr(show, "lists", of_questions)


def opening(path: str, lang: str, monkeypatch: pytest.MonkeyPatch, **link: str) -> tuple[AppTest, dict[str, Any]]:
    watch_lists(monkeypatch)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    app.session_state[frame.VISITOR] = Visitor("")
    app.session_state[frame.VISITOR].store(frame.UPLOADS)["own"] = OWN
    for name, value in {"lang": lang, **link}.items():
        app.query_params[name] = value
    app.switch_page(f"pages/{path}/page.py").run()
    assert not app.exception
    return app, (SEEN or [{}])[-1]


def hold_opening(path: str, lang: str, app: AppTest) -> None:
    """A page opens with a judged question; test_own_language asks it of every page in each language."""
    collection = samples.load(SAMPLE[lang])
    question = ASKED[0].text if path == "whole/evaluate" else app.session_state["q"]
    query = collection.query_by_text(question)
    assert query is not None, question
    assert path == "query/rewrite" or query.metadata["type"] != "typo"  # to rewrite is to correct, too
    hold(SEEN[-1], question, lang, collection.relevant(query.id))


def hold(data: dict[str, Any], question: str, lang: str, grades: Mapping[str, int]) -> None:
    assert script(question) == lang
    assert grades[data["selected"]] == max(grades.values()), data["selected"]
    assert data["neutral"] is False
    ranks = [next((hit["rank"] for hit in own["hits"] if hit["id"] == data["selected"]), None) for own in data["lists"]]
    assert len(set(ranks)) > 1, ranks


@pytest.mark.parametrize(("lang", "sample"), SAMPLE.items())
def test_dialogue_opens_on_a_judged_turn_whose_answer_is_marked_and_moves(
    lang: str, sample: str, monkeypatch: pytest.MonkeyPatch
):
    _app, data = opening("query/dialogue", lang, monkeypatch)
    collection, turn = samples.load(sample), ASKED[-1]
    assert turn.turns
    same = [
        conversation.turns[len(turn.turns)]
        for conversation in collection.conversations
        if [t.text for t in conversation.turns[: len(turn.turns) + 1]] == [*(t.text for t in turn.turns), turn.text]
    ]
    assert len(same) == 1
    hold(data, turn.text, lang, collection.spoken.relevant(same[0].id))


OWN = Collection(
    Corpus("own", tuple(Document(f"d{i}", f"The ferry number {i} leaves the harbour at {i}.") for i in range(1, 7)))
)


@pytest.mark.parametrize(
    "path", spread(["retrieve/compare", "combine/fusion", "refine/rerank", "index/granularity"], 2)
)
def test_nothing_is_marked_as_right_on_a_question_without_judgments(path: str, monkeypatch: pytest.MonkeyPatch):
    app, data = opening(path, "en", monkeypatch, corpus="own", q="ferry number 3")
    assert data["neutral"] is True
    assert not any(hit["tags"] for own in data["lists"] for hit in own["hits"])
    ranks = {hit["id"]: [] for own in data["lists"] for hit in own["hits"]}
    for own in data["lists"]:
        for hit in own["hits"]:
            ranks[hit["id"]].append(hit["rank"])
    assert sum(1 / (60 + r) for r in ranks[data["selected"]]) == max(
        sum(1 / (60 + r) for r in each) for each in ranks.values() if len(each) == len(data["lists"])
    )
    app.session_state["doc"] = "d5"
    app.run()
    assert app.session_state["doc"] == "d5"
    assert SEEN[-1]["neutral"] is False


def test_grades_from_another_corpus_are_announced_and_can_be_left_out(monkeypatch: pytest.MonkeyPatch):
    copy = Collection(Corpus("copy", tuple(Document(f"x{d.id}", d.text) for d in OWN.corpus)))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    visitor = app.session_state[frame.VISITOR] = Visitor("")
    visitor.store(frame.UPLOADS).update(own=OWN, copy=copy)
    keeping.change(visitor, lambda every: every.given("which ferry is third", OWN.corpus.documents[2], 3))
    app.query_params["lang"], app.query_params["corpus"] = "en", "copy"
    app.switch_page("pages/start/corpus/page.py").run()
    assert "Grades of 1 question taken over from “own” (same words)." in " ".join(m.value for m in app.markdown)
    assert any("**Questions with judgments**: 1" in m.value for m in app.markdown)
    next(b for b in app.button if b.label == "Leave these grades out").click().run()
    assert any("**Questions with judgments**: 0" in m.value for m in app.markdown)
    next(b for b in app.button if b.label == "Keep these grades").click().run()
    assert any("**Questions with judgments**: 1" in m.value for m in app.markdown)
    app.query_params["corpus"] = "own"
    app.session_state["corpus"] = "own"
    app.run()
    assert not [b for b in app.button if b.key == "grades.carried"]


def test_routing_takes_the_chosen_corpus_and_the_visitors_own_first(monkeypatch: pytest.MonkeyPatch):
    drawn: list[list[str]] = []
    routes = routing.routes
    monkeypatch.setattr(routing, "routes", lambda p: drawn.append([r.collection for r in routes(p)]) or routes(p))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    visitor = app.session_state[frame.VISITOR] = Visitor("")
    own = {f"own {i}": replace(OWN, corpus=replace(OWN.corpus, name=f"own {i}")) for i in range(5)}
    visitor.store(frame.UPLOADS).update(own)
    app.query_params["lang"], app.query_params["corpus"] = "en", "own 3"
    app.switch_page("pages/query/routing/page.py").run()
    assert not app.exception
    assert drawn[-1] == ["own 3", "own 0", "own 1", "own 2", "own 4", *samples.names()[:3]]
    next(b for b in app.button if b.label == "Only my documents").click().run()
    assert drawn[-1] == [f"own {i}" for i in range(5)]
    assert not app.exception


def test_what_all_titles_share_is_above_the_lists_and_not_in_the_cards(monkeypatch: pytest.MonkeyPatch):
    places = ("harbour", "ferry", "bridge", "tower", "market")
    titled = [Document(x, f"The {x} opens at noon.", f"Guide to Norrholm › {x.title()}") for x in places]
    monkeypatch.setitem(globals(), "OWN", replace(OWN, corpus=Corpus("own", name_documents(titled))))
    _app, data = opening("retrieve/compare", "en", monkeypatch, corpus="own", q="when does the ferry open")
    assert data["shared"] == "Beginning of every title: Guide to Norrholm"
    assert {hit["title"] for each in data["lists"] for hit in each["hits"]} == {x.title() for x in places}
    _app, data = opening("retrieve/compare", "en", monkeypatch)
    assert data["shared"] == ""
    assert any(each["title"].endswith("Built-in bilingual") for each in data["lists"]), "the whole name is there"


@pytest.mark.parametrize(("lang", "words"), [("en", "whole passages only"), ("zh", "只比整段")])
def test_granularity_says_in_the_choice_of_retrievers_what_vectors_compare(
    lang: str, words: str, monkeypatch: pytest.MonkeyPatch
):
    app, _data = opening("index/granularity", lang, monkeypatch)
    options = next(box.options for box in app.selectbox if box.key == "granularity.of")
    assert [words in x for x in options] == [x.startswith(("Vector", "向量")) for x in options]
    assert any(words in x for x in options)
    assert "BM25" in options
