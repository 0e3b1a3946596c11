"""Alt text for a figure: what the pointer would show, computed from the figure."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from statistics import median
from typing import Any

from lab.text import cut
from lab.ui.i18n import _, labelled, listed

MOST = 12
"""Maximum number of elements in a description."""
LONGEST = 120
_TAGS = re.compile(r"<[^<>]*>")


def described(figure: Mapping[str, Any]) -> str:
    """Describes a figure: its lines, bars, cells or points, the first dozen of them, in the visitor's language."""
    layout = figure["layout"]
    every = list(chain.from_iterable(_descriptions(trace, layout) for trace in figure["data"]))
    notes = [_strip_markup(note.get("text", "")) for note in layout.get("annotations", ())]
    items = list(dict.fromkeys(filter(None, every or notes)))
    text = listed(items[:MOST], "; ")
    return text + _("; and {n} more", n=len(items) - MOST) if len(items) > MOST else text


def _descriptions(trace: Mapping[str, Any], layout: Mapping[str, Any]) -> Iterator[str]:
    if "z" in trace:
        across, down = (_ticks(layout.get(axis, {})) for axis in ("xaxis", "yaxis"))
        rows = list(zip(trace["y"], trace["z"], strict=False))
        cells = [(z, x, y) for y, row in rows for x, z in zip(trace["x"], row, strict=False) if z is not None]
        for z, x, y in sorted(cells, key=lambda cell: -abs(cell[0])):
            cell = f"{_strip_markup(down.get(y, y))} × {_strip_markup(across.get(x, x))}"
            yield labelled(cell, f"{z:.3g}")
    elif trace.get("type") == "histogram":
        yield from _spread(trace["x"])
    elif trace.get("type") == "bar":
        yield from _bars(trace, layout)
    elif isinstance(hover := trace.get("hovertext"), (list, tuple)):
        yield from map(_strip_markup, hover)
    elif "%{" not in (template := str(trace.get("hovertemplate", ""))):
        yield _strip_markup(template)
    else:
        for x, y in zip(trace.get("x") or (), trace.get("y") or (), strict=False):
            if isinstance(x, (int, float)):
                yield labelled(_strip_markup(y), f"{x:.4g}") if isinstance(y, str) else f"{x:.4g} | {y:.4g}"


def _spread(values: Sequence[float]) -> Iterator[str]:
    """Describes a histogram: the number of values, their range and their median."""
    if len(values):
        numbers = {"low": f"{min(values):.4g}", "high": f"{max(values):.4g}", "middle": f"{median(values):.4g}"}
        yield _("values: {n}, from {low} to {high}, median {middle}", n=len(values), **numbers)


def _bars(trace: Mapping[str, Any], layout: Mapping[str, Any]) -> Iterator[str]:
    lying = trace.get("orientation") == "h"
    labels, values = (trace.get("y"), trace.get("x")) if lying else (trace.get("x"), trace.get("y"))
    if labels is None or values is None:
        return
    names = _ticks(layout.get("yaxis" if lying else "xaxis", {}))
    hover_texts = trace.get("hovertext") if isinstance(trace.get("hovertext"), (list, tuple)) else None
    for i, (label, value) in enumerate(zip(labels, values, strict=False)):
        if hover_texts is not None and i < len(hover_texts):
            yield _strip_markup(hover_texts[i])
        elif isinstance(value, (int, float)):
            yield labelled(_strip_markup(names.get(label, trace.get("name", label))), f"{value:.4g}")


def _ticks(axis: Mapping[str, Any]) -> dict[Any, Any]:
    return dict(zip(axis.get("tickvals", ()), axis.get("ticktext", ()), strict=False))


def _strip_markup(text: object) -> str:
    """Returns a text of plotly without its markup, in one line."""
    lines = (" ".join(html.unescape(_TAGS.sub("", line)).split()) for line in str(text).split("<br>"))
    return cut(listed(lines), LONGEST)
