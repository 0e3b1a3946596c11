"""What the styles of the interface keep: the ring of the focus, the order of reading, and letters that can be read."""

from __future__ import annotations

import re
import tomllib
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


def test_no_handler_gives_back_a_condition_which_would_keep_tab_and_every_other_key_from_the_browser():
    scripts = [*UI.rglob("*.js"), *(UI.parents[1] / "lab_packs").rglob("*.js")]
    false = re.compile(r"\.on[a-z]+ = [^=\n]*=> *[^{\n]*(?:&&|[!=]==).*")
    assert len(scripts) > 20
    assert [match for path in scripts for match in false.findall(path.read_text("utf-8"))] == []


@pytest.mark.parametrize("script", components.STYLES)
def test_every_component_begins_with_the_ring_of_the_focus(script: str, monkeypatch: pytest.MonkeyPatch):
    styles: list[Any] = []
    monkeypatch.setattr(st.components.v2, "component", lambda _name, *, css, js: styles.append(css))
    components._component.__wrapped__(script)
    assert styles[0].startswith(STYLES["focus.css"])


def test_no_text_of_a_component_is_smaller_than_12_pixels():
    root = tomllib.loads((UI.parents[1] / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]["baseFontSize"]
    for name in components.STYLES.values():
        style = STYLES[f"{name}.css"]
        sizes = [float(size) for size in re.findall(r"font-size: ([\d.]+)rem", style)] or [1.0]
        sizes += [float(size) / root for size in re.findall(r"font[^:;]*:[^;]*?([\d.]+)px", style)]
        parts = [float(size) for size in re.findall(r"font-size: ([\d.]+)em", style) if float(size)]
        assert min(sizes) * root >= 12, name
        assert sizes[0] * min(parts, default=1) * root >= 12, name
