"""Rewrite: one question, several wordings, and what each of them really found."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from lab import catalog
from lab.algebra import Rewrite, Rewriter
from lab.explain.attribution import attribute
from lab.fuse import RRF
from lab.retrieve.vector import VectorIndex
from lab.rewrite.hyde import HyDE
from lab.rewrite.multi_query import MultiQuery
from lab.ui import escape, palette
from lab.ui.figures import charts
from lab.ui.i18n import _, _n
from lab.ui.layout.page import Page
from lab.ui.lists import show, sources, sums
from lab.ui.study import measuring
from pages.query.rewrite import parts

p = Page("rewrite", _("Rewrite"), _("Would other rewrites of the question find more, and which of them?"))
f = p.frame
lesson = p.lessons()
query = p.query()


def configured(kind: type[Rewriter]) -> Rewriter:
    """A technique with its knobs, and with what is the visitor's."""
    return parts.own(p, p.knobs(kind(), *parts.knobs_of(kind), with_name=True))


row = p.row([4.4, 2.2, 2.0, 1.4, 2.1])
with row[0]:
    help_text = _("Choose several to compare them side by side.")
    chosen = p.techniques(
        "techniques", _("Techniques"), catalog.with_role(catalog.rewriters, "rewrite"), [MultiQuery, HyDE], help_text
    )
with row[1]:
    source = sources.choose_one(p, "bm25", label=_("Retriever"))
with row[2]:
    how = p.technique("merge", _("Merge with"), [*catalog.fusions().values()], RRF)
k = p.number("k", _("Show"), 1, 50, 8, into=row[3])
with row[4], st.popover(_("More"), width="stretch"):
    fusion = p.knobs(how(), with_name=True)
    rules = {parts.named(rule): rule for rule in map(configured, chosen)}

p.need_question(query)
if not rules:
    p.stop(_("Choose a technique above."), ":material/edit_note:")

found = p.run({source.name: source.retriever}, query)
rules = parts.taken(p, source.retriever, rules)
techniques = parts.asked(p, query, parts.forced(p, query, rules))
searches = {name: rewriter(source.retriever, merge=fusion) for name, rewriter in techniques.items()}
found |= p.run(searches, query)
relevant = show.relevance(f, query)
colours = [palette.shade(palette.named("fused"), i) for i in range(len(searches))]

before = sources.panel(p, source, found[source.name], query)
rewritten = [replace(before, ranking=found[n], name=n, colour=c) for n, c in zip(searches, colours, strict=True)]
panels = [before, *rewritten]
parts.abstained(p, query, found, techniques)
if lesson is None:  # a lesson shows the lists that it names
    panels = parts.side_by_side(p, parts.folded(before, rewritten))
doc = show.selected(panels, relevant, k)
names, rankings = list(found), list(found.values())
with p.stage():
    show.lists("rewrite", panels, f, depth=k, chosen=doc, relevant=relevant, votes=parts.votes(p, rules.values()))

    document = f.corpus.get(doc)
    if document is not None:
        with p.box(escape.plain(document.label, 80)):
            left, right = st.columns([1.2, 1], gap="large")
            with left:
                sums.bars(panels[1:] or panels, doc)
            with right:
                show.passage("rewrite", document, before.mark)

with p.box(_("Rewrites and their results")):
    st.caption(
        _(
            "In the first {k} of the merged list. “Only this query”: found by this rewrite alone. “Added”: "
            "missing without this rewrite. “Displaced”: present without it.",
            k=k,
        )
    )
    last = {rewriter.key: rewriter for rewriter in techniques.values()}  # one prompt: by the model's result, if any
    for tab, colour, (name, rewriter) in zip(st.tabs(list(techniques)), colours, techniques.items(), strict=True):
        with tab:
            parts.credits(f, attribute(searches[name], query, p.runner, k=k, relevant=set(relevant) or None))
            parts.gain(f, query, found[source.name], found[name])
            parts.marks(p, rewriter)
            parts.weights(found[name].evidence_as(Rewrite), colour)
            parts.corrections(found[name].evidence_as(Rewrite))
            if rewriter == last[rewriter.key]:
                parts.prompt(p, rewriter, query.text)

index = p.runner.index(source.retriever)
if isinstance(index, VectorIndex):
    with p.fold("map", _("On the map"), ":material/scatter_plot:", opened=True) as seen:
        if seen:
            st.caption(_("Star: question. Diamonds: rewrites. Cross: mean of both. Dots: passages found."))
            rewrites = {name: found[name].evidence_as(Rewrite) for name in searches}
            plane = parts.map_of(index, f, [r.first(k) for r in rankings], query.text, rewrites, doc)
            show.click(charts.clickable(plane, "rewrite.map"))

with p.fold("judged", _("All judged questions of this corpus"), ":material/query_stats:") as seen:
    if seen:
        st.caption(
            _("Recall@10 of the raw question and of the merged list (rewritten by rules), for every judged question.")
        )
        pairs = parts.pairs(source.retriever, rules, fusion)
        key = (f.collection.fingerprint, tuple(pairs.items()))  # under anything else the figures are no longer true
        label = _n("Measure {n} question", "Measure {n} questions", len(f.collection.judged))
        if pairs and f.collection.judged and st.button(label, key="rewrite.measure", icon=":material/play_arrow:"):
            st.session_state["_rewrite_measured"] = key
        if st.session_state.get("_rewrite_measured") == key:
            measuring.by_type(p, pairs)
p.end({source.name: source.retriever, **searches}, found)
