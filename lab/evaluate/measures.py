"""Measures of runs.

ir-measures computes them, under its names (``nDCG@10``, ``RR@10``, ``R@10``, ``AP``).

Ties: evaluation tools sort by score and break ties by document id, some upwards and some downwards (in ir-measures,
nDCG and RR differ in this).  Our order is the order of the list, so the measures are given scores that fall from rank
to rank; `lab.evaluate.trec` says what a file gets.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lab.errors import EvaluationError
from lab.evaluate.runs import Run
from lab.words import Said

MEASURES = ("nDCG@10", "RR@10", "R@10", "AP")
"""The default measures."""
EXAMPLES = ("nDCG@10", "RR@10", "R@100", "P@5", "AP", "Success@1", "AP(rel=2)")
Qrels = Mapping[str, Mapping[str, int]]


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


def measure_run(run: Run, qrels: Qrels, measures: Sequence[str] = MEASURES) -> Scores:
    """Returns the measures of a run, computed by ir-measures.

    Only queries with a relevant document count, since a query that nothing answers measures nothing; a query that the
    run does not answer counts 0.  Raises `EvaluationError` for an unknown measure, for judgments without a relevant
    document, and for a run that answers none of their queries.
    """
    counted = {q: dict(grades) for q, grades in qrels.items() if any(g > 0 for g in grades.values())}
    if not counted:
        remedy = Said("Add qrels/test.tsv to the collection.")
        raise EvaluationError(Said("There are no judgments to measure against."), remedy)
    if not counted.keys() & run.results.keys():
        message = Said("{run} and the judgments have no query in common.", run=run.name)
        raise EvaluationError(message, Said("Check that both use the same query ids."))
    parsed = {name: measure(name) for name in measures}
    if not parsed:
        raise _wrong(Said("No measure is given."))
    # scores that fall from rank to rank, so that no tool breaks a tie
    answered = {q: hits for q, hits in run.results.items() if q in counted and hits}
    lists = {q: {d: float(len(hits) - i) for i, (d, _) in enumerate(hits)} for q, hits in answered.items()}
    per_query = {name: dict.fromkeys(counted, 0.0) for name in parsed}
    names = {measure: name for name, measure in parsed.items()}
    for metric in _computed(names, counted, lists) if lists else ():
        per_query[names[metric.measure]][metric.query_id] = float(metric.value)
    means = {name: sum(values.values()) / len(values) for name, values in per_query.items()}
    return Scores(run.name, means, per_query)


def measures_in(text: str) -> tuple[str, ...]:
    """Reads the names of measures, separated by whitespace or commas.  Raises `EvaluationError` for an unknown one."""
    names = tuple(dict.fromkeys(re.findall(r"(?:\([^)]*\)|[^\s,])+", text)))
    if not names:
        raise _wrong(Said("No measure is given."))
    for name in names:
        measure(name)
    return names


def measure(name: str) -> Any:
    """The measure of ir-measures with this name.

    Raises `EvaluationError` for an unknown name, a cutoff below 1, and a measure that cannot be computed here.
    """
    import ir_measures

    try:
        parsed = ir_measures.parse_measure(name)
        if int(parsed.params.get("cutoff", 1)) < 1:  # pytrec_eval would end the process
            raise ValueError(name)
        str(parsed)  # raises for an unknown parameter
    except (NameError, ValueError, AssertionError, TypeError, SyntaxError, KeyError):
        raise _wrong(Said("There is no measure “{name}”.", name=name)) from None
    _computed({parsed: name}, {"q": {"a": 1}}, {"q": {"a": 1.0}})  # fail before the work, not in the middle of it
    return parsed


def _computed(names: Mapping[Any, str], qrels: Qrels, lists: Mapping[str, Mapping[str, float]]) -> list[Any]:
    """The values of these measures (each with its name), query by query."""
    import ir_measures

    # ir-measures' own order of providers, without the one that runs a Perl script
    fallback: Any = ir_measures.providers.FallbackProvider
    usable = ("pytrec_eval", "cwl_eval", "compat", "pyndeval", "judged", "msmarco")
    try:
        return list(fallback([getattr(ir_measures, name) for name in usable]).iter_calc(list(names), qrels, lists))
    except Exception as error:  # a measure that needs a tool or parameter which is not there: many kinds of exceptions
        reason = re.sub(r"=<object.*?>", "", str(error).partition("\n")[0]) or type(error).__name__
        message = Said(
            "{measures} cannot be computed here ({reason}).", measures=", ".join(names.values()), reason=reason
        )
        raise _wrong(message) from error


def _wrong(problem: Said) -> EvaluationError:
    return EvaluationError(problem, Said("Use measures such as: {names}.", names=", ".join(EXAMPLES)))
