"""Several searches over all judged questions of a collection: their measures, and whether they differ.

The table has the columns of PyTerrier's ``Experiment`` (with ``correction="holm"``), then columns of our own: judged
documents among the results, the measure over judged results only, intervals, the randomization test, milliseconds.
Sources: C. Macdonald, N. Tonellotto, *Declarative Experimentation in Information Retrieval using PyTerrier*, ICTIR
2020, doi:10.1145/3409256.3409829; for the measures over judged results only, T. Sakai, *Alternatives to Bpref*, SIGIR
2007, doi:10.1145/1277741.1277756 (condensed lists).
"""

from __future__ import annotations

from collections.abc import Collection as Ids
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from lab.algebra import NONE, Models, Progress, Query, Searcher, at_least
from lab.corpus.beir import Collection, types_of
from lab.errors import EvaluationError, ParameterError, UnknownName
from lab.evaluate.ceiling import CANDIDATES, Ceiling, ceiling
from lab.evaluate.health import Health, describe_chunks, describe_health, health
from lab.evaluate.measures import MEASURES, Scores, check_subtopics, measure, measure_run, measures_in
from lab.evaluate.refusing import REFUSED, SHOWN, Refusals, refusals
from lab.evaluate.runs import LONGEST, Gathered, Run, run_many
from lab.evaluate.significance import ALPHA, SAME, Difference, compare, describe_difference, holm
from lab.reading.names import Names
from lab.words import N_, Said

if TYPE_CHECKING:
    import pandas as pd

    from lab.evaluate.frames import Table

System = Searcher | Run
"""A search, or a run that was made elsewhere: both can be evaluated."""
MOST_PAIRS = 6
"""Maximum number of comparisons of any two searches; with more, each search is compared with the baseline only."""


@dataclass(frozen=True)
class Experiment:
    """Runs over the judged questions of a collection, and the figures computed from them.

    ``queries`` are the questions that every search has answered, ``asked`` the number of questions to answer (more, if
    the work was stopped).  ``baseline`` is the name of the run that the others are compared with; None: no comparison.
    """

    collection: Collection
    runs: Mapping[str, Run] = field(hash=False)
    measures: tuple[str, ...]
    baseline: str | None
    queries: tuple[Query, ...]
    asked: int
    k: int

    @cached_property
    def _qrels(self) -> dict[str, dict[str, int]]:
        return {q.id: dict(self.collection.qrels[q.id]) for q in self.queries}

    @cached_property
    def cutoffs(self) -> Mapping[str, str]:
        """The measure of judged results within each measure's cutoff (``Judged@10``)."""
        return {m: f"Judged@{measure(m).params.get('cutoff', self.k)}" for m in self.measures}

    @cached_property
    def _all(self) -> dict[str, Scores]:
        measures = tuple(dict.fromkeys([*self.measures, *self.cutoffs.values()]))
        return {name: replace(self._measured(run, measures), name=name) for name, run in self.runs.items()}

    def _measured(self, run: Run, measures: Sequence[str]) -> Scores:
        return measure_run(run, self._qrels, measures, self.collection.subtopics)

    @cached_property
    def scores(self) -> Mapping[str, Scores]:
        """By run, its measures and the share of its results that are judged."""
        return MappingProxyType(self._all)

    @cached_property
    def condensed(self) -> Mapping[str, Scores]:
        """The measures over judged results only: unjudged results are left out, instead of counting as irrelevant."""
        judged_runs = {name: _condensed(run, self._qrels) for name, run in self.runs.items()}
        return {name: self._measured(run, self.measures) for name, run in judged_runs.items()}

    @cached_property
    def differences(self) -> Mapping[tuple[str, str], Difference]:
        """By (run, measure), the run against the baseline; empty without a baseline."""
        if self.baseline is None:
            return {}
        compared = [name for name in self.runs if name != self.baseline]
        base = self.scores[self.baseline]
        return {
            (name, m): compare(base, self.scores[name], m, len(compared)) for name in compared for m in self.measures
        }

    @cached_property
    def pairs(self) -> Mapping[str, Sequence[Difference]]:
        """By measure, the comparisons of any two runs, those with the baseline first; of many runs, only those."""
        names = sorted(self.runs, key=lambda name: name != self.baseline)
        every = [*combinations([self.scores[name] for name in names], 2)]
        pairs = every if len(every) <= MOST_PAIRS else every[: len(names) - 1]
        return {m: [compare(*pair, m, len(pairs)) for pair in pairs] for m in self.measures}

    @cached_property
    def corrected(self) -> Mapping[tuple[str, str], tuple[float | None, float | None]]:
        """By (run, measure), p of the t-test and of the randomisation test, corrected over the runs (Holm)."""
        by_run: dict[tuple[str, str], tuple[float | None, float | None]] = {}
        for m in self.measures:
            family = [d for (_, of), d in self.differences.items() if of == m]
            for d, *both in zip(family, holm([d.p for d in family]), holm([d.randomised for d in family]), strict=True):
                by_run[d.second, m] = both[0], both[1]
        return by_run

    def told(self, name: str, m: str) -> tuple[Said, ...]:
        """Describes what the difference of a run from the baseline shows and does not show."""
        other_ps = [d.randomised for (other, of), d in self.differences.items() if of == m and other != name]
        return describe_difference(self.differences[name, m], *self.corrected[name, m], other_ps)

    @cached_property
    def notes(self) -> tuple[Said, ...]:
        """Warnings for a reader of the figures: stopped work, unknown documents, unanswered or unwritten questions."""
        notes = []
        if len(self.queries) < self.asked:
            stopped = N_("Stopped: the figures cover only the first {n} of {asked} questions.")
            notes.append(Said(stopped, n=len(self.queries), asked=self.asked))
        for m in self.measures:
            covers = len(next(iter(self.scores.values())).per_query[m])
            if covers < len(self.queries):
                message = N_("Only questions with subtopics count for {measure}: {n} of {asked}.")
                notes.append(Said(message, measure=m, n=covers, asked=len(self.queries)))
        moved = [(name, m) for name, m in product(self.runs, self.measures) if self.scores[name].spreads.get(m)]
        ranges = [(*self.scores[name].range(m), name, m) for name, m in moved]
        low, high, name, m = max(ranges, key=lambda found: found[1] - found[0], default=(0.0, 0.0, "", ""))
        if high - low > SAME:
            message = N_(
                "Results with equal scores count with the mean over their orders; the widest range over the orders is "
                "{low} to {high} ({run}, {measure})."
            )
            notes.append(Said(message, run=name, measure=m, low=f"{low:.4f}", high=f"{high:.4f}"))
        if len(self.queries) == self.asked:
            main = self.measures[0]
            notes += describe_health(self.health(main)[0], len(self.runs), main)
        for name, run in self.runs.items():
            strange = [
                d for q in self.queries for d, _ in run.results.get(q.id, ()) if not self.collection.corpus.get(d)
            ]
            chunks = describe_chunks(replace(run, name=name), self.collection, [q.id for q in self.queries])
            if chunks:
                notes.append(chunks)
            elif strange:
                message = N_("{run}: results that are not in {corpus}: {n}, the first: {id}. They keep their ranks.")
                notes.append(Said(message, run=name, n=len(strange), corpus=self.collection.name, id=strange[0]))
            lacks = sum(q.id not in run.results for q in self.queries)
            if lacks:
                message = N_("{run}: questions without results: {n} of {asked}. They count 0.")
                notes.append(Said(message, run=name, n=lacks, asked=len(self.queries)))
            if run.problems:
                message = N_("{run}: questions not rewritten because the model failed: {n} of {asked}.")
                notes.append(Said(message, run=name, n=len(run.problems), asked=len(self.queries)))
            if run.failures:
                message = N_(
                    "{run}: questions for which the retriever failed: {n} of {asked}. They count 0. The first: {first}"
                )
                first = next(iter(run.failures.values()))
                values = {"n": len(run.failures), "asked": len(self.queries), "first": getattr(first, "message", first)}
                notes.append(Said(message, run=name, **values))
        return tuple(notes)

    @cached_property
    def types(self) -> Mapping[str, tuple[str, ...]]:
        """The ids of the questions by their type, if the collection has types."""
        return types_of(self.queries)

    def mean(self, name: str, m: str, ids: Ids[str] | None = None) -> float:
        """A measure of a run over those of these questions that have it, or over all."""
        values = self.scores[name].per_query[m]
        known = [values[q] for q in ids or () if q in values]
        return self.scores[name].means[m] if ids is None else sum(known) / max(1, len(known))

    def health(self, m: str) -> tuple[Health, ...]:
        """Returns what the questions tell of the searches by a measure: all of them first, then each type."""
        values = {name: scores.per_query[m] for name, scores in self.scores.items()}
        judged = {name: scores.per_query[self.cutoffs[m]] for name, scores in self.scores.items()}
        return health(self.collection, values, judged, self.types)

    def measured_nothing(self, name: str) -> bool:
        """Whether no result of a search is judged, so that its measures say nothing."""
        return not any(self.mean(name, judged) for judged in self.cutoffs.values())

    def ceiling(self, name: str, m: str, depth: int = CANDIDATES) -> Ceiling | None:
        """Returns the measure of a run if the first results were in the best order; None for measures of subtopics."""
        return ceiling(self.runs[name], self._qrels, m, depth)

    def refusals(self, name: str) -> Refusals | None:
        """Returns how a run treats the questions without an answer; None if it has not searched any."""
        return refusals(self.runs[name], self.collection.unanswered)

    def headroom_taken(self, name: str, m: str) -> float | None:
        """Returns the share of the baseline's headroom that a run takes, if it only reorders the baseline's results."""
        if self.baseline is None or name == self.baseline:
            return None
        base, other = self.runs[self.baseline].results, self.runs[name].results
        if not all({d for d, _ in other.get(q.id, ())} <= {d for d, _ in base.get(q.id, ())} for q in self.queries):
            return None
        top = self.ceiling(self.baseline, m, LONGEST)
        return None if top is None else top.share(self.scores[name])

    # ------------------------------------------------------------------------------------------------ tables

    def table(self) -> Table:
        """Returns one row per run: PyTerrier's columns, then ours."""
        from lab.evaluate.frames import Table

        rows = [{"name": name} | {m: self.mean(name, m) for m in self.measures} for name in self.runs]
        for row in rows:
            row |= self._tested(str(row["name"])) | self._further_columns(str(row["name"]))
        table = Table(rows)
        counts = [c for c in table.columns if c.endswith((" +", " -", " =", " needed"))]
        table[counts] = table[counts].astype("Int64")  # counts stay whole numbers next to missing values
        table.experiment = self
        return table

    def _tested(self, name: str) -> dict[str, Any]:
        """PyTerrier's columns of a comparison, then ours."""
        pyterrier, further = dict[str, Any](), dict[str, Any]()
        for m in self.measures if self.baseline is not None else ():
            d = self.differences.get((name, m))
            p, randomised = self.corrected.get((name, m), (None, None))
            counts = (None, None, None) if d is None else (d.better, d.worse, d.equal)
            pyterrier |= {f"{m} +": counts[0], f"{m} -": counts[1], f"{m} p-value": d and d.p}
            pyterrier |= {f"{m} reject": p is not None and p <= ALPHA, f"{m} p-value corrected": p}
            further |= {f"{m} =": counts[2], f"{m} difference": d and d.mean, f"{m} low": d and d.low}
            further |= {f"{m} high": d and d.high, f"{m} randomised": d and d.randomised}
            further |= {f"{m} randomised corrected": randomised, f"{m} questions needed": d and d.needed()}
        return pyterrier | further

    def _further_columns(self, name: str) -> dict[str, Any]:
        judged = {j: self.mean(name, j) for j in dict.fromkeys(self.cutoffs.values())}
        only = {f"{m} judged only": self.condensed[name].means[m] for m in self.measures}
        median, late = self.runs[name].ms or (None, None)
        refused = self.refusals(name)
        unanswered = {REFUSED: refused.share, f"harmful@{SHOWN}": refused.shown} if refused else {}
        return {**judged, **only, **unanswered, "ms median": median, "ms 95 %": late}

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain values, ready for JSON."""
        rows = []
        for name, scores in self.scores.items():
            median, late = self.runs[name].ms or (None, None)
            judged = {j: scores.means[j] for j in dict.fromkeys(self.cutoffs.values())}
            means = {m: scores.means[m] for m in self.measures}
            only = dict(self.condensed[name].means)
            row: dict[str, Any] = {"name": name, "measures": means, "judged": judged, "judged_only": only}
            ceilings = {m: top.to_dict() for m in self.measures if (top := self.ceiling(name, m))}
            row |= {"ceiling": ceilings, "headroom_taken": {m: self.headroom_taken(name, m) for m in self.measures}}
            refused = self.refusals(name)
            row["unanswered"] = refused and {"questions": refused.n, "refused": refused.share, "shown": refused.shown}
            rows.append({**row, "query_ms": median, "late_ms": late})
        differences = []
        for (name, m), d in self.differences.items():
            p, randomised = self.corrected[name, m]
            corrected = {"corrected": p, "randomised_corrected": randomised}
            differences.append({**d.to_dict(), **corrected, "said": list(self.told(name, m))})
        health = {m: [row.to_dict() for row in self.health(m)] for m in self.measures}
        return {"searches": rows, "differences": differences, "notes": list(self.notes), "health": health}

    def per_query(self) -> pd.DataFrame:
        """PyTerrier's columns name, qid, measure, value: one row per run, question and measure."""
        import pandas as pd

        rows = [
            (name, q.id, m, scores.per_query[m][q.id])
            for name, scores in self.scores.items()
            for q in self.queries
            for m in self.measures
            if q.id in scores.per_query[m]
        ]
        return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])

    def by_type(self, m: str) -> pd.DataFrame:
        """One row per type of question: how many there are, and the measure of every run."""
        import pandas as pd

        rows = [
            {"type": kind, "questions": len(ids)} | {name: self.mean(name, m, ids) for name in self.runs}
            for kind, ids in self.types.items()
        ]
        return pd.DataFrame(rows, columns=["type", "questions", *self.runs])


# --------------------------------------------------------------------------------------------------- made


def experiment(
    searches: Sequence[System] | Mapping[str, System],
    corpus: Collection,
    measures: Sequence[str] = MEASURES,
    *,
    baseline: int | str | None = None,
    k: int = 100,
    models: Models = NONE,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """The table of `evaluate`, for a notebook: ``experiment([BM25(), best], samples.load("devices"), ["nDCG@10"])``."""
    return evaluate(searches, corpus, measures, baseline=baseline, k=k, models=models, progress=progress).table()


def evaluate(
    searches: Sequence[System] | Mapping[str, System],
    collection: Collection,
    measures: Sequence[str] = MEASURES,
    *,
    baseline: int | str | None = None,
    limit: int | None = None,
    k: int = 100,
    models: Models = NONE,
    progress: Progress | None = None,
    into: Gathered | None = None,
) -> Experiment:
    """Ask every judged question (the first ``limit``) of every search, and measure; runs may be among them.

    Errors are raised before anything is searched: `EvaluationError` for a measure that is unknown or cannot be computed
    and for a collection without judgments, `ParameterError` for no search, `UnknownName` for a baseline that is not
    among the searches.  ``progress`` may raise to stop; the results so far are then in ``into``: see `of_runs`.
    """
    systems = named(searches)
    check(systems, collection, measures, baseline=baseline, k=k)
    questions = collection.judged[:limit]
    to_run = {name: search for name, search in systems.items() if isinstance(search, Searcher)}
    into = Gathered(to_run) if into is None else into
    run_many(
        to_run,
        collection.corpus,
        with_unanswered(collection, questions),
        k=k,
        models=models,
        progress=progress,
        into=into,
    )
    runs = {name: s if isinstance(s, Run) else into.runs()[name] for name, s in systems.items()}
    return of_runs(runs, collection, measures, questions, len(questions), baseline=baseline, k=k)


def with_unanswered(collection: Collection, questions: Sequence[Query]) -> tuple[Query, ...]:
    """Returns these judged questions, and if they are all, also those without an answer, which no measure counts."""
    return (*questions, *(collection.unanswered if len(questions) == len(collection.judged) else ()))


def of_runs(
    runs: Mapping[str, Run],
    collection: Collection,
    measures: Sequence[str],
    queries: Sequence[Query],
    asked: int,
    *,
    baseline: int | str | None = None,
    k: int = 100,
) -> Experiment:
    """Returns the experiment of runs over the questions that all have answered (`answered`), of so many ``asked``.

    Raises `EvaluationError` if no question is answered yet.
    """
    if not queries:
        raise EvaluationError(Said("No question is finished yet."), Said("Let it run a little longer."))
    for name, run in runs.items():
        if not any(q.id in run.results for q in collection.judged):
            message = Said("{run} and the judgments have no query in common.", run=name)
            raise EvaluationError(message, Said("Check that both use the same query ids."))
    check_subtopics(measures, [q.id for q in queries], collection.subtopics)
    return Experiment(collection, dict(runs), tuple(measures), chosen(runs, baseline), tuple(queries), asked, k)


def named(searches: Sequence[System] | Mapping[str, System]) -> dict[str, System]:
    """The searches by their names, each name once."""
    if isinstance(searches, Mapping):
        return dict(searches)
    names = Names(pattern="{} ({})")
    return {names.fresh(str(s.name if isinstance(s, Run) else s.label)): s for s in searches}


def check(
    searches: Mapping[str, System],
    collection: Collection,
    measures: Sequence[str],
    *,
    baseline: int | str | None = None,
    k: int = 100,
) -> None:
    """Raise what would make the work useless, before it begins: see `evaluate`."""
    at_least("k", k, 1)
    if not searches:
        raise ParameterError(Said("No search was given to evaluate."), Said("Name at least one search."))
    chosen(searches, baseline)
    if not any(collection.qrels.values()):
        remedy = Said("Add qrels/test.tsv to the collection, or judge some results.")
        raise EvaluationError(Said("There are no judgments to measure against."), remedy)
    if not collection.judged:
        message = Said("No document is judged relevant: every measure would be 0.")
        raise EvaluationError(message, Said("Judge until at least one question has a relevant document."))
    measures_in(" ".join(measures))  # raises if one cannot be computed, and for none
    check_subtopics(measures, [q.id for q in collection.judged], collection.subtopics)


def chosen(names: Mapping[str, Any], baseline: int | str | None) -> str | None:
    """Returns the name of the baseline, given by its name or its number (from 0).  Raises `UnknownName`."""
    if isinstance(baseline, int) and -len(names) <= baseline < len(names):
        return list(names)[baseline]
    if baseline is not None and baseline not in names:
        known = Said("Valid names: {names}.", names=[*names])
        raise UnknownName(Said("There is no search “{name}” to compare with.", name=baseline), known)
    return None if baseline is None else str(baseline)


def _condensed(run: Run, qrels: Mapping[str, Mapping[str, int]]) -> Run:
    judged_hits = {q: tuple(hit for hit in hits if hit[0] in qrels.get(q, ())) for q, hits in run.results.items()}
    return Run(run.name, judged_hits, by_rank=run.by_rank)
