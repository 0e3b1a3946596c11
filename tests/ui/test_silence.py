"""However the lab is started, it asks no other machine for anything: every connection of its process is watched."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from night import spread

from benchmarks.visitors import Visitor, apart

ROOT = Path(__file__).parents[2]
SPY = """
import atexit, json, os, sys

def heard(event, arguments):
    if event in ("socket.getaddrinfo", "socket.gethostbyname"):
        wanted = str(arguments[0])
    elif event in ("socket.connect", "socket.sendto"):
        address = arguments[1]
        wanted = str(address[0]) if isinstance(address, tuple) else "localhost"
    else:
        return
    with open(os.environ["SPY"], "a") as file:
        file.write(json.dumps([event, wanted]) + "\\n")

sys.addaudithook(heard)
"""
OWN = {"localhost", "127.0.0.1", "0.0.0.0", "::1", "::", "None", "192.0.2.1", "8.8.8.8"}
"""This machine; and two addresses to which a socket without a connection points, to learn its own: nothing is sent."""
STARTS = {
    "the command": ["-m", "lab"],
    "the command, shared": ["-m", "lab", "--share"],
    "the command in a container": ["-m", "lab", "--server.address=0.0.0.0"],
    "streamlit": ["-m", "streamlit", "run", "app.py"],
    "streamlit, shared": ["-m", "streamlit", "run", "app.py", "--server.address=0.0.0.0"],
}


@contextmanager
def watched(arguments: list[str], folder: Path) -> Iterator[tuple[str, Path]]:
    """A server whose connections are written down: its address, and the file."""
    (folder / "sitecustomize.py").write_text(SPY, "utf-8")
    heard = folder / "heard"
    heard.touch()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "SPY": str(heard)}
    command = [sys.executable, *arguments, "--server.headless=true", f"--server.port={port}"]
    url = f"http://127.0.0.1:{port}/"
    with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            end = time.monotonic() + 90
            while True:
                try:
                    urllib.request.urlopen(f"{url}_stcore/health", timeout=5).read()
                    break
                except OSError:
                    assert time.monotonic() < end
                    time.sleep(0.2)
            yield url, heard
        finally:
            process.terminate()


def strangers(heard: Path) -> set[tuple[str, str]]:
    """What was asked of other machines."""
    told = (json.loads(line) for line in heard.read_text("utf-8").splitlines())
    return {(event, wanted) for event, wanted in told if wanted not in OWN}


def knock(url: str) -> str:
    """What the lab says to a page of another site that wants to talk to it."""
    host = url.removeprefix("http://").rstrip("/")
    head = f"GET /_stcore/stream HTTP/1.1\r\nHost: {host}\r\nOrigin: http://elsewhere.example\r\nUpgrade: websocket\r\n"
    rest = "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    name, _, port = host.partition(":")
    with socket.create_connection((name, int(port)), timeout=30) as line:
        line.sendall((head + rest).encode())
        return line.recv(100).decode("ascii", "replace").partition("\r\n")[0]


@pytest.mark.parametrize("start", spread(STARTS, 1))
def test_no_way_of_starting_asks_another_machine_for_anything(start: str, tmp_path: Path):
    async def visit(url: str) -> None:
        async with Visitor(url) as visitor:
            for page in ("compare", "vector_store"):  # which opens Chroma
                await visitor.go(page)

    with watched(STARTS[start], tmp_path) as (url, heard):
        apart(visit(url))
        assert " 403 " in knock(url)
        time.sleep(1)
        assert heard.read_text("utf-8"), "the spy is at work"
        assert strangers(heard) == set()
