"""Fusion: two or more lists into one, and the exact settings at which the order tips."""

from __future__ import annotations

from dataclasses import fields

import streamlit as st

from lab import catalog
from lab.algebra import DEPTH, Contribution
from lab.explain.tipping import Axis, Constant, Weight
from lab.formula import total
from lab.fuse import RRF, Additive, ShareSum, WeightedSum
from lab.ui import address, charts, escape, measuring, palette, show, sources
from lab.ui.i18n import _, say
from lab.ui.page import Page

p = Page("fusion", _("Fusion"), _("Several lists disagree. Which one decides, and where does the decision tip?"))
f = p.frame
p.lessons()
query = p.query()

row = st.columns([3.3, 2.2, 2.2, 1.6, 1.5, 2.2], vertical_alignment="bottom")
with row[0]:
    chosen = sources.choose(p, help=_("Two or more lists, in the order of their weights."))
with row[1]:
    kind = p.technique("method", _("Method"), [*catalog.fusions().values()], RRF)
names = [s.name for s in chosen]
key = p.key("weight")
address.keep(key, 0.5, address.number(0, 1, whole=False))
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
with row[3]:
    start = p.knobs(kind(), *(f.name for f in fields(kind) if f.name != "weights"))
with row[4]:
    depth = p.number(
        "k", _("Show"), 1, 50, 8, _("So many documents; each list is asked for {n}, whatever is shown.", n=DEPTH)
    )


def presets() -> None:
    """Weights that people use, each with its way to fuse."""
    st.caption(_("Weights that people use"))
    for text, value, how in (
        (_("Equal, 0.5 / 0.5"), 0.5, None),
        (_("RAGFlow: words 0.05, vectors 0.95"), 0.05, WeightedSum.key),
        (_("Words 0.7, vectors 0.3, min–max"), 0.7, WeightedSum.key),
    ):

        def preset(value: float = value, how: str | None = how) -> None:
            address.put(p.key("weight"), value)
            if how:
                address.put(p.key("method"), how)

        st.button(text, on_click=preset, key=p.key(f"preset.{text}"), width="stretch")


with row[5], st.popover(_("Presets"), width="stretch", key=p.key("presets"), on_change="rerun") as box:
    if box.open:
        presets()

if len(chosen) < 2:
    st.info(_("Choose at least two lists: there is nothing to fuse yet."), icon=":material/merge:")
    p.stop()

rest = (1 - weight) / (len(chosen) - 1)
weights = (weight, *([rest] * (len(chosen) - 1)))
fusion = start.weighted(weights) if isinstance(start, ShareSum) else start
search = fusion(*(s.retriever for s in chosen))
fused = p.run({"": search}, query, k=len(chosen) * search.asks)[""]
rankings = fused.parents
relevant = show.relevance(f, query)
colour = palette.family(fusion)


def paint(part: Contribution) -> str:
    """The colour of the list that an addend comes from."""
    return colour if part.of is None else chosen[part.of].colour


fused_name = _("Fused") + " · " + say(fusion.label)
panels = [sources.panel(p, s, ranking, query) for s, ranking in zip(chosen, rankings, strict=True)]
panels.append(
    show.Panel(
        fused,
        fused_name,
        colour,
        panels[0].mark,
        paint=paint,
        empty=_("No list has found anything: there is nothing to fuse."),
    )
)
doc = show.selected([panels[-1], *panels[:-1]], relevant, depth)


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
    """The selected document: its addends, the formula with its numbers, its text."""
    document = f.corpus.get(doc)
    assert document is not None
    title, rank = escape.plain(document.label, 60), fused.rank(doc)
    here = _("Why “{title}” is at rank {rank}", title=title, rank=rank)
    st.subheader(here if rank else _("“{title}” is in no list", title=title), anchor=False)
    left, right = st.columns([1.45, 1], gap="large")
    with left:
        hit = fused.hit(doc)
        if hit:
            charts.draw(charts.addends(hit.why, colour, paint=paint), "fusion.why")
        if hit and isinstance(fusion, Additive):
            parts = zip(names, fusion.explain(rankings, doc), strict=True)
            st.latex(total([(name, fusion.formula(part)) for name, part in parts if part.rank]))
        if isinstance(fusion, Additive):
            st.caption(_("One addend per list. A list that does not have the document adds nothing. Ranks start at 1."))
        else:
            st.caption(say(fusion.about))
    with right:
        show.passage("fusion", document, panels[0].mark)


if len(fused) and isinstance(fusion, ShareSum):
    with st.container(border=True):
        head, pick = st.columns([3, 2], vertical_alignment="bottom")
        head.subheader(_("Tipping points"), anchor=False)
        with pick:
            along = (
                "weight"
                if not isinstance(fusion, RRF)
                else p.choose(
                    "along",
                    _("Along"),
                    ("weight", "k"),
                    "weight",
                    format_func={"weight": _("the weight"), "k": "k"}.__getitem__,
                )
            )
        axis: Axis = Weight(0) if along == "weight" else Constant()
        tips = measuring.tips(p, fused, search, axis)
        st.caption(
            _(
                "The fused scores of all that are among the first five somewhere along the range. A ring is where two "
                "documents change places, computed exactly; click a line or a ring to move the knob there."
            )
        )
        low, high = (
            (_("← all weight on the others"), _("all weight on {list} →", list=names[0]))
            if along == "weight"
            else (_("← places decide"), _("membership decides →"))
        )
        event = charts.clickable(charts.tipping(tips, f.corpus, left=low, right=high, selected=doc), "fusion.tips")
        if relevant:
            one = measuring.along_one(p, fused, search, axis, relevant)
            series, colours = {_("this query"): one}, [palette.ink(), palette.mute()]
            if p.switch(
                "all",
                _("nDCG@10 of all queries too"),
                False,
                _("Searches every judged query of the corpus once: a few seconds."),
            ):
                series[_("all {n} queries", n=len(f.collection.judged))] = measuring.along(p, search, axis) or one
            figure = charts.staircases(series, tips.current, colours, label="nDCG@10", log=along == "k")
            charts.draw(figure, "fusion.quality")
    move(charts.clicked_at(event), along)

show.lists("fusion", panels, f, depth=depth, chosen=doc, relevant=relevant)

if doc:
    with st.container(border=True):
        explain(doc)

if len(fused):
    with p.fold("flow", _("The same document in every list"), ":material/show_chart:") as seen:
        if seen:
            columns = [*names, fused_name], [*(s.colour for s in chosen), colour]
            flow = charts.rank_flow(
                [*rankings, fused], *columns, f.corpus, depth=depth, selected=doc, relevant=relevant
            )
            show.click(charts.clickable(flow, "fusion.flow"))
found = dict(zip([fused_name, *names], [fused, *rankings], strict=True))
p.end({fused_name: search}, found, [*zip(names, rankings, strict=True), (fused_name, fused)])
