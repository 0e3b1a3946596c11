"""Home: one question and three lists that disagree, what the lab is for, and the path of a query to click on."""

from __future__ import annotations

import streamlit as st

from lab.algebra import Searcher
from lab.explain.apart import Disagreement
from lab.explain.questions import LARGE
from lab.fuse import RRF
from lab.retrieve.lexical import BM25, LexicalIndex
from lab.retrieve.vector import Vector, VectorIndex
from lab.ui import components, escape, frame, joining, navigation, palette, show, sources
from lab.ui.i18n import _, _n, listed, say
from lab.ui.page import Page

SHOWN = 3  # documents of every list: enough to see that they disagree

p = Page(
    "home",
    _("Retrieval Lab"),
    _("See why a document ranks where it does. Works offline: no API key, no downloads."),
    showcase="compare",
)
f = p.frame
query = p.query()

bm25, vector = BM25(), Vector()  # the shipped model, which needs no waiting
fused = RRF()(bm25, vector)
of_words, of_meaning, of_both = (say(x.label) for x in (bm25, vector, RRF()))
searches: dict[str, Searcher] = {of_words: bm25}
if len(f.corpus) <= LARGE:
    searches |= {of_meaning: vector, of_both: fused}
found = p.run(searches, query)

panels = [
    sources.panel(p, sources.Source(name, op, name, palette.family(op)), found[name], query)
    for name, op in ((of_words, bm25), (of_meaning, vector))
    if name in found
]
relevant = show.relevance(f, query)
if of_both in found:
    at = [p.runner.index(x) for x in (bm25, vector)]
    if query.text.strip() and isinstance(at[0], LexicalIndex) and isinstance(at[1], VectorIndex):
        told = Disagreement(found[of_words], found[of_meaning], found[of_both], at[0], at[1]).sentences()
        with st.container(border=True, key="home-why"):
            sentences = (escape.plain(say(sentence)) for sentence in told)
            st.markdown("".join(x if x.endswith("。") else f"{x} " for x in sentences))
    nothing = _("All lists are empty: there is nothing to fuse.")
    panels.append(show.Panel(found[of_both], of_both, palette.family(RRF()), panels[0].mark, empty=nothing))
doc = show.selected(panels, relevant, SHOWN)
show.lists("home", panels, f, depth=SHOWN, chosen=doc, relevant=relevant, question="", pinned=False, counted=False)

doors = (
    (_("Learn"), _("A 90-minute course: predict, then check."), "course", _("Start"), "school"),
    (
        _("Teach"),
        _("Your class predicts together; every claim is checked live."),
        "course",
        _("Continue the class") if joining.presents(joining.known()) else _("Start a class"),
        "groups",
    ),
    (
        _("Try"),
        _("Upload text, PDF, Word or tables. Only you can see them."),
        "corpus",
        _("Add your own documents"),
        "upload",
    ),
    (
        _("Decide"),
        _("Two searches on judged questions: is the difference significant?"),
        "evaluate",
        _("Measure"),
        "leaderboard",
    ),
)
for column, (title, text, page, label, icon) in zip(st.columns(4), doors, strict=True):
    with column, st.container(border=True, height="stretch"):
        st.markdown(f"**{title}**  \n{text}")
        if icon == "groups" and not joining.presents(joining.known()):
            if st.button(label, key="home.class", icon=f":material/{icon}:", type="tertiary"):
                joining.begin(1)
                st.switch_page(navigation.find(page))
        else:
            st.page_link(navigation.find(page), label=label, icon=f":material/{icon}:")

used = bm25.analyzer.for_query(query.text)
words = [used.read(query.text[t.start : t.end]).text for t in used.spans(query.text) if t.kind in ("word", "part")]
hits = found[of_words].hits
live = {
    "corpus": _n("{n:,} passage", "{n:,} passages", len(f.corpus), n=len(f.corpus)),
    "tokenizer": " · ".join(words[:5]),
    "compare": hits[0].document.label if hits else "",
}
with st.container(border=True):
    st.caption(_("The path of a query: “{query}”", query=escape.plain(query.text, 120)))
    groups = [
        {"title": title, "color": colour, "steps": [dict(step, value=live.get(step["page"], "")) for step in steps]}
        for title, colour, steps in navigation.path()
    ]
    go = components.path({"groups": groups}, key="home.path")
if go:
    st.switch_page(navigation.find(go))
st.caption(
    listed(
        (
            _(
                "{name}. Passages: {n}, questions: {q}, judged: {j}.",
                name=escape.plain(frame.corpus_title(f.corpus.name)),
                n=len(f.corpus),
                q=len(f.collection.queries),
                j=len(f.collection.judged),
            ),
            _("No language model: a rule does the work instead, and the page says so."),
        ),
        " ",
    )
)
p.end(searches, found)
