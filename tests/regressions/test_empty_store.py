"""A limit is blamed for the empty list of a store only if it is the one that keeps the passages out."""

from __future__ import annotations

from typing import Any

import pytest
from points import Points, corpus_of_points
from regressions import load_cases

from lab.algebra import Runner
from lab.retrieve.chroma import ChromaVector
from lab.ui.lists.nothing import nothing


@pytest.mark.parametrize("case", load_cases("empty_store"))
def test_the_limit_that_emptied_the_list_is_named(case: dict[str, Any]) -> None:
    runner = Runner(corpus_of_points(case["points"], case.get("fields", [0] * len(case["points"]))))
    search = ChromaVector(Points(), **case["knobs"])
    ranking = runner(search, "1 0", 10)
    assert not ranking.hits
    reason = nothing(ranking, runner.index(search))
    assert all(part in reason for part in case["said"]), reason
    assert not any(part in reason for part in case["not_said"]), reason
