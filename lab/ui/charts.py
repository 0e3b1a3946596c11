"""Every chart of the lab: plain functions from numbers to plotly figures, in the theme's colours.

Plotly reads a small subset of HTML in texts, so every text from a document goes through `safe`.
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lab.core import Contribution, Corpus, Ranking
from lab.ui import palette
from lab.ui.i18n import _, say

if TYPE_CHECKING:
    import plotly.graph_objects as go

CONFIG = {"displayModeBar": False, "scrollZoom": False}


def safe(text: str, width: int | None = None) -> str:
    """A document's text for a chart: cut to ``width`` columns (a Han character takes two), markup escaped."""
    text = " ".join("".join(c for c in text if unicodedata.category(c)[0] != "C" or c in " \n\t").split())
    if width is not None:
        used = 0
        for i, c in enumerate(text):
            used += 2 if unicodedata.east_asian_width(c) in "WF" else 1
            if used > width:
                text = text[: max(i - 1, 1)].rstrip() + "…"
                break
    return html.escape(text, quote=False)


def figure(height: int, *, left: int = 8, right: int = 8, top: int = 8, bottom: int = 8) -> go.Figure:
    """An empty figure in the theme's colours, without legend and grid."""
    import plotly.graph_objects as go

    fig = go.Figure()
    fig.update_layout(
        height=height, margin={"l": left, "r": right, "t": top, "b": bottom}, showlegend=False, hovermode="closest",
        paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)", font={"color": palette.ink(), "size": 13},
        hoverlabel={"align": "left"}, dragmode=False,
    )
    fig.update_xaxes(showgrid=False, zeroline=False, linecolor=palette.line(), fixedrange=True)
    fig.update_yaxes(showgrid=False, zeroline=False, linecolor=palette.line(), fixedrange=True)
    return fig


def rank_flow(
    rankings: Sequence[Ranking], names: Sequence[str], colours: Sequence[str], corpus: Corpus, *,
    depth: int, selected: str = "", relevant: Mapping[str, int] | None = None,
) -> go.Figure:
    """One line per document across the lists; a list that lacks it takes it below the last rank."""
    import plotly.graph_objects as go

    relevant = relevant or {}
    docs = list(dict.fromkeys(h.document.id for r in rankings for h in r.hits[:depth]))
    shown = min(depth, max((len(r) for r in rankings), default=0)) or 1
    below = shown + 1.1
    fig = figure(60 + 25 * (shown + 1), left=4, right=4, top=30, bottom=4)
    docs.sort(key=lambda d: (d == selected, relevant.get(d, 0) > 0))  # what matters is drawn last, on top
    last = len(rankings) - 1
    for doc in docs:
        ranks = [r.rank(doc) for r in rankings]
        heights = [rank if rank is not None and rank <= shown else below for rank in ranks]
        xs: list[float] = []
        ys: list[float] = []
        for i, (a, b) in enumerate(zip(heights, heights[1:], strict=False)):
            for step in range(13):
                t = step / 12
                xs.append(i + t)
                ys.append(a + (b - a) * t * t * (3 - 2 * t))
        if not xs:
            xs, ys = [0.0], [heights[0]]
        strong = doc == selected
        good = relevant.get(doc, 0) > 0
        colour = palette.document(corpus, doc)
        document = corpus.get(doc)
        title = safe(document.label if document else doc, 44)
        where = "<br>".join(f"{safe(n)}: {'–' if rank is None else rank}" for n, rank in zip(names, ranks, strict=True))
        fig.add_trace(go.Scatter(
            x=xs, y=ys, mode="lines", line={"color": colour, "width": 6 if strong else 4 if good else 2},
            opacity=1 if strong or good else 0.55, customdata=[doc] * len(xs),
            hovertemplate=f"<b>{title}</b><br>{where}<extra></extra>",
        ))
        inside = [(i, y) for i, y in enumerate(heights) if y != below]
        fig.add_trace(go.Scatter(
            x=[i for i, _y in inside], y=[y for _i, y in inside], mode="markers", customdata=[doc] * len(inside),
            marker={"size": 13 if strong else 8, "color": palette.paper() if strong or good else colour,
                    "line": {"color": colour, "width": 3 if strong else 2}},
            hovertemplate=f"<b>{title}</b><br>{where}<extra></extra>",
        ))
    for side, place, anchor in ((0, -0.04, "right"), (last, last + 0.04, "left")):
        for rank, hit in enumerate(rankings[side].hits[:shown], 1):
            strong = hit.document.id == selected
            text = f"{rank} {safe(hit.document.label, 26)}"
            fig.add_annotation(
                x=place, y=rank, text=f"<b>{text}</b>" if strong else text, showarrow=False, xanchor=anchor, yanchor="middle",
                font={"size": 12.5, "color": palette.ink() if strong or relevant.get(hit.document.id, 0) > 0 else palette.mute()},
            )
        if last == 0:
            break
    for i, (name, colour) in enumerate(zip(names, colours, strict=True)):
        fig.add_annotation(x=i, y=0.25, text=f"<b>{safe(name, 30)}</b>", showarrow=False, font={"color": colour, "size": 13.5}, yanchor="bottom")
    if any(r.rank(d) is None or (r.rank(d) or 0) > shown for r in rankings for d in docs):
        fig.add_annotation(
            x=-0.04, y=below, text=_("below {n} or not found", n=shown), showarrow=False, xanchor="right", font={"size": 11.5, "color": palette.mute()}
        )
    pad = 0.62 if last <= 1 else 0.5 + 0.16 * (last - 1)
    fig.update_xaxes(visible=False, range=[-pad, last + pad])
    fig.update_yaxes(visible=False, range=[below + 0.4, -0.25])
    return fig


def addends(why: Sequence[Contribution], colour: str, *, unit_label: str = "") -> go.Figure:
    """A score as the sum that it is: one stacked bar, negative addends to the left of zero."""
    import plotly.graph_objects as go

    total = sum(abs(c.value) for c in why) or 1.0
    fig = figure(64, top=2, bottom=22)
    for i, c in enumerate(sorted(why, key=lambda c: -c.value)):
        label = safe(say(c.source), 24)
        wide = abs(c.value) / total > 0.012 * (len(label) + 5)
        fig.add_trace(go.Bar(
            x=[c.value], y=[""], orientation="h", text=[f"{label} {c.value:.3g}" if wide else ""], textposition="inside", insidetextanchor="middle",
            textfont={"color": "#ffffff" if not palette.dark() else "#0f172a"}, textangle=0,
            marker={"color": palette.shade(colour, i % 3), "line": {"color": palette.paper(), "width": 1}},
            hovertemplate=f"<b>{label}</b>: %{{x:.4f}}{unit_label}<extra></extra>",
        ))
    fig.update_layout(barmode="relative", bargap=0, uniformtext={"minsize": 9, "mode": "hide"})
    fig.update_yaxes(visible=False)
    fig.update_xaxes(tickfont={"size": 11, "color": palette.mute()}, nticks=6)
    return fig


def table_map(
    values: Sequence[Sequence[float]], rows: Sequence[str], columns: Sequence[str], colour: str, *,
    digits: int = 2, texts: Sequence[Sequence[str]] | None = None, row_height: int = 26, zmax: float | None = None,
) -> go.Figure:
    """A table of numbers whose background says how large they are."""
    import plotly.graph_objects as go

    shown = texts or [[f"{v:.{digits}f}" for v in row] for row in values]
    fig = figure(34 + row_height * max(len(rows), 1), top=26, left=4, right=4, bottom=2)
    fig.add_trace(go.Heatmap(
        z=[list(row) for row in values], x=list(range(len(columns))), y=list(range(len(rows))), text=shown, texttemplate="%{text}",
        colorscale=palette.sequential(colour), zmin=0, zmax=zmax if zmax is not None else max((v for row in values for v in row), default=1) or 1,
        showscale=False, xgap=2, ygap=2,
        customdata=[[f"{safe(r)} × {safe(c)}" for c in columns] for r in rows],
        hovertemplate="%{customdata}: %{text}<extra></extra>",
    ))
    fig.update_xaxes(tickvals=list(range(len(columns))), ticktext=[safe(c, 14) for c in columns], side="top", tickfont={"size": 12}, showline=False)
    fig.update_yaxes(tickvals=list(range(len(rows))), ticktext=[safe(r, 22) for r in rows], autorange="reversed", tickfont={"size": 12}, showline=False)
    return fig


def histogram(values: Sequence[float], label: str, *, colour: str | None = None, bins: int = 30) -> go.Figure:
    """How values are spread."""
    import plotly.graph_objects as go

    fig = figure(220, bottom=36, left=36)
    fig.add_trace(go.Histogram(x=list(values), nbinsx=bins, marker={"color": colour or palette.mute()}, hovertemplate="%{x}: %{y}<extra></extra>"))
    fig.update_layout(bargap=0.06)
    fig.update_xaxes(title={"text": label, "font": {"size": 12}})
    return fig


def bars(values: Sequence[float], labels: Sequence[str], colour: str, *, digits: int = 1) -> go.Figure:
    """Horizontal bars with their numbers, the first one on top."""
    import plotly.graph_objects as go

    fig = figure(30 + 22 * max(len(values), 1), left=4, right=30)
    fig.add_trace(go.Bar(
        x=list(values), y=[safe(x, 24) for x in labels], orientation="h", marker={"color": colour},
        text=[f"{v:.{digits}f}" for v in values], textposition="outside", cliponaxis=False, hoverinfo="skip",
    ))
    fig.update_yaxes(autorange="reversed", tickfont={"size": 12})
    fig.update_xaxes(visible=False)
    return fig


def clicked(event: Any) -> str | None:
    """The document id of the point that was clicked in a chart, if any."""
    points = (event or {}).get("selection", {}).get("points", []) if event else []
    for point in points:
        data = point.get("customdata")
        if isinstance(data, (list, tuple)):
            data = data[0] if data else None
        if isinstance(data, str):
            return data
    return None
