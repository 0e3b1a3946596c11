"""A Chroma server: its address, its version, its errors."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from lab.errors import LabError, ModelError, ParameterError
from lab.models.endpoint import shown
from lab.words import Said

PATIENCE = 5.0
"""Seconds that a server has for its first answer."""
PAGE = 5000
"""So many ids are asked for, or deleted, at once."""


def url_from_environment() -> str:
    """The server in ``LAB_CHROMA_URL``; empty for a store in this process."""
    return os.environ.get("LAB_CHROMA_URL", "").strip()


def connect(url: str = "") -> Any:
    """A Chroma client: of the server at ``url``, or in this process.  Its telemetry is off.

    Raises `ModelError` for a server that is down, of another version, or no Chroma server at all.
    """
    import chromadb
    from chromadb.config import Settings

    if not url:
        return chromadb.EphemeralClient(Settings(anonymized_telemetry=False))
    host, port, ssl = _parts(url)
    _check_version(url, host, port, ssl)
    with answering(url):
        return chromadb.HttpClient(host=host, port=port, ssl=ssl, settings=Settings(anonymized_telemetry=False))


def delete(client: Any, name: str) -> None:
    """Delete a collection, its documents first: lists in their metadata would come back in the next collection."""
    collection = client.get_collection(name, embedding_function=None)
    while ids := collection.get(limit=PAGE, include=[])["ids"]:
        collection.delete(ids=ids)
    client.delete_collection(name)


def _check_version(url: str, host: str, port: int, ssl: bool) -> None:
    """Raises `ModelError` if nothing answers, or if the answer is not from a Chroma server of version 1."""
    import httpx

    name = f"[{host}]" if ":" in host else host
    try:
        answer = httpx.get(f"{'https' if ssl else 'http'}://{name}:{port}/api/v2/version", timeout=PATIENCE)
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise _down(url) from error
    try:
        told = answer.json() if answer.status_code == 200 else None
    except ValueError:
        told = None
    if isinstance(told, str) and told.startswith("1."):
        return
    version = Said("version {version}", version=told) if isinstance(told, str) else None
    shown_version = version or Said("status {status}", status=answer.status_code)
    message = Said(
        "The server at {url} is not a Chroma server of version 1 ({told}).", url=shown(url), told=shown_version
    )
    remedy = Said("Run chromadb 1.5 or newer there, check LAB_CHROMA_URL, or use the exact store.")
    raise ModelError(message, remedy)


def _parts(url: str) -> tuple[str, int, bool]:
    """Returns the host, the port, and whether it is https.  Raises `ParameterError` if the URL is not an address."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or parts.scheme not in ("http", "https"):
        remedy = Said("Write it like http://localhost:8000.")
        raise ParameterError(Said("“{url}” is not the address of a Chroma server.", url=shown(url)), remedy)
    ssl = parts.scheme == "https"
    return host, port or (443 if ssl else 8000), ssl


def _down(url: str) -> ModelError:
    remedy = Said("Start it with “chroma run”, check LAB_CHROMA_URL, or use the exact store.")
    return ModelError(Said("The Chroma server at {url} does not answer.", url=shown(url)), remedy)


@contextmanager
def answering(url: str) -> Iterator[None]:
    """Turns whatever goes wrong in a call to Chroma into `ModelError`.

    A wide net, because chromadb raises bare ``Exception`` with the server's words in it.
    """
    import httpx

    try:
        yield
    except LabError:
        raise
    except Exception as error:
        if url and isinstance(error, httpx.TransportError | ConnectionError):
            raise _down(url) from error
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        remedy = Said("Try again, or use the exact store.")
        raise ModelError(Said("Chroma failed: {reason}", reason=reason), remedy) from error
