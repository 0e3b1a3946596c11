"""Quiet lines under the field of the question: what a question says in another language, how it was read, and so on.

One line is one row of small text, with a button or a switch beside it if there is something to do about it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st


@contextmanager
def line(page: str, kind: str) -> Iterator[None]:
    """Opens a container whose widgets are drawn in one row.  ``kind`` names it among the lines of the page."""
    with st.container(
        key=f"line-{kind}-{page}", horizontal=True, vertical_alignment="center", gap="small", width="stretch"
    ):
        yield


def text(page: str, kind: str, message: str) -> None:
    """A line of text alone; Markdown, so a text of others is escaped before."""
    with line(page, kind):
        st.caption(message, width="content")


def action(
    page: str, kind: str, message: str, label: str, on_click: Callable[..., None], args: tuple[Any, ...] = ()
) -> None:
    """A line of text with one quiet button behind it."""
    with line(page, kind):
        st.caption(message, width="content")
        st.button(label, key=f"{page}.line.{kind}", type="tertiary", on_click=on_click, args=args)
