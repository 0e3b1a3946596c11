"""Repeated passages, near-duplicates and lengths on the page Documents: how many, which pairs, in which groups."""

from __future__ import annotations

import streamlit as st

from lab.algebra import Corpus
from lab.explain.near_duplicates import MOST, MOST_PAIRS, NearDuplicates, near_duplicates
from lab.retrieve.distinct import Distinct
from lab.text import cut
from lab.ui import address, escape, navigation
from lab.ui.i18n import _, _n, say
from lab.ui.layout import tables
from lab.ui.layout.page import Page
from lab.ui.study import evaluating
from lab.ui.work import work

LOWEST, START = 0.5, 0.9


def lengths(corpus: Corpus) -> None:
    """Says if the lengths of the passages spread widely, with a link to Evaluate."""
    if note := evaluating.lengths_note(corpus):
        st.caption(note)
        icon, page = ":material/monitoring:", navigation.find("evaluate")
        st.page_link(page, label=_("Compare b and query likelihood"), icon=icon)


def draw(p: Page) -> None:
    """Draws the number of repeated passages and a folded report of near-duplicates, of a corpus in memory."""
    if p.frame.corpus.elsewhere:
        return
    _repeated(p.frame.corpus)
    with p.fold("repeated", _("Near-duplicates"), ":material/content_copy:") as seen:
        if seen:
            _report(p)


def _repeated(corpus: Corpus) -> None:
    distinct = Distinct.of(corpus)
    if not distinct.repeated:
        return
    most = int(distinct.sizes.argmax())
    message = _(
        "Passages with the text of another passage: {n}. Passages with the most frequent text: {m}, first {id}: "
        "“{text}”. They have equal scores and take ranks from others.",
        n=f"{distinct.copies:,}",
        m=f"{int(distinct.sizes[most]):,}",
        id=escape.plain(corpus.documents[distinct.firsts[most]].id, 40),
        text=escape.plain(cut(corpus.documents[distinct.firsts[most]].content, 80)),
    )
    st.warning(message, icon=":material/content_copy:")


def _report(p: Page) -> None:
    corpus, embedder = p.frame.corpus, p.frame.embedder
    if len(corpus) > MOST:
        st.info(_("Near-duplicates are compared up to this number of passages: {n}.", n=f"{MOST:,}"))
        return
    key = address.keep(p.key("repeated.cosine"), START, address.number(LOWEST, 1.0, whole=False))
    threshold = float(st.slider(_("Near-duplicates from cosine"), LOWEST, 1.0, step=0.01, key=key))
    about = ("near-duplicates", embedder, threshold)
    report = work(
        "repeated",
        _("Comparing all passages …"),
        lambda progress: corpus.awaited(
            about, lambda told: near_duplicates(corpus, embedder, threshold, progress=told), progress
        ),
        about=about,
    )
    if report is not None:
        _drawn(report, say(embedder.label))


def _drawn(report: NearDuplicates, model: str) -> None:
    st.markdown(
        _n(
            "**{n} of {total} passages has a neighbour at {cosine} or more.**",
            "**{n} of {total} passages have a neighbour at {cosine} or more.**",
            report.count,
            total=report.passages,
            cosine=f"{report.threshold:.2f}",
        )
    )
    st.caption(
        _(
            "Cosine of whole passages ({model}), every passage with every other. Groups: {n}.",
            model=model,
            n=len(report.groups),
        )
    )
    if not report.pairs:
        return
    group_of = {document.id: n for n, group in enumerate(report.groups, 1) for document in group}
    columns = {"cosine": _("Cosine"), "first": _("Passage"), "second": _("Neighbour"), "group": _("Group")}
    rows = [
        {
            "cosine": f"{pair.cosine:.3f}",
            "first": f"{pair.first.id} {pair.first.label}",
            "second": f"{pair.second.id} {pair.second.label}",
            "group": group_of[pair.first.id],
        }
        for pair in report.pairs
    ]
    tables.draw(_("Near-duplicates"), rows, key="corpus.repeated", columns=columns)
    if report.total_pairs > MOST_PAIRS:
        st.caption(_("Most similar pairs listed: {n} of {total}.", n=MOST_PAIRS, total=report.total_pairs))
