"""Judge: the pooled hits of several searches, shuffled and without their places, graded by key."""

from __future__ import annotations

import streamlit as st

from lab.algebra import Searcher
from lab.evaluate.judging import pool
from lab.retrieve.explaining import word_marker
from lab.text import Analyzer
from lab.ui import address
from lab.ui.i18n import _
from lab.ui.layout.page import Page
from lab.ui.lists import grading
from lab.ui.study import evaluating
from pages.whole.judge import parts, rating

p = Page(
    "judge",
    _("Judge"),
    _("Which passages answer the question? With your own grades, every measure works on your documents."),
)
f = p.frame
lesson = p.lessons()
query = p.query()

row = p.row([1.6, 3.6, 1.2])
with row[0]:
    address.keep(grading.RATER, "", address.text(60))
    help_text = _("If two people judge under different rater names, their agreement is shown below.")
    st.text_input(_("Rater name"), key=grading.RATER, max_chars=60, placeholder=_("me"), help=help_text)
known = {key: (name, s) for key, (name, s) in evaluating.offered(p).items() if isinstance(s, Searcher)}
with row[1]:
    chosen = p.several(
        "searches",
        _("Searches in the pool (blind)"),
        list(known),
        ("bm25", "vector", "hybrid"),
        format_func=lambda key: known[key][0],
    )
k = p.number("k", _("Pool depth"), 1, 50, 10, into=row[2])
if not chosen:
    p.stop(_("Choose at least one search above."), ":material/checklist:")
searches = {known[key][0]: known[key][1] for key in chosen}
if not evaluating.ready(p, searches.values()):
    p.stop()
rankings = p.run(searches, query)
passages = pool(rankings.values(), k, seed=query.text)
if query.blank:
    st.info(_("The query is empty. Type a question."), icon=":material/edit:")
elif not passages:
    st.info(_("None of these searches finds anything for this question."), icon=":material/search_off:")
else:
    parts.pooled(p, query.text, passages, word_marker(query.text, Analyzer()))
parts.next_question(p, query.text)
parts.unplaced(p)
with p.box(_("Do the raters agree?"), "raters"):
    parts.agreement(p, lesson)
with p.fold("rater", _("A model as rater"), ":material/smart_toy:") as seen:
    if seen:
        rating.part(p, query.text, passages, searches)
with p.fold("files", _("Export and import grades"), ":material/folder:") as seen:
    if seen:
        parts.files(p)
with p.fold("whose", _("Found by"), ":material/visibility:") as seen:
    if seen:
        parts.revealed(p, query.text, rankings, k)
p.end(searches, rankings)
