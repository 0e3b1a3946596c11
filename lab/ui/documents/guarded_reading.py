"""Reading uploads in a process of their own: a file that keeps a reader busy stops neither the server nor a visitor.

One process is started for the first upload and kept; while it is busy, others are started, up to `MOST` at a time.  A
process that is silent for longer than a file may take is ended: the file becomes a problem, and the others are read by
another process.  A visitor who leaves or presses Stop ends the process as well.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterable, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from types import MappingProxyType
from typing import Any, cast

from lab import plugins
from lab.algebra import Progress
from lab.errors import UploadError
from lab.models.secrets import without_secrets
from lab.reading import read, worker
from lab.reading.read import LIMITS, Columns, Limits, ReadResult
from lab.reading.uploads import MB, NOTHING_MORE, TakeIn
from lab.words import N_, Said

MOST = 4
"""Maximum number of processes at a time."""
GRACE, LOOK = 5.0, 0.1
"""Seconds that a process may be silent beyond the time for one file, and between two looks at what it says."""
PATIENCE = 3
"""Files at which processes are ended; the files after the last of them are not read."""
_LARGE = 8 * MB
"""Bytes of an upload after which a process is ended, so that its memory is given back."""
LOG = logging.getLogger("retrieval_lab")


class _Ended(Exception):
    """The process was ended, or has ended by itself."""


class _Process:
    """A process that reads; a thread puts what it says into a queue."""

    def __init__(self) -> None:
        command = [sys.executable, "-P", str(Path(worker.__file__))]
        pipe = subprocess.PIPE
        settings = {name: os.environ[name] for name in (plugins.VARIABLE, "LAB_PUBLIC") if name in os.environ}
        environment = without_secrets(os.environ) | settings
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment)
        self.answers: SimpleQueue[Any] = SimpleQueue()
        threading.Thread(target=_listen, args=(self._process.stdout, self.answers), daemon=True).start()
        self.end = weakref.finalize(self, _end, self._process)

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, task: Mapping[str, object]) -> None:
        """Sends a task.  Raises `_Ended`."""
        try:
            worker.send(cast(Any, self._process.stdin), task)
        except OSError as error:
            raise _Ended from error


def _listen(stream: Any, answers: SimpleQueue[Any]) -> None:
    with suppress(Exception):
        while True:
            answers.put(worker.receive(stream))
    answers.put(("ended", None))


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(5)


class Readers:
    """The processes of this server."""

    def __init__(self) -> None:
        self._places = threading.Semaphore(MOST)
        self._idle: list[_Process] = []
        self._lock = threading.Lock()

    @contextmanager
    def one(self, beat: Any) -> Any:
        """Lends a process, which is kept for others unless an exception leaves the block."""
        while not self._places.acquire(timeout=LOOK):
            beat()
        try:
            with self._lock:
                process = self._idle.pop() if self._idle else None
            process = process or _Process()
            try:
                yield process
            except BaseException:
                process.end()
                raise
            with self._lock:
                keep = not self._idle
                if keep:
                    self._idle.append(process)
            if not keep:
                process.end()
        finally:
            self._places.release()

    def close(self) -> None:
        """Ends the processes that are not at work."""
        with self._lock:
            for process in self._idle:
                process.end()
            self._idle.clear()


READERS = Readers()


def read_files(
    files: Iterable[tuple[str, bytes]],
    *,
    limits: Limits = LIMITS,
    columns: Mapping[str, Columns] = MappingProxyType({}),
    encoding: str | None = None,
    take_in: TakeIn = NOTHING_MORE,
    progress: Progress = lambda done, total: None,
    grace: float = GRACE,
) -> ReadResult:
    """Returns what `lab.reading.read.read_files` does, read in another process.

    ``progress`` is called several times a second, also while a reader is silent, and may raise to end the process.
    """
    contents, refused = list(files), dict[str, UploadError]()
    task = {"files": contents, "limits": limits, "columns": dict(columns), "encoding": encoding}
    task["take_in"] = dict(take_in)
    total = sum(len(data) for _, data in contents)
    while True:
        watch = _Watch(progress, total, limits.max_seconds + grace)
        try:
            with READERS.one(watch.beat) as process:
                process.ask({**task, "refused": refused})
                result = watch.result(process)
                if total > _LARGE:
                    process.end()
            return result
        except OSError:  # a machine on which no process can be started
            LOG.exception("uploads are read in the process of the server")
            options: Any = {"limits": limits, "columns": columns, "encoding": encoding, "take_in": take_in}
            return read.read_files(contents, **options, progress=progress)
        except _Ended:
            LOG.warning("reading “%s” was ended after %.0f seconds", watch.file, time.monotonic() - watch.heard)
            names = [read.display_name(name) for name, _ in contents]
            if watch.file in refused or not watch.file:
                refused |= {name: _failed(name, limits) for name in names}
            refused[watch.file] = _failed(watch.file, limits)
            if len(refused) >= PATIENCE:
                at = next((i for i, name in enumerate(names) if watch.file.startswith(name)), 0)
                refused |= {name: _not_tried(name) for name in names[at + 1 :]}


class _Watch:
    """What a process says: the file that it reads, and when it was last heard."""

    def __init__(self, progress: Progress, total: int, patience: float) -> None:
        self.progress, self.total, self.patience = progress, total, patience
        self.file, self.done, self.heard = "", 0, time.monotonic()

    def beat(self) -> None:
        """Reports the progress once more, so that the visitor can stop."""
        self.progress(self.done, self.total)

    def result(self, process: _Process) -> ReadResult:
        """Returns the result of a process.  Raises `_Ended`, or what ``progress`` raises."""
        self.heard = time.monotonic()
        while True:
            try:
                kind, value = process.answers.get(timeout=LOOK)
            except Empty:
                if time.monotonic() - self.heard > self.patience:
                    raise _Ended from None
                self.beat()
                continue
            self.heard = time.monotonic()
            if kind == "result":
                return cast(ReadResult, value)
            if kind == "error":
                raise value
            if kind == "ended":
                raise _Ended
            if kind == "file":
                self.file = value
            else:
                self.done, _ = value
                self.beat()


def _failed(file: str, limits: Limits) -> UploadError:
    message = N_(
        "“{file}” was not read: reading it crashed or did not end within {seconds} seconds, so it was ended. "
        "Other files are not affected."
    )
    remedy = Said("Leave it out, or save it in another format or as plain text, and upload that.")
    return UploadError(Said(message, file=file, seconds=round(limits.max_seconds)), remedy)


def _not_tried(file: str) -> UploadError:
    message = Said("“{file}” was not tried: reading earlier files was ended several times.", file=file)
    return UploadError(message, Said("Upload it without those files."))
