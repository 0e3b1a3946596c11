"""A score as the sum that it is, drawn without a chart: a bar of its components, and pairs of words as rows."""

from __future__ import annotations

import html
from collections.abc import Sequence

import streamlit as st

from lab.algebra import Hit
from lab.ui import palette, show

WRITTEN = 4
"""Components whose values are written out as a sum."""


def written(values: Sequence[float], score: float) -> str:
    """A score as its sum, in Markdown: 2.895 + 2.543 − 0.100 = **5.338**; of many components the first are written."""
    shown = [f"{value:.3f}" for value in values]
    if len(shown) > WRITTEN:
        shown = [*shown[: WRITTEN - 1], "…"]
    total = f"**{show.number(score)}**"
    return f"{' + '.join(shown).replace('+ -', '− ')} = {total}" if len(values) > 1 else total


def bar(panel: show.Panel, hit: Hit) -> None:
    """The components of a score side by side, each as long as its value; negative ones stand left of zero."""
    own = show.bars_of(panel, panel.ranking.hits[: show.SHADED], normalised=False)
    components = show.divided(own.panel, hit, own.shades)
    low, high = (sum(sign * max(sign * c.value, 0.0) for c in components) for sign in (-1, 1))
    width = (high - low) or 1.0
    left, right, pieces = 0.0, 0.0, []
    for c in components:
        start = right if c.value >= 0 else left + c.value
        right, left = (right + c.value, left) if c.value >= 0 else (right, left + c.value)
        name, value = html.escape(c.name), f"{c.value:.3g}"
        place = f"left:{100 * (start - low) / width:.3f}%;width:{100 * abs(c.value) / width:.3f}%"
        look = f"background:{c.colour};color:{palette.on(c.colour)}"
        pieces.append(f'<span style="{place};{look}" title="{name} {value}"><i>{name}</i><b>{value}</b></span>')
    st.html(f'<div class="lab-sum">{"".join(pieces)}</div>')


def pairs(rows: Sequence[tuple[str, str, float]], rest: tuple[str, float], colour: str) -> None:
    """Pairs of a word of the question and a word of the passage with what they add; ``rest`` is what all others add."""
    longest = max([abs(value) for *_words, value in rows] + [abs(rest[1])], default=1.0) or 1.0
    lines = []
    for label, value in [*((f"{a} × {b}", value) for a, b, value in rows), rest]:
        shade = colour if value >= 0 else palette.mute()
        length = f"width:{100 * abs(value) / longest:.2f}%;background:{shade}"
        lines.append(f'<li><span>{html.escape(label)}</span><i><b style="{length}"></b></i><em>{value:.3f}</em></li>')
    st.html(f'<ul class="lab-pairs">{"".join(lines)}</ul>')
