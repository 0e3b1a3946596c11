"""Thirty visitors for ten minutes: no exception, nobody sees what is another's, the memory stays as it is.

    python -m benchmarks.soak [--visitors 30] [--minutes 10] [--seed 1] [--write]

Every place of the room is taken by one visitor after the other (`benchmarks.visitors`): each goes from page to page,
asks questions, moves knobs, opens folds, chooses corpus, embedder and language, uploads a text of a megabyte and
searches it, and leaves, sometimes in the middle of a run.  The server has a language model that answers, answers late,
answers nonsense, fails, or does not answer (`tests/models/server.py`).  What a visitor types and uploads carries a word
of their own, and every message of the server to everybody else is looked through for it.  Ends with status 1 where the
log or a page has an exception, where somebody sees another's word, or where the memory of the second half, in means of
quarters of it, changes by more than `FLAT`.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import common
from benchmarks.visitors import Visitor, apart, serving
from lab.corpus import samples
from lab.ui import navigation
from tests.models.server import Server

HEADING = "A soak"
QUARTERS = 4
"""The second half is compared in so many parts."""
FLAT = 0.10
"""How much the memory may change from one to another."""
STAY = 60.0
"""Seconds that a visitor stays, in the mean."""
PAUSE = 3.0
"""Seconds between two acts of a visitor, in the mean."""
MARK = "zq7"
"""With this begins every word that belongs to one visitor."""
FOUND = re.compile(MARK.encode() + rb"[0-9a-f]{8}")
BEHAVIOURS = ("answer", "slow", "late", "500", "429 after 0", "empty", "truncated", "page", "drop", "stall")
KINDS = ("Slider", "NumberInput", "Selectbox", "MultiSelect", "Checkbox", "Block")
"""Kinds of widgets whose values are changed; a block is a fold."""
PAGES = tuple(sorted(page.name for page in navigation.every()))
UNTOUCHED = {"embedder.add", "llm.open"}
"""Widgets that nobody touches here: what they open asks for models of other machines."""


@dataclass
class Told:
    """What is seen in a soak."""

    runs: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
    memory: list[tuple[float, float]] = field(default_factory=list)
    visitors: int = 0

    def flat(self) -> float:
        """By how much the memory of the second half changes, in means of quarters of it, against the least of them."""
        half = [mb for _at, mb in self.memory[len(self.memory) // 2 :]]
        size = max(1, len(half) // QUARTERS)
        means = [statistics.mean(half[i * size : (i + 1) * size]) for i in range(QUARTERS) if half[i * size :]]
        return max(means) / min(means) - 1 if means else 0.0


class Guest(Visitor):
    """A visitor with a word of their own, who notes the words of others."""

    patience = 900.0  # on a machine that has other things to do as well

    def __init__(self, url: str, page: str, rng: random.Random, told: Told) -> None:
        super().__init__(url, page, lang=rng.choice(["en", "zh"]))
        self.word, self.rng, self.told = f"{MARK}{rng.getrandbits(32):08x}", rng, told

    def look(self, data: bytes) -> None:
        own = self.word.encode()
        self.told.strangers += [f"{self.page}: {w!r}" for w in FOUND.findall(data) if w != own]

    async def act(self) -> None:
        """One thing that somebody does."""
        act = self.rng.choices((self.knob, self.ask, self.leaf, self.bring), (6, 3, 3, 1))[0]
        start = time.perf_counter()
        await act()
        self.told.seconds.append(time.perf_counter() - start)
        self.told.runs[act.__name__] += 1
        self.told.errors += [f"{self.page} ({act.__name__}): {error}" for error in self.errors]
        self.errors.clear()

    async def knob(self) -> None:
        """Another value for one of the widgets."""
        known = {k: w for k, w in self.widgets.items() if type(w).__name__ in KINDS and k not in UNTOUCHED}
        known = {k: w for k, w in known.items() if w.id in self.values and not getattr(w, "disabled", False)}
        if known:
            key = self.rng.choice(sorted(known))
            await self.set(key, self._value(known[key]))
        else:
            await self.leaf()

    def _value(self, widget: Any) -> Any:
        kind = type(widget).__name__
        if kind == "Slider" and widget.type == widget.SELECT_SLIDER:
            return [self.rng.choice(list(widget.options))]
        if kind in ("Slider", "NumberInput"):
            low = widget.min if kind == "Slider" or widget.has_min else 0.0
            high = widget.max if kind == "Slider" or widget.has_max else 10.0
            step = widget.step or 1.0
            value = low + step * self.rng.randint(0, int(min((high - low) / step, 200)))
            return [value] if kind == "Slider" else value
        if kind == "Selectbox":
            return self.rng.choice(list(widget.options) or [""])
        if kind == "MultiSelect":
            return self.rng.sample(list(widget.options), self.rng.randint(0, min(3, len(widget.options))))
        return self.rng.random() < 0.5

    async def ask(self) -> None:
        """A question of their own, where there is a field for one."""
        words = self.rng.choice(["battery does not charge", "退货 要几天", "firmware 2.4.1", "who pays for travel", ""])
        if "q" in self.widgets:
            await self.type("q", f"{words} {self.word}")
        else:
            await self.leaf()

    async def leaf(self) -> None:
        """To another page."""
        await self.go(self.rng.choice(PAGES))

    async def bring(self) -> None:
        """A text of about a megabyte, and a question about it."""
        await self.go("corpus")
        if "corpus.files" not in self.widgets:
            await self.set("corpus.fold.add", True)
        documents = samples.load("devices").corpus.documents
        text = "\n\n".join(f"{self.word} {self.rng.choice(documents).text}" for _ in range(1200))
        await self.upload("corpus.files", f"{self.word}.txt", text.encode())
        button = next((k for k in self.widgets if k.startswith("FormSubmitter:corpus.use")), None)
        if button:
            await self.press(button)
            await self.go(self.rng.choice(("compare", "fusion", "mmr")))
            await self.ask()


async def place(url: str, rng: random.Random, end: float, told: Told) -> None:
    """One visitor after the other, until the end."""
    while time.monotonic() < end:
        told.visitors += 1
        leaves = min(end, time.monotonic() + rng.expovariate(1 / STAY))
        guest = Guest(url, rng.choice(PAGES), rng, told)
        async with guest:
            await guest.open()
            while time.monotonic() < leaves:
                await guest.act()
                await asyncio.sleep(min(rng.expovariate(1 / PAUSE), 20))
            if rng.random() < 0.2:  # somebody who does not wait for the end of a run
                with suppress(TimeoutError):
                    await asyncio.wait_for(guest.run(), 0.05)


async def soak(url: str, pid: int, visitors: int, seconds: float, seed: int = 1) -> Told:
    """What is seen while so many visitors are at the server for so long."""
    told, start = Told(), time.monotonic()

    async def weigh() -> None:
        while True:
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
            kb = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
            told.memory.append((time.monotonic() - start, kb / 1024))
            await asyncio.sleep(1)

    weighing = asyncio.create_task(weigh())
    end = start + seconds
    await asyncio.gather(*(place(url, random.Random(f"{seed} {i}"), end, told) for i in range(visitors)))
    weighing.cancel()
    return told


def exceptions(log: str) -> list[str]:
    """What the server's log says of exceptions."""
    return [line for line in log.splitlines() if re.search(r"Traceback|Error\b|Exception", line)]


class Moody(Server):
    """A language model that is well, slow or broken, by chance."""

    def __init__(self, seed: int = 1) -> None:
        super().__init__()
        self._rng = random.Random(seed)

    def next(self, text: str) -> str:
        return self._rng.choice(BEHAVIOURS)


def run(visitors: int, seconds: float, seed: int = 1) -> tuple[Told, list[str]]:
    """A whole soak on a server of its own: what was seen, and the exceptions in its log."""
    with Moody(seed) as model, tempfile.TemporaryFile() as log:
        with serving(log=log, LAB_LLM_BASE_URL=model.url, LAB_LLM_MODEL="moody", LAB_UPLOADS_MINUTES="0.5") as server:
            told = apart(soak(server.url, server.pid, visitors, seconds, seed))
        log.seek(0)
        return told, exceptions(log.read().decode("utf-8", "replace"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visitors", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="put the figures into benchmarks/results")
    options = parser.parse_args()
    told, logged = run(options.visitors, 60 * options.minutes, options.seed)
    half = [mb for _at, mb in told.memory[len(told.memory) // 2 :]]
    slow = statistics.quantiles(told.seconds, n=20)[-1] if len(told.seconds) > 1 else 0.0
    acts = ", ".join(f"{n} {name}" for name, n in told.runs.most_common())
    lines = [
        f"`python -m benchmarks.soak --visitors {options.visitors} --minutes {options.minutes:g}`: "
        f"{told.visitors} visitors, {options.visitors} at a time. {common.machine()}.\n",
        "| | |\n|---|--:|",
        f"| acts ({acts}) | {sum(told.runs.values())} |",
        f"| seconds of an act, median and 95 of 100 | {statistics.median(told.seconds or [0]):.2f}, {slow:.2f} |",
        f"| exceptions in the log | {len(logged)} |",
        f"| exceptions on pages | {len(told.errors)} |",
        f"| messages with what is another visitor's | {len(told.strangers)} |",
        f"| memory in the second half, MB | {min(half):.0f} to {max(half):.0f} |",
        f"| change of it, means of quarters (promise: at most {FLAT:.0%}) | {told.flat():.1%} |",
    ]
    print("\n".join(lines))
    for line in [*logged[:20], *told.errors[:20], *told.strangers[:20]]:
        print(line, file=sys.stderr)
    if options.write:
        common.write(HEADING, "\n".join(lines), peers=("streamlit",))
    return 1 if logged or told.errors or told.strangers or told.flat() > FLAT else 0


if __name__ == "__main__":
    sys.exit(main())
