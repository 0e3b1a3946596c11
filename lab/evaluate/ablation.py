"""What each part of a search is worth: measured as a whole, without each part in turn, and with each part alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lab.algebra import (
    NONE,
    Composed,
    Corpus,
    Lift,
    Models,
    Operator,
    Pipeline,
    Progress,
    Query,
    Runner,
    Searcher,
    Stage,
)
from lab.corpus.beir import Collection
from lab.errors import LabError, PipelineError
from lab.evaluate.diverse import Subtopics
from lab.evaluate.experiments import Experiment, evaluate
from lab.evaluate.measures import NO_SUBTOPICS, Qrels, Scores
from lab.evaluate.runs import LONGEST, Run
from lab.evaluate.significance import ALPHA, Difference, told_p
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
    """A search taken apart: the searches to run, each once and by a name, and the cuts that they measure.

    ``kept`` are the parts that cannot be left out: path, operator, and reason.
    """

    search: Composed
    searches: Mapping[str, Searcher] = field(hash=False)
    cuts: tuple[Cut, ...]
    kept: tuple[tuple[str, Operator, Said], ...]


@dataclass(frozen=True)
class Variant:
    """A cut with its mean, the median and the 95th percentile of its milliseconds per query, and its questions.

    ``difference`` is this search against the whole one.  ``p`` is its p by the t-test, Holm-corrected for all different
    searches that were compared with the whole; None if the difference cannot be tested.

    ``best`` is the measure of this search with its results in the best possible order, and ``taken`` the share of this
    headroom that the part takes; both are None for a part that is not a step, or if there is no headroom.
    """

    cut: Cut
    scores: Scores = field(repr=False)
    value: float
    ms: tuple[float, float]
    difference: Difference
    p: float | None
    best: float | None = None
    taken: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain values."""
        d, (median, late) = self.difference, self.ms
        part = {"path": self.cut.path, "part": self.cut.part.label, "alone": self.cut.alone, "value": self.value}
        counts = {"better": d.better, "equal": d.equal, "worse": d.worse}
        tested = {"difference": d.mean, "low": d.low, "high": d.high, "p": d.p, "corrected": self.p}
        headroom = {"best_order": self.best, "headroom_taken": self.taken}
        return {**part, "median_ms": median, "late_ms": late, **counts, **tested, **headroom}


@dataclass(frozen=True)
class Ablation:
    """The whole search in one measure over ``queries`` questions, and its variants in the order of its parts.

    ``unwritten`` are the questions that a model failed to rewrite, for any of the searches; they were searched
    unchanged.  ``kept`` as in `Plan`.
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
        left_in = [{"path": path, "part": part.label, "reason": reason} for path, part, reason in self.kept]
        return {**whole, "variants": [v.to_dict() for v in self.variants], "kept": left_in}


def ablate(
    search: Searcher,
    corpus: Corpus,
    queries: Iterable[Query],
    qrels: Qrels,
    *,
    measure: str = "nDCG@10",
    subtopics: Mapping[str, Subtopics] = NO_SUBTOPICS,
    k: int = 100,
    models: Models = NONE,
    progress: Progress | None = None,
) -> Ablation:
    """Measure a search whole, without each of its parts, and with each part alone, in one run: see `plan`, `figures`.

    Work that the variants share is done once.  Raises the errors of `plan` and `lab.evaluate.evaluate`.
    """
    whole = Collection(corpus, tuple(queries), qrels, subtopics=subtopics)
    collection = replace(whole, queries=whole.judged)
    how: dict[str, Any] = {"k": k, "models": models, "progress": progress}
    taken_apart = plan(search, corpus, collection.queries, **how)
    return figures(taken_apart, evaluate(taken_apart.searches, collection, [measure], baseline=WHOLE, **how))


def plan(
    search: Searcher,
    corpus: Corpus,
    queries: Sequence[Query],
    *,
    k: int = 100,
    models: Models = NONE,
    progress: Progress | None = None,
) -> Plan:
    """Take a search apart; every variant answers the first question, so that indexes and models load now.

    A part cannot be left out if nothing would remain, or if the list would contain documents of another corpus than the
    whole search's.  ``progress`` is called before every variant, and may raise to stop.
    Raises `PipelineError` for a search that has no parts, and whatever the whole search raises.
    """
    if not isinstance(search, Composed):
        message = Said("{name} has no parts that could be left out.", name=type(search).__name__)
        raise PipelineError(message, Said("Give a pipeline."))
    runner = Runner(corpus, models=models, explain=False, progress=progress)
    first = [(query, runner(search, query, k).corpus.fingerprint) for query in queries[:1]]
    searches: dict[str, Searcher] = {WHOLE: search}
    names, cuts, left_in = {_unwrapped(search): WHOLE}, list[Cut](), list[tuple[str, Operator, Said]]()

    def cut(path: str, part: Operator, reduced: Searcher, only_part: bool) -> None:
        if progress:
            progress(0, len(queries))
        if any(runner(reduced, query, k).corpus.fingerprint != whole for query, whole in first):
            raise PipelineError(Said("Without it, the list would contain other documents."))
        name = names.setdefault(_unwrapped(reduced), f"{path}{' alone' if only_part else ''}")
        if name != WHOLE:
            searches.setdefault(name, reduced)
            cuts.append(Cut(path, part, reduced, only_part, name))

    for path, part in search.parts(branches=True):
        try:
            cut(path, part, search.without(path), only_part=False)
        except LabError as error:
            left_in.append((path, part, error.message))
    for path, part in search.parts(branches=True):
        for reduced in alone(search, path, part):
            try:
                cut(path, part, reduced, only_part=True)
            except LabError:
                continue  # a part that cannot be left out may not work alone either
    return Plan(search, searches, tuple(cuts), tuple(left_in))


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
            except PipelineError:  # a fusion, or a part that belongs to another one
                continue
    yield left


def _unwrapped(search: Searcher) -> Searcher:
    """Returns the search without the bare pipelines around it, which change nothing."""
    while isinstance(search, Pipeline) and search.bare:
        search = search.retrieve[0]
    return search


def figures(taken_apart: Plan, e: Experiment) -> Ablation:
    """Returns the figures of a plan from the experiment of its searches, with the whole search as the baseline."""
    (measure,), whole = e.measures, e.scores[WHOLE]

    def variant(cut: Cut) -> Variant:
        reorders = isinstance(cut.part, Stage) and not cut.part.makes_documents
        top = e.ceiling(cut.run, measure, LONGEST) if reorders and not cut.alone else None
        of_headroom = (top.mean, top.share(whole)) if top else (None, None)
        tested = e.differences[cut.run, measure], e.corrected[cut.run, measure][0]
        return Variant(cut, e.scores[cut.run], e.mean(cut.run, measure), _ms(e.runs[cut.run]), *tested, *of_headroom)

    unwritten = tuple(dict.fromkeys(q for run in e.runs.values() for q in run.problems))
    of_whole = whole, e.mean(WHOLE, measure), _ms(e.runs[WHOLE])
    variants = tuple(map(variant, taken_apart.cuts))
    return Ablation(taken_apart.search, measure, *of_whole, variants, taken_apart.kept, unwritten)


def verdict(v: Variant) -> Said:
    """Returns a sentence on the value of a part: whether it helps or hurts, and whether that is significant."""
    d, n = v.difference, len(v.difference)
    numbers = {"measure": d.measure, "saved": d.worse, "cost": d.better, "n": n, "size": f"{abs(d.mean):.3f}"}
    if not d.better and not d.worse:
        return Said("No question is better or worse because of it.")
    if v.p is None:
        return Said("One question is not enough for a test.")
    numbers["p"] = told_p(v.p)
    if v.p > ALPHA:
        chance = N_("Of {n} questions, it makes {saved} better and {cost} worse: on average, not significant (p {p}).")
        return Said(chance, **numbers)
    if d.mean > 0:
        hurts = N_(
            "It hurts: without it, {measure} is {size} higher (p {p}). Questions that it makes better: {saved} of {n}."
        )
        return Said(hurts, **numbers)
    if 4 * d.better >= n:
        mixed = N_(
            "It helps on average: without it, {measure} is {size} lower (p {p}). Questions that are better "
            "without it: {cost} of {n}."
        )
        return Said(mixed, **numbers)
    helps = N_("It helps: without it, {measure} is {size} lower (p {p}). Questions that it makes worse: {cost} of {n}.")
    return Said(helps, **numbers)


def headroom(v: Variant, measure: str) -> Said | None:
    """Returns a sentence on the share of the headroom that a step takes; None for other parts."""
    if v.best is None or v.taken is None:
        return None
    values = {"measure": measure, "best": f"{v.best:.3f}", "now": f"{v.value:.3f}", "share": f"{v.taken:.0%}"}
    if v.taken < 0:
        worse = N_(
            "The same results in the best order have {measure} {best}, without this step {now}; the step's order is "
            "worse than none."
        )
        return Said(worse, **values)
    message = N_(
        "The same results in the best order have {measure} {best}, without this step {now}; the step takes {share} of "
        "this headroom."
    )
    return Said(message, **values)


def _ms(run: Run) -> tuple[float, float]:
    return run.ms or (0.0, 0.0)
