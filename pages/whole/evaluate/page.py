"""Evaluate: searches over all judged questions, with their uncertainty; sweeps, thresholds, turns, growing corpora."""

from __future__ import annotations

import streamlit as st

from lab import packs
from lab.algebra import Ranking, Searcher
from lab.ui import navigation
from lab.ui.i18n import _
from lab.ui.layout.page import Page
from lab.ui.lists import trust
from lab.ui.study import evaluating
from pages.whole.evaluate import growing, sweeping, talking, thresholding

p = Page("evaluate", _("Evaluate"), _("Compare two searches on judged questions: is the difference significant?"))
c = p.frame.collection
views = packs.views(p.name)
for view in views:
    view.visit(p)
p.lessons(beside_question=False)
verdict = st.container()  # it stands before what is measured
tabs = evaluating.tabs(c)
if not tabs:
    message = _(
        "This corpus has no question with a document judged relevant, so nothing can be measured on it. Grade passages "
        "on the page “{judging}”, or add a test collection on the page “{documents}”.",
        judging=navigation.title("judge"),
        documents=navigation.title("corpus"),
    )
    st.info(message, icon=":material/rule:")
    for column, name in zip(st.columns([1, 1, 2]), ("judge", "corpus"), strict=False):
        listed = navigation.listed(name)
        column.page_link(navigation.find(name), label=_(listed.title), icon=f":material/{listed.icon}:")
    p.stop()

systems = evaluating.choose(p)
tabs |= {name: title for view in views for name, title in view.tabs(c).items()}
tab = p.choose("tab", _("View"), list(tabs), next(iter(tabs)), format_func=tabs.__getitem__)
for view in views:
    if tab in view.tabs(c):
        p.end(view.tab(p, systems), {})
        p.stop()
row = p.row([2, 1, 1.3, 2.2])
with row[0]:
    measures = evaluating.measures(p, c.spoken if tab == "talk" else c)
if not systems:
    p.stop(_("Choose at least one search above."), ":material/checklist:")
searches = {name: s for name, s in systems.items() if isinstance(s, Searcher)}
evaluating.warn(p, searches)
evaluating.propose(p, searches)
if tab == "talk":
    p.end(talking.tab(p, systems, measures, row[1:]), {})
    p.stop()
limit = p.number("n", _("Questions"), 1, len(c.judged), min(evaluating.MANY, len(c.judged)), into=row[1])
if measures is None:
    p.stop()
queries = c.judged[:limit]

if tab == "sweep":
    p.end(searches, sweeping.tab(p, searches, evaluating.pictured(p, measures), queries))
    p.stop()

if tab == "grow":
    growing.tab(p, searches, evaluating.pictured(p, measures), queries)
    p.end(searches, {})
    p.stop()

if tab == "threshold":
    p.end(searches, thresholding.tab(p, systems, measures, queries))
    p.stop()

with row[2]:
    first = evaluating.baseline(p, list(systems))
experiment = evaluating.experiment(p, systems, measures, first, queries)
if experiment is None:
    p.stop()
with row[3]:
    measure = evaluating.pictured(p, measures)
lists = dict[str, Ranking]()
if len(systems) > 1:
    evaluating.verdict(experiment, measure, verdict)
    with st.container(border=True, key=p.key("decision")):
        hues = evaluating.colours(systems)
        lists = evaluating.one_by_one(p, experiment, measure, hues, ask=trust.ask(p), into=verdict)
        trust.fold(p, experiment.runs, lists)
history_place = st.container(key="tries-column-evaluate")
with p.box(_("Results of each search"), "overview"):
    evaluating.overview(p, experiment, measure)
evaluating.remember(p, experiment, systems, measure, history_place)
if len(systems) > 1:
    with p.box(_("Is the difference significant?"), "chance"):
        evaluating.differences(p, experiment, measure)
with p.fold("ceilings", _("What could a reranker still gain?"), ":material/vertical_align_top:") as seen:
    if seen:
        evaluating.ceilings(p, experiment, measure)
evaluating.folds(p, experiment, measure)
p.end(searches, lists)
