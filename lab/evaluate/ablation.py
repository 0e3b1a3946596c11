"""What each part of a search is worth: measured as a whole, without each part in turn, and with each part alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lab.algebra import NONE, Composed, Corpus, Lift, Models, Operator, Pipeline, Progress, Query, Runner, Searcher
from lab.errors import LabError, PipelineError
from lab.evaluate.measures import Qrels, Scores, measure_run
from lab.evaluate.runs import Run, run_many
from lab.evaluate.significance import ALPHA, Difference, compare, holm, told_p
from lab.words import N_, Said

WHOLE = ""
"""The name of the whole search among the runs."""


@dataclass(frozen=True)
class Cut:
    """A search that lacks one part, or (``alone``) has no other; ``run`` is its name among `Plan.searches`."""

    path: str
    part: Operator
    search: Searcher
    alone: bool
    run: str


@dataclass(frozen=True)
class Plan:
    """A search taken apart: what is to be asked (each search once, by a name), and what comes of which cut.

    ``kept`` are the parts that cannot be left out: path, operator, and why.
    """

    search: Composed
    searches: Mapping[str, Searcher] = field(hash=False)
    cuts: tuple[Cut, ...]
    kept: tuple[tuple[str, Operator, Said], ...]


@dataclass(frozen=True)
class Variant:
    """A cut with its mean, the median and the 95th percentile of its milliseconds per query, and its questions.

    ``difference`` is this search against the whole one.  ``p`` is that of its t-test, corrected by Holm for all
    different searches that were compared with the whole; None where the difference has none.
    """

    cut: Cut
    scores: Scores = field(repr=False)
    value: float
    ms: tuple[float, float]
    difference: Difference
    p: float | None

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain values."""
        d, (median, late) = self.difference, self.ms
        own = {"path": self.cut.path, "part": self.cut.part.label, "alone": self.cut.alone, "value": self.value}
        counts = {"better": d.better, "equal": d.equal, "worse": d.worse}
        tested = {"difference": d.mean, "low": d.low, "high": d.high, "p": d.p, "corrected": self.p}
        return {**own, "median_ms": median, "late_ms": late, **counts, **tested}


@dataclass(frozen=True)
class Ablation:
    """The whole search in one measure over ``queries`` questions, and its variants in the order of its parts.

    ``unwritten`` are the questions that a model failed to rewrite, for any of the searches: these asked them as they
    stood.  ``kept`` as in `Plan`.
    """

    search: Composed
    measure: str
    scores: Scores = field(repr=False)
    value: float
    ms: tuple[float, float]
    variants: tuple[Variant, ...]
    kept: tuple[tuple[str, Operator, Said], ...]
    unwritten: tuple[str, ...] = ()

    @property
    def queries(self) -> int:
        """Over how many questions."""
        return self.scores.queries

    @property
    def without(self) -> tuple[Variant, ...]:
        """The variants that lack one part: their ``worse`` questions are saved by it, their ``better`` ones cost."""
        return tuple(v for v in self.variants if not v.cut.alone)

    @property
    def alone(self) -> tuple[Variant, ...]:
        """The variants that have one part only."""
        return tuple(v for v in self.variants if v.cut.alone)

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain values, ready for JSON."""
        median, late = self.ms
        whole = {"measure": self.measure, "value": self.value, "median_ms": median, "late_ms": late}
        kept = [{"path": path, "part": part.label, "reason": reason} for path, part, reason in self.kept]
        return {**whole, "variants": [v.to_dict() for v in self.variants], "kept": kept}


def ablate(
    search: Searcher,
    corpus: Corpus,
    queries: Iterable[Query],
    qrels: Qrels,
    *,
    measure: str = "nDCG@10",
    k: int = 100,
    models: Models = NONE,
    progress: Progress | None = None,
) -> Ablation:
    """Measure a search whole, without each of its parts, and with each part alone, in one run: see `plan`, `figures`.

    What the variants share is made once.  Raises what `plan`, `run_many` and `figures` raise.
    """
    asked = judged(queries, qrels)
    told = plan(search, corpus, asked, k=k, models=models, progress=progress)
    runs = run_many(told.searches, corpus, asked, k=k, models=models, progress=progress)
    return figures(told, runs, qrels, measure)


def judged(queries: Iterable[Query], qrels: Qrels) -> list[Query]:
    """The questions that have a relevant document, in order."""
    return [q for q in queries if any(grade > 0 for grade in qrels.get(q.id, {}).values())]


def plan(
    search: Searcher,
    corpus: Corpus,
    queries: Sequence[Query],
    *,
    k: int = 100,
    models: Models = NONE,
    progress: Progress | None = None,
) -> Plan:
    """Take a search apart; the first question is asked of every variant, which loads what loads.

    A part cannot be left out where nothing would be left, and where the list would no longer be one of documents of
    the corpus that the whole search answers from.  ``progress`` is called before every variant, and may raise to stop.
    Raises `PipelineError` for a search that has no parts, and whatever the whole search raises.
    """
    if not isinstance(search, Composed):
        said = Said("{name} has no parts that could be left out.", name=type(search).__name__)
        raise PipelineError(said, Said("Give a pipeline."))
    runner = Runner(corpus, models=models, explain=False, progress=progress)
    first = [(query, runner(search, query, k).corpus.fingerprint) for query in queries[:1]]
    searches: dict[str, Searcher] = {WHOLE: search}
    names, cuts, kept = {_plain(search): WHOLE}, list[Cut](), list[tuple[str, Operator, Said]]()

    def cut(path: str, part: Operator, made: Searcher, alone: bool) -> None:
        if progress:
            progress(0, len(queries))
        if any(runner(made, query, k).corpus.fingerprint != whole for query, whole in first):
            raise PipelineError(Said("Without it, the list would contain other documents."))
        name = names.setdefault(_plain(made), f"{path}{' alone' if alone else ''}")
        if name != WHOLE:
            searches.setdefault(name, made)
            cuts.append(Cut(path, part, made, alone, name))

    for path, part in search.parts(branches=True):
        try:
            cut(path, part, search.without(path), alone=False)
        except LabError as error:
            kept.append((path, part, error.message))
    for path, part in search.parts(branches=True):
        for made in alone(search, path, part):
            try:
                cut(path, part, made, alone=True)
            except LabError:
                continue  # what cannot be left out cannot always stand alone either
    return Plan(search, searches, tuple(cuts), tuple(kept))


def alone(search: Composed, path: str, part: Operator) -> Iterator[Searcher]:
    """The search with this part alone: a list by itself, a fusion of the bare lists, a stage and the bare lists.

    Nothing for a part that belongs to another one: a merge, the way back from chunks, a router.
    """
    if isinstance(part, Searcher):
        yield part
        return
    phase = path.rpartition(".")[2] if path.endswith(("merge", "router", "fuse")) else ""
    if phase in ("merge", "router") or isinstance(part, Lift):
        return
    left: Searcher = search
    for other, operator in reversed(search.parts()):
        if other != path and isinstance(left, Composed) and not isinstance(operator, Searcher | Lift):
            try:
                left = left.without(other)
            except PipelineError:  # a fusion, or what belongs to a part that is there
                continue
    yield left


def _plain(search: Searcher) -> Searcher:
    """The search without a pipeline around it that makes nothing of it."""
    while isinstance(search, Pipeline) and search.bare:
        search = search.retrieve[0]
    return search


def figures(told: Plan, runs: Mapping[str, Run], qrels: Qrels, measure: str = "nDCG@10") -> Ablation:
    """The figures of the runs of a plan, over the questions that they answer.  Raises as `measure_run`."""
    whole = runs[WHOLE]
    counted = {q: qrels[q] for q in whole.results if q in qrels}
    scores = {name: measure_run(run, counted, (measure,)) for name, run in runs.items()}
    names = [name for name in runs if name != WHOLE]
    found = {name: compare(scores[WHOLE], scores[name], measure, len(names)) for name in names}
    corrected = dict(zip(names, holm([found[name].p for name in names]), strict=True))

    def variant(cut: Cut) -> Variant:
        own = scores[cut.run]
        return Variant(cut, own, own.means[measure], _ms(runs[cut.run]), found[cut.run], corrected[cut.run])

    unwritten = tuple(dict.fromkeys(q for run in runs.values() for q in run.problems))
    whole_own = (scores[WHOLE], scores[WHOLE].means[measure], _ms(whole))
    return Ablation(told.search, measure, *whole_own, tuple(map(variant, told.cuts)), told.kept, unwritten)


def verdict(v: Variant) -> Said:
    """What a part is worth, from the search that lacks it: whether it helps or hurts, and how sure that is."""
    d, n = v.difference, len(v.difference)
    told = {"measure": d.measure, "saved": d.worse, "cost": d.better, "n": n, "size": f"{abs(d.mean):.3f}"}
    if not d.better and not d.worse:
        return Said("No question is better or worse because of it.")
    if v.p is None:
        return Said("One question is not enough for a test.")
    told["p"] = told_p(v.p)
    if v.p > ALPHA:
        chance = N_("Of {n} questions, it makes {saved} better and {cost} worse: on average, not significant (p {p}).")
        return Said(chance, **told)
    if d.mean > 0:
        hurts = N_(
            "It hurts: without it, {measure} is {size} higher (p {p}). Questions that it makes better: {saved} of {n}."
        )
        return Said(hurts, **told)
    if 4 * d.better >= n:
        mixed = N_(
            "It helps on average: without it, {measure} is {size} lower (p {p}). Questions that are better "
            "without it: {cost} of {n}."
        )
        return Said(mixed, **told)
    helps = N_("It helps: without it, {measure} is {size} lower (p {p}). Questions that it makes worse: {cost} of {n}.")
    return Said(helps, **told)


def _ms(run: Run) -> tuple[float, float]:
    return run.ms or (0.0, 0.0)
