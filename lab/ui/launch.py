"""Start the app by ``streamlit run``, in this process, from any folder."""

from __future__ import annotations

import ctypes
import gc
import os
import runpy
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

DRAWN_WITH = ("pandas", "plotly.io", "plotly.tools", "lab.ui.sources", "lab.ui.why")
"""Modules with which a page is drawn."""
PATIENCE = 60.0
"""Seconds in which the server must have begun, so that something is made ready for its first visitor."""

KEEP = "LAB_KEEP"
"""The variable by which a lab is told to keep its user's uploads; the same as `lab.ui.user_folder.SETTING`."""
EVERYWHERE = "0.0.0.0"
"""The address at which a shared lab listens: all addresses of the machine."""

ARENAS, LARGE = (-8, 2), (-3, 1 << 20)
"""M_ARENA_MAX and M_MMAP_THRESHOLD of glibc's malloc.h: so many arenas for all threads; bytes of what lies outside."""


def start(script: Path, options: Sequence[str], *, share: Callable[[str], object] | None = None) -> int:
    """Run Streamlit on ``script`` with its own options; gives the exit status.

    Streamlit reads .streamlit/config.toml beside the script, so theme and limits hold everywhere, and only this machine
    reaches the lab, which keeps its user's uploads (`lab.ui.user_folder`).  With ``share`` others in the network do: it
    is called with the address that they open as soon as the server is there, or with an empty text if the machine has
    no address in a network.
    """
    frugal()
    os.environ[KEEP] = "0" if share is not None else os.environ.get(KEEP, "").strip() or "1"
    own = [] if any(o.startswith("--server.showEmailPrompt") for o in options) else ["--server.showEmailPrompt=false"]
    if share is not None:
        address = network_address()
        own += [f"--server.address={EVERYWHERE}", *([f"--browser.serverAddress={address}"] if address else [])]
    threading.Thread(target=_begin, args=(share,), name="make ready", daemon=True).start()
    sys.argv = ["streamlit", "run", str(script), *own, *options]
    try:
        runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return 0


def network_address() -> str:
    """Returns the address of this machine on its default route; an empty text without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address of documentation: nothing is sent there
            address = str(probe.getsockname()[0])
        except OSError:
            return ""
    return "" if address.startswith("127.") else address


def frugal() -> None:
    """Have what is freed go back to the machine, however it came: call it before there are other threads.

    By itself glibc gives eight arenas to every core, and once an array of some megabytes was freed it cuts the next
    ones out of an arena, where whatever small thing lies behind them holds their memory when they are gone.
    """
    with suppress(OSError, AttributeError, TypeError):  # another C library
        library = ctypes.CDLL(None)
        for what, value in (ARENAS, LARGE):
            library.mallopt(what, value)


def _begin(share: Callable[[str], object] | None) -> None:
    """Make ready as soon as the server is there, and say where it is to be shared."""
    import streamlit as st

    from lab.ui import server

    end = time.monotonic() + PATIENCE
    while not server.is_started():
        if time.monotonic() > end:
            return
        time.sleep(0.05)
    if share is not None:
        known = server.is_named("browser.serverAddress")
        share(server.url(st.get_option("browser.serverAddress")) if known else "")
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
    from lab.ui import cache, operation, server

    for name in DRAWN_WITH:
        import_module(name)
    server.import_early()
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
