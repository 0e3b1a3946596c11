"""While a file keeps a reader busy, the server answers and other visitors work; the upload goes on by itself."""

from __future__ import annotations

import time
import urllib.request
from collections.abc import Callable, Iterator

import pytest
from browser.visitor import Visitor, expect, serving

pytestmark = pytest.mark.browser

PLUGIN = """
import ctypes
from lab.reading.format import Format

def read_slowly(reading, data, columns):
    ctypes.PyDLL(None).usleep(10_000_000)  # no other thread of this process has a turn meanwhile
    reading.add("A heron stands in the reeds.", id=reading.name)

FORMATS = (Format("slow", ("slow",), read_slowly),)
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("slow_format")
    (folder / "slow.py").write_text(PLUGIN, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LAB_PLUGINS", str(folder / "slow.py"))
        with serving(folder) as address:
            yield address


@pytest.mark.nightly
def test_nobody_waits_while_a_file_keeps_a_reader_busy(arrive: Callable[..., Visitor], url: str):
    me, other = arrive(url).open("corpus"), arrive(url).open("compare", corpus="devices")
    me.page.locator("input[type=file]").first.set_input_files(
        {"name": "x.slow", "mimeType": "text/plain", "buffer": b"a"}
    )
    expect(me.page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
    slowest, until = 0.0, time.monotonic() + 3
    while time.monotonic() < until:
        begin = time.monotonic()
        with urllib.request.urlopen(f"{url}_stcore/health", timeout=5) as answer:
            assert answer.read() == b"ok"
        slowest = max(slowest, time.monotonic() - begin)
        other.page.wait_for_timeout(50)
    assert slowest < 1
    begin = time.monotonic()
    other.ask("battery")
    expect(other.cards(0).first).to_be_visible()
    assert time.monotonic() - begin < 5
    assert me.page.get_by_role("button", name="Stop", exact=True).is_visible(), "the file is still being read"
    me.use("Birds")
    me.go("compare").ask("heron")
    expect(me.cards(0).first).to_contain_text("A heron stands in the reeds.")
