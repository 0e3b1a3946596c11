"""Answer: what a list is good for; the context as it is sent, an answer, and what each of its sentences rests on."""

from __future__ import annotations

import streamlit as st

from lab.algebra import DEPTH
from lab.answer.citations import BestSentence
from lab.answer.context import Context
from lab.answer.extract import Extractive
from lab.answer.replaced import replaced_sources
from lab.ui import escape
from lab.ui.i18n import _, say
from lab.ui.layout.page import Page
from lab.ui.lists import trust, whereabouts
from lab.ui.study import evaluating
from pages.whole.answer import answering, parts

p = Page(
    "answer", _("Answer"), _("Which passage supports each sentence of the answer, and which sentence has no support?")
)
f = p.frame
p.lessons()
query = p.query(action=_("Answer"))
first = st.container(key=p.key("first"))  # the answer stands before what makes it
with st.container(key=p.key("controls")):
    sides, ask = answering.beside(p)
    row = p.row([1.1, 1.2, 1.4, 1.1])
    context = p.knobs(Context(), "budget", "most", "order", into=row[:3])
    with row[3], st.popover(_("More"), icon=":material/tune:", width="stretch"):
        kind = p.technique("cite", _("Cited by"), answering.RULES, BestSentence)
        rule, extract, rate = answering.every(p, kind()), answering.every(p, Extractive()), answering.checked(p)
    again, versions = answering.again(p, ask), sides.versions(context)
    sources = st.container()  # they stand before fields that are rarely filled
    answering.field(p)
    query = answering.after_turns(p, query)
p.need_question(query)

searches = {v.name if len(versions) > 1 else _("passages"): v.search >> v.context for v in versions}
with first:
    evaluating.warn(p, searches)
    p.run(searches, query)
results = answering.made(p, versions, query, extract, again)
model_answer = parts.prompted(p)
requests = [(result, model_answer.request(query.text, result.sent.passages, result.searched)) for result in results]
columns = answering.columns(p, results, rule, rate, requests)
column, i, passage = answering.looked_at(p, columns)
at = f"{column.key}/{i}" + ("" if passage is None else f"/{passage}")
opened = column.answered.passages[passage].id if passage is not None else ""

with first, st.container(border=True):
    answering.draw(p, columns, at)
    for sentence in replaced_sources(column.answered, results[0].rounds[0].context.corpus):
        st.warning(escape.plain(say(sentence)), icon=":material/update:")
    if columns[0].told is not None and not columns[0].told.says:
        parts.ask_back(p, columns[0].told)
    parts.model(p, requests)
    parts.feedback(p, columns, query.text)
if column.answered.sentences:
    looked = parts.looked(p, column.answered, rule)
    with sources, p.box(_("Sentence {n}: its sources", n=i + 1)):
        parts.source(p, column, i, passage, looked)
if column.answered.sentences and column.answered.passages:
    with p.box(_("Two rules of citation, side by side")):
        parts.rules(p, column.answered, looked)
with p.box(_("The context, as it is sent")):
    parts.context(p, results, column, f"{column.key}/{i}", opened)
whereabouts.field(p, searches, query, DEPTH)
if ask:
    with p.box(_("Round by round"), "rounds"):
        parts.rounds(p, results)
lists = {name: p.runner(v.search, query, DEPTH) for name, v in zip(searches, versions, strict=True)}
trust.fold(p, {name: v.search for name, v in zip(searches, versions, strict=True)}, lists)
with p.fold("prompt", _("Full prompt"), ":material/description:") as seen:
    if seen:
        parts.prompt(p, model_answer, query.text, requests)
with p.fold("take", _("Download the answer"), ":material/download:") as seen:
    if seen:
        parts.take_along(p, columns, requests)
p.end(searches, {name: result.rounds[0].context for name, result in zip(searches, results, strict=True)})
