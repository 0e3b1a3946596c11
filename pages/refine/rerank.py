"""Rerank: a closer look at the candidates, by rerankers side by side."""

from __future__ import annotations

import streamlit as st

from lab.core import Ranking, Stage
from lab.errors import LabError
from lab.explain.moves import moves, quality, speed
from lab.models.cross_encoders import OFFERED
from lab.refine.coverage import Coverage, heat
from lab.refine.hybrid import HybridSimilarity
from lab.refine.rerank import CrossEncoderReranker
from lab.ui import address, charts, code, escape, palette, settings, show, sources, why
from lab.ui.i18n import _
from lab.ui.page import Page

p = Page(
    "rerank",
    _("Rerank"),
    _("The first list is quick and rough. What does a second, closer look change, and is it for the better?"),
)
f = p.frame
p.lessons()
query = p.query()

kinds = {
    "coverage": _("Coverage"),
    "soft": _("Soft coverage"),
    "hybrid": _("Hybrid similarity"),
    "cross": _("Cross-encoder"),
}
row = st.columns([3.2, 3.6, 1.6, 1.4, 1.6], vertical_alignment="bottom")
with row[1]:
    chosen = p.several(
        "by",
        _("Rerankers"),
        list(kinds),
        ["coverage", "soft"],
        _("Up to three. Coverage and hybrid similarity need no download; a cross-encoder is a neural model."),
        format_func=kinds.__getitem__,
    )[:3]
with row[2]:
    depth = p.number("depth", _("Candidates"), 2, 200, 50, _("So many candidates are looked at again."))
with row[3]:
    k = p.number("k", _("Show"), 1, 50, 8)
with row[4], st.popover(_("More"), width="stretch"):

    def best_offline() -> None:
        """The lab's best pipeline without any download."""
        address.put("rerank.from", ["bm25", "vector"])
        address.put("rerank.by", ["soft"])
        address.put("rerank.coverage.weight", 0.4)

    st.button(
        _("Best offline pipeline"),
        on_click=best_offline,
        icon=":material/star:",
        help=_(
            "BM25 and vectors, fused 2 : 1, then soft coverage at 0.4: what the benchmarks found best without any download."
        ),
        width="stretch",
    )
    st.markdown("**" + _("Coverage") + "**")
    weight = p.knob(Coverage, "weight", _("Weight of the coverage"), _("The rest is the first list's score, min–max."))
    st.markdown("**" + _("Hybrid similarity") + "**")
    vector_weight = p.knob(
        HybridSimilarity, "vector_weight", _("Weight of the vector"), name="hybridsimilarity.vector_weight"
    )
    threshold = p.knob(HybridSimilarity, "threshold", _("Similarity at least"), name="hybridsimilarity.threshold")
    title = p.knob(HybridSimilarity, "title", _("Title counts"), name="hybridsimilarity.title")
    keywords = p.knob(HybridSimilarity, "keywords", _("Keywords count"), name="hybridsimilarity.keywords")
    questions = p.knob(HybridSimilarity, "questions", _("Questions count"), name="hybridsimilarity.questions")
    saturation = p.knob(
        HybridSimilarity,
        "saturation",
        _("Saturation of fields"),
        _("0: a word is there or not, whatever the field."),
        name="hybridsimilarity.saturation",
    )
    tags = p.knob(
        HybridSimilarity,
        "tag_source",
        _("Tags"),
        _("Rank feature: ten times the cosine of the query's and the document's tags."),
        name="hybridsimilarity.tag_source",
        format_func=lambda x: {"off": _("off"), "own": _("the document's own"), "suggested": _("suggested")}.get(x, x),
    )
    tag_weight = p.knob(HybridSimilarity, "tag_weight", _("Weight of the tags"), name="hybridsimilarity.tag_weight")
    pagerank = p.knob(
        HybridSimilarity, "pagerank_weight", _("Weight of PageRank"), name="hybridsimilarity.pagerank_weight"
    )
    window = p.knob(
        HybridSimilarity, "window", _("Rerank window"), _("Rounded up to whole pages."), name="hybridsimilarity.window"
    )
    st.markdown("**" + _("Cross-encoder") + "**")
    address.keep("rerank.cross.model", OFFERED[0])
    model = st.selectbox(
        _("Model"),
        list(dict.fromkeys([*OFFERED, st.session_state["rerank.cross.model"]])),
        key="rerank.cross.model",
        accept_new_options=not settings.public(),
        help=_("A name on the hub, or a folder on the machine that runs the lab. Type your own."),
    )
    activation = p.knob(
        CrossEncoderReranker,
        "activation",
        _("Scores"),
        _("A logit is no probability: a threshold of 0.5 means nothing before a sigmoid."),
        name="crossencoderreranker.activation",
    )
    top_n = p.knob(CrossEncoderReranker, "top_n", _("Keep"), name="crossencoderreranker.top_n")
    batch = p.knob(CrossEncoderReranker, "batch_size", _("Batch size"), name="crossencoderreranker.batch_size")
with row[0], st.spinner(_("Indexing the corpus …"), show_time=True):
    before, first = sources.candidates(p, query, depth=depth)
if not before.hits:
    st.info(first.empty, icon=":material/search_off:")
    p.stop()
if not chosen:
    st.info(_("Choose a reranker above."), icon=":material/sort:")

stages: dict[str, Stage] = {
    "coverage": Coverage("exact", weight),
    "soft": Coverage("soft", weight),
    "hybrid": HybridSimilarity(
        vector_weight,
        threshold,
        title,
        keywords,
        questions,
        saturation,
        tags,
        tag_weight,
        pagerank,
        window,
        embedder=f.embedder,
    ),
    "cross": CrossEncoderReranker(model or OFFERED[0], top_n, batch, activation),
}

before = before.top(depth)
done: list[tuple[str, Stage, Ranking]] = []
for kind in chosen:
    try:
        if kind == "cross":
            with st.spinner(_("Reading every candidate with the question …"), show_time=True):
                done.append((kind, stages[kind], stages[kind](before)))
        else:
            stages[kind](before)  # what is derived from the corpus is made once; the time shown is that of a search
            done.append((kind, stages[kind], stages[kind](before)))
    except LabError as error:
        escape.problem(error)
        if "soft" not in chosen:
            st.button(
                _("Use soft coverage instead: it needs no model"),
                on_click=lambda: address.put("rerank.by", [x for x in chosen if x != "cross"] + ["soft"]),
                icon=":material/swap_horiz:",
            )
relevant = show.relevance(f, query)
colours = [palette.shade(palette.named("refined"), i) for i in range(len(done))]
panels = [
    first,
    *(
        show.Panel(r, kinds[kind], c, first.mark, empty=_("Nothing is left: every candidate is below the threshold."))
        for (kind, _stage, r), c in zip(done, colours, strict=True)
    ),
]
names = [x.name for x in panels]
rankings = [before, *(r for _k, _s, r in done)]
doc = show.selected([*panels[1:], first], relevant, k)

with st.container(border=True):
    st.subheader(_("Before and after"), anchor=False)
    event = st.plotly_chart(
        charts.rank_flow(
            rankings, names, [x.colour for x in panels], f.corpus, depth=max(k, 8), selected=doc, relevant=relevant
        ),
        key="rerank.flow",
        on_select="rerun",
        selection_mode="points",
        config=charts.CONFIG,
    )
    show.click(event)
    numbers = st.columns(max(len(rankings), 2))
    values = quality(rankings, relevant) if relevant else None
    for i, (column, name, ranking) in enumerate(zip(numbers, names, rankings, strict=False)):
        with column:
            if values:
                change = None if i == 0 or abs(values[i] - values[0]) < 5e-4 else f"{values[i] - values[0]:+.3f}"
                st.metric(f"nDCG@10 · {escape.plain(name, 24)}", f"{values[i]:.3f}", change, delta_color="normal")
            if i and (pace := speed(ranking)):
                mover = max(
                    (m for m in moves(before, ranking) if m.change), key=lambda m: abs(m.change or 0), default=None
                )
                text = _("{ms:.1f} ms · {pace} pairs per second", ms=ranking.seconds * 1000, pace=f"{pace:,.0f}")
                if mover and mover.change:
                    text += " · " + _(
                        "largest move: {title} {move}",
                        title=escape.plain(mover.document.label, 22),
                        move=f"▲{mover.change}" if mover.change > 0 else f"▼{-mover.change}",
                    )
                st.caption(text)
    if not relevant:
        st.caption(
            _(
                "This question has no judgments: whether the change is for the better, the page cannot say. Choose one under “Examples”."
            )
        )
    elif p.switch(
        "all",
        _("nDCG@10 over all judged queries"),
        False,
        _("Runs every judged query of the corpus through the same stages: some seconds."),
    ):
        why.quality_of_stages(p, done, kinds, depth)

show.lists("rerank", panels, f, depth=k, chosen=doc, relevant=relevant)

document = f.corpus.get(doc)
if document is not None and done:
    with st.container(border=True):
        st.subheader(_("Why “{title}” is here", title=escape.plain(document.label, 60)), anchor=False)
        doc = show.pick("rerank", rankings, f, doc)
        document = f.corpus.get(doc) or document
        left, right = st.columns([1.45, 1], gap="large")
        with left:
            for tab, (kind, stage, ranking), colour in zip(
                st.tabs([kinds[x] for x, _s, _r in done]), done, colours, strict=True
            ):
                with tab:
                    show.biography(ranking, doc)
                    hit = ranking.hit(doc)
                    if hit and hit.why:
                        st.plotly_chart(charts.addends(hit.why, colour), key=f"rerank.why.{kind}", config=charts.CONFIG)
                        st.caption(_("score {score} = the sum of these parts", score=f"{hit.score:.4f}"))
                    elif hit:
                        st.caption(
                            _(
                                "A cross-encoder reads question and passage together: its score {score} is no sum and cannot be taken apart.",
                                score=f"{hit.score:.4f}",
                            )
                        )
                    if isinstance(stage, Coverage):
                        shown = heat(stage, query, document, f.corpus).around(8)
                        if len(shown.columns) and len(shown.tokens):
                            labels = [f"{t} ({w:.2f})" for t, w in zip(shown.tokens, shown.weights, strict=True)]
                            st.plotly_chart(
                                charts.table_map(shown.table.tolist(), labels, shown.columns, colour, zmax=1),
                                key=f"rerank.heat.{kind}",
                                config=charts.CONFIG,
                            )
                            st.caption(
                                _(
                                    "Rows: words of the query with their share of its weight. Every row takes its best column."
                                )
                            )
        with right:
            show.passage("rerank", document, first.mark)

if done:
    with st.expander(_("First score against second score"), icon=":material/scatter_plot:"):
        kind, _stage, ranking = done[0]
        points = [
            (m.document.id, m.score_before, m.score_after)
            for m in moves(before, ranking)
            if m.score_before is not None and m.score_after is not None
        ]
        event = st.plotly_chart(
            charts.scatter(points, f.corpus, first.name, kinds[kind], selected=doc, relevant=relevant),
            key="rerank.scatter",
            on_select="rerun",
            selection_mode="points",
            config=charts.CONFIG,
        )
        st.caption(_("Ringed: judged relevant. On a rising line the reranker only repeats the first list."))
        show.click(event)
with st.expander(_("All hits as a table"), icon=":material/table_rows:"):
    show.table("rerank", rankings, names)
p.export(rankings, names, code.refinements(f, before, [s for _k, s, _r in done], query))
p.footer(rankings, names)
