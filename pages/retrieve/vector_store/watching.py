"""The search in a graph or in cells, step by step on the map: what is compared, kept and lost, with a filter or not."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from lab.algebra import Progress, Query
from lab.explain.graph import FEWEST, Probe, Step, Walk
from lab.explain.maps import with_query
from lab.explain.structures import FILTERS, KINDS, Asked, K, Loss, Outcome, Point, Structures, curve, structures_of
from lab.numeric import Floats
from lab.retrieve.store import StoreVector
from lab.ui import address, escape, palette
from lab.ui.figures import charts, map_charts
from lab.ui.figures.charts import Figure, Part
from lab.ui.i18n import _, labelled
from lab.ui.layout import questions, tables
from lab.ui.layout.page import Page
from lab.ui.lists import show
from lab.ui.work import work
from pages.retrieve.vector_store.parts import lost_words

MEASURED = 30
"""Questions of the corpus over which the curve is averaged, at most."""
STARTS = {"graph": 10, "cells": 1}
"""The breadth with which the page begins."""
LETTER = 2.3
"""How wide a letter of a label is on a phone, as a share of the passages in percent (300 pixels are 109 percent)."""
LEAN, FLAT, UPPER, GAP = 0.32, 0.5, 0.2, 0.3
"""How a floor is drawn: its slant, the height of the lowest one and of those above, and the gap between two."""


@dataclass(frozen=True)
class Setting:
    """What the visitor has chosen: the structure, its breadth (ef or nprobe), and when the filter works."""

    kind: str
    breadth: int
    how: str


def draw(page: Page, store: StoreVector, query: Query, doc: str) -> None:
    """Draws the whole part: its parameters, the picture of one step, the step in words, the curve, and what is lost."""
    first, second, third, more = st.columns([2, 2.4, 2.4, 1], vertical_alignment="bottom")
    seed = _seed(page, more)
    corpus = page.frame.corpus
    make = partial(_built, store, page, seed)
    structures = work(page.key("watch"), _("Building the graph …"), make, about=(store.exact, seed))
    if structures is None:
        return
    asked = structures.ask(query, store.where)
    if asked is None:
        missing = _("The model knows no word of the question, so there is no vector to compare.")
        st.info(missing if len(structures) else _("No passage has a vector."), icon=":material/search_off:")
        return
    setting = _settings(page, structures, first, second, third, filtered=asked.allowed is not None)
    searched = asked.visit(setting.kind, setting.breadth, setting.how)
    outcome = asked.outcome(searched, setting.how)
    step = _step(page, searched, about=(setting, store.exact, seed, query, corpus.fingerprint))
    for sentence in remarks(structures, seed):
        st.caption(sentence)
    with st.container(key=page.key("walk")):
        left, right = st.columns([1.7, 1], gap="medium")
        with left:
            figure = (
                floors(asked, searched, outcome, setting, step, doc)
                if isinstance(searched, Walk)
                else map_of_cells(asked, searched, outcome, setting, step, doc)
            )
            event = charts.clickable(figure, "vector_store.walk.picture")
            last = len(stages(searched))
            if last > 1:
                st.slider(_("Step"), 1, last, key=page.key("watch.step"), help=_("Arrow keys move one step."))
            st.html(legend(setting.kind, filtered=asked.filtered(setting.how) is not None))
        with right:
            in_words(asked, searched, setting, step)
            kept_table(asked, searched, step)
        st.markdown(summary(asked, searched, outcome, setting))
        if lost := losses(asked, outcome, setting):
            st.markdown("\n".join(f"- {line}" for line in lost))
    show.click(event)
    _curve(page, asked, setting, searched, outcome, store.where, seed)


def _built(store: StoreVector, page: Page, seed: int, progress: Progress) -> Structures:
    return structures_of(store.exact, page.frame.corpus, seed=seed, progress=progress)


# ------------------------------------------------------------------------------------------------- what is chosen


def _seed(page: Page, into: Any) -> int:
    with into.popover(_("More"), width="stretch"):
        return page.number(
            "watch.seed", _("Seed"), 0, 9999, 0, _("Draws the layers of the graph and the first centres.")
        )


def _settings(page: Page, index: Structures, first: Any, second: Any, third: Any, *, filtered: bool) -> Setting:
    with first:
        names = {"graph": _("graph (HNSW)"), "cells": _("cells (IVF)")}
        kind = page.choose("watch.kind", _("Structure"), KINDS, "graph", format_func=names.__getitem__)
    with second:
        if kind == "graph":
            label, name = _("Kept candidates (ef)"), "watch.ef"
            help_text = _("The walk ends when this many passages are kept and no nearer one is waiting.")
        else:
            label, name = _("Cells searched (nprobe)"), "watch.nprobe"
            help_text = _("The nearest cells; every passage in them is compared.")
        breadth = _breadth(page.key(name), label, index.breadths(kind), STARTS[kind], help_text)
    how = "none"
    with third:
        if filtered:
            words = {"none": _("none"), "search": _("in the search"), "after": _("after the cut")}
            help_text = _(
                "In the search, only passages that pass are kept. After the cut, the ten nearest are filtered, and "
                "nothing takes the place of those removed."
            )
            how = page.choose(
                "watch.filter", _("Filter works"), FILTERS, "search", help_text, format_func=words.__getitem__
            )
        else:
            st.caption(_("With a filter (above), you choose here when it works."))
    return Setting(kind, breadth, how)


def _breadth(key: str, label: str, options: Sequence[int], start: int, help_text: str) -> int:
    """Draws the choice of ef or nprobe; a value of a link that is not offered becomes the next smaller one."""

    def offered(value: int) -> int:
        return max((x for x in options if x <= value), default=options[0])

    address.keep(key, offered(start), lambda raw: offered(int(raw)))
    if st.session_state[key] not in options:
        address.put(key, offered(int(st.session_state[key])))
    if len(options) == 1:
        st.caption(labelled(label, options[0]))
        return options[0]
    return int(st.select_slider(label, options, key=key, help=help_text))


def stages(searched: Walk | Probe) -> Sequence[Step] | Sequence[int]:
    return searched.steps if isinstance(searched, Walk) else searched.visited


def _step(page: Page, searched: Walk | Probe, *, about: object) -> int:
    """Returns the step that is shown, counted from 1; a new search is shown from its end."""
    key, last = page.key("watch.step"), len(stages(searched))
    address.keep(key, last, address.number(1, 20_000, whole=True))
    if st.session_state.setdefault("_watch", about) != about or st.session_state[key] > last:
        address.put(key, last)
    st.session_state["_watch"] = about
    return int(st.session_state[key])


def remarks(index: Structures, seed: int) -> list[str]:
    """Sentences on what is unusual about this graph."""
    found = []
    if index.total > len(index):
        numbers = {"n": f"{len(index):,}", "total": f"{index.total:,}", "seed": seed}
        found.append(
            _(
                "A sample drawn with seed {seed}; passages: {n} of {total}. Exact ranks are ranks in the sample.",
                **numbers,
            )
        )
    if 0 < len(index) < FEWEST:
        found.append(_("Fewer than 3 passages with a vector: the graph has one layer."))
    elif index.equal:
        found.append(_("All vectors are equal: the graph has one layer."))
    return found


# -------------------------------------------------------------------------------------------------- the picture


def _points(asked: Asked) -> tuple[Floats, Floats]:
    """Returns the nodes and the question on the map, each axis from -1 to 1."""
    points, star = with_query(asked.structures.rows, asked.vector)
    every = np.vstack([points, star])
    low, size = every.min(axis=0), np.ptp(every, axis=0)
    scaled = np.where(size > 0, 2 * (every - low) / np.where(size > 0, size, 1.0) - 1, 0.0)
    return scaled[:-1], scaled[-1]


def _on_floor(points: Floats, layer: int) -> Floats:
    """Returns points of the map, [n, 2], as they are drawn on the floor of a layer."""
    tall = UPPER if layer else FLAT
    base = 0.0 if not layer else FLAT + GAP + UPPER + (layer - 1) * (2 * UPPER + GAP)
    return np.column_stack([points[:, 0] + LEAN * points[:, 1] * tall / FLAT, tall * points[:, 1] + base])


def _frame(layer: int) -> Part:
    """The edge of a floor."""
    corners = 1.08 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float)
    path = "L".join(f"{x:.3f},{y:.3f}" for x, y in _on_floor(corners, layer))
    return {"type": "path", "path": f"M{path}Z", "line": {"color": palette.line(), "width": 1}, "layer": "below"}


def floors(asked: Asked, searched: Walk, outcome: Outcome, setting: Setting, step: int, doc: str) -> Figure:
    """Draws the layers of the graph as floors, the highest at the top, and the walk up to a step."""
    points, star = _points(asked)
    graph, now = asked.structures.graph, searched.steps[step - 1]
    seen = [set[int]() for _layer in graph.layers]
    for earlier in searched.steps[:step]:
        seen[earlier.layer] |= set(earlier.compared)
    kept, data, shapes = set(searched.kept_after(step)), list[Part](), list[Part]()
    notes = []
    for layer, links in enumerate(graph.layers):
        at = _on_floor(points, layer)
        shapes.append(_frame(layer))
        x, y = _on_floor(np.array([[-1.08, 1.08]]), layer)[0].tolist()
        name = _("layer {n}", n=layer)
        notes.append(charts.note(x, y, name, 12, palette.quiet(), xanchor="left", yanchor="bottom"))
        steps = [x for x in searched.steps[:step] if x.layer == layer]
        data += [_lines(at, [x for x in steps if x is not now], palette.mute(), 0.6, 0.35)]
        data += [_lines(at, [x for x in steps if x is now], palette.ink(), 1.6, 0.9)]
        own = kept if layer == now.layer else set()
        ringed = frozenset(outcome.exact) if not layer else frozenset[int]()
        data += _dots(asked, at, sorted(links), seen[layer], own, ringed, setting, doc)
        if layer == now.layer:
            data.append(map_charts.marks(at[[now.node]], {"size": 17, "symbol": "circle-open", "color": palette.ink()}))
        data.append(map_charts.landmark(_on_floor(star[None], layer)[0], "", size=9 if layer else 14))
    data += _descents(points, searched.steps[:step])
    height = 300 + 100 * (len(graph.layers) - 1)
    wide = 1.08 * (1 + LEAN)
    figure = map_charts.plane(height, [part for part in data if len(part["x"])], {"range": [-wide, wide]})
    figure["layout"] |= {"shapes": shapes, "annotations": notes}
    return figure


def _lines(at: Floats, steps: Sequence[Step], colour: str, width: float, opacity: float) -> Part:
    """Lines from the visited nodes to the neighbours that were compared."""
    xs, ys = list[float | None](), list[float | None]()
    for step in steps:
        for other in step.compared:
            if other != step.node:
                xs += [at[step.node, 0], at[other, 0], None]
                ys += [at[step.node, 1], at[other, 1], None]
    return charts.trace("scatter", xs, ys, mode="lines", line={"color": colour, "width": width}, opacity=opacity)


def _descents(points: Floats, steps: Sequence[Step]) -> list[Part]:
    """Dotted lines where the walk goes down to the next layer."""
    data = []
    for before, after in zip(steps, steps[1:], strict=False):
        if after.layer < before.layer:
            upper = _on_floor(points[[after.node]], before.layer)[0]
            lower = _on_floor(points[[after.node]], after.layer)[0]
            line: Part = {"mode": "lines", "line": {"color": palette.ink(), "width": 1.5, "dash": "dot"}}
            data.append(charts.trace("scatter", [upper[0], lower[0]], [upper[1], lower[1]], **line))
    return data


def _dots(
    asked: Asked,
    at: Floats,
    nodes: Sequence[int],
    compared: Collection[int],
    kept: Collection[int],
    ringed: Collection[int],
    setting: Setting,
    doc: str,
) -> list[Part]:
    """The nodes of a floor: those never met first, then those compared, then those kept."""
    allowed, documents = asked.filtered(setting.how), asked.structures.documents
    colour, data = palette.named("vector"), list[Part]()
    groups: list[tuple[str, str, float, float, Callable[[int], bool]]] = [
        (_("not met"), palette.mute(), 5, 0.35, lambda x: x not in compared),
        (_("compared"), colour, 7, 0.5, lambda x: x in compared and x not in kept),
        (_("kept so far"), colour, 10, 1, lambda x: x in kept),
    ]
    for name, paint, size, opacity, belongs in groups:
        some = [node for node in nodes if belongs(node)]
        if not some:
            continue
        passing = [allowed is None or node in allowed for node in some]
        edge = {
            "width": [2 if node in ringed else 0 if fits else 1 for node, fits in zip(some, passing, strict=True)],
            "color": [palette.ink() if node in ringed else paint for node in some],
        }
        marker: Part = {
            "size": [size + 4 * (documents[node].id == doc) for node in some],
            "color": paint,
            "opacity": [1.0 if node in ringed else opacity for node in some],
            "symbol": ["circle" if fits else "circle-open" for fits in passing],
            "line": edge,
        }
        hover = [f"{charts.hovered(documents[node].label, 40)}<br>{name}" for node in some]
        look: Part = {"hovertext": hover, "customdata": [documents[node].id for node in some], **charts.UNDIMMED}
        data.append(map_charts.marks(at[some], marker, "%{hovertext}", **look))
    return data


def map_of_cells(asked: Asked, searched: Probe, outcome: Outcome, setting: Setting, step: int, doc: str) -> Figure:
    """Draws the map with the cells searched so far; lines lead from the centre of the current one to its passages."""
    points, star = _points(asked)
    cells, now = searched.cells, searched.visited[step - 1]
    compared = searched.compared(step)
    middles = np.array([points[list(members)].mean(axis=0) for members in cells.members])
    xs, ys = list[float | None](), list[float | None]()
    for node in cells.members[now]:
        xs += [middles[now, 0], points[node, 0], None]
        ys += [middles[now, 1], points[node, 1], None]
    lines = charts.trace("scatter", xs, ys, mode="lines", line={"color": palette.ink(), "width": 1}, opacity=0.6)
    kept = set(kept_so_far(searched, step)[:K])
    dots = _dots(asked, points, range(len(points)), compared, kept, set(outcome.exact), setting, doc)
    searched_cells = searched.visited[:step]
    shades = [palette.ink() if cell in searched_cells else palette.mute() for cell in range(len(cells))]
    marker: Part = {"symbol": "diamond", "size": 9, "color": shades}
    marker["opacity"] = [0.9 if cell in searched_cells else 0.35 for cell in range(len(cells))]
    hover = [_("cell of {n}", n=len(members)) for members in cells.members]
    centres = map_charts.marks(middles, marker, "%{hovertext}", hovertext=hover, **charts.UNDIMMED)
    return map_charts.plane(380, [lines, *dots, centres, map_charts.landmark(star, "", size=14)])


def legend(kind: str, *, filtered: bool) -> str:
    """What the marks of the picture mean."""
    colour, ink, mute = palette.named("vector"), palette.ink(), palette.mute()
    parts = [(colour, "●", 1.0, _("kept so far")), (colour, "●", 0.5, _("compared")), (mute, "●", 0.5, _("not met"))]
    parts += [(ink, "◯", 1.0, _("ring: exact first {n}", n=K)), (ink, "★", 1.0, _("query"))]
    if kind == "cells":
        parts.append((ink, "◆", 1.0, _("middle of a cell")))
    if filtered:
        parts.append((mute, "○", 1.0, _("hollow: does not pass the filter")))
    spans = [f'<span style="color:{c};opacity:{o}">{mark}</span> {escape.safe(text)}' for c, mark, o, text in parts]
    return f'<div style="font-size:0.85rem">{" · ".join(spans)}</div>'


# ------------------------------------------------------------------------------------------------- one step in words


def kept_so_far(searched: Walk | Probe, step: int) -> tuple[int, ...]:
    """Returns the nodes kept after a step, counted from 1, nearest first."""
    if isinstance(searched, Walk):
        return searched.kept_after(step)
    compared = searched.compared(step)
    return tuple(node for node in searched.kept if node in compared)


def in_words(asked: Asked, searched: Walk | Probe, setting: Setting, step: int) -> None:
    head, lines = (
        _walk_words(asked, searched, step) if isinstance(searched, Walk) else _cell_words(asked, searched, step)
    )
    st.markdown(head)
    st.markdown("\n".join(f"- {line}" for line in lines))


def _walk_words(asked: Asked, walk: Walk, step: int) -> tuple[str, list[str]]:
    now, graph, documents = walk.steps[step - 1], asked.structures.graph, asked.structures.documents
    place = {"step": step, "steps": len(walk.steps), "layer": now.layer}
    head = _(
        "**Step {step} of {steps}, layer {layer}:** “{title}”",
        title=escape.plain(documents[now.node].label, 60),
        **place,
    )
    if now.node in now.compared:
        lines = [
            _("The walk begins at the entry of the graph.")
            if step == 1
            else _("The walk goes down one layer, with the nearest passage of the layer above.")
        ]
    else:
        numbers = {"n": len(now.compared), "m": len(graph.layers[now.layer][now.node])}
        lines = [_("Neighbours: {m}; compared for the first time on this layer: {n}", **numbers)]
    ef = walk.ef if not now.layer else 1
    changes = {"n": len(walk.kept_after(step)), "ef": ef, "new": len(now.entered), "gone": len(now.left)}
    lines.append(_("Kept: {n} of at most {ef}; new: {new}, dropped: {gone}", **changes))
    waiting = walk.waiting_after(step)
    if waiting:
        nearest = {"n": len(waiting), "distance": f"{walk.distances[waiting[0]]:.4f}"}
        lines.append(_("Waiting to be visited: {n}, the nearest at distance {distance}", **nearest))
    else:
        lines.append(_("Waiting to be visited: none"))
    if step == len(walk.steps):
        lines.append(_ending(walk))
    return head, lines


def _ending(walk: Walk) -> str:
    if walk.stop is None:
        return _("**The walk ends:** no passage is waiting.")
    numbers = {"far": f"{walk.distances[walk.stop]:.4f}", "last": f"{walk.distances[walk.kept[-1]]:.4f}"}
    return _(
        "**The walk ends:** all {ef} kept are at most {last} away, and the nearest that waits is {far} away.",
        ef=walk.ef,
        **numbers,
    )


def _cell_words(asked: Asked, searched: Probe, step: int) -> tuple[str, list[str]]:
    cell = searched.visited[step - 1]
    before, after = searched.compared(step - 1), searched.compared(step)
    place = {"step": step, "steps": len(searched.visited), "cells": len(searched.cells)}
    head = _("**Cell {step} of {steps} searched, of {cells} in all**", **place)
    lines = [_("Distance of its centre: {distance}", distance=f"{asked.to_centres[cell]:.4f}")]
    numbers = {"n": len(after) - len(before), "m": len(searched.cells.members[cell])}
    lines.append(_("Passages in it: {m}; compared: {n}", **numbers))
    first = kept_so_far(searched, step)[:K]
    lines.append(_("Of the nearest {k} so far, from this cell: {n}", k=len(first), n=len(set(first) - set(before))))
    return head, lines


def kept_table(asked: Asked, searched: Walk | Probe, step: int) -> None:
    """The nearest ten that are kept after a step."""
    small = partial(st.column_config.Column, width="small")
    columns = {"rank": small(_("Rank")), "distance": small(_("Distance")), "title": _("Passage")}
    rows = [
        {"rank": rank, "distance": f"{asked.distances[node]:.4f}", "title": asked.structures.documents[node].label}
        for rank, node in enumerate(kept_so_far(searched, step)[:K], 1)
    ]
    title = _("Nearest passages kept after step {n}", n=step)
    tables.draw(title, rows, key="vector_store.walk.kept", columns=columns)


# ------------------------------------------------------------------------------------------------- what comes of it


def summary(asked: Asked, searched: Walk | Probe, outcome: Outcome, setting: Setting) -> str:
    """What the whole search compares and finds."""
    compared, total = len(searched.compared()), len(asked.structures)
    numbers = {"n": compared, "total": total, "share": f"{100 * compared / total:.0f}"}
    if isinstance(searched, Walk):
        text = _("**ef {ef}:** passages compared: {n} of {total} ({share}%)", ef=setting.breadth, **numbers)
    else:
        numbers["centres"] = len(searched.cells)
        text = _(
            "**nprobe {nprobe}:** passages compared: {n} of {total} ({share}%), and centres: {centres}",
            nprobe=setting.breadth,
            **numbers,
        )
    if not outcome.exact:
        return text + " · " + _("no passage passes the filter")
    text += " · " + _("found {n} of the exact first {m}", n=outcome.hits, m=len(outcome.exact))
    if setting.how == "after":
        cut = {"k": min(K, len(searched.kept)), "n": len(outcome.found)}
        text += " · " + _("passing the filter, of the nearest {k}: {n}", **cut)
    return text


def losses(asked: Asked, outcome: Outcome, setting: Setting) -> list[str]:
    """Names every passage of the exact first ten that the search loses, and what loses it."""
    never = set[int]()
    if setting.kind == "graph" and outcome.losses:
        never = set(range(len(asked.structures))) - set(asked.walk(max(len(asked.structures), 1)).kept)
    return [_loss(asked, loss, setting, unreachable=loss.node in never) for loss in outcome.losses]


def _loss(asked: Asked, loss: Loss, setting: Setting, *, unreachable: bool) -> str:
    title = escape.plain(asked.structures.documents[loss.node].label, 60)
    if loss.cut:
        numbers = {"rank": loss.rank, "without": loss.cut}
        what = _("lost by the filter after the cut (exact rank {rank}, without the filter {without})", **numbers)
        return _("“{title}”: {reason}", title=title, reason=what)
    what = lost_words("HNSW" if setting.kind == "graph" else "IVF_FLAT", loss.rank)
    if unreachable:
        what += " · " + _("no ef finds it: no link leads there")
    return _("“{title}”: {reason}", title=title, reason=what)


# ------------------------------------------------------------------------------------------------------ the curve


def _curve(
    page: Page, asked: Asked, setting: Setting, searched: Walk | Probe, outcome: Outcome, where: str, seed: int
) -> None:
    """Recall against the share of passages compared, over the questions of the corpus, and for this one."""
    index, corpus = asked.structures, page.frame.corpus
    texts = [query.text for query in page.frame.collection.queries] or questions.offered(page.frame)
    texts = [text for text in texts if text.strip()][:MEASURED]
    where = "" if setting.how == "none" else where

    def curves(progress: Progress | None) -> tuple[int, dict[str, tuple[Point, ...]]]:
        cases = [case for text in texts if (case := index.ask(text, where))]
        return len(cases), {kind: curve(cases, kind, setting.how, progress=progress) for kind in KINDS}

    about = "structures", "curve", index.search, seed, setting.how, where, tuple(texts)
    measured = work(page.key("watch.curve"), _("Measuring …"), lambda x: corpus.awaited(about, curves, x), about=about)
    if measured is None or not any(measured[1].values()):
        return
    n, lines = measured
    st.markdown(_("**What a wider search costs, and what it finds**"))
    charts.draw(curve_of(lines, setting, asked, searched, outcome), "vector_store.walk.curve")
    st.caption(
        _(
            "Means over questions of this corpus ({n}): the share of the exact first {k} that is found, and the share "
            "of the passages that is compared. Filled dot: the breadth chosen here. Diamond: this question.",
            n=n,
            k=K,
        )
    )


def readable(xs: Sequence[float], labels: Sequence[str]) -> list[int]:
    """Returns which labels of a line from left to right are shown: each that would not lie on the one before."""
    shown, end = list[int](), -math.inf
    for i, (x, label) in enumerate(zip(xs, labels, strict=True)):
        half = len(label) * LETTER / 2
        if x - half > end:
            shown.append(i)
            end = x + half
    return shown


def curve_of(
    lines: Mapping[str, Sequence[Point]], setting: Setting, asked: Asked, searched: Walk | Probe, outcome: Outcome
) -> Figure:
    """Draws recall against the share compared: a line for the graph and one for the cells."""
    data, notes = list[Part](), list[Part]()
    colours = {"graph": palette.named("vector"), "cells": palette.named("tfidf")}
    names = {"graph": _("graph"), "cells": _("cells")}
    for kind, points in lines.items():
        colour, chosen = colours[kind], kind == setting.kind
        xs, ys = [100 * point.share for point in points], [point.recall for point in points]
        name = "ef" if kind == "graph" else "nprobe"
        hover = [f"{names[kind]} · {name} {p.breadth} · {p.recall:.3f} · {100 * p.share:.0f}%" for p in points]
        fill = [colour if chosen and p.breadth == setting.breadth else palette.paper() for p in points]
        marker: Part = {"size": 9, "color": fill, "line": {"color": colour, "width": 2}}
        look: Part = {"line": {"color": colour, "width": 2.5 if chosen else 1.5}, "marker": marker}
        data.append(charts.trace("scatter", xs, ys, "%{hovertext}", mode="lines+markers", hovertext=hover, **look))
        side = {"yshift": 12 if kind == "graph" else -12}
        labels = [str(point.breadth) for point in points]
        labels[:1] = [f"{name} {label}" for label in labels[:1]]
        notes += [charts.note(xs[i], ys[i], labels[i], 12, colour, **side) for i in readable(xs, labels)]
    if outcome.recall is not None:
        share = 100 * len(searched.compared()) / len(asked.structures)
        here: Part = {"symbol": "diamond", "size": 11, "color": palette.ink()}
        text = _("this question: {recall}, {share}%", recall=f"{outcome.recall:.2f}", share=f"{share:.0f}")
        data.append(charts.trace("scatter", [share], [outcome.recall], text, mode="markers", marker=here))
    lowest = min([0.9, *(p.recall for points in lines.values() for p in points), outcome.recall or 0.0])
    font, grid = charts.font(12), {"showgrid": True, "gridcolor": palette.line()}
    across: Part = {"title": {"text": _("passages compared, %"), "font": font}, "range": [-3, 106], **grid}
    up: Part = {"title": {"text": _("recall@10"), "font": font}, "range": [max(lowest - 0.12, -0.08), 1.08], **grid}
    return charts.figure(260, data, {"l": 50, "r": 12, "t": 12, "b": 42}, x=across, y=up, annotations=notes)
