"""Rewrite: one question, several wordings, and what each of them really found."""

from __future__ import annotations

import streamlit as st
from lab.rewrite.attribution import Gains, attribute, gains
from lab.rewrite.searching import BestScore, search

from lab.core import Fusion
from lab.errors import LabError
from lab.fuse import RRF
from lab.models.prompting import Unreadable
from lab.retrieve.vector import VectorIndex
from lab.rewrite.base import Rewrite, Rewriter, apply
from lab.rewrite.domain import DomainVocabulary, adapters
from lab.rewrite.hyde import HyDE
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.query2doc import Query2Doc
from lab.rewrite.step_back import StepBack
from lab.rewrite.sub_questions import SubQuestions
from lab.text import language_of
from lab.ui import address, charts, code, escape, language_model, palette, rewriting, show, sources
from lab.ui.i18n import _
from lab.ui.page import Page

p = Page(
    "rewrite", _("Rewrite"), _("The question is asked once. Would other words have found more, and which of them did?")
)
f = p.frame
p.lessons()
query = p.query()

titles = {
    "multi": _("Multi-query"),
    "sub": _("Sub-questions"),
    "back": _("Step back"),
    "document": _("Query to document"),
    "hyde": _("Hypothetical documents"),
    "industry": _("Industry wording"),
}
row = st.columns([4.6, 2.4, 2.4, 1.4, 1.5], vertical_alignment="bottom")
with row[0]:
    chosen = p.several(
        "techniques",
        _("Techniques"),
        list(titles),
        ["multi", "hyde"],
        _("Several stand side by side."),
        format_func=titles.__getitem__,
    )
with row[1]:
    known = sources.known(f)
    address.keep(p.key("of"), "bm25", address.choice(list(known)))
    source = known[st.selectbox(_("Searched by"), list(known), key=p.key("of"), format_func=lambda k: known[k].name)]
with row[2]:
    how = p.choose(
        "merge",
        _("Merged by"),
        ("rrf", "best"),
        "rrf",
        _("Best score compares scores of different queries, which do not compare: the vaguest wording can win."),
        format_func={"rrf": "RRF", "best": _("best score")}.__getitem__,
    )
with row[3]:
    k = p.number("k", _("Show"), 1, 50, 8)
with row[4], st.popover(_("More"), width="stretch"):
    n = p.knob(MultiQuery, "n", _("Wordings"), name="multi.n")
    m = p.knob(SubQuestions, "n", _("Sub-questions"), name="sub.n")
    concrete = p.knob(StepBack, "concrete_k", _("Step back: of the question"), name="back.concrete_k")
    abstract = p.knob(StepBack, "abstract_k", _("Step back: of the wider question"), name="back.abstract_k")
    own = rewriting.own_adapters()
    names = list(dict.fromkeys([*adapters(), *own]))
    address.keep(p.key("industry.adapter"), names[0], address.choice(names))
    adapter = st.selectbox(_("Industry"), names, key=p.key("industry.adapter"), format_func=rewriting.adapter_name)
    rewriting.add_adapter(p)

fusion: Fusion = RRF() if how == "rrf" else BestScore()
templates = rewriting.templates(p, titles)


def technique(kind: str) -> Rewriter:
    """A technique with the page's knobs and the visitor's prompt."""
    template = templates.get(kind, "")
    made: dict[str, Rewriter] = {
        "multi": MultiQuery(n, template=template),
        "sub": SubQuestions(m, template=template),
        "back": StepBack(abstract, concrete, template=template),
        "document": Query2Doc(template=template),
        "hyde": HyDE(template=template),
        "industry": DomainVocabulary({**adapters(), **own}[adapter], template=template),
    }
    return made[kind]


with st.spinner(_("Indexing the corpus …"), show_time=True):
    index = sources.index(source, f)
if not query.strip():
    st.info(_("The query is empty. Type a question, or choose one under “Examples”."), icon=":material/edit:")
    p.stop()
if not chosen:
    st.info(_("Choose a technique above."), icon=":material/edit_note:")
    p.stop()

model = language_model.current()
relevant = show.relevance(f, query)
judged = set(relevant) if relevant else None
done: list[tuple[str, Rewriter, Rewrite]] = []
for kind in chosen:
    rule = apply(technique(kind), query, f.corpus)
    done.append((kind, technique(kind), rule))
    if model is not None:
        try:
            with st.spinner(_("{name}: the model is writing …", name=titles[kind]), show_time=True):
                done.append((kind, technique(kind), apply(technique(kind), query, f.corpus, model=model)))
        except Unreadable as error:
            escape.problem(error)
            st.code(error.answer, language=None, wrap_lines=True)
        except LabError as error:
            escape.problem(error)
            st.caption(_("The rule's result stands below."))
if model is None:
    st.caption(
        _("Written by rules, without a language model; with one (sidebar) its wordings stand beside the rule's.")
    )


def label(kind: str, rewrite: Rewrite) -> str:
    """Rewriter, and who wrote."""
    return f"{titles[kind]} · " + (_("rule") if rewrite.by == "rule" else model.label if model else _("model"))


found = [(kind, tech, rewrite, search(rewrite, index, k=max(k, 10), fusion=fusion)) for kind, tech, rewrite in done]
raw = found[0][3].before
panel = sources.panels([source], [raw], f, query)[0]
colours = [palette.shade(palette.named("fused"), i) for i in range(len(found))]

with st.container(border=True):
    st.subheader(_("What was asked, and what each wording did"), anchor=False)
    st.caption(
        _(
            "Of the first {k} of the merged list. “Only it” found these; “brought” would be missing without this wording; “pushed out” would be there instead.",
            k=k,
        )
    )
    for tab, (kind, tech, rewrite, searched) in zip(
        st.tabs([label(kd, rw) for kd, _t, rw, _s in found]), found, strict=True
    ):
        with tab:
            rewriting.credits(
                p, f, attribute(searched, index, k=k, fusion=fusion, relevant=judged), rewrite, f"{kind}.{rewrite.by}"
            )
            if rewrite.answers:
                st.caption(" · ".join(language_model.usage(a) for a in rewrite.answers))
            if (kind, rewrite.by) == [(kd, rw.by) for kd, _t, rw, _s in found if kd == kind][
                -1
            ]:  # one prompt: by the model's result, where there is one
                with st.expander(_("The prompt"), icon=":material/terminal:"):
                    rewriting.prompt(kind, tech, language_of(query))

panels = [
    panel,
    *(
        show.Panel(
            s.merged.top(max(k, 1)) if s.merged.hits else s.merged, label(kd, rw), c, panel.mark, empty=panel.empty
        )
        for (kd, _t, rw, s), c in zip(found, colours, strict=True)
    ),
]
doc = show.selected(panels, relevant, k)
names_shown = [x.name for x in panels]
rankings = [x.ranking for x in panels]
if any(r.hits for r in rankings):
    with st.container(border=True):
        st.subheader(_("Before and after"), anchor=False)
        event = st.plotly_chart(
            charts.rank_flow(
                rankings, names_shown, [x.colour for x in panels], f.corpus, depth=k, selected=doc, relevant=relevant
            ),
            key="rewrite.flow",
            on_select="rerun",
            selection_mode="points",
            config=charts.CONFIG,
        )
        show.click(event)
show.lists("rewrite", panels, f, depth=k, chosen=doc, relevant=relevant)

document = f.corpus.get(doc)
if document is not None:
    with st.container(border=True):
        st.subheader(escape.plain(document.label, 80), anchor=False)
        left, right = st.columns([1.2, 1], gap="large")
        with left:
            for (kd, _t, rw, searched), colour in zip(found, colours, strict=True):
                hit = searched.merged.hit(doc)
                if hit and hit.why:
                    st.caption(label(kd, rw))
                    st.plotly_chart(
                        charts.addends(hit.why, colour), key=f"rewrite.why.{kd}.{rw.by}", config=charts.CONFIG
                    )
        with right:
            show.passage("rewrite", document, panel.mark)

if isinstance(index, VectorIndex):
    with st.expander(_("On the map"), icon=":material/scatter_plot:", expanded=True):
        st.caption(
            _(
                "The star is the question, the diamonds its wordings, the cross their mean with the question; dots are the passages that were found."
            )
        )
        shown = list(dict.fromkeys(h.document.id for r in rankings for h in r.hits[:k]))
        texts = [(g.text, label(kd, rw)) for kd, _t, rw, _s in found for g in rw.queries]
        event = st.plotly_chart(
            rewriting.map_of(index, f, shown, query, texts, doc),
            key="rewrite.map",
            on_select="rerun",
            selection_mode="points",
            config=charts.CONFIG,
        )
        show.click(event)

with st.expander(_("Over all judged questions of this corpus"), icon=":material/query_stats:"):
    st.caption(_("Recall@10 of the raw question and of the merged list, by rules, for every judged question."))
    if f.collection.judged and st.button(
        _("Measure {n} questions", n=len(f.collection.judged)), key="rewrite.measure", icon=":material/play_arrow:"
    ):
        bar = st.progress(0.0)
        measured: dict[str, Gains] = {}
        for i, kind in enumerate(chosen):
            measured[titles[kind]] = gains(
                f.collection,
                technique(kind),
                index,
                fusion=fusion,
                progress=lambda d, t, i=i, kind=kind: bar.progress(
                    (i + d / t) / len(chosen), text=_("{name}: {done} of {total}", name=titles[kind], done=d, total=t)
                ),
            )
        bar.empty()
        st.session_state["_rewrite_gains"] = measured
    rewriting.gains_table(st.session_state.get("_rewrite_gains"))
with st.expander(_("All hits as a table"), icon=":material/table_rows:"):
    show.table("rewrite", rankings, names_shown)
p.export(rankings, names_shown, code.rewrites(f, source.retriever, [technique(x) for x in chosen], fusion, query, k))
p.footer(rankings, names_shown)
