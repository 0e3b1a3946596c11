"""A threshold from judgments, on a page: precision and recall over every value, and one click that sets the choice."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import streamlit as st

from lab import formats
from lab.algebra import Query, Ranking, Searcher
from lab.evaluate.experiments import Experiment, System
from lab.evaluate.health import describe_near, near
from lab.evaluate.refusing import Refusing, probes
from lab.evaluate.thresholds import DEPTH, KINDS, Choice, Threshold, results_of, stage
from lab.ui import address, escape, navigation
from lab.ui.escape import plain
from lab.ui.figures import charts, measure_charts
from lab.ui.i18n import _, say
from lab.ui.layout import export, tables
from lab.ui.layout.page import Page
from lab.ui.lists import sources
from lab.ui.study import evaluating
from lab.ui.work import once

STEP = 0.05


def tab(
    p: Page, systems: Mapping[str, System], measures: Sequence[str], queries: Sequence[Query]
) -> dict[str, Ranking]:
    """Choose a list and a number, and see what every threshold keeps; returns no lists."""
    row = st.columns([1.7, 3.3, 1.2, 1.4, 1], vertical_alignment="bottom")
    names = list(systems)
    with row[0]:
        name = p.choose("of", _("Search"), names, names[0])
    with row[1]:
        short = {"score": _("score"), "best": _("share of the best"), "coverage": _("coverage")}  # fits a phone
        kind = p.choose("number", _("Compared number"), list(KINDS), "best", format_func=short.__getitem__)
    depth = p.number("depth", _("Results per question"), 1, evaluating.DEPTH, DEPTH, into=row[2])
    with row[3]:
        help = _("Of the results that the threshold keeps, this share should be relevant.")
        wanted = _share(p, "wanted", _("Wanted precision"), help)
    seed = p.number("seed", _("Split"), 0, 999, 0, _("Another number splits the questions differently."), into=row[4])
    experiment = evaluating.experiment(p, {name: systems[name]}, measures, name, queries)
    if experiment is None:
        return {}
    for note in experiment.notes:
        st.warning(plain(say(note)), icon=":material/info:")
    with escape.problems():
        threshold = _threshold(experiment, name, systems[name], kind, depth, wanted)
        _draw(p, threshold, say(KINDS[kind]), seed)
        choice = threshold.choose(seed)
        system = systems[name]
        if choice is not None and not choice.needless and isinstance(system, Searcher):
            _set(p, system, kind, choice.there.value, queries[0].text)
        _refusing(p, experiment, name, kind, depth, seed)
    return {}


def _refusing(p: Page, e: Experiment, name: str, kind: str, depth: int, seed: int) -> None:
    """Draws what every threshold refuses of the questions without an answer and keeps of the others."""
    unanswered = [q for q in e.collection.unanswered if q.id in e.runs[name].results]
    with p.box(_("Questions without an answer"), "refusing"):
        if not unanswered:
            st.caption(_("None was searched. They are questions whose judged passages all have grade 0."))
            return
        if kind == "best":
            st.caption(_("The first result always has the share 1, so no share of the best score refuses a question."))
            return
        left, right = st.columns([1.6, 1], gap="large")
        with right:
            wanted = _share(p, "refuse", _("Wanted share refused"))
        every, run = (*e.queries, *unanswered), e.runs[name]
        about: Hashable = (e.collection.fingerprint, run, kind, depth, tuple(q.id for q in every))
        rows = once("refusing", about, lambda: probes(run, e.collection, every, kind, depth))
        close = once("near", e.collection.fingerprint, lambda: near(e.collection, unanswered))
        refusing = Refusing(tuple(rows), wanted)
        choice = refusing.choose(seed)
        with left:
            value = choice[0].value if choice else None
            charts.draw(measure_charts.refusals(refusing.points, say(KINDS[kind]), value), p.key("two-sided"))
        with right:
            for text in (*refusing.describe(seed), describe_near(len(close), len(unanswered))):
                st.markdown(plain(say(text)))


def _share(p: Page, name: str, label: str, help: str = "") -> float:
    key = address.keep(p.key(name), 0.5, address.number(STEP, 1.0, whole=False))
    return float(st.slider(label, STEP, 1.0, step=STEP, key=key, help=help or None))


def _threshold(e: Experiment, name: str, system: System, kind: str, depth: int, wanted: float) -> Threshold:
    """Returns the results of every question with their numbers, computed once."""
    ids = tuple(q.id for q in e.queries)
    about: Hashable = (e.collection.fingerprint, system, kind, depth, wanted, ids)

    def make() -> Threshold:
        results = results_of(e.runs[name], e.collection, e.queries, kind, depth)
        return Threshold(kind, tuple(results), ids, wanted)

    return once("threshold", about, make)


def _draw(p: Page, t: Threshold, title: str, seed: int) -> None:
    """Draws the curves, the figures of both halves, the sentences, and every threshold as a table."""
    choice = t.choose(seed)
    left, right = st.columns([1.6, 1], gap="large")
    with left, st.container(border=True, key=p.key("curves")):
        if t.points:
            value = choice.there.value if choice and not choice.needless else None
            charts.draw(measure_charts.thresholds(t.points, title, value, t.wanted if t.enough else None), p.key("pr"))
        unjudged = sum(not r.judged for r in t.results)
        st.caption(
            _(
                "Results of all questions: {n}; unjudged, counted as not relevant: {unjudged}. Recall is the share of "
                "the relevant results in these lists.",
                n=len(t.results),
                unjudged=unjudged,
            )
        )
    with right, st.container(border=True, key=p.key("choice")):
        if choice is not None:
            _figures(choice)
        for text in t.told(seed):
            st.markdown(plain(say(text)))
    with p.fold("points", _("Every threshold as a table"), ":material/table_rows:") as seen:
        if seen:
            number = st.column_config.NumberColumn
            columns: dict[str, Any] = {
                "value": number(title, format="%.4f"),
                "kept": _("Kept"),
                "relevant": _("Relevant"),
                "precision": number(_("Precision"), format="%.4f"),
                "recall": number(_("Recall"), format="%.4f"),
                "f": number("F", format="%.4f"),
            }
            rows = [{name: getattr(point, name) for name in columns} for point in t.points]
            tables.draw(_("Every threshold as a table"), rows, key=p.key("points"), columns=columns)


def _figures(choice: Choice) -> None:
    there, here = st.columns(2)
    for column, label, point in ((there, _("Tuning half"), choice.there), (here, _("Held-out half"), choice.here)):
        column.metric(label, "–" if point.precision is None else f"{point.precision:.2f}", help=_("Precision"))
        column.caption(_("kept: {kept}, relevant: {relevant} of {total}", **point._asdict()))


def _set(p: Page, search: Searcher, kind: str, value: float, question: str) -> None:
    """Draws the button that sets the threshold: on the page Filter for a single list, else as a pipeline's last step.

    ``question`` is the one that the page shows if the visitor has not asked any.
    """
    chosen = stage(kind, value)
    key = next((key for key, s in sources.known(p.frame).items() if s.retriever == search), "")
    page = "filter" if key else "pipeline"
    label = _("Use {value} on the page “{page}”", value=f"{value:g}", page=navigation.title(page))
    if not st.button(label, key=p.key("set"), icon=":material/filter_alt:", type="primary"):
        return
    with escape.problems():  # an address or a key must not be written down
        if not address.current_question().strip():
            address.put(address.QUESTION, question)
        if key:
            address.forget("filter.")
            address.put("filter.from", [key])
            address.put("filter.chain", [chosen.key])
            for field in ("of", "minimum") if kind != "coverage" else ("minimum",):
                address.put(f"filter.{chosen.key}.{field}", getattr(chosen, field))
        else:
            links = [formats.to_link(search), formats.to_link(search >> chosen)]
            address.forget("pipeline.")
            for place, link in zip(export.SIDE_BY_SIDE, links, strict=False):
                address.put(place, link)
        st.switch_page(navigation.find(page))
