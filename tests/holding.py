"""How long one thread keeps all others waiting."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


def longest_hold(work: Callable[[], object]) -> float:
    """The most seconds that ``work`` has computed while nobody else could.

    Another thread looks at the worker's processor time whenever it gets its turn: on a busy machine both wait, and
    waiting does not count.
    """
    done, looked = threading.Event(), list[float]()

    def run() -> None:
        try:
            work()
        finally:
            looked.append(time.thread_time())
            done.set()

    worker = threading.Thread(target=run)
    worker.start()
    clock = time.pthread_getcpuclockid(worker.ident or 0)
    while not done.is_set():
        try:
            looked.append(time.clock_gettime(clock))
        except OSError:  # the worker has ended
            break
        time.sleep(0.005)
    worker.join()
    looked.sort()
    return max((b - a for a, b in zip([0.0, *looked], looked, strict=False)), default=0.0)
