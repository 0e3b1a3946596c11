"""Values that are kept: the last used of many, and those that are made once for all who want them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Progress = Callable[[int, int], object]
"""Called with (done, total) as work goes on; it may raise to stop the work."""
LOOK = 0.2
"""Who waits for what another one makes looks up so often, in seconds, and may be stopped then."""


class Kept(Generic[T]):
    """The last used of what was put here, for several threads at once: as many as weigh ``size``, by default one each.

    The last one is always kept.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.lock = threading.RLock()
        self.kept: OrderedDict[Hashable, T] = OrderedDict()
        self.weights: dict[Hashable, int] = {}
        self.total = 0

    def weight(self, value: T) -> int:
        """What a value counts for."""
        return 1

    def get(self, key: Hashable) -> T | None:
        """What is kept under this key, or None."""
        with self.lock:
            value = self.kept.get(key)
            if value is not None:
                self.kept.move_to_end(key)
            return value

    def put(self, key: Hashable, value: T) -> None:
        """Keep a value; those that were not used for longest go."""
        with self.lock:
            self.total -= self.weights.get(key, 0)
            self.weights[key] = own = self.weight(value)
            self.total += own
            self.kept[key] = value
            while len(self.kept) > 1 and self.total > self.size:
                self.total -= self.weights.pop(self.kept.popitem(last=False)[0])

    def clear(self) -> None:
        """Let go of everything."""
        with self.lock:
            self.kept.clear()
            self.weights.clear()
            self.total = 0


@dataclass
class Making:
    """Something that is being made: who makes it, how many want it, and how far it is."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    wanted: int = 0
    told: tuple[int, int] = (0, 1)

    @contextmanager
    def turn(self, progress: Progress | None) -> Iterator[None]:
        """Wait until nobody else makes it; ``progress`` is called meanwhile, and may raise to stop."""
        while not self.lock.acquire(timeout=LOOK if progress else -1):
            assert progress is not None
            progress(*self.told)
        try:
            yield
        finally:
            self.lock.release()

    def telling(self, progress: Progress | None) -> Progress | None:
        """What the maker reports to: its own progress, and those who wait."""

        def tell(done: int, total: int) -> None:
            self.told = done, total
            if progress:
                progress(done, total)

        return tell


class Shared(Kept[Any]):
    """What is made once: who asks for something that is being made waits for it, and nobody else does."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.making: dict[Hashable, Making] = {}

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
                value = make(making.telling(progress))
                self.put(key, value)
                return value
        finally:
            with self.lock:
                making.wanted -= 1
                if not making.wanted:
                    self.making.pop(key, None)
