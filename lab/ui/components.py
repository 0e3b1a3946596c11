"""The two small HTML components of the lab: ranked lists side by side, and one passage in full.

Everything that comes from a document is passed as data and set as text by the component, never as markup.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

HERE = Path(__file__).parent


def _renderer(name: str, script: str) -> Any:
    css = (HERE / "cards.css").read_text("utf-8")
    js = (HERE / script).read_text("utf-8")
    return st.components.v2.component(f"retrieval_lab_{name}", css=css, js=js)


def lists(data: dict[str, Any], *, key: str) -> None:
    """Draw ranked lists; a click writes the document's id to ``st.session_state['doc']`` (see `address`)."""
    from lab.ui import address

    def picked() -> None:
        doc = getattr(st.session_state.get(key), "picked", None)
        if doc:
            address.put("doc", doc)

    _renderer("lists", "cards.js")(key=key, data=data, on_picked_change=picked)


def passage(data: dict[str, Any], *, key: str) -> None:
    """Draw one passage: ``{"title", "facts", "text": [[text, "mark" | "struck" | None], ...]}``."""
    _renderer("passage", "passage.js")(key=key, data=data)


def copy_link(label: str, done: str, *, key: str) -> None:
    """A button that copies the address bar."""
    _renderer("copy", "copy.js")(key=key, data={"label": label, "done": done}, width="content")


def tokens(data: dict[str, Any], *, key: str) -> None:
    """A text under several tokenizers: ``{"text", "rows": [{"name", "note", "tokens": [[t, start, end, kind]]}]}``."""
    _renderer("tokens", "tokens.js")(key=key, data=data)


def path(data: dict[str, Any], *, key: str) -> str | None:
    """Draw the path of a query; gives the page whose box was clicked."""
    result = _renderer("path", "path.js")(key=key, data=data, on_go_change=lambda: None)
    go = getattr(result, "go", None)
    return str(go) if go else None
