"""Context reorder: where in the prompt the best passages should stand."""

from __future__ import annotations

import streamlit as st

from lab.refine.reorder import ORDERS, PUBLISHED, LongContextReorder, attention, attention_on
from lab.ui import address, charts, escape, palette, show, sources
from lab.ui.i18n import _
from lab.ui.page import Page

p = Page(
    "reorder",
    _("Context reorder"),
    _("A model reads the ends of a long context best. Where should the best passage stand?"),
)
f = p.frame
p.lessons()
query = p.query()

titles = {
    "long-context": _("long-context (LangChain)"),
    "best first": _("best first"),
    "reversed": _("reversed"),
    "sides": _("sides"),
}
row = st.columns([2.6, 5, 1.7, 1.7], vertical_alignment="bottom")
with row[0]:
    source = sources.choose_one(p, "bm25")
with row[1]:
    order = p.choose("longcontextreorder.order", _("Order"), ORDERS, "long-context", format_func=titles.__getitem__)
with row[2]:
    n = p.number("n", _("Passages"), 1, 30, 10, _("How many passages go into the context."))
with row[3], st.popover(_("The curve"), width="stretch"):
    st.caption(
        _(
            "An illustration, not a measurement of your model: the points of Liu et al. 2023 for GPT-3.5-Turbo with "
            "20 documents ({points} % correct), to be bent as you like.",
            points=", ".join(f"{x:.1f}" for x in PUBLISHED),
        )
    )
    for key, label, low, high, default in (
        ("depth", _("How deep the middle sags"), 0.0, 2.0, 1.0),
        ("start", _("First position"), 1.0, 100.0, PUBLISHED[0]),
        ("end", _("Last position"), 1.0, 100.0, PUBLISHED[-1]),
    ):
        address.keep(p.key(key), default, address.number(low, high, whole=False))
        st.slider(label, low, high, step=0.1, key=p.key(key))

first = sources.first_stage([source.retriever], n)
searches = {o: first >> LongContextReorder(o) for o in ORDERS}
found = p.run(searches, query)
placed = found[order]
ranking, stage = placed.parents[0], placed.made_by
relevant = show.relevance(f, query)
before = sources.panel(p, source, ranking, query)
if not ranking.hits:
    st.info(escape.plain(before.empty), icon=":material/search_off:")
    p.stop()
doc = show.selected([before], relevant, n)
curve = attention(
    len(placed),
    depth=st.session_state[p.key("depth")],
    start=st.session_state[p.key("start")],
    end=st.session_state[p.key("end")],
)

with st.container(border=True):
    st.subheader(_("The context, from its first line to its last"), anchor=False)
    st.caption(
        _(
            "A bar is a passage at its place; the number is its rank in the list, the higher the bar the better the "
            "rank. The dashed curve is the illustrative attention."
        )
    )
    event = st.plotly_chart(
        charts.context(placed, ranking, f.corpus, curve.tolist(), selected=doc, relevant=relevant),
        key="reorder.context",
        on_select="rerun",
        selection_mode="points",
        config=charts.CONFIG,
    )
    show.click(event)

with st.container(border=True):
    st.subheader(_("What each order puts where the curve is high"), anchor=False)
    weight = {h.document.id: 1 / rank for rank, h in enumerate(ranking.hits, 1)}
    if relevant:
        judged = {d: float(g > 0) for d, g in relevant.items()}
        st.caption(_("Share of the (illustrative) attention that falls on passages which the corpus judges relevant."))
    else:
        judged = weight
        st.caption(
            _(
                "This query has no judgments: shown is the attention weighted by 1 / rank, so that good ranks count "
                "more."
            )
        )
    values = [100 * attention_on([judged.get(i, 0.0) for i in found[o].ids], curve) for o in ORDERS]
    st.plotly_chart(
        charts.bars(values, [titles[o] for o in ORDERS], palette.family(stage)),
        key="reorder.orders",
        config=charts.CONFIG,
    )

panels = [before, show.Panel(placed, titles[order], palette.family(stage), before.mark)]
show.lists("reorder", panels, f, depth=n, chosen=doc, relevant=relevant)

with st.expander(_("All hits as a table"), icon=":material/table_rows:"):
    show.table("reorder", [placed, ranking], [titles[order], before.name])
p.export({titles[order]: searches[order]}, [placed, ranking], [titles[order], before.name])
p.footer([ranking, placed], [before.name, titles[order]])
