"""What the benchmarks share: collections, real texts in any number of chunks, the machine, files of results."""

from __future__ import annotations

import json
import os
import platform
import random
import re
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_limits

from lab.corpus import beir, samples
from lab.text.borders import sentences

RESULTS = Path(__file__).with_name("results")
"""What the benchmarks found, a file of each."""
SOURCES = ("cmrc2018", "stard_pool", "xquad_en", "xquad_zh")
LENGTH = 120
"""Characters per chunk."""
STEP = 8
"""The second pass over the texts starts so many characters later, and so on: chunks overlap, none is equal."""


def collections() -> Path:
    """The folder of the test collections.  Ends the program, saying what to set, where there is none."""
    root = os.environ.get("LAB_COLLECTIONS", "")
    missing = [name for name in SOURCES if not (Path(root) / name / "corpus.jsonl").is_file()]
    if not root or missing:
        sys.exit(
            "Set LAB_COLLECTIONS to a folder that holds "
            + ", ".join(SOURCES)
            + " in the BEIR layout (corpus.jsonl and "
            "queries.jsonl with _id and text); benchmarks/README.md names the sources."
            + (f" Not found: {', '.join(missing)}." if root else "")
        )
    return Path(root)


def load(name: str) -> beir.Collection:
    """A sample corpus by its name, or this folder of LAB_COLLECTIONS.  Ends the program where there is none."""
    if name in samples.names():
        return samples.load(name)
    root = os.environ.get("LAB_COLLECTIONS")
    if not root:
        sys.exit("Set LAB_COLLECTIONS to the folder of the test collections (see benchmarks/README.md).")
    return beir.load(Path(root) / name)


def lines(path: Path) -> Iterator[str]:
    """The texts of a JSON-lines file."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)["text"]


def chunks(number: int) -> list[str]:
    """The first ``number`` of one fixed shuffle of the chunks, so that every size is a part of the next."""
    texts = [text for name in SOURCES for text in lines(collections() / name / "corpus.jsonl")]
    found: dict[str, None] = {}
    for offset in range(0, LENGTH, STEP):
        one_pass = [text[i : i + LENGTH] for text in texts for i in range(offset, len(text), LENGTH)]
        random.Random(offset).shuffle(one_pass)
        found.update(dict.fromkeys(chunk for chunk in one_pass if len(chunk) >= LENGTH // 4))
        if len(found) >= number:
            return list(found)[:number]
    sys.exit(f"The collections give {len(found)} chunks, not {number}.")


def shuffled(number: int) -> list[str]:
    """So many chunks of the sentences of the collections, in ever new orders."""
    rng, out = random.Random(1), list[str]()
    texts = [text for name in SOURCES for text in lines(collections() / name / "corpus.jsonl")]
    found = [text[a:b] + " " for text in texts for a, b in sentences(text)]
    while len(out) < number:
        rng.shuffle(found)
        one_pass = "".join(found)
        out += [one_pass[i : i + LENGTH] for i in range(0, len(one_pass) - LENGTH, LENGTH)]
    return out[:number]


def queries(number: int = 50) -> list[str]:
    """So many questions, equally many from each source."""
    each = [list(lines(collections() / name / "queries.jsonl")) for name in SOURCES]
    picked = [random.Random(0).sample(qs, -(-number // len(each))) for qs in each]
    return [q for group in zip(*picked, strict=True) for q in group][:number]


def one_thread() -> None:
    """One thread for everything: what is measured is the work.  Call it before anything is loaded."""
    for variable in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = "1"  # for the tokenizers, which read it when they begin, and for other processes
    threadpool_limits(1)  # for numpy and scipy, for as long as this process lives


def processor() -> float:
    """Processor seconds of this process, and of those that it started and that are over."""
    return sum(os.times()[:4])


def peak_megabytes() -> float:
    """The most memory that this process has held so far, since `watch` with those that it started."""
    unit = 1024 if sys.platform.startswith("linux") else 1  # ru_maxrss is in kB on Linux, in bytes on macOS
    return max(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit, _together[0]) / 2**20


def watch() -> None:
    """From now on `peak_megabytes` counts the processes that this one starts, looked at ten times a second (Linux)."""

    def look() -> None:
        while True:
            with suppress(OSError):  # one has just ended
                _together[0] = max(_together[0], _resident())
            time.sleep(0.1)

    threading.Thread(target=look, daemon=True).start()


_together = [0]


def _resident() -> int:
    """Bytes of this process and of its children; a child that has not begun its own program is still this process."""
    own = Path("/proc/self")
    pids = [pid for task in own.glob("task/*/children") for pid in task.read_text().split()]
    begun = [child for pid in pids if (child := Path("/proc", pid)).joinpath("cmdline").read_bytes() != _OWN]
    pages = sum(int(process.joinpath("statm").read_text().split()[1]) for process in (own, *begun))
    return pages * resource.getpagesize()


_OWN = Path("/proc/self/cmdline").read_bytes() if sys.platform.startswith("linux") else b""


def machine() -> str:
    """Processor count, system and Python, and how many processes have been running or waiting for a minute."""
    busy = f", load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"{os.cpu_count()} cores, {system}{busy}"


def versions(*packages: str) -> str:
    """Names and installed versions, as told beside a table."""
    return ", ".join(f"{package} {version(package)}" for package in packages)


def verdict(missed: Sequence[str]) -> int:
    """Prints the promises that do not hold; the exit status is 1 if there are any."""
    for promise in missed:
        print(f"Does not hold: {promise}.", file=sys.stderr)
    return int(bool(missed))


def commit() -> str:
    """The commit of this checkout, by its first characters, and whether what it measures was changed since."""

    def git(*words: str) -> str:
        here = Path(__file__).parent
        done = subprocess.run(("git", *words), cwd=here.parent, capture_output=True, text=True, check=False)
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--", "lab", "lab_packs", "pages", "app.py", "pyproject.toml")
    return (git("rev-parse", "--short=8", "HEAD") or "unknown") + (", with changes" if changed else "")


def write(heading: str, text: str, peers: Sequence[str] = ()) -> None:
    """Put a section into the file of the running benchmark, in the place of the last one of this heading or at the end.

    The file is ``results/<benchmark>.md``; the section says of which commit it is, and which versions the packages
    have that are measured beside the lab.  README.md shows what it then has.
    """
    from benchmarks import summary

    program = Path(sys.argv[0]).stem
    file = RESULTS / f"{program}.md"
    old = file.read_text("utf-8") if file.exists() else f"# `python -m benchmarks.{program}`\n"
    beside = f"; {versions(*peers)}" if peers else ""
    section = f"## {heading}\n\nCommit {commit()}, {date.today()}{beside}.\n\n{text.strip()}\n\n"
    pattern = rf"^## {re.escape(heading)}\n.*?(?=^## |\Z)"
    new, found = re.subn(pattern, lambda _: section, old, count=1, flags=re.DOTALL | re.MULTILINE)
    if not found:
        new = f"{old.rstrip()}\n\n{section}"
    file.write_text(new.rstrip() + "\n", "utf-8")
    summary.update()
