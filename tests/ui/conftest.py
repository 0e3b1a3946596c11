"""What the tests of pages share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import app_pages  # noqa: F401  # changes Streamlit's test runner
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from lab.corpus.beir import Collection
from lab.ui import components
from lab.ui.figures import charts
from lab.ui.layout import frame
from lab.ui.people.visitor import Visitor

ROOT = Path(__file__).parents[2]
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


def opened(page: str, own: Collection | None = None, **link: str) -> AppTest:
    """A page by its path below pages, with parameters of its link; ``own`` is an upload, which is its corpus."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    if own:
        app.session_state[frame.VISITOR] = Visitor("")
        app.session_state[frame.VISITOR].store(frame.UPLOADS)[own.name] = own
        link["corpus"] = own.name
    for name, value in {"lang": "en", **link}.items():
        app.query_params[name] = value
    app.switch_page(f"pages/{page}/page.py").run()
    assert not app.exception
    assert not app.error
    return app


def texts(app: AppTest) -> str:
    """What a page says in captions, paragraphs and notes."""
    return "\n".join(str(x.value) for kind in (app.caption, app.markdown, app.info) for x in kind)


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> dict[str, charts.Figure]:
    """The charts of a page by their keys, as they are drawn."""
    drawn = dict[str, charts.Figure]()
    for name in ("clickable", "draw"):
        real: Callable[..., object] = getattr(charts, name)

        def keep(figure: charts.Figure, key: str, real: Callable[..., object] = real) -> object:
            drawn[key] = figure
            return real(figure, key)

        monkeypatch.setattr(charts, name, keep)
    return drawn


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
