"""Caches: the most recently used of many values, and values that are computed once for all threads.

Values that nobody has used for `IDLE` seconds are dropped (`drop_unused`) if they are quickly computed again.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakSet

T = TypeVar("T")
Progress = Callable[[int, int], object]
"""Called with (done, total) during work; it may raise to stop the work."""
LOOK = 0.2
"""Seconds between progress checks while waiting for a value that another thread computes."""
IDLE = 600.0
"""Seconds without a use after which a value is dropped."""
QUICK = 2.0
"""Seconds of computing beyond which a value stays."""
CLOCK = time.monotonic


class Unused(Protocol):
    """What can drop its unused values; it returns how many."""

    def drop_unused(self, since: float) -> int: ...


HOLDERS: WeakSet[Unused] = WeakSet()
"""All objects with values that only some pages use."""


def drop_unused() -> int:
    """Drops the values that nobody has used for `IDLE` seconds; returns how many."""
    return sum(holder.drop_unused(CLOCK() - IDLE) for holder in list(HOLDERS))


class Kept(Generic[T]):
    """The most recently used values, for several threads, up to a total weight of ``size``; by default each weighs 1.

    The last one is always kept.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.lock = threading.RLock()
        self.kept: OrderedDict[Hashable, T] = OrderedDict()
        self.weights: dict[Hashable, int] = {}
        self.total = 0

    def weight(self, value: T) -> int:
        return 1

    def get(self, key: Hashable) -> T | None:
        """Returns the value of this key, or None."""
        with self.lock:
            value = self.kept.get(key)
            if value is not None:
                self.kept.move_to_end(key)
            return value

    def put(self, key: Hashable, value: T) -> None:
        """Keep a value; the least recently used values are dropped."""
        with self.lock:
            self.total -= self.weights.get(key, 0)
            self.weights[key] = weight = self.weight(value)
            self.total += weight
            self.kept[key] = value
            while len(self.kept) > 1 and self.total > self.size:
                self.total -= self.weights.pop(self.kept.popitem(last=False)[0])

    def computed(self, key: Hashable, make: Callable[[], T]) -> T:
        """Returns the value of this key; computed if there is none."""
        value = self.get(key)
        if value is None:  # two threads may compute it at once
            value = make()
            self.put(key, value)
        return value

    def drop(self, key: Hashable) -> None:
        """Drop the value of this key, if there is one."""
        with self.lock:
            if self.kept.pop(key, None) is not None:
                self.total -= self.weights.pop(key)

    def clear(self) -> None:
        """Drop all values."""
        with self.lock:
            self.kept.clear()
            self.weights.clear()
            self.total = 0


@dataclass
class Making:
    """A value that is being computed: the lock of its maker, how many threads wait, and its progress."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    wanted: int = 0
    told: tuple[int, int] = (0, 1)

    @contextmanager
    def turn(self, progress: Progress | None) -> Iterator[None]:
        """Wait until no other thread computes it; ``progress`` is called meanwhile, and may raise to stop."""
        while not self.lock.acquire(timeout=LOOK if progress else -1):
            assert progress is not None
            progress(*self.told)
        try:
            yield
        finally:
            self.lock.release()

    def telling(self, progress: Progress | None) -> Progress | None:
        """Returns a progress function that reports to ``progress`` and to the waiting threads."""

        def tell(finished: int, total: int) -> None:
            self.told = finished, total
            if progress:
                progress(finished, total)

        return tell


class Shared(Kept[Any]):
    """Values that are computed once: a thread that needs a value in the making waits for it; others do not.

    Those that took more than ``quick`` seconds stay, however long nobody uses them.
    """

    def __init__(self, size: int, *, quick: float = QUICK) -> None:
        super().__init__(size)
        self.quick = quick
        self.making: dict[Hashable, Making] = {}
        self.used: dict[Hashable, float] = {}
        self.slow: set[Hashable] = set()
        HOLDERS.add(self)

    def get(self, key: Hashable) -> Any:
        if (value := super().get(key)) is not None:
            self.used[key] = CLOCK()
        return value

    def drop_unused(self, since: float) -> int:
        """Drop the values that were not used since then; those that took long stay."""
        with self.lock:
            self.slow &= self.kept.keys()
            self.used = {key: self.used.get(key, since) for key in self.kept}
            unused = [key for key, when in self.used.items() if when < since and key not in self.slow]
            for key in unused:
                self.drop(key)
            return len(unused)

    def once(self, key: Hashable, make: Callable[[Progress | None], Any], progress: Progress | None) -> Any:
        if (value := self.get(key)) is not None:
            return value
        with self.lock:
            if key in self.kept:
                return self.get(key)
            making = self.making.setdefault(key, Making())
            making.wanted += 1
        try:
            with making.turn(progress):
                with self.lock:
                    if key in self.kept:
                        return self.get(key)
                begin = CLOCK()
                value = make(making.telling(progress))
                self.used[key] = CLOCK()
                if self.used[key] - begin > self.quick:
                    self.slow.add(key)
                self.put(key, value)
                return value
        finally:
            with self.lock:
                making.wanted -= 1
                if not making.wanted:
                    self.making.pop(key, None)
