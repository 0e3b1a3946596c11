"""Documents: what is being searched; samples, uploads, pasted text, and how they are cut."""

from __future__ import annotations

from typing import Any

import streamlit as st

from lab.models.embedders import reading_note
from lab.ui import address, components, escape, palette
from lab.ui.documents import uploading
from lab.ui.figures import charts
from lab.ui.i18n import _, listed, say
from lab.ui.layout import export, frame, tables
from lab.ui.layout.page import Page
from lab.ui.lists import facets, grading, show
from pages.start.corpus import own, repeated, tagged

p = Page("corpus", _("Documents"), _("What is being searched? Browse the corpus, or add your own documents."))
f = p.frame

stats = uploading.statistics_of(f.corpus)
grading.carried()

inviting = not st.session_state.get("_uploaded_once", False) and f.corpus.name not in frame.uploads()
with p.fold("add", _("Add your own documents"), ":material/upload:", opened=inviting) as seen:
    if seen:
        uploading.panel(p)

own.uploads(p)
own.summary(p, stats)

with st.container(border=True):
    head, find = st.columns([2, 1], vertical_alignment="bottom")
    head.subheader(
        _("The passages of “{name}”", name=escape.plain(frame.corpus_title(f.corpus.name), 60)), anchor=False
    )
    address.keep("corpus.find", "")
    needle = find.text_input(
        _("Must contain"), key="corpus.find", placeholder=_("a word …"), label_visibility="collapsed"
    )
    documents = (
        [d for d in f.corpus if needle.casefold() in f"{d.id} {d.title} {d.text}".casefold()]
        if needle
        else list(f.corpus)
    )
    if not documents:
        st.info(_("No passage contains “{word}”.", word=escape.plain(needle, 60)), icon=":material/search_off:")
    else:
        fields = [x.name for x in stats.fields]
        event = tables.draw(
            _("The passages"),
            uploading.as_table(documents[:2000], fields),
            key="corpus.table",
            on_select="rerun",
            selection_mode="single-row",
            height=min(360, 38 + 35 * max(1, len(documents))),
            columns={
                **{name: facets.named(name) for name in fields},
                "id": _("Id"),
                "title": _("Title"),
                "text": st.column_config.TextColumn(_("Text"), width="large"),
                "length": _("Length"),
            },
        )
        if len(documents) > 2000:
            st.caption(_("The first 2,000 passages are listed, of {n}.", n=len(documents)))
        rows = event["selection"]["rows"] if event else []
        clicked = next((documents[i] for i in rows if i < len(documents)), None)
        doc = clicked or f.corpus.get(st.session_state.get("doc", "")) or documents[0]
        words = [needle] if needle else []
        show.passage("corpus", doc, lambda text: uploading.places(text, words))

left, right = st.columns(2, gap="medium")
with left, p.box(_("Lengths of the passages")):
    if note := reading_note(f.embedder, f.corpus):
        st.caption(say(note))
    repeated.lengths(f.corpus)
    charts.draw(charts.histogram(stats.lengths, _("characters"), colour=palette.named("bm25")), "corpus.lengths")
with right, p.box(_("Distinctive terms")):
    weights, terms = [w for _t, w in stats.terms[:12]], [t for t, _w in stats.terms[:12]]
    charts.draw(charts.bars(weights, terms, palette.named("fused"), digits=3), "corpus.terms")
    st.caption(_("Keywords by TF-IDF: frequent here, rare elsewhere."))
if stats.fields:
    with p.fold("fields", _("Metadata fields"), ":material/label:") as seen:
        if seen:
            columns: dict[str, Any] = {
                "name": _("Field"),
                "type": _("Type"),
                "count": _("Present"),
                "missing": _("Missing"),
                "distinct": _("Different values"),
                "common": _("Most frequent"),
            }
            facts = [
                (x.name, own.kind(x), x.count, x.missing, x.distinct, listed(f"{v} ({n})" for v, n in x.common))
                for x in stats.fields
            ]
            table = [dict(zip(columns, fact, strict=True)) for fact in facts]
            tables.draw(_("Metadata fields"), table, key="corpus.fields", columns=columns)
repeated.draw(p)
tagged.tags(p, stats, f.corpus.get(st.session_state.get("doc", "")) or next(iter(f.corpus)))
row = st.container(horizontal=True)
components.download(
    row,
    _("This corpus as a BEIR zip"),
    lambda: uploading.as_zip(f.collection),
    export.zipped(f.corpus.name),
    "application/zip",
    key="corpus.zip",
    icon=":material/download:",
)
with p.exports():
    pass  # pictures and tables only
