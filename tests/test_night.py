"""What takes turns has its turn: a sample by day, everything at night; and every day has the same tests."""

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


def test_every_day_has_the_same_tests() -> None:
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
    first, second = ([line for line in text.splitlines() if line.startswith("COLLECTED")] for text in outputs)
    assert len(first) > 1000
    assert sorted(set(first) ^ set(second)) == []
    assert first == second


CASES = [("a", 1), ("b", 2), pytest.param("c", 3, id="named"), ("d", 4), ("e", 5)]


def marks(case: object) -> list[str]:
    return [mark.name for mark in getattr(case, "marks", ())]


@pytest.mark.parametrize("n", [1, 2, 5, 7])
def test_so_many_cases_are_in_the_suite_and_all_have_had_their_turn_soon(n: int, monkeypatch: pytest.MonkeyPatch):
    seen = set[int]()
    for day in range(20_000, 20_000 + -(-len(CASES) // n)):
        monkeypatch.setattr(night, "DAY", day)
        taken = night.turn_about(CASES, n)
        assert len(taken) == len(CASES), "at night all are there"
        today = {i for i, case in enumerate(taken) if "nightly" not in marks(case)}
        assert len(today) == min(n, len(CASES))
        seen |= today
    assert seen == set(range(len(CASES)))


def test_a_case_for_the_night_is_the_same_case(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(night, "DAY", 0)
    first, second, named, *_rest = night.turn_about(CASES, 1)
    assert first == CASES[0]
    assert (second.values, marks(second)) == (("b", 2), ["nightly"])
    assert (named.values, named.id, marks(named)) == (("c", 3), "named", ["nightly"])
    (single,) = night.turn_about([{"k": 1}], 0)
    assert single.values == ({"k": 1},)
    assert night.turn_about([], 3) == []


@pytest.mark.parametrize("turns", [1, 3, 4])
def test_what_is_asked_on_one_day_of_several_is_asked_of_all_as_well(turns: int, monkeypatch: pytest.MonkeyPatch):
    seen = set[int]()
    for day in range(20_000 * turns, 20_012 * turns, turns):
        monkeypatch.setattr(night, "DAY", day)
        seen |= set(night.of_today(range(12), 1, turns))
    assert seen == set(range(12))


@pytest.mark.parametrize("turns", [2, 3, 4, 8])
def test_each_turn_has_its_day_and_no_day_is_without_one(turns: int, monkeypatch: pytest.MonkeyPatch):
    for day in range(20_000, 20_000 + turns):
        monkeypatch.setattr(night, "DAY", day)
        assert [night.in_turn(i, turns).name for i in range(turns)].count("nightly") == turns - 1
