"""A language model behind any OpenAI-compatible address."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lab.algebra import Operator, knob
from lab.errors import ModelError
from lab.models.chat import Completion, Prompt, Shape, Stream, messages
from lab.models.endpoint import (
    ADDRESS,
    KEY,
    MODEL,
    TRIES,
    answered,
    checked,
    connect,
    public,
    reported,
    shown,
)
from lab.models.secrets import Secret
from lab.models.servers import SERVERS
from lab.models.thoughts import seems_to_think, without_thoughts
from lab.text import well_formed
from lab.words import Said

if TYPE_CHECKING:
    import openai


CUT = ("length", "max_tokens")
BROKEN = ("content_filter", "safety", "recitation", "error", "abort", "cancelled", "insufficient_system_resource")
"""Names that servers give to the end of an answer at its maximum length, and before it is complete."""

_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class EndpointModel(Operator):
    """A chat model on any OpenAI-compatible server (OpenAI, DeepSeek, Ollama, vLLM, LM Studio, ...).

    ``timeout`` is the maximum time in seconds until a whole answer has arrived, ``retries`` the tries after the first;
    ``max_tokens`` is the maximum length of an answer.  ``prices`` are per million tokens, of the prompt and of the
    answer; without them no cost is shown.  Parameters that a server does not know are left out.
    """

    portable = False
    about = Said("A language model on an OpenAI-compatible server.")

    model: str = MODEL("gpt-4o-mini")
    base_url: str = ADDRESS(SERVERS["OpenAI"].base_url)
    secret: Secret = KEY()
    temperature: float = knob(
        0.2,
        low=0.0,
        high=2.0,
        step=0.1,
        label=Said("Temperature"),
        help=Said("0: always the most likely word. Higher values make answers vary more."),
    )
    timeout: float = knob(
        60.0,
        low=0.1,
        high=600.0,
        label=Said("Time limit, seconds"),
        help=Said("Maximum seconds until the whole answer has arrived."),
    )
    retries: int = TRIES()
    max_tokens: int = knob(
        1024,
        low=1,
        high=100_000,
        label=Said("Maximum answer length"),
        help=Said("In tokens of the model; longer texts are truncated."),
    )
    prices: tuple[float, float] | None = knob(
        None,
        kind="numbers",
        label=Said("Prices"),
        help=Said("Price per million tokens, for the prompt and for the answer. Empty: no cost is shown."),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "secret", Secret(self.secret))  # from a command line it comes as a word

    @property
    def label(self) -> str:
        return self.model

    @cached_property
    def _client(self) -> openai.OpenAI:
        shorter = Said(
            "Allow fewer tokens per answer in the settings, and check that the address is a language model's."
        )
        return connect(self.base_url, self.secret, timeout=self.timeout, retries=self.retries, check=shorter)

    def _answered(self, call: Callable[[], Any]) -> Any:
        return answered(call, model=self.model, base_url=self.base_url, key=self.secret)

    def ask(self, prompt: Prompt, *, system: str = "", shape: Shape | None = None) -> Completion:
        start = time.perf_counter()

        def once() -> tuple[str, str, Any]:
            reply = self._create(prompt, system, shape=shape)
            self._check(reply)
            if not reply.choices:
                raise self._empty()
            return _text_of(reply.choices[0].message.content), str(reply.choices[0].finish_reason or ""), reply.usage

        text, reason, usage = self._answered(once)
        return self._answer(text, usage, reason, time.perf_counter() - start)

    def stream(self, prompt: Prompt, *, system: str = "") -> Stream:
        from lab.transport import SAW_END

        usage, reason = None, ""
        chunks = self._answered(lambda: self._create(prompt, system, stream=True))
        saw_end = chunks.response.extensions[SAW_END]

        def following() -> Any:
            chunk = next(chunks, None)
            if chunk is None:
                return None
            self._check(chunk)
            if chunk.choices:
                chunk.choices[0].delta.content = _text_of(chunk.choices[0].delta.content)
            return chunk

        def pieces() -> Iterator[str]:
            nonlocal usage, reason
            try:
                while (chunk := self._answered(following)) is not None:
                    usage = chunk.usage or usage
                    if chunk.choices:
                        reason = str(chunk.choices[0].finish_reason or reason)
                        if chunk.choices[0].delta.content:
                            yield chunk.choices[0].delta.content
            finally:  # also where the reader stops early: the connection is not left open
                chunks.close()

        def finish(text: str, seconds: float) -> Completion:
            return self._answer(text, usage, reason, seconds, ended=bool(reason) or saw_end())

        return Stream(pieces(), finish)

    @cached_property
    def _instead(self) -> dict[str, str]:
        """Parameters that this server has refused, with their other name, or empty if they are left out."""
        return {}

    def _create(self, prompt: Prompt, system: str, *, stream: bool = False, shape: Shape | None = None) -> Any:
        """Sends one request.  Parameters that this server refuses are left out, or sent under their other name."""
        import openai

        sent = [{"role": m.role, "content": well_formed(m.text)} for m in messages(prompt, system)]
        instead = dict(self._instead)
        while True:
            options = self._options(sent, stream, shape, instead)
            try:
                reply = self._client.chat.completions.create(model=self.model, messages=sent, **options)  # type: ignore[arg-type]
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                refused = _refused(f"{error.param or ''} {error.message}", options)
                if refused is None:
                    raise
                instead |= refused
            else:
                self._instead.update(instead)
                return reply

    def _options(
        self, sent: Sequence[Mapping[str, str]], stream: bool, shape: Shape | None, instead: Mapping[str, str]
    ) -> dict[str, Any]:
        """The parameters of a request, without those that the server has refused.

        A shape is requested by its schema, or else as any JSON object, which needs the word JSON in the prompt.
        """
        usual: dict[str, Any] = {"max_tokens": self.max_tokens, "temperature": self.temperature}
        if stream:
            usual |= {"stream": True, "stream_options": {"include_usage": True}}
        options = {instead.get(name, name): value for name, value in usual.items() if instead.get(name, name)}
        if shape is not None and "json_schema" not in instead:
            schema = {"name": shape.name, "schema": json.loads(shape.schema), "strict": True}
            options["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif shape is not None and "json_object" not in instead and any("json" in m["content"].lower() for m in sent):
            options["response_format"] = {"type": "json_object"}
        return options

    def _check(self, reply: Any) -> None:
        """Raises `ModelError` for an error in an answer of status 200: beside its choices, in one, or alone."""
        choices = getattr(reply, "choices", None)
        inside = getattr(choices[0], "error", None) if choices else getattr(reply, "message", None)
        if error := getattr(reply, "error", None) or inside:
            raise reported(error, base_url=self.base_url, key=self.secret)

    def _answer(self, text: str, usage: Any, reason: str, seconds: float, *, ended: bool = True) -> Completion:
        text = without_thoughts(text)
        if not text.strip():
            raise self._empty()
        prompt_tokens, answer_tokens = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
        cost = None
        if self.prices and prompt_tokens is not None and answer_tokens is not None:
            cost = (prompt_tokens * self.prices[0] + answer_tokens * self.prices[1]) / 1e6
        broken = not ended or reason.lower() in BROKEN
        complete = not broken and reason.lower() not in CUT
        remarks = (Said("The answer seems to contain the model's thoughts."),) if seems_to_think(text) else ()
        return Completion(
            text,
            self.model,
            prompt_tokens,
            answer_tokens,
            cost,
            seconds,
            complete=complete,
            broken=broken,
            remarks=remarks,
        )

    def _empty(self) -> ModelError:
        return ModelError(
            Said("The model “{model}” at {url} sent an empty answer.", model=self.model, url=shown(self.base_url)),
            Said("Try again, or allow longer answers: some models think first and need room for it."),
        )


def _refused(message: str, options: Mapping[str, Any]) -> dict[str, str] | None:
    """Returns the parameter that a server refuses in this message, and its other name; None if it names none."""
    shaped = options.get("response_format", {}).get("type", "")
    if shaped and ("response_format" in message or shaped in message):
        return {shaped: ""}
    name = next(
        (name for name in ("stream_options", "temperature", "max_tokens") if name in options and name in message), None
    )
    if name is None:
        return None
    return {name: "max_completion_tokens" if name == "max_tokens" and "max_completion_tokens" in message else ""}


def _text_of(content: Any) -> str:
    """Returns the text of a message without half characters and control characters, which no page can show.

    Some servers send it in parts, with thoughts as separate parts.  Raises TypeError for anything else.
    """
    if isinstance(content, list):
        parts = [part if isinstance(part, dict) else {"text": part} for part in content]
        spoken = [part for part in parts if part.get("type") not in ("thinking", "reasoning")]
        content = "".join(_text_of(part.get("text", part)) for part in spoken)
    if content is None:
        return ""
    if not isinstance(content, str):
        raise TypeError("no text")
    return _CONTROLS.sub("", _SURROGATES.sub("", content))


def endpoint(base_url: str, model: str, key: str | Secret = "", **options: Any) -> EndpointModel:
    """Makes a model from a visitor's input; ``options`` are the other fields of `EndpointModel`.

    In a public lab (``LAB_PUBLIC=1``) the address must be a preset's that is not on this machine: otherwise
    strangers could make the server call addresses inside its own network.  Raises `ModelError`.
    """
    base_url, model = base_url.strip().rstrip("/"), model.strip()
    checked(base_url)
    if not model:
        raise ModelError(Said("No model is given."), Said("Enter the name of a model on this server."))
    elsewhere = {server.base_url: name for name, server in SERVERS.items() if not server.local}
    if public() and base_url not in elsewhere:
        closed = Said(
            "This lab is open to the public (LAB_PUBLIC): it does not connect to addresses that visitors enter."
        )
        raise ModelError(closed, Said("Choose one of: {names}.", names=", ".join(elsewhere.values())))
    return EndpointModel(model, base_url, Secret(key), **options)


def from_environment(env: Mapping[str, str] | None = None, **options: Any) -> EndpointModel | None:
    """Returns the model that the operator of the lab has set up, or None; it may have any address, public or not.

    ``LAB_LLM_BASE_URL``, ``LAB_LLM_KEY`` and ``LAB_LLM_MODEL``; in their absence ``OPENAI_BASE_URL`` and
    ``OPENAI_API_KEY``.  A key is never sent to an address that was not set with it: a ``LAB_LLM_BASE_URL``
    gets ``LAB_LLM_KEY`` or none.  In a public lab the keys of ``OPENAI_API_KEY`` are left alone, since
    strangers would spend them unasked.
    """
    env = os.environ if env is None else env

    def value_of(name: str) -> str:
        return env.get(name, "").strip()

    url, key, model = value_of("LAB_LLM_BASE_URL"), value_of("LAB_LLM_KEY"), value_of("LAB_LLM_MODEL")
    if not url and not key:
        if public():
            return None
        url, key = value_of("OPENAI_BASE_URL"), value_of("OPENAI_API_KEY")
    if not url and not key:
        return None
    url = url.rstrip("/") or SERVERS["OpenAI"].base_url
    model = model or next((server.model for server in SERVERS.values() if server.base_url == url), "")
    return EndpointModel(model, url, Secret(key), **options) if model else None
