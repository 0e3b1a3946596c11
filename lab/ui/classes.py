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
CLASSES, OWN, BROWSERS = 200, 5, 1_000
"""Classes at once, those of one visitor, and browsers in a class: a further browser watches."""


class Class:
    """One class: who began it, the browsers that have opened its link, the first guess of each at every step."""

    def __init__(self, begun: float, by: str) -> None:
        self.begun = self.used = begun
        self.by = by
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

    def begin(self, token: str = "") -> str:
        """Begins a class for the visitor with this token and returns its code.

        It replaces the visitor's oldest class if they have `OWN` already, and the least used of all if there are
        `CLASSES`.
        """
        code = secrets.token_urlsafe(9)
        with self._lock:
            self._sweep()
            begun = [known for known, one in self._all.items() if one.by == token]
            if len(begun) >= OWN:
                del self._all[begun[0]]
            elif len(self._all) >= CLASSES:
                del self._all[self._least_used()]
            self._all[code] = Class(self._clock(), token)
        return code

    def of(self, code: str) -> Class | None:
        """The class with this code, if it is not over; it counts as used."""
        with self._lock:
            self._sweep()
            joined = self._all.get(code)
            if joined is not None:
                joined.used = self._clock()
            return joined

    def _least_used(self) -> str:
        """Returns the code of the class with the fewest browsers.

        Of several, it is one of the visitor who has begun the most, then the one that was unused for longest.
        """
        begun = Counter(one.by for one in self._all.values())
        rank = {code: (len(one), -begun[one.by], one.used) for code, one in self._all.items()}
        return min(rank, key=rank.__getitem__)

    def _sweep(self) -> None:
        now = self._clock()
        for code in [code for code, own in self._all.items() if now - own.begun >= LASTS]:
            del self._all[code]
