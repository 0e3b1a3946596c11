"""Figures over all judged questions of the corpus, cached for the visitor until searches or judgments change."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean as mean
from typing import Any, TypeVar

import streamlit as st

from lab.algebra import DEPTH, Corpus, Pipeline, Progress, Query, Ranking, Searcher
from lab.corpus.beir import types_of
from lab.evaluate.ceiling import Ceiling
from lab.evaluate.measures import Scores, measure_run
from lab.evaluate.runs import Gathered, Run, each, run_many
from lab.evaluate.significance import Difference, compare
from lab.explain.tipping import Axis, Step, Tipping, quality, tipping
from lab.fuse import ShareSum
from lab.ui.escape import plain
from lab.ui.i18n import _
from lab.ui.layout import tables
from lab.ui.layout.page import Page
from lab.ui.work import once, work

T = TypeVar("T")
KEPT = 16
"""Maximum number of a visitor's runs in the cache of a study, beside those that it needs now."""


def remembered(name: str, key: Hashable, make: Callable[[Progress], T], doing: str = "") -> T | None:
    """Returns the cached result for this key, made with a progress bar if the key has changed; None if stopped."""
    doing = doing or _("Searching every judged query …")
    result = once(name, key, lambda: work(f"{name}.measured", doing, make, about=key))
    if result is None:
        del st.session_state[f"_measured.{name}"]
    return result


class Study:
    """Named searches over the same questions, whose results are cached for the visitor by search and question.

    Studies of one ``name`` on a page share them; of results that no search of this study has, `KEPT` runs stay.  All
    visitors share those of a sample corpus, if no grades, models or retrievers of a visitor are among them.
    ``run`` is as `run_many`; if it searches in its own way, ``about`` says which.
    """

    def __init__(
        self,
        p: Page,
        name: str,
        searches: Mapping[str, Searcher],
        corpus: Corpus,
        queries: Sequence[Query],
        *,
        k: int = DEPTH,
        about: Hashable = (),
        run: Callable[..., object] = run_many,
    ) -> None:
        self._p, self._name, self._run, self._k = p, p.key(name), run, k
        self._corpus, self._queries, self._searches = corpus, queries, searches
        self._cached: dict[Hashable, Run] = st.session_state.setdefault(f"_runs.{self._name}", {})
        self.keys = {n: (corpus.fingerprint, s, p.model_labels, k, about) for n, s in searches.items()}
        self.is_shared = p.frame.is_sample and not p.models  # external retrievers are among the models

    def runs(self) -> dict[str, Run]:
        """Returns the results so far of every search, by its name."""
        return {name: replace(self._cached.get(key, Run("", {})), name=name) for name, key in self.keys.items()}

    def missing(self) -> dict[str, Run]:
        """Returns the results so far of the searches that have not answered every question."""
        return {name: run for name, run in self.runs().items() if any(q.id not in run.results for q in self._queries)}

    def go_on(self, doing: str) -> None:
        """Searches the missing questions with a progress bar; stopped work keeps the finished ones."""
        missing = self.missing()
        if not missing:
            return
        searches = {name: self._searches[name] for name in missing}
        gathered = Gathered(searches)
        gathered.take(missing)

        def search(progress: Progress | None) -> Gathered:
            self._run(
                searches,
                self._corpus,
                self._queries,
                k=self._k,
                models=self._p.models_now,
                progress=progress,
                into=gathered,
            )
            return gathered

        def make(progress: Progress) -> None:
            keys, results = [self.keys[name] for name in searches], gathered
            about = ("runs", *keys, *((query.id, query) for query in self._queries))
            try:
                results = self._corpus.awaited(about, search, progress) if self.is_shared else search(progress)
            finally:
                self._cached |= dict(zip(keys, results.runs().values(), strict=True))
                old = [key for key in self._cached if key not in self.keys.values()]
                for key in old[: max(0, len(self._cached) - KEPT)]:
                    del self._cached[key]

        work(self._name, doing, make, about=(tuple(self.keys.values()), len(self._queries)))


def scores(p: Page, searches: Mapping[str, Searcher], measure: str = "nDCG@10") -> dict[str, Scores]:
    """Returns one measure of every search over all judged questions, by the name of the search."""
    qrels = p.frame.collection.qrels
    return {name: measure_run(run, qrels, [measure]) for name, run in runs(p, searches).items()}


def runs(p: Page, searches: Mapping[str, Searcher], k: int = DEPTH) -> Mapping[str, Run]:
    """Returns the results of every search for all judged questions, by its name; empty if the visitor stopped."""
    c = p.frame.collection
    study = Study(p, "measured", searches, c.corpus, c.judged, k=k)
    study.go_on(_("Searching every judged query …"))
    return {} if study.missing() else study.runs()


def along(p: Page, search: Pipeline, axis: Axis) -> Sequence[Step]:
    """Returns nDCG@10 of a fusion along an axis, over all judged questions."""
    c, fusion = p.frame.collection, search.fuse
    assert isinstance(fusion, ShareSum)

    def make(progress: Progress) -> Sequence[Step]:
        rows = each({"": search}, c.corpus, c.judged, models=p.models_now, progress=progress)
        return quality(fusion, [(r[""].parents, c.relevant(q.id)) for q, r in rows], axis)

    middle = _middle(search, fusion, axis)
    return remembered(f"{p.name}.along", (c.fingerprint, search.replace("fuse", middle), axis), make) or ()


def _middle(search: Pipeline, fusion: ShareSum, axis: Axis) -> ShareSum:
    """Returns the fusion with its parameter in the middle of the axis, so that the cache key ignores its value."""
    return axis.with_value(fusion, len(search.retrieve), sum(axis.range) / 2)


def tips(p: Page, fused: Ranking, search: Pipeline, axis: Axis) -> Tipping:
    """Returns the tipping points of a fusion for the current question, computed once for all values."""
    fusion = search.fuse
    assert isinstance(fusion, ShareSum)
    middle = _middle(search, fusion, axis)
    about = (fused.corpus.fingerprint, search.replace("fuse", middle), axis, fused.query)
    tipping_points = once(f"{p.name}.tips", about, lambda: tipping(middle, fused.parents, axis))
    return replace(tipping_points, current=axis.current(fusion, len(fused.parents)))


def along_one(p: Page, fused: Ranking, search: Pipeline, axis: Axis, relevant: Mapping[str, int]) -> Sequence[Step]:
    """Returns nDCG@10 of a fusion along an axis for the current question, computed once for all values."""
    fusion = search.fuse
    assert isinstance(fusion, ShareSum)
    middle = _middle(search, fusion, axis)
    about = (fused.corpus.fingerprint, search.replace("fuse", middle), axis, fused.query, tuple(relevant.items()))
    return once(f"{p.name}.one", about, lambda: quality(fusion, [(fused.parents, relevant)], axis))


def metrics(p: Page, searches: Mapping[str, Searcher], titles: Mapping[str, str], measure: str = "nDCG@10") -> None:
    """Draws the first search, and the change by every other one: the mean, and the questions better or worse."""
    results = scores(p, searches, measure)
    if not results:
        return
    (first, base), *rest = results.items()
    columns = st.columns(len(results) + 1)
    columns[0].metric(_("before (queries: {n})", n=base.queries), f"{base.means[measure]:.3f}")
    for column, (name, changed) in zip(columns[1:], rest, strict=False):
        d = compare(base, changed, measure)
        column.metric(titles[name], f"{changed.means[measure]:.3f}", f"{d.mean:+.3f}" if abs(d.mean) >= 5e-4 else None)
        column.caption(_("queries better: {better}, worse: {worse}", better=d.better, worse=d.worse))


def headroom(p: Page, ceiling: Ceiling, reranked: Mapping[str, Scores]) -> None:
    """Draws the best possible order of the candidates, and the share of the headroom that every reranker takes."""
    columns = st.columns(len(reranked) + 2)
    text = _("No reranker of these candidates can exceed it: it cannot bring back a passage that is not among them.")
    columns[0].metric(_("best possible order"), f"{ceiling.mean:.3f}", help=text)
    for column, (name, scores) in zip(columns[1:], reranked.items(), strict=False):
        share = ceiling.share(scores)
        label = _("headroom taken by {name}", name=plain(name, 24))
        column.metric(label, "–" if share is None else f"{share:.0%}", help=_("Sums over all questions."))
    n = len(ceiling.best)
    values = {"empty": len(ceiling.empty), "wrong": len(ceiling.misordered), "n": n}
    st.caption(
        _(
            "Questions: {n}. Unwinnable (no candidate is relevant): {empty}. Misordered (another order is better): "
            "{wrong}.",
            **values,
        )
    )


def by_type(p: Page, pairs: Mapping[str, tuple[Searcher, Searcher]], measure: str = "R@10") -> None:
    """Draws a table of searches before and after, over all judged questions and by type of question."""
    c = p.frame.collection
    sides = {f"{side}.{name}": pair[i] for name, pair in pairs.items() for i, side in enumerate(("before", "after"))}
    results = scores(p, sides, measure)
    if not results:
        return
    kinds = {_("all"): tuple(q.id for q in c.judged)} | types_of(c.judged)
    rows = []
    for name in pairs:
        before, after = (results[f"{side}.{name}"].per_query[measure] for side in ("before", "after"))
        for kind, ids in kinds.items():
            d = Difference("", "", measure, {q: after[q] - before[q] for q in ids})
            means = (mean(side[q] for q in ids) for side in (before, after))
            rows.append((name, kind, *means, d.mean, d.better, d.worse))
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
