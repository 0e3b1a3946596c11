"""A server makes itself ready for its first visitor."""

from __future__ import annotations

import platform
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SCRIPT = """
import gc, sys
from lab.ui import cache, launch

launch.ready()
frozen = gc.get_freeze_count()
drawn_with = {"pandas", "plotly.tools", "lab.ui.lists.why"}
print(frozen > 50_000, drawn_with <= set(sys.modules), cache.sample("devices").corpus.name)
"""

FRUGAL = """
import ctypes, sys, threading

class Held(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd rest".split()] + [
        (f"more{i}", ctypes.c_size_t) for i in range(4)
    ]

libc = ctypes.CDLL(None)
for function, gives in ((libc.mallinfo2, Held), (libc.malloc, ctypes.c_void_p), (libc.fopen, ctypes.c_void_p)):
    function.restype = gives
if sys.argv[1] == "frugal":
    from lab.ui.launch import frugal
    frugal()
libc.free(ctypes.c_void_p(libc.malloc(ctypes.c_size_t(24 << 20))))
before = libc.mallinfo2().hblkhd
libc.malloc(ctypes.c_size_t(8 << 20))
outside = libc.mallinfo2().hblkhd - before >= 8 << 20
everybody = threading.Barrier(6)

def work():
    libc.malloc(ctypes.c_size_t(5000))
    everybody.wait()

threads = [threading.Thread(target=work) for _ in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
out = ctypes.c_void_p(libc.fopen(sys.argv[2].encode(), b"w"))
libc.malloc_info(0, out)
libc.fclose(out)
print(outside, open(sys.argv[2]).read().count("<heap nr="))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is about glibc")
def test_arrays_lie_outside_of_the_arenas_of_which_there_are_few(tmp_path: Path) -> None:
    def found(how: str) -> list[str]:
        command = [sys.executable, "-c", FRUGAL, how, str(tmp_path / "info.xml")]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout.split()

    outside, arenas = found("frugal")
    assert outside == "True"
    assert int(arenas) <= 2
    outside, arenas = found("not")
    assert outside == "False", "glibc does so by itself: leave it to it"
    assert int(arenas) > 2


@pytest.mark.nightly
def test_what_every_page_needs_is_there_and_is_not_looked_at_by_the_collector_of_garbage_again() -> None:
    made = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120, check=True)
    assert made.stdout.split() == ["True", "True", "devices"]


def test_the_memory_is_given_back_however_the_app_was_started(monkeypatch: pytest.MonkeyPatch) -> None:
    called = []
    monkeypatch.setattr("lab.ui.launch.frugal", lambda: called.append("frugal"))
    runpy.run_path(str(ROOT / "app.py"), run_name="app")
    assert called == ["frugal"]
