"""Colours with the same meaning on every page: one per retriever family, one scale for documents.

Red and green never carry a meaning alone: a sign or a word says the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial

import streamlit as st

from lab.algebra import Corpus, Operator, Ranking, Top

_COLOURS = {  # by the theme: light, dark
    "bm25": ("#2563eb", "#6ba6ff"),
    "tfidf": ("#0e7490", "#22d3ee"),
    "vector": ("#b45309", "#fbbf24"),
    "fused": ("#7c3aed", "#b197fc"),
    "refined": ("#0f766e", "#2dd4bf"),
    "other": ("#64748b", "#94a3b8"),
    "ink": ("#1e293b", "#e2e8f0"),
    "mute": ("#64748b", "#94a3b8"),
    "quiet": ("#808495", "#e6eaf1"),
    "line": ("#e2e8f0", "#2a3650"),
    "paper": ("#ffffff", "#0f172a"),
}


_ON_PAPER = ContextVar("on_paper", default=False)


@contextmanager
def printed() -> Iterator[None]:
    """Draws the block for paper: in the light theme's colours."""
    before = _ON_PAPER.set(True)
    try:
        yield
    finally:
        _ON_PAPER.reset(before)


def dark() -> bool:
    """Returns whether the visitor uses the dark theme."""
    if _ON_PAPER.get():
        return False
    try:
        return st.context.theme.type == "dark"
    except Exception:  # no browser session
        return False


def named(name: str) -> str:
    """Returns the colour of a family, or of a part of the theme, by its name."""
    light, night = _COLOURS[name]
    return night if dark() else light


ink, mute, quiet, line, paper = (partial(named, name) for name in ("ink", "mute", "quiet", "line", "paper"))
"""Theme colours: text, quiet text and thin lines, axis labels of charts, borders and grids, background."""


def family(operator: Operator, nth: int = 0) -> str:
    """Returns the colour of a list: of its retriever's family; further lists of one family differ in lightness."""
    names = (type(operator).__name__.lower(), getattr(operator, "family", "other"), "other")
    return shade(named(next(name for name in names if name in _COLOURS)), nth)


def families(operators: Sequence[Operator]) -> list[str]:
    """Returns the colour of each technique; several of one colour differ in lightness."""
    kinds = [family(operator) for operator in operators]
    return [shade(kind, kinds[:i].count(kind)) for i, kind in enumerate(kinds)]


def of_lists(rankings: Sequence[Ranking]) -> list[str]:
    """Returns the colour of each list by its technique; several lists of one technique differ in lightness."""
    return families(
        [next(x for x in reversed(list(r.lineage())) if not isinstance(x.made_by, Top)).made_by for r in rankings]
    )


def shade(colour: str, nth: int) -> str:
    """Returns the ``nth`` variation of a colour: itself, then mixed with more and more of the theme's ink."""
    rgb, target = bytes.fromhex(colour[1:]), bytes.fromhex(ink()[1:])
    part = min(0.3 * nth, 0.75)
    return "#" + "".join(f"{round(x + (y - x) * part):02x}" for x, y in zip(rgb, target, strict=True))


def tint(colour: str, i: int, n: int) -> str:
    """Returns the shade of component ``i`` of ``n``: from the theme's ink towards its paper."""
    share = 0.4 - 0.75 * i / max(n - 1, 1) if n > 1 else 0.0
    rgb, target = bytes.fromhex(colour[1:]), bytes.fromhex((ink() if share > 0 else paper())[1:])
    return "#" + "".join(f"{round(x + (y - x) * abs(share)):02x}" for x, y in zip(rgb, target, strict=True))


def on(colour: str) -> str:
    """Returns the colour of text on this one: white, or black if white would be pale; the contrast is at least 4.5."""
    red, green, blue = (x / 255 for x in bytes.fromhex(colour[1:]))
    parts = [x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in (red, green, blue)]
    luminance = sum(weight * x for weight, x in zip((0.2126, 0.7152, 0.0722), parts, strict=True))  # as in WCAG 2
    return "#ffffff" if luminance < 0.179 else "#000000"


def document(corpus: Corpus, doc_id: str) -> str:
    """Returns the colour of a document: the same on all pages, and as different from others as their number allows."""
    return nth(corpus.positions.get(doc_id, 0))


def nth(i: int) -> str:
    """Returns one of any number of colours, far from those before and after it.

    Hues step by the golden angle, which brings two nearly together every 21, 34, 55, 89 and 144 colours: seven steps
    of lightness and three of saturation separate those.
    """
    hue = (210 + i * 137.508) % 360
    low, high = (55, 79) if dark() else (30, 54)
    return f"hsl({hue:.0f},{(62, 46, 78)[i % 3]}%,{low + i % 7 * (high - low) // 6}%)"
