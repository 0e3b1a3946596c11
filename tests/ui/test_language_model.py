"""The language model of the server: a link does not spend it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from models.server import Server
from night import spread
from streamlit.testing.v1 import AppTest

from lab import formats
from lab.errors import ModelError
from lab.models.chat import QUERIES, Message
from lab.models.endpoint_chat import EndpointModel
from lab.models.memory import AnswerCache, Deferred, NotAsked, Remembering
from lab.retrieve.lexical import BM25
from lab.rewrite.multi_query import MultiQuery
from lab.ui.models import language_model
from ui.conftest import answered

ROOT = Path(__file__).parents[2]
TEMPLATE = "SPEND {question} {document} {n}"
LINKS = [
    ("filter", {"chain": "languagemodeljudge", "depth": "3", "languagemodeljudge.template": TEMPLATE}),
    ("compress", {"by": "modelextractor", "n": "3", "modelextractor.template": TEMPLATE}),
    ("rewrite", {"techniques": "multiquery"}),
]
PAGES = pytest.mark.parametrize(("page", "link"), LINKS, ids=[page for page, _ in LINKS])


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The model of whoever runs the lab."""
    with Server('{"relevant": true, "reason": "r", "extracts": []}') as running:
        monkeypatch.setattr(language_model, "_of_the_server", lambda: EndpointModel("own", running.url, retries=0))
        yield running


def opened(page: str, link: dict[str, str], corpus: str = "handbook", **frame: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    knobs = {f"{page}.{name}": value for name, value in link.items()}
    for name, value in {"lang": "en", "corpus": corpus, **knobs, **frame}.items():
        app.query_params[name] = value
    folder = {"rewrite": "query", "pipeline": "whole"}.get(page, "refine")
    app.switch_page(f"pages/{folder}/{page}/page.py")
    return fine(app.run())


def fine(app: AppTest) -> AppTest:
    return answered(app)


def typed(app: AppTest, question: str) -> AppTest:
    app.text_input("q").set_value(question)
    return fine(next(b for b in app.button if b.label == "Search").click().run())


@PAGES
@pytest.mark.parametrize("asked", spread([{}, {"q": "丧假有几天"}], 1), ids=["showcase", "question"])
def test_a_link_spends_no_model_until_a_button_is_pressed(
    page: str, link: dict[str, str], asked: dict[str, str], server: Server
) -> None:
    app = opened(page, link, **asked)
    assert "A language model is set up here. It is not asked until you agree." in [m.value for m in app.markdown]
    fine(app.run())
    typed(app, app.text_input("q").value)  # nothing but what the link asks
    fine(app.selectbox(key="embedder").set_value("lsa").run())
    if page != "rewrite":
        assert app.text_area(f"{page}.{link.get('chain', link.get('by'))}.template").value == TEMPLATE
    assert not server.requests
    fine(app.button("llm.ask").click().run())
    assert server.requests
    assert not [b for b in app.button if b.key == "llm.ask"]


@PAGES
def test_whoever_types_a_question_is_answered_by_the_model(page: str, link: dict[str, str], server: Server) -> None:
    app = opened(page, link, q="丧假有几天")
    typed(app, "离职要提前多久通知")
    assert server.requests
    assert not [b for b in app.button if b.key == "llm.ask"]


def test_a_question_of_another_page_is_none_that_was_typed(server: Server) -> None:
    app = opened("rewrite", {"techniques": "multiquery"}, **{"filter.chain": "languagemodeljudge", "filter.depth": "3"})
    fine(app.switch_page("pages/refine/filter/page.py").run())
    assert not server.requests


def test_the_model_is_named_while_it_waits(server: Server) -> None:
    app = opened("filter", {"chain": "languagemodeljudge"})
    assert "Language model: own" in [b.label for b in app.button]
    assert not [i for i in app.info if "No language model is set" in i.value]


def test_without_a_page_that_asks_nobody_is_offered_a_model(server: Server) -> None:
    app = opened("filter", {"chain": "semanticdedup"})
    assert not [b for b in app.button if b.key == "llm.ask"]


@pytest.mark.parametrize("tab", ["build", "ablate"])
def test_a_pipeline_that_asks_a_model_is_drawn_first_and_asks_behind_it(tab: str, server: Server) -> None:
    server.answer = "丧假有几天"
    search = formats.to_link(MultiQuery(model="chat")(BM25()))
    app = opened("pipeline", {"a": search, "b": "", "tab": tab}, q="奔丧能歇几天")
    assert not server.requests
    if tab == "build":
        assert not app.error, "it waits: nothing has failed"
        fine(app.button("llm.ask").click().run())
        assert len(server.requests) == 1
        fine(app.run())
        assert not app.error
    assert len(server.requests) <= 1


def test_work_that_was_begun_by_a_click_asks_at_once(server: Server) -> None:
    known = Remembering(EndpointModel("own", server.url, retries=0), AnswerCache())
    drawn = Deferred(known)
    with pytest.raises(NotAsked):
        drawn.ask("hello")
    assert language_model.at_once(drawn).ask("hello").text == server.answer
    assert drawn.ask("hello").remembered
    server.then("400")
    for _ in range(2):
        with pytest.raises(ModelError, match="rejects the request"):
            language_model.at_once(drawn).ask("another")
    assert len(server.requests) == 3


def test_nothing_more_is_asked_for_a_browser_that_is_gone(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language_model, "GONE", 0.3)
    server.then("slow")
    known = Remembering(EndpointModel("own", server.url, retries=0), AnswerCache())
    wanted = [((Message("user", f"passage {i}"),), QUERIES) for i in range(100)]
    job = language_model._Job(known, wanted)
    assert job.over.wait(30)
    assert job.stopped, "if it comes back, the rest is asked"
    assert len(server.requests) < 100


def test_what_came_to_nothing_is_not_begun_again_by_itself(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def nothing(*args: object, **named: object) -> tuple[()]:
        asked.append(args)
        return ()

    app = opened("rewrite", {"techniques": "multiquery"})
    monkeypatch.setattr(language_model, "ask_many", nothing)
    fine(app.button("llm.ask").click().run())
    fine(app.run())
    assert any("Stopped." in m.value for m in app.markdown)
    assert len(asked) == 1, "once for each shape of an answer"
    fine(app.button("llm.go_on").click().run())
    assert len(asked) == 2
