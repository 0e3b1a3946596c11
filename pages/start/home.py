"""Home: what this is, and the path of a query as a picture to click on."""

from __future__ import annotations

import streamlit as st

from lab.pipeline import Runner
from lab.retrieve.lexical import BM25
from lab.ui import address, components, escape, frame, navigation, questions
from lab.ui.i18n import _, say

address.enter("home")
f = frame.current()
st.title(_("Retrieval Lab"), anchor=False)
st.markdown(
    _(
        "See why a document is ranked where it is. One corpus, one technique a page, "
        "every score taken apart before your eyes. Nothing to download, no key, no network."
    )
)

address.keep(address.QUESTION, questions.example(f))
query, search = str(st.session_state[address.QUESTION]), f.former(BM25())
hits = Runner(f.corpus)(search, query).hits
used = search.analyzer.for_query(query)
words = [used.read(query[t.start : t.end]).text for t in used.spans(query) if t.kind in ("word", "part")]
live = {
    "corpus": _("{n} passages", n=len(f.corpus)),
    "tokenizer": " · ".join(words[:5]),
    "compare": hits[0].document.label if hits else "",
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

corpus = _(
    "{name}: {n} passages, {q} questions, {j} with judgments.",
    name=escape.plain(frame.corpus_title(f.corpus.name)),
    n=len(f.corpus),
    q=len(f.collection.queries),
    j=len(f.collection.judged),
)
models = _(
    "{embedder} for vectors. No language model: where one would help, a rule does the work and says so.",
    embedder=say(f.embedder.label),
)
begin = _("Open a page and click one of its lessons: it sets the question and the knobs, and says what to look at.")
cards = (
    (_("The corpus now"), corpus, "corpus", _("Look at it, or add your own"), ":material/upload:"),
    (_("The models now"), models, "compare", _("Compare it with words"), ":material/compare_arrows:"),
    (_("Where to begin"), begin, "compare", _("Words against meaning"), ":material/school:"),
)
for column, (title, text, page, label, icon) in zip(st.columns(3), cards, strict=True):
    with column, st.container(border=True, height="stretch"):
        st.markdown(f"**{title}**")
        st.markdown(text)
        st.page_link(navigation.find(page), label=label, icon=icon)
