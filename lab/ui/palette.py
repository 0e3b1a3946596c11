"""Colours that mean the same on every page: one per retriever family, one scale for documents.

Red and green never stand alone: what matters is also said by a sign or a word.
"""

from __future__ import annotations

import streamlit as st

from lab.core import Corpus, Operator

_LIGHT = {
    "bm25": "#2563eb",
    "tfidf": "#0e91ac",
    "vector": "#d97706",
    "fused": "#7c3aed",
    "refined": "#0f766e",
    "other": "#64748b",
}
_DARK = {
    "bm25": "#60a5fa",
    "tfidf": "#22d3ee",
    "vector": "#fbbf24",
    "fused": "#a78bfa",
    "refined": "#2dd4bf",
    "other": "#94a3b8",
}


def dark() -> bool:
    """Whether the visitor looks at the dark theme."""
    try:
        return st.context.theme.type == "dark"
    except Exception:  # no browser session
        return False


def ink() -> str:
    """Text colour of the theme, for charts."""
    return "#e2e8f0" if dark() else "#1e293b"


def mute() -> str:
    """Quiet text and thin lines of the theme."""
    return "#94a3b8" if dark() else "#64748b"


def line() -> str:
    """Borders and grids of the theme."""
    return "#2a3650" if dark() else "#e2e8f0"


def paper() -> str:
    """Background of the theme."""
    return "#0f172a" if dark() else "#ffffff"


def family(operator: Operator, nth: int = 0) -> str:
    """The colour of a list: by its retriever's family; further lists of one family step the lightness."""
    table = _DARK if dark() else _LIGHT
    kind = type(operator).__name__.lower()
    base = table.get(kind) or table.get(getattr(operator, "family", "other"), table["other"])
    return shade(base, nth)


def named(name: str) -> str:
    """The colour of a family by its name."""
    return (_DARK if dark() else _LIGHT)[name]


def shade(colour: str, nth: int) -> str:
    """The ``nth`` variation of a colour: itself, then mixed with the theme's ink, more each time."""
    if not nth:
        return colour
    a, b = _rgb(colour), _rgb(ink())
    part = min(0.3 * nth, 0.75)
    return "#" + "".join(f"{round(x + (y - x) * part):02x}" for x, y in zip(a, b, strict=True))


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


def document(corpus: Corpus, doc_id: str) -> str:
    """The colour of a document: the same on all pages, far from its neighbours' in the corpus.

    Hues step by the golden angle, so that documents near each other in the corpus differ most.
    """
    i = corpus.positions.get(doc_id, 0)
    hue = (210 + i * 137.508) % 360
    light = (62, 70, 54) if dark() else (46, 56, 38)
    return f"hsl({hue:.0f},{(58, 70, 48)[i % 3]}%,{light[i // 3 % 3]}%)"


def sequential(colour: str) -> list[list[object]]:
    """A plotly colour scale from the paper to this colour."""
    return [[0, paper()], [1, colour]]
