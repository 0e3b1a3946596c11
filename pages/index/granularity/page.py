"""Granularity: searches entries derived from documents, such as sentences, and compares their results and costs."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from lab.algebra import Lift
from lab.fuse import WeightedSum
from lab.refine.neighbours import Neighbours
from lab.retrieve.vector import Vector
from lab.ui import address
from lab.ui.i18n import _
from lab.ui.layout.page import Page
from lab.ui.lists import show, sources, sums
from pages.index.granularity import parts

p = Page(
    "granularity",
    _("Granularity"),
    _("Search chunks, summaries or questions instead of whole texts: what is found, at what cost?"),
)
f = p.frame
p.lessons()
query = p.query()

keys = parts.choose(p)
row = p.row([2.6, 2.4, 1.6, 1.3, 1.5])
with row[0]:
    source = sources.choose_one(p, "vector", label=_("Retriever"), name_of=parts.retriever_name)
with row[1]:
    lift = p.knobs(Lift(), "by")
with row[2]:
    window = p.knobs(Neighbours(), "window")
k = p.number("k", _("Show"), 1, 50, 5, into=row[3])
of_lab = source.retriever
with row[4], st.popover(_("More"), width="stretch"):
    if isinstance(source.retriever, Vector):
        whole = replace(source.retriever, pieces="whole")  # an index of entries: nothing looks into them
        source = replace(source, retriever=p.knobs(whole, "pieces"))
    first = parts.first_chunks(p)
    derivations = parts.configured(p, keys)
    share = address.keep(p.key("share"), 0.5, address.number(0, 1, whole=False))
    help_text = _("Weight of the second index in “Whole +”; the rest goes to the whole passages.")
    weight = st.slider(_("Weight beside the whole text"), 0.0, 1.0, step=0.05, key=share, help=help_text)

if not keys:
    p.stop(_("Choose an index above."), ":material/splitscreen:")
p.need_question(query)

derivations = parts.written(p, derivations)
fusion = WeightedSum((1 - weight, weight))
indexes = parts.indexes(keys, source, of_lab, derivations, lift, window, fusion, first)
searches = {index.name: index.search for index in indexes}
rankings = p.run(searches, query)
relevant = parts.of_chunks(rankings.values(), show.relevance(f, query))
plain = sources.panel(p, source, p.run({"": source.retriever}, query)[""], query)
panels = [parts.panel(index, rankings[index.name], plain) for index in indexes]
doc = show.selected(panels, relevant, k)

document = f.corpus.get(doc) or parts.chunk(rankings.values(), doc)
cuts = parts.cuts(indexes, rankings)
with st.container(key=p.key("beside")):
    *text, lists = st.columns([1, 2.6] if document is not None and cuts else 1, gap="medium")
with lists:
    show.lists("granularity", panels, f, depth=k, chosen=doc, relevant=relevant)
if document is not None:
    for column in text:
        with column:
            parts.picture(document, cuts)
    parts.contexts(p, indexes, rankings, source, query, document, first)

if cuts:
    with p.box(_("From chunks to documents"), "effects"):
        parts.effects(cuts, lift.by, k)

with p.box(_("Cost and quality of each index"), "worth"):
    parts.table(p, indexes)

if document is not None:
    with p.fold("why", _("Score components"), ":material/functions:") as seen:
        if seen:
            sums.bars(panels, doc)
p.end(searches, rankings)
