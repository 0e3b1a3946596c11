"""The suite is a fixed sample, the same on every day; at night all of a long proof is there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import night
import pytest

ROOT = Path(__file__).parents[1]
COLLECT = """
import sys
import time

import pytest

now = 86_400.0 * int(sys.argv[1])
time.time, time.time_ns = lambda: now, lambda: int(now * 1e9)

class Marks:
    def pytest_collection_finish(self, session):
        for item in session.items:
            print("COLLECTED", "nightly" if "nightly" in item.keywords else "daily", item.nodeid)

sys.exit(pytest.main(["--collect-only", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", ""], plugins=[Marks()]))
"""
"""Collects all tests on a day, given as a number of days since 1970, and prints each with its mark."""
CASES = [("a", 1), ("b", 2), pytest.param("c", 3, id="named"), ("d", 4), ("e", 5)]


def marks(case: object) -> list[str]:
    return [mark.name for mark in getattr(case, "marks", ())]


@pytest.fixture(scope="module")
def collected() -> list[list[str]]:
    """What is collected on two days."""
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", COLLECT, str(day)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for day in (20_001, 23_456)
    ]
    outputs = [run.communicate(timeout=300)[0] for run in runs]
    return [[line for line in text.splitlines() if line.startswith("COLLECTED")] for text in outputs]


def test_every_day_has_the_same_tests(collected: list[list[str]]) -> None:
    first, second = collected
    assert len(first) > 1000
    assert sorted(set(first) ^ set(second)) == []
    assert first == second


LONG = {"test_memory.py", "test_two_processes.py"}
"""Files of walks that wait for half a minute: what they hold is held without a browser in the suite as well."""


def test_every_file_of_browser_tests_has_one_in_the_suite(collected: list[list[str]]) -> None:
    files = {path.name for path in (ROOT / "tests" / "browser").glob("test_*.py")}
    in_suite = {name for line in collected[0] for name in files if f" daily tests/browser/{name}::" in line}
    assert sorted(files - in_suite - LONG) == []


@pytest.mark.parametrize(("n", "chosen"), [(1, [0]), (2, [0, 2]), (5, [0, 1, 2, 3, 4]), (7, [0, 1, 2, 3, 4])])
def test_cases_of_the_suite_are_evenly_spread_and_all_others_are_nightly(n: int, chosen: list[int]) -> None:
    spread = night.spread(CASES, n)
    assert [i for i, case in enumerate(spread) if "nightly" not in marks(case)] == chosen
    assert len(spread) == len(CASES)
    assert night.spread([], n) == []


def test_a_nightly_case_is_the_same_case() -> None:
    first, second, named, *_rest = night.spread(CASES, 1)
    assert first == CASES[0]
    assert (second.values, marks(second)) == (("b", 2), ["nightly"])
    assert (named.values, named.id, marks(named)) == (("c", 3), "named", ["nightly"])
    assert night.nightly({"k": 1}).values == ({"k": 1},)


def test_a_test_goes_through_a_sample_in_the_suite_and_through_everything_at_night(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for at_night, things, numbers in ((False, [0, 5], range(2)), (True, [*range(10)], range(24))):
        monkeypatch.setattr(night, "NIGHT", at_night)
        assert night.sample(range(10), 2) == things
        assert night.seeds(24) == numbers
