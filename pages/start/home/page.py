"""Home: one question, the ranks of its answer in three lists, what the lab is for, and the path of a query."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import streamlit as st

from lab.algebra import Searcher
from lab.evaluate.experiments import of_runs
from lab.explain.apart import Ranks
from lab.explain.questions import LARGE
from lab.fuse import RRF
from lab.retrieve.lexical import BM25, LexicalIndex
from lab.retrieve.vector import Vector, VectorIndex
from lab.ui import components, navigation, palette
from lab.ui.escape import plain
from lab.ui.i18n import _, _n, labelled, listed, say
from lab.ui.layout.page import Page
from lab.ui.lists import show, sources
from lab.ui.people import company
from lab.ui.study import measuring, pipelines

SHOWN = 5  # documents of every list: enough to see that they disagree
MEASURE = "nDCG@10"

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
of_words, of_both, of_meaning = (say(x.label) for x in (bm25, RRF(), vector))
searches: dict[str, Searcher] = {of_words: bm25}
if len(f.corpus) <= LARGE:
    searches |= {of_both: fused, of_meaning: vector}
found = p.run(searches, query)
relevant = show.relevance(f, query)

lists = [
    sources.panel(p, sources.Source(name, op, name, palette.family(op)), found[name], query)
    for name, op in ((of_words, bm25), (of_meaning, vector))
    if name in found
]
why: Ranks | None = None
if of_both in found:
    at = [p.runner.index(x) for x in (bm25, vector)]
    if query.text.strip() and isinstance(at[0], LexicalIndex) and isinstance(at[1], VectorIndex):
        why = Ranks(found[of_words], found[of_meaning], found[of_both], at[0], at[1])
    lists = [lists[0], sources.fused_panel(of_both, found[of_both], lists, palette.family(RRF())), lists[1]]
doc = show.selected(lists, relevant, SHOWN)
answers = [x for x in (doc, *relevant) if relevant.get(x, 0) >= f.answering]
answer = f.corpus.get(answers[0]) if why and answers else None
if why and answer:
    title = labelled(_("The answer"), f"“{plain(answer.label, 60)}”")
    st.markdown(labelled(f":material/radio_button_unchecked: **{title}**", plain(answer.text, 100)))
    places = [x.ranking.rank(answer.id) or (f"> {x.ranking.asked}" if x.ranking.asked else "–") for x in lists]
    reasons = map(say, why.of_answer(answer))
    lists = [replace(x, place=str(n), why=reason) for x, n, reason in zip(lists, places, reasons, strict=True)]
show.lists("home", lists, f, depth=SHOWN, chosen=doc, relevant=relevant, question="", pinned=False, counted=False)


def measured() -> Iterator[str]:
    """The means over all judged questions, and each of the two lists against their fusion."""
    c, runs = f.collection, measuring.runs(p, searches)
    if not runs:
        return
    e = of_runs(runs, c, [MEASURE], c.judged, len(c.judged), baseline=of_both)
    yield labelled(MEASURE, listed(f"{name} {e.mean(name, MEASURE):.3f}" for name in runs))
    for name in (of_words, of_meaning):
        yield labelled(name, listed(e.told(name, MEASURE), " "))


if why:
    with st.container(border=True, key="home-why"):
        if answer:
            st.subheader(plain(say(why.of_fusing(answer))), anchor=False)
            with p.fold("judged", _("Over all judged questions"), ":material/leaderboard:") as seen:
                if seen:
                    st.markdown("\n".join(f"- {plain(line)}" for line in measured()))
        else:
            st.markdown(pipelines.agreement(found[of_words], found[of_meaning], SHOWN))


def door(title: str, text: str, page: str, label: str, icon: str) -> None:
    """What the lab is for, and the page where it begins."""
    st.markdown(f"**{title}**  \n{text}")
    st.page_link(navigation.find(page), label=label, icon=f":material/{icon}:")


def doors() -> None:
    """Three doors: learn and teach, try one's own documents, decide."""
    learn, own, decide = (column.container(border=True, height="stretch") for column in st.columns(3))
    with learn:
        part = company.part()
        text = listed(filter(None, (_("A 90-minute course: predict, then check."), say(part.promise))), " ")
        door(_("Learn and teach"), text, "course", _("Start"), "school")
        part.door()
    with own:
        text = _("Upload text, PDF, Word or tables. Only you can see them.")
        door(_("Try"), text, "corpus", _("Add your own documents"), "upload")
    with decide:
        text = _("Two searches on judged questions: is the difference significant?")
        door(_("Decide"), text, "evaluate", _("Compare searches"), "leaderboard")


def path_of_query() -> None:
    """The pages in the order of a query's way, with what this question is on some of them."""
    used = bm25.analyzer.for_query(query.text)
    words = [used.read(query.text[t.start : t.end]).text for t in used.spans(query.text) if t.kind in ("word", "part")]
    hits = found[of_words].hits
    live = {
        "corpus": _n("{n:,} passage", "{n:,} passages", len(f.corpus)),
        "tokenizer": " · ".join(words[:5]),
        "compare": hits[0].document.label if hits else "",
    }
    with st.container(border=True):
        st.caption(_("The path of a query: “{query}”", query=plain(query.text, 120)))
        groups = [
            {"title": title, "color": colour, "steps": [dict(step, value=live.get(step["page"], "")) for step in steps]}
            for title, colour, steps in navigation.path()
        ]
        go = components.path({"groups": groups}, key="home.path")
    if go:
        st.switch_page(navigation.find(go))


doors()
path_of_query()
p.end(searches, found)
