"""A picture in words, for who does not see it: what the pointer would find in it, computed from the figure."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from statistics import median
from typing import Any

from lab.text import cut
from lab.ui.i18n import _

MOST = 12
"""So many things of a picture are said."""
LONGEST = 120
_TAGS = re.compile(r"<[^<>]*>")


def described(figure: Mapping[str, Any]) -> str:
    """What a figure shows: its lines, bars, cells, points, the first dozen of them, in the visitor's language."""
    layout = figure["layout"]
    every = list(chain.from_iterable(_told(trace, layout) for trace in figure["data"]))
    notes = [_plain(note.get("text", "")) for note in layout.get("annotations", ())]
    found = list(dict.fromkeys(filter(None, every or notes)))
    told = "; ".join(islice(found, MOST))
    return told + _("; and {n} more", n=len(found) - MOST) if len(found) > MOST else told


def _told(trace: Mapping[str, Any], layout: Mapping[str, Any]) -> Iterator[str]:
    """What there is to say of one trace, each thing once."""
    if "z" in trace:
        across, down = (_ticks(layout.get(axis, {})) for axis in ("xaxis", "yaxis"))
        rows = list(zip(trace["y"], trace["z"], strict=False))
        cells = [(z, x, y) for y, row in rows for x, z in zip(trace["x"], row, strict=False) if z is not None]
        for z, x, y in sorted(cells, key=lambda cell: -abs(cell[0])):
            yield f"{_plain(down.get(y, y))} × {_plain(across.get(x, x))}: {z:.3g}"
    elif trace.get("type") == "histogram":
        yield from _spread(trace["x"])
    elif trace.get("type") == "bar":
        yield from _bars(trace, layout)
    elif isinstance(hover := trace.get("hovertext"), (list, tuple)):
        yield from map(_plain, hover)
    elif "%{" not in (template := str(trace.get("hovertemplate", ""))):
        yield _plain(template)
    else:
        for x, y in zip(trace.get("x") or (), trace.get("y") or (), strict=False):
            if isinstance(x, (int, float)):
                yield f"{_plain(y)}: {x:.4g}" if isinstance(y, str) else f"{x:.4g} | {y:.4g}"


def _spread(values: Sequence[float]) -> Iterator[str]:
    """How many values there are, between which, and where their middle is."""
    if len(values):
        numbers = {"low": f"{min(values):.4g}", "high": f"{max(values):.4g}", "middle": f"{median(values):.4g}"}
        yield _("values: {n}, from {low} to {high}, median {middle}", n=len(values), **numbers)


def _bars(trace: Mapping[str, Any], layout: Mapping[str, Any]) -> Iterator[str]:
    """A bar's label and length."""
    lying = trace.get("orientation") == "h"
    labels, values = (trace.get("y"), trace.get("x")) if lying else (trace.get("x"), trace.get("y"))
    if labels is None or values is None:
        return
    names = _ticks(layout.get("yaxis" if lying else "xaxis", {}))
    own = trace.get("hovertext") if isinstance(trace.get("hovertext"), (list, tuple)) else None
    for i, (label, value) in enumerate(zip(labels, values, strict=False)):
        if own is not None and i < len(own):
            yield _plain(own[i])
        elif isinstance(value, (int, float)):
            yield f"{_plain(names.get(label, trace.get('name', label)))}: {value:.4g}"


def _ticks(axis: Mapping[str, Any]) -> dict[Any, Any]:
    """What stands at the places of an axis."""
    return dict(zip(axis.get("tickvals", ()), axis.get("ticktext", ()), strict=False))


def _plain(text: object) -> str:
    """A text of plotly without its markup, in one line."""
    spaced = str(text).replace("<br>", ", ")
    return cut(" ".join(html.unescape(_TAGS.sub("", spaced)).split()), LONGEST)
