"""OpenAI-compatible servers: one way to connect, one way to say what went wrong.

Used for embeddings (`EndpointEmbedder`) and for language models.  Keys are `Secret` and appear in no repr,
no error, no export.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from lab.core import Corpus, knob
from lab.errors import ModelError
from lab.models.embedders import Embedder, Encoder, Progress, Vectors
from lab.models.secrets import Secret
from lab.words import Said

if TYPE_CHECKING:
    import openai


def connect(base_url: str, key: Secret, *, timeout: float, retries: int = 2) -> openai.OpenAI:
    """A client for this server.  Local servers that want no key get a word in its place."""
    import openai

    return openai.OpenAI(base_url=base_url, api_key=key.reveal() or "none", timeout=timeout, max_retries=retries)


def failure(error: Exception, *, model: str, base_url: str) -> ModelError:
    """What went wrong with an endpoint, and what to do, without the key.

    Understands the errors of the openai client: wrong key, unknown model, too many requests (with the
    wait that the server asks for), time out, no connection, a broken or empty answer.
    """
    import openai

    if isinstance(error, ModelError):
        return error
    where = {"model": model, "url": base_url}
    if isinstance(error, (openai.AuthenticationError, openai.PermissionDeniedError)):
        return ModelError(Said("The server at {url} does not accept the key.", url=base_url), Said("Check the key in the settings, and that it is allowed to use {model}.", model=model))
    if isinstance(error, openai.NotFoundError):
        return ModelError(Said("The server at {url} does not know the model “{model}”.", **where), Said("Check the model's name, and that the address ends in /v1 where the server expects it."))
    if isinstance(error, openai.RateLimitError):
        wait = error.response.headers.get("retry-after", "")
        if wait:
            return ModelError(Said("The server at {url} answers “too many requests”; it asks for {wait} seconds of patience.", url=base_url, wait=wait), Said("Wait, then try again; or use fewer requests at a time."))
        return ModelError(Said("The server at {url} answers “too many requests”, or the quota is used up.", url=base_url), Said("Wait, then try again; or check the account."))
    if isinstance(error, openai.APITimeoutError):
        return ModelError(Said("The server at {url} did not answer in time.", url=base_url), Said("Try again, or raise the time limit in the settings."))
    if isinstance(error, openai.APIConnectionError):
        return ModelError(Said("There is no connection to {url}.", url=base_url), Said("Check the address, and that the server is running."))
    if isinstance(error, openai.APIStatusError):
        return ModelError(Said("The server at {url} answered with an error ({status}).", url=base_url, status=error.status_code), Said("Try again later; if it stays, look into the server's log."))
    return ModelError(Said("The answer of the server at {url} could not be understood.", url=base_url), Said("Check that it speaks the OpenAI protocol, and that “{model}” is the right kind of model.", model=model))


@dataclass(eq=False)
class EndpointEncoder(Encoder):
    """Embeddings over the network, in batches."""

    spec: EndpointEmbedder
    client: Any
    dimensions: int = 0

    def documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        out, step = [], self.spec.batch_size
        for i in range(0, len(texts), step):
            out.append(self._batch([t or " " for t in texts[i : i + step]]))
            if progress:
                progress(min(i + step, len(texts)), len(texts))
        return np.concatenate(out) if out else np.zeros((0, self.dimensions), np.float32)

    def _batch(self, texts: list[str]) -> Vectors:
        try:
            answer = self.client.embeddings.create(model=self.spec.model, input=texts, encoding_format="float")
            rows = [item.embedding for item in sorted(answer.data, key=lambda item: item.index)]
            vectors = np.asarray(rows, dtype=np.float32)
        except Exception as error:
            raise failure(error, model=self.spec.model, base_url=self.spec.base_url) from None
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise ModelError(
                Said("The server at {url} sent {got} vectors for {wanted} texts.", url=self.spec.base_url, got=len(rows), wanted=len(texts)),
                Said("Check that “{model}” is an embedding model.", model=self.spec.model),
            )
        self.dimensions = int(vectors.shape[1])
        return vectors


@dataclass(frozen=True)
class EndpointEmbedder(Embedder):
    """Any OpenAI-compatible embedding endpoint (OpenAI, Ollama, vLLM, LM Studio, ...)."""

    model: str = "text-embedding-3-small"
    base_url: str = "https://api.openai.com/v1"
    key: Secret = field(default=Secret(""), repr=False)
    batch_size: int = knob(64, low=1, high=2048)
    timeout: float = knob(30.0, low=1.0, high=600.0)

    @property
    def name(self) -> str:
        return f"endpoint/{self.model}"

    @property
    def label(self) -> str:
        return self.model

    def fit(self, corpus: Corpus) -> EndpointEncoder:
        return EndpointEncoder(self, connect(self.base_url, self.key, timeout=self.timeout))
