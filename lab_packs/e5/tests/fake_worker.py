"""A process that speaks as `lab_packs.e5.worker` does, without a library: a text says what becomes of it.

``crash`` ends the process, ``once FILE`` does so the first time, ``sleep N`` takes that long; every vector is the
length of its text, three times.  Among the files of its first line, ``first`` and ``answer`` are what it says instead,
so many ``times`` (below zero: for ever); with ``deaf`` it reads nothing more.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import time
from pathlib import Path


def answer(head: dict[str, object], rest: bytes = b"") -> None:
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + rest)
    sys.stdout.buffer.flush()


def say_instead(text: str) -> None:
    times = int(hello["files"]["times"])
    while times:
        sys.stdout.buffer.write(text.encode("latin-1"))
        times -= 1
    sys.stdout.buffer.flush()


hello = json.loads(sys.stdin.buffer.readline())
if "refuse" in hello["files"]:
    answer(json.loads(hello["files"]["refuse"]))
    sys.exit()
if "die" in hello["files"]:
    os._exit(4)
if "first" in hello["files"]:
    say_instead(hello["files"]["first"])
else:
    answer({"dimensions": 3})
if "deaf" in hello["files"]:
    time.sleep(60)
for line in sys.stdin.buffer:
    if "answer" in hello["files"]:
        say_instead(hello["files"]["answer"])
        continue
    task = json.loads(line)
    for text in task["texts"]:
        word, _, rest = text.partition(" ")
        if word == "crash":
            os._exit(3)
        if word == "once" and not Path(rest).exists():
            Path(rest).touch()
            os._exit(3)
        if word == "sleep":
            time.sleep(float(rest))
    answer({"n": len(task["texts"])}, b"".join(struct.pack("<3f", *[len(text)] * 3) for text in task["texts"]))
