"""Colours that mean the same on every page: one per retriever family, one scale for documents.

Red and green never stand alone: what matters is also said by a sign or a word.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from lab.core import Corpus, Operator

_COLOURS = {  # by the theme: light, dark
    "bm25": ("#2563eb", "#60a5fa"),
    "tfidf": ("#0e91ac", "#22d3ee"),
    "vector": ("#d97706", "#fbbf24"),
    "fused": ("#7c3aed", "#a78bfa"),
    "refined": ("#0f766e", "#2dd4bf"),
    "other": ("#64748b", "#94a3b8"),
    "ink": ("#1e293b", "#e2e8f0"),
    "mute": ("#64748b", "#94a3b8"),
    "line": ("#e2e8f0", "#2a3650"),
    "paper": ("#ffffff", "#0f172a"),
}


def dark() -> bool:
    """Whether the visitor looks at the dark theme."""
    try:
        return st.context.theme.type == "dark"
    except Exception:  # no browser session
        return False


def named(name: str) -> str:
    """The colour of a family, or of a part of the theme, by its name."""
    light, night = _COLOURS[name]
    return night if dark() else light


ink, mute, line, paper = (partial(named, name) for name in ("ink", "mute", "line", "paper"))
"""Of the theme: the colour of text, of quiet text and thin lines, of borders and grids, of the background."""


def family(operator: Operator, nth: int = 0) -> str:
    """The colour of a list: by its retriever's family; further lists of one family step the lightness."""
    names = (type(operator).__name__.lower(), getattr(operator, "family", "other"), "other")
    return shade(named(next(name for name in names if name in _COLOURS)), nth)


def shade(colour: str, nth: int) -> str:
    """The ``nth`` variation of a colour: itself, then mixed with the theme's ink, more each time."""
    own, other = bytes.fromhex(colour[1:]), bytes.fromhex(ink()[1:])
    part = min(0.3 * nth, 0.75)
    return "#" + "".join(f"{round(x + (y - x) * part):02x}" for x, y in zip(own, other, strict=True))


def document(corpus: Corpus, doc_id: str) -> str:
    """The colour of a document: the same on all pages, far from its neighbours' in the corpus.

    Hues step by the golden angle, so that documents near each other in the corpus differ most.
    """
    i = corpus.positions.get(doc_id, 0)
    hue = (210 + i * 137.508) % 360
    light = (62, 70, 54) if dark() else (46, 56, 38)
    return f"hsl({hue:.0f},{(58, 70, 48)[i % 3]}%,{light[i // 3 % 3]}%)"
