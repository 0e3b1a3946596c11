"""Texts on the screen: one escaping function per target."""

from __future__ import annotations

import html
import re
import unicodedata

import streamlit as st

from lab.errors import LabError
from lab.ui.i18n import say


def problem(error: LabError) -> None:
    """An error of the library, in the visitor's language: what happened, and what to do next."""
    st.error(f"{plain(say(error.message))}\n\n{plain(say(error.remedy))}".strip(), icon=":material/error:")


def plain(text: str, width: int | None = None) -> str:
    """A text for Markdown in which nothing is markup; with a width, in one line of so many columns."""
    return re.sub(r"([\\`*_{}\[\]()#+!|<>$:~&-])", r"\\\1", text if width is None else one_line(text, width))


def safe(text: str, width: int | None = None) -> str:
    """A document's text for a chart: cut to ``width`` columns, markup escaped."""
    return html.escape(one_line(text, width), quote=False)


def one_line(text: str, width: int | None = None) -> str:
    """A text in one line without control characters, cut to ``width`` columns (a Han character takes two)."""
    text = " ".join("".join(c for c in text if unicodedata.category(c)[0] != "C" or c in " \n\t").split())
    if width is not None:
        used = 0
        for i, c in enumerate(text):
            used += 2 if unicodedata.east_asian_width(c) in "WF" else 1
            if used > width:
                text = text[: max(i - 1, 1)].rstrip() + "…"
                break
    return text
