"""Inside the index: the postings of a question, and which of them are read."""

from __future__ import annotations

from typing import cast

import streamlit as st

from lab import catalog
from lab.retrieve.lexical import BM25, Lexical, LexicalIndex
from lab.ui import address, escape, palette
from lab.ui.figures import charts
from lab.ui.i18n import _, listed, say
from lab.ui.layout import operators
from lab.ui.layout.page import Page
from lab.ui.lists import show, sources, why
from lab_packs.inside.pages.index.inside import parts
from lab_packs.inside.postings import MOST, size_of, walk

p = Page("inside", _("Inside the index"), _("What does a search engine read to answer this?"))
f = p.frame
p.lessons()
query = p.query()

kinds = [cls for cls in catalog.with_role(catalog.retrievers, "list") if issubclass(cls, Lexical)]
row = p.row([3, 2, 2, 2, 2])
with row[0]:
    kind = p.technique("by", _("Scored by"), kinds, BM25)
k = p.number("k", _("Best"), 1, 100, 10, _("Number of passages to find. More: less can be skipped."), into=row[1])
operator = p.knobs(kind(), into=row[2:], with_name=True)
searches = {say(operator.label): operator}
ranking = next(iter(p.run(searches, query).values()))
relevant = show.relevance(f, query)
colour = palette.family(operator)
final = sources.panel(p, sources.Source(operator.key, operator, say(operator.label), colour), ranking, query)
index = cast(LexicalIndex, p.runner.index(operator))
steps = walk(index, query, k=k)
if not steps.steps:
    p.stop(escape.plain(final.empty), ":material/search_off:")

step_key, last = p.key("step"), len(steps.steps)
address.keep(step_key, parts.telling(steps), address.number(1, 20_000, whole=True))
about = operator, query.text, query.weights, k, f.corpus.fingerprint
if st.session_state.setdefault("_inside", about) != about or st.session_state[step_key] > last:
    address.put(step_key, parts.telling(steps))
st.session_state["_inside"] = about


def follow() -> None:
    """Open the passage of the step."""
    address.put("doc", f.corpus.documents[steps.steps[int(st.session_state[step_key]) - 1].document].id)


step = int(st.session_state[step_key])
best = parts.so_far(steps, step, query, operator, f.corpus)
panels = [show.Panel(best, _("Best after step {n}", n=step), colour, final.mark), final]
doc = show.selected(panels, relevant, k)
with st.container(border=True, key="inside-postings"), st.container(key="pictures-inside"):
    st.markdown(parts.read_so_far(steps))
    left, right = st.columns([1.9, 1], gap="medium")
    with left:
        event = charts.clickable(parts.picture(steps, f.corpus, colour, step, doc), "inside.picture")
        if last > 1:
            notes = _("Arrow keys move one step."), _("Dotted line: the score of rank {k} so far.", k=k)
            st.slider(_("Step"), 1, last, key=step_key, on_change=follow, help=listed(notes, " "))
    with right:
        parts.in_words(steps, step, f.corpus)
clicked = charts.clicked(event)
if clicked and clicked != st.session_state.get("doc"):
    reached = [n for n, step in enumerate(steps.steps, 1) if step.document == f.corpus.positions[clicked]]
    if reached:
        address.put(step_key, reached[0])
    show.click(event)
with p.stage():
    show.lists("inside", panels, f, depth=k, chosen=doc, relevant=relevant)
    if doc:
        why.section("inside", [final], p.runner, f, doc, relevant)
if not steps.skips:
    st.info(
        _("A word adds nothing, or less than nothing, to a score: no bound holds, so every posting is read."),
        icon=":material/info:",
    )
if steps.end < len(f.corpus):
    cut = {"n": f"{MOST:,}", "end": f"{steps.end:,}", "of": f"{len(f.corpus):,}"}
    st.info(_("The first {n} postings are walked: passages 1 to {end} of {of}.", **cut), icon=":material/info:")
st.caption(parts.engine(index, query, steps))
with p.fold("boolean", _("All words or any word: lists as sets"), ":material/join_inner:") as seen:
    if seen:
        operators.tree(p.name, query, f.corpus)
        parts.boolean(steps)
with p.fold("bytes", _("How the lists are stored"), ":material/save:") as seen:
    if seen:
        names = parts.word_names(steps)
        parts.bytes_of(dict(zip(names, steps.lists, strict=True)), p.key("list"))
        size = f.corpus.once(("inside.size", operator.analyzer), lambda: size_of(index))
        numbers = {"terms": size.terms, "postings": size.postings, "plain": size.plain, "coded": size.coded}
        st.caption(
            _(
                "The whole index: terms {terms}, postings {postings}; bytes of passage numbers {plain}, "
                "as gaps {coded}.",
                **{name: f"{value:,}" for name, value in numbers.items()},
            )
        )
p.end(searches, {say(operator.label): ranking})
