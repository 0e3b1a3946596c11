"""Checks whether a lesson is true: every expectation is evaluated, and reports its finding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from lab import packs
from lab.corpus.beir import Collection
from lab.errors import LabError
from lab.evaluate.measures import Scores, measure_run
from lab.evaluate.runs import Run, run_many
from lab.lessons.checking.answers import Answers
from lab.lessons.checking.case import JUDGED, MEASURE, OPERATORS, Result, answered, is_reordered, sent
from lab.lessons.checking.classes import Classes
from lab.lessons.checking.inside import Inside
from lab.lessons.checking.judged import Judged
from lab.lessons.checking.ranks import Ranks
from lab.lessons.values import Lesson
from lab.words import Said

__all__ = [
    "KINDS",
    "MEASURE",
    "OF_LISTS",
    "OPERATORS",
    "READINGS",
    "Checker",
    "Result",
    "answered",
    "check",
    "is_reordered",
    "sent",
]


class _Expectations(Ranks, Judged, Classes, Inside, Answers, *packs.loaded("readings")):  # type: ignore[misc]
    """All kinds of expectations, those of packs included."""


def _named(prefix: str) -> list[str]:
    names = (name for kind in _Expectations.__bases__ for name in vars(kind))
    return [name.removeprefix(prefix) for name in names if name.startswith(prefix)]


KINDS = [*_named("expect_"), *OPERATORS]
"""The kinds of expectations."""
READINGS = _named("read_")
"""The readings that an operator compares."""
OF_LISTS = frozenset[str]().union(*(kind.OF_LISTS for kind in _Expectations.__bases__))
"""The readings that do not mention a document."""


class Checker:
    """Evaluates the expectations of a lesson on a collection; work that they share is done once."""

    def __init__(self, lesson: Lesson, collection: Collection) -> None:
        self.lesson, self.collection = lesson, collection
        self.lists = partial(lesson.ranking, runner=lesson.runner(collection.corpus))
        self.scores, self.runs = cache(self._measured), cache(self._run)
        self.called: Callable[[str], str] = str

    def _run(self, name: str) -> Run:
        return run_many({name: self.lesson.lists[name]}, self.collection.corpus, self.collection.judged)[name]

    def _measured(self, name: str) -> Scores:
        return measure_run(self.runs(name), self.collection.qrels, (MEASURE, JUDGED))

    def __call__(self, expectation: Mapping[str, Any], select: str = "") -> tuple[Result, ...]:
        """Evaluates every kind in one expectation; ``select`` is the document if it does not name one.

        If it cannot be evaluated (an unknown list or document, a missing model), nothing is raised: the result has not
        passed, and says why.
        """
        name, corpus = expectation.get("list", "?"), self.collection.corpus
        try:
            ranking, doc = self.lists(name), expectation.get("doc", select or self.lesson.select)
            graded = self.lesson.judgments(corpus).on(corpus)
            search = self.lesson.lists[name]
            shared = self.collection, graded, self.scores, self.runs, self.called
            case = _Expectations(name, search, ranking, doc, self.lists, *shared, expectation)
            return tuple(
                case.compared(key, value) if key in OPERATORS else getattr(case, f"expect_{key}")(value)
                for key, value in expectation.items()
                if key in KINDS
            )
        except LabError as error:
            return (Result(False, name, Said("{error}", error=str(error))),)


def check(lesson: Lesson, collection: Collection) -> tuple[Result, ...]:
    """Evaluates every expectation of this lesson on this collection, in order."""
    checker = Checker(lesson, collection)
    return tuple(
        result for step in lesson.steps for expectation in step.expect for result in checker(expectation, step.select)
    )
