"""Classes that guess together: who has opened a class's link, and what they have guessed, in the server's memory.

A class is known by a code that cannot be guessed; nobody has a name in it; after a day it is gone.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable

LASTS = 86_400.0
"""Seconds that a class is remembered."""
CLASSES, BROWSERS = 200, 1_000
"""So many classes at once, and so many browsers in one of them: the oldest class goes, a further browser watches."""


class Class:
    """One class: the browsers that have opened its link, and the first guess of each at every step."""

    def __init__(self, begun: float) -> None:
        self.begun = begun
        self._here: set[str] = set()
        self._guesses: dict[str, dict[str, int]] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._here)

    def join(self, token: str) -> None:
        """This browser is one of the class."""
        with self._lock:
            if len(self._here) < BROWSERS:
                self._here.add(token)

    def guess(self, token: str, step: str, option: int) -> None:
        """A browser of the class guesses; its first guess at a step is the one that counts."""
        with self._lock:
            if token in self._here:
                self._guesses.setdefault(step, {}).setdefault(token, option)

    def guesses(self, step: str) -> Counter[int]:
        """How many have guessed which option (counted from 0) at this step."""
        with self._lock:
            return Counter(self._guesses.get(step, {}).values())


class Classes:
    """All classes by their codes."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._all: dict[str, Class] = {}
        self._clock, self._lock = clock, threading.Lock()

    def begin(self) -> str:
        """A new class; gives its code."""
        code = secrets.token_urlsafe(9)
        with self._lock:
            self._sweep()
            while len(self._all) >= CLASSES:
                del self._all[next(iter(self._all))]
            self._all[code] = Class(self._clock())
        return code

    def of(self, code: str) -> Class | None:
        """The class with this code, if it is not over."""
        with self._lock:
            self._sweep()
            return self._all.get(code)

    def _sweep(self) -> None:
        now = self._clock()
        for code in [code for code, own in self._all.items() if now - own.begun >= LASTS]:
            del self._all[code]
