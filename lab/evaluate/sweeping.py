"""Sweeps one or two knobs of a search: how good every setting is, and how much of its lead is luck.

The best of many settings looks better than it is: it was chosen because chance favoured it, too.  So it is chosen on
one half of the questions and reported on the other, which took no part in the choice.  Source: T. Hastie, R.
Tibshirani, J. Friedman, *The Elements of Statistical Learning*, 2009, chapter 7.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection as Ids
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

from lab import catalog, former_names
from lab.algebra import NONE, Composed, Corpus, Models, Operator, Pipeline, Progress, Searcher
from lab.corpus.beir import Collection
from lab.errors import LabError, ParameterError, UnknownName
from lab.evaluate.experiments import check, of_runs, with_unanswered
from lab.evaluate.health import describe_chunks
from lab.evaluate.learning import halves
from lab.evaluate.measures import Scores
from lab.evaluate.measures import measure as measure_named
from lab.evaluate.refusing import Refusals
from lab.evaluate.runs import LONGEST, Run, answered, run_many
from lab.evaluate.significance import SAME, Difference, bounds, compare
from lab.text import count_tokens
from lab.words import N_, Said

COUNT = 9
"""Default number of values for a number."""
MOST = 121
"""Maximum number of settings of one sweep."""


@dataclass(frozen=True)
class Axis:
    """A knob of a search: its path, the operator that has it, its label, and the values to try.

    ``current`` is its value now.  The path ``fuse.weights`` of a fusion of two lists stands for the share of the first.
    """

    path: str
    operator: Operator
    label: str
    values: tuple[Any, ...]
    current: Any


class Size(NamedTuple):
    """What a search indexes: the number of texts, their tokens (estimated) and their bytes in UTF-8."""

    chunks: int
    tokens: int
    bytes: int


@dataclass(frozen=True)
class Point:
    """One setting: a value per axis, the search that has them, its run, its scores.

    ``best`` is the measure with its results in the best possible order; None for a measure of subtopics.  ``size`` is
    what it indexes; None if that is the corpus itself, or a model writes it.
    """

    values: tuple[Any, ...]
    search: Searcher
    run: Run
    scores: Scores
    best: float | None = None
    refusals: Refusals | None = None
    size: Size | None = None

    @property
    def ms(self) -> float:
        """The median milliseconds per query."""
        return (self.run.ms or (0.0, 0.0))[0]


@dataclass(frozen=True)
class Honest:
    """The setting that is best on one half of the questions, there and on the other half.

    ``there`` and ``here`` are its means on the tuning half, where it was chosen, and on the held-out half;
    ``now_there`` and ``now_here`` are the means of the current setting.  ``difference`` is its lead over the current
    one on the held-out half.
    """

    chosen: Point
    there: float
    here: float
    now_there: float
    now_here: float
    difference: Difference

    @property
    def luck(self) -> float:
        """The part of its lead that exists only on the tuning half."""
        return (self.there - self.now_there) - (self.here - self.now_here)


@dataclass(frozen=True)
class Sweep:
    """Every setting over the judged questions; ``left_out`` are those that no search can have, with the reason."""

    measure: str
    axes: tuple[Axis, ...]
    points: tuple[Point, ...]
    left_out: tuple[tuple[tuple[Any, ...], str], ...] = ()
    answered: int = 0
    """How many questions every setting has answered: more than the measure covers if it needs subtopics."""
    notes: tuple[Said, ...] = ()
    """Why the figures may say nothing."""

    @property
    def judged(self) -> str:
        """The measure of judged results within the cutoff."""
        return f"Judged@{measure_named(self.measure).params.get('cutoff', 100)}"

    @cached_property
    def queries(self) -> tuple[str, ...]:
        return tuple(self.points[0].scores.per_query[self.measure])

    @cached_property
    def now(self) -> Point:
        return next(p for p in self.points if p.values == tuple(a.current for a in self.axes))

    def written(self, point: Point) -> str:
        """The values of a setting with the names of their knobs: ``k1=2.5, b=0.5``."""
        short = [a.path.rpartition(".")[2] for a in self.axes]
        names = short if len(set(short)) == len(short) else [a.path for a in self.axes]
        values = (f"{v:g}" if isinstance(v, float) else str(v) for v in point.values)
        return ", ".join(f"{name}={value}" for name, value in zip(names, values, strict=True))

    def mean(self, point: Point, ids: Ids[str] | None = None) -> float:
        """The measure of a setting over these questions, or over all."""
        values = point.scores.per_query[self.measure]
        chosen = values if ids is None else ids
        return sum(values[q] for q in chosen) / max(1, len(chosen))

    def best(self, ids: Ids[str] | None = None) -> Point:
        """The best setting on these questions; among equals the present one, then the first."""
        highest = max(self.mean(p, ids) for p in self.points)
        equal = [p for p in self.points if self.mean(p, ids) > highest - SAME]
        return self.now if self.now in equal else equal[0]

    def bounds(self, point: Point) -> tuple[float, float] | None:
        """The 95 % interval of a setting's mean."""
        return bounds(point.scores.per_query[self.measure].values())

    def honest(self, seed: int = 0) -> Honest | None:
        """The best setting of one half of the questions, on the other half; None for fewer than four questions."""
        if len(self.queries) < 4:
            return None
        tuning, held_out = halves(self.queries, seed)
        chosen, now = self.best(tuning), self.now
        a, b = (
            Scores(s.name, {}, {self.measure: {q: s.per_query[self.measure][q] for q in held_out}})
            for s in (now.scores, chosen.scores)
        )
        difference = compare(a, b, self.measure)
        (t, h), (now_t, now_h) = ((self.mean(p, tuning), self.mean(p, held_out)) for p in (chosen, now))
        return Honest(chosen, t, h, now_t, now_h, difference)

    @cached_property
    def repeated(self) -> tuple[float, float] | None:
        """The mean lead over the current setting on the tuning and the held-out half, over 100 random splits."""
        splits = [h for h in (self.honest(seed) for seed in range(100)) if h]
        if not splits:
            return None
        tuning, held_out = (h.there - h.now_there for h in splits), (h.here - h.now_here for h in splits)
        return sum(tuning) / len(splits), sum(held_out) / len(splits)

    def told(self, seed: int = 0) -> tuple[Said, ...]:
        """Describes what the sweep shows and does not show."""
        best, n, m = self.best(), len(self.queries), self.measure
        values = {"n": n, "measure": m, "value": f"{self.mean(best):.3f}", "now": f"{self.mean(self.now):.3f}"}
        sentences = [Said("No setting is better than the current one: {measure} {now}, questions: {n}.", **values)]
        if best is not self.now:
            message = N_(
                "Best over all questions ({n}): {setting} with {measure} {value}; the current setting has {now}."
            )
            sentences = [Said(message, setting=self.written(best), **values)]
        if h := self.honest(seed):
            gains = {"there": f"{h.there - h.now_there:+.3f}", "here": f"{h.here - h.now_here:+.3f}"}
            message = N_(
                "Chosen on the tuning half: {setting}. It leads the current value by {there} there and by {here} "
                "on the held-out half."
            )
            if h.chosen is self.now:
                message = N_("On the tuning half, the current value is already the best.")
            sentences.append(Said(message, setting=self.written(h.chosen), **gains))
        if (many := self.repeated) and any(abs(x) >= 5e-4 for x in many):
            tuning, held_out = (f"{x:+.3f}" for x in many)
            message = N_(
                "Over 100 random splits the chosen value leads by {there} on the tuning half and by {here} on the "
                "held-out half. Trust the second figure."
            )
            sentences.append(Said(message, there=tuning, here=held_out))
        return (*self.notes, *sentences)

    @cached_property
    def rows(self) -> tuple[dict[str, Any], ...]:
        return tuple(
            {
                "values": list(p.values),
                "value": self.mean(p),
                "interval": self.bounds(p),
                "query_ms": p.ms,
                "best_order": p.best,
                "refused": p.refusals and p.refusals.share,
                "index": p.size and p.size._asdict(),
                "judged": p.scores.means.get(self.judged),
            }
            for p in self.points
        )

    def to_dict(self, seed: int = 0) -> dict[str, Any]:
        """The figures as plain values, ready for JSON."""
        axes = [{"path": a.path, "values": list(a.values), "current": a.current} for a in self.axes]
        left = [{"values": list(values), "reason": reason} for values, reason in self.left_out]
        figures: dict[str, Any] = {"measure": self.measure, "queries": len(self.queries), "axes": axes}
        figures |= {"settings": [*self.rows], "left_out": left, "best": list(self.best().values)}
        if h := self.honest(seed):
            means = {name: getattr(h, name) for name in ("there", "here", "now_there", "now_here", "luck")}
            figures["honest"] = {"chosen": list(h.chosen.values), **means, "difference": h.difference.to_dict()}
        return {**figures, "said": list(self.told(seed))}


# ---------------------------------------------------------------------------------------------- knobs by path


def knobs(search: Searcher) -> dict[str, Axis]:
    """Every knob of a search that has a range, by its path: numbers, switches and choices."""
    axes: dict[str, Axis] = {}
    parts = [("", search), *(search.parts(branches=True) if isinstance(search, Composed) else ())]
    for path, operator in parts:
        for f in dataclasses.fields(operator):
            meta, value = f.metadata, getattr(operator, f.name)
            knob_path = f"{path}.{f.name}" if path else f.name
            if f.name == "depth" and isinstance(operator, Pipeline):
                if operator.bare:
                    continue
                value = operator.asks
            if f.name == "weights" and len(_lists(search, path)) == 2:
                weights = value or (1.0, 1.0)
                share = round(weights[0] / sum(weights), 4)
                axes[knob_path] = Axis(
                    knob_path, operator, Said("Weight of the first list"), _spread(0.0, 1.0, 0.05, share), share
                )
            elif meta.get("choices"):
                axes[knob_path] = Axis(knob_path, operator, meta["label"], tuple(meta["choices"]), value)
            elif isinstance(value, bool):
                axes[knob_path] = Axis(knob_path, operator, meta["label"], (False, True), value)
            elif isinstance(value, int | float) and meta.get("kind") == "number":
                high = _highest(operator, f.name, value, meta["high"])
                values = (v for v in _spread(meta["low"], high, meta["step"], value) if _can(operator, f.name, v))
                axes[knob_path] = Axis(knob_path, operator, meta["label"], tuple(values), value)
    return axes


def _can(operator: Operator, name: str, value: Any) -> bool:
    """Returns whether an operator can have this value, given its other parameters."""
    try:
        dataclasses.replace(operator, **{name: value})
    except LabError:
        return False
    return True


def _highest(operator: Operator, name: str, now: float, high: float | None) -> float | None:
    """Returns the upper bound of a parameter, given the others: overlaps of chunks of 100 end below 100."""
    if high is None or _can(operator, name, high):
        return high
    low, whole = now, isinstance(now, int)
    while high - low > (1 if whole else 1e-3):
        middle = (low + high) // 2 if whole else (low + high) / 2
        low, high = (middle, high) if _can(operator, name, middle) else (low, middle)
    return low


def _lists(search: Searcher, path: str) -> Sequence[Searcher]:
    home = path.rpartition(".")[0] if path else ""
    inside = (
        search if not home else dict(search.parts(branches=True)).get(home) if isinstance(search, Composed) else None
    )
    return inside.retrieve if isinstance(inside, Pipeline) and path.endswith("fuse") else ()


def _spread(
    low: float | None, high: float | None, step: float | None, now: float, count: int = COUNT
) -> tuple[Any, ...]:
    """Values between the bounds, the present one among them; by factors of two where the range is wide."""
    whole = isinstance(now, int)
    low = (0.0 if now >= 0 else 4 * now) if low is None else low
    high = max(4 * abs(now), 1.0) if high is None else high
    if now > 0 and high > 16 * now and high > 20:
        half = count // 2
        values = [now * 2.0**i for i in range(-half, half + 1)]
    else:
        values = [low + (high - low) * i / (count - 1) for i in range(count)]
    fine = [round(round(v / step) * step, 10) if step and now * 2 != v else v for v in values]
    values_in_range = {int(v) if whole else float(v) for v in fine if low <= (int(v) if whole else v) <= high}
    return tuple(sorted({*values_in_range, now}))


def axis(search: Searcher, path: str, values: Sequence[Any] | str | None = None) -> Axis:
    """Returns a knob of this search by its path, with these values (words are converted) or a spread of its range.

    Raises `UnknownName` for an unknown path, `ParameterError` for an invalid value.
    """
    known = knobs(search)
    path = present_path(known, path)
    if path not in known:
        remedy = Said("{nearest}It has: {names}.", nearest=catalog.nearest(path, known), names=[*known] or "–")
        raise UnknownName(Said("This search has no parameter “{path}”.", path=path), remedy)
    knob = known[path]
    if values is None:
        return knob
    if isinstance(values, str):
        values = [word.strip() for word in values.split(",") if word.strip()]
    cls, name = type(knob.operator), path.rpartition(".")[2]
    words = (former_names.present_choice(cls, name, value) for value in values)
    converted = dict.fromkeys([*(catalog.convert(path, v, type(knob.current)) for v in words), knob.current])
    return dataclasses.replace(knob, values=tuple(converted if isinstance(knob.current, str) else sorted(converted)))


def present_path(known: Mapping[str, Axis], path: str) -> str:
    """Returns the path of a knob by its present name; one that none of these knobs once had, as it is."""
    part, dot, former = path.rpartition(".")
    for known_path, axis in known.items() if path not in known else ():
        if known_path == f"{part}{dot}{former_names.present_knob(type(axis.operator), former)}":
            return known_path
    return path


def setting(search: Searcher, path: str, value: Any) -> Searcher:
    """The search with another value of one knob.  Raises `ParameterError` where it cannot have it."""
    home, _, name = path.rpartition(".")
    if name == "weights" and isinstance(value, int | float):
        value = (value, 1 - value)
    if not home:
        return dataclasses.replace(search, **{name: value})
    assert isinstance(search, Composed)
    part: Any = dict(search.parts(branches=True))[home]
    return search.replace(home, dataclasses.replace(part, **{name: value}))


# --------------------------------------------------------------------------------------------------- made


def settings(search: Searcher, axes: Sequence[Axis]) -> tuple[dict[tuple[Any, ...], Searcher], list[Any]]:
    """Returns the search of every combination of values, and the impossible combinations with their reasons.

    Raises `ParameterError` for no knob, more than two, one twice, and more than `MOST` settings.
    """
    if not 1 <= len({a.path for a in axes}) == len(axes) <= 2:
        raise ParameterError(
            Said("A sweep varies one or two parameters."), Said("Name one or two different parameters.")
        )
    combined = list(product(*(a.values for a in axes)))
    if len(combined) > MOST:
        message = Said("Settings to try: {n}; the maximum is {most}.", n=len(combined), most=MOST)
        raise ParameterError(message, Said("Name fewer values."))
    searches, left = dict[tuple[Any, ...], Searcher](), list[Any]()
    for values in combined:
        try:
            changed = search
            for a, value in zip(axes, values, strict=True):
                changed = changed if value == a.current else setting(changed, a.path, value)
            searches[values] = changed
        except LabError as error:
            left.append((values, error.message))
    return searches, left


def sweep(
    search: Searcher,
    collection: Collection,
    axes: Mapping[str, Sequence[Any] | str | None] | Sequence[Axis],
    *,
    measure: str = "nDCG@10",
    limit: int | None = None,
    k: int = 100,
    models: Models = NONE,
    progress: Progress | None = None,
) -> Sweep:
    """Measure every setting of one knob or two: ``sweep(best, devices, {"refine.1.weight": None, "fuse.k": [1, 60]})``.

    All settings are run together: work that they share is done once per question.  Raises the errors of `axis`,
    `settings` and `lab.evaluate.evaluate`, before anything is searched.
    """
    parsed_axes = (
        [axis(search, path, values) for path, values in axes.items()] if isinstance(axes, Mapping) else list(axes)
    )
    searches, _ = settings(search, parsed_axes)
    check({"": search}, collection, [measure], k=k)
    by_values = {repr(values): changed for values, changed in searches.items()}
    questions = with_unanswered(collection, collection.judged[:limit])
    runs = run_many(by_values, collection.corpus, questions, k=k, models=models, progress=progress)
    return swept(search, collection, parsed_axes, runs, measure=measure)


def swept(
    search: Searcher, collection: Collection, axes: Sequence[Axis], runs: Mapping[str, Run], *, measure: str = "nDCG@10"
) -> Sweep:
    """Returns the sweep over the questions that every setting has answered.  Raises `EvaluationError` without any."""
    searches, left = settings(search, axes)
    questions = answered(runs, collection.judged)
    e = of_runs(runs, collection, [measure], questions, len(questions))
    points = []
    for values, changed in searches.items():
        name = repr(values)
        top, size = e.ceiling(name, measure, LONGEST), index_size(changed, collection.corpus)
        best = None if top is None else top.mean
        points.append(Point(values, changed, runs[name], e.scores[name], best, e.refusals(name), size))
    named = (dataclasses.replace(p.run, name=", ".join(map(str, p.values))) for p in points)
    ids = [q.id for q in questions]
    chunks = next(filter(None, (describe_chunks(run, collection, ids) for run in named)), None)
    return Sweep(measure, tuple(axes), tuple(points), tuple(left), len(questions), (chunks,) if chunks else ())


def index_size(search: Searcher, corpus: Corpus) -> Size | None:
    """Returns what a search indexes, if it derives this from the corpus without a model."""
    pipelines = [search, *(part for _, part in search.parts(branches=True))] if isinstance(search, Composed) else []
    chains = [p.derive for p in pipelines if isinstance(p, Pipeline) and p.derive]
    if not chains or any(getattr(operator, "model", "") for chain in chains for operator in chain):
        return None
    texts = list[str]()
    for chain in dict.fromkeys(chains):
        derived = corpus
        for operator in chain:
            derived = operator(derived)
        texts += [d.content for d in derived]
    return Size(len(texts), sum(map(count_tokens, texts)), sum(len(text.encode("utf-8", "replace")) for text in texts))
