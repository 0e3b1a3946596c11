"""Tables of numbers on the page, each of which can be taken away as CSV and as Markdown, with the heads that it shows.

What a page draws is noted until the next page begins; `buttons` offers it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import streamlit as st

from lab.text import well_formed
from lab.ui import escape
from lab.ui.i18n import _

if TYPE_CHECKING:
    import pandas as pd

_DRAWN = "_tables"


class Table(NamedTuple):
    """What a page has drawn: what it is called, its rows, and the heads of its columns."""

    title: str
    rows: Any
    columns: Mapping[str, Any]

    def frame(self) -> pd.DataFrame:
        """The rows under the heads that the visitor sees."""
        import pandas as pd

        heads = {name: own if isinstance(own, str) else own.get("label") for name, own in self.columns.items()}
        return pd.DataFrame(self.rows).rename(columns={name: head for name, head in heads.items() if head})


def begin() -> None:
    """A page begins: it has drawn no table yet."""
    st.session_state[_DRAWN] = {}


def draw(title: str, rows: Any, *, key: str, columns: Mapping[str, Any], **how: Any) -> Any:
    """`streamlit.dataframe` of these rows; ``title`` is what it is called where it is taken away."""
    if isinstance(rows, list):  # columns of text have no place for half characters
        rows = [{name: well_formed(x) if isinstance(x, str) else x for name, x in row.items()} for row in rows]
    st.session_state.setdefault(_DRAWN, {})[key] = Table(title, rows, columns)
    return st.dataframe(rows, hide_index=True, key=key, column_config=dict(columns), **how)


def drawn() -> dict[str, Table]:
    """The tables of the page by their keys."""
    found: dict[str, Table] = st.session_state.get(_DRAWN, {})
    return found


class Container(Protocol):
    """A place on the page that holds buttons."""

    def download_button(
        self, label: str, data: Any, file_name: str, mime: str, key: str, *, on_click: Literal["ignore"]
    ) -> bool: ...


def downloads(row: Container, stem: str, make: Callable[[], pd.DataFrame], *, key: str) -> None:
    """Draws two buttons in a row, which give a table as CSV and as Markdown."""
    # a byte order mark, so that spreadsheets read Chinese
    csv = lambda: "\ufeff" + escape.as_csv(make())  # noqa: E731 - made when it is asked for
    markdown = lambda: escape.as_markdown(make())  # noqa: E731
    row.download_button("CSV", csv, f"{stem}.csv", "text/csv", key=f"{key}.csv", on_click="ignore")
    row.download_button("Markdown", markdown, f"{stem}.md", "text/markdown", key=f"{key}.md", on_click="ignore")


def buttons(corpus: str) -> None:
    """Every table that the page has drawn, as files called after ``corpus`` and the table's key."""
    told = drawn()
    if told:
        st.caption(_("Open tables"))
    for key, table in told.items():
        row = st.container(horizontal=True, vertical_alignment="center", gap="small")
        row.markdown(escape.plain(table.title, 60), width="stretch")
        downloads(row, escape.file(f"{corpus}-{key.replace('.', '-')}"), table.frame, key=f"take.{key}")
