"""How long a visitor waits for the first page: home and Compare against a one-chart Streamlit page.

    python -m benchmarks.first_paint [--rounds 3]

Each measurement starts a server of its own (nothing is loaded yet), opens one page in a real Chromium and
waits until its picture is there, the script has run and nothing is loading any more.  The table gives the median of
the rounds, interleaved, and the ratio to the one-chart page of the same run.
"""

from __future__ import annotations

import argparse
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
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


def first_paint(command: list[str], path: str, shown: str) -> float:
    """Seconds from opening the page to its being drawn, on a server that has served nothing yet."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    server = subprocess.Popen(
        [*command, "--server.headless", "true", "--server.address", "127.0.0.1", "--server.port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
    )
    url = f"http://127.0.0.1:{port}/"
    try:
        for _ in range(400):
            try:
                urllib.request.urlopen(url + "_stcore/health", timeout=1).read()
                break
            except OSError:
                time.sleep(0.1)
        with sync_playwright() as p:
            browser = p.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            page = browser.new_page(viewport={"width": 1400, "height": 1000})
            start = time.perf_counter()
            page.goto(url + path)
            page.wait_for_selector(shown, timeout=60_000)
            settled(page)
            seconds = time.perf_counter() - start
            browser.close()
        return seconds
    finally:
        server.terminate()
        server.wait(10)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        chart = Path(folder) / "one_chart.py"
        chart.write_text(ONE_CHART)
        drawn = '[data-testid="stPlotlyChart"]'
        lab = [sys.executable, "-m", "lab"]
        pages = {
            "one chart": ([sys.executable, "-m", "streamlit", "run", str(chart)], "", drawn),
            "home": (lab, "", ".path .step"),
            "compare": (lab, "compare", drawn),
        }
        seconds: dict[str, list[float]] = {name: [] for name in pages}
        for _ in range(rounds):
            for name, (command, path, shown) in pages.items():
                seconds[name].append(first_paint(command, path, shown))
    base = statistics.median(seconds["one chart"])
    print("| page | seconds (median) | against one chart |\n|---|---|---|")
    for name, values in seconds.items():
        print(f"| {name} | {statistics.median(values):.2f} | {statistics.median(values) / base:.2f} |")


if __name__ == "__main__":
    main()
