"""The questions needed to show a difference are counted with the correction for the number of comparisons."""

from __future__ import annotations

import math
import statistics
from typing import Any

import pytest
from regressions import load_cases

from lab.evaluate.significance import ALPHA, Difference, describe_difference, holm


@pytest.mark.parametrize("case", load_cases("questions_needed"))
def test_more_comparisons_need_more_questions(case: dict[str, Any]) -> None:
    away, m = case["away"] * case["times"], case["comparisons"]
    d = Difference("base", "other", "AP", {f"q{i}": x for i, x in enumerate(away)}, family=m)
    spread, n = statistics.stdev(away), len(away)
    if not spread:
        assert d.needed() is d.power is None
        return
    assert d.needed() == math.ceil(((case["z"] + 0.84) * spread / d.mean) ** 2)
    assert d.needed(0.05) == math.ceil(((case["z"] + 0.84) * spread / 0.05) ** 2)
    assert d.to_dict()["needed"] == d.needed()
    shown, by_randomization = (holm([p] * m)[0] for p in (d.p, d.randomised))
    assert (d.needed() > n) or shown <= ALPHA
    text = " ".join(describe_difference(d, shown, by_randomization, [d.randomised] * (m - 1)))
    assert (f"about {d.needed():,}." in text) == ("is not significant" in text)
