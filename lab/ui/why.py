"""Why a document is where it is: its addends as a bar, the formula with its numbers, the pairs of a cosine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from lab.core import Index, Ranking
from lab.explain import agreement as agree
from lab.models.static import StaticEncoder
from lab.retrieve.lexical import BM25, TFIDF, LexicalIndex
from lab.retrieve.vector import VectorIndex
from lab.text import Analyzer, matches
from lab.ui import cache, charts, escape, formulas, palette, show
from lab.ui.frame import Frame
from lab.ui.i18n import _

if TYPE_CHECKING:
    pass

WORDS = Analyzer(single=True)


def meaning_marker(index: Index, query: str, strongest: int = 6) -> show.Marker:
    """Marks the words of a document that add most to its cosine, where the embedder can tell."""
    encoder = getattr(index, "encoder", None)
    if not isinstance(encoder, StaticEncoder) or not query.strip():
        return lambda text: []

    def mark(text: str) -> list[tuple[int, int]]:
        _rows, names, table = encoder.pairs(query, text)
        if not names:
            return []
        gain = table.sum(axis=0)
        best = {names[i] for i in np.argsort(-gain)[:strongest].tolist() if gain[i] > 0.02}
        return matches(text, best, WORDS) if best else []

    return mark


def section(
    page: str, panels: Sequence[show.Panel], indexes: Sequence[Index], f: Frame, doc: str, relevant: Mapping[str, int]
) -> None:
    """The selected document: one tab per list with its arithmetic, and the whole text."""
    document = f.corpus.get(doc)
    if document is None:
        return
    with st.container(border=True, key=f"{page}-why"):
        st.subheader(_("Why “{title}” is here", title=escape.plain(document.label, 60)), anchor=False)
        ranks = " · ".join(f"{p.name} {_rank(p, doc)}" for p in panels)
        grade = relevant.get(doc)
        judged = (
            "" if grade is None else " · " + (_("judged: answers the question") if grade > 1 else _("judged: helps"))
        )
        st.caption(ranks + judged)
        left, right = st.columns([1.45, 1], gap="large")
        with left:
            for tab, panel, index in zip(st.tabs([p.name for p in panels]), panels, indexes, strict=True):
                with tab:
                    _one(panel, index, f, doc, page)
        with right:
            at = next((i for i, p in enumerate(panels) if p.ranking.rank(doc)), 0)
            show.passage(page, document, panels[at].mark)


def _rank(panel: show.Panel, doc: str) -> str:
    rank = panel.ranking.rank(doc)
    return f"#{rank}" if rank else "–"


def _one(panel: show.Panel, index: Index, f: Frame, doc: str, page: str) -> None:
    hit = panel.ranking.hit(doc)
    if isinstance(index, LexicalIndex):
        lexical(panel, index, f, doc, page)
    elif isinstance(index, VectorIndex):
        vector(panel, index, f, doc, page)
    elif hit is not None and hit.why:
        st.plotly_chart(charts.addends(hit.why, panel.colour), key=f"{page}.why.{panel.name}", config=charts.CONFIG)


def lexical(panel: show.Panel, index: LexicalIndex, f: Frame, doc: str, page: str) -> None:
    """BM25 and TF-IDF: one addend per query term, and the formula of each."""
    query = panel.ranking.query
    parts = index.explain(query, doc)
    score = sum(part.value for part in parts)
    if not any(part.value for part in parts):
        st.markdown(_("No word of the query is in this passage: it is not in the list, its score is 0."))
    else:
        hit = panel.ranking.hit(doc)
        if hit is not None:
            st.plotly_chart(charts.addends(hit.why, panel.colour), key=f"{page}.why.{panel.name}", config=charts.CONFIG)
        st.caption(_("score {score} = the sum of one part per word of the query", score=f"{score:.4f}"))
        used = index.for_query(query).operator
        if isinstance(used, BM25):
            lines = [formulas.bm25(used, part, len(f.corpus)) for part in parts if part.value]
        else:
            assert isinstance(used, TFIDF)
            lines = formulas.tfidf(used, parts)
        st.latex(formulas.aligned(lines[:8]))
        if len(lines) > 8:
            st.caption(_("and {n} more words in the same way", n=len(lines) - 8))
    absent = [part.term for part in parts if not part.tf]
    if absent:
        st.caption(_("Not in this passage, 0 each: {words}", words=escape.plain(", ".join(absent), 160)))
    if parts and isinstance(index.operator, BM25):
        first = parts[0]
        st.caption(
            _(
                "N = {n} passages · this one has {length} words, the average {average}",
                n=len(f.corpus),
                length=f"{first.length:.0f}",
                average=f"{first.average_length:.1f}",
            )
        )
        _second_opinion(index, panel, doc, score)


def _second_opinion(index: LexicalIndex, panel: show.Panel, doc: str, score: float) -> None:
    """The same score by rank-bm25, for the variants that it has."""
    names = {"okapi": "BM25Okapi", "l": "BM25L", "plus": "BM25Plus"}
    used = index.for_query(panel.ranking.query).operator
    if not isinstance(used, BM25) or used.variant not in names or len(index.corpus) > 2000 or used.k1 == 0:
        return
    import rank_bm25

    extra = {"epsilon": used.epsilon} if used.variant == "okapi" else {"delta": used.delta}
    tokens = cache.tokens(index.corpus, used.analyzer)
    if not any(tokens):
        return
    peer = getattr(rank_bm25, names[used.variant])(tokens, k1=used.k1, b=used.b, **extra)
    value = float(
        peer.get_batch_scores(used.analyzer.tokens(panel.ranking.query.text), [index.corpus.positions[doc]])[0]
    )
    st.caption(
        _(
            "rank-bm25 computes {value} for it: the difference is {difference}",
            value=f"{value:.4f}",
            difference=f"{abs(value - score):.1e}",
        )
    )


def vector(panel: show.Panel, index: VectorIndex, f: Frame, doc: str, page: str) -> None:
    """The cosine as a sum over pairs of words, where the model allows it."""
    query, hit = panel.ranking.query, panel.ranking.hit(doc)
    document = f.corpus.get(doc)
    if hit is None or document is None:
        st.markdown(_("This passage is not among the hits of this list."))
        return
    if not isinstance(index.encoder, StaticEncoder) or index.operator.space != "cosine":
        st.latex(
            rf"\cos(q, d) = \frac{{q\cdot d}}{{|q|\,|d|}} = {hit.score:.4f}"
            if index.operator.space == "cosine"
            else rf"\text{{score}} = {hit.score:.4f}"
        )
        st.caption(_("This score cannot be split into words: the model mixes them before it compares."))
        return
    st.plotly_chart(charts.addends(hit.why, panel.colour), key=f"{page}.why.{panel.name}", config=charts.CONFIG)
    rows, columns, table = index.encoder.pairs(query.text, document.content)
    st.caption(
        _(
            "cosine {score} = the sum over all {n} pairs of a query word and a passage word; the table shows the "
            "strongest",
            score=f"{hit.score:.4f}",
            n=table.size,
        )
    )
    top_columns = np.argsort(-np.abs(table).sum(axis=0), kind="stable")[:7]
    top_rows = np.argsort(-np.abs(table).sum(axis=1), kind="stable")[:8]
    top_rows.sort()
    shown = table[np.ix_(top_rows, top_columns)]
    rest = table.sum() - shown.sum()
    st.plotly_chart(
        charts.table_map(
            shown.tolist(), [rows[i] for i in top_rows], [columns[i] for i in top_columns], panel.colour, digits=3
        ),
        key=f"{page}.pairs.{panel.name}",
        config=charts.CONFIG,
    )
    st.caption(_("all other pairs: {rest} · together {total}", rest=f"{rest:.4f}", total=f"{table.sum():.4f}"))


def agreement(rankings: Sequence[Ranking], names: Sequence[str], depth: int) -> None:
    """Shared documents, Kendall's tau and rank-biased overlap of every two lists."""
    tops = [[h.document.id for h in r.hits[:depth]] for r in rankings]
    shared = [[float(agree.shared(a, b)) for b in tops] for a in tops]
    taus = [[agree.kendall_tau(a, b) for b in tops] for a in tops]
    rbos = [[agree.rbo(a, b) for b in tops] for a in tops]
    columns = st.columns(3)
    with columns[0]:
        st.caption(_("Shared documents in the top {k}", k=depth))
        st.plotly_chart(
            charts.table_map(shared, names, names, palette.mute(), digits=0, zmax=depth),
            key="agree.shared",
            config=charts.CONFIG,
        )
    with columns[1]:
        st.caption(_("Kendall's τ: same order 1, reversed −1"))
        texts = [["–" if t is None else f"{t:.2f}" for t in row] for row in taus]
        values = [[0.0 if t is None else max(t, 0.0) for t in row] for row in taus]
        st.plotly_chart(
            charts.table_map(values, names, names, palette.mute(), texts=texts, zmax=1),
            key="agree.tau",
            config=charts.CONFIG,
        )
    with columns[2]:
        st.caption(_("Rank-biased overlap: the top counts most"))
        st.plotly_chart(
            charts.table_map(rbos, names, names, palette.mute(), zmax=1), key="agree.rbo", config=charts.CONFIG
        )
