"""Every chart of the lab: plain functions from numbers to plotly figures, in the theme's colours.

Plotly reads a small subset of HTML in texts, so every text from a document goes through `safe`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lab.core import Contribution, Corpus, Ranking
from lab.ui import names, palette
from lab.ui.escape import safe
from lab.ui.i18n import _

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lab.core import Document
    from lab.explain.approximation import Speed
    from lab.explain.tipping import Step, Tipping
    from lab.refine.diversity import Candidate, Replay

CONFIG = {"displayModeBar": False, "scrollZoom": False}

# Plotly selects points by their markers only, so a line that can be clicked has invisible ones; and a selection
# must not dim anything: the page says itself what is selected.
_CLICKABLE = {
    "mode": "lines+markers",
    "marker": {"size": 9, "opacity": 0},
    "selected": {"marker": {"opacity": 0}},
    "unselected": {"marker": {"opacity": 0}},
}
_UNDIMMED = {"selected": {"marker": {"opacity": 1}}, "unselected": {"marker": {"opacity": 1}}}


def figure(height: int, *, left: int = 8, right: int = 8, top: int = 8, bottom: int = 8) -> go.Figure:
    """An empty figure in the theme's colours, without legend and grid."""
    import plotly.graph_objects as go

    fig = go.Figure()
    fig.update_layout(
        height=height,
        margin={"l": left, "r": right, "t": top, "b": bottom},
        showlegend=False,
        hovermode="closest",
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": palette.ink(), "size": 13},
        hoverlabel={"align": "left"},
        dragmode=False,
    )
    fig.update_xaxes(showgrid=False, zeroline=False, linecolor=palette.line(), fixedrange=True)
    fig.update_yaxes(showgrid=False, zeroline=False, linecolor=palette.line(), fixedrange=True)
    return fig


def rank_flow(
    rankings: Sequence[Ranking],
    names: Sequence[str],
    colours: Sequence[str],
    corpus: Corpus,
    *,
    depth: int,
    selected: str = "",
    relevant: Mapping[str, int] | None = None,
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
        fig.add_trace(
            go.Scatter(
                x=xs,
                y=ys,
                **_CLICKABLE,
                line={"color": colour, "width": 6 if strong else 4 if good else 2},
                opacity=1 if strong or good else 0.55,
                customdata=[doc] * len(xs),
                hovertemplate=f"<b>{title}</b><br>{where}<extra></extra>",
            )
        )
        inside = [(i, y) for i, y in enumerate(heights) if y != below]
        fig.add_trace(
            go.Scatter(
                x=[i for i, _y in inside],
                y=[y for _i, y in inside],
                mode="markers",
                **_UNDIMMED,
                customdata=[doc] * len(inside),
                marker={
                    "size": 13 if strong else 8,
                    "color": palette.paper() if strong or good else colour,
                    "line": {"color": colour, "width": 3 if strong else 2},
                },
                hovertemplate=f"<b>{title}</b><br>{where}<extra></extra>",
            )
        )
    for side, place, anchor in ((0, -0.04, "right"), (last, last + 0.04, "left")):
        for rank, hit in enumerate(rankings[side].hits[:shown], 1):
            strong = hit.document.id == selected
            text = f"{rank} {safe(hit.document.label, 26)}"
            fig.add_annotation(
                x=place,
                y=rank,
                text=f"<b>{text}</b>" if strong else text,
                showarrow=False,
                xanchor=anchor,
                yanchor="middle",
                font={
                    "size": 12.5,
                    "color": palette.ink() if strong or relevant.get(hit.document.id, 0) > 0 else palette.mute(),
                },
            )
        if last == 0:
            break
    for i, (name, colour) in enumerate(zip(names, colours, strict=True)):
        fig.add_annotation(
            x=i,
            y=0.25,
            text=f"<b>{safe(name, 30)}</b>",
            showarrow=False,
            font={"color": colour, "size": 13.5},
            yanchor="bottom",
        )
    if any(r.rank(d) is None or (r.rank(d) or 0) > shown for r in rankings for d in docs):
        fig.add_annotation(
            x=-0.04,
            y=below,
            text=_("below {n} or not found", n=shown),
            showarrow=False,
            xanchor="right",
            font={"size": 11.5, "color": palette.mute()},
        )
    pad = 0.62 if last <= 1 else 0.5 + 0.16 * (last - 1)
    fig.update_xaxes(visible=False, range=[-pad, last + pad])
    fig.update_yaxes(visible=False, range=[below + 0.4, -0.25])
    return fig


def addends(
    why: Sequence[Contribution], colour: str, *, paint: Callable[[Contribution], str] | None = None
) -> go.Figure:
    """A score as the sum that it is: one stacked bar, negative addends to the left of zero."""
    import plotly.graph_objects as go

    total = sum(abs(c.value) for c in why) or 1.0
    fig = figure(64, top=2, bottom=22)
    for i, c in enumerate(sorted(why, key=lambda c: -c.value)):
        label = safe(names.source(c.source), 24)
        wide = abs(c.value) / total > 0.012 * (len(label) + 5)
        fig.add_trace(
            go.Bar(
                x=[c.value],
                y=[""],
                orientation="h",
                text=[f"{label} {c.value:.3g}" if wide else ""],
                textposition="inside",
                insidetextanchor="middle",
                textfont={"color": "#ffffff" if not palette.dark() else "#0f172a"},
                textangle=0,
                marker={
                    "color": paint(c) if paint else palette.shade(colour, i % 3),
                    "line": {"color": palette.paper(), "width": 1},
                },
                hovertemplate=f"<b>{label}</b>: %{{x:.4f}}<extra></extra>",
            )
        )
    fig.update_layout(barmode="relative", bargap=0, uniformtext={"minsize": 9, "mode": "hide"})
    fig.update_yaxes(visible=False)
    fig.update_xaxes(tickfont={"size": 11, "color": palette.mute()}, nticks=6)
    return fig


def tipping(
    tips: Tipping, corpus: Corpus, *, left: str, right: str, selected: str = "", relative: bool = False
) -> go.Figure:
    """Fused scores along a knob: one curve per document, a ring where two change places, a line where the knob is.

    Every point carries its place on the axis as customdata, so that a click can move the knob.
    """
    import plotly.graph_objects as go

    low, high = tips.axis.range
    log = high > 10
    fig = figure(400, left=40, right=190, top=38, bottom=44)
    lines = tips.lines(points=120, relative=relative or log)
    for line in lines:
        strong = line.document.id == selected
        title = safe(line.document.label, 40)
        grid = [low + (high - low) * i / 100 for i in range(101)] if len(line.x) == 2 else list(line.x)
        ys = [line.y[0] + (line.y[-1] - line.y[0]) * i / 100 for i in range(101)] if len(line.x) == 2 else list(line.y)
        fig.add_trace(
            go.Scatter(
                x=grid,
                y=ys,
                **_CLICKABLE,
                customdata=[[x, line.document.id] for x in grid],
                line={"color": palette.document(corpus, line.document.id), "width": 5 if strong else 2.5},
                hovertemplate=f"<b>{title}</b><br>%{{x:.3f}}: %{{y:.5f}}<extra></extra>",
            )
        )
    place = {line.document.id: line for line in lines}
    for c in tips.crossings:
        if c.upper_after.id not in place:
            continue
        y = _at(place[c.upper_after.id].x, place[c.upper_after.id].y, c.value)
        text = f"{c.value:.3f}" if not log else f"{c.value:.1f}"
        fig.add_trace(
            go.Scatter(
                x=[c.value],
                y=[y],
                mode="markers+text",
                **_UNDIMMED,
                text=[text],
                textposition="top center",
                customdata=[[c.value, c.upper_after.id]],
                textfont={"size": 11, "color": palette.mute()},
                marker={"size": 11, "color": palette.paper(), "line": {"color": palette.ink(), "width": 2}},
                hovertemplate=f"<b>{text}</b><br>{safe(c.upper_after.label, 30)} ▲<br>{safe(c.upper_before.label, 30)} ▼<extra></extra>",
            )
        )
    # the picture ends a little under the lowest score that is ever among the first n: nothing below can be shown
    steps = [low + (high - low) * i / 40 for i in range(41)]
    columns = [sorted((_at(line.x, line.y, x) for line in lines), reverse=True) for x in steps]
    floor = min((column[min(tips.n, len(column)) - 1] for column in columns if column), default=0.0)
    ceiling = max((column[0] for column in columns if column), default=1.0)
    span = (ceiling - floor) or 1.0
    fig.update_yaxes(range=[floor - 0.06 * span, ceiling + 0.08 * span])
    ends = sorted((line for line in lines if line.y[-1] >= floor - 0.05 * span), key=lambda line: line.y[-1])
    last = -1e9
    for line in ends:  # labels at the right end, pushed apart
        y = max(line.y[-1], last + span * 0.052)
        last = y
        text = safe(line.document.label, 26)
        fig.add_annotation(
            xref="paper",
            x=1.012,
            y=y,
            text=f"<b>{text}</b>" if line.document.id == selected else text,
            showarrow=False,
            xanchor="left",
            font={"size": 12, "color": palette.document(corpus, line.document.id)},
        )
    fig.add_vline(x=tips.current, line={"color": palette.ink(), "width": 1.5, "dash": "dash"})
    fig.add_annotation(
        x=math.log10(tips.current) if log else tips.current,
        y=1.04,
        yref="paper",
        text=_("now {value}", value=f"{tips.current:.3g}"),
        showarrow=False,
        yanchor="bottom",
        font={"size": 12},
    )
    fig.update_xaxes(
        range=[math.log10(max(low, 1)), math.log10(high)] if log else [low - 0.01, high + 0.01],
        type="log" if log else "linear",
        tickvals=[1, 2, 5, 10, 20, 60, 100, 200, 500, 1000] if log else [0, 0.25, 0.5, 0.75, 1],
        tickfont={"size": 11, "color": palette.mute()},
        showline=True,
    )
    fig.update_yaxes(visible=False)
    fig.add_annotation(
        xref="paper",
        yref="paper",
        x=0,
        y=-0.085,
        yanchor="top",
        xanchor="left",
        text=safe(left, 50),
        showarrow=False,
        font={"size": 12, "color": palette.mute()},
    )
    fig.add_annotation(
        xref="paper",
        yref="paper",
        x=1,
        y=-0.085,
        yanchor="top",
        xanchor="right",
        text=safe(right, 50),
        showarrow=False,
        font={"size": 12, "color": palette.mute()},
    )
    return fig


def _at(x: Sequence[float], y: Sequence[float], value: float) -> float:
    for (a, ya), (b, yb) in zip(zip(x, y, strict=True), zip(x[1:], y[1:], strict=True), strict=False):
        if a <= value <= b:
            return ya + (yb - ya) * (value - a) / ((b - a) or 1.0)
    return y[-1]


def staircases(
    series: Mapping[str, Sequence[Step]], current: float, colours: Sequence[str], *, label: str, log: bool = False
) -> go.Figure:
    """A measure along the same axis: one staircase per series, its name at the right end."""
    import plotly.graph_objects as go

    fig = figure(170, left=40, right=190, top=8, bottom=24)
    for (name, steps), colour in zip(series.items(), colours, strict=False):
        xs = [v for s in steps for v in (s.low, s.high)]
        ys = [v for s in steps for v in (s.value, s.value)]
        fig.add_trace(
            go.Scatter(
                x=xs,
                y=ys,
                mode="lines",
                line={"color": colour, "width": 2.5},
                customdata=[[x, ""] for x in xs],
                hovertemplate=f"{safe(name)}<br>%{{x:.3f}}: %{{y:.3f}}<extra></extra>",
            )
        )
        fig.add_annotation(
            xref="paper",
            x=1.01,
            y=ys[-1],
            text=safe(name, 26),
            showarrow=False,
            xanchor="left",
            font={"size": 12, "color": colour},
        )
    fig.add_vline(x=current, line={"color": palette.ink(), "width": 1.5, "dash": "dash"})
    fig.update_xaxes(
        type="log" if log else "linear",
        range=None if log else [-0.01, 1.01],
        tickvals=[1, 2, 5, 10, 20, 60, 100, 200, 500, 1000] if log else [0, 0.25, 0.5, 0.75, 1],
        tickfont={"size": 11, "color": palette.mute()},
    )
    fig.update_yaxes(
        range=[-0.03, 1.05],
        tickvals=[0, 0.5, 1],
        tickfont={"size": 11},
        title={"text": safe(label), "font": {"size": 12}},
        showgrid=True,
        gridcolor=palette.line(),
    )
    return fig


def table_map(
    values: Sequence[Sequence[float]],
    rows: Sequence[str],
    columns: Sequence[str],
    colour: str,
    *,
    digits: int = 2,
    texts: Sequence[Sequence[str]] | None = None,
    row_height: int = 26,
    zmax: float | None = None,
) -> go.Figure:
    """A table of numbers whose background says how large they are."""
    import plotly.graph_objects as go

    shown = texts or [[f"{v:.{digits}f}" for v in row] for row in values]
    fig = figure(34 + row_height * max(len(rows), 1), top=26, left=4, right=4, bottom=2)
    fig.add_trace(
        go.Heatmap(
            z=[list(row) for row in values],
            x=list(range(len(columns))),
            y=list(range(len(rows))),
            text=shown,
            texttemplate="%{text}",
            colorscale=palette.sequential(colour),
            zmin=0,
            zmax=zmax if zmax is not None else max((v for row in values for v in row), default=1) or 1,
            showscale=False,
            xgap=2,
            ygap=2,
            customdata=[[f"{safe(r)} × {safe(c)}" for c in columns] for r in rows],
            hovertemplate="%{customdata}: %{text}<extra></extra>",
        )
    )
    fig.update_xaxes(
        tickvals=list(range(len(columns))),
        ticktext=[safe(c, 14) for c in columns],
        side="top",
        tickfont={"size": 12},
        showline=False,
    )
    fig.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=[safe(r, 22) for r in rows],
        autorange="reversed",
        tickfont={"size": 12},
        showline=False,
    )
    return fig


def histogram(values: Sequence[float], label: str, *, colour: str | None = None, bins: int = 30) -> go.Figure:
    """How values are spread."""
    import plotly.graph_objects as go

    fig = figure(220, bottom=36, left=36)
    fig.add_trace(
        go.Histogram(
            x=list(values),
            nbinsx=bins,
            marker={"color": colour or palette.mute()},
            hovertemplate="%{x}: %{y}<extra></extra>",
        )
    )
    fig.update_layout(bargap=0.06)
    fig.update_xaxes(title={"text": label, "font": {"size": 12}})
    return fig


def bars(values: Sequence[float], labels: Sequence[str], colour: str, *, digits: int = 1) -> go.Figure:
    """Horizontal bars with their numbers, the first one on top."""
    import plotly.graph_objects as go

    fig = figure(30 + 22 * max(len(values), 1), left=4, right=30)
    fig.add_trace(
        go.Bar(
            x=list(values),
            y=[safe(x, 24) for x in labels],
            orientation="h",
            marker={"color": colour},
            text=[f"{v:.{digits}f}" for v in values],
            textposition="outside",
            cliponaxis=False,
            hoverinfo="skip",
        )
    )
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


def clicked_at(event: Any) -> tuple[float, str] | None:
    """The place on the axis and the document id of a clicked point of a tipping chart."""
    points = (event or {}).get("selection", {}).get("points", []) if event else []
    for point in points:
        data = point.get("customdata")
        if isinstance(data, (list, tuple)) and len(data) == 2:
            return float(data[0]), str(data[1])
    return None


def picks(candidates: Sequence[Candidate], corpus: Corpus, picked: str) -> go.Figure:
    """What every candidate had to offer at one pick: relevance to the right, redundancy to the left, the rest as a mark."""
    import plotly.graph_objects as go

    fig = figure(40 + 34 * len(candidates), left=4, right=8, bottom=24)
    labels = [
        f"{'<b>' if c.document.id == picked else ''}{safe(c.document.label, 28)}{'</b>' if c.document.id == picked else ''}"
        for c in candidates
    ]
    ys = list(range(len(candidates)))
    relevant, redundant = palette.named("vector"), palette.mute()
    blockers = [_("near “{title}”", title=safe(c.blocker.label, 22)) if c.blocker else "" for c in candidates]
    fig.add_trace(
        go.Bar(
            y=ys,
            x=[c.relevance_part for c in candidates],
            orientation="h",
            marker={"color": relevant},
            text=[f"{c.relevance_part:.3f}" for c in candidates],
            textposition="inside",
            textfont={"color": palette.paper()},
            customdata=[c.document.id for c in candidates],
            hovertemplate=_("near the query") + ": %{x:.4f}<extra></extra>",
        )
    )
    fig.add_trace(
        go.Bar(
            y=ys,
            x=[c.redundancy_part for c in candidates],
            orientation="h",
            marker={"color": redundant, "opacity": 0.55},
            text=[f"{c.redundancy_part:.3f}" if c.blocker else "" for c in candidates],
            textposition="inside",
            textfont={"color": palette.ink()},
            customdata=blockers,
            hovertemplate="%{customdata}: %{x:.4f}<extra></extra>",
        )
    )
    fig.add_trace(
        go.Scatter(
            y=ys,
            x=[c.value for c in candidates],
            mode="markers",
            hovertemplate=_("together") + ": %{x:.4f}<extra></extra>",
            marker={
                "symbol": "diamond",
                "size": 11,
                "color": [palette.document(corpus, c.document.id) for c in candidates],
                "line": {"color": palette.ink(), "width": [2 if c.document.id == picked else 0.5 for c in candidates]},
            },
        )
    )
    for y, text in zip(ys, blockers, strict=True):
        if text:
            fig.add_annotation(
                x=1,
                xref="paper",
                y=y,
                text=text,
                showarrow=False,
                xanchor="right",
                font={"size": 11, "color": palette.mute()},
            )
    fig.update_layout(barmode="relative", bargap=0.35)
    most = max((c.relevance_part for c in candidates), default=1.0) or 1.0
    least = min((c.redundancy_part for c in candidates), default=0.0)
    fig.update_xaxes(
        range=[least * 1.05 - 0.01, most * 2.1],
        zeroline=True,
        zerolinecolor=palette.line(),
        tickfont={"size": 11, "color": palette.mute()},
    )
    fig.update_yaxes(tickvals=ys, ticktext=labels, autorange="reversed", tickfont={"size": 12}, showline=False)
    return fig


def journeys(told: Replay, corpus: Corpus, current: float) -> go.Figure:
    """Which document is picked at which place, over all of lambda: a strip per place, a colour per document."""
    import plotly.graph_objects as go

    k = len(told.rows)
    fig = figure(60 + 26 * k, left=24, right=8, top=8, bottom=26)
    for journey in told.journeys:
        width = journey.high - journey.low
        if width <= 0:
            continue
        for place, document in enumerate(journey.documents, 1):
            fig.add_trace(
                go.Bar(
                    x=[width],
                    base=[journey.low],
                    y=[place],
                    orientation="h",
                    width=0.82,
                    marker={"color": palette.document(corpus, document.id), "line": {"width": 0}},
                    hovertemplate=f"<b>{safe(document.label, 36)}</b><br>λ {journey.low:.3f} – {journey.high:.3f}<extra></extra>",
                    customdata=[document.id],
                )
            )
    fig.update_layout(barmode="overlay")
    fig.add_vline(x=current, line={"color": palette.ink(), "width": 2, "dash": "dash"})
    fig.update_xaxes(
        range=[0, 1],
        tickvals=[0, 0.25, 0.5, 0.75, 1],
        title={"text": "λ", "font": {"size": 12}, "standoff": 2},
        tickfont={"size": 11},
    )
    fig.update_yaxes(autorange="reversed", tickvals=list(range(1, k + 1)), tickfont={"size": 11}, showline=False)
    return fig


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
) -> go.Figure:
    """Documents and the query in two dimensions."""
    import plotly.graph_objects as go

    from lab.explain.maps import with_query

    points, at = with_query(vectors, query, method)
    fig = figure(height, left=4, right=4, bottom=4)
    chosen = [d.id in numbers or d.id == selected for d in documents]
    fig.add_trace(
        go.Scatter(
            x=points[:, 0],
            y=points[:, 1],
            mode="markers+text",
            text=[numbers.get(d.id, "") for d in documents],
            textposition="middle center",
            textfont={"size": 11, "color": palette.paper()},
            customdata=[d.id for d in documents],
            hovertext=[safe(d.label, 40) for d in documents],
            hovertemplate="%{hovertext}<extra></extra>",
            marker={
                "size": [21 if d.id in numbers else 13 if d.id == selected else 9 for d in documents],
                "color": list(colours) if colours else [palette.document(corpus, d.id) for d in documents],
                "opacity": [1 if c else 0.55 for c in chosen] if numbers else 0.85,
                "line": {"width": [2.5 if d.id == selected else 0 for d in documents], "color": palette.ink()},
            },
        )
    )
    fig.add_trace(
        go.Scatter(
            x=[at[0]],
            y=[at[1]],
            mode="markers+text",
            text=[_("query")],
            textposition="top center",
            marker={"symbol": "star", "size": 17, "color": palette.ink()},
            hoverinfo="skip",
        )
    )
    fig.update_xaxes(visible=False)
    fig.update_yaxes(visible=False)
    return fig


def context(
    placed: Ranking,
    ranking: Ranking,
    corpus: Corpus,
    curve: Sequence[float],
    *,
    selected: str = "",
    relevant: Mapping[str, int] | None = None,
) -> go.Figure:
    """A context window from first to last position: a bar per passage, as high as its rank is good, and the attention curve."""
    import plotly.graph_objects as go

    relevant = relevant or {}
    n = len(placed)
    ranks = [ranking.rank(h.document.id) or n for h in placed.hits]
    fig = figure(300, left=8, right=8, top=24, bottom=40)
    good = [relevant.get(h.document.id, 0) > 0 for h in placed.hits]
    fig.add_trace(
        go.Bar(
            x=list(range(1, n + 1)),
            y=[(n + 1 - r) / n for r in ranks],
            customdata=[h.document.id for h in placed.hits],
            text=[f"<b>{r}</b>" + ("<br>✓" if g else "") for r, g in zip(ranks, good, strict=True)],
            textposition="outside",
            cliponaxis=False,
            hovertext=[safe(h.document.label, 40) for h in placed.hits],
            hovertemplate="%{hovertext}<extra></extra>",
            marker={
                "color": [palette.document(corpus, h.document.id) for h in placed.hits],
                "opacity": [1 if not relevant or g else 0.45 for g in good],
                "line": {"color": palette.ink(), "width": [3 if h.document.id == selected else 0 for h in placed.hits]},
            },
        )
    )
    fig.add_trace(
        go.Scatter(
            x=list(range(1, n + 1)),
            y=[c * 1.15 for c in curve],
            mode="lines",
            line={"color": palette.ink(), "width": 2, "dash": "dash", "shape": "spline"},
            hoverinfo="skip",
        )
    )
    fig.update_layout(bargap=0.25)
    fig.update_xaxes(
        tickvals=[1, n] if n > 1 else [1],
        ticktext=[_("first line"), _("last line, before the question")] if n > 1 else ["1"],
        range=[0.3, n + 0.7],
    )
    fig.update_yaxes(visible=False, range=[0, 1.32])
    return fig


def distances(
    values: Mapping[str, Sequence[float]], colours: Sequence[str], *, limit: float | None = None
) -> go.Figure:
    """Distances by rank, one row of points per space: what is left of the threshold stays."""
    import plotly.graph_objects as go

    fig = figure(56 + 54 * len(values), left=110, bottom=34)
    for (name, row), colour in zip(values.items(), colours, strict=False):
        inside = [limit is None or v <= limit for v in row]
        fig.add_trace(
            go.Scatter(
                x=list(row),
                y=[name] * len(row),
                mode="markers+text",
                text=[str(i) for i in range(1, len(row) + 1)],
                textposition="top center",
                textfont={"size": 10, "color": palette.mute()},
                marker={"size": 11, "color": colour, "opacity": [1 if i else 0.25 for i in inside]},
                hovertemplate="%{x:.4f}<extra></extra>",
            )
        )
    if limit is not None:
        fig.add_vline(x=limit, line={"color": palette.ink(), "width": 1.5, "dash": "dash"})
    fig.update_yaxes(range=[len(values) - 0.5, -0.75], tickfont={"size": 12}, showline=False)
    fig.update_xaxes(
        title={"text": _("distance: smaller is nearer"), "font": {"size": 12}},
        tickfont={"size": 11},
        showgrid=True,
        gridcolor=palette.line(),
    )
    return fig


def speeds(rows: Sequence[Speed], colour: str) -> go.Figure:
    """Recall against milliseconds per query, one line per size of the cloud, a point per ef_search."""
    import plotly.graph_objects as go

    fig = figure(300, left=44, bottom=40, right=70)
    for i, n in enumerate(dict.fromkeys(r.n for r in rows)):
        own = [r for r in rows if r.n == n]
        shade = palette.shade(colour, i)
        fig.add_trace(
            go.Scatter(
                x=[r.hnsw_ms for r in own],
                y=[r.recall for r in own],
                mode="lines+markers+text",
                text=[f"ef {r.ef_search}" for r in own],
                textposition="bottom right",
                line={"color": shade, "width": 2.5},
                marker={"size": 9},
                textfont={"size": 11, "color": palette.mute()},
                hovertemplate=f"n = {n:,}<br>%{{x:.2f}} ms, recall %{{y:.3f}}<extra></extra>",
            )
        )
        fig.add_annotation(
            x=own[-1].hnsw_ms,
            y=own[-1].recall,
            text=f"n = {n:,}",
            showarrow=False,
            xanchor="left",
            xshift=10,
            yshift=8,
            font={"size": 12, "color": shade},
        )
        exact = own[-1].exact_ms
        fig.add_trace(
            go.Scatter(
                x=[exact],
                y=[1],
                mode="markers",
                marker={"symbol": "x", "size": 10, "color": shade},
                hovertemplate=_("exact") + f", n = {n:,}: %{{x:.2f}} ms<extra></extra>",
            )
        )
    fig.update_xaxes(
        title={"text": _("milliseconds per query"), "font": {"size": 12}},
        tickfont={"size": 11},
        showgrid=True,
        gridcolor=palette.line(),
    )
    fig.update_yaxes(
        title={"text": _("recall@10"), "font": {"size": 12}},
        range=[min(0.5, min((r.recall for r in rows), default=0.5)) - 0.05, 1.05],
        tickfont={"size": 11},
        showgrid=True,
        gridcolor=palette.line(),
    )
    return fig


def words_map(words: Sequence[str], vectors: Any, query: str, vector: Any, *, split: int) -> go.Figure:
    """Words and what was asked in two dimensions; the first ``split`` words are Chinese."""
    import plotly.graph_objects as go

    from lab.explain.maps import with_query

    points, at = with_query(vectors, vector, "pca")
    fig = figure(400, left=4, right=4, bottom=4)
    colours = [palette.ink()] * split + [palette.named("vector")] * (len(words) - split)
    fig.add_trace(
        go.Scatter(
            x=points[:, 0],
            y=points[:, 1],
            mode="markers+text",
            text=[safe(w, 20) for w in words],
            textposition="top center",
            textfont={"size": 12, "color": colours},
            marker={"size": 7, "color": colours},
            hoverinfo="skip",
            cliponaxis=False,
        )
    )
    fig.add_trace(
        go.Scatter(
            x=[at[0]],
            y=[at[1]],
            mode="markers+text",
            text=[f"<b>{safe(query, 20)}</b>"],
            textposition="bottom center",
            marker={"symbol": "star", "size": 16, "color": palette.ink()},
            hoverinfo="skip",
        )
    )
    spread_x, spread_y = float(abs(points[:, 0]).max() or 1), float(abs(points[:, 1]).max() or 1)
    fig.update_xaxes(visible=False, range=[-1.35 * spread_x, 1.35 * spread_x])
    fig.update_yaxes(visible=False, range=[-1.2 * spread_y, 1.25 * spread_y])
    return fig


def scatter(
    points: Sequence[tuple[str, float, float]],
    corpus: Corpus,
    x: str,
    y: str,
    *,
    selected: str = "",
    relevant: Mapping[str, int] | None = None,
) -> go.Figure:
    """Two scores of the same documents against each other; relevant ones are ringed."""
    import plotly.graph_objects as go

    relevant = relevant or {}
    fig = figure(340, left=46, bottom=42)
    labels = [safe(d.label if (d := corpus.get(i)) else i, 40) for i, _a, _b in points]
    fig.add_trace(
        go.Scatter(
            x=[a for _i, a, _b in points],
            y=[b for _i, _a, b in points],
            mode="markers",
            customdata=[i for i, _a, _b in points],
            hovertext=labels,
            hovertemplate="%{hovertext}<br>%{x:.4g} → %{y:.4g}<extra></extra>",
            marker={
                "size": [16 if i == selected else 11 for i, _a, _b in points],
                "color": [palette.document(corpus, i) for i, _a, _b in points],
                "line": {
                    "color": palette.ink(),
                    "width": [3 if relevant.get(i, 0) > 0 else 1.5 if i == selected else 0 for i, _a, _b in points],
                },
            },
        )
    )
    for axis, title in ((fig.update_xaxes, x), (fig.update_yaxes, y)):
        axis(
            title={"text": safe(title, 40), "font": {"size": 12}},
            tickfont={"size": 11},
            showgrid=True,
            gridcolor=palette.line(),
        )
    return fig


def funnel(names: Sequence[str], counts: Sequence[int], milliseconds: Sequence[float | None], colour: str) -> go.Figure:
    """How many documents are left after every step, with the time of each."""
    import plotly.graph_objects as go

    fig = figure(30 + 42 * len(names), left=4, right=90)
    fig.add_trace(
        go.Bar(
            y=[safe(n, 28) for n in names],
            x=list(counts),
            orientation="h",
            marker={"color": colour, "opacity": [1 - 0.45 * i / max(len(names), 1) for i in range(len(names))]},
            text=[
                f"<b>{c}</b>" + ("" if i == 0 or counts[i - 1] == c else f"  (−{counts[i - 1] - c})")
                for i, c in enumerate(counts)
            ],
            textposition="inside",
            insidetextanchor="start",
            textfont={"color": "#ffffff" if not palette.dark() else "#0f172a"},
            hoverinfo="skip",
        )
    )
    for name, ms in zip(names, milliseconds, strict=True):
        if ms is not None:
            fig.add_annotation(
                x=1.01,
                xref="paper",
                y=safe(name, 28),
                text=f"{ms:.1f} ms",
                showarrow=False,
                xanchor="left",
                font={"size": 12, "color": palette.mute()},
            )
    fig.update_layout(bargap=0.2)
    fig.update_yaxes(autorange="reversed", tickfont={"size": 12.5}, showline=False)
    fig.update_xaxes(visible=False)
    return fig
