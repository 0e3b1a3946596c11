"""Language models behind one protocol: ask and get an `Answer`, or read it while it is written.

`EndpointModel` speaks to any OpenAI-compatible server, `ScriptedModel` gives answers that were written by hand
(tests and lessons), `Remembering` keeps answers for its owner, `ask_many` asks in parallel.  Everything that
can go wrong is a `ModelError` with a remedy.  Techniques get a model from their caller; none is the usual case.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, runtime_checkable

from lab.core import Operator, knob
from lab.errors import ModelError
from lab.models.embedders import Progress, well_formed
from lab.models.endpoint import NO_KEY, answering, connect, public, shown
from lab.models.secrets import Secret
from lab.words import Said

if TYPE_CHECKING:
    import openai


class Message(NamedTuple):
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    text: str


Prompt = str | Sequence[Message]
"""A question, or a conversation that ends with one."""


@dataclass(frozen=True)
class Answer:
    """What a model said and what it took.

    The tokens are the server's count, None where it gives none; ``cost`` is in the currency of the prices,
    None where they are not known; ``complete`` is False where the answer was cut at its longest; ``remembered``
    ones were not asked for again (and cost nothing again).
    """

    text: str
    model: str = ""
    prompt_tokens: int | None = None
    answer_tokens: int | None = None
    cost: float | None = None
    seconds: float = field(default=0.0, compare=False)
    complete: bool = True
    remembered: bool = field(default=False, compare=False)


class Stream:
    """An answer while it is written: iterate over its pieces, then look at ``answer``.

    Iterating raises `ModelError` where it breaks off; what had come until then is ``text``.
    """

    def __init__(self, pieces: Iterator[str], finish: Callable[[str, float], Answer]) -> None:
        self._pieces, self._finish = pieces, finish
        self.text = ""
        self.answer: Answer | None = None

    def __iter__(self) -> Iterator[str]:
        start = time.perf_counter()
        for piece in self._pieces:
            self.text += piece
            yield piece
        self.answer = self._finish(self.text, time.perf_counter() - start)


@runtime_checkable
class LanguageModel(Protocol):
    """What a technique needs of a language model.  Models are hashable: they are fields of frozen operators."""

    @property
    def label(self) -> str:
        """What the page calls it."""
        ...

    def ask(self, prompt: Prompt, *, system: str = "", json: bool = False) -> Answer:
        """The answer; with ``json`` the server is told to write a JSON object.  Raises `ModelError`."""
        ...

    def stream(self, prompt: Prompt, *, system: str = "") -> Stream:
        """The answer while it is written.  Raises `ModelError`, also while it is read."""
        ...


def messages(prompt: Prompt, system: str = "") -> tuple[Message, ...]:
    """The whole conversation that is sent."""
    turns = (Message("user", prompt),) if isinstance(prompt, str) else tuple(prompt)
    return (Message("system", system), *turns) if system else turns


# -------------------------------------------------------------------------------------------- endpoints


class Preset(NamedTuple):
    """A server that many people use: its address, a model to begin with, whether it wants a key, whether it is here."""

    base_url: str
    model: str
    needs_key: bool
    local: bool


PRESETS: Mapping[str, Preset] = {
    "OpenAI": Preset("https://api.openai.com/v1", "gpt-4o-mini", True, False),
    "DeepSeek": Preset("https://api.deepseek.com/v1", "deepseek-chat", True, False),
    "Ollama": Preset("http://localhost:11434/v1", "qwen2.5:7b", False, True),
    "vLLM": Preset("http://localhost:8000/v1", "", False, True),
    "LM Studio": Preset("http://localhost:1234/v1", "", False, True),
}


@dataclass(frozen=True)
class EndpointModel(Operator):
    """A chat model on any OpenAI-compatible server (OpenAI, DeepSeek, Ollama, vLLM, LM Studio, ...).

    ``timeout`` is the longest silence in seconds that is waited for, ``retries`` the tries after the first;
    ``max_tokens`` is the longest answer.  ``prices`` are per million tokens, of the prompt and of the answer;
    without them no cost is told.  A server that does not know a parameter is asked without it.
    """

    model: str = "gpt-4o-mini"
    base_url: str = PRESETS["OpenAI"].base_url
    key: Secret = field(default=NO_KEY, repr=False)
    temperature: float = knob(0.2, low=0.0, high=2.0, step=0.1)
    timeout: float = knob(60.0, low=0.1, high=600.0)
    retries: int = knob(2, low=0, high=10)
    max_tokens: int = knob(1024, low=1, high=100_000)
    prices: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "key", Secret(self.key))  # from a command line it comes as a word
        if self.prices is not None:
            object.__setattr__(self, "prices", tuple(self.prices))

    @property
    def label(self) -> str:
        return self.model

    @cached_property
    def _client(self) -> openai.OpenAI:
        return connect(self.base_url, self.key, timeout=self.timeout)

    def _answering(self, call: Callable[[], Any]) -> Any:
        return answering(call, model=self.model, base_url=self.base_url, key=self.key, retries=self.retries)

    def ask(self, prompt: Prompt, *, system: str = "", json: bool = False) -> Answer:
        start = time.perf_counter()
        kind = {"response_format": {"type": "json_object"}} if json else {}

        def once() -> tuple[str, str, Any]:
            reply = self._create(prompt, system, kind)
            if not reply.choices:
                raise self._empty()
            return reply.choices[0].message.content or "", reply.choices[0].finish_reason or "", reply.usage

        text, reason, usage = self._answering(once)
        return self._answer(text, usage, reason, time.perf_counter() - start)

    def stream(self, prompt: Prompt, *, system: str = "") -> Stream:
        told: dict[str, Any] = {"usage": None, "reason": ""}
        chunks = self._answering(
            lambda: self._create(prompt, system, {"stream": True, "stream_options": {"include_usage": True}})
        )

        def pieces() -> Iterator[str]:
            try:
                while True:
                    chunk = answering(
                        lambda: next(chunks, None), model=self.model, base_url=self.base_url, key=self.key, retries=0
                    )
                    if chunk is None:
                        break
                    told["usage"] = chunk.usage or told["usage"]
                    if chunk.choices:
                        told["reason"] = chunk.choices[0].finish_reason or told["reason"]
                        if chunk.choices[0].delta.content:
                            yield chunk.choices[0].delta.content
            finally:  # also where the reader stops early: the connection is not left open
                chunks.close()

        return Stream(pieces(), lambda text, seconds: self._answer(text, told["usage"], told["reason"], seconds))

    def _create(self, prompt: Prompt, system: str, more: Mapping[str, Any]) -> Any:
        """One request.  Parameters that this server refuses are left out, or called by their other name."""
        import openai

        sent = [{"role": m.role, "content": well_formed(m.text)} for m in messages(prompt, system)]
        options: dict[str, Any] = {"max_tokens": self.max_tokens, "temperature": self.temperature, **more}
        while True:
            try:
                return self._client.chat.completions.create(model=self.model, messages=sent, **options)  # type: ignore[arg-type]
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                said = f"{error.param or ''} {error.message}"
                refused = next(
                    (
                        name
                        for name in ("stream_options", "response_format", "temperature", "max_tokens")
                        if name in options and name in said
                    ),
                    None,
                )
                if refused is None:
                    raise
                value = options.pop(refused)
                if refused == "max_tokens" and "max_completion_tokens" in said:
                    options["max_completion_tokens"] = value

    def _answer(self, text: str, usage: Any, reason: str, seconds: float) -> Answer:
        if not text.strip():
            raise self._empty()
        asked, said = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
        cost = None
        if self.prices and asked is not None and said is not None:
            cost = (asked * self.prices[0] + said * self.prices[1]) / 1e6
        return Answer(text, self.model, asked, said, cost, seconds, complete=reason != "length")

    def _empty(self) -> ModelError:
        return ModelError(
            Said("The model “{model}” at {url} sent an empty answer.", model=self.model, url=shown(self.base_url)),
            Said("Try again, or allow longer answers; some models think first and need room for it."),
        )


# --------------------------------------------------------------------------------------------- settings


def endpoint(base_url: str, model: str, key: str | Secret = "", **options: Any) -> EndpointModel:
    """A model from what a visitor entered; ``options`` are the other fields of `EndpointModel`.

    In a public lab (``LAB_PUBLIC=1``) the address must be a preset's that is not on this machine: otherwise
    strangers could make the server call addresses inside its own network.  Raises `ModelError`.
    """
    base_url, model = base_url.strip().rstrip("/"), model.strip()
    if not base_url.startswith(("http://", "https://")):
        raise ModelError(
            Said("“{url}” is no address of a server.", url=shown(base_url)),
            Said("It begins with http:// or https://, and often ends in /v1."),
        )
    if not model:
        raise ModelError(Said("No model is named."), Said("Enter the name of a model that this server has."))
    if public() and base_url not in {p.base_url for p in PRESETS.values() if not p.local}:
        raise ModelError(
            Said("This lab is open to the public (LAB_PUBLIC): it calls no addresses of your own."),
            Said("Choose one of: {names}.", names=", ".join(name for name, p in PRESETS.items() if not p.local)),
        )
    return EndpointModel(model, base_url, Secret(key), **options)


def from_environment(env: Mapping[str, str] | None = None, **options: Any) -> EndpointModel | None:
    """The model that whoever runs the lab has set up, or None: their address is theirs to choose, public or not.

    ``LAB_LLM_BASE_URL``, ``LAB_LLM_KEY`` and ``LAB_LLM_MODEL``; in their absence ``OPENAI_BASE_URL`` and
    ``OPENAI_API_KEY``.  A key is never sent to an address that was not set with it: a ``LAB_LLM_BASE_URL``
    gets ``LAB_LLM_KEY`` or none.  In a public lab the keys of ``OPENAI_API_KEY`` are left alone, since
    strangers would spend them unasked.
    """
    env = os.environ if env is None else env

    def of(name: str) -> str:
        return env.get(name, "").strip()

    url, key, model = of("LAB_LLM_BASE_URL"), of("LAB_LLM_KEY"), of("LAB_LLM_MODEL")
    if not url and not key:
        if public():
            return None
        url, key = of("OPENAI_BASE_URL"), of("OPENAI_API_KEY")
    if not url and not key:
        return None
    url = url.rstrip("/") or PRESETS["OpenAI"].base_url
    known = next((p.model for p in PRESETS.values() if p.base_url == url), "")
    if not (model or known):
        return None
    return EndpointModel(model or known, url, Secret(key), **options)


# ---------------------------------------------------------------------------------------------- scripts


@dataclass(frozen=True)
class ScriptedModel:
    """Answers written by hand, for tests and lessons: the first whose words all stand in the prompt.

    ``script`` are (words, answer) pairs; words are separated by ``&``, and none (``""``) fit everything.  An
    answer that is a `ModelError` is raised.  It says of itself that it is a script: nobody should take it for a
    model.  Raises `ModelError` where no line fits.
    """

    script: tuple[tuple[str, str | ModelError], ...] = ()
    name: str = "script"

    @property
    def label(self) -> str:
        return f"{self.name} (written by hand)"

    def ask(self, prompt: Prompt, *, system: str = "", json: bool = False) -> Answer:
        asked = "\n".join(m.text for m in messages(prompt, system))
        for words, answer in self.script:
            if all(word.strip() in asked for word in words.split("&")):
                if isinstance(answer, ModelError):
                    raise answer
                return Answer(answer, self.label, seconds=0.0)
        raise ModelError(
            Said("The script “{name}” has no answer for this prompt.", name=self.name),
            Said("Add a line, or use the rule."),
        )

    def stream(self, prompt: Prompt, *, system: str = "") -> Stream:
        answer = self.ask(prompt, system=system)
        step = 8
        return Stream(
            (answer.text[i : i + step] for i in range(0, len(answer.text), step)),
            lambda text, seconds: replace(answer, seconds=seconds),
        )


# --------------------------------------------------------------------------------------------- memory


class AnswerCache:
    """Answers per prompt, the last ``size`` used; it belongs to one visitor, who drops it with the session."""

    def __init__(self, size: int = 500) -> None:
        self.size = size
        self._answers: OrderedDict[object, Answer] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._answers)

    def get(self, key: object) -> Answer | None:
        """The answer under this key, or None."""
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
            return self._answers.get(key)

    def put(self, key: object, answer: Answer) -> None:
        """Keep an answer; the one that was not used for longest goes."""
        with self._lock:
            self._answers[key] = answer
            while len(self._answers) > self.size:
                self._answers.popitem(last=False)

    def clear(self) -> None:
        """Forget everything: the next question is asked anew."""
        with self._lock:
            self._answers.clear()


@dataclass(frozen=True)
class Remembering:
    """A model that is asked the same thing once: answers come from ``cache``, where they are there."""

    model: LanguageModel
    cache: AnswerCache = field(repr=False, compare=False)

    @property
    def label(self) -> str:
        return self.model.label

    def ask(self, prompt: Prompt, *, system: str = "", json: bool = False) -> Answer:
        key = (self.model, messages(prompt, system), json)
        kept = self.cache.get(key)
        if kept is not None:
            return replace(kept, remembered=True, seconds=0.0)
        answer = self.model.ask(prompt, system=system, json=json)
        self.cache.put(key, answer)
        return answer

    def stream(self, prompt: Prompt, *, system: str = "") -> Stream:
        key = (self.model, messages(prompt, system), False)
        kept = self.cache.get(key)
        if kept is not None:
            again = replace(kept, remembered=True, seconds=0.0)
            return Stream(iter([again.text]), lambda text, seconds: again)
        own = self.model.stream(prompt, system=system)

        def finish(text: str, seconds: float) -> Answer:
            assert own.answer is not None
            self.cache.put(key, own.answer)
            return own.answer

        return Stream(iter(own), finish)


# ----------------------------------------------------------------------------------------------- many


def ask_many(
    model: LanguageModel,
    prompts: Sequence[Prompt],
    *,
    system: str = "",
    json: bool = False,
    workers: int = 4,
    progress: Progress | None = None,
    cancel: Callable[[], bool] | None = None,
) -> tuple[Answer | ModelError, ...]:
    """One answer or one error per prompt, in order, ``workers`` at a time; equal prompts are asked once.

    ``progress`` is called with (done, total) in the caller's thread, and may raise to stop: what has not begun
    is not asked then.  Where ``cancel`` (looked at several times a second) turns true, the rest are errors that
    say so.
    """

    def ask(prompt: Prompt) -> Answer | ModelError:
        try:
            return model.ask(prompt, system=system, json=json)
        except ModelError as error:
            return error

    stopped = ModelError(Said("Stopped before this was asked."), Said("Start again to ask the rest."))
    keys = [messages(prompt) for prompt in prompts]
    pool = ThreadPoolExecutor(max_workers=max(1, workers))
    try:
        asked = {key: pool.submit(ask, prompt) for key, prompt in dict(zip(keys, prompts, strict=True)).items()}
        waiting: set[Future[Answer | ModelError]] = set(asked.values())
        while waiting:
            if cancel and cancel():
                pool.shutdown(wait=False, cancel_futures=True)
                break
            finished, waiting = wait(waiting, timeout=0.1, return_when=FIRST_COMPLETED)
            if progress and finished:
                progress(sum(asked[key].done() for key in keys), len(keys))
        return tuple(
            asked[key].result() if asked[key].done() and not asked[key].cancelled() else stopped for key in keys
        )
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
