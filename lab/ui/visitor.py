"""Who is at the browser, what belongs to them, and when it goes.

An upload belongs to a visitor, not to a tab: a token that only their browser knows finds it again after a reload, a
dropped connection, and in a second tab.  Some minutes after their last tab was closed all of it goes, with the
sessions that Streamlit still keeps for them.
"""

from __future__ import annotations

import ctypes
import gc
import ipaddress
import math
import os
import re
import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

_TOKEN = re.compile(r"[\w-]{43}", re.ASCII)
MINUTES = 10.0
RECENT = 10
"""So many questions of a visit are remembered."""
LONGEST_PAUSE = 15.0
"""Seconds between two looks at who is still here, at most."""


def setting(name: str, default: float) -> float:
    """A number of the environment; the default where there is none, or none that is 0 or more."""
    try:
        found = float(os.environ.get(name, "") or default)
    except ValueError:
        return default
    return found if math.isfinite(found) and found >= 0 else default


def minutes() -> float:
    """How long uploads are kept after a visitor's last tab was closed: ``LAB_UPLOADS_MINUTES``, by default 10."""
    return setting("LAB_UPLOADS_MINUTES", MINUTES)


def header(name: str) -> str:
    """Returns a header of the browser's request; empty without a browser."""
    value: object = st.context.headers.get(name)  # without a browser it may be anything
    return value if isinstance(value, str) else ""


def is_local() -> bool:
    """Whether the address in the visitor's browser works on the same machine only."""
    try:
        return is_loopback(urlsplit(f"//{header('Host')}").hostname or "")
    except ValueError:  # a broken IPv6 address
        return False


def is_loopback(host: str) -> bool:
    """Whether a host, a name or an address, is this machine's name for itself."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        at = ipaddress.ip_address(name)
    except ValueError:
        return False
    return at.is_loopback or at.is_unspecified


class Visitor:
    """One browser, and what it has put here.  Its ``token`` stands in no link, no export and no log."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.sessions: set[str] = set()
        self.left: float | None = None
        self.questions: tuple[str, ...] = ()  # what was asked last, the newest first
        self._stores: dict[str, dict[str, Any]] = {}

    def __repr__(self) -> str:
        return f"Visitor({len(self._stores)} stores)"

    def store(self, name: str) -> dict[str, Any]:
        """What this visitor keeps under a name, the same in all tabs: it goes when the visitor has gone."""
        return self._stores.setdefault(name, {})

    def ask(self, question: str) -> None:
        """Remember a question of this visit, in the place of an older one."""
        self.questions = (question, *(q for q in self.questions if q != question))[:RECENT]

    def take(self, other: Visitor) -> None:
        """Take over what another visitor has, who turned out to be the same browser."""
        self.questions = tuple(dict.fromkeys([*self.questions, *other.questions]))[:RECENT]
        for name, kept in other._stores.items():
            own = self.store(name)
            own.update({key: value for key, value in kept.items() if key not in own})

    def forget(self) -> bool:
        """Let go of everything; gives whether there was anything."""
        held, self.questions = any(self._stores.values()), ()
        for kept in self._stores.values():
            kept.clear()
        return held


class Visitors:
    """All visitors by their tokens, and the timer that lets them go.

    ``connected`` gives the sessions that have a browser, ``end`` ends others and those that are over, and gives them;
    by default they are those of Streamlit.  ``also`` is called at every look.
    """

    def __init__(
        self,
        *,
        connected: Callable[[], Collection[str]] | None = None,
        end: Callable[[Iterable[str]], Collection[Any]] | None = None,
        clock: Callable[[], float] = time.monotonic,
        also: Callable[[], object] = lambda: None,
    ) -> None:
        self._connected, self._end, self._clock, self._also = connected or _connected, end or _end, clock, also
        self._all: dict[str, Visitor] = {}
        self._lock = threading.Lock()
        self._timer: threading.Thread | None = None
        self._over: list[Any] = []
        self._looks = 0

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Visitor]:
        return iter(list(self._all.values()))

    def of(self, token: str) -> Visitor:
        """The visitor with this token; somebody new, with a token of their own, where it is none."""
        token = token if _TOKEN.fullmatch(token) else secrets.token_urlsafe(32)
        with self._lock:
            return self._all.setdefault(token, Visitor(token))

    def here(self, visitor: Visitor, session: str) -> None:
        """This session, which has a browser, is the visitor's."""
        with self._lock:
            self._all[visitor.token] = visitor
            visitor.sessions.add(session)
            visitor.left = None
            if self._timer is None and isinstance(Runtime._instance, Runtime):
                self._timer = threading.Thread(target=self._watch, name="visitors", daemon=True)
                self._timer.start()

    def sweep(self) -> int:
        """Let those go who have been away for too long; gives how many of them had something here."""
        now, connected, gone = self._clock(), set(self._connected()), list[Visitor]()
        with self._lock:
            for token, visitor in list(self._all.items()):
                if visitor.sessions & connected:
                    visitor.left = None
                    continue
                visitor.left = now if visitor.left is None else visitor.left
                if now - visitor.left >= 60 * minutes():
                    gone.append(self._all.pop(token))
        self._over += self._end([session for visitor in gone for session in visitor.sessions])
        held = sum([visitor.forget() for visitor in gone])
        # what has a finaliser is freed only the next time
        self._looks = 3 if held or self._over else self._looks - 1
        self._over = [session for session in self._over if not _emptied(session)]
        if self._looks > 0:
            give_back()
        return held

    def _watch(self) -> None:
        while True:
            time.sleep(min(LONGEST_PAUSE, max(0.2, 12 * minutes())))
            with suppress(Exception):  # whatever happens to one look, the next one comes
                self.sweep()
            with suppress(Exception):
                self._also()


def _connected() -> list[str]:
    """The sessions that have a browser at this moment."""
    if not isinstance(Runtime._instance, Runtime):
        return []
    return [info.session.id for info in Runtime._instance._session_mgr.list_active_sessions()]


def connected() -> bool:
    """Whether the session that is drawn just now has a browser; outside of a server it always has."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or type(Runtime._instance) is not Runtime:  # in tests something stands in for it
        return True
    return context.session_id in _connected()


def _end(sessions: Iterable[str]) -> list[Any]:
    """End these sessions, and those that nobody can come back to; gives all of them.

    Streamlit keeps a session for two minutes after its connection was lost, and then until another one is kept.
    """
    runtime = Runtime._instance
    if not isinstance(runtime, Runtime):
        return []
    manager: Any = runtime._session_mgr
    done, over = threading.Event(), list[Any]()

    def end() -> None:
        try:
            for session in sessions:
                info = manager.get_session_info(session)
                if info is not None and not manager.is_active_session(session):
                    over.append(info.session)
                    runtime.close_session(session)
            for _session, info in manager._session_storage._cache.expire():
                over.append(info.session)
                info.session.shutdown()
        finally:
            done.set()

    runtime._get_async_objs().eventloop.call_soon_threadsafe(end)
    done.wait(10)
    return over


def _emptied(session: Any) -> bool:
    """Whether an ended session holds nothing any more; while its script runs, it holds all that it had.

    The loop in which Streamlit sends keeps the last session that it has sent to until it sends to another one.
    """
    if session._scriptrunner is not None:
        return False
    session._session_state = type(session._session_state)()  # its `clear` leaves the callbacks of widgets
    session._fragment_storage.clear()
    session._browser_queue.clear()
    return True


def give_back() -> None:
    """Free what hangs together in circles, and give the memory back to the machine.

    What the collector was told to leave alone is looked at as well: a visitor may have come before that.
    """
    frozen = gc.get_freeze_count()
    gc.unfreeze()
    gc.collect()
    if frozen:
        gc.freeze()
    with suppress(OSError, AttributeError, TypeError):  # only glibc keeps what was freed to itself
        ctypes.CDLL(None).malloc_trim(0)
