"""What takes turns has its turn: a sample by day, everything at night."""

from __future__ import annotations

import night
import pytest

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
