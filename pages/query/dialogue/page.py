"""Dialogue: what a search must be asked when a question leans on what was said before."""

from __future__ import annotations

import streamlit as st

from lab.algebra import Query
from lab.refine.unseen import Unseen
from lab.rewrite.contextual import Contextual
from lab.rewrite.plain import names_time
from lab.ui import escape
from lab.ui.i18n import _
from lab.ui.layout.page import Page
from lab.ui.lists import show, sources
from lab.ui.study import pipelines
from pages.query.dialogue import parts

p = Page(
    "dialogue",
    _("Dialogue"),
    _("“And at night?” finds nothing by itself. How must the search be asked, so that the earlier turns count?"),
)
f = p.frame
p.lessons(beside_question=False)
talk = parts.said(p)

chat, lists = parts.beside(p)
with lists:
    heading = st.container()
    row = p.row([1.3, 1.4, 1.2, 1.8, 0.8])
with row[0]:
    source = sources.choose_one(p, "bm25", label=_("Retriever"), questions=[line.text for line in talk])
contextual = p.knobs(Contextual(), "rule_of", "decay", into=row[1:3])
held_back = p.switch(
    "unseen",
    _("Passages not shown before"),
    help=_("Passages shown in earlier turns are penalised or hidden."),
    into=row[3],
)
k = p.number("k", _("Show"), 1, 50, 8, into=row[4])
with lists:
    unseen = p.knobs(Unseen(), "first", "how", "share", into=st.columns(3)) if held_back else None
    if any(names_time(line.text) for line in talk):
        contextual = p.knobs(contextual, "as_of")
    stage = p.stage()
if p.models.get("chat"):
    contextual = parts.by_model(contextual)

turns = parts.held(p, talk, contextual, source.retriever, unseen)
looked = parts.looked_at(turns)
with chat:
    tools = parts.heading(p, talk)
    parts.draw(p, talk, turns, looked)
    parts.speak(p, talk)
if not turns:
    lists.info(
        _("There are no turns yet. Ask something, or choose a conversation of this corpus."), icon=":material/forum:"
    )
    p.stop()

turn, line = turns[looked - 1], talk[looked - 1]
search = parts.search_of(line, contextual, source.retriever, unseen)
alone_text = turn.query.text
searches = {_("With the conversation"): search, _("This turn alone"): source.retriever}
queries = (turn.query, Query(alone_text))
rankings = {n: p.run({n: s}, q)[n] for (n, s), q in zip(searches.items(), queries, strict=True)}
relevant = dict(f.collection.spoken.relevant(turn.query.id))
heading.subheader(_("Turn {n}: {text}", n=looked, text=escape.plain(alone_text, 80)), anchor=False)
with stage.container():
    panels = parts.panels(p, source, rankings, turn)
    doc = show.selected(panels, relevant, k)
    removed = pipelines.removed([*rankings.values()], 50)
    # no judgments for a turn without its history: it is only the baseline that shows the conversation's effect
    show.lists("dialogue", panels[::-1], f, question="", depth=k, chosen=doc, relevant=relevant, removed=removed)
document = f.corpus.get(doc)
if document is not None:
    with stage.container(border=True):
        parts.why(panels, document)
with tools:
    parts.take_along(p, talk, turns)
p.end(searches, rankings)
