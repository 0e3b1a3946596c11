"""The benchmark of rewriting: what it tells, and where it says that a rule does harm."""

from __future__ import annotations

import pytest

from benchmarks import common, rewrite
from lab.evaluate.measures import Scores
from lab.fuse import BestScore
from lab.rewrite.base import PromptRewriter

ROWS = list(rewrite.SEARCHES)


def told(**shipped: float) -> rewrite.Told:
    """One collection of two questions: 0.5 as they are, 0.3 where a rule always rewrites, and so much as shipped."""

    def scores(mean: float) -> Scores:
        return Scores("", {}, {measure: {"1": mean + 0.1, "2": mean - 0.1} for measure in rewrite.MEASURES})

    as_shipped = {row: scores(shipped.get(row.split(",")[0].replace("-", "_"), 0.5)) for row in ROWS}
    raw, always = ({row: scores(mean) for row in ROWS} for mean in (0.5, 0.3))
    rest = dict.fromkeys(ROWS, 0.0)
    return rewrite.Told("devices", 9, {"plain": ["1"], "all": ["1", "2"]}, raw, always, as_shipped, rest, rest)


def test_a_row_has_what_a_rule_adds_always_and_as_shipped():
    one = told(sub_questions=0.512)
    assert "| sub-questions | -0.200 → +0.012 |" in rewrite.changes([one], "nDCG@10")
    assert "| sub-questions | +0.012 / +0.012 |" in rewrite.halves([one])
    assert "devices: plain (1)" in rewrite.changes([one], "R@10", ("plain",))
    assert rewrite.report([one], 440).startswith(
        "`LAB_COLLECTIONS=... python -m benchmarks.rewrite --most 440 --write`"
    )


def test_harm_is_told_of_but_for_scores_that_do_not_compare():
    assert not rewrite.broken([told(sub_questions=0.495)])
    (line,) = rewrite.broken([told(sub_questions=0.48)])
    assert line == "sub-questions changes nDCG@10 by -0.0200 on devices"
    (line,) = rewrite.broken([told(multi_query=0.48)])
    assert line.startswith("multi-query changes"), "its row of best scores is no promise"
    assert any(isinstance(search.merge, BestScore) for search in rewrite.SEARCHES.values())


def test_always_rewriting_is_the_same_search_that_abstains_from_nothing():
    for search in rewrite.SEARCHES.values():
        assert isinstance(search.rewrite, PromptRewriter)
        assert search.rewrite.abstains
        assert rewrite.always(search) == search.replace("rewrite", rewrite.always(search).rewrite)
        assert not rewrite.always(search).rewrite.abstains


@pytest.mark.nightly
def test_it_runs_on_a_sample(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(common, "one_thread", lambda: None)
    sections: dict[str, str] = {}
    monkeypatch.setattr(common, "write", sections.__setitem__)
    assert rewrite.main(["devices", "--most", "12", "--write"]) == 0
    assert "devices (12)" in sections[rewrite.HEADING]
    assert sections[rewrite.HEADING] in capsys.readouterr().out
