"""Figures over all judged questions of the corpus: kept for the visitor until the searches or the judgments change."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import streamlit as st

from lab.algebra import Pipeline, Progress, Ranking, Searcher
from lab.evaluate.measures import Scores, measure_run
from lab.evaluate.runs import each, run_many
from lab.explain.tipping import Axis, Step, Tipping, quality, tipping
from lab.fuse import ShareSum
from lab.ui import tables
from lab.ui.i18n import _
from lab.ui.page import Page
from lab.ui.work import once, work

T = TypeVar("T")


def remembered(name: str, key: Hashable, make: Callable[[Progress], T], doing: str = "") -> T | None:
    """What was made for this key; made anew, with a bar of progress, where the key is another; None where stopped."""
    kept = st.session_state.get(f"_measured.{name}")
    if kept is None or kept[0] != key:
        made = work(f"{name}.measured", doing or _("Searching every judged query …"), make, about=key)
        if made is None:
            return None
        kept = st.session_state[f"_measured.{name}"] = (key, made)
    found: T = kept[1]
    return found


def scores(p: Page, searches: Mapping[str, Searcher], measure: str = "nDCG@10") -> dict[str, Scores]:
    """One measure of every search over all judged questions, by the name of the search."""
    c = p.frame.collection

    def make(progress: Progress) -> dict[str, Scores]:
        runs = run_many(searches, c.corpus, c.judged, models=p.models_now, progress=progress)
        return {name: measure_run(run, c.qrels, [measure]) for name, run in runs.items()}

    return remembered(p.name, (c.fingerprint, tuple(searches.items()), measure), make) or {}


def along(p: Page, search: Pipeline, axis: Axis) -> Sequence[Step]:
    """nDCG@10 of a fusion along an axis, over all judged questions."""
    c, fusion = p.frame.collection, search.fuse
    assert isinstance(fusion, ShareSum)

    def make(progress: Progress) -> Sequence[Step]:
        told = each({"": search}, c.corpus, c.judged, models=p.models_now, progress=progress)
        return quality(fusion, [(r[""].parents, c.relevant(q.id)) for q, r in told], axis)

    middle = _middle(search, fusion, axis)
    return remembered(f"{p.name}.along", (c.fingerprint, search.replace("fuse", middle), axis), make) or ()


def _middle(search: Pipeline, fusion: ShareSum, axis: Axis) -> ShareSum:
    """The fusion with its knob in the middle of the axis: where it stands changes nothing along all of it."""
    return axis.with_value(fusion, len(search.retrieve), sum(axis.range) / 2)


def tips(p: Page, fused: Ranking, search: Pipeline, axis: Axis) -> Tipping:
    """The tipping points of a fusion, for the question at hand: reckoned once, wherever the knob stands."""
    fusion = search.fuse
    assert isinstance(fusion, ShareSum)
    middle = _middle(search, fusion, axis)
    about = (fused.corpus.fingerprint, search.replace("fuse", middle), axis, fused.query)
    made = once(f"{p.name}.tips", about, lambda: tipping(middle, fused.parents, axis))
    return replace(made, current=axis.current(fusion, len(fused.parents)))


def along_one(p: Page, fused: Ranking, search: Pipeline, axis: Axis, relevant: Mapping[str, int]) -> Sequence[Step]:
    """nDCG@10 of a fusion along an axis, for the question at hand: made once, wherever the knob stands."""
    fusion = search.fuse
    assert isinstance(fusion, ShareSum)
    middle = _middle(search, fusion, axis)
    about = (fused.corpus.fingerprint, search.replace("fuse", middle), axis, fused.query, tuple(relevant.items()))
    return once(f"{p.name}.one", about, lambda: quality(fusion, [(fused.parents, relevant)], axis))


def metrics(p: Page, searches: Mapping[str, Searcher], titles: Mapping[str, str], measure: str = "nDCG@10") -> None:
    """The first search and what each other one changes: the mean, and how many questions got better or worse."""
    found = scores(p, searches, measure)
    if not found:
        return
    (first, base), *others = found.items()
    columns = st.columns(len(found) + 1)
    columns[0].metric(_("before (queries: {n})", n=base.queries), f"{base.means[measure]:.3f}")
    for column, (name, own) in zip(columns[1:], others, strict=False):
        change = own.means[measure] - base.means[measure]
        column.metric(titles[name], f"{own.means[measure]:.3f}", f"{change:+.3f}" if abs(change) >= 5e-4 else None)
        better, worse = counted(base, own, measure)
        column.caption(_("queries better: {better}, worse: {worse}", better=better, worse=worse))


def counted(base: Scores, own: Scores, measure: str, queries: Sequence[str] | None = None) -> tuple[int, int]:
    """How many of these queries (all, where none are named) got better, and how many worse."""
    before, after = base.per_query[measure], own.per_query[measure]
    away = [after[q] - before[q] for q in (before if queries is None else queries)]
    return sum(a > 1e-9 for a in away), sum(a < -1e-9 for a in away)


def by_type(p: Page, pairs: Mapping[str, tuple[Searcher, Searcher]], measure: str = "R@10") -> None:
    """A table of searches before and after, over all judged questions and by the type of the question."""
    c = p.frame.collection
    sides = {f"{side}.{name}": pair[i] for name, pair in pairs.items() for i, side in enumerate(("before", "after"))}
    found = scores(p, sides, measure)
    if not found:
        return
    kinds: dict[str, list[str]] = {_("all"): [q.id for q in c.judged]}
    for q in c.judged:
        if "type" in q.metadata:
            kinds.setdefault(str(q.metadata["type"]), []).append(q.id)
    rows = []
    for name in pairs:
        base, own = found[f"before.{name}"], found[f"after.{name}"]
        for kind, ids in kinds.items():
            before, after = (sum(s.per_query[measure][i] for i in ids) / max(len(ids), 1) for s in (base, own))
            rows.append((name, kind, before, after, after - before, *counted(base, own, measure, ids)))
    number = st.column_config.NumberColumn
    columns: dict[str, Any] = {
        "technique": _("Technique"),
        "kind": _("Kind of question"),
        "before": number(_("Raw"), format="%.3f"),
        "after": number(_("Rewritten"), format="%.3f"),
        "change": number(_("Change"), format="%+.3f"),
        "better": _("Better"),
        "worse": _("Worse"),
    }
    table = [dict(zip(columns, row, strict=True)) for row in rows]
    tables.draw(_("By the kind of the question"), table, key=f"{p.name}.gains", columns=columns)
