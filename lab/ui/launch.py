"""Starts the app by ``streamlit run``, in this process, from any folder."""

from __future__ import annotations

import ctypes
import gc
import os
import re
import runpy
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path

from lab.errors import ParameterError
from lab.words import Said

DRAWN_WITH = ("lab.ui.lists.sources", "lab.ui.lists.show", "lab.ui.lists.why")
"""Modules with which every page of lists is drawn."""
LATER = ("pandas", "plotly.tools", "lab.ui.study.evaluating")
"""Modules with which some pages are drawn: tables, charts, Evaluate."""
QUIET = 5.0
"""Seconds without a run of a page before the lab makes the next piece ready."""
PATIENCE = 60.0
"""Seconds to wait for the server before its warm-up is skipped."""

KEEP = "LAB_KEEP"
"""The variable by which a lab is told to keep its user's uploads; the same as `lab.ui.people.user_folder.SETTING`."""
ADDRESS, OUTSIDE = "--server.address", "--browser.serverAddress"
"""Streamlit's options for the address at which it listens, and for the one that visitors type."""
PORT, _LAST_PORT = "--server.port", 65535
EVERYWHERE = "0.0.0.0"
"""The address at which a shared lab listens: all addresses of the machine."""

ARENAS, LARGE = (-8, 2), (-3, 1 << 20)
"""M_ARENA_MAX and M_MMAP_THRESHOLD of glibc's malloc.h: arenas of all threads, bytes from which memory is mapped."""


def start(script: Path, options: Sequence[str], *, share: Callable[[str], object] | None = None) -> int:
    """Runs Streamlit on ``script`` with its own options; returns the exit status.

    Streamlit reads .streamlit/config.toml beside the script, so theme and limits hold everywhere, and only this machine
    reaches the lab, which keeps its user's uploads (`lab.ui.people.user_folder`).  With ``share`` others in the network
    do: it is called with the address that they open as soon as the server is there, or with an empty text if the
    machine has no address in a network.
    """
    if (port := asked_for(PORT, options)) and not (port.isdecimal() and int(port[:9]) <= _LAST_PORT):
        raise ParameterError(Said("{port} is not a port.", port=port), Said("Give a number from 1 to 65535."))
    frugal()
    os.environ[KEEP] = "0" if share is not None else os.environ.get(KEEP, "").strip() or "1"
    defaults = (
        [] if any(o.startswith("--server.showEmailPrompt") for o in options) else ["--server.showEmailPrompt=false"]
    )
    if share is not None:
        address = network_address()
        defaults += [f"{ADDRESS}={EVERYWHERE}", *([f"{OUTSIDE}={address}"] if address else [])]
    host, outside = asked_for(ADDRESS, options), asked_for(OUTSIDE, options)
    if host not in ("", EVERYWHERE, "::") and not outside:
        defaults += [f"{OUTSIDE}={host}"]
    named = bool(outside or asked_for(OUTSIDE, defaults))
    gc.disable()  # until `ready`: what is imported now stays
    threading.Thread(target=_begin, args=(share, named), name="make ready", daemon=True).start()
    sys.argv = ["streamlit", "run", str(script), *defaults, *options]
    try:
        runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return 0


def asked_for(option: str, options: Sequence[str]) -> str:
    """Returns the value of an option of Streamlit: the last one on the command line, else its variable's, or ""."""
    variable = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", option.removeprefix("--")).replace(".", "_").upper()
    value = os.environ.get(f"STREAMLIT_{variable}", "")
    for i, word in enumerate(options):
        name, equals, text = word.partition("=")
        if name == option:
            value = text if equals else "".join(options[i + 1 : i + 2])
    return value


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
    """Makes glibc return freed memory to the machine; call it before there are other threads.

    By default glibc has eight arenas per core, and after an array of some megabytes was freed, it takes the next ones
    from an arena, where any small object behind them keeps their memory from being returned.
    """
    with suppress(OSError, AttributeError, TypeError):  # another C library
        library = ctypes.CDLL(None)
        for option, value in (ARENAS, LARGE):
            library.mallopt(option, value)


def _begin(share: Callable[[str], object] | None, named: bool) -> None:
    """Warms up as soon as the server has started, and reports its address if it is shared and has a name."""
    import streamlit as st

    from lab.ui import server

    server.stay_inside()
    end = time.monotonic() + PATIENCE
    while not server.is_started():
        if time.monotonic() > end:
            return
        time.sleep(0.05)
    if share is not None:
        share(server.url(st.get_option("browser.serverAddress")) if named else "")
    ready(_wait_for_quiet)


_last_run = 0.0


def begin_run() -> None:
    """Says that a page is being drawn for a visitor: what is not needed yet has to wait."""
    global _last_run
    _last_run = time.monotonic()


def _wait_for_quiet() -> None:
    while (left := _last_run + QUIET - time.monotonic()) > 0:
        time.sleep(left)


def ready(wait: Callable[[], object] = lambda: None) -> None:
    """Loads what the first visitor would have to wait for, and then, piece by piece, what others will need.

    ``wait`` is called before each of these pieces.  All these objects live as long as the server, so they are exempted
    from garbage collection.
    """
    from lab import catalog
    from lab.ui.people import operation

    for name in DRAWN_WITH:
        import_module(name)
    for problem in catalog.plugins().problems:
        operation.left_out(problem)
    gc.freeze()
    gc.enable()
    begin_run()  # the first visitor is on the way
    for load in _pieces():
        wait()
        load()
    wait()
    gc.collect()
    gc.freeze()


def _pieces() -> Iterator[Callable[[], object]]:
    """Yields what most visitors need sooner or later: the lists of the sample corpora, tables and charts."""
    from lab.algebra import Runner
    from lab.corpus import samples
    from lab.fuse import RRF
    from lab.retrieve.lexical import BM25, TFIDF
    from lab.retrieve.vector import Vector
    from lab.ui import cache, server

    for search in (BM25(), RRF()(TFIDF(), Vector())):
        for collection in map(cache.sample, samples.names()):
            for query in collection.queries[:1]:
                yield partial(Runner(collection.corpus), search, query)
    for name in LATER:
        yield partial(import_module, name)
    yield server.import_early
