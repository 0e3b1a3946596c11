"""Filter: a chain of filters, what each removes, and the sentence that says why."""

from __future__ import annotations

from datetime import date

import streamlit as st

from lab.core import Stage
from lab.errors import LabError
from lab.reading.dates import read_date
from lab.refine.filters import (
    EmbeddingsFilter,
    KeywordExclusion,
    MetadataFilter,
    RedundancyFilter,
    ScoreThreshold,
    SemanticDedup,
    cheapest_first,
    other_orders,
    relevant_drops,
    run_chain,
)
from lab.refine.llm_filter import LanguageModelJudge, Verdict
from lab.text import language_of
from lab.ui import address, charts, code, escape, language_model, palette, show, sources
from lab.ui.i18n import _
from lab.ui.page import Page

p = Page("filter", _("Filter"), _("What is thrown out, by which rule, and was it rightly so?"))
f = p.frame
p.lessons()
query = p.query()

kinds = {
    "metadata": _("Metadata"),
    "keywords": _("Keywords"),
    "score": _("Score threshold"),
    "dedup": _("Semantic de-duplication"),
    "embeddings": _("Near the query"),
    "redundancy": _("Redundancy"),
    "judge": _("Language model judge"),
}
row = st.columns([2.8, 4.6, 1.5, 1.3, 1.7], vertical_alignment="bottom")
with row[1]:
    chain = p.several(
        "chain",
        _("Filters, in this order"),
        list(kinds),
        ["metadata", "dedup"],
        _("Add, remove, and add again to change the order."),
        format_func=kinds.__getitem__,
    )
with row[2]:
    depth = p.number("depth", _("Candidates"), 1, 200, 30)
with row[3]:
    shown = p.number("k", _("Show"), 1, 100, 10)
with row[4]:
    cheap = p.switch(
        "cheap", _("Cheap first"), False, _("Metadata before text before vectors, whatever the order above.")
    )
with row[0], st.spinner(_("Indexing the corpus …"), show_time=True):
    before, first = sources.candidates(p, query, depth=depth)
if not before.hits:
    st.info(escape.plain(first.empty), icon=":material/search_off:")
    p.stop()
before = before.top(depth)
model = language_model.current()

dates = sorted(d for d in (read_date(x.metadata.get("date", "")) for x in f.corpus) if d)
policies = {"keep": _("keep"), "drop": _("remove")}


def metadata() -> Stage:
    """The knobs of the metadata filter."""
    a, b, c = st.columns(3)
    address.keep(p.key("metadata.max_age_days"), 730, address.number(0, 36525, whole=True))
    address.keep(p.key("metadata.use_age"), bool(dates), address.flag)
    address.keep(p.key("metadata.as_of"), (dates[-1] if dates else date(2025, 1, 1)).isoformat())
    values = sorted({str(d.metadata["source"]) for d in f.corpus if d.metadata.get("source")})
    fields = sorted({name for d in f.corpus for name in d.metadata})
    with a:
        use = st.toggle(_("Not older than"), key=p.key("metadata.use_age"))
        age = st.number_input(_("days"), 0, 36525, step=30, key=p.key("metadata.max_age_days"), disabled=not use)
        as_of = st.text_input(
            _("counted back from"),
            key=p.key("metadata.as_of"),
            disabled=not use,
            help=_("A day that you set: the same experiment gives the same result next year."),
        )
    with b:
        allowed = p.several("metadata.sources", _("Allowed sources"), values, [], _("None chosen: all."))
        required = p.several("metadata.required", _("Required fields"), fields, [])
    with c:
        missing = p.choose(
            "metadata.missing", _("Where it is missing"), ("keep", "drop"), "keep", format_func=policies.__getitem__
        )
        unreadable = p.choose(
            "metadata.unreadable",
            _("Where a date is no date"),
            ("keep", "drop"),
            "keep",
            format_func=policies.__getitem__,
        )
    return MetadataFilter(
        int(age) if use else None, as_of if use else "", tuple(allowed), tuple(required), missing, unreadable
    )


def keywords() -> Stage:
    """The knobs of the keyword filter."""
    a, b = st.columns(2)
    address.keep(p.key("keywords.words"), "")
    address.keep(p.key("keywords.patterns"), "")
    words = a.text_input(_("Words, separated by commas"), key=p.key("keywords.words"))
    patterns = b.text_area(
        _("Patterns (RE2), one per line"), key=p.key("keywords.patterns"), height=80, placeholder=r"v?1\.\d+"
    )
    return KeywordExclusion(
        tuple(w.strip() for w in words.replace("，", ",").split(",") if w.strip()),
        tuple(x for x in patterns.splitlines() if x.strip()),
    )


def score() -> Stage:
    """The knobs of the score threshold."""
    a, b = st.columns(2)
    with a:
        of = p.knob(
            ScoreThreshold,
            "of",
            _("Compared is"),
            name="score.of",
            format_func={
                "score": _("the score itself"),
                "best": _("its share of the best"),
                "min-max": _("min–max"),
            }.__getitem__,
        )
    with b:
        address.keep(p.key("score.minimum"), 0.2, address.number(None, None, whole=False))
        minimum = st.number_input(_("At least"), step=0.05, key=p.key("score.minimum"))
    return ScoreThreshold(float(minimum), of)


def dedup() -> Stage:
    """The knobs of semantic de-duplication."""
    return SemanticDedup(
        p.knob(SemanticDedup, "threshold", _("Cosine from which two are the same"), name="dedup.threshold"), f.embedder
    )


def embeddings() -> Stage:
    """The knobs of the embeddings filter."""
    a, b = st.columns(2)
    with a:
        k = p.knob(EmbeddingsFilter, "k", _("Only the nearest (0: any number)"), name="embeddings.k")
    with b:
        address.keep(p.key("embeddings.threshold"), 0.2, address.number(-1, 1, whole=False))
        threshold = st.slider(_("Cosine with the query above"), -1.0, 1.0, step=0.05, key=p.key("embeddings.threshold"))
    return EmbeddingsFilter(int(k), float(threshold), f.embedder)


def redundancy() -> Stage:
    """The knobs of the redundancy filter."""
    a, b = st.columns(2)
    with a:
        threshold = p.knob(
            RedundancyFilter, "threshold", _("Cosine above which one of two goes"), name="redundancy.threshold"
        )
    with b:
        keep = p.knob(
            RedundancyFilter,
            "keep",
            _("Who stays"),
            _("LangChain keeps the later one: on a ranking, that throws away the better."),
            name="redundancy.keep",
            format_func={"later": _("the later one (LangChain)"), "earlier": _("the earlier one")}.__getitem__,
        )
    return RedundancyFilter(float(threshold), keep, f.embedder)


def judge() -> Stage:
    """The knobs of the language model's judgment: its prompt."""
    made = LanguageModelJudge(model)
    if model is None:
        st.info(_("No language model is set (sidebar): every document stays."), icon=":material/smart_toy:")
    key = p.key("judge.template")
    address.keep(key, made.prompt(language_of(query)))
    text = st.text_area(
        _("Prompt"), key=key, height=160, help=_("{question} and {document} are filled in.").replace("{", "\\{")
    )
    return LanguageModelJudge(model, "" if text == made.prompt(language_of(query)) else text)


makers = {
    "judge": judge,
    "metadata": metadata,
    "keywords": keywords,
    "score": score,
    "dedup": dedup,
    "embeddings": embeddings,
    "redundancy": redundancy,
}
stages: list[tuple[str, Stage]] = []
if chain:
    for tab, kind in zip(st.tabs([f"{i} {kinds[x]}" for i, x in enumerate(chain, 1)]), chain, strict=True):
        with tab:
            try:
                stages.append((kind, makers[kind]()))
            except LabError as error:
                escape.problem(error)
else:
    st.info(_("Add a filter above; without one, everything stays."), icon=":material/filter_alt:")
if cheap:
    order = cheapest_first([s for _k, s in stages])
    stages = sorted(stages, key=lambda pair: order.index(pair[1]))
verdicts: list[Verdict] = []
for i, (_kind, stage) in enumerate(stages):
    if (
        isinstance(stage, LanguageModelJudge) and model is not None
    ):  # its answers are remembered: the chain below asks nothing twice
        came = before.then(*(s for _k, s in stages[:i]))
        bar = st.progress(0.0, text=_("The model reads {n} passages …", n=len(came)))
        verdicts += stage.verdicts(came, progress=lambda done, total, bar=bar: bar.progress(done / total))
        bar.empty()
steps = run_chain(before, [s for _k, s in stages])
after = steps[-1].ranking if steps else before
relevant = show.relevance(f, query)
colour = palette.named("refined")

with st.container(border=True):
    st.subheader(_("How many are left"), anchor=False)
    names = [_("candidates"), *(kinds[k] for k, _s in stages)]
    st.plotly_chart(
        charts.funnel(
            names, [len(before), *(s.kept for s in steps)], [None, *(s.seconds * 1000 for s in steps)], colour
        ),
        key="filter.funnel",
        config=charts.CONFIG,
    )
    lost = relevant_drops(steps, {d for d, g in relevant.items() if g > 0})
    for step, drop in lost:
        st.warning(
            _(
                "“{title}” is judged relevant, and {filter} removes it: {reason}",
                title=escape.plain(drop.document.label),
                filter=show.stage_name(step.stage.label),
                reason=escape.plain(show.said(drop.reason)),
            ),
            icon=":material/warning:",
        )
    failed = [v for v in verdicts if v.problem is not None]
    if failed:
        st.warning(
            _(
                "The model failed on {n} of {total} passages; they stay. {reason}",
                n=len(failed),
                total=len(verdicts),
                reason=escape.plain(show.said(failed[0].reason)),
            ),
            icon=":material/smart_toy:",
        )
    if not lost and relevant and steps:
        st.caption(_("No document that is judged relevant was removed."))

removed = [(step, drop) for step in steps for drop in step.ranking.dropped]
doc = show.selected([show.Panel(after, "", colour, first.mark), first], relevant, depth)
kept_panel = show.Panel(
    after,
    _("Kept ({n})", n=len(after)),
    colour,
    first.mark,
    empty=_("Nothing is left. Loosen a filter: the list on the right says which removed what."),
)
show.lists_and_drops(
    "filter",
    [kept_panel],
    _("Removed ({n})", n=len(removed)),
    [(drop, show.stage_name(step.stage.label), before.rank(drop.document.id)) for step, drop in removed],
    f,
    depth=shown,
    chosen=doc,
    relevant=relevant,
    mark=first.mark,
)

with st.container(border=True):
    st.subheader(_("The way of one document"), anchor=False)
    doc = show.pick("filter", [before, after, *(s.ranking for s in steps)], f, doc)
    show.biography(after, doc)
    document = f.corpus.get(doc)
    if document:
        show.passage("filter", document, first.mark)

if len(stages) > 1 and "judge" not in chain:
    with st.expander(_("The same filters in another order"), icon=":material/swap_vert:"):
        st.caption(
            _(
                "“Looked at” counts the documents that all steps together had to look at: the cost without the noise of the stopwatch."
            )
        )
        kind_of = {id(s): k for k, s in stages}
        orders = other_orders(before, [s for _k, s in stages], limit=12)
        st.dataframe(
            [
                {
                    "order": " → ".join(kinds[kind_of[id(s)]] for s in o.stages),
                    "kept": o.steps[-1].kept,
                    "looked": o.looked_at,
                    "ms": o.seconds * 1000,
                    "more": ", ".join(o.only_here),
                    "fewer": ", ".join(o.not_here),
                }
                for o in orders
            ],
            hide_index=True,
            key="filter.orders",
            column_config={
                "order": _("Order"),
                "kept": _("Kept"),
                "looked": _("Looked at"),
                "ms": st.column_config.NumberColumn("ms", format="%.2f"),
                "more": _("Only this order keeps"),
                "fewer": _("This order loses"),
            },
        )
with st.expander(_("All hits as a table"), icon=":material/table_rows:"):
    show.table("filter", [after, before], [_("Kept"), first.name])
p.export([after, before], [_("Kept"), first.name], code.refinements(f, before, [s for _k, s in stages], query))
p.footer([before, *(s.ranking for s in steps)], [first.name, *(kinds[k] for k, _s in stages)])
