"""Classes that predict, click or judge together: the members of each class and what they do, in the server's memory.

A class has a code that cannot be guessed; its members are anonymous; after a day it is deleted.  Six digits, which can
be read out, lead to it as well: whoever types wrong ones has to wait longer each time, and if many are typed, the next
classes get eight digits, so that nobody finds a class by trying, and nobody keeps others out of theirs.

Whoever begins a class presents: they count for nothing, and decide at which step the class is and what it sees.
"""

from __future__ import annotations

import secrets
import threading
import time
import unicodedata
from collections import Counter, deque
from collections.abc import Callable, MutableMapping, Sequence
from functools import partial
from typing import Any

from lab.ui.people.company import Guess

LASTS = 86_400.0
"""Seconds until a class is deleted."""
CLASSES, OWN, BROWSERS = 200, 5, 1_000
"""Maximum number of classes, of classes per visitor, and of browsers in a class: further browsers only watch."""
DIGITS, LONGER = 6, 8
"""Digits of a join code, and of those given out while many wrong ones are typed."""
WRONG_OWN, WRONG_ADDRESS, WRONG_ALL = 10, 60, 500
"""Wrong join codes after which a browser and an address have to wait, within `PAUSE`; of all, after which new codes are
longer, within a day.

In the ninety minutes of a class, one address can try about a thousandth of the codes of six digits.
"""
PAUSE, PAUSE_ADDRESS = 600.0, 10.0
"""Seconds for which wrong join codes count against a sender; the longest wait of an address, which many may share."""
REMEMBERED = 20_000
"""Maximum number of wrong join codes that are remembered."""
TASKS = "class tasks"
"""The name of a visitor's store of tasks that show their own documents."""


def forget_corpus(store: MutableMapping[str, Any], corpus: str) -> None:
    """Deletes the tasks that show documents of this corpus from a visitor's `TASKS`."""
    for key in [key for key in store if key.partition(" ")[2] == corpus]:
        del store[key]


class Class:
    """One class: its presenter, the browsers that have opened its link, and each browser's prediction per step."""

    def __init__(self, begun: float, by: str, join_code: str = "") -> None:
        self.begun = self.used = begun
        self.by = by
        self.join_code = join_code
        self.step = 1
        """The step of the course at which the class is, from 1."""
        self.opened = False
        """Whether the presenter has opened the first question; until then students wait."""
        self.paced = True
        """Whether the students follow the presenter, and see a result when the presenter shows it."""
        self.closed = False
        """Whether nobody else can join."""
        self.expected: int | None = None
        """How many browsers the presenter expects."""
        self._shown: set[str] = set()
        self._here: set[str] = set()
        self._guesses: dict[str, dict[str, Guess]] = {}
        self._task: Callable[[], Any] = lambda: None
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._here)

    def __contains__(self, token: str) -> bool:
        return token in self._here

    def is_presenter(self, token: str) -> bool:
        """Returns whether this browser has begun the class."""
        return token == self.by

    def join(self, token: str) -> None:
        """Adds this browser to the class, unless it presents, the class is closed, or it is full."""
        with self._lock:
            if token != self.by and not self.closed and len(self._here) < BROWSERS:
                self._here.add(token)

    @property
    def digits(self) -> str:
        """The join code in two groups, as it is shown."""
        half = len(self.join_code) // 2
        return f"{self.join_code[:half]} {self.join_code[half:]}"

    def show(self, token: str, step: str) -> None:
        """Shows the result of a step to the class, and ends its predictions; only the presenter can."""
        if token == self.by:
            self.opened = True
            self._shown.add(step)

    def go(self, token: str, step: int) -> None:
        """Takes the class to a step of the course, from 1; only the presenter can."""
        if token == self.by and step != self.step:
            self.step, self.opened = step, True

    @property
    def waits(self) -> bool:
        """Whether the students wait for the first question."""
        return self.paced and not self.opened

    def is_shown(self, step: str) -> bool:
        """Returns whether the presenter has shown the result of this step."""
        return step in self._shown

    @property
    def task(self) -> Any:
        """What the class does together besides predicting, a poll for example; None if there is nothing."""
        return self._task()

    def set_task(
        self, token: str, task: Any, *, store: MutableMapping[str, Any] | None = None, corpus: str = ""
    ) -> None:
        """Gives the class something else to do, None for nothing; only its presenter can.

        With ``store``, the `TASKS` of the presenter, the task is kept there only, under the name of a corpus: it is
        deleted with the presenter's data (see `forget_corpus`).
        """
        if token != self.by:
            return
        if store is None:
            self._task = lambda: task
        else:
            key = f"{self.join_code} {corpus}"
            store[key], self._task = task, partial(store.get, key)

    def guess(self, token: str, step: str, option: int, right: bool = False, *, again: bool = False) -> None:
        """Records the prediction of a browser of the class; only its first one at a step counts, or with ``again`` the
        last one.

        An option below 0 is none: somebody wanted to see the result without a prediction.
        """
        with self._lock:
            if token in self._here:
                by_token = self._guesses.setdefault(step, {})
                if again or token not in by_token:
                    by_token[token] = option, right

    def sheet(self, token: str) -> dict[str, Guess]:
        """Returns the predictions of this browser by step."""
        with self._lock:
            return {step: by_token[token] for step, by_token in self._guesses.items() if token in by_token}

    def guesses(self, step: str) -> Counter[int]:
        with self._lock:
            return Counter(option for option, _right in self._guesses.get(step, {}).values() if option >= 0)


class Classes:
    """All classes by their codes."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._all: dict[str, Class] = {}
        self._wrong: deque[tuple[float, str, str]] = deque(maxlen=REMEMBERED)
        """When wrong join codes were typed, by which browser and at which address."""
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

    def enter(self, typed: str, token: str, address: str = "") -> str | None:
        """Returns the code of the class that has this join code, or None if no class has it.

        None also if this browser or its address has to `wait`.  Digits of any script count, and everything between
        them is ignored.
        """
        digits = "".join(str(unicodedata.digit(c)) for c in typed if c.isdecimal())
        with self._lock:
            self._sweep()
            if len(digits) not in (DIGITS, LONGER) or self._wait(token, address) > 0:
                return None
            code = next((code for code, entry in self._all.items() if entry.join_code == digits), None)
            if code is None:
                self._wrong.append((self._clock(), token, address))
            return code

    def wait(self, token: str, address: str = "") -> float:
        """Returns the seconds until this browser's next join code is read, after too many wrong ones; else 0."""
        with self._lock:
            self._sweep()
            return self._wait(token, address)

    def _wait(self, token: str, address: str) -> float:
        now = self._clock()
        recent = [wrong for wrong in self._wrong if wrong[0] > now - PAUSE]
        by_browser = [at for at, browser, _ in recent if browser == token]
        by_address = [at for at, _, place in recent if address and place == address]
        longest = max(
            _pause(by_browser, WRONG_OWN, PAUSE) - now, _pause(by_address, WRONG_ADDRESS, PAUSE_ADDRESS) - now
        )
        return max(0.0, longest)

    def _free_join_code(self) -> str:
        used_codes = {entry.join_code for entry in self._all.values()}
        digits = LONGER if len(self._wrong) >= WRONG_ALL else DIGITS
        while True:
            join_code = f"{secrets.randbelow(10**digits):0{digits}d}"
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


def _pause(wrong: Sequence[float], free: int, longest: float) -> float:
    """Returns until when a sender waits after these wrong join codes: one second after ``free``, then twice as long."""
    return wrong[-1] + min(longest, 2.0 ** (len(wrong) - free)) if len(wrong) >= free else 0.0
