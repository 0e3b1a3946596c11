"""Home: what this is, and the path of a query as a picture to click on."""

from __future__ import annotations

import streamlit as st

from lab.retrieve.lexical import BM25
from lab.ui import cache, components, escape, frame, navigation
from lab.ui.i18n import _
from lab.ui.page import example

f = frame.current()
st.title(_("Retrieval Lab"), anchor=False)
st.markdown(
    _(
        "See why a document is ranked where it is. One corpus, one technique a page, every score taken apart before your eyes. Nothing to download, no key, no network."
    )
)

query = example(f)
ranking = cache.index(BM25(), f.corpus).search(query, k=10)
words = BM25().analyzer.for_query(query).tokens(query)
live = {
    "corpus": _("{n} passages", n=len(f.corpus)),
    "tokenizer": " · ".join(words[:5]),
    "compare": ranking.hits[0].document.label if ranking.hits else "",
}
with st.container(border=True):
    st.caption(_("The path of a query: “{query}”", query=escape.plain(query, 120)))
    groups = [
        {"title": title, "color": colour, "steps": [dict(step, value=live.get(step["page"], "")) for step in steps]}
        for title, colour, steps in navigation.path()
    ]
    go = components.path({"groups": groups}, key="home.path")
if go:
    st.switch_page(navigation.find(go))

left, middle, right = st.columns(3)
with left, st.container(border=True, height="stretch"):
    st.markdown("**" + _("The corpus now") + "**")
    st.markdown(
        _(
            "{name}: {n} passages, {q} questions, {j} with judgments.",
            name=escape.plain(frame.corpus_title(f.corpus.name)),
            n=len(f.corpus),
            q=len(f.collection.queries),
            j=len(f.collection.judged),
        )
    )
    st.page_link(navigation.find("corpus"), label=_("Look at it, or add your own"), icon=":material/upload:")
with middle, st.container(border=True, height="stretch"):
    st.markdown("**" + _("The models now") + "**")
    st.markdown(
        _(
            "{embedder} for vectors. No language model: where one would help, a rule does the work and says so.",
            embedder=frame.embedder_label(f.embedder),
        )
    )
    st.page_link(navigation.find("compare"), label=_("Compare it with words"), icon=":material/compare_arrows:")
with right, st.container(border=True, height="stretch"):
    st.markdown("**" + _("Where to begin") + "**")
    st.markdown(
        _("Open a page and click one of its lessons: it sets the question and the knobs, and says what to look at.")
    )
    st.page_link(navigation.find("compare"), label=_("First lesson: words against meaning"), icon=":material/school:")
