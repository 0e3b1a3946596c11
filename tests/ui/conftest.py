"""What the tests of pages share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import app_pages  # noqa: F401  # changes Streamlit's test runner
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from lab.ui import components

PLAYED = "test.played"
MENUS: dict[str, dict[str, Any]] = {}
"""What the menu of each page was drawn with last, by its key."""


@pytest.fixture(autouse=True)
def menus(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, Any]]:
    return playable(monkeypatch)


def playable(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, Any]]:
    """Lets `play` choose a lesson, as Streamlit's test runner knows no components.

    Returns what the menus of pages are drawn with, by their keys.
    """
    MENUS.clear()
    draw = components.menu

    def menu(data: dict[str, Any], *, key: str, played: Callable[[str], None]) -> None:
        MENUS[key] = data
        if st.session_state.get(PLAYED, ("",))[0] == key:
            played(st.session_state.pop(PLAYED)[1])
            st.rerun()
        draw(data, key=key, played=played)

    monkeypatch.setattr(components, "menu", menu)
    return MENUS


def play(app: AppTest, page: str, lesson: str) -> AppTest:
    """Choose a lesson in the menu of a page, by its key."""
    app.session_state[PLAYED] = (f"{page}.menu", lesson)
    app.run()
    assert PLAYED not in app.session_state, f"the page {page} has no menu"
    return app


def unescaped(text: str) -> str:
    """A text as it is read on the page: without backslashes, and without the sign that keeps addresses from linking."""
    return text.replace("\\", "").replace("\u2060", "")


def answered(app: AppTest) -> AppTest:
    """The page when the language model has said all that it was asked: a browser looks for that by itself."""
    while any(b.key == "llm.stop" for b in app.button):
        app.run()
    assert not app.exception, app.exception
    return app
