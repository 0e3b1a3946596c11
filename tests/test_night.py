"""The suite is a fixed sample of the long proofs: every kind of promise is in it."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
LONG = {"test_memory.py", "test_two_processes.py"}
"""Files of walks that wait for half a minute: what they hold is held without a browser in the suite as well."""


def in_suite(file: Path) -> bool:
    """Whether a file has a test without the mark `nightly`."""
    tests = [x for x in ast.parse(file.read_text("utf-8")).body if getattr(x, "name", "").startswith("test_")]
    return any("pytest.mark.nightly" not in map(ast.unparse, x.decorator_list) for x in tests)


def test_every_file_of_browser_tests_has_one_in_the_suite() -> None:
    files = sorted((ROOT / "tests" / "browser").glob("test_*.py"))
    assert len(files) > len(LONG)
    assert [file.name for file in files if not in_suite(file) and file.name not in LONG] == []
