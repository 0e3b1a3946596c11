"""Ask a model and check each answer; without a usable answer the caller keeps its own result.

A technique sends a `Request` for each question, with the function that reads the answer, and gets a `Reading` for each:
a value or a problem.  If a reading has no value, the technique keeps its rule's result, or the document as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from lab.algebra import Progress
from lab.errors import ModelError
from lab.models.chat import Completion, LanguageModel, Prompt, Shape, ask_many, whole
from lab.models.json_values import first_object
from lab.models.thoughts import without_thoughts

T = TypeVar("T")


class Request(NamedTuple, Generic[T]):
    """A prompt, and the function that reads an answer to it: it raises `ModelError` for one that is not to be used."""

    prompt: Prompt
    read: Callable[[str], T]


@dataclass(frozen=True)
class Reading(Generic[T]):
    """What an answer says: ``value``, or None and the ``problem``; ``answer`` is None if there was none to read."""

    value: T | None
    answer: Completion | None = None
    problem: ModelError | None = None

    def get(self) -> T:
        """The value.  Raises the problem if there is none."""
        if self.problem is not None:
            raise self.problem.with_traceback(None)
        assert self.value is not None
        return self.value


def consult(
    model: LanguageModel,
    requests: Sequence[Request[T]],
    *,
    shape: Shape | None = None,
    workers: int = 4,
    progress: Progress | None = None,
    cancel: Callable[[], bool] | None = None,
) -> tuple[Reading[T], ...]:
    """One reading per request, in order, ``workers`` at a time; see `ask_many`.

    ``shape`` is the JSON object that the server is asked for.  An answer that was cut or broke off is not read, unless
    it has such an object as a whole.
    """
    prompts = [request.prompt for request in requests]
    answers = ask_many(model, prompts, shape=shape, workers=workers, progress=progress, cancel=cancel)
    return tuple(_read(request, answer, shape) for request, answer in zip(requests, answers, strict=True))


TOGETHER = 16
"""Prompts per batch; answers are kept after each batch, so that a stop loses at most one."""


def consult_in_batches(
    model: LanguageModel,
    requests: Sequence[Request[T]],
    keep: Callable[[Sequence[tuple[int, Reading[T]]]], object],
    *,
    skips: Callable[[Sequence[Reading[T]]], bool] = lambda _: False,
    shape: Shape | None = None,
    progress: Progress | None = None,
    done: int = 0,
) -> list[ModelError]:
    """Calls ``keep`` after each batch with the numbers and readings of its requests; returns the problems.

    An answer that cannot be read costs only itself.  After a batch with another problem, or without any value, nothing
    more is sent.  Where ``skips`` says so of a batch, its problems are given to ``keep`` and are no longer problems of
    the run.  ``progress`` counts from ``done`` and may raise to stop: the answers that have come are kept first.
    """
    from lab.models.answers import Unreadable

    problems, stopped = list[ModelError](), list[BaseException]()
    for at in range(0, len(requests), TOGETHER):

        def report(count_done: int, _: int, before: int = done + at) -> None:
            try:
                if progress:
                    progress(before + count_done, done + len(requests))
            except BaseException as error:  # keep the answers before stopping
                stopped.append(error)

        batch = requests[at : at + TOGETHER]
        readings = consult(model, batch, shape=shape, progress=report, cancel=lambda: bool(stopped))
        skipped = not stopped and skips(readings)
        failed = [] if skipped else [reading.problem for reading in readings if reading.problem is not None]
        keep([(i, reading) for i, reading in enumerate(readings, at) if skipped or reading.problem is None])
        problems += failed
        if stopped:
            raise stopped[0]
        if failed and (len(failed) == len(readings) or not all(isinstance(x, Unreadable) for x in failed)):
            break
    return problems


def _read(request: Request[T], answer: Completion | ModelError, shape: Shape | None) -> Reading[T]:
    if isinstance(answer, ModelError):
        return Reading(None, None, answer)
    try:
        if not shape or first_object(without_thoughts(answer.text)) is None:
            whole(answer)
        return Reading(request.read(answer.text), answer)
    except ModelError as error:
        return Reading(None, answer, error)
