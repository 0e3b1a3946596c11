"""Texts on the screen: one escaping function per target."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import streamlit as st

from lab.errors import LabError
from lab.text import cut, disarm, well_formed
from lab.ui.i18n import _, say

if TYPE_CHECKING:
    import pandas as pd


def problem(error: LabError) -> None:
    """Shows an error of the library in the visitor's language: what happened, and what to do next."""
    st.error(f"{plain(say(error.message))}\n\n{plain(say(error.remedy))}".strip(), icon=":material/error:")


def fault(error: Exception, *, details: bool) -> None:
    """Shows that the lab itself failed; the traceback is folded below, if the visitor may see it."""
    message = _("This page cannot be shown because of an error in the lab. Reload it, or open another page.")
    st.error(message, icon=":material/error:")
    if details:
        with st.expander(_("Details of the error")):
            st.exception(error)


@contextmanager
def problems() -> Iterator[None]:
    """Shows an error of the block on the page (`problem`); the rest of the block is skipped."""
    try:
        yield
    except LabError as error:
        problem(error)


_MARKUP = re.compile(r"([\\`*_{}\[\]()#+!|<>$:~&-])")
_BLANKS = re.compile(r"(?:\A|(?<=[\r\n]))[ \t]+|(?<![ \t])[ \t]+(?=[\r\n])")
"""Whitespace at the beginning of a line (code) and at its end (a hard line break)."""
_OPENING = re.compile(r"((?:\A|(?<=[\r\n])) ?(?:[0-9]{1,9}(?=\.(?:\s|\Z))|(?==)))")
"""The beginning of a line that would be a list item, or would make the line before it a heading."""
_REPLACED = re.compile(
    r"(?i:www(?=\.)|(?:https?|ftp)://)|(?<=[-.\w+])@(?=[-\w]+\.)|:(?=material[/_]|streamlit:)"
    r"|(?<!\S)[<>~-](?=(?:->|[>=-])(?!\S))"
)
"""Parts of a text that a page replaces after it has read the escapes: addresses, names of icons, arrows."""
_JOINER = "\u2060"
"""The word joiner: invisible, and ignored by browsers within an address."""


def plain(text: str, width: int | None = None) -> str:
    """Escapes a text for Markdown so that nothing is markup; with a width, cut to one line of that many columns."""
    text = _REPLACED.sub(rf"\g<0>{_JOINER}", text if width is None else cut(text, width))
    return _OPENING.sub(r"\1\\", _MARKUP.sub(r"\\\1", _BLANKS.sub(" ", text)))


def safe(text: str, width: int | None = None) -> str:
    """Escapes a document's text for a chart, cut to ``width`` columns."""
    return html.escape(cut(text, width), quote=False)


def file(name: str) -> str:
    """Returns a file name that any disk accepts."""
    return "".join("_" if c in '/\\:*?"<>|' or not c.isprintable() else c for c in name).strip(". ")


def as_csv(table: pd.DataFrame) -> str:
    """Returns a table as CSV in which no text is a formula: such cells and names begin with an apostrophe."""
    # with this line end, both signs of a line break are quoted
    return str(table.map(disarm).rename(columns=disarm).to_csv(index=False, lineterminator="\r\n"))


def as_json(value: object) -> str:
    """Returns plain data as JSON: sentences are in the visitor's language; keys and codes are for programs."""
    return well_formed(json.dumps(_told(value), ensure_ascii=False, indent=1))


def _told(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _told(x) for key, x in value.items()}
    if isinstance(value, list | tuple):
        return [_told(x) for x in value]
    return say(value) if isinstance(value, str) else value


def as_markdown(table: pd.DataFrame) -> str:
    """Returns a table in Markdown: text is escaped, fractions have four digits after the point."""

    def cell(value: object) -> str:
        if value is None:
            return ""
        return f"{value:.4f}" if isinstance(value, float) else plain(" ".join(str(value).split()))

    known = table.astype(object).where(table.notna(), None)  # unknown values are left empty
    rows = [known.columns, ["---"] * len(known.columns), *known.itertuples(index=False)]
    lines = [row if i == 1 else map(cell, row) for i, row in enumerate(rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def as_source(svg: str) -> str:
    """Returns an SVG picture as the source of an ``img``: `st.html` leaves out an ``svg``."""
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"
