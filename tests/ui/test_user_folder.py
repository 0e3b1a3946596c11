"""The user's data folder: a lab for oneself keeps what it was given there; a server never writes to it."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from night import for_each
from streamlit.testing.v1 import AppTest

from lab import cli
from lab.models.endpoint_chat import EndpointModel
from lab.models.secrets import Secret
from lab.ui import cache, launch, server
from lab.ui.layout import frame
from lab.ui.models import language_model
from lab.ui.people import keeping, user_folder, visitor
from lab.ui.people.visitor import Visitor, Visitors
from ui.conftest import unescaped
from ui.test_keeping import pasted, refusing, restarted, told
from ui.test_memory import arriving, corpora, notes, warned

TOKEN = "t" * 43
KEY = "sk-nobody-else-sees-this-0123456789"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lab that its user has started for themselves; gives its folder, which does not exist yet."""
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("LAB_KEEP", "1")
    monkeypatch.setattr(cache, "VISITORS", Visitors())
    monkeypatch.setattr(user_folder.st, "get_option", lambda _name, get=st.get_option: option(_name, get))
    folder = user_folder.folder()
    assert folder is not None
    assert folder.is_relative_to(tmp_path)
    return folder


def option(name: str, get: object) -> object:
    return "localhost" if name == "server.address" else get(name)  # type: ignore[operator]


# --------------------------------------------------------------------------------------- whose lab this is


@for_each(
    "address, keeps",
    [("localhost", True), ("127.0.0.1", True), ("127.1.2.3", True), ("::1", True)]
    + [(x, False) for x in ("", None, "0.0.0.0", "::", "192.168.1.20", "fe80::1", "lab.example", "unix:///run/lab")],
)
def test_only_a_lab_that_listens_at_this_machine_alone_keeps_anything(
    address: str | None, keeps: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LAB_KEEP", "1")
    monkeypatch.setattr(user_folder.st, "get_option", lambda _name: address)
    assert (user_folder.folder() is not None) == keeps


@for_each(
    "headers, keeps",
    [
        ({"Host": "localhost:8501"}, True),
        ({"Host": "127.0.0.1:8501"}, True),
        ({"Host": "[::1]:8501"}, True),
        ({"Host": "lab.example"}, False),
        ({"Host": "192.168.1.20:8501"}, False),
        ({"Host": "localhost.evil.example:8501"}, False),
        *[({"Host": "localhost:8501", name: "10.0.0.7"}, False) for name in user_folder.FORWARDED],
    ],
)
def test_a_browser_that_came_through_a_network_is_a_servers_visitor(
    headers: dict[str, str], keeps: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LAB_KEEP", "1")
    monkeypatch.setattr(user_folder.st, "get_option", lambda _name: "localhost")
    monkeypatch.setattr(visitor.st, "context", SimpleNamespace(headers=headers, cookies={}))
    monkeypatch.setattr(server, "session_id", lambda: "s")  # outside of a session there are no headers
    assert (user_folder.folder() is not None) == keeps


def test_a_public_lab_keeps_nothing_whatever_is_asked_for(own: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LAB_PUBLIC", "1")
    assert user_folder.folder() is None
    assert keeping.folder() is None


@pytest.mark.parametrize(
    ("words", "wish", "said"), [([], None, "1"), ([], "0", "0"), (["--share"], None, "0"), (["--share"], "1", "0")]
)
def test_the_command_line_asks_for_the_folder_unless_it_shares(
    words: list[str], wish: str | None, said: str, monkeypatch: pytest.MonkeyPatch
):
    assert launch.KEEP == user_folder.SETTING
    monkeypatch.setenv("LAB_KEEP", wish or "")  # it is put back after the test
    if wish is None:
        monkeypatch.delenv("LAB_KEEP")
    monkeypatch.setattr(launch.runpy, "run_module", lambda *_args, **_how: None)
    monkeypatch.setattr(launch.threading.Thread, "start", lambda _self: None)
    monkeypatch.setattr(launch, "network_address", lambda: "192.0.2.7")
    monkeypatch.setattr(sys, "argv", [])
    assert cli.main(words) == 0
    assert os.environ["LAB_KEEP"] == said


def test_a_folder_that_is_named_is_taken_instead(own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LAB_UPLOADS_DIR", str(tmp_path / "named"))
    uploads = keeping.folder()
    assert uploads is not None
    assert (uploads.home, uploads.days) == (tmp_path / "named", 7)
    assert not keeping.is_users_own()


# ------------------------------------------------------------------------------------------ what is kept


def test_uploads_and_grades_outlive_the_server_and_the_page_says_where(own: Path, monkeypatch: pytest.MonkeyPatch):
    app = arriving(monkeypatch)
    assert "Kept on this computer" not in [s.value for s in app.subheader], "nothing is, so far"
    pasted(app, "The kiln fires on Tuesdays.\n\nThe mole digs at night.")
    me: Visitor = app.session_state[frame.VISITOR]
    keeping.change(me, lambda judgments: judgments.given("when?", notes().corpus.documents[0], 2))
    again = restarted(monkeypatch, me.token, corpus="Pasted text")
    assert "Pasted text · 2" in corpora(again)
    assert warned(again) == ""
    assert len(keeping.judgments(again.session_state[frame.VISITOR]).history) == 1
    assert "stay on this computer until you delete them" in told(again)
    assert str(own) in told(again).replace("\u2060", "")
    assert "kept until you delete it" in told(again)
    assert keeping.days() == math.inf
    assert frame._seconds() == 400 * 86_400, "as long as browsers keep a cookie"
    assert frame._name() == "retrieval_lab", "on whatever port it is started the next time"


def test_a_year_later_everything_is_still_there(own: Path):
    keeping.OwnCorpora(Visitor(TOKEN))["notes"] = notes()
    keeping.change(Visitor(TOKEN), lambda judgments: judgments.given("when?", notes().corpus.documents[0], 2))
    for file in [own, *own.rglob("*")]:
        os.utime(file, (1e9, 1e9))
    keeping.sweep()
    assert list(keeping.OwnCorpora(Visitor(TOKEN))) == ["notes"]
    assert len(keeping.judgments(Visitor(TOKEN)).history) == 1


def test_days_that_are_set_count_here_too(own: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LAB_UPLOADS_DAYS", "2")
    keeping.OwnCorpora(Visitor(TOKEN))["notes"] = notes()
    assert "until 2 days after they were last used" in keeping.retention_text()
    for file in own.rglob("about.json"):
        os.utime(file, (1e9, 1e9))
    assert list(keeping.OwnCorpora(Visitor(TOKEN))) == []


def test_one_click_deletes_all_of_it_those_of_other_browsers_included(own: Path, monkeypatch: pytest.MonkeyPatch):
    other = cache.VISITORS.find_or_add("o" * 43)
    keeping.OwnCorpora(other)["other"] = notes("other")
    keeping.change(other, lambda judgments: judgments.given("other?", notes().corpus.documents[0], 1))
    app = arriving(monkeypatch, TOKEN)
    assert "Kept on this computer" in [s.value for s in app.subheader], "of another browser"
    pasted(app, "The kiln fires on Tuesdays.")
    me = app.session_state[frame.VISITOR]
    keeping.change(me, lambda judgments: judgments.given("when?", notes().corpus.documents[0], 2))
    keeping.keep_model(me, {"model": "m"})
    app.run().button("corpus.delete.all").click().run()
    assert not app.exception
    assert not own.exists()
    assert app.session_state["corpus"] == "staff"
    assert warned(app) == ""
    assert [t.value for t in app.toast] == ["All stored data is deleted."]
    assert not [b for b in app.button if b.key == "corpus.delete.all"]
    for one in (me, other):
        assert list(keeping.OwnCorpora(one)) == []
        assert keeping.judgments(one).history == ()
    keeping.change(other, lambda judgments: judgments.given("new?", notes().corpus.documents[0], 1))
    assert [j.question for j in keeping.judgments(other).history] == ["new?"], "no grade comes back"


def test_a_folder_that_cannot_be_deleted_is_said(own: Path, monkeypatch: pytest.MonkeyPatch):
    app = pasted(arriving(monkeypatch), "The kiln fires on Tuesdays.")
    with monkeypatch.context() as locked:
        locked.setattr("lab.corpus.disk.remove", refusing)
        app.button("corpus.delete.all").click().run()
    assert not app.exception
    assert "could not be deleted because the lab's disk is not writable" in told(app)
    assert "Pasted text" in list(keeping.OwnCorpora(app.session_state[frame.VISITOR]))


def test_a_server_has_no_such_button_and_tells_no_path(own: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LAB_PUBLIC", "1")
    app = pasted(arriving(monkeypatch), "The kiln fires on Tuesdays.")
    assert not [b for b in app.button if b.key == "corpus.delete.all"]
    assert "this computer" not in told(app)
    assert not own.exists()


# ----------------------------------------------------------------------------------- the language model


def model_button(app: AppTest) -> str:
    return unescaped(next(b.label for b in app.button if b.key == "llm.open"))


def using(monkeypatch: pytest.MonkeyPatch, model: EndpointModel, token: str = TOKEN) -> Visitor:
    """The visitor with this token, who has set a model in an earlier session."""
    me = cache.VISITORS.find_or_add(token)
    monkeypatch.setattr(language_model.st, "rerun", lambda: None)
    language_model._use(model, me)
    st.session_state.clear()
    return me


@pytest.mark.parametrize("kept", [True, False], ids=["own", "server"])
def test_after_a_reload_the_address_and_the_model_are_there_and_the_key_is_asked_for(
    own: Path, monkeypatch: pytest.MonkeyPatch, kept: bool
):
    if not kept:
        monkeypatch.setenv("LAB_KEEP", "0")
    model = EndpointModel("m-7", "http://user:word@10.0.0.7:8000/v1?token=secret", Secret(KEY), temperature=0.7)
    using(monkeypatch, model)
    app = arriving(monkeypatch, TOKEN)
    assert model_button(app) == "Language model: m-7, key missing"
    restored = app.session_state[language_model._KEPT]
    assert (restored.model.base_url, restored.needs_key) == ("http://10.0.0.7:8000/v1", True)
    assert (restored.model.temperature, restored.model.prices, bool(restored.model.secret)) == (0.7, None, False)
    written = b"".join(file.read_bytes() for file in own.rglob("*") if file.is_file())
    assert bool(written) == kept, "a server writes nothing"
    for secret in (KEY, "word", "token"):
        assert secret.encode() not in written


def test_a_model_without_a_key_goes_on_after_a_restart(own: Path, monkeypatch: pytest.MonkeyPatch):
    using(monkeypatch, EndpointModel("qwen", "http://localhost:11434/v1", prices=(1.0, 2.0)))
    again = restarted(monkeypatch, TOKEN)
    assert model_button(again) == "Language model: qwen"
    assert again.session_state[language_model._KEPT].model.prices == (1.0, 2.0)
    stranger = restarted(monkeypatch, "s" * 43)
    assert model_button(stranger) == "Language model: not set · rules"


def test_a_model_that_is_forgotten_is_not_there_after_a_reload(own: Path, monkeypatch: pytest.MonkeyPatch):
    me = using(monkeypatch, EndpointModel("qwen", "http://localhost:11434/v1"))
    language_model._use(None, me)
    assert not [*own.rglob("model.json")]
    assert model_button(restarted(monkeypatch, TOKEN)) == "Language model: not set · rules"


@for_each(
    "text",
    [
        "",
        "null",
        "[]",
        '{"base_url": 3}',
        '{"base_url": "file:///etc/passwd", "model": "m", "temperature": 0.2, "timeout": 1, "retries": 1,'
        ' "prices": null, "needs_key": false}',
        '{"base_url": "http://localhost/v1", "model": "m", "temperature": 99, "timeout": 1, "retries": 1,'
        ' "prices": null, "needs_key": false}',
        '{"base_url": "http://localhost/v1", "model": "m", "temperature": "warm", "timeout": 1, "retries": 1,'
        ' "prices": [1], "needs_key": false}',
    ],
)
def test_a_damaged_description_is_no_model_and_no_error(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    uploads = keeping.UploadFolder(tmp_path, 1e9, math.inf).of(TOKEN)
    uploads.write_model({"model": "m"})
    uploads.model_file.write_text(text, "utf-8")
    monkeypatch.setattr(language_model.keeping, "model", lambda _visitor: uploads.model())
    st.session_state.clear()
    language_model.restore(Visitor(TOKEN))
    assert language_model._KEPT not in st.session_state


def test_two_visitors_who_turn_out_to_be_one_have_one_model(own: Path):
    one, other = Visitor("1" * 43), Visitor("2" * 43)
    keeping.keep_model(other, {"model": "b"})
    keeping.same(one, other)
    assert keeping.model(Visitor("1" * 43)) == {"model": "b"}
    third = Visitor("3" * 43)
    keeping.keep_model(third, {"model": "c"})
    keeping.same(one, third)
    assert keeping.model(Visitor("1" * 43)) == {"model": "b"}
    assert len([*own.rglob("model.json")]) == 1
