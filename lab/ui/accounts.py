"""The accounts of an upload on the page Documents: a line per file, and what of it is in no passage or field."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lab.reading.account import Account, Missing
from lab.reading.read import ReadResult, TablePreview
from lab.ui import escape
from lab.ui.i18n import _, _n, say

_FILES, _PLACES = 30, 6
"""Files with a line of their own, and places of a file that are listed."""
_SEARCHED, _FIELDS = "#0f766e", "#6fa8a3"
_REST = "repeating-linear-gradient(135deg,#b45309 0 3px,transparent 3px 6px)"


def draw(result: ReadResult) -> None:
    """Draws the accounts: how much each file says, and how much of it is searched, in fields, and in neither."""
    counted = [(file.file, file.account) for file in result.files if file.account is not None and file.account.said]
    if not counted:
        return
    said, searched, fields = (
        sum(getattr(account, name) for _file, account in counted) for name in ("said", "searched", "fields")
    )
    total = _(
        "Characters: {said}. In passages: {searched}, in fields: {fields}, in neither: {rest}.",
        said=f"{said:,}",
        searched=f"{searched:,}",
        fields=f"{fields:,}",
        rest=f"{said - searched - fields:,}",
    )
    counted.sort(key=lambda pair: -sum(place.characters for place in pair[1].missing))
    with st.container(border=True, key="corpus-account"):
        st.caption(total + " " + _("Nothing else of the files that were read is missing."))
        for number, (file, account) in enumerate(counted[:_FILES]):
            _line(number, file, account, result.tables)
        if len(counted) > _FILES:
            more = len(counted) - _FILES
            st.caption(_n("{n} more file", "{n} more files", more, n=more))


def _line(number: int, file: str, account: Account, tables: Sequence[TablePreview]) -> None:
    name, amount, places = st.columns([2, 2, 6], vertical_alignment="top")
    name.markdown(f"**{escape.plain(file, 60)}**")
    with amount:
        st.html(_bar(account))
        st.caption(_("{searched} of {said} searched", searched=f"{account.searched:,}", said=f"{account.said:,}"))
    with places:
        if not account.places:
            st.caption(_("Everything is in passages or fields."))
        for at, place in enumerate(account.places[:_PLACES]):
            _place(f"{number}.{at}", file, place, tables)
        if len(account.places) > _PLACES:
            rest = account.places[_PLACES:]
            characters = f"{sum(place.characters for place in rest):,}"
            st.caption(_("Other places: {n}, characters: {chars}", n=len(rest), chars=characters))


def _bar(account: Account) -> str:
    shares = (account.searched, _SEARCHED), (account.fields, _FIELDS), (account.said, _REST)
    rest = account.said - account.searched - account.fields
    widths = (account.searched, account.fields, rest)
    parts = "".join(
        f'<span style="width:{100 * width / account.said:.2f}%;background:{colour}"></span>'
        for width, (_share, colour) in zip(widths, shares, strict=True)
    )
    return f'<div aria-hidden="true" style="display:flex;height:8px;border-radius:2px;overflow:hidden">{parts}</div>'


def _place(key: str, file: str, place: Missing, tables: Sequence[TablePreview]) -> None:
    text, click = st.columns([3, 2], vertical_alignment="center")
    text.caption(f"{escape.plain(say(place.sentence))} “{escape.plain(place.example, 60)}”")
    table = next((i for i, table in enumerate(tables) if table.file == file and _column(table, place)), None)
    if place.is_left_out or table is None:
        return
    column = _column(tables[table], place)
    row = click.container(horizontal=True, gap="small")
    for label, change in ((_("Make it text"), _make_text), (_("Make it a field"), _make_field)):
        row.button(
            label,
            key=f"corpus.account.{change.__name__}.{key}",
            on_click=change,
            args=(table, tables[table], column),
        )


def _column(table: TablePreview, place: Missing) -> str:
    """Returns the column of a table that a place is; empty if it is none."""
    name = place.name.removeprefix(f"{table.sheet}: ") if table.sheet else place.name
    return name if place.kind in ("column", "field") and name in table.columns else ""


def _make_field(number: int, table: TablePreview, column: str) -> None:
    key = f"corpus.col.meta.{number}"
    chosen = st.session_state.get(key, list(table.guess.metadata))
    st.session_state[key] = [*chosen, column]


def _make_text(number: int, table: TablePreview, column: str) -> None:
    before = st.session_state.get(f"corpus.col.text.{number}", table.guess.text)
    st.session_state[f"corpus.col.text.{number}"] = column
    _make_field(number, table, before)
    st.session_state[f"corpus.col.meta.{number}"] = [
        name for name in st.session_state[f"corpus.col.meta.{number}"] if name != column
    ]
