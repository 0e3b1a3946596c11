"""Charts of measures: questions by their difference, measure against time and turn, a knob's curve and heat map."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from lab.evaluate.significance import SAME, interval
from lab.ui import palette
from lab.ui.escape import safe
from lab.ui.figures import charts
from lab.ui.figures.charts import WIDTHS, Figure, Part, axis, font, hovered, trace, upright
from lab.ui.figures.markers import Box, free_sides
from lab.ui.i18n import _, say

if TYPE_CHECKING:
    from lab.evaluate.experiments import Experiment
    from lab.evaluate.refusing import Point as Refusal
    from lab.evaluate.sweeping import Point, Sweep
    from lab.evaluate.thresholds import Point as Threshold
    from lab.explain.predicting import Predictor

T = TypeVar("T")
MOST_POINTS = 1500
"""Maximum number of thresholds that are drawn; of more, evenly chosen ones."""


def pareto(e: Experiment, measure: str, costs: Mapping[str, float], axis_title: str, unit: str = "ms") -> Figure:
    """Draws each search's measure, with its 95% CI, against its cost; a line joins the Pareto front.

    ``costs`` are those per question, by the name of the search: milliseconds, tokens or money.  The axis is logarithmic
    for milliseconds; searches that ask no model cost 0 tokens, which has no logarithm.
    """
    xs, values = list(costs.values()), [e.mean(name, measure) for name in costs]
    spots = list(zip(xs, values, strict=True))
    front, best = list[tuple[float, float]](), -1.0
    for cost, value in sorted(spots, key=lambda at: (at[0], -at[1])):
        if value > best + SAME:
            front.append((cost, value))
            best = value
    spans = [interval(e.scores[name].per_query[measure].values()) for name in costs]
    arms = [0.0 if span is None else span[1] - value for span, value in zip(spans, values, strict=True)]
    whiskers = {"type": "data", "array": arms, "color": palette.mute(), "thickness": 1.2, "width": 4}
    shown = [_("{ms} ms", ms=f"{cost:.2f}") if unit == "ms" else f"{cost:,.6g} {unit}" for cost in xs]
    labels = zip(costs, shown, values, strict=True)
    hover = [f"<b>{hovered(name, 40)}</b><br>{safe(text)}<br>{value:.4f}" for name, text, value in labels]
    on = [spot in front for spot in spots]
    fused, mute = palette.named("fused"), palette.mute()
    dots: Part = {"mode": "markers+text", "marker": {"size": 12, "color": [fused if x else mute for x in on]}}
    line: Part = {"mode": "lines", "line": {"color": fused, "width": 2, "shape": "hv"}}
    data = [trace("scatter", [a for a, _b in front], [b for _a, b in front], **line)]
    at = [math.log10(max(cost, 1e-3)) if unit == "ms" else cost for cost in xs]
    low, high = min(at), max(at)
    across = (
        [low - 0.35, high + 0.4 + 0.2 * (high - low)] if unit == "ms" else [-0.12 * (high or 1), 1.25 * (high or 1)]
    )
    ends = [value + sign * arm for value, arm in zip(values, arms, strict=True) for sign in (-1, 1)]
    pad = 0.14 * (max(ends) - min(ends)) or 0.1
    up = [min(ends) - pad, max(ends) + pad]
    names = [safe(name, 22) for name in costs]
    sides = _sides(names, *([(n - a) / (b - a) for n in ns] for ns, (a, b) in ((at, across), (values, up))))
    dots |= {"text": [name if side else "" for name, side in zip(names, sides, strict=True)], "hovertext": hover}
    dots |= {"textposition": [side or "top center" for side in sides], "textfont": font(12, palette.ink())}
    dots |= {"cliponaxis": False, "error_y": whiskers}
    data.append(trace("scatter", xs, values, "%{hovertext}", **dots))
    x = {**axis(axis_title), "range": across, **({"type": "log", "dtick": 1} if unit == "ms" else {})}
    return charts.figure(300, data, {"l": 50, "b": 42, "t": 14}, x=x, y=axis(safe(measure)) | {"range": up})


def _sides(names: Sequence[str], xs: Sequence[float], ys: Sequence[float]) -> list[str]:
    """Returns the side of each name beside its point, both as shares of the picture; empty where there is no room.

    A corner comes first: whiskers and the line of the front pass above, below and beside a point.
    """
    views = [[((x - 0.5) * (width - 60), y * 244) for x, y in zip(xs, ys, strict=True)] for width in WIDTHS]
    points = [[Box(*at, 7, 7) for at in view] for view in views]
    return free_sides(names, range(len(names)), views, points, ("top left", "bottom right", "top right", "bottom left"))


class _Point(Protocol):
    @property
    def mean(self) -> float: ...
    @property
    def interval(self) -> tuple[float, float] | None: ...


def lines(
    points_by_search: Mapping[str, Sequence[_Point]],
    colours: Sequence[str],
    measure: str,
    title: str,
    places: Sequence[tuple[int, str]],
) -> Figure:
    """Draws a line per search: the measure with its 95% CI at the same places on the axis, each with its label.

    ``colours`` are in the order of the searches.
    """
    data, aside = list[Part](), 0.1
    for i, ((name, points), colour) in enumerate(zip(points_by_search.items(), colours, strict=True)):
        xs = [x + aside * (i - (len(points_by_search) - 1) / 2) for x, _label in places]  # whiskers beside each other
        arms = [0.0 if d.interval is None else d.interval[1] - d.mean for d in points]
        hover = [
            f"<b>{hovered(name, 40)}</b><br>{label.partition('<br>')[0]}: {d.mean:.4f} {_ends(d.interval)}"
            for d, (_x, label) in zip(points, places, strict=True)
        ]
        marker = {"size": 8, "color": colour, "symbol": ("circle", "diamond", "square", "triangle-up")[i % 4]}
        line = {"color": colour, "width": 2.5, "dash": ("solid", "dot", "dash", "dashdot")[i % 4]}
        whiskers = {"type": "data", "array": arms, "color": colour, "thickness": 1, "width": 3}
        look: Part = {"mode": "lines+markers", "marker": marker, "line": line, "error_y": whiskers}
        more: Part = {"name": safe(name, 30), "hovertext": hover, **look}
        data.append(trace("scatter", xs, [d.mean for d in points], "%{hovertext}", **more))
    x = axis(title) | {"showgrid": False, "ticks": ""}
    x |= {"tickvals": [at for at, _label in places], "ticktext": [label for _at, label in places]}
    y = axis(safe(measure)) | {"rangemode": "tozero"}
    return charts.figure(330, data, {"l": 52, "b": 62, "t": 30}, x=x, y=y, showlegend=True, legend=_legend())


def _legend() -> Part:
    """A legend in a row above the picture."""
    return {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": font(12)}


def curve(s: Sweep) -> Figure:
    """Draws the measure along one parameter, with its 95% CI; a ring marks the best value, a line the current."""
    (knob_axis,) = s.axes
    values = [p.values[0] for p in s.points]
    means, spans = [s.mean(p) for p in s.points], [s.bounds(p) for p in s.points]
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    xs: list[Any] = values if numbers else [str(v) for v in values]
    colour, best = palette.named("fused"), s.best()
    low, high = ([m if b is None else b[i] for m, b in zip(means, spans, strict=True)] for i in (0, 1))
    band: Part = {"mode": "lines", "line": {"width": 0}}
    data = [
        trace("scatter", xs, high, **band),
        trace("scatter", xs, low, **band, fill="tonexty", fillcolor=f"{colour}22"),
    ]
    hover = [f"{safe(str(v))}: {m:.4f}" for v, m in zip(values, means, strict=True)]
    ring = {"color": palette.ink(), "width": [2.5 if p is best else 0 for p in s.points]}
    look: Part = {"mode": "lines+markers", "line": {"color": colour, "width": 2.5}}
    marker = {"size": [13 if p is best else 8 for p in s.points], "color": colour, "line": ring}
    data.append(trace("scatter", xs, means, "%{hovertext}", hovertext=hover, marker=marker, **look))
    x: Part = axis(safe(say(knob_axis.label)))
    if numbers and min(values) > 0 and max(values) > 20 * min(values):
        x |= {"type": "log", "tickvals": values, "ticktext": [f"{v:g}" for v in values]}
    shapes = [upright(knob_axis.current)] if numbers else []
    if not numbers:
        x |= {"type": "category"}
    return charts.figure(320, data, {"l": 52, "b": 44}, x=x, y=axis(safe(s.measure)), shapes=shapes)


def thresholds(points: Sequence[Threshold], title: str, chosen: float | None, wanted: float | None) -> Figure:
    """Draws precision, recall and F of every threshold; lines mark the chosen value and the wanted precision."""
    every = _thinned(points)
    looks = (
        (_("Precision"), [p.precision for p in every], palette.named("fused"), "solid"),
        (_("Recall"), [p.recall for p in every], palette.named("vector"), "dash"),
        ("F", [p.f for p in every], palette.mute(), "dot"),
    )
    shapes = []
    if wanted is not None:
        quiet = {"color": palette.mute(), "width": 1, "dash": "dot"}
        across: Part = {"xref": "x domain", "yref": "y", "x0": 0, "x1": 1, "y0": wanted, "y1": wanted}
        shapes.append({"type": "line", **across, "line": quiet})
    return _along_values([p.value for p in every], looks, title, chosen, shapes, [f" ({p.kept})" for p in every])


def refusals(points: Sequence[Refusal], title: str, chosen: float | None) -> Figure:
    """Draws the two-sided curve: the share that every threshold refuses, and the share that it keeps."""
    every = _thinned(points)
    refused, answerable = _("refused of the questions without an answer"), _("kept of the answerable questions")
    looks = (
        (refused, [p.refused_share for p in every], palette.named("refined"), "solid"),
        (answerable, [p.kept_share for p in every], palette.named("vector"), "solid"),
    )
    return _along_values([p.value for p in every], looks, title, chosen)


def _thinned(points: Sequence[T]) -> Sequence[T]:
    return points if len(points) <= MOST_POINTS else points[:: -(-len(points) // MOST_POINTS)]


def _along_values(
    xs: Sequence[float],
    looks: Sequence[tuple[str, Sequence[Any], str, str]],
    title: str,
    chosen: float | None,
    shapes: Sequence[Part] = (),
    remarks: Sequence[str] = (),
) -> Figure:
    """Draws shares over the values of a threshold: by line, its name, its shares, its colour and its dashes."""
    data, endings = [], remarks or [""] * len(xs)
    for name, ys, colour, dash in looks:
        hover = [f"<b>{name}</b><br>{x:.4g}: {y:.3f}{end}" for x, y, end in zip(xs, ys, endings, strict=True)]
        line = {"color": colour, "width": 2.5, "dash": dash, "shape": "vh"}  # a threshold holds down to the one before
        data.append(trace("scatter", xs, ys, "%{hovertext}", hovertext=hover, name=name, mode="lines", line=line))
    marks = [*shapes, *([] if chosen is None else [upright(chosen)])]
    y, space = axis("") | {"range": [0, 1.03]}, {"l": 46, "b": 44, "t": 30}
    x = axis(safe(title))
    return charts.figure(320, data, space, x=x, y=y, shapes=marks, showlegend=True, legend=_legend())


def predicted(x: Predictor, title: str, measure: str) -> Figure:
    """Draws the measure of every judged question against one predictor; filled ones are nearest to the list's value."""
    colour, near = palette.named("fused"), set(x.neighbours)
    fill = [colour if point in near else palette.paper() for point in x.points]
    marker = {"size": 9, "color": fill, "line": {"color": colour, "width": 1.2}}
    hover = [f"{value:.3f}: {gain:.3f}" for value, gain in x.points]
    xs, ys = [value for value, _gain in x.points], [gain for _value, gain in x.points]
    data = [trace("scatter", xs, ys, "%{hovertext}", hovertext=hover, mode="markers", marker=marker)]
    shapes = [] if x.value is None else [upright(x.value)]
    y = axis(safe(measure)) | {"range": [-0.03, 1.03]}
    return charts.figure(250, data, {"l": 50, "b": 42, "t": 10}, x=axis(safe(title)), y=y, shapes=shapes)


def heat(s: Sweep) -> Figure:
    """Draws the measure over two parameters; brackets mark the current setting, a star the best."""
    down, across = s.axes
    points: dict[tuple[Any, ...], Point] = {p.values: p for p in s.points}
    best, lowest = s.best(), min(s.mean(p) for p in s.points)

    def cell_text(p: Point | None) -> str:
        if p is None:
            return "–"
        text = f"{s.mean(p):.3f}" + ("★" if p is best else "")
        return f"[{text}]" if p is s.now else text

    cells = [[points.get((a, b)) for b in across.values] for a in down.values]
    texts = [[cell_text(p) for p in row] for row in cells]
    shades = [[s.mean(p) - lowest if p else 0.0 for p in row] for row in cells]
    spans = [[s.bounds(p) if p else None for p in row] for row in cells]
    ends = [[_ends(b) for b in row] for row in spans]
    rows, columns = [_short(v) for v in down.values], [_short(v) for v in across.values]
    faint = 2.2 * (max(map(max, shades)) or 1.0)  # so that numbers are readable on every shade
    return charts.table_map(shades, rows, columns, palette.named("fused"), texts=texts, notes=ends, zmax=faint)


def _ends(span: tuple[float, float] | None) -> str:
    return "" if span is None else _("(95% CI: {low} to {high})", low=f"{span[0]:.3f}", high=f"{span[1]:.3f}")


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
