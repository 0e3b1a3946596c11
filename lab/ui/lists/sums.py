"""A score as a sum, drawn without a chart: a bar of its components, and pairs of words as rows."""

from __future__ import annotations

import html
from collections.abc import Sequence

import streamlit as st

from lab.algebra import Hit
from lab.ui import escape, palette
from lab.ui.lists import show

WRITTEN = 4
"""Maximum number of components whose values are written out as a sum."""


def written(values: Sequence[float], score: float) -> str:
    """Writes a score as its sum, in Markdown: 2.895 + 2.543 − 0.100 = **5.338**; of many components only the first."""
    numbers = [f"{value:.3f}" for value in values]
    if len(numbers) > WRITTEN:
        numbers = [*numbers[: WRITTEN - 1], "…"]
    total = f"**{show.number(score)}**"
    return f"{' + '.join(numbers).replace('+ -', '− ')} = {total}" if len(values) > 1 else total


def bar(panel: show.Panel, hit: Hit, longest: float = 0.0) -> None:
    """Draws the components of a score side by side, as long as their values; negative ones are left of zero.

    ``longest`` is the highest of scores that are to be compared, each with its bar.
    """
    bars = show.bars_of(panel, panel.ranking.hits[: show.SHADED], normalised=False)
    names = show.grouped(hit)
    shades = bars.shades or {name: palette.tint(panel.colour, i, len(names)) for i, name in enumerate(names)}
    components = show.divided(bars.panel, hit, shades)
    low, high = (sum(sign * max(sign * c.value, 0.0) for c in components) for sign in (-1, 1))
    width = max(high - low, longest) or 1.0
    left, right, pieces = 0.0, 0.0, []
    for c in components:
        start = right if c.value >= 0 else left + c.value
        right, left = (right + c.value, left) if c.value >= 0 else (right, left + c.value)
        name, value = html.escape(c.name), f"{c.value:.3g}"
        place = f"left:{100 * (start - low) / width:.3f}%;width:{100 * abs(c.value) / width:.3f}%"
        look = f"background:{c.colour};color:{palette.on(c.colour)}"
        pieces.append(f'<span style="{place};{look}" title="{name} {value}"><i>{name}</i><b>{value}</b></span>')
    st.html(f'<div class="lab-sum">{"".join(pieces)}</div>')


def bars(panels: Sequence[show.Panel], doc: str) -> None:
    """Draws the score of a document in each of these lists that has it as a sum, below the name of the list."""
    for panel in panels:
        hit = panel.ranking.hit(doc)
        if hit and hit.why:
            st.caption(escape.plain(panel.name))
            bar(panel, hit)


def pairs(rows: Sequence[tuple[str, str, float]], rest: tuple[str, float], colour: str) -> None:
    """Draws pairs of a question word and a passage word with their contributions; ``rest`` is the sum of all others."""
    longest = max([abs(value) for *_words, value in rows] + [abs(rest[1])], default=1.0) or 1.0
    lines = []
    for label, value in [*((f"{a} × {b}", value) for a, b, value in rows), rest]:
        shade = colour if value >= 0 else palette.mute()
        length = f"width:{100 * abs(value) / longest:.2f}%;background:{shade}"
        lines.append(f'<li><span>{html.escape(label)}</span><i><b style="{length}"></b></i><em>{value:.3f}</em></li>')
    st.html(f'<ul class="lab-pairs">{"".join(lines)}</ul>')
