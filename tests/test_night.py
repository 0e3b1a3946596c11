"""The suite is a fixed sample of the long proofs: every kind of promise is in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LONG = {"test_memory.py", "test_two_processes.py"}
"""Files of walks that wait for half a minute: what they hold is held without a browser in the suite as well."""


def test_every_file_of_browser_tests_has_one_in_the_suite() -> None:
    words = [
        sys.executable,
        "-m",
        "pytest",
        "--collect-only",
        "-q",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        "tests/browser",
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HYPOTHESIS_PROFILE": "quick"}
    collected = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=True
    )
    in_suite = {Path(line.partition("::")[0]).name for line in collected.stdout.splitlines() if "::" in line}
    assert in_suite
    files = {path.name for path in (ROOT / "tests" / "browser").glob("test_*.py")}
    assert sorted(files - in_suite - LONG) == []
