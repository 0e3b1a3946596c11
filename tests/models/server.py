"""A server on the loopback address that speaks the OpenAI protocol, well or badly, as a test tells it.

    with Server() as server:
        server.then("answer", "429 after 0", "truncated")
        EndpointModel("m", server.url)

Each request takes the next behaviour; the last one stays.  `server.requests` are what came in.
"""

from __future__ import annotations

import gzip
import json
import socket
import ssl
import struct
import threading
import time
import zlib
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from types import TracebackType
from typing import Any

from tests.loopback import Loopback

STALL = 3.0
BOMB = gzip.compress(bytes(50_000_000), 1)
"""50 MB of zeros, packed."""
USAGE = {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17}


class Server(Loopback):
    """A server in a thread; ``url`` is its address, ``answer`` what its model says."""

    def __init__(self, answer: str = "one\ntwo\nthree") -> None:
        super().__init__(_Handler)
        self.answer = answer
        self.behaviours = ["answer"]
        self.cases: dict[str, str] = {}
        self.events = b""  # what the behaviour "events" sends
        self.hook: Callable[[dict[str, Any]], tuple[int, str, bytes]]  # what the behaviour "hook" sends: status, type
        self.requests: list[dict[str, Any]] = []
        self.busy = self.busiest = self.sent = 0
        self.keeps = False  # connections, for the next request
        self.lock = threading.Lock()
        self.release = threading.Event()
        self.url = f"{self.root}/v1"

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release.set()
        super().__exit__(kind, error, trace)

    def encrypt(self, context: ssl.SSLContext) -> None:
        """Speak TLS from now on."""
        self._http.socket = context.wrap_socket(self._http.socket, server_side=True, do_handshake_on_connect=False)
        self.url = self.url.replace("http:", "https:")

    def then(self, *behaviours: str) -> Server:
        """What the next requests meet, in order."""
        with self.lock:
            self.behaviours = list(behaviours)
        return self

    def shaped(self, reply: dict[str, Any]) -> bytes:
        """A whole answer as it is sent."""
        return json.dumps(reply).encode()

    def when(self, words: str, behaviour: str) -> Server:
        """What a request meets in whose text these words stand, whenever it comes."""
        self.cases[words] = behaviour
        return self

    def next(self, text: str) -> str:
        for words, behaviour in self.cases.items():
            if words in text:
                return behaviour
        with self.lock:
            return self.behaviours.pop(0) if len(self.behaviours) > 1 else self.behaviours[0]


class _Handler(BaseHTTPRequestHandler):
    server_of_test: Server
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        owner = self.server_of_test
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with owner.lock:
            owner.requests.append(
                {
                    "path": self.path,
                    "key": self.headers.get("Authorization", ""),
                    "port": self.client_address[1],
                    **body,
                }
            )
            owner.busy += 1
            owner.busiest = max(owner.busiest, owner.busy)
            self.at_work = True
        try:
            self.behave(owner.next(str(body.get("messages", ""))), body)
        finally:
            self.answered()
        self.close_connection = not owner.keeps

    def answered(self) -> None:
        """Counted before the last byte goes: with it in hand the client may ask again at once."""
        with self.server_of_test.lock:
            self.server_of_test.busy -= self.at_work
            self.at_work = False

    def behave(self, behaviour: str, body: dict[str, Any]) -> None:
        owner = self.server_of_test
        word, _, rest = behaviour.partition(" ")
        if word.isdigit():
            header = {"Retry-After": rest.removeprefix("after ")} if rest.startswith("after ") else {}
            # like some real servers, it repeats the key that it was given
            error = {
                "message": rest or f"error {word}: key {self.headers.get('Authorization')}",
                "code": "insufficient_quota" if rest == "quota" else None,
            }
            self.send(int(word), json.dumps({"error": error}).encode(), header)
        elif word == "says":  # another text than the others
            self.completion(word, body, rest)
        elif word == "stall":
            owner.stop.wait(STALL)
        elif word == "holds":
            owner.release.wait(5 * 60)
            self.behave("answer", body)
        elif word == "late":
            owner.stop.wait(STALL)
            self.behave("answer", body)
        elif word == "slow":
            time.sleep(0.15)
            self.behave("answer", body)
        elif word in ("trickles", "dribbles", "reports", "huge", "moved", "drop"):
            self.misbehave(word, "text/event-stream" if body.get("stream") else "application/json")
        elif word == "hook":
            status, kind, raw = owner.hook(body)
            self.send(status, raw, {"Content-Type": kind})
        elif word == "events":
            self.send_events(rest)
        elif self.path.endswith("/embeddings"):
            self.embeddings(word, rest, body)
        elif body.get("stream"):
            self.stream(word)
        else:
            self.completion(word, body)

    def misbehave(self, word: str, kind: str) -> None:
        """Answer whatever was asked in a way that no client should wait for, or take in."""
        owner = self.server_of_test
        length = {"trickles": 1_000_000, "huge": 300_000_000, "drop": 1000}.get(word)
        if length:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(length))
            self.end_headers()
        if word == "trickles":  # a byte now and then, and no end
            while not owner.stop.wait(0.05):
                self.wfile.write(b" ")
        elif word == "dribbles":  # the same with what stands before the answer
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Word: ")
            while not owner.stop.wait(0.05):
                self.wfile.write(b"a")
        elif word == "reports":  # an error in an answer that is called good
            raw = json.dumps({"error": {"message": f"the model is gone, {self.headers.get('Authorization')}"}}).encode()
            self.send(200, b"data: " + raw + b"\n\n" if "stream" in kind else raw, {"Content-Type": kind})
        elif word == "huge":  # far more than anybody reads
            for _ in range(300):
                self.wfile.write(b" " * 1_000_000)
                owner.sent += 1_000_000
        elif word == "moved":
            self.send(302, b"", {"Location": f"http://{self.headers['Host']}/elsewhere"})
        elif word == "drop":
            self.wfile.write(b'{"id": "x"')

    def send_events(self, end: str) -> None:
        """Send the events of the test; the connection closes, is finished properly, drops in a chunk or is reset."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        if end != "closes":
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if end == "closes":
            self.wfile.write(self.server_of_test.events)
        elif self.server_of_test.events:
            self.chunk(self.server_of_test.events)
        if end == "finished":
            self.wfile.write(b"0\r\n\r\n")
        if end == "reset":
            time.sleep(0.2)  # a reset takes away what was not read yet
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()

    def completion(self, word: str, body: dict[str, Any], text: str = "") -> None:
        text = text or self.server_of_test.answer
        if text == "echo":
            text = f"echo: {body['messages'][-1]['content']}"
        choice = {
            "index": 0,
            "finish_reason": "length" if word == "cut" else "stop",
            "message": {"role": "assistant", "content": self.content(word, text)},
        }
        reply: dict[str, Any] = {
            "id": "x",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [] if word == "choiceless" else [choice],
        }
        if word != "uncounted":
            reply["usage"] = USAGE
        raw = self.server_of_test.shaped(reply)
        if word == "truncated":
            raw = raw[: len(raw) // 2]
        elif word == "bytes":
            raw = raw.replace(b"one", b"\xff\xfe\xc3")
        elif word == "page":
            self.send(200, b"<html>It works!</html>", {"Content-Type": "text/html"})
            return
        elif word in ("gzip", "deflate", "bomb"):
            packed = {"gzip": gzip.compress, "deflate": zlib.compress, "bomb": lambda _: BOMB}[word](raw)
            self.send(200, packed, {"Content-Encoding": "gzip" if word == "bomb" else word})
            return
        elif word == "mispacked":
            self.send(200, raw, {"Content-Encoding": "gzip"})
            return
        self.send(200, raw)

    def content(self, word: str, text: str) -> Any:
        """What stands in the place of the text: in most servers a text, in some what no one expects."""
        odd = {"nothing": "", "number": 7, "object": {"a": 1}, "pictures": [{"type": "image_url"}]}
        return odd.get(word, text)

    def stream(self, word: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for i, piece in enumerate(
            () if word in ("choiceless", "nothing") else self.server_of_test.answer.splitlines(keepends=True)
        ):
            if word == "broken" and i == 1:
                return  # without the last chunk: the connection drops in the middle
            if word == "hangs" and i == 1:
                self.server_of_test.stop.wait(STALL)
                return
            raw = json.dumps(
                {
                    "id": "x",
                    "object": "chat.completion.chunk",
                    "created": 0,
                    "model": "m",
                    "choices": [{"index": 0, "delta": {"content": self.content(word, piece)}}],
                }
            ).encode()
            if word == "truncated" and i == 1:
                raw = raw[: len(raw) // 2]
            if word == "bytes" and i == 1:
                raw = raw.replace(b"two", b"\xff\xfe\xc3")
            self.chunk(b"data: " + raw + b"\n\n")
            while word == "endless" and not self.server_of_test.stop.wait(0.05):
                self.chunk(b"data: " + raw + b"\n\n")
        last = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [], "usage": USAGE}
        self.chunk(b"data: " + json.dumps(last).encode() + b"\n\n")
        self.answered()
        self.chunk(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def embeddings(self, word: str, rest: str, body: dict[str, Any]) -> None:
        texts = body["input"]
        rows = [
            {"object": "embedding", "index": i, "embedding": [float(len(t)), 1.0, 0.0]} for i, t in enumerate(texts)
        ]
        if word == "fewer":
            rows = rows[:-1]
        elif word == "none":
            rows = []
        elif word == "ragged":
            rows[0]["embedding"] = [1.0]
        elif word == "shuffled":
            rows.reverse()
        elif word == "endless":
            rows = [{**row, "embedding": [0.25] * 200_000} for row in rows]
        raw = json.dumps(
            {"object": "list", "model": body["model"], "data": rows, "usage": {"prompt_tokens": 1, "total_tokens": 1}}
        ).encode()
        self.send(200, raw[: len(raw) // 2] if word == "truncated" else raw)

    def send(self, status: int, raw: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(raw)),
            "Connection": "keep-alive" if self.server_of_test.keeps else "close",
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.answered()
        self.wfile.write(raw)

    def chunk(self, raw: bytes) -> None:
        self.wfile.write(f"{len(raw):x}\r\n".encode() + raw + b"\r\n")
        self.wfile.flush()
