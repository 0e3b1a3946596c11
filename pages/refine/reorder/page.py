"""Context reorder: where in the prompt the best passages should stand."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from lab.algebra import Hit
from lab.refine.reorder import ORDERS, PUBLISHED, LongContextReorder, attention, attention_on
from lab.ui import address, escape, palette
from lab.ui.figures import charts
from lab.ui.i18n import _, say
from lab.ui.layout.page import Page
from lab.ui.lists import show, sources

p = Page(
    "reorder",
    _("Context reorder"),
    _("A model reads the two ends of a long context best. Where should the best passage be?"),
)
f = p.frame
p.lessons()
query = p.query(operators=True)

row = p.row([2.6, 2.6, 1.7, 1.7])
with row[0]:
    source = sources.choose_one(p, "bm25")
stage = p.knobs(LongContextReorder(), into=[row[1]])
n = p.number("n", _("Passages"), 1, 30, 10, _("Number of passages in the context."), into=row[2])
with row[3], st.popover(_("The curve"), width="stretch"):
    st.caption(
        _(
            "An illustration, not a measurement of your model: the points of Liu et al. 2023 for GPT-3.5-Turbo "
            "with 20 documents ({points}% correct). You can change the curve.",
            points=[f"{x:.1f}" for x in PUBLISHED],
        )
    )
    bent = {}
    for key, label, low, high, default in (
        ("depth", _("Dip in the middle"), 0.0, 2.0, 1.0),
        ("start", _("First position"), 1.0, 100.0, PUBLISHED[0]),
        ("end", _("Last position"), 1.0, 100.0, PUBLISHED[-1]),
    ):
        address.keep(p.key(key), default, address.number(low, high, whole=False))
        bent[key] = st.slider(label, low, high, step=0.1, key=p.key(key))

first = sources.first_stage([source.retriever], n)
titles = {order: say(title) for order, title in ORDERS.items()}
searches = {order: first >> replace(stage, order=order) for order in ORDERS}
found = p.run(searches, query)
placed, name, colour = found[stage.order], titles[stage.order], palette.family(stage)
ranking = placed.parents[0]
relevant = show.relevance(f, query)
before = sources.panel(p, source, ranking, query)
if not ranking.hits:
    p.stop(escape.plain(before.empty), ":material/search_off:")
doc = show.selected([before], relevant, n)
curve = attention(len(placed), **bent)


def place(hit: Hit) -> tuple[list[tuple[int, int]], str]:
    """Describes the rank and the position of a passage: a position is not a rank, so no rise or fall is shown."""
    at = {"rank": ranking.rank(hit.document.id), "place": placed.rank(hit.document.id), "n": len(placed)}
    return [], _("rank {rank} → position {place} of {n}", **at)


panels = [before, show.Panel(placed, name, colour, before.mark, evidence=place, ranked=False)]
with p.stage():
    show.lists("reorder", panels, f, depth=n, chosen=doc, relevant=relevant, moves=False)
    document = f.corpus.get(doc)
    if document is not None:
        with st.container(border=True):
            show.passage("reorder", document, before.mark)

with p.box(_("The context, from its first line to its last")):
    st.caption(
        _(
            "Each bar is a passage at its position; the number is its rank in the list, and a higher bar is a "
            "better rank. The dashed curve is the illustrative attention."
        )
    )
    drawn = charts.context(placed, ranking, f.corpus, curve.tolist(), selected=doc, relevant=relevant)
    show.click(charts.clickable(drawn, "reorder.context"))

with p.box(_("Attention on relevant passages by order")):
    if relevant:
        judged = {d: float(g > 0) for d, g in relevant.items()}
        st.caption(_("Share of the (illustrative) attention on passages judged relevant."))
    else:
        judged = {d: 1 / rank for rank, d in enumerate(ranking.ids, 1)}
        st.caption(_("No judgments for this query: attention is weighted by 1 / rank."))
    values = [100 * attention_on([judged.get(i, 0.0) for i in found[o].ids], curve) for o in ORDERS]
    charts.draw(charts.bars(values, list(titles.values()), colour, unit=" %"), "reorder.orders")
p.end({name: searches[stage.order]}, {name: placed, before.name: ranking}, [(before.name, ranking), (name, placed)])
