"""Contracts: the laws that every operator obeys, in the lab and in plug-ins.

    python -m lab.contracts FILE.py      python -m lab.contracts PACKAGE

`check_operator` puts a class to all of them on small random corpora, the same at every run.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from lab.algebra import Operator
from lab.contracts import checks
from lab.contracts.laws import BrokenLaw
from lab.contracts.specimens import Case, random_cases, specimens, written
from lab.models.lsa import LSA
from lab.models.static import BuiltIn

CASES = 25
"""Corpora and questions that each law is tried on."""
Try = tuple[str, str, Callable[[], None]]
"""A law, a description of the input, and the check."""


class Broken(NamedTuple):
    """A law that an operator breaks: the law, the reason, and the input that showed it."""

    law: str
    reason: str
    seen: str


class Report(NamedTuple):
    """The number of laws that an operator was checked for, and those that it breaks."""

    operator: str
    laws: int
    broken: tuple[Broken, ...]


def check_operator(cls: type[Operator], *, cases: int = CASES, seed: int = 0) -> Report:
    """Puts a class, with every choice of its knobs, to the laws of its kind; each is reported once."""
    operators = specimens(cls, embedders=(BuiltIn(), LSA(size=4)))
    tried = random_cases(cases, seed)
    results = dict(_results(_of_class(cls, operators[0])))
    for operator in operators:
        for law, broken in check_specimen(operator, tried).items():
            results[law] = results.get(law) or broken
    return Report(cls.__name__, len(results), tuple(filter(None, results.values())))


def check_specimen(operator: Operator, cases: Sequence[Case]) -> dict[str, Broken | None]:
    """Puts one operator to the laws of its kind, each on all cases until it is broken; by law, None if it is kept."""
    tries = [(law, written(operator), partial(check, operator)) for law, check in checks.SPECIFICATION.items()]
    tries += [
        (law, f"{written(operator)}, {case}", partial(check, operator, case))
        for law, check in checks.laws_of(operator).items()
        for case in cases
    ]
    return _results(tries)


def _of_class(cls: type[Operator], first: Operator) -> list[Try]:
    tries = [(law, "", partial(check, cls)) for law, check in checks.CLASS.items()]
    return [*tries, (checks.KNOBS, "", partial(checks.check_knobs, first))]


def _results(tries: Iterable[Try]) -> dict[str, Broken | None]:
    results = dict[str, Broken | None]()
    for law, seen, check in tries:
        if not results.get(law):
            reason = _failure(check)
            results[law] = Broken(law, reason, seen) if reason else None
    return results


def _failure(check: Callable[[], None]) -> str:
    """Returns what is wrong, in a sentence; empty if the law is kept."""
    try:
        check()
    except BrokenLaw as error:
        return str(error)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        words = " ".join(str(error).split())
        return f"It raises {type(error).__name__}: {words} ({place.filename}, line {place.lineno})."
    return ""
