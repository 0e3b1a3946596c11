"""The tags of a corpus on the page Documents: how common each is, and what the neighbours of a passage suggest."""

from __future__ import annotations

import streamlit as st

from lab.algebra import Document
from lab.corpus.statistics import Statistics, tag_field
from lab.refine.tags import Tags
from lab.ui import escape
from lab.ui.i18n import _, listed, say
from lab.ui.layout import tables
from lab.ui.layout.page import Page


def tags(p: Page, stats: Statistics, document: Document) -> None:
    """The smoothed share of each tag, and the suggestions for this passage; nothing for a corpus without tags."""
    name = tag_field(stats.fields)
    start = Tags(tag_field=name)
    if p.frame.corpus.elsewhere or not start.shares(p.frame.corpus):
        return
    with p.fold("tags", _("Tags: shares and suggestions"), ":material/sell:") as seen:
        if seen:
            _drawn(p, start, document)


def _drawn(p: Page, start: Tags, document: Document) -> None:
    corpus = p.frame.corpus
    tagger = p.knobs(start, "smoothing", "neighbours", "count", "rounding", into=st.columns(4))
    left, right = st.columns([1, 1.5], gap="large")
    shares = tagger.shares(corpus)
    with left:
        st.subheader(_("Smoothed shares"), anchor=False)
        columns = {"tag": _("Tag"), "count": _("Passages"), "share": _("Share")}
        rows = [{"tag": x.tag, "count": x.count, "share": f"{x.share:.5f}"} for x in shares.values()]
        tables.draw(_("Smoothed shares"), rows, key="corpus.tags.shares", columns=columns)
        total = sum(x.count for x in shares.values())
        smoothing = len(shares) if tagger.smoothing is None else tagger.smoothing
        st.caption(_("Share = (passages + 1) / (N + S), with N = {n} and S = {s}.", n=total, s=f"{smoothing:g}"))
    with right:
        st.subheader(_("Suggested for “{title}”", title=escape.plain(document.label, 60)), anchor=False)
        own = listed(tagger.of(document)) or "–"
        st.caption(_("Its own tags: {tags}", tags=escape.plain(own, 200)))
        suggested = tagger.for_document(document, corpus)
        if not suggested:
            st.info(escape.plain(say(tagger.reason(document, corpus))), icon=":material/label_off:")
            return
        columns = {
            "tag": _("Tag"),
            "count": _("Neighbours"),
            "near": _("Share near"),
            "share": _("Share"),
            "lift": _("Lift"),
            "weight": _("Weight"),
        }
        rows = [
            {"tag": x.tag, "count": x.count}
            | {"near": f"{x.near:.5f}", "share": f"{x.share:.5f}", "lift": f"{x.lift:.3f}", "weight": f"{x.weight:.3g}"}
            for x in suggested
        ]
        tables.draw(_("Suggested tags"), rows, key="corpus.tags.suggested", columns=columns)
        st.caption(_("Lift = share near / share. The share near counts only the neighbours, with the same S."))
