"""From the key press to the finished page: one visitor, and thirty at once, on Fusion and on a page with one chart.

    python -m benchmarks.classroom [--presses 15] [--rounds 10] [--visitors 30] [--write]

One visitor sits at a real Chromium, since drawing is a part of the waiting: from the press of an arrow key on a slider
to the last change of the page, once its script has ended and nothing has changed for `CALM` seconds.  Thirty visitors
are websocket clients in this process (`benchmarks.visitors`), since thirty browsers would be measured instead of the
server: all of them move the slider at the same moment, and each waits until its script has ended and all messages are
there.  Medians; the two pages take turns.  The peer is a page with a slider and a chart of fifty points.

The promises are about the two as they are started.  Streamlit collects garbage after every run by default
(`runner.postScriptGC`), the lab does not, and the collection takes longer than the peer's page: so beside it stands
what is measured where both do, and where neither does.  Ends with status 1 where a promise does not hold.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, sync_playwright
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks import common
from benchmarks.first_paint import FLAGS
from benchmarks.visitors import Server, Visitor, serving

HEADING = "A classroom"
ONE, MANY = 1.5, 2.0
"""Promises: Fusion against the page with one chart, for one visitor and for all of them."""
CALM = 0.4
"""Seconds without a change after which a page is finished; they are not counted."""
COLLECTING = "STREAMLIT_RUNNER_POST_SCRIPT_GC"
STARTED = "as they are started: the peer collects garbage after a run"
RULES: dict[str, dict[str, str]] = {
    STARTED: {},
    "both do": {COLLECTING: "true"},
    "neither does": {COLLECTING: "false"},
}
PEER = """
import plotly.graph_objects as go
import streamlit as st

st.title("One chart")
n = st.slider("How many", 1, 200, 50, key="n")
st.plotly_chart(go.Figure(go.Scatter(x=list(range(n)), y=[i * i for i in range(n)])))
"""
WATCH = """() => {
    const seen = window.__seen = { pressed: 0, last: 0 };
    const how = { subtree: true, childList: true, attributes: true, characterData: true };
    const watcher = new MutationObserver(() => { seen.last = performance.now(); });
    watcher.observe(document.documentElement, how);
    document.querySelectorAll("*").forEach((node) => node.shadowRoot && watcher.observe(node.shadowRoot, how));
    window.addEventListener("keydown", () => { seen.pressed = performance.now(); seen.last = 0; }, true);
}"""


class Place(NamedTuple):
    """A page to be measured: where it is, and which slider is moved, by its label and by its key."""

    server: Server
    page: str
    link: dict[str, str]
    label: str
    key: str
    values: Sequence[float]


def one(browser: Browser, place: Place, presses: int) -> list[float]:
    """Milliseconds from each press of a key to the last change of the page, the first press left out."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    ended = []

    def received(data: Any) -> None:
        if ForwardMsg.FromString(data).WhichOneof("type") == "script_finished":
            ended.append(True)

    page.on("websocket", lambda opened: opened.on("framereceived", received))
    page.goto(place.server.url + place.page + "?" + "&".join(f"{k}={v}" for k, v in place.link.items()))
    page.wait_for_selector('[data-testid="stPlotlyChart"] .main-svg', timeout=60_000)
    page.wait_for_timeout(3000)
    page.evaluate(WATCH)
    slider = page.get_by_role("slider", name=place.label)
    slider.focus()
    times = []
    calm = f"() => window.__seen.last && performance.now() - window.__seen.last > {1000 * CALM}"
    for _ in range(presses + 1):
        ended.clear()
        slider.press("ArrowRight")
        while not ended:
            page.wait_for_timeout(10)
        page.wait_for_function(calm, polling=50)
        times.append(float(page.evaluate("() => window.__seen.last - window.__seen.pressed")))
    page.close()
    return times[1:]


async def many(place: Place, visitors: int, rounds: int) -> list[float]:
    """Milliseconds that each visitor waits in each round, in which all move the slider at the same moment."""
    async with AsyncExitStack() as stack:
        room = [Visitor(place.server.url, place.page, **place.link) for _ in range(visitors)]
        for visitor in room:
            await stack.enter_async_context(visitor)
            await visitor.open()
        waited = []
        for n in range(rounds + 1):
            moved = (v.set(place.key, [place.values[(i + n) % len(place.values)]]) for i, v in enumerate(room))
            times = await asyncio.gather(*moved)
            waited += [1000 * t for t in times] if n else []
        assert not any(v.errors for v in room), room[0].errors
        return waited


def places(peer: Server, lab: Server) -> dict[str, Place]:
    """The two pages, by their names."""
    weights = [round(0.2 + 0.005 * i, 3) for i in range(40)]
    link = {"lang": "en", "corpus": "devices"}
    return {
        "one chart": Place(peer, "", {}, "How many", "n", range(40, 80)),
        "fusion": Place(lab, "fusion", link, "Weight of BM25", "fusion.weight", weights),
    }


def one_visitor(where: Mapping[str, Place], presses: int) -> dict[str, float]:
    """The median of `one` for each place, in three turns."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        turns = [{name: one(browser, place, max(presses // 3, 1)) for name, place in where.items()} for _ in range(3)]
        browser.close()
    return {name: statistics.median(t for turn in turns for t in turn[name]) for name in where}


def all_visitors(where: Mapping[str, Place], visitors: int, rounds: int) -> dict[str, float]:
    """The median of `many` for each place, in two turns."""
    turns = [
        {name: asyncio.run(many(place, visitors, max(rounds // 2, 1))) for name, place in where.items()}
        for _ in range(2)
    ]
    return {name: statistics.median(t for turn in turns for t in turn[name]) for name in where}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--presses", type=int, default=15)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--visitors", type=int, default=30)
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/results")
    options = parser.parse_args()
    rows, missed = [], list[str]()
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "one_chart.py"
        script.write_text(PEER)
        for rule, settings in RULES.items():
            with serving(script, **settings) as peer, serving(**settings) as lab:
                alone = one_visitor(places(peer, lab), options.presses)
            with serving(script, **settings) as peer, serving(**settings) as lab:
                together = all_visitors(places(peer, lab), options.visitors, options.rounds)
            for who, found, promise in (("one visitor", alone, ONE), (f"{options.visitors} visitors", together, MANY)):
                ratio = found["fusion"] / found["one chart"]
                rows.append(f"| {rule} | {who} | {found['one chart']:.0f} | {found['fusion']:.0f} | {ratio:.2f} |")
                if rule == STARTED and ratio > promise:
                    missed.append(f"{who}: {ratio:.2f} times, at most {promise} promised.")
    presses, rounds, visitors = options.presses, options.rounds, options.visitors
    lines = [
        f"`python -m benchmarks.classroom --presses {presses} --rounds {rounds}`: milliseconds from the key press to "
        f"the finished page: medians of {presses} presses",
        f"by one visitor in Chromium, and of {rounds} rounds in which {visitors} visitors (websocket clients) press a "
        f"key at the same time. {common.machine()}.",
        f"Promises, with default settings: at most {ONE} and {MANY} times a Streamlit page with one chart.\n",
        "| | | one chart | fusion | ratio |\n|---|---|--:|--:|--:|",
        *rows,
    ]
    print("\n".join(lines))
    if options.write:
        common.write(HEADING, "\n".join(lines), peers=("streamlit",))
    for told in missed:
        print(f"Does not hold for {told}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
