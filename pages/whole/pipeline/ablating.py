"""Ablation on a page: what each part of a search is worth over all judged questions, down to the two lists of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from lab.algebra import Composed, Progress, Query, Searcher
from lab.errors import LabError
from lab.evaluate.ablation import WHOLE, Ablation, Plan, Variant, figures, headroom, plan, verdict
from lab.evaluate.experiments import of_runs
from lab.evaluate.measures import EXAMPLES, MEASURES, check_subtopics
from lab.evaluate.measures import measure as known
from lab.evaluate.runs import Run, answered
from lab.ui import address, escape
from lab.ui.escape import plain
from lab.ui.figures import charts
from lab.ui.i18n import _, _n, labelled, say
from lab.ui.layout import tables
from lab.ui.layout.page import Page
from lab.ui.study import evaluating, measuring
from lab.ui.work import once, work

if TYPE_CHECKING:
    import pandas as pd

MANY = 200
"""So many questions are asked at first; a visitor may ask more."""
KEPT = 2
"""Number of a visitor's ablations that are kept."""
KINDS = ("without", "alone")
_WORKS = "_ablations"


@dataclass
class _Work:
    """An ablation that this visitor has started: its plan, and the problem that ended it."""

    plan: Plan | None = None
    problem: LabError | None = None


def tab(p: Page, searches: Mapping[str, Searcher]) -> None:
    """Choose one of these searches, measure it whole, without each part and with each part alone, and look into it."""
    c = p.frame.collection
    st.caption(
        _(
            "Leaves out each part in turn, then keeps only that part. If a measure falls without a part, the part "
            "helps; if nothing changes, it only costs time."
        )
    )
    if not c.judged:
        st.info(
            _("This corpus has no judged question, so nothing can be measured. The sample corpora have some."),
            icon=":material/rule:",
        )
        return
    for name in ("part", "question"):  # a link's choices are kept until there are figures
        address.keep(p.key(f"ablate.{name}"), "", address.text(200))
    address.keep(p.key("ablate.kind"), "without", address.choice(KINDS))
    row = st.columns([3, 2, 1.6], vertical_alignment="bottom")
    names = list(searches)
    options = map(str, range(len(names)))
    which = p.pick("ablate.of", _("Pipeline"), options, "0", format_func=lambda i: names[int(i)], into=row[0])
    with row[1]:
        measure = _measure(p)
    limit = p.number("ablate.n", _("Questions"), 1, len(c.judged), min(MANY, len(c.judged)), into=row[2])
    search, queries = searches[names[int(which)]], c.judged[:limit]
    if not isinstance(search, Composed):
        told_of = _("A single list has no part that can be left out. Add a second list or a step.")
        st.info(told_of, icon=":material/call_split:")
        return
    if measure is None:
        return
    measured = _measured(p, search, queries, measure)
    if measured is None:
        return
    ablation, runs = measured
    _head(ablation, len(queries))
    _parts(p, ablation, runs)
    if ablation.variants:
        with p.exports() as seen:
            if seen:
                _files(p, ablation)


def _measure(p: Page) -> str | None:
    """Returns the chosen measure, a usual one or any that ir-measures knows; None if the text is not a measure."""
    key = address.keep(p.key("ablate.measure"), MEASURES[0], address.text(60))
    options = list(dict.fromkeys([*MEASURES, *EXAMPLES, st.session_state[key] or MEASURES[0]]))
    help = _("Any measure of ir-measures may be typed.")
    chosen = str(st.selectbox(_("Measure"), options, key=key, accept_new_options=True, help=help) or MEASURES[0])
    with escape.problems():
        known(chosen)
        c = p.frame.collection
        check_subtopics([chosen], [q.id for q in c.judged], c.subtopics)
        return chosen
    return None


def _measured(
    p: Page, search: Composed, queries: Sequence[Query], measure: str
) -> tuple[Ablation, Mapping[str, Run]] | None:
    """Returns the ablation over the finished questions and its runs, after searching the missing ones; None if there
    are none.

    A model that fails ends the work, and the visitor may try again.
    """
    c, works = p.frame.collection, st.session_state.setdefault(_WORKS, {})
    about: Hashable = (c.fingerprint, search, p.model_labels)
    started: _Work | None = works.get(about)
    if started is None:
        n = len(queries)
        text = _n("Measure all parts on {n} question", "Measure all parts on {n} questions", n)
        st.button(
            text,
            key=p.key("ablate.begin"),
            icon=":material/play_arrow:",
            on_click=_begin,
            args=(works, about),
            type="primary",
        )
        return None
    doing = _("Searching every question in every variant …")

    def study(taken_apart: Plan) -> measuring.Study:
        return measuring.Study(p, "ablate", taken_apart.searches, c.corpus, queries)

    def prepare(progress: Progress) -> Plan:
        return plan(search, c.corpus, queries, models=p.models_now, progress=progress)

    try:
        if started.problem is None:
            started.plan = started.plan or work(p.key("ablate.plan"), doing, prepare, about=about)
            if started.plan:
                study(started.plan).go_on(doing)
    except LabError as error:
        started.problem = error
    if started.problem is not None:
        escape.problem(started.problem)
        st.button(
            _("Try again"),
            key=p.key("ablate.again"),
            icon=":material/refresh:",
            on_click=setattr,
            args=(started, "problem", None),
        )
    taken_apart = started.plan
    runs = study(taken_apart).runs() if taken_apart else {}
    done = answered(runs, queries)
    if taken_apart is None or not done:
        return None

    def measure_parts() -> Ablation:
        return figures(taken_apart, of_runs(runs, c, [measure], done, len(queries), baseline=WHOLE))

    with escape.problems():
        return once("ablated", (about, measure, *done), measure_parts), runs
    return None


def _begin(works: dict[Hashable, _Work], about: Hashable) -> None:
    """A new ablation; the oldest of too many goes."""
    works[about] = _Work()
    while len(works) > KEPT:
        del works[next(iter(works))]


def _head(ablation: Ablation, total: int) -> None:
    """The whole search in figures, and over how many questions they are."""
    cells = st.columns(4)
    cells[0].metric(_("{measure} of the whole pipeline", measure=ablation.measure), f"{ablation.value:.3f}")
    cells[1].metric(_("Questions"), ablation.queries)
    cells[2].metric(_("Median"), _("{ms} ms", ms=f"{ablation.ms[0]:.1f}"))
    cells[3].metric(_("P95"), _("{ms} ms", ms=f"{ablation.ms[1]:.1f}"))
    if ablation.queries < total:
        n = _("Questions done: {n} of {total}; figures so far.", n=ablation.queries, total=total)
        st.warning(n, icon=":material/hourglass_top:")
    if ablation.unwritten:
        n = _("Questions searched unchanged because the model failed: {n}.", n=len(ablation.unwritten))
        st.warning(n, icon=":material/cloud_off:")
    if not ablation.value:
        st.info(
            _("The whole pipeline finds no relevant result for any of these questions."), icon=":material/search_off:"
        )


def _parts(p: Page, ablation: Ablation, runs: Mapping[str, Run]) -> None:
    """The picture of all parts, the chosen one, and all figures."""
    names = _names(ablation)
    without, only_step = ({v.cut.path: v for v in variants} for variants in (ablation.without, ablation.alone))
    paths = list(dict.fromkeys([*without, *only_step]))
    if not paths:
        st.info(_("No part of this search can be left out or kept alone."), icon=":material/call_split:")
        return
    key = p.key("ablate.part")
    path = str(st.session_state[key])
    if path not in paths:  # the one without which most changes
        path = max(ablation.without or ablation.variants, key=lambda v: abs(v.difference.mean)).cut.path
    if without:
        labels = [names[path] for path in without]
        drawn = charts.worths(list(without.values()), labels, selected=path)
        clicked = _fresh(key, charts.clicked(charts.clickable(drawn, p.key("ablate.worths"))))
        if clicked in paths and clicked != path:
            address.put(key, clicked)
            st.rerun()
        st.caption(_("Pale bars are not significant: p above 0.05, Holm-corrected over all variants. Click a part."))
    pick = p.key("ablate.pick")
    address.hold(pick, path)
    st.selectbox(
        _("Part"), paths, key=pick, format_func=names.__getitem__, on_change=address.follow, args=(pick, paths, key)
    )
    kinds = dict(zip(KINDS, (without, only_step), strict=True))
    _part(
        p,
        ablation,
        runs,
        names[path],
        {kind: variants_by_path[path] for kind, variants_by_path in kinds.items() if path in variants_by_path},
    )
    with p.fold("ablate", _("All figures as a table"), ":material/table_rows:") as seen:
        if seen:
            _table(p, ablation, names)


def _names(ablation: Ablation) -> dict[str, str]:
    """Returns the names of the parts by path; parts with the same name also show their path."""
    parts = {v.cut.path: say(v.cut.part.label) for v in ablation.variants}
    parts |= {path: say(part.label) for path, part, _reason in ablation.kept}
    several = Counter(parts.values())
    return {path: f"{name} ({path})" if several[name] > 1 else name for path, name in parts.items()}


def _fresh(key: str, value: str | None) -> str | None:
    """Returns the value of a new click; None if the widget still reports an earlier one."""
    seen = f"{key}.seen"
    if value == st.session_state.get(seen):
        return None
    st.session_state[seen] = value
    return value


def _part(p: Page, ablation: Ablation, runs: Mapping[str, Run], name: str, variants: Mapping[str, Variant]) -> None:
    """What the chosen part is worth, and the questions on which it makes a difference."""
    titles = {"without": _("whole pipeline ↔ without this step"), "alone": _("whole pipeline ↔ only this step")}
    with p.box(plain(name)):
        kind = next(iter(variants))
        if len(variants) > 1:
            kind = p.choose(
                "ablate.kind", _("Compared item"), list(variants), "without", format_func=titles.__getitem__
            )
        v = variants[kind]
        if v.cut.alone:
            figures = {"measure": ablation.measure, "own": f"{v.value:.3f}", "whole": f"{ablation.value:.3f}"}
            st.markdown(plain(_("This step alone: {measure} {own}; the whole pipeline: {whole}.", **figures)))
        else:
            st.markdown(plain(say(verdict(v))))
            if told_headroom := headroom(v, ablation.measure):
                st.markdown(plain(say(told_headroom)))
        _questions(p, ablation, runs, v)


def _questions(p: Page, ablation: Ablation, runs: Mapping[str, Run], v: Variant) -> None:
    """Draws which questions get better or worse; a click opens the two lists of one."""
    other = _("Only this step") if v.cut.alone else _("Without this step")
    queries = [q for q in p.frame.collection.judged if q.id in v.difference.away]
    both = {_("The whole pipeline"): runs[WHOLE], other: runs[v.cut.run]}
    evaluating.two_by_two(p, both, ablation.measure, queries, at="ablate.")


def _table(p: Page, ablation: Ablation, names: Mapping[str, str]) -> None:
    """Every figure of every variant; and the parts that stay."""
    number = st.column_config.NumberColumn
    columns: dict[str, Any] = {
        "part": _("Part"),
        "alone": _("Search"),
        "value": number(ablation.measure, format="%.4f"),
        "difference": number(_("Difference"), format="%+.4f", help=_("Difference from the whole pipeline.")),
        "low": number(_("from"), format="%+.4f", help=_("95% CI of the difference.")),
        "high": number(_("to"), format="%+.4f"),
        "corrected": number("p", format="%.4f", help=_("Paired t-test, Holm-corrected over all variants.")),
        "better": number(_("Better"), help=_("Questions answered better than by the whole pipeline.")),
        "equal": _("Equal"),
        "worse": number(_("Worse"), help=_("Questions answered worse than by the whole pipeline.")),
        "median_ms": number(_("Median"), format=_("{ms} ms", ms="%.1f")),
        "late_ms": number(_("P95"), format=_("{ms} ms", ms="%.1f")),
    }
    tables.draw(
        _("All figures as a table"), _figures(ablation, names, columns), key=p.key("ablate.table"), columns=columns
    )
    for path, _operator, reason in ablation.kept:
        st.caption(labelled(plain(names[path]), plain(say(reason))))


def _figures(ablation: Ablation, names: Mapping[str, str], columns: Iterable[str]) -> pd.DataFrame:
    """These figures of every variant, a row each."""
    import pandas as pd

    kinds = {False: _("without this step"), True: _("only this step")}
    rows = [v.to_dict() | {"part": names[v.cut.path], "alone": kinds[v.cut.alone]} for v in ablation.variants]
    return pd.DataFrame(rows, columns=list(columns))


def _files(p: Page, ablation: Ablation) -> None:
    """All figures as files: the whole search in the first row, then every variant."""
    import pandas as pd

    (median, late), said = ablation.ms, {"part": _("The whole pipeline"), "alone": ""}
    whole = said | {"value": ablation.value, "median_ms": median, "late_ms": late}
    variants = _figures(ablation, _names(ablation), [name for name in ablation.variants[0].to_dict() if name != "path"])
    table = pd.concat([pd.DataFrame([whole], columns=variants.columns).astype(object), variants.astype(object)])
    table = table.rename(columns={"part": _("Part"), "alone": _("Search"), "value": ablation.measure})
    st.caption(_("Table: variants {n}, questions {questions}", n=len(variants), questions=ablation.queries))
    row = st.container(horizontal=True)
    tables.downloads(row, f"{p.frame.corpus.name}-ablation", lambda: table, key=p.key("ablate"))
