"""Fusion: two or more lists into one, and the exact settings at which the order tips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import streamlit as st

from lab import catalog
from lab.algebra import DEPTH
from lab.explain.tied import tie_count, tie_note
from lab.explain.tipping import Axis, Constant, Step, Tipping, Weight
from lab.formula import total
from lab.fuse import RRF, Additive, ShareSum, WeightedSum
from lab.text.naming import shorten
from lab.ui import address, escape, palette
from lab.ui.figures import charts, rank_charts
from lab.ui.i18n import _, _n, say
from lab.ui.layout.page import Page
from lab.ui.lists import show, sources, sums, whereabouts
from lab.ui.study import measuring

p = Page(
    "fusion", _("Fusion"), _("Several lists disagree. Which one decides, and at which setting does the order change?")
)
f = p.frame
p.lessons()
query = p.query(operators=True)

row = p.row([3.9, 1.7, 1.7, 1.3, 1.85, 1.0, 1.45])
with row[0]:
    chosen = sources.choose(p, help=_("Two or more lists, in the order of their weights."))
with row[1]:
    kind = p.technique("method", _("Method"), [*catalog.fusions().values()], RRF)
names = [s.name for s in chosen]
key = address.keep(p.key("weight"), 0.5, address.number(0, 1, whole=False))
with row[2]:
    weight = st.slider(
        _("Weight of {list}", list=names[0] if names else "–"),
        0.0,
        1.0,
        step=0.005,
        key=key,
        help=_("The other lists share the rest."),
        disabled=len(chosen) < 2 or not issubclass(kind, ShareSum),
    )
names_of_knobs = [f.name for f in fields(kind) if f.name != "weights"]
start = p.knobs(kind(), names_of_knobs[0], into=row[3:4]) if names_of_knobs else kind()
along = "weight"
if issubclass(kind, RRF):
    with row[4]:
        along = p.choose(
            "along",
            _("Axis above the list"),
            ("weight", "k"),
            "weight",
            format_func={"weight": _("weight"), "k": "k"}.__getitem__,
        )
depth = p.number("k", _("Show"), 1, 50, 8, _("Results shown; each list always returns {n}.", n=DEPTH), into=row[5])


def presets() -> None:
    """Weights that people use, each with its way to fuse."""
    st.caption(_("Published weights"))
    for text, value, how in (
        (_("Equal, 0.5 / 0.5"), 0.5, None),
        (_("RAGFlow up to 0.26: words 0.05, vectors 0.95"), 0.05, WeightedSum.key),
        (_("Words 0.7, vectors 0.3, min–max"), 0.7, WeightedSum.key),
    ):

        def preset(value: float = value, how: str | None = how) -> None:
            address.put(p.key("weight"), value)
            if how:
                address.put(p.key("method"), how)

        st.button(text, on_click=preset, key=p.key(f"preset.{text}"), width="stretch")


folded = row[6].popover(_("More"), icon=":material/tune:", width="stretch", key=p.key("presets"), on_change="rerun")
with folded:
    if names_of_knobs[1:]:
        start = p.knobs(start, *names_of_knobs[1:])
    if folded.open:
        presets()

if len(chosen) < 2:
    p.stop(_("Choose at least two lists to fuse."), ":material/merge:")

rest = round((1 - weight) / (len(chosen) - 1), 12)  # 1 - 0.8 is 0.19999999999999996, which breaks ties otherwise
weights = (weight, *([rest] * (len(chosen) - 1)))
fusion = start.weighted(weights) if isinstance(start, ShareSum) else start
search = fusion(*(s.retriever for s in chosen))
fused = p.run({"": search}, query, k=len(chosen) * search.asks)[""]
rankings = fused.parents
relevant = show.relevance(f, query)
p.tries({"": search}, {"": fused}, query, relevant)
colour = palette.family(fusion)
fused_name = _("Fused") + " · " + say(fusion.label)
parents = [sources.panel(p, s, ranking, query) for s, ranking in zip(chosen, rankings, strict=True)]
merged = sources.fused_panel(fused_name, fused, parents, colour)
# Two lists are drawn on either side of the fused list, the first on the right, because the right end of the axis
# gives it all the weight.  With more lists, the fused list comes last.
panels = [parents[1], merged, parents[0]] if len(parents) == 2 else [*parents, merged]
doc = show.selected([merged, *parents], relevant, depth)


def move(to: tuple[float, str] | None, along: str) -> None:
    """Move the knob to where a line or a ring was clicked, and select the line's document: once per click."""
    if not to or st.session_state.get("_fusion_moved") == to:
        return
    st.session_state["_fusion_moved"] = to
    value, doc = to
    if along == "weight":
        address.put(p.key("weight"), min(1.0, max(0.0, round(value / 0.005) * 0.005)))
    else:
        address.put(p.key("rrf.k"), round(value))
    if doc:
        address.put("doc", doc)
    st.rerun()


def explain(doc: str) -> None:
    """Draws the selected document: its score components, the formula with its numbers, and its text."""
    document = f.corpus.get(doc)
    assert document is not None
    title, rank = escape.plain(document.label, 60), fused.rank(doc)
    explanation = _("Why “{title}” is at rank {rank}", title=title, rank=rank)
    st.subheader(explanation if rank else _("no list contains “{title}”", title=title), anchor=False)
    left, right = st.columns([1.45, 1], gap="large")
    with left:
        hit = fused.hit(doc)
        if hit:
            sums.bar(merged, hit)
        if hit and isinstance(fusion, Additive):
            parts = zip(names, fusion.explain(rankings, doc), strict=True)
            st.latex(total([(name, fusion.formula(part)) for name, part in parts if part.rank]))
        if isinstance(fusion, Additive):
            if note := tie_note(fused, doc):
                st.caption(say(note))
        else:
            st.caption(say(fusion.about))
    with right:
        show.passage("fusion", document, parents[0].mark)


LIMIT = 4  # changes of the first place that are listed beside the strip


def winners(tips: Tipping) -> None:
    """Which document comes first from where on, in words."""
    stretches = tips.winners
    if len(stretches) < 2:
        st.caption(_("The same document is first everywhere on this axis."))
        return
    lines = [
        _("from {value}: “{title}”", value=f"{x.low:.3f}", title=escape.plain(x.document.label, 34))
        for x in stretches[1:]
    ]
    more = [_("and {n} more", n=len(lines) - LIMIT)] if len(lines) > LIMIT else []
    head = _n("The first rank changes {n} time", "The first rank changes {n} times", len(lines))
    st.markdown(f"**{head}**")
    st.caption("  \n".join([*lines[:LIMIT], *more]))


def gain(tips: Tipping, steps: Sequence[Step]) -> None:
    """Draws the quality for this question at the current value, and the best on the axis."""
    now = next((step.value for step in steps if step.low <= tips.current <= step.high), steps[-1].value)
    best = max(steps, key=lambda step: step.value)
    st.markdown(_("**nDCG@10 along the axis**"))
    current_label = _("{value} here", value=f"{now:.2f}")
    there = _(
        "best {value}, from {low} to {high}", value=f"{best.value:.2f}", low=f"{best.low:.2f}", high=f"{best.high:.2f}"
    )
    st.caption(f"{current_label} · {there}")


def strip(tips: Tipping, steps: Sequence[Step], ends: tuple[str, str]) -> Any:
    """The axis of the knob above the fused list, of the same width, with words beside it."""
    with st.container(key="strip-fusion"):
        places = st.columns(len(panels), vertical_alignment="center")
        at = panels.index(merged)
        other_places = [place for i, place in enumerate(places) if i != at]
        with other_places[0]:
            winners(tips)
            if count := tie_count(fused):
                st.caption(say(count))
        if steps:
            with other_places[-1]:
                gain(tips, steps)
        with places[at]:
            drawn = rank_charts.strip(tips, f.corpus, left=ends[0], right=ends[1], selected=doc)
            return charts.clickable(drawn, "fusion.strip")


def every_tip(tips: Tipping, steps: Sequence[Step], ends: tuple[str, str], *, log: bool) -> None:
    """All places on the axis at which two documents change places, and the quality along it."""
    st.caption(
        _(
            "The fused scores of all documents that are among the first five anywhere on this axis. A ring marks "
            "the exact value at which two documents swap ranks; click a line or a ring to set the parameter to "
            "it."
        )
    )
    drawn = rank_charts.tipping(tips, f.corpus, left=ends[0], right=ends[1], selected=doc)
    move(charts.clicked_at(charts.clickable(drawn, "fusion.tips")), along)
    if not steps:
        return
    series, colours = {_("this query"): steps}, [palette.ink(), palette.mute()]
    if p.switch(
        "all",
        _("nDCG@10 of all queries, too"),
        False,
        _("Searches every judged query of the corpus once: a few seconds."),
    ):
        series[_("all queries ({n})", n=len(f.collection.judged))] = measuring.along(p, search, axis) or steps
    charts.draw(rank_charts.staircases(series, tips.current, colours, label="nDCG@10", log=log), "fusion.quality")


tips: Tipping | None = None
if len(fused) and isinstance(fusion, ShareSum):
    axis: Axis = Weight(0) if along == "weight" else Constant()
    tips = measuring.tips(p, fused, search, axis)
    steps = measuring.along_one(p, fused, search, axis, relevant) if relevant else ()
    short = shorten(names, 16)
    ends = (
        (_("◂ all {list}", list=short[1]) if len(short) == 2 else _("◂ all others"), _("all {list} ▸", list=short[0]))
        if along == "weight"
        else (_("◂ ranks decide"), _("being in both lists decides ▸"))
    )
    move(charts.clicked_at(strip(tips, steps, ends)), along)

with p.stage():
    show.lists("fusion", panels, f, depth=depth, chosen=doc, relevant=relevant, moves=False, lead=panels.index(merged))

    if doc:
        with st.container(border=True):
            explain(doc)
whereabouts.field(p, p.applied({fused_name: search}), query, depth)
if tips is not None:
    with p.fold("every", _("All tipping points"), ":material/timeline:") as seen:
        if seen:
            every_tip(tips, steps, ends, log=along == "k")
rankings_by_name = dict(zip([fused_name, *names], [fused, *rankings], strict=True))
p.end({fused_name: search}, rankings_by_name, [*zip(names, rankings, strict=True), (fused_name, fused)])
