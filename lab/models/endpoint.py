"""OpenAI-compatible servers: one way to connect, one way to say what went wrong.

Used for embeddings (`EndpointEmbedder`) and for language models.  Keys are `Secret` and appear in no repr,
no error, no export.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import numpy as np

from lab.core import Corpus, Progress, knob
from lab.errors import ModelError
from lab.models.embedders import Embedder, Encoder, Vectors, in_batches
from lab.models.secrets import Secret
from lab.words import N_, Said

if TYPE_CHECKING:
    import openai

T = TypeVar("T")
NO_KEY = Secret("")


MODEL = partial(knob, kind="model", label=Said("Model"), help=Said("The model's name, as the server knows it."))
ADDRESS = partial(
    knob, kind="private", label=Said("Address"), help=Said("Where the server answers, up to and with /v1.")
)
KEY = partial(
    knob,
    NO_KEY,
    repr=False,
    kind="private",
    label=Said("Key"),
    help=Said("Kept in this session only; it stands in no file and no link."),
)
TRIES = partial(
    knob, 2, low=0, high=10, label=Said("Further tries"), help=Said("How often a failed request is repeated.")
)
"""The fields of whatever asks a server."""


def public() -> bool:
    """Whether strangers can reach this lab (``LAB_PUBLIC=1``): then it calls no address of theirs."""
    return os.environ.get("LAB_PUBLIC", "") not in ("", "0")


def connect(base_url: str, key: Secret, *, timeout: float, **http: Any) -> openai.OpenAI:
    """A client for this server; ``http`` are further options of httpx.  Without a key a word stands in its place.

    Tries are counted by `answering`, not by the client: it says what it waits for, and for how long at most.
    """
    import openai

    client = openai.DefaultHttpxClient(
        follow_redirects=False, timeout=timeout, **http
    )  # a server names no other address
    word = key.reveal() or "none"
    return openai.OpenAI(base_url=base_url, api_key=word, timeout=timeout, max_retries=0, http_client=client)


# ---------------------------------------------------------------------------------------------- retries

FIRST_PAUSE = 0.5
"""Seconds before the second try; twice as many before the third, and so on."""
LONGEST_PAUSE = 20.0
"""Nobody waits longer in front of a page: a server that asks for more is told of in an error at once."""


def answering(call: Callable[[], T], *, model: str, base_url: str, key: Secret, retries: int = 2) -> T:
    """What ``call`` returns; tried again where that can help, with the pause that the server asks for.

    Again: too many requests, an error of the server (5xx, 408, 409), a connection that broke.  Not again: a
    wrong key or request, a used-up quota, nobody there, no answer in time (that was waited for once).
    Raises `ModelError`.
    """
    for tried in range(retries + 1):
        try:
            return call()
        except Exception as caught:
            error = caught
        pause = _pause(error, tried)
        if pause is None or tried == retries:
            break
        time.sleep(pause)
    # raised here, not in the except block: the error that we give has no other one behind it, which would hold
    # the request and its headers
    raise failure(error, model=model, base_url=base_url, key=key)


def _pause(error: Exception, tried: int) -> float | None:
    """Seconds until another try; None where there should be none."""
    import openai

    own = float(FIRST_PAUSE * 2**tried)
    if isinstance(error, openai.APITimeoutError):
        return None
    if isinstance(error, openai.APIConnectionError):
        return None if type(error.__cause__).__name__ == "ConnectError" else own  # of httpx, or of its successor
    if isinstance(error, openai.APIStatusError) and (error.status_code in (408, 409, 429) or error.status_code >= 500):
        asked = wait_asked(error)
        if error.code == "insufficient_quota" or (asked or 0.0) > LONGEST_PAUSE:
            return None
        return own if asked is None else asked
    return None


def wait_asked(error: openai.APIStatusError) -> float | None:
    """The seconds in the header Retry-After (a number or a date), or None."""
    said = error.response.headers.get("retry-after", "").strip()
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(said).timestamp() - time.time()
        except (TypeError, ValueError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


# --------------------------------------------------------------------------------------------- failures


def failure(error: Exception, *, model: str, base_url: str, key: Secret = NO_KEY) -> ModelError:
    """What went wrong with an endpoint, by the openai client's error, and what to do, without the key."""
    import openai

    if isinstance(error, ModelError):
        return error
    values: dict[str, Any] = {"model": model, "url": shown(base_url)}
    status = 0
    if isinstance(error, openai.APIStatusError):
        status, wait = error.status_code, wait_asked(error)
        values |= {"status": status, "words": _words_of(error, key), "wait": f"{wait or 0:.3g}"}
    if status in (401, 403):
        said = N_("The server at {url} does not accept the key.")
        remedy = N_("Check the key in the settings, and that it is allowed to use {model}.")
    elif status == 404:
        said = N_("The server at {url} does not know the model “{model}”.")
        remedy = N_("Check the model's name, and that the address ends in /v1 where the server expects it.")
    elif status == 429 and wait is not None:
        said = N_("The server at {url} answers “too many requests”; it asks for {wait} seconds of patience.")
        remedy = N_("Wait, then try again; or use fewer requests at a time.")
    elif status == 429:
        said = N_("The server at {url} answers “too many requests”, or the quota is used up.")
        remedy = N_("Wait, then try again; or check the account.")
    elif 300 <= status < 400:
        said = N_("The server at {url} sends the request on to another address ({status}); nothing is sent there.")
        remedy = N_("Enter the address that answers by itself.")
    elif 0 < status < 500:
        said = N_("The server at {url} does not take the request ({status}): {words}")
        remedy = N_("Check the model's settings; a shorter text may help.")
    elif status:
        said = N_("The server at {url} answered with an error ({status}).")
        remedy = N_("Try again later; if it stays, look into the server's log.")
    elif isinstance(error, openai.APITimeoutError):
        said = N_("The server at {url} did not answer in time.")
        remedy = N_("Try again, or raise the time limit in the settings.")
    elif isinstance(error, openai.APIConnectionError):
        said = N_("There is no connection to {url}, or it broke off.")
        remedy = N_("Check the address, and that the server is running.")
    else:
        said = N_("The answer of the server at {url} could not be understood.")
        remedy = N_("Check that it speaks the OpenAI protocol, and that “{model}” is the right kind of model.")
    return ModelError(Said(said, **values), Said(remedy, **values))


def checked(url: str) -> str:
    """The address of a server, if it is one.  Raises `ModelError`."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or not url.isprintable() or " " in url:
        remedy = Said("It begins with http:// or https://, and often ends in /v1.")
        raise ModelError(Said("“{url}” is no address of a server.", url=shown(url)), remedy)
    return url


def shown(url: str) -> str:
    """An address as it may be shown: without a user, a password or parameters, which can be secrets."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:  # a port that is no number, half an IPv6 address
        return "…"
    if not host:  # no address: what was typed says best what is wrong
        return "…" if set(url) & set("@?#") else url
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}{parts.path}"


def _words_of(error: openai.APIStatusError, key: Secret) -> str:
    """The server's own words, cut short and without the key, which some servers repeat."""
    body: Any = error.body
    said = body.get("message", "") if isinstance(body, dict) else ""
    text = " ".join(str(said).split()) or "no reason given"
    return key.masked(text[:1000])[:200]


@dataclass(eq=False)
class EndpointEncoder(Encoder):
    """Embeddings over the network, in batches."""

    spec: EndpointEmbedder
    client: Any
    dimensions: int = 0

    def documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        return in_batches(self._batch, texts, self.spec.batch_size, self.dimensions, progress)

    def _batch(self, texts: list[str]) -> Vectors:
        spec = self.spec
        sent = [text or " " for text in texts]

        def ask() -> list[list[float]]:
            answer = self.client.embeddings.create(model=spec.model, input=sent, encoding_format="float")
            return [item.embedding for item in sorted(answer.data, key=lambda item: item.index)]

        rows = answering(ask, model=spec.model, base_url=spec.base_url, key=spec.secret, retries=spec.retries)
        check = Said("Check that “{model}” is an embedding model.", model=spec.model)
        values = {"url": shown(spec.base_url), "got": len(rows), "wanted": len(texts)}
        if len(rows) != len(texts):
            raise ModelError(Said("The server at {url} sent {got} vectors for {wanted} texts.", **values), check)
        try:
            vectors = np.asarray(rows, dtype=np.float32)
        except (TypeError, ValueError):  # rows of several lengths, words among the numbers
            vectors = np.zeros((0, 0), np.float32)
        fits = vectors.ndim == 2 and vectors.size and self.dimensions in (0, vectors.shape[1])
        if not fits or not np.isfinite(vectors).all():
            raise ModelError(Said("The server at {url} sent what are no vectors of one length.", **values), check)
        self.dimensions = int(vectors.shape[1])
        return vectors


@dataclass(frozen=True)
class EndpointEmbedder(Embedder):
    """Any OpenAI-compatible embedding endpoint (OpenAI, Ollama, vLLM, LM Studio, ...)."""

    portable = False
    about = Said("Vectors from an OpenAI-compatible server.")

    model: str = MODEL("text-embedding-3-small")
    base_url: str = ADDRESS("https://api.openai.com/v1")
    secret: Secret = KEY()
    batch_size: int = knob(64, low=1, high=2048, label=Said("Batch size"), help=Said("So many texts are sent at once."))
    timeout: float = knob(
        30.0,
        low=0.1,
        high=600.0,
        label=Said("Seconds to wait"),
        help=Said("The longest silence of the server that is waited for."),
    )
    retries: int = TRIES()

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "secret", Secret(self.secret))  # from a command line it comes as a word

    @property
    def name(self) -> str:
        return f"endpoint/{self.model}"

    @property
    def label(self) -> str:
        return self.model

    def fit(self, corpus: Corpus) -> EndpointEncoder:
        checked(self.base_url)
        return EndpointEncoder(self, connect(self.base_url, self.secret, timeout=self.timeout))
