"""Compare: one question, several retrievers, every list beside the others."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector
from lab.text import MODES, Analyzer
from lab.ui import charts, palette, settings, show, sources, why
from lab.ui.frame import embedder_label
from lab.ui.i18n import _
from lab.ui.page import Page

p = Page("compare", _("Compare"), _("One question: whom do words put first, whom does meaning, and why?"))
f = p.frame
p.lessons()
query = p.query()

known = settings.embedders()
modes = {
    "search": _("jieba, search mode"),
    "precise": _("jieba, precise mode"),
    "full": _("jieba, full mode"),
    "whitespace": _("blanks only"),
    "character": _("single characters"),
    "bigram": _("pairs of characters"),
}
knobs = st.columns([3, 3, 3, 4, 2, 2], vertical_alignment="bottom")
with knobs[0]:
    k1 = p.knob(
        BM25,
        "k1",
        _("BM25 k₁"),
        _("How soon more occurrences of a word stop counting. 0: once is as good as ten times."),
    )
with knobs[1]:
    b = p.knob(BM25, "b", _("BM25 b"), _("How much long documents are held back. 0: not at all, 1: fully by length."))
with knobs[2]:
    variant = p.knob(
        BM25,
        "variant",
        _("BM25 variant"),
        _("Okapi, L and Plus as in rank-bm25, Lucene as in Lucene, “odds” is IDF with its logarithm forgotten."),
        format_func={
            "okapi": "Okapi",
            "lucene": "Lucene",
            "l": "L",
            "plus": "Plus",
            "no-log-idf": _("odds (no log)"),
        }.__getitem__,
    )
with knobs[3]:
    chosen = p.several(
        "embedders",
        _("Vector lists"),
        list(known),
        [next(n for n, e in known.items() if e == f.embedder)],
        _("One list per embedder."),
        format_func=lambda n: embedder_label(known[n]),
    )
with knobs[4]:
    depth = p.number("k", _("Show"), 1, 50, 8, _("So many documents per list."))
with knobs[5], st.popover(_("More"), width="stretch"):
    mode = p.choose(
        "analyzer.mode",
        _("Chinese is cut by"),
        MODES,
        "search",
        _("What a word is, for BM25 and TF-IDF. The page “Tokenizer lens” compares them."),
        format_func=modes.__getitem__,
    )
    idf_form = p.knob(
        TFIDF,
        "idf_form",
        _("TF-IDF: IDF"),
        _("Smooth: ln((1+N)/(1+df))+1. Plain: ln(N/df)+1. Textbook: ln(N/df)."),
        format_func={"smooth": _("smooth"), "plain": _("plain"), "textbook": _("textbook")}.__getitem__,
    )
    sublinear = p.knob(
        TFIDF,
        "sublinear",
        _("TF-IDF: sublinear tf"),
        _("1 + ln tf instead of tf: ten times a word is not ten times as good."),
    )
    space = p.knob(
        Vector,
        "space",
        _("Vector: space"),
        _("Cosine, inner product, or Euclidean distance turned into a score."),
        format_func={"cosine": _("cosine"), "ip": _("inner product"), "l2": _("L2 distance")}.__getitem__,
    )
    delta = p.knob(BM25, "delta", _("BM25 L, Plus: δ"), _("What a word gets just for being there."))
    epsilon = p.knob(
        BM25, "epsilon", _("BM25 Okapi: ε"), _("Words in more than half of the documents get ε times the mean IDF.")
    )

analyzer = Analyzer(mode=mode)
lexical = [BM25(k1, b, variant, delta, epsilon, analyzer=analyzer), TFIDF(idf_form, sublinear, analyzer=analyzer)]
vectors = [Vector(known[name], space) for name in chosen]
operators = [*lexical, *vectors]
names = [
    "BM25" if variant == "okapi" else lexical[0].label,
    "TF-IDF",
    *(_("Vector") + " · " + embedder_label(v.embedder) for v in vectors),
]
searches = dict(zip(names, operators, strict=True))
rankings = list(p.run(searches, query).values())
indexes = [p.runner.index(op) for op in operators]
colours = [*(palette.family(op) for op in lexical), *(palette.family(op, i) for i, op in enumerate(vectors))]
relevant = show.relevance(f, query)
panels = [
    replace(
        sources.panel(p, sources.Source(name, op, name, colour), r, query),
        unit=_("cosine") if op in vectors and space == "cosine" else "",
    )
    for op, name, colour, r in zip(operators, names, colours, rankings, strict=True)
]
doc = show.selected(panels, relevant, depth)

if any(len(r) for r in rankings):
    with st.container(border=True):
        st.subheader(_("The same document in every list"), anchor=False)
        st.caption(
            _(
                "A line is a document, a thick line one that the corpus judges relevant. Click a line to select it "
                "everywhere."
            )
        )
        event = st.plotly_chart(
            charts.rank_flow(rankings, names, colours, f.corpus, depth=depth, selected=doc, relevant=relevant),
            key="compare.flow",
            on_select="rerun",
            selection_mode="points",
            config=charts.CONFIG,
        )
    show.click(event)

bar = p.choose(
    "bars",
    _("Bars"),
    ("score", "minmax"),
    "score",
    _("Score: from zero to the list's best. Min–max: the shown scores stretched to 0…1, to compare shapes."),
    format_func={"score": _("score"), "minmax": _("min–max")}.__getitem__,
)
show.lists("compare", panels, f, depth=depth, chosen=doc, relevant=relevant, normalised=bar == "minmax")

if doc:
    why.section("compare", panels, indexes, f, doc, relevant)

with st.expander(_("How much the lists agree"), icon=":material/join_inner:"):
    why.agreement(rankings, names, depth)
with st.expander(_("All hits as a table"), icon=":material/table_rows:"):
    show.table("compare", rankings, names)
p.export(searches, rankings, names)
p.footer(rankings, names)
