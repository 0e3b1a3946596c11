"""A corpus that grows: every search over the same questions, among more and more other passages.

The other passages come in one random order, so that every size contains the smaller ones.  They are not judged: they
count as not relevant, although some may answer a question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, pairwise
from random import Random
from typing import Any, NamedTuple

from lab.algebra import NONE, Corpus, Document, Models, Progress, Runner, Searcher
from lab.corpus.beir import Collection
from lab.derive.parts import Sentences
from lab.errors import EvaluationError, ParameterError
from lab.evaluate.experiments import Experiment, check, of_runs
from lab.evaluate.runs import Gathered, prepare, run_many
from lab.evaluate.significance import ALPHA, SAME, Difference, bounds, compare, holm
from lab.reading.names import Names
from lab.words import N_, Said

SIZES = 4
"""Default number of sizes."""


@dataclass(frozen=True)
class Growing:
    """A collection and the passages to add to it, in their order; none has an id that it uses.

    ``copies`` is the number of passages left out because the collection has their text.
    """

    collection: Collection
    added: tuple[Document, ...] = field(repr=False)
    copies: int = 0

    def at(self, size: int) -> Collection:
        """Returns the collection with so many passages, without any index, so that times are comparable."""
        own = self.collection.corpus
        documents = (*own.documents, *self.added[: size - len(own)])
        return replace(self.collection, corpus=Corpus(own.name, documents))

    @property
    def limits(self) -> tuple[int, int]:
        """The smallest and the largest size."""
        own = len(self.collection.corpus)
        return own, own + len(self.added)

    def sizes(self, text: str = "") -> tuple[int, ...]:
        """Reads sizes separated by commas; the first is always the collection alone.  Empty: `SIZES` by equal factors.

        Raises `ParameterError` for a size that is not a number within the limits.
        """
        least, most = self.limits
        if not text.strip():
            return tuple(sorted({round(least * (most / least) ** (i / (SIZES - 1))) for i in range(SIZES)}))
        words = [word.strip() for word in text.split(",") if word.strip()]
        for word in words:
            if not (word.isdecimal() and least <= int(word) <= most):
                message = Said("“{text}” is not a size between {least} and {most}.", text=word, least=least, most=most)
                raise ParameterError(message, Said("Write sizes without separators: 1000, 5000."))
        return tuple(sorted({least, *map(int, words)}))


def growing(collection: Collection, others: Sequence[Corpus], *, sentences: bool = False, seed: int = 0) -> Growing:
    """Returns what grows: the passages of other corpora, whole or as sentences, in an order drawn by ``seed``.

    Raises `EvaluationError` if there is none to add.
    """
    known = {document.text for document in collection.corpus}
    judged = [*collection.qrels.values(), *collection.turn_qrels.values()]
    judged += [grades for of_question in collection.subtopics.values() for grades in of_question.values()]
    names = Names([*collection.corpus.positions, *(document for grades in judged for document in grades)])
    added, copies = list[Document](), 0
    for corpus in others:
        new = tuple(document for document in corpus if document.text not in known)
        copies += len(corpus) - len(new)
        passages = Sentences(titles=False)(Corpus(corpus.name, new)) if sentences else new
        added += [replace(d, id=names.fresh(f"{corpus.name}/{d.id}")) for d in passages]
    if not added:
        message = Said("There is no passage to add to {corpus}.", corpus=collection.name)
        raise EvaluationError(message, Said("Name another corpus with other passages."))
    Random(seed).shuffle(added)
    return Growing(collection, tuple(added), copies)


@dataclass(frozen=True)
class Step:
    """The searches at one size: their figures, the seconds to index and ask the first question, and all bytes.

    An index that several searches share counts for the first of them.
    """

    size: int
    experiment: Experiment
    ready: Mapping[str, float] = field(hash=False)
    bytes: int


def grow(
    searches: Mapping[str, Searcher],
    corpora: Growing,
    sizes: Sequence[int],
    measures: Sequence[str],
    *,
    limit: int | None = None,
    k: int = 100,
    models: Models = NONE,
    progress: Progress | None = None,
    into: dict[int, Gathered] | None = None,
) -> Iterator[Step]:
    """Yields the figures at every size; indexes are deleted before the next.

    ``progress`` may raise to stop; ``into`` then has the answers so far by size, and work with it continues.
    Raises the errors of `lab.evaluate.evaluate`, before anything is searched.
    """
    check(searches, corpora.collection, measures, k=k)
    questions, into = corpora.collection.judged[:limit], {} if into is None else into
    for i, size in enumerate(sizes):

        def report(done: int, total: int, before: int = i) -> None:
            if progress:
                progress(before * total + done, len(sizes) * total)

        def wait(*_: int, report: Progress = report) -> None:
            report(0, len(questions))

        grown, gathered = corpora.at(size), into.setdefault(size, Gathered(searches))
        runner = Runner(grown.corpus, models=models, explain=False, patient=True, progress=wait)
        ready = prepare(searches, runner, questions[0], k)
        runs = run_many(searches, grown.corpus, questions, k=k, models=models, progress=report, into=gathered)
        bytes_used = grown.corpus.bytes
        grown.corpus.forget()
        yield Step(size, of_runs(runs, grown, measures, questions, len(questions), k=k), ready, bytes_used)


class Point(NamedTuple):
    """The mean of a search at one size, with its 95% CI (None for a single question)."""

    mean: float
    interval: tuple[float, float] | None


class Lead(NamedTuple):
    """The difference of a pair at one size.

    It is significant by the t-test, Holm-corrected for all pairs at that size; one within ties is not.
    """

    size: int
    difference: Difference
    significant: bool

    @property
    def sign(self) -> int:
        """1 if the second search is better, -1 if the first is; 0 for equal ones, and for a difference within ties."""
        mean = self.difference.mean
        return 0 if abs(mean) <= SAME or self.difference.within_ties else 1 if mean > 0 else -1


@dataclass(frozen=True)
class Flip:
    """Two searches whose order changes: at the first size, and at the last with the other order.

    ``at`` are all sizes at which it changes.
    """

    before: Lead
    after: Lead
    at: tuple[int, ...]

    @property
    def names(self) -> tuple[str, str]:
        """The search that is ahead first, and the one that is later."""
        first, second = self.before.difference.first, self.before.difference.second
        return (first, second) if self.before.sign < 0 else (second, first)

    def describe(self) -> Said:
        """Returns a sentence on both leads, and on whether they are significant."""
        leads = N_(
            "The order flips: at size {small}, {first} leads by {lead}; at size {large}, {second} by {other}. {verdict}"
        )
        verdict = {
            (True, True): Said("Both leads are significant."),
            (True, False): Said("Only the first lead is significant."),
            (False, True): Said("Only the second lead is significant."),
            (False, False): Said("Neither lead is significant."),
        }[self.before.significant, self.after.significant]
        first, second = self.names
        lead, other = (f"{abs(end.difference.mean):.3f}" for end in (self.before, self.after))
        values = {"lead": lead, "other": other, "verdict": verdict}
        small, large = (f"{end.size:,}" for end in (self.before, self.after))
        return Said(leads, first=first, second=second, small=small, large=large, **values)

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain values."""
        leads = [
            {"passages": end.size, **end.difference.to_dict(), "significant": end.significant}
            for end in (self.before, self.after)
        ]
        return {"leads": leads, "at": list(self.at)}


@dataclass(frozen=True)
class Growth:
    """The searches at all sizes that are measured, by one measure."""

    steps: tuple[Step, ...]
    measure: str
    copies: int = 0

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(step.size for step in self.steps)

    @cached_property
    def leads(self) -> Mapping[tuple[str, str], tuple[Lead, ...]]:
        """By pair of searches, the second against the first at every size."""
        pairs = [*combinations(self.steps[0].experiment.runs, 2)]
        by_pair: dict[tuple[str, str], list[Lead]] = {pair: [] for pair in pairs}
        for step in self.steps:
            scores = step.experiment.scores
            differences = [compare(scores[a], scores[b], self.measure, len(pairs)) for a, b in pairs]
            ps = holm([d.p for d in differences])
            for pair, d, p in zip(pairs, differences, ps, strict=True):
                by_pair[pair].append(Lead(step.size, d, p is not None and p <= ALPHA and not d.within_ties))
        return {pair: tuple(leads) for pair, leads in by_pair.items()}

    @cached_property
    def flips(self) -> tuple[Flip, ...]:
        """The pairs whose order changes from one size to another."""
        return tuple(flip for leads in self.leads.values() if (flip := find_flip(leads)))

    @cached_property
    def notes(self) -> tuple[Said, ...]:
        """Describes the flips, what the figures cannot show, and what readers should know of the largest size."""
        notes = [flip.describe() for flip in self.flips]
        if len(self.steps) > 1 and self.leads and not notes:
            small, large = (f"{size:,}" for size in (self.sizes[0], self.sizes[-1]))
            notes.append(Said("No order flips from size {small} to {large}.", small=small, large=large))
        if self.copies:
            notes.append(Said("Left out because the corpus has the same text: {n}.", n=self.copies))
        notes.append(Said("Added passages are not judged and count as not relevant, although some may answer."))
        return (*notes, *self.steps[-1].experiment.notes)

    @cached_property
    def points(self) -> Mapping[str, tuple[Point, ...]]:
        """By search, its mean with the 95% CI at every size."""
        by_name: dict[str, list[Point]] = {name: [] for name in self.steps[0].experiment.runs}
        for step in self.steps:
            for name, scores in step.experiment.scores.items():
                values = scores.per_query[self.measure].values()
                by_name[name].append(Point(scores.means[self.measure], bounds(values)))
        return {name: tuple(points) for name, points in by_name.items()}

    @cached_property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """One row per size and search: the mean with its 95% CI, the judged results, times and memory."""
        flipped = {(size, name) for flip in self.flips for size in flip.at for name in flip.names}
        rows = []
        for i, step in enumerate(self.steps):
            for name, scores in step.experiment.scores.items():
                mean, ends = self.points[name][i]
                low, high = ends or (None, None)
                figures = {"passages": step.size, "search": name, "value": mean, "low": low, "high": high}
                judged = scores.means[step.experiment.cutoffs[self.measure]]
                figures |= {"flips": (step.size, name) in flipped, "judged": judged}
                figures |= {"query_ms": (step.experiment.runs[name].ms or (None, None))[0]}
                rows.append({**figures, "ready_seconds": step.ready[name], "megabytes": step.bytes / 2**20})
        return tuple(rows)

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain values, ready for JSON."""
        flips = [flip.to_dict() for flip in self.flips]
        figures = {"measure": self.measure, "sizes": list(self.sizes), "rows": list(self.rows), "flips": flips}
        return {**figures, "notes": list(self.notes)}


def find_flip(leads: Sequence[Lead]) -> Flip | None:
    """Returns the change of order of a pair, smallest size first; None if one search is ahead wherever one is."""
    ahead = [lead for lead in leads if lead.sign]
    turns = [now.size for before, now in pairwise(ahead) if before.sign != now.sign]
    if not turns:
        return None
    return Flip(ahead[0], next(lead for lead in reversed(ahead) if lead.sign != ahead[0].sign), tuple(turns))
