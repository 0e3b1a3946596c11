"""What the server spends on the first page, and what it holds then and after all pages, beside a one-chart page.

    python -m benchmarks.light [--rounds 3] [--write]

Each measurement starts a server of its own and opens Compare in a real Chromium as soon as it answers.  Processor time
and resident memory are those of the server and its children when the page is complete; processor time for Compare
counts all that the server does meanwhile, also for pages that nobody has opened yet.  A visitor without a browser
(`benchmarks.visitors`) then opens every page in both languages on the same server.  Ten idle minutes follow at once:
the lab's clock is set forward, and what visitors had and nobody has used since goes, as it does on a server.  What
stays is imported code: chromadb imports the exporters of opentelemetry and grpc (12 MB) whether or not its telemetry is
on, and pandas imports pyarrow (30 MB) where it is installed.  A search from the command line is a process of its own.
Median of the rounds, interleaved, with compiled modules, as pip leaves them.  Ends with status 1 if a promise does not
hold.
"""

from __future__ import annotations

import argparse
import compileall
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from playwright.sync_api import sync_playwright

from benchmarks import common
from benchmarks.first_paint import FLAGS, ONE_CHART, settled
from benchmarks.visitors import LIMIT, ROOT, Visitor, apart, serving
from lab.ui.navigation import COURSE, HOME, PATH

HEADING = "A light start"
CHART, COMPARE = "one chart", "compare"
TIME, FIRST, ALL, DRAWN = "processor, s", "memory then, MB", "after all pages, MB", "complete after, s"
IDLE = "ten idle minutes later, MB"
PROMISES = {TIME: 2.5, FIRST: 3.5, ALL: 6.0}
"""How many times the one-chart page Compare may be, at most."""
LATER = """
import runpy, signal, threading, time

clock, ahead = time.monotonic, [0.0]
time.monotonic = lambda: clock() + ahead[0]

def pass_minutes():
    from lab.kept import IDLE, drop_unused
    from lab.ui import server
    from lab.ui.cache import VISITORS
    from lab.ui.people.visitor import LONGEST_PAUSE, give_back
    start = clock()
    VISITORS.sweep()
    ahead[0] += 10  # nobody is there, so the rest is made ready
    for thread in threading.enumerate():
        if thread.name == "make ready":
            thread.join()
    while_resumable = range(0, int(server.resumable()), int(LONGEST_PAUSE))
    for passed in (*while_resumable, IDLE + 60, IDLE + 61, IDLE + 62):
        ahead[0] = max(ahead[0], start + passed - clock())
        VISITORS.sweep()
        drop_unused()
        time.sleep(0.5)
    give_back()
    print("ready", flush=True)

signal.signal(signal.SIGUSR1, lambda *_: threading.Thread(target=pass_minutes).start())
runpy.run_module("lab", run_name="__main__", alter_sys=True)
"""
"""Starts the lab; at a signal, ten minutes have passed in which nobody was there."""
QUIET = 3.0
"""Seconds for what follows a departure."""
TICKS = os.sysconf("SC_CLK_TCK")
SEARCH = ("search", "--corpus", "devices", "wireless headset drops the connection")


def family(pid: int) -> list[Path]:
    """The folders in /proc of a process and of all that it has started."""
    children = [
        int(child) for task in Path(f"/proc/{pid}").glob("task/*/children") for child in task.read_text().split()
    ]
    return [Path(f"/proc/{pid}"), *(folder for child in children for folder in family(child))]


def seconds_spent(pid: int) -> float:
    """Processor seconds of a process and its children, those that are over included."""
    return sum(
        sum(map(int, (folder / "stat").read_text().rpartition(")")[2].split()[11:15])) / TICKS for folder in family(pid)
    )


def megabytes(pid: int) -> float:
    """Resident memory of a process and its children; a page of memory that they share counts for each."""
    pages = sum(int((folder / "statm").read_text().split()[1]) for folder in family(pid))
    return pages * resource.getpagesize() / 2**20


async def open_all(url: str) -> None:
    """Opens every page in both languages, as a visitor who looks at one after the other."""
    names = [listed.name for listed in (HOME, COURSE, *(x for *_how, pages in PATH for x in pages))]
    for language in ("en", "zh"):
        async with Visitor(url, lang=language) as visitor:
            await visitor.open()  # a link says the language; the navigation keeps it
            for name in names:
                await visitor.go(name)
            if visitor.errors:
                sys.exit(f"A page shows an error: {visitor.errors[0]}")


def measured(script: Path | None, path: str, shown: str) -> dict[str, float]:
    """The figures of one fresh server."""
    with TemporaryFile() as log, serving(script, start=("-c", LATER), log=log) as server, sync_playwright() as p:
        browser = p.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        start = time.perf_counter()
        page.goto(server.url + path)
        page.wait_for_selector(shown, timeout=120_000)
        settled(page)
        figures = {DRAWN: time.perf_counter() - start}
        figures |= {TIME: seconds_spent(server.pid), FIRST: megabytes(server.pid)}
        if script is None:
            apart(open_all(server.url))
            figures[ALL] = megabytes(server.pid)
            page.close()
            time.sleep(QUIET)
            os.kill(server.pid, signal.SIGUSR1)
            end = time.monotonic() + LIMIT
            while b"ready\n" not in os.pread(log.fileno(), 1 << 30, 0):
                if time.monotonic() > end:
                    sys.exit("The ten minutes do not pass.")
                time.sleep(0.1)
            figures[IDLE] = megabytes(server.pid)
        browser.close()
        return figures


def search_seconds() -> float:
    """Processor seconds of a search from the command line."""
    before = os.times()
    subprocess.run([sys.executable, "-m", "lab", *SEARCH], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/results")
    options = parser.parse_args()
    values: dict[str, dict[str, list[float]]] = {CHART: defaultdict(list), COMPARE: defaultdict(list)}
    searches = []
    for folder in ("lab", "lab_packs", "pages"):
        compileall.compile_dir(ROOT / folder, quiet=2)  # as pip does
    with TemporaryDirectory() as folder:
        chart = Path(folder) / "one_chart.py"
        chart.write_text(ONE_CHART)
        for _ in range(options.rounds):
            for figure, value in measured(chart, "", '[data-testid="stPlotlyChart"]').items():
                values[CHART][figure].append(value)
            for figure, value in measured(None, "compare", "section.list .card").items():
                values[COMPARE][figure].append(value)
            searches.append(search_seconds())
    medians = {name: {f: statistics.median(xs) for f, xs in figures.items()} for name, figures in values.items()}
    beside = medians[CHART] | dict.fromkeys((ALL, IDLE), medians[CHART][FIRST])
    ratios = {figure: medians[COMPARE][figure] / beside[figure] for figure in (TIME, FIRST, ALL, IDLE, DRAWN)}
    promised = ", ".join(f"{figure.split(',')[0]} {most:g}" for figure, most in PROMISES.items())
    lines = [
        f"`python -m benchmarks.light --rounds {options.rounds}`: a fresh server and its children, median.  All pages:"
        " each in both",
        f"languages.  Promise, as times a Streamlit page with one chart: {promised}. {common.machine()}.\n",
        "| | one chart | compare | times |\n|---|--:|--:|--:|",
        *(f"| {f} | {beside[f]:.2f} | {medians[COMPARE][f]:.2f} | {ratios[f]:.2f} |" for f in ratios),
        "",
        "| command | processor, s |\n|---|--:|",
        f"| retrieval-lab search, a sample corpus | {statistics.median(searches):.2f} |",
    ]
    print("\n".join(lines))
    if options.write:
        common.write(HEADING, "\n".join(lines), peers=("streamlit",))
    return common.verdict([f"{f} at most {most:g} times" for f, most in PROMISES.items() if ratios[f] > most])


if __name__ == "__main__":
    sys.exit(main())
