"""Charts of points in a plane: two scores of each passage, maps of vectors, and their landmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lab.algebra import Corpus
from lab.text import width as columns
from lab.ui import palette
from lab.ui.escape import safe
from lab.ui.figures.charts import NONE, WIDTHS, Figure, Grades, Part, axis, bold, figure, font, pointed, trace, upright
from lab.ui.figures.markers import Box, beside_point, free_side, free_sides, label_sides
from lab.ui.i18n import _

if TYPE_CHECKING:
    from lab.algebra import Document


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
    return figure(340, [dots], {"l": 46, "b": 42}, x=axis(safe(x, 40)), y=axis(safe(y, 40)))


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
    from lab.explain.maps import with_query

    points, at = with_query(vectors, query, method)
    ids = [d.id for d in documents]
    marker = {
        "size": [21 if i in numbers else 13 if i == selected else 9 for i in ids],
        "color": list(colours) if colours else [palette.document(corpus, i) for i in ids],
        "opacity": [1 if i in numbers or i == selected else 0.55 for i in ids] if numbers else 0.85,
        "line": {"width": [2.5 if i == selected else 0 for i in ids], "color": palette.ink()},
    }
    text = {"textposition": "middle center", "textfont": font(12, palette.paper())}
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
    occupied = [[Box(x, y, 6, 6) for x, y in view[:-1]] for view in views]
    for longest in (20, 12, 6):  # shortened if the whole name would cover a point
        query_text = safe(query, longest)
        stars = [beside_point(x, y, 7.5 * columns(query_text), 18, 9) for (x, y) in (view[-1] for view in views)]
        if where := free_side(stars, occupied):
            break
    where = where or "bottom center"
    for view, boxes, star in zip(views, occupied, stars, strict=True):
        boxes += [Box(*view[-1], 17, 17), star[where]]
    nearest = sorted(range(len(words)), key=lambda i: i if i < split else i - split)
    sides = free_sides(names, nearest, views, occupied)
    text: Part = {"textposition": [side or "top center" for side in sides], "cliponaxis": False, "hovertext": names}
    text |= {"textfont": {"size": 12, "color": colours}}
    visible_names = [name if side else "" for name, side in zip(names, sides, strict=True)]
    dots = marks(points, {"size": 7, "color": colours}, "%{hovertext}", text=visible_names, **text)
    star_mark = landmark(at, bold(query_text, True), size=16, place=where)
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


def distances(values: Mapping[str, Sequence[float]], colours: Sequence[str], *, limit: float | None = None) -> Figure:
    """Draws distances by rank, one row of points per space; points left of the threshold are kept."""
    data, every = [], [v for row in values.values() for v in row]
    reach = max(every, default=1.0) - min([*every, 0.0])
    for (name, row), colour in zip(values.items(), colours, strict=False):
        opacity = [1 if limit is None or v <= limit else 0.25 for v in row]
        sides = label_sides([(v, 0.0) for v in row], 0.018 * reach, 1.0)
        text = {
            "text": [str(i) if side else "" for i, side in enumerate(sides, 1)],
            "textposition": [side or "top center" for side in sides],
        }
        look = {"marker": {"size": 11, "color": colour, "opacity": opacity}, "textfont": font(12, palette.mute())}
        data.append(trace("scatter", list(row), [name] * len(row), "%{x:.4f}", mode="markers+text", **text, **look))
    y = {"range": [len(values) - 0.5, -0.75], "tickfont": font(12), "showline": False}
    x, lines = axis(_("distance: smaller is nearer")), [] if limit is None else [upright(limit)]
    return figure(56 + 54 * len(values), data, {"l": 110, "b": 34}, x=x, y=y, shapes=lines)
