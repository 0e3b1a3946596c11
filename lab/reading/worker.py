"""The process that reads uploads for a server: it can be ended at any time, whatever a file does to a reader.

    python -P lab/reading/worker.py

Tasks come from its standard input, each a dictionary of the arguments of `lab.reading.read.read_files` with
``refused``, the errors of files that are not to be read again.  Its answers are pairs: ``file`` and a name when a file
begins, ``progress`` and (done, total), ``result`` and a `ReadResult`, or ``error`` and the exception.  Tasks and
answers are pickled, each after its length in eight bytes.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from pathlib import Path
from typing import Any, BinaryIO

REPORTS = 0.1
"""Minimum seconds between two reports of progress."""


def receive(stream: BinaryIO) -> Any:
    """Returns the next object of a stream.  Raises `EOFError` if there is none."""
    length = int.from_bytes(_exactly(stream, 8), "big")
    return pickle.loads(_exactly(stream, length))


def _exactly(stream: BinaryIO, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        part = stream.read(count - len(data))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


def send(stream: BinaryIO, value: object) -> None:
    data = pickle.dumps(value)
    stream.write(len(data).to_bytes(8, "big"))
    stream.write(data)
    stream.flush()


def _answer(task: dict[str, Any], answers: BinaryIO) -> None:
    from lab.reading.read import read_files

    refused, reported = task.pop("refused"), 0.0

    def begin(file: str) -> None:
        send(answers, ("file", file))
        if file in refused:
            raise refused[file]

    def progress(done: int, total: int) -> None:
        nonlocal reported
        if time.monotonic() - reported > REPORTS:
            send(answers, ("progress", (done, total)))
            reported = time.monotonic()

    try:
        answer: tuple[str, object] = "result", read_files(**task, begin=begin, progress=progress)
    except Exception as error:
        answer = "error", error
    send(answers, answer)


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parents[2]))
    tasks, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a library's prints are not an answer
    while True:
        try:
            task = receive(tasks)
        except EOFError:
            return
        _answer(task, answers)


if __name__ == "__main__":
    main()
