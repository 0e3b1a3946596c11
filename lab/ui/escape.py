"""Texts on the screen: one escaping function per target."""

from __future__ import annotations

import html
import re

import streamlit as st

from lab.errors import LabError
from lab.text import cut
from lab.ui.i18n import say


def problem(error: LabError) -> None:
    """An error of the library, in the visitor's language: what happened, and what to do next."""
    st.error(f"{plain(say(error.message))}\n\n{plain(say(error.remedy))}".strip(), icon=":material/error:")


def plain(text: str, width: int | None = None) -> str:
    """A text for Markdown in which nothing is markup; with a width, in one line of so many columns."""
    return re.sub(r"([\\`*_{}\[\]()#+!|<>$:~&-])", r"\\\1", text if width is None else cut(text, width))


def safe(text: str, width: int | None = None) -> str:
    """A document's text for a chart: cut to ``width`` columns, markup escaped."""
    return html.escape(cut(text, width), quote=False)
