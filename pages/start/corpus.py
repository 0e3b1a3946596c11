"""Documents: what is being searched; samples, uploads, pasted text, and how they are cut."""

from __future__ import annotations

import streamlit as st

from lab.ui import address, charts, escape, frame, palette, show, uploading
from lab.ui.i18n import _
from lab.ui.page import Page

p = Page("corpus", _("Documents"), _("What is being searched? Look through the corpus, or bring your own."))
f = p.frame

numbers = st.columns(4)
stats = uploading.statistics_of(f.corpus)
numbers[0].metric(_("Passages"), f"{stats.documents:,}")
numbers[1].metric(_("Characters"), f"{stats.characters:,}")
numbers[2].metric(_("Characters per passage"), f"{stats.characters / max(stats.documents, 1):.0f}")
numbers[3].metric(_("Questions with judgments"), f"{len(f.collection.judged):,}")

with st.expander(
    _("Add your own documents"),
    icon=":material/upload:",
    expanded=not st.session_state.get("_uploaded_once", False) and f.corpus.name not in frame.uploads(),
):
    uploading.panel(p)

with st.container(border=True):
    head, find = st.columns([2, 1], vertical_alignment="bottom")
    head.subheader(
        _("The passages of “{name}”", name=escape.plain(frame.corpus_title(f.corpus.name), 60)), anchor=False
    )
    address.keep("corpus.find", "")
    needle = find.text_input(
        _("Only passages with"), key="corpus.find", placeholder=_("a word …"), label_visibility="collapsed"
    )
    documents = (
        [d for d in f.corpus if needle.casefold() in f"{d.id} {d.title} {d.text}".casefold()]
        if needle
        else list(f.corpus)
    )
    if not documents:
        st.info(_("No passage has “{word}”.", word=escape.plain(needle, 60)), icon=":material/search_off:")
    else:
        fields = [x.name for x in stats.fields]
        event = st.dataframe(
            uploading.as_table(documents[:2000], fields),
            hide_index=True,
            key="corpus.table",
            on_select="rerun",
            selection_mode="single-row",
            height=360,
            column_config={
                "id": "id",
                "title": _("Title"),
                "text": st.column_config.TextColumn(_("Text"), width="large"),
                "length": _("Length"),
            },
        )
        if len(documents) > 2000:
            st.caption(_("The first 2,000 of {n} are listed.", n=len(documents)))
        rows = event["selection"]["rows"] if event else []
        doc = (
            documents[rows[0]]
            if rows and rows[0] < len(documents)
            else f.corpus.get(st.session_state.get("doc", "")) or documents[0]
        )
        words = [needle] if needle else []
        show.passage("corpus", doc, lambda text: uploading.places(text, words))

left, right = st.columns(2, gap="medium")
with left, st.container(border=True):
    st.subheader(_("How long the passages are"), anchor=False)
    st.plotly_chart(
        charts.histogram(stats.lengths, _("characters"), colour=palette.named("bm25")),
        key="corpus.lengths",
        config=charts.CONFIG,
    )
with right, st.container(border=True):
    st.subheader(_("What they speak of"), anchor=False)
    st.plotly_chart(
        charts.bars(
            [w for _t, w in stats.terms[:12]], [t for t, _w in stats.terms[:12]], palette.named("fused"), digits=3
        ),
        key="corpus.terms",
        config=charts.CONFIG,
    )
    st.caption(_("Keywords by TF-IDF: frequent here, rare elsewhere."))
if stats.fields:
    with st.expander(_("Metadata fields"), icon=":material/label:"):
        st.dataframe(
            [
                {
                    "name": x.name,
                    "type": x.type,
                    "count": x.count,
                    "missing": x.missing,
                    "distinct": x.distinct,
                    "common": ", ".join(f"{v} ({n})" for v, n in x.common),
                }
                for x in stats.fields
            ],
            hide_index=True,
            key="corpus.fields",
            column_config={
                "name": _("Field"),
                "type": _("Type"),
                "count": _("Has it"),
                "missing": _("Missing"),
                "distinct": _("Different values"),
                "common": _("Most frequent"),
            },
        )
row = st.container(horizontal=True)
row.download_button(
    _("This corpus as a BEIR zip"),
    lambda: uploading.as_zip(f.collection),
    f"{f.corpus.name}.zip",
    "application/zip",
    icon=":material/download:",
    key="corpus.zip",
    on_click="ignore",
)
if f.corpus.name in frame.uploads():
    row.button(
        _("Remove this corpus"),
        icon=":material/delete:",
        key="corpus.remove",
        on_click=uploading.remove,
        args=(f.corpus.name,),
    )
st.caption(_("Uploads stay in the memory of the server for this visit, and nobody but you sees them."))
