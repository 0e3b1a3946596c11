"""Long work on a page: its progress, and a button that stops it.

A click on Stop ends the run at its next report of progress.  Stopped work does not start again by itself: the page
says that it was stopped, and one more click continues.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

import streamlit as st

from lab.algebra import Progress
from lab.ui.i18n import _
from lab.ui.server import has_browser

T = TypeVar("T")

LATE = 0.4
"""Seconds after which work counts as long; shorter work shows no bar."""
SOON = 5.0
"""Seconds of remaining time below which no forecast is shown."""
AWAY = 20.0
"""Seconds without a connection after which a visitor's work ends: a reload or a tunnel takes less."""
_STOPPED = "_stopped"


def work(
    name: str,
    doing: str,
    make: Callable[[Progress], T],
    *,
    about: Hashable,
    meanwhile: Callable[[], object] = lambda: None,
) -> T | None:
    """Returns the result of ``make(progress)``; None if the visitor stopped this work, which ``about`` identifies.

    ``doing`` describes the work on the page, and ``meanwhile`` draws the results so far.  ``make`` calls its progress
    with (done, total), if possible several times a second: only then is a click on Stop noticed, or that the visitor
    has left.
    """
    stopped: dict[str, Any] = st.session_state.setdefault(_STOPPED, {})
    if name in stopped and stopped[name] == about:
        row = st.container(border=True, horizontal=True, vertical_alignment="center")
        row.markdown(f":material/stop_circle: {doing} " + _("Stopped."))
        row.button(_("Continue"), key=f"{name}.go_on", on_click=stopped.pop, args=(name, None))
        return None
    place, start = st.empty(), time.monotonic()
    bar: list[Any] = []

    pace, presence = Pace(), Present()

    def progress(done: int, total: int) -> None:
        if presence.has_left():
            st.stop()
        pace.tell(done)
        if not bar and time.monotonic() - start < LATE:
            return
        left = pace.left(done, total)
        text = f"{doing} {done} / {total}" + (" · " + _("about {n} s left", n=f"{left:.0f}") if left else "")
        share = done / max(total, 1)
        if bar:
            bar[0].progress(share, text)
            return
        with place.container():
            with st.container(border=True, horizontal=True, vertical_alignment="center"):
                bar.append(st.progress(share, text, width="stretch"))
                st.button(
                    _("Stop"),
                    key=f"{name}.stop",
                    icon=":material/stop:",
                    on_click=stopped.update,
                    args=({name: about},),
                )
            meanwhile()

    try:
        with st.spinner(doing, show_time=True):
            return make(progress)
    finally:
        place.empty()


class Pace:
    """The speed of some work, and a forecast of the time that remains."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._first, self._last = clock, (clock(), 0), -1

    def tell(self, done: int) -> None:
        """Notes the progress; if it went back, the forecast starts over."""
        if done < self._last or self._last < 0:  # cached results took no time
            self._first = self._clock(), done
        self._last = done

    def left(self, done: int, total: int) -> float:
        """Returns the remaining seconds; 0 if that is less than `SOON`, or too early to tell."""
        start, before = self._first
        took = self._clock() - start
        left = took / (done - before) * (total - done) if done > before and took > 1 else 0.0
        return left if left >= SOON else 0.0


class Present:
    """Whether the visitor is still connected: work for one who is away for `AWAY` seconds is cancelled.

    The caller may keep the results so far.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, is_connected: Callable[[], bool] = has_browser
    ) -> None:
        self._clock, self._here = clock, is_connected
        self._seen = self._looked = clock()

    def has_left(self) -> bool:
        now = self._clock()
        if now - self._looked >= 1:
            self._looked = now
            self._seen = now if self._here() else self._seen
        return now - self._seen > AWAY


def once(name: str, about: Hashable, make: Callable[[], T]) -> T:
    """Returns a cached result for this key, computed again if the key has changed.  An error leaves nothing cached."""
    cached = st.session_state.get(f"_measured.{name}")
    if cached is None or cached[0] != about:
        st.session_state.pop(f"_measured.{name}", None)
        cached = st.session_state[f"_measured.{name}"] = (about, make())
    return cast(T, cached[1])
