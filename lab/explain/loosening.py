"""The nearest value of a parameter at which a step no longer removes a passage, found by halving.

Only the search up to this step is run: what follows may be slow, and does not decide what this step removes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from lab.algebra import Composed, Pipeline, Query, Ranking, Runner, Searcher, Stage
from lab.errors import LabError
from lab.explain.whereabouts import deep, parts_of, rank_of
from lab.refine.filters import Measured
from lab.words import Said

HALVINGS = 40
"""Maximum number of values that are tried for one parameter."""
CLOSE = 0.01
"""A value is rounded by at most this share of itself."""
DIGITS = 6
"""Maximum number of decimal places of an offered value."""


def path_of(search: Searcher, step: Ranking) -> str | None:
    """Returns the place in a search of the step that made a ranking; None if no step did."""
    if not step.parents or not isinstance(search, Composed) or not isinstance(step.made_by, Stage):
        return None
    return next((part.path for part in search.parts() if part.operator == step.made_by), None)


def without_step(search: Searcher, step: Ranking) -> tuple[Said, Searcher] | None:
    path = path_of(search, step)
    if path is None or not isinstance(search, Composed):
        return None
    try:
        return Said("Without {step}", step=step.made_by.label), search.without(path)
    except LabError:
        return None


def loosened(
    runner: Runner, search: Searcher, query: Query, doc_id: str, step: Ranking
) -> Iterator[tuple[Said, Searcher]]:
    """Yields the searches in which a step passes the passage on, each with one other value, the nearest first.

    The search without this step is the last one.
    """
    path, stage = path_of(search, step), step.made_by
    if path is None or not isinstance(search, Composed) or not isinstance(stage, Stage):
        return
    found = list[tuple[float, Any, float]]()
    for f, now in _numbers(stage):

        def fits(value: float, name: str = f.name) -> bool:
            changed = _with_value(search, path, stage, name, value)
            return changed is not None and _passes(runner, _up_to(changed, path), query, doc_id)

        ends = (value for value in dict.fromkeys(_ends(step, f.metadata, now, doc_id)) if value != now)
        end = next(filter(fits, ends), None)
        if end is not None:
            value = _halved(now, end, fits)
            found.append((abs(value - now) / max(abs(now), 1), f, value))
    for _, f, value in sorted(found, key=lambda x: x[0]):
        now, changed = getattr(stage, f.name), _with_value(search, path, stage, f.name, value)
        values = {"value": f"{value:.10g}", "now": f"{now:.10g}", "name": f.metadata["label"] or f.name}
        if changed is not None:
            yield Said("{step} · {name}: {value} in place of {now}", step=stage.label, **values), changed
    if (left := without_step(search, step)) is not None:
        yield left


def _passes(runner: Runner, search: Searcher, query: Query, doc_id: str) -> bool:
    try:
        ranking = runner(search, query, deep(runner.corpus))
    except LabError:
        return False
    return rank_of(ranking, parts_of(doc_id, ranking.corpus)) is not None


def _up_to(search: Searcher, path: str) -> Searcher:
    """Returns the search up to the step at a path; the whole of it if the step is not one of its last ones."""
    kind, _, at = path.partition(".")
    if isinstance(search, Pipeline) and kind == "refine" and at.isdecimal():
        return replace(search, refine=search.refine[: int(at) + 1])
    return search


def _numbers(stage: Stage) -> Iterator[tuple[Any, float]]:
    """Yields the parameters of a step that are numbers, with their values."""
    for f in fields(stage):
        value = getattr(stage, f.name)
        if isinstance(value, int | float) and not isinstance(value, bool) and f.metadata.get("kind") == "number":
            yield f, value


def _ends(step: Ranking, metadata: Any, now: float, doc_id: str) -> Iterator[float]:
    """Yields values of a parameter at which a step may keep the passage: its number, rank and score, and the range."""
    parent = step.parents[0]
    rank = rank_of(parent, parts_of(doc_id, parent.corpus))
    if rank is not None:
        if isinstance(step.evidence, Measured):
            yield _like(now, step.evidence.values[rank - 1])
        yield _like(now, parent.hits[rank - 1].score)
        yield _like(now, rank)
    yield from (_like(now, metadata[end]) for end in ("low", "high") if metadata.get(end) is not None)


def _like(now: float, value: float) -> float:
    return math.floor(value) if isinstance(now, int) else float(value)


def _with_value(search: Composed, path: str, stage: Stage, name: str, value: float) -> Searcher | None:
    try:
        return search.replace(path, replace(stage, **{name: value}))
    except LabError:
        return None


def _halved(now: float, end: float, fits: Callable[[float], bool]) -> float:
    """Returns the value nearest to ``now`` that fits, between it and an ``end`` that does, with few decimal places."""
    low, high = now, end
    for _ in range(HALVINGS):
        middle = (int(low) + int(high)) // 2 if isinstance(now, int) else (low + high) / 2
        if middle in (low, high):
            break
        low, high = (low, middle) if fits(middle) else (middle, high)
    if isinstance(now, int):
        return high
    close = max(abs(high) * CLOSE, 1e-12)
    return next((v for v in rounded(high, end) if abs(v - high) <= close and fits(v)), high)


def rounded(value: float, towards: float) -> Iterator[float]:
    """Yields a value with more and more decimal places, rounded towards another one."""
    way = math.ceil if towards > value else math.floor
    for digits in range(1, DIGITS + 1):
        yield way(value * 10**digits) / 10**digits
