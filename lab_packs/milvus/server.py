"""Milvus: where it is, its version, its errors; a file (Milvus Lite), a server or a cluster under one client.

Nobody calls Milvus but by `Engine`: every call has a deadline, and whatever goes wrong in it becomes one sentence with
the next step.  pymilvus (extra ``scale``) is imported here and nowhere else, when an engine is first wanted.
"""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from lab.algebra import Models
from lab.errors import LabError, MissingExtra, ModelError, ParameterError, QueryError
from lab.models.endpoint import public, shown
from lab.models.secrets import Secret
from lab.words import N_, Said

T = TypeVar("T")
PATIENCE = 5.0
"""Seconds that an engine has for its first answer, and for every answer to a question."""
LONG = 120.0
"""Seconds that it has to take in a batch, or to make a collection."""
LOADING = 3600.0
"""Seconds that it has to index a collection and to hold it ready; Milvus Lite does that when it is first asked."""
OLDEST = (2, 4)
"""The first version of Milvus that keeps sparse vectors."""
MOST = 16_384
"""So many hits Milvus gives at most."""
FIELD = 65_535
"""Bytes that a field of text holds at most."""
_MEMORY = N_("Until then, search the same corpus in memory with BM25 and Vector.")


def engine_of(models: Models) -> Engine:
    """Returns the engine at a run's setting ``milvus``, else at ``LAB_MILVUS_URI``; `ModelError` if both are empty.

    The token of a login is ``LAB_MILVUS_TOKEN`` (``user:password``, or an API key); an address may hold one, too.
    """
    uri = str(models["milvus"]) if "milvus" in models else os.environ.get("LAB_MILVUS_URI", "").strip()
    if not uri:
        remedy = Said("Set LAB_MILVUS_URI to a file (lab.db) or an address (http://localhost:19530).")
        raise ModelError(Said("No Milvus address is set."), remedy)
    return Engine(uri, Secret(os.environ.get("LAB_MILVUS_TOKEN", "").strip()))


class Engine:
    """A connection to Milvus.

    Raises `MissingExtra` without pymilvus, `ParameterError` if ``uri`` is not the address of a Milvus, and `ModelError`
    if the engine is down, silent, too old, or refuses the login.
    """

    late = False
    """Whether it indexes a field when that is first searched, as Milvus Lite does."""
    remedy: str = Said(_MEMORY)
    """What else there is, while it fails; empty where the texts are nowhere else."""

    def __init__(self, uri: str, token: Secret) -> None:
        self.address, login = _parts(uri)
        self.lite = not urlsplit(self.address).scheme
        self.token = token or login
        self.client = self._connect()
        self._check_version()

    @property
    def shown(self) -> str:
        """The place as it may be shown: no password, and to strangers nothing."""
        return "…" if self.lite and public() else shown(self.address)

    def call(self, method: str, *args: Any, timeout: float | None = None, **options: Any) -> Any:
        """Returns the answer of a client method; `ModelError` if it fails or takes ``timeout`` seconds (`PATIENCE`)."""
        ask = partial(getattr(self.client, method), *args, timeout=timeout or PATIENCE, **options)
        return self._with_lab_errors(ask)

    def _with_lab_errors(self, ask: Callable[[], T]) -> T:
        """Turns whatever goes wrong in a call into `ModelError`: pymilvus raises errors of several families."""
        for wait in (*HALF_WRITTEN, None):
            try:
                return ask()
            except Exception as error:
                lab_error = self._lab_error(error)
                if wait is None or not self.late or not any(part in str(error) for part in _PARTIAL):
                    break
            time.sleep(wait)
        raise lab_error  # outside of the except block: behind this error stands none that holds the token

    def _connect(self) -> Any:
        logging.getLogger("pymilvus").setLevel(logging.CRITICAL)  # it writes every error with its traceback
        logging.getLogger("milvus_lite").setLevel(logging.CRITICAL)
        try:
            from pymilvus import MilvusClient
        except ImportError:
            raise MissingExtra("scale", "pymilvus") from None
        if self.lite:
            _lite_there(self.address)
        # retries inside of pymilvus end with the same deadline
        options = {"token": self.token.reveal(), "timeout": PATIENCE, "grpc_options": _QUIET}
        return self._with_lab_errors(lambda: MilvusClient(self.address, **options))

    def _check_version(self) -> None:
        version_text = str(self.call("get_server_version"))
        self.late = version_text.startswith("milvus_lite")
        version = re.search(r"(\d+)\.(\d+)", version_text)
        if self.late or (version and (int(version[1]), int(version[2])) >= OLDEST):
            return
        message = Said("The server at {url} is Milvus {version}.", url=self.shown, version=version_text[:40])
        raise ModelError(message, Said("The lab needs Milvus 2.4 or newer: update the server."))

    def _lab_error(self, error: Exception) -> LabError:
        """What went wrong, in a sentence."""
        reason = self.token.masked(" ".join(str(getattr(error, "message", "") or error).split()))[:300]
        own = self.remedy
        # only the cause of a connection error says why it failed
        code = f"{getattr(error, 'code', '')} {error.__cause__ if error.__cause__ is not error else ''}"
        if any(word in reason + code for word in ("auth check failure", "UNAUTHENTICATED", "PERMISSION_DENIED")):
            message = Said("The Milvus server at {url} refuses the login.", url=self.shown)
            return ModelError(message, Said("Set LAB_MILVUS_TOKEN to user:password or an API key. {until}", until=own))
        if "Open local milvus failed" in reason:
            message = Said("The file {url} cannot be opened as a Milvus Lite database.", url=self.shown)
            remedy = Said(
                "It is not a Milvus Lite file, or another process has it open: only one can. Open it with "
                "“milvus-lite server” and set that address. {until}",
                until=own,
            )
            return ModelError(message, remedy)
        if any(word in reason + code for word in ("UNIMPLEMENTED", "unknown service", "unknown method")):
            message = Said("No supported Milvus server at {url}.", url=self.shown)
            return ModelError(
                message, Said("Check LAB_MILVUS_URI; Milvus 2.4 or newer is required. {until}", until=own)
            )
        if any(word in reason + code for word in _AWAY):
            message = Said("The Milvus server at {url} does not answer.", url=self.shown)
            return ModelError(message, Said("Start it, or check LAB_MILVUS_URI. {until}", until=own))
        if "cannot parse expression" in reason or "FilterParseError" in reason:
            return QueryError(Said("Milvus does not take this filter: {reason}", reason=reason), Said(FILTERS))
        return ModelError(Said("Milvus failed: {reason}", reason=reason or type(error).__name__), own)


HALF_WRITTEN = (0.1, 0.2, 0.4, 0.8)
"""Seconds between tries where Milvus Lite reads the file of an index that it is still writing."""
_PARTIAL = ("faiss", "No data left in file", "EOF: reading", "not fully written")
"""What it says then: of a graph, and of vectors as they are."""
FILTERS = N_('Write it like {"year": {"$gte": 2023}} or {"tags": {"$contains": "battery"}}.')
_QUIET = {"grpc.keepalive_time_ms": 600_000, "grpc.keepalive_permit_without_calls": 0}
"""A server in Python, as Milvus Lite is, takes pymilvus' ping every ten seconds for an attack, and hangs up."""
_AWAY = ("Fail connecting", "UNAVAILABLE", "DEADLINE_EXCEEDED", "Retry timeout", "Cannot invoke RPC", "closed channel")


def _parts(uri: str) -> tuple[str, Secret]:
    """Returns the address without its login, and the login.  Raises `ParameterError` if it is not a Milvus address."""
    try:
        parts = urlsplit(uri)
        host, port = parts.hostname, parts.port
    except ValueError:
        parts, host, port = urlsplit(""), None, None
    if parts.scheme in ("http", "https") and host:
        login = ":".join(unquote(x) for x in (parts.username, parts.password) if x)
        name = f"[{host}]" if ":" in host else host
        return f"{parts.scheme}://{name}:{port or (443 if parts.scheme == 'https' else 19530)}", Secret(login)
    if "://" not in uri and uri.endswith(".db"):
        return str(Path(uri).expanduser().absolute()), Secret("")
    message = Said("“{url}” is not the address of a Milvus server.", url="…" if public() else shown(uri))
    raise ParameterError(message, Said("A file name ends in .db; an address looks like http://localhost:19530."))


def _lite_there(file: str) -> None:
    """Raises where a file cannot be opened: no Milvus Lite is installed, or there is no such folder."""
    try:
        import milvus_lite  # noqa: F401
    except ImportError:
        raise MissingExtra("scale", "milvus-lite") from None
    if not Path(file).parent.is_dir():
        message = Said("There is no folder for the file {path}.", path="…" if public() else file)
        raise ModelError(message, Said("Create the folder, or check LAB_MILVUS_URI."))


def retried_after_loading(engine: Engine, name: str, ask: Callable[[], T]) -> T:
    """What ``ask`` gives; a collection that a server has forgotten to hold ready (it was restarted) is loaded first."""
    try:
        return ask()
    except ModelError as error:
        if "load" not in str(error.message):
            raise
    engine.call("load_collection", name, timeout=LOADING)
    return ask()
