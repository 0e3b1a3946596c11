"""The guide of a page: the Markdown file beside it, in the visitor's language."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st

from lab.home import root
from lab.ui.i18n import _, language


@cache
def _path(page: str, language: str) -> Path | None:
    """The guide of a page by its file name, or None."""
    return next((root() / "pages").glob(f"*/{page}.{language}.md"), None)


def button(page: str) -> None:
    """A button that opens the guide over the page."""
    path = _path(page, language())
    if path and st.button(_("Guide"), key=f"{page}.guide", icon=":material/menu_book:"):
        st.dialog(_("Guide"), width="large")(_read)(path)


def folded(page: str, title: str) -> None:
    """Another guide, folded, where it is needed."""
    path = _path(page, language())
    if path:
        with st.expander(title, icon=":material/menu_book:"):
            _read(path)


def _read(path: Path) -> None:
    st.markdown(path.read_text("utf-8"))
