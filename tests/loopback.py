"""A server of the tests' own in a thread, on the loopback address: it starts with its block and ends with it."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


class Answering(BaseHTTPRequestHandler):
    """Answers whole, in JSON unless the headers say otherwise, and prints nothing."""

    def answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Length": str(len(body)),
            "Content-Type": "application/json",
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class Loopback:
    """``root`` is its address.  ``stop`` is set when the block ends, so that an answer in progress can end, too.

    The handler finds the server in its attribute ``server_of_test``.
    """

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self.stop = threading.Event()

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: Any, client_address: Any) -> None:
                pass  # clients that go away are part of the tests

        own = type("Handler", (handler,), {"server_of_test": self})
        self._http = Quiet(("127.0.0.1", 0), own)
        self.root = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
