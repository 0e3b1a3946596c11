"""OpenAI-compatible servers: one way to connect, one way to say what went wrong.

Used for embeddings (`EndpointEmbedder`) and for language models.  Keys are `Secret` and appear in no repr,
no error, no export.
"""

from __future__ import annotations

import math
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import numpy as np

from lab.algebra import Corpus, Progress, knob
from lab.errors import ModelError
from lab.models.chat import OutOfReach
from lab.models.embedders import Embedder, Encoder, Vectors, in_batches
from lab.models.secrets import Secret
from lab.models.servers import SERVERS
from lab.words import N_, Said

if TYPE_CHECKING:
    import openai

T = TypeVar("T")
NO_KEY = Secret("")


MODEL = partial(knob, kind="model", label=Said("Model"), help=Said("The model's name, as the server knows it."))
ADDRESS = partial(knob, kind="private", label=Said("Address"), help=Said("Address of the server, including /v1."))
KEY = partial(
    knob,
    NO_KEY,
    repr=False,
    kind="private",
    label=Said("Key"),
    help=Said("Kept in this session only; files and links do not include it."),
)
TRIES = partial(knob, 2, low=0, high=10, label=Said("Retries"), help=Said("Number of retries after a failed request."))
"""The fields of whatever asks a server."""


def public() -> bool:
    """Whether strangers can reach this lab (``LAB_PUBLIC=1``): then it calls no address of theirs."""
    return os.environ.get("LAB_PUBLIC", "") not in ("", "0")


LARGEST = 2_000_000
"""Bytes of an answer that are taken in: no answer that anybody reads is longer, and more would fill the memory."""


def connect(base_url: str, key: Secret, *, timeout: float, check: Said, largest: int = LARGEST) -> openai.OpenAI:
    """A client for this server.  Without a key a word stands in its place.

    A whole answer, its headers included, is there ``timeout`` seconds after it was asked for and has at most
    ``largest`` bytes, or is a `ModelError`; ``check`` is the remedy for one that is larger.  Tries are counted by
    `answering`, not by the client: it says what it waits for, and for how long at most.  Raises `ModelError` for a
    key that cannot be sent.
    """
    import openai

    word = key.reveal() or "none"
    if not word.isascii() or not word.isprintable() or " " in word:
        remedy = Said("Copy it again. A key consists of letters, digits and signs, without accents or spaces.")
        raise OutOfReach(Said("The key contains invalid characters; it was not sent."), remedy)
    bounds = _Bounds(base_url, timeout, largest, check)
    hooks: Mapping[str, list[Callable[..., Any]]] = {"request": [bounds.begin], "response": [bounds.limit]}
    client = openai.DefaultHttpxClient(follow_redirects=False, timeout=timeout, event_hooks=hooks)  # nowhere else
    return openai.OpenAI(base_url=base_url, api_key=word, timeout=timeout, max_retries=0, http_client=client)


_END, _HEAD = "lab_end", threading.local()


@dataclass(frozen=True)
class _Bounds:
    """Where every answer of a client ends: httpx' own time limit is the silence between two bytes."""

    base_url: str
    timeout: float
    largest: int
    check: Said

    def begin(self, request: Any) -> None:
        """Note on a request when its answer has to be there."""
        request.extensions[_END] = _HEAD.end = time.monotonic() + self.timeout
        request.extensions["trace"] = self._watch

    def _watch(self, event: str, told: Mapping[str, Any]) -> None:
        """Let a connection that was just made read no longer than the headers of an answer may take."""
        if not event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            return
        stream = told["return_value"]
        read = stream.read

        def hurried(most: int, timeout: float | None = None) -> bytes:
            end = getattr(_HEAD, "end", None)  # of the request that this thread waits for
            if end is None:
                return read(most, timeout)  # type: ignore[no-any-return]
            left = end - time.monotonic()
            if left <= 0:
                raise self._late()
            return read(most, min(left, timeout or left))  # type: ignore[no-any-return]

        stream.read = hurried

    def limit(self, response: Any) -> None:
        """Let the bytes of a response end at the time limit, and at their largest number, packed and unpacked."""
        end, _HEAD.end = response.request.extensions[_END], None
        response.iter_raw = self._limited(response.iter_raw, end)
        response.iter_bytes = self._limited(response.iter_bytes, end)

    def _limited(self, read: Callable[..., Iterator[bytes]], end: float) -> Callable[..., Iterator[bytes]]:
        def pieces(*args: Any, **options: Any) -> Iterator[bytes]:
            size = 0
            for piece in read(*args, **options):
                size += len(piece)
                if time.monotonic() > end:
                    raise self._late()
                if size > self.largest:
                    values = {"url": shown(self.base_url), "n": f"{self.largest / 1e6:.3g}"}
                    raise ModelError(
                        Said("The answer of the server at {url} is larger than {n} MB.", **values), self.check
                    )
                yield piece

        return pieces

    def _late(self) -> ModelError:
        return OutOfReach(Said(_LATE, url=shown(self.base_url)), Said(_PATIENCE))


_LATE = N_("The server at {url} did not answer in time.")
_PATIENCE = N_("Try again, or raise the time limit in the settings.")


_DONE = re.compile(rb"[\r\n]data: ?\[DONE\]")


def watch_end(response: Any) -> Callable[[], bool]:
    """Returns a function that tells whether the part of an event stream that was read contains the final ``[DONE]``.

    The client's iterator ends in the same way with and without it.
    """
    read, seen = response.iter_bytes, threading.Event()

    def pieces(*args: Any, **options: Any) -> Iterator[bytes]:
        tail = b"\n"
        for piece in read(*args, **options):
            tail = tail[-32:] + piece
            if _DONE.search(tail):
                seen.set()
            yield piece

    response.iter_bytes = pieces
    return seen.is_set


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
        except Exception as caught:  # the client wraps what comes from `_Bounds`
            error = caught.__cause__ if isinstance(caught.__cause__, ModelError) else caught
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
        return None if _nobody_there(error) else own
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
    """What went wrong with an endpoint, by the openai client's error, and what to do, without the key.

    `OutOfReach` for what would befall the next question, too: a wrong key or model, a silent server, nobody there.
    """
    import openai

    if isinstance(error, ModelError):
        return error
    values: dict[str, Any] = {"model": model, "url": shown(base_url)}
    status, wait = 0, None
    if isinstance(error, openai.APIStatusError):
        status, wait = error.status_code, wait_asked(error)
        values |= {"status": status, "words": _words_of(error.body, key), "wait": _span(wait or 0)}
    if status in (401, 403):
        said = N_("The server at {url} does not accept the key.")
        remedy = N_("Check the key in the settings, and that it is allowed to use {model}.")
    elif status == 404:
        said = N_("The server at {url} does not know the model “{model}”.")
        remedy = N_("Check the model's name, and that the address ends in /v1 where the server expects it.")
    elif status == 429 and wait is not None:
        said = N_("The server at {url} answers “too many requests” and asks to wait {wait}.")
        remedy = N_("Wait, then try again; or use fewer requests at a time.")
    elif status == 429:
        said = N_("The server at {url} answers “too many requests”, or the quota is used up.")
        remedy = N_("Wait, then try again; or check the account.")
    elif 300 <= status < 400:
        said = N_("The server at {url} redirects the request to another address ({status}); nothing was sent there.")
        remedy = N_("Enter the address that answers by itself.")
    elif 0 < status < 500:
        said = N_("The server at {url} rejects the request ({status}): {words}")
        remedy = N_("Check the model's settings; a shorter text may help.")
    elif status:
        said = N_("The server at {url} answered with an error ({status}).")
        remedy = N_("Try again later; if the problem persists, check the server's log.")
    elif isinstance(error, openai.APITimeoutError):
        said, remedy = _LATE, _PATIENCE
    elif isinstance(error, openai.APIConnectionError):
        said = N_("There is no connection to {url}, or it broke off.")
        remedy = N_("Check the address, and that the server is running.")
    else:
        said = N_("The answer of the server at {url} could not be read.")
        remedy = N_("Check that it speaks the OpenAI protocol, and that “{model}” is the right kind of model.")
    if type(error) is openai.APIError:  # of a stream: an error in the place of a piece
        return reported(error.body, base_url=base_url, key=key)
    gone = isinstance(error, openai.APITimeoutError) or status in (401, 403, 404) or _nobody_there(error)
    return (OutOfReach if gone else ModelError)(Said(said, **values), Said(remedy, **values))


def reported(error: Any, *, base_url: str, key: Secret) -> ModelError:
    """What a server tells of an error in an answer that it calls a good one (status 200)."""
    said = Said("The server at {url} answered with an error: {words}", url=shown(base_url), words=_words_of(error, key))
    return ModelError(said, Said("Check the model's settings; if they are right, look into the server's log."))


def _nobody_there(error: Exception) -> bool:
    """Whether no connection came about: ConnectError of httpx, or of its successor."""
    import openai

    return isinstance(error, openai.APIConnectionError) and type(error.__cause__).__name__ == "ConnectError"


def _span(seconds: float) -> Said:
    """A time as people say it."""
    for size, said in ((86400, N_("{n} d")), (3600, N_("{n} h")), (60, N_("{n} min"))):
        if seconds >= size:
            return Said(said, n=f"{seconds / size:.3g}" if seconds < 1000 * size else f"{seconds / size:.0f}")
    return Said("{n} s", n=f"{seconds:.3g}")


def checked(url: str) -> str:
    """The address of a server, if it is one.  Raises `ModelError`."""
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
    """An address as it may be shown: without a user, a password or parameters, which can be secrets.

    In a public lab only the addresses that everybody knows: where its own servers are is none of a stranger's business.
    """
    if public() and not any(url == server.base_url for server in SERVERS.values() if not server.local):
        return "…"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:  # a port that is no number, half an IPv6 address
        return "…"
    if not host:  # no address: what was typed says best what is wrong
        return "…" if set(url) & set("@?#") else url
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}{parts.path}"


def _words_of(error: Any, key: Secret) -> str:
    """The server's own words, cut short and without the key, which some servers repeat."""
    said = error.get("message", "") if isinstance(error, dict) else error or ""
    text = " ".join(str(said).split()) or "no reason given"
    return key.masked(text[:1000])[:200]


_KIND = N_("Check that “{model}” is an embedding model.")
PER_TEXT = 200_000
"""Bytes of an answer for each text that was sent: room for 8,000 numbers."""


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
            if error := getattr(answer, "error", None):
                raise reported(error, base_url=spec.base_url, key=spec.secret)
            return [item.embedding for item in sorted(answer.data, key=lambda item: item.index)]

        rows = answering(ask, model=spec.model, base_url=spec.base_url, key=spec.secret, retries=spec.retries)
        check = Said(_KIND, model=spec.model)
        values = {"url": shown(spec.base_url), "got": len(rows), "wanted": len(texts)}
        if len(rows) != len(texts):
            raise ModelError(Said("Vectors from the server at {url}: {got}, texts sent: {wanted}.", **values), check)
        try:
            vectors = np.asarray(rows, dtype=np.float32)
        except (TypeError, ValueError):  # rows of several lengths, words among the numbers
            vectors = np.zeros((0, 0), np.float32)
        fits = vectors.ndim == 2 and vectors.size and self.dimensions in (0, vectors.shape[1])
        if not fits or not np.isfinite(vectors).all():
            raise ModelError(Said("The server at {url} did not send vectors of equal length.", **values), check)
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
    batch_size: int = knob(64, low=1, high=2048, label=Said("Batch size"), help=Said("Texts per request."))
    timeout: float = knob(
        30.0,
        low=0.1,
        high=600.0,
        label=Said("Time limit, seconds"),
        help=Said("Maximum seconds until the whole answer has arrived."),
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
        check, largest = Said(_KIND, model=self.model), LARGEST + PER_TEXT * self.batch_size
        client = connect(self.base_url, self.secret, timeout=self.timeout, check=check, largest=largest)
        return EndpointEncoder(self, client)
