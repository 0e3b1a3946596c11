"""The guide of a page: the Markdown file beside it, in the visitor's language."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from lab.home import root
from lab.ui.i18n import _, language


def path_of(page: str, lang: str) -> Path | None:
    """The guide of a page by its file name, or None."""
    return next(iter(sorted((root() / "pages").glob(f"*/{page}.{lang}.md"))), None)


def button(page: str) -> None:
    """A button that opens the guide over the page."""
    path = path_of(page, language())
    if path is None:
        return

    @st.dialog(_("Guide"), width="large")
    def show() -> None:
        st.markdown(path.read_text("utf-8"))

    if st.button(_("Guide"), key=f"{page}.guide", icon=":material/menu_book:"):
        show()


def folded(page: str, title: str) -> None:
    """Another guide, folded, where it is needed."""
    path = path_of(page, language())
    if path is not None:
        with st.expander(title, icon=":material/menu_book:"):
            st.markdown(path.read_text("utf-8"))
