"""Language models behind one protocol: ask and get an `Completion`, or read it while it is written.

`EndpointModel` speaks to any OpenAI-compatible server, `ScriptedModel` gives answers that were written by hand
(tests and lessons), `Remembering` keeps answers for its owner, `ask_many` asks in parallel.  Everything that
can go wrong is a `ModelError` with a remedy.  Techniques get a model from their caller; none is the usual case.
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
    """A failure that every other question to this model would meet, too: a refused key, a server that is silent."""


Prompt = str | Sequence[Message]
"""A question, or a conversation that ends with one."""


@dataclass(frozen=True)
class Shape:
    """The JSON object that an answer should be; ``schema`` is its JSON schema as text."""

    name: str
    schema: str

    @classmethod
    def of(cls, name: str, **properties: Mapping[str, Any]) -> Shape:
        """An object with these properties, all of them required, each by its JSON schema."""
        strict = {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}
        return cls(name, json.dumps(strict))


TEXT: Mapping[str, Any] = {"type": "string"}
TEXTS: Mapping[str, Any] = {"type": "array", "items": TEXT}
"""Schemas of a text and of a list of texts."""
QUERIES = Shape.of("queries", queries=TEXTS)
"""The shape of a list of queries."""


@dataclass(frozen=True)
class Completion:
    """What a model said and what it took.

    The tokens are the server's count, None where it gives none; ``cost`` is in the currency of the prices,
    None where they are not known; ``complete`` is False where the answer was cut at its longest, or ``broken``: it
    broke off, or the server gave it up; ``remembered`` ones were not asked for again (and cost nothing again).
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


class Stream:
    """An answer while it is written: iterate over its pieces, then look at ``answer``.

    Iterating raises `ModelError` where it breaks off; what had come until then is ``text``.
    """

    def __init__(self, pieces: Iterator[str], finish: Callable[[str, float], Completion]) -> None:
        self._pieces, self._finish, self._had = pieces, finish, list[str]()
        self.answer: Completion | None = None

    @property
    def text(self) -> str:
        """What has come."""
        return "".join(self._had)

    def __iter__(self) -> Iterator[str]:
        start = time.perf_counter()
        for piece in self._pieces:
            self._had.append(piece)
            yield piece
        self.answer = self._finish(self.text, time.perf_counter() - start)


@runtime_checkable
class LanguageModel(Protocol):
    """What a technique needs of a language model.  Models are hashable: they are fields of frozen operators."""

    @property
    def label(self) -> str:
        """What the page calls it."""
        ...

    def ask(self, prompt: Prompt, *, system: str = "", shape: Shape | None = None) -> Completion:
        """The answer; the server is asked to write a JSON object of this ``shape``.  Raises `ModelError`."""
        ...

    def stream(self, prompt: Prompt, *, system: str = "") -> Stream:
        """The answer while it is written.  Raises `ModelError`, also while it is read."""
        ...


def model_named(models: Models, name: str) -> LanguageModel | None:
    """The language model of this name among the models of a run; None if it has none."""
    return cast("LanguageModel | None", models.get(name))


def whole(answer: Completion | ModelError) -> Completion:
    """An answer that is one.  Raises `ModelError` for a failure, and for an answer that is not whole: half misleads."""
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
    """The whole conversation that is sent."""
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
    """One answer or one error per prompt, in order, ``workers`` at a time; equal prompts are asked once.

    ``progress`` is called with (done, total) in the caller's thread, several times a second, and may raise to stop:
    what has not begun is not asked then.  Where ``cancel`` (looked at as often) turns true, the rest are errors that
    say so.  After the first `OutOfReach` the rest are not asked: it is their error, too.
    """
    lost: list[OutOfReach] = []

    def ask(prompt: Prompt) -> Completion | ModelError:
        if lost:
            return lost[0]
        try:
            return model.ask(prompt, shape=shape)
        except OutOfReach as error:
            lost.append(error)
            return error
        except ModelError as error:
            return error

    stopped = ModelError(Said("Stopped before this was searched."), Said("Start again to search the rest."))
    keys = [messages(prompt) for prompt in prompts]
    pool = ThreadPoolExecutor(max_workers=max(1, workers))
    try:
        asked = {key: pool.submit(ask, prompt) for key, prompt in dict(zip(keys, prompts, strict=True)).items()}
        waiting: set[Future[Completion | ModelError]] = set(asked.values())
        while waiting:
            if cancel and cancel():
                pool.shutdown(wait=False, cancel_futures=True)
                break
            finished, waiting = wait(waiting, timeout=0.1, return_when=FIRST_COMPLETED)
            if progress:
                progress(sum(asked[key].done() for key in keys), len(keys))
        answered = {key: f.result() for key, f in asked.items() if f.done() and not f.cancelled()}
        return tuple(answered.get(key, stopped) for key in keys)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
