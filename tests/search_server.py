"""A search engine on the loopback address, for tests: it answers as the test tells it, well or badly.

    with SearchServer(lambda question, k: [{"id": "d1", "score": 1.0}]) as server:
        HttpRetriever(server.url)

`server.requests` are the requests that came in: method, path, headers and body.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.loopback import Loopback

Search = Callable[[str, int], Any]
ANSWERS = {
    "page": b"<html>It works!</html>",
    "half": b'{"results": [{"id": "d1"',
    "deep": b"[" * 200_000 + b"]" * 200_000,
    "nan": b'{"results": [{"id": "d1", "score": NaN}]}',
    "vast": b'{"results": [{"id": "d1", "score": 1e999}]}',
    "digits": b'{"results": [{"id": "d1", "score": ' + b"9" * 10_000 + b"}]}",
    "bytes": b"\xff\xfe\xc3\x28",
    "empty": b"",
}
"""Bodies that are no usable answer."""


class SearchServer(Loopback):
    """A server in a thread.  ``behaviour`` is how it answers: well, or in one of the ways of `_Handler.misbehave`."""

    def __init__(self, search: Search, *, results: str = "results") -> None:
        super().__init__(_Handler)
        self.search, self.results = search, results
        self.behaviour = ""
        self.requests: list[dict[str, Any]] = []
        self.url = f"{self.root}/search"


class _Handler(BaseHTTPRequestHandler):
    server_of_test: SearchServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        fields = parse_qs(urlsplit(self.path).query)
        self.answer(fields.get("q", [""])[0], int(fields.get("n", ["10"])[0]), None)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer(body.get("query", ""), body.get("k", 10), body)

    def answer(self, question: str, k: int, body: Any) -> None:
        owner = self.server_of_test
        owner.requests.append(
            {
                "method": self.command,
                "path": self.path,
                "headers": {name.lower(): value for name, value in self.headers.items()},
                "body": body,
            }
        )
        self.close_connection = True
        if owner.behaviour:
            self.misbehave(owner.behaviour)
            return
        found = owner.search(question, k)
        self.send(200, json.dumps({owner.results: found} if owner.results else found).encode())

    def misbehave(self, behaviour: str) -> None:
        word, _, rest = behaviour.partition(" ")
        if word in ANSWERS:
            self.send(200, ANSWERS[word], kind="text/html" if word == "page" else "application/json")
        elif word.isdecimal():
            pause = {"Retry-After": rest.removeprefix("after ")} if rest.startswith("after ") else {}
            self.send(int(word), (rest or f"no: {self.headers.get('Authorization')}").encode(), **pause)
        elif word == "moved":
            self.send(302, b"", Location=f"{self.server_of_test.root}/elsewhere")
        elif word == "bomb":
            self.send(200, gzip.compress(bytes(50_000_000), 1), **{"Content-Encoding": "gzip"})
        else:
            self.dally(word)

    def dally(self, word: str) -> None:
        """Gives no answer that ends: too late, too long, or broken off."""
        stop = self.server_of_test.stop
        if word == "silent":
            stop.wait(30)
        elif word == "drip":  # a byte now and then, and no end
            self.head(1_000_000)
            while not stop.wait(0.05):
                self.wfile.write(b" ")
        elif word == "dribble":  # the same before the answer
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Word: ")
            while not stop.wait(0.05):
                self.wfile.write(b"a")
        elif word == "huge":
            self.head(300_000_000)
            for _ in range(300):
                self.wfile.write(b" " * 1_000_000)
        elif word == "drop":
            self.head(1000)
            self.wfile.write(b'{"results"')

    def head(self, length: int) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def send(self, status: int, raw: bytes, kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(raw)), "Connection": "close"}.items():
            self.send_header(name, value)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)
