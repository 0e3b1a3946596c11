"""The accounts of an upload on the page Documents: a line per file, and what of it is in no passage or field."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from lab.reading.account import Account, Missing, gathered
from lab.reading.read import ReadResult, TablePreview
from lab.reading.uploads import Columns
from lab.ui import escape
from lab.ui.i18n import _, _n, labelled, listed, say
from lab.words import N_, Said

_FILES, _PLACES = 30, 6
"""Files with a line of their own, and places of a file that are listed."""
_SEARCHED, _FIELDS = "#0f766e", "#6fa8a3"
_REST = "repeating-linear-gradient(135deg,#b45309 0 3px,transparent 3px 6px)"
_SENTENCE = re.compile(r"(?:\S+\s+){5}\S|[\u3400-\u9fff，、]{16}")
"""A value of a column that is a sentence, not a name."""
_TAKEN = {"hidden": N_("Hidden text"), "comments": N_("Comments"), "outputs": N_("Outputs of cells")}
_CHOSEN = "corpus.take_in"


def taken_in(files: Sequence[str]) -> dict[str, frozenset[str]]:
    """Returns what the visitor has taken in of these uploads, and forgets what belongs to others."""
    key, chosen = tuple(files), st.session_state.get(_CHOSEN)
    if chosen is None or chosen[0] != key:
        st.session_state[_CHOSEN] = chosen = (key, {})
    kinds: dict[str, frozenset[str]] = chosen[1]
    return {file: of_file for file, of_file in kinds.items() if of_file}


def _change(file: str, kind: str) -> None:
    """Takes a kind of places of a file in, or leaves it out again."""
    key, chosen = st.session_state[_CHOSEN]
    st.session_state[_CHOSEN] = key, {**chosen, file: chosen.get(file, frozenset()) ^ {kind}}


def draw(result: ReadResult, columns: Mapping[str, Columns]) -> None:
    """Draws the accounts: how much each file says, and how much of it is searched, in fields, and in neither.

    ``columns`` are the chosen ones of the tables, by `TablePreview.name`.
    """
    counted = [(file.file, file.account) for file in result.files if file.account is not None and file.account.said]
    if not counted:
        return
    said, searched, fields = (
        sum(getattr(account, name) for _file, account in counted) for name in ("said", "searched", "fields")
    )
    total = _(
        "Characters without spaces: {said}. In passages and their titles: {searched}, in fields: {fields}, in neither: "
        "{rest}.",
        said=f"{said:,}",
        searched=f"{searched:,}",
        fields=f"{fields:,}",
        rest=f"{said - searched - fields:,}",
    )
    counted.sort(key=lambda pair: -sum(place.characters for place in pair[1].missing))
    with st.container(border=True, key="corpus-account"):
        st.caption(listed((total, _("Nothing else of the files that were read is missing.")), " "))
        for number, (file, account) in enumerate(counted[:_FILES]):
            _line(number, file, account, result.tables, columns)
        if len(counted) > _FILES:
            more = len(counted) - _FILES
            st.caption(_n("{n} more file", "{n} more files", more))


def _line(
    number: int, file: str, account: Account, tables: Sequence[TablePreview], columns: Mapping[str, Columns]
) -> None:
    name, amount, places = st.columns([2, 2, 6], vertical_alignment="top")
    name.markdown(f"**{escape.plain(file, 60)}**")
    with amount:
        st.html(_bar(account))
        st.caption(_("{searched} of {said} searched", searched=f"{account.searched:,}", said=f"{account.said:,}"))
    with places:
        if not account.places:
            st.caption(_("Everything is in passages or fields."))
        named = [place for place in account.places if not place.is_technical]
        for at, place in enumerate(named[:_PLACES]):
            _place(f"{number}.{at}", file, place, tables)
        if rest := named[_PLACES:]:
            characters = f"{sum(place.characters for place in rest):,}"
            st.caption(_("Other places: {n}, characters: {chars}", n=len(rest), chars=characters))
        _taken(number, file)
        for at, table in enumerate(tables):
            if table.file == file:
                _sentences_in_fields(at, table, columns.get(table.name, table.guess))
        if account.technical:
            with st.expander(escape.plain(say(gathered(account.technical)))):
                names = [labelled(place.name, place.example) for place in account.technical[:_FILES]]
                st.caption(escape.plain(" · ".join(names)))


def _taken(number: int, file: str) -> None:
    """Names what was taken in of a file, with the click that leaves it out again."""
    of_file = st.session_state.get(_CHOSEN, ((), {}))[1].get(file, ())
    for kind in sorted(of_file):
        name = say(Said(_TAKEN[kind]))
        _offer(
            _("{name}: taken in.", name=name), [(_("Leave it out"), f"leave.{number}.{kind}", _change, (file, kind))]
        )


def _sentences_in_fields(number: int, table: TablePreview, chosen: Columns) -> None:
    """Names columns of sentences that are fields, which no search reads, with the click that makes them text."""
    for at, name in enumerate(table.columns):
        values = [row[at] for row in table.rows if at < len(row) and row[at].strip()]
        if name in chosen.metadata and 2 * sum(_SENTENCE.search(value) is not None for value in values) > len(values):
            text = _("Column “{name}” is a field: filters use it, searches do not.", name=escape.plain(name, 60))
            _offer(text, [(_("Make it text"), f"more.{number}.{at}", _add_text, (number, table, name))])


def _offer(text: str, clicks: Sequence[tuple[str, str, Callable[..., None], tuple[object, ...]]]) -> None:
    """A remark with the buttons that change it: label, key, function and its arguments."""
    at, right = st.columns([3, 2], vertical_alignment="center")
    at.caption(text)
    row = right.container(horizontal=True, gap="small") if clicks else right
    for label, key, change, arguments in clicks:
        row.button(label, key=f"corpus.account.{key}", on_click=change, args=arguments)


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
    text = f"{escape.plain(say(place.sentence))} “{escape.plain(place.example, 60)}”"
    table = next((i for i, table in enumerate(tables) if table.file == file and _column(table, place)), None)
    clicks = list[tuple[str, str, Callable[..., None], tuple[object, ...]]]()
    if place.way_in and place.way_in not in st.session_state.get(_CHOSEN, ((), {}))[1].get(file, ()):
        clicks = [(_("Take it in"), f"take.{key}", _change, (file, place.way_in))]
    elif table is not None and not place.is_left_out:
        arguments = table, tables[table], _column(tables[table], place)
        clicks = [(_("Make it text"), f"text.{key}", _make_text, arguments)]
        clicks += [(_("Make it a field"), f"field.{key}", _make_field, arguments)]
    _offer(text, clicks)


def _column(table: TablePreview, place: Missing) -> str:
    """Returns the column of a table that a place is; empty if it is none."""
    name = place.name.removeprefix(f"{table.sheet}: ") if table.sheet else place.name
    return name if place.kind in ("column", "field") and name in table.columns else ""


def _make_field(number: int, table: TablePreview, column: str) -> None:
    key = f"corpus.col.meta.{number}"
    chosen = st.session_state.get(key, list(table.guess.metadata))
    st.session_state[key] = [*chosen, column]


def _add_text(number: int, table: TablePreview, column: str) -> None:
    chosen = st.session_state.get(f"corpus.col.meta.{number}", list(table.guess.metadata))
    more = st.session_state.get(f"corpus.col.more.{number}", list(table.guess.more))
    st.session_state[f"corpus.col.meta.{number}"] = [name for name in chosen if name != column]
    st.session_state[f"corpus.col.more.{number}"] = [*more, column]


def _make_text(number: int, table: TablePreview, column: str) -> None:
    before = st.session_state.get(f"corpus.col.text.{number}", table.guess.text)
    st.session_state[f"corpus.col.text.{number}"] = column
    _make_field(number, table, before)
    st.session_state[f"corpus.col.meta.{number}"] = [
        name for name in st.session_state[f"corpus.col.meta.{number}"] if name != column
    ]
