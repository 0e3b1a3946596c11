"""What every chart of the lab is made of, and the plain ones: plotly figures as dictionaries, in the theme's colours.

A figure is what plotly.js reads, ``{"data": [...], "layout": {...}}``: plotly's own objects check every property as
it is set, and building with them took longer than the rest of a page.  Plotly reads a small subset of HTML in texts,
so every text from a document goes through `safe`, and inside a hover template through `hovered`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import streamlit as st

from lab.algebra import Corpus, Ranking
from lab.evaluate.significance import ALPHA
from lab.ui import palette
from lab.ui.escape import safe
from lab.ui.figures.described import described
from lab.ui.i18n import _, labelled, say

if TYPE_CHECKING:
    from lab.algebra import Document
    from lab.evaluate.ablation import Variant
    from lab.explain.approximation import Speed
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
CLICKABLE: Part = {
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


PROJECTED = 24
"""The smallest type on a projector, in pixels."""


def enlarged(drawn: Figure) -> Figure:
    """Returns a figure for a projector: no type is smaller than `PROJECTED` pixels; height and margins grow as well."""

    def sizes(part: Any, of: str = "") -> Iterator[float]:
        if isinstance(part, dict):
            for key, value in part.items():
                if key == "size" and of.endswith("font"):
                    yield value
                yield from sizes(value, key)
        elif isinstance(part, list):
            for item in part:
                yield from sizes(item, of)

    factor = PROJECTED / min(sizes(drawn), default=PROJECTED)

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
    axis = {"showgrid": False, "zeroline": False, "linecolor": line, "fixedrange": True, "tickfont": font(12, quiet)}
    axis |= {"tickcolor": line} if any(part["type"] == "heatmap" for part in data) else {}  # plotly gives it ticks
    axes = []
    for options, standoff in ((x or {}, 18.75), (y or {}, 22.5)):
        title = {"font": font(13.125, quiet), "standoff": standoff}
        axes.append(_filled({**axis, "title": title, "automargin": options.get("visible", True)}, options))
    label = {"align": "left", "bgcolor": palette.paper(), "bordercolor": line, "font": font(12, quiet)}
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
    both = {k: _filled(base[k], v) if isinstance(v, dict) and k in base else v for k, v in options.items()}
    return base | both


def trace(kind: str, x: Any, y: Any, hover: str = "", **more: Any) -> Part:
    """Returns one trace; ``hover`` is the template under the pointer, or nothing."""
    pointer = {"hovertemplate": f"{hover}<extra></extra>"} if hover else {"hoverinfo": "skip"}
    return {"type": kind, "x": x, "y": y, **pointer, **more}


def note(x: float, y: float | str, text: str, size: float, colour: str = "", **more: Any) -> Part:
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


def in_bars(texts: Sequence[str], **more: Any) -> Part:
    return {"text": texts, "textposition": "inside", "textfont": {"color": palette.paper()}, **more}


def right_note(y: float | str, text: str, size: float, colour: str) -> Part:
    return note(1.01, y, text, size, colour, xref="paper", xanchor="left")


def downwards(labels: Sequence[Any], size: float = 12) -> Part:
    """Returns a vertical axis with a label at 0, 1, 2, ... from the top."""
    ticks = {"tickvals": list(range(len(labels))), "ticktext": list(labels), "tickfont": font(size)}
    return {"autorange": "reversed", "showline": False, **ticks}


def bold(text: str, strong: bool) -> str:
    return f"<b>{text}</b>" if strong else text


def title_text(text: str) -> Part:
    return {"text": text, "font": font(12)}


def axis(title: str) -> Part:
    """Returns an axis with a title, numbers and a grid."""
    return {"title": title_text(title), "tickfont": font(12), "showgrid": True, "gridcolor": palette.line()}


def upright(x: float, width: float = 1.5) -> Part:
    """Returns a dashed line from the bottom to the top, at the value of a parameter."""
    place = {"xref": "x", "x0": x, "x1": x, "yref": "y domain", "y0": 0, "y1": 1}
    return {"type": "line", **place, "line": {"color": palette.ink(), "width": width, "dash": "dash"}}


def knob_axis(log: bool, high: float = 1.0) -> Part:
    """Returns the axis of a parameter: a weight from 0 to 1 (or another highest), or RRF's k up to 1000."""
    return {
        "type": "log" if log else "linear",
        "tickvals": [1, 2, 5, 10, 20, 60, 100, 200, 500, 1000] if log else [high * i / 4 for i in range(5)],
        "tickfont": font(12, palette.mute()),
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
    look = {"texttemplate": "%{text}", "textfont": font(12), "showscale": False, "xgap": 2, "ygap": 2, **scale}
    x = {**downwards([safe(c, 14) for c in columns]), "side": "top", "autorange": True}
    x["autotickangles"] = [0, 90]  # slanted labels of neighbours would overlap
    y = downwards([safe(r, 22) for r in rows])
    content: Part = {"z": values, "text": cell_texts, "customdata": pairs}
    hover = "%{customdata[0]}: %{text} %{customdata[1]}"
    cells = trace("heatmap", x["tickvals"], y["tickvals"], hover, **content, **look)
    return figure(34 + 26 * max(len(rows), 1), [cells], {"t": 26, "l": 4, "r": 4, "b": 2}, x=x, y=y)


def histogram(values: Sequence[float], label: str, *, colour: str | None = None) -> Figure:
    marker = {"color": colour or palette.mute()}
    columns = trace("histogram", list(values), None, "%{x}: %{y}", nbinsx=30, marker=marker)
    # counts are integers: with few values in a column each count has its own line
    low, high = min(values, default=0), max(values, default=0)
    fullest = max(Counter(int(30 * (v - low) / ((high - low) or 1)) for v in values).values(), default=0)
    whole = {"tickformat": ",d"} | ({"dtick": 1} if fullest <= 8 else {})
    return figure(220, [columns], {"b": 36, "l": 36}, x={"title": title_text(label)}, y=whole, bargap=0.06)


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
        texts = in_bars([str(x) if x else "" for x in counts], textangle=0, insidetextanchor="middle")
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
    x = {**axis(""), **zero, "domain": [0, 0.6], "nticks": 5}
    other = {**zero, "domain": [0.64, 1], "showgrid": False, "showticklabels": False, "anchor": "y"}
    labels = [bold(safe(n, 30), path == selected) for n, path in zip(names, paths, strict=True)]
    y = {**downwards(labels), "showgrid": False}
    layout: Part = {"xaxis2": other, "barmode": "relative", "bargap": 0.35, "annotations": heads}
    return figure(74 + 30 * max(len(variants), 1), data, {"l": 4, "t": 40, "b": 24}, x=x, y=y, **layout)


def funnel(names: Sequence[str], counts: Sequence[int], remarks: Sequence[float | str | None], colour: str) -> Figure:
    """Draws how many documents remain after every step, with its milliseconds, or why it did nothing."""
    labels = [safe(n, 28) for n in names]
    losses = [0, *(before - after for before, after in pairwise(counts))]
    texts = [f"<b>{c}</b>" + (f"  (−{loss})" if loss else "") for c, loss in zip(counts, losses, strict=True)]
    marker = {"color": colour, "opacity": [1 - 0.45 * i / max(len(labels), 1) for i in range(len(labels))]}
    fits = [count >= 0.16 * max(counts, default=0) for count in counts]  # a text stands beside a bar too short for it
    look = in_bars(texts, insidetextanchor="start", textangle=0, marker=marker)
    look |= {"textposition": ["inside" if x else "outside" for x in fits], "outsidetextfont": {"color": palette.ink()}}
    look["insidetextfont"] = look.pop("textfont")
    rows = trace("bar", list(counts), labels, orientation="h", **look)
    remarked = [(label, x) for label, x in zip(labels, remarks, strict=True) if x is not None]
    texts_beside = [
        (label, safe(x, 14) if isinstance(x, str) else _("{ms} ms", ms=f"{x:.1f}")) for label, x in remarked
    ]
    times = [right_note(label, text, 12, palette.mute()) for label, text in texts_beside]
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
    lines = [upright(limit) for limit in (scale.low, scale.high) if limit is not None]
    heights = {"range": [-0.6, 0.6], "visible": False}
    return figure(128, [dots], {"l": 12, "r": 12, "b": 34}, x=axis(say(scale.name)), y=heights, shapes=lines)


def speeds(rows: Sequence[Speed], colour: str) -> Figure:
    """Draws recall against milliseconds per query, a line per store and cloud, a point per ef_search."""
    data, notes = [], []
    stores = len({r.store for r in rows})
    for i, (store, corpus) in enumerate(dict.fromkeys((r.store, r.corpus) for r in rows)):
        points = [r for r in rows if (r.store, r.corpus) == (store, corpus)]
        end, shade = points[-1], palette.shade(colour, i) if stores < 2 else palette.nth(i)
        vectors = _("this corpus") if corpus else _("random")
        size = f"{vectors}, n = {end.n:,}" if stores < 2 else f"{store} · {vectors}, n = {end.n:,}"
        times, recalls, ms = [r.hnsw_ms for r in points], [r.recall for r in points], _("{ms} ms", ms="%{x:.2f}")
        text = {"text": [f"ef {r.ef_search}" for r in points], "textposition": "bottom right"}
        look = {"line": {"color": shade, "width": 2.5}, "marker": {"size": 9}, "textfont": font(12, palette.mute())}
        hover = f"{size}<br>{ms} · " + _("recall@10") + " %{y:.3f}"
        data.append(trace("scatter", times, recalls, hover, mode="lines+markers+text", **text, **look))
        cross = {"symbol": "x", "size": 10, "color": shade}
        hover = _("exact") + f" · {size}: {ms}"
        data.append(trace("scatter", [end.exact_ms], [1], hover, mode="markers", marker=cross))
        notes.append(note(end.hnsw_ms, end.recall, size, 12, shade, xanchor="left", xshift=10, yshift=8))
    lowest = min(0.5, min((r.recall for r in rows), default=0.5)) - 0.05
    x, y = axis(_("milliseconds per query")), {**axis(_("recall@10")), "range": [lowest, 1.05]}
    return figure(300, data, {"l": 44, "r": 70, "b": 40}, x=x, y=y, annotations=notes)
