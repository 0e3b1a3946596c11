"""Language models behind one protocol: ask for a `Completion`, or read it while it is written.

`EndpointModel` speaks to any OpenAI-compatible server, `Remembering` keeps answers for its owner, `ask_many` asks in
parallel.  Everything that can go wrong is a `ModelError` with a remedy.  Techniques get a model from their caller,
usually without one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, cast, runtime_checkable

from lab.algebra import Models, Progress
from lab.errors import ModelError
from lab.words import Said


class Message(NamedTuple):
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    text: str


class OutOfReach(ModelError):
    """A failure that would affect every question to this model: a refused key, a server that does not answer."""


Prompt = str | Sequence[Message]
"""A question, or a conversation that ends with one."""


@dataclass(frozen=True)
class Shape:
    """The JSON object that an answer should be; ``schema`` is its JSON schema as text."""

    name: str
    schema: str

    @classmethod
    def of(cls, name: str, **properties: Mapping[str, Any]) -> Shape:
        """Returns the shape of an object with these properties, all required, each by its JSON schema."""
        strict = {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}
        return cls(name, json.dumps(strict))


TEXT: Mapping[str, Any] = {"type": "string"}
TEXTS: Mapping[str, Any] = {"type": "array", "items": TEXT}
"""Schemas of a text and of a list of texts."""
QUERIES = Shape.of("queries", queries=TEXTS)
"""The shape of a list of queries."""


@dataclass(frozen=True)
class Completion:
    """An answer of a model, and its cost.

    The tokens are the server's count, None if it does not report them; ``cost`` is in the currency of the prices, None
    without prices; ``complete`` is False if the answer was truncated at its maximum length, or is ``broken``: it broke
    off, or the server stopped it; a ``remembered`` answer was not requested again (and costs nothing again).
    ``remarks`` say what was changed in the request, or is doubtful in the answer.
    """

    text: str
    model: str = ""
    prompt_tokens: int | None = None
    answer_tokens: int | None = None
    cost: float | None = None
    seconds: float = field(default=0.0, compare=False)
    complete: bool = True
    broken: bool = False
    remembered: bool = field(default=False, compare=False)
    remarks: tuple[str, ...] = ()


class Stream:
    """An answer while it is written: iterate over its pieces, then read ``answer``.

    Iterating raises `ModelError` if it breaks off; ``text`` has the pieces so far.
    """

    def __init__(self, pieces: Iterator[str], finish: Callable[[str, float], Completion]) -> None:
        self._pieces, self._finish, self._had = pieces, finish, list[str]()
        self.answer: Completion | None = None

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._had)

    def __iter__(self) -> Iterator[str]:
        start = time.perf_counter()
        for piece in self._pieces:
            self._had.append(piece)
            yield piece
        self.answer = self._finish(self.text, time.perf_counter() - start)


@runtime_checkable
class LanguageModel(Protocol):
    """The interface of a language model.  Models are hashable: they are fields of frozen operators."""

    @property
    def label(self) -> str:
        """The name of the model on pages."""
        ...

    def ask(self, prompt: Prompt, *, system: str = "", shape: Shape | None = None) -> Completion:
        """Returns the answer; with ``shape``, asks the server for such a JSON object.  Raises `ModelError`."""
        ...

    def stream(self, prompt: Prompt, *, system: str = "") -> Stream:
        """Returns the answer as a stream.  Raises `ModelError`, also while it is read."""
        ...


def model_named(models: Models, name: str) -> LanguageModel | None:
    """Returns the language model of this name among the models of a run, or None."""
    return cast("LanguageModel | None", models.get(name))


def whole(answer: Completion | ModelError) -> Completion:
    """Returns a complete answer.  Raises `ModelError` for a failure and for a partial answer, which would mislead."""
    if isinstance(answer, ModelError):
        raise answer
    short = answer.text if len(answer.text) <= 300 else answer.text[:300] + "…"
    if answer.broken:
        broken = Said("The model's answer broke off: “{answer}”", answer=short)
        raise ModelError(broken, Said("Ask again, or use the rule."))
    if not answer.complete:
        cut = Said("The model's answer was truncated at the maximum length: “{answer}”", answer=short)
        raise ModelError(cut, Said("Allow longer answers in the settings, ask for less, or use the rule."))
    return answer


def messages(prompt: Prompt, system: str = "") -> tuple[Message, ...]:
    """Returns the whole conversation to send."""
    turns = (Message("user", prompt),) if isinstance(prompt, str) else tuple(prompt)
    return (Message("system", system), *turns) if system else turns


# ----------------------------------------------------------------------------------------------- many


def ask_many(
    model: LanguageModel,
    prompts: Sequence[Prompt],
    *,
    shape: Shape | None = None,
    workers: int = 4,
    progress: Progress | None = None,
    cancel: Callable[[], bool] | None = None,
) -> tuple[Completion | ModelError, ...]:
    """Returns one answer or one error per prompt, in order, ``workers`` at a time; equal prompts are sent once.

    ``progress`` is called with (done, total) in the caller's thread, several times a second, and may raise to stop:
    prompts that have not begun are then not sent.  If ``cancel`` (called as often) becomes true, the rest are errors
    that say so.  After the first `OutOfReach`, the rest are not sent and get this error, too.
    """
    unreachable: list[OutOfReach] = []

    def ask(prompt: Prompt) -> Completion | ModelError:
        if unreachable:
            return unreachable[0]
        try:
            return model.ask(prompt, shape=shape)
        except OutOfReach as error:
            unreachable.append(error)
            return error
        except ModelError as error:
            return error

    stopped = ModelError(Said("Stopped before this was searched."), Said("Start again to search the rest."))
    keys = [messages(prompt) for prompt in prompts]
    pool = ThreadPoolExecutor(max_workers=max(1, workers))
    try:
        futures = {key: pool.submit(ask, prompt) for key, prompt in dict(zip(keys, prompts, strict=True)).items()}
        waiting: set[Future[Completion | ModelError]] = set(futures.values())
        while waiting:
            if cancel and cancel():
                pool.shutdown(wait=False, cancel_futures=True)
                break
            finished, waiting = wait(waiting, timeout=0.1, return_when=FIRST_COMPLETED)
            if progress:
                progress(sum(futures[key].done() for key in keys), len(keys))
        answered = {key: f.result() for key, f in futures.items() if f.done() and not f.cancelled()}
        return tuple(answered.get(key, stopped) for key in keys)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
