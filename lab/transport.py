"""The way to a server: an httpx transport that ends every answer at a time and at a size.

Retries, Retry-After (up to two minutes; it gives up at once beyond) and broken connections are the `openai` client's
own.  What it must not repeat (an answer that is late or too large, nobody there) is raised here as `Ended`, which the
client passes on; a pause that is longer than anybody waits in front of a page, and a quota that is used up, are marked
for it by its header ``x-should-retry``.
"""

from __future__ import annotations

import math
import os
import re
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore2
import httpx2
import openai

from lab.errors import ModelError

LONGEST_PAUSE = 20.0
"""Seconds that a server may ask to wait: a longer pause is reported as an error at once."""
SAW_END = "lab_saw_end"
"""The extension of a response that tells whether its event stream has contained the final ``[DONE]``."""
BODY = "lab_body"
"""The extension of a response that returns its bytes so far if it is no event stream: JSON, or a web page."""
_DONE = re.compile(rb"[\r\n]data: ?\[DONE\]")


class Ended(openai.OpenAIError):
    """A request that the client must not repeat, and its ``problem``."""

    def __init__(self, problem: ModelError) -> None:
        super().__init__(str(problem))
        self.problem = problem


@dataclass(frozen=True)
class Endings:
    """The errors of a request that ends here: too late, too large, or without a server."""

    late: ModelError
    large: ModelError
    absent: ModelError


class BoundedTransport(httpx2.BaseTransport):
    """Ends every answer, its headers included, ``timeout`` seconds after the request and at ``largest`` bytes.

    The time limits of httpx are for the silence between two bytes.  Here the limit of a request is an instant: the
    pool hands it on as the timeout of each operation, and the stream (`_Stream`) turns it into the seconds left.
    """

    def __init__(self, base_url: str, *, timeout: float, largest: int, endings: Endings) -> None:
        self.timeout, self.largest, self.endings = timeout, largest, endings
        self.pool = _pool(base_url)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        end = time.monotonic() + self.timeout
        limits = {"connect": end, "read": end, "write": end, "pool": self.timeout}
        url = httpcore2.URL(
            scheme=request.url.raw_scheme, host=request.url.raw_host, port=request.url.port, target=request.url.raw_path
        )
        request.headers["accept-encoding"] = "gzip, deflate"  # what `_unpacked` can unpack
        sent = httpcore2.Request(
            request.method, url, headers=request.headers.raw, content=request.stream, extensions={"timeout": limits}
        )
        reply = self._ending(lambda: self.pool.handle_request(sent))
        body = _Body(self, reply)
        headers = httpx2.Headers(reply.headers)
        headers.pop("content-encoding", None)
        response = httpx2.Response(
            reply.status,
            headers=headers,
            stream=body,
            extensions={**reply.extensions, SAW_END: body.saw_end, BODY: body.beginning},
        )
        if reply.status >= 400 and _in_vain(response):
            response.headers["x-should-retry"] = "false"
        return response

    def _ending(self, step: Any) -> Any:
        """The outcome of a step of the pool, its failures as the client expects them."""
        try:
            return step()
        except httpcore2.TimeoutException as error:
            raise Ended(self.endings.late) from error
        except httpcore2.ConnectError as error:
            raise Ended(self.endings.absent) from error
        except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.ProxyError) as error:
            raise httpx2.TransportError(str(error)) from error

    def close(self) -> None:
        self.pool.close()


class _Body(httpx2.SyncByteStream):
    """The bytes of an answer, unpacked, up to the largest number."""

    def __init__(self, transport: BoundedTransport, reply: httpcore2.Response) -> None:
        self._transport, self._reply, self._saw_end = transport, reply, False
        self._had = list[bytes]()
        self._packed = httpx2.Headers(reply.headers).get("content-encoding", "").strip().lower()

    def saw_end(self) -> bool:
        """Whether the part that was read contains the final ``[DONE]`` of an event stream."""
        return self._saw_end

    def beginning(self) -> bytes:
        """Returns what was read, unless it is an event stream."""
        return b"".join(self._had)

    def __iter__(self) -> Iterator[bytes]:
        transport = self._transport
        size, tail, pieces = 0, b"\n", iter(self._reply.stream)  # type: ignore[arg-type]
        if self._packed in ("gzip", "x-gzip", "deflate"):
            pieces = _unpacked(pieces, transport.largest + 1)
        while (piece := transport._ending(lambda: next(pieces, None))) is not None:
            size += len(piece)
            if size > transport.largest:
                raise Ended(transport.endings.large)
            tail = tail[-32:] + piece
            if self._had or (size == len(piece) and piece.lstrip()[:1] in (b"{", b"[", b"<")):
                self._had.append(piece)
            self._saw_end = self._saw_end or _DONE.search(tail) is not None
            yield piece

    def close(self) -> None:
        self._reply.close()


def _unpacked(pieces: Iterable[bytes], most: int) -> Iterator[bytes]:
    """Unpacks gzip or zlib; each piece yields at most ``most`` bytes."""
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 32)
    try:
        for piece in pieces:
            yield unpack.decompress(piece, most)
    except zlib.error as error:
        raise httpcore2.RemoteProtocolError(str(error)) from error


def _in_vain(response: httpx2.Response) -> bool:
    """Whether another try would be later than anybody waits, or cannot succeed."""
    if (wait_asked(response.headers) or 0.0) > LONGEST_PAUSE:
        return True
    return response.status_code == 429 and b"insufficient_quota" in response.read()


def wait_asked(headers: Mapping[str, str]) -> float | None:
    """The seconds in the header Retry-After (a number or a date), or None."""
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (TypeError, ValueError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


# ------------------------------------------------------------------------------------------ connections


def _pool(base_url: str) -> httpcore2.ConnectionPool:
    """Connections to a server, through the proxy that the machine has for it."""
    how: dict[str, Any] = {
        "ssl_context": _certificates(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")),
        "max_connections": 100,
        "max_keepalive_connections": 20,
        "keepalive_expiry": 5.0,
        "network_backend": _Backend(),
    }
    parts = urlsplit(base_url)
    known = getproxies()
    proxy = known.get(parts.scheme) or known.get("all")
    if not proxy or proxy_bypass(parts.hostname or ""):
        return httpcore2.ConnectionPool(**how)
    url = httpx2.URL(proxy if "://" in proxy else f"http://{proxy}")
    login = (url.username, url.password) if url.username else None
    kind = httpcore2.SOCKSProxy if url.scheme.startswith("socks") else httpcore2.HTTPProxy
    return kind(str(url.copy_with(userinfo=b"")), proxy_auth=login, **how)


@lru_cache(maxsize=1)
def _certificates(file: str | None, folder: str | None) -> Any:
    """Trusted certificates, which all connections share: reading them takes longer than most requests."""
    return httpx2.create_ssl_context()


class _Backend(httpcore2.NetworkBackend):
    """Connections whose timeouts are instants: see `BoundedTransport`."""

    def __init__(self) -> None:
        self._system = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore2.NetworkStream:
        left = _left(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._system.connect_tcp(host, port, left, local_address, socket_options))


class _Stream(httpcore2.NetworkStream):
    """A connection that waits for each operation as long as is left until an instant."""

    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(timeout, httpcore2.WriteTimeout))

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, _left(timeout, httpcore2.ConnectTimeout)))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    def close(self) -> None:
        self._stream.close()


def _left(end: float | None, late: type[Exception]) -> float | None:
    """Seconds until an instant; raises ``late`` if it is over."""
    if end is None:
        return None
    left = end - time.monotonic()
    if left <= 0:
        raise late
    return left
