"""Every chart of the lab: plain functions from numbers to plotly figures as dictionaries, in the theme's colours.

A figure is what plotly.js reads, ``{"data": [...], "layout": {...}}``: plotly's own objects check every property as
it is set, and building with them took longer than the rest of a page.  Plotly reads a small subset of HTML in texts,
so every text from a document goes through `safe`, and inside a hover template through `hovered`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import streamlit as st

from lab.algebra import Contribution, Corpus, Ranking
from lab.evaluate.significance import ALPHA
from lab.text import cut
from lab.text import width as columns
from lab.ui import palette
from lab.ui.escape import safe
from lab.ui.figures.described import described
from lab.ui.i18n import _, labelled, say

if TYPE_CHECKING:
    from lab.algebra import Document
    from lab.evaluate.ablation import Variant
    from lab.explain.approximation import Speed
    from lab.explain.tipping import Line, Step, Tipping
    from lab.refine.diversity import Candidate, Replay
    from lab.refine.filters import Measured

Figure = dict[str, Any]
"""``data``, a list of traces, and ``layout``: what `st.plotly_chart` and ``plotly.graph_objects.Figure`` take."""
Part = dict[str, Any]
"""A piece of a figure: a trace, an annotation, a shape, an axis, a font."""
Grades = Mapping[str, int]
"""The grades of documents, by their ids, if the corpus has judgments."""
NONE: Grades = {}
WIDTHS = (300, 460)
"""Pixels of the narrowest map, and of one beside a text: labels must not overlap in either."""

FAMILY = '"Source Sans", sans-serif'
"""The fonts of Streamlit's pages."""
CONFIG = {"displayModeBar": False, "scrollZoom": False}

# Plotly selects points by their markers only, so a line that can be clicked has invisible ones; and a selection
# must not dim anything: the page says itself what is selected.  Every point is found by the pointer, but one marker is
# drawn: a thousand invisible ones took the browser longer than all else on the page.
_CLICKABLE: Part = {
    "mode": "lines+markers",
    "marker": {"size": 9, "opacity": 0, "maxdisplayed": 1},
    "selected": {"marker": {"opacity": 0}},
    "unselected": {"marker": {"opacity": 0}},
}
UNDIMMED: Part = {"selected": {"marker": {"opacity": 1}}, "unselected": {"marker": {"opacity": 1}}}
# Streamlit's settings of a clickable figure: set beforehand, they save drawing it a second time.
_CLICKS: Part = {"clickmode": "event+select", "dragmode": "pan"}


@lru_cache(maxsize=1)
def _figure_class() -> Callable[[Figure], Any]:
    """Returns a class that gives Streamlit a dictionary unchanged: plotly's objects would cost most of a rerun."""
    from plotly.basedatatypes import BaseFigure

    class Plain(BaseFigure):  # type: ignore[misc]
        def __init__(self, drawn: Figure) -> None:
            self._drawn = drawn

        def to_dict(self) -> Figure:
            return self._drawn

    return Plain


def draw(drawn: Figure, key: str) -> None:
    """Puts a figure on the page."""
    _put(drawn, key)


def clickable(drawn: Figure, key: str) -> Any:
    """Puts a figure on the page and returns its selection, for `clicked` or `clicked_at`."""
    return _put({**drawn, "layout": drawn["layout"] | _CLICKS}, key, on_select="rerun", selection_mode="points")


def _put(drawn: Figure, key: str, **how: Any) -> Any:
    """Draws a figure, and over it a line at the current value of a parameter, which does not change the figure.

    The browser redraws a figure, which takes it longer than all else, only if it has changed.  Streamlit gives every
    new one to plotly twice.  With a revision, plotly recognises the same numbers; Streamlit's theme makes a new
    template each time and would force a redraw: so `figure` sets its properties itself.
    """
    layout = dict(drawn["layout"])
    now = layout.pop("meta", None)
    layout["meta"] = described(drawn)  # the browser uses it as alt text
    layout["datarevision"] = 1
    drawn = {**drawn, "layout": layout}
    how |= {"key": key, "config": CONFIG, "theme": None}
    if now is None:
        return st.plotly_chart(_figure_class()(drawn), **how)
    with st.container(gap=None):
        event = st.plotly_chart(_figure_class()(drawn), **how)
        st.html(_now(layout, **now))
    return event


def _now(layout: Part, at: float, text: str) -> str:
    """Returns a dashed line over the figure above it, at this value of its horizontal axis, with its label."""
    margin, (low, high) = layout["margin"], layout["xaxis"]["range"]
    share = min(1.0, max(0.0, (at - low) / (high - low)))
    left = f"calc({margin['l']}px + (100% - {margin['l'] + margin['r']}px) * {share:.5f})"
    top, tall = layout["height"] - margin["t"], layout["height"] - margin["t"] - margin["b"]
    place = f"position:absolute;left:{left};top:-{top}px;height:{tall}px;margin-left:-1px;border-left:2px dashed"
    css = "position:absolute;bottom:100%;transform:translateX(-50%);white-space:nowrap;font-size:12px"
    line = (
        f'<div class="lab-now" data-share="{share:.5f}" style="{place}"><span style="{css}">{safe(text)}</span></div>'
    )
    return f'<div style="position:relative;height:0;pointer-events:none;color:{palette.ink()}">{line}</div>'


def enlarged(drawn: Figure, least: float = 24) -> Figure:
    """Returns a figure for a projector: no type is smaller than ``least`` pixels; height and margins grow as well."""

    def sizes(part: Any, of: str = "") -> Iterator[float]:
        if isinstance(part, dict):
            for key, value in part.items():
                if key == "size" and of.endswith("font"):
                    yield value
                yield from sizes(value, key)
        elif isinstance(part, list):
            for item in part:
                yield from sizes(item, of)

    factor = least / min(sizes(drawn), default=least)

    def grown(part: Any, of: str = "") -> Any:
        if isinstance(part, list):
            return [grown(item, of) for item in part]
        if not isinstance(part, dict):
            return part
        return {
            key: value * factor
            if (of.endswith("font") and key == "size")
            or (of == "layout" and key == "height")
            or (of == "margin" and key in "lrtb")
            else grown(value, key)
            for key, value in part.items()
        }

    return {"data": grown(drawn["data"], "data"), "layout": grown(drawn["layout"], "layout")}


# ------------------------------------------------------------------------------------- what figures are made of


def figure(
    height: int, data: Sequence[Part], margin: Part, *, x: Part | None = None, y: Part | None = None, **layout: Any
) -> Figure:
    """Returns a figure in the theme's colours, without legend and grid.

    ``margin`` is 8 for each of left, right, top and bottom (l, r, t, b) that it omits; ``x`` and ``y`` set further
    properties of the axes, ``layout`` of the rest.
    """
    line, quiet = palette.line(), palette.quiet()
    axis = {"showgrid": False, "zeroline": False, "linecolor": line, "fixedrange": True, "tickfont": font(11.25, quiet)}
    axis |= {"tickcolor": line} if any(part["type"] == "heatmap" for part in data) else {}  # plotly gives it ticks
    axes = []
    for options, standoff in ((x or {}, 18.75), (y or {}, 22.5)):
        title = {"font": font(13.125, quiet), "standoff": standoff}
        axes.append(_filled({**axis, "title": title, "automargin": options.get("visible", True)}, options))
    label = {"align": "left", "bgcolor": palette.paper(), "bordercolor": line, "font": font(11.25, quiet)}
    base = {
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8, "pad": 7.5} | margin,
        "showlegend": False,
        "hovermode": "closest",
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {**font(13, palette.ink()), "family": FAMILY, "weight": 400},
        "hoverlabel": label,
        "dragmode": False,
        "xaxis": axes[0],
        "yaxis": axes[1],
    }
    # Streamlit refuses a figure without traces
    return {"data": list(data) or [{"type": "scatter"}], "layout": base | layout}


def _filled(base: Part, options: Part) -> Part:
    """Returns ``options``, completed by ``base``."""
    both = {k: _filled(base[k], v) if isinstance(v, dict) and k in base else v for k, v in options.items()}
    return base | both


def trace(kind: str, x: Any, y: Any, hover: str = "", **more: Any) -> Part:
    """Returns one trace; ``hover`` is the template under the pointer, or nothing."""
    pointer = {"hovertemplate": f"{hover}<extra></extra>"} if hover else {"hoverinfo": "skip"}
    return {"type": kind, "x": x, "y": y, **pointer, **more}


def note(x: float, y: float | str, text: str, size: float, colour: str = "", **more: Any) -> Part:
    """Returns a text at a point."""
    return {"x": x, "y": y, "text": text, "showarrow": False, "font": font(size, colour), **more}


def font(size: float, colour: str = "") -> Part:
    """Returns a font of this size, in a colour of its own if there is one."""
    return {"size": size, "color": colour} if colour else {"size": size}


def hovered(text: str, width: int | None = None) -> str:
    """Escapes a document's text for a hover template: `safe`, and template fields in it stay text."""
    return safe(text, width).replace("%{", "%&#123;")


def pointed(documents: Sequence[Document]) -> Part:
    """Returns the ids of points that are documents, for a click (`clicked`), and their titles for ``%{hovertext}``."""
    return {"customdata": [d.id for d in documents], "hovertext": [safe(d.label, 40) for d in documents]}


def _inside(texts: Sequence[str], **more: Any) -> Part:
    """Texts inside bars."""
    return {"text": texts, "textposition": "inside", "textfont": {"color": palette.paper()}, **more}


def _right_note(y: float | str, text: str, size: float, colour: str) -> Part:
    """Returns a text at the right of the picture."""
    return note(1.01, y, text, size, colour, xref="paper", xanchor="left")


def _downwards(labels: Sequence[Any], size: float = 12) -> Part:
    """Returns a vertical axis with a label at 0, 1, 2, ... from the top."""
    ticks = {"tickvals": list(range(len(labels))), "ticktext": list(labels), "tickfont": font(size)}
    return {"autorange": "reversed", "showline": False, **ticks}


def _bold(text: str, strong: bool) -> str:
    return f"<b>{text}</b>" if strong else text


def _title(text: str) -> Part:
    return {"text": text, "font": font(12)}


def _measured(title: str) -> Part:
    """Returns an axis with a title, numbers and a grid."""
    return {"title": _title(title), "tickfont": font(11), "showgrid": True, "gridcolor": palette.line()}


def _line(x: float, width: float = 1.5) -> Part:
    """Returns a dashed line from the bottom to the top, at the value of a parameter."""
    place = {"xref": "x", "x0": x, "x1": x, "yref": "y domain", "y0": 0, "y1": 1}
    return {"type": "line", **place, "line": {"color": palette.ink(), "width": width, "dash": "dash"}}


def _along(log: bool, high: float = 1.0) -> Part:
    """Returns the axis of a parameter: a weight from 0 to 1 (or another highest), or RRF's k up to 1000."""
    return {
        "type": "log" if log else "linear",
        "tickvals": [1, 2, 5, 10, 20, 60, 100, 200, 500, 1000] if log else [high * i / 4 for i in range(5)],
        "tickfont": font(11, palette.mute()),
    }


# ------------------------------------------------------------------------------------------------------- clicks


def clicked(event: Any) -> str | None:
    """Returns the document id of the clicked point of a chart, if any."""
    return next((data[0] for data in _clicks(event) if data and isinstance(data[0], str)), None)


def clicked_at(event: Any) -> tuple[float, str] | None:
    """Returns the value on the axis and the document id of a clicked point of a tipping chart."""
    return next(((float(data[0]), str(data[1])) for data in _clicks(event) if len(data) == 2), None)


def _clicks(event: Any) -> Iterator[Sequence[Any]]:
    """Yields the data of the clicked points, each a list."""
    for point in event.get("selection", {}).get("points", []) if event else []:
        data = point.get("customdata")
        yield data if isinstance(data, (list, tuple)) else [data]


# ------------------------------------------------------------------------------------------- ranks and scores


def rank_flow(
    rankings: Sequence[Ranking],
    names: Sequence[str],
    colours: Sequence[str],
    corpus: Corpus,
    *,
    depth: int,
    selected: str = "",
) -> Figure:
    """Draws one line per document across the lists; in a list without the document it runs below the last rank.

    The selected document has a thick line.
    """
    documents = {h.document.id: h.document for r in rankings for h in r.hits[:depth]}
    n_rows = min(depth, max((len(r) for r in rankings), default=0)) or 1
    below = n_rows + 1.1
    last = len(rankings) - 1
    data, notes, rings = list[Part](), list[Part](), list[_Ring]()
    for doc in sorted(documents, key=lambda d: d == selected):  # it is drawn last, on top
        ranks = [r.rank(doc) for r in rankings]
        heights = [rank if rank and rank <= n_rows else below for rank in ranks]
        inside = [i for i, y in enumerate(heights) if y != below]
        strong = doc == selected
        colour = palette.document(corpus, doc)
        where = (labelled(hovered(n), rank or "–") for n, rank in zip(names, ranks, strict=True))
        hover = f"<b>{hovered(documents[doc].label, 44)}</b><br>{'<br>'.join(where)}"
        xs, ys = _curve(heights)
        line = {"color": colour, "width": 6 if strong else 2}
        drawn: Part = {"line": line, "opacity": 1 if strong else 0.55, "customdata": [doc] * len(xs)}
        data.append(trace("scatter", xs, ys, hover, **_CLICKABLE, **drawn))
        size, width = (13, 3) if strong else (8, 2)
        rings += [_Ring(i, heights[i], size, colour, colour, width, hover, doc) for i in inside]
    if rings:
        data.append(_rings(rings))
    outside = {"right": {"xanchor": "right", "xshift": -12}, "left": {"xanchor": "left", "xshift": 12}}
    ends = ((0, "right"), (last, "left"))
    for side, anchor in ends if last else ends[:1]:
        for rank, hit in enumerate(rankings[side].hits[:n_rows], 1):
            strong = hit.document.id == selected
            colour = palette.ink() if strong else palette.mute()
            text = _bold(f"{rank} {safe(hit.document.label, 26)}", strong)
            notes.append(note(side, rank, text, 12.5, colour, yanchor="middle", **outside[anchor]))
    heads = [_head(name, 30 if len(names) < 3 else 13) for name in names]
    for i, (lines, colour) in enumerate(zip(heads, colours, strict=True)):
        notes.append(
            note(i, 0.25, "<br>".join(_bold(safe(line), True) for line in lines), 13.5, colour, yanchor="bottom")
        )
    if any(below in drawn["y"] for drawn in data):
        text = _("not in the first {n}", n=n_rows)
        notes.append(note(0, below, text, 11.5, palette.mute(), **outside["right"]))
    x = {"visible": False, "range": [-0.05, last + 0.05]}
    y = {"visible": False, "range": [below + 0.4, -0.25]}
    above = 18 * max(2, *map(len, heads)) + 10 if heads else 46
    margin = {"l": 190, "r": 190, "t": above, "b": 4}  # in pixels: a title is as long in a narrow window
    return figure(30 + above + 25 * (n_rows + 1), data, margin, x=x, y=y, annotations=notes)


def _head(name: str, wide: int) -> list[str]:
    """Returns the name of a list in at most four lines of ``wide`` columns each, so that heads fit side by side."""
    lines = list[str]()
    for part in cut(name).split(" · ", 1):
        line = ""
        for word in part.split(" ") if " " in part else [part]:
            if line and columns(f"{line} {word}") > wide:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}".strip()
        lines.append(line)
    return [cut(line, max(wide, 15)) for line in lines[:4]]


class _Ring(NamedTuple):
    """A ring: its place, size, fill, colour, width, hover text, and its data for a click."""

    x: float
    y: float
    size: float
    fill: str
    colour: str
    width: float
    hover: str
    data: Any
    text: str = ""


def _label_sides(points: Sequence[tuple[float, float]], wide: float, tall: float) -> list[str]:
    """Returns the side of each point's label, so that it overlaps none before it: above, below, or empty for hidden.

    ``wide`` and ``tall`` are the size of a label on the axes.
    """
    placed, positions = list[tuple[float, float]](), list[str]()
    for x, y in points:
        sides = {"top center": y + tall, "bottom center": y - tall}
        free = (s for s, at in sides.items() if all(abs(x - a) >= wide or abs(at - b) >= tall for a, b in placed))
        side = next(free, "")
        placed += [(x, sides[side])] if side else []
        positions.append(side)
    return positions


class _Box(NamedTuple):
    """The centre of a label or of a point in pixels, and its size."""

    x: float
    y: float
    wide: float
    tall: float

    def meets(self, other: _Box) -> bool:
        return (
            abs(self.x - other.x) < (self.wide + other.wide) / 2
            and abs(self.y - other.y) < (self.tall + other.tall) / 2
        )


def _beside_point(x: float, y: float, wide: float, tall: float, gap: float) -> dict[str, _Box]:
    """Returns the possible places of a label: below, above, beside its point, or at a corner, in pixels."""
    across, up = wide / 2 + gap, tall / 2 + gap
    return {
        "bottom center": _Box(x, y - up, wide, tall),
        "top center": _Box(x, y + up, wide, tall),
        "middle right": _Box(x + across, y, wide, tall),
        "middle left": _Box(x - across, y, wide, tall),
        "bottom right": _Box(x + across, y - up, wide, tall),
        "bottom left": _Box(x - across, y - up, wide, tall),
        "top right": _Box(x + across, y + up, wide, tall),
        "top left": _Box(x - across, y + up, wide, tall),
    }


def _free_side(places: Sequence[Mapping[str, _Box]], obstacles: Sequence[Sequence[_Box]]) -> str:
    """Returns the first side on which a label overlaps nothing, in each width of a map; empty if there is none.

    ``places`` are the label's boxes by side, ``obstacles`` the boxes in the map, both for each width of `WIDTHS`.
    """
    for side in places[0]:
        boxes = [place[side] for place in places]
        inside = all(abs(box.x) + box.wide / 2 < width / 2 for box, width in zip(boxes, WIDTHS, strict=True))
        if inside and not any(
            box.meets(other) for box, occupied in zip(boxes, obstacles, strict=True) for other in occupied
        ):
            return side
    return ""


def _rings(rings: Sequence[_Ring], sides: Sequence[str] = ()) -> Part:
    """Draws rings as one trace, because plotly's work grows with the number of traces.

    ``sides`` are the positions of their texts; a ring with an empty side has no text.
    """
    xs, ys, sizes, fills, colours, widths, hovers, data, texts = map(list, zip(*rings, strict=True))
    if sides:
        texts = [text if side else "" for text, side in zip(texts, sides, strict=True)]
    stand = [side or "top center" for side in sides] or "top center"
    labelled: Part = {"text": texts, "textposition": stand, "textfont": font(11, palette.mute())}
    marker = {"size": sizes, "color": fills, "opacity": 1, "line": {"color": colours, "width": widths}}
    drawn: Part = {"mode": "markers", **UNDIMMED, "marker": marker, "customdata": data, "hovertext": hovers}
    drawn["cliponaxis"] = False
    return trace(
        "scatter", xs, ys, "%{hovertext}", **drawn | ({"mode": "markers+text", **labelled} if any(texts) else {})
    )


def _curve(heights: Sequence[float]) -> tuple[list[float], list[float]]:
    """Returns a line through heights at 0, 1, 2, ... that is level at each of them."""
    steps = [step / 12 for step in range(1, 13)]
    ys = [a + (b - a) * t * t * (3 - 2 * t) for a, b in pairwise(heights) for t in steps]
    return [0.0, *(i + t for i in range(len(heights) - 1) for t in steps)], [heights[0], *ys]


def addends(why: Sequence[Contribution], colour: str, *, paint: Callable[[Contribution], str] | None = None) -> Figure:
    """Draws a score as a sum: one stacked bar, negative components to the left of zero."""
    total = sum(abs(c.value) for c in why) or 1.0
    parts = sorted(why, key=lambda c: -c.value)
    sources, values = [say(c.source) for c in parts], [c.value for c in parts]
    rooms = [int(abs(v) / total / 0.012) - 6 for v in values]  # columns beside its number
    texts = [
        f"{_ends(source, min(24, room))} {v:.3g}" if room >= min(8, columns(source)) else ""
        for source, v, room in zip(sources, values, rooms, strict=True)
    ]
    ends = accumulate(max(v, 0.0) for v in values), accumulate(min(v, 0.0) for v in values)
    starts = [(right if v > 0 else left) - v for v, right, left in zip(values, *ends, strict=True)]
    edge = {"color": palette.paper(), "width": 1}
    colours = [paint(c) if paint else palette.shade(colour, i % 3) for i, c in enumerate(parts)]
    look = _inside(texts, insidetextanchor="middle", textangle=0, marker={"color": colours, "line": edge})
    hovers = [f"<b>{safe(source, 24)}</b>: {v:.4f}" for source, v in zip(sources, values, strict=True)]
    bars = trace(
        "bar", values, [""] * len(parts), "%{hovertext}", orientation="h", base=starts, hovertext=hovers, **look
    )
    x = {"tickfont": font(11, palette.mute()), "nticks": 6}
    fit = {"minsize": 9, "mode": "hide"}
    more: Part = {"y": {"visible": False}, "barmode": "overlay", "bargap": 0, "uniformtext": fit}
    return figure(64, [bars] if parts else [], {"t": 2, "b": 22}, x=x, **more)


def _ends(text: str, width: int) -> str:
    """Cuts a text for a chart in its middle: of “Vector · Built-in, bilingual rank 1” the rank stays."""
    whole = cut(text)
    if columns(whole) <= width:
        return safe(whole)
    tail = whole[-(width // 3) :]
    return safe(cut(whole, width - columns(tail)) + tail.lstrip())


def scatter(
    points: Sequence[tuple[str, float, float]],
    corpus: Corpus,
    x: str,
    y: str,
    *,
    selected: str = "",
    relevant: Grades = NONE,
) -> Figure:
    """Draws two scores of the same documents against each other; relevant ones are ringed."""
    ids, xs, ys = zip(*points, strict=True) if points else ((), (), ())
    rings = [3 if relevant.get(i, 0) > 0 else 1.5 if i == selected else 0 for i in ids]
    marker = {
        "size": [16 if i == selected else 11 for i in ids],
        "color": [palette.document(corpus, i) for i in ids],
        "line": {"color": palette.ink(), "width": rings},
    }
    hover_data = pointed([d for i in ids if (d := corpus.get(i))])
    dots = trace("scatter", xs, ys, "%{hovertext}<br>%{x:.4g} → %{y:.4g}", mode="markers", marker=marker, **hover_data)
    return figure(340, [dots], {"l": 46, "b": 42}, x=_measured(safe(x, 40)), y=_measured(safe(y, 40)))


# ---------------------------------------------------------------------------------------------- along a knob


def tipping(tips: Tipping, corpus: Corpus, *, left: str, right: str, selected: str = "") -> Figure:
    """Draws fused scores along a parameter: a curve per document, rings at the crossings, a line at its value.

    Every point has its value on the axis as customdata, so that a click can move the parameter.
    """
    low, high = tips.axis.range
    log = high > 10
    # the same order wherever the knob is, but what is selected is on top
    drawn = sorted(tips.lines(points=80, relative=log), key=lambda line: corpus.positions[line.document.id])
    lines = {line.document.id: line for line in sorted(drawn, key=lambda line: line.document.id == selected)}
    data = []
    for doc, line in lines.items():
        xs, ys = list(line.x), list(line.y)
        if len(xs) == 2:  # a straight line has no points to click between its ends
            xs, ys = (np.linspace(ends[0], ends[1], 51).tolist() for ends in (xs, ys))
        hover = f"<b>{hovered(line.document.label, 40)}</b><br>%{{x:.3f}}: %{{y:.5f}}"
        stroke = {"color": palette.document(corpus, doc), "width": 5 if doc == selected else 2.5}
        data.append(trace("scatter", xs, ys, hover, **_CLICKABLE, line=stroke, customdata=[[x, doc] for x in xs]))
    rings = list[_Ring]()
    for c in tips.crossings:
        doc = c.upper_after.id
        if doc in lines:
            height = float(np.interp(c.value, lines[doc].x, lines[doc].y))
            text = f"{c.value:.1f}" if log else f"{c.value:.3f}"
            hover = f"<b>{text}</b><br>{safe(c.upper_after.label, 30)} ▲<br>{safe(c.upper_before.label, 30)} ▼"
            rings.append(_Ring(c.value, height, 11, palette.paper(), palette.ink(), 2, hover, [c.value, doc], text))
    floor, ceiling = _reach(tips, list(lines.values()))
    span = (ceiling - floor) or 1.0
    if rings:
        at = [(math.log10(max(ring.x, 1)) if log else ring.x, ring.y) for ring in rings]
        data.append(_rings(rings, _label_sides(at, 0.085 * (math.log10(high) if log else high - low), 0.05 * span)))
    notes = []
    last = -1e9
    ends = sorted((line.y[-1], doc) for doc, line in lines.items() if line.y[-1] >= floor - 0.05 * span)
    for end, doc in ends:  # labels at the right end, pushed apart
        last = max(end, last + span * 0.052)
        text = _bold(safe(lines[doc].document.label, 26), doc == selected)
        notes.append(_right_note(last, text, 12, palette.document(corpus, doc)))
    current_text = _("now {value}", value=f"{tips.current:.3g}")
    now: Part = {"at": math.log10(max(tips.current, 1)) if log else tips.current, "text": current_text}
    corner: Part = {"xref": "paper", "yref": "paper", "yanchor": "top"}
    notes.append(note(0, -0.085, safe(left, 50), 12, palette.mute(), xanchor="left", **corner))
    notes.append(note(1, -0.085, safe(right, 50), 12, palette.mute(), xanchor="right", **corner))
    reach = [math.log10(max(low, 1)), math.log10(high)] if log else [low - 0.01, high + 0.01]
    x = {**_along(log, high), "range": reach, "showline": True, "automargin": False}
    y = {"visible": False, "range": [floor - 0.06 * span, ceiling + 0.08 * span]}
    margin = {"l": 56, "r": 190, "t": 38, "b": 44}
    return figure(400, data, margin, x=x, y=y, annotations=notes, meta=now)


def strip(tips: Tipping, corpus: Corpus, *, left: str, right: str, selected: str = "") -> Figure:
    """Draws the scores along a parameter above the document ranked first: small enough for the space above a list.

    Rings mark a change of the first rank.  Every point has its value on the axis as customdata, as in `tipping`.
    """
    low, high = tips.axis.range
    log = high > 10
    stretches = tips.winners
    lines = sorted(
        tips.lines(points=60, relative=log), key=lambda line: (line.document.id == selected, line.document.id)
    )
    floor, ceiling = _reach(tips, lines)
    span = (ceiling - floor) or 1.0
    data = []
    for line in lines:
        doc, strong = line.document.id, line.document.id == selected
        xs, ys = list(line.x), list(line.y)
        if len(xs) == 2:  # a straight line has no points to click between its ends
            xs, ys = (np.linspace(ends[0], ends[1], 51).tolist() for ends in (xs, ys))
        above = [(x, y) for x, y in zip(xs, ys, strict=True) if y >= floor - 0.1 * span]  # the foot is for the ribbon
        xs, ys = [x for x, _y in above], [y for _x, y in above]
        stroke = {"color": palette.document(corpus, doc), "width": 4 if strong else 1.6}
        hover = f"<b>{hovered(line.document.label, 40)}</b><br>%{{x:.3f}}: %{{y:.5f}}"
        drawn: Part = {"line": stroke, "opacity": 1 if strong else 0.75, "customdata": [[x, doc] for x in xs]}
        data.append(trace("scatter", xs, ys, hover, **_CLICKABLE, **drawn))
    by_doc = {line.document.id: line for line in lines}
    rings = []
    for before, after in pairwise(stretches):
        line = by_doc[after.document.id]
        height = float(np.interp(after.low, line.x, line.y))
        text = f"{after.low:.1f}" if log else f"{after.low:.3f}"
        hover = f"<b>{text}</b><br>{safe(after.document.label, 30)} ▲<br>{safe(before.document.label, 30)} ▼"
        rings.append(
            _Ring(after.low, height, 10, palette.paper(), palette.ink(), 2, hover, [after.low, line.document.id], text)
        )
    if rings:
        at = [(math.log10(max(ring.x, 1)) if log else ring.x, ring.y) for ring in rings]
        data.append(_rings(rings, _label_sides(at, 0.13 * (math.log10(high) if log else high - low), 0.2 * span)))
    base, tall = floor - 0.62 * span, 0.34 * span
    for stretch in stretches:
        strong = stretch.document.id == selected
        edge = {"color": palette.ink() if strong else palette.paper(), "width": 2 if strong else 1}
        marker = {"color": palette.document(corpus, stretch.document.id), "line": edge}
        middle = math.sqrt(max(stretch.low, 1) * stretch.high) if log else (stretch.low + stretch.high) / 2
        wide = (
            (math.log10(stretch.high / max(stretch.low, 1)) / math.log10(high)) if log else stretch.high - stretch.low
        )
        label = safe(stretch.document.label, int(wide * 48)) if wide > 0.16 else ""
        drawn = {
            "offset": 0,
            "base": [base],
            "width": stretch.high - stretch.low,
            "marker": marker,
            "customdata": [[middle, stretch.document.id]],
        }
        hover = f"<b>{hovered(stretch.document.label, 36)}</b><br>{stretch.low:.3f} – {stretch.high:.3f}"
        inside = _inside(
            [label], insidetextanchor="middle", textangle=0, insidetextfont={"size": 11, "color": palette.paper()}
        )
        data.append(trace("bar", [stretch.low], [tall], hover, **drawn, **inside))
    corner: Part = {"xref": "paper", "yref": "paper", "yanchor": "bottom", "yshift": 13}  # above the current value
    notes = [
        note(0, 1, safe(left, 32), 12, palette.mute(), xanchor="left", **corner),
        note(1, 1, safe(right, 32), 12, palette.mute(), xanchor="right", **corner),
    ]
    reach = [math.log10(max(low, 1)), math.log10(high)] if log else [low, high]
    now: Part = {"at": math.log10(max(tips.current, 1)) if log else tips.current, "text": f"{tips.current:.3g}"}
    x = {**_along(log, high), "range": reach, "visible": False, "automargin": False}
    y = {"visible": False, "range": [base, ceiling + 0.36 * span]}  # room for a number over the highest ring
    return figure(
        160, data, {"l": 8, "r": 8, "t": 34, "b": 2}, x=x, y=y, annotations=notes, meta=now, barmode="overlay"
    )


def _reach(tips: Tipping, lines: Sequence[Line]) -> tuple[float, float]:
    """Returns the lowest score that is ever among the first n, below which nothing is shown, and the highest of all."""
    if not lines:
        return 0.0, 1.0
    grid = np.linspace(*tips.axis.range, 41)
    scores = np.sort([np.interp(grid, line.x, line.y) for line in lines], axis=0)  # shape [lines, 41]
    return float(scores[-min(tips.n, len(lines))].min()), float(scores[-1].max())


def staircases(
    series: Mapping[str, Sequence[Step]], current: float, colours: Sequence[str], *, label: str, log: bool = False
) -> Figure:
    """Draws a measure along the same axis: one staircase per series, its name at the right end."""
    data, notes = [], []
    for (name, steps), colour in zip(series.items(), colours, strict=False):
        xs = [v for s in steps for v in (s.low, s.high)]
        ys = [v for s in steps for v in (s.value, s.value)]
        hover = f"{hovered(name)}<br>%{{x:.3f}}: %{{y:.3f}}"
        line, places = {"color": colour, "width": 2.5}, [[x, ""] for x in xs]
        data.append(trace("scatter", xs, ys, hover, mode="lines", line=line, customdata=places))
        notes.append(_right_note(ys[-1], safe(name, 26), 12, colour))
    x = {**_along(log), "range": [0, 3] if log else [-0.01, 1.01], "automargin": False}
    y = {**_measured(safe(label)), "range": [-0.03, 1.05], "tickvals": [0, 0.5, 1], "automargin": False}
    now: Part = {"at": math.log10(current) if log and current > 0 else current, "text": ""}
    return figure(170, data, {"l": 56, "r": 190, "b": 24}, x=x, y=y, annotations=notes, meta=now)


def picks(candidates: Sequence[Candidate], corpus: Corpus, picked: str) -> Figure:
    """Draws every candidate's contribution at one pick.

    Relevance goes to the right, redundancy to the left, and a mark is the sum.
    """
    ids = [c.document.id for c in candidates]
    ys = list(range(len(ids)))
    blockers = [_("similar to “{title}”", title=safe(c.blocker.label, 26)) if c.blocker else "" for c in candidates]
    quiet = f'<br><span style="font-size:10.5px;color:{palette.mute()}">{{}}</span>'
    labels = [
        _bold(safe(c.document.label, 28), c.document.id == picked) + (quiet.format(blocker) if blocker else "")
        for c, blocker in zip(candidates, blockers, strict=True)
    ]
    gains, losses = [c.relevance_part for c in candidates], [c.redundancy_part for c in candidates]
    offered = _inside([f"{v:.3f}" for v in gains], marker={"color": palette.named("vector")})
    gain = trace("bar", gains, ys, _("similar to the query") + ": %{x:.4f}", orientation="h", customdata=ids, **offered)
    loss_look = _inside([f"{v:.3f}" if near else "" for v, near in zip(losses, blockers, strict=True)])
    loss_look |= {"textfont": {"color": palette.ink()}, "marker": {"color": palette.mute(), "opacity": 0.55}}
    loss = trace("bar", losses, ys, "%{customdata}: %{x:.4f}", orientation="h", customdata=blockers, **loss_look)
    edge = {"color": palette.ink(), "width": [2 if i == picked else 0.5 for i in ids]}
    colours = [palette.document(corpus, i) for i in ids]
    marker = {"symbol": "diamond", "size": 11, "color": colours, "line": edge}
    left = [c.value for c in candidates]
    rest = trace("scatter", left, ys, _("total") + ": %{x:.4f}", mode="markers", marker=marker)
    span = [min(losses, default=0.0) * 1.05 - 0.01, (max(gains, default=1.0) or 1.0) * 1.06]
    x = {"range": span, "tickfont": font(11, palette.mute()), "zeroline": True, "zerolinecolor": palette.line()}
    more: Part = {"barmode": "relative", "bargap": 0.35}
    return figure(40 + 34 * len(ids), [gain, loss, rest], {"l": 4, "b": 24}, x=x, y=_downwards(labels), **more)


def journeys(replay: Replay, corpus: Corpus, current: float) -> Figure:
    """Draws which document is picked at which rank, over all of lambda: a strip per rank, a colour per document."""
    strips = []
    for journey in replay.journeys:
        width, span = journey.high - journey.low, f"λ {journey.low:.3f} – {journey.high:.3f}"
        for place, document in enumerate(journey.documents if width > 0 else ()):
            marker = {"color": palette.document(corpus, document.id), "line": {"width": 0}}
            drawn = {"base": [journey.low], "width": 0.82, "marker": marker, "customdata": [document.id]}
            hover = f"<b>{hovered(document.label, 36)}</b><br>{span}"
            strips.append(trace("bar", [width], [place], hover, orientation="h", **drawn))
    k = len(replay.rows)
    x = {**_along(False), "range": [0, 1], "title": {**_title("λ"), "standoff": 2}}
    more: Part = {"y": _downwards(range(1, k + 1), 11), "shapes": [_line(current, 2)], "barmode": "overlay"}
    return figure(60 + 26 * k, strips, {"l": 24, "b": 26}, x=x, **more)


# ------------------------------------------------------------------------------------------------------- maps


def map_of(
    documents: Sequence[Document],
    vectors: Any,
    query: Any,
    corpus: Corpus,
    numbers: Mapping[str, str],
    *,
    selected: str = "",
    method: str = "pca",
    colours: Sequence[str] | None = None,
    height: int = 380,
) -> Figure:
    """Draws documents and the query in two dimensions."""
    from lab.explain.maps import with_query

    points, at = with_query(vectors, query, method)
    ids = [d.id for d in documents]
    marker = {
        "size": [21 if i in numbers else 13 if i == selected else 9 for i in ids],
        "color": list(colours) if colours else [palette.document(corpus, i) for i in ids],
        "opacity": [1 if i in numbers or i == selected else 0.55 for i in ids] if numbers else 0.85,
        "line": {"width": [2.5 if i == selected else 0 for i in ids], "color": palette.ink()},
    }
    text = {"textposition": "middle center", "textfont": font(11, palette.paper())}
    texts = _joined_where_they_meet(points, [numbers.get(i, "") for i in ids])
    dots = marks(points, marker, "%{hovertext}", **pointed(documents), text=texts, **text)
    return plane(height, [dots, landmark(at, _("query"))])


def _joined_where_they_meet(points: Any, texts: Sequence[str]) -> list[str]:
    """Returns the texts inside the points of a map, shape [n, 2]; the first of overlapping points has all of them."""
    near = 0.035 * (np.ptp(points, axis=0) if len(points) else np.zeros(2))  # ten pixels of the narrowest map
    labelled, joined = list[int](), list(texts)
    for i, text in enumerate(texts):
        met = next((j for j in labelled if text and bool((np.abs(points[i] - points[j]) <= near).all())), None)
        if met is not None:
            joined[met], joined[i] = f"{joined[met]} {text}", ""
        elif text:
            labelled.append(i)
    return joined


def words_map(words: Sequence[str], vectors: Any, query: str, vector: Any, *, split: int) -> Figure:
    """Draws words and the query in two dimensions; the first ``split`` words are Chinese, each language best first."""
    from lab.explain.maps import with_query

    points, at = with_query(vectors, vector, "pca")
    colours = [palette.ink()] * split + [palette.named("vector")] * (len(words) - split)
    wide, tall = (1.35 * float(np.abs([*points[:, i], at[i]]).max() or 1) for i in (0, 1))
    names = [safe(word, 20) for word in words]
    views = [[(x / wide * width / 2, y / tall * 190) for x, y in [*points, at]] for width in WIDTHS]
    occupied = [[_Box(x, y, 6, 6) for x, y in view[:-1]] for view in views]
    for longest in (20, 12, 6):  # shortened if the whole name would cover a point
        query_text = safe(query, longest)
        stars = [_beside_point(x, y, 7.5 * columns(query_text), 18, 9) for (x, y) in (view[-1] for view in views)]
        if where := _free_side(stars, occupied):
            break
    where = where or "bottom center"
    for view, boxes, star in zip(views, occupied, stars, strict=True):
        boxes += [_Box(*view[-1], 17, 17), star[where]]
    sides = [""] * len(words)
    for i in sorted(range(len(words)), key=lambda i: i if i < split else i - split):  # the nearest first
        places = [_beside_point(*view[i], 6.6 * columns(names[i]) + 4, 15, 4) for view in views]
        sides[i] = _free_side(places, occupied)
        for boxes, place in zip(occupied, places, strict=True):
            boxes += [place[sides[i]]] if sides[i] else []
    text: Part = {"textposition": [side or "top center" for side in sides], "cliponaxis": False, "hovertext": names}
    text |= {"textfont": {"size": 12, "color": colours}}
    visible_names = [name if side else "" for name, side in zip(names, sides, strict=True)]
    dots = marks(points, {"size": 7, "color": colours}, "%{hovertext}", text=visible_names, **text)
    star_mark = landmark(at, _bold(query_text, True), size=16, place=where)
    return plane(400, [dots, star_mark], {"range": [-wide, wide]}, {"range": [-tall, tall]})


def plane(height: int, data: Sequence[Part], x: Part | None = None, y: Part | None = None) -> Figure:
    """Draws a map of `marks` and a `landmark` or two, on axes without numbers; `lab.explain.maps` has the points."""
    hidden = {"visible": False}
    return figure(height, data, {"l": 4, "r": 4, "b": 4}, x=hidden | (x or {}), y=hidden | (y or {}))


def marks(points: Any, marker: Part, hover: str = "", **more: Any) -> Part:
    """Draws the points of a map, shape [n, 2], with labels if a ``text`` is given."""
    mode = "markers+text" if "text" in more else "markers"
    return trace("scatter", points[:, 0], points[:, 1], hover, mode=mode, marker=marker, **more)


def landmark(
    at: Any, text: str, *, symbol: str = "star", size: int = 17, colour: str = "", place: str = "top center"
) -> Part:
    """Draws one point of a map, shape [2], with its name beside it: the query, a mean."""
    marker = {"symbol": symbol, "size": size, "color": colour or palette.ink()}
    labelled: Part = {"text": [text], "textposition": place}
    return trace("scatter", [float(at[0])], [float(at[1])], mode="markers+text", marker=marker, **labelled)


# --------------------------------------------------------------------------------------- tables, bars and others


def table_map(
    values: Sequence[Sequence[float]],
    rows: Sequence[str],
    columns: Sequence[str],
    colour: str,
    *,
    digits: int = 2,
    texts: Sequence[Sequence[str]] | None = None,
    zmax: float | None = None,
    notes: Sequence[Sequence[str]] | None = None,
) -> Figure:
    """Draws a table of numbers shaded by their size; ``notes`` are further texts under the pointer."""
    cell_texts = texts or [[f"{v:.{digits}f}" for v in row] for row in values]
    more = notes or [[""] * len(columns)] * len(rows)
    pairs = [
        [(f"{safe(r)} × {safe(c)}", safe(m)) for c, m in zip(columns, row_notes, strict=True)]
        for r, row_notes in zip(rows, more, strict=True)
    ]
    largest = max((v for row in values for v in row), default=1) or 1 if zmax is None else zmax
    scale = {"colorscale": [[0, palette.paper()], [1, colour]], "zmin": 0, "zmax": largest}
    look = {"texttemplate": "%{text}", "showscale": False, "xgap": 2, "ygap": 2, **scale}
    x = {**_downwards([safe(c, 14) for c in columns]), "side": "top", "autorange": True}
    x["autotickangles"] = [0, 90]  # slanted labels of neighbours would overlap
    y = _downwards([safe(r, 22) for r in rows])
    content: Part = {"z": values, "text": cell_texts, "customdata": pairs}
    hover = "%{customdata[0]}: %{text} %{customdata[1]}"
    cells = trace("heatmap", x["tickvals"], y["tickvals"], hover, **content, **look)
    return figure(34 + 26 * max(len(rows), 1), [cells], {"t": 26, "l": 4, "r": 4, "b": 2}, x=x, y=y)


def histogram(values: Sequence[float], label: str, *, colour: str | None = None) -> Figure:
    """Draws the distribution of values."""
    marker = {"color": colour or palette.mute()}
    columns = trace("histogram", list(values), None, "%{x}: %{y}", nbinsx=30, marker=marker)
    # counts are integers: with few values in a column each count has its own line
    low, high = min(values, default=0), max(values, default=0)
    fullest = max(Counter(int(30 * (v - low) / ((high - low) or 1)) for v in values).values(), default=0)
    whole = {"tickformat": ",d"} | ({"dtick": 1} if fullest <= 8 else {})
    return figure(220, [columns], {"b": 36, "l": 36}, x={"title": _title(label)}, y=whole, bargap=0.06)


def bars(values: Sequence[float], labels: Sequence[str], colour: str, *, digits: int = 1, unit: str = "") -> Figure:
    """Draws horizontal bars with their numbers, the first one on top."""
    texts = [f"{v:.{digits}f}{unit}" for v in values]
    look: Part = {"orientation": "h", "marker": {"color": colour}, "textposition": "outside", "cliponaxis": False}
    rows = trace("bar", list(values), [safe(x, 24) for x in labels], text=texts, **look)
    down = {"autorange": "reversed", "tickfont": font(12)}
    low, high = min(values, default=0), max(values, default=0)
    across = {"range": [low - 0.4 * (high - low), high + 0.1 * (high - low)]} if low < 0 else {}  # room for its number
    return figure(30 + 22 * max(len(values), 1), [rows], {"l": 4, "r": 30}, x={"visible": False} | across, y=down)


def worths(variants: Sequence[Variant], names: Sequence[str], *, selected: str = "") -> Figure:
    """Draws the worth of each part of a search: how far the measure falls without it, with its 95% CI, and how many
    questions it helps (to the right) and harms.  Insignificant bars are pale; a click gives the part's path.
    """
    places, paths = list(range(len(variants))), [v.cut.path for v in variants]
    differences = [v.difference for v in variants]
    means = [-d.mean for d in differences]
    reach = [(0.0, 0.0) if d.low is None or d.high is None else (d.mean - d.low, d.high - d.mean) for d in differences]
    good, bad = palette.named("refined"), palette.named("vector")
    sure = [1.0 if v.p is not None and v.p <= ALPHA else 0.4 for v in variants]
    bar: Part = {"orientation": "h", "customdata": paths, **UNDIMMED}
    whiskers = {"type": "data", "symmetric": False, "color": palette.ink(), "thickness": 1.2, "width": 3}
    whiskers |= {"array": [up for up, _down in reach], "arrayminus": [down for _up, down in reach]}
    look = {"color": [good if x >= 0 else bad for x in means], "opacity": sure}
    hover = [labelled(hovered(n, 40), f"{x:+.4f}") for n, x in zip(names, means, strict=True)]
    template = "%{hovertext}"
    data = [trace("bar", means, places, template, hovertext=hover, marker=look, error_x=whiskers, **bar)]
    dots: Part = {"mode": "markers", "customdata": paths, "hovertext": hover, **UNDIMMED}
    dots["marker"] = {"size": 11, "color": look["color"]}  # a bar of zero length could not be clicked
    data.append(trace("scatter", means, places, template, **dots))
    saved, cost = [d.worse for d in differences], [d.better for d in differences]
    for colour, word, sign, counts in ((good, _("helped"), 1, saved), (bad, _("harmed"), -1, cost)):
        hover = [labelled(hovered(n, 40), f"{word} {x}") for n, x in zip(names, counts, strict=True)]
        texts = _inside([str(x) if x else "" for x in counts], textangle=0, insidetextanchor="middle")
        more: Part = {**bar, **texts, "hovertext": hover, "marker": {"color": colour}, "xaxis": "x2"}
        data.append(trace("bar", [sign * x for x in counts], places, template, **more))
    measure = differences[0].measure if differences else ""
    above: Part = {"xref": "paper", "yref": "paper", "yanchor": "bottom"}
    loss_label = _("{measure}: loss without this step", measure=measure)
    heads = [
        note(
            0, 1, loss_label, 12, palette.mute(), xanchor="left", yshift=16, **above
        ),  # on a phone one line is too short
        note(1, 1, _("questions: harmed ◂ ▸ helped"), 12, palette.mute(), xanchor="right", **above),
    ]
    zero = {"zeroline": True, "zerolinecolor": palette.mute(), "fixedrange": True}
    x = {**_measured(""), **zero, "domain": [0, 0.6], "nticks": 5}
    other = {**zero, "domain": [0.64, 1], "showgrid": False, "showticklabels": False, "anchor": "y"}
    labels = [_bold(safe(n, 30), path == selected) for n, path in zip(names, paths, strict=True)]
    y = {**_downwards(labels), "showgrid": False}
    layout: Part = {"xaxis2": other, "barmode": "relative", "bargap": 0.35, "annotations": heads}
    return figure(74 + 30 * max(len(variants), 1), data, {"l": 4, "t": 40, "b": 24}, x=x, y=y, **layout)


def funnel(names: Sequence[str], counts: Sequence[int], remarks: Sequence[float | str | None], colour: str) -> Figure:
    """Draws how many documents remain after every step, with its milliseconds, or why it did nothing."""
    labels = [safe(n, 28) for n in names]
    losses = [0, *(before - after for before, after in pairwise(counts))]
    texts = [f"<b>{c}</b>" + (f"  (−{loss})" if loss else "") for c, loss in zip(counts, losses, strict=True)]
    marker = {"color": colour, "opacity": [1 - 0.45 * i / max(len(labels), 1) for i in range(len(labels))]}
    fits = [count >= 0.16 * max(counts, default=0) for count in counts]  # a text stands beside a bar too short for it
    look = _inside(texts, insidetextanchor="start", textangle=0, marker=marker)
    look |= {"textposition": ["inside" if x else "outside" for x in fits], "outsidetextfont": {"color": palette.ink()}}
    look["insidetextfont"] = look.pop("textfont")
    rows = trace("bar", list(counts), labels, orientation="h", **look)
    remarked = [(label, x) for label, x in zip(labels, remarks, strict=True) if x is not None]
    texts_beside = [
        (label, safe(x, 14) if isinstance(x, str) else _("{ms} ms", ms=f"{x:.1f}")) for label, x in remarked
    ]
    times = [_right_note(label, text, 12, palette.mute()) for label, text in texts_beside]
    down = {"autorange": "reversed", "tickfont": font(12.5), "showline": False}
    more: Part = {"x": {"visible": False}, "annotations": times, "bargap": 0.2}
    return figure(30 + 42 * len(labels), [rows], {"l": 4, "r": 90}, y=down, **more)


def context(
    placed: Ranking,
    ranking: Ranking,
    corpus: Corpus,
    curve: Sequence[float],
    *,
    selected: str = "",
    relevant: Grades = NONE,
) -> Figure:
    """Draws a context window from first to last position: a bar per passage, and the attention curve.

    A better rank has a higher bar.
    """
    n = len(placed)
    documents = [h.document for h in placed.hits]
    places = list(range(1, n + 1))
    ranks = [ranking.rank(d.id) or n for d in documents]
    good = [relevant.get(d.id, 0) > 0 for d in documents]
    marker = {
        "color": [palette.document(corpus, d.id) for d in documents],
        "opacity": [1 if not relevant or g else 0.45 for g in good],
        "line": {"color": palette.ink(), "width": [3 if d.id == selected else 0 for d in documents]},
    }
    texts = [f"<b>{r}</b>" + ("<br>✓" if g else "") for r, g in zip(ranks, good, strict=True)]
    look = {"text": texts, "textposition": "outside", "cliponaxis": False, "marker": marker}
    passages = trace("bar", places, [(n + 1 - r) / n for r in ranks], "%{hovertext}", **pointed(documents), **look)
    dashed = {"color": palette.ink(), "width": 2, "dash": "dash", "shape": "spline"}
    attention = trace("scatter", places, [c * 1.15 for c in curve], mode="lines", line=dashed)
    ticks = {1: _("first line"), n: _("last line, before the question")} if n > 1 else {1: "1"}
    x = {"tickvals": list(ticks), "ticktext": list(ticks.values()), "range": [0.3, n + 0.7]}
    y = {"visible": False, "range": [0, 1.32]}
    return figure(300, [passages, attention], {"t": 24, "b": 40}, x=x, y=y, bargap=0.25)


def measured(scale: Measured, ranking: Ranking, removed_ids: Collection[str], *, selected: str = "") -> Figure:
    """Draws the position of every result on the scale of a filter, and its limits; hollow ones are removed."""
    documents = [hit.document for hit in ranking.hits]
    chips = [palette.document(ranking.corpus, d.id) for d in documents]
    look = {
        "size": [15 if d.id == selected else 10 for d in documents],
        "color": ["rgba(0,0,0,0)" if d.id in removed_ids else chip for d, chip in zip(documents, chips, strict=True)],
        "line": {"width": 2, "color": chips},
    }
    y = [-0.32 + 0.16 * (i % 5) for i in range(len(documents))]  # so that equal values do not hide each other
    more = {"mode": "markers", "marker": look, **UNDIMMED, **pointed(documents)}
    dots = trace("scatter", list(scale.values), y, "%{hovertext}<br>%{x:.4g}", **more)
    lines = [_line(limit) for limit in (scale.low, scale.high) if limit is not None]
    axis = {"range": [-0.6, 0.6], "visible": False}
    return figure(128, [dots], {"l": 12, "r": 12, "b": 34}, x=_measured(say(scale.name)), y=axis, shapes=lines)


def distances(values: Mapping[str, Sequence[float]], colours: Sequence[str], *, limit: float | None = None) -> Figure:
    """Draws distances by rank, one row of points per space; points left of the threshold are kept."""
    data, every = [], [v for row in values.values() for v in row]
    reach = max(every, default=1.0) - min([*every, 0.0])
    for (name, row), colour in zip(values.items(), colours, strict=False):
        opacity = [1 if limit is None or v <= limit else 0.25 for v in row]
        sides = _label_sides([(v, 0.0) for v in row], 0.018 * reach, 1.0)
        text = {
            "text": [str(i) if side else "" for i, side in enumerate(sides, 1)],
            "textposition": [side or "top center" for side in sides],
        }
        look = {"marker": {"size": 11, "color": colour, "opacity": opacity}, "textfont": font(10, palette.mute())}
        data.append(trace("scatter", list(row), [name] * len(row), "%{x:.4f}", mode="markers+text", **text, **look))
    y = {"range": [len(values) - 0.5, -0.75], "tickfont": font(12), "showline": False}
    x, lines = _measured(_("distance: smaller is nearer")), [] if limit is None else [_line(limit)]
    return figure(56 + 54 * len(values), data, {"l": 110, "b": 34}, x=x, y=y, shapes=lines)


def speeds(rows: Sequence[Speed], colour: str) -> Figure:
    """Draws recall against milliseconds per query, a line per store and cloud, a point per ef_search."""
    data, notes = [], []
    stores = len({r.store for r in rows})
    for i, (store, corpus) in enumerate(dict.fromkeys((r.store, r.corpus) for r in rows)):
        points = [r for r in rows if (r.store, r.corpus) == (store, corpus)]
        end, shade = points[-1], palette.shade(colour, i) if stores < 2 else palette.nth(i)
        vectors = _("this corpus") if corpus else _("random")
        size = f"{vectors}, n = {end.n:,}" if stores < 2 else f"{store}, {vectors}, n = {end.n:,}"
        times, recalls = [r.hnsw_ms for r in points], [r.recall for r in points]
        text = {"text": [f"ef {r.ef_search}" for r in points], "textposition": "bottom right"}
        look = {"line": {"color": shade, "width": 2.5}, "marker": {"size": 9}, "textfont": font(11, palette.mute())}
        hover = f"{size}<br>%{{x:.2f}} ms, recall %{{y:.3f}}"
        data.append(trace("scatter", times, recalls, hover, mode="lines+markers+text", **text, **look))
        cross = {"symbol": "x", "size": 10, "color": shade}
        hover = _("exact") + f", {size}: %{{x:.2f}} ms"
        data.append(trace("scatter", [end.exact_ms], [1], hover, mode="markers", marker=cross))
        notes.append(note(end.hnsw_ms, end.recall, size, 12, shade, xanchor="left", xshift=10, yshift=8))
    lowest = min(0.5, min((r.recall for r in rows), default=0.5)) - 0.05
    x, y = _measured(_("milliseconds per query")), {**_measured(_("recall@10")), "range": [lowest, 1.05]}
    return figure(300, data, {"l": 44, "r": 70, "b": 40}, x=x, y=y, annotations=notes)
