"""Rerank: a closer look at the candidates, by rerankers side by side."""

from __future__ import annotations

import streamlit as st

from lab.core import Document, Ranking, Stage
from lab.errors import LabError
from lab.explain.moves import moves, quality, speed
from lab.models.cross_encoders import OFFERED
from lab.models.endpoint import public
from lab.pipeline import DEPTH
from lab.refine.coverage import Covered, MaxSim, QueryCoverage
from lab.refine.hybrid import HybridSimilarity
from lab.refine.rerank import CrossEncoderReranker
from lab.ui import address, charts, escape, measuring, palette, show, sources
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


def best_offline() -> None:
    """The lab's best pipeline without any download."""
    address.put("rerank.from", ["bm25", "vector"])
    address.put("rerank.by", ["soft"])
    address.put("rerank.coverage.weight", 0.4)


def knobs() -> dict[str, Stage]:
    """The rare knobs, and the rerankers that they make."""
    st.button(
        _("Best offline pipeline"),
        on_click=best_offline,
        icon=":material/star:",
        help=_(
            "BM25 and vectors, fused 2 : 1, then soft coverage at 0.4: "
            "what the benchmarks found best without any download."
        ),
        width="stretch",
    )
    st.markdown("**" + _("Coverage") + "**")
    weight = p.knob(
        QueryCoverage,
        "weight",
        _("Weight of the coverage"),
        _("The rest is the first list's score, min–max."),
        name="coverage.weight",
    )
    st.markdown("**" + _("Hybrid similarity") + "**")
    tags = {"off": _("off"), "own": _("the document's own"), "suggested": _("suggested")}
    hybrid = {
        field: p.knob(HybridSimilarity, field, label, help, format_func=lambda x: tags.get(x, str(x)))
        for field, label, help in (
            ("vector_weight", _("Weight of the vector"), ""),
            ("threshold", _("Similarity at least"), ""),
            ("title", _("Title counts"), ""),
            ("keywords", _("Keywords count"), ""),
            ("questions", _("Questions count"), ""),
            ("saturation", _("Saturation of fields"), _("0: a word is there or not, whatever the field.")),
            (
                "tag_source",
                _("Tags"),
                _("Rank feature: ten times the cosine of the query's and the document's tags."),
            ),
            ("tag_weight", _("Weight of the tags"), ""),
            ("pagerank_weight", _("Weight of PageRank"), ""),
            ("window", _("Rerank window"), _("Rounded up to whole pages.")),
        )
    }
    st.markdown("**" + _("Cross-encoder") + "**")
    key = p.key("cross.model")
    address.keep(key, OFFERED[0])
    model = st.selectbox(
        _("Model"),
        list(dict.fromkeys([*OFFERED, st.session_state[key]])),
        key=key,
        accept_new_options=not public(),
        help=_("A name on the hub, or a folder on the machine that runs the lab. Type your own."),
    )
    logit = _("A logit is no probability: a threshold of 0.5 means nothing before a sigmoid.")
    activation = p.knob(CrossEncoderReranker, "activation", _("Scores"), logit)
    top_n = p.knob(CrossEncoderReranker, "top_n", _("Keep"))
    batch = p.knob(CrossEncoderReranker, "batch_size", _("Batch size"))
    return {
        "coverage": QueryCoverage(weight),
        "soft": MaxSim(weight),
        "hybrid": HybridSimilarity(**hybrid, embedder=f.embedder),
        "cross": CrossEncoderReranker(model or OFFERED[0], top_n, batch, activation),
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
    stages = knobs()
with row[0]:
    first = sources.first(p, query, depth)
if not first.ranking.hits:
    st.info(first.panel.empty, icon=":material/search_off:")
    p.stop()
if not chosen:
    st.info(_("Choose a reranker above."), icon=":material/sort:")

searches = {kind: first.search >> stages[kind] for kind in chosen}
found: dict[str, Ranking] = {}
for kind, search in searches.items():  # each by itself: one that cannot be loaded leaves the others
    try:
        with st.spinner(_("Reading every candidate with the question …"), show_time=True):
            found |= p.run({kind: search}, query, k=max(depth, DEPTH))
    except LabError as error:
        escape.problem(error)
        if "soft" not in chosen:
            st.button(
                _("Use soft coverage instead: it needs no model"),
                on_click=lambda: address.put("rerank.by", [x for x in chosen if x != "cross"] + ["soft"]),
                icon=":material/swap_horiz:",
            )
relevant = show.relevance(f, query)
before, mark = first.ranking, first.panel.mark
colours = {kind: palette.shade(palette.named("refined"), i) for i, kind in enumerate(found)}
nothing = _("Nothing is left: every candidate is below the threshold.")
panels = [first.panel, *(show.Panel(r, kinds[kind], colours[kind], mark, empty=nothing) for kind, r in found.items())]
names = [x.name for x in panels]
rankings = [before, *found.values()]
whole = [step for ranking in rankings for step in ranking.lineage()]  # what was cut before it was read, too
doc = show.selected([*panels[1:], first.panel, *(show.Panel(r, "", "", mark) for r in whole)], relevant, k)


def pace(ranking: Ranking) -> None:
    """How fast a reranker was, and what it moved furthest."""
    pairs = speed(ranking)
    if not pairs:
        return
    text = _("{ms:.1f} ms · {pace} pairs per second", ms=ranking.seconds * 1000, pace=f"{pairs:,.0f}")
    mover = max((m for m in moves(before, ranking) if m.change), key=lambda m: abs(m.change or 0), default=None)
    if mover and mover.change:
        text += " · " + _(
            "largest move: {title} {move}",
            title=escape.plain(mover.document.label, 22),
            move=f"▲{mover.change}" if mover.change > 0 else f"▼{-mover.change}",
        )
    st.caption(text)


def explain(kind: str, ranking: Ranking, document: Document) -> None:
    """One document's way to its place, the addends of its score, and what its words have of the question's."""
    show.biography(ranking, document.id)
    hit = ranking.hit(document.id)
    if hit and hit.why:
        st.plotly_chart(charts.addends(hit.why, colours[kind]), key=f"rerank.why.{kind}", config=charts.CONFIG)
        st.caption(_("score {score} = the sum of these parts", score=f"{hit.score:.4f}"))
    elif hit:
        st.caption(
            _(
                "A cross-encoder reads question and passage together: "
                "its score {score} is no sum and cannot be taken apart.",
                score=f"{hit.score:.4f}",
            )
        )
    if not isinstance(ranking.evidence, Covered):
        return
    shown = ranking.evidence.matrix(document).around(8)
    if len(shown.columns) and len(shown.tokens):
        labels = [f"{t} ({w:.2f})" for t, w in zip(shown.tokens, shown.weights, strict=True)]
        st.plotly_chart(
            charts.table_map(shown.table.tolist(), labels, shown.columns, colours[kind], zmax=1),
            key=f"rerank.heat.{kind}",
            config=charts.CONFIG,
        )
        st.caption(_("Rows: words of the query with their share of its weight. Every row takes its best column."))


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
    values = quality(rankings, relevant) if relevant else None
    numbers = st.columns(max(len(rankings), 2))
    for i, (column, name, ranking) in enumerate(zip(numbers, names, rankings, strict=False)):
        with column:
            if values:
                change = None if i == 0 or abs(values[i] - values[0]) < 5e-4 else f"{values[i] - values[0]:+.3f}"
                st.metric(f"nDCG@10 · {escape.plain(name, 24)}", f"{values[i]:.3f}", change, delta_color="normal")
            if i:
                pace(ranking)
    if not relevant:
        st.caption(
            _(
                "This question has no judgments: whether the change is for the better, the page cannot say. "
                "Choose one under “Examples”."
            )
        )
    elif p.switch(
        "all",
        _("nDCG@10 over all judged queries"),
        False,
        _("Runs every judged query of the corpus through the same stages: some seconds."),
    ):
        measuring.metrics(p, {"": first.search, **{kind: searches[kind] for kind in found}}, kinds)

show.lists("rerank", panels, f, depth=k, chosen=doc, relevant=relevant)

if found:
    with st.container(border=True):
        head = st.empty()
        doc = show.pick("rerank", whole, doc)
        document = f.corpus.get(doc)
        assert document is not None
        title = escape.plain(document.label, 60)
        here = any(ranking.rank(doc) for ranking in found.values())
        head.subheader(
            _("Why “{title}” is here", title=title) if here else _("Why “{title}” is not here", title=title),
            anchor=False,
        )
        left, right = st.columns([1.45, 1], gap="large")
        with left:
            for tab, (kind, ranking) in zip(st.tabs([kinds[x] for x in found]), found.items(), strict=True):
                with tab:
                    explain(kind, ranking, document)
        with right:
            show.passage("rerank", document, mark)

    with st.expander(_("First score against second score"), icon=":material/scatter_plot:"):
        kind, ranking = next(iter(found.items()))
        points = [
            (m.document.id, m.score_before, m.score_after)
            for m in moves(before, ranking)
            if m.score_before is not None and m.score_after is not None
        ]
        event = st.plotly_chart(
            charts.scatter(points, f.corpus, first.panel.name, kinds[kind], selected=doc, relevant=relevant),
            key="rerank.scatter",
            on_select="rerun",
            selection_mode="points",
            config=charts.CONFIG,
        )
        st.caption(_("Ringed: judged relevant. On a rising line the reranker only repeats the first list."))
        show.click(event)
with st.expander(_("All hits as a table"), icon=":material/table_rows:"):
    show.table("rerank", rankings, names)
p.export({first.panel.name: first.search} | {kinds[kind]: searches[kind] for kind in found}, rankings, names)
p.footer(rankings, names)
