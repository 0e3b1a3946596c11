"""Long work on a page: how far it is, and a button that stops it.

A click on Stop ends the run at its next report of progress.  What was stopped is not begun again by itself: the page
says that it was stopped, and one more click goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import streamlit as st

from lab.algebra import Progress
from lab.ui.i18n import _
from lab.ui.server import has_browser

T = TypeVar("T")

LATE = 0.4
"""Seconds after which work counts as long: what is sooner done shows no bar."""
SOON = 5.0
"""Seconds below which it is not said how long work will still take."""
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
    """What ``make(progress)`` makes; None where the visitor has stopped just this: ``about`` says what it is.

    ``doing`` is what the page says while it is made, and ``meanwhile`` draws what is there already.  ``make`` calls its
    progress with (done, total), several times a second where it can: that is when a click on Stop is seen, and that
    the visitor has left.
    """
    stopped: dict[str, Any] = st.session_state.setdefault(_STOPPED, {})
    if name in stopped and stopped[name] == about:
        row = st.container(border=True, horizontal=True, vertical_alignment="center")
        row.markdown(f":material/stop_circle: {doing} " + _("Stopped."))
        row.button(_("Continue"), key=f"{name}.go_on", on_click=stopped.pop, args=(name, None))
        return None
    place, start = st.empty(), time.monotonic()
    bar: list[Any] = []

    pace, here = Pace(), Present()

    def progress(done: int, total: int) -> None:
        if here.gone():
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
    """How fast work goes, and how long the rest of it will take."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._first, self._last = clock, (clock(), 0), -1

    def tell(self, done: int) -> None:
        """So much is done now; what begins anew, with less, is reckoned anew."""
        if done < self._last or self._last < 0:  # what was there already took no time
            self._first = self._clock(), done
        self._last = done

    def left(self, done: int, total: int) -> float:
        """The seconds that are left; 0 where that is less than `SOON`, or too early to tell."""
        start, before = self._first
        took = self._clock() - start
        left = took / (done - before) * (total - done) if done > before and took > 1 else 0.0
        return left if left >= SOON else 0.0


class Present:
    """Whether somebody still looks: who has had no connection for `AWAY` seconds needs no more work.

    What was made until then may be kept by whoever made it.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, here: Callable[[], bool] = has_browser) -> None:
        self._clock, self._here = clock, here
        self._seen = self._looked = clock()

    def gone(self) -> bool:
        now = self._clock()
        if now - self._looked >= 1:
            self._looked = now
            self._seen = now if self._here() else self._seen
        return now - self._seen > AWAY


def once(name: str, about: Hashable, make: Callable[[], T]) -> T:
    """What was made about just this; made anew where it is about something else.  Nothing is kept where it raises."""
    kept = st.session_state.get(f"_measured.{name}")
    if kept is None or kept[0] != about:
        st.session_state.pop(f"_measured.{name}", None)
        kept = st.session_state[f"_measured.{name}"] = (about, make())
    found: T = kept[1]
    return found
