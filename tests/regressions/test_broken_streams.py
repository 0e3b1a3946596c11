"""Streams of a language model: what breaks off is no whole answer, and what had come is kept."""

from __future__ import annotations

import json
from typing import Any

import pytest
from models.server import Server

from lab.models.endpoint_chat import EndpointModel
from pages.whole.answer.streaming import Writing


def event(reply: Any) -> str:
    return f"data: {json.dumps(reply)}\n\n"


def piece(text: str = "", reason: str | None = None, **more: Any) -> str:
    return event({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": reason, **more}]})


HALF, ALL, DONE = piece("Half an answ"), piece("All of it."), "data: [DONE]\n\n"
GONE = {"error": {"message": "provider is gone"}}
KEPT, WHOLE, EMPTY = ("not whole", "Half an answ"), ("whole", "All of it."), ("empty answer", "")
CASES: dict[str, tuple[str, str, tuple[str, str]]] = {
    "no reason, no mark of the end, and the connection closes": (HALF, "closes", KEPT),
    "the same where the body is finished properly": (piece("半个回"), "finished", ("not whole", "半个回")),
    "the last event is cut within its JSON": (HALF + 'data: {"choices":[{"index":0,"del', "closes", KEPT),
    "counts of tokens are no end": (HALF + event({"choices": [], "usage": {"total_tokens": 5}}), "closes", KEPT),
    "the mark of the end within the answer is none": (
        piece("a line\ndata: [DONE]\nand hal"),
        "closes",
        ("not whole", "a line\ndata: [DONE]\nand hal"),
    ),
    "a comment that keeps the connection alive is no end": (HALF + ": [DONE]\n\n", "closes", KEPT),
    "a reason and no mark of the end": (ALL + piece(reason="stop"), "closes", WHOLE),
    "the mark of the end and no reason": (ALL + DONE, "finished", WHOLE),
    "the mark without a blank, and no empty line behind it": (ALL + "data:[DONE]\n", "closes", WHOLE),
    "lines that end as on Windows": ((ALL + DONE).replace("\n", "\r\n"), "finished", WHOLE),
    "cut at its longest": (piece("Half an answ", "length") + DONE, "finished", KEPT),
    "stopped by a filter of contents": (HALF + piece(reason="content_filter") + DONE, "finished", KEPT),
    "given up by the server": (HALF + piece(reason="insufficient_system_resource") + DONE, "finished", KEPT),
    "the connection is reset": (HALF, "reset", ("broke off", "Half an answ")),
    "the body ends without its last chunk": (HALF, "drops", ("broke off", "Half an answ")),
    "an error within the stream": (HALF + event({"error": {"message": "gone"}}), "finished", ("gone", "Half an answ")),
    "an error as a text": (HALF + event({"error": "显存不足"}) + DONE, "finished", ("显存不足", "Half an answ")),
    "an error without its usual key": (
        HALF + event({"object": "error", "message": "out of memory", "code": 500}) + DONE,
        "finished",
        ("out of memory", "Half an answ"),
    ),
    "an error in an event of its own kind": (
        HALF + "event: error\n" + event({"message": "overloaded"}),
        "finished",
        ("overloaded", "Half an answ"),
    ),
    "an error in the place of a choice's text": (
        HALF + piece(reason="error", **GONE) + DONE,
        "finished",
        ("provider is gone", "Half an answ"),
    ),
    "an empty answer that ends properly": (piece(reason="stop") + DONE, "finished", EMPTY),
    "nothing at all": ("", "closes", EMPTY),
    "the mark of the end alone": (DONE, "finished", EMPTY),
    "thoughts that break off": (piece("<think>the user wants"), "closes", EMPTY),
    "a page of a proxy": ("<html><body>502 Bad Gateway</body></html>", "finished", ("sends a web page", "")),
}
"""The events, how the connection ends (finished: with the last chunk), and the outcome: an error, or how much it is."""


@pytest.mark.parametrize("name", CASES)
def test_an_answer_that_breaks_off_is_not_whole(name: str) -> None:
    body, end, (outcome, text) = CASES[name]
    with Server() as server:
        server.events = body.encode()
        server.then(f"events {end}")
        writing = Writing(EndpointModel("m", server.url, timeout=5.0, retries=0), "prompt")
        assert writing.over.wait(20)
    assert writing.said == text
    if outcome in ("whole", "not whole"):
        assert writing.error is None
        assert writing.completion is not None
        assert writing.completion.complete == (outcome == "whole")
    else:
        assert outcome in str(writing.error)
