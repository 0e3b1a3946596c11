"""Fusion: two or more lists into one, and the exact settings at which the order tips."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lab.core import Contribution
from lab.explain.tipping import Axis, Constant, Step, Weight, quality, tipping
from lab.fuse import RRF, ShareSum, WeightedSum
from lab.pipeline import DEPTH
from lab.ui import address, charts, escape, formulas, measuring, palette, show, sources
from lab.ui.i18n import _
from lab.ui.page import Page

p = Page("fusion", _("Fusion"), _("Several lists disagree. Which one decides, and where does the decision tip?"))
f = p.frame
p.lessons()
query = p.query()

row = st.columns([3.6, 2.5, 2.4, 2.1, 1.3, 1.6], vertical_alignment="bottom")
with row[0]:
    chosen = sources.choose(p, help=_("Two or more lists, in the order of their weights."))
with row[1]:
    method = p.choose(
        "method",
        _("Method"),
        ("rrf", "sum"),
        "rrf",
        _(
            "RRF adds up 1 / (k + rank): only places count. The weighted sum adds up scores, after making them "
            "comparable."
        ),
        format_func={"rrf": "RRF", "sum": _("weighted sum")}.__getitem__,
    )
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
        disabled=len(chosen) < 2,
    )
with row[3]:
    if method == "rrf":
        k = p.knob(
            RRF,
            "k",
            "k",
            _("The larger, the less a place counts and the more it counts to be in several lists. 60 is the paper's."),
            name="rrf.k",
        )
    else:
        normalisation = p.knob(
            WeightedSum,
            "normalisation",
            _("Normalisation"),
            _("How scores are made comparable. None: you are weighting units."),
            name="weightedsum.normalisation",
            format_func={
                "min-max": _("min–max"),
                "z-score": "z-score",
                "max": _("by maximum"),
                "sum": _("by sum"),
                "none": _("none"),
            }.__getitem__,
        )
with row[4]:
    depth = p.number(
        "k", _("Show"), 1, 50, 8, _("So many documents; each list is asked for {n}, whatever is shown.", n=DEPTH)
    )

with row[5], st.popover(_("Presets"), width="stretch"):
    st.caption(_("Weights that people use"))
    for text, value, how in (
        (_("Equal, 0.5 / 0.5"), 0.5, None),
        (_("RAGFlow: words 0.05, vectors 0.95"), 0.05, "sum"),
        (_("Words 0.7, vectors 0.3, min–max"), 0.7, "sum"),
    ):

        def preset(value: float = value, how: str | None = how) -> None:
            address.put(p.key("weight"), value)
            if how:
                address.put(p.key("method"), how)

        st.button(text, on_click=preset, key=p.key(f"preset.{text}"), width="stretch")

if len(chosen) < 2:
    st.info(_("Choose at least two lists: there is nothing to fuse yet."), icon=":material/merge:")
    p.stop()

rest = (1 - weight) / (len(chosen) - 1)
weights = (weight, *([rest] * (len(chosen) - 1)))
fusion: ShareSum = RRF(k, weights) if method == "rrf" else WeightedSum(weights, normalisation)
search = fusion(*(s.retriever for s in chosen))
fused = p.run({"": search}, query, k=len(chosen) * search.asks)[""]
rankings = fused.parents
relevant = show.relevance(f, query)
colour = palette.family(fusion)
by_list = dict(zip((s.retriever.label for s in chosen), chosen, strict=True))


def paint(part: Contribution) -> str:
    """The colour of the list that an addend comes from."""
    name = str(getattr(part.source, "values", {}).get("list", ""))
    return by_list[name].colour if name in by_list else colour


fused_name = _("Fused") + (" · RRF" if method == "rrf" else " · " + _("weighted sum"))
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

if len(fused):
    with st.container(border=True):
        head, pick = st.columns([3, 2], vertical_alignment="bottom")
        head.subheader(_("Tipping points"), anchor=False)
        with pick:
            along = (
                "weight"
                if method == "sum"
                else p.choose(
                    "along",
                    _("Along"),
                    ("weight", "k"),
                    "weight",
                    format_func={"weight": _("the weight"), "k": "k"}.__getitem__,
                )
            )
        axis: Axis = Weight(0) if along == "weight" else Constant()
        tips = tipping(fusion, rankings, axis)
        st.caption(
            _(
                "The fused score of the first five along the whole range. A ring is where two documents change "
                "places, computed exactly; click a line or a ring to move the knob there."
            )
        )
        low, high = (
            (_("← all weight on the others"), _("all weight on {list} →", list=names[0]))
            if along == "weight"
            else (_("← places decide"), _("membership decides →"))
        )
        event = st.plotly_chart(
            charts.tipping(tips, f.corpus, left=low, right=high, selected=doc),
            key="fusion.tips",
            on_select="rerun",
            selection_mode="points",
            config=charts.CONFIG,
        )
        if relevant:
            one: Sequence[Step] = quality(fusion, [(rankings, relevant)], axis)
            series, colours = {_("this query"): one}, [palette.ink(), palette.mute()]
            if p.switch(
                "all",
                _("nDCG@10 of all queries too"),
                False,
                _("Searches every judged query of the corpus once: a few seconds."),
            ):
                series[_("all {n} queries", n=len(f.collection.judged))] = measuring.along(p, search, axis)
            st.plotly_chart(
                charts.staircases(series, tips.current, colours, label="nDCG@10", log=along == "k"),
                key="fusion.quality",
                config=charts.CONFIG,
            )
    moved = charts.clicked_at(event)
    if moved and st.session_state.get("_fusion_moved") != moved:
        st.session_state["_fusion_moved"] = moved
        value, clicked_doc = moved
        if along == "weight":
            address.put(p.key("weight"), min(1.0, max(0.0, round(value / 0.005) * 0.005)))
        else:
            address.put(p.key("rrf.k"), round(value))
        if clicked_doc:
            address.put("doc", clicked_doc)
        st.rerun()

show.lists("fusion", panels, f, depth=depth, chosen=doc, relevant=relevant)

if doc:
    document = f.corpus.get(doc)
    assert document is not None
    with st.container(border=True):
        rank = fused.rank(doc)
        st.subheader(
            _("Why “{title}” is at rank {rank}", title=escape.plain(document.label, 60), rank=rank)
            if rank
            else _("“{title}” is in no list", title=escape.plain(document.label, 60)),
            anchor=False,
        )
        left, right = st.columns([1.45, 1], gap="large")
        with left:
            hit = fused.hit(doc)
            if hit:
                st.plotly_chart(charts.addends(hit.why, colour, paint=paint), key="fusion.why", config=charts.CONFIG)
                st.latex(formulas.fused(fusion, fusion.explain(rankings, doc), names))
            st.caption(_("One addend per list. A list that does not have the document adds nothing. Ranks start at 1."))
        with right:
            show.passage("fusion", document, panels[0].mark)

if len(fused):
    with st.expander(_("The same document in every list"), icon=":material/show_chart:", expanded=False):
        event = st.plotly_chart(
            charts.rank_flow(
                [*rankings, fused],
                [*names, fused_name],
                [*(s.colour for s in chosen), colour],
                f.corpus,
                depth=depth,
                selected=doc,
                relevant=relevant,
            ),
            key="fusion.flow",
            on_select="rerun",
            selection_mode="points",
            config=charts.CONFIG,
        )
        show.click(event)
with st.expander(_("All hits as a table"), icon=":material/table_rows:"):
    show.table("fusion", [fused, *rankings], [fused_name, *names])
p.export({fused_name: search}, [fused, *rankings], [fused_name, *names])
p.footer([*rankings, fused], [*names, fused_name])
