"""Evaluate: several searches over all judged questions, compared with their uncertainty; a knob over its range."""

from __future__ import annotations

import streamlit as st

from lab.core import Ranking, Searcher
from lab.ui import evaluating, sweeping
from lab.ui.i18n import _
from lab.ui.page import Page

p = Page(
    "evaluate",
    _("Evaluate"),
    _("Is one search better than another? Every judged question is asked of each, and chance is reckoned with."),
)
c = p.frame.collection
p.lessons()
if not c.judged:
    told = _(
        "This corpus has no question with a document judged relevant, so nothing can be measured on it. Grade passages "
        "on the page “Judge”, or bring a test collection on the page “Documents”."
    )
    st.info(told, icon=":material/rule:")
    p.stop()

systems = evaluating.choose(p)
row = st.columns([3, 2.4, 1.1, 1.4], vertical_alignment="bottom")
with row[0]:
    tab = p.choose(
        "tab",
        _("What to look at"),
        ("compare", "sweep"),
        "compare",
        format_func={"compare": _("Compare searches"), "sweep": _("Sweep a knob")}.__getitem__,
    )
with row[1]:
    wanted = evaluating.measures(p)
if not systems:
    st.info(_("Choose at least one search above."), icon=":material/checklist:")
    p.stop()
with row[2]:
    limit = p.number("n", _("Questions"), 1, len(c.judged), min(evaluating.MANY, len(c.judged)))
if wanted is None:
    p.stop()
asked = c.judged[:limit]
searches = {name: s for name, s in systems.items() if isinstance(s, Searcher)}

if tab == "sweep":
    p.end(searches, sweeping.tab(p, searches, evaluating.pictured(p, wanted), asked))
    p.stop()

with row[3]:
    first = evaluating.baseline(p, list(systems))
made = evaluating.experiment(p, systems, wanted, first, asked)
if made is None:
    p.stop()
with st.container(border=True):
    st.subheader(_("What each reaches"), anchor=False)
    measure = evaluating.pictured(p, wanted)
    evaluating.overview(p, made, measure)
lists = dict[str, Ranking]()
if len(systems) > 1:
    with st.container(border=True):
        st.subheader(_("Is that more than chance?"), anchor=False)
        evaluating.differences(p, made, measure)
    with st.container(border=True):
        st.subheader(_("Question by question"), anchor=False)
        lists = evaluating.one_by_one(p, made, measure)
if len(made.types) > 1:
    with p.fold("types", _("By kind of question"), ":material/category:") as seen:
        if seen:
            evaluating.by_type(p, made, measure)
with p.fold("files", _("All figures, runs and files"), ":material/table_rows:") as seen:
    if seen:
        evaluating.files(p, made)
p.end(searches, lists)
