"""Classes that predict, click or judge together: the members of each class and what they do, in the server's memory.

A class has a code that cannot be guessed; its members are anonymous; after a day it is deleted.  Six digits, which can
be read out, lead to it as well: wrong ones are counted, so that nobody finds a class by trying.
"""

from __future__ import annotations

import secrets
import threading
import time
import unicodedata
from collections import Counter, deque
from collections.abc import Callable, MutableMapping
from functools import partial
from typing import Any

LASTS = 86_400.0
"""Seconds until a class is deleted."""
CLASSES, OWN, BROWSERS = 200, 5, 1_000
"""Maximum number of classes, of classes per visitor, and of browsers in a class: further browsers only watch."""
DIGITS = 6
"""Digits of a join code."""
WRONG_OWN, WRONG_ALL = 10, 500
"""Wrong join codes of one visitor and of all, within `PAUSE` and `LASTS`; after that no code is accepted.

A given class is thus found by trying with a probability of at most 500 in a million.
"""
TASKS = "class tasks"
"""The name of a visitor's store of tasks that show their own documents."""
PAUSE = 600.0
"""Seconds for which a visitor's wrong join codes count against them."""


def forget_corpus(store: MutableMapping[str, Any], corpus: str) -> None:
    """Deletes the tasks that show documents of this corpus from a visitor's `TASKS`."""
    for key in [key for key in store if key.partition(" ")[2] == corpus]:
        del store[key]


class Class:
    """One class: its owner, the browsers that have opened its link, and each browser's first prediction per step."""

    def __init__(self, begun: float, by: str, join_code: str = "") -> None:
        self.begun = self.used = begun
        self.by = by
        self.join_code = join_code
        self._here: set[str] = set()
        self._guesses: dict[str, dict[str, int]] = {}
        self._task: Callable[[], Any] = lambda: None
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._here)

    def join(self, token: str) -> None:
        """Adds this browser to the class."""
        with self._lock:
            if len(self._here) < BROWSERS:
                self._here.add(token)

    def __contains__(self, token: str) -> bool:
        return token in self._here

    @property
    def task(self) -> Any:
        """What the class does together besides predicting, a poll for example; None if there is nothing."""
        return self._task()

    def set_task(
        self, token: str, task: Any, *, store: MutableMapping[str, Any] | None = None, corpus: str = ""
    ) -> None:
        """Gives the class something else to do, None for nothing; only its owner can.

        With ``store``, the `TASKS` of the owner, the task is kept there only, under the name of a corpus: it is deleted
        with the owner's data (see `forget_corpus`).
        """
        if token != self.by:
            return
        if store is None:
            self._task = lambda: task
        else:
            key = f"{self.join_code} {corpus}"
            store[key], self._task = task, partial(store.get, key)

    def guess(self, token: str, step: str, option: int) -> None:
        """Records the prediction of a browser of the class; only its first one at a step counts."""
        with self._lock:
            if token in self._here:
                self._guesses.setdefault(step, {}).setdefault(token, option)

    def guesses(self, step: str) -> Counter[int]:
        """Counts the predictions at this step by option (from 0)."""
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

        The new class replaces the visitor's oldest if they have `OWN` already, and the least used of all if there are
        `CLASSES`.
        """
        code = secrets.token_urlsafe(9)
        with self._lock:
            self._sweep()
            begun = [known for known, entry in self._all.items() if entry.by == token]
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
            code = next((code for code, entry in self._all.items() if entry.join_code == digits), None)
            if code is None:
                self._wrong.append((self._clock(), token))
            return code

    def is_locked(self, token: str) -> bool:
        """Returns whether this visitor is locked out, after too many wrong join codes."""
        with self._lock:
            self._sweep()
            return self._locked(token)

    def _locked(self, token: str) -> bool:
        since = self._clock() - PAUSE
        visitor_wrong = sum(by == token and at > since for at, by in self._wrong)
        return visitor_wrong >= WRONG_OWN or len(self._wrong) >= WRONG_ALL

    def _free_join_code(self) -> str:
        used_codes = {entry.join_code for entry in self._all.values()}
        while True:
            join_code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}d}"
            if join_code not in used_codes:
                return join_code

    def find(self, code: str) -> Class | None:
        """Returns the class with this code, or None if it has ended; it counts as used."""
        with self._lock:
            self._sweep()
            joined = self._all.get(code)
            if joined is not None:
                joined.used = self._clock()
            return joined

    def _least_used(self) -> str:
        """Returns the code of the class with the fewest browsers.

        Ties go to the visitor with the most classes, then to the class that was unused for longest.
        """
        begun = Counter(entry.by for entry in self._all.values())
        rank = {code: (len(entry), -begun[entry.by], entry.used) for code, entry in self._all.items()}
        return min(rank, key=rank.__getitem__)

    def _sweep(self) -> None:
        now = self._clock()
        for code in [code for code, entry in self._all.items() if now - entry.begun >= LASTS]:
            del self._all[code]
        while self._wrong and now - self._wrong[0][0] >= LASTS:
            self._wrong.popleft()
