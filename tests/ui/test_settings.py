"""The embedders and servers that a visitor adds, and those that a link names."""

from __future__ import annotations

from pathlib import Path

import pytest
from night import spread
from streamlit.testing.v1 import AppTest

from lab.errors import ModelError
from lab.models import hub, neural
from lab.models.endpoint_chat import SERVERS
from lab.models.neural import OFFERED, STATIC
from lab.ui.layout import settings
from lab.words import Said

ROOT = Path(__file__).parents[2]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The models whose folder was wanted: there is none."""
    names: list[str] = []

    def folder_of(name: str, wanted: hub.Wanted) -> Path:
        names.append(name)
        raise ModelError(Said("No network."), Said("Try later."))

    monkeypatch.setattr(neural, "folder_of", folder_of)
    monkeypatch.setattr(hub, "downloaded", lambda name: None)
    return names


def opened(embedder: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.query_params["embedder"] = embedder
    app.switch_page("pages/combine/mmr/page.py")
    app.run()
    assert not app.exception, app.exception
    return app


def offered(app: AppTest) -> list[str]:
    return [b.label.replace("\\", "") for b in app.button if b.key == "embedder.linked"]


@pytest.mark.parametrize("kind", ["model2vec", pytest.param("sentence-transformer", marks=pytest.mark.nightly)])
def test_a_link_downloads_no_embedder_without_a_click(kind: str, asked: list[str]) -> None:
    app = opened(f"{kind}/owner/model")
    assert app.selectbox(key="embedder").value == "built-in"
    assert offered(app) == ["Load owner/model"]
    app.selectbox(key="corpus").set_value("handbook").run()
    assert not asked
    app.button("embedder.linked").click().run()
    assert asked == ["owner/model"]
    assert "No network." in str([e.value for e in (*app.error, *app.warning)])
    assert app.selectbox(key="embedder").value == "built-in"


@pytest.mark.parametrize("model", spread(["../x", "./x", "../..", "owner/..", "/etc", "~/x", "a/b/c", ""], 3))
@pytest.mark.parametrize("public", ["", "1"])
def test_a_link_names_no_folder(model: str, public: str, asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_PUBLIC", public)
    app = opened(f"model2vec/{model}")
    assert app.selectbox(key="embedder").value == "built-in"
    assert not offered(app)
    assert not asked


def test_for_strangers_a_link_names_only_what_is_offered(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_PUBLIC", "1")
    assert not offered(opened("model2vec/owner/model"))
    assert offered(opened(f"model2vec/{STATIC[0]}")) == [f"Load {STATIC[0]}"]
    assert not asked


@pytest.mark.parametrize(
    ("name", "lang", "chinese"),
    [("handbook", "en", True), ("staff", "zh", False), ("devices", "en", False), ("devices", "zh", True)],
)
def test_strangers_choose_among_the_models_that_are_offered_those_for_the_corpus_first(
    name: str, lang: str, chinese: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_PUBLIC", "1")
    form = "from lab.corpus import samples\nfrom lab.ui import address\nfrom lab.ui.layout import settings\n"
    app = AppTest.from_string(f"{form}address.begin()\nsettings.button(lambda: samples.load({name!r}).corpus)")
    app.session_state["lang"] = lang
    app.run().button(key="embedder.add").click().run()
    offered = app.selectbox[0].options
    assert sorted(offered) == sorted(OFFERED)
    assert ("zh" in offered[0]) is chinese
    assert not app.selectbox[0].proto.accept_new_options


@pytest.mark.parametrize("form", ["embedder", "llm"])
def test_strangers_are_shown_the_address_that_is_called_and_no_server_of_this_machine(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_PUBLIC", "1")
    drawn = f"settings.server({form!r}, {{'OpenAI': 'm'}})"
    app = AppTest.from_string(f"import streamlit as st\nfrom lab.ui.layout import settings\nst.text({drawn}[0])").run()
    elsewhere = [name for name, server in SERVERS.items() if not server.local]
    assert app.selectbox[0].options == elsewhere
    for name in elsewhere:
        app.selectbox[0].set_value(name).run()
        assert app.text_input[0].value == SERVERS[name].base_url == app.text[0].value
        assert app.text_input[0].disabled


def test_a_link_may_leave_the_prefixes_of_a_model_out(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "downloads", lambda name, wanted: False)  # as if it was on this machine
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.query_params["embedder"] = "sentence-transformer-bare/intfloat/multilingual-e5-small"
    app.switch_page("pages/start/home/page.py").run()
    assert app.session_state["embedder"] == "sentence-transformer-bare/intfloat/multilingual-e5-small"
    assert "multilingual-e5-small, without prefixes" in app.selectbox(key="embedder").options
    assert not asked


def test_the_prefixes_of_a_model_are_said_and_can_be_left_out(asked: list[str]) -> None:
    def form() -> None:
        from lab.ui.layout import settings

        settings._form("en")

    app = AppTest.from_function(form)
    app.run()
    app.selectbox("embedder.name.sentence").set_value("intfloat/multilingual-e5-small").run()
    assert any("“query: ”" in c.value.replace("\\", "") for c in app.caption)
    app.toggle("embedder.prompts").set_value(False).run()
    assert any("No text is added." in c.value for c in app.caption)
    assert not app.exception
