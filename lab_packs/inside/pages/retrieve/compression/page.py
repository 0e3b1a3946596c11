"""Compression: the same vectors in fewer bits, what that costs, and which results it loses."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import streamlit as st

from lab.retrieve.vector import VectorIndex
from lab.ui import address
from lab.ui.figures import charts
from lab.ui.i18n import _
from lab.ui.layout.page import Page
from lab.ui.lists import show, why
from lab_packs.inside.compressed import KINDS, Compressed
from lab_packs.inside.compression import MEASURE, RECALL, losses
from lab_packs.inside.pages.retrieve.compression import parts

p = Page("compression", _("Vector compression"), _("How much does a shorter vector lose?"))
f = p.frame
p.lessons()
query = p.query()
if f.corpus.elsewhere:
    stored_in = f.corpus.elsewhere
    text = _("The texts of this corpus stay in {engine}, so its vectors cannot be compressed here.", engine=stored_in)
    p.stop(text)

row = p.row([2.4, 2, 1.2, 1.2, 2])
exact = Compressed(f.embedder).full
full = _("Full vectors")
rankings = p.run({full: exact}, query)
dimensions = cast(VectorIndex, p.runner.index(exact)).encoder.dimensions
own = p.knobs(Compressed(kind="binary", rescore=20), "kind", into=row[:1])
more = row[3].popover(_("More"), width="stretch")
n = parts.size(p, "n", dimensions, row[4] if own.kind == "first" else more)
n_bytes = parts.size(p, "bytes", dimensions, row[4] if own.kind == "pq" else more)
own = p.knobs(replace(own, n=n, bytes=n_bytes), "rescore", into=row[1:2], high={"rescore": 200})
k = p.number("k", _("Show"), 1, 50, 10, into=row[2])
own = p.knobs(own, "seed", into=[more])

coded, rescored = replace(own, rescore=0), own if own.rescore else None
names = parts.called(own)
searches = {full: exact, names[0]: coded, **({names[1]: rescored} if rescored else {})}
rankings |= p.run({name: search for name, search in searches.items() if name != full}, query)
panels = parts.panels(p, searches, rankings, query, k)
relevant = show.relevance(f, query)
doc = show.selected(panels, relevant, k)

with st.container(key="pictures-compression"):
    left, right = st.columns([1.15, 1], gap="medium")
    with left, st.container(border=True, key="compression-cost"):
        questions, judged = parts.questions_of(f, query)
        figures = parts.measured(p, own, exact, questions) if questions else None
        if figures is None:
            st.caption(_("This corpus has no questions to measure with: ask one."))
        else:
            measures = (MEASURE, RECALL) if judged else (RECALL,)
            head, told = st.columns([1, 1.6], gap="small", vertical_alignment="center")
            with head:
                measure = parts.pictured(p, measures)
            told.markdown(parts.basis(figures, measure, len(questions), judged, own))
            event = charts.clickable(parts.cost(figures, measure, own), "compression.cost.picture")
            kind = charts.clicked(event)
            if kind in KINDS and kind != st.session_state.get("_compression.clicked"):
                st.session_state["_compression.clicked"] = kind
                if kind != own.kind:
                    address.put(p.key("compressed.kind"), kind)
                    st.rerun()
    with right, st.container(border=True, key="compression-vector"):
        parts.vector(p, coded, query, doc)

with p.stage():
    show.lists("compression", panels, f, depth=k, chosen=doc, relevant=relevant)
    if doc:
        why.section("compression", panels, p.runner, f, doc, relevant)

lost = losses(rankings[full], parts.whole(p, coded, query, rankings[names[0]]), k)
if lost:
    parts.lost(lost, coded, k)
if coded.kind == "pq":
    st.caption(parts.learned(p.runner.index(coded)))
with p.fold("figures", _("Every kind in figures"), ":material/table_rows:") as seen:
    if seen and figures is not None:
        parts.table(figures, own)
p.end(searches, {name: rankings[name] for name in searches})
