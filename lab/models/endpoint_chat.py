"""A language model behind any OpenAI-compatible address."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from lab.algebra import Operator, knob
from lab.errors import ModelError
from lab.models.chat import Completion, Prompt, Shape, Stream, messages
from lab.models.endpoint import ADDRESS, KEY, MODEL, TIMEOUT, TRIES, Served, checked, public, shown
from lab.models.secrets import Secret
from lab.models.server_words import Change, change_for, error_in, names_stream, words_of
from lab.models.servers import SERVERS
from lab.models.thoughts import seems_to_think, without_thoughts
from lab.text import well_formed
from lab.words import Said

if TYPE_CHECKING:
    import openai


CUT = ("length", "max_tokens")
BROKEN = ("content_filter", "safety", "recitation", "error", "abort", "cancelled", "insufficient_system_resource")
"""Names that servers give to the end of an answer at its maximum length, and before it is complete."""

MOST_CHANGES = 6
"""Maximum number of tries of one request with changed parameters."""


class Part(NamedTuple):
    """An answer, or a piece of one: its text; ``whole`` is the text of a message that is no piece."""

    text: str = ""
    whole: str = ""
    reason: str = ""
    usage: Mapping[str, Any] = MappingProxyType({})
    refusal: str = ""


_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class EndpointModel(Served, Operator):
    """A chat model on any OpenAI-compatible server (OpenAI, DeepSeek, Ollama, vLLM, LM Studio, ...).

    ``timeout`` is the maximum time in seconds until a whole answer has arrived, ``retries`` the tries after the first;
    ``max_tokens`` is the maximum length of an answer.  ``prices`` are per million tokens, of the prompt and of the
    answer; without them no cost is shown.  Parameters that a server does not know are left out, and a value out of its
    range becomes the nearest in it; `Completion.remarks` say so.
    """

    portable = False
    about = Said("A language model on an OpenAI-compatible server.")

    model: str = MODEL("gpt-4o-mini")
    base_url: str = ADDRESS(SERVERS["OpenAI"].base_url)
    secret: Secret = KEY()
    temperature: float = knob(
        0.2,
        Said("Temperature"),
        Said("0: always the most likely word. Higher values make answers vary more."),
        low=0.0,
        high=2.0,
        step=0.1,
    )
    timeout: float = TIMEOUT(60.0)
    retries: int = TRIES()
    max_tokens: int = knob(
        1024,
        Said("Maximum answer length"),
        Said("In tokens of the model; longer texts are truncated."),
        low=1,
        high=100_000,
    )
    prices: tuple[float, float] | None = knob(
        None,
        Said("Prices"),
        Said("Price per million tokens, for the prompt and for the answer. Empty: no cost is shown."),
        kind="numbers",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "secret", Secret(self.secret))  # from a command line it comes as a word

    @cached_property
    def _client(self) -> openai.OpenAI:
        shorter = Said(
            "Allow fewer tokens per answer in the settings, and check that the address is a language model's."
        )
        return self.connect(shorter)

    def ask(self, prompt: Prompt, *, system: str = "", shape: Shape | None = None) -> Completion:
        start = time.perf_counter()
        whole = None if "whole" in self._changes else self.answered(lambda: self._create(prompt, system, shape=shape))
        if whole is None:  # this server answers in streams only
            stream = self._streamed(prompt, system, shape)
            for _ in stream:
                pass
            assert stream.answer is not None
            return stream.answer
        part = self.answered(lambda: self._read(whole.http_response.content))
        return self._answer(part, time.perf_counter() - start)

    def stream(self, prompt: Prompt, *, system: str = "") -> Stream:
        return self._streamed(prompt, system, None)

    def _streamed(self, prompt: Prompt, system: str, shape: Shape | None) -> Stream:
        from lab.transport import BODY, SAW_END

        chunks = self.answered(lambda: self._create(prompt, system, stream=True, shape=shape))
        if chunks is None:  # this server does not answer in streams
            answer = self.ask(prompt, system=system, shape=shape)
            return Stream(iter([answer.text]), lambda text, seconds: replace(answer, seconds=seconds))
        saw_end, beginning = (chunks.response.extensions[name] for name in (SAW_END, BODY))
        whole = Part()

        def following() -> Part | None:
            chunk = next(chunks, None)
            if chunk is None:
                return None if whole.text or not beginning() else self._read(beginning())
            return self._part(chunk.to_dict(warnings=False) if hasattr(chunk, "to_dict") else chunk)

        def pieces() -> Iterator[str]:
            nonlocal whole
            try:
                while (part := self.answered(following)) is not None:
                    text = part.text or ("" if whole.text else part.whole)
                    whole = Part(
                        whole.text + text,
                        reason=part.reason or whole.reason,
                        usage=part.usage or whole.usage,
                        refusal=whole.refusal + part.refusal,
                    )
                    if text:
                        yield text
            finally:  # also where the reader stops early: the connection is not left open
                chunks.close()

        def finish(text: str, seconds: float) -> Completion:
            return self._answer(whole, seconds, ended=bool(whole.reason) or saw_end() or bool(beginning()))

        return Stream(pieces(), finish)

    @cached_property
    def _changes(self) -> dict[str, Change]:
        """What this server has refused: parameters with their other name or value, shapes, and whole answers."""
        return {}

    def _create(self, prompt: Prompt, system: str, *, stream: bool = False, shape: Shape | None = None) -> Any:
        """Sends one request; None if this server answers only in a stream, or never in one.

        Parameters that it refuses are left out, or sent under another name or with another value.
        """
        import openai

        sent = [{"role": m.role, "content": well_formed(m.text)} for m in messages(prompt, system)]
        changes = dict(self._changes)
        completions = self._client.chat.completions
        for _ in range(MOST_CHANGES):
            options = self._options(sent, stream, shape, changes)
            create = completions.create if stream else completions.with_raw_response.create
            try:
                reply = create(model=self.model, messages=sent, **options)  # type: ignore[arg-type]
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                problem, words = error, f"{error.param or ''} {words_of(error.body)}"
                refused = _refused(words, options, changes)
                other = "stream" if stream else "whole"
                if refused is None and names_stream(words) and not {"stream", "whole"} & self._changes.keys():
                    self._changes[other] = Change("")
                    return None
                if refused is None or changes | refused == changes:
                    raise
                changes |= refused
            else:
                self._changes.update(changes)
                return reply
        raise problem

    def _options(
        self, sent: Sequence[Mapping[str, str]], stream: bool, shape: Shape | None, changes: Mapping[str, Change]
    ) -> dict[str, Any]:
        """The parameters of a request, without those that the server has refused.

        A shape is requested by its schema, or else as any JSON object, which needs the word JSON in the prompt.
        """
        usual: dict[str, Any] = {"max_tokens": self.max_tokens, "temperature": self.temperature}
        if stream:
            usual |= {"stream": True, "stream_options": {"include_usage": True}}
        options: dict[str, Any] = {}
        for name, value in usual.items():
            change = changes.get(name, Change(name))
            if change.name or name == "stream":
                options[change.name or name] = value if change.value is None else type(value)(change.value)
        if shape is not None and "json_schema" not in changes:
            schema = {"name": shape.name, "schema": json.loads(shape.schema), "strict": True}
            options["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif shape is not None and "json_object" not in changes and any("json" in m["content"].lower() for m in sent):
            options["response_format"] = {"type": "json_object"}
        return options

    def _remarks(self, text: str) -> Iterator[str]:
        """Yields what was changed in the request, and what is doubtful in the answer."""
        for name in ("max_tokens", "temperature"):
            change, wanted = self._changes.get(name, Change(name)), getattr(self, name)
            if not change.name:
                yield Said("The server does not accept {name}; it was left out.", name=name)
            elif change.value is not None:
                values = {"name": name, "wanted": f"{wanted:g}", "value": f"{change.value:g}"}
                yield Said("The server does not accept {name} = {wanted}; {value} was sent.", **values)
        if seems_to_think(text):
            yield Said("The answer seems to contain the model's thoughts.")

    def _read(self, content: bytes) -> Part:
        """Reads a whole answer.  Raises `ModelError` for a web page, an error or a refusal; ValueError for no JSON."""
        reply = self.parsed(content)
        if "choices" not in reply:
            raise TypeError("another protocol")
        part = self._part(reply)
        return part._replace(text=part.text or part.whole)

    def _part(self, reply: Any) -> Part:
        """Reads an answer or a piece of one.  Raises `ModelError` for an error, TypeError for something else."""
        if error := error_in(reply):
            raise self.reported(error)
        usage, choice = reply.get("usage") or {}, next(iter(reply.get("choices") or []), None)
        if choice is None:
            return Part(usage=usage)
        if choice.get("message", choice.get("delta", choice)) is None and "delta" not in choice:
            raise TypeError("no message")
        delta, message = choice.get("delta") or {}, choice.get("message") or {"content": choice.get("text")}
        refusal = delta.get("refusal") or message.get("refusal") or ""
        reason = str(choice.get("finish_reason") or "")
        return Part(_text_of(delta.get("content")), _text_of(message.get("content")), reason, usage, str(refusal))

    def _answer(self, part: Part, seconds: float, *, ended: bool = True) -> Completion:
        text = without_thoughts(part.text)
        if not text.strip():
            raise self._declined(part.refusal) if part.refusal.strip() else self._empty()
        prompt_tokens, answer_tokens = part.usage.get("prompt_tokens"), part.usage.get("completion_tokens")
        cost = None
        if self.prices and prompt_tokens is not None and answer_tokens is not None:
            cost = (prompt_tokens * self.prices[0] + answer_tokens * self.prices[1]) / 1e6
        broken = not ended or part.reason.lower() in BROKEN
        return Completion(
            text,
            self.model,
            prompt_tokens,
            answer_tokens,
            cost,
            seconds,
            complete=not broken and part.reason.lower() not in CUT,
            broken=broken,
            remarks=tuple(self._remarks(text)),
        )

    def _declined(self, refusal: str) -> ModelError:
        message = Said("The model declines: “{answer}”", answer=self.secret.masked(" ".join(refusal.split()))[:300])
        return ModelError(message, Said("Ask in other words, or use the rules."))

    def _empty(self) -> ModelError:
        return ModelError(
            Said("The model “{model}” at {url} sent an empty answer.", model=self.model, url=shown(self.base_url)),
            Said("Try again, or allow longer answers: some models think first and need room for it."),
        )


def _refused(words: str, options: Mapping[str, Any], changes: Mapping[str, Change]) -> dict[str, Change] | None:
    """Returns the parameter that a server refuses in these words, and its change; None if it names no way out."""
    shaped = options.get("response_format", {}).get("type", "")
    if shaped and ("response_format" in words or shaped in words):
        return {shaped: Change("")}
    for name in ("stream_options", "temperature", "max_tokens"):
        sent = changes.get(name, Change(name)).name
        value = options.get(sent)
        if value is not None and (change := change_for(words, sent, None if isinstance(value, dict) else value)):
            return {name: change}
    return None


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
        raise ModelError(closed, Said("Choose one of: {names}.", names=[*elsewhere.values()]))
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
