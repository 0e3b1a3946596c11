"""A lesson of thirty on one small server: how long they wait, what they take, what is left of it.

    python -m benchmarks.lesson [--visitors 30] [--minutes 10] [--after 11] [--write]

Every visitor (`benchmarks.visitors`: websocket clients, since thirty browsers would be measured instead of the server)
opens the course and guesses at its first steps, asks questions of their own, moves the weights of Fusion, turns to
other pages and asks on; every second one has a corpus of their own, a text of a megabyte that they upload.  Between two
acts they look at the page, `PAUSE` seconds in the mean.  An act is from its message to the end of its run.  The memory
is that of the server: before, the most, and ``--after`` minutes after the last has left; uploads are let go after ten.
Processor seconds are the server's own, so that they say what an act costs whatever else the machine does.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import sys
import time
from collections import defaultdict
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import common
from benchmarks.visitors import Server, Visitor, apart, serving
from lab.corpus import samples

HEADING = "A lesson of thirty"
PAUSE = 8.0
"""Seconds between two acts of a visitor, in the mean."""
MEGABYTE = 1_000_000
QUESTIONS = {
    "en": (
        "the battery does not charge",
        "headset shows E21",
        "how do I pair two devices",
        "firmware 2.4.1",
        "warranty",
    ),
    "zh": ("出差住宿每晚能报多少", "年假可以折算工资吗", "报销要几天", "E21 是什么意思", "谁来批加班"),
}
PAGES = ("compare", "mmr", "rerank", "filter", "tokenizer", "evaluate", "answer")
STEPS = 4


@dataclass
class Lesson:
    """What is seen of it: seconds of every act by its kind, errors of pages, megabytes of the server."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)
    before: float = 0.0
    most: float = 0.0
    left: float = 0.0
    busy: float = 0.0
    lasted: float = 0.0

    @property
    def all(self) -> list[float]:
        """Seconds of all acts."""
        return [seconds for kind in self.seconds.values() for seconds in kind]


class Pupil(Visitor):
    """One visitor of the lesson."""

    def __init__(self, server: Server, number: int, lesson: Lesson) -> None:
        self.lang = "zh" if number % 3 == 0 else "en"
        super().__init__(server.url, "course", lang=self.lang)
        self.rng, self.lesson, self.own = random.Random(number), lesson, number % 2 == 1

    async def act(self, kind: str, seconds: float) -> None:
        """Note an act, and look at the page for a while."""
        self.lesson.seconds[kind].append(seconds)
        self.lesson.errors += [f"{self.page}, {kind}: {error}" for error in self.errors]
        self.errors.clear()
        await asyncio.sleep(min(self.rng.expovariate(1 / PAUSE), 5 * PAUSE))

    async def attend(self, end: float) -> None:
        """From the first page to the end of the lesson."""
        await asyncio.sleep(self.rng.uniform(0, PAUSE))  # nobody opens a page at exactly the same moment
        await self.act("first page", await self.open())
        for _ in range(STEPS):
            for key in ("course.option.0", "course.next"):
                if key in self.widgets:
                    await self.act("course", await self.press(key))
        if self.own:
            await self.bring()
        while time.monotonic() < end:
            await self.act("page", await self.go("fusion"))
            await self.ask()
            for _ in range(4):
                if "fusion.weight" in self.widgets:
                    await self.act("knob", await self.set("fusion.weight", [self.rng.randrange(20) / 20]))
            await self.act("page", await self.go(self.rng.choice(PAGES)))
            await self.ask()

    async def ask(self) -> None:
        """A question, where there is a field for one."""
        if "q" in self.widgets:
            words = self.rng.choice(QUESTIONS[self.lang]) + self.rng.choice(("", "?", " 2", " today"))
            await self.act("question", await self.type("q", words))

    async def bring(self) -> None:
        """A text of a megabyte becomes the corpus."""
        await self.act("page", await self.go("corpus"))
        if "corpus.files" not in self.widgets:
            await self.act("knob", await self.set("corpus.fold.add", True))
        documents, texts, size = samples.load("devices").corpus.documents, list[str](), 0
        while size < MEGABYTE:
            texts.append(f"{self.rng.choice(documents).text} {self.rng.getrandbits(32):08x}")
            size += len(texts[-1].encode()) + 2
        text = "\n\n".join(texts).encode()
        await self.act("upload", await self.upload("corpus.files", f"notes {id(self):x}.txt", text))
        button = next(key for key in self.widgets if key.startswith("FormSubmitter:corpus.use"))
        await self.act("upload", await self.press(button))


def megabytes(pid: int) -> float:
    """What the process holds."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def processor(pid: int) -> float:
    """Seconds of the processor that the process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def attended(server: Server, visitors: int, seconds: float, lesson: Lesson) -> None:
    """The lesson itself."""

    async def weigh() -> None:
        while True:
            lesson.most = max(lesson.most, megabytes(server.pid))
            await asyncio.sleep(0.5)

    weighing, start = asyncio.create_task(weigh()), time.monotonic()
    async with AsyncExitStack() as stack:
        pupils = [await stack.enter_async_context(Pupil(server, i, lesson)) for i in range(visitors)]
        await asyncio.gather(*(pupil.attend(start + seconds) for pupil in pupils))
    weighing.cancel()
    lesson.lasted = time.monotonic() - start


def held(visitors: int, seconds: float, after: float) -> Lesson:
    """A lesson on a server of its own, which nobody else visits."""
    lesson = Lesson()
    with serving() as server:
        time.sleep(15)  # it makes itself ready
        lesson.before, busy = megabytes(server.pid), processor(server.pid)
        apart(attended(server, visitors, seconds, lesson))
        lesson.busy = processor(server.pid) - busy
        time.sleep(after)
        lesson.left = megabytes(server.pid)
    return lesson


def high(seconds: list[float]) -> float:
    """What 95 of 100 stay below."""
    return statistics.quantiles(seconds, n=20)[-1] if len(seconds) > 1 else seconds[0]


def table(lesson: Lesson, visitors: int, after: float) -> list[str]:
    """The lines of the table."""
    acts = len(lesson.all)
    rows = ["| | actions | median, ms | P95, ms |\n|---|--:|--:|--:|"]
    for kind, seconds in [*sorted(lesson.seconds.items()), ("all", lesson.all)]:
        rows.append(
            f"| {kind} | {len(seconds)} | {1000 * statistics.median(seconds):.0f} | {1000 * high(seconds):.0f} |"
        )
    cost, each = lesson.busy / acts, (lesson.most - lesson.before) / visitors
    told = {
        "processor milliseconds per action": f"{1000 * cost:.0f}",
        "actions per second": f"{acts / lesson.lasted:.2f}",
        "share of one core": f"{lesson.busy / lesson.lasted:.0%}",
        "visitors at this pace that keep one core busy, calculated": f"{visitors * lesson.lasted / lesson.busy:.0f}",
        "memory before, MB": f"{lesson.before:.0f}",
        "maximum, MB": f"{lesson.most:.0f}",
        "per visitor, MB": f"{each:.0f}",
        f"{after:g} minutes after the last visitor left, MB": f"{lesson.left:.0f}",
        "errors on pages": f"{len(lesson.errors)}",
    }
    return [*rows, "", "| | |\n|---|--:|", *(f"| {name} | {value} |" for name, value in told.items())]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visitors", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--after", type=float, default=11, help="minutes after which the memory is read again")
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/results")
    options = parser.parse_args()
    lesson = held(options.visitors, 60 * options.minutes, 60 * options.after)
    lines = [
        f"`python -m benchmarks.lesson --visitors {options.visitors} --minutes {options.minutes:g}`: half of them with",
        f"a megabyte of their own, one action about every {PAUSE:g} seconds each. {common.machine()}.\n",
        *table(lesson, options.visitors, options.after),
    ]
    print("\n".join(lines))
    if options.write:
        common.write(HEADING, "\n".join(lines), peers=("streamlit",))
    for error in lesson.errors[:20]:
        print(error, file=sys.stderr)
    return 1 if lesson.errors else 0


if __name__ == "__main__":
    sys.exit(main())
