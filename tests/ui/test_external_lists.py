"""External retrievers on the pages: added in the settings, tried, offered wherever lists are chosen."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from night import spread
from search_server import SearchServer
from streamlit.testing.v1 import AppTest

from lab import formats
from lab.algebra import Runner
from lab.corpus import samples
from lab.retrieve.external import External
from lab.retrieve.http import HttpRetriever
from lab.retrieve.lexical import BM25
from lab.ui.layout import frame
from lab.ui.lists import retrievers, show
from lab.ui.people.visitor import Visitor
from ui.conftest import unescaped

ROOT = Path(__file__).parents[2]
CORPUS = samples.load("devices").corpus
QUESTION = "battery empty in the morning"
IDS = ["dv-003", "dv-010", "nowhere", "dv-001"]
SEVERAL = {
    "retrieve/compare": "compare.lists",
    "combine/fusion": "fusion.lists",
    "refine/rerank": "rerank.from",
    "refine/filter": "filter.from",
    "refine/compress": "compress.from",
    "whole/judge": "judge.searches",
    "whole/evaluate": "evaluate.searches",
}
ONE = {
    "combine/mmr": "mmr.of",
    "refine/reorder": "reorder.of",
    "query/rewrite": "rewrite.of",
    "query/dialogue": "dialogue.of",
    "index/granularity": "granularity.of",
}
PLUGIN = """
def search(question, k):
    return [("dv-003", 2.0), ("nowhere", 1.5), ("dv-001", 1.0)]


def failing(question):
    raise ValueError("no index")


RETRIEVERS = {"mine": search, "broken": failing}
"""


def hits(question: str, k: int) -> list[dict[str, Any]]:
    return [{"id": i, "score": 9.5 - rank, "text": "some text"} for rank, i in enumerate(IDS)]


@pytest.fixture
def server() -> Iterator[SearchServer]:
    with SearchServer(hits) as running:
        yield running


@pytest.fixture
def plug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "engine.py"
    path.write_text(PLUGIN, "utf-8")
    monkeypatch.setenv("LAB_PLUGINS", str(path))


def opened(page: str, added: dict[str, HttpRetriever] | None = None, **link: str) -> AppTest:
    """A page of a visitor who has added these servers."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state[frame.VISITOR] = Visitor("")
    app.session_state[frame.VISITOR].store(retrievers.STORE).update(added or {})
    for key, value in {"lang": "en", "corpus": "devices", "q": QUESTION, **link}.items():
        app.query_params[key] = value
    app.switch_page(f"pages/{page}/page.py").run()
    assert not app.exception, app.exception
    return app


def words(app: AppTest) -> str:
    kinds = app.caption, app.info, app.error, app.warning, app.markdown, app.success
    return unescaped("\n".join(str(x.value) for kind in kinds for x in kind))


# ------------------------------------------------------------------------------------------------ the settings


def form(visitor: Visitor, **values: Any) -> AppTest:
    """The dialog, with its fields filled in."""

    def drawn() -> None:
        import streamlit as st

        from lab.corpus import samples
        from lab.ui.lists import retrievers

        retrievers._form(st.session_state["own_visitor"], lambda: samples.load("devices").corpus)

    app = AppTest.from_function(drawn, default_timeout=60)
    app.session_state["own_visitor"] = visitor
    app.session_state["q"] = QUESTION
    app.run()
    for name, value in values.items():
        (app.text_area if name == "body" else app.text_input)(key=f"retriever.{name}").set_value(value)
    app.run()
    assert not app.exception, app.exception
    return app


def pressed(app: AppTest, name: str) -> AppTest:
    app.button(key=f"retriever.{name}").click().run()
    assert not app.exception, app.exception
    return app


def test_a_server_is_tried_added_used_and_removed(server: SearchServer) -> None:
    visitor = Visitor("")
    app = pressed(form(visitor, name="mine", address=server.url), "trial")
    told = words(app)
    assert "Results: 4, in this corpus: 3, time: " in told
    assert "Results outside this corpus: 1 of 4 (nowhere)." in told
    assert f"1. {CORPUS.documents[2].label}" in told
    assert '"score": 9.5' in "\n".join(code.value for code in app.code)
    assert server.requests[0]["body"] == {"query": QUESTION, "k": retrievers.TRIED}
    assert not retrievers.servers(visitor)
    pressed(app, "add")
    assert retrievers.servers(visitor) == {"mine": HttpRetriever(server.url)}
    page = opened("retrieve/compare", retrievers.servers(visitor), **{"compare.lists": "external-mine,bm25"})
    assert [b.label for b in page.button if b.key == "retriever.open"] == ["External retrievers: 1"]
    assert not page.error
    assert page.multiselect(key="compare.lists").value == ["external-mine", "bm25"]
    assert server.root not in str(page.query_params)
    assert len(server.requests) == 2
    page.number_input(key="compare.k").set_value(5).run()
    assert len(server.requests) == 2  # a page that is drawn again asks nothing
    pressed(app, "remove.mine")
    assert not retrievers.servers(visitor)


@pytest.mark.parametrize(
    ("values", "words_shown"),
    [
        ({"address": "ftp://x/"}, "is not the address of a server"),
        ({"body": "{query}"}, "The body of the request is not JSON"),
        ({"results": "hits"}, "The answer has nothing at “hits”. It has: results."),
        ({"id": "key", "text": ""}, "Result 1 has no id or text at “key”. It has: id, score, text."),
        ({"score": "rank"}, "Result 1 has no score at “rank”."),
        ({"key": "clé"}, "The key contains invalid characters"),
    ],
)
def test_a_trial_names_what_it_does_not_understand(
    server: SearchServer, values: dict[str, str], words_shown: str
) -> None:
    app = form(Visitor(""), **{"name": "mine", "address": server.url, **values})
    assert words_shown in words(pressed(app, "trial"))


@pytest.mark.parametrize("name", ["chat", "a/b", "a,b", "-"])
def test_a_name_that_no_run_can_have_is_refused(server: SearchServer, name: str) -> None:
    visitor = Visitor("")
    assert "A retriever cannot have the name" in words(pressed(form(visitor, name=name, address=server.url), "add"))
    assert not retrievers.servers(visitor)


def test_a_name_of_a_plug_in_is_taken(plug: None) -> None:
    visitor = Visitor("")
    app = pressed(form(visitor, name="mine", address="http://127.0.0.1:9/"), "add")
    assert "A plug-in has a retriever “mine”." in words(app)
    assert not retrievers.servers(visitor)
    assert "mine · from a plug-in" in words(app).replace("*", "")


def test_a_public_lab_asks_no_address(server: SearchServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_PUBLIC", "1")
    search = formats.expression(External("mine"))
    link = {"compare.lists": "external-mine,bm25", "pipeline.a": search, "retriever.address": server.url}
    for page in ("retrieve/compare", "whole/pipeline"):
        app = opened(page, {"mine": HttpRetriever(server.url)}, **link)
        assert "retriever.open" not in [b.key for b in app.button]
        assert server.root not in words(app)
    assert "This run knows no retriever “mine”" in words(app)
    assert [x.key for x in form(Visitor("")).text_input] == []
    assert not server.requests


def test_a_link_or_a_file_names_a_retriever_and_brings_none(server: SearchServer) -> None:
    app = opened(
        "whole/pipeline", **{"pipeline.a": formats.expression(External("mine")), "pipeline.at": "a/retrieve.0"}
    )
    assert "This run knows no retriever “mine”." in words(app)
    with_one = {"mine": HttpRetriever(server.url)}
    app = opened("whole/pipeline", with_one, **{"pipeline.a": formats.expression(External("mine"))})
    assert not app.error
    assert len(server.requests) == 1


# --------------------------------------------------------------------------------------------------- the pages


@pytest.mark.parametrize("page", spread([*SEVERAL, *ONE], 2))
def test_every_page_that_chooses_lists_takes_an_external_one(page: str, plug: None) -> None:
    key = {**SEVERAL, **ONE}[page]
    app = opened(page, **{key: "external-mine"})
    assert not app.error, [e.value for e in app.error]
    widget = app.multiselect(key=key) if page in SEVERAL else app.selectbox(key=key)
    assert widget.value == (["external-mine"] if page in SEVERAL else "external-mine")
    assert {"External · mine", "External · broken"} <= set(widget.options)


def shown(page: str, monkeypatch: pytest.MonkeyPatch, **link: str) -> tuple[AppTest, list[show.Panel]]:
    """A page and the panels of its lists."""
    panels = list[show.Panel]()
    draw = show.lists

    def lists(name: str, drawn: Any, f: Any, **how: Any) -> None:
        panels.extend(drawn)
        draw(name, drawn, f, **how)

    monkeypatch.setattr(show, "lists", lists)
    app = opened(page, **link)
    assert not app.error, [e.value for e in app.error]
    return app, panels


def test_a_list_that_fails_leaves_the_others_and_says_why(plug: None, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = "external-broken,bm25,external-mine"
    app, panels = shown("retrieve/compare", monkeypatch, **{"compare.lists": chosen, "compare.embedders": ""})
    broken, bm25, mine = panels[:3]
    assert "The retriever “broken” failed: ValueError: no index." in broken.empty
    assert bm25.ranking.ids == Runner(CORPUS)(BM25(), QUESTION).ids
    assert mine.ranking.ids == ["dv-003", "dv-001"]
    assert mine.unit == "Results outside this corpus: 1 of 3 (nowhere)."
    assert re.search(r"External · mine \d+\.\d ms", words(app))
    _, (*lists, fused) = shown("combine/fusion", monkeypatch, **{"fusion.lists": "external-broken,bm25"})
    assert fused.ranking.hits or lists


def test_a_card_says_that_the_score_comes_without_components(plug: None) -> None:
    app = opened("retrieve/compare", **{"compare.lists": "external-mine", "compare.embedders": "", "doc": "dv-003"})
    assert "The retriever returns this score without components." in words(app)
    app = opened(
        "retrieve/compare", **{"compare.lists": "external-mine,bm25", "compare.embedders": "", "doc": "dv-010"}
    )
    assert "The retriever “mine” did not return this passage." in words(app)


def test_a_slow_server_costs_its_time_limit_once(server: SearchServer) -> None:
    server.behaviour = "drip"
    slow = {"mine": HttpRetriever(server.url, timeout=0.5)}
    app = opened("retrieve/compare", slow, **{"compare.lists": "external-mine,bm25"})
    app.run()
    assert not app.error
    assert len(server.requests) == 1


def test_the_exports_have_no_address_and_give_the_same_list(
    server: SearchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = {"compare.lists": "external-mine,bm25", "compare.embedders": "", "compare.fold.export": "1"}
    app = opened("retrieve/compare", {"mine": HttpRetriever(server.url, secret="sk-1")}, **link)  # type: ignore[arg-type]
    programs = [code.value for code in app.code if code.language == "python"]
    assert programs
    assert not any(server.root in code.value or "sk-1" in code.value for code in app.code)
    monkeypatch.setenv("ADDRESS_1", server.url)
    monkeypatch.setenv("ADDRESS_1_KEY", "sk-1")
    expected = Runner(CORPUS, models={"mine": HttpRetriever(server.url)})(External("mine"), QUESTION).ids
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(programs[0], {})
    rows = [line.split() for line in out.getvalue().splitlines()]
    own = rows[[row[:1] for row in rows].index(["External"]) + 2 :][: len(expected)]
    assert [row[1] for row in own] == expected
    bm25 = Runner(CORPUS)(BM25(), QUESTION).ids[:3]
    assert all(i in out.getvalue() for i in bm25)
