"""The benchmark of spelling: its typing mistakes, and where it says that a promise is broken."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rapidfuzz.distance import OSA

from benchmarks import common, spelling

MEANS = dict.fromkeys(spelling.COLUMNS.values(), 0.9)
ONE = spelling.Measured("devices", "letters", 60, {**MEANS, "BM25, typo": 0.7, "BM25, spelling, typo": 0.85}, 1, 50)


def test_a_typing_mistake_is_one_edit_in_the_longest_word_and_the_same_every_time():
    for seed in map(str, range(50)):
        typo = spelling.misspelt("how is the filters washed", seed)
        words = typo.split()
        assert OSA.distance("filters", words[3]) == 1
        assert [*words[:3], words[4]] == ["how", "is", "the", "washed"]
        assert spelling.misspelt("how is the filters washed", seed) == typo
    assert spelling.misspelt("a VPN 打印机", "1") == "a VPN 打印机"


def test_a_promise_is_broken_where_too_little_comes_back_or_clean_questions_lose():
    assert spelling.broken([ONE]) == []
    (line,) = spelling.broken([replace(ONE, means={**ONE.means, "BM25, spelling, typo": 0.79})])
    assert line == "a typing mistake costs 0.1100 of 0.2000 on devices"
    (line,) = spelling.broken([replace(ONE, means={**ONE.means, "BM25, spelling, clean": 0.896})])
    assert line == "clean questions lose 0.0040 on devices (letters)"
    assert (
        spelling.broken([replace(ONE, means={**MEANS, "BM25, typo": 0.5, "BM25, spelling, typo": 0.5}, questions=9)])
        == []
    )
    assert "| devices (60) | 0.900 | 0.700 | 0.850 |" in spelling.report([ONE], 300)


@pytest.mark.nightly
def test_it_holds_on_a_sample(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(common, "one_thread", lambda: None)
    assert spelling.main(["staff"]) == 0
