"""A Milvus for tests: a file, a `milvus-lite server` of their own, or the server that ``LAB_MILVUS_URI`` names."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from packed import MISSING

from lab.errors import ModelError
from lab.models.secrets import Secret
from lab_packs.milvus.server import Engine

NAMED = os.environ.get("LAB_MILVUS_URI", "")
"""What whoever runs the tests has named; the tests themselves name files and servers of their own."""
needs_milvus = pytest.mark.skipif(bool(MISSING), reason=f"{' and '.join(MISSING)} (extra scale) is not installed")
needs_server = pytest.mark.skipif("://" not in NAMED, reason="LAB_MILVUS_URI names no server")


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


class Server:
    """``milvus-lite server`` on the loopback, with its data in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.uri = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> Server:
        program = "from milvus_lite.cmdline import main; main()"
        where = ["--data-dir", str(self.folder), "--host", "127.0.0.1", "--port", str(self.port)]
        command = [sys.executable, "-c", program, "server", *where]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            try:  # after a restart gRPC lets a second go by before it tries an address again
                Engine(self.uri, Secret(""))
                return self
            except ModelError:
                time.sleep(0.05)
        raise AssertionError("the Milvus server does not start")

    def kill(self) -> None:
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None
