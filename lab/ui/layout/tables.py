"""Tables of numbers on the page, each of which can be exported as CSV and Markdown with its visible headings.

The tables of a page are kept until the next page begins; `buttons` offers them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import streamlit as st

from lab.text import well_formed
from lab.ui import components, escape
from lab.ui.i18n import _

if TYPE_CHECKING:
    import pandas as pd

_DRAWN = "_tables"


class Table(NamedTuple):
    """A table that a page has drawn: its title, its rows, and the headings of its columns."""

    title: str
    rows: Any
    columns: Mapping[str, Any]

    def frame(self) -> pd.DataFrame:
        """Returns the rows under the headings that the visitor sees."""
        import pandas as pd

        heads = {
            name: column if isinstance(column, str) else column.get("label") for name, column in self.columns.items()
        }
        return pd.DataFrame(self.rows).rename(columns={name: head for name, head in heads.items() if head})


def begin() -> None:
    """Starts a page without any table."""
    st.session_state[_DRAWN] = {}


def draw(title: str, rows: Any, *, key: str, columns: Mapping[str, Any], **how: Any) -> Any:
    """Draws rows by `streamlit.dataframe`; ``title`` names the table in exports."""
    if isinstance(rows, list):  # lone surrogates would break the table's text columns
        rows = [{name: well_formed(x) if isinstance(x, str) else x for name, x in row.items()} for row in rows]
    st.session_state.setdefault(_DRAWN, {})[key] = Table(title, rows, columns)
    return st.dataframe(rows, hide_index=True, key=key, column_config=dict(columns), **how)


def drawn() -> dict[str, Table]:
    """Returns the tables of the page by their keys."""
    return cast("dict[str, Table]", st.session_state.get(_DRAWN, {}))


def downloads(row: Any, stem: str, make: Callable[[], pd.DataFrame], *, key: str) -> None:
    """Draws two buttons in a row, which give a table as CSV and as Markdown."""
    # a byte order mark, so that spreadsheets read Chinese
    csv = lambda: "\ufeff" + escape.as_csv(make())  # noqa: E731 - built only when it is downloaded
    markdown = lambda: escape.as_markdown(make())  # noqa: E731
    components.download(row, "CSV", csv, f"{stem}.csv", "text/csv", key=f"{key}.csv")
    components.download(row, "Markdown", markdown, f"{stem}.md", "text/markdown", key=f"{key}.md")


def buttons(corpus: str) -> None:
    """Draws the downloads of every table of the page; files are named after ``corpus`` and the table's key."""
    tables = drawn()
    if tables:
        st.caption(_("Open tables"))
    for key, table in tables.items():
        row = st.container(horizontal=True, vertical_alignment="center", gap="small")
        row.markdown(escape.plain(table.title, 60), width="stretch")
        downloads(row, escape.file(f"{corpus}-{key.replace('.', '-')}"), table.frame, key=f"take.{key}")
