"""The visitors: which browser is here, what belongs to it, and when that is deleted.

An upload belongs to a visitor, not to a tab: a token that only their browser knows finds it again after a reload, a
dropped connection, and in a second tab.  A few minutes after their last tab is closed, all of it is deleted, with the
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
"""Number of questions of a visit that are remembered."""
LONGEST_PAUSE = 15.0
"""Maximum seconds between two checks of who is connected."""


def setting(name: str, default: float) -> float:
    """Returns a number of the environment; the default if it is missing, negative or not a number."""
    try:
        value = float(os.environ.get(name, "") or default)
    except ValueError:
        return default
    return value if math.isfinite(value) and value >= 0 else default


def minutes() -> float:
    """Returns how long uploads are kept after a visitor's last tab was closed (``LAB_UPLOADS_MINUTES``, default 10)."""
    return setting("LAB_UPLOADS_MINUTES", MINUTES)


def header(name: str) -> str:
    """Returns a header of the browser's request; empty without a browser."""
    if not server.session_id():  # Streamlit would warn of it at every check
        return ""
    value: object = st.context.headers.get(name)  # in a test it may be anything
    return value if isinstance(value, str) else ""


def is_local() -> bool:
    """Returns whether the address in the visitor's browser works on the same machine only."""
    try:
        return is_loopback(urlsplit(f"//{header('Host')}").hostname or "")
    except ValueError:  # a broken IPv6 address
        return False


def is_loopback(host: str) -> bool:
    """Returns whether a host, a name or an address, is this machine's name for itself."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        at = ipaddress.ip_address(name)
    except ValueError:
        return False
    return at.is_loopback or at.is_unspecified


class Visitor:
    """One browser, and its data here.  Links, exports and the log never include its ``token``."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.sessions: set[str] = set()
        self.left: float | None = None
        self.questions: tuple[str, ...] = ()  # the last questions, the newest first
        self._stores: dict[str, dict[str, Any]] = {}

    def __repr__(self) -> str:
        return f"Visitor({len(self._stores)} stores)"

    def store(self, name: str) -> dict[str, Any]:
        """Returns this visitor's data under a name, the same in all tabs; it is deleted after the visitor has left."""
        return self._stores.setdefault(name, {})

    def ask(self, question: str) -> None:
        """Remembers a question of this visit, instead of an older one."""
        self.questions = (question, *(q for q in self.questions if q != question))[:RECENT]

    def take(self, other: Visitor) -> None:
        """Takes over the data of another visitor that is the same browser."""
        self.questions = tuple(dict.fromkeys([*self.questions, *other.questions]))[:RECENT]
        for name, values in other._stores.items():
            store = self.store(name)
            store.update({key: value for key, value in values.items() if key not in store})

    def forget(self) -> bool:
        """Deletes the visitor's data; returns whether there was any."""
        had_data, self.questions = any(self._stores.values()), ()
        for values in self._stores.values():
            values.clear()
        return had_data


class Visitors:
    """All visitors by their tokens, and the timer that removes them.

    ``connected`` returns the sessions that have a browser, ``end`` ends others; the defaults ask Streamlit.  ``also``
    is called at every check.
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
        self._ended: list[Callable[[], object]] = []  # sessions that are not yet freed
        self._looks = 0

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Visitor]:
        return iter(list(self._all.values()))

    def find_or_add(self, token: str) -> Visitor:
        """Returns the visitor with this token, or a new one, with a token of their own, if it is not valid."""
        token = token if _TOKEN.fullmatch(token) else secrets.token_urlsafe(32)
        with self._lock:
            return self._all.setdefault(token, Visitor(token))

    def arrive(self, visitor: Visitor, session: str) -> None:
        """Notes that this session, which has a browser, is the visitor's."""
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
        """Removes visitors who have been away for too long; returns how many of them had data here.

        A session that has been away for as long as Streamlit lets it return is ended even if its visitor is still here.
        """
        now, connected, departed, over = self._clock(), set(self._connected()), list[Visitor](), list[str]()
        longest = server.resumable() - 2 * LONGEST_PAUSE  # at a later check Streamlit would have forgotten it
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
                        departed.append(self._all.pop(token))
                ended = {session for session, since in away.items() if visitor in departed or now - since >= longest}
                visitor.sessions -= ended
                over += ended
            for session in over:
                self._away.pop(session, None)
                self._ended.append(self._references.pop(session, lambda: None))
        n_with_data = sum([visitor.forget() for visitor in departed])
        self._end(over)
        self._ended = [reference for reference in self._ended if reference() is not None]
        # objects with a finaliser are freed only by the next collection
        self._looks = 3 if n_with_data or self._ended else self._looks - 1
        if self._ended:
            server.free_last_session()
        if self._looks > 0:
            give_back()
        return n_with_data

    def _watch(self) -> None:
        while True:
            time.sleep(min(LONGEST_PAUSE, max(0.2, 12 * minutes())))
            with suppress(Exception):  # an error of one check must not end the checks
                self.sweep()
            with suppress(Exception):
                self._also()


def give_back() -> None:
    """Frees objects in reference cycles, and returns memory to the machine.

    Objects exempted from collection are examined as well: they may include a visitor's data.
    """
    frozen = gc.get_freeze_count()
    gc.unfreeze()
    gc.collect()
    if frozen:
        gc.freeze()
    with suppress(OSError, AttributeError, TypeError):  # only glibc keeps freed memory
        ctypes.CDLL(None).malloc_trim(0)
