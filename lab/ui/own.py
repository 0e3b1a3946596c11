"""A visitor's own documents on the page Documents: which uploads there are, what was read of the one that is open."""

from __future__ import annotations

import time
from typing import Any

import streamlit as st

from lab.ui import address, escape, frame, keeping
from lab.ui.i18n import _
from lab.ui.page import Page


def uploads(p: Page) -> None:
    """The visitor's own corpora, each with buttons to open it and to delete it; nothing where there are none."""
    listed = frame.uploads().listed()
    if not listed:
        return
    with st.container(border=True):
        st.subheader(_("Your uploads"), anchor=False)
        for i, one in enumerate(listed):
            _row(p, i, one)
        st.caption(keeping.told_whole())


def _row(p: Page, i: int, one: keeping.Listed) -> None:
    here = one.name == p.frame.corpus.name
    text, buttons = st.columns([3, 1], vertical_alignment="center")
    name = escape.plain(one.name, 60)
    if not one.sound:
        text.markdown(
            f":material/warning: **{name}**  \n" + _("It is damaged and cannot be opened: add the files again.")
        )
    else:
        size = f"{one.megabytes:.1f}" if one.megabytes >= 0.1 else "< 0.1"
        facts = [_("{n} passages", n=f"{one.passages:,}"), f"{size} MB", _goes(one)]
        facts += [_("open")] if here else []
        text.markdown(f"**{name}**  \n" + " · ".join(facts))
    row = buttons.container(horizontal=True, horizontal_alignment="right", gap="small")
    if one.sound and not here:
        drawn: dict[str, Any] = {"key": f"corpus.open.{i}", "icon": ":material/folder_open:"}
        row.button(_("Open"), on_click=_open, args=(one.name,), **drawn)
    gone: dict[str, Any] = {"key": f"corpus.delete.{i}", "icon": ":material/delete:"}
    row.button(_("Delete"), on_click=frame.forget, args=(one.name,), **gone)


def _open(name: str) -> None:
    address.put("corpus", name)
    address.put("doc", "")


def _goes(one: keeping.Listed) -> str:
    """When an upload goes."""
    if one.until is None:
        return _("goes with this visit")
    days = (one.until - time.time()) / 86_400
    if days >= 1.5:
        return _("goes in {n} days", n=round(days))
    return _("goes in {n} hours", n=max(1, round(24 * days)))
