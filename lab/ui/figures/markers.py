"""Rings that mark places on lines, and labels beside points that do not cover each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lab.text import width as columns
from lab.ui import palette
from lab.ui.figures.charts import UNDIMMED, WIDTHS, Part, font, trace


class Ring(NamedTuple):
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


def label_sides(points: Sequence[tuple[float, float]], wide: float, tall: float) -> list[str]:
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


class Box(NamedTuple):
    """The centre of a label or of a point in pixels, and its size."""

    x: float
    y: float
    wide: float
    tall: float

    def meets(self, other: Box) -> bool:
        return (
            abs(self.x - other.x) < (self.wide + other.wide) / 2
            and abs(self.y - other.y) < (self.tall + other.tall) / 2
        )


def beside_point(x: float, y: float, wide: float, tall: float, gap: float) -> dict[str, Box]:
    """Returns the possible places of a label: below, above, beside its point, or at a corner, in pixels."""
    across, up = wide / 2 + gap, tall / 2 + gap
    return {
        "bottom center": Box(x, y - up, wide, tall),
        "top center": Box(x, y + up, wide, tall),
        "middle right": Box(x + across, y, wide, tall),
        "middle left": Box(x - across, y, wide, tall),
        "bottom right": Box(x + across, y - up, wide, tall),
        "bottom left": Box(x - across, y - up, wide, tall),
        "top right": Box(x + across, y + up, wide, tall),
        "top left": Box(x - across, y + up, wide, tall),
    }


def free_side(places: Sequence[Mapping[str, Box]], obstacles: Sequence[Sequence[Box]]) -> str:
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


def free_sides(
    names: Sequence[str],
    order: Sequence[int],
    views: Sequence[Sequence[tuple[float, float]]],
    obstacles: Sequence[list[Box]],
    best: Sequence[str] = (),
) -> list[str]:
    """Returns the side of the name of each point, placed in this order; the places are added to the obstacles.

    ``views`` are the points in pixels from the centre, ``obstacles`` the boxes, both for each width of `WIDTHS`; the
    ``best`` sides are taken before the others.
    """
    sides = [""] * len(names)
    for i in order:
        every = [beside_point(*view[i], 6.6 * columns(names[i]) + 4, 15, 4) for view in views]
        places = [{side: place[side] for side in (*best, *place)} for place in every]
        sides[i] = free_side(places, obstacles)
        for boxes, place in zip(obstacles, places, strict=True):
            boxes += [place[sides[i]]] if sides[i] else []
    return sides


def ring_trace(rings: Sequence[Ring], sides: Sequence[str] = ()) -> Part:
    """Draws rings as one trace, because plotly's work grows with the number of traces.

    ``sides`` are the positions of their texts; a ring with an empty side has no text.
    """
    xs, ys, sizes, fills, colours, widths, hovers, data, texts = map(list, zip(*rings, strict=True))
    if sides:
        texts = [text if side else "" for text, side in zip(texts, sides, strict=True)]
    stand = [side or "top center" for side in sides] or "top center"
    labelled: Part = {"text": texts, "textposition": stand, "textfont": font(12, palette.mute())}
    marker = {"size": sizes, "color": fills, "opacity": 1, "line": {"color": colours, "width": widths}}
    drawn: Part = {"mode": "markers", **UNDIMMED, "marker": marker, "customdata": data, "hovertext": hovers}
    drawn["cliponaxis"] = False
    return trace(
        "scatter", xs, ys, "%{hovertext}", **drawn | ({"mode": "markers+text", **labelled} if any(texts) else {})
    )
