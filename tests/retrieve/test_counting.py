"""Many texts are counted by other processes: the same counts, whatever becomes of these processes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from joblib.externals import loky

from lab.retrieve import matrix
from lab.retrieve.matrix import TermMatrix
from lab.text import Analyzer


class Stopped(Exception):
    """As the app stops a run."""


SIGNS = "电池手机的什么怎吗7a b C+#.-_1\t\n，é\u0301電話Σς😀\ud800㐀"
ANALYZER = Analyzer(stop_words=frozenset({"电池"}))


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """The pools of processes that are made; few texts are enough for one.  All are over in the end."""
    made: list[Any] = []

    class Seen(loky.ProcessPoolExecutor):  # type: ignore[misc]
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            made.append(self)

    monkeypatch.setattr(loky, "ProcessPoolExecutor", Seen)
    monkeypatch.setattr(matrix, "BLOCK", 10)
    monkeypatch.setattr(matrix, "MANY", 500)
    yield made
    assert not any(pool._processes for pool in made)
    assert not matrix._worker_lock.locked()


def texts(n: int = 200) -> list[str]:
    rng = random.Random(7)
    return ["".join(rng.choices(SIGNS, k=rng.randint(0, 40))) for _ in range(n)]


def alone() -> TermMatrix:
    """The counts as this process makes them."""
    with matrix._worker_lock:
        return TermMatrix.count(texts(), ANALYZER)


def assert_same(found: TermMatrix, expected: TermMatrix) -> None:
    assert list(found.vocabulary) == list(expected.vocabulary)
    for name in ("starts", "docs", "tf", "lengths"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name


def test_the_counts_are_those_of_one_process_and_end_with_it(pools: list[Any]) -> None:
    told = list[int]()
    found = TermMatrix.count(iter(texts()), ANALYZER, told.append)
    assert len(pools) == 1
    assert told == list(range(0, 201, 10))
    assert_same(found, alone())
    assert len(pools) == 1, "who comes while another has the processes counts by itself"


def test_other_processes_are_told_no_key_and_no_password(pools: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LAB_LLM_KEY", "LAB_MILVUS_TOKEN", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "sk-EXAMSECRET")
    told = dict[int, bytes]()

    def look(done: int) -> None:
        told.update({p: Path(f"/proc/{p}/environ").read_bytes() for pool in pools for p in pool._processes})

    TermMatrix.count(iter(texts()), ANALYZER, look)
    assert told
    assert all(b"PATH=" in env and b"EXAMSECRET" not in env for env in told.values())


def test_a_machine_that_gives_no_processes_counts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*args: Any, **options: Any) -> Any:
        raise PermissionError

    monkeypatch.setattr(matrix, "BLOCK", 10)
    monkeypatch.setattr(matrix, "MANY", 500)
    expected = alone()
    monkeypatch.setattr(loky, "ProcessPoolExecutor", none)
    told = list[int]()
    assert_same(TermMatrix.count(iter(texts()), ANALYZER, told.append), expected)
    assert told == list(range(0, 201, 10))
    assert not matrix._worker_lock.locked()


@pytest.mark.nightly
def test_processes_that_are_killed_cost_nothing_but_their_work(pools: list[Any]) -> None:
    def kill(done: int) -> None:
        for process in [*pools[0]._processes.values()] if done == matrix.BLOCK else []:
            os.kill(process.pid, signal.SIGKILL)

    assert_same(TermMatrix.count(texts(), ANALYZER, kill), alone())
    assert len(pools) == 1


@pytest.mark.nightly
def test_who_stops_ends_the_processes_and_the_next_has_them_again(pools: list[Any]) -> None:
    def stop(done: int) -> None:
        if done:
            raise Stopped

    for n in (1, 2):
        with pytest.raises(Stopped):
            TermMatrix.count(texts(), ANALYZER, stop)
        assert len(pools) == n
        assert not pools[-1]._processes


ENDLESS = """
import itertools, os
from lab.retrieve import matrix
from lab.text import Analyzer
matrix.BLOCK, matrix.MANY = 10, 0
def told(done):
    if done == 100:
        children = f"/proc/self/task/{os.getpid()}/children"
        print(open(children).read(), flush=True)
matrix.TermMatrix.count(itertools.repeat("电池 battery"), Analyzer(), told)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_a_server_that_is_killed_leaves_no_process_behind() -> None:
    with subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        pids = server.stdout.readline().split()
        server.kill()
    assert pids
    end = time.monotonic() + 60
    while any(os.path.exists(f"/proc/{pid}") for pid in pids):
        assert time.monotonic() < end, "still there"
        time.sleep(0.1)
