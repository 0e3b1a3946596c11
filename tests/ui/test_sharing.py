"""Who reaches a lab: whoever starts it for themselves is alone, a class is let in by a word, and is told of."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from lab import cli
from lab.cli.printing import say_sharing
from lab.ui import launch

ROOT = Path(__file__).parents[2]
WAYS = {
    "python -m lab": ["-m", "lab"],
    "retrieval-lab": ["-c", "import sys; from lab.cli import main; sys.exit(main())"],
    "streamlit run app.py": ["-m", "streamlit", "run", str(ROOT / "app.py")],
}
SHARED = """
import sys
from lab import cli
from lab.cli.printing import say_sharing
from lab.ui import launch
launch.EVERYWHERE, launch.network_address = "127.0.0.1", lambda: "192.0.2.7"  # a test opens nothing to a network
sys.exit(cli.main())
"""
HEADLESS = ["--server.headless=true", "--server.port=0"]
Start = Callable[..., "Lab"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts Python with these words in another folder, and ends it."""
    begun = list[subprocess.Popen[bytes]]()

    def begin(*words: str, **variables: str) -> Lab:
        env = {name: value for name, value in os.environ.items() if not name.startswith(("LAB_", "STREAMLIT_"))}
        folders = {name: str(tmp_path / name) for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
        env |= {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", **folders, **variables}
        told = tmp_path / f"{len(begun)}.txt"
        with told.open("wb") as out:
            command = [sys.executable, *words, *HEADLESS]
            begun.append(subprocess.Popen(command, cwd=tmp_path, env=env, stdout=out, stderr=subprocess.DEVNULL))
        return Lab(begun[-1], told)

    yield begin
    for process in begun:
        process.terminate()
        process.wait(20)


class Lab(NamedTuple):
    """A lab that was started: its process, and the file with what it says."""

    process: subprocess.Popen[bytes]
    told: Path

    def says(self, pattern: str) -> str:
        """All that it has said as soon as a part of it fits this pattern."""
        end = time.monotonic() + 120
        while not re.search(pattern, said := self.told.read_text("utf-8")):
            assert self.process.poll() is None, said
            assert time.monotonic() < end, said
            time.sleep(0.1)
        return said


def listens(pid: int) -> set[str]:
    """The addresses at which a process listens, as Linux tells them: 0100007F is 127.0.0.1, zeros are all."""
    sockets = {os.readlink(fd) for fd in Path(f"/proc/{pid}/fd").iterdir() if fd.is_symlink()}
    tables = (Path(f"/proc/{pid}/net/{name}").read_text("ascii").splitlines() for name in ("tcp", "tcp6"))
    rows = [line.split() for table in tables for line in table]
    return {row[1].partition(":")[0] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets}


LINUX = pytest.mark.skipif(not Path("/proc/self/net/tcp").exists(), reason="it reads what Linux tells of sockets")


@LINUX
@pytest.mark.parametrize(
    "way", ["python -m lab", pytest.param("retrieval-lab", marks=pytest.mark.nightly), "streamlit run app.py"]
)
def test_a_lab_that_is_started_for_oneself_is_reached_by_this_machine_alone(start: Start, way: str):
    lab = start(*WAYS[way])
    assert re.findall(r"(\w+): http://(\S+):\d+\n", lab.says(r"URL: http.*\n")) == [("URL", "localhost")]
    assert listens(lab.process.pid) == {"0100007F"}


@pytest.mark.nightly
def test_an_address_that_is_asked_for_is_taken(start: Start):
    for lab in (
        start("-m", "lab", "--server.address=127.0.0.1"),
        start("-m", "lab", STREAMLIT_SERVER_ADDRESS="127.0.0.1"),
    ):
        assert "http://127.0.0.1:" in lab.says(r"URL: http.*\n")


@pytest.mark.parametrize("public", [pytest.param("", marks=pytest.mark.nightly), "1"])
def test_who_shares_the_lab_is_told_the_address_for_others_and_what_they_see(start: Start, public: str):
    lines = start("-c", SHARED, "--share", LAB_PUBLIC=public).says("Ctrl-C")
    own = lines[lines.index("Everybody in your network") :]
    assert re.search(r"http://192\.0\.2\.7:[1-9]\d+", own), "with the port that it has"
    assert "localhost" not in own
    assert "uploads" in own
    assert ("LAB_PUBLIC=1" in own) == (not public), "what they may do is true"
    assert ("cannot name folders" in own) == bool(public)


def begun(monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    """The words with which Streamlit is started; nothing is."""
    seen = list[list[str]]()
    monkeypatch.setattr(launch.runpy, "run_module", lambda *args, **how: seen.append(list(sys.argv)))
    monkeypatch.setattr(launch.threading.Thread, "start", lambda self: None)
    monkeypatch.setattr(sys, "argv", [])
    assert cli.main(list(words)) == 0
    return seen[0]


def test_sharing_listens_on_all_addresses_and_is_no_option_of_streamlit(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(launch, "network_address", lambda: "192.0.2.7")
    words = begun(monkeypatch, "--share", "--server.port", "8600")
    assert "--server.address=0.0.0.0" in words
    assert "--browser.serverAddress=192.0.2.7" in words, "the teacher opens what the class opens"
    assert "--share" not in words
    assert words[-2:] == ["--server.port", "8600"]


def test_a_machine_without_a_network_shares_all_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    monkeypatch.setattr(launch, "network_address", lambda: "")
    assert not [word for word in begun(monkeypatch, "--share") if word.startswith("--browser")]
    say_sharing("")
    assert "no address in a network" in capsys.readouterr().out


def test_sharing_and_an_address_of_ones_own_exclude_each_other(capsys: pytest.CaptureFixture):
    for words in (["--server.address=127.0.0.1"], ["--server.address", "127.0.0.1"]):
        assert cli.main(["--share", *words]) == 2
        assert "--server.address" in capsys.readouterr().err


def test_the_address_in_the_network_is_one_or_none():
    assert re.fullmatch(r"|(?!127\.)\d+\.\d+\.\d+\.\d+", launch.network_address())
