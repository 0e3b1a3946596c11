"""External retrievers: the list of a function, of a LangChain retriever or of a server as one of the lab's own.

A specification holds only the name; the run gets what answers under it::

    Runner(corpus, models={"mine": search})(RRF()(External("mine"), BM25()), "how long does a refund take")

``search`` is a function of the question, or of the question and ``k``.  It returns, best first, ids, texts, pairs of
one of these with a score, dictionaries or objects with an id, a text and a score; or a dictionary of scores by id.
Anything with a method ``invoke`` that returns such a list, a LangChain retriever for instance, may be given directly
(`lab.adapters.langchain.LangChain` sets more), and so may `lab.retrieve.http.HttpRetriever`.
"""

from __future__ import annotations

import inspect
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from lab.algebra import (
    NONE,
    Corpus,
    Document,
    Hit,
    Index,
    Models,
    Progress,
    Query,
    Ranking,
    Retriever,
    Runner,
    counted,
    in_order,
    knob,
)
from lab.errors import LabError, ModelError, UnknownName
from lab.models.endpoint import public
from lab.retrieve.foreign import (
    LOWER,
    Result,
    disagreement,
    find_document,
    first_names,
    out_of_order,
    outside,
    read_results,
)
from lab.words import N_, Said, joined

LATE = 60.0
"""Seconds that a run with a progress waits for one answer; a server has a time limit of its own."""
LOOK = 0.1
"""Seconds between reports of progress while an answer is awaited."""


class Reply(NamedTuple):
    """An answer: its results, best first, and the time it took; or what went wrong."""

    results: tuple[Result, ...]
    seconds: float
    problem: LabError | None = None


@runtime_checkable
class Replies(Protocol):
    """A retriever that measures its own time, as `lab.retrieve.http.HttpRetriever` does."""

    def reply(self, question: str, k: int) -> Reply:
        """Returns the answer to a question.  Raises `ModelError`."""


# --------------------------------------------------------------------------------------------------- asking


def ask(
    retriever: Any, question: str, k: int, *, name: str, progress: Progress | None = None, late: float = 0.0
) -> Reply:
    """Returns the answer of an external retriever.  Raises `ModelError` for whatever goes wrong in it.

    With a ``progress`` the retriever works in a thread of its own, so that the progress may stop the waiting, which
    ends after ``late`` seconds (0: `LATE`).  Without one it works in the caller's thread.
    """
    if progress is None:
        return _reply(retriever, question, k, name)
    outcome: Future[Reply] = Future()

    def work() -> None:
        try:
            outcome.set_result(_reply(retriever, question, k, name))
        except BaseException as error:  # raised below, in the thread that waits
            outcome.set_exception(error)

    late = late or LATE
    end = time.monotonic() + late
    threading.Thread(target=copy_context().run, args=(work,), daemon=True).start()
    while not wait([outcome], timeout=LOOK).done:
        progress(0, 1)
        if time.monotonic() > end:
            message = Said("The retriever “{name}” did not answer in time (limit: {n} s).", name=name, n=f"{late:.3g}")
            raise ModelError(message, Said("Make it faster, or let it stop by itself."))
    return outcome.result()


def _reply(retriever: Any, question: str, k: int, name: str) -> Reply:
    start = time.perf_counter()
    try:
        if isinstance(retriever, Replies):
            return retriever.reply(question, k)
        call = retriever if callable(retriever) else retriever.invoke
        returned = call(question, **{"k": k}) if _takes_count(call) else call(question)
        return Reply(tuple(read_results(returned, name)), time.perf_counter() - start)
    except LabError:
        raise
    except Exception as error:  # a stranger's code may raise anything
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200].rstrip(".")
        message = Said("The retriever “{name}” failed: {reason}.", name=name, reason=reason)
        if public():  # strangers must not learn what is installed
            message = Said("The retriever “{name}” failed.", name=name)
        raise ModelError(message, Said("Correct it, or choose another list.")) from error


def _takes_count(call: Callable[..., Any]) -> bool:
    """Returns whether a function has a parameter ``k`` for the number of results."""
    try:
        parameter = inspect.signature(call).parameters.get("k")
    except (TypeError, ValueError):  # of some built-in functions nothing is known
        return False
    return parameter is not None and parameter.kind is not parameter.POSITIONAL_ONLY


# ------------------------------------------------------------------------------------------------- the list


@dataclass(frozen=True)
class External(Retriever):
    """The list of a retriever that the run knows under a ``name``; the lab does not compute it.

    A result that is not in the corpus is counted and named; a passage that comes twice counts once.  Without scores,
    the score is 1 / rank.  With ``lower`` the lowest number is best (distances), and the score is its negative.
    The order is that of the answer, also if the scores have another one (MMR, pinned results), unless ``by_score``.
    """

    technique = Said("External retriever")
    about = Said("Takes the list of a retriever outside the lab: a Python function, a LangChain retriever or a server.")
    family = "given"
    compares = False
    keeps_index: ClassVar[bool] = False

    name: str = knob(
        "",
        Said("Name of the retriever"),
        Said("As it is called in the settings, in the plug-in file or in the program."),
    )
    lower: bool = LOWER()
    by_score: bool = knob(
        False,
        Said("Order by score"),
        Said("Off: the list keeps the order in which the retriever returned it."),
        rare=True,
    )

    @property
    def label(self) -> str:
        return Said("External · {name}", name=self.name) if self.name else Said("External retriever")

    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> ExternalIndex:
        return ExternalIndex(self, corpus, models, progress)

    def run(self, runner: Runner, query: Query, k: int) -> Ranking:
        """See `Retriever.run`; a patient run goes on with an empty list if the retriever fails."""
        try:
            return super().run(runner, query, k)
        except ModelError as error:
            if not runner.patient:
                raise
            return ExternalIndex(self, runner.corpus).failed(query, error)


@dataclass(frozen=True)
class Answered:
    """The evidence of an external list: how many results were returned, and which of them are not in the list.

    ``unknown`` names the results outside the corpus; ``by_text`` counts those that only their text identified,
    ``repeated`` those that name a passage again.  ``rising`` tells whether the scores rise from first to last,
    ``disagrees`` has two ranks, of which the later scores more.
    """

    name: str
    returned: int = 0
    used: int = 0
    unknown: tuple[str, ...] = ()
    by_text: int = 0
    repeated: int = 0
    rising: bool = False
    disagrees: tuple[int, int] | None = None
    lower: bool = False
    problem: LabError | None = None

    @property
    def remarks(self) -> tuple[Said, ...]:
        """Sentences on what of the answer is not in the list, or not as it was returned."""
        total = self.returned
        found = [outside(self.unknown, total)] if self.unknown else []
        if self.by_text:
            message = N_("Results identified by their text: {n} of {total}.")
            found.append(Said(message, n=self.by_text, total=total))
        if self.repeated:
            message = N_("Results that name a passage again: {n} of {total}. The first of each counts.")
            found.append(Said(message, n=self.repeated, total=total))
        if self.rising and not self.lower:
            found.append(
                Said("The scores rise from the first result to the last. If they are distances, lower is better.")
            )
        elif self.rising:
            found.append(Said("The scores fall from the first result to the last, so lower is hardly better."))
        elif self.disagrees:
            found.append(out_of_order(self.disagrees))
        return tuple(found)

    @property
    def note(self) -> str:
        """The remarks as one text; empty if there are none."""
        return joined(self.remarks, " ") if self.remarks else ""

    @property
    def reason(self) -> str:
        """Says why the list is empty, and what to do."""
        if not self.name:
            return Said("No retriever is named. Give the name of one that this run knows.")
        if self.problem is not None:
            return joined(filter(None, (self.problem.message, self.problem.remedy)), " ")
        if not self.returned:
            return Said("The retriever “{name}” returned no results for this question.", name=self.name)
        message = N_(
            "No result of “{name}” is in this corpus (results: {total}); they name: {ids}. "
            "Its ids or texts must be those of the corpus."
        )
        return Said(message, name=self.name, total=self.returned, ids=first_names(self.unknown))


class ExternalIndex(Index):
    """An external retriever for one corpus: nothing is indexed, every question is passed on."""

    operator: External

    def __init__(
        self, operator: External, corpus: Corpus, models: Models = NONE, progress: Progress | None = None
    ) -> None:
        self.operator, self.corpus, self._models, self._progress = operator, corpus, models, progress

    def search(self, query: str | Query, *, k: int = 100, explain: bool = True) -> Ranking:
        """See `Index.search`.  Raises `ModelError` if the retriever fails, `UnknownName` if the run lacks it."""
        counted("k", k)
        query, name = Query.of(query), self.operator.name
        if query.blank or not name:
            return self._ranking(query, (), Answered(name), 0.0)
        if name not in self._models:
            remedy = N_("Add it in the settings or with --plugin, or pass it to the run: models={{“{name}”: …}}.")
            raise UnknownName(Said("This run knows no retriever “{name}”.", name=name), Said(remedy, name=name))
        reply = ask(self._models[name], query.text, k, name=name, progress=self._progress)
        if reply.problem is not None:
            return self._ranking(query, (), Answered(name, problem=reply.problem), reply.seconds)
        hits, evidence = self._hits(reply.results, k)
        ordered = in_order(hits) if self.operator.by_score else hits
        return self._ranking(query, ordered[:k], evidence, reply.seconds, k if len(ordered) > k else 0)

    def failed(self, query: Query, problem: LabError) -> Ranking:
        """Returns the empty list of a retriever that has failed; its evidence holds the problem."""
        return self._ranking(query, (), Answered(self.operator.name, problem=problem), 0.0)

    def missing(self, query: str | Query, document: Document) -> str:
        """See `lab.retrieve.explaining.Misses`."""
        return Said("The retriever “{name}” did not return this passage.", name=self.operator.name)

    def _ranking(
        self, query: Query, hits: Sequence[Hit], evidence: Answered, seconds: float, requested: int = 0
    ) -> Ranking:
        return Ranking(
            query, tuple(hits), self.operator, seconds=seconds, asked=requested, evidence=evidence, corpus=self.corpus
        )

    def _hits(self, results: Sequence[Result], k: int) -> tuple[list[Hit], Answered]:
        """Returns the hits of an answer, and what became of its results."""
        name, scored = self.operator.name, [r.score for r in results if r.score is not None]
        if scored and len(scored) < len(results):
            counts = {"name": name, "n": len(scored), "total": len(results)}
            message = Said("Results of “{name}” with a score: {n} of {total}.", **counts)
            raise ModelError(message, Said("Give every result a score, or none: then the rank counts."))
        for at, score in enumerate(scored, 1):
            if not math.isfinite(score):
                message = Said("The score of result {at} of “{name}” is {value}.", at=at, name=name, value=f"{score}")
                raise ModelError(message, Said("Give every result a finite number, or none: then the rank counts."))
        hits, counts_by_kind, unknown = dict[str, Hit](), Counter[str](), list[str]()
        for rank, result in enumerate(results, 1):
            document, by_text = find_document(result, self.corpus)
            if document is None:
                unknown.append(result.name or f"#{rank}")
                continue
            counts_by_kind["text"] += by_text
            if document.id in hits:
                counts_by_kind["again"] += 1
                continue
            hits[document.id] = Hit(document, 1 / rank if result.score is None else self._signed(result.score))
        signed = [self._signed(score) for score in scored]
        rising = len(signed) > 1 and signed == sorted(signed) and signed[0] < signed[-1]
        evidence = Answered(
            name,
            returned=len(results),
            used=min(len(hits), k),
            unknown=tuple(unknown),
            by_text=counts_by_kind["text"],
            repeated=counts_by_kind["again"],
            rising=rising,
            disagrees=None if self.operator.by_score else disagreement(signed),
            lower=self.operator.lower,
        )
        return list(hits.values()), evidence

    def _signed(self, value: float) -> float:
        return 0.0 - value if self.operator.lower else value
