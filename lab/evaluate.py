"""Runs, TREC files and measures.

A `Run` is what a retriever answers to every query of a collection.  The measures are those of ir-measures,
under its names (``nDCG@10``, ``RR@10``, ``R@10``, ``AP``).

Ties: evaluation tools ignore the rank column, sort by score and break ties by document id, some upwards and
some downwards (in ir-measures, nDCG and RR differ in this).  Our order is the order of the list, so the
measures are given scores that fall from rank to rank, and a TREC file gets a score one step of single
precision lower wherever the true one would tie.  Every tool then sees our order, and all others scores as
they are.
"""

from __future__ import annotations

import io
import math
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, TextIO

import numpy as np

from lab.core import Index, Ranking, at_least
from lab.corpus.beir import Query
from lab.errors import EvaluationError
from lab.words import Said

MEASURES = ("nDCG@10", "RR@10", "R@10", "AP")
"""What is measured unless something else is asked for."""

Results = Mapping[str, tuple[tuple[str, float], ...]]
Progress = Callable[[int, int], None]
Qrels = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Run:
    """Per query the (document id, score) pairs, best first; an empty tuple where nothing was found.

    ``seconds`` is the time all searches took; it does not take part in comparisons.
    """

    name: str
    results: Results = field(hash=False)
    seconds: float = field(default=0.0, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "results", MappingProxyType({q: tuple(hits) for q, hits in self.results.items()}))

    def __len__(self) -> int:
        return len(self.results)

    @staticmethod
    def of(name: str, rankings: Mapping[str, Ranking]) -> Run:
        """A run from rankings by query id."""
        results = {q: tuple((h.document.id, h.score) for h in ranking.hits) for q, ranking in rankings.items()}
        return Run(name, results, sum(ranking.seconds for ranking in rankings.values()))


@dataclass(frozen=True)
class Scores:
    """``means[measure]``, and ``per_query[measure][query id]`` for every query that was counted."""

    name: str
    means: Mapping[str, float] = field(hash=False)
    per_query: Mapping[str, Mapping[str, float]] = field(hash=False)

    @property
    def queries(self) -> int:
        """How many queries the means are over."""
        return max(map(len, self.per_query.values()), default=0)


@dataclass(frozen=True)
class Difference:
    """The second against the first, over the same queries: mean of second minus first, and how it came about.

    ``low`` and ``high`` bound the mean with 95 % confidence; ``p`` is of the paired t-test (two-sided).  All
    three are None where they cannot be computed: fewer than two queries.
    """

    first: str
    second: str
    measure: str
    mean: float
    better: int
    equal: int
    worse: int
    low: float | None
    high: float | None
    p: float | None


# --------------------------------------------------------------------------------------------------- run


def run(
    index: Index, queries: Iterable[Query], *, k: int = 100, name: str = "", progress: Progress | None = None
) -> Run:
    """Ask the index every query.  ``progress`` is called with (done, total) after each and may raise to stop.

    ``name`` is the retriever's label where it is not given.  Raises `ParameterError` for k < 1.
    """
    at_least("k", k, 1)
    asked = list(queries)
    results: dict[str, tuple[tuple[str, float], ...]] = {}
    start = time.perf_counter()
    for number, query in enumerate(asked, 1):
        ranking = index.search(query.text, k=k, explain=False)
        results[query.id] = tuple((hit.document.id, hit.score) for hit in ranking.hits)
        if progress:
            progress(number, len(asked))
    return Run(name or index.operator.label, results, time.perf_counter() - start)


# -------------------------------------------------------------------------------------------------- trec


def write_trec(run: Run, target: str | Path | TextIO, *, tag: str = "") -> None:
    """Write the lines ``query Q0 document rank score tag``; ``tag`` is the run's name where it is not given.

    Scores are written in full; where one would not be below its predecessor in single precision (a tie),
    it is the next number below.  A query without a hit has no line: the format knows no empty list.
    Raises `EvaluationError` for an id with a blank in it, before anything is written.
    """
    text = trec_text(run, tag=tag)
    if isinstance(target, str | Path):
        Path(target).write_text(text, encoding="utf-8", newline="\n")
    else:
        target.write(text)


def trec_text(run: Run, *, tag: str = "") -> str:
    """The text of the TREC file: see `write_trec`."""
    out = io.StringIO()
    label = re.sub(r"\s+", "_", (tag or run.name).strip()) or "run"
    for query, hits in run.results.items():
        for rank, ((document, _), score) in enumerate(zip(hits, falling([s for _, s in hits]), strict=True), 1):
            out.write(f"{_word(query)} Q0 {_word(document)} {rank} {score!r} {label}\n")
    return out.getvalue()


def falling(scores: Sequence[float]) -> list[float]:
    """The scores with every tie broken downwards, by one step of single precision each."""
    out: list[float] = []
    for score in scores:
        if out and not np.float32(score) < np.float32(out[-1]):
            score = float(np.nextafter(np.float32(out[-1]), np.float32(-np.inf)))
        out.append(float(score))
    return out


def _word(identity: str) -> str:
    if not identity or re.search(r"\s", identity):
        raise EvaluationError(
            Said("The id “{id}” has a blank in it, which a TREC file cannot hold.", id=identity),
            Said("Rename it in the corpus or the queries."),
        )
    return identity


def read_trec(source: str | Path | TextIO, *, name: str = "") -> Run:
    """Read a TREC run: by score, best first; ties by the rank column, then as in the file.

    ``name`` is the tag in the file where it is not given.  Raises `EvaluationError` naming the line.
    """
    where = str(source) if isinstance(source, str | Path) else getattr(source, "name", "the run")
    try:
        text = Path(source).read_text("utf-8-sig") if isinstance(source, str | Path) else source.read()
    except UnicodeDecodeError:
        raise EvaluationError(Said("{file} is not UTF-8.", file=where), Said("Give a TREC run in UTF-8.")) from None
    lists: dict[str, list[tuple[float, float, str]]] = {}
    seen: set[tuple[str, str]] = set()
    tag = ""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        cells = line.split()
        try:
            query, _, document, rank, score, tag = cells
            entry = (-float(score), float(rank), document)
            if math.isnan(entry[0]) or math.isnan(entry[1]) or (query, document) in seen:
                raise ValueError
        except ValueError:
            what = (
                Said("the document is in this query's list already")
                if len(cells) == 6 and (cells[0], cells[2]) in seen
                else Said("this is no line of a run")
            )
            raise EvaluationError(
                Said("{file}, line {line}: {what}.", file=where, line=number, what=what),
                Said("A line is: query Q0 document rank score tag."),
            ) from None
        seen.add((query, document))
        lists.setdefault(query, []).append(entry)
    results = {q: tuple((d, -s) for s, _, d in sorted(entries, key=lambda e: e[:2])) for q, entries in lists.items()}
    return Run(name or tag or "run", results)


# ---------------------------------------------------------------------------------------------- measures


def evaluate(run: Run, qrels: Qrels, measures: Sequence[str] = MEASURES) -> Scores:
    """The measures of a run, by ir-measures.

    Counted are the queries that have a relevant document (a mean over questions that nothing answers
    measures nothing); one that the run has no answer to counts 0.  Raises `EvaluationError` for an unknown
    measure, for judgments without a relevant document, and for a run that answers none of their queries.
    """
    counted = {q: dict(grades) for q, grades in qrels.items() if any(g > 0 for g in grades.values())}
    if not counted:
        raise EvaluationError(
            Said("There are no judgments to measure against."), Said("Add qrels/test.tsv to the collection.")
        )
    if not counted.keys() & run.results.keys():
        raise EvaluationError(
            Said("{run} and the judgments have no query in common.", run=run.name),
            Said("Check that both use the same query ids."),
        )
    wanted = {name: _measure(name) for name in measures}
    # scores that fall from rank to rank: no tool gets to break a tie
    lists = {
        q: {d: float(len(hits) - i) for i, (d, _) in enumerate(hits)}
        for q, hits in run.results.items()
        if q in counted and hits
    }
    per_query = {name: dict.fromkeys(counted, 0.0) for name in wanted}
    try:
        found = list(_providers().iter_calc(list(wanted.values()), counted, lists)) if lists else []
    except Exception as error:  # a measure that needs a tool or parameter which is not there: many kinds of exceptions
        raise EvaluationError(
            Said(
                "{measures} cannot be computed here ({reason}).",
                measures=", ".join(wanted),
                reason=str(error).splitlines()[0] if str(error) else type(error).__name__,
            ),
            Said("Use measures such as: {names}.", names=", ".join(EXAMPLES)),
        ) from error
    names = {measure: name for name, measure in wanted.items()}
    for metric in found:
        per_query[names[metric.measure]][metric.query_id] = float(metric.value)
    means = {name: sum(values.values()) / len(values) for name, values in per_query.items()}
    return Scores(run.name, means, per_query)


EXAMPLES = ("nDCG@10", "RR@10", "R@100", "P@5", "AP", "Success@1", "AP(rel=2)")


def measures_in(text: str) -> tuple[str, ...]:
    """The measures named in a text, parted by blanks or commas; each checked.  Raises `EvaluationError`."""
    names = tuple(dict.fromkeys(re.findall(r"(?:[^\s,(]|\([^)]*\))+", text)))
    if not names:
        raise EvaluationError(
            Said("No measure is named."), Said("Use measures such as: {names}.", names=", ".join(EXAMPLES))
        )
    for name in names:
        _measure(name)
    return names


def _measure(name: str) -> Any:
    import ir_measures

    try:
        return ir_measures.parse_measure(name)
    except (NameError, ValueError, AssertionError, TypeError, SyntaxError):
        raise EvaluationError(
            Said("There is no measure “{name}”.", name=name),
            Said("Use measures such as: {names}.", names=", ".join(EXAMPLES)),
        ) from None


def _providers() -> Any:
    """ir-measures' own order of providers, without the one that runs a Perl script."""
    import ir_measures

    provider: Any = ir_measures.providers.FallbackProvider
    return provider(
        [
            ir_measures.pytrec_eval,
            ir_measures.cwl_eval,
            ir_measures.compat,
            ir_measures.pyndeval,
            ir_measures.judged,
            ir_measures.msmarco,
        ]
    )


def compare(first: Scores, second: Scores, measure: str) -> Difference:
    """The paired difference of two runs in one measure.  Raises `EvaluationError` unless both have the same queries."""
    a, b = first.per_query.get(measure), second.per_query.get(measure)
    if a is None or b is None or a.keys() != b.keys():
        raise EvaluationError(
            Said(
                "{first} and {second} were not measured by {measure} over the same queries.",
                first=first.name,
                second=second.name,
                measure=measure,
            ),
            Said("Evaluate both with the same judgments."),
        )
    away = np.array([b[q] - a[q] for q in a])
    low = high = p = None
    if len(away) > 1:
        if np.ptp(away) < 1e-12:  # no spread: the t-test would divide by zero
            low = high = float(away.mean())
            p = 1.0 if abs(low) < 1e-12 else 0.0
        else:
            from scipy import stats

            test = stats.ttest_1samp(away, 0.0)
            interval = test.confidence_interval(0.95)
            low, high, p = float(interval.low), float(interval.high), float(test.pvalue)
    near = np.abs(away) <= 1e-12
    better, worse = int(((away > 0) & ~near).sum()), int(((away < 0) & ~near).sum())
    return Difference(
        first.name, second.name, measure, float(away.mean()), better, int(near.sum()), worse, low, high, p
    )
