"""What belongs to a visitor: found again by their browser, seen by nobody else, and gone when they have gone."""

from __future__ import annotations

import asyncio
import gc
import random
import re
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TypeVar

import numpy as np
import pytest
from holding import longest_hold
from hypothesis import given
from hypothesis import strategies as st
from night import for_each, sample
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.runtime import Runtime, RuntimeConfig
from streamlit.testing.v1 import AppTest

from lab.algebra import Corpus, Document
from lab.corpus.beir import Collection
from lab.models import lsa
from lab.text.borders import BORDERS, _occurs, pieces
from lab.ui import cache, server
from lab.ui.layout import frame
from lab.ui.people import visitor
from lab.ui.people.visitor import MINUTES, Visitor, Visitors, give_back, minutes

ROOT = Path(__file__).parents[2]
T = TypeVar("T")


@pytest.fixture(autouse=True, scope="module")
def collected() -> None:
    """What other tests have left is looked at once, and not with every visitor who goes."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def what_is_new(collected: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The collector of garbage looks at what a test has made, and not at the whole suite each time."""
    monkeypatch.setattr(visitor, "gc", SimpleNamespace(get_freeze_count=lambda: 0, unfreeze=bool, collect=gc.collect))


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def made(connected: set[str]) -> tuple[Visitors, Clock, list[str]]:
    """Visitors among whom these sessions have a browser, with their clock, and the sessions that were ended."""
    clock, ended = Clock(), list[str]()

    def end(sessions):
        ended.extend(sessions)
        return []

    visitors = Visitors(connected=lambda: connected, end=end, clock=clock)
    visitors._timer = threading.current_thread()  # nobody but the test looks
    return visitors, clock, ended


def notes(name: str = "notes") -> Collection:
    return Collection(Corpus(name, (Document("1", "The kiln fires on Tuesdays."),)))


def test_what_a_visitor_has_goes_some_minutes_after_the_last_of_their_tabs():
    connected = {"tab 1", "tab 2", "other"}
    visitors, clock, ended = made(connected)
    me, other = visitors.find_or_add(""), visitors.find_or_add("")
    for session in ("tab 1", "tab 2"):
        visitors.arrive(me, session)
    visitors.arrive(other, "other")
    me.store("uploads")["notes"], other.store("uploads")["notes"] = notes(), notes()
    gone = weakref.ref(me.store("uploads")["notes"].corpus)
    connected -= {"tab 1"}
    clock.now += 1e6
    assert visitors.sweep() == 0
    connected -= {"tab 2"}
    assert visitors.sweep() == 0  # the minutes are counted from here
    clock.now += 60 * MINUTES - 1
    assert visitors.sweep() == 0
    assert gone() is not None
    clock.now += 1
    assert visitors.sweep() == 1
    assert gone() is None
    assert sorted(ended) == ["tab 1", "tab 2"]
    assert other.store("uploads")
    assert visitors.find_or_add(me.token) is not me


def test_who_comes_back_in_time_finds_everything_and_the_minutes_begin_anew():
    connected: set[str] = {"tab"}
    visitors, clock, _ended = made(connected)
    me = visitors.find_or_add("")
    visitors.arrive(me, "tab")
    me.store("judgments")["q1"] = 3
    for session in ("reloaded", "reloaded again"):
        connected.clear()
        visitors.sweep()
        clock.now += 60 * MINUTES - 1
        assert visitors.sweep() == 0
        connected.add(session)
        again = visitors.find_or_add(me.token)
        visitors.arrive(again, session)
        assert again.store("judgments") == {"q1": 3}


@for_each("token", ["", "x", "../../etc", "a" * 42, "a" * 44, "é" * 43, "a" * 42 + "\n"])
def test_what_is_no_token_is_answered_with_one_that_nobody_can_guess(token: str):
    visitors = Visitors()
    one, two = visitors.find_or_add(token), visitors.find_or_add(token)
    assert one.token != two.token
    assert re.fullmatch(r"[\w-]{43}", one.token, re.ASCII)
    assert one.token not in repr(one)


@pytest.mark.parametrize(("said", "meant"), [("", 10), ("2.5", 2.5), ("0", 0), ("soon", 10), ("-1", 10), ("nan", 10)])
def test_the_minutes_of_the_environment_count_where_they_are_minutes(said: str, meant: float, monkeypatch):
    monkeypatch.setenv("LAB_UPLOADS_MINUTES", said)
    assert minutes() == meant


def arriving(monkeypatch: pytest.MonkeyPatch, token: str = "", had: str = "", **link: str) -> AppTest:
    """The page Documents in a session of a browser that has kept this."""
    monkeypatch.setattr(frame, "_cookie", lambda what="": had if what else token)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in {"lang": "en", **link}.items():
        app.query_params[key] = value
    app.switch_page("pages/start/corpus/page.py").run()
    assert not app.exception
    return app


def corpora(app: AppTest) -> list[str]:
    return list(next(s for s in app.selectbox if s.key == "corpus").options)


def warned(app: AppTest) -> str:
    return " ".join(w.value.replace("\\", "") for w in app.warning)


def test_a_second_tab_of_the_browser_finds_an_upload_and_no_other_browser_does(monkeypatch: pytest.MonkeyPatch):
    first = arriving(monkeypatch)
    me: Visitor = first.session_state[frame.VISITOR]
    me.store(frame.UPLOADS)["My notes"] = notes("My notes")
    tab = arriving(monkeypatch, me.token, "My notes", corpus="My notes")
    assert "My notes · 1" in corpora(tab)
    assert tab.session_state["corpus"] == "My notes"
    assert warned(tab) == ""
    stranger = arriving(monkeypatch)
    assert "My notes" not in "".join(corpora(stranger))
    tab.button("corpus.delete.0").click().run()
    assert warned(tab) == ""  # they know
    assert not me.store(frame.UPLOADS)


def test_a_corpus_that_is_no_longer_here_is_named_with_the_reason(monkeypatch: pytest.MonkeyPatch):
    token = "t" * 43
    late = arriving(monkeypatch, token, "My notes")
    assert "Your corpus “My notes” is no longer available" in warned(late)
    assert "10 minutes" in warned(late)
    assert warned(late.run()) == ""  # said once
    linked = arriving(monkeypatch, token, "", corpus="My notes")
    assert "This link needs the corpus “My notes”" in warned(linked)
    linked.session_state[frame.VISITOR].store(frame.UPLOADS)["My notes"] = notes("My notes")
    linked.run()
    next(s for s in linked.selectbox if s.key == "corpus").set_value("My notes").run()
    assert linked.session_state["corpus"] == "My notes"
    linked.session_state[frame.VISITOR].store(frame.UPLOADS).clear()
    assert "removed in another tab" in warned(linked.run())
    assert linked.session_state["corpus"] == "staff"


@pytest.mark.parametrize(("kept", "said"), [("3", True), ("0", False), ("", False), ("x", False)])
def test_grades_that_are_no_longer_here_are_counted_once(monkeypatch: pytest.MonkeyPatch, kept: str, said: bool):
    cookies = {"": "t" * 43, "_corpus": "", "_grades": kept}
    monkeypatch.setattr(frame, "_cookie", lambda what="": cookies[what])
    arrived = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).switch_page("pages/start/corpus/page.py")
    arrived.query_params["lang"] = "en"
    assert ("Your grades (3) are no longer available" in warned(arrived.run())) == said
    assert warned(arrived.run()) == ""


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("127.0.0.1:8501", "retrieval_lab_8501"),
        ("[::1]:80", "retrieval_lab_80"),
        ("lab.example", "retrieval_lab"),
        ("[::1]", "retrieval_lab"),
        ("lab.example:x;y", "retrieval_lab"),
    ],
)
def test_processes_behind_one_address_know_a_browser_by_the_same_name(
    monkeypatch: pytest.MonkeyPatch, host: str, name: str
):
    monkeypatch.setattr(frame.st, "context", SimpleNamespace(headers={"Host": host}, cookies={name: "mine"}))
    monkeypatch.setattr(server, "session_id", lambda: "s")  # outside of a session there are no headers
    assert frame._name() == name
    assert frame._cookie() == "mine"


PAGES = (
    ("start/corpus", "start/vocabulary"),
    ("retrieve/compare", "retrieve/vector_store"),
    ("combine/fusion", "refine/rerank"),
)


def test_nothing_of_an_upload_is_left_after_its_visitor_has_gone(monkeypatch: pytest.MonkeyPatch):
    visitors, clock, _ended = made(set())
    monkeypatch.setattr(cache, "VISITORS", visitors)
    held = []
    for seed, pages in enumerate(sample(PAGES, 1)):
        rng = random.Random(seed)
        words = ["".join(rng.choices("abcdefghij", k=5)) for _ in range(300)]
        texts = [" ".join(rng.choices(words, k=30)) + " 每周二开窑" for _ in range(100)]
        app = arriving(monkeypatch)
        corpus = Corpus("mine", tuple(Document(str(i), text) for i, text in enumerate(texts)))
        app.session_state[frame.VISITOR].store(frame.UPLOADS)["mine"] = Collection(corpus)
        held += [weakref.ref(corpus), weakref.ref(corpus.documents[7])]
        next(s for s in app.run().selectbox if s.key == "corpus").set_value("mine").run()
        for page in pages:
            app.switch_page(f"pages/{page}/page.py").run()
            assert not app.exception
            assert app.session_state["corpus"] == "mine"
        assert len(corpus._memo.kept) > 1
        del app, corpus
        clock.now += 60 * MINUTES
        visitors.sweep()
        clock.now += 60 * MINUTES
        assert visitors.sweep() == 1
        visitors.find_or_add("")  # somebody else
    assert [one() for one in held] == [None] * len(held)
    assert held


def test_two_tabs_that_were_opened_at_once_become_one_visitor(monkeypatch: pytest.MonkeyPatch):
    one, two = arriving(monkeypatch), arriving(monkeypatch)
    first, second = one.session_state[frame.VISITOR], two.session_state[frame.VISITOR]
    second.store(frame.UPLOADS)["b"], first.store(frame.UPLOADS)["a"] = notes("b"), notes("a")
    first.take(second)
    assert set(first.store(frame.UPLOADS)) == {"a", "b"}


def test_the_token_stands_in_no_address_and_no_text(monkeypatch: pytest.MonkeyPatch):
    app = arriving(monkeypatch)
    token = app.session_state[frame.VISITOR].token
    assert token not in str(dict(app.query_params))
    assert token not in str([x.value for kind in (app.markdown, app.caption, app.warning) for x in kind])


@pytest.mark.nightly
def test_one_visitors_long_work_keeps_no_other_waiting():
    tall = np.random.default_rng(0).random((200_000, 128))
    works = {
        "a text without a border": lambda: pieces("<" * 4_000_000, 100_000),
        "topics of many words": lambda: lsa._qr(tall),
    }
    held = {name: longest_hold(work) for name, work in works.items()}
    assert {name: seconds for name, seconds in held.items() if seconds > 1} == {}


@pytest.mark.parametrize("border", BORDERS[:-1])
@given(text=st.text("a\n .,!。…:5M", max_size=30))
def test_a_border_is_found_in_slices_where_it_is_found_at_once(border: str, text: str):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lab.text.borders.SLICE", 3)
        assert _occurs(border, text) == bool(re.search(border, text))


def test_a_tall_table_reckoned_in_blocks_is_what_it_is_at_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(lsa, "BLOCK", 64)
    tall = np.random.default_rng(1).normal(size=(1003, 30))
    q, r = lsa._qr(tall)
    assert np.allclose(q @ r, tall)
    assert np.allclose(q.T @ q, np.eye(30))


def test_two_visitors_with_the_same_texts_never_see_each_others_names(monkeypatch: pytest.MonkeyPatch):
    texts = ("The kiln fires on Tuesdays.", "White clay is ordered.", "Wipe the wheel.")
    for own, other in (("Annas Blatt", ""), ("Berts Heft", "Annas Blatt")):
        app = arriving(monkeypatch)
        corpus = Corpus(own, tuple(Document(str(i), text) for i, text in enumerate(texts)))
        app.session_state[frame.VISITOR].store(frame.UPLOADS)[own] = Collection(corpus)
        next(s for s in app.run().selectbox if s.key == "corpus").set_value(own).run()
        app.switch_page("pages/retrieve/vector_store/page.py").run()
        shown = "".join(str(element.proto) for element in app.main) + "".join(map(str, app.sidebar))
        assert own in shown
        assert not other or other not in shown


@pytest.mark.nightly
def test_a_visitor_who_came_before_the_server_was_ready_is_freed_as_well(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(visitor, "gc", gc)
    corpus = notes().corpus
    circle = [corpus]
    corpus.once("circle", partial(list, circle))
    gone = weakref.ref(corpus)
    gc.freeze()  # what `launch.ready` ends with
    del corpus, circle
    gc.collect()
    assert gone() is not None
    give_back()
    assert gone() is None
    assert gc.get_freeze_count() > 0


KEEPING = """
import sys
import weakref

import streamlit as st

class Book:
    pass

def page():
    book = st.session_state["book"] = Book()
    sys.modules["kept"].append(weakref.ref(book))

    @st.fragment
    def part():
        st.button("Read", on_click=print, args=(book,))

    part()

page()
"""


@pytest.fixture
def streamlit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runtime]:
    """Streamlit at work in this process, with a script whose sessions each hold something."""
    script = tmp_path / "keeping.py"
    script.write_text(KEEPING)
    monkeypatch.setitem(sys.modules, "kept", kept := [])
    monkeypatch.setattr(Runtime, "_instance", None)
    config = RuntimeConfig(str(script), MemoryMediaFileStorage("/media"), MemoryUploadedFileManager("/upload"))
    runtime, loop = Runtime(config), asyncio.new_event_loop()
    runtime.kept = kept
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    asyncio.run_coroutine_threadsafe(runtime.start(), loop).result(10)
    yield runtime

    async def stop() -> None:
        runtime.stop()
        await runtime.stopped

    asyncio.run_coroutine_threadsafe(stop(), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


class Browser:
    """Somebody's connection."""

    client_context = None

    def __init__(self) -> None:
        self.finished = threading.Event()

    def write_forward_msg(self, message: ForwardMsg) -> None:
        if message.WhichOneof("type") == "script_finished":
            self.finished.set()


def in_its_thread(runtime: Runtime, act: Callable[[], T]) -> T:
    """What Streamlit does where its sessions belong."""

    async def run() -> T:
        return act()

    return asyncio.run_coroutine_threadsafe(run(), runtime._get_async_objs().eventloop).result(10)


def test_sessions_of_who_has_gone_and_those_that_nobody_can_come_back_to_are_ended(streamlit: Runtime):
    here, second, away = (in_its_thread(streamlit, lambda: streamlit.connect_session(Browser(), {})) for _ in range(3))
    freed = {session: weakref.ref(streamlit.get_app_session(session)) for session in (here, second, away)}
    visitors, clock = Visitors(), Clock()
    visitors._clock, visitors._timer = clock, threading.current_thread()
    me, other = visitors.find_or_add(""), visitors.find_or_add("")
    for visitor_of, session in ((me, here), (me, second), (other, away)):
        visitors.arrive(visitor_of, session)
    for session in (second, away):
        in_its_thread(streamlit, lambda session=session: streamlit.disconnect_session(session))

    def ended() -> set[str]:
        known = {info.session.id for info in streamlit._session_mgr.list_sessions()}
        return {second, away, here} - known

    visitors.sweep()
    clock.now += 100
    visitors.sweep()
    assert ended() == set()  # a lost connection may come back
    back = in_its_thread(streamlit, lambda: streamlit.connect_session(Browser(), {}, existing_session_id=away))
    assert back == away
    clock.now += 30
    visitors.sweep()
    assert ended() == {second}
    in_its_thread(streamlit, lambda: streamlit.disconnect_session(away))
    for seconds in (0, 60 * MINUTES):
        clock.now += seconds
        visitors.sweep()
    assert ended() == {second, away}
    assert len(visitors) == 1
    gc.collect()
    assert [session for session, one in freed.items() if one() is not None] == [here]


@pytest.mark.nightly
def test_the_last_session_holds_nothing_when_its_visitor_has_gone_and_nobody_else_has_come(streamlit: Runtime):
    browser = Browser()
    session = in_its_thread(streamlit, lambda: streamlit.connect_session(browser, {}))
    in_its_thread(streamlit, lambda: streamlit.handle_backmsg(session, BackMsg(rerun_script={})))
    assert browser.finished.wait(20)
    assert streamlit.kept[0]() is not None
    visitors, clock = Visitors(), Clock()
    visitors._clock, visitors._timer = clock, threading.current_thread()
    visitors.arrive(visitors.find_or_add(""), session)
    in_its_thread(streamlit, lambda: streamlit.disconnect_session(session))
    visitors.sweep()
    clock.now += 60 * MINUTES
    for _ in range(3):
        visitors.sweep()
        time.sleep(0.3)
    assert streamlit.kept[0]() is None
