"""The fields of prompts on every page: one warning where a needed name is missing; and steps without their model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from models.server import Server
from night import spread
from streamlit.testing.v1 import AppTest

from lab import BM25, LanguageModelJudge, formats
from lab.models.endpoint_chat import EndpointModel
from lab.ui import components
from ui.conftest import answered, unescaped
from ui.test_fault_modes import sent

ROOT = Path(__file__).parents[2]
FIELDS: dict[str, tuple[str, dict[str, str], str, str]] = {
    "filter": (
        "refine/filter",
        {"filter.chain": "languagemodeljudge"},
        "filter.languagemodeljudge.template",
        "{query} {context}",
    ),
    "compress": (
        "refine/compress",
        {"compress.by": "modelextractor"},
        "compress.modelextractor.template",
        "{query} {text}",
    ),
    "rewrite": (
        "query/rewrite",
        {"rewrite.techniques": "multiquery", "rewrite.fold.prompt.multiquery": "1"},
        "rewrite.prompt.Multi-query.en",
        "{query}",
    ),
    "routing": (
        "query/routing",
        {"routing.by": "model", "routing.fold.prompt": "1"},
        "routing.collectionrouter.template",
        "{query} {routes}",
    ),
    "granularity": (
        "index/granularity",
        {"granularity.indexes": "whole,questions", "granularity.fold.prompt.questions": "1"},
        "granularity.questions.template",
        "{document}",
    ),
    "answer": ("whole/answer", {"answer.fold.prompt": "1"}, "answer.own", "{context} {query}"),
    "pipeline": (
        "whole/pipeline",
        {"pipeline.a": formats.expression(BM25() >> LanguageModelJudge()), "pipeline.at": "a/refine.0"},
        "",
        "{query} {document}",
    ),
}
"""Per page: where it is, its link, the key of its prompt, and a prompt that lacks nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server('{"relevant": true, "reason": "r", "extracts": [], "route": "devices"}') as running:
        yield running


def opened(page: str, server: Server | None = None, **link: str) -> AppTest:
    folder, own, _key, _whole = FIELDS[page]
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in {"lang": "en", "corpus": "devices", "q": "battery empty in the morning", **own, **link}.items():
        app.query_params[name] = value
    if server is not None:
        app.session_state["_language_model"] = EndpointModel("m", server.url, retries=0)
    app.switch_page(f"pages/{folder}/page.py")
    return answered(app.run())


def field(app: AppTest, page: str) -> Any:
    key = FIELDS[page][2]
    return app.text_area(key) if key else next(x for x in app.text_area if x.label == "Prompt")


def warned(app: AppTest) -> list[str]:
    return [unescaped(x.value) for x in app.warning if "The prompt lacks" in x.value]


@pytest.mark.parametrize("page", spread([*FIELDS], 1))
def test_every_prompt_field_warns_of_what_it_lacks_and_knows_every_name(page: str, server: Server) -> None:
    app = opened(page, server)
    assert not warned(app), "the prompt of the lab lacks nothing"
    answered(field(app, page).set_value("Say something.").run())
    assert len(warned(app)) == 1
    answered(field(app, page).set_value(FIELDS[page][3]).run())
    assert not warned(app)
    answered(field(app, page).set_value(FIELDS[page][3] + " {topic}").run())
    assert any("Nothing fills in {topic}" in unescaped(x.value) for x in app.warning)


def test_a_filter_without_a_model_is_marked_in_the_funnel(server: Server) -> None:
    app = opened("filter")
    said = [unescaped(x.value) for x in [*app.info, *app.caption]]
    assert sum("No language model is set: every passage stays." in text for text in said) == 2, "in its tab, at its bar"
    assert "no model" in sent(app)
    app = opened("filter", server)
    assert "no model" not in sent(app)


def test_a_step_without_a_model_is_marked_in_the_picture(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[dict[str, Any]] = []
    monkeypatch.setattr(components, "flow", lambda data, **_more: drawn.append(data))
    opened("pipeline")
    notes = [
        item.get("note") for item in drawn[-1]["columns"][0]["items"] if item.get("title") == "Language model judge"
    ]
    assert notes == ["No language model is set: every passage stays."]
    opened("pipeline", server)
    assert not [item for item in drawn[-1]["columns"][0]["items"] if item.get("note")]
