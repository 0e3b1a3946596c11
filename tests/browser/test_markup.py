"""Texts of documents in Streamlit's own Markdown: they are shown as they are, character by character."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from browser.visitor import ROOT, Visitor, serving
from regressions import load_cases

pytestmark = pytest.mark.browser

SCRIPT = """
import json
import streamlit as st
from lab.ui import escape
st.title("Texts")
for i, text in enumerate(json.load(open("texts.json", encoding="utf-8"))):
    with st.container(key=f"text{i}"):
        st.caption(escape.plain(text))
"""
MADE = "nodes => nodes.map(n => n.tagName).filter(tag => !['P', 'BR', 'SPAN'].includes(tag))"


@pytest.mark.nightly
def test_streamlit_makes_nothing_of_an_escaped_text(arrive: Callable[..., Visitor], tmp_path: Path):
    texts = [param.values[0]["text"] for param in load_cases("markdown_escapes")]
    (tmp_path / "texts.json").write_text(json.dumps(texts), "utf-8")
    (tmp_path / "page.py").write_text(SCRIPT, "utf-8")
    shutil.copytree(ROOT / ".streamlit", tmp_path / ".streamlit")
    with serving(tmp_path, "page.py") as url:
        page = arrive(url).open().page
        for i, text in enumerate(texts):
            shown = page.locator(f".st-key-text{i} [data-testid=stCaptionContainer]")
            assert shown.locator("*").evaluate_all(MADE) == [], text
            assert "".join((shown.text_content() or "").replace("\u2060", "").split()) == "".join(text.split())
