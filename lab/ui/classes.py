"""Classes that guess together: who has opened a class's link, and what they have guessed, in the server's memory.

A class is known by a code that cannot be guessed; nobody has a name in it; after a day it is gone.  Six digits, which
can be read out, lead to it as well: wrong ones are counted, so that nobody finds a class by trying.
"""

from __future__ import annotations

import secrets
import threading
import time
import unicodedata
from collections import Counter, deque
from collections.abc import Callable

LASTS = 86_400.0
"""Seconds that a class is remembered."""
CLASSES, OWN, BROWSERS = 200, 5, 1_000
"""Classes at once, those of one visitor, and browsers in a class: a further browser watches."""
DIGITS = 6
"""Digits of a join code."""
WRONG_OWN, WRONG_ALL = 10, 500
"""Wrong join codes of one visitor and of all, within `PAUSE` and `LASTS`; after that no code is accepted.

A given class is thus found by trying with a probability of at most 500 in a million.
"""
PAUSE = 600.0
"""Seconds for which a visitor's wrong join codes count against them."""


class Class:
    """One class: who began it, the browsers that have opened its link, the first guess of each at every step."""

    def __init__(self, begun: float, by: str, join_code: str = "") -> None:
        self.begun = self.used = begun
        self.by = by
        self.join_code = join_code
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
        self._wrong: deque[tuple[float, str]] = deque()
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
            self._all[code] = Class(self._clock(), token, self._free_join_code())
        return code

    def enter(self, typed: str, token: str) -> str | None:
        """Returns the code of the class that has this join code, or None if no class has it.

        None also if too many wrong ones were typed (see `is_locked`).  Digits of any script count, and everything
        between them is ignored.
        """
        digits = "".join(str(unicodedata.digit(c)) for c in typed if c.isdecimal())
        with self._lock:
            self._sweep()
            if len(digits) != DIGITS or self._locked(token):
                return None
            code = next((code for code, one in self._all.items() if one.join_code == digits), None)
            if code is None:
                self._wrong.append((self._clock(), token))
            return code

    def is_locked(self, token: str) -> bool:
        """Whether no join code is accepted from this visitor, since too many wrong ones were typed."""
        with self._lock:
            self._sweep()
            return self._locked(token)

    def _locked(self, token: str) -> bool:
        since = self._clock() - PAUSE
        own = sum(by == token and at > since for at, by in self._wrong)
        return own >= WRONG_OWN or len(self._wrong) >= WRONG_ALL

    def _free_join_code(self) -> str:
        taken = {one.join_code for one in self._all.values()}
        while True:
            join_code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}d}"
            if join_code not in taken:
                return join_code

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
        while self._wrong and now - self._wrong[0][0] >= LASTS:
            self._wrong.popleft()
