"""Measures of runs.

ir-measures computes them, under its names (``nDCG@10``, ``RR@10``, ``R@10``, ``AP``); `lab.evaluate.diverse` those of
diversity, ERR and RBP, which ir-measures leaves to other programs.

Ties: evaluation tools sort by score and break ties by document id, some upwards and some downwards (in ir-measures,
nDCG and RR differ in this).  Here a measure is the mean over all orders of results with equal scores
(`lab.evaluate.ties`); the tools are given scores that fall from rank to rank, and `lab.evaluate.trec` says what a file
gets.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any

from lab.algebra import tied_groups
from lab.errors import EvaluationError
from lab.evaluate import diverse
from lab.evaluate.runs import Run
from lab.evaluate.ties import Spread, Ties, spread_values
from lab.reading.judgments import SUBTOPICS_HEADER
from lab.words import N_, Said

MEASURES = ("nDCG@10", "RR@10", "R@10", "AP")
"""The default measures."""
EXAMPLES = ("nDCG@10", "RR@10", "R@100", "P@5", "AP", "Success@1", "AP(rel=2)", "ERR@10")
NO_SUBTOPICS: Mapping[str, diverse.Subtopics] = MappingProxyType({})
_APART = frozenset((*diverse.NAMES, *diverse.OF_SUBTOPICS))
_UNJUDGED = ("Judged", "Bpref", "infAP")
"""Measures of which unjudged and irrelevant documents are not the same."""
_COUNTS = ("NumQ", "NumRel", "NumRet")
HIGHEST_GAIN = 30
"""The highest grade with an exponential gain that fits into trec_eval's integers."""
Qrels = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Scores:
    """``means[measure]``, and ``per_query[measure][query id]`` for every query that was counted.

    ``spreads[measure][query id]`` has the lowest and the highest value if it depends on the order of equal scores.
    """

    name: str
    means: Mapping[str, float] = field(hash=False)
    per_query: Mapping[str, Mapping[str, float]] = field(hash=False)
    spreads: Mapping[str, Mapping[str, Spread]] = field(default_factory=dict, hash=False, repr=False)

    @property
    def queries(self) -> int:
        """How many queries the means are over."""
        return max(map(len, self.per_query.values()), default=0)

    def range(self, measure: str) -> tuple[float, float]:
        """Returns the lowest and the highest mean that the orders of equal scores can give."""
        values, spreads = self.per_query[measure], self.spreads.get(measure, {})
        low, high = sum(x.low - x.mean for x in spreads.values()), sum(x.high - x.mean for x in spreads.values())
        return self.means[measure] + low / len(values), self.means[measure] + high / len(values)


def measure_run(
    run: Run,
    qrels: Qrels,
    measures: Sequence[str] = MEASURES,
    subtopics: Mapping[str, diverse.Subtopics] = NO_SUBTOPICS,
) -> Scores:
    """Returns the measures of a run.

    Only queries with a relevant document count, since a query that nothing answers measures nothing; a query that the
    run does not answer counts 0.  Values are means over the orders of results with equal scores.  For measures of
    diversity, only queries with ``subtopics`` count.  Raises `EvaluationError` for an unknown measure, for judgments
    without a relevant document, for a measure whose subtopics are missing, and for a run that answers none of their
    queries.
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
    answered = {q: hits for q, hits in run.results.items() if q in counted and hits}
    lists = {q: _falling([d for d, _ in hits]) for q, hits in answered.items()}
    per_query = {name: dict.fromkeys(counted, 0.0) for name in parsed}
    highest = max(grade for grades in qrels.values() for grade in grades.values())
    for name, wanted in parsed.items():
        if wanted.NAME in diverse.NAMES:
            own = _with_subtopics(name, wanted, counted, subtopics)
            ids = {q: [d for d, _ in run.results.get(q, ())] for q in own}
            per_query[name] = {q: _own(wanted, ids[q], counted[q], subtopics.get(q, {}), highest) for q in own}
        elif wanted.NAME in diverse.OF_SUBTOPICS:
            own = _with_subtopics(name, wanted, counted, subtopics)
            per_query[name] = dict.fromkeys(own, 0.0) | _by_subtopics(wanted, name, own, subtopics, lists)
    names = {measure: name for name, measure in parsed.items() if measure.NAME not in _APART}
    for name, metric in _computed(names, counted, lists) if lists and names else ():
        per_query[name][metric.query_id] = float(metric.value)
    tied = {q: g for q, hits in answered.items() if q not in run.by_rank and (g := tied_groups([s for _, s in hits]))}
    spreads = dict[str, dict[str, Spread]]()
    for name, wanted in parsed.items() if tied else ():
        by_query = {
            q: _ties(wanted, lists[q], tied[q], counted[q], subtopics.get(q, {})) for q in tied if q in per_query[name]
        }
        evaluate = partial(_measured, wanted, name, counted, subtopics, highest)
        spreads[name] = spread_values(wanted, by_query, per_query[name], evaluate)
        per_query[name] |= {q: spread.mean for q, spread in spreads[name].items()}
    means = {name: sum(values.values()) / len(values) for name, values in per_query.items()}
    return Scores(run.name, means, per_query, spreads)


def _falling(ids: Sequence[str]) -> dict[str, float]:
    """Returns scores that fall from rank to rank, so that no tool breaks a tie."""
    return {doc_id: float(len(ids) - rank) for rank, doc_id in enumerate(ids)}


def _ties(
    wanted: Any,
    ids: Iterable[str],
    groups: Sequence[tuple[int, int]],
    grades: Mapping[str, int],
    subtopics: diverse.Subtopics,
) -> Ties:
    """Returns the tied groups of a list; documents that a measure cannot tell apart have the same judgment."""
    unjudged = None if wanted.NAME in _UNJUDGED or "judged_only" in wanted.params else 0
    if wanted.NAME not in diverse.OF_SUBTOPICS:
        return Ties([*ids], groups, grades, lambda doc_id: grades.get(doc_id, unjudged))
    by_document = {
        d: [(s, own[d]) for s, own in subtopics.items() if d in own] for own in subtopics.values() for d in own
    }
    return Ties([*ids], groups, grades, lambda doc_id: str(by_document.get(doc_id)))


def _measured(
    wanted: Any,
    name: str,
    counted: Mapping[str, Mapping[str, int]],
    subtopics: Mapping[str, diverse.Subtopics],
    highest: int,
    variants: Sequence[tuple[str, Sequence[str]]],
) -> list[float]:
    if wanted.NAME in diverse.NAMES:
        return [_own(wanted, ids, counted[q], subtopics.get(q, {}), highest) for q, ids in variants]
    keys = {str(i): q for i, (q, _) in enumerate(variants)}
    lists = {key: _falling(ids) for key, (_, ids) in zip(keys, variants, strict=True)}
    if wanted.NAME in diverse.OF_SUBTOPICS:
        values = _by_subtopics(wanted, name, [*keys], {key: subtopics[q] for key, q in keys.items()}, lists)
    else:
        metrics = _computed({wanted: name}, {key: counted[q] for key, q in keys.items()}, lists)
        values = {metric.query_id: float(metric.value) for _, metric in metrics}
    return [values[key] for key in keys]


def check_subtopics(
    measures: Sequence[str], queries: Iterable[str], subtopics: Mapping[str, diverse.Subtopics]
) -> None:
    """Raises `EvaluationError` if one of these measures needs subtopics and none of these queries has any."""
    asked: dict[str, Any] = {q: {} for q in queries}
    for name in measures:
        _with_subtopics(name, measure(name), asked, subtopics)


def _with_subtopics(
    name: str, wanted: Any, counted: Mapping[str, Any], subtopics: Mapping[str, diverse.Subtopics]
) -> list[str]:
    """Returns the queries that a measure is computed for.  Raises `EvaluationError` if there are none."""
    if wanted.NAME not in diverse.OF_SUBTOPICS:
        return list(counted)
    rel = int(wanted.params.get("rel", 1))
    own = [q for q in counted if diverse.covered(subtopics.get(q, {}), rel)]
    if own:
        return own
    if not subtopics:
        message = N_("No subtopics for {measure}: the collection has no file qrels/subtopics.tsv.")
        remedy = Said("Add it with four columns: {header}.", header=[*SUBTOPICS_HEADER])
        raise EvaluationError(Said(message, measure=name), remedy)
    message = N_("No subtopics for {measure}: none of these questions ({n}) has any.")
    raise EvaluationError(Said(message, measure=name, n=len(counted)), Said("Evaluate more questions."))


def _own(
    wanted: Any, ids: Sequence[str], grades: Mapping[str, int], subtopics: diverse.Subtopics, highest: int
) -> float:
    """Returns one of the lab's own measures of a list."""
    params = wanted.params
    k, rel = int(params.get("cutoff", len(ids))), int(params.get("rel", 1))
    if wanted.NAME == "alpha_nDCG":
        return diverse.alpha_ndcg(ids, subtopics, k, float(params.get("alpha", 0.5)), rel)
    if wanted.NAME == "ERR_IA":
        return diverse.err_ia(ids, subtopics, k, rel)
    if wanted.NAME == "StRecall":
        return diverse.subtopic_recall(ids, subtopics, k, rel)
    if wanted.NAME == "ERR":
        return diverse.err(ids, grades, k, highest)
    return diverse.rbp(ids[:k], grades, float(params.get("p", 0.8)), rel)


def _by_subtopics(
    wanted: Any,
    name: str,
    queries: Sequence[str],
    subtopics: Mapping[str, diverse.Subtopics],
    lists: Mapping[str, Mapping[str, float]],
) -> dict[str, float]:
    """Returns a measure of pyndeval for these queries, each document judged once for each subtopic."""
    from ir_measures import Qrel

    judged = [
        Qrel(query, document, grade, subtopic)
        for query in queries
        for subtopic, grades in subtopics[query].items()
        for document, grade in grades.items()
    ]
    answered = {q: lists[q] for q in queries if q in lists}
    # a measure at a time: of several with other parameters, pyndeval computes only the first
    values = _computed({wanted: name}, judged, answered) if answered else ()
    return {metric.query_id: float(metric.value) for _, metric in values if metric.query_id in answered}


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
    try:
        parsed = _parsed(name)
        if int(parsed.params.get("cutoff", 1)) < 1:  # pytrec_eval would end the process
            raise ValueError(name)
        str(parsed)  # raises for an unknown parameter
    except (NameError, ValueError, AssertionError, TypeError, SyntaxError, KeyError):
        raise _wrong(Said("There is no measure “{name}”.", name=name)) from None
    if parsed.NAME in _COUNTS:
        raise _wrong(Said("{measure} is a count and not a measure of quality.", measure=name))
    if parsed.NAME in diverse.NAMES:
        _check_own(parsed, name)
    elif parsed.NAME in diverse.OF_SUBTOPICS:
        _by_subtopics(parsed, name, ["q"], {"q": {"s": {"a": 1}, "t": {"b": 1}}}, {"q": {"a": 1.0}})
    else:
        _computed({parsed: name}, {"q": {"a": 1}}, {"q": {"a": 1.0}})  # fail before the work, not in the middle of it
    return parsed


def _parsed(name: str) -> Any:
    """Reads a name like nDCG(dcg='exp-log2')@10, as `ir_measures.parse_measure` does.

    `parse_measure` needs a part of Python that 3.12 deprecates and 3.14 no longer has.
    """
    import ir_measures

    def value(node: ast.expr | None) -> Any:
        if isinstance(node, ast.Constant) and node.value is not None:
            return node.value
        if isinstance(node, ast.Dict):
            return dict(zip(map(value, node.keys), map(value, node.values), strict=True))
        raise ValueError(name)

    node, params, cutoff = ast.parse(name, mode="eval").body, dict[Any, Any](), None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        cutoff = value(node.right)
        node = node.left
    if isinstance(node, ast.Call):
        if node.args:
            raise ValueError(name)
        params = {given.arg: value(given.value) for given in node.keywords}
        node = node.func
    if not isinstance(node, ast.Name):
        raise ValueError(name)
    kind = ir_measures.measures.registry[node.id]
    if cutoff is not None:
        params[kind.AT_PARAM] = cutoff
    return kind(**params)


def _check_own(parsed: Any, name: str) -> None:
    """Raises `EvaluationError` for a parameter of one of the lab's own measures that is missing or out of range."""
    params = parsed.params
    if parsed.NAME != "RBP" and "cutoff" not in params:
        raise _wrong(
            Said("No cutoff in {measure}: write, for example, {example}.", measure=name, example=f"{parsed.NAME}@10")
        )
    if params.get("judged_only"):
        raise _wrong(Said("{measure} cannot leave out unjudged results.", measure=name))
    if not 0 <= params.get("alpha", 0.5) <= 1:
        raise _wrong(Said("In {measure}, alpha must be from 0 to 1.", measure=name))
    if not 0 < params.get("p", 0.8) < 1:
        raise _wrong(Said("In {measure}, p must be above 0 and below 1.", measure=name))
    if params.get("rel", 1) < 1:
        raise _wrong(Said("In {measure}, rel must be at least 1.", measure=name))


def _computed(names: Mapping[Any, str], qrels: Any, lists: Mapping[str, Mapping[str, float]]) -> list[tuple[str, Any]]:
    """Returns the values of these measures, query by query, each with the name of its measure."""
    import ir_measures

    asked = dict[Any, list[str]]()
    for wanted, name in names.items():
        asked.setdefault(_with_gains(wanted, qrels), []).append(name)

    # ir-measures' own order of providers, without the one that runs a Perl script
    fallback: Any = ir_measures.providers.FallbackProvider
    usable = ("pytrec_eval", "cwl_eval", "compat", "pyndeval", "judged", "msmarco")
    # ir-measures 0.4.3 may read a plain nDCG with the gains of another one of the same call
    calls = [[m for m in asked if "gains" not in m.params], *([m] for m in asked if "gains" in m.params)]
    try:
        provider = fallback([getattr(ir_measures, name) for name in usable])
        metrics = [metric for call in calls if call for metric in provider.iter_calc(call, qrels, lists)]
        return [(name, metric) for metric in metrics for name in asked[metric.measure]]
    except Exception as error:  # a measure that needs a tool or parameter which is not there: many kinds of exceptions
        reason = re.sub(r"=<object.*?>", "", str(error).partition("\n")[0]) or type(error).__name__
        message = Said("{measures} cannot be computed here ({reason}).", measures=[*names.values()], reason=reason)
        raise _wrong(message) from error


def _with_gains(measure: Any, qrels: Any) -> Any:
    """Returns nDCG with its exponential gains (2^g - 1) written out: ir-measures knows them for a Perl script only."""
    if measure.NAME != "nDCG" or measure.params.get("dcg") != "exp-log2" or "gains" in measure.params:
        return measure
    grades = {grade for judged in qrels.values() for grade in judged.values() if 0 < grade <= HIGHEST_GAIN}
    params = {key: value for key, value in measure.params.items() if key != "dcg"}
    return type(measure)(**params, gains={grade: 2**grade - 1 for grade in sorted(grades)})


def _wrong(problem: Said) -> EvaluationError:
    return EvaluationError(problem, Said("Use measures such as: {names}.", names=[*EXAMPLES]))
