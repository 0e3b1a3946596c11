"""An answer while it is written: it can be stopped, it ends by itself, and what had come is kept and marked."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from models.scripted import ScriptedModel
from models.server import Server

from lab.models.endpoint_chat import EndpointModel
from pages.whole.answer import streaming
from pages.whole.answer.streaming import STOPPED, Writing

SAID = "One sentence.\nAnother one.\nA third."


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(SAID) as running:
        yield running


def write(server: Server, behaviour: str, *, timeout: float = 1.0) -> Writing:
    server.then(behaviour)
    return Writing(EndpointModel("m", server.url, timeout=timeout, retries=0), "prompt")


def whole(writing: Writing) -> Writing:
    assert writing.over.wait(20)
    return writing


def test_a_whole_answer_is_kept_with_its_count(server: Server) -> None:
    told = whole(write(server, "answer"))
    assert told.said == SAID
    assert told.error is None
    assert told.completion is not None
    assert told.completion.prompt_tokens == 12


@pytest.mark.parametrize("behaviour", ["broken", "hangs", "truncated"])
def test_what_had_come_of_an_answer_that_breaks_off_is_kept_and_marked(server: Server, behaviour: str) -> None:
    told = whole(write(server, behaviour, timeout=0.6))
    assert told.said == "One sentence."
    assert told.error is not None
    assert told.completion is None


def test_a_stream_that_never_ends_is_ended(server: Server) -> None:
    start = time.monotonic()
    told = whole(write(server, "endless", timeout=1.0))
    assert time.monotonic() - start < 15
    assert told.said.startswith("One sentence.")
    assert told.error is not None


@pytest.mark.parametrize("behaviour", ["stall", "500", "nothing", "choiceless", "drop", "moved", "reports", "number"])
def test_an_answer_that_never_comes_is_an_error_and_no_text(server: Server, behaviour: str) -> None:
    told = whole(write(server, behaviour, timeout=0.6))
    assert told.said == ""
    assert told.error is not None
    assert told.error.remedy


def test_three_megabytes_are_broken_off(server: Server) -> None:
    server.answer = ("x" * 999 + "\n") * 3000
    told = whole(write(server, "answer", timeout=20))
    assert told.error is not None
    assert 0 < len(told.said) <= 3_000_000


def test_stop_is_heard_at_once_and_what_had_come_stays(server: Server) -> None:
    told = write(server, "endless", timeout=30)
    end = time.monotonic() + 20
    while not told.said and time.monotonic() < end:
        time.sleep(0.02)
    start = time.monotonic()
    told.stop()
    assert told.over.is_set()
    assert time.monotonic() - start < 0.5
    assert told.error is STOPPED
    had = told.said
    time.sleep(0.3)
    assert told.said.startswith("One sentence.")
    assert len(told.said) <= len(had) + 20


def test_stop_while_nothing_has_come_does_not_wait(server: Server) -> None:
    told = write(server, "holds", timeout=30)
    told.stop()
    assert told.over.is_set()
    server.release.set()
    time.sleep(0.3)
    assert told.completion is None
    assert told.said == ""


def test_an_answer_at_which_nobody_looks_any_more_ends(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "GONE", 0.2)
    told = whole(write(server, "endless", timeout=30))
    assert told.error is STOPPED


def test_thoughts_are_not_shown() -> None:
    told = whole(Writing(ScriptedModel((("", "<think>hm, hm</think>Seven days."),)), "prompt"))
    assert told.said == "Seven days."
