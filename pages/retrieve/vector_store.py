"""Vector store: one query under Chroma's three spaces, thresholds, filters, MMR, the graph against the exact search."""

from __future__ import annotations

import json
import os

import streamlit as st

from lab.core import Document
from lab.errors import QueryError
from lab.explain.approximation import hnsw_against_exact
from lab.models.embedders import encoder_of, vectors_of
from lab.refine.diversity import MMR
from lab.retrieve.chroma import SCALES, ChromaIndex, ChromaVector
from lab.retrieve.vector import SPACES
from lab.ui import address, cache, charts, code, escape, palette, settings, show, why
from lab.ui.i18n import _
from lab.ui.page import Page

p = Page(
    "vector_store",
    _("Vector store"),
    _("Three spaces, three distances: when do they agree, and what does a threshold keep?"),
)
f = p.frame
p.lessons()
query = p.query()

labels = {"cosine": _("cosine"), "ip": _("inner product"), "l2": _("L2, squared")}
row = st.columns([3.7, 3.3, 1.5, 1.6, 1.6], vertical_alignment="bottom")
with row[0]:
    scale = p.choose(
        "scale",
        _("Stored vectors"),
        SCALES,
        "by length",
        _(
            "Of length 1, the three spaces agree. Scaled by the length of the text, inner product and L2 part from the cosine."
        ),
        format_func={
            "as they are": _("as they are"),
            "unit": _("of length 1"),
            "by length": _("by text length"),
        }.__getitem__,
    )
with row[1]:
    search = p.choose(
        "search",
        _("Search type"),
        ("similarity", "threshold", "mmr"),
        "similarity",
        format_func={"similarity": _("similarity"), "threshold": _("threshold"), "mmr": "MMR"}.__getitem__,
    )
with row[2]:
    k = p.number("k", _("Show"), 1, 50, 8)
with row[3], st.popover(_("Filter"), width="stretch"):
    st.caption(_("A Chroma `where` filter on metadata, as JSON."))
    address.keep("vector_store.where", "")
    where_text = st.text_area(
        "where", key="vector_store.where", height=90, placeholder='{"lang": "en"}', label_visibility="collapsed"
    )
    st.caption(
        _(
            'Examples: {"lang": "zh"} · {"$and": [{"source": "manual"}, {"lang": "en"}]} · {"tags": {"$contains": "setup"}}'
        ).replace("{", "\\{")
    )
with row[4], st.popover(_("Store"), width="stretch"):
    st.caption(_("In this process, or a Chroma server that many labs share (LAB_CHROMA_URL)."))
    address.keep("vector_store.server", os.environ.get("LAB_CHROMA_URL", ""))
    url = (
        st.text_input(
            _("Server"), key="vector_store.server", placeholder="http://localhost:8000", disabled=settings.public()
        )
        if not settings.public()
        else os.environ.get("LAB_CHROMA_URL", "")
    )

limit = None
if search == "threshold":
    key = p.key("limit")
    address.keep(key, 0.7, address.number(0, 4, whole=False))
    limit = st.slider(
        _("Keep distances up to"),
        0.0,
        3.0,
        step=0.01,
        key=key,
        help=_(
            "A threshold on a distance keeps what is below it. The same number means something else in every space."
        ),
    )
where = None
if where_text.strip():
    try:
        where = json.loads(where_text)
        if not isinstance(where, dict):
            raise ValueError("no object")
    except ValueError as error:
        st.error(
            _(
                "The filter is no JSON object ({reason}). It stands in braces, names in double quotes.",
                reason=escape.plain(str(error), 80),
            ),
            icon=":material/data_object:",
        )

operators = {space: ChromaVector(f.embedder, space, url.strip(), scale) for space in SPACES}
rankings, raw, panels, indexes = [], {}, [], []
colours = [palette.family(operators[s], i) for i, s in enumerate(SPACES)]
with st.spinner(_("Filling the collections …"), show_time=True):
    for space, colour in zip(SPACES, colours, strict=True):
        index = cache.chroma(operators[space], f.corpus)
        indexes.append(index)
        try:
            if isinstance(index, ChromaIndex):
                found = index.search(query, k=max(k, 20), where=where, max_distance=limit)
                near = index.neighbours(query, k=max(k, 20), where=where)
                raw[labels[space]] = [n.distance for n in near[:k]]
                by_id = {n.document.id: n.distance for n in near}
            else:
                found, by_id = index.search(query, k=max(k, 20)), {}
        except QueryError as error:
            escape.problem(error)
            p.stop()
        if search == "mmr" and found.hits:
            found = MMR(0.5, 20, min(k, 20), f.embedder)(found)
        rankings.append(found)
        panels.append(
            show.Panel(
                found,
                labels[space],
                colour,
                why.meaning_marker(index, query),
                empty=_(
                    "Nothing is near enough, or the filter lets nothing through. Raise the threshold, or loosen the filter."
                ),
            )
        )
names = [labels[s] for s in SPACES]
relevant = show.relevance(f, query)
doc = show.selected(panels, relevant, k)

if raw:
    with st.container(border=True):
        st.subheader(_("The same documents, three distances"), anchor=False)
        st.caption(
            _(
                "Every point is a document, the number its rank. Distances of different spaces must not be compared: cosine is 1 − cos, inner product is 1 − q·d, L2 is the squared distance."
            )
        )
        st.plotly_chart(charts.distances(raw, colours, limit=limit), key="vector_store.distances", config=charts.CONFIG)

show.lists("vector_store", panels, f, depth=k, chosen=doc, relevant=relevant)

document = f.corpus.get(doc)
if document is not None:
    with st.container(border=True):
        st.subheader(escape.plain(document.label, 80), anchor=False)
        left, right = st.columns([1.2, 1], gap="large")
        with left:
            rows = []
            for space, index, ranking in zip(SPACES, indexes, rankings, strict=True):
                at = ranking.rank(doc)
                hit = ranking.hit(doc)
                distance = (
                    next((n.distance for n in index.neighbours(query, k=len(f.corpus)) if n.document.id == doc), None)
                    if isinstance(index, ChromaIndex)
                    else None
                )
                score = operators[space].score(distance) if distance is not None else hit.score if hit else None
                rows.append({"space": labels[space], "rank": at, "distance": distance, "score": score})
            st.dataframe(
                rows,
                hide_index=True,
                key="vector_store.numbers",
                column_config={
                    "space": _("Space"),
                    "rank": _("Rank"),
                    "distance": st.column_config.NumberColumn(_("Distance (Chroma)"), format="%.4f"),
                    "score": st.column_config.NumberColumn(_("Score"), format="%.4f"),
                },
            )
            st.caption(_("Score: 1 − distance for cosine and inner product, 1 / (1 + distance) for L2."))
            drop = next((d for r in rankings for d in r.dropped if d.document.id == doc), None)
            if drop:
                st.markdown(escape.plain(show.said(drop.reason)))
        with right:
            show.passage("vector_store", document, panels[0].mark)

with st.container(border=True):
    head, by, how = st.columns([2, 1.2, 1.2], vertical_alignment="bottom")
    head.subheader(_("The map"), anchor=False)
    fields = [
        name
        for name in dict.fromkeys(m for d in f.corpus for m in d.metadata)
        if len({str(d.metadata.get(name, "")) for d in f.corpus}) <= 24
    ]
    with by:
        address.keep("vector_store.colour", fields[0] if fields else "", address.choice(["", *fields]))
        field = st.selectbox(
            _("Coloured by"), ["", *fields], key="vector_store.colour", format_func=lambda x: x or _("document")
        )
    with how:
        method = p.choose(
            "projection", _("Method"), ("pca", "t-sne"), "pca", format_func={"pca": "PCA", "t-sne": "t-SNE"}.__getitem__
        )
    st.caption(
        _(
            "Every passage and the query (star) in two dimensions. A map keeps neighbourhoods only in part: click a point to read it."
        )
    )
    shown: list[Document] = list(f.corpus.documents[:2000])
    values = [str(d.metadata.get(field, "")) for d in shown]
    scale_of = {
        v: f"hsl({(i * 137.508) % 360:.0f},60%,{62 if palette.dark() else 45}%)"
        for i, v in enumerate(dict.fromkeys(values))
    }
    paints = [scale_of[v] if v else palette.line() for v in values] if field else None
    rows_of = vectors_of(f.embedder, f.corpus)[: len(shown)]
    asked = encoder_of(f.embedder, f.corpus).queries([query or " "])[0]
    event = st.plotly_chart(
        charts.map_of(shown, rows_of, asked, f.corpus, {}, selected=doc, method=method, colours=paints, height=520),
        key="vector_store.map",
        on_select="rerun",
        selection_mode="points",
        config=charts.CONFIG,
    )
    if field:
        legend = " · ".join(
            f'<span style="color:{c}">●</span> {escape.safe(v, 24) or "–"}' for v, c in scale_of.items()
        )
        st.html(f'<div style="font-size:0.85rem">{legend}</div>')
    show.click(event)

with st.expander(_("Exact against HNSW"), icon=":material/speed:"):
    st.caption(
        _(
            "A synthetic cloud of random vectors (a hard case, not your documents): how many of the true ten nearest the graph finds, and how long a query takes. Crosses are the exact search."
        )
    )
    if st.button(_("Measure now (about half a minute)"), key="vector_store.measure", icon=":material/play_arrow:"):
        bar = st.progress(0.0)
        st.session_state["_hnsw"] = hnsw_against_exact(progress=lambda done, total: bar.progress(done / total))
        bar.empty()
    if "_hnsw" in st.session_state:
        st.plotly_chart(
            charts.speeds(st.session_state["_hnsw"], palette.named("vector")),
            key="vector_store.speeds",
            config=charts.CONFIG,
        )
        st.dataframe(
            [
                {
                    "n": r.n,
                    "ef_search": r.ef_search,
                    "recall@10": r.recall,
                    "HNSW ms": r.hnsw_ms,
                    "exact ms": r.exact_ms,
                    "build s": r.build_seconds,
                }
                for r in st.session_state["_hnsw"]
            ],
            hide_index=True,
            key="vector_store.speedtable",
            column_config={"HNSW ms": _("HNSW, ms"), "exact ms": _("exact, ms"), "build s": _("building, s")},
        )
with st.expander(_("All hits as a table"), icon=":material/table_rows:"):
    show.table("vector_store", rankings, names)
p.export(rankings, names, code.searches(f, list(operators.values()), query, k))
p.footer(rankings, names)
