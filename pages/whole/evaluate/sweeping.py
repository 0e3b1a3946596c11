"""A knob of a search over its range, on a page: the curve or the heat map, and how much of the best lead is luck."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from lab import catalog
from lab.algebra import Query, Ranking, Searcher
from lab.corpus.beir import Collection
from lab.evaluate.experiments import with_unanswered
from lab.evaluate.runs import answered
from lab.evaluate.sweeping import Axis, Sweep, axis, knobs, present_path, settings, swept
from lab.ui import address, escape, palette
from lab.ui.escape import plain
from lab.ui.figures import charts, measure_charts
from lab.ui.i18n import _, labelled, listed, say
from lab.ui.layout import tables
from lab.ui.layout.page import Page
from lab.ui.study import evaluating, measuring
from lab.ui.work import once


def tab(p: Page, searches: Mapping[str, Searcher], measure: str, queries: Sequence[Query]) -> dict[str, Ranking]:
    """Choose a search and one knob or two, measure every setting, and see what the best one is worth.

    Gives the two lists of the question that is open.
    """
    if not searches:
        st.info(_("Choose at least one search above."), icon=":material/checklist:")
        return {}
    chosen = _chosen(p, searches)
    if chosen is None:
        return {}
    search, axes = chosen
    if not evaluating.ready(p, [search]):
        return {}
    sweep = _sweep(p, search, axes, measure, queries)
    if sweep is None:
        return {}
    _draw(p, sweep, len(queries))
    return _one_by_one(p, search, sweep, queries)


def _chosen(p: Page, searches: Mapping[str, Searcher]) -> tuple[Searcher, list[Axis]] | None:
    """Returns the chosen search, its parameters and their values; None, with a note, if it has no parameters."""
    row = st.columns(3)
    names = list(searches)
    with row[0]:
        search = searches[p.choose("of", _("Search"), names, names[0])]
    known = knobs(search)
    if not known:
        st.info(_("This search has no parameter with a range."), icon=":material/tune:")
        return None
    _follow_renames(p, known)
    axes, labels = list[Axis](), {"": _("(none)")}
    labels |= {path: f"{say(catalog.title(type(a.operator)))} · {say(a.label)} ({path})" for path, a in known.items()}
    spread = evaluating.lengths_note(p.frame.corpus)
    first = [path for path in known if spread and path.rpartition(".")[2] == "b"]
    usual = next((path for path in (*first, "fuse.weights", "fuse.k", "b") if path in known), next(iter(known)))
    with escape.problems():
        for i, (column, label) in enumerate(((row[1], _("Knob")), (row[2], _("Second parameter")))):
            options = list(known) if not i else ["", *(x for x in known if x != axes[0].path)]
            start = "" if i else usual
            path = p.pick(f"knob{i}", label, options, start, format_func=labels.__getitem__, into=column)
            if path:
                values = address.keep(
                    p.key(f"values.{path}"), ", ".join(map(str, known[path].values)), address.text(300)
                )
                text = column.text_input(_("Values"), key=values, max_chars=300)
                axes.append(axis(search, path, text))
        settings(search, axes)
        return search, axes
    return None


def _follow_renames(p: Page, known: Mapping[str, Axis]) -> None:
    """Moves the values that a link or lesson gives under a parameter's former name to its present name."""

    def renamed(key: str, value: Any) -> tuple[str, Any]:
        if key in (p.key("knob0"), p.key("knob1")):
            return key, present_path(known, str(value))
        start, values, path = key.partition(p.key("values."))
        return (values + present_path(known, path), value) if values and not start else (key, value)

    address.rename(renamed)


def _sweep(p: Page, search: Searcher, axes: list[Axis], measure: str, queries: Sequence[Query]) -> Sweep | None:
    """Returns the sweep, only its finished part if the visitor stopped it; None if nothing was finished."""
    c = p.frame.collection
    searches = {repr(values): search_at for values, search_at in settings(search, axes)[0].items()}
    study = measuring.Study(p, "sweep", searches, c.corpus, with_unanswered(c, queries))
    with escape.problems():
        study.go_on(_("Searching every question with every setting ({n}) …", n=len(searches)))
        runs = study.runs()
        done = answered(runs, queries)
        about: Hashable = (c.fingerprint, search, *((a.path, a.values) for a in axes), p.model_labels, measure, done)
        return once("swept", about, partial(swept, search, _first(c, queries), axes, runs, measure=measure))
    return None


def _first(c: Collection, queries: Sequence[Query]) -> Collection:
    return c if len(queries) == len(c.judged) else replace(c, queries=tuple(queries))


def _draw(p: Page, s: Sweep, total: int) -> None:
    """The picture, the sentences, the two halves, and all settings as a table."""
    if s.answered < total:
        n = _("Questions done: {n} of {total}; figures so far.", n=s.answered, total=total)
        st.warning(n, icon=":material/hourglass_top:")
    for values, reason in s.left_out:
        st.caption(plain(labelled(listed(values), reason)))
    left, right = st.columns([1.6, 1], gap="large")
    with left, st.container(border=True):
        if len(s.axes) == 1:
            charts.draw(measure_charts.curve(s), p.key("curve"))
            st.caption(_("Shaded: 95% CI of the mean. Dashed: the current value. Ringed: the best."))
        else:
            charts.draw(measure_charts.heat(s), p.key("heat"))
            rows, columns = (plain(say(a.label)) for a in s.axes)
            st.caption(_("Rows: {rows}. Columns: {columns}. [ ]: now. ★: the best.", rows=rows, columns=columns))
    with right, st.container(border=True, key=p.key("halves")):
        seed = p.number("seed", _("Split"), 0, 999, 0, _("Another number splits the questions differently."))
        h = s.honest(seed)
        if h is not None:
            there, here = st.columns(2)
            there.metric(_("Tuning half"), f"{h.there:.3f}", _lead(h.there - h.now_there))
            here.metric(_("Held-out half"), f"{h.here:.3f}", _lead(h.here - h.now_here))
        for text in s.told(seed):
            st.markdown(plain(say(text)))
    with p.fold("settings", _("All figures as a table"), ":material/table_rows:") as seen:
        if seen:
            number = st.column_config.NumberColumn
            columns_of: dict[str, Any] = {a.path: a.path for a in s.axes} | {
                "value": number(s.measure, format="%.4f"),
                "low": number(_("95% CI from"), format="%.4f"),
                "high": number(_("to"), format="%.4f"),
                "best_order": number(
                    _("best possible order"), format="%.4f", help=_("Of all results of this setting.")
                ),
                "refused": number(_("refused"), format="percent"),
                "judged": number(_("judged"), format="percent", help=_("The share of these results that are judged.")),
                "query_ms": number(_("ms, median"), format="%.2f"),
            }
            if any(point.size for point in s.points):
                columns_of |= {name: number(title) for name, title in _sizes().items()}
            table = []
            for row in s.rows:
                low, high = row["interval"] or (None, None)
                settings_of = dict(zip((a.path for a in s.axes), map(str, row["values"]), strict=True))
                figures = {**row, "low": low, "high": high, **(row["index"] or {}), **settings_of}
                table.append({name: figures.get(name) for name in columns_of})
            tables.draw(_("All figures as a table"), table, key=p.key("settings"), columns=columns_of)


def _sizes() -> dict[str, str]:
    """The names of the columns on what a setting indexes."""
    return {"chunks": _("chunks"), "tokens": _("tokens"), "bytes": _("bytes")}


def _lead(size: float) -> str | None:
    """A lead under a figure; none has no arrow."""
    return f"{size:+.3f}" if abs(size) >= 5e-4 else None


def _one_by_one(p: Page, search: Searcher, s: Sweep, asked: Sequence[Query]) -> dict[str, Ranking]:
    """Draws the best setting against the current one, question by question."""
    if s.best() is s.now:
        return {}
    now, best = _("now: {setting}", setting=s.written(s.now)), _("best: {setting}", setting=s.written(s.best()))
    with p.box(_("Question by question")):
        runs, queries = {now: s.now.run, best: s.best().run}, [q for q in asked if q.id in s.queries]
        return evaluating.two_by_two(p, runs, s.measure, queries, palette.families([search, search]))
