"""Quality against bytes as a picture, one vector beside its code, and the results that a code loses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np
import streamlit as st

from lab.algebra import Document, Progress, Query, Ranking, Retriever
from lab.corpus.beir import Collection
from lab.evaluate.runs import Run
from lab.retrieve.vector import Vector
from lab.ui import address, escape, palette
from lab.ui.figures import charts
from lab.ui.figures.charts import Figure, Part
from lab.ui.i18n import _, listed, say
from lab.ui.layout import questions, tables
from lab.ui.layout.frame import Frame
from lab.ui.layout.page import Page
from lab.ui.lists import show, sources, why
from lab.ui.work import work
from lab_packs.inside.codes import CENTRES, Product
from lab_packs.inside.compressed import KINDS, Compressed, CompressedIndex, divisors
from lab_packs.inside.compression import MEASURE, RECALL, Loss, Quality, exact_lists, quality_of

FEW = 300
"""Questions that are measured at most, evenly spread."""
ASIDE = {"hamming": -0.16, "binary": 0.0, "pq": 0.16, "first": 0.08, "int8": -0.08}
"""By how much a dot is moved sideways, so that those of equal bytes do not hide each other."""
CODED = 12
"""Numbers of a code that are shown."""
HIGH, WIDE = 186, 460
"""Pixels of the picture: its height, and about how wide its axis is."""
Figures = Mapping[Compressed | Vector, Quality]


def sizes(name: str, dimensions: int) -> list[int]:
    """Returns what can be chosen: for ``n`` eighths of the dimensions, for ``bytes`` what divides them."""
    if name == "bytes":
        return list(divisors(dimensions)) or [1]
    return sorted({max(1, dimensions * i // 8) for i in range(1, 9)} | {max(1, dimensions // 16)})


def size(page: Page, name: str, dimensions: int, into: Any) -> int:
    """Draws the choice of a number that the model's dimensions allow, and returns it."""
    options, usual = sizes(name, dimensions), {"n": 64, "bytes": 32}[name]
    start = min(options, key=lambda n: (abs(n - usual), n))

    def read(raw: str) -> int:
        number = int(raw)
        if number not in options:
            raise ValueError(raw)
        return number

    key = address.keep(page.key(f"compressed.{name}"), start, read)
    if name == "n":
        label = _("First n: dimensions")
        help_text = _("How many dimensions are kept, of {d}.", d=dimensions)
    else:
        label = _("Product quantisation: bytes")
        help_text = _("Number of parts of a vector, one byte each. It divides the dimensions ({d}).", d=dimensions)
    return int(into.select_slider(label, options, key=key, help=help_text))


def called(own: Compressed) -> tuple[str, str]:
    """Returns the names of the list by the code and of the rescored one."""
    return say(KINDS[own.kind]), _("first {n} rescored", n=own.rescore)


def panels(
    page: Page, searches: Mapping[str, Retriever], rankings: Mapping[str, Ranking], query: Query, k: int
) -> list[show.Panel]:
    """Returns the exact list, the list by the code and the rescored one, each with its bytes and what it found."""
    found, names = list[show.Panel](), list(searches)
    exact = rankings[names[0]]
    colours = [palette.ink(), palette.named("vector"), palette.shade(palette.named("vector"), 1)]
    for (name, search), colour in zip(searches.items(), colours, strict=False):
        panel = sources.panel(page, sources.Source(search.key, search, name, colour), rankings[name], query)
        own = cast(CompressedIndex, page.runner.index(search))
        if isinstance(search, Vector):
            below, lost = _("Bytes per passage: {bytes}", bytes=f"{4 * own.encoder.dimensions:,}"), list[show.Lost]()
        else:
            first = set(exact.ids[:k])
            numbers = {"n": len(first & set(rankings[name].ids[:k])), "m": len(first)}
            below = _("Bytes per passage: {bytes}", bytes=f"{own.sizes.bytes:,}")
            below += " · " + _("{n} of the exact first {m}", **numbers) if first else ""
            lost = _unreached(own, exact, rankings[name], query, k) if own.operator.rescore else []
        found.append(show.Panel(panel.ranking, name, colour, panel.mark, empty=panel.empty, below=below, lost=lost))
    return found


def _unreached(own: CompressedIndex, exact: Ranking, ranking: Ranking, query: Query, k: int) -> list[show.Lost]:
    """The documents of the exact list on the page that are not among the rescored, best first."""
    hits = [(rank, hit) for rank, hit in enumerate(exact.hits[:k], 1) if ranking.rank(hit.document.id) is None]
    return [show.Lost(rank, hit, say(own.missing(query, hit.document))) for rank, hit in hits]


# --------------------------------------------------------------------------------------------- all questions


def questions_of(f: Frame, query: Query) -> tuple[list[Query], bool]:
    """Returns the questions that are measured, and whether they are judged; without any, the one that is asked."""
    judged = [q for q in f.collection.queries if any(g > 0 for g in f.collection.qrels.get(q.id, {}).values())]
    texts = [] if judged else questions.offered(f) or [query.text]
    asked = judged or [Query(text, id=str(i)) for i, text in enumerate(texts) if text.strip()]
    some = asked if len(asked) <= FEW else [asked[i * len(asked) // FEW] for i in range(FEW)]
    return some, bool(judged)


def variants(own: Compressed) -> list[Compressed]:
    """Returns every kind as it is set, without and with rescoring."""
    least = own.rescore or Compressed(rescore=20).rescore
    kinds = [Compressed(own.embedder, kind=kind, n=own.n, bytes=own.bytes, seed=own.seed) for kind in KINDS]
    return [
        x
        for one in kinds
        for x in (one, Compressed(one.embedder, kind=one.kind, n=one.n, bytes=one.bytes, rescore=least, seed=one.seed))
    ]


def measured(page: Page, own: Compressed, exact: Vector, asked: Sequence[Query]) -> Figures | None:
    """Returns the quality of every kind; None if the visitor has stopped it.  Each is measured once and kept."""
    collection = page.frame.collection
    corpus, about = collection.corpus, (collection.fingerprint, tuple((q.id, q.text) for q in asked))

    def make(progress: Progress) -> Figures:
        def lists(progress: Progress | None) -> Run:
            return exact_lists(corpus, exact, asked, progress=progress)

        truth = corpus.awaited(("compression", exact, about), lists, progress)
        searches: list[Compressed | Vector] = [exact, *variants(own)]
        found = dict[Compressed | Vector, Quality]()
        for search in searches:
            key = "compression", "quality", _needed(search), about
            found[search] = corpus.awaited(key, partial(_quality, search, collection, asked, truth), progress)
        return found

    return work(page.key("measure"), _("Measuring every kind …"), make, about=(about, own))


def _quality(
    search: Compressed | Vector, own: Collection, asked: Sequence[Query], truth: Run, progress: Progress | None
) -> Quality:
    return quality_of(search, own.corpus, asked, own.qrels, truth, progress=progress)


def _needed(search: Compressed | Vector) -> tuple[Any, ...]:
    """What the quality of a search depends on: a parameter of another kind changes nothing."""
    if isinstance(search, Vector):
        return (search,)
    own = {"first": (search.n,), "pq": (search.bytes, search.seed), "int8": ()}.get(search.kind, (search.seed,))
    return search.embedder, search.kind, search.rescore, own


def pictured(page: Page, measures: Sequence[str]) -> str:
    """Draws the choice of the measure, which the picture names, if there are two, and returns it."""
    if len(measures) == 1:
        st.markdown(f"**{measures[0]}**")
        return measures[0]
    return page.choose("measure", _("Measure"), measures, measures[0], label_visibility="collapsed")


def cost(figures: Figures, measure: str, own: Compressed) -> Figure:
    """Quality against bytes: a dot for each kind, an arrow to its rescored dot, and the full vectors as a line."""
    chosen, mute = palette.named("vector"), palette.mute()
    whole = next(q for s, q in figures.items() if isinstance(s, Vector))
    by_kind: dict[str, dict[bool, Quality]] = {}
    for search, quality in figures.items():
        if isinstance(search, Compressed):
            by_kind.setdefault(search.kind, {})[search.rescore > 0] = quality
    data, notes = list[Part](), list[Part]()
    level = whole.value(measure) or 0.0
    reach = [math.log2(q.bytes) for q in figures.values() if q.bytes] or [0.0]
    low, high = min(reach) - 2.6, max(reach) + 0.9  # room for a name at the left
    line: Part = {"mode": "lines", "line": {"color": palette.ink(), "width": 1, "dash": "dot"}}
    data.append(charts.trace("scatter", [low, high], [level, level], **line))
    dots_at = [(_place(q.bytes, kind), q.value(measure) or 0.0) for kind, two in by_kind.items() for q in two.values()]
    values = [level, *(y for _x, y in dots_at)]
    scale = WIDE / (high - low), 0.6 * HIGH / ((max(values) - min(values)) or 1.0)
    for rescored in (False, True):
        kinds = list(by_kind)
        colours = [chosen if kind == own.kind else mute for kind in kinds]
        xs = [_place(by_kind[kind][rescored].bytes, kind) for kind in kinds]
        ys = [by_kind[kind][rescored].value(measure) or 0.0 for kind in kinds]
        hover = [_hover(by_kind[kind][rescored], measure) for kind in kinds]
        fill = [palette.paper()] * len(kinds) if rescored else colours
        marker: Part = {"size": 12, "color": fill, "line": {"color": colours, "width": 2.5}, "opacity": 1}
        dots: Part = {"mode": "markers", "marker": marker, "hovertext": hover, "customdata": kinds, **charts.UNDIMMED}
        data.append(charts.trace("scatter", xs, ys, "%{hovertext}", cliponaxis=False, **dots))
        for kind, x, y, colour in zip(kinds, xs, ys, colours, strict=True):
            if not rescored:
                text = _short(kind, own)
                text = f"<b>{text}</b>" if kind == own.kind else text
                left = names_left((x, y), len(_short(kind, own)), dots_at, scale)
                side: Part = {"xanchor": "right" if left else "left", "xshift": -10 if left else 10}
                side["yshift"] = -12 if abs(y - level) < 0.01 else 0  # not on the line of the full vectors
                notes.append(charts.note(x, y, text, 12, palette.ink(), **side))
            elif abs(y - (start := by_kind[kind][False].value(measure) or 0.0)) > 1e-3:
                arrow: Part = {"x": x, "y": y, "ax": x, "ay": start, "xref": "x", "yref": "y", "axref": "x"}
                arrow |= {"ayref": "y", "text": "", "showarrow": True, "arrowhead": 2, "arrowwidth": 1.5}
                notes.append(arrow | {"arrowcolor": colour, "standoff": 7, "startstandoff": 7})
    star: Part = {"mode": "markers", "marker": {"size": 13, "color": palette.ink(), "symbol": "square"}}
    spot = [math.log2(max(whole.bytes, 1))]
    data.append(charts.trace("scatter", spot, [level], "%{hovertext}", hovertext=[_hover(whole, measure)], **star))
    notes.append(charts.note(spot[0], level, _("full"), 12, palette.ink(), yshift=15))
    ticks = sorted({q.bytes for q in figures.values() if q.bytes})
    across: Part = {
        "range": [low, high],
        "tickvals": [math.log2(n) for n in ticks],
        "ticktext": [f"{n:,}" for n in ticks],
    }
    across |= {"title": {"text": _("bytes per passage"), "font": charts.font(12)}}
    up: Part = {"title": {"text": measure, "font": charts.font(12)}, "showgrid": True, "gridcolor": palette.line()}
    return charts.figure(HIGH, data, {"l": 54, "r": 14, "t": 18, "b": 34}, x=across, y=up, annotations=notes)


Spot = tuple[float, float]


def names_left(own: Spot, letters: int, dots: Sequence[Spot], scale: Spot) -> bool:
    """Whether a dot's name stands better at its left: other dots would lie on it at the right, and fewer at the left.

    ``scale``: pixels of one unit of each axis.
    """
    away = [((x - own[0]) * scale[0], (y - own[1]) * scale[1]) for x, y in dots if (x, y) != own]
    near = [across for across, up in away if abs(up) < 16]  # a name is 12 high, a dot 15
    reach = 18 + 7 * letters
    return sum(0 < across < reach for across in near) > sum(-reach < across < 0 for across in near)


def _short(kind: str, own: Compressed) -> str:
    """What a dot is called."""
    names = {"first": _("first {n}", n=own.n), "hamming": _("binary ×2"), "pq": f"PQ {own.bytes}"}
    return names.get(kind) or say(KINDS[kind])


def _place(size_: int, kind: str) -> float:
    return math.log2(max(size_, 1)) + ASIDE[kind]


def _hover(quality: Quality, measure: str) -> str:
    name = _("Full vectors") if isinstance(quality.search, Vector) else say(quality.search.label)
    size_ = _("Bytes per passage: {bytes}", bytes=f"{quality.bytes:,}")
    return "<br>".join([charts.hovered(name), size_, f"{measure} {quality.value(measure) or 0.0:.3f}"])


def basis(figures: Figures, measure: str, n: int, judged: bool, own: Compressed) -> str:
    """Returns how much of the measure the chosen kind keeps over so many questions, as it is and rescored."""
    first = _("Judged questions: {n}", n=n) if judged else _("Questions: {n}, none judged", n=n)
    plain_, rescored = variants(own)[2 * list(KINDS).index(own.kind) :][:2]
    before, after, full = (figures[x].value(measure) or 0.0 for x in (plain_, rescored, rescored.full))
    if not full:
        return first
    kept = _(
        "**{measure} kept: {before}%, and {after}% with the first {n} rescored** (arrow; needs the full vectors)",
        measure=measure,
        before=f"{100 * before / full:.0f}",
        after=f"{100 * after / full:.0f}",
        n=rescored.rescore,
    )
    return f"{kept} · {first}"


def table(figures: Figures, own: Compressed) -> None:
    """Every kind with both measures and the median time."""
    number = st.column_config.NumberColumn
    columns: dict[str, Any] = {"search": _("Search"), "bytes": _("Bytes per passage")}
    columns |= {"gain": number(MEASURE, format="%.3f"), "recall": number(RECALL, format="%.3f")}
    columns |= {"ms": number(_("ms, median"), format="%.2f")}
    rows = []
    for search, quality in figures.items():
        name = _("Full vectors") if isinstance(search, Vector) else say(search.label)
        values = {"gain": quality.gain, "recall": quality.recall, "ms": quality.ms}
        rows.append({"search": name, "bytes": quality.bytes, **values})
    tables.draw(_("Every kind in figures"), rows, key="compression.figures", columns=columns)
    st.caption(
        _("The codes are compared by numpy here: for a few hundred passages, these times do not predict a store's.")
    )


# ------------------------------------------------------------------------------------------------- one passage


def vector(page: Page, own: Compressed, query: Query, doc: str) -> None:
    """The vector of the selected document beside its code, and what that changes in the score."""
    document, index = page.frame.corpus.get(doc), cast(CompressedIndex, page.runner.index(own))
    seen = index.see(query, document) if document else None
    if document is None or seen is None:
        st.caption(_("Select a passage to see its vector and its code."))
        return
    code = escape.plain(_("Code: {code}", code=code_of(index, document)))
    st.markdown(f"**{escape.plain(document.label, 60)}** · :small[:gray[{code}]]")
    charts.draw(beside(index, query, document), "compression.vector.picture")


def beside(index: CompressedIndex, query: Query, document: Document) -> Figure:
    """Above, the numbers of a vector (grey) and what its code says (colour); below, what that changes in the score."""
    seen = index.see(query, document)
    assert seen is not None
    kind, d, colour = index.operator.kind, len(seen.vector), palette.named("vector")
    places, decoded = list(range(1, d + 1)), seen.decoded
    if kind in ("binary", "hamming"):
        decoded = decoded * float(np.abs(seen.vector).mean())
    change = seen.coded if kind == "hamming" else seen.coded - seen.exact
    wide = d
    if isinstance(index.coded.coder, Product):
        wide = len(index.coded.coder.centres)
    sums = change.reshape(wide, -1).sum(axis=1)
    middle = [(i + 0.5) * d / wide + 0.5 for i in range(wide)]
    grey: Part = {"marker": {"color": palette.mute(), "opacity": 0.35}, "width": 1.0}
    step: Part = {"mode": "lines", "line": {"color": colour, "width": 1.5, "shape": "hvh"}}
    data = [
        charts.trace("bar", places, seen.vector.round(4).tolist(), "%{x}: %{y:.3f}", **grey),
        charts.trace("scatter", places, decoded.round(4).tolist(), "%{x}: %{y:.3f}", **step),
    ]
    look: Part = {"color": [colour if x >= 0 else palette.ink() for x in sums.tolist()]}
    lower: Part = {"yaxis": "y2", "marker": look, "width": 0.9 * d / wide}
    data.append(charts.trace("bar", middle, sums.round(5).tolist(), "%{x:.0f}: %{y:+.4f}", **lower))
    if kind == "hamming":
        total = _("signs that agree with the question's: {n} of {d}", n=int((change > 0).sum()), d=d)
    else:
        total = _("change of the score: {sum} in all", sum=f"{float(change.sum()):+.3f}")
    above: Part = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    notes = [
        charts.note(0, 1, _("vector (grey) and its code (line)"), 12, palette.mute(), **above),
        charts.note(0, 0.36, total, 12, palette.mute(), **above),
    ]
    zero: Part = {"zeroline": True, "zerolinecolor": palette.line(), "tickfont": charts.font(12), "nticks": 4}
    x = {"range": [0, d + 1], "title": {"text": _("dimension"), "font": charts.font(12)}, "anchor": "y2"}
    y2 = {**zero, "nticks": 2, "domain": [0, 0.34], "fixedrange": True, "anchor": "x"}
    layout: Part = {"barmode": "overlay", "bargap": 0, "annotations": notes, "yaxis2": y2}
    return charts.figure(
        HIGH + 12, data, {"l": 50, "r": 8, "t": 24, "b": 34}, x=x, y={**zero, "domain": [0.48, 1]}, **layout
    )


def code_of(index: CompressedIndex, document: Document) -> str:
    """Returns the beginning of a code as it is stored: bits, whole numbers, or numbers of centres."""
    code = index.sizes.code(document)
    some = [int(x) if index.operator.kind != "first" else x for x in code[:CODED]]
    if index.operator.kind in ("binary", "hamming"):
        shown = [f"{x:08b}" for x in some[:4]]
    else:
        shown = [str(x) if isinstance(x, int) else f"{x:.3f}" for x in some]
    return " ".join(shown) + (" …" if len(code) > len(shown) else "")


# ----------------------------------------------------------------------------------------------------- losses


def whole(page: Page, own: Compressed, query: Query, ranking: Ranking) -> Ranking:
    """Returns the list as far down as it goes, where the corpus is not too large for that."""
    if not ranking.asked or len(page.frame.corpus) > why.DEEP:
        return ranking
    return page.runner(own, query, len(page.frame.corpus))


def lost(losses: Sequence[Loss], own: Compressed, k: int) -> None:
    """The results of the exact first ``k`` that are not among the first ``k`` by the code, and what moved them."""
    with st.container(border=True, key="compression-lost"):
        st.markdown(_("**Lost from the exact first {k}: {n}**", k=k, n=len(losses)))
        columns: dict[str, Any] = {
            "title": _("Passage"),
            "rank": _("Exact rank"),
            "coded": _("Rank by the code"),
            "cosine": _("Cosine"),
            "score": _("Score by the code"),
            "change": _("By rounding"),
        }
        rows = []
        for x in losses:
            change = "–" if x.score is None or own.kind == "hamming" else f"{x.score - x.cosine:+.3f}"
            figures = {"rank": x.rank, "coded": "–" if x.coded is None else str(x.coded), "cosine": f"{x.cosine:.3f}"}
            figures |= {"score": "–" if x.score is None else f"{x.score:.3f}", "change": change}
            rows.append({"title": x.document.label, **figures})
        tables.draw(_("Lost by the code"), rows, key="compression.losses", columns=columns)


def learned(index: Any) -> str:
    """Returns the sentences on the centres of k-means, how many passages share one, and what follows from that."""
    sizes, passages = index.sizes, len(index.corpus)
    numbers = {"centres": sizes.centres, "n": f"{sizes.learned:,}", "m": f"{passages / max(sizes.centres, 1):.0f}"}
    message = _(
        "Centres per part: {centres}. Passages they are learned from: {n}. Passages per centre: {m}.", **numbers
    )
    if sizes.centres < CENTRES:
        effect = _("Among few passages, k-means learns the corpus by heart: expect more loss on new ones.")
    else:
        effect = _("The more passages share a centre, the fewer of them a code tells apart: use more bytes or rescore.")
    return listed((message, effect), " ")
