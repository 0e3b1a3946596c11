"""Long work on a page: how far it is, and a button that stops it.

A click on Stop ends the run at its next report of progress.  What was stopped is not begun again by itself: the page
says that it was stopped, and one more click goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import streamlit as st

from lab.core import Progress
from lab.ui.i18n import _

T = TypeVar("T")

LATE = 0.4
"""Seconds after which work counts as long: what is sooner done shows no bar."""
_STOPPED = "_stopped"


def work(name: str, doing: str, make: Callable[[Progress], T], *, about: Hashable) -> T | None:
    """What ``make(progress)`` makes; None where the visitor has stopped just this: ``about`` says what it is.

    ``doing`` is what the page says meanwhile.  ``make`` calls its progress with (done, total), several times a second
    where it can: that is when a click on Stop is seen.
    """
    stopped: dict[str, Any] = st.session_state.setdefault(_STOPPED, {})
    if name in stopped and stopped[name] == about:
        row = st.container(border=True, horizontal=True, vertical_alignment="center")
        row.markdown(f":material/stop_circle: {doing} " + _("Stopped."))
        row.button(_("Go on"), key=f"{name}.go_on", on_click=stopped.pop, args=(name, None))
        return None
    place, start = st.empty(), time.monotonic()
    bar: list[Any] = []

    def progress(done: int, total: int) -> None:
        if not bar and time.monotonic() - start < LATE:
            return
        how_far: dict[str, Any] = {"value": done / max(total, 1), "text": f"{doing} {done} / {total}"}
        if bar:
            bar[0].progress(**how_far)
            return
        with place.container(border=True, horizontal=True, vertical_alignment="center"):
            bar.append(st.progress(**how_far, width="stretch"))
            st.button(
                _("Stop"), key=f"{name}.stop", icon=":material/stop:", on_click=stopped.update, args=({name: about},)
            )

    try:
        with st.spinner(doing, show_time=True):
            return make(progress)
    finally:
        place.empty()


def once(name: str, about: Hashable, make: Callable[[], T]) -> T:
    """What was made about just this; made anew where it is about something else.  Nothing is kept where it raises."""
    kept = st.session_state.get(f"_measured.{name}")
    if kept is None or kept[0] != about:
        st.session_state.pop(f"_measured.{name}", None)
        kept = st.session_state[f"_measured.{name}"] = (about, make())
    found: T = kept[1]
    return found
