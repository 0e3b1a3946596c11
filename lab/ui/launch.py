"""Start the app by ``streamlit run``, in this process, from any folder."""

from __future__ import annotations

import ctypes
import gc
import runpy
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

DRAWN_WITH = ("pandas", "plotly.io", "plotly.tools", "streamlit.emojis", "lab.ui.sources", "lab.ui.why")
"""What a page is drawn with, and what Streamlit imports for it when the first one is."""
PATIENCE = 60.0
"""Seconds in which the server must have begun, so that something is made ready for its first visitor."""

ARENAS, LARGE = (-8, 2), (-3, 1 << 20)
"""M_ARENA_MAX and M_MMAP_THRESHOLD of glibc's malloc.h: so many arenas for all threads; bytes of what lies outside."""


def start(script: Path, options: Sequence[str]) -> int:
    """Run Streamlit on ``script`` with its own options; gives the exit status.

    Streamlit reads .streamlit/config.toml beside the script, so theme and limits hold everywhere.
    """
    frugal()
    quiet = [] if any(o.startswith("--server.showEmailPrompt") for o in options) else ["--server.showEmailPrompt=false"]
    threading.Thread(target=_begin, name="make ready", daemon=True).start()
    sys.argv = ["streamlit", "run", str(script), *quiet, *options]
    try:
        runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return 0


def frugal() -> None:
    """Have what is freed go back to the machine, however it came: call it before there are other threads.

    By itself glibc gives eight arenas to every core, and once an array of some megabytes was freed it cuts the next
    ones out of an arena, where whatever small thing lies behind them holds their memory when they are gone.
    """
    with suppress(OSError, AttributeError, TypeError):  # another C library
        library = ctypes.CDLL(None)
        for what, value in (ARENAS, LARGE):
            library.mallopt(what, value)


def _begin() -> None:
    """Make ready as soon as the server is there."""
    from streamlit.runtime import Runtime

    end = time.monotonic() + PATIENCE
    while not Runtime.exists():
        if time.monotonic() > end:
            return
        time.sleep(0.05)
    ready()


def ready() -> None:
    """What the first visitor would have to wait for: the modules of most pages, and the lists of the sample corpora.

    What is there then stays as long as the server: the collector of garbage need not look at it again and again.
    """
    from lab import catalog
    from lab.algebra import Runner
    from lab.corpus import samples
    from lab.fuse import RRF
    from lab.retrieve.lexical import BM25, TFIDF
    from lab.retrieve.vector import Vector
    from lab.ui import cache, operation

    for name in DRAWN_WITH:
        import_module(name)
    for problem in catalog.plugins().problems:
        operation.left_out(problem)
    cache.lessons()
    search = RRF()(BM25(), TFIDF(), Vector())
    for name in samples.names():
        collection = cache.sample(name)
        for query in collection.queries[:1]:
            Runner(collection.corpus)(search, query)
    gc.collect()
    gc.freeze()
