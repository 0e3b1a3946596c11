"""Rewrite: one question, several wordings, and what each of them really found."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from lab.core import Fusion
from lab.explain.attribution import attribute
from lab.fuse import RRF, BestScore
from lab.retrieve.vector import VectorIndex
from lab.rewrite.base import PromptRewriter
from lab.rewrite.domain import DomainVocabulary, adapters
from lab.rewrite.hyde import HyDE
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.query2doc import Query2Doc
from lab.rewrite.step_back import StepBack
from lab.rewrite.sub_questions import SubQuestions
from lab.text import language_of
from lab.ui import address, charts, escape, measuring, palette, rewriting, show, sources
from lab.ui.i18n import _
from lab.ui.page import Page

p = Page(
    "rewrite", _("Rewrite"), _("The question is asked once. Would other words have found more, and which of them did?")
)
f = p.frame
p.lessons()
query = p.query()

titles = {
    "multi": _("Multi-query"),
    "sub": _("Sub-questions"),
    "back": _("Step back"),
    "document": _("Query to document"),
    "hyde": _("Hypothetical documents"),
    "industry": _("Industry wording"),
}
row = st.columns([4.6, 2.4, 2.4, 1.4, 1.5], vertical_alignment="bottom")
with row[0]:
    chosen = p.several(
        "techniques",
        _("Techniques"),
        list(titles),
        ["multi", "hyde"],
        _("Several stand side by side."),
        format_func=titles.__getitem__,
    )
with row[1]:
    known = sources.known(f)
    address.keep(p.key("of"), "bm25", address.choice(list(known)))
    source = known[st.selectbox(_("Searched by"), list(known), key=p.key("of"), format_func=lambda k: known[k].name)]
with row[2]:
    how = p.choose(
        "merge",
        _("Merged by"),
        ("rrf", "best"),
        "rrf",
        _("Best score compares scores of different queries, which do not compare: the vaguest wording can win."),
        format_func={"rrf": "RRF", "best": _("best score")}.__getitem__,
    )
with row[3]:
    k = p.number("k", _("Show"), 1, 50, 8)
with row[4], st.popover(_("More"), width="stretch"):
    n = p.knob(MultiQuery, "n", _("Wordings"), name="multi.n")
    m = p.knob(SubQuestions, "n", _("Sub-questions"), name="sub.n")
    concrete = p.knob(StepBack, "concrete_k", _("Step back: of the question"), name="back.concrete_k")
    abstract = p.knob(StepBack, "abstract_k", _("Step back: of the wider question"), name="back.abstract_k")
    own = rewriting.own_adapters()
    names = list(dict.fromkeys([*adapters(), *own]))
    address.keep(p.key("industry.adapter"), names[0], address.choice(names))
    adapter = st.selectbox(_("Industry"), names, key=p.key("industry.adapter"), format_func=rewriting.adapter_name)
    rewriting.add_adapter(p)

fusion: Fusion = RRF() if how == "rrf" else BestScore()
techniques: dict[str, PromptRewriter] = {
    "multi": MultiQuery(n),
    "sub": SubQuestions(m),
    "back": StepBack(abstract, concrete),
    "document": Query2Doc(),
    "hyde": HyDE(),
    "industry": DomainVocabulary({**adapters(), **own}[adapter]),
}
templates = rewriting.templates(titles)
rules = {kind: replace(techniques[kind], template=templates.get(kind, "")) for kind in chosen}

if query.blank:
    st.info(_("The query is empty. Type a question, or choose one under “Examples”."), icon=":material/edit:")
    p.stop()
if not chosen:
    st.info(_("Choose a technique above."), icon=":material/edit_note:")
    p.stop()

asked = rewriting.asked(p, query, rules, titles)
searches = {name: rewriter(source.retriever, merge=fusion) for name, (_kind, rewriter) in asked.items()}
found = p.run({source.name: source.retriever, **searches}, query)
relevant = show.relevance(f, query)
judged = set(relevant) if relevant else None
colours = [palette.shade(palette.named("fused"), i) for i in range(len(searches))]

with st.container(border=True):
    st.subheader(_("What was asked, and what each wording did"), anchor=False)
    st.caption(
        _(
            "Of the first {k} of the merged list. “Only it” found these; "
            "“brought” would be missing without this wording; “pushed out” would be there instead.",
            k=k,
        )
    )
    last = dict(asked.values())  # one prompt: by the model's result, where there is one
    for tab, (name, (kind, rewriter)) in zip(st.tabs(list(asked)), asked.items(), strict=True):
        with tab:
            told = attribute(searches[name], query, p.runner, k=k, relevant=judged)
            rewriting.credits(f, told, f"{kind}.{told.rewrite.by}")
            if rewriter == last[kind]:
                with st.expander(_("The prompt"), icon=":material/terminal:"):
                    rewriting.prompt(kind, rewriter, language_of(query.text))

before = sources.panel(p, source, found[source.name], query)
panels = [
    before,
    *(replace(before, ranking=found[n], name=n, colour=c) for n, c in zip(searches, colours, strict=True)),
]
doc = show.selected(panels, relevant, k)
names, rankings = list(found), list(found.values())
if any(rankings):
    with st.container(border=True):
        st.subheader(_("Before and after"), anchor=False)
        event = st.plotly_chart(
            charts.rank_flow(
                rankings, names, [x.colour for x in panels], f.corpus, depth=k, selected=doc, relevant=relevant
            ),
            key="rewrite.flow",
            on_select="rerun",
            selection_mode="points",
            config=charts.CONFIG,
        )
        show.click(event)
show.lists("rewrite", panels, f, depth=k, chosen=doc, relevant=relevant)

document = f.corpus.get(doc)
if document is not None:
    with st.container(border=True):
        st.subheader(escape.plain(document.label, 80), anchor=False)
        left, right = st.columns([1.2, 1], gap="large")
        with left:
            for name, colour in zip(searches, colours, strict=True):
                hit = found[name].hit(doc)
                if hit and hit.why:
                    st.caption(escape.plain(name))
                    st.plotly_chart(charts.addends(hit.why, colour), key=f"rewrite.why.{name}", config=charts.CONFIG)
        with right:
            show.passage("rewrite", document, before.mark)

index = p.runner.index(source.retriever)
if isinstance(index, VectorIndex):
    with st.expander(_("On the map"), icon=":material/scatter_plot:", expanded=True):
        st.caption(
            _(
                "The star is the question, the diamonds its wordings, the cross their mean with the question; "
                "dots are the passages that were found."
            )
        )
        rewrites = {name: found[name].evidence for name in searches}
        event = st.plotly_chart(
            rewriting.map_of(index, f, [r.first(k) for r in rankings], query.text, rewrites, doc),
            key="rewrite.map",
            on_select="rerun",
            selection_mode="points",
            config=charts.CONFIG,
        )
        show.click(event)

with st.expander(_("Over all judged questions of this corpus"), icon=":material/query_stats:"):
    st.caption(_("Recall@10 of the raw question and of the merged list, by rules, for every judged question."))
    pairs = {titles[kind]: (source.retriever, rule(source.retriever, merge=fusion)) for kind, rule in rules.items()}
    wanted = (f.collection.fingerprint, tuple(pairs.items()))  # under anything else the figures are no longer true
    if f.collection.judged and st.button(
        _("Measure {n} questions", n=len(f.collection.judged)), key="rewrite.measure", icon=":material/play_arrow:"
    ):
        st.session_state["_rewrite_measured"] = wanted
    if st.session_state.get("_rewrite_measured") == wanted:
        measuring.by_type(p, pairs)
with st.expander(_("All hits as a table"), icon=":material/table_rows:"):
    show.table("rewrite", rankings, names)
p.export({source.name: source.retriever, **searches}, rankings, names)
p.footer(rankings, names)
