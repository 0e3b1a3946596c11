"""Filter: a chain of filters, what each removes, and the sentence that says why."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import islice, permutations

import streamlit as st

from lab.core import Ranking, Stage, Stages
from lab.errors import LabError
from lab.pipeline import DEPTH
from lab.reading.dates import read_date
from lab.refine.filters import (
    EmbeddingsFilter,
    KeywordExclusion,
    MetadataFilter,
    RedundancyFilter,
    ScoreThreshold,
    SemanticDedup,
    cheapest_first,
)
from lab.refine.llm_filter import LanguageModelJudge
from lab.text import language_of
from lab.ui import address, charts, escape, palette, show, sources
from lab.ui.i18n import _, say
from lab.ui.names import stage as stage_name
from lab.ui.page import Page

p = Page("filter", _("Filter"), _("What is thrown out, by which rule, and was it rightly so?"))
f = p.frame
p.lessons()
query = p.query()

dates = sorted(d for d in (read_date(x.metadata.get("date", "")) for x in f.corpus) if d)
policies = {"keep": _("keep"), "drop": _("remove")}


def metadata() -> Stage:
    """The knobs of the metadata filter."""
    a, b, c = st.columns(3)
    age, as_of = p.key("metadata.max_age_days"), p.key("metadata.as_of")
    address.keep(age, 730, address.number(0, 36525, whole=True))
    address.keep(as_of, (dates[-1] if dates else date(2025, 1, 1)).isoformat())
    values = sorted({str(d.metadata["source"]) for d in f.corpus if d.metadata.get("source")})
    fields = sorted({name for d in f.corpus for name in d.metadata})
    with a:
        use = p.switch("metadata.use_age", _("Not older than"), bool(dates))
        days = st.number_input(_("days"), 0, 36525, step=30, key=age, disabled=not use)
        fixed = _("A day that you set: the same experiment gives the same result next year.")
        day = st.text_input(_("counted back from"), key=as_of, disabled=not use, help=fixed)
    with b:
        allowed = p.several("metadata.sources", _("Allowed sources"), values, [], _("None chosen: all."))
        required = p.several("metadata.required", _("Required fields"), fields, [])
    with c:
        missing, unreadable = (
            p.choose(f"metadata.{name}", label, list(policies), "keep", format_func=policies.__getitem__)
            for name, label in (("missing", _("Where it is missing")), ("unreadable", _("Where a date is no date")))
        )
    limit = int(days) if use else None
    return MetadataFilter(limit, day if use else "", tuple(allowed), tuple(required), missing, unreadable)


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
    scales = {"score": _("the score itself"), "best": _("its share of the best"), "min-max": _("min–max")}
    with a:
        of = p.knob(ScoreThreshold, "of", _("Compared is"), name="score.of", format_func=scales.__getitem__)
    with b:
        return ScoreThreshold(float(p.knob(ScoreThreshold, "minimum", _("At least"), name="score.minimum")), of)


def dedup() -> Stage:
    """The knobs of semantic de-duplication."""
    same = _("Cosine from which two are the same")
    return SemanticDedup(p.knob(SemanticDedup, "threshold", same, name="dedup.threshold"), f.embedder)


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
    sides = {"later": _("the later one (LangChain)"), "earlier": _("the earlier one")}
    above = _("Cosine above which one of two goes")
    warning = _("LangChain keeps the later one: on a ranking, that throws away the better.")
    with a:
        threshold = p.knob(RedundancyFilter, "threshold", above, name="redundancy.threshold")
    with b:
        keep = p.knob(
            RedundancyFilter, "keep", _("Who stays"), warning, name="redundancy.keep", format_func=sides.__getitem__
        )
    return RedundancyFilter(float(threshold), keep, f.embedder)


def judge() -> Stage:
    """The knobs of the language model's judgment: its prompt."""
    usual, key = LanguageModelJudge().prompt(language_of(query.text)), p.key("judge.template")
    if "chat" not in p.models:
        st.info(_("No language model is set (sidebar): every document stays."), icon=":material/smart_toy:")
    address.keep(key, usual)
    filled = _("{question} and {document} are filled in.").replace("{", "\\{")
    text = st.text_area(_("Prompt"), key=key, height=160, help=filled)
    return LanguageModelJudge(template="" if text == usual else text)


known = {
    "metadata": (_("Metadata"), metadata),
    "keywords": (_("Keywords"), keywords),
    "score": (_("Score threshold"), score),
    "dedup": (_("Semantic de-duplication"), dedup),
    "embeddings": (_("Near the query"), embeddings),
    "redundancy": (_("Redundancy"), redundancy),
    "judge": (_("Language model judge"), judge),
}
row = st.columns([2.8, 4.6, 1.5, 1.3, 1.7], vertical_alignment="bottom")
with row[1]:
    chain = p.several(
        "chain",
        _("Filters, in this order"),
        list(known),
        ["metadata", "dedup"],
        _("Add, remove, and add again to change the order."),
        format_func=lambda kind: known[kind][0],
    )
with row[2]:
    depth = p.number("depth", _("Candidates"), 1, 200, 30)
with row[3]:
    shown = p.number("k", _("Show"), 1, 100, 10)
with row[4]:
    cheap = p.switch(
        "cheap", _("Cheap first"), False, _("Metadata before text before vectors, whatever the order above.")
    )
with row[0]:
    first = sources.first(p, query, depth)
if not first.ranking.hits:
    st.info(escape.plain(first.panel.empty), icon=":material/search_off:")
    p.stop()

names: dict[Stage, str] = {}
if chain:
    for tab, kind in zip(st.tabs([f"{i} {known[x][0]}" for i, x in enumerate(chain, 1)]), chain, strict=True):
        name, make = known[kind]
        with tab:
            try:
                names[make()] = name
            except LabError as error:
                escape.problem(error)
else:
    st.info(_("Add a filter above; without one, everything stays."), icon=":material/filter_alt:")
filters = cheapest_first(tuple(names)) if cheap else tuple(names)


def run(order: Sequence[Stage]) -> list[Ranking]:
    """The candidates, and what every filter of a chain leaves of them."""
    left = p.run({"": first.search >> Stages(tuple(order))}, query, k=max(depth, DEPTH))[""]
    return list(left.lineage())[-len(order) - 1 :]


for i, stage in enumerate(filters):
    if isinstance(stage, LanguageModelJudge) and "chat" in p.models:
        came = len(run(filters[:i])[-1])
        with st.spinner(_("The model reads {n} passages …", n=came), show_time=True):
            run(filters[: i + 1])
before, *steps = run(filters)
after = steps[-1] if steps else before
relevant = show.relevance(f, query)
colour, mark = palette.named("refined"), first.panel.mark
removed = [(stage_name(step.made_by.label), drop) for step in steps for drop in step.dropped]

with st.container(border=True):
    st.subheader(_("How many are left"), anchor=False)
    st.plotly_chart(
        charts.funnel(
            [_("candidates"), *(names[stage] for stage in filters)],
            [len(before), *map(len, steps)],
            [None, *(step.seconds * 1000 for step in steps)],
            colour,
        ),
        key="filter.funnel",
        config=charts.CONFIG,
    )
    lost = [(by, drop) for by, drop in removed if relevant.get(drop.document.id, 0) > 0]
    for by, drop in lost:
        st.warning(
            _(
                "“{title}” is judged relevant, and {filter} removes it: {reason}",
                title=escape.plain(drop.document.label),
                filter=by,
                reason=escape.plain(say(drop.reason)),
            ),
            icon=":material/warning:",
        )
    verdicts = [v for step in steps if isinstance(step.made_by, LanguageModelJudge) for v in step.evidence]
    failed = [v for v in verdicts if v.problem is not None]
    if failed:
        st.warning(
            _(
                "The model failed on {n} of {total} passages; they stay. {reason}",
                n=len(failed),
                total=len(verdicts),
                reason=escape.plain(say(failed[0].reason)),
            ),
            icon=":material/smart_toy:",
        )
    if not lost and relevant and steps:
        st.caption(_("No document that is judged relevant was removed."))

whole = list(after.lineage())[::-1]  # with what was cut before the first filter
doc = show.selected([show.Panel(r, "", colour, mark) for r in whole], relevant, depth)
kept = show.Panel(
    after,
    _("Kept ({n})", n=len(after)),
    colour,
    mark,
    empty=_("Nothing is left. Loosen a filter: the list on the right says which removed what."),
)
gone = _("Removed ({n})", n=len(removed)), [(drop, by, before.rank(drop.document.id)) for by, drop in removed]
show.lists("filter", [kept], f, depth=shown, chosen=doc, relevant=relevant, removed=gone)

with st.container(border=True):
    st.subheader(_("The way of one document"), anchor=False)
    doc = show.pick("filter", whole, doc)
    show.biography(after, doc)
    document = f.corpus.get(doc)
    if document:
        show.passage("filter", document, mark)


def orders() -> list[dict[str, object]]:
    """The chain as it is, cheapest first, reversed, and other orders: what each costs and what it keeps."""
    wanted = dict.fromkeys([filters, cheapest_first(filters), filters[::-1], *islice(permutations(filters), 12)])
    rows: list[dict[str, object]] = []
    for order in list(wanted)[:12]:
        own = run(order)[1:]
        rows.append(
            {
                "order": " → ".join(names[stage] for stage in order),
                "kept": len(own[-1]),
                "looked": sum(len(step.parents[0]) for step in own),
                "ms": sum(step.seconds for step in own) * 1000,
                "more": ", ".join(i for i in own[-1].ids if after.rank(i) is None),
                "fewer": ", ".join(i for i in after.ids if own[-1].rank(i) is None),
            }
        )
    return rows


if len(filters) > 1 and "judge" not in chain:
    others = st.expander(
        _("The same filters in another order"),
        icon=":material/swap_vert:",
        key=p.key("others"),
        on_change="rerun",
    )
    if others.open:
        others.caption(
            _(
                "“Looked at” counts the documents that all steps together had to look at: "
                "the cost without the noise of the stopwatch."
            )
        )
        others.dataframe(
            orders(),
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
    show.table("filter", [after, before], [_("Kept"), first.panel.name])
search = first.search >> Stages(filters)
p.export({_("Kept"): search, first.panel.name: first.search}, [after, before], [_("Kept"), first.panel.name])
p.footer([first.ranking, *steps], [first.panel.name, *(names[stage] for stage in filters)])
