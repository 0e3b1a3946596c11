"""The corpus with more and more other passages, on a page: every search at each size, and the orders that flip."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from lab import engine
from lab.algebra import Progress, Query, Searcher
from lab.corpus import samples
from lab.evaluate.growing import Growing, Growth, Step, grow, growing
from lab.evaluate.runs import Gathered
from lab.ui import address, escape, navigation
from lab.ui.escape import plain
from lab.ui.figures import charts, measure_charts
from lab.ui.i18n import _, listed, say
from lab.ui.layout import frame, tables
from lab.ui.layout.page import Page
from lab.ui.study import evaluating
from lab.ui.work import once, work

_KEPT = "_grown"
KINDS = ("whole", "sentences")


def tab(p: Page, searches: Mapping[str, Searcher], measure: str, queries: Sequence[Query]) -> None:
    """Draws the choice of what is added, and the measure of every search at each size."""
    if not searches:
        st.info(_("Choose at least one search above."), icon=":material/checklist:")
        return
    with escape.problems():
        chosen = _chosen(p)
        if chosen and evaluating.ready(p, searches.values()):
            corpora, sizes, about = chosen
            steps = _steps(p, corpora, sizes, searches, queries, about)
            if steps:
                of_measure = (replace(s, experiment=replace(s.experiment, measures=(measure,))) for s in steps)
                key = about, tuple(searches.items()), measure, len(queries), tuple(s.size for s in steps)
                growth = once("growth", key, lambda: Growth(tuple(of_measure), measure, corpora.copies))
                _draw(p, growth, searches, len(sizes))


def _chosen(p: Page) -> tuple[Growing, tuple[int, ...], Hashable] | None:
    """Returns what grows, its sizes, and their key; None, with a note, if nothing is added."""
    c = p.frame.collection
    options = [name for name in frame.corpora() if name != c.name and not engine.of(name)]
    row = st.columns([3, 1.6, 2, 0.8], vertical_alignment="bottom")
    with row[0]:
        first = [name for name in samples.names() if name in options]
        names = p.several("add", _("Added corpora"), options, first, format_func=frame.corpus_title)
    with row[1]:
        kinds = {"whole": _("whole"), "sentences": _("sentences")}
        kind = p.choose("cut", _("Added as"), KINDS, "whole", format_func=kinds.__getitem__)
    with row[3]:
        help = _("Another number adds the passages in another order.")
        seed = p.number("order", _("Order"), 0, 999, 0, help)
    if not names:
        message = _("Choose a corpus to add. Files become one on the page “{page}”.", page=navigation.title("corpus"))
        st.info(message, icon=":material/library_add:")
        return None
    others = [frame.collection(name).corpus for name in names]
    about: Hashable = (c.fingerprint, *((x.name, x.fingerprint) for x in others), kind, seed)
    corpora = once("growing", about, lambda: growing(c, others, sentences=kind == "sentences", seed=seed))
    key = address.keep(p.key("sizes"), "", address.text(200))
    help = _("Numbers of passages, separated by commas. Empty: four sizes by equal factors.")
    with row[2]:
        text = st.text_input(_("Sizes"), key=key, max_chars=200, help=help, placeholder=listed(corpora.sizes()))
    return corpora, corpora.sizes(text), about


def _steps(
    p: Page,
    corpora: Growing,
    sizes: Sequence[int],
    searches: Mapping[str, Searcher],
    queries: Sequence[Query],
    about: Hashable,
) -> list[Step]:
    """Returns the figures of the sizes, only of the finished ones if the visitor stopped."""
    key: Hashable = (about, tuple(searches.items()), p.model_labels, len(queries))
    cached = st.session_state.get(_KEPT)
    if cached is None or cached[0] != key:
        cached = st.session_state[_KEPT] = (key, dict[int, Gathered](), dict[int, Step]())
    _key, gathered, steps = cached
    missing = [size for size in sizes if size not in steps]

    def make(progress: Progress) -> None:
        how: dict[str, Any] = {"limit": len(queries), "models": p.models_now, "progress": progress, "into": gathered}
        for step in grow(searches, corpora, missing, ["nDCG@10"], **how):
            steps[step.size] = step

    if missing:
        doing = _("Searching every question at every size ({n}) …", n=len(sizes))
        work(p.key("grow"), doing, make, about=(key, tuple(sizes)))
    return [steps[size] for size in sizes if size in steps]


def _draw(p: Page, growth: Growth, searches: Mapping[str, Searcher], total: int) -> None:
    """Draws the curves, the sentences, and all figures as a table."""
    if len(growth.steps) < total:
        done = _("Sizes done: {n} of {total}; figures so far.", n=len(growth.steps), total=total)
        st.warning(done, icon=":material/hourglass_top:")
    left, right = st.columns([1.6, 1], gap="large")
    with left, st.container(border=True, key=p.key("grown")):
        colours, places = evaluating.colours(searches), [f"{size:,}" for size in growth.sizes]
        drawn = measure_charts.lines(growth.points, colours, growth.measure, _("passages"), list(enumerate(places)))
        charts.draw(drawn, p.key("growth"))
        st.caption(_("Whiskers: 95% CI of the mean. “flips”: sizes at which the order of two searches changes."))
    with right, st.container(border=True, key=p.key("flips")):
        for note in growth.notes:
            st.markdown(plain(say(note)))
    number = st.column_config.NumberColumn
    help = _("Indexing and the first question; an index that several searches share counts for the first.")
    columns: dict[str, Any] = {
        "passages": number(_("Passages"), format="localized"),
        "search": _("Search"),
        "value": number(growth.measure, format="%.4f"),
        "low": number(_("95% CI from"), format="%.4f"),
        "high": number(_("to"), format="%.4f"),
        "flips": _("flips"),
        "judged": number(_("judged"), format="percent", help=_("The share of these results that are judged.")),
        "query_ms": number(_("ms, median"), format="%.2f"),
        "ready_seconds": number(_("ready, s"), format="%.2f", help=help),
        "megabytes": number("MB", format="%.1f", help=_("Estimate: texts and cached indexes of all searches.")),
    }
    tables.draw(_("Every search at every size"), list(growth.rows), key=p.key("sizes.table"), columns=columns)
