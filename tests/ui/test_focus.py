"""What has the focus of the keyboard shows it, and comes in the order in which the page is read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import streamlit as st

import lab.ui
from lab.ui import components

UI = Path(lab.ui.__file__).parent
STYLES = {path.name: path.read_text("utf-8") for path in UI.rglob("*.css")}


def test_no_style_takes_the_ring_of_the_focus_away_or_moves_what_follows():
    assert len(STYLES) > 10
    hiding = re.compile(r"outline: *(?:none|0)\b|(?<![-\w])order: *-?\d")
    assert {name: hiding.findall(style) for name, style in STYLES.items() if hiding.search(style)} == {}


@pytest.mark.parametrize("script", components.STYLES)
def test_every_component_begins_with_the_ring_of_the_focus(script: str, monkeypatch: pytest.MonkeyPatch):
    styles: list[Any] = []
    monkeypatch.setattr(st.components.v2, "component", lambda _name, *, css, js: styles.append(css))
    components._component.__wrapped__(script)
    assert styles[0].startswith(STYLES["focus.css"])
