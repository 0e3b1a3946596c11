"""How long a visitor waits for the first page: home and Compare against a one-chart Streamlit page.

    python -m benchmarks.first_paint [--rounds 3] [--write]

Each measurement starts a server of its own, which has served nothing yet, opens one page in a real Chromium as soon as
the server answers, and waits until its picture is there, the script has run and nothing is loading any more.  (The lab
begins to make itself ready by itself when its server stands, see `lab.ui.launch`; the peer has Streamlit's own
settings.)  The table gives the median of the rounds, interleaved, and the ratio to the one-chart page of the same run.
Ends with status 1 where Compare takes more than `PROMISE` times as long.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks import common
from benchmarks.visitors import serving

HEADING = "The first page"
PROMISE = 1.4
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ONE_CHART = """
import plotly.graph_objects as go
import streamlit as st

st.title("One chart")
st.plotly_chart(go.Figure(go.Scatter(x=[1, 2, 3], y=[2, 1, 3])))
"""
BUSY = """() => !document.querySelector('[data-testid="stApp"]')
    || document.querySelector('[data-testid="stApp"]').getAttribute('data-test-script-state') === 'running'
    || ['stStatusWidget', 'stSkeleton', 'stAppSkeleton', 'stSpinner'].some(
        id => document.querySelector(`[data-testid="${id}"]`))
    || !document.querySelector(
        '[data-testid="stMain"] [data-testid="stElementContainer"], [data-testid="stMain"] h1')"""


def settled(page: Page) -> None:
    """Wait until nothing has been busy for three looks in a row."""
    calm, end = 0, time.time() + 60
    while calm < 3 and time.time() < end:
        calm = 0 if page.evaluate(BUSY) else calm + 1
        time.sleep(0.05)


def first_paint(script: Path | None, path: str, shown: str) -> float:
    """Seconds from opening the page to its being drawn, on a server that has served nothing yet."""
    with serving(script) as server, sync_playwright() as p:
        browser = p.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        start = time.perf_counter()
        page.goto(server.url + path)
        page.wait_for_selector(shown, timeout=120_000)
        settled(page)
        seconds = time.perf_counter() - start
        browser.close()
        return seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/results")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        chart = Path(folder) / "one_chart.py"
        chart.write_text(ONE_CHART)
        drawn = '[data-testid="stPlotlyChart"]'
        pages = {
            "one chart": (chart, "", drawn),
            "home": (None, "", ".path .step"),
            "compare": (None, "compare", "section.list .card"),
        }
        seconds: dict[str, list[float]] = {name: [] for name in pages}
        for _ in range(options.rounds):
            for name, (script, path, shown) in pages.items():
                seconds[name].append(first_paint(script, path, shown))
    found = {name: statistics.median(values) for name, values in seconds.items()}
    ratios = {name: value / found["one chart"] for name, value in found.items()}
    lines = [
        f"`python -m benchmarks.first_paint --rounds {options.rounds}`: seconds from opening a page on a fresh "
        "server until its picture",
        f"is complete and nothing is loading; median. Promise: Compare at most {PROMISE} times a Streamlit page "
        f"with one chart. {common.machine()}.\n",
        "| page | seconds (median) | against one chart |\n|---|--:|--:|",
        *(f"| {name} | {found[name]:.2f} | {ratios[name]:.2f} |" for name in pages),
    ]
    print("\n".join(lines))
    if options.write:
        common.write(HEADING, "\n".join(lines), peers=("streamlit",))
    if ratios["compare"] > PROMISE:
        print(f"Does not hold: Compare at most {PROMISE} times.", file=sys.stderr)
    return int(ratios["compare"] > PROMISE)


if __name__ == "__main__":
    sys.exit(main())
