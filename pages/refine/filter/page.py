"""Filter: a chain of filters, what each removes, and the sentence that says why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from itertools import islice, permutations
from typing import Any

import streamlit as st

from lab import catalog
from lab.algebra import DEPTH, Ranking, Stage, Stages
from lab.explain.notes import without_model
from lab.refine.access import Allowed
from lab.refine.filters import EmbeddingsFilter, Measured, SemanticDedup, cheapest_first
from lab.refine.llm_filter import LanguageModelJudge
from lab.refine.per_document import PerDocument
from lab.refine.superseded import Superseded
from lab.refine.where import MetadataFilter, Where
from lab.text.quantities.dates import read_date
from lab.ui import escape, palette
from lab.ui.figures import charts
from lab.ui.i18n import _, labelled, listed, say
from lab.ui.layout import frame, stages, tables
from lab.ui.layout.page import Page, technique_name
from lab.ui.lists import show, sources, ways, whereabouts
from lab.ui.models import language_model
from pages.refine.filter import access, conditions

p = Page("filter", _("Filter"), _("What does each filter remove, and was that right?"))
f = p.frame
p.lessons()
query = p.query(operators=True)

row = p.row([2.6, 5.0, 1.4, 1.4])
with row[1]:
    chain = p.techniques(
        "chain",
        _("Filters, in this order"),
        catalog.with_role(catalog.stages, "filter"),
        [Where, SemanticDedup] if f.corpus.name in frame.uploads() else [MetadataFilter, SemanticDedup],
        _("Remove steps and add them again to change the order."),
    )
shown = p.number("k", _("Show"), 1, 100, 10, into=row[2])
with row[3], st.popover(_("More"), icon=":material/tune:", width="stretch"):
    depth = p.number("depth", _("Candidates"), 1, 200, 30)
    cheap = p.switch(
        "cheap",
        _("Cheapest first"),
        False,
        _("Runs metadata filters first, then text, then vectors, whatever the order above."),
    )
with row[0]:
    first = sources.first(p, query, depth)
if not first.ranking.hits:
    p.stop(escape.plain(first.panel.empty), ":material/search_off:")


def started(kind: type[Stage]) -> Stage:
    """What the knobs of a filter begin with: where that depends on the corpus, the page's own."""
    if kind is EmbeddingsFilter:
        return EmbeddingsFilter(k=0, threshold=0.2)
    if kind is Allowed:
        return stages.for_groups(Allowed(), f)
    if kind is not MetadataFilter:
        return kind()
    start = stages.for_corpus(MetadataFilter(), f)
    dates = [day for x in f.corpus if (day := read_date(x.metadata.get(start.date_field, "")))]
    return replace(start, max_age_days=730 if dates else None, as_of=max(dates, default=date(2025, 1, 1)).isoformat())


def offers(kind: type[Stage], start: Stage) -> dict[str, list[str]]:
    """What this corpus offers to choose from: values of the field that is chosen beside them."""
    if isinstance(start, Allowed):
        return stages.offered_groups(f, str(st.session_state.get(p.key(f"{kind.key}.field")) or start.field))
    if isinstance(start, PerDocument | Superseded):
        listed = stages.offers(f)
        names = ["", *listed["source_field"]]
        return {"field": names, "subject": names, "date_field": listed["date_field"]}
    field = getattr(start, "source_field", "source")
    return stages.offers(f, str(st.session_state.get(p.key(f"{kind.key}.source_field")) or field))


with p.stage():
    stage_left, stage_right = st.container(), st.container(border=True)
lists_place, settings = stage_left.container(), stage_left.container()
filters: tuple[Stage, ...] = ()
slots: dict[Stage, Any] = {}
if chain:
    for tab, kind in zip(
        settings.tabs([f"{i} {technique_name(x)}" for i, x in enumerate(chain, 1)]), chain, strict=True
    ):
        with tab:
            start = started(kind)
            if note := without_model(start, p.models):
                st.info(escape.plain(say(note)), icon=":material/smart_toy:")
            if isinstance(start, Where):
                conditions.builder(p)
            filters += (stages.drawn(p, start, query, offers(kind, start), seen=2),)
            slots[filters[-1]] = st.container()
else:
    settings.info(_("Add a filter above; without one, everything stays."), icon=":material/filter_alt:")
filters = cheapest_first(filters) if cheap else filters
names = [say(stage.label) for stage in filters]


def run(order: Sequence[Stage]) -> list[Ranking]:
    """The candidates, and what every filter of a chain leaves of them."""
    left = p.run({"": first.search >> Stages(tuple(order))}, query, k=max(depth, DEPTH))[""]
    return list(left.lineage())[-len(order) - 1 :]


before, *steps = run(filters)
after = steps[-1] if steps else before
relevant = show.relevance(f, query)
colour, mark = palette.named("refined"), first.panel.mark
removed = [(say(step.made_by.label), drop) for step in steps for drop in step.dropped]


def warnings() -> None:
    """What is relevant and was removed, and what a language model could not judge."""
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
    verdicts = [v for step in steps if isinstance(step.made_by, LanguageModelJudge) for v in step.evidence_as(tuple)]
    failed = [v for v in verdicts if v.problem is not None]
    language_model.unread(v.answer.text for v in failed if v.answer)
    if failed and not language_model.asking():
        st.warning(
            _(
                "Passages kept because the model failed: {n} of {total}. {reason}",
                n=len(failed),
                total=len(verdicts),
                reason=escape.plain(say(failed[0].reason)),
            ),
            icon=":material/smart_toy:",
        )
    if not lost and relevant and steps:
        st.caption(_("No document judged relevant was removed."))


def standing(step: Ranking) -> None:
    """Draws every passage's value on the scale of a filter, which shows what a different threshold would remove."""
    told = step.evidence
    if isinstance(told, Measured):
        gone = {drop.document.id for drop in step.dropped}
        figure = charts.measured(told, step.parents[0], gone, selected=str(st.session_state.get("doc", "")))
        show.click(charts.clickable(figure, f"filter.measured.{step.made_by.key}"))
        st.caption(
            _(
                "Each point is a passage; hollow ones are removed. The dashed line is the threshold. Click a "
                "point to select it."
            )
        )


for stage, step in zip(filters, steps, strict=True):
    with slots[stage]:
        if isinstance(stage, Where):
            conditions.tested(p, step, stage)
        conditions.read_from_question(step)
        standing(step)

whole = list(after.lineage())[::-1]  # including what was truncated before the first filter
doc = show.selected([show.Panel(r, "", colour, mark) for r in whole], relevant, depth)
kept = show.Panel(
    after,
    _("Kept ({n})", n=len(after)),
    colour,
    mark,
    empty=_("No passage is left. Loosen a filter: the list on the right shows which filter removed what."),
)
gone = _("Removed ({n})", n=len(removed)), [(drop, by, before.rank(drop.document.id)) for by, drop in removed]


def way(doc: str) -> None:
    """What became of one document, and its text."""
    ways.biography(after, doc, first.names)
    document = f.corpus.get(doc)
    if document:
        show.passage("filter", document, mark)


with lists_place:
    show.lists("filter", [kept], f, depth=shown, chosen=doc, relevant=relevant, removed=gone)
with stage_right:
    st.subheader(_("One document, step by step"), anchor=False)
    way(show.pick("filter", whole, doc))
whereabouts.field(p, p.applied({kept.name: first.search >> Stages(tuple(filters))}), query, shown)

with p.box(_("Passages left after each filter")):
    left = [len(before), *map(len, steps)]
    idle = [without_model(stage, p.models) for stage in filters]
    times = [_("no model") if note else step.seconds * 1000 for note, step in zip(idle, steps, strict=True)]
    charts.draw(charts.funnel([_("candidates"), *names], left, [None, *times], colour), "filter.funnel")
    for name, note in zip(names, idle, strict=True):
        if note:
            st.caption(":material/smart_toy: " + escape.plain(labelled(name, note)))
    warnings()


def permissions() -> None:
    """Draws the permissions of the chain: hidden after the cut, and before the index."""
    for allowed in (stage for stage in filters if isinstance(stage, Allowed)):
        with p.box(_("Permissions: after the cut, or before the index"), "permissions"):
            access.draw(p, first.search, query, allowed, shown)


permissions()


def orders() -> list[dict[str, object]]:
    """The chain as it is, cheapest first, reversed, and other orders: what each costs and what it keeps."""
    wanted = dict.fromkeys([filters, cheapest_first(filters), filters[::-1], *islice(permutations(filters), 12)])
    rows: list[dict[str, object]] = []
    for order in list(wanted)[:12]:
        own = run(order)[1:]
        rows.append(
            {
                "order": " → ".join(say(stage.label) for stage in order),
                "kept": len(own[-1]),
                "looked": sum(len(step.parents[0]) for step in own),
                "ms": sum(step.seconds for step in own) * 1000,
                "more": listed(i for i in own[-1].ids if after.rank(i) is None),
                "fewer": listed(i for i in after.ids if own[-1].rank(i) is None),
            }
        )
    return rows


def others() -> None:
    """Every order of the same filters as a table."""
    st.caption(_("“Examined”: documents that all steps together examine, a cost that no clock measures."))
    columns: dict[str, Any] = {
        "order": _("Order"),
        "kept": _("Kept"),
        "looked": _("Examined"),
        "ms": st.column_config.NumberColumn(_("ms"), format="%.2f"),
        "more": _("Kept only in this order"),
        "fewer": _("This order loses"),
    }
    tables.draw(_("Every order of the filters"), orders(), key="filter.orders", columns=columns)


if len(filters) > 1 and not any(stage.asks_model for stage in filters):
    with p.fold("others", _("The same filters in another order"), ":material/swap_vert:") as seen:
        if seen:
            others()
searches = {_("Kept"): first.search >> Stages(filters), first.panel.name: first.search}
took = [(first.panel.name, first.ranking), *zip(names, steps, strict=True)]
p.end(searches, {_("Kept"): after, first.panel.name: before}, took)
