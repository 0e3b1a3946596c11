"""Uploads are read where reading can be ended: by its deadline, by the visitor, and by a crash."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from making import jsonl, xlsx, zipped

from lab.reading import read
from lab.reading.read import Limits
from lab.ui.documents import guarded_reading
from lab.ui.documents.guarded_reading import READERS, read_files

PLUGIN = """
import ctypes, os, time
from lab.reading.format import Format

def read_slowly(reading, data, columns):
    if data.startswith(b"crash"):
        os._exit(1)
    if data.startswith(b"print"):
        print("noise on standard output", flush=True)
    if data.startswith(b"hold"):  # as a regular expression does: no other thread of the process has a turn
        ctypes.PyDLL(None).usleep(int(1e6 * float(data.split()[1])))
    reading.add("slow text", id=reading.name)

FORMATS = (Format("slow", ("slow",), read_slowly),)
"""
GOOD = ("good.txt", b"The printer shows E21.")
SECOND = Limits(max_seconds=1)


@pytest.fixture(autouse=True)
def slow_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "slow.py").write_text(PLUGIN, "utf-8")
    monkeypatch.setenv("LAB_PLUGINS", str(tmp_path / "slow.py"))
    READERS.close()  # those started before do not know the format
    yield
    READERS.close()


def texts(files: list[tuple[str, bytes]], **named: object) -> tuple[list[str], list[str]]:
    result = read_files(files, limits=SECOND, grace=0.5, **named)  # type: ignore[arg-type]
    return [d.text for d in result], [str(p) for p in result.problems]


def test_the_result_is_that_of_reading_in_place() -> None:
    collection = {
        "corpus.jsonl": jsonl({"_id": "d", "text": "ten"}),
        "queries.jsonl": jsonl({"_id": "q", "text": "?"}),
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq\td\t1\n",
    }
    table = xlsx({"s": [["id", "text"], ["x", "a text"], ["x", "again"]]})
    files = [("a.zip", zipped(collection)), ("b.xlsx", table), ("c.bin", b"\0\1\2"), GOOD]
    here = read.read_files(files)
    assert read_files(files) == here
    assert here.qrels
    assert here.problems


@pytest.mark.parametrize("content", [b"hold 30", b"crash"])
def test_a_file_that_never_ends_is_ended_and_the_others_are_read(content: bytes) -> None:
    begin = time.monotonic()
    found, problems = texts([("x.slow", content), GOOD, ("a.zip", zipped({"y.slow": content, "b.txt": b"in a zip"}))])
    assert found == ["The printer shows E21.", "in a zip"]
    assert len(problems) == 2
    assert all("was not read: reading it crashed or did not end within 1 seconds" in p for p in problems)
    assert {p.split(":")[0] for p in problems} == {"x.slow", "a.zip/y.slow"}
    assert time.monotonic() - begin < 15


def test_after_several_ends_the_rest_is_named_and_not_tried() -> None:
    files = [*((f"{i}.slow", b"crash") for i in range(6)), GOOD]
    found, problems = texts(files)
    assert found == []
    assert sum("was not read" in p for p in problems) == guarded_reading.PATIENCE
    assert sum("was not tried" in p for p in problems) == 7 - guarded_reading.PATIENCE


def test_the_visitor_ends_it_and_progress_is_reported_meanwhile() -> None:
    class Stopped(BaseException):
        pass

    calls = list[tuple[int, int]]()

    def stop(done: int, total: int) -> None:
        calls.append((done, total))
        if len(calls) == 5:
            raise Stopped

    begin = time.monotonic()
    with pytest.raises(Stopped):
        read_files([("x.slow", b"hold 60")], progress=stop)
    assert time.monotonic() - begin < 5
    assert READERS._idle == []
    assert texts([GOOD])[0] == ["The printer shows E21."]


def test_nobody_waits_for_a_file_of_another_visitor() -> None:
    held = threading.Thread(target=lambda: read_files([("x.slow", b"hold 4")]))
    held.start()
    time.sleep(0.3)
    begin, turns = time.monotonic(), 0
    while time.monotonic() - begin < 1:
        time.sleep(0.01)
        turns += 1
    assert turns > 30, "this thread had its turns"
    assert read_files([GOOD]).documents
    assert held.is_alive()
    held.join()
    assert len(READERS._idle) == 1, "one process is kept"


def test_one_process_serves_many_uploads_and_prints_nothing_between() -> None:
    ids = set[int]()
    for _ in range(3):
        assert texts([("x.slow", b"print")])[0] == ["slow text"]
        ids |= {process.pid for process in READERS._idle}
    assert len(ids) == 1
    assert ids != {os.getpid()}
