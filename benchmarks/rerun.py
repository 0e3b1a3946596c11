"""What a rerun of a page costs, its folds closed: processor milliseconds, beside a page with one chart.

    python -m benchmarks.rerun [--runs 9] [--write]

Every page is opened twice and then run again without a change, in this process, by Streamlit's own test runner (which
takes part of the time: it reads what the page sends).  Median of the runs, one thread.  The peer is a page that draws
one chart.  Ends with status 1 if one of `PROMISED` takes more than `PROMISE` times as long.
"""

from __future__ import annotations

import argparse
import logging
import statistics
import sys
import time
from pathlib import Path

from streamlit.testing.v1 import AppTest

from benchmarks import common
from lab.ui import navigation

ROOT = Path(__file__).parents[1]
PROMISE, PROMISED = 15.0, ("fusion", "evaluate", "evaluate, sweep")
HEADING = "A rerun"


def one_chart() -> None:
    """The peer: a title and a chart."""
    import plotly.graph_objects as go
    import streamlit as st

    st.title("One chart")
    st.plotly_chart(go.Figure(go.Scatter(x=list(range(50)), y=[i * i for i in range(50)])))


def milliseconds(app: AppTest, runs: int) -> float:
    """The median of so many reruns."""
    spent = []
    for _ in range(runs):
        start = time.process_time()
        app.run()
        spent.append(1000 * (time.process_time() - start))
    if app.exception:
        sys.exit(f"The page shows an error: {app.exception[0].message}")
    return statistics.median(spent)


def page(path: Path, **more: str) -> AppTest:
    """A page on the device corpus, as a first-time visitor has it, opened twice; ``more`` is what its link says."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in {"lang": "en", "corpus": "devices", **more}.items():
        app.query_params[key] = value
    return app.run().switch_page(path.relative_to(ROOT).as_posix()).run().run()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/results")
    options = parser.parse_args()
    common.one_thread()
    logging.disable(logging.WARNING)  # Streamlit's remarks, at every turn, that no browser is there
    peer = milliseconds(AppTest.from_function(one_chart, default_timeout=60).run().run(), options.runs)
    found = {x.name: milliseconds(page(x.folder / "page.py"), options.runs) for x in navigation.every()}
    sweep = page(ROOT / "pages" / "whole" / "evaluate" / "page.py", **{"evaluate.tab": "sweep"})
    found["evaluate, sweep"] = milliseconds(sweep, options.runs)
    rows = [("one chart", peer), *sorted(found.items(), key=lambda pair: pair[1])]
    lines = [
        f"`python -m benchmarks.rerun`: processor milliseconds of a rerun without changes, with all folds closed; "
        f"median of {options.runs}.",
        f"Promise: {'; '.join(PROMISED)}: each at most {PROMISE:.0f} times the page with one chart. "
        f"{common.machine()}.\n",
        "| page | ms | against one chart |\n|---|--:|--:|",
        *(f"| {name} | {ms:.0f} | {ms / peer:.1f} |" for name, ms in rows),
    ]
    print("\n".join(lines))
    if options.write:
        common.write(HEADING, "\n".join(lines), peers=("streamlit",))
    late = [name for name in PROMISED if found[name] > PROMISE * peer]
    for name in late:
        print(f"Does not hold: {name} at most {PROMISE:.0f} times.", file=sys.stderr)
    return int(bool(late))


if __name__ == "__main__":
    sys.exit(main())
