"""Streams of a language model: what breaks off is no whole answer, and what had come is kept."""

from __future__ import annotations

from typing import Any

import pytest
from models.server import Server
from regressions import load_cases

from lab.models.endpoint_chat import EndpointModel
from pages.whole.answer.streaming import Writing


@pytest.mark.parametrize("case", load_cases("broken_streams"))
def test_an_answer_that_breaks_off_is_not_whole(case: dict[str, Any]):
    with Server() as server:
        server.events = case["body"].encode()
        server.then(f"events {case['end']}")
        writing = Writing(EndpointModel("m", server.url, timeout=5.0, retries=0), "prompt")
        assert writing.over.wait(20)
    assert writing.said == case["text"]
    if case["outcome"] == "error":
        assert writing.error is not None
        assert case["error"] in str(writing.error)
    else:
        assert writing.error is None
        assert writing.completion is not None
        assert writing.completion.complete == (case["outcome"] == "whole")
