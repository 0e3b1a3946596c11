"""Charts of ranks and scores: through a search, along a parameter, and through MMR's picks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np

from lab.algebra import Contribution, Corpus, Ranking
from lab.text import cut
from lab.text import width as columns
from lab.ui import palette
from lab.ui.escape import safe
from lab.ui.figures.charts import (
    CLICKABLE,
    Figure,
    Part,
    axis,
    bold,
    downwards,
    figure,
    font,
    hovered,
    in_bars,
    knob_axis,
    note,
    right_note,
    title_text,
    trace,
    upright,
)
from lab.ui.figures.markers import Ring, label_sides, ring_trace
from lab.ui.i18n import _, labelled, say

if TYPE_CHECKING:
    from lab.explain.tipping import Line, Step, Tipping
    from lab.refine.diversity import Candidate, Replay


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
    data, notes, rings = list[Part](), list[Part](), list[Ring]()
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
        data.append(trace("scatter", xs, ys, hover, **CLICKABLE, **drawn))
        size, width = (13, 3) if strong else (8, 2)
        rings += [Ring(i, heights[i], size, colour, colour, width, hover, doc) for i in inside]
    if rings:
        data.append(ring_trace(rings))
    outside = {"right": {"xanchor": "right", "xshift": -12}, "left": {"xanchor": "left", "xshift": 12}}
    ends = ((0, "right"), (last, "left"))
    for side, anchor in ends if last else ends[:1]:
        for rank, hit in enumerate(rankings[side].hits[:n_rows], 1):
            strong = hit.document.id == selected
            colour = palette.ink() if strong else palette.mute()
            text = bold(f"{rank} {safe(hit.document.label, 26)}", strong)
            notes.append(note(side, rank, text, 12.5, colour, yanchor="middle", **outside[anchor]))
    heads = [_head(name, 30 if len(names) < 3 else 13) for name in names]
    for i, (lines, colour) in enumerate(zip(heads, colours, strict=True)):
        notes.append(
            note(i, 0.25, "<br>".join(bold(safe(line), True) for line in lines), 13.5, colour, yanchor="bottom")
        )
    if any(below in drawn["y"] for drawn in data):
        text = _("not in the first {n}", n=n_rows)
        notes.append(note(0, below, text, 12, palette.mute(), **outside["right"]))
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
    look = in_bars(texts, insidetextanchor="middle", textangle=0, marker={"color": colours, "line": edge})
    hovers = [f"<b>{safe(source, 24)}</b>: {v:.4f}" for source, v in zip(sources, values, strict=True)]
    bars = trace(
        "bar", values, [""] * len(parts), "%{hovertext}", orientation="h", base=starts, hovertext=hovers, **look
    )
    x = {"tickfont": font(12, palette.mute()), "nticks": 6}
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
        data.append(trace("scatter", xs, ys, hover, **CLICKABLE, line=stroke, customdata=[[x, doc] for x in xs]))
    rings = list[Ring]()
    for c in tips.crossings:
        doc = c.upper_after.id
        if doc in lines:
            height = float(np.interp(c.value, lines[doc].x, lines[doc].y))
            text = f"{c.value:.1f}" if log else f"{c.value:.3f}"
            hover = f"<b>{text}</b><br>{safe(c.upper_after.label, 30)} ▲<br>{safe(c.upper_before.label, 30)} ▼"
            rings.append(Ring(c.value, height, 11, palette.paper(), palette.ink(), 2, hover, [c.value, doc], text))
    floor, ceiling = _reach(tips, list(lines.values()))
    span = (ceiling - floor) or 1.0
    if rings:
        at = [(math.log10(max(ring.x, 1)) if log else ring.x, ring.y) for ring in rings]
        data.append(ring_trace(rings, label_sides(at, 0.085 * (math.log10(high) if log else high - low), 0.05 * span)))
    notes = []
    last = -1e9
    ends = sorted((line.y[-1], doc) for doc, line in lines.items() if line.y[-1] >= floor - 0.05 * span)
    for end, doc in ends:  # labels at the right end, pushed apart
        last = max(end, last + span * 0.052)
        text = bold(safe(lines[doc].document.label, 26), doc == selected)
        notes.append(right_note(last, text, 12, palette.document(corpus, doc)))
    current_text = _("now {value}", value=f"{tips.current:.3g}")
    now: Part = {"at": math.log10(max(tips.current, 1)) if log else tips.current, "text": current_text}
    corner: Part = {"xref": "paper", "yref": "paper", "yanchor": "top"}
    notes.append(note(0, -0.085, safe(left, 50), 12, palette.mute(), xanchor="left", **corner))
    notes.append(note(1, -0.085, safe(right, 50), 12, palette.mute(), xanchor="right", **corner))
    reach = [math.log10(max(low, 1)), math.log10(high)] if log else [low - 0.01, high + 0.01]
    x = {**knob_axis(log, high), "range": reach, "showline": True, "automargin": False}
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
        data.append(trace("scatter", xs, ys, hover, **CLICKABLE, **drawn))
    by_doc = {line.document.id: line for line in lines}
    rings = []
    for before, after in pairwise(stretches):
        line = by_doc[after.document.id]
        height = float(np.interp(after.low, line.x, line.y))
        text = f"{after.low:.1f}" if log else f"{after.low:.3f}"
        hover = f"<b>{text}</b><br>{safe(after.document.label, 30)} ▲<br>{safe(before.document.label, 30)} ▼"
        rings.append(
            Ring(after.low, height, 10, palette.paper(), palette.ink(), 2, hover, [after.low, line.document.id], text)
        )
    if rings:
        at = [(math.log10(max(ring.x, 1)) if log else ring.x, ring.y) for ring in rings]
        data.append(ring_trace(rings, label_sides(at, 0.13 * (math.log10(high) if log else high - low), 0.2 * span)))
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
        inside = in_bars(
            [label], insidetextanchor="middle", textangle=0, insidetextfont={"size": 12, "color": palette.paper()}
        )
        data.append(trace("bar", [stretch.low], [tall], hover, **drawn, **inside))
    corner: Part = {"xref": "paper", "yref": "paper", "yanchor": "bottom", "yshift": 13}  # above the current value
    notes = [
        note(0, 1, safe(left, 32), 12, palette.mute(), xanchor="left", **corner),
        note(1, 1, safe(right, 32), 12, palette.mute(), xanchor="right", **corner),
    ]
    reach = [math.log10(max(low, 1)), math.log10(high)] if log else [low, high]
    now: Part = {"at": math.log10(max(tips.current, 1)) if log else tips.current, "text": f"{tips.current:.3g}"}
    x = {**knob_axis(log, high), "range": reach, "visible": False, "automargin": False}
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
        notes.append(right_note(ys[-1], safe(name, 26), 12, colour))
    x = {**knob_axis(log), "range": [0, 3] if log else [-0.01, 1.01], "automargin": False}
    y = {**axis(safe(label)), "range": [-0.03, 1.05], "tickvals": [0, 0.5, 1], "automargin": False}
    now: Part = {"at": math.log10(current) if log and current > 0 else current, "text": ""}
    return figure(170, data, {"l": 56, "r": 190, "b": 24}, x=x, y=y, annotations=notes, meta=now)


def picks(candidates: Sequence[Candidate], corpus: Corpus, picked: str) -> Figure:
    """Draws every candidate's contribution at one pick.

    Relevance goes to the right, redundancy to the left, and a mark is the sum.
    """
    ids = [c.document.id for c in candidates]
    ys = list(range(len(ids)))
    blockers = [_("similar to “{title}”", title=safe(c.blocker.label, 26)) if c.blocker else "" for c in candidates]
    quiet = f'<br><span style="font-size:12px;color:{palette.mute()}">{{}}</span>'
    labels = [
        bold(safe(c.document.label, 28), c.document.id == picked) + (quiet.format(blocker) if blocker else "")
        for c, blocker in zip(candidates, blockers, strict=True)
    ]
    gains, losses = [c.relevance_part for c in candidates], [c.redundancy_part for c in candidates]
    offered = in_bars([f"{v:.3f}" for v in gains], marker={"color": palette.named("vector")})
    gain = trace("bar", gains, ys, _("similar to the query") + ": %{x:.4f}", orientation="h", customdata=ids, **offered)
    loss_look = in_bars([f"{v:.3f}" if near else "" for v, near in zip(losses, blockers, strict=True)])
    loss_look |= {"textfont": {"color": palette.ink()}, "marker": {"color": palette.mute(), "opacity": 0.55}}
    loss = trace("bar", losses, ys, "%{customdata}: %{x:.4f}", orientation="h", customdata=blockers, **loss_look)
    edge = {"color": palette.ink(), "width": [2 if i == picked else 0.5 for i in ids]}
    colours = [palette.document(corpus, i) for i in ids]
    marker = {"symbol": "diamond", "size": 11, "color": colours, "line": edge}
    left = [c.value for c in candidates]
    rest = trace("scatter", left, ys, _("total") + ": %{x:.4f}", mode="markers", marker=marker)
    span = [min(losses, default=0.0) * 1.05 - 0.01, (max(gains, default=1.0) or 1.0) * 1.06]
    x = {"range": span, "tickfont": font(12, palette.mute()), "zeroline": True, "zerolinecolor": palette.line()}
    more: Part = {"barmode": "relative", "bargap": 0.35}
    return figure(40 + 34 * len(ids), [gain, loss, rest], {"l": 4, "b": 24}, x=x, y=downwards(labels), **more)


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
    x = {**knob_axis(False), "range": [0, 1], "title": {**title_text("λ"), "standoff": 2}}
    more: Part = {"y": downwards(range(1, k + 1)), "shapes": [upright(current, 2)], "barmode": "overlay"}
    return figure(60 + 26 * k, strips, {"l": 24, "b": 26}, x=x, **more)
