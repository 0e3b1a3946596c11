"""Listwise reranking on Rerank: a rule at once, a model after a click, each window and each answer on the screen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from models.server import Server
from streamlit.testing.v1 import AppTest

from lab.corpus import samples
from lab.models.endpoint_chat import EndpointModel

ROOT = Path(__file__).parents[2]
LINK = {"lang": "en", "corpus": "devices", "q": "battery empty in the morning", "rerank.from": "bm25"}
LINK |= {"rerank.by": "listwise", "rerank.depth": "6", "rerank.listwise.window": "4", "rerank.listwise.step": "2"}


def page(model: EndpointModel | None = None, **params: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in {**LINK, "rerank.fold.windows": "1", **params}.items():
        app.query_params[key] = value
    app.session_state["_language_model"] = model
    app.switch_page("pages/refine/rerank/page.py")
    return app.run()


def texts(app: AppTest) -> str:
    assert not app.exception
    return "\n".join(x.value for x in (*app.markdown, *app.caption, *app.info)).replace("\\", "")


def answers(app: AppTest) -> Any:
    return next(d.value for d in app.dataframe if "repeated" in d.value)


def test_the_rule_orders_without_a_model_and_its_windows_are_shown() -> None:
    app = page()
    assert not app.error
    assert answers(app)["ranks"].to_list() == ["3–6", "1–4"]
    assert "Windows: 2, orders read: 2." in texts(app)
    assert "rerank.listwise.model" not in [x.key for x in app.segmented_control]
    shuffled = page(**{"rerank.listwise.shuffles": "5", "rerank.listwise.rule": "early"})
    assert "Windows: 2, orders read: 10." in texts(shuffled)
    assert "The first of two passages was ranked higher in" in texts(shuffled)


def test_a_model_is_asked_only_after_a_click_and_every_window_once() -> None:
    with Server("[4] > [3] > [3] > [9]") as server:
        model = EndpointModel("m", server.url, retries=0, prices=(2.0, 2.0))
        app = page(model, **{"rerank.listwise.model": "chat"})
        said = texts(app)
        assert not server.requests
        assert "2 requests with about" in said
        assert "At your prices, the tokens sent cost" in said
        app.button("rerank.listwise.ask").click().run()
        assert len(server.requests) == 2
        app.session_state["rerank.fold.windows"] = True  # until there is a list, there is nothing to fold
        app.run()
        assert len(server.requests) == 2
        rows = answers(app)
        assert rows["answer"].to_list() == ["[4] > [3] > [3] > [9]"] * 2
        assert rows[["repeated", "unknown", "missing"]].to_numpy().tolist() == [["3", "9", "1, 2"]] * 2
        assert "Tokens: 24 sent, 10 answered." in texts(app)
        assert not app.warning
        assert "rerank.listwise.ask" not in [b.key for b in app.button]


def test_an_answer_that_cannot_be_read_is_said_and_the_rule_is_one_click_away() -> None:
    with Server("They are all fine.") as server:
        app = page(EndpointModel("m", server.url, retries=0), **{"rerank.listwise.model": "chat"})
        app.button("rerank.listwise.ask").click().run()
        app.run()
        assert len(server.requests) == 2
        assert "Windows left unchanged: 2 of 2." in app.warning[0].value
        server.answer = "[2] > [1]"
        app.segmented_control("rerank.listwise.model").set_value("").run()
        assert not app.warning
        assert len(server.requests) == 2


def test_a_failure_is_not_repeated_without_a_click() -> None:
    with Server("[2] > [1]") as server:
        server.then("500")
        app = page(EndpointModel("m", server.url, retries=0), **{"rerank.listwise.model": "chat"})
        app.button("rerank.listwise.ask").click().run()
        failed = len(server.requests)
        assert 1 <= failed <= 2
        app.run()
        assert len(server.requests) == failed
        assert app.warning
        server.then("answer")
        app.button("rerank.listwise.again").click().run()
        assert not app.warning
        assert len(server.requests) == failed + 2


def test_all_judged_questions_are_not_asked_of_a_model_by_a_switch_in_a_link() -> None:
    with Server("[2] > [1]") as server:
        model = EndpointModel("m", server.url, retries=0)
        link = {"rerank.listwise.model": "chat", "rerank.by": "listwise,querycoverage", "rerank.all": "1"}
        app = page(model, q=samples.load("devices").judged[0].text, **link)
        assert not server.requests
        assert not app.exception
        app.button("rerank.listwise.ask").click().run()
        assert server.requests
        assert "Lists that a language model orders are measured on “Evaluate”." in texts(app)
