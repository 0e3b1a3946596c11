"""OpenAI-compatible servers: one function to connect, one to describe failures.

Used for embeddings (`EndpointEmbedder`) and for language models.  Keys are `Secret` and appear in no repr,
no error, no export.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import numpy as np

from lab.algebra import Corpus, Progress, knob
from lab.errors import ModelError
from lab.models.chat import OutOfReach
from lab.models.embedders import Embedder, Encoder, Vectors, in_batches
from lab.models.secrets import Secret
from lab.models.server_words import change_for, error_in, is_page, names_batch, words_of
from lab.models.servers import SERVERS
from lab.models.vector_answers import read_vectors
from lab.words import N_, Said

if TYPE_CHECKING:
    import openai

    from lab.transport import BoundedTransport

T = TypeVar("T")


MODEL = partial(knob, kind="model", label=Said("Model"), help=Said("The model's name, as the server knows it."))
ADDRESS = partial(knob, kind="private", label=Said("Address"), help=Said("Address of the server, including /v1."))
KEY = partial(
    knob,
    Secret(""),
    repr=False,
    kind="private",
    label=Said("Key"),
    help=Said("Kept in this session only; files and links do not include it."),
)
TIMEOUT = partial(
    knob,
    low=0.1,
    high=600.0,
    label=Said("Time limit, seconds"),
    help=Said("Maximum seconds until the whole answer has arrived."),
)
TRIES = partial(knob, 2, low=0, high=10, label=Said("Retries"), help=Said("Number of retries after a failed request."))
"""The fields of every operator that calls a server."""


def public() -> bool:
    """Whether strangers can reach this lab (``LAB_PUBLIC=1``): then it does not call addresses that they enter."""
    return os.environ.get("LAB_PUBLIC", "") not in ("", "0")


LARGEST = 2_000_000
"""Maximum bytes of an answer: no useful answer is longer, and more would fill the memory."""


class Served:
    """A model behind an OpenAI-compatible address: its client, its answers, and what goes wrong in words.

    No error has the key, or another error behind it that holds the request and its headers.
    """

    model: str
    base_url: str
    secret: Secret
    timeout: float
    retries: int

    @property
    def label(self) -> str:
        return self.model

    def connect(self, check: Said, largest: int = LARGEST) -> openai.OpenAI:
        """Returns a client for the server.  Without a key it sends the word “none”.

        The client repeats a request up to ``retries`` times: after too many requests, an error of the server (5xx, 408,
        409) or a broken connection, with the pause that the server asks for.  A whole answer, its headers included, is
        there ``timeout`` seconds after it was asked for and has at most ``largest`` bytes, or is a `ModelError`;
        ``check`` is the remedy for one that is larger.  Raises `ModelError` for a key that cannot be sent.
        """
        import openai

        word = key_to_send(self.secret) or "none"
        transport = bounded_transport(self.base_url, timeout=self.timeout, largest=largest, check=check)
        # no redirects: nothing is sent to another address
        http_client = openai.DefaultHttpxClient(transport=transport, follow_redirects=False)
        return openai.OpenAI(
            base_url=self.base_url,
            api_key=word,
            timeout=self.timeout,
            max_retries=self.retries,
            http_client=http_client,
        )

    def answered(self, call: Callable[[], T]) -> T:
        """Returns what ``call`` returns.  Raises `ModelError` for whatever went wrong in it."""
        try:
            return call()
        except Exception as caught:
            error = caught
        raise self._failure(error)  # not in the except block: no other error is behind it

    def _failure(self, error: Exception) -> ModelError:
        """Describes an error of the openai client: `OutOfReach` if the next question would fail, too."""
        import openai

        from lab.transport import Ended, wait_asked

        if isinstance(error, Ended):
            return error.problem
        if isinstance(error, ModelError):
            return error
        if isinstance(error, openai.APIStatusError):
            wait = wait_asked(error.response.headers)
            return refusal(error.status_code, self._words(error.body), wait, url=self.base_url, model=self.model)
        if type(error) is openai.APIError:  # in a stream: an error instead of a piece
            return self.reported(error.body)
        if isinstance(error, openai.APIConnectionError):
            return broken_off(self.base_url)
        remedy = N_("Check that it speaks the OpenAI protocol, and that “{model}” is the right kind of model.")
        unread = Said("The answer of the server at {url} could not be read.", url=shown(self.base_url))
        return ModelError(unread, Said(remedy, model=self.model))

    def reported(self, error: Any) -> ModelError:
        """Returns the error that the server reports inside an answer with status 200."""
        words = self._words(error) or "no reason given"
        message = Said("The server at {url} answered with an error: {words}", url=shown(self.base_url), words=words)
        return ModelError(message, Said("Check the model's settings; if they are right, look into the server's log."))

    def parsed(self, content: bytes) -> Any:
        """Returns the JSON of an answer with status 200.  Raises `ModelError` for a web page or an error in it."""
        text = content.decode("utf-8")
        if is_page(text):
            page = Said("The server at {url} sends a web page, not an answer.", url=shown(self.base_url))
            raise ModelError(page, Said("Check the address: it must be the one that programs call, often with /v1."))
        reply = json.loads(text)
        if error := error_in(reply):
            raise self.reported(error)
        return reply

    def _words(self, error: Any) -> str:
        """Returns the server's own words, shortened and without the key, which some servers repeat."""
        return self.secret.masked(words_of(error)[:1000])[:200]


def key_to_send(key: Secret) -> str:
    """Returns the text of a key.  Raises `ModelError` for one that no header can hold."""
    word = key.reveal()
    if not word.isascii() or not word.isprintable() or " " in word:
        remedy = Said("Copy it again. A key consists of letters, digits and signs, without accents or spaces.")
        raise OutOfReach(Said("The key contains invalid characters; it was not sent."), remedy)
    return word


def bounded_transport(base_url: str, *, timeout: float, largest: int, check: Said) -> BoundedTransport:
    """Returns the way to this server: a whole answer within ``timeout`` seconds and ``largest`` bytes, or an error."""
    from lab.transport import BoundedTransport, Endings

    values = {"url": shown(base_url), "n": f"{largest / 1e6:.3g}"}
    endings = Endings(
        late=OutOfReach(Said(_LATE, **values), Said(_PATIENCE)),
        large=ModelError(Said("The answer of the server at {url} is larger than {n} MB.", **values), check),
        absent=OutOfReach(Said(_ABSENT, **values), Said(_RUNNING)),
    )
    return BoundedTransport(base_url, timeout=timeout, largest=largest, endings=endings)


def broken_off(url: str) -> ModelError:
    """Returns the error of a connection that could not be made, or that ended early."""
    return ModelError(Said(_ABSENT, url=shown(url)), Said(_RUNNING))


_LATE = N_("The server at {url} did not answer in time.")
_PATIENCE = N_("Try again, or raise the time limit in the settings.")
_ABSENT = N_("There is no connection to {url}, or it broke off.")
_RUNNING = N_("Check the address, and that the server is running.")


# --------------------------------------------------------------------------------------------- failures


def refusal(status: int, words: str, wait: float | None, *, url: str, model: str = "") -> ModelError:
    """Returns the error of an answer that its status calls one; ``model`` is the model that was asked, if any."""
    values: dict[str, object] = {
        "url": shown(url),
        "status": status,
        "words": words or "no reason given",
        "model": model,
    }
    if status in (401, 403):
        message = N_("The server at {url} does not accept the key.")
        remedy = N_("Check the key of this retriever in the settings.")
        if model:
            remedy = N_("Check the key in the settings, and that it is allowed to use {model}.")
    elif status == 404 and model:
        message = N_("The server at {url} does not know the model “{model}”.")
        remedy = N_("Check the model's name, and that the address ends in /v1 where the server expects it.")
    elif status == 429 and wait is None:
        message = N_("The server at {url} answers “too many requests”, or the quota is used up.")
        remedy = N_("Wait, then try again; or check the account.")
    elif status == 429:
        values["wait"] = _span(wait or 0.0)
        message = N_("The server at {url} answers “too many requests” and asks to wait {wait}.")
        remedy = N_("Wait, then try again; or use fewer requests at a time.")
    elif status < 400:
        message = N_("The server at {url} redirects the request to another address ({status}); nothing was sent there.")
        remedy = N_("Enter the address that answers by itself.")
    elif status < 500:
        message = N_("The server at {url} rejects the request ({status}): {words}")
        remedy = N_("Check the address and the body of the request.")
        if model:
            remedy = N_("Check the model's settings; a shorter text may help.")
    else:
        message = N_("The server at {url} answered with an error ({status}).")
        if words:
            message = N_("The server at {url} answered with an error ({status}): {words}")
        remedy = N_("Try again later; if the problem persists, check the server's log.")
    return (OutOfReach if model and status in (401, 403, 404) else ModelError)(
        Said(message, **values), Said(remedy, **values)
    )


def _span(seconds: float) -> Said:
    """Formats a time with a unit."""
    for size, template in ((86400, N_("{n} d")), (3600, N_("{n} h")), (60, N_("{n} min"))):
        if seconds >= size:
            return Said(template, n=f"{seconds / size:.3g}" if seconds < 1000 * size else f"{seconds / size:.0f}")
    return Said("{n} s", n=f"{seconds:.3g}")


def checked(url: str) -> str:
    """Returns the address of a server.  Raises `ModelError` if it is not an address."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or not url.isprintable() or " " in url:
        remedy = Said("It begins with http:// or https://, and usually ends in /v1.")
        raise ModelError(Said("“{url}” is not the address of a server.", url=shown(url)), remedy)
    return url


def shown(url: str) -> str:
    """Returns an address for display: without a user, a password or parameters, which can be secrets.

    A public lab only shows well-known addresses, so that strangers do not learn where its own servers are.
    """
    if public() and not any(url == server.base_url for server in SERVERS.values() if not server.local):
        return "…"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:  # a port that is not a number, or half an IPv6 address
        return "…"
    if not host:  # not an address: the typed text shows the mistake best
        return "…" if set(url) & set("@?#") else url
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}{parts.path}"


_KIND = N_("Check that “{model}” is an embedding model.")
PER_TEXT = 200_000
"""Bytes of an answer for each text that was sent: room for 8,000 numbers."""


@dataclass(eq=False)
class EndpointEncoder(Encoder):
    """Embeddings over the network, in batches."""

    spec: EndpointEmbedder
    client: Any
    dimensions: int = 0

    allowed: int = 2048
    """Texts per request that the server allows, as far as it is known."""
    encoding: bool = True
    """Whether the server takes the name of an encoding."""

    def documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        return in_batches(self._batch, texts, self.spec.batch_size, self.dimensions, progress)

    def _batch(self, texts: list[str]) -> Vectors:
        if len(texts) > self.allowed:
            parts = [texts[i : i + self.allowed] for i in range(0, len(texts), self.allowed)]
            return np.concatenate([self._batch(part) for part in parts])
        vectors = self.spec.answered(lambda: self._sent(texts))
        if vectors is None:
            return self._batch(texts)
        self.dimensions = int(vectors.shape[1])
        return vectors

    def _sent(self, texts: list[str]) -> Vectors | None:
        """Sends one request; None if the server allows fewer texts at once, or no name of an encoding."""
        import httpx2
        import openai

        spec, check = self.spec, Said(_KIND, model=self.spec.model)
        body: dict[str, object] = {"model": spec.model, "input": [text or " " for text in texts]}
        if self.encoding:
            body["encoding_format"] = "float"
        try:
            response = self.client.post("/embeddings", cast_to=httpx2.Response, body=body)
        except openai.APIStatusError as error:
            if self._learns(error.status_code, words_of(error.body), len(texts)):
                return None
            raise
        reply, url = spec.parsed(response.content), shown(spec.base_url)
        return read_vectors(reply, len(texts), dimensions=self.dimensions, url=url, check=check)

    def _learns(self, status: int, words: str, n: int) -> bool:
        """Whether a refusal names a way out: a smaller batch, or no encoding."""
        if self.encoding and change_for(words, "encoding_format", None):
            self.encoding = False
            return True
        limit = 0 if status == 413 else names_batch(words, n) if 400 <= status < 500 else None
        if limit is None or n == 1:
            return False
        self.allowed = limit or n // 2
        return True


@dataclass(frozen=True)
class EndpointEmbedder(Served, Embedder):
    """Any OpenAI-compatible embedding endpoint (OpenAI, Ollama, vLLM, LM Studio, ...)."""

    portable = False
    about = Said("Vectors from an OpenAI-compatible server.")

    model: str = MODEL("text-embedding-3-small")
    base_url: str = ADDRESS("https://api.openai.com/v1")
    secret: Secret = KEY()
    batch_size: int = knob(64, Said("Batch size"), Said("Texts per request."), low=1, high=2048)
    timeout: float = TIMEOUT(30.0)
    retries: int = TRIES()

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "secret", Secret(self.secret))  # from a command line it comes as a word

    @property
    def name(self) -> str:
        return f"endpoint/{self.model}"

    def fit(self, corpus: Corpus) -> EndpointEncoder:
        checked(self.base_url)
        largest = LARGEST + PER_TEXT * self.batch_size
        return EndpointEncoder(self, self.connect(Said(_KIND, model=self.model), largest))
