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

from lab.ui import server

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

    ``connected`` gives the sessions that have a browser, ``end`` ends others; by default they are those of Streamlit.
    ``also`` is called at every look.
    """

    def __init__(
        self,
        *,
        connected: Callable[[], Collection[str]] | None = None,
        end: Callable[[Iterable[str]], object] = server.end,
        clock: Callable[[], float] = time.monotonic,
        also: Callable[[], object] = lambda: None,
    ) -> None:
        self._connected = connected or (lambda: server.connected(list(self._references)))
        self._end, self._clock, self._also = end, clock, also
        self._all: dict[str, Visitor] = {}
        self._lock = threading.Lock()
        self._timer: threading.Thread | None = None
        self._references: dict[str, Callable[[], object]] = {}  # of all sessions, by their ids
        self._away: dict[str, float] = {}  # since when a session has had no browser
        self._ended: list[Callable[[], object]] = []  # sessions that are not freed yet
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
            if session not in self._references:
                self._references[session] = server.reference(session)
            if self._timer is None and server.is_running():
                self._timer = threading.Thread(target=self._watch, name="visitors", daemon=True)
                self._timer.start()

    def sweep(self) -> int:
        """Let those go who have been away for too long; gives how many of them had something here.

        A session that has been away for as long as Streamlit lets it return is ended, whosever it is.
        """
        now, connected, gone, over = self._clock(), set(self._connected()), list[Visitor](), list[str]()
        longest = server.resumable() - 2 * LONGEST_PAUSE  # a later look would find that Streamlit has forgotten it
        with self._lock:
            for token, visitor in list(self._all.items()):
                for session in visitor.sessions & connected:
                    self._away.pop(session, None)
                away = {session: self._away.setdefault(session, now) for session in visitor.sessions - connected}
                if visitor.sessions & connected:
                    visitor.left = None
                else:
                    visitor.left = now if visitor.left is None else visitor.left
                    if now - visitor.left >= 60 * minutes():
                        gone.append(self._all.pop(token))
                ended = {session for session, since in away.items() if visitor in gone or now - since >= longest}
                visitor.sessions -= ended
                over += ended
            for session in over:
                self._away.pop(session, None)
                self._ended.append(self._references.pop(session, lambda: None))
        held = sum([visitor.forget() for visitor in gone])
        self._end(over)
        self._ended = [reference for reference in self._ended if reference() is not None]
        # what has a finaliser is freed only the next time
        self._looks = 3 if held or self._ended else self._looks - 1
        if self._ended:
            server.free_last_session()
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
