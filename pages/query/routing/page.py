"""Routing: several collections, one question: where it is sent, how sure that is, and what being unsure is worth."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from lab.corpus.beir import Collection
from lab.rewrite.routing import CollectionRouter, Decision, Route
from lab.ui.i18n import _
from lab.ui.layout.page import Page
from lab.ui.lists import show, sums
from pages.query.routing import parts

p = Page(
    "routing",
    _("Routing"),
    _("Several corpora, one question: which one is searched, how confident is the router, and what if it is not?"),
)
f = p.frame
p.lessons()
query = p.query()

row = p.row([1.5, 1.9, 1.5, 1.1, 1.2])
start = p.knobs(CollectionRouter(), "best", "examples", "margin", into=row[:3])
k = p.number("k", _("Show"), 1, 50, 5, into=row[3])
with row[4]:
    parts.only_uploads(p)
verdict, stage, below = st.container(), p.stage(), st.container()  # the lists, and what they come from
places = parts.routes(p)
with below, p.fold("routes", _("Routes"), ":material/alt_route:") as seen:
    if seen:
        places = parts.editor(p, places)
with below:
    router = parts.router(p, start, query)
route = Route(router, parts.runnable(p, places))
with below, p.fold("file", _("The routes as a file"), ":material/description:") as seen:
    if seen:
        parts.files(p, Route(router, places))

p.need_question(query)

rankings = p.run({_("Routed"): route}, query)
ranking = rankings[_("Routed")]
decided = ranking.evidence_as(Decision)
lists = stage.container()
decision = stage.container(border=True, key="routing-decision")
with decision:
    st.subheader(_("Route of the question"), anchor=False)
    parts.decision(decided, router.margin, verdict)

rankings_by_route = p.work("each", _("Searching …"), lambda: parts.found(p.runner, route, query), about=(route, query))
if rankings_by_route is None:
    p.stop()
relevant = parts.relevant(places, query, rankings_by_route.corpus)
panels = parts.panels(rankings_by_route, decided, query)
doc = show.selected(panels, relevant, k)
around = replace(f, collection=Collection(rankings_by_route.corpus, (), {}))  # the passages of all collections
with lists:
    show.lists("routing", panels, around, depth=k, chosen=doc, relevant=relevant, question="", linked=False)

document = rankings_by_route.corpus.get(doc)
if document is not None:
    with p.fold("why", _("Score components"), ":material/functions:") as seen:
        if seen:
            show.passage("routing", document, panels[0].mark)
            sums.bars(panels, doc)

with p.box(_("All judged questions of the routes")):
    parts.measured(p, route)
p.end({_("Routed"): route}, rankings, [(panel.name, panel.ranking) for panel in panels])
